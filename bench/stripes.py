#!/usr/bin/env python3
"""How fast a striped container is read, beside one in one file: quern-verify, which reads and checks all, of slotted pages that
nothing is in memory of, that the page cache holds, and on tmpfs. Medians of trials in turn.

    bench/stripes.py [--scale 21] [--trials 5] [--folder build/bench] [--memory /dev/shm] [--disks DIR,DIR,...]

Stripes lie in --folder, on one disk, unless --disks names a folder on each of several. A table goes to the terminal; stripes.json in
the folder is for bench/report.py."""

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import records

TOOLS = records.ROOT / "build/bin"
STRIPES = (0, 1, 2, 4)


def forget(files):
    """Take files out of the page cache."""
    for file in files:
        descriptor = os.open(file, os.O_RDONLY)
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)


class Copies:
    """The container in one file and in stripes, in a folder of its own in each of `folders`."""

    def __init__(self, plain, folders):
        self.folders = [Path(tempfile.mkdtemp(prefix="quern-stripes-", dir=folder)) for folder in folders]
        self.main, self.files = {}, {}
        for count in STRIPES:
            home = self.folders[0] / str(count)
            home.mkdir()
            self.main[count] = home / "pages.qrn"
            if count == 0:
                shutil.copyfile(plain, self.main[0])
                self.files[0] = [self.main[0]]
                continue
            words = []
            for i in range(count):
                words += ["--stripe", self.folders[i % len(self.folders)] if len(folders) > 1 else home]
            subprocess.run([TOOLS / "quern-transform", plain, *words, "-qo", self.main[count]], check=True)
            told = json.loads(subprocess.run([TOOLS / "quern-info", self.main[count], "--json"], check=True, stdout=subprocess.PIPE).stdout)
            self.files[count] = [each["file"] for each in told["stripes"]["files"]]
            if len(folders) > 1:  # names of stripes are those of their main file
                for file in self.files[count]:
                    moved = Path(file).parent / str(count)
                    moved.mkdir(exist_ok=True)
                    os.rename(file, moved / Path(file).name)
                Path(str(self.main[count]) + ".stripes").write_text("".join("%s/%d\n" % (folder, count) for folder in self.folders))
                self.files[count] = [Path(file).parent / str(count) / Path(file).name for file in self.files[count]]

    def remove(self):
        for folder in self.folders:
            shutil.rmtree(folder)


def measure(copies, trials, cold, put):
    """Wall and processor time: the second tells, on a machine that others use too, what many mappings cost."""
    times = {count: [] for count in STRIPES}
    for _ in range(trials):
        for count in STRIPES:
            if cold:
                forget(copies.files[count])
            begin, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([TOOLS / "quern-verify", "-q", copies.main[count]], check=True)
            end, after = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
            times[count].append((end - begin, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
    for count, pairs in times.items():
        put(count, *(statistics.median(values) for values in zip(*pairs)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--scale", type=int, default=21)
    parser.add_argument("--trials", type=int, default=5)
    parser.add_argument("--folder", type=Path, default=records.ROOT / "build/bench")
    parser.add_argument("--memory", type=Path, default=Path("/dev/shm"))
    parser.add_argument("--disks", help="a folder on each disk")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    disks = [Path(folder) for folder in options.disks.split(",")] if options.disks else [options.folder]
    graph, plain = options.folder / ("rmat%d.qrn" % options.scale), options.folder / ("rmat%d-pages.qrn" % options.scale)
    if not plain.exists():
        subprocess.run([TOOLS / "quern-generate", "rmat", "--scale", str(options.scale), "--degree", "16", "-qfo", graph], check=True)
        subprocess.run([TOOLS / "quern-page", graph, "-qo", plain], check=True)
    size, table = plain.stat().st_size, []
    disk = "%d disks" % len(disks) if len(disks) > 1 else "one disk"
    for name, folders, cold in ((disk + ", cold", disks, True), (disk + ", cached", disks, False), ("tmpfs", [options.memory], False)):
        copies = Copies(plain, folders)
        try:
            def put(count, seconds, processor):
                row = "in one file" if count == 0 else "in %d stripe%s" % (count, "s" * (count > 1))
                print("%-20s %-14s %8.3f GB/s, %.3f s of processors" % (name, row, 1e-9 * size / seconds, processor), flush=True)
                shape = "slotted pages of R-MAT, scale %d, %.2f GB" % (options.scale, 1e-9 * size)
                table.append(records.record(row, name, 1e-9 * size / seconds, "GB/s", shape))
                table.append(records.record(row, name + ", processors", processor, "s", shape))
            measure(copies, options.trials, cold, put)
        finally:
            copies.remove()
    (options.folder / "stripes.json").write_text(json.dumps(records.stamp({"papers-gts-stripes": table}), indent=1) + "\n")


if __name__ == "__main__":
    main()
