"""How alike pairs of nodes are, by their common neighbours."""

from __future__ import annotations

from typing import Any, Callable, Iterator, List, Optional, Tuple

import networkx as nx
import numpy

from .function import covers
from .graph import BackendGraph

BATCH = 1 << 16
Scored = Iterator[Tuple[Any, Any, float]]


def _others(G: BackendGraph) -> Iterator[Tuple[Any, Any]]:
    """Pairs of nodes without an edge."""
    rows, joined = G.rows(), numpy.zeros(len(G), bool)
    for vertex, node in enumerate(G):
        joined[rows.row(vertex)] = True
        for other in G.names(vertex + 1 + numpy.flatnonzero(~joined[vertex + 1:])):
            yield node, other
        joined[rows.row(vertex)] = False


def _scores(G: BackendGraph, ebunch: Any, measure: Callable[..., numpy.ndarray]) -> Scored:
    pairs = _others(G) if ebunch is None else iter(_checked(G, ebunch))

    def scored() -> Scored:
        while True:
            batch = [pair for pair, _ in zip(pairs, range(BATCH))]
            if not batch:
                return
            first, second = (G.indices(pair[end] for pair in batch) for end in (0, 1))
            which, common, shared = _common(G, first, second)
            values = measure(G, first, second, which, common, shared)
            for (u, v), value in zip(batch, values.tolist()):
                yield u, v, value
    return scored()


def _checked(G: BackendGraph, ebunch: Any) -> List[Tuple[Any, Any]]:
    pairs = list(ebunch)
    for node in (node for pair in pairs for node in pair):
        if node not in G:
            raise nx.NodeNotFound("Node %s not in G." % (node,))
    return pairs


def _common(G: BackendGraph, first: numpy.ndarray, second: numpy.ndarray) -> Tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]:
    """Of which pair each common neighbour is, these vertices, but the pair's own, and how many there are with these."""
    rows = G.rows()
    lengths = rows.lengths
    swap = lengths[first] > lengths[second]
    few, many = numpy.where(swap, second, first), numpy.where(swap, first, second)
    place, which = rows.gather(few)
    common = rows.columns[place].astype("i8")
    found = rows.have(many[which], common)
    which, common = which[found], common[found]
    shared = numpy.bincount(which, minlength=len(first))
    others = (common != first[which]) & (common != second[which])
    return which[others], common[others], shared


def _jaccard(G: BackendGraph, first: Any, second: Any, which: Any, common: Any, shared: Any) -> numpy.ndarray:
    lengths = G.rows().lengths
    union = lengths[first] + lengths[second] - shared
    found = numpy.zeros(len(first))
    numpy.divide(numpy.bincount(which, minlength=len(first)), union, out=found, where=union > 0)
    return found


@covers
def jaccard_coefficient(G: BackendGraph, ebunch: Any = None) -> Scored:
    return _scores(G, ebunch, _jaccard)


def _sum_of(of_degree: Callable[[numpy.ndarray], numpy.ndarray]) -> Callable[..., numpy.ndarray]:
    def measure(G: BackendGraph, first: Any, second: Any, which: Any, common: Any, shared: Any) -> numpy.ndarray:
        return numpy.bincount(which, of_degree(G.degrees()[common]), minlength=len(first)).astype(float)
    return measure


@covers
def resource_allocation_index(G: BackendGraph, ebunch: Any = None) -> Scored:
    return _scores(G, ebunch, _sum_of(lambda degrees: 1 / degrees))


def _by_logarithm(degrees: numpy.ndarray) -> numpy.ndarray:
    if (degrees == 1).any():
        raise ZeroDivisionError("division by zero")
    found: numpy.ndarray = 1 / numpy.log(degrees)
    return found


@covers
def adamic_adar_index(G: BackendGraph, ebunch: Any = None) -> Scored:
    return _scores(G, ebunch, _sum_of(_by_logarithm))


@covers
def preferential_attachment(G: BackendGraph, ebunch: Any = None) -> Scored:
    def measure(G: BackendGraph, first: Any, second: Any, which: Any, common: Any, shared: Any) -> numpy.ndarray:
        degrees = G.degrees()
        product: numpy.ndarray = degrees[first] * degrees[second]
        return product
    return _scores(G, ebunch, measure)
