/* Blocked CSR: the paper's kind of example, round trips at the extremes, limits, and every rule
 * broken once. */
#include <math.h>

#include "helpers/round_trip.h"
#include "helpers/sample_graph.h"
#include "helpers/scratch.h"
#include "helpers/test.h"
#include "helpers/vector.h"
#include "partitioner/blocked_csr.h"

static struct qn_error error;

enum { PULL = QN_BLOCKED_PULL, PUSH = QN_BLOCKED_PUSH, BOTH = PULL | PUSH };

static void round_trip(const struct qn_graph *graph, uint32_t directions, uint64_t block_vertices,
                       bool out_edges) {
  struct qn_blocked_csr_options options = {
      .directions = directions, .block_vertices = block_vertices, .out_edges = out_edges};
  check_round_trip(QN_LAYOUT_BLOCKED_CSR, &options, graph);
}

/* Every direction with blocks of one vertex, of a few, and of all; frees the graph. */
static void round_trips(struct qn_graph graph) {
  static const uint64_t sizes[] = {0, 1, 3, 700, 1024, UINT32_MAX};
  for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    round_trip(&graph, PULL, sizes[i], false);
    round_trip(&graph, PUSH, sizes[i], false);
  }
  round_trip(&graph, BOTH, 5, false);
  round_trip(&graph, BOTH, 7, true);
  round_trip(&graph, PULL, 9, true);
  qn_graph_unmap(&graph);
}

/* ---- An example after Figure 4 ---------------------------------------------- */

/* Nine vertices, sources cut in two, six local ids in the first subgraph and four in the second,
 * as the figure's labels say; the edges, which the text does not tell, are ours. */
static struct qn_graph figure_4_graph(void) {
  static const uint8_t ends[][2] = {{0, 1}, {0, 3}, {0, 4}, {1, 2}, {1, 4}, {2, 5}, {2, 6},
                                    {3, 6}, {4, 6}, {4, 7}, {5, 7}, {6, 8}, {7, 0}, {7, 8}};
  struct test_edge edges[14];
  for (uint32_t i = 0; i < 14; i++)
    edges[i] = (struct test_edge){.source = ends[i][0], .destination = ends[i][1]};
  return graph_from_edges(edges, 14, 9, QN_WEIGHT_NONE);
}

static void build_figure_4(const char *path) {
  struct qn_blocked_csr_options options = {.directions = PULL, .block_vertices = 4};
  struct qn_graph graph = figure_4_graph();
  build_vector(QN_LAYOUT_BLOCKED_CSR, &options, &graph, path);
  qn_graph_unmap(&graph);
}

TEST(figure_4) {
  const char *path = scratch_path("blocked-csr-figure-4.qrn");
  struct qn_blocked_csr view;
  build_figure_4(path);
  assert_vector("blocked-csr-figure-4.qrn", path);
  assert_int_equal(qn_blocked_csr_map(path, &view, &error), QN_OK);
  assert_true(view.has_pull);
  assert_false(view.has_push);
  assert_int_equal(view.pull.num_blocks, 3);
  assert_memory_equal(view.pull.block_rows, ((uint64_t[]){0, 6, 10, 10}), 32);
  assert_memory_equal(view.pull.block_edges, ((uint64_t[]){0, 8, 14, 14}), 32);
  assert_memory_equal(view.pull.id_map, ((uint32_t[]){1, 2, 3, 4, 5, 6, 0, 6, 7, 8}), 40);
  assert_memory_equal(qn_block_offsets(&view.pull, 0), ((uint32_t[]){0, 1, 2, 3, 5, 6, 8}), 28);
  assert_memory_equal(qn_block_offsets(&view.pull, 1), ((uint32_t[]){0, 1, 2, 4, 6}), 20);
  assert_memory_equal(view.pull.columns, ((uint32_t[]){0, 1, 0, 0, 1, 2, 2, 3, 7, 4, 4, 5, 6, 7}),
                      56);
  assert_memory_equal(view.pull.range_starts, ((uint32_t[]){0, 6, 0, 4, 0, 0}), 24);
  qn_blocked_csr_unmap(&view);
}

/* The sample graph in both directions with plain out-edges, weights and ids. */
TEST(sample_vector) {
  struct sample sample = sample_graph();
  struct qn_graph graph;
  struct qn_blocked_csr_options options = {
      .directions = BOTH, .block_vertices = 2, .out_edges = true};
  assert_int_equal(write_sample(scratch_path("graph.qrn"), &sample, &error), QN_OK);
  assert_int_equal(qn_graph_map(scratch_path("graph.qrn"), &graph, &error), QN_OK);
  build_vector(QN_LAYOUT_BLOCKED_CSR, &options, &graph, scratch_path("blocked-csr-sample.qrn"));
  expect_same_graph(scratch_path("blocked-csr-sample.qrn"), &graph);
  qn_graph_unmap(&graph);
  assert_vector("blocked-csr-sample.qrn", scratch_path("blocked-csr-sample.qrn"));
}

/* ---- Round trips ------------------------------------------------------------- */

TEST(tiny_graphs) {
  round_trips(graph_from_edges(NULL, 0, 0, QN_WEIGHT_NONE));
  round_trips(graph_from_edges(NULL, 0, 5, QN_WEIGHT_F32));
  round_trips(graph_from_edges((struct test_edge[]){{.weight = 3}}, 1, 1, QN_WEIGHT_U32));
  round_trips(figure_4_graph());
}

TEST(random_graphs) {
  round_trips(random_graph(3, 1000, QN_WEIGHT_U32, 0, 1)); /* multi-edges with their weights */
  round_trips(random_graph(1023, 1000, QN_WEIGHT_NONE, 0, 2));
  round_trips(random_graph(1024, 5000, QN_WEIGHT_U32, 1, 3));
  round_trips(random_graph(1025, 5000, QN_WEIGHT_F32, 2, 4));
  round_trips(random_graph(1025, 5000, QN_WEIGHT_I64, 2, 4));
  round_trips(random_undirected(3000, 9000, QN_WEIGHT_F64, 5));
  round_trips(random_undirected(2049, 3000, QN_WEIGHT_U32, 5));
}

TEST(large_graph) {
  struct qn_graph graph = random_graph(100001, 1000000, QN_WEIGHT_U32, 1, 5);
  round_trip(&graph, BOTH, 0, false);
  round_trip(&graph, BOTH, 10000, false);
  qn_graph_unmap(&graph);
}

/* One vertex with 10^6 out-edges, and one with as many in-edges. */
TEST(hub) {
  uint64_t degree = 1000000;
  struct test_edge *edges = calloc(2 * degree, sizeof *edges);
  assert_non_null(edges);
  for (uint32_t i = 0; i < degree; i++) {
    edges[2 * i] = (struct test_edge){.source = 70, .destination = i % 2000, .weight = i};
    edges[2 * i + 1] = (struct test_edge){.source = i % 3000, .destination = 71, .weight = i};
  }
  struct qn_graph graph = graph_from_edges(edges, 2 * degree, 3000, QN_WEIGHT_U32);
  free(edges);
  round_trip(&graph, BOTH, 100, false);
  round_trip(&graph, PULL, 0, false);
  qn_graph_unmap(&graph);
}

TEST(ids_are_kept) {
  uint64_t numbers[] = {900, 5, UINT64_MAX, 17, 0, 1, 2, 3, 4};
  struct qn_graph graph = figure_4_graph();
  graph.ids = (struct qn_ids){.kind = QN_IDS_NUMBERS, .num_vertices = 9, .numbers = numbers};
  round_trip(&graph, PULL, 2, false);
  qn_graph_unmap(&graph);
}

/* ---- Limits ------------------------------------------------------------------- */

static void expect_refusal(const struct qn_graph *graph,
                           const struct qn_blocked_csr_options *options, const char *advice) {
  assert_int_equal(
      build_layout(QN_LAYOUT_BLOCKED_CSR, options, graph, scratch_path("refused.qrn"), &error),
      QN_USAGE);
  if (!strstr(error.message, advice))
    fail_msg("'%s' is not in: %s", advice, error.message);
  assert_int_not_equal(access(scratch_path("refused.qrn"), F_OK), 0);
}

TEST(limits) {
  struct qn_graph graph = figure_4_graph();
  expect_refusal(&graph, &(struct qn_blocked_csr_options){.max_block_edges = 5},
                 "block 0 would hold 14 edges, 9 more than the 5 that a block can; "
                 "--block-vertices 2 would fit");
  expect_refusal(&graph, &(struct qn_blocked_csr_options){.directions = PUSH, .max_block_edges = 2},
                 "some vertex has more edges than the 2 that a block can hold");
  round_trip(&graph, PULL, 2, false);
  qn_graph_unmap(&graph);
  graph = graph_from_edges(NULL, 0, 3000000, QN_WEIGHT_NONE);
  expect_refusal(&graph, &(struct qn_blocked_csr_options){.block_vertices = 1},
                 "range starts, more than the 4294967296 that a container can hold; "
                 "--block-vertices 3 would fit");
  qn_graph_unmap(&graph);
}

TEST(block_sizes) {
  assert_int_equal(qn_block_vertices_for(QN_DEFAULT_L2_BYTES), 4194304);
  assert_int_equal(qn_block_vertices_for((uint64_t)11 << 18), 262144); /* the paper's 2.75 MB */
  assert_int_equal(qn_block_vertices_for(1), QN_RANGE_VERTICES);
  assert_int_equal(qn_block_vertices_for(UINT64_MAX), UINT32_MAX);
}

TEST(allocation_failures) {
  struct qn_graph graph = figure_4_graph();
  struct qn_blocked_csr_options options = {.directions = BOTH, .block_vertices = 2};
  fail_every_allocation(QN_LAYOUT_BLOCKED_CSR, &options, &graph);
  qn_graph_unmap(&graph);
}

/* ---- Rules --------------------------------------------------------------------- */

TEST(broken_structure) {
  static const struct broken_rule broken[] = {
      {"BC-1", {{NULL, 0, 0}}},
      {"BC-1", {{NULL, 0, (uint64_t)1 << 32}}},
      {"BC-1", {{NULL, 1, 0}}},
      {"BC-1", {{NULL, 1, 4}}},
      {"BC-1", {{NULL, 2, 512}}},
      {"C-6", {{NULL, 3, 1}}},
      {"C-22", {{NULL, 0, 9}}}, /* one block: the arrays have too many entries */
      {"BC-1", {{NULL, 1, 3}}}, /* no push blocks */
      {"BC-2", {{"pull_block_rows", 0, 1}}},
      {"BC-2", {{"pull_block_rows", 1, 11}}},
      {"BC-2", {{"pull_block_rows", 3, 9}}},
      {"BC-3", {{"pull_block_edges", 0, 1}}},
      {"BC-3", {{"pull_block_edges", 2, 7}}},
      {"BC-3", {{"pull_block_edges", 3, 15}}},
      {"BC-3", {{"pull_block_edges", 1, UINT64_MAX}}},
  };
  char path[512];
  snprintf(path, sizeof path, "%s", scratch_path("figure-4.qrn"));
  build_figure_4(path);
  expect_all_refused(path, broken, sizeof broken / sizeof broken[0]);
}

TEST(broken_blocks) {
  static const struct broken_rule broken[] = {
      {"BC-4", {{"pull_row_offsets", 0, 1}}},
      {"BC-4", {{"pull_row_offsets", 6, 9}}},
      {"BC-4", {{"pull_row_offsets", 2, 1}}}, /* an empty row */
      {"BC-4", {{"pull_row_offsets", 9, UINT32_MAX}}},
      {"BC-5", {{"pull_id_map", 5, 9}}},
      {"BC-5", {{"pull_id_map", 1, 1}}},
      {"BC-5", {{"pull_id_map", 9, 7}}},
      {"BC-6", {{"pull_range_starts", 0, 1}}},
      {"BC-6", {{"pull_range_starts", 1, 5}}},
      {"BC-6", {{"pull_range_starts", 3, UINT32_MAX}}},
      {"BC-6", {{"pull_range_starts", 5, 1}}},
      {"BC-7", {{"pull_columns", 3, 4}}},
      {"BC-7", {{"pull_columns", 8, 3}}},
      {"BC-7", {{"pull_columns", 13, 9}}},
      {"BC-8", {{"pull_columns", 3, 2}}},
      {"BC-8", {{"pull_columns", 13, 5}}},
      {"BC-10", {{"out_degrees", 8, 1}}},
      {"BC-10", {{"out_degrees", 0, 2}, {"out_degrees", 1, 3}}},
      {"BC-10", {{"pull_columns", 0, 1}}}, /* another source: its degree is wrong now */
      {"BC-13", {{"undirected", 0, 1}}},
  };
  char path[512];
  snprintf(path, sizeof path, "%s", scratch_path("figure-4.qrn"));
  build_figure_4(path);
  expect_all_refused(path, broken, sizeof broken / sizeof broken[0]);
}

/* Rules about several representations of the same edges, on the sample graph: pull blocks of
 * sources {0, 1} and {2, 3}, push blocks, and the plain out-edges. */
TEST(broken_agreement) {
  uint32_t infinite, nan_bits;
  float values[] = {INFINITY, NAN};
  memcpy(&infinite, &values[0], 4);
  memcpy(&nan_bits, &values[1], 4);
  const struct broken_rule broken[] = {
      {"BC-1", {{NULL, 1, 1}}}, /* but there are push blocks */
      {"BC-4", {{"push_row_offsets", 0, 1}}},
      {"BC-7", {{"push_columns", 0, 2}}},
      {"BC-9", {{"pull_weights", 2, infinite}}},
      {"BC-9", {{"push_weights", 0, nan_bits}}},
      {"BC-9", {{"weights", 4, nan_bits}}},
      {"BC-11", {{"push_weights", 1, 0x40400000}}},
      {"BC-11", {{"push_columns", 0, 0}}},
      {"BC-12", {{"weights", 1, 0x40000000}}},
      {"BC-12", {{"column_indices", 0, 2}}},
      {"G-1", {{"row_offsets", 0, 1}}},
      {"G-2", {{"row_offsets", 1, 4}}},
      {"G-3", {{"row_offsets", 4, 4}}},
      {"G-4", {{"column_indices", 1, 4}}},
      {"G-5", {{"column_indices", 0, 3}, {"column_indices", 1, 1}}},
  };
  struct sample sample = sample_graph();
  struct qn_graph graph;
  struct qn_blocked_csr_options options = {
      .directions = BOTH, .block_vertices = 2, .out_edges = true};
  sample.weight_type = QN_WEIGHT_F32;
  sample.weights = (const float[]){7, 1, 4, 2, 9};
  sample.in_weights = (const float[]){2, 7, 1, 4, 9};
  assert_int_equal(write_sample(scratch_path("graph.qrn"), &sample, &error), QN_OK);
  assert_int_equal(qn_graph_map(scratch_path("graph.qrn"), &graph, &error), QN_OK);
  expect_rules(QN_LAYOUT_BLOCKED_CSR, &options, &graph, broken, sizeof broken / sizeof broken[0]);
}

/* Push blocks alone: degrees are compared with the rows. */
TEST(broken_push) {
  static const struct broken_rule broken[] = {
      {"BC-10", {{"out_degrees", 0, 2}, {"out_degrees", 1, 3}}},
      {"BC-5", {{"push_id_map", 0, 9}}},
      {"BC-13", {{"undirected", 0, 1}}},
  };
  struct qn_graph graph = figure_4_graph();
  struct qn_blocked_csr_options options = {.directions = PUSH, .block_vertices = 4};
  expect_rules(QN_LAYOUT_BLOCKED_CSR, &options, &graph, broken, sizeof broken / sizeof broken[0]);
}

/* The fast passes see a descent or a stray column wherever it is in a large block. */
TEST(large_blocks_are_searched) {
  struct qn_graph graph = random_graph(5000, 1200000, QN_WEIGHT_NONE, 0, 9);
  struct qn_blocked_csr_options options = {.directions = PULL, .block_vertices = 4000};
  struct qn_blocked_csr view;
  uint64_t seed = 1;
  assert_int_equal(
      build_layout(QN_LAYOUT_BLOCKED_CSR, &options, &graph, scratch_path("large.qrn"), &error),
      QN_OK);
  qn_graph_unmap(&graph);
  assert_int_equal(qn_blocked_csr_map(scratch_path("large.qrn"), &view, &error), QN_OK);
  struct qn_blocked_csr forged = view;
  uint32_t *columns = malloc(4 * view.num_edges);
  assert_non_null(columns);
  memcpy(columns, view.pull.columns, 4 * view.num_edges);
  forged.pull.columns = columns;
  assert_int_equal(qn_blocked_csr_check(view.container, &forged, &error), QN_OK);
  for (int i = 0; i < 50; i++) {
    uint64_t edge = random_next(&seed) % view.num_edges;
    uint32_t kept = columns[edge];
    columns[edge] =
        4000 + (uint32_t)(random_next(&seed) % 1000) * (edge >= view.pull.block_edges[1]);
    if (edge >= view.pull.block_edges[1])
      columns[edge] -= 4000;
    assert_int_equal(qn_blocked_csr_check(view.container, &forged, &error), QN_INVALID);
    columns[edge] = kept;
  }
  free(columns);
  qn_blocked_csr_unmap(&view);
}

int main(void) {
  setenv("QUERN_NO_SYNC", "1", 1);
  return run_listed_tests(scratch_create, scratch_remove);
}
