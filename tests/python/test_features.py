"""Features in Python: rows of properties, from memory and from files."""

import os
import pickle
import tempfile
import unittest
from pathlib import Path

from harness.package import needs, quern

if quern is not None:
    import numpy


@needs("numpy")
class Features(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        random, self.path = numpy.random.default_rng(1), str(Path(scratch.name) / "f.qrn")
        graph = quern.generate("rmat", 10, degree=4)
        count = len(graph)
        self.columns = {"x": random.random((count, 100), "f4"), "half": random.random((count, 3)).astype("f2"),
                        "label": random.integers(0, 9, count).astype("i1"), "known": random.random(count) < .5,
                        "born": numpy.arange(count).astype("M8[D]"), "seen": numpy.arange(count).astype("M8[ms]")}
        self.edges = {"w": random.random((graph.num_edges, 2))}
        self.graph = graph.with_properties({**self.columns, "name": ["a"] * count}, self.edges, path=self.path)
        self.numbers = random.integers(0, count, 3000)

    def test_rows(self):
        self.assertEqual(sorted(self.graph.features), sorted(self.columns))
        for read, cache in ((False, None), (True, None), (True, "64K")):
            for name, column in self.columns.items():
                feature = quern.Feature(self.graph, name, read=read, cache=cache)
                for _ in range(2):
                    found = feature[self.numbers]
                    self.assertEqual((found.dtype, feature.shape), (column.dtype, column.shape))
                    self.assertTrue((found == column[self.numbers]).all(), name)
                self.assertTrue((feature[:7] == column[:7]).all() and (feature[-1] == column[-1]).all())
                self.assertEqual(feature[[]].shape, (0, *column.shape[1:]))
        feature = quern.Feature(self.graph, "x", read=True, cache="64K")
        feature[self.numbers]
        info = feature.info()
        self.assertIn(info["how"], ("io_uring", "pread"))
        self.assertLessEqual(info["cache_bytes"], 65536)
        self.assertGreater(info["bytes_read"], 0)
        self.assertTrue((self.graph.edge_features["w"][self.numbers] == self.edges["w"][self.numbers]).all())
        self.assertEqual(self.graph.features["x"].info()["how"], "memory")

    def test_into_what_is_given(self):
        out = numpy.empty((3000, 100), "f4")
        self.assertIs(self.graph.features["x"].gather(self.numbers, out, threads=2), out)
        self.assertTrue((out == self.columns["x"][self.numbers]).all())
        read_only = out.copy()
        read_only.flags.writeable = False
        for wrong in (out[:-1], numpy.empty((3000, 100), "f8"), numpy.empty((100, 3000), "f4").T, read_only, [1]):
            with self.assertRaisesRegex(quern.UsageError, "out is "):
                self.graph.features["x"].gather(self.numbers, wrong)

    def test_refused(self):
        for numbers, message in (([0, 1024], "row 1024 among 1024"), ([-2], "row -2"), ([.5], "array of integers"), ([[1]], "dimension")):
            for read in (False, True):
                with self.assertRaisesRegex(quern.UsageError, message):
                    quern.Feature(self.graph, "x", read=read).gather(numbers)
        with self.assertRaisesRegex(quern.UsageError, "texts"):
            quern.Feature(self.graph, "name")
        with self.assertRaisesRegex(quern.UsageError, "no property 'y'"):
            quern.Feature(self.graph, "y")
        self.assertNotIn("name", self.graph.features)

    def test_elsewhere_and_after_a_cut(self):
        features = [quern.Feature(quern.open(self.path), "x", read=read) for read in (False, True)]
        again = [pickle.loads(pickle.dumps(feature)) for feature in features]
        for feature in features + again:
            self.assertTrue((feature[self.numbers] == self.columns["x"][self.numbers]).all())
        child = os.fork()
        if child == 0:
            os._exit(0 if all((feature[self.numbers] == self.columns["x"][self.numbers]).all() for feature in features) else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        os.truncate(self.path, 65536)
        for feature in features:
            with self.assertRaisesRegex(OSError, "while it was in use"):
                feature[self.numbers]
