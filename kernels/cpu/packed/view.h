/* Packed rows as the CPU's engine sees them (loop/state.h). Template: needs a completed program. */
#pragma once

#include <omp.h>

#include "formats/layouts/packed_tile.h"
#include "kernels/engine.h"
#include "kernels/work_division/packed_units.h"
#include <quern/packed.h>

/* Do frontier programs combine into the value itself? A search by levels tells them apart. */
#define PACKED_IN_PLACE (PROGRAM_IN_PLACE && !PROGRAM_FIRST_SUFFICES)

struct packed_graph {
  const struct qn_packed *packed;
  uint32_t *degrees; /* [V], or NULL where nobody asks */
};
typedef struct packed_graph engine_view;

static inline uint64_t engine_out_degree(const engine_view *view, uint64_t vertex) {
  return view->degrees[vertex];
}

struct engine_walk {
  struct packed_graph graph;
  const struct qn_packed_rows *rows; /* that the run walks, or this step, */
  bool pulls;                        /* and whether they are in-edges */
  /* In-edges and out-edges of which each step chooses (FIRST_SUFFICES); or NULL: */
  const struct qn_packed_rows *in, *out;
  struct qn_packed_tile *tiles; /* one a thread */
  /* Tiles that a step with few senders pushes from, each once, where out-edges are pushed along: */
  uint64_t num_listed;
  uint64_t num_tiles;   /* T of out-edges */
  uint64_t *listed;     /* [T] */
  uint64_t *are_listed; /* [T / 64 + 1] bits */
  unsigned num_threads;
  /* Of all-active programs: */
  program_accumulator *sums; /* [V] identity between iterations */
  uint32_t *bases;           /* [QN_PACKED_RANGE] a thread: what a row's columns are relative to */
  /* Of the first row of each tile, which may have begun in another: */
  uint64_t num_heads;         /* T of the rows that are pulled along */
  program_accumulator *heads; /* [T] */
  uint8_t *head_received;     /* [T] in frontier programs */
};

/* The rows that are pushed along; NULL: each step pulls. */
static inline const struct qn_packed_rows *walk_pushed_rows(const struct engine_walk *walk) {
  return walk->in ? walk->out : walk->pulls ? NULL : walk->rows;
}

/* The thread's tile, decoded. */
static inline const struct qn_packed_tile *walk_decode(const struct engine_walk *walk,
                                                       uint64_t number) {
  struct qn_packed_tile *tile = &walk->tiles[omp_get_thread_num()];
  qn_packed_decode(walk->rows, number, tile);
  return tile;
}

/* The weights of a tile's edges, counted as its columns are: those of the thread's tile. */
static inline struct qn_weights walk_weights(const struct engine_walk *walk,
                                             const struct qn_packed_tile *tile) {
  const struct qn_packed_rows *rows = walk->rows;
  struct qn_weights weights = rows->weights;
  if (weights.data) {
    weights.data = (const char *)weights.data + tile->first_edge * qn_weight_bytes(weights.type);
  } else if (PROGRAM_USES_WEIGHTS && rows->codes.kind != QN_PACKED_PLAIN) {
    uint64_t *loaded = walk->tiles[omp_get_thread_num()].weights;
    qn_packed_load_weights(rows, tile->first_edge, tile->num_edges, loaded);
    weights.data = loaded;
  }
  return weights;
}
