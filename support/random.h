/* Random numbers by counter: each is a function of a key and its position alone, so any
 * thread can make any of them, and results do not depend on the number of threads.
 * The mixing is that of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
 * generators, OOPSLA 2014), which passes BigCrush over counters. */
#pragma once

#include <stdint.h>

#include <quern/inline.h>

QN_INLINE uint64_t qn_random_mix(uint64_t z) {
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

/* The key of one purpose (`stream`) under a user's seed. */
QN_INLINE uint64_t qn_random_key(uint64_t seed, uint64_t stream) {
  return qn_random_mix(qn_random_mix(seed + UINT64_C(0x9E3779B97F4A7C15)) ^
                       (stream * UINT64_C(0xD1342543DE82EF95)));
}

/* 64 random bits: number `counter` under `key`. */
QN_INLINE uint64_t qn_random_at(uint64_t key, uint64_t counter) {
  return qn_random_mix(key + (counter + 1) * UINT64_C(0x9E3779B97F4A7C15));
}

/* Uniform in [0, n), n > 0, of 64 random bits (bias below n / 2^64). */
QN_INLINE uint64_t qn_random_below(uint64_t bits, uint64_t n) {
  return (uint64_t)(((unsigned __int128)bits * n) >> 64);
}
