/* A maximal independent set on CSR: vertices no two of which are neighbours, and to which none can
 * be added. Taken greedily, those of low degree first (by_priority.h). Loops are ignored.
 *
 * A kernel of its own because a vertex waits for some of its neighbours, not for all. */
#include "kernels/cpu/csr/by_priority.h"
#include "kernels/standalone_kernel.h"
#include "support/memory.h"
#include "support/threads.h"

extern const struct qn_kernel qn_kernel_mis_csr_cpu;

struct work {
  struct qn_priorities priorities;
  uint32_t *is_in; /* [V] */
};

static void visit(void *user, uint32_t v, unsigned thread) {
  const struct work *work = user;
  const struct qn_csr *csr = work->priorities.csr;
  bool is_free = true;
  (void)thread;
  for (uint64_t edge = csr->row_offsets[v]; edge < csr->row_offsets[v + 1] && is_free; edge++) {
    const uint32_t other = csr->column_indices[edge];
    is_free = !qn_comes_before(&work->priorities, other, v) || !work->is_in[other];
  }
  work->is_in[v] = is_free;
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_graph *graph = request->view;
  const uint64_t num_vertices = graph->out.num_vertices;
  struct work work = {0};
  double begin = qn_seconds();
  *result = (struct qn_run_result){0};
  enum qn_status status =
      qn_priorities_create(&graph->out, request->positions, false, &work.priorities, error);
  if (!status)
    status = qn_pages_alloc(&work.is_in, num_vertices, sizeof *work.is_in, "members", error);
  const double prepared = qn_seconds();
  if (!status)
    status = qn_visit_by_priority(&work.priorities, visit, &work, error);
  qn_priorities_destroy(&work.priorities);
  if (status) {
    qn_pages_free(work.is_in, num_vertices, sizeof *work.is_in);
    return status;
  }
  *result = (struct qn_run_result){.type = QN_RESULT_U32,
                                   .num_values = num_vertices,
                                   .values = work.is_in,
                                   .stats.iterations = 1,
                                   .stats.converged = true,
                                   .stats.prepare_seconds = prepared - begin,
                                   .stats.kernel_seconds = qn_seconds() - prepared};
  return QN_OK;
}

const struct qn_kernel qn_kernel_mis_csr_cpu =
    QN_MIS_KERNEL("csr, greedy by degree", QN_LAYOUT_GRAPH, QN_CPU, run);
