/* Rows of a column of fixed width that were read of late, in memory whose size is given: a row has
 * 8 places where it may be, and takes that of one which nobody asked for since. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <quern/error.h>

#define QN_CACHE_WAYS 8

struct qn_row_cache {
  uint64_t num_sets, row_bytes;
  uint64_t *rows;  /* [num_sets][QN_CACHE_WAYS] and one more; 0: none */
  uint8_t *asked;  /* the same: since it was last passed over; by __atomic functions */
  uint8_t *hands;  /* [num_sets] the next to be passed over */
  uint8_t *locks;  /* [num_sets] by __atomic functions */
  uint8_t *values; /* [num_sets][QN_CACHE_WAYS][row_bytes] */
};

/* One of at most `bytes`, which may be too few for any row. Release it, zeroed ones too. */
enum qn_status qn_row_cache_create(struct qn_row_cache *cache, uint64_t bytes, uint64_t row_bytes,
                                   uint64_t num_rows, struct qn_error *error);
void qn_row_cache_release(struct qn_row_cache *cache);
/* What it takes in all. */
uint64_t qn_row_cache_bytes(const struct qn_row_cache *cache);

/* A row that is there, or NULL. Several threads may look, or add, at a time. */
const uint8_t *qn_row_cache_find(const struct qn_row_cache *cache, uint64_t row);
void qn_row_cache_add(struct qn_row_cache *cache, uint64_t row, const void *value);
