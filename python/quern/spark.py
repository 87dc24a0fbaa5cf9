"""Apache Spark (https://spark.apache.org): a DataFrame becomes a set of containers, and a set becomes a DataFrame.

Spark numbers the vertices, brings each part's edges together and sorts them; its executors write the parts by libquern. They
need this package, NumPy and PyArrow, and the set's folder is where all of them see it. PySpark itself is imported by who has a
session.
"""

from __future__ import annotations

import ctypes
import json
import math
import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Tuple

import numpy

from . import _errors, _library
from ._arrow import Text
from ._calls import check, path_bytes
from ._graph import open_part
from ._library import library
from ._optional import need

if TYPE_CHECKING:
    from ._graph import PathLike

WHOLE = ("tinyint", "smallint", "int", "bigint")
SPARK_TYPES = {"u4": "bigint", "i8": "bigint", "f4": "float", "f8": "double"}
BATCH = 1 << 20
MOST_CUTS = 256  # of vertices: 65,536 blocks
READ_FEATURES = {"vertex-ranges", "column-ranges"}


class _Part(NamedTuple):
    """The rows of one part, as what runs on executors gets them."""
    number: int
    begin: int
    end: int
    row_offsets: numpy.ndarray
    columns: numpy.ndarray
    weights: Optional[numpy.ndarray]
    rows_in: bool

    def rows(self) -> _library.PartRows:
        return _library.PartRows(
            begin=self.begin, end=self.end, row_offsets=self.row_offsets.ctypes.data, columns=self.columns.ctypes.data,
            weight_type=0 if self.weights is None else _library.TYPE_CODES[self.weights.dtype],
            weights=None if self.weights is None else self.weights.ctypes.data, rows_in=self.rows_in)


class _Cut(NamedTuple):
    """How the rows of a graph are cut into parts: whole rows, or blocks of the columns of one cut of `width` vertices each."""
    begins: numpy.ndarray  # of each part, its rows
    ends: numpy.ndarray
    width: int  # 0: whole rows
    weights: Optional[str]  # as numpy calls their type
    rows_in: bool

    def parts_of(self, row: numpy.ndarray, column: numpy.ndarray) -> numpy.ndarray:
        """The parts that have edges."""
        if not self.width:
            return numpy.searchsorted(self.ends, row, side="right")
        return numpy.asarray(row // self.width * math.isqrt(len(self.ends)) + column // self.width)

    def part(self, index: int, row: numpy.ndarray, column: numpy.ndarray, weight: Optional[numpy.ndarray]) -> _Part:
        begin, end = int(self.begins[index]), int(self.ends[index])
        offsets = numpy.zeros(end - begin + 1, "u8")
        numpy.cumsum(numpy.bincount(row - begin, minlength=end - begin), out=offsets[1:])
        return _Part(index, begin, end, offsets, numpy.ascontiguousarray(column, "u4"),
                     None if self.weights is None else numpy.ascontiguousarray(weight, self.weights), self.rows_in)


# ---- On executors -------------------------------------------------------------------------------

def _number(starts: List[int], batches: Iterable[Any]) -> Iterator[Any]:
    """Names with their numbers: `starts` has that of the first of each partition."""
    pyarrow, taskcontext = need("pyarrow"), need("pyspark.taskcontext")
    number = -1
    for batch in batches:
        if number < 0:
            number = starts[taskcontext.TaskContext.get().partitionId()]
        numbers = numpy.arange(number, number + batch.num_rows)
        number += batch.num_rows
        yield pyarrow.RecordBatch.from_arrays([batch.column(0), pyarrow.array(numbers)], ["name", "number"])


def _deal(cut: _Cut, batches: Iterable[Any]) -> Iterator[Any]:
    """Edges with the part that has them."""
    pyarrow = need("pyarrow")
    for batch in batches:
        parts = cut.parts_of(batch.column("row").to_numpy(), batch.column("column").to_numpy()).astype("i4")
        yield pyarrow.RecordBatch.from_arrays([pyarrow.array(parts), *batch.columns], ["part", *batch.schema.names])


def _parts_of(cut: _Cut, batches: Iterable[Any]) -> Iterator[_Part]:
    """The parts whose edges are in a partition, which is sorted by part, row and column."""
    pyarrow = need("pyarrow")
    waiting: List[Any] = []

    def gathered() -> _Part:
        table = pyarrow.Table.from_batches(waiting)
        weight = table["weight"].to_numpy() if cut.weights else None
        return cut.part(waiting[0]["part"][0].as_py(), table["row"].to_numpy(), table["column"].to_numpy(), weight)

    for batch in batches:
        parts = batch.column("part").to_numpy()
        bounds = [0, *(numpy.flatnonzero(numpy.diff(parts)) + 1).tolist(), len(parts)]
        for begin, end in zip(bounds, bounds[1:]):
            if begin == end:
                continue
            if waiting and waiting[0]["part"][0].as_py() != parts[begin]:
                yield gathered()
                waiting.clear()
            waiting.append(batch.slice(begin, end - begin))
    if waiting:
        yield gathered()


def _fingerprint(part: _Part) -> int:
    found = ctypes.c_uint64()
    check("qn_part_fingerprint", ctypes.byref(part.rows()), None, ctypes.byref(found))
    return found.value


def _write(place: bytes, part: _Part) -> _library.PartFile:
    made = _library.PartFile()
    check("qn_part_write", place, part.number, ctypes.byref(part.rows()), None, ctypes.byref(made))
    return made


def _examine_parts(cut: _Cut, batches: Iterable[Any]) -> Iterator[Any]:
    for part in _parts_of(cut, batches):
        yield _record(part.number, [_fingerprint(part), len(part.columns)])


def _write_parts(cut: _Cut, place: bytes, batches: Iterable[Any]) -> Iterator[Any]:
    for part in _parts_of(cut, batches):
        made = _write(place, part)
        yield _record(part.number, [made.bytes, made.identity, made.fingerprint])


def _record(index: int, numbers: List[int]) -> Any:
    """For the driver, which has no type for numbers of 64 bits without a sign."""
    pyarrow = need("pyarrow")
    return pyarrow.RecordBatch.from_pydict({"part": pyarrow.array([index], pyarrow.int32()),
                                            "numbers": [",".join(map(str, numbers))]})


def _member(folder: str, name: str, identity: str, verify: bool) -> Any:
    """A container of a set, if it is the one that the manifest lists."""
    path = os.path.join(folder, name)
    if os.path.basename(name) != name:
        raise _errors.InvalidError("SET-2: %r is not the name of a file in the folder" % name, os.path.join(folder, "set.json"))
    member = open_part(path, verify=verify)
    if "%016x" % member.identity != identity:
        raise _errors.InvalidError("SET-6: this is not the file that the set was made with: its identity is %016x, and that in "
                                   "the manifest %s" % (member.identity, identity), path)
    return member


class _File(NamedTuple):
    """What a manifest says of a part."""
    name: str
    identity: str
    first: int
    last: int
    first_column: int
    of_all: bool  # its offsets are those of all vertices


def _read_parts(folder: str, vertices: List[Tuple[Tuple[str, str], int]], files: List[_File], rows_in: bool, undirected: bool,
                batches: Iterable[Any]) -> Iterator[Any]:
    pyarrow = need("pyarrow")
    names = pyarrow.concat_arrays([_names_of(_member(folder, *file, verify=True), first) for file, first in vertices])
    for index in (index for batch in batches for index in batch.column(0).to_pylist()):
        name, identity, first, last, first_column, of_all = files[index]
        part = _member(folder, name, identity, verify=True)
        offsets = part.row_offsets[first:last + 1] if of_all else part.row_offsets
        if len(offsets) != last - first + 1:
            raise _errors.InvalidError("SET-9: the part has not the rows of its range", os.path.join(folder, name))
        for begin in range(int(offsets[0]), int(offsets[-1]), BATCH):
            end = min(begin + BATCH, int(offsets[-1]))
            row = first + numpy.searchsorted(offsets, numpy.arange(begin, end, dtype="u8"), side="right") - 1
            column = first_column + part.column_indices[begin:end].astype("i8")
            taken = row <= column if undirected else slice(None)
            ends = (column[taken], row[taken]) if rows_in else (row[taken], column[taken])
            arrays = [names.take(pyarrow.array(numpy.asarray(numbers, "i8"))) for numbers in ends]
            if part.weights is not None:
                weights = part.weights[begin:end][taken]
                arrays.append(pyarrow.array(weights.astype("i8") if weights.dtype == "u4" else weights))
            yield pyarrow.RecordBatch.from_arrays(arrays, ["source", "target", "weight"][:len(arrays)])


def _names_of(vertices: Any, first: int) -> Any:
    """Of the vertices from `first` on: where they have none, their numbers."""
    pyarrow, column = need("pyarrow"), vertices.id_column()
    if isinstance(column, Text):
        return pyarrow.array(column.tolist(), pyarrow.string())
    if len(column) and int(column.max()) >= 2**63:
        raise _errors.UnsupportedError("Spark has no numbers of 2^63 and more, such as the id %d" % column.max())
    return pyarrow.array(column.astype("i8") + (first if vertices.id_form == "dense" else 0))


# ---- A DataFrame becomes a set ------------------------------------------------------------------

def _column(frame: Any, name: str) -> Any:
    if name not in frame.columns:
        raise _errors.UsageError("there is no column %s; there are %s" % (name, ", ".join(frame.columns)))
    return need("pyspark.sql.functions").col("`%s`" % name.replace("`", "``"))


def _select(edges: Any, source: str, target: str, weight: Optional[str]) -> Tuple[Any, bool]:
    """Sources, targets and weights under names of ours; are ids texts?"""
    columns = [_column(edges, source).alias("source"), _column(edges, target).alias("target")]
    if weight is not None:
        columns.append(_column(edges, weight).alias("weight"))
    frame = edges.select(*columns)
    types = dict(frame.dtypes)
    texts = types["source"] == types["target"] == "string"
    if not texts and not (types["source"] in WHOLE and types["target"] in WHOLE):
        raise _errors.UsageError("sources and targets are integers, or both are strings; here they are %s and %s"
                                 % (types["source"], types["target"]))
    if types.get("weight", "float") not in (*WHOLE, "float", "double"):
        raise _errors.UsageError("weights are integers or reals of 4 or 8 bytes, not %s" % types["weight"])
    if not texts:
        functions = need("pyspark.sql.functions")
        for name in ("source", "target"):
            frame = frame.withColumn(name, functions.col(name).cast("bigint"))
    return frame, texts


def _check(edges: Any, texts: bool) -> None:
    """No null, no id that cannot be one, no weight that is not finite."""
    functions = need("pyspark.sql.functions")
    bad = functions.lit(False)
    for name, kind in edges.dtypes:
        column = functions.col(name)
        bad = bad | column.isNull()
        if name == "weight" and kind in ("float", "double"):
            bad = bad | functions.isnan(column) | (functions.abs(column) == float("inf"))
        if name != "weight":
            bad = bad | (column.rlike("^$|[\\t\\n\\r\\x00]") if texts else column < 0)
    found = edges.filter(bad).limit(1).collect()
    if found:
        raise _errors.InvalidError("an edge has a null, a negative id, an empty name or one with a tab, end of line or NUL, "
                                   "or a weight that is not finite: %s" % (tuple(found[0]),))


def _weight_type(edges: Any) -> Optional[str]:
    """As quern-import chooses: integers that all are u32 are that, else i64; reals f32, if all are, else f64."""
    functions = need("pyspark.sql.functions")
    kind = dict(edges.dtypes).get("weight")
    weight = functions.col("weight")
    if kind is None:
        return None
    if kind in WHOLE:
        narrow = (weight >= 0) & (weight < 2**32)
    else:
        narrow = weight.cast("float").cast("double") == weight.cast("double")
    wide = edges.filter(~narrow).limit(1).collect()
    return ("i8" if wide else "u4") if kind in WHOLE else ("f8" if wide else "f4")


def _numbered(names: Any, kept: List[Any]) -> Tuple[Any, Any]:
    """A frame of (name, number), which may be None: names are numbers from 0 without gaps. And all names in that order, as
    Arrow has them."""
    functions = need("pyspark.sql.functions")
    if dict(names.dtypes)["name"] != "string":
        count, least, most = names.agg(functions.count("name"), functions.min("name"), functions.max("name")).first()
        if not count or (least == 0 and most == count - 1):
            return None, count
    ordered = names.sort("name").persist()
    kept.append(ordered)
    counts = dict(ordered.groupBy(functions.spark_partition_id()).count().collect())
    starts = [0]
    for partition in range(max(counts, default=-1) + 1):
        starts.append(starts[-1] + counts.get(partition, 0))
    numbered = ordered.mapInArrow(partial(_number, starts), "name %s, number bigint" % names.dtypes[0][1]).persist()
    kept.append(numbered)
    table = numbered.toArrow()
    order = numpy.argsort(table["number"].to_numpy(), kind="stable")
    return numbered, table["name"].combine_chunks().take(need("pyarrow").array(order))


def _with_numbers(edges: Any, numbered: Any) -> Any:
    if numbered is None:
        return edges
    functions = need("pyspark.sql.functions")
    for name in ("source", "target"):
        numbers = numbered.select(functions.col("name").alias(name), functions.col("number").alias(name + "_number"))
        edges = edges.join(numbers, name)
    return edges.select(functions.col("source_number").alias("source"), functions.col("target_number").alias("target"),
                        *(["weight"] if "weight" in edges.columns else []))


def _settle(edges: Any, directed: bool, duplicates: str) -> Any:
    """Reverses, and what becomes of parallel edges."""
    functions = need("pyspark.sql.functions")
    weights = ["weight"] if "weight" in edges.columns else []
    if not directed:
        turned = edges.filter("source <> target").select(functions.col("target").alias("source"),
                                                         functions.col("source").alias("target"), *weights)
        edges = edges.union(turned)
    if duplicates == "keep":
        return edges
    if not weights:
        return edges.distinct()
    return edges.groupBy("source", "target").agg(getattr(functions, duplicates)("weight").alias("weight"))


def _degrees(edges: Any, column: str, num_vertices: int) -> numpy.ndarray:
    """Edges by vertex, uint64[V]."""
    table = edges.groupBy(column).count().toArrow()
    degrees = numpy.zeros(num_vertices, "u8")
    degrees[table[column].to_numpy()] = table["count"].to_numpy()
    return degrees


def _ends(degrees: numpy.ndarray, parts: int) -> numpy.ndarray:
    """Ranges of about as many rows and edges together, as quern-transform --balance both cuts them."""
    before = numpy.concatenate([numpy.zeros(1, "u8"), numpy.cumsum(degrees, dtype="u8")])
    cost = before[:-1] + numpy.arange(len(degrees), dtype="u8")
    whole = int(before[-1]) + len(degrees)
    shares = [whole // parts * i + whole % parts * i // parts for i in range(1, parts)]
    return numpy.append(numpy.searchsorted(cost, numpy.array(shares, "u8")), len(degrees)).astype("u8")


def _cut(degrees: numpy.ndarray, parts: Optional[int], width: int, weights: Optional[str], rows_in: bool) -> _Cut:
    if not width:
        ends = _ends(degrees, parts or 1)
        return _Cut(numpy.concatenate([numpy.zeros(1, "u8"), ends[:-1]]), ends, 0, weights, rows_in)
    begins = numpy.arange(0, max(len(degrees), 1), width, dtype="u8")
    if len(begins) > MOST_CUTS:
        raise _errors.UsageError("blocks of %d vertices would be more than %d of %d vertices: take %d or more" % (
            width, MOST_CUTS**2, len(degrees), -(-len(degrees) // MOST_CUTS)))
    ends = numpy.minimum(begins + numpy.uint64(width), numpy.uint64(len(degrees)))
    return _Cut(numpy.repeat(begins, len(begins)), numpy.repeat(ends, len(begins)), width, weights, rows_in)


def _names_arrays(names: Any) -> Tuple[Optional[_library.IdArrays], List[Any]]:
    """What vertices are called, for the library, and what has to stay while it looks."""
    if isinstance(names, int):
        return None, []
    if str(names.type) not in ("string", "large_string"):
        numbers = names.to_numpy().astype("u8")
        return _library.IdArrays(form=1, ascending=True, num_vertices=len(numbers), numbers=numbers.ctypes.data), [numbers]
    pieces = [name.encode() for name in names.to_pylist()]
    offsets = numpy.concatenate([numpy.zeros(1, "u8"), numpy.cumsum([len(piece) for piece in pieces], dtype="u8")])
    text = numpy.frombuffer(b"".join(pieces) + b"\0", "u1")
    return _library.IdArrays(form=2, ascending=True, num_vertices=len(pieces), offsets=offsets.ctypes.data,
                             bytes=text.ctypes.data), [offsets, text]


def _of_parts(frame: Any, work: Any) -> Dict[int, List[int]]:
    """What executors find out of each part that has edges."""
    found = frame.mapInArrow(work, "part int, numbers string").collect()
    return {part: list(map(int, numbers.split(","))) for part, numbers in found}


def _settle_arguments(rows: str, duplicates: str, parts: Optional[int], width: Optional[int], weight: Optional[str]) -> None:
    if rows not in ("in", "out") or duplicates not in ("keep", "remove", "min", "sum"):
        raise _errors.UsageError('rows is "in" or "out", duplicates is "keep", "remove", "min" or "sum"')
    if (duplicates == "remove" and weight is not None) or (duplicates in ("min", "sum") and weight is None):
        raise _errors.UsageError('of parallel edges with weights none is the first: duplicates="min" or "sum"; of those without, '
                                 '"remove"')
    if (parts is None) == (width is None):
        raise _errors.UsageError("parts and block_vertices are two ways to cut: choose one")
    if parts is not None and not 1 <= parts <= MOST_CUTS**2:
        raise _errors.UsageError("a set has 1 to 65,536 parts, not %d" % parts)
    if width is not None and not 1 <= width < 2**32:
        raise _errors.UsageError("blocks are of 1 to 2^32 - 1 vertices, not %d" % width)


def write(edges: Any, path: "PathLike", parts: Optional[int] = None, *, block_vertices: Optional[int] = None, source: str = "source",
          target: str = "target", weight: Optional[str] = None, vertices: Any = None, id: str = "id", directed: bool = True,
          rows: str = "in", duplicates: str = "keep", force: bool = False) -> None:
    """Make a set of a DataFrame of edges, whose columns `source` and `target` are integers or strings.

    It is the graph that ``quern-import --parts``, or ``--block-vertices``, makes of these edges: ids that are 0 to V - 1 without gaps are kept, others
    numbered in ascending order; `vertices` is a DataFrame whose column `id` names vertices, with edges or without. With
    ``directed=False`` the reverse of every edge is added. `duplicates` is "keep", "remove" (without weights), "min" or "sum".
    The folder appears whole or not at all. The driver holds the ids and degrees of all vertices."""
    _settle_arguments(rows, duplicates, parts, block_vertices, weight)
    kept: List[Any] = []
    try:
        _write_set(edges, path, (parts, block_vertices or 0), (source, target, weight), vertices, id, directed,
                   rows == "in" and directed, duplicates, force, kept)
    finally:
        for frame in kept:
            frame.unpersist()


def _write_set(edges: Any, path: "PathLike", ways: Tuple[Optional[int], int], columns: Tuple[str, str, Optional[str]], vertices: Any,
               id: str, directed: bool, rows_in: bool, duplicates: str, force: bool, kept: List[Any]) -> None:
    functions = need("pyspark.sql.functions")
    edges, texts = _select(edges, *columns)
    _check(edges, texts)
    names = edges.select(functions.col("source").alias("name")).union(edges.select("target"))
    if vertices is not None:
        more = _select(vertices, id, id, None)[0].select(functions.col("source").alias("name"))
        if (dict(more.dtypes)["name"] == "string") != texts:
            raise _errors.UsageError("the ids of vertices and those of edges are both integers or both strings")
        _check(more, texts)
        names = names.union(more)
    numbered, named = _numbered(names.distinct(), kept)
    num_vertices = named if isinstance(named, int) else len(named)
    if num_vertices >= 2**32:
        raise _errors.UnsupportedError("a graph has at most 2^32 - 1 vertices, not %d" % num_vertices)
    weight_type = _weight_type(edges)  # before parallel edges are settled, as import has it
    edges = _settle(_with_numbers(edges, numbered), directed, duplicates)
    if duplicates == "sum" and weight_type in ("u4", "f4"):
        weight_type = _weight_type(edges)
    row, column = ("target", "source") if rows_in else ("source", "target")
    weights = ["weight"] if "weight" in edges.columns else []
    edges = edges.select(functions.col(row).alias("row"), functions.col(column).alias("column"), *weights).persist()
    kept.append(edges)
    row_degrees = _degrees(edges, "row", num_vertices)
    out_degrees = _degrees(edges, "column", num_vertices) if rows_in else row_degrees
    cut = _cut(row_degrees, *ways, weight_type, rows_in)
    schema = "part int, " + ", ".join("`%s` %s" % field for field in edges.dtypes)
    dealt = edges.mapInArrow(partial(_deal, cut), schema).repartition(len(cut.ends), "part")
    dealt = dealt.sortWithinPartitions("part", "row", "column", *weights).persist()
    kept.append(dealt)
    found = _of_parts(dealt, partial(_examine_parts, cut))
    part_edges = numpy.array([found.get(part, (0, 0))[1] for part in range(len(cut.ends))], "u8")
    fingerprint = sum(number for number, _ in found.values()) % 2**64
    _finish(dealt, cut, path, force, _shape(num_vertices, cut, part_edges, out_degrees, directed, fingerprint), named)


def _shape(num_vertices: int, cut: _Cut, part_edges: numpy.ndarray, out_degrees: numpy.ndarray, directed: bool,
           fingerprint: int) -> _library.SetShape:
    shape = _library.SetShape(
        num_vertices=num_vertices, num_parts=len(cut.ends), ends=None if cut.width else cut.ends.ctypes.data,
        block_vertices=cut.width, part_edges=part_edges.ctypes.data,
        out_degrees=out_degrees.ctypes.data, weight_type=_library.TYPE_CODES[numpy.dtype(cut.weights)] if cut.weights else 0,
        undirected=not directed, rows_in=cut.rows_in, fingerprint=fingerprint)
    shape.arrays = cut.ends, part_edges, out_degrees  # stay as long as it does
    return shape


def _finish(dealt: Any, cut: _Cut, path: "PathLike", force: bool, shape: _library.SetShape, named: Any) -> None:
    """Begin the folder, have the parts written, and let it appear."""
    names, arrays = _names_arrays(named)
    shape.names = ctypes.pointer(names) if names else None
    draft = ctypes.c_void_p()
    check("qn_set_begin", path_bytes(os.path.abspath(path)), force, ctypes.byref(shape), None, ctypes.byref(draft))
    del arrays
    try:
        place = library.qn_set_draft_place(draft)
        written = _of_parts(dealt, partial(_write_parts, cut, place))
        none = numpy.empty(0, "i8")
        files = (_library.PartFile * len(cut.ends))()
        for index in range(len(cut.ends)):
            if index in written:
                files[index] = _library.PartFile(*written[index])
            else:
                files[index] = _write(place, cut.part(index, none, none, none))
    except BaseException:
        library.qn_set_abandon(draft)
        raise
    check("qn_set_finish", draft, files)


# ---- A set becomes a DataFrame ------------------------------------------------------------------

def read(session: Any, path: "PathLike") -> Any:
    """The edges of a set as a DataFrame of ``source``, ``target`` and, if they have them, ``weight``, in the ids of the graph's
    input; of an undirected graph each edge once. A partition is read for each part, and checked, when Spark asks for it."""
    folder = os.path.abspath(path)
    try:
        manifest = json.loads(Path(folder, "set.json").read_text(encoding="utf-8"))
        graph = manifest["graph"]
        if manifest["format"] != "quern-set" or manifest["version"] not in (1, 2) \
                or set(manifest.get("required_features", ())) - READ_FEATURES:
            raise _errors.UnsupportedError("this is no set of version 1 or 2", folder)
        first = manifest["version"] == 1
        parts = manifest["parts"] if first else manifest["blocks"]
        ranges = [(part["begin"], part["end"]) if first else part["rows"] for part in parts]
        files = [_File(part["name"], part["identity"], int(rows[0]), int(rows[1]), 0 if first else int(part["columns"][0]), first)
                 for part, rows in zip(parts, ranges)]
        named = [manifest["vertices"]] if first else manifest["vertices"]
        vertices = [((file["name"], file["identity"]), 0 if first else int(file["range"][0])) for file in named]
        rows_in, undirected = manifest["rows"] == "in", graph["directedness"] == "undirected"
        weight = {"none": None, "u32": "u4", "i64": "i8", "f32": "f4", "f64": "f8"}[graph["weights"]]
    except OSError as problem:
        raise _errors.SystemFailure(problem.strerror or str(problem), os.path.join(folder, "set.json")) from problem
    except (ValueError, KeyError, TypeError, RecursionError) as problem:
        raise _errors.InvalidError("this is not a manifest of a set: %r" % problem, os.path.join(folder, "set.json")) from problem
    texts = _member(folder, *vertices[0][0], verify=False).id_form == "strings"
    schema = "source {0}, target {0}".format("string" if texts else "bigint")
    if weight:
        schema += ", weight " + SPARK_TYPES[weight]
    numbers = session.range(0, len(files), 1, len(files))
    return numbers.mapInArrow(partial(_read_parts, folder, vertices, files, rows_in, undirected), schema)
