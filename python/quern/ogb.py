"""Graphs of the Open Graph Benchmark, from folders as they are published and unpacked."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path
from typing import Any, Dict, Optional

import numpy

from . import _errors
from ._optional import need
from ._sources import from_arrays

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


def read(folder: Any, path: Any = None, *, split: Optional[str] = None, **options: Any) -> Any:
    """A graph of OGB's, such as ogbn-arxiv or ogbl-collab, from its folder with ``raw`` in it: edges, and as properties of vertices ``x``
    (their features), ``y`` (labels, NaN where there is none), ``node_year``, and ``train_mask``, ``val_mask`` and ``test_mask`` of the split
    (``split``, if there are several); of edges ``edge_attr``, ``edge_weight`` and ``edge_year``. Options are those of
    :func:`quern.from_arrays`: ``directed=False`` for graphs that OGB reads with inverse edges."""
    top, raw = Path(folder), Path(folder) / "raw"
    if (raw / "relations").exists() or (raw / "triplet-type-list.csv.gz").exists():
        raise _errors.UnsupportedError("a graph with types; import its tables (docs/types.md)", str(top))
    num_vertices, num_edges = _count(raw, "num-node-list.csv.gz"), _count(raw, "num-edge-list.csv.gz")
    edges = _table(raw / "edge.csv.gz", "i8")
    if edges is None or (len(edges) and edges.shape[1] != 2):
        raise _errors.InvalidError("edges are expected, of two numbers each", str(raw / "edge.csv.gz"))
    edges = _of_length(edges, num_edges, raw / "edge.csv.gz")
    sources, targets = (numpy.ascontiguousarray(edges[:, side]) for side in (0, -1))
    for ends in (sources, targets):
        if len(ends) and not 0 <= ends.min() <= ends.max() < num_vertices:
            raise _errors.InvalidError("an edge has an end that is not below %d" % num_vertices, str(raw / "edge.csv.gz"))
    of_vertices: Dict[str, numpy.ndarray] = {}
    of_edges: Dict[str, numpy.ndarray] = {}
    for found, count, files in ((of_vertices, num_vertices, (("node-feat", "x", "f4"), ("node-label", "y", "f8"), ("node_year", "node_year", "i8"))),
                                (of_edges, num_edges, (("edge-feat", "edge_attr", "f4"), ("edge_weight", "edge_weight", "f4"),
                                                       ("edge_year", "edge_year", "i8")))):
        for file, name, kind in files:
            values = _table(raw / (file + ".csv.gz"), kind)
            if values is not None and (len(values) or count):
                found[name] = _of_length(values if name == "x" else _column(values), count, raw / (file + ".csv.gz"))
    labels = of_vertices.get("y")
    if labels is not None and (labels == numpy.floor(labels)).all():  # classes
        of_vertices["y"] = labels.astype("i8")
    of_vertices.update(_masks(top, split, num_vertices))
    return from_arrays(sources, targets, path=path, num_vertices=num_vertices, vertex_properties=of_vertices or None,
                       edge_properties=of_edges or None, **options)


def _masks(top: Path, split: Optional[str], count: int) -> Dict[str, numpy.ndarray]:
    schemes = sorted(entry.name for entry in (top / "split").iterdir() if entry.is_dir()) if (top / "split").is_dir() else []
    if split is None and len(schemes) > 1:
        raise _errors.UsageError("there are several splits: %s; split= names one" % ", ".join(schemes), str(top))
    if split is not None and split not in schemes:
        raise _errors.UsageError("there is no split %r; there are: %s" % (split, ", ".join(schemes) or "none"), str(top))
    masks: Dict[str, numpy.ndarray] = {}
    for part, name in _SPLITS.items():
        file = top / "split" / (split or (schemes[0] if schemes else "")) / (part + ".csv.gz")
        chosen = _table(file, "i8") if schemes else None
        if chosen is None:
            continue
        if chosen.shape[1] != 1 or (len(chosen) and not 0 <= chosen.min() <= chosen.max() < count):
            raise _errors.InvalidError("vertices are expected, one a line, below %d" % count, str(file))
        masks[name] = numpy.zeros(count, bool)
        masks[name][chosen[:, 0]] = True
    return masks


__all__ = ["read"]
