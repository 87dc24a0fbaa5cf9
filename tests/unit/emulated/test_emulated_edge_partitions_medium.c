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

static void all_shapes(void **state) {
  (void)state;
  each_emulated_graph(every_size);
}

static void device_failures(void **state) {
  (void)state;
  struct qn_graph graph = random_undirected(60, 150, QN_WEIGHT_U32, 7);
  struct qn_edge_partitions view;
  assert_true(open_edge_partitions(
      &graph, (struct qn_edge_partitions_options){.partition_bytes = 400}, &view));
  fail_device_calls(QN_LAYOUT_EDGE_PARTITIONS, &view);
  qn_edge_partitions_unmap(&view);
  qn_graph_unmap(&graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_shapes),
      cmocka_unit_test(device_failures),
  };
  return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
