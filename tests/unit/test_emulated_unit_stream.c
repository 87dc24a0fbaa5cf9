/* The stream of units by itself: whatever sequence of iterations asks for, each unit that is asked
 * for is walked once, with its own bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "emulator.h"
#include "helpers/random_graph.h"
#include "kernels/cuda/unit_stream.cuh"
#include "support/memory.h"

#define UNITS 60
#define MAX_BYTES 300
#define ITERATIONS 25

/* Unit i has bytes i, i + 1, ... in two pieces, of which the second may be empty. */
struct topology {
  uint8_t bytes[UNITS + MAX_BYTES];
};

static uint64_t first_bytes(uint64_t unit) {
  return 1 + unit * 37 % (MAX_BYTES / 2);
}

static uint64_t second_bytes(uint64_t unit) {
  return unit * 53 % (MAX_BYTES / 2);
}

static void describe(const void *user, uint64_t unit, struct qn_unit *out) {
  const struct topology *topology = user;
  out->num_pieces = 2;
  out->pieces[0] =
      (struct qn_unit_piece){.data = topology->bytes + unit, .bytes = first_bytes(unit)};
  out->pieces[1] = (struct qn_unit_piece){.data = topology->bytes + unit + first_bytes(unit),
                                          .bytes = second_bytes(unit)};
}

static bool is_late(const void *user, uint64_t unit) {
  (void)user;
  return unit % 7 == 3;
}

/* What an iteration has walked. */
struct walked {
  unsigned times[UNITS];
  unsigned batches;
};

struct visit {
  struct walked *walked;
  const struct qn_unit_entry *entries;
  uint64_t count;
};

/* On the device: the emulator lets host functions look at its memory. */
static void look(void *argument) {
  struct visit *visit = argument;
  for (uint64_t i = 0; i < visit->count; i++) {
    const struct qn_unit_entry *entry = &visit->entries[i];
    const uint64_t first = first_bytes(entry->unit), second = second_bytes(entry->unit);
    const uint8_t *rest = entry->bytes + qn_unit_rounded(first);
    assert_true(entry->unit < UNITS);
    visit->walked->times[entry->unit]++;
    for (uint64_t k = 0; k < first; k++)
      assert_int_equal(entry->bytes[k], (uint8_t)(entry->unit + k));
    for (uint64_t k = 0; k < second; k++)
      assert_int_equal(rest[k], (uint8_t)(entry->unit + first + k));
  }
  free(visit);
}

static enum qn_status walk(void *user, const struct qn_unit_entry *entries, uint64_t count,
                           cudaStream_t stream, struct qn_error *error) {
  struct walked *walked = user;
  struct visit *visit = malloc(sizeof *visit);
  assert_non_null(visit);
  *visit = (struct visit){walked, entries, count};
  walked->batches++;
  return qn_cuda_status(cudaLaunchHostFunc(stream, look, visit), "looking at units", error);
}

/* Those before `cut`, then the others, without waiting in between. */
static void run_parts(struct qn_unit_stream *stream, const uint8_t *flags, unsigned cut,
                      struct walked *walked, struct qn_stream_figures *figures) {
  uint8_t part[UNITS] = {0};
  struct qn_stream_figures rest;
  struct qn_error error;
  memcpy(part, flags, cut);
  assert_int_equal(qn_unit_stream_part(stream, part, walk, walked, figures, &error), QN_OK);
  memset(part, 0, cut);
  memcpy(part + cut, flags + cut, UNITS - cut);
  qn_unit_stream_go_on(stream);
  assert_int_equal(qn_unit_stream_part(stream, part, walk, walked, &rest, &error), QN_OK);
  assert_int_equal(qn_unit_stream_wait(stream, &error), QN_OK);
  figures->active_units += rest.active_units;
  figures->cache_hits += rest.cache_hits;
  figures->moved_units += rest.moved_units;
  figures->batches += rest.batches;
}

static void iterate(struct qn_unit_stream *stream, const uint8_t *flags, unsigned cut) {
  struct walked walked = {0};
  struct qn_stream_figures figures;
  struct qn_error error;
  uint64_t active = 0;
  if (flags && cut < UNITS)
    run_parts(stream, flags, cut, &walked, &figures);
  else
    assert_int_equal(qn_unit_stream_run(stream, flags, walk, &walked, &figures, &error), QN_OK);
  for (unsigned unit = 0; unit < UNITS; unit++) {
    assert_int_equal(walked.times[unit], !flags || flags[unit]);
    active += !flags || flags[unit];
  }
  assert_int_equal(figures.active_units, active);
  assert_int_equal(figures.cache_hits + figures.moved_units, active);
  assert_int_equal(figures.batches, walked.batches);
}

/* Iterations over all units and over some, in any order. */
static void run_stream(const struct qn_unit_source *source, uint64_t available,
                       const struct qn_stream_options *options, uint64_t seed) {
  struct emulator_options machine = emulator_defaults();
  struct qn_cuda_memory memory;
  struct qn_stream_plan plan = {0};
  struct qn_unit_stream *stream;
  struct qn_error error;
  machine.seed = seed;
  emulator_reset(&machine);
  assert_int_equal(qn_cuda_memory_create(&memory, 0, available, &error), QN_OK);
  assert_int_equal(qn_unit_stream_plan(source, options, available, &plan, &error), QN_OK);
  assert_int_equal(qn_unit_stream_create(&stream, &memory, source, options, &plan, &error), QN_OK);
  for (unsigned iteration = 0; iteration < ITERATIONS; iteration++) {
    uint8_t flags[UNITS];
    const uint64_t what = random_next(&seed) % 4, percent = random_next(&seed) % 100;
    for (unsigned unit = 0; unit < UNITS; unit++)
      flags[unit] = random_next(&seed) % 100 < percent;
    if (what == 3) /* none */
      memset(flags, 0, sizeof flags);
    if (iteration > 0 && random_next(&seed) % 5 == 0)
      qn_unit_stream_go_on(stream);
    iterate(stream, what < 2 ? NULL : flags, (unsigned)(random_next(&seed) % (2 * UNITS)));
  }
  qn_unit_stream_destroy(stream);
  qn_cuda_memory_destroy(&memory);
  assert_int_equal(emulator_live(), 0);
}

static void each_unit_once(void **state) {
  struct topology topology;
  struct qn_unit_source source = {.user = &topology,
                                  .num_units = UNITS,
                                  .unit_bytes = qn_unit_rounded(MAX_BYTES / 2) +
                                                qn_unit_rounded(MAX_BYTES / 2),
                                  .total_bytes = UNITS * MAX_BYTES,
                                  .describe = describe};
  const uint64_t least = qn_unit_stream_least(&source), live = qn_memory_live();
  uint64_t seed = 1;
  (void)state;
  for (unsigned i = 0; i < sizeof topology.bytes; i++)
    topology.bytes[i] = (uint8_t)i;
  for (unsigned streams = 1; streams <= 8; streams++)
    for (uint64_t available = least; available < 80 * least; available += available / 2) {
      struct qn_stream_options options = {.num_streams = streams,
                                          .host_memory = streams % 3 ? 0 : available};
      source.is_late = seed % 2 ? is_late : NULL;
      run_stream(&source, available, &options, seed++);
    }
  assert_int_equal(qn_memory_live(), live);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_unit_once)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
