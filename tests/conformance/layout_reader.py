"""What the layouts have in common: rows of a CSR, weights, original ids, symmetry (specs/graph.md)."""

import math
from collections import Counter

from conformance.container_reader import insist
from conformance.properties_reader import Properties

UNSIGNED, SIGNED, FLOAT, TEXT, OPAQUE = 1, 2, 3, 4, 5
IDS = ("original_ids", "id_offsets", "id_bytes", "metadata")


class Layout:
    """`ids` (numbers or bytes) and `edges` [(source, destination, weight or None)], by vertex."""

    name = ""
    sections = ()  # in their order, before IDS
    num_parameters = 0
    finite, symmetric = "", ""  # the numbers of these two rules on the layout's page

    def __init__(self, container):
        insist("C-7", container.layout == self.name)
        known = self.sections + IDS
        container.refuse_unknown(known)
        insist("C-6", not any(container.parameters[self.num_parameters:]), "parameters")
        self.container = container
        self.num_vertices, self.num_edges = container.num_vertices, container.num_edges
        self.num_rows, self.first_row = container.num_rows, container.first_row
        self.undirected = container.directedness == 1
        self.edges = self.read()
        self.check_symmetry()
        self.ids = self.read_ids()
        self.properties = Properties(container)
        if self.undirected:
            self.properties.check_directions(self.edges)
        self.properties.check_indexes()

    def has(self, name):
        return name in self.container.sections

    def numbers(self, name, width, count=None):
        return self.container.require(name, UNSIGNED, width, count).tolist()

    def weights(self, name, count):
        """[None] * count where the graph has none."""
        shape = {0: None, 1: (UNSIGNED, 4), 2: (FLOAT, 4), 3: (SIGNED, 8), 4: (FLOAT, 8)}[self.container.weight_type]
        insist("G-6", self.has(name) == (shape is not None), name)
        if shape is None:
            return [None] * count
        found = self.container.require(name, *shape, count).tolist()
        insist(self.finite, shape[0] != FLOAT or all(map(math.isfinite, found)), name)
        return found

    def weight_bytes(self):
        return (0, 4, 4, 8, 8)[self.container.weight_type]

    def rows(self, offsets_name, columns_name, weights_name=None):
        """[(row, column, weight)] of a CSR, by G-1 to G-7."""
        offsets = self.numbers(offsets_name, 8, self.num_rows + 1)
        columns = self.numbers(columns_name, 4, self.num_edges)
        insist("G-1", offsets[0] == 0)
        insist("G-3", offsets[-1] == self.num_edges)
        weights = self.weights(weights_name, self.num_edges) if weights_name else [None] * self.num_edges
        edges = []
        for row, (begin, end) in enumerate(zip(offsets, offsets[1:])):
            insist("G-2", begin <= end, row)
            insist("G-4", all(column < self.num_vertices for column in columns[begin:end]), row)
            insist("G-5", columns[begin:end] == sorted(columns[begin:end]), row)
            edges += [(self.first_row + row, column, weight) for column, weight in zip(columns[begin:end], weights[begin:end])]
        return edges

    def check_degrees(self, rule, edges):
        degrees = Counter(source for source, _, _ in edges)
        insist(rule, self.numbers("out_degrees", 4, self.num_vertices) == [degrees[v] for v in range(self.num_vertices)])

    def check_symmetry(self):
        if self.undirected:
            straight = Counter(edge for edge in self.edges if edge[0] != edge[1])
            reverse = Counter((edge[1], edge[0], edge[2]) for edge in self.edges if edge[0] != edge[1])
            insist(self.symmetric, straight == reverse)

    def read_ids(self):
        strings = self.has("id_offsets") or self.has("id_bytes")
        insist("ID-5", not (strings and self.has("original_ids")))
        insist("ID-6", strings or self.has("original_ids") or not self.container.compatible & 1)
        if self.has("original_ids"):
            ids = self.numbers("original_ids", 8, self.num_vertices)
        elif strings:
            offsets = self.numbers("id_offsets", 8, self.num_vertices + 1)
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


def reversed_edges(edges):
    """By the other end; parallel edges keep their order."""
    return sorted(((column, row, weight) for row, column, weight in edges), key=lambda edge: edge[:2])
