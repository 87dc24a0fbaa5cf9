/* Properties through the stable interface: looked at, given, and refused. */
#include <string.h>

#include "helpers/scratch.h"
#include "helpers/test.h"
#include "support/memory.h"
#include <quern/quern.h>

static struct qn_error error;

static struct qn_session *graph(void) {
  static const uint32_t sources[] = {0, 0, 2}, targets[] = {1, 2, 0};
  const struct qn_edge_arrays edges = {.size = sizeof edges,
                                       .num_edges = 3,
                                       .id_type = QN_TYPE_U32,
                                       .sources = sources,
                                       .targets = targets};
  struct qn_session *session;
  assert_int_equal(qn_import_arrays(&edges, NULL, 0, NULL, NULL, &session, &error), QN_OK);
  return session;
}

static const uint64_t offsets[] = {0, 1, 1, 3};
static const uint8_t valid[] = {0x05};
static const double loads[] = {0.5, 1.5, 2.5};

static struct qn_property_array names(void) {
  return (struct qn_property_array){.size = sizeof(struct qn_property_array),
                                    .name = "name",
                                    .type_name = "string",
                                    .count = 3,
                                    .values = "abc",
                                    .offsets = offsets,
                                    .bytes = 3,
                                    .valid = valid};
}

static struct qn_property_array load(void) {
  return (struct qn_property_array){.size = sizeof(struct qn_property_array),
                                    .name = "load",
                                    .type_name = "f64",
                                    .count = 3,
                                    .values = loads};
}

TEST(given_and_seen) {
  struct qn_session *session = graph(), *with;
  const struct qn_property_array vertices = names(), edges = load();
  struct qn_property_array seen = {.size = sizeof seen};
  uint64_t of_vertices, of_edges;
  assert_int_equal(qn_session_properties(session, &of_vertices, &of_edges, &error), QN_OK);
  assert_true(of_vertices == 0 && of_edges == 0);
  assert_int_equal(
      qn_session_attach(session, &vertices, 1, &edges, 1, NULL, 0, NULL, NULL, &with, &error),
      QN_OK);
  qn_session_close(session);
  assert_int_equal(qn_session_properties(with, &of_vertices, &of_edges, &error), QN_OK);
  assert_true(of_vertices == 1 && of_edges == 1);
  assert_int_equal(qn_session_property(with, false, 0, &seen, &error), QN_OK);
  assert_string_equal(seen.name, "name");
  assert_string_equal(seen.type_name, "string");
  assert_true(seen.type == QN_TYPE_U8 && seen.count == 3 && seen.nulls == 1 && seen.bytes == 3);
  assert_memory_equal(seen.values, "abc", 3);
  assert_memory_equal(seen.offsets, offsets, sizeof offsets);
  assert_int_equal(seen.valid[0], 0x05);
  assert_int_equal(qn_session_property(with, true, 0, &seen, &error), QN_OK);
  assert_memory_equal(seen.values, loads, sizeof loads);
  assert_null(seen.valid);
  assert_int_equal(qn_session_property(with, true, 1, &seen, &error), QN_USAGE);
  assert_int_equal(qn_session_verify(with, QN_VERIFY_ALL, NULL, &error), QN_OK);
  qn_session_close(with);
}

TEST(vectors_have_a_dimension) {
  struct qn_session *session = graph(), *with;
  static const uint16_t values[] = {1, 2, 3, 4, 5, 6};
  struct qn_property_array given = {
      .size = sizeof given, .name = "x", .type_name = "bf16x2", .count = 3, .values = values};
  struct qn_property_array seen = {.size = sizeof seen};
  assert_int_equal(
      qn_session_attach(session, &given, 1, NULL, 0, NULL, 0, NULL, NULL, &with, &error), QN_OK);
  assert_int_equal(qn_session_property(with, false, 0, &seen, &error), QN_OK);
  assert_string_equal(seen.type_name, "bf16x2");
  assert_true(seen.type == QN_TYPE_U16 && seen.count == 3 && seen.dimension == 2);
  assert_memory_equal(seen.values, values, sizeof values);
  qn_session_close(with);
  qn_session_close(session);
}

TEST(what_is_wrong_is_refused) {
  struct qn_session *session = graph(), *with;
  static const uint64_t descends[] = {0, 2, 1, 3}, ends_early[] = {0, 1, 2, 2};
  struct qn_property_array bad[7] = {load(), load(), load(), names(), names(), names(), names()};
  const uint64_t live = qn_memory_live();
  bad[0].name = "";
  bad[1].type_name = "f32x0";
  bad[2].count = 4;
  bad[3].offsets = NULL;
  bad[4].values = "\xff\xff\xff";
  bad[5].offsets = descends;
  bad[6].offsets = ends_early;
  for (int i = 0; i < 7; i++) {
    enum qn_status expected = i == 4 ? QN_INVALID : QN_USAGE;
    assert_int_equal(
        qn_session_attach(session, &bad[i], 1, NULL, 0, NULL, 0, NULL, NULL, &with, &error),
        expected);
    assert_null(with);
    assert_int_equal(qn_memory_live(), live);
  }
  const struct qn_property_array twice[2] = {load(), load()};
  assert_int_equal(
      qn_session_attach(session, NULL, 0, twice, 2, NULL, 0, NULL, NULL, &with, &error),
      QN_INVALID);
  assert_non_null(strstr(error.message, "P-2"));
  qn_session_close(session);
}

TEST_MAIN(NULL, NULL)
