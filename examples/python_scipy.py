"""Distances by SciPy on the arrays of a container, beside Quern's own.

    python3 python_scipy.py graph.qrn
"""

import sys

import numpy
import quern
from scipy.sparse import csgraph

graph = quern.open(sys.argv[1])
source = int(numpy.argmax(graph.out_degrees))
by_scipy = csgraph.dijkstra(graph.to_scipy("f8"), indices=source)
by_quern = graph.run("sssp", source=graph.ids[source]).values.astype("f8")
by_quern[by_quern >= 2**32 - 1] = numpy.inf
print("%d vertices are reached" % numpy.isfinite(by_scipy).sum())
print("the distances agree: %s" % numpy.allclose(by_scipy, by_quern))
