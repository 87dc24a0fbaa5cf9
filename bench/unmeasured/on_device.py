#!/usr/bin/env python3
"""All that waits for a GPU, in one call that ends in time: what fills empty tables of docs/papers.md first, then what makes old records new.

    bench/unmeasured/on_device.py FOLDER [--seconds 470] [--devices 2] [--only NAME,...]

Nothing is built: `scons -j16 tools bench-programs` comes before. FOLDER, on a disk, gets NAME.json of each benchmark, for `bench/report.py
--machine NAME FOLDER/*.json` (with --commit where the sources were no repository; *-cores2.json are of the machine cores2), and log.txt. Benchmarks
write their files anew after every row, so whatever ends one of them, its file is whole and has what was measured. The last line has the --only
of the call that does the rest. The exit code is 1 if anything failed, or any result was wrong. --devices 2 measures what takes two GPUs, and
nothing else."""

import argparse
import collections
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BENCH = Path(__file__).resolve().parents[1]
ROOT = BENCH.parent
TWO_CORES = ["taskset", "-c", "0,1"]  # the machine "cores2"
GRACE = 12  # seconds, in which a benchmark that is told to end has to
ROOM = 60 << 30

# Of the benchmark: whether it is worth beginning with so few seconds, and the most that it may take; where it has no --report, --seconds.
Step = collections.namedtuple("Step", "name least most words reports", defaults=(True,))


def steps(options, work):
    """In the order of their worth."""
    tiny, python = options.emulator, sys.executable
    emulated = ["--emulator", "--emulated", options.emulated] if tiny else []
    tools = ["--bin", options.bin]
    device = [*tools, *(["--runner", options.emulated / "quern-run"] if tiny else [])]

    def papers(*only, passes=1):
        return [python, BENCH / "papers.py", "--only", ",".join(only), "--passes", passes, "--graphs", options.graphs, *tools, *emulated,
                "--work", work, "--output", work, "--disks", options.folder, "--devices", options.devices, *(["--scale=7", "--large=6"] if tiny else [])]

    def gpu(*words):
        return [python, BENCH / "gpu.py", *words, "--recorded", *tools, *emulated, "--work", work / "graphs", "--output", work]

    def two_cores(part):
        return [*TWO_CORES, python, BENCH / "run.py", "--only=" + part, "--threads=2", "--folder", work, *tools]

    def results(part):
        return [python, ROOT / "tests/gpu/algorithms.py", 10 if tiny else 18, part]
    if options.devices > 1:
        return [Step("devices", 30, 330, gpu("--devices", *(["--scales=9"] if tiny else []))), Step("papers-devices", 40, 300, papers("gts"))]
    return [
        Step("papers-disks", 30, 120, papers("disks")),
        Step("papers-real", 30, 440, papers("real")),
        *([] if tiny else [Step("cage-counters", 40, 90, [python, BENCH / "programs/cage_counters.py", work, *tools])]),
        Step("papers-cpu", 20, 60, papers("cpu")),
        Step("results-shapes", 20, 60, results("shapes"), False),
        Step("results-wide", 20, 40, results("wide"), False),
        Step("results-beyond", 20, 150, results("beyond"), False),
        Step("gpu", 40, 160, gpu("--scales=" + ("6" if tiny else "22,23,24"))),
        Step("gpu-stream", 40, 170, gpu("--stream", "--scales=" + ("8" if tiny else "23"))),
        Step("gpu-rows", 30, 120, gpu("--rows")),
        Step("packed", 30, 100, [python, BENCH / "packed_gpu.py", work, *device, *(["--scale=11"] if tiny else [])]),
        Step("import-cores2", 10, 60, [*two_cores("import"), "--scale=" + ("8" if tiny else "20,22")]),
        Step("engines-cores2", 60, 240, [*two_cores("engines"), "--trials=3", "--scale=" + ("8" if tiny else "22")]),
        Step("papers", 100, 420, papers("kernels", "hpgraph", "graphcage", "garaph", "graphie", "gts", "building", passes=2)),
        Step("public", 60, 240, [python, BENCH / "public.py", "--folder", work, *device, *(["--scale=8"] if tiny else [])]),
        Step("beyond-cache", 60, 120, [python, BENCH / "beyond_cache.py", work, *device, *(["--scale=8"] if tiny else [])]),
        Step("large", 100, 200, [python, BENCH / "large_gpu.py", work, *device, *(["--scale=8", "--device-memory=64K"] if tiny else [])]),
    ]


def end(process):
    """By asking; then by force, it and whatever it has begun."""
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(GRACE)
    except subprocess.TimeoutExpired:
        pass
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def run(step, seconds, options, work, log):
    """How it ended; None if well."""
    words = [*step.words, *(["--seconds", int(seconds), "--report", options.folder / (step.name + ".json")] if step.reports else [])]
    place = log.tell()
    try:
        process = subprocess.Popen([str(word) for word in words], stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
                                   env=dict(os.environ, QUERN_BIN=str(options.linked), PYTHONUNBUFFERED="1"))
    except OSError as error:
        return str(error)
    try:
        code = process.wait(seconds + (GRACE if step.reports else 0))
        how = "exit code %d" % code if code else None
    except subprocess.TimeoutExpired:
        how = "no end after %d s" % seconds
    finally:
        end(process)
    log.flush()
    with open(log.name, errors="replace") as said:
        said.seek(place)
        print("".join(said.readlines()[-options.tail:]), end="", flush=True)
    return how


def linked_tools(options, work):
    """Where tests find the tools, quern-run among them: the emulated one, to try this."""
    if not options.emulator:
        return options.bin
    folder = work / "tools"
    folder.mkdir()
    for tool in options.bin.iterdir():
        (folder / tool.name).symlink_to((options.emulated if tool.name == "quern-run" else options.bin) / tool.name)
    return folder


def measure(options, work, log):
    begun, rest, failed = time.monotonic(), [], []
    for step in options.steps(options, work / "step"):
        left = options.seconds - (time.monotonic() - begun) - GRACE
        if left < step.least:
            rest.append(step.name)
            continue
        began = time.monotonic()
        (work / "step").mkdir()
        how = run(step, min(left, step.most), options, work, log)
        shutil.rmtree(work / "step", ignore_errors=True)
        failed += ["%s: %s" % (step.name, how)] if how else []
        print("#### %s: %s; %.1f s" % (step.name, how or "done", time.monotonic() - began), flush=True)
    for each in failed:
        print("failed: " + each)
    if rest:
        print("no time was left for --only %s" % ",".join(rest), flush=True)
    return 1 if failed else 0


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="for what is measured")
    parser.add_argument("--seconds", type=float, default=470, help="stop after so long (470)")
    parser.add_argument("--devices", type=int, default=1, help="2: what takes two GPUs (1)")
    parser.add_argument("--only", type=lambda text: text.split(","), metavar="NAME,...", help="some of the benchmarks, in this script's order")
    parser.add_argument("--work", type=Path, help="a folder for graphs with room for 60 GB (/dev/shm, if it has it)")
    parser.add_argument("--tail", type=int, default=12, help="lines of each benchmark that are shown (12); log.txt has all")
    parser.add_argument("--graphs", type=Path, default=ROOT.parent / "shared/graphs", help="real graphs, as tests look for them")
    parser.add_argument("--bin", type=Path, default=ROOT / "build/bin", help="the tools")
    parser.add_argument("--emulator", action="store_true", help="try the script without a GPU")
    parser.add_argument("--emulated", type=Path, default=ROOT / "build/emulator/bin", help="the emulated tools")
    options = parser.parse_args()
    known = [step.name for step in steps(options, Path())]
    if set(options.only or ()) - set(known):
        parser.error("--only knows " + ",".join(known))
    options.steps = lambda *words: [step for step in steps(*words) if not options.only or step.name in options.only]
    shared = Path("/dev/shm")
    options.work = options.work or (shared if shared.is_dir() and shutil.disk_usage(shared).free > ROOM else None)
    return options


def main():
    options = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended from outside"))
    options.folder.mkdir(parents=True, exist_ok=True)
    options.folder = options.folder.resolve()
    work = Path(tempfile.mkdtemp(prefix="quern-bench-", dir=options.work))
    options.linked = linked_tools(options, work)
    try:
        with open(options.folder / "log.txt", "a") as log:
            return measure(options, work, log)
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
