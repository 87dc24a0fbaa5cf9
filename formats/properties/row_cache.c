#include "formats/properties/row_cache.h"

#include <string.h>

#include "support/memory.h"
#include "support/random.h"

/* Of a place, besides the row. */
#define PLACE_BYTES (sizeof(uint64_t) + 1)
#define SET_BYTES(row_bytes) (QN_CACHE_WAYS * ((row_bytes) + PLACE_BYTES) + 2)

enum qn_status qn_row_cache_create(struct qn_row_cache *cache, uint64_t bytes, uint64_t row_bytes,
                                   uint64_t num_rows, struct qn_error *error) {
  const uint64_t wanted = num_rows / QN_CACHE_WAYS + 1, room = bytes / SET_BYTES(row_bytes);
  *cache = (struct qn_row_cache){.row_bytes = row_bytes, .num_sets = wanted < room ? wanted : room};
  const uint64_t places = cache->num_sets * QN_CACHE_WAYS;
  enum qn_status status =
      qn_alloc_zeroed(&cache->rows, places, sizeof *cache->rows, "a cache of rows", error);
  if (!status)
    status = qn_alloc_zeroed(&cache->asked, places, 1, "a cache of rows", error);
  if (!status)
    status = qn_alloc_zeroed(&cache->hands, cache->num_sets, 1, "a cache of rows", error);
  if (!status)
    status = qn_alloc_zeroed(&cache->locks, cache->num_sets, 1, "a cache of rows", error);
  if (!status)
    status = qn_pages_alloc(&cache->values, places, row_bytes, "a cache of rows", error);
  if (status)
    qn_row_cache_release(cache);
  return status;
}

void qn_row_cache_release(struct qn_row_cache *cache) {
  qn_free(cache->rows);
  qn_free(cache->asked);
  qn_free(cache->hands);
  qn_free(cache->locks);
  qn_pages_free(cache->values, cache->num_sets * QN_CACHE_WAYS, cache->row_bytes);
  *cache = (struct qn_row_cache){0};
}

uint64_t qn_row_cache_bytes(const struct qn_row_cache *cache) {
  return cache->num_sets * SET_BYTES(cache->row_bytes);
}

static uint64_t first_place(const struct qn_row_cache *cache, uint64_t row) {
  return qn_random_below(qn_random_mix(row), cache->num_sets) * QN_CACHE_WAYS;
}

const uint8_t *qn_row_cache_find(const struct qn_row_cache *cache, uint64_t row) {
  if (!cache->num_sets)
    return NULL;
  const uint64_t first = first_place(cache, row);
  for (uint64_t place = first; place < first + QN_CACHE_WAYS; place++)
    if (cache->rows[place] == row + 1) {
      __atomic_store_n(&cache->asked[place], 1, __ATOMIC_RELAXED);
      return cache->values + place * cache->row_bytes;
    }
  return NULL;
}

/* The clock: who was asked for is passed over once. */
static uint64_t take_place(struct qn_row_cache *cache, uint64_t first) {
  uint8_t *hand = &cache->hands[first / QN_CACHE_WAYS];
  for (;; *hand = (uint8_t)((*hand + 1) % QN_CACHE_WAYS)) {
    const uint64_t place = first + *hand;
    if (!cache->asked[place])
      return place;
    cache->asked[place] = 0;
  }
}

void qn_row_cache_add(struct qn_row_cache *cache, uint64_t row, const void *value) {
  if (!cache->num_sets)
    return;
  const uint64_t first = first_place(cache, row);
  uint8_t *lock = &cache->locks[first / QN_CACHE_WAYS];
  while (__atomic_test_and_set(lock, __ATOMIC_ACQUIRE))
    ;
  if (!qn_row_cache_find(cache, row)) {
    const uint64_t place = take_place(cache, first);
    cache->rows[place] = row + 1;
    cache->asked[place] = 1;
    memcpy(cache->values + place * cache->row_bytes, value, cache->row_bytes);
  }
  __atomic_clear(lock, __ATOMIC_RELEASE);
}
