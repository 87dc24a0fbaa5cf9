#include "results/rows.h"

#include <inttypes.h>
#include <stdio.h>

#include "formats/arrays/npy_header.h"
#include "results/labels.h"
#include "results/values.h"

/* Numbers, and edges, that are formatted at a time; a walk may be longer. */
#define PART ((uint64_t)1 << 14)

/* ---- Arrays ---------------------------------------------------------------------------------- */

struct array {
  const uint32_t *rows[2]; /* [length] each */
  uint64_t length, num_rows;
};

static uint64_t parts_of(uint64_t length) {
  return (length + PART - 1) / PART;
}

static void format_numbers(const void *context, uint64_t part, struct qn_text_buffer *buffer) {
  const struct array *array = context;
  const uint64_t parts = parts_of(array->length), begin = part % parts * PART;
  const uint64_t end = begin + PART < array->length ? begin + PART : array->length;
  const uint32_t *row = array->rows[part / parts];
  char *p = qn_text_buffer_reserve(buffer, (end - begin) * sizeof(int64_t));
  if (!p)
    return;
  for (uint64_t i = begin; i < end; i++) {
    const int64_t number = row[i] == UINT32_MAX ? -1 : (int64_t)row[i];
    p = mempcpy(p, &number, sizeof number);
  }
  qn_text_buffer_advance(buffer, p);
}

static enum qn_status write_head(struct qn_text_output *output, const char *shape,
                                 struct qn_error *error) {
  char header[QN_NPY_HEADER_BYTES];
  qn_npy_header(header, "<i8", shape);
  return qn_text_output_write(output, header, sizeof header, error);
}

static enum qn_status write_array(struct qn_text_output *output, const char *shape,
                                  const struct array *array, struct qn_error *error) {
  enum qn_status status = write_head(output, shape, error);
  return status ? status
                : qn_text_output_parts(output, array->num_rows * parts_of(array->length),
                                       format_numbers, array, error);
}

enum qn_status qn_walk_array_write(struct qn_text_output *output,
                                   const struct qn_run_result *result, struct qn_error *error) {
  const struct array array = {
      .rows = {result->values}, .length = result->num_values * result->walks.length, .num_rows = 1};
  char shape[48];
  snprintf(shape, sizeof shape, "(%" PRIu64 ", %" PRIu32 ")", result->num_values,
           result->walks.length);
  return write_array(output, shape, &array, error);
}

enum qn_status qn_sample_edges_write(struct qn_text_output *output, const struct qn_sample *sample,
                                     struct qn_error *error) {
  const struct array array = {
      .rows = {sample->from, sample->to}, .length = sample->num_edges, .num_rows = 2};
  char shape[48];
  snprintf(shape, sizeof shape, "(2, %" PRIu64 ")", sample->num_edges);
  return write_array(output, shape, &array, error);
}

enum qn_status qn_sample_nodes_write(struct qn_text_output *output, const struct qn_sample *sample,
                                     struct qn_error *error) {
  const struct array array = {.rows = {sample->nodes}, .length = sample->num_nodes, .num_rows = 1};
  char shape[48];
  snprintf(shape, sizeof shape, "(%" PRIu64 ",)", sample->num_nodes);
  return write_array(output, shape, &array, error);
}

enum qn_status qn_sample_ends_write(struct qn_text_output *output, const struct qn_sample *sample,
                                    struct qn_error *error) {
  const uint64_t bytes = ((uint64_t)sample->num_hops + 1) * sizeof(uint64_t);
  char shape[48];
  snprintf(shape, sizeof shape, "(2, %" PRIu32 ")", sample->num_hops + 1);
  enum qn_status status = write_head(output, shape, error);
  if (!status)
    status = qn_text_output_write(output, (const char *)sample->node_ends, bytes, error);
  if (!status)
    status = qn_text_output_write(output, (const char *)sample->edge_ends, bytes, error);
  return status;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

struct lines {
  const struct qn_labels *labels;
  const struct qn_run_result *result;
  const struct qn_sample *sample;
  char separator;
  bool plain;
};

static void put(const struct lines *lines, uint32_t position, char end,
                struct qn_text_buffer *buffer) {
  const uint64_t vertex = qn_vertex_at(lines->labels, position);
  const struct qn_ids *ids = lines->labels->ids;
  char *p = qn_text_buffer_reserve(buffer, qn_id_room(ids, vertex) + 1);
  if (!p)
    return;
  p = qn_put_id(p, ids, vertex, lines->separator, lines->plain);
  *p++ = end;
  qn_text_buffer_advance(buffer, p);
}

/* A walk has its source at least. */
static void format_walk(const void *context, uint64_t part, struct qn_text_buffer *buffer) {
  const struct lines *lines = context;
  const uint64_t length = lines->result->walks.length;
  const uint32_t *row = (const uint32_t *)lines->result->values + part * length;
  for (uint64_t i = 0; i < length && row[i] != UINT32_MAX && !buffer->status; i++)
    put(lines, row[i], i + 1 < length && row[i + 1] != UINT32_MAX ? lines->separator : '\n',
        buffer);
}

static uint64_t walks_in_part(const struct qn_run_result *result) {
  return result->walks.length < PART ? PART / result->walks.length : 1;
}

static void format_walks(const void *context, uint64_t part, struct qn_text_buffer *buffer) {
  const struct lines *lines = context;
  const uint64_t count = walks_in_part(lines->result), begin = part * count;
  for (uint64_t walk = begin; walk < begin + count && walk < lines->result->num_values; walk++)
    format_walk(context, walk, buffer);
}

enum qn_status qn_walk_lines_write(struct qn_text_output *output, char separator,
                                   const struct qn_labels *labels,
                                   const struct qn_run_result *result, struct qn_error *error) {
  const struct lines lines = {.labels = labels,
                              .result = result,
                              .separator = separator,
                              .plain = separator != ',' || qn_names_are_plain(labels->ids, ',')};
  const uint64_t count = walks_in_part(result);
  return qn_text_output_parts(output, (result->num_values + count - 1) / count, format_walks,
                              &lines, error);
}

static void format_edges(const void *context, uint64_t part, struct qn_text_buffer *buffer) {
  const struct lines *lines = context;
  const struct qn_sample *sample = lines->sample;
  uint32_t hop = 0;
  for (uint64_t edge = part * PART; edge < (part + 1) * PART && edge < sample->num_edges; edge++) {
    while (edge >= sample->edge_ends[hop])
      hop++;
    char *p = qn_text_buffer_reserve(buffer, QN_MAX_NUMBER_TEXT);
    if (!p)
      return;
    p = qn_put_u64(p, hop);
    *p++ = lines->separator;
    qn_text_buffer_advance(buffer, p);
    put(lines, sample->nodes[sample->from[edge]], lines->separator, buffer);
    put(lines, sample->nodes[sample->to[edge]], '\n', buffer);
  }
}

enum qn_status qn_sample_lines_write(struct qn_text_output *output, char separator,
                                     const struct qn_labels *labels, const struct qn_sample *sample,
                                     struct qn_error *error) {
  const bool csv = separator == ',';
  const struct lines lines = {.labels = labels,
                              .sample = sample,
                              .separator = separator,
                              .plain = !csv || qn_names_are_plain(labels->ids, ',')};
  enum qn_status status =
      csv ? qn_text_output_write(output, "hop,neighbor,id\n", 16, error) : QN_OK;
  return status ? status
                : qn_text_output_parts(output, parts_of(sample->num_edges), format_edges, &lines,
                                       error);
}
