"""The benchmarks of kernels and builders: a table, or with --json the same figures and nothing else."""

import json
import os
import subprocess
import unittest
from pathlib import Path

TOOLS = Path(os.environ["QUERN_BIN"])
PROGRAMS = TOOLS.parent / "bench/bin"


class Figures(unittest.TestCase):
    def setUp(self):
        if not PROGRAMS.exists():
            raise unittest.SkipTest("%s is not built; run scons unit-tests" % PROGRAMS)
        subprocess.run([TOOLS / "quern-generate", "uniform", "--scale=5", "--undirected", "-qfo", "g.qrn"], check=True)

    def run_program(self, name, *arguments):
        done = subprocess.run([PROGRAMS / name, "g.qrn", "--trials=1", *arguments], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def check(self, name, key, *arguments):
        rows = json.loads(self.run_program(name, "--json", *arguments))
        self.assertGreater(len(rows), 0)
        self.assertTrue(all(row["file"] == "g.qrn" and row[key] > 0 for row in rows), rows)
        table = self.run_program(name, "--json-file=figures.json", *arguments)
        self.assertIn("g.qrn: ", table)
        self.assertEqual([row.keys() for row in json.loads(Path("figures.json").read_text())], [row.keys() for row in rows])

    def test_kernels(self):
        self.check("bench_kernels", "iterations", "--algorithms=bfs,pagerank")

    def test_builders(self):
        self.check("bench_layouts", "bytes", "--tools=quern-page")

    def test_verifying(self):
        self.check("bench_verifying", "rules_seconds")
