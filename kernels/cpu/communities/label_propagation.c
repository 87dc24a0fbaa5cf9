#include "kernels/cpu/communities/label_propagation.h"

#include <omp.h>
#include <string.h>

#include "kernels/keep.h"
#include "kernels/work_division/chunks.h"
#include "support/memory.h"
#include "support/threads.h"

/* Marking the neighbours of vertices that changed pays if no more than one in so many did. */
#define FEW_CHANGES 8

struct counter {
  uint64_t count; /* 0: free */
  uint32_t label;
};

struct work {
  const struct qn_label_source *source;
  struct qn_label_rows rows; /* at hand */
  uint64_t num_vertices;
  struct qn_row_chunks chunks; /* of the rows at hand */
  uint32_t *labels;            /* [V] before the iteration */
  uint32_t *next;              /* [V] after it */
  uint8_t *beside_changed;     /* [V] may the label change? */
  bool looks_at_all;           /* whatever beside_changed says */
  uint64_t num_counters;       /* of a thread */
  struct counter *counters;    /* [threads][num_counters], free between uses */
};

static uint64_t row_length(const struct qn_csr *csr, uint64_t v) {
  return csr->row_offsets[v + 1] - csr->row_offsets[v];
}

/* Edge ends at the vertex of a row. */
static uint64_t degree_of(const struct work *work, uint64_t row) {
  return row_length(work->rows.out, row) + (work->rows.in ? row_length(work->rows.in, row) : 0);
}

/* A power of two of which labels of so many edges fill half at most: there are no more than V. */
static uint64_t counters_for(const struct work *work, uint64_t degree) {
  uint64_t labels = degree < work->num_vertices ? degree : work->num_vertices, counters = 2;
  while (counters < 2 * labels)
    counters *= 2;
  return counters;
}

struct choice {
  uint64_t count; /* its counter has what it had when the label was chosen */
  uint64_t slot;
  uint32_t label;
};

/* A row's edges, read once: a file that is written over meanwhile may have others the next time. */
struct row {
  const uint32_t *columns;
  uint64_t length;
};

static struct row row_of(const struct qn_csr *csr, uint64_t v) {
  const uint64_t begin = csr->row_offsets[v], end = csr->row_offsets[v + 1];
  return (struct row){csr->column_indices + begin, end - begin};
}

/* Count the labels of a row; `best` becomes the most frequent one so far. Where communities have
 * formed most neighbours have that, and its count is at hand. */
static void count_row(const struct work *work, struct row row, struct counter *counters,
                      uint64_t mask, struct choice *best) {
  struct choice at_hand = *best;
  for (uint64_t i = 0; i < row.length; i++) {
    const uint32_t label = work->labels[row.columns[i]];
    if (label == at_hand.label && at_hand.count) {
      at_hand.count++;
      continue;
    }
    uint64_t slot = (label * 0x9E3779B97F4A7C15u >> 32) & mask;
    while (counters[slot].count && counters[slot].label != label)
      slot = (slot + 1) & mask;
    counters[slot].label = label;
    const uint64_t count = ++counters[slot].count;
    if (count < at_hand.count || (count == at_hand.count && label > at_hand.label))
      continue;
    if (at_hand.count)
      counters[at_hand.slot].count = at_hand.count;
    at_hand = (struct choice){count, slot, label};
  }
  *best = at_hand;
}

static uint32_t label_of(const struct work *work, uint64_t row, struct counter *counters) {
  const struct row out = row_of(work->rows.out, row);
  const struct row in = work->rows.in ? row_of(work->rows.in, row) : (struct row){NULL, 0};
  const uint64_t num_counters = counters_for(work, out.length + in.length);
  struct choice best = {0, 0, work->labels[work->rows.begin + row]};
  if (num_counters > work->num_counters) /* of a file as it was checked */
    return best.label;
  count_row(work, out, counters, num_counters - 1, &best);
  count_row(work, in, counters, num_counters - 1, &best);
  memset(counters, 0, num_counters * sizeof *counters);
  return best.label;
}

/* An iteration of the rows at hand; how many labels changed. */
static uint64_t propagate(const struct work *work) {
  uint64_t changed = 0;
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : changed)
  for (uint64_t chunk = 0; chunk < work->chunks.num_chunks; chunk++) {
    struct counter *counters = work->counters + (uint64_t)omp_get_thread_num() * work->num_counters;
    for (uint64_t row = work->chunks.bounds[chunk]; row < work->chunks.bounds[chunk + 1]; row++) {
      const uint64_t v = work->rows.begin + row;
      const bool looks = work->looks_at_all || work->beside_changed[v];
      work->next[v] = looks ? label_of(work, row, counters) : work->labels[v];
      changed += work->next[v] != work->labels[v];
    }
  }
  return changed;
}

static void mark_row(const struct qn_csr *csr, uint64_t v, uint8_t *marks) {
  for (uint64_t edge = csr->row_offsets[v]; edge < csr->row_offsets[v + 1]; edge++)
    __atomic_store_n(&marks[csr->column_indices[edge]], 1, __ATOMIC_RELAXED);
}

/* All rows are at hand. */
static void mark_neighbors_of_changed(const struct work *work) {
  memset(work->beside_changed, 0, work->num_vertices);
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t chunk = 0; chunk < work->chunks.num_chunks; chunk++)
    for (uint64_t v = work->chunks.bounds[chunk]; v < work->chunks.bounds[chunk + 1]; v++)
      if (work->next[v] != work->labels[v]) {
        mark_row(work->rows.out, v, work->beside_changed);
        if (work->rows.in)
          mark_row(work->rows.in, v, work->beside_changed);
      }
}

static struct qn_state_parts state_of(const struct work *work) {
  return (struct qn_state_parts){.num_vertices = work->num_vertices,
                                 .values = work->labels,
                                 .value_bytes = sizeof *work->labels};
}

/* Labels before the first iteration, or those of a state, which must be labels. */
static enum qn_status begin_labels(const struct qn_run_request *request, struct work *work,
                                   struct qn_error *error) {
  const struct qn_state_parts parts = state_of(work);
  uint64_t bad = 0;
  for (uint64_t v = 0; v < work->num_vertices; v++)
    work->labels[v] = request->positions ? request->positions[v] : (uint32_t)v;
  qn_state_restore_values(request, &parts, 0, work->num_vertices);
  for (uint64_t v = 0; v < work->num_vertices; v++)
    bad += work->labels[v] >= work->num_vertices;
  return bad ? qn_fail(error, QN_INVALID, "the checkpoint has values that cdlp cannot have left")
             : QN_OK;
}

static void report(const struct qn_run_request *request, const struct work *work,
                   uint64_t iteration, uint64_t changed, double seconds) {
  const struct qn_iteration said = {.iteration = (uint32_t)iteration,
                                    .mode = work->looks_at_all ? "all" : "beside changes",
                                    .num_active = changed,
                                    .seconds = seconds};
  if (request->hooks.on_iteration)
    request->hooks.on_iteration(request->hooks.user, &said);
}

/* ---- Rows ---------------------------------------------------------------------------------- */

/* Counters of all threads for the rows at hand. */
static enum qn_status make_counters(struct work *work, struct qn_error *error) {
  uint64_t most = 0;
  for (uint64_t row = 0; row < work->rows.out->num_vertices; row++) {
    const uint64_t counters = counters_for(work, degree_of(work, row));
    most = counters > most ? counters : most;
  }
  if (most <= work->num_counters)
    return QN_OK;
  qn_pages_free(work->counters, qn_threads() * work->num_counters, sizeof *work->counters);
  work->num_counters = 0;
  enum qn_status status = qn_pages_alloc(&work->counters, qn_threads() * most,
                                         sizeof *work->counters, "counters of labels", error);
  work->num_counters = status ? 0 : most;
  return status;
}

static enum qn_status take_rows(struct work *work, uint64_t index, struct qn_error *error) {
  if (work->source->num_bands == 1 && work->chunks.bounds)
    return QN_OK; /* they are there */
  enum qn_status status = work->source->take(work->source->context, index, &work->rows, error);
  if (status)
    return status;
  qn_row_chunks_destroy(&work->chunks);
  status = make_counters(work, error);
  return status ? status
                : qn_row_chunks_create(&work->chunks, work->rows.out->row_offsets,
                                       work->rows.out->num_vertices, error);
}

static enum qn_status propagate_all(struct work *work, uint64_t *changed, struct qn_error *error) {
  enum qn_status status = QN_OK;
  *changed = 0;
  for (uint64_t index = 0; !status && index < work->source->num_bands; index++) {
    status = take_rows(work, index, error);
    if (!status)
      *changed += propagate(work);
  }
  return status;
}

/* ---- Iterations ---------------------------------------------------------------------------- */

/* One of them, after which `labels` are the new ones. */
static enum qn_status step(const struct qn_run_request *request, struct work *work,
                           uint64_t iteration, bool *converged, struct qn_error *error) {
  const double begin = qn_seconds();
  uint64_t changed;
  enum qn_status status = propagate_all(work, &changed, error);
  if (status)
    return status;
  const bool few = work->source->num_bands == 1 && changed <= work->num_vertices / FEW_CHANGES;
  if (few)
    mark_neighbors_of_changed(work);
  uint32_t *labels = work->next;
  work->next = work->labels;
  work->labels = labels;
  *converged = changed == 0;
  report(request, work, iteration, changed, qn_seconds() - begin);
  work->looks_at_all = !few;
  return QN_OK;
}

static enum qn_status iterate(const struct qn_run_request *request, struct work *work,
                              struct qn_run_result *result, struct qn_error *error) {
  uint64_t iteration = qn_state_iterations(request);
  enum qn_status status = begin_labels(request, work, error);
  while (!status && !result->stats.converged && iteration < request->limits.max_iterations) {
    status = step(request, work, iteration++, &result->stats.converged, error);
    const struct qn_state_parts parts = state_of(work);
    if (!status && !result->stats.converged && iteration < request->limits.max_iterations)
      status = qn_state_keep(request, iteration, 0, &parts, error);
  }
  result->stats.iterations = iteration;
  return status;
}

static enum qn_status create_arrays(struct work *work, struct qn_error *error) {
  enum qn_status status =
      qn_pages_alloc(&work->labels, work->num_vertices, sizeof *work->labels, "labels", error);
  if (!status)
    status =
        qn_pages_alloc(&work->next, work->num_vertices, sizeof *work->next, "next labels", error);
  if (!status)
    status = qn_pages_alloc(&work->beside_changed, work->num_vertices, sizeof *work->beside_changed,
                            "marks", error);
  return status;
}

static void destroy_arrays(struct work *work) {
  qn_row_chunks_destroy(&work->chunks);
  qn_pages_free(work->labels, work->num_vertices, sizeof *work->labels);
  qn_pages_free(work->next, work->num_vertices, sizeof *work->next);
  qn_pages_free(work->beside_changed, work->num_vertices, sizeof *work->beside_changed);
  qn_pages_free(work->counters, qn_threads() * work->num_counters, sizeof *work->counters);
}

enum qn_status qn_label_propagation(const struct qn_run_request *request,
                                    const struct qn_label_source *source,
                                    struct qn_run_result *result, struct qn_error *error) {
  struct work work = {.source = source, .num_vertices = source->num_vertices, .looks_at_all = true};
  double begin = qn_seconds();
  *result = (struct qn_run_result){.type = QN_RESULT_U32};
  enum qn_status status = create_arrays(&work, error);
  if (!status && source->num_bands == 1)
    status = take_rows(&work, 0, error);
  result->stats.prepare_seconds = qn_seconds() - begin;
  begin = qn_seconds();
  if (!status)
    status = iterate(request, &work, result, error);
  result->stats.kernel_seconds = qn_seconds() - begin;
  if (status) {
    *result = (struct qn_run_result){0};
  } else {
    result->num_values = work.num_vertices;
    result->values = work.labels;
    work.labels = NULL;
  }
  destroy_arrays(&work);
  return status;
}
