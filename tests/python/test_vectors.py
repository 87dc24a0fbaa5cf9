"""Properties that are vectors, small numbers, dates and timestamps: views, tables, files, and what is refused."""

import datetime
import importlib.util
import os
import sys
import tempfile
import unittest
from pathlib import Path

from harness.package import needs, quern
from harness.tools import run

try:
    import numpy as np
except ImportError:
    np = None
try:
    import pyarrow
    import pyarrow.parquet
except ImportError:
    pyarrow = None

SAMPLE = Path(os.environ["QUERN_SOURCE"]) / "specs/vectors/properties-vectors.qrn"
SMALL = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8")
WORDS = dict(zip(SMALL, ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64")))


class InScratch(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        os.chdir(folder.name)

    def graph(self):
        """0 -> 1, 0 -> 2, 1 -> 2, 3 -> 0"""
        return quern.from_arrays(np.array([0, 0, 1, 3], "u4"), np.array([1, 2, 2, 0], "u4"))


@needs()
class Views(InScratch):
    def test_the_sample(self):
        graph = quern.open(SAMPLE, verify=True)
        vertices, edges = graph.vertex_properties, graph.edge_properties
        self.assertEqual(vertices.types(), {"place": "f32x3", "born": "date", "rank": "u8"})
        self.assertEqual(edges.types(), {"halves": "f16x2", "brain": "bf16", "at": "timestamp_ms_utc"})
        self.assertEqual(vertices["place"].tolist(), [[0.5, -0.0, np.float32(1e30)], [None] * 3, [1, 2, 3], [np.inf, -0.25, 65536]])
        self.assertEqual(vertices["born"].astype(str).tolist(), ["1970-01-01", "0000-01-01", "2000-02-29", "5881580-07-11"])
        self.assertEqual((vertices["rank"].dtype, vertices["rank"].tolist()), ("u1", [0, 255, 7, 1]))
        self.assertEqual((edges["halves"].dtype, edges["halves"][1].tolist()), ("f2", [65504, 2**-24]))
        self.assertEqual(edges["at"].dtype, "M8[ms]")
        self.assertEqual(str(edges["at"][3]), "2024-02-29T13:00:00.250")
        self.assertIs(edges["at"][0], np.ma.masked)

    def test_vectors_are_views(self):
        given = np.arange(12, dtype="f4").reshape(4, 3)
        graph = self.graph().with_properties({"x": given, "w": np.arange(4, dtype="u2")}, path="g.qrn")
        found = graph.vertex_properties["x"]
        self.assertEqual((found.shape, found.dtype, found.flags.writeable, found.flags.c_contiguous), ((4, 3), "f4", False, True))
        self.assertEqual(found.ctypes.data, graph.arrays["property_v0"].ctypes.data)
        self.assertEqual(found.ctypes.data % 4096, 0)
        np.testing.assert_array_equal(found, given)
        try:
            shared = np.from_dlpack(found)  # what PyTorch and JAX read, too
        except BufferError:
            self.assertLess(tuple(map(int, np.__version__.split(".")[:2])), (2, 1))  # which knew of no array that is only read
        else:
            self.assertTrue(np.shares_memory(shared, found) and shared.shape == (4, 3))
        graph.close()
        np.testing.assert_array_equal(found, given)

    def test_every_type(self):
        rng = np.random.default_rng(7)
        for dtype in SMALL:
            for shape in (4,), (4, 1), (4, 5):
                values = rng.integers(0, 256, (*shape, np.dtype(dtype).itemsize), "u1").view(dtype)[..., 0]
                word = WORDS[dtype] + ("x%d" % shape[1] if len(shape) == 2 else "")
                with self.subTest(word):
                    graph = self.graph().with_properties({"x": values}, {"x": np.flip(values, 0)})
                    graph.verify()
                    self.assertEqual((graph.vertex_properties.types(), graph.edge_properties.types()), ({"x": word}, {"x": word}))
                    self.assertEqual(graph.vertex_properties["x"].tobytes(), values.tobytes())
                    self.assertEqual(graph.edge_properties["x"].tobytes(), np.flip(values, 0).tobytes())

    def test_nulls_are_whole(self):
        values = np.ma.array(np.ones((4, 2), "f4"), mask=[[0, 0], [1, 1], [0, 0], [1, 1]])
        graph = self.graph().with_properties({"x": values, "y": [None, [1, 2, 3], None, (4, 5, 6)]})
        graph.verify()
        self.assertEqual(graph.vertex_properties["x"].tolist(), [[1, 1], [None, None], [1, 1], [None, None]])
        self.assertEqual(graph.vertex_properties["y"].tolist(), [[None] * 3, [1, 2, 3], [None] * 3, [4, 5, 6]])
        values.mask[0, 1] = True
        with self.assertRaisesRegex(quern.UsageError, r"property 'x': row 0 .*masked in part"):
            self.graph().with_properties({"x": values})

    def test_dates_and_times(self):
        days = np.array(["2024-02-29", "NaT", "0001-01-01", "-5000-06-01"], "M8[D]")
        given = {"day": days, "month": days.astype("M8[M]"), "s": days.astype("M8[s]"), "ns": np.array([1, -1, 0, 2**62], "M8[ns]"),
                 "python": [datetime.date(2024, 2, 29), None, datetime.date(1, 1, 1), datetime.date(9999, 12, 31)],
                 "utc": [datetime.datetime(2024, 1, 1, 12, tzinfo=datetime.timezone(datetime.timedelta(hours=2))), None, None, None],
                 "wall": [datetime.datetime(2024, 1, 1, 12, 0, 0, 250), None, None, None]}
        graph = self.graph().with_properties(given)
        graph.verify()
        found = graph.vertex_properties
        self.assertEqual(found.types(), {"day": "date", "month": "date", "s": "timestamp_s", "ns": "timestamp_ns", "python": "date",
                                         "utc": "timestamp_us_utc", "wall": "timestamp_us"})
        self.assertEqual(np.ma.getmaskarray(found["day"]).tolist(), [False, True, False, False])
        self.assertEqual(found["day"][[0, 2, 3]].astype(str).tolist(), days[[0, 2, 3]].astype(str).tolist())
        self.assertEqual(str(found["month"][0]), "2024-02-01")
        self.assertEqual(found["ns"].tolist(), [1, -1, 0, 2**62])
        self.assertEqual(str(found["utc"][0]), "2024-01-01T10:00:00.000000")
        self.assertEqual(str(found["wall"][0]), "2024-01-01T12:00:00.000250")

    def test_bf16(self):
        graph = quern.open(SAMPLE)
        try:
            import ml_dtypes
        except ImportError:
            self.assertEqual(graph.edge_properties["brain"].tolist(), [0x3f80, 0xff80, 0x4049, 1, 0x8000])
        else:
            self.assertEqual(graph.edge_properties["brain"].dtype, ml_dtypes.bfloat16)
            self.assertEqual(graph.edge_properties["brain"].astype("f4").tolist(), [1, -np.inf, 3.140625, 2**-133, 0])
            given = np.arange(8).reshape(4, 2).astype(ml_dtypes.bfloat16)
            made = self.graph().with_properties({"x": given})
            self.assertEqual((made.vertex_properties.types(), made.vertex_properties["x"].tolist()), ({"x": "bf16x2"}, given.tolist()))

    def test_arrays_beside_edges(self):
        """In the order that the edges are given in, from files of NumPy, too."""
        source, target, x = np.array([3, 0, 2, 0], "u4"), np.array([0, 2, 2, 1], "u4"), np.arange(8, dtype="f4").reshape(4, 2)
        np.savez("g.npz", src=source, dst=target, edge_attr=x)
        np.save("y.npy", np.eye(5, dtype="f2"))
        arrays, features = np.load("g.npz"), np.load("y.npy", mmap_mode="r")
        for given, ids in ({}, [0, 1, 2, 3, 4]), ({"ids": np.array([9, 7, 5, 3, 1])}, [9, 7, 5, 3, 1]), ({"ids": np.array(list("edcba"))}, list("edcba")):
            graph = quern.from_arrays(arrays["src"], arrays["dst"], edge_properties={"x": arrays["edge_attr"], "when": ["2", None, "1", "0"]},
                                      vertex_properties={"y": features}, **given)
            graph.verify()
            self.assertEqual((graph.num_vertices, graph.ids.tolist()), (5, ids))
            self.assertEqual(graph.vertex_properties["y"].tolist(), np.eye(5).tolist())
            self.assertEqual(graph.edge_properties["x"].tolist(), [[6, 7], [2, 3], [4, 5], [0, 1]])
            self.assertEqual(graph.edge_properties["when"].tolist(), ["0", None, "1", "2"])
        graph = quern.from_arrays(source, target, np.arange(4, dtype="f4"), directed=False, edge_properties={"x": x})
        self.assertEqual(graph.edge_properties["x"].tolist(), [[6, 7], [2, 3], [0, 1], [6, 7], [2, 3], [4, 5], [0, 1]])
        self.assertEqual(graph.weights.tolist(), [3, 1, 0, 3, 1, 2, 0])
        named = quern.from_arrays(["b", "a"], ["a", "c"], edge_properties={"x": [[1, 2], [3, 4]]})
        self.assertEqual(named.edge_properties.types(), {"x": "i64x2"})
        for given, said in ((dict(edge_properties={"x": x[:3]}), "'x' has 3 values for 4 edges"), (dict(edge_properties={"x": np.zeros(4, complex)}), "'x': a column"),
                            (dict(vertex_properties={"y": x}, num_vertices=5), "'y' has 4 values for 5 vertices"),
                            (dict(vertex_properties={"y": x, "z": x[1:]}), "'z' has 3 values for 4"), (dict(vertex_properties={"y": x}, ids="keep"), "ids, an array")):
            with self.subTest(said), self.assertRaisesRegex(quern.UsageError, said):
                quern.from_arrays(source, target, **given)
        with self.assertRaisesRegex(quern.QuernError, "3"):  # an edge of a vertex that has no row
            quern.from_arrays(source, target, vertex_properties={"y": x[:3]})

    def test_arrays_by_the_tool(self):
        """A row for each vertex or edge of a container that is there, of any layout."""
        graph, rng = self.graph().with_properties({"name": list("abcd")}, path="g.qrn"), np.random.default_rng(3)
        x, edges = rng.random((4, 5), "f4"), rng.integers(0, 99, 4).astype("i2")
        given = {"x": x, "half": x[:, 0].astype("f2"), "one": x[:, :1].astype("f8"), "ok": x[:, 0] > .5, "count": np.arange(4, dtype="u1")}
        np.savez("a.npz", **given)
        np.save("e.npy", edges)
        run("quern-block", "g.qrn", "-qo", "b.qrn")
        words = [word for name in given for word in ("--vertex-array", "%s=a.npz:%s.npy" % (name, name))] + ["--edge-array", "e=e.npy"]
        if importlib.util.find_spec("h5py"):
            import h5py
            with h5py.File("a.h5", "w") as file:
                file["group/x"], file["big"] = x, edges.astype(">i8")
            words += ["--vertex-array", "h=a.h5:/group/x", "--edge-array", "big=a.h5:big"]
            given["h"] = x
        for name in "g.qrn", "b.qrn":
            run("quern-transform", name, *words, "-qfo", "out.qrn")
            made = quern.open("out.qrn", verify=True)
            self.assertEqual(made.layout, quern.open(name).layout)
            self.assertEqual(list(made.vertex_properties), ["name", *given])
            for key, values in given.items():
                found = made.vertex_properties[key]
                self.assertEqual((found.dtype, found.shape, found.tolist()), (values.dtype, values.shape, values.tolist()))
            self.assertEqual(made.edge_properties["e"].tolist(), edges.tolist())
        run("quern-transform", "g.qrn", "--symmetrize", "-qo", "u.qrn")
        for array, said in ((x[:3], "3 rows, and the graph 4 vertices"), (x.astype(complex), "expected numbers"), (x.astype(">f4"), "astype"),
                            (np.asfortranarray(x), "ascontiguousarray"), (np.zeros((4, 65537), "u1"), "65536"), (np.zeros((4, 0)), "no numbers"),
                            (x > 1, "truth values"), (np.float32(1), "0 dimensions"), (np.array([b"a"] * 4), "no numbers"), (np.array(list("abcd")), "no numbers")):
            np.save("bad.npy", array)
            with self.subTest(said):
                self.assertRegex(run("quern-transform", "g.qrn", "--vertex-array", "y=bad.npy", "-o", "no.qrn", exit=(3, 4)).stderr, said)
        np.save("t.npy", x[:, 0] > 1)
        with open("t.npy", "r+b") as file:
            file.seek(-1, 2), file.write(b"\2")
        for words, said in ((("g.qrn", "--vertex-array", "y=t.npy"), "neither 0 nor 1"), (("g.qrn", "--vertex-array", "name=e.npy"), "'name' of vertices already"),
                            (("g.qrn", "--vertex-array", "y=e.npy", "--vertex-array", "y=e.npy"), "'y' of vertices already"),
                            (("u.qrn", "--edge-array", "y=e.npy"), "stored twice"), (("g.qrn", "--vertex-array", "y"), "write NAME=FILE"),
                            (("g.qrn", "--vertex-array", "y=e.npy", "--transpose"), "as it is"), (("g.qrn", "--vertex-array", "y=none.npy"), "none.npy")):
            with self.subTest(said):
                self.assertRegex(run("quern-transform", *words, "-o", "no.qrn", exit=(2, 3, 4, 5)).stderr, said)
        self.assertFalse(os.path.exists("no.qrn"))

    def test_what_is_wrong(self):
        for values, said in ((np.zeros((3, 2)), "needs 4 values"), (np.zeros((5, 2)), "needs 4 values"), (np.zeros((4, 0)), "1 to 65536 numbers, not 0"),
                             (np.zeros((4, 65537), "u1"), "1 to 65536 numbers, not 65537"), (np.zeros((4, 2, 2)), "shape"),
                             (np.zeros((4, 2), bool), "shape"), (np.zeros((4, 2), complex), "complex"), ([[1, 2], [3], [4, 5], [6, 7]], "row 1 .* 1 numbers"),
                             ([[1, "a"], [3, 4], [4, 5], [6, 7]], "one type of numbers"), ([[], [], [], []], "one type of numbers|not 0"),
                             (np.zeros(4, "M8[ps]"), "datetime64"), (np.array([2**40, 0, 0, 0], "M8[D]"), "2\\^31 days"),
                             ([datetime.date(2024, 1, 1), 1, 2, 3], "values of")):
            with self.subTest(said), self.assertRaisesRegex(quern.UsageError, "(?s)property 'x'.*%s|%s" % (said, said)):
                self.graph().with_properties({"x": values})

    def test_both_directions(self):
        graph = quern.from_arrays(np.array([0, 1], "u4"), np.array([1, 2], "u4"), directed=False)
        x = np.array([[1, 2], [1, 2], [3, 4], [3, 4]], "f4")
        self.assertEqual(graph.with_properties(edges={"x": x}).edge_properties["x"].tolist(), x.tolist())
        with self.assertRaisesRegex(quern.InvalidError, "P-10"):
            graph.with_properties(edges={"x": x + np.arange(8).reshape(4, 2)})


@needs("pyarrow")
class Tables(InScratch):
    def setUp(self):
        super().setUp()
        day = pyarrow.array([0, None, 40, 1], pyarrow.date32())
        self.edges = pyarrow.table({
            "src": [1, 2, 2, 3], "dst": [2, 3, 3, 1], "x": pyarrow.array([[1, 2], None, [3, 4], [5, 6]], pyarrow.list_(pyarrow.float32(), 2)),
            "half": pyarrow.array(np.array([.5, 1, 2, 3], "f2")), "day": day, "late": day.cast(pyarrow.date64()),
            "at": pyarrow.array([1, None, -1, 10**15], pyarrow.timestamp("us")), "utc": pyarrow.array([1, 2, 3, None], pyarrow.timestamp("ms", "UTC")),
            "zone": pyarrow.array([1, 2, 3, None], pyarrow.timestamp("ms", "Europe/Berlin")), "small": pyarrow.array([1, None, -128, 127], "i1"),
            "clock": pyarrow.array([1, 2, None, 3], pyarrow.time32("ms"))})
        self.vertices = pyarrow.table({"id": [3, 1, 2], "f": pyarrow.array([[1], [2], [3]], pyarrow.list_(pyarrow.uint8(), 1))})
        self.types = {"x": "f32x2", "half": "f16", "day": "date", "late": "date", "at": "timestamp_us", "utc": "timestamp_ms_utc",
                      "zone": "timestamp_ms_utc", "small": "i8", "clock": "string"}

    def expect(self, graph):
        graph.verify()
        self.assertEqual(graph.edge_properties.types(), self.types)
        self.assertEqual(graph.vertex_properties["f"].tolist(), [[2], [3], [1]])
        found = pyarrow.table(graph.edges())
        for name in self.types:
            with self.subTest(name):
                wanted = self.edges[name]
                wanted = {"zone": lambda: wanted.cast(pyarrow.timestamp("ms", "UTC")), "late": lambda: wanted.cast(pyarrow.date32()),
                          "clock": lambda: wanted.cast(pyarrow.large_string())}.get(name, lambda: wanted)()
                self.assertEqual((found[name].type, found[name].to_pylist()), (wanted.type, wanted.to_pylist()))

    def test_there_and_back(self):
        odd = pyarrow.concat_tables([self.edges.slice(3), self.edges]).combine_chunks().slice(1)  # children with an offset
        for edges in self.edges, odd, odd.to_reader(1):
            self.expect(quern.from_arrow(edges, "src,dst", properties=True, vertices=self.vertices))
        pyarrow.parquet.write_table(self.edges, "e.parquet", row_group_size=3)
        pyarrow.parquet.write_table(self.vertices, "v.parquet")
        graph = quern.read_parquet("e.parquet", "src,dst", properties=True, vertices="v.parquet", path="g.qrn")
        self.expect(graph)
        with self.assertWarnsRegex(quern.QuernWarning, "properties of vertices"):
            graph.export("o.parquet")
        self.expect(quern.read_parquet("o.parquet", properties=True, vertices=self.vertices))
        run("quern-import", "e.parquet", "--columns", "src,dst", "--properties", "all", "--vertices", "v.parquet", "-qfo", "c.qrn")
        self.expect(quern.open("c.qrn"))
        self.assertIn("f32x2", run("quern-info", "c.qrn").stdout)
        frame = self.edges.select(["src", "dst", "at", "utc"]).to_pandas()
        self.assertEqual({"at": "timestamp_us", "utc": "timestamp_ms_utc"}, quern.from_pandas(frame, properties=True).edge_properties.types())

    def test_a_table_of_them(self):
        table = pyarrow.table(quern.open(SAMPLE).edges())
        self.assertEqual([str(table[name].type) for name in ("halves", "brain", "at")],
                         ["fixed_size_list<item: halffloat>[2]", "float", "timestamp[ms, tz=UTC]"])
        self.assertEqual(table["brain"].to_pylist(), [1, -np.inf, 3.140625, 2**-133, 0])
        self.assertEqual(pyarrow.table(quern.open(SAMPLE).vertices())["place"].to_pylist()[1:3], [None, [1, 2, 3]])
        made = self.graph().with_properties({"x": self.edges["x"], "y": self.edges["x"].slice(1).combine_chunks().take([0, 1, 2, 0])})
        self.assertEqual(made.vertex_properties.types(), {"x": "f32x2", "y": "f32x2"})
        self.assertEqual(made.vertex_properties["y"].tolist(), [[None, None], [3, 4], [5, 6], [None, None]])

    def test_what_is_refused(self):
        lists = [[1], [], [2], [3]]
        for column, said in ((pyarrow.array(lists), r"lists of any length.*fixed size"), (pyarrow.array(lists, pyarrow.large_list(pyarrow.int8())), "lists of any length"),
                             (pyarrow.array([0, 150, None, -1]).cast(pyarrow.decimal128(21, 2)), "decimals.*float64"),
                             (pyarrow.array([{"a": 1}] * 4), "structs.*flatten"), (pyarrow.array([["a"]] * 4, pyarrow.list_(pyarrow.string(), 1)), "vectors"),
                             (pyarrow.array([[]] * 4, pyarrow.list_(pyarrow.int8(), 0)), "vectors of no numbers"),
                             (pyarrow.array([[[1]]] * 4, pyarrow.list_(pyarrow.list_(pyarrow.int8(), 1), 1)), "vectors"),
                             (pyarrow.array([[0] * 65537] * 4, pyarrow.list_(pyarrow.int8(), 65537)), "65536"),
                             (pyarrow.array([0, 1, 2, 3], pyarrow.duration("s")), "durations.*int64"),
                             (pyarrow.array([[1, None], [1, 2], None, [1, 1]], pyarrow.list_(pyarrow.int8(), 2)), r"row 0 .*vector 'c'.*as a whole"),
                             (pyarrow.array([1, 2, 3, 4]).view(pyarrow.date64()), "whole days.*timestamps")):
            table = self.edges.select(["src", "dst"]).append_column("c", column)
            with self.subTest(said), self.assertRaisesRegex((quern.UnsupportedError, quern.InvalidError), "'c'.*%s|%s" % (said, said)):
                quern.from_arrow(table, "src,dst", properties=True, path="no.qrn")
        with self.assertRaises(quern.UnsupportedError):
            quern.from_arrow(self.edges, "day,dst")
        with self.assertRaisesRegex(quern.InvalidError, "not an id"):
            quern.from_arrow(self.edges, "src,dst", vertices=self.edges, id="x")
        self.assertFalse(os.path.exists("no.qrn"))

    def test_small_ids(self):
        vertices = pyarrow.table({"id": pyarrow.array([3, 1, 2], "i1"), "n": [1, 2, 3]})
        graph = quern.from_arrow(self.edges, "src,dst", vertices=vertices)
        self.assertEqual(graph.vertex_properties["n"].tolist(), [2, 3, 1])
        with self.assertRaisesRegex(quern.InvalidError, "negative"):
            quern.from_arrow(self.edges, "src,dst", vertices=pyarrow.table({"id": pyarrow.array([-3, 1], "i2")}))


@needs("networkx", "yaml", "pyarrow", "matplotlib")
class Others(InScratch):
    def test_networkx(self):
        for given in quern.open(SAMPLE), self.graph().with_properties({"x": np.eye(4, dtype="f4")}, {"at": np.arange(4).astype("M8[s]")}):
            back = quern.from_networkx(given.to_networkx())
            expected = {"bf16": "f64", "u8": "i64", "timestamp_ms_utc": "timestamp_ms"}
            for before, after in (given.vertex_properties, back.vertex_properties), (given.edge_properties, back.edge_properties):
                self.assertEqual(after.types(), {name: expected.get(kind, kind) for name, kind in before.types().items()})
                for name in before:
                    if before.types()[name] != "bf16":
                        np.testing.assert_array_equal(before[name], after[name])

    def test_graphar(self):
        given = {"day": np.arange(4).astype("M8[D]"), "at": np.arange(4).astype("M8[s]"), "small": np.arange(4, dtype="i1")}
        graph = self.graph().with_properties(given, given)
        graph.export("g", "graphar")
        back = quern.read("g")
        self.assertEqual(back.edge_properties.types(), {"day": "date", "at": "timestamp_ms", "small": "i32"})
        for name in given:
            np.testing.assert_array_equal(back.vertex_properties[name], given[name])
        for values, said in (np.zeros((4, 3), "f4"), r"x .*f32x3.*numpy\.save"), (np.arange(4).astype("M8[us]"), "milliseconds"):
            with self.subTest(said), self.assertRaisesRegex(quern.UnsupportedError, said):
                self.graph().with_properties({"x": values}).export("no", "graphar")
        self.assertFalse(os.path.exists("no"))

    def test_icebug(self):
        given = {"x": np.arange(8, dtype="i2").reshape(4, 2), "day": np.arange(4).astype("M8[D]"), "at": np.arange(4).astype("M8[ns]")}
        graph = self.graph().with_properties(given)
        graph.export("g", "icebug-disk")
        self.assertIn("x INT16[2], day DATE, at TIMESTAMP_NS", Path("g/schema.cypher").read_text())
        back = quern.read("g")
        self.assertEqual(back.vertex_properties.types(), graph.vertex_properties.types())
        for name in given:
            np.testing.assert_array_equal(back.vertex_properties[name], given[name])

    def test_a_report(self):
        self.graph().with_properties({"x": np.eye(4)}, path="g.qrn")
        run(sys.executable, "-m", "quern.report", "g.qrn", "-o", "r.html")
        self.assertIn("f64x4", quern.open("g.qrn")._repr_html_())
