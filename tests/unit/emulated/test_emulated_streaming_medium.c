/* CUDA programs whose topology does not fit into device memory, in the emulator. */
#include "helpers/streamed_layouts.h"

static struct streamed_counts counts;

static void stream_pages(const struct qn_graph *graph) {
  struct qn_slotted_pages view;
  if (open_pages(graph, 512, &view))
    compare_streamed(graph, QN_LAYOUT_SLOTTED_PAGES, &view, &counts);
  qn_slotted_pages_unmap(&view);
}

static void stream_partitions(const struct qn_graph *graph) {
  struct qn_edge_partitions view;
  if (open_partitions(graph, 2000, &view))
    compare_streamed(graph, QN_LAYOUT_EDGE_PARTITIONS, &view, &counts);
  qn_edge_partitions_unmap(&view);
}

TEST(pages) {
  each_streamed_graph(&counts, 1, stream_pages);
  assert_tested(&counts);
}

TEST(partitions) {
  each_streamed_graph(&counts, 1, stream_partitions);
  assert_tested(&counts);
}

TEST(failures) {
  static const char *const algorithms[] = {"bfs", "pagerank", "sssp"};
  struct qn_graph graph = random_undirected(60, 150, QN_WEIGHT_U32, 7);
  struct qn_slotted_pages paged;
  struct qn_edge_partitions parted;
  assert_true(open_pages(&graph, 128, &paged));
  assert_true(open_partitions(&graph, 400, &parted));
  for (unsigned i = 0; i < 3; i++) /* what the engines differ in is little beside what they share */
    if (i % 2)
      fail_streamed(cuda_kernel(algorithms[i], QN_LAYOUT_EDGE_PARTITIONS), &parted);
    else
      fail_streamed(cuda_kernel(algorithms[i], QN_LAYOUT_SLOTTED_PAGES), &paged);
  qn_slotted_pages_unmap(&paged);
  qn_edge_partitions_unmap(&parted);
  qn_graph_unmap(&graph);
}

TEST_MAIN(scratch_create, scratch_remove)
