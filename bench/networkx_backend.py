#!/usr/bin/env python3
"""Functions of networkx by the backend quern, beside networkx itself, nx-parallel and igraph, with what it takes to convert the
graph of networkx. Processor time of all threads and processes, once (networkx) or the least of a few turns.

    pip install '.[networkx]' scipy igraph nx-parallel
    bench/networkx_backend.py [--scale 17] [--only NAME,...] [--json FILE]
"""

import argparse
import importlib.util
import json
import os
import resource
import sys
import time
from pathlib import Path

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # what waits costs nothing

import networkx as nx

import nx_quern
import quern
import records

try:
    import nx_parallel  # noqa: F401
except ImportError:  # it is not there, or not of this networkx
    pass

OURS, MAPPED, KEPT = "Quern", "Quern, a container", "Quern, converted before"


def processor_time():
    return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


def taken(function):
    before = processor_time()
    result = function()
    if hasattr(result, "__next__"):
        for _ in result:
            pass
    return processor_time() - before


def functions(pairs):
    """Each as networkx calls it, and as igraph does."""
    return {
        "pagerank": ({}, lambda graph: graph.pagerank()),
        "hits": ({}, lambda graph: (graph.hub_score(), graph.authority_score())),
        "connected_components": ({}, lambda graph: graph.connected_components().membership),
        "single_source_shortest_path_length": ({"source": 0}, lambda graph: graph.distances(0)),
        "single_source_dijkstra_path_length": ({"source": 0, "weight": "length"}, lambda graph: graph.distances(0)),
        "core_number": ({}, lambda graph: graph.coreness()),
        "triangles": ({}, lambda graph: graph.transitivity_local_undirected()),
        "degree_assortativity_coefficient": ({}, lambda graph: graph.assortativity_degree()),
        "jaccard_coefficient": ({"ebunch": pairs}, lambda graph: graph.similarity_jaccard(pairs=pairs)),
        "katz_centrality": ({"alpha": 1e-4}, None),
        "betweenness_centrality": ({"k": 2, "seed": 1}, lambda graph: graph.betweenness(sources=[1, 2])),
    }


def forget(graph):
    graph.__networkx_cache__.clear()


def by_nx_parallel(name, graph, given):
    """Its processes count when they have ended."""
    from joblib.externals.loky import get_reusable_executor
    result = getattr(nx, name)(graph, backend="parallel", **given)
    get_reusable_executor().shutdown(wait=True)
    return result


def measured(name, graph, container, given, in_igraph, turns):
    """Processor time by column."""
    call = getattr(nx, name)
    found = {"networkx": taken(lambda: call(graph, backend="networkx", **given))}
    if "nx_parallel" in sys.modules and name in nx.utils.backends.backend_info["parallel"]["functions"]:
        found["nx-parallel"] = taken(lambda: by_nx_parallel(name, graph, given))
    if in_igraph and importlib.util.find_spec("igraph"):
        import igraph
        found["igraph"] = min(taken(lambda: in_igraph(igraph.Graph(n=len(graph), edges=list(graph.edges)))) for _ in range(turns))
    columns = {OURS: [], KEPT: [], MAPPED: []}
    for _ in range(turns):
        forget(graph)
        columns[OURS].append(taken(lambda: call(graph, backend="quern", **given)))
        columns[KEPT].append(taken(lambda: call(graph, backend="quern", **given)))
        columns[MAPPED].append(taken(lambda: call(nx_quern.Graph(container), **given)))
    return {**found, **{column: min(times) for column, times in columns.items()}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=int, default=17)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--only", metavar="NAME,...")
    parser.add_argument("--json")
    options = parser.parse_args()
    nx.config.warnings_to_ignore.add("cache")
    container = quern.generate("rmat", options.scale, degree=8, directed=False, self_loops="remove", duplicates="remove")
    graph = container.to_networkx()
    nodes = list(graph)
    pairs = list(zip(nodes[:50000], nodes[50000:100000]))
    print("%d nodes, %d edges" % (len(graph), graph.number_of_edges()), flush=True)
    found = []
    for name, (given, in_igraph) in functions(pairs).items():
        if options.only and name not in options.only.split(","):
            continue
        times = measured(name, graph, container, given, in_igraph, options.turns)
        found += [records.record("`%s`" % name, column, value, "s") for column, value in times.items()]
        print("%-36s %s" % (name, "  ".join("%s %.3g s" % time for time in times.items())), flush=True)
    if options.json:
        Path(options.json).write_text(json.dumps(records.stamp({"networkx": found})))


if __name__ == "__main__":
    main()
