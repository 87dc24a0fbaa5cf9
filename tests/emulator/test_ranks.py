"""Parts of a set on CUDA devices, which are the emulator: by one process, and by ranks with a device each or one for all."""

import json
import os
import re
import shutil
import signal
import unittest
from unittest import mock

from checkpoint.test_ranks import Started
from emulator.test_quern_run import EMULATED
from harness.tools import run, values
from oracle.sets import HAVE_RANKS, Sets, launch


@unittest.skipUnless(EMULATED.exists(), "no emulator; run scons emulated-tests")
class Graphs(Sets, unittest.TestCase):
    tier, sanitized_tier = "medium", "long"
    timeout = 300
    tool, device = EMULATED, ("--device=cuda",)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # A hub whose row is longer than a unit, in the last part; a part without edges.
        (cls.at / "in.txt").write_text("".join("%d 199\n%d 3\n" % (v, v) for v in range(4, 199)))
        cls.make("hub", "4", "--vertices", "400", split=("--balance", "vertices"))

    def same(self, *words, shared=()):
        said = super().same(*words, shared=shared)
        self.assertEqual(said["device"], "cuda")
        return said


class Parts(Graphs):
    def test_one_process(self):
        for algorithm, graph in (("pagerank", "d"), ("heat", "u"), ("bfs", "d"), ("sssp", "u"), ("kcore", "u"), ("closeness", "d")):
            with self.subTest(algorithm, graph=graph):
                self.same(1, algorithm, graph)
        for algorithm in ("pagerank", "bfs"):
            with self.subTest(algorithm, graph="hub"):
                self.same(1, algorithm, "hub", shared=["--device-memory=32K"])

    def test_parents(self):
        for words in ([EMULATED, "bfs", self.at / "u", "--device=cuda"], ["quern-run", "bfs", self.at / "u.qrn", "--device=cpu"]):
            run(*words, "-q", "--parents", self.at / (words[-1][-3:] + ".tsv"))
        self.assertEqual((self.at / "uda.tsv").read_bytes(), (self.at / "cpu.tsv").read_bytes())

    def test_only_when_asked(self):
        self.assertEqual(json.loads(run(EMULATED, "bfs", self.at / "u", "--json").stdout)["device"], "cpu")

    def test_what_needs_one_container(self):
        """It is put together, and a note says why."""
        self.assertRegex(run(EMULATED, "tc", self.at / "u", "--device=cuda").stderr, "(?m)^note: .* on a device")
        done = run(EMULATED, "bfs", self.at / "u", "--devices=0,1", exit=6)  # there is one
        self.assertRegex(done.stderr, "(?m)^note: .*several devices")


@unittest.skipUnless(HAVE_RANKS, "no mpirun, or a build without Open MPI")
class Ranks(Graphs):
    def test_results(self):
        for ranks, algorithm, graph, options in ((2, "pagerank", "d", ("--iterations=5",)), (3, "bfs", "u", ()), (2, "sssp", "d", ()),
                                                 (2, "kcore", "u", ()), (3, "pagerank", "hub", ("--iterations=3",))):
            with self.subTest(algorithm, ranks=ranks, graph=graph):
                self.same(ranks, algorithm, graph, *options)

    def test_pushes(self):
        """From few vertices, over the borders of parts and of words of bitmaps: a path, and a star at its end."""
        path = [(v * 70, v * 70 + 70) for v in range(8)] + [(560, v) for v in range(561, 1500, 7)]
        (self.at / "in.txt").write_text("".join("%d %d %d\n" % (u, v, u % 5 + 1) for u, v in path))
        self.make("path", "5", "--vertices", "1500", "--undirected", "--weights", "u32")
        for ranks, algorithm in ((1, "bfs"), (3, "bfs"), (2, "sssp"), (4, "kcore")):
            with self.subTest(algorithm, ranks=ranks):
                self.same(ranks, algorithm, "path")

    def test_each_vertex_is_told_once(self):
        """A ladder whose sides are two ranks', and whose rungs are crossed: each vertex has three neighbours that could tell it."""
        sides = [(i, i + 1) for i in range(19)] + [(i, 1000 + j) for i in range(20) for j in (i - 1, i, i + 1) if 0 <= j < 20]
        (self.at / "in.txt").write_text("".join("%d %d\n" % edge for edge in sides))
        self.make("ladder", "2", "--vertices", "2000", "--undirected", split=("--balance", "vertices"))
        said, (_, others) = self.same(2, "bfs", "ladder", "--source=0"), json.loads((self.at / "ladder/set.json").read_text())["blocks"]
        counts, results = 8 + 16 * said["iterations"], 4 * (others["rows"][1] - others["rows"][0])
        self.assertEqual(said["ranks"]["received_bytes"], counts + results + 8 * 20)

    def test_room_for_pushes(self):
        """There is none where nothing is pushed, in a directed graph."""
        (self.at / "in.txt").write_text("0 1 9\n1 2 3\n")
        needed = []
        for options in ((), ("--undirected",)):
            run("quern-import", self.at / "in.txt", "--vertices=20000", "--weights=u32", "--parts=2", "-qfo", self.at / "few", *options)
            done = launch(2, EMULATED, "sssp", self.at / "few", "--device=cuda", "--device-memory=1K", exit=6)
            needed.append(float(re.search(r"needs ([\d.]+) KiB", done.stderr).group(1)))
        self.assertAlmostEqual(needed[1] - needed[0], 4 * 20000 / 1024, delta=1)

    def test_more_ranks_than_parts(self):
        run("quern-transform", self.at / "u.qrn", "--parts", "2", "-qfo", self.at / "two")
        shutil.copy(self.at / "u.qrn", self.at / "two.qrn")
        self.same(3, "bfs", "two")

    def test_memory_that_is_shared(self):
        """Ranks on one device have each a part of what is free; where there are two each has one."""
        run("quern-generate", "uniform", "--scale=9", "--degree=8", "--parts=4", "-qo", self.at / "large")
        words = [EMULATED, "pagerank", self.at / "large", "--device=cuda", "--json", "--iterations=2"]
        with mock.patch.dict(os.environ, QUERN_EMULATOR_MEMORY="48K", QUERN_EMULATOR_DEVICES="2"):
            self.assertGreater(json.loads(launch(2, *words).stdout)["accelerator"]["memory_bytes"], 24 << 10)
        with mock.patch.dict(os.environ, QUERN_EMULATOR_MEMORY="48K", QUERN_EMULATOR_DEVICES="1"):
            self.assertIn("23.62 KiB of CUDA emulator 0", launch(2, *words, exit=6).stderr)

    def test_ranks_that_were_told_different_things(self):
        words = [EMULATED, "indegree", self.at / "d", "-q"]
        for others in ("--device=cuda:0", "--device=cpu"):
            done = launch(1, *words, "--device=cuda", ":", "-n", 1, *words, others, exit=2)
            self.assertIn("--device is the same for all ranks", done.stderr)

    def test_too_little_memory_on_all(self):
        done = launch(2, EMULATED, "pagerank", self.at / "d", "--device=cuda", "--device-memory=1K", "-o", self.at / "no.tsv", exit=6)
        self.assertEqual(len(re.findall("(?m)^quern-run: ", done.stderr)), 1, done.stderr)
        self.assertFalse((self.at / "no.tsv").exists())


@unittest.skipUnless(HAVE_RANKS, "no mpirun, or a build without Open MPI")
class RanksGoOn(Graphs, Started):
    def test_goes_on(self):
        """Two ranks, one of them killed; three go on, on devices, to the result of one process that was left alone."""
        self.kept = self.at / "kept"
        self.checkpoint = self.kept / "checkpoint.qrn"
        for algorithm, graph, options in (("pagerank", "d", ("--tolerance=0", "--iterations=12")), ("kcore", "u", ())):
            with self.subTest(algorithm):
                words = [str(EMULATED), algorithm, str(self.at / graph), "--device=cuda", "-qT1", "--checkpoint", str(self.kept),
                         "--every=1", "-fo", str(self.at / "out.tsv"), *options]
                self.assertNotEqual(self.ended(2, words, signal.SIGKILL), 0)
                launch(2 if algorithm == "kcore" else 3, *words, "--resume")
                run("quern-run", algorithm, self.at / (graph + ".qrn"), "--device=cpu", "-qfo", self.at / "one.tsv", *options)
                self.assertEqual(values(self.at / "out.tsv").keys(), values(self.at / "one.tsv").keys())
                for vertex, value in values(self.at / "one.tsv").items():
                    self.assertAlmostEqual(float(values(self.at / "out.tsv")[vertex]), float(value), delta=1e-5)
