#!/usr/bin/env python3
"""A graph that stays on a GPU between runs: results equal those of runs that bring it there each time, the second run copies
nothing but a few words, and what it takes is shown. With a build for CUDA:

    scons -j16 cuda=yes cuda_arch=90 tools && PYTHONPATH=python python3 tests/gpu/placed.py [SCALE]
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import quern

BIN = Path(__file__).resolve().parents[2] / "build/bin"
RUNS = [("bfs", {"source": 1}), ("pagerank", {}), ("sssp", {"source": 1}), ("cc", {}), ("degree", {})]
LAYOUTS = ["graph", "blocked-csr", "edge-partitions", "slotted-pages", "shards", "hybrid", "packed"]


def timed(function):
    begin = time.perf_counter()
    return function(), time.perf_counter() - begin


def compare(graph, layout):
    same = True
    with graph.on("cuda") as placed:
        for turn in range(2):
            for algorithm, options in RUNS:
                alone, seconds = timed(lambda: graph.run(algorithm, device="cuda", **options))
                found, on_device = timed(lambda: placed.run(algorithm, **options))
                stays, (values, fetched) = found.on_device, timed(lambda: found.values)
                if values.dtype.kind == "f":
                    equal = np.allclose(values, alone.values, rtol=1e-5)
                else:
                    equal = np.array_equal(values, alone.values)
                same &= equal
                print("%-16s %-9s turn %d: alone %8.2f ms, placed %8.2f ms + %6.2f ms to the host, kernel %8.3f ms, %s%s" % (
                    layout, algorithm, turn, 1e3 * seconds, 1e3 * on_device, 1e3 * fetched, 1e3 * found.seconds,
                    "stays" if stays else "on the host", "" if equal else "  DIFFERS"))
        try:
            import cupy
            shared = cupy.asarray(placed.run("degree"))
            same &= int(shared.sum()) == graph.num_edges
            print("CuPy shares the values")
        except ImportError:
            pass
    return same


def main():
    scale = sys.argv[1] if len(sys.argv) > 1 else "20"
    same = True
    with tempfile.TemporaryDirectory() as folder:
        plain = quern.generate("rmat", int(scale), weights=(1, 100), directed=False, path=Path(folder) / "g.qrn")
        for layout in LAYOUTS:
            same &= compare(plain if layout == "graph" else plain.build(layout), layout)
        done = subprocess.run([BIN / "quern-run", "pagerank,indegree,degree,cc", Path(folder) / "g.qrn", "--device", "cuda", "--json"],
                              stdout=subprocess.PIPE, check=True)
        uploaded = {run["algorithm"]: run["uploaded_bytes"] for run in json.loads(done.stdout)["runs"]}
        print("bytes that quern-run brought to the device:", uploaded)
        same &= uploaded["degree"] < 4096
    print("all results are equal" if same else "RESULTS DIFFER")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
