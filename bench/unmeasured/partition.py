#!/usr/bin/env python3
"""Partitions: the streams of quern-transform --partition beside the libraries that its Python package calls, and a hash of the vertex. For
each method its figures (cut ratio, balance, replication), the processor time of finding the parts on one thread and of a million edges,
and the memory that it keeps; the medians of several runs, all in one go, with the time of the fastest stream as the baseline.

    bench/unmeasured/partition.py FOLDER [--parts 32] [--rounds 3] [--libraries metis,kaminpar] NAME=FILE...

FILE is anything that quern-import reads, or rmat:SCALE; graphs are made undirected and simple first. QUERN_PYTHON names a Python with the
libraries. Prints a table, and writes build/bench/partition.json."""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT / "build/bin"
STREAMS = {"fennel": [], "fennel x5": ["--passes", "5"], "ldg": [], "ldg x5": ["--passes", "5"], "hdrf": [], "2psl": []}
COLUMNS = ("method", "cut", "balance", "replication", "seconds", "M edges/s", "slower", "MB kept")


def call(*words):
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, text=True, env=dict(os.environ, QUERN_NO_SYNC="1"))
    if done.returncode:
        sys.exit("bench: %s failed" % " ".join(map(str, words)))
    return done.stdout


def graph_of(folder, file):
    read, made = folder / "partition.read.qrn", folder / "partition.graph.qrn"
    if file.startswith("rmat:"):
        call(TOOLS / "quern-generate", "rmat", "--scale", file[5:], "-qfo", read)
    else:
        call(TOOLS / "quern-import", file, "-qfo", read)
    call(TOOLS / "quern-transform", read, "--symmetrize", "--remove-duplicates", "--remove-self-loops", "--in-edges", "no", "-qfo", made)
    read.unlink()
    return made


def partition(folder, graph, parts, by, more, rounds):
    """The figures, the same in each round but of libraries on several threads, and the median of the seconds."""
    out = folder / "partition.out.qrn"
    runs = [json.loads(call(TOOLS / "quern-transform", graph, "--partition", parts, "--by", by, *more, "-T", 1, "--json", "-fo", out))["partition"]
            for _ in range(rounds)]
    out.unlink()
    return {**runs[0], "seconds": statistics.median(run["seconds"] for run in runs)}


def hashed(folder, graph, parts, num_vertices):
    """What no method costs and gives: vertex v in part v * 0x9E3779B1 mod 2^32 mod K."""
    given = folder / "partition.given"
    with open(given, "w") as file:
        for start in range(0, num_vertices, 1 << 20):
            file.write("".join("%d\n" % (v * 0x9E3779B1 % 2**32 % parts) for v in range(start, min(num_vertices, start + (1 << 20)))))
    found = partition(folder, graph, parts, given, [], 1)
    given.unlink()
    return found


def measure(folder, name, file, options):
    graph = graph_of(folder, file)
    info = json.loads(call(TOOLS / "quern-info", graph, "--json"))
    num_edges = info["undirected_edges"]
    found = {"hash": hashed(folder, graph, options.parts, info["vertices"])}
    for method, more in STREAMS.items():
        found[method] = partition(folder, graph, options.parts, method.split()[0], more, options.rounds)
    for library in filter(None, options.libraries.split(",")):
        found[library] = partition(folder, graph, options.parts, library, [], 1)
    graph.unlink()
    fastest = min(found[method]["seconds"] for method in STREAMS)
    rows = []
    for method, figures in found.items():
        seconds = figures["seconds"]
        rows.append({"method": method, "cut": figures["cut_ratio"], "balance": figures["balance"], "replication": figures["replication"],
                     "seconds": seconds, "M edges/s": num_edges / max(seconds, 1e-9) / 1e6, "slower": seconds / max(fastest, 1e-9),
                     "MB kept": figures["memory"] / 1e6})
    print("\n%s: %d vertices, %d edges, %d parts\n" % (name, info["vertices"], num_edges, options.parts))
    print("| " + " | ".join(COLUMNS) + " |\n|" + "---|" * len(COLUMNS))
    for row in rows:
        print("| " + " | ".join(row[key] if key == "method" else "%.4g" % row[key] for key in COLUMNS) + " |", flush=True)
    return {"graph": name, "vertices": info["vertices"], "edges": num_edges, "parts": options.parts, "rows": rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("graphs", nargs="+", metavar="NAME=FILE")
    parser.add_argument("--parts", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--libraries", default="")
    options = parser.parse_args()
    made = [measure(options.folder, *graph.split("=", 1), options) for graph in options.graphs]
    target = ROOT / "build/bench/partition.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps({"machine": platform.processor() or platform.machine(), "load": os.getloadavg(), "graphs": made}, indent=1))


if __name__ == "__main__":
    main()
