"""What networkx learns of the backend whenever it is imported; so this imports nothing else."""

from __future__ import annotations

from typing import Any, Dict

NEAR, WALK, SEARCHES = "near", "walk", "searches"
"""What a function costs: a look at some vertices; some walks over all edges; a search from many vertices."""

COSTS: Dict[str, str] = {
    **dict.fromkeys("""bfs_edges bfs_layers bfs_predecessors bfs_successors bfs_tree descendants_at_distance
        bidirectional_dijkstra bidirectional_shortest_path dijkstra_path dijkstra_path_length ego_graph has_path
        jaccard_coefficient adamic_adar_index resource_allocation_index preferential_attachment""".split(), NEAR),
    **dict.fromkeys("""ancestors connected_components core_number degree_assortativity_coefficient degree_centrality
        descendants eigenvector_centrality greedy_color hits in_degree_centrality is_connected is_strongly_connected
        is_weakly_connected k_core k_crust k_shell katz_centrality label_propagation_communities maximal_independent_set multi_source_dijkstra
        multi_source_dijkstra_path multi_source_dijkstra_path_length node_connected_component number_connected_components
        number_strongly_connected_components number_weakly_connected_components out_degree_centrality overall_reciprocity
        pagerank reciprocity shortest_path shortest_path_length single_source_dijkstra single_source_dijkstra_path
        single_source_dijkstra_path_length single_source_shortest_path single_source_shortest_path_length
        single_target_shortest_path single_target_shortest_path_length strongly_connected_components
        weakly_connected_components""".split(), WALK),
    **dict.fromkeys("""all_pairs_dijkstra all_pairs_dijkstra_path all_pairs_dijkstra_path_length all_pairs_shortest_path
        all_pairs_shortest_path_length average_clustering average_shortest_path_length betweenness_centrality
        closeness_centrality clustering harmonic_centrality leiden_communities louvain_communities square_clustering
        transitivity triangles""".split(), SEARCHES),
}
"""Every function that the backend covers."""

NOTES: Dict[str, str] = {
    "betweenness_centrality": "Without weights.",
    "closeness_centrality": "By hops: without `distance`.",
    "harmonic_centrality": "By hops: without `distance`.",
    "clustering": "Of undirected graphs, without weights.",
    "hits": "By power iteration.",
    "louvain_communities": "By the Leiden algorithm, whose communities are connected; of undirected graphs.",
    "pagerank": "Ranks have 32 bits unless `tol` asks for more.",
}


def get_info() -> Dict[str, Any]:
    """The entry point ``networkx.backend_info``."""
    return {
        "backend_name": "quern",
        "project": "quern",
        "package": "nx_quern",
        "short_summary": "Parallel and on GPUs by Quern, on graphs that may be mapped files.",
        "functions": {name: {"additional_docs": NOTES.get(name, "")} for name in COSTS},
        "default_config": {"device": None, "threads": None},
    }
