"""Sets whose vertices lie in several files, cut here by the specification alone: they are read, verified, run on and put together
as the set with one file is, and what does not fit together is refused by its rule."""

import json
import shutil
import struct

from conformance.container_reader import read
from conformance.sealing import rebuilt, resealed
from conformance.set_reader import Broken, Set, identity_of
from conformance.test_sets import Folder
from harness.tools import run

TEXTS = ("id_offsets", "id_bytes")


def sections_of(container, begin, end):
    """What a file of the vertices [begin, end) has of the file of all."""
    contents = {}
    for name in ("original_ids", "out_degrees"):
        if name in container.sections:
            width = container.sections[name].element_bytes
            contents[name] = bytes(container.bytes_of(name))[width * begin:width * end]
    if TEXTS[0] in container.sections:
        offsets = struct.unpack("<%dQ" % (container.num_vertices + 1), bytes(container.bytes_of(TEXTS[0])))
        contents[TEXTS[0]] = b"".join(struct.pack("<Q", offset - offsets[begin]) for offset in offsets[begin:end + 1])
        contents[TEXTS[1]] = bytes(container.bytes_of(TEXTS[1]))[offsets[begin]:offsets[end]]
    return contents


class Ranges(Folder):
    tier, sanitized_tier = "medium", "long"

    def setUp(self):
        super().setUp()
        self.set = self.at / "cut"

    def cut(self, made, bounds):
        """A copy of the set with a file for each of the ranges between these bounds."""
        shutil.rmtree(self.set, ignore_errors=True)
        shutil.copytree(made, self.set)
        whole = read(made / "vertices.qrn")
        data = (made / "vertices.qrn").read_bytes()
        (self.set / "vertices.qrn").unlink()
        manifest = json.loads((made / "set.json").read_text())
        manifest.update(required_features=["vertex-ranges"], vertices=[])
        for number, (begin, end) in enumerate(zip(bounds, bounds[1:])):
            part = bytearray(data)
            struct.pack_into("<Q", part, 48, end - begin)
            name = "names-%d.qrn" % number
            (self.set / name).write_bytes(rebuilt(bytes(part), sections_of(whole, begin, end)))
            manifest["vertices"].append({"name": name, "range": [begin, end]})
        self.seal(manifest)
        return manifest

    def made(self, name, ids, options=()):
        """A graph with ids of such a kind; shuffled: not in their order."""
        if ids == "dense":
            run("quern-generate", "uniform", "--scale", "6", "--degree", "4", "--weights", "1,9", "-qfo", self.at / name, *options)
            return self.at / name
        if ids != "shuffled":
            return self.imported(name, 4, "u32", ids, options)
        run("quern-transform", self.imported("in.qrn", 4, "u32"), "--relabel", "degree", "-qfo", self.at / name)
        return self.at / name

    def seal(self, manifest):
        """The files' figures, the set's identity and that in its parts fit again."""
        old = manifest["identity"]
        self.take(manifest["vertices"])
        manifest["identity"] = identity_of(manifest)
        for block in manifest["blocks"]:
            part = self.set / block["name"]
            part.write_bytes(resealed(part.read_bytes().replace(old.encode(), manifest["identity"].encode())))
        self.take(manifest["blocks"])
        (self.set / "set.json").write_text(json.dumps(manifest))

    def take(self, files):
        for file in files:
            if (self.set / file["name"]).exists():
                data = (self.set / file["name"]).read_bytes()
                file.update(bytes=len(data), identity="%016x" % struct.unpack_from("<Q", data, 4088))

    def expect(self, rule, commands=("verify", "transform")):
        for command in commands:
            options = ("-o", self.at / "out.qrn") if command == "transform" else ()
            self.assertIn(rule, run("quern-" + command, self.set, *options, exit=3).stderr)
        self.assertFalse((self.at / "out.qrn").exists())
        with self.assertRaises(Broken) as broken:
            Set(self.set)
        self.assertEqual(broken.exception.rule, rule)

    def test_they_are_one_graph(self):
        for ids, options in (("sparse", ()), ("strings", ("--undirected",)), ("dense", ("--transpose", "also")),
                             ("shuffled", ()), ("strings", ("--transpose", "also"))):
            with self.subTest(ids=ids, options=options):
                graph = self.made("g.qrn", ids, options)
                made, vertices = self.split(graph), read(graph).num_vertices
                for bounds in ([0, vertices], [0, 7, vertices], [0, 1, 1, vertices - 2, vertices], [0, 0, vertices, vertices]):
                    self.cut(made, bounds)
                    self.assertEqual(sorted(Set(self.set).edges, key=str), sorted(Set(made).edges, key=str))
                    self.assertEqual(Set(self.set).ids, Set(made).ids)
                    run("quern-verify", "-q", self.set)
                    self.returns(graph, self.set)
                for algorithm in ("bfs", "pagerank", "cc"):
                    for name in (made, self.set):
                        run("quern-run", algorithm, name, "--device=cpu", "-qfo", self.at / (name.name + ".tsv"))
                    self.assertEqual((self.at / "cut.tsv").read_bytes(), (self.at / "set.tsv").read_bytes())
                run("quern-pack", self.set, "-qfo", self.at / "packed")
                run("quern-verify", "-q", self.at / "packed")
                self.returns(graph, self.at / "packed")
        shown = json.loads(run("quern-info", self.set, "--json").stdout)
        self.assertEqual([file["range"] for file in shown["vertices"]], [[0, 0], [0, vertices], [vertices, vertices]])
        self.assertEqual(shown["required_features"], ["vertex-ranges"])
        self.assertIn("names-1.qrn", run("quern-info", self.set).stdout)

    def test_what_does_not_fit(self):
        made = self.split(self.imported("g.qrn", 3, "u32"))
        vertices = Set(made).graph["vertices"]
        bounds = [0, 9, vertices]

        def put(*path):
            def change(manifest):
                *way, key, value = path
                for step in way:
                    manifest = manifest[step]
                manifest[key] = value
            return change

        twice = put("vertices", 1, "name", "names-0.qrn")
        for rule, change in (("SET-4", put("vertices", 1, "range", [8, vertices])), ("SET-4", put("vertices", 1, "range", [10, vertices])),
                             ("SET-4", put("vertices", 1, "range", [9, 2**63 - 1])), ("SET-4", put("vertices", 1, "range", [9, 20])),
                             ("SET-4", lambda manifest: manifest["vertices"].reverse()),
                             ("SET-4", lambda manifest: manifest["vertices"].pop()), ("SET-3", twice),
                             ("SET-2", put("required_features", [])), ("SET-2", put("vertices", [])),
                             ("SET-3", put("blocks", 0, "name", "names-1.qrn")), ("SET-6", put("vertices", 1, "name", "names-9.qrn"))):
            manifest = self.cut(made, bounds)
            change(manifest)
            manifest["identity"] = identity_of(manifest)
            (self.set / "set.json").write_text(json.dumps(manifest))
            self.expect(rule)
        manifest = self.cut(made, bounds)
        manifest["vertices"][1]["range"] = [9, 2**63]  # no number of the profile
        (self.set / "set.json").write_text(json.dumps(manifest))
        self.assertIn("SET-1", run("quern-verify", self.set, exit=3).stderr)

    def test_files_of_another_kind(self):
        made = self.split(self.imported("g.qrn", 3, "u32"))
        vertices = Set(made).graph["vertices"]
        dense = self.split(self.made("d.qrn", "dense"))
        self.cut(dense, [0, 9, read(self.at / "d.qrn").num_vertices])
        kept = (self.set / "names-0.qrn").read_bytes()
        self.split(self.at / "g.qrn")
        manifest = self.cut(made, [0, 9, vertices])
        (self.set / "names-0.qrn").write_bytes(kept)
        self.seal(manifest)
        self.expect("SET-7")
        manifest = self.cut(made, [0, 9, vertices])
        shutil.copy(self.set / "names-1.qrn", self.set / "names-0.qrn")
        self.seal(manifest)
        self.expect("SET-7")

    def test_one_name_in_two_files(self):
        """Each file by itself is sound."""
        made = self.split(self.imported("g.qrn", 3, "u32"))
        manifest = self.cut(made, [0, 9, Set(made).graph["vertices"]])
        first, = struct.unpack_from("<Q", bytes(read(self.set / "names-0.qrn").bytes_of("original_ids")), 8)
        data = (self.set / "names-1.qrn").read_bytes()
        ids = bytearray(bytes(read(self.set / "names-1.qrn").bytes_of("original_ids")))
        struct.pack_into("<Q", ids, 0, first)
        (self.set / "names-1.qrn").write_bytes(rebuilt(data, {"original_ids": bytes(ids)}))
        self.seal(manifest)
        run("quern-verify", "--quick", "-q", self.set)
        self.expect("SET-16")
