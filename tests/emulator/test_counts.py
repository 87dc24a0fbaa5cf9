"""What bench_directions says that searches on blocked CSR walk is what the emulated device reads; bench/counts.py counts with both. Searches on other
layouts read a part of the edges."""

import json
import os
import random
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
                return sum(line["reads"] for line in lines if any(each in line["kernel"] for each in kernels) and line["allocation_bytes"] == 4 * row["edges"])
            self.assertEqual(read("sweep_push_units"), row["pushed_edges"], (algorithm, direction))
            self.assertEqual(read("pull_block", "pull_tiles"), row["pulled_edges"], (algorithm, direction))

    def test_searches_and_components_look_at_few_edges_in_any_layout(self):
        """A search goes bottom-up once many are active: a row's first edges, as a rule, and a hub's in many places at once."""
        generator, vertices = random.Random(1), 3000
        ends = [(0, v) for v in range(vertices)] + [(generator.randrange(vertices), generator.randrange(vertices)) for _ in range(8 * vertices)]
        Path("hub.el").write_text("".join("%d %d\n" % each for each in ends))
        run(TOOLS / "quern-import", "hub.el", "--undirected", "-qfo", "hub.qrn")
        for algorithm, *words in (("bfs", "--source=1"), ("cc",)):
            edges = run(TOOLS / "quern-run", algorithm, "hub.qrn", "--device=cpu", *words, "--json", "-qfo", "expected.npy")["edges"]
            for tool, reads_an_edge in (("partition", 1), ("shard", 1), ("page", 3), ("hybrid", 1)):
                run(TOOLS / ("quern-" + tool), "hub.qrn", "-qfo", tool + ".qrn")
                run(EMULATED / "quern-run", algorithm, tool + ".qrn", "--device=cuda", *words, "-qfo", "found.npy", QUERN_EMULATOR_COUNTS="counts.json")
                self.assertEqual(Path("found.npy").read_bytes(), Path("expected.npy").read_bytes(), (tool, algorithm))
                lines = [json.loads(line) for line in Path("counts.json").read_text().splitlines()]
                topology = max(line["allocation_bytes"] for line in lines)
                reads = sum(line["reads"] for line in lines if line["allocation_bytes"] == topology)
                self.assertLess(reads, edges * reads_an_edge // 2, (tool, algorithm))

    def test_script_counts_everything(self):
        subprocess.run([sys.executable, "-B", SOURCE / "bench/counts.py", "--scales=7", "--emulated-scale=11", "--algorithms=sssp", "--trials=0", "--bin", TOOLS,
                        "--emulated", EMULATED, "--programs", EMULATED, "--folder", "."], check=True, stdout=subprocess.DEVNULL,
                       env=dict(os.environ, OMP_NUM_THREADS="1"))
        tables = json.loads(Path("counts.json").read_text())["tables"]
        self.assertEqual(set(tables), {"papers-cage-counts", "papers-cage-cache", "papers-garaph-halves", "papers-graphie-moved",
                                       "papers-graphie-activation", "papers-hpgraph-lanes"})
        rows = {(each["row"], each["column"]): each["value"] for each in tables["papers-graphie-activation"]}
        self.assertGreater(rows["SSSP", "flags set"], rows["SSSP", "words of the bitmap read"])


if __name__ == "__main__":
    unittest.main()
