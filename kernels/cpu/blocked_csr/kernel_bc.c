/* Betweenness centrality from given sources on blocked CSR (Brandes 2001; GraphCage,
 * section 3.3), not normalised; parallel edges are different paths.
 *
 * A kernel of its own because it has two phases, as csr/kernel_bc.c tells. Both walk blocks: rows
 * gather where the blocks have the right direction, else they give to their columns. An array
 * `offer` holds what the vertices of one level give, and 0 for all others. */
#include "kernels/cpu/blocked_csr/block_sums.h"
#include "kernels/cpu/loop/levels.h"
#include "kernels/keep.h"
#include "kernels/standalone_kernel.h"
#include "support/memory.h"
#include "support/threads.h"
#include <quern/blocked_csr.h>

extern const struct qn_kernel qn_kernel_bc_blocked_csr_cpu;

struct work {
  const struct qn_blocked_csr *view; /* with plain out-edges, for the searches */
  struct qn_block_sums forwards;     /* from a level to the next */
  struct qn_block_sums backwards;
  struct qn_levels levels;
  double *paths; /* [V] */
  double *offer; /* [V] zero but for one level's vertices */
  double *sum;   /* [V] */
  double *share; /* [V] */
  double *score; /* [V] the result */
};

/* Regions of a few vertices are not worth waking threads for. */
#define FEW_VERTICES 256

static const uint32_t *level_of_work(const struct work *work, uint64_t level, uint64_t *count) {
  *count = work->levels.offsets[level + 1] - work->levels.offsets[level];
  return work->levels.vertices + work->levels.offsets[level];
}

static void withdraw_offers(struct work *work, uint64_t level) {
  uint64_t count;
  const uint32_t *vertices = level_of_work(work, level, &count);
#pragma omp parallel for schedule(static) if (count > FEW_VERTICES)
  for (uint64_t i = 0; i < count; i++)
    work->offer[vertices[i]] = 0;
}

static void count_paths(struct work *work, const uint32_t *level_of, uint32_t source) {
  work->paths[source] = work->offer[source] = 1;
  for (uint64_t level = 1; level < work->levels.num_levels; level++) {
    uint64_t count;
    const uint32_t *vertices = level_of_work(work, level, &count);
    qn_block_sums_collect(&work->forwards, &work->levels, level_of, (uint32_t)level - 1,
                          (uint32_t)level, work->offer, work->sum);
    withdraw_offers(work, level - 1);
#pragma omp parallel for schedule(static) if (count > FEW_VERTICES)
    for (uint64_t i = 0; i < count; i++)
      work->offer[vertices[i]] = work->paths[vertices[i]] = work->sum[vertices[i]];
  }
}

/* On entry the deepest level still offers its paths; it has no share of its own. */
static void spread_shares(struct work *work, const uint32_t *level_of, uint32_t source) {
  for (uint64_t level = work->levels.num_levels; level-- > 0;) {
    uint64_t count;
    const uint32_t *vertices = level_of_work(work, level, &count);
    bool has_below = level + 1 < work->levels.num_levels;
    if (has_below) {
      qn_block_sums_collect(&work->backwards, &work->levels, level_of, (uint32_t)level + 1,
                            (uint32_t)level, work->offer, work->sum);
      withdraw_offers(work, level + 1);
    }
#pragma omp parallel for schedule(static) if (count > FEW_VERTICES)
    for (uint64_t i = 0; i < count; i++) {
      uint32_t v = vertices[i];
      work->share[v] = has_below ? work->paths[v] * work->sum[v] : 0;
      work->offer[v] = level ? (1 + work->share[v]) / work->paths[v] : 0;
      if (v != source)
        work->score[v] += work->share[v];
    }
  }
}

/* Add one source's dependencies to the score. */
static enum qn_status add_source(struct work *work, const struct qn_run_request *request,
                                 uint32_t source, struct qn_error *error) {
  const struct qn_kernel *bfs =
      qn_kernel_find("bfs", QN_LAYOUT_BLOCKED_CSR, QN_CPU, work->view->out.weights.type);
  struct qn_run_request search = qn_run_request_for(bfs, work->view);
  struct qn_run_result levels;
  search.positions = request->positions;
  search.inputs.sources = &source;
  search.inputs.num_sources = 1;
  enum qn_status status = bfs->run(&search, &levels, error);
  if (status)
    return status;
  status = qn_levels_sort(&work->levels, levels.values, error);
  if (!status) {
    count_paths(work, levels.values, source);
    spread_shares(work, levels.values, source);
  }
  qn_run_result_destroy(&levels);
  return status;
}

/* Rows of pull blocks are destinations, so they receive forwards; those of push blocks receive
 * backwards; those of an undirected graph do both. */
static enum qn_status choose_blocks(struct work *work, struct qn_error *error) {
  const struct qn_blocked_csr *view = work->view;
  bool undirected = view->directedness == QN_UNDIRECTED;
  const struct qn_blocking *forwards = view->has_pull ? &view->pull : &view->push;
  const struct qn_blocking *backwards = view->has_push ? &view->push : &view->pull;
  enum qn_status status =
      qn_block_sums_create(&work->forwards, forwards, view->has_pull || undirected, error);
  if (!status)
    status = qn_block_sums_create(&work->backwards, backwards, view->has_push || undirected, error);
  return status;
}

static enum qn_status create_arrays(struct work *work, struct qn_error *error) {
  uint64_t num_vertices = work->view->num_vertices;
  double **const arrays[] = {&work->paths, &work->offer, &work->sum, &work->share, &work->score};
  enum qn_status status = qn_levels_create(&work->levels, num_vertices, error);
  for (unsigned i = 0; i < sizeof arrays / sizeof arrays[0] && !status; i++)
    status = qn_pages_alloc(arrays[i], num_vertices, sizeof(double), "path counts", error);
  return status;
}

static void destroy(struct work *work) {
  double *const arrays[] = {work->paths, work->offer, work->sum, work->share, work->score};
  for (unsigned i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
    qn_pages_free(arrays[i], work->view->num_vertices, sizeof(double));
  qn_levels_destroy(&work->levels);
  qn_block_sums_destroy(&work->forwards);
  qn_block_sums_destroy(&work->backwards);
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  struct qn_blocked_csr view = *(const struct qn_blocked_csr *)request->view;
  struct qn_graph derived = {0};
  struct work work = {.view = &view};
  double begin = qn_seconds();
  enum qn_status status = QN_OK;
  *result = (struct qn_run_result){0};
  if (!view.has_out) { /* once for all searches */
    status = qn_blocked_csr_out_edges(&view, &derived, error);
    view.out = derived.out;
    view.has_out = true;
  }
  if (!status)
    status = choose_blocks(&work, error);
  if (!status)
    status = create_arrays(&work, error);
  double prepared = qn_seconds();
  const struct qn_state_parts parts = {
      .num_vertices = view.num_vertices, .values = work.score, .value_bytes = sizeof *work.score};
  if (!status)
    qn_state_restore_values(request, &parts, 0, view.num_vertices);
  for (uint64_t i = qn_state_iterations(request); i < request->inputs.num_sources && !status; i++) {
    status = add_source(&work, request, request->inputs.sources[i], error);
    if (!status && i + 1 < request->inputs.num_sources)
      status = qn_state_keep(request, i + 1, 0, &parts, error);
  }
  if (!status) {
    *result = (struct qn_run_result){.type = QN_RESULT_F64,
                                     .num_values = view.num_vertices,
                                     .values = work.score,
                                     .stats.iterations = request->inputs.num_sources,
                                     .stats.converged = true,
                                     .stats.prepare_seconds = prepared - begin,
                                     .stats.kernel_seconds = qn_seconds() - prepared};
    work.score = NULL;
  }
  destroy(&work);
  qn_graph_unmap(&derived);
  return status;
}

const struct qn_kernel qn_kernel_bc_blocked_csr_cpu =
    QN_BC_KERNEL("TOCAB Brandes", QN_LAYOUT_BLOCKED_CSR, QN_CPU, 0, run);
