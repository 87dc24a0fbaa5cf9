/* Which units of the topology lie in which slots of the device's cache. After an iteration the
 * cache holds what LRU (GTS, section 3.3) holds after the same sequence: the units that were used
 * last. As the units that are there are walked first, all of them are hits, also those that LRU
 * would have thrown out before their turn came: the hits are at least LRU's on any sequence. Host
 * side only. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <quern/error.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QN_NO_SLOT UINT32_MAX

/* A unit that an iteration uses. */
struct qn_unit_use {
  uint32_t unit;
  uint32_t slot;  /* where it lies, or is to be kept; QN_NO_SLOT: nowhere */
  uint32_t ahead; /* its place among the units copied ahead, from 1; 0: it is none (ahead.cuh) */
  bool is_hit;    /* it lies there */
  bool
      takes_over; /* it is to be kept where a hit of the same iteration lies, once that is walked */
};

/* Zero it before use. */
struct qn_unit_cache {
  uint64_t num_units;
  uint32_t num_slots;
  uint32_t num_used;      /* slots [0, num_used) hold a unit */
  uint32_t turn;          /* counts iterations */
  uint32_t num_held;      /* slots that this one has used */
  uint64_t place;         /* units that it has used */
  uint32_t *slot_of_unit; /* [num_units] 0: none, else slot + 1 */
  uint32_t *unit_of_slot; /* [num_slots] */
  uint64_t *used;         /* [num_slots] when last: its turn * 2^32 + its place there */
  uint32_t *victims;      /* [num_slots] scratch */
};

/* Owned until qn_unit_cache_destroy. num_slots < QN_NO_SLOT. */
enum qn_status qn_unit_cache_create(struct qn_unit_cache *cache, uint64_t num_units,
                                    uint32_t num_slots, struct qn_error *error);
/* A zeroed cache is allowed. */
void qn_unit_cache_destroy(struct qn_unit_cache *cache);

/* An iteration uses `count` different units in this order: find them, and give slots to those that
 * are to be kept. Returns the number of hits. What is kept must be there before the next call.
 * `goes_on`: it is the iteration of the last call, and what that one used keeps its place; else the
 * slices of an iteration that is done in several calls would throw each other out. */
uint64_t qn_unit_cache_turn(struct qn_unit_cache *cache, bool goes_on, struct qn_unit_use *uses,
                            uint64_t count);

#ifdef __cplusplus
}
#endif
