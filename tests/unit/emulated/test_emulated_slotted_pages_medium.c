/* CUDA programs on slotted pages, in the emulator. */
#include "helpers/emulated_test.h"
#include "helpers/layout_views.h"

static unsigned opened;

static void run_with(const struct qn_graph *graph, struct qn_page_options options) {
  struct qn_slotted_pages view;
  if (!open_slotted_pages(graph, options, &view))
    return;
  opened++;
  compare_emulated(graph, QN_LAYOUT_SLOTTED_PAGES, &view, 1);
  qn_slotted_pages_unmap(&view);
}

static void every_address(const struct qn_graph *graph) {
  run_with(graph, (struct qn_page_options){.address = {2, 2}, .page_bytes = 512});
  if (graph->out.num_edges <= 3000)
    run_with(graph, (struct qn_page_options){.address = {3, 3}, .page_bytes = 2048});
}

TEST(all_shapes) {
  each_emulated_graph(every_address);
  assert_true(opened > 10);
}

TEST(device_failures) {
  struct qn_graph graph = random_undirected(60, 150, QN_WEIGHT_U32, 7);
  struct qn_slotted_pages view;
  assert_true(open_slotted_pages(&graph, (struct qn_page_options){.page_bytes = 256}, &view));
  fail_device_calls(QN_LAYOUT_SLOTTED_PAGES, &view);
  qn_slotted_pages_unmap(&view);
  qn_graph_unmap(&graph);
}

TEST_MAIN(scratch_create, scratch_remove)
