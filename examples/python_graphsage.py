"""GraphSAGE by PyTorch Geometric, on a graph that stays in its file.

    python3 python_graphsage.py graph.qrn [EPOCHS] [--in-memory]

Vertices have the properties x (their features), y (their classes) and train_mask. With --in-memory PyG holds the whole graph and all features
itself; batches, and so losses, are the same.
"""

import resource
import sys
import time

import torch
import torch_geometric

import quern
from quern import pyg


def loader_of(graph, in_memory):
    options = dict(batch_size=256, shuffle=True, generator=torch.Generator().manual_seed(1))
    if not in_memory:
        return pyg.neighbor_loader(graph, [10, 5], "train_mask", seed=1, **options)
    return torch_geometric.loader.NeighborLoader(graph.to_pyg(), num_neighbors=[10, 5], neighbor_sampler=pyg.Sampler(graph, [10, 5], seed=1),
                                                 input_nodes=torch.from_numpy(graph.vertex_properties["train_mask"].nonzero()[0]), **options)


def train(graph, epochs, in_memory):
    torch.manual_seed(1)
    classes, width = int(graph.vertex_properties["y"].max()) + 1, graph.features["x"].shape[1]
    model = torch_geometric.nn.GraphSAGE(width, 32, num_layers=2, out_channels=classes)
    optimizer = torch.optim.Adam(model.parameters(), lr=.01)
    loader = loader_of(graph, in_memory)
    for epoch in range(1, epochs + 1):
        begin, losses, right, count = time.time(), [], 0, 0
        for batch in loader:
            optimizer.zero_grad()
            found, wanted = model(batch.x, batch.edge_index)[:batch.batch_size], batch.y[:batch.batch_size].long()
            loss = torch.nn.functional.cross_entropy(found, wanted)
            loss.backward()
            optimizer.step()
            losses.append(float(loss))
            right, count = right + int((found.argmax(1) == wanted).sum()), count + len(wanted)
        print("epoch %d: loss %.6f, accuracy %.3f" % (epoch, sum(losses) / len(losses), right / count))
        print("%.2f s, at most %d MB" % (time.time() - begin, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024), file=sys.stderr)


if __name__ == "__main__":
    train(quern.open(sys.argv[1]), int(sys.argv[2]) if sys.argv[2:] and sys.argv[2].isdigit() else 3, "--in-memory" in sys.argv)
