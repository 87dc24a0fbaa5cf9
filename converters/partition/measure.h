/* How good a partition is. */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "converters/partition/column.h"
#include "converters/partition/neighbors.h"

struct qn_partition_figures {
  bool of_edges;
  uint64_t num_parts, empty_parts;
  /* Of vertices: edges between two parts, an undirected edge counted once; of edges: vertices in
   * several parts. And of how many: edges that are no loops are not the whole, all are; vertices
   * that have an edge. */
  uint64_t cut, whole;
  double cut_ratio;
  /* The largest part's vertices, or edges, in those of an average one. */
  double balance;
  double edge_balance; /* of vertices: the same of the edges that they have */
  /* In how many parts a vertex is on average. Of vertices: its own, and those of its neighbours,
   * which have a copy of it in their halo. Of edges: those of its edges. */
  double replication;
};

/* Measure a partition of the vertices, `parts` [V]. Parts are less than `num_parts`. */
enum qn_status qn_partition_measure_vertices(const struct qn_neighbors *neighbors, bool directed,
                                             const struct qn_part_column *parts, uint64_t num_parts,
                                             struct qn_partition_figures *figures,
                                             struct qn_error *error);
/* The same of the edges, `parts` [E]. */
enum qn_status qn_partition_measure_edges(const struct qn_graph *graph,
                                          const struct qn_part_column *parts, uint64_t num_parts,
                                          struct qn_partition_figures *figures,
                                          struct qn_error *error);

/* Measure the partition that a property says (column.h), of a container whose graph has been
 * checked. */
enum qn_status qn_partition_measure(const struct qn_container *container,
                                    const struct qn_graph *graph, const char *column,
                                    struct qn_partition_figures *figures, struct qn_error *error);

/* A new reference; NULL if memory runs out. */
json_t *qn_partition_figures_json(const struct qn_partition_figures *figures);
/* A line or two, indented by two blanks. */
void qn_partition_figures_print(const struct qn_partition_figures *figures, FILE *stream);
