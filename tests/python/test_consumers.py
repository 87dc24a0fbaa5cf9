"""Graphs to and from other libraries, each by its own view of what it was given."""

import importlib
import tempfile
import tracemalloc
import unittest
import warnings
from pathlib import Path

from harness.package import needs, quern
from harness.tools import run

try:
    import numpy as np
except ImportError:
    np = None

SOURCE, TARGET, WEIGHT = [0, 0, 1, 3, 3], [1, 3, 2, 3, 0], [5, 1, 4, 2, 9]
EDGES = sorted(zip(SOURCE, TARGET, WEIGHT))


def module(name):
    return importlib.import_module(name)


class _Graphs(unittest.TestCase):
    """Directed with weights, a loop and an isolated vertex; undirected; with parallel edges; with names; of nothing."""

    def setUp(self):
        self.graph = quern.from_arrays(SOURCE, TARGET, WEIGHT, num_vertices=5)
        self.undirected = quern.from_arrays([0, 1, 1], [1, 2, 1], [1.5, 2.5, 3.5], num_vertices=4, directed=False)
        self.parallel = quern.from_arrays([0, 0, 1], [1, 1, 0])
        self.named = quern.from_arrays(["a", "b", "ü"], ["b", "ü", "a"], [1, 2, 3])
        self.nothing = quern.from_arrays([], [])

    def same(self, graph, other):
        self.assertEqual((graph.directed, graph.ids.tolist()), (other.directed, other.ids.tolist()))
        self.assertEqual(graph.row_offsets.tolist(), other.row_offsets.tolist())
        self.assertEqual(graph.column_indices.tolist(), other.column_indices.tolist())
        self.assertEqual(*(None if one.weights is None else one.weights.tolist() for one in (graph, other)))


@needs("scipy.sparse")
class Scipy(_Graphs):
    def test_to(self):
        matrix = self.graph.to_scipy()
        self.assertEqual(matrix.shape, (5, 5))
        self.assertEqual(sorted(zip(*(part.tolist() for part in (*matrix.nonzero(), matrix.data)))), EDGES)
        self.assertEqual(matrix.data.ctypes.data, self.graph.weights.ctypes.data)
        self.assertEqual(matrix.indices.ctypes.data, self.graph.column_indices.ctypes.data)
        self.assertEqual((matrix @ np.ones(5)).tolist(), [6, 4, 0, 11, 0])
        self.assertEqual(self.parallel.to_scipy("i8").toarray().tolist(), [[0, 2], [1, 0]])
        self.assertEqual(self.nothing.to_scipy().shape, (0, 0))
        csgraph = module("scipy.sparse.csgraph")
        self.assertEqual(csgraph.dijkstra(self.graph.to_scipy("f8"), indices=0).tolist(), [0, 5, 9, 1, np.inf])

    def test_from(self):
        for graph in self.graph, self.undirected, self.nothing:
            self.same(quern.from_scipy(graph.to_scipy(), directed=graph.directed), graph)
        sparse = module("scipy.sparse")
        stored_zero = sparse.coo_array(([0, 7], ([0, 1], [1, 0])), shape=(2, 2))
        self.assertEqual(quern.from_scipy(stored_zero).weights.tolist(), [0, 7])
        for offsets, columns in (([0, 9, 2], [0, 1]), ([0, 1, 2], [0, 7]), ([0, 2, 1], [0, 1])):
            damaged = sparse.csr_array(np.eye(2))
            damaged.indptr[:], damaged.indices[:] = offsets, columns
            with self.subTest(offsets), self.assertRaisesRegex(quern.InvalidError, "the matrix is damaged: "):
                quern.from_scipy(damaged)
        self.assertIsNone(quern.from_scipy(stored_zero, weights=False).weights)
        with self.assertRaises(quern.UsageError):
            quern.from_scipy(sparse.coo_array((2, 3)))
        with self.assertRaises(quern.UsageError):
            quern.from_scipy(np.eye(2))
        with self.assertRaises(quern.InvalidError):
            quern.from_scipy(self.graph.to_scipy(), directed=False)


@needs("networkx")
class Networkx(_Graphs):
    def test_to(self):
        networkx = module("networkx")
        graph = self.graph.to_networkx()
        self.assertIs(type(graph), networkx.DiGraph)
        self.assertEqual(sorted(graph.edges(data="weight")), EDGES)
        self.assertEqual(sorted(graph), [0, 1, 2, 3, 4])
        self.assertEqual(sorted(self.undirected.to_networkx().edges(data="weight")), [(0, 1, 1.5), (1, 1, 3.5), (1, 2, 2.5)])
        self.assertIs(type(self.parallel.to_networkx()), networkx.MultiDiGraph)
        self.assertEqual(sorted(self.named.to_networkx().edges), [("a", "b"), ("b", "ü"), ("ü", "a")])
        self.assertEqual(sorted(self.named.to_networkx(ids=False).edges), [(0, 1), (1, 2), (2, 0)])
        self.assertEqual(len(self.nothing.to_networkx()), 0)

    def test_from(self):
        for graph in self.graph, self.undirected, self.parallel, self.named, self.nothing:
            self.same(quern.from_networkx(graph.to_networkx()), graph)
        networkx = module("networkx")
        far = networkx.path_graph([30, 10, 20])
        self.assertEqual(quern.from_networkx(far).ids.tolist(), [10, 20, 30])
        self.assertEqual(quern.from_networkx(far).edges(ids=True).num_rows, 2)
        mixed = networkx.DiGraph([(0, 1), ("a", 1)])
        with self.assertRaises(quern.UsageError):
            quern.from_networkx(mixed)
        partly = networkx.DiGraph([(0, 1, {"weight": 2}), (1, 0)])
        with self.assertRaises(quern.UsageError):
            quern.from_networkx(partly)
        self.assertIsNone(quern.from_networkx(partly, weight=None).weights)


@needs("igraph")
class Igraph(_Graphs):
    def test_both_ways(self):
        graph = self.graph.to_igraph()
        self.assertEqual(sorted((*edge.tuple, int(edge["weight"])) for edge in graph.es), EDGES)
        self.assertEqual(graph.vcount(), 5)
        self.assertEqual(self.named.to_igraph().vs["name"], ["a", "b", "ü"])
        self.assertFalse(self.undirected.to_igraph().is_directed())
        for other in self.graph, self.undirected, self.parallel, self.named, self.nothing:
            self.same(quern.from_igraph(other.to_igraph()), other)


class _Tables(_Graphs):
    def rows(self, graph, **how):
        raise NotImplementedError

    def back(self, graph):
        raise NotImplementedError

    def both_ways(self):
        self.assertEqual(sorted(self.rows(self.graph)), EDGES)
        self.assertEqual(sorted(self.rows(self.undirected)), [(0, 1, 1.5), (1, 1, 3.5), (1, 2, 2.5)])
        self.assertEqual(len(self.rows(self.undirected, both_directions=True)), 5)
        self.assertEqual(sorted(self.rows(self.named, ids=True)), [("a", "b", 1), ("b", "ü", 2), ("ü", "a", 3)])
        self.assertEqual(self.rows(self.nothing), [])
        for graph in self.graph, self.undirected, self.parallel:
            self.same(quern.from_arrow(self.back(graph.edges()), directed=graph.directed, vertices=graph.num_vertices), graph)
        self.same(quern.from_arrow(self.back(self.named.edges(ids=True)), ids="strings"), self.named)
        large = quern.from_arrays(np.arange(600000) % 1000, np.arange(600000) % 997, num_vertices=1000)
        self.same(quern.from_arrow(self.back(large.edges()), vertices=1000), large)
        self.same(quern.from_arrow(large, vertices=1000), large)  # of a graph itself


@needs("pyarrow")
class Pyarrow(_Tables):
    def rows(self, graph, **how):
        table = graph.edges(**how).to_arrow()
        table.validate(full=True)
        return [tuple(row.values()) for row in table.to_pylist()]

    def back(self, table):
        return module("pyarrow").RecordBatchReader.from_stream(table)

    def test_both_ways(self):
        self.both_ways()

    def test_types_and_columns(self):
        pyarrow = module("pyarrow")
        for ids in "uint8", "int16", "uint32", "int64", "uint64":
            for weights in "int8", "uint32", "int64", "float32", "float64":
                table = pyarrow.table({"w": pyarrow.array(WEIGHT, weights), "x": ["a"] * 5, "d": pyarrow.array(TARGET, ids),
                                       "s": pyarrow.array(SOURCE, ids)})
                graph = quern.from_arrow(table, ["s", "d", "w"], vertices=5)
                self.same(graph, self.graph)
        self.assertIsNone(quern.from_arrow(table, "s,d").weights)
        self.same(quern.from_arrow(table, [4, 3, 1], vertices=5), self.graph)
        for kind in "string", "large_string", "string_view":
            names = pyarrow.table({"source": pyarrow.array(["a", "b"], kind), "target": pyarrow.array(["b", "c"], kind)})
            self.assertEqual(quern.from_arrow(names, ids="strings").ids.tolist(), ["a", "b", "c"])
        encoded = pyarrow.table({"source": pyarrow.array(["a", "b"]).dictionary_encode(), "target": ["b", "c"]})
        self.assertEqual(quern.from_arrow(encoded, ids="strings").ids.tolist(), ["a", "b", "c"])

    def test_what_is_refused(self):
        pyarrow = module("pyarrow")
        null = pyarrow.table({"source": [0, None], "target": [1, 2]})
        with self.assertRaisesRegex(quern.InvalidError, "source"):
            quern.from_arrow(null)
        for table, kind in (({"source": [0, -1], "target": [1, 2]}, quern.InvalidError),
                            ({"source": [0.5], "target": [1.5]}, quern.QuernError), ({"source": [0]}, quern.QuernError),
                            ({"source": [0], "target": ["a"]}, quern.QuernError)):
            with self.subTest(table=table), self.assertRaises(kind):
                quern.from_arrow(pyarrow.table(table))
        with self.assertRaises(quern.UsageError):
            quern.from_arrow(pyarrow.table({"source": [0], "target": [1]}), ["a", "b"])
        with self.assertRaises(quern.UsageError):
            quern.from_arrow([1, 2])

    def test_a_reader_that_fails(self):
        pyarrow = module("pyarrow")
        schema = pyarrow.schema([("source", "int64"), ("target", "int64")])

        def batches():
            yield pyarrow.record_batch([[0], [1]], schema=schema)
            raise OSError("the source has dried up")

        with self.assertRaisesRegex(quern.QuernError, "dried up"):
            quern.from_arrow(pyarrow.RecordBatchReader.from_batches(schema, batches()))

    def test_a_consumer_that_stops(self):
        """Streams that are read in part, or not at all, are given back."""
        import gc
        pyarrow, graph = module("pyarrow"), quern.from_arrays(np.arange(600000), np.arange(600000))
        batch = next(iter(pyarrow.RecordBatchReader.from_stream(graph)))
        capsule = graph.__arrow_c_stream__()
        del graph, capsule
        gc.collect()
        self.assertEqual(batch.column(1)[100].as_py(), 100)

    def test_vertices_and_results(self):
        result = self.named.run("bfs", source="a")
        table = self.named.vertices(distance=result.values).to_arrow()
        self.assertEqual(table.to_pydict(), {"id": ["a", "b", "ü"], "out_degree": [1, 1, 1], "distance": [0, 1, 2]})
        self.assertEqual(result.to_arrow().column_names[0], "id")
        with self.assertRaises(ValueError):
            self.named.vertices(short=np.zeros(2))


@needs("polars")
class Polars(_Tables):
    def rows(self, graph, **how):
        return module("polars").DataFrame(graph.edges(**how)).rows()

    def back(self, table):
        return module("polars").DataFrame(table)

    def test_both_ways(self):
        self.both_ways()


@needs("duckdb")
class DuckDb(_Tables):
    def rows(self, graph, **how):
        edges = graph.edges(**how)  # noqa: F841: the query names it
        return module("duckdb").sql("select * from edges").fetchall()

    def back(self, edges):
        return module("duckdb").sql("select * from edges")

    def test_both_ways(self):
        self.both_ways()


@needs("pandas", "pyarrow")
class Pandas(_Tables):
    def setUp(self):
        super().setUp()
        if not hasattr(module("pandas").DataFrame, "__arrow_c_stream__"):
            self.skipTest("pandas before 2.2")

    def rows(self, graph, **how):
        return list(graph.edges(**how).to_pandas().itertuples(index=False, name=None))

    def back(self, table):
        return table.to_pandas()

    def test_both_ways(self):
        self.both_ways()

    def test_results(self):
        frame = self.named.run("bfs", source="a").to_pandas()
        self.assertEqual(frame.index.tolist(), ["a", "b", "ü"])
        self.assertEqual(frame.iloc[:, 0].tolist(), [0, 1, 2])


class _Everything(_Graphs):
    """Graphs, results, tables and sets are tables wherever the Arrow PyCapsule interface is: (what it is, its columns)."""

    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.named.save(Path(folder.name) / "g.qrn")
        run("quern-transform", Path(folder.name) / "g.qrn", "--parts", "2", "-q", "-o", Path(folder.name) / "set")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", quern.QuernWarning)  # it is put together in temporary disk space
            parts = quern.open(Path(folder.name) / "set")
        hops = self.named.bfs("a")
        edges = {"source": ["a", "b", "ü"], "target": ["b", "ü", "a"], "weight": [1, 2, 3]}
        self.tables = {
            "graph": (self.named, edges), "set": (parts, edges),
            "edges": (self.named.edges("b"), {"source": ["b"], "target": ["ü"], "weight": [2]}),
            "vertices": (self.named.vertices(hops=hops), {"id": ["a", "b", "ü"], "out_degree": [1, 1, 1], "hops": [0, 1, 2]}),
            "dense": (self.parallel.vertices(), {"id": [0, 1], "out_degree": [2, 1]}),
            "result": (hops, {"id": ["a", "b", "ü"], "bfs": [0, 1, 2]}),
            "path": (self.named.shortest_path("ü", "b"), {"id": ["ü", "a", "b"], "vertex": [2, 0, 1], "path": [0, 3, 4]}),
            "blocks": (self.named.build("packed"), edges)}

    def check(self, read):
        """By a function that makes a dict of columns of a table."""
        for name, (table, columns) in self.tables.items():
            with self.subTest(name):
                self.assertEqual(read(table), columns)
                self.assertEqual(read(table), columns)  # as often as it is asked for


@needs("pyarrow")
class ByPyarrow(_Everything):
    def test_tables_and_schemas(self):
        pyarrow = module("pyarrow")
        self.check(lambda table: pyarrow.table(table).to_pydict())
        for table, columns in self.tables.values():
            self.assertEqual(pyarrow.schema(table), pyarrow.table(table).schema)
            self.assertEqual(pyarrow.schema(table).names, list(columns))
        self.assertEqual(pyarrow.array(self.tables["result"][0]).to_pylist(), [0, 1, 2])
        self.named.__arrow_c_schema__()  # a capsule that nobody takes the schema out of

    def test_by_batches(self):
        """Reading takes the memory of a batch, not of the table."""
        count = 1 << 22
        graph = quern.from_arrays(np.arange(count, dtype="u4"), np.roll(np.arange(count, dtype="u4"), 1), np.ones(count, "f4"))
        result = graph.cc()
        for table, width in (graph, 12), (graph.vertices(component=result.values), 20), (result, 12):
            reader = module("pyarrow").RecordBatchReader.from_stream(table)
            tracemalloc.start()
            rows = sum(len(batch) for batch in reader)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            self.assertEqual(rows, count)
            self.assertLess(peak, width * count / 4)

    def test_ids_that_are_no_text(self):
        texts = quern._arrow.Text
        long = "ü" * quern._arrow.PIECE  # of two bytes, one of which lies in the next piece
        self.assertEqual(texts.of(["a" + long]).format(), b"U")
        self.assertEqual(texts.of(["a" + long + "\udcff"]).format(), b"Z")
        self.assertEqual(texts.of(["\udcc3"]).format(), b"Z")


@needs("polars")
class ByPolars(_Everything):
    def test_frames(self):
        polars = module("polars")
        self.check(lambda table: polars.DataFrame(table).to_dict(as_series=False))
        self.check(lambda table: polars.from_arrow(table).struct.unnest().to_dict(as_series=False))


@needs("duckdb")
class ByDuckDb(_Everything):
    def test_variables_of_python(self):
        duckdb = module("duckdb")

        def by_name(some_table):
            found = duckdb.sql("select * from some_table")
            return dict(zip(found.columns, map(list, zip(*found.fetchall()))))
        self.check(by_name)
        graph, ranks = self.tables["graph"][0], self.tables["result"][0]  # noqa: F841: the query names them
        found = duckdb.sql("select target, max(bfs) + sum(weight) from graph join ranks on source = id where weight > 1 "
                           "group by target order by all").fetchall()
        self.assertEqual(found, [("a", 5), ("ü", 3)])

    def test_registered(self):
        with module("duckdb").connect() as connection:
            for name, (table, columns) in self.tables.items():
                connection.register(name + "_of_python", table)
                for _ in range(2):
                    self.assertEqual(connection.sql("select count(*) from %s_of_python" % name).fetchall(), [(len(list(columns.values())[0]),)])


@needs("pandas", "pyarrow")
class ByPandas(_Everything):
    def test_frames(self):
        frame = module("pandas").DataFrame
        if not hasattr(frame, "from_arrow"):
            self.skipTest("pandas before 3.0")
        self.check(lambda table: frame.from_arrow(table).to_dict("list"))


@needs()
class EdgeIndex(_Graphs):
    def test_edge_index(self):
        index = self.graph.edge_index()
        self.assertEqual((index.dtype, index.shape, index.flags.c_contiguous), (np.dtype("i8"), (2, 5), True))
        self.assertEqual(sorted(map(tuple, index.T.tolist())), [edge[:2] for edge in EDGES])
        self.same(quern.from_arrays(*index, self.graph.weights, num_vertices=5), self.graph)
        self.assertEqual(self.graph.edge_index("i4").dtype, np.dtype("i4"))
