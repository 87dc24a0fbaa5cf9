"""Algorithms from Python: results as arrays, beside other threads, interrupted, in forked processes."""

import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

from harness.package import needs, quern
from harness.tools import run

try:
    import numpy as np
except ImportError:
    np = None


class _Scratch(unittest.TestCase):
    scale = "10"

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = Path(scratch.name)
        cls.path = cls.folder / "g.qrn"
        run("quern-generate", "rmat", "--scale", cls.scale, "--degree", "8", "--weights", "1,1000", "-q", "-o", cls.path)


@needs()
class Results(_Scratch):
    def test_as_the_tool_has_them(self):
        graph = quern.open(self.path)
        for algorithm, options in (("pagerank", []), ("bfs", ["--source", "5"]), ("sssp", ["--source", "5"]), ("cc", [])):
            with self.subTest(algorithm):
                run("quern-run", algorithm, self.path, *options, "-q", "-o", self.folder / (algorithm + ".npy"))
                given = {"source": 5} if options else {}
                result = graph.run(algorithm, device="cpu", **given)
                expected = np.load(self.folder / (algorithm + ".npy"))
                if algorithm != "cc":
                    np.testing.assert_allclose(result.values, expected, rtol=1e-6)
                self.assertEqual(len(result.values), graph.num_vertices)
                self.assertEqual((result.algorithm, result.device), (algorithm, "cpu"))

    def test_methods(self):
        """A method is the run of its name, with typed parameters."""
        graph = quern.open(self.path)
        np.testing.assert_array_equal(graph.pagerank(damping=0.5).values, graph.run("pagerank", damping=0.5).values)
        np.testing.assert_array_equal(graph.sssp(source=5, cutoff=900).values, graph.run("sssp", source=5, cutoff=900).values)
        self.assertEqual(graph.sample(sources=[5, 6], fanouts=(3, "all"), seed=1).summary["nodes"],
                         graph.run("sample", sources=[5, 6], fanouts="3,all", seed=1).summary["nodes"])
        self.assertEqual(graph.walk(source=[5], length=3).summary, {"walks": 1, "steps": 3})
        with graph.on("cpu") as placed:
            np.testing.assert_array_equal(placed.bfs(source=5).values, graph.bfs(source=5).values)
        with self.assertRaises(TypeError):
            graph.pagerank(dampng=0.5)
        with self.assertRaisesRegex(quern.UsageError, "damping=: it must be at least 0 and below 1, not 2"):
            graph.pagerank(damping=2)
        with self.assertRaisesRegex(quern.UsageError, "pagerank has no seed="):
            graph.run("pagerank", seed=1)

    def test_pagerank_by_numpy(self):
        graph = quern.open(self.path)
        degrees = graph.out_degrees.astype("f8")
        rank = np.full(graph.num_vertices, 1 / graph.num_vertices)
        sources, targets = graph.sources(), graph.column_indices
        for _ in range(200):
            share = np.divide(rank, degrees, out=np.zeros_like(rank), where=degrees > 0)
            pulled = np.bincount(targets, share[sources], graph.num_vertices) + rank[degrees == 0].sum() / len(rank)
            rank = 0.15 / len(rank) + 0.85 * pulled
        np.testing.assert_allclose(graph.run("pagerank", tolerance=1e-9, iterations=200).values, rank, rtol=1e-4)

    def test_arrays(self):
        result = quern.open(self.path).run("bfs", source=0)
        first = result.values
        self.assertEqual(first.ctypes.data, result.values.ctypes.data)
        self.assertFalse(first.flags.writeable)
        expected = first.tolist()
        del result
        self.assertEqual(first.tolist(), expected)

    def test_ids(self):
        graph = quern.from_arrays([10, 20, 30], [20, 30, 40])
        result = graph.run("bfs", source=10)
        self.assertEqual(dict(zip(result.ids.tolist(), result.values.tolist())), {10: 0, 20: 1, 30: 2, 40: 3})
        self.assertEqual(result.top(2), [(40, 3), (30, 2)])
        self.assertEqual(result.sources.tolist(), [0])
        names = quern.from_arrays(["a", "b"], ["b", "c"])
        self.assertEqual(names.run("bfs", source="b").top(), [("c", 1), ("b", 0)])
        self.assertEqual(result.table().column_names[0], "id")
        self.assertGreater(result.iterations, 0)
        self.assertEqual(result.summary["reached"], 4)

    def test_several_sources_and_counts(self):
        graph = quern.open(self.path)
        self.assertEqual(len(graph.run("bc", source=[0, 1, 2]).sources), 3)

    def test_lists(self):
        """A list is several values, or refused: its last value alone, its pairs as so many sources, or none at all were run."""
        graph = quern.open(self.path)
        listed, written = (graph.run("sample", source=[5], fanouts=fanouts) for fanouts in ([3, 2], "3,2"))
        np.testing.assert_array_equal(listed.columns["node"], written.columns["node"])
        names = quern.from_arrays(["a", "a,b", "b"], ["a,b", "b", "c"])
        np.testing.assert_array_equal(names.run("bfs", sources=["a,b"]).values, names.run("bfs", source="a,b").values)
        for given in ({"sources": []}, {"sources": [(5, 1), (7, 2)]}, {"sources": {5: 1}}, {"sources": [5, None]},
                      {"source": 5, "damping": [0.5, 0.1]}):
            with self.subTest(given=given), self.assertRaises(quern.UsageError):
                graph.run("rwr", **given)
        simple = graph.transform(symmetrize=True, remove_self_loops=True, remove_duplicates=True)
        result = simple.run("tc")
        self.assertEqual(result.count, result.summary["triangles"])

    def test_every_layout_gives_the_same(self):
        graph = quern.open(self.path)
        expected = graph.run("bfs", source=1).values.tolist()
        for layout in ("blocked-csr", "edge-partitions", "slotted-pages", "shards", "hybrid", "packed"):
            self.assertEqual(graph.build(layout).run("bfs", source=1).values.tolist(), expected)

    def test_without_vertices_or_edges(self):
        graph = quern.from_arrays([], [], num_vertices=3)
        self.assertEqual(len(set(graph.run("cc").values.tolist())), 3)
        self.assertEqual(quern.from_arrays([], []).run("pagerank").values.tolist(), [])

    def test_what_is_refused(self):
        graph = quern.open(self.path)
        for algorithm, options, kind in (("nothing", {}, quern.QuernError), ("bfs", {"source": "x"}, quern.UsageError),
                                         ("bfs", {"dampling": 1}, quern.UsageError),
                                         ("pagerank", {"damping": 2}, quern.UsageError),
                                         ("bfs", {"device": "quantum"}, quern.UsageError)):
            with self.subTest(algorithm=algorithm, options=options), self.assertRaises(kind):
                graph.run(algorithm, **options)


def levels(path):
    return quern.open(path).run("bfs", source=1).values.sum()


@needs()
class Processes(_Scratch):
    def test_forked_after_runs(self):
        """A child has none of its parent's threads, and yet runs."""
        expected = levels(self.path)
        with multiprocessing.get_context("fork").Pool(2) as pool:
            self.assertEqual(pool.map_async(levels, [self.path] * 4).get(60), [expected] * 4)
        self.assertEqual(levels(self.path), expected)

    def test_forked_with_a_graph(self):
        graph = quern.open(self.path)
        expected = graph.run("bfs", source=1).values.sum()
        child = os.fork()
        if child == 0:
            signal.alarm(60)
            same = graph.run("bfs", source=1).values.sum() == expected and graph.column_indices.sum() > 0
            os._exit(0 if same else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_many_threads(self):
        graph, found = quern.open(self.path), []
        expected = graph.run("bfs", source=1).values.tolist()
        threads = [threading.Thread(target=lambda: found.append(graph.run("bfs", source=1, threads=2).values.tolist()))
                   for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        self.assertEqual(found, [expected] * 8)


INTERRUPTED = """
import os, signal, sys, threading, time
import quern
graph = quern.open(sys.argv[1])
threading.Timer(0.5, os.kill, (os.getpid(), getattr(signal, sys.argv[2]))).start()
if sys.argv[2] == "SIGALRM":
    def handler(number, frame):
        raise RuntimeError("alarm")
    signal.signal(signal.SIGALRM, handler)
begun = time.monotonic()
try:
    graph.run("pagerank", tolerance=0, iterations=100000000)
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - begun < 10)
except RuntimeError as error:
    print(error, time.monotonic() - begun < 10)
print(graph.run("bfs").values.size)
"""


@needs()
class Watched(_Scratch):
    """Of runs that would take for ever."""

    tier = "medium"
    scale = "12"

    def test_interrupted(self):
        for signal_name, word in (("SIGINT", "interrupted"), ("SIGALRM", "alarm")):
            with self.subTest(signal_name):
                done = subprocess.run([sys.executable, "-c", INTERRUPTED, self.path, signal_name], timeout=60,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                self.assertEqual((done.stdout, done.stderr), ("%s True\n4096\n" % word, ""))

    def test_other_threads_go_on(self):
        """The interpreter's lock is not held during a call."""
        graph, stopped, counted = quern.open(self.path), threading.Event(), [0]

        def count():
            while not stopped.is_set():
                counted[0] += 1
                time.sleep(0.001)

        thread = threading.Thread(target=count)
        thread.start()
        begun = time.monotonic()
        graph.run("pagerank", tolerance=0, iterations=3000)
        seconds = time.monotonic() - begun
        stopped.set()
        thread.join()
        self.assertGreater(counted[0], min(100, seconds / 0.02))

    def test_progress(self):
        reports = []

        def report(what, unit, done, total):
            reports.append((what, unit, done, total))
            if len(reports) == 3:
                raise ZeroDivisionError

        with self.assertRaises(ZeroDivisionError):
            quern.open(self.path).run("pagerank", tolerance=0, iterations=100000000, progress=report)
        self.assertEqual(len(reports), 3)
        self.assertTrue(all(isinstance(what, str) and isinstance(done, int) for what, _, done, _ in reports))
