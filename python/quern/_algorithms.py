"""Every algorithm as a method. Written by tests/python/test_algorithms.py from what algorithms declare."""

from __future__ import annotations

import os
from typing import Any, Literal, Optional, Sequence, Union

from ._calls import ProgressOption
from ._results import Result

Id = Union[int, str]
PathLike = Union[str, "os.PathLike[str]"]


class Algorithms:
    """Methods of what has :meth:`run`; ``quern.pagerank(graph)`` is ``graph.pagerank()``. ``device``, ``threads`` and
    ``progress`` are those of :meth:`Graph.run`, which takes further options: checkpoints, several devices, a program of your
    own."""

    def _run(self, algorithm: str, **options: Any) -> Result:
        raise NotImplementedError

    def bc(
        self,
        source: Optional[Union[Id, Sequence[Id]]] = None,
        *,
        sources: Optional[Union[PathLike, Sequence[Id]]] = None,
        device: Optional[str] = None,
        threads: Optional[int] = None,
        progress: ProgressOption = None,
    ) -> Result:
        """Betweenness from given sources.

        ``source``: Source vertex, by its original id; may be repeated (default: the vertex of the largest out-degree).
        ``sources``: Several sources, or a file that names one a line, in a second column with its weight where weights
            count.
        """
        return self._run("bc", source=source, sources=sources, device=device, threads=threads, progress=progress)

    def bfs(
        self,
        source: Optional[Union[Id, Sequence[Id]]] = None,
        *,
        sources: Optional[Union[PathLike, Sequence[Id]]] = None,
        iterations: Optional[int] = None,
        device: Optional[str] = None,
        threads: Optional[int] = None,
        progress: ProgressOption = None,
    ) -> Result:
        """Hops from a source.

        ``source``: Source vertex, by its original id; may be repeated (default: the vertex of the largest out-degree).
        ``sources``: Several sources, or a file that names one a line, in a second column with its weight where weights
            count.
        ``iterations``: At most N iterations: at least 0.
        """
        return self._run("bfs", source=source, sources=sources, iterations=iterations, device=device, threads=threads,
                         progress=progress)

    def cc(
        self,
        *,
        iterations: Optional[int] = None,
        device: Optional[str] = None,
        threads: Optional[int] = None,
        progress: ProgressOption = None,
    ) -> Result:
        """Weakly connected components.

        ``iterations``: At most N iterations: at least 0.
        """
        return self._run("cc", iterations=iterations, device=device, threads=threads, progress=progress)

    def cdlp(
        self,
        *,
        iterations: int = 10,
        device: Optional[str] = None,
        threads: Optional[int] = None,
        progress: ProgressOption = None,
    ) -> Result:
        """Communities by label propagation.

        ``iterations``: At most N iterations: at least 0; default 10.
        """
        return self._run("cdlp", iterations=iterations, device=device, threads=threads, progress=progress)

    def circuit(
        self,
        source: Optional[Union[Id, Sequence[Id]]] = None,
        *,
        sources: Optional[Union[PathLike, Sequence[Id]]] = None,
        tolerance: float = 0.0,
        iterations: int = 10,
        device: Optional[str] = None,
        threads: Optional[int] = None,
        progress: ProgressOption = None,
    ) -> Result:
        """Voltages between a source and the ground.

        ``source``: Source vertex, by its original id; may be repeated (default: the vertex of the largest out-degree).
        ``sources``: Several sources, or a file that names one a line, in a second column with its weight where weights
            count.
        ``tolerance``: End when values change by less than T in sum (0: never): at least 0; default 0.0.
        ``iterations``: At most N iterations: at least 0; default 10.
        """
        return self._run("circuit", source=source, sources=sources, tolerance=tolerance, iterations=iterations,
                         device=device, threads=threads, progress=progress)

    def closeness(
        self,
        *,
        samples: Union[int, Literal["all"]] = 256,
        seed: int = 0,
        iterations: Optional[int] = None,
        device: Optional[str] = None,
        threads: Optional[int] = None,
        progress: ProgressOption = None,
    ) -> Result:
        """How near those are that reach it.

        ``samples``: Vertices from whose distances the values are estimated, chosen by ``seed``; all of them give the exact
            values: at least 1; default 256.
        ``seed``: Seed of random choices: the same seed gives the same result: at least 0; default 0.
        ``iterations``: At most N iterations: at least 0.
        """
        return self._run("closeness", samples=samples, seed=seed, iterations=iterations, device=device, threads=threads,
                         progress=progress)

    def coloring(
        self,
        *,
        device: Optional[str] = None,
        threads: Optional[int] = None,
        progress: ProgressOption = None,
    ) -> Result:
        """Colours that neighbours don't share.
        """
        return self._run("coloring", device=device, threads=threads, progress=progress)

    def cross_edges(
        self,
        *,
        groups: Optional[PathLike] = None,
        device: Optional[str] = None,
        threads: Optional[int] = None,
        progress: ProgressOption = None,
    ) -> Result:
        """Out-edges to other groups of vertices.

        ``groups``: Groups of vertices, lines "id group", as -o of another run writes them (default: every vertex is a group
            of its own).
        """
        return self._run("cross-edges", groups=groups, device=device, threads=threads, progress=progress)

    def count_out_edges(
        self,
        *,
        iterations: int = 0,
        device: Optional[str] = None,
        threads: Optional[int] = None,
        progress: ProgressOption = None,
    ) -> Result:
        """Number of edges that leave.

        ``iterations``: At most N iterations: at least 0; default 0.
        """
        return self._run("degree", iterations=iterations, device=device, threads=threads, progress=progress)

    def eigenvector(
        self,
        *,
        tolerance: float = 1e-06,
        iterations: int = 100,
        device: Optional[str] = None,
        threads: Optional[int] = None,
        progress: ProgressOption = None,
    ) -> Result:
        """As central as its in-neighbours.

        ``tolerance``: End when values change by less than T in sum (0: never): at least 0; default 1e-06.
        ``iterations``: At most N iterations: at least 0; default 100.
        """
        return self._run("eigenvector", tolerance=tolerance, iterations=iterations, device=device, threads=threads,
                         progress=progress)

    def harmonic(
        self,
        *,
        samples: Union[int, Literal["all"]] = 256,
        seed: int = 0,
        iterations: Optional[int] = None,
        device: Optional[str] = None,
        threads: Optional[int] = None,
        progress: ProgressOption = None,
    ) -> Result:
        """Sum of 1 / distance to it.

        ``samples``: Vertices from whose distances the values are estimated, chosen by ``seed``; all of them give the exact
            values: at least 1; default 256.
        ``seed``: Seed of random choices: the same seed gives the same result: at least 0; default 0.
        ``iterations``: At most N iterations: at least 0.
        """
        return self._run("harmonic", samples=samples, seed=seed, iterations=iterations, device=device, threads=threads,
                         progress=progress)

    def heat(
        self,
        source: Optional[Union[Id, Sequence[Id]]] = None,
        *,
        sources: Optional[Union[PathLike, Sequence[Id]]] = None,
        tolerance: float = 0.0,
        iterations: int = 10,
        device: Optional[str] = None,
        threads: Optional[int] = None,
        progress: ProgressOption = None,
    ) -> Result:
        """Temperatures, heated at a source.

        ``source``: Source vertex, by its original id; may be repeated (default: the vertex of the largest out-degree).
        ``sources``: Several sources, or a file that names one a line, in a second column with its weight where weights
            count.
        ``tolerance``: End when values change by less than T in sum (0: never): at least 0; default 0.0.
        ``iterations``: At most N iterations: at least 0; default 10.
        """
        return self._run("heat", source=source, sources=sources, tolerance=tolerance, iterations=iterations, device=device,
                         threads=threads, progress=progress)

    def hits(
        self,
        *,
        tolerance: float = 1e-08,
        iterations: int = 100,
        device: Optional[str] = None,
        threads: Optional[int] = None,
        progress: ProgressOption = None,
    ) -> Result:
        """Hubs and authorities.

        ``tolerance``: End when values change by less than T in sum (0: never): at least 0; default 1e-08.
        ``iterations``: At most N iterations: at least 0; default 100.
        """
        return self._run("hits", tolerance=tolerance, iterations=iterations, device=device, threads=threads,
                         progress=progress)

    def count_in_edges(
        self,
        *,
        iterations: int = 1,
        device: Optional[str] = None,
        threads: Optional[int] = None,
        progress: ProgressOption = None,
    ) -> Result:
        """Number of edges that arrive.

        ``iterations``: At most N iterations: at least 0; default 1.
        """
        return self._run("indegree", iterations=iterations, device=device, threads=threads, progress=progress)

    def katz(
        self,
        *,
        alpha: float = 0.1,
        tolerance: float = 1e-06,
        iterations: int = 1000,
        device: Optional[str] = None,
        threads: Optional[int] = None,
        progress: ProgressOption = None,
    ) -> Result:
        """Walks that end here, long ones less.

        ``alpha``: How much less a walk counts with each edge: more than 0; default 0.1.
        ``tolerance``: End when values change by less than T in sum (0: never): at least 0; default 1e-06.
        ``iterations``: At most N iterations: at least 0; default 1000.
        """
        return self._run("katz", alpha=alpha, tolerance=tolerance, iterations=iterations, device=device, threads=threads,
                         progress=progress)

    def kcore(
        self,
        *,
        iterations: Optional[int] = None,
        device: Optional[str] = None,
        threads: Optional[int] = None,
        progress: ProgressOption = None,
    ) -> Result:
        """Largest k-core that a vertex is in.

        ``iterations``: At most N iterations: at least 0.
        """
        return self._run("kcore", iterations=iterations, device=device, threads=threads, progress=progress)

    def lcc(
        self,
        *,
        device: Optional[str] = None,
        threads: Optional[int] = None,
        progress: ProgressOption = None,
    ) -> Result:
        """How many of its neighbours are linked.
        """
        return self._run("lcc", device=device, threads=threads, progress=progress)

    def leiden(
        self,
        *,
        resolution: float = 1.0,
        seed: int = 0,
        iterations: Optional[int] = None,
        device: Optional[str] = None,
        threads: Optional[int] = None,
        progress: ProgressOption = None,
    ) -> Result:
        """Communities by modularity.

        ``resolution``: How small communities are: above 1 more and smaller ones: more than 0; default 1.0.
        ``seed``: Seed of random choices: the same seed gives the same result: at least 0; default 0.
        ``iterations``: At most N iterations: at least 0.
        """
        return self._run("leiden", resolution=resolution, seed=seed, iterations=iterations, device=device, threads=threads,
                         progress=progress)

    def mis(
        self,
        *,
        device: Optional[str] = None,
        threads: Optional[int] = None,
        progress: ProgressOption = None,
    ) -> Result:
        """A maximal independent set, as 1.
        """
        return self._run("mis", device=device, threads=threads, progress=progress)

    def neighborhood(
        self,
        source: Optional[Union[Id, Sequence[Id]]] = None,
        *,
        sources: Optional[Union[PathLike, Sequence[Id]]] = None,
        hops: int = 1,
        device: Optional[str] = None,
        threads: Optional[int] = None,
        progress: ProgressOption = None,
    ) -> Result:
        """Vertices within hops of a source.

        ``source``: Source vertex, by its original id; may be repeated (default: the vertex of the largest out-degree).
        ``sources``: Several sources, or a file that names one a line, in a second column with its weight where weights
            count.
        ``hops``: How many hops away it looks: at least 0; default 1.
        """
        return self._run("neighborhood", source=source, sources=sources, hops=hops, device=device, threads=threads,
                         progress=progress)

    def neural(
        self,
        *,
        tolerance: float = 0.0,
        iterations: int = 10,
        device: Optional[str] = None,
        threads: Optional[int] = None,
        progress: ProgressOption = None,
    ) -> Result:
        """Tanh of the weighted sum of inputs.

        ``tolerance``: End when values change by less than T in sum (0: never): at least 0; default 0.0.
        ``iterations``: At most N iterations: at least 0; default 10.
        """
        return self._run("neural", tolerance=tolerance, iterations=iterations, device=device, threads=threads,
                         progress=progress)

    def pagerank(
        self,
        *,
        damping: float = 0.85,
        weighted: bool = False,
        dangling: Literal["spread", "drop"] = "spread",
        total: Literal["one", "vertices"] = "one",
        tolerance: float = 1e-06,
        iterations: int = 100,
        device: Optional[str] = None,
        threads: Optional[int] = None,
        progress: ProgressOption = None,
    ) -> Result:
        """PageRank; ranks sum to 1.

        ``damping``: Probability of following an edge: at least 0 and below 1; default 0.85.
        ``weighted``: Follow edges in proportion to their weights; default False.
        ``dangling``: Spread the rank of vertices without out-edges evenly over all, or drop it; default "spread".
        ``total``: What ranks sum to at first, and for good unless some is dropped: 1, or the number of vertices; default
            "one".
        ``tolerance``: End when values change by less than T in sum (0: never): at least 0; default 1e-06.
        ``iterations``: At most N iterations: at least 0; default 100.
        """
        return self._run("pagerank", damping=damping, weighted=weighted, dangling=dangling, total=total,
                         tolerance=tolerance, iterations=iterations, device=device, threads=threads, progress=progress)

    def pagerank_weighted(
        self,
        *,
        damping: float = 0.85,
        weighted: bool = True,
        dangling: Literal["spread", "drop"] = "spread",
        total: Literal["one", "vertices"] = "one",
        tolerance: float = 1e-06,
        iterations: int = 100,
        device: Optional[str] = None,
        threads: Optional[int] = None,
        progress: ProgressOption = None,
    ) -> Result:
        """PageRank by weights (weighted).

        ``damping``: Probability of following an edge: at least 0 and below 1; default 0.85.
        ``weighted``: Always: the variant without weights is pagerank; default True.
        ``dangling``: Spread the rank that leads nowhere evenly over all vertices, or drop it; default "spread".
        ``total``: What ranks sum to at first, and for good unless some is dropped: 1, or the number of vertices; default
            "one".
        ``tolerance``: End when values change by less than T in sum (0: never): at least 0; default 1e-06.
        ``iterations``: At most N iterations: at least 0; default 100.
        """
        return self._run("pagerank-weighted", damping=damping, weighted=weighted, dangling=dangling, total=total,
                         tolerance=tolerance, iterations=iterations, device=device, threads=threads, progress=progress)

    def shortest_path(
        self,
        source: Union[Id, Sequence[Id]],
        target: Id,
        *,
        unweighted: bool = False,
        device: Optional[str] = None,
        threads: Optional[int] = None,
        progress: ProgressOption = None,
    ) -> Result:
        """One shortest path to a target.

        ``source``: Source vertex, by its original id; may be repeated (default: the vertex of the largest out-degree).
        ``target``: The vertex where the path ends.
        ``unweighted``: Count every edge as 1, although the graph has weights; default False.
        """
        return self._run("path", source=source, target=target, unweighted=unweighted, device=device, threads=threads,
                         progress=progress)

    def radius(
        self,
        *,
        iterations: Optional[int] = None,
        device: Optional[str] = None,
        threads: Optional[int] = None,
        progress: ProgressOption = None,
    ) -> Result:
        """About how far the farthest vertex is.

        ``iterations``: At most N iterations: at least 0.
        """
        return self._run("radius", iterations=iterations, device=device, threads=threads, progress=progress)

    def rwr(
        self,
        source: Optional[Union[Id, Sequence[Id]]] = None,
        *,
        sources: Optional[Union[PathLike, Sequence[Id]]] = None,
        damping: float = 0.85,
        tolerance: float = 1e-06,
        iterations: int = 100,
        device: Optional[str] = None,
        threads: Optional[int] = None,
        progress: ProgressOption = None,
    ) -> Result:
        """Random walk with restart at sources.

        ``source``: Source vertex, by its original id; may be repeated (default: the vertex of the largest out-degree).
        ``sources``: Several sources, or a file that names one a line, in a second column with its weight where weights
            count.
        ``damping``: Probability of following an edge: at least 0 and below 1; default 0.85.
        ``tolerance``: End when values change by less than T in sum (0: never): at least 0; default 1e-06.
        ``iterations``: At most N iterations: at least 0; default 100.
        """
        return self._run("rwr", source=source, sources=sources, damping=damping, tolerance=tolerance, iterations=iterations,
                         device=device, threads=threads, progress=progress)

    def sample(
        self,
        source: Optional[Union[Id, Sequence[Id]]] = None,
        *,
        sources: Optional[Union[PathLike, Sequence[Id]]] = None,
        fanouts: Sequence[Union[int, Literal["all"]]] = (15, 10),
        seed: int = 0,
        device: Optional[str] = None,
        threads: Optional[int] = None,
        progress: ProgressOption = None,
    ) -> Result:
        """Neighbours of sources, hop by hop.

        ``source``: Source vertex, by its original id; may be repeated (default: the vertex of the largest out-degree).
        ``sources``: Several sources, or a file that names one a line, in a second column with its weight where weights
            count.
        ``fanouts``: Neighbours taken of each vertex, hop by hop; default (15, 10).
        ``seed``: Seed of random choices: the same seed gives the same result: at least 0; default 0.
        """
        return self._run("sample", source=source, sources=sources, fanouts=fanouts, seed=seed, device=device,
                         threads=threads, progress=progress)

    def scc(
        self,
        *,
        device: Optional[str] = None,
        threads: Optional[int] = None,
        progress: ProgressOption = None,
    ) -> Result:
        """Strongly connected components.
        """
        return self._run("scc", device=device, threads=threads, progress=progress)

    def similarity(
        self,
        *,
        pairs: Optional[PathLike] = None,
        measure: Literal["jaccard", "overlap", "cosine"] = "jaccard",
        device: Optional[str] = None,
        threads: Optional[int] = None,
        progress: ProgressOption = None,
    ) -> Result:
        """Common neighbours of pairs.

        ``pairs``: Pairs of vertices, lines "id id" (default: the endpoints of every edge).
        ``measure``: What the number of common neighbours is divided by: the number of all neighbours, that of the vertex
            with fewer, or the geometric mean of both; default "jaccard".
        """
        return self._run("similarity", pairs=pairs, measure=measure, device=device, threads=threads, progress=progress)

    def spmv(
        self,
        *,
        vector: PathLike,
        iterations: int = 1,
        device: Optional[str] = None,
        threads: Optional[int] = None,
        progress: ProgressOption = None,
    ) -> Result:
        """Transposed matrix times a vector.

        ``vector``: A number for each vertex: lines "id number" (the other vertices have 0), or an array (.npy) of V numbers
            in original order.
        ``iterations``: At most N iterations: at least 0; default 1.
        """
        return self._run("spmv", vector=vector, iterations=iterations, device=device, threads=threads, progress=progress)

    def sssp(
        self,
        source: Optional[Union[Id, Sequence[Id]]] = None,
        *,
        sources: Optional[Union[PathLike, Sequence[Id]]] = None,
        cutoff: Optional[float] = None,
        delta: Optional[float] = None,
        iterations: Optional[int] = None,
        device: Optional[str] = None,
        threads: Optional[int] = None,
        progress: ProgressOption = None,
    ) -> Result:
        """Least sum of weights from a source.

        ``source``: Source vertex, by its original id; may be repeated (default: the vertex of the largest out-degree).
        ``sources``: Several sources, or a file that names one a line, in a second column with its weight where weights
            count.
        ``cutoff``: Leave out vertices that are farther away: at least 0 and at most 9007199254740992.
        ``delta``: Width of a bucket, in units of the weights (default: chosen from the weights): more than 0.
        ``iterations``: At most N iterations: at least 0.
        """
        return self._run("sssp", source=source, sources=sources, cutoff=cutoff, delta=delta, iterations=iterations,
                         device=device, threads=threads, progress=progress)

    def tc(
        self,
        *,
        device: Optional[str] = None,
        threads: Optional[int] = None,
        progress: ProgressOption = None,
    ) -> Result:
        """Triangles of the simple undirected graph.
        """
        return self._run("tc", device=device, threads=threads, progress=progress)

    def walk(
        self,
        source: Optional[Union[Id, Sequence[Id]]] = None,
        *,
        sources: Optional[Union[PathLike, Sequence[Id]]] = None,
        length: int = 80,
        walks: int = 1,
        seed: int = 0,
        weighted: bool = False,
        device: Optional[str] = None,
        threads: Optional[int] = None,
        progress: ProgressOption = None,
    ) -> Result:
        """Random walks from sources, or all.

        ``source``: Source vertex, by its original id; may be repeated (default: the vertex of the largest out-degree).
        ``sources``: Several sources, or a file that names one a line, in a second column with its weight where weights
            count.
        ``length``: Steps of a walk: at least 0; default 80.
        ``walks``: Walks from each source: at least 1; default 1.
        ``seed``: Seed of random choices: the same seed gives the same result: at least 0; default 0.
        ``weighted``: Follow edges in proportion to their weights; default False.
        """
        return self._run("walk", source=source, sources=sources, length=length, walks=walks, seed=seed, weighted=weighted,
                         device=device, threads=threads, progress=progress)


__all__ = ["bc", "bfs", "cc", "cdlp", "circuit", "closeness", "coloring", "count_in_edges", "count_out_edges",
           "cross_edges", "eigenvector", "harmonic", "heat", "hits", "katz", "kcore", "lcc", "leiden", "mis",
           "neighborhood", "neural", "pagerank", "pagerank_weighted", "radius", "rwr", "sample", "scc", "shortest_path",
           "similarity", "spmv", "sssp", "tc", "walk"]

bc = Algorithms.bc
bfs = Algorithms.bfs
cc = Algorithms.cc
cdlp = Algorithms.cdlp
circuit = Algorithms.circuit
closeness = Algorithms.closeness
coloring = Algorithms.coloring
count_in_edges = Algorithms.count_in_edges
count_out_edges = Algorithms.count_out_edges
cross_edges = Algorithms.cross_edges
eigenvector = Algorithms.eigenvector
harmonic = Algorithms.harmonic
heat = Algorithms.heat
hits = Algorithms.hits
katz = Algorithms.katz
kcore = Algorithms.kcore
lcc = Algorithms.lcc
leiden = Algorithms.leiden
mis = Algorithms.mis
neighborhood = Algorithms.neighborhood
neural = Algorithms.neural
pagerank = Algorithms.pagerank
pagerank_weighted = Algorithms.pagerank_weighted
radius = Algorithms.radius
rwr = Algorithms.rwr
sample = Algorithms.sample
scc = Algorithms.scc
shortest_path = Algorithms.shortest_path
similarity = Algorithms.similarity
spmv = Algorithms.spmv
sssp = Algorithms.sssp
tc = Algorithms.tc
walk = Algorithms.walk
