/* Combining contributions when other threads combine into the same accumulator.
 * Template: needs a completed program. */
#pragma once

#include <string.h>

#include "kernels/engine.h"

/* A lane's bits, for compare-and-swap. */
#define LANE_BITS_OF(lane)                                                                         \
  _Generic((lane), float : (uint32_t)0, double : (uint64_t)0, default : (lane))
typedef __typeof__(LANE_BITS_OF((program_lane)0)) __attribute__((may_alias)) lane_bits;

static inline program_lane lane_load(const program_lane *lane) {
  lane_bits bits;
  __atomic_load((const lane_bits *)lane, &bits, __ATOMIC_RELAXED);
  program_lane value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Returns whether the lane changed. */
static inline bool lane_combine_atomic(program_lane *into, program_lane from) {
  program_lane seen = lane_load(into);
  for (;;) {
    program_lane combined = program_combine_lane(seen, from);
    if (combined == seen)
      return false;
    lane_bits expected, desired;
    memcpy(&expected, &seen, sizeof seen);
    memcpy(&desired, &combined, sizeof combined);
    if (__atomic_compare_exchange_n((lane_bits *)into, &expected, desired, true, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED))
      return true;
    memcpy(&seen, &expected, sizeof seen);
  }
}

/* program_combine into an accumulator that other threads combine into as well.
 * Returns whether it changed. Relaxed order: whoever needs to see the result waits for
 * the end of the parallel region. */
static inline bool program_combine_atomic(program_accumulator *into, program_accumulator from) {
  program_lane *lanes = (program_lane *)into;
  const program_lane *more = (const program_lane *)&from;
  bool changed = false;
  for (int lane = 0; lane < PROGRAM_LANES; lane++)
    changed |= lane_combine_atomic(&lanes[lane], more[lane]);
  return changed;
}

/* Read an accumulator that other threads may be combining into (lane by lane). */
static inline program_accumulator program_load_atomic(const program_accumulator *from) {
  program_accumulator copy;
  for (int lane = 0; lane < PROGRAM_LANES; lane++)
    ((program_lane *)&copy)[lane] = lane_load((const program_lane *)from + lane);
  return copy;
}
