"""Single paths, searches that end early, and searches from several sources, against the definitions."""

import json
import math
import random
import struct
import tempfile
import unittest
from pathlib import Path

from harness.tools import run, values
from oracle import naive
from oracle.graphs import RandomGraph, in_every_layout
from oracle.test_parents import Short


def number(text):
    return math.inf if text == "inf" else float(text)


class _Paths(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def graphs(self, kind, size, layouts=False):
        """(graph, its edges both ways if it is undirected, container or containers by layout)"""
        kinds = [(ids, weights, directed) for ids in ("sparse", "strings") for weights in ("none", "u32", "f32")
                 for directed in (True, False)]
        for seed, (ids, weights, directed) in enumerate(kinds):
            graph = kind(seed, size + 17 * seed, 2 * size + 60 * seed, weights, ids)
            with self.subTest(seed=seed, ids=ids, weights=weights, directed=directed):
                containers = in_every_layout(graph, directed, self.folder)
                yield (graph, graph.edges if directed else naive.both_ways(graph.edges),
                       containers if layouts else containers["graph"])


class Rounded(RandomGraph):
    """Weights whose sums depend on where adding up begins, or that are lost beside others."""

    def weight(self):
        return self.random.choice((0.1, 0.2, 0.3, 0.7, 1e-17, 0.0))


class OnePath(_Paths):
    tier = "medium"

    def check(self, graph, edges, path, source, target, options):
        if "--unweighted" in options:
            edges = [(u, v, 1) for u, v, _ in edges]
        far = naive.sssp(graph.num_vertices, edges, source)
        command = ["quern-run", "path", path, "--source", graph.ids[source], "--target", graph.ids[target], *options]
        if far[target] == math.inf:
            self.assertIn("no path leads from", run(*command, exit=1).stderr)
            return
        parents, expected = naive.parents(edges, far, source), [target]
        while expected[0] != source:
            expected.insert(0, parents[expected[0]])
        found = json.loads(run(*command, "--json", "-f", "-o", self.folder / "path.tsv").stdout)["result"]
        self.assertEqual(found["path"], [graph.ids[vertex] for vertex in expected])
        self.assertEqual(found["hops"], len(expected) - 1)
        self.assertEqual(found["length"], far[target])
        lines = [(name, number(text)) for name, text in values(self.folder / "path.tsv").items()]
        self.assertEqual(lines, [(graph.ids[vertex], far[vertex]) for vertex in expected])

    def test_paths(self):
        """The tree's path, also where edges have no length, to near and far targets, and to the source itself."""
        for graph, edges, path in self.graphs(Short, 40):
            source = graph.num_vertices // 3
            for target in {0, 1, source, graph.num_vertices // 2, graph.num_vertices - 1}:
                for options in ([], ["--unweighted"]):
                    self.check(graph, edges, path, source, target, options)

    def test_rounded_sums(self):
        """Both searches meet at other sums than the one from the source alone has; with in-edges at hand, and without."""
        for seed in range(6):
            graph, path = Rounded(seed, 30, 60 + 10 * seed, "f64"), self.folder / "graph.qrn"
            graph.write(self.folder / "in.txt")
            run("quern-import", self.folder / "in.txt", "-qfo", path, "--weights=f64", "--transpose", ("no", "also")[seed % 2])
            for target in range(0, 30, 5):
                self.check(graph, graph.edges, path, 1 + seed, target, [])

    def test_between_hubs(self):
        """A path that no search from one end alone would find early, by hops and by weights that are all alike."""
        spokes = "".join("0 %d\n1 %d\n" % (v, v + 500) for v in range(10, 400)) + "10 2\n11 2\n2 511\n2 510\n"
        run("quern-import", "-", "-qfo", self.folder / "g.qrn", "--undirected", input=spokes)
        for options in ([], ["--unweighted"]):
            run("quern-run", "path", self.folder / "g.qrn", "--source=0", "--target=1", "-qfo", self.folder / "p.tsv", *options)
            self.assertEqual(list(values(self.folder / "p.tsv")), ["0", "10", "2", "510", "1"])
        ones = "".join(line + " 1\n" for line in spokes.splitlines())
        run("quern-import", "-", "-qfo", self.folder / "g.qrn", "--undirected", input=ones)
        found = json.loads(run("quern-run", "path", self.folder / "g.qrn", "--source=0", "--target=1", "--json").stdout)["result"]
        self.assertEqual((found["path"], found["length"]), (["0", "10", "2", "510", "1"], 4))

    def test_no_path_of_long_edges(self):
        """That sums of what the searches have done would leave 64 bits does not matter."""
        most = 2 ** 63 - 1
        run("quern-import", "-", "-qo", self.folder / "g.qrn", "--transpose=also", input="0 1 %d\n1 4 %d\n2 3 %d\n5 2 %d\n" % (most, most, most, most))
        done = run("quern-run", "path", self.folder / "g.qrn", "--source=0", "--target=3", exit=1)
        self.assertIn("no path leads from 0 to 3", done.stderr)

    def test_arrays(self):
        """Distances, and beside them the ids of the path's vertices."""
        for lines, ids in (("0 1\n1 2\n", struct.pack("<3Q", 0, 1, 2)), ("5 7\n7 900\n", struct.pack("<3Q", 5, 7, 900)),
                           ("a bc\nbc d\n", b"a\0bcd\0")):
            graph = self.folder / "graph.qrn"
            options = ["--ids=strings"] if lines[0] == "a" else []
            run("quern-import", "-", "-qfo", graph, *options, input=lines)
            ends = lines.split()
            run("quern-run", "path", graph, "--source", ends[0], "--target", ends[-1], "-fo", self.folder / "p.npy")
            self.assertEqual((self.folder / "p.npy").read_bytes()[128:], struct.pack("<3Q", 0, 1, 2))
            self.assertEqual((self.folder / "p.ids.npy").read_bytes()[128:], ids)

    def test_negative_weights(self):
        """Also where no search would come by."""
        run("quern-import", "-", "-qo", self.folder / "g.qrn", input="0 1 1.5\n1 2 2\n3 1 -1\n")
        done = run("quern-run", "path", self.folder / "g.qrn", "--source=0", "--target=1", exit=4)
        self.assertIn("that of edge 2 is -1", done.stderr)
        run("quern-run", "path", self.folder / "g.qrn", "--source=0", "--target=1", "--unweighted")

    def test_sums_that_leave_64_bits(self):
        most = 2 ** 63 - 1
        run("quern-import", "-", "-qo", self.folder / "g.qrn", input="0 1 %d\n1 2 %d\n2 3 %d\n" % (most, most, most))
        far = run("quern-run", "path", self.folder / "g.qrn", "--source=0", "--target=1", "--json")
        self.assertEqual(json.loads(far.stdout)["result"]["length"], most)
        self.assertIn("leaves 64 bits", run("quern-run", "path", self.folder / "g.qrn", "--source=0", "--target=3", exit=4).stderr)
        run("quern-import", "-", "--transpose=also", "-qfo", self.folder / "g.qrn",
            input="".join("%d %d 6e307\n" % (v, v + 1) for v in range(5)))
        self.assertIn("leaves 64 bits", run("quern-run", "path", self.folder / "g.qrn", "--source=0", "--target=5", exit=4).stderr)


class Cutoff(_Paths):
    tier, sanitized_tier = "medium", "long"

    def test_every_layout(self):
        """Nothing beyond it is reached; what is reached is as far as without it, and has the same parents."""
        for graph, edges, containers in self.graphs(RandomGraph, 40, layouts=True):
            source = graph.num_vertices // 3
            far = naive.sssp(graph.num_vertices, edges, source)
            middle = sorted(value for value in far if value < math.inf)
            cutoff = middle[len(middle) // 2]
            expected = [value if value <= cutoff else math.inf for value in far]
            parents = naive.parents(edges, expected, source)
            for layout, container in containers.items():
                with self.subTest(layout=layout):
                    run("quern-run", "sssp", container, "--source", graph.ids[source], "--cutoff", repr(cutoff), "--device=cpu",
                        "-f", "-o", self.folder / "far.tsv", "--parents", self.folder / "tree.tsv")
                    got = values(self.folder / "far.tsv")
                    self.assertEqual([number(got[name]) for name in graph.ids], expected)
                    self.assertEqual(values(self.folder / "tree.tsv"),
                                     {graph.ids[v]: graph.ids[u] for v, u in enumerate(parents) if u is not None})

    def test_refused(self):
        run("quern-import", "-", "-qo", self.folder / "g.qrn", input="0 1\n")
        for value in ("-1", "1e17", "x"):
            run("quern-run", "sssp", self.folder / "g.qrn", "--cutoff=" + value, exit=2)


class SeveralSources(_Paths):
    tier, sanitized_tier = "medium", "long"

    def columns(self, graph, path):
        rows = values_of_columns(path)
        return [[number(rows[name][column]) for name in graph.ids] for column in range(len(rows[graph.ids[0]]))]

    def test_lines(self):
        for graph, edges, containers in self.graphs(RandomGraph, 40, layouts=True):
            chance = random.Random(graph.num_vertices)
            for count in (2, 70):
                sources = [chance.randrange(graph.num_vertices) for _ in range(3)] if count == 2 else \
                    chance.sample(range(graph.num_vertices), min(count, graph.num_vertices))
                sources = list(dict.fromkeys(sources))
                (self.folder / "sources").write_text("".join(graph.ids[vertex] + "\n" for vertex in sources))
                for algorithm, oracle in (("bfs", naive.bfs), ("sssp", naive.sssp)):
                    expected = [oracle(graph.num_vertices, edges, source) for source in sources]
                    for layout in ("graph", "hybrid") if count == 2 else ("graph",):
                        if len(sources) == 1:
                            continue
                        run("quern-run", algorithm, containers[layout], "--sources", self.folder / "sources", "--device=cpu",
                            "-qfo", self.folder / "all.tsv")
                        self.assertEqual(self.columns(graph, self.folder / "all.tsv"), expected)

    def test_array(self):
        """A row for each source, in the file's order; the same from any number of threads, also where levels are many."""
        folder = self.folder
        run("quern-generate", "rmat", "--scale=9", "--seed=3", "--undirected", "-qo", folder / "rmat.qrn")
        run("quern-import", "-", "-qo", folder / "path.qrn", "--undirected", input="".join("%d %d\n" % (i, i + 1) for i in range(700)))
        for name, count in (("rmat", 130), ("path", 65)):
            sources = random.Random(count).sample(range(400), count)
            (folder / "sources").write_text("".join("%d\n" % vertex for vertex in sources))
            written = set()
            for threads in ("1", "3"):
                run("quern-run", "bfs", folder / (name + ".qrn"), "--sources", folder / "sources", "--device=cpu", "-T", threads,
                    "-fo", folder / "all.npy")
                written.add((folder / "all.npy").read_bytes())
            self.assertEqual(len(written), 1)
            data = written.pop()
            row = (len(data) - 128) // count
            self.assertIn(b"'shape': (%d, %d)" % (count, row // 4), data[:128])
            for place in range(0, count, 16):
                run("quern-run", "bfs", folder / (name + ".qrn"), "--source", sources[place], "--device=cpu", "-fo", folder / "one.npy")
                self.assertEqual(data[128 + place * row:128 + (place + 1) * row], (folder / "one.npy").read_bytes()[128:])

    def test_csv(self):
        """Columns are called after their sources."""
        run("quern-import", "-", "-qo", self.folder / "g.qrn", "--ids=strings", input='a,"b ""x"" c"\n"b ""x"" c",d\n')
        (self.folder / "sources").write_text('d\nb "x" c\n')
        run("quern-run", "bfs", self.folder / "g.qrn", "--sources", self.folder / "sources", "-qfo", self.folder / "o.csv")
        self.assertEqual((self.folder / "o.csv").read_text(), 'id,d,"b ""x"" c"\na,inf,inf\n"b ""x"" c",inf,0\nd,0,1\n')

    def test_betweenness(self):
        for graph, edges, path in self.graphs(RandomGraph, 30):
            sources = list(range(0, graph.num_vertices, 7))
            (self.folder / "sources").write_text("".join(graph.ids[vertex] + "\n" for vertex in sources))
            run("quern-run", "bc", path, "--sources", self.folder / "sources", "--device=cpu", "-qfo", self.folder / "bc.tsv")
            got, expected = values(self.folder / "bc.tsv"), naive.bc(graph.num_vertices, edges, sources)
            for vertex, name in enumerate(graph.ids):
                self.assertAlmostEqual(float(got[name]), expected[vertex], delta=1e-9 * max(1, expected[vertex]))

    def test_what_is_said(self):
        run("quern-import", "-", "-qo", self.folder / "g.qrn", input="0 1\n1 2\n")
        done = run("quern-run", "bfs", self.folder / "g.qrn", "--sources=0,2", "--json")
        self.assertEqual(json.loads(done.stdout)["result"], {"columns": [{"reached": 3, "levels": [1, 1, 1]}, {"reached": 1, "levels": [1]}]})
        self.assertRegex(run("quern-run", "bfs", self.folder / "g.qrn", "--sources=0,2").stdout, "columns +2, with 1 to 3 vertices reached")


def values_of_columns(path):
    with open(path, encoding="utf-8", newline="\n") as lines:
        return {name: columns for name, *columns in (line.rstrip("\n").split("\t") for line in lines)}
