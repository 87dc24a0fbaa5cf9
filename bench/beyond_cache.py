#!/usr/bin/env python3
"""PageRank on a device where the values of all vertices outgrow its L2 cache, by orders and layouts, and what it costs to make these.

    bench/beyond_cache.py FOLDER     FOLDER in memory has room for 40 GB at scale 26

What an order or a layout saves in each iteration pays what making it took after so many iterations, which is told beside. Ranks are
compared with plain CSR's by their greatest and their sum. Writes build/bench/beyond-cache.json for bench/report.py. The exit code is 1
if any differed, or anything failed."""

import argparse
import json
import math
import os
import sys
import time
from pathlib import Path

import records

# Its title, what it is made from, and how.
MADE = [("plain CSR", None, None),
        ("by degree", "plain CSR", ["quern-transform", "--relabel=degree"]),
        ("blocked CSR", "plain CSR", ["quern-block"]),
        ("blocked CSR, by degree", "by degree", ["quern-block"]),
        ("packed, by degree", "by degree", ["quern-pack"])]


class Bench:
    def __init__(self, options):
        self.options, self.records, self.wrong = options, [], 0
        self.sections = records.Sections(options.seconds, self.save)
        self.graph = "R-MAT, scale %d, undirected" % options.scale
        self.seconds = {"plain CSR": 0.0}  # of making each from plain CSR
        self.iteration, self.ranks = {}, {}

    def save(self):
        records.write(self.options.report, records.stamp({"gpu-beyond-cache": self.records}))

    def path(self, title):
        return self.options.folder / (title.replace(" ", "-").replace(",", "") + ".qrn")

    def make(self, title, source, command):
        words = [*command, self.path(source)] if source else ["quern-generate", "rmat", "--scale=%d" % self.options.scale, "--undirected"]
        begun = time.monotonic()
        self.sections.call(self.options.bin / words[0], *words[1:], "-qfo", self.path(title))
        if source:
            self.seconds[title] = self.seconds[source] + time.monotonic() - begun

    def run(self, title):
        """An iteration's time, of the run of median time, and the ranks."""
        runs = []
        for _ in range(self.options.repeat):
            runs.append(json.loads(self.sections.call(self.options.runner, "pagerank", self.path(title), "--device=cuda", "--trust", "--json",
                                                      "-q", "--iterations=%d" % self.options.iterations, "--tolerance=0")))
        times = sorted(1e3 * run["accelerator"]["kernel_seconds"] / run["iterations"] for run in runs)
        self.iteration[title] = times[len(times) // 2]
        self.ranks[title] = runs[0]["result"]
        expected = self.ranks.get("plain CSR", runs[0]["result"])
        if not all(math.isclose(expected[key], runs[0]["result"][key], rel_tol=1e-5) for key in ("max", "sum")):
            self.wrong += 1
            print("WRONG   %s: %s" % (title, runs[0]["result"]), flush=True)

    def tell(self, title):
        self.add(title, "PageRank, an iteration", self.iteration[title], "ms")
        if title == "plain CSR":
            return
        self.add(title, "making it", self.seconds[title], "s")
        saved = 1e-3 * (self.iteration.get("plain CSR", 0) - self.iteration[title])
        if saved > 0:
            self.add(title, "pays after", math.ceil(self.seconds[title] / saved), "iterations")

    def add(self, row, column, value, unit):
        self.records.append(records.record(row, column, value, unit, self.graph))
        print("%-28s %-24s %10.3f %s" % (row, column, value, unit), flush=True)

    def all(self):
        for title, source, command in MADE:
            self.sections.do(title, lambda t=title, s=source, c=command: self.measure(t, s, c))
            if not any(title == other for _, other, _ in MADE):
                self.path(title).unlink(missing_ok=True)
        return 1 if self.wrong or self.sections.failed else 0

    def measure(self, title, source, command):
        self.make(title, source, command)
        self.run(title)
        self.tell(title)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="for the graph and its layouts")
    parser.add_argument("--scale", type=int, default=26, help="2^N vertices (26)")
    parser.add_argument("--iterations", type=int, default=20, help="of a run (20)")
    parser.add_argument("--repeat", type=int, default=3, help="runs of which the median counts (3)")
    parser.add_argument("--seconds", type=float, default=150, help="stop after so long (150)")
    parser.add_argument("--bin", type=Path, default=records.ROOT / "build/bin", help="the tools")
    parser.add_argument("--runner", type=Path, help="another quern-run, such as the emulated one")
    parser.add_argument("--report", type=Path, default=records.ROOT / "build/bench/beyond-cache.json", help="what is written, anew after every row")
    options = parser.parse_args()
    options.runner = options.runner or options.bin / "quern-run"
    options.folder.mkdir(parents=True, exist_ok=True)
    os.environ["QUERN_NO_SYNC"] = "1"
    return Bench(options).all()


if __name__ == "__main__":
    sys.exit(main())
