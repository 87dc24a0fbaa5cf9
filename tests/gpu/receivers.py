#!/usr/bin/env python3
"""Slotted pages on a GPU without room for all that vertices have (GTS, section 3.1): the results are those of the CPU, integers
to the last byte and ranks to 1e-5, and the streaming rate is shown beside that with all on the device, with as much for buffers:

    scons -j16 cuda=yes cuda_arch=90 tools && python3 tests/gpu/receivers.py [SCALE]
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("QUERN_BIN", SOURCE / "build/bin"))
ITERATIONS = {"pagerank": ["--iterations=10", "--tolerance=0"], "heat": ["--iterations=10"]}


def quern(tool, *arguments, fails=False):
    done = subprocess.run([str(part) for part in (BIN / tool, *arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode and not fails:
        raise SystemExit("%s %s: exit %d: %s" % (tool, " ".join(map(str, arguments)), done.returncode, done.stderr))
    return done


def streamed(algorithm, memory):
    """A run with so much device memory and no cache: its figures, GB/s of pages, and whether results are the CPU's."""
    quern("quern-run", algorithm, "pages.qrn", *ITERATIONS.get(algorithm, []), "--device=cpu", "-qfo", "cpu.tsv")
    done = quern("quern-run", algorithm, "pages.qrn", *ITERATIONS.get(algorithm, []), "--device=cuda", "--device-memory=%d" % memory,
                 "--cache-memory=0", "--json", "--explain", "-fo", "cuda.tsv")
    streaming = json.loads(done.stdout)["streaming"]
    seconds = sum(each["seconds"] for each in streaming["iterations"])
    same = quern("quern-verify", "-q", "--against", "cpu.tsv", "cuda.tsv", fails=True).returncode == 0
    return streaming, 1e-9 * streaming["moved_bytes"] / seconds, same


def main():
    scale = int(sys.argv[1]) if len(sys.argv) > 1 else 22
    right = True
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        quern("quern-generate", "rmat", "--scale=%d" % scale, "--degree=16", "--undirected", "--weights=1,50", "-qo", "graph.qrn")
        quern("quern-page", "graph.qrn", "-qo", "pages.qrn")
        vertices = 1 << scale
        for algorithm in ("pagerank", "heat", "bfs", "sssp"):
            streaming = streamed(algorithm, 48 * vertices)[0]
            whole, unit = streaming["attribute_bytes"], streaming["unit_bytes"]  # too much, if no unit fits beside it
            rates = {}
            for name, memory in (("all", 1.5 * whole + unit), ("receivers", whole + 0.75 * unit)):
                streaming, rate, same = streamed(algorithm, memory)
                right &= same and streaming["values"] == name
                rates[name] = rate
                print("%-10s %-10s %6.2f bytes a vertex, %6.2f GB/s of pages%s%s" % (
                    algorithm, name, streaming["attribute_bytes"] / vertices, rate, "" if same else "  DIFFERS",
                    "" if streaming["values"] == name else "  IS " + streaming["values"]), flush=True)
            print("%-10s %.0f %% of the rate" % (algorithm, 100 * rates["receivers"] / rates["all"]), flush=True)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
