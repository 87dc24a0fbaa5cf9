/* Rows of packed blocks, made a slice at a time while they are walked: memory holds those of one
 * slice, not of a block. A slice is some rows of a block; the blocks of the same rows have the same
 * slices, which follow one another, so that kernels see parts of fewer rows (kernels/set_view.h).
 */
#pragma once

#include <quern/packed.h>

#include "formats/set/set.h"
#include "kernels/set_view.h"

/* Of which part, and its first row there. */
struct qn_set_slice {
  uint64_t part, first;
};

struct qn_set_slices {
  uint64_t count;
  struct qn_part_rows *rows;   /* [count] */
  struct qn_set_slice *places; /* [count] */
  struct qn_packed *packed;    /* [num_parts] */
  uint64_t num_parts;
  struct qn_csr csr; /* the rows of the slice that is walked; else empty */
  /* Room for the rows of any slice. */
  uint64_t step; /* rows of a slice, but of the last one of a part */
  uint64_t most_rows, most_edges;
  enum qn_weight_type weight_type;
  uint64_t *offsets;
  uint32_t *columns;
  void *weights;
  struct qn_packed_tile *tiles; /* of each thread */
};

/* Of the parts of a set, which are packed, whose rows are `rows`; slices are to take about `memory`
 * bytes at most. Owned until free, for which
 * zeroed ones are allowed. */
enum qn_status qn_set_slices_create(const struct qn_set_open_part *parts,
                                    const struct qn_part_rows *rows, uint64_t num_parts,
                                    uint64_t memory, struct qn_set_slices *slices,
                                    struct qn_error *error);
void qn_set_slices_free(struct qn_set_slices *slices);

/* Make the rows of a slice; they are there until they are dropped. QN_SYSTEM if the file has been
 * changed. */
enum qn_status qn_set_slice_make(struct qn_set_slices *slices, uint64_t index,
                                 struct qn_error *error);
void qn_set_slice_drop(struct qn_set_slices *slices);
