"""The graph layout, read as specs/graph.md says and checked against every rule of that page."""

import math
from collections import Counter

from conformance.container_reader import insist

UNSIGNED, FLOAT, TEXT = 1, 3, 4
NAMES = ("row_offsets", "column_indices", "weights", "in_row_offsets", "in_column_indices", "in_weights",
         "original_ids", "id_offsets", "id_bytes", "metadata")


class Graph:
    """`ids` (numbers or bytes) and `edges` [(source, destination, weight or None)], by vertex."""

    def __init__(self, container):
        insist("C-7", container.layout == "graph")
        container.refuse_unknown(NAMES)
        order = [NAMES.index(name) for name in container.sections if name in NAMES]
        insist("C-22", order == sorted(order), "the order of sections")
        self.container = container
        self.num_vertices, self.num_edges = container.num_vertices, container.num_edges
        self.undirected = container.directedness == 1
        insist("C-6", not any(container.parameters), "parameters")
        self.edges = self.read_rows("")
        self.check_weights("")
        self.read_transpose()
        self.check_symmetry()
        self.ids = self.read_ids()

    def read_rows(self, prefix):
        rows = self.container.require(prefix + "row_offsets", UNSIGNED, 8, self.num_vertices + 1)
        columns = self.container.require(prefix + "column_indices", UNSIGNED, 4, self.num_edges)
        insist("G-1", rows[0] == 0)
        insist("G-3", rows[self.num_vertices] == self.num_edges)
        weights = self.weights(prefix)
        edges = []
        for vertex in range(self.num_vertices):
            insist("G-2", rows[vertex] <= rows[vertex + 1], vertex)
            row = columns[rows[vertex]:rows[vertex + 1]].tolist()
            insist("G-4", all(column < self.num_vertices for column in row), vertex)
            insist("G-5", row == sorted(row), vertex)
            held = weights[rows[vertex]:rows[vertex + 1]] if weights else [None] * len(row)
            edges += [(vertex, column, weight) for column, weight in zip(row, held)]
        return edges

    def weights(self, prefix):
        shape = {0: None, 1: (UNSIGNED, 4), 2: (FLOAT, 4)}[self.container.weight_type]
        if shape is None:
            return None
        return self.container.require(prefix + "weights", *shape, self.num_edges)

    def check_weights(self, prefix):
        named = prefix + "weights" in self.container.sections
        insist("G-6", named == (self.container.weight_type != 0))
        insist("G-7", all(weight is None or math.isfinite(weight) for _, _, weight in self.edges))

    def read_transpose(self):
        there = {name in self.container.sections for name in ("in_row_offsets", "in_column_indices")}
        insist("G-10", len(there) == 1 and not (self.undirected and True in there))
        self.has_transpose = True in there
        if self.has_transpose:
            self.check_weights("in_")
            backward = [(column, vertex, weight) for vertex, column, weight in self.read_rows("in_")]
            # Parallel edges keep their order: a stable sort by source must give the rows back.
            insist("G-8", sorted(backward, key=lambda edge: edge[:2]) == self.edges)

    def check_symmetry(self):
        if self.undirected:
            straight = Counter(edge for edge in self.edges if edge[0] != edge[1])
            reverse = Counter((edge[1], edge[0], edge[2]) for edge in self.edges if edge[0] != edge[1])
            insist("G-9", straight == reverse)

    def read_ids(self):
        sections = self.container.sections
        if "original_ids" in sections:
            ids = self.container.require("original_ids", UNSIGNED, 8, self.num_vertices).tolist()
        elif "id_offsets" in sections:
            offsets = self.container.require("id_offsets", UNSIGNED, 8, self.num_vertices + 1).tolist()
            text = bytes(self.container.require("id_bytes", TEXT, 1))
            insist("ID-1", offsets[0] == 0 and offsets[-1] == len(text))
            insist("ID-1", all(low < high for low, high in zip(offsets, offsets[1:])))
            insist("ID-2", not set(text) & set(b"\0\t\n\r"))
            ids = [text[low:high] for low, high in zip(offsets, offsets[1:])]
        else:
            return list(range(self.num_vertices))
        insist("ID-3", len(set(ids)) == len(ids))
        insist("ID-4", not self.container.compatible & 1 or ids == sorted(ids))
        return ids

    def named_edges(self):
        """The edges by original id, sorted: what went into the file, whatever the vertices' numbers."""
        return sorted((self.ids[source], self.ids[destination], weight) for source, destination, weight in self.edges)
