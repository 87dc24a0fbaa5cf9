/* Properties: their vector, every type back as it went in, gathering, and text. (Every rule is
 * broken once in tests/golden/negative.) */
#include <math.h>

#include "helpers/sample_graph.h"
#include "helpers/scratch.h"
#include "helpers/test.h"
#include "helpers/vector.h"
#include "support/memory.h"
#include <quern/properties.h>

static struct qn_error error;

/* ---- The columns of the vector ---------------------------------------------- */

static const char NAMES[] = "Z\xc3\xbcrichulm";
static const uint64_t NAME_OFFSETS[] = {0, 7, 7, 7, 10};
static const uint8_t NAMES_VALID[] = {0x0b}; /* the third has none, the second is empty */
static const uint64_t SIZES[] = {UINT64_MAX, 0, 1, 2};
static const uint8_t OPEN[] = {1, 0, 0, 1};
static const int64_t SINCE[] = {0, INT64_MIN, -1, 9007199254740993, INT64_MAX};
static const uint8_t SINCE_VALID[] = {0x1e};
static const float LOADS[] = {0.5f, -0.0f, 3.25f, 1e30f, INFINITY};

static struct qn_property vertex_columns[] = {
    {.name = "name",
     .type = QN_PROPERTY_STRING,
     .count = 4,
     .values = NAMES,
     .offsets = NAME_OFFSETS,
     .bytes = 10,
     .valid = NAMES_VALID},
    {.name = "size", .type = QN_PROPERTY_U64, .count = 4, .values = SIZES},
    {.name = "open", .type = QN_PROPERTY_BOOL, .count = 4, .values = OPEN},
};
static struct qn_property edge_columns[] = {
    {.name = "since", .type = QN_PROPERTY_I64, .count = 5, .values = SINCE, .valid = SINCE_VALID},
    {.name = "load", .type = QN_PROPERTY_F32, .count = 5, .values = LOADS},
};
static const struct qn_properties SAMPLE = {
    .of_vertices = {vertex_columns, 3}, .of_edges = {edge_columns, 2}, .weight = "distance"};

/* Vectors, small numbers and times. */
static const float PLACES[] = {0.5f, -0.0f, 1e30f, 0, 0, 0, 1, 2, 3, INFINITY, -0.25f, 65536};
static const uint8_t PLACES_VALID[] = {0x0d};
static const int32_t BORN[] = {0, -719528, 11016, INT32_MAX};
static const uint8_t RANKS[] = {0, 255, 7, 1};
static const uint16_t HALVES[] = {0x3c00, 0x8000, 0x7bff, 1, 0xfc00, 0x3555, 0, 0, 0x4200, 0xc200};
static const uint16_t BRAINS[] = {0x3f80, 0xff80, 0x4049, 1, 0x8000};
static const int64_t MOMENTS[] = {0, -1, INT64_MAX, 1709211600250, INT64_MIN};
static const uint8_t MOMENTS_VALID[] = {0x1e};

static struct qn_property vector_vertex_columns[] = {
    {.name = "place",
     .type = QN_PROPERTY_VECTOR(QN_PROPERTY_F32, 3),
     .count = 4,
     .values = PLACES,
     .valid = PLACES_VALID},
    {.name = "born", .type = QN_PROPERTY_DATE, .count = 4, .values = BORN},
    {.name = "rank", .type = QN_PROPERTY_U8, .count = 4, .values = RANKS},
};
static struct qn_property vector_edge_columns[] = {
    {.name = "halves",
     .type = QN_PROPERTY_VECTOR(QN_PROPERTY_F16, 2),
     .count = 5,
     .values = HALVES},
    {.name = "brain", .type = QN_PROPERTY_BF16, .count = 5, .values = BRAINS},
    {.name = "at",
     .type = QN_PROPERTY_TIMESTAMP_MS_UTC,
     .count = 5,
     .values = MOMENTS,
     .valid = MOMENTS_VALID},
};
static const struct qn_properties VECTORS = {.of_vertices = {vector_vertex_columns, 3},
                                             .of_edges = {vector_edge_columns, 3}};

/* ---- Writing and reading ---------------------------------------------------- */

/* The sample graph with these properties. */
static enum qn_status write_properties(const char *path, const struct qn_properties *properties,
                                       const uint64_t *vertices, const uint64_t *edges) {
  struct qn_writer *writer;
  uint64_t *rows;
  uint32_t *columns, *weights;
  json_t *metadata = json_pack("{s:s}", "tool", "sample");
  assert_int_equal(qn_writer_create(path, true, &writer, &error), QN_OK);
  struct qn_container_info *info = qn_writer_info(writer);
  info->layout = QN_LAYOUT_GRAPH;
  info->weight_type = QN_WEIGHT_U32;
  info->num_vertices = 4;
  info->num_edges = 5;
  const struct qn_ids ids = {
      .kind = QN_IDS_NUMBERS, .num_vertices = 4, .numbers = SAMPLE_NUMBERS, .ascending = true};
  assert_int_equal(qn_graph_write_rows(writer, 4, &rows, &error), QN_OK);
  assert_int_equal(qn_graph_write_columns(writer, 5, &columns, &error), QN_OK);
  assert_int_equal(qn_graph_write_weights(writer, 5, (void **)&weights, &error), QN_OK);
  memcpy(rows, SAMPLE_ROWS, sizeof SAMPLE_ROWS);
  memcpy(columns, SAMPLE_COLUMNS, sizeof SAMPLE_COLUMNS);
  memcpy(weights, SAMPLE_WEIGHTS, sizeof SAMPLE_WEIGHTS);
  assert_int_equal(qn_ids_write(writer, &ids, &error), QN_OK);
  enum qn_status status = qn_properties_write(writer, properties, vertices, edges, &error);
  if (!status)
    status = qn_writer_metadata(writer, metadata, &error);
  json_decref(metadata);
  if (!status)
    return qn_writer_commit(writer, &error);
  qn_writer_abort(writer);
  return status;
}

static struct qn_container *map(const char *path) {
  struct qn_container *container;
  assert_int_equal(qn_container_map(path, 0, &container, &error), QN_OK);
  if (qn_container_check(container, &error))
    fail_msg("%s", error.message);
  return container;
}

TEST(sample_vector) {
  const char *path = scratch_path("properties-sample.qrn");
  assert_int_equal(write_properties(path, &SAMPLE, NULL, NULL), QN_OK);
  assert_vector("properties-sample.qrn", path);
}

TEST(vectors_vector) {
  const char *path = scratch_path("properties-vectors.qrn");
  assert_int_equal(write_properties(path, &VECTORS, NULL, NULL), QN_OK);
  assert_vector("properties-vectors.qrn", path);
}

/* The rows of vectors go where they are wanted, and a null is zero as a whole. */
TEST(vectors_are_gathered) {
  const char *path = scratch_path("vectors.qrn");
  const uint64_t vertices[] = {3, 1, 0, 2}, edges[] = {4, QN_NO_RECORD, 0, 0, 2};
  const float places[] = {INFINITY, -0.25f, 65536, 0, 0, 0, 0.5f, -0.0f, 1e30f, 1, 2, 3};
  const uint16_t halves[] = {0x4200, 0xc200, 0, 0, 0x3c00, 0x8000, 0x3c00, 0x8000, 0xfc00, 0x3555};
  const uint16_t brains[] = {0x8000, 0, 0x3f80, 0x3f80, 0x4049};
  struct qn_properties found;
  assert_int_equal(write_properties(path, &VECTORS, vertices, edges), QN_OK);
  struct qn_container *container = map(path);
  assert_int_equal(qn_properties_view(container, &found, &error), QN_OK);
  assert_int_equal(qn_properties_check(container, &found, &error), QN_OK);
  const struct qn_property *place = &found.of_vertices.columns[0];
  assert_int_equal(place->type, QN_PROPERTY_VECTOR(QN_PROPERTY_F32, 3));
  assert_memory_equal(place->values, places, sizeof places);
  assert_int_equal(place->valid[0], 0x0d);
  assert_memory_equal(found.of_edges.columns[0].values, halves, sizeof halves);
  assert_int_equal(found.of_edges.columns[0].valid[0], 0x1d);
  assert_memory_equal(found.of_edges.columns[1].values, brains, sizeof brains);
  assert_int_equal(found.of_edges.columns[2].type, QN_PROPERTY_TIMESTAMP_MS_UTC);
  qn_properties_release(&found);
  qn_container_unmap(container);
}

TEST(values_come_back) {
  const char *path = scratch_path("properties.qrn");
  struct qn_properties found;
  assert_int_equal(write_properties(path, &SAMPLE, NULL, NULL), QN_OK);
  struct qn_container *container = map(path);
  assert_int_equal(qn_properties_view(container, &found, &error), QN_OK);
  assert_int_equal(found.of_vertices.count, 3);
  assert_int_equal(found.of_edges.count, 2);
  assert_string_equal(found.weight, "distance");
  const struct qn_property *name = qn_property_find(&found.of_vertices, "name");
  assert_int_equal(name->type, QN_PROPERTY_STRING);
  assert_int_equal(name->nulls, 1);
  assert_true(qn_property_is_null(name, 2) && !qn_property_is_null(name, 1));
  assert_memory_equal(name->values, NAMES, 10);
  assert_memory_equal(name->offsets, NAME_OFFSETS, sizeof NAME_OFFSETS);
  const struct qn_property *since = qn_property_find(&found.of_edges, "since");
  assert_int_equal(since->nulls, 1);
  assert_memory_equal(since->values, SINCE, sizeof SINCE);
  assert_memory_equal(qn_property_find(&found.of_edges, "load")->values, LOADS, sizeof LOADS);
  assert_memory_equal(qn_property_find(&found.of_vertices, "size")->values, SIZES, sizeof SIZES);
  assert_null(qn_property_find(&found.of_edges, "size"));
  qn_properties_release(&found);
  qn_container_unmap(container);
}

/* Values go where they are wanted; what is wanted of nowhere is null, and zero. */
TEST(values_are_gathered) {
  const char *path = scratch_path("gathered.qrn");
  const uint64_t vertices[] = {3, 2, QN_NO_RECORD, 0}, edges[] = {4, 4, 0, QN_NO_RECORD, 3};
  const int64_t since[] = {INT64_MAX, INT64_MAX, 0, 0, 9007199254740993};
  struct qn_properties found;
  assert_int_equal(write_properties(path, &SAMPLE, vertices, edges), QN_OK);
  struct qn_container *container = map(path);
  assert_int_equal(qn_properties_view(container, &found, &error), QN_OK);
  const struct qn_property *name = &found.of_vertices.columns[0];
  const uint64_t offsets[] = {0, 3, 3, 3, 10};
  assert_memory_equal(name->values, "ulmZ\xc3\xbcrich", 10);
  assert_memory_equal(name->offsets, offsets, sizeof offsets);
  assert_int_equal(name->nulls, 2);
  assert_int_equal(name->valid[0], 0x09);
  assert_memory_equal(found.of_edges.columns[0].values, since, sizeof since);
  assert_int_equal(found.of_edges.columns[0].nulls, 2);
  assert_int_equal(found.of_edges.columns[1].valid[0], 0x17);
  qn_properties_release(&found);
  qn_container_unmap(container);
}

TEST(no_columns_are_no_sections) {
  const char *path = scratch_path("none.qrn");
  const struct qn_properties none = {0};
  struct qn_properties found;
  assert_int_equal(write_properties(path, &none, NULL, NULL), QN_OK);
  struct qn_container *container = map(path);
  assert_null(qn_container_section(container, "properties"));
  assert_int_equal(qn_properties_view(container, &found, &error), QN_OK);
  assert_false(qn_properties_are_any(&found));
  qn_properties_release(&found);
  qn_container_unmap(container);
}

TEST(memory_runs_out) {
  const char *path = scratch_path("memory.qrn");
  assert_int_equal(write_properties(path, &SAMPLE, NULL, NULL), QN_OK);
  struct qn_container *container = map(path);
  uint64_t live = qn_memory_live();
  enum qn_status status = QN_SYSTEM;
  for (uint64_t nth = 1; status; nth++) {
    struct qn_properties found;
    assert_true(nth < 100);
    qn_memory_fail_nth(nth);
    status = qn_properties_view(container, &found, &error);
    qn_memory_fail_nth(0);
    assert_true(!status || status == QN_SYSTEM);
    qn_properties_release(&found);
    assert_int_equal(qn_memory_live(), live);
  }
  qn_container_unmap(container);
}

/* ---- Text ------------------------------------------------------------------- */

TEST(text) {
  static const struct {
    const char *bytes;
    uint64_t length;
    bool is_text, is_name;
  } cases[] = {
      {"", 0, true, false},
      {"a", 1, true, true},
      {"a b\"'<,", 7, true, true},
      {"\0", 1, false, false},
      {"\t", 1, true, false},
      {"\x7f", 1, true, false},
      {"\xc2\x85", 2, true, false},
      {"\xc2\xa0", 2, true, true},
      {"\xc3\xa9", 2, true, true},
      {"\xed\x9f\xbf", 3, true, true},
      {"\xf0\x90\x80\x80", 4, true, true},
      {"\xf4\x8f\xbf\xbf", 4, true, true},
      {"\xc3", 1, false, false},             /* cut */
      {"\xe2\x82", 2, false, false},         /* cut */
      {"\xf0\x90\x80", 3, false, false},     /* cut */
      {"\x80", 1, false, false},             /* goes on with nothing */
      {"\xc0\xaf", 2, false, false},         /* long */
      {"\xe0\x9f\xbf", 3, false, false},     /* long */
      {"\xf0\x8f\xbf\xbf", 4, false, false}, /* long */
      {"\xed\xa0\x80", 3, false, false},     /* a surrogate */
      {"\xf4\x90\x80\x80", 4, false, false}, /* beyond U+10FFFF */
      {"\xf5\x80\x80\x80", 4, false, false},
      {"\xff", 1, false, false},
      {"\xc3\x28", 2, false, false},
  };
  char name[257];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    if (qn_property_is_text(cases[i].bytes, cases[i].length) != cases[i].is_text ||
        qn_property_is_name(cases[i].bytes, cases[i].length) != cases[i].is_name)
      fail_msg("case %zu", i);
  }
  memset(name, 'n', sizeof name);
  assert_true(qn_property_is_name(name, 255));
  assert_false(qn_property_is_name(name, 256));
}

TEST(types_have_names) {
  char name[QN_PROPERTY_TYPE_BYTES];
  enum qn_property_type found;
  unsigned count = 0;
  for (int type = 1; type < 256; type++) {
    if (!qn_property_class_of((enum qn_property_type)type))
      continue;
    count++;
    assert_true(
        qn_property_type_of(qn_property_type_name((enum qn_property_type)type, name), &found));
    assert_int_equal(found, type);
  }
  assert_int_equal(count, QN_PROPERTY_TIMESTAMP_NS_UTC);
  assert_string_equal(qn_property_type_name((enum qn_property_type)0, name), "unknown");
  assert_string_equal(qn_property_type_name((enum qn_property_type)99, name), "unknown");
}

TEST(vectors_have_names) {
  static const struct {
    const char *name;
    enum qn_property_type of;
    uint32_t dimension;
    unsigned bytes;
  } sound[] = {
      {"f32x128", QN_PROPERTY_F32, 128, 512}, {"u8x1", QN_PROPERTY_U8, 1, 1},
      {"bf16x3", QN_PROPERTY_BF16, 3, 6},     {"i64x65536", QN_PROPERTY_I64, 65536, 524288},
      {"f16x10", QN_PROPERTY_F16, 10, 20},    {"f16", QN_PROPERTY_F16, 0, 2}};
  static const char *const none[] = {"unknown",
                                     "",
                                     "f32x",
                                     "f32x0",
                                     "f32x01",
                                     "f32x65537",
                                     "f32x-1",
                                     "f32x1x1",
                                     "f32x ",
                                     "f32x1.0",
                                     "xf32",
                                     "x3",
                                     "stringx2",
                                     "boolx2",
                                     "datex2",
                                     "f32X2",
                                     "f32x2 ",
                                     "timestamp_sx2",
                                     "f32x99999999999999999",
                                     "f",
                                     "timestamp",
                                     "timestamp_s_",
                                     "f3"};
  char name[QN_PROPERTY_TYPE_BYTES];
  enum qn_property_type found;
  for (size_t i = 0; i < sizeof sound / sizeof *sound; i++) {
    assert_true(qn_property_type_of(sound[i].name, &found));
    assert_int_equal(found, QN_PROPERTY_VECTOR(sound[i].of, sound[i].dimension));
    assert_int_equal(qn_property_dimension(found), sound[i].dimension);
    assert_int_equal(qn_property_number_type(found), sound[i].of);
    assert_int_equal(qn_property_value_bytes(found), sound[i].bytes);
    assert_string_equal(qn_property_type_name(found, name), sound[i].name);
  }
  for (size_t i = 0; i < sizeof none / sizeof *none; i++)
    if (qn_property_type_of(none[i], &found))
      fail_msg("'%s' is a type", none[i]);
  assert_int_equal(qn_property_class_of(QN_PROPERTY_VECTOR(QN_PROPERTY_STRING, 2)), 0);
  assert_int_equal(qn_property_class_of(QN_PROPERTY_VECTOR(QN_PROPERTY_F32, 65537)), 0);
}

TEST_MAIN(scratch_create, scratch_remove)
