"""What the information files of GraphAr say of a graph."""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Tuple

from . import _errors
from ._optional import need

if TYPE_CHECKING:
    from ._graph import PathLike

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


def fail(path: Any, message: str) -> _errors.InvalidError:
    return _errors.InvalidError(message, os.fspath(path))


def _load(path: Path, *required: str) -> Dict[str, Any]:
    yaml = need("yaml")
    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, ValueError) as problem:  # also of dates and numbers that there are not, and of no UTF-8
        raise fail(path, "this is no YAML: %s" % problem) from problem
    except RecursionError as problem:
        raise fail(path, "this is nested too deeply for a file of GraphAr") from problem
    except OSError as problem:
        raise _errors.SystemFailure(problem.strerror or str(problem), os.fspath(path)) from problem
    if isinstance(found, dict):
        for former, key in FORMER_KEYS.items():
            if former in found:
                found.setdefault(key, found[former])
    if not isinstance(found, dict) or any(key not in found for key in required):
        raise fail(path, "an information file of GraphAr has the keys %s" % ", ".join(required))
    version = str(found.get("version", VERSION)).split()[0]
    if version != VERSION:
        raise _errors.UnsupportedError("this is of version %s; %s is read" % (version, VERSION), os.fspath(path))
    return found


def _positive(path: Path, info: Dict[str, Any], key: str) -> int:
    if isinstance(info[key], bool) or not isinstance(info[key], int) or info[key] < 1:
        raise fail(path, "%s is %r; it is a number of rows" % (key, info[key]))
    return int(info[key])


def _groups(path: Path, info: Dict[str, Any]) -> List[Dict[str, Any]]:
    groups = info.get("property_groups") or []
    for group in groups:
        try:
            names = [entry["name"] for entry in group["properties"]]
            group.setdefault("prefix", "_".join(names) + "/")
            _ = group["file_type"], [entry["data_type"] for entry in group["properties"]]
        except (KeyError, TypeError) as problem:
            raise fail(path, "a group of properties lacks a name, a data_type or a file_type") from problem
    return groups


def properties_of(groups: List[Dict[str, Any]]) -> Iterator[Tuple[Dict[str, Any], Dict[str, Any]]]:
    return ((group, entry) for group in groups for entry in group["properties"])


class VertexInfo:
    """A type of vertices."""

    def __init__(self, path: Path, root: Path):
        self.path = path
        self.info = _load(path, "type", "chunk_size", "prefix")
        self.name, self.folder = str(self.info["type"]), root / self.info["prefix"]
        self.chunk_size = _positive(path, self.info, "chunk_size")
        self.groups = _groups(path, self.info)

    def count(self) -> int:
        return count_in(self.folder / "vertex_count")

    def primary(self) -> Optional[Tuple[Dict[str, Any], Dict[str, Any]]]:
        return next(((group, entry) for group, entry in properties_of(self.groups) if entry.get("is_primary")), None)


class EdgeInfo:
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
            raise fail(path, "directed is %r; it is true or false" % (self.directed,))

    def choose_list(self) -> None:
        """The list that is read: rows if there are any."""
        lists = self.info.get("adj_lists") or []
        try:
            by_kind = {(entry["ordered"], entry["aligned_by"]): entry for entry in lists}
        except (KeyError, TypeError) as problem:
            raise fail(self.path, "an adjacency list lacks ordered or aligned_by") from problem
        kind = next((kind for kind in LISTS if kind in by_kind), None)
        if kind is None:
            raise fail(self.path, "there is no adjacency list")
        chosen = by_kind[kind]
        self.by_source = kind[1] == "src"
        self.part_size = _positive(self.path, self.info, "src_chunk_size" if self.by_source else "dst_chunk_size")
        self.file_type = chosen.get("file_type", "parquet")
        self.list_folder = self.folder / (chosen.get("prefix") or LISTS[kind] + "/")
        # Early versions had properties in each list.
        self.groups = _groups(self.path, self.info) or _groups(self.path, chosen)


class GraphInfo:
    """The information files of a graph, and where its data are."""

    def __init__(self, path: "PathLike"):
        self.path = Path(path)
        if self.path.is_dir():
            found = sorted(self.path.glob("*.graph.yml"))
            if len(found) != 1:
                raise fail(path, "%d files are called *.graph.yml; name one" % len(found))
            self.path = found[0]
        info = _load(self.path, "name", "vertices", "edges")
        # A graph that was moved keeps the place where it was made: then the data are beside the file.
        prefix = Path(str(info.get("prefix") or "."))
        root = self.path.parent / prefix
        root = root if root.exists() else self.path.parent
        files = [info[key] or [] for key in ("vertices", "edges")]
        if not all(isinstance(names, list) and all(isinstance(name, str) for name in names) for names in files):
            raise fail(self.path, "vertices and edges are lists of names of files")
        vertices = [VertexInfo(self.path.parent / name, root) for name in files[0]]
        edges = [EdgeInfo(self.path.parent / name, root) for name in files[1]]
        self.vertices, self.edges = self._by_name(vertices), self._by_name(edges)

    def _by_name(self, entries: List[Any]) -> Dict[str, Any]:
        found: Dict[str, Any] = {}
        for entry in entries:
            if entry.name in found:
                raise fail(self.path, "two types are called %s" % entry.name)
            found[entry.name] = entry
        return found

    def chosen(self, edge: Optional[str]) -> EdgeInfo:
        matching = [entry for entry in self.edges.values() if edge in (None, entry.name, entry.label)]
        if len(matching) != 1:
            raise _errors.UsageError("%s type of edges is %s; there are: %s (option edge)"
                                     % ("more than one" if matching else "no", "meant" if edge is None else "called " + edge,
                                        ", ".join(sorted(self.edges))), os.fspath(self.path))
        return self.checked(matching[0])

    def checked(self, entry: EdgeInfo) -> EdgeInfo:
        """The type, whose ends there are, and a list of which is chosen."""
        for end in entry.source, entry.target:
            if end not in self.vertices:
                raise fail(entry.path, "there are no vertices of the type %s" % end)
        entry.choose_list()
        return entry


def count_in(path: Path) -> int:
    """A file of one number."""
    try:
        data = path.read_bytes()
    except OSError as problem:
        raise _errors.SystemFailure(problem.strerror or str(problem), os.fspath(path)) from problem
    value = struct.unpack("<q", data)[0] if len(data) == 8 else -1
    if value < 0:
        raise fail(path, "a count is 8 bytes, and not negative")
    return value
