"""bench/formats.py exports and imports what is more than one file, in no order or changed after its export, on a tiny graph."""

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

SOURCE = Path(os.environ["QUERN_SOURCE"])
TOOLS = Path(os.environ["QUERN_BIN"])
SPECIAL = ["edges, f32 and times", "graphalytics, f32", "pairs, f32, no order", "npy, in no order", "webgraph"]


class Formats(unittest.TestCase):
    tier, sanitized_tier = "medium", "long"

    def test_special_formats(self):
        done = subprocess.run([sys.executable, "-B", SOURCE / "bench/formats.py", "--scale=4", "--threads=1", "--repeat=1", "--folder=files",
                               "--packed", "--only", *SPECIAL, "--tools=%s" % TOOLS], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual([row["format"] for row in json.loads(Path("files/formats.json").read_text())["formats"]], SPECIAL)


if __name__ == "__main__":
    unittest.main()
