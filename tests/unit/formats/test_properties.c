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
  enum qn_property_type found;
  for (int type = QN_PROPERTY_U32; type <= (int)QN_PROPERTY_STRING; type++) {
    assert_true(qn_property_type_of(qn_property_type_name((enum qn_property_type)type), &found));
    assert_int_equal(found, type);
  }
  assert_string_equal(qn_property_type_name((enum qn_property_type)0), "unknown");
  assert_false(qn_property_type_of("unknown", &found));
}

TEST_MAIN(NULL, NULL)
