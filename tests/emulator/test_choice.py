"""What `--device auto` and several devices choose by expected times, and what a streamed search of plain rows reads where it lies.
The rates are a test's own (QUERN_EMULATOR_RATES): start, copies, transfers, iteration, meetings, kernels."""

import json
import os
import subprocess
import unittest
from pathlib import Path

from harness.tools import run

EMULATED = Path(os.environ["QUERN_BIN"]).parent / "emulator/bin/quern-run"
USUAL = "0.3 29e9 50e9 20e-6 200e-6 1"
EAGER = "0 1e30 1 0 0 0"  # all at once, but that what is streamed takes a second a byte


@unittest.skipUnless(EMULATED.exists(), "no emulator; run scons emulated-tests")
class Choice(unittest.TestCase):
    tier, sanitized_tier = "medium", "long"

    @classmethod
    def setUpClass(cls):
        run("quern-generate", "rmat", "--scale=9", "--degree=8", "--undirected", "--weights=1,9", "-qo", "graph.qrn")
        run("quern-page", "graph.qrn", "--page-size=4K", "-qo", "pages.qrn")

    def report(self, algorithm, container, *options, **environment):
        done = subprocess.run([str(EMULATED), algorithm, container, "--json", *options], env=dict(os.environ, **environment),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)


class Processor(Choice):
    def test_one(self):
        for rates, memory, taken, streams in ((USUAL, "1G", "cpu", False), (None, "1G", "cuda", False), (EAGER, "1G", "cuda", False),
                                              (EAGER, "40K", "cpu", True)):
            with self.subTest(rates=rates, memory=memory):
                report = self.report("bfs", "graph.qrn", "--explain", QUERN_EMULATOR_MEMORY=memory,
                                     **({"QUERN_EMULATOR_RATES": rates} if rates else {}))
                self.assertEqual((report["choice"]["taken"], report["choice"]["streams"], report["device"]), (taken, streams, taken))

    def test_said(self):
        self.assertNotIn("choice", self.report("bfs", "graph.qrn", "--device=cuda", QUERN_EMULATOR_RATES=USUAL))
        self.assertNotIn("choice", self.report("bfs", "graph.qrn", "--device-memory=40K", QUERN_EMULATOR_RATES=USUAL))
        self.assertNotIn("choice", self.report("bfs", "graph.qrn", QUERN_EMULATOR_DRIVER="none"))

    def test_several(self):
        """They pay for one start, if all together take the device, and else each for its own."""
        def devices(*words, rates):
            return [run["device"] for run in self.report(*words, QUERN_EMULATOR_RATES=rates)["runs"]]
        self.assertEqual(devices("bfs,pagerank,cc", "graph.qrn", rates=EAGER), ["cuda"] * 3)
        self.assertEqual(devices("bfs,pagerank,cc", "graph.qrn", rates=USUAL), ["cpu"] * 3)
        # --delta is nothing for the device here, so the whole is not weighed: breadth-first search starts no device.
        late = "1000 1e30 1e30 0 0 0"
        self.assertEqual(devices("sssp,bfs", "pages.qrn", "--delta=3", rates=late), ["cpu"] * 2)


class Devices(Choice):
    def shared(self, algorithm, devices, rates="0 1e30 50e9 0 0 1"):
        return self.report(algorithm, "pages.qrn", "--device=cuda", "--devices=" + devices, QUERN_EMULATOR_DEVICES="4",
                           QUERN_EMULATOR_RATES=rates)["sharing"]

    def test_by_number(self):
        """Two H100s were 1.81 times as fast as one (devices.c), so a tenth of the work is not shared."""
        for devices, gain in (("0,1", 1.81), ("0,1,2", 2.48), ("0,1,2,3", 3.043)):
            sharing = self.shared("pagerank", devices)
            self.assertEqual(sharing["taken"], len(devices) // 2 + 1)
            self.assertAlmostEqual(sharing["one_seconds"] / sharing["all_seconds"], gain, places=2)
        self.assertEqual(self.shared("bfs", "0,1,2,3")["taken"], 1)
        self.assertGreater(self.shared("bfs", "0,1,2,3")["all_seconds"], self.shared("bfs", "0,1")["all_seconds"])
        self.assertEqual(self.shared("pagerank", "0,1", rates="0 1e30 50e9 0 1 1")["taken"], 1)


class Rows(Choice):
    """A streamed search of plain CSR."""

    def searched(self, container, *options, **environment):
        report = self.report("bfs", container, "--device=cuda", *options, "-fo", "cuda.tsv", **environment)
        run("quern-run", "bfs", container, "--device=cpu", *[word for word in options if "memory" not in word], "-fqo", "cpu.tsv")
        self.assertEqual(Path("cuda.tsv").read_bytes(), Path("cpu.tsv").read_bytes())
        return report["streaming"]

    def test_registered_memory(self):
        """A device that does not reach it by its address moves units."""
        some = self.searched("graph.qrn", "--device-memory=40K")
        none = self.searched("graph.qrn", "--device-memory=40K", QUERN_EMULATOR_REGISTERED="no")
        self.assertLess(some["moved_bytes"], none["moved_bytes"])
        self.assertGreater(none["pin_bytes"], 0)

    def test_ends_soon(self):
        """What sees a few edges pins nothing: alone, a loop, a pair, a path, a ring; but what sees the rest of the graph does."""
        lines = ["%d %d" % (a, b) for a, b in zip(range(600), range(1, 601))] + ["0 %d" % (7 * i % 600) for i in range(3000)]
        lines += ["700 700", "701 702", "710 711", "711 712", "720 721", "721 722", "722 720"]
        Path("islands.txt").write_text("\n".join(lines))
        run("quern-import", "islands.txt", "--undirected", "--vertices=800", "-qfo", "islands.qrn")
        run("quern-transform", "islands.qrn", "--relabel", "degree", "-qfo", "hot.qrn")
        for graph, source, soon in (("islands.qrn", 799, True), ("islands.qrn", 700, True), ("islands.qrn", 702, True),
                                    ("islands.qrn", 710, True), ("islands.qrn", 722, True), ("islands.qrn", 5, False),
                                    ("hot.qrn", 710, True), ("hot.qrn", 5, False), ("hot.qrn", 720, True)):
            with self.subTest(graph=graph, source=source):
                streaming = self.searched(graph, "--source=%d" % source, "--device-memory=44K")
                self.assertEqual(streaming["pin_bytes"] == 0, soon)
                self.assertTrue(not soon or streaming["moved_bytes"] < streaming["topology_bytes"] / 8)

    def test_directed(self):
        """With in-edges at hand a search is bottom-up along them."""
        moved = []
        for transpose, memory in (("no", "64K"), ("also", "80K")):
            run("quern-generate", "rmat", "--scale=9", "--degree=30", "--transpose=" + transpose, "-qfo", transpose + ".qrn")
            moved.append(self.searched(transpose + ".qrn", "--device-memory=" + memory, "--cache-memory=0")["moved_bytes"])
        self.assertLess(3 * moved[1], moved[0])
