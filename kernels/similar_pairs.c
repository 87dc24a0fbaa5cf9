#include "kernels/similar_pairs.h"

#include "kernels/registry.h"
#include "support/memory.h"

static void find_sizes(const struct qn_csr *csr, uint32_t *sizes) {
#pragma omp parallel for schedule(dynamic, 1024)
  for (uint64_t v = 0; v < csr->num_vertices; v++) {
    uint32_t size = 0;
    for (uint64_t begin = csr->row_offsets[v], edge = begin; edge < csr->row_offsets[v + 1]; edge++)
      size += !qn_is_repeated(csr, begin, edge);
    sizes[v] = size;
  }
}

static void take_given(const uint32_t *given, struct qn_similar_pairs *pairs) {
#pragma omp parallel for schedule(static)
  for (uint64_t i = 0; i < pairs->num_pairs; i++) {
    pairs->first[i] = given[2 * i];
    pairs->second[i] = given[2 * i + 1];
  }
}

/* ---- The ends of all edges ----------------------------------------------------------------- */

/* Is the edge the one that stands for its pair? */
static bool is_taken(const struct qn_run_request *request, uint64_t v, uint64_t edge) {
  const struct qn_graph *graph = request->view;
  const uint32_t other = graph->out.column_indices[edge];
  if (qn_is_repeated(&graph->out, graph->out.row_offsets[v], edge))
    return false;
  if (graph->directedness != QN_UNDIRECTED)
    return v != other;
  return request->positions ? request->positions[v] < request->positions[other]
                            : v < (uint64_t)other;
}

static void find_offsets(const struct qn_run_request *request, struct qn_similar_pairs *pairs) {
  const struct qn_csr *csr = &((const struct qn_graph *)request->view)->out;
#pragma omp parallel for schedule(dynamic, 1024)
  for (uint64_t v = 0; v < csr->num_vertices; v++)
    for (uint64_t edge = csr->row_offsets[v]; edge < csr->row_offsets[v + 1]; edge++)
      pairs->offsets[v + 1] += is_taken(request, v, edge);
  for (uint64_t v = 0; v < csr->num_vertices; v++)
    pairs->offsets[v + 1] += pairs->offsets[v];
  pairs->num_pairs = pairs->offsets[csr->num_vertices];
}

/* Pages that become others meanwhile may have more edges now than were counted. */
static void take_edges(const struct qn_run_request *request, struct qn_similar_pairs *pairs) {
  const struct qn_csr *csr = &((const struct qn_graph *)request->view)->out;
#pragma omp parallel for schedule(dynamic, 1024)
  for (uint64_t v = 0; v < csr->num_vertices; v++) {
    uint64_t place = pairs->offsets[v];
    for (uint64_t edge = csr->row_offsets[v];
         edge < csr->row_offsets[v + 1] && place < pairs->offsets[v + 1]; edge++)
      if (is_taken(request, v, edge)) {
        pairs->first[place] = (uint32_t)v;
        pairs->second[place++] = csr->column_indices[edge];
      }
  }
}

enum qn_status qn_similar_pairs_create(const struct qn_run_request *request,
                                       struct qn_similar_pairs *pairs, struct qn_error *error) {
  const struct qn_csr *csr = &((const struct qn_graph *)request->view)->out;
  const uint32_t *given = request->inputs.pairs;
  *pairs =
      (struct qn_similar_pairs){.num_vertices = csr->num_vertices,
                                .measure = (enum qn_measure)qn_argument(request, "measure").whole,
                                .num_pairs = request->inputs.num_pairs};
  enum qn_status status = qn_pages_alloc(&pairs->sizes, csr->num_vertices, sizeof *pairs->sizes,
                                         "sizes of rows", error);
  if (!status)
    find_sizes(csr, pairs->sizes);
  if (!status && !given) {
    status = qn_pages_alloc(&pairs->offsets, csr->num_vertices + 1, sizeof *pairs->offsets,
                            "offsets of pairs", error);
    if (!status)
      find_offsets(request, pairs);
  }
  if (!status)
    status = qn_pages_alloc(&pairs->first, pairs->num_pairs, sizeof *pairs->first, "pairs", error);
  if (!status)
    status =
        qn_pages_alloc(&pairs->second, pairs->num_pairs, sizeof *pairs->second, "pairs", error);
  if (status)
    qn_similar_pairs_destroy(pairs);
  else if (given)
    take_given(given, pairs);
  else
    take_edges(request, pairs);
  return status;
}

void qn_similar_pairs_destroy(struct qn_similar_pairs *pairs) {
  qn_pages_free(pairs->sizes, pairs->num_vertices, sizeof *pairs->sizes);
  qn_pages_free(pairs->offsets, pairs->num_vertices + 1, sizeof *pairs->offsets);
  qn_pages_free(pairs->first, pairs->num_pairs, sizeof *pairs->first);
  qn_pages_free(pairs->second, pairs->num_pairs, sizeof *pairs->second);
  *pairs = (struct qn_similar_pairs){0};
}

void qn_similar_pairs_give(struct qn_similar_pairs *pairs, double **values,
                           struct qn_run_result *result) {
  result->shape = QN_SHAPE_PAIRS;
  result->type = QN_RESULT_F64;
  result->num_values = pairs->num_pairs;
  result->values = *values;
  result->pairs.first = pairs->first;
  result->pairs.second = pairs->second;
  *values = NULL;
  pairs->first = pairs->second = NULL;
}
