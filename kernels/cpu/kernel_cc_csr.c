/* Weakly connected components on CSR: Afforest (Sutton, Ben-Nun, Barak: Optimizing
 * Parallel Graph Connectivity Computation via Subgraph Sampling, IPDPS 2018).
 *
 * A kernel of its own because union-find needs a single pass over the edges where label
 * propagation (kernels/programs/cc.h) needs as many as the diameter, and because after
 * joining a few edges of each vertex nearly all vertices of most graphs are in one
 * component, whose other edges need not be looked at.
 *
 * parent[v] <= v always holds, so a root is the smallest vertex of its tree. The
 * outcome does not depend on the order in which edges are joined. */
#include "formats/graph.h"
#include "kernels/cpu/chunks.h"
#include "kernels/registry.h"
#include "support/memory.h"
#include "support/threads.h"

extern const struct qn_kernel qn_kernel_cc_csr_cpu;

/* Edges of each vertex that are joined before the large component is looked for. */
#define NEIGHBOR_ROUNDS 2
#define NUM_SAMPLES 1024

static uint32_t load(const uint32_t *parent, uint32_t vertex) {
  return __atomic_load_n(&parent[vertex], __ATOMIC_RELAXED);
}

/* Join the trees of `a` and `b`: hang the larger root below the smaller. */
static void join(uint32_t *parent, uint32_t a, uint32_t b) {
  uint32_t p = load(parent, a), q = load(parent, b);
  while (p != q) {
    uint32_t high = p > q ? p : q, low = p > q ? q : p;
    uint32_t expected = high;
    if (load(parent, high) == low ||
        __atomic_compare_exchange_n(&parent[high], &expected, low, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED))
      return;
    p = load(parent, load(parent, high));
    q = load(parent, low);
  }
}

/* Let every vertex point at its root. */
static void compress(uint32_t *parent, uint64_t num_vertices) {
#pragma omp parallel for schedule(dynamic, 16384)
  for (uint64_t v = 0; v < num_vertices; v++) {
    uint32_t root = load(parent, (uint32_t)v);
    while (root != load(parent, root))
      root = load(parent, root);
    __atomic_store_n(&parent[v], root, __ATOMIC_RELAXED);
  }
}

static void join_first_neighbors(const struct qn_csr *csr, uint32_t *parent) {
  for (uint64_t round = 0; round < NEIGHBOR_ROUNDS; round++) {
#pragma omp parallel for schedule(dynamic, 16384)
    for (uint64_t v = 0; v < csr->num_vertices; v++)
      if (csr->row_offsets[v] + round < csr->row_offsets[v + 1])
        join(parent, (uint32_t)v, csr->column_indices[csr->row_offsets[v] + round]);
    compress(parent, csr->num_vertices);
  }
}

/* The root that most of a sample of vertices, spread evenly, have: a majority vote
 * (Boyer, Moore), which finds a component of more than half of the vertices if there is
 * one, the only case worth finding. */
static uint32_t likely_largest(const uint32_t *parent, uint64_t num_vertices) {
  uint32_t candidate = 0;
  int64_t lead = 0;
  for (uint64_t sample = 0; sample < NUM_SAMPLES; sample++) {
    uint64_t begin, end;
    qn_part_of(num_vertices, NUM_SAMPLES, sample, &begin, &end);
    /* Not always the first of its stretch: vertices at regular distances may be alike. */
    uint64_t vertex = begin + (end > begin ? sample * 0x9E3779B97F4A7C15u % (end - begin) : 0);
    if (vertex >= num_vertices)
      continue;
    if (lead == 0)
      candidate = parent[vertex];
    lead += parent[vertex] == candidate ? 1 : -1;
  }
  return candidate;
}

static void join_row(const struct qn_csr *csr, uint32_t *parent, uint32_t v, uint64_t skipped) {
  for (uint64_t edge = csr->row_offsets[v] + skipped; edge < csr->row_offsets[v + 1]; edge++)
    join(parent, v, csr->column_indices[edge]);
}

/* Join all other edges but those between vertices of `largest`. Without in-edges an edge from
 * there is seen from that end alone, so none may be skipped. */
static void join_rest(const struct qn_graph *graph, const struct qn_row_chunks *chunks,
                      uint32_t *parent, uint32_t largest) {
  bool both_ends = graph->directedness == QN_UNDIRECTED || graph->has_transpose;
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t chunk = 0; chunk < chunks->num_chunks; chunk++)
    for (uint32_t v = chunks->bounds[chunk]; v < chunks->bounds[chunk + 1]; v++) {
      if (both_ends && load(parent, v) == largest)
        continue;
      join_row(&graph->out, parent, v, NEIGHBOR_ROUNDS);
      if (graph->directedness != QN_UNDIRECTED && graph->has_transpose)
        join_row(&graph->in, parent, v, 0);
    }
  compress(parent, graph->out.num_vertices);
}

/* Labels are smallest vertices; make them smallest positions in original order. */
static enum qn_status label_by_position(uint32_t *labels, uint64_t num_vertices,
                                        const uint32_t *positions, struct qn_error *error) {
  uint32_t *first;
  enum qn_status status =
      qn_pages_alloc(&first, num_vertices, sizeof *first, "first positions", error);
  if (status)
    return status;
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (uint64_t v = 0; v < num_vertices; v++)
      first[v] = UINT32_MAX;
#pragma omp for schedule(static)
    for (uint64_t v = 0; v < num_vertices; v++) {
      uint32_t *least = &first[labels[v]], seen = __atomic_load_n(least, __ATOMIC_RELAXED);
      while (positions[v] < seen &&
             !__atomic_compare_exchange_n(least, &seen, positions[v], true, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED))
        ;
    }
#pragma omp for schedule(static)
    for (uint64_t v = 0; v < num_vertices; v++)
      labels[v] = first[labels[v]];
  }
  qn_pages_free(first, num_vertices, sizeof *first);
  return QN_OK;
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_graph *graph = request->view;
  uint64_t num_vertices = graph->out.num_vertices;
  struct qn_row_chunks chunks;
  uint32_t *parent = NULL;
  *result = (struct qn_run_result){.type = QN_RESULT_U32, .converged = true, .iterations = 1};
  double begin = qn_seconds();
  enum qn_status status =
      qn_row_chunks_create(&chunks, graph->out.row_offsets, num_vertices, error);
  if (!status)
    status = qn_pages_alloc(&parent, num_vertices, sizeof *parent, "labels", error);
  if (status)
    goto cleanup;
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < num_vertices; v++)
    parent[v] = (uint32_t)v;
  join_first_neighbors(&graph->out, parent);
  join_rest(graph, &chunks, parent, likely_largest(parent, num_vertices));
  if (request->positions)
    status = label_by_position(parent, num_vertices, request->positions, error);
  result->kernel_seconds = qn_seconds() - begin;
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

const struct qn_kernel qn_kernel_cc_csr_cpu = {
    .algorithm = "cc",
    .title = "weakly connected components: the first vertex of each",
    .name = "csr Afforest",
    .layout = QN_LAYOUT_GRAPH,
    .processor = QN_CPU,
    .weight_types = 1u << QN_WEIGHT_NONE | 1u << QN_WEIGHT_U32 | 1u << QN_WEIGHT_F32,
    .traits = QN_KERNEL_VERTICES,
    .result = QN_RESULT_U32,
    .max_iterations = UINT32_MAX,
    .run = run,
};
