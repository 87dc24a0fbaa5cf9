/* Every kernel of the graph layout, interrupted after every iteration. */
#include "helpers/engine_test.h"

static void resume_graph(const struct qn_graph *graph) {
  compare_engines(graph, QN_LAYOUT_GRAPH, graph);
}

static void graph_runs_go_on(void **unused) {
  (void)unused;
  each_engine_graph(resume_graph);
}

/* A kernel that keeps a state offers it after every iteration but the last. */
static void states_are_offered(void **unused) {
  (void)unused;
  struct qn_graph graph = random_undirected(500, 4000, QN_WEIGHT_U32, 9);
  uint32_t source = 3;
  unsigned keeping = 0;
  for (const struct qn_kernel *const *kernel = qn_kernels(); *kernel; kernel++) {
    if ((*kernel)->layout != QN_LAYOUT_GRAPH || (*kernel)->processor != QN_CPU ||
        !(*kernel)->value_bytes || !((*kernel)->weight_types & 1u << QN_WEIGHT_U32))
      continue;
    struct qn_run_request request = request_for_test(*kernel, &graph, &source, NULL);
    struct kept_state never = {0};
    struct qn_run_result result;
    run_checkpointed(*kernel, request, &never, NULL, &result);
    assert_true(never.offered == result.iterations || never.offered + 1 == result.iterations);
    qn_run_result_destroy(&result);
    keeping++;
  }
  assert_true(keeping >= 10);
  qn_graph_unmap(&graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(graph_runs_go_on),
      cmocka_unit_test(states_are_offered),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
