"""Parquet, Arrow IPC and GraphAr, from Python and from the command line."""

import datetime
import importlib
import json
import os
import shutil
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

from harness.package import needs, quern
from harness.tools import run

try:
    import numpy as np
    import pyarrow
    import pyarrow.parquet
except ImportError:
    pyarrow = None  # their tests are skipped
try:
    import yaml
except ImportError:
    yaml = None

SOURCE, TARGET, WEIGHT = [0, 0, 1, 3, 3], [1, 3, 2, 3, 0], [5, 1, 4, 2, 9]


class _Scratch(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        os.chdir(self.folder)

    def same(self, graph, other):
        self.assertEqual((graph.directed, graph.ids.tolist()), (other.directed, other.ids.tolist()))
        self.assertEqual(graph.row_offsets.tolist(), other.row_offsets.tolist())
        self.assertEqual(graph.column_indices.tolist(), other.column_indices.tolist())
        self.assertEqual(*(None if one.weights is None else one.weights.tolist() for one in (graph, other)))

    def write_edges(self, name, rows=slice(None)):
        table = pyarrow.table({"note": ["x"] * len(SOURCE[rows]), "w": WEIGHT[rows], "a": SOURCE[rows], "b": TARGET[rows]})
        if name.endswith(".parquet"):
            pyarrow.parquet.write_table(table, name, row_group_size=2)
        else:
            new = pyarrow.ipc.new_stream if name.endswith(".arrows") else pyarrow.ipc.new_file
            with new(name, table.schema) as writer:
                writer.write_table(table, 2)


@needs("pyarrow")
class Tables(_Scratch):
    def setUp(self):
        super().setUp()
        self.graph = quern.from_arrays(SOURCE, TARGET, WEIGHT)

    def test_read(self):
        for name, read in (("e.parquet", quern.read_parquet), ("e.arrow", quern.read_arrow), ("e.arrows", quern.read_arrow)):
            with self.subTest(name):
                self.write_edges(name)
                self.same(read(name, ["a", "b", "w"]), self.graph)
                self.same(read(Path(name), "a,b,w", path="g.qrn", force=True), self.graph)
                self.same(read([name], [3, 4, 2]), self.graph)
        with open("e.arrows", "rb") as stream:
            self.same(quern.read_arrow(stream, "a,b,w"), self.graph)

    def test_several_files_and_folders(self):
        os.mkdir("parts")
        self.write_edges("parts/0.parquet", slice(0, 2))
        self.write_edges("parts/1.parquet", slice(2, 5))
        self.same(quern.read_parquet("parts", "a,b,w"), self.graph)
        self.same(quern.read_parquet(["parts/0.parquet", "parts/1.parquet"], "a,b,w"), self.graph)

    def test_write(self):
        undirected = self.graph.transform(symmetrize=True)
        named = quern.from_arrays(["a", "b"], ["b", "ü"])
        for graph in self.graph, undirected, named:
            for name, read in (("o.parquet", quern.read_parquet), ("o.arrow", quern.read_arrow),
                               ("o.feather", quern.read_arrow), ("o.arrows", quern.read_arrow)):
                graph.export(name, force=True)
                ids = {"ids": "strings"} if graph is named else {}
                self.same(read(name, directed=graph.directed, **ids), graph)
        self.assertEqual(pyarrow.parquet.read_table("o.parquet").column_names, ["source", "target"])
        with self.assertRaises(quern.UsageError):
            self.graph.export("o.parquet")
        self.assertEqual(sorted(os.listdir()), ["o.arrow", "o.arrows", "o.feather", "o.parquet"])

    def test_what_is_refused(self):
        self.write_edges("e.parquet")
        whole = Path("e.parquet").read_bytes()
        Path("cut.parquet").write_bytes(whole[:-10])
        Path("text.parquet").write_text("0 1\n")
        for name, columns, kind in (("cut.parquet", None, quern.InvalidError), ("text.parquet", None, quern.InvalidError),
                                    ("e.parquet", "a,none", quern.UsageError), ("e.parquet", "a", quern.UsageError),
                                    ("e.parquet", "note,b", quern.QuernError), ("none.parquet", None, OSError)):
            with self.subTest(name=name, columns=columns), self.assertRaises(kind):
                quern.read_parquet(name, columns, path="no.qrn")
        self.assertFalse(os.path.exists("no.qrn"))
        damaged = bytearray(whole)
        footer = int.from_bytes(whole[-8:-4], "little") + 8
        damaged[4:-footer] = bytes(len(whole) - footer - 4)
        Path("damaged.parquet").write_bytes(damaged)
        with self.assertRaises((quern.QuernError, OSError)):
            quern.read_parquet("damaged.parquet", "a,b")


@needs("pyarrow")
class CommandLine(_Scratch):
    def setUp(self):
        super().setUp()
        self.graph = quern.from_arrays(SOURCE, TARGET, WEIGHT)

    def test_import(self):
        for name in "e.parquet", "e.arrow", "e.arrows":
            with self.subTest(name):
                self.write_edges(name)
                done = run("quern-import", name, "--columns", "a,b,w", "-f", "-o", "g.qrn")
                self.assertRegex(done.stdout, r"g\.qrn: 4 vertices, 5 edges, weights u32\n  records read +5\n")
                self.same(quern.open("g.qrn", verify=True), self.graph)
        with open("e.arrows", "rb") as stream:
            done = subprocess.run(["quern-import", "-", "--columns=a,b,w", "-qf", "-o", "g.qrn"], stdin=stream)
        self.assertEqual(done.returncode, 0)
        self.same(quern.open("g.qrn"), self.graph)
        done = subprocess.run("cat e.arrows | quern-import - --columns a,b,w -f --json -o g.qrn", shell=True, stdout=subprocess.PIPE)
        self.assertEqual(json.loads(done.stdout)["ledger"]["edges_written"], 5)
        self.same(quern.open("g.qrn"), self.graph)

    def test_import_options(self):
        self.write_edges("e.parquet")
        run("quern-import", "e.parquet", "--columns", "a,b", "--undirected", "--self-loops", "remove", "--duplicates=remove",
            "-q", "-o", "u.qrn")
        self.same(quern.open("u.qrn"), quern.from_arrays(SOURCE, TARGET, directed=False, self_loops="remove", duplicates="remove"))
        pyarrow.parquet.write_table(pyarrow.table({"source": [], "target": []}, pyarrow.schema([("source", "int64"), ("target", "int64")])), "none.parquet")
        self.assertIn("3 vertices, 0 undirected edges", run("quern-import", "none.parquet", "--undirected", "--vertices", "3", "-o", "none.qrn").stdout)

    def test_export(self):
        self.graph.save("g.qrn")
        done = run("quern-export", "g.qrn", "--format", "parquet", "--parts", "3", "--header", "-o", "o", exit=2)
        self.assertIn("tables have no --parts and no --header\n", done.stderr)
        for name, format in ("o.parquet", "parquet"), ("o.arrow", "arrow"), ("o.feather", "arrow"):
            done = run("quern-export", "g.qrn", "--format", format, "-o", name)
            self.assertRegex(done.stdout, name + ": 5 edges, ")
            run("quern-import", name, "-qf", "-o", "back.qrn")
            self.same(quern.open("back.qrn"), self.graph)

    def test_pipes(self):
        """A table to standard output, of a container from standard input."""
        self.graph.save("g.qrn")
        for format in "parquet", "arrow":
            done = subprocess.run("cat g.qrn | quern-export - --format %s -o - | cat > o.table" % format, shell=True,
                                  stderr=subprocess.PIPE, universal_newlines=True)
            self.assertRegex(done.stderr, "-: 5 edges, %d B" % os.path.getsize("o.table"))
            run("quern-import", "o.table", "-qf", "-o", "back.qrn")
            self.same(quern.open("back.qrn"), self.graph)
        self.assertFalse(os.path.exists("-"))
        run("quern-export", "g.qrn", "--format", "parquet", "-o", "-", "--json", exit=2)
        run("quern-export", "g.qrn", "--format", "graphar", "-o", "-", exit=2)

    def test_links_and_what_is_no_file(self):
        self.graph.save("g.qrn")
        Path("kept.parquet").write_text("old")
        os.symlink("kept.parquet", "link.parquet")
        run("quern-export", "g.qrn", "--format", "parquet", "-qf", "-o", "link.parquet")
        self.assertTrue(os.path.islink("link.parquet"))
        run("quern-import", "kept.parquet", "-q", "-o", "back.qrn")
        os.mkfifo("pipe.parquet")
        self.assertIn("not a regular file", run("quern-export", "g.qrn", "--format=parquet", "-qf", "-o", "pipe.parquet", exit=2).stderr)

    def test_weights_of_eight_bytes(self):
        for weights, name in (np.array([0.1, 1e300, -3]), "f64"), (np.array([1 << 60, -5, 0]), "i64"):
            pyarrow.parquet.write_table(pyarrow.table({"a": [1, 2, 3], "b": [2, 3, 1], "w": weights}), "w.parquet")
            said = json.loads(run("quern-import", "w.parquet", "--columns", "a,b,w", "--json", "-f", "-o", "g.qrn").stdout)
            self.assertEqual(said["weights"], name)
            self.assertEqual(pyarrow.table(quern.open("g.qrn").edges())["weight"].to_pylist(), weights.tolist())

    def test_errors(self):
        self.write_edges("e.parquet")
        self.assertIn("no column x", run("quern-import", "e.parquet", "--columns", "x,y", "-o", "g.qrn", exit=2).stderr)
        error = json.loads(run("quern-import", "e.parquet", "--columns", "x,y", "--json", "-o", "g.qrn", exit=2).stdout)["error"]
        self.assertEqual((error["status"], error["exit_code"]), ("usage", 2))
        run("quern-import", "e.parquet", "--columns", "note,b", "-o", "g.qrn", exit=(2, 3))
        run("quern-import", "e.parquet", "--delimiter", "comma", "-o", "g.qrn", exit=2)
        self.assertFalse(os.path.exists("g.qrn"))
        Path("g.qrn").write_text("mine")
        run("quern-import", "e.parquet", "--columns", "a,b", "-o", "g.qrn", exit=2)
        self.assertEqual(Path("g.qrn").read_text(), "mine")


@unittest.skipUnless(shutil.which("quern-import"), "no tools")
class WithoutThePackage(_Scratch):
    def test_what_to_install_is_said(self):
        Path("e.parquet").write_bytes(b"PAR1....PAR1")
        alone = dict(os.environ, PYTHONPATH="")
        for name in "QUERN_LIBRARY", "QUERN_PYTHON":
            alone.pop(name, None)
        done = subprocess.run(["quern-import", "e.parquet", "-o", "g.qrn"], env=alone, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 4)
        self.assertIn("pip install", done.stderr)
        nothing = dict(alone, PATH=os.environ["QUERN_BIN"])
        done = subprocess.run(["quern-import", "e.parquet", "-o", "g.qrn"], env=nothing, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 4)
        self.assertIn("python3", done.stderr)


# ---- GraphAr ------------------------------------------------------------------------------------

def write_chunks(folder, prefix, chunk_size, file_type="parquet", **columns):
    """A table in chunks of so many rows."""
    table = pyarrow.table(columns)
    (folder / prefix).mkdir(parents=True, exist_ok=True)
    for chunk, at in enumerate(range(0, len(table), chunk_size)):
        part, path = table.slice(at, chunk_size), folder / prefix / ("chunk%d" % chunk)
        if file_type == "parquet":
            pyarrow.parquet.write_table(part, path)
        elif file_type == "csv":
            importlib.import_module("pyarrow.csv").write_csv(part, path)
        elif file_type == "orc":
            importlib.import_module("pyarrow.orc").write_table(part, path)
        else:
            path.write_text("".join(json.dumps(row) + "\n" for row in part.to_pylist()))


class MadeGraph:
    """A small GraphAr graph as another program would write it: people who know each other, and like films."""

    people = [("ann", 30), ("bob", 25), ("cid", 41)]
    films = [7, 9]
    knows = [(0, 1, "x", 0.5), (0, 2, "y", 1.5), (2, 0, "z", 2.5)]  # in the order of rows
    likes = [(0, 1), (2, 0), (2, 1)]

    def __init__(self, folder, file_type="parquet", directed=True, kind="ordered_by_source"):
        self.folder, self.type, self.kind = Path(folder), file_type, kind
        self.vertices("person", {"name": ("string", [name for name, _ in self.people])}, {"age": ("int64", [30, 25, 41])}, 2)
        self.vertices("film", {"id": ("int64", self.films)}, {}, 4)
        self.edges("person", "knows", "person", [edge[:2] for edge in self.knows], 3,
                   {"since": ("string", [edge[2] for edge in self.knows]), "weight": ("double", [edge[3] for edge in self.knows])},
                   directed)
        self.edges("person", "likes", "film", self.likes, 3, {}, True)
        self.info("made.graph.yml", name="made", vertices=["person.vertex.yml", "film.vertex.yml"],
                  edges=["person_knows_person.edge.yml", "person_likes_film.edge.yml"])

    def info(self, file_name, **content):
        (self.folder / file_name).write_text(yaml.safe_dump(dict(content, version="gar/v1")))

    def count(self, name, value):
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_bytes(struct.pack("<q", value))

    def group(self, properties, primary=False):
        return {"file_type": self.type, "properties": [{"name": name, "data_type": kind, "is_primary": primary}
                                                       for name, (kind, _) in properties.items()]}

    def vertices(self, label, key, others, chunk_size):
        prefix, count = "vertex/%s/" % label, len(next(iter(key.values()))[1])
        self.count(prefix + "vertex_count", count)
        for properties in filter(None, (key, others)):
            write_chunks(self.folder, prefix + "_".join(properties), chunk_size, self.type,
                         _graphArVertexIndex=list(range(count)), **{name: values for name, (_, values) in properties.items()})
        self.info(label + ".vertex.yml", type=label, chunk_size=chunk_size, prefix=prefix,
                  property_groups=[self.group(key, True)] + ([self.group(others)] if others else []))

    def edges(self, source, label, target, edges, count, properties, directed):
        """In parts of 2 vertices and chunks of 1 edge."""
        name, by_source = "_".join((source, label, target)), self.kind.endswith("source")
        prefix, count = "edge/%s/" % name, count if by_source else {"person": 3, "film": 2}[target]
        folder = prefix + self.kind + "/"
        self.count(folder + "vertex_count", count)
        for part, first in enumerate(range(0, count, 2)):
            rows = sorted((row for row, edge in enumerate(edges) if first <= edge[not by_source] < first + 2),
                          key=lambda row: edges[row][not by_source], reverse=self.kind.startswith("un"))
            self.count(folder + "edge_count%d" % part, len(rows))
            write_chunks(self.folder, folder + "adj_list/part%d" % part, 1, self.type,
                         _graphArSrcIndex=pyarrow.array([edges[row][0] for row in rows], "int64"),
                         _graphArDstIndex=pyarrow.array([edges[row][1] for row in rows], "int64"))
            for property_name, (_, values) in properties.items():
                write_chunks(self.folder, folder + "%s/part%d" % (property_name, part), 1, self.type,
                             **{property_name: [values[row] for row in rows]})
        self.info(name + ".edge.yml", src_type=source, edge_type=label, dst_type=target, chunk_size=1, src_chunk_size=2,
                  dst_chunk_size=2, directed=directed, prefix=prefix,
                  adj_lists=[{"ordered": self.kind.startswith("ordered"), "aligned_by": "src" if by_source else "dst",
                              "file_type": self.type}],
                  property_groups=[self.group({name: kind}) for name, kind in properties.items()])


@needs("pyarrow", "yaml")
class GraphAr(_Scratch):
    def test_read_every_file_type(self):
        for file_type in "parquet", "csv", "orc", "json":
            with self.subTest(file_type):
                os.mkdir(file_type)
                made = MadeGraph(self.folder / file_type, file_type)
                with self.assertWarnsRegex(quern.QuernWarning, "not hold: person_likes_film"):
                    graph = quern.read_graphar(made.folder, "knows")
                self.assertEqual(graph.ids.tolist(), ["ann", "bob", "cid"])
                self.assertEqual([*zip(graph.sources(), graph.column_indices, graph.weights)],
                                 [(0, 1, 0.5), (0, 2, 1.5), (2, 0, 2.5)])
                self.assertEqual(graph.vertex_properties["age"].tolist(), [30, 25, 41])
                self.assertEqual(graph.edge_properties["since"].tolist(), ["x", "y", "z"])

    def test_every_kind_of_list(self):
        for kind in "ordered_by_source", "ordered_by_dest", "unordered_by_source", "unordered_by_dest":
            with self.subTest(kind), tempfile.TemporaryDirectory() as folder, self.assertWarns(quern.QuernWarning):
                graph = quern.read_graphar(MadeGraph(folder, kind=kind).folder, "knows")
                self.assertEqual([*zip(graph.sources(), graph.column_indices, graph.weights, graph.edge_properties["since"].tolist())],
                                 [(0, 1, 0.5, "x"), (0, 2, 1.5, "y"), (2, 0, 2.5, "z")])
                graph = quern.read_graphar(folder, "likes")
                self.assertEqual(graph.edge_index().T.tolist(), [[0, 4], [2, 3], [2, 4]])

    def test_texts_that_look_like_something_else(self):
        """Those of CSV and JSON are as they are there; an empty field is null."""
        texts = ["2010-07-30T15:19:53.298+0000", "007", "true", "NaN", "", None, "1e3", "NULL"]
        for file_type in "parquet", "csv", "orc", "json":
            with self.subTest(file_type), tempfile.TemporaryDirectory() as folder, self.assertWarns(quern.QuernWarning):
                made = MadeGraph(folder, file_type)
                made.vertices("person", {"code": ("string", ["%03d" % number for number in range(8)])},
                              {"text": ("string", texts), "number": ("double", [1.5, None] * 4)}, 2)
                for kind in "ordered_by_source/vertex_count", "ordered_by_source/edge_count2", "ordered_by_source/edge_count3":
                    made.count("edge/person_knows_person/" + kind, 8 if kind.endswith("vertex_count") else 0)
                graph = quern.read_graphar(folder, "knows")
                self.assertEqual(graph.ids.tolist(), ["%03d" % number for number in range(8)])
                self.assertEqual(graph.vertex_properties["text"].tolist(), texts)
                self.assertEqual(graph.vertex_properties["number"].tolist(), [1.5, None] * 4)

    def test_what_early_versions_call_keys(self):
        MadeGraph(self.folder)
        for name, keys in (("person.vertex.yml", {"type": "label"}),
                           ("person_knows_person.edge.yml", {"src_type": "src_label", "edge_type": "edge_label", "dst_type": "dst_label"})):
            info = yaml.safe_load((self.folder / name).read_text())
            (self.folder / name).write_text(yaml.safe_dump({keys.get(key, key): value for key, value in info.items()}))
        with self.assertWarns(quern.QuernWarning):
            self.assertEqual(quern.read_graphar(self.folder, "knows").num_edges, 3)

    def test_two_types_of_vertices(self):
        MadeGraph(self.folder)
        with self.assertWarns(quern.QuernWarning):
            graph = quern.read_graphar("made.graph.yml", "person_likes_film")
        self.assertEqual(graph.ids.tolist(), ["person:ann", "person:bob", "person:cid", "film:7", "film:9"])
        self.assertEqual(graph.edge_index().T.tolist(), [[0, 4], [2, 3], [2, 4]])
        self.assertEqual(graph.vertex_properties["age"].tolist(), [30, 25, 41, None, None])

    def test_undirected(self):
        MadeGraph(self.folder, directed=False)
        with self.assertWarns(quern.QuernWarning):
            graph = quern.read_graphar(self.folder, "knows", weight=None)
        self.assertFalse(graph.directed)
        self.assertEqual((graph.num_edges, graph.num_stored_edges), (3, 6))

    def test_what_is_refused(self):
        def damaged(change, kind, message):
            with self.subTest(message), tempfile.TemporaryDirectory() as folder:
                made = MadeGraph(folder)
                change(made)
                with self.assertRaisesRegex(kind, message):
                    quern.read_graphar(folder, "knows")

        lists = "edge/person_knows_person/ordered_by_source/"
        for change, message in (
                (lambda made: (Path(made.folder) / "person.vertex.yml").write_text(5000 * "["), "nested too deeply"),
                (lambda made: (Path(made.folder) / "person.vertex.yml").write_text("a: 2020-13-45\n"), "no YAML"),
                (lambda made: made.count("vertex/person/vertex_count", 4), "disagrees|rows"),
                (lambda made: made.count("vertex/person/vertex_count", -1), "not negative"),
                (lambda made: made.count(lists + "edge_count0", 1), "edge_count|rows|chunk"),
                (lambda made: write_chunks(made.folder, lists + "adj_list/part1", 9, _graphArSrcIndex=[0], _graphArDstIndex=[1]),
                 "row 0 .*_graphArSrcIndex is 0"),
                (lambda made: write_chunks(made.folder, lists + "adj_list/part1", 9, _graphArSrcIndex=[2], _graphArDstIndex=[3]),
                 "_graphArDstIndex is 3"),
                (lambda made: write_chunks(made.folder, lists + "adj_list/part1", 9, a=[2], b=[3]), "_graphArSrcIndex"),
                (lambda made: (made.folder / "made.graph.yml").write_text("a: [b"), "YAML"),
                (lambda made: (made.folder / "made.graph.yml").write_text("- 1"), "information file"),
                (lambda made: (made.folder / lists / "adj_list/part0/chunk0").write_bytes(b"PAR1 no"), "chunk0")):
            damaged(change, quern.InvalidError, message)
        damaged(lambda made: made.info("made.graph.yml", name="made", vertices=["none.vertex.yml"], edges=[]), OSError, "none")
        damaged(lambda made: (made.folder / lists / "adj_list/part0/chunk0").unlink(), OSError, "chunk0")
        MadeGraph(self.folder)
        for options in ({}, {"edge": "hates"}, {"edge": "knows", "weight": "since"}, {"edge": "knows", "weight": "none"}):
            with self.subTest(options=options), self.assertRaises(quern.UsageError):
                quern.read_graphar(self.folder, **options)

    def test_written_and_read(self):
        rng = np.random.default_rng(2)
        source, target = rng.integers(0, 50, (2, 400))
        graphs = {
            "weights": quern.from_arrays(source, target, rng.integers(0, 2**32, 400, dtype="u4"), num_vertices=60),
            "reals": quern.from_arrays(source, target, rng.random(400).astype("f4"), num_vertices=50),
            "undirected": quern.from_arrays(source, target, directed=False, num_vertices=50),
            "numbers": quern.from_arrays(source * 2**40, target * 2**40),
            "texts": quern.from_arrays(["a", "ü"], ["ü", "b b"]),
            "edgeless": quern.from_arrays([], [], num_vertices=3),
            "nothing": quern.from_arrays([], [])}
        for name, graph in graphs.items():
            for lists in ("ordered_by_source",), ("ordered_by_dest",), ("ordered_by_dest", "ordered_by_source"):
                with self.subTest(name=name, lists=lists):
                    quern.graphar.write(graph, name, lists=lists, vertex_chunk_size=7, edge_chunk_size=10, force=True)
                    back = quern.read_graphar(name)
                    if graph.weights is None or lists != ("ordered_by_dest",):
                        self.same(back, graph)
                    else:
                        self.assertEqual(sorted(zip(*(a.tolist() for a in (back.sources(), back.column_indices, back.weights)))),
                                         sorted(zip(*(a.tolist() for a in (graph.sources(), graph.column_indices, graph.weights)))))
        graphs["texts"].export("exported", "graphar")
        self.assertEqual(sorted(os.listdir("exported")),
                         ["edge", "exported.graph.yml", "vertex", "vertex.vertex.yml", "vertex_edge_vertex.edge.yml"])
        offsets = pyarrow.parquet.read_table("weights/edge/vertex_edge_vertex/ordered_by_source/offset/chunk1")
        self.assertEqual(offsets["_graphArOffset"].to_pylist(),
                         (graphs["weights"].row_offsets[7:15] - graphs["weights"].row_offsets[7]).tolist())
        with self.assertRaises(quern.UsageError):
            quern.graphar.write(graphs["texts"], "exported")
        with self.assertRaises(quern.UsageError):
            quern.graphar.write(graphs["texts"], "new", vertex_type="../x")
        with self.assertRaises(quern.UnsupportedError):
            quern.graphar.write(quern.from_arrays([2**63], [0]), "new")
        self.assertFalse(list(self.folder.glob("new*")))

    def test_command_line(self):
        MadeGraph(self.folder)
        done = run("quern-import", "made.graph.yml", "--member", "knows", "-o", "k.qrn")
        self.assertIn("person_likes_film", done.stderr)
        run("quern-export", "k.qrn", "--format", "graphar", "-q", "-o", "out")
        run("quern-import", "out", "-q", "--memory", "64M", "-o", "again.qrn")
        again = quern.open("again.qrn", verify=True)
        self.same(again, quern.open("k.qrn"))
        self.assertEqual(again.edge_properties["since"].tolist(), ["x", "y", "z"])
        run("quern-import", "out", "-qf", "--properties", "all", "-o", "again.qrn")
        self.assertIn("--properties", run("quern-import", "out", "-qf", "--properties", "since", "-o", "again.qrn", exit=2).stderr)

    def properties(self, graph):
        """Of every edge and every vertex, by what they are called."""
        edges, vertices = pyarrow.table(graph.edges(ids=True)).to_pylist(), pyarrow.table(graph.vertices()).to_pylist()
        return sorted(edges, key=str), vertices

    def test_properties_there_and_back(self):
        rng, count = np.random.default_rng(5), 90
        source, target = rng.integers(0, 30, (2, count))
        table = pyarrow.table({
            "source": source, "target": target, "weight": rng.random(count), "row": np.arange(count, dtype="i4"),
            "text": [None if row % 7 == 0 else "é%d" % row for row in range(count)],
            "yes": [None if row % 5 == 0 else row % 2 == 0 for row in range(count)], "real": rng.random(count).astype("f4")})
        vertices = pyarrow.table({"id": np.arange(30) * 3, "age": pyarrow.array([None, 2**40, -1] * 10), "label": ["a", "", None] * 10})
        for directed in True, False:
            graph = quern.from_arrow(table, properties=True, vertices=vertices, rows=True, directed=directed)
            for lists in ("ordered_by_source",), ("ordered_by_dest",):
                with self.subTest(directed=directed, lists=lists):
                    quern.graphar.write(graph, "kept", lists=lists, vertex_chunk_size=7, edge_chunk_size=10, force=True)
                    back = quern.read_graphar("kept")
                    back.verify()
                    self.assertEqual(self.properties(back), self.properties(graph))
        part = Path("kept/edge/vertex_edge_vertex/ordered_by_dest")
        for number in range(5):  # chunks of a part are those of its destinations, in their order
            chunks = [pyarrow.parquet.read_table(part / "adj_list" / ("part%d" % number) / name)["_graphArDstIndex"].to_pylist()
                      for name in sorted(os.listdir(part / "adj_list" / ("part%d" % number)), key=lambda name: int(name[5:]))]
            ends = [end for chunk in chunks for end in chunk]
            self.assertEqual(ends, sorted(ends))
            self.assertTrue(all(end // 7 == number for end in ends))
            offsets = pyarrow.parquet.read_table(part / "offset" / ("chunk%d" % number))["_graphArOffset"].to_pylist()
            self.assertEqual(offsets, [sum(end < first for end in ends) for first in range(7 * number, min(7 * number + 7, 30) + 1)])

    def test_types_that_no_container_has(self):
        made = MadeGraph(self.folder)
        day = pyarrow.array([0, None, 40], pyarrow.date32())
        write_chunks(self.folder, "vertex/person/born", 2, born=day)
        write_chunks(self.folder, "vertex/person/tags", 2, tags=[["a"], [], ["b", "c"]])
        made.info("person.vertex.yml", type="person", chunk_size=2, prefix="vertex/person/", property_groups=[
            made.group({"name": ("string", None)}, True), made.group({"born": ("date", None)}), {
                "file_type": "parquet", "properties": [{"name": "tags", "data_type": "string", "cardinality": "list"}]}])
        with self.assertWarnsRegex(quern.QuernWarning, "person.tags"):
            graph = quern.read_graphar(self.folder, "knows")
        self.assertEqual(graph.vertex_properties["born"].tolist(), [datetime.date(1970, 1, 1), None, datetime.date(1970, 2, 10)])
