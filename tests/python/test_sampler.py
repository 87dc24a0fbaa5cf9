"""Samplers in Python, against a model that looks at every edge, and against what chance says."""

import collections
import os
import pickle
import random
import tempfile
import unittest
import warnings
from pathlib import Path

from harness import chance
from harness.package import needs, quern
from harness.tools import run

if quern is not None:
    import numpy

VECTOR = Path(os.environ["QUERN_SOURCE"]) / "specs/vectors/set-types"


def some_graph(random, directed=True):
    vertices, edges = random.randrange(1, 60), random.randrange(0, 400)
    hub = random.randrange(vertices)
    source = [random.randrange(vertices) for _ in range(edges)]
    target = [hub if random.random() < .3 else random.randrange(vertices) for _ in range(edges)]
    return quern.from_arrays(numpy.array(source, "u4"), numpy.array(target, "u4"), num_vertices=vertices, directed=directed)


def rows_of(graph, direction):
    """Of each vertex [(number of the edge, the other end)]."""
    rows = collections.defaultdict(list)
    for number, (source, target) in enumerate(zip(graph.sources().tolist(), graph.column_indices.tolist())):
        center, other = (source, target) if direction == "out" or not graph.directed else (target, source)
        rows[center].append((number, other))
    return rows


class Checks(unittest.TestCase):
    def check_batch(self, sampler, batch, rows, fanouts, seeds, replace=False, in_time=None):
        """Every edge exists; of each vertex there are as many as there should be, and none twice; vertices are where they belong."""
        node, row, col = batch.node.tolist(), batch.row.tolist(), batch.col.tolist()
        centers, neighbors = (row, col) if sampler.direction == "out" else (col, row)
        trees = batch.batch.tolist() if batch.batch is not None else [0] * len(node)
        self.assertEqual(node[:len(seeds)], seeds)
        self.assertEqual((sum(batch.num_sampled_nodes), sum(batch.num_sampled_edges)), (len(node), len(row)))
        if batch.batch is not None or len(set(seeds)) == len(seeds):
            self.assertEqual(len(set(zip(trees, node))), len(node))
        first_node, last_node, first_edge = 0, len(seeds), 0
        for hop, fanout in enumerate(fanouts):
            last_edge = first_edge + batch.num_sampled_edges[hop]
            taken = collections.defaultdict(list)
            for edge in range(first_edge, last_edge):
                taken[centers[edge]].append((int(batch.edge[edge]), node[neighbors[edge]]))
                self.assertEqual(trees[centers[edge]], trees[neighbors[edge]])
                self.assertLess(neighbors[edge], last_node + batch.num_sampled_nodes[hop + 1])
            self.assertLessEqual(set(taken), set(range(first_node, last_node)))
            for place in range(first_node, last_node):
                there = [edge for edge in rows[node[place]] if in_time is None or in_time(trees[place], *edge)]
                found = taken[place]
                self.assertLessEqual(set(found), set(there))
                many = fanout if replace and fanout >= 0 and there else len(there) if fanout < 0 else min(fanout, len(there))
                self.assertEqual(len(found), many)
                if not replace:
                    self.assertEqual(len(set(found)), many)
            first_node, last_node, first_edge = last_node, last_node + batch.num_sampled_nodes[hop + 1], last_edge


@needs("numpy")
class Neighbors(Checks):
    def test_against_the_model(self):
        chosen = random.Random(chance.seed())
        for number in range(60):
            graph = some_graph(chosen, directed=number % 3 > 0)
            direction = chosen.choice(["in", "out"])
            fanouts = [chosen.choice([-1, 0, 1, 2, 5, 40]) for _ in range(chosen.randrange(4))]
            replace, disjoint = chosen.random() < .3, chosen.random() < .5
            sampler = quern.sampler(graph, fanouts, replace=replace, disjoint=disjoint, direction=direction, edge_ids=True, seed=number)
            seeds = [chosen.randrange(graph.num_vertices) for _ in range(chosen.randrange(12))]
            self.check_batch(sampler, sampler.sample(seeds), rows_of(graph, direction), fanouts, seeds, replace)

    def test_times(self):
        chosen = random.Random(chance.seed())
        for number in range(40):
            graph = some_graph(chosen, directed=number % 3 > 0)
            of_vertices = numpy.array([chosen.randrange(10) for _ in range(graph.num_vertices)], "i4")
            of_edges = numpy.array([chosen.randrange(10) for _ in range(graph.num_stored_edges)], "M8[s]")
            which = chosen.randrange(3)
            replace, direction = chosen.random() < .3, chosen.choice(["in", "out"])
            fanouts = [chosen.choice([-1, 1, 3, 40]) for _ in range(2)]
            sampler = quern.sampler(graph, fanouts, replace=replace, direction=direction, time=of_vertices if which != 1 else None,
                                    edge_time=of_edges if which else None, edge_ids=True)
            seeds = [chosen.randrange(graph.num_vertices) for _ in range(5)]
            times = [chosen.randrange(10) for _ in seeds]
            late = of_edges.astype("i8")
            self.check_batch(sampler, sampler.sample(seeds, times=times), rows_of(graph, direction), fanouts, seeds, replace,
                             lambda tree, edge, other: (which == 1 or of_vertices[other] <= times[tree])
                             and (which == 0 or late[edge] <= times[tree]))

    def test_on_every_layout_and_any_number_of_threads(self):
        graph = some_graph(random.Random(chance.seed()))
        expected = None
        for layout in ["graph", "packed", "blocked-csr", "slotted-pages"]:
            built = graph if layout == "graph" else graph.build(layout)
            for threads in (1, 2, 5):
                sampler = quern.sampler(built, [3, 2], seed=9, edge_ids=True, threads=threads)
                batches = sampler.sample_many([[0, 1 % len(graph)], [0]] * 3, batches=[1, 2, 3, 4, 5, 6])
                found = [[array.tolist() for array in (batch.node, batch.row, batch.col, batch.edge)] for batch in batches]
                expected = expected or found
                self.assertEqual(found, expected)

    def test_packed_rows_stay_packed(self):
        """Rows of several tiles, by every kind of sampling: what plain rows give."""
        hub = numpy.arange(1, 5001, dtype="u4")
        edges = numpy.random.default_rng(chance.seed()).integers(0, 5001, (2, 20000), dtype="u4")
        for directed, stored, direction in ((True, "both", "in"), (True, "out", "out"), (True, "in", "in"), (True, "out", "in"), (False, "both", "in")):
            plain = quern.from_arrays(numpy.concatenate([0 * hub, hub, edges[0]]), numpy.concatenate([hub, 0 * hub, edges[1]]), directed=directed)
            packed = plain.build("packed", direction=stored)
            times = numpy.arange(plain.num_stored_edges) % 10 if directed else None
            with self.subTest(directed=directed, stored=stored, direction=direction):
                found = []
                for graph in (plain, packed):
                    sampler = quern.sampler(graph, [3000, 5, -1], seed=2, edge_ids=True, direction=direction)
                    timed = quern.sampler(graph, [4, 4], seed=2, direction=direction, edge_time=times, time=numpy.arange(5001))
                    batches = [sampler.sample([0, 7]), sampler.induced(range(0, 5000, 3)), timed.sample([0, 3], times=[6, 3000])]
                    found.append([array.tolist() for batch in batches for array in (batch.node, batch.row, batch.col)])
                    found[-1] += [batches[0].edge.tolist(), sampler.negatives(50).tolist(), sampler.walks([0, 1, 2], 30, p=.5, q=3).tolist()]
                self.assertEqual(*found)

    def test_sets_where_they_lie(self):
        """Whole rows and blocks of columns, plain and packed, by every kind of sampling: what the graph gives."""
        hub = numpy.arange(1, 3001, dtype="u4")
        edges = numpy.random.default_rng(chance.seed()).integers(0, 3001, (2, 9000), dtype="u4")
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            at = Path(folder)
            for directed, direction in ((True, "in"), (True, "out"), (False, "in")):
                graph = quern.from_arrays(numpy.concatenate([0 * hub, hub, edges[0]]), numpy.concatenate([hub, 0 * hub, edges[1]]),
                                          num_vertices=3050, directed=directed, path=at / "g.qrn", force=True)
                numbers = not directed or direction == "out"
                options = dict(seed=2, direction=direction, edge_ids=numbers)
                rows = ["--rows", direction] if directed else []
                for cut in (["--parts", 3], ["--block-vertices", 700]):
                    run("quern-transform", at / "g.qrn", *cut, *rows, "-qfo", at / "set")
                    run("quern-pack", at / "set", "-qfo", at / "packed")
                    found = []
                    for one in (graph, at / "set", str(at / "packed")):
                        sampler = quern.sampler(one, [200, 5, -1], **options)
                        timed = quern.sampler(one, [4, 4], time=numpy.arange(3050), **options)
                        batches = [sampler.sample([0, 7, 3049]), sampler.induced(range(0, 3000, 3)), timed.sample([0, 3], times=[6, 2000])]
                        found.append([array.tolist() for batch in batches for array in (batch.node, batch.row, batch.col)])
                        found[-1] += [batches[0].edge.tolist()] if numbers else []
                        found[-1] += [sampler.negatives(50).tolist()]
                        found[-1] += [sampler.walks([0, 1, 2], 30, p=.5, q=3).tolist()] if numbers else []
                    with self.subTest(directed=directed, direction=direction, cut=cut):
                        self.assertEqual(found[0], found[1])
                        self.assertEqual(found[0], found[2])
            self.assertEqual(pickle.loads(pickle.dumps(quern.sampler(at / "set", [2]))).sample([1]).node.tolist(),
                             quern.sampler(graph, [2]).sample([1]).node.tolist())
            run("quern-transform", at / "g.qrn", "--parts", 2, "-qfo", at / "set")
            sampler = quern.sampler(at / "set", [-1])
            os.truncate(at / "set" / "part-00001.qrn", 4096)
            with self.assertRaisesRegex(OSError, "while it was in use"):
                sampler.sample(range(3050))
            with self.assertRaisesRegex(quern.InvalidError, "part-00001.*truncated"):
                quern.sampler(at / "set", [-1])

    def test_sets_that_are_put_together_before(self):
        with tempfile.TemporaryDirectory() as folder:
            at = Path(folder)
            quern.from_edges([(0, 1), (1, 2)], path=at / "g.qrn")
            run("quern-transform", at / "g.qrn", "--parts", 2, "--rows", "out", "-qfo", at / "set")
            run("quern-transform", at / "g.qrn", "--parts", 2, "--rows", "in", "-qfo", at / "in")
            (at / "more.csv").write_text("2,0\n")
            run("quern-transform", at / "g.qrn", "--append", at / "more.csv", "-qo", at / "v2")
            for path, options, message in (("set", {}, "rows of edges out"), ("in", {"edge_ids": True}, "no numbers"), ("v2", {}, "generations"),
                                           (VECTOR, {}, "types"), ("in", {"read": True}, "plain graph")):
                with self.assertRaisesRegex(quern.UnsupportedError, message):
                    quern.sampler(at / path, [1], **options)
            with self.assertRaisesRegex(OSError, "set.json"):
                quern.sampler(at / "nothing", [1])
            with self.assertRaisesRegex(quern.UsageError, "'edge' or 'walk'"):
                quern.sampler(at / "in", [1]).saint("node", 2)

    def test_rows_that_are_read(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "g.qrn")
            graph = quern.generate("rmat", 12, degree=8).transform(path, in_edges="also")
            seeds = [numpy.arange(begin, begin + 500) for begin in (0, 3500)]
            for options in ({}, {"replace": True, "disjoint": True}, {"time": numpy.arange(len(graph))}, {"edge_ids": True, "direction": "out"}):
                expected = quern.sampler(graph, [-1, 5, 4], seed=3, **options).sample_many(seeds)
                for cache in (None, "64K"):
                    for threads in (None, 1):
                        sampler = quern.sampler(graph, [-1, 5, 4], seed=3, read=True, cache=cache, threads=threads, **options)
                        for one, other in zip(expected, sampler.sample_many(seeds)):
                            self.assertTrue((one.node == other.node).all() and (one.row == other.row).all() and (one.col == other.col).all())
            sampler.sample([1])
            os.truncate(path, 65536)
            with self.assertRaisesRegex(OSError, "while it was in use"):
                sampler.sample(seeds[1])
            with self.assertRaisesRegex(quern.UsageError, "read=True"):
                quern.sampler(graph, [1], cache=1)
            with self.assertRaisesRegex(quern.UnsupportedError, "plain graph"):
                quern.sampler(quern.generate("rmat", 5).build("packed"), [1], read=True)

    def test_a_packed_file_that_is_cut(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "p.qrn")
            graph = quern.generate("rmat", 12, degree=8).build("packed", path)
            sampler = quern.sampler(graph, [-1], seed=4)
            sampler.sample([1, 2])
            os.truncate(path, 4096)
            with self.assertRaisesRegex(OSError, "while it was in use"):
                sampler.sample(range(1000))

    def test_every_set_of_edges_is_as_likely(self):
        """Chi-square of 10 sets of 2 of 5 edges, and of single edges of 40 of 100: a right sampler fails with a probability below
        1e-6."""
        graph = quern.from_arrays(numpy.arange(1, 106, dtype="u4"), numpy.repeat([0, 200], [5, 100]).astype("u4"), num_vertices=201)
        sampler = quern.sampler(graph, [2], seed=1)
        batches = sampler.sample_many([[0]] * 5000, batches=range(5000))
        counts = collections.Counter(frozenset(batch.node[1:].tolist()) for batch in batches)
        self.assertEqual(len(counts), 10)
        self.assertLess(sum((count - 500) ** 2 / 500 for count in counts.values()), 45)  # 9 degrees of freedom
        sampler = quern.sampler(graph, [40], seed=1)
        singles = collections.Counter(v for batch in sampler.sample_many([[200]] * 2000, batches=range(2000))
                                      for v in batch.node[1:].tolist())
        self.assertEqual((len(singles), sum(singles.values())), (100, 80000))
        self.assertLess(sum((count - 800) ** 2 / 800 for count in singles.values()) / .6, 180)  # 99, less as 40 of 100 are drawn
        sampler = quern.sampler(graph, [4], replace=True, seed=1)
        drawn = collections.Counter(int(v) for batch in sampler.sample_many([[0]] * 1000, batches=range(1000))
                                    for v in batch.node[batch.row])
        self.assertLess(sum((count - 800) ** 2 / 800 for count in drawn.values()), 36)  # 4

    def test_batches_of_an_epoch(self):
        graph = quern.generate("rmat", 8, degree=8)
        sampler = quern.sampler(graph, [4, 4], seed=5)
        epochs = [list(sampler.batches(range(100), 16, epoch=epoch, ahead=3)) for epoch in (0, 0, 1)]
        seeds = [[v for batch in batches for v in batch.node[:batch.num_sampled_nodes[0]].tolist()] for batches in epochs]
        self.assertEqual([len(batches) for batches in epochs], [7, 7, 7])
        self.assertEqual(sorted(seeds[0]), list(range(100)))
        self.assertEqual(seeds[0], seeds[1])
        self.assertNotEqual(seeds[0], seeds[2])
        self.assertTrue(all((a.row == b.row).all() and (a.node == b.node).all() for a, b in zip(*epochs[:2])))
        self.assertEqual(len(list(sampler.batches(range(100), 16, drop_last=True))), 6)

    def test_memory_is_the_librarys(self):
        graph = quern.generate("rmat", 8, degree=8)
        batch = quern.sampler(graph, [4]).sample([3, 4])
        self.assertTrue(batch.node.flags.writeable and not batch.node.flags.owndata)
        kept = batch.node
        del batch, graph
        self.assertEqual(kept[:2].tolist(), [3, 4])
        self.assertEqual(numpy.from_dlpack(kept)[:2].tolist(), [3, 4])

    def test_again_elsewhere(self):
        with tempfile.TemporaryDirectory() as folder:
            graph = quern.generate("rmat", 8, degree=8, path=os.path.join(folder, "g.qrn"))
            sampler = quern.sampler(graph, [3, 3], seed=4)
            again = pickle.loads(pickle.dumps(sampler))
            self.assertTrue((sampler.sample([1, 2]).node == again.sample([1, 2]).node).all())
            child = os.fork()
            if child == 0:
                os._exit(0 if (sampler.sample([1, 2], threads=2).node == again.sample([1, 2]).node).all() else 1)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            os.truncate(os.path.join(folder, "g.qrn"), 4096)
            with self.assertRaisesRegex(OSError, "while it was in use"):
                sampler.sample([1, 2])

    def test_refused(self):
        graph = quern.from_edges([(0, 1), (1, 2)])
        for fanouts, message in (([-2], "fan-out"), ([1.5], "fan-out"), ([True], "fan-out"), ({("a", "b", "c"): [1]}, "set with types")):
            with self.assertRaisesRegex(quern.UsageError, message):
                quern.sampler(graph, fanouts)
        for options, message in (({"direction": "up"}, "'in' or 'out'"), ({"time": [1, 2]}, "3 values are expected, not 2"),
                                 ({"time": [1., 2., 3.]}, "times are integers"), ({"edge_time": [1]}, "2 values are expected, not 1"),
                                 ({"time": numpy.ma.array([1, 2, 3], mask=[0, 1, 0])}, "null"),
                                 ({"edge_time": "since"}, "no property 'since'")):
            with self.assertRaisesRegex(quern.UsageError, message):
                quern.sampler(graph, [1], **options)
        sampler = quern.sampler(graph, [1])
        for seeds, message in (([3], "not a vertex 3 among 3"), ([-1], "not a vertex -1"), ([.5], "array of integers"),
                               ([[1]], "one dimension"), ({"a": [1]}, "set with types")):
            with self.assertRaisesRegex(quern.UsageError, message):
                sampler.sample(seeds)
        with self.assertRaisesRegex(quern.UsageError, "times of seeds"):
            sampler.sample([1], times=[1])
        with self.assertRaisesRegex(quern.UsageError, "1 values are expected"):
            quern.sampler(graph, [1], time=[1, 2, 3]).sample([1], times=[1, 2])


@needs("numpy")
class Others(unittest.TestCase):
    def test_induced(self):
        chosen = random.Random(chance.seed())
        for number in range(30):
            graph = some_graph(chosen, directed=number % 3 > 0)
            sampler = quern.sampler(graph, [1], direction=chosen.choice(["in", "out"]), edge_ids=True, disjoint=number % 2 > 0)
            sampler.sample([0])  # which leaves memory
            vertices = [chosen.randrange(graph.num_vertices) for _ in range(chosen.randrange(20))]
            batch = sampler.induced(vertices)
            self.assertEqual(batch.node.tolist(), list(dict.fromkeys(vertices)))
            self.assertIsNone(batch.batch)
            sources, targets = graph.sources(), graph.column_indices
            inside = numpy.isin(sources, vertices) & numpy.isin(targets, vertices)
            found = sorted(zip(batch.node[batch.row].tolist(), batch.node[batch.col].tolist()))
            self.assertEqual(found, sorted(zip(sources[inside].tolist(), targets[inside].tolist())))
            if graph.directed:
                self.assertEqual(sorted(batch.edge.tolist()), numpy.flatnonzero(inside).tolist())

    def test_clusters_and_saint(self):
        graph = quern.generate("rmat", 8, degree=8)
        parts = numpy.arange(graph.num_vertices) % 7
        sampler = quern.sampler(graph.with_properties({"part": parts}), [])
        batches = list(sampler.clusters("part", 2, epoch=1))
        self.assertEqual([len(set((batch.node % 7).tolist())) for batch in batches], [2, 2, 2, 1])
        self.assertEqual(sum(len(batch.node) for batch in batches), graph.num_vertices)
        for kind in ("node", "edge", "walk"):
            batch = sampler.saint(kind, 20, batch=3)
            self.assertTrue(0 < len(batch.node) <= 60)
            self.assertTrue((sampler.saint(kind, 20, batch=3).row == batch.row).all())
        with self.assertRaisesRegex(quern.UsageError, "'node', 'edge' or 'walk'"):
            sampler.saint("hub", 3)
        with self.assertRaisesRegex(quern.UsageError, "256 values are expected"):
            next(sampler.clusters([1, 2]))

    def test_walks(self):
        graph = some_graph(random.Random(chance.seed()))
        edges = set(zip(graph.sources().tolist(), graph.column_indices.tolist()))
        sampler = quern.sampler(graph, [1], seed=2)
        for options in ({}, {"restart": .3}, {"p": .1, "q": 5}):
            walks = sampler.walks(numpy.arange(graph.num_vertices), 8, batch=4, **options)
            self.assertTrue((sampler.walks(numpy.arange(graph.num_vertices), 8, batch=4, threads=1, **options) == walks).all())
            for walk in walks.tolist():
                for a, b in zip(walk, walk[1:]):
                    self.assertTrue((a, b) in edges or (b == -1 and (a == -1 or not len(graph.neighbors(a))))
                                    or (options.get("restart") and b == walk[0]))
        with self.assertRaisesRegex(quern.UsageError, "restart"):
            sampler.walks([0], 3, restart=2)

    def test_steps_of_node2vec_are_as_likely_as_they_should_be(self):
        """From 0 to 1, and on to 0 (1/p), 2 (1, next to 0), 3 or 4 (1/q): within 6 deviations of 20,000 walks."""
        graph = quern.from_edges([(0, 1), (0, 2), (1, 2), (1, 3), (1, 4)], directed=False)
        walks = quern.sampler(graph, [], seed=1).walks(numpy.zeros(60000, "i8"), 2, p=4, q=.5)
        on = numpy.bincount(walks[walks[:, 1] == 1, 2], minlength=5)
        expected = on.sum() * numpy.array([.25, 0, 1, 2, 2]) / 5.25
        self.assertTrue((abs(on - expected) <= 6 * numpy.sqrt(expected)).all(), (on, expected))

    def test_negatives(self):
        graph = some_graph(random.Random(chance.seed()))
        edges = set(zip(graph.sources().tolist(), graph.column_indices.tolist()))
        for direction in ("in", "out"):
            sampler = quern.sampler(graph, [], direction=direction)
            pairs = sampler.negatives(500, batch=1)
            self.assertFalse(edges & set(zip(*pairs.tolist())))
            given = numpy.arange(graph.num_vertices)
            sources, targets = sampler.negatives(vertices=given).tolist()
            self.assertEqual(sources if direction == "out" else targets, given.tolist())
            self.assertFalse(edges & set(zip(sources, targets)))
        full = quern.from_edges([(0, 0), (0, 1), (1, 0), (1, 1)])
        self.assertEqual(quern.sampler(full, []).negatives(10).shape, (2, 0))
        self.assertEqual(quern.sampler(full, []).negatives(vertices=[1])[0].tolist(), [-1])
        with self.assertRaisesRegex(quern.UsageError, "how many, or vertices"):
            sampler.negatives()


@needs("numpy")
class Types(Checks):
    def setUp(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.graph = quern.open(VECTOR)
        self.acted, self.person_movie, self.knows = self.graph.edge_types

    def test_all_neighbors(self):
        sampler = quern.sampler(self.graph, {self.acted: [-1, 0], self.person_movie: [-1, 0], self.knows: [0, -1]}, edge_ids=True)
        batch = sampler.sample({"Movie": [0, 1, 2]})
        self.assertEqual(batch.node["Movie"].tolist(), [0, 1, 2])
        for edge_type in self.graph.edge_types:
            one = self.graph[edge_type]
            movies = self.graph._vertex_type_sizes()["Movie"]
            first = {"Movie": 0, "Person": movies if "Movie" in edge_type else 0}
            ends = one.sources(), one.column_indices
            sources = batch.node[edge_type[0]][batch.row[edge_type]]
            targets = batch.node[edge_type[2]][batch.col[edge_type]]
            found = sorted(zip((sources + first[edge_type[0]]).tolist(), (targets + first[edge_type[2]]).tolist()))
            if edge_type != self.knows:
                self.assertEqual(found, sorted(zip(*(end.tolist() for end in ends))))
                self.assertEqual(sorted(batch.edge[edge_type].tolist()), list(range(len(found))))
            else:
                self.assertLessEqual(set(found), set(zip(*(end.tolist() for end in ends))))
        self.assertEqual(batch.num_sampled_edges[self.knows][0], 0)
        induced = sampler.induced({"Person": [0, 1]})
        self.assertEqual(len(induced.row[self.knows]), 2)

    def test_refused(self):
        for fanouts, message in (({self.acted: [1]}, "missing"), ({("a", "b", "c"): [1]}, "unknown"),
                                 ({self.acted: [1], self.person_movie: [1, 2], self.knows: [1]}, "as many for each")):
            with self.assertRaisesRegex(quern.UsageError, message):
                quern.sampler(self.graph, fanouts)
        sampler = quern.sampler(self.graph, [2], edge_types=[self.knows])
        for seeds, message in (([1], "dict by type"), ({"Dog": [1]}, "not a vertex type 'Dog'"), ({"Person": [9]}, "not a vertex 9 among 2")):
            with self.assertRaisesRegex(quern.UsageError, message):
                sampler.sample(seeds)
        with self.assertRaisesRegex(quern.UsageError, "no edge type"):
            quern.sampler(self.graph, [1], edge_types=[("a", "b", "c")])
        with self.assertRaisesRegex(quern.UsageError, "without types"):
            sampler.walks([0], 2)
