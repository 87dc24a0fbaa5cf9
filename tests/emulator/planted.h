/* Kernels with a bug planted in each, and sound ones, for tests/unit/emulated/test_emulator.c. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct planted {
  const char *name;
  void (*run)(void);
  const char *report;    /* what the emulator must say */
  bool needs_hooks;      /* AddressSanitizer does not find it */
  const char *sanitizer; /* what AddressSanitizer says instead, NULL: the emulator's own words */
};

/* Ended by a NULL name. */
extern const struct planted planted_bugs[];

/* Each returns true if the device computed what it should. */
bool sound_warp_functions(uint64_t seed);
bool sound_barriers(uint64_t seed, unsigned block);
bool sound_atomics(uint64_t seed);
bool sound_shared(uint64_t seed);
bool sound_grid(uint64_t seed);

/* Order-dependent work: the results that a seed gives. */
uint32_t racy_counter(uint64_t seed);        /* increments without atomics; at most 256 */
uint64_t first_come_order(uint64_t seed);    /* a hash of the order in which threads came */
uint32_t unsynchronised_read(uint64_t seed); /* 1 if the host saw the result without waiting */
uint32_t unordered_streams(uint64_t seed);   /* which of two unordered streams wrote last */

#ifdef __cplusplus
}
#endif
