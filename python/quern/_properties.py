"""Properties: named columns of the vertices and of the edges of a graph."""

from __future__ import annotations

import ctypes
import datetime
from collections.abc import Set
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy

from . import _errors, _library
from ._arrow import UNITS, Halves, Text, Times
from ._calls import check, view
from ._optional import optional

DTYPES = {"u8": "u1", "u16": "u2", "u32": "u4", "u64": "u8", "i8": "i1", "i16": "i2", "i32": "i4", "i64": "i8", "f16": "f2", "bf16": "u2",
          "f32": "f4", "f64": "f8", "bool": "u1", "date": "i4",
          **{"timestamp_" + unit + utc: "i8" for unit in ("s", "ms", "us", "ns") for utc in ("", "_utc")}}
# What arrays of NumPy's types become.
TYPES = {**{dtype: kind for kind, dtype in DTYPES.items() if kind[0] in "uif"}, "b1": "bool"}
# Arrow's formats of dates and times.
TIMES = {"date": b"tdD", **{"timestamp_" + unit + utc: UNITS[unit] + utc[1:].upper().encode() for unit in ("s", "ms", "us", "ns")
                            for utc in ("", "_utc")}}


def _objects(values: Sequence[Any]) -> numpy.ndarray:
    """An array of these objects, never one of arrays."""
    array: numpy.ndarray = numpy.empty(len(values), dtype=object)
    array[:] = values
    return array


class Properties(Mapping[str, Any]):
    """The properties of vertices, or of edges, by name.

    Numbers are read-only views of the mapping, which nothing has checked (see :func:`quern.open`); with nulls they are
    masked arrays. Vectors are an array of two dimensions, a row each. Timestamps are views as datetime64, dates are copied into
    such an array. bf16 is a view as ``ml_dtypes.bfloat16`` where that package is there, else as uint16, the bits. Texts are an
    array of ``str`` and, for nulls, None.
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
        """``{name: type}``: u32, f64, bool, string, timestamp_ms, ..., or f32x128 of vectors."""
        return {name: column.type_name.decode() for name, column in self._columns.items()}

    def __getitem__(self, name: str) -> Any:
        values = self.column(name)
        if isinstance(values, Times):
            return values.array()
        if isinstance(values, Halves):
            floats = optional("ml_dtypes")
            return values.bits if floats is None else values.bits.view(floats.bfloat16)
        return _objects(values.tolist()) if isinstance(values, Text) else values

    def column(self, name: str) -> Any:
        """One as a column of a :class:`quern.Table`: of texts, their bytes in the mapping."""
        column = self._columns[name]
        word, valid = column.type_name.decode(), None
        kind, _, dimension = word.partition("x")
        if column.nulls:
            bits = view(column.valid, "u1", (column.count + 7) // 8, self._session)
            valid = numpy.unpackbits(bits, count=column.count, bitorder="little").astype(bool)
        if kind == "string":
            return Text(view(column.offsets, "u8", column.count + 1, self._session),
                        view(column.values, "u1", column.bytes, self._session), valid)
        values = view(column.values, DTYPES[kind], column.count * (int(dimension) if dimension else 1), self._session)
        values = values.view(bool) if kind == "bool" else values
        missing = None if valid is None else ~valid
        if dimension:
            values = values.reshape(column.count, int(dimension))
            missing = None if missing is None else numpy.broadcast_to(missing[:, None], values.shape)
        if missing is not None:
            values = numpy.ma.MaskedArray(values, missing)
        if kind in TIMES:
            return Times(values, TIMES[kind])
        return Halves(values) if kind == "bf16" else values

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
        if str(values.type).startswith("fixed_size_list<"):
            return _vectors_of(values)
        return numpy.asarray(values) if not values.null_count and str(values.type) in _ARROW_NUMBERS else values.to_pylist()
    if hasattr(values, "isna"):  # pandas, whose reals keep NaN
        if isinstance(values.dtype, numpy.dtype) and values.dtype.kind in "uifb":
            return numpy.asarray(values)
        return [None if null else value for value, null in zip(values.tolist(), numpy.asarray(values.isna()).tolist())]
    if hasattr(values, "to_list"):  # polars
        return values.to_numpy() if not values.null_count() and values.dtype.is_numeric() else values.to_list()
    if hasattr(values, "__array__"):  # such as PyTorch's tensors
        return numpy.asarray(values)
    return list(values)


def _vectors_of(values: Any) -> Any:
    """pyarrow's lists of a fixed size as an array of two dimensions."""
    values = values.combine_chunks() if hasattr(values, "combine_chunks") else values
    width, nulls = values.type.list_size, values.is_null().to_numpy(zero_copy_only=False)
    flat = values.values.slice(values.offset * width, len(values) * width)
    rows = (flat.fill_null(0) if flat.null_count else flat).to_numpy(zero_copy_only=False).reshape(len(values), width)
    inner = flat.is_null().to_numpy(zero_copy_only=False).reshape(rows.shape)
    if not nulls.any() and not inner.any():
        return rows
    return numpy.ma.MaskedArray(rows, inner | nulls[:, None])


_ARROW_NUMBERS = ("uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float", "double")


def _encoded(texts: List[Any], what: str) -> Tuple[numpy.ndarray, numpy.ndarray]:
    """Offsets, and bytes of UTF-8."""
    if not all(text is None or isinstance(text, str) for text in texts):
        raise _errors.UsageError("%s: an array of one type of numbers or of bool, or texts and None" % what)
    try:
        encoded = [(text or "").encode() for text in texts]
    except UnicodeEncodeError as problem:
        raise _errors.UsageError("%s: %.40r cannot be written as UTF-8" % (what, problem.object)) from None
    lengths = numpy.fromiter(map(len, encoded), "u8", len(encoded))
    return (numpy.concatenate([numpy.zeros(1, "u8"), numpy.cumsum(lengths, dtype="u8")]), numpy.frombuffer(b"".join(encoded), "u1"))


def _rows_valid(masked: Any, what: str) -> numpy.ndarray:
    """Which are no nulls."""
    missing: numpy.ndarray = numpy.ma.getmaskarray(masked)
    rows = missing.reshape(len(missing), -1) if missing.size else numpy.zeros((len(missing), 1), bool)
    partly = rows.any(axis=1) != rows.all(axis=1)
    if partly.any():
        raise _errors.UsageError("%s: row %d (from 0) is masked in part; a vector is null as a whole" % (what, partly.argmax()))
    valid: numpy.ndarray = ~rows[:, 0]
    return valid


def _type_of(values: numpy.ndarray, what: str) -> str:
    kind = "bf16" if values.dtype.name == "bfloat16" else TYPES.get(values.dtype.str[1:], "")
    if kind and values.ndim == 1:
        return kind
    if not kind or kind == "bool" or values.ndim != 2:
        raise _errors.UsageError("%s: an array of one type of numbers or of bool, or texts and None, not of %s%s"
                                 % (what, values.dtype, "" if values.ndim == 1 else " with the shape %s" % (values.shape,)))
    if not 1 <= values.shape[1] <= MOST_DIMENSION:
        raise _errors.UsageError("%s: vectors have 1 to %d numbers, not %d" % (what, MOST_DIMENSION, values.shape[1]))
    return "%sx%d" % (kind, values.shape[1])


MOST_DIMENSION = 65536


def as_array(values: Any, what: str) -> Any:
    """An array, masked where there are nulls; Times, or Text."""
    if isinstance(values, (Text, Times)):
        return values
    if not isinstance(values, numpy.ma.MaskedArray):
        try:
            values = without_nulls(values)
        except TypeError:
            raise _errors.UsageError("%s: an array or a list is expected, not %s" % (what, type(values).__name__)) from None
    if isinstance(values, list):
        values = of_objects(values, what, "")
    if isinstance(values, numpy.ndarray) and values.dtype.kind == "M":
        values = Times.of(values)
    return values


def array_of(name: str, values: Any, keep: List[Any]) -> _library.PropertyArray:
    """A column for the library; what it points to goes to `keep`."""
    column, what = _library.PropertyArray(), "property %r" % name
    valid, kind = None, "string"
    if "\0" in str(name):
        raise _errors.UsageError("%s: a name has no NUL in it" % what)
    values = as_array(values, what)
    if isinstance(values, Times):
        kind = next(word for word, format in TIMES.items() if format == values.format)
        values = values.values
    if isinstance(values, numpy.ma.MaskedArray):
        valid, values = _rows_valid(values, what), values.filled(0)
    column.count = len(values)
    if isinstance(values, Text) or values.dtype.kind in "OU":
        texts = values.tolist()
        if None in texts:
            valid = numpy.array([text is not None for text in texts], bool)
        offsets, values = _encoded(texts, what)
        column.offsets, column.bytes = offsets.ctypes.data, len(values)
        keep.append(offsets)
    elif kind == "string":
        kind = _type_of(values, what)
        values = numpy.ascontiguousarray(values, None if kind.startswith("bf16") else DTYPES[kind.partition("x")[0]])
    else:
        values = numpy.ascontiguousarray(values)
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


def _kind_of(value: Any) -> type:
    plain = isinstance(value, numpy.generic) and not isinstance(value, numpy.datetime64)
    return type(value.item() if plain else value)


def of_objects(values: List[Any], what: str, advice: str = "; name those that are (properties=[...]), or say "
               "properties=False") -> Any:
    """A column of Python's objects, None for nulls, as attributes of other libraries are."""
    kinds = {_kind_of(value) for value in values if value is not None}
    missing = numpy.array([value is None for value in values], bool)
    if kinds <= {str}:
        return Text.of(values)
    if kinds <= _VECTORS and all(numpy.ndim(value) == 1 for value in values if value is not None):
        return _of_rows(values, what)
    if kinds in _TIMES:
        return _of_times(values, what)
    if not (kinds <= {bool} or kinds <= {int, float}):
        raise _errors.UsageError("%s: values of %s are no property, which has numbers, or bool, or texts, or dates, or times, or vectors of one length%s"
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


_VECTORS = {list, tuple, numpy.ndarray}
_TIMES = ({datetime.date}, {datetime.datetime}, {numpy.datetime64})


def _of_rows(values: List[Any], what: str) -> Any:
    """Rows of one length, and None, as an array of two dimensions."""
    lengths = [len(value) for value in values if value is not None]
    for row, value in enumerate(values):
        if value is not None and len(value) != lengths[0]:
            raise _errors.UsageError("%s: row %d (from 0) has %d numbers, and the first one %d; vectors have one length"
                                     % (what, row, len(value), lengths[0]))
    missing = numpy.array([value is None for value in values], bool)
    nothing = numpy.zeros_like(next(numpy.asarray(value) for value in values if value is not None))
    try:
        array = numpy.array([nothing if value is None else value for value in values])
    except (ValueError, OverflowError):
        array = numpy.zeros((0, 0), object)
    if array.dtype.kind not in "uif" and array.dtype.name != "bfloat16":
        raise _errors.UsageError("%s: vectors are of one type of numbers" % what)
    return numpy.ma.MaskedArray(array, numpy.broadcast_to(missing[:, None], array.shape)) if missing.any() else array


def _of_times(values: List[Any], what: str) -> Times:
    """Dates; or datetimes, with a time zone all or none, to the microsecond; or NumPy's of one unit; and None."""
    known = [value for value in values if value is not None]
    if isinstance(known[0], numpy.datetime64):
        unit = known[0].dtype
        if any(value.dtype != unit for value in known):
            raise _errors.UsageError("%s: the values are in different units" % what)
        return Times.of(numpy.array([numpy.datetime64("NaT") if value is None else value for value in values], unit))
    if not isinstance(known[0], datetime.datetime):
        return Times.of(numpy.array(values, "M8[D]"))
    aware = {value.utcoffset() is not None for value in known}
    if len(aware) > 1:
        raise _errors.UsageError("%s: some times are in a time zone, and some in none" % what)
    utc = aware.pop()
    if utc:
        values = [value and value.astimezone(datetime.timezone.utc).replace(tzinfo=None) for value in values]
    return Times.of(numpy.array(values, "M8[us]"), utc)


def arrays_of(columns: Optional[Mapping[str, Any]], keep: List[Any]) -> Tuple[Any, int]:
    found = [array_of(name, values, keep) for name, values in (columns or {}).items()]
    return (_library.PropertyArray * len(found))(*found), len(found)
