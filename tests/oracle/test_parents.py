"""Parents of bfs and sssp, from every layout, and in the emulator from every way to run on a device, against the definition;
and quern-verify --tree, which must find each of them right and whatever is planted in them wrong."""

import json
import os
import random
import subprocess
import tempfile
import unittest
from pathlib import Path

from harness.tools import run
from oracle import naive
from oracle.graphs import LAYOUTS, RandomGraph, in_every_layout

EMULATED = Path(os.environ["QUERN_BIN"]).parent / "emulator/bin/quern-run"


# Less than a run takes on the device.
MEMORY = {"graph": "50K", "hybrid": "50K"}


class Short(RandomGraph):
    """Weights that lead to the same distance on many ways, or to none at all."""

    def weight(self):
        if self.weights == "u32":
            return self.random.choice((0, 0, 1, 2))
        if self.weights in ("f32", "f64"):  # 2^-10 is lost beside 2^60
            return self.random.choice((0.0, 2.0 ** -10, 2.0 ** 60, 0.5))
        if self.weights == "i64":
            return self.random.choice((0, 0, 1, 2 ** 40))
        return 1


class _Parents(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def graphs(self, size, more=()):
        """(graph, its edges both ways if it is undirected, containers by layout)"""
        kinds = [(ids, weights, directed) for ids in ("sparse", "strings") for weights in ("none", "u32", "f32")
                 for directed in (True, False)] + list(more)
        for seed, (ids, weights, directed) in enumerate(kinds):
            graph = Short(seed, size + 17 * seed, 3 * size + 60 * seed, weights, ids)
            with self.subTest(seed=seed, ids=ids, weights=weights, directed=directed):
                containers = in_every_layout(graph, directed, self.folder)
                yield graph, graph.edges if directed else naive.both_ways(graph.edges), containers

    def expected(self, graph, edges, algorithm, source):
        if algorithm == "bfs":
            edges = [(u, v, 1) for u, v, _ in edges]
        far = naive.sssp(graph.num_vertices, edges, source)
        parents = naive.parents(edges, far, source)
        return {graph.ids[v]: graph.ids[parent] for v, parent in enumerate(parents) if parent is not None}

    def found(self, tool, graph, algorithm, container, source, *options):
        path = self.folder / "parents.tsv"
        run(tool, algorithm, container, "-qf", "--source", graph.ids[source], "--parents", path, *options)
        weighted = ["--weighted"] if algorithm == "sssp" else []
        self.assertIn("tree of shortest paths", run("quern-verify", "--tree", container, path, *weighted).stdout)
        return dict(line.split("\t") for line in path.read_text().splitlines())


class EveryLayout(_Parents):
    tier, sanitized_tier = "medium", "long"

    def test_parents(self):
        for graph, edges, containers in self.graphs(40, more=(("sparse", "f64", True), ("sparse", "i64", False))):
            source = graph.num_vertices // 3
            for algorithm in ("bfs", "sssp"):
                expected = self.expected(graph, edges, algorithm, source)
                for layout, container in containers.items():
                    with self.subTest(algorithm=algorithm, layout=layout):
                        got = self.found("quern-run", graph, algorithm, container, source, "--device=cpu")
                        self.assertEqual(got, expected)

    def test_array(self):
        """The same as an array, by place in original order."""
        for graph, edges, containers in self.graphs(20):
            path = self.folder / "parents.npy"
            run("quern-run", "bfs", containers["graph"], "-f", "--source", graph.ids[0], "--parents", path, "--device=cpu")
            run("quern-verify", "--tree", containers["hybrid"], path)
            data = path.read_bytes()[-4 * graph.num_vertices:]
            got = [int.from_bytes(data[i:i + 4], "little") for i in range(0, len(data), 4)]
            hops = naive.bfs(graph.num_vertices, edges, 0)
            expected = naive.parents([(u, v, 1) for u, v, _ in edges], hops, 0)
            self.assertEqual(got, [2 ** 32 - 1 if parent is None else parent for parent in expected])


class EveryDevice(_Parents):
    tier, sanitized_tier = "medium", "long"
    timeout = 300

    def ways(self, layout):
        yield []
        if layout in ("slotted-pages", "edge-partitions"):
            yield ["--devices=0,0", "--strategy=performance"]
            yield ["--devices=0,0", "--strategy=scalability"]
        if layout == "shards":
            yield ["--device=both"]

    def test_parents(self):
        if not EMULATED.exists():
            self.skipTest("%s is not built; run scons emulated-tests" % EMULATED)
        for graph, edges, containers in self.graphs(60):
            source = graph.num_vertices // 4
            for algorithm in ("bfs", "sssp"):
                expected = self.expected(graph, edges, algorithm, source)
                for layout, container in containers.items():
                    for way in self.ways(layout):
                        with self.subTest(algorithm=algorithm, layout=layout, way=way):
                            got = self.found(EMULATED, graph, algorithm, container, source, *way or ["--device=cuda"])
                            self.assertEqual(got, expected)

    def test_streamed(self):
        """A graph that does not fit, on one device and on two; with weights that are 0."""
        if not EMULATED.exists():
            self.skipTest("%s is not built; run scons emulated-tests" % EMULATED)
        graph, right, path = [self.folder / name for name in ("graph.qrn", "right.npy", "parents.npy")]
        run("quern-generate", "rmat", "--scale=9", "--degree=8", "--weights=0,5", "--transpose=also", "-qo", graph)
        run("quern-run", "sssp", graph, "-q", "--device=cpu", "--parents", right)
        for layout, command in (("graph", None), *LAYOUTS.items()):
            container = graph if command is None else self.folder / (layout + ".qrn")
            if command:
                run(command[0], graph, "-qo", container, *command[1:])
            ways = [["--device=cuda", "--device-memory=%s" % MEMORY.get(layout, "60K")]]
            if layout in ("slotted-pages", "edge-partitions"):
                ways.append(["--devices=0,0", "--device-memory=50K"])
            for way in ways:
                with self.subTest(layout=layout, way=way):
                    done = run(EMULATED, "sssp", container, *way, "--json", "-f", "--parents", path)
                    # Of packed rows so few edges are one unit.
                    self.assertEqual(json.loads(done.stdout)["parents"]["streamed"], layout != "packed")
                    self.assertEqual(path.read_bytes(), right.read_bytes())


class PlantedFaults(_Parents):
    """Each of Graph500's rules is broken, in turn."""

    def setUp(self):
        super().setUp()
        self.random = random.Random(5)
        self.graph = Short(3, 60, 300, "u32")
        self.containers = in_every_layout(self.graph, True, self.folder)
        self.right = self.found("quern-run", self.graph, "bfs", self.containers["graph"], 2, "--device=cpu")

    def verify(self, parents, *options):
        path = self.folder / "planted.tsv"
        path.write_text("".join("%s\t%s\n" % pair for pair in parents.items()))
        done = subprocess.run(["quern-verify", "--tree", self.containers["hybrid"], path, "--json", *options],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        report = json.loads(done.stdout)
        self.assertEqual(report["tree"], not report["faults"])
        self.assertEqual(done.returncode, 1 if report["faults"] else 0)
        return {fault["rule"] for fault in report["faults"]}

    def children(self):
        return [vertex for vertex, parent in self.right.items() if parent != vertex]

    def test_right(self):
        self.assertEqual(self.verify(self.right), set())

    def test_two_roots(self):
        vertex = self.children()[0]
        self.assertIn(1, self.verify({**self.right, vertex: vertex}))

    def test_no_root(self):
        root = self.graph.ids[2]
        self.assertIn(1, self.verify({**self.right, root: self.children()[0]}))

    def test_cycle(self):
        neighbours = {(self.graph.ids[u], self.graph.ids[v]) for u, v, _ in self.graph.edges}
        one, other = next((u, v) for u, v in sorted(neighbours) if u != v and (v, u) in neighbours
                          and self.graph.ids[2] not in (u, v) and u in self.right and v in self.right)
        self.assertEqual(self.verify({**self.right, one: other, other: one}), {1})

    def test_parent_without_parent(self):
        parent = next(self.right[vertex] for vertex in self.children() if self.right[vertex] != self.graph.ids[2])
        self.assertIn(1, self.verify({vertex: above for vertex, above in self.right.items() if vertex != parent}))

    def test_longer_way(self):
        """By weights the tree of fewest hops is not the shortest."""
        self.assertIn(3, self.verify(self.right, "--weighted"))

    def test_vertex_missing(self):
        inner = set(self.right.values())
        leaf = next(vertex for vertex in self.children() if vertex not in inner)
        parents = {vertex: above for vertex, above in self.right.items() if vertex != leaf}
        self.assertEqual(self.verify(parents), {4})

    def test_no_such_edge(self):
        neighbours = {(self.graph.ids[u], self.graph.ids[v]) for u, v, _ in self.graph.edges}
        inner = set(self.right.values())
        leaf = next(vertex for vertex in self.children() if vertex not in inner)
        stranger = next(vertex for vertex in self.right if (vertex, leaf) not in neighbours and vertex != leaf)
        self.assertEqual(self.verify({**self.right, leaf: stranger}), {5})
