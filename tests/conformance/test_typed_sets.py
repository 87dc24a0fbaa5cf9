"""Sets with types: what the tools make is read by the specification alone, and what breaks one of its rules is refused by it."""

import json
import os
import shutil
import struct
import unittest
from pathlib import Path

from conformance.container_reader import read
from conformance.sealing import rebuilt, resealed
from conformance.typed_reader import Broken, TypedSet, typed_identity_of
from harness.tools import run

VECTOR = Path(os.environ["QUERN_SOURCE"]) / "specs/vectors/set-types"


class TypedSets(unittest.TestCase):
    tier, sanitized_tier = "medium", "long"

    def setUp(self):
        self.at = Path("work").absolute()
        shutil.rmtree(self.at, ignore_errors=True)
        self.at.mkdir()
        self.set = self.at / "set"

    def copy(self):
        shutil.rmtree(self.set, ignore_errors=True)
        shutil.copytree(VECTOR, self.set)
        return json.loads((self.set / "set.json").read_text())

    def seal(self, manifest):
        """The files' figures, the set's identity and that in its parts fit again."""
        old = manifest["identity"]
        self.take(manifest["vertices"])
        manifest["identity"] = typed_identity_of(manifest)
        for block in manifest["blocks"]:
            part = self.set / block["name"]
            part.write_bytes(resealed(part.read_bytes().replace(old.encode(), manifest["identity"].encode())))
        self.take(manifest["blocks"])
        (self.set / "set.json").write_text(json.dumps(manifest))

    def take(self, files):
        for file in files:
            data = (self.set / file["name"]).read_bytes()
            file.update(bytes=len(data), identity="%016x" % struct.unpack_from("<Q", data, 4088))

    def expect(self, rule, transforms=True):
        commands = [("quern-verify", self.set), ("quern-transform", self.set, "-o", self.at / "out.qrn")]
        for command in commands[:1 + transforms]:
            self.assertIn(rule, run(*command, exit=3).stderr)
        self.assertFalse((self.at / "out.qrn").exists())
        with self.assertRaises(Broken) as broken:
            TypedSet(self.set)
        self.assertEqual(broken.exception.rule, rule)

    def test_the_vector(self):
        run("quern-verify", "-q", VECTOR)
        made = TypedSet(VECTOR)
        self.assertEqual(made.vertices, {"Movie": {0: {}, 1: {}, 2: {}}, "Person": {1: {"name": "Ann"}, 7: {"name": "Bob"}}})
        self.assertEqual(made.typed_edges, {
            ("Person", "ACTED", "Movie"): [(1, 0, None, {"role": "x"})], ("Person", "KNOWS", "Movie"): [(7, 2, None, {})],
            ("Person", "KNOWS", "Person"): [(1, 7, 3, {}), (7, 1, 4, {})]})

    def test_what_manifests_say(self):
        def put(*path):
            def change(manifest):
                *way, key, value = path
                for step in way:
                    manifest = manifest[step]
                manifest[key] = value
            return change

        for rule, change in (
                ("SET-17", put("vertices", 0, "type", "Person")), ("SET-17", put("vertices", 0, "type", "")),
                ("SET-17", put("vertices", 0, "type", "a\tb")), ("SET-17", put("vertices", 0, "type", "x" * 256)),
                ("SET-17", put("edge_types", 0, "source", "Nobody")), ("SET-17", put("edge_types", 0, "name", "")),
                ("SET-17", put("edge_types", 0, "name", "KNOWS")), ("SET-17", put("edge_types", 0, "fingerprint", "0" * 16)),
                ("SET-17", put("blocks", 2, "edge_type", 3)), ("SET-17", put("graph", "weights", "u32")),
                ("SET-17", put("rows", "in")), ("SET-17", put("graph", "in_edges", True)),
                ("SET-4", put("edge_types", 0, "source", "Movie")), ("SET-4", put("edge_types", 0, "edges", 2)),
                ("SET-4", put("blocks", 0, "rows", [3, 4])), ("SET-4", put("blocks", 0, "edges", 0)),
                ("SET-4", lambda manifest: manifest["blocks"].reverse()), ("SET-4", lambda manifest: manifest["blocks"].pop()),
                ("SET-4", lambda manifest: manifest["edge_types"].append({**manifest["edge_types"][0], "name": "x", "fingerprint": "0" * 16})),
                ("SET-5", put("edge_types", 0, "name", "PLAYED")), ("SET-5", put("vertices", 1, "type", "People"))):
            manifest = self.copy()
            change(manifest)
            if rule == "SET-5":
                for kind in manifest["edge_types"]:
                    for end in ("source", "target"):
                        kind[end] = kind[end].replace("Person", manifest["vertices"][1]["type"])
            else:
                try:
                    manifest["identity"] = typed_identity_of(manifest)
                except (KeyError, IndexError):
                    pass
            (self.set / "set.json").write_text(json.dumps(manifest))
            with self.subTest(rule=rule, manifest=manifest):
                self.expect(rule, transforms=rule == "SET-5")

    def test_what_files_hold(self):
        manifest = self.copy()
        part = self.set / manifest["blocks"][0]["name"]
        part.write_bytes(rebuilt(part.read_bytes(), {"column_indices": struct.pack("<I", 3)}))  # a person
        self.seal(manifest)
        self.expect("SET-18")
        manifest = self.copy()
        (self.set / "part-00000.qrn").write_bytes((self.set / "part-00001.qrn").read_bytes())
        self.seal(manifest)
        self.assertIn("SET-10", run("quern-verify", self.set, exit=3).stderr)
        manifest = self.copy()
        kind = manifest["edge_types"][2]
        kind["weights"] = "none"
        self.seal(manifest)
        self.expect("SET-9")
        manifest = self.copy()
        kinds = manifest["edge_types"]
        kinds[0]["fingerprint"], kinds[1]["fingerprint"] = kinds[1]["fingerprint"], kinds[0]["fingerprint"]
        self.seal(manifest)
        self.expect("SET-12")
        manifest = self.copy()
        vertices = self.set / manifest["vertices"][1]["name"]
        self.assertEqual(list(read(vertices).bytes_of("out_degrees")), [2, 2])
        vertices.write_bytes(rebuilt(vertices.read_bytes(), {"out_degrees": bytes([1, 3])}))
        self.seal(manifest)
        self.assertIn("SET-14", run("quern-verify", self.set, exit=3).stderr)

    def test_readers_of_one_type(self):
        """Packed blocks; what needs one graph says so or puts it together."""
        run("quern-pack", VECTOR, "-qo", self.at / "packed")
        run("quern-verify", "-q", self.at / "packed")
        one = run("quern-transform", VECTOR, "-qo", self.at / "a.qrn"), run("quern-transform", self.at / "packed", "-qo", self.at / "b.qrn")
        self.assertEqual([finished.returncode for finished in one], [0, 0])
        for graph in ("a.qrn", "b.qrn"):
            run("quern-export", self.at / graph, "--format", "neo4j", "-qo", self.at / (graph + ".csv"))
        self.assertEqual((self.at / "a.qrn.csv/relationships.csv").read_text(), (self.at / "b.qrn.csv/relationships.csv").read_text())
