/* Figures of results: whole ones are whole, however large, and what was not reached is left out. */
#include "helpers/test.h"
#include "results/summary.h"

TEST(large_words) {
  uint32_t values[] = {16777217, UINT32_MAX, 4294967294, 16777219};
  const struct qn_algorithm algorithm = {.name = "degree"};
  const struct qn_run_result result = {.type = QN_RESULT_U32, .num_values = 4, .values = values};
  const struct qn_labels labels = {0};
  struct qn_error error;
  json_t *summary;
  assert_int_equal(qn_summary_create(&labels, &algorithm, &result, 0, &summary, &error), QN_OK);
  assert_int_equal(json_integer_value(json_object_get(summary, "reached")), 3);
  assert_int_equal(json_integer_value(json_object_get(summary, "min")), 16777217);
  assert_int_equal(json_integer_value(json_object_get(summary, "max")), 4294967294);
  assert_true(json_real_value(json_object_get(summary, "sum")) == 4328521730.0);
  json_decref(summary);
}

/* Beyond 2^53 neighbours are different numbers, and keep their order. */
TEST(wide_numbers) {
  const uint64_t large = (uint64_t)1 << 60;
  uint64_t values[] = {large + 1, large + 3, UINT64_MAX, large + 2, large + 3};
  const struct qn_algorithm algorithm = {.name = "sssp"};
  const struct qn_run_result result = {.type = QN_RESULT_U64, .num_values = 5, .values = values};
  const struct qn_ids dense = {.num_vertices = 5};
  const struct qn_labels labels = {.ids = &dense};
  static const char *const ids[] = {"1", "4", "3", "0"};
  struct qn_error error;
  json_t *summary, *entry;
  size_t i;
  assert_int_equal(qn_summary_create(&labels, &algorithm, &result, 9, &summary, &error), QN_OK);
  assert_int_equal(json_integer_value(json_object_get(summary, "reached")), 4);
  assert_int_equal(json_integer_value(json_object_get(summary, "min")), large + 1);
  assert_int_equal(json_integer_value(json_object_get(summary, "max")), large + 3);
  assert_int_equal(json_array_size(json_object_get(summary, "top")), 4);
  json_array_foreach(json_object_get(summary, "top"), i, entry) {
    assert_string_equal(json_string_value(json_object_get(entry, "id")), ids[i]);
    assert_int_equal(json_integer_value(json_object_get(entry, "value")), values[ids[i][0] - '0']);
  }
  json_decref(summary);
}

TEST(nothing_reached) {
  uint32_t values[] = {UINT32_MAX, UINT32_MAX};
  const struct qn_algorithm algorithm = {.name = "bfs", .values = QN_VALUES_LEVELS};
  const struct qn_run_result result = {.type = QN_RESULT_U32, .num_values = 2, .values = values};
  const struct qn_labels labels = {0};
  struct qn_error error;
  json_t *summary;
  assert_int_equal(qn_summary_create(&labels, &algorithm, &result, 0, &summary, &error), QN_OK);
  assert_int_equal(json_integer_value(json_object_get(summary, "reached")), 0);
  assert_int_equal(json_array_size(json_object_get(summary, "levels")), 0);
  json_decref(summary);
}

TEST_MAIN(NULL, NULL)
