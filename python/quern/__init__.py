"""Quern for Python: graphs as arrays that are mapped, not copied.

    import quern
    graph = quern.open("web.qrn")
    graph.column_indices[graph.row_offsets[42]:graph.row_offsets[43]]  # views of the file
    graph.run("pagerank").to_pandas()

Graphs come from arrays, tables, other libraries and files, and go there again; docs/python.md is a tour.
"""

from . import graphar
from ._errors import (Cancelled, DeviceError, InvalidError, NegativeError, QuernError, QuernWarning, SystemFailure,
                      UnsupportedError, UsageError)
from ._graph import Graph, PlacedGraph, open
from ._known import __version__, algorithms, formats, layouts, verify
from ._results import Result
from ._sources import (from_arrays, from_arrow, from_igraph, from_networkx, from_scipy, generate, read, read_arrow,
                       read_parquet)
from ._table import Table

read_graphar = graphar.read

__all__ = ["Cancelled", "DeviceError", "Graph", "InvalidError", "NegativeError", "PlacedGraph", "QuernError", "QuernWarning", "Result",
           "SystemFailure", "Table", "UnsupportedError", "UsageError", "algorithms", "formats", "from_arrays", "from_arrow",
           "from_igraph", "from_networkx", "from_scipy", "generate", "graphar", "layouts", "open", "read", "read_arrow", "read_graphar",
           "read_parquet", "verify"]
