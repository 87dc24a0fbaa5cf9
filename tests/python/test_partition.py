"""Partitions in Python: those of the library, and those of other libraries' packages, which the tools call, too."""

import importlib.util
import json
import os
import random
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

from harness import chance
from harness.package import needs, quern
from harness.tools import run

PACKAGES = {"metis": "pymetis", "kahip": "kahip", "kaminpar": "kaminpar", "mtkahypar": "mtkahypar"}


class Sample(unittest.TestCase):
    """Two dense groups of 40, which few edges join; loops, parallel edges, and ids that are names."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.at = Path(folder.name)
        rng = random.Random(chance.seed())
        edges = [(40 * group + rng.randrange(40), 40 * group + rng.randrange(40)) for group in (0, 1) for _ in range(400)]
        edges += [(3, 77), (77, 3), (10, 60), (5, 5)] + edges[:50]
        text = "src,dst,weight\n" + "".join("v%d,v%d,%d\n" % (at, to, 1 + at % 3) for at, to in edges)
        (cls.at / "g.csv").write_text(text)
        run("quern-import", cls.at / "g.csv", "-qo", cls.at / "g.qrn")
        run("quern-import", cls.at / "g.csv", "--undirected", "-qo", cls.at / "u.qrn")


@needs()
class Streams(Sample):
    def test_of_the_library(self):
        graph = quern.open(self.at / "g.qrn")
        for by, of in (("fennel", "vertex_properties"), ("2psl", "edge_properties")):
            divided = graph.transform(partition=4, by=by, column="home", imbalance=0.2)
            self.assertEqual(getattr(divided, of).types(), {"home": "u8"})
            run("quern-transform", self.at / "g.qrn", "--partition", 4, "--by", by, "--column", "home", "--imbalance", 0.2, "-qfo", self.at / "h.qrn")
            self.assertEqual(getattr(divided, of)["home"].tolist(), getattr(quern.open(self.at / "h.qrn"), of)["home"].tolist())
            self.assertEqual(divided.info()["metadata"]["partitions"]["home"]["by"], by)
        for wrong in ({"partition": 81}, {"by": "ldg"}, {"partition": 2, "symmetrize": True}, {"partition": 2, "by": "nobody"}):
            with self.assertRaises(quern.UsageError):
                graph.transform(**wrong)

    def test_absent_packages(self):
        """Methods whose package is not installed name it, and leave nothing."""
        for by, package in PACKAGES.items():
            if importlib.util.find_spec(package) is None:
                done = run("quern-transform", self.at / "g.qrn", "--partition", 2, "--by", by, "-o", self.at / "x.qrn", exit=4)
                self.assertIn("this needs %s: pip install %s" % (package, package), done.stderr)
                self.assertFalse((self.at / "x.qrn").exists())
                with self.assertRaisesRegex(ImportError, package):
                    quern.open(self.at / "g.qrn").transform(partition=2, by=by)

    def test_a_file_says_the_parts(self):
        graph = quern.open(self.at / "u.qrn")
        by_id = {name: int(name[1:]) // 40 for name in graph.ids.tolist()}
        (self.at / "g.part.2").write_text("".join("%d\n" % by_id[name] for name in graph.ids.tolist()))
        done = run("quern-transform", self.at / "u.qrn", "--partition", 2, "--by", self.at / "g.part.2", "--json", "-fo", self.at / "p.qrn")
        self.assertEqual(json.loads(done.stdout)["partition"]["balance"], 1)
        run("quern-transform", self.at / "u.qrn", "--relabel", "degree", "-qfo", self.at / "r.qrn")
        with quern.open(self.at / "r.qrn") as renumbered:
            (self.at / "r.part.2").write_text("".join("%d\n" % by_id[name] for name in renumbered.ids.tolist()))
        run("quern-transform", self.at / "r.qrn", "--partition", 2, "--by", self.at / "r.part.2", "-qfo", self.at / "p.qrn")
        run("quern-export", self.at / "p.qrn", "--format", "metis-part", "-qfo", self.at / "again")
        self.assertEqual((self.at / "again").read_text(), (self.at / "r.part.2").read_text())
        found = quern.open(self.at / "p.qrn")
        self.assertEqual(dict(zip(found.ids.tolist(), found.vertex_properties["part"].tolist())), by_id)
        for text, message in (("0\n" * 79, "there are 79 parts, and 80 vertices"), ("0\n" * 81, "there are more parts than the 80 vertices"),
                              ("2\n" * 80, "expected a part from 0 to 1, found '2'"), ("0 1\n" * 80, "expected a part from 0 to 1")):
            (self.at / "bad").write_text(text)
            done = run("quern-transform", self.at / "u.qrn", "--partition", 2, "--by", self.at / "bad", "-o", self.at / "x.qrn", exit=3)
            self.assertIn(message, done.stderr)


@needs("pyarrow")
class Sets(Sample):
    """Cut by a partition: a part has the rows of its vertices, and its halo is what they name of others."""

    def check(self, name, *more):
        before = quern.open(self.at / name)
        run("quern-transform", self.at / name, "--partition", 5, "--by", "ldg", "--parts-by", "part", "-qfo", self.at / "set", *more)
        run("quern-verify", "-q", self.at / "set")
        divided = before.transform(partition=5, by="ldg")
        part_of = dict(zip(divided.ids.tolist(), divided.vertex_properties["part"].tolist()))
        whole = quern.open(self.at / "set")
        names = whole.ids.tolist()
        self.assertEqual(names, sorted(names, key=lambda name: (part_of[name], before.ids.tolist().index(name))))
        self.assertEqual(whole.vertex_properties["part"].tolist(), [part_of[name] for name in names])
        expected = sorted(zip(*(before.edges(both_directions=True).to_arrow()[column].to_pylist() for column in ("source", "target", "weight"))))
        found = sorted(zip(*(whole.edges(both_directions=True).to_arrow()[column].to_pylist() for column in ("source", "target", "weight"))))
        self.assertEqual(found, expected)
        backwards = before.directed and "out" not in more
        for index in range(5):
            part = quern.open_part(self.at / ("set/part-%05d.qrn" % index))
            own = {name for name in names if part_of[name] == index}
            self.assertEqual(part.info()["rows"], len(own))
            rows = [(to, at) if backwards else (at, to) for at, to, _ in expected]
            self.assertEqual({names[v] for v in part.halo.tolist()}, {to for at, to in rows if at in own} - own)

    def test_sets(self):
        self.check("u.qrn")
        self.check("g.qrn")
        self.check("g.qrn", "--rows", "out")

    def test_of_a_column(self):
        run("quern-transform", self.at / "g.qrn", "--partition", 3, "-qfo", self.at / "p.qrn")
        run("quern-transform", self.at / "p.qrn", "--parts-by", "part", "-qfo", self.at / "one")
        run("quern-transform", self.at / "g.qrn", "--partition", 3, "--parts-by", "part", "-qfo", self.at / "two")
        for path in (self.at / "one").glob("part-*"):
            self.assertEqual(path.read_bytes(), (self.at / "two" / path.name).read_bytes())
        run("quern-transform", self.at / "g.qrn", "--partition", 3, "--by", "hdrf", "-qfo", self.at / "e.qrn")
        for column, more, message in (("part", [], "is of edges"), ("nothing", [], "there is no property"), ("part", ["--parts", 2], "as it is")):
            self.assertIn(message, run("quern-transform", self.at / "e.qrn", "--parts-by", column, "-o", self.at / "x", *more, exit=2).stderr)
        with self.assertRaisesRegex(quern.UsageError, "not a part"):
            quern.open(self.at / "g.qrn").halo


@needs("torch")
class PyG(Sample):
    def test_folder(self):
        """What torch_geometric.distributed loads: every vertex and edge in one part, edges by destination, features in their order."""
        import numpy
        import torch
        graph = quern.open(self.at / "g.qrn").transform(partition=4, by="ldg")
        v, e = graph.num_vertices, graph.num_stored_edges
        parts = graph.vertex_properties["part"]
        graph.with_properties({"part": parts, "a": numpy.arange(v, dtype="f4"), "b": numpy.arange(2 * v, dtype="i2").reshape(v, 2), "name": ["x"] * v},
                              {"since": numpy.ma.masked_array(numpy.arange(e), numpy.arange(e) % 5 == 0)}, path=self.at / "f.qrn", force=True)
        done = run("quern-export", self.at / "f.qrn", "--format", "pyg-partition", "--column", "part", "-fo", self.at / "pyg")
        self.assertIn("pyg: %d edges" % e, done.stdout)
        meta = json.loads((self.at / "pyg/META.json").read_text())
        self.assertEqual(meta, {"num_parts": 4, "is_hetero": False, "node_types": None, "edge_types": None, "is_sorted": True})
        self.assertEqual(torch.load(str(self.at / "pyg/node_map.pt")).tolist(), parts.tolist())
        edge_map = torch.load(str(self.at / "pyg/edge_map.pt"))
        pairs, seen, ids = graph.edge_index().T.tolist(), [], []
        for part in range(4):
            at = self.at / ("pyg/part_%d" % part)
            found, nodes, edges = (torch.load(str(at / name)) for name in ("graph.pt", "node_feats.pt", "edge_feats.pt"))
            self.assertEqual(nodes["global_id"].tolist(), numpy.flatnonzero(parts == part).tolist())
            self.assertEqual(nodes["feats"]["x"].tolist(), [[i, 2 * i, 2 * i + 1] for i in nodes["global_id"].tolist()])
            self.assertEqual([[*pair] for pair in zip(found["row"].tolist(), found["col"].tolist())], [pairs[i] for i in found["edge_id"].tolist()])
            self.assertEqual(found["col"].tolist(), sorted(found["col"].tolist()))
            self.assertEqual(set(edge_map[found["edge_id"]].tolist()), {part})
            self.assertEqual({int(parts[col]) for col in found["col"].tolist()}, {part})
            self.assertEqual((found["size"], found["edge_id"].dtype), ((v, v), torch.int64))
            self.assertEqual(edges["global_id"].tolist(), found["edge_id"].tolist())
            self.assertEqual(edges["feats"]["edge_attr"][:, 0].tolist(), [float(graph.weights[i]) for i in found["edge_id"].tolist()])
            self.assertEqual([None if i % 5 == 0 else i for i in found["edge_id"].tolist()],
                             [None if since != since else since for since in edges["feats"]["edge_attr"][:, 1].tolist()])
            seen += nodes["global_id"].tolist()
            ids += found["edge_id"].tolist()
        self.assertEqual((sorted(seen), sorted(ids)), (list(range(v)), list(range(e))))


@needs()
class Files(Sample):
    def test_what_is_no_partition(self):
        for column, code, message in ((["--column", "nothing"], 2, "there is no property 'nothing' of vertices"), ([], 2, "there is no property 'part'")):
            done = run("quern-export", self.at / "g.qrn", "--format", "metis-part", *column, "-o", self.at / "x.part", exit=code)
            self.assertIn(message, done.stderr)
        self.assertIn("--column works only with", run("quern-export", self.at / "g.qrn", "--column", "a", "-o", self.at / "x.txt", exit=2).stderr)
        for values, message in (([0.5] * 80, "is not of integers"), ([-1] * 80, "has other values"), (["a"] * 80, "is not of integers"),
                                ([None] + [1] * 79, "has nulls")):
            with self.subTest(message):
                graph = quern.open(self.at / "g.qrn").with_properties({"part": values})
                with self.assertRaisesRegex(quern.UnsupportedError, message):
                    graph.export(self.at / "x.part", "metis-part")
        self.assertFalse((self.at / "x.part").exists())


@needs()
class Bounds(unittest.TestCase):
    def test_what_a_library_has_no_room_for(self):
        """Counts and weights beyond a library's integers are refused before it is called: here nobody could be."""
        import numpy
        from quern import _partition
        ends = numpy.zeros(2, "u4")
        heavy = _partition.Adjacency(numpy.array([0, 1, 2], "u8"), ends, numpy.array([2**30, 2**30], "i8"))
        many = _partition.Adjacency(numpy.zeros(3, "u8"), numpy.broadcast_to(numpy.zeros(1, "u1"), 2**32), None)
        narrow = types.SimpleNamespace(zero_copy_dtype=lambda: numpy.dtype("i4"))
        for by, package in PACKAGES.items():
            for graph, what in ((heavy, "as the sum of all weights"), (many, "edge endpoints")):
                with self.subTest(by, what=what), mock.patch.dict("sys.modules", {package: narrow}):
                    with self.assertRaisesRegex(quern.UnsupportedError, what):
                        _partition.METHODS[by](graph, 2, .05, 1)


class OfALibrary(Sample):
    """Every package that is there: quality, weights, and the same column by the tool and in Python."""

    def check(self, by):
        graph = quern.open(self.at / "u.qrn")
        for more in ([], ["--weighted"]):
            done = run("quern-transform", self.at / "u.qrn", "--partition", 2, "--by", by, "--json", "-fo", self.at / "p.qrn", "-T", 1, *more)
            figures = json.loads(done.stdout)["partition"]
            self.assertEqual((figures["cut"], figures["balance"], figures["by"]), (3, 1, by))
        groups = quern.open(self.at / "p.qrn").vertex_properties["part"]
        self.assertEqual({(int(name[1:]) // 40, part) for name, part in zip(graph.ids.tolist(), groups.tolist())} ,
                         {(group, groups.tolist()[graph.ids.tolist().index("v%d" % (40 * group))]) for group in (0, 1)})
        divided = quern.open(self.at / "g.qrn").transform(partition=3, by=by, column="home", imbalance=0.1, threads=1)
        self.assertEqual(set(divided.vertex_properties["home"].tolist()), {0, 1, 2})
        for wrong in ({"partition": 81}, {"passes": 2, "partition": 2}, {}, {"partition": 2, "column": "home"}):
            with self.assertRaises(quern.UsageError):
                divided.transform(by=by, **wrong)
        run("quern-transform", self.at / "u.qrn", "--partition", 1, "--by", by, "-qfo", self.at / "p.qrn")

    def refuse_weights(self, by):
        for weights, code in ((["1", "0"], 2), (["1", "0.5"], 2), ([str(2**30), str(2**31)], 4)):
            (self.at / "w.csv").write_text("src,dst,weight\n0,1,%s\n1,2,%s\n" % tuple(weights))
            run("quern-import", self.at / "w.csv", "--undirected", "-qfo", self.at / "w.qrn")
            if by != "metis" or code != 4:
                run("quern-transform", self.at / "w.qrn", "--partition", 2, "--by", by, "--weighted", "-o", self.at / "x.qrn", exit=code)


def _of(by):
    @needs(PACKAGES[by])
    class Library(OfALibrary):
        tier = "medium"

        def test_library(self):
            self.check(by)
            self.refuse_weights(by)
    Library.__name__ = Library.__qualname__ = by.capitalize()
    return Library


Metis, Kahip, Kaminpar, Mtkahypar = map(_of, PACKAGES)
del OfALibrary, Sample
