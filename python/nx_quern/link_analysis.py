"""PageRank and HITS."""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

import networkx as nx
import numpy

from .function import Reason, covers, named_weights, unless
from .graph import BackendGraph

SINGLE = 2e-6  # what ranks may change by in sum, that those of 32 bits show


def against(G: BackendGraph, weight: Optional[str]) -> Any:
    """The function that multiplies the transposed matrix of weights by a vector: what arrives at each vertex."""
    rows = G.rows(True)
    values = None
    if weight is not None or rows.counts is not None:
        values = rows.counts if weight is None else G.weights(weight, "add", True)
        values = None if values is None or (values == 1).all() else values.astype(float)
    def arriving(vector: numpy.ndarray) -> numpy.ndarray:
        gathered = vector[rows.columns]
        return rows.sums(gathered if values is None else gathered * values)
    return arriving


def _ranks(G: BackendGraph, alpha: float, max_iter: int, tol: float) -> numpy.ndarray:
    """All edges alike, from and to all vertices alike: an algorithm of Quern."""
    result = G.run("pagerank", damping=alpha, tolerance=len(G) * tol, iterations=max_iter)
    if not result.converged:
        raise nx.PowerIterationFailedConvergence(max_iter)
    return result.values


def _shares(G: BackendGraph, given: Optional[Dict[Any, float]]) -> Optional[numpy.ndarray]:
    """Probabilities, in the proportions that are given."""
    if given is None:
        return None
    found = G.vector(given)
    found /= found.sum()
    return found


@covers
@unless(named_weights)
def pagerank(G: BackendGraph, alpha: float = 0.85, personalization: Optional[Dict[Any, float]] = None, max_iter: int = 100,
             tol: float = 1e-06, nstart: Optional[Dict[Any, float]] = None, weight: Any = "weight",
             dangling: Optional[Dict[Any, float]] = None) -> Dict[Any, float]:
    count = len(G)
    if not count:
        return {}
    if (G.unweighted(weight) and not G.is_multigraph() and personalization is None and nstart is None and dangling is None
            and 0 <= alpha < 1 and count * tol >= SINGLE and max_iter > 0):
        return G.of_nodes(_ranks(G, alpha, max_iter, tol))
    if personalization is not None and G.vector(personalization).sum() == 0:
        raise ZeroDivisionError
    even = numpy.full(count, 1 / count)
    start, restart, spread = _shares(G, nstart), _shares(G, personalization), _shares(G, dangling)
    restart = even if restart is None else restart
    spread = restart if spread is None else spread
    rows = G.rows()
    leaving = rows.sums(numpy.ones(len(rows.columns)) if rows.counts is None else rows.counts.astype(float)) \
        if weight is None else rows.sums(G.weights(weight).astype(float))
    ends = leaving == 0
    with numpy.errstate(divide="ignore"):
        each = numpy.where(ends, 0, 1 / leaving)
    arriving = against(G, weight)
    ranks = even if start is None else start
    for _ in range(max_iter):
        last = ranks
        ranks = alpha * (arriving(last * each) + last[ends].sum() * spread) + (1 - alpha) * restart
        if numpy.abs(ranks - last).sum() < count * tol:
            return G.of_nodes(ranks)
    raise nx.PowerIterationFailedConvergence(max_iter)


def _start(nstart: Any) -> Reason:
    return None if nstart is None else "where several results are right, those of networkx depend on its solver"


@covers
@unless(_start)
def hits(G: BackendGraph, max_iter: int = 100, tol: float = 1e-08, nstart: Any = None, normalized: bool = True
         ) -> Tuple[Dict[Any, float], Dict[Any, float]]:
    if not len(G):
        return {}, {}
    if max_iter <= 0:
        raise nx.PowerIterationFailedConvergence(max_iter)
    weights = G.weights("weight")
    if not len(weights) or weights.min() < 0:
        raise NotImplementedError("there are no edges, or negative weights")
    steps = 20 * max_iter  # an iteration of networkx's solver multiplies so often
    if (weights == 1).all() and not G.is_multigraph():
        result = G.run("hits", tolerance=max(tol, 1e-15), iterations=steps)
        converged, authorities = result.converged, result.columns["authority"]
    else:
        converged, authorities = _authorities(G, max(tol, 1e-15), steps)
    if not converged:
        raise nx.PowerIterationFailedConvergence(max_iter)
    rows = G.rows()
    authorities = authorities / numpy.linalg.norm(authorities)
    hubs = rows.sums(weights * authorities[rows.columns])
    if normalized:
        hubs, authorities = hubs / hubs.sum(), authorities / authorities.sum()
    return G.of_nodes(hubs), G.of_nodes(authorities)


def _authorities(G: BackendGraph, tol: float, steps: int) -> Tuple[bool, numpy.ndarray]:
    rows, weights, arriving = G.rows(), G.weights("weight"), against(G, "weight")
    hubs = numpy.full(len(G), 1 / len(G))
    for _ in range(steps):
        authorities = arriving(hubs)
        last, hubs = hubs, rows.sums(weights * authorities[rows.columns])
        hubs /= hubs.sum()
        if numpy.abs(hubs - last).sum() < tol:
            return True, arriving(hubs)
    return False, hubs
