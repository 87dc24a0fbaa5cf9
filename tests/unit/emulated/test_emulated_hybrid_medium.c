/* CUDA programs on the hybrid layout, in the emulator. */
#include "helpers/emulated_test.h"
#include "helpers/layout_views.h"

enum { IN = QN_HYBRID_IN, OUT = QN_HYBRID_OUT, BOTH = IN | OUT };

static unsigned opened;

static void run_with(const struct qn_graph *graph, uint32_t directions, uint64_t width) {
  struct qn_hybrid view;
  if (!open_hybrid(graph, (struct qn_hybrid_options){directions, width}, &view))
    return;
  opened++;
  compare_emulated(graph, QN_LAYOUT_HYBRID, &view, 1);
  qn_hybrid_unmap(&view);
}

/* Widths: none, below, at and above the entries that a thread has in flight. */
static void every_width(const struct qn_graph *graph) {
  run_with(graph, IN, QN_HYBRID_AUTO_WIDTH);
  if (graph->out.num_edges > 2500)
    return;
  run_with(graph, graph->directedness == QN_UNDIRECTED ? OUT : BOTH, 9);
  if (graph->out.num_edges > 1000)
    return;
  run_with(graph, IN, 0);
  run_with(graph, BOTH, 8);
}

TEST(all_shapes) {
  each_emulated_graph(every_width);
  assert_true(opened > 12);
}

/* The same bits in whatever order threads and blocks run. */
TEST(real_sums_have_one_order) {
  static const char *const algorithms[] = {"pagerank", "spmv"};
  struct qn_graph graph = hub_graph(400, 9000);
  struct qn_hybrid view;
  assert_true(open_hybrid(&graph, (struct qn_hybrid_options){IN, 3}, &view));
  for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
    const struct qn_kernel *kernel =
        qn_kernel_find(algorithms[i], QN_LAYOUT_HYBRID, QN_CUDA, graph.out.weights.type);
    assert_non_null(kernel);
    new_machine(1, 0);
    struct qn_run_result first = run_for_test(kernel, &view, 0, NULL);
    for (uint64_t seed = 2; seed < 5; seed++) {
      new_machine(seed, 0);
      struct qn_run_result other = run_for_test(kernel, &view, 0, NULL);
      assert_memory_equal(first.values, other.values,
                          first.num_values * qn_result_bytes(first.type));
      qn_run_result_destroy(&other);
    }
    qn_run_result_destroy(&first);
  }
  qn_hybrid_unmap(&view);
  qn_graph_unmap(&graph);
}

#ifndef SMALL_BLOCKS /* of whose size the host knows nothing */

TEST(out_edges_alone) {
  struct qn_graph graph = random_graph(100, 900, QN_WEIGHT_NONE, 0, 8);
  struct qn_hybrid view;
  struct qn_run_result result;
  struct qn_error error;
  assert_true(open_hybrid(&graph, (struct qn_hybrid_options){OUT, QN_HYBRID_AUTO_WIDTH}, &view));
  const struct qn_kernel *kernel =
      qn_kernel_find("pagerank", QN_LAYOUT_HYBRID, QN_CUDA, QN_WEIGHT_NONE);
  struct qn_run_request request = qn_run_request_for(kernel, &view);
  struct qn_device_run device = {0};
  request.device = &device;
  new_machine(0, 0);
  assert_int_equal(kernel->run(&request, &result, &error), QN_UNSUPPORTED);
  assert_non_null(strstr(error.message, "--direction in"));
  qn_hybrid_unmap(&view);
  qn_graph_unmap(&graph);
}

TEST(device_failures) {
  struct qn_graph graph = random_undirected(60, 150, QN_WEIGHT_U32, 7);
  struct qn_hybrid view;
  assert_true(open_hybrid(&graph, (struct qn_hybrid_options){IN, 2}, &view));
  fail_device_calls(QN_LAYOUT_HYBRID, &view);
  qn_hybrid_unmap(&view);
  qn_graph_unmap(&graph);
}

#endif

TEST_MAIN(scratch_create, scratch_remove)
