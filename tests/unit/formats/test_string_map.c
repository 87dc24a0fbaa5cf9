/* Names: numbers for the time being from any thread, then the bytewise order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/text/string_map.h"
#include "helpers/test.h"
#include "support/memory.h"
#include "support/random.h"
#include "support/temp_file.h"
#include "support/threads.h"

/* Name number i: many share long prefixes, and lengths differ. */
static uint64_t make_name(uint64_t i, char *name) {
  uint64_t random = qn_random_at(5, i);
  int length = sprintf(name, random % 3 ? "http://example.org/page/%llu" : "%llx",
                       (unsigned long long)(random % 3 ? i : random));
  return (uint64_t)length;
}

static int compare_names(const struct qn_ids *ids, uint64_t a, uint64_t b) {
  uint64_t a_length = ids->string_offsets[a + 1] - ids->string_offsets[a];
  uint64_t b_length = ids->string_offsets[b + 1] - ids->string_offsets[b];
  uint64_t common = a_length < b_length ? a_length : b_length;
  int order = memcmp(ids->string_bytes + ids->string_offsets[a],
                     ids->string_bytes + ids->string_offsets[b], common);
  return order ? order : a_length < b_length ? -1 : a_length > b_length;
}

TEST(test_names_are_sorted) {
  enum { NAMES = 200000 };
  struct qn_string_map *map;
  struct qn_sorted_names names;
  struct qn_error error;
  uint32_t *numbers = malloc(NAMES * sizeof *numbers);
  uint64_t wrong = 0;
  qn_threads_set(6);
  assert_int_equal(qn_string_map_create(&map, &error), QN_OK);
#pragma omp parallel for schedule(dynamic, 100) reduction(+ : wrong)
  for (uint64_t i = 0; i < 3 * NAMES; i++) {
    char name[64];
    uint32_t id;
    uint64_t length = make_name(i % NAMES, name);
    wrong += qn_string_map_intern(map, name, length, &id) != QN_INTERNED;
    numbers[i % NAMES] = id;
  }
  assert_int_equal(wrong, 0);
  assert_int_equal(qn_string_map_count(map), NAMES);
  assert_int_equal(qn_string_map_sort(map, &names, &error), QN_OK);
  for (uint64_t i = 1; i < NAMES; i++)
    assert_true(compare_names(&names.ids, i - 1, i) < 0);
  for (uint64_t i = 0; i < NAMES; i++) {
    char name[64];
    uint64_t length = make_name(i, name), rank = names.new_of_old[numbers[i]];
    assert_int_equal(names.ids.string_offsets[rank + 1] - names.ids.string_offsets[rank], length);
    assert_memory_equal(names.ids.string_bytes + names.ids.string_offsets[rank], name, length);
  }
  qn_sorted_names_destroy(&names);
  qn_string_map_destroy(map);
  assert_int_equal(qn_memory_live(), 0);
  free(numbers);
}

TEST(test_bytes_are_unsigned_and_prefixes_first) {
  static const char *const expected[] = {" ",        "a", "aaaaaaaa", "aaaaaaaaa", "aaaaaaaab",
                                         "aaaaaaab", "b", "\x7f",     "\xc3\xa9",  "\xff\xff"};
  enum { COUNT = sizeof expected / sizeof expected[0] };
  struct qn_string_map *map;
  struct qn_sorted_names names;
  struct qn_error error;
  assert_int_equal(qn_string_map_create(&map, &error), QN_OK);
  for (unsigned i = 0; i < COUNT; i++) {
    const char *name = expected[(i * 7) % COUNT];
    uint32_t id;
    assert_int_equal(qn_string_map_intern(map, name, strlen(name), &id), QN_INTERNED);
    assert_int_equal(id, i);
  }
  assert_int_equal(qn_string_map_sort(map, &names, &error), QN_OK);
  for (unsigned i = 0; i < COUNT; i++) {
    assert_int_equal(names.offsets[i + 1] - names.offsets[i], strlen(expected[i]));
    assert_memory_equal(names.bytes + names.offsets[i], expected[i], strlen(expected[i]));
  }
  qn_sorted_names_destroy(&names);
  qn_string_map_destroy(map);
}

TEST(test_no_names) {
  struct qn_string_map *map;
  struct qn_sorted_names names;
  struct qn_error error;
  char *longest = malloc(QN_MAX_NAME_BYTES + 1);
  uint32_t id;
  memset(longest, 'x', QN_MAX_NAME_BYTES + 1);
  assert_int_equal(qn_string_map_create(&map, &error), QN_OK);
  assert_int_equal(qn_string_map_intern(map, "", 0, &id), QN_INTERN_NO_NAME);
  assert_int_equal(qn_string_map_intern(map, "a\0b", 3, &id), QN_INTERN_NO_NAME);
  assert_int_equal(qn_string_map_intern(map, "a\tb", 3, &id), QN_INTERN_NO_NAME);
  assert_int_equal(qn_string_map_intern(map, "a\nb", 3, &id), QN_INTERN_NO_NAME);
  assert_int_equal(qn_string_map_intern(map, "a\r", 2, &id), QN_INTERN_NO_NAME);
  assert_int_equal(qn_string_map_intern(map, longest, QN_MAX_NAME_BYTES + 1, &id),
                   QN_INTERN_NO_NAME);
  assert_int_equal(qn_string_map_count(map), 0);
  assert_int_equal(qn_string_map_sort(map, &names, &error), QN_OK);
  assert_int_equal(names.ids.num_vertices, 0);
  qn_sorted_names_destroy(&names);
  assert_int_equal(qn_string_map_intern(map, longest, QN_MAX_NAME_BYTES, &id), QN_INTERNED);
  qn_string_map_destroy(map);
  free(longest);
  assert_int_equal(qn_memory_live(), 0);
}

/* Each length has its own way to be looked at. */
TEST(test_every_place_is_looked_at) {
  static const char forbidden[] = {'\0', '\t', '\n', '\r'}, allowed[] = {1, 8, 11, 14, ' ', '\x80'};
  for (uint64_t length = 1; length <= 40; length++) {
    for (uint64_t at = 0; at < length; at++) {
      char *name = malloc(length);
      memset(name, '\xff', length);
      for (unsigned i = 0; i < sizeof allowed; i++) {
        name[at] = allowed[i];
        assert_true(qn_is_name(name, length));
      }
      for (unsigned i = 0; i < sizeof forbidden; i++) {
        name[at] = forbidden[i];
        assert_false(qn_is_name(name, length));
      }
      free(name);
    }
  }
}

/* Names of one byte and of more than eight, each the begin of the next one. */
TEST(test_lengths_are_told_apart) {
  enum { LONGEST = 20 };
  static const char text[LONGEST + 1] = "aabbaaaabbbbaaaabbbb";
  struct qn_string_map *map;
  struct qn_sorted_names names;
  assert_int_equal(qn_string_map_create(&map, NULL), QN_OK);
  for (int turn = 0; turn < 2; turn++)
    for (uint32_t length = LONGEST; length > 0; length--) {
      char *name = malloc(length);
      uint32_t id;
      memcpy(name, text, length);
      assert_int_equal(qn_string_map_intern(map, name, length, &id), QN_INTERNED);
      assert_int_equal(id, LONGEST - length);
      free(name);
    }
  assert_int_equal(qn_string_map_count(map), LONGEST);
  assert_int_equal(qn_string_map_sort(map, &names, NULL), QN_OK);
  for (uint32_t i = 0; i < LONGEST; i++) {
    assert_int_equal(names.new_of_old[i], LONGEST - 1 - i);
    assert_int_equal(names.offsets[i + 1] - names.offsets[i], i + 1);
    assert_memory_equal(names.bytes + names.offsets[i], text, i + 1);
  }
  qn_sorted_names_destroy(&names);
  qn_string_map_destroy(map);
}

/* Let every allocation fail in turn. */
TEST(test_out_of_memory) {
  uint64_t n = 1;
  for (bool done = false; !done; n++) {
    struct qn_string_map *map;
    struct qn_sorted_names names = {0};
    struct qn_error error;
    qn_memory_fail_nth(n);
    bool failed = qn_string_map_create(&map, &error) != QN_OK;
    for (uint64_t i = 0; i < 3000 && !failed; i++) {
      char name[64];
      uint32_t id;
      uint64_t length = make_name(i, name);
      failed = qn_string_map_intern(map, name, length, &id) == QN_INTERN_NO_MEMORY;
    }
    if (!failed)
      failed = qn_string_map_sort(map, &names, &error) != QN_OK;
    qn_memory_fail_nth(0);
    done = !failed;
    qn_sorted_names_destroy(&names);
    qn_string_map_destroy(map);
    assert_int_equal(qn_memory_live(), 0);
  }
  assert_true(n > 100);
}

/* In groups of every size, with names that come again within a group and some that are known. */
TEST(test_many_at_once) {
  enum { NAMES = 5000, TURNS = 400 };
  static char text[QN_WAITING_NAMES][64];
  struct qn_waiting_name names[QN_WAITING_NAMES];
  struct qn_string_map *one, *many;
  uint64_t next = 0;
  assert_int_equal(qn_string_map_create(&one, NULL), QN_OK);
  assert_int_equal(qn_string_map_create(&many, NULL), QN_OK);
  for (uint64_t turn = 0; turn < TURNS; turn++) {
    uint32_t count = (uint32_t)(turn % (QN_WAITING_NAMES + 1));
    for (uint32_t i = 0; i < count; i++) {
      uint64_t length = make_name(qn_random_at(9, next++) % NAMES, text[i]);
      names[i] = (struct qn_waiting_name){i % 7 == 6 ? NULL : text[i], length, 12345};
    }
    assert_int_equal(qn_string_map_intern_many(many, names, count), QN_INTERNED);
    for (uint32_t i = 0; i < count; i++) {
      uint32_t expected = 12345;
      if (names[i].bytes)
        assert_int_equal(qn_string_map_intern(one, names[i].bytes, names[i].length, &expected),
                         QN_INTERNED);
      assert_int_equal(names[i].id, expected);
    }
  }
  assert_int_equal(qn_string_map_count(one), qn_string_map_count(many));
  qn_string_map_destroy(one);
  qn_string_map_destroy(many);
}

#ifdef __SANITIZE_ADDRESS__
#define KEEPS_FREED_MEMORY true
#else
#define KEEPS_FREED_MEMORY false
#endif

/* The most memory that was resident since the last call, in bytes; 0: not to be known here. */
static uint64_t most_resident(void) {
  unsigned long long kilobytes = 0;
  char line[256];
  FILE *status = fopen("/proc/self/status", "r"), *reset = fopen("/proc/self/clear_refs", "w");
  while (status && reset && fgets(line, sizeof line, status))
    (void)!sscanf(line, "VmHWM: %llu", &kilobytes);
  if (status)
    fclose(status);
  if (reset && (fputs("5", reset) < 0) + fclose(reset) != 0)
    kilobytes = 0;
  return kilobytes * 1024;
}

/* Whatever the limit, names that fit are sorted within it: tables double at some numbers of names.
 */
TEST(test_limit_of_memory_is_kept) {
  qn_threads_set(2);
  for (uint64_t limit = 60000000; limit <= 100000000; limit += 10000000) {
    struct qn_string_map *map;
    struct qn_sorted_names names;
    struct qn_error error;
    enum qn_interned result = QN_INTERNED;
    uint64_t before, most;
    qn_memory_limit_set(limit, ".");
    (void)most_resident();
    before = most_resident();
    assert_int_equal(qn_string_map_create(&map, &error), QN_OK);
    for (uint64_t i = 0; result == QN_INTERNED; i++) {
      char name[32];
      uint32_t id;
      int length = sprintf(name, "%llx", (unsigned long long)i);
      result = qn_string_map_intern(map, name, (uint64_t)length, &id);
    }
    assert_int_equal(result, QN_INTERN_NO_MEMORY);
    assert_true(qn_string_map_count(map) * 200 > limit);
    assert_int_equal(qn_string_map_sort(map, &names, &error), QN_OK);
    most = most_resident();
    if (before && most && !KEEPS_FREED_MEMORY)
      assert_in_range(most - before, 0, limit + (8 << 20));
    qn_sorted_names_destroy(&names);
    qn_string_map_destroy(map);
  }
  qn_memory_limit_set(0, NULL);
  qn_threads_set(0);
}

TEST_MAIN(NULL, NULL)
