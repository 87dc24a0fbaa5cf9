/* Edge partitions: Graphie's own example, round trips at the extremes, and every rule broken once.
 */
#include "helpers/round_trip.h"
#include "helpers/scratch.h"
#include "helpers/test.h"
#include "helpers/vector.h"
#include "partitioner/edge_partitions.h"

static struct qn_error error;

static void round_trip(const struct qn_graph *graph,
                       const struct qn_edge_partitions_options *options) {
  struct qn_edge_partitions view;
  check_round_trip(QN_LAYOUT_EDGE_PARTITIONS, options, graph);
  assert_int_equal(qn_edge_partitions_map(scratch_path("layout.qrn"), &view, &error), QN_OK);
  for (uint64_t v = 0; v < graph->out.num_vertices; v++)
    assert_int_equal(qn_edge_partitions_out_degree(&view, v),
                     graph->out.row_offsets[v + 1] - graph->out.row_offsets[v]);
  qn_edge_partitions_unmap(&view);
}

/* With the default, one partition, one edge a partition, and something between; frees the graph. */
static void round_trips(struct qn_graph graph) {
  uint64_t edges = graph.out.num_edges;
  round_trip(&graph, &(struct qn_edge_partitions_options){0});
  round_trip(&graph, &(struct qn_edge_partitions_options){.num_partitions = 1});
  round_trip(&graph, &(struct qn_edge_partitions_options){.partition_bytes = 16});
  round_trip(&graph, &(struct qn_edge_partitions_options){.num_partitions = edges / 7 + 1});
  qn_graph_unmap(&graph);
}

/* ---- Graphie, Figures 2 and 3 --------------------------------------------------- */

/* What the text says of it: eight vertices, 16 edges, four edges a partition; 3 and 4 have no
 * out-edges; sorted, the second partition has the sources 1, 2 and 5, every other has one; 5 -> 1
 * and 6 -> 1 are edges. The edges that it does not tell are ours; weights number them. */
static struct qn_graph graphie_graph(void) {
  static const uint8_t ends[][2] = {{0, 1}, {0, 3}, {0, 4}, {0, 6}, {1, 2}, {2, 3}, {2, 7}, {5, 1},
                                    {6, 1}, {6, 3}, {6, 4}, {6, 6}, {7, 0}, {7, 2}, {7, 4}, {7, 5}};
  struct test_edge edges[16];
  for (uint32_t i = 0; i < 16; i++)
    edges[i] = (struct test_edge){.source = ends[i][0], .destination = ends[i][1], .weight = i + 1};
  return graph_from_edges(edges, 16, 8, QN_WEIGHT_U32);
}

static void build_graphie(const char *path) {
  struct qn_edge_partitions_options options = {.num_partitions = 4};
  struct qn_graph graph = graphie_graph();
  build_vector(QN_LAYOUT_EDGE_PARTITIONS, &options, &graph, path);
  qn_graph_unmap(&graph);
}

TEST(graphie_figure_3) {
  const char *path = scratch_path("edge-partitions-graphie.qrn");
  struct qn_edge_partitions view;
  build_graphie(path);
  assert_vector("edge-partitions-graphie.qrn", path);
  assert_int_equal(qn_edge_partitions_map(path, &view, &error), QN_OK);
  assert_int_equal(view.num_partitions, 4);
  assert_int_equal(view.range_size, 3);
  assert_int_equal(view.num_sources, 6);
  assert_int_equal(qn_ep_num_sources(&view, 1), 3);
  assert_memory_equal(view.prefix_offsets, ((uint32_t[]){0, 2, 2, 4, 6}), 20);
  assert_memory_equal(view.new_to_old, ((uint32_t[]){0, 1, 2, 5, 6, 7, 3, 4}), 32);
  /* "processes edge (5,3) and needs to update vertex 3": VA[3 - 2] of partition 3 / 3 = 1. */
  struct qn_ep_divider divider = qn_ep_divider(view.range_size);
  assert_int_equal(view.sources[7], 5);
  assert_int_equal(view.destinations[7], 3);
  assert_int_equal(qn_ep_divide(divider, 3), 1);
  assert_int_equal(qn_ep_dense(&view, divider, 3), 1);
  assert_int_equal(qn_ep_dense(&view, divider, 13), 7);
  qn_edge_partitions_unmap(&view);
}

/* ---- Round trips ----------------------------------------------------------------- */

TEST(tiny_graphs) {
  round_trips(graph_from_edges(NULL, 0, 0, QN_WEIGHT_NONE));
  round_trips(graph_from_edges(NULL, 0, 5, QN_WEIGHT_F32));
  round_trips(graph_from_edges((struct test_edge[]){{.weight = 3}}, 1, 1, QN_WEIGHT_U32));
  round_trips(graph_from_edges((struct test_edge[]){{.source = 2}}, 1, 3, QN_WEIGHT_U32));
  round_trips(graphie_graph());
}

TEST(random_graphs) {
  round_trips(random_graph(3, 1000, QN_WEIGHT_U32, 0, 1)); /* multi-edges with their weights */
  round_trips(random_graph(1025, 1000, QN_WEIGHT_NONE, 0, 2));
  round_trips(random_graph(2048, 20000, QN_WEIGHT_F32, 2, 3));
  round_trips(random_graph(2048, 20000, QN_WEIGHT_I64, 2, 3));
  round_trips(random_undirected(3000, 9000, QN_WEIGHT_F64, 5));
  round_trips(random_undirected(777, 3000, QN_WEIGHT_U32, 4));
}

TEST(large_graph) {
  struct qn_graph graph = random_graph(100000, 1000000, QN_WEIGHT_U32, 1, 5);
  round_trip(&graph, &(struct qn_edge_partitions_options){0});
  round_trip(&graph, &(struct qn_edge_partitions_options){.num_partitions = 1000});
  qn_graph_unmap(&graph);
}

/* One vertex of degree 10^6, whose edges fill many partitions, between others. */
TEST(hub) {
  uint64_t degree = 1000000, num_edges = degree + 100;
  struct test_edge *edges = calloc(num_edges, sizeof *edges);
  assert_non_null(edges);
  for (uint64_t i = 0; i < num_edges; i++)
    edges[i] = (struct test_edge){.source = i < 100 ? (uint32_t)i : 50,
                                  .destination = (uint32_t)(i * 7919 % 1000),
                                  .weight = (uint32_t)i};
  struct qn_graph graph = graph_from_edges(edges, num_edges, 1000, QN_WEIGHT_U32);
  free(edges);
  round_trip(&graph, &(struct qn_edge_partitions_options){0});
  struct qn_edge_partitions view;
  assert_int_equal(qn_edge_partitions_map(scratch_path("layout.qrn"), &view, &error), QN_OK);
  assert_true(view.num_partitions <= QN_EP_DEFAULT_PARTITIONS);
  uint64_t continuations = 0;
  for (uint64_t p = 0; p < view.num_partitions; p++)
    continuations += qn_ep_num_sources(&view, p) == 0;
  assert_true(continuations >= 27);
  qn_edge_partitions_unmap(&view);
  round_trip(&graph, &(struct qn_edge_partitions_options){.partition_bytes = 12 * 997});
  qn_graph_unmap(&graph);
}

TEST(ids_are_kept) {
  uint64_t numbers[] = {900, 5, UINT64_MAX, 17, 0, 1, 2, 3};
  struct qn_graph graph = graphie_graph();
  graph.ids = (struct qn_ids){.kind = QN_IDS_NUMBERS, .num_vertices = 8, .numbers = numbers};
  round_trip(&graph, &(struct qn_edge_partitions_options){0});
  qn_graph_unmap(&graph);
}

/* ---- Limits ------------------------------------------------------------------------ */

static void expect_refusal(const struct qn_graph *graph,
                           const struct qn_edge_partitions_options *options, const char *advice) {
  assert_int_equal(
      build_layout(QN_LAYOUT_EDGE_PARTITIONS, options, graph, scratch_path("refused.qrn"), &error),
      QN_USAGE);
  if (!strstr(error.message, advice))
    fail_msg("'%s' is not in: %s", advice, error.message);
  assert_int_not_equal(access(scratch_path("refused.qrn"), F_OK), 0);
}

/* Vertices of degree 1 beside one of degree 5: every partition spans five ids. */
TEST(too_many_ids) {
  struct qn_graph graph = graphie_graph();
  expect_refusal(&graph, &(struct qn_edge_partitions_options){.partition_bytes = 11},
                 "use --partition-bytes 12 or more");
  expect_refusal(&graph, &(struct qn_edge_partitions_options){.partition_bytes = 48, .max_ids = 13},
                 "would need 14 vertex ids, 1 more than the 13 that there are: use "
                 "--partition-bytes 60 or more");
  /* A number of partitions is an upper bound, so it gives way. */
  static const uint64_t limits[][2] = {{14, 4}, {13, 4}, {10, 4}, {9, 1}, {8, 1}};
  for (int i = 0; i < 5; i++) {
    struct qn_edge_partitions view;
    round_trip(&graph,
               &(struct qn_edge_partitions_options){.num_partitions = 4, .max_ids = limits[i][0]});
    assert_int_equal(qn_edge_partitions_map(scratch_path("layout.qrn"), &view, &error), QN_OK);
    assert_true(view.num_partitions * view.range_size + 2 <= limits[i][0]);
    assert_int_equal(view.num_partitions, limits[i][1]);
    qn_edge_partitions_unmap(&view);
  }
  qn_graph_unmap(&graph);
}

TEST(division) {
  uint64_t seed = 9;
  for (uint64_t i = 0; i < 20000; i++) {
    uint64_t divisor = i < 70 ? i + 1 : (random_next(&seed) >> (random_next(&seed) % 64)) | 1;
    divisor = divisor > QN_EP_MAX_IDS ? QN_EP_MAX_IDS : divisor;
    struct qn_ep_divider divider = qn_ep_divider(divisor);
    uint32_t values[] = {0, UINT32_MAX, (uint32_t)divisor, (uint32_t)divisor - 1,
                         (uint32_t)random_next(&seed)};
    for (int k = 0; k < 5; k++)
      assert_int_equal(qn_ep_divide(divider, values[k]), values[k] / divisor);
  }
}

/* ---- Rules ------------------------------------------------------------------------- */

/* scratch_path, for longer than four calls. */
static char path[512];
static void set_path(const char *name) {
  snprintf(path, sizeof path, "%s", scratch_path(name));
}

#define REFUSED(...) FORGERY_REFUSED(path, __VA_ARGS__)

TEST(rules) {
  set_path("graphie.qrn");
  build_graphie(path);
  REFUSED("C-6", {NULL, 4, 1});
  REFUSED("EP-1", {NULL, QN_EP_RANGE_SIZE, 0});
  REFUSED("EP-1", {NULL, QN_EP_CAPACITY, 0});
  REFUSED("EP-1", {NULL, QN_EP_NUM_SOURCES, 9});
  REFUSED("EP-1", {NULL, QN_EP_NUM_SOURCES, 0});
  REFUSED("EP-1", {NULL, QN_EP_NUM_PARTITIONS, 17});
  REFUSED("EP-1", {NULL, QN_EP_NUM_PARTITIONS, 0});
  REFUSED("EP-1", {NULL, QN_EP_RANGE_SIZE, UINT32_MAX});
  REFUSED("EP-2", {"edge_offsets", 0, 1});
  REFUSED("EP-2", {"edge_offsets", 4, 17});
  REFUSED("EP-2", {"edge_offsets", 1, 8});
  REFUSED("EP-2", {"edge_offsets", 2, UINT64_MAX});
  REFUSED("EP-3", {NULL, QN_EP_CAPACITY, 3});
  REFUSED("EP-4", {"prefix_offsets", 0, 1});
  REFUSED("EP-4", {"prefix_offsets", 4, 7});
  REFUSED("EP-4", {"prefix_offsets", 1, 6});
  REFUSED("EP-4", {"prefix_offsets", 3, 1});
  REFUSED("EP-5", {NULL, QN_EP_RANGE_SIZE, 4}, {"prefix_offsets", 1, 3}, {"prefix_offsets", 2, 4},
          {"prefix_offsets", 3, 7}, {"prefix_offsets", 4, 10});
  REFUSED("EP-6", {"new_to_old", 1, 0});
  REFUSED("EP-6", {"new_to_old", 7, 8});
  REFUSED("EP-6", {"new_to_old", 6, 4});
  REFUSED("EP-7", {"new_to_old", 6, 2});
  REFUSED("EP-8", {"sources", 0, 1});
  REFUSED("EP-8", {"sources", 3, 1});
  REFUSED("EP-8", {"sources", 4, 4});
  REFUSED("EP-8", {"sources", 7, 4});
  REFUSED("EP-8", {"sources", 12, UINT32_MAX});
  REFUSED("EP-10", {"destinations", 3, 14});
  REFUSED("EP-10", {"destinations", 0, 2});
  REFUSED("EP-10", {"destinations", 0, UINT32_MAX});
  REFUSED("EP-11", {"destinations", 0, 9});
  REFUSED("EP-13", {"undirected", 0, 1});
}

TEST(rules_of_continuations) {
  set_path("continued.qrn");
  struct qn_edge_partitions_options options = {.partition_bytes = 36};
  struct qn_graph graph = graphie_graph(); /* 3 + 1, 3 + 1, 3 + 1, 3 + 1 edges */
  assert_int_equal(build_layout(QN_LAYOUT_EDGE_PARTITIONS, &options, &graph, path, &error), QN_OK);
  assert_int_equal(verify_container(path, &error), QN_OK);
  struct qn_edge_partitions view;
  assert_int_equal(qn_edge_partitions_map(path, &view, &error), QN_OK);
  assert_int_equal(view.num_partitions, 8);
  assert_int_equal(qn_ep_num_sources(&view, 1), 0);
  assert_int_equal(qn_ep_num_sources(&view, 2), 2);
  assert_int_equal(view.range_size, 2);
  qn_edge_partitions_unmap(&view);
  qn_graph_unmap(&graph);
  REFUSED("EP-9", {"sources", 3, 1});
  REFUSED("EP-9", {NULL, QN_EP_CAPACITY, 4});
  /* The continuation comes first, or after a partition of two sources. */
  REFUSED("EP-9", {"prefix_offsets", 1, 2}, {"prefix_offsets", 2, 3});
  REFUSED("EP-9", {"prefix_offsets", 1, 0}, {"prefix_offsets", 2, 2});
  REFUSED("EP-11", {"destinations", 3, 0});
}

TEST(weights_are_finite) {
  set_path("real.qrn");
  struct qn_edge_partitions_options options = {0};
  struct qn_graph graph = random_graph(10, 100, QN_WEIGHT_F32, 0, 6);
  assert_int_equal(build_layout(QN_LAYOUT_EDGE_PARTITIONS, &options, &graph, path, &error), QN_OK);
  qn_graph_unmap(&graph);
  REFUSED("EP-12", {"weights", 99, 0x7f800000});
}

/* Far from the beginning, where many threads look. */
TEST(rules_in_large_containers) {
  set_path("large.qrn");
  struct qn_edge_partitions_options options = {.num_partitions = 100};
  struct qn_graph graph = random_graph(50000, 600000, QN_WEIGHT_NONE, 1, 7);
  assert_int_equal(build_layout(QN_LAYOUT_EDGE_PARTITIONS, &options, &graph, path, &error), QN_OK);
  qn_graph_unmap(&graph);
  REFUSED("EP-8", {"sources", 131072, 5});
  REFUSED("EP-8", {"sources", 599999, 5});
  REFUSED("EP-10", {"destinations", 400000, UINT32_MAX});
}

TEST(other_layouts_are_refused) {
  struct qn_graph graph;
  build_graphie(scratch_path("parts.qrn"));
  assert_int_equal(qn_graph_map(scratch_path("parts.qrn"), &graph, &error), QN_USAGE);
}

TEST(allocation_failures) {
  struct qn_edge_partitions_options options = {0};
  struct qn_graph graph = random_graph(100, 300000, QN_WEIGHT_U32, 50, 8);
  fail_every_allocation(QN_LAYOUT_EDGE_PARTITIONS, &options, &graph);
  qn_graph_unmap(&graph);
}

TEST_MAIN(scratch_create, scratch_remove)
