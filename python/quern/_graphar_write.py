"""Writing graphs, and sets with types, as GraphAr."""

from __future__ import annotations

import os
import struct
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple

import numpy

from . import _errors, _files
from ._arrow import Text
from ._files import other_than as _other_than
from ._graphar_schema import DATA_TYPES, INDEX, LISTS, OFFSET, SOURCE, TARGET, VERSION
from ._optional import need
from ._properties import chosen as chosen_columns
from ._table import Table

if TYPE_CHECKING:
    from ._graph import Graph, PathLike
    from ._types import TypedSet


class _Ends:
    """Which vertices of a graph are sources and targets of the edges that are written: those of one type, [begin, begin + count)."""

    def __init__(self, sources: Tuple[int, int], targets: Tuple[int, int]):
        self.begins, self.counts = (sources[0], targets[0]), (sources[1], targets[1])


def _rows_of_type(graph: "Graph", by_source: bool, ends: _Ends) -> Tuple[Any, ...]:
    """The same as :func:`_rows_by`, of vertices that are numbered from where their type begins."""
    offsets, aligned, others, weights = _rows_by(graph, by_source)
    here, there = (0, 1) if by_source else (1, 0)
    begin = ends.begins[here]
    return (offsets[begin:begin + ends.counts[here] + 1], aligned - numpy.uint32(begin), others - numpy.uint32(ends.begins[there]), weights)


def _rows_by(graph: "Graph", by_source: bool) -> Tuple[Any, ...]:
    """Offsets, aligned ends, other ends and weights of a list; of an undirected graph every edge once."""
    if by_source or not graph.directed:
        offsets, others, weights = graph.row_offsets, graph.column_indices, graph.weights
    else:
        offsets, others, weights = graph.in_row_offsets, graph.in_column_indices, graph.in_weights
    aligned = numpy.repeat(numpy.arange(graph.num_vertices, dtype="u4"), numpy.diff(offsets).view("i8"))
    if not graph.directed:
        once = aligned <= others if by_source else others <= aligned
        aligned, others = aligned[once], others[once]
        weights = None if weights is None else weights[once]
        degrees = numpy.bincount(aligned, minlength=graph.num_vertices)
        offsets = numpy.concatenate([numpy.zeros(1, "i8"), numpy.cumsum(degrees)])
    return offsets.astype("i8"), aligned, others, weights


def _order_by(graph: "Graph", by_source: bool) -> Any:
    """Which edges, in the order of ``column_indices``, a list has; None: all, in this order."""
    columns = graph.column_indices
    if by_source and graph.directed:
        return None
    order = numpy.arange(len(columns)) if by_source else numpy.argsort(columns, kind="stable")
    if graph.directed:
        return order
    ends = graph.sources()[order], columns[order]
    return order[ends[0] <= ends[1]]


def _write_table(path: Path, columns: Dict[str, Any]) -> None:
    """Columns of :class:`quern.Table`, in the types that GraphAr has."""
    pyarrow = need("pyarrow")
    table = Table.of_arrays(columns).to_arrow()
    types = {pyarrow.uint32(): pyarrow.int64(), pyarrow.uint64(): pyarrow.int64(), pyarrow.large_string(): pyarrow.string(),
             pyarrow.float16(): pyarrow.float32(),
             **dict.fromkeys((pyarrow.uint8(), pyarrow.uint16(), pyarrow.int8(), pyarrow.int16()), pyarrow.int32())}
    for number, field in enumerate(table.schema):
        if field.type == pyarrow.large_binary():
            raise _errors.UnsupportedError("%s has a text that is not UTF-8, as those of GraphAr are" % field.name)
        try:
            stored = pyarrow.timestamp("ms") if pyarrow.types.is_timestamp(field.type) else types.get(field.type, field.type)
            column = table.column(number).cast(stored)
        except pyarrow.ArrowInvalid as problem:
            raise _errors.UnsupportedError("%s: GraphAr has integers of int64 and timestamps in milliseconds: %s" % (field.name, problem)) from problem
        table = table.set_column(number, field.name, column)
    path.parent.mkdir(parents=True, exist_ok=True)
    need("pyarrow.parquet").write_table(table, path, compression="zstd")


def _write_count(path: Path, count: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(struct.pack("<q", count))


def _write_list(graph: "Graph", ends: _Ends, folder: Path, by_source: bool, part_size: int, chunk_size: int) -> None:
    offsets, aligned, others, weights = _rows_of_type(graph, by_source, ends)
    count = ends.counts[0 if by_source else 1]
    source, target = (aligned, others) if by_source else (others, aligned)
    properties = chosen_columns(graph.edge_properties, True)
    order = _order_by(graph, by_source) if properties else None
    _write_count(folder / "vertex_count", count)
    for part, first in enumerate(range(0, count, part_size)):
        bounds = offsets[first:first + part_size + 1]
        start, stop = int(bounds[0]), int(bounds[-1])
        _write_table(folder / "offset" / ("chunk%d" % part), {OFFSET: bounds - start})
        _write_count(folder / ("edge_count%d" % part), stop - start)
        for chunk, at in enumerate(range(start, stop, chunk_size)):
            rows, name = slice(at, min(at + chunk_size, stop)), "part%d/chunk%d" % (part, chunk)
            _write_table(folder / "adj_list" / name, {SOURCE: source[rows], TARGET: target[rows]})
            if weights is not None:
                _write_table(folder / "weight" / name, {"weight": weights[rows]})
            if properties:
                these = rows if order is None else order[rows]
                _write_table(folder / "properties" / name, {label: column[these] for label, column in properties.items()})


def _write_vertices(graph: "Graph", folder: Path, chunk_size: int, key: str) -> str:
    """The primary key of every vertex, and its properties; the type of the key."""
    ids, properties = graph.id_column(), chosen_columns(graph.vertex_properties, True)
    if not isinstance(ids, Text) and len(ids) and ids.max() > numpy.iinfo("i8").max:
        raise _errors.UnsupportedError("the id %d is too large: GraphAr has ids of int64" % ids.max())
    _write_count(folder / "vertex_count", graph.num_vertices)
    for chunk, first in enumerate(range(0, graph.num_vertices, chunk_size)):
        rows = slice(first, min(first + chunk_size, graph.num_vertices))
        index = {INDEX: numpy.arange(rows.start, rows.stop)}
        _write_table(folder / "id" / ("chunk%d" % chunk), {**index, key: ids[rows]})
        if properties:
            _write_table(folder / "properties" / ("chunk%d" % chunk),
                         {**index, **{name: column[rows] for name, column in properties.items()}})
    return "string" if isinstance(ids, Text) else "int64"


def _data_type(name: str, kind: str) -> str:
    """What GraphAr calls a type."""
    if "x" in kind:
        raise _errors.UnsupportedError("the property %s is of vectors, %s, which GraphAr has no type for: write the graph without it "
                                       "(graph.with_properties), and it to a file of its own (numpy.save)" % (name, kind))
    return "timestamp" if kind.startswith("timestamp") else DATA_TYPES[kind]


def _check_properties(of: Any) -> None:
    for name, kind in of.types().items():
        _data_type(name, kind)
        if kind.endswith("_utc"):
            warnings.warn("that the timestamps of %s are of UTC is not in the output" % name, _errors.QuernWarning, stacklevel=6)


def _check_edge_names(graph: "Graph") -> None:
    for name in graph.edge_properties:
        if name in (SOURCE, TARGET) or (name == "weight" and graph.weight_dtype is not None):
            raise _errors.UnsupportedError("a property of edges is called %s, as another column of GraphAr is" % name)


def _check_vertex_names(graph: "Graph") -> None:
    if INDEX in graph.vertex_properties:
        raise _errors.UnsupportedError("a property of vertices is called %s, as another column of GraphAr is" % INDEX)


def write(graph: "Graph", path: "PathLike", *, name: Optional[str] = None, vertex_type: str = "vertex",
          edge_type: str = "edge", vertex_chunk_size: int = 1 << 18, edge_chunk_size: int = 1 << 22,
          lists: Tuple[str, ...] = ("ordered_by_source", "ordered_by_dest"), force: bool = False) -> None:
    """Write a GraphAr graph as a folder of YAML and Parquet: one type of vertices, whose primary key ``id`` is what the input
    called them, one type of edges with the property ``weight``, and the properties of both. An undirected edge is listed once.

    ``name`` is that of the graph, by default that of the folder. The folder appears whole or not at all.
    """
    ways = _Ways(name or Path(os.path.abspath(os.fspath(path))).name, vertex_chunk_size, edge_chunk_size, lists)
    for label in vertex_type, edge_type:
        _check_label(label)
    _files.write_folder(path, force, lambda folder: _write_folder(graph, folder, ways, vertex_type, edge_type))


def write_types(set_path: "PathLike", path: "PathLike", *, name: Optional[str] = None, vertex_chunk_size: int = 1 << 18,
                edge_chunk_size: int = 1 << 22, lists: Tuple[str, ...] = ("ordered_by_source", "ordered_by_dest"),
                force: bool = False) -> None:
    """Write all types of vertices and edges of a set with types as a GraphAr graph, each by itself, as :func:`write` does one."""
    from ._types import TypedSet
    types = TypedSet(set_path, verify=True)
    ways = _Ways(name or Path(os.path.abspath(os.fspath(path))).name, vertex_chunk_size, edge_chunk_size, lists)
    for label in [*types.counts, *(label for _, label, _ in types.edge_types)]:
        _check_label(label)
    if len({"_".join(type) for type in types.edge_types}) < len(types.edge_types):
        raise _errors.UnsupportedError("two types of edges are called the same in GraphAr, where a _ joins the names of three types")
    _files.write_folder(path, force, lambda folder: _write_typed_folder(types, folder, ways))


class _Ways:
    """How a graph is written."""

    def __init__(self, name: str, vertex_chunk_size: int, edge_chunk_size: int, lists: Tuple[str, ...]):
        self.name, self.vertex_chunk_size, self.edge_chunk_size = str(name), vertex_chunk_size, edge_chunk_size
        self.lists = list(dict.fromkeys(lists))
        _check_label(self.name)
        unknown = set(lists) - {LISTS[True, "src"], LISTS[True, "dst"]}
        if unknown or not lists:
            raise _errors.UsageError("lists are ordered_by_source or ordered_by_dest or both, not %s" % (", ".join(unknown) or "none"))
        if vertex_chunk_size < 1 or edge_chunk_size < 1:
            raise _errors.UsageError("a chunk has at least one row")


def _check_label(label: str) -> None:
    if not label or "/" in label or "\0" in label or label.startswith("."):
        raise _errors.UsageError("%r cannot be the name of a file" % label)


def _write_folder(graph: "Graph", folder: Path, ways: _Ways, vertex_type: str, edge_type: str) -> None:
    every = 0, graph.num_vertices
    files = ([_write_vertex_type(graph, folder, ways, vertex_type)],
             [_write_edge_type(graph, _Ends(every, every), folder, ways, (vertex_type, edge_type, vertex_type))])
    _write_graph_info(folder, ways, *files)


def _write_typed_folder(types: "TypedSet", folder: Path, ways: _Ways) -> None:
    vertices, edges = [], []
    for name in types.counts:
        with types.vertices(name) as graph:
            vertices.append(_write_vertex_type(graph, folder, ways, name))
    for type in types.edge_types:
        source, target = zip(types.begins(type), (types.counts[type[0]], types.counts[type[2]]))
        with types.edges(type) as graph:
            edges.append(_write_edge_type(graph, _Ends(source, target), folder, ways, type))
    _write_graph_info(folder, ways, vertices, edges)


def _group(prefix: str, properties: Dict[str, str], primary: bool = False) -> List[Dict[str, Any]]:
    each = [{"name": label, "data_type": data_type, "is_primary": primary} for label, data_type in properties.items()]
    return [{"properties": each, "file_type": "parquet", "prefix": prefix}] if each else []


def _types_of(properties: Any) -> Dict[str, str]:
    return {label: _data_type(label, kind) for label, kind in properties.types().items()}


def _write_info(folder: Path, file_name: str, info: Dict[str, Any]) -> str:
    yaml = need("yaml")
    (folder / file_name).write_text(yaml.safe_dump({**info, "version": VERSION}, sort_keys=False, allow_unicode=True), encoding="utf-8")
    return file_name


def _write_graph_info(folder: Path, ways: _Ways, vertices: List[str], edges: List[str]) -> None:
    _write_info(folder, ways.name + ".graph.yml", {"name": ways.name, "prefix": "./", "vertices": vertices, "edges": edges})


def _write_vertex_type(graph: "Graph", folder: Path, ways: _Ways, name: str) -> str:
    """The chunks and the information file of a type of vertices; what that file is called."""
    _check_vertex_names(graph)
    _check_properties(graph.vertex_properties)
    key = _other_than(graph.vertex_properties, "id")
    id_type = _write_vertices(graph, folder / "vertex" / name, ways.vertex_chunk_size, key)
    return _write_info(folder, name + ".vertex.yml", {
        "type": name, "chunk_size": ways.vertex_chunk_size, "prefix": "vertex/%s/" % name,
        "property_groups": _group("id/", {key: id_type}, True) + _group("properties/", _types_of(graph.vertex_properties))})


def _write_edge_type(graph: "Graph", ends: _Ends, folder: Path, ways: _Ways, type: Tuple[str, str, str]) -> str:
    """The same of a type of edges."""
    triple = "_".join(type)
    _check_edge_names(graph)
    _check_properties(graph.edge_properties)
    for kind in ways.lists:
        _write_list(graph, ends, folder / "edge" / triple / kind, kind == LISTS[True, "src"], ways.vertex_chunk_size, ways.edge_chunk_size)
    weights = []
    if graph.weight_dtype is not None:
        weight = {"u": "int64", "i": "int64"}.get(graph.weight_dtype.kind) or ("float" if graph.weight_dtype == "f4" else "double")
        weights = _group("weight/", {"weight": weight})
    aligned = {folder_name: by for (ordered, by), folder_name in LISTS.items() if ordered}
    return _write_info(folder, triple + ".edge.yml", {
        "src_type": type[0], "edge_type": type[1], "dst_type": type[2], "chunk_size": ways.edge_chunk_size,
        "src_chunk_size": ways.vertex_chunk_size, "dst_chunk_size": ways.vertex_chunk_size, "directed": graph.directed,
        "prefix": "edge/%s/" % triple,
        "adj_lists": [{"ordered": True, "aligned_by": aligned[kind], "file_type": "parquet"} for kind in ways.lists],
        "property_groups": weights + _group("properties/", _types_of(graph.edge_properties))})
