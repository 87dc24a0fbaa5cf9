#include "kernels/cuda/unit_cache.cuh"

#include <string.h>

#include "support/memory.h"

enum qn_status qn_unit_cache_create(struct qn_unit_cache *cache, uint64_t num_units,
                                    uint32_t num_slots, struct qn_error *error) {
  memset(cache, 0, sizeof *cache);
  cache->num_units = num_units;
  cache->num_slots = num_slots;
  cache->oldest = cache->newest = QN_NO_SLOT;
  enum qn_status status = qn_pages_alloc(&cache->slot_of_unit, num_units,
                                         sizeof *cache->slot_of_unit, "cache of units", error);
  if (!status)
    status =
        qn_pages_alloc(&cache->slots, num_slots, sizeof *cache->slots, "cache of units", error);
  if (status)
    qn_unit_cache_destroy(cache);
  return status;
}

void qn_unit_cache_destroy(struct qn_unit_cache *cache) {
  qn_pages_free(cache->slot_of_unit, cache->num_units, sizeof *cache->slot_of_unit);
  qn_pages_free(cache->slots, cache->num_slots, sizeof *cache->slots);
  memset(cache, 0, sizeof *cache);
}

static void unlink_slot(struct qn_unit_cache *cache, uint32_t slot) {
  const struct qn_cache_slot *entry = &cache->slots[slot];
  if (entry->older == QN_NO_SLOT)
    cache->oldest = entry->newer;
  else
    cache->slots[entry->older].newer = entry->newer;
  if (entry->newer == QN_NO_SLOT)
    cache->newest = entry->older;
  else
    cache->slots[entry->newer].older = entry->older;
}

static void link_newest(struct qn_unit_cache *cache, uint32_t slot, uint32_t turn) {
  struct qn_cache_slot *entry = &cache->slots[slot];
  entry->turn = turn;
  entry->older = cache->newest;
  entry->newer = QN_NO_SLOT;
  if (cache->newest == QN_NO_SLOT)
    cache->oldest = slot;
  else
    cache->slots[cache->newest].newer = slot;
  cache->newest = slot;
}

uint32_t qn_unit_cache_find(struct qn_unit_cache *cache, uint64_t unit, uint32_t turn) {
  if (!qn_unit_cache_has(cache, unit))
    return QN_NO_SLOT;
  const uint32_t slot = cache->slot_of_unit[unit] - 1;
  unlink_slot(cache, slot);
  link_newest(cache, slot, turn);
  return slot;
}

uint32_t qn_unit_cache_take(struct qn_unit_cache *cache, uint64_t unit, uint32_t turn) {
  uint32_t slot = cache->num_used;
  if (slot < cache->num_slots) {
    cache->num_used++;
  } else {
    slot = cache->oldest;
    if (slot == QN_NO_SLOT || cache->slots[slot].turn == turn)
      return QN_NO_SLOT;
    unlink_slot(cache, slot);
    cache->slot_of_unit[cache->slots[slot].unit] = 0;
  }
  cache->slots[slot].unit = (uint32_t)unit;
  cache->slot_of_unit[unit] = slot + 1;
  link_newest(cache, slot, turn);
  return slot;
}
