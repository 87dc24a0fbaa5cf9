"""How many bytes streamed runs move that are to look at every edge once, and that no more of a graph is needed for than it has.
Counted in the emulator; results are the CPU's."""

import json
import os
import random
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
    tier, sanitized_tier = "medium", "long"

    def report(self, algorithm, container, *options):
        return json.loads(done(EMULATED, algorithm, container, "--device=cuda", "--json", *options))

    def streamed(self, algorithm, container, vertices, share=1 / 4):
        """With a share of the topology as device memory, beside what vertices take, and nothing cached."""
        resident = self.report(algorithm, container)["accelerator"]["memory_bytes"]
        plan = self.report(algorithm, container, "--device-memory=%d" % (resident * 0.95))["streaming"]
        memory = plan["attribute_bytes"] + 8 * vertices + share * plan["topology_bytes"]
        done(TOOLS / "quern-run", algorithm, container, "--device=cpu", "-qfo", "cpu.npy")
        report = self.report(algorithm, container, "--device-memory=%d" % memory, "--cache-memory=0", "-qfo", "cuda.npy")
        self.assertEqual(Path("cpu.npy").read_bytes(), Path("cuda.npy").read_bytes(), container)
        return report["streaming"]

    def test_shortest_paths_read_rows_about_once(self):
        """A row takes whole sectors of 32 bytes, and half of the rows are shorter than one."""
        for weights, most in (("1,255", 1.4), ("0.5,0.9", 1.4)):
            with self.subTest(weights=weights):
                done(TOOLS / "quern-generate", "rmat", "--scale=11", "--undirected", "--weights=" + weights, "-qfo", "graph.qrn")
                streaming = self.streamed("sssp", "graph.qrn", 1 << 11)
                self.assertLess(streaming["moved_bytes"], most * streaming["topology_bytes"])

    def test_components_move_every_edge_once(self):
        """On each layout little more than its topology, and on slotted pages, where weights lie among neighbours, not these."""
        most = {}
        for verb, scale in (("transform", 11), ("block", 11), ("partition", 11), ("page", 11), ("shard", 11), ("hybrid", 11),
                            ("pack", 14)):  # whose units are large
            with self.subTest(verb=verb):
                done(TOOLS / "quern-generate", "rmat", "--scale=%d" % scale, "--undirected", "--weights=1,255", "-qfo",
                     "graph.qrn")
                more = ["--relabel=degree"] if verb == "transform" else []
                done(TOOLS / ("quern-" + verb), "graph.qrn", *more, "-qfo", "other.qrn")
                streaming = self.streamed("cc", "other.qrn", 1 << scale)
                self.assertEqual(streaming["moved_units"], streaming["units"])
                self.assertLess(streaming["moved_bytes"] - 80 * streaming["units"], 1.01 * streaming["topology_bytes"])
                most.setdefault(scale, 1.15 * streaming["topology_bytes"])
                if verb == "page":
                    self.assertLess(streaming["topology_bytes"], most[scale])

    def test_rows_are_read_from_units_where_few_are_needed(self):
        """A search reads a few edges of a row, and rounds with few active vertices their rows alone: no whole pages, and no whole tasks of partitions."""
        done(TOOLS / "quern-generate", "rmat", "--scale=12", "--undirected", "--weights=1,255", "-qfo", "graph.qrn")
        for verb, most in (("page", {"bfs": 0.2, "sssp": 2.5, "kcore": 0.7}), ("partition", {"bfs": 0.2, "sssp": 2.5, "kcore": 1.3})):
            done(TOOLS / ("quern-" + verb), "graph.qrn", "-qfo", "units.qrn")
            for algorithm, share in most.items():
                with self.subTest(verb=verb, algorithm=algorithm):
                    streaming = self.streamed(algorithm, "units.qrn", 1 << 12)
                    self.assertLess(streaming["moved_bytes"], share * streaming["topology_bytes"])

    def test_rows_are_read_from_packed_tiles(self):
        """What rows take that are needed, with the codes of their tiles: less in all than of plain rows."""
        done(TOOLS / "quern-generate", "rmat", "--scale=12", "--undirected", "--weights=1,255", "-qfo", "graph.qrn")
        done(TOOLS / "quern-pack", "graph.qrn", "-qfo", "packed.qrn")
        for algorithm, share in (("bfs", 0.75), ("sssp", 4)):
            with self.subTest(algorithm=algorithm):
                plain, packed = (self.streamed(algorithm, container, 1 << 12) for container in ("graph.qrn", "packed.qrn"))
                self.assertLess(packed["moved_bytes"], share * packed["topology_bytes"])
                self.assertLess(packed["moved_bytes"], plain["moved_bytes"])
        done(TOOLS / "quern-generate", "rmat", "--scale=12", "--undirected", "--weights=7,7", "-qfo", "graph.qrn")
        done(TOOLS / "quern-pack", "graph.qrn", "-qfo", "packed.qrn")
        packed = self.streamed("sssp", "packed.qrn", 1 << 12)  # codes of 0 bits
        self.assertLess(packed["moved_bytes"], 2 * packed["topology_bytes"])

    def test_pages_without_their_weights(self):
        """Large pages, small ones, weights of 8 bytes, and directed graphs."""
        chance = random.Random(3)
        for kind, least in ((["--undirected"], 1), ([], 1), (["--undirected"], 1 << 40)):
            edges = [(min(chance.randrange(300), chance.randrange(900)), chance.randrange(900)) for _ in range(8000)]
            Path("edges.txt").write_text("".join("%d %d %d\n" % (*edge, least + chance.randrange(9)) for edge in edges))
            done(TOOLS / "quern-import", "edges.txt", *kind, "-qfo", "graph.qrn")
            for size, algorithm in (("256", "cc"), ("4K", "cc"), ("256", "cross-edges")):
                with self.subTest(kind=kind, least=least, size=size, algorithm=algorithm):
                    done(TOOLS / "quern-page", "graph.qrn", "--page-size=" + size, "-qfo", "pages.qrn")
                    self.streamed(algorithm, "pages.qrn", 900, 1 / 2)


if __name__ == "__main__":
    unittest.main()
