/* Weakly connected components on CSR, by union-find (formats/graph/components.h).
 *
 * A kernel of its own because union-find needs a single pass over the edges where label
 * propagation (kernels/programs/cc.h) needs as many as the diameter.
 *
 * The last phase, which takes most of the time where there is much to do, is cut into JOIN_STEPS
 * iterations, so that there are states to go on from. */
#include "formats/graph/components.h"
#include "kernels/cpu/loop/labels.h"
#include "kernels/keep.h"
#include "kernels/standalone_kernel.h"
#include "kernels/work_division/chunks.h"
#include "support/memory.h"
#include "support/threads.h"

extern const struct qn_kernel qn_kernel_cc_csr_cpu;

#define JOIN_STEPS 8

/* Is each edge there from one of its ends alone? */
static bool is_one_sided(const struct qn_graph *graph) {
  return graph->directedness == QN_DIRECTED && !graph->has_transpose;
}

/* The parents of a state must be what parents always are, or searches for roots would not end. */
static enum qn_status check_restored(const struct qn_graph *graph, const uint32_t *parent,
                                     uint64_t root, struct qn_error *error) {
  const uint64_t num_vertices = graph->out.num_vertices;
  uint64_t bad = 0;
#pragma omp parallel for schedule(static) reduction(+ : bad)
  for (uint64_t v = 0; v < num_vertices; v++)
    bad += parent[v] > v;
  if (bad > 0 || root >= num_vertices)
    return qn_fail(error, QN_INVALID, "the checkpoint has values that cc cannot have left there");
  return QN_OK;
}

/* `outside`: of a one-sided graph, which vertices are not in the largest tree yet; else NULL. */
static void join_chunks(const struct qn_graph *graph, const struct qn_row_chunks *chunks,
                        uint64_t first, uint64_t end, uint32_t *parent, uint64_t *outside,
                        uint32_t largest) {
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t chunk = first; chunk < end; chunk++)
    for (uint32_t v = chunks->bounds[chunk]; v < chunks->bounds[chunk + 1]; v++) {
      const struct qn_neighbors out = qn_neighbors_of(&graph->out, v);
      if (outside)
        qn_components_join_outside(parent, v, out, outside);
      else
        qn_components_join(parent, v, out, largest);
      if (!outside && graph->directedness == QN_DIRECTED)
        qn_components_join(parent, v, qn_neighbors_of(&graph->in, v), largest);
    }
}

static enum qn_status find_components(const struct qn_run_request *request,
                                      const struct qn_row_chunks *chunks, uint32_t *parent,
                                      uint64_t *steps, struct qn_error *error) {
  const struct qn_graph *graph = request->view;
  uint64_t num_vertices = graph->out.num_vertices, step = qn_state_iterations(request);
  uint64_t largest = QN_NO_LARGEST, *outside = NULL;
  const struct qn_state_parts parts = {.num_vertices = num_vertices,
                                       .values = parent,
                                       .value_bytes = sizeof *parent,
                                       .numbers = {&largest}};
  enum qn_status status = QN_OK;
  *steps = chunks->num_chunks < JOIN_STEPS ? chunks->num_chunks : JOIN_STEPS;
  *steps += *steps == 0;
  if (qn_state_restore_values(request, &parts, 0, num_vertices)) {
    qn_state_restore(request, &parts);
    status = check_restored(graph, parent, largest, error);
  } else {
    qn_components_begin(graph, parent);
    largest = qn_components_find_largest(graph, parent);
  }
  if (!status && is_one_sided(graph))
    status = qn_components_find_outside(parent, num_vertices, (uint32_t)largest, &outside, error);
  for (; step < *steps && !status; step++) {
    uint64_t first, end;
    qn_part_of(chunks->num_chunks, *steps, step, &first, &end);
    join_chunks(graph, chunks, first, end, parent, outside, (uint32_t)largest);
    if (step + 1 < *steps)
      status = qn_state_keep(request, step + 1, 0, &parts, error);
  }
  if (!status)
    qn_components_end(parent, num_vertices);
  qn_pages_free(outside, qn_components_outside_words(num_vertices), sizeof *outside);
  return status;
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_graph *graph = request->view;
  uint64_t num_vertices = graph->out.num_vertices;
  struct qn_row_chunks chunks;
  uint32_t *parent = NULL;
  *result = (struct qn_run_result){.type = QN_RESULT_U32, .stats.converged = true};
  double begin = qn_seconds();
  enum qn_status status =
      qn_row_chunks_create(&chunks, graph->out.row_offsets, num_vertices, error);
  if (!status)
    status = qn_pages_alloc(&parent, num_vertices, sizeof *parent, "labels", error);
  if (status)
    goto cleanup;
  status = find_components(request, &chunks, parent, &result->stats.iterations, error);
  if (!status && request->positions)
    status = qn_label_by_position(parent, num_vertices, request->positions, error);
  result->stats.kernel_seconds = qn_seconds() - begin;
cleanup:
  qn_row_chunks_destroy(&chunks);
  if (status) {
    qn_pages_free(parent, num_vertices, sizeof *parent);
    *result = (struct qn_run_result){0};
    return status;
  }
  result->num_values = num_vertices;
  result->values = parent;
  return QN_OK;
}

const struct qn_kernel qn_kernel_cc_csr_cpu =
    QN_CC_KERNEL("csr Afforest", QN_LAYOUT_GRAPH, QN_CPU, run);
