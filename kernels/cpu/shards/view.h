/* Shards as the CPU's engine sees them (loop/state.h). Template: needs a completed program. */
#pragma once

#include "kernels/cpu/shards/chunks.h"
#include "kernels/engine.h"
#include <quern/shards.h>

typedef struct qn_shards engine_view;

static inline uint64_t engine_out_degree(const engine_view *view, uint64_t vertex) {
  return view->out.row_offsets[vertex + 1] - view->out.row_offsets[vertex];
}

/* Accumulators of the rows that a chunk cuts, and whether they received anything. */
struct chunk_replicas {
  program_accumulator first, last;
  bool first_received, last_received;
};

struct engine_walk {
  struct qn_sh_chunks chunks;
  struct chunk_replicas *replicas; /* [num_chunks] */
};
