"""Graphs of networkx as arrays, and back."""

from __future__ import annotations

from itertools import chain
from typing import Any, Dict, Iterator, List, Optional

import networkx
import numpy

from .graph import BackendGraph
from .rows import Rows, merged


class ConvertedGraph(BackendGraph):
    """A graph of networkx as arrays. Its edges are read when they are first needed, so are weights; attributes stay in the
    original, which a graph that is cached belongs to."""

    def __init__(self, source: Any) -> None:
        super().__init__(source.is_directed())
        self.source = source
        self._multigraph: bool = source.is_multigraph()
        self._node_list = list(source)
        self._numbered = _are_numbers(self._node_list) and self._node_list == list(range(len(self._node_list)))
        self._vertices: Optional[Dict[Any, int]] = None
        self.rows()

    def is_multigraph(self) -> bool:
        return self._multigraph

    def __len__(self) -> int:
        return len(self.nodes)

    def names(self, vertices: numpy.ndarray) -> List[Any]:
        return vertices.tolist() if self._numbered else super().names(vertices)

    def _index(self, node: Any) -> int:
        return self._index_of()[node]

    def _index_of(self) -> Dict[Any, int]:
        """The vertex of each node."""
        if self._vertices is None:
            self._vertices = dict(zip(self.nodes, range(len(self.nodes))))
        return self._vertices

    def _adjacency(self, reverse: bool) -> List[Any]:
        """The dict of neighbours of each node."""
        adjacency = self.source._pred if reverse else self.source._adj
        return [row if type(row) is dict else self._plain(row) for row in (adjacency[node] for node in self.nodes)]

    def _plain(self, row: Any) -> Dict[Any, Any]:
        """The row of a view as a dict; those of views may count neighbours whose edges are hidden."""
        return {node: dict(edges) if self._multigraph else edges for node, edges in row.items()}

    def _rows(self, reverse: bool) -> Rows:
        adjacency = self._adjacency(reverse)
        offsets = numpy.zeros(len(adjacency) + 1, "i8")
        numpy.cumsum(numpy.fromiter(map(len, adjacency), "i8", len(adjacency)), out=offsets[1:])
        counts = None
        if self._multigraph:
            parallel = chain.from_iterable(row.values() for row in adjacency)
            counts = numpy.fromiter(map(len, parallel), "i8", int(offsets[-1]))
        return Rows(offsets, self._columns(chain.from_iterable(adjacency), int(offsets[-1])), counts)

    def _columns(self, neighbors: Any, count: int) -> numpy.ndarray:
        """The vertices of neighbours."""
        if self._numbered:
            return numpy.fromiter(neighbors, "i8", count)
        if _are_numbers(self.nodes) and self.nodes and 0 <= min(self.nodes) and max(self.nodes) < 4 * len(self.nodes) + 1024:
            table = numpy.zeros(max(self.nodes) + 1, "i8")
            table[self.nodes] = numpy.arange(len(self.nodes))
            columns: numpy.ndarray = table[numpy.fromiter(neighbors, "i8", count)]
            return columns
        return numpy.fromiter(map(self._index_of().__getitem__, neighbors), "i8", count)

    def _weights(self, name: str, merge: Any, reverse: bool) -> numpy.ndarray:
        rows, adjacency = self.rows(reverse), self._adjacency(reverse)
        count = len(rows.columns) if rows.counts is None else int(rows.counts.sum())
        if sum(map(len, adjacency)) == len(rows.columns) and not any(self._edges(adjacency)):
            return merged(numpy.ones(count, "i8"), rows.counts, merge)
        values = [edge.get(name, 1) for edge in self._edges(adjacency)]
        if len(values) != count:
            raise RuntimeError("the graph was changed since it was converted; graph.__networkx_cache__.clear() forgets that")
        return merged(_numbers(values, name), rows.counts, merge)

    def _edges(self, adjacency: List[Any]) -> Iterator[Dict[Any, Any]]:
        """The attributes of every edge, row by row."""
        edges = chain.from_iterable(row.values() for row in adjacency)
        return chain.from_iterable(parallel.values() for parallel in edges) if self._multigraph else edges

    def subgraph(self, vertices: numpy.ndarray) -> Any:
        return self.source.subgraph(self.names(vertices)).copy()

    def to_networkx(self) -> Any:
        return self.source


def _are_numbers(nodes: List[Any]) -> bool:
    return set(map(type, nodes)) <= {int}


def _numbers(values: List[Any], name: str) -> numpy.ndarray:
    """Values of an attribute as integers or reals; others are left to networkx."""
    kinds = set(map(type, values))
    try:
        if all(issubclass(kind, (int, numpy.integer, numpy.bool_)) for kind in kinds):
            return numpy.array(values, "i8")
        if all(issubclass(kind, (int, float, numpy.integer, numpy.floating, numpy.bool_)) for kind in kinds):
            found = numpy.array(values, "f8")
            if (numpy.abs(found[found == numpy.rint(found)]) <= 2.0**53).all():
                return found
    except OverflowError:
        pass
    raise NotImplementedError("values of %r are no numbers of 64 bits" % name)


def from_networkx(graph: Any) -> ConvertedGraph:
    """The graph as arrays: the one that networkx keeps from an earlier call, as all of them have all attributes, or a new
    one."""
    kind = type(graph)
    if not isinstance(graph, networkx.Graph) or kind.__getitem__ is not networkx.Graph.__getitem__ \
            or kind.__iter__ is not networkx.Graph.__iter__:
        raise NotImplementedError("%s is no plain graph of networkx" % kind.__name__)
    if networkx.config.cache_converted_graphs:
        for earlier in cached(graph):
            return earlier
    return ConvertedGraph(graph)


def cached(graph: Any) -> List[ConvertedGraph]:
    """What networkx keeps of conversions of a graph."""
    kept = (getattr(graph, "__networkx_cache__", None) or {}).get("backends", {}).get("quern", {})
    return [one for one in kept.values() if isinstance(one, ConvertedGraph)]
