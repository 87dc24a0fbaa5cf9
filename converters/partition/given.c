#include "converters/partition/given.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "formats/text/text_fields.h"
#include "formats/text/text_numbers.h"
#include "formats/vertices/number_file.h"
#include "support/input/input.h"
#include "support/memory.h"

/* ---- Lines ------------------------------------------------------------------ */

struct reader {
  uint64_t num_vertices, num_parts, found;
  uint32_t *parts;
};

static const char *trim(const char *begin, const char *end) {
  while (end > begin && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
    end--;
  return end;
}

static enum qn_status take_line(void *context, const char *begin, const char *end,
                                struct qn_error *error) {
  struct reader *reader = context;
  char quoted[QN_QUOTE_BYTES];
  uint64_t part;
  begin = qn_skip_blanks(begin, end);
  end = trim(begin, end);
  if (begin == end)
    return QN_OK;
  if (qn_parse_whole(begin, end, &part) != QN_NUMBER_FINE || part >= reader->num_parts)
    return qn_fail(error, QN_INVALID, "expected a part from 0 to %" PRIu64 ", found %s",
                   reader->num_parts - 1, qn_text_quote(begin, end, quoted));
  if (reader->found == reader->num_vertices)
    return qn_fail(error, QN_INVALID, "there are more parts than the %" PRIu64 " vertices",
                   reader->num_vertices);
  reader->parts[reader->found++] = (uint32_t)part;
  return QN_OK;
}

static enum qn_status read_text(const char *path, uint64_t num_vertices, uint64_t num_parts,
                                uint32_t *parts, struct qn_error *error) {
  struct reader reader = {.num_vertices = num_vertices, .num_parts = num_parts, .parts = parts};
  struct qn_input *input = NULL;
  enum qn_status status = qn_input_open(path, &QN_INPUT_DEFAULTS, &input, error);
  if (!status)
    status = qn_text_each_line(input, take_line, &reader, error);
  qn_input_close(input);
  if (!status && reader.found < num_vertices)
    status = qn_fail(error, QN_INVALID,
                     "there are %" PRIu64 " parts, and %" PRIu64 " vertices: expected a line each",
                     reader.found, num_vertices);
  return status;
}

/* ---- Arrays ----------------------------------------------------------------- */

static enum qn_status read_array(const char *path, const struct qn_ids *ids, uint64_t num_parts,
                                 uint32_t *parts, struct qn_error *error) {
  double *numbers;
  enum qn_status status =
      qn_pages_alloc(&numbers, ids->num_vertices, sizeof *numbers, "parts of vertices", error);
  if (!status)
    status = qn_numbers_read(path, ids, numbers, error);
  for (uint64_t v = 0; v < ids->num_vertices && !status; v++) {
    if (numbers[v] >= 0 && numbers[v] < (double)num_parts && numbers[v] == floor(numbers[v]))
      parts[v] = (uint32_t)numbers[v];
    else
      status = qn_fail(error, QN_INVALID, "expected parts from 0 to %" PRIu64 ", found %g",
                       num_parts - 1, numbers[v]);
  }
  qn_pages_free(numbers, ids->num_vertices, sizeof *numbers);
  return status;
}

static bool is_array(const char *path) {
  static const char end[] = ".npy";
  const size_t length = strlen(path), wanted = strlen(end);
  return length > wanted && strcmp(path + length - wanted, end) == 0;
}

enum qn_status qn_partition_read(const char *path, const struct qn_ids *ids, uint64_t num_parts,
                                 uint32_t *parts, struct qn_error *error) {
  enum qn_status status = is_array(path)
                              ? read_array(path, ids, num_parts, parts, error)
                              : read_text(path, ids->num_vertices, num_parts, parts, error);
  return status && !error->file[0] ? qn_error_in_file(error, path) : status;
}

enum qn_status qn_partition_check(const uint32_t *parts, uint64_t count, uint64_t num_parts,
                                  struct qn_error *error) {
  for (uint64_t v = 0; v < count; v++)
    if (parts[v] >= num_parts)
      return qn_fail(error, QN_INVALID,
                     "vertex %" PRIu64 " is in part %" PRIu32 ", and there are %" PRIu64 " parts",
                     v, parts[v], num_parts);
  return QN_OK;
}
