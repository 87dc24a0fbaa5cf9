"""Apache GraphAr (https://graphar.apache.org/docs/specification/format): graphs as YAML and chunks of tables.

GraphAr holds property graphs: several types of vertices and edges, each with properties. :func:`read` makes a container of one
type of edges, a name of every vertex, and properties of both; :func:`read_types` makes a set of all types. Both warn of what is
left behind.
"""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Optional, Sequence, Tuple

import numpy

from . import _errors
from ._graphar_chunks import EdgeRows, is_kept, VertexRows
from ._graphar_schema import EdgeInfo, GraphInfo, NUMBERS, properties_of, SOURCE, TARGET, VertexInfo
from ._graphar_write import write, write_types
from ._table import Table

if TYPE_CHECKING:
    from ._graph import Graph, PathLike


def _weight_property(edges: EdgeInfo, weight: Optional[str]) -> Optional[Tuple[Dict[str, Any], Dict[str, Any]]]:
    found = {entry["name"]: (group, entry) for group, entry in properties_of(edges.groups)}
    if weight is None or (weight == "weight" and weight not in found):
        return None
    if weight not in found:
        raise _errors.UsageError("edges have no property %s; they have: %s" % (weight, ", ".join(sorted(found)) or "none"),
                                 os.fspath(edges.path))
    if found[weight][1]["data_type"] not in NUMBERS or found[weight][1].get("cardinality", "single") != "single":
        raise _errors.UsageError("%s is no number (%s)" % (weight, found[weight][1]["data_type"]), os.fspath(edges.path))
    return found[weight]


def _lost(edges: Iterable[EdgeInfo], vertices: Iterable[VertexInfo]) -> List[str]:
    """Properties that have no form here."""
    lost = ["%s.%s" % (each.name, entry["name"]) for each in vertices for _, entry in properties_of(each.groups)
            if not entry.get("is_primary") and not is_kept(entry)]
    return lost + ["%s.%s" % (each.name, entry["name"]) for each in edges for _, entry in properties_of(each.groups) if not is_kept(entry)]


def read(source: "PathLike", edge: Optional[str] = None, *, weight: Optional[str] = "weight", **given: Any) -> "Graph":
    """Read a type of edges of a GraphAr graph: its ``.graph.yml``, or the folder of that.

    ``edge`` is the type of edges, as ``"person_knows_person"`` or ``"knows"``, where there are several. ``weight`` names the
    edge property that becomes the weight; None is no weight. Vertices are called by their primary key, or if the edges go from
    one type to another by both, as ``"person:42"``; then those of the first type come first. Other properties of vertices and
    edges are kept; where two types of vertices have a property of one name and not of one
    type, it is called ``person.age``. Chunks may be Parquet, ORC, CSV or JSON, and are read a few at a time. Other options
    are those of :func:`quern.from_arrow`. A :class:`quern.QuernWarning` names lists and other types of edges, which the
    container does not hold.
    """
    graph = GraphInfo(source)
    edges = graph.chosen(edge)
    start, end = graph.vertices[edges.source], graph.vertices[edges.target]
    counts = start.count(), end.count()
    vertices = VertexRows(list(dict.fromkeys((start, end))), {start.name: counts[0], end.name: counts[1]})
    _warn_of(_lost([edges], dict.fromkeys((start, end))) + sorted(name for name in graph.edges if name != edges.name))
    return _import_edges(edges, counts, 0 if start is end else counts[0], weight, vertices, given)


def read_types(source: "PathLike", path: "PathLike", *, weight: Optional[str] = "weight", force: bool = False, **job: Any) -> None:
    """Read all types of vertices and edges of a GraphAr graph into a set with types at ``path``, a folder. Vertices are called by
    their primary key, or numbered where there is none. ``weight`` names the edge property that becomes the weight, of the types
    that have it; None is none. ``threads``, ``memory``, ``tmpdir`` and ``progress`` are as in :func:`quern.from_arrow`."""
    from ._types import assemble
    graph = GraphInfo(source)
    counts = {name: vertices.count() for name, vertices in graph.vertices.items()}
    _warn_of(_lost([graph.checked(entry) for entry in graph.edges.values()], graph.vertices.values()))
    vertices = {name: _import_vertices(entry, counts[name], job) for name, entry in graph.vertices.items()}
    edges = {}
    for name, entry in graph.edges.items():
        if not entry.directed and entry.source != entry.target:
            _warn_of([], "the edges %s are undirected; from one type to another a set has directed ones" % name)
        directed = entry.directed or entry.source != entry.target
        numbers = [prop["name"] for _, prop in properties_of(entry.groups) if prop["data_type"] in NUMBERS and is_kept(prop)]
        chosen = weight if weight in numbers else None
        edges[entry.source, entry.label, entry.target] = _import_edges(
            entry, (counts[entry.source], counts[entry.target]), 0, chosen, None, {**job, "directed": directed})
    assemble(vertices, edges, path, force=force, **job)


def _warn_of(lost: Sequence[str], text: Optional[str] = None) -> None:
    if lost or text:
        warnings.warn(text or "the container does not hold: %s" % ", ".join(lost), _errors.QuernWarning, stacklevel=3)


def _import_vertices(entry: VertexInfo, count: int, job: Dict[str, Any]) -> "Graph":
    """A graph of the vertices of a type, in their order, without edges."""
    from ._sources import from_arrays
    rows, failures = VertexRows([entry], {entry.name: count}), []  # type: ignore[var-annotated]
    named = rows.reader(failures)
    if named is None:
        return from_arrays(numpy.empty(0, "u4"), numpy.empty(0, "u4"), num_vertices=count, **job)
    no_edges = Table.of_arrays(source=numpy.empty(0, "u4"), target=numpy.empty(0, "u4"))
    return _import(no_edges, ["source", "target"], failures,
                   {**job, "vertices": named, "rows": True, "id": "" if rows.key_type is None else rows.key})


def _import_edges(edges: EdgeInfo, counts: Tuple[int, int], shift: int, weight: Optional[str], vertices: Optional[VertexRows],
                  given: Dict[str, Any]) -> "Graph":
    """A graph of the edges of a type, whose targets' numbers begin at `shift`, and of these vertices; None: of their number."""
    chosen = _weight_property(edges, weight)
    rows = EdgeRows(edges, counts, shift)
    failures: List[BaseException] = []
    named = vertices.reader(failures) if vertices else None
    given.setdefault("directed", edges.directed)
    if named is None or vertices is None:
        given["num_vertices"] = max(counts[0], shift + counts[1])
    else:
        given.update(vertices=named, rows=True, id="" if vertices.key_type is None else vertices.key)
    columns = [SOURCE, TARGET] + ([chosen[1]["name"]] if chosen else [])
    return _import(rows.reader(failures), columns, failures, given)


def _import(table: Any, columns: List[str], failures: List[BaseException], given: Dict[str, Any]) -> "Graph":
    from ._sources import from_arrow
    try:
        return from_arrow(table, columns, properties=True, **given)
    except _errors.SystemFailure:
        if failures:
            raise failures[0]
        raise


__all__ = ["read", "read_types", "write", "write_types"]
