"""The graph layout, read as specs/graph.md says and checked against every rule of that page."""

from conformance.container_reader import insist
from conformance.layout_reader import Layout, reversed_edges


class Graph(Layout):
    name = "graph"
    sections = ("row_offsets", "column_indices", "weights", "in_row_offsets", "in_column_indices", "in_weights")
    finite, symmetric = "G-7", "G-9"

    def read(self):
        edges = self.rows("row_offsets", "column_indices", "weights")
        there = {self.has(name) for name in ("in_row_offsets", "in_column_indices")}
        insist("G-10", len(there) == 1 and not ((self.undirected or self.container.rectangular) and True in there))
        self.has_transpose = True in there
        if self.has_transpose:
            backward = reversed_edges(self.rows("in_row_offsets", "in_column_indices", "in_weights"))
            insist("G-8", backward == edges)
        else:
            insist("G-6", not self.has("in_weights"))
        return edges
