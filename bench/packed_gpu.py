#!/usr/bin/env python3
"""Packed rows beside plain CSR on a GPU, as they are and relabelled by degree: resident, and streamed with a quarter of plain CSR's
topology as device memory.

    bench/packed_gpu.py FOLDER [SCALE [BIN]]      graphs are made in FOLDER where it lacks them

Writes build/bench/packed-gpu.json for bench/report.py, and prints bits an edge, and milliseconds in kernels (the lesser of 2 runs, after one that compares the results with plain CSR's; what is
wrong is named and makes the exit code 1). `packed-decoding`, which `scons bench-programs` builds, decodes and does nothing else."""

import array
import json
import subprocess
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
    def __init__(self, folder, scale, tools):
        self.folder, self.scale, self.tools, self.wrong, self.records = Path(folder), scale, Path(tools), 0, []
        self.folder.mkdir(parents=True, exist_ok=True)

    def call(self, tool, *words):
        return subprocess.run([self.tools / tool, *map(str, words)], capture_output=True, text=True)

    def make(self, name, tool, *words):
        path = self.folder / (name + ".qrn")
        if not path.exists():
            done = self.call(tool, *words, "-o", path, "-q")
            if done.returncode:
                sys.exit(done.stderr)
        return path

    def graphs(self):
        csr = self.make("csr", "quern-generate", "rmat", "--scale", self.scale, "--undirected", "--weights", "1,255")
        degree = self.make("csr-degree", "quern-transform", csr, "--relabel", "degree")
        for name, source in (("packed", csr), ("packed-degree", degree)):
            info = json.loads(self.call("quern-info", self.make(name, "quern-pack", source), "--json").stdout)
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
            done = self.call("quern-run", *words, *(["-fo", self.folder / ("%s-%s.npy" % (program, graph))] if first else []))
            if done.returncode:
                print("%-9s %-14s %s" % (program, graph, done.stderr.strip()), flush=True)
                return
            figures = json.loads(done.stdout)
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
            done = subprocess.run([DECODING, self.folder / (graph + ".qrn")], capture_output=True, text=True)
            self.wrong += done.returncode == 1
            if done.returncode:
                print("decoding  %-14s %s" % (graph, done.stderr.strip() or "WRONG"), flush=True)
                continue
            figures = json.loads(done.stdout)
            for row, seconds in (("decoding alone", "decoding_seconds"), ("decoding and gathering 4 bytes an edge", "gathering_seconds")):
                rate = figures["edges"] / figures[seconds] / 1e9
                print("%s, %s: %.1f G edges/s" % (row, graph, rate), flush=True)
                self.records.append(records.record(row, COLUMNS[graph], rate, "G edges/s", "R-MAT, scale %s" % self.scale))

    def all(self, device):
        self.graphs()
        if device != "cpu" and DECODING.exists():
            self.decoding()
        print("== resident", flush=True)
        for program in PROGRAMS:
            for graph in GRAPHS:
                self.run(program, graph, None, device)
        if device != "cpu":
            print("== streamed", flush=True)
            for program in STREAMED:
                for graph in GRAPHS:
                    self.run(program, graph, self.num_edges + 2**self.scale * 32, device)  # and what the vertices need
        report = records.ROOT / "build/bench/packed-gpu.json"
        report.parent.mkdir(parents=True, exist_ok=True)
        report.write_text(json.dumps(records.stamp({"gpu-packed": self.records}), indent=1))
        return 1 if self.wrong else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(Bench(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 23, sys.argv[3] if len(sys.argv) > 3 else "build/bin")
             .all(sys.argv[4] if len(sys.argv) > 4 else "cuda"))
