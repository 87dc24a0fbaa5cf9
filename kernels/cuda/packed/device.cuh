/* Packed rows in device memory. Needs a completed program. */
#ifndef QN_KERNELS_CUDA_PACKED_DEVICE_CUH
#define QN_KERNELS_CUDA_PACKED_DEVICE_CUH

#include "kernels/cuda/device/block.cuh"
#include "kernels/cuda/device/memory.cuh"
#include "kernels/engine.h"
#include <quern/packed.h>

namespace {

/* Of one direction. */
struct packed_tiles {
  uint64_t num_vertices, num_tiles;
  const uint32_t *rows;      /* [T + 1] */
  const uint64_t *edges;     /* [T + 1] */
  const uint64_t *starts;    /* [T + 1] */
  const uint32_t *words;     /* NULL if they are streamed */
  struct qn_weights weights; /* their type alone if they are streamed */
};

struct engine_device {
  struct packed_tiles tiles;  /* of in-edges where all vertices are active, else of out-edges */
  struct packed_tiles below;  /* of in-edges where some vertices are, or no words */
  const uint32_t *unit_tiles; /* [units + 1] if they are streamed */
  const uint32_t *degrees;    /* [V] if the program uses out-degrees */
  program_accumulator *heads; /* all active: [T] of the first row of each tile */
  unsigned long long *edges;  /* of active vertices, where it is asked for */
};

QN_DEVICE_INLINE uint64_t engine_out_degree(const struct engine_device &device, uint32_t vertex) {
  return device.degrees[vertex];
}

} /* namespace */

#endif
