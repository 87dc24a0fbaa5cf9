/* The hybrid layout in device memory, and how rows of its ELL part are read. Needs a completed
 * program. */
#ifndef QN_KERNELS_CUDA_HYBRID_DEVICE_CUH
#define QN_KERNELS_CUDA_HYBRID_DEVICE_CUH

#include "kernels/cuda/device/load_once.cuh"
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

/* Entries of a row that a thread has in flight. */
constexpr int ELL_ITEMS = PROGRAM_FIRST_SUFFICES ? 4 : 8;

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

/* Entries k, k + 1, ... of a row; padding from its end on. */
QN_DEVICE_INLINE void ell_load(const struct hybrid_ell &ell, uint64_t row, uint64_t k,
                               uint32_t (&columns)[ELL_ITEMS]) {
  QN_UNROLL
  for (int i = 0; i < ELL_ITEMS; i++)
    columns[i] =
        k + i < ell.width ? __ldcs(&ell.columns[(k + i) * ell.pitch + row]) : QN_HYBRID_PADDING;
}

} /* namespace */

#endif
