"""The shared library's module for CUDA, whose device is the emulator: loaded when a device is asked for, by calls that do not
know where kernels come from."""

import ctypes
import os
import subprocess
import sys
import unittest
from pathlib import Path

from harness.tools import run

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
                    self.assertEqual(session.run(algorithm, "auto"), ("cuda", values))
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


if __name__ == "__main__":
    unittest.main()
