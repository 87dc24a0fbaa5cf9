"""Binsparse's protocol: a graph as a matrix of any library that has it, and the other way."""

import importlib
import unittest

from harness.package import needs, quern

try:
    import numpy as np
except ImportError:
    np = None


class Matrix:
    """What another library gives: a descriptor and arrays by name."""

    def __init__(self, format, arrays, shape=(4, 4), types=None, stored=None, **more):
        described = {name: str(array.dtype) for name, array in arrays.items()}
        described.update(types or {})
        self.descriptor = {"binsparse": {
            "version": "0.1", "format": format, "shape": list(shape), "data_types": described,
            "number_of_stored_values": len(arrays.get("indices_1", ())) if stored is None else stored, **more}}
        self.arrays = arrays

    def __binsparse_descriptor__(self):
        return self.descriptor

    def __binsparse__(self, *, descriptor=None):
        return self.arrays


class OnlyDlpack:
    """An array of a library that is not NumPy."""

    def __init__(self, array):
        self.array, self.dtype = array, array.dtype

    def __dlpack__(self, **wishes):
        return self.array.__dlpack__(**wishes)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __len__(self):
        return len(self.array)


def scipy_from(matrix, descriptor=None):
    """As a consumer of the draft reads a matrix: by the descriptor that it asked for, or else that of the matrix."""
    sparse = importlib.import_module("scipy.sparse")
    said = (descriptor or matrix.__binsparse_descriptor__())["binsparse"]
    # A mapping is read-only, which DLPack says since its version 1, and NumPy since 2.1.
    view = np.from_dlpack if tuple(map(int, np.__version__.split(".")[:2])) >= (2, 1) else np.asarray
    arrays = {name: view(array) for name, array in matrix.__binsparse__(descriptor=descriptor).items()}
    values = arrays["values"]
    if matrix.__binsparse_descriptor__()["binsparse"]["data_types"]["values"].startswith("iso["):
        values = np.repeat(values, len(arrays["indices_1"]))
    shape = matrix.__binsparse_descriptor__()["binsparse"]["shape"]
    if said["format"] in ("COO", "COOR"):
        return sparse.coo_array((values, (arrays["indices_0"].astype("i4"), arrays["indices_1"].astype("i4"))), shape=shape)
    kind = {"CSR": sparse.csr_array, "CSC": sparse.csc_array}[said["format"]]
    return kind((values, arrays["indices_1"].astype("i4"), arrays["pointers_to_1"].astype("i4")), shape=shape)


@needs()
class Binsparse(unittest.TestCase):
    sanitized_tier = "long"

    def setUp(self):
        self.graph = quern.from_arrays([0, 0, 2, 3], [1, 2, 1, 3], np.array([5, 6, 7, 8], "u4"), num_vertices=4)
        self.places = {"indices_0": np.array([0, 0, 2, 3], "u1"), "indices_1": np.array([1, 2, 1, 3], "u1")}
        self.lower = {"indices_0": np.array([1, 2], "i8"), "indices_1": np.array([0, 1], "i8")}

    def edges(self, graph):
        parts = [graph.sources(), graph.column_indices, *([] if graph.weights is None else [graph.weights])]
        return list(zip(*(part.tolist() for part in parts)))

    EDGES = [(0, 1, 5), (0, 2, 6), (2, 1, 7), (3, 3, 8)]


class Out(Binsparse):
    def test_descriptor_and_arrays(self):
        said = self.graph.__binsparse_descriptor__()
        self.assertEqual(said["binsparse"], {
            "version": "0.1", "format": "CSR", "shape": [4, 4], "number_of_stored_values": 4,
            "data_types": {"pointers_to_1": "uint64", "indices_1": "uint32", "values": "uint32"}})
        arrays = self.graph.__binsparse__()
        self.assertEqual({name: str(array.dtype) for name, array in arrays.items()}, said["binsparse"]["data_types"])
        for array, own in (arrays["indices_1"], self.graph.column_indices), (arrays["pointers_to_1"], self.graph.row_offsets):
            self.assertTrue(np.shares_memory(array, own))
        plain = quern.from_arrays([0], [1])
        self.assertEqual(plain.__binsparse_descriptor__()["binsparse"]["data_types"]["values"], "iso[bint8]")
        self.assertEqual(plain.__binsparse__()["values"].tolist(), [1])

    def test_what_is_refused(self):
        for wrong in ({"format": "DMAT"}, {"format": "CSR", "structure": "symmetric_lower"}, {"format": {"custom": {}}}, {}):
            with self.subTest(wrong), self.assertRaisesRegex(TypeError, "CSR, CSC, COO, COOR"):
                self.graph.__binsparse__(descriptor={"binsparse": wrong})
        with self.assertRaisesRegex(BufferError, "remove_duplicates=True"):
            quern.from_arrays([0, 0], [1, 1]).__binsparse__()

    def test_there_and_back(self):
        undirected = quern.from_arrays([0, 1, 1], [1, 2, 1], np.array([0.5, 1.5, 2.5]), directed=False)
        for graph in (self.graph, undirected, quern.from_arrays([0], [1]), quern.from_arrays([], []), self.graph.build("packed"),
                      quern.from_arrays([2**40, 7], [7, 9]), quern.generate("rmat", 8, duplicates="remove", progress=False)):
            back = quern.from_binsparse(graph, directed=graph.directed)
            self.assertEqual((self.edges(back), back.ids.tolist(), back.directed, back.num_edges),
                             (self.edges(graph), graph.ids.tolist(), graph.directed, graph.num_edges))


@needs("scipy.sparse")
class ToScipy(Binsparse):
    def test_every_format(self):
        dense = self.graph.to_scipy().toarray().tolist()
        self.assertEqual(scipy_from(self.graph).toarray().tolist(), dense)
        for format in "CSR", "CSC", "COO", "COOR":
            with self.subTest(format):
                self.assertEqual(scipy_from(self.graph, {"binsparse": {"version": "0.1", "format": format}}).toarray().tolist(), dense)
        self.assertEqual(scipy_from(quern.from_arrays([0], [1])).toarray().tolist(), [[0, 1], [0, 0]])


class In(Binsparse):
    def test_formats_and_types(self):
        values = np.array([5, 6, 7, 8], "i1")
        column = {"indices_1": np.array([0, 2, 0, 3], "u4"), "values": np.array([5, 7, 6, 8], "f4")}
        for base in 0, 1:
            matrices = (
                ("COO", {**self.places, "values": values}), ("COOR", {**self.places, "values": values.astype("f8")}),
                ("COOC", {**column, "indices_0": np.array([1, 1, 2, 3], "u2")}),
                ("CSR", {"pointers_to_1": np.array([0, 2, 2, 3, 4]), "indices_1": self.places["indices_1"], "values": values}),
                ("CSC", {**column, "pointers_to_1": np.array([0, 0, 2, 3, 4], "u8")}),
                ("DCSR", {"indices_0": np.array([0, 2, 3]), "pointers_to_1": np.array([0, 2, 3, 4]), "indices_1": self.places["indices_1"],
                          "values": values}),
                ("DCSC", {**column, "indices_0": np.array([1, 2, 3]), "pointers_to_1": np.array([0, 2, 3, 4])}))
            for format, arrays in matrices:
                shifted = {name: array if name == "values" else array + array.dtype.type(base) for name, array in arrays.items()}
                with self.subTest(format=format, base=base):
                    self.assertEqual(self.edges(quern.from_binsparse(Matrix(format, shifted, index_base=base))), self.EDGES)
                    given = Matrix(format, {name: OnlyDlpack(array) for name, array in shifted.items()}, index_base=base)
                    self.assertEqual(self.edges(quern.from_binsparse(given)), self.EDGES)

    def test_values(self):
        def read(values, type, **how):
            return quern.from_binsparse(Matrix("COO", {**self.places, "values": values}, types={"values": type}), **how).weights
        self.assertIsNone(read(np.ones(1, "u1"), "iso[bint8]"))
        self.assertIsNone(read(np.ones(1, "f8"), "iso[float64]"))
        self.assertIsNone(read(np.ones(4, bool), "bint8"))
        self.assertEqual(read(np.array([1, 0, 1, 1], bool), "bint8").tolist(), [1, 0, 1, 1])
        self.assertEqual(read(np.array([7], "i2"), "iso[int16]").tolist(), [7] * 4)
        self.assertIsNone(read(np.ones(4, "c16"), "complex[float64]", weights=False))
        with self.assertRaisesRegex(quern.UnsupportedError, "complex numbers.*weights=False"):
            read(np.ones(4, "c16"), "complex[float64]")

    def test_structures(self):
        values = np.array([3, 4], "i2")
        lower = Matrix("COO", {**self.lower, "values": values}, structure="symmetric_lower")
        graph = quern.from_binsparse(lower)
        self.assertEqual((graph.directed, self.edges(graph)), (False, [(0, 1, 3), (1, 0, 3), (1, 2, 4), (2, 1, 4)]))
        skew = quern.from_binsparse(Matrix("COO", {**self.lower, "values": values}, structure="skew_symmetric_lower"))
        self.assertEqual((skew.directed, self.edges(skew)), (True, [(0, 1, -3), (1, 0, 3), (1, 2, -4), (2, 1, 4)]))
        complex = Matrix("COO", {**self.lower, "values": values.astype("c8")}, types={"values": "complex[float32]"}, structure="hermitian_lower")
        self.assertEqual(quern.from_binsparse(complex, weights=False).num_edges, 2)
        for pattern, structure in ("other triangle", "symmetric_upper"), ("structure toeplitz", "toeplitz"), ("complex", "hermitian_lower"):
            with self.subTest(structure), self.assertRaisesRegex(quern.QuernError, pattern):
                quern.from_binsparse(Matrix("COO", {**self.lower, "values": values}, structure=structure))
        with self.assertRaisesRegex(quern.InvalidError, "not symmetric"):
            quern.from_binsparse(Matrix("COO", {**self.places, "values": np.arange(4)}), directed=False)

    def test_what_is_refused(self):
        good = {"pointers_to_1": np.array([0, 2, 2, 3, 4]), "indices_1": np.array([1, 2, 1, 3]), "values": np.array([5, 6, 7, 8])}
        for pattern, change, more in (
                ("pointers_to_1 do not ascend", {"pointers_to_1": np.array([0, 3, 2, 3, 4])}, {}),
                ("pointers_to_1 do not ascend", {"pointers_to_1": np.array([0, 2, 4])}, {}),
                ("pointers_to_1 do not ascend", {"pointers_to_1": np.array([0, 2, 2, 3, 9])}, {}),
                ("the number -1", {"indices_1": np.array([1, -1, 1, 3])}, {}),
                ("an index is 4, but there are 4", {"indices_1": np.array([1, 2, 1, 4])}, {}),
                ("indices_1 holds float64", {"indices_1": np.array([1., 2, 1, 3])}, {}),
                ("4 entries have 3 values", {"values": np.array([5, 6, 7])}, {}),
                ("described as int64, but is float64 of 2", {"values": np.ones((4, 1))}, {"types": {"values": "int64"}}),
                ("5 entries have 4 and 4|number_of_stored|5 entries", {}, {"stored": 5}),
                ("number_of_stored_values is -1", {}, {"stored": -1}), ("format DMAT; CSR", {}, {"format": "DMAT"}),
                ("not square", {}, {"shape": (4, 5)}), ("Binsparse version 2.0", {}, {"version": "2.0"}), ("index_base is 2", {}, {"index_base": 2}),
                ("the array fill_value is missing", {}, {"fill": True}),
                ("fill value", {"fill_value": np.ones(1)}, {"fill": True})):
            with self.subTest(pattern):
                more = dict(more)
                with self.assertRaisesRegex(quern.QuernError, pattern):
                    quern.from_binsparse(Matrix(more.pop("format", "CSR"), {**good, **change}, **more))
        zero = Matrix("CSR", {**good, "fill_value": np.zeros(1)}, fill=True)
        self.assertEqual(self.edges(quern.from_binsparse(zero)), self.EDGES)
        with self.assertRaisesRegex(quern.UsageError, "ndarray has no __binsparse__"):
            quern.from_binsparse(np.eye(2))
        missing = {name: array for name, array in good.items() if name != "values"}
        with self.assertRaisesRegex(quern.InvalidError, "the array values is missing"):
            quern.from_binsparse(Matrix("CSR", missing))
        odd = Matrix("CSR", good)
        odd.arrays = list(good.values())
        with self.assertRaisesRegex(quern.InvalidError, "arrays by their names"):
            quern.from_binsparse(odd)


if __name__ == "__main__":
    unittest.main()
