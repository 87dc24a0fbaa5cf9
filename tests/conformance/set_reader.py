"""Sets, read as specs/set.md says and checked against every rule of that page."""

import struct
from collections import Counter
from pathlib import Path

from conformance.container_reader import Broken, insist, parsed_json, read, xxh3
from conformance.layout_readers import read_layout
from conformance.properties_reader import in_graph_order

WEIGHTS = ("none", "u32", "f32", "i64", "f64")
MASK = 2**64 - 1
FEATURES = {"vertex-ranges", "column-ranges"}


def identity_of(manifest, more=()):
    """SET-5; of version 1 too. `more` numbers follow in a set with types."""
    graph = manifest["graph"]
    numbers = [manifest["version"], graph["vertices"], graph["edges"], WEIGHTS.index(graph["weights"]),
               int(graph["directedness"] == "undirected"), int(manifest["rows"] == "in"), int(graph["in_edges"]),
               int(graph["fingerprint"], 16)]
    if manifest["version"] == 1:
        numbers += [int(manifest["vertices"]["identity"], 16), len(manifest["parts"])]
        numbers += [part["end"] for part in manifest["parts"]]
    else:
        numbers.append(len(manifest["vertices"]))
        for file in manifest["vertices"]:
            numbers += [*file["range"], int(file["identity"], 16)]
        numbers.append(len(manifest["blocks"]))
        for block in manifest["blocks"]:
            numbers += [*block["rows"], *block["columns"]]
    numbers += more
    return "%016x" % xxh3(struct.pack("<%dQ" % len(numbers), *numbers))


def parts_of(manifest):
    """[(file, rows, columns)] of the ranges that each file has."""
    if manifest["version"] == 1:
        return [(part, [part["begin"], part["end"]], [0, manifest["graph"]["vertices"]]) for part in manifest["parts"]]
    return [(block, block["rows"], block["columns"]) for block in manifest["blocks"]]


def mix_source(vertex):
    x = (vertex * 0x9E3779B1 + 0x85EBCA6B27D4EB2F) & MASK
    return x ^ x >> 32


def mix_destination(vertex):
    source = mix_source(vertex)
    x = (source >> 32) * (source & 0xFFFFFFFF)
    return x ^ x >> 32


def mix_weight(weight, kind):
    if kind == "none":
        return 1
    form = {"u32": "I", "f32": "f", "i64": "q", "f64": "d"}[kind]
    bits = int.from_bytes(struct.pack("<" + form, weight), "little")
    if kind in ("i64", "f64"):
        x = (bits + 0x85EBCA6B27D4EB2F) * 0x9E3779B97F4A7C15 & MASK
        x = (x ^ x >> 32) * 0xBF58476D1CE4E5B9 & MASK
        return (x ^ x >> 29) | 1
    x = (bits + 0xD3A2646C) * 0x165667B1 & 0xFFFFFFFF
    x ^= x >> 15
    return (x * (x ^ 0xD3A2646C) + bits & MASK) | 1


def fingerprint_of(edges, kind):
    return sum(mix_source(u) * mix_destination(v) * mix_weight(w, kind) for u, v, w in edges) & MASK


class Set:
    """`edges` [(source, destination, weight)] of the graph, by source; `ids` as those of a graph; `values` {(source,
    destination): [values of an edge in all columns]}, parallel ones in their order."""

    def __init__(self, folder):
        self.folder = Path(folder)
        insist("SET-1", (self.folder / "set.json").is_file())
        self.manifest = parsed_json((self.folder / "set.json").read_bytes())
        self.check_manifest()
        self.graph, self.rows = self.manifest["graph"], self.manifest["rows"]
        self.read_vertices()
        self.values = {}
        self.edges = [edge for i, part in enumerate(self.parts) for edge in self.read_part(i, *part)]
        self.check_whole()

    def check_manifest(self):
        manifest, graph = self.manifest, self.manifest["graph"]
        insist("SET-1", manifest["format"] == "quern-set")
        self.whole_rows = manifest["version"] == 1
        self.features = manifest.get("required_features", [])
        insist("version", manifest["version"] in (1, 2) and set(self.features) <= (set() if self.whole_rows else FEATURES))
        self.ranges = ([{**manifest["vertices"], "range": [0, graph["vertices"]]}] if self.whole_rows
                       else manifest["vertices"])
        self.parts = parts_of(manifest)
        parts = [part for part, _, _ in self.parts]
        insist("SET-2", manifest.get("version_minor", 0) >= 0)
        insist("SET-2", 0 <= graph["vertices"] < (2**63 if "column-ranges" in self.features else 2**32) and graph["edges"] >= 0 and 1 <= len(parts) <= 65536)
        insist("SET-2", graph["directedness"] == "directed" or (manifest["rows"] == "out" and not graph["in_edges"]))
        insist("SET-2", 1 <= len(self.ranges) <= (65536 if "vertex-ranges" in self.features else 1))
        insist("SET-2", self.whole_rows or manifest["layout"] in ("graph", "packed"))
        names = [file["name"] for file in [*self.ranges, *parts]]
        insist("SET-2", not any("/" in name or name in ("", ".", "..", "set.json") for name in names))
        insist("SET-3", len(set(names)) == len(names))
        self.check_blocks(graph["vertices"])
        named = 0
        for file in self.ranges:
            insist("SET-4", file["range"][0] == named and 0 <= file["range"][1] - named < 2**32)
            named = file["range"][1]
        insist("SET-4", named == graph["vertices"])
        insist("SET-4", sum(part["edges"] for part in parts) == graph["edges"])
        insist("SET-5", identity_of(manifest) == manifest["identity"])

    def check_blocks(self, vertices):
        """They cover all rows and columns once, row of blocks by row of blocks."""
        whole, rows, column = [0, vertices], [0, 0], vertices
        for _, own, columns in self.parts:
            insist("SET-4", "column-ranges" in self.features or columns == whole)
            if column == vertices:
                rows, column = [rows[1], own[1]], 0
            insist("SET-4", own == rows and 0 <= own[1] - own[0] < 2**32)
            insist("SET-4", columns[0] == column and column + bool(vertices) <= columns[1] <= vertices
                   and columns[1] - column < 2**32)
            column = columns[1]
        insist("SET-4", rows[1] == vertices and column == vertices)

    def open(self, file):
        insist("SET-6", (self.folder / file["name"]).is_file(), file["name"])
        container = read(self.folder / file["name"])
        insist("SET-6", container.file_bytes == file["bytes"] and "%016x" % container.checksum == file["identity"])
        return container

    def read_vertices(self):
        self.ids, self.degrees, self.properties, kinds = [], [], None, set()
        for file in self.ranges:
            vertices, container = self.read_range(file)
            kinds.add(tuple(name for name in ("original_ids", "id_offsets") if vertices.has(name)))
            self.ids += vertices.ids if kinds != {()} else range(*file["range"])
            width = 8 if self.whole_rows else container.sections["out_degrees"].element_bytes
            self.degrees += vertices.numbers("out_degrees", width, vertices.num_vertices)
            if self.properties is None:
                self.properties = vertices.properties
                continue
            insist("SET-7", vertices.properties.types == self.properties.types
                   and vertices.properties.weight == self.properties.weight)
            for name, values in vertices.properties.vertices.items():
                self.properties.vertices[name] += values
        insist("SET-7", len(kinds) == 1)
        insist("SET-16", len(set(self.ids)) == len(self.ids))

    def read_range(self, file):
        container = self.open(file)
        insist("SET-7", container.layout == "graph")
        vertices = read_layout(container)
        undirected = self.graph["directedness"] == "undirected"
        insist("SET-7", vertices.name == "graph" and vertices.num_vertices == file["range"][1] - file["range"][0]
               and not vertices.edges and vertices.undirected == undirected
               and WEIGHTS[container.weight_type] == self.graph["weights"]
               and container.num_rows == (vertices.num_vertices if self.whole_rows else 0))
        insist("SET-8", vertices.has("out_degrees"))
        return vertices, container

    def read_part(self, index, about, rows, columns):
        container = self.open(about)
        part = read_layout(container)
        insist("SET-9", part.name == self.manifest["layout"] and not part.undirected
               and part.num_vertices == columns[1] - columns[0] and part.num_edges == about["edges"]
               and WEIGHTS[container.weight_type] == self.graph["weights"] and not part.has("original_ids")
               and not part.has("id_offsets") and not (part.name == "graph" and part.has("in_row_offsets")))
        insist("SET-9", container.rectangular != self.whole_rows)
        insist("SET-9", self.whole_rows or (container.num_rows, container.first_row) == (
            rows[1] - rows[0], (rows[0] - columns[0]) % 2**32))
        metadata = parsed_json(bytes(container.bytes_of("metadata"))) if part.has("metadata") else {}
        while "set" not in metadata and "source" in metadata:
            metadata = metadata["source"]["metadata"]
        insist("SET-10", metadata.get("set") == {
            "identity": self.manifest["identity"], "part": index, "parts": len(self.parts),
            "rows": self.rows, "begin": rows[0], "end": rows[1],
            **({} if columns == [0, self.graph["vertices"]] else {"columns": columns})})
        first = 0 if self.whole_rows else rows[0] - part.first_row
        edges = [(first + row, columns[0] + column, weight) for row, column, weight in part.edges]
        self.read_values(part, edges)
        insist("SET-11", all(rows[0] <= row < rows[1] for row, _, _ in edges))
        return [(v, u, w) for u, v, w in edges] if self.rows == "in" else edges

    def read_values(self, part, edges):
        def edge_types(properties):
            return [(name, kind) for (of, name), kind in properties.types.items() if of == "edges"]

        own, whole = part.properties, self.properties
        insist("SET-15", edge_types(own) == edge_types(whole) and not own.vertices)
        insist("SET-15", not own.edges or own.weight == whole.weight)
        for (u, v, _), values in zip(in_graph_order(edges), zip(*own.edges.values())):
            self.values.setdefault((v, u) if self.rows == "in" else (u, v), []).append(values)

    def check_whole(self):
        insist("SET-12", "%016x" % fingerprint_of(self.edges, self.graph["weights"]) == self.graph["fingerprint"])
        if self.graph["directedness"] == "undirected":
            insist("SET-13", Counter(self.edges) == Counter((v, u, w) for u, v, w in self.edges))
            insist("SET-15", all(repr(self.values[v, u]) == repr(values) for (u, v), values in self.values.items()))
        counted = Counter(u for u, _, _ in self.edges)
        insist("SET-14", self.degrees == [counted[v] for v in range(self.graph["vertices"])])


__all__ = ["Broken", "Set", "identity_of", "parts_of"]
