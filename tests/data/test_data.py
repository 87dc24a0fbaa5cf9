"""Crafted files of every format: `refused/FORMAT/*` must be refused, `whole/FORMAT/*` are sound, and no piece of one may do
more harm than being refused. What comes after '@' in a folder's name is --record."""

import gzip
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from harness.tools import run

HERE = Path(os.environ["QUERN_SOURCE"]) / "tests/data"
# A piece of these may be a smaller graph; of all others only the last line's end may lack.
ANY_PIECE = {"edges", "vertices", "pairs"}


def cuts(size):
    """Lengths of pieces: all, but of archives, which are long for the little they hold, every fifth before the last bytes."""
    return (length for length in range(1, size) if size < 200 or length % 5 == 0 or length > size - 30)


def folders(kind):
    """(format options, format, files) of each folder."""
    for folder in sorted((HERE / kind).iterdir()):
        name, _, record = folder.name.partition("@")
        yield ("--format", name) + (("--record", record) if record else ()), name, sorted(folder.iterdir())


class _Data(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def read(self, data, options, exit):
        """Import these bytes from standard input; gives the messages."""
        command = ["quern-import", "-", "-q", "-f", "-o", str(self.folder / "out.qrn"), *options]
        done = subprocess.run(command, input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        said = done.stderr.decode(errors="backslashreplace")
        self.assertIn(done.returncode, exit, said)
        self.assertNotIn("Sanitizer", said)
        if done.returncode:
            self.assertEqual(os.listdir(self.folder), [])
        else:
            (self.folder / "out.qrn").unlink()
        return said


class Refused(_Data):
    def test_refused(self):
        count = 0
        for options, name, files in folders("refused"):
            for file in files:
                with self.subTest(format=name, file=file.name):
                    said = run("quern-import", file, "-o", self.folder / "out.qrn", *options, exit=3).stderr
                    self.assertIn(file.name, said)
                    self.assertEqual(os.listdir(self.folder), [])
                    if name != "graphalytics":
                        self.read(gzip.compress(file.read_bytes()), options, (3,))
                    count += 1
        self.assertGreater(count, 70)


class Whole(_Data):
    tier = "medium"
    timeout = 300

    def test_pieces(self):
        for options, name, files in folders("whole"):
            for file in files:
                data = file.read_bytes()
                with self.subTest(format=name, file=file.name):
                    self.read(data, options, (0,))
                for length in cuts(len(data)):
                    with self.subTest(format=name, file=file.name, length=length):
                        digits = data[length:].strip().isdigit() or not data[length:].strip()
                        accepted = name in ANY_PIECE or digits
                        self.read(data[:length], options, (0, 3) if accepted else (3,))
