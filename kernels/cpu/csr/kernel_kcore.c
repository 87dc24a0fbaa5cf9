/* Coreness on CSR: that of kernels/programs/kcore.h where the graph is undirected, and of a
 * directed one where directions are ignored: every edge counts at both its ends, two vertices with
 * edges in both directions, or with parallel ones, as often for each other, and a loop once.
 *
 * A kernel of its own because it goes along out- and in-edges, which programs don't, and past
 * vertices that are removed. By peeling: a round takes the least degree that is left, and removes
 * whoever has no more, until nobody has. */
#include "kernels/cpu/loop/frontier.h"
#include "kernels/in_edges.h"
#include "kernels/keep.h"
#include "kernels/standalone_kernel.h"
#include "support/memory.h"
#include "support/threads.h"
#include <quern/graph.h>

extern const struct qn_kernel qn_kernel_kcore_csr_cpu;

#define NOT_YET UINT32_MAX
/* How many edges ahead degrees are asked for. */
#define AHEAD 16
/* Fewer vertices are not worth waking threads for. */
#define FEW 2048

struct work {
  const struct qn_csr *out;
  const struct qn_csr *in; /* NULL for an undirected graph */
  uint64_t num_vertices;
  uint64_t *degrees; /* [V] edges to vertices that are left; of who is removed, no more than then */
  uint32_t *cores;   /* [V] NOT_YET: it is left */
  uint32_t *left;    /* [num_left] in any order */
  uint64_t num_left;
  struct qn_frontier removed, next;
};

static uint32_t core_of(uint64_t round) {
  return round < NOT_YET ? (uint32_t)round : NOT_YET - 1;
}

/* Edges of a row to vertices that are left, of loops none if `but_loops`. */
static uint64_t count_row(const struct work *work, const struct qn_csr *csr, uint64_t v,
                          bool but_loops) {
  uint64_t count = 0;
  for (uint64_t edge = csr->row_offsets[v]; edge < csr->row_offsets[v + 1]; edge++) {
    const uint32_t other = csr->column_indices[edge];
    count += work->cores[other] == NOT_YET && !(but_loops && other == v);
  }
  return count;
}

/* Those that no state says to be removed are left. */
static void begin(const struct qn_run_request *request, struct work *work,
                  const struct qn_state_parts *parts) {
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < work->num_vertices; v++)
    work->cores[v] = NOT_YET;
  qn_state_restore_values(request, parts, 0, work->num_vertices);
#pragma omp parallel for schedule(dynamic, 1024)
  for (uint64_t v = 0; v < work->num_vertices; v++)
    if (work->cores[v] == NOT_YET)
      work->degrees[v] = count_row(work, work->out, v, false) +
                         (work->in ? count_row(work, work->in, v, true) : 0);
  for (uint64_t v = 0; v < work->num_vertices; v++)
    if (work->cores[v] == NOT_YET)
      work->left[work->num_left++] = (uint32_t)v;
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

/* v is removed: those of its neighbours that are left, and have more edges than the round takes,
 * have one less each, and go with it if they have too few then. */
static void lower_row(struct work *work, const struct qn_csr *csr, uint32_t v, uint64_t round,
                      struct qn_queue_block *block) {
  const uint64_t end = csr->row_offsets[v + 1];
  for (uint64_t edge = csr->row_offsets[v]; edge < end; edge++) {
    if (edge + AHEAD < end)
      __builtin_prefetch(&work->degrees[csr->column_indices[edge + AHEAD]], 1);
    uint64_t *degree = &work->degrees[csr->column_indices[edge]];
    if (__atomic_load_n(degree, __ATOMIC_RELAXED) <= round ||
        __atomic_fetch_sub(degree, 1, __ATOMIC_RELAXED) != round + 1)
      continue;
    work->cores[csr->column_indices[edge]] = core_of(round);
    qn_frontier_push(&work->next, block, csr->column_indices[edge]);
  }
}

/* Returns how many the round removed. */
static uint64_t peel(struct work *work, uint64_t round) {
  uint64_t count = 0;
  while (work->removed.count > 0) {
    count += work->removed.count;
#pragma omp parallel if (work->removed.count > FEW)
    {
      struct qn_queue_block block = {.count = 0};
#pragma omp for schedule(dynamic, 64)
      for (uint64_t i = 0; i < work->removed.count; i++) {
        lower_row(work, work->out, work->removed.queue[i], round, &block);
        if (work->in)
          lower_row(work, work->in, work->removed.queue[i], round, &block);
      }
      qn_frontier_flush(&work->next, &block);
    }
    qn_frontier_swap(&work->removed, &work->next);
    qn_frontier_clear(&work->next);
  }
  return count;
}

static enum qn_status find_cores(const struct qn_run_request *request, struct work *work,
                                 struct qn_run_result *result, struct qn_error *error) {
  const struct qn_state_parts parts = {.num_vertices = work->num_vertices,
                                       .values = work->cores,
                                       .value_bytes = sizeof *work->cores};
  enum qn_status status = QN_OK;
  result->stats.iterations = qn_state_iterations(request);
  begin(request, work, &parts);
  for (uint64_t round; !status && (round = least_left(work)) != UINT64_MAX;) {
    const double began = qn_seconds();
    remove_up_to(work, round);
    const struct qn_iteration said = {.iteration = (uint32_t)result->stats.iterations++,
                                      .mode = "push",
                                      .num_active = peel(work, round),
                                      .seconds = qn_seconds() - began};
    if (request->hooks.on_iteration)
      request->hooks.on_iteration(request->hooks.user, &said);
    status = qn_state_keep(request, result->stats.iterations, 0, &parts, error);
  }
  result->stats.converged = true;
  return status;
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
  struct work work = {.out = &graph->out, .num_vertices = graph->out.num_vertices};
  struct qn_graph transposed = {0};
  enum qn_status status = QN_OK;
  const double begin = qn_seconds();
  *result = (struct qn_run_result){.type = QN_RESULT_U32};
  if (graph->directedness != QN_UNDIRECTED)
    status = qn_find_in_edges(graph, &transposed, &work.in, error);
  if (!status)
    status = create_arrays(&work, error);
  const double prepared = qn_seconds();
  if (!status)
    status = find_cores(request, &work, result, error);
  if (status) {
    *result = (struct qn_run_result){0};
  } else {
    result->num_values = work.num_vertices;
    result->values = work.cores;
    result->stats.prepare_seconds = prepared - begin;
    result->stats.kernel_seconds = qn_seconds() - prepared;
    work.cores = NULL;
  }
  destroy_arrays(&work);
  qn_graph_unmap(&transposed);
  return status;
}

const struct qn_kernel qn_kernel_kcore_csr_cpu =
    QN_KCORE_KERNEL("csr, by peeling", QN_LAYOUT_GRAPH, QN_CPU, run);
