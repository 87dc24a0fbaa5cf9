/* A program from outside of kernels/programs, the worked example of its README, compiled with an
 * engine here and compared with a plain reference. */

#define QN_KERNEL widest_kernel
#include "helpers/test.h"
#include "tests/programs/widest.h"

#include "kernels/cpu/csr/engine.h"
#include "kernels/registry.h"
#include "tests/helpers/memory_graph.h"

static uint32_t *naive_widths(const struct test_edges *edges, enum qn_weight_type type,
                              uint32_t source) {
  uint32_t *width = calloc((uint64_t)edges->num_vertices + 1, sizeof *width);
  width[source] = UINT32_MAX;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint64_t i = 0; i < edges->count; i++) {
      const struct test_edge *edge = &edges->list[i];
      uint32_t capacity = type == QN_WEIGHT_NONE ? 1 : edge->weight;
      uint32_t offer = width[edge->source] < capacity ? width[edge->source] : capacity;
      if (offer > width[edge->destination]) {
        width[edge->destination] = offer;
        changed = true;
      }
    }
  }
  return width;
}

static void check(const struct test_edges *edges, enum qn_weight_type type, bool transpose,
                  enum qn_directedness directedness) {
  struct qn_graph graph = test_graph(edges, type, directedness, transpose);
  uint32_t source = edges->num_vertices / 2;
  uint32_t *expected = naive_widths(edges, type, source);
  for (unsigned threads = 1; threads <= 4; threads += 3) {
    struct qn_run_request request = qn_run_request_for(&widest_kernel, &graph);
    struct qn_run_result result;
    struct qn_error error;
    qn_threads_set(threads);
    request.inputs.sources = &source;
    request.inputs.num_sources = 1;
    assert_int_equal(widest_kernel.run(&request, &result, &error), QN_OK);
    assert_int_equal(result.num_values, edges->num_vertices);
    assert_memory_equal(expected, result.values, edges->num_vertices * sizeof *expected);
    qn_run_result_destroy(&result);
  }
  free(expected);
  test_graph_free(&graph);
}

TEST(test_widest) {
  struct test_edges edges = test_random_edges(400, 3000, true, 11);
  check(&edges, QN_WEIGHT_U32, false, QN_DIRECTED);
  check(&edges, QN_WEIGHT_U32, true, QN_DIRECTED);
  check(&edges, QN_WEIGHT_NONE, true, QN_DIRECTED);
  test_symmetrize(&edges);
  check(&edges, QN_WEIGHT_U32, false, QN_UNDIRECTED);
  free(edges.list);
}

TEST(test_traits) {
  const struct qn_algorithm *algorithm = widest_kernel.algorithm;
  assert_string_equal(algorithm->name, "widest");
  assert_int_equal(algorithm->inputs, QN_INPUT_SOURCE);
  assert_int_equal(algorithm->num_parameters, 1);
  assert_string_equal(algorithm->parameters[0].name, "iterations");
  assert_int_equal(widest_kernel.traits,
                   QN_KERNEL_WEIGHTS | QN_KERNEL_NON_NEGATIVE | QN_KERNEL_ANY_ORDER);
}

TEST_MAIN(NULL, NULL)
