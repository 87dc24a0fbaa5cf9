/* Weakly connected components on the parts of a set: union-find (formats/graph/components.h) by
 * each rank on its own rows, whichever ends of edges these are of, and the ranks' trees merged.
 *
 * A kernel of its own because label propagation (kernels/programs/cc.h) needs in- and out-edges,
 * and tells other ranks what is new once for each step of the diameter. Where rows hold both ends
 * of every edge, trees are merged twice: when each vertex has joined one neighbor, so that all
 * ranks know the largest tree, whose vertices need join no more; and at the end. Where they hold
 * one end, one process keeps a bit of each vertex outside of that tree. Ranks of one machine join
 * the same trees. */
#include <string.h>

#include "formats/graph/components.h"
#include "kernels/cpu/loop/labels.h"
#include "kernels/keep.h"
#include "kernels/run_state.h"
#include "kernels/set_view.h"
#include "kernels/standalone_kernel.h"
#include "support/memory.h"
#include "support/search.h"
#include "support/threads.h"

extern const struct qn_kernel qn_kernel_cc_joined_set_cpu;

/* ---- Merging ----------------------------------------------------------------- */

/* Another rank's trees, which are a forest of the same vertices. */
static void join_forest(uint32_t *parent, uint64_t num_vertices, const uint32_t *other) {
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < num_vertices; v++)
    if (other[v] != v)
      qn_components_join_ends(parent, (uint32_t)v, other[v]);
}

/* Rank 0 learns the trees of all: in round i the ranks that are odd multiples of 2^i tell theirs to
 * the one 2^i before. */
static enum qn_status collect(const struct qn_set_view *view, uint32_t *parent, uint64_t *offsets,
                              struct qn_parcel *in, struct qn_error *error) {
  const struct qn_exchange *exchange = view->exchange;
  const uint64_t bytes = view->num_vertices * sizeof *parent;
  enum qn_status status = QN_OK;
  for (unsigned step = 1; step < exchange->num_ranks && !status; step *= 2) {
    const bool tells = exchange->rank % (2 * step) == step;
    for (unsigned rank = 0; rank <= exchange->num_ranks; rank++)
      offsets[rank] = tells && rank > exchange->rank - step ? bytes : 0;
    status = exchange->trade(parent, offsets, in, error);
    if (!status && exchange->rank % (2 * step) == 0 && exchange->rank + step < exchange->num_ranks)
      join_forest(parent, view->num_vertices,
                  (const uint32_t *)(in->bytes + in->offsets[exchange->rank + step]));
  }
  return status;
}

static enum qn_status tell(const struct qn_set_view *view, uint32_t *parent,
                           struct qn_error *error) {
  const struct qn_exchange *exchange = view->exchange;
  struct qn_parcel in = {0};
  uint64_t *offsets;
  enum qn_status status = qn_alloc(&offsets, exchange->num_ranks + (uint64_t)1, sizeof *offsets,
                                   "offsets of ranks", error);
  if (status)
    return status;
  status = collect(view, parent, offsets, &in, error);
  exchange->drop(&in);
  if (!status) {
    if (exchange->rank == 0)
      qn_components_end(parent, view->num_vertices);
    for (unsigned rank = 0; rank <= exchange->num_ranks; rank++)
      offsets[rank] = rank > 0 ? view->num_vertices * sizeof *parent : 0;
    status = exchange->gather(parent, offsets, error);
  }
  qn_free(offsets);
  return status;
}

/* Trees of vertices. */
struct forest {
  uint32_t *parent;
  bool is_shared;      /* all ranks have it, and each has its own vertices to begin and end with */
  uint64_t begin, end; /* those; of a forest of one's own all */
};

static enum qn_status meet(const struct qn_set_view *view, const struct forest *forest,
                           struct qn_error *error) {
  return forest->is_shared ? view->exchange->meet(error) : QN_OK;
}

/* All ranks have the same trees, in which every vertex points at its root. */
static enum qn_status merge(const struct qn_set_view *view, const struct forest *forest,
                            struct qn_error *error) {
  if (view->exchange && !forest->is_shared)
    return tell(view, forest->parent, error);
  enum qn_status status = meet(view, forest, error);
  if (status)
    return status;
  qn_components_end_some(forest->parent, forest->begin, forest->end);
  return meet(view, forest, error);
}

/* ---- Rows -------------------------------------------------------------------- */

static struct qn_neighbors neighbors_of(const struct qn_part_rows *part, uint64_t v) {
  struct qn_neighbors row = qn_neighbors_of(part->csr, v - part->begin);
  row.end = part->csr->column_indices + qn_part_row_end(part, v - part->begin);
  row.base = (uint32_t)part->columns_begin;
  return row;
}

/* Parts are gone through by all threads, which do not wait for each other where a part ends; but
 * where parts have the same rows they do, as those change what is their own without asking. */

/* Every vertex hangs below its smallest neighbor, if that is smaller. */
static void hang(const struct qn_set_view *view, uint32_t *parent) {
#pragma omp parallel
  for (uint64_t i = 0; i < view->num_parts; i++) {
    const struct qn_part_rows *part = &view->parts[i];
    if (!part->begins_row) {
#pragma omp barrier
    }
#pragma omp for schedule(dynamic, 16384) nowait
    for (uint64_t v = part->begin; v < part->end; v++) {
      const struct qn_neighbors row = neighbors_of(part, v);
      if (row.end > row.begin && row.base + row.begin[0] < v && parent[v] == v)
        parent[v] = row.base + row.begin[0];
    }
  }
}

/* Else the neighbor's tree joins the vertex's. */
static void join_first(const struct qn_set_view *view, uint32_t *parent) {
#pragma omp parallel
  for (uint64_t i = 0; i < view->num_parts; i++) {
    const struct qn_part_rows *part = &view->parts[i];
#pragma omp for schedule(dynamic, 16384) nowait
    for (uint64_t v = part->begin; v < part->end; v++) {
      const struct qn_neighbors row = neighbors_of(part, v);
      if (row.end > row.begin && row.base + row.begin[0] > v)
        qn_components_join_ends(parent, (uint32_t)v, row.base + row.begin[0]);
    }
  }
}

static enum qn_status begin(const struct qn_set_view *view, const struct forest *forest,
                            struct qn_error *error) {
#pragma omp parallel for schedule(static)
  for (uint64_t v = forest->begin; v < forest->end; v++)
    forest->parent[v] = (uint32_t)v;
  hang(view, forest->parent);
  enum qn_status status = meet(view, forest, error);
  if (!status)
    join_first(view, forest->parent);
  return status;
}

/* All edges of the parts from `first` on. `outside`: of rows of one end of edges, which vertices
 * are not in the largest tree yet; or NULL. */
static void join_parts(const struct qn_set_view *view, uint64_t first, uint32_t *parent,
                       uint32_t largest, uint64_t *outside) {
#pragma omp parallel
  for (uint64_t i = first; i < view->num_parts; i++) {
    const struct qn_part_rows *part = &view->parts[i];
#pragma omp for schedule(dynamic, 1024) nowait
    for (uint64_t v = part->begin; v < part->end; v++) {
      const struct qn_neighbors row = neighbors_of(part, v);
      if (outside)
        qn_components_join_outside(parent, (uint32_t)v, row, outside);
      else
        qn_components_join(parent, (uint32_t)v, row, largest);
    }
  }
}

/* ---- Listed rows --------------------------------------------------------------- */

#define EDGES_OF_TASK 16384

static void join_edge(uint32_t *parent, uint32_t v, const uint32_t *column, uint64_t *outside) {
  qn_components_join_outside(parent, v, (struct qn_neighbors){column, column + 1, 0}, outside);
}

/* Edges [begin, end) that lead outside of the largest tree; `row` is that of the first one. These
 * rows are short, and few of them lead there: 64 edges are looked at at once. */
static void join_leaving(const struct qn_listed_rows *listed, uint64_t begin, uint64_t end,
                         uint64_t row, uint32_t *parent, uint64_t *outside) {
  const uint32_t *columns = listed->csr->column_indices;
  for (uint64_t first = begin; first < end; first += 64) {
    const uint64_t count = end - first < 64 ? end - first : 64;
    uint64_t leaving = 0;
    for (uint64_t i = 0; i < count; i++)
      leaving |= (uint64_t)qn_components_is_outside(outside, columns[first + i]) << i;
    for (; leaving; leaving &= leaving - 1) {
      const uint64_t edge = first + (unsigned)__builtin_ctzll(leaving);
      while (listed->csr->row_offsets[row + 1] <= edge && row + 1 < listed->csr->num_vertices)
        row++;
      if (qn_listed_row_counts(listed, row))
        join_edge(parent, listed->vertices[row], &columns[edge], outside);
    }
  }
}

/* Where rows hold one end of edges: those of vertices outside of the largest tree, then those that
 * lead there. */
static void join_outside(const struct qn_listed_rows *listed, uint32_t *parent, uint64_t *outside) {
  const struct qn_csr *csr = listed->csr;
#pragma omp parallel for schedule(dynamic, 4096)
  for (uint64_t row = 0; row < csr->num_vertices; row++)
    if (qn_components_is_outside(outside, listed->vertices[row]) &&
        qn_listed_row_counts(listed, row))
      qn_components_join_outside(parent, listed->vertices[row], qn_neighbors_of(csr, row), outside);
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t begin = 0; begin < csr->num_edges; begin += EDGES_OF_TASK) {
    const uint64_t end =
        csr->num_edges - begin < EDGES_OF_TASK ? csr->num_edges : begin + EDGES_OF_TASK;
    join_leaving(listed, begin, end, qn_range_at_u64(csr->row_offsets, 0, csr->num_vertices, begin),
                 parent, outside);
  }
}

static void join_listed(const struct qn_set_view *view, uint32_t *parent, uint32_t largest,
                        uint64_t *outside) {
  for (uint64_t i = 0; i < view->num_listed; i++) {
    const struct qn_listed_rows *listed = &view->listed[i];
    if (outside) {
      join_outside(listed, parent, outside);
      continue;
    }
#pragma omp parallel for schedule(dynamic, 4096)
    for (uint64_t row = 0; row < listed->csr->num_vertices; row++)
      if (qn_listed_row_counts(listed, row))
        qn_components_join(parent, listed->vertices[row], qn_neighbors_of(listed->csr, row),
                           largest);
  }
}

/* Where degrees are not known, a vertex is taken for one with edges that has joined another. */
struct electing {
  const struct qn_set_view *view;
  const uint32_t *parent;
};

static bool has_edges(const void *context, uint64_t vertex) {
  const struct electing *electing = context;
  return electing->view->listed ? electing->parent[vertex] != vertex
                                : qn_degree_of(&electing->view->out_degrees, vertex) > 0;
}

/* The root of the largest tree, the same for all ranks, which none of them changes before. */
static enum qn_status elect(const struct qn_set_view *view, const struct forest *forest,
                            uint32_t *largest, struct qn_error *error) {
  const struct electing electing = {.view = view, .parent = forest->parent};
  *largest = qn_components_elect(forest->parent, view->num_vertices, has_edges, &electing);
  return meet(view, forest, error);
}

static enum qn_status find_components(const struct qn_set_view *view, const struct forest *forest,
                                      struct qn_error *error) {
  const bool alone = !view->exchange;
  uint32_t largest = QN_NO_LARGEST;
  uint64_t *outside = NULL;
  enum qn_status status = begin(view, forest, error);
  if (!status && (view->has_out_rows || forest->is_shared))
    status = merge(view, forest, error);
  else if (!status)
    qn_components_end(forest->parent, view->num_vertices); /* flat trees are joined faster */
  if (!status && (view->has_out_rows || alone))
    status = elect(view, forest, &largest, error);
  if (!status && !view->has_out_rows && alone)
    status =
        qn_components_find_outside(forest->parent, view->num_vertices, largest, &outside, error);
  if (!status) {
    join_parts(view, 0, forest->parent, largest, outside);
    join_listed(view, forest->parent, largest, outside);
  }
  qn_pages_free(outside, qn_components_outside_words(view->num_vertices), sizeof *outside);
  return status ? status : merge(view, forest, error);
}

/* All trees of all ranks become this one's. */
static enum qn_status find_shared(const struct qn_set_view *view, uint32_t *parent, bool *is_done,
                                  struct qn_error *error) {
  const struct qn_exchange *exchange = view->exchange;
  void *shared;
  enum qn_status status = exchange->share(view->num_vertices, sizeof *parent, &shared, error);
  *is_done = shared != NULL;
  if (status || !shared)
    return status;
  const struct forest forest = {.parent = shared,
                                .is_shared = true,
                                .begin = view->first_vertices[exchange->rank],
                                .end = view->first_vertices[exchange->rank + 1]};
  status = find_components(view, &forest, error);
  if (!status)
    memcpy(parent, shared, view->num_vertices * sizeof *parent);
  qn_pages_free(shared, view->num_vertices, sizeof *parent);
  return status;
}

static enum qn_status find_all(const struct qn_set_view *view, uint32_t *parent,
                               struct qn_error *error) {
  const struct forest forest = {.parent = parent, .end = view->num_vertices};
  bool is_done = false;
  enum qn_status status = view->exchange ? find_shared(view, parent, &is_done, error) : QN_OK;
  return status || is_done ? status : find_components(view, &forest, error);
}

/* The trees are known but for the edges that were added since. */
static void join_new(const struct qn_set_view *view, const uint32_t *known, uint32_t *parent) {
  memcpy(parent, known, view->num_vertices * sizeof *parent);
  join_parts(view, view->num_known_parts, parent, QN_NO_LARGEST, NULL);
  join_listed(view, parent, QN_NO_LARGEST, NULL);
  qn_components_end(parent, view->num_vertices);
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_set_view *view = request->view;
  const uint64_t num_vertices = view->num_vertices;
  uint32_t *parent;
  const double began = qn_seconds();
  *result = (struct qn_run_result){0};
  enum qn_status status = qn_pages_alloc(&parent, num_vertices, sizeof *parent, "labels", error);
  if (status)
    return status;
  if (qn_state_resumed(request) && view->num_known_parts > 0)
    join_new(view, qn_state_resumed(request)->values, parent);
  else
    status = find_all(view, parent, error);
  if (!status && request->positions)
    status = qn_label_by_position(parent, num_vertices, request->positions, error);
  if (status) {
    qn_pages_free(parent, num_vertices, sizeof *parent);
    return status;
  }
  *result = (struct qn_run_result){
      .type = QN_RESULT_U32,
      .num_values = num_vertices,
      .values = parent,
      .stats = {.iterations = 1, .converged = true, .kernel_seconds = qn_seconds() - began}};
  return QN_OK;
}

const struct qn_kernel qn_kernel_cc_joined_set_cpu = QN_STANDALONE_KERNEL(
    cc, "rows of parts, union-find", QN_LAYOUT_SET, QN_CPU,
    QN_KERNEL_NO_FRONTIER | QN_KERNEL_STANDS_IN | QN_KERNEL_ONE_WALK | QN_KERNEL_LISTED_ROWS,
    QN_RESULT_U32, run, 0);
