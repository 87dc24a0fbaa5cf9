/* Communities by label propagation on CSR (label_propagation.h).
 *
 * A kernel of its own because the most frequent label is no combination of messages: a vertex needs
 * all of them before it knows. */
#include "kernels/cpu/communities/label_propagation.h"
#include "kernels/in_edges.h"
#include "kernels/standalone_kernel.h"
#include "support/threads.h"

extern const struct qn_kernel qn_kernel_cdlp_csr_cpu;

static enum qn_status take(void *context, uint64_t band, struct qn_label_rows *rows,
                           struct qn_error *error) {
  (void)band, (void)error;
  *rows = *(const struct qn_label_rows *)context;
  return QN_OK;
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_graph *graph = request->view;
  struct qn_graph transposed = {0};
  struct qn_label_rows rows = {.out = &graph->out};
  const struct qn_label_source source = {
      .num_vertices = graph->out.num_vertices, .num_bands = 1, .take = take, .context = &rows};
  const double begin = qn_seconds();
  enum qn_status status = QN_OK;
  *result = (struct qn_run_result){0};
  if (graph->directedness != QN_UNDIRECTED)
    status = qn_find_in_edges(graph, &transposed, &rows.in, error);
  const double transposed_seconds = qn_seconds() - begin;
  if (!status)
    status = qn_label_propagation(request, &source, result, error);
  result->stats.prepare_seconds += transposed_seconds;
  qn_in_edges_free(&transposed);
  return status;
}

const struct qn_kernel qn_kernel_cdlp_csr_cpu =
    QN_CDLP_KERNEL("csr, labels counted by hashing", QN_LAYOUT_GRAPH, QN_CPU, run);
