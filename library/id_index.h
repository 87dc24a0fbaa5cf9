/* An index of ids that are ascending numbers, by which many are found at once.
 *
 * The range of the ids is cut into about as many buckets of equal width as there are ids, and the
 * index has where each begins: 4 bytes a bucket. Looking one id up reads two of them, and of the
 * ids those of a bucket, where bisecting all ids reads one for each halving. However ids are
 * spread, a bucket is bisected. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <quern/error.h>

struct qn_id_index {
  const uint64_t *numbers; /* borrowed, ascending */
  uint64_t least;
  unsigned shift;       /* a bucket is 2^shift wide */
  uint64_t num_buckets; /* 0: there is no id */
  uint32_t *starts;     /* [num_buckets + 1] */
};

/* Destroy it afterwards. */
enum qn_status qn_id_index_create(struct qn_id_index *index, const uint64_t *numbers,
                                  uint64_t count, struct qn_error *error);
void qn_id_index_destroy(struct qn_id_index *index);

/* The vertices that `count` numbers call; UINT32_MAX where one calls none. Returns the first of
 * these, `count` if there is none. */
uint64_t qn_id_index_find(const struct qn_id_index *index, const uint64_t *numbers, uint64_t count,
                          uint32_t *vertices);
