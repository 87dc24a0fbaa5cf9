/* Fingerprints of edge multisets: the sum over all edges of
 *
 *   qn_mix_source(source) * qn_mix_destination(destination) [* qn_mix_weight(weight's bits)]
 *
 * modulo 2^64, in any order. Two different multisets agree by accident with a probability of about
 * 2^-60; so two structures hold the same edges if their fingerprints agree, and a graph is
 * symmetric if its fingerprint is that of its reversal. */
#ifndef QN_FORMATS_FINGERPRINT_H
#define QN_FORMATS_FINGERPRINT_H

#include <stdint.h>

static inline uint64_t qn_mix(uint32_t value, uint32_t multiplier, uint32_t flip) {
  uint32_t x = (value + flip) * multiplier;
  x ^= x >> 15;
  return (uint64_t)x * (x ^ flip) + value;
}

static inline uint64_t qn_mix_source(uint32_t vertex) {
  return qn_mix(vertex, 0x9E3779B1u, 0x85EBCA6Bu);
}

static inline uint64_t qn_mix_destination(uint32_t vertex) {
  return qn_mix(vertex, 0xC2B2AE35u, 0x27D4EB2Fu);
}

/* `bits` of a u32 or f32 weight. */
static inline uint64_t qn_mix_weight(uint32_t bits) {
  return qn_mix(bits, 0x165667B1u, 0xD3A2646Cu) | 1;
}

#endif
