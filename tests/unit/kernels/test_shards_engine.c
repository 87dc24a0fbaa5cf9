/* Programs on shards: the same results as on the graph layout. */
#include "helpers/engine_test.h"
#include "helpers/layout_views.h"

static void run_with(const struct qn_graph *graph, struct qn_shards_options options) {
  struct qn_shards view;
  assert_true(open_shards(graph, options, &view));
  compare_engines(graph, QN_LAYOUT_SHARDS, &view);
  qn_shards_unmap(&view);
}

static void every_size(const struct qn_graph *graph) {
  run_with(graph, (struct qn_shards_options){0});
  run_with(graph, (struct qn_shards_options){.shard_vertices = 1});
  run_with(graph, (struct qn_shards_options){.shared_bytes = 1024});
}

TEST(all_shapes) {
  each_engine_graph(every_size);
}

static void default_size(const struct qn_graph *graph) {
  run_with(graph, (struct qn_shards_options){0});
}

TEST(large_graph) {
  large_engine_graph(default_size);
}

/* ---- Ways to go about it ------------------------------------------------------------------ */

static struct qn_run_result run_request(const struct qn_kernel *kernel,
                                        const struct qn_run_request *request) {
  struct qn_run_result result;
  struct qn_error error = {0};
  if (kernel->run(request, &result, &error))
    fail_msg("%s: %s", kernel->algorithm->name, error.message);
  return result;
}

/* How often an iteration notified or pulled. */
struct modes {
  unsigned notified, pulled;
};

static void count_modes(void *user, const struct qn_iteration *iteration) {
  struct modes *modes = user;
  modes->notified += strcmp(iteration->mode, "notify-pull") == 0;
  modes->pulled += strcmp(iteration->mode, "pull") == 0;
}

/* One way or the other, and where edges are read from storage: the results of the graph layout. */
static void compare_ways(const struct qn_kernel *kernel, const struct qn_graph *graph,
                         const struct qn_shards *view) {
  const uint32_t source = (uint32_t)(view->num_vertices / 3);
  struct qn_run_result expected = run_for_test(reference_for(kernel, graph), graph, source, NULL);
  for (int way = 0; way < 6; way++) {
    struct modes modes = {0};
    struct qn_run_request request = request_for_test(kernel, view, &source, NULL);
    request.direction = (enum qn_direction)(way / 2);
    struct qn_device_run device = {.streaming = {.host_memory = way % 2 ? 1 : 0}};
    request.device = &device;
    request.hooks.on_iteration = count_modes;
    request.hooks.user = &modes;
    struct qn_run_result result = run_request(kernel, &request);
    assert_same_results(kernel->algorithm->name, &expected, &result);
    assert_true(request.direction != QN_DIRECTION_PUSH || modes.pulled == 0);
    assert_true(request.direction != QN_DIRECTION_PULL || modes.notified == 0);
    qn_run_result_destroy(&result);
  }
  qn_run_result_destroy(&expected);
}

static void every_way(const struct qn_graph *graph) {
  struct qn_shards view;
  unsigned compared = 0;
  assert_true(open_shards(graph, (struct qn_shards_options){0}, &view));
  for (const struct qn_kernel *const *kernel = qn_kernels(); *kernel; kernel++) {
    if ((*kernel)->layout != QN_LAYOUT_SHARDS || (*kernel)->processor != QN_CPU ||
        !((*kernel)->traits & QN_KERNEL_DIRECTION) || view.num_vertices == 0 ||
        !((*kernel)->weight_types & 1u << graph->out.weights.type) ||
        ((*kernel)->traits & QN_KERNEL_SYMMETRIC && graph->directedness != QN_UNDIRECTED))
      continue;
    compare_ways(*kernel, graph, &view);
    compared++;
  }
  assert_true(compared >= 2 || view.num_vertices == 0);
  qn_shards_unmap(&view);
}

TEST(directions_and_storage) {
  each_engine_graph(every_way);
}

static struct qn_run_result asynchronous_run(const char *algorithm, const struct qn_shards *view,
                                             bool asynchronous, uint32_t iterations) {
  const struct qn_kernel *kernel =
      qn_kernel_find(algorithm, QN_LAYOUT_SHARDS, QN_CPU, view->in.weights.type);
  assert_true(kernel->traits & QN_KERNEL_SEES);
  struct qn_run_request request = qn_run_request_for(kernel, view);
  request.limits.tolerance = 0;
  request.limits.max_iterations = iterations;
  request.asynchronous = asynchronous;
  qn_request_set(&request, "alpha", 0.01);
  return run_request(kernel, &request);
}

/* Values that are seen within an iteration end at the same ones, whatever the number of threads.
 * Those that only grow are there sooner where the graph has several batches. */
static void compare_asynchronous(const struct qn_graph *graph) {
  struct qn_shards view;
  assert_true(open_shards(graph, (struct qn_shards_options){.page_bytes = 1 << 20}, &view));
  struct qn_run_result expected = asynchronous_run("katz", &view, false, 14);
  struct qn_run_result first = asynchronous_run("katz", &view, true, 14);
  assert_same_results("katz, seeing values", &expected, &first);
  qn_threads_set(1);
  struct qn_run_result again = asynchronous_run("katz", &view, true, 14);
  qn_threads_set(0);
  assert_memory_equal(first.values, again.values, first.num_values * sizeof(double));
  qn_run_result_destroy(&expected);
  qn_run_result_destroy(&first);
  qn_run_result_destroy(&again);
  first = asynchronous_run("katz", &view, true, 5);
  expected = asynchronous_run("katz", &view, false, 5);
  if (view.num_edges > 1 << 21)
    assert_true(first.stats.change < 0.5 * expected.stats.change);
  qn_run_result_destroy(&expected);
  qn_run_result_destroy(&first);
  qn_shards_unmap(&view);
}

TEST(asynchronous_walks) {
  visit_and_free(graph_from_edges(NULL, 0, 0, QN_WEIGHT_NONE), compare_asynchronous);
  visit_and_free(random_graph(3000, 9000, QN_WEIGHT_NONE, 2, 3), compare_asynchronous);
  large_engine_graph(compare_asynchronous);
}

TEST(allocation_failures) {
  struct qn_graph graph = random_undirected(100, 300, QN_WEIGHT_U32, 7);
  struct qn_shards view;
  assert_true(open_shards(&graph, (struct qn_shards_options){0}, &view));
  fail_allocations(QN_LAYOUT_SHARDS, &view);
  qn_shards_unmap(&view);
  qn_graph_unmap(&graph);
}

TEST_MAIN(scratch_create, scratch_remove)
