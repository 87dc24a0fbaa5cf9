/* CUDA programs on the hybrid layout that does not fit into device memory, in the emulator. */
#include "helpers/streamed_test.h"
#include "partitioner/hybrid.h"

enum { IN = QN_HYBRID_IN, OUT = QN_HYBRID_OUT, BOTH = IN | OUT };

static struct streamed_counts counts;

/* False if no row is as long as the width, or there is nothing to stream. */
static bool open_hybrid(const struct qn_graph *graph, uint32_t directions, uint64_t width,
                        struct qn_hybrid *view) {
  struct qn_hybrid_options options = {.directions = directions, .width = width};
  struct qn_error error;
  enum qn_status status =
      build_layout(QN_LAYOUT_HYBRID, &options, graph, scratch_path("hybrid.qrn"), &error);
  assert_true(status == QN_OK || status == QN_USAGE);
  if (!status)
    assert_int_equal(qn_hybrid_map(scratch_path("hybrid.qrn"), view, &error), QN_OK);
  return !status;
}

static void stream_all(const struct qn_graph *graph) {
  struct qn_hybrid view;
  assert_true(open_hybrid(graph, IN, QN_HYBRID_AUTO_WIDTH, &view));
  if (view.num_edges > 0)
    compare_streamed(graph, QN_LAYOUT_HYBRID, &view, &counts);
  qn_hybrid_unmap(&view);
}

/* An undirected graph's rows tell who sends; those of in-edges alone don't. */
TEST(every_program) {
  memset(&counts, 0, sizeof counts);
  visit_and_free(graph_from_edges(NULL, 0, 40, QN_WEIGHT_F32), stream_all);
  visit_and_free(random_undirected(500, 4000, QN_WEIGHT_U32, 6), stream_all);
  visit_and_free(random_graph(300, 4000, QN_WEIGHT_F32, 1, 2), stream_all);
  assert_tested_by(&counts, 6);
}

static void stream_widths(const struct qn_graph *graph) {
  static const char *const algorithms[] = {"bfs", "sssp", "spmv"};
  static const uint64_t widths[] = {0, 9};
  for (unsigned w = 0; w < 2; w++) {
    struct qn_hybrid view;
    assert_true(open_hybrid(graph, BOTH, widths[w], &view));
    for (unsigned i = 0; i < 3; i++)
      compare_streamed_one(algorithms[i], graph, QN_LAYOUT_HYBRID, &view, &counts);
    qn_hybrid_unmap(&view);
  }
}

/* Rows of the COO part that are longer than a unit, and no ELL part at all. */
TEST(hubs_in_both_directions) {
  memset(&counts, 0, sizeof counts);
  visit_and_free(hub_graph(400, 9000), stream_widths);
  assert_tested_by(&counts, 2);
}

TEST(failures) {
  static const char *const algorithms[] = {"bfs", "pagerank"};
  struct qn_graph graph = random_undirected(500, 4000, QN_WEIGHT_U32, 7);
  struct qn_hybrid view;
  assert_true(open_hybrid(&graph, IN, QN_HYBRID_AUTO_WIDTH, &view));
  for (unsigned i = 0; i < 2; i++)
    fail_streamed(cuda_kernel(algorithms[i], QN_LAYOUT_HYBRID), &view);
  qn_hybrid_unmap(&view);
  qn_graph_unmap(&graph);
}

TEST_MAIN(scratch_create, scratch_remove)
