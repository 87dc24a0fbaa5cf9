/* Weakly connected components on layouts on which label propagation (kernels/programs/cc.h) would
 * walk every edge as often as the diameter is long, in a directed graph both ways: each edge joins
 * the trees of its ends (formats/graph/components.h), in one walk in any order. */
#pragma once

#include "formats/graph/components.h"
#include "kernels/standalone_kernel.h"

/* Call qn_components_join or qn_components_join_ends for every edge of the view, by the graph's
 * numbers, with all threads. */
typedef enum qn_status qn_join_edges(const void *view, uint32_t *parent, struct qn_error *error);

/* The whole run of such a kernel (struct qn_kernel's run) on a graph of `num_vertices`. */
enum qn_status qn_components_run(const struct qn_run_request *request, uint64_t num_vertices,
                                 qn_join_edges *join_edges, struct qn_run_result *result,
                                 struct qn_error *error);
