#include "kernels/cuda/stream/cache.cuh"

#include <algorithm>
#include <string.h>

#include "support/memory.h"

enum qn_status qn_unit_cache_create(struct qn_unit_cache *cache, uint64_t num_units,
                                    uint32_t num_slots, struct qn_error *error) {
  static const char what[] = "cache of units";
  memset(cache, 0, sizeof *cache);
  cache->num_units = num_units;
  cache->num_slots = num_slots;
  enum qn_status status =
      qn_pages_alloc(&cache->slot_of_unit, num_units, sizeof *cache->slot_of_unit, what, error);
  if (!status)
    status =
        qn_pages_alloc(&cache->unit_of_slot, num_slots, sizeof *cache->unit_of_slot, what, error);
  if (!status)
    status = qn_pages_alloc(&cache->used, num_slots, sizeof *cache->used, what, error);
  if (!status)
    status = qn_pages_alloc(&cache->victims, num_slots, sizeof *cache->victims, what, error);
  if (status)
    qn_unit_cache_destroy(cache);
  return status;
}

void qn_unit_cache_destroy(struct qn_unit_cache *cache) {
  qn_pages_free(cache->slot_of_unit, cache->num_units, sizeof *cache->slot_of_unit);
  qn_pages_free(cache->unit_of_slot, cache->num_slots, sizeof *cache->unit_of_slot);
  qn_pages_free(cache->used, cache->num_slots, sizeof *cache->used);
  qn_pages_free(cache->victims, cache->num_slots, sizeof *cache->victims);
  memset(cache, 0, sizeof *cache);
}

/* When this iteration used its unit number `place`. */
static uint64_t moment(const struct qn_unit_cache *cache, uint64_t place) {
  return (uint64_t)cache->turn << 32 | place;
}

/* A slot is used now: does this iteration do so for the first time? */
static void hold(struct qn_unit_cache *cache, uint32_t slot, uint64_t place) {
  cache->num_held += cache->used[slot] < moment(cache, 0);
  cache->used[slot] = moment(cache, place);
}

/* The `count` slots unused for longest, of those that this iteration has not used in earlier calls,
 * nor for the units that this one keeps; there are as many. */
static void find_victims(struct qn_unit_cache *cache, uint64_t first_kept, uint64_t count) {
  uint64_t found = 0;
  for (uint32_t slot = 0; slot < cache->num_used; slot++)
    if (cache->used[slot] < moment(cache, 0) ||
        (cache->used[slot] >= moment(cache, cache->place) &&
         cache->used[slot] < moment(cache, cache->place + first_kept)))
      cache->victims[found++] = slot;
  std::nth_element(cache->victims, cache->victims + count, cache->victims + found,
                   [cache](uint32_t a, uint32_t b) { return cache->used[a] < cache->used[b]; });
}

/* An empty slot, or the next victim's. */
static uint32_t take(struct qn_unit_cache *cache, uint64_t *next_victim) {
  if (cache->num_used < cache->num_slots)
    return cache->num_used++;
  const uint32_t slot = cache->victims[(*next_victim)++];
  cache->slot_of_unit[cache->unit_of_slot[slot]] = 0;
  return slot;
}

/* Give slots to the units from `first_kept` on that have none, `wanted` of them. */
static void keep(struct qn_unit_cache *cache, struct qn_unit_use *uses, uint64_t first_kept,
                 uint64_t count, uint64_t wanted) {
  const uint64_t empty = cache->num_slots - cache->num_used;
  uint64_t next_victim = 0;
  if (wanted > empty)
    find_victims(cache, first_kept, wanted - empty);
  for (uint64_t i = first_kept; i < count && wanted > 0; i++) {
    if (uses[i].is_hit)
      continue;
    const uint32_t slot = take(cache, &next_victim);
    uses[i].slot = slot;
    uses[i].takes_over = cache->used[slot] >= moment(cache, cache->place);
    cache->unit_of_slot[slot] = uses[i].unit;
    cache->slot_of_unit[uses[i].unit] = slot + 1;
    hold(cache, slot, cache->place + i);
    wanted--;
  }
}

uint64_t qn_unit_cache_turn(struct qn_unit_cache *cache, bool goes_on, struct qn_unit_use *uses,
                            uint64_t count) {
  if (!goes_on) {
    cache->turn++;
    cache->num_held = 0;
    cache->place = 0;
  }
  /* The last ones stay; there is room for no more. */
  const uint64_t room = cache->num_slots - cache->num_held;
  const uint64_t first_kept = count > room ? count - room : 0;
  uint64_t hits = 0, wanted = 0;
  for (uint64_t i = 0; i < count; i++) {
    const uint32_t slot = cache->slot_of_unit[uses[i].unit];
    uses[i].is_hit = slot != 0;
    uses[i].takes_over = false;
    uses[i].slot = slot ? slot - 1 : QN_NO_SLOT;
    if (slot)
      hold(cache, slot - 1, cache->place + i);
    hits += slot != 0;
    wanted += slot == 0 && i >= first_kept;
  }
  keep(cache, uses, first_kept, count, wanted);
  cache->place += count;
  return hits;
}
