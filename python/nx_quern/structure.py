"""Cores, neighbourhoods, reciprocity, assortativity."""

from __future__ import annotations

from typing import Any, Dict, Iterator, Optional, Tuple, Union

import networkx as nx
import numpy

from .distances import hops_from, present
from .function import Reason, covers, no_weights, unless
from .graph import BackendGraph
from .weighted import single_source_dijkstra_path_length


# ---- Cores --------------------------------------------------------------------------------------

def _cores(G: BackendGraph) -> numpy.ndarray:
    if G.rows().loops.any():
        raise nx.NetworkXNotImplemented("Input graph has self loops which is not permitted; Consider using "
                                        "G.remove_edges_from(nx.selfloop_edges(G)).")
    return G.run("kcore").values


@covers
def core_number(G: BackendGraph) -> Dict[Any, int]:
    return G.of_nodes(_cores(G))


def _of_cores(G: BackendGraph, k: Optional[int], given: Optional[Dict[Any, int]], chosen: Any, below: int = 0) -> Any:
    """The subgraph of the vertices that `chosen` tells by core and k."""
    cores = _cores(G) if given is None else numpy.array([given.get(node, -1) for node in G.nodes], "i8")
    if not len(cores):
        raise ValueError("max() iterable argument is empty")
    vertices = numpy.flatnonzero(chosen(cores.astype("i8"), int(cores.max()) - below if k is None else k))
    return G.subgraph(vertices)


@covers
def k_core(G: BackendGraph, k: Optional[int] = None, core_number: Optional[Dict[Any, int]] = None) -> Any:
    return _of_cores(G, k, core_number, numpy.greater_equal)


@covers
def k_shell(G: BackendGraph, k: Optional[int] = None, core_number: Optional[Dict[Any, int]] = None) -> Any:
    return _of_cores(G, k, core_number, numpy.equal)


@covers
def k_crust(G: BackendGraph, k: Optional[int] = None, core_number: Optional[Dict[Any, int]] = None) -> Any:
    return _of_cores(G, k, core_number, numpy.less_equal, below=1)


# ---- Neighbourhoods -----------------------------------------------------------------------------

def _along_edges(G: Any, undirected: bool, distance: Any) -> Reason:
    if undirected and G.is_directed():
        return "edges are followed in their direction"
    return "distances are an attribute" if callable(distance) else None


@covers
@unless(_along_edges)
def ego_graph(G: BackendGraph, n: Any, radius: Any = 1, center: bool = True, undirected: bool = False, distance: Any = None) -> Any:
    if distance is not None:
        near = single_source_dijkstra_path_length(G, n, radius, distance)
    else:
        near = hops_from(G, present(G, n, "Source %s is not in G"), False, radius)
    vertices = numpy.sort(G.indices(near))
    return G.subgraph(vertices if center else vertices[vertices != G.index(n)])


# ---- Reciprocity --------------------------------------------------------------------------------

def _one_each_way(G: Any) -> Reason:
    return None if G.is_directed() and not G.is_multigraph() else "edges have a direction, and none is parallel"


@covers
@unless(_one_each_way)
def overall_reciprocity(G: BackendGraph) -> float:
    rows = G.rows()
    if not len(rows.columns):
        raise nx.NetworkXError("Not defined for empty graphs")
    both = rows.have(rows.columns, rows.sources)
    return (int(both.sum()) - int(rows.loops.sum())) / len(rows.columns)


@covers
@unless(_one_each_way)
def reciprocity(G: BackendGraph, nodes: Any = None) -> Union[float, None, Dict[Any, Optional[float]]]:
    if nodes is None:
        return overall_reciprocity(G)
    found = dict(_reciprocities(G, nodes))
    if nodes not in G:
        return found
    value: Optional[float] = found[nodes]
    if value is None:
        raise nx.NetworkXError("Not defined for isolated nodes.")
    return value


def _reciprocities(G: BackendGraph, nodes: Any) -> Iterator[Tuple[Any, Optional[float]]]:
    for node in G.nbunch_iter(nodes):
        after, before = (G.rows(reverse).row(G.index(node)) for reverse in (False, True))
        count = len(after) + len(before)
        yield node, 2 * len(numpy.intersect1d(after, before)) / count if count else None


# ---- Assortativity ------------------------------------------------------------------------------

def _all_alike(weight: Any, nodes: Any) -> Reason:
    return no_weights(weight) if nodes is None else "it is that of all nodes"


@covers
@unless(_all_alike)
def degree_assortativity_coefficient(G: BackendGraph, x: str = "out", y: str = "in", weight: Any = None, nodes: Any = None
                                     ) -> float:
    rows = G.rows()
    if G.is_directed():
        degrees = {"out": rows.degrees, "in": G.rows(True).degrees}
        of_source, of_target = degrees[x], degrees[y]
    else:
        of_source = of_target = G.degrees()
    times = 1 if rows.counts is None else rows.counts
    first, second = of_source[rows.sources].astype(float), of_target[rows.columns].astype(float)
    count = numpy.sum(numpy.broadcast_to(times, first.shape))
    with numpy.errstate(divide="ignore", invalid="ignore"):
        first -= (first * times).sum() / count
        second -= (second * times).sum() / count
        spread = numpy.sqrt((first * first * times).sum() * (second * second * times).sum())
        return float((first * second * times).sum() / spread)
