/* Rows of a column of fixed width, collected by their numbers: from memory, or from the file that
 * is mapped there, without mapping more of it. */
#pragma once

#include <pthread.h>

#include "formats/properties/row_cache.h"

struct qn_row_source {
  const uint8_t *values; /* [num_rows][row_bytes], mapped or not */
  uint64_t num_rows, row_bytes;
  uint64_t line_bytes; /* of a line: rows that are read, and cached, together */
  /* Where they are read; -1: in memory. */
  int descriptor, unbuffered; /* the same file, or -1 */
  uint64_t offset;
  bool ring; /* is there io_uring? */
  struct qn_row_cache cache;
  uint64_t found, read, bytes; /* rows in the cache, rows of the file, bytes that were read */
  pthread_mutex_t lock;        /* of one gathering at a time from the file */
};

/* A source of `values`. With `from_file` they are read where they lie in the file, if they do, as
 * many together as `line_bytes` hold, one at least, and a cache of at most `cache_bytes` keeps what
 * is asked for more than once. Destroy it. */
enum qn_status qn_row_source_create(struct qn_row_source *source, const void *values,
                                    uint64_t num_rows, uint64_t row_bytes, uint64_t line_bytes,
                                    bool from_file, uint64_t cache_bytes, struct qn_error *error);
/* One that is not of anything, which may be destroyed. */
void qn_row_source_clear(struct qn_row_source *source);
void qn_row_source_destroy(struct qn_row_source *source);

/* Copy the rows `numbers` [count] to `out` [count][row_bytes], by all threads. QN_USAGE: there is
 * no such row. QN_SYSTEM: the file cannot be read, or was cut. */
enum qn_status qn_rows_gather(struct qn_row_source *source, const int64_t *numbers, uint64_t count,
                              void *out, struct qn_error *error);

/* The same of a source in memory by the calling thread alone, in no parallel region. */
enum qn_status qn_rows_copy(const struct qn_row_source *source, const int64_t *numbers,
                            uint64_t count, void *out, struct qn_error *error);

/* What that does of rows that there are, where they are in a file. */
enum qn_status qn_rows_read(struct qn_row_source *source, const int64_t *numbers, uint64_t count,
                            uint8_t *out, struct qn_error *error);
