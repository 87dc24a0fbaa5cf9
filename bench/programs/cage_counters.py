#!/usr/bin/env python3
"""GraphCage's figures 9 and 10 by the counters of a device: how many accesses miss its L2 cache, and how many sectors of its memory are read
or written for each edge, in every way that cage_bars.cu sums rows. Nsight Compute (ncu) reads the counters, where the system allows it.

    bench/programs/cage_counters.py FOLDER     FOLDER in memory has room for 8 GB at scale 25

The cache is as each kernel left it to the next one. Writes build/bench/cage-counters.json for bench/report.py."""

import argparse
import collections
import csv
import os
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import records

METRICS = {"lts__t_sectors.sum": "accesses", "lts__t_sectors_lookup_miss.sum": "misses", "dram__bytes_read.sum": "read", "dram__bytes_write.sum": "written"}
UNITS = {"byte": 1, "kbyte": 1e3, "mbyte": 1e6, "gbyte": 1e9}
SECTOR = 32  # bytes
RUNS = 2  # of each way by cage-bars: one warms up


def way_of(kernel):
    width = re.search(r"pull_rows<.*?(\d+)>", kernel)
    if width:
        return "base" if width.group(1) == "1" else "VWC of " + width.group(1)
    return "naive blocking" if "pull_naive" in kernel else "local rows" if "pull_local" in kernel or "add_up_local" in kernel else None


def counted(text):
    """Of each way what its kernels counted, from ncu's CSV: a row for each metric of each launch."""
    ways = collections.defaultdict(collections.Counter)
    lines = text.splitlines()
    header = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if header is None:
        raise RuntimeError("ncu counted nothing: " + " ".join(lines[-3:]))
    for row in csv.DictReader(lines[header:]):
        way = way_of(row["Kernel Name"])
        if way:
            value = float(row["Metric Value"].replace(",", ""))
            ways[way][METRICS[row["Metric Name"]]] += value * UNITS.get(row["Metric Unit"].lower(), 1)
    return ways


class Bench:
    def __init__(self, options):
        self.options, self.records = options, []
        self.sections = records.Sections(options.seconds, self.save)

    def save(self):
        records.write(self.options.report, records.stamp({"papers-cage-counters": self.records}))

    def scale(self, scale):
        graph, blocks = (self.options.folder / ("cage-counters%s.qrn" % name) for name in ("", "-blocks"))
        self.sections.call(self.options.bin / "quern-generate", "rmat", "--scale=%d" % scale, "--undirected", "-qfo", graph)
        self.sections.call(self.options.bin / "quern-block", graph, "-dpull", "-qfo", blocks)
        said = self.sections.call("ncu", "--csv", "--print-units=base", "--cache-control=none", "--metrics=" + ",".join(METRICS),
                                  self.options.programs / "cage-bars", graph, blocks, RUNS - 1)
        edges = int(re.search(r'"edges": *(\d+)', said).group(1))
        for path in (graph, blocks):
            path.unlink()
        for way, found in counted(said).items():
            self.add(scale, way, "misses of the L2 cache", 100 * found["misses"] / max(1, found["accesses"]), "%")
            self.add(scale, way, "accesses to memory, an edge", (found["read"] + found["written"]) / SECTOR / RUNS / edges, "")

    def add(self, scale, row, column, value, unit):
        self.records.append(records.record(row, column, value, unit, "R-MAT, scale %d, 16 edges a vertex, undirected" % scale))
        print("%-6d %-20s %-32s %10.4f %s" % (scale, row, column, value, unit), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="for graphs and their blocks, which are removed")
    parser.add_argument("--scales", type=lambda text: [int(scale) for scale in text.split(",")], default=[23, 25], help="2^N vertices (23,25)")
    parser.add_argument("--seconds", type=float, default=150, help="stop after so long (150)")
    parser.add_argument("--bin", type=Path, default=records.ROOT / "build/bin", help="the tools")
    parser.add_argument("--programs", type=Path, default=records.ROOT / "build/release/bench", help="cage-bars")
    parser.add_argument("--report", type=Path, default=records.ROOT / "build/bench/cage-counters.json", help="what is written, anew after every graph")
    options = parser.parse_args()
    os.environ["QUERN_NO_SYNC"] = "1"
    bench = Bench(options)
    for scale in options.scales:
        bench.sections.do("scale %d" % scale, lambda s=scale: bench.scale(s))
    return 1 if bench.sections.failed else 0


if __name__ == "__main__":
    sys.exit(main())
