/* Programs on hybrid ELL and COO: the same results as on the graph layout. */
#include "helpers/engine_test.h"
#include "helpers/layout_views.h"

enum { IN = QN_HYBRID_IN, OUT = QN_HYBRID_OUT, BOTH = IN | OUT };

static void run_with(const struct qn_graph *graph, uint32_t directions, uint64_t width) {
  struct qn_hybrid view;
  assert_true(open_hybrid(
      graph, (struct qn_hybrid_options){.directions = directions, .width = width}, &view));
  compare_engines(graph, QN_LAYOUT_HYBRID, &view);
  qn_hybrid_unmap(&view);
}

static void every_direction(const struct qn_graph *graph) {
  run_with(graph, IN, QN_HYBRID_AUTO_WIDTH);
  run_with(graph, BOTH, QN_HYBRID_AUTO_WIDTH);
  run_with(graph, IN, 0);
  if (graph->directedness == QN_UNDIRECTED)
    run_with(graph, OUT, QN_HYBRID_AUTO_WIDTH);
}

TEST(all_shapes) {
  each_engine_graph(every_direction);
}

/* Rows that span several shares of the COO part. */
TEST(long_rows) {
  visit_and_free(hub_graph(500, 400000), every_direction);
}

/* Out-edges alone: refused with advice, but triangles need no direction. */
TEST(out_edges_alone) {
  struct qn_graph graph = random_graph(100, 900, QN_WEIGHT_NONE, 0, 8);
  struct qn_hybrid view;
  struct qn_error error;
  struct qn_run_result result, expected;
  assert_true(open_hybrid(&graph, (struct qn_hybrid_options){OUT, QN_HYBRID_AUTO_WIDTH}, &view));
  const struct qn_kernel *kernel =
      qn_kernel_find("pagerank", QN_LAYOUT_HYBRID, QN_CPU, QN_WEIGHT_NONE);
  struct qn_run_request request = qn_run_request_for(kernel, &view);
  assert_int_equal(kernel->run(&request, &result, &error), QN_UNSUPPORTED);
  assert_non_null(strstr(error.message, "--direction in"));
  kernel = qn_kernel_find("tc", QN_LAYOUT_HYBRID, QN_CPU, QN_WEIGHT_NONE);
  request = qn_run_request_for(kernel, &view);
  assert_int_equal(kernel->run(&request, &result, &error), QN_OK);
  kernel = qn_kernel_find("tc", QN_LAYOUT_GRAPH, QN_CPU, QN_WEIGHT_NONE);
  request = qn_run_request_for(kernel, &graph);
  assert_int_equal(kernel->run(&request, &expected, &error), QN_OK);
  assert_int_equal(result.number, expected.number);
  assert_true(result.number > 0);
  qn_hybrid_unmap(&view);
  qn_graph_unmap(&graph);
}

TEST(allocation_failures) {
  struct qn_graph graph = random_undirected(100, 300, QN_WEIGHT_U32, 7);
  struct qn_hybrid view;
  assert_true(open_hybrid(&graph, (struct qn_hybrid_options){IN, QN_HYBRID_AUTO_WIDTH}, &view));
  fail_allocations(QN_LAYOUT_HYBRID, &view);
  qn_hybrid_unmap(&view);
  qn_graph_unmap(&graph);
}

int main(void) {
  setenv("QUERN_NO_SYNC", "1", 1);
  return run_listed_tests(scratch_create, scratch_remove);
}
