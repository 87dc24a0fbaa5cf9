"""Connected components, weakly and strongly."""

from __future__ import annotations

from typing import Any, Iterator, List, Set

import networkx as nx
import numpy

from . import search
from .function import covers
from .graph import BackendGraph


def _labels(G: BackendGraph, algorithm: str) -> numpy.ndarray:
    """The first vertex of each vertex's component."""
    return G.run(algorithm).values


def _components(G: BackendGraph, algorithm: str) -> List[Set[Any]]:
    """In the order of their first nodes."""
    labels = _labels(G, algorithm)
    order = numpy.argsort(labels, kind="stable")
    bounds = numpy.flatnonzero(numpy.append(True, labels[order][1:] != labels[order][:-1])).tolist() if len(labels) else []
    members = G.names(order)
    return [set(members[start:stop]) for start, stop in zip(bounds, [*bounds[1:], len(members)])]


def _count(G: BackendGraph, algorithm: str) -> int:
    return int(numpy.count_nonzero(_labels(G, algorithm) == numpy.arange(len(G))))


def _is_one(G: BackendGraph, algorithm: str) -> bool:
    if not len(G):
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return not _labels(G, algorithm).any()


@covers
def connected_components(G: BackendGraph) -> Iterator[Set[Any]]:
    yield from _components(G, "cc")


@covers
def number_connected_components(G: BackendGraph) -> int:
    return _count(G, "cc")


@covers
def is_connected(G: BackendGraph) -> bool:
    return _is_one(G, "cc")


@covers
def node_connected_component(G: BackendGraph, n: Any) -> Set[Any]:
    return set(G.names(search.reached(G.rows(), G.indices([n]))))


@covers
def weakly_connected_components(G: BackendGraph) -> Iterator[Set[Any]]:
    yield from _components(G, "cc")


@covers
def number_weakly_connected_components(G: BackendGraph) -> int:
    return _count(G, "cc")


@covers
def is_weakly_connected(G: BackendGraph) -> bool:
    return _is_one(G, "cc")


@covers
def strongly_connected_components(G: BackendGraph) -> Iterator[Set[Any]]:
    components = _components(G, "scc")
    for component in _sinks_first(G):
        yield components[component]


def _sinks_first(G: BackendGraph) -> List[int]:
    """The components, counted from 0, as a depth-first search of their edges leaves them: those that edges lead to before
    those that they lead from."""
    firsts, labels = numpy.unique(_labels(G, "scc"), return_inverse=True)
    count = len(firsts)
    sources, targets = labels[G.rows().sources], labels[G.rows().columns]
    between = numpy.flatnonzero(sources != targets)
    _, first = numpy.unique(sources[between] * count + targets[between], return_index=True)
    edges = between[numpy.sort(first)]  # one between two components, in their order
    edges = edges[numpy.argsort(sources[edges], kind="stable")]
    ends = numpy.searchsorted(sources[edges], numpy.arange(count), "right").tolist()
    after, place, seen = targets[edges].tolist(), [0, *ends], bytearray(count)
    order = []
    for root in range(count):
        path = [] if seen[root] else [root]
        while path:
            component = path[-1]
            seen[component] = 1
            while place[component] < ends[component] and seen[after[place[component]]]:
                place[component] += 1
            if place[component] < ends[component]:
                path.append(after[place[component]])
            else:
                order.append(path.pop())
    return order


@covers
def number_strongly_connected_components(G: BackendGraph) -> int:
    return _count(G, "scc")


@covers
def is_strongly_connected(G: BackendGraph) -> bool:
    return _is_one(G, "scc")
