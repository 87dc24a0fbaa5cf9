"""Sets with generations: what the tools make is read by the specification alone, and what breaks one of its rules is refused by it."""

import json
import os
import shutil
import struct
import unittest
from pathlib import Path

from conformance.changes_reader import Broken, ChangedSet, changed_identity_of
from conformance.container_reader import read
from conformance.sealing import rebuilt, resealed
from harness.tools import run

VECTOR = Path(os.environ["QUERN_SOURCE"]) / "specs/vectors/set-changes"


def put(*path):
    def change(manifest):
        *way, key, value = path
        for step in way:
            manifest = manifest[step]
        manifest[key] = value
    return change


class ChangedSets(unittest.TestCase):
    tier, sanitized_tier = "medium", "long"

    def setUp(self):
        self.at = Path("work").absolute()
        shutil.rmtree(self.at, ignore_errors=True)
        self.at.mkdir()
        self.set = self.at / "changed"

    def copy(self):
        shutil.rmtree(self.at)
        shutil.copytree(VECTOR, self.at)
        return json.loads((self.set / "set.json").read_text())

    def seal(self, manifest):
        """The files' figures and the set's identity fit again."""
        for file in [*manifest["vertices"], *manifest["blocks"]]:
            data = (self.set / file["name"]).read_bytes()
            file.update(bytes=len(data), identity="%016x" % struct.unpack_from("<Q", data, 4088))
        self.write(manifest)

    def write(self, manifest):
        try:
            manifest["identity"] = changed_identity_of(manifest)
        except (KeyError, ValueError, TypeError, struct.error):
            pass
        (self.set / "set.json").write_text(json.dumps(manifest))

    def expect(self, rule, manifest=None):
        for command in (("quern-verify", self.set), ("quern-transform", self.set, "--compact", "-o", self.at / "out.qrn")):
            self.assertIn(rule, run(*command, exit=3).stderr)
        self.assertFalse((self.at / "out.qrn").exists())
        with self.assertRaises(Broken) as broken:
            ChangedSet(self.set)
        self.assertEqual(broken.exception.rule, rule)

    def test_the_vector(self):
        run("quern-verify", "-q", VECTOR / "changed", "%s@1" % (VECTOR / "changed"))
        made = ChangedSet(VECTOR / "changed")
        self.assertEqual(made.ids, [1, 2, 7, 0, 3])
        self.assertEqual(made.graphs[1], [(0, 1, 5), (0, 1, 4), (0, 1, 8), (1, 2, 6), (2, 0, 9), (2, 4, 1), (3, 0, 3)])
        self.assertEqual(made.graphs[2], [(0, 2, 2), (1, 2, 6), (2, 0, 9), (2, 4, 1), (3, 0, 3)])
        self.assertEqual(run("quern-export", VECTOR / "changed", "-qo", "-").stdout, "0\t1\t3\n1\t7\t2\n2\t7\t6\n7\t1\t9\n7\t3\t1\n")

    def test_what_manifests_say(self):
        for rule, change in (
                ("SET-40", put("base", "name", "../graph.qrn")), ("SET-40", put("base", "vertices", -1)), ("SET-40", put("base", 5)),
                ("SET-40", put("generations", [])), ("SET-40", put("generations", 0, "missing", "0")),
                ("SET-40", put("blocks", 0, "generation", 2)), ("SET-40", lambda manifest: manifest["generations"].pop()),
                ("SET-40", put("required_features", ["generations", "vertex-ranges"])),
                ("SET-41", put("vertices", 0, "range", [2, 5])), ("SET-41", put("generations", 0, "vertices", 6)),
                ("SET-41", put("blocks", 1, "rows", [0, 4])), ("SET-41", put("generations", 1, "removed", 8)),
                ("SET-41", put("generations", 1, "edges", 6)), ("SET-41", put("graph", "edges", 6)),
                ("SET-41", put("graph", "fingerprint", "0" * 16)), ("SET-41", put("rows", "in")),
                ("SET-3", put("blocks", 1, "name", "part-00000.qrn"))):
            manifest = self.copy()
            change(manifest)
            self.write(manifest)
            with self.subTest(rule=rule, manifest=manifest):
                if manifest["base"] == 5:
                    self.assertIn(rule, run("quern-verify", self.set, exit=3).stderr)
                else:
                    self.expect(rule)
        manifest = self.copy()
        manifest["generations"][0]["missing"] = 1  # is not in the identity
        manifest["identity"] = "0" * 16
        (self.set / "set.json").write_text(json.dumps(manifest))
        self.expect("SET-5")

    def change_block(self, contents):
        manifest = self.copy()
        block = self.set / "part-00000.qrn"
        block.write_bytes(rebuilt(block.read_bytes(), contents))
        self.seal(manifest)

    def test_what_files_hold(self):
        for name, contents in (("order", struct.pack("<3I", 0, 3, 2)), ("beyond", struct.pack("<3I", 0, 2, 5))):
            with self.subTest(name):
                self.change_block({"row_vertices": contents})
                self.expect("SET-44")
        for bits in (4, 8):  # of a new vertex, behind the last row
            self.change_block({"replaced_rows": bytes([bits])})
            self.expect("SET-44")
        self.change_block({"row_offsets": struct.pack("<4Q", 0, 1, 1, 3), "column_indices": struct.pack("<3I", 1, 0, 4)})
        self.expect("SET-44")
        self.change_block({"weights": struct.pack("<3I", 8, 1, 4)})
        self.expect("SET-45")
        self.change_block({"replaced_rows": bytes([2])})  # vertex 7, which has lost nothing
        self.expect("SET-45")
        manifest = self.copy()
        (self.set / "part-00001.qrn").write_bytes((self.set / "part-00000.qrn").read_bytes())
        manifest["blocks"][1]["edges"] = 3
        self.seal(manifest)
        self.expect("SET-43")
        manifest = self.copy()
        vertices = self.set / "vertices-00000.qrn"
        vertices.write_bytes(rebuilt(vertices.read_bytes(), {"original_ids": struct.pack("<2Q", 0, 7)}))
        self.seal(manifest)
        self.expect("SET-16")

    def test_rows_as_bits(self):
        """Of many rows."""
        (self.at / "a.csv").write_text("".join("%d %d\n" % (i, i * 7 % 3001) for i in range(3001)))
        run("quern-import", "a.csv", "-qo", "g.qrn", cwd=self.at)
        run("quern-transform", "g.qrn", "--append", "a.csv", "-qo", "changed", cwd=self.at)
        run("quern-verify", "-q", self.set)
        self.assertEqual([edge[:2] for edge in ChangedSet(self.set).graphs[1]], [(i, i * 7 % 3001) for i in range(3001) for _ in range(2)])
        manifest, block = json.loads((self.set / "set.json").read_text()), self.set / "part-00000.qrn"
        data = block.read_bytes()
        bits = bytes(read(block).bytes_of("row_bits"))
        self.assertEqual(len(bits), 376)
        for wrong in (b"\xfe" + bits[1:], bits[:-1] + bytes([bits[-1] | 2]), b"\xfe" + bits[1:-1] + bytes([bits[-1] | 2])):
            block.write_bytes(rebuilt(data, {"row_bits": wrong}))
            self.seal(manifest)
            self.expect("SET-44")

    def test_bases(self):
        manifest = self.copy()
        (self.at / "graph.qrn").rename(self.at / "elsewhere.qrn")
        self.expect("SET-42")
        shutil.copy(self.at / "elsewhere.qrn", self.set / "graph.qrn")
        run("quern-verify", "-q", self.set)
        base = self.set / "graph.qrn"
        base.write_bytes(rebuilt(base.read_bytes(), {"weights": struct.pack("<4I", 5, 4, 6, 8)}))
        self.expect("SET-42")
        manifest["graph"]["weights"] = "none"
        self.copy()
        self.write(manifest)
        self.assertIn("SET-", run("quern-verify", self.set, exit=3).stderr)
        data = bytearray((VECTOR / "graph.qrn").read_bytes())
        data[8192] ^= 1  # damaged, under the same identity
        self.copy()
        (self.at / "graph.qrn").write_bytes(data)
        self.assertIn("column_indices", run("quern-verify", self.set, exit=3).stderr)
        self.assertTrue(resealed(bytes(data)))

    def test_damage(self):
        """Of any section of the base or of a generation: who reads or copies it refuses, and writes nothing."""
        (self.at / "a.csv").write_text("src,dst,weight,since\n1,2,3,1999\n2,3,4,2004\n3,9,1,5\n")
        (self.at / "b.csv").write_text("src,dst,weight,since\n1,4,7,2020\n1,2,8,2021\n")
        (self.at / "gone.csv").write_text("src,dst\n2,3\n")
        run("quern-import", "a.csv", "--properties", "since", "-qo", "g.qrn", cwd=self.at)
        run("quern-transform", "g.qrn", "--append", "b.csv", "-qo", "v", cwd=self.at)
        manifest = (self.at / "v/set.json").read_bytes()
        writing = [("quern-transform", "v", "--append", "b.csv", "-qo", "v"), ("quern-transform", "v", "--append", "b.csv", "-qo", "w"),
                   ("quern-transform", "v", "--remove", "gone.csv", "-qo", "v"), ("quern-transform", "v", "--compact", "-qo", "out.qrn"),
                   ("quern-export", "v", "--format", "csv", "-qo", "out.csv"), ("quern-run", "sssp", "v", "--source", "1", "-qo", "out.tsv")]
        for name in ("g.qrn", "v/part-00000.qrn", "v/vertices-00000.qrn"):
            before = (self.at / name).read_bytes()
            for section in json.loads(run("quern-info", "--json", name, cwd=self.at).stdout)["sections"]:
                if section["bytes"] == 0:
                    continue
                data = bytearray(before)
                data[section["offset"] + section["bytes"] // 2] ^= 1
                (self.at / name).write_bytes(data)
                for command in writing:
                    if command[0] != "quern-run" or not section["name"].startswith(("propert", "metadata")):
                        self.assertIn(name.split("/")[-1], run(*command, cwd=self.at, exit=3).stderr, section["name"])
                self.assertIn(section["name"], run("quern-verify", "v", cwd=self.at, exit=3).stderr)
                self.assertEqual((self.at / "v/set.json").read_bytes(), manifest)
                self.assertEqual([path for path in self.at.iterdir() if path.name.startswith(("out", "w"))], [])
            (self.at / name).write_bytes(before)
        for command in writing[:1] + writing[2:]:
            run(*command, cwd=self.at)

    def test_properties(self):
        """Those of edges that are kept, replaced and added, and of new vertices."""
        self.copy()
        (self.at / "a.csv").write_text("src,dst,since\n1,2,1999\n2,3,2004\n")
        (self.at / "people.csv").write_text("id,name\n1,Ann\n2,Bob\n3,Cid\n")
        (self.at / "b.csv").write_text("src,dst,since\n1,4,2020\n1,2,2021\n")
        (self.at / "more.csv").write_text("id,name\n4,Dan\n5,\n")
        (self.at / "c.csv").write_text("src,dst\n1,2\n")
        run("quern-import", "a.csv", "--properties", "all", "--vertices", "people.csv", "-qo", "g.qrn", cwd=self.at)
        run("quern-transform", "g.qrn", "--append", "b.csv", "--append-vertices", "more.csv", "-qo", "v", cwd=self.at)
        run("quern-transform", "v", "--remove", "c.csv", "-qo", "v", cwd=self.at)
        made = ChangedSet(self.at / "v")
        self.assertEqual(made.ids, [1, 2, 3, 4, 5])
        self.assertEqual(run("quern-export", "v", "--format", "csv", "-qo", "-", cwd=self.at).stdout,
                         "src,dst,since\n1,4,2020\n2,3,2004\n")
        for wrong, what in (("src,dst\n1,2\n", "since"), ("src,dst,since\n1,2,x\n", "x")):
            (self.at / "b.csv").write_text(wrong)
            self.assertIn(what, run("quern-transform", "v", "--append", "b.csv", "-o", "v", cwd=self.at, exit=(2, 3)).stderr)
        (self.at / "more.csv").write_text("id,name\n1,Eve\n")
        (self.at / "b.csv").write_text("src,dst,since\n1,2,3\n")
        self.assertIn("1 is there already", run("quern-transform", "v", "--append", "b.csv", "--append-vertices", "more.csv", "-o", "v", cwd=self.at, exit=3).stderr)
        self.assertEqual(len(ChangedSet(self.at / "v").graphs), 3)
        self.set = self.at / "v"
        for name in ("vertices-00000.qrn", "part-00000.qrn"):
            file = self.set / name
            before = file.read_bytes()
            file.write_bytes(rebuilt(before, {"properties": bytes(read(file).bytes_of("properties")).replace(b"since", b"until")}))
            self.seal(json.loads((self.set / "set.json").read_text()))
            self.assertIn("SET-46" if name[0] == "p" else "SET-7", run("quern-verify", self.set, exit=3).stderr)
            with self.assertRaises(Broken) as broken:
                ChangedSet(self.set)
            self.assertEqual(broken.exception.rule, "SET-46")
            file.write_bytes(before)
            self.seal(json.loads((self.set / "set.json").read_text()))
        run("quern-verify", "-q", self.set)


if __name__ == "__main__":
    unittest.main()
