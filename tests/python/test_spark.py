"""Sets by Spark: those that quern-import --parts makes of the same edges, and back; on two executors of a local cluster."""

import contextlib
import io
import json
import os
import random
import runpy
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from harness.package import SOURCE, needs, quern
from harness.tools import run

class _Session(unittest.TestCase):
    timeout = 900

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.at = Path(folder.name)
        os.environ.update(PYSPARK_PYTHON=sys.executable, PYTHONWARNINGS="ignore", SPARK_LOCAL_IP="127.0.0.1",
                          SPARK_LOCAL_DIRS=str(cls.at), SPARK_WORKER_DIR=str(cls.at),
                          JDK_JAVA_OPTIONS="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")  # half of the time is compiling
        from pyspark.sql import SparkSession
        build = SparkSession.builder.master("local-cluster[2,1,512]")
        for name, value in {"ui.enabled": "false", "executor.memory": "512m", "sql.shuffle.partitions": "2",
                            "sql.adaptive.enabled": "false", "log.level": "ERROR", "executor.heartbeatInterval": "60s",
                            "network.timeout": "240s", "sql.warehouse.dir": str(cls.at / "warehouse"),
                            **{"executorEnv." + key: os.environ[key] for key in ("PYTHONPATH", "QUERN_LIBRARY")}}.items():
            build = build.config("spark." + name, value)
        cls.session = build.getOrCreate()
        cls.addClassCleanup(cls.session.stop)
        from quern import spark
        cls.spark = spark

    def same(self, edges, schema, cut, options, rows="in", **arguments):
        """What Spark makes of the edges is what the tools make, but for where it says that it is from."""
        (self.at / "in.txt").write_text("".join("\t".join(map(str, edge)) + "\n" for edge in edges))
        from quern._graph import open_part
        run("quern-import", self.at / "in.txt", "-qfo", self.at / "in.qrn", *options)
        words = [word for name, value in cut.items() for word in ("--" + name.replace("_", "-"), value)]
        run("quern-transform", self.at / "in.qrn", "-qfo", self.at / "imported", *words, "--rows", rows)
        frame = self.session.createDataFrame(edges, schema).repartition(2)
        self.spark.write(frame, self.at / "made", force=True, rows=rows, **cut, **arguments)
        run("quern-verify", "-q", self.at / "made")
        imported, made = (json.loads((self.at / name / "set.json").read_text()) for name in ("imported", "made"))
        self.assertTrue(imported["graph"].pop("identity"))
        self.assertEqual(made["graph"], imported["graph"])
        for key in ("vertices", "blocks"):
            self.assertEqual([{**file, "bytes": 0, "identity": ""} for file in made[key]],
                             [{**file, "bytes": 0, "identity": ""} for file in imported[key]])
        for name in [file["name"] for file in made["vertices"] + made["blocks"]]:
            one, other = open_part(self.at / "imported" / name), open_part(self.at / "made" / name)
            self.assertEqual(list(other.arrays), list(one.arrays))
            for section in one.arrays:
                if section not in ("metadata", "chunk_hashes"):
                    self.assertEqual(other.arrays[section].tobytes(), one.arrays[section].tobytes(), (name, section))
        return sorted(map(tuple, self.spark.read(self.session, self.at / "made").collect()))


@needs("pyspark", "pyarrow", "pandas")
class Spark(_Session):
    tier = "medium"

    def test_names(self):
        """Undirected, real weights, of parallel edges the least; blocks of rows and columns."""
        names = ["ä", "b", "Z", "zz", "\U0001f600", "z"]
        edges = [(a, b, round(0.1 * len(a + b) + i, 1)) for i, a in enumerate(names) for b in names[:i + 1]] * 2
        edges += [("b", "ä", 0.25)]
        back = self.same(edges, "source string, target string, w double", {"block_vertices": 2},
                         ["--ids=strings", "--undirected", "--duplicates=min", "--weights=f64"],
                         weight="w", directed=False, duplicates="min")
        least = {}
        for a, b, w in edges:
            key = min(a.encode(), b.encode()).decode(), max(a.encode(), b.encode()).decode()
            least[key] = min(w, least.get(key, w))
        self.assertEqual(back, sorted((*key, w) for key, w in least.items()))


@needs("pyspark", "pyarrow", "pandas")
class SparkWhole(_Session):
    tier = "long"

    def test_numbers(self):
        """Sparse ids, loops, parallel edges, weights that are u32, and a vertex that has no edges."""
        chance = random.Random(3)
        ids = [chance.randrange(2**40) for _ in range(60)]
        edges = [(chance.choice(ids[1:]), chance.choice(ids[1:]), chance.randrange(5)) for _ in range(400)]
        edges.sort(key=lambda edge: edge[2])  # of parallel edges with weights Spark has no first one
        (self.at / "v.txt").write_text("id\n" + "".join("%d\n" % i for i in ids))
        vertices = self.session.createDataFrame([(i,) for i in ids], "name long")
        back = self.same(edges, "a long, b long, c int", {"parts": 4}, ["--vertices", str(self.at / "v.txt"), "--weights=u32"],
                         source="a", target="b", weight="c", vertices=vertices, id="name")
        self.assertEqual(back, sorted(edges))

    def test_numbers_that_are_vertices(self):
        edges = [(0, 2), (2, 0), (2, 0), (1, 3)]
        for cut in ({"parts": 9}, {"block_vertices": 3}):  # more parts than are of use
            back = self.same(edges, "source int, target int", cut, ["--duplicates=remove"], rows="out", duplicates="remove")
            self.assertEqual(back, sorted(set(edges)))

    def test_example(self):
        """In this session, as spark-submit would: a file of Parquet, without weights."""
        self.session.createDataFrame([("a", "b"), ("c", "a")], "src string, dst string").write.parquet(str(self.at / "edges"))
        with mock.patch.object(sys, "argv", ["", str(self.at / "edges"), str(self.at / "example"), "2"]), \
                contextlib.redirect_stdout(io.StringIO()) as printed:
            runpy.run_path(str(SOURCE / "examples" / "python_spark.py"))
        self.assertEqual(printed.getvalue(), "2 of 2 edges are there again\n")

    def test_what_is_refused(self):
        def refused(kind, message, edges, schema="source long, target long, w double", **arguments):
            frame = self.session.createDataFrame(edges, schema)
            with self.assertRaisesRegex(kind, message):
                self.spark.write(frame, self.at / "no", 2, **arguments)
            self.assertEqual(list(self.at.glob("no*")), [])
        refused(quern.InvalidError, r"a null, a negative id.*\(1, -2\)", [(0, 1, 0.5), (1, -2, 0.5)])
        refused(quern.InvalidError, "not finite", [(0, 1, float("inf"))], weight="w")
        refused(quern.UsageError, "no column x; there are source, target, w", [(0, 1, 1.0)], weight="x")
        refused(quern.UsageError, 'duplicates="min" or "sum"', [(0, 1, 1.0)], weight="w", duplicates="remove")
        refused(quern.UsageError, "two ways to cut", [(0, 1, 1.0)], block_vertices=1)
        refused(quern.UsageError, "both are strings; here they are bigint and string", [(0, "a")], "source long, target string")
        frame = self.session.createDataFrame([(0, 1)], "source long, target long")
        (self.at / "there").mkdir(exist_ok=True)
        with self.assertRaisesRegex(quern.UsageError, "the output exists"):
            self.spark.write(frame, self.at / "there", 2)
        with self.assertRaisesRegex(quern.SystemFailure, "set.json"):
            self.spark.read(self.session, self.at / "nowhere")

    def test_files_of_another_set(self):
        """Names or parts that others have put there, and damage: refused by name, before Spark has an edge of it."""
        for name, last in (("one", "c"), ("other", "d")):
            frame = self.session.createDataFrame([("a", "b"), ("b", last)], "source string, target string")
            self.spark.write(frame, self.at / name, 2)
        kept = (self.at / "one/vertices.qrn").read_bytes()
        (self.at / "one/vertices.qrn").write_bytes((self.at / "other/vertices.qrn").read_bytes())
        with self.assertRaisesRegex(quern.InvalidError, r"vertices\.qrn: SET-6: .*another file than the set was made with"):
            self.spark.read(self.session, self.at / "one")
        (self.at / "one/vertices.qrn").write_bytes(kept)
        frame, part = self.spark.read(self.session, self.at / "one"), self.at / "one/part-00001.qrn"
        whole = part.read_bytes()
        part.write_bytes(whole[:-300] + bytes([whole[-300] ^ 1]) + whole[-299:])
        with self.assertRaisesRegex(Exception, r"part-00001\.qrn"):
            frame.collect()
        part.write_bytes(whole)
        self.assertEqual(len(frame.collect()), 2)
        manifest = (self.at / "one/set.json").read_text()
        (self.at / "one/set.json").write_text(manifest.replace('"vertices.qrn"', '"../other/vertices.qrn"'))
        with self.assertRaisesRegex(quern.InvalidError, "SET-2: '../other/vertices.qrn' is not"):
            self.spark.read(self.session, self.at / "one")
