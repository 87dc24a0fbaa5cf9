"""Communities of a real graph on which igraph's Leiden, which goes on until nothing moves, finds a modularity of 0.632."""

import json
import statistics
import tempfile
import unittest
from pathlib import Path

from harness.tools import run
from truth.datasets import GRAPHS

EMAIL = GRAPHS / "email-Enron/email-Enron.txt.gz"


@unittest.skipUnless(EMAIL.exists(), "no graph email-Enron (QUERN_TEST_GRAPHS=%s)" % GRAPHS)
class Modularity(unittest.TestCase):
    def test_median_of_seeds(self):
        """Whose parts join others early on this graph, and would not leave them by single moves."""
        with tempfile.TemporaryDirectory() as scratch:
            graph, simple = Path(scratch) / "graph.qrn", Path(scratch) / "simple.qrn"
            run("quern-import", EMAIL, "-qo", graph)
            run("quern-transform", graph, "-qo", simple, "--symmetrize", "--remove-self-loops", "--remove-duplicates")
            found = [json.loads(run("quern-run", "leiden", simple, "--device=cpu", "--json", "--seed", seed).stdout)["result"]["modularity"]
                     for seed in range(1, 6)]
            self.assertGreater(statistics.median(found), 0.631)
