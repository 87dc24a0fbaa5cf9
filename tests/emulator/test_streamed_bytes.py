"""How many bytes streamed runs move that are to look at every edge once, and that no more of a graph is needed for than it has.
Counted in the emulator; results are the CPU's."""

import json
import os
import subprocess
import unittest
from pathlib import Path

TOOLS = Path(os.environ["QUERN_BIN"])
EMULATED = TOOLS.parent / "emulator/bin/quern-run"


def done(*command):
    process = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if process.returncode:
        raise AssertionError("%s: %s" % (command, process.stderr))
    return process.stdout


@unittest.skipUnless(EMULATED.exists(), "the emulator has not been built")
class StreamedBytes(unittest.TestCase):
    tier = "medium"
    sanitized_tier = "long"

    def report(self, algorithm, container, *options):
        return json.loads(done(EMULATED, algorithm, container, "--device=cuda", "--json", *options))

    def streamed(self, algorithm, container):
        """With a quarter of the topology as device memory, and nothing cached."""
        resident = self.report(algorithm, container)["accelerator"]["memory_bytes"]
        plan = self.report(algorithm, container, "--iterations=1", "--device-memory=%d" % (resident * 0.9))["streaming"]
        memory = plan["attribute_bytes"] + plan["topology_bytes"] // 4
        done(TOOLS / "quern-run", algorithm, container, "--device=cpu", "-qfo", "cpu.npy")
        report = self.report(algorithm, container, "--device-memory=%d" % memory, "--cache-memory=0", "-qfo", "cuda.npy")
        self.assertEqual(Path("cpu.npy").read_bytes(), Path("cuda.npy").read_bytes(), container)
        return report["streaming"]

    def test_shortest_paths_read_rows_about_once(self):
        """A row takes whole sectors of 32 bytes, and half of the rows are shorter than one."""
        for weights, most in (("1,255", 1.4), ("0.5,0.9", 1.4)):
            with self.subTest(weights=weights):
                done(TOOLS / "quern-generate", "rmat", "--scale=11", "--undirected", "--weights=" + weights, "-qfo", "graph.qrn")
                streaming = self.streamed("sssp", "graph.qrn")
                self.assertLess(streaming["moved_bytes"], most * streaming["topology_bytes"])


if __name__ == "__main__":
    unittest.main()
