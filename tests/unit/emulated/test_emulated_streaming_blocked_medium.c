/* CUDA programs on blocked CSR that does not fit into device memory, in the emulator. */
#include "helpers/streamed_test.h"
#include "partitioner/blocked_csr.h"

static struct streamed_counts counts;

static bool open_blocks(const struct qn_graph *graph, uint32_t directions, bool out_edges,
                        uint32_t block_vertices, struct qn_blocked_csr *view) {
  struct qn_blocked_csr_options options = {
      .directions = directions, .out_edges = out_edges, .block_vertices = block_vertices};
  struct qn_error error;
  assert_int_equal(
      build_layout(QN_LAYOUT_BLOCKED_CSR, &options, graph, scratch_path("blocked.qrn"), &error),
      QN_OK);
  assert_int_equal(qn_blocked_csr_map(scratch_path("blocked.qrn"), view, &error), QN_OK);
  return view->num_edges > 0;
}

static void stream_all(const struct qn_graph *graph) {
  struct qn_blocked_csr view;
  if (open_blocks(graph, QN_BLOCKED_PULL, false, 40, &view))
    compare_streamed(graph, QN_LAYOUT_BLOCKED_CSR, &view, &counts);
  qn_blocked_csr_unmap(&view);
}

TEST(every_program) {
  memset(&counts, 0, sizeof counts);
  visit_and_free(graph_from_edges(NULL, 0, 40, QN_WEIGHT_F32), stream_all);
  visit_and_free(random_undirected(150, 600, QN_WEIGHT_U32, 6), stream_all);
  visit_and_free(random_graph(100, 700, QN_WEIGHT_F32, 1, 2), stream_all);
  assert_tested_by(&counts, 6);
}

/* What is walked depends on what there is: pull blocks, push blocks, or plain rows. */
static void stream_kinds(const struct qn_graph *graph) {
  static const char *const algorithms[] = {"bfs", "sssp", "pagerank"};
  static const struct {
    uint32_t directions;
    bool out_edges;
  } kinds[] = {{QN_BLOCKED_PUSH, false}, {QN_BLOCKED_PULL, true}, {QN_BLOCKED_PULL, false}};
  for (unsigned kind = 0; kind < 3; kind++) {
    struct qn_blocked_csr view;
    assert_true(open_blocks(graph, kinds[kind].directions, kinds[kind].out_edges, 100, &view));
    for (unsigned i = 0; i < 3; i++)
      compare_streamed_one(algorithms[i], graph, QN_LAYOUT_BLOCKED_CSR, &view, &counts);
    qn_blocked_csr_unmap(&view);
  }
}

TEST(hubs_in_every_kind) {
  memset(&counts, 0, sizeof counts);
  visit_and_free(hub_graph(200, 2500), stream_kinds);
  visit_and_free(path_graph(60), stream_kinds);
  assert_tested_by(&counts, 3);
}

TEST(failures) {
  static const char *const algorithms[] = {"bfs", "pagerank"};
  struct qn_graph graph = random_undirected(60, 150, QN_WEIGHT_U32, 7);
  struct qn_blocked_csr view;
  assert_true(open_blocks(&graph, QN_BLOCKED_PULL, false, 30, &view));
  for (unsigned i = 0; i < 2; i++)
    fail_streamed(cuda_kernel(algorithms[i], QN_LAYOUT_BLOCKED_CSR), &view);
  qn_blocked_csr_unmap(&view);
  qn_graph_unmap(&graph);
}

TEST_MAIN(scratch_create, scratch_remove)
