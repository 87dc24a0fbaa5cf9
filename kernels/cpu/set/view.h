/* Parts of a set as the CPU's engine sees them (loop/state.h). Template: needs a completed program.
 */
#pragma once

#include "kernels/engine.h"
#include "kernels/set_view.h"
#include "kernels/work_division/chunks.h"
#include "support/temp_file.h"

/* In temporary files, where memory is limited: a walk by blocks needs few of them at a time. */
#define engine_alloc qn_bulk_alloc

typedef struct qn_set_view engine_view;

static inline uint64_t engine_out_degree(const engine_view *view, uint64_t vertex) {
  return qn_degree_of(&view->out_degrees, vertex);
}

struct engine_walk {
  struct qn_row_chunks *chunks; /* [num_parts] of each part's rows, counted from its first */
  uint64_t *filled_bits;        /* of the rows of all parts, one after the other */
  uint64_t **filled; /* [num_parts] of each part's rows; NULL: all are walked (filled.h) */
  const struct qn_set_block *block; /* walked instead, where ranks form a grid, else NULL */
  struct qn_row_chunks block_chunks;
};
