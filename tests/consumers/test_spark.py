"""Spark reads the tables that quern-export writes, and quern-import the folders that Spark writes."""

import csv
import shutil
import tempfile
import unittest
from pathlib import Path

from harness.tools import run

try:
    import pyspark.sql as spark
except ImportError:
    spark = None


@unittest.skipUnless(spark and shutil.which("java"), "no pyspark, or no java")
class Spark(unittest.TestCase):
    tier, sanitized_tier, timeout = "medium", "long", 300

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.at = Path(scratch.name)
        options = {"spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1",
                   "spark.sql.shuffle.partitions": "2",
                   "spark.sql.warehouse.dir": str(cls.at / "warehouse"), "spark.local.dir": str(cls.at)}
        builder = spark.SparkSession.builder.master("local[2]")
        for key, value in options.items():
            builder = builder.config(key, value)
        cls.session = builder.getOrCreate()
        cls.addClassCleanup(cls.session.stop)
        run("quern-generate", "rmat", "--scale", "9", "--degree", "4", "--weights", "1,100", "-q", "-o", cls.at / "numbers.qrn")
        with open(cls.at / "names.csv", "w", newline="") as out:
            csv.writer(out).writerows([("source", "target"), ("a,b", 'say "hi"'), ('say "hi"', "c d"), ("c d", "#1"), ("é", "c d")])
        run("quern-import", cls.at / "names.csv", "--ids", "strings", "-q", "-o", cls.at / "names.qrn")

    def edges(self, graph):
        return sorted(run("quern-export", "-q", self.at / (graph + ".qrn"), "-o", "-").stdout.splitlines())

    def frame(self, graph, **options):
        folder = self.at / (graph + "-frames")
        run("quern-export", "-q", "-f", self.at / (graph + ".qrn"), "-o", folder, "--format", "graphframes")
        return [self.session.read.csv(str(folder / name), header=True, escape='"', **options) for name in ("vertices.csv", "edges.csv")]

    def test_tables(self):
        vertices, edges = self.frame("numbers", inferSchema=True)
        self.assertEqual(sorted(row.id for row in vertices.collect()), list(range(512)))
        lines = ["\t".join(map(str, row)) for row in edges.collect()]
        self.assertEqual(sorted(lines), self.edges("numbers"))

    def test_names(self):
        vertices, edges = self.frame("names")
        self.assertEqual(sorted(row.id for row in vertices.collect()), sorted(["#1", "a,b", "c d", 'say "hi"', "é"]))
        self.assertIn(("a,b", 'say "hi"'), map(tuple, edges.collect()))

    def come_back(self, graph, folder, *options):
        run("quern-import", folder, "-q", "-f", "-o", self.at / "back.qrn", *options)
        self.assertEqual(self.edges("back"), self.edges(graph))

    def test_folders(self):
        """Parts with a header each, some of them empty; packed; and JSON lines."""
        for graph, options in (("numbers", ["--vertices", "512"]), ("names", ["--ids", "strings"])):
            edges = self.frame(graph)[1].repartition(3)
            folder = str(self.at / graph)
            edges.write.csv(folder + "-plain", header=True, escape='"')
            self.come_back(graph, folder + "-plain", *options)
            edges.write.csv(folder + "-gzip", header=True, escape='"', compression="gzip")
            self.come_back(graph, folder + "-gzip", *options)
        edges.write.json(folder + "-json")
        self.come_back(graph, folder + "-json")

    def test_backslashes(self):
        """What Spark writes if nobody says otherwise."""
        self.frame("names")[1].write.csv(str(self.at / "escaped"), header=True)
        run("quern-import", self.at / "escaped", "-q", "-o", self.at / "x.qrn", exit=3)
        self.come_back("names", self.at / "escaped", "--escape", "backslash", "--ids", "strings")
