"""What docs/python.md and the examples show runs."""

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import warnings
from pathlib import Path

from harness.networkx_backend import registered
from harness.package import SOURCE, needs, quern
from harness.tools import run

if quern:
    registered()

BLOCK = re.compile(r"(?ms)^```python\n(.*?)^```$")


class _Scratch(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.graph = self.folder / "web.qrn"
        run("quern-generate", "rmat", "--scale", "8", "--degree", "8", "--weights", "1,100", "-q", "-o", self.graph)


@needs("networkx", "scipy.sparse", "pyarrow", "yaml")
class Page(_Scratch):
    def test_every_block(self):
        """In order, in one folder and one namespace."""
        run("quern-export", self.graph, "--format", "csv", "-q", "-o", self.folder / "edges.csv")
        shutil.copy(SOURCE / "tests/programs/widest.h", self.folder)
        kept = dict(os.environ)
        self.addCleanup(lambda: (os.environ.clear(), os.environ.update(kept)))
        os.environ["XDG_CACHE_HOME"] = str(self.folder / "cache")
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        text, names = (SOURCE / "docs/python.md").read_text(), {}
        blocks = [(text[:match.start()].count("\n") + 2, match.group(1)) for match in BLOCK.finditer(text)]
        self.assertGreater(len(blocks), 7)
        for line, block in blocks:
            with self.subTest(line=line), contextlib.redirect_stdout(io.StringIO()) as printed, warnings.catch_warnings():
                warnings.simplefilter("ignore", quern.QuernWarning)
                exec(compile("\n" * (line - 1) + block, "docs/python.md", "exec"), names)
                self.assertEqual(bool(printed.getvalue()), "print(" in block)

    def page(self, name):
        """Its commands, then what it shows in Python."""
        text = (SOURCE / "docs" / name).read_text()
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        run("bash", "-ec", "\n".join(re.findall(r"(?ms)^```sh\n(.*?)^```$", text)))
        shown = "".join(match.group(1) for match in BLOCK.finditer(text))
        with contextlib.redirect_stdout(io.StringIO()) as printed, warnings.catch_warnings():
            warnings.simplefilter("ignore", quern.QuernWarning)
            exec(compile(shown, "docs/" + name, "exec"), {})
        said = re.findall(r"(?m)print.*# (.*)$", shown)
        self.assertEqual(printed.getvalue().splitlines()[:len(said)], said)

    def test_the_page_of_types(self):
        self.page("types.md")

    def test_the_page_of_changes(self):
        self.page("changes.md")

    def test_the_page_of_training(self):
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        text, names = (SOURCE / "docs/training.md").read_text(), {}
        for block in BLOCK.findall(text.split("\n## From files to a model\n")[0]):  # which tests/python/test_pyg.py runs
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                exec(compile(block, "docs/training.md", "exec"), names)
            self.assertEqual(bool(printed.getvalue()), "print(" in block)

    def test_every_name_is_told_of(self):
        """Functions and classes of the package have a docstring that says something."""
        for name in quern.__all__:
            with self.subTest(name):
                self.assertGreater(len(getattr(quern, name).__doc__), 20)
        for name, member in vars(quern.Graph).items():
            if not name.startswith("_"):
                with self.subTest("Graph." + name):
                    self.assertGreater(len(member.__doc__), 20)


class _Example(_Scratch):
    def example(self, name, *arguments):
        done = subprocess.run([sys.executable, SOURCE / "examples" / name, self.graph, *arguments], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout


@needs("scipy.sparse")
class Scipy(_Example):
    def test_example(self):
        self.assertIn("the distances agree: True", self.example("python_scipy.py"))


@needs("networkx", "scipy.sparse")
class Networkx(_Example):
    def test_example(self):
        self.assertIn("the ranks agree: True", self.example("python_networkx.py"))


@needs("igraph")
class Igraph(_Example):
    def test_example(self):
        printed = self.example("python_igraph.py")
        counts = re.search(r"igraph finds (\d+) components, Quern (\d+)", printed)
        self.assertEqual(counts[1], counts[2])
        self.assertIn("10 vertices, 10 edges", printed)


@needs("polars")
class Polars(_Example):
    def test_example(self):
        self.assertRegex(self.example("python_polars.py"), r"\n\d+ of \d+ edges are heavier than that\n")


@needs("pyarrow")
class Pyarrow(_Example):
    def test_example(self):
        self.assertEqual(self.example("python_pyarrow.py", self.folder), "256 rows; the same edges come back: True\n")


@needs("duckdb")
class DuckDb(_Example):
    def test_example(self):
        self.assertRegex(self.example("python_duckdb.py"), r"\n\d+ edges have their reverse\n")


@needs("networkit")
class Networkit(_Example):
    def test_example(self):
        self.assertEqual(self.example("python_networkit.py"), "the core numbers agree: True\n")


@needs()
class EdgeIndex(_Example):
    def test_example(self):
        printed = self.example("python_edge_index.py")
        edges = re.match(r"(\d+) edges in \d batches\n", printed)[1]
        self.assertIn("edge_index: int64 (2, %s)" % edges, printed)


@needs("polars", "pyarrow", "igraph", "networkit")
class SideBySide(_Scratch):
    def test_each_of_the_page(self):
        """The same in other libraries: all rank the same vertex first, and Quern's is the shortest."""
        import igraph
        import networkit
        import numpy
        import polars
        chance = numpy.random.default_rng(1)
        ends = [["v%d" % one for one in chance.zipf(1.5, 500) % 50] for _ in range(2)]
        polars.DataFrame({"source": ends[0], "target": ends[1]}).unique().write_parquet(self.folder / "e.parquet")
        blocks = re.findall(r"(?ms)^```py\n(.*?)^```$", (SOURCE / "docs/python.md").read_text())
        first = set()
        for block in blocks:
            names = {"quern": quern, "igraph": igraph, "networkit": networkit, "numpy": numpy, "polars": polars,
                     "path": str(self.folder / "e.parquet")}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(block, names)
            self.assertEqual(set(names["found"].columns) - {"out_degree"}, {"id", "rank", "group"})
            first.add(names["found"].sort("rank", descending=True)["id"][0])
        self.assertEqual((len(blocks), len(first)), (3, 1))
        self.assertEqual(min(blocks, key=len), blocks[0])


@needs("polars", "matplotlib", "pyarrow")
class Analysis(_Example):
    def test_example(self):
        quern.open(self.graph).export(self.folder / "edges.parquet")
        self.graph = self.folder / "edges.parquet"
        self.assertIn("first of all: ", self.example("python_analysis.py", self.folder / "ranks.png"))
        self.assertGreater((self.folder / "ranks.png").stat().st_size, 1000)

    def test_it_is_short(self):
        self.assertLessEqual(len((SOURCE / "examples/python_analysis.py").read_text().splitlines()), 40)


@needs("ipykernel", "nbclient", "pandas")
class Notebook(unittest.TestCase):
    def test_example(self):
        """Every cell runs, says nothing that is not asked for, and graphs, results and tables show themselves as HTML."""
        import nbclient
        import nbformat
        notebook = nbformat.read(SOURCE / "examples/quern.ipynb", 4)
        self.assertFalse([cell for cell in notebook.cells if cell.get("outputs")])
        nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
        outputs = [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]
        shown = [output for output in sum(outputs, []) if output.output_type != "stream"]
        self.assertEqual([output.name for output in sum(outputs, []) if output not in shown], ["stdout"])
        for output, what in zip(shown, ["<th>vertices</th><td>4,096</td>", "pagerank on cpu", "<th>community</th>"], strict=True):
            self.assertIn(what, output.data["text/html"])


class Examples(unittest.TestCase):
    def test_each_is_run(self):
        here = "".join(Path(__file__).with_name(name).read_text() for name in ("test_docs.py", "test_spark.py", "test_pyg.py"))
        for path in (SOURCE / "examples").glob("python_*.py"):
            self.assertIn('"%s"' % path.name, here)
