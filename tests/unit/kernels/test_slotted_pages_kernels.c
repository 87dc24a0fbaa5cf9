/* Every kernel of slotted pages against that of the graph layout (which is tested against naive
 * references): the same bits for whole numbers, nearly the same for sums of real ones, on pages of
 * all sizes and in all address widths; and the same bits for any number of threads. */
#include <math.h>

#include "helpers/resume_test.h"
#include "helpers/round_trip.h"
#include "helpers/scratch.h"
#include "helpers/test.h"
#include "kernels/registry.h"
#include "partitioner/slotted_pages.h"
#include "support/memory.h"

/* The same bits for any number; one will do to watch memory. */
#ifdef __SANITIZE_ADDRESS__
enum { FEWEST_THREADS = 5 };
#else
enum { FEWEST_THREADS = 1 };
#endif

static struct qn_error error;

static const uint32_t SOURCES[] = {0, 1};

static struct qn_run_request request_for(const struct qn_kernel *kernel, const void *view,
                                         uint64_t num_vertices) {
  struct qn_run_request request = qn_run_request_for(kernel, view);
  request.inputs.sources = SOURCES;
  request.inputs.num_sources = kernel->algorithm->inputs & QN_INPUT_SOURCE ? 1
                               : num_vertices > 1                          ? 2
                                                                           : 1;
  if (request.limits.max_iterations > 30 && kernel->traits & QN_KERNEL_ALL_ACTIVE) {
    request.limits.max_iterations = 30;
    request.limits.tolerance = 0;
  }
  return request;
}

static struct qn_run_result run(const struct qn_kernel *kernel, const void *view,
                                uint64_t num_vertices) {
  struct qn_run_request request = request_for(kernel, view, num_vertices);
  struct qn_run_result result;
  uint64_t live = qn_memory_live();
  if (kernel->run(&request, &result, &error))
    fail_msg("%s: %s", kernel->algorithm->name, error.message);
  const bool is_number = result.shape == QN_SHAPE_NUMBER;
  assert_int_equal(qn_memory_live(), live + !is_number);
  assert_int_equal(result.num_values, is_number ? 0 : num_vertices);
  return result;
}

static double real_value(const struct qn_run_result *result, uint64_t v) {
  return result->type == QN_RESULT_F32 ? (double)((const float *)result->values)[v]
                                       : ((const double *)result->values)[v];
}

static void assert_same_results(const struct qn_kernel *kernel,
                                const struct qn_run_result *expected,
                                const struct qn_run_result *actual) {
  assert_int_equal(expected->type, actual->type);
  assert_int_equal(expected->number, actual->number);
  if (expected->type == QN_RESULT_U32 || expected->type == QN_RESULT_U64) {
    if (expected->num_values)
      assert_memory_equal(expected->values, actual->values,
                          expected->num_values * qn_result_bytes(expected->type));
    return;
  }
  for (uint64_t v = 0; v < expected->num_values; v++) {
    double a = real_value(expected, v), b = real_value(actual, v);
    if (a != b && !(fabs(a - b) <= 1e-5 * fabs(a)))
      fail_msg("%s of vertex %llu: %.9g and %.9g", kernel->algorithm->name, (unsigned long long)v,
               a, b);
  }
}

/* All kernels that can run on this graph; returns how many there were. */
static unsigned compare_kernels(const struct qn_graph *graph,
                                const struct qn_slotted_pages *pages) {
  unsigned count = 0;
  for (const struct qn_kernel *const *kernel = qn_kernels(); *kernel; kernel++) {
    if ((*kernel)->layout != QN_LAYOUT_SLOTTED_PAGES || (*kernel)->processor != QN_CPU ||
        !((*kernel)->weight_types & 1u << graph->out.weights.type) ||
        (*kernel)->algorithm->initial == QN_INITIAL_STRENGTHS || /* which the runtime sums */
        ((*kernel)->traits & QN_KERNEL_SYMMETRIC && graph->directedness != QN_UNDIRECTED) ||
        ((*kernel)->algorithm->inputs & QN_ANY_SOURCES && pages->num_vertices == 0))
      continue;
    const struct qn_kernel *reference = qn_kernel_find((*kernel)->algorithm->name, QN_LAYOUT_GRAPH,
                                                       QN_CPU, graph->out.weights.type);
    assert_non_null(reference);
    struct qn_run_result expected = run(reference, graph, pages->num_vertices), first = {0};
    for (unsigned threads = FEWEST_THREADS; threads <= 5; threads += 2) {
      qn_threads_set(threads);
      struct qn_run_result actual = run(*kernel, pages, pages->num_vertices);
      assert_same_results(*kernel, &expected, &actual);
      if (first.values && first.num_values)
        assert_memory_equal(first.values, actual.values,
                            first.num_values * qn_result_bytes(first.type));
      qn_run_result_destroy(&first);
      first = actual;
    }
    qn_threads_set(0);
    qn_run_result_destroy(&first);
    qn_run_result_destroy(&expected);
    if ((*kernel)->value_bytes && pages->num_edges <= 5000) {
      struct qn_run_request request = request_for(*kernel, pages, pages->num_vertices);
      resume_everywhere(*kernel, &request);
    }
    count++;
  }
  return count;
}

static void check_pages(const struct qn_graph *graph, struct qn_page_address address,
                        uint64_t page_bytes) {
  struct qn_page_options options = {.address = address, .page_bytes = page_bytes};
  struct qn_slotted_pages pages;
  if (build_layout(QN_LAYOUT_SLOTTED_PAGES, &options, graph, scratch_path("pages.qrn"), &error))
    fail_msg("%s", error.message);
  assert_int_equal(qn_slotted_pages_map(scratch_path("pages.qrn"), &pages, &error), QN_OK);
  for (uint64_t v = 0; v < pages.num_vertices; v += pages.num_vertices / 100 + 1)
    assert_int_equal(qn_slotted_pages_out_degree(&pages, v),
                     graph->out.row_offsets[v + 1] - graph->out.row_offsets[v]);
  assert_true(compare_kernels(graph, &pages) >= 3);
  qn_slotted_pages_unmap(&pages);
}

/* The smallest pages (a large vertex for every two edges), small ones, and one page for all. */
static void check_graph(struct qn_graph graph) {
  static const struct qn_page_address addresses[] = {{2, 2}, {3, 3}, {2, 4}, {4, 2}};
  uint64_t least = qn_page_bytes_minimum(addresses[1], graph.out.weights.type);
  check_pages(&graph, addresses[1], least);
  check_pages(&graph, addresses[3], 256);
  check_pages(&graph, addresses[0], 1 << 20);
  check_pages(&graph, addresses[2], 1 << 16);
  check_pages(&graph, (struct qn_page_address){0, 0}, 0);
  qn_graph_unmap(&graph);
}

TEST(small_graphs) {
  check_graph(graph_from_edges(NULL, 0, 0, QN_WEIGHT_NONE));
  check_graph(graph_from_edges(NULL, 0, 1, QN_WEIGHT_F32));
  check_graph(graph_from_edges(NULL, 0, 500, QN_WEIGHT_U32));
  check_graph(graph_from_edges((struct test_edge[]){{.weight = 3}}, 1, 1, QN_WEIGHT_U32));
}

TEST(random_directed) {
  check_graph(random_graph(100, 1000, QN_WEIGHT_U32, 0, 1));
  check_graph(random_graph(1000, 3000, QN_WEIGHT_F32, 0, 2));
  check_graph(random_graph(3000, 40000, QN_WEIGHT_NONE, 3, 3));
}

TEST(random_both_ways) {
  check_graph(random_undirected(100, 500, QN_WEIGHT_U32, 4));
  check_graph(random_undirected(2000, 1500, QN_WEIGHT_F32, 5));
  check_graph(random_undirected(3000, 30000, QN_WEIGHT_NONE, 6));
}

/* A path: hundreds of levels of one vertex each. */
TEST(long_path) {
  enum { LENGTH = 400 };
  static struct test_edge edges[LENGTH];
  for (uint32_t v = 0; v < LENGTH; v++)
    edges[v] = (struct test_edge){.source = v, .destination = v + 1, .weight = 1 + v % 7};
  check_graph(graph_from_edges(edges, LENGTH, LENGTH + 1, QN_WEIGHT_U32));
}

/* More edges than a unit of work on one page, of many vertices and of one. */
TEST(big_pages) {
  enum { EDGES = 150000 };
  struct test_edge *edges = calloc(EDGES, sizeof *edges);
  assert_non_null(edges);
  for (uint32_t e = 0; e < EDGES; e++)
    edges[e] = (struct test_edge){
        .source = e % 3 ? e % 4000 : 0, .destination = e * 7 % 4000, .weight = e % 50};
  check_graph(graph_from_edges(edges, EDGES, 4000, QN_WEIGHT_U32));
  free(edges);
}

TEST(negative_weights) {
  struct qn_graph graph = random_graph(50, 200, QN_WEIGHT_F32, 0, 1);
  struct qn_page_options options = {0};
  struct qn_slotted_pages pages;
  struct qn_run_result result;
  ((float *)graph.out.weights.f32)[123] = -1;
  assert_int_equal(
      build_layout(QN_LAYOUT_SLOTTED_PAGES, &options, &graph, scratch_path("negative.qrn"), &error),
      QN_OK);
  assert_int_equal(qn_slotted_pages_map(scratch_path("negative.qrn"), &pages, &error), QN_OK);
  const struct qn_kernel *sssp =
      qn_kernel_find("sssp", QN_LAYOUT_SLOTTED_PAGES, QN_CPU, QN_WEIGHT_F32);
  struct qn_run_request request = qn_run_request_for(sssp, &pages);
  request.inputs.sources = SOURCES;
  request.inputs.num_sources = 1;
  assert_int_equal(sssp->run(&request, &result, &error), QN_UNSUPPORTED);
  assert_non_null(strstr(error.message, "that of edge 123 is -1"));
  qn_slotted_pages_unmap(&pages);
  qn_graph_unmap(&graph);
}

TEST(allocation_failures) {
  static const char *const algorithms[] = {"pagerank", "bfs", "sssp", "bc"};
  struct qn_graph graph = random_graph(200, 2000, QN_WEIGHT_NONE, 0, 1);
  struct qn_page_options options = {.page_bytes = 512};
  struct qn_slotted_pages pages;
  assert_int_equal(
      build_layout(QN_LAYOUT_SLOTTED_PAGES, &options, &graph, scratch_path("fail.qrn"), &error),
      QN_OK);
  assert_int_equal(qn_slotted_pages_map(scratch_path("fail.qrn"), &pages, &error), QN_OK);
  uint64_t live = qn_memory_live();
  for (unsigned i = 0; i < sizeof algorithms / sizeof algorithms[0]; i++) {
    const struct qn_kernel *kernel =
        qn_kernel_find(algorithms[i], QN_LAYOUT_SLOTTED_PAGES, QN_CPU, QN_WEIGHT_NONE);
    enum qn_status status = QN_SYSTEM;
    for (uint64_t n = 1; status; n++) {
      struct qn_run_request request = qn_run_request_for(kernel, &pages);
      struct qn_run_result result;
      request.inputs.sources = SOURCES;
      request.inputs.num_sources = 1;
      qn_memory_fail_nth(n);
      status = kernel->run(&request, &result, &error);
      qn_memory_fail_nth(0);
      if (!status)
        qn_run_result_destroy(&result);
      else
        assert_int_equal(status, QN_SYSTEM);
      assert_int_equal(qn_memory_live(), live);
    }
  }
  qn_slotted_pages_unmap(&pages);
  qn_graph_unmap(&graph);
}

TEST_MAIN(scratch_create, scratch_remove)
