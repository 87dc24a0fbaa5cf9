"""A user's program, compiled when it is run, on every layout and with every kind of weights."""

import math
import os
import random
import signal
import struct
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from harness.tools import has, run, values
from oracle import naive
from oracle.graphs import RandomGraph
from truth.datasets import LAYOUTS

PROGRAM = Path(os.environ["QUERN_SOURCE"]) / "tests/programs/widest.h"


class RunTime(unittest.TestCase):
    tier = "medium"
    sanitized_tier = "long"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        kept = os.environ.get("XDG_CACHE_HOME")
        os.environ["XDG_CACHE_HOME"] = str(self.folder / "cache")
        self.addCleanup(lambda: os.environ.update(XDG_CACHE_HOME=kept) if kept else os.environ.pop("XDG_CACHE_HOME"))

    def objects(self):
        return sorted((self.folder / "cache/quern/programs").iterdir())

    def check(self, path, graph, expected):
        run("quern-run", path, "--program", PROGRAM, "--source", graph.ids[3], "-o", self.folder / "values.tsv",
            "--force")
        got = values(self.folder / "values.tsv")
        self.assertEqual([float(got[name]) for name in graph.ids], [float(width) for width in expected])

    def test_every_layout(self):
        for weights in ("u32", "none"):
            graph = RandomGraph(7, 300, 2500, weights)
            text, path = self.folder / "in.txt", self.folder / "graph.qrn"
            graph.write(text)
            run("quern-import", text, "-o", path, "--force", "--weights", weights)
            edges = graph.edges if weights == "u32" else [(one, other, 1) for one, other, _ in graph.edges]
            expected = naive.widest(graph.num_vertices, edges, 3)
            self.check(path, graph, expected)
            for layout in LAYOUTS:
                with self.subTest(layout=layout.name, weights=weights):
                    self.assertTrue(has(layout.tool()))
                    run(*layout.command, path, "-o", self.folder / "laid-out.qrn", "--force")
                    self.check(self.folder / "laid-out.qrn", graph, expected)
        self.assertEqual([file.suffix for file in self.objects()], [".so"] * (1 + len(LAYOUTS)))

    def test_halves(self):
        """Messages of two bytes, as Python's struct rounds them: even ones of two, subnormal ones, and the largest."""
        (self.folder / "halves.h").write_text('#define PROGRAM_HALVES 1\n#include "kernels/programs/spmv.h"\n')
        chance, graph = random.Random(2), RandomGraph(5, 300, 2500, "u32")
        vector = [chance.choice((1, -1)) * 2 ** chance.uniform(-27, 16) for _ in range(296)] + [2049.0, 3 * 2.0 ** -25, -65504.0, 65519.9]
        graph.write(self.folder / "in.txt")
        run("quern-import", self.folder / "in.txt", "-o", self.folder / "graph.qrn")
        run("quern-shard", self.folder / "graph.qrn", "-o", self.folder / "shards.qrn")
        (self.folder / "x.tsv").write_text("".join("%s\t%r\n" % pair for pair in zip(graph.ids, vector)))
        floats = struct.unpack("<300f", struct.pack("<300f", *vector))
        sent = struct.unpack("<300e", struct.pack("<300e", *floats))
        expected, scale = (naive.spmv(300, graph.edges, numbers) for numbers in (sent, [abs(x) for x in sent]))
        for container in ("graph.qrn", "shards.qrn"):
            run("quern-run", "--program", self.folder / "halves.h", self.folder / container, "--vector", self.folder / "x.tsv", "-fo",
                self.folder / "y.tsv")
            got = values(self.folder / "y.tsv")
            for name, y, most in zip(graph.ids, expected, scale):
                self.assertAlmostEqual(float(got[name]), y, delta=2e-7 * most)
        self.assertTrue(any(abs(x - y) > 2e-7 * most for x, y, most in zip(naive.spmv(300, graph.edges, floats), expected, scale)))

    def test_no_compiler_is_left(self):
        """However its tool ends, and whatever the compiler has started by then."""
        compiler, text, path = self.folder / "cc", self.folder / "in.txt", self.folder / "graph.qrn"
        compiler.write_text("#!/bin/sh\nsleep 300 & echo $! >'%s'/pids; echo $$ >>'%s'/pids; wait\n" % (self.folder, self.folder))
        compiler.chmod(0o755)
        text.write_text("0 1\n")
        run("quern-import", text, "-q", "-o", path)
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV):
            with self.subTest(number.name):
                pids = self.folder / "pids"
                pids.unlink(missing_ok=True)
                tool = subprocess.Popen(["quern-run", "--program", PROGRAM, path, "-q"], env=dict(os.environ, QUERN_CC=str(compiler)),
                                        stderr=subprocess.DEVNULL)
                self.wait_until(lambda: pids.exists() and len(pids.read_text().split()) == 2)
                tool.send_signal(number)
                tool.wait(timeout=20)
                for pid in pids.read_text().split():
                    self.wait_until(lambda pid=pid: self.has_ended(pid))

    def has_ended(self, pid):
        """An orphan may wait for ever to be asked how it went, where nobody asks."""
        try:
            return Path("/proc", pid, "stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
        except (FileNotFoundError, ProcessLookupError):
            return True

    def wait_until(self, happened):
        until = time.monotonic() + 20
        while not happened():
            self.assertLess(time.monotonic(), until)
            time.sleep(0.02)

    def test_compiled_once(self):
        """For each layout; a changed text is another program."""
        graph = RandomGraph(8, 50, 200, "u32")
        graph.write(self.folder / "in.txt")
        run("quern-import", self.folder / "in.txt", "-o", self.folder / "graph.qrn")
        expected = naive.widest(graph.num_vertices, graph.edges, 3)
        self.check(self.folder / "graph.qrn", graph, expected)
        [first] = self.objects()
        made = first.stat().st_mtime_ns
        self.check(self.folder / "graph.qrn", graph, expected)
        self.assertEqual([(file, file.stat().st_mtime_ns) for file in self.objects()], [(first, made)])
        changed = self.folder / "changed.h"
        changed.write_text(PROGRAM.read_text().replace("width < capacity ? width : capacity", "width"))
        run("quern-run", "--program", changed, self.folder / "graph.qrn", "--source", graph.ids[3], "-o",
            self.folder / "changed.tsv")
        reached = [hops < math.inf for hops in naive.bfs(graph.num_vertices, graph.edges, 3)]
        got = values(self.folder / "changed.tsv")
        self.assertEqual([got[name] == "inf" for name in graph.ids], reached)
        self.assertEqual(len(self.objects()), 2)
