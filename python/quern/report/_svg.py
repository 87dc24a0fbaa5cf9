"""Charts as inline SVG: axes with ticks, and marks that say what they stand for.

A chart is whole without a script. Its size is in units of which a page has as many as it has room for; letters are sized by the
page's style, so that they stay readable on a phone. For page.js, which lets a reader zoom, the <svg> says which numbers its axes
have; every mark has a <title>, which a browser shows when the pointer rests on it.
"""

from __future__ import annotations

import base64
import html
import math
import struct
import zlib
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

import numpy

WIDTH, LETTER = 440, 8.2
"""Of a chart, and the room that a letter has at most, in units."""

TOP, BOTTOM, RIGHT = 24, 44, 14


SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def compact(value: float) -> str:
    """A number in few letters: 12,000 is 12k. page.js does the same."""
    for size, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size and (size > 1e3 or abs(value) >= 1e4):
            return "%g%s" % (float("%.3g" % (value / size)), letter)
    if value and abs(value) < 1e-3:
        digits, power = ("%.1e" % value).split("e")
        digits = digits.replace(".0", "")
        return ("" if digits == "1" else digits + "·") + "10" + str(int(power)).translate(SUPERSCRIPTS)
    return "{:,g}".format(float("%.4g" % value))


class Axis(NamedTuple):
    """What one side of a chart shows: numbers from low to high, by themselves or by their logarithms. A high below low is an axis
    that descends."""

    label: str
    low: float
    high: float
    log: bool = False
    names: Optional[Sequence[str]] = None
    """Of rows, for an axis without numbers."""

    def share(self, values: numpy.ndarray) -> numpy.ndarray:
        """Where values are between low (0) and high (1)."""
        low, high = self._ends()
        values = numpy.asarray(values, numpy.float64)
        shares: numpy.ndarray = ((numpy.log10(values) if self.log else values) - low) / ((high - low) or 1)
        return shares

    def _ends(self) -> Tuple[float, float]:
        return (math.log10(self.low), math.log10(self.high)) if self.log else (self.low, self.high)

    def ticks(self) -> List[float]:
        """Round numbers between low and high, five or so. page.js does the same."""
        low, high = sorted(self._ends())
        if self.log and high - low >= 2:
            step = math.ceil((high - low) / 6)
            return [10.0**power for power in range(math.ceil(low - 1e-9), math.floor(high + 1e-9) + 1) if power % step == 0]
        first, last = (10.0**low, 10.0**high) if self.log else (low, high)
        if self.log and high - low >= 0.7:
            every = [digit * 10.0**power for power in range(math.floor(low), math.ceil(high) + 1) for digit in (1, 2, 5)]
            return [value for value in every if first * (1 - 1e-9) <= value <= last * (1 + 1e-9)]
        rough = (last - first) / 4 or 1
        size = 10.0**math.floor(math.log10(rough))
        width = size * next((digit for digit in (1, 2, 5) if digit * size >= rough * (1 - 1e-9)), 10)
        return [width * number for number in range(math.ceil(first / width - 1e-9), math.floor(last / width + 1e-9) + 1)]


def element(kind: str, *inside: str, title: Optional[str] = None, text: Optional[str] = None, **attributes: Any) -> str:
    """An element of SVG: attributes, title and text are escaped, and `inside` are elements."""
    words = "".join(' %s="%s"' % (name.rstrip("_").replace("_", "-"), html.escape("%g" % value if isinstance(value, float) else str(value)))
                    for name, value in attributes.items())
    content = [*inside, *(["<title>%s</title>" % html.escape(title)] if title else []), *([html.escape(text)] if text is not None else [])]
    return "<%s%s>%s</%s>" % (kind, words, "".join(content), kind) if content else "<%s%s/>" % (kind, words)


class Chart:
    """Axes, and marks between them in the order in which they are added."""

    def __init__(self, label: str, x: Axis, y: Axis, height: int = 290, counts: Optional[str] = None,
                 by_column: bool = False) -> None:
        self.label, self.x, self.y, self.counts, self.by_column = label, x, y, counts, by_column
        texts = y.names if y.names is not None else [compact(tick) for tick in y.ticks()]
        self.left = 12 + math.ceil(LETTER * max([len(text) for text in texts] + [2]))
        self.width, self.inner = WIDTH - self.left - RIGHT, height - TOP - BOTTOM
        self.height = height
        self.marks = [element("rect", class_="ground", width=self.width, height=self.inner)]
        self.legend: List[str] = []

    def _across(self, values: Any) -> List[float]:
        across: List[float] = numpy.round(self.width * self.x.share(numpy.asarray(values)), 1).tolist()
        return across

    def _down(self, values: Any) -> List[float]:
        down: List[float] = numpy.round(self.inner * (1 - self.y.share(numpy.asarray(values))), 1).tolist()
        return down

    def line(self, x: numpy.ndarray, y: numpy.ndarray, titles: Sequence[str], name: str = "", steps: bool = False) -> None:
        """A line through points, each of which says what it is; with `steps` it leaps at each, and is level up to the next."""
        series = "s%d" % len(self.legend)
        self.legend.append(name)
        places = list(zip(self._across(x), self._down(y)))
        points = ["%g %g" % place for place in places]
        if steps:
            points = points[:1] + ["%g %gL%g %g" % (places[at - 1][0], places[at][1], *places[at]) for at in range(1, len(places))]
        self.marks.append(element("path", class_="line " + series, d="M" + "L".join(points)))
        self.marks += [element("path", title=title, class_="dot " + series, d="M%g %gh0" % place) for place, title in zip(places, titles)]

    def boxes(self, left: Any, right: Any, bottom: Any, top: Any, titles: Sequence[str], series: Optional[Sequence[int]] = None) -> None:
        """Rectangles between their sides."""
        sides = zip(self._across(left), self._across(right), self._down(bottom), self._down(top))
        self.marks += [element("rect", title=title, class_="box s%d" % one, x=x0, y=y1, width=max(0.0, round(x1 - x0, 1)),
                               height=max(0.0, round(y0 - y1, 1)))
                       for (x0, x1, y0, y1), title, one in zip(sides, titles, series or [0] * len(titles))]

    def level(self, value: float, title: str) -> None:
        """A line from the left to the right."""
        self.marks.append(element("path", title=title, class_="level", d="M0 %gh%d" % (*self._down([value]), self.width)))

    def image(self, url: str) -> None:
        self.marks.append(element("image", width=self.width, height=self.inner, preserveAspectRatio="none", href=url))

    def _ticks_x(self) -> str:
        found = []
        for tick, at in zip(self.x.ticks(), self._across(self.x.ticks())):
            found += [element("path", d="M%g %dv%d" % (self.left + at, TOP, self.inner)),
                      element("text", text=compact(tick), x=self.left + at, y=TOP + self.inner + 16)]
        return element("g", *found, class_="ticks x")

    def _ticks_y(self) -> str:
        found = []
        if self.y.names is not None:
            row = self.inner / (len(self.y.names) or 1)
            found = [element("text", text=name, x=self.left - 6, y=TOP + row * (place + 0.5) + 4) for place, name in enumerate(self.y.names)]
        else:
            for tick, at in zip(self.y.ticks(), self._down(self.y.ticks())):
                found += [element("path", d="M%d %gh%d" % (self.left, TOP + at, self.width)),
                          element("text", text=compact(tick), x=self.left - 6, y=TOP + at + 4)]
        return element("g", *found, class_="ticks y")

    def svg(self) -> str:
        scales = {"data_" + name: "%s %r %r" % ("log" if axis.log else "linear", float(axis.low), float(axis.high))
                  for name, axis in (("x", self.x), ("y", self.y)) if axis.names is None}
        if self.counts is not None:
            scales["data_counts"] = self.counts
        if self.by_column:
            scales["data_hover"] = "x"
        return element(
            "svg",
            element("text", text=self.y.label, class_="axis", x=0, y=12),
            element("text", text=self.x.label, class_="axis end", x=WIDTH - RIGHT, y=self.height - 6),
            self._ticks_x(), self._ticks_y(),
            element("svg", *self.marks, class_="area", x=self.left, y=TOP, width=self.width, height=self.inner,
                    viewBox="0 0 %d %d" % (self.width, self.inner), preserveAspectRatio="none"),
            element("path", class_="frame", d="M%d %dv%dh%d" % (self.left, TOP, self.inner, self.width)),
            class_="chart", viewBox="0 0 %d %d" % (WIDTH, self.height), role="img", aria_label=self.label, **scales)


def bar(share: float) -> str:
    """For a cell of a table: a bar that fills this share of it."""
    return element("svg", element("rect", width=round(100 * min(1.0, max(0.0, share)), 2), height=10), class_="bar", viewBox="0 0 100 10",
                   preserveAspectRatio="none", aria_hidden="true")


def png(pixels: numpy.ndarray) -> str:
    """uint8[height, width, 4], red, green, blue and opacity, as a data: URL."""
    height, width, _ = pixels.shape
    rows = numpy.zeros((height, 1 + 4 * width), numpy.uint8)  # a row begins with its filter: none
    rows[:, 1:] = pixels.reshape(height, -1)
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)), (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b"")]
    data = b"\x89PNG\r\n\x1a\n" + b"".join(struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
                                           for kind, body in chunks)
    return "data:image/png;base64," + base64.b64encode(data).decode()
