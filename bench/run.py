#!/usr/bin/env python3
"""Runs the benchmarks: importing, verifying, every builder on directed graphs, and the engines of all layouts on clean R-MAT
and uniform graphs. `scons bench` builds them first.

Tables go to the terminal, the inputs (made once) to build/bench; bench.json there, written anew after each part, is for bench/report.py.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import records

ROOT = Path(__file__).resolve().parent.parent
BUILDERS = {"blocked-csr": "quern-block", "edge-partitions": "quern-partition", "slotted-pages": "quern-page",
            "shards": "quern-shard", "hybrid": "quern-hybrid", "packed": "quern-pack"}
ENGINES = {"pagerank": "PageRank, an iteration", "bfs": "BFS", "sssp": "SSSP"}
LAYOUTS = {"graph": "plain CSR", "blocked-csr": "blocked CSR", "edge-partitions": "edge partitions",
           "slotted-pages": "slotted pages", "shards": "shards", "hybrid": "hybrid", "packed": "packed"}
BUILDER_OPTIONS = {"default": "", "in": ", in-edges", "out": ", out-edges"}


def run(*words):
    print("$ " + " ".join(str(word) for word in words), flush=True)
    if subprocess.run([str(word) for word in words], cwd=ROOT).returncode != 0:
        raise RuntimeError("%s failed" % Path(words[0]).name)


def clean_graph(tools, folder, model, scale):
    """An undirected graph without loops and duplicates."""
    path = folder / ("%s%d.qrn" % (model, scale))
    if not path.exists():
        run(tools / "quern-generate", model, "--scale", scale, "--degree", 16, "--weights", "1,255", "--undirected",
            "--self-loops", "remove", "--duplicates", "remove", "--quiet", "-o", path)
    return path


def directed_graph(tools, folder, model, scale):
    """A graph as generated, with its loops and duplicates."""
    path = folder / ("%s%d-directed.qrn" % (model, scale))
    if not path.exists():
        run(tools / "quern-generate", model, "--scale", scale, "--degree", 16, "--quiet", "-o", path)
    return path


def time_engines(programs, path, trials, threads):
    """Milliseconds of each algorithm of ENGINES: of an iteration of PageRank, of the whole run of the others."""
    report = path.with_suffix(".json")
    run(programs / "bench_kernels", path, "--algorithms", ",".join(ENGINES), "--trials", trials, "-T", threads,
        "--json-file", report)
    rows = json.loads(report.read_text())
    report.unlink()
    return {row["algorithm"]: 1e3 * row["kernel_seconds"] / (row["iterations"] if row["algorithm"] == "pagerank" else 1)
            for row in rows}


def compare_engines(tools, programs, folder, model, options):
    """The same algorithms on every layout of one graph, and against the graph layout."""
    graph = clean_graph(tools, folder, model, options.scale)
    times = {"graph": time_engines(programs, graph, options.trials, options.threads)}
    for layout, builder in BUILDERS.items():
        path = folder / ("%s%d.%s.qrn" % (model, options.scale, layout))
        run(tools / builder, graph, "-T", options.threads, "--quiet", "--force", "-o", path)
        times[layout] = time_engines(programs, path, options.trials, options.threads)
        path.unlink()
    print("\n%s: the algorithm alone, in ms (PageRank: an iteration), and against the graph layout" % graph)
    print("%-16s" % "layout" + "".join("%18s" % name for name in ENGINES))
    for layout, row in times.items():
        print("%-16s" % layout + "".join("%11.2f %5.2fx" % (row[name], row[name] / times["graph"][name])
                                         for name in ENGINES))
    return times


def import_records(report, threads):
    graph = "R-MAT, scale %d" % report["scale"]
    for row in report["rows"]:
        if row["threads"] == threads:
            yield records.record(row["task"], "time", row["seconds"], "s", graph)
            yield records.record(row["task"], "rate", row["million_edges_per_second"], "M lines/s", graph)
            if row["peak_memory_bytes"]:
                yield records.record(row["task"], "memory", row["peak_memory_bytes"] / 2**20, "MiB", graph)


def verify_records(files, scale):
    for each, kind in zip(files, ("undirected", "directed")):
        yield records.record(kind, "rate", 1e-9 * each["bytes"] / each["seconds"], "GB/s", "R-MAT, scale %d" % scale)


def builder_records(rows, scale):
    for row in rows:
        graph = "%s, scale %d, directed" % ("R-MAT" if "rmat" in row["file"] else "uniform", scale)
        name = "`%s`%s" % (row["tool"], BUILDER_OPTIONS.get(row["options"], ", " + row["options"]))
        yield records.record(name, "rate", 1e-6 * row["edges_per_second"], "M edges/s", graph)
        yield records.record(name, "size", row["bytes"] / row["edges"], "bytes an edge", graph)


def engine_records(engines, scale):
    """Of plain CSR milliseconds, of the other layouts how many times those."""
    for model, times in engines.items():
        graph = "%s, scale %d, undirected" % ("R-MAT" if model == "rmat" else model, scale)
        for layout, row in times.items():
            for algorithm, title in ENGINES.items():
                value, unit = (row[algorithm], "ms") if layout == "graph" else (row[algorithm] / times["graph"][algorithm], "x")
                yield records.record(LAYOUTS[layout], title, value, unit, graph)


class Bench:
    """What --only names, on graphs of one scale after another."""

    def __init__(self, options):
        self.options, self.tables = options, {}
        self.tools, self.programs, self.folder = options.bin, ROOT / "build/release/bench", options.folder
        self.sections = records.Sections(options.seconds, self.save)
        self.folder.mkdir(parents=True, exist_ok=True)

    def save(self):
        records.write(self.options.report, {"failed": self.sections.failed, "skipped": self.sections.left_out, **records.stamp(self.tables)})

    def put(self, table, found):
        self.tables.setdefault(table, []).extend(found)

    def run(self, program, *words):
        print(self.sections.call(self.programs / program, *words, most=600), end="", flush=True)

    def directed(self, scale):
        return [directed_graph(self.tools, self.folder, model, scale) for model in ("rmat", "uniform")]

    def imports(self, scale):
        report = self.folder / "import.json"
        self.run("bench_import", "--tool", self.tools / "quern-import", "--scale", scale, "--threads", self.options.threads, "--folder", self.folder, "--json", report)
        self.put("import", import_records(json.loads(report.read_text()), self.options.threads))

    def verifying(self, scale):
        files = clean_graph(self.tools, self.folder, "rmat", scale), self.directed(scale)[0]
        said = self.sections.call(self.tools / "quern-verify", "-T", self.options.threads, "--json", *files)
        self.put("verify", verify_records(json.loads(said)["files"], scale))

    def builders(self, scale):
        report = self.folder / "layouts.json"
        self.run("bench_layouts", *self.directed(scale), "-T", self.options.threads, "--scratch", self.folder / "layout.qrn",
                 "--json-file", report)
        self.put("builders", builder_records(json.loads(report.read_text()), scale))

    def engines(self, scale):
        options = argparse.Namespace(scale=scale, trials=self.options.trials, threads=self.options.threads)
        engines = {model: compare_engines(self.tools, self.programs, self.folder, model, options) for model in ("rmat", "uniform")}
        self.put("engines", engine_records(engines, scale))


PARTS = {"import": Bench.imports, "verify": Bench.verifying, "builders": Bench.builders, "engines": Bench.engines}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(PARTS), metavar="NAME,...", help="of " + ", ".join(PARTS))
    parser.add_argument("--scale", type=lambda text: [int(scale) for scale in text.split(",")], default=[20], metavar="N,...",
                        help="2^N vertices (20)")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="threads (all)")
    parser.add_argument("--trials", type=int, default=5, help="runs of each engine on each layout (5)")
    parser.add_argument("--seconds", type=float, default=1800, help="stop after so long (1800)")
    parser.add_argument("--folder", type=Path, default=ROOT / "build/bench", help="for graphs (build/bench)")
    parser.add_argument("--bin", type=Path, default=ROOT / "build/bin", help="the tools")
    parser.add_argument("--report", type=Path, default=ROOT / "build/bench/bench.json", help="what is written")
    options = parser.parse_args()
    os.environ["QUERN_NO_SYNC"] = "1"
    bench = Bench(options)
    for scale in options.scale:
        for name in options.only:
            bench.sections.do("%s, scale %d" % (name, scale), lambda n=name, s=scale: PARTS[n](bench, s))
    return 1 if bench.sections.failed else 0


if __name__ == "__main__":
    sys.exit(main())
