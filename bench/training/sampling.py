#!/usr/bin/env python3
"""Sampled edges a second, beside torch-sparse or pyg-lib where this interpreter has one of them, and rows of features a second, beside what memory and
the disk can. All in one call; of each the median of a few turns that alternate.

    bench/training/sampling.py [--scale 20] [--threads 16] [--turns 5] [--disk FOLDER] [--json FILE]

The peers sample a batch by a thread, as Quern's batches are here, on the same CSC in memory, with the same seeds. With --disk features lie in a file
there, whose pages are dropped from the system's cache before each turn.
"""

import argparse
import concurrent.futures
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[2] / "python")]

import numpy

import quern
import records

FANOUTS, BATCH = [15, 10, 5], 1024


def peers(graph):
    """{name: function of seeds that gives the number of edges}."""
    try:
        import torch
        ends = [torch.from_numpy(array.astype("i8")) for array in (graph.in_row_offsets, graph.in_column_indices)]
    except (ImportError, RuntimeError):  # a torch that does not know this NumPy
        return {}
    found = {}
    try:
        import torch_sparse  # noqa: F401
        found["torch-sparse"] = lambda seeds: len(torch.ops.torch_sparse.neighbor_sample(*ends, torch.from_numpy(seeds), FANOUTS, False, True)[1])
    except ImportError:
        pass
    try:
        import pyg_lib
        found["pyg-lib"] = lambda seeds: len(pyg_lib.sampler.neighbor_sample(*ends, torch.from_numpy(seeds), FANOUTS)[0])
    except ImportError:
        pass
    return found


def rates(works, turns, clock=time.perf_counter):
    """The median of what each work, by name, does a second; works give how much they did, and take turns."""
    seconds = {name: [] for name in works}
    for turn in range(turns + 1):
        for name, work in works.items():
            begin = clock()
            amount = work()
            if turn:  # the first one warms up
                seconds[name].append(amount / (clock() - begin))
    return {name: statistics.median(each) for name, each in seconds.items()}


def sampling(graph, threads, turns, clock):
    random = numpy.random.default_rng(1)
    many = [random.integers(0, graph.num_vertices, BATCH) for _ in range(4 * threads)]
    sampler = quern.sampler(graph, FANOUTS, seed=1, threads=threads)
    pool = concurrent.futures.ThreadPoolExecutor(threads)
    works = {"Quern": lambda: sum(len(batch.row) for batch in sampler.sample_many(many)),
             "Quern, a batch by all threads": lambda: sum(len(sampler.sample(seeds).row) for seeds in many)}
    packed = quern.sampler(graph.build("packed"), FANOUTS, seed=1, threads=threads)
    works["Quern, packed rows"] = lambda: sum(len(batch.row) for batch in packed.sample_many(many))
    for name, function in peers(graph).items():
        works[name] = lambda function=function: sum(pool.map(function, many))
    offsets = random.integers(0, graph.num_stored_edges, 1 << 22)
    columns = quern.from_edges([(0, 1)], num_vertices=graph.num_stored_edges).with_properties({"c": graph.column_indices}).features["c"]
    works["random reads of edges"] = lambda: len(columns.gather(offsets, threads=threads))
    return rates(works, turns, clock)


def drop(path):
    descriptor = os.open(path, os.O_RDONLY)
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(descriptor)


def rows_by_others(rows, numbers, out, threads):
    """{name: function that copies these rows to `out`, or as many bytes in order}."""
    parts = list(zip(numpy.array_split(numbers, threads), numpy.array_split(out, threads)))
    pool = concurrent.futures.ThreadPoolExecutor(threads)
    works = {"copied in order": lambda: sum(pool.map(lambda part: numpy.copyto(part[1], rows[:len(part[1])]) or part[1].nbytes, parts)),
             "numpy.take": lambda: sum(pool.map(lambda part: rows.take(part[0], 0, part[1], mode="clip").nbytes, parts))}
    try:
        import torch
        of, index, to = torch.from_numpy(rows), torch.from_numpy(numbers), torch.from_numpy(out)
        torch.set_num_threads(threads)
        works["torch.index_select"] = lambda: torch.index_select(of, 0, index, out=to).numel() * 4
    except (ImportError, RuntimeError):
        pass
    return works


def features(vertices, width, threads, turns, folder, clock):
    """Bytes a second: rows at random and in order from memory, and by others; and from a file at random, by reads and by mapping."""
    random = numpy.random.default_rng(2)
    path = os.path.join(folder, "features.qrn")
    graph = quern.from_edges([(0, 1)], num_vertices=vertices).with_properties(
        {"x": random.random((vertices, width), dtype="f4")}, path=path, force=True)
    numbers = random.integers(0, vertices, min(vertices, 1 << 18))
    feature, ordered, out = graph.features["x"], numpy.arange(len(numbers)) % vertices, numpy.empty((len(numbers), width), "f4")
    works = {"memory at random": lambda: feature.gather(numbers, out, threads=threads).nbytes,
             "memory in order": lambda: feature.gather(ordered, out, threads=threads).nbytes}
    works.update(rows_by_others(graph.vertex_properties["x"].copy(), numbers, out, threads))
    found = rates(works, turns, clock)
    few = numbers[:1 << 14]
    how = quern.Feature(graph, "x", read=True).info()["how"]
    graph = feature = None  # what is mapped is not dropped
    works.clear()

    def cold(work):
        os.sync()
        drop(path)
        return work()

    def gathered(**options):
        return cold(lambda: len(quern.Feature(quern.open(path), "x", **options).gather(few, threads=None if options else threads)))

    def blocks(place):
        """What the disk can: blocks of 4096 bytes, 32 at a time, of which as many rows as there are read lie in."""
        descriptor = os.open(path, os.O_RDONLY)
        with concurrent.futures.ThreadPoolExecutor(32) as pool:
            list(pool.map(lambda row: os.pread(descriptor, 4096, int(row) * width * 4 // 4096 * 4096), place))
        os.close(descriptor)
        return len(place)

    rows = rates({"rows of a file, read": lambda: gathered(read=True), "rows of a file, mapped": gathered,
                  "blocks of a file": lambda: cold(lambda: blocks(few))}, turns)
    return found, rows, how


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--scale", type=int, default=20)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--vertices", type=int, default=1 << 20, help="of the features")
    parser.add_argument("--disk", help="a folder on the disk to measure")
    parser.add_argument("--processor-time", action="store_true", help="of what is in memory, a core: for a machine that others use")
    parser.add_argument("--json")
    given = parser.parse_args()
    graph = quern.generate("rmat", given.scale, degree=16, directed=False)
    clock = time.process_time if given.processor_time else time.perf_counter
    sampled = sampling(graph, given.threads, given.turns, clock)
    with tempfile.TemporaryDirectory(dir=given.disk) as folder:
        memory, disk, how = features(given.vertices, 64, given.threads, given.turns, folder, clock)
    table = [records.record(name, "%d threads" % given.threads, value / 1e6, "M/s", "R-MAT %d" % given.scale) for name, value in sampled.items()]
    table += [records.record("features, " + name, "%d threads" % given.threads, value / 1e9, "GB/s") for name, value in memory.items()]
    table += [records.record("features, " + name, how, value / 1e3, "k/s") for name, value in disk.items()]
    for each in table:
        print("%-36s %-12s %10.4g %s" % (each["row"], each["column"], each["value"], each["unit"]))
    for name, value in sampled.items():
        if name != "Quern":
            print("Quern / %s: %.2f" % (name, sampled["Quern"] / value))
    print("rows / the same by %s" % "; by ".join("%s: %.2f" % (name, memory["memory at random"] / value) for name, value in memory.items()))
    print("at random / in order: %.2f; read / mapped: %.2f; read / blocks: %.2f" % (
        memory["memory at random"] / memory["memory in order"], disk["rows of a file, read"] / disk["rows of a file, mapped"],
        disk["rows of a file, read"] / disk["blocks of a file"]))
    if given.json:
        Path(given.json).write_text(json.dumps(records.stamp({"sampling": table}), indent=1))


if __name__ == "__main__":
    main()
