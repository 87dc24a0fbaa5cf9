/* Plain rows, and shards, that do not fit into device memory, in the emulator, cut into small
 * units.
 */
#include "helpers/streamed_test.h"
#include "partitioner/shards.h"

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

static void open_shards(const struct qn_graph *graph, uint64_t shard_vertices,
                        struct qn_shards *view) {
  struct qn_shards_options options = {.shard_vertices = shard_vertices};
  struct qn_builder builder = {.tool = "quern-shard",
                               .layout = QN_LAYOUT_SHARDS,
                               .build = qn_shards_build,
                               .options = &options};
  struct qn_error error;
  assert_int_equal(build_layout(&builder, graph, scratch_path("shards.qrn"), &error), QN_OK);
  assert_int_equal(qn_shards_map(scratch_path("shards.qrn"), view, &error), QN_OK);
}

static void stream_shards(const struct qn_graph *graph) {
  struct qn_shards view;
  open_shards(graph, 50, &view);
  if (view.num_edges > 0)
    compare_streamed(graph, QN_LAYOUT_SHARDS, &view, &counts);
  qn_shards_unmap(&view);
}

/* Among them shards of many units, units that begin anywhere, and rows of more edges than one. */
static void shards(void **state) {
  (void)state;
  each_streamed_graph(&counts, 2, stream_shards);
  assert_tested(&counts);
}

/* A search along a path needs the unit alone where it goes on. */
static void searches_move_what_they_reach(void **state) {
  const uint32_t source = 0;
  (void)state;
  struct qn_graph graph = path_graph(200);
  struct qn_shards view;
  open_shards(&graph, 16, &view);
  memset(&counts, 0, sizeof counts);
  const struct qn_kernel *kernel = cuda_kernel("bfs", QN_LAYOUT_SHARDS);
  struct qn_run_request request = streamed_request(kernel, &view, &source, &counts);
  request.device_memory = least_budget(kernel, request, resident_bytes(kernel, &view, &source));
  struct qn_run_result result;
  struct qn_error error;
  new_machine(0, 0);
  assert_int_equal(kernel->run(&request, &result, &error), QN_OK);
  assert_true(result.plan.streams && result.plan.num_units >= 10);
  assert_in_range(counts.active_units, result.iterations - 1, 2 * result.iterations);
  qn_run_result_destroy(&result);
  qn_shards_unmap(&view);
  qn_graph_unmap(&graph);
}

static void failures(void **state) {
  static const char *const algorithms[] = {"bfs", "pagerank", "sssp"};
  (void)state;
  struct qn_graph graph = random_undirected(300, 4000, QN_WEIGHT_U32, 8);
  struct qn_shards view;
  open_shards(&graph, 50, &view);
  for (unsigned i = 0; i < 3; i++) {
    fail_streamed(cuda_kernel(algorithms[i], QN_LAYOUT_GRAPH), &graph);
    fail_streamed(cuda_kernel(algorithms[i], QN_LAYOUT_SHARDS), &view);
  }
  qn_shards_unmap(&view);
  qn_graph_unmap(&graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows),
      cmocka_unit_test(shards),
      cmocka_unit_test(searches_move_what_they_reach),
      cmocka_unit_test(failures),
  };
  return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
