/* The rows of a generation: what it adds to those that are there, and those that it replaces. */
#pragma once

#include "converters/build/build.h"
#include "converters/changes/delta.h"

struct qn_change_rows {
  uint64_t num_rows, num_edges, room, room_rows;
  uint32_t *vertices;
  uint64_t *offsets;
  uint8_t *replaced; /* a byte a row */
  uint32_t *columns;
  uint64_t *weights;       /* their bits; NULL: there are none */
  uint64_t *picks;         /* whose values an edge has (gather.h): source 0 is the base, then come
                              generations, and after these what is added */
  uint64_t fingerprint;    /* of what is added, less that of what is replaced */
  uint64_t added, removed; /* edges stored */
  uint64_t merged;         /* edges added that were there, and were left out or merged: stored */
  uint64_t merged_once, parallel; /* of the edges of an undirected graph, those merged, and those
                                     beside another that was there */
  uint64_t found; /* different edges that were to be removed, and were there: an undirected one
                     counts once */
};

/* Rows of `changed` after its last generation, without the edges of `gone` and with those of
 * `more`, whose weights are `weights` (either may have no rows), by `duplicates`. QN_INVALID where
 * a sum is more than its type holds. Owned until release, also after a failure. */
enum qn_status qn_change_rows_make(const struct qn_changed *changed, enum qn_duplicates duplicates,
                                   const struct qn_delta *gone, const struct qn_delta *more,
                                   const struct qn_weights *weights, struct qn_change_rows *rows,
                                   struct qn_error *error);
void qn_change_rows_release(struct qn_change_rows *rows);
