#!/usr/bin/env python3
"""Every format out of and into a container: rates of quern-export and quern-import, medians.

    scons -j2 tools && bench/formats.py [--scale 22] [--threads 2] [--only adjacency pairs]

Files are made once, of an R-MAT graph of degree 16, and lie in the page cache; nothing is synced. "read" is parsing alone, "in"
the whole import to a sorted container, "copy" how fast cp copies the file. Packed inputs stand beside the decompressor alone.
The table goes to the terminal, JSON to build/bench/formats.json."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Name in the table: (format, exported from which graph, options of export, options of import).
FORMATS = {
    "edges": ("edges", "plain", [], []),
    "edges, u32": ("edges", "whole", [], []),
    "edges, f32": ("edges", "real", [], []),
    "csv": ("csv", "plain", [], []),
    "matrix-market": ("matrix-market", "unique", [], []),
    "dimacs": ("dimacs", "whole", [], []),
    "metis": ("metis", "simple", [], []),
    "adjacency": ("adjacency", "plain", [], []),
    "adjacency, u32": ("adjacency", "whole", [], []),
    "pairs, u32": ("pairs", "plain", ["--record", "u32"], ["--format", "pairs", "--record", "u32"]),
    "pairs, u64": ("pairs", "plain", ["--record", "u64"], ["--format", "pairs", "--record", "u64"]),
    "pairs, u32 and f32": ("pairs", "real", ["--record", "u32,f32"], ["--format", "pairs", "--record", "u32,f32"]),
    "npy": ("npy", "plain", [], []),
    "npz": ("npz", "unique", [], []),
    "gapbs": ("gapbs", "plain", [], []),
    "galois": ("galois", "plain", [], []),
}
GRAPHS = {
    "plain": [],
    "whole": ["--weights", "1,255"],
    "unique": ["--duplicates", "remove"],
    "simple": ["--undirected", "--self-loops", "remove", "--duplicates", "remove"],
}
PACKERS = {"gzip": (["gzip", "-1", "-c"], ["zcat"]), "zstd": (["zstd", "-q", "-3", "-c"], ["zstd", "-q", "-dc"])}


class Bench:
    def __init__(self, options):
        self.options = options
        self.folder = ROOT / "build/bench"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.environment = dict(os.environ, QUERN_NO_SYNC="1")

    def run(self, *words, **more):
        words = [str(word) for word in words]
        done = subprocess.run(words, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
        if done.returncode:
            sys.exit("bench: %s: %s" % (" ".join(words), done.stderr.decode(errors="replace")))
        return done.stdout

    def tool(self, name, *words):
        return json.loads(self.run(ROOT / "build/bin" / name, *words, "-T", self.options.threads, "--json", "-f"))

    def median(self, measure):
        return statistics.median(measure() for _ in range(self.options.repeat))

    def timed(self, *words):
        begun = time.monotonic()
        self.run(*words)
        return time.monotonic() - begun

    def graph(self, name):
        path = self.folder / ("formats-%s-%d.qrn" % (name, self.options.scale))
        if path.exists():
            return path
        if name == "real":  # as the whole weights, a hundredth each
            text = self.run(ROOT / "build/bin/quern-export", "-q", self.graph("whole"), "-o", "-").decode()
            lines = (line.rsplit("\t", 1) for line in text.splitlines() if not line.startswith("#"))
            packed = "".join("%s\t%r\n" % (ends, int(weight) * 0.0123457) for ends, weight in lines)
            self.run(ROOT / "build/bin/quern-import", "-", "-q", "--vertices", 1 << self.options.scale, "-o", path,
                     input=packed.encode())
        else:
            self.run(ROOT / "build/bin/quern-generate", "rmat", "--scale", self.options.scale, "--degree", 16, "-q", "-o",
                     path, *GRAPHS[name])
        return path

    def measure(self, name):
        format_name, graph, out_options, in_options = FORMATS[name]
        source, back = self.graph(graph), self.folder / "formats-back.qrn"
        path = self.folder / ("formats.%s" % format_name)
        export = lambda: self.tool("quern-export", source, "--format", format_name, *out_options, "-o", path)["seconds"]["write"]
        out = self.median(export)
        reports = [self.tool("quern-import", path, *in_options, "-o", back, "-q") for _ in range(self.options.repeat)]
        seconds = {part: statistics.median(report["seconds"][part] for report in reports) for part in ("read", "total")}
        copy = self.median(lambda: self.timed("cp", path, self.folder / "formats.copy"))
        edges, size = reports[0]["ledger"]["edges_read"], path.stat().st_size
        row = {"format": name, "edges": edges, "bytes": size, "export_seconds": out, "read_seconds": seconds["read"],
               "import_seconds": seconds["total"], "copy_seconds": copy}
        if name in self.options.packed:
            row["packed"] = {packer: self.packed(path, packer, in_options, back) for packer in PACKERS}
        path.unlink()
        return row

    def packed(self, path, packer, in_options, back):
        """Seconds of an import beside those of the decompressor alone."""
        pack, unpack = PACKERS[packer]
        packed = self.folder / "formats.packed"
        packed.write_bytes(self.run(*pack, path))
        alone = self.median(lambda: self.timed("sh", "-c", '"$@" >/dev/null', "sh", *unpack, packed))
        read = self.median(lambda: self.tool("quern-import", packed, *in_options, "-o", back, "-q")["seconds"]["read"])
        packed.unlink()
        return {"decompressor_seconds": alone, "read_seconds": read}


def print_row(row):
    edges, size = row["edges"] / 1e6, row["bytes"] / 1e9
    print("%-20s %8.1f %8.1f %8.1f %9.2f %9.2f %9.2f" % (
        row["format"], edges / row["export_seconds"], edges / row["read_seconds"], edges / row["import_seconds"],
        size / row["export_seconds"], size / row["read_seconds"], size / row["copy_seconds"]), flush=True)
    for packer, seconds in row.get("packed", {}).items():
        print("    %-16s read in %.2f s, %s alone takes %.2f s" % (packer, seconds["read_seconds"], packer,
                                                                  seconds["decompressor_seconds"]), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=int, default=20, help="2^N vertices (20)")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="threads (all)")
    parser.add_argument("--repeat", type=int, default=3, help="runs of which the median counts (3)")
    parser.add_argument("--only", nargs="+", choices=FORMATS, metavar="FORMAT", help="of: %s" % "; ".join(FORMATS))
    parser.add_argument("--packed", nargs="*", choices=FORMATS, default=["edges"], metavar="FORMAT",
                        help="also packed by gzip and zstd (edges)")
    options = parser.parse_args()
    bench = Bench(options)
    print("%-20s %8s %8s %8s %9s %9s %9s" % ("", "out", "read", "in", "out", "read", "copy"))
    print("%-20s %26s %29s" % ("", "million edges a second", "GB a second"))
    rows = []
    for name in options.only or FORMATS:
        rows.append(bench.measure(name))
        print_row(rows[-1])
    (bench.folder / "formats.json").write_text(json.dumps({"scale": options.scale, "threads": options.threads,
                                                           "formats": rows}, indent=2) + "\n")


if __name__ == "__main__":
    main()
