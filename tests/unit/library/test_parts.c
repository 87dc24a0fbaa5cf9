/* A set whose parts are written one by one: what fits together appears, and what does not is named,
 * and leaves nothing. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/set/set.h"
#include "helpers/test.h"
#include <quern/quern.h>

static struct qn_error error;

/* 0 -> 1, 0 -> 1, 1 -> 2, 2 -> 0, 2 -> 2, by the vertices that they go into: parts [0, 1), [1, 1)
 * and [1, 3). */
static const uint64_t first_offsets[] = {0, 1}, none[] = {0}, last_offsets[] = {0, 2, 4};
static const uint32_t first_columns[] = {2}, last_columns[] = {0, 0, 1, 2};
static const double first_weights[] = {0.5}, last_weights[] = {1, 2, 3, 4};
static const uint64_t ends[] = {1, 1, 3}, part_edges[] = {1, 0, 4}, degrees[] = {2, 1, 2};

static struct qn_part_rows part(int index) {
  struct qn_part_rows rows = {
      .size = sizeof rows, .weight_type = QN_TYPE_F64, .rows_in = true, .begin = 1, .end = 1};
  rows.row_offsets = none;
  if (index == 0) {
    rows.begin = 0;
    rows.row_offsets = first_offsets;
    rows.columns = first_columns;
    rows.weights = first_weights;
  } else if (index == 2) {
    rows.end = 3;
    rows.row_offsets = last_offsets;
    rows.columns = last_columns;
    rows.weights = last_weights;
  }
  return rows;
}

static struct qn_set_shape shape_of_parts(void) {
  struct qn_set_shape shape = {.size = sizeof shape,
                               .num_vertices = 3,
                               .num_parts = 3,
                               .ends = ends,
                               .part_edges = part_edges,
                               .out_degrees = degrees,
                               .weight_type = QN_TYPE_F64,
                               .rows_in = true};
  for (int i = 0; i < 3; i++) {
    const struct qn_part_rows rows = part(i);
    uint64_t fingerprint;
    assert_int_equal(qn_part_fingerprint(&rows, NULL, &fingerprint, &error), QN_OK);
    shape.fingerprint += fingerprint;
  }
  return shape;
}

/* The same edges without weights in blocks of two vertices: of rows into 0 and 1, and into 2. */
static const uint64_t block_offsets[4][3] = {{0, 0, 2}, {0, 1, 1}, {0, 1}, {0, 1}};
static const uint32_t block_columns[4][2] = {{0, 0}, {2}, {1}, {2}};
static const uint64_t block_edges[] = {2, 1, 1, 1};

static struct qn_part_rows block(int index) {
  return (struct qn_part_rows){.size = sizeof(struct qn_part_rows),
                               .begin = index < 2 ? 0 : 2,
                               .end = index < 2 ? 2 : 3,
                               .row_offsets = block_offsets[index],
                               .columns = block_columns[index],
                               .rows_in = true};
}

static struct qn_set_shape shape_of_blocks(void) {
  struct qn_set_shape shape = {.size = sizeof shape,
                               .num_vertices = 3,
                               .num_parts = 4,
                               .part_edges = block_edges,
                               .out_degrees = degrees,
                               .rows_in = true,
                               .block_vertices = 2};
  for (int i = 0; i < 4; i++) {
    const struct qn_part_rows rows = block(i);
    uint64_t fingerprint;
    assert_int_equal(qn_part_fingerprint(&rows, NULL, &fingerprint, &error), QN_OK);
    shape.fingerprint += fingerprint;
  }
  return shape;
}

/* Files here whose names begin so. */
static int count_left(const char *prefix) {
  DIR *folder = opendir(".");
  int count = 0;
  for (struct dirent *entry; (entry = readdir(folder));)
    count += strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
  closedir(folder);
  return count;
}

static struct qn_set_draft *begin(const char *path) {
  const struct qn_set_shape shape = shape_of_parts();
  struct qn_set_draft *draft;
  assert_int_equal(qn_set_begin(path, false, &shape, NULL, &draft, &error), QN_OK);
  return draft;
}

TEST(a_set_appears) {
  struct qn_set_draft *draft = begin("set");
  struct qn_part_file files[3];
  for (int attempt = 0; attempt < 2; attempt++) /* a part may be written again */
    for (int i = 2; i >= 0; i--) {
      const struct qn_part_rows rows = part(i);
      assert_int_equal(
          qn_part_write(qn_set_draft_place(draft), (uint64_t)i, &rows, NULL, &files[i], &error),
          QN_OK);
    }
  struct stat about;
  assert_int_not_equal(stat("set", &about), 0);
  assert_int_equal(qn_set_finish(draft, files, &error), QN_OK);
  assert_int_equal(qn_set_check("set", &error), QN_OK);
  assert_int_equal(count_left("set"), 1);
  const struct qn_set_shape shape = shape_of_parts();
  assert_int_equal(qn_set_begin("set", false, &shape, NULL, &draft, &error), QN_USAGE);
  assert_int_equal(qn_set_begin("set", true, &shape, NULL, &draft, &error), QN_OK);
  qn_set_abandon(draft);
  assert_int_equal(qn_set_check("set", &error), QN_OK);
}

TEST(blocks_appear) {
  const struct qn_set_shape shape = shape_of_blocks();
  struct qn_set_draft *draft;
  struct qn_part_file files[4];
  assert_int_equal(qn_set_begin("blocks", false, &shape, NULL, &draft, &error), QN_OK);
  struct qn_part_rows rows = block(1);
  rows.columns = block_columns[0]; /* of the block before it */
  assert_int_equal(qn_part_write(qn_set_draft_place(draft), 1, &rows, NULL, &files[1], &error),
                   QN_INVALID);
  for (int i = 0; i < 4; i++) {
    rows = block(i);
    assert_int_equal(
        qn_part_write(qn_set_draft_place(draft), (uint64_t)i, &rows, NULL, &files[i], &error),
        QN_OK);
  }
  assert_int_equal(qn_set_finish(draft, files, &error), QN_OK);
  assert_int_equal(qn_set_check("blocks", &error), QN_OK);
}

/* It is looked at and copied; it is no graph, and no archive. */
TEST(a_part_alone) {
  struct qn_set_draft *draft = begin("alone");
  struct qn_part_file files[3];
  struct qn_session *graph;
  struct qn_result *result;
  struct qn_edge_rows rows = {.size = sizeof rows};
  const struct qn_option archive = {"archive", NULL};
  for (int i = 0; i < 3; i++) {
    const struct qn_part_rows its = part(i);
    assert_int_equal(
        qn_part_write(qn_set_draft_place(draft), (uint64_t)i, &its, NULL, &files[i], &error),
        QN_OK);
  }
  assert_int_equal(qn_set_finish(draft, files, &error), QN_OK);
  assert_int_equal(qn_session_open("alone/part-00002.qrn", 0, NULL, &graph, &error),
                   QN_UNSUPPORTED);
  assert_non_null(strstr(error.message, "part of a set"));
  assert_int_equal(qn_session_open("alone/part-00002.qrn", QN_OPEN_PART, NULL, &graph, &error),
                   QN_OK);
  assert_int_equal(qn_session_verify(graph, QN_VERIFY_ALL, NULL, &error), QN_OK);
  assert_int_equal(qn_session_out_edges(graph, NULL, &rows, &error), QN_OK);
  assert_int_equal(rows.num_vertices, 2);
  assert_memory_equal(rows.column_indices, last_columns, sizeof last_columns);
  assert_int_equal(qn_session_in_edges(graph, NULL, &rows, &error), QN_UNSUPPORTED);
  assert_int_equal(qn_session_run(graph, "degree", NULL, 0, NULL, &result, &error), QN_UNSUPPORTED);
  assert_int_equal(qn_session_save(graph, &archive, 1, "alone.qrnz", NULL, &error), QN_UNSUPPORTED);
  assert_int_equal(qn_session_save(graph, NULL, 0, "alone.qrn", NULL, &error), QN_OK);
  qn_session_close(graph);
  assert_int_equal(count_left("alone.qrn"), 1);
}

static int put(const char *place, const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", place, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  return fclose(file);
}

/* Writers that were killed leave temporaries where files cannot be nameless. */
TEST(what_killed_writers_left_goes) {
  struct qn_part_file files[3];
  struct stat about;
  struct qn_set_draft *draft = begin("left");
  const char *place = qn_set_draft_place(draft);
  put(place, "part-00001.qrn.tmp4711-0");
  for (int i = 0; i < 3; i++) {
    const struct qn_part_rows rows = part(i);
    assert_int_equal(qn_part_write(place, (uint64_t)i, &rows, NULL, &files[i], &error), QN_OK);
  }
  put(place, "vertices.qrn.tmp12-345");
  put(place, "part-00001.qrn.tmp-0");
  put(place, "another.tmp1-0");
  assert_int_equal(qn_set_finish(draft, files, &error), QN_OK);
  assert_int_not_equal(stat("left/part-00001.qrn.tmp4711-0", &about), 0);
  assert_int_not_equal(stat("left/vertices.qrn.tmp12-345", &about), 0);
  assert_int_equal(stat("left/part-00001.qrn.tmp-0", &about), 0); /* nobody's of these */
  assert_int_equal(stat("left/another.tmp1-0", &about), 0);
  draft = begin("given-up");
  put(qn_set_draft_place(draft), "part-00002.qrn.tmp4711-0");
  qn_set_abandon(draft);
  assert_int_equal(count_left("given-up"), 0);
}

TEST(nothing_has_parts) {
  const uint64_t zeros[] = {0, 0};
  const struct qn_set_shape shape = {
      .size = sizeof shape, .num_parts = 2, .ends = zeros, .part_edges = zeros};
  const struct qn_part_rows rows = {.size = sizeof rows, .row_offsets = zeros};
  struct qn_set_draft *draft;
  struct qn_part_file files[2];
  assert_int_equal(qn_set_begin("nothing", false, &shape, NULL, &draft, &error), QN_OK);
  for (uint64_t i = 0; i < 2; i++)
    assert_int_equal(qn_part_write(qn_set_draft_place(draft), i, &rows, NULL, &files[i], &error),
                     QN_OK);
  assert_int_equal(qn_set_finish(draft, files, &error), QN_OK);
  assert_int_equal(qn_set_check("nothing", &error), QN_OK);
}

/* One thing of the shape is another. */
static void shape_is_refused(struct qn_set_shape shape, enum qn_status expected) {
  struct qn_set_draft *draft;
  assert_int_equal(qn_set_begin("no", false, &shape, NULL, &draft, &error), expected);
  assert_null(draft);
  assert_int_equal(count_left("no"), 1); /* the set of the test before */
}

TEST(shapes_are_checked) {
  const struct qn_set_shape sound = shape_of_parts();
  const uint64_t falling[] = {2, 1, 3}, beyond[] = {1, 2, 4}, early[] = {1, 1, 2},
                 other[] = {1, 1, 2}, large[] = {UINT64_MAX / 2, UINT64_MAX / 2, 3},
                 same[] = {7, 7, 9};
  const struct qn_id_arrays twice = {
      .size = sizeof twice, .form = QN_ID_FORM_NUMBERS, .num_vertices = 3, .numbers = same};
  struct qn_set_shape shape;
#define REFUSED(field, value, status)                                                              \
  (shape = sound, shape.field = (value), shape_is_refused(shape, status))
  REFUSED(ends, falling, QN_INVALID);
  REFUSED(ends, beyond, QN_INVALID);
  REFUSED(ends, early, QN_INVALID);
  REFUSED(part_edges, large, QN_INVALID);
  REFUSED(out_degrees, other, QN_INVALID);
  REFUSED(names, &twice, QN_INVALID);
  REFUSED(num_parts, 0, QN_USAGE);
  REFUSED(num_parts, 65537, QN_USAGE);
  REFUSED(num_vertices, (uint64_t)1 << 32, QN_USAGE);
  REFUSED(ends, NULL, QN_USAGE);
  REFUSED(out_degrees, NULL, QN_USAGE);
  REFUSED(undirected, true, QN_USAGE);
  REFUSED(weight_type, QN_TYPE_U8, QN_USAGE);
  REFUSED(block_vertices, 2, QN_USAGE); /* or ends */
  shape = shape_of_blocks();
  shape.num_parts = 3;
  shape_is_refused(shape, QN_INVALID);
}

TEST(parts_are_checked) {
  struct qn_set_draft *draft = begin("no-parts");
  const char *place = qn_set_draft_place(draft);
  const uint64_t falling[] = {0, 5, 4}, shorter[] = {0, 2, 3};
  const uint32_t beyond[] = {0, 0, 1, 3}, decreasing[] = {1, 0, 1, 2};
  const double infinite[] = {1, 2, 3, INFINITY};
  const struct qn_part_rows sound = part(2);
  struct qn_part_rows rows;
  struct qn_part_file file;
#define PART_REFUSED(field, value, status)                                                         \
  (rows = sound, rows.field = (value),                                                             \
   assert_int_equal(qn_part_write(place, 2, &rows, NULL, &file, &error), status))
  PART_REFUSED(begin, 2, QN_INVALID);
  PART_REFUSED(end, 2, QN_INVALID);
  PART_REFUSED(end, UINT64_MAX, QN_USAGE);
  PART_REFUSED(row_offsets, falling, QN_INVALID);
  PART_REFUSED(row_offsets, shorter, QN_INVALID);
  PART_REFUSED(row_offsets, NULL, QN_USAGE);
  PART_REFUSED(columns, beyond, QN_INVALID);
  PART_REFUSED(columns, decreasing, QN_INVALID);
  PART_REFUSED(columns, NULL, QN_USAGE);
  PART_REFUSED(weights, infinite, QN_INVALID);
  PART_REFUSED(weight_type, QN_TYPE_I64, QN_INVALID);
  PART_REFUSED(rows_in, false, QN_INVALID);
  assert_int_equal(qn_part_write(place, 3, &sound, NULL, &file, &error), QN_USAGE);
  assert_int_equal(qn_part_write("nowhere", 2, &sound, NULL, &file, &error), QN_SYSTEM);
  qn_set_abandon(draft);
  assert_int_equal(count_left("no-parts"), 0);
}

/* Other weights than the fingerprint is of: each part is sound, but the graph is another. */
TEST(graphs_are_checked) {
  struct qn_set_draft *draft = begin("no-graph");
  struct qn_part_file files[3];
  for (int i = 0; i < 3; i++) {
    struct qn_part_rows rows = part(i);
    if (i == 0)
      rows.weights = last_weights;
    assert_int_equal(
        qn_part_write(qn_set_draft_place(draft), (uint64_t)i, &rows, NULL, &files[i], &error),
        QN_OK);
  }
  assert_int_equal(qn_set_finish(draft, files, &error), QN_INVALID);
  assert_non_null(strstr(error.message, "fingerprint"));
  assert_int_equal(count_left("no-graph"), 0);
}

/* A part that is gone, or another one, when the set is to appear. */
TEST(files_are_checked) {
  for (int gone = 0; gone < 2; gone++) {
    struct qn_set_draft *draft = begin("no-files");
    struct qn_part_file files[3];
    char path[4096], other[4096];
    for (int i = 0; i < 3; i++) {
      const struct qn_part_rows rows = part(i);
      assert_int_equal(
          qn_part_write(qn_set_draft_place(draft), (uint64_t)i, &rows, NULL, &files[i], &error),
          QN_OK);
    }
    snprintf(path, sizeof path, "%s/part-00001.qrn", qn_set_draft_place(draft));
    snprintf(other, sizeof other, "%s/part-00002.qrn", qn_set_draft_place(draft));
    assert_int_equal(gone ? unlink(path) : rename(other, path), 0);
    assert_true(qn_set_finish(draft, files, &error));
    assert_non_null(strstr(error.file, "part-00001"));
    assert_int_equal(count_left("no-files"), 0);
  }
}

TEST_MAIN(NULL, NULL)
