"""Files that break one rule each, under right checksums: both readers name it."""

import os
import re
import struct
import tempfile
import unittest
from pathlib import Path

from conformance.container_reader import Broken, Container, read
from conformance.layout_readers import read_layout
from conformance.sealing import entry_of, rebuilt, resealed
from harness.tools import run

SPECS = Path(os.environ["QUERN_SOURCE"]) / "specs"
GOLDEN = Path(os.environ["QUERN_SOURCE"]) / "tests" / "golden" / "containers"
FLAGS, CODEC, FILTER = 75, 72, 73
CRITICAL = 1
WRITERS = (("quern-import",), ("quern-transform", "--remove-self-loops"), ("quern-export",), ("quern-archive", "create"),
           ("quern-block",), ("quern-hybrid",), ("quern-pack",), ("quern-page",), ("quern-partition",), ("quern-shard",))
SKIPPABLE = bytes.fromhex("502a4d18 04000000 00000000")


class Rules(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.path = self.folder / "forged.qrn"

    def golden(self, name):
        return bytearray((GOLDEN / (name + ".qrn")).read_bytes())

    def archive(self, *generate):
        run("quern-generate", *generate, "-fqo", self.folder / "plain.qrn")
        run("quern-archive", "create", self.folder / "plain.qrn", "-fqo", self.folder / "archive.qrn")
        return bytearray((self.folder / "archive.qrn").read_bytes())

    def expect(self, rule, data, exit=3, tools=(("quern-verify",), ("quern-archive", "verify"))):
        with self.assertRaises(Broken) as broken:
            read_layout(Container(bytes(data)))
        self.assertEqual(broken.exception.rule, rule)
        self.path.write_bytes(data)
        for tool in tools:
            finished = run(*tool, self.path, exit=exit)
            self.assertRegex(finished.stderr, re.escape(rule) + ":")

    def expect_fine(self, data):
        read_layout(Container(bytes(data)))
        self.path.write_bytes(data)
        run("quern-verify", "-q", self.path)

    def renamed(self, data, old, new):
        entry = entry_of(data, old)
        data[entry:entry + 32] = new.encode().ljust(32, b"\0")
        return entry

    # The container

    def test_minor_versions(self):
        data = self.golden("graph")
        data[10] = 7
        self.expect_fine(resealed(data))
        data[8] = 2
        self.expect("C-4", resealed(data), exit=4)

    def test_rectangles(self):
        """Of rows that cannot be, and what only whole graphs may have or be; packed ones, too."""
        run("quern-pack", SPECS / "vectors/set-sample", "-qo", self.folder / "packed")
        parts = [SPECS / "vectors/set-sample/part-00001.qrn", self.folder / "packed/part-00001.qrn"]
        verify = (("quern-verify",),)
        for part in parts:
            sound = part.read_bytes()
            self.expect_fine(sound)
            for at, form, value, rule in ((88, "Q", 2**32, "C-27"), (96, "Q", 2**32, "C-27"), (96, "Q", 2**63, "C-27"), (40, "I", 1, "C-27"),
                                          (32, "I", 2, "C-27"), (24, "Q", 0, "C-27"), (88, "Q", 2**32 - 1, "C-24"),
                                          (48, "Q", 2**32, "C-11"), (104, "Q", 1, "C-6")):
                with self.subTest(part=part.parent.name, rule=rule, at=at, value=value):
                    data = bytearray(sound)
                    struct.pack_into("<" + form, data, at, value)
                    self.expect(rule, resealed(data), tools=verify)
        data = bytearray(parts[0].read_bytes())
        struct.pack_into("<Q", data, 88, 1)
        self.expect("C-22", resealed(data), tools=verify)
        data = bytearray(parts[0].read_bytes())
        struct.pack_into("<Q", data, 48, 3)  # one vertex less, which a column names
        self.expect("G-4", resealed(data), tools=verify)
        for at, value, rule in ((128, 1, "PK-1"), (88, 3, "PK-2"), (48, 3, "PK-8"), (96, 0, "PK-8")):
            data = bytearray(parts[1].read_bytes())
            struct.pack_into("<Q", data, at, value)
            self.expect(rule, resealed(data), tools=verify)

    def test_bits_for_private_use(self):
        data = self.golden("graph")
        data[22] |= 1  # compatible bit 48
        self.expect_fine(resealed(data))
        data[30] |= 1
        self.expect("C-5", resealed(data), exit=4)

    def test_order_of_sections(self):
        data = self.golden("graph")
        self.renamed(data, "row_offsets", "x")
        self.renamed(data, "in_row_offsets", "row_offsets")
        self.renamed(data, "x", "in_row_offsets")
        self.expect("C-26", resealed(data))

    def test_metadata_is_the_last(self):
        data = self.golden("graph")
        data[self.renamed(data, "metadata", "x_notes") + FLAGS] = 0
        self.expect_fine(resealed(data))
        section = read(GOLDEN / "graph.qrn").sections["original_ids"]
        entry = self.renamed(data, "original_ids", "metadata")
        struct.pack_into("<IIQ", data, entry + 32, 4, 1, section.stored_bytes)
        data[entry + FLAGS] = 0
        data[section.offset:section.offset + section.stored_bytes] = b"{}".ljust(section.stored_bytes)
        self.expect("C-26", resealed(data))

    def test_what_is_critical(self):
        for name, flags in (("column_indices", 0), ("metadata", CRITICAL)):
            data = self.golden("graph")
            data[entry_of(data, name) + FLAGS] = flags
            self.expect("C-26", resealed(data))

    def test_unknown_sections(self):
        data = self.golden("graph")
        entry = self.renamed(data, "metadata", "x_notes")
        self.expect_fine(resealed(data))
        data[entry + FLAGS] = CRITICAL
        self.expect("C-23", resealed(data), exit=4)

    def test_metadata(self):
        for text in (b"[]", b"{}x", b'{"a":1,"a":2}', b'{"a":"\\u0000"}', b'{"a":"\\ud800"}', b'{"a":9223372036854775808}', b'{"a":1e999}',
                     b"\xef\xbb\xbf{}", b'{"a":"\xff"}', b'{"a":NaN}', b"{", b""):
            with self.subTest(text=text):
                data = self.golden("graph")
                entry = entry_of(data, "metadata")
                struct.pack_into("<Q", data, entry + 40, len(text))
                struct.pack_into("<Q", data, entry + 64, len(text))
                self.expect("M-1", rebuilt(data, {"metadata": text}))

    def test_ids_of_both_kinds(self):
        data = self.golden("graph")
        data[self.renamed(data, "metadata", "id_bytes") + FLAGS] = CRITICAL
        self.expect("ID-5", resealed(data))

    def test_half_of_string_ids(self):
        data = self.golden("graph-strings-f32")
        data[self.renamed(data, "id_offsets", "x_offsets") + FLAGS] = 0
        self.expect("C-22", resealed(data))

    def test_dense_ids_do_not_ascend(self):
        run("quern-generate", "grid", "--scale", "4", "-qo", self.folder / "dense.qrn")
        data = bytearray((self.folder / "dense.qrn").read_bytes())
        self.expect_fine(data)
        data[16] |= 1
        self.expect("ID-6", resealed(data))

    def test_half_of_plain_rows(self):
        run("quern-block", GOLDEN / "graph.qrn", "--out-edges", "-qo", self.folder / "blocked.qrn")
        for name in ("row_offsets", "column_indices"):
            data = bytearray((self.folder / "blocked.qrn").read_bytes())
            self.expect_fine(data)
            data[self.renamed(data, name, "x_half") + FLAGS] = 0
            self.expect("C-22", resealed(data))

    def expect_of_all(self, rule, data):
        """Nothing is made of it by anyone, either."""
        self.expect(rule, data)
        for tool in WRITERS:
            out = self.folder / "out"
            finished = run(*tool, self.path, "-qo", out, exit=3)
            self.assertRegex(finished.stderr, re.escape(rule) + ":")
            self.assertFalse(out.exists(), tool)

    def weighted(self, weights, *options):
        text = "".join("%d %d %s\n" % (i, (i * 7 + 3) % 50, weights % (1 + i % 9)) for i in range(50))
        (self.folder / "edges.txt").write_text(text)
        run("quern-import", self.folder / "edges.txt", *options, "-qo", self.folder / "weighted.qrn")
        data = bytearray((self.folder / "weighted.qrn").read_bytes())
        self.expect_fine(data)
        return data, read(self.folder / "weighted.qrn").sections["weights"].offset

    def test_weights_that_are_no_numbers(self):
        data, weights = self.weighted("%d.5")
        struct.pack_into("<f", data, weights + 40, float("nan"))
        self.expect_of_all("G-7", resealed(data))

    def test_weights_of_one_direction(self):
        data, weights = self.weighted("%d", "--undirected")
        struct.pack_into("<I", data, weights + 40, 1000)
        self.expect_of_all("G-9", resealed(data))

    # Archives

    def test_rules_of_the_layout_hold_for_archives(self):
        data = self.golden("graph")
        data[24] |= 1  # archive form, all of whose sections are plain
        self.expect_fine(resealed(data))
        columns = read(GOLDEN / "graph.qrn").sections["column_indices"]
        struct.pack_into("<I", data, columns.offset, 5000)
        self.expect("G-4", resealed(data))
        data = self.golden("graph")
        data[24] |= 1
        data[128] = 1
        self.expect("C-6", resealed(data))

    def test_newer_codecs_and_filters(self):
        for at in (CODEC, FILTER):
            data = self.archive("rmat", "--scale", "10")
            data[entry_of(data, "column_indices") + at] = 77
            self.expect("C-19", resealed(data), exit=4)

    def test_zstd_frames(self):
        """None to skip, one of each, no dictionary, no large window."""
        archive = self.archive("rmat", "--scale", "10")
        section = Container(bytes(archive)).sections["column_indices"]
        stored = bytes(archive[section.offset:section.offset + section.stored_bytes])
        frames, = struct.unpack_from("<Q", stored, 16)
        self.assertEqual(frames, 1)
        head, frame = stored[:40], stored[48:]

        def with_frame(content):
            return rebuilt(archive, {"column_indices": head + struct.pack("<Q", 48 + len(content)) + content})

        self.expect_fine(with_frame(frame))
        empty = bytes.fromhex("28b52ffd2000010000")
        for content in (SKIPPABLE + frame, frame + SKIPPABLE, frame + empty, frame[:4] + bytes([frame[4] | 3]) + frame[5:],
                        frame[:4] + bytes([frame[4] & ~32]) + b"\xf8" + frame[5:], b"\x51" + frame[1:], frame[:-1], b""):
            self.expect("A-3", with_frame(content))

    def test_triangles_are_of_undirected_graphs(self):
        data = self.archive("rmat", "--scale", "10", "--undirected")
        self.assertTrue(Container(bytes(data)).sections["column_indices"].upper)
        data[40] = 0
        self.expect("A-4", resealed(data))
