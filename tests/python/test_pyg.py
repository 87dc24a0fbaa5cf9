"""PyTorch Geometric's loaders on Quern's stores and sampler. Where this interpreter has not both libraries, or a PyTorch that knows no NumPy as new as
this, but build/pyg is an environment that has (./bootstrap test --all makes it), the tests run there."""

import contextlib
import gc
import importlib.util
import io
import os
import re
import runpy
import subprocess
import tempfile
import unittest
import warnings
from pathlib import Path

from harness.package import MISSING, SOURCE, quern

VECTOR = SOURCE / "specs/vectors/set-types"
ELSEWHERE = SOURCE / "build/pyg/bin/python"


def missing():
    """Why the tests cannot run in this interpreter; None if they can."""
    if MISSING:
        return MISSING
    if importlib.util.find_spec("torch_geometric") is None or importlib.util.find_spec("torch") is None:
        return "no torch, or no torch_geometric"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import numpy
        import torch
    try:
        torch.from_numpy(numpy.zeros(1))
    except RuntimeError:
        return "a torch that does not know this numpy"
    return None


HERE = missing()
if HERE is None:
    warnings.filterwarnings("ignore", module="torch.*")
    import numpy
    import torch
    import torch_geometric

    from quern import pyg


@unittest.skipUnless(HERE and not MISSING, "they run in this interpreter" if HERE is None else str(MISSING))
class InTheirEnvironment(unittest.TestCase):
    tier, timeout = "medium", 900

    def test_all(self):
        if not ELSEWHERE.exists():
            self.skipTest(HERE)
        done = subprocess.run([ELSEWHERE, "-m", "unittest", "-q", "python.test_pyg"], cwd=SOURCE / "tests", stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, env=dict(os.environ, OMP_NUM_THREADS="1"))
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, r"Ran \d\d tests")


class _Cases(unittest.TestCase):
    tier, timeout = "medium", 600

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def graph(self, directed=True, name="g.qrn"):
        graph, random = quern.generate("rmat", 9, degree=6, directed=directed), numpy.random.default_rng(1)
        count = len(graph)
        classes = random.integers(0, 4, count)
        x = (numpy.eye(4)[classes].repeat(4, axis=1) + random.random((count, 16)) * .5).astype("f4")
        properties = {"x": x, "y": classes.astype("i4"), "small": x[:, 0].astype("f2"), "count": random.integers(0, 2**16, count).astype("u2"),
                      "born": numpy.arange(count).astype("M8[D]"), "train_mask": random.random(count) < .5,
                      "when": random.integers(0, 10, count), "name": ["n"] * count}
        return graph.with_properties(properties, {"when": numpy.arange(graph.num_stored_edges) % 10} if directed else None,
                                     path=self.folder / name)


def cases(kind):
    return unittest.skipIf(HERE, HERE or "")(kind)


@cases
class Loaders(_Cases):
    def check_batch(self, graph, batch):
        sources, targets = graph.sources(), graph.column_indices
        pairs = set(zip(sources.tolist(), targets.tolist()))
        ids = batch.n_id
        for a, b in batch.edge_index.T.tolist():
            self.assertIn((int(ids[a]), int(ids[b])), pairs)
        x = torch.from_numpy(graph.vertex_properties["x"].copy())
        self.assertTrue(torch.equal(batch.x, x[ids]))
        self.assertEqual((batch.small.dtype, batch["count"].dtype, batch.born.dtype), (torch.float16, torch.int32, torch.int64))

    def test_neighbors_by_any_number_of_workers(self):
        graph = self.graph()
        expected, chosen = None, numpy.flatnonzero(graph.vertex_properties["train_mask"])
        for workers in (0, 2, 4):
            loader = pyg.neighbor_loader(graph, [4, 3], "train_mask", batch_size=64, num_workers=workers, edge_ids=True)
            batches = list(loader)
            for batch in batches:
                self.check_batch(graph, batch)
                self.assertEqual(batch.n_id[:batch.batch_size].tolist(), chosen[batch.input_id].tolist())
                ends = batch.n_id[batch.edge_index]
                self.assertEqual(graph.sources()[batch.e_id.numpy()].tolist(), ends[0].tolist())
                self.assertEqual(graph.column_indices[batch.e_id.numpy()].tolist(), ends[1].tolist())
            found = [(batch.n_id.tolist(), batch.edge_index.tolist()) for batch in batches]
            self.assertEqual(sum(batch.batch_size for batch in batches), int(graph.vertex_properties["train_mask"].sum()))
            expected = expected or found
            self.assertEqual(found, expected)

    def test_links_by_any_number_of_workers(self):
        graph = self.graph()
        positive = torch.from_numpy(graph.edge_index()[:, :200])
        for workers, sampling in ((0, "binary"), (2, "triplet"), (4, None)):
            for disjoint in (False, True):
                loader = pyg.link_neighbor_loader(graph, [3, 2], positive, batch_size=50, neg_sampling=sampling, disjoint=disjoint,
                                                  num_workers=workers)
                batches = list(loader)
                self.assertEqual(len(batches), 4)
                for number, batch in enumerate(batches):
                    self.check_batch(graph, batch)
                    ends = batch.n_id[torch.stack([batch.src_index, batch.dst_pos_index])] if sampling == "triplet" else \
                        batch.n_id[batch.edge_label_index][:, :50]
                    self.assertTrue(torch.equal(ends, positive[:, 50 * number:50 * (number + 1)]))

    def test_times(self):
        graph = self.graph()
        when = torch.from_numpy(graph.vertex_properties["when"].copy())
        seeds = torch.arange(100)
        for times in (None, torch.full((100,), 4)):
            loader = pyg.neighbor_loader(graph, [5, 5], seeds, batch_size=20, time_attr="when", input_time=times)
            for batch in loader:
                of_seed = (when[batch.n_id[:20]] if times is None else batch.seed_time)[batch.batch]
                self.assertTrue((batch.when[20:] <= of_seed[20:]).all())
        loader = pyg.neighbor_loader(graph, [-1], seeds, batch_size=20, edge_time_attr="when", input_time=torch.full((100,), 4), edge_ids=True)
        self.assertTrue(all((batch.e_id % 10 <= 4).all() for batch in loader))

    def test_both_directions_and_epochs(self):
        graph = self.graph()
        loader = pyg.neighbor_loader(graph, [3], torch.arange(50), batch_size=50, subgraph_type="bidirectional")
        batch = next(iter(loader))
        pairs = set(map(tuple, batch.edge_index.T.tolist()))
        self.assertEqual(pairs, {(b, a) for a, b in pairs})
        loader = pyg.neighbor_loader(graph, [1], torch.arange(100), batch_size=100, properties=["x"])
        first, second = (next(iter(loader)).edge_index for _ in range(2))
        self.assertTrue(torch.equal(first, second))
        loader.node_sampler.epoch = 1
        self.assertFalse(torch.equal(next(iter(loader)).n_id, first))

    def test_a_file_that_is_cut_is_an_error_of_a_batch(self):
        for workers in (0, 2):
            path = self.graph(name="cut%d.qrn" % workers).path
            gc.collect()
            child = os.fork()  # no process that has used what was cut may write an output
            if child == 0:
                os._exit(0 if self.fails_by_an_error(quern.open(path), workers) else 1)
            self.assertEqual(os.waitpid(child, 0)[1], 0)

    def fails_by_an_error(self, graph, workers):
        batches = iter(pyg.neighbor_loader(graph, [4], torch.arange(512), batch_size=8, num_workers=workers, read=workers > 0))
        next(batches)
        os.truncate(graph.path, 4096)
        try:
            list(batches)
        except OSError as problem:
            return "while it was in use" in str(problem)
        return False

    def test_refused(self):
        graph = self.graph()
        for nodes, message in (("nothing", "no property"), ("y", "not one of bool")):
            with self.assertRaisesRegex(quern.UsageError, message):
                pyg.neighbor_loader(graph, [2], nodes)
        with self.assertRaisesRegex(quern.UsageError, "subgraph_type"):
            pyg.Sampler(graph, [2], subgraph_type="induced")
        with self.assertRaisesRegex(quern.UsageError, "no property 'z'"):
            pyg.stores(graph, ["z"])


@cases
class Stores(_Cases):
    def test_edges_in_every_layout(self):
        graph = self.graph()
        store = pyg.GraphStore(graph)
        expected = sorted(map(tuple, graph.edge_index().T.tolist()))
        row, colptr, _ = store.csc()
        self.assertEqual(sorted(zip(row.tolist(), torch.arange(512).repeat_interleave(colptr.diff()).tolist())), expected)
        rowptr, col = store.get_edge_index(edge_type=None, layout="csr")
        self.assertEqual(sorted(zip(torch.arange(512).repeat_interleave(rowptr.diff()).tolist(), col.tolist())), expected)
        self.assertEqual(sorted(zip(*(ends.tolist() for ends in store.get_edge_index(edge_type=None, layout="coo")))), expected)
        with self.assertRaises(KeyError):
            store.get_edge_index(edge_type=("a", "b", "c"), layout="coo")

    def test_features(self):
        graph = self.graph()
        store = pyg.FeatureStore(graph)
        x = torch.from_numpy(graph.vertex_properties["x"].copy())
        for index in (torch.tensor([5, 3]), slice(2, 9), numpy.array([1]), torch.arange(512) < 7, None):
            self.assertTrue(torch.equal(store.get_tensor(group_name=None, attr_name="x", index=index), x if index is None else x[index]))
        self.assertEqual(store.get_tensor_size(group_name=None, attr_name="x"), (512, 16))
        store.put_tensor(torch.ones(512), group_name=None, attr_name="more", index=None)
        self.assertEqual(store.get_tensor(group_name=None, attr_name="more", index=torch.tensor([1])).tolist(), [1])
        self.assertNotIn("name", [attr.attr_name for attr in store.get_all_tensor_attrs()])

    def test_types(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            graph = quern.open(VECTOR)
            data = pyg.to_pyg(graph)
        store = pyg.GraphStore(graph)
        knows = ("Person", "KNOWS", "Person")
        self.assertEqual((data["Movie"].num_nodes, data["Person"].num_nodes), (3, 2))
        self.assertEqual(data[knows].edge_index.tolist(), [[0, 1], [1, 0]])
        for edge_type in graph.edge_types:
            index = data[edge_type].edge_index
            self.assertLess(int(index[0].max()), data[edge_type[0]].num_nodes)
            self.assertLess(int(index[1].max()), data[edge_type[2]].num_nodes)
            for layout in ("csr", "csc"):
                given = store.get_edge_index(edge_type=edge_type, layout=layout)
                pointer, others = given if layout == "csr" else given[::-1]
                centers = torch.arange(len(pointer) - 1).repeat_interleave(pointer.diff())
                pairs = zip(centers.tolist(), others.tolist()) if layout == "csr" else zip(others.tolist(), centers.tolist())
                self.assertEqual(sorted(pairs), sorted(map(tuple, index.T.tolist())))
        for workers in (0, 2):
            loader = pyg.neighbor_loader(graph, [-1], ("Movie", torch.tensor([0, 1, 2])), batch_size=3, num_workers=workers)
            batch = next(iter(loader))
            self.assertEqual(batch["Movie"].batch_size, 3)
            for edge_type in graph.edge_types:
                if edge_type[2] == "Movie":
                    ends = batch[edge_type[0]].n_id[batch[edge_type].edge_index[0]], batch["Movie"].n_id[batch[edge_type].edge_index[1]]
                    self.assertEqual(sorted(zip(*(end.tolist() for end in ends))), sorted(map(tuple, data[edge_type].edge_index.T.tolist())))
        loader = pyg.link_neighbor_loader(graph, [2], (knows, data[knows].edge_index), batch_size=2)
        self.assertEqual(next(iter(loader))[knows].edge_label_index.shape, (2, 2))
        with self.assertRaisesRegex(quern.UsageError, "not a vertex type 'Dog'"):
            pyg.neighbor_loader(graph, [2], "Dog")

    def test_there_and_back(self):
        for directed in (True, False):
            graph = self.graph(directed, "g%d.qrn" % directed)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                data = graph.to_pyg()
            self.assertIn("texts", str(caught[0].message))
            self.assertEqual(data.num_edges, graph.num_stored_edges)
            again = quern.from_pyg(data)
            self.assertTrue((again.row_offsets == graph.row_offsets).all() and (again.column_indices == graph.column_indices).all())
            self.assertTrue((again.vertex_properties["x"] == graph.vertex_properties["x"]).all())
            self.assertEqual(again.vertex_properties.types()["train_mask"], "bool")
        weighted = torch_geometric.data.Data(edge_index=torch.tensor([[0, 1], [2, 0]]), edge_weight=torch.tensor([.5, 2.]), num_nodes=4,
                                             edge_attr=torch.rand(2, 3))
        graph = quern.from_pyg(weighted)
        self.assertEqual((len(graph), list(graph.weights), graph.edge_properties.types()), (4, [.5, 2], {"edge_attr": "f32x3"}))
        self.assertTrue(torch.equal(graph.to_pyg().edge_weight, weighted.edge_weight))
        with self.assertRaisesRegex(quern.UsageError, "z: a property has numbers"):
            quern.from_pyg(torch_geometric.data.Data(edge_index=weighted.edge_index, num_nodes=3, z=torch.zeros(3, 2, 2)))
        with self.assertRaisesRegex(quern.UsageError, "not int"):
            quern.from_pyg(3)

    def test_types_there_and_back(self):
        data = torch_geometric.data.HeteroData()
        data["paper"].x, data["paper"].train_mask, data["author"].num_nodes = torch.rand(5, 3), torch.arange(5) < 2, 4
        data["author", "writes", "paper"].edge_index = torch.tensor([[0, 3, 3], [4, 0, 1]])
        data["author", "writes", "paper"].edge_attr = torch.rand(3, 2)
        data["paper", "cites", "paper"].edge_index = torch.tensor([[1, 0], [0, 1]])
        data["paper", "cites", "paper"].edge_weight = torch.tensor([1.5, 2])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", quern.QuernWarning)
            graph = quern.from_pyg(data, self.folder / "set")
            back = graph.to_pyg()
        self.assertEqual((back["author"].num_nodes, back["paper"].num_nodes), (4, 5))
        self.assertTrue(torch.equal(back["paper"].x, data["paper"].x) and torch.equal(back["paper"].train_mask, data["paper"].train_mask))
        for edge_type in data.edge_types:
            order = sorted(range(data[edge_type].num_edges), key=lambda i: data[edge_type].edge_index[:, i].tolist())
            self.assertTrue(torch.equal(back[edge_type].edge_index, data[edge_type].edge_index[:, order]))
        self.assertTrue(torch.equal(back["author", "writes", "paper"].edge_attr, data["author", "writes", "paper"].edge_attr))
        self.assertEqual(back["paper", "cites", "paper"].edge_weight.tolist(), [2, 1.5])
        batch = next(iter(pyg.neighbor_loader(graph, [-1, -1], ("paper", "train_mask"), batch_size=2)))
        self.assertTrue(torch.equal(batch["paper"].x, data["paper"].x[batch["paper"].n_id]))
        with self.assertRaisesRegex(quern.UsageError, "path= says where"):
            quern.from_pyg(data)


@cases
class Training(_Cases):
    def test_the_same_losses_as_in_memory(self):
        graph = self.graph()
        train, printed = runpy.run_path(str(SOURCE / "examples" / "python_graphsage.py"))["train"], []
        for in_memory in (False, True):
            with contextlib.redirect_stdout(io.StringIO()) as told, contextlib.redirect_stderr(io.StringIO()):
                train(graph, 4, in_memory)
            printed.append(told.getvalue())
        self.assertEqual(*printed)
        losses = [float(loss) for loss in re.findall(r"loss (\S+),", printed[0])]
        self.assertEqual(len(losses), 4)
        self.assertLess(losses[-1], .9 * losses[0])

    def test_the_recipe(self):
        """docs/training.md, from its heading on."""
        if importlib.util.find_spec("pyarrow") is None:
            self.skipTest("no pyarrow")
        text = (SOURCE / "docs/training.md").read_text().split("\n## From files to a model\n")[1]
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        names = {}
        for block in re.findall(r"(?ms)^```(?:python|py)\n(.*?)^```$", text.split("\n## ")[0]):
            exec(compile(block, "docs/training.md", "exec"), names)
        self.assertGreater(names["accuracy"], .9)
