"""Runs that ranks share, killed in the middle: others go on, as many as there are, to the same result."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from harness.tools import run
from oracle.sets import HAVE_RANKS, LAUNCH, Sets, launch

ENDLESS = ("--tolerance", "0", "--iterations", "1000000000")


def descendants(process):
    """Of a launcher: the processes that it has started, and theirs."""
    found = [process]
    for parent in found:
        for children in Path("/proc/%d/task" % parent).glob("*/children"):
            found += map(int, children.read_text().split())
    return found[1:]


def is_there(process):
    """Whether it still runs; one that has ended and nobody has asked about does not."""
    try:
        return Path("/proc/%d/stat" % process).read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


class Started:
    """Runs with a folder of checkpoints, `self.kept`."""

    def ended(self, ranks, words, chosen):
        """Run it on so many ranks, and end the last one by a signal when there is a new checkpoint; the exit code."""
        before = self.checkpoint.stat().st_ino if self.checkpoint.exists() else None
        environment = dict(os.environ, OMPI_MCA_btl="self,vader,tcp", OMPI_MCA_orte_tmpdir_base="/tmp", QUERN_RANKS_DEVICE_MEMORY="0")
        command = [*LAUNCH, "-n", str(ranks), *words] if ranks > 1 else words
        process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        until = time.monotonic() + 60
        while process.poll() is None and (not self.checkpoint.exists() or self.checkpoint.stat().st_ino == before):
            self.assertLess(time.monotonic(), until, "it made no checkpoint")
            time.sleep(0.002)
        started = descendants(process.pid) if process.poll() is None else []
        if process.poll() is None:
            os.kill(max(started, default=process.pid), chosen)
        self.said = process.communicate(timeout=60)[1]
        while any(map(is_there, started)):  # a launcher may end before the ranks that it has told to
            self.assertLess(time.monotonic(), until + 60, "its ranks go on")
            time.sleep(0.002)
        return process.returncode


@unittest.skipUnless(HAVE_RANKS, "no mpirun, or a build without Open MPI")
class RanksGoOn(Started, Sets, unittest.TestCase):
    tier, sanitized_tier = "medium", "long"
    timeout = 300

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.at / "in.txt").write_text("".join("%d %d\n" % (i, i + 1) for i in range(6000)))  # of many iterations
        cls.make("long", "3", "--undirected")

    def setUp(self):
        self.kept = self.at / "kept"
        self.checkpoint = self.kept / "checkpoint.qrn"
        shutil.rmtree(self.kept, ignore_errors=True)

    def words(self, algorithm, graph, *options):
        return ["quern-run", algorithm, str(self.at / graph), "-q", "-T1", "--checkpoint", str(self.kept), *options]

    def test_sums_on_another_number_of_ranks(self):
        """Three ranks, one of them killed; one process, which SIGTERM ends; two ranks, likewise; four."""
        words = self.words("pagerank", "d", "--every", "3", *ENDLESS)
        self.assertNotEqual(self.ended(3, words, signal.SIGKILL), 0)
        said = json.loads(run("quern-info", self.checkpoint, "--json").stdout)["layout_figures"]
        self.assertEqual(said["parts"], 3)
        self.assertEqual(self.ended(1, words + ["--resume"], signal.SIGTERM), 130)
        self.assertEqual(sorted(self.kept.iterdir()), [self.checkpoint])  # of the ranks' parts none is left
        self.assertEqual(self.ended(2, words + ["--resume"], signal.SIGTERM), 130)
        self.assertEqual(self.said.count("interrupted after iteration"), 1, self.said)
        said = json.loads(run("quern-info", self.checkpoint, "--json").stdout)["layout_figures"]
        for part in self.kept.iterdir():
            run("quern-verify", "-q", part)
        some = ["--tolerance", "0", "--iterations", str(said["iterations"] + 5)]
        launch(4, *self.words("pagerank", "d", *some, "--resume", "--grid", "none", "-fo", self.at / "out.tsv"))
        run("quern-run", "pagerank", self.at / "d", "-q", *some, "-fo", self.at / "straight.tsv")
        self.assertEqual((self.at / "out.tsv").read_bytes(), (self.at / "straight.tsv").read_bytes())
        self.assertEqual(list(self.kept.iterdir()), [])

    def test_another_grid(self):
        """Four ranks in a grid, which SIGTERM ends; three by whole rows; a file for each part from another grid."""
        words = self.words("pagerank", "d", "--every", "3", *ENDLESS)
        self.assertEqual(self.ended(4, words + ["--grid", "2x2"], signal.SIGTERM), 130)
        self.assertEqual(self.ended(3, words + ["--resume"], signal.SIGTERM), 130)
        said = json.loads(run("quern-info", self.checkpoint, "--json").stdout)["layout_figures"]
        some = ["--tolerance", "0", "--iterations", str(said["iterations"] + 5)]
        launch(4, *self.words("pagerank", "d", *some, "--resume", "--grid", "1x4", "--parts", "tsv", "-o", self.at / "parts"))
        run("quern-run", "pagerank", self.at / "d", "-q", *some, "-fo", self.at / "straight.tsv")
        together = b"".join(path.read_bytes() for path in sorted((self.at / "parts").iterdir()))
        (self.at / "out.tsv").write_bytes(together)
        self.close(self.at / "straight.tsv", self.at / "out.tsv")

    def test_frontiers(self):
        """Of rounds, and of hops; if such a run has ended before it is killed, that is its result."""
        for algorithm, ranks in (("kcore", (2, 3)), ("bfs", (4, 2))):
            with self.subTest(algorithm):
                words = self.words(algorithm, "long", "--every", "1", "-fo", str(self.at / "out.tsv"))
                if self.ended(ranks[0], words, signal.SIGKILL):
                    launch(ranks[1], *words, "--resume", "--every", "0")
                run("quern-run", algorithm, self.at / "long", "-qfo", self.at / "straight.tsv")
                self.assertEqual((self.at / "out.tsv").read_bytes(), (self.at / "straight.tsv").read_bytes())
                self.assertEqual(list(self.kept.iterdir()), [])

    def refused(self, message, *words, exit=3, ranks=1):
        done = launch(ranks, *words, exit=exit) if ranks > 1 else run(*words, exit=exit)
        self.assertEqual(done.stderr.count("quern-run: "), 1, done.stderr)
        self.assertRegex(done.stderr, message)

    def test_what_is_refused(self):
        """By one process, and by ranks of which one alone sees it; and nothing is lost by that."""
        words = self.words("pagerank", "d", "--every", "3", *ENDLESS)
        self.assertEqual(self.ended(3, words, signal.SIGTERM), 130)
        after = json.loads(run("quern-info", self.checkpoint, "--json").stdout)["layout_figures"]["iterations"]
        there = {path: path.read_bytes() for path in self.kept.iterdir()}
        last = self.kept / ("checkpoint-%d-2.qrn" % after)
        self.refused("there is the checkpoint of an earlier run", *words, exit=2, ranks=2)
        self.refused("another damping", *words, "--resume", "--damping", "0.5")
        self.refused("another algorithm", *self.words("rwr", "d", *ENDLESS, "--resume"))
        self.refused(r"another container: d \(set, identity \w+\), not this one",
                     *self.words("pagerank", "u", *ENDLESS, "--resume"))
        self.refused("more than the 1 asked for", *self.words("pagerank", "d", "--tolerance=0", "--iterations=1", "--resume"), exit=2)
        last.unlink()
        self.refused(last.name + ": checkpoint.qrn beside it lists this file, which is not there", *words, "--resume", ranks=2)
        last.write_bytes(there[self.kept / ("checkpoint-%d-0.qrn" % after)])
        self.refused(last.name + ": this is not the part that checkpoint.qrn beside it lists", *words, "--resume")
        last.write_bytes(there[last][:-100])
        self.refused(last.name + ": .*C-12: truncated", *words, "--resume")
        last.write_bytes(there[last])
        for size in (0, 1000, len(there[self.checkpoint]) - 1):
            self.checkpoint.write_bytes(there[self.checkpoint][:size])
            self.refused(r"checkpoint\.qrn: .*C-\d+", *words, "--resume")
        self.checkpoint.write_bytes(there[last])
        self.refused(r"checkpoint\.qrn: this is a part of a checkpoint", *words, "--resume")
        self.checkpoint.write_bytes(there[self.checkpoint])
        self.assertEqual({path: path.read_bytes() for path in self.kept.iterdir()}, there)

    def test_what_killed_ranks_leave(self):
        """Parts that no list names, and what is not whole: removed by the next run; other files are not."""
        self.kept.mkdir()
        for name in ("checkpoint-4-0.qrn", "checkpoint-4-1.qrn.tmp12-0", "checkpoint-mine.qrn", "checkpoint-1-1.qrn.txt"):
            (self.kept / name).write_bytes(b"")
        run(*self.words("bfs", "u"))
        self.assertEqual({path.name for path in self.kept.iterdir()}, {"checkpoint-mine.qrn", "checkpoint-1-1.qrn.txt"})
