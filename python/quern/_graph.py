"""Graphs: containers that are open, with their arrays as NumPy views."""

from __future__ import annotations

import ctypes
import os
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy

from . import _binsparse, _convert, _errors, _html, _library, _partition
from ._algorithms import Algorithms
from ._arrow import Text
from ._calls import ProgressOption, check, local, name_bytes, options, path_bytes, run_job, text_of, view
from ._features import Features
from ._library import library
from ._lookup import Id, Ids, Lookups, are_several
from ._properties import Properties, arrays_of
from ._results import Handle, Result
from ._table import Table

_Rows = Tuple[numpy.ndarray, numpy.ndarray, Optional[numpy.ndarray]]
PathLike = Union[str, "os.PathLike[str]"]


class _Session:
    """A session of the library, closed when nothing refers to it any more: no graph, no array, and no call that was
    interrupted just after it had made it."""

    def __init__(self) -> None:
        self.pointer = ctypes.c_void_p()

    @property
    def handle(self) -> Optional[int]:
        return self.pointer.value

    def __del__(self, close: Any = library.qn_session_close) -> None:
        close(self.pointer)


def make(name: str, *arguments: Any, path: Optional[PathLike] = None, **job: Any) -> "Graph":
    """Call a function of the library that makes a graph, at `path` or in memory."""
    session = _Session()
    run_job(name, *arguments, None if path is None else path_bytes(path), after=(ctypes.byref(session.pointer),), **job)
    return Graph(session)


def open(path: PathLike, verify: bool = False, *, trust: bool = False, generation: Optional[int] = None,
         progress: ProgressOption = None, threads: Optional[int] = None, tmpdir: Optional[PathLike] = None) -> "Graph":
    """Open a container of any layout: a file, an archive, a set (its folder, whose graph is put together in
    temporary disk space), a member of a bundle (``"BUNDLE.tar:MEMBER"``), or a container or an archive on a server
    (``"https://..."``, ``"s3://..."``, and what `fsspec <https://filesystem-spec.readthedocs.io>`_ has, if that is installed).

    The file is mapped, and its header, table and footer are checked. What it holds is checked when it is first used by
    :meth:`Graph.run` and the other methods that compute something. The arrays that a graph gives are views of the mapping,
    and nothing checks those: ``verify=True`` checks every checksum and every rule now. Do that with files that others may
    have made, before you index with what they hold.

    ``trust=True`` never checks, which is unsafe unless the file is your own and was verified just now.

    ``generation=3`` is the graph that a set of changes was after its third generation (:func:`append`).

    Of a container on a server what is needed comes, is verified in any case, and is kept in the user's cache. What fsspec has
    comes whole.

    While a graph or an array of it is in use, its file may be replaced by renaming another to its name, but not written over
    or cut: reading what is gone ends the process by SIGBUS, or by SIGSEGV, as with any mapping.
    """
    session = _Session()
    flags = (_library.OPEN_VERIFY if verify else 0) | (_library.OPEN_TRUST if trust else 0)
    named = path_bytes(local(path)) + (b"" if generation is None else b"@%d" % generation)
    run_job("qn_session_open", named, flags, progress=progress, threads=threads, tmpdir=tmpdir,
            after=(ctypes.byref(session.pointer),))
    graph = Graph(session)
    graph._set = os.fspath(path) if os.path.isdir(path) else None
    return graph


def open_part(path: PathLike, verify: bool = False) -> "Graph":
    """A file of a set by itself, whose sections, ids and rows can be looked at: it is no whole graph."""
    session = _Session()
    flags = _library.OPEN_PART | (_library.OPEN_VERIFY if verify else 0)
    run_job("qn_session_open", path_bytes(path), flags, progress=False, after=(ctypes.byref(session.pointer),))
    return Graph(session)


def _type_name(type: Union[str, Tuple[str, str, str], None]) -> Optional[str]:
    """SOURCE-NAME-TARGET."""
    return "-".join(type) if isinstance(type, tuple) else type


def _type_names(types: Union[str, Sequence[Any], None]) -> Optional[str]:
    return types if types is None or isinstance(types, str) else ",".join(str(_type_name(type)) for type in types)


class _Placed:
    """A placed session of the library, closed when nothing refers to it any more."""

    def __init__(self) -> None:
        self.pointer = ctypes.c_void_p()

    def __del__(self, close: Any = library.qn_placed_close) -> None:
        close(self.pointer)


class PlacedGraph(Algorithms):
    """A graph on a device, from :meth:`Graph.on`. Close it, or leave its ``with``, to give the device's memory free; results
    stay."""

    def __init__(self, graph: "Graph", given: Any, progress: ProgressOption, threads: Optional[int]) -> None:
        self.graph = graph
        self._placed: Optional[_Placed] = _Placed()
        run_job("qn_session_place", graph._handle, *given, progress=progress, threads=threads,
                after=(ctypes.byref(self._placed.pointer),))

    def run(self, algorithm: Optional[str] = None, *, program: Optional[PathLike] = None, progress: ProgressOption = None,
            threads: Optional[int] = None, **algorithm_options: Any) -> Result:
        """As :meth:`Graph.run`, but for where it runs. Values that lie on a device come to the host when you first ask for
        them there."""
        if self._placed is None:
            raise _errors.UsageError("the placed graph is closed")
        found, given = Handle(), options(program=program, **algorithm_options)
        run_job("qn_placed_run", self._placed.pointer, name_bytes(algorithm), *given, progress=progress, threads=threads,
                after=(ctypes.byref(found.pointer),), keep=self._placed)
        return Result(found, self.graph)

    _run = run

    def close(self) -> None:
        """Give the device's memory free."""
        self._placed = None

    def __enter__(self) -> "PlacedGraph":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return "<quern.PlacedGraph of %r>" % self.graph


class _Arrays(Mapping[str, numpy.ndarray]):
    """The sections of a container by name: every layout's arrays, as its page in specs/ describes them."""

    def __init__(self, session: _Session, count: int) -> None:
        self._session = session
        self._sections: Dict[str, _library.SectionArray] = {}
        for index in range(count):
            section = _library.SectionArray()
            check("qn_session_section", session.handle, index, ctypes.byref(section))
            self._sections[section.name.decode()] = section

    def __getitem__(self, name: str) -> numpy.ndarray:
        section = self._sections[name]
        dtype = _library.TYPES.get(section.type, "V%d" % section.item_size)
        return view(section.data, dtype, section.count, self._session)

    def __iter__(self) -> Iterator[str]:
        return iter(self._sections)

    def __len__(self) -> int:
        return len(self._sections)

    def __repr__(self) -> str:
        return "{%s}" % ", ".join("%s: %s[%d]" % (name, self[name].dtype, len(self[name])) for name in self)


class Graph(Lookups, Algorithms):
    """A container that is open: a graph in one of the layouts, in a file or in memory.

    Methods name vertices as the input did: ``graph.neighbors("ann")``, ``graph.degree([3, 5])``, ``"bob" in graph``. Arrays
    number them from 0, in the order of :attr:`ids`, and :meth:`find` has the number of an id. Arrays are read-only views,
    without a copy; they stay valid for as long as you keep them, even when the graph is gone.
    """

    def __init__(self, session: _Session) -> None:
        self._session: Any = session
        self._out: Optional[_Rows] = None
        self._in: Optional[_Rows] = None
        info = _library.SessionInfo()
        library.qn_session_info(session.handle, ctypes.byref(info))
        self._info = info
        self.num_vertices: int = info.num_vertices
        self.num_stored_edges: int = info.num_edges
        """Edges as they are stored, the length of :attr:`column_indices`: of an undirected graph both directions, and loops
        once."""
        self._num_edges: Optional[int] = info.num_edges if info.directed else None
        self.directed: bool = info.directed
        self.layout: str = info.layout.decode()
        """``"graph"`` (plain CSR), ``"blocked-csr"``, ``"edge-partitions"``, ``"slotted-pages"``, ``"shards"``,
        ``"hybrid"``, ``"packed"`` or ``"checkpoint"``."""
        self.weight_dtype: Optional[numpy.dtype] = (numpy.dtype(_library.TYPES[info.weight_type]) if info.weight_type
                                                    else None)
        self.id_form: str = _library.ID_FORMS[info.id_form]
        """``"dense"`` (vertex v is called v), ``"numbers"`` or ``"strings"``."""
        self.path: Optional[str] = None if info.in_memory else os.fsdecode(info.path)
        """The file; None for graphs in memory."""
        self._set: Optional[PathLike] = None
        self._types: Optional[Dict[str, Any]] = None
        self._begin_lookups()

    # ---- What it is -----------------------------------------------------------------------------

    @property
    def _handle(self) -> int:
        if self._session is None:
            raise _errors.UsageError("the graph is closed")
        return int(self._session.handle)

    def close(self) -> None:
        """Let go of the container. Arrays that you have keep it mapped until they are gone too."""
        self._session = self._out = self._in = None
        self._forget_lookups()

    def __enter__(self) -> "Graph":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @property
    def num_edges(self) -> int:
        """Edges, of an undirected graph each once; :attr:`num_stored_edges` counts both directions."""
        if self._num_edges is None:
            count = ctypes.c_uint64()
            run_job("qn_session_count_edges", self._handle, after=(ctypes.byref(count),))
            self._num_edges = count.value
        return self._num_edges

    def _count_of_edges(self) -> Tuple[int, str]:
        try:
            return self.num_edges, "edges"
        except _errors.QuernError:  # damaged or closed
            return self.num_stored_edges, "stored edges"

    def __repr__(self) -> str:
        weights = ", weights %s" % self.weight_dtype if self.weight_dtype else ""
        return "<quern.Graph %s: %s, %s, %d vertices, %d %s%s>" % (
            self.path or "in memory", self.layout, "directed" if self.directed else "undirected", self.num_vertices,
            *self._count_of_edges(), weights)

    def _repr_html_(self) -> str:
        """What a notebook shows: a table, and how many vertices have how many edges."""
        return _html.of_graph(self)

    def __reduce__(self) -> Any:
        if self.path is None:
            raise _errors.UsageError("a graph in memory cannot be pickled: save() it and open() it there")
        return open, (os.path.abspath(self.path),)

    @property
    def identity(self) -> int:
        """A hash of the container: equal containers have equal ones."""
        return int(self._info.identity)

    @property
    def has_in_edges(self) -> bool:
        """Whether the rows of destinations are at hand: stored, or, of an undirected graph, the rows themselves."""
        return bool(self._info.has_in_edges)

    def info(self) -> Dict[str, Any]:
        """All that ``quern-info --json`` shows: header, sections, figures of the layout, metadata with the ledger."""
        described: Dict[str, Any] = text_of("qn_session_describe", self._handle)
        return described

    # ---- Types ----------------------------------------------------------------------------------

    def _known_types(self) -> Dict[str, Any]:
        types = self._types
        if types is None:
            nothing: Dict[str, Any] = {"vertex_types": [], "edge_types": []}
            self._types = types = text_of("qn_types_describe", path_bytes(self._set)) if self._set is not None else nothing
        return types

    @property
    def vertex_types(self) -> Tuple[str, ...]:
        """Of a set with types: what the types of its vertices are called; empty for other graphs."""
        return tuple(entry["name"] for entry in self._known_types()["vertex_types"])

    @property
    def edge_types(self) -> Tuple[Tuple[str, str, str], ...]:
        """Of a set with types: (source, name, target) of every type of its edges, as PyG has them. ``graph["person", "knows",
        "person"]`` is the graph of one."""
        return tuple((entry["source"], entry["name"], entry["target"]) for entry in self._known_types()["edge_types"])

    def _vertex_type_sizes(self) -> Dict[str, int]:
        return {entry["name"]: entry["vertices"] for entry in self._known_types()["vertex_types"]}

    def project(self, edge_type: Union[str, Tuple[str, str, str], None] = None, path: Optional[PathLike] = None, *,
                edge_types: Union[str, Sequence[Any], None] = None, vertex_types: Union[str, Sequence[str], None] = None,
                force: bool = False, progress: ProgressOption = None, threads: Optional[int] = None) -> "Graph":
        """Of a set with types: one edge type, by its name or (source, name, target), with the vertices of its two types; or
        the edges and vertices of several types. In a file or in memory."""
        if self._set is None:
            raise _errors.UsageError("this graph has no types; a set that quern-import --types makes has")
        given = {"project": _type_name(edge_type), "edge_types": _type_names(edge_types), "vertex_types": _type_names(vertex_types)}
        return make("qn_types_project", path_bytes(self._set), *options(force=force or None, **given), path=path, progress=progress,
                    threads=threads)

    def __getitem__(self, chosen: Any) -> "Graph":
        """``graph[:1000]`` is the subgraph of the first vertices, in the order of :attr:`ids`; ``graph[["ann", "bob"]]`` and
        ``graph[ranks.values > 0.01]`` are as :meth:`subgraph` has them. Of a set with types ``graph["person", "knows",
        "person"]`` is one of :attr:`edge_types`."""
        if isinstance(chosen, tuple) and len(chosen) == 3 and self.edge_types:
            return self.project(chosen)
        return super().__getitem__(chosen)

    def verify(self, structure: bool = False, *, progress: ProgressOption = None, threads: Optional[int] = None) -> None:
        """Check every checksum and every rule of the layout; with ``structure=True`` only what programs rely on that index
        with the arrays. Raises :class:`InvalidError`, which names the section or the rule."""
        run_job("qn_session_verify", self._handle, _library.VERIFY_STRUCTURE if structure else _library.VERIFY_ALL,
                progress=progress, threads=threads)

    # ---- Arrays ---------------------------------------------------------------------------------

    @property
    def arrays(self) -> Mapping[str, numpy.ndarray]:
        """Every section of the container by name, as a view of the mapping. Nothing is checked (see :func:`open`)."""
        return _Arrays(self._session, self._info.num_sections if self._handle else 0)

    def _rows(self, name: str) -> _Rows:
        rows = _library.Rows()
        run_job(name, self._handle, after=(ctypes.byref(rows),))
        owner = self._session
        weights = None
        if rows.weight_type:
            weights = view(rows.weights, _library.TYPES[rows.weight_type], rows.num_edges, owner)
        return (view(rows.row_offsets, "u8", rows.num_vertices + 1, owner),
                view(rows.column_indices, "u4", rows.num_edges, owner), weights)

    def _out_rows(self) -> _Rows:
        if self._out is None or self._session is None:
            self._out = self._rows("qn_session_out_edges")
        return self._out

    def _in_rows(self) -> _Rows:
        if self._in is None or self._session is None:
            self._in = self._rows("qn_session_in_edges")
        return self._in

    @property
    def row_offsets(self) -> numpy.ndarray:
        """uint64[V + 1]: the out-edges of vertex v are ``column_indices[row_offsets[v]:row_offsets[v + 1]]``.

        In the layout graph this is a view of the mapping, which nothing has checked (see :func:`open`). From other layouts
        the rows are put together in memory once, with checks; so it is with the next properties.
        """
        return self._out_rows()[0]

    @property
    def column_indices(self) -> numpy.ndarray:
        """uint32[E]: destinations, ascending in each row."""
        return self._out_rows()[1]

    @property
    def weights(self) -> Optional[numpy.ndarray]:
        """uint32[E] or float32[E], in the order of ``column_indices``; None without weights."""
        return self._out_rows()[2]

    @property
    def halo(self) -> numpy.ndarray:
        """Of a part of a set (:func:`open_part`): the vertices of other parts that its edges lead to or come from, ascending, by
        their numbers in the set."""
        info = self.info()
        if "first_row" not in info:
            raise _errors.UsageError("the graph is not a part of a set")
        first = info["first_row"]
        columns: numpy.ndarray = numpy.unique(self.column_indices)
        outside: numpy.ndarray = (columns < first) | (columns >= first + info["rows"])
        found: numpy.ndarray = columns[outside]
        return found

    @property
    def in_row_offsets(self) -> numpy.ndarray:
        """uint64[V + 1]: the in-edges of vertex v are ``in_column_indices[in_row_offsets[v]:in_row_offsets[v + 1]]``.

        Views where they are at hand (:attr:`has_in_edges`); else computed once.
        """
        return self._in_rows()[0]

    @property
    def in_column_indices(self) -> numpy.ndarray:
        """uint32[E]: sources, ascending in each row of ``in_row_offsets``."""
        return self._in_rows()[1]

    @property
    def in_weights(self) -> Optional[numpy.ndarray]:
        """The weights in the order of ``in_column_indices``; None without weights."""
        return self._in_rows()[2]

    @property
    def out_degrees(self) -> numpy.ndarray:
        """uint64[V]: edges of each row, as ``out_degree()`` has them."""
        return numpy.diff(self.row_offsets)

    def sources(self) -> numpy.ndarray:
        """uint32[E]: the source of every edge, in the order of ``column_indices``."""
        return _convert.sources_of(self.row_offsets, 0, self.num_stored_edges)

    @property
    def ids(self) -> numpy.ndarray:
        """What the input called the vertices: a view of uint64[V] of numbers, made for dense ids; of texts an array of
        ``str``. Bytes that are no UTF-8 are surrogates, as in names of files."""
        column = self.id_column()
        return numpy.array(column.tolist(), object) if isinstance(column, Text) else column

    def id_column(self) -> Any:
        """The ids as a column of a :class:`Table`: of texts, their bytes in the mapping."""
        arrays = _library.IdArrays()
        check("qn_session_ids", self._handle, ctypes.byref(arrays))
        count = arrays.num_vertices
        if self.id_form == "dense":
            return numpy.arange(count, dtype="u8")
        if self.id_form == "numbers":
            return view(arrays.numbers, "u8", count, self._session)
        offsets = view(arrays.offsets, "u8", count + 1, self._session)
        return Text(offsets, view(arrays.bytes, "u1", int(offsets[-1]), self._session))

    # ---- Properties -----------------------------------------------------------------------------

    @property
    def vertex_properties(self) -> Properties:
        """Named columns of the vertices: ``graph.vertex_properties["name"]`` has V values. Numbers are views of the mapping
        (masked where there are nulls); texts are ``str`` or None."""
        self._handle
        return Properties(self._session, False)

    @property
    def edge_properties(self) -> Properties:
        """Named columns of the edges, in the order of ``column_indices``."""
        self._handle
        return Properties(self._session, True)

    @property
    def features(self) -> Features:
        """The properties of vertices by name, from which rows are collected by many threads: ``graph.features["x"][[3, 14]]``."""
        return Features(self, False)

    @property
    def edge_features(self) -> Features:
        """The same of edges, in the order of ``column_indices``."""
        return Features(self, True)

    def with_properties(self, vertices: Optional[Mapping[str, Any]] = None, edges: Optional[Mapping[str, Any]] = None, *,
                        path: Optional[PathLike] = None, force: bool = False, progress: ProgressOption = None,
                        threads: Optional[int] = None) -> "Graph":
        """This graph with other properties, at `path` or in memory: ``{name: values}`` of V values, and of E values in the
        order of ``column_indices``. Values are an array of numbers or of bool, masked for nulls, or texts and None. Both
        directions of an undirected edge must have the same."""
        keep: List[Any] = []
        of_vertices, of_edges = arrays_of(vertices, keep), arrays_of(edges, keep)
        return make("qn_session_attach", self._handle, *of_vertices, *of_edges, *options(force=force or None), path=path,
                    progress=progress, threads=threads, keep=(self._session, keep))

    # ---- Tables ---------------------------------------------------------------------------------

    def edges(self, vertices: Union[Id, Ids, None] = None, *, ids: bool = True, both_directions: bool = False,
              properties: Union[bool, Sequence[str]] = True) -> Table:
        """The edges as a table ``source``, ``target`` and, if there are any, ``weight``, and their properties: all, none,
        or those that are named. Ends are called as the input called them, or with ``ids=False`` vertices. An undirected edge
        is listed once, or in both directions.

        With ``vertices``, an id or several, they are the edges out of these, one vertex after the other; of an undirected
        graph every edge that such a vertex has, with it as the source.

        Anything that takes ``__arrow_c_stream__`` reads the table: pyarrow, polars, DuckDB, pandas. It comes in batches,
        as it is read.
        """
        rows = None if vertices is None else self._chosen(vertices if are_several(vertices) else [vertices])
        return _convert.edge_table(self, rows, ids, both_directions, properties)

    def vertices(self, properties: Union[bool, Sequence[str]] = True, **columns: numpy.ndarray) -> Table:
        """The vertices as a table ``id``, ``out_degree``, further columns of V values each, such as those of a
        :class:`Result`, and their properties: all, none, or those that are named."""
        return _convert.vertex_table(self, properties, columns)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The table of :meth:`edges`."""
        return self.edges().__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> Any:
        return self.edges().__arrow_c_schema__()

    def to_pandas(self, *, ids: bool = True, both_directions: bool = False, properties: Union[bool, Sequence[str]] = True) -> Any:
        """A pandas DataFrame of the edges, as :meth:`edges` lists them; ``graph.vertices().to_pandas()`` is that of the
        vertices."""
        return self.edges(ids=ids, both_directions=both_directions, properties=properties).to_pandas()

    # ---- Other libraries ------------------------------------------------------------------------

    def to_scipy(self, dtype: Any = None) -> Any:
        """A ``scipy.sparse.csr_array`` whose row v has the out-edges of v: weights, or ones (float32, or ``dtype``).

        Columns and weights are shared with the graph, offsets too if there are 2**31 edges or more. SciPy adds up parallel
        edges wherever it needs one value a place.
        """
        return _convert.to_scipy(self, dtype)

    def __binsparse_descriptor__(self) -> Dict[str, Any]:
        """What :meth:`__binsparse__` gives, as a descriptor of the Binsparse specification."""
        return _binsparse.descriptor_of(self)

    def __binsparse__(self, *, descriptor: Optional[Mapping[str, Any]] = None) -> Dict[str, numpy.ndarray]:
        """The adjacency matrix as arrays by name, for any library that reads Binsparse's protocol: row v has the out-edges of v,
        of an undirected graph in both directions. They are shared with the graph, in the format CSR; a ``descriptor`` may ask for
        CSC or COO. Numbers as ids are in ``vertex_ids``; texts are left out. Parallel edges are refused by a ``BufferError``."""
        return _binsparse.arrays_of(self, descriptor)

    def to_networkx(self, ids: bool = True, properties: bool = True) -> Any:
        """A networkx graph whose nodes are the ids, or with ``ids=False`` the vertices. It is directed or not as this one
        is, and a multigraph if there are parallel edges. Weights become the attribute ``weight``, properties attributes of
        nodes and of edges; what is null has none."""
        return _convert.to_networkx(self, ids, properties)

    def to_igraph(self, properties: bool = True) -> Any:
        """An ``igraph.Graph``. Weights become the edge attribute ``weight``, ids that are not dense the vertex attribute
        ``name``, properties attributes of vertices and of edges."""
        return _convert.to_igraph(self, properties)

    def to_networkit(self) -> Any:
        """A ``networkit.Graph`` of the vertices 0 to V - 1, in the order of :attr:`ids`. Weights become real."""
        return _convert.to_networkit(self)

    def to_pyg(self) -> Any:
        """A ``Data`` of PyTorch Geometric, or of a set with types a ``HeteroData``, in memory: :func:`quern.pyg.to_pyg`.
        ``quern.pyg`` has stores and loaders that leave the graph where it is."""
        from . import pyg
        return pyg.to_pyg(self)

    def edge_index(self, dtype: Any = "i8", vertices: Optional[Tuple[int, int]] = None) -> numpy.ndarray:
        """int64[2, E] of sources and destinations, as PyTorch Geometric and DGL take them (``torch.from_numpy``). With
        ``vertices=(first, last)`` it is the out-edges of the vertices from ``first`` to before ``last``."""
        first, last, _ = slice(*(vertices or (None, None))).indices(self.num_vertices)
        start, stop = (self.row_offsets[[first, max(first, last)]]).tolist()
        index = numpy.empty((2, stop - start), dtype)
        index[0] = _convert.sources_of(self.row_offsets, start, stop)
        index[1] = self.column_indices[start:stop]
        return index

    # ---- Making things of it --------------------------------------------------------------------

    def build(self, layout: str, path: Optional[PathLike] = None, *, force: bool = False, progress: ProgressOption = None,
              threads: Optional[int] = None, memory: Union[int, str, None] = None, tmpdir: Optional[PathLike] = None,
              **layout_options: Any) -> "Graph":
        """Build a layout of this graph, in a file or in memory. Options are those of the layout's command-line tool, with
        underscores for dashes; :func:`quern.layouts` lists them. ``"graph"`` gives the graph back from any layout."""
        job: Dict[str, Any] = dict(progress=progress, threads=threads, memory=memory, tmpdir=tmpdir)
        if layout == "graph":
            return self.transform(path, force=force, **job, **layout_options)
        source = self if self.layout == "graph" else self.transform(**job)
        return make("qn_session_build", source._handle, name_bytes(layout), *options(force=force or None, **layout_options),
                    path=path, **job)

    def transform(self, path: Optional[PathLike] = None, *, force: bool = False, progress: ProgressOption = None,
                  threads: Optional[int] = None, memory: Union[int, str, None] = None, tmpdir: Optional[PathLike] = None,
                  **steps: Any) -> "Graph":
        """A changed graph, in a file or in memory. Steps are the options of ``quern-transform``, with underscores for
        dashes: ``symmetrize=True``, ``relabel="degree"``, ``egonet=42, hops=2``, ... Without any it is a copy in the layout
        graph. ``between=("2024-01-01", "2024-06-30")`` takes the edges of a time, before all steps; ``index_time="since"`` in place of steps adds an index by which that reads few edges. ``partition=8, by="ldg"`` in place of steps is this container with a property that says the part of each vertex; a method
        of a library (``by="kaminpar"``) is called by its package."""
        if steps.get("by") in _partition.PACKAGES:
            return _partition.transformed(self, path, dict(force=force, progress=progress, threads=threads), **steps)
        return make("qn_session_transform", self._handle, *options(force=force or None, **steps), path=path,
                    progress=progress, threads=threads, memory=memory, tmpdir=tmpdir)

    def subgraph(self, vertices: Ids, path: Optional[PathLike] = None, *, force: bool = False, progress: ProgressOption = None,
                 threads: Optional[int] = None, memory: Union[int, str, None] = None, tmpdir: Optional[PathLike] = None,
                 **steps: Any) -> "Graph":
        """The subgraph of these vertices, named by their ids or by an array of bool that has one for each vertex of the graph:
        they and the edges between them, with weights, properties and ids, in a file or in memory. Further steps are those of
        :meth:`transform`."""
        return self._subgraph(self._chosen(vertices), path, force=force, progress=progress, threads=threads, memory=memory,
                              tmpdir=tmpdir, **steps)

    def _subgraph(self, vertices: numpy.ndarray, path: Optional[PathLike] = None, *, force: bool = False, progress: ProgressOption = None,
                  threads: Optional[int] = None, memory: Union[int, str, None] = None, tmpdir: Optional[PathLike] = None,
                  **steps: Any) -> "Graph":
        return make("qn_session_subgraph", self._handle, vertices.ctypes.data, len(vertices),
                    *options(force=force or None, **steps), path=path, progress=progress, threads=threads, memory=memory,
                    tmpdir=tmpdir, keep=vertices)

    def save(self, path: PathLike, *, force: bool = False, archive: bool = False, level: Optional[int] = None,
             progress: ProgressOption = None, threads: Optional[int] = None) -> "Graph":
        """Write the container to a file, with ``archive=True`` in its compressed form, and open that."""
        given = options(force=force or None, archive=archive or None, level=level)
        run_job("qn_session_save", self._handle, *given, path_bytes(path), progress=progress, threads=threads)
        return open(path)

    def export(self, path: PathLike, format: Optional[str] = None, *, force: bool = False,
               progress: ProgressOption = None, threads: Optional[int] = None, **format_options: Any) -> None:
        """Write the graph in another system's format (:func:`quern.formats` lists them). Without a name the ending of
        ``path`` says which: ``"parquet"``, ``"arrow"`` and ``"feather"`` need pyarrow. What the format does not keep of
        this graph is warned of; with ``strict=True`` it is refused then."""
        _convert.export(self, path, format, force=force, progress=progress, threads=threads, **format_options)

    def run(self, algorithm: Optional[str] = None, *, program: Optional[PathLike] = None, device: Optional[str] = None,
            from_result: Optional[PathLike] = None, from_generation: Optional[int] = None, progress: ProgressOption = None,
            threads: Optional[int] = None, **algorithm_options: Any) -> Result:
        """Run an algorithm (:func:`quern.algorithms` lists them; each is a method, too: ``graph.pagerank(tolerance=1e-8)``).
        Options are those of ``quern-run``, with underscores for
        dashes: ``source=42`` (an id, or a list of ids), ``tolerance``, ``iterations``, ``hops``, ...

        ``device`` is ``"cpu"``, ``"cuda"``, ``"cuda:1"``, ``"both"`` or ``"auto"``, the default. ``parents=True`` gives bfs
        and sssp a second array. ``checkpoint="FOLDER"`` keeps a checkpoint there (``every=10`` iterations), from which
        ``resume=True`` goes on after a run that was interrupted.

        Of a set with generations cc, bfs, sssp and pagerank continue from ``from_result``, the file (lines, or an array ``.npy``) of what
        they have found on the generation before the last, or on ``from_generation``, if only edges and vertices were added since.

        ``program="widest.h"`` runs an algorithm of your own instead, a C header as ``kernels/programs/README.md`` describes
        it. ``cc`` compiles it for the CPU, or nvcc with ``device="cuda"``, and it is kept in your cache, ``~/.cache/quern``.
        One that does not compile is an :class:`InvalidError` with the compiler's message and the line.
        """
        found = Handle()
        given = options(program=program, device=device, **{"from": from_result, "from_generation": from_generation}, **algorithm_options)
        run_job("qn_session_run", self._handle, name_bytes(algorithm), *given, progress=progress, threads=threads,
                after=(ctypes.byref(found.pointer),))
        return Result(found, self)

    _run = run

    def on(self, device: Optional[str] = None, *, progress: ProgressOption = None, threads: Optional[int] = None,
           **device_options: Any) -> "PlacedGraph":
        """Place the graph on a device (``"cpu"``, ``"cuda"``, ``"cuda:1"``, ... as :meth:`run` has them) for many runs::

            with graph.on("cuda") as placed:
                near, ranks = placed.run("bfs", source=42), placed.run("pagerank")

        What runs prepare is prepared once, and what they bring to the device stays there. Options are those of
        ``quern-run`` that say where: ``device_memory="8G"``, ``devices="0,1"``, ...
        """
        return PlacedGraph(self, options(device=device, **device_options), progress, threads)
