/* Weakly connected components on shards (loop/components.h): along the rows of
 * in-edges. */
#include "kernels/cpu/loop/components.h"
#include <quern/shards.h>

extern const struct qn_kernel qn_kernel_cc_joined_shards_cpu;

static enum qn_status join_edges(const void *view, struct qn_joining *joining,
                                 struct qn_error *error) {
  const struct qn_csr *in = &((const struct qn_shards *)view)->in;
  (void)error;
  while (qn_joining_next(joining)) {
#pragma omp parallel for schedule(dynamic, 1024)
    for (uint64_t v = 0; v < in->num_vertices; v++)
      qn_joining_neighbors(joining, (uint32_t)v, qn_neighbors_of(in, v));
  }
  return QN_OK;
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_shards *view = request->view;
  const struct qn_joined_layout layout = {.num_vertices = view->num_vertices,
                                          .directedness = view->directedness};
  return qn_components_run(request, &layout, join_edges, result, error);
}

const struct qn_kernel qn_kernel_cc_joined_shards_cpu =
    QN_CC_JOINED_KERNEL("shards, union-find", QN_LAYOUT_SHARDS, QN_CPU, run);
