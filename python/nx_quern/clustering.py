"""Triangles, squares, and clustering coefficients."""

from __future__ import annotations

from typing import Any, Dict, List, Tuple, Union

import networkx as nx
import numpy

from .function import Reason, covers, unless
from .graph import BackendGraph


def _undirected_alike(G: Any, weight: Any) -> Reason:
    if weight is not None:
        return "edges count alike"
    return "edges have no direction" if G.is_directed() else None


def _simple(G: BackendGraph) -> None:
    if G.is_multigraph():
        raise nx.NetworkXNotImplemented("not implemented for multigraph type")


def _degrees(G: BackendGraph) -> numpy.ndarray:
    """Other neighbours."""
    return G.rows().lengths - (G.rows().loops > 0)


def _of_all(G: BackendGraph) -> Tuple[numpy.ndarray, numpy.ndarray]:
    """Twice the triangles of each vertex, and the pairs of its neighbours, in both orders."""
    degrees = _degrees(G)
    pairs = degrees * (degrees - 1)
    return numpy.rint(G.run("lcc").values * pairs).astype("i8"), pairs


def _of_some(G: BackendGraph, vertices: numpy.ndarray) -> numpy.ndarray:
    """Twice the triangles of these vertices."""
    rows, marked = G.rows(), numpy.zeros(len(G), bool)
    found = []
    for vertex in vertices.tolist():
        near = rows.row(vertex)
        near = near[near != vertex]
        marked[near] = True
        places, which = rows.gather(near)
        columns = rows.columns[places]
        found.append(int(numpy.count_nonzero(marked[columns] & (columns != near[which]))))
        marked[near] = False
    return numpy.array(found, "i8")


def _ratio(part: numpy.ndarray, whole: numpy.ndarray) -> List[float]:
    found = numpy.zeros(len(part))
    numpy.divide(part, whole, out=found, where=part != 0)
    return found.tolist()


@covers
def triangles(G: BackendGraph, nodes: Any = None) -> Union[int, Dict[Any, int]]:
    if nodes is None:
        return G.of_nodes(_of_all(G)[0] // 2)
    _simple(G)
    asked = list(G.nbunch_iter(nodes))
    found = (_of_some(G, G.indices(asked)) // 2).tolist()
    return found[0] if nodes in G else dict(zip(asked, found))


@covers
@unless(_undirected_alike)
def clustering(G: BackendGraph, nodes: Any = None, weight: Any = None) -> Union[float, Dict[Any, float]]:
    _simple(G)
    if nodes is None:
        return dict(zip(G.nodes, _ratio(*_of_all(G))))
    asked = list(G.nbunch_iter(nodes))
    vertices = G.indices(asked)
    degrees = _degrees(G)[vertices]
    found = _ratio(_of_some(G, vertices), degrees * (degrees - 1))
    return found[0] if nodes in G else dict(zip(asked, found))


@covers
@unless(_undirected_alike)
def average_clustering(G: BackendGraph, nodes: Any = None, weight: Any = None, count_zeros: bool = True) -> float:
    found = clustering(G, nodes)
    values = [value for value in found.values() if count_zeros or abs(value) > 0]  # type: ignore[union-attr]
    return sum(values) / len(values)


@covers
@unless(lambda G: _undirected_alike(G, None))
def transitivity(G: BackendGraph) -> float:
    _simple(G)
    found, pairs = _of_all(G)
    return int(found.sum()) / int(pairs.sum()) if found.any() else 0


@covers
@unless(lambda G: _undirected_alike(G, None))
def square_clustering(G: BackendGraph, nodes: Any = None) -> Union[float, Dict[Any, float]]:
    rows, degrees = G.rows(), _degrees(G)
    asked = list(G.nbunch_iter(nodes))
    found = []
    for vertex in G.indices(asked).tolist():
        near = rows.row(vertex)
        near = near[near != vertex]
        places, which = rows.gather(near)
        columns = rows.columns[places]
        columns = columns[(columns != near[which]) & (columns != vertex)]
        two, common = numpy.unique(columns, return_counts=True)  # how many neighbours both have
        squares = int((common * (common - 1)).sum()) // 2
        of_edges = int(common[numpy.isin(two, near)].sum())
        pairs = len(near) * (len(near) - 1)
        potential = int(degrees[near].sum()) * (len(near) - 1) - pairs - of_edges - squares
        found.append(squares / potential if potential > 0 else 0)
    return found[0] if nodes in G else dict(zip(asked, found))
