/* Breadth-first search from several sources on CSR, 64 at a time: a vertex has a bit for each of
 * them, so that one walk over an edge serves all searches that have come to it (Then, Kaufmann,
 * Chirigati, Hoang-Vu, Pham, Kemper, Neumann, Vo: The More the Merrier: Efficient Multi-Source
 * Graph Traversal, VLDB 2014). Levels push along the out-edges of few vertices, or pull along all
 * in-edges (Beamer, Asanovic, Patterson: Direction-Optimizing Breadth-First Search, SC 2012).
 *
 * A kernel of its own because it has a value for every source and vertex. Levels below NO_LEVEL are
 * kept in a row of bytes for each vertex, which is one line of a cache, and spread to the columns
 * at the end; deeper ones, of graphs like paths, go to the columns at once. */
#include <string.h>

#include "kernels/cuts/chunks.h"
#include "kernels/own_kernel.h"
#include "support/context.h"
#include "support/memory.h"
#include "support/threads.h"
#include <quern/graph.h>
#include <quern/transpose.h>

extern const struct qn_kernel qn_kernel_bfs_columns_csr_cpu;

#define BATCH 64
#define NO_LEVEL 255
/* Pull where the senders' edges are more than this part of all. */
#define PULL_PART 16
/* Vertices whose levels are spread at a time. */
#define SPREAD 1024

struct work {
  const struct qn_csr *out, *in; /* in: NULL, there are none to pull along */
  uint64_t num_vertices;
  struct qn_row_chunks out_chunks, in_chunks;
  uint64_t *seen, *fresh, *next; /* [V] of searches: have been here, came now, come next */
  uint8_t *levels;               /* [V][BATCH] */
  uint32_t *columns;             /* [BATCH][V] of this batch */
  uint32_t batch;                /* sources in it */
};

static uint64_t all_of(const struct work *work) {
  return work->batch == BATCH ? UINT64_MAX : ((uint64_t)1 << work->batch) - 1;
}

/* ---- A level --------------------------------------------------------------------- */

static void push_chunk(const struct work *work, uint64_t begin, uint64_t end) {
  const struct qn_csr *csr = work->out;
  for (uint64_t v = begin; v < end; v++) {
    const uint64_t bits = work->fresh[v];
    if (!bits)
      continue;
    for (uint64_t edge = csr->row_offsets[v]; edge < csr->row_offsets[v + 1]; edge++) {
      const uint32_t other = csr->column_indices[edge];
      const uint64_t come = bits & ~work->seen[other];
      if (come & ~__atomic_load_n(&work->next[other], __ATOMIC_RELAXED))
        __atomic_fetch_or(&work->next[other], come, __ATOMIC_RELAXED);
    }
  }
}

static void pull_chunk(const struct work *work, uint64_t begin, uint64_t end) {
  const struct qn_csr *csr = work->in;
  const uint64_t all = all_of(work);
  for (uint64_t v = begin; v < end; v++) {
    const uint64_t open = all & ~work->seen[v];
    uint64_t come = 0;
    for (uint64_t edge = csr->row_offsets[v]; edge < csr->row_offsets[v + 1] && (open & ~come);
         edge++)
      come |= work->fresh[csr->column_indices[edge]];
    work->next[v] = come & open;
  }
}

static void walk(const struct work *work, bool pulls) {
  const struct qn_row_chunks *chunks = pulls ? &work->in_chunks : &work->out_chunks;
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t chunk = 0; chunk < chunks->num_chunks; chunk++) {
    if (pulls)
      pull_chunk(work, chunks->bounds[chunk], chunks->bounds[chunk + 1]);
    else
      push_chunk(work, chunks->bounds[chunk], chunks->bounds[chunk + 1]);
  }
}

static void note_level(const struct work *work, uint64_t v, uint64_t bits, uint32_t level) {
  uint8_t *row = work->levels + v * BATCH;
  for (; bits; bits &= bits - 1) {
    const int source = __builtin_ctzll(bits);
    if (level < NO_LEVEL)
      row[source] = (uint8_t)level;
    else
      work->columns[(uint64_t)source * work->num_vertices + v] = level;
  }
}

/* What comes next is here now. Gives how many vertices something came to, and their out-edges. */
static uint64_t arrive(struct work *work, uint32_t level, uint64_t *num_edges) {
  uint64_t count = 0, edges = 0;
#pragma omp parallel for schedule(static) reduction(+ : count, edges)
  for (uint64_t v = 0; v < work->num_vertices; v++) {
    const uint64_t bits = work->next[v];
    work->next[v] = 0;
    work->fresh[v] = bits;
    if (!bits)
      continue;
    work->seen[v] |= bits;
    note_level(work, v, bits, level);
    count++;
    edges += work->out->row_offsets[v + 1] - work->out->row_offsets[v];
  }
  *num_edges = edges;
  return count;
}

/* ---- A batch --------------------------------------------------------------------- */

static void spread_levels(const struct work *work) {
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t block = 0; block < (work->num_vertices + SPREAD - 1) / SPREAD; block++) {
    const uint64_t begin = block * SPREAD;
    const uint64_t end = begin + SPREAD < work->num_vertices ? begin + SPREAD : work->num_vertices;
    for (uint32_t source = 0; source < work->batch; source++) {
      uint32_t *column = work->columns + source * work->num_vertices;
      for (uint64_t v = begin; v < end; v++) {
        const uint8_t level = work->levels[v * BATCH + source];
        column[v] = level < NO_LEVEL ? level : column[v] ? column[v] : UINT32_MAX;
      }
    }
  }
}

static void begin_batch(struct work *work, const uint32_t *sources) {
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < work->num_vertices; v++) {
    work->seen[v] = work->next[v] = 0;
    memset(work->levels + v * BATCH, NO_LEVEL, BATCH);
  }
  for (uint32_t i = 0; i < work->batch; i++)
    work->next[sources[i]] |= (uint64_t)1 << i;
}

static enum qn_status run_batch(struct work *work, const struct qn_run_request *request,
                                const uint32_t *sources, struct qn_run_result *result,
                                struct qn_error *error) {
  enum qn_status status = QN_OK;
  uint64_t num_edges, num_active;
  uint32_t level = 0;
  begin_batch(work, sources);
  while ((num_active = arrive(work, level, &num_edges)) && level < request->max_iterations &&
         !status) {
    const bool pulls = work->in && num_edges > work->out->num_edges / PULL_PART;
    const double begin = qn_seconds();
    walk(work, pulls);
    const struct qn_iteration said = {.iteration = level++,
                                      .mode = pulls ? "pull" : "push",
                                      .num_active = num_active,
                                      .seconds = qn_seconds() - begin};
    if (request->on_iteration)
      request->on_iteration(request->user, &said);
    status = qn_context_check(error);
  }
  spread_levels(work);
  result->iterations += level;
  result->converged &= num_active == 0;
  return status;
}

/* ---- The run --------------------------------------------------------------------- */

static enum qn_status create(struct work *work, uint32_t num_sources, uint32_t **columns,
                             struct qn_error *error) {
  const uint64_t num_vertices = work->num_vertices;
  enum qn_status status =
      qn_row_chunks_create(&work->out_chunks, work->out->row_offsets, num_vertices, error);
  if (!status && work->in)
    status = qn_row_chunks_create(&work->in_chunks, work->in->row_offsets, num_vertices, error);
  if (!status)
    status = qn_pages_alloc(&work->seen, num_vertices, sizeof *work->seen, "searches", error);
  if (!status)
    status = qn_pages_alloc(&work->fresh, num_vertices, sizeof *work->fresh, "searches", error);
  if (!status)
    status = qn_pages_alloc(&work->next, num_vertices, sizeof *work->next, "searches", error);
  if (!status)
    status = qn_pages_alloc(&work->levels, num_vertices, BATCH, "levels", error);
  if (!status)
    status = qn_pages_alloc(columns, num_vertices * num_sources, sizeof **columns,
                            "hops from every source", error);
  return status;
}

static void destroy(struct work *work) {
  const uint64_t num_vertices = work->num_vertices;
  qn_row_chunks_destroy(&work->out_chunks);
  qn_row_chunks_destroy(&work->in_chunks);
  qn_pages_free(work->seen, num_vertices, sizeof *work->seen);
  qn_pages_free(work->fresh, num_vertices, sizeof *work->fresh);
  qn_pages_free(work->next, num_vertices, sizeof *work->next);
  qn_pages_free(work->levels, num_vertices, BATCH);
}

static enum qn_status run_batches(struct work *work, const struct qn_run_request *request,
                                  uint32_t *columns, struct qn_run_result *result,
                                  struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint64_t first = 0; !status && first < request->num_sources; first += BATCH) {
    const uint64_t left = request->num_sources - first;
    work->batch = (uint32_t)(left < BATCH ? left : BATCH);
    work->columns = columns + first * work->num_vertices;
    status = run_batch(work, request, request->sources + first, result, error);
  }
  return status;
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_graph *graph = request->view;
  struct work work = {.out = &graph->out, .num_vertices = graph->out.num_vertices};
  uint32_t *columns = NULL;
  double begin = qn_seconds();
  if (graph->directedness == QN_UNDIRECTED)
    work.in = &graph->out;
  else if (graph->has_transpose)
    work.in = &graph->in;
  *result = (struct qn_run_result){.type = QN_RESULT_U32, .converged = true};
  enum qn_status status = create(&work, request->num_sources, &columns, error);
  result->prepare_seconds = qn_seconds() - begin;
  begin = qn_seconds();
  if (!status)
    status = run_batches(&work, request, columns, result, error);
  result->kernel_seconds = qn_seconds() - begin;
  destroy(&work);
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
