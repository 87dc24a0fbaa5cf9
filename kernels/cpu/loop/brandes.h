/* Betweenness centrality from given sources on the rows of a layout (Brandes: A Faster Algorithm
 * for Betweenness Centrality, 2001), not normalised; parallel edges are different paths. Two
 * phases: forwards, level by level, the number of shortest paths from the source, paths(v) = sum of
 * paths(u) over the in-neighbours one level up; then backwards the dependency, share(v) = paths(v)
 * * sum of (1 + share(w)) / paths(w) over the out-neighbours one level down.
 *
 * Both pull, so that sums of real numbers have one order. An array `offer` holds what the
 * vertices of the level at hand give, and 0 for all others: so one load an edge
 * suffices, and the level of the other end need not be looked up.
 *
 * A kernel defines, before it includes this, what rows are in one direction, and their sum:
 *
 *   struct brandes_rows
 *   double brandes_sum(const struct brandes_rows *rows, const double *offer, uint32_t v) */
#pragma once

#include "kernels/cpu/loop/levels.h"
#include "kernels/keep.h"
#include "kernels/standalone_kernel.h"
#include "support/memory.h"
#include "support/threads.h"

struct work {
  struct brandes_rows out, in;
  const struct qn_kernel *search; /* bfs */
  struct qn_levels levels;
  double *paths; /* [V] */
  double *offer; /* [V] zero but for one level's vertices */
  double *share; /* [V] */
  double *score; /* [V] the result */
};

/* Regions of a few vertices are not worth waking threads for: a path has 10^5 of them. */
#define FEW_VERTICES 256

static void count_paths(struct work *work, uint32_t source) {
  work->paths[source] = work->offer[source] = 1;
  for (uint64_t level = 1; level < work->levels.num_levels; level++) {
    const uint32_t *above = work->levels.vertices + work->levels.offsets[level - 1];
    const uint32_t *here = work->levels.vertices + work->levels.offsets[level];
    uint64_t num_above = work->levels.offsets[level] - work->levels.offsets[level - 1];
    uint64_t num_here = work->levels.offsets[level + 1] - work->levels.offsets[level];
#pragma omp parallel if (num_above + num_here > FEW_VERTICES)
    {
#pragma omp for schedule(dynamic, 64)
      for (uint64_t i = 0; i < num_here; i++)
        work->paths[here[i]] = brandes_sum(&work->in, work->offer, here[i]);
#pragma omp for schedule(static)
      for (uint64_t i = 0; i < num_above; i++)
        work->offer[above[i]] = 0;
#pragma omp for schedule(static)
      for (uint64_t i = 0; i < num_here; i++)
        work->offer[here[i]] = work->paths[here[i]];
    }
  }
}

/* On entry the deepest level still offers its paths; it has no share of its own. */
static void spread_shares(struct work *work, uint32_t source) {
  for (uint64_t level = work->levels.num_levels; level-- > 0;) {
    const uint32_t *here = work->levels.vertices + work->levels.offsets[level];
    uint64_t num_here = work->levels.offsets[level + 1] - work->levels.offsets[level];
    bool has_below = level + 1 < work->levels.num_levels;
    const uint32_t *below = here + num_here;
    uint64_t num_below =
        has_below ? work->levels.offsets[level + 2] - work->levels.offsets[level + 1] : 0;
#pragma omp parallel if (num_here + num_below > FEW_VERTICES)
    {
#pragma omp for schedule(dynamic, 64)
      for (uint64_t i = 0; i < num_here; i++) {
        uint32_t v = here[i];
        work->share[v] = has_below ? work->paths[v] * brandes_sum(&work->out, work->offer, v) : 0;
        if (v != source)
          work->score[v] += work->share[v];
      }
#pragma omp for schedule(static)
      for (uint64_t i = 0; i < num_below; i++)
        work->offer[below[i]] = 0;
#pragma omp for schedule(static)
      for (uint64_t i = 0; i < num_here; i++)
        work->offer[here[i]] = level ? (1 + work->share[here[i]]) / work->paths[here[i]] : 0;
    }
  }
}

/* Add one source's dependencies to the score. */
static enum qn_status add_source(struct work *work, const struct qn_run_request *request,
                                 const void *view, uint32_t source, struct qn_error *error) {
  struct qn_run_request search = qn_run_request_for(work->search, view);
  struct qn_run_result levels;
  search.positions = request->positions;
  search.inputs.sources = &source;
  search.inputs.num_sources = 1;
  enum qn_status status = work->search->run(&search, &levels, error);
  if (status)
    return status;
  status = qn_levels_sort(&work->levels, levels.values, error);
  qn_run_result_destroy(&levels);
  if (status)
    return status;
  count_paths(work, source);
  spread_shares(work, source);
  return QN_OK;
}

static enum qn_status create_arrays(struct work *work, uint64_t num_vertices,
                                    struct qn_error *error) {
  enum qn_status status = qn_levels_create(&work->levels, num_vertices, error);
  if (!status)
    status = qn_pages_alloc(&work->paths, num_vertices, sizeof(double), "path counts", error);
  if (!status)
    status = qn_pages_alloc(&work->offer, num_vertices, sizeof(double), "offers", error);
  if (!status)
    status = qn_pages_alloc(&work->share, num_vertices, sizeof(double), "shares", error);
  if (!status)
    status = qn_pages_alloc(&work->score, num_vertices, sizeof(double), "scores", error);
  return status;
}

static void destroy_arrays(struct work *work, uint64_t num_vertices) {
  qn_levels_destroy(&work->levels);
  qn_pages_free(work->paths, num_vertices, sizeof(double));
  qn_pages_free(work->offer, num_vertices, sizeof(double));
  qn_pages_free(work->share, num_vertices, sizeof(double));
  qn_pages_free(work->score, num_vertices, sizeof(double));
}

/* All sources, of which `view` is searched; `work` has the rows and the search, and `begin` is when
 * they were begun to be made. */
static enum qn_status brandes_run(const struct qn_run_request *request, const void *view,
                                  uint64_t num_vertices, struct work *work, double begin,
                                  struct qn_run_result *result, struct qn_error *error) {
  *result = (struct qn_run_result){.type = QN_RESULT_F64, .stats.converged = true};
  enum qn_status status = create_arrays(work, num_vertices, error);
  result->stats.prepare_seconds = qn_seconds() - begin;
  begin = qn_seconds();
  const struct qn_state_parts parts = {
      .num_vertices = num_vertices, .values = work->score, .value_bytes = sizeof *work->score};
  if (!status)
    qn_state_restore_values(request, &parts, 0, num_vertices);
  for (uint64_t i = qn_state_iterations(request); i < request->inputs.num_sources && !status; i++) {
    status = add_source(work, request, view, request->inputs.sources[i], error);
    if (!status && i + 1 < request->inputs.num_sources)
      status = qn_state_keep(request, i + 1, 0, &parts, error);
  }
  result->stats.kernel_seconds = qn_seconds() - begin;
  result->stats.iterations = request->inputs.num_sources;
  if (!status) {
    result->num_values = num_vertices;
    result->values = work->score;
    work->score = NULL;
  } else {
    *result = (struct qn_run_result){0};
  }
  destroy_arrays(work, num_vertices);
  return status;
}
