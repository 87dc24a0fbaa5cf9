#!/usr/bin/env python3
"""Algorithms that are no programs, and a program that nvcc compiles at run time, on a GPU beside the CPU: results must be the
same to the last byte, and what each takes is shown. With a build for CUDA, and nvcc in the PATH:

    scons -j16 cuda=yes cuda_arch=90 tools && python3 tests/gpu/algorithms.py [SCALE]
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("QUERN_BIN", SOURCE / "build/bin"))
PROGRAM = SOURCE / "tests/programs/widest.h"
UNDIRECTED = ["cc", "cdlp", "coloring", "kcore", "lcc", "mis", "scc"]
DIRECTED = ["cc", "cdlp", "kcore", "lcc", "scc"]
LAYOUTS = {"graph": None, "blocked-csr": "quern-block", "edge-partitions": "quern-partition", "hybrid": "quern-hybrid",
           "packed": "quern-pack", "shards": "quern-shard", "slotted-pages": "quern-page"}


def quern(tool, *arguments, fails=False, **environment):
    done = subprocess.run([str(part) for part in (BIN / tool, *arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, env=dict(os.environ, **environment))
    if (done.returncode != 0) != fails:
        raise SystemExit("%s %s: exit %d: %s" % (tool, " ".join(map(str, arguments)), done.returncode, done.stderr))
    return done


def same(what, algorithm, container, *options, **environment):
    """Run on both; are the results equal?"""
    said = {}
    for device in ("cpu", "cuda"):
        done = quern("quern-run", *algorithm, container, "--device", device, "--json", "-fo", device + ".npy", *options,
                     **environment)
        said[device] = json.loads(done.stdout)
    equal = Path("cpu.npy").read_bytes() == Path("cuda.npy").read_bytes()
    print("%-40s CPU %10.3f ms, device %10.3f ms%s" % (
        what, *(1e3 * said[device]["seconds"]["kernel"] for device in ("cpu", "cuda")), "" if equal else "  DIFFERS"), flush=True)
    return equal


def algorithms(scale):
    right = True
    for kind in ("rmat", "uniform"):
        for directed, names in ((False, UNDIRECTED), (True, DIRECTED)):
            for transpose in (("no", "also") if directed else ("no",)):
                options = ["--transpose", transpose] if directed else ["--undirected"]
                quern("quern-generate", kind, "--scale", scale, "--degree", 16 if kind == "rmat" else 2, *options, "-qfo", "g.qrn")
                for name in names:
                    what = "%s %s %s, transpose %s" % (name, kind, "directed" if directed else "undirected", transpose)
                    right &= same(what, [name], "g.qrn")
    # Long chains: nothing to trim, no large core, and more steps than colours take.
    size = 1 << min(scale, 16)
    Path("chain.txt").write_text("".join("%d %d\n%d %d\n" % (v, v + 1, v + 1 - v % 2, v + v % 2) for v in range(size)))
    quern("quern-import", "chain.txt", "--duplicates", "keep", "-qfo", "chain.qrn")
    for name in DIRECTED:
        right &= same(name + " chain", [name], "chain.qrn")
    return right


def programs(scale):
    right = True
    cache = {"XDG_CACHE_HOME": str(Path("cache").absolute())}
    quern("quern-generate", "rmat", "--scale", scale, "--weights", "1,100", "--transpose", "also", "-qfo", "graph.qrn")
    for layout, tool in LAYOUTS.items():
        container = layout + ".qrn"
        if tool:
            quern(tool, "graph.qrn", "-qfo", container)
        for turn in ("compiled", "from the cache", "streamed"):
            options = ["--source", 1] + (["--device-memory", (1 << scale) * 160] if turn == "streamed" else [])
            kept = len(list(Path("cache").rglob("*.so")))
            cpu = ["--program", PROGRAM]
            quern("quern-run", *cpu, container, "--device", "cpu", "-qfo", "cpu.npy", "--source", 1, **cache)
            done = quern("quern-run", *cpu, container, "--device", "cuda", "-fo", "cuda.npy", *options, **cache)
            equal = Path("cpu.npy").read_bytes() == Path("cuda.npy").read_bytes()
            more = len(list(Path("cache").rglob("*.so"))) - kept
            right &= equal and more == (2 if turn == "compiled" else 0)
            print("widest %-16s %-15s %d objects more%s: %s" % (layout, turn, more, "" if equal else "  DIFFERS",
                                                                done.stdout.splitlines()[0]), flush=True)
    Path("bad.h").write_text(PROGRAM.read_text().replace("return new_value > old_value", "return new_valu > old_value"))
    done = quern("quern-run", "--program", "bad.h", "graph.qrn", "--device", "cuda", fails=True, **cache)
    print(done.stderr.strip())
    return right and "bad.h:54:" in done.stderr and "new_valu" in done.stderr


def main():
    scale = int(sys.argv[1]) if len(sys.argv) > 1 else 18
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        right = algorithms(scale)
        right &= programs(min(scale, 18))
    print("all right" if right else "NOT RIGHT")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
