"""Tools built with ThreadSanitizer (scons CC=clang CXX=clang++ variant=tsan) on tiny graphs: no data race.

LLVM's Archer tells the sanitizer what OpenMP synchronises; without it every parallel loop would be reported."""

import glob
import itertools
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(os.environ["QUERN_SOURCE"]) / "build/tsan/bin"
ARCHER = sorted(glob.glob("/usr/lib/llvm-*/lib/libarcher.so"))
BUILDERS = {
    "blocks": ("quern-block", "--block", "64"), "push-blocks": ("quern-block", "--direction", "push"),
    "partitions": ("quern-partition",), "pages": ("quern-page",), "shards": ("quern-shard",),
    "hybrid": ("quern-hybrid", "--direction", "both"),
    "packed": ("quern-pack",),
}
# Formats to export as, and to import again.
FORMATS = {
    "edges": ("edges",), "csv": ("edges",), "matrix-market": ("matrix-market",), "npz": ("npz",),
    "pairs": ("pairs", "--record", "u32,u32"),
}
ALGORITHMS = {"bfs": ("--source", "0"), "cc": (), "pagerank": (), "sssp": ("--source", "0")}
RACE = """
long count;
__attribute__((noinline)) void add(void) { count++; }
int main(void) {
  for (int time = 0; time < 200; time++) {
#pragma omp parallel for
    for (int i = 0; i < 1000; i++)
      add();
  }
  return 0;
}
"""


class Races(unittest.TestCase):
    tier, sanitized_tier = "medium", "long"
    timeout = 600

    @classmethod
    def setUpClass(cls):
        if not TOOLS.exists() or not ARCHER:
            raise unittest.SkipTest("no tools built with variant=tsan, or no libarcher.so (libomp-dev); "
                                    "./bootstrap test races has both")
        cls.environment = dict(os.environ, OMP_TOOL_LIBRARIES=ARCHER[-1], OMP_NUM_THREADS="4",
                               TSAN_OPTIONS="ignore_noninstrumented_modules=1:exitcode=99")
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.at = Path(cls.folder.name)
        cls.run_tool("quern-generate", "rmat", "--scale", "9", "--weights", "1,9", "-o", "directed.qrn")
        cls.run_tool("quern-transform", "directed.qrn", "--symmetrize", "--remove-duplicates",
                     "-o", "graph.qrn")

    def test_a_race_is_reported(self):
        """Planted: every thread counts in one variable."""
        (self.at / "race.c").write_text(RACE)
        subprocess.run(["clang", "-O1", "-g", "-fopenmp", "-fsanitize=thread", "race.c", "-o", "race"], cwd=self.at, check=True)
        done = subprocess.run([self.at / "race"], env=self.environment, text=True, stderr=subprocess.PIPE)
        self.assertIn("ThreadSanitizer: data race", done.stderr)
        self.assertEqual(done.returncode, 99)

    @classmethod
    def run_tool(cls, tool, *arguments):
        done = subprocess.run([TOOLS / tool, *arguments, *(("-f",) if "-o" in arguments else ())], cwd=cls.at, env=cls.environment, text=True,
                              errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        report = re.search(r"WARNING: ThreadSanitizer.*", done.stdout, re.S)
        assert not report and done.returncode == 0, "$ %s %s\nexit code %d\n%s" % (
            tool, " ".join(arguments), done.returncode, report[0] if report else done.stdout)

    def test_threads_of_the_library(self):
        """library.c, whose threads share sessions, results and a program of the user's own, which they compile."""
        source = Path(os.environ["QUERN_SOURCE"])
        library = TOOLS.parent / "lib/libquern.so.0"
        flags = ["-O1", "-g", "-fopenmp", "-fsanitize=thread"]
        subprocess.run(["clang", *flags, "-I", source / "include", source / "tests/races/library.c", library, "-o", "library",
                        "-Wl,-rpath," + str(library.parent)], cwd=self.at, check=True)
        compiler = self.at / "compiler.sh"
        compiler.write_text('#!/bin/sh\nexec clang -fsanitize=thread "$@"\n')
        compiler.chmod(0o700)
        # A library leaves the threads of OpenMP's teams to it.
        environment = dict(self.environment, QUERN_CC=str(compiler), XDG_CACHE_HOME=str(self.at / "cache"),
                           TSAN_OPTIONS=self.environment["TSAN_OPTIONS"] + ":report_thread_leaks=0")
        done = subprocess.run([self.at / "library", source / "tests/programs/widest.h"], cwd=self.at, env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertFalse(done.returncode or done.stdout, done.stdout)

    def test_import_of_what_is_exported(self):
        for format, memory in itertools.product(FORMATS, ((), ("--memory", "48M"))):
            with self.subTest(format=format, memory=memory):
                self.run_tool("quern-export", "graph.qrn", "--format", format, "-o", "out." + format)
                self.run_tool("quern-import", "out." + format, "--format", *FORMATS[format], "-o", "again.qrn", *memory)

    def test_layouts(self):
        """Builders, then engines."""
        for name, (tool, *options) in BUILDERS.items():
            with self.subTest(builder=name):
                self.run_tool(tool, "graph.qrn", "-o", name + ".qrn", *options)
                self.run_tool("quern-verify", name + ".qrn")
        for name, algorithm in itertools.product(("graph", *BUILDERS), ALGORITHMS):
            with self.subTest(layout=name, algorithm=algorithm):
                self.run_tool("quern-run", algorithm, name + ".qrn", "--device", "cpu", "-o", "result.tsv",
                              *ALGORITHMS[algorithm])

    def test_archives_and_transforms(self):
        self.run_tool("quern-archive", "create", "graph.qrn", "-o", "graph.tar")
        self.run_tool("quern-archive", "verify", "graph.tar")
        for options in (("--relabel", "degree"), ("--symmetrize", "--memory", "48M"), ("--egonet", "1", "--hops", "2")):
            with self.subTest(options=options):
                self.run_tool("quern-transform", "directed.qrn", "-o", "other.qrn", *options)
