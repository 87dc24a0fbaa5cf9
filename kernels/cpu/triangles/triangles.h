/* What is found of triangles of the simple undirected graph (loops, directions and multiplicities
 * ignored). */
#pragma once

#include "kernels/cpu/triangles/orientation.h"
#include "kernels/registry.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the edges of a view, with their ways if `wants_ways`; what it made is the caller's. */
typedef enum qn_status qn_orient_view(const void *view, bool wants_ways,
                                      struct qn_orientation *edges, struct qn_error *error);

/* How many there are, each counted once (kernel_tc.c). */
enum qn_status qn_triangles_run(const struct qn_run_request *request, qn_orient_view *orient,
                                struct qn_run_result *result, struct qn_error *error);

/* Local clustering coefficients (kernel_lcc.c). */
enum qn_status qn_clustering_run(const struct qn_run_request *request, qn_orient_view *orient,
                                 struct qn_run_result *result, struct qn_error *error);

#ifdef __cplusplus
}
#endif
