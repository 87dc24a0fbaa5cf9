"""Properties go with their vertices and edges, whatever is made of a graph: into every layout and back, through archives, and
through transformations. Containers come from a writer, and are read by a reader, that know the specification alone."""

import datetime
import math
import random
import re
import struct
import tempfile
import unittest
from collections import Counter
from pathlib import Path

from conformance.container_reader import read
from conformance.layout_readers import read_layout
from conformance.properties_reader import in_graph_order
from golden.container_writer import graph, with_properties
from harness import chance
from harness.tools import run
from oracle.graphs import LAYOUTS

HOSTILE = ["", " ", "a,b", '"', "\n", "\t\r\n", "null", "0", "é", "漢字", "\U0001f600", "\x01\x7f\x85", "x" * 1000, "</node>"]
NAMES = ["name", "id", "source", "weight", 'quo"te', "a,b", "ü", "'; --", " ", "n" * 255]


DECIMALS = {"s": 0, "ms": 3, "us": 6, "ns": 9}
TIMES = ["timestamp_" + unit + utc for unit in DECIMALS for utc in ("", "_utc")]
NUMBERS = ("u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64")
REALS = {"f16": (1 / 3, 65504.0, 2.0**-24), "bf16": (3.140625, 2.0**-133, 2.0**120), "f32": (0.5, 2.0**-149, 2.0**100),
         "f64": (0.1, 5e-324, 1e300)}


def number(rng, kind):
    if kind in REALS:
        value = rng.choice((*REALS[kind], -0.0, 1.0, math.inf, -math.inf, math.nan))
        return struct.unpack("<e", struct.pack("<e", value))[0] if kind == "f16" else value
    bits = int(kind[1:])
    low, high = (0, 2**bits - 1) if kind[0] == "u" else (-2**(bits - 1), 2**(bits - 1) - 1)
    return rng.choice((low, high, 1, rng.randint(low, high)))


def seconds(rng, decimals):
    return rng.randrange(-10**9, 10**9) * 10**decimals + rng.randrange(10**decimals)


def some_value(rng, kind):
    if "x" in kind:
        kind, _, d = kind.partition("x")
        return tuple(number(rng, kind) for _ in range(int(d)))
    if kind in NUMBERS:
        return number(rng, kind)
    if kind in TIMES:
        return rng.choice((0, -1, seconds(rng, DECIMALS[kind.split("_")[1]])))
    return {"bool": lambda: rng.choice((0, 1)), "string": lambda: rng.choice(HOSTILE),
            "date": lambda: rng.choice((0, -1, rng.randrange(-700000, 2900000)))}[kind]()


def value(rng, kind):
    return None if rng.random() < 0.2 else some_value(rng, kind)


def some_kinds(rng):
    """Of each sort some."""
    vectors = ["%sx%d" % (rng.choice(NUMBERS), rng.choice((1, 2, 3, 17))) for _ in range(3)]
    kinds = [*NUMBERS, "bool", "string", "string", "date", rng.choice(TIMES), rng.choice(TIMES), *vectors, *vectors]
    return rng.sample(kinds, rng.randrange(1, 8))


def zero(kind):
    return "" if kind == "string" else (0,) * int(kind.partition("x")[2]) if "x" in kind else 0


def text_of(kind, value):
    """A value as it stands in tables."""
    if value is None:
        return None
    if kind == "date":
        return str(datetime.date(1970, 1, 1) + datetime.timedelta(value))
    if kind not in TIMES:
        return ";".join(map(str, value)) if isinstance(value, tuple) else str(value)
    decimals = DECIMALS[kind.split("_")[1]]
    whole, fraction = divmod(value, 10**decimals)
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=whole)
    return moment.isoformat() + (".%0*d" % (decimals, fraction) if decimals else "") + ("Z" if kind.endswith("_utc") else "")


TAKEN = ("id", "source", "weight")


def columns(rng, count, names):
    kinds = some_kinds(rng)
    made = []
    for name, kind in zip(rng.sample(names, len(kinds)), kinds):
        values = [value(rng, kind) for _ in range(count)]
        if rng.random() < 0.4:
            values = [zero(kind) if v is None else v for v in values]
        made.append((name, kind, values))
    return made


class Sample:
    """A random graph with properties, as a container; `edges` in graph order."""

    def __init__(self, rng, path, undirected, names):
        self.path, self.undirected, self.names = path, undirected, names
        self.num_vertices = rng.choice((1, 2, 9, 40))
        vertices = range(self.num_vertices)
        given = [(rng.choice(vertices), rng.choice(vertices)) for _ in range(rng.choice((0, 1, 30, 200)))]
        given += rng.choices(given, k=len(given) // 3)
        weights = rng.choice((None, "u32"))
        edge_columns = columns(rng, len(given), names)
        both = [(at, to, number) for number, (at, to) in enumerate(given)]
        if undirected:
            both += [(to, at, number) for at, to, number in both if at != to]
        stored = sorted(both)
        self.edges = [(at, to, number % 5 if weights else None) for at, to, number in stored]
        ids = {"dense": None, "numbers": sorted(rng.sample(range(10**6), self.num_vertices)),
               "names": sorted(b"n%d" % v for v in vertices)}[rng.choice(("dense", "numbers", "names"))]
        self.container = self.write(rng, ids, weights, [(name, kind, [values[number] for _, _, number in stored])
                                                        for name, kind, values in edge_columns])

    def write(self, rng, ids, weights, edge_columns):
        container = graph([(at, to, place) for place, (at, to, _) in enumerate(self.edges)], self.num_vertices,
                          undirected=self.undirected, ids=ids)
        if weights:  # in the order of the edges, which graph() would sort them by
            from golden.container_writer import numbers
            container.sections.insert(2, numbers("weights", 4, [weight for _, _, weight in self.edges]))
            container.weight_type = 1
        with_properties(container, columns(rng, self.num_vertices, self.names), edge_columns)
        self.path.write_bytes(container.bytes())
        return Content(self.path)


class Content:
    """What a container holds by ids: `vertices` {id: values}, `edges` [(source, destination, weight, values)] in graph order."""

    def __init__(self, path):
        layout = read_layout(read(path))
        found = layout.properties
        self.names = [(kind, name, found.types[kind, name]) for kind, name in found.types]
        self.vertices = {name: self.row(found.vertices, v) for v, name in enumerate(layout.ids)}
        self.edges = [(layout.ids[at], layout.ids[to], weight, self.row(found.edges, e))
                      for e, (at, to, weight) in enumerate(in_graph_order(layout.edges))]

        self.raw = {"vertices": found.vertices, "edges": found.edges}

    @staticmethod
    def row(table, place):
        return tuple(repr(values[place]) for values in table.values())


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.rng = random.Random(chance.seed())

    def sample(self, undirected, plain_names=False):
        """`plain_names`: no property is called as ends and weights are."""
        return Sample(self.rng, self.folder / "sample.qrn", undirected, [n for n in NAMES if n not in TAKEN] if plain_names else NAMES)

    def assert_same(self, path, vertices, edges, names):
        found = Content(path)
        self.assertEqual(found.names, names)
        self.assertEqual(found.vertices, vertices)
        self.assertEqual(Counter(found.edges), Counter(edges))


class Layouts(InFolder):
    def test_there_and_back(self):
        for number in range(4):
            sample = self.sample(number % 2 == 1)
            held = sample.container
            run("quern-verify", "-q", sample.path)
            for layout, command in LAYOUTS.items():
                made, back = self.folder / (layout + ".qrn"), self.folder / "back.qrn"
                run(command[0], sample.path, "-qfo", made, *command[1:])
                with self.subTest(layout=layout, number=number):
                    run("quern-verify", "-q", made)
                    found = Content(made)
                    self.assertEqual((found.names, found.vertices, found.edges), (held.names, held.vertices, held.edges))
                    run("quern-transform", made, "--in-edges", "no", "-qfo", back)
                    run("quern-verify", "-q", back)
                    found = Content(back)
                    self.assertEqual((found.names, found.vertices, found.edges), (held.names, held.vertices, held.edges))

    def test_sets(self):
        for undirected in False, True:
            sample = self.sample(undirected)
            parts, back = self.folder / "parts", self.folder / "back.qrn"
            run("quern-transform", sample.path, "--parts", "3", "-qfo", parts)
            run("quern-verify", "-q", parts)
            run("quern-transform", parts, "--in-edges", "no", "-qfo", back)
            found, held = Content(back), sample.container
            self.assertEqual((found.names, found.vertices, found.edges), (held.names, held.vertices, held.edges))

    def test_archives_and_bundles(self):
        sample = self.sample(True)
        archive, back = self.folder / "g.qrnz", self.folder / "back.qrn"
        run("quern-archive", "create", sample.path, "-qfo", archive)
        self.assertIn("property", run("quern-info", archive).stdout)
        run("quern-archive", "extract", archive, "-qfo", back)
        self.assertEqual(back.read_bytes(), sample.path.read_bytes())
        other = self.folder / "other.qrn"
        other.write_bytes(sample.path.read_bytes())
        run("quern-archive", "create", sample.path, other, "-qfo", self.folder / "b.tar")
        run("quern-transform", str(self.folder / "b.tar") + ":sample.qrn", "--in-edges", "no", "-qfo", back)
        self.assertEqual(Content(back).edges, sample.container.edges)

    def test_without_vertices_and_edges(self):
        empty = with_properties(graph([], 0), [("a", "string", []), ("b", "u32", [])], [("c", "f64", [])])
        path, made = self.folder / "empty.qrn", self.folder / "made.qrn"
        path.write_bytes(empty.bytes())
        run("quern-verify", "-q", path)
        for command in LAYOUTS.values():
            run(command[0], path, "-qfo", made, *command[1:])
            run("quern-verify", "-q", made)
            self.assertEqual(len(Content(made).names), 3)
        run("quern-transform", path, "--symmetrize", "--relabel", "random", "-qfo", made)
        self.assertEqual(len(Content(made).names), 3)


class Transformations(InFolder):
    def transformed(self, sample, *options):
        path = self.folder / "out.qrn"
        for memory in ((), ("--memory", "64M")):
            run("quern-transform", sample.path, "-qfo", path, *options, *memory)
            run("quern-verify", "-q", path)
            yield path

    def test_renumbering(self):
        for undirected in (False, True):
            sample = self.sample(undirected)
            for how in ("degree", "random", "rcm"):
                for path in self.transformed(sample, "--relabel", how):
                    held = sample.container
                    self.assert_same(path, held.vertices, held.edges, held.names)

    def test_transpose(self):
        sample = self.sample(False)
        turned = [(to, at, weight, values) for at, to, weight, values in sample.container.edges]
        for path in self.transformed(sample, "--transpose", "--in-edges", "also"):
            self.assert_same(path, sample.container.vertices, turned, sample.container.names)

    def test_symmetrize(self):
        sample = self.sample(False)
        held = sample.container
        both = held.edges + [(to, at, weight, values) for at, to, weight, values in held.edges if at != to]
        for path in self.transformed(sample, "--symmetrize"):
            self.assert_same(path, held.vertices, both, held.names)

    def test_the_first_of_duplicates_stays(self):
        for undirected in (False, True):
            sample = self.sample(undirected)
            first = {}
            for edge in sample.container.edges:
                if edge[0] != edge[1]:
                    first.setdefault(edge[:2], edge)
            for path in self.transformed(sample, "--remove-duplicates", "--remove-self-loops"):
                self.assert_same(path, sample.container.vertices, first.values(), sample.container.names)

    def test_clean_and_undirected(self):
        """The first of the edges between two vertices stays, whichever way it goes."""
        sample = self.sample(False)
        first = {}
        for at, to, weight, values in sample.container.edges:
            first.setdefault(frozenset((at, to)), (at, to, weight, values))
        both = [edge for at, to, *rest in first.values() for edge in {(at, to, *rest), (to, at, *rest)}]
        for path in self.transformed(sample, "--symmetrize", "--remove-duplicates", "--relabel", "degree"):
            self.assert_same(path, sample.container.vertices, both, sample.container.names)

    def test_parts(self):
        for undirected in (False, True):
            sample = self.sample(undirected)
            held = sample.container
            kept = self.rng.sample(list(held.vertices), (len(held.vertices) + 1) // 2)
            listed = self.folder / "ids.txt"
            listed.write_text("".join("%s\n" % (name.decode() if isinstance(name, bytes) else name) for name in kept))
            edges = [edge for edge in held.edges if edge[0] in kept and edge[1] in kept]
            for path in self.transformed(sample, "--induced", listed, "--relabel", "random"):
                self.assert_same(path, {name: held.vertices[name] for name in kept}, edges, held.names)

    def test_random_weights_came_from_nothing(self):
        sample = self.sample(False)
        container = with_properties(graph([(0, 0, 1)], 1, "u32"), [], [("w", "u32", [1])], weight="w")
        sample.path.write_bytes(container.bytes())
        for options, weight in (((), "w"), (("--random-weights", "1,9,7"), None)):
            for path in self.transformed(sample, "--remove-self-loops", *options):
                self.assertEqual(read_layout(read(path)).properties.weight, weight)

    def test_a_list_that_is_gone_is_refused(self):
        sample = self.sample(False)
        run("quern-transform", sample.path, "--induced", "/dev/stdin", "-qo", self.folder / "part.qrn", exit=(2, 3, 5), input="0\n")
        self.assertFalse((self.folder / "part.qrn").exists())


class Tables(InFolder):
    """Neo4j's files say of what type columns are, so everything comes back but narrow numbers and u64, as its integers and reals
    or as text, and times, which its readers take for text. They name a kind for each row, which is a property then."""

    KINDS = {"vertices": "Vertex", "edges": "EDGE"}

    def read_back(self, sample, *more):
        folder, back = self.folder / "neo4j", self.folder / "back.qrn"
        run("quern-export", sample.path, "--format", "neo4j", "-fqo", folder)
        undirected = ("--undirected",) if sample.undirected else ()
        weights = () if sample.edges and sample.edges[0][2] is not None else ("--weights", "none")
        run("quern-import", folder / "relationships.csv", "--vertices", folder / "nodes.csv", "--properties", "all", "-fqo", back,
            *undirected, *weights, *more)
        run("quern-verify", "-q", back)
        return Content(back)

    @staticmethod
    def becomes(kind, values):
        """What a column comes back as: of vectors that are all null nobody says how long they are."""
        word, _, d = kind.partition("x")
        flat = [number for value in values if value is not None for number in (value if d else [value])]
        if word in TIMES or (word == "u64" and any(number >= 2**63 for number in flat)):
            return "string"
        word = {"f": "f32", "b": "f32", "u": "i64", "i": "i64"}.get(word[0], word) if word not in ("bool", "f64") else word
        return word + ("x" + d if flat else "x1") if d else word

    def expected(self, held):
        names, texts = [], set()
        places = Counter()
        for kind, name, type_ in held.names:
            back = self.becomes(type_, held.raw[kind][name]) if type_ not in ("string", "date") else type_
            names.append((kind, name, back))
            if back == "string" and type_ != "string":
                texts.add((kind, places[kind], type_))
            places[kind] += 1
        vertices = sum(kind == "vertices" for kind, *_ in names)
        names[vertices:vertices] = [("vertices", "LABEL", "string")]
        names.append(("edges", "TYPE", "string"))
        types = {(kind, place): type_ for kind, place, type_ in texts}

        def row(kind, values):
            known = [repr(text_of(types[kind, place], eval(value))) if (kind, place) in types else value
                     for place, value in enumerate(values)]
            return (*known, repr(self.KINDS[kind]))
        return (names, {name: row("vertices", values) for name, values in held.vertices.items()},
                Counter((*edge[:3], row("edges", edge[3])) for edge in held.edges))

    def test_they_come_back(self):
        for number in range(8):
            sample = self.sample(number % 2 == 1, plain_names=True)
            if not sample.edges:
                continue
            for more in ((), ("--memory", "64M")):
                found = self.read_back(sample, *more)
                with self.subTest(number=number, more=more):
                    names, vertices, edges = self.expected(sample.container)
                    self.assertEqual((found.names, found.vertices, Counter(found.edges)), (names, vertices, edges))


class Elements(InFolder):
    """Formats that list vertices and edges with all that they have, and what Quern says of it: everything comes back, with its
    types. XML has no place for control characters."""

    def expected(self, held, name):
        xml = name in ("graphml", "gexf")

        def row(values):
            return tuple(re.sub(r"\\x01|\ufffe", "\ufffd", value) for value in values) if xml else values
        return (held.names, {vertex: row(values) for vertex, values in held.vertices.items()},
                Counter((*edge[:3], row(edge[3])) for edge in held.edges))

    def read_back(self, path, *options):
        back = self.folder / "back.qrn"
        run("quern-import", path, "--properties", "all", "-fqo", back, *options)
        run("quern-verify", "-q", back)
        return Content(back)

    def test_they_come_back(self):
        for number in range(4):
            sample = self.sample(number % 2 == 1)
            for name in ("graphml", "gexf", "gml", "json"):
                path = self.folder / ("out." + name)
                run("quern-export", sample.path, "--format", name, "-fqo", path)
                found = self.read_back(path)
                with self.subTest(number=number, format=name):
                    names, vertices, edges = self.expected(sample.container, name)
                    self.assertEqual((found.names, found.vertices, Counter(found.edges)), (names, vertices, edges))
                if number == 3:
                    first = (self.folder / "back.qrn").read_bytes()
                    self.read_back(path, "--memory", "64M")
                    self.assertEqual((self.folder / "back.qrn").read_bytes(), first)

    def test_some_are_chosen(self):
        sample = self.sample(False)
        columns = [(kind, name) for kind, name, _ in sample.container.names if "," not in name]
        if not columns:
            return
        path = self.folder / "out.json"
        run("quern-export", sample.path, "--format", "json", "-fqo", path)
        wanted = self.rng.choice(columns)[1]
        run("quern-import", path, "--properties", wanted, "-fqo", self.folder / "back.qrn")
        self.assertEqual([name[1] for name in Content(self.folder / "back.qrn").names],
                         [name for _, name in columns if name == wanted])

    def test_weights_of_vertices(self):
        """METIS has them, and sizes, of any number from none on."""
        for count in (0, 1, 3):
            for sizes in (False, True):
                names = (["size"] if sizes else []) + (["weight"] if count == 1 else ["weight%d" % (i + 1) for i in range(count)])
                rng, vertices = self.rng, self.rng.choice((1, 7, 60))
                pairs = {tuple(sorted(rng.sample(range(vertices), 2))) for _ in range(vertices - 1)}
                both = sorted(pairs | {(to, at) for at, to in pairs})
                table = [(name, rng.choice(("u32", "u64", "i64")), [rng.randrange(2**31) for _ in range(vertices)]) for name in names]
                container = with_properties(graph([(at, to, place) for place, (at, to) in enumerate(both)], vertices, undirected=True,
                                                  ids=list(range(1, vertices + 1))), table, [])
                path, out = self.folder / "m.qrn", self.folder / "m.graph"
                path.write_bytes(container.bytes())
                run("quern-export", path, "--format", "metis", "--strict", "-fqo", out)
                with self.subTest(count=count, sizes=sizes):
                    found = self.read_back(out, "--format", "metis")
                    self.assertEqual([name[1] for name in found.names], names)
                    self.assertEqual((found.vertices, found.edges), (Content(path).vertices, Content(path).edges))


class Losses(InFolder):
    def test_what_is_lost_is_said(self):
        sample = self.sample(False)
        out = self.folder / "out.txt"
        self.assertIn("properties", run("quern-export", sample.path, "-fo", out).stderr)
        refused = run("quern-export", sample.path, "--strict", "-qfo", out, exit=4)
        self.assertRegex(refused.stderr, "properties|not in the output")
        self.assertIn("properties", run("quern-import", sample.path, "-fo", self.folder / "again.qrn").stderr)
