/* Hubs and authorities on CSR (Kleinberg: Authoritative Sources in a Hyperlinked Environment, JACM
 * 1999): good authorities are what good hubs lead to, good hubs lead to good authorities,
 *
 *   a'(v) = sum of h(u) over edges u -> v      h'(u) = sum of a'(v) over edges u -> v
 *
 * both then divided by their sums, starting with h = 1 / V; ends when the L1 norm of h' - h is
 * below the tolerance.
 *
 * A kernel of its own because it goes back the way it came. */
#include <math.h>

#include "kernels/in_edges.h"
#include "kernels/standalone_kernel.h"
#include "kernels/work_division/chunks.h"
#include "support/context.h"
#include "support/memory.h"
#include "support/threads.h"
#include <quern/graph.h>

extern const struct qn_kernel qn_kernel_hits_csr_cpu;

static const char *const column_names[] = {"hub", "authority"};

struct work {
  const struct qn_csr *out, *in;
  uint64_t num_vertices;
  struct qn_row_chunks out_chunks, in_chunks;
  double *columns; /* [2][V]: hubs, authorities */
  double *next;    /* [V] of hubs */
  struct qn_sum sum;
};

/* Four sums, so that an addition need not wait for the one before: always the same four. */
static double sum_row(const struct qn_csr *csr, uint64_t v, const double *values) {
  const uint32_t *others = csr->column_indices;
  double sums[4] = {0, 0, 0, 0};
  uint64_t edge = csr->row_offsets[v];
  const uint64_t end = csr->row_offsets[v + 1];
  for (; edge + 4 <= end; edge += 4)
    for (int i = 0; i < 4; i++)
      sums[i] += values[others[edge + (uint64_t)i]];
  for (; edge < end; edge++)
    sums[0] += values[others[edge]];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/* to(v) = the sum of from(u) over the row of v, for all v. Returns the sum of all. */
static double sum_rows(struct work *work, const struct qn_csr *csr,
                       const struct qn_row_chunks *chunks, const double *from, double *to) {
  work->sum.num_parts = chunks->num_chunks;
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t chunk = 0; chunk < chunks->num_chunks; chunk++) {
    double sum = 0;
    for (uint64_t v = chunks->bounds[chunk]; v < chunks->bounds[chunk + 1]; v++)
      sum += to[v] = sum_row(csr, v, from);
    work->sum.parts[chunk] = sum;
  }
  return qn_sum_total(&work->sum);
}

/* Where there are no edges all remain 0. */
static void divide(double *values, uint64_t count, double by) {
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < count; v++)
    values[v] = by > 0 ? values[v] / by : 0;
}

/* New hubs in place of the old ones; returns their change. */
static double replace_hubs(struct work *work, double sum) {
  const uint64_t num_vertices = work->num_vertices;
  divide(work->next, num_vertices, sum);
  work->sum.num_parts = qn_sweep_chunks(num_vertices);
#pragma omp parallel for schedule(static)
  for (uint64_t chunk = 0; chunk < work->sum.num_parts; chunk++) {
    const uint64_t end = (chunk + 1) * QN_SWEEP_VERTICES;
    double change = 0;
    for (uint64_t v = chunk * QN_SWEEP_VERTICES; v < end && v < num_vertices; v++) {
      change += fabs(work->next[v] - work->columns[v]);
      work->columns[v] = work->next[v];
    }
    work->sum.parts[chunk] = change;
  }
  return qn_sum_total(&work->sum);
}

static double iterate_once(struct work *work) {
  double *hubs = work->columns, *authorities = work->columns + work->num_vertices;
  const double sum = sum_rows(work, work->in, &work->in_chunks, hubs, authorities);
  divide(authorities, work->num_vertices, sum);
  return replace_hubs(work, sum_rows(work, work->out, &work->out_chunks, authorities, work->next));
}

static enum qn_status iterate(const struct qn_run_request *request, struct work *work,
                              struct qn_run_result *result, struct qn_error *error) {
  enum qn_status status = QN_OK;
  result->stats.converged = work->num_vertices == 0;
  while (!status && !result->stats.converged &&
         result->stats.iterations < request->limits.max_iterations) {
    const double begin = qn_seconds();
    result->stats.change = iterate_once(work);
    const struct qn_iteration said = {.iteration = (uint32_t)result->stats.iterations++,
                                      .mode = "pull",
                                      .num_active = work->num_vertices,
                                      .change = result->stats.change,
                                      .seconds = qn_seconds() - begin};
    result->stats.converged = result->stats.change < request->limits.tolerance;
    if (request->hooks.on_iteration)
      request->hooks.on_iteration(request->hooks.user, &said);
    status = qn_context_check(error);
  }
  return status;
}

static enum qn_status create(struct work *work, struct qn_error *error) {
  const uint64_t num_vertices = work->num_vertices;
  enum qn_status status =
      qn_row_chunks_create(&work->out_chunks, work->out->row_offsets, num_vertices, error);
  if (!status)
    status = qn_row_chunks_create(&work->in_chunks, work->in->row_offsets, num_vertices, error);
  if (!status)
    status = qn_pages_alloc(&work->columns, 2 * num_vertices, sizeof *work->columns,
                            "hubs and authorities", error);
  if (!status)
    status = qn_pages_alloc(&work->next, num_vertices, sizeof *work->next, "hubs", error);
  if (status)
    return status;
  uint64_t parts = qn_sweep_chunks(num_vertices);
  parts = work->out_chunks.num_chunks > parts ? work->out_chunks.num_chunks : parts;
  parts = work->in_chunks.num_chunks > parts ? work->in_chunks.num_chunks : parts;
  for (uint64_t v = 0; v < num_vertices; v++)
    work->columns[v] = 1 / (double)num_vertices;
  return qn_sum_create(&work->sum, parts, error);
}

static void destroy(struct work *work) {
  qn_row_chunks_destroy(&work->out_chunks);
  qn_row_chunks_destroy(&work->in_chunks);
  qn_pages_free(work->next, work->num_vertices, sizeof *work->next);
  qn_pages_free(work->columns, 2 * work->num_vertices, sizeof *work->columns);
  qn_sum_destroy(&work->sum);
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_graph *graph = request->view;
  struct work work = {.out = &graph->out, .num_vertices = graph->out.num_vertices};
  struct qn_graph transposed = {0};
  double begin = qn_seconds();
  *result = (struct qn_run_result){.shape = QN_SHAPE_COLUMNS, .type = QN_RESULT_F64};
  enum qn_status status = qn_find_in_edges(graph, &transposed, &work.in, error);
  if (!status)
    status = create(&work, error);
  result->stats.prepare_seconds = qn_seconds() - begin;
  begin = qn_seconds();
  if (!status)
    status = iterate(request, &work, result, error);
  result->stats.kernel_seconds = qn_seconds() - begin;
  if (status) {
    *result = (struct qn_run_result){0};
  } else {
    result->num_values = work.num_vertices;
    result->columns = (struct qn_result_columns){.count = 2, .names = column_names};
    result->values = work.columns;
    work.columns = NULL;
  }
  destroy(&work);
  qn_graph_unmap(&transposed);
  return status;
}

const struct qn_kernel qn_kernel_hits_csr_cpu =
    QN_HITS_KERNEL("csr, by turns", QN_LAYOUT_GRAPH, QN_CPU, run);
