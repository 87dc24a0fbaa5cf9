/* Cross-edges on plain CSR (cross_edges.h). */
#include "kernels/cross_edges.h"
#include "kernels/standalone_kernel.h"
#include "kernels/work_division/chunks.h"
#include "support/memory.h"
#include "support/threads.h"
#include <quern/graph.h>

extern const struct qn_kernel qn_kernel_cross_edges_csr_cpu;

static uint64_t count_row(const struct qn_csr *out, const uint32_t *groups, uint32_t vertex,
                          uint64_t begin, uint64_t end) {
  uint64_t count = 0;
  for (uint64_t e = begin; e < end; e++)
    count += qn_is_cross_edge(groups, vertex, out->column_indices[e]);
  return count;
}

/* All threads share the edges of one vertex. */
static uint64_t count_hub(const struct qn_csr *out, const uint32_t *groups, uint32_t vertex) {
  uint64_t count = 0, end = out->row_offsets[vertex + 1];
#pragma omp parallel for schedule(static) reduction(+ : count)
  for (uint64_t e = out->row_offsets[vertex]; e < end; e++)
    count += qn_is_cross_edge(groups, vertex, out->column_indices[e]);
  return count;
}

static void count_all(const struct qn_csr *out, const uint32_t *groups,
                      const struct qn_row_chunks *chunks, uint64_t *counts) {
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t chunk = 0; chunk < chunks->num_chunks; chunk++)
    for (uint32_t v = chunks->bounds[chunk]; v < chunks->bounds[chunk + 1]; v++) {
      uint64_t begin = out->row_offsets[v], end = out->row_offsets[v + 1];
      if (end - begin <= QN_HUB_EDGES)
        counts[v] = count_row(out, groups, v, begin, end);
    }
  for (uint64_t hub = 0; hub < chunks->num_hubs; hub++)
    counts[chunks->hubs[hub]] = count_hub(out, groups, chunks->hubs[hub]);
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_graph *graph = request->view;
  const struct qn_csr *out = &graph->out;
  struct qn_row_chunks chunks = {0};
  uint64_t *counts = NULL;
  double begin = qn_seconds();
  *result = (struct qn_run_result){0};
  enum qn_status status = qn_row_chunks_create(&chunks, out->row_offsets, out->num_vertices, error);
  if (!status)
    status = qn_pages_alloc(&counts, out->num_vertices, sizeof *counts, "result values", error);
  if (status)
    goto cleanup;
  result->stats.prepare_seconds = qn_seconds() - begin;
  begin = qn_seconds();
  if (request->limits.max_iterations > 0)
    count_all(out, request->inputs.groups, &chunks, counts);
  result->type = QN_RESULT_U64;
  result->num_values = out->num_vertices;
  result->values = counts;
  result->stats.iterations = request->limits.max_iterations > 0;
  result->stats.converged = true;
  result->stats.kernel_seconds = qn_seconds() - begin;
cleanup:
  qn_row_chunks_destroy(&chunks);
  return status;
}

const struct qn_kernel qn_kernel_cross_edges_csr_cpu =
    QN_CROSS_EDGES_KERNEL("csr, one look at each edge", QN_LAYOUT_GRAPH, QN_CPU, run);
