/* What is found of triangles of the simple undirected graph (loops, directions and multiplicities
 * ignored). */
#pragma once

#include "kernels/cpu/csr/orientation.h"
#include "kernels/registry.h"

/* How many there are, each counted once: sets the result's count and seconds; what was needed
 * before counting is added to prepare_seconds.
 */
enum qn_status qn_triangles_count(const struct qn_orientation *edges, struct qn_run_result *result,
                                  struct qn_error *error);

/* Local clustering coefficients (kernel_lcc.c), of edges with their ways. `begin` is when the
 * kernel did, before the edges were made. Takes over `edges` whatever the outcome. */
enum qn_status qn_clustering_find(struct qn_orientation *edges, double begin,
                                  struct qn_run_result *result, struct qn_error *error);
