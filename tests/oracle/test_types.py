"""Graphs with several types of vertices and edges against a naive model: in as Neo4j's files, read by the specification alone, out
again, and one type after another as a graph of its own. Names, ids and values are hostile."""

import json
import random
import tempfile
import unittest
from collections import Counter
from pathlib import Path

from conformance.container_reader import read
from conformance.layout_readers import read_layout
from conformance.properties_reader import in_graph_order
from conformance.typed_reader import TypedSet
from harness import chance
from harness.tools import run, values

TYPES = ["Person", "a b", "ü", 'quo"te', "a,b", "x;y", "semi:colon", "(paren)", "n" * 200, "0", "A", "null"]
IDS = ["0", "007", "a,b", '"', "é", "漢字", "null", " x ", "L1", "R1", "-1", "1.0", "18446744073709551616", "#1", "'", "x" * 300, "a:b", "%"]
TEXTS = ["", " ", "a,b", '"', "null", "0", "é", "\U0001f600", "x" * 500, "</node>", "a;b", "\\", "'"]
NAMES = ["name", "born", "a,b", 'quo"te', "ü", " ", "x" * 100, "id"]
VALUES = {"long": lambda rng: rng.choice((0, -1, 2**63 - 1, -2**63)), "double": lambda rng: rng.choice((0.5, -0.0, 1e300, 5e-324)),
          "boolean": lambda rng: rng.choice((0, 1)), "string": lambda rng: rng.choice(TEXTS)}


def is_number(text):
    return text.isascii() and text.isdigit() and (text == "0" or text[0] != "0") and int(text) < 2**64


def cell(value, kind):
    if value is None:
        return ""
    if kind == "boolean":
        return "true" if value else "false"
    return quoted(value) if kind == "string" else repr(value)


def quoted(text):
    return '"%s"' % text.replace('"', '""')


class Model:
    """`vertices` {type: {id as text: {property: value}}}, `edges` {(source, name, target): [(id, id, weight, {property: value})]};
    `columns` and `edge_columns` say {property: kind} of each type."""

    def __init__(self, seed):
        rng = self.rng = random.Random(seed)
        self.vertices, self.columns, self.edges, self.edge_columns = {}, {}, {}, {}
        for name in rng.sample(TYPES, rng.randint(1, 4)):
            numbers = rng.random() < 0.5
            pool = list(map(str, range(12) if rng.random() < 0.5 else rng.sample(range(2**63 - 1), 11) + [2**64 - 1])) if numbers else IDS
            self.columns[name] = self.some_columns()
            self.vertices[name] = {vertex: self.some_values(self.columns[name]) for vertex in rng.sample(pool, rng.randint(1, 12))}
        types = list(self.vertices)
        for _ in range(rng.randint(1, 5)):
            kind = rng.choice(types), rng.choice(TYPES), rng.choice(types)
            weighted = rng.random() < 0.5
            columns = self.edge_columns[kind] = self.some_columns()
            source, target = list(self.vertices[kind[0]]), list(self.vertices[kind[2]])
            self.edges[kind] = [(rng.choice(source), rng.choice(target), rng.randrange(100) if weighted else None, self.some_values(columns))
                                for _ in range(rng.randint(1, 30))]

    def some_columns(self):
        return {name: self.rng.choice(list(VALUES)) for name in self.rng.sample(NAMES, self.rng.randint(0, 3))}

    def some_values(self, columns):
        return {name: None if self.rng.random() < 0.2 else VALUES[kind](self.rng) for name, kind in columns.items()}

    def write(self, folder):
        folder.mkdir()
        spaces = {name: "s%d" % number for number, name in enumerate(self.vertices)}
        for name, space in spaces.items():
            columns = self.columns[name]
            lines = [["x:ID(%s)" % space, *(quoted("%s:%s" % column) for column in columns.items()), ":LABEL"]]
            lines += [[quoted(vertex), *(cell(values[column], kind) for column, kind in columns.items()), quoted(name)]
                      for vertex, values in self.vertices[name].items()]
            self.put(folder / (space + ".csv"), lines)
        for number, (kind, edges) in enumerate(self.edges.items()):
            columns = self.edge_columns[kind]
            weighted = edges[0][2] is not None
            lines = [[":START_ID(%s)" % spaces[kind[0]], ":END_ID(%s)" % spaces[kind[2]], *["weight:long"] * weighted,
                      *(quoted("%s:%s" % column) for column in columns.items()), ":TYPE"]]
            lines += [[quoted(u), quoted(v), *[str(w)] * weighted, *(cell(values[column], of) for column, of in columns.items()), quoted(kind[1])]
                      for u, v, w, values in edges]
            self.put(folder / ("e%d.csv" % number), lines)

    def put(self, path, lines):
        path.write_text("".join(",".join(line) + "\n" for line in lines), newline="")

    def ids(self, name):
        """What the vertices of a type are called: numbers if all are."""
        numbers = all(map(is_number, self.vertices[name]))
        return {vertex: int(vertex) if numbers else vertex for vertex in self.vertices[name]}

    def kept(self, columns, rows):
        """The columns with some value."""
        return [name for name in columns if any(row[name] is not None for row in rows)]

    def expected_vertices(self):
        made = {}
        for name, rows in self.vertices.items():
            ids, columns = self.ids(name), self.kept(self.columns[name], list(rows.values()))
            made[name] = {ids[vertex]: {column: values[column] for column in columns} for vertex, values in rows.items()}
        return made

    def expected_edges(self):
        made = {}
        for kind, rows in self.edges.items():
            source, target, columns = self.ids(kind[0]), self.ids(kind[2]), self.kept(self.edge_columns[kind], [row[3] for row in rows])
            made[kind] = Counter(repr((source[u], target[v], w, {column: values[column] for column in columns})) for u, v, w, values in rows)
        return made


def text_of(name):
    return name.decode() if isinstance(name, bytes) else name


def counted(edges):
    return {kind: Counter(repr((text_of(u), text_of(v), w, {name: text_of(value) for name, value in values.items()})) for u, v, w, values in rows)
            for kind, rows in edges.items()}


def texts(vertices):
    return {name: {text_of(vertex): {column: text_of(value) for column, value in values.items()} for vertex, values in rows.items()}
            for name, rows in vertices.items()}


class Types(unittest.TestCase):
    tier, sanitized_tier = "medium", "long"
    timeout = 300

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.at = Path(folder.name)

    def compare(self, model, path):
        made = TypedSet(path)
        self.assertEqual(repr(sorted(texts(made.vertices).items())), repr(sorted((name, dict(sorted(rows.items(), key=lambda row: self.key(row[0]))))
                         for name, rows in model.expected_vertices().items())))
        self.assertEqual(counted(made.typed_edges), model.expected_edges())
        return made

    def key(self, vertex):
        return (0, vertex, b"") if isinstance(vertex, int) else (1, 0, vertex.encode())

    def test_there_and_back(self):
        first = chance.seed()
        for seed in range(first, first + 12):
            with self.subTest(seed=seed):
                model = Model(seed)
                model.write(self.at / ("in%d" % seed))
                made, out, again = (self.at / (name + str(seed)) for name in ("set", "out", "again"))
                run("quern-import", "--types", self.at / ("in%d" % seed), "--quotes", "yes", "-qo", made)
                run("quern-verify", "-q", made)
                whole = self.compare(model, made)
                run("quern-export", made, "--format", "neo4j", "--strict", "-qo", out)
                run("quern-import", "--types", out, "--quotes", "yes", "-qo", again)
                self.compare(model, again)
                self.one_by_one(whole, made)

    def test_runs(self):
        """Types are walked where they lie as their graph is that is put together."""
        first = chance.seed()
        for seed in range(first, first + 5):
            model = Model(seed)
            model.write(self.at / ("in%d" % seed))
            run("quern-import", "--types", self.at / ("in%d" % seed), "--quotes", "yes", "-qfo", self.at / "set")
            plain = [kind for kind in model.edges if "," not in "".join(kind)]
            choices = [()] + [("--edge-types", ",".join("-".join(kind) for kind in plain[:count])) for count in (1, 2) if len(plain) >= count]
            choices += [("--vertex-types", kind[0]) for kind in plain if kind[0] == kind[2]][:1]
            for choice in choices:
                if run("quern-transform", self.at / "set", *choice, "-qfo", self.at / "g.qrn", exit=(0, 4)).returncode:
                    continue  # names of properties that are too long with that of their type
                weighted = any(w is not None for *_, w in in_graph_order(read_layout(read(self.at / "g.qrn")).edges))
                for algorithm in ("bfs", "cc", "pagerank", "degree", "indegree", "harmonic", "neural", *["sssp"] * weighted):
                    with self.subTest(seed=seed, choice=choice, algorithm=algorithm):
                        self.walk_both(algorithm, choice)

    def walk_both(self, algorithm, choice):
        found = []
        for at, name in ((self.at / "g.qrn", "graph.tsv"), (self.at / "set", "set.tsv")):
            said = run("quern-run", algorithm, at, "--device=cpu", "--json", "-fo", self.at / name, *(choice if name == "set.tsv" else ()))
            found.append(values(self.at / name))
        self.assertEqual(json.loads(said.stdout)["layout"], "set")
        self.assertEqual(list(found[0]), list(found[1]))
        for vertex, value in found[0].items():
            if value != found[1][vertex]:
                self.assertAlmostEqual(float(found[1][vertex]), float(value), delta=1e-5 * max(1, abs(float(value))))
                self.assertIn(".", value)

    def one_by_one(self, whole, made):
        """Each edge type as a container, whose vertices are those of its types."""
        for (source, name, target), edges in whole.typed_edges.items():
            path = self.at / "one.qrn"
            run("quern-transform", made, "--project", "%s-%s-%s" % (source, name, target), "-qfo", path)
            run("quern-verify", "-q", path)
            graph = read_layout(read(path))
            types = [kind for kind in whole.vertices if kind in (source, target)]  # in the order of the set
            called = [(kind, vertex) for kind in types for vertex in whole.vertices[kind]]
            names = Counter(str(text_of(vertex)) for _, vertex in called)
            twins = len(types) > 1 and max(names.values()) > 1
            shown = ["%s:%s" % (kind, text_of(vertex)) if twins else str(text_of(vertex)) for kind, vertex in called]
            self.assertEqual([str(text_of(vertex)) for vertex in graph.ids], shown)
            place = {vertex: number for number, vertex in enumerate(called)}
            self.assertEqual([(u, v, w) for u, v, w in in_graph_order(graph.edges)],
                             [(place[source, u], place[target, v], w) for u, v, w, _ in edges])
