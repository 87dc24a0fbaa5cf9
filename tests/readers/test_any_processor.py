"""Readers look for vector instructions when they run. Without them the same bytes must come out: a quern-import that is told that
there are none, beside the one that looks."""

import os
import random
import unittest
from pathlib import Path

from harness.tools import run

TOOLS = Path(os.environ["QUERN_BIN"])
PLAIN = TOOLS.parent / "plain/bin/quern-import"

GRAPHS = {
    "bare": [],
    "whole": ["--weights", "1,4000000000"],
    "real": ["--weights", "0.0,1.0"],
    "undirected": ["--weights", "1,90", "--undirected"],
    "bare-undirected": ["--undirected"],
}
FORMATS = ("edges", "csv", "matrix-market", "dimacs", "metis", "adjacency")


class AnyProcessor(unittest.TestCase):
    tier, timeout = "medium", 300

    def compare(self, *inputs):
        """The same containers, or the same refusal."""
        results = []
        for tool in (TOOLS / "quern-import", PLAIN):
            done = run(tool, *inputs, "-q", "-f", "-o", "out.qrn", exit=(0, 2, 3, 4))
            results.append((done.returncode, done.stderr, Path("out.qrn").read_bytes() if done.returncode == 0 else b""))
        self.assertEqual(results[0][:2], results[1][:2])
        self.assertTrue(results[0][2] == results[1][2], inputs)
        return results[0][0]

    def test_exported(self):
        compared = 0
        for name, options in GRAPHS.items():
            run("quern-generate", "rmat", "--scale", "13", "--seed", "4", *options, "-q", "-f", "-o", "g.qrn")
            for format in FORMATS:
                with self.subTest(graph=name, format=format):
                    if run("quern-export", "g.qrn", "--format", format, "-q", "-f", "-o", "g.txt", exit=(0, 2, 4)).returncode == 0:
                        compared += 1
                        self.assertEqual(self.compare("g.txt"), 0)
                        self.assertEqual(self.compare("g.txt", "--memory", "64M"), 0)
            run("quern-archive", "create", "--bundle", "g.qrn", "-q", "-f", "-o", "g.tar")
            self.assertEqual(self.compare("g.tar:g.qrn"), 0)
        self.assertGreaterEqual(compared, 20)

    def test_spellings(self):
        """Lines of one shape, with others among them, real numbers of every length."""
        draw = random.Random(9)
        spellings = ("%.3f", "%.6g", "%.9f", "%.17g", "%.16e", "%d", "%.1f")
        for odd in (0, 2000, 7):
            for usual in spellings:
                lines = []
                for _ in range(6000):
                    spelling = draw.choice(spellings) if odd and draw.randrange(odd) == 0 else usual
                    lines.append("%d %d %s" % (draw.randrange(10 ** draw.randrange(1, 9)), draw.randrange(10 ** 8),
                                               spelling % (draw.random() * 10 ** draw.randrange(9))))
                    if odd and draw.randrange(odd) == 0:
                        lines.append(draw.choice(("# a comment", "", "  7\t8 9.5 ")))
                Path("g.txt").write_text("\n".join(lines) + "\n")
                with self.subTest(odd=odd, spelling=usual):
                    self.compare("g.txt")  # most have weights that are refused without the option
                    self.assertEqual(self.compare("g.txt", "--narrow-weights"), 0)

    def test_refused(self):
        """Errors name the same line and column."""
        draw = random.Random(3)
        lines = ["%d %d" % (draw.randrange(10 ** 8), draw.randrange(10 ** 8)) for _ in range(3000)]
        for bad in ("x 1", "1", "1 18446744073709551616", "1 -2", "123456789 y", "1 2 nan"):
            at = draw.randrange(len(lines))
            Path("bad.txt").write_text("\n".join(lines[:at] + [bad] + lines[at:]) + "\n")
            with self.subTest(bad=bad):
                self.assertEqual(self.compare("bad.txt"), 3)
