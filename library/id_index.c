#include "library/id_index.h"

#include <string.h>

#include "support/memory.h"

/* Numbers that are looked up together, so that what they read is on its way at the same time. */
#define TOGETHER 64

static uint64_t bucket_of(const struct qn_id_index *index, uint64_t number) {
  return (number - index->least) >> index->shift;
}

/* Numbers may lie in a file that somebody writes over: whatever they become, a bucket begins and
 * ends within them. */
static void fill(struct qn_id_index *index, uint64_t count) {
#pragma omp parallel for schedule(static)
  for (uint64_t i = 1; i <= count; i++) {
    uint64_t first = bucket_of(index, index->numbers[i - 1]) + 1;
    uint64_t last = i < count ? bucket_of(index, index->numbers[i]) : index->num_buckets;
    for (uint64_t b = first; b <= last && b <= index->num_buckets; b++)
      index->starts[b] = (uint32_t)i;
  }
}

enum qn_status qn_id_index_create(struct qn_id_index *index, const uint64_t *numbers,
                                  uint64_t count, struct qn_error *error) {
  *index = (struct qn_id_index){.numbers = numbers};
  if (count == 0)
    return QN_OK;
  uint64_t span = numbers[count - 1] - numbers[0];
  index->least = numbers[0];
  while (span >> index->shift >= count)
    index->shift++;
  uint64_t num_buckets = (span >> index->shift) + 1;
  enum qn_status status = qn_pages_alloc(&index->starts, num_buckets + 1, sizeof *index->starts,
                                         "an index of ids", error);
  if (status)
    return status;
  index->num_buckets = num_buckets;
  fill(index, count);
  return QN_OK;
}

void qn_id_index_destroy(struct qn_id_index *index) {
  if (index->num_buckets)
    qn_pages_free(index->starts, index->num_buckets + 1, sizeof *index->starts);
  *index = (struct qn_id_index){0};
}

/* Where the bucket of a number begins and ends, if it has one. */
struct range {
  uint32_t first, end;
};

static bool has_bucket(const struct qn_id_index *index, uint64_t number) {
  return number >= index->least && bucket_of(index, number) < index->num_buckets;
}

static uint32_t find_in(const struct qn_id_index *index, struct range range, uint64_t number) {
  uint32_t first = range.first;
  for (uint32_t left = first < range.end ? range.end - first : 0; left > 0;) {
    const uint32_t half = left / 2;
    const bool below = index->numbers[first + half] < number;
    first += below ? half + 1 : 0;
    left = below ? left - half - 1 : half;
  }
  return first < range.end && index->numbers[first] == number ? first : UINT32_MAX;
}

/* At most TOGETHER of them. */
static void find_some(const struct qn_id_index *index, const uint64_t *numbers, uint64_t count,
                      uint32_t *vertices) {
  struct range ranges[TOGETHER];
  for (uint64_t i = 0; i < count; i++)
    if (has_bucket(index, numbers[i]))
      __builtin_prefetch(&index->starts[bucket_of(index, numbers[i])]);
  for (uint64_t i = 0; i < count; i++) {
    ranges[i] = (struct range){0, 0};
    if (has_bucket(index, numbers[i]))
      memcpy(&ranges[i], &index->starts[bucket_of(index, numbers[i])], sizeof ranges[i]);
    __builtin_prefetch(&index->numbers[ranges[i].first]);
  }
  for (uint64_t i = 0; i < count; i++)
    vertices[i] = find_in(index, ranges[i], numbers[i]);
}

uint64_t qn_id_index_find(const struct qn_id_index *index, const uint64_t *numbers, uint64_t count,
                          uint32_t *vertices) {
  uint64_t missing = count;
  for (uint64_t i = 0; i < count; i += TOGETHER) {
    uint64_t some = count - i < TOGETHER ? count - i : TOGETHER;
    find_some(index, numbers + i, some, vertices + i);
    for (uint64_t k = 0; k < some && missing == count; k++)
      if (vertices[i + k] == UINT32_MAX)
        missing = i + k;
  }
  return missing;
}
