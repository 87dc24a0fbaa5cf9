"""Apache GraphAr (https://graphar.apache.org/docs/specification/format): graphs as YAML and chunks of tables.

GraphAr holds property graphs: several types of vertices and edges, each with properties. A container holds one type of edges,
a name of every vertex and one weight of every edge. :func:`read` warns of what is left behind.
"""

from __future__ import annotations

import math
import os
import shutil
import struct
import tempfile
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Tuple

import numpy

from . import _errors
from ._arrow import Text
from ._optional import need

if TYPE_CHECKING:
    from ._graph import Graph, PathLike

VERSION = "gar/v1"
INDEX, SOURCE, TARGET, OFFSET = "_graphArVertexIndex", "_graphArSrcIndex", "_graphArDstIndex", "_graphArOffset"
# Adjacency lists, in the order in which they are preferred: (ordered, aligned_by) and the name of their folder.
LISTS = {(True, "src"): "ordered_by_source", (False, "src"): "unordered_by_source", (True, "dst"): "ordered_by_dest",
         (False, "dst"): "unordered_by_dest"}
NUMBERS = {"int32", "int64", "float", "double", "bool"}


# ---- Information files --------------------------------------------------------------------------

def _fail(path: Any, message: str) -> _errors.InvalidError:
    return _errors.InvalidError(message, os.fspath(path))


def _load(path: Path, *required: str) -> Dict[str, Any]:
    yaml = need("yaml")
    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as problem:
        raise _fail(path, "this is no YAML: %s" % problem) from problem
    except OSError as problem:
        raise _errors.SystemFailure(problem.strerror or str(problem), os.fspath(path)) from problem
    if not isinstance(found, dict) or any(key not in found for key in required):
        raise _fail(path, "an information file of GraphAr has the keys %s" % ", ".join(required))
    version = str(found.get("version", VERSION)).split()[0]
    if version != VERSION:
        raise _errors.UnsupportedError("this is of version %s; %s is read" % (version, VERSION), os.fspath(path))
    return found


def _positive(path: Path, info: Dict[str, Any], key: str) -> int:
    if isinstance(info[key], bool) or not isinstance(info[key], int) or info[key] < 1:
        raise _fail(path, "%s is %r; it is a number of rows" % (key, info[key]))
    return info[key]


def _groups(path: Path, info: Dict[str, Any]) -> List[Dict[str, Any]]:
    groups = info.get("property_groups") or []
    for group in groups:
        try:
            names = [entry["name"] for entry in group["properties"]]
            group.setdefault("prefix", "_".join(names) + "/")
            group["file_type"], [entry["data_type"] for entry in group["properties"]]
        except (KeyError, TypeError) as problem:
            raise _fail(path, "a group of properties lacks a name, a data_type or a file_type") from problem
    return groups


def _properties(groups: List[Dict[str, Any]]) -> Iterator[Tuple[Dict[str, Any], Dict[str, Any]]]:
    return ((group, entry) for group in groups for entry in group["properties"])


class _Vertices:
    """A type of vertices."""

    def __init__(self, path: Path, root: Path):
        self.path = path
        self.info = _load(path, "type", "chunk_size", "prefix")
        self.name, self.folder = str(self.info["type"]), root / self.info["prefix"]
        self.chunk_size = _positive(path, self.info, "chunk_size")
        self.groups = _groups(path, self.info)

    def count(self) -> int:
        return _count(self.folder / "vertex_count")

    def primary(self) -> Optional[Tuple[Dict[str, Any], Dict[str, Any]]]:
        return next(((group, entry) for group, entry in _properties(self.groups) if entry.get("is_primary")), None)


class _Edges:
    """A type of edges, and the adjacency list of it that is read."""

    def __init__(self, path: Path, root: Path):
        self.path = path
        self.info = _load(path, "src_type", "edge_type", "dst_type", "chunk_size", "src_chunk_size", "dst_chunk_size", "prefix")
        self.source, self.label, self.target = (str(self.info[key]) for key in ("src_type", "edge_type", "dst_type"))
        self.name = "_".join((self.source, self.label, self.target))
        self.chunk_size = _positive(path, self.info, "chunk_size")
        self.folder = root / self.info["prefix"]
        self.directed = self.info.get("directed", True)
        if not isinstance(self.directed, bool):
            raise _fail(path, "directed is %r; it is true or false" % (self.directed,))

    def choose_list(self) -> None:
        """The list that is read: rows if there are any."""
        lists = self.info.get("adj_lists") or []
        try:
            by_kind = {(entry["ordered"], entry["aligned_by"]): entry for entry in lists}
        except (KeyError, TypeError) as problem:
            raise _fail(self.path, "an adjacency list lacks ordered or aligned_by") from problem
        kind = next((kind for kind in LISTS if kind in by_kind), None)
        if kind is None:
            raise _fail(self.path, "there is no adjacency list")
        chosen = by_kind[kind]
        self.by_source = kind[1] == "src"
        self.part_size = _positive(self.path, self.info, "src_chunk_size" if self.by_source else "dst_chunk_size")
        self.file_type = chosen.get("file_type", "parquet")
        self.list_folder = self.folder / (chosen.get("prefix") or LISTS[kind] + "/")
        # Early versions had properties in each list.
        self.groups = _groups(self.path, self.info) or _groups(self.path, chosen)


class _Graph:
    """The information files of a graph, and where its data are."""

    def __init__(self, path: "PathLike"):
        self.path = Path(path)
        if self.path.is_dir():
            found = sorted(self.path.glob("*.graph.yml"))
            if len(found) != 1:
                raise _fail(path, "%d files are called *.graph.yml; name one" % len(found))
            self.path = found[0]
        info = _load(self.path, "name", "vertices", "edges")
        # A graph that was moved keeps the place where it was made: then the data are beside the file.
        prefix = Path(str(info.get("prefix") or "."))
        root = self.path.parent / prefix
        root = root if root.exists() else self.path.parent
        files = [info[key] or [] for key in ("vertices", "edges")]
        if not all(isinstance(names, list) and all(isinstance(name, str) for name in names) for names in files):
            raise _fail(self.path, "vertices and edges are lists of names of files")
        vertices = [_Vertices(self.path.parent / name, root) for name in files[0]]
        edges = [_Edges(self.path.parent / name, root) for name in files[1]]
        self.vertices, self.edges = {entry.name: entry for entry in vertices}, {entry.name: entry for entry in edges}

    def chosen(self, edge: Optional[str]) -> _Edges:
        matching = [entry for entry in self.edges.values() if edge in (None, entry.name, entry.label)]
        if len(matching) != 1:
            raise _errors.UsageError("%s type of edges is %s; there are: %s (option edge)"
                                     % ("more than one" if matching else "no", "meant" if edge is None else "called " + edge,
                                        ", ".join(sorted(self.edges))), os.fspath(self.path))
        entry = matching[0]
        for end in entry.source, entry.target:
            if end not in self.vertices:
                raise _fail(entry.path, "there are no vertices of the type %s" % end)
        return entry


# ---- Data files ---------------------------------------------------------------------------------

def _count(path: Path) -> int:
    """A file of one number."""
    try:
        data = path.read_bytes()
    except OSError as problem:
        raise _errors.SystemFailure(problem.strerror or str(problem), os.fspath(path)) from problem
    value = struct.unpack("<q", data)[0] if len(data) == 8 else -1
    if value < 0:
        raise _fail(path, "a count is 8 bytes, and not negative")
    return value


def _read_table(path: Path, file_type: str, columns: List[str]) -> Any:
    pyarrow = need("pyarrow")
    try:
        if file_type == "parquet":
            table = need("pyarrow.parquet").ParquetFile(path).read(
                columns=columns + [INDEX] if columns[0] != SOURCE else columns, use_threads=False)
        elif file_type == "orc":
            table = need("pyarrow.orc").ORCFile(path).read()
        elif file_type == "csv":
            table = need("pyarrow.csv").read_csv(path)
        elif file_type == "json":
            table = need("pyarrow.json").read_json(path)
        else:
            raise _errors.UnsupportedError("files of the type %s are not read" % file_type, os.fspath(path))
    except OSError as problem:
        raise _errors.SystemFailure(str(problem), os.fspath(path)) from problem
    except pyarrow.ArrowInvalid as problem:
        raise _fail(path, str(problem)) from problem
    for column in columns:
        if column not in table.column_names:
            raise _fail(path, "there is no column %s; there are %s" % (column, ", ".join(table.column_names)))
        if table[column].null_count:
            raise _fail(path, "%s is null in %d rows" % (column, table[column].null_count))
    return table


def _integers(path: Path, table: Any, column: str, bound: Tuple[int, int]) -> numpy.ndarray:
    """A column of numbers in [bound[0], bound[1])."""
    values = table[column].to_numpy()
    if values.dtype.kind not in "ui":
        raise _fail(path, "%s is %s, not whole numbers" % (column, table[column].type))
    if len(values) and (values.min() < bound[0] or values.max() >= bound[1]):
        row = int(numpy.flatnonzero((values < bound[0]) | (values >= bound[1]))[0])
        raise _fail(path, "row %d (from 0): %s is %d, which is not in [%d, %d)" % (row, column, values[row], *bound))
    return values


def _vertex_names(vertices: _Vertices, count: int) -> Any:
    """The values of the primary key, by vertex: numbers or a list of texts; None if there is no key."""
    primary = vertices.primary()
    if primary is None:
        return None
    group, entry = primary
    name, texts, chunks = entry["name"], entry["data_type"] == "string", []
    for chunk, first in enumerate(range(0, count, vertices.chunk_size)):
        path = vertices.folder / group["prefix"] / ("chunk%d" % chunk)
        last = min(first + vertices.chunk_size, count)
        table = _read_table(path, group["file_type"], [name])
        if len(table) != last - first:
            raise _fail(path, "%d rows; vertices %d to %d belong here" % (len(table), first, last - 1))
        if INDEX in table.column_names and table[INDEX].null_count == 0:
            index = _integers(path, table, INDEX, (first, last))
            if len(numpy.unique(index)) != len(index):
                raise _fail(path, "%s has a vertex twice" % INDEX)
            table = table.take(numpy.argsort(index))
        values = table[name]
        if not texts:
            values = values.to_numpy()
            if values.dtype.kind not in "ui":
                raise _fail(path, "%s is %s; a primary key is whole numbers or texts" % (name, table[name].type))
        chunks.append(values.cast("string").to_pylist() if texts else values)
    if texts:
        return [text for chunk in chunks for text in chunk]
    return numpy.concatenate(chunks) if chunks else numpy.empty(0, "i8")


def _names(source: _Vertices, target: _Vertices, counts: Tuple[int, int]) -> Any:
    """What vertices are called: by the primary key, and if there are two types by type and key."""
    found = _vertex_names(source, counts[0])
    if source is not target:
        both = found, _vertex_names(target, counts[1])
        return numpy.array(["%s:%s" % (vertices.name, key) for vertices, keys, count in zip((source, target), both, counts)
                            for key in (range(count) if keys is None else keys)], object)
    if found is None or isinstance(found, list):
        return None if found is None else numpy.array(found, object)
    if len(found) and found.min() < 0:
        return numpy.array([str(key) for key in found.tolist()], object)
    return None if numpy.array_equal(found, numpy.arange(counts[0])) else found


class _Filling:
    """The arrays of edges, filled chunk by chunk."""

    def __init__(self, edges: _Edges, counts: Tuple[int, int], weight: Optional[Tuple[Dict[str, Any], Dict[str, Any]]]):
        self.edges, self.counts, self.weight = edges, counts, weight
        aligned = counts[0] if edges.by_source else counts[1]
        if _count(edges.list_folder / "vertex_count") != aligned:
            raise _fail(edges.list_folder / "vertex_count", "it disagrees with that of the vertices, %d" % aligned)
        parts = math.ceil(aligned / edges.part_size)
        self.aligned = aligned
        self.sizes = [_count(edges.list_folder / ("edge_count%d" % part)) for part in range(parts)]
        total = sum(self.sizes)
        if total > 2**48:
            raise _fail(edges.list_folder, "%d edges are more than can be" % total)
        self.source, self.target = numpy.empty(total, "u4"), numpy.empty(total, "u4")
        self.weights = None if weight is None else numpy.empty(total, "i8" if weight[1]["data_type"].startswith("int") else "f8")

    def chunks(self) -> Iterator[Tuple[int, int, int, int]]:
        """Of each chunk: the part, its number in the part, the first of its edges, and how many."""
        first = 0
        for part, size in enumerate(self.sizes):
            self.refuse_more(part, math.ceil(size / self.edges.chunk_size))
            for chunk, at in enumerate(range(0, size, self.edges.chunk_size)):
                yield part, chunk, first + at, min(self.edges.chunk_size, size - at)
            first += size

    def refuse_more(self, part: int, chunks: int) -> None:
        """Edges that the count does not know must not be left out in silence."""
        beyond = self.edges.list_folder / "adj_list" / ("part%d/chunk%d" % (part, chunks))
        if beyond.exists():
            raise _fail(beyond, "edge_count%d says that there are %d chunks before it" % (part, chunks))

    def fill(self, place: Tuple[int, int, int, int]) -> None:
        part, chunk, first, count = place
        edges, rows = self.edges, slice(first, first + count)
        name = "part%d/chunk%d" % (part, chunk)
        path = edges.list_folder / "adj_list" / name
        table = _read_table(path, edges.file_type, [SOURCE, TARGET])
        if len(table) != count:
            raise _fail(path, "%d rows; edge_count%d says %d" % (len(table), part, count))
        here = part * edges.part_size, min((part + 1) * edges.part_size, self.aligned)
        self.source[rows] = _integers(path, table, SOURCE, here if edges.by_source else (0, self.counts[0]))
        self.target[rows] = _integers(path, table, TARGET, (0, self.counts[1]) if edges.by_source else here)
        if self.weight is not None and self.weights is not None:
            group, entry = self.weight
            path = edges.list_folder / group["prefix"] / name
            values = _read_table(path, group["file_type"], [entry["name"]])
            if len(values) != count:
                raise _fail(path, "%d rows; there are %d edges" % (len(values), count))
            self.weights[rows] = values[entry["name"]].to_numpy()


# ---- Reading ------------------------------------------------------------------------------------

def _weight_property(edges: _Edges, weight: Optional[str]) -> Optional[Tuple[Dict[str, Any], Dict[str, Any]]]:
    found = {entry["name"]: (group, entry) for group, entry in _properties(edges.groups)}
    if weight is None or (weight == "weight" and weight not in found):
        return None
    if weight not in found:
        raise _errors.UsageError("edges have no property %s; they have: %s" % (weight, ", ".join(sorted(found)) or "none"),
                                 os.fspath(edges.path))
    if found[weight][1]["data_type"] not in NUMBERS or found[weight][1].get("cardinality", "single") != "single":
        raise _errors.UsageError("%s is no number (%s)" % (weight, found[weight][1]["data_type"]), os.fspath(edges.path))
    return found[weight]


def _lost(graph: _Graph, edges: _Edges, ends: Tuple[_Vertices, _Vertices], weight: Any) -> List[str]:
    lost = ["%s.%s" % (vertices.name, entry["name"]) for vertices in dict.fromkeys(ends)
            for _, entry in _properties(vertices.groups) if not entry.get("is_primary")]
    lost += ["%s.%s" % (edges.name, entry["name"]) for _, entry in _properties(edges.groups)
             if weight is None or entry is not weight[1]]
    return lost + sorted(name for name in graph.edges if name != edges.name)


def read(source: "PathLike", edge: Optional[str] = None, *, weight: Optional[str] = "weight", **given: Any) -> "Graph":
    """Read a type of edges of a GraphAr graph: its ``.graph.yml``, or the folder of that.

    ``edge`` is the type of edges, as ``"person_knows_person"`` or ``"knows"``, where there are several. ``weight`` names the
    edge property that becomes the weight; None is no weight. Vertices are called by their primary key, or if the edges go from
    one type to another by both, as ``"person:42"``; then those of the first type come first. Other options are those of
    :func:`quern.from_arrays`. Chunks may be Parquet, ORC, CSV or JSON. A :class:`quern.QuernWarning` names properties and
    edges that the container does not hold.
    """
    from ._sources import from_arrays
    graph = _Graph(source)
    edges = graph.chosen(edge)
    edges.choose_list()
    start, end = graph.vertices[edges.source], graph.vertices[edges.target]
    counts = start.count(), end.count()
    chosen = _weight_property(edges, weight)
    names = _names(start, end, counts)
    filling = _Filling(edges, counts, chosen)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for _ in pool.map(filling.fill, filling.chunks()):
            pass
    if start is not end:
        filling.target += numpy.uint32(counts[0])
    lost = _lost(graph, edges, (start, end), chosen)
    if lost:
        warnings.warn("the container does not hold: %s" % ", ".join(lost), _errors.QuernWarning, stacklevel=2)
    given.setdefault("directed", edges.directed)
    return from_arrays(filling.source, filling.target, filling.weights, ids=names,
                       num_vertices=None if names is not None else sum(dict(zip((start, end), counts)).values()), **given)


# ---- Writing ------------------------------------------------------------------------------------

def _rows_by(graph: "Graph", by_source: bool) -> tuple:
    """Offsets, aligned ends, other ends and weights of a list; of an undirected graph every edge once."""
    if by_source or not graph.directed:
        offsets, others, weights = graph.row_offsets, graph.column_indices, graph.weights
    else:
        offsets, others, weights = graph.in_row_offsets, graph.in_column_indices, graph.in_weights
    aligned = numpy.repeat(numpy.arange(graph.num_vertices, dtype="u4"), numpy.diff(offsets).view("i8"))
    if not graph.directed:
        once = aligned <= others if by_source else others <= aligned
        aligned, others = aligned[once], others[once]
        weights = None if weights is None else weights[once]
        degrees = numpy.bincount(aligned, minlength=graph.num_vertices)
        offsets = numpy.concatenate([numpy.zeros(1, "i8"), numpy.cumsum(degrees)])
    return offsets.astype("i8"), aligned, others, weights


def _write_table(path: Path, **columns: Any) -> None:
    pyarrow = need("pyarrow")
    path.parent.mkdir(parents=True, exist_ok=True)
    need("pyarrow.parquet").write_table(pyarrow.table(columns), path, compression="zstd")


def _write_count(path: Path, count: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(struct.pack("<q", count))


def _write_list(graph: "Graph", folder: Path, by_source: bool, part_size: int, chunk_size: int) -> None:
    offsets, aligned, others, weights = _rows_by(graph, by_source)
    source, target = (aligned, others) if by_source else (others, aligned)
    _write_count(folder / "vertex_count", graph.num_vertices)
    for part, first in enumerate(range(0, graph.num_vertices, part_size)):
        bounds = offsets[first:first + part_size + 1]
        start, stop = int(bounds[0]), int(bounds[-1])
        _write_table(folder / "offset" / ("chunk%d" % part), **{OFFSET: bounds - start})
        _write_count(folder / ("edge_count%d" % part), stop - start)
        for chunk, at in enumerate(range(start, stop, chunk_size)):
            rows, name = slice(at, min(at + chunk_size, stop)), "part%d/chunk%d" % (part, chunk)
            _write_table(folder / "adj_list" / name, **{SOURCE: source[rows].astype("i8"), TARGET: target[rows].astype("i8")})
            if weights is not None:
                values = weights[rows]
                _write_table(folder / "weight" / name, weight=values.astype("i8") if values.dtype == "u4" else values)


def _write_vertices(graph: "Graph", folder: Path, chunk_size: int) -> str:
    """The primary key of every vertex; its type."""
    ids = graph.id_column()
    if isinstance(ids, Text):
        ids = ids.tolist()
    elif len(ids) and ids.max() > numpy.iinfo("i8").max:
        raise _errors.UnsupportedError("the id %d is too large: GraphAr has ids of int64" % ids.max())
    else:
        ids = ids.astype("i8")
    _write_count(folder / "vertex_count", graph.num_vertices)
    for chunk, first in enumerate(range(0, graph.num_vertices, chunk_size)):
        rows = slice(first, min(first + chunk_size, graph.num_vertices))
        try:
            _write_table(folder / "id" / ("chunk%d" % chunk), **{INDEX: numpy.arange(rows.start, rows.stop), "id": ids[rows]})
        except UnicodeEncodeError as problem:
            raise _errors.UnsupportedError("an id is not UTF-8, which GraphAr has for texts") from problem
    return "string" if isinstance(ids, list) else "int64"


def write(graph: "Graph", path: "PathLike", *, name: Optional[str] = None, vertex_type: str = "vertex",
          edge_type: str = "edge", vertex_chunk_size: int = 1 << 18, edge_chunk_size: int = 1 << 22,
          lists: Tuple[str, ...] = ("ordered_by_source", "ordered_by_dest"), force: bool = False) -> None:
    """Write a GraphAr graph as a folder of YAML and Parquet: one type of vertices, whose primary key ``id`` is what the input
    called them, one type of edges, and their property ``weight``. An undirected edge is listed once.

    ``name`` is that of the graph, by default that of the folder. The folder appears whole or not at all.
    """
    target = Path(os.path.abspath(os.fspath(path)))
    name = name or target.name
    for label in name, vertex_type, edge_type:
        if not label or "/" in label or "\0" in label or label.startswith("."):
            raise _errors.UsageError("%r cannot be the name of a file" % label)
    unknown = set(lists) - {LISTS[True, "src"], LISTS[True, "dst"]}
    if unknown or not lists:
        raise _errors.UsageError("lists are ordered_by_source or ordered_by_dest or both, not %s" % (", ".join(unknown) or "none"))
    if vertex_chunk_size < 1 or edge_chunk_size < 1:
        raise _errors.UsageError("a chunk has at least one row")
    if os.path.lexists(target) and not force:
        raise _errors.UsageError("the folder exists; force=True replaces it", os.fspath(target))
    unfinished = Path(tempfile.mkdtemp(prefix=target.name + ".tmp", dir=target.parent))
    try:
        _write_folder(graph, unfinished, name, vertex_type, edge_type, vertex_chunk_size, edge_chunk_size, lists)
        unfinished.chmod(0o755)
        _put_in_place(unfinished, target)
    except BaseException:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise


def _put_in_place(unfinished: Path, target: Path) -> None:
    if not os.path.lexists(target):
        os.rename(unfinished, target)
        return
    aside = Path(tempfile.mkdtemp(prefix=target.name + ".old", dir=target.parent))
    os.rename(target, aside / "old")
    os.rename(unfinished, target)
    if (aside / "old").is_dir() and not (aside / "old").is_symlink():
        shutil.rmtree(aside)
    else:
        (aside / "old").unlink()
        aside.rmdir()


def _write_folder(graph: "Graph", folder: Path, name: str, vertex_type: str, edge_type: str, vertex_chunk_size: int,
                  edge_chunk_size: int, lists: Tuple[str, ...]) -> None:
    yaml = need("yaml")
    triple = "_".join((vertex_type, edge_type, vertex_type))

    def group(property_name: str, data_type: str, primary: bool) -> Dict[str, Any]:
        return {"properties": [{"name": property_name, "data_type": data_type, "is_primary": primary}], "file_type": "parquet"}

    def write_info(file_name: str, info: Dict[str, Any]) -> None:
        (folder / file_name).write_text(yaml.safe_dump({**info, "version": VERSION}, sort_keys=False, allow_unicode=True),
                                        encoding="utf-8")

    id_type = _write_vertices(graph, folder / "vertex" / vertex_type, vertex_chunk_size)
    for kind in dict.fromkeys(lists):
        _write_list(graph, folder / "edge" / triple / kind, kind == LISTS[True, "src"], vertex_chunk_size, edge_chunk_size)
    write_info(vertex_type + ".vertex.yml", {
        "type": vertex_type, "chunk_size": vertex_chunk_size, "prefix": "vertex/%s/" % vertex_type,
        "property_groups": [group("id", id_type, True)]})
    weights = []
    if graph.weight_dtype is not None:
        weights = [group("weight", "int64" if graph.weight_dtype == "u4" else "float", False)]
    aligned = {folder_name: by for (ordered, by), folder_name in LISTS.items() if ordered}
    write_info(triple + ".edge.yml", {
        "src_type": vertex_type, "edge_type": edge_type, "dst_type": vertex_type, "chunk_size": edge_chunk_size,
        "src_chunk_size": vertex_chunk_size, "dst_chunk_size": vertex_chunk_size, "directed": graph.directed,
        "prefix": "edge/%s/" % triple,
        "adj_lists": [{"ordered": True, "aligned_by": aligned[kind], "file_type": "parquet"} for kind in dict.fromkeys(lists)],
        "property_groups": weights})
    write_info(name + ".graph.yml", {"name": name, "prefix": "./", "vertices": [vertex_type + ".vertex.yml"],
                                     "edges": [triple + ".edge.yml"]})
