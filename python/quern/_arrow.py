"""The Arrow C stream interface, without pyarrow: https://arrow.apache.org/docs/format/CStreamInterface.html

A consumer owns what it is given until it calls `release`. The structs' private_data is a reference to a Python object that
keeps all memory of the struct; _capsule.c drops it.
"""

from __future__ import annotations

import codecs
import ctypes
from ctypes import CFUNCTYPE, POINTER, PYFUNCTYPE, Structure, c_char_p, c_int, c_int64, c_void_p, py_object
from typing import Any, Callable, Iterable, Iterator, List, Optional, Sequence

import numpy

from . import _errors, _library


class ArrowSchema(Structure):
    pass


class ArrowArray(Structure):
    pass


class ArrowArrayStream(Structure):
    pass


RELEASE = c_void_p  # only C calls it
GET_SCHEMA = CFUNCTYPE(c_int, POINTER(ArrowArrayStream), POINTER(ArrowSchema))
GET_NEXT = CFUNCTYPE(c_int, POINTER(ArrowArrayStream), POINTER(ArrowArray))
GET_LAST_ERROR = CFUNCTYPE(c_void_p, POINTER(ArrowArrayStream))

ArrowSchema._fields_ = [("format", c_char_p), ("name", c_char_p), ("metadata", c_void_p), ("flags", c_int64),
                        ("n_children", c_int64), ("children", POINTER(POINTER(ArrowSchema))), ("dictionary", c_void_p),
                        ("release", RELEASE), ("private_data", c_void_p)]
ArrowArray._fields_ = [("length", c_int64), ("null_count", c_int64), ("offset", c_int64), ("n_buffers", c_int64),
                       ("n_children", c_int64), ("buffers", POINTER(c_void_p)), ("children", POINTER(POINTER(ArrowArray))),
                       ("dictionary", c_void_p), ("release", RELEASE), ("private_data", c_void_p)]
ArrowArrayStream._fields_ = [("get_schema", GET_SCHEMA), ("get_next", GET_NEXT), ("get_last_error", GET_LAST_ERROR),
                             ("release", RELEASE), ("private_data", c_void_p)]

FORMATS = {"u1": b"C", "u2": b"S", "u4": b"I", "u8": b"L", "i1": b"c", "i2": b"s", "i4": b"i", "i8": b"l", "f2": b"e",
           "f4": b"f", "f8": b"g"}

_capsule = ctypes.PyDLL(_library.beside("_capsule.so"))
_capsule.quern_schema_capsule.argtypes, _capsule.quern_schema_capsule.restype = [POINTER(ArrowSchema)], py_object
_capsule.quern_stream_capsule.argtypes, _capsule.quern_stream_capsule.restype = [POINTER(ArrowArrayStream)], py_object
_capsule.quern_tensor_capsule.argtypes = [c_void_p, c_int, c_int, c_int, c_int64, py_object]
_capsule.quern_tensor_capsule.restype = py_object
_release_schema, _release_array, _release_stream = (
    ctypes.cast(getattr(_capsule, "quern_release_" + kind), c_void_p).value for kind in ("schema", "array", "stream"))


PIECE = 1 << 20
"""Bytes of texts that are looked at in one go."""


class Text:
    """Texts as Arrow has them: text i is data[offsets[i]:offsets[i + 1]], or a null where `valid`, an array of bool, says so."""

    def __init__(self, offsets: numpy.ndarray, data: numpy.ndarray, valid: Optional[numpy.ndarray] = None) -> None:
        self.offsets, self.data, self.valid = offsets, data, valid

    @classmethod
    def of(cls, texts: Iterable[Optional[str]]) -> Text:
        """A list of str; of surrogates, as in names of files, the bytes that they stand for; and of None."""
        texts = list(texts)
        try:
            encoded = [b"" if text is None else text.encode("utf-8", "surrogateescape") for text in texts]
        except UnicodeEncodeError as problem:
            raise _errors.UsageError("%.40r cannot be written as UTF-8" % problem.object) from None
        lengths = numpy.fromiter(map(len, encoded), "i8", len(encoded))
        valid = numpy.array([text is not None for text in texts], bool) if None in texts else None
        return cls(numpy.concatenate([numpy.zeros(1, "i8"), numpy.cumsum(lengths)]),
                   numpy.frombuffer(b"".join(encoded), "u1"), valid)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, rows: Any) -> Text:
        """Some of the texts: a slice, which shares the bytes, or an array of indices."""
        valid = None if self.valid is None else self.valid[rows]
        if isinstance(rows, slice):
            start, stop, _ = rows.indices(len(self))
            return Text(self.offsets[start:stop + 1], self.data, valid)
        starts = self.offsets[:-1][rows].astype("i8")
        lengths = self.offsets[1:][rows].astype("i8") - starts
        offsets = numpy.concatenate([numpy.zeros(1, "i8"), numpy.cumsum(lengths)])
        return Text(offsets, self.data[numpy.arange(offsets[-1]) + numpy.repeat(starts - offsets[:-1], lengths)], valid)

    def tolist(self) -> List[Optional[str]]:
        data = self.data.tobytes()
        offsets = self.offsets.tolist()
        texts: List[Optional[str]] = [data[start:end].decode("utf-8", "surrogateescape") for start, end in zip(offsets, offsets[1:])]
        return texts if self.valid is None else [text if valid else None for text, valid in zip(texts, self.valid.tolist())]

    def format(self) -> bytes:
        """Large UTF-8, or large binary if it is not that."""
        decode = codecs.getincrementaldecoder("utf-8")().decode
        try:
            for start in range(0, len(self.data), PIECE):
                decode(self.data[start:start + PIECE].tobytes())
            decode(b"", True)
            return b"U"
        except UnicodeDecodeError:
            return b"Z"


class Times:
    """Dates, as int32 of days, or timestamps, as int64, masked where there are nulls, and Arrow's format of them."""

    def __init__(self, values: numpy.ndarray, format: bytes) -> None:
        self.values, self.format = values, format

    @classmethod
    def of(cls, values: numpy.ndarray, utc: bool = False) -> Times:
        """An array of datetime64, in which NaT is null; masked, too."""
        unit, step = numpy.datetime_data(values.dtype)
        unit = {"Y": "D", "M": "D", "W": "D", "h": "s", "m": "s"}.get(unit, unit) if step == 1 else ""
        if unit not in UNITS:
            raise _errors.UsageError("an array of %s: dates (datetime64[D]) and timestamps in s, ms, us or ns can be kept" % values.dtype)
        found = values.astype("M8[%s]" % unit, copy=False)
        numbers, missing = numpy.ma.getdata(found).view("i8"), numpy.isnat(numpy.ma.getdata(found)) | numpy.ma.getmaskarray(found)
        if unit == "D":
            if (abs(numbers[~missing]) >= 2**31).any():
                raise _errors.UsageError("a date is more than 2^31 days from 1970-01-01")
            numbers = numpy.where(missing, 0, numbers).astype("i4")
        return cls(numpy.ma.MaskedArray(numbers, missing) if missing.any() else numbers, UNITS[unit] + (b"UTC" if utc else b""))

    def array(self) -> numpy.ndarray:
        """As datetime64, which of timestamps is a view."""
        unit = next(unit for unit, format in UNITS.items() if self.format.startswith(format))
        return self.values.astype("M8[D]") if unit == "D" else self.values.view("M8[%s]" % unit)

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, rows: Any) -> Times:
        return Times(self.values[rows], self.format)

    def tolist(self) -> List[Any]:
        """Values of datetime64, and None."""
        values = self.array()
        return [None if null else value for value, null in zip(numpy.ma.getdata(values), numpy.ma.getmaskarray(values))]


UNITS = {"D": b"tdD", "s": b"tss:", "ms": b"tsm:", "us": b"tsu:", "ns": b"tsn:"}


class Halves:
    """bfloat16, of which only the bits are at hand (uint16, masked where there are nulls), as float32: those rows that are asked for."""

    dtype = numpy.dtype("f4")

    def __init__(self, bits: numpy.ndarray) -> None:
        self.bits, self.shape = bits, bits.shape

    def __len__(self) -> int:
        return len(self.bits)

    def __getitem__(self, rows: Any) -> numpy.ndarray:
        bits = self.bits[rows]
        values = (numpy.ma.getdata(bits).astype("u4") << 16).view("f4")
        return numpy.ma.MaskedArray(values, numpy.ma.getmaskarray(bits)) if isinstance(bits, numpy.ma.MaskedArray) else values

    def tolist(self) -> List[Any]:
        return rows_of(self[:])


def rows_of(column: Any) -> List[Any]:
    """The values of a column, and None: numbers of Python, and of vectors arrays."""
    if getattr(column, "ndim", 1) == 1:
        return column.tolist()  # type: ignore[no-any-return]
    nulls = numpy.ma.getmaskarray(column)[:, 0]
    return [None if null else row for row, null in zip(numpy.ma.getdata(column), nulls)]


def format_of(column: Any) -> bytes:
    """Arrow's format; of vectors that of the list, a blank, and that of the numbers."""
    if isinstance(column, Text):
        return column.format()
    if isinstance(column, Times):
        return column.format
    format = b"b" if column.dtype.kind == "b" else FORMATS[str(column.dtype.str)[1:]]
    return b"+w:%d %s" % (column.shape[1], format) if len(getattr(column, "shape", ())) == 2 else format


# ---- What consumers hold ------------------------------------------------------------------------

def _give_away(struct: Any, release: Any, *kept: Any) -> None:
    """Hand a struct to a consumer, with a reference to all that it points to."""
    owner = py_object(kept)
    ctypes.pythonapi.Py_IncRef(owner)
    struct.private_data, struct.release = id(kept), release


def _pointers(kind: Any, structs: Any) -> Any:
    return (POINTER(kind) * len(structs))(*map(ctypes.pointer, structs))


def _fill_schema(schema: Any, name: Any, format: Any, children: Any = ()) -> None:
    pointers = _pointers(ArrowSchema, children)
    schema.format, schema.name, schema.n_children = format, name, len(children)
    schema.children = ctypes.cast(pointers, POINTER(POINTER(ArrowSchema)))
    _give_away(schema, _release_schema, format, name, pointers, children)


def _fill_table_schema(schema: Any, names: Sequence[str], formats: Sequence[bytes]) -> None:
    children = [ArrowSchema() for _ in names]
    for child, name, format in zip(children, names, formats):
        format, _, of_items = format.partition(b" ") if format.startswith(b"+w:") else (format, b"", b"")
        items = [ArrowSchema()] if of_items else []
        for item in items:
            _fill_schema(item, b"item", of_items)
            item.flags = 2
        _fill_schema(child, name.encode(), format, items)
        child.flags = 2  # there may be nulls
    _fill_schema(schema, b"", b"+s", children)


def _fill_array(array: Any, length: Any, buffers: Any, children: Any = (), keep: Any = None) -> None:
    array.length, array.n_buffers, array.n_children = length, len(buffers), len(children)
    addresses, pointers = (c_void_p * len(buffers))(*buffers), _pointers(ArrowArray, children)
    array.buffers = ctypes.cast(addresses, POINTER(c_void_p))
    array.children = ctypes.cast(pointers, POINTER(POINTER(ArrowArray)))
    _give_away(array, _release_array, addresses, pointers, children, keep)


def _column_array(column: Any) -> ArrowArray:
    """An array of one column; nulls are what a mask, or a text's `valid`, says."""
    array, valid = ArrowArray(), None
    parts: List[Any]
    children: List[Any] = []
    if isinstance(column, Times):
        column = column.values
    if isinstance(column, Text):
        parts, valid = [column.offsets, column.data], column.valid
    else:
        if isinstance(column, numpy.ma.MaskedArray):
            valid = ~numpy.ma.getmaskarray(column)
        values = numpy.ma.getdata(column)
        parts = [numpy.packbits(values, bitorder="little") if values.dtype.kind == "b" else values]
        if values.ndim == 2:
            parts, children = [], [_column_array(values.reshape(-1))]
            valid = None if valid is None else valid[:, 0]
    parts = [None if valid is None else numpy.packbits(valid, bitorder="little"), *map(numpy.ascontiguousarray, parts)]
    _fill_array(array, len(column), [None if part is None else part.ctypes.data for part in parts], children, keep=parts)
    array.null_count = 0 if valid is None else int(len(valid) - numpy.count_nonzero(valid))
    return array


# ---- Streams ------------------------------------------------------------------------------------

class _Stream:
    """A stream that is being read: its schema and what is left of its batches."""

    def __init__(self, names: Sequence[str], formats: Sequence[bytes], batches: Iterator[List[Any]]) -> None:
        self.names, self.formats, self.batches, self.error = names, formats, batches, None

    def get_schema(self, out: ArrowSchema) -> None:
        _fill_table_schema(out, self.names, self.formats)

    def get_next(self, out: ArrowArray) -> None:
        columns = next(self.batches, None)  # without any, `out` stays without release: the end
        if columns is not None:
            _fill_array(out, len(columns[0]), [None], [_column_array(column) for column in columns])


def _stream_of(pointer: Any) -> Any:
    return ctypes.cast(pointer.contents.private_data, py_object).value[0]


def _guarded(kind: Any, method: Callable[[_Stream, Any], None]) -> Any:
    """A callback that returns errno and keeps the message."""
    def call(pointer: Any, out: Any) -> int:
        stream = _stream_of(pointer)
        try:
            ctypes.memset(out, 0, ctypes.sizeof(out.contents))
            method(stream, out.contents)
            return 0
        except BaseException as failure:
            stream.error = ctypes.create_string_buffer(("%s: %s" % (type(failure).__name__, failure)).encode())
            return 5  # EIO
    return kind(call)


_get_schema, _get_next = _guarded(GET_SCHEMA, _Stream.get_schema), _guarded(GET_NEXT, _Stream.get_next)


def _last_error(pointer: Any) -> Optional[int]:
    error = _stream_of(pointer).error
    return ctypes.addressof(error) if error else None


_get_last_error = GET_LAST_ERROR(_last_error)


# A consumer may read on while the interpreter ends and drops its modules.
for _callback in (_get_schema, _get_next, _get_last_error):
    ctypes.pythonapi.Py_IncRef(py_object(_callback))


def capsule_of(names: Sequence[str], formats: Sequence[bytes], batches: Iterator[List[Any]]) -> Any:
    """A capsule of a stream of batches, which are an iterator of lists of columns."""
    stream = ArrowArrayStream(_get_schema, _get_next, _get_last_error)
    _give_away(stream, _release_stream, _Stream(names, formats, batches))
    return _capsule.quern_stream_capsule(stream)


def schema_capsule(names: Sequence[str], formats: Sequence[bytes]) -> Any:
    """A capsule of the schema of such a stream."""
    schema = ArrowSchema()
    _fill_table_schema(schema, names, formats)
    return _capsule.quern_schema_capsule(schema)


_get_pointer = PYFUNCTYPE(c_void_p, py_object, c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))


def tensor_capsule(address: int, device: int, dtype: numpy.dtype, count: int, owner: Any) -> Any:
    """A capsule of DLPack's: a vector on a CUDA device, which keeps its owner."""
    return _capsule.quern_tensor_capsule(address, device, {"u": 1, "f": 2}[dtype.kind], 8 * dtype.itemsize, count, owner)


def stream_address(capsule: Any) -> int:
    """Where the stream of a capsule is."""
    return int(_get_pointer(capsule, b"arrow_array_stream"))
