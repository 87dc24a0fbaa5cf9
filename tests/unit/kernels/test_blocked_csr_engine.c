/* Programs on blocked CSR: the same results as on the graph layout. */
#include "helpers/engine_test.h"
#include "helpers/layout_views.h"

enum { PULL = QN_BLOCKED_PULL, PUSH = QN_BLOCKED_PUSH, BOTH = PULL | PUSH };

static void run_with(const struct qn_graph *graph, struct qn_blocked_csr_options options) {
  struct qn_blocked_csr view;
  assert_true(open_blocked_csr(graph, options, &view));
  compare_engines(graph, QN_LAYOUT_BLOCKED_CSR, &view);
  qn_blocked_csr_unmap(&view);
}

static void every_direction(const struct qn_graph *graph) {
  run_with(graph, (struct qn_blocked_csr_options){.directions = PULL});
  run_with(graph, (struct qn_blocked_csr_options){.directions = PUSH});
  run_with(graph, (struct qn_blocked_csr_options){
                      .directions = BOTH, .block_vertices = 700, .out_edges = true});
  run_with(graph, (struct qn_blocked_csr_options){.directions = PUSH, .block_vertices = 90});
  if (graph->out.num_vertices <= 300)
    run_with(graph, (struct qn_blocked_csr_options){.directions = BOTH, .block_vertices = 1});
}

static void all_shapes(void **state) {
  (void)state;
  each_engine_graph(every_direction);
}

static void allocation_failures(void **state) {
  (void)state;
  struct qn_graph graph = random_undirected(100, 300, QN_WEIGHT_U32, 7);
  static const uint32_t directions[] = {PULL, PUSH};
  for (int i = 0; i < 2; i++) {
    struct qn_blocked_csr view;
    assert_true(open_blocked_csr(
        &graph, (struct qn_blocked_csr_options){.directions = directions[i], .block_vertices = 30},
        &view));
    fail_allocations(QN_LAYOUT_BLOCKED_CSR, &view);
    qn_blocked_csr_unmap(&view);
  }
  qn_graph_unmap(&graph);
}

int main(void) {
  setenv("QUERN_NO_SYNC", "1", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_shapes),
      cmocka_unit_test(allocation_failures),
  };
  return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
