/* Look-ups of single vertices, before and after they are prepared, and on layouts. */
#include "helpers/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <quern/quern.h>

static struct qn_error error;

static struct qn_session *imported(const struct qn_option *options, uint64_t count) {
  static const uint64_t sources[] = {10, 10, 30, 20, 40}, targets[] = {20, 30, 30, 10, 10};
  static const float weights[] = {1, 2, 3, 4, 5};
  const struct qn_edge_arrays edges = {.size = sizeof edges,
                                       .num_edges = 5,
                                       .id_type = QN_TYPE_U64,
                                       .sources = sources,
                                       .targets = targets,
                                       .weight_type = QN_TYPE_F32,
                                       .weights = weights};
  struct qn_session *session;
  assert_int_equal(qn_import_arrays(&edges, options, count, NULL, NULL, &session, &error), QN_OK);
  return session;
}

static void check_rows(struct qn_session *session) {
  struct qn_row row = {.size = sizeof row};
  for (int again = 0; again < 2; again++) {
    assert_int_equal(qn_session_row(session, QN_ROWS_OUT, 0, &row, &error), QN_OK);
    assert_int_equal(row.num_edges, 2);
    assert_int_equal(row.first, 0);
    assert_int_equal(row.columns[1], 2);
    assert_true(((const float *)row.weights)[1] == 2);
    assert_int_equal(qn_session_row(session, QN_ROWS_IN, 0, &row, &error), QN_OK);
    assert_int_equal(row.num_edges, 2);
    assert_int_equal(row.columns[1], 3);
    assert_true(((const float *)row.weights)[1] == 5);
  }
  assert_int_equal(qn_session_row(session, QN_ROWS_OUT, 4, &row, &error), QN_USAGE);
  assert_int_equal(qn_session_row(session, (enum qn_rows)2, 0, &row, &error), QN_USAGE);
}

TEST(rows) {
  struct qn_session *graph = imported(NULL, 0), *built;
  static const char *const layouts[] = {"blocked-csr", "slotted-pages", "packed"};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(qn_session_build(graph, layouts[i], NULL, 0, NULL, NULL, &built, &error),
                     QN_OK);
    check_rows(built);
    qn_session_close(built);
  }
  check_rows(graph);
  qn_session_close(graph);
}

TEST(degrees_and_ids) {
  struct qn_session *graph = imported(NULL, 0);
  const uint64_t ids[] = {40, 10, 25};
  uint32_t vertices[3];
  uint64_t degrees[4];
  bool found[3];
  assert_int_equal(qn_session_find_numbers(graph, ids, 3, vertices, found, &error), QN_OK);
  assert_true(found[0] && found[1] && !found[2]);
  assert_int_equal(vertices[2], UINT32_MAX);
  assert_int_equal(qn_session_find_numbers(graph, ids, 3, vertices, NULL, &error), QN_USAGE);
  assert_string_equal(error.message, "no vertex has the id '25'");
  assert_int_equal(qn_session_degrees(graph, QN_ROWS_OUT, vertices, 2, degrees, &error), QN_OK);
  assert_true(degrees[0] == 1 && degrees[1] == 2);
  assert_int_equal(qn_session_degrees(graph, QN_ROWS_IN, NULL, 4, degrees, &error), QN_OK);
  assert_true(degrees[0] == 2 && degrees[1] == 1 && degrees[2] == 2 && degrees[3] == 0);
  assert_int_equal(qn_session_degrees(graph, QN_ROWS_IN, NULL, 5, degrees, &error), QN_USAGE);
  qn_session_close(graph);
}

/* Of so many that threads share the work, and by an index of the ids. */
TEST(many_at_once) {
  enum { VERTICES = 1000, IDS = 100000 };
  const uint64_t degrees_asked = ((uint64_t)1 << 18) + 5000;
  uint64_t *ends = malloc(2 * VERTICES * sizeof *ends), *ids = malloc(IDS * sizeof *ids);
  uint64_t *degrees = malloc(degrees_asked * sizeof *degrees);
  uint32_t *vertices = malloc(degrees_asked * sizeof *vertices);
  bool *found = malloc(IDS);
  for (uint64_t i = 0; i < 2 * VERTICES; i++) /* vertex v has v % 2 * 2 edges */
    ends[i] = i < VERTICES ? 7 * (i | 1) + 1000 : 7 * (i - VERTICES) + 1000;
  const struct qn_edge_arrays edges = {.size = sizeof edges,
                                       .num_edges = VERTICES,
                                       .id_type = QN_TYPE_U64,
                                       .sources = ends,
                                       .targets = ends + VERTICES};
  struct qn_session *graph;
  assert_int_equal(qn_import_arrays(&edges, NULL, 0, NULL, NULL, &graph, &error), QN_OK);
  for (uint64_t i = 0; i < IDS; i++)
    ids[i] = 7 * (i * 31 % VERTICES) + 1000;
  assert_int_equal(qn_session_find_numbers(graph, ids, IDS, vertices, NULL, &error), QN_OK);
  for (uint64_t i = 0; i < IDS; i++)
    assert_int_equal(vertices[i], i * 31 % VERTICES);
  ids[77777] = 3, ids[99999] = UINT64_MAX;
  assert_int_equal(qn_session_find_numbers(graph, ids, IDS, vertices, NULL, &error), QN_USAGE);
  assert_non_null(strstr(error.message, "no vertex has the id '3'"));
  assert_int_equal(qn_session_find_numbers(graph, ids, IDS, vertices, found, &error), QN_OK);
  for (uint64_t i = 0; i < IDS; i++)
    assert_true(found[i] == (i != 77777 && i != 99999) && (found[i] || vertices[i] == UINT32_MAX));
  for (uint64_t i = 0; i < degrees_asked; i++)
    vertices[i] = (uint32_t)(i % VERTICES);
  for (uint64_t count = 100; count <= degrees_asked; count += degrees_asked - 100) {
    assert_int_equal(qn_session_degrees(graph, QN_ROWS_OUT, vertices, count, degrees, &error),
                     QN_OK);
    for (uint64_t i = 0; i < count; i++)
      assert_int_equal(degrees[i], i % VERTICES % 2 * 2);
    vertices[50] = VERTICES, vertices[count - 1] = UINT32_MAX;
    assert_int_equal(qn_session_degrees(graph, QN_ROWS_OUT, vertices, count, degrees, &error),
                     QN_USAGE);
    assert_non_null(strstr(error.message, "there is not a vertex 1000 in"));
    vertices[50] = 50, vertices[count - 1] = (uint32_t)((count - 1) % VERTICES);
  }
  qn_session_close(graph);
  free(ends), free(ids), free(degrees), free(vertices), free(found);
}

TEST(texts_are_no_numbers) {
  const uint64_t offsets[] = {0, 1, 2}, id = 1;
  const struct qn_id_arrays names = {.size = sizeof names,
                                     .form = QN_ID_FORM_STRINGS,
                                     .num_vertices = 2,
                                     .offsets = offsets,
                                     .bytes = "ab"};
  const struct qn_edge_arrays edges = {
      .size = sizeof edges, .id_type = QN_TYPE_U64, .names = &names};
  const char *const texts[] = {"b"};
  struct qn_session *graph;
  uint32_t vertex;
  assert_int_equal(qn_import_arrays(&edges, NULL, 0, NULL, NULL, &graph, &error), QN_OK);
  assert_int_equal(qn_session_find_numbers(graph, &id, 1, &vertex, NULL, &error), QN_USAGE);
  assert_int_equal(qn_session_find(graph, texts, 1, &vertex, NULL, &error), QN_OK);
  assert_int_equal(vertex, 1);
  qn_session_close(graph);
}

TEST(edges_are_counted_once) {
  const struct qn_option undirected = {"undirected", NULL}, twice = {"symmetrize", NULL};
  struct qn_session *graph = imported(&undirected, 1), *other;
  uint64_t count;
  assert_int_equal(qn_session_count_edges(graph, NULL, &count, &error), QN_OK);
  assert_int_equal(count, 5);
  qn_session_close(graph);
  graph = imported(NULL, 0);
  assert_int_equal(qn_session_count_edges(graph, NULL, &count, &error), QN_OK);
  assert_int_equal(count, 5);
  assert_int_equal(qn_session_transform(graph, &twice, 1, NULL, NULL, &other, &error), QN_OK);
  for (int again = 0; again < 2; again++) {
    assert_int_equal(qn_session_count_edges(other, NULL, &count, &error), QN_OK);
    assert_int_equal(count, 5);
  }
  qn_session_close(other);
  qn_session_close(graph);
}

TEST(subgraphs) {
  const struct qn_option core = {"kcore", "1"};
  const uint32_t vertices[] = {2, 0, 2}, missing = 4;
  struct qn_session *graph = imported(NULL, 0), *part;
  struct qn_session_info info = {.size = sizeof info};
  assert_int_equal(qn_session_subgraph(graph, vertices, 3, NULL, 0, NULL, NULL, &part, &error),
                   QN_OK);
  qn_session_info(part, &info);
  assert_true(info.num_vertices == 2 && info.num_edges == 2);
  qn_session_close(part);
  assert_int_equal(qn_session_subgraph(graph, NULL, 0, NULL, 0, NULL, NULL, &part, &error), QN_OK);
  qn_session_info(part, &info);
  assert_int_equal(info.num_vertices, 0);
  qn_session_close(part);
  assert_int_equal(qn_session_subgraph(graph, &missing, 1, NULL, 0, NULL, NULL, &part, &error),
                   QN_USAGE);
  assert_int_equal(qn_session_subgraph(graph, vertices, 3, &core, 1, NULL, NULL, &part, &error),
                   QN_USAGE);
  qn_session_close(graph);
}

TEST_MAIN(NULL, NULL)
