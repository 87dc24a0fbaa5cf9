/* Weakly connected components on CSR: Afforest (Sutton, Ben-Nun, Barak: Optimizing
 * Parallel Graph Connectivity Computation via Subgraph Sampling, IPDPS 2018).
 *
 * A kernel of its own because union-find needs a single pass over the edges where label
 * propagation (kernels/programs/cc.h) needs as many as the diameter, and because after
 * joining an edge or two of each vertex nearly all vertices of most graphs are in one
 * component, whose other edges need not be looked at.
 *
 * The first edge joined is that to the smallest neighbor, with which a sorted row begins: no
 * vertex has to wait for another then, because each hangs below a smaller one or is a root. More
 * edges are joined only if these do not bring most vertices together.
 *
 * parent[v] <= v always holds, so a root is the smallest vertex of its tree. The
 * outcome does not depend on the order in which edges are joined.
 *
 * Trees only ever grow together, so parents at any moment are a state to go on from. The last
 * phase, which takes most of the time where there is much to do, is cut into JOIN_STEPS
 * iterations for that. */
#include "kernels/cpu/csr/labels.h"
#include "kernels/cuts/chunks.h"
#include "kernels/own_kernel.h"
#include "kernels/own_state.h"
#include "support/memory.h"
#include "support/threads.h"
#include <quern/graph.h>

extern const struct qn_kernel qn_kernel_cc_csr_cpu;

/* Neighbors of each vertex joined at most before all those outside the largest component are. */
#define NEIGHBOR_ROUNDS 3
#define NUM_SAMPLES 1024
#define ROOT_NEIGHBORS 1024
#define JOIN_STEPS 8

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

static uint32_t root_of(const uint32_t *parent, uint32_t vertex) {
  for (uint32_t above = load(parent, vertex); above != vertex; above = load(parent, vertex))
    vertex = above;
  return vertex;
}

/* Let every vertex point at its root. */
static void compress(uint32_t *parent, uint64_t num_vertices) {
#pragma omp parallel for schedule(dynamic, 16384)
  for (uint64_t v = 0; v < num_vertices; v++)
    __atomic_store_n(&parent[v], root_of(parent, load(parent, (uint32_t)v)), __ATOMIC_RELAXED);
}

static uint32_t first_of_row(const struct qn_csr *csr, uint32_t v, uint32_t otherwise) {
  uint64_t begin = csr->row_offsets[v];
  return begin < csr->row_offsets[v + 1] ? csr->column_indices[begin] : otherwise;
}

/* A vertex without neighbors is its own. */
static uint32_t smallest_neighbor(const struct qn_graph *graph, uint32_t v) {
  uint32_t out = first_of_row(&graph->out, v, v);
  if (graph->directedness == QN_UNDIRECTED || !graph->has_transpose)
    return out;
  uint32_t in = first_of_row(&graph->in, v, out);
  return in < out ? in : out;
}

/* Join every vertex with its smallest neighbor, and let it point at its root. Only a vertex's own
 * turn changes its parent: where the neighbor is larger, the vertex goes below that one's root,
 * which is never larger than the vertex if both see the edge. */
static void join_smallest_neighbors(const struct qn_graph *graph, uint32_t *parent) {
  uint64_t num_vertices = graph->out.num_vertices;
#pragma omp parallel for schedule(dynamic, 16384)
  for (uint64_t v = 0; v < num_vertices; v++) {
    uint32_t neighbor = smallest_neighbor(graph, (uint32_t)v);
    parent[v] = neighbor < v ? neighbor : (uint32_t)v;
  }
#pragma omp parallel for schedule(dynamic, 16384)
  for (uint64_t v = 0; v < num_vertices; v++) {
    uint32_t above = load(parent, (uint32_t)v);
    if (above == v)
      above = smallest_neighbor(graph, (uint32_t)v);
    uint32_t root = root_of(parent, above);
    if (root < v)
      __atomic_store_n(&parent[v], root, __ATOMIC_RELAXED);
  }
}

static void join_neighbors(const struct qn_csr *csr, uint32_t *parent, uint64_t round) {
#pragma omp parallel for schedule(dynamic, 16384)
  for (uint64_t v = 0; v < csr->num_vertices; v++)
    if (csr->row_offsets[v] + round < csr->row_offsets[v + 1])
      join(parent, (uint32_t)v, csr->column_indices[csr->row_offsets[v] + round]);
  compress(parent, csr->num_vertices);
}

/* The roots of vertices with neighbors, spread evenly. */
struct sample {
  uint32_t roots[NUM_SAMPLES];
  uint64_t count;
  uint32_t largest; /* the root of most of them, if more than half have the same */
  bool dominates;   /* nearly all have it */
};

/* A majority vote (Boyer, Moore) finds the root of more than half of the sample if there is one,
 * the only case worth finding. */
static void elect_largest(struct sample *sample) {
  uint64_t agreeing = 0;
  int64_t lead = 0;
  for (uint64_t i = 0; i < sample->count; i++) {
    if (lead == 0)
      sample->largest = sample->roots[i];
    lead += sample->roots[i] == sample->largest ? 1 : -1;
  }
  for (uint64_t i = 0; i < sample->count; i++)
    agreeing += sample->roots[i] == sample->largest;
  sample->dominates = agreeing >= sample->count - sample->count / 32;
}

static void take_sample(const struct qn_graph *graph, const uint32_t *parent,
                        struct sample *sample) {
  uint64_t num_vertices = graph->out.num_vertices;
  *sample = (struct sample){.count = 0};
  for (uint64_t i = 0; i < NUM_SAMPLES; i++) {
    uint64_t begin, end;
    qn_part_of(num_vertices, NUM_SAMPLES, i, &begin, &end);
    /* Not always the first of its stretch: vertices at regular distances may be alike. */
    uint64_t vertex = begin + (end > begin ? i * 0x9E3779B97F4A7C15u % (end - begin) : 0);
    if (vertex < num_vertices && smallest_neighbor(graph, (uint32_t)vertex) != vertex)
      sample->roots[sample->count++] = parent[vertex];
  }
  elect_largest(sample);
}

/* Join the first neighbors of the sample's roots. Where a few vertices have drawn most others
 * below them, these are what keeps trees apart. */
static void join_neighbors_of_roots(const struct qn_csr *csr, uint32_t *parent,
                                    const struct sample *sample) {
#pragma omp parallel for schedule(dynamic, 16)
  for (uint64_t i = 0; i < sample->count; i++) {
    uint32_t root = sample->roots[i];
    if (load(parent, root) != root)
      continue; /* another one of the sample with this root was faster */
    uint64_t end = csr->row_offsets[root + 1];
    for (uint64_t edge = csr->row_offsets[root], n = 0; edge < end && n < ROOT_NEIGHBORS;
         edge++, n++)
      join(parent, root, csr->column_indices[edge]);
  }
  compress(parent, csr->num_vertices);
}

static bool in_tree_of(const uint32_t *parent, uint32_t v, uint32_t largest) {
  return root_of(parent, v) == root_of(parent, largest);
}

static void join_row(const struct qn_csr *csr, uint32_t *parent, uint32_t v) {
  for (uint64_t edge = csr->row_offsets[v]; edge < csr->row_offsets[v + 1]; edge++)
    join(parent, v, csr->column_indices[edge]);
}

/* Until `v` is in the largest tree: edges from there to the outside are joined from their other
 * ends. */
static void join_row_until(const struct qn_csr *csr, uint32_t *parent, uint32_t v,
                           uint32_t largest) {
  uint64_t end = csr->row_offsets[v + 1];
  for (uint64_t edge = csr->row_offsets[v]; edge < end && !in_tree_of(parent, v, largest); edge++)
    join(parent, v, csr->column_indices[edge]);
}

static void join_all(const struct qn_graph *graph, const struct qn_row_chunks *chunks,
                     uint64_t first, uint64_t end, uint32_t *parent) {
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t chunk = first; chunk < end; chunk++)
    for (uint32_t v = chunks->bounds[chunk]; v < chunks->bounds[chunk + 1]; v++)
      join_row(&graph->out, parent, v);
}

/* Join all edges but those between vertices of the largest tree. */
static void join_outside(const struct qn_graph *graph, const struct qn_row_chunks *chunks,
                         uint64_t first, uint64_t end, uint32_t *parent, uint32_t largest) {
  bool two_ways = graph->directedness != QN_UNDIRECTED;
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t chunk = first; chunk < end; chunk++)
    for (uint32_t v = chunks->bounds[chunk]; v < chunks->bounds[chunk + 1]; v++)
      if (load(parent, v) != largest) {
        join_row_until(&graph->out, parent, v, largest);
        if (two_ways)
          join_row_until(&graph->in, parent, v, largest);
      }
}

/* An edge that is seen from one of its ends alone may not be skipped there. */
static bool joins_all(const struct qn_graph *graph) {
  return graph->directedness == QN_DIRECTED && !graph->has_transpose;
}

/* Bring most vertices together; the root of the largest tree, which the last phase may skip. */
static uint32_t join_first_neighbors(const struct qn_graph *graph, uint32_t *parent) {
  struct sample sample = {.largest = UINT32_MAX};
  join_smallest_neighbors(graph, parent);
  if (joins_all(graph))
    return sample.largest;
  take_sample(graph, parent, &sample);
  for (uint64_t round = 0; round < NEIGHBOR_ROUNDS && !sample.dominates; round++) {
    if (round == 0)
      join_neighbors_of_roots(&graph->out, parent, &sample);
    else
      join_neighbors(&graph->out, parent, round);
    take_sample(graph, parent, &sample);
  }
  return sample.largest;
}

/* The kernel's own registers. */
enum { LARGEST };

/* The parents of a state must be what parents always are, or searches for roots would not end. */
static enum qn_status restore(const struct qn_run_request *request, uint64_t num_vertices,
                              uint32_t *parent, uint32_t *largest, struct qn_error *error) {
  const struct qn_run_state *state = qn_own_state(request);
  const uint32_t *values = state->values;
  uint64_t bad = 0;
#pragma omp parallel for schedule(static) reduction(+ : bad)
  for (uint64_t v = 0; v < num_vertices; v++)
    bad += values[v] > v;
  uint64_t root = state->registers[QN_STATE_ENGINE + LARGEST];
  if (bad > 0 || (root >= num_vertices && !joins_all(request->view)))
    return qn_fail(error, QN_INVALID, "the checkpoint has values that cc cannot have left there");
  *largest = (uint32_t)root;
  qn_own_restore(request, parent, num_vertices, sizeof *parent);
  return QN_OK;
}

static enum qn_status keep(const struct qn_run_request *request, uint64_t steps,
                           uint64_t num_vertices, const uint32_t *parent, uint32_t largest,
                           struct qn_error *error) {
  if (!qn_own_save_is_due(request, steps))
    return QN_OK;
  struct qn_run_state state = qn_own_state_of(steps, num_vertices, sizeof *parent, parent);
  state.registers[QN_STATE_ENGINE + LARGEST] = largest;
  return qn_own_save(request, &state, error);
}

static enum qn_status find_components(const struct qn_run_request *request,
                                      const struct qn_row_chunks *chunks, uint32_t *parent,
                                      uint64_t *steps, struct qn_error *error) {
  const struct qn_graph *graph = request->view;
  uint64_t num_vertices = graph->out.num_vertices, step = qn_own_iterations(request);
  uint32_t largest = UINT32_MAX;
  enum qn_status status = QN_OK;
  *steps = chunks->num_chunks < JOIN_STEPS ? chunks->num_chunks : JOIN_STEPS;
  *steps += *steps == 0;
  if (step > 0)
    status = restore(request, num_vertices, parent, &largest, error);
  else
    largest = join_first_neighbors(graph, parent);
  for (; step < *steps && !status; step++) {
    uint64_t first, end;
    qn_part_of(chunks->num_chunks, *steps, step, &first, &end);
    if (joins_all(graph))
      join_all(graph, chunks, first, end, parent);
    else
      join_outside(graph, chunks, first, end, parent, largest);
    if (step + 1 < *steps)
      status = keep(request, step + 1, num_vertices, parent, largest, error);
  }
  if (!status)
    compress(parent, num_vertices);
  return status;
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_graph *graph = request->view;
  uint64_t num_vertices = graph->out.num_vertices;
  struct qn_row_chunks chunks;
  uint32_t *parent = NULL;
  *result = (struct qn_run_result){.type = QN_RESULT_U32, .converged = true};
  double begin = qn_seconds();
  enum qn_status status =
      qn_row_chunks_create(&chunks, graph->out.row_offsets, num_vertices, error);
  if (!status)
    status = qn_pages_alloc(&parent, num_vertices, sizeof *parent, "labels", error);
  if (status)
    goto cleanup;
  status = find_components(request, &chunks, parent, &result->iterations, error);
  if (!status && request->positions)
    status = qn_label_by_position(parent, num_vertices, request->positions, error);
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

const struct qn_kernel qn_kernel_cc_csr_cpu =
    QN_CC_KERNEL("csr Afforest", QN_LAYOUT_GRAPH, QN_CPU, run);
