/* Rows of very different lengths, a warp at a time: each lane brings a row of its own; short ones
 * are walked by their lanes, long ones by the whole warp, one after the other. (The thread and
 * warp levels of Merrill, Garland, Grimshaw: Scalable GPU Graph Traversal, PPoPP 2012.)
 *
 * All lanes of the warp must call; a lane without a row brings an empty one. */
#pragma once

#include "kernels/cuda/device/block.cuh"
#include "kernels/engine.h"

/* From so many edges on a row is long. */
#define QN_LONG_ROW 32

namespace {

/* Call visit(row, edge) for every edge of the lanes' rows [begin, end). */
template <class Visit>
QN_DEVICE_INLINE void warp_visit_rows(uint32_t row, uint64_t begin, uint64_t end, Visit visit) {
  const bool is_long = end - begin >= QN_LONG_ROW;
  for (uint64_t edge = begin; !is_long && edge < end; edge++)
    visit(row, edge);
  for (unsigned left = __ballot_sync(QN_FULL_WARP, is_long); left; left &= left - 1) {
    const int owner = __ffs((int)left) - 1;
    const uint32_t shared_row = __shfl_sync(QN_FULL_WARP, row, owner);
    const uint64_t first = __shfl_sync(QN_FULL_WARP, begin, owner);
    const uint64_t last = __shfl_sync(QN_FULL_WARP, end, owner);
    for (uint64_t edge = first + qn_lane(); edge < last; edge += 32)
      visit(shared_row, edge);
  }
}

/* Combine what each `width` neighbouring lanes have (a power of two), in a fixed order; the result
 * is in the first of them. */
QN_DEVICE_INLINE program_accumulator warp_combine(program_accumulator value, int width = 32) {
  for (int step = width / 2; step > 0; step /= 2) {
    program_accumulator other;
    program_lane *lanes = reinterpret_cast<program_lane *>(&other);
    const program_lane *own = reinterpret_cast<const program_lane *>(&value);
    for (int lane = 0; lane < PROGRAM_LANES; lane++)
      lanes[lane] = __shfl_down_sync(QN_FULL_WARP, own[lane], step, width);
    program_combine(&value, other);
  }
  return value;
}

/* Combine gather(row, edge, &total), which says whether it added to the total, over the edges of
 * every row; then finish(row, total, whether anything was added) once a row. With
 * PROGRAM_FIRST_SUFFICES a row ends at the first edge that adds. */
template <class Gather, class Finish>
QN_DEVICE_INLINE void warp_combine_rows(bool has_row, uint32_t row, uint64_t begin, uint64_t end,
                                        Gather gather, Finish finish) {
  const bool is_long = has_row && end - begin >= QN_LONG_ROW;
  program_accumulator total = program_identity();
  bool any = false;
  if (has_row && !is_long) {
    for (uint64_t edge = begin; edge < end && !(PROGRAM_FIRST_SUFFICES && any); edge++)
      any = gather(row, edge, &total) || any;
    finish(row, total, any);
  }
  for (unsigned left = __ballot_sync(QN_FULL_WARP, is_long); left; left &= left - 1) {
    const int owner = __ffs((int)left) - 1;
    const uint32_t shared_row = __shfl_sync(QN_FULL_WARP, row, owner);
    const uint64_t first = __shfl_sync(QN_FULL_WARP, begin, owner);
    const uint64_t last = __shfl_sync(QN_FULL_WARP, end, owner);
    total = program_identity();
    any = false;
    for (uint64_t edge = first + qn_lane(); edge < last; edge += 32) {
      any = gather(shared_row, edge, &total) || any;
      if (PROGRAM_FIRST_SUFFICES && any)
        break;
    }
    total = warp_combine(total);
    any = __any_sync(QN_FULL_WARP, any);
    if (qn_lane() == 0)
      finish(shared_row, total, any);
  }
}

} /* namespace */
