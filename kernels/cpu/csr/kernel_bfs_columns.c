/* Breadth-first search from several sources on CSR, 64 at a time: a vertex has a bit for each of
 * them, so that one walk over an edge serves all searches that have come to it (Then, Kaufmann,
 * Chirigati, Hoang-Vu, Pham, Kemper, Neumann, Vo: The More the Merrier: Efficient Multi-Source
 * Graph Traversal, VLDB 2014). Levels push along the out-edges of few vertices, or pull along all
 * in-edges (Beamer, Asanovic, Patterson: Direction-Optimizing Breadth-First Search, SC 2012).
 *
 * A kernel of its own because it has a value for every source and vertex (hop_columns.h). */
#include <string.h>

#include "kernels/cpu/loop/frontier.h"
#include "kernels/cpu/searches/hop_columns.h"
#include "kernels/cuts/chunks.h"
#include "kernels/own_kernel.h"
#include "support/context.h"
#include "support/memory.h"
#include "support/threads.h"
#include <quern/graph.h>
#include <quern/transpose.h>

extern const struct qn_kernel qn_kernel_bfs_columns_csr_cpu;

/* An edge that is pushed along takes as long as so many that are pulled along. */
#define PUSH_COST 2
/* Fewer edges than vertices in so many are pushed along: a pull goes through all vertices. */
#define FEW_EDGES 4
/* Levels of more than a vertex in so many are kept. */
#define FEW_VERTICES 32
/* How many edges ahead words are asked for. */
#define AHEAD 24

struct place {
  uint64_t seen, next; /* searches: have been here, come next */
};

struct work {
  const struct qn_csr *out, *in; /* in: NULL, there are none to pull along */
  uint64_t num_vertices, all;    /* all: bits of the batch */
  struct qn_row_chunks out_chunks, in_chunks;
  struct place *places; /* [V] */
  struct qn_hop_columns hops;
  struct qn_frontier came;        /* the queue alone: where something came by the last push */
  uint64_t *few;                  /* [V] searches that came, of those in the queue */
  const uint64_t *fresh;          /* [V] of all vertices, kept; NULL: `few` has them */
  uint64_t num_active, num_edges; /* vertices that something came to, and their out-edges */
  uint64_t open_edges;            /* in-edges of vertices that not all have been to, about */
};

/* ---- Pushing ---------------------------------------------------------------------- */

static void push_row(struct work *work, struct qn_queue_block *block, uint64_t v, uint64_t bits) {
  const struct qn_csr *csr = work->out;
  const uint64_t end = csr->row_offsets[v + 1];
  for (uint64_t edge = csr->row_offsets[v]; edge < end; edge++) {
    if (edge + AHEAD < end)
      __builtin_prefetch(&work->places[csr->column_indices[edge + AHEAD]], 1);
    const uint32_t other = csr->column_indices[edge];
    struct place *place = &work->places[other];
    const uint64_t come = bits & ~place->seen;
    if (!(come & ~__atomic_load_n(&place->next, __ATOMIC_RELAXED)))
      continue;
    if (!__atomic_fetch_or(&place->next, come, __ATOMIC_RELAXED))
      qn_frontier_push(&work->came, block, other);
  }
}

static void push_few(struct work *work, const struct qn_frontier *from) {
#pragma omp parallel if (work->num_edges > 1024)
  {
    struct qn_queue_block block = {.count = 0};
#pragma omp for schedule(dynamic, 16)
    for (uint64_t i = 0; i < from->count; i++)
      push_row(work, &block, from->queue[i], work->few[from->queue[i]]);
    qn_frontier_flush(&work->came, &block);
  }
}

static void push_all(struct work *work) {
  const struct qn_row_chunks *chunks = &work->out_chunks;
#pragma omp parallel
  {
    struct qn_queue_block block = {.count = 0};
#pragma omp for schedule(dynamic, 1)
    for (uint64_t chunk = 0; chunk < chunks->num_chunks; chunk++)
      for (uint64_t v = chunks->bounds[chunk]; v < chunks->bounds[chunk + 1]; v++)
        if (work->fresh[v])
          push_row(work, &block, v, work->fresh[v]);
    qn_frontier_flush(&work->came, &block);
  }
}

/* What was pushed is there. */
static void take_pushed(struct work *work) {
  uint64_t count = 0, edges = 0;
#pragma omp parallel for schedule(static) reduction(+ : count, edges) if (work->came.count > 1024)
  for (uint64_t i = 0; i < work->came.count; i++) {
    const uint32_t v = work->came.queue[i];
    struct place *place = &work->places[v];
    const uint64_t come = place->next & ~place->seen;
    place->seen |= come;
    place->next = 0;
    work->few[v] = come;
    count += come != 0;
    edges += come ? work->out->row_offsets[v + 1] - work->out->row_offsets[v] : 0;
  }
  work->num_active = count;
  work->num_edges = edges;
}

/* Will the next step pull? */
static bool is_pull(const struct work *work) {
  return work->in && work->num_edges > work->num_vertices / FEW_EDGES &&
         work->num_edges * PUSH_COST > work->open_edges;
}

static void keep_pushed(struct work *work, uint32_t level) {
  uint64_t *kept = qn_hop_columns_keep(&work->hops, level);
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (uint64_t v = 0; v < work->num_vertices; v++)
      kept[v] = 0;
#pragma omp for schedule(static)
    for (uint64_t i = 0; i < work->came.count; i++)
      kept[work->came.queue[i]] = work->few[work->came.queue[i]];
  }
  work->fresh = kept;
}

static void note_pushed(struct work *work, uint32_t level) {
#pragma omp parallel for schedule(static) if (work->came.count > 1024)
  for (uint64_t i = 0; i < work->came.count; i++)
    qn_hop_columns_note(&work->hops, work->came.queue[i], work->few[work->came.queue[i]], level);
  work->fresh = NULL;
}

static void arrive(struct work *work, uint32_t level) {
  take_pushed(work);
  if (is_pull(work) || work->num_active > work->num_vertices / FEW_VERTICES)
    keep_pushed(work, level);
  else
    note_pushed(work, level);
}

/* Two queues take turns: `came` is filled while `from` is gone through. */
static void push(struct work *work, struct qn_frontier *from, uint32_t level) {
  qn_frontier_swap(&work->came, from);
  work->came.count = 0;
  if (work->fresh)
    push_all(work);
  else
    push_few(work, from);
  arrive(work, level);
}

/* ---- Pulling ---------------------------------------------------------------------- */

/* Which of the searches `open` are fresh at an in-neighbour. Eight edges at a time: whether to end
 * is asked less often, and what lies ahead is on its way. */
static inline uint64_t pull_row(const struct work *work, uint64_t v, uint64_t open) {
  const uint32_t *sources = work->in->column_indices;
  const uint64_t *fresh = work->fresh, num_edges = work->in->num_edges;
  uint64_t edge = work->in->row_offsets[v], come = 0;
  const uint64_t end = work->in->row_offsets[v + 1];
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

static void pull(struct work *work, uint32_t level) {
  const struct qn_row_chunks *chunks = &work->in_chunks;
  uint64_t count = 0, edges = 0, open_edges = 0;
  uint64_t *next = qn_hop_columns_keep(&work->hops, level);
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : count, edges, open_edges)
  for (uint64_t chunk = 0; chunk < chunks->num_chunks; chunk++)
    for (uint64_t v = chunks->bounds[chunk]; v < chunks->bounds[chunk + 1]; v++) {
      const uint64_t open = work->all & ~work->places[v].seen;
      const uint64_t come = open ? pull_row(work, v, open) : 0;
      next[v] = come;
      if (come != open)
        open_edges += work->in->row_offsets[v + 1] - work->in->row_offsets[v];
      if (!come)
        continue;
      work->places[v].seen |= come;
      count++;
      edges += work->out->row_offsets[v + 1] - work->out->row_offsets[v];
    }
  work->fresh = next;
  work->num_active = count;
  work->num_edges = edges;
  work->open_edges = open_edges;
}

/* ---- A batch --------------------------------------------------------------------- */

static void begin_batch(struct work *work, const uint32_t *sources, uint32_t num_sources) {
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < work->num_vertices; v++)
    work->places[v] = (struct place){0};
  work->came.count = 0;
  for (uint32_t i = 0; i < num_sources; i++) {
    if (!work->places[sources[i]].next)
      work->came.queue[work->came.count++] = sources[i];
    work->places[sources[i]].next |= (uint64_t)1 << i;
  }
  work->open_edges = work->in ? work->in->num_edges : 0;
  work->all = num_sources == QN_SEARCHES ? UINT64_MAX : ((uint64_t)1 << num_sources) - 1;
  arrive(work, 0);
}

static enum qn_status run_batch(struct work *work, struct qn_frontier *from,
                                const struct qn_run_request *request, struct qn_run_result *result,
                                struct qn_error *error) {
  enum qn_status status = QN_OK;
  uint32_t level = 0;
  while (work->num_active && level < request->max_iterations && !status) {
    const bool pulls = work->fresh && is_pull(work);
    const struct qn_iteration before = {.num_active = work->num_active};
    const double begin = qn_seconds();
    level++;
    if (pulls)
      pull(work, level);
    else
      push(work, from, level);
    const struct qn_iteration said = {.iteration = level - 1,
                                      .mode = pulls ? "pull" : "push",
                                      .num_active = before.num_active,
                                      .seconds = qn_seconds() - begin};
    if (request->on_iteration)
      request->on_iteration(request->user, &said);
    status = qn_context_check(error);
  }
  qn_hop_columns_finish(&work->hops, &work->places->seen, sizeof *work->places / sizeof(uint64_t));
  result->iterations += level;
  result->converged &= work->num_active == 0;
  return status;
}

/* ---- The run --------------------------------------------------------------------- */

static enum qn_status create(struct work *work, struct qn_frontier *from, uint32_t num_sources,
                             uint32_t **columns, struct qn_error *error) {
  const uint64_t num_vertices = work->num_vertices;
  enum qn_status status =
      qn_row_chunks_create(&work->out_chunks, work->out->row_offsets, num_vertices, error);
  if (!status && work->in)
    status = qn_row_chunks_create(&work->in_chunks, work->in->row_offsets, num_vertices, error);
  if (!status)
    status = qn_pages_alloc(&work->places, num_vertices, sizeof *work->places, "searches", error);
  if (!status)
    status = qn_pages_alloc(&work->few, num_vertices, sizeof *work->few, "searches", error);
  if (!status)
    status = qn_frontier_create(&work->came, num_vertices, error);
  if (!status)
    status = qn_frontier_create(from, num_vertices, error);
  if (!status)
    status = qn_hop_columns_create(&work->hops, num_vertices, error);
  if (!status)
    status = qn_pages_alloc(columns, num_vertices * num_sources, sizeof **columns,
                            "hops from every source", error);
  return status;
}

static void destroy(struct work *work, struct qn_frontier *from) {
  const uint64_t num_vertices = work->num_vertices;
  qn_row_chunks_destroy(&work->out_chunks);
  qn_row_chunks_destroy(&work->in_chunks);
  qn_pages_free(work->places, num_vertices, sizeof *work->places);
  qn_pages_free(work->few, num_vertices, sizeof *work->few);
  qn_frontier_destroy(&work->came);
  qn_frontier_destroy(from);
  qn_hop_columns_destroy(&work->hops);
}

static enum qn_status run_batches(struct work *work, struct qn_frontier *from,
                                  const struct qn_run_request *request, uint32_t *columns,
                                  struct qn_run_result *result, struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint64_t first = 0; !status && first < request->num_sources; first += QN_SEARCHES) {
    const uint64_t left = request->num_sources - first;
    const uint32_t num_sources = (uint32_t)(left < QN_SEARCHES ? left : QN_SEARCHES);
    qn_hop_columns_begin(&work->hops, columns + first * work->num_vertices, num_sources);
    begin_batch(work, request->sources + first, num_sources);
    status = run_batch(work, from, request, result, error);
  }
  return status;
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_graph *graph = request->view;
  struct work work = {.out = &graph->out, .num_vertices = graph->out.num_vertices};
  struct qn_frontier from = {0};
  uint32_t *columns = NULL;
  double begin = qn_seconds();
  if (graph->directedness == QN_UNDIRECTED)
    work.in = &graph->out;
  else if (graph->has_transpose)
    work.in = &graph->in;
  *result = (struct qn_run_result){.type = QN_RESULT_U32, .converged = true};
  enum qn_status status = create(&work, &from, request->num_sources, &columns, error);
  result->prepare_seconds = qn_seconds() - begin;
  begin = qn_seconds();
  if (!status)
    status = run_batches(&work, &from, request, columns, result, error);
  result->kernel_seconds = qn_seconds() - begin;
  destroy(&work, &from);
  if (status) {
    qn_pages_free(columns, work.num_vertices * request->num_sources, sizeof *columns);
    *result = (struct qn_run_result){0};
    return status;
  }
  result->num_values = work.num_vertices;
  result->num_columns = request->num_sources;
  result->values = columns;
  return QN_OK;
}

const struct qn_kernel qn_kernel_bfs_columns_csr_cpu =
    QN_BFS_COLUMNS_KERNEL("csr, 64 searches at once", QN_LAYOUT_GRAPH, QN_CPU, run);
