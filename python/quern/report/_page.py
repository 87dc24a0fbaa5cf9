"""The page: its sections, from the figures of a graph, and the file."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any, Dict, Iterable, List, NamedTuple, Sequence, Tuple, Union

from .. import _errors
from .._files import _umask
from .._graph import Graph
from .._known import __version__
from .._optional import need
from . import _drawing, _figures

LEDGER = {"records": "records read", "comments": "comments and blank lines", "rejected": "rejected", "edges_left_out": "left out",
          "edges_read": "edges read", "edges_added": "added by symmetrising", "self_loops_removed": "self loops removed",
          "duplicates_removed": "duplicates removed", "edges_written": "edges stored", "undirected_edges": "undirected edges",
          "parallel_edges": "of these parallel"}


class Section(NamedTuple):
    """Of the page: lines of text, figures with captions, a table."""

    title: str
    text: Sequence[str] = ()
    figures: Sequence[Tuple[str, str]] = ()
    head: Sequence[str] = ()
    rows: Sequence[Sequence[Any]] = ()


def _size(count: float) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024:
            break
        count /= 1024
    else:
        unit = "TiB"
    return "%d B" % count if unit == "B" else "%.2f %s" % (count, unit)


def _facts(graph: Graph, info: Dict[str, Any]) -> List[Tuple[str, str]]:
    bits = _figures.sizes(info)["bits"]
    return [("layout", graph.layout), ("vertices", f"{graph.num_vertices:,}"),
            ("edges stored", f"{graph.num_stored_edges:,}"), ("direction", "directed" if graph.directed else "undirected"),
            ("weights", info["weights"]), ("ids", info["ids"]), ("size", _size(info["bytes"])),
            ("bits an edge", "%.2f" % bits if bits else "none"), ("identity", info["identity"])]


def _degrees(all_degrees: List[_figures.Degrees]) -> Section:
    rows = []
    for one in all_degrees:
        found = one.degrees
        rows.append([one.name, f"{int(found.min()):,}", "%.2f" % found.mean(), f"{int(found.max()):,}", f"{int((found == 0).sum()):,}"])
    return Section("Degrees", ["The share of vertices with so many edges or more, both axes by their logarithm."],
                   [("", _drawing.degrees(all_degrees))] if any(one.degrees.any() for one in all_degrees) else [],
                   ["", "least", "mean", "most", "vertices without"], rows)


def _matrix(graph: Graph, all_degrees: List[_figures.Degrees]) -> Section:
    own = _figures.density(graph)
    sorted_ = _figures.density(graph, _figures.by_degree(all_degrees))
    return Section("Adjacency matrix", ["Where the edges are: a cell is the stronger the more of them it has, by their logarithm."],
                   [("in this order", _drawing.density("matrix-own", "Adjacency matrix in this order", own, graph.num_vertices)),
                    ("vertices with most edges first",
                     _drawing.density("matrix-by-degree", "Adjacency matrix by degree", sorted_, graph.num_vertices))])


def _sizes(graphs: Sequence[Graph]) -> Section:
    all_sizes = [_figures.sizes(graph.info()) for graph in graphs]
    rows = [[os.path.basename(graph.path) if graph.path else "in memory", size["layout"], _size(size["bytes"]),
             "%.2f" % size["bits"] if size["bits"] else ""] for graph, size in zip(graphs, all_sizes)]
    figures = [("sections of the first container",
                _drawing.bars("sections", "MiB", [(name, count / 2**20) for name, count in all_sizes[0]["sections"]]))]
    if len(graphs) > 1 and all_sizes[0]["bits"]:
        figures.insert(0, ("layouts", _drawing.bars("layouts", "bits an edge", [(size["layout"], size["bits"]) for size in all_sizes])))
    return Section("Sizes", (), figures, ["container", "layout", "size", "bits an edge"], rows)


def _parts(graphs: Sequence[Graph]) -> Iterable[Section]:
    for place, graph in enumerate(graphs):
        pages = _figures.page_fill(graph)
        if pages:
            rows = [[name, f"{len(fill):,}", "%.1f %%" % (100 * fill.mean())] for name, fill in pages]
            yield Section("Fill of pages", (), [("", _drawing.fill("fill-%d" % place, pages))], ["pages", "number", "filled"], rows)
        for number, parts in enumerate(_figures.balance(graph)):
            if len(parts.sizes) < 2:
                continue
            mean, most = parts.sizes.mean(), parts.sizes.max()
            text = "%s %s; the largest has %s %s, %.2f times the mean." % (
                f"{len(parts.sizes):,}", parts.what, f"{int(most):,}", parts.unit, most / mean if mean else 0)
            yield Section("Balance of " + parts.what, [text], [("", _drawing.balance("balance-%d-%d" % (place, number), parts))])


def _history(info: Dict[str, Any]) -> Iterable[Section]:
    steps = _figures.history(info)
    if not steps:
        return
    rows = [[label, *(f"{step.ledger[key]:,}" if key in step.ledger else "" for step in steps)]
            for key, label in LEDGER.items() if any(key in step.ledger for step in steps)]
    text = ["Input: %s, %s" % one for step in steps for one in step.inputs]
    yield Section("Where it comes from", text, (), ["", *(step.tool for step in steps)], rows)


def _results(paths: Sequence[str]) -> Iterable[Section]:
    for place, path in enumerate(paths):
        result = _figures.values(path)
        text = ["%s values" % f"{len(result.finite):,}" + (", %s more that no path reaches" % f"{result.others:,}" if result.others else "")]
        figures = [("", _drawing.values("values-%d" % place, result))] if len(result.finite) else []
        yield Section("Result: " + os.path.basename(path), text, figures)


def _timelines(paths: Sequence[str]) -> Iterable[Section]:
    for place, path in enumerate(paths):
        spans = _figures.timeline(path)
        end = max((span.begin + span.seconds for span in spans), default=0)
        text = ["%d spans in %.3f ms." % (len(spans), 1e3 * end)]
        yield Section("Run: " + os.path.basename(path), text, [("", _drawing.timeline("run-%d" % place, spans))] if spans else [])


def render(graphs: Sequence[Graph], results: Sequence[str] = (), traces: Sequence[str] = ()) -> str:
    """The page as text."""
    jinja2 = need("jinja2")
    first, info = graphs[0], graphs[0].info()
    sections: List[Section] = []
    if first.num_vertices:
        all_degrees = _figures.degrees(first)
        sections += [_degrees(all_degrees), _matrix(first, all_degrees)]
    sections += [_sizes(graphs), *_parts(graphs), *_history(info), *_results(results), *_timelines(traces)]
    template = jinja2.Environment(autoescape=True).from_string((Path(__file__).parent / "page.html").read_text(encoding="utf-8"))
    page: str = template.render(title=os.path.basename(first.path) if first.path else "graph in memory", facts=_facts(first, info),
                           sections=sections, version=__version__)
    return page + "\n"


def write(path: Union[str, "os.PathLike[str]"], *graphs: Graph, results: Sequence[str] = (), traces: Sequence[str] = (),
          force: bool = False) -> None:
    """Write a page of a graph to the file `path`, which needs nothing beside it.

    The first graph is the one that is looked at; others are layouts of it, whose sizes, pages and parts are shown beside.
    `results` are files that ``quern-run -o`` has written, `traces` those of ``--trace``. The same graphs give the same bytes.
    The file appears whole or not at all; ``force=True`` replaces one.
    """
    if not graphs:
        raise _errors.UsageError("name a graph")
    path = os.path.abspath(os.fspath(path))
    if os.path.lexists(path) and not force:
        raise _errors.UsageError("the file exists; force=True replaces it", path)
    text = render(graphs, results, traces).encode("utf-8", "backslashreplace")
    handle, unfinished = tempfile.mkstemp(prefix=os.path.basename(path) + ".tmp", dir=os.path.dirname(path))
    try:
        with os.fdopen(handle, "wb") as file:
            os.fchmod(handle, 0o666 & ~_umask())
            file.write(text)
        os.replace(unfinished, path)
    except BaseException:
        os.unlink(unfinished)
        raise
