#!/usr/bin/env python3
"""What a streamed run did with its time, from `quern-run --trace FILE --json`: for every iteration the bytes that moved and their
rate, how long nothing arrived before its first batch and after its last one, and the rate between them.

    quern-run pagerank g.pages.qrn --device cuda --device-memory 1G --trace run.json
    bench/streaming_trace.py run.json                        # a table
    bench/streaming_trace.py run.json --picture run.png      # and a picture (needs matplotlib)"""

import argparse
import json
import sys
from pathlib import Path


class Iteration:
    """The copies, or rows read in place, and kernels of one iteration; times in seconds since the run's first event."""

    def __init__(self, event, copies, kernels):
        self.name = event["name"].split()[-1]
        self.host_seconds = event["args"]["seconds"]
        self.active = event["args"]["active"]
        self.event, self.copies, self.kernels = event, copies, kernels
        self.moved = self.cached = 0
        self.bytes = sum(copy["args"]["bytes"] for copy in copies)


def begin(event):
    return 1e-6 * event["ts"]


def end(event):
    return 1e-6 * (event["ts"] + event["dur"])


def load(path):
    """The iterations of a trace; events come before the iteration that they belong to, its counters after it."""
    iterations, copies, kernels = [], [], []
    for event in json.loads(Path(path).read_text())["traceEvents"]:
        if event["ph"] == "C" and iterations:
            setattr(iterations[-1], event["name"], event["args"]["units"])
        elif event["ph"] == "X" and event["tid"] == 0:
            iterations.append(Iteration(event, copies, kernels))
            copies, kernels = [], []
        elif event["ph"] == "X":
            (kernels if event["name"] == "kernel" else copies).append(event)
    return iterations


def table(iterations):
    lines = ["iteration   host ms   batches        MB   GB/s   GB/s between first and last   ms before   ms of last walks   ms of a walk"]
    before = 0.0
    for iteration in iterations:
        arrivals = sorted((end(copy), copy["args"]["bytes"]) for copy in iteration.copies)
        if not arrivals:
            lines.append("%9s %9.3f   all resident" % (iteration.name, 1e3 * iteration.host_seconds))
            continue
        last_walk = max(end(kernel) for kernel in iteration.kernels)
        span = arrivals[-1][0] - arrivals[0][0]
        steady = sum(count for _, count in arrivals[1:]) / span if span > 0 else 0
        lines.append("%9s %9.3f %9d %9.1f %6.1f %29.1f %11.3f %18.3f %14.3f" % (
            iteration.name, 1e3 * iteration.host_seconds, len(arrivals), 1e-6 * iteration.bytes,
            1e-9 * iteration.bytes / iteration.host_seconds, 1e-9 * steady, 1e3 * (arrivals[0][0] - before),
            1e3 * (last_walk - arrivals[-1][0]), 1e-3 * sum(kernel["dur"] for kernel in iteration.kernels) / len(iteration.kernels)))
        before = arrivals[-1][0]
    return "\n".join(lines)


COLOURS = {"copy": "#d1495b", "kernel": "#2a9d8f", "moved": "#d1495b", "hits": "#8d99ae"}


def draw_rows(axes, iterations, begin_ms, end_ms):
    """Copies and kernels of each stream in some stretch of time (GTS, figure 4)."""
    events = [event for iteration in iterations for event in iteration.copies + iteration.kernels
              if begin_ms < 1e3 * end(event) and 1e3 * begin(event) < end_ms]
    streams = sorted({event["tid"] for iteration in iterations for event in iteration.copies + iteration.kernels})
    for name, height in (("kernel", 0.8), ("copy", 0.8)):
        for row, stream in enumerate(streams):
            spans = [(1e3 * begin(event), 1e-3 * event["dur"]) for event in events
                     if event["tid"] == stream and event["name"] == name]
            axes.broken_barh(spans, (row - height / 2, height), color=COLOURS[name], linewidth=0,
                             label=name if row == 0 else None)
    for iteration in iterations:
        at = 1e-3 * iteration.event["ts"]
        if begin_ms <= at < end_ms:
            axes.axvline(at, color="black", linewidth=0.5)
            if iteration.event["dur"] > 20 * (end_ms - begin_ms):
                axes.text(at, len(streams) - 0.2, " iteration %s" % iteration.name, fontsize=8)
    axes.set_yticks(range(0, len(streams), 4), ["stream %d" % i for i in range(0, len(streams), 4)])
    axes.set_ylim(-0.7, len(streams) + 1)
    axes.set_xlim(begin_ms, end_ms)
    axes.set_xlabel("ms")


def draw_units(axes, iterations):
    """What each iteration needed (Graphie, figures 8 and 11)."""
    names = [iteration.name for iteration in iterations]
    hits = [iteration.cached for iteration in iterations]
    axes.bar(names, hits, color=COLOURS["hits"], label="on the device already")
    axes.bar(names, [iteration.moved for iteration in iterations], bottom=hits, color=COLOURS["moved"], label="moved")
    axes.set_xlabel("iteration")
    axes.set_ylabel("units walked")
    axes.legend(loc="upper right", fontsize=8)


def draw(iterations, path, title):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure, (whole, part, units) = pyplot.subplots(3, 1, figsize=(9, 8), height_ratios=(2, 2, 1.3), layout="constrained")
    figure.suptitle(title, fontsize=10)
    draw_rows(whole, iterations, 0, 1e3 * max(end(iteration.event) for iteration in iterations))
    longest = max(iterations, key=lambda iteration: iteration.event["dur"])
    middle = 1e3 * (begin(longest.event) + end(longest.event)) / 2
    length = min(2, 1e-3 * longest.event["dur"])
    draw_rows(part, iterations, middle - length / 2, middle + length / 2)
    part.legend(loc="upper right", fontsize=8, ncols=2)
    draw_units(units, iterations)
    figure.savefig(path, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trace", help="written by quern-run --trace")
    parser.add_argument("--picture", metavar="FILE", help="draw copies and kernels, and the units of each iteration")
    parser.add_argument("--title", default="", help="of the picture")
    options = parser.parse_args()
    iterations = load(options.trace)
    if options.picture:
        draw(iterations, options.picture, options.title)
    else:
        print(table(iterations))
    return 0


if __name__ == "__main__":
    sys.exit(main())
