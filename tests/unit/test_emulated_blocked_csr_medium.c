/* CUDA programs on blocked CSR, in the emulator. */
#include "helpers/emulated_test.h"
#include "partitioner/blocked_csr.h"

static void open_view(const struct qn_graph *graph, struct qn_blocked_csr_options options,
                      struct qn_blocked_csr *view) {
  struct qn_builder builder = {.tool = "quern-block",
                               .layout = QN_LAYOUT_BLOCKED_CSR,
                               .build = qn_blocked_csr_build,
                               .options = &options};
  struct qn_error error;
  assert_int_equal(build_layout(&builder, graph, scratch_path("blocked.qrn"), &error), QN_OK);
  assert_int_equal(qn_blocked_csr_map(scratch_path("blocked.qrn"), view, &error), QN_OK);
}

static void run_with(const struct qn_graph *graph, struct qn_blocked_csr_options options) {
  struct qn_blocked_csr view;
  open_view(graph, options, &view);
  compare_emulated(graph, QN_LAYOUT_BLOCKED_CSR, &view, 1);
  qn_blocked_csr_unmap(&view);
}

static void every_direction(const struct qn_graph *graph) {
  run_with(graph,
           (struct qn_blocked_csr_options){.directions = QN_BLOCKED_PULL, .block_vertices = 100});
  run_with(graph,
           (struct qn_blocked_csr_options){.directions = QN_BLOCKED_PUSH, .block_vertices = 150});
}

static void all_shapes(void **state) {
  (void)state;
  each_emulated_graph(every_direction);
}

static void device_failures(void **state) {
  (void)state;
  struct qn_graph graph = random_undirected(60, 150, QN_WEIGHT_U32, 7);
  struct qn_blocked_csr view;
  open_view(&graph,
            (struct qn_blocked_csr_options){.directions = QN_BLOCKED_PULL, .block_vertices = 30},
            &view);
  fail_device_calls(QN_LAYOUT_BLOCKED_CSR, &view);
  qn_blocked_csr_unmap(&view);
  qn_graph_unmap(&graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_shapes),
      cmocka_unit_test(device_failures),
  };
  return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
