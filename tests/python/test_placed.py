"""A graph that is placed on a device for many runs; here the CPU. tests/emulator/test_module.py has it on the emulator."""

import tempfile
import threading
import unittest
from pathlib import Path

from harness.package import needs, quern
from harness.tools import run

try:
    import numpy as np
except ImportError:
    np = None


@needs()
class Placed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = Path(scratch.name)
        run("quern-generate", "rmat", "--scale", "9", "--weights", "1,100", "-q", "-o", cls.folder / "directed.qrn")
        run("quern-generate", "rmat", "--scale", "9", "--undirected", "-q", "-o", cls.folder / "undirected.qrn")
        run("quern-transform", cls.folder / "directed.qrn", "--relabel", "degree", "-q", "-o", cls.folder / "hot.qrn")

    def test_as_without(self):
        """Whatever the layout, in any order, and twice."""
        for name in ("directed", "undirected", "hot"):
            plain = quern.open(self.folder / (name + ".qrn"))
            for layout in ["graph"] + [layout["layout"] for layout in quern.layouts()]:
                graph = plain if layout == "graph" else plain.build(layout)
                with graph.on("cpu") as placed:
                    for algorithm, options in 2 * [("bfs", {"source": 5}), ("pagerank", {}), ("cc", {}), ("sssp", {"source": 5}),
                                                   ("degree", {})]:
                        with self.subTest(name, layout=layout, algorithm=algorithm):
                            expected = graph.run(algorithm, device="cpu", **options)
                            found = placed.run(algorithm, **options)
                            np.testing.assert_array_equal(found.values, expected.values)
                            self.assertEqual((found.device, found.on_device), ("cpu", False))

    def test_it_prepares_once(self):
        """The in-edges that the container lacks are those that the session keeps."""
        graph = quern.open(self.folder / "directed.qrn")
        self.assertFalse(graph.has_in_edges)
        with graph.on("cpu") as placed:
            address = graph.in_column_indices.ctypes.data
            placed.run("pagerank")
            self.assertEqual(graph.in_column_indices.ctypes.data, address)

    def test_what_outlives_what(self):
        graph = quern.open(self.folder / "directed.qrn")
        placed = graph.on("cpu")
        expected = graph.run("degree", device="cpu").values.copy()
        graph.close()
        result = placed.run("degree")
        placed.close()
        np.testing.assert_array_equal(result.values, expected)
        with self.assertRaisesRegex(quern.UsageError, "closed"):
            placed.run("degree")

    def test_side_by_side(self):
        graph, found = quern.open(self.folder / "undirected.qrn"), {}
        expected = graph.run("pagerank", device="cpu").values
        with graph.on("cpu") as placed:
            threads = [threading.Thread(target=lambda key=key: found.update({key: placed.run("pagerank").values}))
                       for key in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        for values in found.values():
            np.testing.assert_array_equal(values, expected)
        self.assertEqual(len(found), 4)

    def test_dlpack_on_the_host(self):
        result = quern.open(self.folder / "directed.qrn").on("cpu").run("degree")
        self.assertEqual(result.__dlpack_device__(), (1, 0))
        self.assertFalse(hasattr(result, "__cuda_array_interface__"))
        try:
            values = np.from_dlpack(result.values)
        except BufferError as refused:  # before NumPy 2.1: read-only arrays
            self.skipTest(str(refused))
        np.testing.assert_array_equal(values, result.values)

    def test_what_is_refused(self):
        graph = quern.open(self.folder / "directed.qrn")
        with self.assertRaisesRegex(quern.UsageError, "no option 'device'"):
            graph.on("cpu").run("bfs", device="cpu")
        with self.assertRaisesRegex(quern.UsageError, "no option 'source'"):
            graph.on("cpu", source=1)
        with self.assertRaisesRegex(quern.UsageError, "device"):
            graph.on("tpu")
        with self.assertRaisesRegex(quern.UsageError, "strategy= is for"):
            graph.on("cpu", strategy="performance")
        if not any(kernel["device"] == "cuda" for kernel in quern.algorithms()):
            with self.assertRaises(quern.DeviceError):
                graph.on("cuda")


@needs()
class Options(unittest.TestCase):
    """What runs take in the library as in the tools."""

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = Path(scratch.name)
        cls.path = cls.folder / "g.qrn"
        run("quern-generate", "rmat", "--scale", "9", "--weights", "1,100", "-q", "-o", cls.path)
        run("quern-transform", cls.path, "--relabel", "degree", "-q", "-o", cls.folder / "hot.qrn")

    def test_parents(self):
        """Each is a vertex that is nearer, by its number in the container, as the tool names it."""
        for path in (self.path, self.folder / "hot.qrn"):
            for algorithm in ("bfs", "sssp"):
                with self.subTest(path.name, algorithm=algorithm):
                    run("quern-run", algorithm, path, "--source", "5", "--parents", self.folder / "tree.tsv", "-q", "-f")
                    expected = [line.split("\t") for line in (self.folder / "tree.tsv").read_text().splitlines()]
                    graph = quern.open(path)
                    result = graph.run(algorithm, source=5, parents=True, device="cpu")
                    self.assertEqual(list(result.columns), [algorithm, "parent"])
                    parents, ids = result.columns["parent"], graph.ids
                    found = {str(ids[v]): str(ids[parent]) for v, parent in enumerate(parents.tolist()) if parent != 2**32 - 1}
                    self.assertEqual(found, {vertex: parent for vertex, parent in expected if parent not in ("", "-1", "none")})

    def test_checkpoints(self):
        graph, folder = quern.open(self.path), self.folder / "work"
        expected = graph.run("pagerank", tolerance=0, iterations=4000, device="cpu")
        seen = []

        def stop(what, unit, done, total):
            seen.append(done)
            if unit == "iterations" and done >= 1:
                raise KeyboardInterrupt

        for _ in range(50):  # until it is done: each goes on where the one before was ended
            try:
                result = graph.run("pagerank", tolerance=0, iterations=4000, device="cpu", checkpoint=folder, every=3,
                                   resume=True, progress=stop)
                break
            except KeyboardInterrupt:
                self.assertTrue((folder / "checkpoint.qrn").exists())
        np.testing.assert_array_equal(result.values, expected.values)
        self.assertFalse((folder / "checkpoint.qrn").exists())
        with self.assertRaisesRegex(quern.UsageError, "are for checkpoint="):
            graph.run("pagerank", every=3)


if __name__ == "__main__":
    unittest.main()
