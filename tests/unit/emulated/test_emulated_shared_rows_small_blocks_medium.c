/* Kernels of their own that several devices share by rows, in the emulator: the CPU's results to
 * the last bit, whatever the devices, with and without each other's memory, and room for edges. */
#include <string.h>

#include "helpers/emulated_test.h"

#define DEVICES 8

static const int APART[DEVICES] = {0, 1, 2, 3, 4, 5, 6, 7}, SHARED[DEVICES] = {0, 0, 1, 0};
static unsigned plans;
static uint64_t merged_bytes;

static void machine_of(unsigned number, uint64_t fail_nth, bool peers) {
  struct emulator_options options = emulator_defaults();
  options.seed = number % 5;
  options.devices = DEVICES;
  options.no_peers = !peers;
  options.fail_nth = fail_nth;
  emulator_reset(&options);
}

static void see_plan(void *user, const struct qn_stream_plan *plan) {
  (void)user;
  assert_in_range(plan->num_devices, 2, DEVICES);
  assert_true(plan->attribute_bytes > 0 && plan->strategy == QN_PERFORMANCE);
  plans++;
}

static struct qn_run_request share(const struct qn_kernel *kernel, const struct qn_graph *graph,
                                   unsigned num_devices, bool apart, struct qn_device_run *device) {
  struct qn_run_request request = request_for_test(kernel, graph, NULL, NULL);
  request.inputs.num_sources = 0;
  *device = (struct qn_device_run){.indices = apart ? APART : SHARED,
                                   .num_devices = num_devices,
                                   .streaming = {.on_plan = see_plan}};
  request.device = device;
  return request;
}

static void check_equal(const struct qn_kernel *kernel, const struct qn_run_result *expected,
                        const struct qn_run_result *result) {
  assert_same_results(kernel->algorithm->name, expected, result);
  if (expected->num_values > 0)
    assert_memory_equal(expected->values, result->values,
                        expected->num_values * qn_result_bytes(expected->type));
}

static void run_shared(const struct qn_kernel *kernel, const struct qn_run_request *request,
                       const struct qn_run_result *expected, unsigned number, bool peers) {
  const struct qn_device_report *report = &request->device->report;
  const uint64_t live = qn_memory_live();
  struct qn_run_result result;
  struct qn_error error = {0};
  machine_of(number, 0, peers);
  if (kernel->run(request, &result, &error))
    fail_msg("%s on %u devices: %s", kernel->algorithm->name, request->device->num_devices,
             error.message);
  assert_int_equal(emulator_live(), 0);
  assert_int_equal(qn_memory_live(), live + (result.values != NULL));
  check_equal(kernel, expected, &result);
  assert_int_equal(report->num_devices, request->device->num_devices);
  for (unsigned i = 0; i < report->num_devices; i++) {
    assert_int_equal(report->shares[i].index, request->device->indices[i]);
    assert_true(!request->device->memory ||
                report->shares[i].figures.memory_bytes <= request->device->memory);
    merged_bytes += report->shares[i].merged_bytes;
  }
  qn_run_result_destroy(&result);
}

/* With room for none of the edges, which may lie on the host unless they are made into lists. */
static void run_beside_edges(const struct qn_kernel *kernel, struct qn_run_request *request,
                             const struct qn_run_result *expected, unsigned number) {
  struct qn_device_run *device = request->device;
  uint64_t vertices = 0, most = 0;
  for (unsigned i = 0; i < device->report.num_devices; i++) {
    const struct qn_stream_plan *plan = &device->report.shares[i].plan;
    vertices = plan->attribute_bytes > vertices ? plan->attribute_bytes : vertices;
    most = plan->topology_bytes > most ? plan->topology_bytes : most;
  }
  if (most < 4000)
    return;
  device->memory = vertices + most / 2;
  if (strcmp(kernel->algorithm->name, "lcc") == 0 || strcmp(kernel->algorithm->name, "tc") == 0) {
    struct qn_run_result result;
    machine_of(number, 0, true);
    assert_int_equal(kernel->run(request, &result, NULL), QN_DEVICE);
    assert_int_equal(emulator_live(), 0);
  } else {
    run_shared(kernel, request, expected, number, true);
    assert_true(device->report.plan.streams);
  }
  device->memory = 0;
}

static const struct qn_kernel *reference_of(const struct qn_kernel *kernel,
                                            const struct qn_graph *graph) {
  const struct qn_kernel *found =
      qn_kernel_find(kernel->algorithm->name, QN_LAYOUT_GRAPH, QN_CPU, graph->out.weights.type);
  return found->traits & QN_KERNEL_SYMMETRIC && graph->directedness != QN_UNDIRECTED
             ? qn_stand_in_find(found)
             : found;
}

static void share_all(const struct qn_graph *graph) {
  static unsigned round;
  for (const struct qn_kernel *const *kernel = qn_kernels(); *kernel; kernel++) {
    if (!is_emulated(*kernel, QN_LAYOUT_GRAPH, graph) || !((*kernel)->traits & QN_KERNEL_DEVICES))
      continue;
    const struct qn_kernel *reference = reference_of(*kernel, graph);
    struct qn_run_request alone = request_for_test(reference, graph, NULL, NULL);
    struct qn_run_result expected;
    alone.inputs.num_sources = 0;
    assert_int_equal(reference->run(&alone, &expected, NULL), QN_OK);
    for (unsigned i = 0; i < 2; i++, round++) {
      const unsigned num_devices = i == 0 ? 2 : round % 4 > 1 ? 3 : 8;
      const bool apart = num_devices == 8 || round % 3 > 0;
      struct qn_device_run device;
      struct qn_run_request request = share(*kernel, graph, num_devices, apart, &device);
      run_shared(*kernel, &request, &expected, round, round % 5 > 0 || !apart);
      if (num_devices == 2)
        run_beside_edges(*kernel, &request, &expected, round);
    }
    qn_run_result_destroy(&expected);
  }
}

/* With in-edges at hand and without. */
static void share_both_ways(const struct qn_graph *graph) {
  struct qn_graph transposed, both = *graph;
  share_all(graph);
  assert_int_equal(qn_graph_create_transpose(&graph->out, &transposed, NULL), QN_OK);
  both.in = transposed.out;
  both.has_transpose = true;
  share_all(&both);
  qn_graph_unmap(&transposed);
}

TEST(results) {
  plans = 0;
  visit_and_free(graph_from_edges(NULL, 0, 0, QN_WEIGHT_NONE), share_all);
  visit_and_free(graph_from_edges(NULL, 0, 5, QN_WEIGHT_NONE), share_all);
  visit_and_free(graph_from_edges((struct test_edge[]){{.source = 1}}, 1, 2, QN_WEIGHT_NONE),
                 share_all);
  visit_and_free(random_graph(100, 500, QN_WEIGHT_NONE, 1, 2), share_both_ways);
  visit_and_free(random_graph(200, 260, QN_WEIGHT_NONE, 1, 3), share_all);
  visit_and_free(random_undirected(200, 1200, QN_WEIGHT_U32, 6), share_all);
  visit_and_free(random_undirected(90, 90, QN_WEIGHT_NONE, 7), share_all);
  visit_and_free(path_graph(40), share_all);
  visit_and_free(hub_graph(300, 4000), share_all);
  assert_true(plans > 50 && merged_bytes > 0);
}

/* Let some calls of the CUDA runtime, then each allocation, fail in turn in one of the devices'
 * threads: all end with an error, or do without, and nothing is left over. */
static void fail_some(const char *algorithm, const struct qn_graph *graph, uint64_t step) {
  const struct qn_kernel *kernel =
      qn_kernel_find(algorithm, QN_LAYOUT_GRAPH, QN_CUDA, QN_WEIGHT_NONE);
  const uint64_t live = qn_memory_live();
  struct qn_device_run device;
  struct qn_run_request request = share(kernel, graph, 2, true, &device);
  request.limits.max_iterations = 2;
  for (int host = 0; host < 2; host++) {
    bool failed = true;
    for (uint64_t n = 1; failed; n += host ? 1 : step) {
      struct qn_run_result result = {0};
      struct qn_error error;
      machine_of(0, host ? 0 : n, true);
      qn_memory_fail_nth(host ? n : 0);
      const enum qn_status status = kernel->run(&request, &result, &error);
      failed = status || (!host && emulator_calls() >= n);
      qn_memory_fail_nth(0);
      assert_true(status == QN_OK || status == (host ? QN_SYSTEM : QN_DEVICE));
      assert_int_equal(emulator_live(), 0);
      assert_int_equal(qn_memory_live(), live + (result.values != NULL));
      qn_run_result_destroy(&result);
    }
  }
}

TEST(failures) {
  struct qn_graph graph = random_graph(12, 20, QN_WEIGHT_NONE, 1, 5);
  fail_some("cdlp", &graph, 3);
  fail_some("lcc", &graph, 5);
  qn_graph_unmap(&graph);
}

TEST_MAIN(NULL, NULL)
