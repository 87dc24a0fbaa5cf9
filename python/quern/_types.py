"""Graphs of several types of vertices and edges: sets that are put together of tables, arrays and graphs of one type each."""

from __future__ import annotations

import contextlib
import json
import os
import urllib.parse
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple

import numpy

from . import _arrow, _errors, _files, _library
from ._calls import options, path_bytes, run_job, text_of
from ._convert import id_batches, sources_of
from ._graph import Graph, PathLike, make, open, open_part
from ._optional import need
from ._properties import chosen
from ._sources import from_arrays, from_arrow
from ._table import BATCH_ROWS, Made, Table

EdgeType = Tuple[str, str, str]
"""The type of the sources, the name, the type of the targets."""


# ---- In -----------------------------------------------------------------------------------------

def assemble(vertices: Mapping[str, Graph], edges: Mapping[EdgeType, Graph], path: PathLike, *, force: bool = False, **job: Any) -> None:
    """A set of graphs of one type each: of the vertices of some, and of the edges of others, whose vertices are those of their
    types by number."""
    names = list(vertices)
    tables = [_library.VertexTable(type=name.encode(), graph=vertices[name]._handle) for name in names]
    lists = [_library.EdgeTable(type=name.encode(), source=names.index(source), target=names.index(target), graph=graph._handle)
             for (source, name, target), graph in edges.items()]
    run_job("qn_types_assemble", (_library.VertexTable * len(tables))(*tables), len(tables), (_library.EdgeTable * len(lists))(*lists),
            len(lists), *options(force=force or None), path_bytes(path), keep=[vertices, edges], **job)


def assemble_by_columns(graph: Graph, vertex_column: Optional[str], edge_column: Optional[str], path: PathLike, *, force: bool = False,
                        **job: Any) -> None:
    """A set of a graph whose properties say the types of its vertices and edges."""
    columns = [None if column is None else column.encode() for column in (vertex_column, edge_column)]
    run_job("qn_types_assemble", (_library.VertexTable * 1)(_library.VertexTable(graph=graph._handle, type_column=columns[0])), 1,
            (_library.EdgeTable * 1)(_library.EdgeTable(source=0, target=0, graph=graph._handle, type_column=columns[1])), 1,
            *options(force=force or None), path_bytes(path), keep=[graph], **job)


def from_types(vertices: Mapping[str, Any], edges: Mapping[EdgeType, Any], path: PathLike, *, id: str = "id", force: bool = False,
               **job: Any) -> Graph:
    """A set with types at ``path``, a folder, of a table of the vertices of every type and one of the edges of every type.

    Vertices are a number of them, a mapping of columns, anything that has ``__arrow_c_stream__``, or a graph. The column ``id``
    (or the one that the option names) says what they are called; without it they are called 0, 1, ... Other columns become
    properties.

    Edges are called by ``(source type, name, target type)``. They are a table of the ids of both ends, perhaps of weights, and of
    properties, by names of columns as in :func:`quern.from_arrow`; or two arrays of rows of the tables of vertices, from 0, as PyG's
    ``edge_index`` has them (also as a column ``edge_index`` beside others in a mapping); or a graph whose vertices are those rows.

    ``threads``, ``memory``, ``tmpdir`` and ``progress`` are as everywhere. All tables are in memory before the set is written.
    """
    graphs = {_type_name(name): _vertex_graph(name, given, id, job) for name, given in vertices.items()}
    lists = {}
    for type, given in edges.items():
        if not isinstance(type, tuple) or len(type) != 3:
            raise _errors.UsageError("edges are called by (source type, name, target type), not %r" % (type,))
        for end in type[0], type[2]:
            if end not in graphs:
                raise _errors.UsageError("%s: there are no vertices of the type %s" % ("-".join(type), end))
        lists[type] = _edge_graph("-".join(type), given, (graphs[type[0]], graphs[type[2]]), job)
    assemble(graphs, lists, path, force=force, **job)
    return open(path)


def _type_name(name: Any) -> str:
    if isinstance(name, str) and name and "\0" not in name:
        return name
    raise _errors.UsageError("a type is called by a text, not %r" % (name,))


def column_names(table: Any) -> List[str]:
    """What the columns of a table are called."""
    if isinstance(table, Mapping):
        return [str(name) for name in table]
    names = getattr(table, "column_names", None)
    if names is None:
        names = table.schema.names if hasattr(table, "schema") else getattr(table, "columns", None)
    if names is None:
        raise _errors.UsageError("%s does not say what its columns are called" % type(table).__name__)
    return [str(name) for name in names]


def _vertex_graph(name: str, given: Any, id: str, job: Dict[str, Any]) -> Graph:
    if isinstance(given, Graph):
        return given
    if isinstance(given, (int, numpy.integer)) and not isinstance(given, bool):
        return from_arrays(numpy.empty(0, "u4"), numpy.empty(0, "u4"), num_vertices=int(given), **job)
    names = column_names(given)
    try:
        table = Table.of_arrays({str(key): values for key, values in given.items()}) if isinstance(given, Mapping) else given
    except ValueError as problem:
        raise _errors.UsageError("vertices of the type %s: %s" % (name, problem)) from None
    no_edges = Table.of_arrays(source=numpy.empty(0, "u4"), target=numpy.empty(0, "u4"))
    return from_arrow(no_edges, ["source", "target"], vertices=table, id=id if id in names else "", rows=True, **job)


def _is_pair(given: Any) -> bool:
    """Two arrays of rows?"""
    if isinstance(given, (tuple, list)):
        return len(given) == 2
    return getattr(given, "ndim", 0) == 2 and not hasattr(given, "__arrow_c_stream__") and given.shape[0] == 2


def _edge_graph(name: str, given: Any, ends: Tuple[Graph, Graph], job: Dict[str, Any]) -> Graph:
    count = max(end.num_vertices for end in ends)
    if isinstance(given, Graph):
        return given
    if _is_pair(given):
        given = {"edge_index": given}
    if isinstance(given, Mapping) and "edge_index" in given:
        source, target = (numpy.asarray(end) for end in given["edge_index"])
        further = {str(key): values for key, values in given.items() if key not in ("edge_index", "weight")}
        return from_arrays(source, target, given.get("weight"), num_vertices=count, edge_properties=further, **job)
    if isinstance(given, Mapping):
        keys = _files.choose(column_names(given), None)
        columns = {str(key): values for key, values in given.items()}
        for end, column in enumerate(keys[:2]):
            columns[column] = _rows_of(name, end, ends[end], columns[column])
        return from_arrow(Table.of_arrays(columns), keys, properties=True, num_vertices=count, **job)
    return _of_stream(name, given, ends, job, None)


def _rows_of(name: str, end: int, vertices: Graph, ids: Any) -> numpy.ndarray:
    """The vertices that these ids call."""
    try:
        found: numpy.ndarray = vertices.find(ids if hasattr(ids, "dtype") else list(ids))
        return found
    except _errors.UsageError as problem:
        raise _errors.InvalidError("%s of edges %s: %s" % ("targets" if end else "sources", name, problem.message)) from None


def _of_stream(name: str, given: Any, ends: Tuple[Graph, Graph], job: Dict[str, Any], keys: Optional[List[str]]) -> Graph:
    """Of a stream of Arrow: ids become rows batch by batch."""
    pyarrow = need("pyarrow")
    reader = pyarrow.RecordBatchReader.from_stream(_files.in_properties(given, keys))
    columns = keys or _files.choose(reader.schema.names, None)
    failures: List[BaseException] = []
    schema = pyarrow.schema([field.with_type(pyarrow.uint32()) if field.name in columns[:2] else field for field in reader.schema])

    def translated(batch: Any, field: Any) -> Any:
        column = batch.column(field.name)
        if field.name not in columns[:2]:
            return column
        if column.null_count:
            raise _errors.InvalidError("%s of edges %s: %d are null" % (field.name, name, column.null_count))
        end = columns.index(field.name)
        is_number = pyarrow.types.is_integer(column.type) or pyarrow.types.is_floating(column.type)
        return pyarrow.array(_rows_of(name, end, ends[end], column.to_numpy() if is_number else column.to_pylist()), pyarrow.uint32())

    def batches() -> Iterator[Any]:
        try:
            for batch in reader:
                yield pyarrow.RecordBatch.from_arrays([translated(batch, field) for field in schema], schema=schema)
        except Exception as failure:
            failures.append(failure)
            raise

    try:
        return from_arrow(pyarrow.RecordBatchReader.from_batches(schema, batches()), columns, properties=True,
                          num_vertices=max(end.num_vertices for end in ends), **job)
    except _errors.SystemFailure:
        if failures:  # of one in a stream of Arrow its reader gets no more than the text
            raise failures[0]
        raise


# ---- Files of tables ----------------------------------------------------------------------------

VERTICES, EDGES = ".vertices.parquet", ".edges.parquet"
KEYS = b"quern.columns"
"""Of a Parquet file's metadata: which columns are ids and weights, as a list in JSON."""


def _escaped(name: str) -> str:
    """A type's name in the name of a file, in which a - stands between names."""
    begin = "%2E" if name.startswith(".") else ""
    return begin + "".join("%%%02X" % ord(one) if one in "%-/" else one for one in name[1 if begin else 0:])


def _files_of(given: Any) -> List[str]:
    return [os.fspath(given)] if isinstance(given, (str, os.PathLike)) else [os.fspath(one) for one in given]


def _keys_of(file: str) -> Optional[List[str]]:
    """The columns that a file of ours says are ids and weights."""
    if not os.path.isfile(file) or not _files.is_parquet(file):
        return None
    pyarrow = need("pyarrow")
    try:
        metadata = need("pyarrow.parquet").read_schema(file).metadata or {}
        keys = json.loads(metadata[KEYS]) if KEYS in metadata else None
    except (pyarrow.ArrowInvalid, OSError, ValueError) as problem:
        raise _errors.InvalidError(str(problem), file) from problem
    if keys is not None and not (isinstance(keys, list) and all(isinstance(key, str) for key in keys)):
        raise _errors.InvalidError("its metadata %s are no list of names" % KEYS.decode(), file)
    return keys


def read_types(vertices: Mapping[str, Any], edges: Mapping[EdgeType, Any], path: PathLike, *, force: bool = False, **job: Any) -> None:
    """As :func:`from_types` of files: of every type one or several of Parquet or Arrow IPC, or a folder of Parquet."""
    graphs: Dict[str, Graph] = {}
    for name, given in vertices.items():
        files = _files_of(given)
        keys = _keys_of(files[0])
        with _in_file(files[0]):
            table, _ = _files.table_reader(files, _files.format_of_table(files[0]), [], True)
            graphs[_type_name(name)] = _vertex_graph(name, table, keys[0] if keys else "id", job)
    lists: Dict[EdgeType, Graph] = {}
    for type, given in edges.items():
        files = _files_of(given)
        for end in type[0], type[2]:
            if end not in graphs:
                raise _errors.UsageError("there is no table of the vertices of the type %s (--vertex-table %s=FILE)" % (end, end), files[0])
        with _in_file(files[0]):
            table, columns = _files.table_reader(files, _files.format_of_table(files[0]), _keys_of(files[0]), True)
            lists[type] = _of_stream("-".join(type), table, (graphs[type[0]], graphs[type[2]]), job, columns)
    assemble(graphs, lists, path, force=force, **job)


@contextlib.contextmanager
def _in_file(file: str) -> Iterator[None]:
    """Says of what goes wrong which file it is in."""
    try:
        yield
    except _errors.QuernError as problem:
        raise problem if problem.file else type(problem)(problem.message, file) from problem


def read_folder(folder: PathLike, path: PathLike, *, force: bool = False, **job: Any) -> None:
    """As :func:`read_types` of all files of a folder that are called as :func:`write_folder` calls them."""
    vertices: Dict[str, str] = {}
    edges: Dict[EdgeType, str] = {}
    for name in sorted(os.listdir(folder)):
        file, is_edges = os.path.join(folder, name), name.endswith(EDGES)
        if not is_edges and not name.endswith(VERTICES):
            continue
        parts = [urllib.parse.unquote(part, errors="strict") for part in name[:-len(EDGES if is_edges else VERTICES)].split("-")]
        if len(parts) != (3 if is_edges else 1):
            raise _errors.InvalidError("the name of a file is TYPE%s or SOURCE-NAME-TARGET%s" % (VERTICES, EDGES), file)
        if is_edges:
            edges[parts[0], parts[1], parts[2]] = file
        else:
            vertices[parts[0]] = file
    if not edges:
        raise _errors.UsageError("no file is called SOURCE-NAME-TARGET%s; --vertex-table and --edge-table say what other files are"
                                 % EDGES, os.fspath(folder))
    read_types(vertices, edges, path, force=force, **job)


def write_folder(set_path: PathLike, path: PathLike, *, force: bool = False) -> None:
    """Write a set with types as a folder of Parquet, a file for every type: ``Person.vertices.parquet`` with the column ``id``, and
    ``Person-KNOWS-Person.edges.parquet`` with ``source``, ``target`` and, if there are weights, ``weight``; and properties."""
    types = TypedSet(set_path, verify=True)

    def fill(folder: Any) -> None:
        names = {}
        for name in types.counts:
            of_type = types.vertices(name)
            names[name] = id_batches(of_type)
            further = chosen(of_type.vertex_properties, True)
            key = _files.other_than(further, "id")
            _write(folder / (_escaped(name) + VERTICES), Table.of_arrays({key: names[name], **further}), [key])
        for type in types.edge_types:
            with types.edges(type) as graph:
                table, keys = _edge_table(graph, types.begins(type), (names[type[0]], names[type[2]]))
                _write(folder / ("-".join(_escaped(part) for part in type) + EDGES), table, keys)

    _files.write_folder(path, force, fill)


def _edge_table(graph: Graph, begins: Tuple[int, int], names: Tuple[Any, Any]) -> Tuple[Table, List[str]]:
    further = chosen(graph.edge_properties, True)
    columns, weights = graph.column_indices, graph.weights
    keys = [_files.other_than(further, key) for key in ["source", "target"] + ([] if weights is None else ["weight"])]

    def called(end: int, vertices: numpy.ndarray) -> Any:
        rows = vertices.astype("i8") - begins[end]
        return rows.astype("u8") if isinstance(names[end], Made) else names[end][rows]

    def batches() -> Iterator[List[Any]]:
        for at in range(0, graph.num_stored_edges, BATCH_ROWS):
            rows = slice(at, min(at + BATCH_ROWS, graph.num_stored_edges))
            yield ([called(0, sources_of(graph.row_offsets, rows.start, rows.stop)), called(1, columns[rows])]
                   + ([] if weights is None else [weights[rows]]) + [column[rows] for column in further.values()])

    formats = [(key, b"L" if isinstance(column, Made) else _arrow.format_of(column)) for key, column in zip(keys, names)]
    if weights is not None:
        formats.append((keys[2], _arrow.format_of(weights)))
    formats += [(name, _arrow.format_of(column)) for name, column in further.items()]
    return Table(formats, lambda: graph.num_stored_edges, batches), keys


def _write(path: Any, table: Table, keys: List[str]) -> None:
    reader = table.reader()
    schema = reader.schema.with_metadata({KEYS: json.dumps(keys).encode()})
    with need("pyarrow.parquet").ParquetWriter(path, schema, compression="zstd") as writer:
        for batch in reader:
            writer.write_batch(batch.replace_schema_metadata(schema.metadata))


# ---- Out ----------------------------------------------------------------------------------------

class TypedSet:
    """A set with types, of which nothing is put together."""

    def __init__(self, path: PathLike, verify: bool = False):
        self.path, self.verify = os.fspath(path), verify
        self._known: Dict[str, Any] = text_of("qn_types_describe", path_bytes(path))
        self.counts: Dict[str, int] = {entry["name"]: entry["vertices"] for entry in self._known["vertex_types"]}
        self.num_edges: int = sum(entry["edges"] for entry in self._known["edge_types"])
        self.edge_types: List[EdgeType] = [(entry["source"], entry["name"], entry["target"]) for entry in self._known["edge_types"]]

    def vertices(self, name: str) -> Graph:
        """The file of a type's vertices: their ids and properties."""
        file = next(entry["file"] for entry in self._known["vertex_types"] if entry["name"] == name)
        return open_part(os.path.join(self.path, file), verify=self.verify)

    def edges(self, type: EdgeType) -> Graph:
        """A graph of the edges of a type, among the vertices of its ends' types."""
        return make("qn_types_project", path_bytes(self.path), *options(project="-".join(type)))

    def begins(self, type: EdgeType) -> Tuple[int, int]:
        """Where the sources and the targets begin among the vertices of that graph."""
        first = min(type[0], type[2], key=list(self.counts).index)
        return tuple(0 if end == first else self.counts[first] for end in (type[0], type[2]))  # type: ignore[return-value]


def are_written(graph: Any, path: Any, format: str) -> bool:
    """Is this the folder of a set with types, and are all of them written in this format, each by itself?"""
    if format not in ("graphar", "parquet") or hasattr(path, "write") or os.fspath(path).endswith(".parquet"):
        return False
    return isinstance(graph, (str, os.PathLike)) and os.path.isdir(graph) and bool(text_of("qn_types_describe", path_bytes(graph))["edge_types"])
