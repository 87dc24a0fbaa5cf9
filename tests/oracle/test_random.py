"""Every algorithm on random graphs against the plainest implementation of it, and against scipy, networkx and igraph."""

import array
import importlib
import json
import math
import random
import statistics
import tempfile
import unittest
from pathlib import Path

from harness.tools import run, values
from oracle import naive
from oracle.graphs import RandomGraph


def npy(numbers):
    """A vector as NumPy keeps it."""
    header = "{'descr': '<f8', 'fortran_order': False, 'shape': (%d,), }" % len(numbers)
    return (b"\x93NUMPY\x01\x00" + (118).to_bytes(2, "little") + header.ljust(117).encode() + b"\n"
            + array.array("d", numbers).tobytes())


def number(text):
    return math.inf if text == "inf" else float(text)


class _Random(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def graphs(self, count=None):
        """(graph, container, edges as the container should hold them): directed and undirected, every id and weight; or the
        first few, which are small."""
        kinds = [(ids, weights, directed) for ids in ("sparse", "strings") for weights in ("none", "u32", "f32")
                 for directed in (True, False)]
        kinds[1:1] = [("sparse", weights, directed) for weights in ("i64", "f64") for directed in (True, False)]
        for seed, (ids, weights, directed) in enumerate(kinds[:count]):
            with self.subTest(seed=seed, ids=ids, weights=weights, directed=directed):
                graph = RandomGraph(seed, 30 + 40 * seed, 100 + 300 * seed, weights, ids)
                yield graph, self.imported(graph, directed), graph.edges if directed else naive.both_ways(graph.edges)

    def imported(self, graph, directed):
        text, path = self.folder / "in.txt", self.folder / "graph.qrn"
        graph.write(text)
        options = ["--ids", "strings"] if graph.ids[0].startswith("n") else []
        options += ["--transpose", "also"] if directed else ["--undirected"]
        run("quern-import", text, "-o", path, "--force", "--weights", graph.weights, *options)
        return path

    def compute(self, graph, path, algorithm, *options):
        """The values in the order of `graph.ids`."""
        run("quern-run", algorithm, path, "-o", self.folder / "values.tsv", "--force", *options)
        got = values(self.folder / "values.tsv")
        self.assertEqual(set(got), set(graph.ids))
        return [got[name] for name in graph.ids]

    def assertClose(self, got, expected):
        self.assertEqual(len(got), len(expected))
        scale = max((abs(value) for value in expected if value < math.inf), default=0)
        for position, (one, other) in enumerate(zip(got, expected)):
            if one != other:
                self.assertAlmostEqual(one, other, delta=1e-5 * max(abs(other), 1e-3 * scale), msg=position)


class Naive(_Random):
    def test_degree(self):
        for graph, path, edges in self.graphs():
            got = self.compute(graph, path, "degree")
            self.assertEqual([int(value) for value in got], naive.degree(graph.num_vertices, edges))

    def test_indegree(self):
        for graph, path, edges in self.graphs():
            got = self.compute(graph, path, "indegree")
            turned = [(destination, source, weight) for source, destination, weight in edges]
            self.assertEqual([int(value) for value in got], naive.degree(graph.num_vertices, turned))

    def test_bfs(self):
        for graph, path, edges in self.graphs():
            for source in (0, graph.num_vertices // 2, graph.num_vertices - 1):
                got = self.compute(graph, path, "bfs", "--source", graph.ids[source])
                self.assertEqual([number(hops) for hops in got], naive.bfs(graph.num_vertices, edges, source))

    def test_sssp(self):
        for graph, path, edges in self.graphs():
            got = self.compute(graph, path, "sssp", "--source", graph.ids[1])
            expected = naive.sssp(graph.num_vertices, edges, 1)
            if graph.weights in ("u32", "i64"):
                self.assertEqual([number(far) for far in got], expected)
            else:
                self.assertClose([number(far) for far in got], expected)

    def test_cc(self):
        for graph, path, edges in self.graphs():
            expected = [graph.ids[label] for label in naive.cc(graph.num_vertices, edges)]
            self.assertEqual(self.compute(graph, path, "cc"), expected)

    def test_scc(self):
        for graph, path, edges in self.graphs():
            expected = [graph.ids[label] for label in naive.scc(graph.num_vertices, edges)]
            self.assertEqual(self.compute(graph, path, "scc"), expected)

    def test_scc_of_chains(self):
        """Cycles that hang together in one direction: nothing to trim, and no large core."""
        edges = []
        for cycle in range(40):
            first = 7 * cycle
            edges += [(first + i, first + (i + 1) % 7, 1) for i in range(7)]
            edges += [(first + 3, first + 7, 1)] if cycle < 39 else []
        text, path = self.folder / "cycles.txt", self.folder / "cycles.qrn"
        text.write_text("".join("%d %d\n" % edge[:2] for edge in edges))
        for transpose in ("also", "no"):
            run("quern-import", text, "-o", path, "--force", "--transpose", transpose)
            run("quern-run", "scc", path, "-o", self.folder / "values.tsv", "--force")
            got = values(self.folder / "values.tsv")
            expected = naive.scc(280, edges)
            self.assertEqual([int(got[str(vertex)]) for vertex in range(280)], expected)

    def test_pagerank(self):
        for graph, path, edges in self.graphs():
            for dangling in ("spread", "drop"):
                expected = naive.pagerank(graph.num_vertices, edges, spread=dangling == "spread")
                for total, scale in (("one", 1), ("vertices", graph.num_vertices)):
                    got = self.compute(graph, path, "pagerank", "--dangling", dangling, "--total", total, "--tolerance", "1e-9", "--iterations", "500")
                    self.assertClose([float(rank) for rank in got], [scale * rank for rank in expected])

    def test_pagerank_weighted(self):
        for graph, path, edges in self.graphs():
            for dangling, total, scale in (("spread", "one", 1), ("drop", "vertices", graph.num_vertices)):
                got = self.compute(graph, path, "pagerank", "--weighted", "--dangling", dangling, "--total", total, "--tolerance", "1e-9",
                                   "--iterations", "500")
                self.assertClose([float(rank) for rank in got],
                                 [scale * rank for rank in naive.pagerank_weighted(graph.num_vertices, edges, spread=dangling == "spread")])

    def test_katz(self):
        for graph, path, edges in self.graphs(6):
            turned = [(destination, source, weight) for source, destination, weight in edges]
            alpha = 1 / (1 + max(naive.degree(graph.num_vertices, turned)))
            got = self.compute(graph, path, "katz", "--alpha", repr(alpha), "--tolerance", "1e-10")
            self.assertClose([float(value) for value in got], naive.katz(graph.num_vertices, edges, alpha))

    def test_eigenvector(self):
        for graph, path, edges in self.graphs(6):
            for iterations in (1, 7, 40):
                got = self.compute(graph, path, "eigenvector", "--iterations", str(iterations), "--tolerance", "0")
                self.assertClose([float(value) for value in got], naive.eigenvector(graph.num_vertices, edges, iterations))

    def compute_both(self, graph, path, algorithm, *options):
        """Two columns in the order of `graph.ids`."""
        run("quern-run", algorithm, path, "-o", self.folder / "values.csv", "--force", *options)
        rows = [line.split(",") for line in (self.folder / "values.csv").read_text().splitlines()]
        self.assertEqual(rows[0], ["id", "hub", "authority"])
        got = {row[0]: (float(row[1]), float(row[2])) for row in rows[1:]}
        return tuple(zip(*(got[name] for name in graph.ids)))

    def test_hits(self):
        for graph, path, edges in self.graphs(6):
            hubs, authorities = naive.hits(graph.num_vertices, edges, 30)
            got = self.compute_both(graph, path, "hits", "--iterations", "30", "--tolerance", "0")
            self.assertClose(got[0], hubs)
            self.assertClose(got[1], authorities)

    def test_closeness(self):
        """All vertices give the exact values, on any layout; a sample gives those of its vertices."""
        other = self.folder / "other.qrn"
        for graph, path, edges in self.graphs(6):
            expected = naive.closeness(graph.num_vertices, edges, range(graph.num_vertices))
            run("quern-partition", path, "-fqo", other)
            for place, algorithm in enumerate(("closeness", "harmonic")):
                for container in (path, other):
                    got = self.compute(graph, container, algorithm, "--samples", "all")
                    self.assertClose([float(value) for value in got], expected[place])
                some = ("--samples", str(graph.num_vertices * 2 // 3), "--seed")
                one = self.compute(graph, path, algorithm, *some, "5")
                self.assertEqual(one, self.compute(graph, other, algorithm, *some, "5"))
                self.assertNotEqual(one, self.compute(graph, path, algorithm, *some, "6"))

    def test_rwr(self):
        """From one source, and from several by their weights."""
        sources = self.folder / "sources.txt"
        for graph, path, edges in self.graphs():
            seeds = {0: 1.0, 2: 2.5, graph.num_vertices - 1: 0.25}
            sources.write_text("".join("%s\t%r\n" % (graph.ids[vertex], weight) for vertex, weight in seeds.items()))
            for options, start in ((["--source", graph.ids[1]], {1: 1.0}), (["--sources", sources], seeds)):
                got = self.compute(graph, path, "rwr", "--tolerance", "1e-9", "--iterations", "500", *options)
                self.assertClose([float(rank) for rank in got], naive.rwr(graph.num_vertices, edges, start))

    def test_bc(self):
        for graph, path, edges in self.graphs():
            got = self.compute(graph, path, "bc", "--source", graph.ids[2])
            self.assertClose([float(score) for score in got], naive.bc(graph.num_vertices, edges, [2]))

    def test_cdlp(self):
        """A loop of an undirected graph is one entry of its row, so it counts once there and twice in a directed graph."""
        for graph, path, edges in self.graphs():
            directed = edges is graph.edges
            ends = graph.edges if directed else [edge for edge in edges if edge[0] <= edge[1]]
            for iterations in (1, 3, 10):
                got = self.compute(graph, path, "cdlp", "--iterations", str(iterations))
                expected = naive.cdlp(graph.num_vertices, ends, iterations, loops=2 if directed else 1)
                self.assertEqual(got, [graph.ids[label] for label in expected])

    def test_kcore(self):
        """Both readings of a graph have the same cores."""
        for graph, path, edges in self.graphs():
            expected = [str(core) for core in naive.kcore(graph.num_vertices, graph.edges)]
            self.assertEqual(self.compute(graph, path, "kcore"), expected)

    def neighborhoods(self):
        """Neighbours of each vertex other than itself, by edges of either direction, beside graph and container."""
        for graph, path, _ in self.graphs():
            pairs = {(a, b) for a, b, _ in naive.both_ways(graph.edges) if a != b}
            neighbors = [[b for a, b in sorted(pairs) if a == v] for v in range(graph.num_vertices)]
            yield graph, path, neighbors

    def test_mis(self):
        for graph, path, neighbors in self.neighborhoods():
            inside = [value == "1" for value in self.compute(graph, path, "mis")]
            for vertex, row in enumerate(neighbors):
                self.assertEqual(inside[vertex], not any(inside[other] for other in row))

    def test_coloring(self):
        """Proper; no vertex could have a smaller colour, or a vertex before it would have had to give way."""
        for graph, path, neighbors in self.neighborhoods():
            colors = [int(value) for value in self.compute(graph, path, "coloring")]
            for vertex, row in enumerate(neighbors):
                others = {colors[other] for other in row}
                self.assertNotIn(colors[vertex], others)
                self.assertEqual(set(range(colors[vertex])) - others, set())
            again = self.compute(graph, path, "coloring", "--threads", "1")
            self.assertEqual([int(value) for value in again], colors)

    def communities(self, graph, path, *options):
        said = json.loads(run("quern-run", "leiden", path, "-o", self.folder / "values.tsv", "--force", "--json",
                              *options).stdout)
        got = values(self.folder / "values.tsv")
        return [graph.ids.index(got[name]) for name in graph.ids], said["result"]

    def test_leiden(self):
        """Communities are connected, called after their first vertices, and as modular as is said; no single vertex
        does better elsewhere."""
        for graph, path, edges in self.graphs():
            edges = [(a, b, w if graph.weights != "none" else 1) for a, b, w in naive.both_ways(graph.edges)]
            for resolution in ("1", "0.3"):
                labels, result = self.communities(graph, path, "--resolution", resolution)
                self.assertEqual(result["count"], len(set(labels)))
                modularity = naive.modularity(graph.num_vertices, edges, labels, float(resolution))
                self.assertAlmostEqual(result["modularity"], modularity, delta=1e-6)
                within = [edge for edge in edges if labels[edge[0]] == labels[edge[1]]]
                self.assertEqual(naive.cc(graph.num_vertices, within), labels)
            again, _ = self.communities(graph, path, "--resolution", "0.3", "--threads", "1")
            self.assertEqual(again, labels)
            seeded, other = self.communities(graph, path, "--seed", "5")
            self.assertAlmostEqual(other["modularity"], naive.modularity(graph.num_vertices, edges, seeded), delta=1e-6)

    def test_directed_as_symmetrised(self):
        """What ignores directions has of a directed graph, with in-edges or without, the bytes that it has of what quern-transform
        --symmetrize makes of it: loops count once, edges that are there both ways twice, in one order."""
        both, one = self.folder / "both.qrn", self.folder / "one.qrn"
        for graph, path, edges in self.graphs():
            if edges is not graph.edges:
                continue
            run("quern-transform", path, "--symmetrize", "-fo", both)
            run("quern-import", self.folder / "in.txt", "-o", one, "--force", "--weights", graph.weights,
                *(["--ids", "strings"] if graph.ids[0].startswith("n") else []))
            for algorithm in ("mis", "coloring", "leiden"):
                found = []
                for container in (both, path, one):
                    run("quern-run", algorithm, container, "-fo", self.folder / "values.tsv")
                    found.append((self.folder / "values.tsv").read_bytes())
                self.assertEqual(found[1:], found[:1] * 2, algorithm)

    def test_leiden_of_cliques(self):
        """Thirty cliques of eight in a ring are thirty communities, whatever the seed."""
        edges = [(8 * c + a, 8 * c + b) for c in range(30) for a in range(8) for b in range(a)]
        edges += [(8 * c, (8 * c + 8) % 240) for c in range(30)]
        text, path = self.folder / "cliques.txt", self.folder / "cliques.qrn"
        text.write_text("".join("%d %d\n" % edge for edge in edges))
        run("quern-import", text, "-o", path, "--undirected")
        for seed in range(5):
            run("quern-run", "leiden", path, "-o", self.folder / "values.tsv", "--force", "--seed", str(seed))
            got = values(self.folder / "values.tsv")
            self.assertEqual([int(got[str(v)]) for v in range(240)], [v - v % 8 for v in range(240)])

    def test_lcc(self):
        for graph, path, edges in self.graphs():
            got = self.compute(graph, path, "lcc")
            self.assertClose([float(value) for value in got], naive.lcc(graph.num_vertices, edges))

    def test_spmv(self):
        """With a vector as lines and as an array."""
        for graph, path, edges in self.graphs():
            vector = [1 + position % 64 / 64 for position in range(graph.num_vertices)]
            lines, numbers = self.folder / "x.tsv", self.folder / "x.npy"
            lines.write_text("".join("%s\t%r\n" % pair for pair in zip(graph.ids, vector)))
            numbers.write_bytes(npy(vector))
            got = self.compute(graph, path, "spmv", "--vector", lines)
            self.assertEqual(got, self.compute(graph, path, "spmv", "--vector", numbers))
            self.assertClose([float(value) for value in got], naive.spmv(graph.num_vertices, edges, vector))

    def test_simulations(self):
        """Of weights of 8 bytes to twelve digits, and on all that walks them."""
        for graph, path, edges in self.graphs(8):
            expected = {"heat": naive.heat(graph.num_vertices, edges, 1), "circuit": naive.circuit(graph.num_vertices, edges, 1),
                        "neural": naive.neural(graph.num_vertices, edges)}
            places = [path]
            if graph.weights in ("i64", "f64"):
                places += [self.folder / "packed.qrn", self.folder / "parts"]
                run("quern-pack", path, "-fqo", places[1])
                run("quern-transform", path, "--parts", "3", "-fqo", places[2])
            for algorithm, values in expected.items():
                for place in places:
                    options = () if algorithm == "neural" else ("--source", graph.ids[1])
                    got = [float(value) for value in self.compute(graph, place, algorithm, *options)]
                    self.assertClose(got, values)
                    if len(places) > 1:
                        self.assertTrue(all(math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-300) for a, b in zip(got, values)))

    def test_tc(self):
        for graph, path, edges in self.graphs():
            undirected = self.imported(graph, directed=False)
            counted = json.loads(run("quern-run", "tc", undirected, "--json").stdout)
            self.assertEqual(counted["result"]["triangles"], naive.tc(graph.num_vertices, edges))


def needs(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        raise unittest.SkipTest("python module %s is not installed" % name)


class Libraries(_Random):
    """One graph of some thousand vertices, as three other libraries see it."""

    tier = "medium"

    def setUp(self):
        super().setUp()
        self.graph = RandomGraph(99, 3000, 20000, "u32")
        self.path = self.imported(self.graph, directed=True)
        self.pairs = [edge[:2] for edge in self.graph.edges]

    def test_scipy_components(self):
        sparse, csgraph = needs("scipy.sparse"), needs("scipy.sparse.csgraph")
        rows, columns = zip(*self.pairs)
        matrix = sparse.csr_matrix(([1] * len(rows), (rows, columns)), shape=2 * (self.graph.num_vertices,))
        count, labels = csgraph.connected_components(matrix, directed=True, connection="weak")
        got = self.compute(self.graph, self.path, "cc")
        self.assertEqual(len(set(got)), count)
        self.assertEqual(len(set(zip(got, labels))), count)

    def test_igraph_hops(self):
        igraph = needs("igraph")
        other = igraph.Graph(self.graph.num_vertices, self.pairs, directed=True)
        got = self.compute(self.graph, self.path, "bfs", "--source", self.graph.ids[5])
        self.assertEqual([number(hops) for hops in got], other.distances(5)[0])

    def test_igraph_distances(self):
        igraph = needs("igraph")
        other = igraph.Graph(self.graph.num_vertices, self.pairs, directed=True)
        got = self.compute(self.graph, self.path, "sssp", "--source", self.graph.ids[5])
        expected = other.distances(5, weights=[edge[2] for edge in self.graph.edges])[0]
        self.assertEqual([number(far) for far in got], expected)

    def test_igraph_pagerank(self):
        igraph = needs("igraph")
        other = igraph.Graph(self.graph.num_vertices, self.pairs, directed=True)
        got = self.compute(self.graph, self.path, "pagerank", "--tolerance", "1e-9", "--iterations", "500")
        self.assertClose([float(rank) for rank in got], other.pagerank(damping=0.85))

    def test_networkx_pagerank(self):
        networkx = needs("networkx")
        needs("scipy")
        other = networkx.MultiDiGraph()
        other.add_nodes_from(range(self.graph.num_vertices))
        other.add_edges_from(self.pairs)
        ranks = networkx.pagerank(other, alpha=0.85, tol=1e-12, max_iter=500)
        got = self.compute(self.graph, self.path, "pagerank", "--tolerance", "1e-9", "--iterations", "500")
        self.assertClose([float(rank) for rank in got], [ranks[vertex] for vertex in range(self.graph.num_vertices)])

    def test_networkx_centralities(self):
        networkx = needs("networkx")
        other = networkx.DiGraph()
        other.add_nodes_from(range(self.graph.num_vertices))
        other.add_edges_from(self.pairs)
        path = self.simple(list(other.edges))
        everyone = range(self.graph.num_vertices)
        for algorithm, options, expected in (
                ("katz", ("--alpha", "0.05", "--tolerance", "1e-12"), networkx.katz_centrality(other, 0.05, tol=1e-12)),
                ("eigenvector", ("--tolerance", "1e-12", "--iterations", "1000"),
                 networkx.eigenvector_centrality(other, 1000, tol=1e-12)),
                ("harmonic", ("--samples", "all"), networkx.harmonic_centrality(other, [0, 7, 2999])),
                ("closeness", ("--samples", "all"), {vertex: networkx.closeness_centrality(other, vertex) for vertex in (0, 7, 2999)})):
            with self.subTest(algorithm):
                run("quern-run", algorithm, path, "-o", self.folder / "values.tsv", "--force", *options)
                got = values(self.folder / "values.tsv")
                chosen = [vertex for vertex in everyone if vertex in expected]
                self.assertClose([float(got[str(vertex)]) for vertex in chosen], [expected[vertex] for vertex in chosen])

    def simple(self, pairs):
        """A container of these edges between vertices 0 to V - 1."""
        text, path = self.folder / "simple.txt", self.folder / "simple.qrn"
        text.write_text("".join("%d %d\n" % pair for pair in pairs))
        run("quern-import", text, "-fqo", path, "--vertices", str(self.graph.num_vertices))
        return path

    def test_networkx_hits(self):
        networkx = needs("networkx")
        needs("scipy")
        other = networkx.DiGraph(sorted(set(self.pairs)))
        path = self.simple(list(other.edges))
        hubs, authorities = networkx.hits(other, tol=1e-13)
        run("quern-run", "hits", path, "-o", self.folder / "values.tsv", "--force", "--tolerance", "1e-13", "--iterations", "3000")
        got = [line.split("\t") for line in (self.folder / "values.tsv").read_text().splitlines()]
        self.assertClose([float(line[1]) for line in got if int(line[0]) in hubs], [hubs[int(line[0])] for line in got if int(line[0]) in hubs])
        self.assertClose([float(line[2]) for line in got if int(line[0]) in hubs], [authorities[int(line[0])] for line in got if int(line[0]) in hubs])

    def test_igraph_communities(self):
        """As good as igraph's, and of the modularity that igraph says."""
        igraph = needs("igraph")
        path = self.imported(self.graph, directed=False)
        other = igraph.Graph(self.graph.num_vertices, self.pairs)
        weights = [edge[2] for edge in self.graph.edges]
        theirs, ours = [], []
        for seed in range(10):
            random.seed(seed)
            theirs.append(other.community_leiden("modularity", weights=weights).modularity)
            run("quern-run", "leiden", path, "-o", self.folder / "values.tsv", "--force", "--seed", str(seed))
            got = values(self.folder / "values.tsv")
            names = {name: place for place, name in enumerate(self.graph.ids)}
            labels = [names[got[name]] for name in self.graph.ids]
            ours.append(other.modularity(labels, weights=weights))
            said = json.loads(run("quern-run", "leiden", path, "--json", "--seed", str(seed)).stdout)
            self.assertAlmostEqual(said["result"]["modularity"], ours[-1], delta=1e-9)
        self.assertGreater(statistics.median(ours), statistics.median(theirs) - 1e-3)

    def test_networkx_triangles(self):
        networkx = needs("networkx")
        other = networkx.Graph()
        other.add_edges_from(pair for pair in self.pairs if pair[0] != pair[1])
        counted = json.loads(run("quern-run", "tc", self.imported(self.graph, directed=False), "--json").stdout)
        self.assertEqual(counted["result"]["triangles"], sum(networkx.triangles(other).values()) // 3)
