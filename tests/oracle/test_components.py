"""Weakly connected components of directed and undirected graphs, from every layout, against the definition."""

import tempfile
import unittest
from pathlib import Path

from harness.tools import run, values
from oracle import naive
from oracle.graphs import RandomGraph, in_every_layout


class EveryLayout(unittest.TestCase):
    tier = "medium"

    def test_components(self):
        kinds = [(ids, directed, edges) for ids in ("sparse", "strings") for directed in (True, False) for edges in (20, 60, 900)]
        for seed, (ids, directed, edges) in enumerate(kinds):
            with tempfile.TemporaryDirectory() as folder:
                graph = RandomGraph(seed, 80, edges, ids=ids)
                found = Path(folder) / "cc.tsv"
                for layout, container in in_every_layout(graph, directed, folder).items():
                    with self.subTest(seed=seed, directed=directed, edges=edges, layout=layout):
                        run("quern-run", "cc", container, "--device=cpu", "-qfo", found)
                        expected = [graph.ids[label] for label in naive.cc(graph.num_vertices, graph.edges)]
                        got = values(found)
                        self.assertEqual([got[name] for name in graph.ids], expected)


if __name__ == "__main__":
    unittest.main()
