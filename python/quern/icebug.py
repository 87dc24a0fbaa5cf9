"""icebug-disk (https://github.com/Ladybug-Memory/icebug-format, version v1): a graph as compressed sparse rows in Parquet.

A folder has, for each type of nodes, ``nodes_TYPE.parquet``, whose first column names the node in each row; for each type of
edges ``indices_TYPE.parquet`` (a row an edge: ``target``, the row of its end, and properties) and ``indptr_TYPE.parquet`` (``ptr``, where
the edges of each node begin); and ``schema.cypher``, which says what types an edge leads from and to. Edges are directed.
"""

from __future__ import annotations

import os
import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, NamedTuple, NoReturn, Optional, Set, Tuple

import numpy

from . import _convert, _errors, _files
from ._arrow import Text, Times
from ._optional import need
from ._properties import chosen
from ._table import Made, Table

if TYPE_CHECKING:
    from ._graph import Graph, PathLike

VERSION_KEY, VERSION = b"icebug_disk_version", b"v1"
VERSIONS = (VERSION, b"1")  # as earlier writers have it
ROWS = 1 << 20
"""Rows of a row group, and of a batch that is read."""
NAME = r"(?:`([^`]+)`|(\w+))"
CYPHER = {"u1": "UINT8", "u2": "UINT16", "u4": "UINT32", "u8": "UINT64", "i1": "INT8", "i2": "INT16", "i4": "INT32", "i8": "INT64",
          "f2": "FLOAT", "f4": "FLOAT", "f8": "DOUBLE", "b1": "BOOL"}
TIMES = {b"tdD": "DATE", b"tss:": "TIMESTAMP_SEC", b"tsm:": "TIMESTAMP_MS", b"tsu:": "TIMESTAMP", b"tsn:": "TIMESTAMP_NS",
         b"tsu:UTC": "TIMESTAMP_TZ"}


def _fail(path: Any, message: str) -> NoReturn:
    raise _errors.InvalidError(message, os.fspath(path))


def is_here(folder: Any) -> bool:
    """Does a folder have a graph of this kind?"""
    return any(name.startswith("indptr_") and name.endswith(".parquet") for name in os.listdir(folder))


# ---- Reading ------------------------------------------------------------------------------------

def _open(path: Path) -> Any:
    """A Parquet file of a version that is known."""
    pyarrow, parquet = need("pyarrow"), need("pyarrow.parquet")
    try:
        file = parquet.ParquetFile(path)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError) as problem:
        raise _errors.InvalidError(str(problem), os.fspath(path)) from problem
    except OSError as problem:
        raise _errors.SystemFailure(problem.strerror or str(problem), os.fspath(path)) from problem
    version = (file.metadata.metadata or {}).get(VERSION_KEY, VERSION)
    if version.lower() not in VERSIONS:
        raise _errors.UnsupportedError("icebug-disk version %s; this build reads v1" % version.decode("utf-8", "replace"), os.fspath(path))
    return file


def _types(folder: Path, prefix: str) -> List[str]:
    names = sorted(os.listdir(folder))
    return [name[len(prefix):-len(".parquet")] for name in names if name.startswith(prefix) and name.endswith(".parquet")]


def _declared(folder: Path) -> Tuple[Dict[str, Tuple[str, str]], Dict[str, str]]:
    """What schema.cypher says, in lower case: of types of edges what they lead from and to, of types of nodes their key."""
    try:
        text = (folder / "schema.cypher").read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}, {}
    except ValueError:
        _fail(folder / "schema.cypher", "this is no UTF-8")
    except OSError as problem:
        raise _errors.SystemFailure(problem.strerror or str(problem), os.fspath(folder / "schema.cypher")) from problem
    edges = re.findall(r"CREATE\s+REL\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?%s\s*\(\s*FROM\s+%s\s+TO\s+%s" % (NAME, NAME, NAME), text, re.IGNORECASE)
    nodes = re.findall(r"CREATE\s+NODE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?%s\s*\(([^;]*?)PRIMARY\s+KEY\s*\(\s*%s\s*\)" % (NAME, NAME), text,
                       re.IGNORECASE)
    return ({(one or two).lower(): ((three or four).lower(), (five or six).lower()) for one, two, three, four, five, six in edges},
            {(one or two).lower(): three or four for one, two, _, three, four in nodes})


class _Chosen(NamedTuple):
    """A type of edges, what it leads from and to, and the keys of these."""

    edge: str
    source: str
    target: str
    keys: Dict[str, str]


def _choose(folder: Path, edge: Optional[str]) -> _Chosen:
    edges, nodes = _types(folder, "indptr_"), _types(folder, "nodes_")
    if not edges or not nodes:
        _fail(folder, "no graph of icebug-disk: nodes_*.parquet, indices_*.parquet and indptr_*.parquet are expected")
    if edge is None and len(edges) > 1:
        raise _errors.UsageError("more than one type of edges is meant; there are: %s (option edge, --member)" % ", ".join(edges), os.fspath(folder))
    found = [one for one in edges if edge is None or one.lower() == edge.lower()]
    if not found:
        raise _errors.UsageError("there is no type of edges %s; there are %s" % (edge, ", ".join(edges)), os.fspath(folder))
    declared, keys = _declared(folder)
    ends = declared.get(found[0].lower(), (nodes[0].lower(),) * 2 if len(nodes) == 1 else None)
    if ends is None:
        _fail(folder, "schema.cypher does not say what types of nodes the edges %s lead from and to" % found[0])
    by_name = {name.lower(): name for name in nodes}
    for end in ends:
        if end not in by_name:
            _fail(folder, "there is no nodes_%s.parquet, which edges of the type %s lead to" % (end, found[0]))
    return _Chosen(found[0], by_name[ends[0]], by_name[ends[1]], {name: keys[name.lower()] for name in nodes if name.lower() in keys})


def _is_kept(pyarrow: Any, type: Any) -> bool:
    """Lists of any length, structs and the like are no property."""
    if pyarrow.types.is_fixed_size_list(type):
        return bool(pyarrow.types.is_integer(type.value_type) or pyarrow.types.is_floating(type.value_type))
    return not any(getattr(pyarrow.types, "is_" + kind)(type) for kind in ("nested", "decimal", "null", "duration"))


def _nodes(folder: Path, name: str, key: Optional[str], lost: List[str]) -> Tuple[Any, str]:
    """The table of a type of nodes, its key first; and what that is called."""
    pyarrow = need("pyarrow")
    path = folder / ("nodes_%s.parquet" % name)
    file = _open(path)
    names = file.schema_arrow.names
    if not names:
        _fail(path, "there is no column that names the nodes")
    first = next((one for one in names if key is not None and one.lower() == key.lower()), names[0])
    kept = [one for one in names if _is_kept(pyarrow, file.schema_arrow.field(one).type) or one == first]
    lost += ["%s.%s" % (name, one) for one in names if one not in kept]
    table = file.read(columns=kept).select([first, *(one for one in kept if one != first)])
    if table.column(0).null_count:
        _fail(path, "the key %s is null in a row" % first)
    return table, first


def _of_two_types(folder: Path, chosen: _Chosen, tables: List[Tuple[Any, str]]) -> Any:
    """Nodes of both types, the first before the others, called TYPE:KEY; their properties, which one type may lack."""
    pyarrow = need("pyarrow")
    types: Dict[str, Set[Any]] = {}
    for table, key in tables:
        for field in table.schema:
            if field.name != key:
                types.setdefault(field.name, set()).add(field.type)
    taken, parts = _files.other_than(types, "id"), []
    for (table, key), name in zip(tables, (chosen.source, chosen.target)):
        texts = ["%s:%s" % (name, one) for one in table.column(key).to_pylist()]
        further = {one if len(types[one]) == 1 else "%s.%s" % (name, one): table.column(one) for one in table.column_names if one != key}
        parts.append(pyarrow.table({taken: pyarrow.array(texts, pyarrow.large_string()), **further}))
    return pyarrow.concat_tables(parts, promote_options="default")


def _offsets(folder: Path, name: str, nodes: int, edges: int) -> numpy.ndarray:
    path = folder / ("indptr_%s.parquet" % name)
    table = _open(path).read()
    if table.num_columns != 1 or not need("pyarrow").types.is_integer(table.schema.types[0]) or table.column(0).null_count:
        _fail(path, "one column of integers is expected")
    offsets: numpy.ndarray = table.column(0).to_numpy()
    if len(offsets) != nodes + 1 or offsets[0] != 0 or offsets[-1] != edges or (offsets[1:] < offsets[:-1]).any():
        _fail(path, "%d numbers that ascend from 0 to %d are expected, for %d nodes and %d edges" % (nodes + 1, edges, nodes, edges))
    return offsets.astype("u8")


def _edges(folder: Path, file: Any, path: Path, chosen: _Chosen, offsets: numpy.ndarray, counts: Tuple[int, int], lost: List[str]) -> Any:
    """A reader of edges: source, target, and properties, a batch at a time."""
    pyarrow = need("pyarrow")
    schema = file.schema_arrow
    if not schema.names or not pyarrow.types.is_integer(schema.types[0]):
        _fail(path, "the first column is not of integers, the rows of the nodes that edges lead to")
    kept = [field for field in list(schema)[1:] if _is_kept(pyarrow, field.type)]
    lost += ["%s.%s" % (chosen.edge, field.name) for field in list(schema)[1:] if field not in kept]
    names = [_files.other_than([field.name for field in kept], name) for name in ("source", "target")]
    out = pyarrow.schema([(names[0], pyarrow.uint64()), (names[1], pyarrow.uint64()), *kept])
    beyond = 0 if chosen.source == chosen.target else counts[0]

    def batches() -> Iterator[Any]:
        start = 0
        for batch in file.iter_batches(ROWS, columns=[schema.names[0], *(field.name for field in kept)]):
            targets = batch.column(0).to_numpy(zero_copy_only=False)  # of reals, if there are nulls
            if batch.column(0).null_count or (len(targets) and not 0 <= targets.min() <= targets.max() < counts[1]):
                _fail(path, "an edge of the rows from %d on leads to no row of the %d nodes" % (start, counts[1]))
            stop = start + len(batch)
            ends = _convert.sources_of(offsets, start, stop).astype("u8"), targets.astype("u8") + numpy.uint64(beyond)
            yield pyarrow.RecordBatch.from_arrays([*map(pyarrow.array, ends), *batch.columns[1:]], schema=out)
            start = stop

    return pyarrow.RecordBatchReader.from_batches(out, batches()), names


def read(source: "PathLike", edge: Optional[str] = None, *, weight: Optional[str] = "weight", **given: Any) -> "Graph":
    """Read a type of edges of an icebug-disk graph: its folder.

    ``edge`` is the type of edges, where there are several. ``weight`` names the property of edges that becomes the weight, if
    it is there; None is no weight. Nodes are called by their key, or if the edges lead from one type to another by both, as
    ``"person:42"``; then those of the first type come first. Other properties are kept. Other
    options are those of :func:`quern.from_arrow`. A :class:`quern.QuernWarning` names what the container does not hold: lists
    and the like, and other types of edges.
    """
    from ._sources import from_arrow
    folder = Path(source)
    if not folder.is_dir():
        raise _errors.UsageError("a graph of icebug-disk is a folder", os.fspath(folder))
    lost: List[str] = []
    found = _choose(folder, edge)
    tables = [_nodes(folder, name, found.keys.get(name), lost) for name in dict.fromkeys((found.source, found.target))]
    counts = len(tables[0][0]), len(tables[-1][0])
    path = folder / ("indices_%s.parquet" % found.edge)
    file = _open(path)
    offsets = _offsets(folder, found.edge, counts[0], file.metadata.num_rows)
    reader, names = _edges(folder, file, path, found, offsets, counts, lost)
    vertices, key = tables[0] if len(tables) == 1 else (_of_two_types(folder, found, tables), None)
    lost += ["edges of the type " + name for name in _types(folder, "indptr_") if name != found.edge]
    if lost:
        warnings.warn("the container does not hold: %s" % ", ".join(lost), _errors.QuernWarning, stacklevel=2)
    if weight is not None and weight in reader.schema.names[2:]:
        names.append(weight)
    return from_arrow(reader, names, properties=True, vertices=vertices, rows=True, id=key or vertices.column_names[0], **given)


# ---- Writing ------------------------------------------------------------------------------------

def _quoted(name: str) -> str:
    if "`" in name:
        raise _errors.UnsupportedError("a property is called %s, which schema.cypher cannot have" % name)
    return name if re.fullmatch(r"[A-Za-z_]\w*", name) else "`%s`" % name


def _type_of(name: str, column: Any) -> str:
    if isinstance(column, Text):
        if column.format() != b"U":
            raise _errors.UnsupportedError("%s has a text that is not UTF-8, as those of Parquet are" % name)
        return "STRING"
    if isinstance(column, Times):
        if column.format not in TIMES:
            raise _errors.UnsupportedError("%s is of timestamps in UTC, which icebug-disk has in microseconds alone: convert it, or leave it out "
                                           "(graph.with_properties)" % name)
        return TIMES[column.format]
    shape: Tuple[int, ...] = getattr(column, "shape", ())
    return CYPHER[column.dtype.str[1:]] + ("[%d]" % shape[1] if len(shape) == 2 else "")


def _stored(pyarrow: Any, type: Any) -> Any:
    """What a type is in the files: texts have short offsets, and reals at least 32 bits."""
    if pyarrow.types.is_fixed_size_list(type):
        return pyarrow.list_(_stored(pyarrow, type.value_type), type.list_size)
    return {pyarrow.large_string(): pyarrow.string(), pyarrow.float16(): pyarrow.float32()}.get(type, type)


def _write(path: Path, columns: Dict[str, Any]) -> None:
    """A Parquet file, batch by batch."""
    pyarrow, parquet = need("pyarrow"), need("pyarrow.parquet")
    reader = Table.of_arrays(columns).reader()
    schema = pyarrow.schema([field.with_type(_stored(pyarrow, field.type)) for field in reader.schema], {VERSION_KEY: VERSION})
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for batch in reader:
            writer.write_batch(pyarrow.RecordBatch.from_arrays([column.cast(field.type) for column, field in zip(batch.columns, schema)],
                                                               schema=schema), row_group_size=ROWS)


def write(graph: "Graph", path: "PathLike", *, node_type: str = "vertex", edge_type: str = "edge", force: bool = False) -> None:
    """Write a graph as an icebug-disk folder: one type of nodes, whose key ``id`` is what the input called them, one type of
    edges with the property ``weight``, and the properties of both; and a ``schema.cypher`` that a graph database mounts, when it
    runs in the folder. As edges are directed, those of an undirected graph are there in both directions. The folder appears whole or
    not at all."""
    for label in node_type, edge_type:
        if not re.fullmatch(r"[A-Za-z_]\w*", label, re.ASCII):
            raise _errors.UsageError("%r cannot be the name of a table: letters, digits and _ are expected" % label)
    if node_type.lower() == edge_type.lower():
        raise _errors.UsageError("nodes and edges are two tables, and not both called %s" % node_type)
    of_vertices, of_edges = chosen(graph.vertex_properties, True), chosen(graph.edge_properties, True)
    for taken in ("target", *(["weight"] if graph.weight_dtype is not None else [])):
        if taken in of_edges:
            raise _errors.UnsupportedError("a property of edges is called %s, as another column of icebug-disk is" % taken)
    if not graph.directed:
        warnings.warn("that the graph is undirected is not in the output: its edges are there in both directions", _errors.QuernWarning,
                      stacklevel=4)
    key = _files.other_than(of_vertices, "id")
    nodes = {key: _convert.id_batches(graph), **of_vertices}
    weights = {} if graph.weight_dtype is None else {"weight": graph.weights}
    targets = graph.column_indices
    edges = {"target": Made("u8", len(targets), lambda start, stop: targets[start:stop].astype("u8")), **weights, **of_edges}
    columns = [["%s %s" % (_quoted(name), _type_of(name, column)) for name, column in table.items()] for table in (nodes, edges)]
    schema = ("CREATE NODE TABLE %s(%s, PRIMARY KEY(%s)) WITH (storage = '', format = 'icebug-disk');\n"
              "CREATE REL TABLE %s(%s) WITH (storage = '', format = 'icebug-disk');\n"
              % (node_type, ", ".join(columns[0]), _quoted(key), edge_type,
                 ", ".join(["FROM %s TO %s" % (node_type, node_type), *columns[1][1:]])))

    def fill(folder: Path) -> None:
        _write(folder / ("nodes_%s.parquet" % node_type), nodes)
        _write(folder / ("indices_%s.parquet" % edge_type), edges)
        _write(folder / ("indptr_%s.parquet" % edge_type), {"ptr": graph.row_offsets})
        (folder / "schema.cypher").write_text(schema, encoding="utf-8")

    _files.write_folder(path, force, fill)
