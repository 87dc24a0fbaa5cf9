"""Results of other shapes than values, and weights of 8 bytes, on the emulated device: what the CPU says, byte for byte."""

import json
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
        tool("quern-generate", "rmat", "--scale=8", "--degree=40", "--transpose=also", "-qfo", "g.qrn")
        self.refused(self.emulated("kcore", "g.qrn", "--device-memory=40K", "--host-memory=10K"), 6, "pinned host memory")
        self.refused(self.emulated("kcore", "g.qrn", "--device-memory=40K", QUERN_EMULATOR_FAIL="cudaHostAlloc:3"), 6,
                     "the host has no .* of pinned memory for column indices; allow more with --device-memory, or use --device cpu")


class LittleMemory(OnBoth):
    """With as little device memory as a refusal asks for, and with all: the same result, that of the CPU. Edges are read in the
    host's memory meanwhile."""
    timeout = 600

    VALUES = ("bc", "hits")  # real sums: the device's digits are its own
    ALGORITHMS = {"tc": (), "lcc": (), "bc": ("--sources=some.txt",), "hits": ("--iterations=5",), "cross-edges": ("--groups=groups.tsv",),
                  "bfs": ("--sources=some.txt",), "similarity": (), "path": ("--source=3", "--target=21"), "scc": (), "cdlp": (),
                  "walk": ("--weighted", "--length=5"), "sample": ("--sources=some.txt",)}
    BY_PARTS = ("tc", "lcc", "leiden")  # some of what they read may be on the device
    UNDIRECTED, DIRECTED = {"mis": (), "coloring": (), "leiden": ()}, {"kcore": ()}

    def graphs(self):
        """What to run on each container: dense ones of every kind, with ids in another order; a clique and a hub."""
        for weights, directed, transpose in (("u32", False, "no"), ("i64", True, "also"), ("f64", True, "no")):
            chance = random.Random(weights)
            edges = hostile(chance, True) + [(chance.randrange(60), chance.randrange(60)) for _ in range(4000)]
            edges = edges if directed else {(min(edge), max(edge)) for edge in edges}
            Path("edges.txt").write_text("".join("%d %d %d\n" % (*edge, chance.randrange(9)) for edge in sorted(edges)))
            tool("quern-import", "edges.txt", "--vertices=90", "--weights=" + weights, "-qfo", "g.qrn",
                 *(("--transpose=" + transpose,) if directed else ("--undirected",)))
            if transpose == "no":
                tool("quern-transform", "g.qrn", "-qfo", "order.qrn", "--relabel=random", "--seed=3")
            every = dict(self.ALGORITHMS, **(self.DIRECTED if directed else self.UNDIRECTED))
            few = {name: every[name] for name in ("tc", "lcc", "scc", "cdlp", "path") if name in every}
            yield "g.qrn" if transpose == "also" else "order.qrn", few if weights == "f64" else every
            if weights == "i64":
                tool("quern-hybrid", "g.qrn", "-qfo", "hybrid.qrn", "--direction=in", "--width=3")
                yield "hybrid.qrn", {"tc": ()}
        pairs = [(a, b) for a in range(100) for b in range(a)] + [(0, v) for v in range(100, 1300)] + [(v, v + 1) for v in range(300, 1299, 2)]
        Path("edges.txt").write_text("".join("%d %d\n" % pair for pair in pairs))
        tool("quern-import", "edges.txt", "--undirected", "-qfo", "hub.qrn")
        yield "hub.qrn", {"tc": (), "lcc": (), "leiden": (), "cdlp": ()}

    def attempt(self, program, *command, **environment):
        """A run, and what it has found."""
        wanted = () if command[0] == "tc" else ("-fo", "out")
        done = run(program, *command, *wanted, "--json", **environment)
        said = json.loads(done.stdout) if done.returncode == 0 else None
        return done, said and (Path("out").read_bytes() if wanted else said["result"]), said

    def outcome(self, program, *command, **environment):
        done, *found = self.attempt(program, *command, **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return found

    def with_least(self, command, **environment):
        """What a run finds with what it wants at least, as it says itself: at once, but for a path's second search, and results
        of any size."""
        memory, tries = 100, 0
        while True:
            done, found, said = self.attempt(EMULATED, *command, "--device=cuda", "--device-memory=%d" % memory, **environment)
            if done.returncode == 0:
                self.assertTrue(tries == 1 or command[0] in ("path", "sample"), command)
                self.assertIn("streaming", said)
                return memory, found, said
            self.refused(done, 6, "allow more with --device-memory, use a larger device, or --device cpu")
            amounts = re.search(r"needs ([0-9.]+) (B|KiB)|memory: ([0-9.]+) (B|KiB) for .* beside ([0-9.]+) (B|KiB) in use", done.stderr)
            words = [word for word in amounts.groups() if word]
            memory = 1 + int(sum((float(number) + 0.01) * {"B": 1, "KiB": 1024}[unit] for number, unit in zip(words[::2], words[1::2])))
            tries += 1

    def agree(self, name, expected, found):
        if name == "leiden":  # of many good results each has its own
            return
        if name not in self.VALUES:
            self.assertEqual(found, expected)
            return
        one, other = ([float(word) for line in text.decode().splitlines() if line[:1].isdigit() for word in line.split()]
                      for text in (expected, found))
        self.assertEqual(len(one), len(other))
        for a, b in zip(one, other):
            self.assertTrue(abs(a - b) <= 1e-5 * abs(a), (a, b))

    def test_budgets(self):
        Path("some.txt").write_text("3\n7\n80\n")
        Path("groups.tsv").write_text("".join("%d %d\n" % (v, v % 5) for v in range(70)))
        for turn, (graph, algorithms) in enumerate(self.graphs()):
            for name, options in algorithms.items():
                with self.subTest(turn=turn, name=name):
                    self.with_little(name, (name, graph, *options), str(turn))

    def with_little(self, name, command, seed):
        expected, _ = self.outcome(TOOLS / "quern-run", *command, "--device=cpu")
        all_there, said = self.outcome(EMULATED, *command, "--device=cuda")
        self.agree(name, expected, all_there)
        most = said["accelerator"]["memory_bytes"]
        least, found, said = self.with_least(command, QUERN_EMULATOR_SEED=seed)
        self.assertEqual(found, all_there)
        self.assertLessEqual(said["accelerator"]["memory_bytes"], least)
        if name in self.BY_PARTS:
            between = (least + most) // 2
            found, said = self.outcome(EMULATED, *command, "--device=cuda", "--device-memory=%d" % between)
            self.assertEqual(found, all_there)
            self.assertLessEqual(said["accelerator"]["memory_bytes"], between)

    def test_more_memory_is_no_drawback(self):
        """Between the least memory in which edges are on the device and what is needed to read them on the host there is nothing refused:
        what kernels learn as they go (tables of a hub's labels, a hop's edges) and vertices' original order have room, too."""
        chance = random.Random(5)
        edges = [(chance.randrange(400), chance.randrange(400)) for _ in range(5000)] + [(7, v) for v in range(400)] * 6
        Path("edges.txt").write_text("".join("%d %d\n" % edge for edge in edges))
        Path("some.txt").write_text("".join("%d\n" % v for v in range(0, 400, 7)))
        for kind in ("directed", "undirected"):
            tool("quern-import", "edges.txt", "--" + kind, "--duplicates=keep", "-qfo", "g.qrn")
            tool("quern-transform", "g.qrn", "--relabel=random", "-qfo", kind + ".qrn")
        for kind, *command in (("undirected", "cdlp"), ("directed", "cdlp"), ("undirected", "mis"), ("directed", "scc"),
                               ("directed", "sample", "--sources=some.txt", "--fanouts=all,all")):
            expected, low, high = self.said(TOOLS / "quern-run", "cpu", kind + ".qrn", *command), 60 << 10, 200 << 10
            while high - low > 512:
                middle = (low + high) // 2
                done = self.emulated(command[0], kind + ".qrn", *command[1:], "--device-memory=%d" % middle, "-fo", "out")
                self.assertEqual(done.returncode, 0, (command, done.stderr))
                self.assertEqual(Path("out").read_bytes(), expected)
                low, high = (middle, high) if "reading edges from the host" in done.stderr else (low, middle)
            self.assertTrue(60 << 10 < low and high < 200 << 10, (command, low, high))


class WideWeights(OnBoth):
    """i64 and f64: sums beyond what 53 and 24 bits tell apart, by programs and on all that takes them."""

    DRAWS = {"i64": lambda chance: chance.choice((0, 1, 1, 2, 3, (1 << 40) + chance.randrange(9), 1 << 55)),
             "f64": lambda chance: chance.choice((0.0, 1.0, 1 + 2.0 ** -50, 1e-300, 1e200, chance.random()))}

    SIMULATIONS = ("heat", "circuit")

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
            for command in (("spmv", "--vector=vector.npy", "--iterations=1"), ("pagerank-weighted", "--iterations=5"),
                            ("neural",), *((name, "--source=3") for name in self.SIMULATIONS)):
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
