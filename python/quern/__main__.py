"""What quern-import, quern-export and quern-transform --append do with tables, which they hand over: python3 -m quern import|export|transform
ARGUMENTS.

Options, output, errors and exit codes are those of the tools. ``parts`` is what quern-transform --partition calls for a library.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import signal
import sys
import tempfile
import time
import warnings
from typing import Any, Callable, Dict, Iterator, List, NoReturn, Optional, Sequence, Tuple

from . import _changes, _errors, _words, _files, _partition, _sources, _types, graphar, icebug
from ._convert import ENDINGS
from ._graph import Graph, open as open_graph

class _Parser(argparse.ArgumentParser):
    """Mistakes are exceptions."""

    def error(self, message: str) -> NoReturn:
        raise _errors.UsageError("tables: " + message)

    def parse_args(self, words: Sequence[str]) -> argparse.Namespace:  # type: ignore[override]
        options, further = self.parse_known_args(words)
        unknown = [word for word in further if word.startswith("-")]
        if unknown:  # the values of these seem to be inputs
            raise _errors.UsageError("tables have no %s" % " and no ".join(unknown))
        if further:
            self.error("one input was expected, and not also " + " ".join(further))
        return options


def _flag(parser: argparse.ArgumentParser, *names: str) -> None:
    parser.add_argument(*names, action="store_true", default=None)


def _shared(tool: str) -> argparse.ArgumentParser:
    parser = _Parser(tool, add_help=False)
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--format", default="auto")
    parser.add_argument("-T", "--threads", type=int)
    for names in (["-f", "--force"], ["-q", "--quiet"], ["--json"]):
        _flag(parser, *names)
    return parser


def _import_parser() -> argparse.ArgumentParser:
    parser = _shared("quern-import")
    for name in ("columns", "ids", "weights", "vertices", "self-loops", "duplicates", "transpose", "memory", "tmpdir", "member",
                 "properties"):
        parser.add_argument("--" + name)
    for name in ("directed", "undirected", "narrow-weights", "strict", "types"):
        _flag(parser, "--" + name)
    for name in ("vertex-type-column", "edge-type-column"):
        parser.add_argument("--" + name)
    for name in ("vertex-table", "edge-table"):
        parser.add_argument("--" + name, action="append")
    parser.add_argument("inputs", nargs="*")
    return parser


def _export_parser() -> argparse.ArgumentParser:
    parser = _shared("quern-export")
    for name in ("both-directions", "strict"):
        _flag(parser, "--" + name)
    parser.add_argument("--column")
    parser.add_argument("input")
    return parser


# ---- Import -------------------------------------------------------------------------------------

GRAPHS = {"graphar": "GraphAr", "icebug-disk": "icebug-disk"}
"""Folders of whole graphs."""


def _format_of(path: str) -> str:
    """parquet, arrow, graphar or icebug-disk, by content."""
    if path == "-":
        return "arrow"
    if path.endswith(".graph.yml"):
        return "graphar"
    if os.path.isdir(path):
        return "graphar" if any(name.endswith(".graph.yml") for name in os.listdir(path)) else "icebug-disk" if icebug.is_here(path) else "parquet"
    with open(path, "rb") as file:
        return "parquet" if file.read(4) == b"PAR1" else "arrow"


def _take_vertices(given: Dict[str, Any]) -> None:
    """--vertices N, or a table of them."""
    named = given.get("vertices")
    if named is None:
        return
    del given["vertices"]
    if named.isdigit():
        given["num_vertices"] = named
    elif _format_of(named) in GRAPHS or not _is_table(named):
        raise _errors.UsageError("with tables of edges the vertices are a number, or a table too: Parquet or Arrow", named)
    else:
        given["vertices"] = _files.table_reader(named, _format_of(named), [], True)[0]


def _is_table(path: str) -> bool:
    if os.path.isdir(path):
        return True
    with open(path, "rb") as file:
        return file.read(4) in (b"PAR1", b"ARRO", b"\xff\xff\xff\xff")


def _made(options: argparse.Namespace) -> Graph:
    given = {key: value for key, value in vars(options).items()
             if value is not None and key not in ("output", "format", "inputs", "columns", "json", "quiet", "directed", "undirected")}
    if "member" in given:
        given["edge"] = given.pop("member")
    given.update(path=options.output, progress=False if options.quiet else None)
    if options.directed and options.undirected:
        raise _errors.UsageError("a graph is --directed or --undirected")
    formats = {_format_of(path) if options.format == "auto" else options.format for path in options.inputs}
    if len(formats) > 1:
        raise _errors.UsageError("inputs are of one kind, not %s" % " and ".join(sorted(formats)))
    kind = {"feather": "arrow", "arrow-stream": "arrow"}.get(*formats, *formats)
    if kind in GRAPHS:
        if len(options.inputs) > 1:
            raise _errors.UsageError("one graph of %s is read at a time" % GRAPHS[kind])
        if options.directed and kind == "graphar":
            raise _errors.UsageError("a graph of GraphAr says itself whether its edges are directed")
        if options.undirected:
            given["directed"] = False
        if given.pop("properties", "all") != "all":
            raise _errors.UsageError("of %s all properties are kept, and --properties cannot choose some" % GRAPHS[kind], options.inputs[0])
        return graphar.read(options.inputs[0], **given) if kind == "graphar" else icebug.read(options.inputs[0], **given)
    given["directed"] = not options.undirected
    _take_vertices(given)
    if "properties" in given:
        given["properties"] = given["properties"] == "all" or given["properties"]
    read = {"parquet": _sources.read_parquet, "arrow": _sources.read_arrow}[kind]
    inputs: List[Any] = [sys.stdin.buffer if path == "-" else path for path in options.inputs]
    return read(inputs[0] if len(inputs) == 1 else inputs, options.columns, **given)


def _split_table(option: str, text: str) -> Tuple[str, List[str]]:
    """WHAT=FILE[,FILE...]."""
    what, equals, files = text.partition("=")
    if not equals or not all(files.split(",")):
        raise _errors.UsageError("--%s is %s=FILE[,FILE...], not %s" % (option, "TYPE" if option == "vertex-table" else "NAME:SOURCE:TARGET", text))
    return what, files.split(",")


def _edge_type(what: str) -> Tuple[str, str, str]:
    parts = what.split(":")
    if len(parts) != 3 or not all(parts):
        raise _errors.UsageError("of Parquet and Arrow a table of edges says all its types, --edge-table NAME:SOURCE:TARGET=FILE, not %s" % what)
    return parts[1], parts[0], parts[2]


def _make_types(options: argparse.Namespace) -> None:
    """A set with types, of a folder of all of them or of tables that options name."""
    given = {key: value for key, value in vars(options).items() if value is not None}
    job: Dict[str, Any] = {key: given.pop(key) for key in ("threads", "memory", "tmpdir", "force") if key in given}
    job["progress"] = False if options.quiet else None
    if options.vertex_type_column or options.edge_type_column:
        return _make_types_of_columns(options, job)
    refused = sorted(set(given) - {"output", "format", "inputs", "json", "quiet", "directed", "types", "vertex_table", "edge_table", "strict"})
    if refused or (given.get("properties", "all") != "all"):
        raise _errors.UsageError("--%s does not go with types of tables" % refused[0].replace("_", "-"))
    tables = options.vertex_table or options.edge_table
    if tables and options.inputs:
        raise _errors.UsageError("inputs do not go with --vertex-table and --edge-table of Parquet or Arrow", options.inputs[0])
    if not tables and len(options.inputs) != 1:
        raise _errors.UsageError("--types of tables takes one folder")
    if tables:
        vertices: Dict[str, List[str]] = {}
        edges: Dict[Tuple[str, str, str], List[str]] = {}
        for text in options.vertex_table or []:
            name, files = _split_table("vertex-table", text)
            vertices.setdefault(name, []).extend(files)
        for text in options.edge_table or []:
            name, files = _split_table("edge-table", text)
            edges.setdefault(_edge_type(name), []).extend(files)
        return _types.read_types(vertices, edges, options.output, **job)
    source = options.inputs[0]
    if _format_of(source) == "graphar":
        return graphar.read_types(source, options.output, **job)
    if not os.path.isdir(source):
        raise _errors.UsageError("--types of tables takes a folder, of GraphAr or of Parquet", source)
    return _types.read_folder(source, options.output, **job)


def _make_types_of_columns(options: argparse.Namespace, job: Dict[str, Any]) -> None:
    """A set with types of tables whose columns say them."""
    if options.vertex_table or options.edge_table:
        raise _errors.UsageError("of Parquet and Arrow columns of types do not go with --vertex-table and --edge-table")
    if options.properties not in (None, "all"):
        raise _errors.UsageError("with types all properties are kept, and --properties chooses none")
    if not options.inputs:
        raise _errors.UsageError("name an input (or - for standard input)")
    columns = options.vertex_type_column, options.edge_type_column
    plain = argparse.Namespace(**{**vars(options), "properties": "all", "output": None, "force": None, "types": None,
                                  "vertex_type_column": None, "edge_type_column": None})
    with _made(plain) as graph:
        _types.assemble_by_columns(graph, *columns, options.output, **job)


def _import_types(options: argparse.Namespace, begun: float) -> None:
    notes = _noted(options)
    _make_types(options)
    made = _types.TypedSet(options.output)
    vertices = sum(made.counts.values())
    if options.json:
        print(json.dumps({"output": options.output, "vertices": vertices, "edges": made.num_edges, "parts": len(made.edge_types),
                          "vertex_types": len(made.counts), "edge_types": len(made.edge_types),
                          "seconds": {"total": time.monotonic() - begun}, "notes": notes}, indent=2))
    elif not options.quiet:
        print("%s: %d vertices of %d types, %d edges of %d types" % (options.output, vertices, len(made.counts), made.num_edges, len(made.edge_types)))


def _note(message: Any, notes: List[Dict[str, Any]], quiet: bool) -> None:
    """What the library warns of, as the other tools tell it."""
    is_warning, code = getattr(message, "is_warning", False), getattr(message, "code", "not-kept")
    notes.append({"code": code, "warning": is_warning, "message": str(message)})
    if is_warning or not quiet:
        print("%s: %s [%s]" % ("warning" if is_warning else "note", message, code), file=sys.stderr)


def _noted(options: argparse.Namespace) -> List[Dict[str, Any]]:
    """What is noted from now on."""
    notes: List[Dict[str, Any]] = []
    warnings.showwarning = lambda message, *place: _note(message, notes, options.quiet)
    return notes


LEDGER = {"records": "records read", "comments": "comments and blank lines", "rejected": "rejected",
          "edges_left_out": "left out", "edges_read": "edges read", "edges_added": "added by symmetrising",
          "self_loops_removed": "self loops removed", "duplicates_removed": "duplicates removed",
          "edges_written": "edges written", "undirected_edges": "undirected edges",
          "parallel_edges": "of these parallel"}


WEIGHTS = _changes.WEIGHTS


def _import(options: argparse.Namespace, begun: float) -> None:
    if any((options.types, options.vertex_table, options.edge_table, options.vertex_type_column, options.edge_type_column)):
        return _import_types(options, begun)
    if not options.inputs:
        raise _errors.UsageError("name an input (or - for standard input)")
    notes = _noted(options)
    with _made(options) as graph:
        metadata = graph.info()["metadata"]
    ledger: Dict[str, int] = metadata["ledger"]
    weights = WEIGHTS[graph.weight_dtype and graph.weight_dtype.str[1:]]
    if options.json:
        print(json.dumps({**metadata, "output": options.output, "vertices": graph.num_vertices, "edges": graph.num_stored_edges,
                          "undirected": not graph.directed, "weights": weights,
                          "seconds": {"total": time.monotonic() - begun}, "notes": notes}, indent=2))
    elif not options.quiet:
        edges = "%d edges" % graph.num_stored_edges
        if not graph.directed:
            edges = "%d undirected edges (%d stored: both directions)" % (ledger.get("undirected_edges", 0), graph.num_stored_edges)
        print("%s: %d vertices, %s, weights %s" % (options.output, graph.num_vertices, edges, weights))
        for key, label in LEDGER.items():
            if ledger.get(key) or key in ("records", "edges_read", "edges_written"):
                print("  %-30s %12d" % (label, ledger[key]))


# ---- Changes ------------------------------------------------------------------------------------

def _transform_parser() -> argparse.ArgumentParser:
    parser = _shared("quern-transform")
    for name in ("append", "remove"):
        parser.add_argument("--" + name, action="append")
    for name in ("append-vertices", "memory", "tmpdir"):
        parser.add_argument("--" + name)
    _flag(parser, "--strict")
    parser.add_argument("input")
    return parser


def _transform(options: argparse.Namespace, begun: float) -> None:
    notes = _noted(options)
    report = _changes.append(options.input, options.append, options.output, remove=options.remove, vertices=options.append_vertices,
                             strict=bool(options.strict), force=bool(options.force), progress=False if options.quiet else None,
                             threads=options.threads, memory=options.memory, tmpdir=options.tmpdir)
    if options.json:
        print(json.dumps({**report, "seconds": time.monotonic() - begun, "notes": notes}, indent=2))
    elif not options.quiet:
        print("%s: generation %d, %d edges added, %d removed, %d new vertices; now %d vertices, %d edges" % (
            options.output, report["generation"], report["added"], report["removed"], report["new_vertices"], report["vertices"],
            report["edges"]))


# ---- Export -------------------------------------------------------------------------------------

def _lost(graph: Graph, kind: str) -> List[str]:
    """What a table does not say of this graph."""
    if kind in ("graphar", "metis-part"):
        return []
    lost = [] if graph.directed else ["that the graph is undirected is not in the output"]
    if kind == "icebug-disk":
        return [text + ": its edges are there in both directions" for text in lost]
    if kind == "pyg-partition":
        return lost
    lost += _files.lost(graph)
    has_edge = graph.out_degrees > 0
    has_edge[graph.column_indices] = True
    isolated = len(has_edge) - int(has_edge.sum())
    return lost + (["%d vertices without edges are not in the output" % isolated] if isolated else [])


@contextlib.contextmanager
def _file_of(path: str) -> Iterator[str]:
    """A container's file: of standard input a copy, since it is mapped."""
    if path != "-":
        yield path
        return
    with tempfile.NamedTemporaryFile(prefix="quern-input-") as copy:
        shutil.copyfileobj(sys.stdin.buffer, copy)
        copy.flush()
        yield copy.name


class _Counted:
    """Standard output, and how many bytes went there."""

    def __init__(self) -> None:
        self.count = 0

    def write(self, data: Any) -> int:
        self.count += len(data)
        return sys.stdout.buffer.write(data)

    def flush(self) -> None:
        sys.stdout.buffer.flush()


def _size(path: str) -> int:
    if not os.path.isdir(path):
        return os.path.getsize(path)
    return sum(os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk(path) for name in names)


def _export_types(options: argparse.Namespace, kind: str, begun: float) -> None:
    """All types of a set, each by itself."""
    notes = _noted(options)
    types = _types.TypedSet(options.input)
    if options.output == "-":
        raise _errors.UsageError("a graph of several types is a folder; name it with -o")
    if kind == "graphar":
        graphar.write_types(options.input, options.output, force=bool(options.force))
    else:
        _types.write_folder(options.input, options.output, force=bool(options.force))
    size, seconds = _size(options.output), time.monotonic() - begun
    if options.json:
        print(json.dumps({"input": options.input, "output": options.output, "format": kind, "edges": types.num_edges, "bytes": size,
                          "notes": notes, "seconds": {"total": seconds}}, indent=2))
    elif not options.quiet:
        print("%s: %d edges, %d B, in %.2f s" % (options.output, types.num_edges, size, seconds))


def _export(options: argparse.Namespace, begun: float) -> None:
    kind = options.format if options.format != "auto" else ENDINGS.get(os.path.splitext(options.output)[1], "")
    if _types.are_written(options.input, options.output, kind):
        return _export_types(options, kind, begun)
    out = _Counted() if options.output == "-" else None
    notes = _noted(options)
    target: Any = out or options.output
    if out and options.json:
        raise _errors.UsageError("--json and -o would both write to standard output")
    if out and (kind in GRAPHS or kind == "pyg-partition"):
        raise _errors.UsageError("a graph of %s is a folder; name it with -o" % GRAPHS.get(kind, "PyG"))
    if options.both_directions and kind not in ("parquet", "arrow"):
        raise _errors.UsageError("--both-directions is for parquet and arrow, not for %s" % kind)
    with _file_of(options.input) as path, open_graph(path, verify=True, threads=options.threads) as graph:
        lost = _lost(graph, kind)
        if lost and options.strict:
            raise _errors.UnsupportedError("; ".join(lost), options.input)
        for text in lost:
            _note(text, notes, options.quiet)
        warnings.simplefilter("ignore", _errors.QuernWarning)
        further: Dict[str, Any] = {"both_directions": True} if options.both_directions else {}
        if options.column is not None:
            further["column"] = options.column
        graph.export(target, kind, force=bool(options.force), **further)
        edges = len(graph.edges(both_directions=bool(options.both_directions)))
    size = out.count if out else _size(options.output)
    seconds = time.monotonic() - begun
    if options.json:
        print(json.dumps({"input": options.input, "output": options.output, "format": kind, "edges": edges, "bytes": size,
                          "notes": notes, "seconds": {"total": seconds}}, indent=2))
    elif not options.quiet:
        print("%s: %d edges, %d B, in %.2f s" % (options.output, edges, size, seconds), file=sys.stderr if out else sys.stdout)


# ---- Partitions ---------------------------------------------------------------------------------

def _parts_parser() -> argparse.ArgumentParser:
    parser = _Parser("quern-parts", add_help=False)
    parser.add_argument("input")
    parser.add_argument("method")
    parser.add_argument("parts", type=int)
    parser.add_argument("imbalance", type=float)
    parser.add_argument("counted", choices=["edges", "weighted"])
    parser.add_argument("threads", type=int)
    parser.add_argument("output")
    return parser


def _parts(options: argparse.Namespace, begun: float) -> None:
    """The part of each vertex, 4 bytes each, into a file that is there."""
    with open_graph(options.input, threads=options.threads) as graph:
        found = _partition.parts_of(graph, options.parts, options.method, options.imbalance, options.counted == "weighted", options.threads)
    with open(options.output, "r+b") as file:
        found.astype("<u4").tofile(file)


# ---- The whole ----------------------------------------------------------------------------------

def _report(tool: str, error: _errors.QuernError, as_json: bool) -> int:
    print("%s: %s" % (tool, error), file=sys.stderr)
    if as_json:
        found = {"status": error.status, "exit_code": error.exit_code, "message": error.message, "file": error.file,
                 "line": error.line, "column": error.column, "offset": error.offset}
        print(json.dumps({"error": {key: value for key, value in found.items() if value is not None}}, indent=2))
    return error.exit_code


def main(arguments: Optional[List[str]] = None) -> int:
    begun = time.monotonic()
    _words.speak_python = False
    arguments = sys.argv[1:] if arguments is None else arguments
    verbs: Dict[str, Callable[[argparse.Namespace, float], None]] = {"import": _import, "export": _export, "transform": _transform, "parts": _parts}
    if not arguments or arguments[0] not in verbs:
        print("usage: python3 -m quern import|export|transform ARGUMENTS", file=sys.stderr)
        return 2
    verb, rest = arguments[0], arguments[1:]
    tool = "quern-" + verb
    parser = {"import": _import_parser, "export": _export_parser, "transform": _transform_parser, "parts": _parts_parser}[verb]()
    warnings.simplefilter("always", _errors.QuernWarning)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        verbs[verb](parser.parse_args(rest), begun)
        sys.stdout.flush()
        return 0
    except _errors.QuernError as error:
        return _report(tool, error, "--json" in rest)
    except ImportError as problem:
        return _report(tool, _errors.UnsupportedError(str(problem)), "--json" in rest)
    except (OSError, MemoryError) as problem:
        return _report(tool, _errors.SystemFailure(str(problem)), "--json" in rest)
    except KeyboardInterrupt:
        return _report(tool, _errors.Cancelled("interrupted"), "--json" in rest)


if __name__ == "__main__":
    sys.exit(main())
