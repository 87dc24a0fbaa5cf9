/* Options that say how a CUDA kernel goes about it change no result: --direction on blocked CSR,
 * --parallelism on slotted pages, --mode asynchronous on slotted pages and edge partitions;
 * resident and streamed. */
#include "helpers/layout_views.h"
#include "helpers/streamed_test.h"

/* A run of a kernel as `manner` says, resident and with less memory than that takes. */
static void run_in_manner(const struct qn_kernel *kernel, const struct qn_run_request *manner,
                          const struct qn_run_result *expected, struct streamed_counts *counts) {
  struct qn_run_request request = *manner;
  struct qn_device_run device = *manner->device;
  request.device = &device;
  new_machine(1, 0);
  assert_true(run_streamed(kernel, &request, expected, counts));
  request.device->memory = emulator_peak_bytes() * 9 / 10;
  new_machine(2, 0);
  run_streamed(kernel, &request, expected, counts);
}

static bool has_manner(const struct qn_kernel *kernel, uint32_t trait) {
  return trait ? kernel->traits & trait : kernel->algorithm->inputs & QN_INPUT_SOURCE;
}

/* `vary(request, i)` makes the i-th manner; false: there are no more. Kernels that
 * lack `trait`, or with 0 a source, are left out. Returns how many were run. */
static unsigned run_manners(const struct qn_graph *graph, enum qn_layout layout, const void *view,
                            uint32_t trait, bool (*vary)(struct qn_run_request *, unsigned),
                            struct streamed_counts *counts) {
  const uint32_t source = (uint32_t)(graph->out.num_vertices / 3);
  unsigned ran = 0;
  for (const struct qn_kernel *const *kernel = qn_kernels(); *kernel; kernel++) {
    if (!is_emulated(*kernel, layout, graph) || !has_manner(*kernel, trait))
      continue;
    const struct qn_kernel *reference = qn_kernel_find((*kernel)->algorithm->name, QN_LAYOUT_GRAPH,
                                                       QN_CPU, graph->out.weights.type);
    struct qn_run_request plain = request_for_test(reference, graph, &source, NULL);
    struct qn_run_result expected;
    struct qn_error error;
    limit_iterations(reference, &plain);
    assert_int_equal(reference->run(&plain, &expected, &error), QN_OK);
    struct qn_device_run device;
    struct qn_run_request request = streamed_request(*kernel, view, &source, &device, counts);
    for (unsigned i = 0; vary(&request, i); i++)
      run_in_manner(*kernel, &request, &expected, counts);
    qn_run_result_destroy(&expected);
    ran++;
  }
  return ran;
}

static bool each_direction(struct qn_run_request *request, unsigned i) {
  request->direction = i == 0 ? QN_DIRECTION_PUSH : QN_DIRECTION_PULL;
  return i < 2;
}

static bool each_parallelism(struct qn_run_request *request, unsigned i) {
  static const enum qn_parallelism manners[] = {QN_PARALLEL_HYBRID, QN_PARALLEL_VERTEX,
                                                QN_PARALLEL_EDGE};
  request->device->parallelism = i < 3 ? manners[i] : QN_PARALLEL_HYBRID;
  return i < 3;
}

static bool asynchronously(struct qn_run_request *request, unsigned i) {
  request->asynchronous = true;
  return i == 0;
}

/* Everything moves, or whole partitions. */
static bool all_moves(struct qn_run_request *request, unsigned i) {
  request->device->streaming.moves = QN_MOVE_ALL;
  return i == 0;
}

static bool partition_moves(struct qn_run_request *request, unsigned i) {
  request->device->streaming.moves = i == 0 ? QN_MOVE_PARTITIONS : QN_MOVE_ALL;
  return i < 2;
}

static void on_blocks(const struct qn_graph *graph) {
  struct streamed_counts counts = {0};
  struct qn_blocked_csr view;
  assert_true(
      open_blocked_csr(graph,
                       (struct qn_blocked_csr_options){
                           .directions = QN_BLOCKED_PULL | QN_BLOCKED_PUSH, .block_vertices = 80},
                       &view));
  const unsigned ran = run_manners(graph, QN_LAYOUT_BLOCKED_CSR, &view, QN_KERNEL_DIRECTION,
                                   each_direction, &counts);
  assert_true(ran >= 5 && counts.resident > 0 && counts.streamed > 0);
  qn_blocked_csr_unmap(&view);
}

static void on_pages(const struct qn_graph *graph) {
  struct streamed_counts counts = {0};
  struct qn_slotted_pages view;
  assert_true(open_slotted_pages(graph, (struct qn_page_options){.page_bytes = 512}, &view));
  assert_true(run_manners(graph, QN_LAYOUT_SLOTTED_PAGES, &view, QN_KERNEL_PARALLELISM,
                          each_parallelism, &counts) >= 5);
  assert_true(run_manners(graph, QN_LAYOUT_SLOTTED_PAGES, &view, QN_KERNEL_SEES, asynchronously,
                          &counts) >= 1);
  run_manners(graph, QN_LAYOUT_SLOTTED_PAGES, &view, 0, all_moves, &counts);
  assert_true(counts.resident > 0 && counts.streamed > 0);
  qn_slotted_pages_unmap(&view);
}

static void on_partitions(const struct qn_graph *graph) {
  struct streamed_counts counts = {0};
  struct qn_edge_partitions view;
  assert_true(open_edge_partitions(
      graph, (struct qn_edge_partitions_options){.partition_bytes = 1024}, &view));
  assert_true(run_manners(graph, QN_LAYOUT_EDGE_PARTITIONS, &view, QN_KERNEL_SEES, asynchronously,
                          &counts) >= 1);
  run_manners(graph, QN_LAYOUT_EDGE_PARTITIONS, &view, 0, partition_moves, &counts);
  assert_true(counts.resident > 0 && counts.streamed > 0);
  qn_edge_partitions_unmap(&view);
}

TEST(all_manners) {
  void (*const layouts[])(const struct qn_graph *) = {on_blocks, on_pages, on_partitions};
  for (unsigned i = 0; i < 3; i++) {
    visit_and_free(random_undirected(300, 900, QN_WEIGHT_U32, 6), layouts[i]);
    visit_and_free(random_graph(200, 700, QN_WEIGHT_F32, 1, 2), layouts[i]);
  }
}

/* A direction that the container has no blocks for. */
TEST(missing_blocks) {
  const uint32_t source = 0;
  struct qn_graph graph = random_undirected(60, 150, QN_WEIGHT_NONE, 7);
  const struct qn_kernel *pagerank =
      qn_kernel_find("pagerank", QN_LAYOUT_BLOCKED_CSR, QN_CUDA, QN_WEIGHT_NONE);
  for (int pull = 0; pull < 2; pull++) {
    struct qn_blocked_csr view;
    struct qn_run_result result;
    struct qn_error error = {0};
    assert_true(open_blocked_csr(
        &graph,
        (struct qn_blocked_csr_options){.directions = pull ? QN_BLOCKED_PULL : QN_BLOCKED_PUSH,
                                        .block_vertices = 30},
        &view));
    struct qn_run_request request = request_for_test(pagerank, &view, &source, NULL);
    struct qn_device_run device = {0};
    request.device = &device;
    request.direction = pull ? QN_DIRECTION_PUSH : QN_DIRECTION_PULL;
    new_machine(0, 0);
    assert_int_equal(pagerank->run(&request, &result, &error), QN_UNSUPPORTED);
    assert_non_null(strstr(error.message, pull ? "no push blocks" : "no pull blocks"));
    assert_int_equal(emulator_live(), 0);
    qn_blocked_csr_unmap(&view);
  }
  qn_graph_unmap(&graph);
}

/* Diamonds one after the other: 3^stages paths, which is more than a double counts exactly. */
TEST(more_paths_than_are_exact) {
  enum { STAGES = 50, WIDTH = 3 };
  struct test_edge edges[STAGES * WIDTH * 2];
  uint64_t count = 0;
  memset(edges, 0, sizeof edges);
  for (uint32_t stage = 0; stage < STAGES; stage++) {
    const uint32_t begin = stage * (WIDTH + 1), end = begin + WIDTH + 1;
    for (uint32_t i = 1; i <= WIDTH; i++) {
      edges[count].source = begin, edges[count++].destination = begin + i;
      edges[count].source = begin + i, edges[count++].destination = end;
    }
  }
  const uint64_t num_vertices = STAGES * (WIDTH + 1) + 1;
  const uint32_t source = 0;
  struct qn_graph graph = graph_from_edges(edges, count, num_vertices, QN_WEIGHT_NONE);
  const struct qn_kernel *kernel =
      qn_kernel_find("bc", QN_LAYOUT_BLOCKED_CSR, QN_CUDA, QN_WEIGHT_NONE);
  struct qn_blocked_csr view;
  assert_true(open_blocked_csr(
      &graph, (struct qn_blocked_csr_options){.directions = QN_BLOCKED_PULL, .block_vertices = 50},
      &view));
  struct qn_run_result expected = run_for_test(
      qn_kernel_find("bc", QN_LAYOUT_GRAPH, QN_CPU, QN_WEIGHT_NONE), &graph, source, NULL);
  for (uint64_t seed = 1; seed <= 3; seed++) {
    new_machine(seed, 0);
    struct qn_run_result result = run_for_test(kernel, &view, source, NULL);
    assert_same_results("bc", &expected, &result);
    qn_run_result_destroy(&result);
  }
  qn_run_result_destroy(&expected);
  qn_blocked_csr_unmap(&view);
  qn_graph_unmap(&graph);
}

TEST_MAIN(scratch_create, scratch_remove)
