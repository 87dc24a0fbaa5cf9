"""quern-run whose CUDA device is the emulator: every algorithm and layout that it lists for CUDA, against the CPU; choosing
the device; devices that are missing, too small, or fail. build/emulator/bin is built by `scons unit-tests`."""

import array
import json
import math
import os
import subprocess
import unittest
from pathlib import Path

TOOLS = Path(os.environ["QUERN_BIN"])
EMULATED = TOOLS.parent / "emulator/bin/quern-run"

# How each layout is made from a graph container.
LAYOUTS = {
    "blocked-csr": ["quern-block", "--block-vertices=200"],
    "edge-partitions": ["quern-partition", "--partitions=5"],
    "slotted-pages": ["quern-page", "--page-size=4K"],
    "shards": ["quern-shard"],
    "hybrid": ["quern-hybrid"],
}

# Algorithms that walk all edges in every iteration.
ALL_ACTIVE = {"cs", "degree", "hs", "indegree", "nn", "pagerank", "rwr", "spmv"}


def run(*command, **environment):
    return subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=dict(os.environ, OMP_NUM_THREADS="1", **environment))


def tool(name, *arguments):
    done = run(TOOLS / name, *arguments)
    if done.returncode:
        raise AssertionError("%s: %s" % (name, done.stderr))


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
    @classmethod
    def setUpClass(cls):
        if not EMULATED.exists():
            raise unittest.SkipTest("%s is not built; run scons unit-tests" % EMULATED)

    def emulated(self, algorithm, container, *arguments, **environment):
        return run(EMULATED, algorithm, container, "--device=cuda", *arguments, **environment)

    def refused(self, done, code, text):
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertRegex(done.stderr, text)


class EveryKernel(Graph):
    tier = "medium"
    timeout = 300

    def listed(self):
        done = run(EMULATED, "--list", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        kernels = json.loads(done.stdout)["kernels"]
        return sorted({(kernel["layout"], kernel["algorithm"]) for kernel in kernels if kernel["device"] == "cuda"})

    def containers(self):
        """One graph in every layout; whole weights, symmetric."""
        tool("quern-generate", "rmat", "--scale=9", "--degree=8", "--undirected", "--weights=1,50", "--transpose=also",
             "-qo", "graph.qrn")
        made = {"graph": Path("graph.qrn")}
        for layout, command in LAYOUTS.items():
            if (TOOLS / command[0]).exists():
                tool(command[0], "graph.qrn", "-qo", layout + ".qrn", *command[1:])
                made[layout] = Path(layout + ".qrn")
        return made

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

    def compare(self, algorithm, container, seed):
        counts = algorithm == "tc"
        wanted = [] if counts else ["-f", "-o"]
        cpu = self.result(run(TOOLS / "quern-run", algorithm, container, "--device=cpu", "--json",
                              *(wanted + ["cpu.npy"] if wanted else [])))
        cuda = self.result(self.emulated(algorithm, container, "--json", *(wanted + ["cuda.npy"] if wanted else []),
                                         QUERN_EMULATOR_SEED=str(seed)))
        self.assertEqual(cuda["device"], "cuda")
        self.figures(cuda)
        if counts:
            self.assertEqual(cpu["result"], cuda["result"])
        else:
            self.same(values(Path("cpu.npy")), values(Path("cuda.npy")))

    def test_every_kernel_agrees_with_the_cpu(self):
        kernels, containers = self.listed(), self.containers()
        self.assertIn(("graph", "bfs"), kernels)
        for layout, algorithm in kernels:
            for seed in (0, 5):
                with self.subTest(layout=layout, algorithm=algorithm, seed=seed):
                    self.compare(algorithm, containers[layout], seed)


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
        self.refused(run(EMULATED, "bfs", graph, "--device=gpu"), 2, "--device is auto, cpu, cuda or cuda:N, not gpu")
        self.refused(run(EMULATED, "bfs", graph, "--device=cuda:x"), 2, "--device")

    def test_too_little_memory_is_said_with_the_amounts(self):
        graph = self.graph()
        self.refused(self.emulated("bfs", graph, QUERN_EMULATOR_MEMORY="8K"), 6,
                     r"not enough device memory: .* for column indices beside .* in use, but 8\.00 KiB of the 8\.00 KiB")
        self.refused(self.emulated("bfs", graph, "--device-memory=6K"), 6, r"may be used \(--device-memory\)")

    def test_auto_takes_the_device_if_it_can(self):
        graph = self.graph()
        self.assertIn("(cuda: csr push", run(EMULATED, "bfs", graph).stdout)
        for environment in ({"QUERN_EMULATOR_DRIVER": "none"}, {"QUERN_EMULATOR_DEVICES": "0"}):
            self.assertIn("(cpu: ", run(EMULATED, "bfs", graph, **environment).stdout)
        small = run(EMULATED, "bfs", graph, QUERN_EMULATOR_MEMORY="8K")
        self.assertIn("(cpu: ", small.stdout)
        self.assertRegex(small.stderr, "running on the CPU: not enough device memory")

    def test_the_second_device(self):
        graph = self.graph()
        done = run(EMULATED, "pagerank", graph, "--device=cuda:1", QUERN_EMULATOR_DEVICES="2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("CUDA emulator 1", done.stdout)

    def test_a_failing_launch_is_a_message(self):
        done = self.emulated("pagerank", self.graph(), "-o", "out.npy", QUERN_EMULATOR_FAIL="cudaLaunchKernel:7")
        self.refused(done, 6, "failed: unspecified launch failure")
        self.assertFalse(Path("out.npy").exists())
