"""Shortest paths by weights, and the functions of networkx that choose between weights and hops."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Optional, Tuple

import networkx as nx
import numpy

from . import distances
from .distances import by_distance, one_path, present
from .function import Reason, covers, named_weights, unless
from .graph import BackendGraph

MISSING = "Node %s not found in graph"
Paths = Dict[Any, List[Any]]


def _search(G: BackendGraph, source: int, weight: Optional[str], cutoff: Any, parents: bool = False
            ) -> Tuple[numpy.ndarray, Optional[numpy.ndarray], numpy.ndarray]:
    """Distances, the tree, and the vertices that are near enough."""
    options: Dict[str, Any] = {"parents": True} if parents else {}
    if weight is None:
        result = G.run("bfs", sources=[source], **options)
    else:
        result = G.run("sssp", sources=[source], weight=weight, **options)
    values = result.values
    none = numpy.inf if values.dtype.kind == "f" else numpy.iinfo(values.dtype).max
    near = values != none
    if cutoff is not None:
        near &= values <= max(cutoff, 0)
        near[source] = True
    return values, result.columns.get("parent"), numpy.flatnonzero(near)


def _lengths(G: BackendGraph, source: int, weight: Optional[str], cutoff: Any) -> Dict[Any, Any]:
    values, _, near = _search(G, source, weight, cutoff)
    return by_distance(G, values, near)


def _lengths_and_paths(G: BackendGraph, source: int, weight: Optional[str], cutoff: Any) -> Tuple[Dict[Any, Any], Paths]:
    values, parents, near = _search(G, source, weight, cutoff, parents=True)
    near = near[numpy.argsort(values[near], kind="stable")]
    assert parents is not None
    before, paths = dict(zip(near.tolist(), parents[near].tolist())), {source: G.names(numpy.array([source]))}
    names = dict(zip(near.tolist(), G.names(near)))
    for vertex in before:  # with edges of no length the one before it may come later
        waiting = []
        while vertex not in paths:
            waiting.append(vertex)
            vertex = before[vertex]
        for next_vertex in reversed(waiting):
            paths[next_vertex] = paths[vertex] + [names[next_vertex]]
            vertex = next_vertex
    return dict(zip(names.values(), values[near].tolist())), {names[vertex]: paths[vertex] for vertex in before}


# ---- From one node ------------------------------------------------------------------------------

@covers
@unless(named_weights)
def single_source_dijkstra_path_length(G: BackendGraph, source: Any, cutoff: Any = None, weight: Any = "weight"
                                       ) -> Dict[Any, Any]:
    return _lengths(G, present(G, source, MISSING), weight, cutoff)


@covers
@unless(named_weights)
def single_source_dijkstra_path(G: BackendGraph, source: Any, cutoff: Any = None, weight: Any = "weight") -> Paths:
    return _lengths_and_paths(G, present(G, source, MISSING), weight, cutoff)[1]


@covers
@unless(named_weights)
def single_source_dijkstra(G: BackendGraph, source: Any, target: Any = None, cutoff: Any = None, weight: Any = "weight"
                           ) -> Tuple[Any, Any]:
    start = present(G, source, MISSING)
    if target is None:
        return _lengths_and_paths(G, start, weight, cutoff)
    if target == source:
        return 0, [target]
    found = one_path(G, start, G.index(target), weight) if target in G else None
    if found is None or (cutoff is not None and found[1] > cutoff):
        raise nx.NetworkXNoPath("No path to %s." % (target,))
    return found[1], found[0]


# ---- From several -------------------------------------------------------------------------------

def _one_source(sources: Any, weight: Any) -> Reason:
    if not sources or len(sources) != 1:
        return "there is one source"
    return named_weights(weight)


@covers
@unless(_one_source)
def multi_source_dijkstra_path_length(G: BackendGraph, sources: Any, cutoff: Any = None, weight: Any = "weight"
                                      ) -> Dict[Any, Any]:
    [source] = sources
    return single_source_dijkstra_path_length(G, source, cutoff, weight)


@covers
@unless(_one_source)
def multi_source_dijkstra_path(G: BackendGraph, sources: Any, cutoff: Any = None, weight: Any = "weight") -> Paths:
    [source] = sources
    return single_source_dijkstra_path(G, source, cutoff, weight)


@covers
@unless(_one_source)
def multi_source_dijkstra(G: BackendGraph, sources: Any, target: Any = None, cutoff: Any = None, weight: Any = "weight"
                          ) -> Tuple[Any, Any]:
    [source] = sources
    return single_source_dijkstra(G, source, target, cutoff, weight)


@covers
@unless(named_weights)
def all_pairs_dijkstra_path_length(G: BackendGraph, cutoff: Any = None, weight: Any = "weight"
                                   ) -> Iterator[Tuple[Any, Dict[Any, Any]]]:
    for vertex, node in enumerate(G):
        yield node, _lengths(G, vertex, weight, cutoff)


@covers
@unless(named_weights)
def all_pairs_dijkstra_path(G: BackendGraph, cutoff: Any = None, weight: Any = "weight") -> Iterator[Tuple[Any, Paths]]:
    for vertex, node in enumerate(G):
        yield node, _lengths_and_paths(G, vertex, weight, cutoff)[1]


@covers
@unless(named_weights)
def all_pairs_dijkstra(G: BackendGraph, cutoff: Any = None, weight: Any = "weight"
                       ) -> Iterator[Tuple[Any, Tuple[Dict[Any, Any], Paths]]]:
    for vertex, node in enumerate(G):
        yield node, _lengths_and_paths(G, vertex, weight, cutoff)


# ---- Of pairs -----------------------------------------------------------------------------------

@covers
@unless(named_weights)
def dijkstra_path(G: BackendGraph, source: Any, target: Any, weight: Any = "weight") -> List[Any]:
    path: List[Any] = single_source_dijkstra(G, source, target, None, weight)[1]
    return path


@covers
@unless(named_weights)
def dijkstra_path_length(G: BackendGraph, source: Any, target: Any, weight: Any = "weight") -> Any:
    try:
        return single_source_dijkstra(G, source, target, None, weight)[0]
    except nx.NetworkXNoPath:
        raise nx.NetworkXNoPath("Node %s not reachable from %s" % (target, source)) from None


@covers
@unless(named_weights)
def bidirectional_dijkstra(G: BackendGraph, source: Any, target: Any, weight: Any = "weight") -> Tuple[Any, List[Any]]:
    start, end = present(G, source, "Source %s is not in G"), present(G, target, "Target %s is not in G")
    if source == target:
        return 0, [source]
    found = one_path(G, start, end, weight)
    if found is None:
        raise nx.NetworkXNoPath("No path between %s and %s." % (source, target))
    return found[1], found[0]


# ---- Whichever ----------------------------------------------------------------------------------

def _by_dijkstra(G: Any, source: Any, target: Any, weight: Any, method: str) -> Reason:
    if weight is not None and method == "bellman-ford":
        return "weights are not negative"
    if weight is not None and source is None and target is not None and G.is_directed():
        return "paths by weights lead from a node"
    return named_weights(weight)


def _check(method: str) -> None:
    if method not in ("dijkstra", "bellman-ford"):
        raise ValueError("method not supported: %s" % method)


@covers
@unless(_by_dijkstra)
def shortest_path(G: BackendGraph, source: Any = None, target: Any = None, weight: Any = None, method: str = "dijkstra") -> Any:
    _check(method)
    if source is not None and target is not None:
        if weight is None:
            return distances.bidirectional_shortest_path(G, source, target)
        return bidirectional_dijkstra(G, source, target, weight)[1]
    if source is None and target is None:
        return distances.all_pairs_shortest_path(G) if weight is None else all_pairs_dijkstra_path(G, None, weight)
    if source is not None:
        return (distances.single_source_shortest_path(G, source) if weight is None
                else single_source_dijkstra_path(G, source, None, weight))
    if weight is None:  # networkx calls the target a source here
        return distances.backward_paths(G, present(G, target, "Source %s not in G"))
    paths = single_source_dijkstra_path(G, target, None, weight)
    return {node: path[::-1] for node, path in paths.items()}


@covers
@unless(_by_dijkstra)
def shortest_path_length(G: BackendGraph, source: Any = None, target: Any = None, weight: Any = None,
                         method: str = "dijkstra") -> Any:
    _check(method)
    if source is not None and target is not None:
        if weight is None:
            return len(distances.bidirectional_shortest_path(G, source, target)) - 1
        return dijkstra_path_length(G, source, target, weight)
    if source is None and target is None:
        return distances.all_pairs_shortest_path_length(G) if weight is None else all_pairs_dijkstra_path_length(G, None, weight)
    start = target if source is None else source
    if weight is None:
        return distances.hops_from(G, present(G, start, "Source %s is not in G"), source is None)
    return single_source_dijkstra_path_length(G, start, None, weight)
