#include "kernels/cpu/searches/searches.h"

#include "support/context.h"
#include "support/memory.h"
#include "support/threads.h"

/* Pull where the senders' edges are more than this part of all. */
#define PULL_PART 16

static uint64_t all_of(const struct qn_searches *searches) {
  return searches->count == QN_SEARCHES ? UINT64_MAX : ((uint64_t)1 << searches->count) - 1;
}

static void push_chunk(const struct qn_searches *searches, uint64_t begin, uint64_t end) {
  const struct qn_csr *csr = searches->out;
  for (uint64_t v = begin; v < end; v++) {
    const uint64_t bits = searches->fresh[v];
    if (!bits)
      continue;
    for (uint64_t edge = csr->row_offsets[v]; edge < csr->row_offsets[v + 1]; edge++) {
      const uint32_t other = csr->column_indices[edge];
      const uint64_t come = bits & ~searches->seen[other];
      if (come & ~__atomic_load_n(&searches->next[other], __ATOMIC_RELAXED))
        __atomic_fetch_or(&searches->next[other], come, __ATOMIC_RELAXED);
    }
  }
}

static void pull_chunk(const struct qn_searches *searches, uint64_t begin, uint64_t end) {
  const struct qn_csr *csr = searches->in;
  const uint64_t all = all_of(searches);
  for (uint64_t v = begin; v < end; v++) {
    const uint64_t open = all & ~searches->seen[v];
    uint64_t come = 0;
    for (uint64_t edge = csr->row_offsets[v]; edge < csr->row_offsets[v + 1] && (open & ~come);
         edge++)
      come |= searches->fresh[csr->column_indices[edge]];
    searches->next[v] = come & open;
  }
}

static void walk(const struct qn_searches *searches, bool pulls) {
  const struct qn_row_chunks *chunks = pulls ? &searches->in_chunks : &searches->out_chunks;
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t chunk = 0; chunk < chunks->num_chunks; chunk++) {
    if (pulls)
      pull_chunk(searches, chunks->bounds[chunk], chunks->bounds[chunk + 1]);
    else
      push_chunk(searches, chunks->bounds[chunk], chunks->bounds[chunk + 1]);
  }
}

/* What comes next is here now. Gives how many vertices something came to, and their out-edges. */
static uint64_t arrive(struct qn_searches *searches, uint32_t level, uint64_t *num_edges) {
  uint64_t count = 0, edges = 0;
#pragma omp parallel for schedule(static) reduction(+ : count, edges)
  for (uint64_t v = 0; v < searches->num_vertices; v++) {
    const uint64_t bits = searches->next[v];
    searches->next[v] = 0;
    searches->fresh[v] = bits;
    if (!bits)
      continue;
    searches->seen[v] |= bits;
    searches->come(searches->user, v, bits, level);
    count++;
    edges += searches->out->row_offsets[v + 1] - searches->out->row_offsets[v];
  }
  *num_edges = edges;
  return count;
}

static void begin(struct qn_searches *searches, const uint32_t *sources) {
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < searches->num_vertices; v++)
    searches->seen[v] = searches->next[v] = 0;
  for (uint32_t i = 0; i < searches->count; i++)
    searches->next[sources[i]] |= (uint64_t)1 << i;
}

enum qn_status qn_searches_run(struct qn_searches *searches, const struct qn_run_request *request,
                               const uint32_t *sources, uint32_t count,
                               struct qn_run_result *result, struct qn_error *error) {
  enum qn_status status = QN_OK;
  uint64_t num_edges, num_active;
  uint32_t level = 0;
  searches->count = count;
  begin(searches, sources);
  while ((num_active = arrive(searches, level, &num_edges)) && level < request->max_iterations &&
         !status) {
    const bool pulls = searches->in && num_edges > searches->out->num_edges / PULL_PART;
    const double began = qn_seconds();
    walk(searches, pulls);
    const struct qn_iteration said = {.iteration = level++,
                                      .mode = pulls ? "pull" : "push",
                                      .num_active = num_active,
                                      .seconds = qn_seconds() - began};
    if (request->on_iteration)
      request->on_iteration(request->user, &said);
    status = qn_context_check(error);
  }
  result->iterations += level;
  result->converged &= num_active == 0;
  return status;
}

enum qn_status qn_searches_create(struct qn_searches *searches, const struct qn_graph *graph,
                                  struct qn_error *error) {
  const uint64_t num_vertices = searches->num_vertices = graph->out.num_vertices;
  searches->out = &graph->out;
  if (graph->directedness == QN_UNDIRECTED)
    searches->in = &graph->out;
  else if (graph->has_transpose)
    searches->in = &graph->in;
  enum qn_status status =
      qn_row_chunks_create(&searches->out_chunks, graph->out.row_offsets, num_vertices, error);
  if (!status && searches->in)
    status =
        qn_row_chunks_create(&searches->in_chunks, searches->in->row_offsets, num_vertices, error);
  if (!status)
    status =
        qn_pages_alloc(&searches->seen, num_vertices, sizeof *searches->seen, "searches", error);
  if (!status)
    status =
        qn_pages_alloc(&searches->fresh, num_vertices, sizeof *searches->fresh, "searches", error);
  if (!status)
    status =
        qn_pages_alloc(&searches->next, num_vertices, sizeof *searches->next, "searches", error);
  return status;
}

void qn_searches_destroy(struct qn_searches *searches) {
  const uint64_t num_vertices = searches->num_vertices;
  qn_row_chunks_destroy(&searches->out_chunks);
  qn_row_chunks_destroy(&searches->in_chunks);
  qn_pages_free(searches->seen, num_vertices, sizeof *searches->seen);
  qn_pages_free(searches->fresh, num_vertices, sizeof *searches->fresh);
  qn_pages_free(searches->next, num_vertices, sizeof *searches->next);
}
