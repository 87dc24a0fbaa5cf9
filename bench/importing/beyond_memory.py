#!/usr/bin/env python3
"""Importing text of more edges than the memory that --memory allows holds: R-MAT 26, directed, edges in no order.

    bench/importing/beyond_memory.py FOLDER    FOLDER has room for 35 GB at scale 26

A quarter of the edges is imported in memory and with --memory 4G, all of them with --memory 4G alone. Memory is what the process has
besides mapped files, looked at every few milliseconds. Writes build/bench/large-import.json for bench/report.py."""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import records  # noqa: E402


def own_memory(process):
    """Bytes of a process besides mapped files; 0 once it has ended."""
    try:
        lines = Path("/proc/%d/status" % process).read_text().splitlines()
    except OSError:
        return 0
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith("RssAnon:"))



class Bench:
    def __init__(self, options):
        self.options, self.rows = options, []

    def run(self, tool, *words):
        """Seconds and the most memory of a command."""
        begun, most = time.monotonic(), 0
        process = subprocess.Popen([str(word) for word in (self.options.bin / tool, *words)], env=dict(os.environ, QUERN_NO_SYNC="1"))
        while process.poll() is None:
            most = max(most, own_memory(process.pid))
            time.sleep(0.01)
        if process.returncode:
            sys.exit("bench: %s failed" % tool)
        return time.monotonic() - begun, most

    def record(self, row, column, value, unit):
        self.rows.append(records.record(row, column, value, unit, "R-MAT, scale %d" % self.options.scale))
        print("%-50s %-8s %8.2f %s" % (row, column, value, unit), flush=True)

    def import_text(self, what, file, edges, memory):
        output, row = self.options.folder / "large-import.qrn", what + (", `--memory %s`" % memory if memory else "")
        seconds, most = self.run("quern-import", file, "--format", "edges", "-T", self.options.threads, "-qf", "-o", output,
                                 *(["--memory", memory] if memory else []))
        self.record(row, "time", seconds, "s")
        self.record(row, "rate", 1e-6 * edges / seconds, "M edges/s")
        self.record(row, "memory", 1e-9 * most, "GB")
        output.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--scale", type=int, default=26, help="2^N vertices (26)")
    parser.add_argument("--memory", default="4G", help="what the import may use (4G)")
    parser.add_argument("--threads", type=int, default=2, help="2")
    parser.add_argument("--bin", type=Path, default=records.ROOT / "build/bin", help="the tools")
    options = parser.parse_args()
    bench, text = Bench(options), options.folder / "large-import.txt"
    for what, degree, budgets in (("a quarter of the edges, text", 4, [None, options.memory]), ("all edges, text", 16, [options.memory])):
        bench.run("quern-generate", "rmat", "--scale", options.scale, "--degree", degree, "-qf", "--format", "edges", "-o", text)
        for memory in budgets:
            bench.import_text(what, text, degree << options.scale, memory)
    text.unlink()
    report = records.ROOT / "build/bench/large-import.json"
    report.parent.mkdir(parents=True, exist_ok=True)
    report.write_text(json.dumps(records.stamp({"large-import": bench.rows}), indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
