"""Batches of edges as loaders of PyTorch Geometric and DGL take them, in processes that share one mapping.

    python3 python_edge_index.py graph.qrn
"""

import multiprocessing
import sys

import quern


def batch(part):
    """The out-edges of some vertices, as int64[2, edges]: torch.from_numpy takes it without a copy."""
    path, first, last = part
    return quern.open(path).edge_index(vertices=(first, last))  # of a mapping that all processes share


if __name__ == "__main__":
    graph = quern.open(sys.argv[1])
    step = graph.num_vertices // 4 + 1
    parts = [(sys.argv[1], first, min(first + step, graph.num_vertices)) for first in range(0, graph.num_vertices, step)]
    with multiprocessing.Pool(2) as pool:
        print("%d edges in %d batches" % (sum(index.shape[1] for index in pool.map(batch, parts)), len(parts)))
    print("edge_index: %s %s" % (graph.edge_index().dtype, graph.edge_index().shape))
