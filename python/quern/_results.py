"""What an algorithm found."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Tuple

import numpy

from . import _convert, _errors, _html, _library
from ._arrow import tensor_capsule
from ._calls import check, text_of, view
from ._library import library
from ._lookup import are_several
from ._optional import need
from ._table import Table

if TYPE_CHECKING:
    from ._graph import Graph


class Handle:
    """A result of the library, closed when nothing refers to it any more: neither this nor an array."""

    def __init__(self) -> None:
        self.pointer = ctypes.c_void_p()

    @property
    def handle(self) -> Optional[int]:
        return self.pointer.value

    def __del__(self, close: Any = library.qn_result_close) -> None:
        close(self.pointer)


class Result:
    """What :meth:`Graph.run` found: arrays with a value for each vertex, or a count.

    Arrays are read-only views of the library's memory, which they keep.
    """

    def __init__(self, handle: Handle, graph: "Graph"):
        self._handle = handle
        self.graph = graph
        info = _library.ResultInfo()
        library.qn_result_info(self._handle.handle, ctypes.byref(info))
        self.algorithm: str = info.algorithm.decode()
        self.device: str = info.device.decode()
        """``"cpu"``, ``"cuda"`` or ``"both"``."""
        self.kernel: str = info.kernel.decode()
        self.iterations: int = info.iterations
        self.converged: bool = info.converged
        """It ended by itself, not by a limit of iterations."""
        self.seconds: float = info.run_seconds
        """Of the algorithm itself."""
        self.count: Optional[int] = info.count if info.count_of else None
        """What the algorithm counts, such as triangles; None if it counts nothing."""
        self.sources: numpy.ndarray = numpy.array(info.sources[:info.num_sources], "u4")
        """Source vertices, chosen ones too."""
        self._num_columns: int = info.num_columns
        self._columns: Optional[Dict[str, numpy.ndarray]] = None

    @property
    def columns(self) -> Dict[str, numpy.ndarray]:
        """Every array, by name: ``{"pagerank": ...}``. From several sources ``bfs_0``, ``bfs_1``, ... in their order. Of a
        path the first is ``vertex``, its vertices, and the other how far they are; of pairs ``vertex`` and ``other`` are what
        is alike; ``hits`` has ``hub`` and ``authority``. Of a sample they are ``node``, ``from`` and ``to`` (places in
        ``node``), and ``node_ends`` and ``edge_ends``, how many of them there are after each hop. Those that lie on a device
        are copied to the host once."""
        if self._columns is None:
            self._columns = dict(self._column(index) for index in range(self._num_columns))
        return self._columns

    @property
    def on_device(self) -> bool:
        """Whether the values lie on a CUDA device, where CuPy, Numba and PyTorch take them without a copy."""
        return self._device_array() is not None

    def _device_array(self) -> Optional[_library.DeviceArray]:
        array = _library.DeviceArray()
        try:
            check("qn_result_on_device", self._handle.handle, 0, ctypes.byref(array))
        except (_errors.UnsupportedError, _errors.UsageError):
            return None
        return array

    @property
    def __cuda_array_interface__(self) -> Dict[str, Any]:
        """Values that lie on a CUDA device (a graph that is placed there: :meth:`Graph.on`). Keep the result as long as you
        use them; CuPy and the like do."""
        array = self._device_array()
        if array is None:
            raise AttributeError("the values of this result do not lie on a device")
        return {"data": (array.data, False), "typestr": numpy.dtype(_library.TYPES[array.type]).str, "shape": (array.count,),
                "strides": None, "version": 3, "stream": None}

    def __dlpack__(self, *, stream: Any = None, **wishes: Any) -> Any:
        """The values for any consumer of DLPack, from where they lie: ``torch.from_dlpack(result)``. On a device they are
        complete: there is no stream to wait for."""
        array = self._device_array()
        if array is None:
            return self.values.__dlpack__(**wishes)
        return tensor_capsule(array.data, array.index, numpy.dtype(_library.TYPES[array.type]), array.count, self._handle)

    def __dlpack_device__(self) -> Tuple[int, int]:
        array = self._device_array()
        return (1, 0) if array is None else (2, array.index)

    def _column(self, index: int) -> Tuple[str, numpy.ndarray]:
        column = _library.ResultColumn()
        check("qn_result_column", self._handle.handle, index, ctypes.byref(column))
        return column.name.decode(), view(column.data, _library.TYPES[column.type], column.count, self._handle)

    def _head(self, most: int = 5) -> List[Tuple[Any, ...]]:
        """The first rows of ids and values."""
        columns = [column[:most].tolist() for column in self.columns.values()]
        if len({len(column) for column in columns}) != 1:  # a sample
            return []
        return list(zip(self.graph._ids_of(self._vertices(most)).tolist(), *columns))

    def _words(self) -> str:
        how = ", %d iterations" % self.iterations if self.iterations else ""
        how += "" if self.converged or not self.iterations else ", not converged"
        return "%s on %s%s" % (self.algorithm, self.device, how)

    def __repr__(self) -> str:
        if self.count is not None and not self.columns:
            return "<quern.Result %s: %d>" % (self._words(), self.count)
        rows = [tuple("%.6g" % cell if isinstance(cell, float) else str(cell) for cell in row) for row in [("id", *self.columns), *self._head()]]
        widths = [max(map(len, column)) for column in zip(*rows)]
        lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in rows]
        more = len(self) - (len(rows) - 1)
        return "\n".join(["<quern.Result %s: %d values>" % (self._words(), len(self)), *lines, *(["... and %d more" % more] if more > 0 else [])])

    def _repr_html_(self) -> str:
        """What a notebook shows: a table of the first values."""
        if not self.columns:
            return _html.table([(self.algorithm, self.count)])
        more = max(len(self) - 10, 0)
        return "<p>%s</p>%s%s" % (_html.escape(self._words()), _html.table(self._head(10), ["id", *self.columns]),
                                  "<p>and %d more</p>" % more if more else "")

    def __len__(self) -> int:
        """How many values there are."""
        return len(self.values)

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[Any]:
        return iter(self.values.tolist())

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> numpy.ndarray:
        """``numpy.asarray(result)`` is :attr:`values`."""
        if copy:
            return numpy.array(self.values, dtype)
        return self.values if dtype is None else self.values.astype(dtype, copy=False)

    def __getitem__(self, ids: Any) -> Any:
        """The value of the vertex with this id, or those of several, from :attr:`values`: ``ranks["ann"]``, ``ranks[[3, 5]]``."""
        self._of_vertices()
        found = self.values[self.graph.find(ids)]
        return found if are_several(ids) else found.item()

    def _of_vertices(self) -> None:
        if len(self.values) != self.graph.num_vertices or "vertex" in self.columns:
            raise _errors.UsageError("%s has no value for each vertex" % self.algorithm)

    @property
    def values(self) -> numpy.ndarray:
        """The first array: the value of vertex v is ``values[v]``. What was not reached has the largest number of an unsigned
        type, infinity of a real one."""
        if not self.columns:
            raise ValueError("%s has no values of vertices; see count" % self.algorithm)
        return next(iter(self.columns.values()))

    @property
    def walks(self) -> numpy.ndarray:
        """Random walks: a row of vertices for each. Where a walk has ended is the largest number."""
        if "walk" not in self.columns:
            raise ValueError("%s is no walk" % self.algorithm)
        return self.columns["walk"].reshape(self.summary["walks"], -1)

    def _vertices(self, most: Optional[int] = None) -> numpy.ndarray:
        """The vertices that the first values belong to."""
        if "vertex" in self.columns:
            return self.columns["vertex"][:most]
        count = len(self.values)
        return numpy.arange(count if most is None else min(most, count), dtype="u4")

    @property
    def ids(self) -> numpy.ndarray:
        """What the input called the vertices, in the order of ``values``."""
        return self.graph.ids if "vertex" not in self.columns else self.graph._ids_of(self.columns["vertex"])

    @property
    def summary(self) -> Dict[str, Any]:
        """The object ``result`` of ``quern-run --json``: reached vertices, levels, components, sums."""
        summary: Dict[str, Any] = text_of("qn_result_summary", self._handle.handle)
        return summary

    def top(self, count: int = 10) -> List[Tuple[Any, Any]]:
        """The largest values of vertices that have one, as pairs of id and value; of equal ones the vertices that come
        first."""
        values, vertices = self.values, self._with_value()[::-1]
        vertices = vertices[numpy.argsort(values[vertices], kind="stable")[::-1][:count]]
        return list(zip(self.graph._ids_of(vertices).tolist(), values[vertices].tolist()))

    def _with_value(self) -> numpy.ndarray:
        self._of_vertices()
        values = self.values
        return numpy.flatnonzero(values != (numpy.inf if values.dtype.kind == "f" else numpy.iinfo(values.dtype).max))

    def to_dict(self) -> Dict[Any, Any]:
        """``{id: value}`` of the vertices that have a value: what was not reached is left out."""
        vertices = self._with_value()
        return dict(zip(self.graph._ids_of(vertices).tolist(), self.values[vertices].tolist()))

    def table(self) -> Table:
        """A table of ``id`` and every array, which anything reads that takes ``__arrow_c_stream__``."""
        vertices = self.columns.get("vertex")
        return Table.of_arrays(id=_convert.id_batches(self.graph) if vertices is None else self.graph.id_column()[vertices],
                               **self.columns)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The table of :meth:`table`."""
        return self.table().__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> Any:
        return self.table().__arrow_c_schema__()

    def __arrow_array__(self, type: Any = None) -> Any:
        """``pyarrow.array(result)`` is :attr:`values`."""
        return need("pyarrow").array(self.values, type)

    def to_pandas(self) -> Any:
        """A pandas DataFrame of every array, whose index is the ids."""
        pandas = need("pandas")
        return pandas.DataFrame(self.columns, index=pandas.Index(self.ids, name="id"))

    def to_arrow(self) -> Any:
        """A ``pyarrow.Table`` of ``id`` and every array."""
        return self.table().to_arrow()
