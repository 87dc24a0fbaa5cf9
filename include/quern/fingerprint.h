/* Fingerprints of edge multisets: the sum over all edges of
 *
 *   qn_mix_source(source) * qn_mix_destination(destination) [* qn_mix_weight(weight's bits)]
 *
 * modulo 2^64, in any order. Two structures are taken to hold the same edges if their fingerprints
 * agree, and a graph to be symmetric if its fingerprint is that of its reversal. Two different
 * multisets agree by accident with a probability of about 2^-63 (measured on the low 16 bits, where
 * products collide most: at most 1.6 times that of random numbers). The mixes are fixed and public,
 * so a collision can be constructed on purpose. A fingerprint detects damage and faulty builders,
 * not malice, and no reader's memory safety depends on it. */
#ifndef QUERN_FINGERPRINT_H
#define QUERN_FINGERPRINT_H

#include <stdint.h>

#define QN_MIX_FACTOR 0x9E3779B1u
#define QN_MIX_OFFSET 0x85EBCA6B27D4EB2Fu

/* One widening multiplication; the upper half, all but linear, is stirred into the lower one. */
static inline uint64_t qn_mix_source(uint32_t vertex) {
  uint64_t x = (uint64_t)vertex * QN_MIX_FACTOR + QN_MIX_OFFSET;
  return x ^ (x >> 32);
}

/* The same of a vertex of any set, which may be greater than 2^32. */
static inline uint64_t qn_mix_vertex(uint64_t vertex) {
  uint64_t x = vertex * QN_MIX_FACTOR + QN_MIX_OFFSET;
  return x ^ (x >> 32);
}

/* Of what the source's mix is: both together cost little more than one. */
static inline uint64_t qn_mix_destination_of(uint64_t source_mix) {
  uint64_t x = (source_mix >> 32) * (uint32_t)source_mix;
  return x ^ (x >> 32); /* the low bits of a product are zero too often */
}

static inline uint64_t qn_mix_destination(uint32_t vertex) {
  return qn_mix_destination_of(qn_mix_source(vertex));
}

/* `bits` of a u32 or f32 weight. */
static inline uint64_t qn_mix_weight(uint32_t bits) {
  uint32_t x = (bits + 0xD3A2646Cu) * 0x165667B1u;
  x ^= x >> 15;
  return ((uint64_t)x * (x ^ 0xD3A2646Cu) + bits) | 1;
}

/* `bits` of an i64 or f64 weight. */
static inline uint64_t qn_mix_wide_weight(uint64_t bits) {
  uint64_t x = (bits + QN_MIX_OFFSET) * 0x9E3779B97F4A7C15u;
  x = (x ^ x >> 32) * 0xBF58476D1CE4E5B9u;
  return (x ^ x >> 29) | 1;
}

/* `bits` of a weight of so many bytes; 1 for none. */
static inline uint64_t qn_mix_weight_of(uint64_t bits, unsigned bytes) {
  return bytes == 8 ? qn_mix_wide_weight(bits) : bytes ? qn_mix_weight((uint32_t)bits) : 1;
}

/* Of weight `i` of an array of them. */
static inline uint64_t qn_mix_weight_at(const void *weights, unsigned bytes, uint64_t i) {
  if (bytes == 0)
    return 1;
  return qn_mix_weight_of(
      bytes == 8 ? ((const uint64_t *)weights)[i] : ((const uint32_t *)weights)[i], bytes);
}

#endif
