"""Communities, independent sets and colours."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Set, Tuple, ValuesView

import networkx as nx
import numpy

from .function import Reason, covers, named_weights, unless
from .graph import BackendGraph


# ---- Communities --------------------------------------------------------------------------------

def _by_modularity(G: Any, weight: Any, max_level: Optional[int]) -> Reason:
    if G.is_directed():
        return "edges have no direction"
    if max_level is not None and max_level > 0:
        return "levels have no limit"
    return named_weights(weight)


def _communities(G: BackendGraph, weight: Optional[str], resolution: float, max_level: Optional[int], seed: Any) -> List[Set[Any]]:
    if max_level is not None:
        raise ValueError("max_level argument must be a positive integer or None")
    if not len(G.rows().columns):
        return [{node} for node in G]
    if resolution <= 0:
        raise NotImplementedError("the resolution is not above 0")
    labels = G.run("leiden", weight=weight, merge="add", resolution=resolution, seed=seed.getrandbits(32)).values
    found: Dict[int, Set[Any]] = {}
    for node, label in zip(G, labels.tolist()):
        found.setdefault(label, set()).add(node)
    return list(found.values())


@covers
@unless(_by_modularity)
def leiden_communities(G: BackendGraph, weight: Any = "weight", resolution: float = 1, max_level: Optional[int] = None,
                       seed: Any = None) -> List[Set[Any]]:
    return _communities(G, weight, resolution, max_level, seed)


@covers
@unless(_by_modularity)
def louvain_communities(G: BackendGraph, weight: Any = "weight", resolution: float = 1, threshold: float = 1e-07,
                        max_level: Optional[int] = None, seed: Any = None) -> List[Set[Any]]:
    return _communities(G, weight, resolution, max_level, seed)


@covers
def label_propagation_communities(G: BackendGraph) -> ValuesView[Set[Any]]:
    """Vertices of a colour, of which no two are neighbours, change their labels at once."""
    labels, everyone = numpy.arange(len(G)), numpy.arange(len(G))
    _, colors = _greedy_colors(G)
    groups = [numpy.flatnonzero(colors == color) for color in range(int(colors.max(initial=-1)) + 1)]
    while (_most_frequent(G, labels, everyone) != labels).any():
        for group in groups:
            labels[group] = _most_frequent(G, labels, group)
    found: Dict[int, Set[Any]] = {}
    for node, label in zip(G, labels.tolist()):
        found.setdefault(label, set()).add(node)
    return found.values()


def _most_frequent(G: BackendGraph, labels: numpy.ndarray, vertices: numpy.ndarray) -> numpy.ndarray:
    """The label that most neighbours of each vertex have: its own if that is one, else the largest."""
    places, which = G.rows().gather(vertices)
    keys, times = numpy.unique(which * len(G) + labels[G.rows().columns[places]], return_counts=True)
    found: numpy.ndarray = labels[vertices]
    if not len(keys):
        return found
    of, label = keys // len(G), keys % len(G)
    begins = numpy.flatnonzero(numpy.append(True, of[1:] != of[:-1]))
    most = numpy.zeros(len(vertices), "i8")
    most[of[begins]] = numpy.maximum.reduceat(times, begins)
    often = times == most[of]
    own = numpy.zeros(len(vertices), bool)
    own[of[often & (label == found[of])]] = True
    change = often & ~own[of]
    found[of[change]] = label[change]  # ascending in each vertex, so that the last is the largest
    return found


# ---- Independent sets ---------------------------------------------------------------------------

@covers
def maximal_independent_set(G: BackendGraph, nodes: Any = None, seed: Any = None) -> List[Any]:
    """By random numbers, of which the least of all neighbours wins (Luby 1986)."""
    given = {seed.choice(G.nodes)} if not nodes else set(nodes)
    if not all(node in G for node in given):
        raise nx.NetworkXUnfeasible("%s is not a subset of the nodes of G" % given)
    rows, chosen = G.rows(), G.indices(given)
    near = rows.columns[rows.gather(chosen)[0]]
    if numpy.isin(near, chosen).any():
        raise nx.NetworkXUnfeasible("%s is not an independent set of G" % given)
    open_vertices = numpy.ones(len(G), bool)
    open_vertices[near] = open_vertices[chosen] = False
    order = numpy.random.default_rng(seed.getrandbits(64)).permutation(len(G))
    found, left = [chosen], numpy.flatnonzero(open_vertices)
    while len(left):
        places, which = rows.gather(left)
        others = rows.columns[places]
        beaten = open_vertices[others] & (order[others] < order[left[which]])
        winners = left[numpy.bincount(which[beaten], minlength=len(left)) == 0]
        found.append(winners)
        open_vertices[rows.columns[rows.gather(winners)[0]]] = False
        open_vertices[winners] = False
        left = left[open_vertices[left]]
    return G.names(numpy.concatenate(found))


# ---- Colours ------------------------------------------------------------------------------------

def _largest_first(G: Any, strategy: Any, interchange: bool) -> Reason:
    if G.is_directed():
        return "edges have no direction"
    return None if strategy == "largest_first" and not interchange else "the largest degrees come first"


@covers
@unless(_largest_first)
def greedy_color(G: BackendGraph, strategy: Any = "largest_first", interchange: bool = False) -> Dict[Any, int]:
    order, colors = _greedy_colors(G)
    return dict(zip(G.names(order), colors[order].tolist()))


def _greedy_colors(G: BackendGraph) -> Tuple[numpy.ndarray, numpy.ndarray]:
    """The vertices by degree and place, and their colours: those whose neighbours before them have theirs take one at once
    (Jones, Plassmann 1993)."""
    rows, count = G.rows(), len(G)
    order = numpy.argsort(-G.degrees(), kind="stable")
    rank = numpy.empty(count, "i8")
    rank[order] = numpy.arange(count)
    sources, columns = rows.sources, rows.columns
    waiting = numpy.bincount(sources[rank[columns] < rank[sources]], minlength=count)
    colors, ready = numpy.full(count, -1), numpy.flatnonzero(waiting == 0)
    while len(ready):
        places, which = rows.gather(ready)
        others = columns[places]
        colors[ready] = _least_absent(colors[others], which, len(ready))
        later = others[rank[others] > rank[ready[which]]]
        numpy.subtract.at(waiting, later, 1)
        later = numpy.unique(later)
        ready = later[waiting[later] == 0]
    return order, colors


def _least_absent(colors: numpy.ndarray, which: numpy.ndarray, count: int) -> numpy.ndarray:
    """Of each group the least number, from 0, that is not among its colours."""
    known = colors >= 0
    groups, taken = which[known], colors[known]
    limit = int(taken.max(initial=0)) + 2
    keys = numpy.unique(groups * limit + taken)
    groups, taken = keys // limit, keys % limit
    begins = numpy.searchsorted(groups, numpy.arange(count))
    gap = taken != numpy.arange(len(taken)) - begins[groups]  # from the first gap of a group on
    firsts = numpy.bincount(groups, ~gap, minlength=count)
    return firsts.astype("i8")
