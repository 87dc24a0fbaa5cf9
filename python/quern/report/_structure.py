"""How a graph hangs together, as numbers: loops, parallel edges, reciprocity, components, clustering."""

from __future__ import annotations

import warnings
from typing import Any, List, NamedTuple, Optional, Tuple

import numpy

from .. import _errors
from .._graph import Graph
from ._figures import chunks

SEARCHED_EDGES = 1 << 20
"""Of edges that are looked for in the other direction in one go."""

MOST_EDGES = 1 << 25
"""Stored edges up to which triangles are counted, which takes longer than all else."""


class Structure(NamedTuple):
    loops: int
    parallel: int
    reciprocal: Optional[Tuple[int, int]]
    """Of a directed graph: edges with a reverse, and edges; without loops, and parallel ones once."""
    components: numpy.ndarray
    """The sizes of the weakly connected components, the largest first."""
    strong: Optional[numpy.ndarray]
    """Those of the strongly connected ones, of a directed graph."""
    triangles: Optional[int]
    clustering: Optional[numpy.ndarray]
    """Of each vertex, how many pairs of its neighbours are linked; None of a graph with more than MOST_EDGES."""


def _has(graph: Graph, sources: numpy.ndarray, targets: numpy.ndarray) -> numpy.ndarray:
    """Of each pair whether there is such an edge: a search in each row, all at once."""
    offsets, columns = graph.row_offsets, graph.column_indices
    low, high = offsets[sources].astype(numpy.int64), offsets[sources.astype(numpy.int64) + 1].astype(numpy.int64)
    ends = high.copy()
    while (low < high).any():
        middle = (low + high) // 2
        before = columns[numpy.minimum(middle, len(columns) - 1)] < targets
        low, high = numpy.where((low < high) & before, middle + 1, low), numpy.where((low < high) & ~before, middle, high)
    found: numpy.ndarray = (low < ends) & (columns[numpy.minimum(low, len(columns) - 1)] == targets)
    return found


def _edges(graph: Graph) -> Tuple[int, int, Optional[Tuple[int, int]]]:
    """Loops, parallel edges, and reciprocity."""
    loops = parallel_loops = parallel = single = both = 0
    last = (-1, -1)
    for rows, columns in chunks(graph, SEARCHED_EDGES):
        again = numpy.empty(len(rows), bool)
        again[0] = (int(rows[0]), int(columns[0])) == last
        again[1:] = (rows[1:] == rows[:-1]) & (columns[1:] == columns[:-1])
        last = int(rows[-1]), int(columns[-1])
        loop = rows == columns
        loops += int(loop.sum())
        parallel_loops += int((loop & again).sum())
        parallel += int((~loop & again).sum())
        if graph.directed:
            chosen = ~loop & ~again
            single += int(chosen.sum())
            both += int(_has(graph, columns[chosen], rows[chosen]).sum())
    if graph.directed:
        return loops, parallel + parallel_loops, (both, single)
    return loops, parallel // 2 + parallel_loops, None


def _sizes(labels: numpy.ndarray) -> numpy.ndarray:
    sizes: numpy.ndarray = numpy.sort(numpy.unique(labels, return_counts=True)[1])[::-1]
    return sizes


def structure(graph: Graph) -> Structure:
    def run(algorithm: str) -> Any:
        return graph.run(algorithm, device="cpu", progress=False)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", _errors.QuernWarning)  # that rows are put together first
        few = graph.num_stored_edges <= MOST_EDGES
        return Structure(*_edges(graph), _sizes(run("cc").values), _sizes(run("scc").values) if graph.directed else None,
                         run("tc").count if few else None, run("lcc").values if few else None)


def by_degree(degrees: numpy.ndarray, values: numpy.ndarray) -> List[Tuple[int, int, int, float]]:
    """The mean of a value of the vertices with 2 to 3 edges, 4 to 7, and so on: least degree, most, vertices, mean."""
    exponents = numpy.frexp(degrees.astype(numpy.float64))[1]
    found = []
    for exponent in range(2, int(exponents.max(initial=0)) + 1):
        chosen = exponents == exponent
        if chosen.any():
            found.append((2**(exponent - 1), 2**exponent - 1, int(chosen.sum()), float(values[chosen].mean())))
    return found
