"""Vertices beyond 2^32, on machines with the memory for it: few edges among 2^33 vertices, whose results are found here, too."""

import json
import shutil
import struct
import tempfile
import unittest
from pathlib import Path

from harness.tools import run

SCALE, EDGES = 33, 100000
NONE = {4: 2**32 - 1, 8: 2**64 - 1}


def available():
    return 1024 * int(Path("/proc/meminfo").read_text().split("MemAvailable:")[1].split()[0])


class Values:
    """Of an array in a file, one at a time."""

    def __init__(self, path, width):
        self.file, self.width = open(path, "rb"), width
        assert ("'<u%d'" % width).encode() in self.file.read(128)

    def __getitem__(self, vertex):
        self.file.seek(128 + self.width * vertex)
        value = struct.unpack("<I" if self.width == 4 else "<Q", self.file.read(self.width))[0]
        return None if value == NONE[self.width] else value


class Wide(unittest.TestCase):
    tier, sanitized_tier = "long", "long"
    timeout = 3600

    def setUp(self):
        if available() < 100 * 2**30 or shutil.disk_usage(tempfile.gettempdir()).free < 120 * 2**30:
            self.skipTest("it takes 100 GiB of memory and 120 GiB of disk")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.at = Path(folder.name)

    def test_results(self):
        words = ("uniform", "--scale", str(SCALE), "--edges", str(EDGES), "-q")
        run("quern-generate", *words, "--format", "edges", "-o", self.at / "edges.txt")
        edges = {tuple(map(int, line.split())) for line in (self.at / "edges.txt").read_text().splitlines()}
        self.assertGreater(max(max(edge) for edge in edges), 2**32)
        run("quern-generate", *words, "--block-vertices", str(2**31), "--layout", "packed", "-o", self.at / "set")
        run("quern-verify", "-q", self.at / "set")
        out, parent = {}, {}
        for u, v in edges:
            out.setdefault(u, []).append(v)
        source = max(u for u in out if any(v > 2**32 for v in out[u]))
        self.assertGreater(source, 2**32)
        hops, parents, level = {source: 0}, {source: source}, [source]
        while level:
            found = {}
            for u in sorted(level):
                for v in out.get(u, []):
                    if v not in hops:
                        found.setdefault(v, u)
            parents.update(found)
            hops.update({v: hops[found[v]] + 1 for v in found})
            level = list(found)

        def root(v):
            while parent.setdefault(v, v) != v:
                parent[v] = parent[parent[v]]
                v = parent[v]
            return v
        for u, v in edges:
            u, v = root(u), root(v)
            parent[max(u, v)] = min(u, v)
        run("quern-run", "bfs", self.at / "set", "--source", str(source), "-qo", self.at / "hops.npy", "--parents", self.at / "parents.npy")
        of_hops, of_parents = Values(self.at / "hops.npy", 4), Values(self.at / "parents.npy", 8)
        for vertex in list(parent)[:20000] + list(hops) + [0, 2**32, 2**SCALE - 1]:
            self.assertEqual((of_hops[vertex], of_parents[vertex]), (hops.get(vertex), parents.get(vertex)), vertex)
        for name in ("hops.npy", "parents.npy"):
            (self.at / name).unlink()
        said = json.loads(run("quern-run", "cc", self.at / "set", "--json", "-o", self.at / "labels.npy").stdout)
        labels = Values(self.at / "labels.npy", 8)
        for vertex in [*parent, 1, 2**32 + 1]:
            self.assertEqual(labels[vertex], root(vertex))
        self.assertEqual(said["result"]["count"], 2**SCALE - len(parent) + len({root(vertex) for vertex in parent}))
