"""PageRank by networkx and by Quern.

    python3 python_networkx.py graph.qrn
"""

import sys

import networkx
import quern

graph = quern.open(sys.argv[1]).transform(remove_duplicates=True)
by_networkx = networkx.pagerank(graph.to_networkx(), weight=None)
by_quern = graph.run("pagerank", tolerance=1e-7, iterations=1000)
found = dict(zip(by_quern.ids.tolist(), by_quern.values.tolist()))
for vertex, rank in by_quern.top(3):
    print("%s %.5f" % (vertex, rank))
print("the ranks agree: %s" % all(abs(found[vertex] - rank) < 1e-4 for vertex, rank in by_networkx.items()))
