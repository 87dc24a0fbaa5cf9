/* Programs on edge partitions: the same results as on the graph layout. */
#include "helpers/engine_test.h"
#include "helpers/layout_views.h"

static void run_with(const struct qn_graph *graph, struct qn_edge_partitions_options options) {
  struct qn_edge_partitions view;
  assert_true(open_edge_partitions(graph, options, &view));
  compare_engines(graph, QN_LAYOUT_EDGE_PARTITIONS, &view);
  qn_edge_partitions_unmap(&view);
}

static void every_size(const struct qn_graph *graph) {
  run_with(graph, (struct qn_edge_partitions_options){0});
  run_with(graph, (struct qn_edge_partitions_options){.num_partitions = 1});
  run_with(graph, (struct qn_edge_partitions_options){.partition_bytes = 12});
}

TEST(all_shapes) {
  each_engine_graph(every_size);
}

static void default_size(const struct qn_graph *graph) {
  run_with(graph, (struct qn_edge_partitions_options){0});
}

TEST(large_graph) {
  large_engine_graph(default_size);
}

TEST(allocation_failures) {
  struct qn_graph graph = random_undirected(100, 300, QN_WEIGHT_U32, 7);
  struct qn_edge_partitions view;
  assert_true(open_edge_partitions(&graph, (struct qn_edge_partitions_options){0}, &view));
  fail_allocations(QN_LAYOUT_EDGE_PARTITIONS, &view);
  qn_edge_partitions_unmap(&view);
  qn_graph_unmap(&graph);
}

TEST_MAIN(scratch_create, scratch_remove)
