/* Betweenness centrality from given sources on a set (kernels/cpu/csr/kernel_bc.c has the
 * formulas), whose rows hold in-edges.
 *
 * A kernel of its own because it has two phases. Both walk the rows of one level: forwards they
 * pull, backwards they add to their columns. There each thread has columns of its own, so that sums
 * of reals have one order. */
#include <omp.h>

#include "kernels/cpu/loop/levels.h"
#include "kernels/keep.h"
#include "kernels/set_view.h"
#include "kernels/standalone_kernel.h"
#include "support/memory.h"
#include "support/search.h"
#include "support/threads.h"

extern const struct qn_kernel qn_kernel_bc_set_cpu;

struct work {
  const struct qn_set_view *view;
  struct qn_levels levels;
  const uint32_t *hops; /* [V] */
  double *paths;        /* [V] */
  double *share;        /* [V] */
  double *offer;        /* [V] (1 + share) / paths of the level that adds to the one above */
  double *score;        /* [V] the result */
};

/* The vertices of a level that have rows in a part. */
static const uint32_t *find_rows(const struct work *work, uint64_t level,
                                 const struct qn_part_rows *part, uint64_t *count) {
  const uint32_t *first = work->levels.vertices + work->levels.offsets[level];
  uint64_t num_before[2];
  for (int side = 0; side < 2; side++) {
    const uint64_t bound = side ? part->end : part->begin;
    const uint64_t all = work->levels.offsets[level + 1] - work->levels.offsets[level];
    num_before[side] = qn_lower_bound_u32(first, 0, all, bound);
  }
  *count = num_before[1] - num_before[0];
  return first + num_before[0];
}

/* What walks rows of a part. */
typedef void walk_rows(const struct work *work, const struct qn_part_rows *part,
                       const uint32_t *vertices, uint64_t count);

static enum qn_status walk_level(const struct work *work, uint64_t level, walk_rows *walk,
                                 struct qn_error *error) {
  const struct qn_set_view *view = work->view;
  enum qn_status status = QN_OK;
  for (uint64_t i = 0; !status && i < view->num_parts; i++) {
    uint64_t count;
    const uint32_t *vertices = find_rows(work, level, &view->parts[i], &count);
    if (count == 0)
      continue;
    status = qn_part_enter(view, i, error);
    if (!status)
      walk(work, &view->parts[i], vertices, count);
    qn_part_leave(view, i);
  }
  return status;
}

/* Paths of those one level up add up. */
static void pull_paths(const struct work *work, const struct qn_part_rows *part,
                       const uint32_t *vertices, uint64_t count) {
  const struct qn_csr *csr = part->csr;
  const uint32_t *hops = work->hops + part->columns_begin;
  const double *paths = work->paths + part->columns_begin;
#pragma omp parallel for schedule(dynamic, 64)
  for (uint64_t i = 0; i < count; i++) {
    const uint32_t v = vertices[i], above = work->hops[v] - 1;
    const uint64_t row = v - part->begin;
    double sum = 0;
    for (uint64_t edge = csr->row_offsets[row]; edge < csr->row_offsets[row + 1]; edge++)
      if (hops[csr->column_indices[edge]] == above)
        sum += paths[csr->column_indices[edge]];
    work->paths[v] += sum;
  }
}

/* Rows offer to those one level up. */
static void push_shares(const struct work *work, const struct qn_part_rows *part,
                        const uint32_t *vertices, uint64_t count) {
  const struct qn_csr *csr = part->csr;
  const uint32_t *hops = work->hops + part->columns_begin;
  double *share = work->share + part->columns_begin;
#pragma omp parallel
  {
    uint64_t begin, end;
    qn_part_of(part->columns_end - part->columns_begin, (unsigned)omp_get_num_threads(),
               (unsigned)omp_get_thread_num(), &begin, &end);
    for (uint64_t i = 0; i < count; i++) {
      const uint64_t row = vertices[i] - part->begin, last = csr->row_offsets[row + 1];
      const uint32_t above = work->hops[vertices[i]] - 1;
      for (uint64_t edge = qn_lower_bound_u32(csr->column_indices, csr->row_offsets[row],
                                              csr->row_offsets[row + 1], begin);
           edge < last && csr->column_indices[edge] < end; edge++)
        if (hops[csr->column_indices[edge]] == above)
          share[csr->column_indices[edge]] += work->offer[vertices[i]];
    }
  }
}

/* The shares of a level are added up, and become what it offers. */
static void finish_level(const struct work *work, uint64_t level) {
  const uint32_t *here = work->levels.vertices + work->levels.offsets[level];
  const uint64_t count = work->levels.offsets[level + 1] - work->levels.offsets[level];
#pragma omp parallel for schedule(static)
  for (uint64_t i = 0; i < count; i++) {
    const uint32_t v = here[i];
    const double share = work->paths[v] * work->share[v];
    if (level > 0)
      work->score[v] += share;
    work->offer[v] = (1 + share) / work->paths[v];
    work->share[v] = 0;
  }
}

static enum qn_status walk_levels(struct work *work, uint32_t source, struct qn_error *error) {
  const uint64_t num_levels = work->levels.num_levels;
  enum qn_status status = QN_OK;
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < work->view->num_vertices; v++)
    work->paths[v] = v == source;
  for (uint64_t level = 1; !status && level < num_levels; level++)
    status = walk_level(work, level, pull_paths, error);
  for (uint64_t level = num_levels; !status && level-- > 0;) {
    finish_level(work, level);
    if (level > 0)
      status = walk_level(work, level, push_shares, error);
  }
  return status;
}

/* Add one source's dependencies to the score. */
static enum qn_status add_source(struct work *work, const struct qn_run_request *request,
                                 uint32_t source, struct qn_error *error) {
  const struct qn_kernel *bfs = qn_kernel_find("bfs", QN_LAYOUT_SET, QN_CPU, QN_WEIGHT_NONE);
  struct qn_run_request search = qn_run_request_for(bfs, work->view);
  struct qn_run_result hops;
  search.positions = request->positions;
  search.inputs.sources = &source;
  search.inputs.num_sources = 1;
  enum qn_status status = bfs->run(&search, &hops, error);
  if (status)
    return status;
  work->hops = hops.values;
  status = qn_levels_sort(&work->levels, hops.values, error);
  if (!status)
    status = walk_levels(work, source, error);
  qn_run_result_destroy(&hops);
  return status;
}

static enum qn_status add_sources(struct work *work, const struct qn_run_request *request,
                                  struct qn_error *error) {
  const struct qn_state_parts parts = {.num_vertices = work->view->num_vertices,
                                       .values = work->score,
                                       .value_bytes = sizeof *work->score};
  const uint64_t num_sources = request->inputs.num_sources;
  enum qn_status status = QN_OK;
  qn_state_restore_values(request, &parts, 0, parts.num_vertices);
  for (uint64_t i = qn_state_iterations(request); !status && i < num_sources; i++) {
    status = add_source(work, request, request->inputs.sources[i], error);
    if (!status && i + 1 < num_sources)
      status = qn_state_keep(request, i + 1, 0, &parts, error);
  }
  return status;
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  struct work work = {.view = request->view};
  const uint64_t num_vertices = work.view->num_vertices;
  const double begin = qn_seconds();
  *result = (struct qn_run_result){0};
  enum qn_status status = qn_levels_create(&work.levels, num_vertices, error);
  if (!status)
    status = qn_pages_alloc(&work.paths, num_vertices, sizeof(double), "path counts", error);
  if (!status)
    status = qn_pages_alloc(&work.share, num_vertices, sizeof(double), "shares", error);
  if (!status)
    status = qn_pages_alloc(&work.offer, num_vertices, sizeof(double), "offers", error);
  if (!status)
    status = qn_pages_alloc(&work.score, num_vertices, sizeof(double), "scores", error);
  if (!status)
    status = add_sources(&work, request, error);
  qn_levels_destroy(&work.levels);
  qn_pages_free(work.paths, num_vertices, sizeof(double));
  qn_pages_free(work.share, num_vertices, sizeof(double));
  qn_pages_free(work.offer, num_vertices, sizeof(double));
  if (status) {
    qn_pages_free(work.score, num_vertices, sizeof(double));
    return status;
  }
  *result = (struct qn_run_result){.type = QN_RESULT_F64,
                                   .num_values = num_vertices,
                                   .values = work.score,
                                   .stats = {.iterations = request->inputs.num_sources,
                                             .converged = true,
                                             .kernel_seconds = qn_seconds() - begin}};
  return QN_OK;
}

const struct qn_kernel qn_kernel_bc_set_cpu =
    QN_BC_KERNEL("Brandes by levels", QN_LAYOUT_SET, QN_CPU, QN_KERNEL_ALONE, run);
