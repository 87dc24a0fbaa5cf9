/* The programs that simulate, walk, peel and sketch, against plain references. */
#include "helpers/test.h"
#include "tests/helpers/naive_kernels.h"
#include "tests/helpers/run_kernel.h"

static double weight_of(const struct test_edge *edge, enum qn_weight_type type) {
  return type == QN_WEIGHT_NONE ? 1 : type == QN_WEIGHT_U32 ? edge->weight : edge->weight / 256.0;
}

/* One iteration of an algorithm over sums of w * x(u) and w at every receiver. */
typedef double update(uint32_t v, double old, double sum, double weights, uint32_t source);

static double neural_update(uint32_t v, double old, double sum, double weights, uint32_t source) {
  (void)v, (void)old, (void)weights, (void)source;
  return tanh(sum);
}

static double heat_update(uint32_t v, double old, double sum, double weights, uint32_t source) {
  (void)v, (void)source;
  return (old + sum) / (1 + weights);
}

static double circuit_update(uint32_t v, double old, double sum, double weights, uint32_t source) {
  return v == source || v == (source == 0) || weights == 0 ? old : sum / weights;
}

static void check_simulation(const char *algorithm, update *apply, const struct test_edges *edges,
                             const struct qn_graph *graph, uint32_t source) {
  uint32_t V = edges->num_vertices;
  double *x = calloc(V + 1, sizeof *x), *sum = calloc(V + 1, sizeof *sum);
  double *weights = calloc(V + 1, sizeof *weights);
  for (uint32_t v = 0; v < V; v++)
    x[v] = apply == neural_update ? (1 + v % 64) / 64.0 : v == source;
  for (int iteration = 0; iteration < 10; iteration++) {
    memset(sum, 0, V * sizeof *sum);
    memset(weights, 0, V * sizeof *weights);
    for (uint64_t i = 0; i < edges->count; i++) {
      double weight = weight_of(&edges->list[i], graph->out.weights.type);
      sum[edges->list[i].destination] += weight * x[edges->list[i].source];
      weights[edges->list[i].destination] += weight;
    }
    for (uint32_t v = 0; v < V; v++)
      x[v] = apply(v, x[v], sum[v], weights[v], source);
  }
  struct qn_run_result result = run_kernel(algorithm, graph, source, 10);
  assert_int_equal(result.stats.iterations, 10);
  for (uint32_t v = 0; v < V; v++)
    assert_close(x[v], value_of(&result, v), 1e-5);
  qn_run_result_destroy(&result);
  free(weights);
  free(sum);
  free(x);
}

static void check_walk(const struct test_edges *edges, const struct qn_graph *graph,
                       uint32_t source) {
  uint32_t V = edges->num_vertices;
  double *rank = calloc(V + 1, sizeof *rank), *next = calloc(V + 1, sizeof *next), total = 0;
  uint64_t *degree = calloc(V + 1, sizeof *degree);
  for (uint64_t i = 0; i < edges->count; i++)
    degree[edges->list[i].source]++;
  rank[source] = 1;
  for (int iteration = 0; iteration < 20; iteration++) {
    double stuck = 0;
    memset(next, 0, V * sizeof *next);
    for (uint32_t v = 0; v < V; v++)
      stuck += degree[v] ? 0 : rank[v];
    for (uint64_t i = 0; i < edges->count; i++)
      next[edges->list[i].destination] +=
          0.85 * rank[edges->list[i].source] / (double)degree[edges->list[i].source];
    next[source] += 0.15 + 0.85 * stuck;
    memcpy(rank, next, V * sizeof *rank);
  }
  struct qn_run_result result = run_kernel("rwr", graph, source, 20);
  for (uint32_t v = 0; v < V; v++) {
    assert_close(rank[v], value_of(&result, v), 1e-5);
    total += value_of(&result, v);
  }
  assert_close(1, total, 1e-5);
  qn_run_result_destroy(&result);
  free(degree);
  free(next);
  free(rank);
}

/* Remove a vertex of the least degree until none is left. */
static void check_cores(const struct test_edges *edges, const struct qn_graph *graph) {
  uint32_t V = edges->num_vertices, core = 0;
  int64_t *degree = calloc(V + 1, sizeof *degree);
  for (uint64_t i = 0; i < edges->count; i++)
    degree[edges->list[i].source]++;
  struct qn_run_result result = run_kernel("kcore", graph, 0, 0);
  for (uint32_t step = 0; step < V; step++) {
    uint32_t least = UINT32_MAX;
    for (uint32_t v = 0; v < V; v++)
      if (degree[v] >= 0 && (least == UINT32_MAX || degree[v] < degree[least]))
        least = v;
    core = degree[least] > core ? (uint32_t)degree[least] : core;
    assert_int_equal(core, ((const uint32_t *)result.values)[least]);
    degree[least] = -1;
    for (uint64_t edge = graph->out.row_offsets[least]; edge < graph->out.row_offsets[least + 1];
         edge++)
      if (degree[graph->out.column_indices[edge]] > 0)
        degree[graph->out.column_indices[edge]]--;
  }
  qn_run_result_destroy(&result);
  free(degree);
}

/* Eccentricities by in-edges bound the estimates, which are 0 only where nothing arrives. */
static void check_radius(const struct test_edges *edges, const struct qn_graph *graph) {
  uint32_t V = edges->num_vertices;
  struct qn_run_result result = run_kernel("radius", graph, 0, 0);
  const uint32_t *radius = result.values;
  struct test_edges reversed = {.num_vertices = V};
  for (uint64_t i = 0; i < edges->count; i++)
    test_edge_add(&reversed, edges->list[i].destination, edges->list[i].source, 1);
  double estimated = 0, known = 0;
  for (uint32_t v = 0; v < V; v += 7) {
    double *hops = naive_distances(&reversed, QN_WEIGHT_NONE, v, true), farthest = 0;
    for (uint32_t u = 0; u < V; u++)
      farthest = isinf(hops[u]) ? farthest : fmax(farthest, hops[u]);
    assert_true(radius[v] <= farthest);
    assert_true(radius[v] > 0 || farthest == 0);
    estimated += radius[v];
    known += farthest;
    free(hops);
  }
  assert_true(estimated >= 0.5 * known);
  free(reversed.list);
  qn_run_result_destroy(&result);
}

static void check_graphs(struct test_edges edges) {
  static const enum qn_weight_type types[] = {QN_WEIGHT_NONE, QN_WEIGHT_U32, QN_WEIGHT_F32};
  uint32_t sources[] = {0, edges.num_vertices / 3};
  for (unsigned i = 0; i < 3; i++) {
    struct qn_graph graph = test_graph(&edges, types[i], QN_DIRECTED, i % 2);
    check_simulation("neural", neural_update, &edges, &graph, 0);
    check_simulation("heat", heat_update, &edges, &graph, sources[i % 2]);
    check_simulation("circuit", circuit_update, &edges, &graph, sources[i % 2]);
    check_walk(&edges, &graph, sources[i % 2]);
    if (i == 0)
      check_radius(&edges, &graph);
    test_graph_free(&graph);
  }
  test_symmetrize(&edges);
  struct qn_graph graph = test_graph(&edges, QN_WEIGHT_NONE, QN_UNDIRECTED, false);
  check_cores(&edges, &graph);
  check_radius(&edges, &graph);
  test_graph_free(&graph);
  free(edges.list);
}

TEST(test_edge_cases) {
  check_graphs((struct test_edges){.num_vertices = 1});
  check_graphs((struct test_edges){.num_vertices = 300});
  struct test_edges loop = {.num_vertices = 1};
  test_edge_add(&loop, 0, 0, 5);
  check_graphs(loop);
}

TEST(test_random_graphs) {
  check_graphs(test_random_edges(60, 300, false, 1));
  check_graphs(test_random_edges(700, 1500, false, 2));
  check_graphs(test_random_edges(700, 9000, true, 3));
}

TEST(test_complete) {
  struct test_edges edges = {.num_vertices = 40};
  for (uint32_t u = 0; u < 40; u++)
    for (uint32_t v = u + 1; v < 40; v++)
      test_edge_add(&edges, u, v, 1 + (u * v) % 9);
  check_graphs(edges);
}

TEST(test_negative_weights) {
  static const char *const algorithms[] = {"sssp", "heat", "circuit"};
  struct test_edges edges = test_random_edges(50, 200, false, 5);
  struct qn_graph graph = test_graph(&edges, QN_WEIGHT_F32, QN_DIRECTED, false);
  ((float *)graph.out.weights.f32)[150] = -0.5f;
  for (int i = 0; i < 3; i++) {
    const struct qn_kernel *kernel =
        qn_kernel_find(algorithms[i], QN_LAYOUT_GRAPH, QN_CPU, QN_WEIGHT_F32);
    struct qn_run_request request = qn_run_request_for(kernel, &graph);
    struct qn_run_result result;
    struct qn_error error;
    uint32_t source = 0;
    uint64_t live = qn_memory_live();
    request.inputs.sources = &source;
    request.inputs.num_sources = 1;
    assert_int_equal(kernel->run(&request, &result, &error), QN_UNSUPPORTED);
    assert_non_null(strstr(error.message, "edge 150 is -0.5"));
    assert_int_equal(qn_memory_live(), live);
  }
  test_graph_free(&graph);
  free(edges.list);
}

/* Every allocation fails in turn: an error each time, and nothing is lost. */
TEST(test_failing_memory) {
  struct test_edges edges = test_random_edges(300, 2000, true, 6);
  test_symmetrize(&edges);
  struct qn_graph graph = test_graph(&edges, QN_WEIGHT_U32, QN_UNDIRECTED, false);
  struct qn_graph directed = test_graph(&edges, QN_WEIGHT_F32, QN_DIRECTED, false);
  uint64_t live = qn_memory_live();
  qn_threads_set(3);
  for (const struct qn_kernel *const *kernel = qn_kernels(); *kernel; kernel++) {
    const struct qn_graph *suited =
        (*kernel)->weight_types & (1u << QN_WEIGHT_U32) ? &graph : &directed;
    if ((*kernel)->layout != QN_LAYOUT_GRAPH || (*kernel)->processor != QN_CPU)
      continue;
    for (uint64_t nth = 1;; nth++) {
      struct qn_run_request request = qn_run_request_for(*kernel, suited);
      struct qn_run_result result;
      struct qn_error error;
      uint32_t source = 1;
      request.inputs.sources = &source;
      request.inputs.num_sources = 1;
      const uint32_t target = 2;
      if ((*kernel)->algorithm->inputs & QN_INPUT_TARGET)
        request.inputs.target = &target;
      qn_memory_fail_nth(nth);
      enum qn_status status = (*kernel)->run(&request, &result, &error);
      qn_memory_fail_nth(0);
      if (status == QN_OK) {
        assert_true(nth > 1);
        qn_run_result_destroy(&result);
        break;
      }
      assert_int_equal(status, QN_SYSTEM);
      assert_int_equal(qn_memory_live(), live);
    }
    assert_int_equal(qn_memory_live(), live);
  }
  test_graph_free(&graph);
  test_graph_free(&directed);
  free(edges.list);
}

TEST_MAIN(NULL, NULL)
