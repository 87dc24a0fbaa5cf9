/* CUDA programs on blocked CSR, in the emulator. */
#include "helpers/emulated_test.h"
#include "helpers/layout_views.h"

static void run_with(const struct qn_graph *graph, struct qn_blocked_csr_options options) {
  struct qn_blocked_csr view;
  assert_true(open_blocked_csr(graph, options, &view));
  compare_emulated(graph, QN_LAYOUT_BLOCKED_CSR, &view, 1);
  qn_blocked_csr_unmap(&view);
}

static void every_direction(const struct qn_graph *graph) {
  run_with(graph,
           (struct qn_blocked_csr_options){.directions = QN_BLOCKED_PULL, .block_vertices = 100});
  run_with(graph,
           (struct qn_blocked_csr_options){.directions = QN_BLOCKED_PUSH, .block_vertices = 150});
}

TEST(all_shapes) {
  each_emulated_graph(every_direction);
}

TEST(device_failures) {
  struct qn_graph graph = random_undirected(60, 150, QN_WEIGHT_U32, 7);
  struct qn_blocked_csr view;
  assert_true(open_blocked_csr(
      &graph, (struct qn_blocked_csr_options){.directions = QN_BLOCKED_PULL, .block_vertices = 30},
      &view));
  fail_device_calls(QN_LAYOUT_BLOCKED_CSR, &view);
  qn_blocked_csr_unmap(&view);
  qn_graph_unmap(&graph);
}

TEST_MAIN(scratch_create, scratch_remove)
