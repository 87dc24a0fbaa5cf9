"""Single look-ups, in the user's ids, on every layout: against lists of Python."""

import random
import tempfile
import unittest
from pathlib import Path

from harness.package import needs, quern

try:
    import numpy as np
except ImportError:
    np = None

LAYOUTS = ("graph", "blocked-csr", "edge-partitions", "slotted-pages", "shards", "hybrid", "packed")


def edges_of(count, vertices, seed):
    chance = random.Random(seed)
    return [(chance.randrange(vertices) ** 2 // vertices, chance.randrange(vertices)) for _ in range(count)]


def named(form, vertex):
    return {"dense": vertex, "numbers": 2**40 + 7 * vertex, "strings": "v%03d" % vertex}[form]


@needs()
class Plain(unittest.TestCase):
    sanitized_tier = "long"

    def check(self, graph, edges, vertices, form):
        out, into = {}, {}
        for source, target in edges:
            out.setdefault(source, []).append(target)
            into.setdefault(target, []).append(source)
        ids = [named(form, vertex) for vertex in range(vertices)]
        self.assertEqual((len(graph), graph.num_stored_edges, list(graph)), (vertices, len(edges), ids))
        for vertex in range(0, vertices, 3):
            self.assertEqual(graph.neighbors(ids[vertex]).tolist(), [ids[end] for end in sorted(out.get(vertex, []))])
            self.assertEqual(graph.in_neighbors(ids[vertex]).tolist(), [ids[end] for end in sorted(into.get(vertex, []))])
            self.assertEqual((graph.out_degree(ids[vertex]), graph.in_degree(ids[vertex])),
                             (len(out.get(vertex, [])), len(into.get(vertex, []))))
        present = set(edges)
        for source, target in [*edges[:30], *edges_of(50, vertices, 9)]:
            self.assertEqual(graph.has_edge(ids[source], ids[target]), (source, target) in present)
        whole = [len(out.get(vertex, [])) + (len(into.get(vertex, [])) if graph.directed else 0) for vertex in range(vertices)]
        self.assertEqual(graph.degree().tolist(), whole)
        self.assertEqual(graph.degree(ids[::-1]).tolist(), whole[::-1])
        self.assertEqual(graph.degree(ids[-1]), whole[-1])

    def test_every_layout_and_form_of_ids(self):
        edges = edges_of(400, 60, 1) + [(v, v) for v in range(60)]
        for form in "dense", "numbers", "strings":
            ends = [[named(form, edge[end]) for edge in edges] for end in (0, 1)]
            graph = quern.from_arrays(*ends)
            for layout in LAYOUTS:
                with self.subTest(layout=layout, form=form):
                    self.check(graph if layout == "graph" else graph.build(layout), edges, 60, form)

    def test_undirected(self):
        edges = [(0, 1), (1, 2), (2, 2), (0, 3)]
        graph = quern.from_arrays(*zip(*edges), directed=False)
        self.assertEqual((graph.num_edges, graph.num_stored_edges), (4, 7))
        self.check(graph, sorted({(*edge,) for pair in edges for edge in (pair, pair[::-1])}), 4, "dense")
        with tempfile.TemporaryDirectory() as folder:
            other = graph.transform(Path(folder) / "g.qrn", remove_self_loops=True)
            self.assertEqual((other.num_edges, other.num_stored_edges), (3, 6))
        parts = graph[["0", 2, 2.0, 3]]
        self.assertEqual((parts.num_edges, parts.num_stored_edges, parts.ids.tolist()), (2, 3, [0, 2, 3]))

    def test_ids_that_do_not_ascend(self):
        for names in ([50, 10, 40, 20], ["d", "a", "c", "b"]):
            graph = quern.from_arrays([0, 1, 2], [1, 2, 3], ids=names)
            self.assertEqual([graph.find(name) for name in names], [0, 1, 2, 3])
            self.assertEqual(graph.neighbors(names[1]).tolist(), names[2:3])
            self.assertEqual(graph.find(names[::-1]).tolist(), [3, 2, 1, 0])
            self.assertNotIn("zz" if names[0] == "d" else 30, graph)

    def test_many_at_once(self):
        count = 200000
        graph = quern.from_arrays(np.arange(count, dtype="u8") * 3 + 5, np.full(count, 5, "u8"))
        asked = np.random.default_rng(1).permutation(count) * 3 + 5
        self.assertEqual(graph.find(asked).tolist(), ((asked - 5) // 3).tolist())
        self.assertTrue((graph.out_degree(asked.astype("f8")) == 1).all())
        self.assertEqual(graph.in_degree(5), count)
        with self.assertRaisesRegex(quern.UsageError, "no vertex has the id '6'"):
            graph.find(np.append(asked, 6))

    def test_what_is_not_there(self):
        graphs = [quern.from_arrays([0, 1], [1, 2]), quern.from_arrays([5, 7], [7, 9]), quern.from_arrays(["a", "b"], ["b", "c"])]
        for graph in graphs:
            for none in (-1, 2**32, 2**70, 1.5, float("nan"), float("inf"), None, True, "", "a\0b", b"x\0", "nobody", "\ud800", (), object()):
                with self.subTest(graph=graph, none=none):
                    self.assertNotIn(none, graph)
                    self.assertFalse(graph.has_edge(none, none))
                    for call in graph.neighbors, graph.in_neighbors, graph.find:
                        if none != () or call != graph.find:
                            with self.assertRaisesRegex(quern.UsageError, "no vertex has the id"):
                                call(none)
            for none in ([-1], [2**64 - 1], np.array([0.5]), np.array([np.nan]), ["nobody"], ["a\0"], [None], [True]):
                with self.subTest(graph=graph, none=none), self.assertRaisesRegex(quern.UsageError, "no vertex has the id|is not a vertex"):
                    graph.degree(none)
            self.assertEqual(graph.degree([]).tolist(), [])
            with self.assertRaisesRegex(quern.UsageError, "one dimension"):
                graph.degree(np.zeros((2, 2), "u4"))

    def test_of_nothing(self):
        graph = quern.from_arrays([], [])
        self.assertTrue(graph)
        self.assertEqual((len(graph), list(graph), graph.num_edges, graph.degree().tolist(), list(graph.edge_blocks())), (0, [], 0, [], []))
        self.assertNotIn(0, graph)
        self.assertEqual(len(graph[:]), 0)
        self.assertIn("<th>edges</th><td>0</td>", graph._repr_html_())

    def test_closed(self):
        graph = quern.from_arrays([0], [1])
        self.assertEqual(graph.neighbors(0).tolist(), [1])
        graph.close()
        for call in lambda: graph.neighbors(0), lambda: graph.degree(0), lambda: graph.has_edge(0, 1), lambda: graph.subgraph([0]):
            with self.assertRaisesRegex(quern.UsageError, "closed"):
                call()
        self.assertIn("closed", graph._repr_html_())


@needs()
class Forged(unittest.TestCase):
    """Nothing is checked before it is looked at, and nothing outside of the file is looked at."""

    sanitized_tier = "long"

    def test_rows_and_columns(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "g.qrn"
            graph = quern.from_arrays(np.array([10, 20, 30], "u8"), np.array([20, 30, 10], "u8"), path=path)
            data = path.read_bytes()
            for name, value in ("row_offsets", 2**62), ("row_offsets", 3), ("column_indices", 2**31):
                section = bytes(graph.arrays[name].tobytes())
                width = graph.arrays[name].itemsize
                forged = value.to_bytes(width, "little")
                at = data.index(section) + width
                path.unlink()
                path.write_bytes(data[:at] + forged + data[at + width:])
                with self.subTest(name=name, value=value), quern.open(path) as other:
                    try:
                        self.assertLessEqual(len(other.neighbors(20)), 3)
                    except quern.InvalidError as error:
                        self.assertIn("damaged", str(error))
                    other.has_edge(20, 30)
                    if name == "row_offsets" and value == 2**62:
                        with self.assertRaisesRegex(quern.InvalidError, "does not lie within the graph"):
                            other.out_degree([20])

    def test_ids(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "g.qrn"
            graph = quern.from_arrays(["ann", "bob"], ["bob", "cid"], path=path)
            data = path.read_bytes()
            at = data.index(graph.arrays["id_offsets"].tobytes()) + 8
            path.unlink()
            path.write_bytes(data[:at] + (2**62).to_bytes(8, "little") + data[at + 8:])
            with self.assertRaises(quern.InvalidError):
                "bob" in quern.open(path)


@needs()
class Tables(unittest.TestCase):
    sanitized_tier = "long"

    def test_blocks_and_tables(self):
        graph = quern.from_arrays(["a", "b", "b", "c"], ["b", "c", "c", "a"], np.array([1, 2, 3, 4], "u4"))
        found = [tuple(map(list, block)) for block in graph.edge_blocks(3)]
        self.assertEqual(found, [(["a", "b", "b"], ["b", "c", "c"], [1, 2, 3]), (["c"], ["a"], [4])])
        self.assertEqual([block[0].tolist() for block in graph.edge_blocks(ids=False)], [[0, 1, 1, 2]])
        with self.assertRaisesRegex(quern.UsageError, "no number of edges"):
            next(graph.edge_blocks(0))

    def test_slices_and_parts(self):
        graph = quern.from_arrays([10, 20, 30, 40], [20, 30, 40, 10], np.array([1, 2, 3, 4], "u4"))
        for part in graph[1:3], graph[[30, 20]], graph[np.array([False, True, True, False])], graph.subgraph([20, 30, 30]):
            self.assertEqual((part.ids.tolist(), part.weights.tolist(), part.neighbors(20).tolist()), ([20, 30], [2], [30]))
        self.assertEqual(graph[::2].num_edges, 0)
        with self.assertRaisesRegex(TypeError, r"graph.neighbors\(20\)"):
            graph[20]
        for wrong in ([50], np.array([True]), np.zeros((2, 2))):
            with self.subTest(wrong), self.assertRaises(quern.UsageError):
                graph[wrong]
        with self.assertRaisesRegex(quern.UsageError, "said twice"):
            graph.subgraph([10], kcore=1)
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(graph.subgraph([10, 20], Path(folder) / "g.qrn", symmetrize=True).num_edges, 1)


@needs("pandas", "pyarrow")
class Frames(unittest.TestCase):
    sanitized_tier = "long"

    def rows(self, table):
        return list(table.to_pandas().itertuples(index=False, name=None))

    def test_edges_of_vertices(self):
        directed = quern.from_arrays(["a", "b", "b", "c"], ["b", "c", "a", "a"])
        self.assertEqual(self.rows(directed.edges("b")), [("b", "a"), ("b", "c")])
        self.assertEqual(self.rows(directed.edges(["c", "a"])), [("c", "a"), ("a", "b")])
        self.assertEqual(len(directed.edges(["c", "a"])), 2)
        undirected = quern.from_arrays([1, 2], [2, 3], np.array([5, 6], "u4"), directed=False)
        self.assertEqual(self.rows(undirected.edges()), [(1, 2, 5), (2, 3, 6)])
        self.assertEqual(self.rows(undirected.edges(2)), [(2, 1, 5), (2, 3, 6)])
        self.assertEqual(list(undirected.to_pandas().itertuples(index=False, name=None)), [(1, 2, 5), (2, 3, 6)])

    def test_a_hub_beside_small_rows(self):
        count = 400000
        graph = quern.from_arrays(np.r_[np.zeros(count, "u4"), [1, 2]], np.r_[np.arange(count, dtype="u4"), [2, 1]])
        found = graph.edges([2, 0, 1]).to_pandas()
        self.assertEqual((len(found), found["target"].iloc[0], found["target"].iloc[-1]), (count + 2, 1, 2))
