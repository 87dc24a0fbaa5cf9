/* Kernels of the graph layout against naive references, on graphs of all
 * shapes, directed with and without in-edges and undirected, and for several numbers of
 * threads, which must give the same bits. */
#include "helpers/test.h"
#include "tests/helpers/naive_kernels.h"
#include "tests/helpers/run_kernel.h"

static void check_distances(const struct test_edges *edges, const struct qn_graph *graph) {
  uint32_t source = edges->num_vertices / 2;
  for (int hops = 0; hops < 2; hops++) {
    struct qn_run_result result = run_kernel(hops ? "bfs" : "sssp", graph, source, 0);
    double *expected = naive_distances(edges, graph->out.weights.type, source, hops);
    for (uint32_t v = 0; v < edges->num_vertices; v++)
      assert_close(expected[v], value_of(&result, v), 0);
    free(expected);
    qn_run_result_destroy(&result);
  }
}

/* Bit for bit the same by any number of threads, and by the definition. */
static void check_parents(const struct test_edges *edges, const struct qn_graph *graph) {
  enum qn_weight_type type = graph->out.weights.type;
  uint32_t source = edges->num_vertices / 2;
  for (int hops = 0; hops < 2; hops++) {
    const char *algorithm = hops ? "bfs" : "sssp";
    const struct qn_kernel *kernel = qn_derived_find(algorithm, QN_LAYOUT_GRAPH, QN_CPU, type);
    struct qn_run_result given = run_kernel(algorithm, graph, source, 0);
    double *distance = naive_distances(edges, type, source, hops);
    uint32_t *expected = naive_parents(edges, type, source, hops, distance);
    for (unsigned i = 0; i < sizeof THREADS / sizeof *THREADS; i++) {
      struct qn_run_request request = qn_run_request_for(kernel, graph);
      struct qn_run_result result;
      struct qn_error error;
      qn_threads_set(THREADS[i]);
      request.inputs.sources = &source;
      request.inputs.num_sources = 1;
      request.inputs.initial = given.values;
      assert_int_equal(kernel->run(&request, &result, &error), QN_OK);
      assert_memory_equal(expected, result.values, edges->num_vertices * sizeof *expected);
      qn_run_result_destroy(&result);
    }
    free(expected);
    free(distance);
    qn_run_result_destroy(&given);
  }
}

static void check_components(const struct test_edges *edges, const struct qn_graph *graph) {
  struct qn_run_result result = run_kernel("cc", graph, 0, 0);
  uint32_t *expected = naive_components(edges);
  for (uint32_t v = 0; v < edges->num_vertices; v++)
    assert_int_equal(expected[v], ((const uint32_t *)result.values)[v]);
  free(expected);
  qn_run_result_destroy(&result);
}

static void check_pagerank(const struct test_edges *edges, const struct qn_graph *graph) {
  struct qn_run_result result = run_kernel("pagerank", graph, 0, 20);
  assert_int_equal(result.stats.iterations, 20);
  double *expected = naive_pagerank(edges, 0.85, 20);
  for (uint32_t v = 0; v < edges->num_vertices; v++)
    assert_close(expected[v], value_of(&result, v), 1e-5);
  free(expected);
  qn_run_result_destroy(&result);
}

static void check_sums(const struct test_edges *edges, const struct qn_graph *graph) {
  uint32_t V = edges->num_vertices;
  double *product = calloc(V + 1, sizeof *product), *arriving = calloc(V + 1, sizeof *arriving),
         *leaving = calloc(V + 1, sizeof *leaving);
  for (uint64_t i = 0; i < edges->count; i++) {
    const struct test_edge *edge = &edges->list[i];
    double weight = edge->weight;
    if (graph->out.weights.type == QN_WEIGHT_F32)
      weight /= 256;
    if (graph->out.weights.type == QN_WEIGHT_NONE)
      weight = 1;
    product[edge->destination] += weight; /* of the vector that is 1 everywhere */
    arriving[edge->destination]++;
    leaving[edge->source]++;
  }
  struct qn_run_result spmv = run_kernel("spmv", graph, 0, 0);
  struct qn_run_result indegree = run_kernel("indegree", graph, 0, 0);
  struct qn_run_result degree = run_kernel("degree", graph, 0, 0);
  for (uint32_t v = 0; v < V; v++) {
    assert_close(product[v], value_of(&spmv, v), 1e-6);
    assert_close(arriving[v], value_of(&indegree, v), 0);
    assert_close(leaving[v], value_of(&degree, v), 0);
  }
  qn_run_result_destroy(&spmv);
  qn_run_result_destroy(&indegree);
  qn_run_result_destroy(&degree);
  free(product);
  free(arriving);
  free(leaving);
}

static void check_triangles(const struct test_edges *edges, const struct qn_graph *graph) {
  struct qn_run_result result = run_kernel("tc", graph, 0, 0);
  assert_int_equal(naive_triangles(edges), result.number);
}

static void check_betweenness(const struct test_edges *edges, const struct qn_graph *graph) {
  uint32_t sources[] = {edges->num_vertices / 2, 0, edges->num_vertices - 1};
  struct qn_run_result result = run_kernel_from("bc", graph, sources, 3, 0);
  double *expected = calloc(edges->num_vertices, sizeof *expected);
  for (int i = 0; i < 3; i++)
    naive_betweenness(edges, sources[i], expected);
  for (uint32_t v = 0; v < edges->num_vertices; v++)
    assert_close(expected[v], value_of(&result, v), 1e-9);
  free(expected);
  qn_run_result_destroy(&result);
}

static void check_all(const struct test_edges *edges, const struct qn_graph *graph) {
  if (edges->num_vertices > 0) {
    check_distances(edges, graph);
    check_parents(edges, graph);
    check_betweenness(edges, graph);
  }
  if (edges->num_vertices < 3000)
    check_triangles(edges, graph);
  check_components(edges, graph);
  check_pagerank(edges, graph);
  check_sums(edges, graph);
}

/* Every kind of graph that can be made from these edges. Frees them. */
static void check_graphs(struct test_edges edges) {
  static const enum qn_weight_type types[] = {QN_WEIGHT_NONE, QN_WEIGHT_U32, QN_WEIGHT_F32};
  for (unsigned i = 0; i < 3; i++) {
    struct qn_graph graph = test_graph(&edges, types[i], QN_DIRECTED, i % 2);
    check_all(&edges, &graph);
    test_graph_free(&graph);
  }
  test_symmetrize(&edges);
  struct qn_graph graph = test_graph(&edges, QN_WEIGHT_U32, QN_UNDIRECTED, false);
  check_all(&edges, &graph);
  test_graph_free(&graph);
  free(edges.list);
}

TEST(test_empty) {
  check_graphs((struct test_edges){.num_vertices = 0});
  check_graphs((struct test_edges){.num_vertices = 1});
  check_graphs((struct test_edges){.num_vertices = 1000});
}

TEST(test_one_loop) {
  struct test_edges edges = {.num_vertices = 1};
  test_edge_add(&edges, 0, 0, 5);
  check_graphs(edges);
}

TEST(test_random_graphs) {
  for (uint64_t seed = 0; seed < 4; seed++)
    check_graphs(test_random_edges(50 + 400 * (uint32_t)seed, 2000 * seed, seed % 2, seed));
  check_graphs(test_random_edges(3, 500, false, 9));
}

/* Paths of no length, which parents must not go around in. */
TEST(test_zero_weights) {
  for (uint32_t most = 1; most <= 3; most++) {
    struct test_edges edges = test_random_edges(400, 1500, false, most);
    for (uint64_t i = 0; i < edges.count; i++)
      edges.list[i].weight %= most;
    check_graphs(edges);
  }
}

TEST(test_dense) {
  check_graphs(test_random_edges(5000, 200000, true, 42));
}

TEST_MAIN(NULL, NULL)
