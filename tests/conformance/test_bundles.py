"""Bundles that break one rule of specs/bundle.md each, under a manifest whose checksum fits: refused by all that read them."""

import io
import json
import os
import tarfile
import tempfile
import unittest
from pathlib import Path

from conformance.container_reader import read, xxh3, xxh3_128
from golden import make_vectors
from harness.tools import run


def tar_of(members):
    """Of [(name, bytes)], as the specification has it."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, data in members:
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
    return out.getvalue()


def sealed(manifest):
    """The manifest's text with a checksum of its members that fits."""
    text = json.dumps(manifest["members"], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return json.dumps({**manifest, "checksum": "%016x" % xxh3(text.encode())}, sort_keys=True).encode()


class _Forging(unittest.TestCase):
    def make(self):
        """b.tar, a bundle, of what is in the folder."""
        raise NotImplementedError

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.at = Path(folder.name)
        run("quern-generate", "grid", "--scale", "6", "-qo", self.at / "g.qrn")
        self.make()
        with tarfile.open(self.at / "b.tar") as tar:
            self.members = [(entry.name, tar.extractfile(entry).read()) for entry in tar]
        self.manifest = json.loads(self.members[0][1])

    def expect(self, rule, what, data, exit=3):
        path = self.at / "forged.tar"
        path.write_bytes(data)
        for command in self.commands:
            (self.at / "out").mkdir(exist_ok=True)
            with self.subTest(rule, what=what, command=command[0]):
                finished = run("quern-archive", *command, path, exit=(0, 3, 4))
                left = [file.unlink() for file in (self.at / "out").iterdir()] + list(self.at.glob("set-again*"))
                self.assertEqual((finished.returncode, left), (exit, []), finished.stderr)
                self.assertRegex(finished.stderr, r"forged\.tar|member (g|part-00001)\.qrn")

    def with_manifest(self, change, seal=sealed, members=None):
        """With the manifest that `change` makes."""
        manifest = json.loads(json.dumps(self.manifest))
        change(manifest)
        return tar_of([("manifest.json", seal(manifest)), *(members or self.members[1:])])


class Rules(_Forging):
    def make(self):
        run("quern-block", self.at / "g.qrn", "-qo", self.at / "h.qrn")
        run("quern-archive", "create", "-qo", self.at / "b.tar", self.at / "g.qrn", self.at / "h.qrn")
        self.commands = ("verify",), ("extract", "-C", self.at / "out")

    def test_as_it_is(self):
        path = self.at / "again.tar"
        path.write_bytes(self.with_manifest(lambda manifest: None))
        run("quern-archive", "verify", path)

    def test_tar(self):
        sound = tar_of(self.members)
        rest, data = self.members[1:], self.members[1][1]

        def put(at, text):
            return sound[:at] + text + sound[at + len(text):]

        for what, forged in {
                "a folder in a name": tar_of([self.members[0], ("a/" + rest[0][0], data), rest[1]]),
                "dots": tar_of([self.members[0], ("..", data), rest[1]]),
                "a name twice": tar_of([self.members[0], rest[0], rest[0]]),
                "an empty file": tar_of([self.members[0], rest[0], (rest[1][0], b"")]),
                "padding": put(512 + len(self.members[0][1]), b"x"),
                "the end": sound[:-1] + b"x",
                "digits of a checksum": put(148, b" " + sound[149:154]),
        }.items():
            self.expect("B-1", what, forged)

    def test_manifest(self):
        other, more = dict(format="bundle"), dict(more=1)
        self.expect("B-2", "the manifest is not the first", tar_of(self.members[1:] + self.members[:1]))
        self.expect("B-2", "format", self.with_manifest(lambda manifest: manifest.update(other)))
        self.expect("B-2", "another key", self.with_manifest(lambda manifest: manifest.update(more)))
        self.expect("B-2", "another key of a member", self.with_manifest(lambda manifest: manifest["members"][0].update(more)))
        self.expect("B-2", "checksum", self.with_manifest(
            lambda manifest: manifest.update(checksum="0" * 16), lambda manifest: json.dumps(manifest, sort_keys=True).encode()))
        self.expect("B-2", "version", self.with_manifest(lambda manifest: manifest.update(version=3)), exit=4)
        self.expect("B-7", "version", self.with_manifest(lambda manifest: manifest.update(version=2)))

    def test_members(self):
        def of_member(**fields):
            return lambda manifest: manifest["members"][0].update(fields)

        self.expect("B-3", "one is not named", self.with_manifest(lambda manifest: manifest["members"].pop()))
        self.expect("B-3", "one is not there", self.with_manifest(lambda manifest: None, members=self.members[1:2]))
        self.expect("B-3", "order", self.with_manifest(lambda manifest: manifest["members"].reverse()))
        self.expect("B-3", "name", self.with_manifest(of_member(name="f.qrn")))
        self.expect("B-3", "archive_bytes", self.with_manifest(of_member(archive_bytes=1)))
        self.expect("B-5", "bytes", self.with_manifest(of_member(bytes=self.manifest["members"][0]["bytes"] + 4096)))
        self.expect("B-5", "xxh3_128", self.with_manifest(of_member(xxh3_128="0" * 32)))
        self.expect("B-6", "role", self.with_manifest(of_member(role="hybrid")))
        self.expect("B-6", "identity", self.with_manifest(of_member(identity="0" * 16)))

    def test_containers(self):
        plain = (self.at / "g.qrn").read_bytes()
        forged = make_vectors.negative("G-4-column-of-an-archive")
        for what, data in (("a rule of its layout", forged), ("plain form", plain), ("none", b"hello")):
            fields = dict(archive_bytes=len(data))
            if what != "none":
                fields["identity"] = "%016x" % read(self.at / "g.qrn").checksum
            if what == "plain form":
                fields["bytes"] = len(data)
            self.expect("B-4", what, self.with_manifest(lambda manifest: manifest["members"][0].update(fields),
                                                        members=[(self.members[1][0], data), self.members[2]]))


class Sets(_Forging):
    """Bundles that are a set, plain and packed, of version 2 and 1."""

    def make(self):
        self.archive(self.at / "g.qrn")
        self.commands = ("verify",), ("extract", "-o", self.at / "set-again")

    def archive(self, graph):
        run("quern-transform", graph, "--parts", "2", "-qo", self.at / "set")
        run("quern-archive", "create", "-qo", self.at / "b.tar", self.at / "set")

    def back(self, path):
        """Extracted it is the same set, byte for byte."""
        for one in (self.at / "set-again").glob("*"):
            one.unlink()
        run("quern-archive", "verify", path)
        run("quern-archive", "extract", "-qf", "-o", self.at / "set-again", path)
        return {file.name: file.read_bytes() for file in (self.at / "set-again").iterdir()}

    def test_back(self):
        source = Path(os.environ["QUERN_SOURCE"])
        run("quern-pack", self.at / "set", "-qo", self.at / "packed")
        for folder in (self.at / "set", self.at / "packed", source / "specs/vectors/set-sample", source / "specs/vectors/set-sample-1",
                       source / "specs/vectors/set-sample-blocks", source / "tests/data/sets-1/blocked"):
            with self.subTest(folder.name):
                run("quern-archive", "create", "-qfo", self.at / "b.tar", folder)
                self.assertEqual(self.back(self.at / "b.tar"), {file.name: file.read_bytes() for file in folder.iterdir()})
                run("quern-verify", self.at / "set-again")
        first = (self.at / "b.tar").read_bytes()
        run("quern-archive", "create", "-qfo", self.at / "b.tar", "--threads", "1", self.at / "set-again")
        self.assertEqual((self.at / "b.tar").read_bytes(), first)

    def test_rules(self):
        set_of, last = self.members[-1], len(self.members) - 2
        self.assertEqual([name for name, _ in self.members],
                         ["manifest.json", "vertices.qrn", "part-00000.qrn", "part-00001.qrn", "set.json"])

        def of(index, **fields):
            return lambda manifest: manifest["members"][index].update(fields)

        def without(index):
            return self.with_manifest(lambda manifest: manifest["members"].pop(index), members=[
                one for at, one in enumerate(self.members[1:]) if at != index])

        def set_json(change):
            """With another manifest of the set, that the bundle's describes."""
            other = json.loads(set_of[1])
            change(other)
            text = json.dumps(other).encode()
            fields = dict(bytes=len(text), archive_bytes=len(text), xxh3_128=xxh3_128(text))
            return self.with_manifest(of(last, **fields), members=[*self.members[1:-1], ("set.json", text)])

        self.expect("B-7", "version", self.with_manifest(lambda manifest: manifest.update(version=1)))
        self.expect("B-7", "no set.json", without(last))
        self.expect("B-7", "a file less", without(1))
        self.expect("B-7", "order", self.with_manifest(
            lambda manifest: manifest["members"].insert(0, manifest["members"].pop(1)),
            members=[self.members[2], self.members[1], *self.members[3:]]))
        self.expect("B-7", "not the last", self.with_manifest(
            lambda manifest: manifest["members"].insert(0, manifest["members"].pop()), members=[set_of, *self.members[1:-1]]))
        self.expect("B-7", "provenance", self.with_manifest(of(last, provenance={})))
        self.expect("B-7", "identity of the set", self.with_manifest(of(last, identity="0" * 16)))
        self.expect("B-5", "hash of set.json", self.with_manifest(of(last, xxh3_128="0" * 32)))
        self.expect("B-5", "hash of a part", self.with_manifest(of(2, xxh3_128="0" * 32)))
        self.expect("B-7", "another part", set_json(lambda manifest: manifest["blocks"][1].update(identity="0" * 16)))
        self.expect("B-7", "bytes of a part", set_json(lambda manifest: manifest["blocks"][1].update(bytes=4096)))
        self.expect("SET-4", "rows", set_json(lambda manifest: manifest["blocks"][1]["rows"].reverse()))
        self.expect("SET-5", "identity", set_json(lambda manifest: manifest.update(identity="0" * 16)))

    def test_a_part_in_another_bundle(self):
        """A part is a member of a set alone."""
        manifest = dict(self.manifest, version=1, members=self.manifest["members"][1:2])
        manifest["members"][0]["name"] = "g.qrn"
        self.commands = ("verify",), ("extract", "-C", self.at / "out")
        self.expect("B-7", "a part alone", tar_of([("manifest.json", sealed(manifest)), ("g.qrn", self.members[2][1])]), exit=4)
