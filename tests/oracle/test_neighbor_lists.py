"""Lists of neighbours, whose numbers are taken many at a time where they are short and come one blank after the other, equal
lists of the same edges."""

import random
import subprocess
import unittest
from pathlib import Path

VERTICES = 1000


def rows_of(rng):
    """Neighbours and weights of vertices: many none, some very many."""
    return [[(rng.randrange(VERTICES), rng.randrange(10 ** rng.randrange(1, 9)))
             for _ in range(rng.choice((0, 0, 1, 2, 7, 8, 9, 40, 127, 128, 129, 700)) if rng.random() < 0.5 else 3)]
            for _ in range(VERTICES)]


def spelled(rng, weight, odd):
    return rng.choice(("%d.0", "%d", "%.1f", "0%d", "%d.5")) % weight if rng.random() < odd else "%d" % weight


class NeighborLists(unittest.TestCase):
    def edges(self, path, *options):
        subprocess.run(["quern-import", path, "-q", "-f", "-o", "g.qrn", "--narrow-weights", *options],
                       check=True)
        subprocess.run(["quern-export", "g.qrn", "-q", "-f", "-o", "out.txt"], check=True)
        return Path("out.txt").read_text().splitlines()

    def compare(self, first, write):
        for seed, odd in enumerate((0, 0.001, 0.3)):
            for weighted in (False, True):
                rng = random.Random(seed)
                rows = [[(v, spelled(rng, weight, odd) if weighted else "") for v, weight in row] for row in rows_of(rng)]
                lines = ["%d %d %s\n" % (u + first, v + first, weight) for u, row in enumerate(rows) for v, weight in row]
                Path("list.txt").write_text("# edges\n" + "".join(lines))
                expected = self.edges("list.txt", "--vertices=%d" % (VERTICES + first))
                Path("graph.txt").write_text(write(rng, rows, weighted, odd), newline="")
                with self.subTest(odd=odd, weighted=weighted):
                    for threads in "-T1", "-T3":
                        self.assertTrue(self.edges("graph.txt", threads) == expected)
                    unweighted = [line.rsplit("\t", 1)[0] for line in expected] if weighted else expected
                    self.assertTrue(self.edges("graph.txt", "--weights=none") == unweighted)

    def test_metis(self):
        def write(rng, rows, weighted, odd):
            def blank():
                return rng.choice(("  ", "\t", " \t ")) if rng.random() < odd else " "

            def line(row):
                end = rng.choice((" \n", "\r\n", "\t\r\n", "\n% comment\n")) if rng.random() < odd else "\n"
                words = [str(v + 1) + (blank() + weight if weighted else "") for v, weight in row]
                return "".join((blank() if rng.random() < odd else "", "".join(word + blank() for word in words).rstrip(), end))

            return "%d %d %d\n" % (VERTICES, sum(map(len, rows)), weighted) + "".join(map(line, rows))
        self.compare(1, write)

    def test_adjacency(self):
        def write(rng, rows, weighted, odd):
            offset, offsets = 0, []
            for row in rows:
                offsets.append(str(offset))
                offset += len(row)
            words = offsets + [str(v) for row in rows for v, _ in row] + [weight for row in rows for _, weight in row if weighted]
            ends = [rng.choice((" ", "\r\n", "\n\n", "\t")) if rng.random() < odd else "\n" for _ in words]
            head = "%sAdjacencyGraph\n%d\n%d\n" % ("Weighted" if weighted else "", VERTICES, offset)
            return head + "".join(word + end for word, end in zip(words, ends))
        self.compare(0, write)


if __name__ == "__main__":
    unittest.main()
