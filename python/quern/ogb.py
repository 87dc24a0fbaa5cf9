"""Graphs of the Open Graph Benchmark, from folders as they are published and unpacked."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

import numpy

from . import _errors
from ._optional import need
from ._sources import from_arrays
from ._types import from_types

_SPLITS = {"train": "train_mask", "valid": "val_mask", "test": "test_mask"}


def _table(path: Path, kind: str) -> Optional[numpy.ndarray]:
    """The numbers of a .csv.gz without a header, a row each; None if there is no such file."""
    if not path.exists():
        return None
    csv, arrow = need("pyarrow.csv"), need("pyarrow")
    try:
        text = gzip.decompress(path.read_bytes())
    except (EOFError, gzip.BadGzipFile, zlib.error) as problem:
        raise _errors.InvalidError("this is not a whole .gz: %s" % problem, str(path)) from None
    if not text.strip():
        return numpy.zeros((0, 1), kind)
    try:
        table = csv.read_csv(arrow.BufferReader(text.rstrip() + b"\n"), read_options=csv.ReadOptions(autogenerate_column_names=True))
        columns = [column.to_numpy().astype(kind) for column in table.columns]
    except (arrow.ArrowInvalid, TypeError, ValueError) as problem:
        raise _errors.InvalidError("numbers are expected, as many in each line: %s" % problem, str(path)) from None
    if kind == "i8" and any(column.null_count for column in table.columns):
        raise _errors.InvalidError("a number is missing", str(path))
    return numpy.stack(columns, axis=1)


def _count(folder: Path, name: str) -> int:
    counts = _table(folder / name, "i8")
    if counts is None:
        raise _errors.InvalidError("there is no %s; expected the folder of one of OGB's graphs for vertices or edges, unpacked" % name, str(folder))
    if counts.shape != (1, 1):
        raise _errors.UnsupportedError("it lists %d graphs; a graph has one" % counts.size, str(folder / name))
    return int(counts[0, 0])


def _column(values: numpy.ndarray) -> numpy.ndarray:
    return values[:, 0] if values.shape[1] == 1 else values


def _of_length(values: numpy.ndarray, count: int, path: Path) -> numpy.ndarray:
    if len(values) != count:
        raise _errors.InvalidError("it has %d rows; expected %d" % (len(values), count), str(path))
    return values


_OF_VERTICES = {"node-feat": ("x", "f4"), "node-label": ("y", "f8"), "node_year": ("node_year", "i8")}
_OF_EDGES = {"edge-feat": ("edge_attr", "f4"), "edge_weight": ("edge_weight", "f4"), "edge_year": ("edge_year", "i8"), "edge_reltype": ("edge_reltype", "i8")}


def _properties(files: Dict[str, Path], known: Dict[str, Tuple[str, str]], count: int) -> Dict[str, numpy.ndarray]:
    """What is there of these files, a row for every vertex or edge."""
    found: Dict[str, numpy.ndarray] = {}
    for file, path in files.items():
        name, kind = known[file]
        values = _table(path, kind)
        if values is not None and (len(values) or count):
            found[name] = _of_length(values if name == "x" else _column(values), count, path)
    labels = found.get("y")
    if labels is not None and (labels == numpy.floor(labels)).all():  # classes
        found["y"] = labels.astype("i8")
    return found


def _edges(file: Path, count: int, below: Tuple[int, int]) -> Tuple[numpy.ndarray, numpy.ndarray]:
    edges = _table(file, "i8")
    if edges is None or (len(edges) and edges.shape[1] != 2):
        raise _errors.InvalidError("edges are expected, of two numbers each", str(file))
    edges = _of_length(edges, count, file)
    sources, targets = (numpy.ascontiguousarray(edges[:, side]) for side in (0, -1))
    for ends, most in zip((sources, targets), below):
        if len(ends) and not 0 <= ends.min() <= ends.max() < most:
            raise _errors.InvalidError("an edge has an end that is not below %d" % most, str(file))
    return sources, targets


def read(folder: Any, path: Any = None, *, split: Optional[str] = None, **options: Any) -> Any:
    """A graph of OGB's, such as ogbn-arxiv or ogbl-collab, from its folder with ``raw`` in it: edges, and as properties of vertices ``x``
    (their features), ``y`` (labels, NaN where there is none), ``node_year``, and ``train_mask``, ``val_mask`` and ``test_mask`` of the split
    (``split``, if there are several); of edges ``edge_attr``, ``edge_weight`` and ``edge_year``. Options are those of
    :func:`quern.from_arrays`: ``directed=False`` for graphs that OGB reads with inverse edges.

    Of a graph with several types, such as ogbn-mag, a set with types at ``path``, by :func:`quern.from_types`; edges have ``edge_reltype``, too."""
    top, raw = Path(folder), Path(folder) / "raw"
    if (raw / "triplet-type-list.csv.gz").exists():
        return _read_types(top, path, split, options)
    num_vertices, num_edges = _count(raw, "num-node-list.csv.gz"), _count(raw, "num-edge-list.csv.gz")
    sources, targets = _edges(raw / "edge.csv.gz", num_edges, (num_vertices, num_vertices))
    of_vertices = _properties({name: raw / (name + ".csv.gz") for name in _OF_VERTICES}, _OF_VERTICES, num_vertices)
    of_edges = _properties({name: raw / (name + ".csv.gz") for name in _OF_EDGES}, _OF_EDGES, num_edges)
    of_vertices.update(_masks(top, split, num_vertices, None))
    return from_arrays(sources, targets, path=path, num_vertices=num_vertices, vertex_properties=of_vertices or None,
                       edge_properties=of_edges or None, **options)


def _words(path: Path) -> List[List[str]]:
    """The rows of a .csv.gz of names."""
    try:
        return [line.split(",") for line in gzip.decompress(path.read_bytes()).decode().split("\n") if line.strip()]
    except FileNotFoundError:
        raise _errors.InvalidError("there is no %s; expected the folder of one of OGB's graphs with types, unpacked" % path.name, str(path.parent)) from None
    except (EOFError, gzip.BadGzipFile, zlib.error, UnicodeDecodeError) as problem:
        raise _errors.InvalidError("this is not a whole .gz of text: %s" % problem, str(path)) from None


def _read_types(top: Path, path: Any, split: Optional[str], options: Dict[str, Any]) -> Any:
    """ogbn-mag: num-node-dict.csv.gz, triplet-type-list.csv.gz, node-feat/TYPE/ and relations/SOURCE___NAME___TARGET/."""
    raw = top / "raw"
    if path is None:
        raise _errors.UsageError("a graph with types becomes a set, which is a folder: path= says where", str(top))
    counted = _words(raw / "num-node-dict.csv.gz")
    if len(counted) != 2 or len(counted[0]) != len(counted[1]) or not all(number.strip().isdecimal() for number in counted[1]):
        raise _errors.InvalidError("the names of types are expected, and below them how many vertices are of each", str(raw / "num-node-dict.csv.gz"))
    counts = {name.strip(): int(number) for name, number in zip(*counted)}
    if len(counts) != len(counted[0]):
        raise _errors.InvalidError("a type is there twice", str(raw / "num-node-dict.csv.gz"))
    vertices: Dict[str, Any] = {}
    for name, count in counts.items():
        columns = _properties({file: raw / file / name / (file + ".csv.gz") for file in _OF_VERTICES}, _OF_VERTICES, count)
        if (top / "split").is_dir():
            columns.update(_masks(top, split, count, name))
        vertices[name] = columns or count
    edges: Dict[Tuple[str, str, str], Any] = {}
    for row in _words(raw / "triplet-type-list.csv.gz"):
        names = [name.strip() for name in row]
        if len(names) != 3 or names[0] not in counts or names[2] not in counts:
            raise _errors.InvalidError("SOURCE,NAME,TARGET are expected, of types in num-node-dict.csv.gz; found %s" % ",".join(row),
                                       str(raw / "triplet-type-list.csv.gz"))
        relation = raw / "relations" / "___".join(names)
        count = _count(relation, "num-edge-list.csv.gz")
        ends = _edges(relation / "edge.csv.gz", count, (counts[names[0]], counts[names[2]]))
        edges[names[0], names[1], names[2]] = {"edge_index": numpy.stack(ends), **_properties(
            {file: relation / (file + ".csv.gz") for file in _OF_EDGES}, _OF_EDGES, count)}
    return from_types(vertices, edges, path, **options)


def _masks(top: Path, split: Optional[str], count: int, type: Optional[str]) -> Dict[str, numpy.ndarray]:
    schemes = sorted(entry.name for entry in (top / "split").iterdir() if entry.is_dir()) if (top / "split").is_dir() else []
    if split is None and len(schemes) > 1:
        raise _errors.UsageError("there are several splits: %s; split= names one" % ", ".join(schemes), str(top))
    if split is not None and split not in schemes:
        raise _errors.UsageError("there is no split %r; there are: %s" % (split, ", ".join(schemes) or "none"), str(top))
    masks: Dict[str, numpy.ndarray] = {}
    for part, name in _SPLITS.items():
        file = top / "split" / (split or (schemes[0] if schemes else "")) / (type or "") / (part + ".csv.gz")
        chosen = _table(file, "i8") if schemes else None
        if chosen is None:
            continue
        if chosen.shape[1] != 1 or (len(chosen) and not 0 <= chosen.min() <= chosen.max() < count):
            raise _errors.InvalidError("vertices are expected, one a line, below %d" % count, str(file))
        masks[name] = numpy.zeros(count, bool)
        masks[name][chosen[:, 0]] = True
    return masks


__all__ = ["read"]
