"""Runs on a set give what runs on its graph give: integers the same, sums of reals to 1e-5."""

import json
import tempfile
import unittest
from pathlib import Path
from random import Random

from harness.tools import run, values
from oracle.graphs import RandomGraph


def algorithms():
    """Those that go through parts, and the weights that each has a kernel for."""
    found = {}
    for kernel in json.loads(run("quern-run", "--list", "--json").stdout)["kernels"]:
        if kernel["layout"] == "set" and kernel["algorithm"] != "tc":  # that counts
            found.setdefault(kernel["algorithm"], set()).update(kernel["weights"])
    return found


def values_of(graph, at):
    run("quern-run", "degree", graph, "-qfo", at)
    return values(at)


class Runs(unittest.TestCase):
    tier, sanitized_tier = "medium", "long"
    timeout = 300
    cut = "--parts", "4"
    put_together = {"pagerank-weighted"}  # what needs one container

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.at = Path(folder.name)

    def make(self, seed, weights, ids, options=()):
        graph = RandomGraph(seed, 300, 1500, weights, ids)
        graph.write(self.at / "in.txt")
        run("quern-import", self.at / "in.txt", "-qfo", self.at / "g.qrn", "--weights", weights,
            *(["--ids", "strings"] if ids == "strings" else []), *options)
        run("quern-transform", self.at / "g.qrn", *self.cut, "-qfo", self.at / "set")
        run("quern-run", "degree", self.at / "g.qrn", "--device=cpu", "-qfo", self.at / "x.npy")  # some vector

    def same(self, algorithm, *options):
        """Its values on the graph and on the set; what was said of the second."""
        run("quern-run", algorithm, self.at / "g.qrn", "--device=cpu", "-qfo", self.at / "graph.tsv", *options)
        said = run("quern-run", algorithm, self.at / "set", "--json", "-fo", self.at / "set.tsv", *options)
        expected, found = values(self.at / "graph.tsv"), values(self.at / "set.tsv")
        self.assertEqual(list(found), list(expected))
        for vertex, value in expected.items():
            if value != found[vertex]:
                self.assertAlmostEqual(float(found[vertex]), float(value), delta=1e-5 * max(1, abs(float(value))))
                self.assertIn(".", value + found[vertex])  # integers are the same
        return json.loads(said.stdout)

    def blocks(self):
        return json.loads((self.at / "set/set.json").read_text())["blocks"]

    def test_files_of_parts_have_all_columns(self):
        self.make(3, "none", "sparse")
        run("quern-run", "degree", self.at / "g.qrn", "-qfo", self.at / "degrees.tsv")
        vertices = list(values(self.at / "degrees.tsv"))
        sources = ["--source", vertices[0], "--source", vertices[len(vertices) // 2]]
        run("quern-run", "bfs", self.at / "g.qrn", "--device=cpu", "-qfo", self.at / "graph.csv", *sources)
        run("quern-run", "bfs", self.at / "set", "--device=cpu", "-qo", self.at / "files", "--parts=csv", *sources)
        files = sorted((self.at / "files").glob("*.csv"))
        self.assertEqual(len(files), len({tuple(block["rows"]) for block in self.blocks()}))
        whole = (self.at / "graph.csv").read_text().splitlines()
        parts = [line for file in files for line in file.read_text().splitlines() if line != whole[0]]
        self.assertEqual(sorted(parts), sorted(whole[1:]))

    def test_algorithms(self):
        cases = [("none", "sparse", ()), ("u32", "strings", ("--undirected",)), ("f64", "sparse", ("--undirected",)),
                 ("f32", "sparse", ("--transpose", "also"))]
        for seed, (weights, ids, options) in enumerate(cases):
            self.make(seed, weights, ids, options)
            for algorithm, types in algorithms().items():
                if weights not in types or algorithm in ("kcore", "mis") and "--undirected" not in options:
                    continue
                with self.subTest(algorithm, weights=weights):
                    given = {"spmv": ["--vector", self.at / "x.npy"], "katz": ["--alpha", "0.01"]}.get(algorithm, [])
                    said = self.same(algorithm, *given)
                    self.assertEqual(said["layout"], "graph" if algorithm in self.put_together else "set")

    def test_components_of_rows_of_any_direction(self):
        """Sparse enough for many components."""
        (self.at / "in.txt").write_text("".join("%d %d\n" % (i * 7919 % 1000, i * i * 31 % 1000) for i in range(600)))
        run("quern-import", self.at / "in.txt", "-qo", self.at / "g.qrn")
        for rows in ("in", "out"):
            run("quern-transform", self.at / "g.qrn", *self.cut, "--rows", rows, "-qfo", self.at / "set")
            with self.subTest(rows=rows):
                self.assertEqual(self.same("cc")["layout"], "set")

    def test_parents(self):
        self.make(5, "u32", "strings")
        for algorithm in ("bfs", "sssp"):
            for name in ("g.qrn", "set"):
                run("quern-run", algorithm, self.at / name, "--device=cpu", "-fq", "--parents", self.at / (name + ".tsv"))
            self.assertEqual((self.at / "set.tsv").read_bytes(), (self.at / "g.qrn.tsv").read_bytes())

    def test_weights_of_all_sizes(self):
        """Senders that are too far for a vertex are passed over by the size of what they send, which must not change a bit."""
        random = Random(6)
        for weights, draw in (("f32", lambda: 10 ** random.uniform(-36, 30)), ("f64", lambda: 10 ** random.uniform(-300, 280)),
                              ("u32", lambda: random.choice((1, 2**32 - 1, random.randrange(2 ** random.randrange(1, 33)))))):
            lines = ["%d %d %r" % (random.randrange(300), random.randrange(300), random.choice((0, draw(), draw()))) for _ in range(2500)]
            (self.at / "in.txt").write_text("\n".join(lines) + "\n")
            for options in ([], ["--undirected"]):
                run("quern-import", self.at / "in.txt", "-qfo", self.at / "g.qrn", "--weights", weights, "--narrow-weights", *options)
                run("quern-transform", self.at / "g.qrn", *self.cut, "-qfo", self.at / "set")
                with self.subTest(weights=weights, options=options):
                    said = self.same("sssp", "--source", "0")
                    self.assertEqual((self.at / "set.tsv").read_bytes(), (self.at / "graph.tsv").read_bytes())
                    self.assertGreater(said["result"]["reached"], 250)

    def test_empty(self):
        (self.at / "z.mtx").write_text("%%MatrixMarket matrix coordinate pattern general\n0 0 0\n")
        run("quern-import", self.at / "z.mtx", "-qo", self.at / "g.qrn")
        run("quern-transform", self.at / "g.qrn", *self.cut, "-qo", self.at / "set")
        self.same("pagerank")
        self.same("bfs")

    def test_a_damaged_part(self):
        self.make(7, "u32", "sparse")
        part = self.at / "set/part-00002.qrn"
        data = bytearray(part.read_bytes())
        data[4096 + 8 * 20] ^= 0x40
        part.write_bytes(data)
        self.assertIn("part-00002.qrn", run("quern-run", "bfs", self.at / "set", "-o", self.at / "no.tsv", exit=3).stderr)
        self.assertFalse((self.at / "no.tsv").exists())

    def test_what_needs_one_container(self):
        self.make(8, "none", "sparse", ("--undirected",))
        run("quern-run", "coloring", self.at / "set", "-qo", self.at / "set.tsv")
        said = run("quern-run", "coloring", self.at / "set").stderr
        self.assertIn("does not run on the parts of a set", said)
        self.assertRegex(said, "takes about [0-9.]+ [KM]iB of temporary disk space")
        few = run("quern-run", "coloring", self.at / "set", "--device=cpu", "--host-memory", "4K", exit=2).stderr
        self.assertRegex(few, "putting them together takes [0-9.]+ [KM]iB, and --host-memory allows 4.00 KiB")
        run("quern-run", "coloring", self.at / "g.qrn", "--device=cpu", "-qo", self.at / "graph.tsv")
        self.assertEqual((self.at / "set.tsv").read_bytes(), (self.at / "graph.tsv").read_bytes())

    def test_triangles(self):
        """And what else does not mind which ends of edges rows hold, in a directed graph."""
        self.make(9, "none", "strings")
        expected = json.loads(run("quern-run", "tc", self.at / "g.qrn", "--device=cpu", "--json").stdout)["result"]
        for rows in ("in", "out"):
            run("quern-transform", self.at / "g.qrn", *self.cut, "--rows", rows, "-qfo", self.at / "set")
            said = json.loads(run("quern-run", "tc", self.at / "set", "--json").stdout)
            self.assertEqual((said["layout"], said["result"]), ("set", expected))
            for algorithm in ("lcc", "cdlp", "scc"):
                with self.subTest(algorithm, rows=rows):
                    self.assertEqual(self.same(algorithm)["layout"], "set")

    def test_strong_components(self):
        """A core, cycles that lead to it and from it, and vertices of none; and a cycle so long that walks do not find it."""
        random = Random(11)
        core = ["%d %d" % (random.randrange(100), random.randrange(100)) for _ in range(400)]
        cycles = ["%d %d" % (v, v + 1 if v % 7 else v - 6) for v in range(100, 400)] + ["%d %d" % (100 + 9 * i, i) for i in range(20)]
        loose = ["%d %d" % (random.randrange(150), 400 + i) for i in range(150)] + ["%d %d" % (500 + i, 600 + i % 40) for i in range(50)]
        order = random.sample(range(900), 900)
        long = ["%d %d" % (v, order[i - 1]) for i, v in enumerate(order)]
        for lines, label in ((core + cycles + loose, "core"), (long, "long")):
            random.shuffle(lines)
            (self.at / "in.txt").write_text("\n".join(lines) + "\n")
            run("quern-import", self.at / "in.txt", "-qfo", self.at / "g.qrn")
            for rows in ("in", "out"):
                run("quern-transform", self.at / "g.qrn", *self.cut, "--rows", rows, "-qfo", self.at / "set")
                with self.subTest(label, rows=rows):
                    self.assertEqual(self.same("scc")["layout"], "set")

    def test_checkpoints_of_what_is_no_program(self):
        self.make(10, "none", "sparse", ("--undirected",))
        vertices = list(values_of(self.at / "g.qrn", self.at / "degrees.tsv"))[:3]
        sources = [word for vertex in vertices for word in ("--source", vertex)]
        for algorithm, options in (("cdlp", ["--iterations", "6"]), ("bc", sources)):
            with self.subTest(algorithm):
                run("quern-run", algorithm, self.at / "set", "-qfo", self.at / "whole.tsv", *options)
                run("quern-run", algorithm, self.at / "set", "-qfo", self.at / "resumed.tsv", "--checkpoint", self.at / "kept", "--every", "1",
                    "--resume", *options)
                self.assertEqual((self.at / "resumed.tsv").read_bytes(), (self.at / "whole.tsv").read_bytes())


class Blocks(Runs):
    """The same on blocks of some columns, of which those of a row come one after another."""

    cut = "--block-vertices", "70"

    def test_there_are_many(self):
        self.make(3, "none", "sparse")
        self.assertGreater(len(self.blocks()), 8)

    def test_threads_change_no_bit(self):
        self.make(4, "none", "sparse")
        for threads in ("1", "5"):
            run("quern-run", "pagerank", self.at / "set", "--device=cpu", "-T", threads, "-qo", self.at / (threads + ".tsv"))
        self.assertEqual((self.at / "1.tsv").read_bytes(), (self.at / "5.tsv").read_bytes())

    def test_little_memory(self):
        """Values in temporary files, and rows that are unpacked for each walk, which must not change a bit."""
        for seed, options in enumerate(((), ("--undirected",), ("--transpose", "also"))):
            self.make(seed, "u32", ("sparse", "dense")[seed % 2], options)
            run("quern-pack", self.at / "set", "-qfo", self.at / "packed")
            for name in ("set", "packed"):
                for algorithm, parents in (("bfs", True), ("sssp", True), ("pagerank", False), ("cc", False), ("degree", False), ("lcc", False),
                                           ("cdlp", False), ("scc", False), ("cross-edges", False), *([("mis", False)] if "--undirected" in options else [])):
                    with self.subTest(algorithm, name=name, options=options):
                        outputs = []
                        for at, more in ((self.at / "g.qrn", []), (self.at / name, ["--host-memory", "1K"])):
                            run("quern-run", algorithm, at, "--device=cpu", *more, "-qfo", self.at / "values.tsv",
                                *(["--parents", self.at / "parents.tsv"] if parents else []))
                            outputs.append((self.at / "values.tsv").read_bytes())
                            outputs[-1] += (self.at / "parents.tsv").read_bytes() if parents else b""
                        self.assertEqual(outputs[0], outputs[1])

    def test_rows_in_slices(self):
        """Values fit into memory, and rows of packed blocks do not: they come some thousands at a time."""
        for seed, options in enumerate(((), ("--undirected",))):
            lines = ["%d %d %d" % (i * i * 7919 % 20011, (i * 31 + i // 7) % 20011 if i % 5 else 11, i % 9) for i in range(30000)]
            (self.at / "in.txt").write_text("\n".join(lines) + "\n")
            run("quern-import", self.at / "in.txt", "-qfo", self.at / "g.qrn", *options)
            run("quern-transform", self.at / "g.qrn", "--block-vertices", "9001", "-qfo", self.at / "set")
            run("quern-pack", self.at / "set", "-qfo", self.at / "packed")
            for algorithm in ("bfs", "sssp", "pagerank", "cc", "degree", "indegree", "lcc", "scc", "spmv"):
                with self.subTest(algorithm, options=options):
                    outputs = []
                    for at, more in ((self.at / "set", []), (self.at / "packed", ["--host-memory", "400K"])):
                        if algorithm == "spmv":
                            more = more + ["--vector", self.at / "x.npy"]
                        run("quern-run", algorithm, at, "--device=cpu", *more, "-qfo", self.at / "values.tsv")
                        outputs.append((self.at / "values.tsv").read_bytes())
                    self.assertEqual(*outputs)
                    if algorithm == "degree":
                        run("quern-run", "degree", self.at / "set", "-qfo", self.at / "x.npy")

    def test_a_graph_of_one_block(self):
        self.make(5, "u32", "sparse")
        run("quern-transform", self.at / "g.qrn", "--block-vertices", "1000", "-qfo", self.at / "set")
        self.assertEqual(len(self.blocks()), 1)
        self.same("sssp")
