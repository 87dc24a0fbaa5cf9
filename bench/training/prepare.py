#!/usr/bin/env python3
"""What preparing a graph with features for training takes: edges and features at random become a container, whose features are then gathered and
trained on. Told are the time and the peak of memory of each step, in a process of its own, beside the bytes of the features and beside a PyG Data in
memory, where this interpreter has torch_geometric.

    bench/training/prepare.py FOLDER [--edges 10000000] [--degree 16] [--width 64] [--memory SIZE] [--epochs 2] [--json FILE]

The features are made in pieces by numpy.memmap, a file of the features' size, so that what makes them counts for nothing.
"""

import argparse
import importlib.util
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "python")]

CLASSES = 8


def make(folder, given):
    """The raw material: an edge list of two columns in binary, features, labels and a mask."""
    import numpy
    count, piece = given.edges // given.degree, 1 << 20
    random = numpy.random.default_rng(1)
    for name in ("from", "to"):
        ends = numpy.lib.format.open_memmap(folder / ("%s.npy" % name), "w+", "u4", (given.edges,))
        for begin in range(0, given.edges, piece):
            ends[begin:begin + piece] = (random.random(len(ends[begin:begin + piece])) ** 2 * count).astype("u4")
    x = numpy.lib.format.open_memmap(folder / "x.npy", "w+", "f4", (count, given.width))
    y = numpy.lib.format.open_memmap(folder / "y.npy", "w+", "i1", (count,))
    for begin in range(0, count, piece // given.width):
        part = random.random(x[begin:begin + piece // given.width].shape, "f4")
        x[begin:begin + len(part)] = part
        y[begin:begin + len(part)] = (part[:, 0] * CLASSES).astype("i1")


def arrays(folder):
    import numpy
    return {name: numpy.load(folder / (name + ".npy"), mmap_mode="r") for name in ("from", "to", "x", "y")}


def prepare(folder, given):
    """The container, within a bound of memory."""
    import numpy
    import quern
    found = arrays(folder)
    count = len(found["y"])
    bound = {"memory": given.memory} if given.memory else {}
    graph = quern.from_arrays(found["from"], found["to"], num_vertices=count, path=folder / "edges.qrn", force=True, **bound)
    mask = numpy.arange(count) % 10 == 0
    graph.with_properties({"x": found["x"], "y": found["y"], "train_mask": mask}, path=folder / "graph.qrn", force=True)


def train(folder, given, in_memory):
    sys.path.insert(0, str(ROOT / "examples"))
    import python_graphsage
    import quern
    python_graphsage.train(quern.open(folder / "graph.qrn"), given.epochs, in_memory)


STEPS = {"make": make, "prepare": prepare, "train on Quern's stores": lambda folder, given: train(folder, given, False),
         "train on PyG's data": lambda folder, given: train(folder, given, True)}


def own_bytes(pid):
    """Anonymous and shared memory that a process has now; 0: it is no more."""
    try:
        lines = Path("/proc/%d/status" % pid).read_text().splitlines()
    except OSError:
        return 0
    found = {line.split(":")[0]: line.split()[1] for line in lines if line.startswith(("RssAnon", "RssShmem"))}
    return 1024 * sum(map(int, found.values()))


def run(step, given):
    """Seconds, those of processors, and the peaks of memory: of all, and of the process's own."""
    child = subprocess.Popen([sys.executable, "-W", "ignore", __file__, *sys.argv[1:], "--step", step], stdout=subprocess.PIPE, text=True)
    begin, own = time.perf_counter(), 0
    while child.poll() is None:
        own = max(own, own_bytes(child.pid))
        time.sleep(.01)
    seconds, told = time.perf_counter() - begin, child.stdout.read()
    if child.returncode:
        sys.exit("bench: %s failed" % step)
    return seconds, float(told.split()[-2]), int(told.split()[-1]), own


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--edges", type=int, default=10**7)
    parser.add_argument("--degree", type=int, default=16)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--memory", help="for making the graph, as of quern-import")
    parser.add_argument("--epochs", type=int, default=2, help="of training; 0: none")
    parser.add_argument("--json")
    parser.add_argument("--step", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.step:
        STEPS[given.step](given.folder, given)
        usage = resource.getrusage(resource.RUSAGE_SELF)
        print(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)
        return
    import records
    whole = given.edges // given.degree * given.width * 4
    table = []
    for step in STEPS:
        if step.startswith("train") and (not given.epochs or importlib.util.find_spec("torch_geometric") is None):
            continue
        seconds, processor, peak, own = run(step, given)
        print("%-26s %8.1f s  processor %8.1f s  peak %8.0f MB  of its own %8.0f MB  features %8.0f MB  peak / features %.2f, own / features %.2f" % (
            step, seconds, processor, peak / 1e6, own / 1e6, whole / 1e6, peak / whole, own / whole), flush=True)
        what = "%d edges, %d features" % (given.edges, given.width)
        table += [records.record(step, "seconds", seconds, "s", what), records.record(step, "processor time", processor, "s", what), records.record(step, "own memory", own / 1e6, "MB", what),
                  records.record(step, "peak memory", peak / 1e6, "MB", what), records.record(step, "own memory / features", own / whole, "", what)]
    if given.json:
        Path(given.json).write_text(json.dumps(records.stamp({"preparing": table}), indent=1))


if __name__ == "__main__":
    main()
