"""Centralities."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Union

import networkx as nx
import numpy
import quern

from .distances import UNREACHED, hop_blocks
from .function import Reason, covers, named_weights, no_weights, unless
from .graph import BackendGraph
from .link_analysis import against


# ---- Degrees ------------------------------------------------------------------------------------

def _by_degree(G: BackendGraph, degrees: numpy.ndarray) -> Dict[Any, float]:
    if len(G) <= 1:
        return dict.fromkeys(G, 1)
    return G.of_nodes(degrees * (1.0 / (len(G) - 1.0)))


@covers
def degree_centrality(G: BackendGraph) -> Dict[Any, float]:
    return _by_degree(G, G.degrees())


@covers
def in_degree_centrality(G: BackendGraph) -> Dict[Any, float]:
    return _by_degree(G, G.rows(True).degrees)


@covers
def out_degree_centrality(G: BackendGraph) -> Dict[Any, float]:
    return _by_degree(G, G.rows().degrees)


# ---- Betweenness --------------------------------------------------------------------------------

def _no_betweenness(G: Any, weight: Any, endpoints: bool) -> Reason:
    if weight is not None:
        return "paths are shortest by their edges"
    return "endpoints count in undirected graphs" if endpoints and G.is_directed() else None


@covers
@unless(_no_betweenness)
def betweenness_centrality(G: BackendGraph, k: Optional[int] = None, normalized: bool = True, weight: Any = None,
                           endpoints: bool = False, seed: Any = None) -> Dict[Any, float]:
    count = len(G)
    if not count:
        return {}
    sources = numpy.arange(count) if k is None or k == count else G.indices(seed.sample(G.nodes, k))
    sampled = len(sources) < count
    values = numpy.zeros(count)
    for start in range(0, len(sources), 1024):
        values += G.run("bc", sources=sources[start:start + 1024].tolist()).values
    if endpoints:
        components = G.run("cc").values
        sizes, chosen = numpy.bincount(components, minlength=count), numpy.bincount(components[sources], minlength=count)
        is_source = numpy.bincount(sources, minlength=count)
        values += (sizes[components] - 1) * is_source + chosen[components] - is_source
    ends = count if endpoints else count - 1
    if ends < 2:
        return G.of_nodes(values)
    if not len(sources):
        raise ZeroDivisionError("division by zero")
    others = numpy.full(count, len(sources) if sampled or endpoints else ends)  # sources whose paths may lead through it
    if sampled and not endpoints:
        others[sources] -= 1
    with numpy.errstate(divide="ignore", invalid="ignore"):
        scale = 1 / (others * (ends - 1)) if normalized else ends / (others * (1 if G.is_directed() else 2))
    values *= numpy.where(others > 0, scale, numpy.nan)
    return G.of_nodes(values)


# ---- Distances ----------------------------------------------------------------------------------

def _hops_alone(distance: Any) -> Reason:
    return None if distance is None else "distances are hops"


@covers
@unless(_hops_alone)
def closeness_centrality(G: BackendGraph, u: Any = None, distance: Any = None, wf_improved: bool = True
                         ) -> Union[float, Dict[Any, float]]:
    if not len(G) and u is None:
        return {}
    if u is None and not G.is_directed():
        return G.of_nodes(_closeness_within(G, wf_improved))
    if u is None and wf_improved:
        return G.of_nodes(G.run("closeness", samples="all").values)
    vertices = numpy.arange(len(G)) if u is None else G.indices([_present(G, u)])
    found: List[float] = []
    for block in hop_blocks(G, vertices, reverse=True):
        for hops in block:
            near = hops[hops != UNREACHED]
            total, others = int(near.sum(dtype="u8")), len(near) - 1
            value = others / total if total and len(G) > 1 else 0.0
            found.append(value * (others / (len(G) - 1)) if wf_improved and total else value)
    return found[0] if u is not None else dict(zip(G.nodes, found))


def _closeness_within(G: BackendGraph, wf_improved: bool) -> numpy.ndarray:
    """Of an undirected graph, to the last bit as networkx computes it: integers are made again of the values."""
    values, components = G.run("closeness", samples="all").values, G.run("cc").values
    others = (numpy.bincount(components, minlength=len(G))[components] - 1).astype(float)
    share = others / max(len(G) - 1, 1)
    totals = numpy.rint(numpy.divide(others * share, values, out=numpy.zeros(len(G)), where=values > 0))
    found: numpy.ndarray = numpy.divide(others, totals, out=numpy.zeros(len(G)), where=totals > 0)
    return found * share if wf_improved else found


def _present(G: BackendGraph, u: Any) -> Any:
    if u not in G:
        raise nx.NodeNotFound("Source %s is not in G" % (u,))
    return u


@covers
@unless(_hops_alone)
def harmonic_centrality(G: BackendGraph, nbunch: Any = None, distance: Any = None, sources: Any = None) -> Dict[Any, float]:
    if not len(G):
        return {}
    if nbunch is None and sources is None:
        return G.of_nodes(G.run("harmonic", samples="all").values)
    wanted, starts = (numpy.unique(G.indices(G.nbunch_iter(given))) for given in (nbunch, sources))
    reverse = len(wanted) < len(starts)
    found = numpy.zeros(len(G))
    for first, block in zip(range(0, len(G), 64), hop_blocks(G, wanted if reverse else starts, reverse=reverse)):
        for row, hops in enumerate(block):
            with numpy.errstate(divide="ignore"):
                near = numpy.where((hops != UNREACHED) & (hops > 0), 1 / hops, 0)
            if reverse:
                found[wanted[first + row]] = near[starts].sum()
            else:
                found += near
    return dict(zip(G.names(wanted), found[wanted].tolist()))


# ---- By walks -----------------------------------------------------------------------------------

def _betas(G: BackendGraph, beta: Any) -> numpy.ndarray:
    try:
        return numpy.full(len(G), float(beta))
    except (TypeError, ValueError, AttributeError) as error:
        if set(beta) != set(G):
            raise nx.NetworkXError("beta dictionary must have a value for every node") from error
    return G.vector(beta)


def _whole_start(G: Any, nstart: Any) -> Reason:
    return None if nstart is None or len(nstart) == len(G) else "a start is of every node"


@covers
@unless(lambda G, nstart, weight: _whole_start(G, nstart) or named_weights(weight))
def katz_centrality(G: BackendGraph, alpha: float = 0.1, beta: Any = 1.0, max_iter: int = 1000, tol: float = 1.0e-6,
                    nstart: Optional[Dict[Any, float]] = None, normalized: bool = True, weight: Any = None
                    ) -> Dict[Any, float]:
    if not len(G):
        return {}
    constant = _betas(G, beta)
    if weight is None and nstart is None and normalized and alpha > 0 and max_iter > 0 and (constant == 1).all():
        try:
            result = G.run("katz", alpha=alpha, tolerance=tol, iterations=max_iter)
        except quern.UnsupportedError:  # values grow without bound
            raise nx.PowerIterationFailedConvergence(max_iter) from None
        if not result.converged:
            raise nx.PowerIterationFailedConvergence(max_iter)
        return G.of_nodes(result.values)
    arriving = against(G, weight)
    values = numpy.zeros(len(G)) if nstart is None else G.vector(nstart)
    for _ in range(max_iter):
        last, values = values, alpha * arriving(values) + constant
        if numpy.abs(values - last).sum() < len(G) * tol:
            norm = numpy.linalg.norm(values) if normalized else 1.0
            return G.of_nodes(values / (norm or 1.0))
    raise nx.PowerIterationFailedConvergence(max_iter)


@covers
@unless(lambda G, nstart, weight: _whole_start(G, nstart) or named_weights(weight))
def eigenvector_centrality(G: BackendGraph, max_iter: int = 100, tol: float = 1.0e-6,
                           nstart: Optional[Dict[Any, float]] = None, weight: Any = None) -> Dict[Any, float]:
    if not len(G):
        raise nx.NetworkXPointlessConcept("cannot compute centrality for the null graph")
    values = numpy.ones(len(G)) if nstart is None else G.vector(nstart)
    if not values.any():
        raise nx.NetworkXError("initial vector cannot have all zero values")
    if nstart is None and weight is None and max_iter > 0:
        result = G.run("eigenvector", tolerance=tol, iterations=max_iter)
        if not result.converged:
            raise nx.PowerIterationFailedConvergence(max_iter)
        return G.of_nodes(result.values)
    arriving = against(G, weight)
    values = values / values.sum()
    for _ in range(max_iter):
        last, values = values, values + arriving(values)
        values /= numpy.linalg.norm(values) or 1.0
        if numpy.abs(values - last).sum() < len(G) * tol:
            return G.of_nodes(values)
    raise nx.PowerIterationFailedConvergence(max_iter)
