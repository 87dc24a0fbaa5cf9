"""A table of edges becomes a set, and the edges of the set a table again, by the executors of Spark.

    spark-submit python_spark.py edges.parquet web 8
"""

import sys

from pyspark.sql import SparkSession
from quern import spark

session = SparkSession.builder.getOrCreate()
edges = session.read.parquet(sys.argv[1])
source, target = edges.columns[:2]
spark.write(edges, sys.argv[2], int(sys.argv[3]), source=source, target=target)
again = spark.read(session, sys.argv[2])
print("%d of %d edges are there again" % (again.count(), edges.count()))
