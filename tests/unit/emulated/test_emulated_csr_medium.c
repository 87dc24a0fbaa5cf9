/* Every CUDA kernel of the graph layout, run by the emulator, against the CPU's:
 * on graphs of all shapes, in several orders of threads, with too little memory,
 * and with each call of the CUDA runtime failing in turn. */
#include <math.h>
#include <string.h>

#include "emulator.h"
#include "helpers/test.h"
#include "kernels/device_run.h"
#include "kernels/sample.h"
#include "support/context.h"
#include "support/memory.h"
#include "support/threads.h"
#include "tests/helpers/memory_graph.h"
#define MOST_INTERRUPTIONS 3 /* the emulator takes its time */
#include "tests/helpers/resume_test.h"
#include "tests/helpers/turns.h"

static struct emulator_options the_machine;

static void new_machine(uint64_t seed) {
  the_machine = emulator_defaults();
  the_machine.seed = seed;
  emulator_reset(&the_machine);
}

static double value_of(const struct qn_run_result *result, uint64_t v) {
  switch (result->type) {
  case QN_RESULT_U32:
    return ((const uint32_t *)result->values)[v];
  case QN_RESULT_U64:
    return (double)((const uint64_t *)result->values)[v];
  case QN_RESULT_F32:
    return (double)((const float *)result->values)[v];
  default:
    return ((const double *)result->values)[v];
  }
}

static void compare_arrays(const uint32_t *expected, const uint32_t *actual, uint64_t count) {
  if (count > 0)
    assert_memory_equal(expected, actual, count * sizeof *expected);
}

/* What a result has beside values. */
static void compare_rest(const struct qn_run_result *expected, const struct qn_run_result *actual) {
  const uint64_t count = expected->num_values;
  const struct qn_sample *sample = expected->sample, *other = actual->sample;
  switch (expected->shape) {
  case QN_SHAPE_NUMBER:
    assert_int_equal(expected->number, actual->number);
    break;
  case QN_SHAPE_PAIRS:
    compare_arrays(expected->pairs.first, actual->pairs.first, count);
    compare_arrays(expected->pairs.second, actual->pairs.second, count);
    break;
  case QN_SHAPE_PATH:
    compare_arrays(expected->path, actual->path, count);
    break;
  case QN_SHAPE_WALKS:
    assert_int_equal(expected->walks.steps, actual->walks.steps);
    break;
  case QN_SHAPE_SAMPLE:
    assert_int_equal(sample->num_nodes, other->num_nodes);
    assert_int_equal(sample->num_edges, other->num_edges);
    assert_int_equal(sample->num_hops, other->num_hops);
    compare_arrays(sample->nodes, other->nodes, sample->num_nodes);
    compare_arrays(sample->from, other->from, sample->num_edges);
    compare_arrays(sample->to, other->to, sample->num_edges);
    compare_arrays((const uint32_t *)sample->node_ends, (const uint32_t *)other->node_ends,
                   2 * ((uint64_t)sample->num_hops + 1));
    compare_arrays((const uint32_t *)sample->edge_ends, (const uint32_t *)other->edge_ends,
                   2 * ((uint64_t)sample->num_hops + 1));
    break;
  default:
    break;
  }
}

/* Whole numbers must be equal; so must reals that no rounding can change (SSSP's). */
static void compare(const struct qn_kernel *kernel, const struct qn_run_result *expected,
                    const struct qn_run_result *actual, uint64_t seed) {
  assert_int_equal(expected->shape, actual->shape);
  assert_int_equal(expected->num_values, actual->num_values);
  compare_rest(expected, actual);
  if (expected->num_values == 0)
    return;
  assert_int_equal(expected->type, actual->type);
  assert_int_equal(qn_result_width(expected), qn_result_width(actual));
  for (uint64_t v = 0; v < expected->num_values * qn_result_width(expected); v++) {
    double a = value_of(expected, v), b = value_of(actual, v);
    bool whole = expected->type == QN_RESULT_U32 || expected->type == QN_RESULT_U64;
    if (a != b && (whole || !(fabs(a - b) <= 1e-5 * fabs(a))))
      fail_msg("%s, seed %llu: vertex %llu: CPU %.9g, CUDA %.9g", kernel->algorithm->name,
               (unsigned long long)seed, (unsigned long long)v, a, b);
  }
}

static struct qn_run_request request_for(const struct qn_kernel *kernel,
                                         const struct qn_graph *graph, const uint32_t *positions,
                                         uint32_t *sources, struct qn_device_run *device) {
  struct qn_run_request request = qn_run_request_for(kernel, graph);
  uint32_t num_vertices = (uint32_t)graph->out.num_vertices;
  sources[0] = num_vertices / 2;
  sources[1] = 0;
  *device = (struct qn_device_run){0};
  request.device = device;
  request.positions = positions;
  request.inputs.sources = sources;
  request.inputs.num_sources = kernel->algorithm->inputs & QN_INPUT_SOURCES  ? 2
                               : kernel->algorithm->inputs & QN_INPUT_SOURCE ? 1
                                                                             : 0;
  if (kernel->algorithm->inputs & QN_INPUT_TARGET)
    request.inputs.target = &sources[1];
  if (kernel->traits & QN_KERNEL_ALL_ACTIVE && request.limits.max_iterations > 5) {
    request.limits.max_iterations = 5;
    request.limits.tolerance = 0;
  }
  return request;
}

/* Kernels of their own without a use for weights see each graph once, and in one order of threads:
 * they take many launches, and the emulator its time. */
static bool takes_all_turns(const struct qn_kernel *kernel) {
  return !(kernel->traits & QN_KERNEL_NO_FRONTIER);
}

static bool suits(const struct qn_kernel *kernel, const struct qn_graph *graph) {
  /* Leiden's is not the CPU's result (test_quern_run.py), unless there is nothing to join. */
  if (strcmp(kernel->algorithm->name, "leiden") == 0 && graph->out.num_edges > 1)
    return false;
  if (kernel->processor != QN_CUDA || kernel->layout != QN_LAYOUT_GRAPH ||
      kernel->traits & QN_KERNEL_SHARES_ROWS) /* test_emulated_devices_medium.c */
    return false;
  if (!(kernel->weight_types & 1u << graph->out.weights.type))
    return false;
  const bool undirected = graph->directedness == QN_UNDIRECTED;
  if (graph->out.weights.type == QN_WEIGHT_F32 && !takes_all_turns(kernel))
    return false;
  if (kernel->traits & (undirected ? QN_KERNEL_STANDS_IN : QN_KERNEL_SYMMETRIC))
    return false;
  return graph->out.num_vertices > 0 || !(kernel->algorithm->inputs & QN_ANY_SOURCES);
}

static void check_kernel(const struct qn_kernel *kernel, const struct qn_graph *graph,
                         const uint32_t *positions, uint64_t seeds) {
  const struct qn_kernel *reference =
      qn_kernel_find(kernel->algorithm->name, QN_LAYOUT_GRAPH, QN_CPU, graph->out.weights.type);
  const struct qn_kernel *other = kernel->traits & QN_KERNEL_MULTI_SOURCE
                                      ? qn_multi_source_find(reference)
                                      : qn_stand_in_find(reference);
  if (kernel->traits & QN_KERNEL_STANDS_IN && (other || reference->traits & QN_KERNEL_SYMMETRIC))
    reference = other;
  struct qn_error error;
  struct qn_run_result expected, actual;
  uint32_t sources[2];
  assert_non_null(reference);
  struct qn_device_run device;
  struct qn_run_request request = request_for(reference, graph, positions, sources, &device);
  assert_int_equal(reference->run(&request, &expected, &error), QN_OK);
  for (uint64_t seed = takes_all_turns(kernel) ? 0 : seeds - 1; seed < seeds; seed++) {
    new_machine(seed);
    enum qn_status status = kernel->run(&request, &actual, &error);
    if (status)
      fail_msg("%s: %s", kernel->algorithm->name, error.message);
    compare(kernel, &expected, &actual, seed);
    assert_int_equal(emulator_live(), 0);
    qn_run_result_destroy(&actual);
  }
  qn_run_result_destroy(&expected);
}

static void check_graph(const struct qn_graph *graph, const uint32_t *positions, uint64_t seeds) {
  static unsigned rounds;
  const unsigned round = rounds++;
  for (const struct qn_kernel *const *kernel = qn_kernels(); *kernel; kernel++)
    if (suits(*kernel, graph) && has_its_turn(*kernel, round))
      check_kernel(*kernel, graph, positions, seeds);
}

/* Directed with and without in-edges, with all weights, and undirected. Frees the edges. */
static void check_edges(struct test_edges edges, uint64_t seeds) {
  static const enum qn_weight_type types[] = {QN_WEIGHT_NONE, QN_WEIGHT_U32, QN_WEIGHT_F32};
  for (unsigned i = 0; i < 3; i++) {
    struct qn_graph graph = test_graph(&edges, types[i], QN_DIRECTED, i % 2);
    check_graph(&graph, NULL, seeds);
    test_graph_free(&graph);
  }
  test_symmetrize(&edges);
  uint32_t num_vertices = edges.num_vertices;
  uint32_t *positions = malloc((num_vertices + 1) * sizeof *positions);
  for (uint32_t v = 0; v < num_vertices; v++) /* some permutation */
    positions[v] = num_vertices - 1 - v;
  struct qn_graph graph = test_graph(&edges, QN_WEIGHT_U32, QN_UNDIRECTED, false);
  check_graph(&graph, positions, seeds);
  test_graph_free(&graph);
  free(positions);
  free(edges.list);
}

TEST(small_graphs) {
  check_edges((struct test_edges){.num_vertices = 0}, 2);
  check_edges((struct test_edges){.num_vertices = 1}, 2);
  check_edges((struct test_edges){.num_vertices = 700}, 2);
  struct test_edges loop = {.num_vertices = 1};
  test_edge_add(&loop, 0, 0, 5);
  check_edges(loop, 2);
  check_edges(test_random_edges(3, 500, false, 9), 3);
  for (uint64_t seed = 1; seed < 3; seed++)
    check_edges(test_random_edges(50 + 400 * (uint32_t)seed, 2000 * seed, seed % 2, seed), 2);
}

/* A path: one vertex in each frontier. */
TEST(long_path) {
  struct test_edges edges = {.num_vertices = 70};
  for (uint32_t v = 0; v + 1 < edges.num_vertices; v++)
    test_edge_add(&edges, v, v + 1, 1 + v % 7);
  check_edges(edges, 1);
}

/* One vertex with more edges than a block can take, in and out, and many without any. Its in-edges
 * fill more than QN_LONG_SPAN tiles of small blocks (edge_tiles.cuh). */
TEST(hub) {
  struct test_edges edges = {.num_vertices = 10000};
  for (uint32_t v = 0; v < 9000; v++) {
    test_edge_add(&edges, v, 17, 1 + v % 250);
    test_edge_add(&edges, 17, (v * 7919u) % 10000, 1 + v % 13);
    test_edge_add(&edges, v % 100, 17, 3); /* parallel ones */
  }
  struct qn_graph graph = test_graph(&edges, QN_WEIGHT_U32, QN_DIRECTED, true);
  check_graph(&graph, NULL, 1);
  test_graph_free(&graph);
  free(edges.list);
}

/* Every kernel that keeps a state is interrupted and goes on, in another order of threads. */
TEST(runs_go_on) {
  for (unsigned i = 0; i < 3; i++) {
    static const enum qn_weight_type types[] = {QN_WEIGHT_NONE, QN_WEIGHT_U32, QN_WEIGHT_F32};
    struct test_edges edges = test_random_edges(i ? 300 : 40, i ? 1200 : 100, i == 1, 11 + i);
    test_symmetrize(&edges);
    struct qn_graph graph = test_graph(&edges, types[i], QN_UNDIRECTED, false);
    for (const struct qn_kernel *const *kernel = qn_kernels(); *kernel; kernel++) {
      uint32_t sources[2];
      if (!suits(*kernel, &graph) || !(*kernel)->value_bytes || !has_its_turn(*kernel, i))
        continue;
      struct qn_device_run device;
      struct qn_run_request request = request_for(*kernel, &graph, NULL, sources, &device);
      if ((*kernel)->traits & QN_KERNEL_WEIGHTS)
        request.delta = 3; /* so that vertices wait */
      new_machine(i + 1);
      resume_everywhere(*kernel, &request);
      assert_int_equal(emulator_live(), 0);
    }
    test_graph_free(&graph);
    free(edges.list);
  }
}

/* What goes in rounds and keeps no state ends between two of them. */
TEST(rounds_end_when_cancelled) {
  static const char *const names[] = {"hits", "sample", "similarity", "walk"};
  struct test_edges edges = test_random_edges(300, 3000, false, 5);
  struct qn_graph graph = test_graph(&edges, QN_WEIGHT_NONE, QN_DIRECTED, true);
  struct qn_context context = {.cancelled = true, .temp_folder = "."};
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
    const struct qn_kernel *kernel =
        qn_kernel_find(names[i], QN_LAYOUT_GRAPH, QN_CUDA, QN_WEIGHT_NONE);
    assert_non_null(kernel);
    uint32_t sources[2];
    struct qn_device_run device;
    struct qn_run_request request = request_for(kernel, &graph, NULL, sources, &device);
    struct qn_run_result result;
    struct qn_error error;
    new_machine(1);
    qn_context_enter(&context);
    assert_int_equal(kernel->run(&request, &result, &error), QN_INTERRUPTED);
    qn_context_enter(NULL);
    assert_int_equal(emulator_live(), 0);
  }
  test_graph_free(&graph);
  free(edges.list);
}

TEST(skewed_graph) {
  struct test_edges edges = test_random_edges(3000, 40000, true, 42);
  test_symmetrize(&edges);
  struct qn_graph graph = test_graph(&edges, QN_WEIGHT_F32, QN_UNDIRECTED, false);
  check_graph(&graph, NULL, 1);
  test_graph_free(&graph);
  free(edges.list);
}

#ifndef SMALL_BLOCKS /* of whose size the host knows nothing */

TEST(iterations_are_counted) {
  struct test_edges edges = test_random_edges(300, 3000, false, 5);
  struct qn_graph graph = test_graph(&edges, QN_WEIGHT_NONE, QN_DIRECTED, true);
  for (uint32_t most = 0; most < 40; most += 13) {
    struct qn_run_result results[2];
    struct qn_error error;
    for (int processor = QN_CPU; processor <= QN_CUDA; processor++) {
      const struct qn_kernel *kernel =
          qn_kernel_find("pagerank", QN_LAYOUT_GRAPH, (enum qn_processor)processor, QN_WEIGHT_NONE);
      struct qn_run_request request = qn_run_request_for(kernel, &graph);
      struct qn_device_run device = {0};
      request.device = &device;
      request.limits.max_iterations = most;
      new_machine(3);
      assert_int_equal(kernel->run(&request, &results[processor - 1], &error), QN_OK);
    }
    assert_int_equal(results[0].stats.iterations, results[1].stats.iterations);
    assert_int_equal(results[0].stats.converged, results[1].stats.converged);
    assert_true(fabs(results[0].stats.change - results[1].stats.change) <= 1e-6);
    qn_run_result_destroy(&results[0]);
    qn_run_result_destroy(&results[1]);
  }
  test_graph_free(&graph);
  free(edges.list);
}

/* Where there is little memory it does less at once, or leaves some to the host. */
static bool does_with_less(const struct qn_kernel *kernel) {
  static const char *const names[] = {"cdlp", "lcc", "similarity", "tc", "walk"};
  bool does = false;
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
    does |= strcmp(kernel->algorithm->name, names[i]) == 0;
  return does;
}

/* With a device that is too small at each point, and every call failing in turn: a message, and
 * nothing left behind. */
TEST(failures_leave_nothing) {
  struct test_edges edges = test_random_edges(60, 200, false, 7);
  test_symmetrize(&edges);
  struct qn_graph graph = test_graph(&edges, QN_WEIGHT_U32, QN_UNDIRECTED, false);
  for (const struct qn_kernel *const *kernel = qn_kernels(); *kernel; kernel++) {
    if (!suits(*kernel, &graph) || !has_its_turn(*kernel, 0))
      continue;
    uint32_t sources[2];
    struct qn_device_run device;
    struct qn_run_request request = request_for(*kernel, &graph, NULL, sources, &device);
    struct qn_run_result result;
    struct qn_error error;
    new_machine(1);
    const uint64_t live = qn_memory_live();
    assert_int_equal((*kernel)->run(&request, &result, &error), QN_OK);
    qn_run_result_destroy(&result);
    const uint64_t calls = emulator_calls(), peak = emulator_peak_bytes();
    for (uint64_t nth = 1; nth <= calls; nth++) {
      the_machine.fail_nth = nth;
      emulator_reset(&the_machine);
      enum qn_status status = (*kernel)->run(&request, &result, &error);
      if (status != QN_DEVICE || error.message[0] == 0)
        fail_msg("%s: status %d when call %llu of %llu failed", (*kernel)->algorithm->name, status,
                 (unsigned long long)nth, (unsigned long long)calls);
      assert_int_equal(emulator_live(), 0);
      assert_int_equal(qn_memory_live(), live);
    }
    the_machine.fail_nth = 0;
    for (uint64_t bytes = 0; bytes < peak; bytes += 1 + peak / 23) {
      the_machine.device_memory = bytes;
      emulator_reset(&the_machine);
      enum qn_status status = (*kernel)->run(&request, &result, &error);
      if (status)
        assert_non_null(strstr(error.message, "not enough device memory"));
      assert_true(status == QN_DEVICE || (status == QN_OK && (request.device->report.plan.streams ||
                                                              does_with_less(*kernel))));
      qn_run_result_destroy(&result);
      assert_int_equal(emulator_live(), 0);
      assert_int_equal(qn_memory_live(), live);
    }
  }
  test_graph_free(&graph);
  free(edges.list);
}

TEST(negative_weights_are_refused) {
  struct test_edges edges = test_random_edges(50, 400, false, 7);
  struct qn_graph graph = test_graph(&edges, QN_WEIGHT_F32, QN_DIRECTED, true);
  ((float *)graph.out.weights.f32)[123] = -1;
  for (const struct qn_kernel *const *kernel = qn_kernels(); *kernel; kernel++) {
    if (!suits(*kernel, &graph) || !((*kernel)->traits & QN_KERNEL_NON_NEGATIVE))
      continue;
    uint32_t sources[2];
    struct qn_device_run device;
    struct qn_run_request request = request_for(*kernel, &graph, NULL, sources, &device);
    struct qn_run_result result;
    struct qn_error error;
    new_machine(0);
    assert_int_equal((*kernel)->run(&request, &result, &error), QN_UNSUPPORTED);
    assert_non_null(strstr(error.message, "edge 123 is -1"));
  }
  test_graph_free(&graph);
  free(edges.list);
}

#endif

int main(void) {
  qn_threads_set(1); /* the graphs are small: more threads would wait for each other */
  return run_listed_tests(NULL, NULL);
}
