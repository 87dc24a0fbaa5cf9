/* Plain CSR whose rows do not fit into device memory, in the emulator, cut into small units. */
#include "helpers/streamed_test.h"

static struct streamed_counts counts;

static void stream_rows(const struct qn_graph *graph) {
  if (graph->out.num_edges > 0)
    compare_streamed(graph, QN_LAYOUT_GRAPH, graph, &counts);
}

/* Among them rows of more edges than a unit holds, and many rows without any. */
static void rows(void **state) {
  (void)state;
  each_streamed_graph(&counts, 3, stream_rows);
  assert_tested(&counts);
}

static void failures(void **state) {
  static const char *const algorithms[] = {"bfs", "pagerank", "sssp"};
  (void)state;
  struct qn_graph graph = random_undirected(300, 4000, QN_WEIGHT_U32, 8);
  for (unsigned i = 0; i < 3; i++)
    fail_streamed(cuda_kernel(algorithms[i], QN_LAYOUT_GRAPH), &graph);
  qn_graph_unmap(&graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows),
      cmocka_unit_test(failures),
  };
  return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
