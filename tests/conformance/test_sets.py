"""Sets: the graph comes back byte for byte, a second reader finds the same edges, and what does not fit together is
refused by both, by the same rule."""

import json
import os
import random
import re
import shutil
import struct
import tempfile
import unittest
from pathlib import Path

from conformance.container_reader import read
from conformance.graph_reader import Graph
from conformance.properties_reader import in_graph_order
from conformance.sealing import entry_of, rebuilt, resealed
from conformance.set_reader import Broken, Set, fingerprint_of, identity_of
from harness.chance import seed
from harness.tools import run
from oracle.graphs import LAYOUTS, RandomGraph

SPECS = Path(os.environ["QUERN_SOURCE"]) / "specs"
FIRST = Path(os.environ["QUERN_SOURCE"]) / "tests/data/sets-1"


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.at = Path(folder.name)

    def imported(self, name, seed=5, weights="none", ids="sparse", options=(), vertices=90):
        graph = RandomGraph(seed, vertices, 4 * vertices, weights, ids)
        graph.write(self.at / "in.txt")
        run("quern-import", self.at / "in.txt", "-qfo", self.at / name, "--weights", weights,
            *(["--ids", "strings"] if ids == "strings" else []), *options)
        return self.at / name

    def split(self, graph, parts=3, *options):
        run("quern-transform", graph, "--parts", str(parts), "-qfo", self.at / "set", *options)
        return self.at / "set"

    def cut(self, graph, width, *options):
        """Into blocks of so many rows and columns."""
        run("quern-transform", graph, "--block-vertices", str(width), "-qfo", self.at / "set", *options)
        return self.at / "set"

    def returns(self, graph, made):
        run("quern-transform", made, "-qfo", self.at / "back.qrn")
        self.assertEqual((self.at / "back.qrn").read_bytes(), graph.read_bytes())


class Vector(unittest.TestCase):
    """The worked example of specs/set.md, and the fingerprints that it lists."""

    def test_both_readers_take_it(self):
        made = SPECS / "vectors/set-sample"
        run("quern-verify", "-q", made)
        self.assertEqual(sorted(Set(made).edges), sorted(Graph(read(SPECS / "vectors/graph-sample.qrn")).edges))
        self.assertIn(Set(made).manifest["identity"], (SPECS / "set.md").read_text())
        self.assertIn(Set(made).manifest["vertices"][0]["identity"], (SPECS / "set.md").read_text())

    def test_blocks(self):
        """The same graph in two rows of two blocks, and its vertices in two files."""
        made = SPECS / "vectors/set-sample-blocks"
        run("quern-verify", "-q", made)
        self.assertEqual(sorted(Set(made).edges), sorted(Graph(read(SPECS / "vectors/graph-sample.qrn")).edges))
        self.assertIn(Set(made).manifest["identity"], (SPECS / "set.md").read_text())

    def test_fingerprints(self):
        listed = re.findall(r"(?m)^\| ([^|]*->[^|]*) \| (\w+) \| ([^|]*) \| `(\w{16})` \|$", (SPECS / "set.md").read_text())
        self.assertEqual(len(listed), 6)
        for edges, kind, weights, expected in listed:
            values = [float(text) if kind[0] == "f" else int(text) for text in re.findall(r"[-.0-9]+", weights)] or [None]
            ends = [tuple(map(int, edge)) for edge in re.findall(r"(\d+) -> (\d+)", edges)]
            found = fingerprint_of([(u, v, w) for (u, v), w in zip(ends, values, strict=True)], kind)
            self.assertEqual("%016x" % found, expected)


class FirstVersion(Folder):
    """Sets that were written before there were rectangular containers, of several layouts: read for ever, but written no more."""

    def test_they_are_read(self):
        run("quern-verify", "-q", SPECS / "vectors/set-sample-1")
        self.assertEqual(sorted(Set(SPECS / "vectors/set-sample-1").edges), sorted(Set(SPECS / "vectors/set-sample").edges))
        self.returns(SPECS / "vectors/graph-sample.qrn", SPECS / "vectors/set-sample-1")
        for made in (FIRST / "blocked", FIRST / "packed"):
            with self.subTest(made.name):
                run("quern-verify", "-q", made)
                graph = self.at / "graph.qrn"
                run("quern-transform", made, "-qfo", graph)
                self.assertEqual(sorted(Set(made).edges, key=str), sorted(Graph(read(graph)).edges, key=str))
                self.assertEqual("%016x" % read(graph).checksum, Set(made).graph["identity"])
                for algorithm in ("bfs", "pagerank", "cc"):
                    run("quern-run", algorithm, graph, "--device=cpu", "-qfo", self.at / "one.tsv")
                    run("quern-run", algorithm, made, "--device=cpu", "-qfo", self.at / "parts.tsv")
                    self.assertEqual((self.at / "parts.tsv").read_bytes(), (self.at / "one.tsv").read_bytes())

    def test_they_are_made_anew(self):
        made = SPECS / "vectors/set-sample-1"
        run("quern-transform", made, "--parts", "2", "--rows", "in", "--balance", "edges", "-qo", self.at / "set")
        self.assertEqual(json.loads((self.at / "set/set.json").read_text())["version"], 2)
        self.assertEqual(json.loads(run("quern-info", made, "--json").stdout)["version"], 1)
        self.assertIn("quern-transform", run("quern-pack", made, "-o", self.at / "no", exit=2).stderr)

    def test_rows_outside_of_the_range(self):
        made = self.at / "set"
        shutil.copytree(SPECS / "vectors/set-sample-1", made)
        manifest = json.loads((made / "set.json").read_text())
        data = bytearray((made / "part-00000.qrn").read_bytes())
        offset, = struct.unpack_from("<Q", data, entry_of(data, "row_offsets") + 48)
        struct.pack_into("<Q", data, offset + 8 * 2, 1)  # an edge of vertex 1 becomes one of vertex 2
        (made / "part-00000.qrn").write_bytes(resealed(data))
        manifest["parts"][0]["identity"] = "%016x" % struct.unpack_from("<Q", resealed(data), 4088)
        (made / "set.json").write_text(json.dumps(manifest))
        self.assertIn("SET-11", run("quern-verify", made, exit=3).stderr)
        with self.assertRaises(Broken) as broken:
            Set(made)
        self.assertEqual(broken.exception.rule, "SET-11")


class RoundTrips(Folder):
    tier, sanitized_tier, timeout = "medium", "medium", 3600  # tier long: 100 graphs

    def drawn(self, chance, weights):
        """A container of some graph: of any size, direction, names and weights, perhaps with properties."""
        options = chance.choice(((), ("--undirected",), ("--transpose", "also")))
        vertices, ids = chance.choice((1, 2, 30, 90, 200)), chance.choice(("dense", "sparse", "strings"))
        graph = self.imported("g.qrn", chance.randrange(2**32), weights, ids, options, vertices)
        if weights == "none" and chance.random() < 0.5:
            lines = ["%s,%s,%s\n" % (u, v, chance.choice(("", "n%d" % i, i))) for i, (u, v) in
                     enumerate(line.split() for line in (self.at / "in.txt").read_text().splitlines())]
            (self.at / "in.csv").write_text("src,dst,note:string\n" + "".join(lines))
            run("quern-import", self.at / "in.csv", "--properties", "all", "-qfo", graph, *options)
        return graph, vertices

    def same(self, graph, made):
        run("quern-verify", "-q", made)
        found = Set(made)
        self.assertEqual(sorted(found.edges, key=str), sorted(Graph(read(graph)).edges, key=str))
        self.returns(graph, made)
        return len(found.manifest["blocks"])

    def test_any_graph_in_any_blocks(self):
        """Cut in 1 to 1,000, packed or not: valid, the same to another reader, and the container again, byte for byte."""
        start, most = seed(), 0
        for case in range(100 if os.environ["QUERN_TEST_TIER"] == "long" else 8):
            chance = random.Random("%d %d" % (start, case))
            weights = ("none", "u32", "i64", "none", "f64", "f32")[case % 6]
            graph, vertices = self.drawn(chance, weights)
            rows = ("--rows", chance.choice(("in", "out")))
            for way in ("parts", "blocks"):
                if way == "parts":
                    words = (1000 if case % 8 == 3 else chance.choice((1, 2, 5, 40)), *rows, "--balance", chance.choice(("both", "edges", "vertices")))
                    made = self.split(graph, *words)
                else:
                    words = (max(1, vertices // chance.choice((1, 2, 5, 25 if case % 4 == 1 else 9))), *rows)
                    made = self.cut(graph, *words)
                with self.subTest(case=case, way=way, words=words, weights=weights):
                    most = max(most, self.same(graph, made))
                    if chance.random() < 0.5:
                        run("quern-pack", made, "-qfo", self.at / "packed")
                        self.same(graph, self.at / "packed")
        self.assertEqual(most, 1000)

    def test_tools_cut_alike(self):
        """What generates and imports a set makes the files that quern-transform makes, on any number of threads."""
        run("quern-generate", "rmat", "--scale", "8", "--weights", "1,9", "-qo", self.at / "g.qrn")
        made = self.cut(self.at / "g.qrn", 100)
        whole = self.imported("i.qrn", weights="f32", ids="strings")
        run("quern-transform", whole, "--block-vertices", "30", "-T1", "-qo", self.at / "i-set")
        run("quern-generate", "rmat", "--scale", "8", "--weights", "1,9", "-qo", self.at / "other", "--block-vertices", "100", "-T3")
        self.imported("i-other", weights="f32", ids="strings", options=("--block-vertices", "30", "--memory", "100M"))
        for one, other in ((made, "other"), (self.at / "i-set", "i-other")):
            for path in one.iterdir():
                if path.name != "set.json":
                    self.assertEqual((self.at / other / path.name).read_bytes(), path.read_bytes())
            manifests = [json.loads((self.at / folder / "set.json").read_text()) for folder in (one, other)]
            manifests[0]["graph"].pop("identity")  # of the container, which the others do not make
            self.assertEqual(*manifests)

    def test_generated_block_by_block(self):
        """A graph that is built one block after another makes the files that the container of all of it makes."""
        for words, width, rows in ((("rmat", "--scale", "9"), 200, "in"), (("uniform", "--scale", "8", "--degree", "3"), 100, "out"),
                                   (("uniform", "--scale", "7", "--edges", "77"), 40, "in"),
                                   (("grid", "--scale", "6", "--transpose", "also"), 50, "in"), (("rmat", "--scale", "0"), 1, "in")):
            with self.subTest(words):
                run("quern-generate", *words, "-qfo", self.at / "g.qrn")
                made = self.cut(self.at / "g.qrn", width, "--rows", rows)
                run("quern-generate", *words, "--block-vertices", str(width), "--rows", rows, "-T3", "--memory", "64M", "-qfo", self.at / "other")
                names = sorted(path.name for path in made.iterdir())
                self.assertEqual(sorted(path.name for path in (self.at / "other").iterdir()), names)
                for name in set(names) - {"set.json"}:  # which names no container
                    self.assertEqual((self.at / "other" / name).read_bytes(), (made / name).read_bytes())
                run("quern-verify", "-q", self.at / "other")
                self.returns(self.at / "g.qrn", self.at / "other")
                self.packed_block_by_block(self.at / "other", *words, "--block-vertices", str(width), "--rows", rows)

    def packed_block_by_block(self, plain, *words):
        """Packing each block as it is made, in memory or on disk, gives what quern-pack makes of the set."""
        run("quern-pack", plain, "-qfo", self.at / "packed")
        for memory in ([], ["--memory", "64M"]):
            run("quern-generate", *words, "--layout=packed", *memory, "-qfo", self.at / "at-once")
            for path in (self.at / "packed").iterdir():
                self.assertEqual((self.at / "at-once" / path.name).read_bytes(), path.read_bytes())

    def test_sizes_are_those_of_the_model(self):
        """docs/cluster.md, "Communication and memory": 8 bytes for each row and one more, 4 for each edge, and at most 24 KB."""
        run("quern-generate", "rmat", "--scale", "14", "-qo", self.at / "g.qrn")
        for made in (self.split(self.at / "g.qrn", 7), self.cut(self.at / "g.qrn", 3000)):
            for block in json.loads((made / "set.json").read_text())["blocks"]:
                model = 8 * (block["rows"][1] - block["rows"][0] + 1) + 4 * block["edges"]
                self.assertEqual((made / block["name"]).stat().st_size, block["bytes"])
                self.assertTrue(model <= block["bytes"] <= model + 24 * 1024, (block, model))

    def test_more_parts_than_vertices(self):
        graph = self.imported("g.qrn", vertices=3)
        self.returns(graph, self.split(graph, 9))
        Set(self.at / "set")

    def test_without_vertices_and_edges(self):
        (self.at / "z.mtx").write_text("%%MatrixMarket matrix coordinate pattern general\n0 0 0\n")
        run("quern-import", self.at / "z.mtx", "-qo", self.at / "z.qrn")
        run("quern-generate", "uniform", "--scale", "4", "--degree", "0", "-qo", self.at / "e.qrn")
        for name in ("z.qrn", "e.qrn"):
            self.returns(self.at / name, self.split(self.at / name, 2))
            run("quern-verify", "-q", self.at / "set")

    def test_threads_change_nothing(self):
        graph = self.imported("g.qrn")
        self.split(graph, 4, "-T1")
        first = {path.name: path.read_bytes() for path in (self.at / "set").iterdir()}
        self.split(graph, 4, "-T5")
        self.assertEqual({path.name: path.read_bytes() for path in (self.at / "set").iterdir()}, first)


class Properties(Folder):
    """Of vertices and edges, with nulls and texts: parts have those of their edges, and the container comes back."""

    tier, sanitized_tier = "medium", "medium"

    def imported_table(self, *options):
        draw = random.Random(4)
        (self.at / "v.csv").write_text("id,name,size\n" + "".join(
            "%d,%s,%s\n" % (v, draw.choice(("", "Zürich", "n%d" % v)), draw.choice(("", v))) for v in range(30)))
        (self.at / "e.csv").write_text("src,dst,w:f32,since:i64,note:string,ok:bool\n" + "".join(
            "%d,%d,%d,%s,%s,%s\n" % (draw.randrange(30), draw.randrange(6), draw.randrange(9), draw.choice(("", -i, i)),
                                     draw.choice(("", "a", "n%d" % i)), draw.choice(("", "true", "false")))
            for i in range(200)))
        run("quern-import", self.at / "e.csv", "--properties", "all", "--vertices", self.at / "v.csv", "-qfo",
            self.at / "g.qrn", *options)
        return self.at / "g.qrn"

    def expect_values(self, made, graph):
        whole, parts = Graph(read(graph)), Set(made)
        values = {}
        for (u, v, _), of_edge in zip(in_graph_order(whole.edges), zip(*whole.properties.edges.values())):
            values.setdefault((u, v), []).append(of_edge)
        self.assertEqual(repr(sorted(parts.values.items())), repr(sorted(values.items())))
        self.assertEqual(parts.properties.vertices, whole.properties.vertices)
        self.assertEqual(parts.properties.types, whole.properties.types)

    def test_they_come_back(self):
        for options in ((), ("--transpose", "also"), ("--undirected",), ("--undirected", "--duplicates", "remove")):
            graph = self.imported_table(*options)
            for parts, rows in ((1, "in"), (5, "in"), (5, "out"), (40, "in")):
                with self.subTest(options=options, parts=parts, rows=rows):
                    made = self.split(graph, parts, "--rows", rows)
                    run("quern-verify", "-q", made)
                    self.expect_values(made, graph)
                    self.returns(graph, made)
            for width, rows in ((11, "in"), (4, "out")):
                with self.subTest(options=options, width=width, rows=rows):
                    made = self.cut(graph, width, "--rows", rows)
                    run("quern-verify", "-q", made)
                    self.expect_values(made, graph)
                    self.returns(graph, made)

    def test_they_go_into_layouts(self):
        graph = self.imported_table()
        made = self.split(graph, 3)
        run("quern-pack", made, "-qfo", self.at / "other")
        run("quern-verify", "-q", self.at / "other")
        self.returns(graph, self.at / "other")
        columns = json.loads(run("quern-info", made, "--json").stdout)["properties"]["edges"]
        self.assertEqual(columns, [{"name": "since", "type": "i64"}, {"name": "note", "type": "string"},
                                   {"name": "ok", "type": "bool"}])
        self.assertRegex(run("quern-info", made).stdout, "note +string +edges")

    def test_without_edges(self):
        (self.at / "e.csv").write_text("src,dst,since:i64\n")
        (self.at / "v.csv").write_text("id,name\n1,a\n2,\n")
        run("quern-import", self.at / "e.csv", "--properties", "all", "--vertices", self.at / "v.csv", "-qo", self.at / "g.qrn")
        self.returns(self.at / "g.qrn", self.split(self.at / "g.qrn", 2))
        run("quern-verify", "-q", self.at / "set")


class Layouts(Folder):
    tier, sanitized_tier = "medium", "long"

    def test_of_parts(self):
        graph = self.imported("g.qrn", 7, "u32", options=("--transpose", "also"))
        made = self.split(graph, 3)
        for layout, command in LAYOUTS.items():
            with self.subTest(layout):
                packs = layout == "packed"
                told = run(command[0], made, "-qfo", self.at / layout, *command[1:], exit=0 if packs else 2)
                if not packs:
                    self.assertIn("graph or packed", told.stderr)
        run("quern-verify", "-q", self.at / "packed")
        self.assertEqual(Set(self.at / "packed").manifest["layout"], "packed")
        self.returns(graph, self.at / "packed")
        self.assertIn("leave --direction out", run("quern-pack", made, "-d", "in", "-o", self.at / "no", exit=2).stderr)

    def test_a_part_costs_its_rows_alone(self):
        """Of many parts no more than of one, and near columns are near in packed parts, too."""
        run("quern-generate", "grid", "--scale", "16", "-qo", self.at / "g.qrn")
        for command in ((), ("quern-pack", "-d", "out")):
            made = self.split(self.at / "g.qrn", 16, "--rows", "out")
            graph = self.at / "g.qrn"
            if command:
                run("quern-pack", made, "-qo", self.at / "packed")
                run("quern-pack", graph, *command[1:], "-qo", self.at / "packed.qrn")
                made, graph = self.at / "packed", self.at / "packed.qrn"
            size = sum(path.stat().st_size for path in made.iterdir())
            headers = 17 * 8 * 4096  # header, table, and the padding of each section
            self.assertLess(size, graph.stat().st_size + 2**16 + headers)

    def test_a_part_alone(self):
        """It is verified and shown, and nothing takes it for a graph."""
        part = self.split(self.imported("g.qrn", 8)) / "part-00001.qrn"
        run("quern-verify", "-q", part)
        told = json.loads(run("quern-info", part, "--json").stdout)
        self.assertEqual(told["rows"], read(part).num_rows)
        for words in (("quern-run", "bfs", part), ("quern-export", part, "-o", self.at / "x.txt"), ("quern-info", part, "--stats"),
                      ("quern-transform", part, "--transpose", "-o", self.at / "x.qrn"), ("quern-archive", "create", part, "-o", self.at / "x"),
                      ("quern-pack", part, "-o", self.at / "x.qrn"), ("quern-import", part, "-o", self.at / "x.qrn")):
            with self.subTest(words[0]):
                self.assertIn("part of a set", run(*words, exit=4).stderr)

    def test_every_tool_takes_a_set(self):
        graph = self.imported("g.qrn", 8, "u32", "strings")
        made = self.split(graph, 3)
        for source in (graph, made):
            run("quern-export", source, "-qfo", self.at / (source.stem + ".txt"))
            run("quern-transform", source, "--symmetrize", "-qfo", self.at / (source.stem + ".sym"))
            run("quern-run", "tc", self.at / (source.stem + ".sym"))
            run("quern-run", "sssp", source, "-qfo", self.at / (source.stem + ".tsv"))
        for end in (".txt", ".sym", ".tsv"):
            self.assertEqual((self.at / ("set" + end)).read_bytes(), (self.at / ("g" + end)).read_bytes(), end)
        told = json.loads(run("quern-info", made, "--json").stdout)
        self.assertEqual((told["identity"], len(told["blocks"])), (Set(made).manifest["identity"], 3))
        self.assertIn("components", run("quern-info", made, "--stats").stdout)


class Refused(Folder):
    """Each by the rule that is broken, with exit code 3, by every tool that opens a set."""

    tier, sanitized_tier = "medium", "long"

    def setUp(self):
        super().setUp()
        self.good = self.split(self.imported("g.qrn", 3, "u32"), 3)
        self.set = self.at / "forged"

    def forge(self, change=lambda manifest: None, reseal=True):
        """A copy whose manifest is changed; with `reseal` its identity fits again."""
        shutil.rmtree(self.set, ignore_errors=True)
        shutil.copytree(self.good, self.set)
        manifest = json.loads((self.set / "set.json").read_text())
        change(manifest)
        if reseal:
            manifest["identity"] = identity_of(manifest)
        (self.set / "set.json").write_text(json.dumps(manifest))
        return manifest

    def expect(self, rule, exit=3, second_reader=True, quick_is_blind=False):
        for command in (("quern-verify",), ("quern-transform", "-fo", self.at / "out.qrn"), ("quern-verify", "--quick")):
            if command[-1] == "--quick" and (rule in ("SET-11", "SET-12", "SET-13", "SET-14") or quick_is_blind):
                continue
            if command[0] == "quern-transform" and rule == "SET-14":
                continue
            finished = run(*command, self.set, exit=exit)
            self.assertIn(rule, finished.stderr)
        self.assertFalse((self.at / "out.qrn").exists())
        if second_reader:
            with self.assertRaises(Broken) as broken:
                Set(self.set)
            self.assertEqual(broken.exception.rule, rule)

    def test_sound(self):
        self.forge()
        Set(self.set)
        run("quern-verify", "-q", self.set)

    def test_manifests(self):
        def put(*path):
            def change(manifest):
                *way, key, value = path
                for step in way:
                    manifest = manifest[step]
                manifest[key] = value
            return change

        def twice(manifest):
            manifest["blocks"].append(manifest["blocks"][0])

        cases = [("SET-1", put("format", "something"), False), ("SET-2", put("blocks", []), False),
                 ("SET-2", put("vertices", 0, "name", "../vertices.qrn"), False), ("SET-3", twice, True),
                 ("SET-3", put("blocks", 1, "name", "part-00000.qrn"), True), ("SET-4", put("blocks", 1, "rows", 0, 0), True),
                 ("SET-4", lambda manifest: manifest["blocks"].pop(), True), ("SET-4", lambda manifest: manifest["blocks"].reverse(), True),
                 ("SET-4", put("blocks", 2, "rows", 1, 2**62), True), ("SET-4", put("graph", "edges", 7), True),
                 ("SET-4", put("blocks", 1, "columns", [0, 5]), True), ("SET-4", put("vertices", 0, "range", [1, 5]), True),
                 ("SET-4", put("blocks", 1, "edges", 2**63 - 1), True),
                 ("SET-5", put("graph", "fingerprint", "0" * 16), False),
                 ("SET-6", put("blocks", 0, "identity", "0" * 16), True), ("SET-6", put("blocks", 0, "bytes", 5), True),
                 ("SET-10", put("graph", "fingerprint", "0" * 16), True)]
        for rule, change, reseal in cases:
            with self.subTest(rule):
                self.forge(change, reseal)
                self.expect(rule)
        self.forge(put("rows", "out"))
        self.expect("SET-10")
        for change in (put("graph", "weights", "u16"), put("layout", "csr"), put("rows", "both"), put("identity", "x"),
                       put("graph", "in_edges", 1), put("graph", "edges", -1), put("blocks", 0, "bytes", "many"),
                       put("layout", "shards"), put("blocks", 0, "rows", [5, 2]), put("blocks", 0, "rows", [-1, 2]),
                       put("blocks", 0, "rows", [0]), put("blocks", 0, "columns", "all"), put("vertices", []), put("vertices", {}),
                       lambda manifest: manifest["vertices"].append(manifest["vertices"][0]),
                       put("blocks", 0, "rows", [0, 2.5])):
            self.forge(change, False)
            self.expect("SET-2", second_reader=False)

    def test_tables_of_blocks(self):
        self.good = self.cut(self.at / "g.qrn", 40)  # two or three rows of as many
        count = len(json.loads((self.good / "set.json").read_text())["vertices"])

        def put(block, key, value, at=None):
            def change(manifest):
                if at is None:
                    manifest["blocks"][block][key] = value
                else:
                    manifest["blocks"][block][key][at] = value
            return change

        def doubled(manifest):
            manifest["blocks"][1] = dict(manifest["blocks"][0], name="other.qrn")

        for rule, change in (("SET-4", put(0, "columns", [0, 39])), ("SET-4", put(1, "columns", [39, 80])),
                             ("SET-4", put(1, "columns", [41, 80])), ("SET-4", put(1, "columns", 40, 1)),
                             ("SET-4", put(count - 1, "columns", 2**63 - 1, 1)), ("SET-4", put(1, "rows", [0, 41])),
                             ("SET-4", put(1, "rows", [40, 80])), ("SET-4", put(count, "rows", [0, 40])),
                             ("SET-4", lambda manifest: manifest["blocks"].pop()), ("SET-4", lambda manifest: manifest["blocks"].pop(1)),
                             ("SET-4", lambda manifest: manifest["blocks"].reverse()), ("SET-4", doubled),
                             ("SET-4", put(0, "edges", 2**63 - 1)),
                             ("SET-4", lambda manifest: manifest.update(required_features=["vertex-ranges"])),
                             ("SET-2", lambda manifest: manifest.update(required_features=["column-ranges"]))):
            self.forge(change)
            self.expect(rule)
        for key in ("rows", "columns"):
            self.forge(put(1, key, [0, 2**63]), reseal=False)
            self.expect("SET-1", second_reader=False)

        def swapped(manifest):
            manifest["blocks"][0], manifest["blocks"][1] = (
                {**manifest["blocks"][b], "rows": manifest["blocks"][a]["rows"], "columns": manifest["blocks"][a]["columns"]}
                for a, b in ((0, 1), (1, 0)))

        self.forge(swapped)
        self.expect("SET-9")
        for old, new, rule in ((b'"columns":[40,80]', b'"columns":[40,81]', "SET-10"), (b'"columns":[40,80]', b'"calumns":[40,80]', "SET-10")):
            manifest = self.forge()
            part = (self.good / "part-00001.qrn").read_bytes()
            self.assertEqual(part.count(old), 1)
            (self.set / "part-00001.qrn").write_bytes(resealed(part.replace(old, new)))
            self.reseal_part(1, manifest)
            self.expect(rule)
        manifest = self.forge()
        data = bytearray((self.good / "part-00001.qrn").read_bytes())
        struct.pack_into("<Q", data, 96, 0)  # where its first row is among the columns
        (self.set / "part-00001.qrn").write_bytes(resealed(data))
        self.reseal_part(1, manifest)
        self.expect("SET-9")

    def widen(self, manifest):
        """More vertices than 32 bits name, in blocks that are not there."""
        cuts, width, kept = 200, 2**32 - 1, manifest["graph"]["edges"]
        bounds = [width * i for i in range(cuts)] + [width * (cuts - 1) + 5]
        file = {"bytes": 4096, "identity": "0" * 16}
        ranges = list(zip(bounds, bounds[1:]))
        manifest["graph"]["vertices"] = bounds[-1]
        manifest["required_features"] = ["vertex-ranges", "column-ranges"]
        manifest["vertices"] = [{**file, "name": "v%d" % i, "range": list(own)} for i, own in enumerate(ranges)]
        manifest["blocks"] = [{**file, "name": "b%d-%d" % (i, j), "rows": list(rows), "columns": list(columns), "edges": 0}
                              for i, rows in enumerate(ranges) for j, columns in enumerate(ranges)]
        manifest["blocks"][-1]["edges"] = kept

    def test_versions(self):
        self.forge(lambda manifest: manifest.update(version_minor=7, required_features=[], unknown={}))
        Set(self.set)
        run("quern-verify", "-q", self.set)
        for newer, said in ({"version": 3}, "another version"), ({"required_features": ["braids"]}, "feature braids"):
            self.forge(lambda manifest: manifest.update(newer))
            for tool in (("quern-verify",), ("quern-transform", "-qo", self.at / "out.qrn")):
                self.assertIn(said, run(*tool, self.set, exit=4).stderr)
            with self.assertRaises(Broken):
                Set(self.set)
        self.forge(lambda manifest: manifest["graph"].update(vertices=2**32))
        self.assertIn("more than 2^32 - 1", run("quern-verify", self.set, exit=4).stderr)
        self.forge(self.widen)
        self.assertIn("SET-6", run("quern-verify", self.set, exit=3).stderr)  # as far as the manifest goes all is well
        for broken in ({"version_minor": -1}, {"required_features": "braids"}, {"required_features": [1]}):
            self.forge(lambda manifest: manifest.update(broken))
            self.expect("SET-2", second_reader=False)

    def test_other_vertices(self):
        """Of another layout: damaged, and no mistake of usage."""
        manifest = self.forge()
        run("quern-pack", self.at / "g.qrn", "-qfo", self.set / "vertices.qrn")
        data = (self.set / "vertices.qrn").read_bytes()
        manifest["vertices"][0].update(bytes=len(data), identity="%016x" % struct.unpack_from("<Q", data, 4088))
        manifest["identity"] = identity_of(manifest)
        (self.set / "set.json").write_text(json.dumps(manifest))
        self.expect("SET-7")

    def test_what_a_part_says_of_itself(self):
        sound = (self.good / "part-00001.qrn").read_bytes()
        for old, new in ((b'"parts":3', b'"parts":4'), (b'"rows":"in"', b'"rows":"on"'), (b'"part":1', b'"part":2'),
                         (b'"begin":', b'"began":'), (b'"end":', b'"eno":')):
            with self.subTest(new):
                manifest = self.forge()
                self.assertEqual(sound.count(old), 1)
                (self.set / "part-00001.qrn").write_bytes(resealed(sound.replace(old, new)))
                self.reseal_part(1, manifest)
                self.expect("SET-10")

    def test_vertices_without_degrees(self):
        manifest = self.forge()
        data = bytearray((self.set / "vertices.qrn").read_bytes())
        entry = entry_of(data, "out_degrees")
        data[entry:entry + 32] = b"x_degrees".ljust(32, b"\0")
        data = resealed(data)
        (self.set / "vertices.qrn").write_bytes(data)
        manifest["vertices"][0]["identity"] = "%016x" % struct.unpack_from("<Q", data, 4088)
        manifest["identity"] = identity_of(manifest)
        (self.set / "set.json").write_text(json.dumps(manifest))
        self.expect("SET-8")

    def test_rows_that_are_not_those_of_the_range(self):
        """Others, and a graph of all vertices, which has a transpose, too."""
        sound = (self.good / "part-00001.qrn").read_bytes()
        for first in (0, 2**32 - 1):
            manifest = self.forge()
            data = bytearray(sound)
            struct.pack_into("<Q", data, 96, first)
            (self.set / "part-00001.qrn").write_bytes(resealed(data))
            self.reseal_part(1, manifest)
            self.expect("SET-9")
        run("quern-transform", self.at / "g.qrn", "--relabel", "degree", "-qo", self.at / "h.qrn")
        for other in ("g.qrn", "h.qrn"):
            manifest = self.forge()
            shutil.copy(self.at / other, self.set / "part-00001.qrn")
            self.reseal_part(1, manifest)
            self.expect("SET-9")

    def test_truncated_manifest(self):
        text = (self.good / "set.json").read_bytes()
        for length in (0, 1, len(text) // 2, len(text) - 2):
            self.forge()
            (self.set / "set.json").write_bytes(text[:length])
            self.expect("SET-1", second_reader=False)

    def test_missing_and_swapped_files(self):
        self.forge()
        (self.set / "part-00001.qrn").unlink()
        self.expect("SET-6")
        self.assertRegex(run("quern-verify", self.set, exit=3).stderr, r"part-00001\.qrn: SET-6: .* take each of its other files by itself")
        run("quern-verify", "-q", self.set / "part-00002.qrn")
        self.forge()
        (self.set / "part-00001.qrn").write_bytes((self.set / "part-00002.qrn").read_bytes())
        self.expect("SET-6")
        self.forge()
        (self.set / "vertices.qrn").unlink()
        self.expect("SET-6")

    def reseal_part(self, index, manifest):
        data = (self.set / ("part-%05d.qrn" % index)).read_bytes()
        manifest["blocks"][index].update(bytes=len(data), identity="%016x" % struct.unpack_from("<Q", data, 4088))
        (self.set / "set.json").write_text(json.dumps(manifest))

    def test_part_of_another_graph(self):
        """Of the same sizes, cut in the same places."""
        run("quern-transform", self.at / "g.qrn", "--random-weights", "1,9,1", "-qfo", self.at / "h.qrn")
        run("quern-transform", self.at / "h.qrn", "--parts", "3", "-qo", self.at / "others")
        manifest = self.forge()
        shutil.copy(self.at / "others/part-00001.qrn", self.set)
        self.expect("SET-6")
        self.reseal_part(1, manifest)
        self.expect("SET-10")

    def forge_part(self, section, change):
        manifest = self.forge()
        path = self.set / "part-00000.qrn"
        data = bytearray(path.read_bytes())
        offset, = struct.unpack_from("<Q", data, entry_of(data, section) + 48)
        change(data, offset)
        path.write_bytes(resealed(data))
        self.reseal_part(0, manifest)

    def test_forged_parts(self):
        self.forge_part("row_offsets", lambda data, offset: struct.pack_into("<Q", data, offset, 1))
        self.expect("G-1", quick_is_blind=True)
        self.forge_part("column_indices", lambda data, offset: struct.pack_into("<I", data, offset, 2**31))
        self.expect("G-4", quick_is_blind=True)
        self.forge_part("weights", lambda data, offset: data.__setitem__(offset, data[offset] ^ 1))
        self.expect("SET-12")

    def test_forged_properties(self):
        (self.at / "e.csv").write_text("src,dst,since:i64\n1,2,5\n2,3,6\n3,1,7\n")
        for other in ("src,dst,until:i64\n1,2,5\n2,3,6\n3,1,7\n", "src,dst,since:u64\n1,2,5\n2,3,6\n3,1,7\n",
                      "src,dst\n1,2\n2,3\n3,1\n"):
            run("quern-import", self.at / "e.csv", "--properties", "all", "-qfo", self.at / "g.qrn")
            self.good = self.split(self.at / "g.qrn", 2, "--rows", "out")
            (self.at / "o.csv").write_text(other)
            run("quern-import", self.at / "o.csv", "--properties", "all", "-qfo", self.at / "o.qrn")
            run("quern-transform", self.at / "o.qrn", "--parts", "2", "--rows", "out", "-qfo", self.at / "others")
            manifest = self.forge()
            ours, theirs = manifest["identity"], json.loads((self.at / "others/set.json").read_text())["identity"]
            part = (self.at / "others/part-00001.qrn").read_bytes()
            (self.set / "part-00001.qrn").write_bytes(resealed(part.replace(theirs.encode(), ours.encode())))
            self.reseal_part(1, manifest)
            self.expect("SET-15")

    def test_properties_of_one_direction(self):
        (self.at / "e.csv").write_text("src,dst,since:u32\n1,2,5\n2,3,6\n3,1,7\n")
        run("quern-import", self.at / "e.csv", "--properties", "all", "--undirected", "-qfo", self.at / "g.qrn")
        self.good = self.split(self.at / "g.qrn", 2)
        self.forge_part("property_e0", lambda data, offset: data.__setitem__(offset, data[offset] ^ 1))
        self.expect("SET-15", quick_is_blind=True)

    def test_forged_degrees(self):
        manifest = self.forge()
        path = self.set / "vertices.qrn"
        data = bytearray(path.read_bytes())
        offset, = struct.unpack_from("<Q", data, entry_of(data, "out_degrees") + 48)
        data[offset] ^= 1
        data = resealed(data)
        path.write_bytes(data)
        manifest["vertices"][0]["identity"] = "%016x" % struct.unpack_from("<Q", data, 4088)
        old, manifest["identity"] = manifest["identity"], identity_of(manifest)
        for index in range(3):
            part = self.set / ("part-%05d.qrn" % index)
            part.write_bytes(resealed(part.read_bytes().replace(old.encode(), manifest["identity"].encode())))
            self.reseal_part(index, manifest)
        self.expect("SET-14")


class Usage(Folder):
    def test_options(self):
        graph = self.imported("g.qrn")
        for words in (("--parts", "0"), ("--parts", "2", "--symmetrize"), ("--rows", "in", "--symmetrize"),
                      ("--parts", "2", "--balance", "none"), ("--parts", "2", "--block-vertices", "9"),
                      ("--block-vertices", "9", "--balance", "edges"), ("--block-vertices", "0"), ("--block-vertices", str(2**32)),
                      ("--block-vertices", "9", "--symmetrize")):
            run("quern-transform", graph, "-o", self.at / "no", *words, exit=2)
        for words in (("--parts", "2"), ("--block-vertices", "9", "--undirected"), ("--block-vertices", "9", "--weights", "1,2")):
            said = run("quern-generate", "rmat", "--scale", "5", "--layout=packed", *words, "-o", self.at / "no", exit=2).stderr
            self.assertIn("quern-pack packs", said)
        for words in (("grid", "--edges", "9"), ("rmat", "--edges", "9", "--degree", "1"), ("rmat", "--edges", "0")):
            run("quern-generate", *words, "--scale", "4", "-o", self.at / "no", exit=2)
        made = self.split(graph)
        run("quern-transform", graph, "--parts", "2", "-o", made, exit=2)  # it exists
        (made / "mine.txt").write_text("not the set's")
        self.assertIn("mine.txt", run("quern-transform", graph, "--parts", "2", "-fo", made, exit=2).stderr)
        run("quern-pack", made, "-qo", self.at / "packed")
        run("quern-pack", self.at / "packed", "-o", self.at / "no", exit=2)
        self.assertFalse((self.at / "no").exists())
