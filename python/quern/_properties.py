"""Properties: named columns of the vertices and of the edges of a graph."""

import ctypes
from collections.abc import Mapping

import numpy

from . import _errors, _library
from ._arrow import Text
from ._calls import check, view

# What arrays of NumPy's types become.
TYPES = {"u1": "u32", "u2": "u32", "u4": "u32", "u8": "u64", "i1": "i64", "i2": "i64", "i4": "i64", "i8": "i64", "f4": "f32",
         "f8": "f64", "b1": "bool"}
DTYPES = {"u32": "u4", "u64": "u8", "i64": "i8", "f32": "f4", "f64": "f8", "bool": "u1"}


class Properties(Mapping):
    """The properties of vertices, or of edges, by name.

    Numbers are read-only views of the mapping, which nothing has checked (see :func:`quern.open`); with nulls they are
    masked arrays. Texts are an array of ``str`` and, for nulls, None.
    """

    def __init__(self, session, of_edges):
        self._session, self._columns = session, {}
        counts = ctypes.c_uint64(), ctypes.c_uint64()
        check("qn_session_properties", session.handle, ctypes.byref(counts[0]), ctypes.byref(counts[1]))
        for index in range(counts[of_edges].value):
            column = _library.PropertyArray()
            check("qn_session_property", session.handle, of_edges, index, ctypes.byref(column))
            self._columns[column.name.decode()] = column

    def types(self):
        """``{name: type}``: u32, u64, i64, f32, f64, bool or string."""
        return {name: column.type_name.decode() for name, column in self._columns.items()}

    def __getitem__(self, name):
        column = self._columns[name]
        kind, valid = column.type_name.decode(), None
        if column.nulls:
            bits = view(column.valid, "u1", (column.count + 7) // 8, self._session)
            valid = numpy.unpackbits(bits, count=column.count, bitorder="little").astype(bool)
        if kind == "string":
            text = Text(view(column.offsets, "u8", column.count + 1, self._session),
                        view(column.values, "u1", column.bytes, self._session))
            values = numpy.array(text.tolist() + [None], object)[:-1]
            if valid is not None:
                values[~valid] = None
            return values
        values = view(column.values, DTYPES[kind], column.count, self._session)
        values = values.view(bool) if kind == "bool" else values
        return values if valid is None else numpy.ma.MaskedArray(values, ~valid)

    def __iter__(self):
        return iter(self._columns)

    def __len__(self):
        return len(self._columns)

    def __repr__(self):
        return "{%s}" % ", ".join("%s: %s" % item for item in self.types().items())


def array_of(name, values, keep):
    """A column for the library; what it points to goes to `keep`."""
    column = _library.PropertyArray()
    valid = None
    if isinstance(values, numpy.ma.MaskedArray):
        valid, values = ~numpy.ma.getmaskarray(values), values.filled(0)
    values = values if isinstance(values, numpy.ndarray) else numpy.array([*values, None], object)[:-1]
    if values.dtype.kind in "OU":
        texts = values.tolist()
        if not all(text is None or isinstance(text, str) for text in texts):
            raise _errors.UsageError("property %r: an array of one type of numbers or of bool, or texts and None" % name)
        if None in texts:
            valid = numpy.array([text is not None for text in texts], bool)
        encoded = [(text or "").encode() for text in texts]
        offsets = numpy.concatenate([numpy.zeros(1, "u8"), numpy.cumsum(numpy.fromiter(map(len, encoded), "u8", len(encoded)),
                                                                       dtype="u8")])
        values, kind = numpy.frombuffer(b"".join(encoded), "u1"), "string"
        column.offsets, column.bytes, column.count = offsets.ctypes.data, len(values), len(texts)
        keep.append(offsets)
    else:
        kind = TYPES.get(values.dtype.str[1:])
        if kind is None or values.ndim != 1:
            raise _errors.UsageError("property %r: an array of one type of numbers or of bool, or texts and None" % name)
        values = numpy.ascontiguousarray(values, DTYPES[kind])
        column.count = len(values)
    if valid is not None:
        bits = numpy.packbits(valid, bitorder="little")
        column.valid = bits.ctypes.data
        keep.append(bits)
    texts = str(name).encode(), kind.encode()
    column.name, column.type_name, column.values = *texts, values.ctypes.data
    keep += [values, texts]
    return column


def arrays_of(columns, keep):
    found = [array_of(name, values, keep) for name, values in (columns or {}).items()]
    return (_library.PropertyArray * len(found))(*found), len(found)
