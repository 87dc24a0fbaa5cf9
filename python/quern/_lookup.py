"""Look-ups in a graph: vertices by their ids, neighbours, degrees, single edges."""

from __future__ import annotations

import bisect
import ctypes
from typing import TYPE_CHECKING, Any, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy

from . import _convert, _errors, _library
from ._calls import check, is_url, view
from ._table import BATCH_ROWS

if TYPE_CHECKING:
    from ._graph import Graph

Id = Union[int, str]
Ids = Union[Sequence[Id], numpy.ndarray]
OUT, IN = 0, 1


FEW = 64
"""Texts that are sooner made one by one."""

_glue = ctypes.PyDLL(_library.beside("_capsule.so"))
_glue.quern_find_text.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_char_p, ctypes.c_uint64]
_glue.quern_find_text.restype = ctypes.c_int64
_add_at = ctypes.CDLL(_glue._name).quern_add_at  # which leaves the interpreter to others meanwhile
_add_at.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p]
_add_at.restype = None
_glue.quern_lookup.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64]
_glue.quern_lookup.restype = ctypes.py_object


def _as_id(id: Any) -> Union[int, bytes, None]:
    """An integer, or the bytes of a text; None of what is no id."""
    if isinstance(id, (numpy.generic, numpy.ndarray)):
        id = id.item() if id.ndim == 0 else None
    if isinstance(id, float) and id.is_integer():
        return int(id)
    if isinstance(id, int):
        return None if isinstance(id, bool) else id
    if isinstance(id, str):
        try:
            id = id.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            return None
    return id if isinstance(id, bytes) and b"\0" not in id else None


def _are_integers(ids: Any) -> bool:
    return all(issubclass(kind, (int, numpy.integer)) and not issubclass(kind, bool) for kind in set(map(type, ids)))


def are_several(ids: Any) -> bool:
    """A list, an array, a column of a table; not one id."""
    return not isinstance(ids, (int, str, bytes)) and isinstance(ids, Iterable) and getattr(ids, "ndim", 1) > 0


class _Names:
    """Ids that are not dense, checked: both ways between them and vertices."""

    def __init__(self, graph: Any) -> None:
        check("qn_session_find", graph._handle, None, 0, None, None)  # checks them all, once
        arrays = _library.IdArrays()
        check("qn_session_ids", graph._handle, ctypes.byref(arrays))
        self.graph, self.ascending, self.count = graph._session, arrays.ascending, arrays.num_vertices
        self.column, self.are_texts = graph.id_column(), graph.id_form == "strings"
        if self.are_texts:
            self.offsets, self.bytes = memoryview(self.column.offsets), memoryview(self.column.data)
            self.places = arrays.offsets, arrays.bytes
        elif self.ascending:
            self.find = _glue.quern_lookup(arrays.numbers, self.count, None, None, 0)
            """The vertex that an int calls, or -1."""

    def neighbors(self, offsets: numpy.ndarray, columns: numpy.ndarray) -> Any:
        """A function that has the ids in the row of an int, as bytes, or None; None where ids are no ascending numbers."""
        if self.are_texts or not self.ascending or not self.count:
            return None
        return _glue.quern_lookup(self.column.ctypes.data, self.count, offsets.ctypes.data, columns.ctypes.data, len(columns))

    def vertex(self, id: Union[int, bytes]) -> int:
        """The vertex with this id, or -1."""
        if self.ascending and self.are_texts and isinstance(id, bytes):
            return _glue.quern_find_text(*self.places, self.count, id, len(id))  # type: ignore[no-any-return]
        if self.ascending and not isinstance(id, bytes):
            return self.find(id)  # type: ignore[no-any-return]
        found, vertex = ctypes.c_bool(), ctypes.c_uint32()
        text = ctypes.c_char_p(id if isinstance(id, bytes) else b"%d" % id)
        check("qn_session_find", self.graph.handle, ctypes.byref(text), 1, ctypes.byref(vertex), ctypes.byref(found))
        return vertex.value if found.value else -1

    def of(self, vertices: numpy.ndarray) -> numpy.ndarray:
        """What they are called."""
        try:
            if not self.are_texts:
                return self.column[vertices.astype("i8")]  # type: ignore[no-any-return]  # of other types NumPy takes ten times as long
            if len(vertices) > FEW:
                return _convert.objects(self.column[vertices].tolist())
            offsets, data = self.offsets, self.bytes
            return _convert.objects([str(data[offsets[v]:offsets[v + 1]], "utf-8", "surrogateescape") for v in vertices.tolist()])
        except IndexError:
            raise _errors.InvalidError("an edge leads to a vertex that there is not: the file is damaged") from None


class Lookups:
    """Methods of :class:`Graph` that look single things up. Vertices are named as the input named them: by numbers or texts.

    The first look-up prepares what the others use. Rows of the layout graph are used where they are mapped, and read no
    more of the file than is asked for. From other layouts they are put together once, in memory of 8 bytes a vertex and 4 an
    edge; ``graph.transform(path)`` writes them to a file instead, which opens at once. Ids that are not dense are checked
    once; a look-up of one is a bisection.

    Of a graph on a server :meth:`neighbors`, :meth:`in_neighbors` and :meth:`has_edge` fetch what they look at, 1 MiB at a
    time (layout graph); all else fetches whole sections.
    """

    _session: Any
    num_vertices: int
    num_stored_edges: int
    directed: bool
    id_form: str
    layout: str
    path: Optional[str]

    def _begin_lookups(self) -> None:
        self._dense = self.id_form == "dense"
        self._far = self.layout == "graph" and is_url(self.path)
        self._forget_lookups()

    def _forget_lookups(self) -> None:
        self._offsets: List[Any] = [None, None]  # of rows, as memoryviews, whose elements are Python's int
        self._columns: List[Any] = [None, None]
        self._names: Any = None
        self._of_numbers: List[Any] = [None, None]  # neighbors() of names
        self._in_counts: Optional[numpy.ndarray] = None

    def _prepare(self: Any, which: int) -> Any:
        offsets, columns, _ = self._in_rows() if which else self._out_rows()
        self._columns[which] = columns
        self._offsets[which] = memoryview(offsets)
        if not self._dense:
            self._of_numbers[which] = (self._names or self._name()).neighbors(offsets, columns)
        return self._offsets[which]

    def _name(self) -> Any:
        self._names = _Names(self)
        return self._names

    # ---- Vertices -------------------------------------------------------------------------------

    def _vertex(self, id: Any) -> int:
        """The vertex with this id, or -1."""
        id = _as_id(id)
        if isinstance(id, int):
            if self._dense:
                return id if 0 <= id < self.num_vertices else -1
            if self.id_form == "numbers" and self._far and not self._names:
                return self._far_vertex(b"%d" % id) if 0 <= id < 2**64 else -1
            if self.id_form == "numbers":
                return (self._names or self._name()).vertex(id) if 0 <= id < 2**64 else -1
            id = b"%d" % id
        if id is None:
            return -1
        if self.id_form == "strings":
            return self._far_vertex(id) if self._far and not self._names else (self._names or self._name()).vertex(id)
        return self._vertex(int(id)) if len(id) <= 20 and id.isdigit() and id == b"%d" % int(id) else -1

    def _vertex_of(self, id: Any) -> int:
        vertex = self._vertex(id)
        if vertex < 0:
            raise _missing(id)
        return vertex

    def _vertices_of(self: Any, ids: Any) -> numpy.ndarray:
        """The vertices with these ids, as uint32."""
        if isinstance(ids, Iterator):
            ids = list(ids)
        array = numpy.asarray(ids) if hasattr(ids, "dtype") or _are_integers(ids) else None
        if array is not None and array.ndim != 1:
            raise _errors.UsageError("ids are an array of one dimension, not of %d" % array.ndim)
        if array is None or array.dtype.kind not in "uif" or self.id_form == "strings":
            found: numpy.ndarray = self._vertices_of_texts(list(ids))
            return found
        limit = self.num_vertices if self._dense else 2**64
        if array.dtype.kind == "f" or (len(array) and not 0 <= int(array.min()) <= int(array.max()) < limit):
            right = (array >= 0) & (array < limit) if self._dense or array.dtype.kind == "f" else array >= 0
            if array.dtype.kind == "f":
                right &= numpy.floor(array) == array
            if not right.all():
                raise _missing(array[right.argmin()].item())
        if self._dense:
            return array.astype("u4")
        numbers, vertices = numpy.ascontiguousarray(array, "u8"), numpy.empty(len(array), "u4")
        check("qn_session_find_numbers", self._handle, numbers.ctypes.data, len(numbers), vertices.ctypes.data, None)
        return vertices

    def _vertices_of_texts(self: Any, ids: List[Any]) -> numpy.ndarray:
        texts = []
        for id in ids:
            text = _as_id(id)
            if text is None:
                raise _missing(id)
            texts.append(text if isinstance(text, bytes) else b"%d" % text)
        vertices = numpy.empty(len(texts), "u4")
        check("qn_session_find", self._handle, (ctypes.c_char_p * len(texts))(*texts), len(texts), vertices.ctypes.data, None)
        return vertices

    def _ids_of(self: Any, vertices: Any) -> numpy.ndarray:
        """What vertices are called: the array itself where ids are dense."""
        return vertices if self._dense else (self._names or self._name()).of(vertices)  # type: ignore[no-any-return]

    def find(self, ids: Union[Id, Ids]) -> Any:
        """The vertex with this id, a number from 0, or those with these ids as uint32. Arrays such as :attr:`row_offsets` and
        ``result.values`` are indexed with it. :class:`UsageError` names an id that there is not."""
        return self._vertices_of(ids) if are_several(ids) else self._vertex_of(ids)

    def __len__(self) -> int:
        return self.num_vertices

    def __bool__(self) -> bool:
        return True  # an empty graph is a graph, too

    def __contains__(self, id: Any) -> bool:
        return self._vertex(id) >= 0

    def __iter__(self) -> Iterator[Any]:
        """The ids of all vertices."""
        for begin in range(0, self.num_vertices, BATCH_ROWS):
            end = min(begin + BATCH_ROWS, self.num_vertices)
            yield from self._ids_of(numpy.arange(begin, end, dtype="u4")).tolist()

    # ---- Neighbours -----------------------------------------------------------------------------

    def neighbors(self, vertex: Id) -> numpy.ndarray:
        """The ids of the vertices that the edges out of a vertex lead to, ascending by vertex; parallel edges count each. Of
        dense ids it is a view of :attr:`column_indices`."""
        if self._far and self._offsets[OUT] is None:
            return self._far_row(OUT, vertex)
        offsets = self._offsets[OUT] or self._prepare(OUT)
        if self._dense and type(vertex) is int and 0 <= vertex < self.num_vertices:
            return self._columns[OUT][offsets[vertex]:offsets[vertex + 1]]  # type: ignore[no-any-return]
        return self._row(OUT, vertex)

    # ---- On a server: what is asked for comes, and nothing else ---------------------------------

    def _far_vertex(self: Any, id: bytes) -> int:
        text, vertex, found = ctypes.c_char_p(id), ctypes.c_uint32(), ctypes.c_bool()
        check("qn_session_find", self._handle, ctypes.byref(text), 1, ctypes.byref(vertex), ctypes.byref(found))
        return vertex.value if found.value else -1

    def _far_columns(self: Any, which: int, vertex: int) -> numpy.ndarray:
        row = _library.Row()
        check("qn_session_row", self._handle, which, vertex, ctypes.byref(row))
        return view(row.columns, "u4", row.num_edges, self._session)

    def _far_row(self: Any, which: int, vertex: Id) -> numpy.ndarray:
        columns: numpy.ndarray = self._far_columns(which, self._vertex_of(vertex))
        if self._dense:
            return columns
        ids = numpy.empty(len(columns), "u8")  # or how long texts are
        if self.id_form == "numbers":
            check("qn_session_numbers_of", self._handle, columns.ctypes.data, len(columns), ids.ctypes.data)
            return ids
        texts = numpy.empty(len(columns), "u8")
        check("qn_session_texts_of", self._handle, columns.ctypes.data, len(columns), texts.ctypes.data, ids.ctypes.data)
        named = zip(texts.tolist(), ids.tolist())
        return _convert.objects([str(ctypes.string_at(text, length), "utf-8", "surrogateescape") for text, length in named])

    def _row(self, which: int, vertex: Id) -> numpy.ndarray:
        """The ids at the other ends of a vertex's edges."""
        of_numbers = self._of_numbers[which]
        ids = of_numbers(vertex) if of_numbers and type(vertex) is int else None
        if ids is not None:
            return numpy.frombuffer(ids, "u8")
        offsets, at = self._offsets[which], self._vertex_of(vertex)
        row: numpy.ndarray = self._columns[which][offsets[at]:offsets[at + 1]]
        return row if self._dense else self._ids_of(row)

    def in_neighbors(self: Any, vertex: Id) -> numpy.ndarray:
        """The ids of the vertices whose edges lead to a vertex. Where in-edges are not stored (:attr:`has_in_edges`) they are
        computed once, in memory of 8 bytes a vertex and 4 an edge."""
        if self._offsets[IN] is None and self._far and self.has_in_edges:
            return self._far_row(IN, vertex)  # type: ignore[no-any-return]
        if self._offsets[IN] is None:
            self._prepare(IN)
        return self._row(IN, vertex)  # type: ignore[no-any-return]

    def has_edge(self, source: Id, target: Id) -> bool:
        """Is there an edge from one vertex to another? False also where one of them is not there."""
        if self._far and self._offsets[OUT] is None:
            start, end = self._vertex(source), self._vertex(target)
            return start >= 0 and end >= 0 and bool(numpy.isin(end, self._far_columns(OUT, start)))
        offsets, start, end = self._offsets[OUT] or self._prepare(OUT), self._vertex(source), self._vertex(target)
        if start < 0 or end < 0:
            return False
        columns, last = self._columns[OUT], min(offsets[start + 1], self.num_stored_edges)
        place = bisect.bisect_left(columns.data, end, min(offsets[start], last), last)
        return bool(place < last and columns[place] == end)

    # ---- Degrees --------------------------------------------------------------------------------

    def _degree(self, which: int, ids: Any) -> Any:
        if ids is not None and not are_several(ids):
            at = self._vertex_of(ids)
            offsets = self._offsets[which] or self._prepare(which)
            return offsets[at + 1] - offsets[at]
        return self._degrees(which, None if ids is None else self._vertices_of(ids))

    def _degrees(self: Any, which: int, vertices: Optional[numpy.ndarray]) -> numpy.ndarray:
        degrees = numpy.empty(self.num_vertices if vertices is None else len(vertices), "u8")
        check("qn_session_degrees", self._handle, which, None if vertices is None else vertices.ctypes.data, len(degrees),
              degrees.ctypes.data)
        return degrees

    def out_degree(self, vertices: Union[Id, Ids, None] = None) -> Any:
        """How many edges lead out of a vertex, or of each of an array of them, or of all in the order of :attr:`ids`."""
        return self._degree(OUT, vertices)

    def _count_in_edges(self: Any) -> Optional[numpy.ndarray]:
        """How many edges lead to each vertex, where in-edges are not at hand."""
        if self.has_in_edges or self._in is not None:
            return None
        if self._in_counts is None:
            self._in_counts = self.run("indegree", device="cpu", progress=False).values.astype("u8")
        return self._in_counts  # type: ignore[no-any-return]

    def _add_in_degrees(self, vertices: numpy.ndarray, degrees: numpy.ndarray) -> numpy.ndarray:
        counts = self._count_in_edges()
        if counts is None:
            degrees += self._degrees(IN, vertices)
        else:
            _add_at(counts.ctypes.data, len(counts), vertices.ctypes.data, len(vertices), degrees.ctypes.data)
        return degrees

    def in_degree(self: Any, vertices: Union[Id, Ids, None] = None) -> Any:
        """How many edges lead to a vertex, or to each of an array of them, or to all in the order of :attr:`ids`. Where in-edges
        are not at hand all are counted once."""
        counts = self._count_in_edges() if self.directed else None
        if counts is None:
            return self._degree(IN if self.directed else OUT, vertices)
        if vertices is None:
            return counts.copy()
        if not are_several(vertices):
            return int(counts[self._vertex_of(vertices)])
        found = self._vertices_of(vertices)
        return self._add_in_degrees(found, numpy.zeros(len(found), "u8"))

    def degree(self, vertices: Union[Id, Ids, None] = None) -> Any:
        """How many edges a vertex has, or each of an array of them, or all in the order of :attr:`ids`: of a directed graph
        those out of it and those into it. A loop counts twice in a directed graph, and once in an undirected one, where it is
        stored once."""
        if not self.directed:
            return self.out_degree(vertices)
        if not are_several(vertices):
            return self.out_degree(vertices) + self.in_degree(vertices)
        found = self._vertices_of(vertices)
        return self._add_in_degrees(found, self._degrees(OUT, found))

    # ---- Edges in blocks, and parts -------------------------------------------------------------

    def edge_blocks(self: Any, size: int = BATCH_ROWS, *, ids: bool = True) -> Iterator[Tuple[numpy.ndarray, ...]]:
        """All edges, as they are stored, in blocks of ``size``: tuples of arrays of sources, targets and, if there are any,
        weights. Of an undirected graph both directions come. With ``ids=False`` ends are vertices."""
        if size < 1:
            raise _errors.UsageError("size: %r is no number of edges" % (size,))
        offsets, columns, weights = self._out_rows()
        for start in range(0, self.num_stored_edges, size):
            stop = min(start + size, self.num_stored_edges)
            ends = [_convert.sources_of(offsets, start, stop), columns[start:stop]]
            if ids:
                ends = [self._ids_of(end) for end in ends]
            yield tuple(ends if weights is None else [*ends, weights[start:stop]])

    def __getitem__(self: Any, chosen: Any) -> "Graph":
        """``graph[:1000]`` is the subgraph of the first vertices, in the order of :attr:`ids`; ``graph[["ann", "bob"]]`` and
        ``graph[ranks.values > 0.01]`` are as :meth:`subgraph` has them."""
        if isinstance(chosen, slice):
            return self._subgraph(numpy.arange(*chosen.indices(self.num_vertices), dtype="u4"))  # type: ignore[no-any-return]
        if are_several(chosen) and not isinstance(chosen, Mapping):
            return self.subgraph(chosen)  # type: ignore[no-any-return]
        raise TypeError("a graph is indexed with a slice, or with several ids; graph.neighbors(%r) are the neighbours of one" % (chosen,))

    def _chosen(self: Any, vertices: Any) -> numpy.ndarray:
        """Vertices by their ids, or by an array of bool that has one for each."""
        mask = numpy.asarray(vertices) if hasattr(vertices, "dtype") else None
        if mask is None or mask.dtype.kind != "b":
            return self._vertices_of(vertices)  # type: ignore[no-any-return]
        if mask.shape != (self.num_vertices,):
            raise _errors.UsageError("an array of bool has one for each of the %d vertices, not the shape %s" % (self.num_vertices, mask.shape))
        return numpy.flatnonzero(mask).astype("u4")


def _missing(id: Any) -> _errors.UsageError:
    return _errors.UsageError("no vertex has the id %.80r" % (id,))
