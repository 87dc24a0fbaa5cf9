"""What bench_directions says that searches on blocked CSR walk is what the emulated device reads; bench/counts.py counts with both."""

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

SOURCE = Path(os.environ["QUERN_SOURCE"])
TOOLS = Path(os.environ["QUERN_BIN"])
EMULATED = TOOLS.parent / "emulator/bin"


def run(*command, **environment):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=dict(os.environ, OMP_NUM_THREADS="1", **environment))
    if done.returncode:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout) if done.stdout else None


class Counts(unittest.TestCase):
    tier, sanitized_tier = "medium", "long"

    @classmethod
    def setUpClass(cls):
        if not (EMULATED / "bench_directions").exists():
            raise unittest.SkipTest("%s/bench_directions is not built; run scons emulated-tests" % EMULATED)
        if "asan" in TOOLS.parts:
            raise unittest.SkipTest("AddressSanitizer watches instead of the emulator")

    def test_edges_are_those_that_the_device_reads(self):
        run(TOOLS / "quern-generate", "rmat", "--scale=9", "--undirected", "-qfo", "g.qrn")
        run(TOOLS / "quern-block", "g.qrn", "-dpull", "--block-vertices=200", "--out-edges", "-qfo", "blocks.qrn")
        rows = {(row["algorithm"], row["rule"]): row
                for row in run(EMULATED / "bench_directions", "blocks.qrn", "--json", "--trials=1", "--cache=1K")}
        self.assertEqual(len(rows), 15)
        for algorithm, direction in (("bfs", "auto"), ("bfs", "push"), ("sssp", "auto"), ("bc", "auto"), ("bc", "pull")):
            row = rows[algorithm, direction if direction != "auto" else "shares" if algorithm == "bfs" else "edges"]
            run(EMULATED / "quern-run", algorithm, "blocks.qrn", "--device=cuda", "--direction=" + direction, "-q", "--json",
                QUERN_EMULATOR_COUNTS="counts.json")
            lines = [json.loads(line) for line in Path("counts.json").read_text().splitlines()]

            def read(*kernels):
                return sum(line["reads"] for line in lines if line["kernel"] in kernels and line["allocation_bytes"] == 4 * row["edges"])
            self.assertEqual(read("sweep_push_units"), row["pushed_edges"], (algorithm, direction))
            self.assertEqual(read("pull_block", "pull_tiles"), row["pulled_edges"], (algorithm, direction))

    def test_script_counts_everything(self):
        subprocess.run([sys.executable, "-B", SOURCE / "bench/counts.py", "--scales=7", "--emulated-scale=11", "--algorithms=bfs", "--trials=0", "--bin", TOOLS,
                        "--emulated", EMULATED, "--programs", EMULATED, "--folder", "."], check=True, stdout=subprocess.DEVNULL,
                       env=dict(os.environ, OMP_NUM_THREADS="1"))
        tables = json.loads(Path("counts.json").read_text())["tables"]
        self.assertEqual(set(tables), {"papers-cage-counts", "papers-cage-cache", "papers-garaph-halves", "papers-graphie-moved",
                                       "papers-graphie-activation", "papers-hpgraph-lanes"})
        rows = {(each["row"], each["column"]): each["value"] for each in tables["papers-graphie-activation"]}
        self.assertGreater(rows["BFS", "flags set"], rows["BFS", "words of the bitmap read"])


if __name__ == "__main__":
    unittest.main()
