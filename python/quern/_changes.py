"""Changes to graphs: what is new lies in a set beside them (docs/changes.md)."""

from __future__ import annotations

import ctypes
import os
import tempfile
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union

from . import _errors, _files, _library
from ._calls import ProgressOption, path_bytes, run_job, taken, text_of
from ._graph import Graph, PathLike, make, open as open_graph
from ._sources import from_arrow, read_arrow, read_parquet

Edges = Union[PathLike, Any, Sequence[Any], None]
"""A file, a table, or several files."""

WEIGHTS = {None: "none", "u4": "u32", "f4": "f32", "i8": "i64", "f8": "f64"}


def generations(path: PathLike) -> List[Dict[str, Any]]:
    """What each generation of a set has changed, and where that came from; empty for any other container."""
    return list(text_of("qn_changes_describe", path_bytes(path))["log"])


def compact(path: PathLike, output: Optional[PathLike] = None, *, force: bool = False, progress: ProgressOption = None,
            threads: Optional[int] = None, tmpdir: Optional[PathLike] = None) -> Graph:
    """One container of a base and its generations, in a file or in memory: what an import of all edges gives."""
    return make("qn_changes_compact", path_bytes(path), *_options([("force", b"yes")] if force else []), path=output, progress=progress,
                threads=threads, tmpdir=tmpdir)


def append(base: PathLike, edges: Edges = None, path: Optional[PathLike] = None, *, remove: Edges = None,
           vertices: Optional[PathLike] = None, strict: bool = False, force: bool = False, progress: ProgressOption = None,
           threads: Optional[int] = None, memory: Union[int, str, None] = None, tmpdir: Optional[PathLike] = None) -> Dict[str, Any]:
    """Add ``edges`` to a graph, and take those of ``remove`` away, in a generation beside it: what happened, as
    ``quern-transform --append --json`` tells it. ``base`` is a container or a set, and is never written; ``path`` is the folder of the
    set that is made, beside the base. A set with generations gets one more, in place unless ``path`` is another.

    Edges are files in any format that :func:`quern.read` takes, Parquet and Arrow among them, or anything that has
    ``__arrow_c_stream__``. They are read and built as those of the graph were. ``vertices`` is a table of new vertices. With ``strict=True``
    edges to be removed that are not there are refused.
    """
    if path is None:
        if not generations(base):
            raise _errors.UsageError("say where the set of changes goes: path=", os.fspath(base))
        path = base
    with tempfile.TemporaryDirectory(dir=tmpdir) as folder:
        job: Dict[str, Any] = dict(progress=progress, threads=threads, memory=memory, tmpdir=tmpdir)
        given = [("append", name) for name in _files_of(edges, base, os.path.join(folder, "added.qrn"), job, True)]
        given += [("remove", name) for name in _files_of(remove, base, os.path.join(folder, "removed.qrn"), job, False)]
        if vertices is not None:
            given.append(("append-vertices", path_bytes(vertices)))
        given += [(name, b"yes") for name, asked in (("strict", strict), ("force", force)) if asked]
        text = ctypes.c_void_p()
        run_job("qn_changes_append", path_bytes(base), *_options(given), path_bytes(path), after=(ctypes.byref(text),), **job)
    report: Dict[str, Any] = taken(text)
    return report


def _options(given: List[Tuple[str, bytes]]) -> Tuple[Any, int]:
    """The two arguments of a call, of options that may be repeated."""
    return (_library.Option * len(given))(*[_library.Option(name.encode(), value) for name, value in given]), len(given)


# ---- Tables -------------------------------------------------------------------------------------

def _is_table(file: Any) -> bool:
    if os.path.isdir(file):
        return True
    try:
        with open(file, "rb") as opened:
            return opened.read(4) in (b"PAR1", b"ARRO", b"\xff\xff\xff\xff")
    except OSError:  # whoever reads it says why
        return False


def _files_of(edges: Edges, base: PathLike, place: str, job: Dict[str, Any], added: bool) -> Iterator[bytes]:
    """Files that the library reads: tables become a container, as an import by the options of the graph makes one."""
    if edges is None:
        return
    given = list(edges) if isinstance(edges, (list, tuple)) else [edges]
    tables = [one for one in given if hasattr(one, "__arrow_c_stream__") or _is_table(one)]
    yield from (path_bytes(one) for one in given if not any(one is table for table in tables))
    if not tables:
        return
    options = _options_of(base, added)
    columns = options.pop("columns", None)
    if hasattr(tables[0], "__arrow_c_stream__"):
        if len(tables) > 1:
            raise _errors.UsageError("one table is taken at a time, or several files")
        made = from_arrow(tables[0], columns, path=place, **options, **job)
    else:
        read = read_parquet if _files.format_of_table(tables[0]) == "parquet" else read_arrow
        made = read(tables[0] if len(tables) == 1 else tables, columns, path=place, **options, **job)
    made.close()
    yield os.fsencode(place)


def _options_of(base: PathLike, added: bool) -> Dict[str, Any]:
    """How edges are built that come to a graph, or go from it."""
    with open_graph(_base_of(base)) as graph:
        metadata = graph.info().get("metadata") or {}
        said = metadata.get("options") or {} if "source" not in metadata else {}
        options: Dict[str, Any] = {"directed": graph.directed, "ids": "strings" if graph.id_form == "strings" else "compact"}
        if said.get("columns"):
            columns = said["columns"].split(",")
            options["columns"] = columns if added else columns[:2]
        if not added:
            return dict(options, weights="none", duplicates="remove")
        options["weights"] = WEIGHTS[graph.weight_dtype and graph.weight_dtype.str[1:]]
        options.update({name: said[name] for name in ("duplicates", "self_loops") if name in said})
        names = list(graph.edge_properties)
        return dict(options, properties=names) if names else options


def _base_of(path: PathLike) -> PathLike:
    about = text_of("qn_changes_describe", path_bytes(path)).get("base")
    if about is None:
        return path
    folder = os.fspath(path).rstrip("/")
    inside = os.path.join(folder, about["name"])
    return inside if os.path.exists(inside) else os.path.join(folder, os.pardir, about["name"])
