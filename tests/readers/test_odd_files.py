"""Every file of odd_files.py, odd_columns.py and odd_formats.py gives the edges that it lists, or is refused with the word that it lists; never another graph."""

import unittest
from pathlib import Path

from conformance.container_reader import read
from harness.tools import run
from readers import odd_columns, odd_files, odd_formats

FILES = odd_files.FILES + odd_columns.FILES + odd_formats.FILES


def text(value):
    return value.decode(errors="surrogateescape") if isinstance(value, bytes) else str(value)


def ids_of(container, num_vertices):
    if "id_offsets" in container.sections:
        offsets, names = container.array("id_offsets"), bytes(container.bytes_of("id_bytes"))
        return [text(names[offsets[v]:offsets[v + 1]]) for v in range(num_vertices)]
    return [text(i) for i in (container.array("original_ids") if "original_ids" in container.sections else range(num_vertices))]


def graph_of(path):
    """(edges with ids and weights, vertices)."""
    container = read(path)
    offsets, columns = container.array("row_offsets"), container.array("column_indices")
    weights = container.array("weights") if "weights" in container.sections else None
    ids = ids_of(container, len(offsets) - 1)
    edges = [(ids[v], ids[columns[e]]) + ((float(weights[e]),) if weights else ())
             for v in range(len(ids)) for e in range(offsets[v], offsets[v + 1])]
    return sorted(edges), sorted(ids)


def expected(odd):
    edges = [edge[:2] + tuple(map(float, edge[2:])) for edge in odd.edges]
    vertices = {end for edge in edges for end in edge[:2]} | set(odd.vertices)
    if odd.undirected:
        edges += [(v, u, *weight) for u, v, *weight in edges if u != v]
    return sorted(edges), sorted(vertices)


class OddFiles(unittest.TestCase):
    timeout = 120

    def check(self, odd):
        Path(odd.name).write_bytes(odd.content)
        if odd.refused:
            done = run("quern-import", odd.name, "-q", "-o", "out.qrn", *odd.options, exit=(3, 4))
            self.assertIn(odd.refused, done.stderr)
            self.assertIn(odd.name, done.stderr)
            self.assertFalse(Path("out.qrn").exists())
        else:
            run("quern-import", odd.name, "-q", "-o", "out.qrn", *odd.options)
            self.assertEqual(graph_of("out.qrn"), expected(odd))

    def test_odd_files(self):
        for odd in FILES:
            with self.subTest(odd.name):
                try:
                    self.check(odd)
                finally:
                    Path("out.qrn").unlink(missing_ok=True)

    def test_names_differ(self):
        names = [odd.name for odd in FILES]
        self.assertEqual(len(names), len(set(names)))
