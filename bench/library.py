#!/usr/bin/env python3
"""From arrays to a graph through the library, beside the tool on the same edges as binary pairs; and opening a container.
Processor time, the least of a few turns that alternate.

    PYTHONPATH=python bench/library.py [--scale 20] [--json FILE]
    PYTHONPATH=python bench/library.py --open FILE      opening this container alone, which may be a large one
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))

import numpy as np

import quern
import records

BIN = records.ROOT / "build/bin"


def of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def by_tool(folder):
    before = of_children()
    subprocess.run([BIN / "quern-import", folder / "edges.bin", "--format", "pairs", "--record", "u32", "-q", "-f", "-o",
                    folder / "tool.qrn"], check=True)
    return of_children() - before


def by_library(source, target, **options):
    before = time.process_time()
    quern.from_arrays(source, target, **options)
    return time.process_time() - before


def opened(path):
    """The median time of opening it and finding an array, in microseconds, and in what row it is told."""
    times = []
    for _ in range(100):
        begin = time.perf_counter()
        quern.open(path).column_indices
        times.append(1e6 * (time.perf_counter() - begin))
    size = Path(path).stat().st_size
    text = "%.3g GB" % (size / 1e9) if size >= 1e9 else "%.3g MB" % (size / 1e6)
    return records.record("opening a container of " + text, "time", statistics.median(times), "us", "any")


def built(scale, num_turns):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        graph = quern.generate("rmat", scale, path=folder / "g.qrn")
        order = np.random.default_rng(1).permutation(graph.num_edges)
        source, target = graph.sources()[order], graph.column_indices[order]
        np.stack([source, target], 1).astype("u4").tofile(folder / "edges.bin")
        turns = [(by_tool(folder), by_library(source, target, path=folder / "ours.qrn", force=True), by_library(source, target))
                 for _ in range(num_turns)]
        tool, in_file, in_memory = (min(column) for column in zip(*turns))
        name = "R-MAT, scale %d" % scale
        return [records.record("pairs through quern-import", "processor time", tool, "s", name),
                records.record("arrays to a file", "processor time", in_file, "s", name),
                records.record("arrays to a graph in memory", "processor time", in_memory, "s", name), opened(folder / "g.qrn")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=int, default=20)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--open", metavar="FILE")
    parser.add_argument("--json")
    options = parser.parse_args()
    found = [opened(options.open)] if options.open else built(options.scale, options.turns)
    for each in found:
        print("%-30s %8g %s" % (each["row"], each["value"], each["unit"]))
    if options.json:
        Path(options.json).write_text(json.dumps(records.stamp({"library": found})))


if __name__ == "__main__":
    main()
