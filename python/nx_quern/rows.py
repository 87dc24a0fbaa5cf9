"""Rows of neighbours as arrays, in the order in which networkx has them."""

from __future__ import annotations

from typing import Any, Iterator, Optional, Tuple

import numpy

PIECE = 1 << 22  # edges that are gathered at once


class Rows:
    """The distinct neighbours of vertex v are ``columns[offsets[v]:offsets[v + 1]]``. ``counts`` says how many parallel edges
    lead to each of them; None: one."""

    def __init__(self, offsets: numpy.ndarray, columns: numpy.ndarray, counts: Optional[numpy.ndarray] = None) -> None:
        self.offsets = numpy.asarray(offsets).astype("i8", copy=False)
        self.columns = columns
        self.counts = counts
        self._keys: Optional[numpy.ndarray] = None

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> numpy.ndarray:
        """int64[V]: distinct neighbours."""
        return numpy.diff(self.offsets)

    @property
    def degrees(self) -> numpy.ndarray:
        """int64[V]: edges of each row."""
        return self.lengths if self.counts is None else self.sums(self.counts)

    @property
    def sources(self) -> numpy.ndarray:
        """int64[E]: the row of every column."""
        return numpy.repeat(numpy.arange(len(self)), self.lengths)

    @property
    def loops(self) -> numpy.ndarray:
        """int64[V]: edges from each vertex to itself."""
        found = numpy.zeros(len(self), "i8")
        places = numpy.flatnonzero(self.sources == self.columns)
        found[self.columns[places]] = 1 if self.counts is None else self.counts[places]
        return found

    def row(self, vertex: int) -> numpy.ndarray:
        return self.columns[self.offsets[vertex]:self.offsets[vertex + 1]]

    def sums(self, values: numpy.ndarray) -> numpy.ndarray:
        """Of a value for each column: the sum of each row."""
        found = numpy.zeros(len(self), values.dtype)
        filled = self.lengths > 0
        if filled.any():
            found[filled] = numpy.add.reduceat(values, self.offsets[:-1][filled])
        return found

    def gather(self, vertices: numpy.ndarray) -> Tuple[numpy.ndarray, numpy.ndarray]:
        """Places in ``columns`` of these rows, one row after another, and of each place which of ``vertices`` it is of."""
        lengths = self.offsets[vertices + 1] - self.offsets[vertices]
        which = numpy.repeat(numpy.arange(len(vertices)), lengths)
        places = numpy.arange(len(which)) + (self.offsets[vertices] - (numpy.cumsum(lengths) - lengths))[which]
        return places, which

    def pieces(self, vertices: numpy.ndarray) -> Iterator[numpy.ndarray]:
        """The vertices, so many at a time that their rows have about PIECE edges."""
        if len(vertices) <= 1:
            yield vertices
            return
        ends = numpy.cumsum(self.offsets[vertices + 1] - self.offsets[vertices])
        start = 0
        while start < len(vertices):
            before = ends[start - 1] if start else 0
            stop = max(int(numpy.searchsorted(ends, before + PIECE, "right")), start + 1)
            yield vertices[start:stop]
            start = stop

    def have(self, sources: numpy.ndarray, targets: numpy.ndarray) -> numpy.ndarray:
        """Of each pair whether there is such an edge."""
        if self._keys is None:
            self._keys = numpy.sort(self.sources * len(self) + self.columns)
        wanted = numpy.asarray(sources).astype("i8", copy=False) * len(self) + targets
        if not len(self._keys):
            return numpy.zeros(len(wanted), bool)
        places = numpy.minimum(numpy.searchsorted(self._keys, wanted), len(self._keys) - 1)
        found: numpy.ndarray = self._keys[places] == wanted
        return found


def merged(values: numpy.ndarray, counts: Optional[numpy.ndarray], merge: Any) -> numpy.ndarray:
    """Values of all parallel edges, by `merge` (``numpy.add``, ``numpy.minimum``) as one for each column."""
    if counts is None or not len(counts):
        return values
    found: numpy.ndarray = merge.reduceat(values, numpy.cumsum(counts) - counts)
    return found
