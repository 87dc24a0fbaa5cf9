#!/usr/bin/env python3
"""How fast quern-import decodes a WebGraph: one that is repeated, as disjoint copies, until it has so many arcs. Copies have the very
same bits, since all numbers in them are relative.

    bench/webgraph.py GRAPH.graph [--arcs 1e8] [--threads 1,2] [--trials 5] [--folder /dev/shm]

Wall time and processor time are those of the whole command, with the hash of the file and a verified container in the folder; memory is
the most that was resident, less the container, whose pages are among it; where some of these were not kept in memory nothing is said. A table goes to the terminal; webgraph.json in build/bench is for bench/report.py."""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import records

TOOLS = records.ROOT / "build/bin"


def tool(name, *words):
    subprocess.run([TOOLS / name, *map(str, words), "-q"], check=True, stdout=subprocess.DEVNULL)


class Bits:
    """So many bits at the begin of bytes."""

    def __init__(self, data, count):
        self.number, self.count = int.from_bytes(data, "big") >> 8 * len(data) - count, count

    def without(self, first):
        rest = self.count - first
        self.number, self.count = self.number & (1 << rest) - 1, rest
        return self

    def repeated(self, copies, head=""):
        """Behind the bits of `head`, fewer than 8."""
        whole, at, shifted = bytearray((len(head) + copies * self.count + 7) // 8), len(head), {}
        if head:
            whole[0] = int(head.ljust(8, "0"), 2)
        for _ in range(copies):
            if at % 8 not in shifted:
                used = at % 8 + self.count
                shifted[at % 8] = (self.number << -used % 8).to_bytes((used + 7) // 8, "big")
            part = shifted[at % 8]
            whole[at // 8] |= part[0]
            whole[at // 8 + 1:at // 8 + len(part)] = part[1:]
            at += self.count
        return bytes(whole)


def count_bits(offsets, nodes):
    """Of the lists, and of their lengths in gamma code, behind the first that is 0."""
    text, at, total = format(int.from_bytes(b"\1" + offsets, "big"), "b")[1:], 1, 0
    for _ in range(nodes):
        zeros = text.index("1", at) - at
        total += int(text[at + zeros:at + 2 * zeros + 1], 2) - 1
        at += 2 * zeros + 1
    return total, at


def repeat(graph, arcs, folder):
    """Write FOLDER/big.graph with what belongs to it; returns how many arcs and bits it has."""
    tool("quern-import", graph, "-f", "-o", folder / "one.qrn")
    tool("quern-export", folder / "one.qrn", "--format", "webgraph", "-f", "-o", folder / "one")
    data, offsets = ((folder / "one" / ("one" + end)).read_bytes() for end in (".graph", ".offsets"))
    text = (folder / "one/one.properties").read_text()
    known = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
    bits, of_lengths = count_bits(offsets, int(known["nodes"]))
    copies = max(1, -(-int(arcs) // int(known["arcs"])))
    (folder / "big.graph").write_bytes(Bits(data, bits).repeated(copies))
    (folder / "big.offsets").write_bytes(Bits(offsets, of_lengths).without(1).repeated(copies, "1"))
    for key in ("nodes", "arcs"):
        text = text.replace("%s=%s\n" % (key, known[key]), "%s=%d\n" % (key, copies * int(known[key])))
    (folder / "big.properties").write_text(text)
    return copies * int(known["arcs"]), copies * bits


def measure(folder, threads):
    """Seconds on the wall and of processors, and memory in GB."""
    begin = time.perf_counter()
    import_ = subprocess.Popen([TOOLS / "quern-import", folder / "big.graph", "-q", "-f", "-T", str(threads), "-o", folder / "big.qrn"],
                               env=dict(os.environ, OMP_WAIT_POLICY="passive"))
    _, status, used = os.wait4(import_.pid, 0)
    wall = time.perf_counter() - begin
    import_.returncode = os.waitstatus_to_exitcode(status)
    if import_.returncode:
        raise SystemExit("bench: quern-import failed")
    return wall, used.ru_utime, used.ru_stime, 1e-9 * (1024 * used.ru_maxrss - (folder / "big.qrn").stat().st_size)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("graph", type=Path)
    parser.add_argument("--arcs", type=float, default=1e8)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--trials", type=int, default=5)
    parser.add_argument("--folder", default="/dev/shm")
    parser.add_argument("--report", type=Path, default=records.ROOT / "build/bench")
    options = parser.parse_args()
    options.report.mkdir(parents=True, exist_ok=True)
    table = []
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        folder = Path(folder)
        arcs, bits = repeat(options.graph, options.arcs, folder)
        name = "%s, repeated to %d M arcs" % (options.graph.stem, arcs // 10**6)
        print("%s: %.3f bits an arc" % (name, bits / arcs))
        for beside in ("with .offsets", "without .offsets"):
            if beside.startswith("without"):
                (folder / "big.offsets").unlink()
            for threads in map(int, options.threads.split(",")):
                wall, user, system, memory = (statistics.median(values) for values in
                                              zip(*(measure(folder, threads) for _ in range(options.trials))))
                row = "%s, %d thread%s" % (beside, threads, "s" if threads > 1 else "")
                print("  %-30s %7.1f M arcs/s, %7.1f a second of user time; %.2f s of the system's; %.2f GB" %
                      (row, 1e-6 * arcs / wall, 1e-6 * arcs / user, system, memory))
                table += [records.record(row, "on the wall", 1e-6 * arcs / wall, "M edges/s", name),
                          records.record(row, "a second of user time", 1e-6 * arcs / user, "M edges/s", name)]
                if memory > 0:
                    table.append(records.record(row, "memory beside the container", memory, "GB", name))
    (options.report / "webgraph.json").write_text(json.dumps(records.stamp({"web-import": table}), indent=1) + "\n")


if __name__ == "__main__":
    main()
