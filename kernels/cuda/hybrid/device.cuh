/* The hybrid layout in device memory. Needs a completed program. */
#pragma once

#include "kernels/cuda/edges/edge_tiles.cuh"
#include "kernels/cuda/edges/row_queue.cuh"
#include "kernels/cuda/rows/row_units.cuh"
#include <quern/hybrid.h>

namespace {

/* Must the device know the vertex of every entry of the COO part, and not only where the entries of
 * each begin? A search asks it whether the vertex is still open. Where a program combines in place,
 * nothing collected and the identity are the same; in other frontier programs bits tell. */
#define HYBRID_ENTRY_ROWS                                                                          \
  (PROGRAM_SCHEDULE == QN_FRONTIER && (PROGRAM_FIRST_SUFFICES || !PROGRAM_IN_PLACE))

/* Entry k of row v at [k x pitch + v]: the threads of a warp, a row each, read neighbours. */
struct hybrid_ell {
  const uint32_t *columns;
  struct qn_weights weights;
  uint64_t pitch;
  uint64_t width;
};

/* The ELL part of a streamed run, cut into slices of its rows. */
struct hybrid_slices {
  uint64_t count;
  uint64_t num_rows; /* of a slice but for the last, which may have fewer */
  uint64_t width, pitch;
  uint32_t num_vertices;
  enum qn_weight_type weight_type;
};

/* The matrix of in-edges. */
struct engine_device {
  struct hybrid_ell ell;
  struct edge_tiles coo;       /* of the entries of the COO part */
  const uint32_t *coo_rows;    /* [N] HYBRID_ENTRY_ROWS: the vertex of every entry */
  const uint32_t *out_degrees; /* [V], if the program uses them */
  struct qn_csr out;           /* frontier programs, where there are out-edges */
  struct qn_unit_queue queue;
  qn_queue_size *queued;
  struct hybrid_slices slices; /* from here on: if it is streamed (streamed.cuh) */
  struct row_tables rows;      /* of the COO part, whose vertices are coo.row_ids */
  program_accumulator *row_parts;
  tile_partial *row_sums;
  bool rows_send; /* these are the out-edges */
};

QN_DEVICE_INLINE uint64_t engine_out_degree(const struct engine_device &device, uint32_t vertex) {
  return device.out_degrees[vertex];
}

/* All-active programs where all is resident (pull.cuh). */
struct pull_layout {
  struct engine_device device;
  tile_partial *rests; /* [V] what a row's COO part came to; the identity, always, if it has none */
};

QN_DEVICE_INLINE uint64_t pull_layout_out_degree(const struct pull_layout &layout,
                                                 uint32_t vertex) {
  return engine_out_degree(layout.device, vertex);
}

} /* namespace */
