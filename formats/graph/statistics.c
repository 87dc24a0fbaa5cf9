#include "formats/graph/statistics.h"

#include "support/memory.h"

/* ---- Edges ---------------------------------------------------------------- */

/* The first edge of the row in [edge, end) that leads to `column` or further. */
static uint64_t find_column(const struct qn_csr *csr, uint64_t edge, uint64_t end,
                            uint64_t column) {
  while (edge < end) {
    uint64_t middle = edge + (end - edge) / 2;
    if (csr->column_indices[middle] < column)
      edge = middle + 1;
    else
      end = middle;
  }
  return edge;
}

uint64_t qn_csr_count_loops(const struct qn_csr *csr) {
  uint64_t loops = 0;
#pragma omp parallel for schedule(dynamic, 4096) reduction(+ : loops)
  for (uint64_t v = 0; v < csr->num_vertices; v++) {
    uint64_t end = csr->row_offsets[v + 1];
    for (uint64_t e = find_column(csr, csr->row_offsets[v], end, v);
         e < end && csr->column_indices[e] == v; e++)
      loops++;
  }
  return loops;
}

uint64_t qn_csr_count_parallel(const struct qn_csr *csr, bool once) {
  uint64_t parallel = 0;
#pragma omp parallel for schedule(dynamic, 4096) reduction(+ : parallel)
  for (uint64_t v = 0; v < csr->num_vertices; v++) {
    uint64_t begin = csr->row_offsets[v], end = csr->row_offsets[v + 1];
    begin = once ? find_column(csr, begin, end, v) : begin;
    for (uint64_t e = begin + 1; e < end; e++)
      parallel += csr->column_indices[e] == csr->column_indices[e - 1];
  }
  return parallel;
}

/* ---- Vertices without edges ----------------------------------------------- */

/* Of vertices without out-edges, those that are no destination either. `waiting` is a zeroed bitmap
 * of them, small enough for a cache: most edges only read it. */
static uint64_t count_unreached(const struct qn_csr *csr, uint64_t *waiting, uint64_t num_words) {
  uint64_t isolated = 0;
#pragma omp parallel for schedule(static)
  for (uint64_t word = 0; word < num_words; word++)
    for (uint64_t v = word * 64; v < word * 64 + 64 && v < csr->num_vertices; v++)
      waiting[word] |= (uint64_t)(csr->row_offsets[v] == csr->row_offsets[v + 1]) << (v % 64);
#pragma omp parallel for schedule(static)
  for (uint64_t e = 0; e < csr->num_edges; e++) {
    uint64_t *word = &waiting[csr->column_indices[e] / 64];
    uint64_t bit = (uint64_t)1 << (csr->column_indices[e] % 64);
    if (__atomic_load_n(word, __ATOMIC_RELAXED) & bit)
      __atomic_fetch_and(word, ~bit, __ATOMIC_RELAXED);
  }
#pragma omp parallel for schedule(static) reduction(+ : isolated)
  for (uint64_t word = 0; word < num_words; word++)
    isolated += (uint64_t)__builtin_popcountll(waiting[word]);
  return isolated;
}

uint64_t qn_csr_count_empty(const struct qn_csr *csr, const uint64_t *in_offsets) {
  uint64_t empty = 0;
#pragma omp parallel for schedule(static) reduction(+ : empty)
  for (uint64_t v = 0; v < csr->num_vertices; v++)
    empty += csr->row_offsets[v] == csr->row_offsets[v + 1] &&
             (!in_offsets || in_offsets[v] == in_offsets[v + 1]);
  return empty;
}

enum qn_status qn_graph_count_isolated(const struct qn_graph *graph, uint64_t *count,
                                       struct qn_error *error) {
  const struct qn_csr *csr = &graph->out;
  bool in_rows = graph->directedness == QN_DIRECTED && graph->has_transpose;
  uint64_t *waiting, num_words = csr->num_vertices / 64 + 1;
  *count = qn_csr_count_empty(csr, in_rows ? graph->in.row_offsets : NULL);
  if (*count == 0 || in_rows || graph->directedness == QN_UNDIRECTED)
    return QN_OK;
  enum qn_status status =
      qn_alloc_zeroed(&waiting, num_words, sizeof *waiting, "set of vertices", error);
  if (status)
    return status;
  *count = count_unreached(csr, waiting, num_words);
  qn_free(waiting);
  return QN_OK;
}
