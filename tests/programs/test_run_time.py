"""A user's program, compiled when it is run, on every layout and with every kind of weights."""

import math
import os
import tempfile
import unittest
from pathlib import Path

from harness.tools import has, run, values
from oracle import naive
from oracle.graphs import RandomGraph
from truth.datasets import LAYOUTS

PROGRAM = Path(os.environ["QUERN_SOURCE"]) / "tests/programs/widest.h"


class RunTime(unittest.TestCase):
    tier = "medium"
    sanitized_tier = "long"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        kept = os.environ.get("XDG_CACHE_HOME")
        os.environ["XDG_CACHE_HOME"] = str(self.folder / "cache")
        self.addCleanup(lambda: os.environ.update(XDG_CACHE_HOME=kept) if kept else os.environ.pop("XDG_CACHE_HOME"))

    def objects(self):
        return sorted((self.folder / "cache/quern/programs").iterdir())

    def check(self, path, graph, expected):
        run("quern-run", path, "--program", PROGRAM, "--source", graph.ids[3], "-o", self.folder / "values.tsv",
            "--force")
        got = values(self.folder / "values.tsv")
        self.assertEqual([float(got[name]) for name in graph.ids], [float(width) for width in expected])

    def test_every_layout(self):
        for weights in ("u32", "none"):
            graph = RandomGraph(7, 300, 2500, weights)
            text, path = self.folder / "in.txt", self.folder / "graph.qrn"
            graph.write(text)
            run("quern-import", text, "-o", path, "--force", "--weights", weights)
            edges = graph.edges if weights == "u32" else [(one, other, 1) for one, other, _ in graph.edges]
            expected = naive.widest(graph.num_vertices, edges, 3)
            self.check(path, graph, expected)
            for layout in LAYOUTS:
                with self.subTest(layout=layout.name, weights=weights):
                    self.assertTrue(has(layout.tool()))
                    run(*layout.command, path, "-o", self.folder / "laid-out.qrn", "--force")
                    self.check(self.folder / "laid-out.qrn", graph, expected)
        self.assertEqual([file.suffix for file in self.objects()], [".so"] * (1 + len(LAYOUTS)))

    def test_compiled_once(self):
        """For each layout; a changed text is another program."""
        graph = RandomGraph(8, 50, 200, "u32")
        graph.write(self.folder / "in.txt")
        run("quern-import", self.folder / "in.txt", "-o", self.folder / "graph.qrn")
        expected = naive.widest(graph.num_vertices, graph.edges, 3)
        self.check(self.folder / "graph.qrn", graph, expected)
        [first] = self.objects()
        made = first.stat().st_mtime_ns
        self.check(self.folder / "graph.qrn", graph, expected)
        self.assertEqual([(file, file.stat().st_mtime_ns) for file in self.objects()], [(first, made)])
        changed = self.folder / "changed.h"
        changed.write_text(PROGRAM.read_text().replace("width < capacity ? width : capacity", "width"))
        run("quern-run", "--program", changed, self.folder / "graph.qrn", "--source", graph.ids[3], "-o",
            self.folder / "changed.tsv")
        reached = [hops < math.inf for hops in naive.bfs(graph.num_vertices, graph.edges, 3)]
        got = values(self.folder / "changed.tsv")
        self.assertEqual([got[name] == "inf" for name in graph.ids], reached)
        self.assertEqual(len(self.objects()), 2)
