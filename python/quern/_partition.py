"""Partitions by other libraries, METIS, KaHIP, KaMinPar and Mt-KaHyPar, by their packages; and partitions as files of others."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, NamedTuple, Optional

import numpy

from . import _convert, _errors, _files
from ._optional import need
from ._properties import Properties

if TYPE_CHECKING:
    from ._graph import Graph

SEED = 1


class Adjacency(NamedTuple):
    """Neighbours of all vertices in both directions, without loops, each once: those of v are ``targets[offsets[v]:offsets[v + 1]]``.
    Weights are how often an edge is there, or the sum of its weights; None: all are 1."""

    offsets: numpy.ndarray
    targets: numpy.ndarray
    weights: Optional[numpy.ndarray]

    @property
    def num_vertices(self) -> int:
        return len(self.offsets) - 1

    @property
    def total_weight(self) -> int:
        return len(self.targets) if self.weights is None else int(self.weights.sum(dtype="u8"))


def _weights_of(graph: "Graph") -> numpy.ndarray:
    weights = graph.weights
    if weights is None or weights.dtype.kind == "f":
        raise _errors.UsageError("--weighted: the graph has no weights that are integers")
    if len(weights) and int(weights.min()) < 1:
        raise _errors.UsageError("--weighted: weights must be at least 1; one is %d" % int(weights.min()))
    if float(weights.sum(dtype="f8")) >= 2.0**62:
        raise _errors.UnsupportedError("--weighted: the sum of the weights is more than 2^62")
    return weights.astype("i8")


def adjacency_of(graph: "Graph", weighted: bool) -> Adjacency:
    """That of a graph, whatever its direction, loops and parallel edges."""
    both = graph.transform(symmetrize=True, remove_self_loops=True)
    offsets, targets = both.row_offsets, both.column_indices
    starts = numpy.zeros(len(targets), bool)
    rows = numpy.flatnonzero(offsets[1:] > offsets[:-1])
    starts[offsets[rows].astype("i8")] = True
    starts[1:] |= targets[1:] != targets[:-1]
    if starts.all():
        return Adjacency(offsets, targets, _weights_of(both) if weighted else None)
    first = numpy.flatnonzero(starts)
    weights = numpy.add.reduceat(_weights_of(both), first) if weighted else numpy.diff(numpy.append(first, len(targets)))
    before = numpy.concatenate(([0], numpy.cumsum(starts)))
    return Adjacency(before[offsets.astype("i8")].astype("u8"), targets[first], weights.astype("i8"))


def _metis(graph: Adjacency, parts: int, imbalance: float, threads: int) -> Any:
    pymetis = need("pymetis")
    dtype = pymetis.zero_copy_dtype()
    if dtype.itemsize == 4:
        _bound("pymetis", graph, 2**31 - 1, 2**31 - 1)
    weights = None if graph.weights is None else graph.weights.astype(dtype)
    options = pymetis.Options(ufactor=max(1, round(1000 * imbalance)), seed=SEED)
    adjacency = pymetis.CSRAdjacency(graph.offsets.astype(dtype), graph.targets.astype(dtype))
    return pymetis.part_graph(parts, adjacency, eweights=weights, options=options).vertex_part


def _kahip(graph: Adjacency, parts: int, imbalance: float, threads: int) -> Any:
    kahip = need("kahip")
    _bound("kahip", graph, 2**31 - 1, 2**31 - 1)
    ones = numpy.ones(graph.num_vertices, "i4")
    weights = numpy.ones(len(graph.targets), "i4") if graph.weights is None else graph.weights.astype("i4")
    return kahip.kaffpa(ones, graph.offsets.astype("i4"), weights, graph.targets.astype("i4"), parts, imbalance, True, SEED, kahip.ECO)[1]


def _kaminpar(graph: Adjacency, parts: int, imbalance: float, threads: int) -> Any:
    """The package reads files alone: a binary one of ParHiP's (offsets in bytes, targets, weights; 64 bits each)."""
    kaminpar = need("kaminpar")
    _bound("kaminpar", graph, 2**32 - 2, 2**31 - 1)
    with tempfile.NamedTemporaryFile(prefix="quern-graph-", suffix=".parhip") as file:
        weighted = graph.weights is not None
        numpy.array([2 if weighted else 3, graph.num_vertices, len(graph.targets)], "<u8").tofile(file)
        (24 + 8 * (graph.num_vertices + 1) + 8 * graph.offsets.astype("<u8")).tofile(file)
        graph.targets.astype("<u8").tofile(file)
        if graph.weights is not None:
            graph.weights.astype("<i8").tofile(file)
        file.flush()
        read = kaminpar.load_graph(file.name, kaminpar.GraphFileFormat.PARHIP)
    kaminpar.reseed(SEED)
    return kaminpar.KaMinPar(threads, kaminpar.default_context()).compute_partition(read, parts, imbalance)


def _mt_kahypar(graph: Adjacency, parts: int, imbalance: float, threads: int) -> Any:
    mtkahypar = need("mtkahypar")
    _bound("mtkahypar", graph, 2**32 - 2, 2**31 - 1)
    sources = numpy.repeat(numpy.arange(graph.num_vertices, dtype="u4"), numpy.diff(graph.offsets.astype("i8")))
    once = sources < graph.targets
    edges = list(zip(sources[once].tolist(), graph.targets[once].tolist()))
    library = mtkahypar.initialize(threads)
    mtkahypar.set_seed(SEED)
    context = library.context_from_preset(mtkahypar.PresetType.DEFAULT)
    context.set_partitioning_parameters(parts, imbalance, mtkahypar.Objective.CUT)
    weights = [] if graph.weights is None else [[1] * graph.num_vertices, graph.weights[once].tolist()]
    made = library.create_graph(context, graph.num_vertices, len(edges), edges, *weights)
    return made.partition(context).get_partition()


METHODS: Dict[str, Callable[[Adjacency, int, float, int], Any]] = {
    "metis": _metis, "kahip": _kahip, "kaminpar": _kaminpar, "mtkahypar": _mt_kahypar}

PACKAGES = {"metis": "pymetis", "kahip": "kahip", "kaminpar": "kaminpar", "mtkahypar": "mtkahypar"}


def _bound(package: str, graph: Adjacency, most: int, most_weight: int) -> None:
    """Numbers that the library has no room for are refused before it is called."""
    for what, value, limit in (("vertices", graph.num_vertices, most), ("edge endpoints", len(graph.targets), most),
                               ("as the sum of all weights", graph.total_weight, most_weight)):
        if value > limit:
            raise _errors.UnsupportedError("%s counts to %d, and the graph has %d %s; --by fennel and ldg have no such limit"
                                           % (package, limit, value, what))


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Libraries write to standard output and error what nobody asked for."""
    sys.stdout.flush()
    kept = os.dup(1), os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept[0], 1)
        os.dup2(kept[1], 2)
        for descriptor in (*kept, nowhere):
            os.close(descriptor)


def parts_of(graph: "Graph", parts: int, method: str, imbalance: float = 0.05, weighted: bool = False,
             threads: Optional[int] = None) -> numpy.ndarray:
    """The part of each vertex, 0 to ``parts`` - 1."""
    need(PACKAGES[method])
    adjacency = adjacency_of(graph, weighted)
    if parts == 1 or not len(adjacency.targets):
        return (numpy.arange(adjacency.num_vertices, dtype="u8") * parts // max(1, adjacency.num_vertices)).astype("u4")
    with warnings.catch_warnings(), _silence():
        warnings.simplefilter("ignore")
        found = METHODS[method](adjacency, parts, imbalance, threads or len(os.sched_getaffinity(0)))
    return numpy.asarray(found).astype("u4")


def transformed(graph: "Graph", path: Any, job: Dict[str, Any], by: str, partition: Any = None, imbalance: float = 0.05,
                column: str = "part", weighted: bool = False, **others: Any) -> "Graph":
    """What ``graph.transform(path, partition=K, by=...)`` gives where a library's package is what finds the parts."""
    if partition is None:
        raise _errors.UsageError("--by, --imbalance, --column, --passes and --weighted are for --partition")
    parts = int(partition)
    if not 1 <= parts <= max(1, graph.num_vertices):
        raise _errors.UsageError("--partition %d: there are %d vertices, and at most as many parts" % (parts, graph.num_vertices))
    if others:
        raise _errors.UsageError("--partition divides a graph as it is, and --by %s knows no --%s" % (by, sorted(others)[0].replace("_", "-")))
    if column in graph.vertex_properties:
        raise _errors.UsageError("there is a property '%s' already; choose another name by --column" % column)
    dtype = "u1" if parts <= 256 else "u2" if parts <= 65536 else "u4"
    found = parts_of(graph, parts, by, float(imbalance), bool(weighted), job.get("threads")).astype(dtype)
    kept = {name: graph.vertex_properties.column(name) for name in graph.vertex_properties}
    edges = {name: graph.edge_properties.column(name) for name in graph.edge_properties}
    given = {key: value for key, value in job.items() if key in ("force", "progress", "threads")}
    return graph.with_properties({**kept, column: found}, edges, path=path, **given)


# ---- Files --------------------------------------------------------------------------------------

STEP = 1 << 20


def _column(graph: "Graph", name: str) -> numpy.ndarray:
    """The part of each vertex."""
    if name not in graph.vertex_properties:
        raise _errors.UsageError("there is no property '%s' of vertices; --column names one" % name)
    found = graph.vertex_properties[name]
    if not isinstance(found, numpy.ndarray) or found.dtype.kind not in "iu" or found.ndim != 1:
        raise _errors.UnsupportedError("the property '%s' is not of integers: parts are integers from 0 on" % name)
    if isinstance(found, numpy.ma.MaskedArray):
        raise _errors.UnsupportedError("the property '%s' has nulls: not all have a part" % name)
    if len(found) and not (0 <= int(found.min()) and int(found.max()) < len(found)):
        raise _errors.UnsupportedError("the property '%s' has other values than parts from 0 to %d" % (name, len(found) - 1))
    return found


def write_metis(graph: "Graph", path: Any, *, force: bool = False, column: str = "part") -> None:
    """A line for each vertex in the container's order, as METIS writes partitions of the file that the format ``metis`` is."""
    parts = _column(graph, column)

    def write(file: Any) -> None:
        for start in range(0, len(parts), STEP):
            file.write("".join("%d\n" % part for part in parts[start:start + STEP].tolist()).encode())
    if hasattr(path, "write"):
        write(path)
    else:
        _files.write_file(path, force, write)


def _features(properties: Properties, without: str, first: Optional[numpy.ndarray]) -> List[numpy.ndarray]:
    """Columns of numbers; nulls are NaN."""
    columns = [] if first is None else [first]
    for name in properties:
        values = properties.column(name)
        if name != without and isinstance(values, numpy.ndarray) and values.dtype.kind in "iufb":
            columns.append(values)
    return columns


def _rows_of(columns: List[numpy.ndarray], chosen: numpy.ndarray) -> Optional[numpy.ndarray]:
    """float32[len(chosen), F]; None if there are no columns."""
    if not columns:
        return None
    parts = [numpy.ma.filled(values[chosen].astype("f4"), numpy.nan).reshape(len(chosen), -1 if len(chosen) else 1) for values in columns]
    return numpy.concatenate(parts, axis=1)


def _tensor(torch: Any, values: Optional[numpy.ndarray]) -> Any:
    """A tensor of its own, whatever versions of NumPy and torch there are."""
    if values is None:
        return None
    values = numpy.array(values, "f4" if values.dtype.kind == "f" else "i8")
    dtype = torch.float32 if values.dtype.kind == "f" else torch.int64
    if not values.size:
        return torch.empty(values.shape, dtype=dtype)
    return torch.frombuffer(values, dtype=dtype).reshape(values.shape).clone()


def write_pyg(graph: "Graph", path: Any, *, force: bool = False, column: str = "part") -> None:
    """A folder as the partitioner of ``torch_geometric.distributed`` leaves it: every part has its vertices and the edges into them,
    sorted by destination. Columns of numbers are features: ``x``, and ``edge_attr`` with the weights in front."""
    torch = need("torch")
    parts = _column(graph, column)
    num_parts = int(parts.max()) + 1 if len(parts) else 1
    count = len(parts)
    sources, targets = _convert.sources_of(graph.row_offsets, 0, graph.num_stored_edges), graph.column_indices
    of_edges = parts[targets]
    by_target = numpy.argsort(targets, kind="stable")
    edges = by_target[numpy.argsort(of_edges[by_target], kind="stable")]
    vertices = numpy.argsort(parts, kind="stable")
    edge_ends = numpy.concatenate(([0], numpy.cumsum(numpy.bincount(of_edges, minlength=num_parts))))
    vertex_ends = numpy.concatenate(([0], numpy.cumsum(numpy.bincount(parts, minlength=num_parts))))
    x, edge_attr = _features(graph.vertex_properties, column, None), _features(graph.edge_properties, "", graph.weights)

    def save(values: Any, *place: Any) -> None:
        torch.save(values, os.path.join(*place))

    def fill(folder: Path) -> None:
        meta = {"num_parts": num_parts, "is_hetero": False, "node_types": None, "edge_types": None, "is_sorted": True}
        (folder / "META.json").write_text(json.dumps(meta), encoding="utf-8")
        save(_tensor(torch, parts), folder, "node_map.pt")
        save(_tensor(torch, of_edges), folder, "edge_map.pt")
        for part in range(num_parts):
            own = vertices[vertex_ends[part]:vertex_ends[part + 1]]
            into = edges[edge_ends[part]:edge_ends[part + 1]]
            place = folder / ("part_%d" % part)
            place.mkdir()
            save({"edge_id": _tensor(torch, into), "row": _tensor(torch, sources[into]), "col": _tensor(torch, targets[into]),
                  "size": (count, count)}, place, "graph.pt")
            save({"global_id": _tensor(torch, own), "feats": {"x": _tensor(torch, _rows_of(x, own))}}, place, "node_feats.pt")
            save({"global_id": _tensor(torch, into), "feats": {"edge_attr": _tensor(torch, _rows_of(edge_attr, into))}}, place, "edge_feats.pt")

    _files.write_folder(path, force, fill)
