"""Binsparse matrices: h5py reads what quern-export writes, and what it writes by the specification is read."""

import json
import random
import subprocess
import tempfile
import unittest
from pathlib import Path

from harness.tools import run

try:
    import h5py
    import numpy
except ImportError:
    h5py = None


def built_in():
    """Does this build have HDF5?"""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.h5"
        path.write_bytes(b"\x89HDF\r\n\x1a\n")
        return "reads and writes no HDF5" not in run("quern-import", path, "-o", path.with_suffix(".qrn"), exit=(3, 4)).stderr


class Binsparse(unittest.TestCase):
    def setUp(self):
        if h5py is None or not built_in():
            self.skipTest("h5py is not installed" if h5py is None else "this build has no libhdf5")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def path(self, name):
        return self.folder / name

    def write(self, format_, shape, arrays, types=None, name="m.h5", options=None, attribute="binsparse", **more):
        """`arrays`: name -> numpy array; `types`: what differs from the arrays' own."""
        described = {key: str(array.dtype).lstrip("<>") for key, array in arrays.items()}
        described.update(types or {})
        descriptor = {"version": "0.1", "format": format_, "shape": shape, "data_types": described,
                      "number_of_stored_values": len(arrays["indices_1"]), **more}
        with h5py.File(self.path(name), "w") as file:
            for key, array in arrays.items():
                file.create_dataset(key, data=array, **(options or {}))
            if attribute:
                file.attrs[attribute] = json.dumps({"binsparse": descriptor, "author": "nobody"})

    def edges(self, *options, name="m.h5"):
        run("quern-import", "-q", "-f", self.path(name), "-o", self.path("m.qrn"), *options)
        run("quern-verify", "-q", self.path("m.qrn"))
        text = run("quern-export", "-q", self.path("m.qrn"), "-o", "-").stdout
        return [tuple(line.split("\t")) for line in text.splitlines() if not line.startswith("#")]

    def refused(self, pattern, code=3, name="m.h5"):
        done = run("quern-import", self.path(name), "-o", self.path("refused.qrn"), exit=code)
        self.assertRegex(done.stderr, pattern)
        self.assertEqual(list(self.folder.glob("refused*")), [])


class TestRead(Binsparse):
    EDGES = [("0", "1", "5"), ("0", "2", "6"), ("2", "1", "7"), ("3", "3", "8")]

    def csr(self, index="uint64", value="uint32"):
        return {"pointers_to_1": numpy.array([0, 2, 2, 3, 4], index), "indices_1": numpy.array([1, 2, 1, 3], index),
                "values": numpy.array([5, 6, 7, 8], value)}

    def test_entries_of_one_place(self):
        """SciPy adds them up: here they are parallel edges, which is said."""
        arrays = {"indices_0": numpy.array([0, 0, 1], "u8"), "indices_1": numpy.array([1, 1, 2], "u8"),
                  "values": numpy.array([5, 6, 7], "u4")}
        for more in {}, {"structure": "symmetric_upper"}:
            with self.subTest(**more):
                self.write("COOR", [3, 3], arrays, **more)
                done = run("quern-import", "-f", self.path("m.h5"), "-o", self.path("m.qrn"))
                self.assertIn("warning: 1 entries of the matrix have the place of another", done.stderr)
                self.assertRegex(done.stdout, r"of these parallel +1\n")
        self.write("COOR", [3, 3], arrays)
        self.assertEqual(self.edges("--duplicates", "sum"), [("0", "1", "11"), ("1", "2", "7")])

    def test_types_and_byte_orders(self):
        for index in ("uint8", "uint16", "uint32", "uint64", "int32", "int64", ">u4", ">i8"):
            for value in ("uint8", "int64", "float64", ">f4"):
                with self.subTest(index=index, value=value):
                    self.write("CSR", [4, 4], self.csr(index, value),
                               {key: numpy.dtype(kind).newbyteorder("=").name for key, kind in
                                (("pointers_to_1", index), ("indices_1", index), ("values", value))})
                    self.assertEqual(self.edges(), self.EDGES)

    def test_formats(self):
        one = numpy.array([0, 0, 2, 3], "u4")
        two = numpy.array([1, 2, 1, 3], "u4")
        values = numpy.array([5, 6, 7, 8], "u4")
        for name in ("COO", "COOR"):
            self.write(name, [4, 4], {"indices_0": one, "indices_1": two, "values": values})
            self.assertEqual(self.edges(), self.EDGES)
        by_column = numpy.lexsort((one, two))
        self.write("COOC", [4, 4], {"indices_0": two[by_column], "indices_1": one[by_column],
                                    "values": values[by_column]})
        self.assertEqual(self.edges(), self.EDGES)
        self.write("CSC", [4, 4], {"pointers_to_1": numpy.array([0, 0, 2, 3, 4], "u8"),
                                   "indices_1": one[by_column], "values": values[by_column]})
        self.assertEqual(self.edges(), self.EDGES)

    def test_doubly_compressed(self):
        """Only rows, or columns, that are not empty are stored."""
        by_row = {"indices_0": numpy.array([0, 2, 3], "u1"), "pointers_to_1": numpy.array([0, 2, 3, 4], "u1"),
                  "indices_1": numpy.array([1, 2, 1, 3], "u1"), "values": numpy.array([5, 6, 7, 8], "u1")}
        by_column = {"indices_0": numpy.array([1, 2, 3], "u2"), "pointers_to_1": numpy.array([0, 2, 3, 4], "u2"),
                     "indices_1": numpy.array([0, 2, 0, 3], "u2"), "values": numpy.array([5, 7, 6, 8], "f8")}
        for base in 0, 1:
            for name, arrays in ("DCSR", by_row), ("DCSC", by_column):
                shifted = {key: array if key == "values" else array + array.dtype.type(base) for key, array in arrays.items()}
                self.write(name, [4, 4], shifted, index_base=base)
                self.assertEqual(self.edges(), self.EDGES)
                self.assertEqual(self.edges("--ids", "compact"), [("0", "1", "5"), ("0", "2", "6"), ("2", "1", "7"), ("3", "3", "8")])
        large = numpy.arange(0, 3000000, 1000, dtype="u4")  # entries of several blocks
        self.write("DCSR", [3000000, 5], {"indices_0": large, "pointers_to_1": numpy.arange(3001, dtype="u4"),
                                          "indices_1": large // 1000 % 5, "values": numpy.ones(1, "u1")}, {"values": "iso[uint8]"})
        self.assertEqual(self.edges(), [("L%d" % (row + 1), "R%d" % (row // 1000 % 5 + 1)) for row in large.tolist()])
        for pattern, key, array in (("'indices_0': number 1 does not ascend", "indices_0", [0, 0, 3]),
                                    ("'indices_0': number 2 .*no row of 4", "indices_0", [0, 2, 4]),
                                    ("'indices_0': number 0", "indices_0", [-1, 2, 3]),
                                    ("'pointers_to_1' has 3 numbers, where 3 rows", "pointers_to_1", [0, 2, 4]),
                                    ("'pointers_to_1' ends with 5", "pointers_to_1", [0, 2, 3, 5])):
            with self.subTest(pattern):
                self.write("DCSR", [4, 4], {**by_row, key: numpy.array(array, "i8")})
                self.refused(pattern)

    def test_index_base(self):
        one = {key: array + (key != "values") for key, array in self.csr("i8", "i8").items()}
        self.write("CSR", [4, 4], one, index_base=1)
        self.assertEqual(self.edges(), self.EDGES)
        self.write("COO", [4, 4], {"indices_0": numpy.array([1, 4], "u1"), "indices_1": numpy.array([2, 4], "u1"),
                                   "values": numpy.array([5, 8], "u1")}, index_base=1)
        self.assertEqual(self.edges(), self.EDGES[::3])
        for pattern, change in (("'indices_1': number 2 is 0, but there are 4 columns, from 1 on", {"indices_1": numpy.array([2, 3, 0, 4])}),
                                ("'indices_1': number 3 is 5, but there are 4 columns", {"indices_1": numpy.array([2, 3, 2, 5])}),
                                ("does not begin with 1", {"pointers_to_1": numpy.array([0, 3, 3, 4, 5])})):
            with self.subTest(pattern):
                self.write("CSR", [4, 4], {**one, **change}, index_base=1)
                self.refused(pattern)

    def test_skew_symmetric(self):
        lower = {"indices_0": numpy.array([1, 2], "u1"), "indices_1": numpy.array([0, 1], "u1")}
        for values, there, implied in (([5, 7], ("5", "7"), ("-5", "-7")), ([5, -2**63], ("5", "-9223372036854775808"), None),
                                       ([0.5, 2.5], ("0.5", "2.5"), ("-0.5", "-2.5"))):
            self.write("COO", [3, 3], {**lower, "values": numpy.array(values)}, structure="skew_symmetric_lower")
            found = self.edges()
            self.assertEqual([edge[:2] for edge in found], [("0", "1"), ("1", "0"), ("1", "2"), ("2", "1")])
            if implied:
                self.assertEqual([edge[2] for edge in found], [implied[0], there[0], implied[1], there[1]])
        self.assertEqual(self.edges("--weights", "none"), [("0", "1"), ("1", "2")])  # an undirected graph, whose edges are listed once
        self.write("COO", [3, 3], {**lower, "values": numpy.array([2], "u1")}, {"values": "iso[uint8]"}, structure="skew_symmetric_lower")
        self.assertEqual([edge[2] for edge in self.edges()], ["-2", "2", "-2", "2"])
        self.write("COO", [3, 3], {"indices_0": numpy.array([1, 2], "u1"), "indices_1": numpy.array([0, 2], "u1"),
                                   "values": numpy.array([1, 2], "u1")}, structure="skew_symmetric_lower")
        self.refused("entry 1 lies on the diagonal")

    def test_complex_values(self):
        """They cannot be weights, but places can be read without."""
        self.write("COO", [3, 3], {"indices_0": numpy.array([1, 2], "u1"), "indices_1": numpy.array([0, 1], "u1"),
                                   "values": numpy.array([1., 2, 3, 4])}, {"values": "complex[float64]"}, structure="hermitian_lower")
        self.refused("structure hermitian_lower: its values are complex.*--weights=none", 4)
        self.assertEqual(self.edges("--weights", "none"), [("0", "1"), ("1", "2")])
        self.write("CSR", [4, 4], dict(self.csr(), values=numpy.arange(8.)), {"values": "complex[float64]"})
        self.refused("complex numbers.*--weights=none", 4)
        self.assertEqual(self.edges("--weights", "none"), [edge[:2] for edge in self.EDGES])

    def test_fill_of_nothing(self):
        """Writers for whole tensors say that other places are 0."""
        for zero in numpy.zeros(1), -numpy.zeros(1, "f4"), numpy.zeros(1, "u1"):
            self.write("CSR", [4, 4], dict(self.csr(), fill_value=zero), fill=True)
            self.assertEqual(self.edges(), self.EDGES)
        self.write("CSR", [4, 4], self.csr(), fill=False)
        self.assertEqual(self.edges(), self.EDGES)

    def test_empty_arrays_that_are_left_out(self):
        with h5py.File(self.path("m.h5"), "w") as file:
            file.attrs["binsparse"] = json.dumps({"binsparse": {
                "version": "0.1", "format": "COO", "shape": [3, 3], "number_of_stored_values": 0, "data_types": {"values": "float64"}}})
            file.create_dataset("values", data=numpy.zeros(0))
        self.assertEqual(self.edges(), [])
        self.assertEqual(json.loads(run("quern-info", "--json", self.path("m.qrn")).stdout)["vertices"], 3)

    def test_a_file_of_the_matrix_collection(self):
        """The matrix at the root, in the smallest types, and what belongs to it in groups and as texts."""
        self.write("COO", [4, 4], {"indices_0": numpy.array([0, 0, 2, 3], "u1"), "indices_1": numpy.array([1, 2, 1, 3], "u1"),
                                   "values": numpy.array([5, 6, 7, 8], "u1")})
        with h5py.File(self.path("m.h5"), "a") as file:
            descriptor = json.loads(file.attrs["binsparse"])
            file.attrs["binsparse"] = numpy.bytes_(json.dumps(dict(descriptor, metadata={"role": "A", "name": "HB/x", "nnz": 4})))
            file.create_dataset("nodename", data=numpy.array([b"a", b"b"]))
            group = file.create_group("b")
            group.create_dataset("values", data=numpy.arange(4.))
            group.attrs["binsparse"] = json.dumps({"binsparse": {"version": "0.1", "format": "DVEC", "shape": [4]}})
        self.assertEqual(self.edges(), self.EDGES)

    def test_compressed_and_chunked_and_packed(self):
        self.write("CSR", [4, 4], self.csr(), options={"compression": "gzip", "chunks": (2,), "shuffle": True})
        self.assertEqual(self.edges(), self.EDGES)
        subprocess.run(["gzip", self.path("m.h5")], check=True)
        self.assertEqual(self.edges(name="m.h5.gz"), self.EDGES)

    def test_iso_and_structure(self):
        arrays = dict(self.csr(), values=numpy.array([7], "i1"))
        self.write("CSR", [4, 4], arrays, {"values": "iso[int8]"})
        self.assertEqual(self.edges(), [edge[:2] + ("7",) for edge in self.EDGES])
        for kind, dtype in (("bint8", "u1"), ("uint8", "u1"), ("float64", "f8")):
            self.write("CSR", [4, 4], dict(arrays, values=numpy.array([1], dtype)), {"values": "iso[%s]" % kind})
            self.assertEqual(self.edges(), [edge[:2] for edge in self.EDGES])
        self.write("CSR", [4, 4], dict(arrays, values=numpy.array([1, 1, 1, 1], "u1")), {"values": "bint8"})
        self.assertEqual(self.edges(), [edge[:2] for edge in self.EDGES])
        upper = {"indices_0": numpy.array([0, 0, 1, 2], "u4"), "indices_1": numpy.array([1, 2, 2, 2], "u4"),
                 "values": numpy.array([1, 2, 3, 4], "u4")}
        edges = [("0", "1", "1"), ("0", "2", "2"), ("1", "2", "3"), ("2", "2", "4")]
        self.write("COO", [3, 3], upper, structure="symmetric_upper")
        self.assertEqual(self.edges(), edges)
        lower = dict(upper, indices_0=upper["indices_1"], indices_1=upper["indices_0"])
        self.write("COO", [3, 3], lower, structure="symmetric_lower")
        self.assertEqual(self.edges(), edges)
        self.write("COO", [3, 3], upper, structure="symmetric_lower")
        self.refused("lies in the other triangle")

    def test_rectangular_and_empty(self):
        self.write("CSR", [2, 3], {"pointers_to_1": numpy.array([0, 1, 3], "u8"),
                                   "indices_1": numpy.array([2, 0, 1], "u8"), "values": numpy.array([1, 2, 3], "u4")})
        self.assertEqual(self.edges(), [("L1", "R3", "1"), ("L2", "R1", "2"), ("L2", "R2", "3")])
        self.write("CSR", [0, 0], {"pointers_to_1": numpy.array([0], "u8"), "indices_1": numpy.array([], "u8"),
                                   "values": numpy.array([], "u4")})
        self.assertEqual(self.edges(), [])


class TestRefused(Binsparse):
    """What the descriptor and the arrays say must agree, and be known."""

    csr = TestRead.csr

    def test_descriptors(self):
        for pattern, code, format_, shape, more in (
                ("Binsparse version 1.0", 4, "CSR", [4, 4], {"version": "1.0"}),
                ("format DMAT; CSR", 4, "DMAT", [4, 4], {}),
                ("format custom; CSR", 4, "custom", [4, 4], {}),
                ("structure toeplitz; symmetric_", 4, "CSR", [4, 4], {"structure": "toeplitz"}),
                ("structure symmetric_middle; symmetric_", 4, "CSR", [4, 4], {"structure": "symmetric_middle"}),
                ("'index_base' is neither 0 nor 1", 3, "CSR", [4, 4], {"index_base": 2}),
                ("the array 'fill_value' is missing", 3, "CSR", [4, 4], {"fill": True}),
                ("'number_of_stored_values' is no number", 3, "CSR", [4, 4], {"number_of_stored_values": -1}),
                ("'shape' is not two numbers", 3, "CSR", [4], {}),
                ("'shape' is not two numbers", 3, "CSR", [4, -4], {}),
                ("need one more than they are", 3, "CSR", [5, 5], {}),
                ("'indices_1': number 3 is 3, but there are 3 columns", 3, "CSR", [4, 3], {}),
                ("'number_of_stored_values' is not", 3, "CSR", [4, 4], {"number_of_stored_values": 5}),
                ("a symmetric matrix is square", 3, "CSR", [4, 9], {"structure": "symmetric_lower"}),
                ("the array 'indices_0' is missing|type of 'indices_0' is not described", 3, "COO", [4, 4], {})):
            with self.subTest(pattern):
                self.write(format_, shape, self.csr(), **more)
                self.refused(pattern, code)

    def test_arrays(self):
        for pattern, code, change, types in (
                ("'values' is described as float64, but is uint32", 3, {}, {"values": "float64"}),
                ("'values' holds complex numbers", 4, {}, {"values": "complex[float64]"}),
                ("a fill value: all", 4, {"fill_value": numpy.ones(1)}, {}),
                ("a fill value: all", 4, {"fill_value": numpy.zeros(2)}, {}),
                ("'values' has 3 numbers for 4 entries", 3, {"values": numpy.array([1, 2, 3], "u4")}, {}),
                ("'pointers_to_1' descends", 3, {"pointers_to_1": numpy.array([0, 3, 2, 3, 4], "u8")}, {}),
                ("'indices_1': number 2 is negative", 3, {"indices_1": numpy.array([1, 2, -1, 3])}, {}),
                ("not finite", 3, {"values": numpy.array([1, 2, numpy.nan, 4])}, {}),
                ("not a one-dimensional array", 3, {"values": numpy.array([[1, 2], [3, 4]], "u4")}, {})):
            with self.subTest(pattern):
                self.write("CSR", [4, 4], {**self.csr(), **change}, types, fill="fill_value" in change)
                self.refused(pattern, code)

    def test_other_hdf5(self):
        self.write("CSR", [4, 4], self.csr(), attribute=None)
        self.refused("no attribute 'binsparse'")
        with h5py.File(self.path("m.h5"), "a") as file:
            file.attrs["binsparse"] = "{nonsense"
        self.refused("is not a descriptor")
        with h5py.File(self.path("m.h5"), "a") as file:
            file.attrs["binsparse"] = 7
        self.refused("is not text")

    def test_huge_array_of_nothing(self):
        """HDF5 stores no chunk that was never written: a petabyte of zeros in two kilobytes."""
        self.write("CSR", [4, 4], self.csr())
        with h5py.File(self.path("m.h5"), "a") as file:
            del file["indices_1"]
            file.create_dataset("indices_1", shape=(2**47,), dtype="u8", chunks=(2**20,))
        self.refused("larger than the file justifies")

    def test_damage(self):
        self.write("CSR", [4, 4], self.csr(), options={"compression": "gzip", "fletcher32": True})
        whole = self.path("m.h5").read_bytes()
        for length in range(8, len(whole), 211):
            self.path("cut.h5").write_bytes(whole[:length])
            self.refused("cut.h5", name="cut.h5")
        choose = random.Random(1)
        for _ in range(60):
            place = choose.randrange(8, len(whole))
            self.path("bit.h5").write_bytes(whole[:place] + bytes([whole[place] ^ 1 << choose.randrange(8)])
                                            + whole[place + 1:])
            run("quern-import", "-q", "-f", self.path("bit.h5"), "-o", self.path("bit.qrn"), exit=(0, 3, 4))


class TestWritten(Binsparse):
    def same(self, one, other):
        def sections(path):
            listed = json.loads(run("quern-info", "--json", path).stdout)["sections"]
            return [section for section in listed if section["name"] != "metadata"]
        first, second = sections(one), sections(other)
        for section in first + second:
            section.pop("offset", None)
        self.assertEqual(first, second)

    def test_round_trips(self):
        for options in (["--weights", "1,9"], ["--weights", "0.0,1.0", "--undirected"], ["--undirected"], []):
            with self.subTest(options=options):
                run("quern-generate", "rmat", "--scale", "9", "--duplicates", "remove", "-q", "-f", "-o",
                    self.path("g.qrn"), *options)
                run("quern-export", "-q", "-f", self.path("g.qrn"), "--format", "binsparse", "-o", self.path("g.h5"))
                run("quern-import", "-q", "-f", self.path("g.h5"), "-o", self.path("back.qrn"))
                self.same(self.path("g.qrn"), self.path("back.qrn"))
                with h5py.File(self.path("g.h5")) as file:
                    descriptor = json.loads(file.attrs["binsparse"])["binsparse"]
                    self.assertEqual(descriptor["shape"], [512, 512])
                    self.assertEqual(descriptor["number_of_stored_values"], len(file["indices_1"]))
                    self.assertEqual(descriptor.get("structure"), "symmetric_lower" if "--undirected" in options else None)
                    pointers, indices = file["pointers_to_1"][:], file["indices_1"][:]
                    self.assertEqual((pointers[0], pointers[-1], len(pointers)), (0, len(indices), 513))
                    if "--undirected" in options:
                        self.assertTrue((indices <= numpy.repeat(numpy.arange(512), numpy.diff(pointers).astype(int))).all())

    def test_ids_and_refusals(self):
        text = self.path("g.txt")
        text.write_text("18446744073709551615 7\n7 3\n")
        run("quern-import", "-q", text, "-o", self.path("g.qrn"))
        run("quern-export", "-q", self.path("g.qrn"), "--format", "binsparse", "-o", self.path("g.h5"))
        run("quern-import", "-q", self.path("g.h5"), "-o", self.path("back.qrn"))
        self.same(self.path("g.qrn"), self.path("back.qrn"))
        text.write_text("1 2\n1 2\n")
        run("quern-import", "-q", "-f", text, "-o", self.path("g.qrn"))
        done = run("quern-export", self.path("g.qrn"), "--format", "binsparse", "-o", self.path("x.h5"), exit=4)
        self.assertIn("occur once, but 1 edges", done.stderr)
        self.assertFalse(self.path("x.h5").exists())
