"""Sets with generations in Python: the graph that they are, and that they were, and changes from files and tables."""

import os
import tempfile
import unittest
import warnings
from pathlib import Path

from harness.package import needs, quern
from harness.tools import run

VECTOR = Path(os.environ["QUERN_SOURCE"]) / "specs/vectors/set-changes/changed"


@needs("numpy")
class Changes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.at = Path(folder.name)
        caught = warnings.catch_warnings()  # that it is put together
        caught.__enter__()
        self.addCleanup(caught.__exit__, None, None, None)
        warnings.simplefilter("ignore")

    def edges(self, graph):
        with quern.open(graph) as opened:
            names, weights = opened.ids, opened.weights
            rows = zip(names[opened.sources()].tolist(), names[opened.column_indices].tolist(), weights.tolist() if weights is not None else [])
            return sorted(rows), {name: list(column) for name, column in opened.edge_properties.items()}

    def test_generations(self):
        now, before = quern.open(VECTOR), quern.open(VECTOR, generation=1)
        self.assertEqual((list(now.ids), list(before.ids)), ([0, 1, 2, 3, 7], [0, 1, 2, 3, 7]))
        self.assertEqual((now.num_edges, before.num_edges), (5, 7))
        self.assertEqual((list(now.neighbors(1)), list(before.neighbors(1))), ([7], [2, 2, 2]))
        self.assertEqual((now.vertex_types, now.edge_types), ((), ()))
        with self.assertRaisesRegex(quern.UsageError, "has 2 generations, not 3"):
            quern.open("%s@3" % VECTOR)
        self.assertEqual([(one["added"], one["removed"]) for one in quern.generations(VECTOR)], [(3, 0), (1, 3)])
        self.assertEqual(quern.generations(VECTOR.parent / "graph.qrn"), [])
        self.assertEqual(quern.compact(VECTOR).num_edges, 5)

    def test_appends(self):
        """Of what the library has imported, whose options decide."""
        (self.at / "a.csv").write_text("1,2,5\n2,7,6\n7,1,9\n")
        (self.at / "b.csv").write_text("1,2,4\n3,1,2\n3,3,1\n")
        (self.at / "gone.csv").write_text("2,7\n5,5\n")
        base, now = self.at / "a.qrn", self.at / "now"
        quern.read(self.at / "a.csv", path=base, duplicates="min", self_loops="remove").close()
        with self.assertRaisesRegex(quern.UsageError, "path="):
            quern.append(base, self.at / "b.csv")
        with self.assertRaisesRegex(quern.UsageError, "append= or remove="):
            quern.append(base, path=now)
        self.assertEqual(quern.append(base, self.at / "b.csv", now)["new_vertices"], 1)
        self.assertEqual(self.edges(now)[0], [(1, 2, 4), (2, 7, 6), (3, 1, 2), (7, 1, 9)])
        with self.assertRaisesRegex(quern.InvalidError, "1 edge to be removed is not there"):
            quern.append(now, remove=self.at / "gone.csv", strict=True)
        self.assertEqual(quern.append(now, remove=[self.at / "gone.csv"])["missing"], 1)
        self.assertEqual(self.edges(now)[0], [(1, 2, 4), (3, 1, 2), (7, 1, 9)])
        self.assertEqual(quern.compact(now, self.at / "one.qrn").num_edges, 3)

    def test_continued_runs(self):
        """From the result of an earlier generation, of a base whose vertices are in another order than their ids."""
        (self.at / "a.csv").write_text("".join("%d,%d\n" % (3 * i, 3 * (i * i % 40)) for i in range(60)))
        (self.at / "b.csv").write_text("1,7\n7,100\n3,1\n120,2\n")
        base, now = self.at / "a.qrn", self.at / "now"
        quern.read(self.at / "a.csv").transform(base, relabel="degree").close()
        quern.append(base, self.at / "b.csv", now)
        for algorithm, given in (("cc", {}), ("bfs", {"source": 3}), ("sssp", {"source": 3}), ("pagerank", {})):
            run("quern-run", algorithm, base, *["--source=3"] * bool(given), "-qo", self.at / "old.tsv", "--force")
            with quern.open(now) as graph:
                whole = graph.run(algorithm, device="cpu", **given)
                gone_on = graph.run(algorithm, device="cpu", from_result=self.at / "old.tsv", from_generation=0, **given)
                self.assertLess(abs(gone_on.values.astype(float) - whole.values.astype(float)).max(initial=0, where=whole.values < 2**31), 1e-5)
                self.assertEqual(list(gone_on.values > 2**31), list(whole.values > 2**31))
                with self.assertRaisesRegex(quern.UsageError, "has 1 generation"):
                    graph.run(algorithm, from_result=self.at / "old.tsv", from_generation=2, **given)
        with self.assertRaisesRegex(quern.UsageError, "set with generations"):
            quern.open(base).run("cc", from_result=self.at / "old.tsv")

    def test_damaged_bases(self):
        (self.at / "a.csv").write_text("".join("%d,%d\n" % (i, i + 1) for i in range(9)))
        base = self.at / "a.qrn"
        quern.read(self.at / "a.csv", path=base).close()
        data = bytearray(base.read_bytes())
        with quern.open(base) as graph:
            columns = bytes(graph.column_indices)
        data[bytes(data).index(columns) + 4] ^= 64
        base.write_bytes(data)
        for given in (dict(edges=self.at / "a.csv", strict=True), dict(remove=self.at / "a.csv")):
            with self.assertRaisesRegex(quern.InvalidError, "column_indices"):
                quern.append(base, path=self.at / "now", **given)
        data[100] ^= 1
        base.write_bytes(data)
        with self.assertRaisesRegex(quern.InvalidError, "C-"):
            quern.append(base, self.at / "a.csv", self.at / "now")
        self.assertFalse((self.at / "now").exists())

    def test_times(self):
        (self.at / "a.csv").write_text("src,dst,since\n1,2,2023-11-05\n2,3,2024-02-29\n3,1,2024-06-30\n")
        graph = quern.read(self.at / "a.csv", properties="since:date")
        self.assertEqual(list(graph.transform(between=("2024-01-01", "")).edge_properties["since"].astype(str)), ["2024-02-29", "2024-06-30"])
        self.assertEqual(graph.transform(between="2024-01-01,2024-03-01", time="since", symmetrize=True).num_edges, 1)
        with self.assertRaisesRegex(quern.UsageError, "do not have a property year"):
            graph.transform(between="1,2", time="year")


@needs("numpy", "pyarrow")
class Tables(Changes):
    test_generations = test_appends = test_continued_runs = test_damaged_bases = test_times = None

    def test_tables(self):
        """Parquet, Arrow and tables in memory come with the columns that the graph has."""
        import pyarrow
        from pyarrow import feather, parquet
        types = pyarrow.schema([("src", "int64"), ("dst", "int64"), ("weight", "float32"), ("note", "string"), ("year", "int32")])

        def table(*rows):
            return pyarrow.table([[row[i] for row in rows] for i in range(5)], schema=types)
        parquet.write_table(table((1, 2, .5, "a", 1999), (2, 7, 1.5, None, 2000)), self.at / "a.parquet")
        parquet.write_table(table((1, 9, 2.5, "", None)), self.at / "b.parquet")
        feather.write_feather(table((9, 2, 3.5, "\u00e9, \"", 5)), str(self.at / "c.arrow"), compression="uncompressed")
        base, now = self.at / "a.qrn", self.at / "now"
        quern.read(self.at / "a.parquet", path=base, properties=True).close()
        quern.append(base, self.at / "b.parquet", now)
        run("quern-transform", now, "--append", self.at / "c.arrow", "--remove", self.at / "a.parquet", "-qo", now)
        quern.append(now, table((7, 7, 4.5, "z", 6)))
        rows, columns = self.edges(now)
        self.assertEqual(rows, [(1, 9, 2.5), (7, 7, 4.5), (9, 2, 3.5)])
        self.assertEqual([str(one) for one in columns["note"]], ["", "z", "\u00e9, \""])
        with self.assertRaisesRegex(quern.InvalidError, "year of the edges to be added is"):
            quern.append(now, table((7, 7, 4.5, "z", 6)).set_column(4, "year", pyarrow.array([6.5])))


if __name__ == "__main__":
    unittest.main()
