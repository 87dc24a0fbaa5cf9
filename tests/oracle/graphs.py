"""Random graphs with everything that is awkward: loops, parallel edges, hubs, isolated vertices, islands, ties."""

import random
from pathlib import Path

from harness.tools import run

# How each layout is made from a graph container.
LAYOUTS = {
    "blocked-csr": ["quern-block", "--block-vertices=64"],
    "edge-partitions": ["quern-partition", "--partitions=5"],
    "slotted-pages": ["quern-page", "--page-size=4K"],
    "shards": ["quern-shard"],
    "hybrid": ["quern-hybrid"],
    "packed": ["quern-pack"],
}


def in_every_layout(graph, directed, folder):
    """Containers of a RandomGraph in a folder, by layout."""
    text, made = Path(folder) / "in.txt", {"graph": Path(folder) / "graph.qrn"}
    graph.write(text)
    options = ["--ids", "strings"] if graph.ids[0].startswith("n") else []
    options += ["--transpose", "also"] if directed else ["--undirected"]
    run("quern-import", text, "-o", made["graph"], "-qf", "--weights", graph.weights, *options)
    for layout, command in LAYOUTS.items():
        made[layout] = Path(folder) / (layout + ".qrn")
        run(command[0], made["graph"], "-qfo", made[layout], *command[1:])
    return made


class RandomGraph:
    """V vertices named by `ids`, and edges [(source, destination, weight)] by position in `ids`."""

    def __init__(self, seed, num_vertices, num_edges, weights="none", ids="sparse"):
        self.random = random.Random(seed)
        self.weights = weights
        self.num_vertices = num_vertices
        self.ids = self.make_ids(ids)
        self.edges = [(*self.endpoints(), self.weight()) for _ in range(num_edges)]
        self.edges += self.random.choices(self.edges, k=num_edges // 10)  # parallel ones

    def make_ids(self, kind):
        if kind == "strings":
            names = {"n%x" % self.random.getrandbits(40) for _ in range(2 * self.num_vertices)}
            return sorted(names)[:self.num_vertices]
        if kind == "dense":
            return list(map(str, range(self.num_vertices)))
        numbers = self.random.sample(range(20 * self.num_vertices), self.num_vertices)
        return [str(number) for number in sorted(numbers)]

    def endpoints(self):
        """Skewed: a few vertices take most edges; the last tenth is an island with few."""
        mainland = max(1, self.num_vertices * 9 // 10)
        if self.random.random() < 0.02 and mainland < self.num_vertices:
            return self.random.randrange(mainland, self.num_vertices), self.random.randrange(mainland, self.num_vertices)
        skewed = int(mainland * self.random.random() ** 3)
        return (skewed, self.random.randrange(mainland)) if self.random.random() < 0.5 \
            else (self.random.randrange(mainland), skewed)

    def weight(self):
        if self.weights == "u32":
            return self.random.choice((0, 1, 1, 2, 7, self.random.randrange(1000)))
        if self.weights == "f32":
            return self.random.randrange(1, 4096) / 256  # exact in binary32, so are short sums
        if self.weights == "i64":
            return self.random.choice((0, 1, 2 ** 32, self.random.randrange(2 ** 40)))
        if self.weights == "f64":
            return self.random.choice((0.1, 1 + 2 ** -40, self.random.random()))
        return 1

    def write(self, path):
        """As a text edge list. Vertices without edges can only be written as a loop, so each gets one."""
        touched = {vertex for source, destination, _ in self.edges for vertex in (source, destination)}
        self.edges += [(vertex, vertex, 1) for vertex in range(self.num_vertices) if vertex not in touched]
        with open(path, "w") as out:
            for source, destination, weight in self.edges:
                fields = [self.ids[source], self.ids[destination]]
                out.write(" ".join(fields if self.weights == "none" else fields + [repr(weight)]) + "\n")
