#!/usr/bin/env python3
"""Garaph's switch for graphs beyond the host's memory (section 4.2), on shards on the CPU: searches in a control group that may take
a part of the container alone, which nothing of is in memory at first, by --direction and by the two rules of the switch; and how many
iterations programs take that see new values within an iteration (--mode asynchronous).

    bench/storage.py [--scale 20] [--part 4] [--trials 3] [--folder build/bench]

It makes a control group below /sys/fs/cgroup, which takes root. A table goes to the terminal; storage.json in the folder is for
bench/report.py."""

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
import stripes

# Rules for when active vertices notify, and what makes them.
WAYS = {"by the storage's rates": [], "as if it were in memory": ["--host-memory=1T"], "all look": ["--direction=pull"],
        "all notify": ["--direction=push"]}
SEARCHES = {"BFS": ["bfs"], "SSSP": ["sssp"], "connected components": ["cc", "--iterations=1000000"]}
RANKS = {"PageRank": ["pagerank"], "Katz": ["katz", "--alpha=0.0001", "--tolerance=1e-9"]}


class Group:
    """A control group, of either version, whose processes may take `limit` bytes with the page cache."""

    def __init__(self, limit):
        old = Path("/sys/fs/cgroup/memory")
        self.folder = (old if old.is_dir() else old.parent) / ("quern-storage-%d" % os.getpid())
        self.folder.mkdir()
        (self.folder / ("memory.limit_in_bytes" if old.is_dir() else "memory.max")).write_text("%d" % limit)

    def enter(self):
        (self.folder / "cgroup.procs").write_text("%d" % os.getpid())

    def leave(self):
        (self.folder.parent / "cgroup.procs").write_text("%d" % os.getpid())

    def remove(self):
        self.folder.rmdir()


# ---- For bench/papers.py: pages that are streamed from disks -------------------------

CUDA_BYTES = (700 << 20, 1000 << 20, 1500 << 20)  # of host memory that a process with a device may take, with what it pins


def streamed_from_disks(bench, graph, name, budget_for):
    """GTS, sections 5 and 7.5: PageRank on pages in one file and in stripes on --disks, and the cost model's term for disks. Nothing is in
    memory at first, and a control group may take half of the container, so that every iteration reads."""
    disks = bench.options.disks or [bench.options.output]
    for folder in disks if not bench.options.emulator else []:
        if is_in_memory(folder):
            raise RuntimeError("%s is in memory: name folders on disks by --disks" % folder)
    folders = [Path(tempfile.mkdtemp(prefix="quern-pages-", dir=folder)) for folder in disks]
    try:
        for count in (1, 2, 4):
            places = [folders[i % len(folders)] / ("%d-%d" % (count, i)) for i in range(count)]
            for place in places:
                place.mkdir()
            container = places[0] / "pages.qrn"
            bench.run([bench.bin / "quern-page", graph, *["--stripe=%s" % place for place in places if count > 1], "-qo", container])
            told = json.loads(bench.run([bench.bin / "quern-info", container, "--json"])).get("stripes", {}).get("files", [])
            files = [Path(each["file"]) for each in told] or [container]
            options = ["--device-memory=%d" % budget_for(bench, "pagerank", container, graph)[0], "--host-memory=512M", "--explain"]
            stripes.forget(files)
            report = in_group(bench, sum(file.stat().st_size for file in files) // 2,
                              lambda c=container, o=options: bench.go("pagerank", c, graph, extra=o))
            model = report["streaming"]["cost_model"] if report else {}
            if model.get("disk_bytes_per_second"):
                told_by_model(bench, name, "in one file" if count == 1 else "in %d stripes" % count, model)
            elif report and not bench.options.emulator:
                bench.results["skipped"].append("GTS, disks: nothing was left to read, as all fits into the group")
    finally:
        for folder in folders:
            shutil.rmtree(folder)


def is_in_memory(folder):
    return subprocess.run(["stat", "-f", "-c", "%T", folder], check=True, stdout=subprocess.PIPE, text=True).stdout.strip() in ("tmpfs", "ramfs")


def told_by_model(bench, name, row, model):
    for column, value, unit in (("model", 1e3 * model["model"], "ms"), ("measured", 1e3 * model["measured"], "ms"),
                                ("of it reading beyond transfers", 1e3 * model["storage"], "ms"),
                                ("read", 1e-9 * model["storage_bytes"], "GB"),
                                ("rate of the disks, by reading alone", 1e-9 * model["disk_bytes_per_second"], "GB/s")):
        bench.put("papers-gts-disks", name, "PageRank " + row, column, value, unit)


def in_group(bench, half, action):
    """What the action returns, whose processes may take `half` bytes beside the least that they need; None where there can be no group."""
    if bench.options.emulator:
        return action()
    for beside in CUDA_BYTES:
        try:
            group = Group(half + beside)
        except OSError as error:
            bench.results["skipped"].append("GTS, disks: no control group: %s" % error)
            return None
        try:
            group.enter()
            return action()
        except (OSError, RuntimeError) as error:  # it is killed where that is too little
            failure = error
        finally:
            group.leave()
            group.remove()
    bench.results["skipped"].append("GTS, disks, in a control group: %s" % failure)
    return None


def run(words, enter=None):
    return json.loads(subprocess.run([str(word) for word in words], check=True, stdout=subprocess.PIPE, preexec_fn=enter).stdout)


def searches(container, limit, trials, name, put):
    size = container.stat().st_size
    group = Group(limit)
    try:
        for row, algorithm in SEARCHES.items():
            found = {way: [] for way in WAYS}
            for trial in range(trials):
                for way, options in WAYS.items():
                    memory = [] if "--host-memory=1T" in options else ["--host-memory=%d" % limit]
                    stripes.forget([container])
                    begin, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_inblock
                    report = run([stripes.TOOLS / "quern-run", *algorithm, container, "--device=cpu", "--trust", "--json", "-q",
                                  "--explain", *memory, *options], group.enter)
                    found[way].append((time.perf_counter() - begin,
                                       512e-9 * (resource.getrusage(resource.RUSAGE_CHILDREN).ru_inblock - before)))
                    if "storage" in report and trial == 0:
                        put("papers-garaph-storage", name, row, "k", report["storage"]["ratio"], "")
            for way, pairs in found.items():
                for column, values in zip(("%s", "%s, read"), zip(*pairs)):
                    put("papers-garaph-storage", name, row, column % way, statistics.median(values), "GB" if "read" in column else "s")
        print("%.2f GB, of which %.2f GB fit" % (1e-9 * size, 1e-9 * limit))
    finally:
        group.remove()


def modes(container, name, put):
    for row, algorithm in RANKS.items():
        for mode in ("synchronous", "asynchronous"):
            report = run([stripes.TOOLS / "quern-run", *algorithm, container, "--device=cpu", "--trust", "--json", "-q", "--mode=" + mode])
            put("papers-garaph-asynchronous", name, row, mode, report["iterations"], "iterations")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--scale", type=int, default=20)
    parser.add_argument("--part", type=int, default=4, help="the memory is the vertices' and one in PART of the container (4)")
    parser.add_argument("--trials", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=records.ROOT / "build/bench")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    tables = {}

    def put(table, graph, row, column, value, unit):
        print("%-28s %-24s %-36s %10.4g %s" % (table, row, column, value, unit), flush=True)
        tables.setdefault(table, []).append(records.record(row, column, value, unit, graph))

    def shards(scale, *words):
        graph, container = (options.folder / ("storage-%d%s.qrn" % (scale, what)) for what in ("", "-shards"))
        if not container.exists():
            subprocess.run([stripes.TOOLS / "quern-generate", "rmat", "--scale=%d" % scale, "--undirected", "--weights=1,50", "-qfo", graph],
                           check=True)
            subprocess.run([stripes.TOOLS / "quern-shard", graph, *words, "-qo", container], check=True)
            graph.unlink()
        return container, "R-MAT, scale %d, 16 edges a vertex, undirected" % scale
    container, name = shards(options.scale)
    searches(container, 64 * 2 ** options.scale + container.stat().st_size // options.part, options.trials, name, put)
    container.unlink()
    container, name = shards(options.scale - 2, "--page-bytes=1M")
    modes(container, name, put)
    container.unlink()
    (options.folder / "storage.json").write_text(json.dumps(records.stamp(tables), indent=1) + "\n")


if __name__ == "__main__":
    main()
