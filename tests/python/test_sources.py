"""Graphs of whatever there is: files that read() tells apart, frames, queries, lists of edges; and what is refused in them."""

import datetime
import tempfile
import unittest
from importlib import import_module as module
from pathlib import Path

from harness.package import needs, quern
from harness.tools import run

try:
    import numpy as np
except ImportError:
    np = None


def edges_of(graph):
    return sorted((source, target) for block in graph.edge_blocks() for source, target in zip(block[0].tolist(), block[1].tolist()))


@needs()
class Reading(unittest.TestCase):
    sanitized_tier = "long"

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.graph = quern.from_arrays([10, 20, 30], [20, 30, 10])
        self.edges = edges_of(self.graph)

    def test_what_the_library_reads(self):
        (self.folder / "e.csv").write_text("source,target\n10,20\n20,30\n30,10\n")
        (self.folder / "e.txt").write_text("10 20\n20 30\n30 10\n")
        self.graph.export(self.folder / "e.graphml", "graphml")
        for name in "e.csv", "e.txt":
            self.assertEqual(edges_of(quern.read(self.folder / name)), self.edges)
        self.assertEqual(len(quern.read(str(self.folder / "e.graphml"))), 3)
        self.assertEqual(quern.read(self.folder / "e.txt", directed=False).num_edges, 3)

    def test_containers_archives_and_sets_are_opened(self):
        self.graph.save(self.folder / "g.qrn")
        self.graph.save(self.folder / "a.qrn", archive=True)
        run("quern-transform", self.folder / "g.qrn", "--parts", "2", "-q", "-o", self.folder / "set")
        for name in "g.qrn", "a.qrn", "set":
            found = quern.read(self.folder / name)
            self.assertEqual((edges_of(found), found.path), (self.edges, str(self.folder / name)))
        copy = quern.read(self.folder / "g.qrn", path=self.folder / "copy.qrn")
        self.assertEqual((edges_of(copy), copy.path), (self.edges, str(self.folder / "copy.qrn")))
        self.assertEqual(quern.read(self.folder / "g.qrn", directed=False).num_edges, 3)

    def test_delimited_text(self):
        path = self.folder / "e.csv"
        path.write_text("when;to;from\n5;20;10\n6;30;20\n")
        graph = quern.read_csv(path, columns=["from", "to"], delimiter=";", header=True, properties=True)
        self.assertEqual((edges_of(graph), graph.edge_properties["when"].tolist()), ([(10, 20), (20, 30)], [5, 6]))
        self.assertEqual(len(quern.read(path, columns="3,2", delimiter=";").edge_properties), 0)

    def test_what_is_refused(self):
        for wrong, error in ((["nowhere.txt"], OSError), ([], quern.UsageError), ([5], quern.UsageError), ([None], quern.UsageError),
                             (["a\0b"], quern.UsageError), ([self.folder], quern.QuernError)):
            with self.subTest(wrong), self.assertRaises(error):
                quern.read(*wrong)
        self.graph.save(self.folder / "g.qrn")
        with self.assertRaisesRegex(quern.UsageError, "exists; use force=True to replace it"):
            self.graph.save(self.folder / "g.qrn")

    def test_lists_of_edges(self):
        for edges in ([(10, 20), (20, 30), (30, 10)], iter([[10, 20], [20, 30], [30, 10]]), np.array(self.edges), np.array(self.edges, "f8")):
            self.assertEqual(edges_of(quern.from_edges(edges)), self.edges)
        self.assertEqual(quern.from_edges([("a", "b", 2), ("b", "c", 3)]).weights.tolist(), [2, 3])
        self.assertEqual(len(quern.from_edges([])), 0)
        for wrong, text in (([(1, 2), (1, 2, 3)], "edge 1"), (["ab"], "edge 0"), ([5], "edge 0"), ([(1, 2, 3, 4)], "edge 0"),
                            (np.zeros((2, 4)), "two or three columns"), (np.zeros(4), "two or three columns")):
            with self.subTest(text), self.assertRaisesRegex(quern.UsageError, text):
                quern.from_edges(wrong)

    def test_reals_that_are_whole(self):
        self.assertEqual(edges_of(quern.from_arrays(np.array([10.0, 20]), [20.0, 30])), [(10, 20), (20, 30)])
        for wrong, text in (([1.5, 2], r"sources: entry 0 \(from 0\) is 1.5"), ([1, float("nan")], r"entry 1 \(from 0\) is (NaN|null)"),
                            ([2.0, -1.0], "entry 1 .* -1.0|negative"), ([1e300, 2.0], "entry 0"), ([2.0**60, 1.0], "entry 0"),
                            ([float("inf"), 1.0], "entry 0")):
            for values in (wrong, np.array(wrong)):
                with self.subTest(values), self.assertRaisesRegex(quern.InvalidError, text):
                    quern.from_arrays(values, [1, 2])


@needs("pandas")
class Pandas(unittest.TestCase):
    sanitized_tier = "long"

    def frame(self, **columns):
        return module("pandas").DataFrame(columns)

    def test_ids_of_every_kind(self):
        pandas = module("pandas")
        for kind in "i8", "u4", "f8", object, "Int64", "category":
            with self.subTest(kind):
                graph = quern.from_pandas(self.frame(src=pandas.Series([10, 20], dtype=kind), dst=[20, 30]))
                self.assertEqual(edges_of(graph), [(10, 20), (20, 30)])
        for kind in object, "category", "string":
            with self.subTest(kind):
                graph = quern.from_pandas(self.frame(source=pandas.Series(["a", "b"], dtype=kind), target=["b", "c"]))
                self.assertEqual(edges_of(graph), [("a", "b"), ("b", "c")])
        shuffled = self.frame(a=[1, 2], b=[2, 3], w=[0.5, 1.5]).iloc[::-1]
        self.assertEqual(quern.from_pandas(shuffled, ["a", "b", "w"]).weights.tolist(), [0.5, 1.5])
        self.assertEqual(quern.from_pandas(shuffled, ["a", "b"], directed=False).num_edges, 2)
        self.assertEqual(len(quern.from_pandas(self.frame(a=[], b=[]))), 0)
        self.assertEqual(len(quern.from_pandas(self.frame(a=[], b=[]), vertices=5)), 5)

    def test_properties(self):
        pandas = module("pandas")
        edges = self.frame(a=["x", "y"], b=["y", "z"], n=[1, None], text=["p", None], day=pandas.to_datetime(["2020-01-01", None]))
        people = self.frame(id=["x", "y", "z", "lone"], age=[1, 2, 3, 4])
        graph = quern.from_pandas(edges, ["a", "b"], properties=True, vertices=people)
        self.assertEqual((len(graph), graph.vertex_properties["age"][graph.find("lone")]), (4, 4))
        self.assertEqual(graph.edge_properties["text"].tolist(), ["p", None])
        self.assertEqual(graph.edge_properties["day"].astype("M8[D]").astype(object).tolist(), [datetime.date(2020, 1, 1), None])
        self.assertEqual(list(quern.from_pandas(edges, ["a", "b"], properties=["n"]).edge_properties), ["n"])

    def test_what_is_refused(self):
        pandas = module("pandas")
        doubled = self.frame(a=[1], b=[2])
        doubled.columns = ["a", "a"]
        for frame, columns, text in (
                (doubled, None, "2 columns called a"),
                (self.frame(a=[1, "x"], b=[1, 2]), None, r"column a: entry 1 \(from 0\) is 'x', and no number"),
                (self.frame(a=["x", 1], b=["y", "z"]), None, r"column a: entry 1 \(from 0\) is 1, and no text"),
                (self.frame(a=[1, None], b=[1, 2]), None, r"column a: entry 1 \(from 0\) is NaN"),
                (self.frame(a=["x", None], b=["y", "z"]), None, r"column a: entry 1 \(from 0\) is null"),
                (self.frame(a=pandas.Series([1, None], dtype="Int64"), b=[1, 2]), None, r"column a: entry 1 \(from 0\) is null"),
                (self.frame(a=[1, 1.5], b=[1, 2]), None, r"column a: entry 1 \(from 0\) is 1.5"),
                (self.frame(a=[1, -2], b=[1, 2]), None, "negative"),
                (self.frame(a=["x", "y\0z"], b=["y", "z"]), None, r"entry 1 \(from 0\) has a NUL"),
                (self.frame(a=[True, False], b=[1, 2]), None, "not of bool"),
                (self.frame(a=pandas.to_datetime(["2020-01-01"]), b=[1]), None, "not of datetime64"),
                (self.frame(a=[1, 2], b=["x", "y"]), None, "texts on both sides"),
                (self.frame(a=[1]), None, "column"),
                (self.frame(a=[1], b=[2]), ["a", "nothing"], "there is no column nothing"),
                (self.frame(a=[1], b=[2], w=[None]), ["a", "b", "w"], r"column w: entry 0 \(from 0\) is null"),
                (self.frame(a=[1], b=[2], w=["heavy"]), ["a", "b", "w"], "weights are numbers"),
                (module("numpy").zeros((2, 2)), None, "a DataFrame of pandas is expected")):
            with self.subTest(text), self.assertRaisesRegex(quern.QuernError, text):
                quern.from_pandas(frame, columns)
        with self.assertRaisesRegex(quern.UsageError, "there is no column id; there are name"):
            quern.from_pandas(self.frame(a=[1], b=[2]), vertices=self.frame(name=[1]))


@needs("polars", "pyarrow")
class Polars(unittest.TestCase):
    sanitized_tier = "long"

    def test_frames_and_lazy_ones(self):
        polars = module("polars")
        frame = polars.DataFrame({"src": [10.0, 20.0], "dst": [20.0, 30.0], "since": [1, 2]})
        self.assertEqual(edges_of(quern.from_polars(frame)), [(10, 20), (20, 30)])
        graph = quern.from_polars(frame.lazy().filter(polars.col("since") > 1), properties=True,
                                  vertices=polars.DataFrame({"id": [20, 30, 40]}).lazy())
        self.assertEqual((edges_of(graph), len(graph)), ([(20, 30)], 3))
        self.assertEqual(edges_of(quern.read(frame)), [(10, 20), (20, 30)])

    def test_what_is_refused(self):
        polars = module("polars")
        for values, text in (([1.0, 1.5], r"row 1 \(from 0\): a is 1.5"), ([1.0, float("nan")], r"row 1 \(from 0\): a is -?nan"),
                             ([1.0, -3.0], r"row 1 \(from 0\): a is -3"), ([2.0**60, 1.0], r"row 0 .*may have been rounded"),
                             ([1.0, None], r"row 1 \(from 0\): a is null")):
            with self.subTest(values), self.assertRaisesRegex(quern.InvalidError, text):
                quern.from_polars(polars.DataFrame({"a": values, "b": [1, 2]}))

    def test_files(self):
        polars = module("polars")
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            frame = polars.DataFrame({"src": [10, 20], "dst": [20, 30], "since": [1, 2]})
            frame.write_parquet(folder / "e.parquet")
            frame.write_ipc(folder / "e.arrow")
            frame.write_ipc_stream(folder / "e.arrows")
            (folder / "many").mkdir()
            frame.write_parquet(folder / "many/a.parquet")
            for source in "e.parquet", "e.arrow", "e.arrows", "many":
                with self.subTest(source):
                    graph = quern.read(folder / source, properties=True)
                    self.assertEqual((edges_of(graph), graph.edge_properties["since"].tolist()), ([(10, 20), (20, 30)], [1, 2]))
            self.assertEqual(quern.read(folder / "e.parquet", folder / "many/a.parquet", columns=["src", "dst"]).num_edges, 4)


@needs("yaml", "pyarrow")
class GraphAr(unittest.TestCase):
    sanitized_tier = "long"

    def test_a_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            graph = quern.from_arrays([10, 20, 30], [20, 30, 10])
            graph.export(Path(folder) / "archive", "graphar")
            self.assertEqual(edges_of(quern.read(Path(folder) / "archive")), edges_of(graph))


@needs("duckdb", "pyarrow")
class DuckDb(unittest.TestCase):
    sanitized_tier = "long"

    def test_relations_and_queries(self):
        duckdb = module("duckdb")
        query = "select * from (values (10, 20), (20, 30)) as e(src, dst)"
        self.assertEqual(edges_of(quern.from_duckdb(duckdb.sql(query))), [(10, 20), (20, 30)])
        self.assertEqual(edges_of(quern.from_duckdb(query, connection=duckdb.connect())), [(10, 20), (20, 30)])


@needs("networkit")
class Networkit(unittest.TestCase):
    sanitized_tier = "long"

    def test_there_and_back(self):
        for directed in True, False:
            for weights in None, np.array([1.5, 2.5, 3.5], "f4"):
                with self.subTest(directed=directed, weighted=weights is not None):
                    graph = quern.from_arrays([0, 1, 2], [1, 2, 2], weights, directed=directed)
                    other = quern.from_networkit(graph.to_networkit())
                    self.assertEqual((other.directed, edges_of(other)), (directed, edges_of(graph)))
                    if weights is not None:
                        self.assertEqual(other.weights.tolist(), graph.weights.tolist())
