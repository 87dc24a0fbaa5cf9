"""Real graphs, imported and computed on, against the answers that igraph, scipy and numpy gave.

The truth's conventions (the README of the graphs): everything but `edge_records` and `pagerank_as_given` is on unique
arcs without self loops, in both directions where the data is undirected; so the graphs are imported clean.
"""

import collections
import json
import math
import tempfile
import unittest
from pathlib import Path

from harness.tools import has, run, values
from truth.datasets import DATASETS, GRAPH, GRAPHS, LAYOUTS

CLEAN = ("--self-loops", "remove", "--duplicates")


def sizes(labels):
    return collections.Counter(labels.values())


class _Truth(unittest.TestCase):
    """The checks of one dataset in one layout."""

    dataset, layout = None, GRAPH
    timeout = 300

    @classmethod
    def setUpClass(cls):
        if not cls.dataset.present():
            raise unittest.SkipTest("no graph %s (QUERN_TEST_GRAPHS=%s)" % (cls.dataset.input, GRAPHS))
        if cls.layout is not GRAPH and not has(cls.layout.tool()):
            raise unittest.SkipTest("no %s in this build" % cls.layout.tool())
        cls.folder = tempfile.TemporaryDirectory()
        cls.known = cls.dataset.known()
        cls.containers = {}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def container(self, name, *options):
        """The dataset imported with these options and brought into the layout; made once."""
        if name not in self.containers:
            graph = Path(self.folder.name) / (name + "-graph.qrn")
            run("quern-import", self.source(), "-o", graph, *self.dataset.options, *options)
            self.containers[name] = self.laid_out(graph, name)
        return self.containers[name]

    def source(self):
        if self.dataset.bipartite:
            return self.dataset.told_apart(Path(self.folder.name) / "told-apart.txt")
        return GRAPHS / self.dataset.input

    def laid_out(self, graph, name):
        if self.layout is GRAPH:
            return graph
        path = Path(self.folder.name) / (name + ".qrn")
        run(*self.layout.command, graph, "-o", path)
        return path

    def clean(self):
        """As the truth counts; of parallel arcs the lightest stays."""
        direction = () if self.known["directed"] else ("--undirected",)
        return self.container("clean", *CLEAN, "min" if "weights" in self.known else "remove",
                              "--transpose", "also", *direction)

    def undirected(self):
        if not self.known["directed"]:
            return self.clean()
        return self.container("undirected", "--undirected", *CLEAN, "remove", "--weights", "none")

    def compute(self, algorithm, path, *options):
        out = Path(self.folder.name) / "values.tsv"
        run("quern-run", algorithm, path, "-o", out, *options)
        got = values(out)
        out.unlink()
        return got

    # ---- what is checked ----

    def test_counts(self):
        info = json.loads(run("quern-info", "--json", self.clean()).stdout)
        directions = 1 if self.known["directed"] else 2
        self.assertEqual(info["vertices"], self.known["vertices"])
        self.assertEqual(info["edges"], self.known["unique_edges_no_loops"] * directions)
        undirected = json.loads(run("quern-info", "--json", self.undirected()).stdout)
        self.assertEqual(undirected["edges"], self.known["simple_undirected_edges"] * 2)
        self.assertEqual(undirected["vertices"], self.known["vertices"])
        run("quern-verify", self.clean(), self.undirected())

    def test_out_degrees(self):
        degrees = [int(value) for value in self.compute("degree", self.clean()).values()]
        self.assertEqual(len(degrees), self.known["vertices"])
        self.assertEqual(max(degrees), self.known["max_out_degree"])
        self.assertEqual(degrees.count(0), self.known["dangling_vertices"])

    def test_wcc(self):
        components = sizes(self.compute("cc", self.clean()))
        self.assertEqual(len(components), self.known["wcc"]["count"])
        self.assertEqual(max(components.values()), self.known["wcc"]["largest"])

    def test_scc(self):
        components = sizes(self.compute("scc", self.clean()))
        self.assertEqual(len(components), self.known["scc"]["count"])
        self.assertEqual(max(components.values()), self.known["scc"]["largest"])

    def check_levels(self, path, known):
        hops = self.compute("bfs", path, "--source", known["source"])
        levels = sizes({vertex: int(hop) for vertex, hop in hops.items() if hop != "inf"})
        self.assertEqual([levels[depth] for depth in range(len(levels))], known["levels"])
        self.assertEqual(hops[str(known["source"])], "0")

    def test_bfs(self):
        self.check_levels(self.clean(), self.known["bfs"])
        if "bfs_scc" in self.known:
            self.check_levels(self.clean(), self.known["bfs_scc"])
        if "bfs_undirected" in self.known:
            self.check_levels(self.undirected(), self.known["bfs_undirected"])

    def test_triangles(self):
        counted = json.loads(run("quern-run", "tc", self.undirected(), "--json").stdout)
        self.assertEqual(counted["result"]["triangles"], self.known["triangles"])

    def check_ranks(self, path, known):
        ranks = self.compute("pagerank", path, "--damping", "0.85", "--tolerance", "1e-9", "--iterations", "1000")
        self.assertEqual(len(ranks), self.known["vertices"])
        self.assertAlmostEqual(math.fsum(map(float, ranks.values())), 1.0, delta=1e-5)
        best = sorted(map(float, ranks.values()), reverse=True)
        for place, (vertex, rank) in enumerate(known["top10"]):
            self.assertAlmostEqual(float(ranks[str(vertex)]), rank, delta=1e-5 * rank, msg=vertex)
            self.assertAlmostEqual(best[place], rank, delta=1e-5 * rank, msg="place %d" % (place + 1))

    def test_pagerank(self):
        self.check_ranks(self.clean(), self.known["pagerank"])

    def test_pagerank_as_given(self):
        direction = () if self.known["directed"] else ("--undirected",)
        path = self.container("as-given", "--self-loops", "keep", "--duplicates", "keep", "--weights", "none",
                              "--transpose", "also", *direction)
        self.check_ranks(path, self.known["pagerank_as_given"])

    def test_sssp(self):
        known = self.known["sssp"]
        far = self.compute("sssp", self.clean(), "--source", known["source"])
        reached = [float(distance) for distance in far.values() if distance != "inf"]
        self.assertEqual(len(reached), known["reached"])
        self.assertAlmostEqual(max(reached), known["max"], delta=1e-5 * known["max"])
        self.assertAlmostEqual(math.fsum(reached), known["sum"], delta=1e-5 * known["sum"])


class _InLayout(_Truth):
    """The same in a layout of the partitioner, or on the rows that it gives back."""

    def test_wcc(self):
        """A layout that holds one direction needs a symmetric graph for cc."""
        components = sizes(self.compute("cc", self.undirected()))
        self.assertEqual(len(components), self.known["wcc"]["count"])
        self.assertEqual(max(components.values()), self.known["wcc"]["largest"])

    def test_given_back(self):
        """Exactly the edges that went in come out."""
        folder = Path(self.folder.name)
        clean = self.clean()
        run("quern-export", folder / "clean-graph.qrn", "-o", folder / "before.txt")
        run("quern-export", clean, "-o", folder / "after.txt")
        self.assertEqual((folder / "before.txt").read_bytes(), (folder / "after.txt").read_bytes())


IN_LAYOUTS = ("wiki-Vote", "email-Eu-core", "facebook_combined", "lagraph-small/karate.mtx",
              "lagraph-small/test_FW_1000.mtx")


def add(name, base, dataset, **attributes):
    """A class of tests; what the truth knows nothing of (no weights, no duplicates) is no test."""
    name = "".join(letter if letter.isalnum() else "_" for letter in name)
    known = dataset.known() if dataset.present() else {}
    absent = {"test_" + what: None for what in ("scc", "sssp", "pagerank_as_given") if what not in known}
    globals()[name] = type(name, (base,), {"__module__": __name__, "dataset": dataset, **absent, **attributes})


for _dataset in DATASETS:
    # The larger ones hold nothing that is new to the sanitizers.
    add(_dataset.name, _Truth, dataset=_dataset, tier=_dataset.tier,
        sanitized_tier="long" if _dataset.tier == "medium" else _dataset.tier)
for _layout in LAYOUTS:
    for _dataset in DATASETS:
        if _dataset.name in IN_LAYOUTS:
            add("%s in %s" % (_dataset.name, _layout.name), _InLayout, dataset=_dataset, layout=_layout, tier="medium", sanitized_tier="long")
