"""What a data scientist does: read Parquet, clean, rank, find communities, join back in polars, plot.

    python3 python_analysis.py edges.parquet ranks.png
"""

import sys

import matplotlib
import polars
import quern

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

edges = polars.scan_parquet(sys.argv[1]).filter(polars.col("source") != polars.col("target")).unique()
graph = quern.from_polars(edges, ["source", "target"])
print(graph)

ranks = graph.pagerank(damping=0.85)
friends = graph.transform(symmetrize=True, remove_duplicates=True)
communities, cores = friends.leiden(seed=1), friends.kcore()
print("first of all: %s, with the neighbours %s" % (ranks.top(1)[0][0], graph.neighbors(ranks.top(1)[0][0])[:5]))

people = polars.DataFrame(graph.vertices(rank=ranks, core=cores, community=communities))
summary = people.group_by("community").agg(polars.len(), polars.col("rank").sum(), polars.col("core").max())
print(summary.sort("rank", descending=True).head(5))

plt.loglog(graph.degree(), ranks, ".", markersize=3)
plt.xlabel("edges")
plt.ylabel("PageRank")
plt.savefig(sys.argv[2])
