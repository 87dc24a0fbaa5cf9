#!/usr/bin/env python3
"""Ranks that share a run (docs/cluster.md): the bytes that the first one receives and the memory that it takes, at several
numbers of ranks, beside what the model says; times beside those of one process, of runs and of importing text; what sets take on disk;
and times where the network is slow, with messages told while edges are walked and afterwards.

    bench/cluster.py --scale 20 --ranks 1,2,4,8,16 --json cluster.json
    bench/cluster.py --tables import --scale 22 --json cluster.json

The graphs are R-MAT ones of 16 edges a vertex: directed for bytes, undirected for times. More ranks than cores are fine for bytes,
and say nothing about times, which are taken of two ranks of one thread and of one process of two. Needs mpirun."""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import records
import stripes

TOOLS = records.ROOT / "build/bin"
LAUNCH = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]
# Runs a command, and writes the most memory that it took and its processor time to FOLDER/RANK.
MEASURED = """import os, resource, subprocess, sys
done = subprocess.run(sys.argv[2:]).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
with open(os.path.join(sys.argv[1], os.environ.get("OMPI_COMM_WORLD_RANK", "0")), "w") as file:
    file.write("%d %f" % (used.ru_maxrss * 1024, used.ru_utime + used.ru_stime))
sys.exit(done)"""


# ---- The model ----------------------------------------------------------------


def parts_of(path):
    """Of a set: where the rows of each part begin and end."""
    return [dict(zip(("begin", "end"), block["rows"])) for block in json.loads((path / "set.json").read_text())["blocks"]]


def firsts(parts, ranks):
    """Of each rank, and behind the last, the first part, and its first vertex."""
    first = [len(parts) * rank // ranks for rank in range(ranks + 1)]
    return first, [parts[part]["begin"] if part < len(parts) else parts[-1]["end"] for part in first]


def iteration_bytes(parts, ranks, columns, message, total):
    """What the first rank receives in an iteration that recomputes all vertices: a message of each vertex of the other ranks of its
    column, and a sum for each of its own vertices of the others of its row. One column: whole rows."""
    _, vertices = firsts(parts, ranks)
    counts = [end - begin for begin, end in zip(vertices, vertices[1:])]
    return message * sum(counts[columns::columns]) + total * counts[0] * (columns - 1)


def pagerank_bytes(parts, ranks, iterations, converged=False, columns=1):
    """What the first rank receives: messages and sums of 4 bytes, by whole rows in vain once more where the tolerance ends them;
    before the first iteration and after each two sums over all vertices of each part; in the end the results."""
    first, vertices = firsts(parts, ranks)
    other_parts, others = len(parts) - first[1], vertices[-1] - vertices[1]
    told = (iterations + (converged and columns == 1)) * iteration_bytes(parts, ranks, columns, 4, 4)
    return told + (iterations + 1) * 16 * other_parts + 4 * others


def square(ranks):
    """The number of columns of the grid that is closest to a square, with no fewer rows."""
    return max(columns for columns in range(1, ranks + 1) if ranks % columns == 0 and columns * columns <= ranks)


def bfs_bytes(parts, ranks, hops):
    """The same of a search in a directed graph, which always pulls: before it and after each iteration 24 bytes of each rank; in an
    iteration of each rank with senders their numbers or a bitmap of its vertices, and one message; in the end the results. `hops`
    of each vertex; None: not reached."""
    _, vertices = firsts(parts, ranks)
    last = max(hop for hop in hops if hop is not None)
    total = 24 * (ranks - 1) + 4 * (vertices[-1] - vertices[1])
    for hop in range(last + 1):
        total += 24 * (ranks - 1)
        for begin, end in list(zip(vertices, vertices[1:]))[1:]:
            count = hops[begin:end].count(hop)
            words = (end - 1) // 64 - begin // 64 + 1 if begin < end else 0
            total += min(4 * count, 8 * words) + 4 if count else 0
    return total


# ---- Measuring ----------------------------------------------------------------


def run(*words, **more):
    print("$ " + " ".join(map(str, words)), file=sys.stderr, flush=True)
    environment = dict(os.environ, QUERN_NO_SYNC="1", OMPI_MCA_btl="self,vader,tcp")
    return subprocess.run([str(word) for word in words], check=True, stdout=subprocess.PIPE, text=True,
                          env={**environment, **more}).stdout


def used(ranks, threads, *words):
    """What it prints, the most memory of a rank, and the processor time of all; of one rank without mpirun."""
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-c", MEASURED, folder, *words, "-T", threads]
        said = run(*(LAUNCH + ["-n", str(ranks)] if ranks > 1 else []), *words, OMP_NUM_THREADS=str(threads))
        figures = [each.read_text().split() for each in Path(folder).iterdir()]
        return said, max(int(memory) for memory, _ in figures), sum(float(seconds) for _, seconds in figures)


def measured(ranks, threads, algorithm, path, *options):
    """What --json says, and the most memory of a rank."""
    said, memory, _ = used(ranks, threads, TOOLS / "quern-run", algorithm, path, "--device=cpu", "--json", *options)
    return json.loads(said), memory


def make(folder, scale, parts):
    """A directed set, an undirected graph and its set."""
    directed, undirected, whole = folder / "directed", folder / "undirected", folder / "undirected.qrn"
    for path, options in ((directed, []), (undirected, ["--undirected", "--weights", "1,255"])):
        graph = folder / (path.name + ".qrn")
        run(TOOLS / "quern-generate", "rmat", "--scale", scale, "--degree", "16", "--seed", "1", "-qfo", graph, *options)
        run(TOOLS / "quern-transform", graph, "--parts", parts, "-qfo", path)
    return directed, undirected, whole


def hops_of(path, folder):
    run(TOOLS / "quern-run", "bfs", path, "-qfo", folder / "hops.tsv")
    return [int(value) if value.isdigit() else None
            for value in (line.rstrip("\n").partition("\t")[2] for line in (folder / "hops.tsv").open())]


def count_bytes(directed, folder, scale, ranks):
    """The records of a table: of bytes, and of memory, as if ranks were on machines of their own."""
    os.environ["QUERN_RANKS_SHARED"] = "0"
    parts, hops, cells = parts_of(directed), hops_of(directed, folder), []
    graph = "R-MAT, scale %d, directed" % scale
    for count in ranks:
        ten, columns = ["--iterations", "10", "--tolerance", "0"], square(count)
        for algorithm, title, options, modelled in (
                ("pagerank", "PageRank, 10 iterations", [*ten, "--grid", "none"], pagerank_bytes(parts, count, 10)),
                ("pagerank", "PageRank, %d x %d" % (count // columns, columns), [*ten, "--grid", "%dx%d" % (count // columns, columns)],
                 pagerank_bytes(parts, count, 10, columns=columns)),
                ("bfs", "BFS", [], bfs_bytes(parts, count, hops))):
            if columns == 1 and " x " in title:
                continue
            said, memory = measured(count, 1, algorithm, directed, *options)
            row, figures = "%s, %d rank%s" % (title, count, "" if count == 1 else "s"), {}
            if count > 1:
                figures = {"received, measured": said["ranks"]["received_bytes"], "received, by the model": modelled}
                if len(set(figures.values())) > 1:
                    sys.exit("cluster: %s on %d ranks: %s" % (algorithm, count, figures))
            for column, value in {**figures, "memory of the largest rank": memory}.items():
                cells.append(records.record(row, column, value / 1e6, "MB", graph))
    del os.environ["QUERN_RANKS_SHARED"]
    return cells


def read_anew(*paths):
    """In order, as from a disk at rest: what lies in memory as it was written there, in small pages, takes longer to map."""
    files = [file for path in paths for file in ([path] if path.is_file() else sorted(path.iterdir()))]
    stripes.forget(files)
    for file in files:
        with file.open("rb") as opened:
            while opened.read(4 << 20):
                pass


def compare(undirected, whole, scale, trials):
    """One process of two threads on the container and on the set, and two ranks of one thread (the first one's time, twice): processor
    time of kernels and what they prepare, by turns, the least of several. Threads that wait sleep, as ranks do."""
    ways = (("container", 1, 2, whole), ("set, one process", 1, 2, undirected), ("set, 2 ranks of 1 thread", 2, 1, undirected))
    algorithms = (("pagerank", "PageRank, 20 iterations", ("--iterations", "20", "--tolerance", "0")), ("bfs", "BFS", ()),
                  ("cc", "components", ()), ("sssp", "SSSP", ()))
    taken = {}
    read_anew(undirected, whole)
    os.environ["OMP_WAIT_POLICY"] = "passive"
    for _ in range(trials):
        for algorithm, title, options in algorithms:
            for column, ranks, threads, path in ways:
                said, _ = measured(ranks, threads, algorithm, path, "--trust", *options)
                taken.setdefault((title, column), []).append(said["seconds"]["processors"] * ranks)
    del os.environ["OMP_WAIT_POLICY"]
    graph = "R-MAT, scale %d, undirected, processor time" % scale
    return [records.record(*cell, min(seconds), "s", graph) for cell, seconds in taken.items()]


def sizes(folder, whole, scale):
    """Bytes on disk beside those of the container."""
    packed, cells = folder / "packed.qrn", []
    run(TOOLS / "quern-pack", whole, "-qfo", packed)
    for parts in (4, 64):
        plain, made = folder / "cut", folder / "cut-packed"
        run(TOOLS / "quern-transform", whole, "--parts", parts, "-qfo", plain)
        run(TOOLS / "quern-pack", plain, "-qfo", made)
        for row, path, container in (("plain rows", plain, whole), ("packed rows", made, packed)):
            size = sum(file.stat().st_size for file in path.iterdir())
            cells.append(records.record(row, "%d parts, of the container" % parts, size / container.stat().st_size, "times",
                                        "R-MAT, scale %d, undirected" % scale))
    return cells


def grids(folder, scales, trials):
    """Processor time of four ranks, all of it, by whole rows and in a grid by turns: medians."""
    cells = []
    for scale in scales:
        path = folder / ("grid%d" % scale)
        run(TOOLS / "quern-generate", "rmat", "--scale", scale, "--degree", "16", "--seed", "1", "--parts", "8", "-qfo", path)
        for iterations in (20, 100):
            taken = {"none": [], "2x2": []}
            for grid in trials * list(taken):
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                measured(4, 1, "pagerank", path, "--iterations", iterations, "--tolerance", "0", "--grid", grid)
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                taken[grid].append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
            for grid, column in (("none", "whole rows"), ("2x2", "2 x 2")):
                cells.append(records.record("R-MAT, scale %d, %d iterations" % (scale, iterations), column,
                                            statistics.median(taken[grid]), "s", "PageRank, 4 ranks, processor time"))
    return cells


def slow_networks(directed, folder, scale, trials):
    """PageRank of two ranks by TCP, whose connection carries so much: both ways by turns, medians; beside what the network takes by
    its rate."""
    paced, cells, graph = folder / "pace.so", [], "R-MAT, scale %d, directed, 10 iterations" % scale
    run("cc", "-D_GNU_SOURCE", "-O1", "-shared", "-fPIC", "-o", paced, records.ROOT / "bench/programs/pace.c")
    for rate in (100, 25, 10):
        taken = {"0": [], "1": []}
        for overlap in trials * ["0", "1"]:
            said = json.loads(run(*LAUNCH, "-n", "2", "env", "LD_PRELOAD=%s" % paced, "PACE=%d" % (rate * 10**6),
                                  "QUERN_RANKS_OVERLAP=" + overlap, "QUERN_RANKS_SHARED=0", TOOLS / "quern-run", "pagerank", directed, "-T1",
                                  "--device=cpu", "--json", "--iterations=10", "--tolerance=0", OMP_NUM_THREADS="1", OMPI_MCA_btl="self,tcp"))
            taken[overlap].append(said["seconds"]["kernel"])
        for column, value in (("told afterwards", statistics.median(taken["0"])),
                              ("while edges are walked", statistics.median(taken["1"])),
                              ("the network, by its rate", said["ranks"]["received_bytes"] / rate / 1e6)):
            cells.append(records.record("%d MB/s" % rate, column, value, "s", graph))
    return cells


def compare_imports(folder, scale, trials):
    """The same of importing: processor time of all, whose least shows what the machine did not add."""
    text, out, cells, graph = folder / "edges.txt", folder / "imported", [], "R-MAT, scale %d, as text" % scale
    run(TOOLS / "quern-generate", "rmat", "--scale", scale, "--degree", "16", "--format", "edges", "-qfo", text)
    ways = (("one process, 2 threads, one container", 1, 2, out.with_suffix(".qrn"), ()),
            ("one process, 2 threads, the set", 1, 2, out, ("--parts", 2)),
            ("2 ranks of 1 thread, the set", 2, 1, out, ()))
    found = {row: [] for row, *_ in ways}
    for _ in range(trials):
        for row, ranks, threads, path, options in ways:
            found[row].append(used(ranks, threads, TOOLS / "quern-import", text, "-qfo", path, *options)[1:])
    for row, figures in found.items():
        cells.append(records.record(row, "processor time", min(seconds for _, seconds in figures), "s", graph))
        cells.append(records.record(row, "memory of each, input included", min(memory for memory, _ in figures) / 1e6, "MB", graph))
    return cells


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=int, default=20)
    parser.add_argument("--ranks", default="1,2,4,8,16")
    parser.add_argument("--parts", type=int, default=16)
    parser.add_argument("--trials", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=records.ROOT / "build/bench")
    parser.add_argument("--tables", default="bytes,processors,sizes,grids,networks,import", help="which to measure")
    parser.add_argument("--json", type=Path, required=True)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    graphs = set(options.tables.split(",")) - {"import"} and make(options.folder, options.scale, options.parts)
    directed, undirected, whole = graphs or (None, None, None)
    measures = {"bytes": lambda: count_bytes(directed, options.folder, options.scale, [int(n) for n in options.ranks.split(",")]),
                "processors": lambda: compare(undirected, whole, options.scale, options.trials),
                "sizes": lambda: sizes(options.folder, whole, options.scale),
                "grids": lambda: grids(options.folder, (18, 20), options.trials),
                "networks": lambda: slow_networks(directed, options.folder, options.scale, options.trials),
                "import": lambda: compare_imports(options.folder, options.scale, options.trials)}
    tables = {"cluster-" + name: measures[name]() for name in options.tables.split(",")}
    options.json.write_text(json.dumps(records.stamp(tables), indent=1))


if __name__ == "__main__":
    main()
