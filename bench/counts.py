#!/usr/bin/env python3
"""What of the papers' claims can be counted without a GPU, exactly: the edges that rules for the direction of a search walk
(GraphCage), what misses the cache when PageRank is pulled in several ways (GraphCage, by a model of the cache), what is moved by
what is known of active vertices (Graphie), and what it takes to know it, and what values of two bytes lose (Garaph).

Build first: scons -j8 tools unit-tests. Edges are counted by bench_directions on the CPU, bytes and accesses by the emulator; so the
figures are the same on every machine. They go to counts.json in --folder, for `bench/report.py --machine counted`. Processor times of
the CPU's engine are in times.json beside it."""

import argparse
import array
import json
import os
import resource
import statistics
import subprocess
from pathlib import Path

import records

TITLES = {"bfs": "BFS", "sssp": "SSSP", "cc": "connected components", "bc": "betweenness"}
LABELS = ["--iterations=1000000"]  # the papers propagate them
CACHE = 50 << 20                   # of an H200
WARPS = 132 * 64                   # that it has at a time
SHARES = {"an eighth": 8, "a quarter": 4, "half": 2}
PARTITIONS = (32, 128, 512)


class Counts:
    def __init__(self, options):
        self.options, self.counted, self.timed = options, {}, {}

    def put(self, table, graph, row, column, value, unit, timed=False):
        print("%-26s %-34s %-40s %12.4g %s" % (table, row, column, value, unit), flush=True)
        (self.timed if timed else self.counted).setdefault(table, []).append(records.record(row, column, value, unit, graph))

    def run(self, *command, **environment):
        done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, check=True, text=True,
                              env=dict(os.environ, **environment))
        return json.loads(done.stdout) if done.stdout else None

    def graph(self, scale):
        path = self.options.folder / ("counts-%d.qrn" % scale)
        self.run(self.options.bin / "quern-generate", "rmat", "--scale=%d" % scale, "--undirected", "--weights=0.001,0.03", "-qfo", path)
        return path

    def partitioned(self, graph, count):
        path = self.options.folder / ("counts-%d-partitions.qrn" % count)
        self.run(self.options.bin / "quern-partition", graph, "--partitions=%d" % count, "-qfo", path)
        return path

    def search(self, algorithm, container, *words, **environment):
        return self.run(self.options.emulated / "quern-run", algorithm, container, "--device=cuda", "--trust", "--json", "-q",
                        *(LABELS if algorithm == "cc" else []), *words, **environment)


def title(scale, more=""):
    return "R-MAT, scale %d, 16 edges a vertex, undirected%s" % (scale, more)


def directions(counts, graph, scale):
    """Edges by each rule: with a cache that is to this graph as that of an H200 to one of scale 23, 25 and 27."""
    container = graph.with_name("counts-blocks.qrn")
    caches = [CACHE >> (large - scale) for large in (23, 25, 27)]
    counts.run(counts.options.emulated / "quern-block", graph, "-dpull", "--l2-bytes=%d" % caches[0], "-qfo", container)
    rows = counts.run(counts.options.programs / "bench_directions", container, "--json", "--trials=1",
                      *["--cache=%d" % cache for cache in caches])
    for each in rows:
        rule = direction_rule(each, {cache: "an H200's to scale %d" % large for cache, large in zip(caches, (23, 25, 27))})
        for what in ("pushed", "pulled"):
            counts.put("papers-cage-counts", title(scale), rule, "%s, %s" % (TITLES[each["algorithm"]], what),
                       100 * each[what + "_edges"] / max(1, each["edges"]), "%")
    container.unlink()


def cache(counts, graph, scale):
    """GraphCage's figures 9 and 10 and HPGraph's table 3, with caches and warps that are to this graph as an H200's to larger ones."""
    container = graph.with_name("counts-cache.qrn")
    counts.run(counts.options.bin / "quern-block", graph, "-dboth", "--out-edges", "--l2-bytes=%d" % (CACHE >> (25 - scale)), "-qfo", container)
    for large in (23, 25, 27):
        done = subprocess.run([str(counts.options.bin.parent / "bench/bin/bench_cache"), str(container), "%d" % (CACHE >> (large - scale)),
                               "%d" % max(16, WARPS >> (large - scale))], stdout=subprocess.PIPE, check=True, text=True)
        for way in map(json.loads, done.stdout.splitlines()):
            name = title(scale, ": cache as an H200's to scale %d" % large)
            counts.put("papers-cage-cache", name, way["way"], "misses of the L2 cache", 100 * way["misses"] / max(1, way["accesses"]), "%")
            counts.put("papers-cage-cache", name, way["way"], "accesses to memory, an edge",
                       (way["memory_reads"] + way["memory_writes"]) / max(1, way["edges"]), "")
            if large == 25:
                counts.put("papers-hpgraph-lanes", title(scale), way["way"], "lanes with an edge", 100 * way["edges"] / max(1, way["lanes"]), "%")
    container.unlink()


def direction_rule(row, caches):
    """A row of bench_directions in words."""
    if row["rule"] in ("push", "pull"):
        return "always " + row["rule"]
    shares = {"shares": "by the shares", "edges": "by the share of edges alone"}
    return shares[row["rule"]] if row["rule"] in shares else "by the working set, cache as " + caches[row["cache_bytes"]]


def partitions(counts, graph, scale):
    containers = {count: counts.partitioned(graph, count) for count in (1, *PARTITIONS)}
    for algorithm in counts.options.algorithms:
        moved(counts, algorithm, containers, scale)
        if algorithm != "bfs":  # which walks no partition where all is resident
            activation(counts, algorithm, containers[PARTITIONS[0]], scale)
    for container in containers.values():
        container.unlink()


def moved(counts, algorithm, containers, scale):
    """Bytes by what is known of active vertices: nothing, their partitions (of the second renaming), stretches of these."""
    resident = counts.search(algorithm, containers[1])["accelerator"]["memory_bytes"]
    plan = counts.search(algorithm, containers[1], "--iterations=1", "--device-memory=%d" % (0.95 * resident))["streaming"]
    ways = [("everything", 1, "all")]
    ways += [("%d partitions" % count, count, "partitions") for count in PARTITIONS]
    ways += [("stretches, %s" % ("one partition" if count == 1 else "%d partitions" % count), count, "active")
             for count in (1, PARTITIONS[0])]
    for row, share in SHARES.items():
        topology = max(plan["topology_bytes"] // share, 4 * (plan["unit_bytes"] + 64))
        for column, count, move in ways:
            streaming = counts.search(algorithm, containers[count], "--device-memory=%d" % (1.05 * plan["attribute_bytes"] + topology),
                                      "--move=" + move)["streaming"]
            counts.put("papers-graphie-moved", title(scale, ": " + TITLES[algorithm]), row, column, 1e-6 * streaming["moved_bytes"], "MB")


def activation(counts, algorithm, container, scale):
    """A flag for each partition set whenever a vertex receives, and a bitmap of vertices looked through after each iteration."""
    file = counts.options.folder / "accesses.json"

    def accesses(kernel, *words):
        report = counts.search(algorithm, container, *words, QUERN_EMULATOR_COUNTS=str(file))
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        return report, [line for line in lines if kernel in line["kernel"]]
    resident, walks = accesses("collect_task")
    streamed, scans = accesses("sweep_find_units", "--device-memory=%d" % (0.6 * resident["accelerator"]["memory_bytes"]))
    bitmap = 4 * (resident["vertices"] // 32 + 1)
    offsets = 4 * (PARTITIONS[0] + 1)
    for column, value in (("flags set", sum(line["writes"] for line in walks)),
                          ("prefix sums read for names", sum(line["reads"] for line in walks if line["allocation_bytes"] == offsets)),
                          ("words of the bitmap read", sum(line["reads"] for line in scans if line["allocation_bytes"] == bitmap)),
                          ("flags of partitions to the host", PARTITIONS[0] * resident["iterations"]),
                          ("flags of stretches to the host", streamed["streaming"]["units"] * streamed["iterations"])):
        counts.put("papers-graphie-activation", title(scale), TITLES[algorithm], column, value, "")
    file.unlink()


def numbers(path):
    """Of an array that NumPy reads."""
    data = path.read_bytes()
    return array.array("f" if b"<f4" in data[:64] else "d", data[10 + int.from_bytes(data[8:10], "little"):])


def halves(counts, graph, name):
    """Garaph's values of two bytes: by how much results change."""
    header, values = counts.options.folder / "halves.h", counts.options.folder / "values.npy"
    for row, algorithm, *words in (("neural",) * 2, ("heat",) * 2, ("circuit",) * 2, ("pagerank",) * 2,
                                   ("pagerank, ranks in sum V", "pagerank", "-p", "total=vertices")):
        found = []
        for kept in (0, 1):
            header.write_text("#define PROGRAM_HALVES 1\n" * kept + '#include "kernels/programs/%s.h"\n' % algorithm)
            counts.run(counts.options.bin / "quern-run", "--program", header, graph, "--device=cpu", "-qfo", values, *words)
            found.append(numbers(values))
        changes = [abs(one - other) for one, other in zip(*found)]
        own = [change / abs(one) for change, one in zip(changes, found[0]) if one]
        counts.put("papers-garaph-halves", name, row, "largest change, of the largest result", 100 * max(changes) / max(map(abs, found[0])), "%")
        counts.put("papers-garaph-halves", name, row, "median change, of the result itself", 100 * statistics.median(own), "%")
    header.unlink()
    values.unlink()


def on_cpu(counts, graph, scale):
    """Processor times of whole runs, in turns."""
    containers = {count: counts.partitioned(graph, count) for count in (1, 32, 1024)}
    samples = {}
    for _ in range(counts.options.trials):
        for algorithm in ("bfs", "sssp", "cc"):
            for count, container in containers.items():
                before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
                counts.run(counts.options.bin / "quern-run", algorithm, container, "--device=cpu", "--trust", "--json", "-q",
                           *(LABELS if algorithm == "cc" else []))
                used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
                samples.setdefault((algorithm, count), []).append(used)
    for (algorithm, count), seconds in samples.items():
        counts.put("papers-graphie-cpu", title(scale), "one partition" if count == 1 else "%d partitions" % count, TITLES[algorithm],
                   1e3 * statistics.median(seconds), "ms", timed=True)
    for container in containers.values():
        container.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scales", type=lambda text: [int(word) for word in text.split(",")], default=[16, 18],
                        help="of graphs whose edges are counted (16,18)")
    parser.add_argument("--emulated-scale", type=int, default=16, help="of the graph that is emulated (16)")
    parser.add_argument("--algorithms", type=lambda text: text.split(",") if text else [], default=["bfs", "sssp", "cc"], help="that are emulated (bfs,sssp,cc)")
    parser.add_argument("--trials", type=int, default=5, help="of processor times, on the largest graph (5; 0: none)")
    parser.add_argument("--bin", type=Path, default=records.ROOT / "build/bin", help="the tools")
    parser.add_argument("--emulated", type=Path, default=records.ROOT / "build/emulator/bin", help="the emulated tools")
    parser.add_argument("--programs", type=Path, default=records.ROOT / "build/bench/bin", help="bench_directions")
    parser.add_argument("--folder", type=Path, default=records.ROOT / "build/bench")
    parser.add_argument("--graphs", type=Path, default=records.ROOT.parent / "shared/graphs", help="real graphs, as tests look for them")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    counts = Counts(options)
    for scale in options.scales:
        graph = counts.graph(scale)
        directions(counts, graph, scale)
        if scale == max(options.scales):
            cache(counts, graph, scale)
            halves(counts, graph, title(scale))
        if options.trials > 0 and scale == max(options.scales):
            on_cpu(counts, graph, scale)
        graph.unlink()
    web = options.graphs / "cnr-2000/cnr-2000.graph"
    if web.exists():
        counts.run(options.bin / "quern-import", web, "-qfo", options.folder / "web.qrn")
        halves(counts, options.folder / "web.qrn", "cnr-2000, web, without weights")
    if options.algorithms:
        graph = counts.graph(options.emulated_scale)
        partitions(counts, graph, options.emulated_scale)
        graph.unlink()
    for name, tables in (("counts", counts.counted), ("times", counts.timed)):
        (options.folder / (name + ".json")).write_text(json.dumps(records.stamp(tables), indent=1) + "\n")


if __name__ == "__main__":
    main()
