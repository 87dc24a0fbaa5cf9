#!/usr/bin/env python3
"""Kernels of their own that several devices share by rows: what the CPU says, byte for byte, and how long one device and all take.
With a build for CUDA on a machine of two devices or more, or of one that is named twice:

    scons -j16 cuda=yes cuda_arch=90 tools && python3 tests/gpu/shared.py [SCALE [DEVICES]]

DEVICES is 0,1 or more of them. With 0,0 results are compared, and times say nothing.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from gpu.algorithms import quern  # noqa: E402

UNDIRECTED = ["cdlp", "lcc", "tc", "kcore", "mis", "coloring", "scc"]
DIRECTED = ["cdlp", "lcc", "tc", "kcore", "scc"]
READS_EDGES = {"cdlp", "kcore", "mis", "coloring", "scc"}  # on the host, where they do not fit on the devices


def run(name, *options):
    """What is said, and the result."""
    output = [] if name == "tc" else ["-fo", "out.npy"]
    said = json.loads(quern("quern-run", name, "g.qrn", "--json", *output, *options).stdout)
    return said, said["result"]["triangles"] if name == "tc" else Path("out.npy").read_bytes()


def compare(what, name, devices, scale):
    _, expected = run(name, "--device", "cpu")
    one, _ = run(name, "--device", "cuda")
    right, told = True, ["one %10.3f ms, %5d MB" % (1e3 * one["seconds"]["kernel"], one["accelerator"]["memory_bytes"] >> 20)]
    ways = [("all", ["--devices", devices])]
    if name in READS_EDGES:
        ways.append(("all, edges on the host", ["--devices", devices, "--device-memory", (1 << scale) * 120]))
    for way, options in ways:
        said, found = run(name, *options)
        equal = found == expected and len(said["devices"]) == len(devices.split(","))
        right &= equal
        told.append("%s %10.3f ms, %5d MB each, %6.1f MB exchanged%s%s" % (
            way, 1e3 * said["seconds"]["kernel"], said["accelerator"]["memory_bytes"] >> 20,
            sum(device["merged_bytes"] for device in said["devices"]) / 1e6,
            "" if said["peer_to_peer"] else " through the host", "" if equal else "  DIFFERS"))
    print("%-36s %s" % (what, "; ".join(told)), flush=True)
    return right


def main():
    scale = int(sys.argv[1]) if len(sys.argv) > 1 else 18
    devices = sys.argv[2] if len(sys.argv) > 2 else "0,1"
    right = True
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for kind in ("rmat", "uniform"):
            for options, names in ((["--undirected"], UNDIRECTED), (["--transpose", "also"], DIRECTED), ([], DIRECTED)):
                quern("quern-generate", kind, "--scale", scale, "--degree", 16 if kind == "rmat" else 4, *options, "-qfo", "g.qrn")
                for name in names:
                    right &= compare(" ".join([name, kind, *options]), name, devices, scale)
    print("all right" if right else "NOT RIGHT")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
