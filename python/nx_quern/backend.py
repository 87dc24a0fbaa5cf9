"""The backend as networkx uses it: the entry point ``networkx.backends``."""

from __future__ import annotations

from typing import Any, List, Union

import networkx

# Each of these declares functions.
from . import (centrality, clustering, communities, components, distances, link_analysis, pairs, structure,  # noqa: F401
               traversal, weighted)
from .convert import cached, from_networkx
from .function import COVERED, reason_against
from .graph import BackendGraph
from .info import COSTS, NEAR, SEARCHES

FEW = {SEARCHES: 100}  # nodes below which networkx has done before arrays are made
FEW_OTHERWISE = 1000


class Backend:
    """Functions by their names, and what networkx asks about them."""

    def __getattr__(self, name: str) -> Any:
        try:
            return COVERED[name]
        except KeyError:
            raise AttributeError("the backend quern has no %s" % name) from None

    @staticmethod
    def convert_from_nx(graph: Any, **wanted: Any) -> Any:
        return from_networkx(graph)

    @staticmethod
    def convert_to_nx(result: Any, **wanted: Any) -> Any:
        return result.to_networkx() if isinstance(result, BackendGraph) else result

    @staticmethod
    def can_run(name: str, args: Any, kwargs: Any) -> Union[bool, str]:
        if tuple(map(int, networkx.__version__.split(".")[:2])) < (3, 5):
            return "it needs networkx 3.5 or later"
        return reason_against(name, args, kwargs) or True

    @staticmethod
    def should_run(name: str, args: Any, kwargs: Any) -> Union[bool, str]:
        graph = args[0] if args else kwargs["G"]
        if isinstance(graph, BackendGraph) or cached(graph):
            return True
        if COSTS[name] == NEAR:
            return "it looks at less than converting the graph does"
        if len(graph) < FEW.get(COSTS[name], FEW_OTHERWISE):
            return "the graph is small"
        return True

    @staticmethod
    def on_start_tests(items: List[Any]) -> None:
        from .expected import mark
        mark(items)


backend = Backend()
