/* Hybrid ELL and COO: the papers' example, round trips at the extremes, limits, and every rule
 * broken once. */
#include <math.h>

#include "helpers/round_trip.h"
#include "helpers/sample_graph.h"
#include "helpers/scratch.h"
#include "helpers/test.h"
#include "helpers/vector.h"
#include "partitioner/hybrid.h"

static struct qn_error error;

enum { IN = QN_HYBRID_IN, OUT = QN_HYBRID_OUT, BOTH = IN | OUT };

static void round_trip(const struct qn_graph *graph, uint32_t directions, uint64_t width) {
  struct qn_hybrid_options options = {.directions = directions, .width = width};
  check_round_trip(QN_LAYOUT_HYBRID, &options, graph);
}

static uint64_t longest_row(const struct qn_graph *graph) {
  uint64_t longest = 0;
  for (uint64_t v = 0; v < graph->out.num_vertices; v++) {
    uint64_t length = graph->out.row_offsets[v + 1] - graph->out.row_offsets[v];
    longest = length > longest ? length : longest;
  }
  return longest;
}

/* Every direction with the paper's width and with none, and the out-edges with widths up to all of
 * the longest row; frees the graph. */
static void round_trips(struct qn_graph graph) {
  uint64_t longest = longest_row(&graph);
  for (uint32_t directions = IN; directions <= BOTH; directions++) {
    round_trip(&graph, directions, QN_HYBRID_AUTO_WIDTH);
    round_trip(&graph, directions, 0);
  }
  round_trip(&graph, OUT, longest);
  round_trip(&graph, OUT, longest / 2);
  qn_graph_unmap(&graph);
}

/* ---- The example ------------------------------------------------------------- */

/* The matrix with which Bell and Garland explain the format (HPGraph's reference 24); Figure 3 of
 * HPGraph, which is not in its text, splits such a one with K = 2 too. */
static struct qn_graph example_graph(void) {
  struct test_edge edges[] = {
      {.source = 0, .destination = 0, .weight = 1}, {.source = 0, .destination = 1, .weight = 7},
      {.source = 1, .destination = 1, .weight = 2}, {.source = 1, .destination = 2, .weight = 8},
      {.source = 2, .destination = 0, .weight = 5}, {.source = 2, .destination = 2, .weight = 3},
      {.source = 2, .destination = 3, .weight = 9}, {.source = 3, .destination = 1, .weight = 6},
      {.source = 3, .destination = 3, .weight = 4},
  };
  return graph_from_edges(edges, 9, 4, QN_WEIGHT_U32);
}

static void build_example(const char *path) {
  struct qn_hybrid_options options = {.directions = OUT, .width = QN_HYBRID_AUTO_WIDTH};
  struct qn_graph graph = example_graph();
  build_vector(QN_LAYOUT_HYBRID, &options, &graph, path);
  qn_graph_unmap(&graph);
}

TEST(figure_3) {
  const char *path = scratch_path("hybrid-figure-3.qrn");
  struct qn_hybrid view;
  build_example(path);
  assert_vector("hybrid-figure-3.qrn", path);
  assert_int_equal(qn_hybrid_map(path, &view, &error), QN_OK);
  const struct qn_hybrid_matrix *out = &view.out;
  assert_false(view.has_in);
  assert_int_equal(out->width, 2);
  assert_int_equal(out->pitch, 32);
  assert_memory_equal(out->ell_columns, ((uint32_t[]){0, 1, 0, 1, UINT32_MAX}), 20);
  assert_memory_equal(out->ell_columns + 32, ((uint32_t[]){1, 2, 2, 3, UINT32_MAX}), 20);
  assert_memory_equal(out->ell_weights.u32, ((uint32_t[]){1, 2, 5, 6, 0}), 20);
  assert_memory_equal(out->ell_weights.u32 + 32, ((uint32_t[]){7, 8, 3, 4, 0}), 20);
  assert_int_equal(out->num_coo, 1);
  assert_int_equal(out->coo_rows[0], 2);
  assert_int_equal(out->coo_columns[0], 3);
  assert_int_equal(out->coo_weights.u32[0], 9);
  uint64_t begin, end;
  qn_hybrid_coo_row(out, 2, &begin, &end);
  assert_int_equal(begin, 0);
  assert_int_equal(end, 1);
  qn_hybrid_coo_row(out, 3, &begin, &end);
  assert_int_equal(end - begin, 0);
  qn_hybrid_unmap(&view);
}

TEST(sample_vector) {
  struct sample sample = sample_graph();
  struct qn_graph graph;
  struct qn_hybrid_options options = {.directions = BOTH, .width = QN_HYBRID_AUTO_WIDTH};
  assert_int_equal(write_sample(scratch_path("graph.qrn"), &sample, &error), QN_OK);
  assert_int_equal(qn_graph_map(scratch_path("graph.qrn"), &graph, &error), QN_OK);
  build_vector(QN_LAYOUT_HYBRID, &options, &graph, scratch_path("hybrid-sample.qrn"));
  expect_same_graph(scratch_path("hybrid-sample.qrn"), &graph);
  qn_graph_unmap(&graph);
  assert_vector("hybrid-sample.qrn", scratch_path("hybrid-sample.qrn"));
}

/* A third of the rows, exactly and not quite. */
TEST(width_rule) {
  static const struct {
    uint32_t lengths[6];
    uint64_t width;
  } cases[] = {
      {{0, 0, 0, 0, 5, 5}, 5}, {{0, 0, 0, 0, 0, 5}, 0}, {{1, 1, 1, 1, 1, 1}, 1},
      {{9, 4, 3, 1, 1, 1}, 4}, {{9, 9, 0, 0, 0, 0}, 9},
  };
  for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    uint64_t offsets[7] = {0};
    for (int row = 0; row < 6; row++)
      offsets[row + 1] = offsets[row] + cases[i].lengths[row];
    assert_int_equal(qn_hybrid_width(offsets, 6), cases[i].width);
  }
}

/* ---- Round trips --------------------------------------------------------------- */

TEST(tiny_graphs) {
  round_trips(graph_from_edges(NULL, 0, 0, QN_WEIGHT_NONE));
  round_trips(graph_from_edges(NULL, 0, 5, QN_WEIGHT_F32));
  round_trips(graph_from_edges((struct test_edge[]){{.weight = 3}}, 1, 1, QN_WEIGHT_U32));
  round_trips(example_graph());
}

TEST(random_graphs) {
  round_trips(random_graph(3, 1000, QN_WEIGHT_U32, 0, 1)); /* multi-edges with their weights */
  round_trips(random_graph(1023, 1000, QN_WEIGHT_NONE, 0, 2));
  round_trips(random_graph(1024, 9000, QN_WEIGHT_F32, 1, 3));
  round_trips(random_graph(1024, 9000, QN_WEIGHT_I64, 1, 3));
  round_trips(random_undirected(3000, 9000, QN_WEIGHT_F64, 5));
  round_trips(random_graph(1025, 9000, QN_WEIGHT_U32, 2, 4));
  round_trips(random_undirected(2049, 3000, QN_WEIGHT_U32, 5));
}

TEST(large_graph) {
  struct qn_graph graph = random_graph(100001, 1000000, QN_WEIGHT_U32, 1, 5);
  round_trip(&graph, BOTH, QN_HYBRID_AUTO_WIDTH);
  qn_graph_unmap(&graph);
}

/* One row of 10^6 entries among short ones. */
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
  round_trip(&graph, BOTH, QN_HYBRID_AUTO_WIDTH);
  qn_graph_unmap(&graph);
}

TEST(ids_are_kept) {
  uint64_t numbers[] = {900, 5, UINT64_MAX, 17};
  struct qn_graph graph = example_graph();
  graph.ids = (struct qn_ids){.kind = QN_IDS_NUMBERS, .num_vertices = 4, .numbers = numbers};
  round_trip(&graph, IN, QN_HYBRID_AUTO_WIDTH);
  qn_graph_unmap(&graph);
}

TEST(undirected_is_stored_once) {
  struct qn_graph graph = random_undirected(100, 300, QN_WEIGHT_NONE, 6);
  struct qn_hybrid view;
  round_trip(&graph, BOTH, QN_HYBRID_AUTO_WIDTH);
  assert_int_equal(qn_hybrid_map(scratch_path("layout.qrn"), &view, &error), QN_OK);
  assert_true(view.has_in && view.has_out);
  assert_ptr_equal(view.in.ell_columns, view.out.ell_columns);
  assert_null(qn_container_section(view.container, "out_ell_columns"));
  qn_hybrid_unmap(&view);
  qn_graph_unmap(&graph);
}

/* ---- Limits --------------------------------------------------------------------- */

TEST(too_wide) {
  struct qn_graph graph = example_graph();
  struct qn_hybrid_options options = {.directions = OUT, .width = 10};
  assert_int_equal(
      build_layout(QN_LAYOUT_HYBRID, &options, &graph, scratch_path("refused.qrn"), &error),
      QN_USAGE);
  assert_non_null(strstr(error.message, "7 more than the longest row of out-edges has"));
  assert_non_null(strstr(error.message, "--width 3 would hold every edge"));
  assert_int_not_equal(access(scratch_path("refused.qrn"), F_OK), 0);
  qn_graph_unmap(&graph);
}

TEST(allocation_failures) {
  struct qn_graph graph = example_graph();
  struct qn_hybrid_options options = {.directions = BOTH, .width = QN_HYBRID_AUTO_WIDTH};
  fail_every_allocation(QN_LAYOUT_HYBRID, &options, &graph);
  qn_graph_unmap(&graph);
}

/* ---- Rules ---------------------------------------------------------------------- */

TEST(broken_example) {
  static const struct broken_rule broken[] = {
      {"HY-1", {{NULL, 0, 0}}},
      {"HY-1", {{NULL, 0, 4}}},
      {"HY-1", {{NULL, 1, 2}}}, /* a width of in-edges, which are not there */
      {"HY-1", {{NULL, 2, UINT64_MAX}}},
      {"HY-1", {{NULL, 2, (uint64_t)1 << 32}}},
      {"C-22", {{NULL, 2, 3}}},
      {"HY-1", {{NULL, 0, 3}}},
      {"C-6", {{NULL, 3, 1}}},
      {"HY-2", {{"out_coo_starts", 0, 1}}},
      {"HY-2", {{"out_coo_starts", 1, 0}}},
      {"HY-2", {{"out_coo_rows", 0, 4}}},
      {"HY-3", {{"out_ell_columns", 1, 4}}},
      {"HY-3", {{"out_ell_columns", 0, UINT32_MAX}}},
      {"HY-3", {{"out_ell_columns", 31, 2}}},
      {"HY-3", {{"out_ell_columns", 63, 2}}},
      {"HY-4", {{"out_ell_columns", 34, 0}, {"out_ell_columns", 2, 1}}},
      {"HY-6", {{"out_coo_columns", 0, 4}}},
      {"HY-7", {{"out_coo_columns", 0, 1}}},
      {"HY-7", {{"out_ell_columns", 34, UINT32_MAX}}},
      {"HY-8", {{"out_ell_columns", 33, UINT32_MAX}}},
      {"HY-9", {{"out_ell_weights", 4, 1}}},
      {"HY-9", {{"out_ell_weights", 40, 1}}},
      {"HY-10", {{"out_degrees", 0, 3}}},
      {"HY-12", {{"undirected", 0, 1}}},
  };
  char path[512];
  snprintf(path, sizeof path, "%s", scratch_path("example.qrn"));
  build_example(path);
  expect_all_refused(path, broken, sizeof broken / sizeof broken[0]);
}

/* Without an ELL part, and over two ranges of rows. */
TEST(broken_coo) {
  struct test_edge edges[] = {
      {.source = 0, .destination = 5},    {.source = 0, .destination = 7},
      {.source = 3, .destination = 2},    {.source = 1030, .destination = 1},
      {.source = 1031, .destination = 9}, {.source = 1031, .destination = 9}};
  static const struct broken_rule broken[] = {
      {"HY-2", {{"in_coo_starts", 1, 7}}},      {"HY-2", {{"in_coo_starts", 1, 1}}},
      {"HY-2", {{"in_coo_rows", 5, 1500}}},     {"HY-5", {{"in_coo_rows", 0, 9}}},
      {"HY-6", {{"in_coo_columns", 0, 1040}}},  {"HY-6", {{"in_coo_columns", 4, 1039}}},
      {"HY-10", {{"in_coo_columns", 0, 1029}}},
  };
  struct qn_graph graph = graph_from_edges(edges, 6, 1040, QN_WEIGHT_NONE);
  struct qn_hybrid_options options = {.directions = IN, .width = 0};
  expect_rules(QN_LAYOUT_HYBRID, &options, &graph, broken, sizeof broken / sizeof broken[0]);
}

TEST(broken_agreement) {
  uint32_t infinite;
  float value = INFINITY;
  memcpy(&infinite, &value, 4);
  const struct broken_rule broken[] = {
      {"HY-9", {{"in_ell_weights", 0, infinite}}},
      {"HY-9", {{"out_coo_weights", 0, infinite}}},
      {"HY-11", {{"out_coo_weights", 0, 0x40400000}}},
      {"HY-11", {{"out_ell_columns", 0, 1}}},
      {"HY-1", {{"undirected", 0, 1}}},
  };
  struct qn_graph graph = example_graph();
  struct test_edge edges[9];
  for (uint64_t v = 0, i = 0; v < 4; v++)
    for (uint64_t e = graph.out.row_offsets[v]; e < graph.out.row_offsets[v + 1]; e++)
      edges[i++] = (struct test_edge){.source = (uint32_t)v,
                                      .destination = graph.out.column_indices[e],
                                      .weight = graph.out.weights.u32[e]};
  qn_graph_unmap(&graph);
  graph = graph_from_edges(edges, 9, 4, QN_WEIGHT_F32);
  struct qn_hybrid_options options = {.directions = BOTH, .width = QN_HYBRID_AUTO_WIDTH};
  expect_rules(QN_LAYOUT_HYBRID, &options, &graph, broken, sizeof broken / sizeof broken[0]);
}

/* Where no section's length tells. */
TEST(broken_width_of_nothing) {
  static const struct broken_rule broken[] = {{"HY-1", {{NULL, 2, (uint64_t)1 << 32}}}};
  struct qn_graph graph = graph_from_edges(NULL, 0, 0, QN_WEIGHT_NONE);
  struct qn_hybrid_options options = {.directions = QN_HYBRID_OUT, .width = 0};
  expect_rules(QN_LAYOUT_HYBRID, &options, &graph, broken, 1);
}

int main(void) {
  setenv("QUERN_NO_SYNC", "1", 1);
  return run_listed_tests(scratch_create, scratch_remove);
}
