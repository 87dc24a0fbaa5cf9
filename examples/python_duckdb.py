"""SQL on the edges of a container, and a graph of a query's result.

    python3 python_duckdb.py graph.qrn
"""

import sys

import duckdb
import quern

graph = quern.open(sys.argv[1])
edges = graph.edges(ids=True)
print(duckdb.sql("select source, count(*) as degree from edges group by source order by degree desc, source limit 3"))
mutual = quern.from_arrow(duckdb.sql("select distinct a.source, a.target from edges a, edges b "
                                     "where a.source = b.target and a.target = b.source"))
print("%d edges have their reverse" % mutual.num_edges)
