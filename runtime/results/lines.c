#include "runtime/results/lines.h"

#include <stdio.h>
#include <string.h>

#include "converters/text/quoted_names.h"
#include "converters/text/text_format.h"
#include "runtime/values.h"

/* Vertices whose lines are formatted at a time. */
#define PART_VERTICES ((uint64_t)1 << 13)

struct job {
  const struct qn_run_input *input;
  const struct qn_kernel *kernel;
  const struct qn_run_result *result;
  bool are_vertices; /* the values */
  char separator;
  bool plain; /* no name is quoted */
};

/* Bytes of an id, at most. */
static uint64_t id_room(const struct qn_ids *ids, uint64_t vertex) {
  if (ids->kind != QN_IDS_STRINGS)
    return QN_MAX_NUMBER_TEXT;
  return QN_QUOTED_NAME_ROOM(ids->string_offsets[vertex + 1] - ids->string_offsets[vertex]);
}

static char *put_id(char *p, const struct job *job, uint64_t vertex) {
  const struct qn_ids *ids = &job->input->ids;
  if (ids->kind != QN_IDS_STRINGS)
    return qn_put_u64(p, ids->kind == QN_IDS_NUMBERS ? ids->numbers[vertex] : vertex);
  const char *name = ids->string_bytes + ids->string_offsets[vertex];
  uint64_t length = ids->string_offsets[vertex + 1] - ids->string_offsets[vertex];
  if (!job->plain)
    return qn_put_quoted_name(p, name, length, job->separator);
  memcpy(p, name, length);
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

/* `place` is where the values lie, in each column. */
static void format_line(const struct job *job, uint64_t vertex, uint64_t place,
                        struct qn_text_buffer *buffer) {
  const struct qn_ids *ids = &job->input->ids;
  const struct qn_run_result *result = job->result;
  const uint32_t columns = qn_result_columns(result);
  uint32_t position = job->are_vertices ? ((const uint32_t *)result->values)[place] : 0;
  if (position == UINT32_MAX)
    return;
  uint64_t other = job->are_vertices ? qn_vertex_at(job->input, position) : 0;
  uint64_t room =
      id_room(ids, vertex) + 2 +
      (job->are_vertices ? id_room(ids, other) : (uint64_t)columns * (QN_MAX_NUMBER_TEXT + 1));
  char *p = qn_text_buffer_reserve(buffer, room);
  if (!p)
    return;
  p = put_id(p, job, vertex);
  for (uint64_t column = 0; column < columns; column++) {
    *p++ = job->separator;
    p = job->are_vertices ? put_id(p, job, other)
                          : put_number(p, result, column * result->num_values + place);
  }
  *p++ = '\n';
  qn_text_buffer_advance(buffer, p);
}

static void format_part(const void *context, uint64_t part, struct qn_text_buffer *buffer) {
  const struct job *job = context;
  const uint32_t *listed = job->result->listed;
  uint64_t begin = part * PART_VERTICES, end = begin + PART_VERTICES;
  for (uint64_t i = begin; i < end && i < job->result->num_values && !buffer->status; i++) {
    const uint64_t vertex = listed ? listed[i] : qn_vertex_at(job->input, i);
    format_line(job, vertex, listed ? i : vertex, buffer);
  }
}

/* A column is called after its source, where there are several. */
static void format_header(const void *context, uint64_t part, struct qn_text_buffer *buffer) {
  const struct job *job = context;
  const uint32_t *sources = job->result->column_sources;
  const uint32_t columns = qn_result_columns(job->result);
  (void)part;
  char *p = qn_text_buffer_reserve(buffer, 2);
  if (!p)
    return;
  qn_text_buffer_advance(buffer, mempcpy(p, "id", 2));
  for (uint32_t column = 0; column < columns && !buffer->status; column++) {
    const uint64_t room =
        !sources ? strlen(job->kernel->algorithm) : id_room(&job->input->ids, sources[column]);
    p = qn_text_buffer_reserve(buffer, room + 2);
    if (!p)
      return;
    *p++ = job->separator;
    p = !sources ? mempcpy(p, job->kernel->algorithm, room) : put_id(p, job, sources[column]);
    qn_text_buffer_advance(buffer, p);
  }
  p = qn_text_buffer_reserve(buffer, 1);
  if (p) {
    *p++ = '\n';
    qn_text_buffer_advance(buffer, p);
  }
}

enum qn_status qn_result_lines_write(struct qn_text_output *output, char separator,
                                     const struct qn_run_input *input,
                                     const struct qn_kernel *kernel,
                                     const struct qn_run_result *result, struct qn_error *error) {
  bool csv = separator == ',';
  const struct job job = {.input = input,
                          .kernel = kernel,
                          .result = result,
                          .are_vertices = kernel->traits & QN_KERNEL_VERTICES,
                          .separator = separator,
                          .plain = !csv || qn_names_are_plain(&input->ids, separator)};
  uint64_t num_parts = (result->num_values + PART_VERTICES - 1) / PART_VERTICES;
  enum qn_status status = csv ? qn_text_output_parts(output, 1, format_header, &job, error) : QN_OK;
  return status ? status : qn_text_output_parts(output, num_parts, format_part, &job, error);
}
