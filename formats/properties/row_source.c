#include "formats/properties/row_source.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support/system/guarded_reads.h"
#include "support/system/read_ring.h"
#include "support/used_files.h"

/* Bytes that a thread copies at a time; how far ahead, and how much of a row, is fetched. */
#define PIECE_BYTES ((uint64_t)65536)
#define AHEAD 8
#define MOST_LINES 8

/* ---- Making one ------------------------------------------------------------- */

/* Open the file once more, so that its pages are not kept twice; if that cannot be, -1. */
static int open_unbuffered(int descriptor) {
#ifdef O_DIRECT
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  return open(path, O_RDONLY | O_CLOEXEC | O_DIRECT);
#else
  (void)descriptor;
  return -1;
#endif
}

static bool has_ring(void) {
  struct qn_read_ring *ring = qn_read_ring_create(1);
  qn_read_ring_destroy(ring);
  return ring;
}

void qn_row_source_clear(struct qn_row_source *source) {
  *source = (struct qn_row_source){.descriptor = -1, .unbuffered = -1};
  pthread_mutex_init(&source->lock, NULL);
}

enum qn_status qn_row_source_create(struct qn_row_source *source, const void *values,
                                    uint64_t num_rows, uint64_t row_bytes, uint64_t line_bytes,
                                    bool from_file, uint64_t cache_bytes, struct qn_error *error) {
  qn_row_source_clear(source);
  const uint64_t per_line = row_bytes && line_bytes > row_bytes ? line_bytes / row_bytes : 1;
  source->values = values;
  source->num_rows = num_rows;
  source->row_bytes = row_bytes;
  source->line_bytes = per_line * row_bytes;
  if (!from_file || !num_rows ||
      !qn_used_file_holds(values, num_rows * row_bytes, &source->descriptor, &source->offset))
    return QN_OK;
  source->unbuffered = open_unbuffered(source->descriptor);
  source->ring = has_ring();
  return qn_row_cache_create(&source->cache, cache_bytes, source->line_bytes,
                             (num_rows - 1) / per_line + 1, error);
}

void qn_row_source_destroy(struct qn_row_source *source) {
  if (source->unbuffered >= 0)
    close(source->unbuffered);
  qn_row_cache_release(&source->cache);
  pthread_mutex_destroy(&source->lock);
}

/* ---- From memory ------------------------------------------------------------ */

struct copying {
  const struct qn_row_source *source;
  const int64_t *numbers;
  uint64_t begin, end;
  uint8_t *out;
};

static void prefetch(const uint8_t *row, uint64_t bytes) {
  for (uint64_t at = 0; at < bytes && at < MOST_LINES * 64; at += 64)
    __builtin_prefetch(row + at);
}

static void copy(void *argument) {
  const struct copying *copying = argument;
  const uint8_t *values = copying->source->values;
  const uint64_t bytes = copying->source->row_bytes;
  for (uint64_t i = copying->begin; i < copying->end; i++) {
    if (i + AHEAD < copying->end)
      prefetch(values + (uint64_t)copying->numbers[i + AHEAD] * bytes, bytes);
    memcpy(copying->out + i * bytes, values + (uint64_t)copying->numbers[i] * bytes, bytes);
  }
}

static enum qn_status fail_cut(struct qn_error *error) {
  return qn_fail(error, QN_SYSTEM,
                 "the file was cut while it was in use; write a new file and rename it instead");
}

static enum qn_status copy_all(const struct qn_row_source *source, const int64_t *numbers,
                               uint64_t count, uint8_t *out, struct qn_error *error) {
  const uint64_t rows = PIECE_BYTES / source->row_bytes, piece = rows ? rows : 1;
  bool cut = false;
  qn_guard_reads();
#pragma omp parallel for schedule(static) reduction(|| : cut) if (count > piece)
  for (uint64_t begin = 0; begin < count; begin += piece) {
    struct copying copying = {source, numbers, begin, count - begin < piece ? count : begin + piece,
                              out};
    cut = !qn_guarded_read(copy, &copying) || cut;
  }
  return cut ? fail_cut(error) : QN_OK;
}

static enum qn_status no_row(const struct qn_row_source *source, int64_t number,
                             struct qn_error *error) {
  return qn_fail(error, QN_USAGE, "there is not a row %" PRId64 " among %" PRIu64, number,
                 source->num_rows);
}

enum qn_status qn_rows_copy(const struct qn_row_source *source, const int64_t *numbers,
                            uint64_t count, void *out, struct qn_error *error) {
  struct copying copying = {source, numbers, 0, count, out};
  for (uint64_t i = 0; i < count; i++)
    if ((uint64_t)numbers[i] >= source->num_rows)
      return no_row(source, numbers[i], error);
  qn_guard_reads();
  return qn_guarded_read(copy, &copying) ? QN_OK : fail_cut(error);
}

enum qn_status qn_rows_gather(struct qn_row_source *source, const int64_t *numbers, uint64_t count,
                              void *out, struct qn_error *error) {
  uint64_t wrong = UINT64_MAX;
#pragma omp parallel for schedule(static) reduction(min : wrong) if (count > PIECE_BYTES)
  for (uint64_t i = 0; i < count; i++)
    if ((uint64_t)numbers[i] >= source->num_rows && i < wrong)
      wrong = i;
  if (wrong != UINT64_MAX)
    return no_row(source, numbers[wrong], error);
  if (source->descriptor < 0)
    return copy_all(source, numbers, count, out, error);
  pthread_mutex_lock(&source->lock);
  enum qn_status status = qn_rows_read(source, numbers, count, out, error);
  pthread_mutex_unlock(&source->lock);
  return status;
}
