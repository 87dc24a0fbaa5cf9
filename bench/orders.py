#!/usr/bin/env python3
"""What each order of vertices (quern-transform --relabel) is worth: bits an edge when packed and when archived, PageRank on plain CSR, and what making
it takes, in processor time of all threads. Graphs are numbered at random first.

    bench/orders.py FOLDER NAME=FILE...      FILE is anything that quern-import reads; NAME stands in the table

Writes build/bench/orders.json for bench/report.py."""

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

import records

ROOT = Path(__file__).resolve().parent.parent
TOOLS, PROGRAMS = ROOT / "build/bin", ROOT / "build/release/bench"
ORDERS = ("as it comes", "random", "degree", "rcm", "gorder", "metis", "llp")
ROUNDS = 3


def call(*words):
    """What it prints, and its processor time in seconds."""
    before = os.times()
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, text=True,
                          env=dict(os.environ, QUERN_NO_SYNC="1", OMP_WAIT_POLICY="passive"))
    after = os.times()
    if done.returncode:
        sys.exit("bench: %s failed" % Path(words[0]).name)
    return done.stdout, after.children_user + after.children_system - before.children_user - before.children_system


def bits_an_edge(folder, path):
    """Along each direction that the packed container has."""
    packed = folder / "orders.packed.qrn"
    call(TOOLS / "quern-pack", path, "-qfo", packed)
    text, _ = call(TOOLS / "quern-info", packed)
    packed.unlink()
    return [float(line.split()[1]) for line in text.splitlines() if line.split()[:1] == ["bits_per_edge:"]]


def archived_bits(folder, path):
    archive = folder / "orders.qrnz"
    call(TOOLS / "quern-archive", "create", path, "-qfo", archive)
    sections = json.loads(call(TOOLS / "quern-info", archive, "--json")[0])
    stored = sum(each["stored_bytes"] for each in sections["sections"] if each["name"] in ("row_offsets", "column_indices"))
    archive.unlink()
    return 8 * stored / sections["edges"]


def pagerank(path):
    """Processor milliseconds of an iteration, on one thread, which waits for no other."""
    text, _ = call(PROGRAMS / "bench_kernels", path, "--algorithms", "pagerank", "--trials", 3, "-T", 1, "--json")
    (row,) = [each for each in json.loads(text) if each["algorithm"] == "pagerank"]
    return 1e3 * row["processor_seconds"] / row["iterations"]


def reorder(folder, source, order):
    path = folder / ("orders.%s.qrn" % order.replace(" ", "-"))
    given = folder / ("orders.source.qrn" if order in ("as it comes", "random") else "orders.random.qrn")
    how = [] if order == "as it comes" else ["--relabel", order]
    _, seconds = call(TOOLS / "quern-transform", source if order == "as it comes" else given, *how, "--in-edges=also", "-qfo", path)
    return path, seconds


def measure(folder, name, file):
    source = folder / "orders.source.qrn"
    call(TOOLS / "quern-import", file, "-qfo", source)
    made = {order: reorder(folder, source, order) for order in ORDERS}
    times = {order: [] for order in ORDERS}
    for _ in range(ROUNDS):
        for order in ORDERS:
            times[order].append(pagerank(made[order][0]))
    for order, (path, seconds) in made.items():
        bits = bits_an_edge(folder, path)
        for column, value in zip(("packed in-edges", "packed out-edges") if len(bits) > 1 else ("packed", ), bits):
            yield records.record(order, column, value, "bits an edge", name)
        yield records.record(order, "archived out-edges", archived_bits(folder, path), "bits an edge", name)
        yield records.record(order, "PageRank, an iteration", statistics.median(times[order]), "ms", name)
        if order not in ("as it comes", "random"):
            yield records.record(order, "making it", seconds, "s", name)
        path.unlink()
    source.unlink()


def main():
    if len(sys.argv) < 3 or any("=" not in word for word in sys.argv[2:]):
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    cells = []
    for word in sys.argv[2:]:
        name, file = word.split("=", 1)
        cells += measure(folder, name, file)
        print("\n".join("%-24s %-16s %-24s %10.4g %s" % (each["graph"], each["row"], each["column"], each["value"], each["unit"])
                        for each in cells if each["graph"] == name), flush=True)
    print("load: %.1f, %.1f, %.1f" % os.getloadavg())
    (ROOT / "build/bench").mkdir(parents=True, exist_ok=True)
    (ROOT / "build/bench/orders.json").write_text(json.dumps(records.stamp({"orders": cells}), indent=1) + "\n")


if __name__ == "__main__":
    main()
