"""Breadth-first search in the order of networkx: neighbours in the order of their rows, vertices in that in which they are
found."""

from __future__ import annotations

from typing import Any, Iterator, Tuple

import numpy

from .rows import Rows

FEW = 32  # vertices of a level for which a loop is faster than arrays


def levels(rows: Rows, sources: numpy.ndarray, limit: Any = None) -> Iterator[Tuple[numpy.ndarray, numpy.ndarray]]:
    """Of each level, from the first after the sources and at most `limit` of them, which vertex found which: parents and
    vertices, in order."""
    seen = numpy.zeros(len(rows), bool)
    seen[sources] = True
    place = numpy.empty(len(rows), "i8")
    frontier, depth = sources, 0
    while len(frontier) and (limit is None or depth < limit):
        depth += 1
        step = _step_by_vertex if len(frontier) <= FEW else _step_by_arrays
        parents, frontier = step(rows, frontier, seen, place)
        if len(frontier):
            yield parents, frontier


def _step_by_vertex(rows: Rows, frontier: numpy.ndarray, seen: numpy.ndarray, place: numpy.ndarray
                    ) -> Tuple[numpy.ndarray, numpy.ndarray]:
    parents, found = [], []
    for vertex in frontier.tolist():
        row = rows.row(vertex)
        new = row[~seen[row]]
        seen[new] = True
        found.append(new)
        parents.append(numpy.full(len(new), vertex))
    return numpy.concatenate(parents), numpy.concatenate(found).astype("i8", copy=False)


def _step_by_arrays(rows: Rows, frontier: numpy.ndarray, seen: numpy.ndarray, place: numpy.ndarray
                    ) -> Tuple[numpy.ndarray, numpy.ndarray]:
    parents, found = [], []
    for vertices in rows.pieces(frontier):
        places, which = rows.gather(vertices)
        columns = rows.columns[places]
        new = numpy.flatnonzero(~seen[columns])
        columns = columns[new]
        order = numpy.arange(len(columns))
        place[columns[::-1]] = order[::-1]  # where several vertices lead to one, the first does
        first = place[columns] == order
        columns = columns[first]
        seen[columns] = True
        found.append(columns)
        parents.append(vertices[which[new[first]]])
    return numpy.concatenate(parents), numpy.concatenate(found).astype("i8", copy=False)


def reached(rows: Rows, sources: numpy.ndarray) -> numpy.ndarray:
    """The vertices that the sources lead to, and these, in order."""
    return numpy.concatenate([sources] + [found for _, found in levels(rows, sources)])
