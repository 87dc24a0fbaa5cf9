/* Coreness on directed CSR: that of kernels/programs/kcore.h where directions are ignored. Every
 * edge counts at both its ends: two vertices with edges in both directions, or with parallel ones,
 * count as often for each other. A loop counts once.
 *
 * A kernel of its own because it goes along out- and in-edges, which programs don't. By peeling: a
 * round takes the least degree that is left, and removes whoever has no more, until nobody has. */
#include "kernels/cpu/loop/frontier.h"
#include "kernels/own_kernel.h"
#include "support/memory.h"
#include "support/threads.h"
#include <quern/graph.h>
#include <quern/transpose.h>

extern const struct qn_kernel qn_kernel_kcore_directed_csr_cpu;

#define NOT_YET UINT32_MAX

struct work {
  const struct qn_csr *out, *in;
  uint64_t num_vertices;
  uint64_t *degrees; /* [V] edges to vertices that are left */
  uint32_t *cores;   /* [V] NOT_YET: it is left */
  uint32_t *left;    /* [num_left] in any order */
  uint64_t num_left;
  struct qn_frontier removed, next;
};

static uint32_t core_of(uint64_t round) {
  return round < NOT_YET ? (uint32_t)round : NOT_YET - 1;
}

static uint64_t row_length(const struct qn_csr *csr, uint64_t v) {
  return csr->row_offsets[v + 1] - csr->row_offsets[v];
}

static void find_degrees(struct work *work) {
  const uint64_t *offsets = work->out->row_offsets;
#pragma omp parallel for schedule(dynamic, 1024)
  for (uint64_t v = 0; v < work->num_vertices; v++) {
    uint64_t loops = 0;
    for (uint64_t edge = offsets[v]; edge < offsets[v + 1]; edge++)
      loops += work->out->column_indices[edge] == v;
    work->degrees[v] = row_length(work->out, v) + row_length(work->in, v) - loops;
    work->cores[v] = NOT_YET;
    work->left[v] = (uint32_t)v;
  }
  work->num_left = work->num_vertices;
}

/* Forget who is not left any more. The least degree of the others. */
static uint64_t least_left(struct work *work) {
  uint64_t least = UINT64_MAX, count = 0;
  for (uint64_t i = 0; i < work->num_left; i++) {
    const uint32_t v = work->left[i];
    if (work->cores[v] != NOT_YET)
      continue;
    work->left[count++] = v;
    least = work->degrees[v] < least ? work->degrees[v] : least;
  }
  work->num_left = count;
  return least;
}

static void remove_up_to(struct work *work, uint64_t round) {
  struct qn_queue_block block = {0};
  for (uint64_t i = 0; i < work->num_left; i++) {
    const uint32_t v = work->left[i];
    if (work->degrees[v] > round)
      continue;
    work->cores[v] = core_of(round);
    qn_frontier_push(&work->removed, &block, v);
  }
  qn_frontier_flush(&work->removed, &block);
}

/* v is removed: its neighbours have an edge less each, and go with it if they have too few. Who is
 * not left has a degree that nobody asks for. */
static void lower_row(struct work *work, const struct qn_csr *csr, uint32_t v, uint64_t round,
                      struct qn_queue_block *block) {
  for (uint64_t edge = csr->row_offsets[v]; edge < csr->row_offsets[v + 1]; edge++) {
    const uint32_t other = csr->column_indices[edge];
    if (other == v || __atomic_fetch_sub(&work->degrees[other], 1, __ATOMIC_RELAXED) != round + 1)
      continue;
    __atomic_store_n(&work->cores[other], core_of(round), __ATOMIC_RELAXED);
    qn_frontier_push(&work->next, block, other);
  }
}

static void peel(struct work *work, uint64_t round) {
  while (work->removed.count > 0) {
#pragma omp parallel if (work->removed.count > 256)
    {
      struct qn_queue_block block = {0};
#pragma omp for schedule(dynamic, 64)
      for (uint64_t i = 0; i < work->removed.count; i++) {
        lower_row(work, work->out, work->removed.queue[i], round, &block);
        lower_row(work, work->in, work->removed.queue[i], round, &block);
      }
      qn_frontier_flush(&work->next, &block);
    }
    qn_frontier_swap(&work->removed, &work->next);
    qn_frontier_clear(&work->next);
  }
}

static void find_cores(struct work *work) {
  find_degrees(work);
  for (uint64_t round; (round = least_left(work)) != UINT64_MAX;) {
    remove_up_to(work, round);
    peel(work, round);
  }
}

static enum qn_status create_arrays(struct work *work, struct qn_error *error) {
  const uint64_t num_vertices = work->num_vertices;
  enum qn_status status =
      qn_pages_alloc(&work->degrees, num_vertices, sizeof *work->degrees, "degrees", error);
  if (!status)
    status = qn_pages_alloc(&work->cores, num_vertices, sizeof *work->cores, "cores", error);
  if (!status)
    status = qn_pages_alloc(&work->left, num_vertices, sizeof *work->left, "vertices", error);
  if (!status)
    status = qn_frontier_create(&work->removed, num_vertices, error);
  if (!status)
    status = qn_frontier_create(&work->next, num_vertices, error);
  return status;
}

static void destroy_arrays(struct work *work) {
  qn_pages_free(work->degrees, work->num_vertices, sizeof *work->degrees);
  qn_pages_free(work->cores, work->num_vertices, sizeof *work->cores);
  qn_pages_free(work->left, work->num_vertices, sizeof *work->left);
  qn_frontier_destroy(&work->removed);
  qn_frontier_destroy(&work->next);
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_graph *graph = request->view;
  struct work work = {.out = &graph->out, .in = &graph->in};
  struct qn_graph transposed = {0};
  enum qn_status status = QN_OK;
  const double begin = qn_seconds();
  *result = (struct qn_run_result){0};
  work.num_vertices = graph->out.num_vertices;
  if (!graph->has_transpose) {
    status = qn_graph_create_transpose(&graph->out, &transposed, error);
    work.in = &transposed.out;
  }
  if (!status)
    status = create_arrays(&work, error);
  const double prepared = qn_seconds();
  if (!status) {
    find_cores(&work);
    *result = (struct qn_run_result){.type = QN_RESULT_U32,
                                     .num_values = work.num_vertices,
                                     .values = work.cores,
                                     .iterations = 1,
                                     .converged = true,
                                     .prepare_seconds = prepared - begin,
                                     .kernel_seconds = qn_seconds() - prepared};
    work.cores = NULL;
  }
  destroy_arrays(&work);
  qn_graph_unmap(&transposed);
  return status;
}

const struct qn_kernel qn_kernel_kcore_directed_csr_cpu =
    QN_KCORE_DIRECTED_KERNEL("csr, both ways", QN_LAYOUT_GRAPH, QN_CPU, run);
