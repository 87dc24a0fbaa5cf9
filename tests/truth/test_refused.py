"""Files that must be refused, and that a refusal leaves nothing behind."""

import os
import tempfile
import unittest
from pathlib import Path

from harness.tools import run
from truth.datasets import GRAPHS

SMALL = GRAPHS / "lagraph-small"
TRUNCATED = GRAPHS / "broken/soc-Epinions1-truncated-gzip/soc-Epinions1.txt.gz"


class Refused(unittest.TestCase):
    def refuse(self, path, *codes):
        """Refused with one message that names the file, and no file appears."""
        with tempfile.TemporaryDirectory() as folder:
            finished = run("quern-import", path, "-o", Path(folder) / "out.qrn", exit=codes)
            self.assertEqual(os.listdir(folder), [])
        self.assertIn(path.name, finished.stderr)
        return finished.stderr

    def need(self, path):
        if not path.exists():
            self.skipTest("no graph %s (QUERN_TEST_GRAPHS=%s)" % (path.relative_to(GRAPHS), GRAPHS))

    def test_mangled(self):
        self.need(SMALL)
        mangled = sorted(SMALL.glob("mangled*.mtx"))
        self.assertGreater(len(mangled), 20)
        for path in mangled:
            with self.subTest(file=path.name):
                self.refuse(path, 3)

    def test_dense_and_complex(self):
        """Valid Matrix Market, but no graph: the reason is said."""
        self.need(SMALL)
        for name in ("full", "comments_full", "full_symmetric", "complex"):
            with self.subTest(file=name):
                self.assertRegex(self.refuse(SMALL / (name + ".mtx"), 3, 4), "array|complex")

    def test_truncated_gzip(self):
        self.need(TRUNCATED)
        self.refuse(TRUNCATED, 3)

    def test_not_graphs(self):
        self.need(SMALL)
        self.assertIn("JSON", self.refuse(SMALL / "garbage.lagraph", 4))
        self.refuse(SMALL / "comments.txt", 3)
