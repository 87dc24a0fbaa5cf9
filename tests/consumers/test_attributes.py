"""networkx and igraph read attributes that quern-export writes, with equal values, and quern-import those that they write."""

import inspect
import json
import math
import random
import tempfile
import unittest
from pathlib import Path

from conformance.container_reader import read
from conformance.layout_readers import read_layout
from conformance.properties_reader import in_graph_order
from golden.container_writer import graph, with_properties
from harness import chance
from harness.tools import run

try:
    import networkx
except ImportError:
    networkx = None
try:
    import igraph
except ImportError:
    igraph = None

def links():
    """Edges were called so before NetworkX 3.4, which asks."""
    return {"edges": "links"} if "edges" in inspect.signature(networkx.node_link_data).parameters else {}


TEXTS = ["", " ", "a,b", '"', "&amp;", "<b>", "it's", "ü", "漢字", "two\nlines", "x" * 300, "]]>", "# no comment", "7", "true"]
VERTICES, EDGES = 12, 20


class Folder(unittest.TestCase):
    sanitized_tier = "long"

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.at = Path(scratch.name)
        self.rng = random.Random(chance.seed())

    def column(self, kind, count):
        value = {"u32": lambda: self.rng.choice((0, 7, 2**31 - 1)), "i64": lambda: self.rng.choice((-5, 0, 2**31)),
                 "f64": lambda: self.rng.choice((0.1, -0.5, 1e300, 2.0)), "bool": lambda: self.rng.choice((0, 1)),
                 "string": lambda: self.rng.choice(TEXTS)}[kind]
        return [None if self.rng.random() < 0.2 else value() for _ in range(count)]

    def container(self, undirected):
        """Written by the specification: `vertices` {id: {name: value}}, `edges` [(source, target, {name: value})]."""
        edges = sorted({(self.rng.randrange(VERTICES), self.rng.randrange(VERTICES)) for _ in range(EDGES)})
        edges = sorted({tuple(sorted(edge)) for edge in edges}) if undirected else edges
        columns = {kind + "s": (kind, self.column(kind, VERTICES)) for kind in ("u32", "i64", "f64", "bool", "string")}
        of_edges = {"e" + kind: (kind, self.column(kind, len(edges))) for kind in ("i64", "bool", "string")}
        stored = sorted([(at, to, n) for n, (at, to) in enumerate(edges)] +
                        [(to, at, n) for n, (at, to) in enumerate(edges) if undirected and at != to])
        made = with_properties(graph([(at, to, place) for place, (at, to, _) in enumerate(stored)], VERTICES, undirected=undirected),
                               [(name, kind, values) for name, (kind, values) in columns.items()],
                               [(name, kind, [values[n] for _, _, n in stored]) for name, (kind, values) in of_edges.items()])
        path = self.at / "g.qrn"
        path.write_bytes(made.bytes())
        return (path, {v: {name: values[v] for name, (_, values) in columns.items() if values[v] is not None} for v in range(VERTICES)},
                {edge: {name: values[n] for name, (_, values) in of_edges.items() if values[n] is not None} for n, edge in enumerate(edges)})

    def exported(self, path, name):
        out = self.at / ("out." + name)
        run("quern-export", path, "--format", name, "-fqo", out)
        return str(out)

    def imported(self, path):
        """What a file has: ({id: {name: value}}, {(source, target): {name: value}}), without nulls."""
        back = self.at / "back.qrn"
        run("quern-import", path, "--properties", "all", "-fqo", back)
        run("quern-verify", "-q", back)
        layout = read_layout(read(back))
        ids = [name.decode() if isinstance(name, bytes) else str(name) for name in layout.ids]
        found = layout.properties

        def row(table, place):
            return {name: values[place] for name, values in table.items() if values[place] is not None}
        return ({name: row(found.vertices, v) for v, name in enumerate(ids)},
                {(ids[at], ids[to]): row(found.edges, e) for e, (at, to, _) in enumerate(in_graph_order(layout.edges))})

    def same_edges(self, found, expected, undirected):
        both = {(str(at), str(to)): values for (at, to), values in expected.items()}
        if undirected:
            both.update({(to, at): values for (at, to), values in both.items()})
        self.assertEqual(found, both)


@unittest.skipUnless(networkx, "no networkx")
class Networkx(Folder):
    READERS = {"graphml": "read_graphml", "gexf": "read_gexf", "gml": "read_gml"}

    def test_reads(self):
        for undirected in (False, True):
            path, vertices, edges = self.container(undirected)
            for name, reader in self.READERS.items():
                read_graph = getattr(networkx, reader)(self.exported(path, name))
                with self.subTest(format=name, undirected=undirected):
                    self.check(read_graph, vertices, edges, undirected, aside={"label", "id"} if name == "gexf" else set(),
                               empty=name == "graphml" and "dropped")
            with open(self.exported(path, "json")) as file:
                read_graph = networkx.node_link_graph(json.load(file), **links())
            self.check(networkx.relabel_nodes(read_graph, str), vertices, edges, undirected, aside=set(), empty=None)

    def check(self, read_graph, vertices, edges, undirected, aside, empty):
        def plain(values):
            return {name: value for name, value in values.items()
                    if value is not None and name not in aside and not (empty and value == "")}
        self.assertEqual(read_graph.is_directed(), not undirected)
        self.assertEqual({node: plain(values) for node, values in read_graph.nodes(data=True)},
                         {str(v): plain(values) for v, values in vertices.items()})
        ends = (lambda at, to: tuple(sorted((at, to)))) if undirected else (lambda at, to: (at, to))
        self.assertEqual({ends(at, to): plain(values) for at, to, values in read_graph.edges(data=True)},
                         {ends(str(at), str(to)): plain(values) for (at, to), values in edges.items()})

    def written(self, undirected, texts):
        """Every vertex has every attribute but one, as networkx has no nulls."""
        made = networkx.Graph() if undirected else networkx.DiGraph()
        for v in range(VERTICES):
            made.add_node("n%d" % v, text=self.rng.choice(texts), number=self.rng.choice((-3, 0, 2**31 - 1)),
                          real=self.rng.choice((0.1, -2.5, math.inf, 1e22)), truth=self.rng.random() < 0.5)
            if v % 3 == 0:
                made.nodes["n%d" % v]["some"] = v
        for _ in range(EDGES):
            made.add_edge("n%d" % self.rng.randrange(VERTICES), "n%d" % self.rng.randrange(VERTICES), weight=1.5,
                          since=self.rng.randrange(10**6), text=self.rng.choice(texts))
        return made

    def test_writes(self):
        for undirected in (False, True):
            made = self.written(undirected, TEXTS)
            edges = {(at, to): {name: value for name, value in values.items() if name != "weight"} for at, to, values in made.edges(data=True)}
            for name in ("graphml", "gexf"):
                path = str(self.at / ("nx." + name))
                getattr(networkx, "write_" + name)(made, path)
                with self.subTest(format=name, undirected=undirected):
                    vertices, found = self.imported(path)
                    self.assertEqual(vertices, {node: dict(values, **({"label": node} if name == "gexf" else {}))
                                                for node, values in made.nodes(data=True)})
                    self.same_edges(found, edges, undirected)

    def test_writes_json_and_gml(self):
        for undirected in (False, True):
            made = self.written(undirected, TEXTS)
            for node in made:
                made.nodes[node]["real"] = 0.25
            edges = {(at, to): {name: value for name, value in values.items() if name != "weight"} for at, to, values in made.edges(data=True)}
            path = self.at / "nx.json"
            path.write_text(json.dumps(networkx.node_link_data(made, **links())))
            vertices, found = self.imported(path)
            self.assertEqual(vertices, dict(made.nodes(data=True)))
            self.same_edges(found, edges, undirected)
            networkx.write_gml(made, str(self.at / "nx.gml"))
            vertices, found = self.imported(self.at / "nx.gml")
            number = {node: str(v) for v, node in enumerate(made)}
            self.assertEqual(vertices, {number[node]: dict(values, label=node) for node, values in made.nodes(data=True)})
            self.same_edges(found, {(number[at], number[to]): values for (at, to), values in edges.items()}, undirected)


@unittest.skipUnless(igraph, "no igraph")
class Igraph(Folder):
    """igraph has numbers, texts and truths, and nan or "" for what is not there; in GML no truths, and few characters."""

    @staticmethod
    def held(values):
        return {name: value for name, value in values.items() if value != "" and value == value and name not in ("id", "label")}

    def test_reads(self):
        for undirected in (False, True):
            path, vertices, edges = self.container(undirected)
            for name in ("graphml", "gml"):
                read_graph = igraph.Graph.Read(self.exported(path, name), format=name)
                with self.subTest(format=name, undirected=undirected):
                    def plain(values, kinds=("bools", "ebool")):
                        gml_text = {key for key, value in values.items() if isinstance(value, str)} if name == "gml" else set()
                        lost = gml_text | (set(kinds) if name == "graphml" else set())
                        return {key: value for key, value in self.held(values).items() if key not in lost}
                    self.assertEqual(read_graph.is_directed(), not undirected)
                    ids = [int(v["id"]) for v in read_graph.vs]
                    self.assertEqual({ids[v.index]: plain(v.attributes()) for v in read_graph.vs},
                                     {v: plain(values) for v, values in vertices.items()})
                    ends = (lambda at, to: tuple(sorted((at, to)))) if undirected else (lambda at, to: (at, to))
                    self.assertEqual({ends(ids[e.source], ids[e.target]): plain(e.attributes()) for e in read_graph.es},
                                     {ends(*edge): plain(values) for edge, values in edges.items()})

    def test_writes(self):
        for undirected in (False, True):
            made = igraph.Graph(n=VERTICES, edges=sorted({(self.rng.randrange(VERTICES), self.rng.randrange(VERTICES // 2))
                                                          for _ in range(EDGES)}), directed=not undirected)
            made.simplify()
            made.vs["text"] = [self.rng.choice(TEXTS) for _ in made.vs]
            made.vs["real"] = [self.rng.choice((0.1, -2.5, 1e22)) for _ in made.vs]
            made.vs["truth"] = [self.rng.random() < 0.5 for _ in made.vs]
            made.es["since"] = [float(self.rng.randrange(10**6)) for _ in made.es]
            made.write_graphml(str(self.at / "i.graphml"))
            vertices, edges = self.imported(self.at / "i.graphml")
            self.assertEqual(vertices, {"n%d" % v.index: v.attributes() for v in made.vs})
            self.same_edges(edges, {("n%d" % e.source, "n%d" % e.target): e.attributes() for e in made.es}, undirected)
            made.vs["text"] = [self.rng.choice(("plain", 'a "quote"', "a & b")) for _ in made.vs]
            del made.vs["truth"]
            made.write_gml(str(self.at / "i.gml"))
            vertices, edges = self.imported(self.at / "i.gml")
            self.assertEqual(vertices, {str(v.index): v.attributes() for v in made.vs})
            self.same_edges(edges, {(str(e.source), str(e.target)): e.attributes() for e in made.es}, undirected)
