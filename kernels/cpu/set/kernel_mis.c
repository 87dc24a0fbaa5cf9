/* A maximal independent set on a set: that of kernels/cpu/csr/kernel_mis.c, found in rounds, each a
 * walk over the rows of vertices that are not decided.
 *
 * A kernel of its own for the reason that is told there. A vertex that a neighbour in the set comes
 * before is out; one that waits for no neighbour before it is in. What is decided is so for good,
 * so the outcome does not depend on when a vertex learns of it. */
#include "kernels/set_view.h"
#include "kernels/standalone_kernel.h"
#include "kernels/visit_order.h"
#include "support/context.h"
#include "support/memory.h"
#include "support/temp_file.h"
#include "support/threads.h"

extern const struct qn_kernel qn_kernel_mis_set_cpu;

enum decision { UNDECIDED, IN, OUT };
enum sight { WAITS = 1, BEATEN = 2 };

struct work {
  const struct qn_set_view *view;
  const uint32_t *positions; /* NULL: themselves */
  uint8_t *decisions;        /* [V] */
  uint8_t *sights; /* [V] what the blocks of a row so far show of its neighbours before it */
};

static uint64_t priority_of(const struct work *work, uint64_t v) {
  return qn_visit_priority(qn_degree_of(&work->view->out_degrees, v),
                           work->positions ? work->positions[v] : (uint32_t)v, false);
}

static uint8_t look(const struct work *work, const struct qn_part_rows *part, uint64_t v) {
  const struct qn_csr *csr = part->csr;
  const uint64_t row = v - part->begin, own = priority_of(work, v);
  uint8_t sight = 0;
  for (uint64_t edge = csr->row_offsets[row]; edge < csr->row_offsets[row + 1]; edge++) {
    const uint64_t other = part->columns_begin + csr->column_indices[edge];
    const uint8_t decision = __atomic_load_n(&work->decisions[other], __ATOMIC_RELAXED);
    if (decision == OUT || priority_of(work, other) <= own)
      continue;
    if (decision == IN)
      return BEATEN;
    sight = WAITS;
  }
  return sight;
}

/* How many of the part's vertices are decided now. */
static uint64_t walk_part(struct work *work, const struct qn_part_rows *part) {
  uint64_t decided = 0;
#pragma omp parallel for schedule(dynamic, 1024) reduction(+ : decided)
  for (uint64_t v = part->begin; v < part->end; v++) {
    if (work->decisions[v] != UNDECIDED)
      continue;
    if (work->sights[v] != BEATEN)
      work->sights[v] |= look(work, part, v);
    if (!part->ends_row)
      continue;
    if (work->sights[v] != WAITS) {
      __atomic_store_n(&work->decisions[v], work->sights[v] ? OUT : IN, __ATOMIC_RELAXED);
      decided++;
    }
    work->sights[v] = 0;
  }
  return decided;
}

static enum qn_status walk_all(struct work *work, uint64_t *decided, struct qn_error *error) {
  const struct qn_set_view *view = work->view;
  enum qn_status status = qn_context_check(error);
  for (uint64_t i = 0; !status && i < view->num_parts; i++) {
    status = qn_part_enter(view, i, error);
    if (!status)
      *decided += walk_part(work, &view->parts[i]);
    qn_part_leave(view, i);
  }
  return status;
}

/* Of those that are left the one that comes first is decided in each round. */
static enum qn_status decide(struct work *work, uint32_t *rounds, struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint64_t decided = 0; !status && decided < work->view->num_vertices; ++*rounds)
    status = walk_all(work, &decided, error);
  return status;
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  struct work work = {.view = request->view, .positions = request->positions};
  const uint64_t num_vertices = work.view->num_vertices;
  uint32_t *members = NULL, rounds = 0;
  const double begin = qn_seconds();
  *result = (struct qn_run_result){0};
  enum qn_status status =
      qn_bulk_alloc(&work.decisions, num_vertices, sizeof *work.decisions, "decisions", error);
  if (!status)
    status = qn_bulk_alloc(&work.sights, num_vertices, sizeof *work.sights, "neighbours", error);
  if (!status)
    status = decide(&work, &rounds, error);
  if (!status)
    status = qn_bulk_alloc(&members, num_vertices, sizeof *members, "members", error);
  if (!status) {
#pragma omp parallel for schedule(static)
    for (uint64_t v = 0; v < num_vertices; v++)
      members[v] = work.decisions[v] == IN;
    *result = (struct qn_run_result){.type = QN_RESULT_U32,
                                     .num_values = num_vertices,
                                     .values = members,
                                     .stats.iterations = rounds,
                                     .stats.converged = true,
                                     .stats.kernel_seconds = qn_seconds() - begin};
  }
  qn_pages_free(work.sights, num_vertices, sizeof *work.sights);
  qn_pages_free(work.decisions, num_vertices, sizeof *work.decisions);
  return status;
}

const struct qn_kernel qn_kernel_mis_set_cpu = QN_STANDALONE_KERNEL(
    mis, "rounds, greedy by degree", QN_LAYOUT_SET, QN_CPU,
    QN_KERNEL_SYMMETRIC | QN_KERNEL_NO_FRONTIER | QN_KERNEL_ALONE, QN_RESULT_U32, run, 0);
