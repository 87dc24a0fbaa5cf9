/* Plain rows, and shards, that do not fit into device memory, in the emulator, cut into small
 * units.
 */
#include "helpers/layout_views.h"
#include "helpers/streamed_test.h"

static struct streamed_counts counts;

static void stream_rows(const struct qn_graph *graph) {
  if (graph->out.num_edges > 0)
    compare_streamed(graph, QN_LAYOUT_GRAPH, graph, &counts);
}

/* Among them rows of more edges than a unit holds, and many rows without any. */
TEST(rows) {
  each_streamed_graph(&counts, 3, stream_rows);
  assert_tested(&counts);
}

static void stream_shards(const struct qn_graph *graph) {
  struct qn_shards view;
  assert_true(open_shards(graph, (struct qn_shards_options){.shard_vertices = 50}, &view));
  if (view.num_edges > 0)
    compare_streamed(graph, QN_LAYOUT_SHARDS, &view, &counts);
  qn_shards_unmap(&view);
}

/* Among them shards of many units, units that begin anywhere, and rows of more edges than one. */
TEST(shards) {
  each_streamed_graph(&counts, 2, stream_shards);
  assert_tested(&counts);
}

/* A search along a path needs the unit alone where it goes on. */
TEST(searches_move_what_they_reach) {
  const uint32_t source = 0;
  struct qn_graph graph = path_graph(200);
  struct qn_shards view;
  assert_true(open_shards(&graph, (struct qn_shards_options){.shard_vertices = 16}, &view));
  memset(&counts, 0, sizeof counts);
  const struct qn_kernel *kernel = cuda_kernel("bfs", QN_LAYOUT_SHARDS);
  struct qn_device_run device;
  struct qn_run_request request = streamed_request(kernel, &view, &source, &device, &counts);
  request.device->memory = least_budget(kernel, request, resident_bytes(kernel, &view, &source));
  struct qn_run_result result;
  struct qn_error error;
  new_machine(0, 0);
  assert_int_equal(kernel->run(&request, &result, &error), QN_OK);
  assert_true(request.device->report.plan.streams && request.device->report.plan.num_units >= 10);
  assert_in_range(counts.active_units, result.stats.iterations - 1, 2 * result.stats.iterations);
  qn_run_result_destroy(&result);
  qn_shards_unmap(&view);
  qn_graph_unmap(&graph);
}

/* With memory to spare for row offsets: units move, are held, and stay where rows of them are read,
 * by searches that push and that look from below. */
static void read_rows(const struct qn_graph *graph) {
  static const char *const algorithms[] = {"bfs", "sssp", "kcore"};
  const uint32_t source = (uint32_t)(graph->out.num_vertices / 3);
  for (unsigned i = 0; i < 3; i++) {
    const struct qn_kernel *kernel = cuda_kernel(algorithms[i], QN_LAYOUT_GRAPH);
    if (graph->directedness != QN_UNDIRECTED && !(kernel->algorithm->inputs & QN_INPUT_SOURCE))
      continue;
    struct qn_run_result expected = streamed_reference(algorithms[i], graph, &source);
    struct qn_device_run device;
    struct qn_run_request request = streamed_request(kernel, graph, &source, &device, &counts);
    request.device->memory = resident_bytes(kernel, graph, &source) * 7 / 8;
    request.device->streaming.limit_cache = true;
    for (unsigned part = 0; part < 3; part++) {
      request.device->streaming.cache_memory = graph->out.num_edges * part;
      new_machine(part + i, 0);
      assert_true(run_streamed(kernel, &request, &expected, &counts));
    }
    qn_run_result_destroy(&expected);
  }
}

TEST(rows_are_read) {
  memset(&counts, 0, sizeof counts);
  visit_and_free(random_graph(500, 9000, QN_WEIGHT_U32, 1, 2), read_rows);
  visit_and_free(random_undirected(500, 4500, QN_WEIGHT_U32, 6), read_rows);
  visit_and_free(hub_graph(500, 9000), read_rows);
  assert_true(counts.streamed >= 18 && counts.hits > 0);
}

/* From below most edges are never looked at. */
static void leave_edges_out(const struct qn_graph *graph) {
  const uint32_t source = 1;
  const struct qn_kernel *kernel = cuda_kernel("bfs", QN_LAYOUT_GRAPH);
  struct qn_run_result expected = streamed_reference("bfs", graph, &source);
  struct qn_device_run device;
  struct qn_run_request request = streamed_request(kernel, graph, &source, &device, &counts);
  request.device->memory = resident_bytes(kernel, graph, &source) * 7 / 8;
  request.device->streaming.limit_cache = true;
  for (unsigned part = 0; part < 2; part++) {
    request.device->streaming.cache_memory = graph->out.num_edges * part;
    memset(&counts, 0, sizeof counts);
    new_machine(part, 0);
    assert_true(run_streamed(kernel, &request, &expected, &counts));
    assert_true(counts.streamed == 1 && counts.moved_bytes > 0);
    assert_true(counts.moved_bytes < 3 * graph->out.num_edges);
  }
  qn_run_result_destroy(&expected);
}

/* Of a directed graph that is along in-edges, which are others. */
static void look_along_in_edges(const struct qn_graph *out) {
  struct qn_graph graph = *out, made;
  struct qn_error error;
  assert_int_equal(qn_graph_create_transpose(&out->out, &made, &error), QN_OK);
  graph.in = made.out;
  graph.has_transpose = true;
  leave_edges_out(&graph);
  qn_graph_unmap(&made);
}

TEST(searches_leave_edges_out) {
  visit_and_free(random_undirected(400, 12000, QN_WEIGHT_U32, 3), leave_edges_out);
  visit_and_free(random_graph(400, 24000, QN_WEIGHT_U32, 1, 2), look_along_in_edges);
}

/* A run that streams, interrupted and gone on with, with the same memory and with enough for all.
 */
static void go_on_streaming(const struct qn_kernel *kernel, const struct qn_graph *graph,
                            const uint32_t *positions) {
  const uint32_t source = 3;
  struct qn_run_request request = request_for_test(kernel, graph, &source, positions);
  struct qn_device_run device = {0}, probed;
  request.device = &device;
  const uint64_t all = resident_bytes(kernel, graph, &source);
  struct streamed_counts ignored = {0};
  struct qn_run_request probe = streamed_request(kernel, graph, &source, &probed, &ignored);
  probe.positions = positions;
  const uint64_t least = least_budget(kernel, probe, all + 4000);
  request.device->memory = least + (all - least) / 4;
  new_machine(0, 0);
  resume_everywhere(kernel, &request);
  struct kept_state kept = {.stop_after = 1}, going_on = {0};
  struct qn_run_result result = {0}, expected;
  struct qn_error error;
  assert_int_equal(kernel->run(&request, &expected, &error), QN_OK);
  assert_true(device.report.plan.streams);
  assert_int_equal(run_checkpointed(kernel, request, &kept, NULL, &result), QN_INTERRUPTED);
  request.device->memory = 0;
  going_on.state.registers[QN_STATE_ITERATIONS] = 1;
  run_checkpointed(kernel, request, &going_on, &kept.state, &result);
  assert_same_results(kernel->algorithm->name, &expected, &result);
  assert_true(device.report.plan.streams);
  qn_run_result_destroy(&result);
  qn_run_result_destroy(&expected);
  free_kept(&kept);
}

TEST(checkpoints) {
  static const char *const algorithms[] = {"bfs", "cc", "kcore", "pagerank", "sssp"};
  struct qn_graph graph = random_undirected(300, 4000, QN_WEIGHT_U32, 8);
  uint32_t positions[300];
  for (uint32_t v = 0; v < 300; v++)
    positions[v] = 299 - v;
  for (unsigned i = 0; i < sizeof algorithms / sizeof *algorithms; i++)
    go_on_streaming(cuda_kernel(algorithms[i], QN_LAYOUT_GRAPH), &graph, i % 2 ? positions : NULL);
  qn_graph_unmap(&graph);
}

/* The state of a run that had all on the device is nothing to one that streams. */
TEST(resident_states_are_refused) {
  const struct qn_kernel *kernel = cuda_kernel("pagerank", QN_LAYOUT_GRAPH);
  const uint32_t source = 0;
  struct qn_graph graph = random_undirected(300, 4000, QN_WEIGHT_U32, 8);
  struct qn_run_request request = request_for_test(kernel, &graph, &source, NULL);
  struct qn_device_run device = {0};
  request.device = &device;
  struct kept_state kept = {.stop_after = 2};
  struct qn_run_result result = {0};
  struct qn_error error = {0};
  const uint64_t all = resident_bytes(kernel, &graph, &source);
  new_machine(0, 0);
  assert_int_equal(run_checkpointed(kernel, request, &kept, NULL, &result), QN_INTERRUPTED);
  struct qn_checkpointing checkpointing = {&kept.state, keep_is_due, keep_state, &kept};
  request.hooks.checkpointing = &checkpointing;
  request.device->memory = all / 2;
  assert_int_equal(kernel->run(&request, &result, &error), QN_UNSUPPORTED);
  assert_non_null(strstr(error.message, "had the whole graph on the device"));
  free_kept(&kept);
  qn_graph_unmap(&graph);
}

/* Components of a directed graph, of which the rows of out-edges are streamed. */
TEST(components_of_directed_graphs) {
  const struct qn_kernel *kernel = cuda_kernel("cc", QN_LAYOUT_GRAPH);
  memset(&counts, 0, sizeof counts);
  for (uint64_t seed = 1; seed < 4; seed++) {
    struct qn_graph graph = random_graph(400, 500, QN_WEIGHT_U32, 1, seed);
    const uint32_t source = 0;
    struct qn_run_result expected = run_for_test(
        qn_kernel_find("cc", QN_LAYOUT_GRAPH, QN_CPU, QN_WEIGHT_U32), &graph, source, NULL);
    stream_budgets(kernel, &graph, &source, &expected, &counts);
    qn_run_result_destroy(&expected);
    qn_graph_unmap(&graph);
  }
  assert_true(counts.streamed >= 6);
}

TEST(failures) {
  static const char *const algorithms[] = {"bfs", "cc", "pagerank"};
  struct qn_graph graph = random_undirected(300, 4000, QN_WEIGHT_U32, 8);
  struct qn_shards view;
  assert_true(open_shards(&graph, (struct qn_shards_options){.shard_vertices = 50}, &view));
  for (unsigned i = 0; i < 3; i++) {
    fail_streamed(cuda_kernel(algorithms[i], QN_LAYOUT_GRAPH), &graph);
    fail_streamed(cuda_kernel(algorithms[i], QN_LAYOUT_SHARDS), &view);
  }
  qn_shards_unmap(&view);
  qn_graph_unmap(&graph);
}

TEST_MAIN(scratch_create, scratch_remove)
