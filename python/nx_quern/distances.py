"""Shortest paths by hops."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Optional, Tuple

import networkx as nx
import numpy
import quern

from . import search
from .function import covers
from .graph import BackendGraph

UNREACHED = 2**32 - 1


def present(G: BackendGraph, node: Any, message: str) -> int:
    try:
        return G.index(node)
    except KeyError:
        raise nx.NodeNotFound(message % (node,)) from None


def hop_blocks(G: BackendGraph, sources: numpy.ndarray, reverse: bool = False) -> Iterator[List[numpy.ndarray]]:
    """Hops of all vertices from each source, 64 sources at a time."""
    for start in range(0, len(sources), 64):
        yield list(G.run("bfs", sources=sources[start:start + 64].tolist(), reverse=reverse).columns.values())


def by_distance(G: BackendGraph, values: numpy.ndarray, near: numpy.ndarray) -> Dict[Any, Any]:
    """Of the vertices `near` their values, the least first."""
    near = near[numpy.argsort(values[near], kind="stable")]
    return dict(zip(G.names(near), values[near].tolist()))


# ---- Lengths ------------------------------------------------------------------------------------

def hops_from(G: BackendGraph, vertex: int, reverse: bool, cutoff: Any = None) -> Dict[Any, int]:
    """From the vertex, or with ``reverse`` to it."""
    if cutoff is not None and cutoff < 0:
        cutoff = 0
    if cutoff is None or cutoff >= len(G):
        hops = G.run("bfs", sources=[vertex], reverse=reverse).values
    else:
        hops = G.run("neighborhood", sources=[vertex], reverse=reverse, hops=int(numpy.ceil(cutoff))).values
    return by_distance(G, hops, numpy.flatnonzero(hops != UNREACHED))


@covers
def single_source_shortest_path_length(G: BackendGraph, source: Any, cutoff: Any = None) -> Dict[Any, int]:
    return hops_from(G, present(G, source, "Source %s is not in G"), False, cutoff)


@covers
def single_target_shortest_path_length(G: BackendGraph, target: Any, cutoff: Any = None) -> Dict[Any, int]:
    return hops_from(G, present(G, target, "Target %s is not in G"), True, cutoff)


@covers
def all_pairs_shortest_path_length(G: BackendGraph, cutoff: Any = None) -> Iterator[Tuple[Any, Dict[Any, int]]]:
    limit = UNREACHED - 1 if cutoff is None else max(cutoff, 0)
    nodes = iter(G)
    for block in hop_blocks(G, numpy.arange(len(G))):
        for hops in block:
            yield next(nodes), by_distance(G, hops, numpy.flatnonzero((hops != UNREACHED) & (hops <= limit)))


@covers
def average_shortest_path_length(G: BackendGraph, weight: Any = None, method: Any = None) -> float:
    if not len(G):
        raise nx.NetworkXPointlessConcept("the null graph has no paths, thus there is no average shortest path length")
    if len(G) == 1:
        return 0
    if G.run("scc" if G.is_directed() else "cc").values.any():
        raise nx.NetworkXError("Graph is not strongly connected." if G.is_directed() else "Graph is not connected.")
    total = sum(int(hops.sum(dtype="u8")) for block in hop_blocks(G, numpy.arange(len(G))) for hops in block)
    return total / (len(G) * (len(G) - 1))


def _unweighted(weight: Any, method: Any) -> Optional[str]:
    return None if weight is None and method in (None, "unweighted") else "distances are hops"


average_shortest_path_length.refuse = _unweighted  # type: ignore[attr-defined]


# ---- Paths --------------------------------------------------------------------------------------

def _paths(G: BackendGraph, vertex: int, reverse: bool, cutoff: Any = None) -> Dict[Any, List[Any]]:
    """A path from the vertex to each that it leads to; with ``reverse`` from each to it."""
    [start] = G.names(numpy.array([vertex]))
    paths = {start: [start]}
    for parents, found in search.levels(G.rows(reverse), numpy.array([vertex]), cutoff):
        for parent, node in zip(G.names(parents), G.names(found)):
            paths[node] = [node] + paths[parent] if reverse else paths[parent] + [node]
    return paths


@covers
def single_source_shortest_path(G: BackendGraph, source: Any, cutoff: Any = None) -> Dict[Any, List[Any]]:
    return _paths(G, present(G, source, "Source %s not in G"), False, cutoff)


@covers
def single_target_shortest_path(G: BackendGraph, target: Any, cutoff: Any = None) -> Dict[Any, List[Any]]:
    return backward_paths(G, present(G, target, "Target %s not in G"), cutoff)


def backward_paths(G: BackendGraph, vertex: int, cutoff: Any = None) -> Dict[Any, List[Any]]:
    """A path to the vertex from each that leads to it."""
    return _paths(G, vertex, True, cutoff)


@covers
def all_pairs_shortest_path(G: BackendGraph, cutoff: Any = None) -> Iterator[Tuple[Any, Dict[Any, List[Any]]]]:
    for vertex, node in enumerate(G):
        yield node, _paths(G, vertex, False, cutoff)


def one_path(G: BackendGraph, source: int, target: int, weight: Optional[str]) -> Optional[Tuple[List[Any], Any]]:
    """The nodes of a shortest path, and its length; None if there is none."""
    try:
        result = G.run("path", weight=weight, sources=[source], target=target, unweighted=weight is None or None)
    except quern.NegativeError:
        return None
    return G.names(result.columns["vertex"]), result.columns["path"].tolist()[-1]


@covers
def bidirectional_shortest_path(G: BackendGraph, source: Any, target: Any) -> List[Any]:
    found = one_path(G, present(G, source, "Source %s is not in G"), present(G, target, "Target %s is not in G"), None)
    if found is None:
        raise nx.NetworkXNoPath("No path between %s and %s." % (source, target))
    return found[0]


@covers
def has_path(G: BackendGraph, source: Any, target: Any) -> bool:
    return one_path(G, present(G, source, "Source %s is not in G"), present(G, target, "Target %s is not in G"),
                    None) is not None
