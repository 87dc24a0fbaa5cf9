"""Sets with types of tables, arrays and GraphAr, and back: nothing is lost, whatever names and values are like."""

import contextlib
import filecmp
import json
import os
import random
import tempfile
import unittest
import warnings
from pathlib import Path

from harness import chance
from harness.package import needs, quern
from harness.tools import run

try:
    import numpy
    import pyarrow
    import pyarrow.feather
    import pyarrow.parquet
    from quern import _types
except ImportError:
    pass

NAMES = ["a", "Ann", "x-y", "50%", "é", "日本", ".dot", "a b", "q'\"", "T:1", "-"]


def files_of(folder):
    return {path.relative_to(folder): path for path in sorted(Path(folder).rglob("*")) if path.is_file()}


class Scratch(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        caught = warnings.catch_warnings()
        self.enterContext(caught) if hasattr(self, "enterContext") else (caught.__enter__(), self.addCleanup(caught.__exit__, None, None, None))
        warnings.simplefilter("ignore")

    def assert_same_sets(self, a, b):
        ours, theirs = files_of(a), files_of(b)
        self.assertEqual(list(ours), list(theirs))
        for name in ours:
            self.assertTrue(filecmp.cmp(ours[name], theirs[name], shallow=False), "%s: %s" % (b, name))


class Random:
    """A graph of some types, as tables, and as lists of what it has."""

    def __init__(self, dice):
        self.vertices, self.edges, self.model = {}, {}, {}
        names = dice.sample(NAMES, dice.randint(1, 4))
        for name in names:
            count = dice.randint(1, 40)
            kind = dice.choice(["rows", "numbers", "texts"])
            ids = {"rows": list(range(count)), "numbers": dice.sample(range(2**40), count),
                   "texts": ["%s %d" % (dice.choice(NAMES), i) for i in range(count)]}[kind]
            columns = {} if kind == "rows" else {"id": ids if kind == "texts" else numpy.array(ids, "u8")}
            if dice.random() < 0.7:
                columns["age"] = numpy.array([dice.randint(-9, 9) for _ in ids], "i8")
            if dice.random() < 0.7:
                columns["a text"] = [dice.choice([None, "", *NAMES]) for _ in ids]
            self.vertices[name] = (columns if columns else count, ids)
        for number in range(dice.randint(1, 4)):
            type = dice.choice(names), dice.choice(NAMES[:3]) + str(number), dice.choice(names)
            count = dice.randint(0, 60)
            ends = [[dice.randrange(len(self.vertices[end][1])) for _ in range(count)] for end in (type[0], type[2])]
            further = {}
            if dice.random() < 0.5:
                further["weight"] = numpy.array([dice.randint(0, 9) for _ in range(count)], "u4")
            if dice.random() < 0.5:
                further["since"] = numpy.array([dice.random() for _ in range(count)], "f8")
            self.edges[type] = ends, further

    def given(self, by_ids, as_arrow):
        vertices = {name: columns for name, (columns, _) in self.vertices.items()}
        edges = {}
        for (source, name, target), (ends, further) in self.edges.items():
            table = {"edge_index": numpy.array(ends, "i8").reshape(2, -1), **further}
            if by_ids:
                called = [[self.vertices[type][1][row] for row in rows] for type, rows in zip((source, target), ends)]
                if not called[0]:
                    called = [numpy.empty(0, "u4")] * 2
                table = {"source": called[0], "target": called[1], **further}
            if by_ids and as_arrow:
                table = pyarrow.table(table)
            edges[source, name, target] = table
        return vertices, edges

    def values(self):
        """What each type of edges has, in any order."""
        return {type: sorted(zip([self.vertices[type[0]][1][row] for row in ends[0]], [self.vertices[type[2]][1][row] for row in ends[1]],
                                 *(column.tolist() for _, column in sorted(further.items()))))
                for type, (ends, further) in self.edges.items()}


def values_of(path):
    types, found = _types.TypedSet(path, verify=True), {}
    names = {name: types.vertices(name).ids.tolist() for name in types.counts}
    for type in types.edge_types:
        graph, begins = types.edges(type), types.begins(type)
        further = {name: graph.edge_properties[name] for name in graph.edge_properties}
        if graph.weights is not None:
            further["weight"] = graph.weights
        found[type] = sorted(zip([names[type[0]][row - begins[0]] for row in graph.sources().tolist()],
                                 [names[type[2]][row - begins[1]] for row in graph.column_indices.tolist()],
                                 *(column.tolist() for _, column in sorted(further.items()))))
    return found


@needs("pyarrow", "yaml")
class RoundTrips(Scratch):
    def test_random_graphs(self):
        first = chance.seed()
        for seed in range(10):
            dice = random.Random(first + seed)
            graph = Random(dice)
            with self.subTest(seed=seed):
                quern.from_types(*graph.given(False, False), "rows", force=True)
                self.assertEqual(values_of("rows"), graph.values())
                for as_arrow in False, True:
                    quern.from_types(*graph.given(True, as_arrow), "ids", force=True)
                    self.assert_same_sets("rows", "ids")
                _types.write_folder("rows", "tables", force=True)
                _types.read_folder("tables", "again", force=True)
                self.assert_same_sets("rows", "again")
                with contextlib.suppress(quern.UsageError):  # of a type that no folder can be called
                    quern.graphar.write_types("rows", "archive", force=True, vertex_chunk_size=17, edge_chunk_size=25)
                    quern.graphar.read_types("archive", "again", force=True)
                    self.assertEqual(values_of("again"), graph.values())

    def test_paths(self):
        """Pairs that paths join, and how many paths, are products of the matrices of their types."""
        for seed in range(12):
            dice = random.Random(chance.seed() + seed)
            graph = Random(dice)
            quern.from_types(*graph.given(False, False), "s", force=True)
            types = _types.TypedSet("s")
            matrices, at = {}, dice.choice(list(graph.edges))[0]
            for type, (ends, _) in graph.edges.items():
                counts = numpy.zeros([types.counts[end] for end in (type[0], type[2])], "i8")
                place = [{id: row for row, id in enumerate(types.vertices(end).ids.tolist())} for end in (type[0], type[2])]
                for source, target in zip(*ends):
                    counts[place[0][graph.vertices[type[0]][1][source]], place[1][graph.vertices[type[2]][1][target]]] += 1
                matrices["-".join(type)] = (type[0], type[2], counts)
                matrices["^" + "-".join(type)] = (type[2], type[0], counts.T)
            steps, first, product = [], at, numpy.eye(types.counts[at], dtype="i8")
            while len(steps) < 2 or dice.random() < 0.5:
                name = dice.choice([name for name, (begin, _, _) in matrices.items() if begin == at])
                steps.append(name)
                product, at = product @ matrices[name][2], matrices[name][1]
            with self.subTest(seed=seed, path="/".join(steps)):
                made = quern.open("s").project("/".join(steps), "p.qrn", force=True)
                made.verify()
                begins = types.begins((first, "", at))
                found = numpy.zeros_like(product)
                found[made.sources() - begins[0], made.column_indices - begins[1]] = made.weights
                self.assertTrue((found == product).all())
                self.assertEqual(made.num_edges, numpy.count_nonzero(product))
                self.assertEqual(made.num_vertices, sum(types.counts[name] for name in {first, at}))

    def test_tools(self):
        dice = random.Random(7)
        quern.from_types(*Random(dice).given(False, False), "s")
        run("quern-verify", "s")
        run("quern-export", "s", "--format", "parquet", "-o", "tables")
        told = json.loads(run("quern-import", "--types", "tables", "-o", "again", "--json").stdout)
        self.assertEqual(told["edges"], quern.open("s").num_edges)
        self.assert_same_sets("s", "again")
        run("quern-export", "s", "--format", "parquet", "-o", "one.parquet")
        self.assertTrue(os.path.isfile("one.parquet"))

    def test_columns_of_types(self):
        """Of Parquet and Arrow, as of the same in CSV."""
        vertices = pyarrow.table({"id": ["a", "b", "c"], "what": ["cat", None, "dog"], "x": [1, 2, 3]})
        edges = pyarrow.table({"source": ["a", "b", "a"], "target": ["b", "a", "c"], "kind": ["knows", "likes", None], "since": [1, 2, 3]})
        for name, table in ("v", vertices), ("e", edges):
            pyarrow.parquet.write_table(table, name + ".parquet")
            pyarrow.feather.write_feather(table, name + ".arrow")
        for end in "parquet", "arrow":
            run("quern-import", "e." + end, "--vertices", "v." + end, "--edge-type-column", "kind", "--vertex-type-column", "what", "-qo", end)
            types = _types.TypedSet(end, verify=True)
            self.assertEqual(types.counts, {"cat": 1, "dog": 1, "vertex": 1})
            self.assertEqual(types.edge_types, [("cat", "edge", "dog"), ("cat", "knows", "vertex"), ("vertex", "likes", "cat")])
            self.assertEqual(types.edges(("vertex", "likes", "cat")).edge_properties["since"].tolist(), [2])
            self.assertEqual(list(types.vertices("dog").vertex_properties["x"]), [3])
        self.assert_same_sets("parquet", "arrow")
        self.assertIn("no column 'since' of texts", run("quern-import", "e.parquet", "--edge-type-column", "since", "-o", "x", exit=3).stderr)
        self.assertFalse(os.path.exists("x"))

    def test_one_type_of_graphar_as_before(self):
        quern.from_types({"P": {"id": ["a", "b"]}, "Q": 2}, {("P", "k", "Q"): ([0, 1], [1, 1]), ("P", "l", "P"): ([1], [0])}, "s")
        run("quern-export", "s", "--format", "graphar", "-o", "g")
        graph = quern.read_graphar("g", "k")
        self.assertEqual(list(graph.ids), ["P:a", "P:b", "Q:0", "Q:1"])
        self.assertEqual(graph.num_edges, 2)


@needs("pyarrow", "yaml")
class Refused(Scratch):
    def test_tables(self):
        two = {"P": {"id": ["a", "b"]}, "Q": 3}
        for edges, error, message in (
                ({("P", "k", "Q"): ([0, 2], [0, 1])}, quern.InvalidError, "leaves vertex 2 of the type P, which has 2"),
                ({("Q", "k", "P"): ([0], [2])}, quern.InvalidError, "leads to vertex 2 of the type P"),
                ({("P", "k", "P"): {"source": ["a"], "target": ["c"]}}, quern.InvalidError, "targets of edges P-k-P: no vertex has the id 'c'"),
                ({("P", "k", "P"): pyarrow.table({"source": ["a", None], "target": ["a", "b"]})}, quern.InvalidError, "source of edges P-k-P: 1 are null"),
                ({("P", "k", "R"): ([0], [0])}, quern.UsageError, "no vertices of the type R"),
                ({"k": ([0], [0])}, quern.UsageError, "called by"),
                ({}, quern.InvalidError, "no edges of any type")):
            with self.subTest(message), self.assertRaisesRegex(error, message):
                quern.from_types(two, edges, "s")
            self.assertFalse(os.path.exists("s"))
        with self.assertRaisesRegex(quern.InvalidError, "no vertices are of the type P"):
            quern.from_types({"P": 0}, {("P", "k", "P"): ([], [])}, "s")
        undirected = quern.from_arrays([0], [1], num_vertices=2, directed=False)
        with self.assertRaisesRegex(quern.InvalidError, "the edges k are undirected"):
            quern.from_types(two, {("P", "k", "Q"): undirected}, "s")
        self.assertEqual(quern.from_types(two, {("P", "k", "P"): undirected}, "s").num_edges, 2)

    def test_types_of_graphar_that_are_called_the_same(self):
        quern.from_types({"a": 1}, {("a", "k", "a"): ([0], [0])}, "s")
        run("quern-export", "s", "--format", "graphar", "-o", "g")
        info = Path("g/g.graph.yml")
        info.write_text(info.read_text().replace("- a_k_a.edge.yml", "- a_k_a.edge.yml\n- a_k_a.edge.yml"))
        self.assertIn("two types are called a_k_a", run("quern-import", "--types", "g", "-o", "t", exit=3).stderr)

    def test_files(self):
        pyarrow.parquet.write_table(pyarrow.table({"id": ["a", "b"], "n": [1, 2]}), "p.parquet")
        pyarrow.parquet.write_table(pyarrow.table({"source": ["a"], "target": ["z"]}), "k.parquet")
        os.mkdir("folder")
        pyarrow.parquet.write_table(pyarrow.table({"id": ["a"]}), "folder/other.parquet")
        vertices, edges = ("--vertex-table", "P=p.parquet"), ("--edge-table", "k:P:P=k.parquet")
        for arguments, code, message in (
                ((*vertices, *edges), 3, r"k\.parquet: targets of edges P-k-P: no vertex has the id 'z'"),
                (edges, 2, r"--vertex-table P=FILE"),
                ((*vertices, "--edge-table", "k=k.parquet"), 2, "says all its types"),
                ((*vertices, *edges, "--undirected", "--memory", "1G", "--columns", "1,2"), 2, "--columns does not go with types"),
                (("--types", "folder"), 2, r"SOURCE-NAME-TARGET\.edges\.parquet"),
                (("--types", "p.parquet"), 2, "takes a folder")):
            done = run("quern-import", *arguments, "-o", "s", exit=code)
            self.assertRegex(done.stderr, message)
            self.assertFalse(os.path.exists("s"))


if __name__ == "__main__":
    unittest.main()
