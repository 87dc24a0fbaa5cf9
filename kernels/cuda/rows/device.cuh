/* What streamed plain rows (streamed_rows.cuh) have on the device. */
#pragma once

#include "kernels/cuda/edges/combine.cuh"
#include "kernels/cuda/rows/row_units.cuh"
#include "kernels/cuda/stream/rates.cuh"

namespace {

/* Rows of one direction. Edges are counted over all of its units. */
struct needed_side {
  const uint64_t *offsets;   /* [V + 1] on the device; NULL: units are only moved */
  const uint32_t *columns;   /* [E] in pinned host memory */
  struct qn_weights weights; /* the same */
};

/* Rows that are read where they lie (zero_copy.cuh). */
struct zero_copy {
  struct needed_side out, in; /* what vertices send along, and what is sent to them */
  uint32_t first_in;          /* units from this one on are of in-edges alone */
  uint32_t *costs;            /* [units] of reading what an iteration needs; 0: nothing */
  uint32_t *units;            /* [units] whose rows it reads */
  uint32_t *waiting; /* [V / 32 + 1] bits of active vertices, if the program has priorities */
  struct needed_counts *counts;
  struct qn_read_costs bus;
  bool pulls;     /* open vertices look for an active neighbour, */
  uint32_t reach; /* which they are expected to find after so many edges at most */
};

struct engine_device {
  struct row_tables rows;
  struct zero_copy needed;
  program_accumulator *row_parts;
  const uint64_t *out_offsets; /* [V + 1], if the program uses out-degrees */
};

QN_DEVICE_INLINE uint64_t engine_out_degree(const struct engine_device &device, uint32_t vertex) {
  return device.out_offsets[vertex + 1] - device.out_offsets[vertex];
}

} /* namespace */
