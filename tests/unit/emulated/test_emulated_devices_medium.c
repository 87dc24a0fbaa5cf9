/* CUDA programs on several devices, in the emulator: both strategies, resident and streamed,
 * devices that reach each other's memory and such as don't, and one device named several times. */
#include "helpers/layout_views.h"
#include "helpers/streamed_layouts.h"

struct devices_counts {
  unsigned runs, streamed, resident, hosted, evicting, iterations;
  uint64_t moved_bytes, merged_bytes;
};

static struct devices_counts counts;
static const int APART[] = {0, 1, 2, 3}, SHARED[] = {0, 0, 1, 0};

static void machine_of(unsigned number, uint64_t fail_nth, bool peers) {
  struct emulator_options options = emulator_defaults();
  options.seed = number % 5;
  options.devices = 4;
  options.no_peers = !peers;
  options.fail_nth = fail_nth;
  emulator_reset(&options);
}

static void see_plan(void *user, const struct qn_stream_plan *plan) {
  (void)user;
  assert_in_range(plan->num_devices, 2, 4);
  assert_true(plan->attribute_bytes > 0);
  counts.hosted += plan->message_bytes > 0;
  counts.evicting += plan->streams && plan->cache_units > 0 && plan->cache_units < plan->num_units;
}

static void see_iteration(void *user, const struct qn_iteration *iteration) {
  const struct qn_shared_iteration *shared = iteration->device->shared;
  uint64_t bytes = 0, units = 0;
  (void)user;
  assert_non_null(shared);
  for (unsigned i = 0; i < shared->num_devices; i++) {
    const struct qn_stream_figures *moved = &shared->moved[i];
    assert_int_equal(moved->active_units, moved->cache_hits + moved->moved_units);
    bytes += moved->moved_bytes;
    units += moved->active_units;
  }
  assert_int_equal(bytes, iteration->device->moved.moved_bytes);
  assert_int_equal(units, iteration->device->moved.active_units);
  assert_true(shared->merge_seconds <= iteration->seconds);
  counts.iterations++;
}

static struct qn_run_request devices_request(const struct qn_kernel *kernel, const void *view,
                                             const uint32_t *source, unsigned num_devices,
                                             bool apart, enum qn_strategy strategy,
                                             struct qn_device_run *device) {
  struct qn_run_request request = request_for_test(kernel, view, source, NULL);
  *device = (struct qn_device_run){
      .indices = apart ? APART : SHARED,
      .num_devices = num_devices,
      .strategy = strategy,
      .streaming = {.num_streams = 1 + num_devices % 3, .on_plan = see_plan}};
  request.device = device;
  request.hooks.on_iteration = see_iteration;
  return request;
}

/* What each device did makes the whole. */
static void check_shares(const struct qn_device_run *run) {
  const struct qn_device_report *report = &run->report;
  uint64_t units = 0, attributes = 0;
  assert_int_equal(report->num_devices, run->num_devices);
  for (unsigned i = 0; i < report->num_devices; i++) {
    const struct qn_device_share *share = &report->shares[i];
    assert_int_equal(share->index, run->indices[i]);
    assert_true(share->figures.kernel_seconds > 0);
    assert_true(share->figures.memory_bytes > 0);
    assert_true(!run->memory || share->figures.memory_bytes <= run->memory);
    units += share->plan.num_units;
    attributes += share->plan.attribute_bytes;
    counts.streamed += share->plan.streams;
    counts.resident += !share->plan.streams;
    counts.moved_bytes += share->moved.moved_bytes;
    counts.merged_bytes += share->merged_bytes;
  }
  if (report->plan.strategy == QN_PERFORMANCE)
    assert_int_equal(units, report->plan.num_units);
  else
    assert_int_equal(units, report->plan.num_units * report->num_devices);
  assert_true(attributes > 0);
}

/* The most that one device holds beside the topology. */
static uint64_t attribute_bytes(const struct qn_device_report *report) {
  uint64_t most = 0;
  for (unsigned i = 0; i < report->num_devices; i++) {
    const uint64_t bytes = report->shares[i].plan.attribute_bytes;
    most = bytes > most ? bytes : most;
  }
  return most;
}

static struct qn_run_result run_devices(const struct qn_kernel *kernel,
                                        const struct qn_run_request *request,
                                        const struct qn_run_result *expected, bool peers) {
  const uint64_t live = qn_memory_live();
  struct qn_run_result result;
  struct qn_error error = {0};
  machine_of(counts.runs++, 0, peers);
  enum qn_status status = kernel->run(request, &result, &error);
  if (status)
    print_message("%s on %u devices: %s\n", kernel->algorithm->name, request->device->num_devices,
                  error.message);
  assert_int_equal(status, QN_OK);
  assert_int_equal(emulator_live(), 0);
  assert_int_equal(qn_memory_live(), live + (result.values != NULL));
  assert_same_results(kernel->algorithm->name, expected, &result);
  check_shares(request->device);
  return result;
}

/* All that fits, then a half of a share of the topology beside the attributes. Rows are dealt one
 * way alone. */
static void run_strategies(const struct qn_kernel *kernel, const void *view, const uint32_t *source,
                           const struct qn_run_result *expected) {
  static const enum qn_strategy strategies[] = {QN_PERFORMANCE, QN_SCALABILITY};
  const bool deals = kernel->layout == QN_LAYOUT_GRAPH || kernel->layout == QN_LAYOUT_PACKED;
  for (unsigned i = 0; i < (deals ? 1 : 2); i++) {
    const unsigned turn = counts.runs / 2;
    const bool apart = turn % 3 > 0, peers = turn % 4 > 0 || !apart;
    struct qn_device_run device;
    struct qn_run_request request =
        devices_request(kernel, view, source, 2 + turn % 3, apart, strategies[i], &device);
    struct qn_run_result result = run_devices(kernel, &request, expected, peers);
    const uint64_t topology = device.report.shares[0].plan.topology_bytes;
    device.memory = attribute_bytes(&device.report) + topology / 2;
    assert_int_equal(device.report.plan.strategy, strategies[i]);
    assert_false(device.report.plan.streams);
    qn_run_result_destroy(&result);
    if (topology < 4000 || topology / 2 < 2 * device.report.shares[0].plan.unit_bytes)
      continue;
    result = run_devices(kernel, &request, expected, peers);
    assert_true(device.report.plan.streams);
    qn_run_result_destroy(&result);
  }
}

static bool is_shared(const struct qn_kernel *kernel, enum qn_layout layout,
                      const struct qn_graph *graph) {
  if (layout == QN_LAYOUT_GRAPH)
    return kernel->traits & QN_KERNEL_SHARES_ROWS &&
           kernel->weight_types & 1u << graph->out.weights.type &&
           !(kernel->algorithm->inputs & QN_ANY_SOURCES && graph->out.num_vertices == 0);
  return is_emulated(kernel, layout, graph) && kernel->traits & QN_KERNEL_DEVICES;
}

static void compare_devices(const struct qn_graph *graph, enum qn_layout layout, const void *view) {
  const uint32_t source = (uint32_t)(graph->out.num_vertices / 3);
  static unsigned rounds;
  unsigned ran = 0, round = rounds++;
  for (const struct qn_kernel *const *kernel = qn_kernels(); *kernel; kernel++) {
    if (!is_shared(*kernel, layout, graph) ||
        (layout != QN_LAYOUT_GRAPH && !has_its_turn(*kernel, round)))
      continue;
    const struct qn_kernel *reference = qn_kernel_find((*kernel)->algorithm->name, QN_LAYOUT_GRAPH,
                                                       QN_CPU, graph->out.weights.type);
    struct qn_run_result expected = run_for_test(reference, graph, source, NULL);
    run_strategies(*kernel, view, &source, &expected);
    qn_run_result_destroy(&expected);
    ran++;
  }
  assert_true(ran >= (layout == QN_LAYOUT_GRAPH ? 1 : 2));
}

static void share_pages(const struct qn_graph *graph) {
  struct qn_slotted_pages view;
  open_pages(graph, 1024, &view);
  compare_devices(graph, QN_LAYOUT_SLOTTED_PAGES, &view);
  qn_slotted_pages_unmap(&view);
}

static void share_partitions(const struct qn_graph *graph) {
  struct qn_edge_partitions view;
  open_partitions(graph, 2000, &view);
  compare_devices(graph, QN_LAYOUT_EDGE_PARTITIONS, &view);
  qn_edge_partitions_unmap(&view);
}

static void share_rows(const struct qn_graph *graph) {
  compare_devices(graph, QN_LAYOUT_GRAPH, graph);
}

static void share_packed(const struct qn_graph *graph) {
  struct qn_packed view;
  assert_true(open_packed(
      graph, (struct qn_packed_options){.directions = QN_PACKED_IN | QN_PACKED_OUT}, &view));
  compare_devices(graph, QN_LAYOUT_PACKED, &view);
  qn_packed_unmap(&view);
}

static void each_shared_graph(void (*visit)(const struct qn_graph *)) {
  memset(&counts, 0, sizeof counts);
  visit_and_free(graph_from_edges(NULL, 0, 0, QN_WEIGHT_NONE), visit);
  visit_and_free(graph_from_edges(NULL, 0, 40, QN_WEIGHT_F32), visit);
  visit_and_free(random_graph(150, 600, QN_WEIGHT_F32, 1, 2), visit);
  visit_and_free(random_undirected(300, 1500, QN_WEIGHT_U32, 6), visit);
  visit_and_free(path_graph(40), visit);
  visit_and_free(hub_graph(200, 2500), visit);
}

static void check_counts(void) {
  assert_true(counts.streamed > 50 && counts.resident > 50);
  assert_true(counts.evicting > 10 && counts.iterations > 100);
  assert_true(counts.moved_bytes > 0 && counts.merged_bytes > 0);
}

TEST(pages) {
  each_shared_graph(share_pages);
  check_counts();
}

TEST(partitions) {
  each_shared_graph(share_partitions);
  check_counts();
}

/* With units that have more edges than one block walks, and hubs in several units. */
TEST(rows) {
  each_shared_graph(share_rows);
  visit_and_free(random_graph(3000, 9000, QN_WEIGHT_U32, 1, 3), share_rows);
  visit_and_free(random_undirected(2000, 12000, QN_WEIGHT_F32, 6), share_rows);
  visit_and_free(hub_graph(3000, 20000), share_rows);
  visit_and_free(random_undirected(500, 2500, QN_WEIGHT_NONE, 9), share_rows);
  check_counts();
}

/* With more ranges of rows than devices, and weights in codes. */
TEST(packed) {
  each_shared_graph(share_packed);
  visit_and_free(random_graph(5000, 20000, QN_WEIGHT_U32, 1, 3), share_packed);
  visit_and_free(random_undirected(4000, 40000, QN_WEIGHT_F32, 6), share_packed);
  visit_and_free(hub_graph(3000, 40000), share_packed);
  assert_in_range(counts.streamed, 15, counts.resident);
}

/* A state of one device is one of several, and the other way round. */
static void resume_on(const struct qn_kernel *kernel, const struct qn_run_request *from,
                      const struct qn_run_request *to, const struct qn_run_result *expected,
                      uint64_t after) {
  struct kept_state kept = {.stop_after = after}, going_on = {0};
  struct qn_run_result result = {0};
  machine_of(1, 0, true);
  assert_int_equal(run_checkpointed(kernel, *from, &kept, NULL, &result), QN_INTERRUPTED);
  going_on.state.registers[QN_STATE_ITERATIONS] = after;
  machine_of(2, 0, true);
  run_checkpointed(kernel, *to, &going_on, &kept.state, &result);
  assert_int_equal(emulator_live(), 0);
  assert_same_results(kernel->algorithm->name, expected, &result);
  qn_run_result_destroy(&result);
  free_kept(&kept);
}

static void resume(const struct qn_graph *graph, const struct qn_kernel *kernel, const void *view) {
  const uint32_t source = 1;
  const struct qn_kernel *reference =
      qn_kernel_find(kernel->algorithm->name, QN_LAYOUT_GRAPH, QN_CPU, QN_WEIGHT_U32);
  struct qn_run_result expected = run_for_test(reference, graph, source, NULL);
  struct qn_run_request one = request_for_test(kernel, view, &source, NULL);
  struct qn_device_run alone = {0}, three, two;
  one.device = &alone;
  struct qn_run_request all =
      devices_request(kernel, view, &source, 3, true, QN_PERFORMANCE, &three);
  struct qn_run_request parts =
      devices_request(kernel, view, &source, 2, true, QN_SCALABILITY, &two);
  const struct qn_run_request *const requests[] = {&one, &all, &parts, &one};
  for (uint64_t after = 1; after <= 2; after++)
    for (unsigned i = 0; i < 3; i++)
      resume_on(kernel, requests[i], requests[i + 1], &expected, after);
  qn_run_result_destroy(&expected);
}

TEST(resuming) {
  static const char *const algorithms[] = {"pagerank", "sssp", "kcore"};
  struct qn_graph graph = random_undirected(60, 150, QN_WEIGHT_U32, 7);
  struct qn_edge_partitions view;
  assert_true(open_partitions(&graph, 400, &view));
  for (unsigned i = 0; i < 3; i++)
    resume(&graph, cuda_kernel(algorithms[i], QN_LAYOUT_EDGE_PARTITIONS), &view);
  qn_edge_partitions_unmap(&view);
  qn_graph_unmap(&graph);
}

/* One device goes on with what several kept, streaming; what it kept with all resident is for it
 * alone. */
static void resume_rows(const struct qn_graph *graph, const char *algorithm) {
  const uint32_t source = 1;
  const struct qn_kernel *alone = cuda_kernel(algorithm, QN_LAYOUT_GRAPH);
  const struct qn_kernel *kernel = qn_sharing_find(alone);
  struct qn_run_result expected = run_for_test(
      qn_kernel_find(algorithm, QN_LAYOUT_GRAPH, QN_CPU, QN_WEIGHT_U32), graph, source, NULL);
  struct qn_device_run three, two, single = {0};
  struct qn_run_request from =
      devices_request(kernel, graph, &source, 3, true, QN_PERFORMANCE, &three);
  struct qn_run_request to =
      devices_request(kernel, graph, &source, 2, true, QN_STRATEGY_ANY, &two);
  struct qn_run_request one = request_for_test(alone, graph, &source, NULL);
  one.device = &single;
  for (uint64_t after = 1; after <= 2; after++) {
    struct kept_state kept = {.stop_after = after}, going_on = {0};
    struct qn_run_result result = {0};
    resume_on(kernel, &from, &to, &expected, after);
    machine_of(1, 0, true);
    assert_int_equal(run_checkpointed(kernel, from, &kept, NULL, &result), QN_INTERRUPTED);
    going_on.state.registers[QN_STATE_ITERATIONS] = after;
    assert_int_equal(run_checkpointed(alone, one, &going_on, &kept.state, &result), QN_OK);
    assert_same_results(algorithm, &expected, &result);
    qn_run_result_destroy(&result);
    free_kept(&kept);
    kept = (struct kept_state){.stop_after = after};
    assert_int_equal(run_checkpointed(alone, one, &kept, NULL, &result), QN_INTERRUPTED);
    struct qn_checkpointing resident = {.resume = &kept.state};
    struct qn_run_request refused = to;
    refused.hooks.checkpointing = &resident;
    assert_int_equal(kernel->run(&refused, &result, NULL), QN_UNSUPPORTED);
    free_kept(&kept);
  }
  qn_run_result_destroy(&expected);
}

TEST(resuming_rows) {
  struct qn_graph graph = random_undirected(60, 150, QN_WEIGHT_U32, 7);
  resume_rows(&graph, "pagerank");
  resume_rows(&graph, "sssp");
  qn_graph_unmap(&graph);
}

/* Let each call of the CUDA runtime, then each allocation, fail in turn, in one of the devices'
 * threads: all end with an error, unless it is a call that can be done without, and nothing is left
 * over. */
static void fail_devices(const char *algorithm, enum qn_layout layout, const void *view,
                         enum qn_strategy strategy, bool peers, bool streams) {
  const struct qn_kernel *kernel = cuda_kernel(algorithm, layout);
  const uint32_t source = 0;
  kernel = layout == QN_LAYOUT_GRAPH ? qn_sharing_find(kernel) : kernel;
  const uint64_t live = qn_memory_live();
  struct qn_device_run device;
  struct qn_run_request request =
      devices_request(kernel, view, &source, 2, true, strategy, &device);
  struct qn_run_result result = {0};
  struct qn_error error;
  request.limits.max_iterations = 2;
  machine_of(0, 0, peers);
  assert_int_equal(kernel->run(&request, &result, &error), QN_OK);
  if (streams)
    device.memory =
        attribute_bytes(&device.report) + device.report.shares[0].plan.topology_bytes / 2;
  qn_run_result_destroy(&result);
  for (int host = 0; host < 2; host++) {
    bool failed = true;
    for (uint64_t n = 1; failed; n++) {
      machine_of(0, host ? 0 : n, peers);
      qn_memory_fail_nth(host ? n : 0);
      const enum qn_status status = kernel->run(&request, &result, &error);
      failed = status || (!host && emulator_calls() >= n);
      qn_memory_fail_nth(0);
      assert_true(status == QN_OK || status == (host ? QN_SYSTEM : QN_DEVICE));
      assert_int_equal(emulator_live(), 0);
      assert_int_equal(qn_memory_live(), live + (status == QN_OK));
      assert_true(status || device.report.plan.streams == streams);
      qn_run_result_destroy(&result);
    }
  }
}

TEST(failures) {
  struct qn_graph graph = random_undirected(60, 150, QN_WEIGHT_U32, 7);
  struct qn_slotted_pages paged;
  struct qn_edge_partitions parted;
  assert_true(open_pages(&graph, 128, &paged));
  assert_true(open_partitions(&graph, 400, &parted));
  fail_devices("bfs", QN_LAYOUT_SLOTTED_PAGES, &paged, QN_SCALABILITY, true, true);
  fail_devices("pagerank", QN_LAYOUT_EDGE_PARTITIONS, &parted, QN_PERFORMANCE, false, false);
  fail_devices("sssp", QN_LAYOUT_GRAPH, &graph, QN_PERFORMANCE, true, true);
  fail_devices("pagerank", QN_LAYOUT_GRAPH, &graph, QN_PERFORMANCE, false, false);
  qn_slotted_pages_unmap(&paged);
  qn_edge_partitions_unmap(&parted);
  qn_graph_unmap(&graph);
}

/* What devices need shrinks with their number, under scalability, until messages stay on the host;
 * less than that is refused, with what would do. */
TEST(limits) {
  const uint32_t source = 0;
  struct qn_graph graph = random_undirected(1200, 3000, QN_WEIGHT_U32, 7);
  struct qn_slotted_pages view;
  struct qn_error error;
  struct qn_run_result expected, result;
  assert_true(open_pages(&graph, 512, &view));
  const struct qn_kernel *kernel = cuda_kernel("pagerank", QN_LAYOUT_SLOTTED_PAGES);
  struct qn_device_run device;
  struct qn_run_request request =
      devices_request(kernel, &view, &source, 4, true, QN_STRATEGY_ANY, &device);
  memset(&counts, 0, sizeof counts);
  expected = run_for_test(qn_kernel_find("pagerank", QN_LAYOUT_GRAPH, QN_CPU, QN_WEIGHT_U32),
                          &graph, source, NULL);
  result = run_devices(kernel, &request, &expected, true);
  assert_int_equal(device.report.plan.strategy, QN_PERFORMANCE);
  const uint64_t whole = attribute_bytes(&device.report);
  qn_run_result_destroy(&result);
  device.memory = whole; /* and nothing for the pages */
  result = run_devices(kernel, &request, &expected, true);
  assert_int_equal(device.report.plan.strategy, QN_SCALABILITY);
  assert_int_equal(counts.hosted, 0);
  const uint64_t part = attribute_bytes(&device.report);
  assert_true(part < whole * 3 / 4);
  qn_run_result_destroy(&result);
  device.memory = part;
  result = run_devices(kernel, &request, &expected, true);
  assert_int_equal(counts.hosted, 1);
  const uint64_t least = attribute_bytes(&device.report);
  assert_true(least <= part - 1200 * sizeof(float)); /* the messages */
  qn_run_result_destroy(&result);
  device.memory = least;
  machine_of(0, 0, true);
  assert_int_equal(kernel->run(&request, &result, &error), QN_DEVICE);
  assert_non_null(strstr(error.message, "or use more devices"));
  device.memory = whole;
  device.strategy = QN_PERFORMANCE;
  assert_int_equal(kernel->run(&request, &result, &error), QN_DEVICE);
  assert_non_null(strstr(error.message, "use --strategy scalability"));
  qn_run_result_destroy(&expected);
  qn_slotted_pages_unmap(&view);
  qn_graph_unmap(&graph);
}

TEST_MAIN(scratch_create, scratch_remove)
