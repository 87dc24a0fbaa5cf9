/* CUDA programs on packed rows, in the emulator: resident, and streamed in units of several tiles.
 */
#include "helpers/emulated_test.h"
#include "helpers/layout_views.h"
#include "helpers/streamed_test.h"

enum { IN = QN_PACKED_IN, OUT = QN_PACKED_OUT, BOTH = IN | OUT };

static struct streamed_counts counts;

static void run_resident(const struct qn_graph *graph) {
  struct qn_packed view;
  assert_true(open_packed(graph, (struct qn_packed_options){BOTH}, &view));
  compare_emulated(graph, QN_LAYOUT_PACKED, &view, 1);
  qn_packed_unmap(&view);
}

TEST(all_shapes) {
  each_emulated_graph(run_resident);
}

/* The same bits in whatever order threads and blocks run: rows in one tile, and in several. */
TEST(real_sums_have_one_order) {
  static const char *const algorithms[] = {"pagerank", "spmv"};
  struct qn_graph graph = hub_graph(400, 9000);
  struct qn_packed view;
  assert_true(open_packed(&graph, (struct qn_packed_options){IN}, &view));
  for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
    const struct qn_kernel *kernel =
        qn_kernel_find(algorithms[i], QN_LAYOUT_PACKED, QN_CUDA, graph.out.weights.type);
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
  qn_packed_unmap(&view);
  qn_graph_unmap(&graph);
}

/* Rows that are chosen, of tiles with many rows and of rows with many tiles: pushed from, and
 * looked at from below. */
static void walk_rows(const struct qn_graph *graph) {
  static const char *const algorithms[] = {"bfs", "sssp", "cc"};
  const uint32_t source = 3;
  struct qn_packed view;
  assert_true(open_packed(graph, (struct qn_packed_options){BOTH}, &view));
  for (unsigned i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
    const struct qn_kernel *kernel = cuda_kernel(algorithms[i], QN_LAYOUT_PACKED);
    if (qn_stand_in_find(kernel))
      kernel = qn_stand_in_find(kernel); /* components of directed graphs, too */
    struct qn_run_result expected = run_for_test(reference_for(kernel, graph), graph, source, NULL);
    for (unsigned direction = 0; direction < (i == 0 ? 3 : 1); direction++) {
      struct qn_run_request request = request_for_test(kernel, &view, &source, NULL);
      struct qn_device_run device = {0};
      struct qn_run_result result;
      struct qn_error error;
      request.device = &device;
      request.direction = (enum qn_direction)direction;
      new_machine(direction, 0);
      assert_int_equal(kernel->run(&request, &result, &error), QN_OK);
      assert_same_results(algorithms[i], &expected, &result);
      qn_run_result_destroy(&result);
    }
    qn_run_result_destroy(&expected);
  }
  qn_packed_unmap(&view);
}

TEST(chosen_rows) {
  visit_and_free(hub_graph(3000, 20000), walk_rows);
  visit_and_free(random_graph(2500, 3000, QN_WEIGHT_U32, 2, 5), walk_rows);
  visit_and_free(random_undirected(2500, 3500, QN_WEIGHT_U32, 4), walk_rows);
}

/* A path whose only tile ends with the last bit of its 11 words, and one word before 16 bytes do:
 * the threads that have no edges look at nothing behind it. */
TEST(nothing_behind_a_tile) {
  enum { EDGES = 31, VERTICES = 112 };
  struct test_edge edges[EDGES] = {{0}};
  struct qn_packed view;
  for (uint32_t i = 0; i < EDGES; i++)
    edges[i] = (struct test_edge){.source = i, .destination = i + 1};
  struct qn_graph graph = graph_from_edges(edges, EDGES, VERTICES, QN_WEIGHT_NONE);
  assert_true(open_packed(&graph, (struct qn_packed_options){IN}, &view));
  assert_int_equal(view.in.tile_starts[1], 11);
  new_machine(1, 0);
  struct qn_run_result result =
      run_for_test(cuda_kernel("indegree", QN_LAYOUT_PACKED), &view, 0, NULL);
  for (uint32_t i = 0; i < VERTICES; i++)
    assert_int_equal(((const uint64_t *)result.values)[i], i > 0 && i <= EDGES);
  qn_run_result_destroy(&result);
  qn_packed_unmap(&view);
  qn_graph_unmap(&graph);
}

/* All-active programs want in-edges, the others out-edges. */
TEST(one_direction) {
  static const struct {
    const char *algorithm, *wanted;
    uint32_t directions;
  } cases[] = {{"pagerank", "--direction in", OUT}, {"bfs", "--direction out", IN}};
  struct qn_graph graph = random_graph(100, 900, QN_WEIGHT_NONE, 0, 8);
  for (unsigned i = 0; i < 2; i++) {
    struct qn_packed view;
    struct qn_run_result result;
    struct qn_error error;
    assert_true(open_packed(&graph, (struct qn_packed_options){cases[i].directions}, &view));
    const struct qn_kernel *kernel =
        qn_kernel_find(cases[i].algorithm, QN_LAYOUT_PACKED, QN_CUDA, QN_WEIGHT_NONE);
    struct qn_run_request request = qn_run_request_for(kernel, &view);
    struct qn_device_run device = {0};
    request.device = &device;
    new_machine(0, 0);
    assert_int_equal(kernel->run(&request, &result, &error), QN_UNSUPPORTED);
    assert_non_null(strstr(error.message, cases[i].wanted));
    qn_packed_unmap(&view);
  }
  qn_graph_unmap(&graph);
}

TEST(device_failures) {
  struct qn_graph graph = random_undirected(60, 150, QN_WEIGHT_U32, 7);
  struct qn_packed view;
  assert_true(open_packed(&graph, (struct qn_packed_options){OUT}, &view));
  fail_device_calls(QN_LAYOUT_PACKED, &view);
  qn_packed_unmap(&view);
  qn_graph_unmap(&graph);
}

/* ---- Streamed ----------------------------------------------------------------------- */

static void stream_all(const struct qn_graph *graph) {
  struct qn_packed view;
  assert_true(open_packed(graph, (struct qn_packed_options){BOTH}, &view));
  if (view.num_edges > 0)
    compare_streamed(graph, QN_LAYOUT_PACKED, &view, &counts);
  qn_packed_unmap(&view);
}

TEST(every_program_streamed) {
  memset(&counts, 0, sizeof counts);
  visit_and_free(graph_from_edges(NULL, 0, 40, QN_WEIGHT_F32), stream_all);
  visit_and_free(random_undirected(500, 4000, QN_WEIGHT_U32, 6), stream_all);
  visit_and_free(hub_graph(400, 5000), stream_all);
  visit_and_free(random_graph(3000, 9000, QN_WEIGHT_F32, 1, 2), stream_all);
  assert_tested_by(&counts, 6);
}

TEST(streamed_failures) {
  static const char *const algorithms[] = {"bfs", "pagerank"};
  struct qn_graph graph = random_undirected(400, 3000, QN_WEIGHT_U32, 7);
  struct qn_packed view;
  assert_true(open_packed(&graph, (struct qn_packed_options){OUT}, &view));
  for (unsigned i = 0; i < 2; i++)
    fail_streamed(cuda_kernel(algorithms[i], QN_LAYOUT_PACKED), &view);
  qn_packed_unmap(&view);
  qn_graph_unmap(&graph);
}

TEST_MAIN(scratch_create, scratch_remove)
