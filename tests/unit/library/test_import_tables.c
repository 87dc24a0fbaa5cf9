/* Properties from streams of Arrow that are made by hand: every type, slices that begin within a
 * byte, and streams that break what the interface says. */
#include <stdlib.h>
#include <string.h>

#include "helpers/test.h"
#include "library/arrow.h"
#include <quern/quern.h>

static struct qn_error error;

/* ---- Streams ------------------------------------------------------------------ */

enum { MOST = 8, ROWS = 11 };

struct column {
  const char *name, *format;
  const void *buffers[4];
  int64_t num_buffers, offset, nulls;
  struct ArrowArray *dictionary;
  struct ArrowSchema *index; /* the schema of a dictionary's values */
  struct ArrowArray *items;  /* the numbers of vectors */
  struct ArrowSchema *item;  /* their schema */
};

/* A table of one batch, read once. */
struct table {
  struct column columns[MOST];
  int num_columns;
  int64_t rows;
  int batches; /* left */
  int released;
  struct ArrowSchema schemas[MOST], *schema_pointers[MOST];
  struct ArrowArray arrays[MOST], *array_pointers[MOST];
  const void *none[1];
};

static void release_schema(struct ArrowSchema *schema) {
  schema->release = NULL;
}

static void release_array(struct ArrowArray *array) {
  array->release = NULL;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
  struct table *table = stream->private_data;
  for (int i = 0; i < table->num_columns; i++) {
    table->schemas[i] = (struct ArrowSchema){.format = table->columns[i].format,
                                             .name = table->columns[i].name,
                                             .dictionary = table->columns[i].index,
                                             .n_children = table->columns[i].item != NULL,
                                             .children = &table->columns[i].item};
    table->schema_pointers[i] = &table->schemas[i];
  }
  *out = (struct ArrowSchema){.format = "+s",
                              .n_children = table->num_columns,
                              .children = table->schema_pointers,
                              .release = release_schema};
  return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
  struct table *table = stream->private_data;
  *out = (struct ArrowArray){0};
  if (table->batches-- <= 0)
    return 0;
  for (int i = 0; i < table->num_columns; i++) {
    struct column *column = &table->columns[i];
    table->arrays[i] = (struct ArrowArray){.length = table->rows,
                                           .null_count = column->nulls,
                                           .offset = column->offset,
                                           .n_buffers = column->num_buffers,
                                           .buffers = column->buffers,
                                           .dictionary = column->dictionary,
                                           .n_children = column->items != NULL,
                                           .children = &column->items};
    table->array_pointers[i] = &table->arrays[i];
  }
  *out = (struct ArrowArray){.length = table->rows,
                             .n_buffers = 1,
                             .buffers = table->none,
                             .n_children = table->num_columns,
                             .children = table->array_pointers,
                             .release = release_array};
  return 0;
}

static void release_stream(struct ArrowArrayStream *stream) {
  ((struct table *)stream->private_data)->released++;
  stream->release = NULL;
}

static struct ArrowArrayStream stream_of(struct table *table) {
  table->batches = 1;
  return (struct ArrowArrayStream){.get_schema = get_schema,
                                   .get_next = get_next,
                                   .release = release_stream,
                                   .private_data = table};
}

/* ---- Tables ------------------------------------------------------------------- */

/* Exactly as long as they may be, so that a sanitizer sees what is read beyond. */
static void *exact(const void *from, size_t bytes) {
  void *copy = malloc(bytes ? bytes : 1);
  assert_non_null(copy);
  return memcpy(copy, from, bytes);
}

static uint32_t ends[2][ROWS] = {{0, 0, 1, 2, 3, 3, 4, 5, 6, 7, 8},
                                 {1, 2, 2, 3, 0, 4, 5, 6, 7, 8, 0}};

static struct table edges_with(struct column column) {
  struct table table = {.num_columns = 3, .rows = ROWS};
  for (int i = 0; i < 2; i++)
    table.columns[i] = (struct column){.name = i ? "dst" : "src",
                                       .format = "I",
                                       .buffers = {NULL, exact(ends[i], sizeof ends[i])},
                                       .num_buffers = 2};
  table.columns[2] = column;
  return table;
}

static void forget(struct table *table) {
  for (int i = 0; i < table->num_columns; i++)
    for (int buffer = 0; buffer < 4; buffer++)
      free((void *)table->columns[i].buffers[buffer]);
}

static enum qn_status import(struct table *edges, struct table *vertices,
                             struct qn_session **session) {
  const struct qn_option all[] = {{"properties", "all"}};
  struct ArrowArrayStream first = stream_of(edges), second = {0};
  if (vertices)
    second = stream_of(vertices);
  enum qn_status status =
      qn_import_tables(&first, vertices ? &second : NULL, all, 1, NULL, NULL, session, &error);
  assert_int_equal(edges->released, 1);
  assert_true(!vertices || vertices->released == 1);
  return status;
}

/* The only property of edges. */
static struct qn_property_array property_of(struct qn_session *session) {
  struct qn_property_array found = {.size = sizeof found};
  assert_int_equal(qn_session_property(session, true, 0, &found, &error), QN_OK);
  assert_int_equal(found.count, ROWS);
  assert_int_equal(qn_session_verify(session, QN_VERIFY_ALL, NULL, &error), QN_OK);
  return found;
}

/* ---- Tests -------------------------------------------------------------------- */

TEST(test_numbers_with_nulls_from_the_middle_of_a_byte) {
  enum { OFFSET = 3 };
  int16_t values[OFFSET + ROWS];
  uint8_t valid[] = {0xdf, 0x3f}; /* element 5, row 2, is null */
  for (int i = 0; i < OFFSET + ROWS; i++)
    values[i] = (int16_t)(i - 5);
  struct table table = edges_with(
      (struct column){.name = "n",
                      .format = "s",
                      .buffers = {exact(valid, sizeof valid), exact(values, sizeof values)},
                      .num_buffers = 2,
                      .offset = OFFSET,
                      .nulls = 1});
  struct qn_session *session;
  assert_int_equal(import(&table, NULL, &session), QN_OK);
  struct qn_property_array found = property_of(session);
  assert_string_equal(found.type_name, "i16");
  assert_int_equal(found.nulls, 1);
  for (int i = 0; i < ROWS; i++)
    assert_int_equal(((const int16_t *)found.values)[i], i == 2 ? 0 : i - 2);
  qn_session_close(session);
  forget(&table);
}

TEST(test_bools) {
  const uint8_t bits[] = {0xa5, 0x06};
  struct table table = edges_with((struct column){
      .name = "b", .format = "b", .buffers = {NULL, exact(bits, sizeof bits)}, .num_buffers = 2});
  struct qn_session *session;
  assert_int_equal(import(&table, NULL, &session), QN_OK);
  struct qn_property_array found = property_of(session);
  for (int i = 0; i < ROWS; i++)
    assert_int_equal(((const uint8_t *)found.values)[i], bits[i / 8] >> i % 8 & 1);
  qn_session_close(session);
  forget(&table);
}

static struct column dictionary_of(const int8_t *indices, struct ArrowArray *dictionary,
                                   struct ArrowSchema *index) {
  static const int32_t offsets[] = {0, 1, 3};
  static const void *buffers[] = {NULL, offsets, "abc"};
  *dictionary = (struct ArrowArray){.length = 2, .n_buffers = 3, .buffers = buffers};
  *index = (struct ArrowSchema){.format = "u"};
  return (struct column){.name = "d",
                         .format = "c",
                         .buffers = {NULL, exact(indices, ROWS)},
                         .num_buffers = 2,
                         .dictionary = dictionary,
                         .index = index};
}

TEST(test_dictionaries) {
  const int8_t indices[ROWS] = {0, 1, 0, 1, 1, 0, 0, 1, 1, 0, 1};
  const int8_t beyond[ROWS] = {0, 1, 2}, before[ROWS] = {0, -1};
  struct ArrowArray dictionary;
  struct ArrowSchema index;
  struct qn_session *session;
  struct table table = edges_with(dictionary_of(indices, &dictionary, &index));
  assert_int_equal(import(&table, NULL, &session), QN_OK);
  struct qn_property_array found = property_of(session);
  assert_string_equal(found.type_name, "string");
  assert_memory_equal(found.values, "abcabcbcaabcbcabc", found.bytes);
  qn_session_close(session);
  forget(&table);
  for (int i = 0; i < 2; i++) {
    table = edges_with(dictionary_of(i ? before : beyond, &dictionary, &index));
    assert_int_equal(import(&table, NULL, &session), QN_INVALID);
    assert_non_null(strstr(error.message, i ? "row 1" : "row 2"));
    forget(&table);
  }
}

/* Lists of two numbers, from element 3 of the column and 5 of the numbers on: row 1 is null, and
 * what its numbers are does not matter. */
TEST(test_vectors) {
  enum { OFFSET = 3, FIRST = 5, NUMBERS = FIRST + 2 * (OFFSET + ROWS) };
  int16_t values[NUMBERS];
  const uint8_t valid[] = {0xef, 0x3f};
  for (int i = 0; i < NUMBERS; i++)
    values[i] = (int16_t)i;
  for (int fault = 0; fault < 6; fault++) {
    uint8_t inner[] = {0xff, 0xff, 0xff, 0xff, 0xff};
    const void *buffers[] = {fault == 1 ? inner : NULL, exact(values, sizeof values)};
    struct ArrowArray items = {.length = NUMBERS - FIRST,
                               .offset = FIRST,
                               .n_buffers = 2,
                               .null_count = fault == 1,
                               .buffers = buffers};
    struct ArrowSchema item = {.format = fault == 2 ? "u" : "s"};
    struct table table = edges_with((struct column){.name = "x",
                                                    .format = fault == 3 ? "+w:65537" : "+w:2",
                                                    .buffers = {exact(valid, sizeof valid)},
                                                    .num_buffers = 1,
                                                    .offset = OFFSET,
                                                    .nulls = 1,
                                                    .items = &items,
                                                    .item = &item});
    struct qn_session *session;
    inner[2] = 0xef; /* number 20, of row 4 */
    items.length -= fault == 4;
    items.n_buffers -= fault == 5;
    enum qn_status status = import(&table, NULL, &session);
    if (fault) {
      assert_int_equal(status, fault == 2 || fault == 3 ? QN_UNSUPPORTED : QN_INVALID);
      assert_true(fault != 1 ||
                  strstr(error.message, "row 4 (from 0): a number of the vector 'x'"));
    } else {
      struct qn_property_array found = property_of(session);
      assert_string_equal(found.type_name, "i16x2");
      assert_int_equal(found.nulls, 1);
      for (int i = 0; i < 2 * ROWS; i++)
        assert_int_equal(((const int16_t *)found.values)[i],
                         i / 2 == 1 ? 0 : FIRST + 2 * OFFSET + i);
      qn_session_close(session);
    }
    free((void *)buffers[1]);
    forget(&table);
  }
}

TEST(test_broken_streams) {
  const int64_t values[ROWS] = {0};
  struct qn_session *session;
  for (int fault = 0; fault < 5; fault++) {
    struct table table = edges_with((struct column){.name = "n",
                                                    .format = "l",
                                                    .buffers = {NULL, exact(values, sizeof values)},
                                                    .num_buffers = 2});
    struct column *column = &table.columns[2];
    if (fault == 0)
      column->num_buffers = 1;
    else if (fault == 1)
      column->offset = -1;
    else if (fault == 2)
      column->format = "+l";
    else if (fault == 3)
      column->name = "a\nb";
    else
      table.rows = -1;
    assert_int_not_equal(import(&table, NULL, &session), QN_OK);
    assert_null(session);
    forget(&table);
  }
}

TEST(test_vertices) {
  const uint64_t ids[] = {8, 3, 20};
  const double values[] = {.5, -1, 7};
  const int32_t twice[] = {4, 4, 1};
  struct qn_session *session;
  struct qn_property_array found = {.size = sizeof found};
  for (int wrong = 0; wrong < 2; wrong++) {
    struct table edges = edges_with((struct column){0}), vertices = {.num_columns = 2, .rows = 3};
    edges.num_columns = 2;
    vertices.columns[0] = (struct column){
        .name = "id",
        .format = wrong ? "i" : "L",
        .buffers = {NULL, wrong ? exact(twice, sizeof twice) : exact(ids, sizeof ids)},
        .num_buffers = 2};
    vertices.columns[1] = (struct column){.name = "x",
                                          .format = "g",
                                          .buffers = {NULL, exact(values, sizeof values)},
                                          .num_buffers = 2};
    assert_int_equal(import(&edges, &vertices, &session), wrong ? QN_INVALID : QN_OK);
    if (!wrong) {
      assert_int_equal(qn_session_property(session, false, 0, &found, &error), QN_OK);
      assert_int_equal(found.count, 10); /* 0 to 8, and 20 */
      assert_int_equal(found.nulls, 7);
      assert_true(((const double *)found.values)[3] == -1 &&
                  ((const double *)found.values)[9] == 7);
      qn_session_close(session);
    }
    forget(&edges);
    forget(&vertices);
  }
}

/* As Neo4j calls columns: equal ids of two spaces are two vertices. */
TEST(test_spaces_of_ids) {
  static const char *const apart[] = {":START_ID(Person)", ":END_ID(City)"};
  static const char *const one[] = {":END_ID(Person)", ":START_ID(Person)", "weight:float"};
  struct qn_error error;
  uint32_t numbers[3];
  assert_int_equal(qn_columns_choose(apart, 2, numbers, &error), QN_INVALID);
  assert_non_null(strstr(error.message, "two spaces, '(Person)' and '(City)'"));
  assert_int_equal(qn_columns_choose(one, 3, numbers, &error), QN_OK);
  assert_int_equal(numbers[0], 2);
  assert_int_equal(numbers[1], 1);
  assert_int_equal(numbers[2], 3);
}

TEST_MAIN(NULL, NULL)
