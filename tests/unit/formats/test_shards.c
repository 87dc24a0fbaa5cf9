/* Shards: Garaph's own example, round trips at the extremes, and every rule broken once. */
#include <math.h>

#include "helpers/round_trip.h"
#include "helpers/scratch.h"
#include "helpers/test.h"
#include "helpers/vector.h"
#include "partitioner/shards.h"
#include <quern/transpose.h>

static struct qn_error error;

static void round_trip(const struct qn_graph *graph, const struct qn_shards_options *options) {
  check_round_trip(QN_LAYOUT_SHARDS, options, graph);
}

/* With the defaults, one vertex a shard, as little shared memory as can be; frees the graph. */
static void round_trips(struct qn_graph graph) {
  round_trip(&graph, &(struct qn_shards_options){0});
  round_trip(&graph, &(struct qn_shards_options){.shard_vertices = 1});
  round_trip(&graph, &(struct qn_shards_options){.shard_vertices = 7});
  round_trip(&graph, &(struct qn_shards_options){.shared_bytes = 128});
  round_trip(&graph, &(struct qn_shards_options){.shared_bytes = 1000});
  qn_graph_unmap(&graph);
}

/* ---- Garaph, Figure 1 ------------------------------------------------------------ */

/* What the text says of it: vertex 0 has two in-edges, from 3 and 4, with the values 1 and 2; the
 * destinations 3, 4 and 5 are in shard 1 and have the offsets 0, 1, 2. The other edges are ours. */
static struct qn_graph garaph_graph(void) {
  struct test_edge edges[] = {{3, 0, 1, 0}, {4, 0, 2, 0}, {0, 1, 3, 0}, {0, 2, 4, 0}, {5, 2, 5, 0},
                              {1, 3, 6, 0}, {2, 4, 7, 0}, {3, 4, 8, 0}, {4, 5, 9, 0}};
  return graph_from_edges(edges, 9, 6, QN_WEIGHT_U32);
}

static void build_garaph(const char *path) {
  struct qn_shards_options options = {.shard_vertices = 3, .page_bytes = 50};
  struct qn_graph graph = garaph_graph();
  build_vector(QN_LAYOUT_SHARDS, &options, &graph, path);
  qn_graph_unmap(&graph);
}

TEST(garaph_figure_1) {
  const char *path = scratch_path("shards-garaph.qrn");
  struct qn_shards view;
  build_garaph(path);
  assert_vector("shards-garaph.qrn", path);
  assert_int_equal(qn_shards_map(path, &view, &error), QN_OK);
  assert_int_equal(view.num_shards, 2);
  assert_int_equal(view.num_pages, 2);
  assert_memory_equal(view.vertex_offsets, ((uint32_t[]){0, 3, 6}), 12);
  assert_int_equal(view.in.row_offsets[1], 2);
  assert_memory_equal(view.in.column_indices, ((uint32_t[]){3, 4}), 8);
  assert_memory_equal(view.in.weights.u32, ((uint32_t[]){1, 2}), 8);
  assert_int_equal(qn_sh_edge(&view, 1), 5);
  assert_memory_equal(view.destination_offsets + 5, ((uint16_t[]){0, 1, 1, 2}), 8);
  assert_memory_equal(view.replication, ((uint8_t[]){2, 1}), 2);
  assert_int_equal(view.out.weights.type, QN_WEIGHT_NONE);
  qn_shards_unmap(&view);
}

/* Against the formula as the paper prints it. */
TEST(replication) {
  static const uint64_t vertices[] = {1, 2, 3, 1000, 65535, 65536};
  for (int i = 0; i < 6; i++)
    for (uint64_t edges = 0; edges <= 70 * vertices[i]; edges += 1 + edges / 13) {
      double exponent = edges ? ceil(log2((double)edges / (double)vertices[i]) - 0.5) : 0;
      exponent = exponent < 0 ? 0 : exponent > 5 ? 5 : exponent;
      assert_int_equal(qn_sh_replication(edges, vertices[i]), (uint32_t)exp2(exponent));
    }
  assert_int_equal(qn_sh_replication(UINT64_MAX, 65536), 32);
  assert_int_equal(qn_sh_replication(141, 100), 1); /* sqrt(2) = 1.41421... */
  assert_int_equal(qn_sh_replication(142, 100), 2);
}

/* ---- Round trips ----------------------------------------------------------------- */

TEST(tiny_graphs) {
  round_trips(graph_from_edges(NULL, 0, 0, QN_WEIGHT_NONE));
  round_trips(graph_from_edges(NULL, 0, 5, QN_WEIGHT_F32));
  round_trips(graph_from_edges((struct test_edge[]){{.weight = 3}}, 1, 1, QN_WEIGHT_U32));
  round_trips(graph_from_edges((struct test_edge[]){{.source = 2}}, 1, 3, QN_WEIGHT_U32));
  round_trips(garaph_graph());
}

TEST(random_graphs) {
  round_trips(random_graph(3, 1000, QN_WEIGHT_U32, 0, 1)); /* multi-edges with their weights */
  round_trips(random_graph(1025, 1000, QN_WEIGHT_NONE, 0, 2));
  round_trips(random_graph(2048, 20000, QN_WEIGHT_F32, 2, 3));
  round_trips(random_graph(2048, 20000, QN_WEIGHT_I64, 2, 3));
  round_trips(random_undirected(3000, 9000, QN_WEIGHT_F64, 5));
  round_trips(random_undirected(777, 3000, QN_WEIGHT_U32, 4));
  round_trips(random_undirected(300, 3000, QN_WEIGHT_NONE, 5));
}

/* One vertex more than 16 bits can tell apart. */
TEST(just_over_65536) {
  struct qn_graph graph = random_graph(65537, 300000, QN_WEIGHT_U32, 0, 6);
  struct qn_shards view;
  round_trip(&graph, &(struct qn_shards_options){.shard_vertices = 65536});
  assert_int_equal(qn_shards_map(scratch_path("layout.qrn"), &view, &error), QN_OK);
  assert_int_equal(view.num_shards, 2);
  assert_int_equal(view.vertex_offsets[1], 65536);
  uint64_t last = qn_sh_edge(&view, 1) - 1;
  assert_true(view.destination_offsets[last] > 65000);
  qn_shards_unmap(&view);
  round_trip(&graph, &(struct qn_shards_options){.shared_bytes = 1 << 20});
  qn_graph_unmap(&graph);
}

/* One vertex of in-degree 10^6 among others: more replicas, fewer vertices. */
TEST(hub) {
  uint64_t num_edges = 1000000;
  struct test_edge *edges = calloc(num_edges, sizeof *edges);
  assert_non_null(edges);
  for (uint64_t i = 0; i < num_edges; i++)
    edges[i] = (struct test_edge){.source = (uint32_t)(i * 7919 % 2000),
                                  .destination = i % 100 ? 50 : (uint32_t)(i / 100 % 2000),
                                  .weight = (uint32_t)i};
  struct qn_graph graph = graph_from_edges(edges, num_edges, 2000, QN_WEIGHT_U32);
  struct qn_shards view;
  free(edges);
  round_trip(&graph, &(struct qn_shards_options){.shared_bytes = 12800});
  assert_int_equal(qn_shards_map(scratch_path("layout.qrn"), &view, &error), QN_OK);
  assert_int_equal(view.vertex_offsets[1], 100);
  assert_int_equal(view.replication[0], 32);
  for (uint64_t s = 0; s < view.num_shards; s++)
    assert_true((view.vertex_offsets[s + 1] - view.vertex_offsets[s]) * view.replication[s] * 4 <=
                12800);
  qn_shards_unmap(&view);
  qn_graph_unmap(&graph);
}

TEST(ids_are_kept) {
  uint64_t numbers[] = {900, 5, UINT64_MAX, 17, 0, 1};
  struct qn_graph graph = garaph_graph();
  graph.ids = (struct qn_ids){.kind = QN_IDS_NUMBERS, .num_vertices = 6, .numbers = numbers};
  round_trip(&graph, &(struct qn_shards_options){0});
  qn_graph_unmap(&graph);
}

/* A stored transpose is used as it is. */
TEST(with_transpose) {
  struct qn_graph graph = random_graph(500, 4000, QN_WEIGHT_F32, 1, 7), transposed;
  assert_int_equal(qn_graph_create_transpose(&graph.out, &transposed, &error), QN_OK);
  graph.has_transpose = true;
  graph.in = transposed.out;
  round_trip(&graph, &(struct qn_shards_options){0});
  qn_graph_unmap(&transposed);
  qn_graph_unmap(&graph);
}

/* ---- Limits ------------------------------------------------------------------------ */

static void expect_refusal(const struct qn_graph *graph, const struct qn_shards_options *options,
                           const char *advice) {
  assert_int_equal(
      build_layout(QN_LAYOUT_SHARDS, options, graph, scratch_path("refused.qrn"), &error),
      QN_USAGE);
  if (!strstr(error.message, advice))
    fail_msg("'%s' is not in: %s", advice, error.message);
  assert_int_not_equal(access(scratch_path("refused.qrn"), F_OK), 0);
}

TEST(limits) {
  struct qn_graph graph = garaph_graph();
  expect_refusal(&graph, &(struct qn_shards_options){.shard_vertices = 65537},
                 "1 more than 16-bit offsets can tell apart: use --shard-vertices 65536 or less");
  expect_refusal(&graph, &(struct qn_shards_options){.shared_bytes = 127},
                 "1 less than one vertex with 32 replicas of 4 bytes takes: use --shared-memory "
                 "128 or more");
  expect_refusal(&graph, &(struct qn_shards_options){.shard_vertices = 3, .page_bytes = 49},
                 "shard 0 has 5 edges in 50 bytes, 1 more than a page of 49: use --page-bytes 50");
  qn_graph_unmap(&graph);
}

/* ---- Rules ------------------------------------------------------------------------- */

/* scratch_path, for longer than four calls. */
static char path[512];
static void set_path(const char *name) {
  snprintf(path, sizeof path, "%s", scratch_path(name));
}

#define REFUSED(...) FORGERY_REFUSED(path, __VA_ARGS__)

TEST(rules) {
  set_path("garaph.qrn");
  build_garaph(path);
  REFUSED("C-6", {NULL, 5, 1});
  REFUSED("SH-1", {NULL, QN_SH_NUM_SHARDS, 7});
  REFUSED("SH-1", {NULL, QN_SH_NUM_SHARDS, 0});
  REFUSED("SH-1", {NULL, QN_SH_NUM_PAGES, 3});
  REFUSED("SH-1", {NULL, QN_SH_NUM_PAGES, 0});
  REFUSED("SH-1", {NULL, QN_SH_MAX_SHARD_VERTICES, 0});
  REFUSED("SH-1", {NULL, QN_SH_MAX_SHARD_VERTICES, 65537});
  REFUSED("SH-2", {"vertex_offsets", 0, 1});
  REFUSED("SH-2", {"vertex_offsets", 2, 7});
  REFUSED("SH-2", {"vertex_offsets", 1, 6});
  REFUSED("SH-2", {"vertex_offsets", 1, UINT32_MAX});
  REFUSED("SH-3", {NULL, QN_SH_MAX_SHARD_VERTICES, 2});
  REFUSED("SH-4", {"replication", 0, 1});
  REFUSED("SH-4", {"replication", 1, 3});
  REFUSED("SH-5", {NULL, QN_SH_SHARED_BYTES, 23});
  REFUSED("SH-6", {"page_shards", 0, 1});
  REFUSED("SH-6", {"page_shards", 2, 3});
  REFUSED("SH-6", {"page_shards", 1, 2});
  REFUSED("SH-7", {NULL, QN_SH_PAGE_BYTES, 49});
  REFUSED("SH-8", {"destination_offsets", 0, 3});
  REFUSED("SH-8", {"destination_offsets", 8, 5});
  REFUSED("SH-11", {"out_destinations", 0, 0});
  REFUSED("G-1", {"in_row_offsets", 0, 1});
  REFUSED("G-2", {"in_row_offsets", 3, UINT64_MAX});
  REFUSED("G-3", {"in_row_offsets", 6, 10});
  REFUSED("G-3", {"out_row_offsets", 6, 8});
  REFUSED("G-4", {"sources", 4, 6});
  REFUSED("G-4", {"out_destinations", 4, UINT32_MAX});
  REFUSED("G-5", {"sources", 0, 5});
  REFUSED("SH-9", {"undirected", 0, 1});
}

TEST(rules_of_undirected_graphs) {
  set_path("undirected.qrn");
  struct qn_shards_options options = {0};
  struct test_edge edges[] = {{0, 1, 1, 0}, {1, 0, 1, 0}, {2, 2, 1, 0}};
  struct qn_graph graph = graph_from_edges(edges, 3, 3, QN_WEIGHT_F32);
  graph.directedness = QN_UNDIRECTED;
  graph.has_transpose = true;
  graph.in = graph.out;
  assert_int_equal(build_layout(QN_LAYOUT_SHARDS, &options, &graph, path, &error), QN_OK);
  assert_int_equal(verify_container(path, &error), QN_OK);
  qn_graph_unmap(&graph);
  REFUSED("SH-10", {"weights", 2, 0x7fc00000});
  REFUSED("SH-12", {"weights", 0, 0x40000000});
  REFUSED("SH-12", {"sources", 0, 2});
}

/* Far from the beginning, where many threads look. */
TEST(rules_in_large_containers) {
  set_path("large.qrn");
  struct qn_shards_options options = {.shard_vertices = 1000};
  struct qn_graph graph = random_graph(50000, 900000, QN_WEIGHT_NONE, 1, 7);
  assert_int_equal(build_layout(QN_LAYOUT_SHARDS, &options, &graph, path, &error), QN_OK);
  qn_graph_unmap(&graph);
  REFUSED("SH-8", {"destination_offsets", 899999, 0});
  REFUSED("SH-8", {"destination_offsets", 450000, 1001});
  REFUSED("G-4", {"sources", 700000, UINT32_MAX});
}

TEST(allocation_failures) {
  struct qn_shards_options options = {0};
  struct qn_graph graph = random_graph(1000, 5000, QN_WEIGHT_U32, 1, 8);
  fail_every_allocation(QN_LAYOUT_SHARDS, &options, &graph);
  qn_graph_unmap(&graph);
}

TEST_MAIN(scratch_create, scratch_remove)
