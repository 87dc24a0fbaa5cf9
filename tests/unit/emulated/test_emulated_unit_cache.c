/* The cache of streamed units, their list, and the plan of a streamed run: host code that needs no
 * device. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/random_graph.h"
#include "helpers/test.h"
#include "kernels/cuda/stream/cache.cuh"
#include "kernels/cuda/stream/stream.cuh"
#include "support/memory.h"

#define UNITS 200
#define TURNS 60

/* Which units the iterations of a made-up run use. */
struct pattern {
  bool active[TURNS][UNITS];
};

static void everything(struct pattern *pattern) {
  memset(pattern->active, true, sizeof pattern->active);
}

static void at_random(struct pattern *pattern, unsigned percent) {
  uint64_t seed = percent;
  for (unsigned turn = 0; turn < TURNS; turn++)
    for (unsigned unit = 0; unit < UNITS; unit++)
      pattern->active[turn][unit] = random_next(&seed) % 100 < percent;
}

/* A front that moves through the units, as that of a search of a long graph does. */
static void front(struct pattern *pattern) {
  for (unsigned turn = 0; turn < TURNS; turn++)
    for (unsigned unit = 0; unit < UNITS; unit++)
      pattern->active[turn][unit] = unit >= 3 * turn && unit < 3 * turn + 20;
}

/* Ever more units at the end, and at last only those in the middle: who is thrown out depends on
 * the order within an iteration. */
static void ramp(struct pattern *pattern) {
  for (unsigned turn = 0; turn < TURNS; turn++)
    for (unsigned unit = 0; unit < UNITS; unit++)
      pattern->active[turn][unit] =
          turn % 3 == 2 ? unit >= 80 && unit < 100 + turn : unit >= UNITS - 3 * turn || unit < turn;
}

/* Hits of the cache; what an iteration used last is in it afterwards. */
static unsigned cache_hits(const struct pattern *pattern, uint32_t num_slots) {
  struct qn_unit_cache cache;
  struct qn_error error;
  unsigned hits = 0;
  assert_int_equal(qn_unit_cache_create(&cache, UNITS, num_slots, &error), QN_OK);
  for (unsigned turn = 0; turn < TURNS; turn++) {
    struct qn_unit_use uses[UNITS];
    bool held[UNITS] = {false};
    uint32_t count = 0, owner[UNITS];
    for (uint32_t unit = 0; unit < UNITS; unit++) {
      if (cache.slot_of_unit[unit])
        held[unit] = true;
      if (pattern->active[turn][unit])
        uses[count++].unit = unit;
    }
    const uint64_t found = qn_unit_cache_turn(&cache, false, uses, count), before = hits;
    memset(owner, 0xff, sizeof owner);
    for (uint32_t i = 0; i < count; i++)
      if (uses[i].is_hit)
        owner[uses[i].slot] = uses[i].unit;
    for (uint32_t i = 0; i < count; i++) {
      assert_int_equal(uses[i].is_hit, held[uses[i].unit]);
      assert_true(uses[i].slot == QN_NO_SLOT || uses[i].slot < num_slots);
      hits += uses[i].is_hit;
      if (i + num_slots >= count)
        assert_int_equal(cache.slot_of_unit[uses[i].unit], uses[i].slot + 1);
      if (!uses[i].is_hit && uses[i].slot != QN_NO_SLOT)
        assert_int_equal(uses[i].takes_over, owner[uses[i].slot] != UINT32_MAX);
    }
    assert_int_equal(found, hits - before);
  }
  qn_unit_cache_destroy(&cache);
  return hits;
}

/* Hits of a cache that forgets what was unused for longest, unit after unit. */
static unsigned plain_hits(const struct pattern *pattern, unsigned num_slots) {
  unsigned used[UNITS] = {0}, held = 0, hits = 0, clock = 0;
  for (unsigned turn = 0; turn < TURNS; turn++)
    for (unsigned unit = 0; unit < UNITS; unit++) {
      if (!pattern->active[turn][unit] || num_slots == 0)
        continue;
      if (used[unit]) {
        hits++;
      } else if (held < num_slots) {
        held++;
      } else {
        unsigned oldest = UNITS;
        for (unsigned other = 0; other < UNITS; other++)
          if (used[other] && (oldest == UNITS || used[other] < used[oldest]))
            oldest = other;
        used[oldest] = 0;
      }
      used[unit] = ++clock;
    }
  return hits;
}

TEST(hits_against_plain_lru) {
  static const uint32_t sizes[] = {0, 1, 2, 17, 100, 199, UNITS};
  struct pattern pattern;
  for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    everything(&pattern);
    assert_int_equal(cache_hits(&pattern, sizes[i]), (TURNS - 1) * sizes[i]);
    assert_true(cache_hits(&pattern, sizes[i]) >= plain_hits(&pattern, sizes[i]));
    front(&pattern);
    assert_true(cache_hits(&pattern, sizes[i]) >= plain_hits(&pattern, sizes[i]));
    ramp(&pattern);
    assert_true(cache_hits(&pattern, sizes[i]) >= plain_hits(&pattern, sizes[i]));
    for (unsigned percent = 5; percent <= 80; percent += 15) {
      at_random(&pattern, percent);
      assert_true(cache_hits(&pattern, sizes[i]) >= plain_hits(&pattern, sizes[i]));
    }
  }
}

/* An iteration over all units in three slices: each keeps what it has, as if it were one. */
TEST(slices_of_an_iteration) {
  static const uint32_t sizes[] = {0, 1, 17, 100, UNITS};
  for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    struct qn_unit_cache cache;
    struct qn_error error;
    assert_int_equal(qn_unit_cache_create(&cache, UNITS, sizes[i], &error), QN_OK);
    for (unsigned turn = 0; turn < 5; turn++) {
      uint64_t hits = 0;
      for (uint32_t first = 0, slice = 0; first < UNITS; first += 70, slice++) {
        struct qn_unit_use uses[70];
        const uint32_t count = UNITS - first < 70 ? UNITS - first : 70;
        for (uint32_t unit = 0; unit < count; unit++)
          uses[unit].unit = first + unit;
        hits += qn_unit_cache_turn(&cache, slice > 0, uses, count);
      }
      assert_int_equal(hits, turn ? sizes[i] : 0);
    }
    qn_unit_cache_destroy(&cache);
  }
}

TEST(allocations_fail) {
  struct qn_unit_cache cache;
  struct qn_error error;
  const uint64_t live = qn_memory_live();
  enum qn_status status = QN_SYSTEM;
  for (uint64_t n = 1; status; n++) {
    qn_memory_fail_nth(n);
    status = qn_unit_cache_create(&cache, 100, 10, &error);
    qn_memory_fail_nth(0);
    assert_true(status == QN_OK || qn_memory_live() == live);
  }
  qn_unit_cache_destroy(&cache);
  assert_int_equal(qn_memory_live(), live);
}

/* Whatever memory there is, the plan stays within it and has room for a unit. */
TEST(plans_stay_within_their_limits) {
  const struct qn_unit_source source = {
      .num_units = 1000, .unit_bytes = 65536, .total_bytes = 1000 * 65536};
  struct qn_error error;
  for (uint64_t available = qn_unit_stream_least(&source); available < (uint64_t)1 << 30;
       available += available / 3)
    for (uint64_t host = source.unit_bytes / 2; host < (uint64_t)1 << 27; host *= 3)
      for (unsigned streams = 0; streams <= 32; streams += 8) {
        struct qn_stream_options options = {.num_streams = streams, .host_memory = host};
        struct qn_stream_plan plan = {0};
        enum qn_status status = qn_unit_stream_plan(&source, &options, available, &plan, &error);
        assert_int_equal(status, host > source.unit_bytes ? QN_OK : QN_DEVICE);
        if (status)
          continue;
        assert_true(plan.batch_bytes > source.unit_bytes);
        assert_true(plan.num_streams * plan.batch_bytes + plan.cache_bytes <= available);
        assert_true(plan.num_stages >= 1 && plan.num_stages * plan.batch_bytes <= host);
        assert_in_range(plan.num_streams, 1, streams ? streams : QN_DEFAULT_STREAMS);
        assert_true(plan.cache_units <= source.num_units);
      }
}

TEST_MAIN(NULL, NULL)
