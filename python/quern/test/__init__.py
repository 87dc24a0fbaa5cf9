"""Tests of the package as it is installed: ``python3 -m quern.test``. They need NumPy alone; those of tables and other
libraries are skipped where these are not installed."""

from __future__ import annotations

import collections
import importlib
import os
import shutil
import tempfile
import threading
import unittest
import unittest.mock
import warnings
from typing import Any, Dict, List, Tuple

import numpy

import quern

VERTICES, EDGES = 300, 2000


def _edges(seed: int = 1) -> Tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]:
    numbers = numpy.random.RandomState(seed)
    ends = numbers.randint(0, VERTICES, (2, EDGES)).astype("u4")
    return ends[0], ends[1], numbers.randint(1, 100, EDGES).astype("u4")


def _rows(source: numpy.ndarray, target: numpy.ndarray) -> List[List[int]]:
    rows: List[List[int]] = [[] for _ in range(VERTICES)]
    for one, other in zip(source.tolist(), target.tolist()):
        rows[one].append(other)
    return [sorted(row) for row in rows]


def _levels(rows: List[List[int]], start: int) -> Dict[int, int]:
    """Breadth-first search, as in a textbook."""
    level, waiting = {start: 0}, collections.deque([start])
    while waiting:
        vertex = waiting.popleft()
        for near in rows[vertex]:
            if near not in level:
                level[near] = level[vertex] + 1
                waiting.append(near)
    return level


class _Scratch(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="quern-test-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.source, self.target, self.weight = _edges()
        self.graph = quern.from_arrays(self.source, self.target, self.weight, num_vertices=VERTICES, progress=False)

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def module(self, name: str) -> Any:
        try:
            return importlib.import_module(name)
        except ImportError:
            self.skipTest("no " + name)


class Graphs(_Scratch):
    def test_arrays_in_and_out(self) -> None:
        rows = [self.graph.column_indices[first:last].tolist() for first, last in
                zip(self.graph.row_offsets.tolist(), self.graph.row_offsets[1:].tolist())]
        self.assertEqual(rows, _rows(self.source, self.target))
        order = numpy.lexsort((self.target, self.source))  # stable: parallel edges in the order that they came in
        self.assertEqual(self.graph.weights.tolist() if self.graph.weights is not None else [], self.weight[order].tolist())
        self.assertEqual(quern.from_arrays(["b", "a"], ["a", "c"]).ids.tolist(), ["a", "b", "c"])
        self.assertRaises(quern.InvalidError, quern.from_arrays, [-1], [0])

    def test_files(self) -> None:
        saved = self.graph.save(self.path("g.qrn"))
        saved.verify()
        self.assertEqual(saved.identity, self.graph.identity)
        archive = self.graph.save(self.path("g.qrnz"), archive=True)
        self.assertEqual(archive.column_indices.tobytes(), self.graph.column_indices.tobytes())
        self.assertLess(os.path.getsize(self.path("g.qrnz")), os.path.getsize(self.path("g.qrn")))
        self.graph.export(self.path("g.tsv"), "edges")
        back = quern.read(self.path("g.tsv"), vertices=VERTICES)
        self.assertEqual(back.column_indices.tobytes(), self.graph.column_indices.tobytes())

    def test_views_are_no_copies(self) -> None:
        saved = self.graph.save(self.path("g.qrn"))
        with open("/proc/self/maps") as maps:
            places = [line.split()[0].split("-") for line in maps if line.rstrip().endswith(self.path("g.qrn"))]
        at = saved.column_indices.__array_interface__["data"][0]
        self.assertTrue(any(int(first, 16) <= at < int(last, 16) for first, last in places))
        self.assertFalse(saved.column_indices.flags.writeable)

    def test_damage_is_noticed(self) -> None:
        self.graph.save(self.path("g.qrn"))
        with open(self.path("g.qrn"), "r+b") as file:
            data = bytearray(file.read())
            data[len(data) // 2] ^= 1
            file.seek(0)
            file.write(data)
        self.assertRaises(quern.QuernError, quern.open, self.path("g.qrn"), verify=True)

    def test_properties(self) -> None:
        graph = self.graph.with_properties({"name": [None] + ["é%d" % v for v in range(1, VERTICES)]}, {"n": numpy.arange(EDGES)})
        blocks = graph.build("blocked-csr")
        self.assertEqual(blocks.vertex_properties["name"].tolist()[:2], [None, "é1"])
        self.assertEqual(blocks.edge_properties["n"].tolist(), list(range(EDGES)))


class Algorithms(_Scratch):
    def test_every_layout(self) -> None:
        level = _levels(_rows(self.source, self.target), 7)
        wanted = [level.get(vertex, 2**32 - 1) for vertex in range(VERTICES)]
        layouts = ["graph"] + [layout["layout"] for layout in quern.layouts() if layout["layout"] != "graph"]
        for name in layouts:
            with self.subTest(name):
                graph = self.graph if name == "graph" else self.graph.build(name, progress=False)
                self.assertEqual(graph.run("bfs", source=7).values.tolist(), wanted)
                again = graph if name == "graph" else graph.transform()
                self.assertEqual(again.column_indices.tobytes(), self.graph.column_indices.tobytes())

    def test_pagerank(self) -> None:
        degrees = numpy.bincount(self.source, minlength=VERTICES)
        ranks = numpy.full(VERTICES, 1 / VERTICES)
        for _ in range(60):
            share = numpy.where(degrees > 0, ranks / numpy.maximum(degrees, 1), 0)
            ranks = (0.15 + 0.85 * ranks[degrees == 0].sum()) / VERTICES + 0.85 * numpy.bincount(
                self.target, share[self.source], VERTICES)
        found = self.graph.run("pagerank", iterations=60, tolerance=0).values
        self.assertLess(float(numpy.abs(found - ranks).max()), 1e-5)

    def test_a_program_of_the_users_own(self) -> None:
        """One that is another by its whole text, compiled with the headers that came with the package."""
        if not shutil.which("cc"):
            self.skipTest("no compiler")
        with open(self.path("mine.h"), "w") as file:
            file.write('#include "kernels/programs/bfs.h"\n')
        with unittest.mock.patch.dict(os.environ, XDG_CACHE_HOME=self.folder):
            found = self.graph.run(program=self.path("mine.h"), source=7).values
        self.assertEqual(found.tobytes(), self.graph.run("bfs", source=7).values.tobytes())

    def test_threads(self) -> None:
        found: List[Any] = [None] * 4

        def search(place: int) -> None:
            found[place] = self.graph.run("bfs", source=place, progress=False).values.tobytes()

        threads = [threading.Thread(target=search, args=(place,)) for place in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [self.graph.run("bfs", source=place).values.tobytes() for place in range(4)])


class Libraries(_Scratch):
    def setUp(self) -> None:
        super().setUp()
        warnings.simplefilter("ignore", quern.QuernWarning)

    def test_arrow(self) -> None:
        pyarrow = self.module("pyarrow")
        table = pyarrow.table(self.graph.edges())
        back = quern.from_arrow(table, num_vertices=VERTICES)
        self.assertEqual(back.column_indices.tobytes(), self.graph.column_indices.tobytes())
        self.graph.export(self.path("e.parquet"))
        back = quern.read_parquet(self.path("e.parquet"), num_vertices=VERTICES)
        self.assertEqual(back.column_indices.tobytes(), self.graph.column_indices.tobytes())

    def test_scipy(self) -> None:
        self.module("scipy.sparse")
        matrix = self.graph.to_scipy("i8")
        vector = numpy.arange(VERTICES)
        wanted = numpy.bincount(self.source, self.weight.astype("f8") * vector[self.target], VERTICES)
        self.assertEqual((matrix @ vector).tolist(), wanted.astype("i8").tolist())

    def test_networkx(self) -> None:
        networkx = self.module("networkx")
        level = dict(networkx.single_source_shortest_path_length(self.graph.to_networkx(), 7))
        self.assertEqual(level, _levels(_rows(self.source, self.target), 7))
        back = quern.from_networkx(self.graph.to_networkx())
        self.assertEqual(back.column_indices.tobytes(), self.graph.column_indices.tobytes())

    def test_report(self) -> None:
        self.module("jinja2")
        report = importlib.import_module("quern.report")
        report.write(self.path("r.html"), self.graph)
        with open(self.path("r.html"), encoding="utf-8") as page:
            self.assertIn("</html>", page.read())
