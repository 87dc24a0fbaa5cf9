"""The validation graphs of the LDBC Graphalytics benchmark: imported from their properties, computed on, and compared
with the reference outputs by the benchmark's own rules (quern-verify --against)."""

import json
import re
import shutil
import tempfile
import unittest
from pathlib import Path

from harness.tools import has, run
from truth.datasets import GRAPH, GRAPHS, LAYOUTS

SETS = GRAPHS / "graphalytics"
RULES = {"bfs": "exact", "sssp": "epsilon", "pr": "epsilon", "wcc": "equivalence", "cdlp": "exact", "lcc": "epsilon"}
ON_ANY_LAYOUT = ("bfs", "sssp", "pr", "wcc")


def parameters(name):
    """The properties of a set without their prefix."""
    text = (SETS / (name + ".properties")).read_text()
    return dict(re.findall(r"^graph\.%s\.(\S+) = (.*\S)" % re.escape(name), text, re.MULTILINE))


def listed_edges(path, directed):
    """The edges of a file with a vertex and its neighbours a line; undirected ones once."""
    edges = [(line.split()[0], to) for line in path.read_text().splitlines() for to in line.split()[1:]]
    return edges if directed else sorted({tuple(sorted(edge, key=int)) for edge in edges})


class _Set(unittest.TestCase):
    name, layout = None, GRAPH
    references = {}  # of each algorithm, below SETS

    @classmethod
    def setUpClass(cls):
        if not SETS.exists():
            raise unittest.SkipTest("no graph graphalytics (QUERN_TEST_GRAPHS=%s)" % GRAPHS)
        if cls.layout is not GRAPH and not has(cls.layout.tool()):
            raise unittest.SkipTest("no %s in this build" % cls.layout.tool())
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = Path(scratch.name)
        cls.parameters = parameters(cls.name)
        cls.place_files()
        graph = cls.folder / "graph.qrn"
        run("quern-import", cls.folder / (cls.name + ".properties"), "-o", graph, "--transpose", "also")
        if cls.parameters["directed"] == "true":
            run("quern-transform", graph, "-o", cls.folder / "sym.qrn", "--symmetrize")
        else:
            shutil.copy(graph, cls.folder / "sym.qrn")
        cls.containers = {"graph.qrn": graph, "sym.qrn": cls.folder / "sym.qrn"}
        if cls.layout.command:
            for name, path in cls.containers.items():
                cls.containers[name] = cls.folder / ("laid-out-" + name)
                run(*cls.layout.command, path, "-o", cls.containers[name])

    @classmethod
    def place_files(cls):
        """The set as the benchmark hands it out: three files in one folder."""
        shutil.copy(SETS / (cls.name + ".properties"), cls.folder)
        for end in (".v", ".e"):
            shutil.copy(SETS / "example" / (cls.name + end), cls.folder)

    def command(self, algorithm):
        known = self.parameters
        if algorithm == "pr":
            return ["quern-run", "pagerank", self.containers["graph.qrn"], "--tolerance", "0",
                    "--damping", known["pr.damping-factor"], "--iterations", known["pr.num-iterations"]]
        if algorithm == "wcc":
            name = "graph.qrn" if self.layout is GRAPH else "sym.qrn"
            return ["quern-run", "cc", self.containers[name]]
        if algorithm == "cdlp":
            return ["quern-run", "cdlp", self.containers["graph.qrn"],
                    "--iterations", known["cdlp.max-iterations"]]
        if algorithm == "lcc":
            return ["quern-run", "lcc", self.containers["graph.qrn"]]
        return ["quern-run", algorithm, self.containers["graph.qrn"], "--source", known[algorithm + ".source-vertex"]]

    def test_references(self):
        for algorithm, reference in self.references.items():
            if self.layout is not GRAPH and algorithm not in ON_ANY_LAYOUT:
                continue
            with self.subTest(algorithm=algorithm):
                result = self.folder / (algorithm + ".tsv")
                run(*self.command(algorithm), "-o", result)
                said = run("quern-verify", "--against", SETS / reference, result, "--match", RULES[algorithm])
                self.assertIn("%s match" % RULES[algorithm], said.stdout)

    def test_the_whole_benchmark(self):
        """quern-run graphalytics: every algorithm that the properties list, with their parameters."""
        listed = self.parameters["algorithms"].split(", ")
        properties = self.folder / (self.name + ".properties")
        said = json.loads(run("quern-run", "graphalytics", properties, "-o", self.folder / "outputs", "--force", "--json",
                              "--quiet").stdout)
        self.assertEqual([one["algorithm"] for one in said["runs"]], sorted(listed))
        self.assertEqual(sorted(path.name for path in (self.folder / "outputs").iterdir()),
                         sorted("%s-%s" % (self.name, algorithm.upper()) for algorithm in listed))
        for algorithm, reference in self.references.items():
            result = self.folder / "outputs" / ("%s-%s" % (self.name, algorithm.upper()))
            run("quern-verify", "--against", SETS / reference, result, "--match", RULES[algorithm])

    def test_references_of_others(self):
        """Any reference equals itself, and no longer does when a value is another."""
        for algorithm, reference in self.references.items():
            with self.subTest(algorithm=algorithm):
                lines = (SETS / reference).read_text().split("\n")
                vertex, value = lines[0].split()
                other = self.folder / "other"
                rule = ("--match", RULES[algorithm])
                run("quern-verify", "--against", SETS / reference, SETS / reference, *rule)
                lines[0] = "%s %s" % (vertex, "77777" if algorithm != "wcc" else "another")
                other.write_text("\n".join(reversed(lines)).strip() + "\n")
                run("quern-verify", "--against", SETS / reference, other, *rule, exit=1)

    def test_there_and_back(self):
        """Written as a set of the benchmark and read again, it is the same graph."""
        run("quern-export", self.folder / "graph.qrn", "--format", "graphalytics", "-o", self.folder / "back")
        run("quern-import", self.folder / "back/back.properties", "-o", self.folder / "back.qrn", "--transpose", "also")
        sections = [[line for line in run("quern-info", self.folder / name).stdout.splitlines()
                     if " x " in line and "metadata" not in line] for name in ("graph.qrn", "back.qrn")]
        self.assertEqual(*sections)

    def test_wrong_counts(self):
        """What the properties announce must be there."""
        wrong = self.folder / "wrong.properties"
        text = (self.folder / (self.name + ".properties")).read_text()
        for what in ("vertices", "edges"):
            key = "graph.%s.meta.%s = " % (self.name, what)
            wrong.write_text(re.sub(re.escape(key) + r"\d+", key + "99", text))
            said = run("quern-import", wrong, "-o", self.folder / "wrong.qrn", exit=3)
            self.assertRegex(said.stderr, r"wrong\.properties: .*announced")
            self.assertFalse((self.folder / "wrong.qrn").exists())


class _OneAlgorithm(_Set):
    """Sets of one algorithm each, whose graphs are kept as neighbours a line, or as the two files."""

    algorithm = None

    @classmethod
    def place_files(cls):
        direction = "dir" if cls.parameters["directed"] == "true" else "undir"
        base = SETS / cls.algorithm / direction
        vertices, edges = (cls.folder / (cls.name + end) for end in (".v", ".e"))
        if base.with_name(direction + "-input.v").exists():
            shutil.copy(base.with_name(direction + "-input.v"), vertices)
            shutil.copy(base.with_name(direction + "-input.e"), edges)
        else:
            reference = base.with_name(direction + "-output").read_text().split("\n")
            vertices.write_text("".join(line.split()[0] + "\n" for line in reference if line))
            found = listed_edges(base.with_name(direction + "-input"), direction == "dir")
            edges.write_text("".join("%s %s\n" % edge for edge in found))
        shutil.copy(SETS / (cls.name + ".properties"), cls.folder)


def add(title, base, **attributes):
    title = re.sub(r"\W", "_", title)
    globals()[title] = type(title, (base,), {"__module__": __name__, **attributes})


ONCE = {"test_" + what: None for what in ("there_and_back", "the_whole_benchmark", "wrong_counts", "references_of_others")}  # whatever the layout
for _direction in ("directed", "undirected"):
    _name = "example-" + _direction
    _references = {algorithm: "example/%s-%s" % (_name, algorithm.upper()) for algorithm in RULES}
    add(_name, _Set, name=_name, references=_references)
    for _layout in LAYOUTS:
        add("%s in %s" % (_name, _layout.name), _Set, name=_name, references=_references, layout=_layout, tier="medium",
            **ONCE)
    for _algorithm in RULES:
        _name = "test-%s-%s" % (_algorithm, _direction)
        _reference = "%s/%s-output" % (_algorithm, "dir" if _direction == "directed" else "undir")
        add(_name, _OneAlgorithm, name=_name, references={_algorithm: _reference}, algorithm=_algorithm)
