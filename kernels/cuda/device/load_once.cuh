/* Loads of what is read once an iteration, in order: they need not stay in the caches, whose room
 * belongs to the messages. Needs a completed program. */
#pragma once

#include "kernels/cuda/device/block.cuh"
#include "kernels/engine.h"

namespace {

/* engine_weight. */
QN_DEVICE_INLINE program_weight streamed_weight(const struct qn_weights &weights, uint64_t edge) {
  if (ENGINE_TAKES(QN_WEIGHT_U32) && weights.type == QN_WEIGHT_U32)
    return (program_weight)__ldcs(&weights.u32[edge]);
  if (ENGINE_TAKES(QN_WEIGHT_F32) && weights.type == QN_WEIGHT_F32)
    return (program_weight)__ldcs(&weights.f32[edge]);
  return engine_weight(&weights, edge);
}

} /* namespace */
