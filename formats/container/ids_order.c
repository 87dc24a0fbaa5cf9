/* The original order of ids and the checks on their contents. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory.h"
#include <quern/ids.h>

static int compare_ids(const struct qn_ids *ids, uint64_t a, uint64_t b) {
  if (ids->kind == QN_IDS_NUMBERS)
    return (ids->numbers[a] > ids->numbers[b]) - (ids->numbers[a] < ids->numbers[b]);
  uint64_t a_length = ids->string_offsets[a + 1] - ids->string_offsets[a];
  uint64_t b_length = ids->string_offsets[b + 1] - ids->string_offsets[b];
  int order =
      memcmp(ids->string_bytes + ids->string_offsets[a], ids->string_bytes + ids->string_offsets[b],
             a_length < b_length ? a_length : b_length);
  return order ? order : (a_length > b_length) - (a_length < b_length);
}

static int compare_vertices(const void *left, const void *right, void *context) {
  return compare_ids(context, *(const uint32_t *)left, *(const uint32_t *)right);
}

/* One pass of a radix sort by bits [shift, shift + 11) of the vertex's number. */
static void radix_pass(const uint64_t *numbers, const uint32_t *from, uint32_t *to, uint64_t count,
                       unsigned shift) {
  uint32_t starts[2049] = {0}; /* places are below 2^32, though their end may wrap */
  for (uint64_t i = 0; i < count; i++)
    starts[((numbers[from[i]] >> shift) & 2047) + 1]++;
  for (unsigned digit = 0; digit < 2048; digit++)
    starts[digit + 1] += starts[digit];
  for (uint64_t i = 0; i < count; i++)
    to[starts[(numbers[from[i]] >> shift) & 2047]++] = from[i];
}

static enum qn_status sort_by_number(const struct qn_ids *ids, uint32_t **order,
                                     struct qn_error *error) {
  uint64_t count = ids->num_vertices, all = 0;
  uint32_t *other;
  enum qn_status status = qn_pages_alloc(&other, count, sizeof *other, "an id order", error);
  if (status)
    return status;
  for (uint64_t v = 0; v < count; v++)
    all |= ids->numbers[v];
  for (unsigned shift = 0; shift < 64 && (all >> shift); shift += 11) {
    radix_pass(ids->numbers, *order, other, count, shift);
    uint32_t *swap = *order;
    *order = other;
    other = swap;
  }
  qn_pages_free(other, count, sizeof *other);
  return QN_OK;
}

enum qn_status qn_ids_original_order(const struct qn_ids *ids, uint32_t **order,
                                     struct qn_error *error) {
  *order = NULL;
  if (ids->ascending || ids->kind == QN_IDS_DENSE)
    return QN_OK;
  enum qn_status status =
      qn_pages_alloc(order, ids->num_vertices, sizeof **order, "an id order", error);
  if (status)
    return status;
  for (uint64_t v = 0; v < ids->num_vertices; v++)
    (*order)[v] = (uint32_t)v;
  if (ids->kind == QN_IDS_STRINGS) {
    qsort_r(*order, ids->num_vertices, sizeof **order, compare_vertices, (void *)ids);
    return QN_OK;
  }
  status = sort_by_number(ids, order, error);
  if (status) {
    qn_pages_free(*order, ids->num_vertices, sizeof **order);
    *order = NULL;
  }
  return status;
}

static enum qn_status check_offsets(const struct qn_container *container, const struct qn_ids *ids,
                                    struct qn_error *error) {
  if (ids->string_offsets[0] != 0)
    return qn_container_violation(container, error, "ID-1", "id_offsets does not begin with 0");
  uint64_t bad = UINT64_MAX;
#pragma omp parallel for reduction(min : bad)
  for (uint64_t v = 0; v < ids->num_vertices; v++)
    if (ids->string_offsets[v] >= ids->string_offsets[v + 1] && v < bad)
      bad = v;
  if (bad != UINT64_MAX)
    return qn_container_violation(container, error, "ID-1",
                                  "the id of vertex %" PRIu64 " is empty or id_offsets descends",
                                  bad);
  return QN_OK;
}

static enum qn_status check_bytes(const struct qn_container *container, const struct qn_ids *ids,
                                  struct qn_error *error) {
  uint64_t length = ids->string_offsets[ids->num_vertices], bad = UINT64_MAX;
#pragma omp parallel for reduction(min : bad)
  for (uint64_t i = 0; i < length; i++) {
    char c = ids->string_bytes[i];
    if ((c == '\0' || c == '\t' || c == '\n' || c == '\r') && i < bad)
      bad = i;
  }
  if (bad != UINT64_MAX)
    return qn_container_violation(container, error, "ID-2",
                                  "id_bytes has a NUL, tab or line end at index %" PRIu64, bad);
  return QN_OK;
}

/* Unique and, if the header says so, ascending: neighbours in original order ascend strictly. */
static enum qn_status check_order(const struct qn_container *container, const struct qn_ids *ids,
                                  struct qn_error *error) {
  uint32_t *order;
  uint64_t bad = UINT64_MAX;
  enum qn_status status = qn_ids_original_order(ids, &order, error);
  if (status)
    return status;
#pragma omp parallel for reduction(min : bad)
  for (uint64_t i = 1; i < ids->num_vertices; i++) {
    const uint64_t before = order ? order[i - 1] : i - 1, after = order ? order[i] : i;
    if (compare_ids(ids, before, after) >= 0 && i < bad)
      bad = i;
  }
  if (bad != UINT64_MAX)
    status = qn_container_violation(container, error, order ? "ID-3" : "ID-4",
                                    order ? "two vertices share an id, one of them vertex %" PRIu64
                                          : "ids do not ascend at vertex %" PRIu64,
                                    order ? order[bad] : bad);
  qn_pages_free(order, ids->num_vertices, sizeof *order);
  return status;
}

enum qn_status qn_ids_check(const struct qn_container *container, const struct qn_ids *ids,
                            struct qn_error *error) {
  enum qn_status status = QN_OK;
  if (ids->kind == QN_IDS_DENSE)
    return QN_OK;
  if (ids->kind == QN_IDS_STRINGS)
    status = check_offsets(container, ids, error);
  if (!status && ids->kind == QN_IDS_STRINGS)
    status = check_bytes(container, ids, error);
  return status ? status : check_order(container, ids, error);
}
