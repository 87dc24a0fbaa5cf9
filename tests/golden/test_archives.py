"""Archives made by earlier tools give back the same bytes for ever."""

import hashlib
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

GOLDEN = Path(os.environ["QUERN_SOURCE"]) / "tests" / "golden"

# SHA-256 of the containers that went in.
CONTAINERS = {
    "cut.qrn": "2aaa4f031d3e583ca58f8239a62eab6c449c853e4c2f694fa6b3c1d26bb3a73d",
    "undirected.qrn": "ba7c9b417978f569a0609c1584e8183ca2a809ff648f2bdce8b3bb64fc303bca",
    "directed.qrn": "81aa85b5d86f0032e678693725bedf9d3cc375fee545563f3c078b8eead66df3",
    "named.qrn": "13ccca629821115caef2cf0b673244d9e790047153525e03a5becca16cb32f84",
    "blocks.qrn": "a883d99de1bbbea386f40fa2e2f23ff9b1f40b853ac239ca81a6865b4b506bc2",
    "paged-rows.qrn": "583a83cbd2b4fb421de7af2644348793ab88cf5e607df530507959caf0f04ef9",
    "paged-gaps.qrn": "6eccb24b7bd8347c38190a18a84a15ad5bd7a3960e15e2fde1f631ba579f853c",
}


class GoldenArchives(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_tool(self, *command):
        done = subprocess.run([str(word) for word in command], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def check(self, name, path):
        self.assertEqual(hashlib.sha256(path.read_bytes()).hexdigest(), CONTAINERS[name])

    def test_bundles(self):
        bundle = GOLDEN / "archive-3.tar"
        self.run_tool("quern-archive", "extract", "-C", self.folder, bundle)
        for name in ("paged-rows.qrn", "paged-gaps.qrn"):
            with self.subTest(name):
                self.check(name, self.folder / name)
                self.run_tool("quern-verify", "-q", self.folder / name, "%s:%s" % (bundle, name))

    def test_single_archives(self):
        for name in ("undirected.qrn", "directed.qrn", "named.qrn", "blocks.qrn"):
            with self.subTest(name):
                self.run_tool("quern-verify", "-q", GOLDEN / "archive-1" / name)
                self.run_tool("quern-archive", "extract", "-o", name, GOLDEN / "archive-1" / name)
                self.check(name, self.folder / name)

    def test_single_archives_on_any_number_of_threads(self):
        """Of a whole triangle and of one that is cut into strips."""
        for archive, name in (("archive-1.qrn", "undirected.qrn"), ("archive-2.qrn", "cut.qrn")):
            for threads in (1, 2, 3, 8):
                self.run_tool("quern-archive", "extract", "-f", "-T", threads, "-o", "again.qrn", GOLDEN / archive)
                self.check(name, self.folder / "again.qrn")

    def test_what_is_made_today_is_the_same(self):
        """Not promised for ever (a newer zstd may pack otherwise), but what it holds is."""
        self.run_tool("quern-archive", "extract", "-o", "plain.qrn", GOLDEN / "archive-1.qrn")
        self.run_tool("quern-archive", "create", "-q", "-o", "made.qrn", "plain.qrn")
        self.run_tool("quern-archive", "extract", "-o", "back.qrn", "made.qrn")
        self.check("undirected.qrn", self.folder / "back.qrn")
