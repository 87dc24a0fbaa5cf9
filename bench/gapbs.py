#!/usr/bin/env python3
"""The six kernels of the GAP suite beside gapbs, and BFS source by source: how many times Quern's time gapbs takes.

    bench/gapbs.py FOLDER            FOLDER has gapbs' programs, best built with -O3 -march=native

The sources are eight vertices with edges, spread over all, and the hub. Both search a clean R-MAT graph, in turn; medians count, on a machine
that has nothing else to do of the times, with --processor of the processor times of all threads. The kernels run on the first number of
threads. Writes build/bench/gapbs.json for bench/report.py."""

import argparse
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import records


def output(*words, threads=1, **more):
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads), QUERN_NO_SYNC="1", **more)
    return subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, check=True, text=True, env=environment).stdout


def waiting(options):
    """Threads that spin until there is work are no work done, but those that sleep share a core for most of so short a search."""
    return {"OMP_WAIT_POLICY": "passive"} if options.processor else {}


def processor_seconds(*words, **more):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    output(*words, **more)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def of_gapbs(options, graph, source, threads):
    words = (options.gapbs / "bfs", "-f", graph, "-r", source, "-n")
    if not options.processor:
        text = output(*words, options.trials, threads=threads)
        return statistics.median(map(float, re.findall(r"(?m)^Trial Time:\s+(\S+)", text)))
    seconds = [processor_seconds(*words, trials, threads=threads, **waiting(options)) for trials in (1, 1 + options.trials)]
    return (seconds[1] - seconds[0]) / options.trials


def of_quern(options, graph, source, threads):
    row, = json.loads(output(options.programs / "bench_kernels", "--algorithms=bfs", "--source=%d" % source, "-T%d" % threads,
                             "--trials=%d" % options.trials, "--json", graph, threads=threads, **waiting(options)))
    return row["processor_seconds" if options.processor else "kernel_seconds"]


def sources_of(options, graph, folder):
    degrees = {}
    output(options.bin / "quern-run", "degree", graph, "--device=cpu", "-q", "-o", folder / "degrees.tsv")
    for line in (folder / "degrees.tsv").read_text().splitlines():
        vertex, degree = line.split("\t")
        if int(degree):
            degrees[int(vertex)] = int(degree)
    vertices = sorted(degrees)
    return [(vertices[(2 * i + 1) * len(vertices) // 16], "source %d" % (i + 1)) for i in range(8)] + [(max(vertices, key=degrees.get), "the hub")], degrees


def trials_of(program, *words, threads, trials):
    text = output(program, *words, "-n", trials, threads=threads)
    return statistics.median(map(float, re.findall(r"(?m)^Trial Time:\s+(\S+)", text)))


def kernels(options, graph, theirs, weighted, theirs_weighted, hub):
    """Seconds of both."""
    threads, trials = options.threads[0], 3

    def gapbs(name, file, *words):
        return trials_of(options.gapbs / name, "-f", file, *words, threads=threads, trials=trials)

    def quern(algorithm, file):
        row, = json.loads(output(options.programs / "bench_kernels", "--algorithms=" + algorithm, "--source=%d" % hub, "-T%d" % threads,
                                 "--trials=%d" % trials, "--json", file, threads=threads))
        return row["kernel_seconds"] / (row["iterations"] if algorithm == "pagerank" else 1)

    yield "BFS", gapbs("bfs", theirs, "-r", hub), quern("bfs", graph)
    yield "connected components", gapbs("cc", theirs), quern("cc", graph)
    yield "PageRank, an iteration (Quern sums in double precision)", gapbs("pr", theirs, "-i", 10, "-t", 0) / 10, quern("pagerank", graph)
    yield ("SSSP, gapbs with its best width of buckets", min(gapbs("sssp", theirs_weighted, "-r", hub, "-d", width) for width in (8, 16, 32, 64)),
           quern("sssp", weighted))
    yield "betweenness, one source", gapbs("bc", theirs, "-r", hub, "-i", 1), quern("bc", graph)
    yield "triangles, relabelling included", gapbs("tc", theirs), quern("tc", graph)


def compared(options, rows):
    for row, gapbs, quern in rows:
        print("%-60s gapbs %9.2f ms, Quern %9.2f ms" % (row, 1e3 * gapbs, 1e3 * quern), flush=True)
        for column, seconds in (("gapbs", gapbs), ("Quern", quern)):
            yield records.record(row, column, 1e3 * seconds, "ms", "R-MAT, scale %d, clean" % options.scale)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gapbs", type=Path, help="the folder of gapbs' programs")
    parser.add_argument("--scale", type=int, default=20, help="2^N vertices (20)")
    parser.add_argument("--threads", type=lambda text: [int(word) for word in text.split(",")], default=[2, 16], help="2,16")
    parser.add_argument("--trials", type=int, default=15, help="searches from each source (15)")
    parser.add_argument("--processor", action="store_true", help="compare processor times")
    parser.add_argument("--bin", type=Path, default=records.ROOT / "build/bin", help="the tools")
    parser.add_argument("--programs", type=Path, default=records.ROOT / "build/release/bench", help="bench_kernels")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory(dir="/dev/shm") as name:
        folder = Path(name)
        graph, theirs = folder / "g.qrn", folder / "g.sg"
        output(options.bin / "quern-generate", "rmat", "--scale=%d" % options.scale, "--undirected", "--self-loops=remove",
               "--duplicates=remove", "-qo", graph)
        output(options.bin / "quern-export", graph, "--format=gapbs", "-qo", theirs)
        weighted, theirs_weighted = folder / "w.qrn", folder / "w.wsg"
        output(options.bin / "quern-generate", "rmat", "--scale=%d" % options.scale, "--undirected", "--self-loops=remove",
               "--duplicates=remove", "--weights=1,255", "-qo", weighted)
        output(options.bin / "quern-export", weighted, "--format=gapbs", "-qo", theirs_weighted)
        sources, degrees = sources_of(options, graph, folder)
        beside = list(compared(options, kernels(options, graph, theirs, weighted, theirs_weighted, sources[-1][0])))
        for threads in options.threads:
            times = []
            for source, what in sources:
                gapbs, quern = of_gapbs(options, theirs, source, threads), of_quern(options, graph, source, threads)
                times.append(gapbs / quern)
                print("%2d threads, degree %6d: gapbs %7.2f ms, Quern %7.2f ms, %.2f" % (threads, degrees[source], 1e3 * gapbs, 1e3 * quern,
                                                                                        gapbs / quern), flush=True)
                rows.append(records.record("%s, of degree %d" % (what, degrees[source]), "%d threads" % threads, gapbs / quern, "times"))
            for row, value in (("the least of nine sources", min(times)), ("the most of nine sources", max(times))):
                rows.append(records.record(row, "%d threads" % threads, value, "times"))
    report = records.ROOT / "build/bench/gapbs.json"
    report.parent.mkdir(parents=True, exist_ok=True)
    report.write_text(json.dumps(records.stamp({"gapbs": beside, "gapbs-sources": rows}), indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
