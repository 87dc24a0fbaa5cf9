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
LAYOUTS = ("graph", "blocked-csr", "edge-partitions", "slotted-pages", "shards", "hybrid")

# SHA-256 of the text that quern-export writes.
EXPORTS = {
    **dict.fromkeys(LAYOUTS, "2db92325e042229ef8831052077156a879aaa055dd290efbe9a0b462821ce42c"),
    "graph-strings-f32": "43e1844062259943ac0ce440f05fcd4d87b8ebdb54457cadfd71f63a537ae727",
    "graph-undirected": "8f18d01e0a1fd923af7c3935213f0dfb29ac7c58d5b825b4d1eeadd29240d7c3",
    "graph-empty": "18e10a51b051d078a503e28e4899aad71dcc7efed40d89ec0bbb92b44e2fff1a",
}
LARGE_EXPORT = "1e8d4df2eddbf6b581fb44f3293fd315f30e90bfae60226ba814e29d8ec54c82"


def exported(path):
    return hashlib.sha256(run("quern-export", path, "-qo", "-").stdout.encode()).hexdigest()


class GoldenContainers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_each_is_listed(self):
        self.assertEqual({path.stem for path in GOLDEN.glob("*.qrn")}, {*EXPORTS, "checkpoint"})

    def test_they_are_valid_and_hold_their_graphs(self):
        for name, expected in EXPORTS.items():
            path = GOLDEN / (name + ".qrn")
            with self.subTest(name):
                run("quern-verify", "-q", path)
                read_layout(read(path))
                self.assertEqual(exported(path), expected)

    def test_they_run(self):
        results = set()
        for layout in LAYOUTS:
            values = self.folder / (layout + ".tsv")
            run("quern-run", "bfs", GOLDEN / (layout + ".qrn"), "--device=cpu", "-qo", values)
            results.add(values.read_bytes())
        self.assertEqual(len(results), 1)

    def test_they_are_archived(self):
        for name in (*EXPORTS, "checkpoint"):
            with self.subTest(name):
                run("quern-archive", "create", GOLDEN / (name + ".qrn"), "-fqo", self.folder / "packed.qrn")
                run("quern-archive", "extract", self.folder / "packed.qrn", "-fqo", self.folder / "plain.qrn")
                self.assertEqual((self.folder / "plain.qrn").read_bytes(), (GOLDEN / (name + ".qrn")).read_bytes())

    def test_checkpoint(self):
        checkpoint = Checkpoint(read(GOLDEN / "checkpoint.qrn"))
        self.assertEqual(checkpoint.run["algorithm"], "pagerank")
        self.assertEqual(checkpoint.identity, read(GOLDEN / "graph.qrn").checksum)
        run("quern-verify", "-q", GOLDEN / "checkpoint.qrn")

    def test_one_of_several_chunks(self):
        data = gzip.decompress((GOLDEN / "graph-large.qrn.gz").read_bytes())
        path = self.folder / "graph-large.qrn"
        path.write_bytes(data)
        self.assertNotIn("chunk_hashes", Container(data).sections)
        run("quern-verify", "-q", path)
        self.assertEqual(exported(path), LARGE_EXPORT)
        run("quern-archive", "create", path, "-qo", self.folder / "packed.qrn")
        run("quern-archive", "extract", self.folder / "packed.qrn", "-qo", self.folder / "plain.qrn")
        self.assertEqual((self.folder / "plain.qrn").read_bytes(), data)
