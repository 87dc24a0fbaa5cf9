"""Orders of vertices: the graph stays the same, threads make no difference, and each order is what its page says."""

import json
import math
import random
import re
import shutil
import unittest
from collections import Counter
from pathlib import Path

from harness.tools import run

ORDERS = ("rcm", "llp", "gorder", "metis")
WINDOW = 5


def has_metis():
    return shutil.which("gpmetis") is not None


def rows_of(container):
    """{vertex: [its out-neighbours]} by ids, vertices in the container's order; each has an out-edge."""
    rows = {}
    for line in run("quern-export", container, "-q", "--both-directions", "-o", "-").stdout.splitlines():
        if not line.startswith("#"):
            source, destination = line.split()[:2]
            rows.setdefault(source, []).append(destination)
    return rows


class _Orders(unittest.TestCase):
    def ring(self, path, num_vertices, num_edges, undirected, seed):
        """A random graph with loops and parallel edges on a ring, so that every vertex has an edge."""
        chance = random.Random(seed)
        edges = [(v, (v + 1) % num_vertices) for v in range(num_vertices)]
        edges += [(int(num_vertices * chance.random() ** 3), chance.randrange(num_vertices)) for _ in range(num_edges)]
        edges += edges[-5:] + [(3, 3)]
        run("quern-import", "-", "-qfo", path, "--weights=u32", *(["--undirected"] if undirected else []),
            input="".join("%d %d %d\n" % (at, to, place) for place, (at, to) in enumerate(edges)))


class Same(_Orders):
    def test_graph_comes_back(self):
        for undirected in (False, True):
            self.ring("g.qrn", 150, 500, undirected, 1)
            run("quern-export", "g.qrn", "-q", "--both-directions", "-fo", "g.txt")
            lines = sorted(Path("g.txt").read_text().splitlines())
            for order in ORDERS:
                if order == "metis" and not has_metis():
                    continue
                with self.subTest(order=order, undirected=undirected):
                    written = set()
                    for threads in "13":
                        run("quern-transform", "g.qrn", "--relabel", order, "-T", threads, "-qfo", "o.qrn")
                        written.add(Path("o.qrn").read_bytes())
                    self.assertEqual(len(written), 1)
                    run("quern-verify", "-q", "o.qrn")
                    run("quern-export", "o.qrn", "-q", "--both-directions", "-o", "o.txt", "-f")
                    self.assertEqual(sorted(Path("o.txt").read_text().splitlines()), lines)

    def test_least_graphs(self):
        head = "%%MatrixMarket matrix coordinate pattern general\n"
        for text, words in ((head + "0 0 0\n", ()), (head + "3 3 0\n", ()), (head + "200 200 1\n9 9\n", ()), ("7 7\n", ()),
                            ("1 2\n2 1\n1 2\n", ("--undirected",))):
            run("quern-import", "-", "-qfo", "g.qrn", *words, input=text)
            run("quern-export", "g.qrn", "-qfo", "g.txt")
            for order in ORDERS:
                if order != "metis" or has_metis():
                    run("quern-transform", "g.qrn", "--relabel", order, "-qfo", "o.qrn")
                    run("quern-export", "o.qrn", "-qfo", "o.txt")
                    self.assertEqual(sorted(Path("o.txt").read_text().splitlines()), sorted(Path("g.txt").read_text().splitlines()))


class Llp(_Orders):
    def test_communities_lie_together(self):
        """Cliques of which a few pairs are joined, in an order of chance: each is in one piece, whatever the seed."""
        chance, size, cliques = random.Random(7), 8, 40
        names = list(range(size * cliques))
        chance.shuffle(names)
        edges = [(names[c * size + a], names[c * size + b]) for c in range(cliques) for a in range(size) for b in range(a)]
        edges += [(names[c * size], names[(c + 1) % cliques * size + 1]) for c in range(cliques)]
        place_of = {name: place // size for place, name in enumerate(names)}
        for undirected in (True, False):
            run("quern-import", "-", "-qfo", "g.qrn", *(["--undirected"] if undirected else []),
                input="".join("%d %d\n%s" % (a, b, "" if undirected else "%d %d\n" % (b, a)) for a, b in edges))
            for seed in range(3):
                run("quern-transform", "g.qrn", "--relabel=llp", "--seed", seed, "-qfo", "o.qrn")
                order = [place_of[int(v)] for v in rows_of("o.qrn")]
                pieces = 1 + sum(a != b for a, b in zip(order, order[1:]))
                self.assertEqual(pieces, cliques)

    def test_memory_is_counted(self):
        """In-edges, rows of both directions and what threads count with are part of what --memory must have room for."""
        run("quern-generate", "rmat", "--scale=14", "--degree=16", "-qfo", "g.qrn")

        def least(order):
            done = run("quern-transform", "g.qrn", "--relabel", order, "-T1", "--memory=1K", "-qfo", "o.qrn", exit=2)
            return int(re.search(r"--memory (\d+)", done.stderr)[1])

        self.assertEqual(least("llp") - least("random"), (8 + 4 * 16 + 8 * 16) * 2**14 + 81 * 2**12)


class Gorder(_Orders):
    def test_pieces(self):
        """Of more than 2^20 vertices every 2^20 stay in their places, ordered by any number of threads."""
        chance, written = random.Random(8), []
        run("quern-import", "-", "-qfo", "g.qrn", "--format=edges", "--vertices=%d" % (2**20 + 9999),
            input="".join("%d %d\n" % (2**20 - 9999 + chance.randrange(19998), chance.randrange(2**20 + 9999)) for _ in range(40000)))
        for threads in "12":
            run("quern-transform", "g.qrn", "--relabel=gorder", "-T", threads, "-qfo", "o.qrn")
            written.append(Path("o.qrn").read_bytes())
        self.assertTrue(written[0] == written[1])
        run("quern-verify", "-q", "o.qrn")
        (place,) = [section["offset"] for section in json.loads(run("quern-info", "o.qrn", "--json").stdout)["sections"]
                    if section["name"] == "original_ids"]
        piece = memoryview(written[0])[place:place + 8 * 2**20].cast("Q")
        self.assertNotEqual(list(piece), list(range(2**20)))
        self.assertEqual(sorted(piece), list(range(2**20)))

    def test_best_comes_next(self):
        """By the definition: no vertex that is left has more in common with the last five than the next one."""
        for seed in range(6):
            self.ring("g.qrn", 60 + 20 * seed, 120 * (seed + 1), seed % 2 == 1, seed)
            run("quern-transform", "g.qrn", "--relabel=gorder", "-qfo", "o.qrn")
            self.check(rows_of("o.qrn"), seed % 2 == 1)

    def check(self, rows, undirected):
        order = list(rows)
        parents = {v: Counter() for v in order}
        for v, row in rows.items():
            for other in row:
                parents[other][v] += 1
        out = {v: Counter(row) for v, row in rows.items()}
        most = int(math.sqrt(len(order)))

        def in_common(v):
            scores = Counter(out[v])
            if not undirected:
                scores.update(parents[v])
            for parent, times in parents[v].items():
                if len(rows[parent]) <= most:
                    for sibling, parallel in out[parent].items():
                        scores[sibling] += times * parallel
            return scores

        degrees = {v: sum(parents[v].values()) for v in order}
        self.assertEqual(degrees[order[0]], max(degrees.values()))
        for place in range(1, len(order)):
            scores = sum((in_common(v) for v in order[max(0, place - WINDOW):place]), Counter())
            self.assertEqual(scores[order[place]], max(scores[v] for v in order[place:]), "place %d" % place)


class Metis(_Orders):
    def test_parts_are_those_of_gpmetis(self):
        if not has_metis():
            self.skipTest("no gpmetis")
        run("quern-generate", "rmat", "--scale=9", "--degree=4", "--undirected", "--self-loops=remove", "--duplicates=remove",
            "-qfo", "g.qrn")
        run("quern-export", "g.qrn", "--format=metis", "-qfo", "g.metis")
        run("gpmetis", "-ptype=rb", "g.metis", 512 // 64 + 1)
        parts = [int(line) for line in Path("g.metis.part.9").read_text().split()]
        run("quern-transform", "g.qrn", "--relabel=metis", "-qfo", "o.qrn")
        expected = [v for v in sorted(range(512), key=lambda v: parts[v])]
        got = [int(v) for v in rows_of("o.qrn")]
        self.assertGreater(len(got), 300)
        self.assertEqual(got, [v for v in expected if v in set(got)])

    def test_missing(self):
        """Without the library it is named, and nothing is written."""
        run("quern-import", "-", "-qfo", "g.qrn", input="0 1\n")
        Path("libmetis.so.5").write_bytes(b"no library")
        done = run("env", "LD_LIBRARY_PATH=.", "quern-transform", "g.qrn", "--relabel=metis", "-qo", "never.qrn", exit=4)
        self.assertIn("libmetis5", done.stderr)
        self.assertFalse(Path("never.qrn").exists())
