/* Partial results, which are stored, so they may be narrower than what is summed up. Template:
 * needs a completed program. */
#pragma once

#include "kernels/engine.h"

typedef struct {
  program_stored lanes[PROGRAM_LANES];
} program_partial;

static inline program_partial partial_of(const program_accumulator *accumulator) {
  const program_lane *lanes = (const program_lane *)accumulator;
  program_partial partial;
  for (int lane = 0; lane < PROGRAM_LANES; lane++)
    partial.lanes[lane] = (program_stored)lanes[lane];
  return partial;
}

static inline program_accumulator accumulator_of(const program_partial *partial) {
  program_accumulator accumulator;
  program_lane *lanes = (program_lane *)&accumulator;
  for (int lane = 0; lane < PROGRAM_LANES; lane++)
    lanes[lane] = (program_lane)partial->lanes[lane];
  return accumulator;
}
