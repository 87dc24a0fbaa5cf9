/* Edges, each once, and the parts that they are in. */
#pragma once

#include <stdlib.h>

#include "converters/partition/column.h"
#include "converters/partition/neighbors.h"
#include "converters/partition/options.h"
#include "converters/partition/replicas.h"
#include "converters/partition/sizes.h"
#include "support/search.h"

/* The edges of row `v` that are counted there, [*first, *last) among all: those that a directed
 * graph stores, and of both directions of an undirected edge that whose destination is no less than
 * its source. */
static inline void qn_own_edges(const struct qn_graph *graph, uint64_t v, uint64_t *first,
                                uint64_t *last) {
  uint64_t count;
  const uint32_t *columns = qn_row_of(&graph->out, v, &count);
  *first = (uint64_t)(columns - graph->out.column_indices);
  *last = *first + count;
  if (graph->directedness == QN_UNDIRECTED)
    *first = qn_lower_bound_u32(graph->out.column_indices, *first, *last, v);
}

/* Endpoints of edges at each vertex, each edge once, [V]; more than 2^32 - 1 are so many. */
void qn_partition_degrees(const struct qn_graph *graph, uint32_t *degrees);

/* HDRF (F. Petroni, L. Querzoni, K. Daudjee, S. Kamali, G. Iacoboni: HDRF: Stream-Based
 * Partitioning for Power-Law Graphs, CIKM 2015), with the degrees of the graph in place of those
 * seen until then, lambda 1.1, and no part above its capacity. */
enum qn_status qn_partition_hdrf(const struct qn_graph *graph,
                                 const struct qn_partition_options *options,
                                 const struct qn_part_column *parts, struct qn_error *error);

/* 2PS-L (R. Mayer, K. Orujzade, H.-A. Jacobsen: Out-of-Core Edge Partitioning at Linear Run-Time,
 * ICDE 2022). */
enum qn_status qn_partition_2psl(const struct qn_graph *graph,
                                 const struct qn_partition_options *options,
                                 const struct qn_part_column *parts, struct qn_error *error);

/* Give every edge of the graph its part in `parts` [E], in the order of the out-edges, both
 * directions of an undirected one the same. */
enum qn_status qn_partition_edges(const struct qn_graph *graph,
                                  const struct qn_partition_options *options,
                                  const struct qn_part_column *parts, struct qn_error *error);
