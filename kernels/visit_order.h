/* In which order greedy algorithms take vertices, the same on every device: by degree, and by
 * chance among vertices of one degree. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <quern/inline.h>

/* A bijection of 32 bits that scatters them (the finalizer of MurmurHash3). */
QN_INLINE uint32_t qn_scatter(uint32_t bits) {
  bits = (bits ^ bits >> 16) * UINT32_C(0x85EBCA6B);
  bits = (bits ^ bits >> 13) * UINT32_C(0xC2B2AE35);
  return bits ^ bits >> 16;
}

/* The larger, the earlier; all different. `position` is that in original order. */
QN_INLINE uint64_t qn_visit_priority(uint64_t edges, uint32_t position, bool high_degrees_first) {
  const uint64_t degree = edges < UINT32_MAX ? edges : UINT32_MAX;
  return (high_degrees_first ? degree : UINT32_MAX - degree) << 32 | qn_scatter(position);
}
