"""Similarity of neighbourhoods, random walks and sampled neighbours, against what they mean and against networkx."""

import array
import collections
import importlib
import itertools
import json
import math
import tempfile
import unittest
from pathlib import Path

from harness.tools import run
from oracle import naive
from oracle.graphs import RandomGraph


def integers(path):
    """The shape and the numbers of a .npy file of i8."""
    data = path.read_bytes()
    header = data[10:10 + int.from_bytes(data[8:10], "little")].decode()
    assert "'<i8'" in header, header
    numbers = array.array("q")
    numbers.frombytes(data[10 + len(header):])
    return tuple(int(part) for part in header.split("(")[1].split(")")[0].split(",") if part.strip()), list(numbers)


def rows(path):
    shape, numbers = integers(path)
    return [numbers[row * shape[1]:(row + 1) * shape[1]] for row in range(shape[0])]


def alike(first, second, measure):
    common = len(first & second)
    below = {"jaccard": len(first | second), "overlap": min(len(first), len(second)),
             "cosine": math.sqrt(len(first) * len(second))}[measure]
    return common / below if common else 0.0


class _Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.at = Path(folder.name)

    def made(self, seed, weights, ids, directed, *options, size=(120, 700)):
        graph = RandomGraph(seed, *size, weights, ids)
        graph.write(self.at / "in.txt")
        run("quern-import", self.at / "in.txt", "-fqo", self.at / "g.qrn", "--weights", weights,
            *(["--ids", "strings"] if ids == "strings" else []), *([] if directed else ["--undirected"]), *options)
        edges = graph.edges if directed else naive.both_ways(graph.edges)
        sets = [set() for _ in range(graph.num_vertices)]
        for source, destination, _ in edges:
            sets[source].add(destination)
        return graph, edges, sets

    def refused(self, text, *words):
        self.assertRegex(run("quern-run", *words, exit=(2, 3, 4)).stderr, text)


class Similarity(_Folder):
    def found(self, graph, *options):
        run("quern-run", "similarity", self.at / "g.qrn", "-fqo", self.at / "s.tsv", *options)
        place = {name: vertex for vertex, name in enumerate(graph.ids)}
        lines = [line.split("\t") for line in (self.at / "s.tsv").read_text().splitlines()]
        return [((place[first], place[second]), float(value)) for first, second, value in lines]

    def test_edges(self):
        for seed, (ids, directed) in enumerate(itertools.product(("sparse", "strings"), (True, False))):
            graph, edges, sets = self.made(seed, "f32" if directed else "none", ids, directed)
            pairs = {(u, v) for u, v, _ in edges if u < v or directed and u != v}
            for measure in ("jaccard", "overlap", "cosine"):
                with self.subTest(ids=ids, directed=directed, measure=measure):
                    found = self.found(graph, "--measure", measure)
                    self.assertEqual(len(found), len(pairs))
                    self.assertEqual(dict(found), {(u, v): alike(sets[u], sets[v], measure) for u, v in pairs})

    def test_pairs(self):
        """In the order of the file, also of vertices that no edge joins, and rows of very different lengths."""
        graph, _, sets = self.made(7, "none", "strings", False)
        hub = max(range(graph.num_vertices), key=lambda vertex: len(sets[vertex]))
        pairs = [(vertex, (7 * vertex + 3) % 120) for vertex in range(120)] + [(hub, 5), (5, hub), (hub, hub), (0, 1), (0, 1)]
        (self.at / "pairs.txt").write_text("# pairs\n" + "".join("%s\t%s\textra\n" % (graph.ids[u], graph.ids[v]) for u, v in pairs))
        found = self.found(graph, "--pairs", self.at / "pairs.txt")
        self.assertEqual(found, [((u, v), alike(sets[u], sets[v], "jaccard")) for u, v in pairs])
        for text in ("nobody\t%s" % graph.ids[0], graph.ids[0], ""):
            (self.at / "pairs.txt").write_text(text + "\n")
            self.refused("pairs.txt", "similarity", self.at / "g.qrn", "--pairs", self.at / "pairs.txt")

    def test_long_rows(self):
        """A row that is much longer than another is searched."""
        edges = [(0, v) for v in range(1, 400)] + [(v, 400) for v in range(1, 400, 3)] + [(401, 3), (401, 5), (401, 5), (401, 900)]
        (self.at / "in.txt").write_text("".join("%d %d\n" % edge for edge in edges + [(0, 401), (401, 0)]))
        run("quern-import", self.at / "in.txt", "-fqo", self.at / "g.qrn")
        said = json.loads(run("quern-run", "similarity", self.at / "g.qrn", "--measure", "overlap", "--json").stdout)
        best = {(entry["id"], entry["other"]): entry["value"] for entry in said["result"]["top"]}
        self.assertEqual(best[("0", "401")], 2 / 4)
        self.assertEqual(best[("401", "0")], 2 / 4)

    def test_array(self):
        graph, edges, sets = self.made(3, "none", "sparse", True)
        run("quern-run", "similarity", self.at / "g.qrn", "-fqo", self.at / "s.npy")
        data = (self.at / "s.ids.npy").read_bytes()
        self.assertIn(b"'shape': (2, %d)" % len({edge[:2] for edge in edges if edge[0] != edge[1]}), data)

    def test_networkx(self):
        try:
            networkx = importlib.import_module("networkx")
        except ImportError:
            self.skipTest("python module networkx is not installed")
        graph, edges, _ = self.made(9, "none", "sparse", False)
        other = networkx.Graph([edge[:2] for edge in edges])
        found = dict(self.found(graph))
        loops = {u for u, v, _ in edges if u == v}  # of which it counts no common neighbours
        pairs = [pair for pair in other.edges if not loops & set(pair)]
        self.assertGreater(len(pairs), 100)
        for u, v, value in networkx.jaccard_coefficient(other, pairs):
            self.assertAlmostEqual(found[min(u, v), max(u, v)], value, delta=1e-12)


class Walks(_Folder):
    def walked(self, *options):
        run("quern-run", "walk", self.at / "g.qrn", "-fqo", self.at / "w.npy", *options)
        return rows(self.at / "w.npy")

    def test_steps_are_edges(self):
        for ids, directed in itertools.product(("sparse", "strings"), (True, False)):
            with self.subTest(ids=ids, directed=directed):
                graph, edges, sets = self.made(11, "u32", ids, directed, size=(150, 260))
                heavy = [{v for u, v, weight in edges if u == vertex and weight} for vertex in range(150)]
                for options, leads in (((), sets), (("--weighted",), heavy)):
                    walks = self.walked("--length", "9", "--walks", "3", "-T2", *options)
                    self.assertEqual([walk[0] for walk in walks], [vertex for vertex in range(150) for _ in range(3)])
                    for walk in walks:
                        for one, other in zip(walk, walk[1:]):
                            self.assertIn(other, leads[one] if one >= 0 and leads[one] else {-1})
                    self.assertEqual(walks, self.walked("--length", "9", "--walks", "3", "-T1", *options))
                    self.assertNotEqual(walks, self.walked("--length", "9", "--walks", "3", "--seed", "1", *options))

    def test_text(self):
        graph, _, _ = self.made(12, "none", "strings", True, size=(60, 90))
        chosen = [graph.ids[vertex] for vertex in (3, 59, 17)]
        (self.at / "from.txt").write_text("".join(name + "\n" for name in chosen))
        walks = self.walked("--sources", self.at / "from.txt", "--walks", "2", "--length", "20")
        run("quern-run", "walk", self.at / "g.qrn", "-fqo", self.at / "w.tsv", "--sources", self.at / "from.txt", "--walks", "2",
            "--length", "20")
        lines = [line.split("\t") for line in (self.at / "w.tsv").read_text().splitlines()]
        self.assertEqual(lines, [[graph.ids[vertex] for vertex in walk if vertex >= 0] for walk in walks])
        self.assertEqual([line[0] for line in lines], [name for name in chosen for _ in range(2)])

    def test_chances(self):
        """Steps are as likely as edges, or weights, say; nothing leads along an edge of weight 0."""
        (self.at / "in.txt").write_text("0 1 1\n0 2 5\n0 3 0\n0 3 0\n1 0 1\n2 0 1\n3 0 1\n")
        for weights in ("u32", "f32", "i64", "f64"):
            run("quern-import", self.at / "in.txt", "-fqo", self.at / "g.qrn", "--weights", weights)
            for options, chances in (((), (1, 1, 2)), (("--weighted",), (1, 5, 0))):
                walks = self.walked("--source", "0", "--walks", "30000", "--length", "1", *options)
                came = collections.Counter(walk[1] for walk in walks)
                for vertex, chance in enumerate(chances, 1):
                    share = chance / sum(chances)
                    self.assertLess(abs(came[vertex] - 30000 * share), 5 * math.sqrt(30000 * share * (1 - share)) + 1e-9)

    def test_refusals(self):
        (self.at / "in.txt").write_text("0 1 -1\n1 0 2\n")
        run("quern-import", self.at / "in.txt", "-fqo", self.at / "g.qrn", "--weights", "f32")
        self.refused("weights that are not negative.* edge 0 is -1", "walk", self.at / "g.qrn", "--weighted")
        self.refused("2\\^32 - 1 walks at most", "walk", self.at / "g.qrn", "--walks", "4294967295")
        self.refused("bfs has no --length", "bfs", self.at / "g.qrn", "--length", "3")

    def test_edges_of_what_there_is(self):
        """No vertices; no steps; no edges."""
        (self.at / "z.mtx").write_text("%%MatrixMarket matrix coordinate pattern general\n0 0 0\n")
        run("quern-import", self.at / "z.mtx", "-fqo", self.at / "g.qrn")
        run("quern-run", "walk", self.at / "g.qrn", "-fqo", self.at / "w.npy")
        self.assertEqual(integers(self.at / "w.npy"), ((0, 81), []))
        run("quern-run", "similarity", self.at / "g.qrn", "-fqo", self.at / "w.tsv")
        self.assertEqual((self.at / "w.tsv").read_text(), "")
        (self.at / "z.mtx").write_text("%%MatrixMarket matrix coordinate pattern general\n3 3 0\n")
        run("quern-import", self.at / "z.mtx", "-fqo", self.at / "g.qrn")
        self.assertEqual(self.walked("--length", "2"), [[vertex, -1, -1] for vertex in range(3)])
        self.assertEqual(self.walked("--length", "0"), [[0], [1], [2]])


class Samples(_Folder):
    def sampled(self, *options):
        run("quern-run", "sample", self.at / "g.qrn", "-fqo", self.at / "s.npy", *options)
        return rows(self.at / "s.npy"), integers(self.at / "s.nodes.npy")[1], rows(self.at / "s.hops.npy")

    def test_what_is_taken(self):
        for ids, directed, transpose in (("sparse", True, "no"), ("strings", True, "also"), ("strings", False, "no")):
            with self.subTest(ids=ids, directed=directed, transpose=transpose):
                graph, edges, _ = self.made(21, "f64", ids, directed, "--transpose", transpose, size=(400, 3000))
                arriving = collections.Counter((u, v) for u, v, _ in edges)
                degrees = collections.Counter(v for _, v, _ in edges)
                seeds = [5, 399, 20, 21]
                (self.at / "from.txt").write_text("".join(graph.ids[vertex] + "\n" for vertex in seeds))
                options = ("--sources", self.at / "from.txt", "--fanouts", "4,3,all")
                found = self.sampled(*options, "-T2")
                (origin, target), nodes, (node_ends, edge_ends) = found
                self.assertEqual(nodes[:4], seeds)
                self.assertEqual(len(set(nodes)), len(nodes))
                self.assertEqual((node_ends[0], edge_ends[0], node_ends[-1], edge_ends[-1]), (4, 0, len(nodes), len(origin)))
                taken = collections.Counter((nodes[u], nodes[v]) for u, v in zip(origin, target))
                for pair, count in taken.items():
                    self.assertLessEqual(count, arriving[pair])
                for hop, fanout in enumerate((4, 3, 10 ** 9)):
                    begin = 0 if hop == 0 else node_ends[hop - 1]
                    counts = collections.Counter(target[edge_ends[hop]:edge_ends[hop + 1]])
                    for place in range(begin, node_ends[hop]):
                        self.assertEqual(counts[place], min(fanout, degrees[nodes[place]]))
                    self.assertEqual(sum(counts.values()), sum(counts[place] for place in range(begin, node_ends[hop])))
                    new = set(origin[edge_ends[hop]:edge_ends[hop + 1]]) - set(range(node_ends[hop]))
                    self.assertEqual(new, set(range(node_ends[hop], node_ends[hop + 1])))
                self.assertEqual(found, self.sampled(*options, "-T1"))
                self.assertNotEqual(found, self.sampled(*options, "--seed", "3"))

    def test_chances(self):
        """Of a hundred edges each is as often among those taken, by both ways to choose."""
        (self.at / "in.txt").write_text("".join("%d %d\n" % (vertex, 100 + hub) for vertex in range(100) for hub in range(300)))
        run("quern-import", self.at / "in.txt", "-fqo", self.at / "g.qrn")
        hubs = ",".join(str(100 + hub) for hub in range(300))
        for fanout in (20, 60):
            (origin, target), nodes, _ = self.sampled("--sources", hubs, "--fanouts", str(fanout))
            self.assertEqual(collections.Counter(collections.Counter(target).values()), {fanout: 300})
            self.assertEqual(len(set(zip(origin, target))), 300 * fanout)
            came, share = collections.Counter(nodes[place] for place in origin), fanout / 100
            self.assertEqual(len(came), 100)
            for count in came.values():
                self.assertLess(abs(count - 300 * share), 5 * math.sqrt(300 * share * (1 - share)))

    def test_text(self):
        graph, edges, _ = self.made(23, "none", "strings", True)
        run("quern-run", "sample", self.at / "g.qrn", "--source", graph.ids[4], "--fanouts", "all,all", "-fqo", self.at / "s.csv")
        lines = [line.split(",") for line in (self.at / "s.csv").read_text().splitlines()]
        self.assertEqual(lines[0], ["hop", "neighbor", "id"])
        first = sorted(line[1] for line in lines[1:] if line[0] == "1")
        self.assertEqual(first, sorted(graph.ids[u] for u, v, _ in edges if v == 4))
        second = {line[2] for line in lines[1:] if line[0] == "2"}
        arrived = {v for _, v, _ in edges}
        self.assertEqual(second, {graph.ids[u] for u, v, _ in edges if v == 4 and u != 4 and u in arrived})

    def test_refusals(self):
        self.made(24, "none", "sparse", True)
        self.refused("sample needs --source ID", "sample", self.at / "g.qrn")
        self.refused("--fanouts", "sample", self.at / "g.qrn", "--source", "1", "--fanouts", "0")
        self.refused("--fanouts", "sample", self.at / "g.qrn", "--source", "1", "--fanouts", "5,")
        self.refused("at most 16 numbers", "sample", self.at / "g.qrn", "--source", "1", "--fanouts", ",".join(["1"] * 17))


if __name__ == "__main__":
    unittest.main()
