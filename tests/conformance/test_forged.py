"""Headers that count more than the file holds, under right checksums: refused by rule, by every tool."""

import os
import struct
import tempfile
import unittest
from pathlib import Path

from conformance.container_reader import Broken, Container, read
from conformance.sealing import resealed
from harness.tools import run

GOLDEN = Path(os.environ["QUERN_SOURCE"]) / "tests" / "golden" / "containers"
MOST = 2**64 - 1
BUILDERS = ("quern-block", "quern-partition", "quern-page", "quern-shard", "quern-hybrid", "quern-pack")
# Where a layout says E for the second time: the last element of these.
LAST_OFFSETS = {
    "graph": ("row_offsets", "in_row_offsets"),
    "blocked-csr": ("block_edges",),
    "edge-partitions": ("edge_offsets",),
    "slotted-pages": ("edge_offsets",),
    "shards": ("in_row_offsets", "out_row_offsets"),
    "hybrid": (),
    "packed": ("in_tile_edges", "out_tile_edges"),
}


def forged(path, num_edges, num_vertices=None):
    """The container with other counts in its header, and with last offsets that agree."""
    data, container = bytearray(path.read_bytes()), read(path)
    struct.pack_into("<Q", data, 56, num_edges)
    if num_vertices is not None:
        struct.pack_into("<Q", data, 48, num_vertices)
    for name in LAST_OFFSETS[container.layout]:
        if name in container.sections:
            section = container.sections[name]
            struct.pack_into("<Q", data, section.offset + section.logical_bytes - 8, num_edges)
    return resealed(data)


class ForgedCounts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def expect_refused(self, data, rule):
        path, out = self.folder / "forged.qrn", self.folder / "out"
        path.write_bytes(data)
        with self.assertRaises(Broken) as broken:
            Container(data)
        self.assertEqual(broken.exception.rule, rule)
        commands = [("quern-verify", path), ("quern-verify", "--quick", path), ("quern-info", path),
                    ("quern-run", "bfs", path, "--device=cpu"), ("quern-run", "bfs", path, "--trust", "--device=cpu"),
                    ("quern-run", "pagerank", path, "--device=cpu", "-o", out),
                    ("quern-export", path, "-o", out), ("quern-transform", path, "-o", out, "--symmetrize"),
                    ("quern-import", path, "-o", out), ("quern-archive", "create", path, "-o", out)]
        commands += [(builder, path, "-o", out) for builder in BUILDERS]
        for command in commands:
            with self.subTest(command=command[:2]):
                finished = run(*command, exit=3)
                self.assertIn(rule, finished.stdout + finished.stderr)
                self.assertFalse(out.exists())

    def test_edges_of_every_layout(self):
        for layout in LAST_OFFSETS:
            for num_edges in (MOST, 2**63, 2**40):
                with self.subTest(layout=layout, num_edges=num_edges):
                    self.expect_refused(forged(GOLDEN / (layout + ".qrn"), num_edges), "C-24")

    def test_edges_of_one_shard(self):
        one = self.folder / "one.qrn"
        run("quern-shard", GOLDEN / "graph.qrn", "--shard-vertices", "65536", "-qo", one)
        self.assertEqual(read(one).parameters[0], 1)
        self.expect_refused(forged(one, MOST), "C-24")

    def test_vertices(self):
        self.expect_refused(forged(GOLDEN / "graph.qrn", 300, 2**32 - 1), "C-24")

    def test_counts_of_a_checkpoint_are_of_another_file(self):
        data = bytearray((GOLDEN / "checkpoint.qrn").read_bytes())
        struct.pack_into("<Q", data, 56, 2**50)
        path = self.folder / "checkpoint.qrn"
        path.write_bytes(resealed(data))
        run("quern-verify", "-q", path)
