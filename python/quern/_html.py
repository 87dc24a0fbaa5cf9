"""What notebooks show of graphs and results: tables, and a small plot as inline SVG."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any, List, Optional, Sequence, Tuple

import numpy

if TYPE_CHECKING:
    from ._graph import Graph

MOST_ROWS = 1 << 20
"""Of larger graphs the plot is of as many vertices, evenly chosen."""


def escape(text: str) -> str:
    return html.escape(text)


def table(rows: Sequence[Sequence[Any]], heads: Optional[Sequence[str]] = None) -> str:
    """A table; without heads the first column is one."""
    head = "" if heads is None else "<thead><tr>%s</tr></thead>" % "".join("<th>%s</th>" % html.escape(one) for one in heads)
    cells = ("".join("<%s>%s</%s>" % (kind, html.escape(str(cell)), kind)
                     for index, cell in enumerate(row) for kind in ["th" if heads is None and not index else "td"]) for row in rows)
    return "<table>%s<tbody>%s</tbody></table>" % (head, "".join("<tr>%s</tr>" % row for row in cells))


def of_graph(graph: "Graph") -> str:
    count, what = graph._count_of_edges()
    words = [("graph", graph.path or "in memory"), ("vertices", "{:,}".format(graph.num_vertices)), (what, "{:,}".format(count)),
             ("direction", "directed" if graph.directed else "undirected"), ("weights", graph.weight_dtype or "none"),
             ("ids", graph.id_form), ("layout", graph.layout)]
    if graph._session is None:
        return table([*words, ("state", "closed")])
    for what, found in ("vertices", graph.vertex_properties), ("edges", graph.edge_properties):
        if found:
            words.append(("properties of " + what, ", ".join("%s (%s)" % pair for pair in found.types().items())))
    return '<div style="display:flex;gap:2em;align-items:start">%s%s</div>' % (table(words), _degrees(graph))


def bins_of(degrees: numpy.ndarray) -> List[Tuple[str, int]]:
    """How many degrees are 0, 1, 2 to 3, 4 to 7, ..."""
    if not len(degrees):
        return []
    exponents = numpy.frexp(degrees.astype("f8"))[1]
    counts = numpy.bincount(exponents)
    names = ["0", "1"] + ["%d–%d" % (2**(k - 1), 2**k - 1) for k in range(2, len(counts))]
    return list(zip(names, counts.tolist()))


def _degrees(graph: "Graph") -> str:
    """How many vertices have how many out-edges, where rows are at hand: both axes are logarithmic."""
    if graph.layout != "graph" and graph._out is None:
        return ""
    offsets, count = graph.row_offsets, graph.num_vertices
    step = -(-count // MOST_ROWS) or 1
    bins = bins_of(offsets[1::step].astype("i8") - offsets[:-1:step].astype("i8"))
    if not bins:
        return ""
    tallest = max(numpy.log1p(number) for _, number in bins)
    bars = ['<rect x="%d" y="%.1f" width="16" height="%.1f" fill="#4878a8"><title>%s: %s%d vertices</title></rect>'
            '<text x="%d" y="112" font-size="7" text-anchor="middle" fill="currentColor">%s</text>'
            % (20 * at + 12, 100 - height, height, name, "about " if step > 1 else "", number * step, 20 * at + 20, name.split("–")[0])
            for at, (name, number) in enumerate(bins) for height in [92 * numpy.log1p(number) / tallest]]
    return ('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="128" role="img" aria-label="vertices by their number of edges">'
            '%s<text x="12" y="125" font-size="8" fill="currentColor">%s from (vertices: logarithmic)</text></svg>'
            % (max(20 * len(bins) + 24, 180), "".join(bars), "out-edges" if graph.directed else "edges"))
