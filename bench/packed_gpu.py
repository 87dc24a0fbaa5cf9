#!/usr/bin/env python3
"""Packed rows beside plain CSR on a GPU, as they are and relabelled by degree: resident, and streamed with a quarter of plain CSR's
topology as device memory.

    bench/packed_gpu.py FOLDER [--scale 23]      graphs are made in FOLDER where it lacks them

Writes build/bench/packed-gpu.json for bench/report.py, anew after every row, and prints bits an edge, and milliseconds in kernels (the lesser
of 2 runs, after one that compares the results with plain CSR's; what is wrong or fails is named and makes the exit code 1).
`packed-decoding`, which `scons bench-programs` builds, decodes and does nothing else."""

import argparse
import array
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import records

PROGRAMS = {"pagerank": ["--iterations", "20", "--tolerance", "0"], "bfs": [], "cc": [], "sssp": [], "indegree": []}
STREAMED = ("pagerank", "cc", "bfs")
SUMS = ("pagerank",)
GRAPHS = ("csr", "csr-degree", "packed", "packed-degree")
DECODING = records.ROOT / "build/release/bench/packed-decoding"
COLUMNS = {"csr": "plain CSR", "csr-degree": "by degree", "packed": "packed", "packed-degree": "packed by degree"}


def values(path):
    """Of an array of 4 or 8 bytes an element (NPY)."""
    data = path.read_bytes()
    head = int.from_bytes(data[8:10], "little") + 10
    kind = data[10:head].split(b"'descr': '")[1][1:3].decode()
    return array.array({"u4": "I", "u8": "Q", "f4": "f", "f8": "d"}[kind], data[head:])


class Bench:
    def __init__(self, options):
        self.options, self.folder, self.scale, self.wrong, self.records = options, options.folder, options.scale, 0, []
        self.sections = records.Sections(options.seconds, self.save)
        self.folder.mkdir(parents=True, exist_ok=True)

    def save(self):
        records.write(self.options.report, records.stamp({"gpu-packed": self.records}))

    def call(self, tool, *words):
        return self.sections.call(self.options.bin / tool, *words)

    def make(self, name, tool, *words):
        path = self.folder / (name + ".qrn")
        if not path.exists():
            self.call(tool, *words, "-o", path, "-q")
        return path

    def graphs(self):
        csr = self.make("csr", "quern-generate", "rmat", "--scale", self.scale, "--undirected", "--weights", "1,255")
        degree = self.make("csr-degree", "quern-transform", csr, "--relabel", "degree")
        for name, source in (("packed", csr), ("packed-degree", degree)):
            info = json.loads(self.call("quern-info", self.make(name, "quern-pack", source), "--json"))
            self.num_edges = info["edges"]
            print("%s: %d edges, %.2f bits an edge" % (name, info["edges"], info["layout_figures"]["out"]["bits_per_edge"]), flush=True)

    def compare(self, program, graph):
        expected, got = (values(self.folder / ("%s-%s.npy" % (program, name))) for name in ("csr", graph))
        if program in SUMS:
            wrong = max(abs(a - b) - 1e-4 * abs(a) for a, b in zip(expected[::7], got[::7])) > 0
        else:
            wrong = expected != got
        self.wrong += wrong
        return "WRONG" if wrong else "right"

    def run(self, program, graph, memory, device):
        words = [program, self.folder / (graph + ".qrn"), *PROGRAMS[program], "--device", device, "--trust", "--json", "-q"]
        words += ["--device-memory", memory] if memory else []
        verdict, times = "", []
        for turn in range(2 if memory else 3):
            first = turn == 0 and not memory
            result = ["-fo", self.folder / ("%s-%s.npy" % (program, graph))] if first else []
            figures = json.loads(self.sections.call(self.options.runner or self.options.bin / "quern-run", *words, *result))
            if not first:
                times.append(figures.get("accelerator", {}).get("kernel_seconds") or figures["seconds"]["kernel"])
            elif graph != "csr":
                verdict = self.compare(program, graph)
        iterations = max(figures["iterations"], 1)
        print("%-9s %-14s %9.2f ms  %3d iterations  %7.1f G edges/s  %s"
              % (program, graph, 1000 * min(times), iterations, self.num_edges * iterations / min(times) / 1e9, verdict), flush=True)
        title = "R-MAT, scale %s, undirected, %s" % (self.scale, "streamed" if memory else "resident")
        row = "%s, %s" % (program, PROGRAMS[program][1] + " iterations") if PROGRAMS[program] else program
        self.records.append(records.record(row, COLUMNS[graph], 1000 * min(times), "ms", title))

    def decoding(self):
        for graph in ("packed", "packed-degree"):
            figures = json.loads(self.sections.call(DECODING, self.folder / (graph + ".qrn")))
            for row, seconds in (("decoding alone", "decoding_seconds"), ("decoding and gathering 4 bytes an edge", "gathering_seconds")):
                rate = figures["edges"] / figures[seconds] / 1e9
                print("%s, %s: %.1f G edges/s" % (row, graph, rate), flush=True)
                self.records.append(records.record(row, COLUMNS[graph], rate, "G edges/s", "R-MAT, scale %s" % self.scale))

    def each(self, memory, programs):
        for program in programs:
            for graph in GRAPHS:
                self.sections.do("%s on %s%s" % (program, graph, ", streamed" if memory else ""),
                                 lambda p=program, g=graph: self.run(p, g, memory, self.options.device))

    def all(self):
        self.sections.do("graphs", self.graphs)
        if self.sections.failed or self.sections.left_out:
            return 1
        if self.options.device != "cpu" and DECODING.exists():
            self.sections.do("decoding", self.decoding)
        self.each(None, PROGRAMS)
        if self.options.device != "cpu":
            self.each(self.num_edges + 2**self.scale * 32, STREAMED)  # and what the vertices need
        return 1 if self.wrong or self.sections.failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="for the graphs, which are kept, and results")
    parser.add_argument("--scale", type=int, default=23, help="2^N vertices (23)")
    parser.add_argument("--device", default="cuda", help="where to run (cuda)")
    parser.add_argument("--seconds", type=float, default=300, help="stop after so long (300)")
    parser.add_argument("--bin", type=Path, default=records.ROOT / "build/bin", help="the tools")
    parser.add_argument("--runner", type=Path, help="another quern-run, such as the emulated one")
    parser.add_argument("--report", type=Path, default=records.ROOT / "build/bench/packed-gpu.json", help="what is written")
    return Bench(parser.parse_args()).all()


if __name__ == "__main__":
    sys.exit(main())
