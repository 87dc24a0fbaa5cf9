"""What each figure of a report looks like: numbers as charts."""

from __future__ import annotations

from typing import List, NamedTuple, Optional, Sequence, Tuple

import numpy

from .._graph import Graph
from ._figures import Degrees, Parts, Span, thinned
from ._svg import Axis, Chart, compact, png

MOST_BARS = 60
KINDS = {"small": "several vertices", "large": "a part of one vertex"}
"""What slotted pages hold."""


class Figure(NamedTuple):
    """A chart with its caption, and the names of its series where it has several."""

    svg: str
    caption: str
    legend: Sequence[str] = ()


def _count(number: float, what: str) -> str:
    return "{:,.0f} {}".format(number, what if number != 1 else {"vertices": "vertex"}.get(what, what[:-1]))


def _wide(low: float, high: float) -> Tuple[float, float]:
    """The ends of a logarithmic axis on which both have room for their marks."""
    room = (high / low)**0.03 if high > low else 2
    return low / room, high * room


def _at_least(caption: str, x_label: str, y_label: str, what: str, unit: str,
              curves: Sequence[Tuple[str, Tuple[numpy.ndarray, numpy.ndarray]]]) -> Figure:
    """How many have as much or more, both axes by their logarithms."""
    shown = [(name, values[values > 0], counts[values > 0]) for name, (values, counts) in curves]
    shown = [one for one in shown if len(one[1])]
    values, counts = (numpy.concatenate([one[side] for one in shown]) for side in (1, 2))
    chart = Chart(caption, Axis(x_label, *_wide(values.min(), values.max()), log=True),
                  Axis(y_label, *_wide(counts.min(), counts.max()), log=True), height=330)
    for name, x, y in shown:
        chart.line(x, y, ["%s with %s or more %s" % (_count(many, what), f"{value:,}", name or unit) for value, many in zip(x.tolist(), y.tolist())],
                   name, steps=True)
    return Figure(chart.svg(), caption, [name for name in chart.legend if name])


def degrees(all_degrees: List[Degrees]) -> Figure:
    names = {"degree": "", "out-degree": "edges out", "in-degree": "edges in"}
    return _at_least("Vertices with so many edges or more", "edges", "vertices", "vertices", "edges",
                     [(names[one.name], one.curve) for one in all_degrees])


def components(curves: Sequence[Tuple[str, Tuple[numpy.ndarray, numpy.ndarray]]]) -> Figure:
    shown = [("", curve) for _, curve in curves] if len(curves) == 1 else curves
    made = _at_least("Components with so many vertices or more", "vertices", "components", "components", "vertices",
                     [("", curve) for _, curve in shown])
    return made._replace(legend=[name for name, _ in curves])


def density(caption: str, counts: numpy.ndarray, graph: Graph) -> Figure:
    """A cell is the more opaque the more edges it has, by their logarithm."""
    pixels = numpy.zeros((*counts.shape, 4), numpy.uint8)
    shades = 0.2 + 0.8 * numpy.log1p(counts) / numpy.log1p(max(1, counts.max(initial=0)))
    pixels[..., :3] = 40, 127, 235
    pixels[..., 3] = numpy.where(counts, numpy.round(255 * shades), 0)
    columns, rows = ("to vertex", "from vertex") if graph.directed else ("vertex", "vertex")
    cells = ",".join(str(count) if count else "" for count in counts.ravel().tolist())
    chart = Chart(caption, Axis(columns, 0, graph.num_vertices), Axis(rows, graph.num_vertices, 0), height=434, counts=cells)
    chart.image(png(pixels))
    return Figure(chart.svg(), caption)


def clustering(bins: Sequence[Tuple[int, int, int, float]]) -> Figure:
    """The mean of clustering coefficients, by degree."""
    low, high, number, means = (numpy.array(column) for column in zip(*bins))
    chart = Chart("Clustering by number of edges", Axis("edges of a vertex", *_wide(2, max(high.max(), 4)), log=True),
                  Axis("linked pairs of neighbours, %", 0, max(1.0, 105 * means.max())))
    chart.line(numpy.sqrt(low * high), 100 * means,
               ["%.3g %% of pairs, of %s with %s to %s edges" % (100 * mean, _count(many, "vertices"), f"{first:,}", f"{last:,}")
                for first, last, many, mean in bins])
    return Figure(chart.svg(), "Linked pairs of neighbours, by the edges of the vertex")


def _bins(numbers: numpy.ndarray) -> Tuple[numpy.ndarray, bool, bool]:
    """The sides of the bars that these numbers fall into, whether they are on a logarithmic axis, and whether each is of one integer."""
    low, high = float(numbers.min()), float(numbers.max())
    log = low > 0 and high / low > 100
    if (numpy.floor(numbers) == numbers).all() and high - low < MOST_BARS:
        return numpy.arange(low - 0.5, high + 1), False, True
    if log:
        return numpy.geomspace(low, high, MOST_BARS + 1), True, False
    return numpy.linspace(low, high if high > low else low + 1, MOST_BARS + 1), False, False


def histogram(caption: str, x_label: str, numbers: numpy.ndarray, what: str = "vertices") -> Figure:
    numbers = numpy.clip(numbers, -1e300, 1e300)  # beyond, differences and logarithms overflow
    sides, log, single = _bins(numbers)
    counts = numpy.histogram(numbers, sides)[0]
    bottom = 0.7 if counts.max() > 20 else 0
    chart = Chart(caption, Axis(x_label, float(sides[0]), float(sides[-1]), log=log),
                  Axis(what, bottom, float(counts.max()) * (1.6 if bottom else 1.1), log=bool(bottom)), by_column=True)
    at = numpy.flatnonzero(counts)
    left, right = sides[:-1][at], sides[1:][at]
    titles = ["%s: %s" % ("%g" % (low + 0.5) if single else "%s to %s" % (compact(low), compact(high)), _count(many, what))
              for low, high, many in zip(left.tolist(), right.tolist(), counts[at].tolist())]
    chart.boxes(left, right, numpy.full(len(at), bottom), counts[at], titles)
    return Figure(chart.svg(), caption)


def fill(pages: List[Tuple[str, numpy.ndarray]], caption: str) -> Figure:
    """How many pages are filled so far, one kind upon the other."""
    sides = numpy.linspace(0, 100, 41)
    all_counts = [numpy.histogram(100 * one, sides)[0] for _, one in pages]
    chart = Chart(caption, Axis("% of a page in use", 0, 100), Axis("pages", 0, 1.1 * float(numpy.sum(all_counts, axis=0).max())), by_column=True)
    below = numpy.zeros(40, numpy.int64)
    for place, ((name, _), counts) in enumerate(zip(pages, all_counts)):
        at = numpy.flatnonzero(counts)
        titles = ["%g %% to %g %%: %s of %s" % (low, high, _count(many, "pages"), KINDS[name])
                  for low, high, many in zip(sides[:-1][at].tolist(), sides[1:][at].tolist(), counts[at].tolist())]
        chart.boxes(sides[:-1][at], sides[1:][at], below[at], (below + counts)[at], titles, [place] * len(at))
        below += counts
    return Figure(chart.svg(), caption, ["of " + KINDS[name] for name, _ in pages])


def balance(parts: Parts, caption: str) -> Figure:
    sizes = numpy.sort(parts.sizes)[::-1]
    mean, most = float(sizes.mean()), float(sizes[0])
    chart = Chart(caption, Axis("%s, the largest first" % parts.what, 0, len(sizes)), Axis(parts.unit, 0, 1.15 * most or 1), height=240,
                  by_column=True)
    places = thinned(numpy.arange(1, len(sizes) + 1))
    ends = numpy.append(places[1:], len(sizes))
    titles = ["number %s: %s" % (f"{place + 1:,}", _count(size, parts.unit)) for place, size in zip(places.tolist(), sizes[places].tolist())]
    chart.boxes(places, ends, numpy.zeros(len(places)), sizes[places], titles)
    chart.level(mean, "mean: %s" % _count(mean, parts.unit))
    return Figure(chart.svg(), caption)


def timeline(spans: List[Span], caption: str) -> Figure:
    lanes = list(dict.fromkeys(span.lane for span in spans))
    kinds = list(dict.fromkeys(span.name.rstrip("0123456789 ") for span in spans))
    begin, seconds = (1e3 * numpy.array([getattr(span, side) for span in spans]) for side in ("begin", "seconds"))
    rows = numpy.array([len(lanes) - lanes.index(span.lane) for span in spans])
    chart = Chart(caption, Axis("ms", 0, float((begin + seconds).max()) or 1), Axis("", 0, len(lanes), names=[short(lane, 14) for lane in lanes]),
                  height=80 + 34 * len(lanes))
    chart.boxes(begin, begin + seconds, rows - 0.85, rows - 0.15,
                ["%s\n%.4g ms, from %.4g ms on" % (span.name, long, at) for span, long, at in zip(spans, seconds.tolist(), begin.tolist())],
                [kinds.index(span.name.rstrip("0123456789 ")) % 4 for span in spans])
    return Figure(chart.svg(), caption, kinds if len(kinds) <= 4 else ())


def short(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most - 1] + "…"
