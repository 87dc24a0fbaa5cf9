/* Random walks on CSR (kernels/random_walks.h): what node2vec's and DeepWalk's first part makes
 * (Perozzi, Al-Rfou, Skiena 2014).
 *
 * A kernel of its own because a walk has a value for every step. */
#include "kernels/random_walks.h"
#include "kernels/standalone_kernel.h"
#include "support/context.h"
#include "support/memory.h"
#include "support/threads.h"

extern const struct qn_kernel qn_kernel_walk_csr_cpu;

/* So many walks before the run may be cancelled. */
#define BLOCK ((uint64_t)1 << 16)

static enum qn_status walk_all(const struct qn_walks *walks, uint32_t *positions,
                               uint64_t *num_steps, struct qn_error *error) {
  const uint64_t length = walks->length + 1;
  enum qn_status status = QN_OK;
  uint64_t steps = 0;
  for (uint64_t first = 0; !status && first < walks->num_walks; first += BLOCK) {
    const uint64_t end = first + BLOCK < walks->num_walks ? first + BLOCK : walks->num_walks;
#pragma omp parallel for schedule(dynamic, 64) reduction(+ : steps)
    for (uint64_t walk = first; walk < end; walk++)
      steps += qn_walk_once(walks, walk, positions + walk * length);
    status = qn_context_check(error);
  }
  *num_steps = steps;
  return status;
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  struct qn_walks walks;
  uint32_t *positions = NULL;
  double begin = qn_seconds();
  *result = (struct qn_run_result){.shape = QN_SHAPE_WALKS,
                                   .type = QN_RESULT_U32,
                                   .stats.converged = true,
                                   .stats.iterations = 1};
  enum qn_status status = qn_walks_create(request, &walks, error);
  const uint64_t num_walks = status ? 0 : walks.num_walks, length = status ? 1 : walks.length + 1;
  if (!status)
    status = qn_pages_alloc(&positions, num_walks * length, sizeof *positions, "walks", error);
  result->stats.prepare_seconds = qn_seconds() - begin;
  begin = qn_seconds();
  if (!status)
    status = walk_all(&walks, positions, &result->walks.steps, error);
  result->stats.kernel_seconds = qn_seconds() - begin;
  qn_walks_destroy(&walks);
  if (status) {
    qn_pages_free(positions, num_walks * length, sizeof *positions);
    *result = (struct qn_run_result){0};
    return status;
  }
  result->num_values = num_walks;
  result->walks.length = (uint32_t)length;
  result->values = positions;
  return QN_OK;
}

const struct qn_kernel qn_kernel_walk_csr_cpu =
    QN_WALK_KERNEL("csr, a thread a walk", QN_LAYOUT_GRAPH, QN_CPU, run);
