/* CPU and device side by side on shards, in the emulator, with small units and stretches. */
#include "helpers/layout_views.h"
#include "helpers/streamed_test.h"

/* What the runs of a test did. */
struct shared_counts {
  uint64_t iterations[QN_JOINT_CHOICES], cpu_pages, device_pages, exchanged_bytes, streamed;
};

static struct shared_counts counts;

static const struct qn_shards_options shard_options = {.shard_vertices = 90};

static void count_iteration(void *user, const struct qn_iteration *iteration) {
  const struct qn_joint_figures *figures = iteration->device->joint;
  (void)user;
  assert_non_null(figures);
  assert_string_equal(iteration->mode, qn_joint_name(figures->choice));
  counts.iterations[figures->choice]++;
  counts.streamed += iteration->device->moved.active_units > 0;
  counts.exchanged_bytes += figures->exchanged_bytes;
  if (figures->choice != QN_BOTH)
    return;
  counts.cpu_pages += figures->cpu_pages;
  counts.device_pages += figures->device_pages;
}

static bool is_shared(const struct qn_kernel *kernel, const struct qn_graph *graph) {
  return kernel->layout == QN_LAYOUT_SHARDS && kernel->processor == QN_JOINT &&
         kernel->weight_types & 1u << graph->out.weights.type &&
         !(kernel->traits & QN_KERNEL_SYMMETRIC && graph->directedness != QN_UNDIRECTED) &&
         !(kernel->algorithm->inputs & QN_INPUT_SOURCE && graph->out.num_vertices == 0);
}

static struct qn_run_request shared_request(const struct qn_kernel *kernel, const void *view,
                                            const uint32_t *source, struct qn_device_run *device,
                                            const char *choices) {
  struct qn_run_request request = request_for_test(kernel, view, source, NULL);
  *device = (struct qn_device_run){.joint_choices = choices};
  request.device = device;
  request.hooks.on_iteration = count_iteration;
  return request;
}

static void run_shared(const struct qn_kernel *kernel, const struct qn_run_request *request,
                       const struct qn_run_result *expected, uint64_t seed) {
  struct qn_run_result result;
  struct qn_error error = {0};
  const uint64_t live = qn_memory_live();
  new_machine(seed, 0);
  if (kernel->run(request, &result, &error))
    fail_msg("%s: %s", kernel->algorithm->name, error.message);
  assert_int_equal(emulator_live(), 0);
  assert_true(request->device->memory == 0 || emulator_peak_bytes() <= request->device->memory);
  assert_same_results(kernel->algorithm->name, expected, &result);
  assert_true(request->device->report.figures.kernel_seconds > 0 ||
              request->limits.max_iterations == 0);
  qn_run_result_destroy(&result);
  assert_int_equal(qn_memory_live(), live);
}

/* The least device memory that is enough for a run that both do a part of. */
static uint64_t least_shared(const struct qn_kernel *kernel, struct qn_run_request request) {
  struct qn_run_result result;
  struct qn_error error;
  new_machine(0, 0);
  assert_int_equal(kernel->run(&request, &result, &error), QN_OK);
  qn_run_result_destroy(&result);
  return least_budget(kernel, request, emulator_peak_bytes());
}

static void share_program(const struct qn_kernel *kernel, const struct qn_graph *graph,
                          const struct qn_shards *view) {
  static const char *const choices[] = {"b", "cdb", "dbc"};
  const uint32_t source = (uint32_t)(graph->out.num_vertices / 3);
  const struct qn_kernel *reference =
      qn_kernel_find(kernel->algorithm->name, QN_LAYOUT_GRAPH, QN_CPU, graph->out.weights.type);
  struct qn_run_result expected = run_for_test(reference, graph, source, NULL);
  struct qn_device_run device;
  for (unsigned i = 0; i < sizeof choices / sizeof *choices; i++) {
    struct qn_run_request request = shared_request(kernel, view, &source, &device, choices[i]);
    qn_threads_set(1 + i);
    run_shared(kernel, &request, &expected, i);
  }
  qn_threads_set(2);
  struct qn_run_request request = shared_request(kernel, view, &source, &device, NULL);
  run_shared(kernel, &request, &expected, 1);
  request.device->joint_choices = "bdc";
  if (graph->out.num_edges > 0) {
    request.device->memory = least_shared(kernel, request);
    run_shared(kernel, &request, &expected, 2);
  }
  if (kernel->traits & QN_KERNEL_ANY_ORDER && !(kernel->traits & QN_KERNEL_ALL_ACTIVE)) {
    request.asynchronous = true;
    request.device->joint_choices = "b";
    run_shared(kernel, &request, &expected, 3);
    request.device->memory = 0;
    run_shared(kernel, &request, &expected, 0);
  }
  qn_threads_set(0);
  qn_run_result_destroy(&expected);
}

static void share_graph(const struct qn_graph *graph) {
  struct qn_shards view;
  assert_true(open_shards(graph, shard_options, &view));
  static unsigned rounds;
  const unsigned round = rounds++;
  for (const struct qn_kernel *const *kernel = qn_kernels(); *kernel; kernel++)
    if (is_shared(*kernel, graph) && has_its_turn(*kernel, round))
      share_program(*kernel, graph, &view);
  qn_shards_unmap(&view);
}

TEST(all_programs) {
  memset(&counts, 0, sizeof counts);
  visit_and_free(graph_from_edges(NULL, 0, 0, QN_WEIGHT_NONE), share_graph);
  visit_and_free(graph_from_edges(NULL, 0, 100, QN_WEIGHT_F32), share_graph);
  visit_and_free(random_graph(300, 1200, QN_WEIGHT_F32, 1, 2), share_graph);
  visit_and_free(random_undirected(400, 1600, QN_WEIGHT_U32, 6), share_graph);
  visit_and_free(path_graph(100), share_graph);
  visit_and_free(hub_graph(300, 2500), share_graph);
  for (int choice = 0; choice < QN_JOINT_CHOICES; choice++)
    assert_true(counts.iterations[choice] > 100);
  assert_true(counts.cpu_pages > 100 && counts.device_pages > 100);
  assert_true(counts.exchanged_bytes > 0 && counts.streamed > 50);
}

/* Without an order of updates ranks tend to the same values. */
TEST(ranks_tend_to_the_same_values) {
  struct qn_graph graph = random_undirected(700, 3000, QN_WEIGHT_NONE, 9);
  struct qn_shards view;
  assert_true(open_shards(&graph, shard_options, &view));
  const struct qn_kernel *reference =
      qn_kernel_find("pagerank", QN_LAYOUT_GRAPH, QN_CPU, QN_WEIGHT_NONE);
  const struct qn_kernel *kernel =
      qn_kernel_find("pagerank", QN_LAYOUT_SHARDS, QN_JOINT, QN_WEIGHT_NONE);
  struct qn_run_request request = qn_run_request_for(reference, &graph);
  struct qn_run_result expected, result;
  struct qn_error error;
  request.limits.tolerance = 1e-5;
  assert_int_equal(reference->run(&request, &expected, &error), QN_OK);
  struct qn_device_run device = {.joint_choices = "b"};
  request.view = &view;
  request.device = &device;
  request.asynchronous = true;
  new_machine(4, 0);
  assert_int_equal(kernel->run(&request, &result, &error), QN_OK);
  assert_true(result.stats.converged);
  double difference = 0, sum = 0;
  for (uint64_t v = 0; v < result.num_values; v++) {
    difference += fabs(engine_value(&result, v) - engine_value(&expected, v));
    sum += engine_value(&result, v);
  }
  assert_true(difference < 2e-4 && fabs(sum - 1) < 1e-3);
  qn_run_result_destroy(&result);
  qn_run_result_destroy(&expected);
  qn_shards_unmap(&view);
  qn_graph_unmap(&graph);
}

/* Whoever did the last iteration. */
TEST(resuming) {
  static const char *const algorithms[] = {"bfs", "sssp", "kcore", "pagerank"};
  struct qn_graph graph = random_undirected(300, 900, QN_WEIGHT_U32, 3);
  const uint32_t source = 7;
  struct qn_shards view;
  assert_true(open_shards(&graph, shard_options, &view));
  for (unsigned i = 0; i < 4; i++) {
    const struct qn_kernel *kernel =
        qn_kernel_find(algorithms[i], QN_LAYOUT_SHARDS, QN_JOINT, QN_WEIGHT_U32);
    bool real = kernel->result == QN_RESULT_F32; /* sums depend on who does a row */
    struct qn_device_run device;
    struct qn_run_request request =
        shared_request(kernel, &view, &source, &device, real ? "cd" : "cdb");
    new_machine(0, 0);
    resume_everywhere(kernel, &request);
    assert_int_equal(emulator_live(), 0);
  }
  qn_shards_unmap(&view);
  qn_graph_unmap(&graph);
}

/* Each call of the CUDA runtime, then each allocation, fails in turn; resident and streamed. */
TEST(failures) {
  static const char *const algorithms[] = {"bfs", "pagerank"};
  const uint32_t source = 0;
  struct qn_graph graph = random_undirected(100, 400, QN_WEIGHT_U32, 8);
  struct qn_shards view;
  assert_true(open_shards(&graph, shard_options, &view));
  for (unsigned i = 0; i < 2; i++) { /* one resident, one streamed */
    const struct qn_kernel *kernel =
        qn_kernel_find(algorithms[i], QN_LAYOUT_SHARDS, QN_JOINT, QN_WEIGHT_U32);
    struct qn_device_run device;
    struct qn_run_request request = shared_request(kernel, &view, &source, &device, "bcd");
    request.limits.max_iterations = 3;
    if (i == 0)
      request.device->memory = least_shared(kernel, request);
    const uint64_t live = qn_memory_live();
    for (int host = 0; host < 2; host++) {
      enum qn_status status = QN_DEVICE;
      for (uint64_t n = 1; status; n++) {
        struct qn_run_result result = {0};
        struct qn_error error;
        new_machine(0, host ? 0 : n);
        qn_memory_fail_nth(host ? n : 0);
        status = kernel->run(&request, &result, &error);
        qn_memory_fail_nth(0);
        assert_true(status == QN_OK || status == (host ? QN_SYSTEM : QN_DEVICE));
        assert_int_equal(emulator_live(), 0);
        assert_int_equal(qn_memory_live(), live + (status == QN_OK));
        qn_run_result_destroy(&result);
        if (!host) /* memory that cannot be pinned will do */
          status = emulator_calls() >= n ? QN_DEVICE : QN_OK;
      }
    }
  }
  qn_shards_unmap(&view);
  qn_graph_unmap(&graph);
}

TEST_MAIN(scratch_create, scratch_remove)
