"""Properties: named columns of the vertices and of the edges of a graph."""

from __future__ import annotations

import ctypes
from collections.abc import Set
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy

from . import _errors, _library
from ._arrow import Text
from ._calls import check, view

# What arrays of NumPy's types become.
TYPES = {"u1": "u32", "u2": "u32", "u4": "u32", "u8": "u64", "i1": "i64", "i2": "i64", "i4": "i64", "i8": "i64", "f4": "f32",
         "f8": "f64", "b1": "bool"}
DTYPES = {"u32": "u4", "u64": "u8", "i64": "i8", "f32": "f4", "f64": "f8", "bool": "u1"}


def _objects(values: Sequence[Any]) -> numpy.ndarray:
    """An array of these objects, never one of arrays."""
    array: numpy.ndarray = numpy.empty(len(values), dtype=object)
    array[:] = values
    return array


class Properties(Mapping[str, Any]):
    """The properties of vertices, or of edges, by name.

    Numbers are read-only views of the mapping, which nothing has checked (see :func:`quern.open`); with nulls they are
    masked arrays. Texts are an array of ``str`` and, for nulls, None.
    """

    def __init__(self, session: Any, of_edges: bool) -> None:
        self._session = session
        self._columns: Dict[str, _library.PropertyArray] = {}
        counts = ctypes.c_uint64(), ctypes.c_uint64()
        check("qn_session_properties", session.handle, ctypes.byref(counts[0]), ctypes.byref(counts[1]))
        for index in range(counts[of_edges].value):
            column = _library.PropertyArray()
            check("qn_session_property", session.handle, of_edges, index, ctypes.byref(column))
            self._columns[column.name.decode()] = column

    def types(self) -> Dict[str, str]:
        """``{name: type}``: u32, u64, i64, f32, f64, bool or string."""
        return {name: column.type_name.decode() for name, column in self._columns.items()}

    def __getitem__(self, name: str) -> Any:
        values = self.column(name)
        return _objects(values.tolist()) if isinstance(values, Text) else values

    def column(self, name: str) -> Any:
        """One as a column of a :class:`quern.Table`: of texts, their bytes in the mapping."""
        column = self._columns[name]
        kind, valid = column.type_name.decode(), None
        if column.nulls:
            bits = view(column.valid, "u1", (column.count + 7) // 8, self._session)
            valid = numpy.unpackbits(bits, count=column.count, bitorder="little").astype(bool)
        if kind == "string":
            return Text(view(column.offsets, "u8", column.count + 1, self._session),
                        view(column.values, "u1", column.bytes, self._session), valid)
        values = view(column.values, DTYPES[kind], column.count, self._session)
        values = values.view(bool) if kind == "bool" else values
        return values if valid is None else numpy.ma.MaskedArray(values, ~valid)

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __repr__(self) -> str:
        return "{%s}" % ", ".join("%s: %s" % item for item in self.types().items())


def without_nulls(values: Any) -> Any:
    """Arrays and lists of any library as NumPy's, where nothing in them is null, else as objects and None."""
    if isinstance(values, (str, bytes, Mapping, Set)) or not hasattr(values, "__iter__"):
        raise TypeError
    if isinstance(values, numpy.ndarray):
        return values if values.dtype.kind != "O" else values.tolist()
    if hasattr(values, "to_pylist"):  # pyarrow
        return numpy.asarray(values) if not values.null_count and str(values.type) in _ARROW_NUMBERS else values.to_pylist()
    if hasattr(values, "isna"):  # pandas, whose reals keep NaN
        if isinstance(values.dtype, numpy.dtype) and values.dtype.kind in "uifb":
            return numpy.asarray(values)
        return [None if null else value for value, null in zip(values.tolist(), numpy.asarray(values.isna()).tolist())]
    if hasattr(values, "to_list"):  # polars
        return values.to_numpy() if not values.null_count() and values.dtype.is_numeric() else values.to_list()
    return list(values)


_ARROW_NUMBERS = ("uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float", "double")


def array_of(name: str, values: Any, keep: List[Any]) -> _library.PropertyArray:
    """A column for the library; what it points to goes to `keep`."""
    column, what = _library.PropertyArray(), "property %r" % name
    valid, kind = None, "string"
    if "\0" in str(name):
        raise _errors.UsageError("%s: a name has no NUL in it" % what)
    if not isinstance(values, numpy.ma.MaskedArray):
        try:
            values = without_nulls(values)
        except TypeError:
            raise _errors.UsageError("%s: an array or a list is expected, not %s" % (what, type(values).__name__)) from None
    if isinstance(values, list):
        found = of_objects(values, what, "")
        values = _objects(values) if isinstance(found, Text) else found
    if isinstance(values, numpy.ma.MaskedArray):
        valid, values = ~numpy.ma.getmaskarray(values), values.filled(0)
    if values.dtype.kind in "OU":
        texts = values.tolist()
        if not all(text is None or isinstance(text, str) for text in texts):
            raise _errors.UsageError("%s: an array of one type of numbers or of bool, or texts and None" % what)
        if None in texts:
            valid = numpy.array([text is not None for text in texts], bool)
        try:
            encoded = [(text or "").encode() for text in texts]
        except UnicodeEncodeError as problem:
            raise _errors.UsageError("%s: %.40r cannot be written as UTF-8" % (what, problem.object)) from None
        offsets = numpy.concatenate([numpy.zeros(1, "u8"), numpy.cumsum(numpy.fromiter(map(len, encoded), "u8", len(encoded)),
                                                                       dtype="u8")])
        values = numpy.frombuffer(b"".join(encoded), "u1")
        column.offsets, column.bytes, column.count = offsets.ctypes.data, len(values), len(texts)
        keep.append(offsets)
    else:
        kind = TYPES.get(values.dtype.str[1:], "")
        if not kind or values.ndim != 1:
            raise _errors.UsageError("%s: an array of one type of numbers or of bool, or texts and None, not of %s%s"
                                     % (what, values.dtype, "" if values.ndim == 1 else " with %d dimensions" % values.ndim))
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


def chosen(properties: Properties, which: Union[bool, str, Sequence[str], None]) -> Dict[str, Any]:
    """The columns that are meant by True (all), False or None (none), or names; by name."""
    if isinstance(which, bool):
        which = list(properties) if which else []
    names = [which] if isinstance(which, str) else list(which or [])
    for name in names:
        if name not in properties:
            raise _errors.UsageError("there is no property %r; there are: %s" % (name, ", ".join(properties) or "none"))
    return {name: properties.column(name) for name in names}


def of_objects(values: List[Any], what: str, advice: str = "; name those that are (properties=[...]), or say "
               "properties=False") -> Any:
    """A column of Python's objects, None for nulls, as attributes of other libraries are."""
    kinds = {type(value.item() if isinstance(value, numpy.generic) else value) for value in values if value is not None}
    missing = numpy.array([value is None for value in values], bool)
    if kinds <= {str}:
        return Text.of(values)
    if not (kinds <= {bool} or kinds <= {int, float}):
        raise _errors.UsageError("%s: values of %s are no property, which has numbers, or bool, or texts%s"
                                 % (what, " and ".join(sorted(kind.__name__ for kind in kinds)), advice))
    filled = [0 if value is None else value for value in values]
    if kinds <= {bool}:
        array = numpy.array(filled, bool)
    elif float in kinds:
        if any(isinstance(value, int) and int(float(value)) != value for value in filled):
            raise _errors.UsageError("%s: some values are real, and another is an integer that f64 does not hold" % what)
        array = numpy.array(filled, "f8")
    else:
        wide = max(filled, default=0) >= 2**63
        if min(filled, default=0) < (0 if wide else -2**63) or max(filled, default=0) >= 2**64:
            raise _errors.UsageError("%s: integers of more than 64 bits cannot be a property" % what)
        array = numpy.array(filled, "u8" if wide else "i8")
    return numpy.ma.MaskedArray(array, missing) if missing.any() else array


def arrays_of(columns: Optional[Mapping[str, Any]], keep: List[Any]) -> Tuple[Any, int]:
    found = [array_of(name, values, keep) for name, values in (columns or {}).items()]
    return (_library.PropertyArray * len(found))(*found), len(found)
