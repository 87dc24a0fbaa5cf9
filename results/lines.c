#include "results/lines.h"

#include <stdio.h>
#include <string.h>

#include "formats/text/quoted_names.h"
#include "formats/text/text_format.h"
#include "results/labels.h"
#include "results/values.h"

/* Vertices whose lines are formatted at a time. */
#define PART_VERTICES ((uint64_t)1 << 13)

struct job {
  const struct qn_labels *labels;
  const struct qn_algorithm *algorithm;
  const struct qn_run_result *result;
  uint64_t begin, end; /* the values that are written, in original order */
  bool are_vertices;   /* the values */
  char separator;
  bool plain; /* no name is quoted */
};

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

/* The vertex that is a value, in original order; UINT64_MAX: none. */
static uint64_t position_at(const struct qn_run_result *result, uint64_t place) {
  if (result->type == QN_RESULT_U64)
    return ((const uint64_t *)result->values)[place];
  const uint32_t position = ((const uint32_t *)result->values)[place];
  return position == UINT32_MAX ? UINT64_MAX : position;
}

/* `place` is where the values lie, in each column. */
static void format_line(const struct job *job, uint64_t vertex, uint64_t place,
                        struct qn_text_buffer *buffer) {
  const struct qn_ids *ids = job->labels->ids;
  const struct qn_run_result *result = job->result;
  const uint32_t columns = qn_result_width(result);
  const uint64_t position = job->are_vertices ? position_at(result, place) : 0;
  if (position == UINT64_MAX)
    return;
  uint64_t other = job->are_vertices ? qn_vertex_at(job->labels, position) : 0;
  const uint32_t *others = qn_result_others(result);
  uint64_t room =
      qn_id_room(ids, vertex) + 3 + (others ? qn_id_room(ids, others[place]) : 0) +
      (job->are_vertices ? qn_id_room(ids, other) : (uint64_t)columns * (QN_MAX_NUMBER_TEXT + 1));
  char *p = qn_text_buffer_reserve(buffer, room);
  if (!p)
    return;
  p = qn_put_id(p, job->labels->ids, vertex, job->separator, job->plain);
  if (others) {
    *p++ = job->separator;
    p = qn_put_id(p, job->labels->ids, others[place], job->separator, job->plain);
  }
  for (uint64_t column = 0; column < columns; column++) {
    *p++ = job->separator;
    p = job->are_vertices ? qn_put_id(p, job->labels->ids, other, job->separator, job->plain)
                          : put_number(p, result, column * result->num_values + place);
  }
  *p++ = '\n';
  qn_text_buffer_advance(buffer, p);
}

static void format_part(const void *context, uint64_t part, struct qn_text_buffer *buffer) {
  const struct job *job = context;
  const uint32_t *vertices = qn_result_vertices(job->result);
  uint64_t begin = job->begin + part * PART_VERTICES, end = begin + PART_VERTICES;
  for (uint64_t i = begin; i < end && i < job->end && !buffer->status; i++) {
    const uint64_t vertex = vertices ? vertices[i] : qn_vertex_at(job->labels, i);
    format_line(job, vertex, vertices ? i : vertex, buffer);
  }
}

/* NULL: it is called by its source. */
static const char *title_of(const struct job *job, uint32_t column) {
  if (job->result->shape != QN_SHAPE_COLUMNS)
    return job->algorithm->name;
  const struct qn_result_columns *columns = &job->result->columns;
  return columns->names ? columns->names[column] : NULL;
}

static uint64_t title_room(const struct job *job, uint32_t column) {
  const char *title = title_of(job, column);
  return title ? strlen(title) : qn_id_room(job->labels->ids, job->result->columns.sources[column]);
}

static char *put_title(char *p, const struct job *job, uint32_t column) {
  const char *title = title_of(job, column);
  return title ? stpcpy(p, title)
               : qn_put_id(p, job->labels->ids, job->result->columns.sources[column],
                           job->separator, job->plain);
}

/* A column is called after its source, where there are several, or has a name. */
static void format_header(const void *context, uint64_t part, struct qn_text_buffer *buffer) {
  const struct job *job = context;
  const uint32_t columns = qn_result_width(job->result);
  (void)part;
  char *p = qn_text_buffer_reserve(buffer, 16);
  if (!p)
    return;
  p = stpcpy(p, "id");
  if (qn_result_others(job->result))
    p = stpcpy(stpcpy(p, (char[]){job->separator, '\0'}), "other");
  qn_text_buffer_advance(buffer, p);
  for (uint32_t column = 0; column < columns && !buffer->status; column++) {
    p = qn_text_buffer_reserve(buffer, title_room(job, column) + 2);
    if (!p)
      return;
    *p++ = job->separator;
    qn_text_buffer_advance(buffer, put_title(p, job, column));
  }
  p = qn_text_buffer_reserve(buffer, 1);
  if (p) {
    *p++ = '\n';
    qn_text_buffer_advance(buffer, p);
  }
}

enum qn_status qn_result_lines_write(struct qn_text_output *output, char separator,
                                     const struct qn_labels *labels,
                                     const struct qn_algorithm *algorithm,
                                     const struct qn_run_result *result,
                                     const struct qn_part_rows *rows, struct qn_error *error) {
  bool csv = separator == ',';
  const struct job job = {.labels = labels,
                          .algorithm = algorithm,
                          .result = result,
                          .begin = rows ? rows->begin : 0,
                          .end = rows ? rows->end : result->num_values,
                          .are_vertices = algorithm->values & QN_VALUES_VERTICES,
                          .separator = separator,
                          .plain = !csv || qn_names_are_plain(labels->ids, separator)};
  uint64_t num_parts = (job.end - job.begin + PART_VERTICES - 1) / PART_VERTICES;
  enum qn_status status = csv ? qn_text_output_parts(output, 1, format_header, &job, error) : QN_OK;
  return status ? status : qn_text_output_parts(output, num_parts, format_part, &job, error);
}
