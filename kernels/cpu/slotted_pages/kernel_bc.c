/* Betweenness centrality from given sources on slotted pages (Brandes: A Faster Algorithm for
 * Betweenness Centrality, 2001), not normalised; parallel edges are different paths.
 *
 * A kernel of its own because it has two phases. Forwards, level by level, the number of shortest
 * paths from the source: a frontier program like others (bc_program.h), whose pages push. Backwards
 * the dependency, share(v) = paths(v) * sum of (1 + share(w)) / paths(w) over the out-neighbours
 * one level down: each vertex reads its own record. An array `offer` holds what the vertices of the
 * level below give, and 0 for all others, so the level of the other end need not be looked up. */
#define QN_ALGORITHM qn_algorithm_bc /* declared, and not used */
#include "kernels/cpu/slotted_pages/bc_program.h"

#include "kernels/cpu/slotted_pages/view.h"

#include "kernels/cpu/slotted_pages/collect.h"
#include "kernels/cpu/slotted_pages/walk.h"

#include "kernels/cpu/loop/run.h"

#include "kernels/keep.h"
#include "kernels/standalone_kernel.h"
#include "support/arrays/reserve.h"

extern const struct qn_kernel qn_kernel_bc_slotted_pages_cpu;

struct work {
  struct engine_state state; /* values: path counts */
  struct engine_work collect;
  uint32_t *vertices; /* [V] those that were reached, by level */
  uint64_t num_levels;
  uint64_t *level_offsets; /* [num_levels + 1] into `vertices` */
  uint64_t level_capacity;
  double *offer; /* [V] zero but for one level's vertices */
  double *share; /* [V] */
  double *score; /* [V] the result */
};

/* ---- Forwards -------------------------------------------------------------- */

/* The frontier becomes the next level. */
static enum qn_status append_level(struct work *work, struct qn_error *error) {
  struct qn_frontier *current = &work->collect.current;
  uint64_t level = work->num_levels, begin = work->level_offsets[level];
  enum qn_status status = qn_reserve(&work->level_offsets, &work->level_capacity, level + 2,
                                     sizeof *work->level_offsets, "levels", error);
  if (status)
    return status;
  current->queued = false;
  qn_frontier_enqueue(current);
  memcpy(work->vertices + begin, current->queue, current->count * sizeof *work->vertices);
  work->level_offsets[level + 1] = begin + current->count;
  work->num_levels++;
  return QN_OK;
}

static enum qn_status count_paths(struct work *work, struct qn_error *error) {
  struct engine_state *state = &work->state;
  struct qn_frontier *current = &work->collect.current;
  enum qn_status status = QN_OK;
  work->num_levels = 0;
  sweep_init(state);
  sweep_start(state, current);
  qn_frontier_adopt(current);
  while (!status && current->count > 0) {
    status = append_level(work, error);
    walk_senders(state, &work->collect);
    apply_received(state, &work->collect);
  }
  return status;
}

/* ---- Backwards ------------------------------------------------------------- */

/* `id_bytes` is a constant where this is called, so that the load of an id is one instruction. */
static inline double sum_record(const struct qn_slotted_pages *pages,
                                const struct qn_page_record *record, unsigned id_bytes,
                                const double *offer) {
  double sum = 0;
  const uint8_t *at = record->ids;
  for (uint32_t i = 0; i < record->num_edges; i++, at += id_bytes)
    sum += offer[qn_physical_id_vertex(pages->start_vids, pages->format.address,
                                       qn_load_physical_id(at, id_bytes))];
  return sum;
}

/* What the out-neighbours of a vertex offer. `*page` is where the last vertex was found, and
 * often this one is there too. */
static double sum_of_offers(const struct qn_slotted_pages *pages, const double *offer, uint32_t v,
                            uint64_t *page) {
  if (v < pages->start_vids[*page] || v >= pages->start_vids[*page + 1] ||
      qn_page_is_large(pages, *page))
    *page = qn_slotted_pages_find(pages, v);
  int32_t more = qn_page_is_large(pages, *page) ? pages->lp_ranges[*page] : 0;
  double sum = 0;
  for (uint64_t at = *page; at <= *page + (uint64_t)more; at++) {
    struct qn_page_record record =
        qn_page_record(&pages->format, qn_page_at(pages, at), v - pages->start_vids[at]);
    sum += qn_page_id_bytes(pages->format.address) == 4 ? sum_record(pages, &record, 4, offer)
                                                        : sum_record(pages, &record, 6, offer);
  }
  return sum;
}

/* Regions of a few vertices are not worth waking threads for. */
#define FEW_VERTICES 256

static void spread_shares(struct work *work, uint32_t source) {
  const struct qn_slotted_pages *pages = work->state.view->pages;
  const double *paths = work->state.values;
  for (uint64_t level = work->num_levels; level-- > 0;) {
    const uint32_t *here = work->vertices + work->level_offsets[level];
    uint64_t num_here = work->level_offsets[level + 1] - work->level_offsets[level];
    bool has_below = level + 1 < work->num_levels;
    const uint32_t *below = here + num_here;
    uint64_t num_below =
        has_below ? work->level_offsets[level + 2] - work->level_offsets[level + 1] : 0;
    uint64_t page = 0;
#pragma omp parallel firstprivate(page) if (num_here + num_below > FEW_VERTICES)
    {
#pragma omp for schedule(dynamic, 64)
      for (uint64_t i = 0; i < num_here; i++) {
        uint32_t v = here[i];
        work->share[v] = has_below ? paths[v] * sum_of_offers(pages, work->offer, v, &page) : 0;
        if (v != source)
          work->score[v] += work->share[v];
      }
#pragma omp for schedule(static)
      for (uint64_t i = 0; i < num_below; i++)
        work->offer[below[i]] = 0;
#pragma omp for schedule(static)
      for (uint64_t i = 0; i < num_here; i++)
        work->offer[here[i]] = level ? (1 + work->share[here[i]]) / paths[here[i]] : 0;
    }
  }
}

/* ---- The kernel ------------------------------------------------------------ */

static enum qn_status create_work(struct work *work, const struct qn_run_request *request,
                                  struct qn_run_result *result, struct qn_error *error) {
  struct engine_state *state = &work->state;
  state->request = request;
  state->result = result;
  enum qn_status status = walk_begin(state, error);
  uint64_t num_vertices = state->context.num_vertices;
  if (!status)
    status = walk_create(state, error);
  if (!status)
    status =
        qn_pages_alloc(&state->values, num_vertices, sizeof *state->values, "path counts", error);
  if (!status)
    status = work_create(state, &work->collect, error);
  if (!status)
    status = qn_pages_alloc(&work->vertices, num_vertices, sizeof *work->vertices, "levels", error);
  if (!status)
    status = qn_pages_alloc(&work->offer, num_vertices, sizeof(double), "offers", error);
  if (!status)
    status = qn_pages_alloc(&work->share, num_vertices, sizeof(double), "shares", error);
  if (!status)
    status = qn_pages_alloc(&work->score, num_vertices, sizeof(double), "scores", error);
  work->level_capacity = 64;
  if (!status)
    status = qn_alloc_zeroed(&work->level_offsets, work->level_capacity,
                             sizeof *work->level_offsets, "levels", error);
  return status;
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  struct qn_run_request searches = *request;
  struct work work = {0};
  double begin = qn_seconds();
  searches.hooks.checkpointing = NULL; /* states are those between two of them */
  enum qn_status status = create_work(&work, &searches, result, error);
  uint64_t num_vertices = work.state.context.num_vertices;
  result->stats.prepare_seconds = qn_seconds() - begin;
  begin = qn_seconds();
  const struct qn_state_parts parts = {
      .num_vertices = num_vertices, .values = work.score, .value_bytes = sizeof *work.score};
  if (!status)
    qn_state_restore_values(request, &parts, 0, num_vertices);
  for (uint64_t i = qn_state_iterations(request); i < request->inputs.num_sources && !status; i++) {
    uint32_t source = request->inputs.sources[i];
    work.state.context.source = engine_position(request, source);
    status = count_paths(&work, error);
    if (!status)
      spread_shares(&work, source);
    if (!status && i + 1 < request->inputs.num_sources)
      status = qn_state_keep(request, i + 1, 0, &parts, error);
  }
  result->stats.kernel_seconds = qn_seconds() - begin;
  result->stats.iterations = request->inputs.num_sources;
  qn_free(work.level_offsets);
  qn_pages_free(work.share, num_vertices, sizeof(double));
  qn_pages_free(work.offer, num_vertices, sizeof(double));
  qn_pages_free(work.vertices, num_vertices, sizeof *work.vertices);
  work_destroy(&work.state, &work.collect);
  qn_pages_free(work.state.values, num_vertices, sizeof *work.state.values);
  walk_destroy(&work.state);
  if (status) {
    qn_pages_free(work.score, num_vertices, sizeof(double));
    *result = (struct qn_run_result){0};
    return status;
  }
  result->type = QN_RESULT_F64;
  result->stats.converged = true;
  result->num_values = num_vertices;
  result->values = work.score;
  return QN_OK;
}

const struct qn_kernel qn_kernel_bc_slotted_pages_cpu =
    QN_BC_KERNEL("slotted-pages Brandes", QN_LAYOUT_SLOTTED_PAGES, QN_CPU, 0, run);
