"""Sets with generations, read as specs/set.md says ("Changes") and checked against its rules."""

from pathlib import Path

from conformance.container_reader import Broken, insist, parsed_json, read
from conformance.layout_readers import read_layout
from conformance.set_reader import MASK, WEIGHTS, Set, fingerprint_of, identity_of


def numbers_of_generations(manifest):
    """What generations add to SET-5."""
    base = manifest["base"]
    numbers = [int(base["identity"], 16), base["vertices"], base["edges"], len(manifest["generations"])]
    for generation, block in zip(manifest["generations"], manifest["blocks"]):
        numbers += [generation["vertices"], generation["edges"], int(generation["fingerprint"], 16), int(block["identity"], 16)]
    return numbers


def changed_identity_of(manifest):
    return identity_of(manifest, numbers_of_generations(manifest))


def count(number):
    return isinstance(number, int) and not isinstance(number, bool) and number >= 0


class ChangedSet(Set):
    """`ids` of all vertices, as they came; `graphs` [[(source, destination, weight)]] after the base and each generation, by source
    and destination, parallel edges in their order."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.manifest = manifest = parsed_json((self.folder / "set.json").read_bytes())
        self.graph, self.whole_rows = manifest["graph"], False
        self.check_manifest()
        self.read_base()
        self.graphs = [self.base.edges]
        for place, generation in enumerate(manifest["generations"]):
            self.read_generation(place, generation)
        insist("SET-16", len(set(self.ids)) == len(self.ids))
        if self.base.undirected:
            insist("SET-13", sorted(self.graphs[-1]) == sorted((v, u, w) for u, v, w in self.graphs[-1]))

    def check_manifest(self):
        manifest, graph = self.manifest, self.graph
        insist("SET-40", manifest["required_features"] == ["generations"])
        base, generations, blocks = (manifest.get(key) for key in ("base", "generations", "blocks"))
        insist("SET-40", isinstance(generations, list) and 1 <= len(generations) <= 65536 and isinstance(base, dict))
        insist("SET-40", isinstance(base["name"], str) and "/" not in base["name"] and base["name"] not in ("", ".", ".."))
        insist("SET-40", count(base["vertices"]) and count(base["edges"]) and len(base["identity"]) == 16)
        insist("SET-40", all(count(generation.get(key)) for generation in generations
                             for key in ("vertices", "edges", "added", "removed", "missing")))
        insist("SET-40", len(blocks) == len(generations) == len(manifest["vertices"]))
        insist("SET-40", [block.get("generation") for block in blocks] == list(range(1, len(blocks) + 1)))
        names = [file["name"] for file in [*manifest["vertices"], *blocks]]
        insist("SET-3", len(set(names)) == len(names))
        vertices, edges = base["vertices"], base["edges"]
        for generation, file, block in zip(generations, manifest["vertices"], blocks):
            insist("SET-41", file["range"] == [vertices, generation["vertices"]] and vertices <= generation["vertices"] < 2**32)
            insist("SET-41", block["rows"] == block["columns"] == [0, generation["vertices"]])
            insist("SET-41", generation["edges"] == edges - generation["removed"] + generation["added"]
                   and generation["removed"] <= edges and generation["added"] <= block["edges"])
            vertices, edges = generation["vertices"], generation["edges"]
        insist("SET-41", (graph["vertices"], graph["edges"], graph["fingerprint"]) == (vertices, edges, generations[-1]["fingerprint"]))
        insist("SET-41", manifest["rows"] == "out" and manifest["layout"] == "graph" and "identity" not in graph)
        insist("SET-5", changed_identity_of(manifest) == manifest["identity"])

    def read_base(self):
        about = self.manifest["base"]
        places = [path for path in (self.folder / about["name"], self.folder / ".." / about["name"]) if path.exists()]
        insist("SET-42", places)
        container = read(places[0])
        insist("SET-42", "%016x" % container.checksum == about["identity"])
        self.base = base = read_layout(container)
        insist("SET-42", (base.num_vertices, base.num_edges) == (about["vertices"], about["edges"]))
        insist("SET-42", WEIGHTS[container.weight_type] == self.graph["weights"]
               and base.undirected == (self.graph["directedness"] == "undirected")
               and (base.undirected or base.has_transpose == self.graph["in_edges"]))
        self.ids = list(base.ids) if base.has("original_ids") or base.has("id_offsets") else list(range(base.num_vertices))

    def edge_columns(self, properties):
        return [(name, kind) for (of, name), kind in properties.types.items() if of == "edges"]

    def read_generation(self, place, generation):
        file = self.manifest["vertices"][place]
        vertices, _ = self.read_range(file) if file["range"][1] > file["range"][0] else (read_layout(self.open(file)), None)
        insist("SET-46", vertices.properties.types == self.base.properties.types)
        self.ids += (vertices.ids if vertices.has("original_ids") or vertices.has("id_offsets") else range(*file["range"]))
        rows, replaced, edges = self.read_block(place, generation, file["range"][0])
        kept = [edge for edge in self.graphs[-1] if edge[0] not in replaced]
        lost = len(self.graphs[-1]) - len(kept)
        self.graphs.append(sorted(kept + edges, key=lambda edge: edge[:2]))
        insist("SET-45", len(self.graphs[-1]) == generation["edges"] and generation["removed"] <= lost)
        insist("SET-45", "%016x" % ((fingerprint_of(self.graphs[-1], self.graph["weights"]) - fingerprint_of(self.base.edges, self.graph["weights"])) & MASK) == generation["fingerprint"])

    def read_block(self, place, generation, before):
        about = self.manifest["blocks"][place]
        container = self.open(about)
        block = read_layout(container)
        insist("SET-43", block.name == "graph" and not block.undirected and container.rectangular and container.first_row == 0
               and block.num_vertices == generation["vertices"] and block.num_edges == about["edges"]
               and WEIGHTS[container.weight_type] == self.graph["weights"] and not block.has("original_ids") and not block.has("id_offsets"))
        metadata = parsed_json(bytes(container.bytes_of("metadata"))) if block.has("metadata") else {}
        insist("SET-43", metadata.get("set") == {"base": self.manifest["base"]["identity"], "generation": place + 1})
        insist("SET-44", block.has("row_vertices") != block.has("row_bits") and block.has("replaced_rows"))
        if block.has("row_bits"):
            marks = int.from_bytes(bytes(container.bytes_of("row_bits")), "little")
            insist("SET-44", len(container.bytes_of("row_bits")) == (block.num_vertices + 7) // 8 and marks >> block.num_vertices == 0)
            rows = [v for v in range(block.num_vertices) if marks >> v & 1]
            insist("SET-44", len(rows) == container.num_rows)
        else:
            rows = block.numbers("row_vertices", 4, container.num_rows)
        bits = bytes(container.bytes_of("replaced_rows"))
        insist("SET-44", all(a < b for a, b in zip(rows, rows[1:])) and all(v < generation["vertices"] for v in rows))
        replaced = {v for row, v in enumerate(rows) if bits[row // 8] >> row % 8 & 1}
        insist("SET-44", int.from_bytes(bits, "little") >> len(rows) == 0)
        full = {row for row, _, _ in block.edges}
        insist("SET-44", all(v < before if v in replaced else row in full for row, v in enumerate(rows)))
        insist("SET-46", self.edge_columns(block.properties) == self.edge_columns(self.base.properties) and not block.properties.vertices)
        return rows, replaced, [(rows[row], column, weight) for row, column, weight in block.edges]


__all__ = ["Broken", "ChangedSet", "changed_identity_of"]
