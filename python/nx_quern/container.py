"""Containers as graphs of networkx: mapped, and used as they are."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, List, Optional

import numpy
import quern
from quern import _convert

from .graph import BackendGraph
from .rows import Rows, merged


class Graph(BackendGraph):
    """A graph of Quern for the functions of networkx: ``nx.pagerank(nx_quern.Graph(graph))``. Its nodes are the ids, as int or
    str. Nothing is copied, but where there are parallel edges."""

    def __init__(self, graph: quern.Graph) -> None:
        super().__init__(graph.directed)
        self.graph = graph
        self._dense = graph.id_form == "dense"
        self._bounds: Optional[numpy.ndarray] = None

    def __len__(self) -> int:
        return self.graph.num_vertices

    def _nodes(self) -> List[Any]:
        return list(range(len(self))) if self._dense else self.graph.ids.tolist()

    def names(self, vertices: numpy.ndarray) -> List[Any]:
        return vertices.tolist() if self._dense else super().names(vertices)

    def _index(self, node: Any) -> int:
        hash(node)
        if isinstance(node, str) != (self.graph.id_form == "strings"):
            raise KeyError(node)
        if not isinstance(node, str):
            if not isinstance(node, (int, float, numpy.integer, numpy.floating)) or not 0 <= node < 2**64 or node != int(node):
                raise KeyError(node)
            node = int(node)
            if self._dense and node >= len(self):
                raise KeyError(node)
            if self._dense:
                return int(node)
        try:
            return int(self.graph.find(node))
        except quern.UsageError:
            raise KeyError(node) from None

    def _rows(self, reverse: bool) -> Rows:
        offsets, columns = self._arrays(reverse)
        if not _convert.has_parallel_edges(self.graph):
            return Rows(offsets, columns)
        begins = numpy.ones(len(columns), bool)  # of a run of parallel edges
        begins[1:] = columns[1:] != columns[:-1]
        begins[offsets[:-1][numpy.diff(offsets) > 0]] = True
        places = numpy.append(numpy.flatnonzero(begins), len(columns))
        return Rows(numpy.searchsorted(places, offsets), columns[places[:-1]], numpy.diff(places))

    def _arrays(self, reverse: bool) -> Any:
        graph = self.graph
        offsets, columns = ((graph.in_row_offsets, graph.in_column_indices) if reverse
                            else (graph.row_offsets, graph.column_indices))
        return offsets.view("i8"), columns

    def _weights(self, name: str, merge: Any, reverse: bool) -> numpy.ndarray:
        rows = self.rows(reverse)
        if name == "weight" and self.graph.weight_dtype is not None:
            values = self.graph.in_weights if reverse else self.graph.weights
        elif name not in self.graph.edge_properties:
            values = numpy.ones(len(self._arrays(reverse)[1]), "i8")
        elif reverse:
            raise NotImplementedError("properties of in-edges are not at hand")
        else:
            values = self.graph.edge_properties[name]
            if values.dtype.kind not in "uifb" or values.ndim != 1 or self.graph.edge_properties.types()[name] == "bf16":
                raise NotImplementedError("values of %r are no numbers" % name)
            values = numpy.ma.filled(values, 1)
        assert values is not None
        if values.dtype == numpy.uint64 and len(values) and values.max() >= 2**63:
            raise NotImplementedError("values of %r have more than 63 bits" % name)
        return merged(values.astype("f8" if values.dtype.kind == "f" else "i8"), rows.counts, merge)

    def unweighted(self, name: Optional[str]) -> bool:
        has_none = self.graph.weight_dtype is None if name == "weight" else True
        return (has_none and name not in self.graph.edge_properties) or super().unweighted(name)

    def _make_engine(self, weight: Optional[str], merge: str, reverse: bool) -> quern.Graph:
        same_weights = weight is None or (weight == "weight" and self.graph.weight_dtype is not None
                                          and self.weights(weight).min(initial=0) >= 0)
        if not same_weights or self.is_multigraph():
            return super()._make_engine(weight, merge, reverse)
        return self.graph.transform(transpose=True, progress=False) if reverse else self.graph

    def subgraph(self, vertices: numpy.ndarray) -> "Graph":
        with tempfile.TemporaryDirectory() as folder:
            listed = Path(folder) / "vertices.txt"
            listed.write_text("".join("%s\n" % name for name in self.names(vertices)), "utf-8", "surrogateescape")
            return Graph(self.graph.transform(induced=listed, progress=False))

    def to_networkx(self) -> Any:
        return self.graph.to_networkx()


def open(path: Any, **given: Any) -> Graph:
    """A container as a graph of networkx; options are those of :func:`quern.open`."""
    return Graph(quern.open(path, **given))
