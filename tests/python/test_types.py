"""The package's types, by mypy and pyright: pyproject.toml says how strictly."""

import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ["QUERN_SOURCE"])


@unittest.skipIf(any(importlib.util.find_spec(name) is None for name in ("mypy", "numpy")), "no mypy, or no numpy")
class Types(unittest.TestCase):
    tier = "medium"
    timeout = 300
    sanitized_tier = "long"

    def check(self, *arguments):
        with tempfile.TemporaryDirectory() as cache:
            done = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", cache, *arguments], cwd=SOURCE, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=dict(os.environ, PYTHONPATH=""))
        return done.returncode, done.stdout

    def test_package_and_its_use(self):
        """Both in one run, which takes seconds: the package has no fault, and a use of it has those that it should."""
        with tempfile.TemporaryDirectory() as folder:
            user = Path(folder) / "user.py"
            user.write_text("import quern\n"
                            "graph = quern.open('a.qrn')\n"
                            "count: int = graph.num_vertices\n"
                            "wrong: str = graph.num_vertices\n"
                            "graph.run(42)\n"
                            "graph.nothing\n"
                            "graph.pagerank(damping=0.5, weighted=True)\n"
                            "graph.pagerank(dampng=0.5)\n"
                            "graph.similarity(measure='cosin')\n"
                            "graph.shortest_path(source=1)\n")
            code, said = self.check("python/quern", "python/nx_quern", str(user))
        self.assertEqual(code, 1, said)
        lines = [line for line in said.splitlines() if "error:" in line]
        self.assertEqual([(line.split(":")[0].endswith("user.py"), line.split(":")[1]) for line in lines],
                         [(True, "4"), (True, "5"), (True, "6"), (True, "8"), (True, "9"), (True, "10")], said)

    @unittest.skipIf(importlib.util.find_spec("basedpyright") is None, "no basedpyright")
    def test_by_pyright(self):
        done = subprocess.run([sys.executable, "-m", "basedpyright", "--pythonpath", sys.executable], cwd=SOURCE, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()
