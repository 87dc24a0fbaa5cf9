"""The types of a set as a picture: vertex types on a ring, edge types as arrows between them."""

from __future__ import annotations

import math
from typing import Any, Dict, List, NamedTuple, Sequence, Tuple

from ._svg import LETTER, WIDTH, compact, element

MOST_TYPES = 24
"""Of vertices; more would lie on each other."""

LETTERS = 16
HEIGHT, MARGIN = 400, 66
NODE = 9.0, 22.0
"""The least and the largest radius of a vertex type."""


class Type(NamedTuple):
    """Of edges, between vertex types by their places."""

    source: int
    name: str
    target: int
    edges: int
    weights: str


class Schema(NamedTuple):
    """Names and numbers of vertices, and types of edges."""

    vertices: Sequence[Tuple[str, int]]
    edges: Sequence[Type]


def schema(known: Dict[str, Any]) -> Schema:
    """What qn_types_describe says."""
    vertices = [(entry["name"], entry["vertices"]) for entry in known["vertex_types"]]
    places = {name: place for place, (name, _) in enumerate(vertices)}
    return Schema(vertices, [Type(places[entry["source"]], entry["name"], places[entry["target"]], entry["edges"], entry["weights"])
                             for entry in known["edge_types"]])


Point = Tuple[float, float]


def _short(text: str) -> str:
    return text if len(text) <= LETTERS else text[:LETTERS - 1] + "…"


def _share(count: int, most: int) -> float:
    return math.log1p(count) / math.log1p(most) if most else 0.0


def _on_ring(count: int) -> List[Point]:
    """The first at the top, or two side by side."""
    first = math.pi if count == 2 else -math.pi / 2
    across, down = WIDTH / 2 - MARGIN - LETTER * 3, HEIGHT / 2 - MARGIN
    return [(WIDTH / 2 + across * math.cos(first + 2 * math.pi * place / count) * (count > 1),
             HEIGHT / 2 + down * math.sin(first + 2 * math.pi * place / count) * (count > 1)) for place in range(count)]


def _towards(begin: Point, end: Point, length: float) -> Point:
    across, down = end[0] - begin[0], end[1] - begin[1]
    distance = math.hypot(across, down) or 1
    return begin[0] + across * length / distance, begin[1] + down * length / distance


def _head(tip: Point, behind: Point) -> str:
    """The two other corners of an arrow's head."""
    base, half = _towards(tip, behind, 7), 3.5
    across, down = (tip[1] - base[1]) * half / 7, (base[0] - tip[0]) * half / 7
    return "M%.1f %.1fL%.1f %.1fL%.1f %.1fZ" % (*tip, base[0] + across, base[1] + down, base[0] - across, base[1] - down)


def _arrow(begin: Point, end: Point, radii: Tuple[float, float]) -> Tuple[str, str, Point]:
    """A curve that bends to its right, so that those of both directions are apart; its head, and where its name goes."""
    across, down = end[0] - begin[0], end[1] - begin[1]
    middle = (begin[0] + end[0]) / 2 - down * .18, (begin[1] + end[1]) / 2 + across * .18
    start, tip = _towards(begin, middle, radii[0]), _towards(end, middle, radii[1] + 1)
    name = start[0] * .36 + middle[0] * .48 + tip[0] * .16, start[1] * .36 + middle[1] * .48 + tip[1] * .16  # of many, not all in the middle
    return "M%.1f %.1fQ%.1f %.1f %.1f %.1f" % (*start, *middle, *_towards(tip, middle, 5)), _head(tip, middle), name


def _loop(at: Point, radius: float) -> Tuple[str, str, Point]:
    """Away from the middle of the ring."""
    centre = WIDTH / 2, HEIGHT / 2
    out = math.atan2(at[1] - centre[1], at[0] - centre[0]) if math.hypot(at[0] - centre[0], at[1] - centre[1]) > 1 else -math.pi / 2
    start, tip = ((at[0] + radius * math.cos(out + side), at[1] + radius * math.sin(out + side)) for side in (-.6, .6))
    far = [(at[0] + (radius + 42) * math.cos(out + side), at[1] + (radius + 42) * math.sin(out + side)) for side in (-.55, .55)]
    name = at[0] + (radius + 34) * math.cos(out), at[1] + (radius + 34) * math.sin(out)
    return "M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f" % (*start, *far[0], *far[1], *_towards(tip, far[1], 5)), _head(tip, far[1]), name


def _label(at: Point, text: str, kind: str) -> str:
    half = LETTER * len(text) / 2
    across = min(max(at[0], half), WIDTH - half) if half < WIDTH / 2 else WIDTH / 2
    return element("text", class_=kind, x=round(across, 1), y=round(min(max(at[1], 10), HEIGHT - 4), 1), text=text)


def draw(found: Schema, caption: str) -> str:
    """SVG. Edge types between the same vertex types are one arrow; who points at something reads how many there are."""
    points, names = _on_ring(len(found.vertices)), [name for name, _ in found.vertices]
    most = max(count for _, count in found.vertices)
    radii = [NODE[0] + (NODE[1] - NODE[0]) * _share(count, most) for _, count in found.vertices]
    between: Dict[Tuple[int, int], List[Type]] = {}
    for one in found.edges:
        between.setdefault((one.source, one.target), []).append(one)
    totals = {ends: sum(one.edges for one in types) for ends, types in between.items()}
    arrows, labels = [], []
    for (source, target), types in between.items():
        path, head, at = (_loop(points[source], radii[source]) if source == target else
                          _arrow(points[source], points[target], (radii[source], radii[target])))
        title = "\n".join("%s -> %s: %s, %s edges" % (names[source], names[target], one.name, f"{one.edges:,}") for one in types)
        width = round(1 + 3 * _share(totals[source, target], max(totals.values())), 1)
        arrows.append(element("g", element("path", class_="line", d=path, stroke_width=width), element("path", class_="head", d=head), title=title))
        labels.append(_label(at, _short(types[0].name) if len(types) == 1 else "%d types" % len(types), "of-edges"))
    for place, (name, count) in enumerate(found.vertices):
        at = points[place]
        arrows.append(element("circle", class_="box", cx=round(at[0], 1), cy=round(at[1], 1), r=round(radii[place], 1),
                              title="%s: %s vertices" % (name, f"{count:,}")))
        labels.append(_label((at[0], at[1] + radii[place] + 12), "%s %s" % (_short(name), compact(count)), "of-vertices"))
    return element("svg", *arrows, *labels, class_="schema", viewBox="0 0 %d %d" % (WIDTH, HEIGHT), role="img", aria_label=caption)
