"""PyTorch Geometric on graphs of Quern: stores, a sampler, loaders; and Data and HeteroData there and back.

    from quern import pyg
    loader = pyg.neighbor_loader(graph, [15, 10], "train_mask", batch_size=1024, shuffle=True, num_workers=4)
    for batch in loader:            # Data: x, edge_index, batch_size, n_id, ...
        model(batch.x, batch.edge_index)[:batch.batch_size]

Vertices are numbers from 0, in the order of ``graph.ids``, of a set with types in the order of the ids of their type.
"""

from __future__ import annotations

import hashlib
import warnings
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy

from . import _errors
from ._convert import sources_of
from ._features import Feature
from ._optional import need
from ._sampler import Batch, EdgeType, as_times
from ._sampler import Sampler as _Sampler
from ._sources import from_arrays
from ._types import from_types

torch: Any = need("torch")
_data: Any = need("torch_geometric.data")
_sampler: Any = need("torch_geometric.sampler")
_neighbors: Any = need("torch_geometric.sampler.neighbor_sampler")
_loader: Any = need("torch_geometric.loader")
_EdgeAttr: Any = need("torch_geometric.data.graph_store").EdgeAttr

_WIDER = {"u2": "i4", "u4": "i8", "u8": "i8"}
"""What PyTorch has instead of types that it has not in all its versions."""


def _threads() -> Optional[int]:
    """One in a worker of a loader, as its siblings work too."""
    return None if torch.utils.data.get_worker_info() is None else 1


def _tensor(values: Any, kind: str = "") -> Any:
    """An array as a tensor, without a copy where the type is one of PyTorch's and the array is nobody else's."""
    array = values.filled(0) if isinstance(values, numpy.ma.MaskedArray) else numpy.asarray(values)
    if kind == "bf16":
        return torch.from_numpy(numpy.ascontiguousarray(array).view("i2").copy()).view(torch.bfloat16)
    if array.dtype.kind == "M":
        array = array.astype("i8")
    if array.dtype.str[1:] == "u8" and len(array) and int(array.max()) >= 2**63:
        raise _errors.UsageError("PyTorch has no integers from 2^63 on")
    wider = _WIDER.get(array.dtype.str[1:])
    array = array.astype(wider) if wider else array if array.flags.writeable else array.copy()
    return torch.from_numpy(array)


def _names(graph: Any) -> Tuple[Optional[Tuple[str, ...]], Tuple[Any, ...]]:
    """The types of vertices and of edges; None where there is one."""
    return (graph.vertex_types, graph.edge_types) if graph.vertex_types else (None, (None,))


class _Part:
    """The rows of one edge type, and where its two types begin among its vertices."""

    def __init__(self, graph: Any, edge_type: Optional[EdgeType]) -> None:
        self.graph = graph if edge_type is None else graph.project(edge_type)
        self.sizes = (graph.num_vertices, graph.num_vertices)
        self.first = (0, 0)
        if edge_type is not None:
            sizes, names = graph._vertex_type_sizes(), list(graph.vertex_types)
            source, target = edge_type[0], edge_type[2]
            self.sizes = sizes[source], sizes[target]
            self.first = (sizes[target] if names.index(source) > names.index(target) else 0,
                          sizes[source] if names.index(source) < names.index(target) else 0)

    def _rows(self, which: int) -> Tuple[numpy.ndarray, numpy.ndarray]:
        """Offsets and columns by sources (0) or destinations (1), of these types alone."""
        offsets, columns = ((self.graph.row_offsets, self.graph.column_indices) if which == 0 else
                            (self.graph.in_row_offsets, self.graph.in_column_indices))
        first, count, other = self.first[which], self.sizes[which], self.first[1 - which]
        return offsets[first:first + count + 1].astype("i8"), columns.astype("i8") - other

    def edge_index(self, layout: str) -> Tuple[Any, Any]:
        if layout == "csr":
            offsets, columns = self._rows(0)
            return torch.from_numpy(offsets), torch.from_numpy(columns)
        if layout == "csc":
            offsets, columns = self._rows(1)
            return torch.from_numpy(columns), torch.from_numpy(offsets)
        sources = sources_of(self.graph.row_offsets, 0, self.graph.num_stored_edges).astype("i8") - self.first[0]
        return torch.from_numpy(sources), torch.from_numpy(self._rows(0)[1])


class GraphStore(_data.GraphStore):  # type: ignore[misc]
    """The edges of a graph, or of each edge type of a set with types, for PyG. :class:`Sampler` does not go through it; who asks for
    an ``edge_index`` gets int64 in memory."""

    def __init__(self, graph: Any) -> None:
        super().__init__()
        self.graph = graph
        self._parts: Dict[Any, _Part] = {}

    def _part(self, edge_type: Any) -> Optional[_Part]:
        if edge_type not in _names(self.graph)[1]:
            return None
        if edge_type not in self._parts:
            self._parts[edge_type] = _Part(self.graph, edge_type)
        return self._parts[edge_type]

    def _put_edge_index(self, edge_index: Any, edge_attr: Any) -> bool:
        return False

    def _remove_edge_index(self, edge_attr: Any) -> bool:
        return False

    def _get_edge_index(self, edge_attr: Any) -> Any:
        part = self._part(edge_attr.edge_type)
        return None if part is None else part.edge_index(edge_attr.layout.value)

    def get_all_edge_attrs(self) -> List[Any]:
        """One for each edge type."""
        sizes = self.graph._vertex_type_sizes() if self.graph.vertex_types else {}
        return [_EdgeAttr(edge_type, "csc", size=(sizes[edge_type[0]], sizes[edge_type[2]]) if edge_type else
                          (self.graph.num_vertices, self.graph.num_vertices)) for edge_type in _names(self.graph)[1]]

    def __reduce__(self) -> Any:
        return GraphStore, (self.graph,)

    def __repr__(self) -> str:
        return "GraphStore(%r)" % self.graph


class FeatureStore(_data.FeatureStore):  # type: ignore[misc]
    """The properties of a graph's vertices for PyG, all but texts or those that are named (of a set with types a dict of names by type).
    ``read`` and ``cache`` (for each) are :class:`quern.Feature`'s. Tensors that are put are kept in memory."""

    def __init__(self, graph: Any, properties: Any = None, *, read: bool = False, cache: Union[int, str, None] = None) -> None:
        super().__init__()
        self.graph, self._given = graph, (properties, read, cache)
        self._features: Dict[Tuple[Any, str], Feature] = {}
        self._more: Dict[Tuple[Any, str], Any] = {}
        groups = _names(graph)[0]
        if groups is not None and properties is not None and not isinstance(properties, Mapping):
            raise _errors.UsageError("properties of a set with types are a dict of names by type of vertices")
        for group in groups or (None,):
            owner = graph if group is None else graph.project(vertex_types=group)
            wanted = properties if group is None or properties is None else properties.get(group, ())
            for name in list(owner.features) if wanted is None else [wanted] if isinstance(wanted, str) else wanted:
                self._features[group, name] = Feature(owner, name, read=read, cache=cache)

    def _put_tensor(self, tensor: Any, attr: Any) -> bool:
        if attr.index is not None:
            return False
        self._more[attr.group_name, attr.attr_name] = torch.as_tensor(tensor)
        return True

    def _remove_tensor(self, attr: Any) -> bool:
        return self._more.pop((attr.group_name, attr.attr_name), None) is not None

    def _get_tensor(self, attr: Any) -> Any:
        key = attr.group_name, attr.attr_name
        index: Any = attr.index
        if key in self._more:
            return self._more[key] if index is None else self._more[key][index]
        feature = self._features.get(key)
        if feature is None:
            return None
        if index is None:
            index = numpy.arange(len(feature))
        elif isinstance(index, slice):
            index = numpy.arange(*index.indices(len(feature)))
        elif isinstance(index, torch.Tensor) and index.dtype == torch.bool:
            index = index.nonzero().view(-1)
        values = feature.gather(index.numpy() if isinstance(index, torch.Tensor) else numpy.atleast_1d(index), threads=_threads())
        return _tensor(values, feature.kind)

    def _get_tensor_size(self, attr: Any) -> Any:
        key = attr.group_name, attr.attr_name
        if key in self._more:
            return tuple(self._more[key].shape)
        return self._features[key].shape if key in self._features else None

    def get_all_tensor_attrs(self) -> List[Any]:
        """Every property, and what was put."""
        return [self._tensor_attr_cls(group_name=group, attr_name=name) for group, name in [*self._features, *self._more]]

    def __reduce__(self) -> Any:
        properties, read, cache = self._given
        return _feature_store, (self.graph, properties, read, cache, self._more)

    def __repr__(self) -> str:
        return "FeatureStore(%s)" % ", ".join("%s" % (name if group is None else group + "." + name) for group, name in self._features)


def _feature_store(graph: Any, properties: Any, read: bool, cache: Any, more: Dict[Any, Any]) -> FeatureStore:
    store = FeatureStore(graph, properties, read=read, cache=cache)
    store._more.update(more)
    return store


def stores(graph: Any, properties: Any = None, *, read: bool = False, cache: Union[int, str, None] = None) -> Tuple[FeatureStore, GraphStore]:
    """A feature store and a graph store, as the loaders of PyG take them."""
    return FeatureStore(graph, properties, read=read, cache=cache), GraphStore(graph)


class Sampler(_sampler.BaseSampler):  # type: ignore[misc]
    """Sampled neighbours for PyG's loaders, by :class:`quern.Sampler`; ``num_neighbors``, ``replace``, ``disjoint``, ``time_attr`` and
    ``subgraph_type`` (directional or bidirectional) are as PyG's ``NeighborLoader`` has them, ``edge_time_attr`` is the same of edges. A batch
    follows from ``seed``, :attr:`epoch` and its vertices, whatever the number of workers."""

    def __init__(self, graph: Any, num_neighbors: Any, *, replace: bool = False, disjoint: bool = False, subgraph_type: str = "directional",
                 time_attr: Any = None, edge_time_attr: Any = None, edge_ids: bool = False, seed: int = 0,
                 threads: Optional[int] = None) -> None:
        kind = getattr(subgraph_type, "value", subgraph_type)
        if kind not in ("directional", "bidirectional"):
            raise _errors.UsageError("subgraph_type is 'directional' or 'bidirectional', not %r; induced graphs are quern.Sampler.induced's" % kind)
        self.sampler = _Sampler(graph, num_neighbors, replace=replace, disjoint=disjoint, time=time_attr, edge_time=edge_time_attr,
                                edge_ids=edge_ids or kind == "bidirectional", seed=seed, threads=threads)
        self.graph, self.subgraph_type = graph, kind
        self.epoch = 0
        """Of whole epochs in the same order, such as of all vertices without ``shuffle``: another number samples other neighbours."""

    def _number(self, seeds: Any) -> Optional[int]:
        """One that follows from the epoch and the seeds."""
        if not self.epoch:
            return None
        digest = hashlib.blake2b(b"%d" % self.epoch, digest_size=8)
        for part in seeds.values() if isinstance(seeds, dict) else [seeds]:
            digest.update(numpy.ascontiguousarray(part).tobytes())
        return int.from_bytes(digest.digest(), "little")

    def _times_of(self, seeds: Any, times: Any) -> Any:
        """Seeds without times have those of their vertices."""
        if times is not None:
            return {key: as_times(value, "times") for key, value in times.items()} if isinstance(times, dict) else as_times(times, "times")
        names, of_vertices = self.sampler.vertex_types, self.sampler._times
        if not any(value is not None for value in of_vertices):
            return None
        if names is None:
            return of_vertices[0][seeds]  # type: ignore[index]
        return {key: of_vertices[names.index(key)][value] for key, value in seeds.items()  # type: ignore[index]
                if of_vertices[names.index(key)] is not None}

    def _sample(self, seeds: Any, times: Any = None) -> Any:
        """Of tensors, as PyG calls it."""
        arrays = {key: value.numpy() for key, value in seeds.items()} if isinstance(seeds, dict) else seeds.numpy()
        times = {key: value.numpy() for key, value in times.items() if value is not None} if isinstance(times, dict) else \
            None if times is None else times.numpy()
        batch = self.sampler.sample(arrays, times=self._times_of(arrays, times), batch=self._number(arrays), threads=_threads())
        return self._output(batch)

    def _output(self, batch: Batch) -> Any:
        def tensors(values: Any) -> Any:
            if values is None:
                return None
            return {key: torch.from_numpy(value) for key, value in values.items()} if isinstance(values, dict) else torch.from_numpy(values)

        kind = _sampler.SamplerOutput if self.sampler.vertex_types is None else _sampler.HeteroSamplerOutput
        out = kind(node=tensors(batch.node), row=tensors(batch.row), col=tensors(batch.col), edge=tensors(batch.edge), batch=tensors(batch.batch),
                   num_sampled_nodes=batch.num_sampled_nodes, num_sampled_edges=batch.num_sampled_edges)
        return out.to_bidirectional() if self.subgraph_type == "bidirectional" else out

    def sample_from_nodes(self, index: Any, **options: Any) -> Any:
        """Around some vertices."""
        by_type = index.input_type is not None
        seeds = {index.input_type: index.node} if by_type else index.node
        times = None if index.time is None else {index.input_type: index.time} if by_type else index.time
        out = self._sample(seeds, times)
        out.metadata = (index.input_id, index.time)
        return out

    def sample_from_edges(self, index: Any, neg_sampling: Any = None) -> Any:
        """Around the ends of some edges, and of negative ones as PyG draws them."""
        names, times = self.sampler.vertex_types, [None if values is None else torch.from_numpy(values) for values in self.sampler._times]
        counts = self.sampler._num_vertices
        return _neighbors.edge_sample(index, self._sample, counts[0] if names is None else dict(zip(names, counts)), self.sampler.disjoint,
                                      times[0] if names is None else dict(zip(names, times)), neg_sampling)

    @property
    def edge_permutation(self) -> None:
        """Edges are numbered as in the graph."""
        return None


def _choice(graph: Any, asked: Any) -> Any:
    """Vertices by the name of a property of bool, as PyG takes them: an array of them, or (type, array)."""
    if graph.vertex_types:
        group, asked = asked if isinstance(asked, (tuple, list)) else (asked, None)
        if group not in graph.vertex_types:
            raise _errors.UsageError("input_nodes: there is not a vertex type %r; there are: %s" % (group, ", ".join(graph.vertex_types)))
        owner = graph.project(vertex_types=group) if isinstance(asked, str) else graph
        count = graph._vertex_type_sizes()[group]
        return group, _mask(owner, asked, count)
    return _mask(graph, asked, graph.num_vertices)


def _mask(graph: Any, asked: Any, count: int) -> Any:
    if asked is None:
        return torch.arange(count)
    if isinstance(asked, str):
        if asked not in graph.vertex_properties:
            raise _errors.UsageError("input_nodes: vertices have no property %r" % asked)
        mask = numpy.ma.filled(graph.vertex_properties[asked], False)
        if mask.dtype.kind != "b" or mask.ndim != 1:
            raise _errors.UsageError("input_nodes: the property %r is not one of bool" % asked)
        return torch.from_numpy(numpy.flatnonzero(mask))
    return torch.as_tensor(asked)


_OF_SAMPLER = ("replace", "disjoint", "subgraph_type", "time_attr", "edge_time_attr", "edge_ids", "seed", "threads")


def _loading(graph: Any, num_neighbors: Any, options: Dict[str, Any]) -> Tuple[Any, Sampler]:
    of_stores = {name: options.pop(name) for name in ("properties", "read", "cache") if name in options}
    sampler = Sampler(graph, num_neighbors, **{name: options.pop(name) for name in _OF_SAMPLER if name in options})
    return stores(graph, **of_stores), sampler


def neighbor_loader(graph: Any, num_neighbors: Any, input_nodes: Any = None, **options: Any) -> Any:
    """A ``NeighborLoader`` of PyG on a graph. ``input_nodes`` are vertices, a mask, or the name of a property of bool; of a set with types
    a type, or (type, one of these). Options are those of :class:`Sampler`, of :func:`stores`, and of PyG's loader (``batch_size``,
    ``shuffle``, ``num_workers``, ``transform``, ...)."""
    data, sampler = _loading(graph, num_neighbors, options)
    time = options.pop("input_time", None)
    return _loader.NeighborLoader(data, num_neighbors=num_neighbors, input_nodes=_choice(graph, input_nodes), neighbor_sampler=sampler,
                                  time_attr=None if time is None else "time", input_time=time, **options)


def link_neighbor_loader(graph: Any, num_neighbors: Any, edge_label_index: Any, **options: Any) -> Any:
    """A ``LinkNeighborLoader`` of PyG on a graph: around the ends of ``edge_label_index``, int64[2, n], of a set with types (edge type,
    that), and of negative ones (``neg_sampling``). Other options are as :func:`neighbor_loader` has them."""
    data, sampler = _loading(graph, num_neighbors, options)
    if graph.vertex_types:
        edge_type, index = edge_label_index
        edge_label_index = tuple(edge_type), torch.as_tensor(index)
    else:
        edge_label_index = None, torch.as_tensor(edge_label_index)
    time = options.pop("edge_label_time", None)
    return _loader.LinkNeighborLoader(data, num_neighbors=num_neighbors, edge_label_index=edge_label_index, neighbor_sampler=sampler,
                                      time_attr=None if time is None else "time", edge_label_time=time, **options)


# ---- There and back -----------------------------------------------------------------------------

def _put_properties(store: Any, properties: Any, what: str) -> None:
    for name, kind in properties.types().items():
        if kind == "string":
            warnings.warn(_errors.QuernWarning("tensors have no texts: %s property %r is left out" % (what, name), "texts-left-out", True),
                          stacklevel=4)
        else:
            store[name] = _tensor(properties[name], kind.partition("x")[0])


def to_pyg(graph: Any) -> Any:
    """A ``Data`` of PyG, or of a set with types a ``HeteroData``: ``edge_index``, ``edge_weight`` where there are weights, and all
    properties but texts under their names. Edges are in the order of ``column_indices``, undirected ones in both directions."""
    groups, edge_types = _names(graph)
    data = _data.Data() if groups is None else _data.HeteroData()
    for group in groups or (None,):
        owner, store = (graph, data) if group is None else (graph.project(vertex_types=group), data[group])
        store.num_nodes = graph.num_vertices if group is None else graph._vertex_type_sizes()[group]
        _put_properties(store, owner.vertex_properties, "the vertices'")
    for edge_type in edge_types:
        part, store = _Part(graph, edge_type), data if edge_type is None else data[edge_type]
        store.edge_index = torch.stack(part.edge_index("coo"))
        if part.graph.weights is not None:
            store.edge_weight = _tensor(part.graph.weights)
        _put_properties(store, part.graph.edge_properties, "the edges'")
    return data


def _columns(data: Any, is_one: Any, skipped: Sequence[str]) -> Dict[str, numpy.ndarray]:
    """Tensors of one row a vertex, or edge, as properties."""
    found: Dict[str, numpy.ndarray] = {}
    for name, value in list(data.items()):
        if name in skipped or not isinstance(value, torch.Tensor) or not is_one(name):
            continue
        if value.dim() > 2 or value.is_complex():
            raise _errors.UsageError("%s: a property has numbers, or vectors of them; not a tensor of %s of the shape %s"
                                     % (name, value.dtype, tuple(value.shape)))
        value = value.detach().cpu().contiguous()
        if value.dtype == torch.bfloat16:
            value = value.float()
        found[name] = value.numpy()
    return found


def _edges_of(store: Any, of_vertices: Sequence[str] = ()) -> Dict[str, Any]:
    """``edge_index``, ``weight``, and properties."""
    index = store.get("edge_index")
    found: Dict[str, Any] = {"edge_index": numpy.zeros((2, 0), "i8") if index is None else numpy.ascontiguousarray(index.cpu().numpy())}
    if store.get("edge_weight") is not None:
        found["weight"] = store["edge_weight"].detach().cpu().numpy()
    return {**found, **_columns(store, store.is_edge_attr, ("edge_index", "edge_weight", *of_vertices))}


def from_pyg(data: Any, path: Any = None, **options: Any) -> Any:
    """A graph of a ``Data`` of PyG: its ``edge_index``, ``edge_weight`` as weights, and tensors of one row a vertex or an edge as
    properties (bfloat16 as float32). Options are those of :func:`quern.from_arrays`. Of a ``HeteroData`` a set with types at ``path``, by
    :func:`quern.from_types`."""
    if isinstance(data, _data.HeteroData):
        if path is None:
            raise _errors.UsageError("a HeteroData becomes a set with types, which is a folder: path= says where")
        vertices = {name: _columns(data[name], data[name].is_node_attr, ()) or data[name].num_nodes for name in data.node_types}
        return from_types(vertices, {name: _edges_of(data[name]) for name in data.edge_types}, path, **options)
    if not isinstance(data, _data.Data):
        raise _errors.UsageError("from_pyg takes a Data or a HeteroData of PyG, not %s" % type(data).__name__)
    of_vertices = _columns(data, data.is_node_attr, ("edge_index", "edge_weight"))
    edges = _edges_of(data, list(of_vertices))
    sources, targets = edges.pop("edge_index")
    return from_arrays(sources, targets, edges.pop("weight", None), path=path, num_vertices=data.num_nodes,
                       vertex_properties=of_vertices or None, edge_properties=edges or None, **options)


__all__ = ["FeatureStore", "GraphStore", "Sampler", "from_pyg", "link_neighbor_loader", "neighbor_loader", "stores", "to_pyg"]
