#!/usr/bin/env python3
"""The shape of the main tables and figures of the five papers that Quern's layouts come from, in one call of under eight minutes.

    bench/papers.py                  GraphCage, Graphie, GTS, Garaph and HPGraph, on R-MAT graphs
    bench/papers.py --only gts       one paper, or several with commas between
    bench/papers.py --emulator       the same script against the emulator, tiny: to try the script itself

Build first: scons -j8 tools bench-programs. The figures go to papers.json in --output (a folder), written anew after every row, which
`bench/report.py --machine NAME` merges into bench/results and docs/papers.md. Without a GPU the rows of the CPU are measured; what was not
run is listed, and so is what there was no time left for. All is run again while there is time, up to --passes, and medians count. Every
run's result is compared with that of the CPU on plain CSR: the exit code is 1 if any was wrong, or anything failed."""

import argparse
import json
import math
import shutil
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(Path(__file__).resolve().parent))

import gpu
import gpu_streaming
import records
import storage

BUILDERS = {"blocked-csr": "quern-block", "edge-partitions": "quern-partition", "slotted-pages": "quern-page", "shards": "quern-shard",
            "hybrid": "quern-hybrid"}
# Ten iterations, as the papers have it, of what would otherwise end when it has converged.
OPTIONS = {"pagerank": ["--iterations=10", "--tolerance=0"], "spmv": ["--iterations=3"], "neural": ["--iterations=10"],
           "heat": ["--iterations=10"], "circuit": ["--iterations=10"]}
TITLES = {"pagerank": "PageRank, an iteration", "spmv": "SpMV", "bfs": "BFS", "sssp": "SSSP", "cc": "connected components",
          "bc": "betweenness, one source", "tc": "triangles", "neural": "neural network, an iteration", "heat": "heat, an iteration",
          "circuit": "circuit, an iteration"}
STEPS = {"first_renaming": "first renaming", "choosing_a_size": "choosing a size", "second_renaming": "second renaming",
         "renaming_edges": "edges by their new names"}
STREAMS = (1, 2, 4, 8, 16, 32)


class NoDevice(Exception):
    pass


class Missing(Exception):
    """Data that a row needs."""


class Papers(gpu.Bench):
    def __init__(self, options):
        super().__init__(options)
        self.samples, self.wanted, self.results_of_cpu = {}, {}, {}
        self.every_edge, self.cpu_seconds = {}, {}  # of the real graph that is measured
        self.has_device = True
        self.passes = 0

    def save(self):
        report = {"seconds": self.options.seconds - self.left(), "passes": self.passes, "checks": self.results["checks"],
                  "skipped": self.results["skipped"], "failed": self.results["failed"],
                  **records.stamp({} if self.options.emulator else tables(self)),
                  **({"tried": tables(self)} if self.options.emulator else {})}
        records.write(self.options.report, report)

    def put(self, table, graph, row, column, value, unit):
        self.samples.setdefault((table, graph, row, column, unit), []).append(value)
        print("%-22s %-34s %-34s %12.4g %s" % (table, row, column, value, unit), flush=True)

    def input(self, scale, degree=None, weights=True, directed=False):
        """A graph container; with weights that keep products from overflowing."""
        degree = degree or self.options.degree
        path = self.work / ("rmat%d-%d%s%s.qrn" % (scale, degree, "w" if weights else "", "d" if directed else ""))
        if not path.exists():
            self.run([self.bin / "quern-generate", "rmat", "--scale=%d" % scale, "--degree=%d" % degree,
                      *([] if directed else ["--undirected"]),
                      *(["--weights=0.001,0.03"] if weights else []), "-qo", path])
        return path

    def build(self, layout, graph, *extra, anew=False):
        """The container, and the builder's report if it was made now."""
        path = graph.with_name("%s.%s%s.qrn" % (graph.stem, layout, "".join(extra).replace("/", "")))
        if anew:
            path.unlink(missing_ok=True)
        if path.exists():
            return path, None
        command = self.options.emulated if self.options.emulator and layout == "blocked-csr" else self.bin
        report = json.loads(self.run([command / BUILDERS[layout], graph, *extra, "--json", "-qo", path]))
        return path, report

    def vector(self, graph):
        """That spmv multiplies a graph with."""
        path = graph.with_name(graph.stem + "-vector.npy")
        if not path.exists():
            gpu.write_vector(path, json.loads(self.run([self.bin / "quern-info", graph, "--json"]))["vertices"])
        return path

    def ways(self, program, *files):
        """What a program of single kernels (bench/programs/*.cu) measured, each way's result checked by it."""
        if not self.has_device:
            raise NoDevice()
        path = (self.options.emulated if self.options.emulator else self.options.programs) / program
        if not path.exists():
            raise RuntimeError("%s is not built" % path)
        ways = json.loads(self.run([path, *files, "1" if self.options.emulator else "5"]))["ways"]
        for way in ways:
            self.note("%s on %s, %s" % (program, files[0].name, way["way"]), "" if way["worst"] < 1e-3 else "it differs by %g" % way["worst"])
        return ways

    def go(self, algorithm, container, graph, device="cuda", extra=()):
        """The report of a run whose result is the CPU's."""
        if device != "cpu" and not self.has_device:
            raise NoDevice()
        words = ["--trust", "--json", "-q", *OPTIONS.get(algorithm, [])]
        words += ["--vector=%s" % self.vector(graph)] if algorithm == "spmv" else []
        # The papers propagate labels; directed graphs are joined along their edges.
        words += ["--iterations=1000000"] if algorithm == "cc" and not graph.stem.endswith("d") else []
        device_words = [] if any(str(word).startswith("--devices") for word in extra) else ["--device=" + device]
        report = json.loads(self.run([self.runner(), algorithm, container, *device_words, *words, *extra]))
        expected = self.results_of_cpu.get((algorithm, graph))
        if expected is None:
            expected = json.loads(self.run([self.bin / "quern-run", algorithm, graph, "--device=cpu", *words]))["result"]
            self.results_of_cpu[algorithm, graph] = expected
        what = "%s on %s, %s %s" % (algorithm, container.name, device, " ".join(map(str, extra)))
        self.note(what, unlike(expected, report["result"]))
        return report

    def each(self, what, action):
        """Do it if there is time and a device; a failure is a result, too."""
        try:
            action()
        except records.OutOfTime:
            if not self.passes:
                self.results["skipped"].append(what + ": no time was left")
        except NoDevice:
            self.results["skipped"].append(what + ": there is no GPU")
        except Missing as error:
            self.results["skipped"].append("%s: %s" % (what, error))
        except Exception as error:  # the other rows are not to suffer
            self.note(what, "%s: %s" % (type(error).__name__, error))
        self.save()


def unlike(expected, found):
    """How two summaries of results differ, or ""; sums of real numbers may by a hundred-thousandth. Which of two values that are
    about the same comes first may differ, too."""
    for key, value in expected.items():
        other = found.get(key)
        if key == "top":
            value, other = [[float(each["value"]) for each in top] for top in (value, other or [])]
        if isinstance(value, list):
            same = len(value) == len(other or []) and all(math.isclose(x, y, rel_tol=1e-5) for x, y in zip(value, other))
        elif isinstance(value, (int, float)) and isinstance(other, (int, float)):
            same = math.isclose(value, other, rel_tol=0 if isinstance(value, int) else 1e-5)
        else:
            same = value == other
        if not same:
            return "%s is %s, the CPU's is %s" % (key, other, value)
    return ""


def seconds_of(algorithm, report):
    """Of an iteration or of the run, by the device's clock where one device ran it resident."""
    streamed = "streaming" in report or "joint" in report or "devices" in report
    seconds = report["seconds"]["kernel"] if streamed or "accelerator" not in report else report["accelerator"]["kernel_seconds"]
    return seconds / (max(1, report["iterations"]) if algorithm in OPTIONS else 1)


def title(scale, degree=16, more=""):
    return "R-MAT, scale %d, %d edges a vertex, undirected%s" % (scale, degree, more)


def budget_for(bench, algorithm, container, graph):
    """--device-memory with which a run streams, a quarter of the topology or what the vertices need and a little; and what a
    resident run takes."""
    resident = bench.go(algorithm, container, graph)
    return gpu_streaming.budget_of(bench, algorithm, container, resident), resident["accelerator"]["memory_bytes"]


# ---- GraphCage -------------------------------------------------------------------


def graphcage(bench):
    scale = bench.options.large
    graph = bench.input(scale, weights=False)
    name = title(scale, bench.options.degree)
    blocks = {"plain CSR": None, "pull blocks": ["-dpull"], "push blocks": ["-dpush"]}

    def speed(algorithm, column):
        container = graph if blocks[column] is None else bench.build("blocked-csr", graph, *blocks[column])[0]
        bench.put("papers-cage-speed", name, TITLES[algorithm], column, 1e3 * seconds_of(algorithm, bench.go(algorithm, container, graph)),
                  "ms")
    for algorithm in ("pagerank", "spmv", "bc"):
        for column in blocks:
            if algorithm != "bc" or column != "push blocks":  # of the two the paper has BC pull alone
                bench.each("GraphCage, %s, %s" % (algorithm, column), lambda a=algorithm, c=column: speed(a, c))

    small = bench.input(bench.options.scale)

    def betweenness(column):
        container = small if blocks[column] is None else bench.build("blocked-csr", small, *blocks[column])[0]
        bench.put("papers-cage-speed", title(bench.options.scale, bench.options.degree), TITLES["bc"], column,
                  1e3 * seconds_of("bc", bench.go("bc", container, small)), "ms")
    for column in ("plain CSR", "pull blocks"):
        bench.each("GraphCage, bc, %s, smaller" % column, lambda c=column: betweenness(c))
    for algorithm in ("bfs", "sssp", "cc", "bc"):
        for direction in ("auto", "push", "pull"):
            bench.each("GraphCage, %s, %s" % (algorithm, direction), lambda a=algorithm, d=direction: directions(bench, a, d, small))
    bench.each("GraphCage, rules for the direction", lambda: direction_rules(bench, small))
    if not bench.passes:
        block_sizes(bench, graph, name, scale)
    for file in graph.parent.glob(graph.stem + ".blocked-csr*"):
        file.unlink()


def cage_bars(bench, what, graph):
    """Figures 6 and 7: what the paper compares with, its blocks as published, and Quern's engines, which gather and apply."""
    scale = bench.options.large if what == "PageRank" else bench.options.scale
    name, column = title(scale, bench.options.degree), "sums of " + what
    blocks = bench.build("blocked-csr", graph, "-dpull")[0]
    for way in bench.ways("cage-bars", graph, blocks):
        bench.put("papers-cage-bars", name, way["way"], column, 1e3 * way["seconds"], "ms")
    algorithm = what.lower()
    for row, container in (("Quern, plain CSR, an iteration", graph), ("Quern, blocks, an iteration", blocks)) * bench.options.passes:
        bench.put("papers-cage-bars", name, row, column, 1e3 * seconds_of(algorithm, bench.go(algorithm, container, graph)), "ms")


def directions(bench, algorithm, direction, graph):
    """Section 3.3: which way searches go, always one or by how many edges begin at active vertices."""
    container, _ = bench.build("blocked-csr", graph, "-dpull")
    report = bench.go(algorithm, container, graph, extra=["--direction=" + direction])
    bench.put("papers-cage-directions", title(bench.options.scale, bench.options.degree), TITLES[algorithm], direction,
              1e3 * seconds_of(algorithm, report), "ms")


def direction_rules(bench, graph):
    """The same section: the switch by the share of active vertices and by the working set; what each walks, and the time."""
    container, _ = bench.build("blocked-csr", graph, "-dpull", "--out-edges")
    program = (bench.options.emulated if bench.options.emulator else bench.options.programs) / "bench_directions"
    if not program.exists():
        raise RuntimeError("%s is not built" % program)
    for each in json.loads(bench.run([program, container, "--json", "--trials=%d" % (1 if bench.options.emulator else 3)])):
        name, column = title(bench.options.scale, bench.options.degree), TITLES[each["algorithm"]].split(",")[0]
        row = {"shares": "by the shares", "edges": "by the share of edges alone", "push": "always push", "pull": "always pull",
               "working set": "by a working set of %.3g MiB" % (each["cache_bytes"] / 2**20)}[each["rule"]]
        for what in ("pushed", "pulled"):
            bench.put("papers-cage-rules", name, row, "%s, %s" % (column, what), 100 * each[what + "_edges"] / max(1, each["edges"]), "%")
        if each["seconds"]:
            bench.put("papers-cage-rules", name, row, column, 1e3 * each["seconds"], "ms")


def block_sizes(bench, graph, name, scale):
    """Figure 11."""
    def sweep(vertices):
        container, built = bench.build("blocked-csr", graph, "--block-vertices=%d" % vertices)
        row = "%d Ki vertices" % (vertices >> 10) if vertices >= 1024 else "%d vertices" % vertices
        try:
            bench.put("papers-cage-blocks", name, row, "PageRank, an iteration",
                      1e3 * seconds_of("pagerank", bench.go("pagerank", container, graph)), "ms")
            bench.put("papers-cage-blocks", name, row, "blocks", built["layout_figures"]["blocks"], "")
        finally:
            container.unlink()
    # The paper's 64 Ki to 1 Mi vertices for 2.75 MB of cache, and as many for that of today's devices.
    for shift in (16, 18, 19, 20, 21, 22, 23, 24):
        bench.each("GraphCage, blocks of 2^%d vertices" % shift,
                   lambda s=shift: sweep(1 << max(2, s - 25 + scale)))


# ---- Graphie ---------------------------------------------------------------------

TRAVERSALS = ("bfs", "sssp", "cc")


def graphie(bench):
    scale = bench.options.scale
    graph = bench.input(scale)
    name = title(scale, bench.options.degree)
    container, _ = bench.build("edge-partitions", graph)
    for algorithm in TRAVERSALS:
        bench.each("Graphie, %s" % algorithm, lambda a=algorithm: graphie_runs(bench, a, container, graph, name))

    def sizes(count):
        parts, built = bench.build("edge-partitions", graph, "--partitions=%d" % count)
        if built:
            row = "%d partitions" % count if count > 1 else "one partition"
            if count > 1:
                bench.put("papers-graphie-partitions", name, row, "virtual vertices / vertices",
                          built["layout_figures"]["virtual_vertices"] / built["vertices"], "")
            for algorithm in TRAVERSALS:
                bench.put("papers-graphie-partitions", name, row, TITLES[algorithm],
                          1e3 * seconds_of(algorithm, bench.go(algorithm, parts, graph)), "ms")
                if count in (1, 32, 1024):
                    renamed_streams(bench, algorithm, parts, graph, name, row)
        parts.unlink()
    if not bench.passes:
        for count in (8, 1024) if bench.options.emulator else (1, 8, 32, 128, 1024):
            bench.each("Graphie, %d partitions" % count, lambda c=count: sizes(c))


def renamed_streams(bench, algorithm, container, graph, name, row):
    """What the second renaming is worth where partitions move as a whole, as in the paper, and where stretches do."""
    memory, _ = budget_for(bench, algorithm, container, graph)
    for what, move in (("whole", "partitions"), ("stretches", "active")):
        report = bench.go(algorithm, container, graph, extra=["--device-memory=%d" % memory, "--move=" + move])
        if "streaming" in report:
            bench.put("papers-graphie-renamed", name, row, "%s, %s" % (TITLES[algorithm], what), 1e3 * seconds_of(algorithm, report), "ms")
            bench.put("papers-graphie-renamed", name, row, "%s, %s, moved" % (TITLES[algorithm], what),
                      1e-9 * report["streaming"]["moved_bytes"], "GB")


def graphie_runs(bench, algorithm, container, graph, name):
    """Table III's runs, optimisation 2 (what is on the device is not moved again), Figure 9."""
    row = TITLES[algorithm]
    bench.put("papers-graphie-runs", name, row, "resident", 1e3 * seconds_of(algorithm, bench.go(algorithm, container, graph)), "ms")
    memory = "--device-memory=%d" % budget_for(bench, algorithm, container, graph)[0]
    if algorithm != "bfs":
        graphie_in_place(bench, algorithm, container, graph, name, memory)
    for column, extra in (("streamed", []), ("whole partitions", ["--move=partitions"]), ("everything", ["--move=all"]),
                          ("nothing kept", ["--cache-memory=0"]), ("everything, nothing kept", ["--move=all", "--cache-memory=0"])):
        report = bench.go(algorithm, container, graph, extra=[memory, *extra])
        if "streaming" not in report:
            return
        bench.put("papers-graphie-runs", name, row, column, 1e3 * seconds_of(algorithm, report), "ms")
        bench.put("papers-graphie-runs", name, row, column + ", moved", 1e-9 * report.get("streaming", {}).get("moved_bytes", 0), "GB")
        if not extra:
            bench.put("papers-graphie-runs", name, row, "active units found in", 1e3 * report["streaming"]["find_seconds"], "ms")
        if not extra and not bench.passes:  # Figure 8, a row an iteration
            for step in report["streaming"]["iterations"]:
                for key, what in (("active_units", "active"), ("moved_units", "moved")):
                    bench.put("papers-graphie-transfers", name, "iteration %d" % step["iteration"],
                              "%s, %s" % (row, what), step[key], "units")
    for streams in STREAMS:
        report = bench.go(algorithm, container, graph, extra=[memory, "--streams=%d" % streams])
        bench.put("papers-graphie-streams", name, "%d" % streams, row, 1e3 * seconds_of(algorithm, report), "ms")
        bench.put("papers-graphie-streams", name, "%d" % streams, row + ", taken", report["streaming"]["streams"], "streams")


def graphie_shared(bench, container, name):
    """Figure 7's OPT1 without what it moves: one step, values of sources and flags of partitions in shared memory or not."""
    for way in bench.ways("graphie-sources", container):
        bench.put("papers-graphie-shared", name, way["way"], "all vertices active", 1e3 * way["seconds"], "ms")
        bench.put("papers-graphie-shared", name, way["way"], "one in 64", 1e3 * way["sparse_seconds"], "ms")


def graphie_in_place(bench, algorithm, container, graph, name, memory):
    """New values seen within an iteration (section III-A), on partitions and, as GTS might, on pages."""
    pages, _ = bench.build("slotted-pages", graph)
    for layout, file in (("partitions", container), ("pages", pages)):
        for where, limit in (("resident", []), ("streamed", [memory])):
            for mode in ("synchronous", "asynchronous"):
                report = bench.go(algorithm, file, graph, extra=[*limit, "--mode=" + mode])
                if limit and "streaming" not in report:
                    continue
                row = "%s on %s, %s" % (TITLES[algorithm], layout, where)
                bench.put("papers-graphie-in-place", name, row, mode, 1e3 * seconds_of(algorithm, report), "ms")
                bench.put("papers-graphie-in-place", name, row, mode + ", iterations", report["iterations"], "iterations")
                if limit:
                    bench.put("papers-graphie-in-place", name, row, mode + ", moved", 1e-9 * report.get("streaming", {}).get("moved_bytes", 0), "GB")


# ---- GTS -------------------------------------------------------------------------


def gts(bench):
    scale = bench.options.scale
    graph = bench.input(scale)
    name = title(scale, bench.options.degree)
    container, _ = bench.build("slotted-pages", graph)
    for algorithm in ("pagerank", "bfs"):
        bench.each("GTS, strategies, %s" % algorithm, lambda a=algorithm: gts_strategies(bench, a, container, graph, name))
        bench.each("GTS, streams and cache, %s" % algorithm, lambda a=algorithm: gts_streams(bench, a, container, graph, name))
    # In the emulator's small graph tables outweigh what a search keeps of the vertices.
    for algorithm in ("pagerank",) if bench.options.emulator else ("bfs", "pagerank", "sssp"):
        bench.each("GTS, receivers, %s" % algorithm, lambda a=algorithm: gts_receivers(bench, a, container, graph, name))
    for algorithm in ("bfs", "pagerank", "sssp", "cc"):
        bench.each("GTS, cost model, %s" % algorithm, lambda a=algorithm: gts_model(bench, a, container, graph, name))
    bench.each("GTS, betweenness", lambda: gts_betweenness(bench, container, graph, name))
    if bench.passes:
        return
    bench.each("directed components", lambda: directed_components(bench))
    for degree in (4, 8, 16, 32):
        bench.each("GTS, density 1:%d" % degree, lambda d=degree: gts_density(bench, scale - 1, d))


def gts_strategies(bench, algorithm, container, graph, name):
    """Figure 9, on two devices, or on one that is named twice."""
    second = 1 if bench.options.devices > 1 else 0
    for column, extra in (("one device", []), ("P", ["--devices=0,%d" % second, "--strategy=performance"]),
                          ("S", ["--devices=0,%d" % second, "--strategy=scalability"])):
        report = bench.go(algorithm, container, graph, extra=extra)
        column = column if len(column) > 1 else "Strategy-%s, %s" % (column, "two devices" if second else "one device, twice")
        bench.put("papers-gts-strategies", name, TITLES[algorithm], column, 1e3 * seconds_of(algorithm, report), "ms")
        memory = budget_for(bench, algorithm, container, graph)[0]
        report = bench.go(algorithm, container, graph, extra=[*extra, "--device-memory=%d" % memory])
        if "streaming" in report:
            bench.put("papers-gts-strategies", name, TITLES[algorithm], column + ", streamed", 1e3 * seconds_of(algorithm, report), "ms")


def gts_streams(bench, algorithm, container, graph, name):
    """Figures 10 and 11."""
    memory, resident = budget_for(bench, algorithm, container, graph)
    for streams in STREAMS:
        report = bench.go(algorithm, container, graph, extra=["--device-memory=%d" % memory, "--streams=%d" % streams])
        if "streaming" not in report:
            return
        bench.put("papers-gts-streams", name, "%d" % streams, TITLES[algorithm], 1e3 * seconds_of(algorithm, report), "ms")
        bench.put("papers-gts-streams", name, "%d" % streams, TITLES[algorithm] + ", taken", report["streaming"]["streams"], "streams")
    topology = report["streaming"]["topology_bytes"]
    bench.put("papers-gts-sizes", name, TITLES[algorithm].split(",")[0], "on the device for each vertex",
              report["streaming"]["attribute_bytes"] / report["vertices"], "bytes")
    for percent in (0, 10, 25, 50, 75):  # of memory in which it would nearly fit
        extra = ["--device-memory=%d" % (0.95 * resident), "--cache-memory=%d" % (topology * percent // 100)]
        report = bench.go(algorithm, container, graph, extra=extra)
        if "streaming" in report:
            row, moved = "%d %% of the topology" % percent, report["streaming"]
            bench.put("papers-gts-cache", name, row, TITLES[algorithm], 1e3 * seconds_of(algorithm, report), "ms")
            bench.put("papers-gts-cache", name, row, TITLES[algorithm].split(",")[0] + ", pages found in it",
                      100 * moved["cache_hits"] / max(1, moved["active_units"]), "%")


def gts_receivers(bench, algorithm, container, graph, name):
    """Section 3.1: with all that vertices have on the device, and with what edges combine into alone; as much for buffers, no cache."""
    memory, _ = budget_for(bench, algorithm, container, graph)
    report = bench.go(algorithm, container, graph, extra=["--device-memory=%d" % memory])
    if "streaming" not in report:
        return
    whole, unit = report["streaming"]["attribute_bytes"], report["streaming"]["unit_bytes"]  # too much, if no unit fits beside it
    for column, budget in (("receivers", whole + 0.75 * unit), ("all", 1.5 * whole + unit)):
        report = bench.go(algorithm, container, graph, extra=["--device-memory=%d" % budget, "--cache-memory=0"])
        if report["streaming"]["values"] != column:
            raise RuntimeError("%s streams with %s on the device" % (algorithm, report["streaming"]["values"]))
        title = "receivers alone" if column == "receivers" else "all on the device"
        bench.put("papers-gts-receivers", name, TITLES[algorithm], title, 1e3 * seconds_of(algorithm, report), "ms")
        bench.put("papers-gts-receivers", name, TITLES[algorithm], title + ", for each vertex",
                  report["streaming"]["attribute_bytes"] / report["vertices"], "bytes")


def gts_model(bench, algorithm, container, graph, name):
    """Section 5's cost model."""
    memory, _ = budget_for(bench, algorithm, container, graph)
    report = bench.go(algorithm, container, graph, extra=["--device-memory=%d" % memory, "--explain"])
    model = report.get("streaming", {}).get("cost_model")
    if model:
        row = TITLES[algorithm].split(",")[0]
        bench.put("papers-gts-model", name, row, "model", 1e3 * model["model"], "ms")
        bench.put("papers-gts-model", name, row, "measured", 1e3 * model["measured"], "ms")
        bench.put("papers-gts-model", name, row, "model / measured", model["model"] / max(model["measured"], 1e-12), "")
        bench.put("papers-gts-model", name, row, "rate that the model is told", 1e-9 * model["bytes_per_second"], "GB/s")
        bench.put("papers-gts-model", name, row, "rate of the run",
                  1e-9 * report["streaming"]["moved_bytes"] / max(model["measured"], 1e-12), "GB/s")


def gts_kernels(bench, container, name):
    """Section 3.2: small pages before large ones, a kernel for each."""
    for way in bench.ways("page-kernels", container):
        column = "sums, %d small pages and %d large ones" % (way["small_pages"], way["large_pages"])
        bench.put("papers-gts-kernels", name, way["way"], column, 1e3 * way["seconds"], "ms")


def gts_betweenness(bench, container, graph, name):
    """Application D, and cross-edges (section 3.3), streamed."""
    for algorithm in ("bc", "cross-edges"):
        resident = bench.go(algorithm, container, graph)
        memory = int(resident["accelerator"]["memory_bytes"] * (0.9 if bench.options.emulator else 0.5))
        row = TITLES.get(algorithm, algorithm)
        bench.put("papers-gts-more", name, row, "resident", 1e3 * resident["seconds"]["kernel"], "ms")
        streamed = bench.go(algorithm, container, graph, extra=["--device-memory=%d" % memory])
        bench.put("papers-gts-more", name, row, "streamed", 1e3 * streamed["seconds"]["kernel"], "ms")


def directed_components(bench):
    """Each layout's, of a directed graph as it is (Graphie, GTS; Edges_type of HPGraph)."""
    scale = bench.options.scale
    graph = bench.input(scale, weights=False, directed=True)
    name = "R-MAT, scale %d, %d edges a vertex, directed" % (scale, bench.options.degree)
    for layout in [None, *BUILDERS]:
        container = bench.build(layout, graph)[0] if layout else graph
        for column, device in (("CPU", "cpu"), ("GPU", "cuda")):
            report = bench.go("cc", container, graph, device)
            bench.put("papers-directed", name, gpu.LAYOUT_TITLES[layout or "graph"], column, 1e3 * report["seconds"]["kernel"], "ms")
        if layout:
            container.unlink()
    graph.unlink()


def gts_density(bench, scale, degree):
    """Figure 14."""
    graph = bench.input(scale, degree, weights=False)
    container, _ = bench.build("slotted-pages", graph)
    for algorithm in ("bfs", "pagerank"):
        for manner in ("vertex", "edge", "hybrid"):
            report = bench.go(algorithm, container, graph, extra=["--parallelism=" + manner])
            bench.put("papers-gts-density", "R-MAT, scale %d, undirected" % scale, "1:%d" % degree,
                      "%s, %s" % (TITLES[algorithm].split(",")[0], manner), 1e3 * seconds_of(algorithm, report), "ms")
    graph.unlink()
    container.unlink()


# ---- Garaph ----------------------------------------------------------------------


def garaph(bench):
    scale = bench.options.scale
    graph = bench.input(scale)
    name = title(scale, bench.options.degree)
    container, _ = bench.build("shards", graph)
    for algorithm in ("pagerank", "neural", "sssp", "cc", "heat", "circuit"):
        for column, device, extra in (("CPU", "cpu", []), ("GPU", "cuda", []), ("both", "both", []),
                                      ("both, asynchronous", "both", ["--mode=asynchronous"])):
            if "asynchronous" in column and algorithm in ("neural", "heat", "circuit"):
                continue  # these have no fixed point that does not depend on the order
            bench.each("Garaph, %s on %s" % (algorithm, column),
                       lambda a=algorithm, c=column, d=device, e=extra: garaph_run(bench, a, c, d, e, container, graph, name))
    for algorithm in ("pagerank", "sssp", "cc"):
        bench.each("Garaph, %s, streamed" % algorithm, lambda a=algorithm: garaph_streamed(bench, a, container, graph, name))


def garaph_replicas(bench, graph, name):
    """Figures 8 and 9: PageRank's gather with R copies of each accumulator, fixed or by shard, and what Quern does instead."""
    vertices = 16 if bench.options.emulator else 1536
    container, _ = bench.build("shards", graph, "--shard-vertices=%d" % vertices)
    column = "gather, shards of %d vertices" % vertices
    for way in bench.ways("shared-replicas", container):
        bench.put("papers-garaph-replicas", name, way["way"], column, 1e3 * way["seconds"], "ms")
        if "loss" in way:
            bench.put("papers-garaph-replicas", name, way["way"], "largest loss of a sum", 100 * way["loss"], "%")
        if "slowest_page" in way:
            for key, what, unit in (("slowest_page", "slowest page", "ms"), ("fastest_page", "fastest page", "ms"),
                                    ("mean_gain", "gain over R = 1, mean", ""), ("most_gain", "gain over R = 1, most", "")):
                bench.put("papers-garaph-pages", name, way["way"], what, way[key] * (1e3 if unit else 1), unit)
    for _ in range(bench.options.passes):
        report = bench.go("pagerank", container, graph)
        bench.put("papers-garaph-replicas", name, "an iteration of Quern's PageRank on the same shards", column,
                  1e3 * seconds_of("pagerank", report), "ms")


def garaph_seen(bench, name):
    """Section 2.2 on a device alone: iterations and time where new ranks are seen within an iteration."""
    graph = bench.input(bench.options.scale)
    for way in bench.ways("seen-within", graph):
        bench.put("papers-garaph-seen", name, way["way"], "PageRank to 1e-6", 1e3 * way["seconds"], "ms")
        bench.put("papers-garaph-seen", name, way["way"], "iterations", way["iterations"], "iterations")


def garaph_modes(bench, algorithm, container, graph, name):
    """Figure 10: every iteration in one mode, and in the one that the switch takes. On the CPU."""
    trace = bench.work / "trace.json"
    for column, direction in (("notify", "push"), ("pull", "pull"), ("the switch", "auto")):
        bench.go(algorithm, container, graph, "cpu", ["--direction=" + direction, "--trace=%s" % trace, "-f"])
        for event in json.loads(trace.read_text())["traceEvents"]:
            if event["ph"] == "X" and event["name"].startswith("iteration"):
                row = "iteration %2d" % int(event["name"].split()[-1])
                bench.put("papers-garaph-modes", name, row, "%s, %s" % (TITLES[algorithm], column), 1e3 * event["args"]["seconds"], "ms")


def garaph_run(bench, algorithm, column, device, extra, container, graph, name):
    """Table 2 and, for who did what, Figure 11."""
    report = bench.go(algorithm, container, graph, device, extra)
    seconds = report["seconds"]["kernel"] / (report["iterations"] if algorithm in OPTIONS else 1)
    bench.put("papers-garaph-devices", name, TITLES[algorithm], column, 1e3 * seconds, "ms")
    if column == "both" and not bench.passes:
        for who in ("cpu", "device", "both"):
            bench.put("papers-garaph-shares", name, TITLES[algorithm].split(",")[0], "by " + who,
                      report["joint"][who + "_iterations"], "iterations")


def garaph_streamed(bench, algorithm, container, graph, name):
    """Both at once where the device holds a part of the graph, and what of the exchange (section 3.1) their work does not hide."""
    if not bench.has_device:
        raise NoDevice()
    memory, _ = budget_for(bench, algorithm, container, graph)
    for column, device in (("GPU", "cuda"), ("both", "both")):
        report = bench.go(algorithm, container, graph, device, ["--device-memory=%d" % memory])
        seconds = report["seconds"]["kernel"] / (report["iterations"] if algorithm in OPTIONS else 1)
        bench.put("papers-garaph-streamed", name, TITLES[algorithm], column, 1e3 * seconds, "ms")
    shared = [each for each in report["joint"]["iterations"] if each["choice"] == "both"]
    for column, key in (("a shared iteration", "seconds"), ("exchange after its work", "exchange_seconds")):
        if shared:
            bench.put("papers-garaph-streamed", name, TITLES[algorithm], column, 1e3 * statistics.mean(each[key] for each in shared), "ms")
    if shared:
        bench.put("papers-garaph-streamed", name, TITLES[algorithm], "exchanged in it",
                  1e-6 * statistics.mean(each["exchanged_bytes"] for each in shared), "MB")


# ---- HPGraph ---------------------------------------------------------------------


def hpgraph(bench):
    """Figure 6's ablation: CSR, COO alone, ELL and COO. Searches push where few vertices are active, on all of them."""
    variants = {"plain CSR": None, "COO alone": ["--width=0"], "ELL and COO": []}
    for scale, algorithms in ((bench.options.scale, ("bfs", "sssp", "pagerank")), (bench.options.scale - 1, ("tc",))):
        graph = bench.input(scale)

        def run(algorithm, variant):
            container = graph if variants[variant] is None else bench.build("hybrid", graph, *variants[variant])[0]
            report = bench.go(algorithm, container, graph)
            bench.put("papers-hpgraph-ablation", title(scale, bench.options.degree), variant, TITLES[algorithm],
                      1e3 * seconds_of(algorithm, report), "ms")
            if algorithm == "tc":
                bench.put("papers-hpgraph-ablation", title(scale, bench.options.degree), variant, "orienting and copying before it",
                          1e3 * report["seconds"]["prepare"], "ms")
        for variant in variants:
            for algorithm in algorithms:
                bench.each("HPGraph, %s on %s" % (algorithm, variant), lambda a=algorithm, v=variant: run(a, v))


def hybrid_bars(bench):
    """Figure 6's four bars, each optimisation added to those before."""
    graph = bench.input(bench.options.scale)
    for way in bench.ways("hybrid-bars", graph, bench.build("hybrid", graph)[0]):
        what, row = way["way"].split(": ")
        bench.put("papers-hpgraph-bars", title(bench.options.scale, bench.options.degree), row,
                  {"PageRank": "gather of PageRank", "BFS": "whole BFS"}[what], 1e3 * way["seconds"], "ms")


def warps(bench):
    """How many lanes of a warp have an edge to look at, where a thread takes a row: counted from the rows' lengths. On the CPU."""
    graph = bench.input(max(6, bench.options.scale - 5))
    name, degrees = title(max(6, bench.options.scale - 5), bench.options.degree), bench.work / "degrees.npy"
    bench.run([bench.bin / "quern-run", "indegree", graph, "--device=cpu", "-q", "-f", "-o", degrees])
    lengths = gpu.load(degrees)[1]
    width = bench.build("hybrid", graph, anew=True)[1]["layout_figures"]["in"]["width"]

    def busy(lengths):
        steps = sum(32 * max(lengths[i:i + 32]) for i in range(0, len(lengths), 32))
        return 100 * sum(lengths) / max(1, steps)
    for row, rows in (("plain CSR", lengths), ("ELL of width %d" % width, [min(length, width) for length in lengths])):
        bench.put("papers-hpgraph-warps", name, row, "lanes with an edge", busy(rows), "%")


def masks(bench):
    """What a mask of converged vertices could leave out of PageRank (section 3.1): vertices whose rank an iteration changes by
    less than a millionth of it, and the edges to them. On the CPU."""
    graph = bench.input(max(6, bench.options.scale - 5))
    name, ranks = title(max(6, bench.options.scale - 5), bench.options.degree), bench.work / "ranks.npy"
    degrees = bench.work / "degrees.npy"
    bench.run([bench.bin / "quern-run", "indegree", graph, "--device=cpu", "-q", "-f", "-o", degrees])
    edges = gpu.load(degrees)[1]

    def after(iterations):
        bench.run([bench.bin / "quern-run", "pagerank", graph, "--device=cpu", "-q", "--tolerance=0",
                   "--iterations=%d" % iterations, "-f", "-o", ranks])
        return gpu.load(ranks)[1]
    for iteration in (2, 5, 10, 15, 20):
        settled = [math.isclose(x, y, rel_tol=1e-6) for x, y in zip(after(iteration), after(iteration + 1))]
        row = "iteration %d" % (iteration + 1)
        bench.put("papers-hpgraph-masks", name, row, "vertices that have converged", 100 * sum(settled) / max(1, len(settled)), "%")
        bench.put("papers-hpgraph-masks", name, row, "edges to them",
                  100 * sum(degree for degree, is_settled in zip(edges, settled) if is_settled) / max(1, sum(edges)), "%")


# ---- Real graphs, and graphs that stand for others ----

# The smaller kinds of the papers' graphs, below --graphs: the file, and options of its import. Loops and duplicates are removed.
REAL = {"cnr-2000, web": ("cnr-2000/cnr-2000.graph", []),
        "web-Stanford, web": ("web-Stanford/derived/*.txt.gz", []),
        "soc-Slashdot0902, social": ("soc-Slashdot0902/soc-Slashdot0902.txt.gz", []),
        "USA-road-NY, roads": ("USA-road-NY/USA-road-d.NY.gr.gz", ["--weights=none"])}
# The papers' own are too large to come along: as many vertices and edges, and as large a degree, as their public pages say.
TWINS = {"LiveJournal's twin": ["--vertices=4847571", "--edges=68993773", "--max-degree=20333"],
         "Orkut's twin": ["--vertices=3072441", "--edges=117185083", "--max-degree=16656"],
         "uk-2002's twin": ["--vertices=18520486", "--edges=298113762", "--max-degree=97222", "--exponent=2.1"]}
SMALL_TWINS = {"a small twin": ["--vertices=500", "--edges=20000", "--max-degree=200"]}


def real_graphs(bench):
    """The papers' tables on graphs of the kinds that they have: every layout resident, and those of Graphie and GTS streamed."""
    if bench.passes:
        return
    real, twins = ({}, SMALL_TWINS) if bench.options.emulator else (REAL, TWINS)
    named = {name: (lambda f=file, o=extra: imported(bench, f, o)) for name, (file, extra) in real.items()}
    named.update({name: (lambda n=name, o=extra: twin(bench, n, o)) for name, extra in twins.items()})
    for name, make in named.items():
        bench.each(name, lambda n=name, m=make: real_graph(bench, n, m()))
        for file in bench.work.glob("*-%s.*" % ("twin" if name in TWINS else "real")):
            file.unlink()


def imported(bench, pattern, extra):
    files = sorted(bench.options.graphs.glob(pattern))
    if not files:
        raise Missing("%s is not there (--graphs)" % (bench.options.graphs / pattern))
    path = bench.work / (pattern.split("/")[0] + "-real.qrn")
    if not path.exists():
        bench.run([bench.bin / "quern-import", files[0], "--undirected", "--self-loops=remove", "--duplicates=remove", *extra, "-qo",
                   bench.work / "unweighted.qrn"])
        weigh(bench, bench.work / "unweighted.qrn", path)
    return path


def twin(bench, name, extra):
    path = bench.work / (name.split("'")[0].replace(" ", "-") + "-twin.qrn")
    if not path.exists():
        bench.run([bench.bin / "quern-generate", "powerlaw", *extra, "--undirected", "--self-loops=remove", "--duplicates=remove",
                   "--weights=0.001,0.03", "-qo", path])
    return path


def weigh(bench, graph, path):
    """SSSP's weights, as of the twins."""
    bench.run([bench.bin / "quern-transform", graph, "--random-weights=0.001,0.03,1", "-qo", path])
    graph.unlink()


def every_edge(bench, graph):
    """Seconds by algorithm where the CPU looks at all edges in every iteration, as X-Stream does."""
    folder = bench.options.bin.parent / "bench/bin" if bench.options.emulator else bench.options.programs
    said = bench.run([folder / "bench_edges", graph, "1" if bench.options.emulator else "3"])
    found = [json.loads(line) for line in said.splitlines()]
    for each in found:
        bench.note("%s by every edge of %s" % (each["algorithm"], graph.name), "" if each["right"] else "it is not what it should be")
    return {each["algorithm"]: each["seconds"] for each in found}


def on_cpu(bench, name, graph, algorithm, streamed):
    """What Graphie's and HPGraph's figures compare with; seconds of the CPU on plain CSR."""
    seconds = seconds_of(algorithm, bench.go(algorithm, graph, graph, "cpu"))
    bench.put("papers-real-" + algorithm, TITLES[algorithm], name, "CPU, plain CSR", 1e3 * seconds, "ms")
    if algorithm in streamed:
        bench.put("papers-real-" + algorithm, TITLES[algorithm], name, "CPU, every edge", 1e3 * streamed[algorithm], "ms")
    return seconds


def real_graph(bench, name, graph):
    bench.every_edge, bench.cpu_seconds = {}, {}
    bench.each("%s, by every edge" % name, lambda: bench.every_edge.update(every_edge(bench, graph)))
    for algorithm in ("pagerank", "bfs", "sssp", "cc"):
        bench.each("%s, %s on the CPU" % (name, algorithm),
                   lambda a=algorithm: bench.cpu_seconds.update({a: on_cpu(bench, name, graph, a, bench.every_edge)}))
    for layout in [None, *BUILDERS]:
        container = bench.build(layout, graph)[0] if layout else graph
        title_of_layout = gpu.LAYOUT_TITLES[layout or "graph"]
        for algorithm in ("pagerank", "bfs", "sssp", "cc"):
            bench.each("%s, %s, %s" % (name, algorithm, title_of_layout),
                       lambda a=algorithm, c=container, t=title_of_layout: real_run(bench, name, graph, a, c, t))
        if layout:
            container.unlink()
    if not bench.options.emulator:
        graph.unlink()


def real_run(bench, name, graph, algorithm, container, layout):
    report = bench.go(algorithm, container, graph)
    bench.put("papers-real-" + algorithm, TITLES[algorithm], name, layout, 1e3 * seconds_of(algorithm, report), "ms")
    seconds, what = seconds_of(algorithm, report), TITLES[algorithm]
    if layout == gpu.LAYOUT_TITLES["hybrid"]:  # HPGraph's Table 2 and Figure 5
        bench.put("papers-hpgraph-graphs", "ELL and COO, resident", name, what, 1e-6 * report["edges"] / seconds, "MTEPS")
        if algorithm in bench.cpu_seconds:
            bench.put("papers-hpgraph-graphs", "ELL and COO, resident", name, what + ", times the CPU", bench.cpu_seconds[algorithm] / seconds, "")
    if layout in (gpu.LAYOUT_TITLES[each] for each in ("graph", "edge-partitions", "slotted-pages")):
        memory = gpu_streaming.budget_of(bench, algorithm, container, report)
        streamed = bench.go(algorithm, container, graph, extra=["--device-memory=%d" % memory])
        if "streaming" in streamed:
            bench.put("papers-real-streamed", TITLES[algorithm], name, layout, 1e3 * seconds_of(algorithm, streamed), "ms")
            bench.put("papers-real-streamed", TITLES[algorithm], name, layout + ", moved", 1e-9 * streamed["streaming"]["moved_bytes"], "GB")
            if layout == gpu.LAYOUT_TITLES["edge-partitions"] and algorithm in bench.every_edge:  # Graphie's Figure 6
                bench.put("papers-graphie-speedup", "partitions, streamed: times the CPU that looks at every edge", name, what, bench.every_edge[algorithm] / seconds_of(algorithm, streamed), "")


# ---- All of them -----------------------------------------------------------------


def building(bench):
    """What the layouts cost before the first run (Graphie's Table IV, Garaph's Table 4)."""
    graph = bench.input(bench.options.scale)
    for layout in BUILDERS:
        def build(layout=layout):
            _, report = bench.build(layout, graph, anew=True)
            bench.put("papers-building", title(bench.options.scale, bench.options.degree), "`%s`" % BUILDERS[layout], "time",
                      report["seconds"], "s")
            bench.put("papers-building", title(bench.options.scale, bench.options.degree), "`%s`" % BUILDERS[layout], "size",
                      report["bytes"] / report["edges"], "bytes an edge")
            for step, seconds in report.get("seconds_of_steps", {}).items():  # of Graphie's Table IV
                bench.put("papers-graphie-renaming", title(bench.options.scale, bench.options.degree), STEPS[step], "time",
                          1e3 * seconds, "ms")
        bench.each("building %s" % layout, build)


def single_kernels(bench):
    """Of all papers what programs of single kernels measure. They take medians themselves, so one pass is enough."""
    if bench.passes:
        return
    graph, name = bench.input(bench.options.scale), title(bench.options.scale, bench.options.degree)
    pages, parts = bench.build("slotted-pages", graph)[0], bench.build("edge-partitions", graph)[0]
    bench.each("HPGraph, bars", lambda: hybrid_bars(bench))
    bench.each("Graphie, shared memory", lambda: graphie_shared(bench, parts, name))
    bench.each("GTS, kernels of pages", lambda: gts_kernels(bench, pages, name))
    bench.each("Garaph, replicas", lambda: garaph_replicas(bench, graph, name))
    bench.each("Garaph, seen within an iteration", lambda: garaph_seen(bench, name))
    bench.each("GraphCage, bars of SpMV", lambda: cage_bars(bench, "SpMV", graph))
    bench.each("GraphCage, bars of PageRank", lambda: cage_bars(bench, "PageRank", bench.input(bench.options.large, weights=False)))


def cpu_alone(bench):
    if bench.passes:
        return
    graph, name = bench.input(bench.options.scale), title(bench.options.scale, bench.options.degree)
    container = bench.build("shards", graph)[0]
    for algorithm in ("sssp", "cc"):
        bench.each("Garaph, modes of %s" % algorithm, lambda a=algorithm: garaph_modes(bench, a, container, graph, name))
    bench.each("HPGraph, masks", lambda: masks(bench))
    bench.each("HPGraph, warps", lambda: warps(bench))


def disks(bench):
    if not bench.passes:
        graph, name = bench.input(bench.options.scale), title(bench.options.scale, bench.options.degree)
        bench.each("GTS, disks", lambda: storage.streamed_from_disks(bench, graph, name, budget_for))


# What is new first.
PAPERS = {"kernels": single_kernels, "cpu": cpu_alone, "building": building, "hpgraph": hpgraph, "graphcage": graphcage, "graphie": graphie,
          "gts": gts, "garaph": garaph, "real": real_graphs, "disks": disks}
ON_CPU = ("cpu", "building", "garaph")


def tables(bench):
    """Medians, as records."""
    found = {}
    for (table, graph, row, column, unit), values in bench.samples.items():
        found.setdefault(table, []).append(records.record(row, column, statistics.median(values), unit, graph))
    return found


def measure(bench):
    tiny = bench.input(6, 4)
    try:
        bench.run([bench.runner(), "bfs", tiny, "--device=cuda", "-q"])
    except RuntimeError as error:
        bench.has_device = False
        print("no GPU: %s" % error, flush=True)
    while bench.passes < bench.options.passes and bench.left() > 1:
        begin = time.monotonic()
        for name in bench.options.only:
            if bench.has_device or name in ON_CPU:
                bench.sections.do("%s, pass %d" % (name, bench.passes + 1), lambda n=name: PAPERS[n](bench))
            else:
                bench.results["skipped"].append("%s: there is no GPU" % name)
        bench.passes += 1
        if bench.left() < 0.5 * (time.monotonic() - begin) or not bench.has_device:
            break


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(PAPERS), metavar="NAME,...",
                        help="of %s: programs of single kernels, what the CPU does alone, papers, real graphs and twins, and "
                             "streaming from disks" % ", ".join(PAPERS))
    parser.add_argument("--scale", type=int, help="2^S vertices (23; --emulator: 8)")
    parser.add_argument("--large", type=int, help="of the graph whose values exceed the cache (25; --emulator: 8)")
    parser.add_argument("--degree", type=int, default=16, help="edges a vertex before symmetrising (16)")
    parser.add_argument("--devices", type=int, default=1, help="devices of this machine that may be used (1)")
    parser.add_argument("--disks", type=lambda text: [Path(word) for word in text.split(",")], metavar="DIR,...",
                        help="a folder on each of several disks, for stripes (--output)")
    parser.add_argument("--passes", type=int, help="run all so often, if there is time (3; --emulator: 1)")
    parser.add_argument("--seconds", type=float, default=460, help="stop after so long (460)")
    parser.add_argument("--emulator", action="store_true", help="try the script without a GPU")
    parser.add_argument("--bin", type=Path, default=ROOT / "build/bin", help="the tools")
    parser.add_argument("--emulated", type=Path, default=ROOT / "build/emulator/bin", help="the emulated tools")
    parser.add_argument("--graphs", type=Path, default=ROOT.parent / "shared/graphs", help="real graphs, as tests look for them")
    parser.add_argument("--programs", type=Path, default=ROOT / "build/release/bench", help="programs of single kernels")
    parser.add_argument("--output", type=Path, default=Path("papers-results"), help="folder for papers.json")
    parser.add_argument("--report", type=Path, help="what is written (--output/papers.json)")
    parser.add_argument("--work", type=Path, help="folder for graphs, which is removed (--output/graphs)")
    options = parser.parse_args()
    options.report = options.report or options.output / "papers.json"
    options.scale = options.scale or (8 if options.emulator else 23)
    options.large = options.large or (8 if options.emulator else 25)
    options.passes = options.passes or (1 if options.emulator else 3)
    if set(options.only) - set(PAPERS):
        parser.error("--only knows " + ", ".join(PAPERS))
    return options


def main():
    options = arguments()
    bench = Papers(options)
    try:
        bench.sections.do("all", lambda: measure(bench))
    finally:
        shutil.rmtree(bench.work, ignore_errors=True)
    checks, skipped, failed = (bench.results[key] for key in ("checks", "skipped", "failed"))
    wrong = sum(not check["right"] for check in checks)
    for how, those in (("not run", skipped), ("failed", failed)):
        for what in those:
            print("%s: %s" % (how, what))
    print("%d results right, %d wrong, %d not run, %d passes, %.0f s" % (len(checks) - wrong, wrong, len(skipped), bench.passes,
                                                                         options.seconds - bench.left()))
    return 1 if wrong or failed else 0


if __name__ == "__main__":
    sys.exit(main())
