"""Columns of quern-transform --partition, and their figures, are those of the plain models in partitions.py, on small random graphs and
hostile ones, from every layout, on any number of threads."""

import json
import random
import tempfile
import unittest
from pathlib import Path

from conformance.container_reader import read
from conformance.layout_readers import read_layout
from golden.container_writer import graph
from harness import chance
from harness.tools import run
from oracle import partitions

METHODS = ("ldg", "fennel", "hdrf", "2psl")


def both(edges):
    return sorted(edges + [(to, at) for at, to in edges if at != to])


def random_graphs(rng):
    """(num_vertices, edges as they are stored, undirected)"""
    for _ in range(6):
        count = rng.choice((2, 5, 30, 90))
        skewed = [min(rng.randrange(count), rng.randrange(count)) for _ in range(8 * count)]
        edges = list(zip(skewed, (rng.randrange(count) for _ in skewed)))[:rng.choice((3, 4 * count, 8 * count))]
        undirected = rng.random() < 0.6
        yield count, both(edges) if undirected else sorted(edges), undirected


HOSTILE = {
    "nothing": (0, [], True), "no edges": (7, [], False), "loops alone": (3, [(0, 0), (0, 0), (2, 2)], True),
    "parallel": (3, both([(0, 1)] * 9 + [(1, 2)] * 2), True), "directed loops": (2, [(0, 0), (0, 1), (1, 1), (1, 1)], False),
    "hub": (40, both([(17, v) for v in range(40)]), True), "isolated": (50, both([(1, 48), (1, 49)]), True),
    "one way": (30, [(v, 29) for v in range(29)], False), "cliques": (24, both([(a, b) for c in range(3) for a in range(8 * c, 8 * c + 8)
                                                                              for b in range(8 * c, a)]), True)}


class Partition(unittest.TestCase):
    tier = "medium"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.at = Path(folder.name)

    def write(self, num_vertices, edges, undirected):
        (self.at / "g.qrn").write_bytes(graph([(at, to, 1) for at, to in edges], num_vertices, undirected=undirected).bytes())
        return self.at / "g.qrn"

    def partition(self, path, parts, method, *more):
        done = run("quern-transform", path, "--partition", parts, "--by", method, "-fo", self.at / "p.qrn", "--json", *more)
        of = "edges" if method in ("hdrf", "2psl") else "vertices"
        layout = read_layout(read(self.at / "p.qrn"))  # checks every rule: P-10, both directions have the same
        column = getattr(layout.properties, of)["part"]
        self.assertEqual(layout.properties.types[of, "part"], "u8" if parts <= 256 else "u16")
        return column, json.loads(done.stdout)["partition"]

    @staticmethod
    def model(method, *of, **more):
        if method in ("ldg", "fennel"):
            return partitions.of_vertices(method, *of, **more)
        return {"hdrf": partitions.hdrf, "2psl": partitions.two_phase}[method](*of, **more)

    def check(self, num_vertices, edges, undirected, parts, method, *more, **as_model):
        path = self.write(num_vertices, edges, undirected)
        column, figures = self.partition(path, parts, method, *more)
        expected = self.model(method, num_vertices, edges, undirected, parts, **as_model)
        self.assertEqual(column, expected)
        measured = partitions.figures_of_edges(edges, undirected, column, parts) if figures["of"] == "edges" else \
            partitions.figures_of_vertices(num_vertices, edges, undirected, column, parts)
        for key, value in measured.items():
            self.assertEqual(figures[key], value) if isinstance(value, (int, str)) else self.assertAlmostEqual(figures[key], value)
        return figures

    def test_random(self):
        rng = random.Random(chance.seed())
        for num_vertices, edges, undirected in random_graphs(rng):
            for method in METHODS:
                parts = rng.choice((1, 2, 3, 9, 70))
                most = len(partitions.counted(edges, undirected)) if method in ("hdrf", "2psl") else num_vertices
                parts = min(parts, most)
                imbalance = rng.choice((0, 0.05, 0.5, 100))
                more, as_model = ["--imbalance", imbalance], {"imbalance": imbalance}
                if method in ("ldg", "fennel") and rng.random() < 0.5:
                    more += ["--passes", 3]
                    as_model["passes"] = 3
                with self.subTest(method=method, parts=parts, vertices=num_vertices, edges=len(edges), undirected=undirected, **as_model):
                    self.check(num_vertices, edges, undirected, parts, method, *more, **as_model)

    def test_hostile(self):
        for name, (num_vertices, edges, undirected) in HOSTILE.items():
            for method in METHODS:
                most = len(partitions.counted(edges, undirected)) if method in ("hdrf", "2psl") else num_vertices
                with self.subTest(name, method=method):
                    self.check(num_vertices, edges, undirected, min(3, max(1, most)), method)

    def test_cliques_are_found(self):
        """What communities there are, a stream finds in a few passes: none of the 84 edges is cut."""
        num_vertices, edges, undirected = HOSTILE["cliques"]
        for method in ("ldg", "fennel"):
            self.assertEqual(self.check(num_vertices, edges, undirected, 3, method, "--passes", 4, passes=4)["cut"], 0)

    def test_layouts_threads_and_memory(self):
        """The column is the same from every layout, on any number of threads, and in temporary files."""
        rng = random.Random(chance.seed())
        count = 400
        edges = both([(rng.randrange(count), min(rng.randrange(count), rng.randrange(count))) for _ in range(2000)])
        path = self.write(count, edges, True)
        others = {"packed": self.at / "packed.qrn", "set": self.at / "set"}
        run("quern-pack", path, "-q", "-o", others["packed"])
        run("quern-transform", path, "--parts", 3, "-q", "-o", others["set"])
        for method in METHODS:
            expected = self.partition(path, 300, method)
            for name, other in others.items():
                with self.subTest(name, method=method):
                    self.assertEqual(self.partition(other, 300, method)[0], expected[0])
            before = (self.at / "p.qrn").read_bytes()
            for more in (["--threads", 1], ["--threads", 5], ["--memory", "1M"]):
                with self.subTest(method=method, more=more):
                    self.partition(others["set"], 300, method, *more)
                    self.assertEqual((self.at / "p.qrn").read_bytes(), before)

    def test_info(self):
        """quern-info measures any column of integers alike."""
        for method in METHODS:
            num_vertices, edges, undirected = HOSTILE["hub"]
            figures = self.check(num_vertices, edges, undirected, 5, method)
            told = json.loads(run("quern-info", self.at / "p.qrn", "--partition", "part", "--json").stdout)["partition"]
            self.assertEqual({key: figures[key] for key in told}, told)
