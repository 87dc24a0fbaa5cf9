#!/usr/bin/env python3
"""Sampled edges a second of a graph on a disk: mapped, and read with a cache of a given size, beside what the disk can.

    bench/training/rows_on_disk.py GRAPH [--cache 1G] [--batches 8] [--warm 4] [--turns 3] [--json FILE]

The file is dropped from the system's cache before each turn; `--warm` batches come first and are not counted. What a graph larger than memory does is
seen under a limit of memory of, say, half the file: `systemd-run --scope -p MemoryMax=2G bench/training/rows_on_disk.py ...`.
"""

import argparse
import concurrent.futures
import json
import os
import statistics
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[2] / "python")]

import numpy

import quern
import records

FANOUTS, BLOCK = [15, 10, 5], 4096


def drop(path):
    os.sync()
    descriptor = os.open(path, os.O_RDONLY)
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(descriptor)


def sampled(path, given, threads, **options):
    """Edges a second."""
    drop(path)
    graph = quern.open(path, trust=True)
    sampler = quern.sampler(graph, FANOUTS, direction="out", seed=1, threads=threads, **options)
    random, count, begin = numpy.random.default_rng(1), 0, 0.
    for batch in range(given.warm + given.batches):
        begin = time.perf_counter() if batch == given.warm else begin
        found = sampler.sample(random.integers(0, len(graph), given.seeds))
        count += len(found.row) if batch >= given.warm else 0
    return count / (time.perf_counter() - begin)


def blocks(path, depth):
    """Blocks of 4096 bytes at random places, so many at a time, past the system's cache."""
    drop(path)
    number, descriptor = 1 << 14, os.open(path, os.O_RDONLY)
    places = numpy.random.default_rng(2).integers(0, os.path.getsize(path) // BLOCK, number) * BLOCK
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_RANDOM)
    begin = time.perf_counter()
    with concurrent.futures.ThreadPoolExecutor(depth) as pool:
        list(pool.map(lambda part: [os.pread(descriptor, BLOCK, int(place)) for place in part], numpy.array_split(places, depth)))
    seconds = time.perf_counter() - begin
    os.close(descriptor)
    return number / seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("graph")
    parser.add_argument("--cache", default="1G")
    parser.add_argument("--seeds", type=int, default=1024, help="of a batch")
    parser.add_argument("--batches", type=int, default=8)
    parser.add_argument("--warm", type=int, default=4)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="of what is mapped")
    parser.add_argument("--memory", default="all of it", help="what the limit is, for the record")
    parser.add_argument("--json")
    given = parser.parse_args()
    works = {"mapped": lambda: sampled(given.graph, given, given.threads),
             "read, a cache of " + given.cache: lambda: sampled(given.graph, given, None, read=True, cache=given.cache),
             "blocks of the disk, 1 at a time": lambda: blocks(given.graph, 1), "blocks of the disk, 32 at a time": lambda: blocks(given.graph, 32)}
    found = {name: [] for name in works}
    for _ in range(given.turns):
        for name, work in works.items():
            found[name].append(work())
            print("%-34s %8.1f k/s" % (name, found[name][-1] / 1e3), flush=True)
    what = "%.1f GB on disk, memory %s" % (os.path.getsize(given.graph) / 1e9, given.memory)
    table = [records.record(name, "at random", statistics.median(each) / 1e3, "k/s", what) for name, each in found.items()]
    if given.json:
        Path(given.json).write_text(json.dumps(records.stamp({"sampling-disk": table}), indent=1))


if __name__ == "__main__":
    main()
