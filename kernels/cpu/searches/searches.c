#include "kernels/cpu/searches/searches.h"

#include "support/context.h"
#include "support/memory.h"
#include "support/threads.h"

/* An edge that is pushed along takes as long as so many that are pulled along. */
#define PUSH_COST 2
/* Fewer edges than vertices in so many are pushed along: a pull goes through all vertices. */
#define FEW_EDGES 4
/* How many edges ahead words are asked for. */
#define AHEAD 24
/* Fewer vertices or edges are not worth waking threads for. */
#define FEW 16384

static uint64_t row_length(const struct qn_csr *csr, uint64_t v) {
  return csr->row_offsets[v + 1] - csr->row_offsets[v];
}

/* ---- Pushing ---------------------------------------------------------------------- */

/* Along the out-edges of v, where something came by the last level. */
static void push_row(struct qn_searches *searches, struct qn_queue_block *block, uint64_t v) {
  const struct qn_csr *csr = searches->out;
  const uint64_t end = csr->row_offsets[v + 1], bits = searches->fresh[v];
  searches->fresh[v] = 0;
  for (uint64_t edge = csr->row_offsets[v]; edge < end; edge++) {
    if (edge + AHEAD < end)
      __builtin_prefetch(&searches->places[csr->column_indices[edge + AHEAD]], 1);
    const uint32_t other = csr->column_indices[edge];
    struct qn_search_place *place = &searches->places[other];
    const uint64_t come = bits & ~place->seen;
    if (!(come & ~__atomic_load_n(&place->next, __ATOMIC_RELAXED)))
      continue;
    if (!__atomic_fetch_or(&place->next, come, __ATOMIC_RELAXED))
      qn_frontier_push(&searches->came, block, other);
  }
}

static void push_queue(struct qn_searches *searches) {
#pragma omp parallel if (searches->num_edges > FEW)
  {
    struct qn_queue_block block = {.count = 0};
#pragma omp for schedule(dynamic, 16)
    for (uint64_t i = 0; i < searches->from.count; i++)
      push_row(searches, &block, searches->from.queue[i]);
    qn_frontier_flush(&searches->came, &block);
  }
}

static void push_all(struct qn_searches *searches) {
  const struct qn_row_chunks *chunks = &searches->out_chunks;
#pragma omp parallel
  {
    struct qn_queue_block block = {.count = 0};
#pragma omp for schedule(dynamic, 1)
    for (uint64_t chunk = 0; chunk < chunks->num_chunks; chunk++)
      for (uint64_t v = chunks->bounds[chunk]; v < chunks->bounds[chunk + 1]; v++)
        if (searches->fresh[v])
          push_row(searches, &block, v);
    qn_frontier_flush(&searches->came, &block);
  }
}

/* What was pushed is there. */
static void take_pushed(struct qn_searches *searches, uint32_t level) {
  uint64_t edges = 0;
#pragma omp parallel for schedule(static) reduction(+ : edges) if (searches->came.count > FEW)
  for (uint64_t i = 0; i < searches->came.count; i++) {
    const uint32_t v = searches->came.queue[i];
    struct qn_search_place *place = &searches->places[v];
    searches->fresh[v] = place->next;
    place->seen |= place->next;
    place->next = 0;
    searches->come(searches->user, v, searches->fresh[v], level);
    edges += row_length(searches->out, v);
  }
  searches->is_queued = true;
  searches->num_active = searches->came.count;
  searches->num_edges = edges;
}

static void push(struct qn_searches *searches, uint32_t level) {
  qn_frontier_swap(&searches->came, &searches->from);
  searches->came.count = 0;
  if (searches->is_queued)
    push_queue(searches);
  else
    push_all(searches);
  take_pushed(searches, level);
}

/* ---- Pulling ---------------------------------------------------------------------- */

/* Which of the searches `open` are fresh at an in-neighbour. Eight edges at a time: whether to end
 * is asked less often, and what lies ahead is on its way. */
static inline uint64_t pull_row(const struct qn_searches *searches, uint64_t v, uint64_t open) {
  const uint32_t *sources = searches->in->column_indices;
  const uint64_t *fresh = searches->fresh, num_edges = searches->in->num_edges;
  uint64_t edge = searches->in->row_offsets[v], come = 0;
  const uint64_t end = searches->in->row_offsets[v + 1];
  for (; edge + 8 <= end && (open & ~come); edge += 8) {
    const uint32_t *ahead = sources + (edge + AHEAD + 8 <= num_edges ? edge + AHEAD : edge);
    for (unsigned i = 0; i < 8; i++)
      __builtin_prefetch(&fresh[ahead[i]]);
    for (unsigned i = 0; i < 8; i++)
      come |= fresh[sources[edge + i]];
  }
  for (; edge < end && (open & ~come); edge++)
    come |= fresh[sources[edge]];
  return come & open;
}

static void pull(struct qn_searches *searches, uint32_t level) {
  const struct qn_row_chunks *chunks = &searches->in_chunks;
  const uint64_t all =
      searches->count == QN_SEARCHES ? UINT64_MAX : ((uint64_t)1 << searches->count) - 1;
  uint64_t count = 0, edges = 0, open_edges = 0, *next = searches->spare;
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : count, edges, open_edges)
  for (uint64_t chunk = 0; chunk < chunks->num_chunks; chunk++)
    for (uint64_t v = chunks->bounds[chunk]; v < chunks->bounds[chunk + 1]; v++) {
      const uint64_t open = all & ~searches->places[v].seen;
      const uint64_t come = open ? pull_row(searches, v, open) : 0;
      next[v] = come;
      if (come != open)
        open_edges += row_length(searches->in, v);
      if (!come)
        continue;
      searches->places[v].seen |= come;
      searches->come(searches->user, v, come, level);
      count++;
      edges += row_length(searches->out, v);
    }
  searches->spare = searches->fresh;
  searches->fresh = next;
  searches->is_queued = false;
  searches->num_active = count;
  searches->num_edges = edges;
  searches->open_edges = open_edges;
}

/* ---- A batch --------------------------------------------------------------------- */

static bool is_pull(const struct qn_searches *searches) {
  return searches->in && searches->num_edges > searches->num_vertices / FEW_EDGES &&
         searches->num_edges * PUSH_COST > searches->open_edges;
}

static void begin(struct qn_searches *searches, const uint32_t *sources, uint32_t count) {
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < searches->num_vertices; v++) {
    searches->places[v] = (struct qn_search_place){0};
    searches->fresh[v] = 0;
  }
  searches->count = count;
  searches->open_edges = searches->in ? searches->in->num_edges : 0;
  searches->came.count = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (!searches->places[sources[i]].next)
      searches->came.queue[searches->came.count++] = sources[i];
    searches->places[sources[i]].next |= (uint64_t)1 << i;
  }
  take_pushed(searches, 0);
}

enum qn_status qn_searches_run(struct qn_searches *searches, const struct qn_run_request *request,
                               const uint32_t *sources, uint32_t count,
                               struct qn_run_result *result, struct qn_error *error) {
  enum qn_status status = QN_OK;
  uint32_t level = 0;
  begin(searches, sources, count);
  while (searches->num_active && level < request->limits.max_iterations && !status) {
    const bool pulls = is_pull(searches);
    const uint64_t num_active = searches->num_active;
    const double began = qn_seconds();
    level++;
    if (pulls)
      pull(searches, level);
    else
      push(searches, level);
    const struct qn_iteration said = {.iteration = level - 1,
                                      .mode = pulls ? "pull" : "push",
                                      .num_active = num_active,
                                      .seconds = qn_seconds() - began};
    if (request->hooks.on_iteration)
      request->hooks.on_iteration(request->hooks.user, &said);
    status = qn_context_check(error);
  }
  result->stats.iterations += level;
  result->stats.converged &= searches->num_active == 0;
  return status;
}

/* ---- What a run needs ------------------------------------------------------------ */

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
    status = qn_pages_alloc(&searches->places, num_vertices, sizeof *searches->places, "searches",
                            error);
  if (!status)
    status =
        qn_pages_alloc(&searches->fresh, num_vertices, sizeof *searches->fresh, "searches", error);
  if (!status)
    status =
        qn_pages_alloc(&searches->spare, num_vertices, sizeof *searches->spare, "searches", error);
  if (!status)
    status = qn_frontier_create(&searches->came, num_vertices, error);
  if (!status)
    status = qn_frontier_create(&searches->from, num_vertices, error);
  return status;
}

void qn_searches_destroy(struct qn_searches *searches) {
  const uint64_t num_vertices = searches->num_vertices;
  qn_row_chunks_destroy(&searches->out_chunks);
  qn_row_chunks_destroy(&searches->in_chunks);
  qn_pages_free(searches->places, num_vertices, sizeof *searches->places);
  qn_pages_free(searches->fresh, num_vertices, sizeof *searches->fresh);
  qn_pages_free(searches->spare, num_vertices, sizeof *searches->spare);
  qn_frontier_destroy(&searches->came);
  qn_frontier_destroy(&searches->from);
}
