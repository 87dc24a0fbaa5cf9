"""Runs that several processes share, started by mpirun: the results of one process; one message where one fails."""

import json
import os
import re
import shutil
import subprocess
import sys
import unittest
from unittest import mock

from harness.tools import run, values
from oracle.graphs import RandomGraph
from oracle.sets import HAVE_RANKS, LAUNCH, Sets, launch

sys.path.insert(0, os.path.join(os.environ["QUERN_SOURCE"], "bench"))
import cluster  # noqa: E402


# Until the last background process of a shell is past what has no time limit, the start of MPI: it has its parts. Then it runs.
MIDST = "until grep -q part-0 /proc/$!/maps; do sleep .05; done; sleep .5"


def unfolded(text):
    """mpirun gives its ranks a terminal, whose lines continue under their values."""
    return re.sub(r"\n {11}", " ", text)


@unittest.skipUnless(HAVE_RANKS, "no mpirun, or a build without Open MPI")
class Ranks(Sets, unittest.TestCase):
    tier, sanitized_tier = "medium", "long"
    timeout = 300
    ids = "strings"

    def test_results(self):
        for ranks, algorithm, graph in ((2, "pagerank", "d"), (3, "bfs", "u"), (2, "sssp", "u"), (4, "kcore", "u"),
                                        (2, "cc", "u"), (3, "cc", "d"), (5, "cc", "u"), (3, "sssp", "d"), (2, "heat", "d"), (3, "eigenvector", "d"),
                                        (2, "closeness", "d")):
            with self.subTest(algorithm, ranks=ranks):
                self.same(ranks, algorithm, graph)

    @mock.patch.dict(os.environ, QUERN_RANKS_SHARED="0")
    def test_results_of_several_machines(self):
        """As if ranks had no memory in common."""
        for ranks, algorithm, graph in ((3, "pagerank", "d"), (2, "cc", "u"), (3, "cc", "d"), (5, "cc", "u"), (2, "heat", "d")):
            with self.subTest(algorithm, ranks=ranks):
                self.same(ranks, algorithm, graph)

    def test_more_ranks_than_parts(self):
        run("quern-transform", self.at / "u.qrn", "--parts", "2", "-qfo", self.at / "u2")
        launch(4, "quern-run", "bfs", self.at / "u2", "-qfo", self.at / "four.tsv")
        run("quern-run", "bfs", self.at / "u.qrn", "--device=cpu", "-qfo", self.at / "one.tsv")
        self.assertEqual((self.at / "four.tsv").read_bytes(), (self.at / "one.tsv").read_bytes())

    @mock.patch.dict(os.environ, QUERN_RANKS_SHARED="0")
    def test_bytes_are_those_of_the_model(self):
        """docs/cluster.md, as bench/cluster.py has it."""
        run("quern-generate", "rmat", "--scale", "10", "--seed", "5", "-qfo", self.at / "r.qrn")
        run("quern-transform", self.at / "r.qrn", "--parts", "7", "-qfo", self.at / "r")
        parts = cluster.parts_of(self.at / "r")
        for ranks, grid, columns in ((2, "none", 1), (4, "2x2", 2), (6, "2x3", 3)):
            said = self.same(ranks, "pagerank", "r", "--iterations", "6", "--tolerance", "0", shared=["--grid", grid])
            self.assertEqual(said["ranks"]["received_bytes"], cluster.pagerank_bytes(parts, ranks, 6, columns=columns))
            division = said["ranks"]["division"]
            self.assertEqual((division["rows"], division["columns"]), (ranks // columns, columns))
            self.assertEqual(division["iteration_bytes"], cluster.iteration_bytes(parts, ranks, columns, 4, 4))
        for ranks in (2, 4):
            said = self.same(ranks, "bfs", "r")
            hops = [int(value) if value.isdigit() else None for value in values(self.at / "one.tsv").values()]
            self.assertEqual(said["ranks"]["received_bytes"], cluster.bfs_bytes(parts, ranks, hops))

    def test_told_while_edges_are_walked(self):
        """The bytes of one process, and of ranks that tell each other afterwards: several slices and blocks, and a hub."""
        run("quern-generate", "rmat", "--scale=18", "--degree=8", "--permute=no", "--probabilities=0.86,0.04,0.08", "--parts=3", "-qo",
            self.at / "hub")
        parts = cluster.parts_of(self.at / "hub")
        found = set()
        for ranks, overlap, shared in ((1, "1", "1"), (2, "0", "0"), (2, "1", "0"), (3, "1", "0"), (3, "1", "1")):
            with (self.subTest(ranks=ranks, overlap=overlap, shared=shared),
                  mock.patch.dict(os.environ, QUERN_RANKS_OVERLAP=overlap, QUERN_RANKS_SHARED=shared)):
                said = json.loads(launch(ranks, "quern-run", "pagerank", self.at / "hub", "--tolerance=1e-2", "--json",
                                         "-fo", self.at / "x.npy").stdout)
                found.add((said["iterations"], (self.at / "x.npy").read_bytes()))
                if ranks > 1 and shared == "1":
                    self.assertLess(said["ranks"]["received_bytes"], 6 << 18)  # results, and sums: no message
                elif ranks > 1:
                    self.assertEqual(said["ranks"]["received_bytes"],
                                     cluster.pagerank_bytes(parts, ranks, said["iterations"], overlap == "1"))
        self.assertEqual(len(found), 1)

    def grid(self, ranks, algorithm, graph, *options, shared=()):
        """The same results from ranks that divide the set so, and in how many rows and columns they say that they did."""
        division = self.same(ranks, algorithm, graph, *options, shared=shared)["ranks"]["division"]
        return division["rows"], division["columns"], "reason" in division

    def test_grids(self):
        """Weights of every kind, hubs, several segments of a hub, no edges, and ranks without vertices."""
        for name, weights in (("f64", "f64"),):
            RandomGraph(5, 90, 900, weights, "sparse").write(self.at / "in.txt")
            self.make(name, "9", "--weights", weights)
        (self.at / "in.txt").write_text("0 399\n" + "".join("%d 7\n" % (i % 40) for i in range(340000)))
        self.make("star", "6")
        (self.at / "in.txt").write_text("%%MatrixMarket matrix coordinate pattern general\n0 0 0\n")
        self.make("none", "5")
        vector = self.at / "vector.txt"
        vector.write_text("".join("%s %d\n" % (vertex, i % 7) for i, vertex in enumerate(self.ids_of("d"))))
        for ranks, grid, algorithm, graph, *options in (
                (4, "2x2", "spmv", "d", "--vector", vector), (4, "1x4", "heat", "d", "--iterations", 4),
                (6, "3x2", "katz", "f64"), (4, "2x2", "degree", "star"), (4, "2x2", "pagerank", "star"),
                (4, "2x2", "pagerank", "none"), (6, "2x3", "eigenvector", "d")):
            with self.subTest(algorithm, grid=grid, graph=graph):
                rows, columns = map(int, grid.split("x"))
                self.assertEqual(self.grid(ranks, algorithm, graph, *options, shared=["--grid", grid]), (rows, columns, False))

    def ids_of(self, graph):
        run("quern-run", "indegree", self.at / (graph + ".qrn"), "--device=cpu", "-qfo", self.at / "ids.tsv")
        return list(values(self.at / "ids.tsv"))

    def test_which_grid_is_chosen(self):
        """Where it saves more in all iterations than is read more; not with fewer parts than ranks, nor where ranks form none."""
        for ranks, options, grid in ((4, (), (2, 2, False)), (4, ("--iterations", "1"), (4, 1, True)), (3, (), (3, 1, True)),
                                     (6, (), (6, 1, True))):
            with self.subTest(ranks=ranks, options=options):
                self.assertEqual(self.grid(ranks, "pagerank", "d", *options, shared=["--grid", "auto"]), grid)
        done = launch(4, "quern-run", "pagerank", self.at / "d", "--explain", "--grid", "auto")
        self.assertRegex(unfolded(done.stdout), "(?m)^division   2 rows and 2 columns of ranks: .* by whole rows; ")
        done = launch(2, "quern-run", "pagerank", self.at / "d", "--explain", "--grid", "none")
        self.assertRegex(unfolded(done.stdout), "(?m)^division   whole rows, .*: --grid asks for no other")
        done = launch(2, "quern-run", "bfs", self.at / "d", "--explain")
        self.assertRegex(unfolded(done.stdout), "(?m)^division   whole rows, as in searches and on devices")

    def test_grids_of_several_algorithms(self):
        """One after another, of which the third wants the weights, too."""
        launch(4, "quern-run", "bfs,pagerank,heat", self.at / "d", "--grid", "2x2", "-qo", self.at / "grids")
        for algorithm in ("bfs", "pagerank", "heat"):
            run("quern-run", algorithm, self.at / "d.qrn", "--device=cpu", "-qfo", self.at / "one.tsv")
            self.close(self.at / "one.tsv", self.at / "grids" / (algorithm + ".tsv"))

    def test_several_algorithms(self):
        """Part by part and by ranks, what each gives alone; the set is put together where one needs it."""
        run("quern-run", "bfs,cc,sssp", self.at / "u", "-qo", self.at / "parts")
        launch(2, "quern-run", "bfs,cc,sssp", self.at / "u", "-qo", self.at / "shared")
        united = run("quern-run", "bfs,coloring", self.at / "u", "-o", self.at / "united")
        self.assertRegex(united.stderr, "(?m)^note: coloring: .*does not run on the parts of a set")
        for algorithm in ("bfs", "cc", "sssp"):
            run("quern-run", algorithm, self.at / "u.qrn", "--device=cpu", "-qfo", self.at / "one.tsv")
            for folder in ("parts", "shared") + (("united",) if algorithm == "bfs" else ()):
                self.assertEqual((self.at / folder / (algorithm + ".tsv")).read_bytes(), (self.at / "one.tsv").read_bytes())

    def test_one_machine(self):
        """Where one process would be faster it is said, but not to those who want quiet."""
        said = launch(2, "quern-run", "bfs", self.at / "u", "--json")
        self.assertEqual(len(re.findall("(?m)^note: 2 processes share one machine, .* leave mpirun out", said.stderr.replace("\n  ", " "))), 1)
        self.assertIn("one-machine", [note["code"] for note in json.loads(said.stdout)["notes"]])
        self.assertNotIn("machine", launch(2, "quern-run", "bfs", self.at / "u", "-q").stderr)
        self.assertNotIn("machine", run("quern-run", "bfs", self.at / "u").stderr)

    def test_packed_parts(self):
        """Their rows are restored, of those that are trusted, too."""
        run("quern-pack", self.at / "u", "-qfo", self.at / "blocks")
        run("quern-run", "bfs", self.at / "u.qrn", "--device=cpu", "-qfo", self.at / "one.tsv")
        for options in ([], ["--trust"]):
            launch(2, "quern-run", "bfs", self.at / "blocks", "-qfo", self.at / "two.tsv", *options)
            self.assertEqual((self.at / "two.tsv").read_bytes(), (self.at / "one.tsv").read_bytes())

    def test_blocks(self):
        """Ranks take rows of blocks: of fewer of them than ranks, too; no grid of ranks is made of them."""
        for name, width in (("u", "70"), ("d", "140")):
            run("quern-transform", self.at / (name + ".qrn"), "--block-vertices", width, "-qfo", self.at / "cut")
            (self.at / "cut.qrn").unlink(missing_ok=True)
            (self.at / "cut.qrn").symlink_to(self.at / (name + ".qrn"))
            for ranks, algorithm in ((3, "pagerank"), (2, "bfs"), (4, "cc"), (2, "sssp")) + (((3, "kcore"),) if name == "u" else ()):
                with self.subTest(algorithm, ranks=ranks, graph=name):
                    self.same(ranks, algorithm, "cut")
        launch(3, "quern-run", "bfs", self.at / "cut", "--parts=csv", "-qo", self.at / "rows", "--parents", self.at / "p.tsv", exit=2)
        launch(3, "quern-run", "bfs", self.at / "cut", "--parts=csv", "-qo", self.at / "rows")
        run("quern-run", "bfs", self.at / "cut", "--parts=csv", "-qo", self.at / "alone")
        for path in (self.at / "alone").iterdir():
            self.assertEqual((self.at / "rows" / path.name).read_bytes(), path.read_bytes())
        self.refused(4, "quern-transform --parts makes such a set", "pagerank", self.at / "cut", "--grid", "3x1")

    def test_components_of_rows_of_any_direction(self):
        """Whichever ends ranks have the edges of, and who has none; with a checkpoint, too, where vertices have all their edges."""
        (self.at / "in.txt").write_text("".join("%d %d\n" % (i * 7919 % 1000, i * i * 31 % 1000) for i in range(600)))
        for name, options, split in (("in", (), ()), ("out", (), ("--rows", "out")), ("both", ("--undirected",), ())):
            self.make(name, "7", *options, split=split)
            for ranks in (2, 3, 6, 8):
                with self.subTest(rows=name, ranks=ranks):
                    self.same(ranks, "cc", name)
        self.same(3, "cc", "both", shared=["--checkpoint", self.at / "kept"])

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
        self.refused(4, "for this algorithm: leave mpirun out", "tc", self.at / "u")
        self.refused(2, "--grid 2x2 is not of 3 ranks", "pagerank", self.at / "u", "--grid", "2x2")
        self.refused(2, "an algorithm that recomputes all vertices, not for bfs", "bfs", self.at / "u", "--grid", "3x1")
        self.refused(4, "cannot share this: tc: ", "bfs,tc", self.at / "u")
        self.refused(2, "has --damping", "bfs,cc", self.at / "u", "--damping", "0.5")
        self.refused(4, "not shared among ranks", "graphalytics", self.at)
        self.refused(5, "nowhere: cannot open: No such file", "bfs", self.at / "nowhere")
        broken = self.at / "broken"
        shutil.copytree(self.at / "u", broken)
        part = broken / "part-00004.qrn"  # of the last rank
        data = bytearray(part.read_bytes())
        data[4096 + 8 * 20] ^= 0x40
        part.write_bytes(data)
        self.refused(3, "part-00004.qrn", "bfs", broken)
        part.unlink()
        self.refused(3, "SET-6", "bfs", broken)

    def test_different_options(self):
        script = "if [ $OMPI_COMM_WORLD_RANK = 0 ]; then exec %s; else exec %s; fi"
        begin = "quern-run pagerank %s -qo %s " % (self.at / "d", self.at / "no.tsv")
        for first, second, message in (
                (begin + "--damping 0.5", begin + "--damping 0.9", "different values of --damping"),
                (begin, begin + "--iterations 3", "different options"),
                (begin, begin.replace("pagerank", "cc"), "different algorithms"),
                (begin, begin.replace("-qo", "-q --parents"), "-o (or --parents")):
            with self.subTest(message):
                done = launch(2, "bash", "-c", script % (first, second), exit=2)
                self.assertIn(message, done.stderr)
                self.assertEqual(list(self.at.glob("no.tsv*")), [])
        one, other = "--damping 0.5 --iterations 3", "--iterations 3 --damping 0.5"
        launch(2, "bash", "-c", script % (begin + one, begin + other))
        (self.at / "no.tsv").unlink()

    def made_big(self):
        if not (self.at / "big").exists():
            run("quern-generate", "rmat", "--scale", "15", "--seed", "1", "--parts", "3", "-qo", self.at / "big")

    def ended(self, signal, rank, *options, ranks=2):
        """What mpirun returns when one rank of a run without end gets a signal in its midst."""
        self.made_big()
        words = " ".join(map(str, ("quern-run pagerank", self.at / "big", "--iterations 10000000 --tolerance 0 -o", self.at / "no.tsv",
                                   *options)))
        script = "if [ $OMPI_COMM_WORLD_RANK = %d ]; then %s & %s; kill -%s $!; wait $!; else exec %s; fi"
        done = subprocess.run([*LAUNCH, "-n", str(ranks), "bash", "-c", script % (rank, words, MIDST, signal, words)],
                              env=dict(os.environ, OMP_NUM_THREADS="1", OMPI_MCA_btl="self,vader,tcp"),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(list(self.at.glob("no.tsv*")), [])
        return done

    def test_a_killed_rank_ends_all(self):
        self.assertNotEqual(self.ended("KILL", 1).returncode, 0)

    def test_a_stopped_rank_is_named_and_given_up(self):
        for rank in (1, 0):
            done = self.ended("STOP", rank, "--rank-timeout", "6", ranks=3)
            self.assertEqual(done.returncode, 5, done.stderr)
            self.assertEqual(len(re.findall("(?m)^note: waiting for rank %d for 3 s$" % rank, done.stderr)), 1, done.stderr)
            self.assertEqual(len(re.findall("(?m)^quern-run: rank %d did not answer for 6 s" % rank, done.stderr)), 1, done.stderr)

    def test_who_comes_late_is_waited_for(self):
        """It is stopped in its midst and named, it goes on, and the run ends as if nothing had been."""
        self.made_big()
        words = "quern-run pagerank %s --iterations 1500 --tolerance 0 --rank-timeout 6 -fo %s"
        late = words % (self.at / "big", self.at / "waited.tsv")
        script = ("if [ $OMPI_COMM_WORLD_RANK = 1 ]; then %s & %s; kill -STOP $!; sleep 4; kill -CONT $!; wait $!; else exec %s; fi" %
                  (late, MIDST, late))
        done = launch(2, "bash", "-c", script)
        self.assertEqual(re.findall("(?m)^note: waiting .*", done.stderr), ["note: waiting for rank 1 for 3 s"], done.stderr)
        run(*(words % (self.at / "big", self.at / "one.tsv")).replace("--rank-timeout 6 ", "").split(), "-q", "--device=cpu")
        self.close(self.at / "one.tsv", self.at / "waited.tsv")

    def test_the_limit_of_the_environment(self):
        words = "quern-run pagerank %s -qfo %s" % (self.at / "d", self.at / "late.tsv")
        done = launch(2, "bash", "-c", "export QUERN_RANK_TIMEOUT=60; exec " + words)
        self.assertEqual(done.stderr, "")
        done = launch(2, "bash", "-c", "export QUERN_RANK_TIMEOUT=soon; exec " + words, exit=2)
        self.assertIn("QUERN_RANK_TIMEOUT is soon, not a number of seconds", done.stderr)


@unittest.skipUnless(HAVE_RANKS, "no mpirun, or a build without Open MPI")
class Results(Sets, unittest.TestCase):
    """Written by all ranks, as one file or by parts: the bytes that one process writes, or nothing."""

    tier, sanitized_tier = "medium", "long"
    timeout = 300

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # Enough vertices for several turns of two ranks.
        (cls.at / "in.txt").write_text("0 1\n1 70000\n70000 1199998\n")
        run("quern-import", cls.at / "in.txt", "--vertices", "1200000", "--parts", "3", "-qo", cls.at / "large")

    def test_one_file(self):
        for graph, ranks, names in (("d", 3, ("x.tsv", "x.csv", "x.npy", "x.ids.npy")), ("large", 2, ("x.tsv",))):
            for name in names:
                with self.subTest(name, graph=graph):
                    output = self.at / name.replace("ids.", "")
                    words = ["quern-run", "bfs", self.at / graph, "-qfo", output]
                    run(*words)
                    expected = (self.at / name).read_bytes()
                    (self.at / name).write_bytes(b"old")
                    launch(ranks, *words)
                    self.assertEqual((self.at / name).read_bytes(), expected)

    def test_parts(self):
        for form in ("tsv", "csv", "npy"):
            for ranks in (1, 3):
                words = ["quern-run", "pagerank", self.at / "d", "-qo", self.at / (form + str(ranks)), "--parts", form]
                launch(ranks, *words)
            names = sorted(path.name for path in (self.at / (form + "1")).iterdir())
            self.assertEqual(sorted(path.name for path in (self.at / (form + "3")).iterdir()), names)
            for name in names:
                self.assertEqual((self.at / (form + "3") / name).read_bytes(), (self.at / (form + "1") / name).read_bytes())
        run("quern-run", "pagerank", self.at / "d", "-qfo", self.at / "one.tsv")
        parts = sorted((self.at / "tsv1").iterdir())
        self.assertEqual([path.name for path in parts], ["part-%05d.tsv" % i for i in range(5)])
        self.assertEqual(sorted(b"".join(path.read_bytes() for path in parts).splitlines()),
                         sorted((self.at / "one.tsv").read_bytes().splitlines()))
        self.assertEqual(len(names), 10)  # each array has its ids beside it

    def refused(self, message, *words, exit=2, ranks=2):
        done = launch(ranks, "quern-run", *words, exit=exit)
        self.assertEqual(len(re.findall("(?m)^quern-run: ", done.stderr)), 1, done.stderr)
        self.assertRegex(done.stderr, message)

    def test_refused(self):
        (self.at / "old.tsv").write_text("old")
        self.refused("use --force", "bfs", self.at / "d", "-o", self.at / "old.tsv")
        self.assertEqual((self.at / "old.tsv").read_text(), "old")
        self.refused("--parts is for sets", "bfs", self.at / "d.qrn", "-o", self.at / "no", "--parts=csv", ranks=1)
        self.refused("is tsv, csv or npy", "bfs", self.at / "d", "-o", self.at / "no", "--parts=txt", ranks=1)
        self.refused("replaces no folder", "bfs", self.at / "d", "-fo", self.at / "no", "--parts=csv", ranks=1)
        self.refused("for -o FOLDER", "bfs", self.at / "d", "--parts=csv", ranks=1)

    def test_a_full_disk_on_one_rank(self):
        """The second rank may write no more than some KB: one message, and nothing is left."""
        for words in ("-o no.tsv", "-o no --parts csv"):
            script = "[ $OMPI_COMM_WORLD_RANK = 0 ] || { trap '' XFSZ; ulimit -f 4; }; exec quern-run bfs %s -q %s" % (
                self.at / "large", words.replace("no", str(self.at / "no"), 1))
            done = launch(2, "bash", "-c", script, exit=5)
            self.assertEqual(len(re.findall("(?m)^quern-run: ", done.stderr)), 1, done.stderr)
            self.assertIn("File too large", done.stderr)
            self.assertEqual([path.name for path in self.at.glob("no*")], [])

    def test_a_rank_killed_while_it_writes(self):
        script = "[ $OMPI_COMM_WORLD_RANK = 0 ] || ulimit -f 4; exec quern-run bfs %s -q %s" % (self.at / "large", "-o %s")
        for name in ("no.tsv", "no --parts tsv"):
            done = subprocess.run([*LAUNCH, "-n", "2", "bash", "-c", script % (self.at / name)], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
            self.assertNotEqual(done.returncode, 0)
            self.assertEqual([path.name for path in self.at.glob("no*")], [])
