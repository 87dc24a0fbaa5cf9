"""Crafted files of every format: `refused/FORMAT/*` must be refused, plain and packed. What comes after '@' in a folder's
name is --record. (`whole/FORMAT/*` are sound: unit/test_pieces.c reads them, and every piece of them.)"""

import gzip
import os
import tempfile
import unittest
from pathlib import Path

from harness.tools import run

HERE = Path(os.environ["QUERN_SOURCE"]) / "tests/data"


class Refused(unittest.TestCase):
    def refused(self, name, data, options, folder):
        """Gives the messages."""
        (folder / name).write_bytes(data)
        said = run("quern-import", folder / name, "-o", folder / "out.qrn", *options, exit=3).stderr
        self.assertEqual(os.listdir(folder), [name])
        (folder / name).unlink()
        return said

    def test_refused(self):
        count = 0
        for folder in sorted((HERE / "refused").iterdir()):
            name, _, record = folder.name.partition("@")
            options = ("--format", name) + (("--record", record) if record else ())
            for file in sorted(folder.iterdir()):
                with self.subTest(format=name, file=file.name), tempfile.TemporaryDirectory() as scratch:
                    self.assertIn(file.name, self.refused(file.name, file.read_bytes(), options, Path(scratch)))
                    if name != "graphalytics":
                        self.refused("packed.gz", gzip.compress(file.read_bytes()), options, Path(scratch))
                    count += 1
        self.assertGreater(count, 70)
