/* Kernels of the graph layout where size or depth is extreme: a star of 10^6 edges, whose centre is
 * a hub that all threads share, and a path of 10^5, whose levels must not cost a pass over
 * the vertices each. */
#include "helpers/test.h"
#include "tests/helpers/naive_kernels.h"
#include "tests/helpers/run_kernel.h"

#define STAR 1000000u
#define PATH 100000u

static uint32_t value_u32(const struct qn_run_result *result, uint32_t v) {
  return ((const uint32_t *)result->values)[v];
}

static struct test_edges star_edges(bool inwards) {
  struct test_edges edges = {.num_vertices = STAR + 1};
  for (uint32_t v = 1; v <= STAR; v++)
    test_edge_add(&edges, inwards ? v : 0, inwards ? 0 : v, 1 + v % 7);
  return edges;
}

TEST(test_star_outwards) {
  struct test_edges edges = star_edges(false);
  struct qn_graph graph = test_graph(&edges, QN_WEIGHT_U32, QN_DIRECTED, false);
  struct qn_run_result hops = run_kernel("bfs", &graph, 0, 0);
  struct qn_run_result far = run_kernel("sssp", &graph, 0, 0);
  struct qn_run_result parts = run_kernel("cc", &graph, 0, 0);
  for (uint32_t v = 1; v <= STAR; v++) {
    assert_int_equal(value_u32(&hops, v), 1);
    assert_int_equal(((const uint64_t *)far.values)[v], 1 + v % 7);
    assert_int_equal(value_u32(&parts, v), 0);
  }
  qn_run_result_destroy(&hops);
  qn_run_result_destroy(&far);
  qn_run_result_destroy(&parts);
  test_graph_free(&graph);
  free(edges.list);
}

/* The centre's sum has a million terms: the fixed order of segments, and enough digits. */
TEST(test_star_inwards) {
  struct test_edges edges = star_edges(true);
  struct qn_graph graph = test_graph(&edges, QN_WEIGHT_NONE, QN_DIRECTED, true);
  struct qn_run_result ranks = run_kernel("pagerank", &graph, 0, 20);
  struct qn_run_result degree = run_kernel("indegree", &graph, 0, 0);
  double *expected = naive_pagerank(&edges, 0.85, 20);
  assert_close(expected[0], value_of(&ranks, 0), 1e-5);
  assert_close(expected[STAR], value_of(&ranks, STAR), 1e-5);
  free(expected);
  assert_close(STAR, value_of(&degree, 0), 0);
  qn_run_result_destroy(&ranks);
  qn_run_result_destroy(&degree);
  test_graph_free(&graph);
  free(edges.list);
}

TEST(test_path) {
  struct test_edges edges = {.num_vertices = PATH};
  for (uint32_t v = 1; v < PATH; v++)
    test_edge_add(&edges, v - 1, v, 3);
  test_symmetrize(&edges);
  struct qn_graph graph = test_graph(&edges, QN_WEIGHT_U32, QN_UNDIRECTED, false);
  qn_threads_set(2);
  struct qn_run_result hops = run_kernel("bfs", &graph, 0, 0);
  struct qn_run_result far = run_kernel("sssp", &graph, 0, 0);
  struct qn_run_result parts = run_kernel("cc", &graph, 0, 0);
  struct qn_run_result cores = run_kernel("kcore", &graph, 0, 0);
  for (uint32_t v = 0; v < PATH; v++) {
    assert_int_equal(value_u32(&hops, v), v);
    assert_int_equal(((const uint64_t *)far.values)[v], 3 * v);
    assert_int_equal(value_u32(&parts, v), 0);
    assert_int_equal(value_u32(&cores, v), 1);
  }
  qn_run_result_destroy(&hops);
  qn_run_result_destroy(&far);
  qn_run_result_destroy(&parts);
  qn_run_result_destroy(&cores);
  test_graph_free(&graph);
  free(edges.list);
}

/* Triangles of a complete graph: all vertices are hubs of the bitmaps, and of a wheel. */
TEST(test_triangles) {
  struct test_edges edges = {.num_vertices = 500};
  for (uint32_t u = 0; u < 500; u++)
    for (uint32_t v = 0; v < 500; v++)
      test_edge_add(&edges, u, v, 1);
  struct qn_graph graph = test_graph(&edges, QN_WEIGHT_NONE, QN_UNDIRECTED, false);
  assert_int_equal(run_kernel("tc", &graph, 0, 0).number, 500ull * 499 * 498 / 6);
  test_graph_free(&graph);
  free(edges.list);
  struct test_edges wheel = star_edges(false);
  for (uint32_t v = 1; v <= STAR; v++)
    test_edge_add(&wheel, v, v % STAR + 1, 1);
  struct qn_graph directed = test_graph(&wheel, QN_WEIGHT_NONE, QN_DIRECTED, false);
  assert_int_equal(run_kernel("tc", &directed, 0, 0).number, STAR);
  test_graph_free(&directed);
  free(wheel.list);
}

TEST_MAIN(NULL, NULL)
