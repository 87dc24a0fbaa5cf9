"""Features for training: rows of a property, collected by their numbers."""

from __future__ import annotations

import ctypes
from typing import Any, Dict, Iterator, Mapping, Optional, Tuple, Union

import numpy

from . import _errors, _library
from ._calls import byte_count, check, name_bytes, thread_count
from ._library import library
from ._optional import optional
from ._properties import DTYPES


class _Handle:
    """Features of the library, closed when nothing refers to them any more."""

    def __init__(self) -> None:
        self.pointer = ctypes.c_void_p()

    def __del__(self, close: Any = library.qn_features_close) -> None:
        close(self.pointer)


def _dtype(kind: str) -> numpy.dtype:
    if kind == "bool":
        return numpy.dtype(bool)
    if kind == "date":
        return numpy.dtype("M8[D]")
    if kind.startswith("timestamp_"):
        return numpy.dtype("M8[%s]" % kind.split("_")[1])
    floats = optional("ml_dtypes") if kind == "bf16" else None
    return numpy.dtype(floats.bfloat16 if floats else DTYPES[kind])


class Feature:
    """A property of vertices or edges as rows: ``feature[numbers]`` is an array of them, a row for each number.

    Rows are copied from the mapping by many threads. With ``read=True`` they are read from the file instead, many at a time (by
    io_uring where the system allows it), and ``cache`` bytes (``"2G"``) keep those that are asked for often: for features larger than
    memory. Types are as they are stored, bf16 as ``ml_dtypes.bfloat16`` where that package is there, else as uint16; a null
    is 0.
    """

    def __init__(self, graph: Any, name: str, *, edges: bool = False, read: bool = False, cache: Union[int, str, None] = None) -> None:
        self._given = graph, name, edges, read, cache
        column = (graph.edge_properties if edges else graph.vertex_properties)._columns.get(name)
        shape = _library.FeaturesShape(session=graph._handle, name=name_bytes(name), of_edges=edges, from_file=read,
                                       cache_bytes=byte_count(cache))
        self._opened = _Handle()
        check("qn_features_open", ctypes.byref(shape), ctypes.byref(self._opened.pointer))
        kind, _, dimension = column.type_name.decode().partition("x")
        self.kind: str = kind
        """The type of its numbers: f32, bf16, u32, ..."""
        self._stored = numpy.dtype(DTYPES[kind])
        self.dtype = _dtype(kind)
        """That of arrays. Dates are stored in half of its bytes."""
        self.shape: Tuple[int, ...] = (column.count, int(dimension)) if dimension else (column.count,)
        """Rows, and of vectors the numbers of each."""

    def __len__(self) -> int:
        return self.shape[0]

    def __reduce__(self) -> Any:
        return _again, self._given

    def gather(self, numbers: Any, out: Any = None, *, threads: Optional[int] = None) -> Any:
        """The rows of these numbers, int64[n], from 0. ``out`` takes them: any array or tensor of the CPU's memory, pinned or not, that
        is contiguous and has their shape and type."""
        rows = numpy.asarray(numbers)
        if rows.ndim != 1 or (rows.dtype.kind not in "iu" and len(rows)):
            raise _errors.UsageError("rows are an array of integers of one dimension, not %s of the shape %s" % (rows.dtype, rows.shape))
        rows = numpy.ascontiguousarray(rows, "i8")
        shape = (len(rows), *self.shape[1:])
        found = numpy.empty(shape, self._stored) if out is None else out
        job = _library.Job(threads=thread_count(threads))
        check("qn_features_gather", self._opened.pointer, rows.ctypes.data, len(rows), ctypes.byref(job),
              found.ctypes.data if out is None else self._address(out, shape))
        if out is not None:
            return out
        if self.kind == "date":
            return found.astype("M8[D]")
        return found if self.dtype == self._stored else found.view(self.dtype)

    def _address(self, out: Any, shape: Tuple[int, ...]) -> int:
        """Where an array or a tensor begins."""
        if isinstance(out, numpy.ndarray):
            fits, right = out.flags.c_contiguous and out.flags.writeable, out.dtype.itemsize == self._stored.itemsize
            address = out.ctypes.data
        elif hasattr(out, "data_ptr"):  # PyTorch's
            fits, right = out.is_contiguous() and out.device.type == "cpu", out.element_size() == self._stored.itemsize
            address = out.data_ptr()
        else:
            raise _errors.UsageError("out is an array of NumPy or a tensor of PyTorch, not %s" % type(out).__name__)
        if not fits or not right or tuple(out.shape) != shape:
            raise _errors.UsageError("out is contiguous, in the CPU's memory, and has the shape %s and numbers of %d bytes; not %s of %s"
                                     % (shape, self._stored.itemsize, tuple(out.shape), out.dtype))
        return int(address)

    def __getitem__(self, numbers: Any) -> Any:
        """``feature[[3, 14]]``, ``feature[:100]``, or a single row."""
        if isinstance(numbers, slice):
            return self.gather(numpy.arange(*numbers.indices(len(self))))
        if isinstance(numbers, (int, numpy.integer)) and not isinstance(numbers, bool):
            return self.gather([numbers + len(self) if -len(self) <= numbers < 0 else numbers])[0]
        return self.gather(numbers)

    def info(self) -> Dict[str, Any]:
        """``how`` it is read (memory, io_uring or pread), ``cache_bytes``, and so far ``rows_found`` in the cache, ``rows_read`` and
        ``bytes_read``."""
        info = _library.FeaturesInfo()
        library.qn_features_info(self._opened.pointer, ctypes.byref(info))
        names = "row_bytes", "cache_bytes", "rows_found", "rows_read", "bytes_read"
        return {"how": info.how.decode(), **{name: getattr(info, name) for name in names}}

    def __repr__(self) -> str:
        return "<quern.Feature %r: %s of %s, from %s>" % (self._given[1], self.kind, self.shape, self.info()["how"])


def _again(graph: Any, name: str, edges: bool, read: bool, cache: Union[int, str, None]) -> Feature:
    return Feature(graph, name, edges=edges, read=read, cache=cache)


class Features(Mapping[str, Feature]):
    """Properties as :class:`Feature`, by name; texts are not among them."""

    def __init__(self, graph: Any, edges: bool) -> None:
        self._graph, self._edges = graph, edges
        types = (graph.edge_properties if edges else graph.vertex_properties).types()
        self._names = [name for name, kind in types.items() if kind != "string"]

    def __getitem__(self, name: str) -> Feature:
        if name not in self._names:
            raise KeyError(name)
        return Feature(self._graph, name, edges=self._edges)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
