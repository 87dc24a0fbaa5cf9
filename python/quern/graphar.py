"""Apache GraphAr (https://graphar.apache.org/docs/specification/format): graphs as YAML and chunks of tables.

GraphAr holds property graphs: several types of vertices and edges, each with properties. :func:`read` makes a container of one
type of edges, a name of every vertex, and properties of both; :func:`read_types` makes a set of all types. Both warn of what is
left behind.
"""

from __future__ import annotations

import math
import os
import struct
import warnings
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Deque, Dict, Iterable, Iterator, List, Optional, Sequence, Set, Tuple

import numpy

from . import _errors, _files
from ._arrow import Text
from ._files import other_than as _other_than
from ._optional import need
from ._properties import chosen as chosen_columns
from ._table import Table

if TYPE_CHECKING:
    from ._graph import Graph, PathLike
    from ._types import TypedSet

VERSION = "gar/v1"
INDEX, SOURCE, TARGET, OFFSET = "_graphArVertexIndex", "_graphArSrcIndex", "_graphArDstIndex", "_graphArOffset"
# Adjacency lists, in the order in which they are preferred: (ordered, aligned_by) and the name of their folder.
LISTS = {(True, "src"): "ordered_by_source", (False, "src"): "unordered_by_source", (True, "dst"): "ordered_by_dest",
         (False, "dst"): "unordered_by_dest"}
DATA_TYPES = {"u32": "int64", "u64": "int64", "i64": "int64", "f32": "float", "f64": "double", "bool": "bool", "string": "string",
              **dict.fromkeys(("u8", "u16", "i8", "i16", "i32"), "int32"), "f16": "float", "bf16": "float", "date": "date"}
NUMBERS = {"int32", "int64", "float", "double", "bool"}
# What versions before 0.13 call keys.
FORMER_KEYS = {"label": "type", "src_label": "src_type", "edge_label": "edge_type", "dst_label": "dst_type"}


# ---- Information files --------------------------------------------------------------------------

def _fail(path: Any, message: str) -> _errors.InvalidError:
    return _errors.InvalidError(message, os.fspath(path))


def _load(path: Path, *required: str) -> Dict[str, Any]:
    yaml = need("yaml")
    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, ValueError) as problem:  # also of dates and numbers that there are not, and of no UTF-8
        raise _fail(path, "this is no YAML: %s" % problem) from problem
    except RecursionError as problem:
        raise _fail(path, "this is nested too deeply for a file of GraphAr") from problem
    except OSError as problem:
        raise _errors.SystemFailure(problem.strerror or str(problem), os.fspath(path)) from problem
    if isinstance(found, dict):
        for former, key in FORMER_KEYS.items():
            if former in found:
                found.setdefault(key, found[former])
    if not isinstance(found, dict) or any(key not in found for key in required):
        raise _fail(path, "an information file of GraphAr has the keys %s" % ", ".join(required))
    version = str(found.get("version", VERSION)).split()[0]
    if version != VERSION:
        raise _errors.UnsupportedError("this is of version %s; %s is read" % (version, VERSION), os.fspath(path))
    return found


def _positive(path: Path, info: Dict[str, Any], key: str) -> int:
    if isinstance(info[key], bool) or not isinstance(info[key], int) or info[key] < 1:
        raise _fail(path, "%s is %r; it is a number of rows" % (key, info[key]))
    return int(info[key])


def _groups(path: Path, info: Dict[str, Any]) -> List[Dict[str, Any]]:
    groups = info.get("property_groups") or []
    for group in groups:
        try:
            names = [entry["name"] for entry in group["properties"]]
            group.setdefault("prefix", "_".join(names) + "/")
            _ = group["file_type"], [entry["data_type"] for entry in group["properties"]]
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
        self.vertices, self.edges = self._by_name(vertices), self._by_name(edges)

    def _by_name(self, entries: List[Any]) -> Dict[str, Any]:
        found: Dict[str, Any] = {}
        for entry in entries:
            if entry.name in found:
                raise _fail(self.path, "two types are called %s" % entry.name)
            found[entry.name] = entry
        return found

    def chosen(self, edge: Optional[str]) -> _Edges:
        matching = [entry for entry in self.edges.values() if edge in (None, entry.name, entry.label)]
        if len(matching) != 1:
            raise _errors.UsageError("%s type of edges is %s; there are: %s (option edge)"
                                     % ("more than one" if matching else "no", "meant" if edge is None else "called " + edge,
                                        ", ".join(sorted(self.edges))), os.fspath(self.path))
        return self.checked(matching[0])

    def checked(self, entry: _Edges) -> _Edges:
        """The type, whose ends there are, and a list of which is chosen."""
        for end in entry.source, entry.target:
            if end not in self.vertices:
                raise _fail(entry.path, "there are no vertices of the type %s" % end)
        entry.choose_list()
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


def _read_csv(path: Path, types: Dict[str, Any]) -> Any:
    """An empty field is null, and a quoted one an empty text."""
    csv = need("pyarrow.csv")
    return csv.read_csv(path, csv.ReadOptions(use_threads=False), csv.ParseOptions(newlines_in_values=True),
                        csv.ConvertOptions(column_types=types, null_values=[""], strings_can_be_null=True,
                                           quoted_strings_can_be_null=False))


def _read_json(path: Path, types: Dict[str, Any]) -> Any:
    json = need("pyarrow.json")
    return json.read_json(path, parse_options=json.ParseOptions(explicit_schema=need("pyarrow").schema(types.items())))


def _read_table(path: Path, file_type: str, types: Dict[str, Any], required: Sequence[str], further: Sequence[str] = ()) -> Any:
    """A chunk: columns without nulls, and columns that may have some. Text is read as these types: what it looks like does
    not matter."""
    pyarrow, columns = need("pyarrow"), [*required, *further]
    try:
        if file_type == "parquet":
            file = need("pyarrow.parquet").ParquetFile(path)
            names = file.schema_arrow.names
            index = [INDEX] if INDEX in names and INDEX not in columns else []
            table = file.read(columns=columns + index, use_threads=False) if set(columns) <= set(names) else file.schema_arrow.empty_table()
        elif file_type == "orc":
            table = need("pyarrow.orc").ORCFile(path).read()
        elif file_type == "csv":
            table = _read_csv(path, types)
        elif file_type == "json":
            table = _read_json(path, types)
        else:
            raise _errors.UnsupportedError("files of the type %s are not read" % file_type, os.fspath(path))
    except OSError as problem:
        raise _errors.SystemFailure(str(problem), os.fspath(path)) from problem
    except pyarrow.ArrowInvalid as problem:
        raise _fail(path, str(problem)) from problem
    for column in columns:
        if column not in table.column_names:
            raise _fail(path, "there is no column %s; there are %s" % (column, ", ".join(table.column_names)))
        if column in required and table[column].null_count:
            raise _fail(path, "%s is null in %d rows" % (column, table[column].null_count))
    return table


def _integers(path: Path, table: Any, column: str, bound: Tuple[int, int]) -> numpy.ndarray:
    """A column of numbers in [bound[0], bound[1])."""
    values: numpy.ndarray = table[column].to_numpy()
    if values.dtype.kind not in "ui":
        raise _fail(path, "%s is %s, not integers" % (column, table[column].type))
    if len(values) and (values.min() < bound[0] or values.max() >= bound[1]):
        row = int(numpy.flatnonzero((values < bound[0]) | (values >= bound[1]))[0])
        raise _fail(path, "row %d (from 0): %s is %d, which is not in [%d, %d)" % (row, column, values[row], *bound))
    return values


# ---- Streams ------------------------------------------------------------------------------------

def _arrow_type(data_type: str) -> Any:
    """What values of a property are read as; None: they are no property of a container."""
    pyarrow = need("pyarrow")
    return {"bool": pyarrow.bool_(), "int32": pyarrow.int32(), "int64": pyarrow.int64(), "float": pyarrow.float32(),
            "double": pyarrow.float64(), "string": pyarrow.large_string(), "date": pyarrow.date32(),
            "timestamp": pyarrow.timestamp("ms")}.get(data_type)


def _types(groups: Iterable[Dict[str, Any]]) -> Dict[str, Any]:
    return {entry["name"]: _arrow_type(entry["data_type"]) for _, entry in _properties(list(groups)) if _is_kept(entry)}


def _is_kept(entry: Dict[str, Any]) -> bool:
    return entry.get("cardinality", "single") == "single" and _arrow_type(entry["data_type"]) is not None


def _cast(path: Path, name: str, values: Any, type: Any) -> Any:
    pyarrow = need("pyarrow")
    try:
        return values.cast(type)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError) as problem:
        raise _fail(path, "%s is %s, not as the information file says: %s" % (name, values.type, problem)) from problem


def _in_order(function: Callable[[Any], Any], places: Iterable[Any], failures: List[BaseException]) -> Iterator[Any]:
    """What the function makes of each place, a few at the same time. A failure is kept: of one in a stream of Arrow its
    reader gets no more than the text."""
    threads = os.cpu_count() or 1
    try:
        with ThreadPoolExecutor(threads) as pool:
            running: Deque[Any] = deque()
            for place in places:
                running.append(pool.submit(function, place))
                if len(running) > threads:
                    yield running.popleft().result()
            while running:
                yield running.popleft().result()
    except Exception as failure:
        failures.append(failure)
        raise


class _VertexRows:
    """The vertices of one or two types as a stream of tables: how they are called, and their properties."""

    def __init__(self, types: Sequence[_Vertices], counts: Dict[str, int]):
        self.types, self.counts = types, counts
        by_name: Dict[str, Set[str]] = {}
        for vertices in types:
            for _, entry in _properties(vertices.groups):
                by_name.setdefault(entry["name"], set()).add(entry["data_type"])
        self.columns: Dict[str, Any] = {}
        self.parts: Dict[str, List[Tuple[Dict[str, Any], List[Tuple[str, str]]]]] = {}
        for vertices in types:
            self.parts[vertices.name] = [(group, self._named(vertices, group, by_name)) for group in vertices.groups]
        self.primary = {vertices.name: vertices.primary() for vertices in types}
        self.key = _other_than(self.columns, "id")
        self.key_type = self._type_of_key()

    def _named(self, vertices: _Vertices, group: Dict[str, Any], by_name: Dict[str, Set[str]]) -> List[Tuple[str, str]]:
        """The properties of a group, and what their columns are called: by the type too where two types differ."""
        found = []
        for entry in group["properties"]:
            if entry.get("is_primary") or not _is_kept(entry):
                continue
            name = entry["name"] if len(by_name[entry["name"]]) == 1 else "%s.%s" % (vertices.name, entry["name"])
            self.columns[name] = _arrow_type(entry["data_type"])
            found.append((entry["name"], name))
        return found

    def _type_of_key(self) -> Any:
        """Numbers, or texts: of two types, and of numbers below 0; None without a key."""
        pyarrow = need("pyarrow")
        if len(self.types) > 1:
            return pyarrow.large_string()
        vertices = self.types[0]
        primary = self.primary[vertices.name]
        if primary is None:
            return None
        group, entry = primary
        if entry["data_type"] == "string":
            return pyarrow.large_string()
        negative = False
        for path, _, _ in self._chunks(vertices, group):
            values = _read_table(path, group["file_type"], _types([group]), [entry["name"]])[entry["name"]].to_numpy()
            if values.dtype.kind not in "ui":
                raise _fail(path, "%s is %s; a primary key is integers or texts" % (entry["name"], values.dtype))
            negative = negative or bool(len(values) and values.min() < 0)
        return pyarrow.large_string() if negative else pyarrow.int64()

    def _chunks(self, vertices: _Vertices, group: Dict[str, Any]) -> Iterator[Tuple[Path, int, int]]:
        count = self.counts[vertices.name]
        for chunk, first in enumerate(range(0, count, vertices.chunk_size)):
            yield (vertices.folder / group["prefix"] / ("chunk%d" % chunk), first, min(first + vertices.chunk_size, count))

    def _rows(self, vertices: _Vertices, group: Dict[str, Any], chunk: int, required: List[str], further: List[str]) -> Any:
        first = chunk * vertices.chunk_size
        last = min(first + vertices.chunk_size, self.counts[vertices.name])
        path = vertices.folder / group["prefix"] / ("chunk%d" % chunk)
        table = _read_table(path, group["file_type"], _types([group]), required, further)
        if len(table) != last - first:
            raise _fail(path, "%d rows; vertices %d to %d belong here" % (len(table), first, last - 1))
        if INDEX in table.column_names and table[INDEX].null_count == 0:
            index = _integers(path, table, INDEX, (first, last))
            if len(numpy.unique(index)) != len(index):
                raise _fail(path, "%s has a vertex twice" % INDEX)
            if not numpy.array_equal(index, numpy.arange(first, last)):
                table = table.take(numpy.argsort(index))
        return path, table

    def _keys(self, vertices: _Vertices, chunk: int, count: int) -> Any:
        pyarrow = need("pyarrow")
        primary, text = self.primary[vertices.name], pyarrow.large_string()
        if primary is None:
            first = chunk * vertices.chunk_size
            keys = pyarrow.array(numpy.arange(first, first + count))
        else:
            path, table = self._rows(vertices, primary[0], chunk, [primary[1]["name"]], [])
            keys = _cast(path, primary[1]["name"], table[primary[1]["name"]].combine_chunks(), self.key_type)
        if len(self.types) == 1:
            return keys
        prefix = pyarrow.scalar(vertices.name + ":", text)
        return need("pyarrow.compute").binary_join_element_wise(prefix, keys.cast(text), pyarrow.scalar("", text))

    def _batch(self, place: Tuple[_Vertices, int, int]) -> Any:
        pyarrow = need("pyarrow")
        vertices, chunk, count = place
        found: Dict[str, Any] = {}
        if self.key_type is not None:
            found[self.key] = self._keys(vertices, chunk, count)
        for group, named in self.parts[vertices.name]:
            if named:
                path, table = self._rows(vertices, group, chunk, [], [name for name, _ in named])
                found.update((column, _cast(path, name, table[name].combine_chunks(), self.columns[column]))
                             for name, column in named)
        schema = self.schema()
        return pyarrow.RecordBatch.from_arrays(
            [found[field.name] if field.name in found else pyarrow.nulls(count, field.type) for field in schema], schema=schema)

    def schema(self) -> Any:
        pyarrow = need("pyarrow")
        key = [] if self.key_type is None else [(self.key, self.key_type)]
        return pyarrow.schema(key + list(self.columns.items()))

    def reader(self, failures: List[BaseException]) -> Any:
        places = ((vertices, chunk, min(vertices.chunk_size, self.counts[vertices.name] - first)) for vertices in self.types
                  for chunk, first in enumerate(range(0, self.counts[vertices.name], vertices.chunk_size)))
        if not len(self.schema()):  # vertices that nothing is known of: their number is all
            return None
        return need("pyarrow").RecordBatchReader.from_batches(self.schema(), _in_order(self._batch, places, failures))


class _EdgeRows:
    """A list of edges as a stream of tables: ends, and properties."""

    def __init__(self, edges: _Edges, counts: Tuple[int, int], shift: int):
        self.edges, self.counts, self.shift = edges, counts, shift
        aligned = counts[0] if edges.by_source else counts[1]
        if _count(edges.list_folder / "vertex_count") != aligned:
            raise _fail(edges.list_folder / "vertex_count", "it disagrees with that of the vertices, %d" % aligned)
        parts = math.ceil(aligned / edges.part_size)
        self.aligned = aligned
        self.sizes = [_count(edges.list_folder / ("edge_count%d" % part)) for part in range(parts)]
        if sum(self.sizes) > 2**48:
            raise _fail(edges.list_folder, "%d edges are more than can be" % sum(self.sizes))
        self.columns = _types(edges.groups)
        for name in self.columns:
            if name in (SOURCE, TARGET):
                raise _fail(edges.path, "no property is called %s" % name)

    def chunks(self) -> Iterator[Tuple[int, int, int]]:
        """Of each chunk: the part, its number in the part, and how many edges it has."""
        for part, size in enumerate(self.sizes):
            self.refuse_more(part, math.ceil(size / self.edges.chunk_size))
            for chunk, at in enumerate(range(0, size, self.edges.chunk_size)):
                yield part, chunk, min(self.edges.chunk_size, size - at)

    def refuse_more(self, part: int, chunks: int) -> None:
        """Edges that the count does not know must not be left out in silence."""
        beyond = self.edges.list_folder / "adj_list" / ("part%d/chunk%d" % (part, chunks))
        if beyond.exists():
            raise _fail(beyond, "edge_count%d says that there are %d chunks before it" % (part, chunks))

    def _batch(self, place: Tuple[int, int, int]) -> Any:
        pyarrow = need("pyarrow")
        part, chunk, count = place
        edges, name = self.edges, "part%d/chunk%d" % (part, chunk)
        path = edges.list_folder / "adj_list" / name
        table = _read_table(path, edges.file_type, dict.fromkeys((SOURCE, TARGET), pyarrow.int64()), [SOURCE, TARGET])
        if len(table) != count:
            raise _fail(path, "%d rows; edge_count%d says %d" % (len(table), part, count))
        here = part * edges.part_size, min((part + 1) * edges.part_size, self.aligned)
        found = {SOURCE: _integers(path, table, SOURCE, here if edges.by_source else (0, self.counts[0])),
                 TARGET: _integers(path, table, TARGET, (0, self.counts[1]) if edges.by_source else here) + self.shift}
        for group in edges.groups:
            wanted = [entry["name"] for entry in group["properties"] if entry["name"] in self.columns]
            path = edges.list_folder / group["prefix"] / name
            values = _read_table(path, group["file_type"], self.columns, [], wanted) if wanted else table
            if len(values) != count:
                raise _fail(path, "%d rows; there are %d edges" % (len(values), count))
            found.update((column, _cast(path, column, values[column].combine_chunks(), self.columns[column])) for column in wanted)
        schema = self.schema()
        return pyarrow.RecordBatch.from_arrays(
            [pyarrow.array(found[field.name], field.type) if field.name in (SOURCE, TARGET) else found[field.name]
             for field in schema], schema=schema)

    def schema(self) -> Any:
        pyarrow = need("pyarrow")
        return pyarrow.schema([(SOURCE, pyarrow.int64()), (TARGET, pyarrow.int64()), *self.columns.items()])

    def reader(self, failures: List[BaseException]) -> Any:
        return need("pyarrow").RecordBatchReader.from_batches(self.schema(), _in_order(self._batch, self.chunks(), failures))


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


def _lost(edges: Iterable[_Edges], vertices: Iterable[_Vertices]) -> List[str]:
    """Properties that have no form here."""
    lost = ["%s.%s" % (each.name, entry["name"]) for each in vertices for _, entry in _properties(each.groups)
            if not entry.get("is_primary") and not _is_kept(entry)]
    return lost + ["%s.%s" % (each.name, entry["name"]) for each in edges for _, entry in _properties(each.groups) if not _is_kept(entry)]


def read(source: "PathLike", edge: Optional[str] = None, *, weight: Optional[str] = "weight", **given: Any) -> "Graph":
    """Read a type of edges of a GraphAr graph: its ``.graph.yml``, or the folder of that.

    ``edge`` is the type of edges, as ``"person_knows_person"`` or ``"knows"``, where there are several. ``weight`` names the
    edge property that becomes the weight; None is no weight. Vertices are called by their primary key, or if the edges go from
    one type to another by both, as ``"person:42"``; then those of the first type come first. Other properties of vertices and
    edges are kept; where two types of vertices have a property of one name and not of one
    type, it is called ``person.age``. Chunks may be Parquet, ORC, CSV or JSON, and are read a few at a time. Other options
    are those of :func:`quern.from_arrow`. A :class:`quern.QuernWarning` names lists and other types of edges, which the
    container does not hold.
    """
    graph = _Graph(source)
    edges = graph.chosen(edge)
    start, end = graph.vertices[edges.source], graph.vertices[edges.target]
    counts = start.count(), end.count()
    vertices = _VertexRows(list(dict.fromkeys((start, end))), {start.name: counts[0], end.name: counts[1]})
    _warn_of(_lost([edges], dict.fromkeys((start, end))) + sorted(name for name in graph.edges if name != edges.name))
    return _import_edges(edges, counts, 0 if start is end else counts[0], weight, vertices, given)


def read_types(source: "PathLike", path: "PathLike", *, weight: Optional[str] = "weight", force: bool = False, **job: Any) -> None:
    """Read all types of vertices and edges of a GraphAr graph into a set with types at ``path``, a folder. Vertices are called by
    their primary key, or numbered where there is none. ``weight`` names the edge property that becomes the weight, of the types
    that have it; None is none. ``threads``, ``memory``, ``tmpdir`` and ``progress`` are as in :func:`quern.from_arrow`."""
    from ._types import assemble
    graph = _Graph(source)
    counts = {name: vertices.count() for name, vertices in graph.vertices.items()}
    _warn_of(_lost([graph.checked(entry) for entry in graph.edges.values()], graph.vertices.values()))
    vertices = {name: _import_vertices(entry, counts[name], job) for name, entry in graph.vertices.items()}
    edges = {}
    for name, entry in graph.edges.items():
        if not entry.directed and entry.source != entry.target:
            _warn_of([], "the edges %s are undirected; from one type to another a set has directed ones" % name)
        directed = entry.directed or entry.source != entry.target
        numbers = [prop["name"] for _, prop in _properties(entry.groups) if prop["data_type"] in NUMBERS and _is_kept(prop)]
        chosen = weight if weight in numbers else None
        edges[entry.source, entry.label, entry.target] = _import_edges(
            entry, (counts[entry.source], counts[entry.target]), 0, chosen, None, {**job, "directed": directed})
    assemble(vertices, edges, path, force=force, **job)


def _warn_of(lost: Sequence[str], text: Optional[str] = None) -> None:
    if lost or text:
        warnings.warn(text or "the container does not hold: %s" % ", ".join(lost), _errors.QuernWarning, stacklevel=3)


def _import_vertices(entry: _Vertices, count: int, job: Dict[str, Any]) -> "Graph":
    """A graph of the vertices of a type, in their order, without edges."""
    from ._sources import from_arrays
    rows, failures = _VertexRows([entry], {entry.name: count}), []  # type: ignore[var-annotated]
    named = rows.reader(failures)
    if named is None:
        return from_arrays(numpy.empty(0, "u4"), numpy.empty(0, "u4"), num_vertices=count, **job)
    no_edges = Table.of_arrays(source=numpy.empty(0, "u4"), target=numpy.empty(0, "u4"))
    return _import(no_edges, ["source", "target"], failures,
                   {**job, "vertices": named, "rows": True, "id": "" if rows.key_type is None else rows.key})


def _import_edges(edges: _Edges, counts: Tuple[int, int], shift: int, weight: Optional[str], vertices: Optional[_VertexRows],
                  given: Dict[str, Any]) -> "Graph":
    """A graph of the edges of a type, whose targets' numbers begin at `shift`, and of these vertices; None: of their number."""
    chosen = _weight_property(edges, weight)
    rows = _EdgeRows(edges, counts, shift)
    failures: List[BaseException] = []
    named = vertices.reader(failures) if vertices else None
    given.setdefault("directed", edges.directed)
    if named is None or vertices is None:
        given["num_vertices"] = max(counts[0], shift + counts[1])
    else:
        given.update(vertices=named, rows=True, id="" if vertices.key_type is None else vertices.key)
    columns = [SOURCE, TARGET] + ([chosen[1]["name"]] if chosen else [])
    return _import(rows.reader(failures), columns, failures, given)


def _import(table: Any, columns: List[str], failures: List[BaseException], given: Dict[str, Any]) -> "Graph":
    from ._sources import from_arrow
    try:
        return from_arrow(table, columns, properties=True, **given)
    except _errors.SystemFailure:
        if failures:
            raise failures[0]
        raise


# ---- Writing ------------------------------------------------------------------------------------

class _Ends:
    """Which vertices of a graph are sources and targets of the edges that are written: those of one type, [begin, begin + count)."""

    def __init__(self, sources: Tuple[int, int], targets: Tuple[int, int]):
        self.begins, self.counts = (sources[0], targets[0]), (sources[1], targets[1])


def _rows_of_type(graph: "Graph", by_source: bool, ends: _Ends) -> Tuple[Any, ...]:
    """The same as :func:`_rows_by`, of vertices that are numbered from where their type begins."""
    offsets, aligned, others, weights = _rows_by(graph, by_source)
    here, there = (0, 1) if by_source else (1, 0)
    begin = ends.begins[here]
    return (offsets[begin:begin + ends.counts[here] + 1], aligned - numpy.uint32(begin), others - numpy.uint32(ends.begins[there]), weights)


def _rows_by(graph: "Graph", by_source: bool) -> Tuple[Any, ...]:
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


def _order_by(graph: "Graph", by_source: bool) -> Any:
    """Which edges, in the order of ``column_indices``, a list has; None: all, in this order."""
    columns = graph.column_indices
    if by_source and graph.directed:
        return None
    order = numpy.arange(len(columns)) if by_source else numpy.argsort(columns, kind="stable")
    if graph.directed:
        return order
    ends = graph.sources()[order], columns[order]
    return order[ends[0] <= ends[1]]


def _write_table(path: Path, columns: Dict[str, Any]) -> None:
    """Columns of :class:`quern.Table`, in the types that GraphAr has."""
    pyarrow = need("pyarrow")
    table = Table.of_arrays(columns).to_arrow()
    types = {pyarrow.uint32(): pyarrow.int64(), pyarrow.uint64(): pyarrow.int64(), pyarrow.large_string(): pyarrow.string(),
             pyarrow.float16(): pyarrow.float32(),
             **dict.fromkeys((pyarrow.uint8(), pyarrow.uint16(), pyarrow.int8(), pyarrow.int16()), pyarrow.int32())}
    for number, field in enumerate(table.schema):
        if field.type == pyarrow.large_binary():
            raise _errors.UnsupportedError("%s has a text that is not UTF-8, as those of GraphAr are" % field.name)
        try:
            stored = pyarrow.timestamp("ms") if pyarrow.types.is_timestamp(field.type) else types.get(field.type, field.type)
            column = table.column(number).cast(stored)
        except pyarrow.ArrowInvalid as problem:
            raise _errors.UnsupportedError("%s: GraphAr has integers of int64 and timestamps in milliseconds: %s" % (field.name, problem)) from problem
        table = table.set_column(number, field.name, column)
    path.parent.mkdir(parents=True, exist_ok=True)
    need("pyarrow.parquet").write_table(table, path, compression="zstd")


def _write_count(path: Path, count: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(struct.pack("<q", count))


def _write_list(graph: "Graph", ends: _Ends, folder: Path, by_source: bool, part_size: int, chunk_size: int) -> None:
    offsets, aligned, others, weights = _rows_of_type(graph, by_source, ends)
    count = ends.counts[0 if by_source else 1]
    source, target = (aligned, others) if by_source else (others, aligned)
    properties = chosen_columns(graph.edge_properties, True)
    order = _order_by(graph, by_source) if properties else None
    _write_count(folder / "vertex_count", count)
    for part, first in enumerate(range(0, count, part_size)):
        bounds = offsets[first:first + part_size + 1]
        start, stop = int(bounds[0]), int(bounds[-1])
        _write_table(folder / "offset" / ("chunk%d" % part), {OFFSET: bounds - start})
        _write_count(folder / ("edge_count%d" % part), stop - start)
        for chunk, at in enumerate(range(start, stop, chunk_size)):
            rows, name = slice(at, min(at + chunk_size, stop)), "part%d/chunk%d" % (part, chunk)
            _write_table(folder / "adj_list" / name, {SOURCE: source[rows], TARGET: target[rows]})
            if weights is not None:
                _write_table(folder / "weight" / name, {"weight": weights[rows]})
            if properties:
                these = rows if order is None else order[rows]
                _write_table(folder / "properties" / name, {label: column[these] for label, column in properties.items()})


def _write_vertices(graph: "Graph", folder: Path, chunk_size: int, key: str) -> str:
    """The primary key of every vertex, and its properties; the type of the key."""
    ids, properties = graph.id_column(), chosen_columns(graph.vertex_properties, True)
    if not isinstance(ids, Text) and len(ids) and ids.max() > numpy.iinfo("i8").max:
        raise _errors.UnsupportedError("the id %d is too large: GraphAr has ids of int64" % ids.max())
    _write_count(folder / "vertex_count", graph.num_vertices)
    for chunk, first in enumerate(range(0, graph.num_vertices, chunk_size)):
        rows = slice(first, min(first + chunk_size, graph.num_vertices))
        index = {INDEX: numpy.arange(rows.start, rows.stop)}
        _write_table(folder / "id" / ("chunk%d" % chunk), {**index, key: ids[rows]})
        if properties:
            _write_table(folder / "properties" / ("chunk%d" % chunk),
                         {**index, **{name: column[rows] for name, column in properties.items()}})
    return "string" if isinstance(ids, Text) else "int64"


def _data_type(name: str, kind: str) -> str:
    """What GraphAr calls a type."""
    if "x" in kind:
        raise _errors.UnsupportedError("the property %s is of vectors, %s, which GraphAr has no type for: write the graph without it "
                                       "(graph.with_properties), and it to a file of its own (numpy.save)" % (name, kind))
    return "timestamp" if kind.startswith("timestamp") else DATA_TYPES[kind]


def _check_properties(of: Any) -> None:
    for name, kind in of.types().items():
        _data_type(name, kind)
        if kind.endswith("_utc"):
            warnings.warn("that the timestamps of %s are of UTC is not in the output" % name, _errors.QuernWarning, stacklevel=6)


def _check_edge_names(graph: "Graph") -> None:
    for name in graph.edge_properties:
        if name in (SOURCE, TARGET) or (name == "weight" and graph.weight_dtype is not None):
            raise _errors.UnsupportedError("a property of edges is called %s, as another column of GraphAr is" % name)


def _check_vertex_names(graph: "Graph") -> None:
    if INDEX in graph.vertex_properties:
        raise _errors.UnsupportedError("a property of vertices is called %s, as another column of GraphAr is" % INDEX)


def write(graph: "Graph", path: "PathLike", *, name: Optional[str] = None, vertex_type: str = "vertex",
          edge_type: str = "edge", vertex_chunk_size: int = 1 << 18, edge_chunk_size: int = 1 << 22,
          lists: Tuple[str, ...] = ("ordered_by_source", "ordered_by_dest"), force: bool = False) -> None:
    """Write a GraphAr graph as a folder of YAML and Parquet: one type of vertices, whose primary key ``id`` is what the input
    called them, one type of edges with the property ``weight``, and the properties of both. An undirected edge is listed once.

    ``name`` is that of the graph, by default that of the folder. The folder appears whole or not at all.
    """
    ways = _Ways(name or Path(os.path.abspath(os.fspath(path))).name, vertex_chunk_size, edge_chunk_size, lists)
    for label in vertex_type, edge_type:
        _check_label(label)
    _files.write_folder(path, force, lambda folder: _write_folder(graph, folder, ways, vertex_type, edge_type))


def write_types(set_path: "PathLike", path: "PathLike", *, name: Optional[str] = None, vertex_chunk_size: int = 1 << 18,
                edge_chunk_size: int = 1 << 22, lists: Tuple[str, ...] = ("ordered_by_source", "ordered_by_dest"),
                force: bool = False) -> None:
    """Write all types of vertices and edges of a set with types as a GraphAr graph, each by itself, as :func:`write` does one."""
    from ._types import TypedSet
    types = TypedSet(set_path, verify=True)
    ways = _Ways(name or Path(os.path.abspath(os.fspath(path))).name, vertex_chunk_size, edge_chunk_size, lists)
    for label in [*types.counts, *(label for _, label, _ in types.edge_types)]:
        _check_label(label)
    if len({"_".join(type) for type in types.edge_types}) < len(types.edge_types):
        raise _errors.UnsupportedError("two types of edges are called the same in GraphAr, where a _ joins the names of three types")
    _files.write_folder(path, force, lambda folder: _write_typed_folder(types, folder, ways))


class _Ways:
    """How a graph is written."""

    def __init__(self, name: str, vertex_chunk_size: int, edge_chunk_size: int, lists: Tuple[str, ...]):
        self.name, self.vertex_chunk_size, self.edge_chunk_size = str(name), vertex_chunk_size, edge_chunk_size
        self.lists = list(dict.fromkeys(lists))
        _check_label(self.name)
        unknown = set(lists) - {LISTS[True, "src"], LISTS[True, "dst"]}
        if unknown or not lists:
            raise _errors.UsageError("lists are ordered_by_source or ordered_by_dest or both, not %s" % (", ".join(unknown) or "none"))
        if vertex_chunk_size < 1 or edge_chunk_size < 1:
            raise _errors.UsageError("a chunk has at least one row")


def _check_label(label: str) -> None:
    if not label or "/" in label or "\0" in label or label.startswith("."):
        raise _errors.UsageError("%r cannot be the name of a file" % label)


def _write_folder(graph: "Graph", folder: Path, ways: _Ways, vertex_type: str, edge_type: str) -> None:
    every = 0, graph.num_vertices
    files = ([_write_vertex_type(graph, folder, ways, vertex_type)],
             [_write_edge_type(graph, _Ends(every, every), folder, ways, (vertex_type, edge_type, vertex_type))])
    _write_graph_info(folder, ways, *files)


def _write_typed_folder(types: "TypedSet", folder: Path, ways: _Ways) -> None:
    vertices, edges = [], []
    for name in types.counts:
        with types.vertices(name) as graph:
            vertices.append(_write_vertex_type(graph, folder, ways, name))
    for type in types.edge_types:
        source, target = zip(types.begins(type), (types.counts[type[0]], types.counts[type[2]]))
        with types.edges(type) as graph:
            edges.append(_write_edge_type(graph, _Ends(source, target), folder, ways, type))
    _write_graph_info(folder, ways, vertices, edges)


def _group(prefix: str, properties: Dict[str, str], primary: bool = False) -> List[Dict[str, Any]]:
    each = [{"name": label, "data_type": data_type, "is_primary": primary} for label, data_type in properties.items()]
    return [{"properties": each, "file_type": "parquet", "prefix": prefix}] if each else []


def _types_of(properties: Any) -> Dict[str, str]:
    return {label: _data_type(label, kind) for label, kind in properties.types().items()}


def _write_info(folder: Path, file_name: str, info: Dict[str, Any]) -> str:
    yaml = need("yaml")
    (folder / file_name).write_text(yaml.safe_dump({**info, "version": VERSION}, sort_keys=False, allow_unicode=True), encoding="utf-8")
    return file_name


def _write_graph_info(folder: Path, ways: _Ways, vertices: List[str], edges: List[str]) -> None:
    _write_info(folder, ways.name + ".graph.yml", {"name": ways.name, "prefix": "./", "vertices": vertices, "edges": edges})


def _write_vertex_type(graph: "Graph", folder: Path, ways: _Ways, name: str) -> str:
    """The chunks and the information file of a type of vertices; what that file is called."""
    _check_vertex_names(graph)
    _check_properties(graph.vertex_properties)
    key = _other_than(graph.vertex_properties, "id")
    id_type = _write_vertices(graph, folder / "vertex" / name, ways.vertex_chunk_size, key)
    return _write_info(folder, name + ".vertex.yml", {
        "type": name, "chunk_size": ways.vertex_chunk_size, "prefix": "vertex/%s/" % name,
        "property_groups": _group("id/", {key: id_type}, True) + _group("properties/", _types_of(graph.vertex_properties))})


def _write_edge_type(graph: "Graph", ends: _Ends, folder: Path, ways: _Ways, type: Tuple[str, str, str]) -> str:
    """The same of a type of edges."""
    triple = "_".join(type)
    _check_edge_names(graph)
    _check_properties(graph.edge_properties)
    for kind in ways.lists:
        _write_list(graph, ends, folder / "edge" / triple / kind, kind == LISTS[True, "src"], ways.vertex_chunk_size, ways.edge_chunk_size)
    weights = []
    if graph.weight_dtype is not None:
        weight = {"u": "int64", "i": "int64"}.get(graph.weight_dtype.kind) or ("float" if graph.weight_dtype == "f4" else "double")
        weights = _group("weight/", {"weight": weight})
    aligned = {folder_name: by for (ordered, by), folder_name in LISTS.items() if ordered}
    return _write_info(folder, triple + ".edge.yml", {
        "src_type": type[0], "edge_type": type[1], "dst_type": type[2], "chunk_size": ways.edge_chunk_size,
        "src_chunk_size": ways.vertex_chunk_size, "dst_chunk_size": ways.vertex_chunk_size, "directed": graph.directed,
        "prefix": "edge/%s/" % triple,
        "adj_lists": [{"ordered": True, "aligned_by": aligned[kind], "file_type": "parquet"} for kind in ways.lists],
        "property_groups": weights + _group("properties/", _types_of(graph.edge_properties))})
