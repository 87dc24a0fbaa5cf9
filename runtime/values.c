#include "runtime/values.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "converters/text/npy_header.h"
#include "converters/text/text_format.h"
#include "support/json_text.h"
#include "support/memory.h"

/* Vertices whose lines are formatted at a time. */
#define PART_VERTICES ((uint64_t)1 << 13)

double qn_value_number(const struct qn_run_result *result, uint64_t vertex) {
  switch (result->type) {
  case QN_RESULT_U32: {
    uint32_t value = ((const uint32_t *)result->values)[vertex];
    return value == UINT32_MAX ? INFINITY : (double)value;
  }
  case QN_RESULT_U64: {
    uint64_t value = ((const uint64_t *)result->values)[vertex];
    return value == UINT64_MAX ? INFINITY : (double)value;
  }
  case QN_RESULT_F32:
    return (double)((const float *)result->values)[vertex];
  default:
    return ((const double *)result->values)[vertex];
  }
}

json_t *qn_id_json(const struct qn_run_input *input, uint64_t vertex) {
  char buffer[QN_MAX_NUMBER_TEXT];
  uint64_t length;
  const char *id = qn_ids_text(&input->ids, vertex, buffer, &length);
  return qn_json_name(id, length);
}

struct job {
  const struct qn_run_input *input;
  const struct qn_run *run;
};

static uint64_t vertex_at(const struct qn_run_input *input, uint64_t position) {
  return input->order ? input->order[position] : position;
}

/* ---- Lines ------------------------------------------------------------------------------- */

/* Bytes of an id, at most. */
static uint64_t id_room(const struct qn_ids *ids, uint64_t vertex) {
  if (ids->kind != QN_IDS_STRINGS)
    return QN_MAX_NUMBER_TEXT;
  return ids->string_offsets[vertex + 1] - ids->string_offsets[vertex];
}

static char *put_id(char *p, const struct qn_ids *ids, uint64_t vertex) {
  if (ids->kind != QN_IDS_STRINGS)
    return qn_put_u64(p, ids->kind == QN_IDS_NUMBERS ? ids->numbers[vertex] : vertex);
  uint64_t length = id_room(ids, vertex);
  memcpy(p, ids->string_bytes + ids->string_offsets[vertex], length);
  return p + length;
}

static char *put_whole(char *p, uint64_t value, bool none) {
  if (!none)
    return qn_put_u64(p, value);
  memcpy(p, "inf", 3);
  return p + 3;
}

static char *put_number(char *p, const struct qn_run_result *result, uint64_t vertex) {
  switch (result->type) {
  case QN_RESULT_U32: {
    uint32_t value = ((const uint32_t *)result->values)[vertex];
    return put_whole(p, value, value == UINT32_MAX);
  }
  case QN_RESULT_U64: {
    uint64_t value = ((const uint64_t *)result->values)[vertex];
    return put_whole(p, value, value == UINT64_MAX);
  }
  case QN_RESULT_F32:
    return p +
           snprintf(p, QN_MAX_NUMBER_TEXT, "%.9g", (double)((const float *)result->values)[vertex]);
  default:
    return p + snprintf(p, QN_MAX_NUMBER_TEXT, "%.17g", ((const double *)result->values)[vertex]);
  }
}

/* The line of one vertex: its id, and its value or the id of the vertex that is its value. */
static void format_line(const struct job *job, uint64_t vertex, struct qn_text_buffer *buffer) {
  const struct qn_ids *ids = &job->input->ids;
  const struct qn_run_result *result = &job->run->result;
  bool is_vertex = job->run->kernel->traits & QN_KERNEL_VERTICES;
  uint64_t other =
      is_vertex ? vertex_at(job->input, ((const uint32_t *)result->values)[vertex]) : 0;
  uint64_t room = id_room(ids, vertex) + 2 + (is_vertex ? id_room(ids, other) : QN_MAX_NUMBER_TEXT);
  char *p = qn_text_buffer_reserve(buffer, room);
  if (!p)
    return;
  p = put_id(p, ids, vertex);
  *p++ = '\t';
  p = is_vertex ? put_id(p, ids, other) : put_number(p, result, vertex);
  *p++ = '\n';
  qn_text_buffer_advance(buffer, p);
}

static void format_part(const void *context, uint64_t part, struct qn_text_buffer *buffer) {
  const struct job *job = context;
  uint64_t begin = part * PART_VERTICES, end = begin + PART_VERTICES;
  for (uint64_t i = begin; i < end && i < job->run->result.num_values && !buffer->status; i++)
    format_line(job, vertex_at(job->input, i), buffer);
}

/* ---- Arrays ------------------------------------------------------------------------------ */

static enum qn_status write_npy(struct qn_text_output *output, const struct qn_run_input *input,
                                const struct qn_run_result *result, struct qn_error *error) {
  static const char *const types[] = {[QN_RESULT_U32] = "<u4",
                                      [QN_RESULT_U64] = "<u8",
                                      [QN_RESULT_F32] = "<f4",
                                      [QN_RESULT_F64] = "<f8"};
  char header[QN_NPY_HEADER_BYTES], shape[32], *ordered;
  uint64_t bytes = qn_result_bytes(result->type), total = result->num_values * bytes;
  snprintf(shape, sizeof shape, "(%" PRIu64 ",)", result->num_values);
  qn_npy_header(header, types[result->type], shape);
  enum qn_status status = qn_text_output_write(output, header, sizeof header, error);
  if (status)
    return status;
  if (!input->order)
    return qn_text_output_write(output, result->values, total, error);
  status = qn_pages_alloc(&ordered, result->num_values, bytes, "values in original order", error);
  if (status)
    return status;
#pragma omp parallel for schedule(static)
  for (uint64_t i = 0; i < result->num_values; i++)
    memcpy(ordered + i * bytes, (const char *)result->values + input->order[i] * bytes, bytes);
  status = qn_text_output_write(output, ordered, total, error);
  qn_pages_free(ordered, result->num_values, bytes);
  return status;
}

enum qn_status qn_values_write(struct qn_text_output *output, enum qn_values_form form,
                               const struct qn_run_input *input, const struct qn_run *run,
                               struct qn_error *error) {
  const struct job job = {input, run};
  uint64_t num_parts = (run->result.num_values + PART_VERTICES - 1) / PART_VERTICES;
  if (form == QN_VALUES_NPY)
    return write_npy(output, input, &run->result, error);
  return qn_text_output_parts(output, num_parts, format_part, &job, error);
}

enum qn_values_form qn_values_form_of(const char *path) {
  const size_t length = strlen(path);
  return length > 4 && strcmp(path + length - 4, ".npy") == 0 ? QN_VALUES_NPY : QN_VALUES_LINES;
}
