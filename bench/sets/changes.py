#!/usr/bin/env python3
"""What changes to a graph cost: an append of 1 % against an import of all, runs on a base and what was added against the compacted
container, and 50 generations against one.

    bench/sets/changes.py [--scale 22] [--generations 50] [--repeat 5] [--threads N] [--folder DIR]

Medians of whole commands, one after the other in each round, with warm caches and without syncing (QUERN_NO_SYNC=1). The goals: an append takes
at most 5 % of the import's time and 2 % of its bytes, runs at most 1.2 times as long, with 50 generations 1.5 times."""

import argparse
import json
import os
import random
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
RUNS = {"pagerank": [], "bfs": ["--source", "0"], "cc": []}


def seconds(*words):
    begin = time.perf_counter()
    done = subprocess.run([str(word) for word in words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit("%s: %s" % (" ".join(map(str, words)), done.stderr))
    return time.perf_counter() - begin


def size(path):
    return sum(file.stat().st_size for file in path.rglob("*")) if path.is_dir() else path.stat().st_size


class Bench:
    def __init__(self, options, folder):
        self.options, self.at = options, folder
        self.more = ["-q"] + (["-T", str(options.threads)] if options.threads else [])

    def tool(self, name, *words):
        return seconds(TOOLS / ("quern-" + name), *words, *self.more)

    def make_edges(self):
        """The base's lines, and as many times 1 % as there are generations."""
        self.tool("generate", "rmat", "--scale", self.options.scale, "--seed", 1, "-o", self.at / "g.qrn")
        self.tool("export", self.at / "g.qrn", "--format", "edges", "-o", self.at / "base.txt")
        self.tool("generate", "rmat", "--scale", self.options.scale, "--seed", 2, "-o", self.at / "h.qrn", "--force")
        self.tool("export", self.at / "h.qrn", "--format", "edges", "-o", self.at / "more.txt")
        with open(self.at / "more.txt") as lines:
            more = lines.readlines()
        count = len(more) // 100
        random.Random(1).shuffle(more)
        for i in range(self.options.generations):
            begin = i * count % (len(more) - count)
            (self.at / ("more-%d.txt" % i)).write_text("".join(more[begin:begin + count]))

    def rounds(self, measure):
        """The median of each that `measure` gives, of all rounds."""
        all = [measure() for _ in range(self.options.repeat)]
        return {name: statistics.median(each[name] for each in all) for name in all[0]}

    def appends(self):
        def once():
            shutil.rmtree(self.at / "v", ignore_errors=True)
            imported = self.tool("import", self.at / "base.txt", "-o", self.at / "base.qrn", "--force")
            return {"import": imported,
                    "append": self.tool("transform", self.at / "base.qrn", "--append", self.at / "more-0.txt", "-o", self.at / "v"),
                    "append again": self.tool("transform", self.at / "v", "--append", self.at / "more-1.txt", "-o", self.at / "v"),
                    "compact": self.tool("transform", self.at / "v", "--compact", "-o", self.at / "now.qrn", "--force")}
        return {**self.rounds(once), "share of bytes": size(self.at / "v") / 2 / size(self.at / "base.qrn")}

    def runs(self, name):
        """Each on the generations, divided by that on the compacted container."""
        self.tool("transform", self.at / name, "--compact", "-o", self.at / "now.qrn", "--force")

        def once():
            found = {}
            for algorithm, words in RUNS.items():
                found[algorithm] = {graph: self.tool("run", algorithm, self.at / graph, *words, "--device", "cpu", "-o", "/dev/null")
                                    for graph in (name, "now.qrn")}
            return {algorithm: times[name] / times["now.qrn"] for algorithm, times in found.items()}
        return self.rounds(once)

    def measure(self):
        self.make_edges()
        found = {"append": self.appends()}
        shutil.rmtree(self.at / "v")
        self.tool("transform", self.at / "base.qrn", "--append", self.at / "more-0.txt", "-o", self.at / "v")
        found["runs, 1 generation"] = self.runs("v")
        for i in range(1, self.options.generations):
            self.tool("transform", self.at / "v", "--append", self.at / ("more-%d.txt" % i), "-o", self.at / "v")
        found["runs, %d generations" % self.options.generations] = self.runs("v")
        found["append"]["share of time"] = found["append"]["append"] / found["append"]["import"]
        return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--scale", type=int, default=22)
    parser.add_argument("--generations", type=int, default=50)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    os.environ["QUERN_NO_SYNC"] = "1"
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        found = Bench(options, Path(folder)).measure()
    print(json.dumps({"scale": options.scale, **found}, indent=1))


if __name__ == "__main__":
    main()
