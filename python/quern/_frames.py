"""Graphs from data frames, queries and lists of edges."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy

from . import _errors, _files
from ._arrow import Times
from ._graph import Graph, PathLike
from ._ids import id_column
from ._optional import need
from ._properties import of_objects, without_nulls
from ._sources import Wanted, from_arrays, from_arrow
from ._table import Table

Columns = Union[Sequence[Union[str, int]], str, None]


# ---- pandas -------------------------------------------------------------------------------------

def _names_of(frame: Any, what: str) -> List[str]:
    """The names of columns, which are texts and different."""
    names = [str(name) for name in frame.columns]
    for name in names:
        if names.count(name) > 1:
            raise _errors.UsageError("%s: there are %d columns called %s" % (what, names.count(name), name))
    return names


def _property(column: Any, what: str) -> Any:
    """A column of pandas as a property; durations become texts."""
    kind = getattr(column.dtype, "kind", "O")
    if kind == "M":
        zone = getattr(column.dtype, "tz", None)
        return Times.of((column if zone is None else column.dt.tz_convert("UTC").dt.tz_localize(None)).to_numpy(), zone is not None)
    if kind == "m":
        column = column.astype(object).where(column.notna(), None).map(lambda one: None if one is None else str(one))
    try:
        found = without_nulls(column)
    except TypeError:
        raise _errors.UsageError("%s: numbers, bool or texts are expected" % what) from None
    return found if isinstance(found, numpy.ndarray) and found.dtype.kind in "uifbM" else of_objects(list(found), what)


def _further(frame: Any, names: List[str], taken: Sequence[Any], properties: Wanted) -> Dict[str, Any]:
    chosen = _files.further_columns(names, taken, properties)
    return {name: _property(frame.iloc[:, names.index(name)], "column %s" % name) for name in chosen}


def from_pandas(frame: Any, columns: Columns = None, *, directed: bool = True, path: Optional[PathLike] = None,
                properties: Wanted = False, vertices: Any = None, **given: Any) -> Graph:
    """A graph of the rows of a pandas DataFrame, one edge each; its index does not count.

    ``columns`` are those of sources, targets and, if you name a third, weights. Without it they are those called source, src,
    from, ..., and weight, or the first two. Ids are integers, also those that pandas keeps as reals, or texts; a null or a
    fraction is refused with its row. ``properties`` are further columns: ``True`` for all, or names. ``vertices`` is a frame,
    too: its column ``id`` names the vertices, its others become their properties. Further options are those of
    :func:`from_arrays`."""
    if not hasattr(frame, "iloc") or not hasattr(frame, "columns"):
        raise _errors.UsageError("a DataFrame of pandas is expected, not %s" % type(frame).__name__)
    names = _names_of(frame, "edges")
    chosen = _files.choose(names, columns)
    ends = [id_column(frame.iloc[:, names.index(name)], "column %s" % name) for name in chosen[:2]]
    weights = [_weights(frame.iloc[:, names.index(name)], "column %s" % name) for name in chosen[2:]]
    further = _further(frame, names, chosen, properties)
    if not further and not hasattr(vertices, "iloc"):
        if vertices is not None:
            given["num_vertices"] = vertices
        return from_arrays(*ends, *weights, directed=directed, path=path, **given)
    table = Table.of_arrays(dict(zip(chosen, [*ends, *weights])), **further)
    if hasattr(vertices, "iloc"):
        vertices = _vertices(vertices, given.setdefault("id", "id"))
    return from_arrow(table, chosen, directed=directed, path=path, properties=list(further) or False, vertices=vertices, **given)


def _vertices(frame: Any, key: str) -> Table:
    names = _names_of(frame, "vertices")
    if key not in names:
        raise _errors.UsageError("vertices: there is no column %s; there are %s" % (key, ", ".join(names)))
    ids = id_column(frame.iloc[:, names.index(key)], "vertices, column %s" % key)
    return Table.of_arrays({key: ids, **_further(frame, names, [key], True)})


def _weights(column: Any, what: str) -> numpy.ndarray:
    null = numpy.asarray(column.isna())
    if null.any():
        raise _errors.InvalidError("%s: entry %d (from 0) is null" % (what, null.argmax()))
    values: numpy.ndarray = column.to_numpy()
    if values.dtype.kind == "O":
        values = numpy.asarray(of_objects(values.tolist(), what, "")) if not isinstance(values[0] if len(values) else 0, str) else values
    if values.dtype.kind not in "uifb":
        raise _errors.UsageError("%s: weights are numbers, not of %s" % (what, column.dtype))
    return values


# ---- Tables of other libraries ------------------------------------------------------------------

def from_polars(frame: Any, columns: Columns = None, *, vertices: Any = None, **given: Any) -> Graph:
    """A graph of the rows of a polars DataFrame, or of a LazyFrame, which is collected. Options are those of
    :func:`from_arrow`; ``vertices`` may be a frame of either kind."""
    if hasattr(vertices, "collect"):
        vertices = vertices.collect()
    return from_arrow(frame.collect() if hasattr(frame, "collect") else frame, columns, vertices=vertices, **given)


def from_duckdb(query: Any, columns: Columns = None, *, connection: Any = None, **given: Any) -> Graph:
    """A graph of the rows of a DuckDB relation, or of a query in SQL, on ``connection`` or else DuckDB's default one. Options
    are those of :func:`from_arrow`."""
    if isinstance(query, str):
        query = (connection or need("duckdb")).sql(query)
    return from_arrow(query, columns, **given)


# ---- Edges --------------------------------------------------------------------------------------

def from_edges(edges: Any, **given: Any) -> Graph:
    """A graph of pairs ``(source, target)`` or triples ``(source, target, weight)``: a list, a generator, an array of two or
    three columns. Options are those of :func:`from_arrays`."""
    if isinstance(edges, numpy.ndarray):
        if edges.ndim != 2 or edges.shape[1] not in (2, 3):
            raise _errors.UsageError("an array of edges has two or three columns, not the shape %s" % (edges.shape,))
        return from_arrays(*edges.T, **given)
    rows: List[Tuple[Any, ...]] = []
    for number, edge in enumerate(edges):
        if isinstance(edge, (str, bytes)) or not hasattr(edge, "__len__") or len(edge) not in (2, 3) or len(edge) != len(rows[0] if rows else edge):
            raise _errors.UsageError("edge %d (from 0) is %.60r: each is a pair, or each a triple with its weight" % (number, edge))
        rows.append(tuple(edge))
    return from_arrays(*([list(column) for column in zip(*rows)] if rows else [[], []]), **given)


def from_networkit(graph: Any, **given: Any) -> Graph:
    """A graph of a ``networkit.Graph``, with its weights if it has any; vertices keep their numbers. Options are those of
    :func:`from_arrays`."""
    if graph.isWeighted():
        rows = numpy.array(list(graph.iterEdgesWeights()), "f8").reshape(-1, 3)
        edges = rows[:, 0].astype("u8"), rows[:, 1].astype("u8"), rows[:, 2].astype("f8")
    else:
        ends = numpy.array(list(graph.iterEdges()), "u8").reshape(-1, 2)
        edges = ends[:, 0], ends[:, 1]  # type: ignore[assignment]
    return from_arrays(*edges, num_vertices=graph.upperNodeIdBound(), directed=graph.isDirected(), **given)


# ---- PyTorch Geometric --------------------------------------------------------------------------

def from_pyg(data: Any, path: Optional[PathLike] = None, **given: Any) -> Graph:
    """A graph of a ``Data`` of PyTorch Geometric: its ``edge_index``, ``edge_weight`` as weights, and tensors of one row a vertex or
    an edge as properties. Options are those of :func:`from_arrays`."""
    from . import pyg
    found: Graph = pyg.from_pyg(data, path, **given)
    return found
