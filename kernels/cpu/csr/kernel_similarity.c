/* How alike the neighbours of two vertices are (kernels/similar_pairs.h): with A and B the sets of
 * vertices that edges from them lead to, each once,
 *
 *   jaccard   |A and B| / |A or B|              (Jaccard 1901)
 *   overlap   |A and B| / min(|A|, |B|)         (Szymkiewicz 1934; Simpson 1943)
 *   cosine    |A and B| / sqrt(|A| * |B|)       (Salton, McGill 1983)
 *
 * and 0 where a set is empty.
 *
 * A kernel of its own because it compares the neighbourhoods of two vertices. */
#include <omp.h>

#include "kernels/similar_pairs.h"
#include "kernels/standalone_kernel.h"
#include "support/context.h"
#include "support/memory.h"
#include "support/threads.h"

extern const struct qn_kernel qn_kernel_similarity_csr_cpu;

/* A row is searched, and not read, if it is so many times as long as the other. */
#define MUCH_LONGER 16

struct work {
  const struct qn_csr *csr;
  struct qn_similar_pairs pairs;
  uint8_t *marks; /* [threads][V] the row at hand, zero between uses */
  double *values; /* [num_pairs] */
};

/* ---- Two rows ----------------------------------------------------------------------------- */

/* Of the vertices of u's row those that v's row has. */
static uint32_t count_by_search(const struct qn_csr *csr, uint64_t u, uint64_t v) {
  uint32_t count = 0;
  for (uint64_t begin = csr->row_offsets[u], edge = begin; edge < csr->row_offsets[u + 1]; edge++)
    count +=
        !qn_is_repeated(csr, begin, edge) && qn_row_contains(csr, v, csr->column_indices[edge]);
  return count;
}

static uint32_t count_by_marks(const struct qn_csr *csr, uint64_t v, const uint8_t *marks) {
  uint32_t count = 0;
  for (uint64_t begin = csr->row_offsets[v], edge = begin; edge < csr->row_offsets[v + 1]; edge++)
    count += marks[csr->column_indices[edge]] && !qn_is_repeated(csr, begin, edge);
  return count;
}

static void mark(const struct qn_csr *csr, uint64_t v, uint8_t *marks, uint8_t as) {
  for (uint64_t edge = csr->row_offsets[v]; edge < csr->row_offsets[v + 1]; edge++)
    marks[csr->column_indices[edge]] = as;
}

static double similarity_of(const struct work *work, uint64_t u, uint64_t v, uint32_t common) {
  return qn_similarity(work->pairs.measure, work->pairs.sizes[u], work->pairs.sizes[v], common);
}

static bool is_much_longer(const struct work *work, uint64_t v, uint64_t u) {
  return work->pairs.sizes[v] / MUCH_LONGER > work->pairs.sizes[u];
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
  const uint32_t *sizes = work->pairs.sizes;
  if (is_much_longer(work, v, u))
    return count_by_search(csr, u, v);
  if (is_much_longer(work, u, v))
    return count_by_search(csr, v, u);
  if (marked->vertex != u && marked->vertex != v)
    mark_other(csr, marked, sizes[u] < sizes[v] ? u : v);
  return count_by_marks(csr, marked->vertex == u ? v : u, marked->marks);
}

static void compare_given(struct work *work) {
  const struct qn_similar_pairs *pairs = &work->pairs;
#pragma omp parallel
  {
    struct marked marked = {work->marks + (uint64_t)omp_get_thread_num() * work->csr->num_vertices,
                            UINT64_MAX};
#pragma omp for schedule(dynamic, 64)
    for (uint64_t i = 0; i < pairs->num_pairs; i++) {
      const uint32_t u = pairs->first[i], v = pairs->second[i];
      work->values[i] = similarity_of(work, u, v, count_common(work, &marked, u, v));
    }
    mark_other(work->csr, &marked, UINT64_MAX);
  }
}

/* ---- The ends of all edges ----------------------------------------------------------------- */

static void compare_edges(struct work *work) {
  const struct qn_similar_pairs *pairs = &work->pairs;
  const struct qn_csr *csr = work->csr;
#pragma omp parallel for schedule(dynamic, 64)
  for (uint64_t v = 0; v < csr->num_vertices; v++) {
    uint8_t *marks = work->marks + (uint64_t)omp_get_thread_num() * csr->num_vertices;
    if (pairs->offsets[v] == pairs->offsets[v + 1])
      continue;
    mark(csr, v, marks, 1);
    for (uint64_t i = pairs->offsets[v]; i < pairs->offsets[v + 1]; i++) {
      const uint32_t other = pairs->second[i];
      const uint32_t common = is_much_longer(work, other, v) ? count_by_search(csr, v, other)
                                                             : count_by_marks(csr, other, marks);
      work->values[i] = similarity_of(work, v, other, common);
    }
    mark(csr, v, marks, 0);
  }
}

/* -------------------------------------------------------------------------------------------- */

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_graph *graph = request->view;
  const uint64_t num_vertices = graph->out.num_vertices;
  struct work work = {.csr = &graph->out};
  double begin = qn_seconds();
  *result = (struct qn_run_result){.shape = QN_SHAPE_PAIRS,
                                   .type = QN_RESULT_F64,
                                   .stats.converged = true,
                                   .stats.iterations = 1};
  enum qn_status status = qn_similar_pairs_create(request, &work.pairs, error);
  if (!status)
    status = qn_pages_alloc(&work.marks, qn_threads() * num_vertices, 1, "marks", error);
  if (!status)
    status = qn_pages_alloc(&work.values, work.pairs.num_pairs, sizeof *work.values, "similarities",
                            error);
  result->stats.prepare_seconds = qn_seconds() - begin;
  begin = qn_seconds();
  if (!status && request->inputs.pairs)
    compare_given(&work);
  else if (!status)
    compare_edges(&work);
  if (!status)
    status = qn_context_check(error);
  result->stats.kernel_seconds = qn_seconds() - begin;
  if (status)
    *result = (struct qn_run_result){0};
  else
    qn_similar_pairs_give(&work.pairs, &work.values, result);
  qn_pages_free(work.marks, qn_threads() * num_vertices, 1);
  qn_pages_free(work.values, work.pairs.num_pairs, sizeof *work.values);
  qn_similar_pairs_destroy(&work.pairs);
  return status;
}

const struct qn_kernel qn_kernel_similarity_csr_cpu =
    QN_SIMILARITY_KERNEL("csr, marks of a row", QN_LAYOUT_GRAPH, QN_CPU, run);
