#!/usr/bin/env python3
"""Import, builders and restoring on 2, 8 and 16 threads, beside what filling as many fresh pages takes by itself.

    bench/many_cores.py              R-MAT 23 in /dev/shm, which needs 8 GB of room there; a minute on 16 cores

Builders and archives take the clean undirected graph. Figures are medians of as many turns as there is time for. Writes
build/bench/many-cores.json for bench/report.py. Build first: scons tools bench-programs."""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import records

CLEAN = ["--undirected", "--self-loops=remove", "--duplicates=remove"]
BUILDERS = ["quern-block", "quern-page", "quern-partition", "quern-shard", "quern-hybrid", "quern-pack"]


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder, self.begun = options, folder, time.monotonic()
        self.output = folder / "output.qrn"
        text, graph, archive = (folder / name for name in ("edges.txt", "graph.qrn", "graph.qrnz"))
        self.run("quern-generate", "rmat", "--scale", options.scale, "--format", "edges", "-o", text)
        self.run("quern-import", text, *CLEAN, "-o", graph)
        self.run("quern-archive", "create", "-1", graph, "-o", archive)
        self.rows = {"quern-import, text, directed": ["quern-import", text],
                     "quern-import, text, clean undirected": ["quern-import", text, *CLEAN],
                     **{builder: [builder, graph] for builder in BUILDERS},
                     "quern-archive extract": ["quern-archive", "extract", archive]}
        self.seconds, self.sizes, self.scratch = {}, {}, {}

    def left(self):
        return self.options.seconds - (time.monotonic() - self.begun)

    def run(self, tool, *words, watch=False):
        """The most anonymous memory that the process had, if it is watched."""
        process = subprocess.Popen([str(word) for word in (self.options.bin / tool, *words, "-q", "-f")])
        status, most = Path("/proc/%d/status" % process.pid), 0
        while watch and process.poll() is None:
            for line in status.read_text().splitlines():
                if line.startswith("RssAnon:"):
                    most = max(most, 1024 * int(line.split()[1]))
            time.sleep(0.002)
        if process.wait():
            sys.exit("%s: exit code %d" % (tool, process.returncode))
        return most

    def measure(self, row, threads):
        """Watching takes little of one core: it is done where others are idle."""
        self.output.unlink(missing_ok=True)
        begun = time.monotonic()
        scratch = self.run(*self.rows[row], "-T", threads, "-o", self.output, watch=threads == min(self.options.threads))
        self.seconds.setdefault((row, threads), []).append(time.monotonic() - begun)
        self.scratch[row] = max(self.scratch.get(row, 0), scratch)
        self.sizes[row] = self.output.stat().st_size

    def measure_all(self):
        """All once, and then as often as there is time."""
        most = max(self.options.threads)
        for turn in range(self.options.turns):
            for threads in sorted(self.options.threads, reverse=True):
                for row in self.rows:
                    if turn == 0 or self.left() > 2 * self.seconds[row, threads][0] and (threads == most or turn < 2):
                        self.measure(row, threads)

    def page_rates(self):
        """Bytes a second by way and number of threads."""
        done = subprocess.run([self.options.programs / "bench_pages", self.folder, "--json", "--bytes", self.options.page_bytes,
                               "-T", ",".join(map(str, self.options.threads))], stdout=subprocess.PIPE, check=True)
        return json.loads(done.stdout)

    def tables(self):
        rates, most = self.page_rates(), max(self.options.threads)
        memory = max(each["bytes_per_second"] for each in rates if each["fills"] == "memory" and each["threads"] == most)
        file = max(each["bytes_per_second"] for each in rates if each["fills"] == "file" and each["threads"] in (1, most))
        pages = [records.record(each["way"], "a thread" if each["threads"] == 1 else "%d threads" % each["threads"],
                                1e-9 * each["bytes_per_second"], "GB/s") for each in rates]
        title, found = "R-MAT, scale %d, files in memory" % self.options.scale, []
        for row in self.rows:
            def add(column, value, unit):
                found.append(records.record(row, column, value, unit, title))
            for threads in self.options.threads:
                add("%d threads" % threads, statistics.median(self.seconds[row, threads]), "s")
            add("output", 1e-9 * self.sizes[row], "GB")
            add("scratch", 1e-9 * self.scratch[row], "GB")
            add("pages alone, %d threads" % most, self.sizes[row] / file + self.scratch[row] / memory, "s")
        return {"many-cores": found, "fresh-pages": pages}


def show(tables):
    for table in tables.values():
        for row in dict.fromkeys(each["row"] for each in table):
            print("%-64s %s" % (row, "; ".join("%s: %g %s" % (each["column"], each["value"], each["unit"])
                                               for each in table if each["row"] == row)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=int, default=23, help="2^N vertices (23)")
    parser.add_argument("--threads", type=lambda text: [int(each) for each in text.split(",")], default=[2, 8, 16],
                        help="numbers of threads (2,8,16)")
    parser.add_argument("--turns", type=int, default=5, help="at most so many of each (5)")
    parser.add_argument("--seconds", type=float, default=52, help="begin nothing again after so long (52)")
    parser.add_argument("--page-bytes", default="512M", help="pages to fill each time (512M)")
    parser.add_argument("--bin", type=Path, default=records.ROOT / "build/bin", help="the tools")
    parser.add_argument("--programs", type=Path, default=records.ROOT / "build/release/bench", help="bench_pages")
    options = parser.parse_args()
    os.environ["QUERN_NO_SYNC"] = "1"
    folder = Path(tempfile.mkdtemp(prefix="many-cores-", dir="/dev/shm"))
    try:
        bench = Bench(options, folder)
        bench.measure_all()
        tables = bench.tables()
    finally:
        shutil.rmtree(folder)
    show(tables)
    report = records.ROOT / "build/bench/many-cores.json"
    report.parent.mkdir(parents=True, exist_ok=True)
    report.write_text(json.dumps(records.stamp(tables), indent=1))


if __name__ == "__main__":
    main()
