"""What people hand over that is not quite an array: taken as it is meant, or refused with the reason."""

import unittest
import warnings

from harness.package import needs, quern

try:
    import numpy as np
except ImportError:
    np = None


def edges(graph):
    ids = graph.ids
    return sorted(zip(ids[graph.sources()].tolist(), ids[graph.column_indices].tolist()))


def vertex_property(values):
    """The values that a property of three vertices has, and its type."""
    properties = quern.from_arrays([0, 1], [1, 2]).with_properties(vertices={"x": values}).vertex_properties
    return properties.types()["x"], properties["x"].tolist()


@needs()
class Plain(unittest.TestCase):
    def test_ends(self):
        for source, target in (((i for i in (1, 2)), iter([2, 3])), (range(1, 3), range(2, 4)), zip((1, 2), (2, 3)),
                               (np.array([1, 2], ">u2"), np.array([2, 3], ">i8")), (np.arange(6)[1:3], np.arange(6)[::-1][2:4][::-1]),
                               (np.array([[1, 9], [2, 9]])[:, 0], {"a": 2, "b": 3}.values().__iter__())):
            with self.subTest(source):
                self.assertEqual(edges(quern.from_arrays(source, target)), [(1, 2), (2, 3)])
        big = quern.from_arrays(np.array([2**63, 2**64 - 1], "u8"), [5, 7])
        self.assertEqual(edges(big), [(2**63, 5), (2**64 - 1, 7)])

    def test_ends_that_are_refused(self):
        for source, target, text in (([1.0, None], [2, 3], r"entry 1 \(from 0\) is null"),
                                     ([2**64], [1], "entry 0 .* is 18446744073709551616"),
                                     (np.array([2**63], "u8"), np.array([-5]), "the id -5 is negative"),
                                     ({1, 2}, {3, 4}, r"entry 0 \(from 0\) is {1, 2}"), ([b"a"], [b"b"], r"\|S1"),
                                     (["\ud800"], ["a"], "'.ud800' cannot be written as UTF-8")):
            with self.subTest(source), self.assertRaisesRegex((quern.UsageError, quern.InvalidError), text):
                quern.from_arrays(source, target)
        for count in (-1, 3.0, "5", None.__class__):
            with self.subTest(count), self.assertRaisesRegex(quern.UsageError, "num_vertices: .* is no number of vertices"):
                quern.from_arrays([0], [1], num_vertices=count)
        with self.assertRaisesRegex(quern.UsageError, "at most 4294967295"):
            quern.from_arrays([0], [1], num_vertices=2**64)

    def test_names_and_threads_that_are_refused(self):
        graph = quern.from_arrays([0, 1], [1, 2])
        for call in (lambda: graph.run("bfs\0x", source=0), lambda: graph.build("packed\0x"),
                     lambda: graph.export("out", format="edges\0x")):
            with self.assertRaisesRegex(quern.UsageError, "a name has no NUL in it"):
                call()
        for threads in (-1, 2**32, 1.5, "2", True):
            with self.subTest(threads), self.assertRaisesRegex(quern.UsageError, "threads: .* is no number of threads"):
                graph.run("cc", threads=threads)
        for threads in (None, 0, 1, np.int32(2)):
            self.assertEqual(graph.run("cc", threads=threads).values.tolist(), [0, 0, 0])

    def test_ids_that_are_looked_for(self):
        """Bytes are one id, not a list of numbers; options take whatever can be gone through."""
        graph = quern.from_arrays([48, 49], [49, 10])
        for one in (10, "10", b"10", np.int64(10), np.array(10), 10.0):
            with self.subTest(one):
                self.assertEqual(graph.find(one), 0)
                if one == 10.0 and isinstance(one, float):
                    continue
                self.assertEqual(graph.run("bfs", source=one).sources.tolist(), [0])
        for several in ([10, 49], range(10, 11), np.array([10]), ("10", b"48"), iter([10])):
            self.assertEqual(graph.find(several)[0], 0)
        self.assertEqual(graph.run("bfs", source=range(48, 50)).sources.tolist(), [1, 2])
        for none in (10.5, None, True, "010", "1\0", -1, 2**64):
            with self.subTest(none), self.assertRaisesRegex(quern.UsageError, "no vertex has the id"):
                graph.find(none)

    def test_properties(self):
        for values, kind, found in (([1, 2, 3], "i64", [1, 2, 3]), ([1, None, 3], "i64", [1, None, 3]),
                                    ([2**63, 0, 1], "u64", [2**63, 0, 1]), ([0.5, None, 2], "f64", [0.5, None, 2]),
                                    ([True, None, False], "bool", [True, None, False]), (range(3), "i64", [0, 1, 2]),
                                    (iter("abc"), "string", ["a", "b", "c"]), (np.array([1, None, 3], object), "i64", [1, None, 3]),
                                    (np.array([1, 2, 3], ">u4"), "u32", [1, 2, 3])):
            with self.subTest(values):
                self.assertEqual(vertex_property(values), (kind, found))
        for values, text in (("abc", "an array or a list is expected, not str"), (5, "not int"), ({1, 2, 3}, "not set"),
                             ([1, "a", 2], "values of int and str are no property, which has numbers, or bool, or texts, "),
                             ([2**64, 0, 1], "more than 64 bits"), ([[1], [2], {}], "values of dict and list"),
                             (np.zeros((3, 1, 1)), "not of float64 with the shape"), (np.zeros(3, "c8"), "not of complex64"),
                             (["\ud800", "a", "b"], "cannot be written as UTF-8"), ([1, 2], "needs 3 values")):
            with self.subTest(values), self.assertRaisesRegex(quern.UsageError, text):
                vertex_property(values)
        with self.assertRaisesRegex(quern.UsageError, "a name has no NUL"):
            quern.from_arrays([0], [1]).with_properties(vertices={"a\0b": [1, 2]})


@needs("pandas", "polars", "pyarrow")
class OtherLibraries(unittest.TestCase):
    def test_properties(self):
        import pandas
        import polars
        import pyarrow
        for values, kind, found in ((pandas.array([1, None, 3], dtype="Int64"), "i64", [1, None, 3]),
                                    (pandas.Series([1.5, float("nan"), 2]), "f64", [1.5, float("nan"), 2.0]),
                                    (pandas.Series(["a", None, "b"], dtype="string"), "string", ["a", None, "b"]),
                                    (pandas.Categorical(["a", None, "a"]), "string", ["a", None, "a"]),
                                    (pandas.array([True, None, False], dtype="boolean"), "bool", [True, None, False]),
                                    (polars.Series([1, None, 3]), "i64", [1, None, 3]), (polars.Series([1, 2, 3], dtype=polars.UInt32), "u32", [1, 2, 3]),
                                    (polars.Series(["a", None, "b"]), "string", ["a", None, "b"]),
                                    (pyarrow.array([1, None, 3]), "i64", [1, None, 3]), (pyarrow.array([1, 2, 3], "float"), "f32", [1.0, 2.0, 3.0]),
                                    (pyarrow.chunked_array([["a"], ["b", None]]), "string", ["a", "b", None])):
            with self.subTest(values):
                self.assertEqual(repr(vertex_property(values)), repr((kind, found)))
        with self.assertRaisesRegex(quern.UsageError, "values of Timestamp are no property"):
            vertex_property(pandas.Series(pandas.to_datetime(3 * ["2020-01-01"])))

    def test_tables(self):
        import pandas
        import polars
        import pyarrow
        frame = pandas.DataFrame({"src": [1, 2], "dst": [2, 3]})
        for table in (frame.set_index(["src", "dst"]), pandas.concat([frame, frame]).iloc[[0, 3]],
                      polars.DataFrame(frame.to_dict("list")), pyarrow.table(frame.to_dict("list")).to_reader(max_chunksize=1)):
            with self.subTest(type(table)), warnings.catch_warnings():
                warnings.simplefilter("error")
                self.assertEqual(edges(quern.from_arrow(table)), [(1, 2), (2, 3)])
        for column, text in ((pandas.to_datetime(["2020-01-01"]), "timestamp 'ts"), (pandas.Categorical([5]), "in a dictionary .categories.*a cast"),
                             ([True], "bool 'b'"), (pandas.Series([None]), "null 'n'")):
            with self.subTest(text), self.assertRaisesRegex(quern.UnsupportedError, "column 'src' .*" + text):
                quern.from_arrow(pandas.DataFrame({"src": column, "dst": [1]}))
        with self.assertRaisesRegex(quern.UsageError, "LazyFrame .*collect"):
            quern.from_arrow(polars.DataFrame(frame.to_dict("list")).lazy())
