/* What streamed plain rows (streamed_rows.cuh) have on the device. */
#ifndef QN_KERNELS_CUDA_ROWS_DEVICE_CUH
#define QN_KERNELS_CUDA_ROWS_DEVICE_CUH

#include "kernels/cuda/edges/combine.cuh"
#include "kernels/cuda/rows/row_units.cuh"

namespace {

struct engine_device {
  struct row_tables rows;
  program_accumulator *row_parts;
  const uint64_t *out_offsets; /* [V + 1], if the program uses out-degrees */
};

QN_DEVICE_INLINE uint64_t engine_out_degree(const struct engine_device &device, uint32_t vertex) {
  return device.out_offsets[vertex + 1] - device.out_offsets[vertex];
}

} /* namespace */

#endif
