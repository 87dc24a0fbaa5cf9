/* Combining into an accumulator that other threads combine into as well, with the
 * atomic that the program's PROGRAM_COMBINE asks for. Needs a completed program. */
#pragma once

#include "kernels/cuda/device/block.cuh"
#include "kernels/engine.h"

namespace {

/* uint64_t is unsigned long on Linux; CUDA's atomics take unsigned long long. */
QN_DEVICE_INLINE unsigned long long *wide(uint64_t *p) {
  return reinterpret_cast<unsigned long long *>(p);
}

/* Any operation on a real number: compare-and-swap of its bits until nobody came between. */
template <class Real, class Bits>
QN_DEVICE_INLINE Real real_combine_atomic(Real *into, Real from, Bits *bits) {
  Bits seen = *(volatile Bits *)bits;
  for (;;) {
    Real old;
    memcpy(&old, &seen, sizeof old);
    Real combined = program_combine_lane((program_lane)old, (program_lane)from);
    if (combined == old)
      return old;
    Bits desired;
    memcpy(&desired, &combined, sizeof desired);
    Bits found = atomicCAS(bits, seen, desired);
    if (found == seen)
      return old;
    seen = found;
  }
}

#if PROGRAM_COMBINE == QN_ADD
QN_DEVICE_INLINE uint32_t lane_combine_atomic(uint32_t *into, uint32_t from) {
  return atomicAdd(into, from);
}
QN_DEVICE_INLINE uint64_t lane_combine_atomic(uint64_t *into, uint64_t from) {
  return atomicAdd(wide(into), (unsigned long long)from);
}
#elif PROGRAM_COMBINE == QN_MIN
QN_DEVICE_INLINE uint32_t lane_combine_atomic(uint32_t *into, uint32_t from) {
  return atomicMin(into, from);
}
QN_DEVICE_INLINE uint64_t lane_combine_atomic(uint64_t *into, uint64_t from) {
  return atomicMin(wide(into), (unsigned long long)from);
}
#elif PROGRAM_COMBINE == QN_MAX
QN_DEVICE_INLINE uint32_t lane_combine_atomic(uint32_t *into, uint32_t from) {
  return atomicMax(into, from);
}
QN_DEVICE_INLINE uint64_t lane_combine_atomic(uint64_t *into, uint64_t from) {
  return atomicMax(wide(into), (unsigned long long)from);
}
#else
QN_DEVICE_INLINE uint32_t lane_combine_atomic(uint32_t *into, uint32_t from) {
  return atomicOr(into, from);
}
QN_DEVICE_INLINE uint64_t lane_combine_atomic(uint64_t *into, uint64_t from) {
  return atomicOr(wide(into), (unsigned long long)from);
}
#endif

#if PROGRAM_COMBINE != QN_OR
QN_DEVICE_INLINE float lane_combine_atomic(float *into, float from) {
#if PROGRAM_COMBINE == QN_ADD
  return atomicAdd(into, from);
#else
  return real_combine_atomic(into, from, reinterpret_cast<unsigned *>(into));
#endif
}
QN_DEVICE_INLINE double lane_combine_atomic(double *into, double from) {
#if PROGRAM_COMBINE == QN_ADD
  return atomicAdd(into, from);
#elif PROGRAM_COMBINE == QN_MIN && PROGRAM_NON_NEGATIVE
  /* Non-negative doubles are ordered as their bits are. */
  return __longlong_as_double((long long)atomicMin(reinterpret_cast<unsigned long long *>(into),
                                                   (unsigned long long)__double_as_longlong(from)));
#else
  return real_combine_atomic(into, from, reinterpret_cast<unsigned long long *>(into));
#endif
}
#endif

/* program_combine, lane by lane. */
QN_DEVICE_INLINE void program_combine_atomic(program_accumulator *into, program_accumulator from) {
  program_lane *lanes = reinterpret_cast<program_lane *>(into);
  const program_lane *more = reinterpret_cast<const program_lane *>(&from);
  for (int lane = 0; lane < PROGRAM_LANES; lane++)
    lane_combine_atomic(&lanes[lane], more[lane]);
}

} /* namespace */
