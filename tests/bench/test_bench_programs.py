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


class Counted(unittest.TestCase):
    """What a cache that holds everything misses is what is looked at: each sector of 32 bytes once."""

    setUp = Figures.setUp

    def test_cache(self):
        subprocess.run([TOOLS / "quern-generate", "rmat", "--scale=9", "--undirected", "-qfo", "g.qrn"], check=True)
        subprocess.run([TOOLS / "quern-block", "g.qrn", "-dboth", "--out-edges", "--block-vertices=100", "-qfo", "b.qrn"], check=True)
        lines = subprocess.run([TOOLS / "quern-run", "degree", "g.qrn", "--device=cpu", "-qfo", "-"], check=True, stdout=subprocess.PIPE, text=True).stdout
        degrees = dict(tuple(map(int, line.split())) for line in lines.splitlines())
        vertices, stored = len(degrees), sum(degrees.values())
        sent = {vertex // 8 for vertex, degree in degrees.items() if degree}

        def ways(size):
            done = subprocess.run([PROGRAMS / "bench_cache", "b.qrn", str(size), "5"], stdout=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 0)
            return {way["way"]: way for way in map(json.loads, done.stdout.splitlines())}
        large, small = ways(1 << 24), ways(1 << 12)
        looked_at = len(sent) + -(-4 * stored // 32) + -(-8 * (vertices + 1) // 32)
        for way in ("base", "VWC of 8", "VWC of 32", "equal tiles of plain CSR"):
            self.assertEqual((large[way]["memory_reads"], large[way]["memory_writes"]), (looked_at, vertices // 8), way)
        for way, each in small.items():
            self.assertEqual(each["edges"], stored)
            self.assertTrue(large[way]["misses"] < each["misses"] <= each["accesses"], way)
            self.assertLessEqual(each["edges"], each["lanes"])
        self.assertLess(small["base"]["edges"] / small["base"]["lanes"], small["VWC of 8"]["edges"] / small["VWC of 8"]["lanes"])

    def test_edges(self):
        for weights in ([], ["--weights=1,9"], ["--weights=0.5,2"]):
            subprocess.run([TOOLS / "quern-generate", "rmat", "--scale=8", "--undirected", *weights, "-qfo", "g.qrn"], check=True)
            done = subprocess.run([PROGRAMS / "bench_edges", "g.qrn", "1"], stdout=subprocess.PIPE, text=True)
            found = [json.loads(line) for line in done.stdout.splitlines()]
            self.assertEqual([(each["algorithm"], each["right"]) for each in found], [(name, True) for name in ("bfs", "sssp", "cc")])
