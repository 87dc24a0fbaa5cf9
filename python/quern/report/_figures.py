"""What the report shows, as numbers: everything that is computed from a graph, and nothing that is drawn."""

from __future__ import annotations

import csv
import json
import os
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


def chunks(graph: Graph, size: Optional[int] = None) -> Iterator[Tuple[numpy.ndarray, numpy.ndarray]]:
    """Sources and destinations of all stored edges, some at a time."""
    offsets, columns, size = graph.row_offsets, graph.column_indices, size or CHUNK_EDGES
    for begin in range(0, len(columns), size):
        end = min(begin + size, len(columns))
        yield _rows_of(offsets, begin, end), columns[begin:end]


# ---- Degrees ------------------------------------------------------------------------------------

class Degrees(NamedTuple):
    """The degrees of all vertices, and for some of those that occur how many vertices have as many edges or more."""

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


def at_least(numbers: numpy.ndarray) -> Tuple[numpy.ndarray, numpy.ndarray]:
    """Some of these numbers, and how many are as large or larger."""
    values, counts = numpy.unique(numbers, return_counts=True)
    places = thinned(values)
    return values[places], numpy.cumsum(counts[::-1])[::-1][places]


def _degrees(name: str, degrees: numpy.ndarray) -> Degrees:
    return Degrees(name, degrees, at_least(degrees))


def degrees(graph: Graph) -> List[Degrees]:
    """Of an undirected graph one distribution; else out-degrees and in-degrees."""
    out = graph.out_degree().astype(numpy.int64)
    if not graph.directed:
        return [_degrees("degree", out)]
    return [_degrees("out-degree", out), _degrees("in-degree", graph.in_degree().astype(numpy.int64))]


# ---- The adjacency matrix -----------------------------------------------------------------------

def density(graph: Graph, order: Optional[numpy.ndarray] = None, cells: int = 192) -> numpy.ndarray:
    """Edges in each cell of a square grid over the matrix; `order` has the place of each vertex (None: its number). Of an
    undirected graph a cell has each edge once; cells on both sides of the diagonal are alike."""
    cells = max(1, min(cells, graph.num_vertices))
    counts, loops = numpy.zeros(cells * cells, numpy.int64), numpy.zeros(cells, numpy.int64)
    cell = (numpy.arange(graph.num_vertices, dtype=numpy.int64) if order is None else order) * cells // max(1, graph.num_vertices)
    for rows, columns in chunks(graph):
        counts += numpy.bincount(cell[rows] * cells + cell[columns], minlength=cells * cells)
        if not graph.directed:
            loops += numpy.bincount(cell[rows[rows == columns]], minlength=cells)
    square = counts.reshape(cells, cells)
    if not graph.directed:  # inside a cell of the diagonal an edge is stored both ways, and a loop once
        numpy.fill_diagonal(square, (square.diagonal() + loops) // 2)
    return square


class Blocks(NamedTuple):
    """Of a set: its blocks, or parts of whole rows."""

    edges: numpy.ndarray
    """Of each block."""
    cells: numpy.ndarray
    """As density() has them, from sources to destinations: how many edges the block has that a cell is in."""


def blocks(graph: Graph, cells: int = 192) -> Optional[Blocks]:
    """None of a graph that is no set, or one of version 1."""
    if graph._set is None or not graph.num_vertices:
        return None
    with open(os.path.join(os.fspath(graph._set), "set.json"), encoding="utf-8") as file:
        manifest = json.load(file)
    found = [(*block["rows"], *block.get("columns", (0, graph.num_vertices)), block["edges"]) for block in manifest.get("blocks", [])]
    if not found:
        return None
    counts = numpy.zeros((cells, cells), numpy.int64)
    for *sides, edges in found:
        top, bottom, left, right = (side * cells // graph.num_vertices for side in sides)
        counts[top:max(bottom, top + 1), left:max(right, left + 1)] += edges
    return Blocks(numpy.array([edges for *_, edges in found], numpy.int64), counts.T if manifest["rows"] == "in" else counts)


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


def sizes(graph: Graph) -> Dict[str, Any]:
    """What a container takes: bytes, bits for each edge, and the bytes of its sections."""
    info, edges = graph.info(), graph.num_edges
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
    """A result: its last column by the name of it, as numbers; the lines that it is of, or None if it has values alone."""

    path: str
    name: str
    numbers: numpy.ndarray
    head: List[str]
    lines: Optional[List[bytes]]
    separator: str

    @property
    def finite(self) -> numpy.ndarray:
        found: numpy.ndarray = self.numbers[numpy.isfinite(self.numbers)]
        return found

    def row(self, place: int) -> List[str]:
        """The cells of one line: the id, and values."""
        line = self.lines[place].decode("utf-8", "surrogateescape") if self.lines else ""
        return next(csv.reader([line])) if self.separator == "," else line.split("\t")

    def largest(self, count: int) -> List[int]:
        """The places of the largest values that are finite; of equal ones those that come first."""
        places = numpy.flatnonzero(numpy.isfinite(self.numbers))
        top: List[int] = places[numpy.argsort(-self.numbers[places], kind="stable")[:count]].tolist()
        return top


def _read_array(path: str) -> Values:
    found = numpy.load(path, allow_pickle=False).reshape(-1)
    numbers = found.astype(numpy.float64)
    if found.dtype.kind == "u":
        numbers[found == numpy.iinfo(found.dtype).max] = numpy.inf
    return Values(path, "value", numbers, ["vertex", "value"], None, "")


def values(path: str) -> Values:
    """What `quern-run -o` writes: .npy, .csv, or lines of an id, a tab and a value."""
    try:
        if path.endswith(".npy"):
            return _read_array(path)
        with open(path, "rb") as file:
            lines = file.read().splitlines()
        separator, head = "\t", ["vertex", "value"]
        if path.endswith(".csv"):
            separator, head = ",", next(csv.reader([lines.pop(0).decode("utf-8", "surrogateescape")])) if lines else head
        numbers = numpy.array([line.rsplit(separator.encode(), 1)[1] for line in lines], dtype="S").astype(numpy.float64)
    except (ValueError, IndexError, StopIteration, csv.Error) as problem:
        raise _errors.InvalidError("these are not results of quern-run: %s" % problem, path) from problem
    except OSError as problem:
        raise _errors.SystemFailure("cannot open: %s" % problem.strerror, path) from problem
    return Values(path, head[-1], numbers, head, lines, separator)


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
        raise _errors.InvalidError("this is not a timeline of quern-run --trace: %r" % problem, path) from problem
    except OSError as problem:
        raise _errors.SystemFailure("cannot open: %s" % problem.strerror, path) from problem
