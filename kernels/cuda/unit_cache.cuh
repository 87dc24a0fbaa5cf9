/* Which units of the topology lie in which slots of the device's cache: least recently used ones
 * go first (GTS, section 3.3), but none that the running iteration has used, so that a slot never
 * changes hands while a kernel may still read it. Host side only. */
#ifndef QN_KERNELS_CUDA_UNIT_CACHE_CUH
#define QN_KERNELS_CUDA_UNIT_CACHE_CUH

#include <stdbool.h>
#include <stdint.h>

#include "support/error.h"

#ifdef __cplusplus
extern "C" {
#endif

#define QN_NO_SLOT UINT32_MAX

struct qn_cache_slot {
  uint32_t unit;
  uint32_t turn;         /* the last iteration that used it */
  uint32_t older, newer; /* neighbours in the order of use; QN_NO_SLOT at the ends */
};

/* Zero it before use. */
struct qn_unit_cache {
  uint64_t num_units;
  uint32_t num_slots;
  uint32_t num_used; /* slots [0, num_used) hold a unit */
  uint32_t oldest, newest;
  uint32_t *slot_of_unit; /* [num_units] 0: none, else slot + 1 */
  struct qn_cache_slot *slots;
};

/* Owned until qn_unit_cache_destroy. num_slots < QN_NO_SLOT. */
enum qn_status qn_unit_cache_create(struct qn_unit_cache *cache, uint64_t num_units,
                                    uint32_t num_slots, struct qn_error *error);
/* A zeroed cache is allowed. */
void qn_unit_cache_destroy(struct qn_unit_cache *cache);

static inline bool qn_unit_cache_has(const struct qn_unit_cache *cache, uint64_t unit) {
  return cache->num_used > 0 && cache->slot_of_unit[unit] != 0;
}

/* The slot of a unit, which iteration `turn` uses now; QN_NO_SLOT if it has none. */
uint32_t qn_unit_cache_find(struct qn_unit_cache *cache, uint64_t unit, uint32_t turn);

/* A slot for a unit that has none: an empty one, or that of the unit unused for longest; QN_NO_SLOT
 * if iteration `turn` has used them all. */
uint32_t qn_unit_cache_take(struct qn_unit_cache *cache, uint64_t unit, uint32_t turn);

#ifdef __cplusplus
}
#endif
#endif
