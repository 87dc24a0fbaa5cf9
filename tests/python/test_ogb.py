"""Folders of the Open Graph Benchmark, in the layout in which they are published."""

import gzip
import tempfile
import unittest
from pathlib import Path

from harness.package import needs, quern

FILES = {"raw/num-node-list": "4", "raw/num-edge-list": "3", "raw/edge": "0,1\n2,1\n3,0", "raw/node-feat": ".5,1\n1,2\n2,3\n3,4", "raw/node-label": "1\n0\n2\n1",
         "raw/node_year": "2001\n2002\n2003\n2004", "raw/edge_weight": "1\n.5\n2", "split/time/train": "0\n3", "split/time/valid": "1", "split/time/test": "2"}


@needs("numpy", "pyarrow")
class Ogb(unittest.TestCase):
    FILES = FILES

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def read(self, changed=(), **options):
        for name, text in {**self.FILES, **dict(changed)}.items():
            path = self.folder / (name + ".csv.gz")
            path.parent.mkdir(parents=True, exist_ok=True)
            if text is None:
                path.unlink(missing_ok=True)
            else:
                path.write_bytes(gzip.compress(text.encode()))
        return quern.read_ogb(self.folder, **options)

    def test_a_graph(self):
        graph = self.read(path=self.folder / "g.qrn")
        self.assertEqual(list(graph.edge_blocks())[0][0].tolist(), [0, 2, 3])
        self.assertEqual(graph.column_indices.tolist(), [1, 1, 0])
        properties = graph.vertex_properties
        self.assertEqual(properties.types(), {"x": "f32x2", "y": "i64", "node_year": "i64", "train_mask": "bool", "val_mask": "bool",
                                              "test_mask": "bool"})
        self.assertEqual(properties["x"].tolist(), [[.5, 1], [1, 2], [2, 3], [3, 4]])
        self.assertEqual(properties["train_mask"].tolist(), [True, False, False, True])
        self.assertEqual(graph.edge_properties["edge_weight"].tolist(), [1, .5, 2])
        self.assertEqual(self.read({"raw/edge_weight": None}, directed=False).num_stored_edges, 6)
        self.assertEqual(self.read({"raw/node-label": "1\nnan\n.5\n2"}).vertex_properties.types()["y"], "f64")

    def test_refused(self):
        for changed, message in (({"raw/node-feat": "1,2\n3"}, "as many in each line"), ({"raw/num-node-list": None}, "no num-node-list"), ({"raw/num-node-list": "4\n5"}, "lists 2 graphs"),
                                 ({"raw/edge": "0,1\n2,1"}, "2 rows; expected 3"), ({"raw/edge": "0,1\n2,1\n3,4"}, "not below 4"),
                                 ({"raw/edge": "0,1\n2,x\n3,0"}, "edge.csv.gz: numbers are expected"), ({"raw/node-feat": "1\n2"}, "2 rows; expected 4"),
                                 ({"split/time/train": "7"}, "below 4"), ({"split/random/train": "1"}, "several splits: random, time")):
            with self.subTest(message), self.assertRaisesRegex(quern.QuernError, message):
                self.read(changed)
        self.assertEqual(self.read(split="random").vertex_properties["train_mask"].sum(), 1)
        with self.assertRaisesRegex(quern.UsageError, "no split 'x'"):
            self.read(split="x")


MAG = {"raw/num-node-dict": "author,paper\n2,3", "raw/triplet-type-list": "author,writes,paper\npaper,cites,paper",
       "raw/relations/author___writes___paper/edge": "0,0\n1,2\n1,0", "raw/relations/author___writes___paper/num-edge-list": "3",
       "raw/relations/author___writes___paper/edge_reltype": "0\n0\n0", "raw/relations/paper___cites___paper/edge": "2,0",
       "raw/relations/paper___cites___paper/num-edge-list": "1", "raw/relations/paper___cites___paper/edge_reltype": "1",
       "raw/node-feat/paper/node-feat": ".5,1\n1,2\n2,3", "raw/node-label/paper/node-label": "4\n0\n4", "raw/node_year/paper/node_year": "2015\n2018\n2019",
       "split/time/paper/train": "0", "split/time/paper/valid": "1", "split/time/paper/test": "2"}


@needs("numpy", "pyarrow")
class OgbTypes(Ogb):
    """As ogbn-mag is published."""

    FILES = MAG

    def test_a_graph(self):
        graph = self.read(path=self.folder / "set")
        self.assertEqual((graph.vertex_types, graph.edge_types), (("author", "paper"), (("paper", "cites", "paper"), ("author", "writes", "paper"))))
        writes = graph["author", "writes", "paper"]
        self.assertEqual((writes.sources().tolist(), (writes.column_indices - 2).tolist()), ([0, 1, 1], [0, 0, 2]))
        papers = graph.project(vertex_types="paper").vertex_properties
        self.assertEqual({**papers.types(), "LABEL": ""}, {"x": "f32x2", "y": "i64", "node_year": "i64", "train_mask": "bool", "val_mask": "bool",
                                                           "test_mask": "bool", "LABEL": ""})
        self.assertEqual((papers["x"].tolist(), papers["y"].tolist()), ([[.5, 1], [1, 2], [2, 3]], [4, 0, 4]))
        self.assertEqual(papers["val_mask"].tolist(), [False, True, False])
        self.assertEqual(graph["paper", "cites", "paper"].edge_properties["edge_reltype"].tolist(), [1])

    def test_refused(self):
        with self.assertRaisesRegex(quern.UsageError, "path= says where"):
            self.read()
        for changed, message in (({"raw/num-node-dict": "author,paper\n2"}, "names of types are expected"), ({"raw/num-node-dict": "paper,paper\n2,3"}, "twice"),
                                 ({"raw/num-node-dict": None}, "there is no num-node-dict"), ({"raw/triplet-type-list": "author,writes,book"}, "found author,writes,book"),
                                 ({"raw/relations/paper___cites___paper/edge": "3,0"}, "not below 3"), ({"raw/relations/paper___cites___paper/num-edge-list": "2"}, "1 rows; expected 2"),
                                 ({"raw/node-feat/paper/node-feat": "1\n2"}, "2 rows; expected 3"), ({"split/time/paper/test": "3"}, "below 3"),
                                 ({"raw/triplet-type-list": "author,owns,paper"}, "no num-edge-list")):
            with self.subTest(message), self.assertRaisesRegex(quern.QuernError, message):
                self.read(changed, path=self.folder / "other")
            self.assertFalse((self.folder / "other").exists())

