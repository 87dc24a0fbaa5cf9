#!/usr/bin/env python3
"""Containers on a server: what the neighbours of one vertex cost, and how fast all of one comes beside curl, medians.

    scons -j2 tools && bench/remote_containers.py [--scale 24] [--degree 16] [--vertices 20] [--repeat 5] [--link 0]

The server is the tests' own (tests/remote/server.py), on this machine; --link bounds the bytes a second of all its connections together. The
cache is empty before each run. An undirected R-MAT graph is served with dense ids and with ids that are numbers. "curl" is one
connection to /dev/null, "whole" is quern-verify, "run" is quern-run cc, all of the same container, and "near" what the two take of the
file itself; the ratio of whole and of run to curl and near together is 1 where nothing is lost. The table goes to the terminal,
JSON to build/bench/remote.json."""

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

    def rates(self, server, path):
        url = server.url("/" + path.name)
        size = path.stat().st_size
        curl = self.seconds("curl", "-s", "-o", "/dev/null", url)
        whole, near = self.seconds(ROOT / "build/bin/quern-verify", url), self.seconds(ROOT / "build/bin/quern-verify", path)
        run, run_near = self.seconds(ROOT / "build/bin/quern-run", "cc", url), self.seconds(ROOT / "build/bin/quern-run", "cc", path)
        return {"bytes": size, "curl": curl, "whole": whole, "whole_near": near, "run": run, "run_near": run_near,
                "whole_ratio": whole / (curl + near), "run_ratio": run / (curl + run_near)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=int, default=24)
    parser.add_argument("--degree", type=int, default=16)
    parser.add_argument("--vertices", type=int, default=20)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--link", type=int, default=0)
    bench = Bench(parser.parse_args())
    dense = bench.make("dense")
    numbers = bench.numbered(dense)
    record = {"scale": bench.options.scale, "degree": bench.options.degree, "link": bench.options.link}
    with Server({"/" + path.name: path.read_bytes() for path in (dense, numbers)}) as server:
        for name, path in (("dense", dense), ("numbers", numbers)):
            cost = record[name] = bench.neighbours(server, path)
            print("%-8s %.2f GB: neighbours of one vertex: %d requests (at most %d), %.1f MiB (at most %.1f), %.3f s"
                  % (name, path.stat().st_size / 1e9, cost["requests"]["median"], cost["requests"]["most"], cost["mib"]["median"],
                     cost["mib"]["most"], cost["seconds"]["median"]))
        server.does.link = bench.options.link or None
        rates = record["rates"] = bench.rates(server, dense)
        print("whole: curl %.2f s, quern-verify %.2f s (near %.2f, ratio %.2f), quern-run cc %.2f s (near %.2f, ratio %.2f)"
              % (rates["curl"], rates["whole"], rates["whole_near"], rates["whole_ratio"], rates["run"], rates["run_near"], rates["run_ratio"]))
    (bench.folder / "remote.json").write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
