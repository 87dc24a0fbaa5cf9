"""quern-run whose CUDA device is the emulator: every algorithm and layout that it lists for CUDA, against the CPU; choosing
the device; devices that are missing, too small, or fail. build/emulator/bin is built by `scons emulated-tests`."""

import array
import json
import math
import os
import random
import re
import shutil
import signal
import subprocess
import time
import unittest
from pathlib import Path

from harness.tools import UNDER_SANITIZERS
from oracle import naive

TOOLS = Path(os.environ["QUERN_BIN"])
SOURCE = Path(os.environ["QUERN_SOURCE"])
PROGRAM = SOURCE / "tests/programs/widest.h"
EMULATED = TOOLS.parent / "emulator/bin/quern-run"

# How each layout is made from a graph container.
LAYOUTS = {
    "blocked-csr": ["quern-block", "--block-vertices=200"],
    "edge-partitions": ["quern-partition", "--partitions=5"],
    "slotted-pages": ["quern-page", "--page-size=4K"],
    "shards": ["quern-shard"],
    "hybrid": ["quern-hybrid"],
    "packed": ["quern-pack"],
}

# What is as good as the CPU's, but another: Leiden, below. What is no array of values: test_own_kernels.py.
OTHERS = {"leiden", "path", "sample", "similarity", "walk"}
# Those on which all that runs on a CPU runs on a CUDA device too.
COMPLETE = {"blocked-csr", "edge-partitions", "graph", "hybrid", "packed", "shards", "slotted-pages"}



def is_emulated(layout, algorithm):
    """By the last column of kernels/instances.txt; what is no program always is."""
    rows = [re.split(r"\s{2,}", line.strip()) for line in (SOURCE / "kernels/instances.txt").read_text().splitlines()
            if line and not line.startswith("#")]
    layouts = {row[0]: row[-1].split() for row in rows}
    program = algorithm.replace("-", "_")
    if not (SOURCE / "kernels/programs" / (program + ".h")).exists():
        return True
    folder = "csr" if layout == "graph" else layout.replace("-", "_")
    return bool({"all", folder} & set(layouts.get(program, layouts["other"])))


# Algorithms that walk all edges in every iteration.
ALL_ACTIVE = {"circuit", "degree", "eigenvector", "heat", "hits", "indegree", "katz", "neural", "pagerank", "pagerank-weighted", "rwr",
              "spmv"}


def run(*command, **environment):
    return subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=dict(os.environ, OMP_NUM_THREADS="1", **environment))


def tool(name, *arguments):
    done = run(TOOLS / name, *arguments)
    if done.returncode:
        raise AssertionError("%s: %s" % (name, done.stderr))


def needed(algorithm, container):
    """Options that the algorithm does not run without."""
    if algorithm == "katz":
        return ("--alpha=0.005",)
    if algorithm != "spmv":
        return ()
    tool("quern-run", "degree", container, "-qfo", "vector.npy")
    return ("--vector=vector.npy",)


def values(path):
    """An array from a .npy file of version 1."""
    data = path.read_bytes()
    header = int.from_bytes(data[8:10], "little")
    text = data[10:10 + header].decode()
    kind = next(code for name, code in (("<u4", "I"), ("<u8", "Q"), ("<f4", "f"), ("<f8", "d")) if name in text)
    result = array.array(kind)
    result.frombytes(data[10 + header:])
    return result


class Graph(unittest.TestCase):
    tier, sanitized_tier = "medium", "long"

    @classmethod
    def setUpClass(cls):
        if not EMULATED.exists():
            raise unittest.SkipTest("%s is not built; run scons emulated-tests" % EMULATED)

    def emulated(self, algorithm, container, *arguments, **environment):
        return run(EMULATED, algorithm, container, "--device=cuda", *arguments, **environment)

    def refused(self, done, code, text):
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertRegex(done.stderr, text)


class Cache(Graph):
    """quern-block asks the device for the size of its L2 cache."""

    def test_size_of_the_device(self):
        tool("quern-generate", "rmat", "--scale=10", "-qfo", "graph.qrn")
        block = EMULATED.parent / "quern-block"
        for asked, size in (("device", "48K"), ("device:1", "48K"), ("device", "3M")):
            with self.subTest(asked=asked, size=size):
                done = run(block, "graph.qrn", "-qfo", "asked.qrn", "--l2-bytes=" + asked, QUERN_EMULATOR_L2=size,
                           QUERN_EMULATOR_DEVICES="2")
                self.assertEqual(done.returncode, 0, done.stderr)
                tool("quern-block", "graph.qrn", "-qfo", "named.qrn", "--l2-bytes=" + size)
                self.assertEqual(Path("asked.qrn").read_bytes(), Path("named.qrn").read_bytes())

    def test_no_such_device(self):
        tool("quern-generate", "rmat", "--scale=4", "-qfo", "graph.qrn")
        block = EMULATED.parent / "quern-block"
        self.refused(run(block, "graph.qrn", "-o", "asked.qrn", "--l2-bytes=device:7"), 6, "--l2-bytes device: .*name a size")
        self.refused(run(block, "graph.qrn", "-o", "asked.qrn", "--l2-bytes=device", QUERN_EMULATOR_DRIVER="none"), 6,
                     "--l2-bytes device: .*name a size")
        self.assertFalse(Path("asked.qrn").exists())


class EveryKernel(Graph):
    timeout = 300

    def listed(self, device="cuda"):
        done = run(EMULATED, "--list", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        kernels = json.loads(done.stdout)["kernels"]
        return sorted({(kernel["layout"], kernel["algorithm"]) for kernel in kernels if kernel["device"] == device})

    def containers(self):
        """One graph in every layout; whole weights, symmetric."""
        tool("quern-generate", "rmat", "--scale=9", "--degree=8", "--undirected", "--weights=1,50", "--transpose=also",
             "-qo", "graph.qrn")
        made = {"graph": Path("graph.qrn")}
        for layout, command in LAYOUTS.items():
            if (TOOLS / command[0]).exists():
                tool(command[0], "graph.qrn", "-qo", layout + ".qrn", *command[1:])
                made[layout] = Path(layout + ".qrn")
        tool("quern-transform", "graph.qrn", "--parts=3", "-qo", "parts")
        made["set"] = Path("parts")
        return made

    def setUp(self):
        super().setUp()
        self.references = {}

    def result(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def same(self, expected, actual):
        self.assertEqual(len(expected), len(actual))
        if expected.typecode in "IQ":
            self.assertEqual(expected, actual)
            return
        for vertex, (a, b) in enumerate(zip(expected, actual)):
            self.assertTrue(math.isclose(a, b, rel_tol=1e-5), "vertex %d: CPU %r, CUDA %r" % (vertex, a, b))

    def figures(self, report):
        """What a report says of the device."""
        device = report["accelerator"]
        self.assertRegex(device["name"], "emulator")
        self.assertGreater(device["memory_bytes"], 4 * report["vertices"])
        self.assertGreater(device["uploaded_bytes"], 0)
        self.assertGreaterEqual(device["copied_bytes"], device["uploaded_bytes"])
        self.assertGreater(device["kernel_seconds"], 0)
        self.assertLess(device["kernel_seconds"], report["seconds"]["total"])
        walks = report["iterations"] if report["algorithm"] in ALL_ACTIVE else 1
        for rate, things in ((device["bytes_per_second"], device["uploaded_bytes"]), (report["edges_per_second"], report["edges"])):
            self.assertTrue(math.isclose(rate, things * walks / device["kernel_seconds"], rel_tol=1e-6))

    def compare(self, algorithm, container, seed, *options):
        counts = algorithm == "tc"
        options += needed(algorithm, container)
        wanted = [] if counts else ["-f", "-o"]
        reference = "%s-%s.npy" % (container.stem, algorithm)
        if (reference, options) not in self.references:  # once for all seeds
            self.references[reference, options] = self.result(
                run(TOOLS / "quern-run", algorithm, container, "--device=cpu", "--json", *options,
                    *(wanted + [reference] if wanted else [])))
        cpu = self.references[reference, options]
        cuda = self.result(self.emulated(algorithm, container, "--json", *options, *(wanted + ["cuda.npy"] if wanted else []),
                                         QUERN_EMULATOR_SEED=str(seed)))
        self.assertEqual(cuda["device"], "cuda")
        self.figures(cuda)
        if counts:
            self.assertEqual(cpu["result"], cuda["result"])
        else:
            self.same(values(Path(reference)), values(Path("cuda.npy")))

    def test_no_kernel_is_missing(self):
        """But for programs that the table of instances leaves out of the emulator, and what takes plain rows on a device."""
        plain = {"bc": COMPLETE - {"blocked-csr", "graph", "slotted-pages"}, "lcc": COMPLETE - {"graph"}, "tc": COMPLETE - {"graph", "hybrid"}}
        missing = set(self.listed("cpu")) - set(self.listed("cuda"))
        self.assertEqual({(layout, algorithm) for layout, algorithm in missing if layout in COMPLETE and is_emulated(layout, algorithm)},
                         {(layout, algorithm) for algorithm, layouts in plain.items() for layout in layouts})

    def test_every_kernel_agrees_with_the_cpu(self):
        kernels, containers = self.listed(), self.containers()
        self.assertIn(("graph", "bfs"), kernels)
        for turn, (layout, algorithm) in enumerate(kernels):
            if algorithm in OTHERS:
                continue
            seed = 5 * (turn % 2)  # unit/emulated has several of each
            with self.subTest(layout=layout, algorithm=algorithm, seed=seed):
                self.compare(algorithm, containers[layout], seed)
        self.compare_with_groups(containers)

    def compare_with_groups(self, containers):
        tool("quern-run", "degree", containers["graph"], "-qfo", "groups.tsv")
        lines = Path("groups.tsv").read_text().splitlines(keepends=True)
        Path("groups.tsv").write_text("".join(lines[::2]))  # the others are in no group
        for layout in ("graph", "slotted-pages"):
            with self.subTest(layout=layout, groups="degrees"):
                self.compare("cross-edges", containers[layout], 1, "--groups=groups.tsv")


class HybridTriangles(Graph):
    """ELL and COO are read as they lie, whatever the width, and of directed graphs in either direction."""
    timeout = 300

    def count(self, run_tool, container, device):
        done = run(run_tool, "tc", container, "--device=" + device, "--json", QUERN_EMULATOR_SEED="3")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["result"]

    def test_widths_and_directions(self):
        hub = [(0, i) for i in range(1, 150)] + [(i, i + 1) for i in range(1, 149)] + [(7, 7), (8, 9), (9, 8), (170, 171)]
        for edges, directed, widths in ((hub, True, "023"), (hub, False, "02"), ([(5, 5)], True, "01"), ([(5, 5)], False, "01")):
            Path("edges.txt").write_text("".join("%d %d\n" % edge for edge in edges))
            tool("quern-import", "edges.txt", "-qfo", "graph.qrn", "--vertices=200", *([] if directed else ["--undirected"]))
            expected = self.count(TOOLS / "quern-run", "graph.qrn", "cpu")
            for width in widths:
                for direction in ("in", "out", "both") if directed else ("both",):
                    with self.subTest(edges=len(edges), directed=directed, width=width, direction=direction):
                        tool("quern-hybrid", "graph.qrn", "-qfo", "hybrid.qrn", "--width=" + width, "--direction=" + direction)
                        self.assertEqual(self.count(EMULATED, "hybrid.qrn", "cuda"), expected)


class Leiden(Graph):
    """Communities on a device are the same for a seed, connected, called after their first vertices, and as modular as is said."""
    timeout = 300

    def imported(self, edges, *options):
        """A graph of edges (a, b, weight), none twice, and these in both directions."""
        Path("edges.txt").write_text("".join("%d %d %r\n" % edge for edge in edges))
        tool("quern-import", "edges.txt", "--undirected", "-qfo", "graph.qrn", *options)
        return edges + [(b, a, weight) for a, b, weight in edges if a != b]

    def communities(self, *options, seed=0):
        done = self.emulated("leiden", "graph.qrn", "--json", "-fo", "labels.npy", *options, QUERN_EMULATOR_SEED=str(seed))
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual(report["device"], "cuda")
        return list(values(Path("labels.npy"))), report["result"]

    def check(self, edges, num_vertices, *options, resolution=1):
        labels, result = self.communities(*options, "--resolution=%g" % resolution)
        self.assertEqual(result["count"], len(set(labels)))
        self.assertAlmostEqual(result["modularity"], naive.modularity(num_vertices, edges, labels, resolution), delta=1e-12)
        self.assertEqual(naive.cc(num_vertices, [edge for edge in edges if labels[edge[0]] == labels[edge[1]]]), labels)
        return labels, result["modularity"]

    def test_cliques(self):
        edges = [(6 * c + a, 6 * c + b, 1) for c in range(8) for a in range(6) for b in range(a)]
        self.imported(edges + [(6 * c, (6 * c + 6) % 48, 1) for c in range(8)])
        for seed in range(2):
            labels, _ = self.communities("--seed=%d" % seed)
            self.assertEqual(labels, [v - v % 6 for v in range(48)])

    def test_weights(self):
        """Whole ones, large ones, real ones of many magnitudes; loops; others than the CPU's, but as good."""
        for name, draw in (("u32", lambda r: r.randrange(0, 50)), ("i64", lambda r: r.randrange(1 << 40, 1 << 44)),
                           ("f64", lambda r: r.random() * 10 ** r.randrange(-9, 1))):
            with self.subTest(weights=name):
                chance = random.Random(name)
                pairs = {(min(pair), max(pair)) for pair in ((chance.randrange(60), chance.randrange(60)) for _ in range(200))}
                edges = self.imported([(a, b, draw(chance)) for a, b in sorted(pairs)], "--weights=" + name, "--vertices=60")
                labels, modularity = self.check(edges, 60)
                cpu = json.loads(run(TOOLS / "quern-run", "leiden", "graph.qrn", "--device=cpu", "--json").stdout)
                self.assertGreater(modularity, cpu["result"]["modularity"] - 0.02)
        self.assertEqual(self.communities(seed=3)[0], labels)  # in another order of threads
        self.check(edges, 60, "--seed=7", resolution=0.3)

    def test_long_rows(self):
        """Rows that are looked at by a block, in shared memory and in a table."""
        edges = [(0, v, 1) for v in range(1, 1200)] + [(v, v + 1, 2) for v in range(1, 1199, 2)] + [(1, v, 1) for v in range(4, 60)]
        self.check(self.imported(edges), 1200)

    def test_nothing_to_gain(self):
        self.imported([(0, 1, 0)])
        labels, result = self.communities()
        self.assertEqual((labels, result["modularity"]), ([0, 1], 0))
        self.imported([(0, 0, 5), (1, 2, 0)])
        self.assertEqual(self.communities()[0], [0, 1, 2])

    def test_refusals(self):
        tool("quern-generate", "rmat", "--scale=6", "--undirected", "-qfo", "graph.qrn")
        self.refused(self.emulated("leiden", "graph.qrn", "--device-memory=4K"), 6, "even reading edges from the host, leiden on this graph")


class SeveralSources(Graph):
    """A column of each source: of bfs 64 at a time, on a device as on the CPU."""
    timeout = 300

    def same(self, algorithm, container, count, *options, device=(), **environment):
        """Options `device` are the device's alone."""
        tool("quern-run", algorithm, container, "--sources=ids.txt", "--device=cpu", "-qfo", "cpu.npy", *options)
        done = self.emulated(algorithm, container, "--sources=ids.txt", "--json", "-fo", "cuda.npy", *options, *device, **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(Path("cpu.npy").read_bytes(), Path("cuda.npy").read_bytes())
        report = json.loads(done.stdout)
        self.assertEqual(report["device"], "cuda")
        self.assertEqual(len(values(Path("cuda.npy"))), count * report["vertices"])
        return report, done.stderr

    def sources(self, count):
        Path("ids.txt").write_text("".join("%d\n" % v for v in random.Random(count).sample(range(256), count)))

    def test_searches_at_once(self):
        for kind in (["--undirected"], [], ["--transpose=also"]):
            tool("quern-generate", "rmat", "--scale=8", "--degree=8", "-qfo", "graph.qrn", *kind)
            for count in (2, 64, 130):
                with self.subTest(kind=kind, sources=count):
                    self.sources(count)
                    report, _ = self.same("bfs", "graph.qrn", count, QUERN_EMULATOR_SEED=str(count))
                    self.assertIn("64 searches at once", report["kernel"])
        self.same("bfs", "graph.qrn", 130, "--iterations=2")

    def test_hubs_and_depth(self):
        """Rows that take a block, and levels beyond 2^8, of which more bits are kept."""
        edges = [(0, v) for v in range(1, 3000)] + [(v, v + 1) for v in range(3000, 3300)] + [(2999, 3000)]
        Path("hub.txt").write_text("".join("%d %d\n" % edge for edge in edges))
        tool("quern-import", "hub.txt", "--undirected", "-qfo", "graph.qrn")
        Path("ids.txt").write_text("0\n3300\n17\n")
        report, _ = self.same("bfs", "graph.qrn", 3)
        self.assertEqual(report["iterations"], 304)

    def test_little_memory(self):
        """Columns come in pieces; where not even one fits the graph is streamed, source after source."""
        tool("quern-generate", "rmat", "--scale=9", "--degree=8", "-qfo", "graph.qrn")
        self.sources(9)
        report, _ = self.same("bfs", "graph.qrn", 9, device=["--device-memory=78K"])
        self.assertLessEqual(report["accelerator"]["memory_bytes"], 78 << 10)
        self.assertIn("64 searches at once", report["kernel"])
        report, notice = self.same("bfs", "graph.qrn", 9, device=["--device-memory=50K"])
        self.assertRegex(notice, "(?m)^note: running from one source after another: not enough device memory")
        self.assertNotIn("64 searches at once", report["kernel"])

    def test_one_after_another(self):
        """The graph stays on the device meanwhile."""
        tool("quern-generate", "rmat", "--scale=8", "--degree=8", "--weights=1,50", "-qfo", "graph.qrn")
        self.sources(3)
        report, _ = self.same("sssp", "graph.qrn", 3)
        self.assertLess(report["accelerator"]["uploaded_bytes"], 4 * report["edges"])


class UserProgram(Graph):
    """--program on a device, which is the emulator: nvcc.py plays nvcc."""
    timeout = 300
    layouts = ["graph"]

    def setUp(self):
        shutil.rmtree("cache", ignore_errors=True)
        tool("quern-generate", "rmat", "--scale=8", "--weights=1,50", "--transpose=also", "-qfo", "graph.qrn")

    def program(self, container, *arguments, header=PROGRAM, compiler=PROGRAM.parents[1] / "emulator/nvcc.py"):
        plain = {"QUERN_EMULATOR_PLAIN": "yes"} if UNDER_SANITIZERS else {}
        return run(EMULATED, container, "--program", header, "--device=cuda", "--source=1", *arguments,
                   QUERN_NVCC=str(compiler), XDG_CACHE_HOME=str(Path("cache").absolute()), **plain)

    def test_layouts(self):
        for layout in self.layouts:
            with self.subTest(layout=layout):
                container = "graph.qrn"
                if layout != "graph":
                    container = layout + ".qrn"
                    tool(*LAYOUTS[layout], "graph.qrn", "-qfo", container)
                tool("quern-run", "--program", PROGRAM, container, "--source=1", "-qfo", "cpu.npy")
                done = self.program(container, "-qfo", "cuda.npy")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(values(Path("cpu.npy")), values(Path("cuda.npy")))
                done = self.program(container, "--json", compiler="/bin/false")  # another compiler is another object
                self.refused(done, 3, "/bin/false does not compile it")
                kept = sorted(Path("cache/quern/programs").iterdir())
                done = self.program(container, "--device-memory=40K", "-qfo", "streamed.npy")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(values(Path("cpu.npy")), values(Path("streamed.npy")))
                self.assertEqual(sorted(Path("cache/quern/programs").iterdir()), kept)

    def test_halves(self):
        """Messages of two bytes, which an order of adding may round otherwise."""
        Path("halves.h").write_text('#define PROGRAM_HALVES 1\n#include "kernels/programs/heat.h"\n')
        tool("quern-shard", "graph.qrn", "-qfo", "shards.qrn")
        tool("quern-run", "heat", "graph.qrn", "--source=1", "-qfo", "whole.npy")
        tool("quern-run", "--program", "halves.h", "graph.qrn", "--source=1", "-qfo", "cpu.npy")
        done = self.program("shards.qrn", "-qfo", "cuda.npy", header="halves.h")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        whole, cpu, cuda = (values(Path(name + ".npy")) for name in ("whole", "cpu", "cuda"))
        self.assertTrue(all(math.isclose(one, other, rel_tol=2e-3, abs_tol=1e-7) for one, other in zip(cpu, cuda)))
        self.assertTrue(all(any(abs(one - other) > 1e-4 * one for one, other in zip(whole, halves)) for halves in (cpu, cuda)))

    def test_errors(self):
        Path("bad.h").write_text(PROGRAM.read_text().replace("return new_value > old_value", "return new_valu > old_value"))
        self.refused(self.program("graph.qrn", header="bad.h"), 3, r"^quern-run: bad\.h:5\d:.*new_valu.*return new_valu")
        told = Path("told.sh")
        told.write_text("#!/bin/sh\nfor last; do :; done\nwhile [ \"$1\" != -include ]; do shift; done\n"
                        "printf '%s(54): error: identifier \"new_valu\" is undefined\\n    return new_valu;\\n' "
                        "$(sed -n 's/^#line 1 \"\\(.*\\)\"/\\1/p' \"$2\")\nexit 1\n")
        told.chmod(0o700)
        self.refused(self.program("graph.qrn", header="bad.h", compiler=told.absolute()), 3,
                     r'^quern-run: bad\.h:54: identifier "new_valu" is undefined: return new_valu;$')
        self.refused(self.program("graph.qrn", compiler="no-such-nvcc"), 5, "compiled by nvcc.*no-such-nvcc.*QUERN_NVCC names")


class UserProgramEverywhere(UserProgram):
    tier = "long"
    layouts = sorted(LAYOUTS)
    test_errors = None


class Devices(Graph):
    def graph(self, *options):
        tool("quern-generate", "uniform", "--scale=7", "-qfo", "graph.qrn", *options)
        return "graph.qrn"

    def test_what_is_missing_is_said(self):
        graph = self.graph()
        self.refused(self.emulated("bfs", graph, QUERN_EMULATOR_DRIVER="none"), 6,
                     "no CUDA driver is installed: install NVIDIA's driver for CUDA 13.0 or later, or use --device cpu")
        self.refused(self.emulated("bfs", graph, QUERN_EMULATOR_DRIVER="old"), 6,
                     "the driver is too old: it is for CUDA 11.2, and this build needs 13.0")
        self.refused(self.emulated("bfs", graph, QUERN_EMULATOR_DEVICES="0"), 6, "the CUDA driver finds no device")
        self.refused(run(EMULATED, "bfs", graph, "--device=cuda:3"), 6, "there is no CUDA device 3: there are 1")
        self.refused(run(EMULATED, "bfs", graph, "--device=gpu"), 2, "--device: it is auto, cpu, cuda, cuda:N, both or both:N, not gpu")
        self.refused(run(EMULATED, "bfs", graph, "--device=cuda:x"), 2, "--device")

    def test_too_little_memory_is_said_with_the_amounts(self):
        graph = self.graph()
        self.refused(self.emulated("bfs", graph, QUERN_EMULATOR_MEMORY="8K"), 6,
                     r"not enough device memory: even streaming, bfs on this graph needs .* but 7\.88 KiB of .* may be used")
        self.refused(self.emulated("cc", graph, QUERN_EMULATOR_MEMORY="1K"), 6,
                     r"not enough device memory: even streaming, cc on this graph needs .* or more, but .* of .* may be used")
        for algorithm in ("bc", "tc"):
            text = (r"not enough device memory: even reading edges from the host, %s on this graph needs (\d+\.\d+) KiB or more, "
                    r"but \d+\.\d+ KiB of .* may be used; allow more with --device-memory" % algorithm)
            told = 1024 * float(re.search(text, self.emulated(algorithm, graph, "--device-memory=1K").stderr).group(1))
            self.refused(self.emulated(algorithm, graph, "--device-memory=%d" % (told - 6)), 6, text)  # told to 5 bytes
            enough = self.emulated(algorithm, graph, "--device-memory=%d" % (told + 6))
            self.assertEqual(enough.returncode, 0, enough.stderr)
            self.assertIn("reading edges from the host", enough.stderr)

    def test_auto_takes_the_device_if_it_can(self):
        graph = self.graph()
        self.assertIn("(cuda: csr push", run(EMULATED, "bfs", graph).stdout)
        for environment in ({"QUERN_EMULATOR_DRIVER": "none"}, {"QUERN_EMULATOR_DEVICES": "0"}):
            self.assertIn("(cpu: ", run(EMULATED, "bfs", graph, **environment).stdout)
        small = run(EMULATED, "bfs", graph, QUERN_EMULATOR_MEMORY="8K")
        self.assertIn("(cpu: ", small.stdout)
        self.assertRegex(small.stderr, "running on the CPU: not enough device memory")

    def test_weights_that_the_cpu_takes_alone(self):
        for weight, wanted in ((1 << 62, "path on cuda adds weights up to .*; --device=cpu takes them as they are"),
                               (-1, "quern-run: path needs weights that are not negative, but that of edge 0 is -1$")):
            Path("wide.txt").write_text("0 1 %d\n1 2 1\n" % weight)
            tool("quern-import", "wide.txt", "--format=edges", "--weights=i64", "--vertices=33", "-qfo", "wide.qrn")
            self.refused(self.emulated("path", "wide.qrn", "--source=0", "--target=2"), 4, wanted)
            done = run(EMULATED, "path", "wide.qrn", "--source=0", "--target=2", "--device=auto", "-qo-")
            found = (0, "0\t0\n1\t%d\n2\t%d\n" % (weight, weight + 1))
            self.assertEqual((done.returncode, done.stdout), found if weight > 0 else (4, ""))

    def test_a_width_of_buckets_is_refused_where_there_are_none(self):
        graph = self.graph("--weights=1,9")
        for layout, command in sorted(LAYOUTS.items()):
            tool(*command, graph, "-qfo", "other.qrn")
            done = self.emulated("sssp", "other.qrn", "--delta=3")
            if layout == "hybrid":  # of in-edges alone
                self.refused(done, 4, "--delta has no effect on a container without out-edges")
            elif layout in ("blocked-csr", "packed"):
                self.assertEqual(done.returncode, 0, done.stderr)
            else:
                self.refused(done, 4, "--delta has no effect on sssp on the layout %s on cuda; it works on: .*graph on cuda" % layout)
            expected = 4 if layout == "hybrid" else 0  # of in-edges alone
            self.assertEqual(run(EMULATED, "sssp", "other.qrn", "--device=cpu", "--delta=3").returncode, expected)
        tool("quern-shard", graph, "-qfo", "other.qrn")
        self.assertIn("(cpu: ", run(EMULATED, "sssp", "other.qrn", "--delta=3").stdout)
        self.assertIn("(both: ", run(EMULATED, "sssp", "other.qrn", "--delta=3", "--device=both").stdout)
        self.assertIn("(cuda: csr push, near-far", run(EMULATED, "sssp", graph, "--delta=3").stdout)
        self.refused(self.emulated("sssp", graph, "--delta=3", "--device-memory=16K"), 6,
                     "--delta works on the device only where the whole graph fits")

    def test_long_chains(self):
        """Steps of one vertex, which a block takes by itself; with a hub in their midst; and more than a search goes along."""
        pairs, length = [(v, v + 1) for v in range(0, 4600, 2)], 300
        chain = [(v, v + 1) for v in range(4600)] + [(b, a) for a, b in pairs]
        hub = [(v, v + 1) for v in range(length)] + [(length, v) for v in range(length, 2 * length)] + [(2 * length - 1, 0)]
        for edges in (chain, hub):
            Path("chain.txt").write_text("".join("%d %d\n" % edge for edge in edges))
            tool("quern-import", "chain.txt", "-qfo", "chain.qrn")
            for algorithm in ("scc", "kcore"):
                results = []
                for device in ("cpu", "cuda"):
                    done = run(EMULATED, algorithm, "chain.qrn", "--device=" + device, "-qfo", device + ".npy")
                    self.assertEqual(done.returncode, 0, done.stderr)
                    results.append(values(Path(device + ".npy")))
                self.assertEqual(*results, algorithm)

    def test_rounds_end_where_iterations_do(self):
        """The vertices of a round that no iteration is left for are not taken out, on no device. (On plain CSR the CPU has a
        kernel of its own, without iterations.)"""
        graph = self.graph("--undirected")
        for layout, command in sorted(LAYOUTS.items()):
            tool(*command, graph, "-qfo", "other.qrn")
            for iterations in ("1", "2", "3"):
                results = []
                for device in ("cpu", "cuda"):
                    done = run(EMULATED, "kcore", "other.qrn", "--device=" + device, "--iterations=" + iterations, "--json",
                               "-fo", device + ".npy")
                    self.assertEqual(done.returncode, 0, done.stderr)
                    results.append((values(Path(device + ".npy")), json.loads(done.stdout)["converged"]))
                self.assertEqual(*results, "%s, %s iterations" % (layout, iterations))

    def test_converged_means_the_same(self):
        """Of an algorithm with a tolerance, and of one that does as many iterations as it is told."""
        graph = self.graph()
        for layout, command in sorted({**LAYOUTS, "graph": None}.items()):
            if command:
                tool(*command, graph, "-qfo", "other.qrn")
            for algorithm, iterations in (("pagerank", "2"), ("pagerank", "200"), ("spmv", "2")):
                found = {device: json.loads(run(EMULATED, algorithm, "other.qrn" if command else graph, "--json",
                                                "--device=" + device, "--iterations=" + iterations,
                                                *needed(algorithm, graph)).stdout)["converged"]
                         for device in ("cpu", "cuda")}
                self.assertEqual(found["cpu"], found["cuda"], "%s on %s" % (algorithm, layout))

    def test_the_second_device(self):
        graph = self.graph()
        done = run(EMULATED, "pagerank", graph, "--device=cuda:1", QUERN_EMULATOR_DEVICES="2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("CUDA emulator 1", done.stdout)

    def test_a_failing_launch_is_a_message(self):
        done = self.emulated("pagerank", self.graph(), "-o", "out.npy", QUERN_EMULATOR_FAIL="cudaLaunchKernel:7")
        self.refused(done, 6, "failed: unspecified launch failure")
        self.assertFalse(Path("out.npy").exists())


class Streaming(Graph):
    """A graph that does not fit: --device-memory, what is said of it, and the container vanishing meanwhile."""
    timeout = 300

    def pages(self):
        tool("quern-generate", "rmat", "--scale=9", "--degree=8", "--undirected", "--weights=1,50", "-qfo", "graph.qrn")
        tool("quern-page", "graph.qrn", "-qfo", "pages.qrn", "--page-size=1K")
        return "pages.qrn"

    def streamed(self, algorithm, container, *arguments):
        done = self.emulated(algorithm, container, "--device-memory=72K", "--json", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertIn("streaming", report)
        return report, done.stderr

    def test_results_are_those_of_the_cpu(self):
        pages = self.pages()
        for algorithm in ("bfs", "sssp", "cc", "pagerank"):
            with self.subTest(algorithm=algorithm):
                cpu = run(TOOLS / "quern-run", algorithm, pages, "--device=cpu", "-fo", "cpu.npy")
                self.assertEqual(cpu.returncode, 0, cpu.stderr)
                report, notice = self.streamed(algorithm, pages, "--streams=3", "-fo", "cuda.npy")
                a, b = values(Path("cpu.npy")), values(Path("cuda.npy"))
                for vertex, (x, y) in enumerate(zip(a, b)):
                    self.assertTrue(x == y or math.isclose(x, y, rel_tol=1e-5), "vertex %d: %r, %r" % (vertex, x, y))
                self.assertEqual(report["streaming"]["streams"], 3)
                self.assertRegex(notice, r"^streaming: .* of topology does not fit on the device beside .* a cache of ")

    def test_figures_of_every_iteration(self):
        report, _ = self.streamed("bfs", self.pages(), "--source=0")
        streaming = report["streaming"]
        iterations = streaming["iterations"]
        self.assertEqual(len(iterations), report["iterations"])
        self.assertEqual(iterations[0]["active_vertices"], 1)
        for key in ("active_units", "cache_hits", "moved_units", "moved_bytes"):
            self.assertEqual(sum(iteration[key] for iteration in iterations), streaming[key])
        for iteration in iterations:
            self.assertEqual(iteration["active_units"], iteration["cache_hits"] + iteration["moved_units"])
            self.assertLessEqual(iteration["active_units"], streaming["units"])
        self.assertLess(iterations[0]["active_units"], streaming["units"] // 4)
        # Little more moves than the units: 32 bytes of list each, and a list for those in the cache.
        most = streaming["moved_units"] * streaming["unit_bytes"] + 80 * streaming["active_units"]
        self.assertLessEqual(streaming["moved_bytes"], most)

    def test_cache_saves_transfers(self):
        pages = self.pages()
        with_cache, _ = self.streamed("pagerank", pages)
        without, _ = self.streamed("pagerank", pages, "--cache-memory=0")
        self.assertEqual(without["streaming"]["cache_hits"], 0)
        self.assertEqual(without["streaming"]["moved_units"], without["iterations"] * without["streaming"]["units"])
        hits = [iteration["cache_hits"] for iteration in with_cache["streaming"]["iterations"]]
        self.assertEqual(hits, [0] + [with_cache["streaming"]["cache_units"]] * (with_cache["iterations"] - 1))

    def test_timeline(self):
        report, _ = self.streamed("pagerank", self.pages(), "--iterations=4", "--streams=2", "--trace=timeline.json")
        events = json.loads(Path("timeline.json").read_text())["traceEvents"]
        rows = {event["tid"]: event["args"]["name"] for event in events if event["ph"] == "M"}
        self.assertEqual(rows, {0: "iterations", 1: "stream 0", 2: "stream 1"})
        spans = [event for event in events if event["ph"] == "X"]
        copies = [event for event in spans if event["name"] == "copy"]
        kernels = [event for event in spans if event["name"] == "kernel"]
        streaming = report["streaming"]
        self.assertEqual(sum(event["args"]["bytes"] for event in copies), streaming["moved_bytes"] + streaming["vain_bytes"])
        self.assertEqual(sum(event["args"]["units"] for event in kernels), streaming["active_units"])
        self.assertEqual(sum(event["tid"] == 0 for event in spans), report["iterations"])
        self.assertTrue(all(event["dur"] >= 0 for event in spans))
        again = self.emulated("bfs", "pages.qrn", "--trace=timeline.json")
        self.refused(again, 2, "timeline.json.*exists")

    def test_copies_ahead_belong_to_the_next_iteration(self):
        report, _ = self.streamed("pagerank", self.pages(), "--streams=3", "--trace=ahead.json")
        spans = [event for event in json.loads(Path("ahead.json").read_text())["traceEvents"] if event["ph"] == "X"]
        iterations = [event for event in spans if event["tid"] == 0]
        for before, after in zip(iterations, iterations[1:]):
            self.assertLessEqual(before["ts"] + before["dur"], after["ts"] + 0.002)
        copies = [event for event in spans if event["name"] == "copy"]
        streaming = report["streaming"]
        self.assertEqual(sum(event["args"]["bytes"] for event in copies), streaming["moved_bytes"] + streaming["vain_bytes"])

    def test_timeline_of_an_interrupted_run(self):
        command = [EMULATED, "pagerank", self.pages(), "--device=cuda", "--device-memory=72K", "--iterations=100000",
                   "--tolerance=0", "-f", "--trace=interrupted.json"]
        for delay in (0.5, 2, 10, 40):  # before the first iteration ends there is nothing to keep
            process = subprocess.Popen([str(part) for part in command], stderr=subprocess.PIPE, text=True)
            self.assertRegex(process.stderr.readline(), "^streaming: ")
            time.sleep(delay)
            process.terminate()
            _, errors = process.communicate(timeout=100)
            self.assertEqual(process.returncode, 130, errors)
            if Path("interrupted.json").exists():
                break
        self.assertRegex(errors, r"interrupted after iteration \d+; what it did until then is in interrupted\.json")
        events = json.loads(Path("interrupted.json").read_text())["traceEvents"]
        self.assertTrue(any(event["name"] == "iteration 0" for event in events))

    def test_timeline_of_a_run_that_keeps_a_checkpoint(self):
        process = subprocess.Popen([str(part) for part in (
            EMULATED, "pagerank", self.pages(), "--device=cuda", "--device-memory=72K", "--iterations=100000", "--tolerance=0",
            "--trace=kept.json", "--checkpoint=kept", "--every=1")], stderr=subprocess.PIPE, text=True)
        while process.poll() is None and not Path("kept/checkpoint.qrn").exists():
            time.sleep(0.01)
        process.terminate()
        _, errors = process.communicate(timeout=100)
        self.assertEqual(process.returncode, 130, errors)
        self.assertRegex(errors, r"interrupted after iteration \d+; --resume continues")
        json.loads(Path("kept.json").read_text())

    def test_cost_model(self):
        report, _ = self.streamed("pagerank", self.pages(), "--explain")
        model = report["streaming"]["cost_model"]
        self.assertGreater(model["bytes_per_second"], 0)
        self.assertAlmostEqual(model["model"], sum(model[key] for key in ("transfer", "calls", "last_kernels", "sync")))
        self.assertGreater(model["attributes"], 0)
        self.assertAlmostEqual(model["transfer"], report["streaming"]["moved_bytes"] / model["bytes_per_second"])
        self.assertAlmostEqual(model["measured"], sum(iteration["seconds"] for iteration in
                                                      report["streaming"]["iterations"]))
        self.assertRegex(self.emulated("pagerank", "pages.qrn", "--device-memory=72K", "--explain").stdout,
                         r"streamed +.*\nplan +all that vertices have on the device, .*\ncost model \d")
        self.assertEqual(model["files"], 1)

    def test_receivers_alone(self):
        """Where not all that vertices have fits, what senders offer is read beside its page (GTS, 3.1)."""
        tool("quern-generate", "rmat", "--scale=13", "--degree=4", "--undirected", "--weights=1,50", "-qfo", "large.qrn")
        tool("quern-page", "large.qrn", "-qfo", "large-pages.qrn", "--page-size=1K")
        num_vertices = 1 << 13
        for algorithm, memory, bytes, more in (
                ("pagerank", "170K", 8, ("--iterations=5",)), ("bfs", "110K", 4.25, ()), ("sssp", "110K", 8.25, ()),
                ("cc", "110K", 4.25, ("--streams=2",))):
            with self.subTest(algorithm=algorithm):
                run(TOOLS / "quern-run", algorithm, "large-pages.qrn", "--device=cpu", "-fo", "cpu.npy",
                    *[word for word in more if "streams" not in word])
                done = self.emulated(algorithm, "large-pages.qrn", "--device-memory=" + memory, "--json", "--explain", *more,
                                     "-fo", "cuda.npy")
                self.assertEqual(done.returncode, 0, done.stderr)
                streaming = json.loads(done.stdout)["streaming"]
                self.assertEqual(streaming["values"], "receivers")
                tables = streaming["attribute_bytes"] - bytes * num_vertices
                self.assertTrue(0 <= tables < 32 << 10, streaming["attribute_bytes"])
                for vertex, (x, y) in enumerate(zip(values(Path("cpu.npy")), values(Path("cuda.npy")))):
                    self.assertTrue(x == y or math.isclose(x, y, rel_tol=1e-5), "vertex %d: %r, %r" % (vertex, x, y))

    def test_striped(self):
        """Units come from several files, and the model knows them."""
        tool("quern-transform", self.pages(), "--stripe=.", "--stripe=.", "--stripe-unit=64K", "-qo", "striped.qrn")
        report, _ = self.streamed("bfs", "striped.qrn", "--explain", "-fo", "device.npy")
        self.assertEqual(report["streaming"]["cost_model"]["files"], 2)
        self.assertGreaterEqual(report["streaming"]["cost_model"]["storage_bytes"], 0)
        run(TOOLS / "quern-run", "bfs", "pages.qrn", "--device=cpu", "-fo", "cpu.npy")
        self.assertEqual(Path("device.npy").read_bytes(), Path("cpu.npy").read_bytes())

    def test_limits(self):
        pages = self.pages()
        self.refused(self.emulated("bfs", pages, "--device-memory=16K"), 6,
                     r"not enough device memory: even streaming, bfs on this graph needs .* but 16\.00 KiB of .* may be used")
        self.refused(self.emulated("bfs", pages, "--device-memory=72K", "--host-memory=1K"), 6,
                     r"needs at least 1\.14 KiB of pinned host memory .* --host-memory allows 1\.00 KiB")
        self.refused(self.emulated("bfs", pages, "--streams=0"), 2, "--streams: '0' is not an integer from 1 to")
        self.refused(self.emulated("bfs", pages, "--streams=65"), 2, "--streams")
        self.refused(self.emulated("bfs", pages, "--host-memory=0"), 2, "--host-memory: '0' is less than 1 byte")
        report, _ = self.streamed("bfs", pages, "--host-memory=5K")
        self.assertLessEqual(report["streaming"]["staging_bytes"], 5 << 10)
        auto = run(EMULATED, "bfs", pages, "--device-memory=72K")
        self.assertIn("(cuda: ", auto.stdout)

    def test_every_layout_streams(self):
        self.pages()
        for layout, memory, command in (("graph", "40K", None), ("hybrid", "40K", ["quern-hybrid"]),
                                        ("blocked", "56K", ["quern-block", "--out-edges", "--block-vertices=100"])):
            container = "graph.qrn"
            if command:
                container = layout + ".qrn"
                tool(command[0], "graph.qrn", "-qfo", container, *command[1:])
            for algorithm in ("bfs", "cc", "pagerank"):
                with self.subTest(layout=layout, algorithm=algorithm):
                    cpu = run(TOOLS / "quern-run", algorithm, "graph.qrn", "--device=cpu", "-fo", "cpu.npy")
                    self.assertEqual(cpu.returncode, 0, cpu.stderr)
                    done = self.emulated(algorithm, container, "--device-memory=" + memory, "--json", "-fo", "cuda.npy",
                                         "--streams=1", "--trace=layout.json", "--explain")
                    self.assertEqual(done.returncode, 0, done.stderr)
                    streaming = json.loads(done.stdout)["streaming"]
                    self.assertGreater(streaming["units"], 20)
                    self.assertGreater(streaming["moved_units"], 0)
                    if algorithm == "pagerank":
                        self.assertGreater(streaming["direct_bytes"], 0)
                    self.assertLess(streaming["direct_bytes"], streaming["moved_bytes"])
                    self.assertIn("cost_model", streaming)
                    self.assertTrue(json.loads(Path("layout.json").read_text())["traceEvents"])
                    for vertex, (x, y) in enumerate(zip(values(Path("cpu.npy")), values(Path("cuda.npy")))):
                        self.assertTrue(x == y or math.isclose(x, y, rel_tol=1e-5), "vertex %d: %r, %r" % (vertex, x, y))

    def test_what_is_pinned(self):
        """What the system refuses to pin, or may not be pinned, is gathered; the plan says so."""
        pages = self.pages()
        done = self.emulated("pagerank", pages, "--device-memory=72K", "--json", "-fo", "pinned.npy")
        streaming = json.loads(done.stdout)["streaming"]
        self.assertIsNone(streaming["pin_refusal"])
        self.assertGreater(streaming["pin_bytes"], streaming["topology_bytes"] // 2)
        self.assertGreater(streaming["direct_bytes"], 0)
        self.assertRegex(done.stderr, r"; [^;]+ KiB of the container is pinned\n")
        for options, environment in ((["--host-memory=5K"], {}), ([], {"QUERN_EMULATOR_FAIL": "cudaHostRegister:1"})):
            done = self.emulated("pagerank", pages, "--device-memory=72K", *options, "--json", "-fo", "gathered.npy", **environment)
            streaming = json.loads(done.stdout)["streaming"]
            self.assertEqual(streaming["pin_bytes"], 0)
            self.assertEqual(streaming["direct_bytes"], 0)
            self.assertEqual(streaming["pin_refusal"], "unknown error" if environment else None)
            self.assertRegex(done.stderr, r"nothing of the container is pinned" + (": unknown error" if environment else r"\n"))
            self.assertEqual(values(Path("pinned.npy")), values(Path("gathered.npy")))

    def test_streamed_rows_go_on(self):
        self.pages()
        options = ("--device-memory=40K", "--tolerance=0", "--checkpoint=kept", "--every=2", "--json")
        straight = self.emulated("pagerank", "graph.qrn", "--device-memory=40K", "--tolerance=0", "--iterations=8", "-fo", "straight.npy")
        self.assertEqual(straight.returncode, 0, straight.stderr)
        for step in range(14):  # a failure between the first checkpoint and the end
            failure = "cudaLaunchKernel:%d" % (20 * 1.5 ** step)
            self.refused(self.emulated("pagerank", "graph.qrn", *options, "--iterations=8", QUERN_EMULATOR_FAIL=failure), 6, "failed: ")
            if Path("kept/checkpoint.qrn").exists():
                break
        done = self.emulated("pagerank", "graph.qrn", *options, "--iterations=8", "--resume", "-fo", "resumed.npy")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(json.loads(done.stdout)["checkpoint"]["resumed_after"], 0)
        self.assertEqual(values(Path("straight.npy")), values(Path("resumed.npy")))

    def test_a_container_that_is_truncated_meanwhile(self):
        pages = self.pages()
        process = subprocess.Popen([EMULATED, "pagerank", pages, "--device=cuda", "--device-memory=72K", "--cache-memory=0",
                                    "--iterations=100000", "--tolerance=0", "-o", "out.npy"], stderr=subprocess.PIPE,
                                   stdout=subprocess.DEVNULL, text=True)
        self.assertRegex(process.stderr.readline(), "^streaming: ")
        os.truncate(pages, 8192)
        _, errors = process.communicate(timeout=100)
        self.assertEqual(process.returncode, 5, errors)
        self.assertIn("was truncated or became unreadable while it was in use", errors)
        self.assertFalse(Path("out.npy").exists())


class SideBySide(Graph):
    """The CPU and the device share a run."""
    timeout = 300

    def shards(self):
        tool("quern-generate", "rmat", "--scale=9", "--degree=8", "--undirected", "--weights=1,50", "-qfo", "graph.qrn")
        tool("quern-shard", "graph.qrn", "-qfo", "shards.qrn")
        return "shards.qrn"

    def shared(self, algorithm, container, *arguments, **environment):
        return run(EMULATED, algorithm, container, "--device=both", *arguments, **environment)

    def test_results_and_figures(self):
        shards = self.shards()
        for algorithm, *options in (("bfs",), ("cc", "--mode=asynchronous"), ("pagerank", "--device-memory=48K", "--trace=t.json")):
            with self.subTest(algorithm=algorithm):
                cpu = run(TOOLS / "quern-run", algorithm, shards, "--device=cpu", "-fo", "cpu.npy")
                self.assertEqual(cpu.returncode, 0, cpu.stderr)
                done = self.shared(algorithm, shards, "--json", "-fo", "both.npy", *options)
                self.assertEqual(done.returncode, 0, done.stderr)
                for vertex, (x, y) in enumerate(zip(values(Path("cpu.npy")), values(Path("both.npy")))):
                    self.assertTrue(x == y or math.isclose(x, y, rel_tol=1e-5), "vertex %d: %r, %r" % (vertex, x, y))
                report = json.loads(done.stdout)
                self.assertEqual(report["device"], "both")
                joint = report["joint"]
                self.assertEqual(joint["mode"], "asynchronous" if algorithm == "cc" else "synchronous")
                self.assertEqual(len(joint["iterations"]), report["iterations"])
                for choice in ("cpu", "device", "both"):
                    self.assertEqual(sum(i["choice"] == choice for i in joint["iterations"]), joint[choice + "_iterations"])
                for key in ("cpu_pages", "device_pages", "exchanged_bytes"):
                    self.assertEqual(sum(i[key] for i in joint["iterations"]), joint[key])
                self.assertGreater(joint["cpu_pages"] + joint["device_pages"], 0)
                self.assertEqual("streaming" in report, algorithm == "pagerank")
        names = {event["args"]["name"] for event in json.loads(Path("t.json").read_text())["traceEvents"] if event["ph"] == "M"}
        self.assertTrue(names & {"CPU", "device"}, names)
        self.assertRegex(self.shared("bfs", shards).stdout, r"(?m)^shared +iterations by the CPU alone: \d+, by the device")

    def test_killed_and_resumed(self):
        shards = self.shards()
        for algorithm, *options in (("kcore",), ("pagerank", "--tolerance=0", "--iterations=25")):
            with self.subTest(algorithm=algorithm):
                cpu = run(TOOLS / "quern-run", algorithm, shards, "--device=cpu", "-qfo", "cpu.npy", *options)
                self.assertEqual(cpu.returncode, 0, cpu.stderr)
                for attempt in range(30):
                    process = subprocess.Popen([EMULATED, algorithm, shards, "--device=both", "--checkpoint=kept-" + algorithm,
                                                "--every=1", "--resume", "-qfo", "out.npy", *options],
                                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                    time.sleep(0.05 * (1 + attempt))
                    process.send_signal((signal.SIGKILL, signal.SIGTERM)[attempt % 2])
                    _, message = process.communicate(timeout=100)
                    if process.returncode == 0:
                        break
                    self.assertIn(process.returncode, (130, -signal.SIGKILL, -signal.SIGTERM), message)
                self.assertEqual(process.returncode, 0, message)
                for vertex, (x, y) in enumerate(zip(values(Path("cpu.npy")), values(Path("out.npy")))):
                    self.assertTrue(x == y or math.isclose(x, y, rel_tol=1e-5), "vertex %d: %r, %r" % (vertex, x, y))

    def test_what_is_refused(self):
        shards = self.shards()
        self.refused(self.shared("bfs", "graph.qrn"), 4, "--device both shares the work on the layout shards")
        self.refused(self.shared("bfs", shards, QUERN_EMULATOR_DRIVER="none"), 6, "no CUDA driver is installed")
        self.refused(self.shared("bfs", shards, "--device-memory=2K"), 6, "not enough device memory")
        self.refused(self.shared("spmv", shards, "--mode=asynchronous", *needed("spmv", "graph.qrn")), 2, "spmv cannot run asynchronously")
        self.refused(self.shared("bfs", shards, "--mode=both"), 2, "--mode: unknown value 'both'; expected one of synchronous, asynchronous")
        self.refused(self.emulated("bfs", shards, "--mode=synchronous"), 2, "--mode is for --device both")


class SeveralDevices(Graph):
    """--devices and --strategy: what is reported, refused, and goes on from checkpoints. Results: test_emulated_devices_medium."""
    timeout = 300

    def pages(self):
        tool("quern-generate", "rmat", "--scale=9", "--degree=8", "--undirected", "--weights=1,50", "-qfo", "graph.qrn")
        tool("quern-page", "graph.qrn", "-qfo", "pages.qrn", "--page-size=1K")
        return "pages.qrn"

    def several(self, algorithm, container, *arguments, **environment):
        return run(EMULATED, algorithm, container, *arguments, **dict({"QUERN_EMULATOR_DEVICES": "3"}, **environment))

    def report(self, *arguments, **environment):
        done = self.several(*arguments, "--json", **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout), done.stderr

    def test_what_each_device_did(self):
        report, notice = self.report("bfs", self.pages(), "--devices=0,2", "--device-memory=40K", "--source=0", "--trace=run.json",
                                     QUERN_EMULATOR_REGISTERED="no")  # all that moves is copied
        self.assertRegex(notice, r"2 devices, strategy performance: .* of values on each, each walks a part of the graph; "
                                 r"they exchange values peer to peer\n.*streaming: ")
        self.assertEqual((report["device"], report["strategy"], report["peer_to_peer"]), ("cuda", "performance", True))
        devices, streaming = report["devices"], report["streaming"]
        self.assertEqual([device["index"] for device in devices], [0, 2])
        self.assertEqual(sum(device["units"] for device in devices), streaming["units"])
        for key in ("active_units", "cache_hits", "moved_units", "moved_bytes"):
            self.assertEqual(sum(device[key] for device in devices), streaming[key])
        for device in devices:
            self.assertLessEqual(device["memory_bytes"], 40 << 10)
            self.assertGreater(min(device["moved_bytes"], device["merged_bytes"]), 0)
            self.assertGreater(device["kernel_seconds"], 0)
        for iteration in streaming["iterations"]:
            self.assertEqual(sum(iteration["moved_bytes_by_device"]), iteration["moved_bytes"])
            self.assertLessEqual(iteration["merge_seconds"], iteration["seconds"])
        self.timeline(report)

    def timeline(self, report):
        events = json.loads(Path("run.json").read_text())["traceEvents"]
        names = {event["pid"]: event["args"]["name"] for event in events if event["name"] == "process_name"}
        self.assertEqual(names, {1: "device 0", 2: "device 1"})
        for number, device in enumerate(report["devices"]):
            copies = [event for event in events if event["name"] == "copy" and event["pid"] == number + 1]
            self.assertEqual(sum(event["args"]["bytes"] for event in copies), device["moved_bytes"])

    def test_the_whole_graph_to_each(self):
        report, notice = self.report("pagerank", self.pages(), "--devices=0,0,1", "--strategy=scalability",
                                     "--device-memory=24K", "--explain", QUERN_EMULATOR_PEERS="no")
        self.assertRegex(notice, r"3 devices, strategy scalability: .* each walks all of the graph; .* through the host's memory")
        self.assertFalse(report["peer_to_peer"])
        self.assertEqual({device["units"] for device in report["devices"]}, {report["streaming"]["units"]})
        model = report["streaming"]["cost_model"]
        self.assertGreater(model["sync"], 0)
        self.assertTrue(1 / 3 <= model["skew"] <= 1.001, model["skew"])
        self.assertAlmostEqual(model["model"], sum(model[key] for key in ("transfer", "calls", "last_kernels", "sync")))
        self.assertGreater(model["attributes"], 0)
        text = self.several("pagerank", "pages.qrn", "--devices=0,1").stdout
        self.assertRegex(text, r"(?m)^  2\. 1 +\d+ units, .* of values, .* exchanged, kernels")

    def test_some_rows_to_each(self):
        """Kernels of their own; of undirected graphs k-core is a program otherwise. Results: test_emulated_shared_rows."""
        self.pages()
        edges = json.loads(run(TOOLS / "quern-info", "graph.qrn", "--json").stdout)["edges"]
        for name in ("cdlp", "kcore", "lcc"):
            tool("quern-run", name, "graph.qrn", "--device=cpu", "-qfo", "expected.npy")
            report, notice = self.report(name, "graph.qrn", "--devices=0,2", "-fo", "out.npy")
            self.assertEqual(Path("out.npy").read_bytes(), Path("expected.npy").read_bytes())
            self.assertRegex(notice, "2 devices, strategy performance: .* of values on each, each walks a part of the graph; .* peer to peer")
            self.assertEqual([device["index"] for device in report["devices"]], [0, 2])
            self.assertEqual(sum(device["topology_bytes"] for device in report["devices"]), 4 * edges)
            self.assertTrue(all(device["merged_bytes"] > 0 and device["topology_bytes"] < 3 * edges for device in report["devices"]))
        report, notice = self.report("cdlp", "pages.qrn", "--devices=0,0,1", "--device-memory=40K", "-fo", "out.npy", "--explain",
                                     "--trace=rows.json", QUERN_EMULATOR_PEERS="no")
        tool("quern-run", "cdlp", "graph.qrn", "--device=cpu", "-qfo", "expected.npy")
        self.assertEqual(Path("out.npy").read_bytes(), Path("expected.npy").read_bytes())
        self.assertRegex(notice, "3 devices, .* through the host's memory\n.*reading edges from the host")
        self.assertFalse(report["peer_to_peer"])
        self.assertRegex(self.several("tc", "graph.qrn", "--devices=0,1").stdout, r"(?m)^  2\. 1 .* of values, .* of edges, .* exchanged")
        self.refused(self.several("cdlp", "graph.qrn", "--devices=0,1", "--strategy=scalability"), 4, "--strategy performance is for it")
        self.refused(self.several("leiden", "graph.qrn", "--devices=0,1"), 4, "leiden on the layout graph runs on one device")
        self.refused(self.several("lcc", "graph.qrn", "--devices=0,1", "--device-memory=20K"), 6, "not enough device memory: lcc")

    def same_values(self, expected, found):
        for one, other in zip(values(Path(expected)), values(Path(found)), strict=True):
            self.assertTrue(one == other or math.isclose(one, other, rel_tol=1e-5), (one, other))

    def test_dealt_rows(self):
        """Plain and packed rows: as many edges for each, which it reads in place, or has whole if all are walked. Two move what one does."""
        tool("quern-generate", "rmat", "--scale=11", "--undirected", "--weights=1,50", "-qfo", "graph.qrn")
        tool("quern-pack", "graph.qrn", "-qfo", "packed.qrn")
        for name, memory, most in (("bfs", 110, 0.3), ("sssp", 130, 1.5), ("cc", 60, 1.2), ("pagerank", 110, 20)):
            tool("quern-run", name, "graph.qrn", "--device=cpu", "-qfo", "expected.npy")
            for graph in ("graph.qrn", "packed.qrn") if name != "cc" else ("graph.qrn",):
                report, _ = self.report(name, graph, "--devices=0,1", "-fo", "out.npy")
                self.same_values("expected.npy", "out.npy")
                self.assertEqual("streaming" in report, name == "cc")  # whose edges pass by once, in any case
            said = ("--device-memory=%dK" % memory, "--cache-memory=0", "-fo", "out.npy")
            one = json.loads(self.emulated(name, "graph.qrn", "--json", *said).stdout)["streaming"]
            report, _ = self.report(name, "graph.qrn", "--devices=0,1", "--trace=dealt.json", *said)
            self.same_values("expected.npy", "out.npy")
            both = report["streaming"]
            events = json.loads(Path("dealt.json").read_text())["traceEvents"]
            read = [event["args"]["bytes"] for event in events if event["name"] == "read"]
            self.assertEqual(len(read) > 0, name in ("bfs", "sssp"))
            self.assertLessEqual(sum(read), both["direct_bytes"])
            self.assertEqual({event["pid"] for event in events if event["name"] in ("copy", "read")}, {1, 2}, name)
            self.assertLess(both["moved_bytes"], 1.1 * one["moved_bytes"] + 4096, name)
            self.assertLess(both["moved_bytes"], most * both["topology_bytes"], name)
            for device in report["devices"]:
                self.assertLess(device["moved_bytes"], 0.7 * both["moved_bytes"], name)
                self.assertLess(device["topology_bytes"], 0.6 * both["topology_bytes"], name)

    def test_dealt_tiles(self):
        """Packed tiles, read in place by the device that has them: two move what one does."""
        tool("quern-generate", "rmat", "--scale=13", "--undirected", "--weights=1,50", "-qfo", "graph.qrn")
        tool("quern-pack", "graph.qrn", "-qfo", "packed.qrn")
        for name in ("bfs", "sssp"):
            tool("quern-run", name, "graph.qrn", "--device=cpu", "-qfo", "expected.npy")
            resident = json.loads(self.emulated(name, "packed.qrn", "--json").stdout)["accelerator"]["memory_bytes"]
            said = ("--device-memory=%d" % (0.5 * resident), "--cache-memory=0", "-fo", "out.npy")
            one = json.loads(self.emulated(name, "packed.qrn", "--json", *said).stdout)["streaming"]
            both, _ = self.report(name, "packed.qrn", "--devices=0,1", *said)
            self.same_values("expected.npy", "out.npy")
            self.assertLess(both["streaming"]["moved_bytes"], 1.1 * one["moved_bytes"])
            for device in both["devices"]:
                self.assertLess(device["moved_bytes"], 0.7 * both["streaming"]["moved_bytes"])

    def test_refusals(self):
        pages = self.pages()
        for arguments, text in (
                (["--devices=0,x"], "--devices: 'x' is not an integer"),
                (["--devices=0,"], "--devices: '' is not an integer"),
                (["--devices=" + ",".join(["0"] * 17)], "--devices: at most 16"),
                (["--devices=0,1", "--device=cpu"], "--devices replaces --device: give one of them"),
                (["--devices=0,1", "--strategy=fast"], "--strategy: unknown value 'fast'; expected one of performance, scalability"),
                (["--devices=0", "--strategy=performance"], "--strategy is for --devices of two or more")):
            self.refused(self.several("bfs", pages, *arguments), 2, text)
        self.refused(self.several("bfs", pages, "--devices=0,3"), 6, "there is no CUDA device 3: there are 3")
        tool("quern-hybrid", "graph.qrn", "-qfo", "graph.hybrid")
        done = self.several("bfs", "graph.hybrid", "--devices=0,1")
        self.refused(done, 4, "bfs on the layout hybrid runs on one device; several devices can share it on other layouts: ")
        for layout in ("graph", "packed", "edge-partitions", "slotted-pages"):
            self.assertRegex(done.stderr, r"layouts: .*\b%s\b" % layout)
        self.refused(self.several("bfs", "graph.qrn", "--devices=0,1", "--strategy=scalability"), 4, "deals rows to devices, whatever the strategy")
        self.refused(self.several("bc", pages, "--devices=0,1"), 4,
                     "bc on the layout slotted-pages runs on one device; several devices can share other algorithms: .*pagerank")
        Path("arcs.txt").write_text("0 1 1\n1 2 1\n")
        tool("quern-import", "arcs.txt", "--format=edges", "-qfo", "arcs.qrn")
        for layout in ("edge-partitions", "slotted-pages"):
            tool(*LAYOUTS[layout], "arcs.qrn", "-qfo", "arcs.laid")
            self.refused(self.several("cc", "arcs.laid", "--devices=0,1"), 4, "several devices can share it on other layouts: graph$")
            tool("quern-import", "arcs.txt", "--format=edges", "--weights=i64", "-qfo", "wide.qrn")
            tool(*LAYOUTS[layout], "wide.qrn", "-qfo", "arcs.laid")
            self.assertEqual(self.several("sssp", "arcs.laid", "--devices=0,1").returncode, 0)  # on rows that it gives back
        self.refused(self.several("bfs", pages, "--devices=0,1", "--device-memory=8K"), 6,
                     "needs .* on each of 2 devices with --strategy performance and .* with --strategy scalability, but 8.00 KiB")
        self.assertIn("CUDA emulator 2", self.several("bfs", pages, "--devices=2").stdout)

    def test_interrupted_and_resumed(self):
        pages = self.pages()
        tool("quern-run", "pagerank", pages, "--device=cpu", "--tolerance=0", "--iterations=60", "-qfo", "expected.npy")
        command = [EMULATED, "pagerank", pages, "--tolerance=0", "--checkpoint=kept", "--every=1", "-qfo", "values.npy"]
        written = lambda: [path.stat().st_mtime_ns for path in Path("kept").glob("*.qrn")]
        for devices, iterations in (("--devices=0,1", "100000"), ("--devices=0", "100000"), ("--devices=1,2,0", "60")):
            before = written()
            process = subprocess.Popen([*command, devices, "--iterations=" + iterations, "--resume"], text=True,
                                       stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                       preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
                                       env=dict(os.environ, OMP_NUM_THREADS="1", QUERN_EMULATOR_DEVICES="3"))
            if iterations == "60":
                continue
            while written() in (before, []) and process.poll() is None:
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=100)
            self.assertEqual(process.returncode, 130, errors)
        _, errors = process.communicate(timeout=100)
        self.assertEqual(process.returncode, 0, errors)
        for expected, actual in zip(values(Path("expected.npy")), values(Path("values.npy"))):
            self.assertTrue(math.isclose(expected, actual, rel_tol=1e-5))
