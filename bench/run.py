#!/usr/bin/env python3
"""Runs the benchmarks: importing, verifying, every builder on directed graphs, every kernel on a clean R-MAT graph.
`scons bench` builds them first.

Tables go to the terminal, JSON and the inputs (made once) to build/bench.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def run(*words):
    print("$ " + " ".join(str(word) for word in words), flush=True)
    environment = dict(os.environ, QUERN_NO_SYNC="1")
    if subprocess.run([str(word) for word in words], cwd=ROOT, env=environment).returncode != 0:
        sys.exit("bench: %s failed" % Path(words[0]).name)


def clean_graph(tools, folder, scale):
    """An R-MAT graph, undirected, without loops and duplicates."""
    path = folder / ("rmat%d.qrn" % scale)
    if not path.exists():
        run(tools / "quern-generate", "rmat", "--scale", scale, "--degree", 16, "--weights", "1,255", "--undirected",
            "--self-loops", "remove", "--duplicates", "remove", "--quiet", "-o", path)
    return path


def directed_graph(tools, folder, model, scale):
    """A graph as generated, with its loops and duplicates."""
    path = folder / ("%s%d-directed.qrn" % (model, scale))
    if not path.exists():
        run(tools / "quern-generate", model, "--scale", scale, "--degree", 16, "--quiet", "-o", path)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=int, default=20, help="2^N vertices (20)")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="threads (all)")
    options = parser.parse_args()
    tools, programs, folder = ROOT / "build/bin", ROOT / "build/release/bench", ROOT / "build/bench"
    folder.mkdir(parents=True, exist_ok=True)
    run(programs / "bench_import", "--scale", options.scale, "--threads", options.threads,
        "--folder", folder, "--json", folder / "import.json")
    clean = clean_graph(tools, folder, options.scale)
    directed = [directed_graph(tools, folder, model, options.scale) for model in ("rmat", "uniform")]
    run(tools / "quern-verify", "-T", options.threads, clean, *directed)
    run(programs / "bench_layouts", *directed, "-T", options.threads, "--scratch", folder / "layout.qrn",
        "--json-file", folder / "layouts.json")
    run(programs / "bench_kernels", clean, "-T", options.threads, "--json-file", folder / "kernels.json")


if __name__ == "__main__":
    main()
