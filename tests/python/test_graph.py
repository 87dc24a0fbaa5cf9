"""Containers as arrays: views without a copy, which stay valid; every layout; names; what is damaged."""

import gc
import os
import pickle
import tempfile
import unittest
from pathlib import Path

from harness.package import needs, quern
from harness.tools import run

try:
    import numpy as np
except ImportError:
    np = None

LAYOUTS = ("blocked-csr", "edge-partitions", "slotted-pages", "shards", "hybrid", "packed")


class _Scratch(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = Path(scratch.name)
        cls.path = cls.folder / "g.qrn"
        run("quern-generate", "rmat", "--scale", "10", "--degree", "8", "--weights", "1,1000", "-q", "-o", cls.path)


def mapping_of(path):
    """The address ranges that a file is mapped at in this process."""
    with open("/proc/self/maps") as lines:
        return [tuple(int(end, 16) for end in line.split()[0].split("-")) for line in lines
                if line.rstrip("\n").endswith(str(path))]


@needs()
class Views(_Scratch):
    def test_arrays_lie_in_the_mapping(self):
        run("quern-transform", self.path, "--in-edges", "also", "-q", "-f", "-o", self.folder / "t.qrn")
        graph = quern.open(self.folder / "t.qrn")
        ranges = mapping_of(self.folder / "t.qrn")
        arrays = dict(graph.arrays, **{name: getattr(graph, name) for name in
                                       ("row_offsets", "column_indices", "weights", "in_row_offsets", "in_column_indices",
                                        "in_weights")})
        for name, array in arrays.items():
            with self.subTest(name):
                address = array.ctypes.data
                self.assertTrue(any(start <= address and address + array.nbytes <= end for start, end in ranges))
                self.assertFalse(array.flags.writeable)
                with self.assertRaises(ValueError):
                    array.flags.writeable = True
        self.assertEqual(arrays["row_offsets"].dtype, np.dtype("u8"))
        self.assertEqual(arrays["column_indices"].dtype, np.dtype("u4"))
        self.assertEqual(set(graph.arrays), {section["name"] for section in graph.info()["sections"]})

    def test_numpy_and_dlpack_share_them(self):
        columns = quern.open(self.path).column_indices
        for array in np.asarray(columns), np.frombuffer(columns, "u4"), columns.view("i4"):
            self.assertEqual(array.ctypes.data, columns.ctypes.data)
        if hasattr(np, "from_dlpack"):
            try:
                shared = np.from_dlpack(columns)
            except BufferError:  # NumPy before 2.1 exports no read-only arrays
                return
            self.assertEqual(shared.ctypes.data, columns.ctypes.data)

    def test_arrays_outlive_the_graph_and_let_it_go(self):
        graph = quern.open(self.path)
        columns, section = graph.column_indices, graph.arrays["weights"]
        expected = columns.tolist(), section.tolist()
        graph.close()
        with self.assertRaises(quern.UsageError):
            graph.row_offsets
        with self.assertRaises(quern.UsageError):
            graph.arrays
        del graph
        gc.collect()
        self.assertTrue(mapping_of(self.path))
        self.assertEqual((columns.tolist(), section.tolist()), expected)
        part = columns[10:20]
        del columns, section
        gc.collect()
        self.assertEqual(part.tolist(), expected[0][10:20])
        del part
        gc.collect()
        self.assertEqual(mapping_of(self.path), [])

    def test_what_it_says_of_itself(self):
        with quern.open(self.path) as graph:
            info = graph.info()
            self.assertEqual((graph.num_vertices, graph.num_edges), (info["vertices"], info["edges"]))
            self.assertEqual((graph.layout, graph.directed, graph.weight_dtype, graph.id_form, graph.has_in_edges, graph.path),
                             ("graph", True, np.dtype("u4"), "dense", False, str(self.path)))
            self.assertEqual("%016x" % graph.identity, info["identity"])
            self.assertIn("1024 vertices", repr(graph))
            self.assertIn("column_indices: uint32", repr(graph.arrays))
        memory = quern.from_arrays([0], [1])
        self.assertIsNone(memory.path)
        with self.assertRaises(quern.UsageError):
            pickle.dumps(memory)

    def test_pickled_by_its_path(self):
        graph = pickle.loads(pickle.dumps(quern.open(self.path)))
        self.assertEqual(graph.identity, quern.open(self.path).identity)


@needs()
class Layouts(_Scratch):
    def test_every_layout_gives_the_graph_back(self):
        graph = quern.open(self.path)
        for layout in LAYOUTS:
            with self.subTest(layout):
                path = self.folder / (layout + ".qrn")
                for built in (graph.build(layout), graph.build(layout, path)):
                    self.assertEqual(built.layout, layout)
                    self.assertEqual(built.row_offsets.tolist(), graph.row_offsets.tolist())
                    self.assertEqual(built.column_indices.tolist(), graph.column_indices.tolist())
                    self.assertEqual(built.weights.tolist(), graph.weights.tolist())
                    self.assertEqual(built.in_column_indices.tolist(), graph.in_column_indices.tolist())
                    again = built.build("hybrid" if layout != "hybrid" else "shards")
                    self.assertEqual(again.column_indices.tolist(), graph.column_indices.tolist())
                quern.verify(path)
                self.assertEqual(built.build("graph").column_indices.tolist(), graph.column_indices.tolist())

    def test_built_as_the_tool_does(self):
        quern.open(self.path).build("blocked-csr", self.folder / "b.qrn", block_vertices=100)
        run("quern-block", self.path, "--block-vertices", "100", "-q", "-o", self.folder / "tool.qrn")
        self.assertEqual((self.folder / "b.qrn").read_bytes(), (self.folder / "tool.qrn").read_bytes())

    def test_in_edges(self):
        graph = quern.open(self.path)
        order = np.lexsort((graph.sources(), graph.column_indices))
        self.assertEqual(graph.in_column_indices.tolist(), graph.sources()[order].tolist())
        self.assertEqual(sorted(graph.in_weights.tolist()), sorted(graph.weights.tolist()))
        self.assertEqual(np.diff(graph.in_row_offsets.view("i8")).tolist(),
                         np.bincount(graph.column_indices, minlength=graph.num_vertices).tolist())

    def test_steps(self):
        graph = quern.open(self.path).transform(symmetrize=True, remove_self_loops=True, remove_duplicates=True)
        self.assertFalse(graph.directed)
        self.assertEqual(graph.in_column_indices.ctypes.data, graph.column_indices.ctypes.data)
        self.assertFalse((graph.sources() == graph.column_indices).any())

    def test_what_is_refused(self):
        graph = quern.open(self.path)
        for call in (lambda: graph.build("nothing"), lambda: graph.build("shards", no_such_option=1),
                     lambda: graph.transform(relabel="nothing"), lambda: graph.build("hybrid", self.path)):
            with self.assertRaises(quern.UsageError):
                call()


@needs()
class Names(_Scratch):
    def test_paths_that_are_no_text(self):
        for name in ("with blank.qrn", "new\nline.qrn", "\udcfe\udcff.qrn", "-o", "ü日.qrn", "'\"$(x).qrn"):
            with self.subTest(name):
                path = self.folder / name
                quern.from_arrays([0, 1], [1, 2], path=path)
                self.assertEqual(quern.open(str(path), verify=True).path, str(path))
        with self.assertRaises(quern.UsageError):
            quern.open("a\0b")

    def test_ids_that_are_no_text(self):
        lines = self.folder / "names.txt"
        lines.write_bytes(b"a\xff b\n\xe6\x97\xa5 a\xff\n")
        graph = quern.read(lines, ids="strings")
        self.assertEqual(graph.ids.tolist(), ["a\udcff", "b", "日"])
        self.assertEqual(graph.find("a\udcff"), 0)
        self.assertEqual(graph.edges(ids=True).column_names, ["source", "target"])

    def test_ids_that_there_are_not(self):
        graph = quern.from_arrays([10, 20], [20, 30])
        self.assertEqual(graph.find([30, "10"]).tolist(), [2, 0])
        self.assertEqual(graph.find(20), 1)
        for id in (11, "x", "", -1):
            with self.subTest(id=id), self.assertRaises(quern.UsageError):
                graph.find(id)


@needs()
class Files(_Scratch):
    def test_archives_and_bundles(self):
        graph = quern.open(self.path)
        small = graph.save(self.folder / "g.qrnz", archive=True)
        self.assertEqual(small.column_indices.tolist(), graph.column_indices.tolist())
        self.assertLess(os.path.getsize(self.folder / "g.qrnz"), os.path.getsize(self.path))
        quern.from_arrays([0], [1], path=self.folder / "other.qrn")
        run("quern-archive", "create", self.path, self.folder / "other.qrn", "-o", self.folder / "b.tar")
        self.assertEqual(quern.open(str(self.folder / "b.tar") + ":g.qrn").identity, graph.identity)

    def test_what_is_damaged(self):
        whole = self.path.read_bytes()
        bad = self.folder / "bad.qrn"
        bad.write_bytes(whole[:-1])
        with self.assertRaises(quern.InvalidError) as caught:
            quern.open(bad)
        self.assertEqual((caught.exception.status, caught.exception.exit_code, caught.exception.file),
                         ("invalid", 3, str(bad)))
        self.assertIsInstance(caught.exception, ValueError)
        at = whole.index(quern.open(self.path).column_indices.tobytes())
        bad.write_bytes(whole[:at + 5] + bytes([whole[at + 5] ^ 1]) + whole[at + 6:])
        with self.assertRaises(quern.InvalidError):
            quern.open(bad, verify=True)
        with self.assertRaises(quern.InvalidError):
            quern.verify(bad)
        graph = quern.open(bad)  # views are as good as the file
        with self.assertRaises(quern.InvalidError):
            graph.verify()
        for call in (lambda: graph.run("bfs"), lambda: graph.build("shards"), lambda: graph.transform(),
                     lambda: graph.export(self.folder / "bad.txt", "edges")):
            with self.assertRaises(quern.InvalidError):
                call()

    def test_what_is_not_there(self):
        with self.assertRaises(OSError) as caught:
            quern.open(self.folder / "none.qrn")
        self.assertIn("none.qrn", str(caught.exception))
        self.assertEqual(pickle.loads(pickle.dumps(caught.exception)).args, caught.exception.args)
        with self.assertRaises(quern.InvalidError):
            quern.open(self.folder)

    def test_read_and_export(self):
        graph = quern.open(self.path)
        graph.export(self.folder / "g.csv", "csv")
        run("quern-export", self.path, "--format", "csv", "-q", "-o", self.folder / "tool.csv")
        self.assertEqual((self.folder / "g.csv").read_bytes(), (self.folder / "tool.csv").read_bytes())
        back = quern.read(self.folder / "g.csv", vertices=graph.num_vertices)
        self.assertEqual(back.column_indices.tolist(), graph.column_indices.tolist())
        both = quern.read(self.folder / "g.csv", self.folder / "tool.csv", vertices=graph.num_vertices, path=self.folder / "two.qrn")
        self.assertEqual(both.num_edges, 2 * graph.num_edges)
        with self.assertRaises(quern.UsageError):
            graph.export(self.folder / "g.csv", "csv")
        with self.assertRaises(quern.UsageError):
            graph.export(self.folder / "g.unknown")
        with self.assertRaises(quern.InvalidError) as caught:
            (self.folder / "bad.csv").write_text("0,1\n1,x\n")
            quern.read(self.folder / "bad.csv")
        self.assertEqual((caught.exception.line, caught.exception.column), (2, 3))

    def test_what_is_lost_is_warned_of(self):
        graph = quern.from_arrays([0], [1], directed=False)
        with self.assertWarns(quern.QuernWarning):
            graph.export(self.folder / "u.csv", "csv")
        with self.assertRaises(quern.UnsupportedError):
            graph.export(self.folder / "s.csv", "csv", strict=True)

    def test_warnings_have_codes(self):
        """Those of what changes what the graph means are refused with strict=True."""
        (self.folder / "both.txt").write_text("0 1\n1 0\n")
        with self.assertWarns(quern.QuernWarning) as caught:
            quern.read(self.folder / "both.txt", directed=False).close()
        self.assertEqual((caught.warning.code, caught.warning.is_warning), ("parallel-edges", True))
        self.assertNotIn("[", str(caught.warning))
        with self.assertRaisesRegex(quern.InvalidError, "parallel-edges"):
            quern.read(self.folder / "both.txt", directed=False, strict=True)

    def test_formats_by_endings(self):
        """By the table of the tools."""
        graph = quern.from_arrays([0], [1])
        for name, begin in (("e.mtx", b"%%MatrixMarket"), ("e.gml", b"graph ["), ("e.csv", b"src,dst"), ("e.el", b"0\t1")):
            graph.export(self.folder / name)
            self.assertTrue((self.folder / name).read_bytes().startswith(begin), name)
        for name, said in (("g.xyz", "no format has files that end in .xyz"), ("g.txt.gz", "compressed"), ("g.dot", "read, but not written")):
            with self.assertRaisesRegex(quern.UsageError, said):
                graph.export(self.folder / name)

    def test_lists(self):
        self.assertIn("pagerank", {kernel["algorithm"] for kernel in quern.algorithms()})
        self.assertIn("matrix-market", {format["name"] for format in quern.formats()})
        self.assertEqual({layout["layout"] for layout in quern.layouts()}, set(LAYOUTS))
