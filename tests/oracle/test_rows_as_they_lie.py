"""Triangles and betweenness on every layout as it lies: rows over several tiles, pages and partitions, ranges without edges,
loops and parallel edges, of either direction or both, any number of threads."""

import json
import random
import tempfile
import unittest
from pathlib import Path

from harness import chance
from harness.tools import run, values
from oracle import naive

VERTICES = 3500  # ranges have 1024 rows, and tiles 2048 edges
LAYOUTS = {"packed": ("quern-pack",), "slotted-pages": ("quern-page", "--page-size", 2048, "--address", "3,3"),
           "edge-partitions": ("quern-partition", "--partition-bytes", 5600), "shards": ("quern-shard", "--shard-vertices", 256),
           "hybrid": ("quern-hybrid",), "blocked-csr": ("quern-block", "--block-vertices", 512)}
DIRECTIONS = {"packed": ("in", "out", "both"), "hybrid": ("in", "out", "both"), "blocked-csr": ("pull", "push", "both")}


def hostile(rng):
    edges = [(rng.randrange(1030), rng.randrange(1030)) for _ in range(2500)]
    edges += [(1024, rng.randrange(VERTICES)) for _ in range(2600)] + [(rng.randrange(900), 1023) for _ in range(2300)]
    edges += [(3499, 0), (0, 3499), (7, 7), (7, 7), (8, 9), (9, 8), (8, 9)]  # rows 2048 to 3071 are nearly empty
    return [(source, destination, 1) for source, destination in edges]


class RowsAsTheyLie(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.at = Path(folder.name)

    def compute(self, algorithm, path, output, *options):
        run("quern-run", algorithm, path, "--device", "cpu", *options, "-qfo", self.at / output)
        return (self.at / output).read_bytes()

    def count(self, path):
        return json.loads(run("quern-run", "tc", path, "--device", "cpu", "--json").stdout)

    def compare(self, layout, path, expected):
        """With the results of plain CSR: the number of triangles, coefficients, and betweenness from given sources."""
        triangles, coefficients, scores, sources = expected
        said = self.count(path)
        self.assertEqual((said["result"]["triangles"], said["layout"]), (triangles, layout))
        self.assertEqual(self.compute("lcc", path, "got.tsv"), coefficients)
        if not sources:
            return
        runs = [self.compute("bc", path, "bc.tsv", "--threads", threads, "--sources", sources) for threads in (1, 3)]
        self.assertEqual(*runs)
        for vertex, score in values(self.at / "bc.tsv").items():
            self.assertAlmostEqual(float(score), scores[int(vertex) - 1], delta=1e-12 * abs(scores[int(vertex) - 1]))

    def check(self, edges, undirected=(), vertices=VERTICES, sources=(1024, 3)):
        graph, sources = self.at / "g.qrn", ",".join(str(source + 1) for source in sources)
        header = "%%%%MatrixMarket matrix coordinate pattern general\n%d %d %d\n" % (vertices, vertices, len(edges))
        (self.at / "in.mtx").write_text(header + "".join("%d %d\n" % (edge[0] + 1, edge[1] + 1) for edge in edges))
        run("quern-import", self.at / "in.mtx", "--duplicates", "keep", "-qfo", graph, *undirected)
        every = naive.both_ways(edges) if undirected else edges
        expected = [naive.tc(vertices, every), self.compute("lcc", graph, "plain.tsv"), [], sources]
        self.assertEqual(self.count(graph)["result"]["triangles"], expected[0])
        self.assertEqual([float(value) for value in values(self.at / "plain.tsv").values()][:1030], naive.lcc(vertices, every)[:1030])
        if sources:
            self.compute("bc", graph, "bc.tsv", "--sources", sources)
            expected[2] = [float(value) for value in values(self.at / "bc.tsv").values()]
            for score, other in zip(expected[2], naive.bc(vertices, every, [int(source) - 1 for source in sources.split(",")])):
                self.assertAlmostEqual(score, other, delta=1e-9 * abs(other) + 1e-12)
        for layout, words in LAYOUTS.items():
            for direction in ((None,) if undirected else DIRECTIONS.get(layout, (None,))):
                with self.subTest(layout=layout, undirected=bool(undirected), direction=direction):
                    run(words[0], graph, *words[1:], *(("--direction", direction) if direction else ()), "-qfo", self.at / "l.qrn")
                    self.compare(layout, self.at / "l.qrn", expected)

    def test_directed(self):
        self.check(hostile(random.Random(chance.seed())))

    def test_undirected(self):
        edges = {(min(edge[:2]), max(edge[:2])) for edge in hostile(random.Random(chance.seed() + 1))}
        self.check([(*edge, 1) for edge in sorted(edges)], ("--undirected",))

    def test_hardly_anything(self):
        self.check([(5, 5, 1)])
        self.check([], vertices=3, sources=(1,))
        self.check([], ("--undirected",), vertices=0, sources=())


if __name__ == "__main__":
    unittest.main()
