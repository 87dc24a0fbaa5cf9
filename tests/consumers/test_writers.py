"""What the writers of other libraries make of a graph, in every format that they have, is that graph here."""

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

VERTICES = ["ann", "bob", "cy", "\u00e9a"]
EDGES = [("ann", "bob", 0.5), ("bob", "cy", 2.25), ("cy", "ann", 1.5), ("cy", "cy", 0.1), ("ann", "\u00e9a", 3.0)]


class Writers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def path(self, name):
        return str(self.folder / name)

    def edges(self, name, *options):
        """As (source, destination, weight); the weight is a real, or None."""
        run("quern-import", "-q", "-f", self.path(name), "-o", self.path("g.qrn"), *options)
        run("quern-export", "-q", "-f", self.path("g.qrn"), "-o", self.path("g.txt"), "--format", "csv")
        rows = [line.split(",") for line in (self.folder / "g.txt").read_text().splitlines()[1:]]
        return sorted((u, v, float(weight[0]) if weight else None) for u, v, *weight in rows)

    def check(self, name, *options, weighted=True, first=None):
        """`first`: vertices are called by their numbers, from this one on."""
        called = {vertex: vertex if first is None else str(first + i) for i, vertex in enumerate(VERTICES)}
        want = sorted((called[u], called[v], weight if weighted else None) for u, v, weight in EDGES)
        with self.subTest(name):
            self.assertEqual(self.edges(name, *options), want)


@unittest.skipIf(networkx is None, "no networkx")
class Networkx(Writers):
    def test_all(self):
        graph = networkx.DiGraph()
        graph.add_nodes_from(VERTICES)
        graph.add_weighted_edges_from(EDGES)
        networkx.write_edgelist(graph, self.path("data.edgelist"))
        networkx.write_edgelist(graph, self.path("plain.edgelist"), data=False)
        networkx.write_weighted_edgelist(graph, self.path("weighted.edgelist"))
        networkx.write_adjlist(graph, self.path("graph.adjlist"))
        networkx.write_graphml_xml(graph, self.path("graph.graphml"))
        networkx.write_gexf(graph, self.path("graph.gexf"))
        networkx.write_gml(graph, self.path("graph.gml"))
        networkx.write_pajek(graph, self.path("graph.net"))
        for name in "data.edgelist", "weighted.edgelist", "graph.graphml", "graph.gexf":
            self.check(name)
        self.check("plain.edgelist", weighted=False)
        self.check("graph.adjlist", "--format=neighbors", weighted=False)
        self.check("graph.gml", first=0)
        self.check("graph.net", first=1)


@unittest.skipIf(igraph is None, "no igraph")
class Igraph(Writers):
    def test_all(self):
        graph = igraph.Graph.TupleList(EDGES, directed=True, edge_attrs=["weight"])
        graph.write_graphml(self.path("graph.graphml"))
        graph.write_gml(self.path("graph.gml"))
        graph.write_pajek(self.path("graph.net"))
        graph.write_edgelist(self.path("graph.txt"))
        graph.write_dot(self.path("graph.dot"))
        graph.vs["name"] = [name.replace("\u00e9", "e") for name in graph.vs["name"]]  # NCOL is ASCII
        graph.write_ncol(self.path("graph.ncol"))
        self.check("graph.gml", first=0)
        self.check("graph.dot", first=0)
        self.check("graph.net", first=1)
        self.check("graph.txt", first=0, weighted=False)
        ends = {vertex: "n%d" % i for i, vertex in enumerate(VERTICES)}
        self.assertEqual(self.edges("graph.graphml"), sorted((ends[u], ends[v], weight) for u, v, weight in EDGES))
        ascii_edges = sorted((u, v.replace("\u00e9", "e"), weight) for u, v, weight in EDGES)
        self.assertEqual(self.edges("graph.ncol"), ascii_edges)


@unittest.skipIf(duckdb is None, "no duckdb")
class DuckDb(Writers):
    def test_all(self):
        connection = duckdb.connect()
        connection.execute("create table edges (source varchar, target varchar, weight double)")
        connection.executemany("insert into edges values (?, ?, ?)", EDGES)
        for name, options in (("a.csv", ""), ("b.csv", "(header, delimiter ';')"), ("c.csv", "(header, force_quote *)"),
                              ("a.json", "(format json)"), ("b.json", "(format json, array true)"),
                              ("a.csv.gz", "(header, compression gzip)")):
            connection.execute("copy edges to '%s' %s" % (self.path(name), options))
            self.check(name)


@unittest.skipIf(polars is None, "no polars")
class Polars(Writers):
    def test_all(self):
        frame = polars.DataFrame(EDGES, schema=["source", "target", "weight"], orient="row")
        frame.write_csv(self.path("a.csv"))
        frame.write_csv(self.path("b.tsv"), separator="\t", quote_style="always")
        frame.write_ndjson(self.path("a.jsonl"))
        frame.write_json(self.path("a.json"))
        for name in "a.csv", "b.tsv", "a.jsonl", "a.json":
            self.check(name)
