#!/usr/bin/env python3
"""Containers on a server: what the neighbours of one vertex cost, and how fast all of one comes beside curl, medians.

    scons -j2 tools && bench/remote_containers.py [--scale 24] [--degree 16] [--vertices 20] [--repeat 5] [--link 0]

The server is the tests' own (tests/remote/server.py), on this machine; --link bounds the bytes a second of all its connections together. The
cache is empty before each run. An undirected R-MAT graph is served with ids that are dense, numbers, and texts. "curl" is one
connection to /dev/null, of a container, its archive and a set of it, and beside it what quern-verify, quern-run cc and quern-export take: "beside curl" is 1
where they run at the link's rate, and "lost" is what they take longer than curl and the same on the file itself, one after the other (0 or less: they go on
at once). The table goes to the terminal, JSON to build/bench/remote.json. --edges-only leaves the neighbours out."""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from remote.server import Server  # noqa: E402

MIB = 1 << 20


class Bench:
    def __init__(self, options):
        self.options = options
        self.folder = ROOT / "build/bench"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.cache = tempfile.TemporaryDirectory(dir=self.folder)
        self.environment = dict(os.environ, XDG_CACHE_HOME=self.cache.name)

    def run(self, *words):
        done = subprocess.run([str(word) for word in words], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode:
            sys.exit("bench: %s: %s" % (" ".join(map(str, words)), done.stderr.decode(errors="replace")))
        return done.stdout

    def tool(self, name, *words):
        return self.run(ROOT / "build/bin" / name, *words)

    def forget(self):
        for file in Path(self.cache.name).glob("quern/*"):
            file.unlink()

    def seconds(self, *words):
        times = []
        for _ in range(self.options.repeat):
            self.forget()
            begun = time.monotonic()
            self.run(*words)
            times.append(time.monotonic() - begun)
        return statistics.median(times)

    def make(self, name, *given):
        path = self.folder / ("remote-%s-%d-%d.qrn" % (name, self.options.scale, self.options.degree))
        if not path.exists():
            self.tool("quern-generate", "rmat", "--scale", self.options.scale, "--degree", self.options.degree, "--undirected", *given, "-q", "-f",
                      "-o", path)
        return path

    def numbered(self, dense):
        """The same graph, of which the vertices without edges are left out: its ids are numbers."""
        path = self.folder / dense.name.replace("dense", "numbers")
        if not path.exists():
            edges = self.folder / "remote-edges.npy"
            self.tool("quern-export", dense, "-q", "-f", "-o", edges)
            self.tool("quern-import", edges, "--undirected", "-q", "-f", "-o", path)
            edges.unlink()
        return path

    def named(self, dense):
        """The same graph, whose vertices are called by texts, their digits."""
        path = self.folder / dense.name.replace("dense", "texts")
        if not path.exists():
            edges = self.folder / "remote-edges.csv"
            self.tool("quern-export", dense, "--format", "edges", "-q", "-f", "-o", edges)
            self.tool("quern-import", edges, "--format", "edges", "--undirected", "--ids", "strings", "-q", "-f", "-o", path)
            edges.unlink()
        return path

    def neighbours(self, server, path):
        """Requests, MiB and seconds for the neighbours of one vertex."""
        found = {"requests": [], "mib": [], "seconds": [], "neighbours": []}
        chance = random.Random(1)
        for _ in range(self.options.vertices):
            while True:
                vertex = str(chance.randrange(1 << self.options.scale))
                done = subprocess.run([ROOT / "build/bin/quern-info", path, "--neighbors", vertex], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
                if done.returncode == 0:
                    break
            self.forget()
            server.log.clear()
            begun = time.monotonic()
            self.tool("quern-info", server.url("/" + path.name), "--neighbors", vertex)
            found["seconds"].append(time.monotonic() - begun)
            ranges = [tuple(map(int, one.split("-"))) for entry in server.log for one in entry[1].split("=")[1].split(",")]
            found["requests"].append(len(server.log))
            found["mib"].append(sum(last - first + 1 for first, last in ranges) / MIB)
            found["neighbours"].append(len(done.stdout.splitlines()))
        return {key: {"median": statistics.median(values), "most": max(values)} for key, values in found.items()}

    def others(self, path):
        """The archive of the container, and a set of it."""
        archive, parts = path.with_suffix(".qra"), path.with_suffix(".set")
        if not archive.exists():
            self.tool("quern-archive", "create", path, "-q", "-o", archive)
        if not parts.exists():
            self.tool("quern-transform", path, "--parts", "4", "-q", "-o", parts)
        return archive, parts

    def rates(self, server, path):
        """Seconds by curl, and by each command far and near."""
        is_set = path.is_dir()
        files = sorted(path.iterdir()) if is_set else [path]
        urls = [server.url("/" + str(file.relative_to(self.folder))) for file in files]
        far = server.url("/%s%s" % (path.name, "/" if is_set else ""))
        output = Path(self.cache.name) / "out"
        commands = {"verify": ("quern-verify", "{}"), "run": ("quern-run", "cc", "{}", "--device", "cpu", "-q"),
                    "export": ("quern-export", "{}", "--format", "pairs", "-q", "-f", "-o", output)}
        if path.suffix == ".qra":
            del commands["run"]
            commands["export"] = ("quern-archive", "extract", "{}", "-q", "-f", "-o", output)
        found = {"bytes": sum(file.stat().st_size for file in files),
                 "curl": self.seconds("curl", "-s", *[word for url in urls for word in ("-o", "/dev/null", url)])}
        for name, (tool, *words) in commands.items():
            times = [self.seconds(ROOT / "build/bin" / tool, *[str(word).format(place) for word in words]) for place in (far, path)]
            found[name] = {"far": times[0], "near": times[1], "beside_curl": times[0] / found["curl"], "lost": times[0] - times[1] - found["curl"]}
        return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=int, default=24)
    parser.add_argument("--degree", type=int, default=16)
    parser.add_argument("--vertices", type=int, default=20)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--link", type=int, default=0)
    parser.add_argument("--edges-only", action="store_true")
    bench = Bench(parser.parse_args())
    dense = bench.make("dense")
    record = {"scale": bench.options.scale, "degree": bench.options.degree, "link": bench.options.link}
    kinds = (("container", dense), *zip(("archive", "set"), bench.others(dense)))
    graphs = () if bench.options.edges_only else (("dense", dense), ("numbers", bench.numbered(dense)), ("texts", bench.named(dense)))
    objects = [path for _, path in graphs] + [file for _, path in kinds for file in (path.iterdir() if path.is_dir() else [path])]
    with Server({"/" + str(path.relative_to(bench.folder)): path.read_bytes() for path in objects}) as server:
        for name, path in graphs:
            cost = record[name] = bench.neighbours(server, path)
            print("%-8s %.2f GB: neighbours of one vertex (%d): %d requests (at most %d), %.1f MiB (at most %.1f), %.3f s"
                  % (name, path.stat().st_size / 1e9, cost["neighbours"]["median"], cost["requests"]["median"], cost["requests"]["most"],
                     cost["mib"]["median"], cost["mib"]["most"], cost["seconds"]["median"]))
        server.does.link = bench.options.link or None
        for name, path in kinds:
            rates = record["rates of the " + name] = bench.rates(server, path)
            print("%-9s %.0f MB: curl %.2f s; " % (name, rates["bytes"] / 1e6, rates["curl"]) + "; ".join(
                "%s %.2f s, near %.2f, beside curl %.2f, lost %.2f" % (what, *(rates[what][key] for key in ("far", "near", "beside_curl", "lost")))
                for what in ("verify", "run", "export") if what in rates))
    (bench.folder / "remote.json").write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
