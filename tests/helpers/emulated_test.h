/* Every CUDA program of a layout, run by the emulator in several orders of threads, against the
 * graph layout's kernels on the CPU. */
#pragma once

/* The emulator takes its time. */
#define MOST_INTERRUPTIONS 3
#define MOST_ITERATIONS 5

#include "emulator.h"
#include "helpers/engine_test.h"
#include "helpers/turns.h"

static inline void new_machine(uint64_t seed, uint64_t fail_nth) {
  struct emulator_options options = emulator_defaults();
  options.seed = seed;
  options.fail_nth = fail_nth;
  emulator_reset(&options);
}

static inline bool is_emulated(const struct qn_kernel *kernel, enum qn_layout layout,
                               const struct qn_graph *graph) {
  return kernel->layout == layout && kernel->processor == QN_CUDA &&
         !(kernel->traits & QN_KERNEL_SHARES_ROWS) &&
         kernel->weight_types & 1u << graph->out.weights.type &&
         !(kernel->traits & QN_KERNEL_SYMMETRIC && graph->directedness != QN_UNDIRECTED) &&
         !(kernel->algorithm->inputs & QN_ANY_SOURCES && graph->out.num_vertices == 0);
}

static inline void machine_of_seed(unsigned seed) {
  new_machine(seed, 0);
}

/* `view` is of `layout` and was built from `graph`. */
static inline void compare_emulated(const struct qn_graph *graph, enum qn_layout layout,
                                    const void *view, uint64_t seeds) {
  uint32_t source = (uint32_t)(graph->out.num_vertices / 3);
  static unsigned rounds;
  unsigned ran = 0, round = rounds++;
  for (const struct qn_kernel *const *kernel = qn_kernels(); *kernel; kernel++) {
    if (!is_emulated(*kernel, layout, graph) || !has_its_turn(*kernel, round))
      continue;
    const struct qn_kernel *reference = qn_kernel_find((*kernel)->algorithm->name, QN_LAYOUT_GRAPH,
                                                       QN_CPU, graph->out.weights.type);
    assert_non_null(reference);
    struct qn_run_result expected = run_for_test(reference, graph, source, NULL);
    for (uint64_t seed = 1; seed <= seeds; seed++) {
      new_machine(seed, 0);
      struct qn_run_result result = run_for_test(*kernel, view, source, NULL);
      assert_same_results((*kernel)->algorithm->name, &expected, &result);
      assert_true(result.stats.kernel_seconds > 0);
      assert_int_equal(emulator_live(), 0);
      qn_run_result_destroy(&result);
    }
    if ((*kernel)->value_bytes && graph->out.num_edges <= 1000) {
      struct qn_run_request request = request_for_test(*kernel, view, &source, NULL);
      struct qn_device_run device = {0};
      request.device = &device;
      resume_everywhere(*kernel, &request);
      assert_int_equal(emulator_live(), 0);
    }
    qn_run_result_destroy(&expected);
    ran++;
  }
  assert_true(ran >= 3);
  compare_derived(graph, layout, QN_CUDA, view, source, NULL, machine_of_seed);
  assert_int_equal(emulator_live(), 0);
}

/* Let each call of the CUDA runtime fail in turn: an error each time, and nothing left over. */
static inline void fail_device_calls(enum qn_layout layout, const void *view) {
  uint32_t source = 0;
  uint64_t live = qn_memory_live();
  for (const struct qn_kernel *const *kernel = qn_kernels(); *kernel; kernel++) {
    if ((*kernel)->layout != layout || (*kernel)->processor != QN_CUDA ||
        (*kernel)->traits & QN_KERNEL_SHARES_ROWS || !has_its_turn(*kernel, 0))
      continue;
    struct qn_run_request request = qn_run_request_for(*kernel, view);
    struct qn_device_run device = {0};
    request.device = &device;
    struct qn_run_result result = {0};
    struct qn_error error;
    request.inputs.sources = &source;
    request.inputs.num_sources = 1;
    request.limits.max_iterations = 2;
    enum qn_status status = QN_DEVICE;
    for (uint64_t n = 1; status; n++) {
      new_machine(0, n);
      status = (*kernel)->run(&request, &result, &error);
      assert_true(status == QN_OK || status == QN_DEVICE);
      assert_int_equal(emulator_live(), 0);
      assert_int_equal(qn_memory_live(), live + (result.values != NULL));
    }
    qn_run_result_destroy(&result);
  }
}

/* Small graphs of every shape: the emulator takes its time. */
static inline void each_emulated_graph(void (*visit)(const struct qn_graph *)) {
  visit_and_free(graph_from_edges(NULL, 0, 0, QN_WEIGHT_NONE), visit);
  visit_and_free(graph_from_edges(NULL, 0, 40, QN_WEIGHT_F32), visit);
  visit_and_free(graph_from_edges((struct test_edge[]){{.weight = 3}}, 1, 1, QN_WEIGHT_U32), visit);
  visit_and_free(random_graph(60, 300, QN_WEIGHT_U32, 0, 1), visit);
  visit_and_free(random_graph(500, 2000, QN_WEIGHT_F32, 1, 2), visit);
  visit_and_free(random_graph(1100, 3000, QN_WEIGHT_NONE, 2, 3), visit);
  visit_and_free(random_undirected(900, 5000, QN_WEIGHT_U32, 6), visit);
  visit_and_free(path_graph(70), visit);
  visit_and_free(hub_graph(400, 9000), visit);
}
