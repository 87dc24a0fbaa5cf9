/* Rows of sets where they lie, and their edges as text, against the edges that sets were made of:
 * plain and packed blocks, of either direction. */
#include <stdlib.h>

#include "converters/distributed/distributed.h"
#include "converters/export/wide.h"
#include "formats/wide/rows.h"
#include "helpers/random_numbers.h"
#include "helpers/scratch.h"
#include "helpers/test.h"
#include "partitioner/builders.h"
#include "support/ranks/collective.h"
#include <quern/metadata.h>

enum { EDGES = 4000, MOST_VERTICES = 5000 };

struct edge {
  uint64_t ends[2];
  uint32_t weight;
};

static struct edge edges[EDGES];

static enum qn_status no_metadata(void *context, struct qn_writer *writer, struct qn_error *error) {
  (void)context;
  json_t *json = json_object();
  enum qn_status status = qn_writer_metadata(writer, json, error);
  json_decref(json);
  return status;
}

static enum qn_status pack(void *user, struct qn_container *part, const char *path,
                           struct qn_container **out, struct qn_error *error) {
  union qn_builder_options options;
  const struct qn_builder builder = qn_builder_with(qn_builder_find(QN_LAYOUT_PACKED), &options);
  struct qn_source source = {0};
  enum qn_status status = qn_source_view(part, &source, error);
  (void)user;
  if (!status)
    status = qn_builder_run(&builder, &source, path, false, out, error);
  qn_source_close(&source);
  return status;
}

/* Ids are 7 v + 3. */
static uint64_t id_of(uint64_t vertex) {
  return 7 * vertex + 3;
}

static void make(const struct qn_build *build, const struct qn_set_options *options, bool packed,
                 char *path) {
  struct qn_edge_list *list;
  struct qn_edge_stream stream;
  struct qn_set *set;
  struct qn_ledger ledger = {.records = EDGES};
  assert_int_equal(qn_edge_list_create(&list, NULL), QN_OK);
  qn_edge_stream_open(&stream, list, 0);
  for (unsigned e = 0; e < EDGES; e++)
    qn_edge_push_u32(&stream, id_of(edges[e].ends[0]), id_of(edges[e].ends[1]), edges[e].weight);
  assert_int_equal(qn_edge_stream_close(&stream, NULL), QN_OK);
  strcpy(path, scratch_path("plain"));
  const struct qn_distributed_job job = {.ranks = &qn_collective_alone,
                                         .list = list,
                                         .build = build,
                                         .set = options,
                                         .path = path,
                                         .replace = true,
                                         .write_metadata = no_metadata,
                                         .context = &ledger};
  assert_int_equal(qn_distributed(&job, &ledger, &set, NULL), QN_OK);
  qn_set_close(set);
  qn_edge_list_destroy(list);
  if (!packed)
    return;
  assert_int_equal(qn_set_rebuild(path, QN_LAYOUT_PACKED, pack, NULL, "test",
                                  scratch_path("packed"), true, &set, NULL),
                   QN_OK);
  qn_set_close(set);
  strcpy(path, scratch_path("packed"));
}

static int compare_edges(const void *a, const void *b) {
  return memcmp(a, b, sizeof(struct edge));
}

/* The edges that are listed, by numbers whose bytes compare as they do. */
static uint64_t expected(bool both, struct edge *out) {
  uint64_t count = 0;
  for (unsigned e = 0; e < EDGES; e++) {
    out[count++] = edges[e];
    if (both && edges[e].ends[0] != edges[e].ends[1])
      out[count++] = (struct edge){{edges[e].ends[1], edges[e].ends[0]}, edges[e].weight};
  }
  qsort(out, count, sizeof *out, compare_edges);
  return count;
}

static void check_text(const char *path, bool undirected, const struct edge *wanted,
                       uint64_t count) {
  static struct edge found[2 * EDGES];
  struct qn_export_options options;
  struct qn_export_report report = {0};
  unsigned long long ends[2], weight;
  uint64_t num = 0;
  qn_export_options_begin(&options);
  options.write.both_directions = undirected;
  options.replace = true;
  char text[512];
  strcpy(text, scratch_path("edges.txt"));
  options.path = text;
  assert_int_equal(qn_export_wide(&options, path, &report, NULL), QN_OK);
  assert_int_equal(report.edges, count);
  FILE *file = fopen(text, "r");
  while (fscanf(file, "%llu\t%llu\t%llu\n", &ends[0], &ends[1], &weight) == 3)
    found[num++] = (struct edge){{(ends[0] - 3) / 7, (ends[1] - 3) / 7}, (uint32_t)weight};
  fclose(file);
  assert_int_equal(num, count);
  qsort(found, num, sizeof *found, compare_edges);
  assert_memory_equal(found, wanted, num * sizeof *found);
}

static void check_rows(const char *path, const struct edge *wanted, uint64_t count) {
  struct qn_wide *wide;
  struct qn_wide_row row;
  struct qn_error error;
  assert_int_equal(qn_wide_open(path, QN_SET_CHECK_FILE, &wide, NULL), QN_OK);
  for (unsigned i = 0; i < 8; i++) {
    const uint64_t vertex = edges[random_below(EDGES)].ends[i % 2];
    for (unsigned into = 0; into < 2; into++) {
      uint64_t num = 0, sum = 0, of_row = 0, v;
      char id[32];
      snprintf(id, sizeof id, "%llu", (unsigned long long)id_of(vertex));
      assert_int_equal(qn_wide_find(wide, id, &v, NULL), QN_OK);
      assert_int_equal(qn_wide_row(wide, v, into, &row, NULL), QN_OK);
      for (uint64_t e = 0; e < count; e++)
        if (wanted[e].ends[into] == vertex) {
          num++;
          sum += (id_of(wanted[e].ends[!into]) + 1) * (wanted[e].weight + 1ull);
        }
      for (uint64_t e = 0; e < row.num_edges; e++) {
        uint64_t length;
        of_row += (strtoull(qn_wide_id(wide, row.vertices[e], id, &length), NULL, 10) + 1) *
                  (((const uint32_t *)row.weights)[e] + 1ull);
        assert_true(e == 0 || row.vertices[e - 1] <= row.vertices[e]);
      }
      assert_int_equal(row.num_edges, num);
      assert_true(of_row == sum);
      if (!into)
        assert_int_equal(qn_wide_degree(wide, v), num);
      qn_wide_row_free(&row);
    }
  }
  assert_int_equal(qn_wide_row(wide, UINT64_MAX, false, &row, &error), QN_USAGE);
  uint64_t v;
  assert_int_equal(qn_wide_find(wide, "4", &v, &error), QN_USAGE);
  assert_int_equal(qn_wide_find(wide, "", &v, &error), QN_USAGE);
  qn_wide_close(wide);
}

TEST(sets) {
  static struct edge wanted[2 * EDGES];
  char path[512];
  for (unsigned i = 0; i < 8; i++) {
    const bool undirected = i & 1, packed = i & 2;
    const struct qn_build build = {.num_vertices = QN_VERTICES_FROM_EDGES,
                                   .undirected = undirected};
    const struct qn_set_options options = {.block_vertices = i < 2 ? 800 : 1700,
                                           .rows = i & 4 ? QN_SET_ROWS_IN : QN_SET_ROWS_OUT};
    memset(edges, 0, sizeof edges); /* bytes between fields, too */
    for (unsigned e = 0; e < EDGES; e++) {
      edges[e].ends[0] = random_below(MOST_VERTICES) % (1 + random_below(MOST_VERTICES));
      edges[e].ends[1] = random_below(7) ? random_below(MOST_VERTICES) : edges[e].ends[0];
      edges[e].weight = random_below(5);
    }
    make(&build, &options, packed, path);
    memset(wanted, 0, sizeof wanted);
    const uint64_t count = expected(undirected, wanted);
    check_text(path, undirected, wanted, count);
    check_rows(path, wanted, count);
  }
}

/* What is not a column is said, and nothing appears. */
TEST(damage) {
  const struct qn_build build = {.num_vertices = QN_VERTICES_FROM_EDGES};
  const struct qn_set_options options = {.block_vertices = 1000, .rows = QN_SET_ROWS_OUT};
  char path[512], file[600];
  struct qn_export_options written;
  struct qn_export_report report = {0};
  struct qn_error error;
  make(&build, &options, false, path);
  snprintf(file, sizeof file, "%s/part-00003.qrn", path);
  FILE *part = fopen(file, "r+b");
  fseek(part, -8, SEEK_END);
  fwrite("\xff\xff\xff\xff\xff\xff\xff\xff", 8, 1, part);
  fclose(part);
  qn_export_options_begin(&written);
  written.path = scratch_path("no.txt");
  assert_int_equal(qn_export_wide(&written, path, &report, &error), QN_INVALID);
  assert_int_equal(access(scratch_path("no.txt"), F_OK), -1);
  assert_int_equal(qn_graph_writer_by_name("csv", &written.writer, NULL), QN_OK);
  assert_int_equal(qn_export_wide(&written, path, &report, &error), QN_UNSUPPORTED);
}

TEST_MAIN(scratch_create, scratch_remove)
