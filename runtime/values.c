#include "runtime/values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/atomic_file.h"
#include "support/json_text.h"
#include "support/memory.h"
#include "support/threads.h"

/* Lines are formatted in rounds: every thread fills a buffer with the lines of a block of
 * vertices, then writes it where the blocks before it end. */
#define BLOCK_VERTICES ((uint64_t)1 << 15)
/* Room for a number. */
#define VALUE_TEXT 32

struct block {
  char *text;
  uint64_t length, capacity;
  enum qn_status status;
  struct qn_error error;
};

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

json_t *qn_id_json(const struct qn_session *session, uint64_t vertex) {
  char buffer[VALUE_TEXT];
  uint64_t length;
  const char *id = qn_ids_text(&session->ids, vertex, buffer, &length);
  return qn_json_name(id, length);
}

static uint64_t write_digits(char *buffer, uint64_t value) {
  char digits[20];
  uint64_t length = 0;
  do
    digits[length++] = (char)('0' + value % 10);
  while (value /= 10);
  for (uint64_t i = 0; i < length; i++)
    buffer[i] = digits[length - 1 - i];
  return length;
}

static uint64_t whole_text(char *buffer, uint64_t value, bool none) {
  if (!none)
    return write_digits(buffer, value);
  memcpy(buffer, "inf", 3);
  return 3;
}

/* One value as text, not NUL-terminated: into `buffer` (VALUE_TEXT bytes), or, for a vertex with a
 * string id, a pointer into the container. */
static const char *value_text(const struct qn_session *session, const struct qn_run *run,
                              uint64_t vertex, char *buffer, uint64_t *length) {
  const struct qn_run_result *result = &run->result;
  switch (result->type) {
  case QN_RESULT_U32: {
    uint32_t value = ((const uint32_t *)result->values)[vertex];
    if (run->kernel->traits & QN_KERNEL_VERTICES)
      return qn_ids_text(&session->ids, session->order ? session->order[value] : value, buffer,
                         length);
    *length = whole_text(buffer, value, value == UINT32_MAX);
    return buffer;
  }
  case QN_RESULT_U64: {
    uint64_t value = ((const uint64_t *)result->values)[vertex];
    *length = whole_text(buffer, value, value == UINT64_MAX);
    return buffer;
  }
  case QN_RESULT_F32:
    *length = (uint64_t)snprintf(buffer, VALUE_TEXT, "%.9g",
                                 (double)((const float *)result->values)[vertex]);
    return buffer;
  default:
    *length =
        (uint64_t)snprintf(buffer, VALUE_TEXT, "%.17g", ((const double *)result->values)[vertex]);
    return buffer;
  }
}

static enum qn_status append(struct block *block, const char *text, uint64_t length, char end) {
  if (block->length + length + 1 > block->capacity) {
    uint64_t capacity = 2 * (block->capacity + length) + 4096;
    enum qn_status status = qn_realloc(&block->text, capacity, 1, "lines", &block->error);
    if (status)
      return status;
    block->capacity = capacity;
  }
  memcpy(block->text + block->length, text, length);
  block->text[block->length + length] = end;
  block->length += length + 1;
  return QN_OK;
}

static void format_block(const struct qn_session *session, const struct qn_run *run, uint64_t begin,
                         struct block *block) {
  uint64_t end = begin + BLOCK_VERTICES;
  block->length = 0;
  for (uint64_t i = begin; i < end && i < run->result.num_values && !block->status; i++) {
    uint64_t vertex = session->order ? session->order[i] : i, length;
    char buffer[VALUE_TEXT];
    const char *text = qn_ids_text(&session->ids, vertex, buffer, &length);
    block->status = append(block, text, length, '\t');
    if (block->status)
      return;
    text = value_text(session, run, vertex, buffer, &length);
    block->status = append(block, text, length, '\n');
  }
}

static enum qn_status write_lines(struct qn_atomic_file *file, const struct qn_session *session,
                                  const struct qn_run *run, struct qn_error *error) {
  unsigned threads = qn_threads();
  struct block *blocks;
  enum qn_status status = qn_alloc_zeroed(&blocks, threads, sizeof *blocks, "lines", error);
  if (status)
    return status;
  uint64_t offset = 0, round = threads * BLOCK_VERTICES;
  for (uint64_t begin = 0; begin < run->result.num_values && !status; begin += round) {
#pragma omp parallel for schedule(static, 1)
    for (unsigned i = 0; i < threads; i++)
      format_block(session, run, begin + i * BLOCK_VERTICES, &blocks[i]);
    for (unsigned i = 0; i < threads && !status; i++) {
      if (blocks[i].status) {
        *error = blocks[i].error;
        status = blocks[i].status;
      } else {
        status = qn_atomic_file_write(file, blocks[i].text, blocks[i].length, offset, error);
        offset += blocks[i].length;
      }
    }
  }
  for (unsigned i = 0; i < threads; i++)
    qn_free(blocks[i].text);
  qn_free(blocks);
  return status;
}

/* The header is padded with spaces so that the data begins at a multiple of 64 bytes. */
static uint64_t npy_header(char header[128], const struct qn_run_result *result) {
  static const char *const types[] = {[QN_RESULT_U32] = "<u4",
                                      [QN_RESULT_U64] = "<u8",
                                      [QN_RESULT_F32] = "<f4",
                                      [QN_RESULT_F64] = "<f8"};
  memset(header, ' ', 128);
  memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10);
  int length =
      snprintf(header + 10, 118, "{'descr': '%s', 'fortran_order': False, 'shape': (%llu,), }",
               types[result->type], (unsigned long long)result->num_values);
  header[10 + length] = ' ';
  header[127] = '\n';
  return 128;
}

static enum qn_status write_npy(struct qn_atomic_file *file, const struct qn_session *session,
                                const struct qn_run_result *result, struct qn_error *error) {
  char header[128];
  uint64_t bytes = qn_result_bytes(result->type), offset = npy_header(header, result);
  enum qn_status status = qn_atomic_file_write(file, header, offset, 0, error);
  if (status || !session->order)
    return status ? status
                  : qn_atomic_file_write(file, result->values, result->num_values * bytes, offset,
                                         error);
  char *ordered;
  status = qn_pages_alloc(&ordered, result->num_values, bytes, "values in original order", error);
  if (status)
    return status;
#pragma omp parallel for schedule(static)
  for (uint64_t i = 0; i < result->num_values; i++)
    memcpy(ordered + i * bytes, (const char *)result->values + session->order[i] * bytes, bytes);
  status = qn_atomic_file_write(file, ordered, result->num_values * bytes, offset, error);
  qn_pages_free(ordered, result->num_values, bytes);
  return status;
}

enum qn_status qn_values_write(struct qn_atomic_file *file, const struct qn_session *session,
                               const struct qn_run *run, struct qn_error *error) {
  const char *path = qn_atomic_file_path(file);
  size_t length = strlen(path);
  if (length > 4 && strcmp(path + length - 4, ".npy") == 0)
    return write_npy(file, session, &run->result, error);
  return write_lines(file, session, run, error);
}
