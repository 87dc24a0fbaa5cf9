"""Runs that several processes share, started by mpirun, and random graphs as sets to run them on."""

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from harness.tools import run, values
from oracle.graphs import RandomGraph

MODULE = Path(os.environ["QUERN_BIN"]).parent / "lib/libquern-mpi.so.0"
HAVE_RANKS = bool(shutil.which("mpirun")) and MODULE.exists()
LAUNCH = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]


def launch(ranks, *words, exit=0):
    """As run; what mpirun itself says of processes that failed is left out."""
    environment = {"QUERN_RANKS_DEVICE_MEMORY": "0", **os.environ, "OMP_NUM_THREADS": "1", "OMPI_MCA_btl": "self,vader,tcp",
                   "OMPI_MCA_orte_tmpdir_base": "/tmp"}
    environment["ASAN_OPTIONS"] = environment.get("ASAN_OPTIONS", "") + ":detect_leaks=0"  # Open MPI's are not ours
    done = subprocess.run([*LAUNCH, "-n", str(ranks), *map(str, words)], env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)
    if done.returncode != exit:
        raise AssertionError("%s\nexit code %d, expected %s\n%s%s" % (words, done.returncode, exit, done.stdout, done.stderr))
    return done


class Sets:
    """For test cases: a folder `at` with graphs u, undirected, and d, each as a container and as a set of five parts."""

    ids = "sparse"  # of u
    tool, device = "quern-run", ()  # that runs on sets

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.at = Path(folder.name)
        for name, weights, ids, options in (("u", "u32", cls.ids, ("--undirected",)), ("d", "f32", "sparse", ())):
            RandomGraph(11, 300, 1500, weights, ids).write(cls.at / "in.txt")
            cls.make(name, "5", "--weights", weights, *(["--ids", "strings"] if ids == "strings" else []), *options)

    @classmethod
    def make(cls, name, parts, *options, split=()):
        """Both forms of the graph in in.txt."""
        run("quern-import", cls.at / "in.txt", "-qo", cls.at / (name + ".qrn"), *options)
        run("quern-transform", cls.at / (name + ".qrn"), "--parts", parts, "-qo", cls.at / name, *split)

    def close(self, expected, found):
        """Of two files of values, the vertices and the integers are the same, and others to 1e-5."""
        expected, found = values(expected), values(found)
        self.assertEqual(list(found), list(expected))
        for vertex, value in expected.items():
            if value != found[vertex]:
                self.assertIn(".", value + found[vertex])
                self.assertAlmostEqual(float(found[vertex]), float(value), delta=1e-5 * max(1, abs(float(value))))

    def same(self, ranks, algorithm, graph, *options, shared=()):
        """A run of a set, with options `shared` of its own, against the CPU's of one container; returns its report."""
        out = self.at / "ranks.tsv"
        run("quern-run", algorithm, self.at / (graph + ".qrn"), "--device=cpu", "-qfo", self.at / "one.tsv", *options)
        words = [self.tool, algorithm, self.at / graph, *self.device, "--json", "-fo", out, *options, *shared]
        said = json.loads((launch(ranks, *words) if ranks > 1 else run(*words)).stdout)
        self.close(self.at / "one.tsv", out)
        self.assertEqual(said.get("ranks", {}).get("count", 1), ranks)
        self.assertEqual(said["layout"], "set")
        return said
