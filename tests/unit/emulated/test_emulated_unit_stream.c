/* The stream of units by itself: whatever sequence of iterations asks for, each unit that is asked
 * for is walked once, with its own bytes. */
#include <stdlib.h>
#include <string.h>

#include "emulator.h"
#include "helpers/random_graph.h"
#include "helpers/test.h"
#include "kernels/cuda/stream/rates.cuh"
#include "kernels/cuda/stream/stream.cuh"
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
  out->more = 0;
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
    const uint8_t *bytes = entry->pieces[0], *rest = entry->pieces[1];
    assert_true(entry->unit < UNITS);
    visit->walked->times[entry->unit]++;
    for (uint64_t k = 0; k < first; k++)
      assert_int_equal(bytes[k], (uint8_t)(entry->unit + k));
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
  figures->moved_bytes += rest.moved_bytes;
  figures->batches += rest.batches;
}

static uint64_t moved_bytes(uint64_t unit) {
  return qn_unit_rounded(first_bytes(unit)) + qn_unit_rounded(second_bytes(unit)) +
         sizeof(struct qn_unit_entry);
}

static void iterate(struct qn_unit_stream *stream, const uint8_t *flags, unsigned cut) {
  struct walked walked = {0};
  struct qn_stream_figures figures;
  struct qn_error error;
  uint64_t active = 0, bytes = 0;
  if (flags && cut < UNITS)
    run_parts(stream, flags, cut, &walked, &figures);
  else
    assert_int_equal(qn_unit_stream_run(stream, flags, walk, &walked, &figures, &error), QN_OK);
  for (unsigned unit = 0; unit < UNITS; unit++) {
    assert_int_equal(walked.times[unit], !flags || flags[unit]);
    active += !flags || flags[unit];
    bytes += !flags || flags[unit] ? moved_bytes(unit) : 0;
  }
  assert_int_equal(figures.active_units, active);
  assert_int_equal(figures.cache_hits + figures.moved_units, active);
  assert_int_equal(figures.batches, walked.batches);
  if (figures.cache_hits == 0) /* whatever was copied ahead in vain does not count */
    assert_int_equal(figures.moved_bytes, bytes);
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
  const bool begins = random_next(&seed) % 2, goes_on = random_next(&seed) % 4;
  for (unsigned iteration = 0; iteration < ITERATIONS; iteration++) {
    uint8_t flags[UNITS];
    const uint64_t what = random_next(&seed) % 4, percent = random_next(&seed) % 100;
    unsigned cut = (unsigned)(random_next(&seed) % (2 * UNITS));
    for (unsigned unit = 0; unit < UNITS; unit++)
      flags[unit] = random_next(&seed) % 100 < percent;
    if (what == 3) /* none */
      memset(flags, 0, sizeof flags);
    if (iteration > 0 && random_next(&seed) % 5 == 0)
      qn_unit_stream_go_on(stream);
    if (iteration == 0 && begins) {
      qn_unit_stream_begin(stream, what < 2 ? NULL : flags);
      cut = UNITS;
    }
    if (begins && !goes_on) /* what has begun may be left */
      break;
    iterate(stream, what < 2 ? NULL : flags, cut);
  }
  qn_unit_stream_destroy(stream);
  qn_cuda_memory_destroy(&memory);
  assert_int_equal(emulator_live(), 0);
}

TEST(each_unit_once) {
  struct topology topology;
  struct qn_unit_source source = {.user = &topology,
                                  .num_units = UNITS,
                                  .unit_bytes = qn_unit_rounded(MAX_BYTES / 2) +
                                                qn_unit_rounded(MAX_BYTES / 2),
                                  .total_bytes = UNITS * MAX_BYTES,
                                  .describe = describe};
  const uint64_t least = qn_unit_stream_least(&source), live = qn_memory_live();
  uint64_t seed = 1;
  for (unsigned i = 0; i < sizeof topology.bytes; i++)
    topology.bytes[i] = (uint8_t)i;
  for (unsigned streams = 1; streams <= 8; streams++)
    for (uint64_t available = least; available < 80 * least; available += available / 2) {
      struct qn_stream_options options = {.num_streams = streams,
                                          .host_memory = streams % 3 ? 0 : available,
                                          .limit_cache = seed % 4 == 0};
      source.is_late = seed % 2 ? is_late : NULL;
      run_stream(&source, available, &options, seed++);
    }
  assert_int_equal(qn_memory_live(), live);
}

/* ---- Copies from where units lie ---------------------------------------------------- */

#define LONG_UNITS 48
#define LONG_ARRAY 400000
#define LONG_PITCH 9000
#define LONG_ROWS 40

/* Three arrays, which begin anywhere in a page: units overlap in the first, lie apart in the
 * second. Some are some columns of all rows of the third, with neighbours or without. */
struct arrays {
  uint8_t *memory;
  uint8_t *array[3];
};

static uint64_t long_begin(uint64_t unit) {
  return unit * unit * 150;
}

static void describe_long(const void *user, uint64_t unit, struct qn_unit *out) {
  const struct arrays *arrays = user;
  const uint64_t begin = long_begin(unit), bytes = long_begin(unit + 1) - begin;
  out->num_pieces = unit % 5 == 4 ? 1 : 2;
  out->more = unit / 4 % 3 == 1 ? LONG_ROWS - 1 : 0;
  out->pieces[0] =
      (struct qn_unit_piece){.data = arrays->array[0] + 4 * (begin / 4), .bytes = bytes + 8};
  out->pieces[1] = (struct qn_unit_piece){.data = arrays->array[1] + begin + 300 * (unit % 3 == 0),
                                          .bytes = bytes / 2 + bytes / 2 * (unit % 3 == 1)};
  for (unsigned i = 0; i < out->num_pieces && out->more > 0; i++)
    out->pieces[i] = (struct qn_unit_piece){.data = arrays->array[2] + unit * 170 + i,
                                            .bytes = 150 + 10 * (unit % 3),
                                            .stride = LONG_PITCH};
}

static struct arrays *looked_at;

static void look_long(void *argument) {
  struct visit *visit = argument;
  for (uint64_t i = 0; i < visit->count; i++) {
    const struct qn_unit_entry *entry = &visit->entries[i];
    struct qn_unit unit = {0};
    describe_long(looked_at, entry->unit, &unit);
    visit->walked->times[entry->unit]++;
    assert_int_equal(entry->more, unit.more);
    for (unsigned k = 0; k < QN_UNIT_PIECES; k++) {
      const struct qn_unit_piece *piece = &unit.pieces[k];
      if (k >= unit.num_pieces) {
        assert_null(entry->pieces[k]);
        continue;
      }
      assert_int_equal(entry->bytes[k], piece->bytes);
      for (uint64_t run = 0; run <= unit.more; run++)
        assert_memory_equal(entry->pieces[k] + run * entry->strides[k],
                            (const uint8_t *)piece->data + run * piece->stride, piece->bytes);
    }
  }
  free(visit);
}

static enum qn_status walk_long(void *user, const struct qn_unit_entry *entries, uint64_t count,
                                cudaStream_t stream, struct qn_error *error) {
  struct visit *visit = malloc(sizeof *visit);
  assert_non_null(visit);
  *visit = (struct visit){user, entries, count};
  return qn_cuda_status(cudaLaunchHostFunc(stream, look_long, visit), "looking at units", error);
}

static struct qn_unit_source long_source(const struct arrays *arrays) {
  struct qn_unit_source source = {
      .user = arrays, .num_units = LONG_UNITS, .describe = describe_long};
  for (uint64_t i = 0; i < LONG_UNITS; i++) {
    struct qn_unit unit = {0};
    describe_long(arrays, i, &unit);
    const uint64_t bytes = qn_unit_bytes(&unit);
    source.unit_bytes = bytes > source.unit_bytes ? bytes : source.unit_bytes;
    source.total_bytes += bytes;
  }
  return source;
}

/* What a run did: of all it moved, what was not gathered. */
struct long_run {
  uint64_t pin_bytes, direct_bytes, moved_bytes;
  bool refused;
};

/* All units four times, some of them in between; the `fail_nth` registration fails. */
static struct long_run run_long(const struct qn_unit_source *source, bool pins_first,
                                uint64_t host_memory, uint64_t fail_nth, uint64_t seed) {
  const uint64_t available = 12 * qn_unit_stream_least(source);
  const struct qn_stream_options options = {.num_streams = 3, .host_memory = host_memory};
  struct emulator_options machine = emulator_defaults();
  struct qn_cuda_memory memory;
  struct qn_stream_plan plan = {0};
  struct qn_unit_stream *stream;
  struct qn_error error;
  struct long_run run = {0};
  machine.seed = seed;
  machine.fail_nth = fail_nth;
  strcpy(machine.fail_name, "cudaHostRegister");
  emulator_reset(&machine);
  assert_int_equal(qn_cuda_memory_create(&memory, 0, available, &error), QN_OK);
  assert_int_equal(qn_unit_stream_plan(source, &options, available, &plan, &error), QN_OK);
  plan.pins_first = pins_first;
  assert_int_equal(qn_unit_stream_create(&stream, &memory, source, &options, &plan, &error), QN_OK);
  run.pin_bytes = plan.pin_bytes;
  run.refused = plan.pin_refusal != NULL;
  for (unsigned iteration = 0; iteration < 12; iteration++) {
    uint8_t flags[LONG_UNITS];
    const bool all = iteration % 3 == 0;
    struct walked walked = {0};
    struct qn_stream_figures figures;
    for (unsigned unit = 0; unit < LONG_UNITS; unit++)
      flags[unit] = random_next(&seed) % 3 > 0;
    assert_int_equal(
        qn_unit_stream_run(stream, all ? NULL : flags, walk_long, &walked, &figures, &error),
        QN_OK);
    for (unsigned unit = 0; unit < LONG_UNITS; unit++)
      assert_int_equal(walked.times[unit], all || flags[unit]);
    run.direct_bytes += figures.direct_bytes;
    run.moved_bytes += figures.moved_bytes;
  }
  qn_unit_stream_destroy(stream);
  qn_cuda_memory_destroy(&memory);
  assert_int_equal(emulator_live(), 0);
  return run;
}

static void fill_arrays(struct arrays *arrays) {
  uint64_t seed = 9;
  arrays->memory = malloc(3 * LONG_ARRAY);
  assert_non_null(arrays->memory);
  for (uint64_t i = 0; i < 3 * LONG_ARRAY; i++)
    arrays->memory[i] = (uint8_t)random_next(&seed);
  for (unsigned i = 0; i < 3; i++)
    arrays->array[i] = arrays->memory + i * LONG_ARRAY + (i == 1 ? 2 : 16);
  looked_at = arrays;
}

TEST(long_runs_are_pinned) {
  struct arrays arrays;
  fill_arrays(&arrays);
  struct qn_unit_source source = long_source(&arrays);
  const uint64_t live = qn_memory_live();
  for (uint64_t seed = 0; seed < 6; seed++) {
    const struct long_run run = run_long(&source, seed % 2, 0, 0, seed);
    assert_in_range(run.pin_bytes, source.total_bytes / 3, 3 * LONG_ARRAY);
    assert_in_range(run.direct_bytes, seed % 2 ? run.moved_bytes / 4 : 1, run.moved_bytes);
    assert_false(run.refused);
  }
  source.moves_once = true;
  assert_int_equal(run_long(&source, true, 0, 0, 1).direct_bytes, 0);
  assert_int_equal(qn_memory_live(), live);
  free(arrays.memory);
}

/* What may not be pinned, or cannot be, is gathered. */
TEST(what_is_not_pinned_is_gathered) {
  struct arrays arrays;
  fill_arrays(&arrays);
  const struct qn_unit_source source = long_source(&arrays);
  const uint64_t stages = 5 * qn_unit_stream_least(&source);
  for (uint64_t more = 0; more < 300000; more += 50000) {
    const struct long_run run = run_long(&source, true, stages + more, 0, more);
    assert_true(run.pin_bytes <= stages + more);
  }
  for (uint64_t nth = 1; nth < 40; nth += 3) {
    const struct long_run run = run_long(&source, true, 0, nth, nth);
    assert_true(run.refused);
    assert_int_equal(run.direct_bytes > 0, nth > 1);
    assert_int_equal(run.pin_bytes > 0, nth > 1);
  }
  free(arrays.memory);
}

/* What a request and a sector cost follows from three rates; from nonsense an H200's. */
TEST(costs_of_reading) {
  const struct qn_read_costs h200 = qn_read_costs_of(55e9, 750e6, 400e6);
  assert_true(h200.request == 52 && h200.sector == 21);
  const struct qn_read_costs slow_bus = qn_read_costs_of(12e9, 300e6, 90e6);
  assert_true(slow_bus.request == 9 && slow_bus.sector == 31);
  const double nonsense[][3] = {
      {0, 0, 0}, {55e9, 0, 400e6}, {55e9, 400e6, 750e6}, {-1, 1, 1}, {55e9, 750e6, 1}};
  for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
    const struct qn_read_costs usual =
        qn_read_costs_of(nonsense[i][0], nonsense[i][1], nonsense[i][2]);
    assert_true(usual.request == 48 && usual.sector == 22);
  }
}

TEST_MAIN(NULL, NULL)
