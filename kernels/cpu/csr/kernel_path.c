/* One shortest path on CSR, from a source to a target, searched for from both ends
 * (kernels/cpu/paths), by weights or, where edges count 1 each, by hops.
 *
 * A kernel of its own because it ends before its values are final, and walks back. One thread
 * works: vertices are settled one after another. */
#include <math.h>

#include "formats/graph/weight_limit.h"
#include "kernels/cpu/paths/path.h"
#include "kernels/standalone_kernel.h"
#include "support/threads.h"

extern const struct qn_kernel qn_kernel_path_csr_cpu;

/* A negative weight anywhere might make another path the shortest. */
static enum qn_status check_weights(const struct qn_csr *csr, struct qn_error *error) {
  const struct qn_weight_limit limit = {INT64_MAX, INFINITY, 0};
  const enum qn_weight_type type = csr->weights.type;
  const uint64_t num_edges = type == QN_WEIGHT_U32 ? 0 : csr->num_edges;
  uint64_t bad = UINT64_MAX;
#pragma omp parallel for schedule(static) reduction(min : bad)
  for (uint64_t edge = 0; edge < num_edges; edge++) {
    const uint64_t bits = qn_weight_load(csr->weights.data, qn_weight_bytes(type), edge);
    if (!qn_weight_is_within(type, bits, &limit) && edge < bad)
      bad = edge;
  }
  if (bad == UINT64_MAX)
    return QN_OK;
  char text[QN_WEIGHT_TEXT];
  qn_weight_text(type, qn_weight_load(csr->weights.data, qn_weight_bytes(type), bad), text);
  return qn_fail(error, QN_UNSUPPORTED,
                 "path needs weights that are not negative, but that of edge %llu is %s",
                 (unsigned long long)bad, text);
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_graph *graph = request->view;
  const struct qn_csr *out = &graph->out;
  const bool is_weighted =
      !qn_argument(request, "unweighted").whole && out->weights.type != QN_WEIGHT_NONE;
  const bool is_real =
      is_weighted && (out->weights.type == QN_WEIGHT_F32 || out->weights.type == QN_WEIGHT_F64);
  struct qn_path path = {0};
  const double begin = qn_seconds();
  *result = (struct qn_run_result){0};
  enum qn_status status = is_weighted ? check_weights(out, error) : QN_OK;
  const double prepared = qn_seconds();
  if (!status && request->inputs.num_sources > 0 && request->inputs.target) {
    const struct qn_path_ends ends = {.out = out,
                                      .in = graph->has_transpose ? &graph->in : NULL,
                                      .positions = request->positions,
                                      .source = request->inputs.sources[0],
                                      .target = *request->inputs.target};
    status = is_weighted ? qn_path_by_weights(&ends, &path, error)
                         : qn_path_by_hops(&ends, &path, error);
  }
  if (!status)
    *result = (struct qn_run_result){.shape = QN_SHAPE_PATH,
                                     .type = is_real ? QN_RESULT_F64 : QN_RESULT_U64,
                                     .num_values = path.num_vertices,
                                     .values = path.distances,
                                     .path = path.vertices,
                                     .stats.iterations = 1,
                                     .stats.converged = true,
                                     .stats.prepare_seconds = prepared - begin,
                                     .stats.kernel_seconds = qn_seconds() - prepared};
  return status;
}

const struct qn_kernel qn_kernel_path_csr_cpu =
    QN_PATH_KERNEL("csr, from both ends", QN_LAYOUT_GRAPH, QN_CPU, run);
