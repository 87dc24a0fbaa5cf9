/* Every CUDA program of a layout, streamed with little device memory in the emulator, against the
 * graph layout's kernels on the CPU. */
#pragma once

#include "helpers/emulated_test.h"

/* What the runs of a test did, so that it can tell whether it tested anything. */
struct streamed_counts {
  unsigned streamed, resident, refused;
  uint64_t hits, moved_units, moved_bytes, direct_bytes, active_units, evicting;
};

static inline void count_plan(void *user, const struct qn_stream_plan *plan) {
  struct streamed_counts *counts = user;
  assert_true(plan->streams);
  if (plan->num_streams == 0) { /* edges are read in pinned memory of the host */
    assert_true(plan->topology_bytes > 0 && plan->pin_bytes == plan->topology_bytes);
    return;
  }
  assert_in_range(plan->num_streams, 1, QN_MAX_STREAMS);
  assert_true(plan->batch_bytes > plan->unit_bytes);
  counts->evicting += plan->cache_units > 0 && plan->cache_units < plan->num_units;
}

static inline void count_moved(void *user, const struct qn_iteration *iteration) {
  struct streamed_counts *counts = user;
  const struct qn_device_iteration device = qn_iteration_on_devices(iteration);
  const struct qn_stream_figures *moved = &device.moved;
  assert_int_equal(moved->active_units, moved->cache_hits + moved->moved_units);
  assert_true(moved->batches <= moved->active_units);
  counts->active_units += moved->active_units;
  counts->hits += moved->cache_hits;
  counts->moved_units += moved->moved_units;
  counts->moved_bytes += moved->moved_bytes;
  counts->direct_bytes += moved->direct_bytes;
}

/* Iterations of programs whose vertices are all active: in the second one the cache is full. */
#define STREAMED_ITERATIONS 4

static inline void limit_iterations(const struct qn_kernel *kernel,
                                    struct qn_run_request *request) {
  if (kernel->traits & QN_KERNEL_ALL_ACTIVE && request->limits.max_iterations > STREAMED_ITERATIONS)
    request->limits.max_iterations = STREAMED_ITERATIONS;
}

static inline struct qn_run_request streamed_request(const struct qn_kernel *kernel,
                                                     const void *view, const uint32_t *source,
                                                     struct qn_device_run *device,
                                                     struct streamed_counts *counts) {
  struct qn_run_request request = request_for_test(kernel, view, source, NULL);
  *device = (struct qn_device_run){.streaming = {.on_plan = count_plan, .user = counts}};
  request.device = device;
  limit_iterations(kernel, &request);
  request.hooks.on_iteration = count_moved;
  request.hooks.user = counts;
  return request;
}

/* Run with at most `budget` bytes; false if that is not enough. */
static inline bool run_streamed(const struct qn_kernel *kernel,
                                const struct qn_run_request *request,
                                const struct qn_run_result *expected,
                                struct streamed_counts *counts) {
  struct qn_run_result result;
  struct qn_error error = {0};
  uint64_t live = qn_memory_live();
  enum qn_status status = kernel->run(request, &result, &error);
  assert_int_equal(emulator_live(), 0);
  if (status) {
    assert_int_equal(status, QN_DEVICE);
    assert_non_null(strstr(error.message, "not enough device memory"));
    assert_int_equal(qn_memory_live(), live);
    counts->refused++;
    return false;
  }
  assert_true(request->device->memory == 0 || emulator_peak_bytes() <= request->device->memory);
  if (request->device->report.plan.streams)
    counts->streamed++;
  else
    counts->resident++;
  assert_same_results(kernel->algorithm->name, expected, &result);
  qn_run_result_destroy(&result);
  assert_int_equal(qn_memory_live(), live);
  return true;
}

/* What a run takes when all is resident. */
static inline uint64_t resident_bytes(const struct qn_kernel *kernel, const void *view,
                                      const uint32_t *source) {
  struct streamed_counts counts = {0};
  struct qn_device_run device;
  struct qn_run_request request = streamed_request(kernel, view, source, &device, &counts);
  struct qn_run_result result;
  struct qn_error error;
  new_machine(0, 0);
  assert_int_equal(kernel->run(&request, &result, &error), QN_OK);
  assert_false(request.device->report.plan.streams);
  qn_run_result_destroy(&result);
  return emulator_peak_bytes();
}

/* Bytes that device memory is found to be enough within. */
#define BUDGET_STEP 64

/* Nearly the least budget that is enough, by bisection: `enough` is. BUDGET_STEP less is not. */
static inline uint64_t least_budget(const struct qn_kernel *kernel, struct qn_run_request request,
                                    uint64_t enough) {
  struct streamed_counts ignored = {0};
  struct qn_device_run device = *request.device;
  uint64_t too_little = 0;
  request.device = &device;
  request.hooks.user = request.device->streaming.user = &ignored;
  request.limits.max_iterations = 1;
  while (enough - too_little > BUDGET_STEP) {
    struct qn_run_result result;
    struct qn_error error;
    request.device->memory = too_little + (enough - too_little) / 2;
    new_machine(0, 0);
    if (kernel->run(&request, &result, &error)) {
      too_little = request.device->memory;
    } else {
      enough = request.device->memory;
      qn_run_result_destroy(&result);
    }
  }
  return enough;
}

/* From everything down to one unit of each kind, with 1, 2, 3 and 32 streams. */
static inline void stream_budgets(const struct qn_kernel *kernel, const void *view,
                                  const uint32_t *source, const struct qn_run_result *expected,
                                  struct streamed_counts *counts) {
  static const unsigned streams[] = {1, 2, 3, 32};
  struct qn_device_run device;
  struct qn_run_request request = streamed_request(kernel, view, source, &device, counts);
  const uint64_t all = resident_bytes(kernel, view, source);
  const uint64_t least = least_budget(kernel, request, all);
  for (unsigned step = 0; step <= 4; step++) {
    request.device->memory = least + (all - least) * step / 4;
    request.device->streaming.num_streams = streams[step % 4];
    new_machine(step + 1, 0);
    assert_true(run_streamed(kernel, &request, expected, counts));
  }
  request.device->memory = least - BUDGET_STEP;
  request.limits.max_iterations = 1; /* as the least was found: whole runs may do with less */
  new_machine(0, 0);
  assert_false(run_streamed(kernel, &request, expected, counts));
}

/* Let each call of the CUDA runtime, then each allocation, fail in turn in a run that streams
 * through a small cache: an error each time, unless it is a call that can be done without, and
 * nothing left over. */
static inline void fail_streamed(const struct qn_kernel *kernel, const void *view) {
  const uint32_t source = 0;
  const uint64_t live = qn_memory_live();
  struct streamed_counts counts = {0};
  struct qn_device_run device;
  struct qn_run_request request = streamed_request(kernel, view, &source, &device, &counts);
  const uint64_t all = resident_bytes(kernel, view, &source);
  const uint64_t least = least_budget(kernel, request, all);
  request.limits.max_iterations = 2;
  request.device->memory = least + (all - least) / 4;
  request.device->streaming.num_streams = 2;
  for (int host = 0; host < 2; host++) {
    bool failed = true;
    for (uint64_t n = 1; failed; n++) {
      struct qn_run_result result = {0};
      struct qn_error error;
      new_machine(0, host ? 0 : n);
      qn_memory_fail_nth(host ? n : 0);
      const enum qn_status status = kernel->run(&request, &result, &error);
      failed = status || (!host && emulator_calls() >= n);
      qn_memory_fail_nth(0);
      assert_true(status == QN_OK || status == (host ? QN_SYSTEM : QN_DEVICE));
      assert_int_equal(emulator_live(), 0);
      assert_int_equal(qn_memory_live(), live + (status == QN_OK));
      assert_true(status || request.device->report.plan.streams);
      qn_run_result_destroy(&result);
    }
  }
}

/* Is its topology not always resident? */
static inline bool can_stream(const struct qn_kernel *kernel) {
  const bool is_own =
      kernel->traits & QN_KERNEL_NO_FRONTIER || strcmp(kernel->algorithm->name, "tc") == 0;
  if (kernel->layout == QN_LAYOUT_GRAPH && is_own)
    return strcmp(kernel->algorithm->name, "cc") == 0;
  const bool on_pages_alone = strcmp(kernel->algorithm->name, "bc") == 0 ||
                              strcmp(kernel->algorithm->name, "cross-edges") == 0;
  return strcmp(kernel->algorithm->name, "tc") &&
         (!on_pages_alone || kernel->layout == QN_LAYOUT_SLOTTED_PAGES);
}

/* The result of the graph layout's kernel on the CPU. */
static inline struct qn_run_result
streamed_reference(const char *algorithm, const struct qn_graph *graph, const uint32_t *source) {
  const struct qn_kernel *kernel =
      qn_kernel_find(algorithm, QN_LAYOUT_GRAPH, QN_CPU, graph->out.weights.type);
  assert_non_null(kernel);
  struct qn_run_request request = request_for_test(kernel, graph, source, NULL);
  struct qn_run_result result;
  struct qn_error error;
  limit_iterations(kernel, &request);
  assert_int_equal(kernel->run(&request, &result, &error), QN_OK);
  return result;
}

/* `view` is of `layout` and was built from `graph`. */
static inline void compare_streamed(const struct qn_graph *graph, enum qn_layout layout,
                                    const void *view, struct streamed_counts *counts) {
  static unsigned rounds;
  const uint32_t source = (uint32_t)(graph->out.num_vertices / 3);
  const unsigned round = rounds++;
  for (const struct qn_kernel *const *kernel = qn_kernels(); *kernel; kernel++) {
    if (!is_emulated(*kernel, layout, graph) || !can_stream(*kernel) ||
        !has_its_turn(*kernel, round))
      continue;
    struct qn_run_result expected = streamed_reference((*kernel)->algorithm->name, graph, &source);
    stream_budgets(*kernel, view, &source, &expected, counts);
    qn_run_result_destroy(&expected);
  }
}

/* The same for one algorithm. */
static inline void compare_streamed_one(const char *algorithm, const struct qn_graph *graph,
                                        enum qn_layout layout, const void *view,
                                        struct streamed_counts *counts) {
  const uint32_t source = (uint32_t)(graph->out.num_vertices / 3);
  const struct qn_kernel *kernel =
      qn_kernel_find(algorithm, layout, QN_CUDA, graph->out.weights.type);
  assert_non_null(kernel);
  struct qn_run_result expected = streamed_reference(algorithm, graph, &source);
  stream_budgets(kernel, view, &source, &expected, counts);
  qn_run_result_destroy(&expected);
}

static inline const struct qn_kernel *cuda_kernel(const char *algorithm, enum qn_layout layout) {
  const struct qn_kernel *kernel = qn_kernel_find(algorithm, layout, QN_CUDA, QN_WEIGHT_U32);
  assert_non_null(kernel);
  return kernel;
}

/* `size` times as large as pages and partitions need; rows are cut into larger units. */
static inline void each_streamed_graph(struct streamed_counts *counts, uint32_t size,
                                       void (*visit)(const struct qn_graph *)) {
  memset(counts, 0, sizeof *counts);
  visit_and_free(graph_from_edges(NULL, 0, 40, QN_WEIGHT_F32), visit);
  visit_and_free(random_graph(60, 300, QN_WEIGHT_U32, 0, 1), visit);
  visit_and_free(random_graph(150 * size, 600 * size, QN_WEIGHT_F32, 1, 2), visit);
  visit_and_free(random_undirected(300 * size, 1500 * size, QN_WEIGHT_U32, 6), visit);
  visit_and_free(path_graph(40 * size), visit);
  visit_and_free(hub_graph(200 * size, 2500 * size), visit);
}

/* Did the budgets make the runs do what is to be tested? */
static inline void assert_tested_by(const struct streamed_counts *counts, unsigned least) {
  assert_true(counts->streamed > 5 * least);
  assert_true(counts->resident > least);
  assert_true(counts->refused > least);
  assert_true(counts->hits > 0 && counts->moved_units > counts->hits / 10);
  assert_true(counts->evicting > least);
}

static inline void assert_tested(const struct streamed_counts *counts) {
  assert_tested_by(counts, 12);
  assert_true(counts->direct_bytes > 0 && counts->direct_bytes < counts->moved_bytes);
}
