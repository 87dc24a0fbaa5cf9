/* Every program on a layout against the graph layout's kernels, which are tested against naive
 * references, for several numbers of threads. */
#pragma once

#include <math.h>

#include "helpers/random_graph.h"
#include "helpers/resume_test.h"
#include "helpers/round_trip.h"
#include "helpers/scratch.h"
#include "helpers/test.h"
#include "kernels/device_run.h"
#include "kernels/sample.h"
#include "support/memory.h"
#include "support/threads.h"
#include <quern/transpose.h>

/* Of programs that would go on until values hardly change. */
#ifndef MOST_ITERATIONS
#define MOST_ITERATIONS 12
#endif

static inline double engine_value(const struct qn_run_result *result, uint64_t v) {
  switch (result->type) {
  case QN_RESULT_U32:
    return (double)((const uint32_t *)result->values)[v];
  case QN_RESULT_U64:
    return (double)((const uint64_t *)result->values)[v];
  case QN_RESULT_F32:
    return (double)((const float *)result->values)[v];
  default:
    return ((const double *)result->values)[v];
  }
}

/* Whole numbers equal; real ones to 1e-5 of the value, or of the largest one where values cancel.
 */
static inline void assert_same_results(const char *what, const struct qn_run_result *expected,
                                       const struct qn_run_result *actual) {
  double largest = 0;
  assert_int_equal(expected->type, actual->type);
  assert_int_equal(expected->num_values, actual->num_values);
  /* What takes several sources gives a column for each, of which there is one here. */
  if (actual->shape != QN_SHAPE_COLUMNS || qn_result_width(actual) != 1)
    assert_int_equal(expected->shape, actual->shape);
  if (expected->shape == QN_SHAPE_NUMBER)
    assert_int_equal(expected->number, actual->number);
  for (uint64_t v = 0; v < expected->num_values; v++)
    if (isfinite(engine_value(expected, v)))
      largest = fmax(largest, fabs(engine_value(expected, v)));
  for (uint64_t v = 0; v < expected->num_values; v++) {
    double a = engine_value(expected, v), b = engine_value(actual, v);
    bool real = expected->type == QN_RESULT_F32 || expected->type == QN_RESULT_F64;
    if (a != b && !(real && fabs(a - b) <= fmax(1e-5 * fabs(a), 1e-9 * largest)))
      fail_msg("%s: vertex %llu: expected %.9g, got %.9g", what, (unsigned long long)v, a, b);
  }
}

static inline struct qn_run_request request_for_test(const struct qn_kernel *kernel,
                                                     const void *view, const uint32_t *source,
                                                     const uint32_t *positions) {
  struct qn_run_request request = qn_run_request_for(kernel, view);
  request.inputs.sources = source;
  request.inputs.num_sources = 1;
  request.positions = positions;
  request.limits.tolerance = 0;
  if (request.limits.max_iterations > MOST_ITERATIONS &&
      request.limits.max_iterations != UINT32_MAX)
    request.limits.max_iterations = MOST_ITERATIONS;
  return request;
}

/* The pieces of memory that a result has. */
static inline uint64_t pieces_of(const struct qn_run_result *result) {
  uint64_t pieces = result->values != NULL;
  if (result->shape == QN_SHAPE_PAIRS)
    return pieces + (result->pairs.first != NULL) + (result->pairs.second != NULL);
  if (result->shape == QN_SHAPE_PATH)
    return pieces + (result->path != NULL);
  const struct qn_sample *sample = result->shape == QN_SHAPE_SAMPLE ? result->sample : NULL;
  if (sample)
    pieces += 1 + (sample->nodes != NULL) + (sample->from != NULL) + (sample->to != NULL) +
              (sample->node_ends != NULL) + (sample->edge_ends != NULL);
  return pieces;
}

static inline struct qn_run_result run_for_test(const struct qn_kernel *kernel, const void *view,
                                                uint32_t source, const uint32_t *positions) {
  struct qn_run_request request = request_for_test(kernel, view, &source, positions);
  struct qn_device_run device = {0};
  struct qn_run_result result;
  struct qn_error error = {0};
  request.device = &device;
  uint64_t live = qn_memory_live();
  if (kernel->run(&request, &result, &error))
    fail_msg("%s: %s", kernel->algorithm->name, error.message);
  assert_int_equal(qn_memory_live(), live + pieces_of(&result));
  assert_true(kernel->processor == QN_CPU || device.report.figures.kernel_seconds > 0);
  return result;
}

/* The graph layout's on the CPU; of a directed graph what stands in for one of undirected graphs.
 */
static inline const struct qn_kernel *reference_for(const struct qn_kernel *kernel,
                                                    const struct qn_graph *graph) {
  const struct qn_kernel *reference =
      qn_kernel_find(kernel->algorithm->name, QN_LAYOUT_GRAPH, QN_CPU, graph->out.weights.type);
  assert_non_null(reference);
  if (reference->traits & QN_KERNEL_SYMMETRIC && graph->directedness != QN_UNDIRECTED)
    reference = qn_stand_in_find(reference);
  assert_non_null(reference);
  return reference;
}

/* Is it for directed graphs alone, and this is none? */
static inline bool stands_aside(const struct qn_kernel *kernel, const struct qn_graph *graph) {
  return kernel->traits & QN_KERNEL_STANDS_IN && graph->directedness == QN_UNDIRECTED &&
         reference_for(kernel, graph)->traits & QN_KERNEL_SYMMETRIC;
}

/* The same bits for any number of threads (one will do to watch memory), and the same results as on
 * the graph layout. */
static inline void compare_kernel(const struct qn_kernel *kernel, const struct qn_graph *graph,
                                  const void *view, uint32_t source, const uint32_t *positions) {
#ifdef __SANITIZE_ADDRESS__
  static const unsigned threads[] = {3};
#else
  static const unsigned threads[] = {1, 2, 3};
#endif
  struct qn_run_result expected =
                           run_for_test(reference_for(kernel, graph), graph, source, positions),
                       first = {0};
  for (unsigned i = 0; i < sizeof threads / sizeof threads[0]; i++) {
    qn_threads_set(threads[i]);
    struct qn_run_result result = run_for_test(kernel, view, source, positions);
    assert_same_results(kernel->algorithm->name, &expected, &result);
    if (i == 0) {
      first = result;
      continue;
    }
    assert_memory_equal(first.values, result.values,
                        result.num_values * qn_result_bytes(result.type));
    qn_run_result_destroy(&result);
  }
  qn_threads_set(0);
  qn_run_result_destroy(&first);
  qn_run_result_destroy(&expected);
  if (kernel->value_bytes && graph->out.num_edges <= 60000) {
    struct qn_run_request request = request_for_test(kernel, view, &source, positions);
    resume_everywhere(kernel, &request);
  }
}

/* The results that a follower is given. */
static inline struct qn_run_result given_for_test(const struct qn_kernel *derived,
                                                  const struct qn_graph *graph, uint32_t source) {
  return run_for_test(
      qn_kernel_find(derived->algorithm->follows, QN_LAYOUT_GRAPH, QN_CPU, graph->out.weights.type),
      graph, source, NULL);
}

static inline struct qn_run_result follow_for_test(const struct qn_kernel *derived,
                                                   const void *view, uint32_t source,
                                                   const uint32_t *positions,
                                                   const struct qn_run_result *given) {
  struct qn_run_request request = request_for_test(derived, view, &source, positions);
  struct qn_device_run device = {0};
  struct qn_run_result result;
  struct qn_error error = {0};
  request.inputs.initial = given->values;
  request.device = &device;
  if (derived->run(&request, &result, &error))
    fail_msg("%s: %s", derived->algorithm, error.message);
  return result;
}

static inline void use_threads(unsigned threads) {
  qn_threads_set(threads);
}

/* Every kernel of this layout and processor that follows another, against the graph layout's. Calls
 * `prepare` with 1, 2 and 3 before a run. */
static inline void compare_derived(const struct qn_graph *graph, enum qn_layout layout,
                                   enum qn_processor processor, const void *view, uint32_t source,
                                   const uint32_t *positions, void (*prepare)(unsigned)) {
  enum qn_weight_type type = graph->out.weights.type;
  for (const struct qn_kernel *const *derived = qn_derived_kernels(); *derived; derived++) {
    if ((*derived)->layout != layout || (*derived)->processor != processor ||
        !((*derived)->weight_types & 1u << type) || graph->out.num_vertices == 0)
      continue;
    const struct qn_kernel *reference =
        qn_derived_find((*derived)->algorithm->follows, QN_LAYOUT_GRAPH, QN_CPU, type);
    struct qn_run_result given = given_for_test(*derived, graph, source);
    struct qn_run_result expected = follow_for_test(reference, graph, source, positions, &given);
    for (unsigned i = 1; i <= 3; i++) {
      prepare(i);
      struct qn_run_result result = follow_for_test(*derived, view, source, positions, &given);
      assert_same_results((*derived)->algorithm->name, &expected, &result);
      qn_run_result_destroy(&result);
    }
    if (graph->out.num_edges <= 1000) {
      struct qn_run_request request = request_for_test(*derived, view, &source, positions);
      struct qn_device_run device = {0};
      request.inputs.initial = given.values;
      request.device = &device;
      resume_everywhere(*derived, &request);
    }
    qn_run_result_destroy(&expected);
    qn_run_result_destroy(&given);
  }
}

/* Fail every allocation of every kernel of this layout in turn. */
static inline void fail_allocations(enum qn_layout layout, const void *view) {
  uint64_t live = qn_memory_live();
  uint32_t source = 0;
  for (const struct qn_kernel *const *kernel = qn_kernels(); *kernel; kernel++) {
    if ((*kernel)->layout != layout || (*kernel)->processor != QN_CPU)
      continue;
    struct qn_run_request request = qn_run_request_for(*kernel, view);
    struct qn_run_result result = {0};
    struct qn_error error;
    request.inputs.sources = &source;
    request.inputs.num_sources = 1;
    request.limits.max_iterations = 2;
    enum qn_status status = QN_SYSTEM;
    for (uint64_t n = 1; status; n++) {
      qn_memory_fail_nth(n);
      status = (*kernel)->run(&request, &result, &error);
      qn_memory_fail_nth(0);
      assert_true(status == QN_OK || status == QN_SYSTEM);
      if (status)
        assert_int_equal(qn_memory_live(), live);
    }
    qn_run_result_destroy(&result);
  }
}

/* Every kernel of this layout, on a view that was built from `graph`. */
static inline void compare_engines(const struct qn_graph *graph, enum qn_layout layout,
                                   const void *view) {
  uint64_t num_vertices = graph->out.num_vertices;
  unsigned ran = 0;
  uint32_t *positions = malloc((num_vertices + 1) * sizeof *positions);
  assert_non_null(positions);
  for (uint32_t v = 0; v < num_vertices; v++) /* the reverse order */
    positions[v] = (uint32_t)(num_vertices - 1 - v);
  for (const struct qn_kernel *const *kernel = qn_kernels(); *kernel; kernel++) {
    if ((*kernel)->layout != layout || (*kernel)->processor != QN_CPU ||
        !((*kernel)->weight_types & 1u << graph->out.weights.type))
      continue;
    if (((*kernel)->traits & QN_KERNEL_SYMMETRIC && graph->directedness != QN_UNDIRECTED) ||
        ((*kernel)->algorithm->inputs & QN_INPUT_SOURCE && num_vertices == 0) ||
        stands_aside(*kernel, graph))
      continue;
    compare_kernel(*kernel, graph, view, (uint32_t)(num_vertices / 3),
                   num_vertices % 2 ? NULL : positions);
    ran++;
  }
  assert_true(ran >= 3);
  compare_derived(graph, layout, QN_CPU, view, (uint32_t)(num_vertices / 3),
                  num_vertices % 2 ? NULL : positions, use_threads);
  qn_threads_set(0);
  free(positions);
}

/* Call `visit` with graphs of every shape; in-edges are at hand in all of them. */
static inline void visit_and_free(struct qn_graph graph, void (*visit)(const struct qn_graph *)) {
  struct qn_graph transposed = {0};
  struct qn_error error;
  if (!graph.has_transpose) {
    assert_int_equal(qn_graph_create_transpose(&graph.out, &transposed, &error), QN_OK);
    graph.has_transpose = true;
    graph.in = transposed.out;
  }
  visit(&graph);
  qn_graph_unmap(&transposed);
  qn_graph_unmap(&graph);
}

static inline struct qn_graph path_graph(uint32_t num_vertices) {
  struct test_edge *edges = calloc(num_vertices, sizeof *edges);
  assert_non_null(edges);
  for (uint32_t v = 0; v + 1 < num_vertices; v++)
    edges[v] = (struct test_edge){.source = v, .destination = v + 1, .weight = v % 7};
  struct qn_graph graph = graph_from_edges(edges, num_vertices - 1, num_vertices, QN_WEIGHT_U32);
  free(edges);
  return graph;
}

/* Two hubs, one with many out-edges and one with many in-edges, and a few others. */
static inline struct qn_graph hub_graph(uint32_t num_vertices, uint32_t num_edges) {
  struct test_edge *edges = calloc(num_edges, sizeof *edges);
  uint64_t seed = 11;
  assert_non_null(edges);
  for (uint32_t i = 0; i < num_edges; i++) {
    uint32_t a = (uint32_t)(random_next(&seed) % num_vertices);
    uint32_t b = (uint32_t)(random_next(&seed) % num_vertices);
    edges[i] = (struct test_edge){.source = i % 10 < 5 ? 3 : a,
                                  .destination = i % 10 < 8 && i % 10 > 3 ? 5 : b,
                                  .weight = 1 + i % 50};
  }
  struct qn_graph graph = graph_from_edges(edges, num_edges, num_vertices, QN_WEIGHT_U32);
  free(edges);
  return graph;
}

/* Larger than what an engine works on between two barriers. */
static inline void large_engine_graph(void (*visit)(const struct qn_graph *)) {
  visit_and_free(random_graph(300000, 2300000, QN_WEIGHT_U32, 1, 8), visit);
}

static inline void each_engine_graph(void (*visit)(const struct qn_graph *)) {
  visit_and_free(graph_from_edges(NULL, 0, 0, QN_WEIGHT_NONE), visit);
  visit_and_free(graph_from_edges(NULL, 0, 5, QN_WEIGHT_F32), visit);
  visit_and_free(graph_from_edges((struct test_edge[]){{.weight = 3}}, 1, 1, QN_WEIGHT_U32), visit);
  visit_and_free(
      graph_from_edges((struct test_edge[]){{.destination = 1}, {.source = 1, .destination = 2}}, 2,
                       3, QN_WEIGHT_U32),
      visit); /* all weights are zero */
  visit_and_free(random_graph(60, 300, QN_WEIGHT_U32, 0, 1), visit);
  visit_and_free(random_graph(70, 400, QN_WEIGHT_F32, 0, 2), visit);
  visit_and_free(random_graph(3000, 9000, QN_WEIGHT_NONE, 2, 3), visit);
  visit_and_free(random_graph(2000, 100000, QN_WEIGHT_F32, 1, 4), visit);
  visit_and_free(random_undirected(50, 60, QN_WEIGHT_NONE, 5), visit);
  visit_and_free(random_undirected(5000, 60000, QN_WEIGHT_U32, 6), visit);
  visit_and_free(path_graph(300), visit);
  visit_and_free(hub_graph(3000, 150000), visit);
}
