#!/usr/bin/env python3
"""Archives: sizes, and rates of quern-archive create, extract and verify, medians.

    scons -j2 tools && bench/archive.py [--scales 20 22] [--threads 2] [--graphs FOLDER] [--only undirected]

R-MAT graphs of degree 16, directed and not, without and with weights, layouts of the first, and cnr-2000 where FOLDER has it. Files
lie in the page cache and nothing is synced. Rates are of the plain container's bytes; bits are of the archive for an edge stored,
without weights. "copy" is how fast cp copies the plain container. The table goes to the terminal, JSON to build/bench/archive.json."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import records

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
CNR = "cnr-2000/cnr-2000.graph"


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
        cnr = Path(self.options.graphs) / CNR
        if cnr.exists() and wanted("cnr-2000"):
            self.tool("quern-import", cnr, "-q", "-f", "-o", plain)
            yield "cnr-2000", plain
        plain.unlink(missing_ok=True)


def print_row(row):
    rates = [row["bytes"] / 1e9 / row["%s_seconds" % what] for what in ("create", "extract", "verify", "copy")]
    bits = 8 * row["archive_bytes"] / max(row["edges"], 1)
    print("%-30s %5d %9.1f %7.2f %8.2f %8.2f %8.2f %8.2f" % (row["name"], row["level"], row["bytes"] / 1e6, bits, *rates),
          flush=True)


def archive_records(rows):
    for row in rows:
        name = row["name"] if row["level"] == DEFAULT_LEVEL and row["name"] != "cnr-2000" else "%(name)s, level %(level)d" % row
        for what in ("create", "extract", "verify"):
            yield records.record(name, what, 1e-9 * row["bytes"] / row["%s_seconds" % what], "GB/s")
        yield records.record(name, "size", 8 * row["archive_bytes"] / max(row["edges"], 1), "bits an edge")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scales", type=int, nargs="+", default=[20], help="2^N vertices (20)")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="threads (all)")
    parser.add_argument("--repeat", type=int, default=3, help="runs of which the median counts (3)")
    parser.add_argument("--levels", type=int, nargs="+", default=[DEFAULT_LEVEL],
                        help="compression levels (%d)" % DEFAULT_LEVEL)
    parser.add_argument("--graphs", default=os.environ.get("QUERN_TEST_GRAPHS", ROOT.parent / "shared/graphs"),
                        help="folder of real graphs")
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
    (bench.folder / "archive.json").write_text(json.dumps(
        {"threads": options.threads, "archives": rows, **records.stamp({"archive": list(archive_records(rows))})}, indent=2) + "\n")


if __name__ == "__main__":
    main()
