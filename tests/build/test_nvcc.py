"""How the build finds its way with CUDA Toolkits that are not the newest, or are packaged otherwise."""

import importlib.util
import os
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ["QUERN_SOURCE"])


def load_tool():
    sys.dont_write_bytecode = True
    spec = importlib.util.spec_from_file_location("nvcc", SOURCE / "site_scons/site_tools/nvcc.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Nvcc(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not importlib.util.find_spec("SCons"):
            raise unittest.SkipTest("SCons is no module of this Python")
        cls.tool = load_tool()
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.at = Path(cls.folder.name)

    def nvcc(self, script):
        path = self.at / "nvcc"
        path.write_text("#!/bin/sh\n" + script)
        path.chmod(0o755)
        return str(path)

    def test_a_compiler_that_it_takes(self):
        nvcc = self.nvcc('[ "$1" = -ccbin=c++ ]\n')
        self.assertEqual(self.tool.host_compiler(nvcc, "c++"), (["-ccbin=c++"], None))

    def test_a_compiler_that_is_too_new(self):
        nvcc = self.nvcc('case $* in *-ccbin*) echo "x.h:137:2: error: #error -- unsupported GNU version! gcc" >&2; exit 1;; esac\n')
        self.assertEqual(self.tool.host_compiler(nvcc, "c++"), ([], "unsupported GNU version"))

    def test_no_compiler(self):
        nvcc = self.nvcc("echo nvcc fatal: no host compiler >&2; exit 1\n")
        self.assertEqual(self.tool.host_compiler(nvcc, "c++"), (None, "nvcc fatal: no host compiler"))

    def test_where_the_runtime_lies(self):
        machine = os.uname().machine
        for folder in ("lib64", "targets/%s/lib" % {"aarch64": "sbsa-linux"}.get(machine, machine + "-linux"),
                       "lib/%s-linux-gnu" % machine):
            root = self.at / folder.replace("/", "_")
            (root / folder).mkdir(parents=True)
            self.assertIsNone(self.tool.library_folder(str(root)))
            (root / folder / "libcudart_static.a").touch()
            self.assertEqual(self.tool.library_folder(str(root)), "%s/%s" % (root, folder))


if __name__ == "__main__":
    unittest.main()
