"""The shared library's module for CUDA, whose device is the emulator: loaded when a device is asked for, by calls that do not
know where kernels come from."""

import ctypes
import importlib.util
import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

from harness.tools import run

SOURCE = Path(os.environ["QUERN_SOURCE"])
LIBRARY = Path(os.environ["QUERN_BIN"]).parent / "emulator/lib/libquern.so.0"


class Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("line", ctypes.c_uint64), ("column", ctypes.c_uint64), ("offset", ctypes.c_uint64),
                ("file", ctypes.c_char * 256), ("message", ctypes.c_char * 768)]


class Option(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("value", ctypes.c_char_p)]


class Info(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint64)] + [(name, ctypes.c_char_p) for name in ("algorithm", "layout", "device", "kernel")] + [
        ("num_vertices", ctypes.c_uint64)]


class Session:
    """A container, by libquern's calls."""

    def __init__(self, library, path):
        self.library, self.error, self.handle = ctypes.CDLL(str(library)), Error(), ctypes.c_void_p()
        status = self.library.qn_session_open(str(path).encode(), 0, None, ctypes.byref(self.handle), ctypes.byref(self.error))
        assert status == 0, self.error.message

    def run(self, algorithm, device):
        """The device that it ran on, and the bytes of the values; or the status and the message."""
        result, option = ctypes.c_void_p(), Option(b"device", device.encode())
        status = self.library.qn_session_run(self.handle, algorithm.encode(), ctypes.byref(option), ctypes.c_uint64(1), None,
                                             ctypes.byref(result), ctypes.byref(self.error))
        if status:
            return status, self.error.message.decode()
        info = Info(size=ctypes.sizeof(Info))
        self.library.qn_result_info(result, ctypes.byref(info))
        values = ctypes.create_string_buffer(8 * info.num_vertices)
        status = self.library.qn_result_copy(result, ctypes.c_uint64(0), values, ctypes.c_uint64(len(values)),
                                             ctypes.byref(self.error))
        assert status == 0, self.error.message
        self.library.qn_result_close(result)
        return info.device.decode(), values.raw


class Module(unittest.TestCase):
    tier, sanitized_tier = "medium", "long"
    timeout = 300

    def setUp(self):
        if not LIBRARY.exists():
            self.skipTest("the emulator is not built")
        run("quern-generate", "rmat", "--scale", "8", "--undirected", "-q", "-f", "-o", "graph.qrn")

    def test_on_the_device_as_on_the_cpu(self):
        run("quern-page", "graph.qrn", "-q", "-o", "pages.qrn")
        for path in ("graph.qrn", "pages.qrn"):
            session = Session(LIBRARY, path)
            for algorithm in ("bfs", "cc", "degree"):
                with self.subTest(path, algorithm=algorithm):
                    on_cpu, values = session.run(algorithm, "cpu")
                    self.assertEqual(on_cpu, "cpu")
                    self.assertEqual(session.run(algorithm, "cuda"), ("cuda", values))
                    self.assertEqual(session.run(algorithm, "auto")[1], values)  # wherever that is done sooner
        self.assertEqual(session.run("bfs", "cuda:77")[0], 6)

    def test_without_it(self):
        alone = Path("alone/libquern.so.0")
        alone.parent.mkdir()
        alone.write_bytes(LIBRARY.read_bytes())
        script = "from emulator.test_module import Session; session = Session(%r, 'graph.qrn'); " % str(alone.absolute())
        script += "print(session.run('bfs', 'cuda')); print(session.run('bfs', 'auto')[0])"
        said = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, check=True,
                              env=dict(os.environ, PYTHONPATH=str(Path(__file__).parents[1]))).stdout.splitlines()
        self.assertIn("a CUDA device needs libquern-cuda.so.0", said[0])
        self.assertEqual((said[0][:3], said[1]), ("(6,", "cpu"))


class Several(unittest.TestCase):
    """Algorithms that share a process share what lies on the device."""

    tier, sanitized_tier = "medium", "long"
    timeout = 300

    def runs(self, path, algorithms, *options):
        tool = LIBRARY.parents[1] / "bin/quern-run"
        done = subprocess.run([tool, algorithms, path, "--device", "cuda", "--json", *options], stdout=subprocess.PIPE, check=True)
        return {run["algorithm"]: run for run in json.loads(done.stdout)["runs"]}

    def test_the_graph_is_brought_once(self):
        if not LIBRARY.exists():
            self.skipTest("the emulator is not built")
        run("quern-generate", "rmat", "--scale", "8", "--undirected", "-q", "-f", "-o", "graph.qrn")
        run("quern-run", "degree", "graph.qrn", "--device=cpu", "-qfo", "vector.npy")
        vector = "--vector=vector.npy"
        for tool in ("", "quern-block", "quern-partition", "quern-page", "quern-shard", "quern-hybrid"):
            with self.subTest(tool or "plain CSR"):
                if tool:
                    run(tool, "graph.qrn", "-q", "-f", "-o", "layout.qrn")
                path = "layout.qrn" if tool else "graph.qrn"
                alone = {name: self.runs(path, name + ",degree", "-q", *options)[name]["uploaded_bytes"]
                         for name, *options in (("pagerank",), ("spmv", vector))}
                runs = self.runs(path, "pagerank,spmv,degree", vector)
                self.assertEqual(runs["pagerank"]["uploaded_bytes"], alone["pagerank"])
                self.assertGreater(alone["pagerank"], 4 * 256 + 2 * 1024)
                self.assertLess(runs["spmv"]["uploaded_bytes"], alone["spmv"] // 2)
                again = self.runs(path, "degree,pagerank")
                self.assertEqual(again["pagerank"]["result"], runs["pagerank"]["result"])


@unittest.skipIf(importlib.util.find_spec("numpy") is None, "no numpy")
@unittest.skipIf("asan" in LIBRARY.parts, "a sanitizer's library is not for an interpreter without it")
class Placed(unittest.TestCase):
    """A graph that stays on the device, by the Python package."""

    tier, sanitized_tier = "medium", "long"
    timeout = 300

    SCRIPT = """
import sys
import numpy as np
import quern

def looks_right(result):
    '''What a device's memory holds no host may read, in the emulator too.'''
    about = result.__cuda_array_interface__
    assert about["version"] == 3 and about["shape"] == (graph.num_vertices,) and about["data"][0] % 256 == 0
    assert np.dtype(about["typestr"]).itemsize in (4, 8) and result.__dlpack_device__() == (2, 0)

class Capsule:  # as a consumer of DLPack that drops what it was given
    def __init__(self, result):
        self.capsule = result.__dlpack__(stream=None)

graph = quern.open(sys.argv[1])
runs = 2 * [("bfs", {"source": 5}), ("pagerank", {}), ("sssp", {"source": 5}), ("cc", {}), ("kcore", {})]
with graph.on("cuda", **dict(pair.split("=") for pair in sys.argv[2:])) as placed:
    for algorithm, options in runs:
        expected = graph.run(algorithm, device="cuda", **options)
        assert not expected.on_device
        found = placed.run(algorithm, **options)
        same = np.testing.assert_array_equal if algorithm != "pagerank" else np.testing.assert_allclose
        if found.on_device:
            looks_right(found)
            Capsule(found)
        same(found.values, expected.values, **({} if algorithm != "pagerank" else {"rtol": 1e-5}))
        assert found.summary.keys() == expected.summary.keys()
        print(algorithm, found.on_device)
    kept = placed.run("bfs", source=5)
    parents = placed.run("bfs", source=5, parents=True)
    assert not parents.on_device and list(parents.columns) == ["bfs", "parent"]
    np.testing.assert_array_equal(parents.columns["parent"],
                                  graph.run("bfs", source=5, parents=True, device="cpu").columns["parent"])
np.testing.assert_array_equal(kept.values, graph.run("bfs", source=5, device="cpu").values)
try:
    graph.on("cuda:77")
except quern.DeviceError as error:
    print(error)
"""

    def placed(self, path, *options, **environment):
        environment = dict(os.environ, QUERN_LIBRARY=str(LIBRARY), PYTHONPATH=str(SOURCE / "python"), **environment)
        done = subprocess.run([sys.executable, "-c", self.SCRIPT, str(path), *options], env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        return done.stdout

    def setUp(self):
        if not LIBRARY.exists():
            self.skipTest("the emulator is not built")
        run("quern-generate", "rmat", "--scale", "8", "--weights", "1,100", "-q", "-f", "-o", "directed.qrn")
        run("quern-generate", "rmat", "--scale", "8", "--undirected", "--weights", "1,100", "-q", "-f", "-o", "graph.qrn")
        run("quern-transform", "graph.qrn", "--relabel", "degree", "-q", "-f", "-o", "hot.qrn")

    def test_as_without(self):
        for tool in ("", "quern-block", "quern-partition", "quern-page", "quern-shard", "quern-hybrid"):
            with self.subTest(tool or "plain CSR"):
                if tool:
                    run(tool, "graph.qrn", "-q", "-f", "-o", "layout.qrn")
                said = self.placed("layout.qrn" if tool else "graph.qrn")
                self.assertIn("pagerank True", said)
                self.assertIn("there is no CUDA device 77", said)

    def test_in_another_order(self):
        said = self.placed("hot.qrn")
        self.assertIn("bfs True", said)
        self.assertIn("cc False", said)  # its values are vertices, which the host names

    def test_little_memory(self):
        """What earlier runs keep gives way; what does not fit is streamed as ever."""
        self.assertIn("bfs True", self.placed("graph.qrn", "device_memory=120K"))
        self.assertIn("bfs True", self.placed("graph.qrn", QUERN_EMULATOR_MEMORY="300K"))

    def test_a_program_of_the_users_own(self):
        """nvcc.py plays nvcc, whose object uses the functions of the module; placed, its values stay there."""
        script = """
import sys
import numpy as np
import quern
graph, program = quern.open(sys.argv[1]), sys.argv[2]
expected = graph.run(program=program, source=5).values
np.testing.assert_array_equal(graph.run(program=program, source=5, device="cuda").values, expected)
with graph.on("cuda") as placed:
    found = placed.run(program=program, source=5)
    assert found.on_device
    np.testing.assert_array_equal(found.values, expected)
    assert placed.run("bfs", source=5).on_device
"""
        program = SOURCE / "tests/programs/widest.h"
        done = subprocess.run([sys.executable, "-c", script, "directed.qrn", program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, env=dict(os.environ, QUERN_LIBRARY=str(LIBRARY), PYTHONPATH=str(SOURCE / "python"),
                                                  QUERN_NVCC=str(SOURCE / "tests/emulator/nvcc.py"), XDG_CACHE_HOME=os.getcwd()))
        self.assertEqual((done.returncode, done.stdout), (0, ""))


if __name__ == "__main__":
    unittest.main()
