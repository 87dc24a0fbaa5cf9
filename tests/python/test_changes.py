"""Sets with generations in Python: the graph that they are, and that they were."""

import os
import unittest
import warnings
from pathlib import Path

from harness.package import needs, quern

VECTOR = Path(os.environ["QUERN_SOURCE"]) / "specs/vectors/set-changes/changed"


@needs("numpy")
class Changes(unittest.TestCase):
    def open(self, path):
        with warnings.catch_warnings():  # that it is put together
            warnings.simplefilter("ignore")
            return quern.open(path)

    def test_generations(self):
        now, before = self.open(VECTOR), self.open("%s@1" % VECTOR)
        self.assertEqual((list(now.ids), list(before.ids)), ([0, 1, 2, 3, 7], [0, 1, 2, 3, 7]))
        self.assertEqual((now.num_edges, before.num_edges), (5, 7))
        self.assertEqual((list(now.neighbors(1)), list(before.neighbors(1))), ([7], [2, 2, 2]))
        self.assertEqual((now.vertex_types, now.edge_types), ((), ()))
        with self.assertRaisesRegex(quern.UsageError, "has 2 generations, not 3"):
            self.open("%s@3" % VECTOR)


if __name__ == "__main__":
    unittest.main()
