"""bench/unmeasured/on_device.py, tried against the emulator: benchmarks one after another, in files that bench/report.py reads."""

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

SOURCE = Path(os.environ["QUERN_SOURCE"])
TOOLS = Path(os.environ["QUERN_BIN"])
EMULATED = TOOLS.parent / "emulator/bin"


def on_device(*options):
    return subprocess.run([sys.executable, "-B", SOURCE / "bench/unmeasured/on_device.py", "out", "--emulator", "--bin", TOOLS, "--emulated", EMULATED,
                           "--work", ".", *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=dict(os.environ, OMP_NUM_THREADS="1"))


class OnDevice(unittest.TestCase):
    tier, sanitized_tier = "medium", "long"
    timeout = 300

    def setUp(self):
        if not (EMULATED / "quern-run").exists():
            self.skipTest("%s/quern-run is not built; run scons emulated-tests" % EMULATED)

    def test_measures(self):
        done = on_device("--only=large,beyond-cache")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, r"(?s)#### beyond-cache: done; .*#### large: done; ")
        self.assertEqual(sorted(path.name for path in Path("out").iterdir()), ["beyond-cache.json", "large.json", "log.txt"])
        for name, table, rows in (("large", "gpu-large", 8), ("beyond-cache", "gpu-beyond-cache", 9)):
            report = json.loads(Path("out/%s.json" % name).read_text())
            self.assertGreaterEqual(len(report["tables"][table]), rows)
            self.assertIn("date", report)
        self.assertEqual(list(Path().glob("quern-bench-*")), [])

    def test_says_what_is_left(self):
        done = on_device("--only=large,results-wide,public", "--seconds=20")
        self.assertEqual((done.returncode, done.stdout), (0, "no time was left for --only results-wide,public,large\n"))
        self.assertEqual(on_device("--only=larg").returncode, 2)


if __name__ == "__main__":
    unittest.main()
