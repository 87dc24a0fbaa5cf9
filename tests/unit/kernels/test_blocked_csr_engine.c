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

TEST(all_shapes) {
  each_engine_graph(every_direction);
}

TEST(allocation_failures) {
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

/* The file is written to while it is walked: vertices of rows lead nowhere but into their ranges,
 * and bounds of blocks that no longer fit what was counted are noticed before anything is written
 * by them. */
TEST(changed_since_it_was_checked) {
  struct qn_graph graph = random_undirected(3000, 9000, QN_WEIGHT_NONE, 5);
  struct qn_blocked_csr view;
  struct qn_error error;
  assert_true(open_blocked_csr(
      &graph, (struct qn_blocked_csr_options){.directions = PULL, .block_vertices = 300}, &view));
  const struct qn_kernel *kernel =
      qn_kernel_find("pagerank", QN_LAYOUT_BLOCKED_CSR, QN_CPU, QN_WEIGHT_NONE);
  struct qn_run_result expected = run_for_test(kernel, &view, 0, NULL), result;
  uint32_t *id_map = test_malloc(view.pull.num_rows * sizeof *id_map);
  uint64_t *block_rows = test_malloc((view.pull.num_blocks + 1) * sizeof *block_rows);
  for (uint64_t row = 0; row < view.pull.num_rows; row++)
    id_map[row] = view.pull.id_map[row] | (uint32_t)1 << 31;
  view.pull.id_map = id_map;
  result = run_for_test(kernel, &view, 0, NULL);
  assert_same_results("other ids", &expected, &result);
  qn_run_result_destroy(&result);
  const uint64_t bad[] = {UINT64_MAX, view.pull.num_rows + 1, (uint64_t)1 << 32};
  for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    for (uint64_t block = 0; block <= view.pull.num_blocks; block++)
      block_rows[block] = bad[i];
    view.pull.block_rows = block_rows;
    struct qn_run_request request = request_for_test(kernel, &view, &(uint32_t){0}, NULL);
    const uint64_t live = qn_memory_live();
    assert_int_equal(kernel->run(&request, &result, &error), QN_SYSTEM);
    assert_int_equal(qn_memory_live(), live);
  }
  test_free(block_rows);
  test_free(id_map);
  qn_run_result_destroy(&expected);
  qn_blocked_csr_unmap(&view);
  qn_graph_unmap(&graph);
}

int main(void) {
  setenv("QUERN_NO_SYNC", "1", 1);
  return run_listed_tests(scratch_create, scratch_remove);
}
