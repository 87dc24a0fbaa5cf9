"""bench/gpu.py, tried against the emulator: it measures and checks every kernel, and notices wrong results."""

import array
import importlib.util
import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

SOURCE = Path(os.environ["QUERN_SOURCE"])
TOOLS = Path(os.environ["QUERN_BIN"])
EMULATED = TOOLS.parent / "emulator/bin"


def load_script():
    spec = importlib.util.spec_from_file_location("gpu", SOURCE / "bench/gpu.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write_npy(path, kind, values):
    header = ("{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }" % (kind, len(values))).ljust(117) + "\n"
    code = {"<u4": "I", "<f4": "f"}[kind]
    Path(path).write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode()
                           + array.array(code, values).tobytes())


class Script(unittest.TestCase):
    tier, sanitized_tier = "medium", "long"
    timeout = 300

    @classmethod
    def setUpClass(cls):
        if not (EMULATED / "quern-run").exists():
            raise unittest.SkipTest("%s/quern-run is not built; run scons emulated-tests" % EMULATED)

    def run_script(self, *options):
        done = subprocess.run([sys.executable, SOURCE / "bench/gpu.py", "--emulator", "--bin", TOOLS, "--emulated", EMULATED,
                               "--output", "results", *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env=dict(os.environ, OMP_NUM_THREADS="1"))
        self.assertEqual(done.returncode, 0, done.stdout)
        return json.loads(Path("results/results.json").read_text())

    def test_measures_and_checks_everything(self):
        results = self.run_script("--scales=6")
        measured = {(run["layout"], run["algorithm"], run["kind"]) for run in results["runs"]}
        for algorithm in ("bfs", "sssp", "cc", "pagerank", "spmv", "tc", "bc"):
            for kind in ("rmat", "uniform"):
                self.assertIn(("graph", algorithm, kind), measured)
        self.assertGreaterEqual(len(results["checks"]), 18)
        self.assertEqual([check for check in results["checks"] if not check["right"]], [])
        self.assertIn("0 wrong, 0 not done", Path("results/tables.md").read_text())
        script = load_script()  # what a GPU's results become, as if this graph were the reported one
        script.REPORTED_SCALE = 6
        records = list(script.kernel_records(results["runs"]))
        self.assertEqual({record["column"] for record in records} - {"rate on plain CSR"}, set(script.LAYOUT_TITLES.values()))

    def test_sanitizes_everything(self):
        results = self.run_script("--sanitize", "--scales=5")
        self.assertGreaterEqual(len(results["checks"]), 18)

    def test_measures_rows(self):
        results = self.run_script("--rows")
        self.assertGreater(len(results["rows"]), 10)
        self.assertEqual([check for check in results["checks"] if not check["right"]], [])
        self.assertEqual(results["skipped"], [])

    def test_measures_streaming(self):
        results = self.run_script("--stream", "--scales=8")
        streamed = {(run["layout"], run["algorithm"]) for run in results["streaming"]}
        for layout in ("slotted-pages", "edge-partitions"):
            for algorithm in ("pagerank", "cc", "bfs"):
                self.assertIn((layout, algorithm), streamed)
        self.assertEqual([check for check in results["checks"] if not check["right"]], [])
        self.assertIn("streamed pagerank on slotted-pages, rmat 8", [check["what"] for check in results["checks"]])
        plans = {}
        for run in results["streaming"]:
            plan = tuple(run["plan"][key] for key in ("streams", "batch_bytes", "cache_bytes"))
            self.assertNotIn(plan, plans.setdefault((run["algorithm"], run["layout"]), []))
            plans[run["algorithm"], run["layout"]].append(plan)
        self.assertIn("32 streams", {run["variant"] for run in results["same_plan"]})
        self.assertIn("Not compared, as the plan is", Path("results/tables.md").read_text())
        self.assertTrue(all(run["bytes_over_active"] <= 1.2 for run in results["streaming"]))
        shared = {(run["algorithm"], run["device_memory"] is None) for run in results["joint"]}
        self.assertTrue({("pagerank", True), ("pagerank", False), ("bfs", True), ("cc", True)} <= shared, shared)
        self.assertTrue(all(run["cpu"] > 0 and run["cuda"] > 0 and run["both"] > 0 for run in results["joint"]))
        self.assertIn("| rmat 8 | bfs | all |", Path("results/tables.md").read_text())
        self.assertIn("| rmat 8 | bfs | slotted-pages | no cache |", Path("results/tables.md").read_text())

    def test_says_what_it_had_no_time_for(self):
        results = self.run_script("--seconds=2")
        self.assertGreater(len(results["skipped"]), 0)


class Differences(unittest.TestCase):
    def test_whole_numbers_must_be_equal(self):
        gpu = load_script()
        write_npy("a.npy", "<u4", [1, 2, 3])
        write_npy("b.npy", "<u4", [1, 2, 4])
        self.assertEqual(gpu.difference(Path("a.npy"), Path("a.npy")), "")
        self.assertIn("vertex 2", gpu.difference(Path("a.npy"), Path("b.npy")))

    def test_reals_may_differ_in_the_sixth_digit(self):
        gpu = load_script()
        write_npy("a.npy", "<f4", [1.0, 2.0])
        write_npy("b.npy", "<f4", [1.000002, 2.0])
        write_npy("c.npy", "<f4", [1.0, 2.001])
        write_npy("d.npy", "<f4", [1.0])
        self.assertEqual(gpu.difference(Path("a.npy"), Path("b.npy")), "")
        self.assertIn("vertex 1", gpu.difference(Path("a.npy"), Path("c.npy")))
        self.assertIn("2 values", gpu.difference(Path("a.npy"), Path("d.npy")))
