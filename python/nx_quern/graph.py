"""What the algorithms see of a graph, be it a container or one of networkx that was converted."""

from __future__ import annotations

from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple

import networkx
import numpy
import quern

from .rows import Rows

FEW_EDGES = 1 << 16  # for which several threads would wait for each other


class BackendGraph:
    """A graph whose vertices are 0 to V - 1, in the order of its nodes. What reads it gives the rest: :meth:`_nodes`,
    :meth:`_index`, :meth:`_rows`, :meth:`_weights`, :meth:`subgraph`, :meth:`to_networkx`."""

    __networkx_backend__ = "quern"

    def __init__(self, directed: bool) -> None:
        self._directed = directed
        self._node_list: Optional[List[Any]] = None
        self._row_cache: Dict[bool, Rows] = {}
        self._weight_cache: Dict[Tuple[str, str, bool], numpy.ndarray] = {}
        self._engines: Dict[Tuple[Optional[str], str, bool], quern.Graph] = {}
        self.__networkx_cache__: Dict[str, Any] = {}

    def _nodes(self) -> List[Any]:
        raise NotImplementedError

    def _index(self, node: Any) -> int:
        raise NotImplementedError

    def _rows(self, reverse: bool) -> Rows:
        raise NotImplementedError

    def _weights(self, name: str, merge: Any, reverse: bool) -> numpy.ndarray:
        raise NotImplementedError

    def __getstate__(self) -> Dict[str, Any]:
        """networkx keeps what was converted in its graph, which may be pickled, or copied."""
        return {**vars(self), "_engines": {}}

    def subgraph(self, vertices: numpy.ndarray) -> Any:
        """The vertices (ascending) and all edges between them, with their attributes."""
        raise NotImplementedError

    def to_networkx(self) -> Any:
        """The whole graph as one of networkx."""
        raise NotImplementedError

    # ---- What networkx asks of a graph ----------------------------------------------------------

    def is_directed(self) -> bool:
        return self._directed

    def is_multigraph(self) -> bool:
        return self.rows().counts is not None

    def __len__(self) -> int:
        return len(self.rows())

    def __iter__(self) -> Iterator[Any]:
        return iter(self.nodes)

    def __contains__(self, node: Any) -> bool:
        try:
            self.index(node)
        except (KeyError, TypeError):
            return False
        return True

    def has_node(self, node: Any) -> bool:
        return node in self

    def has_edge(self, u: Any, v: Any) -> bool:
        return u in self and v in self and bool((self.rows().row(self.index(u)) == self.index(v)).any())

    def order(self) -> int:
        return len(self)

    number_of_nodes = order

    def number_of_edges(self) -> int:
        stored = int(self.rows().degrees.sum())
        return stored if self._directed else (stored + int(self.rows().loops.sum())) // 2

    def size(self) -> int:
        return self.number_of_edges()

    def neighbors(self, node: Any) -> Iterator[Any]:
        return self._neighbors(node, False)

    successors = neighbors

    def predecessors(self, node: Any) -> Iterator[Any]:
        return self._neighbors(node, True)

    def _neighbors(self, node: Any, reverse: bool) -> Iterator[Any]:
        try:
            vertex = self.index(node)
        except (KeyError, TypeError):
            raise networkx.NetworkXError("The node %s is not in the graph." % (node,)) from None
        return iter(self.names(self.rows(reverse).row(vertex)))

    def nbunch_iter(self, nbunch: Any = None) -> Iterator[Any]:
        """As networkx has it: all nodes, one, or those of several that are in the graph."""
        if nbunch is None:
            return iter(self)
        if nbunch in self:
            return iter([nbunch])
        try:
            return iter([node for node in nbunch if node in self])
        except TypeError:
            raise networkx.NetworkXError("nbunch is not a node or a sequence of nodes.") from None

    def __repr__(self) -> str:
        kind = "directed" if self._directed else "undirected"
        return "<%s: %s, %d nodes>" % (type(self).__name__, kind, len(self))

    # ---- Nodes and vertices ---------------------------------------------------------------------

    @property
    def nodes(self) -> List[Any]:
        """The nodes in their order."""
        if self._node_list is None:
            self._node_list = self._nodes()
        return self._node_list

    def names(self, vertices: numpy.ndarray) -> List[Any]:
        nodes = self.nodes
        return [nodes[vertex] for vertex in vertices.tolist()]

    def index(self, node: Any) -> int:
        """The vertex of a node: KeyError if there is none, TypeError if it cannot be one."""
        return self._index(node)

    def indices(self, nodes: Iterable[Any]) -> numpy.ndarray:
        return numpy.array([self.index(node) for node in nodes], "i8")

    def of_nodes(self, values: numpy.ndarray) -> Dict[Any, Any]:
        """A value for each vertex as a dict by node."""
        return dict(zip(self.nodes, values.tolist()))

    def vector(self, values: Any) -> numpy.ndarray:
        """A dict by node as an array; nodes that are not in it have 0."""
        return numpy.array([values.get(node, 0) for node in self.nodes], float)

    # ---- Edges ----------------------------------------------------------------------------------

    def rows(self, reverse: bool = False) -> Rows:
        """Successors of each vertex, or with ``reverse`` predecessors."""
        reverse = reverse and self._directed
        if reverse not in self._row_cache:
            self._row_cache[reverse] = self._rows(reverse)
        return self._row_cache[reverse]

    def degrees(self) -> numpy.ndarray:
        """As networkx counts them: in- and out-edges, a loop twice."""
        degrees: numpy.ndarray = self.rows().degrees + (self.rows(True).degrees if self._directed else self.rows().loops)
        return degrees

    def weights(self, name: str, merge: str = "add", reverse: bool = False) -> numpy.ndarray:
        """The attribute `name` for each column of the rows: integers or reals; 1 where there is none. Parallel edges
        count in sum (``"add"``) or the least of them (``"minimum"``)."""
        key = name, merge, reverse and self._directed
        if key not in self._weight_cache:
            self._weight_cache[key] = self._weights(name, getattr(numpy, merge), key[2])
        return self._weight_cache[key]

    def unweighted(self, name: Optional[str]) -> bool:
        """Every edge has the weight 1."""
        return name is None or bool((self.weights(name) == 1).all())

    # ---- Algorithms -----------------------------------------------------------------------------

    def engine(self, weight: Optional[str] = None, merge: str = "minimum", reverse: bool = False) -> quern.Graph:
        """A container of the graph without parallel edges, for the algorithms of Quern. With ``weight`` it has the weight of
        each edge, which must not be negative, of parallel edges as ``merge`` says."""
        key = weight, merge if weight is not None else "", reverse and self._directed
        if key not in self._engines:
            self._engines[key] = self._make_engine(*key)
        return self._engines[key]

    def _make_engine(self, weight: Optional[str], merge: str, reverse: bool) -> quern.Graph:
        given: Dict[str, Any] = {}
        rows, values = self.rows(reverse), None
        if weight is not None:
            values = self.weights(weight, merge, reverse)
            if len(values) and not (numpy.isfinite(values).all() and values.min() >= 0):
                raise NotImplementedError("weights are negative or not finite")
            if values.dtype.kind == "f":
                given["weight_type"] = "f64"
            elif len(values) and values.max() >= 2**32:
                given["weight_type"] = "i64"
        sources, targets = rows.sources, rows.columns
        if not self._directed:
            upper = sources <= targets
            sources, targets = sources[upper], targets[upper]
            values = None if values is None else values[upper]
        return quern.from_arrays(sources.astype("u4"), targets.astype("u4", copy=False), values, num_vertices=len(rows),
                                 directed=self._directed, progress=False, threads=1 if len(sources) < FEW_EDGES else None, **given)

    def run(self, algorithm: str, *, weight: Optional[str] = None, merge: str = "minimum", reverse: bool = False,
            sources: Optional[List[int]] = None, target: Optional[int] = None, **options: Any) -> quern.Result:
        """Run an algorithm on :meth:`engine`. Ends of searches are vertices; where it runs is in ``nx.config.backends.quern``."""
        engine = self.engine(weight, merge, reverse)
        called = engine.id_form != "dense"
        if sources is not None:
            options["source"] = [self.nodes[source] for source in sources] if called else sources
        if target is not None:
            options["target"] = self.nodes[target] if called else target
        chosen = networkx.config.backends["quern"]
        threads = chosen.threads or (1 if engine.num_edges < FEW_EDGES else None)
        return engine.run(algorithm, device=chosen.device, threads=threads, progress=False, **options)
