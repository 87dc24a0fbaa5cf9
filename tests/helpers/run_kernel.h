/* Running kernels of the graph layout on graphs in memory, in cmocka tests. */
#pragma once

#include <math.h>

#include "kernels/registry.h"
#include "support/memory.h"
#include "support/threads.h"
#include "tests/helpers/memory_graph.h"

static const unsigned THREADS[] = {1, 2, 3, 7};

/* Run with every number of threads; the results must be equal, bit for bit. */
static inline struct qn_run_result run_kernel_from(const char *algorithm,
                                                   const struct qn_graph *graph,
                                                   const uint32_t *sources, uint32_t num_sources,
                                                   uint32_t max_iterations) {
  const struct qn_kernel *kernel =
      qn_kernel_find(algorithm, QN_LAYOUT_GRAPH, QN_CPU, graph->out.weights.type);
  assert_non_null(kernel);
  struct qn_run_result first = {0};
  for (unsigned i = 0; i < sizeof THREADS / sizeof *THREADS; i++) {
    qn_threads_set(THREADS[i]);
    struct qn_run_request request = qn_run_request_for(kernel, graph);
    struct qn_run_result result;
    struct qn_error error;
    uint64_t live = qn_memory_live();
    request.inputs.sources = sources;
    request.inputs.num_sources = num_sources;
    if (max_iterations) {
      request.limits.max_iterations = max_iterations;
      request.limits.tolerance = 0;
    }
    assert_int_equal(kernel->run(&request, &result, &error), QN_OK);
    assert_int_equal(qn_memory_live(), live + (kernel->algorithm->counts ? 0 : 1));
    assert_int_equal(result.num_values, kernel->algorithm->counts ? 0 : graph->out.num_vertices);
    if (i == 0) {
      first = result;
      continue;
    }
    assert_int_equal(first.shape, result.shape);
    if (result.shape == QN_SHAPE_NUMBER)
      assert_int_equal(first.number, result.number);
    if (result.num_values)
      assert_memory_equal(first.values, result.values,
                          result.num_values * qn_result_bytes(result.type));
    qn_run_result_destroy(&result);
  }
  return first;
}

static inline struct qn_run_result run_kernel(const char *algorithm, const struct qn_graph *graph,
                                              uint32_t source, uint32_t max_iterations) {
  return run_kernel_from(algorithm, graph, &source, 1, max_iterations);
}

static inline double value_of(const struct qn_run_result *result, uint64_t v) {
  switch (result->type) {
  case QN_RESULT_U32: {
    uint32_t value = ((const uint32_t *)result->values)[v];
    return value == UINT32_MAX ? INFINITY : (double)value;
  }
  case QN_RESULT_U64: {
    uint64_t value = ((const uint64_t *)result->values)[v];
    return value == UINT64_MAX ? INFINITY : (double)value;
  }
  case QN_RESULT_F32:
    return (double)((const float *)result->values)[v];
  default:
    return ((const double *)result->values)[v];
  }
}

static inline void assert_close(double expected, double actual, double tolerance) {
  if (expected == actual)
    return;
  if (!(fabs(expected - actual) <= tolerance * fabs(expected)))
    fail_msg("expected %.9g, got %.9g", expected, actual);
}
