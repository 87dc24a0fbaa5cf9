/* The sample graph of specs/graph.md, and small graphs written from arrays. */
#pragma once

#include <string.h>

#include <quern/graph.h>
#include <quern/layouts.h>
#include <quern/metadata.h>

/* What to write: out-edges as CSR, optionally in-edges, weights and ids. */
struct sample {
  uint64_t num_vertices, num_edges;
  enum qn_directedness directedness;
  enum qn_weight_type weight_type;
  const uint64_t *row_offsets;
  const uint32_t *column_indices;
  const void *weights;
  const uint64_t *in_row_offsets; /* NULL: no transpose */
  const uint32_t *in_column_indices;
  const void *in_weights;
  const uint64_t *numbers; /* NULL: dense ids */
};

/* Edges 0->1, 0->3, 1->3, 3->0, 3->3 of four vertices; vertex 2 is isolated. */
static const uint64_t SAMPLE_ROWS[] = {0, 2, 3, 3, 5};
static const uint32_t SAMPLE_COLUMNS[] = {1, 3, 3, 0, 3};
static const uint32_t SAMPLE_WEIGHTS[] = {7, 1, 4, 2, 9};
static const uint64_t SAMPLE_IN_ROWS[] = {0, 1, 2, 2, 5};
static const uint32_t SAMPLE_IN_COLUMNS[] = {3, 0, 0, 1, 3};
static const uint32_t SAMPLE_IN_WEIGHTS[] = {2, 7, 1, 4, 9};
static const uint64_t SAMPLE_NUMBERS[] = {10, 20, 21, 4000000000000};

static inline struct sample sample_graph(void) {
  return (struct sample){
      .num_vertices = 4,
      .num_edges = 5,
      .directedness = QN_DIRECTED,
      .weight_type = QN_WEIGHT_U32,
      .row_offsets = SAMPLE_ROWS,
      .column_indices = SAMPLE_COLUMNS,
      .weights = SAMPLE_WEIGHTS,
      .in_row_offsets = SAMPLE_IN_ROWS,
      .in_column_indices = SAMPLE_IN_COLUMNS,
      .in_weights = SAMPLE_IN_WEIGHTS,
      .numbers = SAMPLE_NUMBERS,
  };
}

static inline void copy_weights(enum qn_weight_type type, void *to, const void *from,
                                uint64_t count) {
  if (to && count)
    memcpy(to, from, qn_weight_bytes(type) * count);
}

/* Write `sample` as a graph container with fixed metadata. */
static inline enum qn_status write_sample(const char *path, const struct sample *sample,
                                          struct qn_error *error) {
  struct qn_writer *writer;
  uint64_t *rows;
  uint32_t *columns;
  void *weights;
  enum qn_status status = qn_writer_create(path, true, &writer, error);
  if (status)
    return status;
  json_t *metadata = json_pack("{s:s}", "tool", "sample");
  struct qn_container_info *info = qn_writer_info(writer);
  info->layout = QN_LAYOUT_GRAPH;
  info->weight_type = sample->weight_type;
  info->directedness = sample->directedness;
  info->num_vertices = sample->num_vertices;
  info->num_edges = sample->num_edges;
  if ((status = qn_graph_write_rows(writer, sample->num_vertices, &rows, error)) ||
      (status = qn_graph_write_columns(writer, sample->num_edges, &columns, error)) ||
      (status = qn_graph_write_weights(writer, sample->num_edges, &weights, error)))
    goto failed;
  memcpy(rows, sample->row_offsets, 8 * (sample->num_vertices + 1));
  if (sample->num_edges)
    memcpy(columns, sample->column_indices, 4 * sample->num_edges);
  copy_weights(sample->weight_type, weights, sample->weights, sample->num_edges);
  if (sample->in_row_offsets) {
    if ((status = qn_graph_write_in_rows(writer, sample->num_vertices, &rows, error)) ||
        (status = qn_graph_write_in_columns(writer, sample->num_edges, &columns, error)) ||
        (status = qn_graph_write_in_weights(writer, sample->num_edges, &weights, error)))
      goto failed;
    memcpy(rows, sample->in_row_offsets, 8 * (sample->num_vertices + 1));
    if (sample->num_edges)
      memcpy(columns, sample->in_column_indices, 4 * sample->num_edges);
    copy_weights(sample->weight_type, weights, sample->in_weights, sample->num_edges);
  }
  struct qn_ids ids = {.kind = sample->numbers ? QN_IDS_NUMBERS : QN_IDS_DENSE,
                       .num_vertices = sample->num_vertices,
                       .numbers = sample->numbers,
                       .ascending = true};
  if ((status = qn_ids_write(writer, &ids, error)) ||
      (status = qn_writer_metadata(writer, metadata, error)))
    goto failed;
  json_decref(metadata);
  return qn_writer_commit(writer, error);
failed:
  json_decref(metadata);
  qn_writer_abort(writer);
  return status;
}
