"""Sparse matrices by Binsparse's protocol, which is a draft for the Python array API (data-apis/array-api, pull request 912).

``__binsparse_descriptor__()`` is a descriptor of https://graphblas.org/binsparse-specification/ (version 0.1) as a dict, and
``__binsparse__()`` its arrays by name, each for ``numpy.from_dlpack``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Mapping, NoReturn, Optional, Tuple

import numpy

from . import _convert, _errors
from ._library import library

if TYPE_CHECKING:
    from ._graph import Graph

FORMATS = ("CSR", "CSC", "COO", "COOR")
"""What a graph gives."""


# ---- Out ----------------------------------------------------------------------------------------

def descriptor_of(graph: "Graph") -> Dict[str, Any]:
    count = graph.num_vertices
    values = "iso[bint8]" if graph.weight_dtype is None else graph.weight_dtype.name
    return {"binsparse": {"version": "0.1", "format": "CSR", "shape": [count, count],
                          "number_of_stored_values": graph.num_stored_edges,
                          "data_types": {"pointers_to_1": "uint64", "indices_1": "uint32", "values": values}},
            "original_source": "quern, version " + library.qn_version().decode()}


def _format_asked_for(descriptor: Optional[Mapping[str, Any]]) -> str:
    if descriptor is None:
        return "CSR"
    asked = descriptor.get("binsparse", {})
    format, structure = asked.get("format"), asked.get("structure")
    if format not in FORMATS or structure is not None:
        raise TypeError("a graph is a matrix of the format %s, without structure, not %s%s"
                        % (", ".join(FORMATS), format, "" if structure is None else " (%s)" % structure))
    return str(format)


def arrays_of(graph: "Graph", descriptor: Optional[Mapping[str, Any]]) -> Dict[str, numpy.ndarray]:
    """The arrays of the graph's own rows as they are, or in the format that is asked for."""
    format = _format_asked_for(descriptor)
    if _convert.has_parallel_edges(graph):
        raise BufferError("an entry of a matrix is there once, but some edges of this graph have the same endpoints; "
                          "graph.transform(remove_duplicates=True) leaves one of them")
    if format == "CSC":
        offsets, columns, weights = graph.in_row_offsets, graph.in_column_indices, graph.in_weights
    else:
        offsets, columns, weights = graph.row_offsets, graph.column_indices, graph.weights
    first = {"indices_0": graph.sources()} if format[:3] == "COO" else {"pointers_to_1": offsets}
    arrays = {**first, "indices_1": columns, "values": numpy.ones(1, "u1") if weights is None else weights}
    if graph.id_form == "numbers":
        arrays["vertex_ids"] = graph.id_column()  # as quern-export has it in HDF5
    return arrays


# ---- In -----------------------------------------------------------------------------------------

def _refuse(text: str, *parts: Any) -> NoReturn:
    raise _errors.InvalidError("the matrix is damaged: " + text % parts)


def _unknown(text: str, *parts: Any) -> NoReturn:
    raise _errors.UnsupportedError(text % parts)


class _Matrix:
    """A descriptor and its arrays, looked at."""

    def __init__(self, matrix: Any) -> None:
        if not hasattr(matrix, "__binsparse__") or not hasattr(matrix, "__binsparse_descriptor__"):
            raise _errors.UsageError("%s has no __binsparse__ and __binsparse_descriptor__" % type(matrix).__name__)
        descriptor = matrix.__binsparse_descriptor__()
        self.arrays = matrix.__binsparse__()
        said = descriptor.get("binsparse") if isinstance(descriptor, Mapping) else None
        if not isinstance(said, Mapping) or not isinstance(self.arrays, Mapping):
            _refuse("a descriptor with the key binsparse, and arrays by their names are expected")
        self.said = said
        version = str(self.said.get("version"))
        if version != "0.1" and not version.startswith("0.1."):
            _unknown("Binsparse version %s; this build reads 0.1", version)
        shape = self.said.get("shape")
        if not isinstance(shape, (list, tuple)) or len(shape) != 2 or shape[0] != shape[1]:
            raise _errors.UsageError("the matrix is not square: its shape is %s" % (shape,))
        self.size = int(shape[0])
        self.base = self.said.get("index_base", 0)
        if self.base not in (0, 1):
            _refuse("index_base is %r", self.base)

    def array(self, name: str) -> Tuple[numpy.ndarray, bool]:
        """One of the arrays, and whether it is one number for all."""
        described = str(self.said.get("data_types", {}).get(name))
        if name not in self.arrays:
            _refuse("the array %s is missing", name)
        values = self.arrays[name]
        values = values if isinstance(values, numpy.ndarray) or not hasattr(values, "__dlpack__") else numpy.from_dlpack(values)
        values = numpy.asarray(values)
        iso = described.startswith("iso[")
        type = described[4:-1] if iso else described
        if type.startswith("complex[") or values.dtype.kind == "c":
            _unknown("%s holds complex numbers, which weights are not; weights=False leaves them out", name)
        fits = values.dtype.itemsize == 1 and values.dtype.kind in "bui" if type == "bint8" else values.dtype.name == type
        if values.ndim != 1 or not fits:
            _refuse("%s is described as %s, but is %s of %d dimensions", name, described, values.dtype, values.ndim)
        return values, iso

    def indices(self, name: str) -> numpy.ndarray:
        values, iso = self.array(name)
        if iso or values.dtype.kind not in "ui":
            _refuse("%s holds %s", name, self.said["data_types"][name])
        if len(values) and values.min() < self.base:
            _refuse("%s has the number %d", name, values.min())
        return values - values.dtype.type(1) if self.base else values

    def entries(self) -> int:
        count = self.said.get("number_of_stored_values")
        return count if isinstance(count, int) and count >= 0 else _refuse("number_of_stored_values is %r", count)

    def places(self) -> Tuple[numpy.ndarray, numpy.ndarray]:
        """The rows and columns of all entries."""
        format = str(self.said.get("format"))
        if format not in ("CSR", "CSC", "DCSR", "DCSC", "COO", "COOR", "COOC"):
            _unknown("format %s; CSR, CSC, DCSR, DCSC, COO, COOR and COOC are known", format)
        minor = self.indices("indices_1")
        major = self.indices("indices_0") if format[0] == "D" or format[:3] == "COO" else numpy.arange(self.size, dtype="u4")
        if format[:3] != "COO":
            pointers = self.indices("pointers_to_1").astype("u8")
            if len(pointers) != len(major) + 1 or pointers[0] or pointers[-1] != len(minor) or (pointers[1:] < pointers[:-1]).any():
                _refuse("pointers_to_1 do not ascend from %d to %d for %d lines", self.base, len(minor) + self.base, len(major))
            if (major[1:] <= major[:-1]).any():
                _refuse("indices_0 do not ascend")
            major = numpy.repeat(major, numpy.diff(pointers).astype("i8"))
        if not len(major) == len(minor) == self.entries():
            _refuse("%d entries have %d and %d indices", self.entries(), len(major), len(minor))
        for end in major, minor:
            if len(end) and end.max() >= self.size:
                _refuse("an index is %d, but there are %d lines", end.max(), self.size)
        return (minor, major) if format[-1] == "C" else (major, minor)

    def values(self) -> Optional[numpy.ndarray]:
        """A number for each entry; None where all are one 1, or true."""
        values, iso = self.array("values")
        if len(values) != (1 if iso else self.entries()) and (self.entries() or not iso):
            _refuse("%d entries have %d values", self.entries(), len(values))
        boolean = "bint8" in self.said["data_types"]["values"]
        if (iso or boolean) and (values == 1).all():
            return None
        return numpy.repeat(values, self.entries()) if iso else values.view("u1") if boolean else values

    def check_fill(self) -> None:
        if self.said.get("fill") is True:
            value, _ = self.array("fill_value")
            if len(value) != 1 or value[0] != 0:
                _unknown("a matrix with a fill value: all its entries would be edges")


def read(matrix: Any, directed: bool, weights: bool) -> Tuple[Tuple[Any, ...], Dict[str, Any]]:
    """The arrays of :func:`quern.from_arrays`, and its options."""
    found = _Matrix(matrix)
    found.check_fill()
    rows, columns = found.places()
    values = found.values() if weights else None
    kind, _, triangle = str(found.said.get("structure") or "").rpartition("_")
    if found.said.get("structure") and (kind not in ("symmetric", "skew_symmetric", "hermitian") or triangle not in ("lower", "upper")):
        _unknown("structure %s; symmetric_, skew_symmetric_ and hermitian_ lower and upper are known", found.said["structure"])
    if kind == "hermitian" and weights:
        _unknown("structure %s: its values are complex, which weights are not; weights=False reads its places alone", found.said["structure"])
    if kind and ((rows < columns) if triangle == "lower" else (columns < rows)).any():
        _refuse("an entry lies in the other triangle of a symmetric matrix")
    if kind == "skew_symmetric" and values is not None:
        if (rows == columns).any():
            _refuse("an entry lies on the diagonal, where a skew-symmetric matrix has none")
        rows, columns = numpy.concatenate([rows, columns]), numpy.concatenate([columns, rows])
        values = values.astype("i8" if values.dtype.kind in "ui" else values.dtype)
        values = numpy.concatenate([values, -values])
        kind = ""
    elif not kind and not directed:
        rows, columns, values = _upper(rows, columns, values)
    given: Dict[str, Any] = dict(directed=directed and not kind)
    if "vertex_ids" in found.arrays:
        given["ids"] = numpy.asarray(found.arrays["vertex_ids"])
    else:
        given["num_vertices"] = found.size
    return (rows, columns, values), given


def _upper(rows: numpy.ndarray, columns: numpy.ndarray, values: Optional[numpy.ndarray]) -> Tuple[Any, Any, Any]:
    """The entries of a symmetric matrix that are not below its diagonal."""
    there, mirrored = numpy.lexsort((columns, rows)), numpy.lexsort((rows, columns))
    if ((rows[there] != columns[mirrored]) | (columns[there] != rows[mirrored])).any() or (
            values is not None and (values[there] != values[mirrored]).any()):
        raise _errors.InvalidError("the matrix is not symmetric, as that of an undirected graph is")
    upper = rows <= columns
    return rows[upper], columns[upper], None if values is None else values[upper]
