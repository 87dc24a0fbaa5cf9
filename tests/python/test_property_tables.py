"""Properties from tables and other libraries, and back."""

import os
import tempfile
import unittest
from pathlib import Path

from harness.package import needs, quern
from harness.tools import run

try:
    import numpy as np
    import pyarrow
    import pyarrow.parquet
except ImportError:
    pyarrow = None  # their tests are skipped


def rows_of(table):
    return pyarrow.table(table).to_pylist()


class _Scratch(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        os.chdir(self.folder)


@needs("pyarrow")
class Columns(_Scratch):
    def setUp(self):
        super().setUp()
        self.edges = pyarrow.table({
            "src": [10, 20, 20, 30], "dst": [20, 30, 30, 10], "w": [1.5, 2.5, 0.5, 3.5],
            "since": pyarrow.array([1, None, 3, -4], "i2"), "many": pyarrow.array([2**64 - 1, 0, None, 1], "u8"),
            "few": pyarrow.array([255, 0, 1, 2], "u1"), "text": ["a", None, "ü", ""], "yes": [True, None, False, True],
            "kind": pyarrow.array(["x", "y", "x", None]).dictionary_encode(), "real": pyarrow.array([0.1, None, 1e30, -0.0], "f4"),
            "none": pyarrow.nulls(4)})
        self.vertices = pyarrow.table({"name": ["c", "a", None], "id": [30, 10, 99], "age": pyarrow.array([3, None, 9], "i1")})

    def expect(self, graph):
        graph.verify()
        self.assertEqual(graph.edge_properties.types(), {
            "since": "i16", "many": "u64", "few": "u8", "text": "string", "yes": "bool", "kind": "string", "real": "f32",
            "none": "string"})
        self.assertEqual(graph.vertex_properties.types(), {"name": "string", "age": "i8"})
        wanted = [{"source" if name == "src" else "target" if name == "dst" else "weight" if name == "w" else name: value
                   for name, value in row.items()} for row in self.edges.to_pylist()]
        self.assertEqual(rows_of(graph.edges(ids=True)), wanted)
        self.assertEqual([(row["id"], row["name"], row["age"]) for row in rows_of(graph.vertices())],
                         [(10, "a", None), (20, None, None), (30, "c", 3), (99, None, 9)])

    def test_every_type(self):
        for edges in self.edges, self.edges.to_reader(), self.edges.to_reader(1), self.edges.slice(0, 9):
            self.expect(quern.from_arrow(edges, "src,dst,w", properties=True, vertices=self.vertices))
        shifted = pyarrow.concat_tables([self.edges.slice(3), self.edges]).slice(1)  # bitmaps that do not begin at a byte
        self.expect(quern.from_arrow(shifted, "src,dst,w", properties=True, vertices=self.vertices))
        self.expect(quern.from_arrow(self.edges, "src,dst,w", properties=True, vertices=self.vertices, path="g.qrn"))
        run("quern-verify", "g.qrn")

    def test_names_that_are_chosen(self):
        for properties in "since,text", ["since", "text"]:
            graph = quern.from_arrow(self.edges, "src,dst", properties=properties)
            self.assertEqual(list(graph.edge_properties), ["since", "text"])
        self.assertEqual(len(quern.from_arrow(self.edges, "src,dst,w").edge_properties), 0)
        self.assertEqual(quern.from_arrow(self.edges, "src,dst,w", properties=["few"]).info()["properties"]["weight"], "w")
        self.assertEqual(pyarrow.table(graph.edges(properties=["text"])).column_names, ["source", "target", "text"])
        self.assertEqual(pyarrow.table(graph.edges(properties=False)).column_names, ["source", "target"])

    def test_files(self):
        pyarrow.parquet.write_table(self.edges, "e.parquet", row_group_size=3)
        pyarrow.parquet.write_table(self.vertices, "v.parquet")
        self.expect(quern.read_parquet("e.parquet", "src,dst,w", properties=True, vertices="v.parquet"))
        done = run("quern-import", "e.parquet", "--columns", "src,dst,w", "--properties", "all", "--vertices", "v.parquet", "-o", "g.qrn")
        self.assertIn("4 vertices, 4 edges", done.stdout)
        graph = quern.open("g.qrn", verify=True)
        self.expect(graph)
        self.assertIn("vertices", run("quern-export", "g.qrn", "--format", "parquet", "-o", "o.parquet").stderr)
        run("quern-export", "g.qrn", "--strict", "--format", "parquet", "-o", "s.parquet", exit=4)
        with self.assertWarnsRegex(quern.QuernWarning, "properties of vertices"):
            graph.export("o.arrow")
        for name, read in ("o.parquet", quern.read_parquet), ("o.arrow", quern.read_arrow):
            self.expect(read(name, properties=True, vertices=self.vertices))
        with pyarrow.ipc.new_stream("e.arrows", self.edges.schema) as writer:
            writer.write_table(self.edges, 3)
        with open("e.arrows", "rb") as stream:
            self.expect(quern.read_arrow(stream, "src,dst,w", properties=True, vertices=self.vertices))

    def test_what_is_refused(self):
        table, vertices = self.edges, self.vertices
        null_id = pyarrow.table({"id": [10, None]})
        for kind, given in (
                (quern.UsageError, dict(properties="nothing")), (quern.UsageError, dict(properties=["src"])),
                (quern.UsageError, dict(properties=True, duplicates="sum")), (quern.UsageError, dict(id="id")),
                (quern.UsageError, dict(rows=True)), (quern.UsageError, dict(vertices=vertices, num_vertices=100)),
                (quern.UsageError, dict(vertices=vertices.select(["age"]))), (quern.UsageError, dict(vertices=vertices, id="none")),
                (quern.InvalidError, dict(vertices=null_id)), (quern.InvalidError, dict(vertices=vertices, id="name")),
                (quern.InvalidError, dict(vertices=pyarrow.table({"id": [10, 10]}))),
                (quern.InvalidError, dict(vertices=pyarrow.table({"id": [10, -1]}))),
                (quern.InvalidError, dict(vertices=vertices, rows=True)),
                (quern.InvalidError, dict(vertices=pyarrow.table({"id": [.5]})))):
            with self.subTest(given=given), self.assertRaises(kind):
                quern.from_arrow(table, "src,dst,w", path="no.qrn", **given)
        for column in pyarrow.array([b"\xff"] * 4), pyarrow.array(["\0"] * 4):
            with self.subTest(column=column), self.assertRaises((quern.UnsupportedError, quern.InvalidError)):
                quern.from_arrow(table.select(["src", "dst"]).append_column("x", column), properties=True, path="no.qrn")
        twice = pyarrow.table([[1], [2], [3], [4]], ["src", "dst", "x", "x"])
        self.assertRaises(quern.InvalidError, quern.from_arrow, twice, properties=True)
        self.assertFalse(os.path.exists("no.qrn"))
        graph = quern.from_arrow(table.select(["src", "dst"]).append_column("source", [[1, 2, 3, 4]]), "src,dst", properties=True)
        self.assertRaises(quern.UsageError, graph.edges)

    def test_nothing(self):
        edges, vertices = self.edges.slice(0, 0), self.vertices.slice(0, 0)
        graph = quern.from_arrow(edges, "src,dst,w", properties=True, vertices=vertices)
        graph.verify()
        self.assertEqual((graph.num_vertices, len(graph.edge_properties), len(graph.vertex_properties)), (0, 8, 2))
        for given in {"num_vertices": 3}, {"vertices": 3}:
            self.assertEqual(quern.from_arrow(edges, "src,dst", **given).num_vertices, 3)
        graph = quern.from_arrow(edges, "src,dst,w", vertices=self.vertices)
        self.assertEqual(graph.ids.tolist(), [10, 30, 99])

    def test_rows_are_ends(self):
        ends = pyarrow.table({"src": [0, 1, 1], "dst": [2, 0, 0], "p": ["a", "b", "c"]})
        for ids in [5, 7, 6], [0, 1, 2], ["x", "y", "a"]:
            graph = quern.from_arrow(ends, properties=True, vertices=pyarrow.table({"x": [.5, .25, 1], "id": ids}), rows=True)
            graph.verify()
            self.assertEqual((graph.ids.tolist(), graph.vertex_properties["x"].tolist()), (ids, [.5, .25, 1]))
            self.assertEqual([(row["source"], row["p"]) for row in rows_of(graph.edges(ids=False))], [(0, "a"), (1, "b"), (1, "c")])


@needs("pyarrow")
class Random(unittest.TestCase):
    def check(self, texts):
        rng, count = np.random.default_rng(9), 20000
        source, target, weight = *rng.integers(0, 3000, (2, count)) * 7, rng.random(count)
        ends = [list(map(str, end)) if texts else end for end in (source, target)]
        table = pyarrow.table({"s": ends[0], "d": ends[1], "w": weight, "row": np.arange(count), "text": list(map(str, range(count)))})
        for given in {}, {"directed": False}, {"duplicates": "remove"}, {"self_loops": "remove"}, {"memory": "64M"}, {"transpose": "also"}:
            with self.subTest(given=given, texts=texts):
                graph = quern.from_arrow(table, "s,d,w", properties=True, progress=False, **given)
                graph.verify()
                plain = quern.from_arrow(table, "s,d,w", progress=False, **given)
                self.assertEqual(graph.column_indices.tobytes(), plain.column_indices.tobytes())
                found = pyarrow.table(graph.edges(ids=True, both_directions=True))
                row, one, two = (found[name].to_numpy().astype("i8") for name in ("row", "source", "target"))
                there = (one == source[row]) & (two == target[row])
                back = (one == target[row]) & (two == source[row])
                self.assertTrue((there if graph.directed else there | back).all())
                self.assertEqual(found["weight"].to_numpy().tobytes(), weight[row].tobytes())
                self.assertEqual(found["text"].to_pylist(), list(map(str, row)))

    def test_numbers(self):
        self.check(False)

    def test_texts(self):
        self.check(True)


@needs("pyarrow", "networkx")
class Libraries(unittest.TestCase):
    def graph(self, directed=True):
        table = pyarrow.table({"a": ["x", "y"], "b": ["y", "z"], "p": [1, None], "t": ["é", ""], "f": [True, False]})
        return quern.from_arrow(table, "a,b", properties=True, directed=directed,
                                vertices=pyarrow.table({"id": ["q", "y"], "k": [7, 8], "r": [.5, None]}))

    def same(self, one, other):
        self.assertEqual((one.directed, rows_of(one.edges(ids=True)), rows_of(one.vertices())),
                         (other.directed, rows_of(other.edges(ids=True)), rows_of(other.vertices())))

    def test_networkx(self):
        for directed in True, False:
            graph = self.graph(directed)
            found = graph.to_networkx()
            self.assertEqual(dict(found.nodes(data=True)), {"q": {"k": 7, "r": .5}, "x": {}, "y": {"k": 8}, "z": {}})
            self.assertEqual(found.edges["x", "y"], {"p": 1, "t": "é", "f": True})
            self.assertEqual(found.edges["y", "z"], {"t": "", "f": False})
            self.same(quern.from_networkx(found), graph)
        self.assertEqual(list(graph.to_networkx(properties=False).edges(data=True)), [("x", "y", {}), ("y", "z", {})])
        self.assertEqual(list(quern.from_networkx(found, properties=["t"]).edge_properties), ["t"])
        found.edges["x", "y"]["list"] = ["a"]
        self.assertRaisesRegex(quern.UsageError, "list", quern.from_networkx, found)
        self.assertEqual(len(quern.from_networkx(found, properties=False).edge_properties), 0)

    def test_weights_and_numbers(self):
        import networkx
        made = networkx.MultiDiGraph()
        made.add_nodes_from([(3, {"n": 2**63}), (5, {"n": 1})])
        made.add_weighted_edges_from([(5, 3, 2), (5, 3, 1)], note="x")
        graph = quern.from_networkx(made)
        self.assertEqual((graph.ids.tolist(), graph.weights.tolist(), graph.vertex_properties["n"].tolist()), ([3, 5], [2, 1], [2**63, 1]))
        self.assertEqual(graph.edge_properties["note"].tolist(), ["x", "x"])

    def test_igraph(self):
        try:
            import igraph
        except ImportError:
            self.skipTest("no igraph")
        graph = self.graph()
        found = graph.to_igraph()
        self.assertEqual(found.es[1].attributes(), {"p": None, "t": "", "f": False})
        self.same(quern.from_igraph(found), graph)
