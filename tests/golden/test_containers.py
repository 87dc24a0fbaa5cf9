"""Containers of every layout, as the first build of version 1.0 wrote them, are read for ever.

One graph with parallel edges, loops, weights and original ids in all layouts, and more graphs. They have no section
chunk_hashes; graph-large.qrn has sections of more than one chunk, where such a section would be today."""

import gzip
import hashlib
import os
import tempfile
import unittest
from pathlib import Path

from conformance.checkpoint_reader import Checkpoint
from conformance.container_reader import Container, read
from conformance.layout_readers import read_layout
from harness.tools import run

GOLDEN = Path(os.environ["QUERN_SOURCE"]) / "tests" / "golden" / "containers"
LAYOUTS = ("graph", "blocked-csr", "edge-partitions", "slotted-pages", "shards", "hybrid", "packed")

# The vertices, and the SHA-256 of ids and edges, as content() has them.
CONTENTS = {
    **dict.fromkeys(LAYOUTS, (41, "371b8a1b329b4bd2de109a88d24fa001e9c14e8309a15573c86a5284cb392ad3")),
    "graph-strings-f32": (3, "11a572fd3f75422513ab971c049c16794f922858197c7f607f2078fe880ac5f5"),
    "graph-undirected": (41, "a2d339a32845665508c5ba2e27012fc515175c64d1ea8b2008a6086c2c7da282"),
    "graph-empty": (0, "1391876e63685b7da0e6a923dc6c4c106590930a70cdf4665088614cae243c44"),
}
LARGE = (3, "ca44fb48534eb46e6fa906eb1e5ca0c0618f42e55f40409270ee00db6757c93d")


def content(container):
    """What was imported, whatever the layout."""
    graph = read_layout(container)
    text = repr((sorted(graph.ids), graph.named_edges()))
    return len(graph.ids), hashlib.sha256(text.encode()).hexdigest()


CHECKPOINTS = ("checkpoint", "checkpoint-list", "checkpoint-part")


class GoldenContainers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_each_is_listed(self):
        self.assertEqual({path.stem for path in GOLDEN.glob("*.qrn")}, {*CONTENTS, *CHECKPOINTS})

    def test_they_are_valid_and_hold_their_graphs(self):
        for name, expected in CONTENTS.items():
            path, again = GOLDEN / (name + ".qrn"), self.folder / "again.qrn"
            with self.subTest(name):
                run("quern-verify", "-q", path)
                self.assertEqual(content(read(path)), expected)
                run("quern-import", path, "-fqo", again)
                self.assertEqual(content(read(again)), expected)
                run("quern-export", path, "-fqo", self.folder / "edges.txt")

    def test_they_run(self):
        results = set()
        for layout in LAYOUTS:
            values = self.folder / (layout + ".tsv")
            run("quern-run", "bfs", GOLDEN / (layout + ".qrn"), "--device=cpu", "-qo", values)
            results.add(values.read_bytes())
        self.assertEqual(len(results), 1)

    def test_they_are_archived(self):
        for name in (*CONTENTS, *CHECKPOINTS):
            with self.subTest(name):
                run("quern-archive", "create", GOLDEN / (name + ".qrn"), "-fqo", self.folder / "packed.qrn")
                run("quern-archive", "extract", self.folder / "packed.qrn", "-fqo", self.folder / "plain.qrn")
                self.assertEqual((self.folder / "plain.qrn").read_bytes(), (GOLDEN / (name + ".qrn")).read_bytes())

    def test_checkpoint(self):
        checkpoint = Checkpoint(read(GOLDEN / "checkpoint.qrn"))
        self.assertEqual(checkpoint.run["algorithm"], "pagerank")
        self.assertEqual(checkpoint.identity, read(GOLDEN / "graph.qrn").checksum)
        run("quern-verify", "-q", GOLDEN / "checkpoint.qrn")

    def test_checkpoint_of_two_ranks(self):
        part, whole = (read(GOLDEN / ("checkpoint-%s.qrn" % name)) for name in ("part", "list"))
        self.assertEqual(Checkpoint(whole).parts[1], (23, 41, part.checksum))
        self.assertEqual((Checkpoint(part).begin, Checkpoint(part).end), (23, 41))
        self.assertEqual(Checkpoint(part).registers, Checkpoint(whole).registers)
        for name in ("part", "list"):
            run("quern-verify", "-q", GOLDEN / ("checkpoint-%s.qrn" % name))

    def test_one_of_several_chunks(self):
        data = gzip.decompress((GOLDEN / "graph-large.qrn.gz").read_bytes())
        path = self.folder / "graph-large.qrn"
        path.write_bytes(data)
        self.assertNotIn("chunk_hashes", Container(data).sections)
        run("quern-verify", "-q", path)
        self.assertEqual(content(Container(data)), LARGE)
        run("quern-import", path, "-fqo", self.folder / "again.qrn")
        again = read(self.folder / "again.qrn")
        self.assertIn("chunk_hashes", again.sections)
        self.assertEqual(content(again), LARGE)
        run("quern-archive", "create", path, "-qo", self.folder / "packed.qrn")
        run("quern-archive", "extract", self.folder / "packed.qrn", "-qo", self.folder / "plain.qrn")
        self.assertEqual((self.folder / "plain.qrn").read_bytes(), data)

    def test_damage_in_one_of_several_chunks(self):
        """Without the hashes of chunks a section is verified whole."""
        sound = gzip.decompress((GOLDEN / "graph-large.qrn.gz").read_bytes())
        path = self.folder / "graph-large.qrn"
        for at in (8192 + 100, 8192 + (9 << 17), 1208320 + 9):
            path.write_bytes(sound[:at] + bytes([sound[at] ^ 16]) + sound[at + 1:])
            for command in (("quern-verify",), ("quern-run", "bfs", "--device=cpu"), ("quern-export", "-o", "-")):
                self.assertRegex(run(*command, path, exit=3).stderr, "C-21")
