/* The graph layout: its vector, and every rule broken once under right checksums. */
#include <math.h>

#include "converters/graph/graph_source.h"
#include "formats/bundle/write.h"
#include "helpers/sample_graph.h"
#include "helpers/scratch.h"
#include "helpers/test.h"
#include "helpers/vector.h"
#include "partitioner/build_common.h"
#include "support/memory.h"
#include <quern/open.h>

static struct qn_error error;

static enum qn_status write_and_check(const struct sample *sample) {
  const char *path = scratch_path("graph.qrn");
  const struct qn_layout_operations *operations;
  struct qn_container *container;
  assert_int_equal(write_sample(path, sample, &error), QN_OK);
  assert_int_equal(qn_container_map(path, 0, &container, &error), QN_OK);
  assert_int_equal(qn_container_verify(container, &error), QN_OK);
  assert_int_equal(qn_layout_operations(container, &operations, &error), QN_OK);
  enum qn_status status = operations->verify(container, &error);
  qn_container_unmap(container);
  return status;
}

static void expect_violation(const struct sample *sample, const char *rule) {
  enum qn_status status = write_and_check(sample);
  if (status != QN_INVALID || strncmp(error.message, rule, strlen(rule)) ||
      error.message[strlen(rule)] != ':')
    fail_msg("expected %s, got status %d: %s", rule, status, status ? error.message : "");
}

TEST(sample_vector) {
  struct sample sample = sample_graph();
  assert_int_equal(write_sample(scratch_path("graph-sample.qrn"), &sample, &error), QN_OK);
  assert_vector("graph-sample.qrn", scratch_path("graph-sample.qrn"));
}

/* What is made of a graph that breaks a rule would break it too: nobody takes it. */
static void expect_not_taken(const struct sample *sample, const char *rule) {
  struct qn_source source;
  struct qn_graph_source graph_source;
  expect_violation(sample, rule);
  assert_int_equal(qn_source_open(scratch_path("graph.qrn"), &source, &error), QN_INVALID);
  assert_non_null(strstr(error.message, rule));
  assert_int_equal(qn_graph_source_open(scratch_path("graph.qrn"), &graph_source, &error),
                   QN_INVALID);
  assert_non_null(strstr(error.message, rule));
}

/* The table has a row for each code, and agrees with what a container says of itself. */
TEST(table_of_layouts) {
  uint32_t codes = 0, count = 0;
  for (const struct qn_layout_operations *row = qn_layouts(); row->name; row++, count++) {
    const uint32_t code = row->layout;
    codes |= 1u << code;
    assert_string_equal(row->name, qn_layout_name(code));
    assert_int_equal(qn_layout_holds_graph(code), row->view != NULL);
    assert_int_equal(qn_layout_holds_graph(code), row->command != NULL);
    assert_true(row->verify && row->describe && row->restore);
  }
  const uint32_t unknown = count + 1;
  assert_int_equal(count, QN_LAYOUT_PACKED);
  assert_int_equal(codes, (1u << unknown) - 2); /* 1 to the last */
  assert_string_equal(qn_layout_name(unknown), "unknown");
  assert_string_equal(qn_layout_name(0), "unknown");
  assert_false(qn_layout_holds_graph(0) || qn_layout_holds_graph(unknown));
}

/* A map takes files, of this layout as of the others; members of bundles are qn_container_open's.
 */
TEST(members_are_not_mapped) {
  struct sample sample = sample_graph();
  char *inputs[] = {(char *)scratch_path("one.qrn")};
  const char *bundle = scratch_path("bundle.tar"), *member = scratch_path("bundle.tar:one.qrn");
  struct qn_graph graph;
  struct qn_container *container;
  assert_int_equal(write_sample(inputs[0], &sample, &error), QN_OK);
  assert_int_equal(qn_bundle_create(bundle, false, inputs, 1, 1, &error), QN_OK);
  assert_int_equal(qn_graph_map(member, &graph, &error), QN_SYSTEM);
  assert_null(graph.container);
  assert_int_equal(qn_container_open(member, 0, &container, &error), QN_OK);
  assert_int_equal(qn_graph_view(container, &graph, &error), QN_OK);
  assert_int_equal(qn_graph_out_degree(&graph, 0), sample.row_offsets[1] - sample.row_offsets[0]);
  qn_container_unmap(container);
}

TEST(row_offsets) {
  struct sample sample = sample_graph();
  sample.row_offsets = (const uint64_t[]){1, 2, 3, 3, 5};
  expect_violation(&sample, "G-1");
  sample.row_offsets = (const uint64_t[]){0, 3, 2, 3, 5};
  expect_violation(&sample, "G-2");
  sample.row_offsets = (const uint64_t[]){0, 2, 3, UINT64_MAX, 5};
  expect_violation(&sample, "G-2");
  sample.row_offsets = (const uint64_t[]){0, 2, 3, 3, 4};
  expect_violation(&sample, "G-3");
  sample = sample_graph();
  sample.in_row_offsets = (const uint64_t[]){0, 1, 2, 2, 6};
  expect_violation(&sample, "G-3");
}

TEST(column_indices) {
  struct sample sample = sample_graph();
  sample.column_indices = (const uint32_t[]){1, 4, 3, 0, 3};
  expect_violation(&sample, "G-4");
  assert_non_null(strstr(error.message, "edge 1 of row 0 leads to vertex 4"));
  sample.column_indices = (const uint32_t[]){1, 3, 3, 3, 0};
  expect_violation(&sample, "G-5");
  assert_non_null(strstr(error.message, "row 3 is not sorted at edge 4"));
  sample = sample_graph();
  sample.in_column_indices = (const uint32_t[]){3, 0, 1, 0, 3};
  expect_violation(&sample, "G-5");
}

TEST(weights) {
  struct sample sample = sample_graph();
  sample.weight_type = QN_WEIGHT_F32;
  sample.weights = (const float[]){7, 1, 4, 2, 9};
  sample.in_weights = (const float[]){2, 7, 1, 4, 9};
  assert_int_equal(write_and_check(&sample), QN_OK);
  sample.weights = (const float[]){7, 1, NAN, 2, 9};
  expect_not_taken(&sample, "G-7");
}

TEST(both_directions_agree) {
  struct sample sample = sample_graph();
  sample.in_column_indices = (const uint32_t[]){3, 0, 0, 2, 3};
  expect_violation(&sample, "G-8");
  sample = sample_graph();
  sample.in_weights = (const uint32_t[]){2, 7, 1, 9, 4};
  expect_violation(&sample, "G-8");
}

TEST(undirected) {
  struct sample sample = {
      .num_vertices = 3,
      .num_edges = 5,
      .directedness = QN_UNDIRECTED,
      .row_offsets = (const uint64_t[]){0, 1, 3, 5},
      .column_indices = (const uint32_t[]){1, 0, 2, 1, 2},
  };
  assert_int_equal(write_and_check(&sample), QN_OK);
  sample.column_indices = (const uint32_t[]){1, 0, 2, 0, 2};
  expect_not_taken(&sample, "G-9");
  sample.column_indices = (const uint32_t[]){1, 0, 2, 1, 2};
  sample.in_row_offsets = sample.row_offsets;
  sample.in_column_indices = sample.column_indices;
  expect_violation(&sample, "G-10");
}

TEST(ids) {
  struct sample sample = sample_graph();
  sample.numbers = (const uint64_t[]){10, 20, 20, 30};
  expect_violation(&sample, "ID-4");
  sample.numbers = (const uint64_t[]){10, 30, 20, 40};
  expect_violation(&sample, "ID-4");
}

/* Relabelled vertices: ids in any order are found, listed in theirs, and must be unique. */
TEST(ids_in_any_order) {
  static const uint64_t numbers[] = {UINT64_MAX, 7, 0, 1ull << 33};
  struct qn_ids ids = {.kind = QN_IDS_NUMBERS, .num_vertices = 4, .numbers = numbers};
  uint32_t *order, vertex;
  assert_int_equal(qn_ids_original_order(&ids, &order, &error), QN_OK);
  assert_memory_equal(order, ((uint32_t[]){2, 1, 3, 0}), 16);
  qn_pages_free(order, 4, 4);
  assert_int_equal(qn_ids_find(&ids, "18446744073709551615", &vertex, &error), QN_OK);
  assert_int_equal(vertex, 0);
  assert_int_equal(qn_ids_check(NULL, &ids, &error), QN_OK);
}

TEST(string_ids) {
  struct qn_ids ids = {.kind = QN_IDS_STRINGS,
                       .num_vertices = 3,
                       .string_offsets = (const uint64_t[]){0, 1, 3, 4},
                       .string_bytes = "bab\xc3"};
  uint32_t *order, vertex;
  uint64_t length;
  char buffer[32];
  assert_int_equal(qn_ids_original_order(&ids, &order, &error), QN_OK);
  assert_memory_equal(order, ((uint32_t[]){1, 0, 2}), 12);
  qn_pages_free(order, 3, 4);
  assert_int_equal(qn_ids_find(&ids, "ab", &vertex, &error), QN_OK);
  assert_int_equal(vertex, 1);
  assert_int_equal(qn_ids_find(&ids, "a", &vertex, &error), QN_USAGE);
  assert_memory_equal(qn_ids_text(&ids, 1, buffer, &length), "ab", 2);
  assert_int_equal(length, 2);
}

/* Swap two different neighbours in the first row with such a pair from row `from` on. */
static void plant_descent(const uint64_t *rows, uint32_t *columns, uint64_t vertices,
                          uint64_t from) {
  for (uint64_t i = 0; i < vertices; i++) {
    uint64_t v = (from + i) % vertices;
    if (rows[v + 1] - rows[v] < 2)
      continue;
    uint32_t *pair = columns + rows[v + 1] - 2;
    uint32_t first = pair[0];
    pair[0] = pair[1];
    pair[1] = first;
    return;
  }
}

/* Rows of every length against the flat check of sortedness: no false alarm, none missed. */
TEST(sortedness_is_exact) {
  enum { VERTICES = 600, EDGES = 20000 };
  static uint64_t rows[VERTICES + 1];
  static uint32_t columns[EDGES];
  uint64_t seed = 1;
  for (unsigned round = 0; round < 40; round++) {
    uint64_t edges = 0;
    for (unsigned v = 0; v < VERTICES; v++) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      uint64_t degree = (seed >> 33) % (v % 50 == 0 ? 200 : 5);
      rows[v] = edges;
      for (uint64_t i = 0; i < degree && edges < EDGES; i++)
        columns[edges++] = (uint32_t)(i * VERTICES / degree);
    }
    rows[VERTICES] = edges;
    struct qn_csr csr = {.num_vertices = VERTICES, .num_edges = edges};
    csr.row_offsets = rows;
    csr.column_indices = columns;
    assert_int_equal(qn_csr_check(NULL, &csr, "G", "rows", &error), QN_OK);
    plant_descent(rows, columns, VERTICES, seed >> 40);
    assert_int_not_equal(qn_csr_check(NULL, &csr, "G", "rows", &error), QN_OK);
  }
}

TEST_MAIN(scratch_create, scratch_remove)
