"""Sizes in headers that would overflow, or take more memory than the file could justify, are refused before any is taken:
every number of vertices and of edges that a small file of each format states is replaced by huge ones, and read with
2 GiB of address space."""

import random
import resource
import struct
import subprocess
import time
import unittest
from pathlib import Path

from harness.process import SANITIZER
from harness.tools import UNDER_SANITIZERS, run

HUGE = [2**31, 2**32 - 1, 2**33 + 1, 2**48, 2**61 + 1, 2**63 - 1, 2**64 - 1]
TEXT = ["adjacency", "metis", "matrix-market", "dimacs"]
V = 1237
SECONDS = 10  # a hang; all are told in milliseconds


def limit():
    if not UNDER_SANITIZERS:
        resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))


def decimal(number):
    return b"%d" % number


def binary(number):
    return struct.pack("<Q", number)


def replaced(content, at, old, new):
    """`content` with `new` instead of `old`; what follows in a NumPy header, which is padded with blanks, stays in place."""
    longer = len(new) - len(old)
    changed = content[:at] + new + content[at + len(old):]
    if longer and b"\x93NUMPY" in content[:at]:
        end = changed.index(b"\n", at)
        changed = changed[:end - longer] + changed[end:]
    return changed


def places(content, format_name, numbers):
    """Where the content states a number, and how, a few of each."""
    writers = [decimal] if format_name in TEXT else [decimal, binary] if format_name.startswith("np") else [binary]
    near = len(content) if format_name in ("npz", "binsparse") else 300
    for write in writers:
        for number in numbers:
            at = -1
            for _ in range(3):
                at = content.find(write(number), at + 1, near)
                if at < 0:
                    break
                yield at, write(number), write


class ForgedSizes(unittest.TestCase):
    sanitized_tier = "long"
    timeout = 240

    def refuse(self, what, path, may_be_fine=False):
        begun = time.monotonic()
        done = subprocess.run(["quern-import", path, "-q", "-f", "-o", "x.qrn"], preexec_fn=limit, timeout=60,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
        with self.subTest(what):
            self.assertIsNone(SANITIZER.search(done.stderr), done.stderr)
            self.assertIn(done.returncode, (0, 3) if may_be_fine else (3,), done.stderr)
            if done.returncode == 3:
                self.assertRegex(done.stderr, r"quern-import: .{8}")
                self.assertFalse(list(Path().glob("x.qrn*")))
            self.assertLess(time.monotonic() - begun, 4 * SECONDS if UNDER_SANITIZERS else SECONDS)
        Path("x.qrn").unlink(missing_ok=True)

    def make(self, name, *options):
        rng = random.Random(3)
        edges = sorted({tuple(sorted(rng.sample(range(V), 2))) for _ in range(4861)})
        Path("g.txt").write_text("".join("%d %d 7\n" % edge for edge in edges))
        run("quern-import", "g.txt", "--vertices", V, "-q", "-f", "-o", name, *options)
        return [V, V + 1, len(edges), 2 * len(edges)]

    def forge(self, format_name, *options):
        numbers = self.make("g.qrn", *options)
        run("quern-export", "g.qrn", "--format", format_name, "-q", "-f", "-o", "whole")
        content = Path("whole").read_bytes()
        tried = 0
        for at, old, write in places(content, format_name, numbers):
            for number in HUGE:
                Path("forged").write_bytes(replaced(content, at, old, write(number)))
                # Not all numbers there are sizes that are read.
                self.refuse("%s: %d at %d" % (format_name, number, at), "forged", format_name in ("npz", "binsparse"))
                tried += 1
        self.assertGreaterEqual(tried, len(HUGE))

    def test_text(self):
        for format_name in TEXT:
            self.forge(format_name, *(["--undirected"] if format_name == "metis" else []))

    def test_gapbs(self):
        self.forge("gapbs")

    def test_galois(self):
        self.forge("galois")

    def test_npy(self):
        self.forge("npy")

    def test_npz(self):
        self.forge("npz")

    def test_binsparse(self):
        if "no HDF5" in subprocess.run(["quern-import", "--formats"], stdout=subprocess.PIPE, text=True).stdout:
            self.skipTest("this build has no HDF5")
        self.forge("binsparse")

    def test_containers(self):
        """Their checksums cover every size."""
        numbers = self.make("g.qrn")
        run("quern-archive", "create", "g.qrn", "-q", "-f", "-o", "a.qrn")
        for path in ("g.qrn", "a.qrn"):
            content = Path(path).read_bytes()
            for at, old, write in places(content, "container", numbers):
                for number in HUGE:
                    Path("forged").write_bytes(replaced(content, at, old, write(number)))
                    self.refuse("%s: %d at %d" % (path, number, at), "forged")

    def test_webgraph(self):
        Path("w.graph").write_bytes(bytes(40))
        for nodes, arcs in [(number, 1) for number in HUGE] + [(3, number) for number in HUGE] + [(n, n) for n in HUGE]:
            Path("w.properties").write_text(
                "graphclass=it.unimi.dsi.webgraph.BVGraph\nversion=0\nnodes=%d\narcs=%d\nwindowsize=7\nmaxrefcount=3\n"
                "minintervallength=4\nzetak=3\ncompressionflags=\n" % (nodes, arcs))
            self.refuse("webgraph: %d, %d" % (nodes, arcs), "w.graph")

    def test_parts(self):
        numbers = self.make("g.qrn")
        run("quern-export", "g.qrn", "--parts", 2, "--format", "npy", "-q", "-f", "-o", "parts")
        manifest = Path("parts/_manifest.json").read_bytes()
        listed = [int(word) for word in manifest.replace(b",", b" ").split() if word.isdigit()]
        for number in set(numbers + listed):
            at = manifest.find(b": %d" % number)
            for huge in HUGE if at >= 0 else []:
                Path("parts/_manifest.json").write_bytes(manifest[:at] + b": %d" % huge + manifest[at + 2 + len(str(number)):])
                # Sizes in bytes are for other readers.
                self.refuse("parts: %d for %d" % (huge, number), "parts", b'"bytes"' in manifest[at - 8:at])


if __name__ == "__main__":
    unittest.main()
