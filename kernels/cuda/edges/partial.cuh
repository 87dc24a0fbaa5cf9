/* Accumulators as they wait in shared memory: in program_stored, which may be narrower than the
 * lanes in which they are combined. Needs a completed program. */
#pragma once

#include "kernels/cuda/device/block.cuh"
#include "kernels/engine.h"

namespace {

/* A lane's value as it waits in shared memory. */
struct tile_partial {
  program_stored lanes[PROGRAM_LANES];
};

QN_DEVICE_INLINE tile_partial tile_store(program_accumulator from) {
  const program_lane *lanes = reinterpret_cast<const program_lane *>(&from);
  tile_partial partial;
  for (int lane = 0; lane < PROGRAM_LANES; lane++)
    partial.lanes[lane] = (program_stored)lanes[lane];
  return partial;
}

QN_DEVICE_INLINE program_accumulator tile_load(const tile_partial &partial) {
  program_accumulator into;
  program_lane *lanes = reinterpret_cast<program_lane *>(&into);
  for (int lane = 0; lane < PROGRAM_LANES; lane++)
    lanes[lane] = (program_lane)partial.lanes[lane];
  return into;
}

} /* namespace */
