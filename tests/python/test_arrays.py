"""Graphs from arrays: every type of ids and weights, and what is refused, against a sort by NumPy."""

import os
import random
import tempfile
import unittest
from pathlib import Path

from harness.package import needs, quern
from harness.tools import run

try:
    import numpy as np
except ImportError:
    np = None


def rows_by_numpy(source, target, weights, num_vertices):
    """Row offsets, columns and weights of a stable sort."""
    order = np.lexsort((target, source))
    offsets = np.concatenate([[0], np.cumsum(np.bincount(source, minlength=num_vertices))])
    return offsets, target[order], None if weights is None else weights[order]


class _Arrays(unittest.TestCase):
    def agrees(self, graph, source, target, weights=None, num_vertices=None):
        source, target = np.asarray(source, "i8"), np.asarray(target, "i8")
        num_vertices = graph.num_vertices if num_vertices is None else num_vertices
        offsets, columns, values = rows_by_numpy(source, target, None if weights is None else np.asarray(weights), num_vertices)
        self.assertEqual(graph.num_vertices, num_vertices)
        self.assertEqual(graph.num_edges, len(source))
        self.assertEqual(graph.row_offsets.tolist(), offsets.tolist())
        self.assertEqual(graph.column_indices.tolist(), columns.tolist())
        if weights is None:
            self.assertIsNone(graph.weights)
        else:
            self.assertEqual(graph.weights.tolist(), values.tolist())


@needs()
class Ids(_Arrays):
    def test_every_type(self):
        rng = np.random.default_rng(1)
        source, target = rng.integers(0, 100, 1000), rng.integers(0, 100, 1000)
        source[:100], target[:100] = np.arange(100), np.arange(100)[::-1]
        for first in ("u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", ">u4", ">i8"):
            for second in (first, "i8", "u8"):
                with self.subTest(first=first, second=second):
                    self.agrees(quern.from_arrays(source.astype(first), target.astype(second)), source, target, num_vertices=100)

    def test_layouts_in_memory(self):
        """Columns of a table, every other element, backwards, read-only."""
        pairs = np.array([[3, 1], [0, 2], [2, 2], [3, 0], [1, 3]], "i8")
        self.agrees(quern.from_arrays(pairs[:, 0], pairs[:, 1]), pairs[:, 0], pairs[:, 1])
        self.agrees(quern.from_arrays(pairs[::-1, 0], pairs[::-1, 1]), pairs[::-1, 0], pairs[::-1, 1])
        self.agrees(quern.from_arrays(pairs[::2, 0], pairs[::2, 1], num_vertices=4), pairs[::2, 0], pairs[::2, 1], num_vertices=4)
        pairs.flags.writeable = False
        self.agrees(quern.from_arrays(*pairs.T), *pairs.T)
        self.agrees(quern.from_arrays([3, 0], (1, 2)), [3, 0], [1, 2])

    def test_large_ids_are_kept_as_numbers(self):
        ids = np.array([2**32 - 1, 2**63 - 1, 5, 2**40], "u8")
        graph = quern.from_arrays(ids[[0, 1, 2]], ids[[1, 3, 0]])
        self.assertEqual(graph.id_form, "numbers")
        self.assertEqual(graph.ids.tolist(), sorted(ids.tolist()))
        found = [(int(graph.ids[s]), int(graph.ids[t])) for s, t in zip(graph.sources(), graph.column_indices)]
        self.assertEqual(sorted(found), sorted(zip(ids[[0, 1, 2]].tolist(), ids[[1, 3, 0]].tolist())))
        self.assertEqual(graph.find(2**40), graph.ids.tolist().index(2**40))
        with self.assertRaises(quern.QuernError):
            quern.from_arrays(ids[:1], ids[1:2], ids="keep")

    def test_texts(self):
        source, target = ["b", "a", "Zürich", "a"], ["a", "a", "b", "日本"]
        for kind in (list, np.array, lambda texts: np.array(texts, object)):
            graph = quern.from_arrays(kind(source), kind(target), [1, 2, 3, 4])
            self.assertEqual(graph.id_form, "strings")
            self.assertEqual(graph.ids.tolist(), sorted(set(source + target), key=str.encode))
            ids = graph.ids
            found = sorted(zip(ids[graph.sources()], ids[graph.column_indices], graph.weights.tolist()))
            self.assertEqual(found, sorted(zip(source, target, [1, 2, 3, 4])))

    def test_names_of_vertices(self):
        graph = quern.from_arrays([0, 2], [2, 2], ids=["x", "\udcff", "a b"])
        self.assertEqual(graph.ids.tolist(), ["x", "\udcff", "a b"])
        self.agrees(graph, [0, 2], [2, 2], num_vertices=3)
        self.assertEqual(graph.find(["a b", "x"]).tolist(), [2, 0])
        graph = quern.from_arrays([0], [1], ids=np.array([2**63, 7, 0], "u8"))
        self.assertEqual(graph.ids.tolist(), [2**63, 7, 0])
        for ids, kind in (([1, 1], quern.InvalidError), (["a", "a"], quern.InvalidError), (["a", "b\n"], quern.InvalidError),
                          (["a", ""], quern.InvalidError), ([1, -1], quern.InvalidError), ([1.5, 2], quern.InvalidError),
                          (["a"], quern.InvalidError)):
            with self.subTest(ids=ids), self.assertRaises(kind):
                quern.from_arrays([0], [1], ids=ids)

    def test_no_vertices_no_edges(self):
        for weights in (None, [], np.empty(0, "f8")):
            graph = quern.from_arrays([], [], weights)
            self.assertEqual((graph.num_vertices, graph.num_edges), (0, 0))
            self.assertEqual(graph.row_offsets.tolist(), [0])
            self.assertEqual(graph.edge_index().shape, (2, 0))
        graph = quern.from_arrays([], [], num_vertices=5)
        self.assertEqual((graph.num_vertices, graph.row_offsets.tolist(), graph.ids.tolist()), (5, [0] * 6, list(range(5))))
        self.assertEqual(graph.in_row_offsets.tolist(), [0] * 6)

    def test_loops_parallel_edges_and_options(self):
        source, target, weights = [0, 0, 0, 1, 1], [1, 1, 0, 1, 0], [5, 3, 2, 1, 9]
        self.agrees(quern.from_arrays(source, target, weights), source, target, weights)
        graph = quern.from_arrays(source, target, weights, self_loops="remove", duplicates="sum")
        self.agrees(graph, [0, 1], [1, 0], [8, 9])
        graph = quern.from_arrays(source, target, weights, directed=False, duplicates="min")
        self.assertFalse(graph.directed)
        self.assertEqual(sorted(zip(graph.sources(), graph.column_indices, graph.weights)),
                         [(0, 0, 2), (0, 1, 3), (1, 0, 3), (1, 1, 1)])
        self.assertTrue(quern.from_arrays(source, target, transpose="also").has_in_edges)

    def test_what_is_refused(self):
        cases = [(([0, -1], [0, 1]), quern.InvalidError), (([0, 1], [0]), quern.UsageError),
                 (([[0], [1]], [[0], [1]]), quern.UsageError), (([0.5, 1.0], [1, 0]), quern.InvalidError),
                 ((["a"], [0]), quern.UsageError), (([True], [False]), quern.UsageError),
                 ((np.array([2**63], "u8"), np.array([-1], "i8")), quern.InvalidError)]
        for arrays, kind in cases:
            with self.subTest(arrays=arrays), self.assertRaises(kind):
                quern.from_arrays(*arrays)
        with self.assertRaisesRegex(quern.InvalidError, "3"):
            quern.from_arrays([0, 3], [1, 1], num_vertices=3)
        with self.assertRaisesRegex(quern.UsageError, "self-loops"):
            quern.from_arrays([0], [1], self_lops="remove")
        with self.assertRaises(quern.UsageError):
            quern.from_arrays([0], [1], self_loops="maybe")
        with self.assertRaises(quern.UsageError):
            quern.from_arrays([0], [1], memory="much")


@needs()
class Weights(_Arrays):
    def test_every_type(self):
        source, target = np.arange(200) % 7, np.arange(200) % 5
        whole = np.arange(200) % 100
        for dtype in ("u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", ">i4", "f4", "f8", ">f8"):
            with self.subTest(dtype=dtype):
                graph = quern.from_arrays(source, target, whole.astype(dtype), num_vertices=7)
                self.agrees(graph, source, target, whole)
                self.assertEqual(graph.weight_dtype, np.dtype("f4" if "f" in dtype else "u4"))
        graph = quern.from_arrays(source, target, whole / 4)
        self.assertEqual(graph.weight_dtype, np.dtype("f4"))
        self.agrees(graph, source, target, whole / 4)
        graph = quern.from_arrays(source, target, whole - 50)
        self.assertEqual(graph.weight_dtype, np.dtype("i8"))
        self.agrees(graph, source, target, whole - 50)
        self.agrees(quern.from_arrays([0, 1], [1, 0], [True, False]), [0, 1], [1, 0], [1, 0])

    def test_nothing_is_taken_for_what_it_is_not(self):
        masked = np.ma.array([1, 0], mask=[False, True])
        for given in ((masked, [1, 0]), ([0, 1], [1, 0], masked), (["a", None], ["b", "c"]), (["a", 1], ["b", "c"]),
                      (np.array(["a", np.nan], object), ["b", "c"]), ([b"a"], [b"b"])):
            with self.subTest(given=given), self.assertRaises((quern.UsageError, quern.InvalidError)):
                quern.from_arrays(*given)
        for ids in ["a", None], ["a", 1], np.array([None, None]):
            with self.subTest(ids=ids), self.assertRaises((quern.UsageError, quern.InvalidError)):
                quern.from_arrays([0], [1], ids=ids)
        with self.assertRaisesRegex(quern.InvalidError, "entry 1 .*NUL"):
            quern.from_arrays(["a", "a\0"], ["b", "c"])
        self.agrees(quern.from_arrays(np.ma.array([0, 1]), [1, 0]), [0, 1], [1, 0])

    def test_what_u32_and_f32_cannot_hold(self):
        for weights, kept in (([2**24 + 1, -1], "i8"), ([2**53 - 1, -1], "i8"), ([2**24 + 1, 0.5], "f8"), ([1e300, 1], "f8")):
            with self.subTest(weights=weights):
                graph = quern.from_arrays([0, 1], [1, 0], weights)
                self.assertEqual(graph.weight_dtype, np.dtype(kept))
                self.assertEqual(graph.weights.tolist(), weights)
        graph = quern.from_arrays([0, 1], [1, 0], [2**24 + 1, -1], narrow_weights=True)
        self.assertEqual(graph.weights.tolist(), [2**24, -1])
        for weights in ([np.nan, 1], [np.inf, 1], [1, -np.inf]):
            with self.subTest(weights=weights), self.assertRaises(quern.InvalidError):
                quern.from_arrays([0, 1], [1, 0], weights)

    def test_what_is_refused(self):
        with self.assertRaises(quern.UsageError):
            quern.from_arrays([0, 1], [1, 0], [1])
        with self.assertRaises(quern.UsageError):
            quern.from_arrays([0, 1], [1, 0], ["a", "b"])
        with self.assertRaises(quern.UsageError):
            quern.from_arrays([0, 1], [1, 0], np.array([1, 1j]))


@needs()
class Files(_Arrays):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def test_random_graphs_in_files_and_in_memory(self):
        rng = np.random.default_rng(random.randrange(2**32))
        for case in range(8):
            vertices, edges = int(rng.integers(1, 300)), int(rng.integers(0, 3000))
            # Skewed degrees: most ends are small.
            source, target = ((rng.random((2, edges)) ** 3 * vertices).astype("u4"))
            weights = rng.integers(0, 2**32, edges, dtype="u4") if case % 2 else None
            with self.subTest(case=case):
                graphs = [quern.from_arrays(source, target, weights, num_vertices=vertices, threads=threads, path=path,
                                            memory=memory, tmpdir=self.folder)
                          for threads, path, memory in ((1, None, None), (2, self.folder / ("g%d.qrn" % case), None),
                                                        (2, self.folder / ("m%d.qrn" % case), "64M"))]
                for graph in graphs:
                    self.agrees(graph, source, target, weights, vertices)
                graphs[0].verify()
                graphs[0].save(self.folder / ("s%d.qrn" % case))
                self.assertEqual((self.folder / ("s%d.qrn" % case)).read_bytes(), (self.folder / ("g%d.qrn" % case)).read_bytes())

    def test_a_file_that_exists(self):
        path = self.folder / "a b\udcff.qrn"
        quern.from_arrays([0], [1], path=path)
        before = os.stat(os.fsencode(path)).st_ino
        with self.assertRaises(quern.UsageError):
            quern.from_arrays([1], [1], path=path)
        self.assertEqual(os.stat(os.fsencode(path)).st_ino, before)
        self.agrees(quern.from_arrays([1, 0], [1, 0], path=path, force=True), [1, 0], [1, 0])
        self.agrees(quern.open(path, verify=True), [1, 0], [1, 0])
        with self.assertRaises(OSError):
            quern.from_arrays([0], [1], path=self.folder / "none/g.qrn")
        self.assertEqual(len(list(self.folder.iterdir())), 1)


@needs()
class Generated(unittest.TestCase):
    def test_the_graphs_of_the_tool(self):
        cases = [("rmat", {"degree": 8, "seed": 7, "weights": (1, 9)}, ["--degree", "8", "--seed", "7", "--weights", "1,9"]),
                 ("uniform", {"directed": False, "self_loops": "remove", "duplicates": "remove"},
                  ["--undirected", "--self-loops=remove", "--duplicates=remove"]),
                 ("grid", {"permute": True, "degree": 8}, ["--permute=yes", "--degree", "8"]),
                 ("rmat", {"probabilities": (0.4, 0.3, 0.2), "transpose": "also", "memory": "64M"},
                  ["--probabilities", "0.4,0.3,0.2", "--transpose=also"])]
        with tempfile.TemporaryDirectory() as folder:
            for model, options, arguments in cases:
                with self.subTest(model, **{name: str(value) for name, value in options.items()}):
                    tool, ours = Path(folder) / "tool.qrn", Path(folder) / "ours.qrn"
                    run("quern-generate", model, "--scale", "9", *arguments, "-q", "-f", "-o", tool)
                    in_file = quern.generate(model, 9, path=ours, force=True, **options)
                    in_memory, expected = quern.generate(model, 9, **options), quern.open(tool)
                    in_file.verify()
                    self.assertIsNone(in_memory.path)
                    self.assertEqual(in_memory.identity, in_file.identity)
                    self.assertEqual(in_memory.directed, expected.directed)
                    for name, array in expected.arrays.items():
                        if name != "metadata":  # which names the tool
                            np.testing.assert_array_equal(in_file.arrays[name], array, name)

    def test_what_is_refused(self):
        for model, scale, options, says in (("tree", 4, {}, "rmat"), ("rmat", 40, {}, "scale"), ("grid", 4, {"degree": 5}, "4"),
                                            ("rmat", 4, {"weights": "x"}, "weights"), ("rmat", 4, {"sead": 3}, "seed"),
                                            ("rmat", 4, {"probabilities": (1, 2)}, "three numbers")):
            with self.subTest(model, scale=scale, **options), self.assertRaisesRegex(quern.UsageError, says):
                quern.generate(model, scale, **options)
