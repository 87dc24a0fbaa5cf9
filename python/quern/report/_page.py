"""The page: its sections, from the figures of a graph, and the file."""

from __future__ import annotations

import base64
import hashlib
import os
import tempfile
from pathlib import Path
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy

from .. import _errors
from .._files import _umask
from .._graph import Graph
from .._known import __version__
from .._optional import need
from . import _charts, _figures, _schema, _structure
from ._svg import bar

TOP = 10
"""Rows of a list of the largest."""

LEDGER = {"records": "records read", "comments": "comments and blank lines", "rejected": "rejected", "edges_left_out": "left out",
          "edges_read": "edges read", "edges_added": "added by symmetrising", "self_loops_removed": "self-loops removed",
          "duplicates_removed": "duplicates removed", "edges_written": "edges stored", "undirected_edges": "undirected edges",
          "parallel_edges": "of these parallel"}

GROUPS = {"cc": "components", "scc": "components", "cdlp": "communities", "leiden": "communities"}
"""Algorithms whose values say which vertices belong together, and what they form."""


class Fact(NamedTuple):
    name: str
    value: str
    note: str = ""


class Bar(NamedTuple):
    """A cell of a table that shows a share."""

    bar: str


Row = Sequence[Union[str, Bar]]


class Table(NamedTuple):
    head: Sequence[str]
    rows: Sequence[Row]
    caption: str = ""
    wide: bool = False


class Section(NamedTuple):
    """Of the page: lines of text, and figures and tables side by side."""

    title: str
    text: Sequence[str] = ()
    blocks: Sequence[Union[_charts.Figure, Table]] = ()


# ---- Words --------------------------------------------------------------------------------------

def _size(count: float) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024:
            break
        count /= 1024
    else:
        unit = "TiB"
    return "%d B" % count if unit == "B" else "%.2f %s" % (count, unit)


def _percent(part: float, whole: float) -> str:
    share = 100 * part / whole if whole else 0
    return "%.3g %%" % share if share < 99.95 or part == whole else "%.5g %%" % share


def _short(text: str, most: int = 60) -> str:
    return text if len(text) <= most else text[:most - 1] + "…"


def _name(graph: Graph) -> str:
    return os.path.basename(graph.path) if graph.path else "graph in memory"


def _title(graph: Graph) -> str:
    name = _name(graph)
    return name[:-4] if name.endswith(".qrn") and len(name) > 4 else name


def _number(text: str) -> str:
    try:
        return "{:,.6g}".format(float(text)) if "." in text or "e" in text else "{:,}".format(int(text))
    except ValueError:
        return _short(text)


# ---- What the graph is --------------------------------------------------------------------------

def _lead(graph: Graph, info: Dict[str, Any]) -> str:
    weights = {"none": "without weights"}.get(info["weights"], "with weights")
    return "%s graph %s. %s" % ("A directed" if graph.directed else "An undirected", weights,
                                "An edge leads from one vertex to another." if graph.directed else "Each edge is counted once.")


def _facts(graph: Graph, all_degrees: List[_figures.Degrees], found: Optional[_structure.Structure]) -> List[Fact]:
    facts = [Fact("vertices", f"{graph.num_vertices:,}"), Fact("edges", f"{graph.num_edges:,}")]
    if not found:
        return facts
    mean = all_degrees[0].degrees.mean()
    facts.append(Fact("edges per vertex", "%.3g" % mean, "out, on average" if graph.directed else "on average"))
    count = len(found.components)
    facts.append(Fact("components", f"{count:,}", "all vertices are connected" if count == 1 else
                      "the largest has %s of vertices" % _percent(found.components[0], graph.num_vertices)))
    if found.reciprocal and found.reciprocal[1]:
        facts.append(Fact("reciprocity", _percent(*found.reciprocal), "of edges have a reverse"))
    if found.clustering is not None:
        facts.append(Fact("clustering", _percent(found.clustering.mean(), 1), "of pairs of neighbours are linked"))
        facts.append(Fact("triangles", f"{found.triangles or 0:,}"))
    facts.append(Fact("self-loops", f"{found.loops:,}"))
    facts.append(Fact("parallel edges", f"{found.parallel:,}", "repeat another" if found.parallel else ""))
    return facts


def _busiest(graph: Graph, all_degrees: List[_figures.Degrees]) -> Table:
    """The vertices with most edges; of a directed graph those with most edges out beside those with most edges in."""
    columns = []
    for one in all_degrees:
        order = numpy.argsort(-one.degrees, kind="stable")[:TOP]
        ids = [_short(str(id)) for id in graph._ids_of(order.astype("u4")).tolist()]
        columns += [ids, [f"{count:,}" for count in one.degrees[order].tolist()]]
    if len(all_degrees) > 1:
        return Table(["vertex", "edges out", "vertex", "edges in"], list(zip(*columns)), "Vertices with most edges")
    most = max(1, int(all_degrees[0].degrees.max(initial=0)))
    bars = [Bar(bar(int(count.replace(",", "")) / most)) for count in columns[1]]
    return Table(["vertex", "edges", ""], list(zip(*columns, bars)), "Vertices with most edges")


def _degrees(graph: Graph, all_degrees: List[_figures.Degrees]) -> Section:
    names = {"degree": "edges", "out-degree": "edges out", "in-degree": "edges in"}
    columns = [[f"{int(found.min()):,}", "%.6g" % numpy.median(found), "%.4g" % found.mean(), f"{int(found.max()):,}",
                f"{int((found == 0).sum()):,}"] for found in (one.degrees for one in all_degrees)]
    numbers = Table(["", *(names[one.name] for one in all_degrees)],
                    list(zip(["least", "median", "mean", "most", "vertices without"], *columns)))
    if not any(one.degrees.any() for one in all_degrees):
        return Section("Edges per vertex", (), [numbers])
    return Section("Edges per vertex", ["Both axes of the figure are logarithmic: each step to the right or up is a multiple."],
                   [_charts.degrees(all_degrees), numbers, _busiest(graph, all_degrees)])


def _matrix(graph: Graph, all_degrees: List[_figures.Degrees]) -> Section:
    return Section("Where the edges are",
                   ["Each point stands for the edges from some vertices, its row, to some, its column; the stronger its colour, the more there are.",
                    "Blocks near the diagonal are groups of vertices that are linked among themselves."],
                   [_charts.density("Vertices in the order of the file", _figures.density(graph), graph),
                    _charts.density("Vertices with most edges first", _figures.density(graph, _figures.by_degree(all_degrees)), graph)])


def _components(graph: Graph, found: _structure.Structure) -> Section:
    kinds = [("weakly connected" if graph.directed else "connected", found.components)]
    text = ["A component is a group of vertices with paths between them, and none to others."]
    if found.strong is not None:
        kinds.append(("strongly connected", found.strong))
        text.append("Weakly connected: by edges in any direction. Strongly connected: each vertex reaches each other along the edges.")
    columns = [[f"{len(sizes):,}", f"{int(sizes[0]):,}", _percent(sizes[0], graph.num_vertices), f"{int((sizes == 1).sum()):,}"]
               for _, sizes in kinds]
    rows = list(zip(["components", "vertices of the largest", "share of all vertices", "components of one vertex"], *columns))
    blocks: List[Union[_charts.Figure, Table]] = [Table(["", *(name for name, _ in kinds)], rows)]
    several = [(name, _figures.at_least(sizes)) for name, sizes in kinds if len(sizes) > 1]
    if several:
        blocks.insert(0, _charts.components(several))
    return Section("Components", text, blocks)


def _clustering(graph: Graph, all_degrees: List[_figures.Degrees], found: _structure.Structure) -> Section:
    if found.clustering is None:
        return Section("Clustering", ["Triangles of graphs with more than %s stored edges are not counted here; quern-run tc and "
                                      "quern-run lcc do it." % f"{_structure.MOST_EDGES:,}"])
    total: numpy.ndarray = numpy.sum([one.degrees for one in all_degrees], axis=0)
    bins = _structure.by_degree(total, found.clustering)
    text = ["Are the neighbours of a vertex linked to each other? On average %s of their pairs are, and there are %s triangles."
            % (_percent(found.clustering.mean(), 1), f"{found.triangles or 0:,}")]
    rows: List[Row] = [["%s–%s" % (f"{low:,}", f"{high:,}"), f"{many:,}", "%.3g %%" % (100 * mean), Bar(bar(mean))] for low, high, many, mean in bins]
    return Section("Clustering", text, [_charts.clustering(bins), Table(["edges of a vertex", "vertices", "linked pairs", ""], rows)] if bins else [])


# ---- Files --------------------------------------------------------------------------------------

def _file(graphs: Sequence[Graph]) -> Section:
    info, all_sizes = graphs[0].info(), [_figures.sizes(graph) for graph in graphs]
    most, several = max(size["bytes"] for size in all_sizes), len(graphs) > 1
    rows: List[Row] = [[_short(_name(graph)), size["layout"], _size(size["bytes"]), "%.4g" % size["bits"] if size["bits"] else "",
             Bar(bar(size["bytes"] / most))] for graph, size in zip(graphs, all_sizes)]
    sections = sorted(all_sizes[0]["sections"], key=lambda one: -one[1])
    largest = max([1] + [count for _, count in sections])
    facts = [["layout", info["layout"]], ["size", _size(info["bytes"])],
             ["bits per edge", "%.4g" % all_sizes[0]["bits"] if all_sizes[0]["bits"] else "none"],
             ["weights", info["weights"]], ["ids of vertices", info["ids"]], ["identity", info["identity"]]]
    blocks = [Table(["array", "size", ""], [[name, _size(count), Bar(bar(count / largest))] for name, count in sections],
                    "What takes the space" + (" in the first" if several else "")),
              Table((), facts, "The first file" if several else "The file")]
    if several:
        blocks.insert(0, Table(["file", "layout", "size", "bits per edge", ""], rows, wide=True))
    return Section("Sizes of the files" if several else "Size of the file",
                   ["Each is the same graph, in an order of its own that suits a way to compute."] if several else (), blocks)


def _parts(graphs: Sequence[Graph]) -> Iterable[Section]:
    for graph in graphs:
        pages = _figures.page_fill(graph)
        if pages:
            rows = [[_charts.KINDS[name], f"{len(fill):,}", "%.1f %%" % (100 * fill.mean())] for name, fill in pages]
            yield Section("How full the pages are", ["%s keeps edges in pages of one size." % _name(graph)],
                          [_charts.fill(pages, "Pages by the part that is in use"), Table(["pages of", "number", "in use"], rows)])
        for parts in _figures.balance(graph):
            if len(parts.sizes) < 2:
                continue
            mean, most = parts.sizes.mean(), parts.sizes.max()
            text = "%s is cut into %s %s. The largest has %s %s, %.3g times the mean (the dashed line)." % (
                _name(graph), f"{len(parts.sizes):,}", parts.what, f"{int(most):,}", parts.unit, most / mean if mean else 0)
            yield Section("How even the %s are" % parts.what, [text], [_charts.balance(parts, "Sizes of the " + parts.what)])


def _blocks(graph: Graph) -> Iterable[Section]:
    found = _figures.blocks(graph)
    if found is None:
        return
    mean, most = found.edges.mean(), found.edges.max()
    yield Section("The blocks of the set",
                  ["%s keeps its edges in %s files. The largest has %s edges, %.3g times the mean, and %s have none."
                   % (os.path.basename(os.path.abspath(os.fspath(graph._set or ""))), f"{len(found.edges):,}", f"{int(most):,}", most / mean if mean else 0,
                      f"{int((found.edges == 0).sum()):,}"),
                   "Each point has the colour of its file: the stronger, the more edges."],
                  [_charts.density("Edges of the files", found.cells, graph)])


def _types(graph: Graph) -> Iterable[Section]:
    if not graph.vertex_types:
        return
    found = _schema.schema(graph._known_types())
    vertices = Table(["vertex type", "vertices", ""],
                     [[_short(name), f"{count:,}", Bar(bar(count / max(1, graph.num_vertices)))] for name, count in found.vertices])
    edges = Table(["edge type", "from", "to", "edges", "weights"],
                  [[_short(one.name), *(_short(found.vertices[end][0]) for end in (one.source, one.target)), f"{one.edges:,}", one.weights]
                   for one in found.edges], wide=True)
    text = ["Vertices are of %s, and edges of %s." % tuple("%d type%s" % (len(types), "" if len(types) == 1 else "s") for types in found)]
    if len(found.vertices) > _schema.MOST_TYPES:
        yield Section("Types", text, [vertices, edges])
        return
    caption = "Which types of edges lead from where to where"
    text.append("Lines are the wider, and circles the larger, the more there are, by their logarithms.")
    yield Section("Types", text, [_charts.Figure(_schema.draw(found, caption), caption), vertices, edges])


def _history(info: Dict[str, Any]) -> Iterable[Section]:
    steps = _figures.history(info)
    if not steps:
        return
    rows = [[label, *(f"{step.ledger[key]:,}" if key in step.ledger else "" for step in steps)]
            for key, label in LEDGER.items() if any(key in step.ledger for step in steps)]
    text = ["Read from %s (%s)." % one for step in steps for one in step.inputs]
    yield Section("Where it comes from", text, [Table(["", *(step.tool for step in steps)], rows)] if rows else [])


# ---- Results and runs ---------------------------------------------------------------------------

def _groups(result: _figures.Values, what: str) -> List[Union[_charts.Figure, Table]]:
    """Values are names of groups: how large these are."""
    labels, first, sizes = numpy.unique(result.numbers, return_index=True, return_counts=True)
    order = numpy.argsort(-sizes, kind="stable")[:TOP]
    rows: List[Row] = [[_short(result.row(int(first[at]))[-1]), f"{int(sizes[at]):,}", Bar(bar(float(sizes[at] / sizes[order[0]])))] for at in order]
    return [_charts.histogram("Sizes of the %s" % what, "vertices", sizes.astype(numpy.float64), what),
            Table(["name", "vertices", ""], rows, "The largest of %s %s" % (f"{len(labels):,}", what))]


def _top(graph: Graph, result: _figures.Values) -> Iterable[Table]:
    places = result.largest(TOP)
    if result.lines is not None:
        cells = [result.row(place) for place in places]
    elif len(result.numbers) == graph.num_vertices:
        ids = graph._ids_of(numpy.array(places, "u4")).tolist()
        cells = [[str(id), "%.17g" % result.numbers[place]] for id, place in zip(ids, places)]
    else:
        return
    most = result.numbers[places[0]]
    rows: List[Row] = [[_short(row[0]), *map(_number, row[1:]), Bar(bar(result.numbers[place] / most if most > 0 else 0))] for row, place in zip(cells, places)]
    yield Table(["vertex" if result.head[0] == "id" else result.head[0], *result.head[1:], ""], rows, "The largest values")


def _results(graph: Graph, paths: Sequence[str]) -> Iterable[Section]:
    for path in paths:
        result = _figures.values(path)
        finite = result.finite
        others = len(result.numbers) - len(finite)
        text = ["%s values from %s%s." % (f"{len(finite):,}", os.path.basename(path),
                                          ", and %s vertices without one, which no path reaches" % f"{others:,}" if others else "")]
        blocks: List[Union[_charts.Figure, Table]] = []
        if len(finite) and result.name in GROUPS and result.lines is not None:
            blocks = _groups(result, GROUPS[result.name])
        elif len(finite):
            blocks = [_charts.histogram("Vertices by value", result.name, finite), *_top(graph, result)]
        yield Section("Result: " + (result.name if result.name != "value" else os.path.basename(path)), text, blocks)


def _timelines(paths: Sequence[str]) -> Iterable[Section]:
    for path in paths:
        spans = _figures.timeline(path)
        end = max((span.begin + span.seconds for span in spans), default=0)
        yield Section("Timeline of a run", ["%s steps in %.4g ms, from %s." % (f"{len(spans):,}", 1e3 * end, os.path.basename(path))],
                      [_charts.timeline(spans, "What ran when")] if spans else [])


# ---- The page -----------------------------------------------------------------------------------

def _hash(text: str) -> str:
    return "'sha256-%s'" % base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def render(graphs: Sequence[Graph], results: Sequence[str] = (), traces: Sequence[str] = ()) -> str:
    """The page as text. Its policy lets a browser run this style and this script, and nothing else that a file may have
    smuggled in, and load nothing."""
    jinja2 = need("jinja2")
    first, info, found = graphs[0], graphs[0].info(), None
    all_degrees: List[_figures.Degrees] = []
    sections: List[Section] = [*_types(first)]
    if first.num_vertices:
        all_degrees, found = _figures.degrees(first), _structure.structure(first)
        sections += [_degrees(first, all_degrees), _matrix(first, all_degrees), _components(first, found), _clustering(first, all_degrees, found)]
    sections = [*sections, *_results(first, results), *_timelines(traces), _file(graphs), *_blocks(first), *_parts(graphs), *_history(info)]
    template, style, script = ((Path(__file__).parent / name).read_text(encoding="utf-8") for name in ("page.html", "page.css", "page.js"))
    policy = "default-src 'none'; img-src data:; style-src %s; script-src %s; base-uri 'none'; form-action 'none'" % (_hash(style), _hash(script))
    page: str = jinja2.Environment(autoescape=True).from_string(template).render(
        title=_title(first), lead=_lead(first, info), facts=_facts(first, all_degrees, found), sections=sections, version=__version__,
        policy=policy, style=style, script=script)
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
