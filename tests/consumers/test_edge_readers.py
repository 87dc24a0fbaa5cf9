"""What quern-export writes is read by other programs' own readers, and gives the same graph."""

import csv
import json
import shutil
import tempfile
import unittest
from pathlib import Path

from harness.tools import run

try:
    import networkx
except ImportError:
    networkx = None
try:
    import igraph
except ImportError:
    igraph = None
try:
    import duckdb
except ImportError:
    duckdb = None
try:
    import polars
except ImportError:
    polars = None
try:
    import numpy
except ImportError:
    numpy = None
try:
    import pandas
except ImportError:
    pandas = None


class _Exported(unittest.TestCase):
    """A directed graph with weights, loops and isolated vertices, and a simple undirected one."""

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = Path(scratch.name)
        run("quern-generate", "rmat", "--scale", "9", "--degree", "4", "--weights", "1,100", "--duplicates", "remove",
            "-q", "-o", cls.folder / "directed.qrn")
        run("quern-generate", "rmat", "--scale", "9", "--degree", "4", "--undirected", "--duplicates", "remove",
            "--self-loops", "remove", "-q", "-o", cls.folder / "undirected.qrn")

    def exported(self, graph, *options, name="out"):
        path = self.folder / name
        run("quern-export", "-q", "-f", self.folder / (graph + ".qrn"), "-o", path, *options)
        return path

    def edges(self, graph):
        """As the edge list has them: (source, destination[, weight])."""
        lines = self.exported(graph).read_text().splitlines()
        return [tuple(map(int, line.split())) for line in lines if not line.startswith("#")]


@unittest.skipUnless(networkx, "no networkx")
class Networkx(_Exported):
    def test_csv(self):
        path = self.exported("directed", "--format", "csv", name="g.csv")
        with open(path) as lines:
            self.assertEqual(next(lines), "src,dst,weight\n")
            graph = networkx.parse_edgelist(lines, delimiter=",", nodetype=int, data=[("weight", int)],
                                            create_using=networkx.DiGraph)
        self.assertEqual(sorted((u, v, w) for u, v, w in graph.edges(data="weight")), sorted(self.edges("directed")))

    def test_edge_list(self):
        graph = networkx.read_weighted_edgelist(self.exported("directed"), nodetype=int, create_using=networkx.DiGraph)
        self.assertEqual(sorted((u, v, int(w)) for u, v, w in graph.edges(data="weight")),
                         sorted(self.edges("directed")))


@unittest.skipUnless(igraph, "no igraph")
class Igraph(_Exported):
    def test_edge_list(self):
        graph = igraph.Graph.Read_Edgelist(str(self.exported("undirected")), directed=False)
        self.assertEqual(sorted(tuple(sorted(edge)) for edge in graph.get_edgelist()), sorted(self.edges("undirected")))

    def test_named(self):
        """The format that igraph calls NCOL: names of ends and a weight, a line an edge."""
        graph = igraph.Graph.Read_Ncol(str(self.exported("directed")), names=True, weights=True, directed=True)
        found = [(int(graph.vs[edge.source]["name"]), int(graph.vs[edge.target]["name"]), int(edge["weight"]))
                 for edge in graph.es]
        self.assertEqual(sorted(found), sorted(self.edges("directed")))


@unittest.skipUnless(shutil.which("gpmetis"), "no gpmetis")
class Metis(_Exported):
    def test_partitioned(self):
        path = self.exported("undirected", "--format", "metis", name="g.graph")
        self.assertIn("#Vertices: 512", run("gpmetis", path, "2").stdout)
        self.assertEqual(len(Path(str(path) + ".part.2").read_text().split()), 512)

    def test_weights(self):
        run("quern-transform", self.folder / "undirected.qrn", "--random-weights", "1,2147483,3", "-q", "-f", "-o",
            self.folder / "weighted.qrn")
        path = self.exported("weighted", "--format", "metis", name="w.graph")
        self.assertIn("#Vertices: 512", run("gpmetis", path, "3").stdout)


@unittest.skipUnless(duckdb, "no duckdb")
class DuckDb(_Exported):
    """Without a hint of how the text is to be read."""

    def test_text(self):
        for graph in "directed", "undirected":
            found = duckdb.sql("select * from read_csv('%s')" % self.exported(graph, name=graph + ".txt")).fetchall()
            self.assertEqual([tuple(map(int, edge)) for edge in found], self.edges(graph))

    def test_csv_both_ways(self):
        rows = duckdb.sql("select src, dst, weight from read_csv('%s')" % self.exported("directed", "--format", "csv", name="g.csv"))
        self.assertEqual(rows.fetchall(), self.edges("directed"))
        rows.write_csv(str(self.folder / "duck.csv"))
        run("quern-import", self.folder / "duck.csv", "-q", "-f", "--vertices", "512", "-o", self.folder / "back.qrn")
        self.assertEqual(self.edges("back"), self.edges("directed"))


@unittest.skipUnless(polars, "no polars")
class Polars(_Exported):
    def test_csv_both_ways(self):
        frame = polars.read_csv(self.exported("directed", "--format", "csv", name="g.csv"))
        self.assertEqual(frame.columns, ["src", "dst", "weight"])
        self.assertEqual(frame.rows(), self.edges("directed"))
        frame.write_csv(self.folder / "polars.csv")
        run("quern-import", self.folder / "polars.csv", "-q", "-f", "--vertices", "512", "-o", self.folder / "back.qrn")
        self.assertEqual(self.edges("back"), self.edges("directed"))


@unittest.skipUnless(numpy, "no numpy")
class Numpy(_Exported):
    def test_pairs(self):
        record = numpy.dtype([("source", "<u4"), ("destination", "<u4"), ("weight", "<f4")])
        found = numpy.fromfile(self.exported("directed", "--format", "pairs", "--record", "u32,f32"), dtype=record)
        self.assertEqual([tuple(map(int, edge)) for edge in found], self.edges("directed"))

    def test_big_endian_pairs(self):
        found = numpy.fromfile(self.exported("undirected", "--format", "pairs", "--record", "u64,big"), dtype=">u8")
        self.assertEqual([tuple(map(int, edge)) for edge in found.reshape(-1, 2)], self.edges("undirected"))

    def test_parts(self):
        folder = self.exported("undirected", "--format", "npy", "--parts", "3", name="parts")
        files = json.loads((folder / "_manifest.json").read_text())["files"]
        found = numpy.concatenate([numpy.load(folder / file["name"]) for file in files], axis=1)
        self.assertEqual([tuple(map(int, edge)) for edge in found.T], self.edges("undirected"))


@unittest.skipUnless(pandas, "no pandas")
class Pandas(_Exported):
    def test_csv(self):
        frame = pandas.read_csv(self.exported("directed", "--format", "csv", name="g.csv"))
        self.assertEqual(list(frame.columns), ["src", "dst", "weight"])
        self.assertEqual(list(frame.itertuples(index=False, name=None)), self.edges("directed"))


class Csv(_Exported):
    """Python's own reader, on what Neo4j's and Spark's importers are given."""

    def rows(self, path):
        with open(path, newline="") as lines:
            return list(csv.reader(lines))

    def test_neo4j(self):
        folder = self.exported("directed", "--format", "neo4j", name="neo4j")
        nodes, relationships = self.rows(folder / "nodes.csv"), self.rows(folder / "relationships.csv")
        self.assertEqual(nodes[0], ["id:ID", ":LABEL"])
        self.assertEqual([row[0] for row in nodes[1:]], [str(v) for v in range(512)])
        self.assertEqual(relationships[0], [":START_ID", ":END_ID", "weight:long", ":TYPE"])
        self.assertEqual([tuple(map(int, row[:3])) for row in relationships[1:]], self.edges("directed"))
        self.assertEqual({row[3] for row in relationships[1:]}, {"EDGE"})

    def test_graphframes(self):
        folder = self.exported("undirected", "--format", "graphframes", "--both-directions", name="frames")
        edges = [tuple(map(int, row)) for row in self.rows(folder / "edges.csv")[1:]]
        self.assertEqual(sorted(edges), sorted(self.edges("undirected") + [(v, u) for u, v in self.edges("undirected")]))
        self.assertEqual(len(self.rows(folder / "vertices.csv")), 513)
