#!/usr/bin/env python3
"""What partitions cost, and what they are worth: edges a second of processor time that the whole command takes, on one thread, and memory; their quality beside what was
published, and beside the libraries whose packages are there.

    bench/training/partitions.py [--scale 22] [--graphs ../shared/graphs] [--large FILE] [--json FILE]

`--graphs` has wiki-Vote and email-Enron, of which the replication by HDRF into 30 parts was published: C. Zhang, F. Wei, Q. Liu, Z. G. Tang, Z. Li: Graph Edge
Partitioning via Neighborhood Heuristic, KDD 2017, as in the README of its code. `--large` is a container that each stream divides with --memory 4G.
"""

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "python")]

import records

BIN = Path(os.environ.get("QUERN_BIN", ROOT / "build/bin"))
STREAMS = ("fennel", "ldg", "hdrf", "2psl")
LIBRARIES = {"metis": "pymetis", "kaminpar": "kaminpar", "kahip": "kahip", "mtkahypar": "mtkahypar"}
PUBLISHED = {"wiki-Vote": ("wiki-Vote.txt", 3.90, []), "email-Enron": ("email-Enron.txt.gz", 2.12, ["--undirected", "--duplicates", "remove"])}


def tool(name, *words):
    return subprocess.run([BIN / ("quern-" + name), *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, text=True).stdout


def partition(graph, parts, by, *more):
    """What the tool says, and the most memory that the process had."""
    child = subprocess.Popen([BIN / "quern-transform", graph, "--partition", str(parts), "--by", by, "--json", "-fo", graph.with_name("parted.qrn"), *more],
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    told = child.stdout.read()
    usage = os.wait4(child.pid, 0)[2]
    return json.loads(told)["partition"], usage


def rates(folder, scale, turns):
    path, table = folder / "rmat.qrn", []
    tool("generate", "rmat", "--scale", scale, "--undirected", "-qo", path)
    what = "R-MAT, scale %d, undirected" % scale
    edges = json.loads(tool("info", path, "--json"))["edges"] / 2
    for by in STREAMS:
        turned = [partition(path, 32, by, "-T", "1") for _ in range(turns)]
        found, seconds = turned[0][0], min(usage.ru_utime + usage.ru_stime for _, usage in turned)
        table += [records.record(by, "edges a second", edges / seconds / 1e6, "M/s", what),
                  records.record(by, "memory of its own", found["memory"] / 1e6, "MB", what),
                  records.record(by, "replication", found["replication"], "", what)]
    return table


def quality(folder, graphs):
    table = []
    for name, (file, published, options) in PUBLISHED.items():
        tool("import", graphs / name / file, *options, "-qfo", folder / "g.qrn")
        for by in ("hdrf", "2psl"):
            table.append(records.record(by, "replication in 30 parts", partition(folder / "g.qrn", 30, by)[0]["replication"], "", name))
        table.append(records.record("hdrf as published", "replication in 30 parts", published, "", name))
        for by in ("fennel", "ldg", *(by for by, package in LIBRARIES.items() if importlib.util.find_spec(package))):
            more = ["--passes", "4"] if by in STREAMS else []
            table.append(records.record(by + (", 4 passes" if more else ""), "cut in 8 parts", 100 * partition(folder / "g.qrn", 8, by, *more)[0]["cut_ratio"],
                                        "% of the edges", name))
    return table


def large(path):
    table, what = [], "%d edges" % json.loads(tool("info", path, "--json"))["edges"]
    for by in STREAMS:
        found, usage = partition(path, 32, by, "--memory", "4G")
        table += [records.record(by, "seconds", found["seconds"], "s", what), records.record(by, "memory of its own", found["memory"] / 1e9, "GB", what),
                  records.record(by, "processor time", usage.ru_utime + usage.ru_stime, "s", what)]
    return table


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--scale", type=int, default=22)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--graphs", type=Path)
    parser.add_argument("--large", type=Path)
    parser.add_argument("--folder", type=Path, help="for temporary files")
    parser.add_argument("--json")
    given = parser.parse_args()
    tables = {}
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        tables["partitions"] = rates(Path(folder), given.scale, given.turns) if given.turns else []
        if given.graphs:
            tables["partition-quality"] = quality(Path(folder), given.graphs)
    if given.large:
        tables["partition-large"] = large(given.large)
    for name, table in tables.items():
        for each in table:
            print("%-18s %-28s %-18s %-26s %10.4g %s" % (name, each.get("graph"), each["row"], each["column"], each["value"], each["unit"]))
    if given.json:
        Path(given.json).write_text(json.dumps(records.stamp({name: table for name, table in tables.items() if table}), indent=1))


if __name__ == "__main__":
    main()
