#!/usr/bin/env python3
"""Edges whose ids exceed 2^32, imported into a set of blocks, and what runs on it, beside a model of its own: few edges among 2^32 + 1000
vertices, which are all walked. It takes 128 GB of memory, 64 GB of disk and some minutes; a line of JSON tells of each step as it ends, and
steps that do not fit into --seconds are left out, by name. What came out right is in build/bench/beyond.json for bench/report.py.

    bench/sets/beyond.py [--folder DIR] [--vertices N] [--seconds 560] [--threads N] [--steps import,pagerank,...]
    bench/sets/beyond.py --steps small --scale 22     # on two cores: R-MAT by blocks of 2^20 vertices, byte for byte the container's results
"""

import argparse
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import records  # noqa: E402

TOOLS = Path(__file__).resolve().parents[2] / "build/bin"
STEPS = ("import", "pagerank", "bfs", "rows", "refused", "verify", "cc", "indegree", "degree", "again")
SMALL = ("bfs", "cc", "degree", "indegree", "scc", "pagerank", "radius", "cdlp", "kcore", "rwr", "closeness", "lcc")
NONE = {"<u4": 2**32 - 1, "<u8": 2**64 - 1}


class Values:
    """Of an array in a file, one at a time."""

    def __init__(self, path):
        self.file = open(path, "rb")
        header = self.file.read(128).decode("latin-1")
        self.type = header.split("'descr': '")[1].split("'")[0]
        self.form = {"<u4": "<I", "<u8": "<Q", "<f4": "<f", "<f8": "<d"}[self.type]

    def __getitem__(self, vertex):
        size = struct.calcsize(self.form)
        self.file.seek(128 + size * vertex)
        value = struct.unpack(self.form, self.file.read(size))[0]
        return None if value == NONE.get(self.type) else value


class Beyond:
    def __init__(self, options):
        self.options, self.end = options, time.monotonic() + options.seconds
        self.folder, self.set = options.folder, options.folder / "set"
        numbers, v = random.Random(7), options.vertices
        self.pool = sorted({v * i // 3000 for i in range(3000)} | set(range(v - 100, v)) | set(range(v - 1100, v - 900)))
        self.edges = [(numbers.choice(self.pool), numbers.choice(self.pool)) for _ in range(9000)]
        # Of vertices that the model has not seen: at the ends, and beside 2^32.
        self.others = [u for u in {1, v // 3, v // 2 + 1, min(2**32, v - 1) - 2000, v - 500} if 0 <= u < v and u not in set(self.pool)]

    def tool(self, name, *words, expect=0):
        left = self.end - time.monotonic()
        if left < 5:
            raise subprocess.TimeoutExpired(name, 0)
        threads = ["-T", str(self.options.threads)] if self.options.threads else []
        done = subprocess.run([str(TOOLS / name), *map(str, words), *threads], capture_output=True, text=True, timeout=left)
        assert done.returncode == expect, (name, words, done.returncode, done.stderr)
        return done

    def run(self, *words):
        self.values = self.folder / "values.npy"
        said = json.loads(self.tool("quern-run", words[0], self.set, *words[1:], "--json", "-fo", self.values, "--device", "cpu", "--trust").stdout)
        self.said = {key: said[key] for key in ("iterations", "seconds") if key in said}
        return Values(self.values)

    def check(self, values, model, near=0):
        for vertex in self.pool + self.others:
            got, wanted = values[vertex], model(vertex)
            same = got == wanted if wanted is None or not near else abs(got - wanted) <= near * abs(wanted)
            assert same, (vertex, got, wanted)

    def text(self, path, edges):
        path.write_text("".join("%d %d\n" % edge for edge in edges))

    def step_import(self):
        self.text(self.folder / "edges.txt", self.edges)
        width = self.options.vertices // 2 + 1
        self.tool("quern-import", self.folder / "edges.txt", "--ids", "keep", "--vertices", self.options.vertices, "--block-vertices", width,
                  "--layout", "packed", "-qfo", self.set)
        said = json.loads((self.set / "set.json").read_text())
        assert (said["graph"]["vertices"], said["graph"]["edges"], len(said["blocks"])) == (self.options.vertices, len(self.edges), 4), said["graph"]

    def step_again(self):
        """From binary edges, with little memory: the same blocks."""
        again = self.folder / "again"
        (self.folder / "edges.bin").write_bytes(b"".join(struct.pack("<QQ", *edge) for edge in self.edges))
        self.tool("quern-import", self.folder / "edges.bin", "--format", "pairs", "--record", "u64", "--ids", "keep", "--vertices",
                  self.options.vertices, "--block-vertices", self.options.vertices // 2 + 1, "--layout", "packed", "--memory", "4G", "--tmpdir", self.folder,
                  "-qfo", again)
        first, second = (json.loads((path / "set.json").read_text()) for path in (self.set, again))
        assert first["graph"]["fingerprint"] == second["graph"]["fingerprint"]
        for keys in ("name", "bytes", "edges"):
            assert [block[keys] for block in first["blocks"]] == [block[keys] for block in second["blocks"]], keys

    def step_verify(self):
        self.tool("quern-verify", "-q", self.set)

    def step_refused(self):
        """What is not done for so many vertices says so."""
        wide = self.options.vertices >= 2**32
        for code, words in ((4, ("quern-export", self.set, "--format", "csv", "-qfo", self.folder / "no.csv")),
                            (4, ("quern-transform", self.set, "-qfo", self.folder / "no.qrn")),
                            (4, ("quern-run", "sssp", self.set, "--source", self.edges[0][0], "-q"))):
            if wide:
                said = self.tool(*words, expect=code).stderr
                assert "2^32" in said or "32 bits" in said, (words, said)

    def step_rows(self):
        """Edges as text, and the neighbours of a vertex, from the blocks where they lie."""
        path, vertex = self.folder / "again.txt", max(u for u, _ in self.edges)
        self.tool("quern-export", self.set, "-qfo", path)
        found = sorted(tuple(map(int, line.split())) for line in path.read_text().splitlines())
        assert found == sorted(self.edges), len(found)
        said = self.tool("quern-info", self.set, "--neighbors", vertex).stdout.split()
        assert sorted(map(int, said)) == sorted(v for u, v in self.edges if u == vertex), said

    def step_degree(self):
        out = {}
        for u, _ in self.edges:
            out[u] = out.get(u, 0) + 1
        self.check(self.run("degree"), lambda v: out.get(v, 0))

    def step_indegree(self):
        into = {}
        for _, v in self.edges:
            into[v] = into.get(v, 0) + 1
        self.check(self.run("indegree"), lambda v: into.get(v, 0))

    def step_cc(self):
        parent = {}

        def root(v):
            while parent.get(v, v) != v:
                v = parent[v]
            return v
        for u, v in self.edges:
            u, v = root(u), root(v)
            parent[max(u, v)] = min(u, v)
        self.check(self.run("cc"), root)

    def step_pagerank(self):
        v, damping, degree, into = self.options.vertices, 0.85, {}, {}
        for source, target in self.edges:
            degree[source] = degree.get(source, 0) + 1
            into.setdefault(target, []).append(source)
        ranks, other = {u: 1 / v for u in self.pool}, 1 / v
        for _ in range(3):
            dangling = sum(rank for u, rank in ranks.items() if u not in degree) + (v - len(ranks)) * other
            base = (1 - damping + damping * dangling) / v
            ranks = {u: base + damping * sum(ranks[s] / degree[s] for s in into.get(u, ())) for u in ranks}
            other = base
        self.check(self.run("pagerank", "--iterations", 3, "--tolerance", 0), lambda u: ranks.get(u, other), 1e-5)

    def step_bfs(self):
        source, out = self.edges[0][0], {}
        source = max(u for u, _ in self.edges)
        for u, v in self.edges:
            out.setdefault(u, []).append(v)
        hops, level = {source: 0}, [source]
        while level:
            found = [v for u in level for v in out.get(u, ()) if v not in hops]
            hops.update({v: hops[level[0]] + 1 for v in found})
            level = list(dict.fromkeys(found))
        self.check(self.run("bfs", "--source", source), hops.get)

    def step_small(self):
        """All results of a container and of blocks; sums of reals may differ in the last digits."""
        words = ("rmat", "--scale", self.options.scale, "--degree", 4, "--seed", 1, "--undirected", "--self-loops", "remove", "--duplicates",
                 "remove")
        whole, blocks = self.folder / "whole.qrn", self.folder / "blocks"
        self.tool("quern-generate", *words, "-qfo", whole)
        self.tool("quern-transform", whole, "--block-vertices", min(2**20, 2**self.options.scale // 4), "-qfo", blocks)
        for name in SMALL:
            begin, outputs = time.monotonic(), (self.folder / "a.npy", self.folder / "b.npy")
            try:
                for path, output in zip((whole, blocks), outputs):
                    self.tool("quern-run", name, path, "-qfo", output, "--device", "cpu")
            except AssertionError as error:
                print(json.dumps({"program": name, "refused": str(error)[-300:]}), flush=True)
                continue
            same = subprocess.run(["cmp", "-s", *outputs]).returncode == 0
            print(json.dumps({"program": name, "same_bytes": same, "seconds": round(time.monotonic() - begin, 1)}), flush=True)

    def recorded(self, step, seconds):
        """Whole commands; of PageRank all its iterations."""
        row = step + (", %d iterations" % self.said["iterations"] if step == "pagerank" else "")
        return records.record(row, "seconds", seconds, "s", "%d vertices, %d edges" % (self.options.vertices, len(self.edges)))

    def all(self):
        rows = []
        for step in self.options.steps.split(","):
            begin, told = time.monotonic(), {"step": step}
            try:
                self.said = {}
                getattr(self, "step_" + step)()
                told.update(ok=True, **({"run": self.said} if self.said else {}))
            except subprocess.TimeoutExpired:
                told["left_out"] = "no time is left"
            except AssertionError as error:
                told.update(ok=False, why=str(error)[:2000])
            told["seconds"] = round(time.monotonic() - begin, 1)
            if told.get("ok") and step in ("import", "pagerank", "bfs", "cc"):
                rows.append(self.recorded(step, told["seconds"]))
            told["free_disk"] = shutil.disk_usage(self.folder).free
            print(json.dumps(told), flush=True)
            (self.folder / "values.npy").unlink(missing_ok=True)
        report = records.ROOT / "build/bench/beyond.json"
        report.parent.mkdir(parents=True, exist_ok=True)
        report.write_text(json.dumps(records.stamp({"blocks": rows}), indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--folder", type=Path, default=Path("/tmp/quern-beyond"))
    parser.add_argument("--vertices", type=int, default=2**32 + 1000)
    parser.add_argument("--seconds", type=float, default=560)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--scale", type=int, default=22)
    parser.add_argument("--steps", default=",".join(STEPS))
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    os.environ["TMPDIR"] = str(options.folder)
    Beyond(options).all()


if __name__ == "__main__":
    sys.exit(main())
