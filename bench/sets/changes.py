#!/usr/bin/env python3
"""What changes to a graph cost: an append of 1 % against an import of all, runs on a base and what was added against the compacted
container, with one generation, twenty and fifty.

    bench/sets/changes.py [--scale 22] [--generations 1,20,50] [--repeat 5] [--threads N] [--folder DIR] [--processor-time] [-o changes.json]

Medians of whole commands, one after the other in each round, with warm caches and without syncing (QUERN_NO_SYNC=1); with --processor-time, for
busy machines, of the time that processors worked for them (threads that wait sleep then). The goals: an append takes
at most 5 % of the import's time and 2 % of its bytes, runs at most 1.2 times as long, with 50 generations 1.5 times. The report is for
bench/report.py."""

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import records  # noqa: E402

TOOLS = records.ROOT / "build/bin"
RUNS = ("pagerank", "bfs", "cc")


def worked():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def seconds(clock, *words):
    begin = clock()
    done = subprocess.run([str(word) for word in words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit("%s: %s" % (" ".join(map(str, words)), done.stderr))
    return clock() - begin


def size(path):
    return sum(file.stat().st_size for file in path.rglob("*")) if path.is_dir() else path.stat().st_size


class Bench:
    def __init__(self, options, folder):
        self.options, self.at = options, folder
        self.more = ["-q"] + (["-T", str(options.threads)] if options.threads else [])

    def tool(self, name, *words):
        return seconds(worked if self.options.processor_time else time.perf_counter, TOOLS / ("quern-" + name), *words, *self.more)

    def make_edges(self):
        """The base's lines, and as many times 1 % as there are generations."""
        self.edges("base.txt", 1)
        with open(self.at / "base.txt", "rb") as lines:
            self.source = int(lines.readline().split()[0])  # low ids have most edges
            count = 1 + sum(block.count(b"\n") for block in iter(lambda: lines.read(1 << 24), b"")) // 100
        for i in range(max(self.options.generations)):
            self.edges("more-%d.txt" % i, 2 + i, "--edges", count)

    def edges(self, name, seed, *words):
        made = self.at / "made.qrn"
        self.tool("generate", "rmat", "--scale", self.options.scale, "--seed", seed, *words, "-o", made, "--force")
        self.tool("export", made, "--format", "edges", "-o", self.at / name)
        made.unlink()

    def rounds(self, measure):
        """The median of each that `measure` gives, of all rounds."""
        all = [measure() for _ in range(self.options.repeat)]
        return {name: statistics.median(each[name] for each in all) for name in all[0]}

    def appends(self):
        def once():
            shutil.rmtree(self.at / "v", ignore_errors=True)
            imported = self.tool("import", self.at / "base.txt", "-o", self.at / "base.qrn", "--force")
            found = {"import": imported,
                     "first append": self.tool("transform", self.at / "base.qrn", "--append", self.at / "more-0.txt", "-o", self.at / "v")}
            self.first_bytes = size(self.at / "v")
            found["second append"] = self.tool("transform", self.at / "v", "--append", self.at / "more-1.txt", "-o", self.at / "v")
            found["compact"] = self.tool("transform", self.at / "v", "--compact", "-o", self.at / "now.qrn", "--force")
            return found
        found = self.rounds(once)
        shares = {"first append": self.first_bytes, "second append": size(self.at / "v") - self.first_bytes}
        for row, seconds_of in found.items():
            yield records.record(row, "time", seconds_of, "s")
            if "append" in row:
                yield records.record(row, "of the import's time", 100 * seconds_of / found["import"], "%")
                yield records.record(row, "of the base's bytes", 100 * shares[row] / size(self.at / "base.qrn"), "%")

    def runs(self, name):
        """Each on the generations, divided by that on the compacted container."""
        self.tool("transform", self.at / name, "--compact", "-o", self.at / "now.qrn", "--force")

        def once():
            found = {}
            for algorithm in RUNS:
                words = ["--source", self.source] if algorithm == "bfs" else []
                found[algorithm] = {graph: self.tool("run", algorithm, self.at / graph, *words, "--device", "cpu", "-o", "/dev/null")
                                    for graph in (name, "now.qrn")}
            return {algorithm: times[name] / times["now.qrn"] for algorithm, times in found.items()}
        return self.rounds(once)

    def measure(self):
        self.make_edges()
        tables = {"changes": list(self.appends()), "changes-runs": []}
        shutil.rmtree(self.at / "v")
        base = "base.qrn"
        for i in range(max(self.options.generations)):
            self.tool("transform", self.at / base, "--append", self.at / ("more-%d.txt" % i), "-o", self.at / "v")
            base = "v"
            if i + 1 in self.options.generations:
                column = "%d generation%s" % (i + 1, "s" * (i > 0))
                tables["changes-runs"] += [records.record(algorithm, column, ratio, "x") for algorithm, ratio in self.runs("v").items()]
        for each in [each for table in tables.values() for each in table]:
            each["graph"] = "R-MAT, scale %d, directed" % self.options.scale
        return records.stamp(tables)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--scale", type=int, default=22)
    parser.add_argument("--generations", type=lambda text: [int(each) for each in text.split(",")], default=[1, 20, 50])
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--processor-time", action="store_true")
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    if options.processor_time:
        os.environ["OMP_WAIT_POLICY"] = "passive"
    os.environ["QUERN_NO_SYNC"] = "1"
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        found = Bench(options, Path(folder)).measure()
    text = json.dumps(found, indent=1) + "\n"
    if options.output:
        options.output.write_text(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
