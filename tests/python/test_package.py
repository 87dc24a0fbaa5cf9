"""The package as it is installed: into a fresh environment, from a wheel, from the source archive."""

import ast
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path

from harness.package import LIBRARIES, SOURCE, needs

BACKEND = SOURCE / "python/backend"


def backend(folder, call):
    """What the build backend returns, run on its own."""
    program = "import sys; sys.path.insert(0, %r)\nimport quern_backend\nprint(quern_backend.%s)" % (str(BACKEND), call)
    done = subprocess.run([sys.executable, "-c", program], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise AssertionError(done.stderr)
    return Path(folder) / done.stdout.splitlines()[-1]


class _Scratch(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)


@needs()
class Archive(_Scratch):
    sanitized_tier = "long"

    def test_everything_is_in_it_and_it_is_the_same_again(self):
        first = backend(self.folder, "build_sdist('.')")
        with tarfile.open(first) as archive:
            names = set(archive.getnames())
            about = archive.extractfile(first.name[:-len(".tar.gz")] + "/PKG-INFO").read().decode()
        base = first.name[:-len(".tar.gz")] + "/"
        for name in "SConstruct", "pyproject.toml", "python/quern/_capsule.c", "include/quern/quern.h", "PKG-INFO", "bootstrap":
            self.assertIn(base + name, names)
        self.assertFalse([name for name in names if name.startswith(base + "build/") or name.startswith(base + ".git/")])
        self.assertIn("Name: quern\n", about)
        self.assertIn("Requires-Dist: numpy", about)
        members = first.read_bytes()
        backend(self.folder, "build_sdist('.')")
        with tarfile.open(first) as again:
            self.assertEqual(set(again.getnames()), names)
        self.assertGreater(len(members), 100000)


class Syntax(unittest.TestCase):
    sanitized_tier = "long"

    def test_that_of_python_3_9(self):
        files = sorted((SOURCE / "python").rglob("*.py"))
        self.assertGreater(len(files), 15)
        for path in files:
            with self.subTest(path.name):
                ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 9))


# What pip must be told so that it builds nothing anew.
AS_BUILT = ("CC", "CXX", "cuda", "cuda_arch", "cuda_optimise", "werror")


@unittest.skipUnless(os.access(SOURCE / "build/python/bin/python", os.X_OK) and sys.prefix == str(SOURCE / "build/python"),
                     "not in the environment of `bootstrap test --all`")
@needs()
class Installed(_Scratch):
    tier, sanitized_tier, timeout = "medium", "long", 900

    def test_installed_from_the_source(self):
        """By pip, into an environment that has nothing."""
        if LIBRARIES != SOURCE / "build/lib":
            self.skipTest("the tools under test are not those that pip builds")
        environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "QUERN_LIBRARY")}
        subprocess.run([sys.executable, "-m", "venv", self.folder / "venv"], check=True)
        python = self.folder / "venv/bin/python"
        options = (SOURCE / "build/release/install/options.txt").read_text().split()
        settings = ["--config-settings=" + option for option in options if option.split("=")[0] in AS_BUILT]
        done = subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *settings, SOURCE],
                              env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout[-3000:])
        program = ("import quern, os; assert 'venv' in quern.__file__\n"
                   "g = quern.from_arrays([0, 1], [1, 2]); g.save('g.qrn'); print(quern.open('g.qrn').run('bfs', source=0).values.tolist())\n"
                   "assert len(list(g.__arrow_c_stream__() and [1]))")
        done = subprocess.run([python, "-c", program], cwd=self.folder, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.stdout, "[0, 1, 2]\n")
        done = subprocess.run([python, "-m", "quern.test"], cwd=self.folder, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        self.assertRegex(done.stdout, r"Ran \d\d tests(.|\n)*\nOK")
        self.assertEqual(list(SOURCE.glob("*.egg-info")), [])

    def test_the_wheel(self):
        if LIBRARIES != SOURCE / "build/lib" or not shutil.which("scons"):
            self.skipTest("the tools under test are not those that the wheel has")
        options = dict(option.split("=", 1) for option in (SOURCE / "build/release/install/options.txt").read_text().split())
        wheel = backend(self.folder, "build_wheel('.', %r)" % {key: options[key] for key in AS_BUILT if key in options})
        self.assertRegex(wheel.name, r"^quern-[0-9.]+-py3-none-linux_\w+\.whl$")
        with zipfile.ZipFile(wheel) as packed:
            names = packed.namelist()
            record = packed.read(next(name for name in names if name.endswith("/RECORD"))).decode()
            found_by = packed.read(next(name for name in names if name.endswith("/entry_points.txt"))).decode()
        self.assertIn("[networkx.backends]\nquern = nx_quern.backend:backend\n", found_by)
        for name in "quern/__init__.py", "quern/report/page.html", "quern/py.typed", "quern/libquern.so.0", "quern/_capsule.so", \
                "nx_quern/backend.py", "nx_quern/py.typed":
            self.assertIn(name, names)
            self.assertIn(name + ",sha256=", record)
        self.assertEqual(len(record.splitlines()), len(names))
