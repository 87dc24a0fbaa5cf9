"""Breadth-first search, its trees and layers; what is reached."""

from __future__ import annotations

from typing import Any, Iterator, List, Optional, Set, Tuple

import networkx as nx
import numpy

from . import search
from .function import Reason, covers, unless
from .graph import BackendGraph


def _source(G: BackendGraph, source: Any) -> numpy.ndarray:
    """The vertex, as an array. networkx looks at its neighbours first."""
    try:
        return numpy.array([G.index(source)])
    except KeyError:
        raise nx.NetworkXError("The node %s is not in the graph." % (source,)) from None


def _order(sort_neighbors: Any) -> Reason:
    return None if sort_neighbors is None else "neighbours come in their order"


def _found(G: BackendGraph, source: Any, reverse: bool, depth_limit: Optional[int]) -> Iterator[Tuple[List[Any], List[Any]]]:
    """Parents and nodes of each level."""
    for parents, found in search.levels(G.rows(reverse), _source(G, source), depth_limit):
        yield G.names(parents), G.names(found)


@covers
@unless(_order)
def bfs_edges(G: BackendGraph, source: Any, reverse: bool = False, depth_limit: Optional[int] = None,
              sort_neighbors: Any = None) -> Iterator[Tuple[Any, Any]]:
    for parents, found in _found(G, source, reverse, depth_limit):
        yield from zip(parents, found)


@covers
@unless(_order)
def bfs_tree(G: BackendGraph, source: Any, reverse: bool = False, depth_limit: Optional[int] = None,
             sort_neighbors: Any = None) -> Any:
    tree = nx.DiGraph()
    tree.add_node(source)
    tree.add_edges_from(bfs_edges(G, source, reverse, depth_limit))
    return tree


@covers
@unless(_order)
def bfs_predecessors(G: BackendGraph, source: Any, depth_limit: Optional[int] = None,
                     sort_neighbors: Any = None) -> Iterator[Tuple[Any, Any]]:
    for parents, found in _found(G, source, False, depth_limit):
        yield from zip(found, parents)


@covers
@unless(_order)
def bfs_successors(G: BackendGraph, source: Any, depth_limit: Optional[int] = None,
                   sort_neighbors: Any = None) -> Iterator[Tuple[Any, List[Any]]]:
    empty = True
    for parents, found in search.levels(G.rows(), _source(G, source), depth_limit):
        empty = False
        begins = numpy.flatnonzero(numpy.append(True, parents[1:] != parents[:-1]))
        children, ends = G.names(found), [*begins[1:].tolist(), len(found)]
        for parent, start, stop in zip(G.names(parents[begins]), begins.tolist(), ends):
            yield parent, children[start:stop]
    if empty:
        yield source, []


@covers
def bfs_layers(G: BackendGraph, sources: Any) -> Iterator[List[Any]]:
    first = list({sources} if sources in G else set(sources))
    for source in first:
        if source not in G:
            raise nx.NetworkXError("The node %s is not in the graph." % (source,))
    if first:
        yield first
        for _, found in search.levels(G.rows(), G.indices(first)):
            yield G.names(found)


@covers
def descendants_at_distance(G: BackendGraph, source: Any, distance: int) -> Set[Any]:
    for depth, layer in enumerate(bfs_layers(G, [_checked(G, source)])):
        if depth == distance:
            return set(layer)
    return set()


def _checked(G: BackendGraph, source: Any) -> Any:
    if source not in G:
        raise nx.NetworkXError("The node %s is not in the graph." % (source,))
    return source


@covers
def descendants(G: BackendGraph, source: Any) -> Set[Any]:
    return set(G.names(search.reached(G.rows(), _source(G, source))[1:]))


@covers
def ancestors(G: BackendGraph, source: Any) -> Set[Any]:
    return set(G.names(search.reached(G.rows(True), _source(G, source))[1:]))
