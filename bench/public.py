#!/usr/bin/env python3
"""The algorithms of LDBC Graphalytics on its graph500-N: R-MAT by Graph500's recipe, undirected, without loops and parallel edges.

    bench/public.py [--scale 26] [--devices cpu,cuda] [--gapbs FOLDER] [--folder /dev/shm] [--seconds 460]

A figure is the median time of the algorithm alone, from the graph in memory to the result in memory, and of the whole command, which
opens, verifies and writes as well. Ten iterations of PageRank and of label propagation, as Graphalytics has them for this graph; SSSP is on
the same edges with weights from 1 to 255. Results of both devices are compared with each other, by Graphalytics' own rules. With
--gapbs its programs (bfs, sssp, pr, cc, tc) run on the same graph. Scale 26 takes 40 GB in the folder. public.json, written anew after
every row, is for bench/report.py. The exit code is 1 if anything failed."""

import argparse
import json
import os
import re
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy

import records

SIMPLE = ["--undirected", "--self-loops=remove", "--duplicates=remove"]
ROWS = {"BFS": ["bfs"], "connected components": ["cc"], "PageRank, 10 iterations": ["pagerank", "--iterations", "10", "--tolerance", "0"],
        "label propagation, 10 iterations": ["cdlp", "--iterations", "10"], "clustering coefficients": ["lcc"],
        "SSSP, weights 1 to 255": ["sssp"], "triangles": ["tc"]}
GAPBS = {"BFS": ["bfs", "-n", "3"], "connected components": ["cc", "-n", "3"], "PageRank, 10 iterations": ["pr", "-i", "10", "-t", "0", "-n", "3"],
         "SSSP, weights 1 to 255": ["sssp", "-n", "3"], "triangles": ["tc", "-n", "1"]}
# What NeuG's page shows of graph500-26 on an EPYC with 64 threads (June 2026).
TURN_SECONDS = 20  # after so long no further turn of the same begins
PUBLISHED = {26: {"BFS": 0.542, "connected components": 0.467, "PageRank, 10 iterations": 5.14, "label propagation, 10 iterations": 10.6,
                  "clustering coefficients": 360}}


def same(row, a, b):
    """Graphalytics' rules: the same numbers, or reals to 1e-4; components by what they join."""
    if row == "connected components":
        pairs = numpy.unique(a.astype("u8") << 32 | b.astype("u8"))
        return len(pairs) == len(numpy.unique(a)) == len(numpy.unique(b))
    return numpy.array_equal(a, b) if a.dtype.kind in "ui" else numpy.allclose(a, b, rtol=1e-4, atol=0, equal_nan=True)


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder, self.records = options, folder, []
        self.title = "graph500-%d" % options.scale
        self.degrees = folder / "degrees.npy"
        self.graph, self.weighted = folder / "graph.qrn", folder / "weighted.qrn"
        self.sections = records.Sections(options.seconds, self.save)

    def save(self):
        records.write(self.options.report, {"failed": self.sections.failed, "skipped": self.sections.left_out,
                                            **records.stamp({"public": self.records})})

    def call(self, *words):
        return self.sections.call(*words, most=600)

    def run(self, tool, *words):
        runner = self.options.runner if tool == "quern-run" and "cuda" in words else None
        return self.call(runner or self.options.bin / tool, *words)

    def add(self, row, column, value, unit="s"):
        print("%-36s %-28s %10.4g %s" % (row, column, value, unit), flush=True)
        self.records.append(records.record(row, column, value, unit, self.title))

    def generate(self):
        begun = time.monotonic()
        shape = ["rmat", "--scale", self.options.scale, *SIMPLE, "-q"]
        made = json.loads(self.run("quern-generate", *shape, "--json", "-o", self.graph))
        self.add("generating", "Quern, whole command", time.monotonic() - begun)
        print("%d vertices, %d edges" % (made["vertices"], made["edges"] // 2), flush=True)
        if "SSSP, weights 1 to 255" in self.options.rows:
            self.run("quern-generate", *shape, "--weights", "1,255", "-o", self.weighted)

    def measure(self, row, device):
        graph, algorithm = self.weighted if row.startswith("SSSP") else self.graph, ROWS[row]
        result = self.folder / ("%s.%s.npy" % (algorithm[0], device))
        words = [algorithm[0], graph, *algorithm[1:], "--device", device, "--json", "-q", "-f"]
        words += [] if algorithm[0] == "tc" else ["-o", result]
        words += ["--source", self.source] if algorithm[0] in ("bfs", "sssp") else []
        alone, whole, begun = [], [], time.monotonic()
        while not alone or (len(alone) < self.options.turns and time.monotonic() - begun < TURN_SECONDS):
            started = time.monotonic()
            told = json.loads(self.run("quern-run", *words))
            whole.append(time.monotonic() - started)
            alone.append(told["seconds"]["kernel"] + told["seconds"]["prepare"])
        name = "Quern, %s" % {"cpu": "%d threads" % os.cpu_count(), "cuda": "GPU"}[device]
        self.add(row, name, statistics.median(alone))
        self.add(row, name + ", whole command", statistics.median(whole))
        return result if result.exists() else told["result"]

    def measure_all(self):
        self.sections.do("generating", self.generate)
        for row in self.options.rows:
            found = {}
            for device in self.options.devices:
                self.sections.do("%s on %s" % (row, device), lambda r=row, d=device: found.update({d: self.measure(r, d)}))
            self.sections.do("%s compared" % row, lambda r=row: self.compare(r, list(found.values())))
            if row in PUBLISHED.get(self.options.scale, {}):
                self.add(row, "NeuG, 64 threads, published", PUBLISHED[self.options.scale][row])
        for row in GAPBS if self.options.gapbs else ():
            if row in self.options.rows:
                self.sections.do("%s by gapbs" % row, lambda r=row: self.measure_gapbs(r))

    def compare(self, row, results):
        alike = len(results) < 2 or (same(row, *map(numpy.load, results)) if isinstance(results[0], Path) else results[0] == results[1])
        for each in results:
            if isinstance(each, Path):
                each.unlink()
        if not alike:
            raise RuntimeError("the devices disagree")

    def measure_gapbs(self, row):
        words, weighted = GAPBS[row], row.startswith("SSSP")
        file = self.folder / ("graph.wsg" if weighted else "graph.sg")
        if not file.exists():
            self.run("quern-export", self.weighted if weighted else self.graph, "--format", "gapbs", "-q", "-o", file)
        more = ["-r", self.source] if words[0] in ("bfs", "sssp") else []
        said = self.call(self.options.gapbs / words[0], "-f", file, *words[1:], *more)
        times = [float(each) for each in re.findall(r"(?m)^Trial Time:\s+(\S+)", said)]
        self.add(row, "gapbs, %d threads" % os.cpu_count(), statistics.median(times))

    @property
    def source(self):
        """The vertex of the largest degree, as in bench/papers.py."""
        if not self.degrees.exists():
            self.run("quern-run", "degree", self.graph, "--device", "cpu", "-q", "-f", "-o", self.degrees)
        return int(numpy.load(self.degrees, mmap_mode="r").argmax())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=int, default=26, help="2^N vertices (26)")
    parser.add_argument("--devices", type=lambda text: text.split(","), default=["cpu", "cuda"], help="cpu, cuda or both (cpu,cuda)")
    parser.add_argument("--rows", type=lambda text: [row for row in ROWS if ROWS[row][0] in text.split(",")], default=list(ROWS),
                        help="algorithms, such as bfs,cc (all)")
    parser.add_argument("--turns", type=int, default=3, help="at most so many of each (3)")
    parser.add_argument("--seconds", type=float, default=1800, help="stop after so long (1800)")
    parser.add_argument("--gapbs", type=Path, help="a folder of gapbs' programs")
    parser.add_argument("--folder", default="/dev/shm", help="where graphs are (/dev/shm)")
    parser.add_argument("--bin", type=Path, default=records.ROOT / "build/bin", help="the tools")
    parser.add_argument("--runner", type=Path, help="another quern-run for GPUs, such as the emulated one")
    parser.add_argument("--report", type=Path, default=records.ROOT / "build/bench/public.json", help="what is written")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="public-", dir=options.folder))
    bench = Bench(options, folder)
    try:
        bench.measure_all()
    finally:
        shutil.rmtree(folder)
    if bench.sections.failed:
        sys.exit("\n".join(bench.sections.failed))


if __name__ == "__main__":
    main()
