"""Algorithms that decode packed rows themselves: rows over several tiles, ranges without edges, loops and parallel edges, of
either direction or both."""

import json
import random
import tempfile
import unittest
from pathlib import Path

from harness import chance
from harness.tools import run, values
from oracle import naive

VERTICES = 3500  # ranges have 1024 rows, and tiles 2048 edges


def hostile(rng):
    edges = [(rng.randrange(1030), rng.randrange(1030)) for _ in range(2500)]
    edges += [(1024, rng.randrange(VERTICES)) for _ in range(2600)] + [(rng.randrange(900), 1023) for _ in range(2300)]
    edges += [(3499, 0), (0, 3499), (7, 7), (7, 7), (8, 9), (9, 8), (8, 9)]  # rows 2048 to 3071 are nearly empty
    return [(source, destination, 1) for source, destination in edges]


class PackedRows(unittest.TestCase):
    def check(self, edges, undirected, directions):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        at = Path(folder.name)
        (at / "in.txt").write_text("".join("%d %d\n" % edge[:2] for edge in edges))
        run("quern-import", at / "in.txt", "--vertices", VERTICES, "-qo", at / "g.qrn", *undirected)
        every = naive.both_ways(edges) if undirected else edges
        triangles, sources = naive.tc(VERTICES, every), [1024, 3]
        scores = naive.bc(VERTICES, every, sources)
        run("quern-run", "lcc", at / "g.qrn", "--device", "cpu", "-qo", at / "plain.tsv")
        self.assertEqual([float(value) for value in values(at / "plain.tsv").values()][:1030], naive.lcc(VERTICES, every)[:1030])
        for direction in directions:
            with self.subTest(undirected=bool(undirected), direction=direction):
                run("quern-pack", at / "g.qrn", "--direction", direction, "-qfo", at / "p.qrn")
                said = json.loads(run("quern-run", "tc", at / "p.qrn", "--device", "cpu", "--json").stdout)
                self.assertEqual(said["result"]["triangles"], triangles)
                self.assertIn("packed", said["kernel"])
                run("quern-run", "lcc", at / "p.qrn", "--device", "cpu", "-qfo", at / "packed.tsv")
                self.assertEqual((at / "packed.tsv").read_bytes(), (at / "plain.tsv").read_bytes())
                runs = []
                for threads in (1, 3):
                    run("quern-run", "bc", at / "p.qrn", "--device", "cpu", "--threads", threads, "--sources",
                        ",".join(map(str, sources)), "-qfo", at / "bc.tsv")
                    runs.append(values(at / "bc.tsv"))
                self.assertEqual(*runs)
                for vertex, score in enumerate(scores):
                    self.assertAlmostEqual(float(runs[0][str(vertex)]), score, delta=1e-9 * abs(score) + 1e-12)

    def test_directed(self):
        self.check(hostile(random.Random(chance.seed())), (), ("in", "out", "both"))

    def test_undirected(self):
        edges = {(min(edge[:2]), max(edge[:2])) for edge in hostile(random.Random(chance.seed() + 1))}
        self.check([(*edge, 1) for edge in sorted(edges)], ("--undirected",), ("both",))

    def test_a_loop(self):
        self.check([(5, 5, 1)], (), ("both",))


if __name__ == "__main__":
    unittest.main()
