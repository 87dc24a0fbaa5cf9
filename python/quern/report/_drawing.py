"""Figures as SVG for a page: without a size of their own, and in the colours of the page, dark or light."""

from __future__ import annotations

import io
import re
from typing import Any, Callable, List, Tuple

import numpy

from .._optional import need
from ._figures import Degrees, Parts, Span, Values, thinned

# Stand-ins, which the page's own colours replace.
INK, FAINT, SERIES = "#010203", "#040506", ["#070801", "#070802", "#070803", "#070804"]
COLOURS = {INK: "currentColor", FAINT: "var(--faint)", **{name: "var(--series-%d)" % place for place, name in enumerate(SERIES)}}

STYLE = {"svg.fonttype": "none", "font.family": "sans-serif", "font.size": 9, "text.color": INK, "axes.edgecolor": FAINT,
         "axes.labelcolor": INK, "xtick.color": FAINT, "ytick.color": FAINT, "xtick.labelcolor": INK, "ytick.labelcolor": INK,
         "axes.spines.top": False, "axes.spines.right": False, "grid.color": FAINT, "grid.linewidth": 0.4, "axes.grid": True,
         "axes.axisbelow": True, "figure.facecolor": "none", "axes.facecolor": "none", "savefig.facecolor": "none",
         "legend.frameon": False, "axes.prop_cycle": None}


def _draw(name: str, label: str, size: Tuple[float, float], paint: Callable[[Any], None]) -> str:
    """Paint axes, and give the <svg> of them. `name` is unlike that of any other figure of the page."""
    matplotlib = need("matplotlib")
    from matplotlib.figure import Figure  # no window, and no state of a whole process
    style = {**STYLE, "svg.hashsalt": name, "axes.prop_cycle": matplotlib.cycler(color=SERIES)}
    with matplotlib.rc_context(style):
        figure = Figure(figsize=size, layout="constrained")
        paint(figure.add_subplot())
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    text = out.getvalue()[out.getvalue().index("<svg"):]
    text = re.sub(r"(?s)<metadata>.*?</metadata>|<style .*?</style>", "", text)
    text = re.sub(r'<svg [^>]*?viewBox="([^"]*)"[^>]*>',
                  lambda match: '<svg viewBox="%s" role="img" aria-label="%s">' % (match[1], label), text, count=1)
    text = re.sub(r'\bid="(?:figure|axes|patch|line2d|text|matplotlib\.axis|xtick|ytick|legend|QuadMesh|PolyCollection|LineCollection|'
                  r'FillBetweenPolyCollection|PatchCollection|PathCollection)_\d+"', "", text)
    for stand_in, colour in COLOURS.items():
        text = text.replace(stand_in, colour)
    text = re.sub(r"font: ([\d.]+)px[^;\"]*", r"font-size: \1px", text)
    return re.sub(r"font-family: [^;\"]*;? ?", "", text)


def _thousands(*sides: Any) -> None:
    for side in sides:
        side.set_major_formatter(lambda value, place: "{:,.0f}".format(value))


def degrees(all_degrees: List[Degrees]) -> str:
    def paint(axes: Any) -> None:
        for place, one in enumerate(all_degrees):
            values, shares = one.curve
            shown = values > 0
            axes.plot(values[shown], shares[shown], label=one.name, marker="o", markersize=2.5, linewidth=1, linestyle="-" if place == 0 else "--")
        axes.set(xscale="log", yscale="log", xlabel="edges", ylabel="share of vertices with as many or more")
        if len(all_degrees) > 1:
            axes.legend()
    return _draw("degrees", "Distribution of degrees", (4.4, 3), paint)


def density(name: str, label: str, counts: numpy.ndarray, num_vertices: int) -> str:
    """A cell is the more opaque the more edges it has, by their logarithm."""
    most = counts.max(initial=0)
    image = numpy.empty((*counts.shape, 4))
    image[..., :3] = 0.16, 0.5, 0.92
    image[..., 3] = numpy.where(counts, 0.15 + 0.85 * numpy.log1p(counts) / numpy.log1p(max(1, most)), 0)

    def paint(axes: Any) -> None:
        axes.imshow(image, extent=(0, num_vertices, num_vertices, 0), interpolation="none")
        axes.set(xlabel="destination", ylabel="source")
        axes.grid(False)
        axes.locator_params(nbins=4)
        _thousands(axes.xaxis, axes.yaxis)
        axes.spines[:].set_visible(True)
    return _draw(name, label, (3.6, 3.6), paint)


def bars(name: str, label: str, shares: List[Tuple[str, float]]) -> str:
    def paint(axes: Any) -> None:
        places = range(len(shares))
        drawn = axes.barh(places, [value for _, value in shares], height=0.7)
        axes.bar_label(drawn, ["%.3g" % value for _, value in shares], padding=3, fontsize=8)
        axes.margins(x=0.12)
        axes.set(xlabel=label, yticks=places, ylim=(len(shares) - 0.4, -0.6))
        axes.set_yticklabels([text for text, _ in shares])
        axes.grid(axis="y", visible=False)
    return _draw(name, label, (4.4, 0.7 + 0.24 * len(shares)), paint)


def fill(name: str, pages: List[Tuple[str, numpy.ndarray]]) -> str:
    def paint(axes: Any) -> None:
        edges = numpy.linspace(0, 100, 41)
        axes.hist([100 * one for _, one in pages], bins=edges, stacked=True, label=[name for name, _ in pages])
        axes.set(xlabel="% of a page that is filled", ylabel="pages")
        axes.legend()
    return _draw(name, "Fill of pages", (4.4, 2.4), paint)


def balance(name: str, parts: Parts) -> str:
    def paint(axes: Any) -> None:
        sizes = numpy.sort(parts.sizes)[::-1]
        places = thinned(numpy.arange(1, len(sizes) + 1))
        axes.fill_between(places + 1, sizes[places], step="mid" if len(sizes) < 200 else None, alpha=0.35)
        axes.plot(places + 1, sizes[places], drawstyle="steps-mid" if len(sizes) < 200 else "default", linewidth=1, color=SERIES[0])
        axes.axhline(sizes.mean(), color=SERIES[1], linewidth=1, linestyle="--", label="mean")
        axes.set(xlabel="%s, the largest first" % parts.what, ylabel=parts.unit, ylim=(0, 1.2 * sizes[0] or None))
        _thousands(axes.yaxis)
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.legend(loc="upper right")
    return _draw(name, "Balance of %s" % parts.what, (4.4, 2.4), paint)


def values(name: str, result: Values) -> str:
    def paint(axes: Any) -> None:
        low, high = result.finite.min(), result.finite.max()
        wide = low > 0 and high / low > 100
        bins = numpy.geomspace(low, high, 61) if wide else numpy.linspace(low, high if high > low else low + 1, 61)
        if result.finite.dtype.kind in "ui" or (numpy.floor(result.finite) == result.finite).all():
            bins = bins if wide or high - low > 60 else numpy.arange(low - 0.5, high + 1)
        axes.hist(result.finite, bins=bins)
        axes.set(xlabel="value", ylabel="vertices", xscale="log" if wide else "linear", yscale="log")
    return _draw(name, "Distribution of values", (4.4, 2.4), paint)


def timeline(name: str, spans: List[Span]) -> str:
    lanes = list(dict.fromkeys(span.lane for span in spans))
    kinds = list(dict.fromkeys(span.name.rstrip("0123456789 ") for span in spans))

    def paint(axes: Any) -> None:
        for place, lane in enumerate(lanes):
            own = [span for span in spans if span.lane == lane]
            axes.broken_barh([(1e3 * span.begin, 1e3 * span.seconds) for span in own], (place - 0.35, 0.7), edgecolor=FAINT, linewidth=0.3,
                             facecolors=[SERIES[kinds.index(span.name.rstrip("0123456789 ")) % len(SERIES)] for span in own])
        axes.set(xlabel="ms", yticks=range(len(lanes)), ylim=(len(lanes) - 0.5, -0.5))
        axes.set_yticklabels(lanes)
        axes.grid(axis="y", visible=False)
    return _draw(name, "Timeline of a run", (4.4, 0.9 + 0.3 * len(lanes)), paint)
