#!/usr/bin/env python3
"""What it costs quern-run bfs to verify a container before it uses it: whole commands with and without --trust in turn, and the
checks of rules with and without those of checksums (bench_verifying). Medians, with the page cache warm; `scons bench-programs` first.

    bench/verifying.py [--scale 22] [--threads N] [--trials 11] [--processor-time] [--folder build/bench]

A table goes to the terminal, verifying.json in the folder is for bench/report.py."""

import argparse
import json
import os
import resource
import statistics
import subprocess
import time
from pathlib import Path

import records

TOOLS, PROGRAMS = records.ROOT / "build/bin", records.ROOT / "build/release/bench"
GRAPHS = {"directed": (), "undirected, weights": ("--undirected", "--weights", "1,255")}


def make(path, scale, options):
    if not path.exists():
        subprocess.run([TOOLS / "quern-generate", "rmat", "--scale", str(scale), "--degree", "16", *options, "-q", "-o", path],
                       check=True)


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def seconds(command, clock):
    begin = clock()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return clock() - begin


def measure(path, threads, trials, processor):
    command = [TOOLS / "quern-run", "bfs", path, "--device", "cpu", "-q", "-T", str(threads)]
    commands = {"verified": command, "`--trust`": command + ["--trust"]}
    clock = processor_time if processor else time.perf_counter
    seconds(command, clock)  # the page cache is warm from here on
    runs = {name: [] for name in commands}
    for _ in range(trials):
        for name, words in commands.items():
            runs[name].append(seconds(words, clock))
    checks = subprocess.run([PROGRAMS / "bench_verifying", path, "--trials", str(trials), "-T", str(threads), "--json",
                             *(["--processor-time"] if processor else [])],
                            check=True, stdout=subprocess.PIPE)
    row, = json.loads(checks.stdout)
    row = {**{name: statistics.median(times) for name, times in runs.items()},
           "rules alone": row["rules_seconds"], "rules and checksums": row["seconds"]}
    row["checksums, of the command"] = 100 * (row["rules and checksums"] - row["rules alone"]) / row["verified"]
    row["both, over `--trust`"] = 100 * (row["verified"] / row["`--trust`"] - 1)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--scale", type=int, default=22)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--trials", type=int, default=11)
    parser.add_argument("--processor-time", action="store_true", help="of all threads, for a machine that others use too")
    parser.add_argument("--folder", type=Path, default=records.ROOT / "build/bench")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    table = []
    for name, words in GRAPHS.items():
        path = options.folder / ("rmat%d-%s.qrn" % (options.scale, name.split(",")[0]))
        make(path, options.scale, words)
        print("%s, %d threads" % (name, options.threads))
        for column, value in measure(path, options.threads, options.trials, options.processor_time).items():
            share = "over" in column or "of the" in column
            value, unit = (value, "%") if share else (1e3 * value, "ms")
            print("  %-28s %8.1f %s" % (column, value, unit))
            table.append(records.record(name, column, value, unit,
                                        "R-MAT, scale %d, %d thread%s%s" % (options.scale, options.threads,
                                                                            "s" if options.threads > 1 else "",
                                                                            ", processor time" if options.processor_time else "")))
    (options.folder / "verifying.json").write_text(json.dumps(records.stamp({"verify-before-use": table}), indent=1) + "\n")


if __name__ == "__main__":
    main()
