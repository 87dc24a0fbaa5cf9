/* A set of blocks that is built. Internal to this folder. */
#pragma once

#include "converters/blocks/build.h"
#include "converters/blocks/numbering.h"
#include "converters/blocks/spill.h"

struct qn_blocks {
  const struct qn_blocks_job *job;
  struct qn_build_job sender; /* of the list: the weights' type, and the ledger */
  struct qn_numbering numbering;
  struct qn_set *set;
  struct qn_set_writer *writer;
  uint64_t width;    /* of a range of vertices */
  uint64_t num_cuts; /* ranges */
  bool directed;
  bool turned;                  /* rows have the edges into their vertex */
  struct qn_block_spill *edges; /* by blocks, as rows.h takes them */
};

/* All edges of the list to their blocks (spread.c). */
enum qn_status qn_blocks_spread(struct qn_blocks *blocks, const struct qn_list_source *source,
                                struct qn_error *error);
