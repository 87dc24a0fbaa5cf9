/* Merge sort: halves are tasks, small pieces go to qsort. */
#include "formats/text/string_sort.h"

#include <stdlib.h>

#include "support/memory.h"

#define SERIAL_STRINGS 16384

static int compare(const void *left, const void *right) {
  const struct qn_string *a = left, *b = right;
  if (a->prefix != b->prefix)
    return a->prefix < b->prefix ? -1 : 1;
  uint32_t a_length = qn_string_length(a), b_length = qn_string_length(b);
  uint32_t common = a_length < b_length ? a_length : b_length;
  uint64_t a_room, b_room;
  int order = memcmp(qn_string_bytes(a, &a_room), qn_string_bytes(b, &b_room), common);
  if (order)
    return order;
  return a_length < b_length ? -1 : a_length > b_length;
}

static void merge(const struct qn_string *from, uint64_t middle, uint64_t count,
                  struct qn_string *to) {
  uint64_t left = 0, right = middle;
  for (uint64_t i = 0; i < count; i++) {
    bool take_left = right == count || (left < middle && compare(&from[left], &from[right]) <= 0);
    to[i] = from[take_left ? left++ : right++];
  }
}

/* Sort `strings`; the result is in `other` if `into_other`, and the contents of both are lost. */
static void sort_part(struct qn_string *strings, struct qn_string *other, uint64_t count,
                      bool into_other) {
  if (count <= SERIAL_STRINGS) {
    qsort(strings, count, sizeof *strings, compare);
    if (into_other)
      memcpy(other, strings, count * sizeof *strings);
    return;
  }
  uint64_t middle = count / 2;
#pragma omp task
  sort_part(strings, other, middle, !into_other);
  sort_part(strings + middle, other + middle, count - middle, !into_other);
#pragma omp taskwait
  merge(into_other ? strings : other, middle, count, into_other ? other : strings);
}

enum qn_status qn_strings_sort(struct qn_string *strings, uint64_t count, struct qn_error *error) {
  struct qn_string *other;
  enum qn_status status =
      qn_pages_alloc(&other, count, sizeof *other, "the sorting of names", error);
  if (status)
    return status;
  if (count)
#pragma omp parallel
#pragma omp single
    sort_part(strings, other, count, false);
  qn_pages_free(other, count, sizeof *other);
  return QN_OK;
}
