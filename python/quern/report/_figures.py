"""What the report shows, as numbers: everything that is computed from a graph, and nothing that is drawn."""

from __future__ import annotations

import json
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

import numpy

from .. import _errors
from .._graph import Graph

CHUNK_EDGES = 1 << 23
"""Edges that are looked at in one go: memory is in proportion to this and to the vertices, not to the edges."""

MOST_POINTS = 300
"""Of a curve; what is left out lies between its neighbours."""


# ---- Edges in chunks ----------------------------------------------------------------------------

def _rows_of(row_offsets: numpy.ndarray, begin: int, end: int) -> numpy.ndarray:
    """The sources of the edges [begin, end)."""
    first = int(numpy.searchsorted(row_offsets, begin, "right")) - 1
    last = int(numpy.searchsorted(row_offsets, end, "left"))
    cuts = numpy.clip(row_offsets[first:last + 1].astype(numpy.int64), begin, end)
    return numpy.repeat(numpy.arange(first, last, dtype=numpy.uint32), numpy.diff(cuts))


def _chunks(graph: Graph) -> Iterator[Tuple[numpy.ndarray, numpy.ndarray]]:
    """Sources and destinations of all edges, some at a time."""
    offsets, columns = graph.row_offsets, graph.column_indices
    for begin in range(0, len(columns), CHUNK_EDGES):
        end = min(begin + CHUNK_EDGES, len(columns))
        yield _rows_of(offsets, begin, end), columns[begin:end]


# ---- Degrees ------------------------------------------------------------------------------------

class Degrees(NamedTuple):
    """The degrees of all vertices, and for some of those that occur the share of vertices with as many edges or more."""

    name: str
    degrees: numpy.ndarray
    curve: Tuple[numpy.ndarray, numpy.ndarray]


def thinned(values: numpy.ndarray) -> numpy.ndarray:
    """Places of some of these numbers, which ascend from 0 or 1: at most MOST_POINTS or so, as far from each other on a
    logarithmic scale, the first and the last among them."""
    if len(values) <= MOST_POINTS:
        return numpy.arange(len(values))
    wanted = numpy.geomspace(1, values[-1], MOST_POINTS)
    return numpy.unique(numpy.append(numpy.searchsorted(values, wanted), [0, len(values) - 1]).clip(0, len(values) - 1))


def _degrees(name: str, degrees: numpy.ndarray) -> Degrees:
    values, counts = numpy.unique(degrees, return_counts=True)
    shares = numpy.cumsum(counts[::-1])[::-1] / max(1, len(degrees))
    places = thinned(values)
    return Degrees(name, degrees, (values[places], shares[places]))


def degrees(graph: Graph) -> List[Degrees]:
    """Of an undirected graph one distribution; else out-degrees and in-degrees."""
    out = numpy.diff(graph.row_offsets).astype(numpy.int64)
    if not graph.directed:
        return [_degrees("degree", out)]
    into = numpy.zeros(graph.num_vertices, numpy.int64)
    for _, columns in _chunks(graph):
        into += numpy.bincount(columns, minlength=graph.num_vertices)
    return [_degrees("out-degree", out), _degrees("in-degree", into)]


# ---- The adjacency matrix -----------------------------------------------------------------------

def density(graph: Graph, order: Optional[numpy.ndarray] = None, cells: int = 192) -> numpy.ndarray:
    """Edges in each cell of a square grid over the matrix; `order` has the place of each vertex (None: its number)."""
    cells = max(1, min(cells, graph.num_vertices))
    counts = numpy.zeros(cells * cells, numpy.int64)
    cell = (numpy.arange(graph.num_vertices, dtype=numpy.int64) if order is None else order) * cells // max(1, graph.num_vertices)
    for rows, columns in _chunks(graph):
        counts += numpy.bincount(cell[rows] * cells + cell[columns], minlength=cells * cells)
    return counts.reshape(cells, cells)


def by_degree(all_degrees: List[Degrees]) -> numpy.ndarray:
    """The place of each vertex where those with most edges come first."""
    total: numpy.ndarray = numpy.sum([one.degrees for one in all_degrees], axis=0)
    order = numpy.empty(len(total), numpy.int64)
    order[numpy.argsort(-total, kind="stable")] = numpy.arange(len(total))
    return order


# ---- Layouts ------------------------------------------------------------------------------------

class Parts(NamedTuple):
    """What is cut into parts, and how much each of them has."""

    what: str
    unit: str
    sizes: numpy.ndarray
    limit: Optional[float] = None


def balance(graph: Graph) -> List[Parts]:
    """The edges of partitions, shards or blocks."""
    arrays = graph.arrays
    if graph.layout == "edge-partitions":
        return [Parts("partitions", "edges", numpy.diff(arrays["edge_offsets"].astype(numpy.int64)))]
    if graph.layout == "shards":
        return [Parts("shards", "edges", numpy.diff(arrays["in_row_offsets"][arrays["vertex_offsets"]].astype(numpy.int64)))]
    return [Parts("blocks, %s" % name, "edges", numpy.diff(arrays[name + "_block_edges"].astype(numpy.int64)))
            for name in ("pull", "push") if name + "_block_edges" in arrays]


def page_fill(graph: Graph) -> List[Tuple[str, numpy.ndarray]]:
    """Of slotted pages, small and large, the share of bytes with something in them (specs/slotted-pages.md)."""
    if graph.layout != "slotted-pages":
        return []
    figures, arrays = graph.info()["layout_figures"], graph.arrays
    edge = sum(map(int, figures["address"].split(","))) + (4 if graph.weight_dtype else 0)
    large = arrays["lp_ranges"] >= 0
    slots = numpy.where(large, 1, numpy.diff(arrays["start_vids"].astype(numpy.int64)))
    used = 14 * slots + edge * numpy.diff(arrays["edge_offsets"].astype(numpy.int64))
    fill = used / figures["page_bytes"]
    return [(name, fill[which]) for name, which in (("small", ~large), ("large", large)) if which.any()]


def sizes(info: Dict[str, Any]) -> Dict[str, Any]:
    """What a container takes: bytes, and bits for each edge that it stores."""
    edges = info["edges"]
    return {"layout": info["layout"], "bytes": info["bytes"], "bits": 8 * info["bytes"] / edges if edges else None,
            "sections": [(section["name"], section["stored_bytes"]) for section in info["sections"]]}


# ---- Where it comes from ------------------------------------------------------------------------

def _object(value: Any) -> Dict[str, Any]:
    """What others wrote into a container may be anything."""
    return value if isinstance(value, dict) else {}


class Step(NamedTuple):
    """What a tool did: what it read, as (name, format), and what it counted."""

    tool: str
    inputs: List[Tuple[str, str]]
    ledger: Dict[str, int]


def _step(metadata: Dict[str, Any]) -> Step:
    listed = metadata.get("inputs")
    inputs = [_object(one) for one in listed] if isinstance(listed, list) else []
    ledger = {key: count for key, count in _object(metadata.get("ledger")).items() if type(count) is int}
    return Step(str(metadata.get("tool", "")), [(str(one.get("name", "")), str(one.get("format", ""))) for one in inputs], ledger)


def history(info: Dict[str, Any]) -> List[Step]:
    """The tools that made the container and what it was made of, the first one first."""
    steps = []
    metadata = _object(info.get("metadata"))
    while metadata:
        steps.append(_step(metadata))
        metadata = _object(_object(metadata.get("source")).get("metadata"))
    return steps[::-1]


# ---- Files --------------------------------------------------------------------------------------

class Values(NamedTuple):
    """A result: its values that are finite, and how many are not."""

    name: str
    finite: numpy.ndarray
    others: int


def values(path: str) -> Values:
    """What `quern-run -o` writes: .npy, .csv, or lines of an id, a tab and a value."""
    try:
        if path.endswith(".npy"):
            found = numpy.load(path, allow_pickle=False).reshape(-1)
            if found.dtype.kind == "u":
                unreached = found == numpy.iinfo(found.dtype).max
                found = found.astype(numpy.float64)
                found[unreached] = numpy.inf
        else:
            separator, skipped = (b",", 1) if path.endswith(".csv") else (b"\t", 0)
            with open(path, "rb") as file:
                lines = file.read().splitlines()[skipped:]
            found = numpy.array([line.rsplit(separator, 1)[1] for line in lines], dtype="S").astype(numpy.float64)
    except (ValueError, IndexError) as problem:
        raise _errors.InvalidError("these are no results of quern-run: %s" % problem, path) from problem
    except OSError as problem:
        raise _errors.SystemFailure("cannot open: %s" % problem.strerror, path) from problem
    finite = numpy.isfinite(found)
    return Values(path, found[finite], int(len(found) - finite.sum()))


class Span(NamedTuple):
    lane: str
    name: str
    begin: float
    seconds: float


def timeline(path: str) -> List[Span]:
    """The spans of what `quern-run --trace` writes."""
    try:
        with open(path, encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        lanes = {(event["pid"], event["tid"]): event["args"]["name"] for event in events if event["name"] == "thread_name"}
        return [Span(str(lanes.get((event["pid"], event["tid"]), event["tid"])), event["name"], event["ts"] / 1e6, event["dur"] / 1e6)
                for event in events if event["ph"] == "X"]
    except (ValueError, KeyError, TypeError, RecursionError) as problem:
        raise _errors.InvalidError("this is no timeline of quern-run --trace: %r" % problem, path) from problem
    except OSError as problem:
        raise _errors.SystemFailure("cannot open: %s" % problem.strerror, path) from problem
