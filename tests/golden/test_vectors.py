"""Archives that were written from the specification alone: both readers take them, and what they decode to is known."""

import gzip
import os
import tempfile
import unittest
from pathlib import Path

from conformance.checkpoint_reader import Checkpoint
from conformance.container_reader import Container
from conformance.layout_readers import read_layout
from golden import make_vectors
from harness.tools import run

GOLDEN = Path(os.environ["QUERN_SOURCE"]) / "tests" / "golden"


def unpacked(folder):
    return {path.name[:-len(".qrn.gz")]: gzip.decompress(path.read_bytes())
            for path in sorted((GOLDEN / folder).glob("*.qrn.gz"))}


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.path = self.folder / "vector.qrn"


class Archives(InFolder):
    """Every filter, f32 weights, string ids, undirected graphs, V = 0, strips, pages, varints of every length."""

    def test_they_are_what_the_script_writes(self):
        made = {name: make().bytes() for name, make in make_vectors.ARCHIVES.items()}
        self.assertEqual(unpacked("archives"), made)

    def test_both_readers_take_them(self):
        for name, data in unpacked("archives").items():
            with self.subTest(name):
                container = Container(data)
                (Checkpoint if container.layout == "checkpoint" else read_layout)(container)
                self.path.write_bytes(data)
                run("quern-verify", "-q", self.path)

    def test_they_are_restored(self):
        for name, data in unpacked("archives").items():
            with self.subTest(name):
                self.path.write_bytes(data)
                run("quern-archive", "extract", self.path, "-fqo", self.folder / "plain.qrn")
                plain = make_vectors.plain(make_vectors.ARCHIVES[name]()).bytes()
                self.assertEqual((self.folder / "plain.qrn").read_bytes(), plain)

    def test_they_have_every_filter(self):
        sections = [section for data in unpacked("archives").values() for section in Container(data).sections.values()]
        self.assertEqual({section.filter for section in sections if section.codec}, set(range(8)))
        self.assertEqual({(section.upper, section.strips) for section in sections},
                         {(False, False), (True, False), (True, True)})
