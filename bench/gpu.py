#!/usr/bin/env python3
"""Everything that wants a GPU, in one call of under eight minutes.

    bench/gpu.py                     measure: limits, every kernel on R-MAT and uniform graphs, cuSPARSE; check the results
    bench/gpu.py --stream            runs that stream, with a quarter of the topology as device memory, against pinned copies
    bench/gpu.py --rows              the rows in which a peer was ahead once, beside what it took
    bench/gpu.py --devices           PageRank shared by two devices, resident and streamed
    bench/gpu.py --sanitize          compute-sanitizer's memcheck and racecheck over every kernel on small graphs
    bench/gpu.py --emulator          the same script against the emulator, tiny: to try the script itself

Build first: scons -j8 tools bench-programs. The results go to --output (a folder): results.json, written anew after every row, which
bench/report.py merges into docs/performance.md, and tables.md. What there was no time left for is listed as such; the most telling
measurements come first. The exit code is 1 if any result was wrong, or anything failed."""

import argparse
import array
import concurrent.futures
import json
import math
import os
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(Path(__file__).resolve().parent))

import gpu_devices
import gpu_joint
import gpu_rows
import gpu_streaming
import records

# How each layout is made from a graph container. "graph by degree" is the graph layout, its hubs beside one another.
LAYOUTS = {
    "graph": None,
    "graph by degree": ["quern-transform", "--relabel=degree"],
    "blocked-csr": ["quern-block"],
    "edge-partitions": ["quern-partition"],
    "slotted-pages": ["quern-page"],
    "shards": ["quern-shard"],
    "hybrid": ["quern-hybrid"],
    "packed": ["quern-pack"],
    "set": ["quern-transform", "--parts=3"],
}
# More than an iteration, so that what is done once doesn't count.
OPTIONS = {"spmv": ["--iterations=20"], "pagerank": ["--iterations=20", "--tolerance=0"]}
MEASURED = ["pagerank", "spmv", "bfs", "sssp", "cc", "tc", "bc"]
# Where vertex values exceed the L2 cache: does blocking pay?
BEYOND_CACHE = [(layout, algorithm) for algorithm in ("pagerank", "spmv") for layout in ("graph", "blocked-csr")]
# In docs/performance.md.
TITLES = {"pagerank": "PageRank, an iteration", "spmv": "SpMV", "bfs": "BFS", "sssp": "SSSP", "cc": "connected components",
          "tc": "triangles", "bc": "betweenness, one source"}
LAYOUT_TITLES = {"graph": "plain CSR", "graph by degree": "plain CSR, relabelled by degree", "blocked-csr": "blocked CSR",
                 "edge-partitions": "edge partitions", "slotted-pages": "slotted pages", "shards": "shards", "hybrid": "hybrid",
                 "packed": "packed", "set": "parts of a set"}
REPORTED_SCALE = 23
CHECKED_SCALE = 14
TYPES = {"<u4": "I", "<u8": "Q", "<i8": "q", "<f4": "f", "<f8": "d"}
UNDIRECTED_ONCE = {"bfs", "sssp", "cc", "bc"}  # rates in edges counted once, as in Graph500


class Bench:
    def __init__(self, options):
        self.options = options
        self.bin = options.bin
        self.work = options.work or options.output / "graphs"
        self.work.mkdir(parents=True, exist_ok=True)
        self.sections = records.Sections(options.seconds, self.save)
        self.results = {"runs": [], "checks": [], "skipped": self.sections.left_out, "failed": self.sections.failed, "cusparse": []}
        self.environment = dict(os.environ, QUERN_EMULATOR_DEVICES="2")
        self.listed, self.found_hubs = [], {}
        self.weights = "0.001,0.03"  # keep products from overflowing

    def left(self):
        return self.sections.left()

    def save(self):
        measured = {} if self.options.emulator or self.options.sanitize else all_records(self.results)
        records.write(self.options.report,
                      {**self.results, "seconds": self.options.seconds - self.left(), **records.stamp(measured)})

    def run(self, command):
        return self.sections.call(*command, env=self.environment)

    def attempt(self, what, action):
        """Do it if there is time; a failure is a result too."""
        try:
            action()
        except records.OutOfTime:
            self.results["skipped"].append(what)
        except Exception as error:  # the other rows are not to suffer
            self.results["checks"].append({"what": what, "right": False, "detail": "%s: %s" % (type(error).__name__, error)})
            print("FAILED  %s: %s: %s" % (what, type(error).__name__, error), flush=True)
        self.save()

    def kernels(self):
        if not self.listed:
            self.listed = json.loads(self.run([self.runner(), "--list", "--json"]))["kernels"]
        return {(kernel["layout"], kernel["algorithm"]) for kernel in self.listed if kernel["device"] == "cuda"}

    def runner(self):
        return self.options.emulated / "quern-run" if self.options.emulator else self.bin / "quern-run"

    def graph(self, kind, scale):
        """A weighted undirected graph container."""
        path = self.work / ("%s%d.qrn" % (kind, scale))
        if not path.exists():
            self.run([self.bin / "quern-generate", kind, "--scale=%d" % scale, "--degree=%d" % self.options.degree,
                      "--undirected", "--weights=%s" % self.weights, "-qo", path])
            write_vector(self.vector(path), 1 << scale)
        return path

    def vector(self, container):
        """The vector of spmv for a graph in any layout."""
        return container.with_name(container.name.split(".")[0] + "-vector.npy")

    def needed(self, algorithm, container):
        """Options that an algorithm does not run without on these graphs."""
        if algorithm == "spmv":
            return ["--vector=%s" % self.vector(container)]
        if algorithm == "katz":
            return ["--alpha=%r" % (0.25 / (1 << int(re.search(r"\d+", container.name)[0])))]
        if algorithm in ("path", "sample"):
            return ["--source=%s" % self.hubs(container)[0]] + (["--target=%s" % self.hubs(container)[1]] if algorithm == "path" else [])
        return []

    def hubs(self, container):
        """The two vertices of most edges, which a path joins."""
        if container not in self.found_hubs:
            report = json.loads(self.run([self.bin / "quern-run", "degree", container, "--top=2", "--device=cpu", "--json"]))
            self.found_hubs[container] = [vertex["id"] for vertex in report["result"]["top"]]
        return self.found_hubs[container]

    def said(self, algorithm, container):
        """Options of a run."""
        return [*OPTIONS.get(algorithm, []), *self.needed(algorithm, container)]

    def layout(self, name, graph):
        if LAYOUTS[name] is None:
            return graph
        path = graph.with_name("%s.%s.qrn" % (graph.stem, name.replace(" ", "-")))
        if not path.exists():
            self.run([self.bin / LAYOUTS[name][0], graph, *LAYOUTS[name][1:], "-qo", path])
        return path

    def time_kernel(self, algorithm, container, extra=()):
        """The report of the run of median kernel time."""
        reports = []
        for _ in range(self.options.repeat):
            reports.append(json.loads(self.run([self.runner(), algorithm, container, "--device=cuda", "--trust", "--json",
                                                *self.said(algorithm, container), *extra])))
        reports.sort(key=lambda report: report["accelerator"]["kernel_seconds"])
        return reports[len(reports) // 2]

    def report(self, algorithm, container, extra=()):
        """The report of one run on the device."""
        return json.loads(self.run([self.runner(), algorithm, container, "--device=cuda", "--trust", "--json", "-q",
                                    *self.said(algorithm, container), *extra]))

    def expected(self, algorithm, graph):
        """The file of the CPU's result on plain CSR; an algorithm's last one is kept."""
        path = self.work / ("cpu-%s.npy" % algorithm)
        stamp = path.with_suffix("." + graph.stem)
        if not stamp.exists():
            self.run([self.bin / "quern-run", algorithm, graph, "--device=cpu", "--trust", "-q",
                      *self.said(algorithm, graph), "-f", "-o", path])
            for old in self.work.glob("cpu-%s.*" % algorithm):
                if old != path:
                    old.unlink()
            stamp.touch()
        return path

    def compare(self, what, expected, actual):
        self.note(what, difference(expected, actual))

    def note(self, what, detail):
        """A check's outcome: `detail` says what is wrong, if anything is."""
        self.results["checks"].append({"what": what, "right": not detail, "detail": detail})
        if detail:
            print("WRONG   %s: %s" % (what, detail), flush=True)

    def measure(self, algorithm, layout, kind, scale):
        container = self.layout(layout, self.graph(kind, scale))
        report = self.time_kernel(algorithm, container)
        seconds = report["accelerator"]["kernel_seconds"]
        walks = report["iterations"] if algorithm in OPTIONS else 1
        edges = report["edges"] * walks / (2 if algorithm in UNDIRECTED_ONCE or algorithm == "tc" else 1)
        result = {"algorithm": algorithm, "layout": layout, "kind": kind, "scale": scale, "kernel": report["kernel"],
                  "vertices": report["vertices"], "edges": report["edges"], "iterations": report["iterations"],
                  "kernel_seconds": seconds, "prepare_seconds": report["seconds"]["prepare"],
                  "total_seconds": report["seconds"]["total"], "gteps": 1e-9 * edges / max(seconds, 1e-12),
                  "memory_bytes": report["accelerator"]["memory_bytes"]}
        self.results["runs"].append(result)
        print("%8.3f ms  %9.2f GTEPS  %-9s %-16s %s %d" % (1e3 * seconds, result["gteps"], algorithm, layout, kind, scale),
              flush=True)

    def check(self, algorithm, layout, kind, scale):
        """The device's result against the CPU's plain CSR."""
        graph = self.graph(kind, scale)
        container = self.layout(layout, graph)
        what = "%s on %s, %s %d" % (algorithm, layout, kind, scale)
        actual = self.work / ("cuda-%s.npy" % algorithm)
        cuda = [self.runner(), algorithm, container, "--device=cuda", "--trust", *self.said(algorithm, container)]
        if algorithm not in ("tc", "leiden"):
            self.run([*cuda, "-q", "-f", "-o", actual])
            self.compare(what, self.expected(algorithm, graph), actual)
            return
        cpu = [self.bin / "quern-run", algorithm, graph, "--device=cpu", "--trust"]
        counts = [json.loads(self.run([*command, "--json"]))["result"] for command in (cpu, cuda)]
        if algorithm == "leiden":  # other communities, as good: tests/gpu/algorithms.py has medians
            found = [count["modularity"] for count in counts]
            self.note(what, "" if abs(found[0] - found[1]) < 0.03 else "modularity: CPU %g, device %g" % tuple(found))
        else:
            self.note(what, "" if counts[0] == counts[1] else "the counts differ")

    def cusparse(self, kind, scale):
        program = self.options.programs / "cusparse-spmv"
        if not program.exists():
            raise RuntimeError("%s is not built" % program)
        report = json.loads(self.run([program, self.graph(kind, scale)]))
        report.update(kind=kind, scale=scale)
        self.results["cusparse"].append(report)


def write_vector(path, length):
    """Numbers from 1 to 2 that single precision holds, as an array of NumPy's."""
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % length
    numbers = array.array("f", [1 + place / 64 for place in range(64)])
    with open(path, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + (118).to_bytes(2, "little") + header.ljust(117).encode() + b"\n")
        for _ in range(length // 64):
            out.write(numbers.tobytes())
        out.write(numbers[:length % 64].tobytes())


def difference(expected, actual):
    """Why two result files differ, or "". Integers must be equal, reals to 1e-5."""
    (kind, a), (other, b) = load(expected), load(actual)
    if kind != other or len(a) != len(b):
        return "%d values of %s against %d of %s" % (len(a), kind, len(b), other)
    if a == b:
        return ""
    if kind in ("<u4", "<u8"):
        return "first at vertex %d" % next(i for i, pair in enumerate(zip(a, b)) if pair[0] != pair[1])
    worst = 0.0
    for vertex, (x, y) in enumerate(zip(a, b)):
        if x != y and not math.isclose(x, y, rel_tol=1e-5):
            return "vertex %d: %r against %r" % (vertex, x, y)
        worst = max(worst, abs(x - y))
    return ""


def load(path):
    """The type and the values of a .npy file of version 1."""
    data = path.read_bytes()
    length = int.from_bytes(data[8:10], "little")
    header = data[10:10 + length].decode()
    kind = next(name for name in TYPES if name in header)
    values = array.array(TYPES[kind])
    values.frombytes(data[10 + length:])
    return kind, values


def limits(bench):
    program = (bench.options.emulated if bench.options.emulator else bench.options.programs) / "cuda-limits"
    figures = json.loads(bench.run([program, "--json"] + (["--small"] if bench.options.emulator else [])))
    bench.results["limits"] = figures
    for figure in figures["limits"]:
        print("%-30s %12d bytes %10.2f %s" % (figure["what"], figure["bytes"], figure["value"], figure["unit"]), flush=True)


def gather_rate(results, num_vertices):
    """The measured gather rate at the size of 4-byte messages of all vertices."""
    gathers = [f for f in results.get("limits", {}).get("limits", []) if f["what"] == "random gather"]
    fitting = [f for f in gathers if f["bytes"] >= 4 * num_vertices] or gathers[-1:]
    return fitting[0]["value"] if fitting else None


def measure_all(bench):
    kernels = bench.kernels()
    bench.sections.do("limits", lambda: limits(bench))
    checks = [("checks", lambda: check_all(bench, kernels))]
    measured = [(layout, algorithm) for layout in LAYOUTS for algorithm in MEASURED
                if (layout.split()[0], algorithm) in kernels]
    graphs = [(kind, scale, shown(measured, kind, scale) if bench.options.recorded else measured)
              for scale in in_order(bench.options.scales) for kind in ("rmat", "uniform")]
    if bench.options.beyond_cache:
        graphs.insert(2, ("uniform", bench.options.beyond_cache, BEYOND_CACHE))
    graphs = [("%s %d" % (kind, scale), lambda k=kind, s=scale, w=what: measure_graph(bench, k, s, w)) for kind, scale, what in graphs]
    for section in graphs + checks if bench.options.recorded else checks + graphs:
        bench.sections.do(*section)


def shown(measured, kind, scale):
    """Of what is measured on a graph, what becomes a record."""
    return [(layout, algorithm) for layout, algorithm in measured if algorithm == "spmv" or kind == "rmat" and scale == reported(algorithm)]


def reported(algorithm):
    return REPORTED_SCALE - 1 if algorithm == "tc" else REPORTED_SCALE


def in_order(scales):
    """What is reported first, and that of triangles, then the largest."""
    reported = [scale for scale in (REPORTED_SCALE, REPORTED_SCALE - 1) if scale in scales]
    return reported + sorted(set(scales) - set(reported), reverse=True)


def check_all(bench, kernels):
    """Results on small graphs, several algorithms at a time, each layout by layout."""
    scale = min(CHECKED_SCALE, *bench.options.scales)

    def check(kind, algorithm):
        for layout in sorted(layout for layout, name in kernels if name == algorithm):
            bench.attempt("check %s %s %s" % (algorithm, layout, kind), lambda: bench.check(algorithm, layout, kind, scale))

    for kind in ("rmat", "uniform"):
        for layout in sorted({layout for layout, _ in kernels}):
            bench.attempt("%s %s" % (layout, kind), lambda: bench.layout(layout, bench.graph(kind, scale)))
        with concurrent.futures.ThreadPoolExecutor(bench.options.jobs) as pool:
            list(pool.map(lambda algorithm: check(kind, algorithm), sorted({algorithm for _, algorithm in kernels})))


def measure_graph(bench, kind, scale, measured):
    if not bench.options.emulator:
        bench.attempt("cusparse %s %d" % (kind, scale), lambda: bench.cusparse(kind, scale))
    for layout, algorithm in measured:
        bench.attempt("%s %s %s %d" % (algorithm, layout, kind, scale),
                      lambda: bench.measure(algorithm, layout, kind, scale))
    for file in bench.work.glob("%s%d.*" % (kind, scale)):
        shutil.rmtree(file) if file.is_dir() else file.unlink()


def sanitize_all(bench):
    """Small graphs with everything odd: skew, loops, parallel edges, vertices without edges."""
    sanitizer = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    kernels = sorted(bench.kernels())
    tools = [("memcheck", ["--leak-check=full"]), ("racecheck", []), ("initcheck", []), ("synccheck", [])]
    if bench.options.emulator:
        tools = [("emulator", [])]

    def one(tool, flags, layout, algorithm, kind):
        what = "%s: %s on %s, %s" % (tool, algorithm, layout, kind)
        prefix = [] if tool == "emulator" else [sanitizer, "--tool", tool, "--error-exitcode=99", *flags]
        container = bench.layout(layout, bench.graph(kind, min(bench.options.scales)))

        def check():
            bench.run(prefix + [bench.runner(), algorithm, container, "--device=cuda", "--json",
                                *bench.needed(algorithm, container)])
            bench.results["checks"].append({"what": what, "right": True, "detail": ""})
        bench.attempt(what, check)

    for kind in ("rmat", "uniform"):
        for layout in {layout for layout, _ in kernels}:
            bench.layout(layout, bench.graph(kind, min(bench.options.scales)))
    with concurrent.futures.ThreadPoolExecutor(bench.options.jobs) as pool:
        list(pool.map(lambda job: one(*job), [(tool, flags, layout, algorithm, kind)
                                              for kind in ("rmat", "uniform") for tool, flags in tools
                                              for layout, algorithm in kernels]))


def stream_all(bench):
    bench.sections.do("limits", lambda: limits(bench))
    bench.sections.do("streaming", lambda: gpu_streaming.stream_all(bench))
    bench.sections.do("side by side", lambda: gpu_joint.joint_all(bench))


def graph_title(kind, scale):
    return "%s, scale %d" % ("R-MAT" if kind == "rmat" else kind, scale)


def limit_records(results):
    gathers = gather_rate(results, 1 << REPORTED_SCALE)
    pinned = gpu_streaming.pinned_rate(results)
    if gathers:
        yield records.record("random gathers of 4 bytes", "rate", gathers, "G/s")
    if pinned:
        yield records.record("copies from pinned memory", "rate", 1e-9 * pinned, "GB/s")


def kernel_records(runs):
    for run in runs:
        if run["kind"] != "rmat" or run["scale"] != reported(run["algorithm"]):
            continue
        graph, row = graph_title(run["kind"], run["scale"]) + ", undirected", TITLES[run["algorithm"]]
        walks = run["iterations"] if run["algorithm"] in OPTIONS else 1
        yield records.record(row, LAYOUT_TITLES[run["layout"]], 1e3 * run["kernel_seconds"] / walks, "ms", graph)
        if run["layout"] == "graph" and run["algorithm"] in ("bfs", "sssp", "cc"):
            yield records.record(row, "rate on plain CSR", run["gteps"], "G edges/s", graph)


def cusparse_records(results):
    for other in results["cusparse"]:
        row = graph_title(other["kind"], other["scale"])
        yield records.record(row, "cuSPARSE", 1e3 * min(other["seconds"].values()), "ms")
        for run in results["runs"]:
            if run["algorithm"] == "spmv" and (run["kind"], run["scale"]) == (other["kind"], other["scale"]):
                yield records.record(row, LAYOUT_TITLES[run["layout"]], 1e3 * run["kernel_seconds"] / run["iterations"], "ms")


def streaming_records(results):
    for run in results.get("streaming", []):
        if run["scale"] == REPORTED_SCALE and run["variant"] == gpu_streaming.VARIANTS[0][0]:
            graph = graph_title(run["kind"], run["scale"]) + ", a quarter of the topology as device memory"
            row = "PageRank, 20 iterations" if run["algorithm"] == "pagerank" else TITLES[run["algorithm"]]
            yield records.record(row, LAYOUT_TITLES[run["layout"]], 1e-9 * run["bytes_per_second"], "GB/s", graph)


def joint_records(results):
    for run in results.get("joint", []):
        if run["scale"] != REPORTED_SCALE:
            continue
        graph = graph_title(run["kind"], run["scale"]) + ", undirected"
        row = "PageRank, 17 iterations" if run["algorithm"] == "pagerank" else TITLES[run["algorithm"]]
        streamed = ", streamed" if run["device_memory"] else ""
        for key, column in (("cpu", "CPU"), ("cuda", "device"), ("both", "both")):
            if key != "cpu" or not streamed:
                yield records.record(row, column + streamed, 1e3 * run[key], "ms", graph)


def device_records(results):
    for run in results.get("devices", []):
        if run["scale"] == REPORTED_SCALE:
            graph = graph_title("rmat", run["scale"]) + ", PageRank, an iteration"
            memory = run["device_memory"]
            row = LAYOUT_TITLES[run["layout"]] + (", streamed with %d MiB on each" % (memory >> 20) if memory else ", resident")
            yield records.record(row, run["team"], 1e3 * run["seconds"], "ms", graph)


def sharing_records(results):
    for row in results.get("sharing", []):
        if row["scale"] == REPORTED_SCALE:
            yield records.record(gpu_devices.sharing_row(row, LAYOUT_TITLES[row["layout"]]), row["choice"], 1e3 * row["seconds"], "ms",
                                 graph_title("rmat", row["scale"]) + ", undirected")


def row_records(results):
    for row in results.get("rows", []):
        yield records.record(row["title"], "Quern", 1e3 * row["seconds"], "ms")
        if row["memory"] in gpu_rows.SHARES:
            yield records.record(row["title"], "moved", 1e-9 * row["moved_bytes"], "GB")


def all_records(results):
    tables = {"gpu-limits": limit_records(results), "gpu-kernels": kernel_records(results["runs"]),
              "gpu-cusparse": cusparse_records(results), "gpu-streaming": streaming_records(results),
              "gpu-joint": joint_records(results), "gpu-devices": device_records(results), "gpu-sharing": sharing_records(results),
              "gpu-rows": row_records(results)}
    return {name: found for name, found in ((name, list(each)) for name, each in tables.items()) if found}


def tables(results):
    lines = ["# Kernels on %s" % results.get("limits", {}).get("device", "the device"), ""]
    if "limits" in results:
        lines += ["| limit | bytes | rate |", "|---|---|---|"]
        lines += ["| %s | %d | %.2f %s |" % (f["what"], f["bytes"], f["value"], f["unit"]) for f in results["limits"]["limits"]]
        lines.append("")
    lines += ["| graph | algorithm | layout | ms | GTEPS | share of gather rate | iterations | MB on device |",
              "|---|---|---|---|---|---|---|---|"]
    for run in results["runs"]:
        rate = gather_rate(results, run["vertices"])
        share = "%.0f %%" % (100 * run["gteps"] / rate) if rate and run["algorithm"] in OPTIONS else ""
        lines.append("| %s %d | %s | %s | %.3f | %.2f | %s | %d | %d |" % (
            run["kind"], run["scale"], run["algorithm"], run["layout"], 1e3 * run["kernel_seconds"], run["gteps"], share,
            run["iterations"], run["memory_bytes"] >> 20))
    lines += ["", "| graph | cuSPARSE's best, ms | quern's best, ms | quern's layout | ratio |", "|---|---|---|---|---|"]
    for other in results["cusparse"]:
        own = [run for run in results["runs"] if run["algorithm"] == "spmv" and
               (run["kind"], run["scale"]) == (other["kind"], other["scale"])]
        if own:
            best = min(own, key=lambda run: run["kernel_seconds"] / run["iterations"])
            seconds = best["kernel_seconds"] / best["iterations"]
            theirs = min(other["seconds"].values())
            lines.append("| %s %d | %.3f | %.3f | %s | %.2f |" % (other["kind"], other["scale"], 1e3 * theirs, 1e3 * seconds,
                                                                 best["layout"], theirs / seconds))
    if "streaming" in results:
        lines += [""] + gpu_streaming.table(results["streaming"], results["same_plan"])
    if "joint" in results:
        lines += [""] + gpu_joint.table(results["joint"])
    if "devices" in results:
        lines += [""] + gpu_devices.table(results["devices"])
    if "rows" in results:
        lines += [""] + gpu_rows.table(results["rows"])
    wrong = [check for check in results["checks"] if not check["right"]]
    lines += ["", "%d checks right, %d wrong, %d not done for lack of time." % (
        len(results["checks"]) - len(wrong), len(wrong), len(results["skipped"]))]
    lines += ["- wrong: %s: %s" % (check["what"], check["detail"]) for check in wrong]
    lines += ["- failed: %s" % what for what in results["failed"]]
    lines += ["- not done: %s" % what for what in results["skipped"]]
    return "\n".join(lines) + "\n"


def default_scales(options):
    if options.emulator:
        return [9] if options.stream or options.devices else [6, 7]
    if options.devices:
        return [REPORTED_SCALE]
    return [9] if options.sanitize else [24] if options.stream else [20, 21, 22, 23, 24]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sanitize", action="store_true", help="run compute-sanitizer instead of measuring")
    parser.add_argument("--stream", action="store_true", help="measure streaming, and CPU and device side by side, instead")
    parser.add_argument("--devices", action="store_true", help="measure runs that two devices share instead")
    parser.add_argument("--rows", action="store_true", help="measure the rows in which a peer was ahead once instead")
    parser.add_argument("--recorded", action="store_true", help="measure nothing but what docs/performance.md shows")
    parser.add_argument("--emulator", action="store_true", help="try the script without a GPU")
    parser.add_argument("--scales", type=lambda text: [int(s) for s in text.split(",")], metavar="S,S,...",
                        help="2^S vertices (20,21,22,23,24; --stream: 24; --devices: 23; --sanitize: 9; --emulator: 6,7)")
    parser.add_argument("--beyond-cache", type=int, metavar="S",
                        help="plain against blocked CSR on a uniform graph of 2^S vertices (25; 0: not)")
    parser.add_argument("--degree", type=int, default=16, help="edges a vertex before symmetrising (16)")
    parser.add_argument("--repeat", type=int, help="runs of which the median counts (3)")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 1) // 2),
                        help="checks at a time (half of the processors)")
    parser.add_argument("--seconds", type=float, default=460, help="stop after so long (460)")
    parser.add_argument("--bin", type=Path, default=ROOT / "build/bin", help="the tools")
    parser.add_argument("--emulated", type=Path, default=ROOT / "build/emulator/bin", help="the emulated tools")
    parser.add_argument("--programs", type=Path, default=ROOT / "build/release/bench", help="cuda-limits and cusparse-spmv")
    parser.add_argument("--output", type=Path, default=Path("gpu-results"), help="folder for results.json and tables.md")
    parser.add_argument("--report", type=Path, help="what is written (--output/results.json)")
    parser.add_argument("--work", type=Path, help="folder for graphs, which is removed (--output/graphs)")
    options = parser.parse_args()
    options.report = options.report or options.output / "results.json"
    options.scales = options.scales or default_scales(options)
    if options.beyond_cache is None:
        options.beyond_cache = 0 if options.emulator else 25
    options.repeat = options.repeat or (1 if options.emulator else 3)
    return options


def main():
    options = arguments()
    bench = Bench(options)
    what, how = (("sanitizer", sanitize_all) if options.sanitize else ("streaming", stream_all) if options.stream else
                 ("rows", gpu_rows.rows_all) if options.rows else ("devices", gpu_devices.devices_all) if options.devices else
                 ("kernels", measure_all))
    options.output.mkdir(parents=True, exist_ok=True)
    try:
        bench.sections.do(what, lambda: how(bench))
    finally:
        (options.output / "tables.md").write_text(tables(bench.results))
        shutil.rmtree(bench.work, ignore_errors=True)
    print((options.output / "tables.md").read_text().rsplit("\n\n", 1)[-1], end="")
    return 1 if bench.sections.failed or any(not check["right"] for check in bench.results["checks"]) else 0


if __name__ == "__main__":
    sys.exit(main())
