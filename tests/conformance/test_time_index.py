"""Indexes of edges by time: read by the specification alone, used where they help, and refused where one of their rules is broken or their bytes
are damaged."""

import json
import os
import random
import struct
import tempfile
import unittest
from pathlib import Path

from conformance.container_reader import Broken, read
from conformance.layout_readers import read_layout
from conformance.sealing import rebuilt
from harness import chance
from harness.tools import run

VECTOR = Path(os.environ["QUERN_SOURCE"]) / "specs/vectors/by-time.qrn"


class TimeIndex(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.at = Path(folder.name)

    def test_the_vector(self):
        run("quern-verify", "-q", VECTOR)
        made = read(VECTOR)
        self.assertEqual([made.array("by_time_0_" + what).tolist() for what in ("times", "edges", "ends", "loads")],
                         [[19666, 19666, 19904], [1, 3, 0], [0, 2, 2, 0, 0, 1], [2, 4, 5]])
        self.assertEqual(run("quern-run", "degree", VECTOR, "--between", "2023-11-05,2023-11-05", "-qo", "-").stdout, "1\t1\n2\t0\n3\t1\n")

    def test_what_sections_hold(self):
        data = VECTOR.read_bytes()
        for rule, name, contents in (
                ("P-12", "times", struct.pack("<2q", 19666, 19666)), ("P-12", "ends", struct.pack("<4I", 0, 2, 2, 0)), ("P-12", "loads", struct.pack("<2I", 2, 4)),
                ("P-13", "times", struct.pack("<3q", 19666, 19667, 19904)), ("P-13", "edges", struct.pack("<3I", 3, 1, 0)),
                ("P-13", "edges", struct.pack("<3I", 1, 1, 0)), ("P-13", "ends", struct.pack("<6I", 0, 2, 2, 1, 0, 1)),
                ("P-13", "edges", struct.pack("<3I", 1, 9, 0)), ("P-13", "loads", struct.pack("<3I", 2, 4, 6))):
            (self.at / "a.qrn").write_bytes(rebuilt(data, {"by_time_0_" + name: contents}))
            with self.subTest(rule=rule, section=name):
                self.assertIn(rule, run("quern-verify", self.at / "a.qrn", exit=3).stderr)
                with self.assertRaises(Broken) as broken:
                    read_layout(read(self.at / "a.qrn"))
                self.assertEqual(broken.exception.rule, rule)
        for name, contents in (("edges", (1, 3, 9)), ("ends", (0, 2, 2, 0, 9, 1)), ("ends", (0, 2, 2, 0, 0, 9))):
            (self.at / "a.qrn").write_bytes(rebuilt(data, {"by_time_0_" + name: struct.pack("<%dI" % len(contents), *contents)}))
            self.assertIn("P-13", run("quern-run", "degree", self.at / "a.qrn", "--between", "2024-01-01,", "--time", "t", exit=3).stderr)

    def make(self, rng):
        """A graph in several chunks, with dates of 1,000 days; some edges have none."""
        count = rng.choice((0, 1, 70, 300_000))
        (self.at / "a.csv").write_text("src,dst,weight,t,k\n" + "".join("%d,%d,%d,%s,%d\n" % (
            rng.randrange(900), rng.randrange(900), rng.randrange(9), "" if rng.random() < 0.1 else "20%02d-%02d-%02d" % (rng.randrange(20, 23), rng.randrange(1, 13), rng.randrange(1, 28)),
            rng.randrange(100)) for _ in range(count)))
        words = rng.choice(((), ("--undirected",), ("--transpose=also",), ("--weights=none",)))
        run("quern-import", self.at / "a.csv", "--format", "edges", "--properties", "t:date,k:u8", *words, "-fqo", self.at / "a.qrn")
        run("quern-transform", self.at / "a.qrn", "--index-time", "t", "-fqo", self.at / "i.qrn")

    def test_as_without(self):
        """What is picked is, but for what the metadata say, what is picked without an index."""
        rng = random.Random(chance.seed())
        for _ in range(3):
            self.make(rng)
            run("quern-verify", "-q", self.at / "i.qrn")
            for ends in ("2021-03-04,2021-03-12", "2021-01-01,", ",2019-12-31", "2020-02-02,2020-02-02"):
                for name in "ai":
                    run("quern-transform", self.at / (name + ".qrn"), "--between", ends, "-fqo", self.at / (name + "-out.qrn"))
                    run("quern-run", "pagerank", self.at / (name + ".qrn"), "--between", ends, "--time", "t", "-fqo", self.at / (name + ".tsv"))
                self.assertEqual((self.at / "a.tsv").read_bytes(), (self.at / "i.tsv").read_bytes())
                first, second = read(self.at / "a-out.qrn"), read(self.at / "i-out.qrn")
                for section in first.sections.keys() - {"metadata", "chunk_hashes"}:
                    self.assertEqual(bytes(first.bytes_of(section)), bytes(second.bytes_of(section)), section)

    def test_several_and_what_is_lost(self):
        rng = random.Random(1)
        self.make(rng)
        run("quern-transform", self.at / "i.qrn", "--index-time", "k", "-fqo", self.at / "both.qrn")
        names = read(self.at / "both.qrn").sections
        self.assertTrue({"by_time_0_times", "by_time_1_times"} <= names.keys())
        run("quern-verify", "-q", self.at / "both.qrn")
        told = run("quern-transform", self.at / "both.qrn", "--in-edges=also", "-fo", self.at / "x.qrn").stderr
        self.assertIn("--index-time", told)
        self.assertNotIn("by_time_0_times", read(self.at / "x.qrn").sections)
        for words, code in ((("--index-time", "weight"), 2), (("--index-time", "t", "--transpose"), 2), (("--index-time", "none"), 2)):
            run("quern-transform", self.at / "a.qrn", *words, "-fo", self.at / "y.qrn", exit=code)
        self.assertFalse((self.at / "y.qrn").exists())

    def test_damage(self):
        rng = random.Random(7)
        while True:
            self.make(rng)
            if len(read(self.at / "a.qrn").array("column_indices")) > 200_000:
                break
        before = (self.at / "i.qrn").read_bytes()
        sections = {section["name"]: section for section in json.loads(run("quern-info", "--json", self.at / "i.qrn").stdout)["sections"]}
        for name in [name for name in sections if name.startswith("by_time")]:
            data = bytearray(before)
            data[sections[name]["offset"] + sections[name]["bytes"] // 2] ^= 1
            (self.at / "i.qrn").write_bytes(data)
            self.assertIn(name, run("quern-verify", self.at / "i.qrn", exit=3).stderr)
            self.assertIn(name, run("quern-run", "pagerank", self.at / "i.qrn", "--between", "2021-06-25,2021-07-05", "--time", "t", exit=3).stderr)


if __name__ == "__main__":
    unittest.main()
