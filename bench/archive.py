#!/usr/bin/env python3
"""Archives: sizes, and rates of quern-archive create, extract and verify, medians.

    scons -j2 tools bench-programs && bench/archive.py [--scales 20 22] [--threads 2] [--graphs FOLDER] [--only undirected] [--web 1e8]

R-MAT graphs of degree 16, directed and not, without and with weights, layouts of the first, and two web graphs where FOLDER has them. Files
lie in the page cache and nothing is synced. Rates are of the plain container's bytes; bits are of the archive for an edge stored,
without weights. "copy" is how fast cp copies the plain container. --web restores cnr-2000, repeated to so many arcs, on one thread, and
beside it measures what no decoder of it can do without, in processor time (bench/programs/bench_restoring.c). A table goes to the
terminal, JSON to build/bench/archive.json."""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import records
import webgraph

ROOT = Path(__file__).resolve().parent.parent
GRAPHS = {
    "directed": [],
    "directed, u32": ["--weights", "1,255"],
    "directed, f32": ["--weights", "0.5,99.5"],
    "undirected": ["--undirected"],
    "undirected, u32": ["--undirected", "--weights", "1,255"],
    "undirected, f32": ["--undirected", "--weights", "0.5,99.5"],
}
LAYOUTS = ("block", "partition", "page", "shard", "hybrid", "pack")
DEFAULT_LEVEL = 6
WEB = {"cnr-2000": "cnr-2000/cnr-2000.graph", "web-Stanford": "web-Stanford/stanford.graph"}


# Of cnr-2000's archive at the default level, counted where symbols are read.
SYMBOLS_AN_EDGE = 0.644


class Bench:
    def __init__(self, options):
        self.options = options
        self.folder = ROOT / "build/bench"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.environment = dict(os.environ, QUERN_NO_SYNC="1")

    def run(self, *words):
        words = [str(word) for word in words]
        done = subprocess.run(words, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode:
            sys.exit("bench: %s: %s" % (" ".join(words), done.stderr.decode(errors="replace")))
        return done.stdout

    def tool(self, name, *words):
        return self.run(ROOT / "build/bin" / name, *words)

    def median(self, output, *words):
        """Seconds of a command, each time into a new file."""
        def timed():
            output.unlink(missing_ok=True)
            begun = time.monotonic()
            self.run(*words)
            return time.monotonic() - begun
        return statistics.median(timed() for _ in range(self.options.repeat))

    def measure(self, name, plain, level):
        archive, back, copy = (self.folder / ("archive.%s" % end) for end in ("qra", "back", "copy"))
        tool, threads = ROOT / "build/bin/quern-archive", ["-q", "-T", self.options.threads]
        edges = json.loads(self.tool("quern-info", "--json", plain))["edges"]
        row = {"name": name, "level": level, "edges": edges, "bytes": plain.stat().st_size}
        row["create_seconds"] = self.median(archive, tool, "create", *threads, "-%d" % level, "-o", archive, plain)
        row["archive_bytes"] = archive.stat().st_size
        row["extract_seconds"] = self.median(back, tool, "extract", *threads, "-o", back, archive)
        if back.read_bytes() != plain.read_bytes():
            sys.exit("bench: %s does not come back" % name)
        row["verify_seconds"] = self.median(back, tool, "verify", *threads, archive)
        row["copy_seconds"] = self.median(copy, "cp", plain, copy)
        for path in (archive, back, copy):
            path.unlink(missing_ok=True)
        return row

    def restoring(self, arcs):
        """ns an edge of processor time: all of it, symbols alone, writing alone."""
        plain, archive = self.folder / "archive.web.qrn", self.folder / "archive.web.qra"
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            edges, _ = webgraph.repeat(Path(self.options.graphs) / WEB["cnr-2000"], arcs, Path(folder))
            self.tool("quern-import", Path(folder) / "big.graph", "-q", "-f", "-o", plain)
        size = plain.stat().st_size
        self.tool("quern-archive", "create", plain, "-q", "-f", "-o", archive)
        before = os.times()
        for _ in range(self.options.repeat):
            self.tool("quern-archive", "extract", archive, "-q", "-f", "-T", 1, "-o", plain)
        after = os.times()
        seconds = after.children_user + after.children_system - before.children_user - before.children_system
        alone = [json.loads(self.run(ROOT / "build/release/bench/bench_restoring", self.folder)) for _ in range(self.options.repeat)]
        for path in (plain, archive):
            path.unlink()
        costs = {"restoring": 1e9 * seconds / self.options.repeat / edges,
                 "its symbols alone": SYMBOLS_AN_EDGE * min(each["ns_a_symbol"] for each in alone),
                 "writing its bytes alone": size / edges * min(each["ns_a_byte"] for each in alone)}
        costs["both alone"] = costs["its symbols alone"] + costs["writing its bytes alone"]
        for row, cost in costs.items():
            yield records.record(row, "processor time", cost, "ns an edge")
            yield records.record(row, "two cores at most", 2 * size / edges / cost, "GB/s")

    def cases(self):
        """Names and containers, made one after the other."""
        wanted = lambda name: not self.options.only or any(part in name for part in self.options.only)
        plain = self.folder / "archive.qrn"
        for scale in self.options.scales:
            for name, generate in GRAPHS.items():
                title = "R-MAT %d, %s" % (scale, name)
                layouts = [layout for layout in LAYOUTS if name == "directed" and wanted("%s, %s" % (title, layout))]
                if not wanted(title) and not layouts:
                    continue
                self.tool("quern-generate", "rmat", "--scale", scale, "--degree", 16, *generate, "-q", "-f", "-o", plain)
                if wanted(title):
                    yield title, plain
                for layout in layouts:
                    path = self.folder / "archive-layout.qrn"
                    self.tool("quern-%s" % layout, plain, "-q", "-f", "-o", path)
                    yield "%s, %s" % (title, layout), path
                    path.unlink()
        for name, path in self.web():
            if wanted(name):
                self.tool("quern-import", path, "-q", "-f", "-o", plain)
                yield name, plain
        plain.unlink(missing_ok=True)

    def web(self):
        """Names and files of web graphs that are here."""
        paths = {name: Path(self.options.graphs) / path for name, path in WEB.items()}
        return [(name, path) for name, path in paths.items() if path.exists()]


def print_row(row):
    rates = [row["bytes"] / 1e9 / row["%s_seconds" % what] for what in ("create", "extract", "verify", "copy")]
    bits = 8 * row["archive_bytes"] / max(row["edges"], 1)
    print("%-30s %5d %9.1f %7.2f %8.2f %8.2f %8.2f %8.2f" % (row["name"], row["level"], row["bytes"] / 1e6, bits, *rates),
          flush=True)


def archive_records(rows):
    for row in rows:
        name = row["name"] if row["level"] == DEFAULT_LEVEL and row["name"].startswith("R-MAT") else "%(name)s, level %(level)d" % row
        for what in ("create", "extract", "verify"):
            yield records.record(name, what, 1e-9 * row["bytes"] / row["%s_seconds" % what], "GB/s")
        yield records.record(name, "size", 8 * row["archive_bytes"] / max(row["edges"], 1), "bits an edge")


def published_records(web):
    """What the authors' own files take, as their properties say."""
    for name, path in web:
        (bits,) = re.findall(r"^bitsperlink=(.+)$", path.with_suffix(".properties").read_text(), re.M)
        yield records.record(name + ", WebGraph's file", "size", float(bits), "bits an edge")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scales", type=int, nargs="+", default=[20], help="2^N vertices (20)")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="threads (all)")
    parser.add_argument("--repeat", type=int, default=3, help="runs of which the median counts (3)")
    parser.add_argument("--levels", type=int, nargs="+", default=[DEFAULT_LEVEL],
                        help="compression levels (%d)" % DEFAULT_LEVEL)
    parser.add_argument("--graphs", default=os.environ.get("QUERN_TEST_GRAPHS", ROOT.parent / "shared/graphs"),
                        help="folder of real graphs")
    parser.add_argument("--web", type=float, metavar="ARCS", help="restore cnr-2000 repeated to so many, too")
    parser.add_argument("--only", nargs="+", metavar="TEXT", help="what has TEXT in its name")
    options = parser.parse_args()
    bench = Bench(options)
    print("%-30s %5s %9s %7s %8s %8s %8s %8s" % ("", "", "", "bits an", "create", "extract", "verify", "copy"))
    print("%-30s %5s %9s %7s %35s" % ("", "level", "MB", "edge", "GB a second"))
    rows = []
    for name, plain in bench.cases():
        for level in options.levels:
            rows.append(bench.measure(name, plain, level))
            print_row(rows[-1])
    tables = {"archive": [*archive_records(rows), *published_records(bench.web())]}
    if options.web:
        tables["archive-restoring"] = list(bench.restoring(options.web))
        print("\n".join("%-26s %-28s %6.2f" % (each["row"], each["column"], each["value"]) for each in tables["archive-restoring"]))
    (bench.folder / "archive.json").write_text(json.dumps(
        {"threads": options.threads, "archives": rows, **records.stamp(tables)}, indent=2) + "\n")


if __name__ == "__main__":
    main()
