/* CUDA programs on edge partitions, in the emulator. */
#include "helpers/emulated_test.h"
#include "helpers/layout_views.h"

static void run_with(const struct qn_graph *graph, struct qn_edge_partitions_options options) {
  struct qn_edge_partitions view;
  assert_true(open_edge_partitions(graph, options, &view));
  compare_emulated(graph, QN_LAYOUT_EDGE_PARTITIONS, &view, 1);
  qn_edge_partitions_unmap(&view);
}

static void every_size(const struct qn_graph *graph) {
  run_with(graph, (struct qn_edge_partitions_options){0});
  run_with(graph, (struct qn_edge_partitions_options){.partition_bytes = 800});
}

TEST(all_shapes) {
  each_emulated_graph(every_size);
}

TEST(device_failures) {
  struct qn_graph graph = random_undirected(60, 150, QN_WEIGHT_U32, 7);
  struct qn_edge_partitions view;
  assert_true(open_edge_partitions(
      &graph, (struct qn_edge_partitions_options){.partition_bytes = 400}, &view));
  fail_device_calls(QN_LAYOUT_EDGE_PARTITIONS, &view);
  qn_edge_partitions_unmap(&view);
  qn_graph_unmap(&graph);
}

TEST_MAIN(scratch_create, scratch_remove)
