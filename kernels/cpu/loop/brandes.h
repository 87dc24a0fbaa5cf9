/* Betweenness centrality from given sources (Brandes: A Faster Algorithm for Betweenness
 * Centrality, 2001), not normalised; parallel edges are different paths. Two phases: forwards,
 * level by level, the number of shortest paths from the source, paths(v) = sum of paths(u) over the
 * in-neighbours one level up; then backwards the dependency, share(v) = paths(v) * sum of (1 +
 * share(w)) / paths(w) over the out-neighbours one level down.
 *
 * An array `offer` holds what the vertices of the level at hand give, and 0 for all others: so who
 * sums up looks at one number an edge, and need not know the level of the other end.
 *
 * A kernel says, before it includes this, how a level collects what another one offers:
 *
 *   struct brandes_edges
 *   enum qn_status brandes_collect(const struct brandes_edges *edges,
 *                                  const struct brandes_step *step, struct qn_error *error)
 *
 * brandes_rows.h has it for layouts with rows. Sums of reals have one order. */
#pragma once

#include "kernels/cpu/loop/brandes_step.h"
#include "kernels/keep.h"
#include "kernels/standalone_kernel.h"
#include "support/memory.h"
#include "support/threads.h"

struct work {
  struct brandes_edges edges;
  const struct qn_kernel *search; /* bfs */
  const void *view;               /* that is searched */
  /* [V] where the kernel numbers vertices itself: those of the view; else NULL. */
  const uint32_t *order;
  struct qn_levels levels;
  uint32_t *hops; /* [V] with `order` */
  double *paths;  /* [V] */
  double *offer;  /* [V] zero but for one level's vertices */
  double *share;  /* [V] */
  double *score;  /* [V] the result */
};

static void withdraw_offers(const struct work *work, uint64_t level) {
  uint64_t count;
  const uint32_t *vertices = brandes_level(&work->levels, level, &count);
#pragma omp parallel for schedule(static) if (count > FEW_VERTICES)
  for (uint64_t i = 0; i < count; i++)
    work->offer[vertices[i]] = 0;
}

static enum qn_status count_paths(const struct work *work, const uint32_t *hops, uint32_t source,
                                  struct qn_error *error) {
  struct brandes_step step = {.levels = &work->levels,
                              .hops = hops,
                              .is_forwards = true,
                              .offer = work->offer,
                              .into = work->paths};
  enum qn_status status = QN_OK;
  work->paths[source] = work->offer[source] = 1;
  for (uint64_t level = 1; !status && level < work->levels.num_levels; level++) {
    uint64_t count;
    const uint32_t *vertices = brandes_level(&work->levels, level, &count);
    step.from = (uint32_t)level - 1;
    step.to = (uint32_t)level;
    status = brandes_collect(&work->edges, &step, error);
    withdraw_offers(work, level - 1);
#pragma omp parallel for schedule(static) if (count > FEW_VERTICES)
    for (uint64_t i = 0; i < count; i++)
      work->offer[vertices[i]] = work->paths[vertices[i]];
  }
  return status;
}

/* On entry the deepest level still offers its paths; it has no share of its own. */
static enum qn_status spread_shares(const struct work *work, const uint32_t *hops, uint32_t source,
                                    struct qn_error *error) {
  struct brandes_step step = {
      .levels = &work->levels, .hops = hops, .offer = work->offer, .into = work->share};
  enum qn_status status = QN_OK;
  for (uint64_t level = work->levels.num_levels; !status && level-- > 0;) {
    uint64_t count;
    const uint32_t *vertices = brandes_level(&work->levels, level, &count);
    const bool has_below = level + 1 < work->levels.num_levels;
    step.from = (uint32_t)level + 1;
    step.to = (uint32_t)level;
    if (has_below) {
      status = brandes_collect(&work->edges, &step, error);
      withdraw_offers(work, level + 1);
    }
#pragma omp parallel for schedule(static) if (count > FEW_VERTICES)
    for (uint64_t i = 0; i < count; i++) {
      const uint32_t v = vertices[i];
      const double share = has_below ? work->paths[v] * work->share[v] : 0;
      work->offer[v] = level ? (1 + share) / work->paths[v] : 0;
      if (v != source)
        work->score[v] += share;
    }
  }
  return status;
}

/* Hops by the kernel's numbers, and the source's, which is at the only one with none. */
static const uint32_t *number_hops(const struct work *work, const uint32_t *hops,
                                   uint32_t *source) {
  const uint32_t wanted = *source;
  if (!work->order)
    return hops;
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < work->levels.num_vertices; v++) {
    work->hops[v] = hops[work->order[v]];
    if (work->order[v] == wanted)
      *source = (uint32_t)v;
  }
  return work->hops;
}

/* Add one source's dependencies to the score. */
static enum qn_status add_source(struct work *work, const struct qn_run_request *request,
                                 uint32_t source, struct qn_error *error) {
  struct qn_run_request search = qn_run_request_for(work->search, work->view);
  struct qn_run_result found;
  search.positions = request->positions;
  search.inputs.sources = &source;
  search.inputs.num_sources = 1;
  enum qn_status status = work->search->run(&search, &found, error);
  if (status)
    return status;
  const uint32_t *hops = number_hops(work, found.values, &source);
  status = qn_levels_sort(&work->levels, hops, error);
  if (!status)
    status = count_paths(work, hops, source, error);
  if (!status)
    status = spread_shares(work, hops, source, error);
  qn_run_result_destroy(&found);
  return status;
}

static enum qn_status create_arrays(struct work *work, uint64_t num_vertices,
                                    struct qn_error *error) {
  enum qn_status status = qn_levels_create(&work->levels, num_vertices, error);
  if (!status && work->order)
    status = qn_pages_alloc(&work->hops, num_vertices, sizeof *work->hops, "levels", error);
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
  qn_pages_free(work->hops, num_vertices, sizeof *work->hops);
  qn_pages_free(work->paths, num_vertices, sizeof(double));
  qn_pages_free(work->offer, num_vertices, sizeof(double));
  qn_pages_free(work->share, num_vertices, sizeof(double));
  qn_pages_free(work->score, num_vertices, sizeof(double));
}

/* The scores become those of the view's vertices. */
static void order_scores(struct work *work) {
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < work->levels.num_vertices; v++)
    work->share[work->order[v]] = work->score[v];
  double *ordered = work->share;
  work->share = work->score;
  work->score = ordered;
}

/* All sources. `work` has the edges, the search and what it searches, and `begin` is when they were
 * begun to be made. */
static enum qn_status brandes_run(const struct qn_run_request *request, uint64_t num_vertices,
                                  struct work *work, double begin, struct qn_run_result *result,
                                  struct qn_error *error) {
  *result = (struct qn_run_result){.type = QN_RESULT_F64, .stats.converged = true};
  enum qn_status status = create_arrays(work, num_vertices, error);
  result->stats.prepare_seconds = qn_seconds() - begin;
  begin = qn_seconds();
  const struct qn_state_parts parts = {
      .num_vertices = num_vertices, .values = work->score, .value_bytes = sizeof *work->score};
  if (!status)
    qn_state_restore_values(request, &parts, 0, num_vertices);
  for (uint64_t i = qn_state_iterations(request); i < request->inputs.num_sources && !status; i++) {
    status = add_source(work, request, request->inputs.sources[i], error);
    if (!status && i + 1 < request->inputs.num_sources)
      status = qn_state_keep(request, i + 1, 0, &parts, error);
  }
  if (!status && work->order)
    order_scores(work);
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
