/* One shortest path on CSR, from a source to a target, where the search ends: Dijkstra's algorithm
 * (1959), or breadth-first search where edges count 1 each.
 *
 * Of several shortest paths it is the one of the tree that kernels/programs/bfs_parents.h defines,
 * so it does not depend on who looks for it: vertices are settled by distance, and those as far by
 * the number of edges of no length since the last nearer vertex; the parent is, of the vertices
 * that lead to the least of both, the first in original order.
 *
 * A kernel of its own because it ends before its values are final, and walks back. One thread
 * works: vertices are settled one after another. */
#include <string.h>

#include "formats/graph/weight_limit.h"
#include "kernels/own_kernel.h"
#include "support/context.h"
#include "support/memory.h"
#include "support/threads.h"
#include <quern/graph.h>

extern const struct qn_kernel qn_kernel_path_csr_cpu;

#define NOT_REACHED UINT64_MAX

/* A vertex to settle. A distance is a whole number, or the bits of a real one: those of numbers
 * that are not negative have their order. */
struct entry {
  uint64_t distance;
  uint32_t steps; /* edges of no length since a nearer vertex */
  uint32_t vertex;
};

struct work {
  const struct qn_csr *csr;
  const uint32_t *positions; /* or NULL */
  struct qn_weights weights; /* of type NONE: every edge counts 1 */
  bool is_real;
  uint64_t *distances; /* [V] */
  uint32_t *steps;     /* [V] */
  uint32_t *parents;   /* [V] */
  struct entry *queue; /* [capacity]: [first, end) wait; with weights a heap from 0 */
  uint64_t first, end, capacity;
};

static uint32_t position_of(const struct work *work, uint32_t vertex) {
  return work->positions ? work->positions[vertex] : vertex;
}

/* ---- The queue ------------------------------------------------------------------ */

static bool comes_before(const struct entry *a, const struct entry *b) {
  return a->distance < b->distance || (a->distance == b->distance && a->steps < b->steps);
}

static void sift_up(struct entry *heap, uint64_t place) {
  const struct entry entry = heap[place];
  for (; place > 0 && comes_before(&entry, &heap[(place - 1) / 2]); place = (place - 1) / 2)
    heap[place] = heap[(place - 1) / 2];
  heap[place] = entry;
}

static void sift_down(struct entry *heap, uint64_t count) {
  const struct entry entry = heap[0];
  uint64_t place = 0;
  for (uint64_t child = 1; child < count; child = 2 * place + 1) {
    child += child + 1 < count && comes_before(&heap[child + 1], &heap[child]);
    if (!comes_before(&heap[child], &entry))
      break;
    heap[place] = heap[child];
    place = child;
  }
  heap[place] = entry;
}

static enum qn_status put(struct work *work, const struct entry *entry, struct qn_error *error) {
  if (work->end == work->capacity) {
    const uint64_t capacity = 2 * work->capacity + 1024;
    enum qn_status status =
        qn_realloc(&work->queue, capacity, sizeof *work->queue, "waiting vertices", error);
    if (status)
      return status;
    work->capacity = capacity;
  }
  work->queue[work->end++] = *entry;
  if (work->weights.type != QN_WEIGHT_NONE)
    sift_up(work->queue, work->end - 1);
  return QN_OK;
}

static struct entry take(struct work *work) {
  if (work->weights.type == QN_WEIGHT_NONE)
    return work->queue[work->first++];
  const struct entry least = work->queue[0];
  work->queue[0] = work->queue[--work->end];
  if (work->end > 1)
    sift_down(work->queue, work->end);
  return least;
}

/* ---- The search ------------------------------------------------------------------ */

static enum qn_status refuse_sum(struct qn_error *error) {
  return qn_fail(error, QN_UNSUPPORTED,
                 "the sum of the weights along a path leaves 64 bits; quern-import --weights=f64 "
                 "makes them real");
}

/* The distance behind an edge; false if it cannot be said. */
static bool add_edge(const struct work *work, uint64_t distance, uint64_t edge, uint64_t *sum) {
  if (work->weights.type == QN_WEIGHT_NONE)
    return !__builtin_add_overflow(distance, 1, sum);
  const uint64_t bits =
      qn_weight_load(work->weights.data, qn_weight_bytes(work->weights.type), edge);
  if (!work->is_real)
    return !__builtin_add_overflow(distance, bits, sum) && *sum != NOT_REACHED;
  double real;
  memcpy(&real, &distance, sizeof real);
  real += qn_weight_real(work->weights.type, bits);
  memcpy(sum, &real, sizeof real);
  return isfinite(real);
}

/* An edge u -> v of a settled vertex u. */
static enum qn_status relax(struct work *work, const struct entry *from, uint64_t edge,
                            struct qn_error *error) {
  struct entry to = {.vertex = work->csr->column_indices[edge]};
  if (!add_edge(work, from->distance, edge, &to.distance))
    return refuse_sum(error);
  to.steps = to.distance == from->distance ? from->steps + 1 : 0;
  const struct entry known = {work->distances[to.vertex], work->steps[to.vertex], to.vertex};
  if (comes_before(&known, &to))
    return QN_OK;
  if (!comes_before(&to, &known)) {
    uint32_t *parent = &work->parents[to.vertex];
    if (position_of(work, from->vertex) < position_of(work, *parent) && *parent != to.vertex)
      *parent = from->vertex;
    return QN_OK;
  }
  work->distances[to.vertex] = to.distance;
  work->steps[to.vertex] = to.steps;
  work->parents[to.vertex] = from->vertex;
  return put(work, &to, error);
}

static bool is_settled(const struct work *work, const struct entry *entry) {
  return entry->distance > work->distances[entry->vertex] ||
         (entry->distance == work->distances[entry->vertex] &&
          entry->steps > work->steps[entry->vertex]);
}

/* Until the target is settled, or all that can be reached. */
static enum qn_status search(struct work *work, uint32_t source, uint32_t target,
                             struct qn_error *error) {
  const struct qn_csr *csr = work->csr;
  const struct entry start = {0, 0, source};
  uint64_t num_settled = 0;
  work->distances[source] = 0;
  work->parents[source] = source;
  enum qn_status status = put(work, &start, error);
  while (!status && work->first < work->end) {
    const struct entry least = take(work);
    if (is_settled(work, &least))
      continue;
    if (least.vertex == target)
      break;
    for (uint64_t edge = csr->row_offsets[least.vertex];
         !status && edge < csr->row_offsets[least.vertex + 1]; edge++)
      status = relax(work, &least, edge, error);
    if (!status && ++num_settled % 65536 == 0)
      status = qn_context_check(error);
  }
  return status;
}

/* ---- The path -------------------------------------------------------------------- */

static enum qn_status walk_back(const struct work *work, uint32_t target,
                                struct qn_run_result *result, struct qn_error *error) {
  uint64_t count = 1;
  if (work->distances[target] == NOT_REACHED)
    return QN_OK;
  for (uint32_t v = target; work->parents[v] != v; v = work->parents[v])
    count++;
  uint64_t *values;
  enum qn_status status =
      qn_pages_alloc(&result->listed, count, sizeof *result->listed, "a path", error);
  if (!status)
    status = qn_pages_alloc(&values, count, sizeof *values, "distances", error);
  if (status) {
    qn_pages_free(result->listed, count, sizeof *result->listed);
    result->listed = NULL;
    return status;
  }
  result->values = values;
  result->num_values = count;
  for (uint32_t v = target; count-- > 0; v = work->parents[v]) {
    result->listed[count] = v;
    values[count] = work->distances[v];
  }
  return QN_OK;
}

/* A negative weight anywhere might make another path the shortest. */
static enum qn_status check_weights(const struct work *work, struct qn_error *error) {
  const struct qn_weight_limit limit = {INT64_MAX, INFINITY};
  const enum qn_weight_type type = work->weights.type;
  const uint64_t num_edges =
      type == QN_WEIGHT_NONE || type == QN_WEIGHT_U32 ? 0 : work->csr->num_edges;
  uint64_t bad = UINT64_MAX;
#pragma omp parallel for schedule(static) reduction(min : bad)
  for (uint64_t edge = 0; edge < num_edges; edge++) {
    const uint64_t bits = qn_weight_load(work->weights.data, qn_weight_bytes(type), edge);
    if (!qn_weight_is_within(type, bits, &limit) && edge < bad)
      bad = edge;
  }
  if (bad == UINT64_MAX)
    return QN_OK;
  char text[QN_WEIGHT_TEXT];
  qn_weight_text(type, qn_weight_load(work->weights.data, qn_weight_bytes(type), bad), text);
  return qn_fail(error, QN_INVALID,
                 "path needs weights that are not negative, but that of edge %llu is %s",
                 (unsigned long long)bad, text);
}

static enum qn_status create(struct work *work, struct qn_error *error) {
  const uint64_t num_vertices = work->csr->num_vertices;
  enum qn_status status = qn_pages_alloc(&work->distances, num_vertices, sizeof *work->distances,
                                         "distances of vertices", error);
  if (!status)
    status = qn_pages_alloc(&work->steps, num_vertices, sizeof *work->steps, "steps", error);
  if (!status)
    status = qn_pages_alloc(&work->parents, num_vertices, sizeof *work->parents, "parents", error);
  if (status)
    return status;
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < num_vertices; v++)
    work->distances[v] = NOT_REACHED;
  return check_weights(work, error);
}

static void destroy(struct work *work) {
  const uint64_t num_vertices = work->csr->num_vertices;
  qn_pages_free(work->distances, num_vertices, sizeof *work->distances);
  qn_pages_free(work->steps, num_vertices, sizeof *work->steps);
  qn_pages_free(work->parents, num_vertices, sizeof *work->parents);
  qn_free(work->queue);
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_graph *graph = request->view;
  struct work work = {
      .csr = &graph->out, .positions = request->positions, .weights = graph->out.weights};
  const double begin = qn_seconds();
  if (request->unweighted)
    work.weights.type = QN_WEIGHT_NONE;
  work.is_real = work.weights.type == QN_WEIGHT_F32 || work.weights.type == QN_WEIGHT_F64;
  *result = (struct qn_run_result){
      .type = work.is_real ? QN_RESULT_F64 : QN_RESULT_U64, .converged = true, .iterations = 1};
  enum qn_status status = create(&work, error);
  result->prepare_seconds = qn_seconds() - begin;
  if (!status && request->num_sources > 0 && request->target < graph->out.num_vertices) {
    status = search(&work, request->sources[0], request->target, error);
    if (!status)
      status = walk_back(&work, request->target, result, error);
  }
  destroy(&work);
  result->kernel_seconds = qn_seconds() - begin - result->prepare_seconds;
  if (status)
    *result = (struct qn_run_result){0};
  return status;
}

const struct qn_kernel qn_kernel_path_csr_cpu =
    QN_PATH_KERNEL("csr, ends at the target", QN_LAYOUT_GRAPH, QN_CPU, run);
