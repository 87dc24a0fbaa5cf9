/* Serialized graphs of the GAP Benchmark Suite (.sg, and .wsg with weights; readers/gapbs.c
 * describes them). A directed graph needs its in-edges in the file too. */
#include <inttypes.h>
#include <string.h>

#include "converters/output/writer.h"
#include "support/progress.h"
#include <quern/transpose.h>

/* Elements of a part. */
#define PART ((uint64_t)64 << 10)

static void format_offsets(const void *context, uint64_t part, struct qn_text_buffer *buffer) {
  const struct qn_csr *csr = context;
  uint64_t begin = part * PART, count = csr->num_vertices + 1 - begin;
  count = count < PART ? count : PART;
  char *p = qn_text_buffer_reserve(buffer, 8 * count);
  if (!p)
    return;
  memcpy(p, csr->row_offsets + begin, 8 * count);
  qn_text_buffer_advance(buffer, p + 8 * count);
}

/* Of a whole type. */
static int64_t weight_of(const struct qn_weights *weights, uint64_t edge) {
  return weights->type == QN_WEIGHT_I64 ? weights->i64[edge] : (int64_t)weights->u32[edge];
}

static void format_neighbors(const void *context, uint64_t part, struct qn_text_buffer *buffer) {
  const struct qn_csr *csr = context;
  uint64_t begin = part * PART, count = csr->num_edges - begin;
  count = count < PART ? count : PART;
  char *p = qn_text_buffer_reserve(buffer, 8 * count);
  if (!p)
    return;
  if (csr->weights.type == QN_WEIGHT_NONE) {
    memcpy(p, csr->column_indices + begin, 4 * count);
    p += 4 * count;
  } else {
    for (uint64_t e = begin; e < begin + count; e++, p += 8) {
      memcpy(p, &csr->column_indices[e], 4);
      uint32_t weight = (uint32_t)weight_of(&csr->weights, e);
      memcpy(p + 4, &weight, 4);
    }
  }
  qn_text_buffer_advance(buffer, p);
  qn_progress_add(count);
}

static enum qn_status write_direction(const struct qn_csr *csr, struct qn_text_output *output,
                                      struct qn_error *error) {
  enum qn_status status = qn_text_output_parts(output, (csr->num_vertices + 1 + PART - 1) / PART,
                                               format_offsets, csr, error);
  if (!status)
    status = qn_text_output_parts(output, (csr->num_edges + PART - 1) / PART, format_neighbors, csr,
                                  error);
  return status;
}

/* Vertices and weights are i32 there. */
static enum qn_status check_graph(const struct qn_csr *csr, struct qn_error *error) {
  uint64_t large = 0;
  if (csr->num_vertices > (uint64_t)INT32_MAX + 1)
    return qn_fail(error, QN_UNSUPPORTED,
                   "vertices are i32 in GAPBS graphs, so %" PRIu64 " are too many",
                   csr->num_vertices);
  if (csr->weights.type == QN_WEIGHT_F32 || csr->weights.type == QN_WEIGHT_F64)
    return qn_fail(error, QN_UNSUPPORTED,
                   "weights are i32 in GAPBS graphs, and these are real; quern-import "
                   "--weights=none leaves them out");
  if (csr->weights.type == QN_WEIGHT_NONE)
    return QN_OK;
#pragma omp parallel for schedule(static) reduction(+ : large)
  for (uint64_t e = 0; e < csr->num_edges; e++)
    large += weight_of(&csr->weights, e) != (int32_t)weight_of(&csr->weights, e);
  if (large)
    return qn_fail(error, QN_UNSUPPORTED,
                   "weights are i32 in GAPBS graphs, and %" PRIu64
                   " do not fit: they are larger than "
                   "2147483647 or less than -2147483648",
                   large);
  return QN_OK;
}

static enum qn_status write_gapbs(const struct qn_graph *graph,
                                  const struct qn_write_options *options,
                                  struct qn_text_output *output, uint64_t *written,
                                  struct qn_error *error) {
  const struct qn_csr *csr = &graph->out;
  struct qn_graph transposed = {0};
  bool directed = graph->directedness == QN_DIRECTED;
  char header[17];
  (void)options;
  *written = csr->num_edges;
  enum qn_status status = check_graph(csr, error);
  if (!status && directed && !graph->has_transpose)
    status = qn_graph_create_transpose(csr, &transposed, error);
  if (status)
    return status;
  header[0] = directed;
  memcpy(header + 1, &csr->num_edges, 8);
  memcpy(header + 9, &csr->num_vertices, 8);
  qn_progress_begin("writing", "edges", csr->num_edges * (directed ? 2 : 1));
  status = qn_text_output_write(output, header, sizeof header, error);
  if (!status)
    status = write_direction(csr, output, error);
  if (!status && directed)
    status = write_direction(graph->has_transpose ? &graph->in : &transposed.out, output, error);
  qn_progress_end();
  qn_graph_unmap(&transposed);
  return status;
}

const struct qn_graph_writer qn_graph_writer_gapbs = {
    .name = "gapbs",
    .losses = QN_LOSES_IDS,
    .write = write_gapbs,
};
