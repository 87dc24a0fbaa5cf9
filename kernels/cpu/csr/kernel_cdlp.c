/* Communities by label propagation on CSR, as LDBC Graphalytics defines it (CDLP, after Raghavan,
 * Albert, Kumara: Near Linear Time Algorithm to Detect Community Structures, 2007, made
 * deterministic): every vertex begins with itself as label, and in each iteration all take, at
 * once, the label that most of their neighbours have, of several the smallest in original order.
 * Every edge counts at both its ends: two vertices with edges in both directions, or with parallel
 * ones, count as often for each other. A vertex without edges keeps its label.
 *
 * A kernel of its own because the most frequent label is no combination of messages: a vertex needs
 * all of them before it knows. Labels are counted in a small hash table, a thread's own. A vertex
 * none of whose neighbours has changed keeps its label: where few have, only those beside them are
 * looked at. */
#include <omp.h>
#include <string.h>

#include "kernels/in_edges.h"
#include "kernels/keep.h"
#include "kernels/standalone_kernel.h"
#include "kernels/work_division/chunks.h"
#include "support/memory.h"
#include "support/threads.h"

extern const struct qn_kernel qn_kernel_cdlp_csr_cpu;

/* Marking the neighbours of vertices that changed pays if no more than one in so many did. */
#define FEW_CHANGES 8

struct counter {
  uint64_t count; /* 0: free */
  uint32_t label;
};

struct work {
  const struct qn_csr *out;
  const struct qn_csr *in; /* NULL for an undirected graph */
  uint64_t num_vertices;
  struct qn_row_chunks chunks;
  uint32_t *labels;         /* [V] before the iteration */
  uint32_t *next;           /* [V] after it */
  uint8_t *beside_changed;  /* [V] may the label change? */
  bool looks_at_all;        /* whatever beside_changed says */
  uint64_t num_counters;    /* of a thread */
  struct counter *counters; /* [threads][num_counters], free between uses */
};

static uint64_t row_length(const struct qn_csr *csr, uint64_t v) {
  return csr->row_offsets[v + 1] - csr->row_offsets[v];
}

/* Edge ends at `v`. */
static uint64_t degree_of(const struct work *work, uint64_t v) {
  return row_length(work->out, v) + (work->in ? row_length(work->in, v) : 0);
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

static uint32_t label_of(const struct work *work, uint64_t v, struct counter *counters) {
  const struct row out = row_of(work->out, v);
  const struct row in = work->in ? row_of(work->in, v) : (struct row){NULL, 0};
  const uint64_t num_counters = counters_for(work, out.length + in.length);
  struct choice best = {0, 0, work->labels[v]};
  if (num_counters > work->num_counters) /* of a file as it was checked */
    return best.label;
  count_row(work, out, counters, num_counters - 1, &best);
  count_row(work, in, counters, num_counters - 1, &best);
  memset(counters, 0, num_counters * sizeof *counters);
  return best.label;
}

/* One iteration; how many labels changed. */
static uint64_t propagate(const struct work *work) {
  uint64_t changed = 0;
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : changed)
  for (uint64_t chunk = 0; chunk < work->chunks.num_chunks; chunk++) {
    struct counter *counters = work->counters + (uint64_t)omp_get_thread_num() * work->num_counters;
    for (uint64_t v = work->chunks.bounds[chunk]; v < work->chunks.bounds[chunk + 1]; v++) {
      const bool looks = work->looks_at_all || work->beside_changed[v];
      work->next[v] = looks ? label_of(work, v, counters) : work->labels[v];
      changed += work->next[v] != work->labels[v];
    }
  }
  return changed;
}

static void mark_row(const struct qn_csr *csr, uint64_t v, uint8_t *marks) {
  for (uint64_t edge = csr->row_offsets[v]; edge < csr->row_offsets[v + 1]; edge++)
    __atomic_store_n(&marks[csr->column_indices[edge]], 1, __ATOMIC_RELAXED);
}

static void mark_neighbors_of_changed(const struct work *work) {
  memset(work->beside_changed, 0, work->num_vertices);
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t chunk = 0; chunk < work->chunks.num_chunks; chunk++)
    for (uint64_t v = work->chunks.bounds[chunk]; v < work->chunks.bounds[chunk + 1]; v++)
      if (work->next[v] != work->labels[v]) {
        mark_row(work->out, v, work->beside_changed);
        if (work->in)
          mark_row(work->in, v, work->beside_changed);
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

static enum qn_status iterate(const struct qn_run_request *request, struct work *work,
                              struct qn_run_result *result, struct qn_error *error) {
  uint64_t iteration = qn_state_iterations(request);
  enum qn_status status = begin_labels(request, work, error);
  while (!status && !result->stats.converged && iteration < request->limits.max_iterations) {
    const double begin = qn_seconds();
    const uint64_t changed = propagate(work);
    const bool few = changed <= work->num_vertices / FEW_CHANGES;
    if (few)
      mark_neighbors_of_changed(work);
    uint32_t *labels = work->next;
    work->next = work->labels;
    work->labels = labels;
    result->stats.converged = changed == 0;
    report(request, work, iteration++, changed, qn_seconds() - begin);
    work->looks_at_all = !few;
    const struct qn_state_parts parts = state_of(work);
    if (!result->stats.converged && iteration < request->limits.max_iterations)
      status = qn_state_keep(request, iteration, 0, &parts, error);
  }
  result->stats.iterations = iteration;
  return status;
}

static enum qn_status create_arrays(struct work *work, struct qn_error *error) {
  enum qn_status status =
      qn_row_chunks_create(&work->chunks, work->out->row_offsets, work->num_vertices, error);
  for (uint64_t v = 0; v < work->num_vertices; v++) {
    const uint64_t counters = counters_for(work, degree_of(work, v));
    work->num_counters = counters > work->num_counters ? counters : work->num_counters;
  }
  if (!status)
    status =
        qn_pages_alloc(&work->labels, work->num_vertices, sizeof *work->labels, "labels", error);
  if (!status)
    status =
        qn_pages_alloc(&work->next, work->num_vertices, sizeof *work->next, "next labels", error);
  if (!status)
    status = qn_pages_alloc(&work->beside_changed, work->num_vertices, sizeof *work->beside_changed,
                            "marks", error);
  if (!status)
    status = qn_pages_alloc(&work->counters, qn_threads() * work->num_counters,
                            sizeof *work->counters, "counters of labels", error);
  return status;
}

static void destroy_arrays(struct work *work) {
  qn_row_chunks_destroy(&work->chunks);
  qn_pages_free(work->labels, work->num_vertices, sizeof *work->labels);
  qn_pages_free(work->next, work->num_vertices, sizeof *work->next);
  qn_pages_free(work->beside_changed, work->num_vertices, sizeof *work->beside_changed);
  qn_pages_free(work->counters, qn_threads() * work->num_counters, sizeof *work->counters);
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_graph *graph = request->view;
  struct work work = {
      .out = &graph->out, .num_vertices = graph->out.num_vertices, .looks_at_all = true};
  struct qn_graph transposed = {0};
  enum qn_status status = QN_OK;
  double begin = qn_seconds();
  *result = (struct qn_run_result){.type = QN_RESULT_U32};
  if (graph->directedness != QN_UNDIRECTED)
    status = qn_find_in_edges(graph, &transposed, &work.in, error);
  if (!status)
    status = create_arrays(&work, error);
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
  qn_in_edges_free(&transposed);
  return status;
}

const struct qn_kernel qn_kernel_cdlp_csr_cpu =
    QN_CDLP_KERNEL("csr, labels counted by hashing", QN_LAYOUT_GRAPH, QN_CPU, run);
