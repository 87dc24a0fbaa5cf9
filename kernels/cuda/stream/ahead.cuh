/* Units of the next iteration that go to the device before it is known which ones that needs, so
 * that the bus has work while the last walks end, the vertices are updated, and the active units
 * are found and listed (0.5 to 1.5 ms, H200).
 *
 * The guess is that what this iteration moved first the next one will move, too: always right where
 * all units are active, and in frontier programs while most are. It is a batch for each lane but
 * one, so a wrong one costs half a millisecond. Units that were guessed wrongly are not walked, nor
 * do they count as moved. What is right gets its place in the cache, and its entry, once the next
 * list is made: until then the pieces alone are there. Host side only. */
#pragma once

#include "kernels/cuda/stream/cache.cuh"
#include "kernels/cuda/stream/stream.cuh"

#ifdef __cplusplus
extern "C" {
#endif

struct qn_unit_list;

/* Consecutive uses of a list: on the device first their entries, then their pieces. */
struct qn_unit_batch {
  const struct qn_unit_use *uses;
  uint64_t bytes; /* that move */
  uint32_t count;
  unsigned lane;
  bool resident;   /* entries alone: the units lie in the cache */
  bool was_ahead;  /* entries alone: the pieces lie in the lane's buffer */
  bool keeps;      /* some of them have been given a slot of the cache */
  bool takes_over; /* and of these some in which units lie that resident batches walk */
};

/* Zero it before use. */
struct qn_unit_ahead {
  uint64_t num_units; /* of the whole topology */
  struct qn_unit_batch batches[QN_MAX_STREAMS];
  unsigned num_batches;
  uint32_t count;                /* of units in all of them */
  struct qn_unit_use *uses;      /* [num_units] */
  struct qn_unit_entry *entries; /* [num_units] as they came to the device */
  uint32_t *places;              /* [num_units] by unit: among those wanted, from 1; 0: it is not */
};

/* Owned until qn_unit_ahead_destroy, also after a failure. */
enum qn_status qn_unit_ahead_create(struct qn_unit_ahead *ahead, uint64_t num_units,
                                    struct qn_error *error);
void qn_unit_ahead_destroy(struct qn_unit_ahead *ahead);

/* The first batches that `list` moved, up to `most` of them, that keep nothing in the cache. */
void qn_unit_ahead_guess(struct qn_unit_ahead *ahead, const struct qn_unit_list *list,
                         unsigned most);

/* Nothing is copied ahead. */
void qn_unit_ahead_forget(struct qn_unit_ahead *ahead);

/* Give places to the units whose flag is not 0 (NULL: all), in their order. Returns how many. */
uint32_t qn_unit_ahead_want(struct qn_unit_ahead *ahead, const uint8_t *flags);

/* No unit has a place any more; `wanted` [the number of them] become where their entries are. */
void qn_unit_ahead_settle(struct qn_unit_ahead *ahead, struct qn_unit_use *wanted);

#ifdef __cplusplus
}
#endif
