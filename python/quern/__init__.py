"""Quern for Python: graphs as arrays that are mapped, not copied.

    import quern
    graph = quern.read("edges.parquet")
    graph.neighbors(42), graph.degree(42)
    quern.pagerank(graph, damping=0.85).to_pandas()

Graphs come from files, tables, arrays and other libraries, and go there again; docs/python.md is a tour.
"""

from . import _algorithms, graphar, icebug, ogb
from ._algorithms import *  # noqa: F403: every algorithm as a function
from ._changes import append, compact, generations
from ._errors import (Cancelled, DeviceError, InvalidError, NegativeError, QuernError, QuernWarning, SystemFailure,
                      UnsupportedError, UsageError)
from ._features import Feature
from ._fetch import fetch
from ._graph import Graph, PlacedGraph, open, open_part
from ._known import __version__, algorithms, formats, layouts, verify
from ._results import Result
from ._sampler import Batch, Sampler, sampler
from ._frames import from_duckdb, from_edges, from_networkit, from_pandas, from_polars, from_pyg
from ._sources import (from_arrays, from_arrow, from_binsparse, from_igraph, from_networkx, from_scipy, generate, read, read_arrow,
                       read_csv, read_parquet)
from ._table import Table
from ._types import from_types

read_graphar, read_icebug, read_ogb = graphar.read, icebug.read, ogb.read

__all__ = ["Batch", "Cancelled", "DeviceError", "Feature", "Graph", "InvalidError", "NegativeError", "PlacedGraph", "QuernError", "QuernWarning", "Result", "Sampler",
           "SystemFailure", "Table", "UnsupportedError", "UsageError", "algorithms", "append", "compact", "fetch", "formats", "from_arrays", "from_arrow",
           "from_binsparse",
           "from_duckdb", "from_edges", "from_igraph", "from_networkit", "from_networkx", "from_pandas", "from_polars", "from_pyg", "from_scipy",
           "from_types", "generate", "generations", "graphar", "icebug", "layouts", "ogb", "open", "open_part", "read", "read_arrow", "read_csv", "read_graphar",
           "read_icebug", "read_ogb",
           "read_parquet", "sampler", "verify"]
__all__ += _algorithms.__all__
