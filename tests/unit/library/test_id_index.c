/* Ids by their index, however they are spread: against bisecting them. */
#include "library/id_index.h"

#include <stdlib.h>

#include "helpers/test.h"
#include "support/memory.h"

static struct qn_error error;

static uint64_t random_number(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return *state ^ *state >> 29;
}

static int compare(const void *one, const void *other) {
  const uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
  return (a > b) - (a < b);
}

static uint32_t bisected(const uint64_t *numbers, uint64_t count, uint64_t number) {
  const uint64_t *found = bsearch(&number, numbers, count, sizeof number, compare);
  return found ? (uint32_t)(found - numbers) : UINT32_MAX;
}

/* Every id, its neighbours, and numbers of the range are found where bisecting finds them. */
static void check(const uint64_t *numbers, uint64_t count) {
  enum { MOST = 3 * 4096 + 100 };
  static uint64_t asked[MOST];
  static uint32_t vertices[MOST];
  struct qn_id_index index;
  uint64_t num_asked = 0, missing = 0, state = count;
  for (uint64_t i = 0; i < count; i++)
    for (int step = -1; step <= 1; step++)
      asked[num_asked++] = numbers[i] + (uint64_t)step;
  for (int i = 0; i < 100; i++)
    asked[num_asked++] = random_number(&state);
  assert_int_equal(qn_id_index_create(&index, numbers, count, &error), QN_OK);
  assert_true(index.num_buckets <= count);
  const uint64_t found = qn_id_index_find(&index, asked, num_asked, vertices);
  while (missing < num_asked && bisected(numbers, count, asked[missing]) != UINT32_MAX)
    missing++;
  assert_int_equal(found, missing);
  for (uint64_t i = 0; i < num_asked; i++)
    assert_int_equal(vertices[i], bisected(numbers, count, asked[i]));
  assert_int_equal(qn_id_index_find(&index, numbers, count, vertices), count);
  assert_int_equal(qn_id_index_find(&index, asked, 0, vertices), 0);
  qn_id_index_destroy(&index);
}

TEST(spread_in_every_way) {
  static uint64_t numbers[4096];
  uint64_t seed = 7;
  for (unsigned count = 0; count <= 4096; count += count < 70 ? 1 : 671) {
    for (uint64_t i = 0; i < count; i++)
      numbers[i] = 3 * i + 5; /* evenly */
    check(numbers, count);
    for (uint64_t i = 0; i < count; i++)
      numbers[i] = i < count / 2 ? i : UINT64_MAX - count + 1 + i; /* in two lumps, to both ends */
    check(numbers, count);
    for (uint64_t i = 0; i < count; i++)
      numbers[i] = i ? numbers[i - 1] + numbers[i - 1] / 128 + 1 : 0; /* ever thinner */
    check(numbers, count);
    for (uint64_t i = 0; i < count; i++)
      numbers[i] = random_number(&seed);
    qsort(numbers, count, sizeof *numbers, compare);
    check(numbers, count);
  }
}

/* What was checked may be written over: then ids are not found, or others are, and nothing else is
 * read or written. */
TEST(numbers_that_change) {
  static uint64_t numbers[1000];
  static uint32_t vertices[1000];
  struct qn_id_index index;
  uint64_t seed = 1;
  for (uint64_t i = 0; i < 1000; i++)
    numbers[i] = random_number(&seed);
  assert_int_equal(qn_id_index_create(&index, numbers, 1000, &error), QN_OK);
  qn_id_index_find(&index, numbers, 1000, vertices);
  for (uint64_t i = 0; i < 1000; i++)
    numbers[i] = random_number(&seed);
  qn_id_index_find(&index, numbers, 1000, vertices);
  for (uint64_t i = 0; i < 1000; i++)
    assert_true(vertices[i] == UINT32_MAX || vertices[i] < 1000);
  qn_id_index_destroy(&index);
}

TEST(no_memory) {
  const uint64_t numbers[] = {1, 5};
  struct qn_id_index index;
  qn_memory_fail_nth(1);
  assert_int_equal(qn_id_index_create(&index, numbers, 2, &error), QN_SYSTEM);
  qn_id_index_destroy(&index);
}

TEST_MAIN(NULL, NULL)
