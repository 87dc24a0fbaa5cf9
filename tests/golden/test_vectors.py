"""Archives that were written from the specification alone: both readers take them, and what they decode to is known. Files
that break one rule each, by which they are called: both readers refuse them, and no tool makes anything of them."""

import gzip
import os
import re
import tempfile
import unittest
from pathlib import Path

from conformance.archive_reader import unpacked as unpacked_frame
from conformance.checkpoint_reader import Checkpoint
from conformance.container_reader import Broken, Container
from conformance.layout_readers import read_layout
from golden import make_vectors
from golden.container_writer import DELTA, GAPS, SHUFFLE, filtered
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
        self.assertEqual({section.filter for section in sections if section.codec}, set(range(9)))
        self.assertEqual({(section.upper, section.strips) for section in sections},
                         {(False, False), (True, False), (True, True)})


class Written(InFolder):
    def test_filters_are_applied_as_the_specification_says(self):
        """Varints of the shortest form among others: what is in a frame is what another writer makes of its elements."""
        seen = set()
        for more in ((), ("--weights", "1,1000")):
            run("quern-generate", "rmat", "--scale", "10", "-fqo", self.folder / "plain.qrn", *more)
            run("quern-archive", "create", self.folder / "plain.qrn", "-fqo", self.path)
            container = Container(self.path.read_bytes())
            for section in container.sections.values():
                if section.codec and section.filter in (DELTA, GAPS, SHUFFLE):
                    data = container.data[section.offset:section.offset + section.stored_bytes]
                    self.assertEqual(int.from_bytes(data[16:24], "little"), 1)
                    elements = bytes(container.bytes_of(section.name))
                    self.assertEqual(unpacked_frame(data[48:], 1 << 21), filtered(section.filter, elements, section.element_bytes))
                    seen.add(section.filter)
        self.assertLessEqual({DELTA, GAPS}, seen)


RULE = re.compile(r"\b[A-Z]{1,2}-\d+\b")
# What needs a newer reader; all else is broken.
NEWER = ("C-4-", "C-5-", "C-7-", "C-19-newer-", "C-23-", "P-3-")
# Of what these rules are about some uses look at nothing: padding, properties, metadata, what only a check of all compares.
UNUSED = ("C-20-", "C-22-metadata-", "M-1-", "P-")


def rule_of(name):
    return "-".join(name.split("-")[:2])


class Negative(InFolder):
    def test_they_are_what_the_script_writes(self):
        self.assertEqual(unpacked("negative"), {name: make_vectors.negative(name) for name in make_vectors.NEGATIVE})

    def test_the_second_reader_names_the_rule(self):
        for name, data in unpacked("negative").items():
            with self.subTest(name), self.assertRaises(Broken) as broken:
                container = Container(data)
                (Checkpoint if container.layout == "checkpoint" else read_layout)(container)
            self.assertEqual(broken.exception.rule, rule_of(name), name)

    def test_each_rule_has_one_or_a_reason(self):
        """specs/conformance.md lists the rules that have none, and the tests that break them, which name them."""
        specs = GOLDEN.parent.parent / "specs"
        pages = {path.name: path.read_text() for path in specs.glob("*.md")}
        rules = {rule for page in pages.values() for rule in re.findall(r"(?m)^- \*\*([A-Z]+-\d+)\*\*", page)}
        reasons = re.findall(r"^- ((?:[A-Z]+-\d+(?:, )?)+): ((?:.|\n(?!- ))+)", pages["conformance.md"].partition("Without a file")[2], re.M)
        vectors, excused = {rule_of(name) for name in unpacked("negative")}, set()
        for found, reason in reasons:
            excused |= set(found.split(", "))
            for test in re.findall(r"\]\(([^)]+)\)", reason):
                text = (specs / test).read_text()
                for rule in found.split(", "):
                    self.assertRegex(text, r"\b%s\b" % rule, test)
        self.assertEqual(vectors | excused, rules)
        self.assertEqual(vectors & excused, set())


class NegativeByTools(InFolder):
    def test_quern_verify_names_the_rule(self):
        for name, data in unpacked("negative").items():
            self.path.write_bytes(data)
            finished = run("quern-verify", self.path, exit=4 if name.startswith(NEWER) else 3)
            with self.subTest(name):
                self.assertEqual(RULE.search(finished.stderr).group(), make_vectors.ALSO.get(name, rule_of(name)))

    def test_nothing_is_imported_of_them(self):
        for name, data in unpacked("negative").items():
            if name.startswith(UNUSED):
                continue
            self.path.write_bytes(data)
            with self.subTest(name):
                run("quern-import", self.path, "--format", "quern", "-fqo", self.folder / "out.qrn", exit=(3, 4))
                self.assertFalse((self.folder / "out.qrn").exists())
