/* Samplers: batches against the graph, what is refused, and files that are cut meanwhile. */
#include "helpers/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <quern/quern.h>

#define V 1000
#define E 20000

static struct qn_error error;

static struct qn_session *graph_of(const char *path) {
  static uint32_t sources[E], targets[E];
  uint64_t state = 1;
  for (uint64_t e = 0; e < E; e++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    sources[e] = (uint32_t)(state >> 33) % V;
    targets[e] = (uint32_t)(state >> 13) % (e % 3 ? V : 10);
  }
  const struct qn_edge_arrays edges = {.size = sizeof edges,
                                       .num_edges = E,
                                       .id_type = QN_TYPE_U32,
                                       .sources = sources,
                                       .targets = targets,
                                       .has_num_vertices = true,
                                       .num_vertices = V};
  const struct qn_option force = {"force", "yes"};
  struct qn_session *session;
  assert_int_equal(qn_import_arrays(&edges, &force, 1, path, NULL, &session, &error), QN_OK);
  return session;
}

static enum qn_status make(struct qn_session *session, enum qn_rows rows, const int64_t *fanouts,
                           uint32_t num_hops, uint32_t flags, struct qn_sampler **sampler) {
  const uint64_t num_vertices = V;
  const struct qn_sampler_edges edges = {
      .size = sizeof edges, .session = session, .rows = rows, .fanouts = fanouts};
  const struct qn_sampler_shape shape = {.size = sizeof shape,
                                         .num_vertex_types = 1,
                                         .num_edge_types = 1,
                                         .num_vertices = &num_vertices,
                                         .edges = &edges,
                                         .num_hops = num_hops,
                                         .flags = flags,
                                         .seed = 7};
  return qn_sampler_create(&shape, NULL, sampler, &error);
}

static enum qn_status sample(struct qn_sampler *sampler, enum qn_sample_kind kind,
                             const int64_t *vertices, uint64_t count, struct qn_batch **batch) {
  const struct qn_seeds seeds = {.size = sizeof seeds, .count = count, .vertices = vertices};
  const struct qn_batch_seeds asked = {.size = sizeof asked, .number = 5, .seeds = &seeds};
  return qn_sampler_sample(sampler, kind, &asked, 1, NULL, batch, &error);
}

/* Every edge of the batch has the number of one of the graph between the same vertices. */
static void check_batch(struct qn_session *session, const struct qn_batch *batch,
                        enum qn_rows rows) {
  struct qn_batch_vertices vertices = {.size = sizeof vertices};
  struct qn_batch_edges edges = {.size = sizeof edges};
  struct qn_edge_rows graph = {.size = sizeof graph};
  assert_int_equal(qn_batch_vertices(batch, 0, &vertices, &error), QN_OK);
  assert_int_equal(qn_batch_edges(batch, 0, &edges, &error), QN_OK);
  assert_int_equal(qn_session_out_edges(session, NULL, &graph, &error), QN_OK);
  for (uint64_t i = 0; i < edges.count; i++) {
    const int64_t center = vertices.vertices[edges.centers[i]];
    const int64_t neighbor = vertices.vertices[edges.neighbors[i]];
    const int64_t source = rows == QN_ROWS_OUT ? center : neighbor;
    const int64_t target = rows == QN_ROWS_OUT ? neighbor : center;
    const uint64_t number = (uint64_t)edges.numbers[i];
    assert_in_range(number, graph.row_offsets[source], graph.row_offsets[source + 1] - 1);
    assert_int_equal(graph.column_indices[number], target);
  }
  assert_int_equal(qn_batch_vertices(batch, 1, &vertices, &error), QN_USAGE);
  assert_int_equal(qn_batch_edges(batch, 1, &edges, &error), QN_USAGE);
}

TEST(batches_are_of_the_graph) {
  static const int64_t fanouts[] = {3, -1, 40}, seeds[] = {5, 999, 5, 0};
  struct qn_session *session = graph_of(NULL);
  struct qn_sampler *sampler;
  struct qn_batch *batch;
  for (int flags = 0; flags < 4; flags++) {
    for (enum qn_rows rows = QN_ROWS_OUT; rows <= QN_ROWS_IN; rows++) {
      assert_int_equal(
          make(session, rows, fanouts, 3, (unsigned)flags | QN_SAMPLER_NUMBERS, &sampler), QN_OK);
      for (enum qn_sample_kind kind = QN_SAMPLE_NEIGHBORS; kind <= QN_SAMPLE_INDUCED; kind++) {
        assert_int_equal(sample(sampler, kind, seeds, 4, &batch), QN_OK);
        check_batch(session, batch, rows);
        qn_batch_close(batch);
      }
      qn_sampler_close(sampler);
    }
  }
  qn_session_close(session);
}

TEST(a_batch_outlives_its_sampler_and_its_session) {
  static const int64_t fanouts[] = {2}, seeds[] = {1, 2, 3};
  struct qn_session *session = graph_of(NULL);
  struct qn_batch_vertices vertices = {.size = sizeof vertices};
  struct qn_sampler *sampler;
  struct qn_batch *batch;
  assert_int_equal(make(session, QN_ROWS_IN, fanouts, 1, 0, &sampler), QN_OK);
  qn_session_close(session);
  assert_int_equal(sample(sampler, QN_SAMPLE_NEIGHBORS, seeds, 3, &batch), QN_OK);
  qn_sampler_close(sampler);
  assert_int_equal(qn_batch_vertices(batch, 0, &vertices, &error), QN_OK);
  assert_int_equal(vertices.vertices[1], 2);
  assert_int_equal(vertices.hops[0], 3);
  assert_null(vertices.trees);
  qn_batch_close(batch);
}

TEST(what_cannot_be_is_refused) {
  static const int64_t few[] = {-2}, many[] = {(int64_t)1 << 32}, right[] = {2};
  static const int64_t negative[] = {-1}, none[] = {V};
  struct qn_session *session = graph_of(NULL);
  struct qn_sampler *sampler;
  struct qn_batch *batch;
  int64_t found[4];
  assert_int_equal(make(session, QN_ROWS_IN, few, 1, 0, &sampler), QN_USAGE);
  assert_non_null(strstr(error.message, "a fan-out of -2"));
  assert_null(sampler);
  assert_int_equal(make(session, QN_ROWS_IN, many, 1, 0, &sampler), QN_USAGE);
  assert_int_equal(make(session, (enum qn_rows)2, right, 1, 0, &sampler), QN_USAGE);
  assert_int_equal(make(session, QN_ROWS_IN, right, 256, 0, &sampler), QN_USAGE);
  assert_int_equal(make(session, QN_ROWS_IN, right, 1, 8, &sampler), QN_USAGE);
  assert_int_equal(make(session, QN_ROWS_OUT, right, 1, 0, &sampler), QN_OK);
  assert_int_equal(sample(sampler, QN_SAMPLE_NEIGHBORS, negative, 1, &batch), QN_USAGE);
  assert_non_null(strstr(error.message, "there is not a vertex -1 among 1000"));
  assert_null(batch);
  assert_int_equal(sample(sampler, QN_SAMPLE_INDUCED, none, 1, &batch), QN_USAGE);
  assert_int_equal(sample(sampler, (enum qn_sample_kind)2, right, 1, &batch), QN_USAGE);
  struct qn_walks walks = {.size = sizeof walks, .count = 1, .starts = none, .length = 3};
  assert_int_equal(qn_sampler_walk(sampler, &walks, NULL, found, &error), QN_USAGE);
  walks.starts = right;
  walks.restart = 1.5;
  assert_int_equal(qn_sampler_walk(sampler, &walks, NULL, found, &error), QN_USAGE);
  walks.restart = 0;
  walks.p = -1;
  assert_int_equal(qn_sampler_walk(sampler, &walks, NULL, found, &error), QN_USAGE);
  assert_int_equal(qn_sampler_non_edges(sampler, 1, 0, NULL, 1, NULL, found, found, &error),
                   QN_USAGE);
  assert_int_equal(qn_sampler_non_edges(sampler, 0, 0, none, 1, NULL, found, found, &error),
                   QN_USAGE);
  qn_sampler_close(sampler);
  qn_session_close(session);
}

TEST(types_are_ranges_of_a_graph) {
  static const int64_t fanouts[] = {5}, seeds[] = {3};
  const uint64_t sizes[] = {400, 600};
  struct qn_session *session = graph_of(NULL);
  struct qn_sampler_edges edges = {.size = sizeof edges,
                                   .session = session,
                                   .rows = QN_ROWS_OUT,
                                   .center_type = 1,
                                   .first_center = 401,
                                   .fanouts = fanouts};
  const struct qn_sampler_shape shape = {.size = sizeof shape,
                                         .num_vertex_types = 2,
                                         .num_edge_types = 1,
                                         .num_vertices = sizes,
                                         .edges = &edges,
                                         .num_hops = 1};
  const struct qn_seeds of_types[] = {{.size = sizeof *of_types},
                                      {.size = sizeof *of_types, .count = 1, .vertices = seeds}};
  const struct qn_batch_seeds asked = {.size = sizeof asked, .seeds = of_types};
  struct qn_sampler *sampler;
  struct qn_batch *batch;
  assert_int_equal(qn_sampler_create(&shape, NULL, &sampler, &error), QN_USAGE);
  assert_non_null(strstr(error.message, "600 vertices, from 401 on"));
  edges.first_center = 400;
  assert_int_equal(qn_sampler_create(&shape, NULL, &sampler, &error), QN_OK);
  /* Vertex 403 has edges to vertices beyond 400, which are not of the type. */
  assert_int_equal(qn_sampler_sample(sampler, QN_SAMPLE_NEIGHBORS, &asked, 1, NULL, &batch, &error),
                   QN_INVALID);
  qn_sampler_close(sampler);
  qn_session_close(session);
}

/* The file loses its end while a sampler has it: an error of the batch, and no signal. */
TEST(a_file_that_is_cut_is_an_error) {
  static const int64_t fanouts[] = {-1, -1}, seeds[] = {999, 1};
  int64_t walk[100];
  struct qn_session *session = graph_of("cut.qrn");
  struct qn_walks walks = {.size = sizeof walks, .count = 1, .starts = seeds, .length = 99};
  struct qn_sampler *sampler;
  struct qn_batch *batch;
  assert_int_equal(make(session, QN_ROWS_OUT, fanouts, 2, 0, &sampler), QN_OK);
  assert_int_equal(sample(sampler, QN_SAMPLE_NEIGHBORS, seeds, 2, &batch), QN_OK);
  qn_batch_close(batch);
  assert_int_equal(truncate("cut.qrn", 4096), 0);
  for (int again = 0; again < 2; again++) {
    assert_int_equal(sample(sampler, QN_SAMPLE_NEIGHBORS, seeds, 2, &batch), QN_SYSTEM);
    assert_non_null(strstr(error.message, "while it was in use"));
    assert_int_equal(sample(sampler, QN_SAMPLE_INDUCED, seeds, 2, &batch), QN_SYSTEM);
    assert_int_equal(qn_sampler_walk(sampler, &walks, NULL, walk, &error), QN_SYSTEM);
    assert_int_equal(qn_sampler_non_edges(sampler, 0, 0, NULL, 9, NULL, walk, walk + 9, &error),
                     QN_SYSTEM);
  }
  qn_sampler_close(sampler);
  qn_session_close(session);
}

TEST_MAIN(NULL, NULL)
