/* What the parts of a set have on the device. */
#pragma once

#include "kernels/cuda/edges/combine.cuh"
#include "kernels/cuda/rows/row_units.cuh"

namespace {

struct engine_device {
  struct row_tables rows;         /* of all parts that this process walks */
  bool rows_send;                 /* in this iteration, along their edges; else they gather */
  program_accumulator *row_parts; /* sums of hubs' parts, if all vertices are active */
  const uint64_t *out_degrees;    /* [V], if the program uses out-degrees */
};

QN_DEVICE_INLINE uint64_t engine_out_degree(const struct engine_device &device, uint32_t vertex) {
  return device.out_degrees[vertex];
}

} /* namespace */
