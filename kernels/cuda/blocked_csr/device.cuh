/* Blocked CSR on the device. Needs a completed program. */
#pragma once

#include "kernels/cuda/edges/edge_tiles.cuh"
#include "kernels/cuda/rows/row_units.cuh"
#include <quern/blocked_csr.h>

namespace {

struct engine_device {
  struct qn_blocking blocking; /* pull, or push where there is no pull; block bounds on the host */
  struct qn_csr out;           /* plain out-edges, for frontier programs */
  const uint32_t *out_degrees; /* [V] */
  struct edge_tiles tiles;     /* PULLS_BY_TILES: of all blocks' edges */
  tile_partial *partials;      /* [L] of local rows */
  uint8_t *collected;          /* [L] pulls by rows: did the row collect anything? */
  struct qn_unit_queue queue;  /* frontier programs: the active vertices */
  qn_queue_size *queued;
  bool pulls;
  struct row_tables rows; /* if they are streamed */
  program_accumulator *row_parts;
  bool rows_send;
};

QN_DEVICE_INLINE uint64_t engine_out_degree(const struct engine_device &device, uint32_t vertex) {
  return device.out_degrees[vertex];
}

} /* namespace */
