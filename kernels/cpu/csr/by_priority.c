#include "kernels/cpu/csr/by_priority.h"

#include <omp.h>

#include "kernels/cpu/loop/frontier.h"
#include "kernels/visit_order.h"
#include "support/memory.h"

enum qn_status qn_priorities_create(const struct qn_csr *csr, const uint32_t *positions,
                                    bool high_degrees_first, struct qn_priorities *priorities,
                                    struct qn_error *error) {
  *priorities = (struct qn_priorities){.csr = csr};
  enum qn_status status = qn_pages_alloc(&priorities->of, csr->num_vertices, sizeof *priorities->of,
                                         "priorities", error);
  if (status)
    return status;
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < csr->num_vertices; v++) {
    const uint64_t edges = csr->row_offsets[v + 1] - csr->row_offsets[v];
    priorities->of[v] =
        qn_visit_priority(edges, positions ? positions[v] : (uint32_t)v, high_degrees_first);
  }
  return QN_OK;
}

void qn_priorities_destroy(struct qn_priorities *priorities) {
  const uint64_t num_vertices = priorities->csr ? priorities->csr->num_vertices : 0;
  qn_pages_free(priorities->of, num_vertices, sizeof *priorities->of);
}

struct visits {
  const struct qn_priorities *priorities;
  uint64_t *waits_for; /* [V] edges to neighbours that have not been visited and come before */
  struct qn_frontier ready, next;
};

static void find_ready(struct visits *visits) {
  const struct qn_csr *csr = visits->priorities->csr;
#pragma omp parallel
  {
    struct qn_queue_block block = {0};
#pragma omp for schedule(dynamic, 1024)
    for (uint64_t v = 0; v < csr->num_vertices; v++) {
      uint64_t before = 0;
      for (uint64_t edge = csr->row_offsets[v]; edge < csr->row_offsets[v + 1]; edge++)
        before += qn_comes_before(visits->priorities, csr->column_indices[edge], (uint32_t)v);
      visits->waits_for[v] = before;
      if (before == 0)
        qn_frontier_push(&visits->ready, &block, (uint32_t)v);
    }
    qn_frontier_flush(&visits->ready, &block);
  }
}

/* v was visited: those after it wait for one less. */
static void release(struct visits *visits, uint32_t v, struct qn_queue_block *block) {
  const struct qn_csr *csr = visits->priorities->csr;
  for (uint64_t edge = csr->row_offsets[v]; edge < csr->row_offsets[v + 1]; edge++) {
    const uint32_t other = csr->column_indices[edge];
    if (qn_comes_before(visits->priorities, v, other) &&
        __atomic_sub_fetch(&visits->waits_for[other], 1, __ATOMIC_ACQ_REL) == 0)
      qn_frontier_push(&visits->next, block, other);
  }
}

static void visit_all(struct visits *visits, void (*visit)(void *, uint32_t, unsigned),
                      void *user) {
  while (visits->ready.count > 0) {
#pragma omp parallel if (visits->ready.count > 256)
    {
      struct qn_queue_block block = {0};
#pragma omp for schedule(dynamic, 64)
      for (uint64_t i = 0; i < visits->ready.count; i++) {
        visit(user, visits->ready.queue[i], (unsigned)omp_get_thread_num());
        release(visits, visits->ready.queue[i], &block);
      }
      qn_frontier_flush(&visits->next, &block);
    }
    qn_frontier_swap(&visits->ready, &visits->next);
    qn_frontier_clear(&visits->next);
  }
}

enum qn_status qn_visit_by_priority(const struct qn_priorities *priorities,
                                    void (*visit)(void *user, uint32_t v, unsigned thread),
                                    void *user, struct qn_error *error) {
  const uint64_t num_vertices = priorities->csr->num_vertices;
  struct visits visits = {.priorities = priorities};
  enum qn_status status = qn_pages_alloc(&visits.waits_for, num_vertices, sizeof *visits.waits_for,
                                         "edges to wait for", error);
  if (!status)
    status = qn_frontier_create(&visits.ready, num_vertices, error);
  if (!status)
    status = qn_frontier_create(&visits.next, num_vertices, error);
  if (!status) {
    find_ready(&visits);
    visit_all(&visits, visit, user);
  }
  qn_pages_free(visits.waits_for, num_vertices, sizeof *visits.waits_for);
  qn_frontier_destroy(&visits.ready);
  qn_frontier_destroy(&visits.next);
  return status;
}
