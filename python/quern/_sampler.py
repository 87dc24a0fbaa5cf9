"""Batches for training graph neural networks: sampled neighbours, induced graphs, walks, pairs that no edge joins."""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy

from . import _errors, _library
from ._calls import byte_count, check, thread_count, view
from ._library import library

EdgeType = Tuple[str, str, str]
Seeds = Union[Any, Mapping[str, Any]]
"""Vertices as an array of integers; of a graph with types a dict of these by type."""

OUT, IN = 0, 1


class _Handle:
    """A sampler of the library, closed when neither a sampler nor a batch refers to it any more."""

    def __init__(self) -> None:
        self.pointer = ctypes.c_void_p()

    def __del__(self, close: Any = library.qn_sampler_close) -> None:
        close(self.pointer)


class _BatchHandle:
    """A batch of the library, closed when none of its arrays is in use any more."""

    def __init__(self, pointer: Optional[int], keep: Any) -> None:
        self.pointer, self.keep = ctypes.c_void_p(pointer), keep

    def __del__(self, close: Any = library.qn_batch_close) -> None:
        close(self.pointer)


def _counts(address: Optional[int], count: int) -> List[int]:
    return list((ctypes.c_int64 * count).from_address(address)) if address and count else []


class Batch:
    """What was sampled. Arrays are int64 and without a copy in memory of the library, which nobody else uses as long as they are
    there: they may be written to, and other libraries take them (``torch.from_numpy``, DLPack).

    Of a graph without types these are arrays and lists, of one with types dicts of them by type of vertices or of edges.
    """

    def __init__(self, sampler: "Sampler", handle: _BatchHandle, disjoint: bool) -> None:
        types, edges, out = range(len(sampler._num_vertices)), range(sampler._num_edge_types), sampler.direction == "out"
        vertices_of = [self._vertices(handle, type, sampler.num_hops, disjoint) for type in types]
        edges_of = [self._edges(handle, type, sampler.num_hops, out, sampler.edge_ids) for type in edges]

        def by_type(names: Optional[Sequence[Any]], entries: List[Dict[str, Any]], field: str) -> Any:
            return entries[0][field] if names is None else {name: entry[field] for name, entry in zip(names, entries)}

        self.node: Any = by_type(sampler.vertex_types, vertices_of, "node")
        """The vertices: the seeds, then hop by hop those that are new."""
        self.row: Any = by_type(sampler.edge_types, edges_of, "row")
        """Edges lead from ``node[row]`` ..."""
        self.col: Any = by_type(sampler.edge_types, edges_of, "col")
        """... to ``node[col]``."""
        self.edge: Any = by_type(sampler.edge_types, edges_of, "edge") if sampler.edge_ids else None
        """Their numbers, in the order of ``column_indices``, where the sampler has ``edge_ids=True``."""
        self.batch: Any = by_type(sampler.vertex_types, vertices_of, "batch") if disjoint else None
        """Of disjoint trees, the seed that each vertex was sampled for, counted over all types."""
        self.num_sampled_nodes: Any = by_type(sampler.vertex_types, vertices_of, "hops")
        """How many of ``node`` are seeds, and new in each hop."""
        self.num_sampled_edges: Any = by_type(sampler.edge_types, edges_of, "hops")
        """How many edges were sampled in each hop."""

    @staticmethod
    def _vertices(handle: _BatchHandle, type: int, hops: int, disjoint: bool) -> Dict[str, Any]:
        found = _library.BatchVertices()
        check("qn_batch_vertices", handle.pointer, type, ctypes.byref(found))
        return {"node": view(found.vertices, "i8", found.count, handle, True), "hops": _counts(found.hops, hops + 1),
                "batch": view(found.trees, "i8", found.count, handle, True) if disjoint else None}

    @staticmethod
    def _edges(handle: _BatchHandle, type: int, hops: int, out: bool, numbers: bool) -> Dict[str, Any]:
        found = _library.BatchEdges()
        check("qn_batch_edges", handle.pointer, type, ctypes.byref(found))
        neighbors, centers = (view(address, "i8", found.count, handle, True) for address in (found.neighbors, found.centers))
        return {"row": centers if out else neighbors, "col": neighbors if out else centers, "hops": _counts(found.hops, hops),
                "edge": view(found.numbers, "i8", found.count, handle, True) if numbers else None}

    def __repr__(self) -> str:
        nodes, rows = (value if isinstance(value, dict) else {"": value} for value in (self.node, self.row))
        return "<quern.Batch of %d vertices and %d edges>" % (sum(map(len, nodes.values())), sum(map(len, rows.values())))


def _as_vertices(values: Any, what: str) -> numpy.ndarray:
    """An array of int64."""
    array = numpy.asarray(values)
    if array.ndim != 1 or (array.dtype.kind not in "iu" and len(array)):
        raise _errors.UsageError("%s: vertices are an array of integers of one dimension, not %s of the shape %s"
                                 % (what, array.dtype, array.shape))
    if array.dtype == "u8" and len(array) and int(array.max()) >= 2**63:
        raise _errors.UsageError("%s: there is not a vertex %d" % (what, array.max()))
    return numpy.ascontiguousarray(array, "i8")


def as_times(values: Any, what: str) -> numpy.ndarray:
    """Integers, dates or timestamps as int64."""
    if numpy.ma.is_masked(values):
        raise _errors.UsageError("%s: a time is null" % what)
    array: numpy.ndarray = numpy.asarray(values)
    if array.dtype.kind == "M":
        if numpy.isnat(array).any():
            raise _errors.UsageError("%s: a time is null" % what)
        array = array.astype("i8")
    if array.ndim != 1 or array.dtype.kind not in "iu" or (array.dtype == "u8" and len(array) and int(array.max()) >= 2**63):
        raise _errors.UsageError("%s: times are integers of 64 bits, dates or timestamps, not %s" % (what, array.dtype))
    return numpy.ascontiguousarray(array, "i8")


def _of_length(array: numpy.ndarray, length: int, what: str) -> numpy.ndarray:
    if len(array) != length:
        raise _errors.UsageError("%s: %d values are expected, not %d" % (what, length, len(array)))
    return array


class _Edges:
    """A type of edges: the graph that has them, and which of its vertices are 0 of their types."""

    def __init__(self, graph: Any, source: int, target: int, first_source: int, first_target: int) -> None:
        self.graph, self.source, self.target = graph, source, target
        self.first_source, self.first_target = first_source, first_target


class SetFiles:
    """A set that is sampled where its files lie: what a sampler asks of a graph."""

    vertex_types: Tuple[str, ...] = ()
    vertex_properties: Mapping[str, Any] = {}
    edge_properties: Mapping[str, Any] = {}
    _handle = None

    def __init__(self, path: Any) -> None:
        self.path = os.path.abspath(path)
        manifest = os.path.join(self.path, "set.json")
        try:
            counts = json.loads(Path(manifest).read_text(encoding="utf-8"))["graph"]
            self.num_vertices, self.num_stored_edges = int(counts["vertices"]), int(counts["edges"])
        except OSError as problem:
            raise _errors.SystemFailure(problem.strerror or str(problem), manifest) from problem
        except (ValueError, KeyError, TypeError, RecursionError) as problem:
            raise _errors.InvalidError("this is not a manifest of a set: %r" % problem, manifest) from problem

    def __repr__(self) -> str:
        return "the set %r" % self.path


class Sampler:
    """Batches of a graph, for training: see :func:`sampler`. Vertices are numbers from 0, in the order of ``graph.ids``
    (``graph.find`` has them); of a set with types, in the order of the ids of their type.

    A batch has a number: the same seed and number give the same batch, on any number of threads and in any process. Without a
    number it is one that follows from the seeds.
    """

    def __init__(self, graph: Any, fanouts: Any, *, replace: bool = False, disjoint: bool = False, direction: str = "in",
                 edge_types: Optional[Sequence[EdgeType]] = None, time: Any = None, edge_time: Any = None, seed: int = 0,
                 edge_ids: bool = False, read: bool = False, cache: Union[int, str, None] = None, threads: Optional[int] = None) -> None:
        if direction not in ("in", "out"):
            raise _errors.UsageError("direction is 'in' or 'out', not %r" % (direction,))
        self._given = (graph, fanouts, dict(replace=replace, disjoint=disjoint, direction=direction, edge_types=edge_types, time=time,
                                            edge_time=edge_time, seed=seed, edge_ids=edge_ids, read=read, cache=cache, threads=threads))
        if isinstance(graph, (str, os.PathLike)):
            graph = SetFiles(graph)
        if cache is not None and not read:
            raise _errors.UsageError("cache is for read=True: what is mapped is in the system's")
        self._reads = bool(read), byte_count(cache)
        self.graph, self.direction, self.seed, self.threads, self.edge_ids = graph, direction, int(seed), threads, edge_ids
        self.disjoint = disjoint or time is not None or edge_time is not None
        self.vertex_types: Optional[Tuple[str, ...]] = graph.vertex_types or None
        self.edge_types: Optional[Tuple[EdgeType, ...]] = None
        self._edges = self._types(edge_types) if self.vertex_types else [_Edges(graph, 0, 0, 0, 0)]
        self._num_edge_types = len(self._edges)
        self._keep: List[Any] = []
        self._fanouts = self._take_fanouts(fanouts)
        self.num_hops = self._fanouts.shape[1]
        """Hops, the length of ``fanouts``."""
        self._walker: Optional[_Handle] = None
        self._times = self._vertex_times(time)
        self._handle = self._make(direction, replace, self._edge_times(edge_time))

    # ---- Types ----------------------------------------------------------------------------------

    def _types(self, asked: Optional[Sequence[EdgeType]]) -> List[_Edges]:
        graph = self.graph
        edge_types: List[EdgeType] = list(graph.edge_types if asked is None else asked)
        self.edge_types = tuple(edge_types)
        sizes = graph._vertex_type_sizes()
        self._num_vertices = [sizes[name] for name in self.vertex_types or ()]
        names, found = list(self.vertex_types or ()), []
        for edge_type in edge_types:
            if edge_type not in graph.edge_types:
                raise _errors.UsageError("there is no edge type %r; there are: %s" % (edge_type, ", ".join(map(repr, graph.edge_types))))
            source, target = names.index(edge_type[0]), names.index(edge_type[2])
            found.append(_Edges(graph.project(edge_type), source, target, sizes[names[target]] if source > target else 0,
                                sizes[names[source]] if source < target else 0))
        if not found:
            raise _errors.UsageError("a sampler needs an edge type at least")
        return found

    def _take_fanouts(self, fanouts: Any) -> numpy.ndarray:
        """A row for each type of edges."""
        if not self.vertex_types:
            self._num_vertices = [self.graph.num_vertices]
        if isinstance(fanouts, Mapping):
            if self.edge_types is None:
                raise _errors.UsageError("fan-outs by edge type are of a set with types")
            wrong = [edge_type for edge_type in fanouts if edge_type not in self.edge_types]
            missing = [edge_type for edge_type in self.edge_types if edge_type not in fanouts]
            if wrong or missing:
                raise _errors.UsageError("fan-outs are a list for each of the edge types; %s: %r"
                                         % (("unknown", wrong[0]) if wrong else ("missing", missing[0])))
            rows = [list(fanouts[edge_type]) for edge_type in self.edge_types]
        else:
            rows = [list(fanouts)] * self._num_edge_types
        if len(set(map(len, rows))) > 1:
            raise _errors.UsageError("fan-outs are as many for each edge type, one a hop")
        for fanout in (fanout for row in rows for fanout in row):
            if not isinstance(fanout, (int, numpy.integer)) or isinstance(fanout, bool) or not -1 <= fanout < 2**32:
                raise _errors.UsageError("a fan-out is an integer from 0 on, or -1 for all, not %r" % (fanout,))
        return numpy.array(rows, "i8").reshape(len(rows), -1)

    # ---- Times ----------------------------------------------------------------------------------

    def _vertex_times(self, time: Any) -> List[Optional[numpy.ndarray]]:
        if time is None or self.vertex_types is None:
            given = [] if time is None else [(0, self.graph, time, "time")]
        else:
            if not isinstance(time, Mapping):
                time = {name: time for name in self.vertex_types if isinstance(time, str) and time in self._properties_of(name)}
            unknown = [name for name in time if name not in self.vertex_types]
            if unknown or not time:
                raise _errors.UsageError("time: of the vertex types %s" % ("none has such a property" if not time else "none is called %r" % unknown[0]))
            given = [(self.vertex_types.index(name), name, values, "time of %s" % name) for name, values in time.items()]
        times: List[Optional[numpy.ndarray]] = [None] * len(self._num_vertices)
        for type, owner, values, what in given:
            if isinstance(values, str):
                values = self._properties_of(owner)[values] if isinstance(owner, str) else owner.vertex_properties[values]
            times[type] = _of_length(as_times(values, what), self._num_vertices[type], what)
        return times

    def _properties_of(self, vertex_type: str) -> Mapping[str, Any]:
        return self.graph.project(vertex_types=vertex_type).vertex_properties  # type: ignore[no-any-return]

    def _edge_times(self, time: Any) -> List[Optional[numpy.ndarray]]:
        times: List[Optional[numpy.ndarray]] = [None] * self._num_edge_types
        if time is None:
            return times
        names = self.edge_types or (None,)
        if isinstance(time, Mapping) and any(name not in names for name in time):
            raise _errors.UsageError("edge_time: there is no such edge type: %r" % next(name for name in time if name not in names))
        for place, (name, edges) in enumerate(zip(names, self._edges)):
            values = time.get(name) if isinstance(time, Mapping) else time
            if values is None:
                continue
            what = "edge_time" if name is None else "edge_time of %s" % "-".join(name)
            if isinstance(values, str):
                if values not in edges.graph.edge_properties:
                    raise _errors.UsageError("%s: edges have no property %r" % (what, values))
                values = edges.graph.edge_properties[values]
            times[place] = _of_length(as_times(values, what), edges.graph.num_stored_edges, what)
        return times

    # ---- Making one -----------------------------------------------------------------------------

    def _make(self, direction: str, replace: bool, edge_times: List[Optional[numpy.ndarray]]) -> _Handle:
        entries = []
        for place, edges in enumerate(self._edges):
            ends = (edges.source, edges.first_source), (edges.target, edges.first_target)
            (center, first_center), (neighbor, first_neighbor) = ends if direction == "out" else ends[::-1]
            times = edge_times[place]
            entries.append(_library.SamplerEdges(
                session=edges.graph._handle, rows=OUT if direction == "out" else IN, center_type=center, neighbor_type=neighbor,
                first_center=first_center, first_neighbor=first_neighbor, fanouts=self._fanouts[place:].ctypes.data,
                times=None if times is None else times.ctypes.data, read=self._reads[0], cache_bytes=self._reads[1],
                set=os.fsencode(edges.graph.path) if isinstance(edges.graph, SetFiles) else None))
        counts = numpy.array(self._num_vertices, "u8")
        pointers = (ctypes.c_void_p * len(counts))(*(None if times is None else times.ctypes.data for times in self._times))
        flags = ((_library.SAMPLER_REPLACE if replace else 0) | (_library.SAMPLER_DISJOINT if self.disjoint else 0)
                 | (_library.SAMPLER_NUMBERS if self.edge_ids else 0))
        shape = _library.SamplerShape(num_vertex_types=len(counts), num_edge_types=len(entries), num_vertices=counts.ctypes.data,
                                      times=pointers, edges=(_library.SamplerEdges * len(entries))(*entries), num_hops=self.num_hops,
                                      flags=flags, seed=self.seed % 2**64)
        handle = _Handle()
        check("qn_sampler_create", ctypes.byref(shape), ctypes.byref(self._job(None)), ctypes.byref(handle.pointer))
        self._keep.append((edge_times, self._times))
        return handle

    def __reduce__(self) -> Any:
        graph, fanouts, options = self._given
        return _again, (graph, fanouts, options)

    def _job(self, threads: Optional[int]) -> _library.Job:
        return _library.Job(threads=thread_count(self.threads if threads is None else threads))

    # ---- Batches --------------------------------------------------------------------------------

    def _by_type(self, values: Any, what: str) -> List[Any]:
        """A value for each type of vertices; None where there is none."""
        if self.vertex_types is None:
            if isinstance(values, Mapping):
                raise _errors.UsageError("%s by type are of a set with types" % what)
            return [values]
        if not isinstance(values, Mapping):
            raise _errors.UsageError("%s of a set with types are a dict by type of vertices" % what)
        unknown = [name for name in values if name not in self.vertex_types]
        if unknown:
            raise _errors.UsageError("there is not a vertex type %r; there are: %s" % (unknown[0], ", ".join(self.vertex_types)))
        return [values.get(name) for name in self.vertex_types]

    def _seeds(self, seeds: Seeds, times: Any, number: Optional[int], keep: List[Any]) -> _library.BatchSeeds:
        arrays = [None if given is None else _as_vertices(given, "seeds") for given in self._by_type(seeds, "seeds")]
        cut_offs: List[Any] = [None] * len(arrays) if times is None else self._by_type(times, "times")
        entries, digest = [], hashlib.blake2b(digest_size=8)
        for array, given in zip(arrays, cut_offs):
            array = numpy.empty(0, "i8") if array is None else array
            of = None if given is None else _of_length(as_times(given, "times"), len(array), "times")
            if number is None:
                digest.update(len(array).to_bytes(8, "little") + array.tobytes())
            entries.append(_library.Seeds(count=len(array), vertices=array.ctypes.data, times=None if of is None else of.ctypes.data))
            keep += [array, of]
        number = int.from_bytes(digest.digest(), "little") if number is None else int(number) % 2**64
        listed = (_library.Seeds * len(entries))(*entries)
        keep.append(listed)
        return _library.BatchSeeds(number=number, seeds=listed)

    def _sample(self, kind: int, many: Sequence[Seeds], times: Optional[Sequence[Any]], numbers: Sequence[Optional[int]],
                threads: Optional[int]) -> List[Batch]:
        keep: List[Any] = []
        if times is not None and not self.disjoint:
            raise _errors.UsageError("times of seeds are for a sampler with time=, edge_time= or disjoint=True")
        asked = [self._seeds(seeds, None if times is None else times[i], numbers[i], keep) for i, seeds in enumerate(many)]
        pointers = (ctypes.c_void_p * len(asked))()
        check("qn_sampler_sample", self._handle.pointer, kind, (_library.BatchSeeds * len(asked))(*asked), len(asked),
              ctypes.byref(self._job(threads)), pointers)
        handles = [_BatchHandle(pointer, self) for pointer in pointers]
        return [Batch(self, handle, self.disjoint and kind == _library.SAMPLE_NEIGHBORS) for handle in handles]

    def sample(self, seeds: Seeds, *, times: Any = None, batch: Optional[int] = None, threads: Optional[int] = None) -> Batch:
        """Neighbours of the seeds, hop by hop. ``times`` are of the seeds: of what is newer than its seed nothing is sampled.
        ``batch`` is the number of the batch."""
        return self._sample(_library.SAMPLE_NEIGHBORS, [seeds], None if times is None else [times], [batch], threads)[0]

    def sample_many(self, seeds: Sequence[Seeds], *, times: Optional[Sequence[Any]] = None, batches: Optional[Sequence[int]] = None,
                    threads: Optional[int] = None) -> List[Batch]:
        """As many batches as there are seeds in the list, each by a thread."""
        for given, what in ((times, "times"), (batches, "batches")):
            if given is not None and len(given) != len(seeds):
                raise _errors.UsageError("%s: one is expected for each of the %d lists of seeds, not %d" % (what, len(seeds), len(given)))
        return self._sample(_library.SAMPLE_NEIGHBORS, seeds, times, batches or [None] * len(seeds), threads)

    def batches(self, seeds: Any, size: int, *, epoch: int = 0, shuffle: bool = True, times: Any = None, drop_last: bool = False,
                ahead: int = 8, threads: Optional[int] = None) -> Iterator[Batch]:
        """All seeds, ``size`` at a time, in another order each epoch. ``ahead`` batches are sampled at once, each by a thread."""
        if self.vertex_types is not None:
            raise _errors.UsageError("batches() is of a graph without types; sample() takes seeds by type")
        if size < 1 or ahead < 1:
            raise _errors.UsageError("size and ahead are positive")
        vertices = _as_vertices(seeds, "seeds")
        cut_offs = None if times is None else _of_length(as_times(times, "times"), len(vertices), "times")
        order = self._generator("batches", epoch).permutation(len(vertices)) if shuffle else numpy.arange(len(vertices))
        starts = range(0, len(order) - size + 1 if drop_last else len(order), size)
        for first in range(0, len(starts), ahead):
            parts = [order[start:start + size] for start in starts[first:first + ahead]]
            numbers = [(epoch << 32) + first + i for i in range(len(parts))]
            yield from self.sample_many([vertices[part] for part in parts], batches=numbers, threads=threads,
                                        times=None if cut_offs is None else [cut_offs[part] for part in parts])

    def induced(self, vertices: Seeds, *, threads: Optional[int] = None) -> Batch:
        """Vertices, each once, and all edges between them."""
        return self._sample(_library.SAMPLE_INDUCED, [vertices], None, [0], threads)[0]

    def _generator(self, purpose: str, number: int) -> numpy.random.Generator:
        digest = hashlib.blake2b(("%s %d %d" % (purpose, self.seed, number)).encode(), digest_size=16).digest()
        return numpy.random.Generator(numpy.random.Philox(key=int.from_bytes(digest, "little")))

    def clusters(self, parts: Any, per_batch: int = 1, *, epoch: int = 0, shuffle: bool = True,
                 threads: Optional[int] = None) -> Iterator[Batch]:
        """Batches of Cluster-GCN: of ``per_batch`` parts the vertices, and all edges between them. ``parts`` is the part of each
        vertex, or the name of such a property."""
        if self.vertex_types is not None:
            raise _errors.UsageError("clusters() is of a graph without types")
        if per_batch < 1:
            raise _errors.UsageError("per_batch is positive")
        if isinstance(parts, str):
            if parts not in self.graph.vertex_properties:
                raise _errors.UsageError("vertices have no property %r" % parts)
            parts = self.graph.vertex_properties[parts]
        column = _of_length(as_times(parts, "parts"), self.graph.num_vertices, "parts")
        order = numpy.argsort(column, kind="stable")
        names, starts = numpy.unique(column[order], return_index=True)
        members = numpy.split(order, starts[1:]) if len(names) else []
        turn = self._generator("clusters", epoch).permutation(len(names)) if shuffle else numpy.arange(len(names))
        for first in range(0, len(turn), per_batch):
            yield self.induced(numpy.concatenate([members[i] for i in turn[first:first + per_batch]]), threads=threads)

    def saint(self, kind: str, size: int, *, length: int = 2, batch: int = 0, threads: Optional[int] = None) -> Batch:
        """A batch of GraphSAINT: the graph that some vertices induce. These are, by ``kind``, ``size`` vertices that are as likely
        as their degree (``"node"``), the ends of ``size`` edges that are as likely as the sum of the inverse degrees of their ends
        (``"edge"``), or those of ``size`` walks of ``length`` steps (``"walk"``)."""
        if self.vertex_types is not None:
            raise _errors.UsageError("saint() is of a graph without types")
        if kind not in ("node", "edge", "walk") or size < 0:
            raise _errors.UsageError("saint: expected 'node', 'edge' or 'walk', and a size; not %r and %r" % (kind, size))
        random, count = self._generator("saint " + kind, batch), self.graph.num_vertices
        if kind == "node":
            if isinstance(self.graph, SetFiles):
                raise _errors.UsageError("saint: of a set that is sampled where it lies 'edge' or 'walk'")
            edges = random.integers(0, max(self.graph.num_stored_edges, 1), size if self.graph.num_stored_edges else 0, "u8")
            return self.induced(numpy.searchsorted(self.graph.row_offsets, edges, "right") - 1, threads=threads)
        starts = random.integers(0, max(count, 1), size if count else 0)
        walks = self.walks(starts, 1 if kind == "edge" else length, batch=batch, threads=threads)
        return self.induced(walks[walks >= 0], threads=threads)

    # ---- Walks and pairs ------------------------------------------------------------------------

    def _of_walks(self) -> _Handle:
        """A sampler along edges."""
        if self.vertex_types is not None:
            raise _errors.UsageError("walks are of a graph without types; project() it")
        if self._walker is None:
            self._walker = self._handle if self.direction == "out" else self._make("out", False, [None])
        return self._walker

    def walks(self, starts: Any, length: int, *, restart: float = 0, p: float = 1, q: float = 1, batch: int = 0,
              threads: Optional[int] = None) -> numpy.ndarray:
        """Random walks along edges, int64[n, length + 1], each from its start on. With the probability ``restart`` a step leads
        back to the start; ``p`` and ``q`` are node2vec's. What follows a vertex without edges is -1."""
        vertices = _as_vertices(starts, "starts")
        if not 0 <= length < 2**32:
            raise _errors.UsageError("length: %r is no number of steps" % (length,))
        if not p > 0 or not q > 0:
            raise _errors.UsageError("p and q are positive")
        found = numpy.empty((len(vertices), length + 1), "i8")
        asked = _library.Walks(number=int(batch) % 2**64, count=len(vertices), starts=vertices.ctypes.data, length=length,
                               restart=restart, p=p, q=q)
        check("qn_sampler_walk", self._of_walks().pointer, ctypes.byref(asked), ctypes.byref(self._job(threads)), found.ctypes.data)
        return found

    def negatives(self, count: Optional[int] = None, *, vertices: Any = None, edge_type: Optional[EdgeType] = None, batch: int = 0,
                  threads: Optional[int] = None) -> numpy.ndarray:
        """Pairs that no edge joins, int64[2, n] of sources and targets: ``count`` random ones, of which those are left out that were
        not found after many tries; or one for each of ``vertices``, which are the targets of a sampler of direction "in" and else the
        sources, where the other end is -1 if none was found."""
        place = 0
        if edge_type is not None:
            if self.edge_types is None or edge_type not in self.edge_types:
                raise _errors.UsageError("there is no edge type %r" % (edge_type,))
            place = self.edge_types.index(edge_type)
        given = None if vertices is None else _as_vertices(vertices, "vertices")
        if (given is None) == (count is None) or (count is not None and count < 0):
            raise _errors.UsageError("negatives: expected how many, or vertices")
        number = len(given) if given is not None else int(count or 0)
        pairs = numpy.empty((2, number), "i8")
        centers, neighbors = (0, 1) if self.direction == "out" else (1, 0)
        check("qn_sampler_non_edges", self._handle.pointer, place, int(batch) % 2**64, None if given is None else given.ctypes.data,
              number, ctypes.byref(self._job(threads)), pairs[centers].ctypes.data, pairs[neighbors].ctypes.data)
        return pairs if given is not None else pairs[:, pairs[neighbors] >= 0]

    def __repr__(self) -> str:
        return "<quern.Sampler of %r: fan-outs %s>" % (self.graph, self._fanouts.tolist() if self.edge_types else self._fanouts[0].tolist())


def _again(graph: Any, fanouts: Any, options: Dict[str, Any]) -> Sampler:
    return Sampler(graph, fanouts, **options)


def sampler(graph: Any, fanouts: Any, **options: Any) -> Sampler:
    """A sampler of a graph, or of a set with types; or, by the path of a set's folder, of that set, whose files are sampled where they
    lie (in the direction of its rows). ``fanouts`` says for each hop of how many edges of a vertex the other ends are
    taken: each set of so many is as likely as any other; -1 takes all, 0 none. Of a set with types it may be a dict of such lists by
    edge type.

    - ``replace=True``: an edge may be taken more than once
    - ``disjoint=True``: every seed has a tree of its own
    - ``direction``: ``"in"`` follows edges backwards, as messages come to a vertex, ``"out"`` forwards
    - ``edge_types``: of a set with types, those that are followed; all if it is not given
    - ``time``: a property of vertices, by its name, or an array: nothing is sampled that is newer than its seed; ``edge_time`` the same
      of edges. Of a set with types both may be dicts by type. Trees are disjoint then
    - ``seed``: of random numbers; ``edge_ids=True``: batches say which edges were sampled
    - ``read=True``: of a graph larger than memory neighbours are read from the file, many at a time, and ``cache`` bytes (``"2G"``)
      keep what was read of late

    Edges against their direction that the container does not hold (``has_in_edges``) are computed first, in memory of 8 bytes a vertex
    and 4 an edge; of a set with types each edge type is put together first.
    """
    return Sampler(graph, fanouts, **options)
