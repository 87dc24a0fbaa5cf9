/* The stable interface: what goes in comes out, what is wrong is said, nothing is left behind. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/scratch.h"
#include "helpers/test.h"
#include "support/memory.h"
#include <quern/quern.h>

static struct qn_error error;

/* A graph with loops, parallel edges, a hub, gaps among its ids and a vertex of 2^32 - 1. */
enum { EDGES = 4000 };
static uint64_t sources[EDGES], targets[EDGES];
static uint32_t weights[EDGES];

static void make_edges(void) {
  uint64_t x = 88172645463325252u;
  for (int i = 0; i < EDGES; i++) {
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    sources[i] = i % 3 ? x % 701 * 2 : 4;
    targets[i] = i % 97 ? (x >> 32) % 701 * 2 : sources[i];
    weights[i] = (uint32_t)(x >> 40) % 100;
  }
  targets[7] = UINT32_MAX;
}

static struct qn_edge_arrays arrays(bool weighted) {
  return (struct qn_edge_arrays){.size = sizeof(struct qn_edge_arrays),
                                 .num_edges = EDGES,
                                 .id_type = QN_TYPE_U64,
                                 .sources = sources,
                                 .targets = targets,
                                 .weight_type = weighted ? QN_TYPE_U32 : QN_TYPE_NONE,
                                 .weights = weighted ? weights : NULL};
}

static struct qn_session *imported(bool weighted, const struct qn_option *options, uint64_t count) {
  struct qn_edge_arrays edges = arrays(weighted);
  struct qn_session *session;
  enum qn_status status = qn_import_arrays(&edges, options, count, NULL, NULL, &session, &error);
  if (status)
    fail_msg("%s", error.message);
  return session;
}

static struct qn_session_info info_of(const struct qn_session *session) {
  struct qn_session_info info = {.size = sizeof info};
  qn_session_info(session, &info);
  return info;
}

/* ---- Arrays in, arrays out -------------------------------------------------- */

static int compare_edges(const void *a, const void *b) {
  return memcmp(a, b, 3 * sizeof(uint64_t));
}

/* Ends and weights as big-endian numbers, so that bytes sort as they do. */
static void note_edge(uint64_t (*edges)[3], uint64_t i, uint64_t source, uint64_t target,
                      uint64_t weight) {
  edges[i][0] = __builtin_bswap64(source);
  edges[i][1] = __builtin_bswap64(target);
  edges[i][2] = __builtin_bswap64(weight);
}

TEST(edges_come_back) {
  static uint64_t in[EDGES][3], out[EDGES][3];
  struct qn_session *session = imported(true, NULL, 0);
  struct qn_edge_rows rows = {.size = sizeof rows}, reversed = {.size = sizeof reversed};
  struct qn_id_arrays ids = {.size = sizeof ids};
  assert_int_equal(qn_session_out_edges(session, NULL, &rows, &error), QN_OK);
  assert_int_equal(qn_session_in_edges(session, NULL, &reversed, &error), QN_OK);
  assert_int_equal(qn_session_ids(session, &ids, &error), QN_OK);
  assert_int_equal(ids.form, QN_ID_FORM_NUMBERS);
  assert_int_equal(rows.num_edges, EDGES);
  assert_int_equal(rows.weight_type, QN_TYPE_U32);
  assert_true(rows.mapped);
  assert_false(reversed.mapped);
  for (int direction = 0; direction < 2; direction++) {
    const struct qn_edge_rows *from = direction ? &reversed : &rows;
    for (uint64_t v = 0; v < from->num_vertices; v++)
      for (uint64_t e = from->row_offsets[v]; e < from->row_offsets[v + 1]; e++) {
        uint64_t row = ids.numbers[v], column = ids.numbers[from->column_indices[e]];
        note_edge(out, e, direction ? column : row, direction ? row : column,
                  ((const uint32_t *)from->weights)[e]);
      }
    for (int i = 0; i < EDGES; i++)
      note_edge(in, (uint64_t)i, sources[i], targets[i], weights[i]);
    qsort(in, EDGES, sizeof in[0], compare_edges);
    qsort(out, EDGES, sizeof out[0], compare_edges);
    assert_memory_equal(in, out, sizeof in);
  }
  assert_int_equal(qn_session_verify(session, QN_VERIFY_ALL, NULL, &error), QN_OK);
  qn_session_close(session);
}

TEST(what_it_is) {
  struct qn_session *session = imported(false, NULL, 0);
  struct qn_session_info info = info_of(session);
  struct qn_section_array section = {.size = sizeof section};
  const char *texts[] = {"4294967295", "4", "5"};
  uint32_t vertices[3];
  bool found[3];
  char *json;
  assert_string_equal(info.layout, "graph");
  assert_true(info.directed && info.in_memory);
  assert_int_equal(info.weight_type, QN_TYPE_NONE);
  assert_int_equal(qn_session_section_named(session, "column_indices", &section, &error), QN_OK);
  assert_int_equal(section.type, QN_TYPE_U32);
  assert_int_equal(section.count, EDGES);
  assert_int_equal((uintptr_t)section.data % 64, 0);
  assert_int_equal(qn_session_section(session, info.num_sections, &section, &error), QN_USAGE);
  assert_int_equal(qn_session_section_named(session, "none", &section, &error), QN_USAGE);
  assert_int_equal(qn_session_find(session, texts, 3, vertices, found, &error), QN_OK);
  assert_true(found[0] && found[1] && !found[2]);
  assert_int_equal(vertices[0], info.num_vertices - 1);
  assert_int_equal(vertices[2], UINT32_MAX);
  assert_int_equal(qn_session_find(session, texts, 3, vertices, NULL, &error), QN_USAGE);
  assert_int_equal(qn_session_describe(session, &json, &error), QN_OK);
  assert_non_null(strstr(json, "\"tool\":\"libquern\""));
  qn_text_free(json);
  qn_session_close(session);
}

/* A caller that was compiled with less of a struct gets no more than it knows. */
TEST(old_callers) {
  struct qn_session *session = imported(false, NULL, 0);
  struct qn_session_info info;
  memset(&info, 0xAA, sizeof info);
  info.size = offsetof(struct qn_session_info, num_edges);
  qn_session_info(session, &info);
  assert_int_equal(info.num_vertices, info_of(session).num_vertices);
  assert_int_equal(info.num_edges, UINT64_C(0xAAAAAAAAAAAAAAAA));
  qn_session_close(session);
}

/* ---- Files ------------------------------------------------------------------ */

TEST(files_and_archives) {
  const struct qn_option force = {"force", NULL}, archive[] = {{"archive", NULL}, {"level", "1"}};
  struct qn_edge_arrays edges = arrays(true);
  struct qn_session *session, *packed;
  assert_int_equal(qn_import_arrays(&edges, NULL, 0, "a.qrn", NULL, &session, &error), QN_OK);
  assert_false(info_of(session).in_memory);
  assert_int_equal(qn_import_arrays(&edges, NULL, 0, "a.qrn", NULL, NULL, &error), QN_USAGE);
  assert_non_null(strstr(error.message, "exists"));
  assert_int_equal(qn_session_save(session, &force, 1, "a.qrn", NULL, &error), QN_USAGE);
  assert_int_equal(qn_session_save(session, archive, 2, "a.arc.qrn", NULL, &error), QN_OK);
  assert_int_equal(qn_session_open("a.arc.qrn", QN_OPEN_VERIFY, NULL, &packed, &error), QN_OK);
  assert_true(info_of(packed).identity == info_of(session).identity);
  assert_int_equal(qn_session_save(packed, NULL, 0, "b.qrn", NULL, &error), QN_OK);
  qn_session_close(packed);
  qn_session_close(session);
  assert_int_equal(qn_import_arrays(&edges, &force, 1, "a.qrn", NULL, NULL, &error), QN_OK);
}

TEST(damage_is_found) {
  struct qn_edge_arrays edges = arrays(false);
  struct qn_session *session;
  struct qn_result *result;
  struct qn_section_array section = {.size = sizeof section};
  assert_int_equal(qn_import_arrays(&edges, NULL, 0, "c.qrn", NULL, &session, &error), QN_OK);
  assert_int_equal(qn_session_section_named(session, "column_indices", &section, &error), QN_OK);
  struct qn_section_array first = {.size = sizeof first};
  assert_int_equal(qn_session_section_named(session, "row_offsets", &first, &error), QN_OK);
  long place = 4096 + (long)((const char *)section.data - (const char *)first.data);
  qn_session_close(session);
  FILE *file = fopen("c.qrn", "r+");
  fseek(file, place, SEEK_SET);
  fputc(77, file);
  fclose(file);
  assert_int_equal(qn_session_open("c.qrn", 0, NULL, &session, &error), QN_OK);
  assert_int_equal(qn_session_run(session, "bfs", NULL, 0, NULL, &result, &error), QN_INVALID);
  assert_null(result);
  assert_non_null(strstr(error.message, "column_indices"));
  assert_int_equal(qn_session_verify(session, QN_VERIFY_ALL, NULL, &error), QN_INVALID);
  assert_int_equal(qn_session_export(session, "edges", NULL, 0, "c.txt", NULL, &error), QN_INVALID);
  assert_int_equal(access("c.txt", F_OK), -1);
  qn_session_close(session);
  assert_int_equal(qn_session_open("c.qrn", QN_OPEN_VERIFY, NULL, &session, &error), QN_INVALID);
  assert_null(session);
}

/* ---- Layouts, transformations, formats --------------------------------------- */

TEST(layouts_and_back) {
  static const char *const layouts[] = {"blocked-csr", "edge-partitions", "hybrid",
                                        "packed",      "shards",          "slotted-pages"};
  struct qn_session *graph = imported(true, NULL, 0), *built, *back;
  for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
    struct qn_edge_rows a = {.size = sizeof a}, b = {.size = sizeof b};
    if (qn_session_build(graph, layouts[i], NULL, 0, NULL, NULL, &built, &error))
      fail_msg("%s: %s", layouts[i], error.message);
    assert_string_equal(info_of(built).layout, layouts[i]);
    assert_int_equal(qn_session_verify(built, QN_VERIFY_ALL, NULL, &error), QN_OK);
    assert_int_equal(qn_session_out_edges(graph, NULL, &a, &error), QN_OK);
    assert_int_equal(qn_session_out_edges(built, NULL, &b, &error), QN_OK);
    assert_memory_equal(a.row_offsets, b.row_offsets, 8 * (a.num_vertices + 1));
    assert_memory_equal(a.column_indices, b.column_indices, 4 * a.num_edges);
    assert_memory_equal(a.weights, b.weights, 4 * a.num_edges);
    assert_int_equal(qn_session_transform(built, NULL, 0, NULL, NULL, &back, &error), QN_OK);
    assert_int_equal(info_of(back).num_edges, EDGES);
    qn_session_close(back);
    qn_session_close(built);
  }
  const struct qn_option wrong[] = {{"block-vertices", "7"}, {"l2-bytes", "1M"}};
  assert_int_equal(qn_session_build(graph, "blocked-csr", wrong, 2, NULL, NULL, &built, &error),
                   QN_USAGE);
  assert_int_equal(qn_session_build(graph, "block-csr", NULL, 0, NULL, NULL, &built, &error),
                   QN_USAGE);
  assert_non_null(strstr(error.message, "did you mean 'blocked-csr'?"));
  assert_int_equal(qn_session_build(graph, "hybrid", NULL, 0, NULL, NULL, NULL, &error), QN_USAGE);
  qn_session_close(graph);
}

TEST(formats_and_back) {
  const struct qn_option symmetrize[] = {{"symmetrize", NULL}, {"remove-duplicates", "yes"}};
  const char *path = "g.txt";
  struct qn_session *graph = imported(true, NULL, 0), *undirected, *back;
  assert_int_equal(qn_session_transform(graph, symmetrize, 2, NULL, NULL, &undirected, &error),
                   QN_OK);
  assert_false(info_of(undirected).directed);
  assert_int_equal(qn_session_export(graph, "edges", NULL, 0, path, NULL, &error), QN_OK);
  assert_int_equal(qn_import_files(&path, 1, NULL, 0, NULL, NULL, &back, &error), QN_OK);
  assert_int_equal(info_of(back).num_vertices, info_of(graph).num_vertices);
  assert_int_equal(info_of(back).num_edges, EDGES);
  qn_session_close(back);
  assert_int_equal(qn_session_export(graph, "none", NULL, 0, "h.txt", NULL, &error), QN_USAGE);
  assert_int_equal(qn_session_export(graph, "edges", NULL, 0, path, NULL, &error), QN_USAGE);
  assert_int_equal(qn_session_export(graph, "edges", NULL, 0, "-", NULL, &error), QN_OK);
  assert_int_equal(access("./-", F_OK), 0);
  for (int list = QN_LIST_ALGORITHMS; list <= QN_LIST_OPTIONS; list++) {
    char *json;
    assert_int_equal(qn_list((enum qn_list)list, &json, &error), QN_OK);
    assert_int_equal(json[0], '{');
    qn_text_free(json);
  }
  qn_session_close(undirected);
  qn_session_close(graph);
}

/* With little memory the same comes out, by way of temporary files. */
TEST(little_memory) {
  const struct qn_job little = {
      .size = sizeof little, .threads = 1, .memory = 16 << 20, .tmpdir = "."};
  const struct qn_option steps[] = {{"transpose", NULL}, {"in-edges", "also"}};
  struct qn_session *graph = imported(true, NULL, 0), *a, *b;
  struct qn_edge_arrays edges = arrays(true);
  assert_int_equal(qn_import_arrays(&edges, NULL, 0, NULL, &little, &a, &error), QN_OK);
  assert_true(info_of(a).identity == info_of(graph).identity);
  qn_session_close(a);
  assert_int_equal(qn_session_transform(graph, steps, 2, NULL, &little, &a, &error), QN_OK);
  assert_int_equal(qn_session_transform(graph, steps, 2, NULL, NULL, &b, &error), QN_OK);
  assert_true(info_of(a).identity == info_of(b).identity);
  qn_session_close(a);
  qn_session_close(b);
  assert_int_equal(qn_session_build(graph, "shards", NULL, 0, NULL, &little, &a, &error), QN_OK);
  qn_session_close(a);
  qn_session_close(graph);
}

/* ---- Runs -------------------------------------------------------------------- */

TEST(results_are_by_vertex) {
  const struct qn_option options[] = {{"source", "4"}, {"device", "cpu"}};
  const struct qn_option undirected[] = {{"undirected", NULL}};
  struct qn_session *graph = imported(false, NULL, 0);
  struct qn_result *result;
  struct qn_result_info info = {.size = sizeof info};
  struct qn_result_column column = {.size = sizeof column};
  struct qn_edge_rows rows = {.size = sizeof rows};
  uint32_t source;
  const char *four = "4";
  char *json;
  assert_int_equal(qn_session_find(graph, &four, 1, &source, NULL, &error), QN_OK);
  assert_int_equal(qn_session_run(graph, "bfs", options, 2, NULL, &result, &error), QN_OK);
  qn_result_info(result, &info);
  assert_int_equal(info.num_sources, 1);
  assert_int_equal(info.sources[0], source);
  assert_int_equal(info.num_columns, 1);
  assert_int_equal(qn_result_column(result, 0, &column, &error), QN_OK);
  assert_int_equal(qn_session_out_edges(graph, NULL, &rows, &error), QN_OK);
  uint64_t bytes = column.count * qn_type_bytes(column.type);
  uint32_t *levels = malloc(bytes);
  assert_int_equal(qn_result_copy(result, 0, levels, bytes - 1, &error), QN_USAGE);
  assert_int_equal(qn_result_copy(result, 1, levels, bytes, &error), QN_USAGE);
  assert_int_equal(qn_result_copy(result, 0, levels, bytes, &error), QN_OK);
  assert_int_equal(levels[source], 0);
  for (uint64_t v = 0; v < rows.num_vertices; v++)
    for (uint64_t e = rows.row_offsets[v]; e < rows.row_offsets[v + 1]; e++)
      if (levels[v] != UINT32_MAX)
        assert_true(levels[rows.column_indices[e]] <= levels[v] + 1);
  free(levels);
  qn_session_close(graph); /* the result keeps what it needs */
  assert_int_equal(qn_result_summary(result, &json, &error), QN_OK);
  assert_non_null(strstr(json, "\"reached\""));
  qn_text_free(json);
  qn_result_close(result);

  graph = imported(false, undirected, 1);
  assert_int_equal(qn_session_run(graph, "cc", NULL, 0, NULL, &result, &error), QN_OK);
  assert_int_equal(qn_result_column(result, 0, &column, &error), QN_OK);
  assert_true(column.is_vertex);
  for (uint64_t v = 0; v < column.count; v++)
    assert_true(((const uint32_t *)column.data)[v] < column.count);
  qn_result_close(result);
  assert_int_equal(qn_session_run(graph, "tc", NULL, 0, NULL, &result, &error), QN_OK);
  qn_result_info(result, &info);
  assert_string_equal(info.count_of, "triangles");
  assert_int_equal(info.num_columns, 0);
  assert_int_equal(qn_result_column(result, 0, &column, &error), QN_USAGE);
  qn_result_close(result);
  qn_session_close(graph);
}

TEST(refusals) {
  struct qn_session *graph = imported(false, NULL, 0), *none;
  struct qn_result *result;
  struct qn_edge_arrays edges = arrays(true);
  const struct qn_option bad[] = {
      {"damping", "x"}, {"demping", "1"}, {NULL, "1"}, {"device", "gpu"}, {"damping", NULL}};
  int64_t negative[] = {0, -1};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_int_equal(qn_session_run(graph, "pagerank", &bad[i], 1, NULL, &result, &error),
                     QN_USAGE);
    assert_null(result);
  }
  assert_int_equal(qn_session_run(graph, "pagerank", &bad[1], 1, NULL, &result, &error), QN_USAGE);
  assert_non_null(strstr(error.message, "did you mean 'damping'?"));
  assert_int_equal(qn_session_run(graph, "bfs", bad, 1, NULL, &result, NULL), QN_USAGE);
  assert_int_equal(qn_session_run(graph, "lcc2", NULL, 0, NULL, &result, &error), QN_USAGE);
  assert_int_equal(qn_session_open("none.qrn", 0, NULL, &none, &error), QN_SYSTEM);
  assert_null(none);
  assert_int_equal(qn_session_open("none.qrn", 64, NULL, &none, &error), QN_USAGE);
  assert_int_equal(qn_session_open("none.qrn", QN_OPEN_VERIFY | QN_OPEN_TRUST, NULL, &none, &error),
                   QN_USAGE);
  edges.sources = negative, edges.targets = negative, edges.num_edges = 2;
  edges.id_type = QN_TYPE_I64;
  assert_int_equal(qn_import_arrays(&edges, NULL, 0, NULL, NULL, &none, &error), QN_INVALID);
  assert_non_null(strstr(error.message, "edge 1"));
  edges.id_type = QN_TYPE_F32;
  assert_int_equal(qn_import_arrays(&edges, NULL, 0, NULL, NULL, &none, &error), QN_USAGE);
  edges = arrays(false);
  edges.has_num_vertices = true;
  edges.num_vertices = 5;
  assert_int_equal(qn_import_arrays(&edges, NULL, 0, NULL, NULL, &none, &error), QN_INVALID);
  assert_int_equal(qn_import_arrays(&edges, NULL, 0, NULL, NULL, NULL, &error), QN_USAGE);
  assert_int_equal(qn_import_files(NULL, 0, NULL, 0, NULL, NULL, &none, &error), QN_USAGE);
  assert_int_equal(qn_list((enum qn_list)0, (char **)&none, &error), QN_USAGE);
  qn_session_close(graph);
  qn_session_close(NULL);
  qn_result_close(NULL);
  qn_text_free(NULL);
}

TEST(empty_graphs) {
  struct qn_edge_arrays none = {
      .size = sizeof none, .id_type = QN_TYPE_U32, .has_num_vertices = true};
  for (none.num_vertices = 0; none.num_vertices < 3; none.num_vertices++) {
    struct qn_session *graph, *built;
    struct qn_result *result;
    struct qn_edge_rows rows = {.size = sizeof rows};
    assert_int_equal(qn_import_arrays(&none, NULL, 0, NULL, NULL, &graph, &error), QN_OK);
    assert_int_equal(info_of(graph).num_vertices, none.num_vertices);
    assert_int_equal(qn_session_in_edges(graph, NULL, &rows, &error), QN_OK);
    assert_int_equal(rows.num_edges, 0);
    assert_int_equal(qn_session_run(graph, "pagerank", NULL, 0, NULL, &result, &error), QN_OK);
    qn_result_close(result);
    assert_int_equal(qn_session_build(graph, "slotted-pages", NULL, 0, NULL, NULL, &built, &error),
                     QN_OK);
    qn_session_close(built);
    qn_session_close(graph);
  }
}

/* ---- Memory ------------------------------------------------------------------ */

/* All that a program may do, until something fails. */
static enum qn_status do_much(void) {
  const struct qn_option force = {"force", NULL};
  const struct qn_job job = {.size = sizeof job, .threads = 1};
  struct qn_edge_arrays edges = arrays(true);
  struct qn_edge_rows rows = {.size = sizeof rows};
  struct qn_session *session = NULL, *built = NULL;
  struct qn_result *result = NULL;
  enum qn_status status = qn_import_arrays(&edges, &force, 1, "m.qrn", &job, &session, &error);
  if (!status)
    status = qn_session_in_edges(session, &job, &rows, &error);
  if (!status)
    status = qn_session_build(session, "hybrid", NULL, 0, NULL, &job, &built, &error);
  if (!status)
    status = qn_session_run(built, "sssp", NULL, 0, &job, &result, &error);
  if (!status)
    status = qn_session_export(built, "csv", &force, 1, "m.csv", &job, &error);
  qn_result_close(result);
  qn_session_close(built);
  qn_session_close(session);
  return status;
}

TEST(every_allocation_may_fail) {
  enum qn_status status = do_much(); /* a thread of the library's stays */
  uint64_t live = qn_memory_live(), n = 0;
  assert_int_equal(status, QN_OK);
  do {
    qn_memory_fail_nth(++n);
    status = do_much();
    assert_true(status == QN_OK || status == QN_SYSTEM);
    assert_int_equal(qn_memory_live(), live);
  } while (status || n < 20); /* some are taken where less does, too */
  qn_memory_fail_nth(0);
  assert_true(n > 50);
}

int main(void) {
  make_edges();
  setenv("QUERN_NO_SYNC", "1", 1);
  return run_listed_tests(NULL, NULL);
}
