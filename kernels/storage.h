/* A mapped array that may lie on storage: how fast it is read from there, in order and at random,
 * and what is going to be read of it.
 * Source: Garaph (Ma et al., ATC 2017), section 4.2. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernels/registry.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As a device run's streaming.on_event, if there is one, is told of what was read to find the rates
 * (`what`). */
#define QN_READ_IN_ORDER "read in order"
#define QN_READ_AT_RANDOM "read at random"

/* Bytes per second, by all threads; 0: not measured. */
struct qn_storage_rates {
  double in_order, at_random;
};

/* Are the `bytes` of a container more than the memory for them: what the request allows, or else
 * what is free? */
bool qn_storage_exceeds_memory(uint64_t bytes, const struct qn_run_request *request);

/* Read some of what is not in memory now, for about a second at most. Tells the request of it.
 * Rates are 0 where too little is left to tell, or the array does not come from a file. */
struct qn_storage_rates qn_storage_measure(const void *array, uint64_t bytes,
                                           const struct qn_run_request *request);

/* Bytes per second where threads ask for what they read next, as streamed runs do; 0: as for
 * qn_storage_measure. Reads for a third of a second at most. */
double qn_storage_rate_ahead(const void *array, uint64_t bytes);

/* k, at least 1: how much slower what is read at random is; 1 if it was not measured. */
double qn_storage_ratio(const struct qn_storage_rates *rates);

/* The array is going to be read in order, or here and there. */
void qn_storage_expect(const void *array, uint64_t bytes, bool in_order);
/* All of these bytes are going to be read soon, in order: worth a call from some pages on. */
void qn_storage_fetch(const void *array, uint64_t bytes);

#ifdef __cplusplus
}
#endif
