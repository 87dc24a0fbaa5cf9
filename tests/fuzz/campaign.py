#!/usr/bin/env python3
"""Searches all fuzz targets side by side, and says what was done.

    campaign.py --programs FOLDER --corpus tests/fuzz/corpus --out FOLDER [--cores N] [--seconds S] [--executions N]
    campaign.py --merge TABLE.json...

FOLDER of programs has quern-fuzz-fast and, if sanitizers are to watch too, quern-fuzz (scons CC=clang CXX=clang++ cuda=no
variant=fuzz-fast fuzz, and variant=fuzz). The second sees more, the first is several times as fast: one execution in ten is of the
second, as long as that takes no more than a fifth of the time. Targets are searched in slices, first those that were executed least,
until each was executed N times, or the time is up. What one program finds both go on from. Needs nothing but Python. In the folder
of the output are table.json (executions, those of them under the sanitizers, edges and features covered, inputs found, by target),
the inputs that crash a target, what it then said, and found.tar; the next campaign with this output goes on from there. The exit code is 1 if a target crashed or cannot be run, 3 if one was executed less than N times, else 0. The second form adds
tables to the one in tests/README.md."""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
from pathlib import Path

SLICE_SECONDS = 20
SANITIZED_SHARE, MOST_SANITIZED_TIME = 0.1, 0.2
# Short inputs are tried more often, and most of what can go wrong takes few bytes.
LARGEST_INPUT = {"container": 40000, "bundle-tar": 40000, "archive": 6000, "readers-binsparse": 4500, "readers-npz": 2000,
                 "readers-quern": 2000}
LARGEST_OF_FAMILY = {"readers": 400, "results": 200}
COMMON = ("-timeout=60", "-rss_limit_mb=4096", "-malloc_limit_mb=1000000", "-print_final_stats=1", "-use_value_profile=0",
          "-verbosity=1")


class Target:
    def __init__(self, name, family, corpus, scratch):
        self.name, self.seeds = name, corpus / family
        if not self.seeds.is_dir():
            raise SystemExit("there is no corpus %s" % self.seeds)
        self.largest = LARGEST_INPUT.get(name, LARGEST_OF_FAMILY.get(family, 2000))
        self.found = scratch / "found" / name
        self.found.mkdir(parents=True, exist_ok=True)
        self.executions = self.edges = self.features = self.running = self.slices = self.crashes = self.idle = 0
        self.sanitized, self.seconds, self.sanitized_seconds, self.rate = 0, 1.0, 0.0, 1000.0

    def row(self):
        return {"target": self.name, "executions": self.executions, "sanitized": self.sanitized, "edges": self.edges,
                "features": self.features, "inputs": len(list(self.found.iterdir())),
                "per_second": round(self.executions / self.seconds), "crashes": self.crashes}

    def wants_sanitizers(self):
        return (self.sanitized <= self.executions * SANITIZED_SHARE
                and self.sanitized_seconds <= self.seconds * MOST_SANITIZED_TIME)

    def is_broken(self):
        """It has failed several times without having done anything."""
        return self.idle >= 3


class Campaign:
    def __init__(self, options, scratch):
        self.options, self.scratch, self.out = options, scratch, options.out
        self.sanitized, self.fast = options.programs / "quern-fuzz", options.programs / "quern-fuzz-fast"
        self.has_sanitized = self.sanitized.exists()
        self.lock, self.end = threading.Lock(), time.monotonic() + options.seconds
        listed = subprocess.run([str(self.fast)], env=self.environment("list"), capture_output=True, text=True, check=True)
        wanted = options.only.split(",") if options.only else None
        self.targets = [Target(*line.split(), options.corpus, scratch) for line in listed.stdout.splitlines()
                        if not wanted or line.split()[0] in wanted]
        self.go_on()

    def go_on(self):
        """From what a campaign before left in the folder of the output."""
        if not (self.out / "table.json").exists():
            return
        rows = {row["target"]: row for row in json.loads((self.out / "table.json").read_text())["targets"]}
        for target in self.targets:
            row = rows.get(target.name, {})
            for key in ("executions", "sanitized", "edges", "features", "crashes"):
                setattr(target, key, row.get(key, 0))
        if (self.out / "found.tar").exists():
            with tarfile.open(self.out / "found.tar") as found:
                found.extractall(self.scratch)

    def environment(self, target):
        return {**os.environ, "QUERN_FUZZ": target, "OMP_NUM_THREADS": "1", "TMPDIR": str(self.scratch),
                "GLIBC_TUNABLES": "glibc.malloc.mmap_threshold=1073741824:glibc.malloc.trim_threshold=4294967296",
                "ASAN_OPTIONS": "allocator_may_return_null=1:symbolize=0:quarantine_size_mb=8:clear_shadow_mmap_threshold=100000000"}

    def next_target(self):
        """The one with the least done and under way; None if there is nothing left to do."""
        with self.lock:
            left = [target for target in self.targets
                    if target.executions < self.options.executions and not target.is_broken()]
            if not left or time.monotonic() > self.end - 2:
                return None
            target = min(left, key=lambda t: t.executions + t.running * t.rate * SLICE_SECONDS)
            sanitized = self.has_sanitized and target.wants_sanitizers()
            target.running += 1
            target.slices += 1
            target.seconds += SLICE_SECONDS
            target.sanitized_seconds += SLICE_SECONDS * sanitized
            return target, target.slices, sanitized

    def search(self, target, number, sanitized):
        """One slice of a target, in a folder of its own; what it finds goes to all later slices."""
        folder = self.scratch / ("%s-%d" % (target.name, number))
        folder.mkdir()
        seconds = max(1, min(SLICE_SECONDS, int(self.end - time.monotonic())))
        command = [str(self.sanitized if sanitized else self.fast), "-seed=%d" % (target.executions + number), "-max_total_time=%d" % seconds,
                   "-max_len=%d" % target.largest, "-artifact_prefix=%s/" % folder,
                   "-entropic=%d" % (number % 3 == 0), *COMMON,  # what weighs inputs by how rare they are takes time itself
                   str(target.found), str(target.seeds)]
        with open(folder / "log", "wb") as log:
            code = subprocess.run(command, cwd=folder, env=self.environment(target.name), stdout=log, stderr=log).returncode
        self.account(target, folder, code, sanitized)
        shutil.rmtree(folder)

    def account(self, target, folder, code, sanitized):
        text = (folder / "log").read_text(errors="replace")
        stats = re.search(r"number_of_executed_units: (\d+)", text)
        covered = re.findall(r"cov: (\d+) ft: (\d+)", text)
        with self.lock:
            target.running -= 1
            done = int(stats.group(1)) if stats else 0
            target.executions += done
            target.sanitized += done * sanitized
            target.idle = 0 if done else target.idle + 1
            target.rate = max(1.0, target.executions / target.seconds)
            if covered:
                target.edges = max(target.edges, int(covered[-1][0]))
                target.features = max(target.features, int(covered[-1][1]))
            if code != 0:
                self.keep_crash(target, folder, text)

    def keep_crash(self, target, folder, text):
        target.crashes += 1
        if target.crashes > 20:
            return
        name = "%s-%d" % (target.name, target.crashes)
        (self.out / (name + ".log")).write_text(text[-20000:])
        for path in folder.iterdir():
            if path.name.startswith(("crash-", "timeout-", "oom-", "leak-", "slow-")):
                shutil.copy(path, self.out / (name + "-" + path.name[:24]))

    def work(self):
        for chosen in iter(self.next_target, None):
            self.search(*chosen)

    def write_table(self):
        table = {"cores": self.options.cores, "seconds": round(time.monotonic() - self.end + self.options.seconds),
                 "targets": [target.row() for target in self.targets]}
        (self.out / "table.json").write_text(json.dumps(table, indent=1) + "\n")

    def run(self):
        threads = [threading.Thread(target=self.work) for _ in range(self.options.cores)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            time.sleep(1)
            self.write_table()
        self.write_table()
        with tarfile.open(self.out / "found.tar", "w") as found:
            found.add(self.scratch / "found", "found")
        for target in self.targets:
            print("%-28s %12d executions %6d edges %3d crashes" % (target.name, target.executions, target.edges, target.crashes))
        if any(target.crashes or target.is_broken() for target in self.targets):
            return 1
        return 3 if any(target.executions < self.options.executions for target in self.targets) else 0


README = Path(__file__).resolve().parent.parent / "README.md"
ROW = re.compile(r"^\| (`([a-z-]+)`|all) \| ([\d,]+) \| ([\d,]+) \|( [\d,]+)? \|(.*)$")


def merge(tables):
    """Add what campaigns did to the table of tests/README.md; edges are the most that one of them reached."""
    done = [row for table in tables for row in json.loads(Path(table).read_text())["targets"]]
    lines, all_executions, all_sanitized = README.read_text().splitlines(), 0, 0
    for i in range(next(i for i, line in enumerate(lines) if line.startswith("| target | executions")), len(lines)):
        row = ROW.match(lines[i])
        if row and row[2]:
            of = [each for each in done if each["target"] == row[2]]
            executions, sanitized, edges = (int(text.replace(",", "")) for text in row.groups()[2:5])
            executions += sum(each["executions"] for each in of)
            sanitized += sum(each["sanitized"] for each in of)
            edges = max([edges] + [each["edges"] for each in of])
            all_executions, all_sanitized = all_executions + executions, all_sanitized + sanitized
            lines[i] = "| `{}` | {:,} | {:,} | {:,} |{}".format(row[2], executions, sanitized, edges, row[6])
        elif row:
            lines[i] = "| all | {:,} | {:,} | |{}".format(all_executions, all_sanitized, row[6])
    README.write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=Path)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--cores", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--executions", type=int, default=10**7)
    parser.add_argument("--only", help="some targets, comma-separated")
    parser.add_argument("--merge", nargs="+", metavar="TABLE", help="add these tables to that of tests/README.md")
    options = parser.parse_args()
    if options.merge:
        return merge(options.merge)
    if not (options.programs and options.corpus and options.out):
        parser.error("--programs, --corpus and --out are needed")
    options.programs, options.corpus, options.out = (path.resolve() for path in
                                                     (options.programs, options.corpus, options.out))
    options.out.mkdir(parents=True, exist_ok=True)
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as scratch:
        return Campaign(options, Path(scratch)).run()


if __name__ == "__main__":
    sys.exit(main())
