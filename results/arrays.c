#include "results/arrays.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "formats/arrays/npy_header.h"
#include "results/values.h"
#include "support/checked.h"
#include "support/sizes.h"

/* Some hundred KB are formatted at a time. */
#define PART_BYTES ((uint64_t)256 << 10)
/* Names may take so many times their bytes, or so many bytes in all, before an array of them is
 * refused. */
#define MAX_GROWTH 16
#define FEW_BYTES ((uint64_t)1 << 30)

struct array {
  const struct qn_labels *labels;
  const char *elements;     /* of `width` bytes, in vertex order; NULL: the ids */
  const uint32_t *vertices; /* that are there; NULL: all */
  const uint32_t *others;   /* of the second row of ids */
  uint64_t num_values;      /* in a column of `elements`, */
  uint64_t first, length;   /* of which these are written, in original order */
  uint64_t width;
  uint64_t num_columns; /* rows of the array, of `length` elements each */
};

/* ---- Elements ---------------------------------------------------------------------------- */

static char *put_id(char *p, const struct qn_ids *ids, uint64_t vertex, uint64_t width) {
  if (ids->kind != QN_IDS_STRINGS)
    return mempcpy(p, ids->kind == QN_IDS_NUMBERS ? &ids->numbers[vertex] : &vertex, width);
  uint64_t length = ids->string_offsets[vertex + 1] - ids->string_offsets[vertex];
  memcpy(p, ids->string_bytes + ids->string_offsets[vertex], length);
  memset(p + length, 0, width - length);
  return p + width;
}

static uint64_t part_length(const struct array *array) {
  return array->width < PART_BYTES ? PART_BYTES / array->width : 1;
}

/* Of a column. */
static uint64_t num_parts(const struct array *array) {
  return (array->length + part_length(array) - 1) / part_length(array);
}

static void format_part(const void *context, uint64_t part, struct qn_text_buffer *buffer) {
  const struct array *array = context;
  const uint64_t parts = num_parts(array), column = part / parts;
  const char *elements =
      array->elements ? array->elements + column * array->num_values * array->width : NULL;
  uint64_t begin = part % parts * part_length(array), end = begin + part_length(array);
  end = end < array->length ? end : array->length;
  char *p = qn_text_buffer_reserve(buffer, (end - begin) * array->width);
  if (!p)
    return;
  for (uint64_t i = begin; i < end; i++) {
    const uint32_t *vertices = column > 0 && array->others ? array->others : array->vertices;
    const uint64_t vertex = vertices ? vertices[i] : qn_vertex_at(array->labels, array->first + i);
    const uint64_t place = array->vertices ? i : vertex;
    p = array->elements ? mempcpy(p, elements + place * array->width, array->width)
                        : put_id(p, array->labels->ids, vertex, array->width);
  }
  qn_text_buffer_advance(buffer, p);
}

static enum qn_status write_array(struct qn_text_output *output, const char *type,
                                  const struct array *array, struct qn_error *error) {
  char header[QN_NPY_HEADER_BYTES], shape[48];
  if (array->num_columns == 1)
    snprintf(shape, sizeof shape, "(%" PRIu64 ",)", array->length);
  else
    snprintf(shape, sizeof shape, "(%" PRIu64 ", %" PRIu64 ")", array->num_columns, array->length);
  qn_npy_header(header, type, shape);
  enum qn_status status = qn_text_output_write(output, header, sizeof header, error);
  return status ? status
                : qn_text_output_parts(output, array->num_columns * num_parts(array), format_part,
                                       array, error);
}

enum qn_status qn_result_array_write(struct qn_text_output *output, const struct qn_labels *labels,
                                     const struct qn_run_result *result,
                                     const struct qn_part_rows *rows, struct qn_error *error) {
  static const char *const types[] = {[QN_RESULT_U32] = "<u4",
                                      [QN_RESULT_U64] = "<u8",
                                      [QN_RESULT_F32] = "<f4",
                                      [QN_RESULT_F64] = "<f8"};
  const struct array array = {.labels = labels,
                              .elements = result->values,
                              .vertices = qn_result_vertices(result),
                              .num_values = result->num_values,
                              .first = rows ? rows->begin : 0,
                              .length = rows ? rows->end - rows->begin : result->num_values,
                              .width = qn_result_bytes(result->type),
                              .num_columns = qn_result_width(result)};
  return write_array(output, types[result->type], &array, error);
}

/* ---- Ids --------------------------------------------------------------------------------- */

/* A string without bytes has no type in NumPy. */
static uint64_t longest_name(const struct qn_ids *ids) {
  uint64_t longest = 1;
#pragma omp parallel for schedule(static) reduction(max : longest)
  for (uint64_t v = 0; v < ids->num_vertices; v++) {
    uint64_t length = ids->string_offsets[v + 1] - ids->string_offsets[v];
    longest = length > longest ? length : longest;
  }
  return longest;
}

enum qn_status qn_id_array_check(const struct qn_ids *ids, struct qn_error *error) {
  uint64_t bytes, longest;
  char size[32];
  if (ids->kind != QN_IDS_STRINGS)
    return QN_OK;
  longest = longest_name(ids);
  if (!qn_mul_u64(longest, ids->num_vertices, &bytes))
    bytes = UINT64_MAX;
  if (bytes <= FEW_BYTES || bytes / MAX_GROWTH <= ids->string_offsets[ids->num_vertices])
    return QN_OK;
  return qn_fail(error, QN_UNSUPPORTED,
                 "an array of the ids would take %s, as the longest name has %" PRIu64
                 " bytes: write text or .csv, or leave the ids out with --no-ids",
                 qn_size_text(bytes, size, sizeof size), longest);
}

enum qn_status qn_id_array_write(struct qn_text_output *output, const struct qn_labels *labels,
                                 const struct qn_run_result *result,
                                 const struct qn_part_rows *rows, struct qn_error *error) {
  const struct qn_ids *ids = labels->ids;
  const uint32_t *vertices = qn_result_vertices(result), *others = qn_result_others(result);
  char type[32] = "<u8";
  struct array array = {.labels = labels,
                        .vertices = vertices,
                        .others = others,
                        .first = rows ? rows->begin : 0,
                        .length = rows       ? rows->end - rows->begin
                                  : vertices ? result->num_values
                                             : ids->num_vertices,
                        .width = sizeof(uint64_t),
                        .num_columns = others ? 2 : 1};
  if (ids->kind == QN_IDS_STRINGS) {
    array.width = longest_name(ids);
    snprintf(type, sizeof type, "|S%" PRIu64, array.width);
  }
  return write_array(output, type, &array, error);
}
