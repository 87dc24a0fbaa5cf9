"""Quern as a backend of networkx: `nx.pagerank(graph, backend="quern")`, and containers as graphs of networkx.

    import networkx as nx, nx_quern
    graph = nx_quern.open("web.qrn")    # mapped, and used as it is
    nx.pagerank(graph)

networkx finds this package by its entry points and imports it with every `import networkx`; so what needs libquern is
imported when it is used. docs/python.md says what is covered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .container import Graph, open

__all__ = ["Graph", "open"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from . import container
        return getattr(container, name)
    raise AttributeError("module %r has no attribute %r" % (__name__, name))
