"""Results of other shapes than values, and weights of 8 bytes, on the emulated device: what the CPU says, byte for byte."""

import random
import re
import unittest
from pathlib import Path

from emulator.test_quern_run import EMULATED, TOOLS, Graph, run, tool


def hostile(chance, directed):
    """Loops, parallel edges, a hub, two components and vertices without edges; as lines."""
    edges = [(chance.randrange(60), chance.randrange(60)) for _ in range(220)] + [(7, v) for v in range(0, 58, 2)]
    edges += [(v, 7) for v in range(20)] + [(7, 7), (3, 4), (3, 4), (4, 3), (80, 81), (81, 82)]
    return edges if directed else sorted({(min(edge), max(edge)) for edge in edges})


class OnBoth(Graph):
    timeout = 300

    def said(self, program, device, container, *command, **environment):
        """The result; or that there is no path."""
        done = run(program, *command, container, "--device=" + device, "-fo", "out", **environment)
        if done.returncode == 1:
            return done.stderr
        self.assertEqual(done.returncode, 0, done.stderr)
        return Path("out").read_bytes()

    def same(self, container, *command, **environment):
        with self.subTest(container=container, command=command, **environment):
            self.turn = getattr(self, "turn", 0) + 1  # orders of threads
            expected = self.said(TOOLS / "quern-run", "cpu", container, *command)
            self.assertEqual(self.said(EMULATED, "cuda", container, *command, QUERN_EMULATOR_SEED=str(self.turn), **environment),
                             expected)


class OtherShapes(OnBoth):
    def graphs(self, chance):
        for directed in (True, False):
            lines = ["%d %d %d" % (*edge, chance.choice((0, 1, 1, 2, 900))) for edge in hostile(chance, directed)]
            Path("edges.txt").write_text("\n".join(lines) + "\n")
            for name, more in (("plain", ()), ("both", ("--transpose=also",) if directed else ())):
                tool("quern-import", "edges.txt", "--vertices=90", "-qfo", name + ".qrn", *more, *(() if directed else ("--undirected",)))
            tool("quern-transform", "both.qrn", "-qfo", "order.qrn", "--relabel=random", "--seed=3")
            yield from ("plain.qrn", "order.qrn")

    def test_paths(self):
        chance = random.Random(1)
        for graph in self.graphs(chance):
            for target in (82, chance.randrange(60), chance.randrange(60)):
                self.same(graph, "path", "--source=3", "--target=%d" % target)
            self.same(graph, "path", "--source=3", "--target=%d" % chance.randrange(60), "--unweighted")

    def test_walks(self):
        Path("some.txt").write_text("3\n89\n7\n")
        for graph in self.graphs(random.Random(2)):
            self.same(graph, "walk", "--weighted", "--walks=3", "--length=20")
            self.same(graph, "walk", "--sources=some.txt", "--length=7", "--seed=9")
        self.same(graph, "walk", "--length=0")

    def test_similarities(self):
        chance = random.Random(3)
        Path("pairs.txt").write_text("".join("%d %d\n" % (chance.randrange(90), chance.randrange(90)) for _ in range(70)) + "7 7\n")
        for graph in self.graphs(chance):
            self.same(graph, "similarity", "--measure=" + chance.choice(("jaccard", "overlap", "cosine")))
            self.same(graph, "similarity", "--pairs=pairs.txt")

    def test_samples(self):
        Path("some.txt").write_text("3\n89\n7\n81\n")
        for graph in self.graphs(random.Random(4)):
            for fanouts in ("2,3", "1,all,40"):
                self.same(graph, "sample", "--sources=some.txt", "--fanouts=" + fanouts, "--seed=5")

    def test_nothing_there(self):
        tool("quern-generate", "uniform", "--scale=2", "--degree=0", "-qfo", "g.qrn")
        Path("some.txt").write_text("1\n")
        for command in (("path", "--source=0", "--target=2"), ("path", "--source=1", "--target=1"), ("walk",), ("similarity",),
                        ("sample", "--sources=some.txt"), ("hits",)):
            self.same("g.qrn", *command)

    def test_edges_on_the_host(self):
        """Where there is no room for them they are read in pinned memory, of which there may be too little."""
        Path("some.txt").write_text("1\n7\n")
        cases = {"--undirected": {"cdlp": (60,), "mis": (40,), "coloring": (40,), "scc": (40,)},
                 "--transpose=also": {"kcore": (60,), "walk": (60, "--length=5", "--weighted"), "similarity": (40,),
                                      "sample": (30, "--sources=some.txt")}}
        for kind, algorithms in cases.items():
            tool("quern-generate", "rmat", "--scale=8", "--degree=40", "--weights=1,50", kind, "-qfo", "g.qrn")
            for name, (room, *options) in algorithms.items():
                with self.subTest(name=name):
                    expected = self.said(TOOLS / "quern-run", "cpu", "g.qrn", name, *options)
                    done = self.emulated(name, "g.qrn", *options, "--device-memory=%dK" % room, "-fo", "out")
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertEqual(Path("out").read_bytes(), expected)
                    self.assertIn("reading edges from the host", done.stderr)
        self.refused(self.emulated("kcore", "g.qrn", "--device-memory=40K", "--host-memory=10K"), 6, "pinned host memory")
        self.refused(self.emulated("kcore", "g.qrn", "--device-memory=4K"), 6, "even reading edges from the host, kcore")


class WideWeights(OnBoth):
    """i64 and f64: sums beyond what 53 and 24 bits tell apart, by programs and on all that takes them."""

    DRAWS = {"i64": lambda chance: chance.choice((0, 1, 1, 2, 3, (1 << 40) + chance.randrange(9), 1 << 55)),
             "f64": lambda chance: chance.choice((0.0, 1.0, 1 + 2.0 ** -50, 1e-300, 1e200, chance.random()))}

    def graphs(self):
        for kind, draw in self.DRAWS.items():
            chance = random.Random(kind)
            for directed in (True, False):
                edges = hostile(chance, directed) + [(chance.randrange(60), chance.randrange(60)) for _ in range(2500)]
                edges = edges if directed else sorted({(min(edge), max(edge)) for edge in edges})
                text = "".join("%d %d %r\n" % (*edge, draw(chance)) for edge in edges)
                Path("edges.txt").write_text(text)
                tool("quern-import", "edges.txt", "--vertices=90", "--weights=" + kind, "-qfo", "g.qrn",
                     *(("--transpose=also",) if directed else ("--undirected",)))
                yield "g.qrn"

    def parents(self, program, device, *options):
        done = run(program, "sssp", "g.qrn", "--source=3", "--parents=parents.tsv", "-fo", "out", "--device=" + device, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return Path("parents.tsv").read_bytes()

    def test_shortest_paths(self):
        for graph in self.graphs():
            self.same(graph, "sssp", "--source=3")
            self.same(graph, "path", "--source=3", "--target=21")
            expected = self.said(TOOLS / "quern-run", "cpu", graph, "sssp", "--source=3")
            for options in (("--device-memory=32K",), ("--device-memory=32K", "--move=all")):
                self.assertEqual(self.said(EMULATED, "cuda", graph, "sssp", "--source=3", *options), expected, options)
            self.assertEqual(self.parents(EMULATED, "cuda"), self.parents(TOOLS / "quern-run", "cpu"))
            tool("quern-pack", graph, "-qfo", "packed.qrn")
            self.assertEqual(self.said(EMULATED, "cuda", "packed.qrn", "sssp", "--source=3"), expected)
            tool("quern-transform", graph, "--parts=3", "-qfo", "parts")
            self.assertEqual(self.said(EMULATED, "cuda", "parts", "sssp", "--source=3"), expected)

    def test_sums(self):
        for graph in self.graphs():
            tool("quern-run", "degree", graph, "-qfo", "vector.npy")
            for command in (("spmv", "--vector=vector.npy", "--iterations=1"), ("pagerank-weighted", "--iterations=5")):
                found = [self.said(program, device, graph, *command, *options).split() for program, device, options in
                         ((TOOLS / "quern-run", "cpu", ()), (EMULATED, "cuda", ()), (EMULATED, "cuda", ("--device-memory=32K",)))]
                for other in found[1:]:
                    self.assertEqual(len(found[0]), len(other))
                    for a, b in zip(found[0], other):
                        self.assertTrue(abs(float(a) - float(b)) <= 1e-5 * abs(float(a)), (command, a, b))

    def test_refusals(self):
        """As on the CPU."""
        for kind, weight, text in (("i64", -1, "edge 0 is -1"), ("i64", 1 << 62, "no path's sum leaves 64"), ("f64", -0.5, "edge 0 is -0.5")):
            Path("edges.txt").write_text("0 1 %r\n1 2 3\n2 3 4\n3 0 1\n4 0 1\n" % weight)
            tool("quern-import", "edges.txt", "--weights=" + kind, "-qfo", "g.qrn")
            said = [run(program, "sssp", "g.qrn", "--source=0", "--device=" + device) for program, device in
                    ((TOOLS / "quern-run", "cpu"), (EMULATED, "cuda"))]
            self.assertEqual(*((done.returncode, done.stderr) for done in said))
            self.assertEqual(said[0].returncode, 4)
            self.assertTrue(re.search(text, said[0].stderr), said[0].stderr)


if __name__ == "__main__":
    unittest.main()
