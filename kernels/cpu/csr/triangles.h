/* Triangles of the simple undirected graph (loops, directions and multiplicities ignored), each
 * counted once. */
#pragma once

#include "kernels/cpu/csr/orientation.h"
#include "kernels/registry.h"

/* Sets the result's count and seconds; what was needed before counting is added to prepare_seconds.
 */
enum qn_status qn_triangles_count(const struct qn_orientation *edges, struct qn_run_result *result,
                                  struct qn_error *error);
