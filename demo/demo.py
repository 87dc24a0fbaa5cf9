#!/usr/bin/env python3
"""What Quern does, shown on a real graph: the dependencies of this machine's own Debian packages."""

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True

import packages  # noqa: E402
import terminal  # noqa: E402

# Follow the needs of the first of these that there is.
START_AT = ("gnome", "libreoffice", "build-essential", "python3", "apt")


class Demo:
    """Runs the tools in a folder of its own and shows every command that it runs."""

    def __init__(self, bin_folder, folder):
        self.folder = folder
        self.environment = {**os.environ, "PATH": "%s:%s" % (bin_folder, os.environ.get("PATH", ""))}
        self.seconds = 0

    def run(self, *words):
        """The finished command, its time taken; a failure ends the demonstration with the tool's own message."""
        terminal.command(words)
        with terminal.Stopwatch() as watch:
            finished = subprocess.run(words, cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, text=True)
        if finished.returncode != 0:
            sys.exit("demo: %s failed with exit code %d" % (words[0], finished.returncode))
        self.took(watch)
        return finished.stdout, watch.seconds

    def run_json(self, *words):
        out, seconds = self.run(*words, "--json")
        return json.loads(out), seconds

    def took(self, watch):
        self.seconds += watch.seconds


def distribution():
    try:
        lines = Path("/etc/os-release").read_text().splitlines()
        return dict(line.split("=", 1) for line in lines if "=" in line)["PRETTY_NAME"].strip('"')
    except (OSError, KeyError):
        return "this system"


def package_graph(demo):
    """The package graph as an edge list, or None where apt knows no packages."""
    if not shutil.which("apt-cache"):
        return None
    with terminal.Stopwatch() as watch:
        listing = subprocess.Popen(["apt-cache", "dumpavail"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   text=True, encoding="utf-8", errors="replace")
        needs, provided = packages.read(listing.stdout)
        listing.wait()
        if not needs:
            return None
        with open(demo.folder / "packages.tsv", "w", encoding="utf-8") as out:
            count = packages.write(out, needs, provided)
    terminal.heading("Which packages does %s lean on?" % distribution())
    terminal.command(["apt-cache", "dumpavail", "|", "demo/packages.py", ">", "packages.tsv"])
    terminal.result("{:,} packages need others {:,} times".format(len(needs), count), watch.seconds)
    demo.took(watch)
    return needs


def import_packages(demo):
    out, seconds = demo.run("quern-import", "packages.tsv", "-o", "packages.qrn", "--ids", "strings", "--self-loops",
                            "remove", "--duplicates", "remove", "--transpose", "also", "--force", "--quiet")
    info = json.loads(subprocess.run(["quern-info", "--json", "packages.qrn"], cwd=demo.folder, env=demo.environment,
                                     stdout=subprocess.PIPE, check=True).stdout)
    terminal.result("{:,} vertices, {:,} edges, {:,} bytes".format(info["vertices"], info["edges"], info["bytes"]),
                    seconds)
    return "packages.qrn"


def generate(demo):
    terminal.heading("No packages are known here (no apt): a random R-MAT graph instead")
    _, seconds = demo.run("quern-generate", "rmat", "--scale", "18", "--degree", "16", "--seed", "1", "-o", "rmat.qrn",
                          "--force", "--quiet")
    terminal.result("2^18 vertices, 16 times as many edges", seconds)
    return "rmat.qrn"


def verify(demo, path):
    _, seconds = demo.run("quern-verify", path)
    terminal.result("every checksum matches, every rule of the format holds", seconds)


def rank(demo, path, noun):
    """PageRank; gives the best vertex."""
    print()
    ranked, seconds = demo.run_json("quern-run", "pagerank", path, "--top", "10")
    best = ranked["result"]["top"]
    terminal.result("{} iterations over {:,} edges; the ten {} with the most weight:".format(
        ranked["iterations"], ranked["edges"], noun), seconds)
    terminal.bars([("%2d  %s" % (place + 1, entry["id"]), "%.5f" % entry["value"], entry["value"])
                   for place, entry in enumerate(best)])
    return str(best[0]["id"])


def spread(demo, path, source, noun):
    print()
    found, seconds = demo.run_json("quern-run", "bfs", path, "--source", source)
    levels = found["result"]["levels"]
    terminal.result("from {}, {:,} {} are within reach; by distance:".format(source, found["result"]["reached"], noun),
                    seconds)
    terminal.bars([("%2d" % distance, "{:,}".format(count), count) for distance, count in enumerate(levels)])


def components(demo, path, noun):
    print()
    found, seconds = demo.run_json("quern-run", "cc", path)
    terminal.result("{:,} weakly connected components; the largest has {:,} of {:,} {}".format(
        found["result"]["count"], found["result"]["largest"], found["vertices"], noun), seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=Path, default=HERE.parent / "build/demo/bin",
                        help="the tools (build/demo/bin)")
    options = parser.parse_args()
    folder = HERE.parent / "build/demo"
    folder.mkdir(parents=True, exist_ok=True)
    demo = Demo(options.bin.resolve(), folder)

    needs = package_graph(demo)
    path, noun = (import_packages(demo), "packages") if needs else (generate(demo), "vertices")
    verify(demo, path)
    best = rank(demo, path, noun)
    start = next((name for name in START_AT if needs and needs.get(name)), best)
    spread(demo, path, start, noun)
    components(demo, path, noun)
    print()
    terminal.say("All of it took %.1f s. The files are in build/demo." % demo.seconds)


if __name__ == "__main__":
    main()
