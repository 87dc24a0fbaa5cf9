"""The backend of networkx: every function that it covers gives what networkx itself gives."""

import itertools
import math
import random
import unittest

from harness.chance import seed
from harness.networkx_backend import registered
from harness.package import needs, quern

if quern:
    registered()


def same(ours, theirs):
    """Results that are equal, numbers but for rounding."""
    if isinstance(theirs, (int, float)) and not isinstance(theirs, bool):
        return (math.isnan(ours) and math.isnan(theirs)) or math.isclose(ours, theirs, rel_tol=1e-6, abs_tol=1e-7)
    if isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and all(same(ours[key], theirs[key]) for key in theirs)
    if isinstance(theirs, (list, tuple)):
        return type(ours) is type(theirs) and len(ours) == len(theirs) and all(map(same, ours, theirs))
    return type(ours) is type(theirs) and ours == theirs


def whole(result):
    """An iterator as a list."""
    return list(result) if hasattr(result, "__next__") or isinstance(result, type({}.values())) else result


def graphs(networkx):
    """One of each kind, with loops and parallel edges where they may be, and nodes of each kind."""
    chance = random.Random(seed())
    kinds = networkx.Graph, networkx.DiGraph, networkx.MultiGraph, networkx.MultiDiGraph
    names = itertools.cycle([lambda v: v, lambda v: 40 - v, str, lambda v: ("node", v), lambda v: v - 7])
    for kind, loops in itertools.product(kinds, (False, True)):
        name = next(names)
        graph = kind()
        nodes = list(range(30))
        chance.shuffle(nodes)
        graph.add_nodes_from(map(name, nodes[:5] if name(0) else range(5)))
        for _ in range(chance.choice((20, 60, 110))):
            u, v = chance.randrange(25), chance.randrange(25)
            if u != v or loops:
                graph.add_edge(name(u), name(v), weight=chance.randint(0, 5))
        yield graph
    yield networkx.path_graph(200)
    yield networkx.path_graph(200, create_using=networkx.DiGraph)
    yield networkx.star_graph(100)
    yield networkx.complete_graph(40)
    yield networkx.empty_graph(3)
    yield networkx.DiGraph([(0, 1), (1, 2), (2, 0), (2, 3)])


def calls(networkx, graph, chance):
    """Functions with arguments for a graph."""
    nodes = list(graph)
    u, v = chance.choice(nodes), chance.choice(nodes)
    some = chance.sample(nodes, min(5, len(nodes)))
    for arguments in ({}, {"weight": None}, {"alpha": 0.5, "personalization": {u: 1, v: 3}}, {"dangling": {u: 1}},
                      {"nstart": {u: 1, v: 1}}, {"max_iter": 3}, {"tol": 1e-12, "max_iter": 500}):
        yield "pagerank", (), arguments
    for name in """degree_centrality in_degree_centrality out_degree_centrality connected_components is_connected
            number_connected_components weakly_connected_components number_weakly_connected_components is_weakly_connected
            number_strongly_connected_components is_strongly_connected core_number triangles clustering average_clustering
            transitivity square_clustering reciprocity overall_reciprocity degree_assortativity_coefficient greedy_color
            label_propagation_communities
            closeness_centrality harmonic_centrality betweenness_centrality average_shortest_path_length
            all_pairs_shortest_path_length all_pairs_shortest_path""".split():
        yield name, (), {}
    for name in """bfs_edges bfs_predecessors bfs_successors bfs_layers descendants ancestors single_source_shortest_path
            single_target_shortest_path single_source_shortest_path_length single_target_shortest_path_length shortest_path
            shortest_path_length single_source_dijkstra_path_length node_connected_component triangles clustering
            square_clustering closeness_centrality reciprocity""".split():
        yield name, (u,), {}
    yield "square_clustering", (some,), {}
    yield "clustering", (some,), {}
    yield "triangles", (some,), {}
    yield "bfs_edges", (u,), {"depth_limit": 2, "reverse": True}
    yield "bfs_layers", (some,), {}
    yield "bfs_successors", (u,), {"depth_limit": 1}
    yield "descendants_at_distance", (u, 2), {}
    for cutoff in (0, 2, 2.5):
        yield "single_source_shortest_path", (u,), {"cutoff": cutoff}
        yield "single_source_shortest_path_length", (u,), {"cutoff": cutoff}
        yield "single_target_shortest_path_length", (u,), {"cutoff": cutoff}
        yield "single_source_dijkstra_path_length", (u,), {"cutoff": cutoff}
    yield "single_source_dijkstra_path_length", (u,), {"weight": None}
    yield "multi_source_dijkstra_path_length", ([u],), {}
    yield "all_pairs_dijkstra_path_length", (), {}
    for weight in (None, "weight"):
        yield "shortest_path_length", (u, v), {"weight": weight}
        yield "shortest_path_length", (), {"target": v, "weight": weight}
    yield "dijkstra_path_length", (u, v), {}
    yield "has_path", (u, v), {}
    yield "has_path", (u, "nobody"), {}
    yield "shortest_path_length", (u,), {"weight": "weight", "method": "none"}
    yield "betweenness_centrality", (), {"normalized": False}
    yield "betweenness_centrality", (), {"k": len(nodes) // 2 + 1, "seed": 7}
    yield "betweenness_centrality", (), {"k": len(nodes) // 2 + 1, "seed": 7, "endpoints": True, "normalized": False}
    yield "betweenness_centrality", (), {"endpoints": True}
    yield "closeness_centrality", (), {"wf_improved": False}
    yield "harmonic_centrality", (), {"nbunch": some}
    yield "harmonic_centrality", (), {"sources": some}
    yield "katz_centrality", (), {"alpha": 0.01, "tol": 1e-12}
    yield "katz_centrality", (), {"alpha": 0.01, "tol": 1e-12, "weight": "weight", "normalized": False, "beta": 2}
    yield "katz_centrality", (), {"alpha": 0.01, "beta": {u: 1}}
    yield "katz_centrality", (), {"alpha": 5}
    yield "eigenvector_centrality", (), {"max_iter": 2000, "tol": 1e-9}
    yield "eigenvector_centrality", (), {"max_iter": 2000, "tol": 1e-9, "weight": "weight", "nstart": dict.fromkeys(nodes, 2)}
    yield "eigenvector_centrality", (), {"max_iter": 0}
    pairs = [tuple(chance.choice(nodes) for _ in "uv") for _ in range(30)]
    for name in "jaccard_coefficient resource_allocation_index adamic_adar_index preferential_attachment".split():
        yield name, ([pair for pair in pairs if pair[0] != pair[1]],), {}
        yield name, ([(u, "nobody")],), {}


@needs("networkx", "scipy")
class Functions(unittest.TestCase):
    """On graphs of networkx, which are converted."""

    tier = "medium"
    timeout = 600
    sanitized_tier = "long"

    @classmethod
    def setUpClass(cls):
        import networkx
        if tuple(map(int, networkx.__version__.split(".")[:2])) < (3, 5):
            raise unittest.SkipTest("networkx %s has no backends as the package needs them; 3.5 has" % networkx.__version__)
        cls.networkx = networkx
        networkx.config.warnings_to_ignore.add("cache")
        cls.functions = networkx.utils.backends._registered_algorithms

    def outcome(self, name, graph, args, kwargs, backend):
        """What a call gives, or the class of its exception."""
        try:
            function = getattr(self.networkx, name, None) or getattr(self.networkx.community, name)
            return whole(function(graph, *args, backend=backend, **kwargs))
        except NotImplementedError:
            return NotImplemented
        except Exception as problem:
            return type(problem)

    def compare(self, graph, theirs, chance, covered):
        for name, args, kwargs in calls(self.networkx, theirs, chance):
            ours = self.outcome(name, graph, args, kwargs, "quern")
            if ours is NotImplemented:
                continue
            covered.add(name)
            expected = self.outcome(name, theirs, args, kwargs, "networkx")
            if not same(ours, expected):
                self.fail("%s(%s, *%r, **%r) of edges %r:\n%r\nis not\n%r" % (name, theirs, args, kwargs, list(theirs.edges(data=True)),
                                                                             ours, expected))

    def test_all_as_networkx(self):
        chance, covered = random.Random(seed()), set()
        for graph in graphs(self.networkx):
            with self.subTest(graph=str(graph)):
                self.compare(graph, graph, chance, covered)
        self.assertGreater(len(covered), 50)

    def test_paths_are_shortest(self):
        """Of several shortest paths any will do: each is one, and as long."""
        chance, networkx = random.Random(seed()), self.networkx
        for graph in graphs(networkx):
            nodes = list(graph)
            for u, v in [(chance.choice(nodes), chance.choice(nodes)) for _ in range(5)]:
                for weight in (None, "weight"):
                    with self.subTest(graph=str(graph), weight=weight):
                        lengths = networkx.single_source_dijkstra_path_length(graph, u, weight=weight, backend="networkx")
                        paths = networkx.single_source_dijkstra_path(graph, u, weight=weight, backend="quern")
                        self.assertEqual(paths.keys(), lengths.keys())
                        paths = {("tree", node): path for node, path in paths.items()}
                        try:
                            paths["pair", v] = networkx.shortest_path(graph, u, v, weight=weight, backend="quern")
                        except networkx.NetworkXNoPath:
                            self.assertNotIn(v, lengths)
                        for (_, node), path in paths.items():
                            self.assertEqual((path[0], path[-1]), (u, node))
                            steps = zip(path, path[1:])
                            self.assertEqual(sum(graph.edges[u, v].get(weight, 1) if not graph.is_multigraph() else
                                                 min(edge.get(weight, 1) for edge in graph[u][v].values()) for u, v in steps),
                                             lengths[node])

    def test_sets_of_nodes(self):
        """Strong components in any order; a maximal independent set; communities of good modularity."""
        networkx = self.networkx
        for graph in graphs(networkx):
            if graph.is_directed():
                ours, theirs = (set(map(frozenset, networkx.strongly_connected_components(graph, backend=backend)))
                                for backend in ("quern", "networkx"))
                self.assertEqual(ours, theirs)
                place = {node: index for index, component in enumerate(networkx.strongly_connected_components(graph, backend="quern"))
                         for node in component}
                self.assertTrue(all(place[u] >= place[v] for u, v in graph.edges()), "sinks come first")
                continue
            graph.remove_edges_from(list(networkx.selfloop_edges(graph)))
            for seed in range(3):
                chosen = set(networkx.maximal_independent_set(graph, seed=seed, backend="quern"))
                for node in graph:
                    self.assertEqual(node in chosen, not any(other in chosen for other in graph[node]), node)
            for community in (networkx.community.louvain_communities, networkx.community.leiden_communities):
                found = community(graph, weight=None if graph.is_multigraph() else "weight", seed=1, backend="quern")
                self.assertTrue(networkx.community.is_partition(graph, found))
        graph = networkx.connected_caveman_graph(12, 10)
        found = networkx.community.louvain_communities(graph, seed=5, backend="quern")
        self.assertEqual(sorted(map(sorted, found)), [list(range(start, start + 10)) for start in range(0, 120, 10)])

    def test_subgraphs_keep_attributes(self):
        networkx = self.networkx
        graph = networkx.gnm_random_graph(60, 200, seed=seed())
        for index, (u, v) in enumerate(graph.edges):
            graph[u][v].update(weight=index % 4, color="c%d" % index)
        networkx.set_node_attributes(graph, {node: [node] for node in graph}, "label")
        for name, args, kwargs in (("k_core", (), {}), ("k_core", (3,), {}), ("k_shell", (), {}), ("k_crust", (), {}),
                                   ("ego_graph", (5,), {"radius": 2}), ("ego_graph", (5,), {"center": False}),
                                   ("ego_graph", (5,), {"radius": 3, "distance": "weight"}), ("bfs_tree", (5,), {})):
            ours, theirs = (self.functions[name](graph, *args, backend=backend, **kwargs) for backend in ("quern", "networkx"))
            self.assertEqual((ours.nodes(data=True), ours.adj), (theirs.nodes(data=True), theirs.adj), name)

    def test_hits(self):
        networkx = self.networkx
        for kind in (networkx.Graph, networkx.DiGraph):
            graph = networkx.gnm_random_graph(50, 300, seed=seed(), directed=kind is networkx.DiGraph)
            for weight in (None, "weight"):
                if weight:
                    networkx.set_edge_attributes(graph, {edge: 1 + index % 3 for index, edge in enumerate(graph.edges)}, weight)
                for normalized in (True, False):
                    ours, theirs = (networkx.hits(graph, tol=1e-12, max_iter=1000, normalized=normalized, backend=backend)
                                    for backend in ("quern", "networkx"))
                    for mine, its in zip(ours, theirs):
                        sign = 1 if normalized or sum(its.values()) > 0 else -1  # that of a singular vector is any
                        for node in graph:
                            self.assertAlmostEqual(mine[node], sign * its[node], 6)

    def test_weights(self):
        """Integers of any size and reals give what networkx gives; what is no number, or negative, it does itself."""
        networkx = self.networkx
        for weights in ([1, 2, 3], [0.1, 0.2, 0.30000001], [2**40, 5, 2**52], [True, False, 3], [1.5, 2, 1], [0, 0, 0]):
            graph = networkx.Graph([(0, 1, {"w": weights[0]}), (1, 2, {"w": weights[1]}), (2, 3, {"w": weights[2]}), (0, 3)])
            ours, theirs = (networkx.single_source_dijkstra_path_length(graph, 0, weight="w", backend=backend)
                            for backend in ("quern", "networkx"))
            self.assertEqual(ours, theirs)
            self.assertEqual(list(map(type, list(ours.values())[1:])), [float if 1.5 in weights or 0.1 in weights else int] * 3)
        for odd in (-1, None, "3", 2**70, float("nan"), float("inf"), [1]):
            graph = networkx.Graph([(0, 1, {"weight": odd}), (1, 2)])
            with self.assertRaises(NotImplementedError, msg=odd):
                networkx.single_source_dijkstra_path_length(graph, 0, backend="quern")
        with self.assertRaises(NotImplementedError):
            networkx.dijkstra_path_length(graph, 0, 1, weight=lambda u, v, data: 1, backend="quern")


@needs("networkx", "scipy")
class Containers(Functions):
    """On containers, which are used as they are."""

    def containers(self):
        chance = random.Random(seed())
        kinds = itertools.product((True, False), (None, "numbers", "texts"), (True, False), (None, int, float))
        for directed, ids, parallel, weighted in itertools.islice(kinds, 0, None, 5):
            ends = [(chance.randrange(25), chance.randrange(25)) for _ in range(60)]
            ends = ends if parallel else list({tuple(sorted(pair)): pair for pair in ends}.values())
            source, target = ([pair[end] * 3 if ids == "numbers" else "n%d" % pair[end] if ids else pair[end] for pair in ends]
                              for end in (0, 1))
            weights = [weighted(chance.randint(0, 9)) / (4 if weighted is float else 1) for _ in ends] if weighted else None
            weights = list(map(int, weights)) if weighted is int else weights
            yield quern.from_arrays(source, target, weights, directed=directed, duplicates="keep" if parallel else "min" if weighted else "remove")

    def test_all_as_networkx(self):
        import nx_quern
        chance, covered = random.Random(seed()), set()
        for container in self.containers():
            with self.subTest(container=str(container)):
                graph, theirs = nx_quern.Graph(container), container.to_networkx()
                self.assertEqual((list(graph), len(graph), graph.number_of_edges(), graph.is_directed(), graph.is_multigraph()),
                                 (list(theirs), len(theirs), theirs.number_of_edges(), theirs.is_directed(), theirs.is_multigraph()))
                self.assertEqual(self.networkx.density(graph), self.networkx.density(theirs))
                for u, v in itertools.product(list(theirs)[:5], repeat=2):
                    self.assertEqual(graph.has_edge(u, v), theirs.has_edge(u, v))
                self.compare(graph, theirs, chance, covered)
        self.assertGreater(len(covered), 50)

    def test_nodes(self):
        import nx_quern
        numbers = nx_quern.Graph(quern.from_arrays([10, 20], [20, 30]))
        texts = nx_quern.Graph(quern.from_arrays(["a", "b"], ["b", "c"]))
        dense = nx_quern.Graph(quern.from_arrays([0, 1], [1, 2]))
        for graph, there, absent in ((numbers, [10, 20.0, 30], [0, 11, "10", -1, 1e300, None, [10], float("nan")]),
                                     (texts, ["a", "c"], ["d", 0, None, ("a",)]), (dense, [0, 2.0, True], [3, -1, 0.5, "0"])):
            for node in there:
                self.assertIn(node, graph)
            for node in absent:
                self.assertNotIn(node, graph)
        self.assertEqual(list(texts.neighbors("a")), ["b"])
        self.assertEqual(list(texts.predecessors("c")), ["b"])
        with self.assertRaises(self.networkx.NetworkXError):
            texts.neighbors("x")

    def test_subgraphs_keep_attributes(self):
        """What networkx would make a graph of, the container makes one of; it has its properties."""
        import nx_quern
        container = quern.from_arrays(["a", "b", "c", "d"], ["b", "c", "a", "a"], directed=False)
        container = container.with_properties(vertices={"age": [1, 2, 3, 4]})
        for found in (self.networkx.k_core(nx_quern.Graph(container), 2), self.networkx.ego_graph(nx_quern.Graph(container), "b")):
            self.assertEqual((sorted(found), found.graph.vertex_properties["age"].tolist()), (["a", "b", "c"], [1, 2, 3]))
        tree = self.networkx.bfs_tree(nx_quern.Graph(container), "d")
        self.assertEqual(list(tree.edges), [("d", "a"), ("a", "b"), ("a", "c")])

    def test_what_is_not_covered(self):
        """networkx does it, on a graph of its own, if it may."""
        import nx_quern
        graph = nx_quern.Graph(quern.from_arrays([0, 1, 2], [1, 2, 0], directed=False))
        with self.assertRaises(NotImplementedError):
            self.networkx.cycle_basis(graph)
        with self.networkx.config(fallback_to_nx=True):
            self.assertEqual(len(self.networkx.cycle_basis(graph)), 1)

    def test_paths_are_shortest(self):
        """As above."""

    test_sets_of_nodes = test_hits = test_weights = test_paths_are_shortest


@needs("networkx", "scipy")
class Dispatch(unittest.TestCase):
    """What networkx is told, and what it keeps."""

    sanitized_tier = "long"

    @classmethod
    def setUpClass(cls):
        Functions.setUpClass.__func__(cls)
        from nx_quern import function, info
        from nx_quern.backend import backend
        cls.backend, cls.function, cls.info = backend, function, info

    def test_names_and_parameters(self):
        """Each function has the name and the parameters of one of networkx, and is in what networkx reads first."""
        import inspect
        self.assertEqual(self.function.COVERED.keys(), self.info.COSTS.keys())
        self.assertLessEqual(self.info.NOTES.keys(), self.info.COSTS.keys())
        for name, ours in self.function.COVERED.items():
            theirs = self.functions[name].orig_func
            self.assertEqual(*([(parameter.name, parameter.default) for parameter in inspect.signature(one).parameters.values()]
                               for one in (ours, theirs)), name)

    def test_importing_networkx_loads_no_library(self):
        import subprocess
        import sys
        program = "import networkx, sys; assert 'pagerank' in networkx.utils.backends.backend_info['quern']['functions']; " \
                  "print([name for name in sys.modules if name.startswith('quern') or name == 'numpy'])"
        said = subprocess.run([sys.executable, "-c", program], env=registered(), stdout=subprocess.PIPE, text=True, check=True)
        self.assertEqual(said.stdout, "[]\n")

    def test_one_conversion(self):
        """All functions use one, with what weights they ask for, until the graph changes."""
        networkx = self.networkx
        graph = networkx.gnm_random_graph(50, 100, seed=1)
        networkx.number_connected_components(graph, backend="quern")
        [first] = graph.__networkx_cache__["backends"]["quern"].values()
        networkx.pagerank(graph, backend="quern")
        networkx.dijkstra_path_length(graph, *next(iter(graph.edges)), weight="length", backend="quern")
        self.assertTrue(all(one is first for one in graph.__networkx_cache__["backends"]["quern"].values()))
        graph.add_edge(0, "new")
        self.assertIn("new", networkx.pagerank(graph, backend="quern"))
        graph._adj[0]["hidden"] = {}
        with self.assertRaises(RuntimeError):
            networkx.pagerank(graph, weight="length", backend="quern")

    def test_a_converted_graph_is_copied(self):
        import copy
        import pickle
        networkx = self.networkx
        graph = networkx.path_graph(50)
        networkx.pagerank(graph, backend="quern")
        for other in (copy.deepcopy(graph), pickle.loads(pickle.dumps(graph))):
            self.assertEqual(networkx.number_connected_components(other, backend="quern"), 1)

    def test_when_it_runs(self):
        networkx, should = self.networkx, self.backend.should_run
        small, large = networkx.path_graph(50), networkx.path_graph(5000)
        self.assertIsInstance(should("pagerank", (small,), {}), str)
        self.assertIs(should("pagerank", (large,), {}), True)
        self.assertIs(should("betweenness_centrality", (networkx.path_graph(200),), {}), True)
        self.assertIsInstance(should("has_path", (), {"G": large, "source": 0, "target": 1}), str)
        networkx.pagerank(large, backend="quern")
        self.assertIs(should("has_path", (large, 0, 1), {}), True)
        with networkx.config.backend_priority(algos=["quern"]):
            self.assertEqual(networkx.number_connected_components(large), 1)
            self.assertEqual(networkx.dijkstra_path_length(large, 0, 9, weight=lambda u, v, data: 2), 18)

    def test_what_it_refuses(self):
        for name, kwargs in (("betweenness_centrality", {"weight": "weight"}), ("bfs_edges", {"source": 0, "sort_neighbors": sorted}),
                             ("greedy_color", {"strategy": "DSATUR"}), ("clustering", {"weight": "weight"}),
                             ("louvain_communities", {"max_level": 1, "seed": 1}), ("pagerank", {"weight": len})):
            graph = self.networkx.path_graph(3)
            self.assertIsInstance(self.backend.can_run(name, (graph,), kwargs), str, name)
            with self.assertRaises(NotImplementedError, msg=name):
                self.functions[name](graph, backend="quern", **kwargs)

    def test_what_is_no_plain_graph(self):
        class Odd(self.networkx.Graph):
            def __getitem__(self, node):
                return {}
        with self.assertRaises(NotImplementedError):
            self.networkx.number_connected_components(Odd([(0, 1)]), backend="quern")

    def test_views_with_hidden_edges(self):
        networkx = self.networkx
        for kind in (networkx.Graph, networkx.MultiGraph, networkx.MultiDiGraph):
            graph = kind([(0, 1), (0, 1), (1, 2), (2, 3)])
            view = networkx.subgraph_view(graph, filter_edge=lambda *edge: {0, 1} != set(edge[:2]))
            self.assertEqual(list(networkx.bfs_edges(view, 1, backend="quern")), [(1, 2), (2, 3)])
            self.assertEqual(networkx.degree_centrality(view, backend="quern")[0], 0)

    def test_configuration(self):
        networkx = self.networkx
        graph = networkx.path_graph(10)
        with networkx.config.backends.quern(device="nowhere"):
            with self.assertRaises(quern.UsageError):
                networkx.pagerank(graph, backend="quern")
        with networkx.config.backends.quern(device="cpu", threads=1):
            self.assertEqual(len(networkx.pagerank(graph, backend="quern")), 10)


if __name__ == "__main__":
    unittest.main()
