/* What the engine of slotted pages has on the device. */
#pragma once

#include "kernels/cuda/slotted_pages/device.cuh"
#include "kernels/cuda/sweep/in_place_device.cuh"
#include "kernels/engine.h"

namespace {

struct engine_device {
  struct device_pages pages;
  const uint64_t *degrees; /* of held vertices, by vertex; if the program uses out-degrees */
  uint8_t *next_pages[2];  /* [P] nextPIDSet: this iteration's, and the next one's, in turn */
  enum qn_parallelism parallelism;
  /* What the vertices of the pages of this launch send, by page and slot, where it is not on the
   * device by vertex (spare.cuh); NULL: it is. */
  program_message *offers;
  uint32_t offers_slots;
  struct units_in_place in_place; /* frontier programs (read_in_place.cuh) */
  const uint8_t *host_pages;      /* [P x page_bytes] of the host's memory */
};

QN_DEVICE_INLINE program_weight load_weight(enum qn_weight_type type, const uint8_t *bytes) {
  struct qn_weights one;
  memset(&one, 0, sizeof one);
  one.type = type;
  if (!PROGRAM_USES_WEIGHTS || one.type == QN_WEIGHT_NONE)
    return engine_weight(&one, 0);
  const uint32_t bits = load_u32(bytes);
  one.data = &bits;
  return engine_weight(&one, 0);
}

QN_DEVICE_INLINE uint64_t engine_out_degree(const struct engine_device &device, uint32_t vertex) {
  return device.degrees[vertex];
}

} /* namespace */
