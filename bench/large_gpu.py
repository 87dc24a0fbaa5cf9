#!/usr/bin/env python3
"""Whole commands on a graph that takes a good part of a device's memory: R-MAT, scale 28, 8.6 G stored edges, from the page cache.

    bench/large_gpu.py FOLDER        FOLDER in memory has room for 38 GB; making the graph takes 70 GB beside it

A command is timed from its start to its end, with --trust, its result written to FOLDER. What it found must be what the CPU finds.
Writes build/bench/large-gpu.json for bench/report.py. The exit code is 1 if any result was wrong."""

import argparse
import json
import os
import sys
import time
from pathlib import Path

import records

TITLES = {"bfs": "BFS", "cc": "connected components"}
PARTS = ("map", "find", "device", "prepare", "kernel", "write", "report", "total")


class Bench:
    def __init__(self, options):
        self.options, self.records, self.wrong = options, [], 0
        self.sections = records.Sections(options.seconds, self.save)
        self.title = "R-MAT, scale %d, undirected" % options.scale
        self.graph = options.folder / ("large%d.qrn" % options.scale)

    def save(self):
        records.write(self.options.report, records.stamp({"gpu-large": self.records}))

    def call(self, *words):
        """Seconds from start to end, and what was printed."""
        begun = time.monotonic()
        said = self.sections.call(*words)
        return time.monotonic() - begun, said

    def make(self):
        if self.graph.exists():
            return
        seconds, _ = self.call(self.options.bin / "quern-generate", "rmat", "--scale", self.options.scale, "--degree", 16, "--undirected",
                               "-q", "-o", self.graph)
        print("made in %.1f s: %.1f GB" % (seconds, 1e-9 * self.graph.stat().st_size), flush=True)

    def run(self, row, algorithm, device, *words):
        """What the run of median time reports; its time and that of its parts become a row."""
        runs = []
        for _ in range(self.options.repeat if device == self.options.device else 1):
            try:
                whole, said = self.call(self.options.runner if device == self.options.device else self.options.bin / "quern-run", algorithm,
                                        self.graph, "--device", device, "--trust", "--json", "-q", "-f", "-o",
                                        self.options.folder / "result.npy", *words)
            except records.OutOfTime:
                if not runs:
                    raise
                break
            runs.append((whole, json.loads(said)))
            self.show(row, *runs[-1])
        whole, report = sorted(runs, key=lambda run: run[0])[len(runs) // 2]
        device_figures, streaming = report.get("accelerator"), report.get("streaming", {})
        self.add(row, "the whole command", whole, "s")
        if report["seconds"]["prepare"] > 0:
            self.add(row, "preparing", report["seconds"]["prepare"], "s")
        self.add(row, "kernel", device_figures["kernel_seconds"] if device_figures else report["seconds"]["kernel"], "s")
        if streaming:
            moved = streaming["moved_bytes"] + streaming.get("read_bytes", 0)
            self.add(row, "moved", 1e-9 * moved, "GB")
            print("%-32s %.2f GB moved of %.2f GB" % (row, 1e-9 * moved, 1e-9 * streaming["topology_bytes"]), flush=True)
        return report["result"]

    def show(self, row, whole, report):
        parts = ["%s %.3f" % (part, report["seconds"][part]) for part in PARTS]
        if "accelerator" in report:
            parts += ["%s %.3f" % (part, report["accelerator"][part + "_seconds"]) for part in ("start", "copy", "kernel")]
        print("%-32s %7.3f s; %s" % (row, whole, ", ".join(parts)), flush=True)

    def add(self, row, column, value, unit):
        self.records.append(records.record(row, column, value, unit, self.title))

    def compare(self, row, result, expected):
        if result is not None and expected is not None and result != expected:
            self.wrong += 1
            print("WRONG   %s: %s, the CPU %s" % (row, result, expected), flush=True)

    def all(self):
        self.sections.do("making the graph", self.make)
        if not self.graph.exists():
            return 1
        found, expected = {}, {}
        memory = self.options.device_memory
        rows = [(title, algorithm, []) for algorithm, title in TITLES.items()]
        if self.options.device != "cpu":
            rows.append(("BFS, streamed with %s" % memory, "bfs", ["--device-memory", memory]))
        for row, algorithm, words in rows:
            self.sections.do(row, lambda r=row, a=algorithm, w=words: found.update({r: (a, self.run(r, a, self.options.device, *w))}))
        for algorithm, title in TITLES.items():
            self.sections.do(title + ", on the CPU",
                             lambda a=algorithm, t=title: expected.update({a: self.run(t + ", on the CPU", a, "cpu")}))
        for row, (algorithm, result) in found.items():
            self.compare(row, result, expected.get(algorithm))
        return 1 if self.wrong or self.sections.failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="for the graph, which is kept, and results")
    parser.add_argument("--scale", type=int, default=28, help="2^N vertices (28)")
    parser.add_argument("--device", default="cuda", help="where to run (cuda)")
    parser.add_argument("--device-memory", default="8G", help="of the streamed run (8G)")
    parser.add_argument("--repeat", type=int, default=3, help="runs of which the median counts (3)")
    parser.add_argument("--seconds", type=float, default=150, help="stop after so long (150)")
    parser.add_argument("--bin", type=Path, default=records.ROOT / "build/bin", help="the tools")
    parser.add_argument("--runner", type=Path, help="another quern-run, such as the emulated one")
    parser.add_argument("--report", type=Path, default=records.ROOT / "build/bench/large-gpu.json", help="what is written, anew after every row")
    options = parser.parse_args()
    options.runner = options.runner or options.bin / "quern-run"
    options.folder.mkdir(parents=True, exist_ok=True)
    os.environ["QUERN_NO_SYNC"] = "1"
    return Bench(options).all()


if __name__ == "__main__":
    sys.exit(main())
