#include "kernels/cpu/loop/components.h"

#include "kernels/cpu/loop/labels.h"
#include "support/memory.h"
#include "support/threads.h"

static enum qn_status find_components(const struct qn_run_request *request, uint64_t num_vertices,
                                      qn_join_edges *join_edges, uint32_t *parent,
                                      struct qn_error *error) {
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < num_vertices; v++)
    parent[v] = (uint32_t)v;
  enum qn_status status = join_edges(request->view, parent, error);
  if (status)
    return status;
  qn_components_end(parent, num_vertices);
  return request->positions ? qn_label_by_position(parent, num_vertices, request->positions, error)
                            : QN_OK;
}

enum qn_status qn_components_run(const struct qn_run_request *request, uint64_t num_vertices,
                                 qn_join_edges *join_edges, struct qn_run_result *result,
                                 struct qn_error *error) {
  uint32_t *parent;
  *result =
      (struct qn_run_result){.type = QN_RESULT_U32, .stats.iterations = 1, .stats.converged = true};
  double begin = qn_seconds();
  enum qn_status status = qn_pages_alloc(&parent, num_vertices, sizeof *parent, "labels", error);
  if (!status) {
    status = find_components(request, num_vertices, join_edges, parent, error);
    if (status)
      qn_pages_free(parent, num_vertices, sizeof *parent);
  }
  if (status) {
    *result = (struct qn_run_result){0};
    return status;
  }
  result->stats.kernel_seconds = qn_seconds() - begin;
  result->num_values = num_vertices;
  result->values = parent;
  return QN_OK;
}
