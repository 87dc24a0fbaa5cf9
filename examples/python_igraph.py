"""Components by igraph and by Quern, and a graph of igraph's as a container.

    python3 python_igraph.py graph.qrn
"""

import sys

import igraph
import quern

graph = quern.open(sys.argv[1])
components = graph.to_igraph().connected_components(mode="weak")
print("igraph finds %d components, Quern %d" % (len(components), graph.run("cc").summary["count"]))

ring = quern.from_igraph(igraph.Graph.Ring(10))
print(ring)
