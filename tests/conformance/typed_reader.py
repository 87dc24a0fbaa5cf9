"""Sets with types, read as specs/set.md says ("Types") and checked against its rules."""

from collections import Counter

from conformance.container_reader import Broken, insist, parsed_json, xxh3
from conformance.layout_readers import read_layout
from conformance.properties_reader import in_graph_order
from conformance.set_reader import MASK, WEIGHTS, Set, fingerprint_of, identity_of


def numbers_of_types(manifest):
    """What types add to SET-5."""
    files, types = manifest["vertices"], manifest["edge_types"]
    places = {file["type"]: place for place, file in enumerate(files)}
    numbers = [xxh3(file["type"].encode()) for file in files] + [len(types)]
    for kind in types:
        numbers += [xxh3(kind["name"].encode()), places[kind["source"]], places[kind["target"]], WEIGHTS.index(kind["weights"]),
                    kind["edges"], int(kind["fingerprint"], 16)]
    return numbers + [block["edge_type"] for block in manifest["blocks"]]


def typed_identity_of(manifest):
    return identity_of(manifest, numbers_of_types(manifest))


def is_type_name(name):
    return isinstance(name, str) and 1 <= len(name.encode()) <= 255 and not any(ord(c) < 32 or ord(c) == 127 for c in name)


class TypedSet(Set):
    """`vertices` {type: {id: {property: value}}}; `typed_edges` {(source, name, target): [(source id, target id, weight,
    {property: value})]} in the order of the rows."""

    def check_manifest(self):
        manifest, graph = self.manifest, self.manifest["graph"]
        insist("SET-1", manifest["format"] == "quern-set")
        self.whole_rows, self.features = False, manifest["required_features"]
        insist("version", manifest["version"] == 2 and set(self.features) <= {"vertex-ranges", "types"})
        self.ranges, types, blocks = manifest["vertices"], manifest["edge_types"], manifest["blocks"]
        insist("SET-17", all(is_type_name(file["type"]) and file["range"][0] < file["range"][1] for file in self.ranges))
        self.of_type = {file["type"]: file["range"] for file in self.ranges}
        insist("SET-17", len(self.of_type) == len(self.ranges))
        insist("SET-17", all(is_type_name(kind["name"]) and {kind["source"], kind["target"]} <= set(self.of_type) for kind in types))
        insist("SET-17", len({(kind["name"], kind["source"], kind["target"]) for kind in types}) == len(types))
        insist("SET-17", all(0 <= block["edge_type"] < len(types) for block in blocks))
        names = [file["name"] for file in [*self.ranges, *blocks]]
        insist("SET-3", len(set(names)) == len(names))
        ends = [0] + [file["range"][1] for file in self.ranges]
        insist("SET-4", [file["range"][0] for file in self.ranges] == ends[:-1] and ends[-1] == graph["vertices"])
        insist("SET-4", [block["edge_type"] for block in blocks] == sorted(block["edge_type"] for block in blocks))
        for place, kind in enumerate(types):
            own = [block for block in blocks if block["edge_type"] == place]
            begin, end = self.of_type[kind["source"]]
            ends = [begin] + [block["rows"][1] for block in own]
            insist("SET-4", own and [block["rows"][0] for block in own] == ends[:-1] and ends[-1] == end)
            insist("SET-4", sum(block["edges"] for block in own) == kind["edges"])
        insist("SET-4", all(block["columns"] == [0, graph["vertices"]] for block in blocks))
        insist("SET-4", sum(kind["edges"] for kind in types) == graph["edges"])
        insist("SET-17", sum(int(kind["fingerprint"], 16) for kind in types) & MASK == int(graph["fingerprint"], 16))
        insist("SET-17", graph["directedness"] == "directed" and manifest["rows"] == "out" and not graph["in_edges"])
        kinds = {kind["weights"] for kind in types}
        insist("SET-17", graph["weights"] == (kinds.pop() if len(kinds) == 1 else "none"))
        insist("SET-5", typed_identity_of(manifest) == manifest["identity"])
        self.parts = [(block, *block["rows"]) for block in blocks]
        self.typed_edges, self.schemas = {}, {}

    def read_vertices(self):
        self.vertices, self.degrees, self.names = {}, [], []
        for file in self.ranges:
            vertices, container = self.read_range(file)
            insist("SET-7", not vertices.properties.edges)
            self.degrees += vertices.numbers("out_degrees", container.sections["out_degrees"].element_bytes, vertices.num_vertices)
            rows = zip(*vertices.properties.vertices.values()) if vertices.properties.vertices else [()] * vertices.num_vertices
            columns = list(vertices.properties.vertices)
            self.vertices[file["type"]] = {name: dict(zip(columns, row)) for name, row in zip(vertices.ids, rows)}
            self.names += vertices.ids

    def read_part(self, index, about, begin, end):
        kind = self.manifest["edge_types"][about["edge_type"]]
        container = self.open(about)
        part = read_layout(container)
        insist("SET-9", part.num_vertices == self.graph["vertices"] and part.num_edges == about["edges"]
               and WEIGHTS[container.weight_type] == kind["weights"] and not part.has("original_ids"))
        insist("SET-9", (container.num_rows, container.first_row) == (end - begin, begin) and container.rectangular)
        insist("SET-10", parsed_json(bytes(container.bytes_of("metadata")))["set"] == {
            "identity": self.manifest["identity"], "part": index, "parts": len(self.parts), "rows": "out", "begin": begin, "end": end})
        own = part.properties
        schema = own.types, own.weight if own.edges else None
        insist("SET-15", not own.vertices and self.schemas.setdefault(about["edge_type"], schema) == schema)
        low, high = self.of_type[kind["target"]]
        insist("SET-18", all(low <= v < high for _, v, _ in part.edges))
        edges = list(in_graph_order(part.edges))
        rows = zip(*own.edges.values()) if own.edges else [()] * len(edges)
        self.typed_edges.setdefault((kind["source"], kind["name"], kind["target"]), []).extend(
            (self.names[u], self.names[v], w, dict(zip(own.edges, row))) for (u, v, w), row in zip(edges, rows))
        kind.setdefault("sum", []).extend(part.edges)
        return part.edges

    def check_whole(self):
        for kind in self.manifest["edge_types"]:
            insist("SET-12", "%016x" % fingerprint_of(kind.pop("sum"), kind["weights"]) == kind["fingerprint"])
        counted = Counter(u for u, _, _ in self.edges)
        insist("SET-14", self.degrees == [counted[v] for v in range(self.graph["vertices"])])


__all__ = ["Broken", "TypedSet", "typed_identity_of"]
