"""Runs that several processes share, started by mpirun: the results of one process; one message where one fails."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from harness.tools import run, values
from oracle.graphs import RandomGraph

sys.path.insert(0, os.path.join(os.environ["QUERN_SOURCE"], "bench"))
import cluster  # noqa: E402

MODULE = Path(os.environ["QUERN_BIN"]).parent / "lib/libquern-mpi.so.0"
LAUNCH = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]


def launch(ranks, *words, exit=0):
    """As run; what mpirun itself says of processes that failed is left out."""
    environment = dict(os.environ, OMP_NUM_THREADS="1", OMPI_MCA_btl="self,vader,tcp", OMPI_MCA_orte_tmpdir_base="/tmp")
    environment["ASAN_OPTIONS"] = environment.get("ASAN_OPTIONS", "") + ":detect_leaks=0"  # Open MPI's are not ours
    done = subprocess.run([*LAUNCH, "-n", str(ranks), *map(str, words)], env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)
    if done.returncode != exit:
        raise AssertionError("%s\nexit code %d, expected %s\n%s%s" % (words, done.returncode, exit, done.stdout, done.stderr))
    return done


@unittest.skipUnless(shutil.which("mpirun") and MODULE.exists(), "no mpirun, or a build without Open MPI")
class Ranks(unittest.TestCase):
    tier, sanitized_tier = "medium", "long"
    timeout = 300

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.at = Path(folder.name)
        for name, weights, ids, options in (("u", "u32", "strings", ("--undirected",)), ("d", "f32", "sparse", ())):
            RandomGraph(11, 300, 1500, weights, ids).write(cls.at / "in.txt")
            run("quern-import", cls.at / "in.txt", "-qo", cls.at / (name + ".qrn"), "--weights", weights,
                *(["--ids", "strings"] if ids == "strings" else []), *options)
            run("quern-transform", cls.at / (name + ".qrn"), "--parts", "5", "-qo", cls.at / name)

    def same(self, ranks, algorithm, graph, *options):
        out = self.at / "ranks.tsv"
        run("quern-run", algorithm, self.at / (graph + ".qrn"), "--device=cpu", "-qfo", self.at / "one.tsv", *options)
        said = json.loads(launch(ranks, "quern-run", algorithm, self.at / graph, "--json", "-fo", out, *options).stdout)
        expected, found = values(self.at / "one.tsv"), values(out)
        self.assertEqual(list(found), list(expected))
        for vertex, value in expected.items():
            if value != found[vertex]:
                self.assertIn(".", value + found[vertex])  # whole numbers are the same
                self.assertAlmostEqual(float(found[vertex]), float(value), delta=1e-5 * max(1, abs(float(value))))
        self.assertEqual(said["ranks"]["count"], ranks)
        return said

    def test_results(self):
        for ranks, algorithm, graph in ((2, "pagerank", "d"), (3, "bfs", "u"), (2, "sssp", "u"), (4, "kcore", "u"),
                                        (2, "cc", "u"), (3, "sssp", "d"), (2, "heat", "d"), (3, "eigenvector", "d"),
                                        (2, "closeness", "d")):
            with self.subTest(algorithm, ranks=ranks):
                self.same(ranks, algorithm, graph)

    def test_more_ranks_than_parts(self):
        run("quern-transform", self.at / "u.qrn", "--parts", "2", "-qfo", self.at / "u2")
        launch(4, "quern-run", "bfs", self.at / "u2", "-qfo", self.at / "four.tsv")
        run("quern-run", "bfs", self.at / "u.qrn", "--device=cpu", "-qfo", self.at / "one.tsv")
        self.assertEqual((self.at / "four.tsv").read_bytes(), (self.at / "one.tsv").read_bytes())

    def test_bytes_are_those_of_the_model(self):
        """docs/cluster.md, as bench/cluster.py has it."""
        run("quern-generate", "rmat", "--scale", "10", "--seed", "5", "-qfo", self.at / "r.qrn")
        run("quern-transform", self.at / "r.qrn", "--parts", "7", "-qfo", self.at / "r")
        parts = json.loads((self.at / "r/set.json").read_text())["parts"]
        for ranks in (2, 4):
            said = self.same(ranks, "pagerank", "r", "--iterations", "6", "--tolerance", "0")
            self.assertEqual(said["ranks"]["received_bytes"], cluster.pagerank_bytes(parts, ranks, 6))
            said = self.same(ranks, "bfs", "r")
            hops = [int(value) if value.isdigit() else None for value in values(self.at / "one.tsv").values()]
            self.assertEqual(said["ranks"]["received_bytes"], cluster.bfs_bytes(parts, ranks, hops))

    def test_several_algorithms(self):
        """Part by part and by ranks, what each gives alone; the set is put together where one needs it."""
        run("quern-run", "bfs,cc,sssp", self.at / "u", "-qo", self.at / "parts")
        launch(2, "quern-run", "bfs,cc,sssp", self.at / "u", "-qo", self.at / "shared")
        united = run("quern-run", "bfs,tc", self.at / "u", "-o", self.at / "united")
        self.assertRegex(united.stderr, "(?m)^note: tc: .* is none that goes through the parts")
        for algorithm in ("bfs", "cc", "sssp"):
            run("quern-run", algorithm, self.at / "u.qrn", "--device=cpu", "-qfo", self.at / "one.tsv")
            for folder in ("parts", "shared") + (("united",) if algorithm == "bfs" else ()):
                self.assertEqual((self.at / folder / (algorithm + ".tsv")).read_bytes(), (self.at / "one.tsv").read_bytes())

    def test_parts_of_another_layout(self):
        """Their rows are restored, of those that are trusted, too."""
        run("quern-block", self.at / "u", "-qfo", self.at / "blocks")
        run("quern-run", "bfs", self.at / "u.qrn", "--device=cpu", "-qfo", self.at / "one.tsv")
        for options in ([], ["--trust"]):
            launch(2, "quern-run", "bfs", self.at / "blocks", "-qfo", self.at / "two.tsv", *options)
            self.assertEqual((self.at / "two.tsv").read_bytes(), (self.at / "one.tsv").read_bytes())

    def test_parents(self):
        launch(2, "quern-run", "bfs", self.at / "u", "-qf", "--parents", self.at / "two.tsv")
        run("quern-run", "bfs", self.at / "u.qrn", "--device=cpu", "-qf", "--parents", self.at / "one.tsv")
        self.assertEqual((self.at / "two.tsv").read_bytes(), (self.at / "one.tsv").read_bytes())

    def test_one_process_takes_any_container(self):
        launch(1, "quern-run", "bfs", self.at / "u.qrn", "-q")

    def refused(self, exit, message, *words):
        """By all ranks, with one message and no output."""
        done = launch(3, "quern-run", *words, "-o", self.at / "no.tsv", exit=exit)
        self.assertEqual(len(re.findall("(?m)^quern-run: ", done.stderr)), 1, done.stderr)
        self.assertIn(message, done.stderr)
        self.assertEqual(list(self.at.glob("no.tsv*")), [])

    def test_failures(self):
        self.refused(2, "share the parts of a set", "bfs", self.at / "u.qrn")
        self.refused(2, "there is no algorithm", "nothing", self.at / "u")
        self.refused(4, "cannot share", "tc", self.at / "u")
        self.refused(4, "cannot share this: tc: ", "bfs,tc", self.at / "u")
        self.refused(2, "has --damping", "bfs,cc", self.at / "u", "--damping", "0.5")
        self.refused(4, "not shared among ranks", "graphalytics", self.at)
        self.refused(2, "share the parts of a set", "bfs", self.at / "nowhere")
        broken = self.at / "broken"
        shutil.copytree(self.at / "u", broken)
        part = broken / "part-00004.qrn"  # of the last rank
        data = bytearray(part.read_bytes())
        data[4096 + 8 * 280] ^= 0x40
        part.write_bytes(data)
        self.refused(3, "part-00004.qrn", "bfs", broken)
        part.unlink()
        self.refused(3, "SET-6", "bfs", broken)

    def test_a_killed_rank_ends_all(self):
        run("quern-generate", "rmat", "--scale", "15", "--seed", "1", "-qfo", self.at / "big.qrn")
        run("quern-transform", self.at / "big.qrn", "--parts", "2", "-qfo", self.at / "big")
        script = "if [ $OMPI_COMM_WORLD_RANK = 1 ]; then quern-run pagerank %s --iterations 100000 --tolerance 0 -q & sleep 1; " \
                 "kill -9 $!; wait $!; else quern-run pagerank %s --iterations 100000 --tolerance 0 -o %s; fi"
        words = script % (self.at / "big", self.at / "big", self.at / "no.tsv")
        done = subprocess.run([*LAUNCH, "-n", "2", "bash", "-c", words], env=dict(os.environ, OMP_NUM_THREADS="1"),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(list(self.at.glob("no.tsv*")), [])
