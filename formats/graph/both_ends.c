#include "formats/graph/both_ends.h"

#include <string.h>

#include "formats/graph/csr_shares.h"
#include "formats/graph/transposition.h"
#include "support/memory.h"

struct job {
  const struct qn_graph *graph;
  uint32_t *parent; /* [V] */
  uint32_t largest;
  struct qn_both_ends *ends; /* sums are added to it by all threads */
};

/* Behind the columns that equal the first. */
static const uint32_t *skip_equal(const uint32_t *p, const uint32_t *end) {
  uint32_t column = *p;
  do
    p++;
  while (p < end && *p == column);
  return p;
}

struct pairs {
  uint64_t distinct, mutual;
};

/* Both rows ascend. */
static void count_pairs(uint32_t vertex, struct qn_neighbors out, struct qn_neighbors in,
                        struct pairs *pairs) {
  const uint32_t *q = in.begin;
  for (const uint32_t *p = out.begin; p < out.end; p = skip_equal(p, out.end)) {
    if (*p == vertex)
      continue;
    while (q < in.end && *q < *p)
      q++;
    pairs->distinct++;
    pairs->mutual += q < in.end && *q == *p;
  }
}

static void look_at(const struct job *job, uint32_t vertex, struct qn_neighbors in,
                    struct pairs *pairs) {
  struct qn_neighbors out = qn_neighbors_of(&job->graph->out, vertex);
  count_pairs(vertex, out, in, pairs);
  qn_components_join(job->parent, vertex, out, job->largest);
  qn_components_join(job->parent, vertex, in, job->largest);
}

static void add_pairs(const struct job *job, const struct pairs *pairs) {
  __atomic_fetch_add(&job->ends->distinct, pairs->distinct, __ATOMIC_RELAXED);
  __atomic_fetch_add(&job->ends->mutual, pairs->mutual, __ATOMIC_RELAXED);
}

/* Of graphs that have their in-edges, or are undirected and have no others. */
static void look_at_stored(const struct job *job) {
  const struct qn_graph *graph = job->graph;
  uint64_t parts = qn_csr_share_count(&graph->out);
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t part = 0; part < parts; part++) {
    struct qn_csr_share share = qn_csr_share_of(&graph->out, parts, part);
    struct pairs pairs = {0};
    for (uint64_t v = share.row_begin; v < share.row_end; v++)
      if (graph->directedness == QN_UNDIRECTED)
        qn_components_join(job->parent, (uint32_t)v, qn_neighbors_of(&graph->out, v), job->largest);
      else
        look_at(job, (uint32_t)v, qn_neighbors_of(&graph->in, v), &pairs);
    add_pairs(job, &pairs);
  }
}

static void look_at_transposed(const struct qn_csr_rows *rows, void *context) {
  const struct job *job = context;
  const uint32_t *columns = rows->columns;
  struct pairs pairs = {0};
  for (uint64_t row = 0; row < rows->last - rows->first; row++) {
    const uint32_t *end = columns + (rows->row_offsets[row + 1] - rows->row_offsets[row]);
    look_at(job, (uint32_t)(rows->first + row), (struct qn_neighbors){columns, end, 0}, &pairs);
    columns = end;
  }
  add_pairs(job, &pairs);
}

static enum qn_status transpose(struct job *job, uint64_t *in_offsets, struct qn_error *error) {
  struct qn_transposition work = {0};
  struct qn_csr csr = job->graph->out;
  csr.weights = (struct qn_weights){.type = QN_WEIGHT_NONE};
  enum qn_status status = qn_transposition_create(&csr, in_offsets, &work, error);
  if (!status)
    status = qn_transposition_visit(&work, true, look_at_transposed, job, error);
  qn_transposition_destroy(&work);
  return status;
}

enum qn_status qn_graph_both_ends(const struct qn_graph *graph, uint64_t *in_offsets,
                                  struct qn_both_ends *ends, struct qn_error *error) {
  uint64_t num_vertices = graph->out.num_vertices;
  struct job job = {.graph = graph, .ends = ends};
  *ends = (struct qn_both_ends){0};
  enum qn_status status =
      qn_pages_alloc(&job.parent, num_vertices, sizeof *job.parent, "components", error);
  if (status)
    return status;
  qn_components_begin(graph, job.parent);
  job.largest = qn_components_find_largest(graph, job.parent);
  if (graph->has_transpose)
    look_at_stored(&job);
  else
    status = transpose(&job, in_offsets, error);
  if (graph->has_transpose && graph->directedness == QN_DIRECTED)
    memcpy(in_offsets, graph->in.row_offsets, (num_vertices + 1) * sizeof *in_offsets);
  if (!status) {
    qn_components_end(job.parent, num_vertices);
    status = qn_component_sizes(job.parent, num_vertices, &ends->components, error);
  }
  qn_pages_free(job.parent, num_vertices, sizeof *job.parent);
  return status;
}
