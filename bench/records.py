"""Measurements in one form, so that any benchmark can replace any row of docs/performance.md.

A record is one cell of a table: row, column, value and unit, and the graph where a table has several. bench/results/TABLE.json
holds a table's records, each with the machine, the commit and the date that it was measured with. A benchmark writes a report that
`stamp` made; `bench/report.py --machine NAME REPORT...` merges reports into the tables."""

import datetime
import functools
import json
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench/results"
KEY = ("graph", "row", "column")
MOST_SECONDS = 150


# What a table measures: the folders whose commits make it old. The first that fits the table's name.
MEASURED = (
    (r"papers-(hpgraph-masks|hpgraph-warps|garaph-storage|garaph-asynchronous|garaph-modes|graphie-cpu)", ["kernels/cpu"]),
    (r"papers-(cage-bars|cage-cache|cage-counters|hpgraph-lanes|hpgraph-bars|graphie-shared|gts-kernels|garaph-pages|garaph-seen)", ["bench/programs"]),
    (r"papers-garaph-halves", ["kernels/programs"]),
    (r"papers-(building|graphie-renaming)|builders|orders", ["partitioner"]),
    (r"papers-gts-stripes", ["formats/container", "support/input"]),
    (r"papers-|gpu-|cluster-devices|packed$", ["kernels/cuda"]),
    (r"engines|gapbs|leiden|many-cores|beside-peers|first-pagerank|fresh-pages|packed-rows|peers|suites|public|blocks|networkx", ["kernels/cpu"]),
    (r"sampling", ["kernels/cpu/sampling", "formats/properties", "library/training"]),
    (r"preparing", ["kernels/cpu/sampling", "python/quern"]),
    (r"cluster-", ["kernels/cpu/set", "kernels/cuda/set", "kernels/ranks"]),
    (r"changes", ["converters/changes", "formats/set", "runtime/sets"]),
    (r"archive", ["formats/archive"]),
    (r"verify", ["formats/container", "formats/graph"]),
    (r"library", ["library"]),
    (r"", ["converters"]),
)


def measured_folders(table):
    return next(folders for pattern, folders in MEASURED if re.match(pattern, table))


def record(row, column, value, unit, graph=None):
    return {**({"graph": graph} if graph else {}), "row": row, "column": column, "value": float("%.4g" % value), "unit": unit}


@functools.cache
def commit():
    """What the sources are at; None outside a repository, where there is no git, or if they were changed since."""
    def git(*words):
        return subprocess.run(["git", *words], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if not shutil.which("git"):
        return None
    head, changed = git("rev-parse", "--short=7", "HEAD"), git("status", "--porcelain", "--untracked-files=no")
    return None if head.returncode or changed.stdout.strip() else head.stdout.strip()


def stamp(tables):
    """The part of a benchmark's report that bench/report.py reads; `tables` maps names to records."""
    return {"commit": commit(), "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(), "tables": tables}


def load(table):
    path = RESULTS / (table + ".json")
    return json.loads(path.read_text()) if path.exists() else []


def save(table, records):
    """A record a line, so that a new measurement is a line that changed."""
    (RESULTS / (table + ".json")).write_text("[\n" + ",\n".join(" " + json.dumps(each) for each in records) + "\n]\n")


def merge(old, new):
    """`old` with the records of `new` in the place of those for the same cell, or behind them all."""
    def key(each):
        return tuple(each.get(part) for part in KEY)
    replacements = {key(each): each for each in new}
    return [replacements.pop(key(each), each) for each in old] + list(replacements.values())


def write(path, report):
    """A report in the place of the one that is there: whoever ends the benchmark, one of the two is whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name("%s.%d.new" % (path.name, threading.get_ident()))
    new.write_text(json.dumps(report, indent=1) + "\n")
    new.replace(path)


class OutOfTime(Exception):
    pass


class Sections:
    """What a benchmark does, one after another, in `seconds`: nothing begins after them. After each section `save()` writes what there is;
    one that fails is named in `failed`, one that there was no time for in `left_out`, and the others go on. Ended from outside, they
    clean up."""

    def __init__(self, seconds, save):
        self.begun, self.seconds, self.save, self.failed, self.left_out = time.monotonic(), seconds, save, [], []
        signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended from outside"))

    def left(self):
        return self.seconds - (time.monotonic() - self.begun)

    def call(self, *words, most=MOST_SECONDS, env=None):
        """Standard output of a command, which ends when the time is up, or after `most` seconds: it may hang."""
        left, words = self.left(), [str(word) for word in words]
        if left <= 1:
            raise OutOfTime()
        try:
            done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=min(left, most), env=env)
        except subprocess.TimeoutExpired:
            if left <= most:
                raise OutOfTime() from None
            raise RuntimeError("%s: no end after %d s" % (" ".join(words), most)) from None
        if done.returncode:
            raise RuntimeError("%s: exit code %d: %s" % (" ".join(words), done.returncode, done.stderr.strip()))
        return done.stdout

    def do(self, name, action):
        began = time.monotonic()
        try:
            if self.left() <= 1:
                raise OutOfTime()
            action()
            how = "done"
        except OutOfTime:
            how = "no time was left"
            self.left_out.append(name)
        except Exception as error:  # whatever it is, it is not the other sections' fault
            how = "FAILED: %s: %s" % (type(error).__name__, error)
            self.failed.append("%s: %s: %s" % (name, type(error).__name__, error))
        finally:
            self.save()
        print("== %s: %s; %.1f s" % (name, how, time.monotonic() - began), flush=True)
