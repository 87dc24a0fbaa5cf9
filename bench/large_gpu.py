#!/usr/bin/env python3
"""Whole commands on a graph that takes a good part of a device's memory: R-MAT, scale 28, 8.6 G stored edges, from the page cache.

    bench/large_gpu.py FOLDER        FOLDER in memory has room for 38 GB; making the graph takes 70 GB beside it

A command is timed from its start to its end, with --trust, its result written to FOLDER. What it found must be what the CPU finds.
Writes build/bench/large-gpu.json for bench/report.py. The exit code is 1 if any result was wrong."""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import records

TITLES = {"bfs": "BFS", "cc": "connected components"}
PARTS = ("map", "find", "device", "prepare", "kernel", "write", "report", "total")


class Bench:
    def __init__(self, options):
        self.options, self.begun, self.records, self.wrong = options, time.monotonic(), [], 0
        self.title = "R-MAT, scale %d, undirected" % options.scale
        self.graph = options.folder / ("large%d.qrn" % options.scale)

    def call(self, *words):
        """Seconds from start to end, and what was printed; None if there was no time, or it failed."""
        left = self.options.seconds - (time.monotonic() - self.begun)
        begun = time.monotonic()
        try:
            done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  timeout=max(left, 0.1))
        except subprocess.TimeoutExpired:
            print("no time left for: %s" % " ".join(map(str, words[1:])), flush=True)
            return None
        if done.returncode:
            print("exit code %d: %s" % (done.returncode, done.stderr.strip()[-300:]), flush=True)
            return None
        return time.monotonic() - begun, done.stdout

    def make(self):
        if self.graph.exists():
            return True
        made = self.call(self.options.bin / "quern-generate", "rmat", "--scale", self.options.scale, "--degree", 16, "--undirected",
                         "-q", "-o", self.graph)
        if made:
            print("made in %.1f s: %.1f GB" % (made[0], 1e-9 * self.graph.stat().st_size), flush=True)
        return made is not None

    def run(self, row, algorithm, device, *words):
        """What the run of median time reports; its time and that of its parts become a row."""
        runs = []
        for _ in range(self.options.repeat if device == self.options.device else 1):
            done = self.call(self.options.runner, algorithm, self.graph, "--device", device, "--trust", "--json", "-q",
                             "-f", "-o", self.options.folder / "result.npy", *words)
            if done:
                runs.append((done[0], json.loads(done[1])))
                self.show(row, *runs[-1])
        if not runs:
            return None
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
        if not self.make():
            return 1
        found = {}
        for algorithm, title in TITLES.items():
            found[title] = (algorithm, self.run(title, algorithm, self.options.device))
        memory = self.options.device_memory
        if self.options.device != "cpu":
            row = "BFS, streamed with %s" % memory
            found[row] = ("bfs", self.run(row, "bfs", self.options.device, "--device-memory", memory))
        expected = {algorithm: self.run(title + ", on the CPU", algorithm, "cpu") for algorithm, title in TITLES.items()}
        for row, (algorithm, result) in found.items():
            self.compare(row, result, expected[algorithm])
        report = records.ROOT / "build/bench/large-gpu.json"
        report.parent.mkdir(parents=True, exist_ok=True)
        report.write_text(json.dumps(records.stamp({"gpu-large": self.records}), indent=1))
        return 1 if self.wrong else 0


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
    options = parser.parse_args()
    options.runner = options.runner or options.bin / "quern-run"
    options.folder.mkdir(parents=True, exist_ok=True)
    os.environ["QUERN_NO_SYNC"] = "1"
    return Bench(options).all()


if __name__ == "__main__":
    sys.exit(main())
