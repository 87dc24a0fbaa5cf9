"""Forged containers: headers that count more than the file holds, refused by rule, by every tool; and every field, section and number
of sound ones changed alone, on which the second reader and quern-verify agree. All checksums are right."""

import os
import random
import re
import struct
import tempfile
import unittest
from pathlib import Path

from conformance import forgeries
from conformance.checkpoint_reader import Checkpoint
from conformance.container_reader import Broken, Container, read
from conformance.layout_readers import read_layout
from conformance.sealing import resealed
from golden import make_vectors
from golden.container_writer import TEXT, Section
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


class Metadata(unittest.TestCase):
    """Who reads them refuses what is no object (M-1); others do not look; and what an object holds is not relied on."""

    READERS = (("quern-verify",), ("quern-info",), ("quern-transform", "--symmetrize", "-fqo", "out.qrn"), ("quern-pack", "-fqo", "out.qrn"),
               ("quern-archive", "create", "-fqo", "out.qrnz"))
    OTHERS = (("quern-run", "pagerank", "-q"), ("quern-export", "--format=edges", "-fqo", "out.txt"), ("quern-import", "-fqo", "out.qrn"))

    def with_metadata(self, base, text):
        container = make_vectors.base(base)
        container.sections = [section for section in container.sections if section.name != "metadata"]
        container.sections.append(Section("metadata", TEXT, 1, text.encode(), 0))
        Path("in.qrn").write_bytes(container.bytes())

    def test_no_object(self):
        for text in ("[]", "5", "{", '{"a": 1, "a": 1}', ""):
            self.with_metadata("graph", text)
            with self.subTest(text):
                for tool, *options in self.READERS:
                    self.assertIn("M-1", run(tool, *options, "in.qrn", exit=3).stderr)
                for tool, *options in self.OTHERS:
                    run(tool, *options, "in.qrn")

    def test_other_types(self):
        for base in ("graph", "graph-undirected"):
            for text in ('{"ledger": 5}', '{"ledger": {"undirected_edges": "x", "notes": 7}}', '{"inputs": 5, "input": []}', '{"source": []}',
                         '{"source": {"identity": 5, "metadata": []}}', '{"tool": {}, "version": null, "options": []}'):
                self.with_metadata(base, text)
                with self.subTest(text, base=base):
                    for tool, *options in self.READERS + self.OTHERS:
                        run(tool, *options, "in.qrn")


class EveryField(unittest.TestCase):
    """Some forgeries of each kind of container, and with --tier long all of them."""

    tier, sanitized_tier, timeout = "medium", "long", 300
    some, elements, used = 12, 2, 2

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path, self.out = Path(folder.name) / "forged.qrn", Path(folder.name) / "out.qrn"

    def verdict(self, data):
        """The rule that the second reader finds broken, or None."""
        try:
            container = Container(data)
            (Checkpoint if container.layout == "checkpoint" else read_layout)(container)
        except Broken as broken:
            return broken.rule
        return None

    def check(self, base, what, data, is_used):
        rule = self.verdict(data)
        self.path.write_bytes(data)
        finished = run("quern-verify", "-q", self.path, exit=(0, 3, 4))
        with self.subTest(base, what=what):
            self.assertEqual(finished.returncode != 0, rule is not None, (rule, finished.stderr))
            if rule:
                self.assertRegex(finished.stderr, r"\b[A-Z]{1,2}-\d+: ")
            if rule and is_used and not re.match("M-|P-|C-20", rule) and not what.startswith("metadata "):
                run("quern-import", "--format", "quern", self.path, "-fqo", self.out, exit=(3, 4))
                self.assertFalse(self.out.exists())

    def forgeries_of(self, container, chance):
        everything = [*forgeries.of_headers(container), *forgeries.of_sections(container),
                      *forgeries.of_elements(container, chance, self.elements)]
        return chance.sample(everything, min(self.some, len(everything)))

    def test_both_readers_agree(self):
        bases = [path.stem for folder in (make_vectors.SPECS / "vectors", GOLDEN) for path in sorted(folder.glob("*.qrn"))]
        bases += make_vectors.ARCHIVES
        chance = random.Random(20)
        for base in bases:
            container = make_vectors.base(base)
            self.assertIsNone(self.verdict(container.bytes()), base)
            for i, (what, edit) in enumerate(self.forgeries_of(container, chance)):
                self.check(base, what, forgeries.forged(container, edit), i < self.used)


class EveryFieldLong(EveryField):
    tier, timeout = "long", 3600
    some, elements, used = 10**6, 30, 10**6
