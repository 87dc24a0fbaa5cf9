"""The chunks of a GraphAr graph as streams of tables."""

from __future__ import annotations

import math
import os
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Callable, Deque, Dict, Iterable, Iterator, List, Sequence, Set, Tuple

import numpy

from . import _errors
from ._files import other_than as _other_than
from ._graphar_schema import count_in, EdgeInfo, fail, INDEX, properties_of, SOURCE, TARGET, VertexInfo
from ._optional import need


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
        raise fail(path, str(problem)) from problem
    for column in columns:
        if column not in table.column_names:
            raise fail(path, "there is no column %s; there are %s" % (column, ", ".join(table.column_names)))
        if column in required and table[column].null_count:
            raise fail(path, "%s is null in %d rows" % (column, table[column].null_count))
    return table


def _integers(path: Path, table: Any, column: str, bound: Tuple[int, int]) -> numpy.ndarray:
    """A column of numbers in [bound[0], bound[1])."""
    values: numpy.ndarray = table[column].to_numpy()
    if values.dtype.kind not in "ui":
        raise fail(path, "%s is %s, not integers" % (column, table[column].type))
    if len(values) and (values.min() < bound[0] or values.max() >= bound[1]):
        row = int(numpy.flatnonzero((values < bound[0]) | (values >= bound[1]))[0])
        raise fail(path, "row %d (from 0): %s is %d, which is not in [%d, %d)" % (row, column, values[row], *bound))
    return values


# ---- Streams ------------------------------------------------------------------------------------

def _arrow_type(data_type: str) -> Any:
    """What values of a property are read as; None: they are no property of a container."""
    pyarrow = need("pyarrow")
    return {"bool": pyarrow.bool_(), "int32": pyarrow.int32(), "int64": pyarrow.int64(), "float": pyarrow.float32(),
            "double": pyarrow.float64(), "string": pyarrow.large_string(), "date": pyarrow.date32(),
            "timestamp": pyarrow.timestamp("ms")}.get(data_type)


def arrow_types(groups: Iterable[Dict[str, Any]]) -> Dict[str, Any]:
    return {entry["name"]: _arrow_type(entry["data_type"]) for _, entry in properties_of(list(groups)) if is_kept(entry)}


def is_kept(entry: Dict[str, Any]) -> bool:
    return entry.get("cardinality", "single") == "single" and _arrow_type(entry["data_type"]) is not None


def _cast(path: Path, name: str, values: Any, type: Any) -> Any:
    pyarrow = need("pyarrow")
    try:
        return values.cast(type)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError) as problem:
        raise fail(path, "%s is %s, not as the information file says: %s" % (name, values.type, problem)) from problem


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


class VertexRows:
    """The vertices of one or two types as a stream of tables: how they are called, and their properties."""

    def __init__(self, types: Sequence[VertexInfo], counts: Dict[str, int]):
        self.types, self.counts = types, counts
        by_name: Dict[str, Set[str]] = {}
        for vertices in types:
            for _, entry in properties_of(vertices.groups):
                by_name.setdefault(entry["name"], set()).add(entry["data_type"])
        self.columns: Dict[str, Any] = {}
        self.parts: Dict[str, List[Tuple[Dict[str, Any], List[Tuple[str, str]]]]] = {}
        for vertices in types:
            self.parts[vertices.name] = [(group, self._named(vertices, group, by_name)) for group in vertices.groups]
        self.primary = {vertices.name: vertices.primary() for vertices in types}
        self.key = _other_than(self.columns, "id")
        self.key_type = self._type_of_key()

    def _named(self, vertices: VertexInfo, group: Dict[str, Any], by_name: Dict[str, Set[str]]) -> List[Tuple[str, str]]:
        """The properties of a group, and what their columns are called: by the type too where two types differ."""
        found = []
        for entry in group["properties"]:
            if entry.get("is_primary") or not is_kept(entry):
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
            values = _read_table(path, group["file_type"], arrow_types([group]), [entry["name"]])[entry["name"]].to_numpy()
            if values.dtype.kind not in "ui":
                raise fail(path, "%s is %s; a primary key is integers or texts" % (entry["name"], values.dtype))
            negative = negative or bool(len(values) and values.min() < 0)
        return pyarrow.large_string() if negative else pyarrow.int64()

    def _chunks(self, vertices: VertexInfo, group: Dict[str, Any]) -> Iterator[Tuple[Path, int, int]]:
        count = self.counts[vertices.name]
        for chunk, first in enumerate(range(0, count, vertices.chunk_size)):
            yield (vertices.folder / group["prefix"] / ("chunk%d" % chunk), first, min(first + vertices.chunk_size, count))

    def _rows(self, vertices: VertexInfo, group: Dict[str, Any], chunk: int, required: List[str], further: List[str]) -> Any:
        first = chunk * vertices.chunk_size
        last = min(first + vertices.chunk_size, self.counts[vertices.name])
        path = vertices.folder / group["prefix"] / ("chunk%d" % chunk)
        table = _read_table(path, group["file_type"], arrow_types([group]), required, further)
        if len(table) != last - first:
            raise fail(path, "%d rows; vertices %d to %d belong here" % (len(table), first, last - 1))
        if INDEX in table.column_names and table[INDEX].null_count == 0:
            index = _integers(path, table, INDEX, (first, last))
            if len(numpy.unique(index)) != len(index):
                raise fail(path, "%s has a vertex twice" % INDEX)
            if not numpy.array_equal(index, numpy.arange(first, last)):
                table = table.take(numpy.argsort(index))
        return path, table

    def _keys(self, vertices: VertexInfo, chunk: int, count: int) -> Any:
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

    def _batch(self, place: Tuple[VertexInfo, int, int]) -> Any:
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


class EdgeRows:
    """A list of edges as a stream of tables: ends, and properties."""

    def __init__(self, edges: EdgeInfo, counts: Tuple[int, int], shift: int):
        self.edges, self.counts, self.shift = edges, counts, shift
        aligned = counts[0] if edges.by_source else counts[1]
        if count_in(edges.list_folder / "vertex_count") != aligned:
            raise fail(edges.list_folder / "vertex_count", "it disagrees with that of the vertices, %d" % aligned)
        parts = math.ceil(aligned / edges.part_size)
        self.aligned = aligned
        self.sizes = [count_in(edges.list_folder / ("edge_count%d" % part)) for part in range(parts)]
        if sum(self.sizes) > 2**48:
            raise fail(edges.list_folder, "%d edges are more than can be" % sum(self.sizes))
        self.columns = arrow_types(edges.groups)
        for name in self.columns:
            if name in (SOURCE, TARGET):
                raise fail(edges.path, "no property is called %s" % name)

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
            raise fail(beyond, "edge_count%d says that there are %d chunks before it" % (part, chunks))

    def _batch(self, place: Tuple[int, int, int]) -> Any:
        pyarrow = need("pyarrow")
        part, chunk, count = place
        edges, name = self.edges, "part%d/chunk%d" % (part, chunk)
        path = edges.list_folder / "adj_list" / name
        table = _read_table(path, edges.file_type, dict.fromkeys((SOURCE, TARGET), pyarrow.int64()), [SOURCE, TARGET])
        if len(table) != count:
            raise fail(path, "%d rows; edge_count%d says %d" % (len(table), part, count))
        here = part * edges.part_size, min((part + 1) * edges.part_size, self.aligned)
        found = {SOURCE: _integers(path, table, SOURCE, here if edges.by_source else (0, self.counts[0])),
                 TARGET: _integers(path, table, TARGET, (0, self.counts[1]) if edges.by_source else here) + self.shift}
        for group in edges.groups:
            wanted = [entry["name"] for entry in group["properties"] if entry["name"] in self.columns]
            path = edges.list_folder / group["prefix"] / name
            values = _read_table(path, group["file_type"], self.columns, [], wanted) if wanted else table
            if len(values) != count:
                raise fail(path, "%d rows; there are %d edges" % (len(values), count))
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
