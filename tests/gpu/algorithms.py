#!/usr/bin/env python3
"""Algorithms that are not programs, searches from many sources, and a program that nvcc compiles at run time, on a GPU beside
the CPU: results must be the same to the last byte, but for communities, which must be as modular; what each takes is shown.
With a build for CUDA, and nvcc in the PATH, all parts or some:

    scons -j16 cuda=yes cuda_arch=90 tools && python3 tests/gpu/algorithms.py [SCALE [PART]...]

The parts are those of PARTS, below. `shapes` and `wide` take two minutes at scale 20, `beyond` about five.
"""

import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests"))
from oracle import naive  # noqa: E402

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


def apart(what, equal_to):
    """One search after another in one process: neighborhood goes as bfs does."""
    said = {}
    for name, command in (("together", ["bfs"]), ("apart", ["neighborhood", "--hops", 1 << 31])):
        done = quern("quern-run", *command, "g.qrn", "--sources", "ids.txt", "--device", "cuda", "--json", "-fo", name + ".npy")
        said[name] = json.loads(done.stdout)["seconds"]
    equal = Path("apart.npy").read_bytes() == Path(equal_to).read_bytes()
    print("    %s on the device: together %.3f ms (%.3f s in all), one after another %.3f ms (%.3f s in all), %.1f times as long%s" % (
        what, 1e3 * said["together"]["kernel"], said["together"]["total"], 1e3 * said["apart"]["kernel"], said["apart"]["total"],
        said["apart"]["kernel"] / said["together"]["kernel"], "" if equal else "  DIFFERS"), flush=True)
    return equal


def sources(scale):
    """bfs from many sources at once."""
    right = True
    for kind, options, counts in (("rmat", ["--undirected"], (64, 100)), ("rmat", ["--transpose", "also"], (64,)),
                                  ("rmat", [], (64,)), ("uniform", ["--undirected"], (64,))):
        quern("quern-generate", kind, "--scale", scale, "--degree", 16 if kind == "rmat" else 4, *options, "-qfo", "g.qrn")
        for count in counts:
            Path("ids.txt").write_text("".join("%d\n" % v for v in random.Random(count).sample(range(1 << scale), min(count, 1 << scale))))
            right &= same("bfs %s, %d sources" % (" ".join([kind] + options), count), ["bfs"], "g.qrn", "--sources", "ids.txt")
            if count == 64:
                right &= apart("bfs", "cuda.npy")
    return right


def planted(scale):
    """Groups of 64 vertices, to which two thirds of the edges keep."""
    chance, size = random.Random(7), 1 << scale
    with open("planted.txt", "w") as file:
        for v in range(size):
            for _ in range(6):
                other = v // 64 * 64 + chance.randrange(64) if chance.random() < 0.67 else chance.randrange(size)
                file.write("%d %d %d\n" % (v, other, chance.randrange(1, 9)))
    quern("quern-import", "planted.txt", "--undirected", "--vertices", size, "-qfo", "g.qrn")


def leiden(device, *options):
    done = quern("quern-run", "leiden", "g.qrn", "--device", device, "--json", "-fo", device + ".npy", *options)
    said = json.loads(done.stdout)
    return said["result"]["modularity"], said["seconds"]["kernel"], said


def are_sound(said):
    """Are the device's communities connected, called after their first vertices, and as modular as is said?"""
    quern("quern-export", "g.qrn", "--format", "edges", "-qfo", "edges.txt")
    quern("quern-run", "leiden", "g.qrn", "--device", "cuda", "-qfo", "labels.tsv")
    count = said["vertices"]
    labels = [int(line.split("\t")[1]) for line in Path("labels.tsv").read_text().splitlines()]
    edges = []
    for line in Path("edges.txt").read_text().splitlines():
        a, b, *weight = line.split()
        if a.isdigit():
            a, b, weight = int(a), int(b), float(weight[0]) if weight else 1
            edges += [(a, b, weight), (b, a, weight)] if a != b else [(a, b, weight)]
    within = [edge for edge in edges if labels[edge[0]] == labels[edge[1]] and edge[2] > 0]
    return (len(labels) == count and naive.cc(count, within) == labels
            and abs(naive.modularity(count, edges, labels) - said["result"]["modularity"]) < 1e-9)


def communities(scale):
    """As modular as the CPU's: medians of seeds at a small scale; what one iteration, and all, take at a large one."""
    right = True
    small = min(scale, 13)
    graphs = {kind: [kind, "--scale", small, "--undirected", *options] for kind, options in (
        ("rmat", ["--weights", "1,50"]), ("uniform", ["--degree", 8, "--weights", "0.5,1.5"]), ("grid", []))}
    for kind in [*graphs, "planted"]:
        if kind == "planted":
            planted(small)
        else:
            quern("quern-generate", *graphs[kind], "-qfo", "g.qrn")
        found, first = {}, None
        for device in ("cpu", "cuda"):
            runs = [leiden(device, "--seed", seed) for seed in range(5)]
            found[device] = statistics.median(run[0] for run in runs), statistics.median(run[1] for run in runs)
        _, _, said = leiden("cuda", "--seed", 0)
        first = Path("cuda.npy").read_bytes()
        leiden("cuda", "--seed", 0)
        sound, stable = are_sound(said), first == Path("cuda.npy").read_bytes()
        good = found["cuda"][0] > found["cpu"][0] - 1e-3
        right &= sound and stable and good
        print("leiden %-8s scale %d, 5 seeds: CPU %.6f in %.1f ms, device %.6f in %.1f ms%s%s%s" % (
            kind, small, found["cpu"][0], 1e3 * found["cpu"][1], found["cuda"][0], 1e3 * found["cuda"][1],
            "" if good else "  WORSE", "" if sound else "  NOT SOUND", "" if stable else "  NOT STABLE"), flush=True)
    for kind in ("rmat", "grid"):
        quern("quern-generate", kind, "--scale", scale, "--undirected", "-qfo", "g.qrn")
        for options in (["--iterations", 1], ["--iterations", 20]):
            devices = ("cpu", "cuda") if options[1] == 1 else ("cuda",)
            runs = [leiden(device, *options) for device in devices]
            print("leiden %s %d, %d iterations at most: %s" % (kind, scale, options[1], ", ".join(
                "%s %.6f in %.1f ms, %d iterations" % (device, run[0], 1e3 * run[1], run[2]["iterations"])
                for device, run in zip(devices, runs))), flush=True)
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


def attempt(command, *options):
    """A run, which may fail; its result is in `out`, unless it is a number."""
    wanted = [] if command[0] == "tc" else ["-fo", "out"]
    return subprocess.run([str(word) for word in (BIN / "quern-run", *command, *options, "--json", *wanted)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def found(command, *options):
    """A result, or the words that there is no path, and what was said of it."""
    Path("out").unlink(missing_ok=True)
    done = attempt(command, *options)
    if done.returncode > (command[0] == "path"):
        raise SystemExit("%s: exit %d: %s" % (" ".join(map(str, (*command, *options))), done.returncode, done.stderr))
    if done.returncode == 1:
        return done.stderr.splitlines()[-1], {}
    said = json.loads(done.stdout)
    return said["result"] if command[0] == "tc" else Path("out").read_bytes(), said


def numbers(text):
    return [float(word) for line in text.decode().splitlines() if line[:1].isdigit() for word in line.split()]


def are_close(one, other):
    """Real numbers, which are added up in another order."""
    one, other = numbers(one), numbers(other)
    return len(one) == len(other) and all(abs(a - b) <= 1e-5 * abs(a) + 1e-300 for a, b in zip(one, other))


def milliseconds(said):
    return 1e3 * said["seconds"]["kernel"] if said else 0


def agree(what, command, are_alike=lambda one, other: one == other):
    """Run on both; are the results alike? Then the device's, and what was said of it."""
    expected, cpu = found(command, "--device", "cpu")
    result, said = found(command, "--device", "cuda")
    right = are_alike(expected, result)
    print("%-44s CPU %10.3f ms, device %10.3f ms%s%s" % (
        what, milliseconds(cpu), milliseconds(said), "" if said else ", none", "" if right else "  DIFFERS"), flush=True)
    return right, result, said


def close(what, command, container, *options):
    return agree(what, [*command, container, *options], are_close)[0]


def texts(what, command, container, *options):
    return agree(what, [*command, container, *options])[0]


def some_vertices(count):
    """Of those of g.qrn that have the most edges: names that are there, whatever was imported."""
    top = json.loads(quern("quern-run", "degree", "g.qrn", "--top", 10 * count, "--json").stdout)["result"]["top"]
    Path("ids.txt").write_text("".join("%s\n" % vertex["id"] for vertex in random.Random(5).sample(top, count)))
    return "ids.txt"


def shapes(scale):
    """hits, path, similarity, walk, sample."""
    right = True
    for kind, options in (("rmat", ["--undirected"]), ("rmat", ["--transpose", "also"]), ("uniform", [])):
        quern("quern-generate", kind, "--scale", scale, "--degree", 16 if kind == "rmat" else 4, "--weights", "1,100", *options,
              "-qfo", "g.qrn")
        quern("quern-transform", "g.qrn", "--relabel", "random", "-qfo", "other.qrn")
        what, ids = " ".join([kind, *options]), some_vertices(50)
        top = json.loads(quern("quern-run", "degree", "g.qrn", "--top", 4, "--json").stdout)["result"]["top"]
        ends = [vertex["id"] for vertex in top]
        right &= close("hits " + what, ["hits", "--iterations", 20], "g.qrn")
        for container in ("g.qrn", "other.qrn"):
            right &= texts("path " + what, ["path", "--source", ends[0], "--target", ends[1]], container)
            right &= texts("path, unweighted, " + what, ["path", "--source", ends[2], "--target", ends[3], "--unweighted"], container)
            right &= same("walk " + what, ["walk", "--length", 20], container)
            right &= same("walk, weighted, " + what, ["walk", "--length", 20, "--weighted"], container)
            right &= texts("sample " + what, ["sample", "--sources", ids, "--fanouts", "15,10,all"], container)
        quern("quern-generate", kind, "--scale", scale - 2, "--degree", 8, *options, "-qfo", "small.qrn")
        right &= texts("similarity " + what, ["similarity"], "small.qrn")
    return right


def wide(scale):
    """Weights of 8 bytes, resident and streamed."""
    right = True
    for kind in ("i64", "f64"):
        quern("quern-generate", "rmat", "--scale", scale, "--weights", "1,100", "-q", "--format", "edges", "-fo", "e.txt")
        quern("quern-import", "e.txt", "--weights", kind, "--transpose", "also", "-qfo", "g.qrn")
        quern("quern-run", "degree", "g.qrn", "-qfo", "vector.npy")
        hub = json.loads(quern("quern-run", "degree", "g.qrn", "--top", 2, "--json").stdout)["result"]["top"]
        source, edges = ["--source", hub[0]["id"]], json.loads(quern("quern-info", "g.qrn", "--json").stdout)["edges"]
        few = ["--device-memory", edges * 4]
        right &= same("sssp, %s" % kind, ["sssp"], "g.qrn", *source)
        expected = Path("cpu.npy").read_bytes()
        quern("quern-run", "sssp", "g.qrn", *source, "--device", "cuda", *few, "-qfo", "cuda.npy")
        right &= expected == Path("cuda.npy").read_bytes()
        print("sssp, %s, streamed%s" % (kind, "" if expected == Path("cuda.npy").read_bytes() else "  DIFFERS"), flush=True)
        right &= texts("path, %s" % kind, ["path", *source, "--target", hub[1]["id"]], "g.qrn")
        right &= close("spmv, %s" % kind, ["spmv", "--vector", "vector.npy", "--iterations", 1], "g.qrn")
        right &= close("pagerank-weighted, %s" % kind, ["pagerank-weighted", "--iterations", 10], "g.qrn")
    return right


def least_memory(command):
    """What a run wants of a device at least, as its refusals say: the first, but of two searches, and of results of any size."""
    memory, least = 0, 100
    while least > memory:
        memory = least
        done = attempt(command, "--device", "cuda", "--device-memory", memory)
        said = re.search(r"needs ([0-9.]+ [KMG]?i?B)|memory: ([0-9.]+ [KMG]?i?B) for .* beside ([0-9.]+ [KMG]?i?B) in use", done.stderr)
        if done.returncode == 6 and said:
            amounts = [amount.split() for amount in said.groups() if amount]
            least = 1 + int(sum((float(number) + 0.01) * (1 << " KMG".index(unit[0].replace("B", " ")) * 10) for number, unit in amounts))
    return memory


def with_little(what, command):
    """With all memory, half of what it takes then, and the least: the device's own result each time, and the CPU's."""
    right, whole, said = agree(what, command, {"bc": are_close, "hits": are_close, "leiden": lambda *_: True}.get(
        command[0], lambda one, other: one == other))
    if not said:
        return right
    least, most = least_memory(command), said["accelerator"]["memory_bytes"]
    for memory in (max(most // 2, least), least):
        result, said = found(command, "--device", "cuda", "--device-memory", memory)
        within = said["accelerator"]["memory_bytes"] <= memory
        print("    with %6d of %6d MB %30.3f ms%s%s%s" % (
            memory >> 20, most >> 20, milliseconds(said), ", edges on the host" if said.get("streaming") else "",
            "" if result == whole else "  DIFFERS", "" if within else "  TOOK MORE"), flush=True)
        right &= result == whole and within and (memory > least or command[0] == "path" or bool(said.get("streaming")))
    return right


def beyond(scale):
    """With less device memory than the edges take: they are read in the host's memory."""
    right, undirected, directed = True, ["--undirected"], ["--transpose", "also"]
    for weights, options, own in (("u32", undirected, ["coloring", "mis", "leiden"]), ("u32", directed, ["kcore"]), ("i64", directed, []),
                                  ("f64", undirected, [])):
        quern("quern-generate", "rmat", "--scale", scale, "--weights", "1,100", "-q", "--format", "edges", "-fo", "e.txt")
        quern("quern-import", "e.txt", "--weights", weights, *options, "-qfo", "g.qrn")
        quern("quern-generate", "rmat", "--scale", max(scale - 4, 6), *options, "-qfo", "small.qrn")
        ids, top = some_vertices(20), json.loads(quern("quern-run", "degree", "g.qrn", "--top", 2, "--json").stdout)["result"]["top"]
        ends = ["--source", top[0]["id"], "--target", top[1]["id"]]
        commands = [("tc", "g.qrn"), ("lcc", "g.qrn"), ("bc", "g.qrn", "--sources", ids), ("hits", "g.qrn", "--iterations", 10),
                    ("path", "g.qrn", *ends), ("similarity", "small.qrn"), ("walk", "g.qrn", "--length", 10, "--weighted")]
        if weights == "u32":
            commands += [("cross-edges", "g.qrn"), ("bfs", "g.qrn", "--sources", ids), ("sample", "g.qrn", "--sources", ids)]
            commands += [(name, "small.qrn" if name == "leiden" else "g.qrn") for name in ["cdlp", "scc", *own]]
        for command in commands:
            right &= with_little("%s, %s, %s" % (command[0], weights, " ".join(options)), command)
    return right


PARTS = {"algorithms": algorithms, "shapes": shapes, "wide": wide, "beyond": beyond, "sources": sources, "communities": communities,
         "programs": lambda scale: programs(min(scale, 18))}


def main():
    scale = int(sys.argv[1]) if len(sys.argv) > 1 else 18
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        right = True
        for part in sys.argv[2:] or PARTS:
            right &= PARTS[part](scale)
    print("all right" if right else "NOT RIGHT")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
