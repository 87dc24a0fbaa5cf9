/* How alike the neighbours of two vertices are, of the ends of all edges or of given pairs: with A
 * and B the sets of vertices that edges from them lead to, each once,
 *
 *   jaccard   |A and B| / |A or B|              (Jaccard 1901)
 *   overlap   |A and B| / min(|A|, |B|)         (Szymkiewicz 1934; Simpson 1943)
 *   cosine    |A and B| / sqrt(|A| * |B|)       (Salton, McGill 1983)
 *
 * and 0 where a set is empty. The ends of an edge are looked at once, however many edges are
 * parallel; of an undirected graph from the first of them alone, and of a loop not at all.
 *
 * A kernel of its own because it compares the neighbourhoods of two vertices. */
#include <math.h>
#include <omp.h>

#include "kernels/standalone_kernel.h"
#include "support/context.h"
#include "support/memory.h"
#include "support/threads.h"
#include <quern/graph.h>

QN_DECLARE_ALGORITHM(similarity);
extern const struct qn_kernel qn_kernel_similarity_csr_cpu;

/* A row is searched, and not read, if it is so many times as long as the other. */
#define MUCH_LONGER 16

/* The words of the parameter `measure`. */
enum measure { MEASURE_JACCARD, MEASURE_OVERLAP, MEASURE_COSINE };

struct work {
  const struct qn_run_request *request;
  const struct qn_csr *csr;
  bool is_undirected;
  enum measure measure;
  uint32_t *sizes;   /* [V] different vertices in a row */
  uint64_t *offsets; /* [V + 1] where the pairs of a vertex begin, if none are given */
  uint8_t *marks;    /* [threads][V] the row at hand, zero between uses */
  uint64_t num_pairs;
  uint32_t *first, *second; /* [num_pairs] */
  double *values;
};

/* ---- Two rows ----------------------------------------------------------------------------- */

static bool is_repeated(const struct qn_csr *csr, uint64_t row_begin, uint64_t edge) {
  return edge > row_begin && csr->column_indices[edge] == csr->column_indices[edge - 1];
}

static bool row_has(const struct qn_csr *csr, uint64_t v, uint32_t other) {
  uint64_t begin = csr->row_offsets[v], end = csr->row_offsets[v + 1];
  while (begin < end) {
    const uint64_t middle = begin + (end - begin) / 2;
    if (csr->column_indices[middle] == other)
      return true;
    if (csr->column_indices[middle] < other)
      begin = middle + 1;
    else
      end = middle;
  }
  return false;
}

/* Of the vertices of u's row those that v's row has. */
static uint32_t count_by_search(const struct qn_csr *csr, uint64_t u, uint64_t v) {
  uint32_t count = 0;
  for (uint64_t begin = csr->row_offsets[u], edge = begin; edge < csr->row_offsets[u + 1]; edge++)
    count += !is_repeated(csr, begin, edge) && row_has(csr, v, csr->column_indices[edge]);
  return count;
}

static uint32_t count_by_marks(const struct qn_csr *csr, uint64_t v, const uint8_t *marks) {
  uint32_t count = 0;
  for (uint64_t begin = csr->row_offsets[v], edge = begin; edge < csr->row_offsets[v + 1]; edge++)
    count += marks[csr->column_indices[edge]] && !is_repeated(csr, begin, edge);
  return count;
}

static void mark(const struct qn_csr *csr, uint64_t v, uint8_t *marks, uint8_t as) {
  for (uint64_t edge = csr->row_offsets[v]; edge < csr->row_offsets[v + 1]; edge++)
    marks[csr->column_indices[edge]] = as;
}

static double similarity_of(const struct work *work, uint64_t u, uint64_t v, uint32_t common) {
  const double a = work->sizes[u], b = work->sizes[v];
  if (common == 0)
    return 0;
  switch (work->measure) {
  case MEASURE_JACCARD:
    return common / (a + b - common);
  case MEASURE_OVERLAP:
    return common / (a < b ? a : b);
  default:
    return common / sqrt(a * b);
  }
}

static bool is_much_longer(const struct work *work, uint64_t v, uint64_t u) {
  return work->sizes[v] / MUCH_LONGER > work->sizes[u];
}

/* ---- Given pairs --------------------------------------------------------------------------- */

/* A thread's marks, and whose row they are. */
struct marked {
  uint8_t *marks;
  uint64_t vertex; /* UINT64_MAX: nobody's */
};

static void mark_other(const struct qn_csr *csr, struct marked *marked, uint64_t vertex) {
  if (marked->vertex != UINT64_MAX)
    mark(csr, marked->vertex, marked->marks, 0);
  marked->vertex = vertex;
  if (vertex != UINT64_MAX)
    mark(csr, vertex, marked->marks, 1);
}

static uint32_t count_common(const struct work *work, struct marked *marked, uint64_t u,
                             uint64_t v) {
  const struct qn_csr *csr = work->csr;
  if (is_much_longer(work, v, u))
    return count_by_search(csr, u, v);
  if (is_much_longer(work, u, v))
    return count_by_search(csr, v, u);
  if (marked->vertex != u && marked->vertex != v)
    mark_other(csr, marked, work->sizes[u] < work->sizes[v] ? u : v);
  return count_by_marks(csr, marked->vertex == u ? v : u, marked->marks);
}

static void compare_given(struct work *work) {
  const uint32_t *pairs = work->request->inputs.pairs;
#pragma omp parallel
  {
    struct marked marked = {work->marks + (uint64_t)omp_get_thread_num() * work->csr->num_vertices,
                            UINT64_MAX};
#pragma omp for schedule(dynamic, 64)
    for (uint64_t i = 0; i < work->num_pairs; i++) {
      const uint32_t u = work->first[i] = pairs[2 * i], v = work->second[i] = pairs[2 * i + 1];
      work->values[i] = similarity_of(work, u, v, count_common(work, &marked, u, v));
    }
    mark_other(work->csr, &marked, UINT64_MAX);
  }
}

/* ---- The ends of all edges ----------------------------------------------------------------- */

/* Is the edge the one that stands for its pair? */
static bool is_taken(const struct work *work, uint64_t v, uint64_t edge) {
  const uint32_t *positions = work->request->positions;
  const uint32_t other = work->csr->column_indices[edge];
  if (is_repeated(work->csr, work->csr->row_offsets[v], edge))
    return false;
  if (!work->is_undirected)
    return v != other;
  return positions ? positions[v] < positions[other] : v < (uint64_t)other;
}

static void find_offsets(struct work *work) {
  const struct qn_csr *csr = work->csr;
#pragma omp parallel for schedule(dynamic, 1024)
  for (uint64_t v = 0; v < csr->num_vertices; v++)
    for (uint64_t edge = csr->row_offsets[v]; edge < csr->row_offsets[v + 1]; edge++)
      work->offsets[v + 1] += is_taken(work, v, edge);
  for (uint64_t v = 0; v < csr->num_vertices; v++)
    work->offsets[v + 1] += work->offsets[v];
  work->num_pairs = work->offsets[csr->num_vertices];
}

/* All pairs of v, whose row is marked. */
static void compare_edges_of(struct work *work, uint64_t v, const uint8_t *marks) {
  const struct qn_csr *csr = work->csr;
  uint64_t place = work->offsets[v];
  for (uint64_t edge = csr->row_offsets[v]; edge < csr->row_offsets[v + 1]; edge++) {
    const uint32_t other = csr->column_indices[edge];
    if (!is_taken(work, v, edge) || place == work->offsets[v + 1])
      continue;
    const uint32_t common = is_much_longer(work, other, v) ? count_by_search(csr, v, other)
                                                           : count_by_marks(csr, other, marks);
    work->first[place] = (uint32_t)v;
    work->second[place] = other;
    work->values[place++] = similarity_of(work, v, other, common);
  }
}

static void compare_edges(struct work *work) {
  const uint64_t num_vertices = work->csr->num_vertices;
#pragma omp parallel for schedule(dynamic, 64)
  for (uint64_t v = 0; v < num_vertices; v++) {
    uint8_t *marks = work->marks + (uint64_t)omp_get_thread_num() * num_vertices;
    if (work->offsets[v] == work->offsets[v + 1])
      continue;
    mark(work->csr, v, marks, 1);
    compare_edges_of(work, v, marks);
    mark(work->csr, v, marks, 0);
  }
}

/* -------------------------------------------------------------------------------------------- */

static void find_sizes(struct work *work) {
  const struct qn_csr *csr = work->csr;
#pragma omp parallel for schedule(dynamic, 1024)
  for (uint64_t v = 0; v < csr->num_vertices; v++) {
    uint32_t size = 0;
    for (uint64_t begin = csr->row_offsets[v], edge = begin; edge < csr->row_offsets[v + 1]; edge++)
      size += !is_repeated(csr, begin, edge);
    work->sizes[v] = size;
  }
}

static enum qn_status create(struct work *work, struct qn_error *error) {
  const uint64_t num_vertices = work->csr->num_vertices;
  enum qn_status status =
      qn_pages_alloc(&work->sizes, num_vertices, sizeof *work->sizes, "sizes of rows", error);
  if (!status)
    find_sizes(work);
  if (!status)
    status = qn_pages_alloc(&work->marks, qn_threads() * num_vertices, 1, "marks", error);
  if (!status && !work->request->inputs.pairs) {
    status = qn_pages_alloc(&work->offsets, num_vertices + 1, sizeof *work->offsets,
                            "offsets of pairs", error);
    if (!status)
      find_offsets(work);
  }
  if (!status)
    status = qn_pages_alloc(&work->first, work->num_pairs, sizeof *work->first, "pairs", error);
  if (!status)
    status = qn_pages_alloc(&work->second, work->num_pairs, sizeof *work->second, "pairs", error);
  if (!status)
    status =
        qn_pages_alloc(&work->values, work->num_pairs, sizeof *work->values, "similarities", error);
  return status;
}

static void destroy(struct work *work) {
  const uint64_t num_vertices = work->csr->num_vertices;
  qn_pages_free(work->sizes, num_vertices, sizeof *work->sizes);
  qn_pages_free(work->offsets, num_vertices + 1, sizeof *work->offsets);
  qn_pages_free(work->marks, qn_threads() * num_vertices, 1);
  qn_pages_free(work->first, work->num_pairs, sizeof *work->first);
  qn_pages_free(work->second, work->num_pairs, sizeof *work->second);
  qn_pages_free(work->values, work->num_pairs, sizeof *work->values);
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_graph *graph = request->view;
  struct work work = {.request = request,
                      .measure = (enum measure)qn_argument(request, "measure").whole,
                      .csr = &graph->out,
                      .is_undirected = graph->directedness == QN_UNDIRECTED,
                      .num_pairs = request->inputs.num_pairs};
  double begin = qn_seconds();
  *result = (struct qn_run_result){.shape = QN_SHAPE_PAIRS,
                                   .type = QN_RESULT_F64,
                                   .stats.converged = true,
                                   .stats.iterations = 1};
  enum qn_status status = create(&work, error);
  result->stats.prepare_seconds = qn_seconds() - begin;
  begin = qn_seconds();
  if (!status && request->inputs.pairs)
    compare_given(&work);
  else if (!status)
    compare_edges(&work);
  if (!status)
    status = qn_context_check(error);
  result->stats.kernel_seconds = qn_seconds() - begin;
  if (status) {
    *result = (struct qn_run_result){0};
  } else {
    result->num_values = work.num_pairs;
    result->values = work.values;
    result->pairs.first = work.first;
    result->pairs.second = work.second;
    work.values = NULL;
    work.first = work.second = NULL;
  }
  destroy(&work);
  return status;
}

const struct qn_kernel qn_kernel_similarity_csr_cpu = QN_STANDALONE_KERNEL(
    similarity, "csr, marks of a row", QN_LAYOUT_GRAPH, QN_CPU, 0, QN_RESULT_F64, run, 0);
