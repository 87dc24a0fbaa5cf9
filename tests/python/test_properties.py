"""Properties of graphs as arrays: views without a copy, nulls, texts; other ones given; what is wrong is said."""

import os
import tempfile
import unittest
from pathlib import Path

from harness.package import needs, quern
from harness.tools import run

try:
    import numpy as np
except ImportError:
    np = None

SAMPLE = Path(os.environ["QUERN_SOURCE"]) / "specs/vectors/properties-sample.qrn"


@needs()
class Properties(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.graph = quern.open(SAMPLE)

    def test_columns(self):
        vertices, edges = self.graph.vertex_properties, self.graph.edge_properties
        self.assertEqual(vertices.types(), {"name": "string", "size": "u64", "open": "bool"})
        self.assertEqual(edges.types(), {"since": "i64", "load": "f32"})
        self.assertEqual(vertices["name"].tolist(), ["Zürich", "", None, "ulm"])
        self.assertEqual(vertices["size"].tolist(), [2**64 - 1, 0, 1, 2])
        self.assertEqual(vertices["open"].tolist(), [True, False, False, True])
        self.assertEqual(edges["since"].tolist(), [None, -2**63, -1, 2**53 + 1, 2**63 - 1])
        self.assertEqual(str(edges["load"].dtype), "float32")
        self.assertRaises(KeyError, edges.__getitem__, "name")

    def test_numbers_are_views(self):
        arrays = self.graph.arrays
        for values, section in ((self.graph.vertex_properties["size"], "property_v1"),
                                (self.graph.edge_properties["since"].data, "property_e0")):
            self.assertEqual(values.__array_interface__["data"][0], arrays[section].__array_interface__["data"][0])
            self.assertFalse(values.flags.writeable)
        values = self.graph.vertex_properties["size"]
        self.graph.close()
        self.assertEqual(values[0], 2**64 - 1)
        with self.assertRaises(quern.UsageError):
            self.graph.vertex_properties

    def given(self):
        return ({"x": np.arange(4, dtype="i2"), "t": ["a", None, "ü", ""], "o": np.array(["p", "q", "r", "s"])},
                {"m": np.ma.array([1.5, 2, 3, 4, 5], mask=[0, 1, 0, 0, 0]), "b": np.array([1, 0, 1, 1, 0], bool)})

    def expect_given(self, graph):
        graph.verify()
        vertices, edges = graph.vertex_properties, graph.edge_properties
        self.assertEqual({**vertices.types(), **edges.types()}, {"x": "i16", "t": "string", "o": "string", "m": "f64", "b": "bool"})
        self.assertEqual([vertices[name].tolist() for name in vertices],
                         [[0, 1, 2, 3], ["a", None, "ü", ""], ["p", "q", "r", "s"]])
        self.assertEqual([edges[name].tolist() for name in edges], [[1.5, None, 3, 4, 5], [True, False, True, True, False]])

    def test_others_are_given(self):
        vertices, edges = self.given()
        self.expect_given(self.graph.with_properties(vertices, edges))
        path = self.folder / "given.qrn"
        self.expect_given(self.graph.with_properties(vertices, edges, path=path))
        run("quern-verify", path)
        self.assertRaises(quern.UsageError, self.graph.with_properties, vertices, path=path)
        self.assertEqual(len(self.graph.with_properties(path=path, force=True).vertex_properties), 0)

    def test_they_go_with_the_graph(self):
        graph = self.graph.with_properties(*self.given())
        for layout in ("blocked-csr", "edge-partitions", "slotted-pages", "shards", "hybrid", "packed"):
            with self.subTest(layout):
                self.expect_given(graph.build(layout))
        turned = graph.transform(relabel="random", seed=3)
        self.assertEqual(dict(zip(turned.ids.tolist(), turned.vertex_properties["t"].tolist())),
                         dict(zip(graph.ids.tolist(), graph.vertex_properties["t"].tolist())))

    def test_a_set_is_put_together(self):
        graph = self.graph.with_properties(*self.given(), path=self.folder / "given.qrn")
        run("quern-transform", self.folder / "given.qrn", "--parts", "2", "-q", "-o", self.folder / "set")
        with self.assertWarnsRegex(quern.QuernWarning, "together"):
            opened = quern.open(self.folder / "set")
        self.expect_given(opened)
        self.assertEqual(opened.column_indices.tolist(), graph.column_indices.tolist())

    def test_both_directions_have_the_same(self):
        graph = quern.from_arrays(np.array([0, 1], "u4"), np.array([1, 2], "u4"), directed=False)
        with self.assertRaisesRegex(quern.InvalidError, "P-10"):
            graph.with_properties(edges={"n": np.arange(4)})
        fine = graph.with_properties(edges={"n": np.array([7, 7, 8, 8])})
        self.assertEqual(fine.edge_properties["n"].tolist(), [7, 7, 8, 8])

    def test_what_is_wrong(self):
        for vertices in ({"x": np.arange(3)}, {"x": np.zeros((4, 1, 1))}, {"x": np.zeros(4, complex)}, {"": np.arange(4)},
                         {"a\nb": np.arange(4)}, {"x": [1, "a", None, None]}, {"n" * 256: np.arange(4)}):
            with self.subTest(vertices), self.assertRaises(quern.UsageError):
                self.graph.with_properties(vertices)
        with self.assertRaisesRegex(quern.InvalidError, "P-8"):
            self.graph.with_properties({"x": ["\0", "", "", ""]})

    def test_none_and_empty(self):
        self.assertEqual(len(quern.from_arrays(np.array([0], "u4"), np.array([1], "u4")).edge_properties), 0)
        empty = quern.from_arrays(np.zeros(0, "u4"), np.zeros(0, "u4"), num_vertices=2)
        graph = empty.with_properties({"t": [None, None]}, {"n": np.zeros(0), "s": []})
        graph.verify()
        self.assertEqual(graph.vertex_properties["t"].tolist(), [None, None])
        self.assertEqual([len(values) for values in graph.edge_properties.values()], [0, 0])

    def test_tables(self):
        table = self.folder / "e.csv"
        table.write_text("src,dst,since\n1,2,1999\n2,3,\n")
        graph = quern.read(table, properties="all")
        self.assertEqual(graph.edge_properties["since"].tolist(), [1999, None])
