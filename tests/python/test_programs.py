"""A user's own program, compiled and run by the library: on every layout, from several threads and processes, cancelled."""

import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

from harness.package import SOURCE, needs, quern
from harness.tools import run
from oracle import naive
from oracle.graphs import RandomGraph

try:
    import numpy as np
except ImportError:
    np = None

PROGRAM = SOURCE / "tests/programs/widest.h"


class _Scratch(unittest.TestCase):
    tier = "medium"

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.cache = self.folder / "cache/quern/programs"
        self.set("XDG_CACHE_HOME", self.folder / "cache")
        made = RandomGraph(7, 120, 900, "u32")
        made.write(self.folder / "in.txt")
        run("quern-import", self.folder / "in.txt", "-q", "-o", self.folder / "graph.qrn")
        self.graph, self.source = quern.open(self.folder / "graph.qrn"), made.ids[3]
        self.expected = naive.widest(made.num_vertices, made.edges, 3)

    def set(self, name, value):
        kept = os.environ.get(name)
        os.environ[name] = str(value)
        self.addCleanup(lambda: os.environ.pop(name) if kept is None else os.environ.update({name: kept}))

    def compiler(self, *lines):
        """A compiler that does something first."""
        path = self.folder / "compiler.sh"
        path.write_text("\n".join(["#!/bin/sh", *lines, 'exec cc "$@"', ""]))
        path.chmod(0o700)
        self.set("QUERN_CC", path)

    def found(self, graph=None):
        return [float(width) for width in (graph or self.graph).run(program=PROGRAM, source=self.source).values.tolist()]

    def wanted(self):
        return [2.0**32 - 1 if width == float("inf") else float(width) for width in self.expected]


@needs()
class Programs(_Scratch):
    def test_every_layout(self):
        self.assertEqual(self.found(), self.wanted())
        for layout in quern.layouts():
            with self.subTest(layout["layout"]):
                self.assertEqual(self.found(self.graph.build(layout["layout"])), self.wanted())
        self.assertEqual({file.suffix for file in self.cache.iterdir()}, {".so"})

    def test_what_it_says_of_itself(self):
        result = self.graph.run(program=str(PROGRAM), source=self.source, threads=2)
        self.assertEqual((result.algorithm, list(result.columns), result.device), ("widest", ["widest"], "cpu"))
        for file in self.cache.iterdir():  # a result keeps what it is of
            file.unlink()
        self.graph.close()
        self.assertEqual(float(result.values.sum()), sum(self.wanted()))
        self.assertEqual(result.algorithm, "widest")

    def test_placed(self):
        with self.graph.on("cpu") as placed:
            for _ in range(2):
                self.assertEqual(placed.run(program=PROGRAM, source=self.source).values.tolist(), self.wanted())

    def test_errors_are_values(self):
        bad = self.folder / "bad.h"
        bad.write_text(PROGRAM.read_text().replace("return new_value > old_value", "return new_valu > old_value"))
        line = bad.read_text()[:bad.read_text().index("new_valu >")].count("\n") + 1
        with self.assertRaisesRegex(quern.InvalidError, "new_valu.*: return new_valu > old_value;") as caught:
            self.graph.run(program=bad)
        self.assertEqual((caught.exception.file, caught.exception.line), (str(bad), line))
        for given, kind, text in (({"algorithm": "bfs", "program": PROGRAM}, quern.UsageError, "widest.h or bfs"),
                                  ({}, quern.UsageError, "name an algorithm, or a program"),
                                  ({"program": self.folder / "none.h"}, quern.SystemFailure, "none.h: cannot open"),
                                  ({"program": PROGRAM, "checkpoint": "kept"}, quern.UnsupportedError, "no checkpoints"),
                                  ({"program": PROGRAM, "source": self.source, "damping": 0.5}, quern.UsageError, "damping")):
            with self.subTest(given), self.assertRaisesRegex(kind, text):
                self.graph.run(**given)
        self.set("QUERN_CC", "no-such-compiler")
        with self.assertRaisesRegex(quern.SystemFailure, "no-such-compiler cannot be run; QUERN_CC names another"):
            self.graph.run(program=PROGRAM, source=self.source)

    def test_progress_and_cancelling(self):
        """The compiler ends with the call, and with it what it has started."""
        told = []
        self.assertEqual(self.found(), self.wanted())
        self.compiler("echo $$ > %s/pid" % self.folder, "sleep 60")

        def stop(what, unit, done, total):
            told.append(what)
            if (self.folder / "pid").exists():
                raise KeyError("enough")

        begin = time.monotonic()
        with self.assertRaisesRegex(KeyError, "enough"):
            self.graph.run(program=PROGRAM, source=self.source, progress=stop)
        self.assertLess(time.monotonic() - begin, 30)
        self.assertEqual(set(told), {"compiling"})
        group = int((self.folder / "pid").read_text())
        with self.assertRaises(ProcessLookupError):
            for _ in range(100):  # who inherited the child may take a while to bury it
                os.killpg(group, 0)
                time.sleep(0.05)
        self.assertEqual({file.suffix for file in self.cache.iterdir()}, {".so"})


@needs()
class SideBySide(_Scratch):
    def test_threads_that_compile_the_same(self):
        """All at once: the compiler waits until there are several of it."""
        self.compiler("touch %s/begun.$$" % self.folder,
                      "while [ $(ls %s/begun.* | wc -l) -lt 3 ]; do sleep 0.02; done" % self.folder)
        found = []
        threads = [threading.Thread(target=lambda: found.append(self.found())) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, 3 * [self.wanted()])
        [_] = self.cache.iterdir()

    def test_after_a_fork(self):
        """Compiled by children, and found by the parent."""
        self.graph.run("degree")
        with multiprocessing.get_context("fork").Pool(2) as pool:
            self.assertEqual(pool.map_async(_widths, 2 * [(self.folder / "graph.qrn", self.source)]).get(60), 2 * [self.wanted()])
        self.set("QUERN_CC", os.environ.get("QUERN_CC", "cc"))
        self.assertEqual(self.found(), self.wanted())

    def test_in_a_process_of_its_own_ways(self):
        """One that ignores the ends of its children, has no standard descriptors, and has gone elsewhere."""
        script = """
import os, signal, sys
import quern
graph = quern.open(%r)
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.chdir("/")
for descriptor in (0, 1, 2):
    os.close(descriptor)
print = None
values = graph.run(program=%r, source=%r).values.tolist()
try:
    graph.run(program=%r)
except quern.InvalidError as error:
    open(%r, "w").write("%%d\\n%%s" %% (sum(values), error))
"""
        bad, out = self.folder / "bad.h", self.folder / "out"
        bad.write_text("#error none of that\n")
        done = subprocess.run([sys.executable, "-c", script % (str(self.folder / "graph.qrn"), str(PROGRAM), self.source, str(bad),
                                                               str(out))], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual((done.returncode, done.stdout), (0, b""))
        total, message = out.read_text().split("\n", 1)
        self.assertEqual(int(total), sum(self.wanted()))
        self.assertIn("bad.h:1", message)
        self.assertIn("none of that", message)


def _widths(given):
    path, source = given
    return quern.open(path).run(program=PROGRAM, source=source).values.tolist()
