"""Graphs given to other libraries."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Sequence, Tuple

import numpy

from . import _arrow, _errors
from ._calls import name_bytes, options, path_bytes, run_job
from ._optional import need
from ._properties import chosen
from ._table import BATCH_ROWS, Made, Table

if TYPE_CHECKING:
    from ._graph import Graph


# ---- Tables -------------------------------------------------------------------------------------

def _no_doubles(names: Sequence[str], taken: Sequence[str]) -> None:
    for name in names:
        if name in taken:
            raise _errors.UsageError("the table has a column %s already; choose properties without it (properties=[...])" % name)


def objects(values: Sequence[Any]) -> numpy.ndarray:
    """An array of these objects, never one of arrays."""
    array: numpy.ndarray = numpy.empty(len(values), dtype=object)
    array[:] = values
    return array


def _all_edges(graph: "Graph") -> Iterator[Any]:
    """Batches of all edges: sources, and the places of the edges."""
    for start in range(0, graph.num_stored_edges, BATCH_ROWS):
        stop = min(start + BATCH_ROWS, graph.num_stored_edges)
        yield sources_of(graph.row_offsets, start, stop), slice(start, stop)


def _edges_of(graph: "Graph", vertices: numpy.ndarray) -> Iterator[Any]:
    """The same of the rows of some vertices."""
    firsts = graph.row_offsets[vertices].astype("i8")
    counts = graph._degrees(0, vertices).astype("i8")
    ends = numpy.cumsum(counts)
    begin = 0
    while begin < len(vertices):
        so_far = int(ends[begin - 1]) if begin else 0
        end = max(begin + 1, int(numpy.searchsorted(ends, so_far + BATCH_ROWS, "right")))
        several = counts[begin:end]
        within = numpy.arange(several.sum()) - numpy.repeat(numpy.cumsum(several) - several, several)
        yield numpy.repeat(vertices[begin:end], several), numpy.repeat(firsts[begin:end], several) + within
        begin = end


def edge_table(graph: "Graph", vertices: Optional[numpy.ndarray], ids: bool, both_directions: bool, properties: Any) -> Table:
    further = chosen(graph.edge_properties, properties)
    _no_doubles(list(further), ["source", "target"] + (["weight"] if graph.weight_dtype is not None else []))
    columns, weights = graph.column_indices, graph.weights
    names = graph.id_column() if ids and graph.id_form != "dense" else None
    once = not graph.directed and not both_directions and vertices is None

    def places() -> Iterator[Any]:
        return _all_edges(graph) if vertices is None else _edges_of(graph, vertices)

    def batches() -> Iterator[List[Any]]:
        for sources, at in places():
            batch = [sources, columns[at]]
            if weights is not None:
                batch.append(weights[at])
            batch += [column[at] for column in further.values()]
            if once:
                upper = batch[0] <= batch[1]
                batch = [column[upper] for column in batch]
            if names is not None:
                batch[:2] = [names[end] for end in batch[:2]]
            yield batch

    def num_rows() -> int:
        if vertices is not None:
            return int(graph._degrees(0, vertices).sum())
        return graph.num_edges if once else graph.num_stored_edges

    end = b"I" if names is None else _arrow.format_of(names)
    formats = [("source", end), ("target", end)]
    if weights is not None:
        formats.append(("weight", _arrow.format_of(weights)))
    formats += [(name, _arrow.format_of(column)) for name, column in further.items()]
    return Table(formats, num_rows, batches)


def sources_of(offsets: numpy.ndarray, start: int, stop: int) -> numpy.ndarray:
    """The rows that the edges [start, stop) are in."""
    if start >= stop:
        return numpy.empty(0, "u4")
    first = int(numpy.searchsorted(offsets, numpy.uint64(start), "right")) - 1  # of another type the offsets would be copied
    last = int(numpy.searchsorted(offsets, numpy.uint64(stop), "left"))
    bounds = numpy.clip(offsets[first:last + 1], start, stop)
    return numpy.repeat(numpy.arange(first, last, dtype="u4"), numpy.diff(bounds).astype("i8"))


def id_batches(graph: "Graph") -> Any:
    """The ids of all vertices as a column that is made as it is read."""
    return (Made("u8", graph.num_vertices, lambda start, stop: numpy.arange(start, stop, dtype="u8")) if graph.id_form == "dense"
            else graph.id_column())


def vertex_table(graph: "Graph", properties: Any, columns: Dict[str, Any]) -> Table:
    further = chosen(graph.vertex_properties, properties)
    _no_doubles(list(further), ["id", "out_degree", *columns])
    offsets = graph.row_offsets
    degrees = Made("u8", graph.num_vertices, lambda start, stop: numpy.diff(offsets[start:stop + 1]))
    return Table.of_arrays({"id": id_batches(graph), "out_degree": degrees, **columns, **further})


# ---- Objects of other libraries -----------------------------------------------------------------

def to_scipy(graph: "Graph", dtype: Any) -> Any:
    sparse = need("scipy.sparse")
    offsets, columns, values = graph.row_offsets, graph.column_indices, graph.weights
    if values is None:
        values = numpy.ones(graph.num_stored_edges, dtype or "f4")
    # SciPy's indices are signed, and columns and offsets of one type.
    signed = "i4" if graph.num_stored_edges < 2**31 and graph.num_vertices < 2**31 else "i8"
    offsets = offsets.view("i8").astype(signed, copy=False)
    columns = columns.view("i4") if signed == "i4" else columns.astype("i8")
    shape = graph.num_vertices, graph.num_vertices
    matrix = sparse.csr_array((values if dtype is None else values.astype(dtype, copy=False), columns, offsets), shape=shape,
                              copy=False)
    matrix.has_sorted_indices = True
    return matrix


def listed_once(graph: "Graph", properties: Any) -> Tuple[Any, ...]:
    """Sources, destinations, and weights and properties by name of every edge; of an undirected graph the upper triangle."""
    sources, targets, columns = graph.sources(), graph.column_indices, chosen(graph.edge_properties, properties)
    if graph.weights is not None:
        _no_doubles(list(columns), ["weight"])
        columns = {"weight": graph.weights, **columns}
    if not graph.directed:
        upper = sources <= targets
        sources, targets = sources[upper], targets[upper]
        columns = {name: column[upper] for name, column in columns.items()}
    return sources, targets, columns


def _attributes(columns: Dict[str, Any], count: int) -> Iterator[Dict[str, Any]]:
    """Of each row what is not null."""
    values = {name: _arrow.rows_of(column) for name, column in columns.items()}
    return ({name: column[row] for name, column in values.items() if column[row] is not None} for row in range(count))


def has_parallel_edges(graph: "Graph") -> bool:
    columns = graph.column_indices
    same = columns[1:] == columns[:-1]
    begins = graph.row_offsets[1:-1]
    begins = begins[(begins > 0) & (begins < graph.num_stored_edges)]
    same[begins.view("i8") - 1] = False  # the last of a row and the first of the next
    return bool(same.any())


def to_networkx(graph: "Graph", ids: bool, properties: Any) -> Any:
    networkx = need("networkx")
    sources, targets, columns = listed_once(graph, properties)
    nodes: Any = range(graph.num_vertices)
    kind = {(True, False): networkx.DiGraph, (True, True): networkx.MultiDiGraph, (False, False): networkx.Graph,
            (False, True): networkx.MultiGraph}[graph.directed, has_parallel_edges(graph)]
    found = kind()
    if ids:
        names = graph.ids
        nodes, sources, targets = names.tolist(), names[sources], names[targets]
    of_vertices = chosen(graph.vertex_properties, properties)
    found.add_nodes_from(zip(nodes, _attributes(of_vertices, graph.num_vertices)) if of_vertices else nodes)
    ends = zip(sources.tolist(), targets.tolist())
    if columns:
        found.add_edges_from((*edge, row) for edge, row in zip(ends, _attributes(columns, len(sources))))
    else:
        found.add_edges_from(ends)
    return found


def to_igraph(graph: "Graph", properties: Any) -> Any:
    igraph = need("igraph")
    sources, targets, columns = listed_once(graph, properties)
    of_vertices = chosen(graph.vertex_properties, properties)
    if graph.id_form != "dense":
        _no_doubles(list(of_vertices), ["name"])
    found = igraph.Graph(n=graph.num_vertices, edges=numpy.column_stack([sources, targets]).astype("i8"),
                         directed=graph.directed)
    for name, column in columns.items():
        found.es[name] = _arrow.rows_of(column)
    for name, column in of_vertices.items():
        found.vs[name] = _arrow.rows_of(column)
    if graph.id_form != "dense":
        found.vs["name"] = graph.ids.tolist()
    return found


def to_networkit(graph: "Graph") -> Any:
    networkit = need("networkit")
    sources, targets, columns = listed_once(graph, False)
    ends = sources.astype("u8"), targets.astype("u8")
    weights = columns.get("weight")
    given: Any = ends if weights is None else (weights.astype("f8"), ends)
    return networkit.GraphFromCoo(given, n=graph.num_vertices, weighted=weights is not None, directed=graph.directed)


# ---- Files --------------------------------------------------------------------------------------

TABLES = {"parquet": "parquet", "arrow": "arrow", "feather": "arrow", "arrow-stream": "arrow-stream"}
ENDINGS = {".parquet": "parquet", ".arrow": "arrow", ".feather": "arrow", ".arrows": "arrow-stream"}


def export(graph: "Graph", path: Any, format: Any, *, force: bool, progress: Any, threads: Any, **given: Any) -> None:
    format = format or ENDINGS.get("" if hasattr(path, "write") else os.path.splitext(os.fspath(path))[1])
    from . import _types
    if format and graph._set is not None and _types.are_written(graph._set, path, format):
        from . import graphar
        write = graphar.write_types if format == "graphar" else _types.write_folder
        write(graph._set, path, force=force, **given)
    elif format == "graphar":
        from . import graphar
        graphar.write(graph, path, force=force, **given)
    elif format == "icebug-disk":
        from . import icebug
        icebug.write(graph, path, force=force, **given)
    elif format in ("metis-part", "pyg-partition"):
        from . import _partition
        (_partition.write_metis if format == "metis-part" else _partition.write_pyg)(graph, path, force=force, **given)
    elif format in TABLES:
        from . import _files
        _files.write_table(graph, path, TABLES[format], force=force, **given)
    elif hasattr(path, "write"):
        raise _errors.UsageError("to a stream %s are written, not %s" % (", ".join(sorted(set(TABLES))), format or "a format of no name"))
    else:
        run_job("qn_session_export", graph._handle, name_bytes(format), *options(force=force or None, **given),
                path_bytes(path), progress=progress, threads=threads)


