"""networkit reads what quern-export writes, and quern-import what networkit writes."""

import tempfile
import unittest
from pathlib import Path

from harness.tools import run

try:
    import networkit
except ImportError:
    networkit = None


@unittest.skipUnless(networkit, "no networkit")
class Networkit(unittest.TestCase):
    tier, sanitized_tier, timeout = "medium", "long", 120

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.at = Path(scratch.name)
        run("quern-generate", "rmat", "--scale", "9", "--degree", "4", "--undirected", "--duplicates", "remove",
            "--self-loops", "remove", "-q", "-o", cls.at / "plain.qrn")
        run("quern-generate", "rmat", "--scale", "9", "--degree", "4", "--weights", "1,100", "--duplicates", "remove",
            "-q", "-o", cls.at / "directed.qrn")

    def exported(self, graph, *options):
        run("quern-export", "-q", "-f", self.at / (graph + ".qrn"), "-o", self.at / "out", *options)
        return str(self.at / "out")

    def edges(self, graph):
        lines = open(self.exported(graph)).read().splitlines()
        return sorted(tuple(map(int, line.split())) for line in lines)

    def weighted(self, graph):
        return sorted((u, v, int(w)) for u, v, w in graph.iterEdgesWeights())

    def test_edge_list(self):
        reader = networkit.graphio.EdgeListReader("\t", 0, directed=True)
        self.assertEqual(self.weighted(reader.read(self.exported("directed"))), self.edges("directed"))

    def test_metis(self):
        graph = networkit.readGraph(self.exported("plain", "--format", "metis"), networkit.Format.METIS)
        self.assertEqual(graph.numberOfNodes(), 512)
        self.assertEqual(sorted(tuple(sorted(edge)) for edge in graph.iterEdges()), self.edges("plain"))

    def test_written(self):
        """An undirected graph in each format that both know."""
        graph = networkit.readGraph(self.exported("plain", "--format", "metis"), networkit.Format.METIS)
        written = str(self.at / "written")
        formats = {"METIS": 1, "GML": 0, "GraphML": 0, "EdgeListTabZero": 0}  # the first vertex
        for name, first in formats.items():
            with self.subTest(name):
                networkit.writeGraph(graph, written, getattr(networkit.Format, name))
                options = ["--undirected"] if name.startswith("EdgeList") else []
                run("quern-import", written, "-q", "-f", "-o", self.at / "back.qrn", *options)
                edges = [tuple(sorted(end - first for end in edge)) for edge in self.edges("back")]
                self.assertEqual(sorted(edges), self.edges("plain"))

    def test_regular(self):
        """Lines that are all alike are no list of edges."""
        written = str(self.at / "regular")
        complete = networkit.Graph(4)
        for u in range(4):
            for v in range(u):
                complete.addEdge(u, v)
        petersen = networkit.Graph(10)
        for v in range(5):
            for end in ((v, (v + 1) % 5), (v, v + 5), (v + 5, (v + 2) % 5 + 5)):
                petersen.addEdge(*end)
        for graph in (complete, petersen):
            networkit.writeGraph(graph, written, networkit.Format.METIS)
            run("quern-import", written, "-q", "-f", "-o", self.at / "back.qrn")
            edges = sorted(tuple(sorted(edge)) for edge in graph.iterEdges())
            self.assertEqual([tuple(end - 1 for end in edge) for edge in self.edges("back")], edges)
