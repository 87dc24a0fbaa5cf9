"""icebug-disk: compressed sparse rows in Parquet, as its own tool writes them, and there and back."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from harness.package import needs, quern
from harness.tools import run

try:
    import numpy as np
    import pyarrow
    import pyarrow.parquet
except ImportError:
    pyarrow = None  # the tests are skipped

SCHEMA = """CREATE NODE TABLE city(id INT32, name STRING, population INT64, PRIMARY KEY(id)) WITH (storage = '', format = 'icebug-disk');
CREATE NODE TABLE `user`(id INT32, name STRING, age INT64, PRIMARY KEY(id)) WITH (storage = '', format = 'icebug-disk');
CREATE REL TABLE follows(FROM user TO user, since INT32) WITH (storage = '', format = 'icebug-disk');
CREATE REL TABLE LivesIn(FROM `user` TO city) WITH (storage = '', format = 'icebug-disk');
"""


@needs("pyarrow")
class _Scratch(unittest.TestCase):
    sanitized_tier = "long"

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        os.chdir(self.folder)

    def table(self, name, columns, version="v1"):
        table = pyarrow.table(columns)
        if version is not None:
            table = table.replace_schema_metadata({"icebug_disk_version": version})
        pyarrow.parquet.write_table(table, self.folder / (name + ".parquet"), row_group_size=2)

    def people(self):
        """The example of the format: users that follow each other and live in cities."""
        self.table("nodes_user", {"id": pyarrow.array([100, 250, 300], "int32"), "name": ["Adam", "Karissa", None], "age": [30, 40, 50]})
        self.table("nodes_city", {"id": pyarrow.array([1, 2], "int32"), "name": ["Waterloo", "Kitchener"], "population": [150, 200]})
        self.table("indices_follows", {"target": pyarrow.array([1, 2, 2], "uint64"), "since": pyarrow.array([2020, 2020, 2021], "int32")})
        self.table("indptr_follows", {"ptr": pyarrow.array([0, 2, 3, 3], "uint64")})
        self.table("indices_livesin", {"target": pyarrow.array([0, 0, 1], "int64")})
        self.table("indptr_livesin", {"ptr": [0, 1, 2, 3]})
        (self.folder / "schema.cypher").write_text(SCHEMA)


class Read(_Scratch):
    def test_a_type_of_edges(self):
        self.people()
        with self.assertWarnsRegex(quern.QuernWarning, "not hold: edges of the type livesin"):
            graph = quern.read_icebug(self.folder, "follows")
        self.assertEqual(pyarrow.table(graph).to_pydict(), {"source": [100, 100, 250], "target": [250, 300, 300], "since": [2020, 2020, 2021]})
        self.assertEqual(graph.vertex_properties["name"].tolist(), ["Adam", "Karissa", None])
        self.assertEqual((graph.vertex_properties["age"].tolist(), graph.directed, graph.weights), ([30, 40, 50], True, None))
        with self.assertWarns(quern.QuernWarning):
            weighted = quern.read(self.folder, edge="Follows", weight="since", directed=False)
        self.assertEqual((weighted.weights.tolist()[:2], weighted.directed, weighted.num_edges), ([2020, 2020], False, 3))

    def test_from_one_type_to_another(self):
        self.people()
        with self.assertWarnsRegex(quern.QuernWarning, "edges of the type follows"):
            graph = quern.read_icebug(self.folder, "livesin")
        self.assertEqual(pyarrow.table(graph).to_pydict(), {"source": ["user:100", "user:250", "user:300"],
                                                            "target": ["city:1", "city:1", "city:2"]})
        self.assertEqual(graph.vertex_properties["name"].tolist(), ["Adam", "Karissa", None, "Waterloo", "Kitchener"])
        self.assertEqual(graph.vertex_properties["age"].tolist(), [30, 40, 50, None, None])
        self.table("nodes_city", {"id": [1, 2], "name": [7, 8]})
        with self.assertWarns(quern.QuernWarning):
            other = quern.read_icebug(self.folder, "livesin")
        self.assertEqual(sorted(other.vertex_properties), ["age", "city.name", "user.name"])
        self.assertEqual(other.vertex_properties["city.name"].tolist(), [None, None, None, 7, 8])

    def test_without_a_schema(self):
        """One type of nodes needs none; neither does an unknown key: it is the first column."""
        self.table("nodes_a", {"name": ["x", "y"], "tags": [[1], [2]]}, version=None)
        self.table("indices_b", {"target": [1, 0, 1], "weight": [0.5, 1.5, 2.5]}, version="1")
        self.table("indptr_b", {"ptr": [0, 1, 3]})
        with self.assertWarnsRegex(quern.QuernWarning, r"not hold: a\.tags"):
            graph = quern.read(self.folder)
        self.assertEqual(pyarrow.table(graph).to_pydict(), {"source": ["x", "y", "y"], "target": ["y", "x", "y"], "weight": [0.5, 1.5, 2.5]})
        with self.assertWarns(quern.QuernWarning):
            self.assertEqual(quern.read(self.folder, weight=None).edge_properties["weight"].tolist(), [0.5, 1.5, 2.5])

    def test_many_rows(self):
        graph = quern.generate("rmat", 12, degree=8, weights=(1, 9), progress=False)
        graph.export("many", "icebug-disk")
        rows = quern.icebug.ROWS
        try:
            quern.icebug.ROWS = 1000
            back = quern.read("many")
        finally:
            quern.icebug.ROWS = rows
        for name in "row_offsets", "column_indices", "weights":
            self.assertEqual(getattr(back, name).tolist(), getattr(graph, name).tolist())

    def test_what_is_refused(self):
        self.people()
        good = {name: (self.folder / name).read_bytes() for name in os.listdir()}
        follows = {"target": [1, 2, 2]}
        for pattern, name, columns in (
                ("4 numbers that ascend from 0 to 3", "indptr_follows", {"ptr": [0, 2, 3]}),
                ("4 numbers that ascend", "indptr_follows", {"ptr": [0, 3, 2, 3]}), ("4 numbers that ascend", "indptr_follows", {"ptr": [0, 2, 3, 4]}),
                ("one column of integers", "indptr_follows", {"ptr": [0., 2., 3., 3.]}), ("one column of integers", "indptr_follows", {"ptr": [0, None, 3, 3]}),
                ("leads to no row of the 3 nodes", "indices_follows", {"target": [1, 2, 3]}),
                ("leads to no row", "indices_follows", {"target": [1, -1, 2]}), ("leads to no row", "indices_follows", {"target": [1, None, 2]}),
                ("first column is not of integers", "indices_follows", {"target": ["a", "b", "c"]}),
                ("the key id is null", "nodes_user", {"id": [1, None, 3]}), ("two vertices|twice|said", "nodes_user", {"id": [1, 1, 3]})):
            with self.subTest(pattern=pattern, columns=columns):
                self.table(name, columns)
                with self.assertRaisesRegex(quern.QuernError, pattern), self.assertWarns(quern.QuernWarning):
                    quern.read_icebug(self.folder, "follows")
                (self.folder / (name + ".parquet")).write_bytes(good[name + ".parquet"])
        self.table("indices_follows", follows, version="v2")
        with self.assertRaisesRegex(quern.UnsupportedError, "icebug-disk version v2; this build reads v1"):
            quern.read_icebug(self.folder, "follows")
        for pattern, edge in ("more than one type.*: follows, livesin", None), ("no type of edges hates; there are follows", "hates"):
            with self.assertRaisesRegex(quern.UsageError, pattern):
                quern.read_icebug(self.folder, edge)
        for name, text, pattern in (("schema.cypher", "", "does not say what types of nodes"), ("schema.cypher", None, "does not say"),
                                    ("nodes_city.parquet", None, "there is no nodes_city.parquet"), ("indices_livesin.parquet", None, "No such file"),
                                    ("indptr_livesin.parquet", "PAR1", "Parquet|parquet|small")):
            with self.subTest(name=name):
                (self.folder / name).unlink() if text is None else (self.folder / name).write_text(text)
                with self.assertRaisesRegex(quern.QuernError, pattern):
                    quern.read_icebug(self.folder, "livesin")
                (self.folder / name).write_bytes(good[name])
        os.mkdir("empty")
        for folder, pattern in ("empty", "nodes_.*are expected"), ("schema.cypher", "is a folder"):
            with self.assertRaisesRegex(quern.QuernError, pattern):
                quern.read_icebug(folder)


class Written(_Scratch):
    def test_there_and_back(self):
        source, target = np.array([0, 0, 1, 3]), np.array([1, 3, 2, 0])
        numbers = quern.from_arrays(source * 10 + 7, target * 10 + 7, np.array([1.5, 2.5, 3.5, 4.5], "f4"))
        texts = quern.from_arrays(["ann", "bob"], ["bob", "ü"]).with_properties(
            vertices={"id": [1, None, 3], "two words": [True, False, None]}, edges={"note": ["x", None]})
        for graph in (quern.from_arrays(source, target, num_vertices=6), numbers, texts, quern.from_arrays([], []), texts.build("packed"),
                      quern.from_arrays([2**64 - 1], [5], np.array([2**40], "i8"))):
            with self.subTest(graph=graph):
                graph.export("out", "icebug-disk", force=True)
                back = quern.read("out")
                self.assertEqual((back.ids.tolist(), pyarrow.table(back).to_pydict()), (graph.ids.tolist(), pyarrow.table(graph).to_pydict()))
                self.assertEqual({name: back.vertex_properties[name].tolist() for name in back.vertex_properties},
                                 {name: graph.vertex_properties[name].tolist() for name in graph.vertex_properties})
        self.assertEqual(sorted(os.listdir()), ["out"])

    def test_the_files(self):
        graph = quern.from_arrays(["b", "a"], ["a", "b"], [3, 4]).with_properties(vertices={"two words": [1.5, 2.5]})
        quern.icebug.write(graph, "out", node_type="user", edge_type="follows")
        self.assertEqual(sorted(os.listdir("out")), ["indices_follows.parquet", "indptr_follows.parquet", "nodes_user.parquet", "schema.cypher"])
        for name, columns in (("nodes_user", {"id": ["a", "b"], "two words": [1.5, 2.5]}), ("indices_follows", {"target": [1, 0], "weight": [4, 3]}),
                              ("indptr_follows", {"ptr": [0, 1, 2]})):
            file = pyarrow.parquet.ParquetFile("out/%s.parquet" % name)
            self.assertEqual((file.metadata.metadata[b"icebug_disk_version"], file.read().to_pydict()), (b"v1", columns))
        self.assertEqual(Path("out/schema.cypher").read_text(),
                         "CREATE NODE TABLE user(id STRING, `two words` DOUBLE, PRIMARY KEY(id)) WITH (storage = '', format = 'icebug-disk');\n"
                         "CREATE REL TABLE follows(FROM user TO user, weight UINT32) WITH (storage = '', format = 'icebug-disk');\n")

    def test_what_is_refused(self):
        graph = quern.from_arrays([0], [1], [1])
        for call, pattern in ((lambda: quern.icebug.write(graph, "x", node_type="a b"), "cannot be the name of a table"),
                              (lambda: quern.icebug.write(graph, "x", node_type="edge"), "not both called edge"),
                              (lambda: graph.with_properties(edges={"target": [1]}).export("x", "icebug-disk"), "called target"),
                              (lambda: graph.with_properties(edges={"weight": [1]}).export("x", "icebug-disk"), "called weight"),
                              (lambda: graph.with_properties(edges={"a`b": [1]}).export("x", "icebug-disk"), "a`b"),
                              (lambda: quern.from_arrays(["\udcff"], ["b"]).export("x", "icebug-disk"), "not UTF-8")):
            with self.subTest(pattern), self.assertRaisesRegex(quern.QuernError, pattern):
                call()
        self.assertEqual(os.listdir(), [])
        os.mkdir("here")
        with self.assertRaisesRegex(quern.UsageError, "the folder exists; force=True"):
            graph.export("here", "icebug-disk")

    def test_undirected(self):
        graph = quern.from_arrays([0, 1], [1, 2], directed=False)
        with self.assertWarnsRegex(quern.QuernWarning, "undirected is not in the output"):
            graph.export("out", "icebug-disk")
        self.assertEqual(quern.read("out").num_edges, 4)
        self.assertEqual(quern.read("out", directed=False, duplicates="remove").num_edges, 2)


class CommandLine(_Scratch):
    def test_both_tools(self):
        quern.from_arrays(["a", "b"], ["b", "c"], [5, 6], path="g.qrn")
        said = run("quern-export", "g.qrn", "--format", "icebug-disk", "-o", "out").stdout
        self.assertRegex(said, r"out: 2 edges, \d+ B")
        run("quern-import", "out", "-q", "-o", "back.qrn")
        self.assertEqual(pyarrow.table(quern.open("back.qrn")).to_pydict(), pyarrow.table(quern.open("g.qrn")).to_pydict())
        self.people()
        self.assertIn("--member", run("quern-import", ".", "-o", "x.qrn", exit=2).stderr)
        run("quern-import", ".", "--member", "livesin", "-q", "-o", "x.qrn")
        self.assertEqual(quern.open("x.qrn").num_vertices, 5)
        self.assertIn("is a folder; name it with -o", run("quern-export", "g.qrn", "--format", "icebug-disk", "-o", "-", exit=2).stderr)
        quern.from_arrays([0], [1], directed=False, path="u.qrn")
        self.assertIn("undirected is not in the output: its edges are there in both directions",
                      run("quern-export", "u.qrn", "--format", "icebug-disk", "--strict", "-o", "y", exit=4).stderr)
        self.assertIn("--both-directions is for parquet and arrow, not for icebug-disk",
                      run("quern-export", "u.qrn", "--format", "icebug-disk", "--both-directions", "-o", "y", exit=2).stderr)


@needs("pyarrow", "icebug_format")
class ByItsOwnTool(_Scratch):
    """What icebug-format makes of tables of vertices and edges."""

    def test_read(self):
        os.mkdir("in")
        pyarrow.parquet.write_table(pyarrow.table({"id": [30, 10, 20], "name": ["c", "a", "b"]}), "in/g-v.parquet")
        pyarrow.parquet.write_table(pyarrow.table({"source": [30, 10, 10], "target": [10, 30, 20], "weight": [3, 1, 2]}), "in/g-e.parquet")
        subprocess.run([sys.executable, "-m", "icebug_format.cli", "--source-dir", "in", "--output-dir", "out", "--backend", "pyarrow"],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder)
        graph = quern.read("out")
        self.assertEqual(pyarrow.table(graph).to_pydict(), {"source": [10, 10, 30], "target": [20, 30, 10], "weight": [2, 1, 3]})
        self.assertEqual(graph.vertex_properties["name"].tolist(), ["a", "b", "c"])


if __name__ == "__main__":
    unittest.main()
