"""quern-info --stats against plain Python: random graphs in every layout, and what has no edges or one large hub."""

import collections
import json
import random
import unittest

from harness.tools import run

LAYOUTS = {"graph": None, "blocked-csr": ("quern-block",), "edge-partitions": ("quern-partition",),
           "slotted-pages": ("quern-page",), "shards": ("quern-shard",), "hybrid": ("quern-hybrid",),
           "packed": ("quern-pack",)}
QUANTILES = {"p25": 250, "median": 500, "p75": 750, "p90": 900, "p99": 990, "p999": 999}


def degree_figures(degrees):
    ordered = sorted(degrees)
    figures = {name: ordered[max(0, -(-len(ordered) * permille // 1000) - 1)] if ordered else 0
               for name, permille in QUANTILES.items()}
    bins = collections.Counter(degree.bit_length() for degree in degrees)
    histogram = [{"from": bin and 1 << bin - 1, "to": bin and (1 << bin) - 1, "vertices": bins[bin]}
                 for bin in range(max(bins, default=-1) + 1)]
    return {"min": min(degrees, default=0), "max": max(degrees, default=0), "histogram": histogram, **figures,
            "mean": sum(degrees) / len(degrees) if degrees else 0.0}


def components(num_vertices, edges):
    of = list(range(num_vertices))

    def root(vertex):
        while of[vertex] != vertex:
            of[vertex] = vertex = of[of[vertex]]
        return vertex

    for source, destination in edges:
        of[root(source)] = root(destination)
    sizes = collections.Counter(root(vertex) for vertex in range(num_vertices))
    return {"count": len(sizes), "largest": max(sizes.values(), default=0)}


def expected(num_vertices, edges, undirected):
    """Of stored edges: an undirected one that is not a loop is there both ways."""
    out, into = [0] * num_vertices, [0] * num_vertices
    for source, destination in edges:
        out[source] += 1
        into[destination] += 1
    apart = collections.Counter(edges)
    listed = {edge: times for edge, times in apart.items() if not undirected or edge[0] <= edge[1]}
    distinct = {edge for edge in apart if edge[0] != edge[1]}
    mutual = sum(edge[::-1] in distinct for edge in distinct)
    found = {"isolated_vertices": sum(a == b == 0 for a, b in zip(out, into)),
             "self_loops": sum(edge[0] == edge[1] for edge in edges),
             "parallel_edges": sum(times - 1 for times in listed.values()),
             "components": components(num_vertices, edges)}
    if undirected:
        return {**found, "degree": degree_figures(out)}
    return {**found, "out_degree": degree_figures(out), "in_degree": degree_figures(into), "distinct_edges": len(distinct),
            "mutual_edges": mutual, "reciprocity": mutual / len(distinct) if distinct else None}


def random_edges(seed):
    """Skewed, with loops, parallel and mutual edges, and vertices without any."""
    rng = random.Random(seed)
    num_vertices = rng.randrange(2, 300)
    ends = [int(num_vertices * rng.random() ** 3) for _ in range(2 * rng.randrange(1, 600))]
    edges = list(zip(ends[::2], ends[1::2]))
    return num_vertices, edges + [edge[::-1] for edge in edges[::5]] + edges[::7]


class Statistics(unittest.TestCase):
    tier = "medium"

    def make(self, num_vertices, edges, *options):
        with open("in.mtx", "w") as out:
            out.write("%%%%MatrixMarket matrix coordinate pattern general\n%d %d %d\n" % (num_vertices, num_vertices, len(edges)))
            out.writelines("%d %d\n" % (source + 1, destination + 1) for source, destination in edges)
        run("quern-import", "in.mtx", "-q", "-f", "-o", "g.qrn", "--duplicates", "keep", *options)

    def compare(self, file, wanted):
        for threads in (1, 3):
            found = json.loads(run("quern-info", file, "--stats", "--json", "-T", threads).stdout)["statistics"]
            del found["seconds"]
            self.assertEqual(found, wanted)

    def test_random(self):
        for seed in range(12):
            num_vertices, edges = random_edges(seed)
            undirected = seed % 3 == 0
            options = ["--undirected"] if undirected else ["--transpose", "also"] if seed % 3 == 1 else []
            self.make(num_vertices, edges, *options)
            if undirected:
                edges = edges + [edge[::-1] for edge in edges if edge[0] != edge[1]]
            wanted = expected(num_vertices, edges, undirected)
            for layout, builder in LAYOUTS.items():
                with self.subTest(seed=seed, layout=layout):
                    if builder:
                        run(*builder, "g.qrn", "-q", "-f", "-o", "other.qrn")
                    self.compare("other.qrn" if builder else "g.qrn", wanted)

    def test_no_edges(self):
        for num_vertices in (1, 1000):
            self.make(num_vertices, [])
            self.compare("g.qrn", expected(num_vertices, [], False))

    def test_hub(self):
        """Degrees that are too large to be counted one by one, a path, and an island."""
        edges = [(0, i) for i in range(1, 70000)] + [(i, 0) for i in range(1, 5000)] + [(80000 + i, 80001 + i) for i in range(1000)]
        self.make(90000, edges)
        self.compare("g.qrn", expected(90000, edges, False))

    def test_path(self):
        """A component that is far from flat, and numbered so that no order helps."""
        order = list(range(20000))
        random.Random(5).shuffle(order)
        edges = list(zip(order, order[1:]))
        for options in ((), ("--transpose", "also")):
            self.make(20000, edges, *options)
            found = json.loads(run("quern-info", "g.qrn", "--stats", "--json").stdout)["statistics"]
            self.assertEqual(found["components"], {"count": 1, "largest": 20000})
            self.assertEqual(found["reciprocity"], 0)
