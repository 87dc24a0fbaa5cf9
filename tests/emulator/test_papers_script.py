"""bench/papers.py, tried against the emulator: every table of docs/papers.md is measured, and every result is the CPU's."""

import json
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

SOURCE = Path(os.environ["QUERN_SOURCE"])
TOOLS = Path(os.environ["QUERN_BIN"])
EMULATED = TOOLS.parent / "emulator/bin"


def run_script(*options):
    done = subprocess.run([sys.executable, "-B", SOURCE / "bench/papers.py", "--bin", TOOLS, "--output", "results", *options],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=dict(os.environ, OMP_NUM_THREADS="1"))
    return done, json.loads(Path("results/papers.json").read_text())


class Emulated(unittest.TestCase):
    tier, sanitized_tier = "medium", "long"
    timeout = 300

    def test_measures_every_table(self):
        if not (EMULATED / "quern-run").exists():
            raise unittest.SkipTest("%s/quern-run is not built; run scons emulated-tests" % EMULATED)
        done, report = run_script("--emulator", "--emulated", EMULATED, "--scale=7", "--large=6")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(report["skipped"], [])
        wanted = set(re.findall(r"(?m)^@table (\S+)", (SOURCE / "bench/pages/papers.md.in").read_text()))
        # Of disks and of the CPU alone: bench/stripes.py, bench/storage.py, bench/counts.py.
        wanted -= {"papers-gts-stripes", "papers-garaph-storage", "papers-garaph-asynchronous", "papers-graphie-cpu"}
        # Counted: bench/counts.py.
        wanted -= {"papers-cage-counts", "papers-cage-cache", "papers-garaph-halves", "papers-hpgraph-lanes", "papers-graphie-moved",
                   "papers-graphie-activation"}
        wanted -= {"papers-gts-disks"}  # of more than is read to measure a disk
        wanted -= {"papers-cage-counters"}  # a device's own: bench/programs/cage_counters.py
        self.assertEqual(wanted, set(report["tried"]))
        for name, cells in report["tried"].items():
            keys = [(cell["graph"], cell["row"], cell["column"]) for cell in cells]
            self.assertEqual(len(keys), len(set(keys)), name)


class WithoutDevice(unittest.TestCase):
    tier, sanitized_tier = "medium", "long"

    def test_measures_what_the_cpu_does(self):
        listed = json.loads(subprocess.run([TOOLS / "quern-run", "--list", "--json"], stdout=subprocess.PIPE, check=True).stdout)
        if any(kernel["device"] == "cuda" for kernel in listed["kernels"]):
            raise unittest.SkipTest("these tools may find a device")
        done, report = run_script("--scale=7", "--large=6", "--only=building,cpu,garaph,gts", "--passes=1")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(set(report["tables"]), {"papers-building", "papers-garaph-devices", "papers-garaph-modes", "papers-graphie-renaming", "papers-hpgraph-masks",
                                                 "papers-hpgraph-warps"})
        self.assertIn("gts: there is no GPU", report["skipped"])
        self.assertIn("Garaph, sssp on GPU: there is no GPU", report["skipped"])

    def test_knows_the_papers(self):
        done = subprocess.run([sys.executable, "-B", SOURCE / "bench/papers.py", "--only=gst"], stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("graphcage", done.stderr)


if __name__ == "__main__":
    unittest.main()
