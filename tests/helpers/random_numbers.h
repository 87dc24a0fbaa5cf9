/* Random numbers that are the same in every run: SplitMix64. */
#pragma once

#include <stdint.h>

static uint64_t random_state = 1;

static inline uint64_t random_number(void) {
  random_state += 0x9e3779b97f4a7c15;
  uint64_t z = random_state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/* From 0 to `end` - 1. */
static inline uint32_t random_below(uint32_t end) {
  return (uint32_t)(random_number() % end);
}
