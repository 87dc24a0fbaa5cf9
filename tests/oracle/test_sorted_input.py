"""Edges that come sorted are written as they are, from where they lie in a mapped file; the same edges in another order are
sorted. Both must make the same graph, whatever is taken out of it."""

import random
import struct
import subprocess
import unittest
from itertools import product
from pathlib import Path


def run(*words, **more):
    return subprocess.run([str(word) for word in words], check=True, stdout=subprocess.PIPE, **more).stdout


def make_edges(seed, largest):
    """Several blocks of edges with rows that end in the middle of one, loops, and repetitions across their borders."""
    rng = random.Random(seed)
    sources = sorted(rng.choice([7, 8, rng.randrange(largest), rng.randrange(largest)]) for _ in range(30000))
    edges = [(u, u if rng.random() < 0.05 else rng.randrange(largest)) for u in sources]
    return sorted(edges + [(7, 9)] * 9000)


class SortedInput(unittest.TestCase):
    tier = "medium"
    timeout = 300
    options = [["--self-loops=remove"], ["--duplicates=remove"], ["--ids=keep"], ["--undirected"]]

    def imported(self, path, record, *options):
        run("quern-import", path, "--format=pairs", "--record", record, "-q", "-f", "-o", "g.qrn", *options)
        run("quern-verify", "g.qrn")
        run("quern-export", "g.qrn", "--both-directions", "--format=edges", "-q", "-f", "-o", "out")
        return Path("out").read_bytes()

    def check(self, pack, record, edges, weighted):
        items = [edge + ((i % 250,) if weighted else ()) for i, edge in enumerate(edges)]
        # Equal edges keep their order, by which one is kept of them.
        shuffled = sorted(items, key=lambda item: (item[0] * 2654435761 % 4093, item[1] * 40503 % 257))
        for name, some in ("sorted", items), ("shuffled", shuffled):
            with open(name, "wb") as file:
                file.write(b"".join(struct.pack(pack, *item) for item in some))
        for chosen in product((False, True), repeat=len(self.options)):
            options = [word for use, words in zip(chosen, self.options) if use for word in words]
            first = self.imported("sorted", record, "-T", 1, *options)
            second = self.imported("sorted", record, "-T", 3, *options)
            other = self.imported("shuffled", record, "-T", 2, *options)
            with self.subTest(record=record, options=options):
                self.assertEqual(first, second)
                self.assertEqual(first, other)

    def test_plain(self):
        self.check("<II", "u32", make_edges(1, 5000), False)

    def test_weighted(self):
        self.check("<QQI", "u64,u32", make_edges(2, 40000), True)

    def test_wide_ids_between_others(self):
        edges = [(u, v << 30) if 2000 < u < 3000 else (u, v) for u, v in make_edges(3, 4000)]
        for chosen in [], ["--duplicates=remove"]:
            with open("sorted", "wb") as file:
                file.write(b"".join(struct.pack("<QQ", *edge) for edge in edges))
            with open("shuffled", "wb") as file:
                file.write(b"".join(struct.pack("<QQ", *edge) for edge in random.Random(4).sample(edges, len(edges))))
            self.assertEqual(self.imported("sorted", "u64", *chosen), self.imported("shuffled", "u64", *chosen))


if __name__ == "__main__":
    unittest.main()
