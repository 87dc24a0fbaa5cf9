"""Graphs from arrays, tables, files and other libraries."""

from __future__ import annotations

import ctypes
import operator
import os
import stat
from builtins import open as open_file
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy

from . import _arrow, _binsparse, _errors, _files, _library, graphar, icebug
from ._arrow import Text
from ._calls import is_url, local, options, path_bytes
from ._graph import Graph, PathLike, make, open
from ._ids import id_array
from ._optional import need
from ._properties import as_array, of_objects
from ._table import Table, as_column

Wanted = Union[bool, str, Sequence[str]]
"""Which properties: all, none, or those that are named."""

_JOB = ("progress", "threads", "memory", "tmpdir")


def _split(given: Dict[str, Any]) -> Tuple[Any, ...]:
    """What a job takes, and the options of the library."""
    job = {name: given.pop(name) for name in _JOB if name in given}
    if not given.get("force"):
        given.pop("force", None)
    if "undirected" in given:
        raise _errors.UsageError("undirected: say directed=False")
    if "weight_type" in given:  # weights are the array
        given["weights"] = given.pop("weight_type")
    return job, given


# ---- Arrays -------------------------------------------------------------------------------------

def _array(values: Any, what: str) -> numpy.ndarray:
    """An array as it is meant: nothing in it is masked, and objects in it are texts."""
    if isinstance(values, numpy.ma.MaskedArray) and numpy.ma.getmaskarray(values).any():
        raise _errors.UsageError("%s: entry %d (from 0) is masked" % (what, numpy.ma.getmaskarray(values).argmax()))
    if isinstance(values, Iterator):
        values = list(values)
    array = numpy.asarray(values)
    if array.dtype.kind == "T" or (array.dtype.kind == "U" and not isinstance(values, numpy.ndarray)):
        array = numpy.asarray(values, object)  # NumPy makes texts of what stands beside one, and cuts them at the end
    if array.dtype.kind == "O":
        for index, entry in enumerate(array.ravel().tolist()):
            if not isinstance(entry, str):
                raise _errors.UsageError("%s: entry %d (from 0) is %.40r, and no text: an array is of one type of numbers, or of texts"
                                         % (what, index, entry))
            if "\0" in entry:
                raise _errors.InvalidError("%s: entry %d (from 0) has a NUL, which no id has" % (what, index))
    return array


def _ends(source: Any, target: Any) -> Tuple[Any, ...]:
    """Both ends as arrays of a type that the library takes, and what texts among them stand for."""
    source, target = id_array(source, "sources"), id_array(target, "targets")
    if source.ndim != 1 or source.shape != target.shape:
        raise _errors.UsageError("sources and targets are two arrays of one length, not of shape %s and %s"
                                 % (source.shape, target.shape))
    kinds = {source.dtype.kind, target.dtype.kind}
    if not len(source):
        source, target, kinds = source.astype("u4"), target.astype("u4"), {"u"}
    if kinds <= {"U", "O"}:
        names, numbers = numpy.unique(numpy.concatenate([source, target]).astype(str), return_inverse=True)
        numbers = numbers.astype("u4")
        return numbers[:len(source)], numbers[len(source):], Text.of(names.tolist())
    if not kinds <= {"u", "i"}:
        raise _errors.UsageError("ids are integers, or texts on both sides, not %s and %s" % (source.dtype, target.dtype))
    common = numpy.result_type(source, target, "u4" if kinds == {"u"} else "i4")
    if common.kind == "f":  # of uint64 and a signed type
        for end in source, target:
            if end.dtype.kind == "i" and end.min() < 0:
                raise _errors.InvalidError("edge %d (from 0): the id %d is negative" % (end.argmin(), end.min()))
        common = numpy.dtype("u8")
    return (numpy.ascontiguousarray(source, common), numpy.ascontiguousarray(target, common), None)


def from_arrays(source: Any, target: Any, weights: Any = None, *, num_vertices: Optional[int] = None, ids: Any = None,
                directed: bool = True, path: Optional[PathLike] = None, vertex_properties: Optional[Mapping[str, Any]] = None,
                edge_properties: Optional[Mapping[str, Any]] = None, **given: Any) -> Graph:
    """A graph of the edges source[i] -> target[i], in memory or, with ``path``, in a file.

    Arrays of integers of one type, without gaps, are read where they are; others are copied. Ids that are kept as reals
    are taken if they are whole; NaN and fractions are refused. Weights that are neither
    uint32 nor float32 become that, if they can be exactly (or with ``narrow_weights=True``).

    By default ids are vertices if there are no gaps among them, else they are numbered in ascending order and kept
    (``ids="keep"`` and ``ids="compact"`` insist). With ``num_vertices`` the vertices are 0 to ``num_vertices`` - 1. With an
    array of V numbers or texts as ``ids``, vertex v is called ``ids[v]``, and source and target are vertices. Both ends may
    be arrays of texts.

    ``edge_properties={"x": values}`` has a value, or with two dimensions a vector, for every edge, in the order of source and target, and
    ``vertex_properties`` for every vertex 0 to V - 1, all of which source and target name then, or those that ``ids`` calls. Arrays that
    ``numpy.load(..., mmap_mode="r")`` maps are read from their files.

    ``directed=False`` adds the reverse of every edge. Further options are those of ``quern-import``, with underscores for
    dashes: ``self_loops="remove"``, ``duplicates="remove"`` (or ``"min"``, ``"sum"``), ``transpose="also"``, ``force=True``;
    ``weight_type="f32"`` is its ``--weights``; and ``progress``, ``threads``, ``memory``, ``tmpdir``.
    """
    if vertex_properties or edge_properties:
        return _with_columns(source, target, weights, ids, num_vertices, vertex_properties or {}, edge_properties or {},
                             directed=directed, path=path, **given)
    job, given = _split(given)
    source, target, names = _ends(source, target)
    if ids is not None and not isinstance(ids, str):
        if names is not None:
            raise _errors.UsageError("ids are given twice: by texts in the arrays, and as an array")
        names = _names(ids)
        ids = None
    edges = _library.EdgeArrays(num_edges=len(source), id_type=_library.TYPE_CODES[source.dtype],
                                sources=source.ctypes.data, targets=target.ctypes.data)
    kept = [source, target]
    if names is not None:
        arrays, num_vertices = _id_arrays(names, kept), len(names)
        edges.names = ctypes.pointer(arrays)
    if num_vertices is not None:
        if not hasattr(num_vertices, "__index__") or operator.index(num_vertices) < 0:
            raise _errors.UsageError("num_vertices: %r is no number of vertices" % (num_vertices,))
        edges.has_num_vertices, edges.num_vertices = True, min(num_vertices, 2**63)
    if weights is not None:
        weights = _array(weights, "weights")
        if weights.shape != source.shape:
            raise _errors.UsageError("%d edges have %d weights" % (len(source), weights.size))
        if weights.dtype.kind == "b":
            weights = weights.astype("u1")
        weights = numpy.ascontiguousarray(weights, weights.dtype.newbyteorder("<"))
        if weights.dtype not in _library.TYPE_CODES:
            raise _errors.UsageError("weights are numbers of up to 64 bits, not %s" % weights.dtype)
        edges.weight_type, edges.weights = _library.TYPE_CODES[weights.dtype], weights.ctypes.data
        kept.append(weights)
    return make("qn_import_arrays", ctypes.byref(edges), *options(undirected=None if directed else True, ids=ids, **given),
                path=path, keep=kept, **job)


def _columns_of(properties: Mapping[str, Any], count: Optional[int], what: str) -> Dict[str, Any]:
    """Properties as columns of one length."""
    columns = {}
    for name, values in properties.items():
        array = as_array(values, "property %r" % name)
        try:
            columns[str(name)] = as_column(array)
        except ValueError as problem:
            raise _errors.UsageError("property %r: %s" % (name, problem)) from None
    for name, column in columns.items():
        count = len(column) if count is None else count
        if len(column) != count:
            raise _errors.UsageError("property %r has %d values for %d %s" % (name, len(column), count, what))
    return columns


def _with_columns(source: Any, target: Any, weights: Any, ids: Any, num_vertices: Optional[int], vertices: Mapping[str, Any],
                  edges: Mapping[str, Any], **given: Any) -> Graph:
    """A graph of arrays with properties, by a table."""
    source, target, texts = _ends(source, target)
    if texts is not None:
        source, target = texts[source], texts[target]
    named = None if isinstance(ids, str) else ids
    if vertices and (isinstance(ids, str) or (texts is not None and named is None)):
        raise _errors.UsageError("vertex_properties: ids, an array, says which vertex has which value")
    further = _columns_of(edges, len(source), "edges")
    names = [_files.other_than(further, name) for name in ("source", "target", "weight")]
    columns = {names[0]: source, names[1]: target, **({} if weights is None else {names[2]: _array(weights, "weights")})}
    table = Table.of_arrays({**columns, **further})
    if not vertices and named is None:
        return from_arrow(table, list(columns), properties=True, ids=ids, vertices=num_vertices, **given)
    of_vertices = _columns_of(vertices, num_vertices if named is None else len(named), "vertices")
    count = len(next(iter(of_vertices.values()))) if named is None else len(named)
    key = _files.other_than(of_vertices, "id")
    called = numpy.arange(count, dtype="u4") if named is None else _names(named)
    return from_arrow(table, list(columns), properties=bool(further), vertices=Table.of_arrays({key: called, **of_vertices}), id=key, rows=True,
                      **given)


def _names(ids: Any) -> Any:
    ids = id_array(ids, "ids")
    if ids.dtype.kind in "UO" and ids.ndim == 1:
        return Text.of(ids.tolist())
    if ids.dtype.kind not in "ui" or ids.ndim != 1:
        raise _errors.UsageError("ids are an array of integers or texts, not of %s" % ids.dtype)
    if ids.size and ids.min() < 0:
        raise _errors.InvalidError("vertex %d: the id %d is negative" % (ids.argmin(), ids.min()))
    return numpy.ascontiguousarray(ids, "u8")


def _id_arrays(names: Any, kept: List[Any]) -> _library.IdArrays:
    kept.append(names)
    if isinstance(names, Text):
        return _library.IdArrays(form=_library.ID_FORMS.index("strings"), num_vertices=len(names),
                                 offsets=names.offsets.ctypes.data, bytes=names.data.ctypes.data)
    return _library.IdArrays(form=_library.ID_FORMS.index("numbers"), num_vertices=len(names), numbers=names.ctypes.data)


# ---- Other libraries ----------------------------------------------------------------------------

def from_scipy(matrix: Any, *, directed: bool = True, weights: bool = True, **given: Any) -> Graph:
    """A graph of a square sparse matrix of SciPy: row i and column j of an entry are an edge i -> j, its value is the weight
    (or dropped with ``weights=False``). Entries of value 0 that are stored are edges. ``directed=False`` is for symmetric
    matrices. Other options are those of :func:`from_arrays`."""
    sparse = need("scipy.sparse")
    if not sparse.issparse(matrix) or len(matrix.shape) != 2:
        raise _errors.UsageError("a sparse matrix or array of SciPy with two dimensions is expected, not %s of the shape %s"
                                 % (type(matrix).__name__, getattr(matrix, "shape", "?")))
    if matrix.shape[0] != matrix.shape[1]:
        raise _errors.UsageError("the matrix is not square: %d x %d" % matrix.shape)
    if hasattr(matrix, "check_format"):  # SciPy's conversions trust its offsets and read where they lead
        try:
            matrix.check_format(full_check=True)
        except ValueError as failure:
            raise _errors.InvalidError("the matrix is damaged: %s" % failure) from None
    if not directed:
        if (matrix != matrix.T).nnz:
            raise _errors.InvalidError("the matrix is not symmetric, as that of an undirected graph is")
        matrix = sparse.triu(matrix)
    matrix = matrix.tocoo()
    return from_arrays(matrix.row, matrix.col, matrix.data if weights else None, num_vertices=matrix.shape[0],
                       directed=directed, **given)


def from_binsparse(matrix: Any, *, directed: bool = True, weights: bool = True, **given: Any) -> Graph:
    """A graph of a square sparse matrix that has Binsparse's methods, ``__binsparse__`` and ``__binsparse_descriptor__``: in the
    format CSR, CSC, DCSR, DCSC or COO, also symmetric or skew-symmetric by a triangle, with values of any type of real numbers
    or none (all are one 1, or true). An entry is an edge from its row to its column. A matrix that is symmetric by its
    structure makes an undirected graph, and another with ``directed=False``, which is checked. ``weights=False`` drops the values.
    Other options are those of :func:`from_arrays`."""
    arrays, found = _binsparse.read(matrix, directed, weights)
    return from_arrays(*arrays, **{**found, **given})


def _attribute_columns(rows: Sequence[Dict[str, Any]], taken: Sequence[Optional[str]], properties: Wanted, what: str) -> Dict[str, Any]:
    """Attributes of nodes, or of edges, as columns by name."""
    names: Sequence[Any] = [] if properties is False else list(dict.fromkeys(name for row in rows for name in row))
    if not isinstance(properties, bool):
        names = [name for name in names if name in ([properties] if isinstance(properties, str) else properties)]
    for name in names:
        if not isinstance(name, str):
            raise _errors.UsageError("the attribute %r of %s has a name that is not text; properties=False leaves it out"
                                     % (name, what))
    return {name: of_objects([row.get(name) for row in rows], "the attribute %s of %s" % (name, what)) for name in names
            if name not in taken}


def _of_columns(ends: Any, weights: Any, edges: Dict[str, Any], ids: Any, count: int, vertices: Dict[str, Any],
                **given: Any) -> Graph:
    """A graph of `count` vertices called `ids` (None: by number), of edges between them, and of their properties."""
    if not edges and not vertices:
        return from_arrays(ends[:, 0], ends[:, 1], weights, num_vertices=count if ids is None else None, ids=ids, **given)
    names = [_files.other_than(edges, name) for name in ("source", "target", "weight")]
    columns = dict(zip(names, [ends[:, 0], ends[:, 1]] + ([] if weights is None else [numpy.asarray(weights)])))
    called, key = ids if ids is not None else numpy.arange(count, dtype="u4"), _files.other_than(vertices, "id")
    return from_arrow(Table.of_arrays({**columns, **edges}), list(columns), properties=True,
                      vertices=Table.of_arrays({key: called, **vertices}), id=key, rows=True, **given)


def from_networkx(graph: Any, weight: Optional[str] = "weight", *, properties: Wanted = True, **given: Any) -> Graph:
    """A graph of a networkx graph. Nodes that are 0 to V - 1 in any order are vertices; other integers, and texts, are
    kept as ids. Other nodes are refused: ``networkx.convert_node_labels_to_integers`` numbers them. Weights are the edge
    attribute of that name, if any edge has it; then all must. Other attributes of nodes and edges become properties
    (``properties=False``: none; or those that are named): numbers, bool or texts."""
    nodes = list(graph.nodes)
    count = len(nodes)
    vertex = {node: index for index, node in enumerate(nodes)}
    if all(isinstance(node, (int, numpy.integer)) and not isinstance(node, bool) for node in nodes):
        if set(nodes) == set(range(count)):
            vertex, ids = {node: node for node in nodes}, None
        else:
            nodes.sort()
            vertex, ids = {node: index for index, node in enumerate(nodes)}, nodes
    elif all(isinstance(node, str) for node in nodes):
        ids = nodes
    else:
        raise _errors.UsageError("the nodes are neither all integers nor all texts; "
                                 "networkx.convert_node_labels_to_integers numbers them")
    ends = numpy.fromiter((vertex[end] for edge in graph.edges() for end in edge), "u4").reshape(-1, 2)
    values = None
    if weight is not None:
        values = [data for _, _, data in graph.edges(data=weight)]
        missing = sum(value is None for value in values)
        if missing and missing < len(values):
            raise _errors.UsageError("%d of %d edges have no %s" % (missing, len(values), weight))
        values = None if missing or not values else values
    taken = [weight] if values is not None else []
    edges = _attribute_columns([data for _, _, data in graph.edges(data=True)], taken, properties, "edges")
    in_order = sorted(nodes, key=lambda node: vertex[node]) if ids is None else ids
    vertices = _attribute_columns([graph.nodes[node] for node in in_order], [], properties, "nodes")
    return _of_columns(ends, values, edges, None if ids is None else numpy.array(ids, object if isinstance(ids[0], str) else None),
                       count, vertices, directed=graph.is_directed(), **given)


def from_igraph(graph: Any, weight: Optional[str] = "weight", *, properties: Wanted = True, **given: Any) -> Graph:
    """A graph of an ``igraph.Graph``. The vertex attribute ``name`` becomes the ids, the edge attribute called ``weight`` the
    weights, and others properties (``properties=False``: none; or those that are named)."""
    ends = numpy.array(graph.get_edgelist(), "u4").reshape(-1, 2)
    values = graph.es[weight] if weight is not None and weight in graph.es.attributes() and len(ends) else None
    names = _array(graph.vs["name"], "names") if "name" in graph.vs.attributes() and graph.vcount() else None
    edges = _attribute_columns([edge.attributes() for edge in graph.es], [weight] if values is not None else [], properties,
                               "edges")
    vertices = _attribute_columns([one.attributes() for one in graph.vs], ["name"], properties, "vertices")
    return _of_columns(ends, values, edges, names, graph.vcount(), vertices, directed=graph.is_directed(), **given)


# ---- Tables -------------------------------------------------------------------------------------

def _chosen(columns: Union[Sequence[Union[str, int]], str, None]) -> Dict[str, Any]:
    """The options `source`, `target` and `weight` of two or three columns."""
    if columns is None:
        return {}
    columns = columns.split(",") if isinstance(columns, str) else list(columns)
    if not 2 <= len(columns) <= 3:
        raise _errors.UsageError("columns are two or three: of sources, targets and perhaps weights, not %r" % (columns,))
    return dict(zip(("source", "target", "weight"), [*columns, ""]))


def from_arrow(table: Any, columns: Union[Sequence[Union[str, int]], str, None] = None, *, directed: bool = True,
               path: Optional[PathLike] = None, properties: Wanted = False, vertices: Any = None, **given: Any) -> Graph:
    """A graph of the rows of a table: of anything that has ``__arrow_c_stream__``, such as tables and readers of pyarrow,
    polars frames, DuckDB relations, pandas frames (2.2 and later). It is read batch by batch.

    ``columns`` are those of sources, targets and, if you name a third, weights: by name, or by number from 1. Without it
    they are those called source, src, from, ..., and weight, or the first two. Ids are integers or texts.

    With ``properties=True``, or names of columns, the others become properties of the edges: integers, reals, bool,
    texts, dates, timestamps and lists of a fixed size (vectors), with nulls; times of day become texts, if pyarrow is there. ``vertices`` is a table, too: by its column ``id`` (or the one that the option names) what vertices are
    called, with or without edges; its other columns become their properties. (A number: as ``num_vertices``.) With ``rows=True`` ends of edges are rows of
    that table. Other options are those of :func:`from_arrays`.
    """
    job, given = _split(given)
    declared = given.pop("num_vertices", None)
    if isinstance(vertices, (int, numpy.integer)):
        declared, vertices = vertices, None
    tables = [table] if vertices is None else [table, vertices]
    for one in tables:
        if not hasattr(one, "__arrow_c_stream__"):
            raise _errors.UsageError("%s has no __arrow_c_stream__%s"
                                     % (type(one).__name__, "; what collect() gives may" if hasattr(one, "collect") else ""))
    if not isinstance(properties, bool):
        names = properties.split(",") if isinstance(properties, str) else list(properties)
        if any("," in name for name in names):
            raise _errors.UsageError("properties: names with a comma cannot be chosen; rename the column, or say True")
        properties = ",".join(names) if names else False
    if properties and not isinstance(table, Table):
        tables[0] = _files.in_properties(table, columns)
    if vertices is not None and not isinstance(vertices, Table):
        tables[1] = _files.in_properties(vertices, None, given.get("id", "id"))
    capsules = [one.__arrow_c_stream__() for one in tables]
    addresses = [_arrow.stream_address(capsule) for capsule in capsules]
    return make("qn_import_tables", addresses[0], addresses[1] if vertices is not None else None,
                *options(undirected=None if directed else True, properties="all" if properties is True else properties or None,
                         vertices=declared, **_chosen(columns), **given), path=path, keep=[capsules, tables], **job)


def read_parquet(source: Any, columns: Union[Sequence[Union[str, int]], str, None] = None, **given: Any) -> Graph:
    """A graph of the edges in Parquet files: a file, a folder, a list of files. pyarrow decodes them on all processors while
    they are imported. ``columns`` and options are those of :func:`from_arrow`; ``vertices`` may be such files, too."""
    return _from_files(source, "parquet", columns, **given)


def read_arrow(source: Any, columns: Union[Sequence[Union[str, int]], str, None] = None, **given: Any) -> Graph:
    """A graph of the edges in Arrow IPC files (Feather is one) or streams: a file, a list of files, or a binary file object
    such as ``sys.stdin.buffer``. ``columns`` and options are those of :func:`from_arrow`; ``vertices`` may be such files, too.
    """
    return _from_files(source, "arrow", columns, **given)


def _from_files(source: Any, kind: str, columns: Any, *, properties: Wanted = False, vertices: Any = None, **given: Any) -> Graph:
    reader, columns = _files.table_reader(source, kind, columns, properties)
    if not (vertices is None or isinstance(vertices, (int, numpy.integer)) or hasattr(vertices, "__arrow_c_stream__")):
        vertices, _ = _files.table_reader(vertices, kind, [], True)
    return from_arrow(reader, columns, properties=bool(properties), vertices=vertices, **given)


# ---- Files --------------------------------------------------------------------------------------

_DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "blank"}
_MAGIC = ((b"PAR1", "parquet"), (b"ARROW1", "arrow"), (b"\xff\xff\xff\xff", "arrow"), (b"\x89QRN\r\n\x1a\n", "container"))


def _kind_of(path: PathLike) -> str:
    """What reads this: "container", "parquet", "arrow", "graphar", "icebug-disk", or "files" for whatever the library knows."""
    name = os.fspath(path)
    if is_url(name):
        return "container" if str(name).split("?")[0].endswith(".qrn") else "files"
    if os.path.isdir(name):
        inside = sorted(os.listdir(name))
        endings = [str(one).rsplit(".", 2)[1:] for one in inside]
        if ["graph", "yml"] in endings or ["graph", "yaml"] in endings:
            return "graphar"
        if icebug.is_here(name):
            return "icebug-disk"
        if any(ending[-1:] == ["parquet"] for ending in endings):
            return "parquet"
        return "parquet" if any("=" in str(one) for one in inside) else "container"  # of a set
    try:
        with open_file(name, "rb") as opened:
            start = opened.read(8) if stat.S_ISREG(os.fstat(opened.fileno()).st_mode) else b""
    except OSError:
        start = b""  # a bundle's member, or not there
    return next((kind for magic, kind in _MAGIC if start.startswith(magic)), "files")


def read(*paths: Any, directed: bool = True, path: Optional[PathLike] = None, **given: Any) -> Graph:
    """A graph of what there is: files in any format that ``quern-import`` reads (edge lists, CSV, GraphML, Matrix Market, ...;
    packed or not, and files of archives), Parquet and Arrow files, folders of Parquet, of GraphAr or of icebug-disk, and containers, archives
    and sets of Quern's, which are opened as they are; also on servers (``"https://..."``, ``"s3://..."``, and what fsspec has). Several files of one kind are joined. ``path`` is the container to write.

    Options are those of ``quern-import``, with underscores for dashes: ``format="pairs"``, ``ids="strings"``,
    ``columns=["from", "to"]``, ``properties=True``, ``vertices="people.csv"``, ... Of Parquet and Arrow they are those of
    :func:`read_parquet`, of GraphAr those of :func:`read_graphar`, of icebug-disk those of :func:`read_icebug`.
    """
    if not paths:
        raise _errors.UsageError("there is no file to read")
    paths = tuple(local(one) for one in paths)
    for one in paths:
        if hasattr(one, "__arrow_c_stream__") and len(paths) == 1:
            return from_arrow(one, directed=directed, path=path, **given)
        if not isinstance(one, (str, bytes, os.PathLike)):
            raise _errors.UsageError("the name of a file is expected, not %s; from_arrays, from_pandas, from_arrow and others take "
                                     "objects" % type(one).__name__)
        path_bytes(one)
    kinds = {"files" if "format" in given else _kind_of(one) for one in paths}
    kind = kinds.pop() if len(kinds) == 1 else "files"
    if kind == "graphar" and len(paths) == 1 and directed:
        return graphar.read(paths[0], path=path, **given)
    if kind == "icebug-disk" and len(paths) == 1:
        return icebug.read(paths[0], path=path, directed=directed, **given)
    if kind in ("parquet", "arrow"):
        reader = read_parquet if kind == "parquet" else read_arrow
        return reader(paths[0] if len(paths) == 1 else list(paths), directed=directed, path=path, **given)
    if kind == "container" and len(paths) == 1 and directed and path is None and set(given) <= set(_JOB):
        given.pop("memory", None)
        return open(paths[0], **given)
    if "delimiter" in given:
        given["delimiter"] = _DELIMITERS.get(given["delimiter"], given["delimiter"])
    if given.get("properties") is True:
        given["properties"] = "all"
    elif given.get("properties") is False:
        del given["properties"]
    job, given = _split(given)
    names = [path_bytes(name) for name in paths]
    return make("qn_import_files", (ctypes.c_char_p * len(names))(*names), len(names),
                *options(undirected=None if directed else True, **given), path=path, **job)


def read_csv(*paths: PathLike, columns: Union[Sequence[Union[str, int]], str, None] = None, delimiter: Optional[str] = None,
             header: Optional[bool] = None, directed: bool = True, path: Optional[PathLike] = None, **given: Any) -> Graph:
    """A graph of delimited text, packed or not: an edge a line. ``columns`` are those of sources, targets and, if there is a
    third, weights, by name, or by number from 1. What is not said is found out: the delimiter, whether there is a header,
    quotes. ``properties=True`` keeps the other columns. Further options are those of :func:`read`."""
    chosen = {"columns": columns, "delimiter": delimiter, "header": header}
    return read(*paths, directed=directed, path=path, format="edges",
                **{name: value for name, value in chosen.items() if value is not None}, **given)


# ---- Nowhere ------------------------------------------------------------------------------------

def generate(model: str, scale: Optional[int] = None, *, directed: bool = True, path: Optional[PathLike] = None, **given: Any) -> Graph:
    """A synthetic graph of 2**scale vertices, as ``quern-generate`` makes it: the same options give the same bytes.

    ``model`` is ``"rmat"`` (skewed degrees), ``"uniform"``, ``"grid"``, or ``"powerlaw"``, which takes ``vertices``, any number, in place
    of ``scale``, and ``exponent`` and ``max_degree``. Options are ``degree``, ``edges``, ``seed``, ``weights=(1, 255)``,
    ``probabilities=(a, b, c)``, ``permute``, ``self_loops="remove"``, ``duplicates="remove"``, ``transpose="also"``, and those
    of a job: ``memory``, ``tmpdir``, ``threads``, ``progress``.
    """
    job, given = _split(dict(given, scale=scale))
    return make("qn_generate_graph", str(model).encode(), *options(undirected=None if directed else True, **given), path=path,
                **job)
