/* Every kernel of the graph layout, interrupted after every iteration. */
#include "helpers/engine_test.h"

static void resume_graph(const struct qn_graph *graph) {
  compare_engines(graph, QN_LAYOUT_GRAPH, graph);
}

TEST(graph_runs_go_on) {
  each_engine_graph(resume_graph);
}

/* A kernel that keeps a state offers it after every iteration but the last. */
TEST(states_are_offered) {
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
    assert_true(never.offered == result.stats.iterations ||
                never.offered + 1 == result.stats.iterations);
    qn_run_result_destroy(&result);
    keeping++;
  }
  assert_true(keeping >= 10);
  qn_graph_unmap(&graph);
}

/* Betweenness goes on between two sources. */
TEST(sources_go_on) {
  static const uint32_t sources[] = {3, 17, 3, 250, 99};
  struct qn_graph graph = random_undirected(500, 4000, QN_WEIGHT_U32, 9);
  const struct qn_kernel *kernel = qn_kernel_find("bc", QN_LAYOUT_GRAPH, QN_CPU, QN_WEIGHT_U32);
  struct qn_run_request request = request_for_test(kernel, &graph, sources, NULL);
  request.inputs.num_sources = 5;
  struct kept_state never = {0};
  struct qn_run_result result;
  run_checkpointed(kernel, request, &never, NULL, &result);
  assert_int_equal(never.offered, 4);
  qn_run_result_destroy(&result);
  resume_everywhere(kernel, &request);
  qn_graph_unmap(&graph);
}

/* Components go on between parts of the last phase; parents that could not be are refused. */
TEST(components_go_on) {
  const uint32_t source = 0;
  struct qn_graph graph = random_graph(60000, 100000, QN_WEIGHT_U32, 1, 5);
  const struct qn_kernel *kernel = qn_kernel_find("cc", QN_LAYOUT_GRAPH, QN_CPU, QN_WEIGHT_U32);
  struct qn_run_request request = request_for_test(kernel, &graph, &source, NULL);
  struct kept_state kept = {.stop_after = 2};
  struct qn_run_result result = {0};
  struct qn_error error;
  resume_everywhere(kernel, &request);
  assert_int_equal(run_checkpointed(kernel, request, &kept, NULL, &result), QN_INTERRUPTED);
  struct qn_checkpointing checkpointing = {&kept.state, keep_is_due, keep_state, &kept};
  request.hooks.checkpointing = &checkpointing;
  ((uint32_t *)kept.values)[7] = 8;
  uint64_t live = qn_memory_live();
  assert_int_equal(kernel->run(&request, &result, &error), QN_INVALID);
  assert_int_equal(qn_memory_live(), live);
  free_kept(&kept);
  qn_graph_unmap(&graph);
}

TEST_MAIN(NULL, NULL)
