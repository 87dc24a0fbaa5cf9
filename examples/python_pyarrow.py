"""A container as Parquet, with the rank of every vertex beside it, and back.

    python3 python_pyarrow.py graph.qrn FOLDER
"""

import os
import sys

import pyarrow.parquet
import quern

graph, folder = quern.open(sys.argv[1]), sys.argv[2]
graph.export(os.path.join(folder, "edges.parquet"), force=True)
vertices = graph.vertices(rank=graph.run("pagerank").values).to_arrow()
pyarrow.parquet.write_table(vertices, os.path.join(folder, "vertices.parquet"))
back = quern.read_parquet(os.path.join(folder, "edges.parquet"), vertices=graph.num_vertices)
print("%d rows; the same edges come back: %s" % (len(vertices), (back.column_indices == graph.column_indices).all()))
