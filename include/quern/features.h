/* Features for training: rows of a property, collected by their numbers.
 *
 *   struct qn_features_shape shape = {.size = sizeof shape, .session = session, .name = "x"};
 *   if (qn_features_open(&shape, NULL, &features, &error)) ...
 *   if (qn_features_gather(features, numbers, count, NULL, out, &error)) ...
 *   qn_features_close(features);
 *
 * They come from the mapping, by all threads, or, of what is larger than memory, by reads of the
 * file, many at a time (by io_uring where the system allows it), beside a cache of rows that are
 * asked for often. Values are as they are stored, f16 and bf16 too; of nulls 0. A file that is cut
 * meanwhile is QN_SYSTEM, and raises no signal (see sample.h). */
#ifndef QUERN_FEATURES_H
#define QUERN_FEATURES_H

#include <stdbool.h>
#include <stdint.h>

#include <quern/error.h>
#include <quern/job.h>
#include <quern/session.h>

#ifdef __cplusplus
extern "C" {
#endif

struct qn_features;

struct qn_features_shape {
  uint64_t size;              /* sizeof(struct qn_features_shape), set before the call */
  struct qn_session *session; /* may be closed before the features */
  const char *name;           /* of the property: numbers, dates, times or vectors of them */
  bool of_edges;
  bool from_file; /* read it instead of mapping it, if it is in a file, which has no stripes */
  uint64_t cache_bytes; /* of that, for rows that are asked for often, at most */
};

/* QN_USAGE: there is no such property, or it is one of texts. */
enum qn_status qn_features_open(const struct qn_features_shape *shape, struct qn_features **out,
                                struct qn_error *error);
/* NULL is allowed. */
void qn_features_close(struct qn_features *features);

/* Copy the rows `numbers` [count] to `out` [count][row_bytes]. QN_USAGE: there is no such row.
 * Calls on one from_file wait for one another. They read with 32 threads unless the job says how
 * many. */
enum qn_status qn_features_gather(struct qn_features *features, const int64_t *numbers,
                                  uint64_t count, const struct qn_job *job, void *out,
                                  struct qn_error *error);

struct qn_features_info {
  uint64_t size; /* sizeof(struct qn_features_info), set before the call */
  uint64_t num_rows, row_bytes;
  const char *how; /* "memory", "io_uring" or "pread"; static */
  uint64_t cache_bytes;
  uint64_t rows_found, rows_read; /* so far: in the cache, and in the file, */
  uint64_t bytes_read;            /* of which so much was read */
};
void qn_features_info(const struct qn_features *features, struct qn_features_info *info);

#ifdef __cplusplus
}
#endif
#endif
