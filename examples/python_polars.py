"""The edges of a container as a frame of polars, and a graph of a part of them.

    python3 python_polars.py graph.qrn
"""

import sys

import polars
import quern

graph = quern.open(sys.argv[1])
edges = polars.DataFrame(graph.edges(ids=True))
print(edges.select(polars.len(), polars.col("weight").mean().alias("mean weight")))
heavy = quern.from_arrow(edges.filter(polars.col("weight") > polars.col("weight").mean()))
print("%d of %d edges are heavier than that" % (heavy.num_edges, graph.num_edges))
