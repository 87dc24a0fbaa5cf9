"""Sets with types in Python: which types there are, and graphs of one or some of them."""

import os
import tempfile
import unittest
import warnings
from pathlib import Path

from harness.package import needs, quern

VECTOR = Path(os.environ["QUERN_SOURCE"]) / "specs/vectors/set-types"


@needs("numpy")
class SeveralTypes(unittest.TestCase):
    def setUp(self):
        with warnings.catch_warnings():  # that it is put together, and without weights
            warnings.simplefilter("ignore")
            self.graph = quern.open(VECTOR)

    def test_types(self):
        self.assertEqual(self.graph.vertex_types, ("Movie", "Person"))
        self.assertEqual(self.graph.edge_types, (("Person", "ACTED", "Movie"), ("Person", "KNOWS", "Movie"), ("Person", "KNOWS", "Person")))
        other = quern.from_edges([(1, 2)])
        self.assertEqual((other.vertex_types, other.edge_types), ((), ()))

    def test_one(self):
        knows = self.graph["Person", "KNOWS", "Person"]
        self.assertEqual((list(knows.ids), list(knows.neighbors(1)), knows.num_edges), ([1, 7], [7], 2))
        self.assertEqual((list(knows.column_indices), list(knows.weights)), ([1, 0], [3, 4]))
        self.assertEqual(list(knows.vertex_properties["name"]), ["Ann", "Bob"])
        self.assertEqual((knows.vertex_types, knows.edge_types), ((), ()))
        acted = self.graph.project("ACTED")
        self.assertEqual(acted.num_vertices, 5)
        self.assertEqual(list(acted.edge_properties["role"]), ["x"])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "one.qrn")
            self.assertEqual(self.graph.project(("Person", "ACTED", "Movie"), path).path, path)

    def test_all_and_some(self):
        self.assertEqual((self.graph.num_vertices, self.graph.num_edges), (5, 4))
        self.assertEqual(list(self.graph.ids), ["Movie:0", "Movie:1", "Movie:2", "Person:1", "Person:7"])
        self.assertEqual(list(self.graph.edge_properties["TYPE"]), ["ACTED", "KNOWS", "KNOWS", "KNOWS"])
        some = self.graph.project(edge_types=[("Person", "KNOWS", "Movie"), "ACTED"])
        self.assertEqual(sorted(some.edge_properties["TYPE"]), ["ACTED", "KNOWS"])
        self.assertEqual(self.graph.project(vertex_types="Person").num_edges, 2)
        self.assertEqual(len(self.graph.cc()), 5)

    def test_refused(self):
        with self.assertRaisesRegex(quern.UsageError, "several edge types are called 'KNOWS'"):
            self.graph.project("KNOWS")
        with self.assertRaisesRegex(quern.UsageError, "no edge type 'Person-ACT-Movie'"):
            self.graph["Person", "ACT", "Movie"]
        with self.assertRaisesRegex(quern.UsageError, "this graph has no types"):
            quern.from_edges([(1, 2)]).project("KNOWS")
