/* CUDA programs whose topology does not fit into device memory, in the emulator. */
#include "helpers/streamed_test.h"
#include "partitioner/edge_partitions.h"
#include "partitioner/slotted_pages.h"

static struct streamed_counts counts;

static bool open_pages(const struct qn_graph *graph, uint32_t page_bytes,
                       struct qn_slotted_pages *view) {
  struct qn_page_options options = {.page_bytes = page_bytes};
  struct qn_builder builder = {.tool = "quern-page",
                               .layout = QN_LAYOUT_SLOTTED_PAGES,
                               .build = qn_slotted_pages_build,
                               .options = &options};
  struct qn_error error;
  assert_int_equal(build_layout(&builder, graph, scratch_path("pages.qrn"), &error), QN_OK);
  assert_int_equal(qn_slotted_pages_map(scratch_path("pages.qrn"), view, &error), QN_OK);
  return view->num_pages > 0;
}

static void stream_pages(const struct qn_graph *graph) {
  struct qn_slotted_pages view;
  if (open_pages(graph, 512, &view))
    compare_streamed(graph, QN_LAYOUT_SLOTTED_PAGES, &view, &counts);
  qn_slotted_pages_unmap(&view);
}

static bool open_partitions(const struct qn_graph *graph, uint64_t partition_bytes,
                            struct qn_edge_partitions *view) {
  struct qn_edge_partitions_options options = {.partition_bytes = partition_bytes};
  struct qn_builder builder = {.tool = "quern-partition",
                               .layout = QN_LAYOUT_EDGE_PARTITIONS,
                               .build = qn_edge_partitions_build,
                               .options = &options};
  struct qn_error error;
  assert_int_equal(build_layout(&builder, graph, scratch_path("parts.qrn"), &error), QN_OK);
  assert_int_equal(qn_edge_partitions_map(scratch_path("parts.qrn"), view, &error), QN_OK);
  return view->num_edges > 0;
}

static void stream_partitions(const struct qn_graph *graph) {
  struct qn_edge_partitions view;
  if (open_partitions(graph, 2000, &view))
    compare_streamed(graph, QN_LAYOUT_EDGE_PARTITIONS, &view, &counts);
  qn_edge_partitions_unmap(&view);
}

static void pages(void **state) {
  (void)state;
  each_streamed_graph(&counts, 1, stream_pages);
  assert_tested(&counts);
}

static void partitions(void **state) {
  (void)state;
  each_streamed_graph(&counts, 1, stream_partitions);
  assert_tested(&counts);
}

static void failures(void **state) {
  static const char *const algorithms[] = {"bfs", "pagerank", "sssp"};
  (void)state;
  struct qn_graph graph = random_undirected(60, 150, QN_WEIGHT_U32, 7);
  struct qn_slotted_pages paged;
  struct qn_edge_partitions parted;
  assert_true(open_pages(&graph, 128, &paged));
  assert_true(open_partitions(&graph, 400, &parted));
  for (unsigned i = 0; i < 3; i++) {
    fail_streamed(cuda_kernel(algorithms[i], QN_LAYOUT_SLOTTED_PAGES), &paged);
    fail_streamed(cuda_kernel(algorithms[i], QN_LAYOUT_EDGE_PARTITIONS), &parted);
  }
  qn_slotted_pages_unmap(&paged);
  qn_edge_partitions_unmap(&parted);
  qn_graph_unmap(&graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pages),
      cmocka_unit_test(partitions),
      cmocka_unit_test(failures),
  };
  return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
