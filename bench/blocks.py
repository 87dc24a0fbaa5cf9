#!/usr/bin/env python3
"""A graph of 2^32 vertices: generated in packed blocks, verified, run on, and the results checked by definitions (bench_blocks), with
times, memory and disk. Each phase can be called alone, as one may take minutes; what is there already is used. `scons bench-programs` first.

    bench/blocks.py [--scale 32] [--degree 1] [--folder DIR] [--phases generate,verify,bfs,pagerank,cc] [--tolerance X] [--threads N] [--plan]
    bench/blocks.py --phases generate,cold,small --scale 24 --degree 16 --plain

Phase cold runs on files that the system does not have in memory, beside dd on the same (pages are dropped by posix_fadvise: where that is not
heeded, as on tmpfs, rates are those of memory); of_bound is the share of the rate that the slower one gives, dd or the same run on files that
are in memory. Phase small is on many blocks with few edges, beside the container, by one thread.

--plan says what a scale takes, and runs nothing. A table goes to the terminal; blocks.json in the folder is for bench/report.py, of all
phases that were done so far. Results are removed once they are checked, unless --keep is given; at the largest scale components are
checked by their number and the size of one, as their labels would not fit beside the set."""

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

import records

TOOLS, PROGRAMS = records.ROOT / "build/bin", records.ROOT / "build/release/bench"
PHASES = ("generate", "verify", "bfs", "pagerank", "cc")
DAMPING = "0.85"
COLD = (("indegree", "--trust"), ("cc", "--trust"), ("pagerank", "--iterations", "5", "--tolerance", "0"))
SMALL = {"container": [], "16 packed blocks": ["--block-vertices", 2**18, "--layout=packed"], "16 blocks": ["--block-vertices", 2**18],
         "256 packed blocks": ["--block-vertices", 2**16, "--layout=packed"], "1024 packed blocks": ["--block-vertices", 2**15, "--layout=packed"],
         "1024 blocks": ["--block-vertices", 2**15]}


def disk(path):
    return sum(each.stat().st_size for each in path.rglob("*") if each.is_file()) if path.exists() else 0


def drop(files):
    for path in files:
        descriptor = os.open(path, os.O_RDONLY)
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)


class Bench:
    def __init__(self, options):
        self.options, self.folder = options, options.folder
        self.set = options.folder / "set"
        self.state = options.folder / "state.json"
        self.rows = json.loads(self.state.read_text()) if self.state.exists() else {}

    def threads(self):
        return ["-T", str(self.options.threads)] if self.options.threads else []

    def timed(self, *command):
        """(what it printed as JSON, seconds, the largest memory of a process that ended since this one began)."""
        begin = time.perf_counter()
        process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, text=True)
        said = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        if os.waitstatus_to_exitcode(status):
            sys.exit("%s ended with %d: %s" % (" ".join(map(str, command)), os.waitstatus_to_exitcode(status), said))
        return json.loads(said) if said.strip() else {}, time.perf_counter() - begin, used.ru_maxrss * 1024

    def note(self, row, seconds, memory, **more):
        self.rows[row] = {"seconds": seconds, "memory": memory, "disk": disk(self.folder), **more}
        self.state.write_text(json.dumps(self.rows, indent=1) + "\n")
        print("%-28s %8.1f s  %7.2f GiB of memory  %7.2f GiB on disk  %s" % (
            row, seconds, memory / 2**30, self.rows[row]["disk"] / 2**30, " ".join("%s=%s" % item for item in more.items())), flush=True)

    def run(self, *words):
        return self.timed(TOOLS / "quern-run", *words, "--device", "cpu", "--trust", "--json", *self.threads())  # phase verify looked

    def check(self, row, *words):
        said, seconds, memory = self.timed(PROGRAMS / "bench_blocks", self.set, *words)
        if said["wrong"]:
            sys.exit("%s: %s" % (row, said))
        self.note(row, seconds, memory, **said)
        return said

    def remove(self, *names):
        for name in names:
            if not self.options.keep:
                (self.folder / name).unlink(missing_ok=True)

    def generate(self):
        if self.set.exists():
            return
        os.environ["TMPDIR"] = str(self.folder)
        said, seconds, memory = self.timed(
            TOOLS / "quern-generate", "rmat", "--scale", self.options.scale, "--degree", self.options.degree, "--block-vertices",
            self.options.block_vertices, *([] if self.options.plain else ["--layout=packed"]), "--json", *self.threads(), "-o", self.set)
        self.note("generate", seconds, memory, edges=said["edges"])

    def verify(self):
        _, seconds, memory = self.timed(TOOLS / "quern-verify", "-q", *self.threads(), self.set)
        self.note("verify", seconds, memory)

    def bfs(self):
        hops, parents = self.folder / "hops.npy", self.folder / "parents.npy"
        tree = ["--parents", parents] if self.with_labels() else []
        said, seconds, memory = self.run("bfs", self.set, *tree, "-fo", hops)
        self.note("bfs", seconds, memory, kernel=round(said["seconds"]["kernel"], 1), reached=said["result"]["reached"])
        checked = self.check("bfs, checked", "hops", hops, said["sources"][0])
        assert checked["reached"] == said["result"]["reached"], (checked, said["result"])
        if tree:
            self.check("parents, checked", "parents", parents, hops)
        self.remove("hops.npy", "parents.npy")

    def pagerank(self):
        ranks = self.folder / "ranks.npy"
        said, seconds, memory = self.run("pagerank", self.set, "--damping", DAMPING, "--tolerance", self.options.tolerance, "-fo", ranks)
        self.note("pagerank", seconds, memory, kernel=round(said["seconds"]["kernel"], 1), iterations=said["iterations"])
        self.check("pagerank, checked", "ranks", ranks, DAMPING)
        self.remove("ranks.npy")

    def cc(self):
        labels = self.folder / "labels.npy"
        output = ["-fo", labels] if self.with_labels() else []
        said, seconds, memory = self.run("cc", self.set, *output)
        result = said["result"]
        self.note("cc", seconds, memory, kernel=round(said["seconds"]["kernel"], 1), **result)
        checked = self.check("cc, checked", "labels", *(output[1:]))
        assert checked["count"] == result["count"] and checked["of_first_edge"] <= result["largest"], (checked, result)
        self.remove("labels.npy")

    def cold(self):
        files = sorted(path for path in self.set.rglob("*") if path.is_file())
        size, rates = sum(path.stat().st_size for path in files), {}
        warm = {}
        for _ in range(3):
            for words in (("dd",), *COLD):
                drop(files)
                if words == ("dd",):
                    seconds = sum(self.timed("dd", "if=%s" % path, "of=/dev/null", "bs=4M", "status=none")[1] for path in files)
                else:
                    command = [TOOLS / "quern-run", words[0], self.set, *words[1:], "-q", "--device", "cpu", *self.threads()]
                    seconds = self.timed(*command)[1]
                    warm.setdefault(" ".join(words), []).append(self.timed(*command)[1])
                rates.setdefault(" ".join(words), []).append(seconds)
        disk_seconds = statistics.median(rates["dd"])
        for name, seconds in rates.items():
            median, bound = statistics.median(seconds), max(disk_seconds, statistics.median(warm.get(name, [0])))
            self.note("cold: " + name, median, 0, rate="%.0f" % (size / median / 1e6), of_dd="%.2f" % (disk_seconds / median),
                      of_bound="%.2f" % (bound / median))

    def small(self):
        times = {}
        for name, words in SMALL.items():
            path = self.folder / name.replace(" ", "-")
            if not path.exists():
                self.timed(TOOLS / "quern-generate", "rmat", "--scale", 20, "--degree", 1, "--seed", 1, *words, "-q", "-o", path)
            for algorithm in ("pagerank", "bfs", "cc"):
                for _ in range(3):
                    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
                    self.timed(TOOLS / "quern-run", algorithm, path, "-q", "-T", "1", "--device", "cpu")
                    times.setdefault((name, algorithm), []).append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
        for (name, algorithm), seconds in times.items():
            median, base = statistics.median(seconds), statistics.median(times["container", algorithm])
            self.note("small: %s, %s" % (algorithm, name), median, 0, of_container="%.2f" % (median / base))

    def with_labels(self):
        """Is there room for 8 bytes a vertex, and half as many again?"""
        return shutil.disk_usage(self.folder).free > 12 * 2**self.options.scale

    def write(self):
        name = "R-MAT, scale %d, degree %d, %d threads" % (self.options.scale, self.options.degree, self.options.threads or os.cpu_count())
        table, small, cold = [], [], []
        for row, cells in self.rows.items():
            if row.startswith("small: "):
                algorithm, blocks = row[len("small: "):].split(", ")
                small.append(records.record(blocks, algorithm, float(cells["of_container"]), "times"))
            elif row.startswith("cold: "):
                for column, cell, unit in (("read", "rate", "MB/s"), ("of dd", "of_dd", "times"), ("of the slower of dd and a run on files in memory", "of_bound", "times")):
                    cold.append(records.record(row[len("cold: "):], column, float(cells[cell]), unit, name))
            else:
                table += [records.record(row, "seconds", cells["seconds"], "s", name),
                          records.record(row, "memory", cells["memory"] / 2**30, "GiB", name)]
        if table:
            table.append(records.record("set", "disk", disk(self.set) / 2**30, "GiB", name))
        tables = {key: rows for key, rows in (("blocks", table), ("blocks-small", small), ("blocks-cold", cold)) if rows}
        (self.folder / "blocks.json").write_text(json.dumps(records.stamp(tables), indent=1) + "\n")


def plan(options):
    """By what is counted; bfs and cc at 16 cores and scale 32 take minutes each, as do generating and every ten iterations of pagerank."""
    vertices, edges, cuts = 2**options.scale, options.degree * 2**options.scale, -(-2**options.scale // options.block_vertices)
    rows = edges * (options.scale / 8 + 0.3) + vertices * cuts * 0.3
    block = 8 * options.block_vertices + 4 * edges / cuts**2  # ids are drawn at random, so all have as many edges
    print("%d x %d blocks; GiB of disk: %.1f for the set, %.1f while it is made, %.1f beside results; GiB of memory: %.1f to make it, "
          "%.1f for bfs, %.1f for pagerank, %.1f for cc" % (cuts, cuts, *(each / 2**30 for each in (
              rows + 4 * vertices, rows / cuts**2 + 8 * edges + 4 * vertices, rows + 8 * vertices,
              4 * vertices + 2 * block + 4 * edges / cuts**2, 8.5 * vertices + block, 12 * vertices + 8 * options.block_vertices + block,
              12 * vertices + max(block, 8 * vertices)))))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--scale", type=int, default=32)
    parser.add_argument("--degree", type=int, default=1)
    parser.add_argument("--block-vertices", type=int)
    parser.add_argument("--folder", type=Path, default=records.ROOT / "build/bench/blocks")
    parser.add_argument("--phases", default=",".join(PHASES))
    parser.add_argument("--threads", type=int)
    parser.add_argument("--tolerance", default="1e-6", help="of pagerank (1e-6)")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--plain", action="store_true", help="blocks of plain rows, not packed ones")
    parser.add_argument("--plan", action="store_true")
    options = parser.parse_args()
    options.block_vertices = options.block_vertices or 2**min(max(options.scale - 1, 0), 31)
    if options.plan:
        return plan(options)
    options.folder.mkdir(parents=True, exist_ok=True)
    bench = Bench(options)
    for phase in options.phases.split(","):
        getattr(bench, phase)()
    bench.write()


if __name__ == "__main__":
    main()
