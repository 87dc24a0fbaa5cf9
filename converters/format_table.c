/* A new format is a file in readers/ or writers/, or both, and a row here. */
#include "converters/format.h"

extern const struct qn_reader qn_reader_adjacency;
extern const struct qn_reader qn_reader_binsparse;
extern const struct qn_reader qn_reader_container;
extern const struct qn_reader qn_reader_dimacs;
extern const struct qn_reader qn_reader_dot;
extern const struct qn_reader qn_reader_edges;
extern const struct qn_reader qn_reader_galois;
extern const struct qn_reader qn_reader_gapbs;
extern const struct qn_reader qn_reader_gexf;
extern const struct qn_reader qn_reader_gml;
extern const struct qn_reader qn_reader_graphalytics;
extern const struct qn_reader qn_reader_graphml;
extern const struct qn_reader qn_reader_hyperedges;
extern const struct qn_reader qn_reader_json;
extern const struct qn_reader qn_reader_lgl;
extern const struct qn_reader qn_reader_matrix_market;
extern const struct qn_reader qn_reader_metis;
extern const struct qn_reader qn_reader_named_edges;
extern const struct qn_reader qn_reader_n_triples;
extern const struct qn_reader qn_reader_neighbors;
extern const struct qn_reader qn_reader_npy;
extern const struct qn_reader qn_reader_npz;
extern const struct qn_reader qn_reader_pairs;
extern const struct qn_reader qn_reader_pajek;
extern const struct qn_reader qn_reader_parts;
extern const struct qn_reader qn_reader_webgraph;
extern const struct qn_reader qn_reader_vertices;

extern const struct qn_graph_writer qn_graph_writer_binsparse;
extern const struct qn_graph_writer qn_graph_writer_adjacency;
extern const struct qn_graph_writer qn_graph_writer_arcs;
extern const struct qn_graph_writer qn_graph_writer_csv;
extern const struct qn_graph_writer qn_graph_writer_dimacs;
extern const struct qn_graph_writer qn_graph_writer_edges;
extern const struct qn_graph_writer qn_graph_writer_galois;
extern const struct qn_graph_writer qn_graph_writer_gexf;
extern const struct qn_graph_writer qn_graph_writer_gapbs;
extern const struct qn_graph_writer qn_graph_writer_gml;
extern const struct qn_graph_writer qn_graph_writer_graphalytics;
extern const struct qn_graph_writer qn_graph_writer_graphframes;
extern const struct qn_graph_writer qn_graph_writer_graphml;
extern const struct qn_graph_writer qn_graph_writer_json;
extern const struct qn_graph_writer qn_graph_writer_json_lines;
extern const struct qn_graph_writer qn_graph_writer_matrix_market;
extern const struct qn_graph_writer qn_graph_writer_metis;
extern const struct qn_graph_writer qn_graph_writer_n_quads;
extern const struct qn_graph_writer qn_graph_writer_n_triples;
extern const struct qn_graph_writer qn_graph_writer_neo4j;
extern const struct qn_graph_writer qn_graph_writer_npy;
extern const struct qn_graph_writer qn_graph_writer_npz;
extern const struct qn_graph_writer qn_graph_writer_pairs;
extern const struct qn_graph_writer qn_graph_writer_webgraph;

const struct qn_format qn_formats[] = {
    {.name = "quern",
     .files = ".qrn",
     .description =
         "Quern's containers of any layout, plain or archived, also as members of bundles",
     .reader = &qn_reader_container,
     .reading = {.loses = "the layout; where the container came from"}},
    {.name = "matrix-market",
     .files = ".mtx",
     .description = "Matrix Market coordinate files: pattern, integer or real; general, symmetric "
                    "or skew-symmetric",
     .reader = &qn_reader_matrix_market,
     .reading = {.refuses = "dense and complex matrices"},
     .writer = &qn_graph_writer_matrix_market,
     .writing = {.loses = "ids (vertices are numbered from 1)"}},
    {.name = "adjacency",
     .files = ".adj",
     .description = "AdjacencyGraph and WeightedAdjacencyGraph of Ligra and GBBS",
     .reader = &qn_reader_adjacency,
     .writer = &qn_graph_writer_adjacency,
     .writing = {.loses = "ids; that a graph is undirected (edges are listed both ways)"}},
    {.name = "named-edges",
     .files = ".txt .tsv .csv",
     .description = "Text edge lists with names for vertices (--ids=strings), or bipartite ones",
     .reader = &qn_reader_named_edges,
     .reading = {.loses = "columns beside source, destination and weight"}},
    {.name = "npy",
     .files = ".npy",
     .description = "NumPy arrays of two rows or two columns: the endpoints of edges (DGL, PyG)",
     .reader = &qn_reader_npy,
     .writer = &qn_graph_writer_npy,
     .writing = {.loses = "weights; vertices without edges; that a graph is undirected (edges are "
                          "listed once)",
                 .refuses = "ids that are names"}},
    {.name = "npz",
     .files = ".npz",
     .description = "NumPy archives of scipy.sparse matrices (csr, csc, coo), or of edge_index",
     .reader = &qn_reader_npz,
     .reading = {.loses = "arrays that are not of the matrix", .refuses = "formats bsr and dia"},
     .writer = &qn_graph_writer_npz,
     .writing = {.loses = "ids that are names"}},
    {.name = "binsparse",
     .files = ".h5 .bsp.h5",
     .description = "Sparse matrices by the Binsparse specification in HDF5, if the build has it: "
                    "CSR, CSC, DCSR, DCSC, COO; symmetric and skew-symmetric ones by a triangle",
     .reader = &qn_reader_binsparse,
     .reading = {.loses = "values that are all one 1 (they mean no weights)",
                 .refuses = "vectors, dense and custom formats; complex values, but with "
                            "--weights=none; fill values that are not 0"},
     .writer = &qn_graph_writer_binsparse,
     .writing = {.loses = "ids that are names", .refuses = "parallel edges"}},
    {.name = "galois",
     .files = ".gr",
     .description = "Graphs of the Galois system: versions 1 and 2 are read, 1 is written",
     .reader = &qn_reader_galois,
     .reading = {.refuses = "edge data of other than 4 bytes; in version 2 edge data of an odd "
                            "number of edges"},
     .writer = &qn_graph_writer_galois,
     .writing = {.loses = "ids; that a graph is undirected (edges are listed both ways)",
                 .refuses = "real weights"}},
    {.name = "gapbs",
     .files = ".sg .wsg",
     .description = "Serialized graphs of the GAP Benchmark Suite",
     .reader = &qn_reader_gapbs,
     .writer = &qn_graph_writer_gapbs,
     .writing = {.loses = "ids",
                 .refuses = "real weights and those above 2^31-1; more than 2^31 vertices"}},
    {.name = "dimacs",
     .files = ".gr",
     .description =
         "Graphs of the DIMACS challenges: shortest paths ('p sp', then 'a FROM TO "
         "WEIGHT'), read also flows (.max, 'p max') and colourings (.col, 'p edge', 'e A B', "
         "undirected)",
     .reader = &qn_reader_dimacs,
     .reading = {.loses = "comments; source and sink of flows; values of vertices"},
     .writer = &qn_graph_writer_dimacs,
     .writing = {.loses = "ids (vertices are numbered from 1); that there are no weights (they "
                          "become 1); that a graph is undirected (arcs go both ways)"}},
    {.name = "webgraph",
     .files = ".graph with .properties and .offsets; .labels",
     .description = "WebGraph's BVGraph; written as a folder, with its default parameters",
     .reader = &qn_reader_webgraph,
     .reading = {.refuses = "other classes, little-endian bits, lists as labels"},
     .writer = &qn_graph_writer_webgraph,
     .writing = {.loses = "ids; weights that are not whole numbers from 0 on; parallel edges; that "
                          "a graph is undirected (arcs go both ways)"}},
    {.name = "arcs",
     .files = ".arcs",
     .description = "WebGraph's list of arcs as text (ArcListASCIIGraph); edges reads it",
     .writer = &qn_graph_writer_arcs,
     .writing = {.loses = "ids; weights; vertices without edges; that a graph is undirected (arcs "
                          "go both ways)"}},
    {.name = "metis",
     .files = ".graph",
     .description = "METIS graphs: 'VERTICES EDGES', then a line of neighbours a vertex",
     .reader = &qn_reader_metis,
     .reading = {.loses = "sizes and weights of vertices, unless --properties wants them"},
     .writer = &qn_graph_writer_metis,
     .writing = {.loses = "ids (vertices are numbered from 1); properties but size and weight, or "
                          "weight1, weight2, ..., of vertices",
                 .refuses =
                     "directed graphs, loops and parallel edges; weights that are real, 0 or above "
                     "2^31-1"}},
    {.name = "graphalytics",
     .files = ".properties .v .e",
     .description = "Graphs of the LDBC Graphalytics benchmark: properties that name vertices and "
                    "edges, written as a folder",
     .reader = &qn_reader_graphalytics,
     .reading = {.loses = "what the benchmark is to compute", .refuses = "ids that are names"},
     .writer = &qn_graph_writer_graphalytics,
     .writing = {.refuses = "ids that are names"}},
    {.name = "vertices",
     .files = ".v",
     .description = "Lists of vertices, an id a line, beside edges of other inputs",
     .reader = &qn_reader_vertices,
     .reading = {.refuses = "ids that are names"}},
    {.name = "parts",
     .files = "_manifest.json",
     .description = "Folders of quern-export --parts, by their manifest: files of edges, csv, npy "
                    "or (with --record) pairs",
     .reader = &qn_reader_parts,
     .reading = {.loses = "as the files' format does"}},
    {.name = "json",
     .files = ".json .jsonl .ndjson",
     .description = "JSON: node-link graphs (networkx, D3), lists of edges, an edge a line; read "
                    "also JSON Graph Format and Cytoscape",
     .reader = &qn_reader_json,
     .reading = {.loses = "data but weights, unless --properties wants them",
                 .refuses = "ids other than strings and integers"},
     .writer = &qn_graph_writer_json,
     .writing = {.refuses = "names that are not UTF-8"}},
    {.name = "json-lines",
     .files = ".jsonl .ndjson",
     .description = "JSON, an edge a line with its properties (DuckDB, jq, Spark); json reads it",
     .writer = &qn_graph_writer_json_lines,
     .writing = {.loses = "vertices without edges; that a graph is undirected (edges are listed "
                          "once); properties of vertices",
                 .refuses = "names that are not UTF-8; ids of 2^63 and more"}},
    {.name = "gml",
     .files = ".gml",
     .description = "GML (networkx, igraph, Newman's collection): ids of vertices, weight or value",
     .reader = &qn_reader_gml,
     .reading = {.loses = "labels (unless Quern wrote names there) and other data, unless "
                          "--properties wants them; lists"},
     .writer = &qn_graph_writer_gml,
     .writing = {.loses = "ids that are names, if vertices have a property label"}},
    {.name = "dot",
     .files = ".dot .gv",
     .description = "DOT (Graphviz): edges, their weights, vertices without edges",
     .reader = &qn_reader_dot,
     .reading = {.loses = "attributes but weights; groups; ports",
                 .refuses = "edges between groups; names in HTML"}},
    {.name = "pajek",
     .files = ".net .paj",
     .description = "Pajek networks: *Vertices, then *Arcs or *Edges, lists of them, or *Matrix",
     .reader = &qn_reader_pajek,
     .reading = {.loses = "labels and what vertices look like",
                 .refuses =
                     "arcs and edges in one file; in networks of two modes edges within one"}},
    {.name = "lgl",
     .files = ".lgl",
     .description = "LGL (igraph): '# VERTEX', then its neighbours, a line each; undirected",
     .reader = &qn_reader_lgl},
    {.name = "n-triples",
     .files = ".nt",
     .description =
         "RDF as N-Triples and N-Quads: subjects and objects; --properties=all keeps the "
         "rest, and --types makes types of it",
     .reader = &qn_reader_n_triples,
     .reading = {.loses =
                     "without --properties predicates, literals and the names of graphs; those "
                     "of literals"},
     .writer = &qn_graph_writer_n_triples,
     .writing = {.loses = "weights; properties of edges but predicate (or TYPE); that a graph is "
                          "undirected (edges are listed once); vertices of which nothing is said",
                 .refuses = "names that are no IRIs, without --base; names that are not UTF-8"}},
    {.name = "n-quads",
     .files = ".nq",
     .description = "N-Triples with the property graph of edges; n-triples reads it",
     .writer = &qn_graph_writer_n_quads,
     .writing = {.loses = "as n-triples, but for the property graph",
                 .refuses = "names that are no IRIs, without --base; names that are not UTF-8"}},
    {.name = "neighbors",
     .files = ".adjlist",
     .description = "A vertex and its neighbours, a line (networkx's adjacency lists)",
     .reader = &qn_reader_neighbors},
    {.name = "hyperedges",
     .files = ".txt .csv",
     .description = "The vertices of a hyperedge, a line: bipartite, E1, E2, ... and V with names",
     .reader = &qn_reader_hyperedges},
    {.name = "graphml",
     .files = ".graphml .xml",
     .description = "GraphML (networkx, igraph, yEd): ids of vertices, the data called weight",
     .reader = &qn_reader_graphml,
     .reading = {.loses = "data but weights, unless --properties wants them; ports; data of the "
                          "graph; ids of edges; which vertex a nested graph is in",
                 .refuses = "edges directed and not in one graph; hyperedges"},
     .writer = &qn_graph_writer_graphml,
     .writing = {.refuses = "names that are not UTF-8, or have control characters"}},
    {.name = "gexf",
     .files = ".gexf",
     .description = "GEXF (Gephi, networkx): ids of vertices, weights of edges",
     .reader = &qn_reader_gexf,
     .reading = {.loses = "attributes but weights, unless --properties wants them; times; what "
                          "things look like; ids of edges",
                 .refuses = "edges directed and not in one graph, or mutual"},
     .writer = &qn_graph_writer_gexf,
     .writing = {.refuses = "names that are not UTF-8, or have control characters"}},
    {.name = "parquet",
     .files = ".parquet",
     .description = "Apache Parquet, a row an edge (--columns), through the Python package",
     .reading = {.loses = "other columns", .refuses = "nulls"},
     .writing = {.loses = "vertices without edges; that a graph is undirected"},
     .by_package = true},
    {.name = "arrow",
     .files = ".arrow .feather .arrows",
     .description =
         "Apache Arrow IPC files and streams, Feather, a row an edge, through the Python "
         "package",
     .reading = {.loses = "other columns", .refuses = "nulls"},
     .writing = {.loses = "vertices without edges; that a graph is undirected"},
     .by_package = true},
    {.name = "graphar",
     .files = ".graph.yml",
     .description = "Apache GraphAr, one type of edges (--member) or with --types all, through the "
                    "Python package",
     .reading = {.loses = "lists; without --types other types of edges"},
     .writing = {.refuses = "ids of 2^63 and more; vectors"},
     .by_package = true},
    {.name = "icebug-disk",
     .files = "indptr_*.parquet",
     .description = "Graphs of icebug-disk: compressed sparse rows in Parquet, one type of edges "
                    "(--member), through the Python package",
     .reading = {.loses = "lists; other types of edges"},
     .writing = {.loses = "that a graph is undirected (edges are listed both ways)"},
     .by_package = true},
    {.name = "metis-part",
     .files = ".part",
     .description =
         "METIS's partitions: the part of each vertex, of the property --column, through "
         "the Python package",
     .writing = {.loses = "the graph", .refuses = "parts of edges; nulls"},
     .by_package = true,
     .is_only_written = true},
    {.name = "pyg-partition",
     .files = "META.json",
     .description =
         "Folders of PyG's torch_geometric.distributed, by the property --column, through "
         "the Python package and torch",
     .writing = {.loses = "ids; properties that are no numbers; that a graph is undirected (edges "
                          "are listed both ways)",
                 .refuses = "parts of edges; nulls"},
     .by_package = true,
     .is_only_written = true},
    {.name = "pairs",
     .files = ".bin",
     .description = "Binary edges without a header, as --record says (Gemini, GridGraph, X-Stream, "
                    "GraphChi, Graph500)",
     .reader = &qn_reader_pairs,
     .writer = &qn_graph_writer_pairs,
     .writing = {.loses =
                     "vertices without edges; that a graph is undirected (edges are listed once)",
                 .refuses = "ids that are names"}},
    {.name = "edges",
     .files = ".el .wel .txt .tsv .csv out.*",
     .description = "Text, an edge a line (SNAP, KONECT, CSV, TSV): source, destination, and "
                    "perhaps a weight",
     .reader = &qn_reader_edges,
     .reading = {.loses = "columns beside source, destination and weight"},
     .writer = &qn_graph_writer_edges,
     .writing = {.loses =
                     "vertices without edges; that a graph is undirected (edges are listed once), "
                     "which --header keeps"}},
    {.name = "csv",
     .files = ".csv",
     .description =
         "CSV with the header src,dst,weight (cuGraph, pandas, networkx); edges reads it",
     .writer = &qn_graph_writer_csv,
     .writing = {.loses = "vertices without edges; that a graph is undirected (edges are listed "
                          "once)"}},
    {.name = "graphframes",
     .files = "vertices.csv edges.csv",
     .description =
         "A folder with vertices.csv and edges.csv for GraphFrames of Spark; edges reads it",
     .writer = &qn_graph_writer_graphframes},
    {.name = "neo4j",
     .files = "nodes.csv relationships.csv",
     .description =
         "A folder with nodes.csv and relationships.csv for neo4j-admin database import; "
         "edges reads it",
     .writer = &qn_graph_writer_neo4j},
    {.name = NULL},
};
