"""Imports and generations that several processes share, started by mpirun: the files that one process makes in two steps,
quern-import or quern-generate, then quern-transform --parts; one message where one fails, and nothing left behind."""

import gzip
import json
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from harness.tools import run
from oracle.graphs import RandomGraph
from oracle.sets import HAVE_RANKS, LAUNCH, launch


class InFolder(unittest.TestCase):
    tier, sanitized_tier = "medium", "long"
    timeout = 300

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.at = Path(folder.name)

    def assert_same_set(self, expected, found):
        """All bytes, but for which container the expected one was made of."""
        self.assertEqual(sorted(os.listdir(found)), sorted(os.listdir(expected)))
        manifests = [json.loads((self.at / name / "set.json").read_text()) for name in (expected, found)]
        manifests[0]["graph"].pop("identity")
        self.assertEqual(manifests[1], manifests[0])
        for name in os.listdir(expected):
            if name != "set.json":
                self.assertEqual((Path(found) / name).read_bytes(), (Path(expected) / name).read_bytes(), name)

    def same(self, ranks, inputs, options=(), shape=("--parts", "3"), environment=None, tool="quern-import"):
        one, expected, found = self.at / "one.qrn", self.at / "expected", self.at / "found"
        run(tool, *inputs, "-qfo", one, *options)
        run("quern-transform", one, "-qfo", expected, *shape)
        words = [tool, *inputs, "-qfo", found, *options, *shape]
        if ranks == 1:
            run(*words)
        else:
            launch(ranks, *(["env", *environment] if environment else []), *words)
        self.assert_same_set(expected, found)


@unittest.skipUnless(HAVE_RANKS, "no mpirun, or a build without Open MPI")
class RanksImport(InFolder):
    def graph(self, name, *arguments):
        RandomGraph(*arguments).write(self.at / name)
        return self.at / name

    def test_numbers(self):
        """Sparse ids, which all ranks number together; parallel edges with weights, in the order of the input."""
        text = self.graph("in.txt", 3, 300, 3000, "f32")
        self.same(2, [text], ["--duplicates", "sum"])
        self.same(4, [text], ["--transpose", "also"], ["--parts", "5", "--balance", "edges", "--rows", "out"],
                  environment=["QUERN_RANKS_SENT_AT_ONCE=1000"])  # in many rounds
        self.same(3, [text], ["--undirected", "--self-loops", "remove", "--memory", "16M"],
                  environment=["QUERN_RANKS_SENT_AT_ONCE=100"])

    def test_far_numbers(self):
        """Ids too far apart for a map with a bit for each."""
        draw = random.Random(5)
        ids = [draw.getrandbits(63) for _ in range(200)] + [0, 2**64 - 1, 2**32 - 1]
        lines = ["%d,%d,%d" % (draw.choice(ids), draw.choice(ids), draw.randrange(-9, 9)) for _ in range(4000)]
        (self.at / "in.csv").write_text("source,target,weight\n" + "\n".join(lines))
        self.same(3, [self.at / "in.csv"], ["--duplicates", "min"])

    def test_names(self):
        text = self.graph("in.txt", 4, 400, 3000, "i64", "strings")
        self.same(3, [text], ["--ids", "strings", "--undirected"])
        (self.at / "numbers.txt").write_text("\n".join("%d %d" % (3 * i % 97, 5 * i % 89) for i in range(5000)) + "\n")
        self.same(2, [self.at / "numbers.txt"], ["--ids", "strings"])

    def test_quotes_with_line_breaks(self):
        lines = ['"a\nb%d","c""%d",%d' % (i % 50, i % 31, i) for i in range(3000)]
        (self.at / "in.csv").write_text("source,target,weight\n" + "\n".join(lines) + "\n")
        self.same(1, [self.at / "in.csv"], ["--quotes", "yes", "--columns", "2,3"])
        self.same(3, [self.at / "in.csv"], ["--quotes", "yes", "--columns", "2,3"], ["--parts", "2"])

    def test_binary_records(self):
        draw = random.Random(6)
        records = [struct.pack("<QQd", draw.randrange(900), draw.randrange(900), draw.random()) for _ in range(3001)]
        (self.at / "in.bin").write_bytes(b"".join(records))
        self.same(3, [self.at / "in.bin"], ["--format", "pairs", "--record", "u64,f64", "--vertices", "1000"])

    def test_arrays(self):
        header = "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 2000), }".ljust(117) + "\n"
        ids = struct.pack("<4000i", *(i * i % 701 for i in range(4000)))
        (self.at / "in.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + ids)
        self.same(2, [self.at / "in.npy"])

    def test_several_inputs(self):
        """Plain ones are divided, packed ones are one rank's; a graph without edges has no vertices either."""
        lines = ["%d %d %s" % (i * 7 % 300, i * 11 % 300, i % 5 if i < 2000 else i / 4) for i in range(4000)]
        for part in range(4):
            data = "\n".join(lines[part::4]).encode() + b"\n"
            (self.at / ("in%d" % part)).write_bytes(gzip.compress(data) if part % 2 else data)
        self.same(3, [self.at / ("in%d" % part) for part in range(4)], ["--undirected", "--duplicates", "remove"])
        (self.at / "empty.txt").write_text("# nothing\n")
        self.same(2, [self.at / "empty.txt"])

    def test_other_formats_are_read_whole(self):
        (self.at / "in.mtx").write_text("%%MatrixMarket matrix coordinate integer symmetric\n9 9 3\n1 2 5\n9 9 1\n4 2 7\n")
        self.same(3, [self.at / "in.mtx"])
        run("quern-export", self.at / "one.qrn", "-qo", self.at / "out.txt", "--header")
        self.same(2, [self.at / "out.txt"])

    def test_what_one_rank_alone_has_read(self):
        """Weights that nobody says, entries of one place, edges that are listed once: all ranks build the same."""
        (self.at / "n.gexf").write_text('<gexf version="1.3"><graph><nodes><node id="a"/><node id="b"/></nodes>'
                                        '<edges><edge source="a" target="b"/></edges></graph></gexf>')
        (self.at / "m.net").write_text("*Vertices 2\n*Matrix\n0 1\n1 0\n")
        (self.at / "sym.txt").write_text("% sym unweighted\n1 2\n2 1\n")
        (self.at / "q.col").write_text("p edge 2 2\ne 1 2\ne 2 1\n")
        for name in ("n.gexf", "m.net", "sym.txt", "q.col"):
            with self.subTest(name):
                self.same(3, [self.at / name])

    def test_generate(self):
        model = ["rmat", "--scale", "11", "--seed", "5"]
        self.same(3, model, ["--weights", "1,9", "--undirected", "--duplicates", "sum"], tool="quern-generate")
        self.same(2, ["uniform", "--scale", "9"], ["--memory", "16M"], ["--parts", "4"], tool="quern-generate")
        self.same(1, ["grid", "--scale", "8"], tool="quern-generate")

    def test_notes(self):
        """What one rank notes in its share is in the metadata of all."""
        Path("zeros.txt").write_text("".join("%d %d\n" % (v, v + 1) for v in range(5000)) + "007 7\n")
        self.same(3, ["zeros.txt"], ["--ids=strings"])
        Path("both.txt").write_text("".join("%d %d\n%d %d\n" % (v, v + 1, v + 1, v) for v in range(500)))
        self.same(3, ["both.txt"], ["--undirected"])

    def test_several_threads(self):
        """Parallel edges keep their order, over several rounds, and degrees are more than a byte holds."""
        hubs = ["rmat", "--degree", "16", "--weights", "1,9"]
        self.same(2, [*hubs, "--scale", "12"], ["--threads", "5"], tool="quern-generate")
        self.same(1, [*hubs, "--scale", "17"], ["--threads", "3"], tool="quern-generate")

    def test_the_graph_comes_back(self):
        text = self.graph("in.txt", 8, 200, 900, "u32", "strings")
        said = launch(2, "quern-import", text, "-o", self.at / "set", "--ids", "strings", "--json").stdout
        self.assertEqual(json.loads(said)["ranks"]["count"], 2)
        self.assertEqual(json.loads(said)["parts"], 2)  # of each rank one
        run("quern-verify", self.at / "set", "-q")
        run("quern-transform", self.at / "set", "-qo", self.at / "again.qrn")
        run("quern-import", text, "-qo", self.at / "one.qrn", "--ids", "strings")
        self.assertEqual((self.at / "again.qrn").read_bytes(), (self.at / "one.qrn").read_bytes())


@unittest.skipUnless(HAVE_RANKS, "no mpirun, or a build without Open MPI")
class RanksThatFail(InFolder):
    def refused(self, exit, message, *words, ranks=3):
        """By all ranks, with one message and no output; also that of one process, if `message` is None."""
        if message is None:
            message = run(*words, "-qo", self.at / "no.qrn", exit=exit).stderr.splitlines()[-1].split(": ", 1)[1]
        done = launch(ranks, *words, "-qo", self.at / "no", exit=exit)
        self.assertEqual(len(re.findall("(?m)^quern-[a-z]+: ", done.stderr)), 1, done.stderr)
        self.assertIn(message, done.stderr)
        self.assertEqual(list(self.at.glob("no*")), [])

    def test_a_bad_line_is_named(self):
        """By its number in the file, whoever has read it."""
        lines = ["%d %d" % (i, i + 1) for i in range(20000)]
        for bad in (2, 9007, 19999):
            (self.at / "in.txt").write_text("\n".join(["# a comment", *lines[:bad], "7 x", *lines[bad:]]))
            self.refused(3, None, "quern-import", self.at / "in.txt")

    def test_a_bad_record_is_named(self):
        (self.at / "in.bin").write_bytes(struct.pack("<4000I", *range(4000)) + b"cut")
        self.refused(3, None, "quern-import", self.at / "in.bin", "--format", "pairs", "--record", "u32")
        self.refused(3, None, "quern-import", self.at / "in.bin", "--format", "pairs", "--record", "u32", "--vertices", "3500")

    def test_what_is_said_of_the_whole_is_checked(self):
        edges = "".join("%d\t%d\n" % (i % 90, i % 77) for i in range(3000))
        (self.at / "in.txt").write_text("# Quern edges: directed; 90 vertices from 0; 2999 edges\n" + edges)
        self.refused(3, None, "quern-import", self.at / "in.txt")
        (self.at / "in.txt").write_text("90\t3000\n" + edges)
        self.refused(3, None, "quern-import", self.at / "in.txt")

    def test_one_input_is_undirected(self):
        (self.at / "plain.txt").write_text("0 1\n1 2\n")
        (self.at / "sym.txt").write_text("% sym unweighted\n1 2\n")
        for inputs in (("plain.txt", "sym.txt"), ("sym.txt", "plain.txt")):
            self.refused(3, "--undirected takes all as undirected",
                         "quern-import", *(self.at / name for name in inputs))

    def test_weights_that_do_not_fit(self):
        (self.at / "in.txt").write_text("1 2 0.5\n" + "3 4 1\n" * 3000 + "5 6 0.123456789012345678\n")
        self.refused(3, "cannot hold", "quern-import", self.at / "in.txt", "--weights", "f32")
        (self.at / "in.txt").write_text("1 2 4294967295\n" * 3)
        self.refused(3, "--weights=i64", "quern-import", self.at / "in.txt", "--duplicates", "sum", ranks=2)

    def test_refusals(self):
        (self.at / "in.txt").write_text("1 2\n")
        self.refused(4, "--max-bad", "quern-import", self.at / "in.txt", "--max-bad", "3")
        self.refused(4, "without mpirun", "quern-import", "-")
        self.refused(4, "without --parts and mpirun", "quern-generate", "rmat", "--scale", "5", "--format", "edges")
        (self.at / "there").mkdir()
        launch(2, "quern-import", self.at / "in.txt", "-qo", self.at / "there", exit=2)
        self.assertEqual(list((self.at / "there").iterdir()), [])

    def ranks(self, script, timeout=60):
        """A rank is a script of its own, which knows its number."""
        environment = dict(os.environ, OMP_NUM_THREADS="1", OMPI_MCA_btl="self,tcp")
        return subprocess.Popen([*LAUNCH, "-n", "2", "bash", "-c", "set -m; rank=$OMPI_COMM_WORLD_RANK; " + script],
                                env=environment, cwd=self.at, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, start_new_session=True)

    def test_a_full_disk(self):
        """Of the second rank, which may write files of no more than 8 MiB."""
        done = self.ranks("if [ $rank = 1 ]; then ulimit -f 8192; fi; "
                          "exec quern-generate uniform --scale 21 --degree 0 --parts 2 -qo no")
        output = done.communicate(timeout=60)
        self.assertEqual(done.returncode, 5, output)
        self.assertEqual(len(re.findall("(?m)^quern-generate: ", output[1])), 1, output)
        self.assertEqual(list(self.at.glob("no*")), [])

    def test_a_killed_rank_ends_all(self):
        """While edges are on their way, which takes hours at a byte a time."""
        (self.at / "in.txt").write_text("".join("%d %d\n" % (i, 7 * i) for i in range(200000)))
        done = self.ranks("export QUERN_RANKS_SENT_AT_ONCE=1; if [ $rank = 1 ]; then echo $$ > pid; fi; "
                          "exec quern-import in.txt --parts 2 -qo no")
        self.addCleanup(done.wait)
        time.sleep(1.5)
        self.assertIsNone(done.poll())
        os.kill(int((self.at / "pid").read_text()), signal.SIGKILL)
        self.assertNotEqual(done.wait(timeout=60), 0)
        done.communicate()
        self.assertEqual(list(self.at.glob("no*")), [])


class OneRank(InFolder):
    """quern-import --parts without mpirun: the same set as in two steps."""

    def test_same(self):
        RandomGraph(9, 100, 700, "f64").write(self.at / "in.txt")
        self.same(1, [self.at / "in.txt"])
        self.same(1, [self.at / "in.txt"], ["--undirected", "--duplicates", "min", "--memory", "16M"], ["--parts", "4"])
        RandomGraph(9, 100, 700, "u32", "strings").write(self.at / "names.txt")
        self.same(1, [self.at / "names.txt"], ["--ids", "strings"])

    def test_a_cut_manifest_is_refused(self):
        (self.at / "in.txt").write_text("1 2\n2 3\n")
        run("quern-import", self.at / "in.txt", "--parts", "2", "-qo", self.at / "set")
        manifest = self.at / "set/set.json"
        manifest.write_text(manifest.read_text()[:-20])
        self.assertIn("SET-1", run("quern-verify", self.at / "set", exit=3).stderr)

    def test_usage(self):
        (self.at / "in.txt").write_text("1 2\n")
        run("quern-import", self.at / "in.txt", "--rows", "in", "-o", self.at / "no.qrn", exit=2)
        run("quern-import", self.at / "in.txt", "--parts", "0", "-o", self.at / "no", exit=2)
        run("quern-import", self.at / "in.txt", "--parts", "2", "-o", "-", exit=2)
        self.assertEqual(list(self.at.glob("no*")), [])
