/* GTS's cost model: what of a streamed run it counts, and how near it is to runs that were
 * measured. */
#include "helpers/test.h"
#include "runtime/watch/cost_model.h"

static void event(struct qn_cost_model *model, const char *what, double begin, double end) {
  qn_cost_model_event(model, &(struct qn_stream_event){.what = what, .begin = begin, .end = end});
}

static void iteration(struct qn_cost_model *model, uint64_t bytes, uint64_t batches,
                      double seconds) {
  const struct qn_device_iteration device = {.moved = {.moved_bytes = bytes, .batches = batches}};
  const struct qn_iteration told = {.seconds = seconds, .device = &device};
  qn_cost_model_iteration(model, &told, 0);
}

static double number(const struct qn_cost_model *model, const struct qn_stream_plan *plan,
                     const char *key) {
  json_t *json = qn_cost_model_json(model, plan);
  const double value = json_number_value(json_object_get(json, key));
  json_decref(json);
  return value;
}

static void expect(double expected, double found) {
  if (!(found >= expected - 1e-9 && found <= expected + 1e-9))
    fail_msg("expected %g, found %g", expected, found);
}

static const struct qn_stream_plan PLAN = {
    .copy_rate = 50e9, .call_seconds = 2e-6, .attribute_bytes = (uint64_t)1 << 30};

/* Kernels that run side by side, and while others are copied, are no time of their own. */
TEST(kernels_hidden_by_copies) {
  struct qn_cost_model model;
  qn_cost_model_begin(&model, 1);
  event(&model, "kernel", 0.090, 0.103); /* the last to end, in any order */
  event(&model, "copy", 0.080, 0.101);
  event(&model, "kernel", 0.010, 0.099);
  event(&model, "copy", 0, 0.080);
  iteration(&model, 5000000000, 100, 0.104);
  expect(0.002, number(&model, &PLAN, "last_kernels"));
  expect(0.102, number(&model, &PLAN, "model"));
  expect(0.102, number(&model, &PLAN, "kernels"));
  /* of a later iteration; everything is on the device: nothing hides the kernel */
  event(&model, "kernel", 0.110, 0.115);
  iteration(&model, 0, 1, 0.006);
  expect(0.007, number(&model, &PLAN, "last_kernels"));
  expect(0.110, number(&model, &PLAN, "measured"));
  /* a copy that ended after all kernels: nothing is left of them */
  event(&model, "kernel", 0.120, 0.125);
  event(&model, "copy", 0.120, 0.130);
  iteration(&model, 500000000, 1, 0.011);
  expect(0.007, number(&model, &PLAN, "last_kernels"));
}

/* Launches go on while batches are moved; attributes are copied outside of iterations. */
TEST(calls_and_attributes) {
  struct qn_cost_model model;
  qn_cost_model_begin(&model, 1);
  iteration(&model, 5000000000, 20000, 0.1);
  expect(0, number(&model, &PLAN, "calls"));
  expect(0.1, number(&model, &PLAN, "model"));
  iteration(&model, 0, 40000, 0.02);
  expect(0.02, number(&model, &PLAN, "calls"));
  expect(0.12, number(&model, &PLAN, "model"));
  expect(2.0 * (1 << 30) / 50e9, number(&model, &PLAN, "attributes"));
}

/* Runs on R-MAT of scale 23 on an H200 (bench/results/papers-gts-model.json at 0f3ed55): how long
 * they took, at what rate, and that of the bus (gpu-limits.json). */
TEST(runs_as_measured) {
  static const struct {
    double seconds, rate;
    unsigned iterations;
  } runs[] = {
      {0.1446, 49.28e9, 6}, {0.4172, 49.89e9, 10}, {0.2135, 49.43e9, 8}, {0.2174, 49.07e9, 7}};
  const struct qn_stream_plan plan = {
      .copy_rate = 55.23e9, .call_seconds = 2.5e-6, .attribute_bytes = (uint64_t)24 << 23};
  for (unsigned i = 0; i < sizeof runs / sizeof *runs; i++) {
    struct qn_cost_model model;
    qn_cost_model_begin(&model, 1);
    double now = 0;
    for (unsigned n = 0; n < runs[i].iterations; n++) {
      const double seconds = runs[i].seconds / runs[i].iterations;
      const double bytes = seconds * runs[i].rate;
      /* Sixteen streams: kernels of 15 ms and more, all but their last millisecond beside copies.
       */
      event(&model, "copy", now, now + seconds - 1e-3);
      for (unsigned stream = 0; stream < 16; stream++)
        event(&model, "kernel", now + 1e-3, now + seconds - 1e-3 * stream / 16);
      now += seconds;
      iteration(&model, (uint64_t)bytes, (uint64_t)(bytes / 1e6), seconds);
    }
    const double ratio = number(&model, &plan, "model") / number(&model, &plan, "measured");
    if (ratio < 0.8 || ratio > 1.2)
      fail_msg("run %u: the model is %.2f of what was measured", i, ratio);
  }
}

/* Read from disks while batches are moved: an iteration takes the longer of both. */
TEST(disks_beyond_transfers) {
  struct qn_cost_model model;
  qn_cost_model_begin(&model, 2);
  qn_cost_model_plan(&model, &PLAN, 2e9, 700000000); /* read until then, which no iteration did */
  const struct qn_device_iteration device = {.moved = {.moved_bytes = 5000000000, .batches = 10}};
  const struct qn_iteration told = {.seconds = 1.02, .device = &device};
  qn_cost_model_iteration(&model, &told, 2700000000); /* 1 s of reading, 0.1 s of moving */
  expect(0.9, number(&model, &PLAN, "storage"));
  expect(1.0, number(&model, &PLAN, "model"));
  qn_cost_model_iteration(&model, &told, 2800000000); /* 0.05 s, hidden */
  expect(0.9, number(&model, &PLAN, "storage"));
  expect(1.1, number(&model, &PLAN, "model"));
  expect(2.1e9, number(&model, &PLAN, "storage_bytes"));
  expect(2e9, number(&model, &PLAN, "disk_bytes_per_second"));
  json_t *json = qn_cost_model_json(&model, &PLAN);
  assert_string_equal(json_string_value(json_object_get(json, "bound")), "storage");
  json_decref(json);
  /* in memory, as no rate of a disk was to be had */
  qn_cost_model_begin(&model, 1);
  qn_cost_model_plan(&model, &PLAN, 0, 0);
  qn_cost_model_iteration(&model, &told, 1000000);
  expect(0, number(&model, &PLAN, "storage"));
}

TEST_MAIN(NULL, NULL)
