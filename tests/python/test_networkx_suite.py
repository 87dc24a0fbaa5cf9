"""networkx's own tests of the functions that the backend covers, run by it: what a test calls besides is networkx's.

The whole suite (`NETWORKX_TEST_BACKEND=quern NETWORKX_FALLBACK_TO_NX=True pytest --pyargs networkx`) takes minutes.
"""

import subprocess
import sys
import tempfile
import unittest

from harness.networkx_backend import registered
from harness.package import needs

PARTS = """assortativity.tests.test_correlation centrality.tests.test_betweenness_centrality
    centrality.tests.test_closeness_centrality centrality.tests.test_degree_centrality centrality.tests.test_eigenvector_centrality
    centrality.tests.test_harmonic_centrality centrality.tests.test_katz_centrality coloring.tests.test_coloring
    community.tests.test_label_propagation
    community.tests.test_louvain components.tests link_analysis.tests shortest_paths.tests.test_dense
    shortest_paths.tests.test_generic shortest_paths.tests.test_unweighted shortest_paths.tests.test_weighted tests.test_cluster
    tests.test_core tests.test_dag tests.test_link_prediction tests.test_mis tests.test_reciprocity traversal.tests.test_bfs""".split()


@needs("networkx", "scipy", "pytest")
class Suite(unittest.TestCase):
    tier = "medium"
    timeout = 600
    sanitized_tier = "long"

    def test_passes(self):
        with tempfile.TemporaryDirectory() as folder:
            environment = dict(registered(), NETWORKX_TEST_BACKEND="quern", NETWORKX_FALLBACK_TO_NX="True")
            said = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-rfEX", "--pyargs",
                                   "networkx.generators.tests.test_ego", *("networkx.algorithms." + part for part in PARTS)],
                                  env=environment, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(said.returncode, 0, said.stdout)
        self.assertRegex(said.stdout, r"\b\d{3,} passed")


if __name__ == "__main__":
    unittest.main()
