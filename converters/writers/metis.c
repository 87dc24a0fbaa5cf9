/* METIS graphs: a line of neighbours for every vertex, numbered from 1 in the container's order.
 * The format knows simple undirected graphs only, and edge weights that are whole and positive:
 * gpmetis reads them into 32 bits with a sign. */
#include <inttypes.h>
#include <stdio.h>

#include "converters/output/writer.h"
#include "converters/text/text_format.h"
#include "support/progress.h"

/* Edges and vertices of a part, about. */
#define PART_WORK ((uint64_t)32 << 10)
#define EDGE_BYTES (2 * (QN_MAX_NUMBER_TEXT + 1))

/* The first vertex before which `work` edges and vertices lie. */
static uint64_t vertex_at(const struct qn_csr *csr, uint64_t work) {
  uint64_t low = 0, high = csr->num_vertices;
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    if (csr->row_offsets[middle] + middle < work)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void format_part(const void *context, uint64_t part, struct qn_text_buffer *buffer) {
  const struct qn_csr *csr = context;
  uint64_t vertex = vertex_at(csr, part * PART_WORK);
  uint64_t last = vertex_at(csr, (part + 1) * PART_WORK);
  uint64_t edges = csr->row_offsets[last] - csr->row_offsets[vertex];
  char *p = qn_text_buffer_reserve(buffer, edges * EDGE_BYTES + last - vertex);
  if (!p)
    return;
  struct qn_weight_texts weights;
  qn_weight_texts_begin(&weights, &csr->weights, csr->row_offsets[last]);
  for (; vertex < last; vertex++) {
    uint64_t begin = csr->row_offsets[vertex], end = csr->row_offsets[vertex + 1];
    for (uint64_t edge = begin; edge < end; edge++) {
      if (edge > begin)
        *p++ = ' ';
      p = qn_put_u64(p, (uint64_t)csr->column_indices[edge] + 1);
      if (csr->weights.type == QN_WEIGHT_NONE)
        continue;
      *p++ = ' ';
      p = qn_put_weight(p, &weights, edge);
    }
    *p++ = '\n';
  }
  qn_text_buffer_advance(buffer, p);
  qn_progress_add(edges);
}

#define WITHOUT_WEIGHTS                                                                            \
  "quern-import --weights=none leaves them out, quern-transform --random-weights=1,1,0 makes all " \
  "1"

/* The format has no place for these. */
struct obstacles {
  uint64_t loops, repeated, weights;
};

static bool weight_fits(const struct qn_weights *weights, uint64_t edge) {
  if (weights->type == QN_WEIGHT_U32)
    return weights->u32[edge] - 1 < INT32_MAX;
  return weights->type != QN_WEIGHT_I64 || (uint64_t)weights->i64[edge] - 1 < INT32_MAX;
}

static struct obstacles find_obstacles(const struct qn_csr *csr) {
  uint64_t loops = 0, repeated = 0, weights = 0;
#pragma omp parallel for schedule(dynamic, 4096) reduction(+ : loops, repeated, weights)
  for (uint64_t v = 0; v < csr->num_vertices; v++)
    for (uint64_t e = csr->row_offsets[v]; e < csr->row_offsets[v + 1]; e++) {
      loops += csr->column_indices[e] == v;
      repeated += e > csr->row_offsets[v] && csr->column_indices[e] == csr->column_indices[e - 1];
      weights += !weight_fits(&csr->weights, e);
    }
  return (struct obstacles){loops, repeated, weights};
}

static enum qn_status check_graph(const struct qn_graph *graph, struct qn_error *error) {
  if (graph->directedness != QN_UNDIRECTED)
    return qn_fail(error, QN_UNSUPPORTED,
                   "METIS graphs are undirected, and this one is not; quern-transform --symmetrize "
                   "makes it so");
  struct obstacles found = find_obstacles(&graph->out);
  if (found.loops)
    return qn_fail(error, QN_UNSUPPORTED,
                   "METIS graphs have no loops; this one has %" PRIu64
                   ", which quern-transform --remove-self-loops removes",
                   found.loops);
  if (found.repeated)
    return qn_fail(error, QN_UNSUPPORTED,
                   "METIS graphs have no parallel edges; this one has, which quern-transform "
                   "--remove-duplicates removes");
  if (found.weights)
    return qn_fail(error, QN_UNSUPPORTED,
                   "weights in METIS graphs are from 1 to 2147483647, and %" PRIu64
                   " of these are not; " WITHOUT_WEIGHTS,
                   found.weights);
  if (graph->out.weights.type == QN_WEIGHT_F32 || graph->out.weights.type == QN_WEIGHT_F64)
    return qn_fail(
        error, QN_UNSUPPORTED,
        "weights in METIS graphs are whole numbers, and these are real; " WITHOUT_WEIGHTS);
  return QN_OK;
}

static enum qn_status write_metis(const struct qn_graph *graph,
                                  const struct qn_write_options *options,
                                  struct qn_text_output *output, uint64_t *written,
                                  struct qn_error *error) {
  const struct qn_csr *csr = &graph->out;
  char text[96];
  (void)options;
  *written = csr->num_edges / 2;
  enum qn_status status = check_graph(graph, error);
  if (status)
    return status;
  int length = snprintf(text, sizeof text, "%" PRIu64 " %" PRIu64 "%s\n", csr->num_vertices,
                        *written, csr->weights.type == QN_WEIGHT_NONE ? "" : " 1");
  status = qn_text_output_write(output, text, (uint64_t)length, error);
  if (status)
    return status;
  qn_progress_begin("writing", "edges", csr->num_edges);
  uint64_t work = csr->num_edges + csr->num_vertices;
  status =
      qn_text_output_parts(output, (work + PART_WORK - 1) / PART_WORK, format_part, csr, error);
  qn_progress_end();
  return status;
}

const struct qn_graph_writer qn_graph_writer_metis = {
    .name = "metis",
    .losses = QN_LOSES_IDS_FROM_ONE,
    .write = write_metis,
};
