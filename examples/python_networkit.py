"""A container as a graph of networkit, and its core numbers by both.

    python3 python_networkit.py graph.qrn
"""

import sys

import networkit
import numpy
import quern

graph = quern.open(sys.argv[1]).transform(symmetrize=True, remove_self_loops=True, remove_duplicates=True)
sources, targets = graph.sources(), graph.column_indices
upper = sources < targets
other = networkit.GraphFromCoo((sources[upper].astype("u8"), targets[upper].astype("u8")), n=graph.num_vertices)
by_networkit = networkit.centrality.CoreDecomposition(other).run().scores()
print("the core numbers agree: %s" % numpy.array_equal(graph.run("kcore").values, numpy.array(by_networkit, "u4")))
