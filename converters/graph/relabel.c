#include "converters/graph/relabel.h"

#include <string.h>

#include "converters/graph/permutation.h"
#include "support/memory.h"

/* ---- Ids of the new vertices ---------------------------------------------- */

static enum qn_status take_memory(struct qn_relabeling *relabeling, uint64_t bytes,
                                  struct qn_error *error) {
  relabeling->memory_bytes = bytes;
  return qn_pages_alloc(&relabeling->memory, bytes, 1, "vertex ids", error);
}

static enum qn_status carry_numbers(const struct qn_ids *ids, struct qn_relabeling *relabeling,
                                    struct qn_error *error) {
  uint64_t num_vertices = relabeling->num_vertices;
  enum qn_status status = take_memory(relabeling, num_vertices * sizeof(uint64_t), error);
  if (status)
    return status;
  uint64_t *numbers = relabeling->memory;
#pragma omp parallel for
  for (uint64_t v = 0; v < num_vertices; v++) {
    uint64_t old = relabeling->old_of_new[v];
    numbers[v] = ids->kind == QN_IDS_NUMBERS ? ids->numbers[old] : old;
  }
  relabeling->ids =
      (struct qn_ids){.kind = QN_IDS_NUMBERS, .num_vertices = num_vertices, .numbers = numbers};
  return QN_OK;
}

static enum qn_status carry_strings(const struct qn_ids *ids, struct qn_relabeling *relabeling,
                                    struct qn_error *error) {
  uint64_t num_vertices = relabeling->num_vertices;
  uint64_t offset_bytes = (num_vertices + 1) * sizeof(uint64_t);
  uint64_t num_bytes = 0; /* of those that stay */
  for (uint64_t v = 0; v < num_vertices; v++) {
    const uint64_t *old = ids->string_offsets + relabeling->old_of_new[v];
    num_bytes += old[1] - old[0];
  }
  enum qn_status status = take_memory(relabeling, offset_bytes + num_bytes, error);
  if (status)
    return status;
  uint64_t *offsets = relabeling->memory;
  char *bytes = (char *)relabeling->memory + offset_bytes;
  offsets[0] = 0;
  for (uint64_t v = 0; v < num_vertices; v++) {
    uint64_t old = relabeling->old_of_new[v];
    uint64_t length = ids->string_offsets[old + 1] - ids->string_offsets[old];
    uint64_t room = num_bytes - offsets[v]; /* enough unless the file is being overwritten */
    offsets[v + 1] = offsets[v] + (length < room ? length : room);
  }
#pragma omp parallel for
  for (uint64_t v = 0; v < num_vertices; v++)
    memcpy(bytes + offsets[v], ids->string_bytes + ids->string_offsets[relabeling->old_of_new[v]],
           offsets[v + 1] - offsets[v]);
  relabeling->ids = (struct qn_ids){.kind = QN_IDS_STRINGS,
                                    .num_vertices = num_vertices,
                                    .string_offsets = offsets,
                                    .string_bytes = bytes};
  return QN_OK;
}

static enum qn_status carry_ids(const struct qn_ids *ids, struct qn_relabeling *relabeling,
                                struct qn_error *error) {
  return ids->kind == QN_IDS_STRINGS ? carry_strings(ids, relabeling, error)
                                     : carry_numbers(ids, relabeling, error);
}

/* ---- Orders --------------------------------------------------------------- */

enum qn_status qn_relabel_in_order(const struct qn_ids *ids, uint32_t *old_of_new,
                                   struct qn_relabeling *relabeling, struct qn_error *error) {
  const uint64_t num_vertices = ids->num_vertices;
  *relabeling = (struct qn_relabeling){.num_vertices = num_vertices, .old_of_new = old_of_new};
  enum qn_status status = qn_pages_alloc(&relabeling->new_of_old, num_vertices, sizeof(uint32_t),
                                         "the new numbers of vertices", error);
  if (status)
    return status;
#pragma omp parallel for
  for (uint64_t v = 0; v < num_vertices; v++)
    relabeling->new_of_old[old_of_new[v]] = (uint32_t)v;
  return carry_ids(ids, relabeling, error);
}

enum qn_status qn_relabel_descending(const struct qn_ids *ids, uint64_t *numbers,
                                     struct qn_relabeling *relabeling, struct qn_error *error) {
  uint64_t num_vertices = ids->num_vertices, largest = 0;
  uint32_t *old_of_new;
  *relabeling = (struct qn_relabeling){0};
#pragma omp parallel for reduction(max : largest)
  for (uint64_t v = 0; v < num_vertices; v++)
    largest = numbers[v] > largest ? numbers[v] : largest;
#pragma omp parallel for
  for (uint64_t v = 0; v < num_vertices; v++)
    numbers[v] = largest - numbers[v];
  struct qn_ids keys = {.kind = QN_IDS_NUMBERS, .num_vertices = num_vertices, .numbers = numbers};
  enum qn_status status = qn_ids_original_order(&keys, &old_of_new, error);
  return status ? status : qn_relabel_in_order(ids, old_of_new, relabeling, error);
}

/* Values of the permutation of the next power of two that lie outside are permuted again,
 * until they lie inside: still a bijection. */
static uint32_t permute_below(const struct qn_permutation *permutation, uint64_t limit,
                              uint64_t value) {
  do
    value = qn_permute(permutation, value);
  while (value >= limit);
  return (uint32_t)value;
}

enum qn_status qn_relabel_randomly(const struct qn_ids *ids, uint64_t seed,
                                   struct qn_relabeling *relabeling, struct qn_error *error) {
  enum { STREAM_RELABEL = 17 };
  uint64_t num_vertices = ids->num_vertices;
  unsigned bits = 0;
  while ((uint64_t)1 << bits < num_vertices)
    bits++;
  struct qn_permutation permutation = qn_permutation_of(bits, qn_random_key(seed, STREAM_RELABEL));
  *relabeling = (struct qn_relabeling){.num_vertices = num_vertices};
  enum qn_status status;
  if ((status = qn_pages_alloc(&relabeling->new_of_old, num_vertices, sizeof(uint32_t),
                               "the new numbers of vertices", error)) ||
      (status = qn_pages_alloc(&relabeling->old_of_new, num_vertices, sizeof(uint32_t),
                               "the new order of vertices", error)))
    return status;
#pragma omp parallel for
  for (uint64_t v = 0; v < num_vertices; v++) {
    uint32_t new_number = permute_below(&permutation, num_vertices, v);
    relabeling->new_of_old[v] = new_number;
    relabeling->old_of_new[new_number] = (uint32_t)v;
  }
  return carry_ids(ids, relabeling, error);
}

enum qn_status qn_relabel_subset(const struct qn_ids *ids, uint32_t *old_of_new, uint64_t count,
                                 struct qn_relabeling *relabeling, struct qn_error *error) {
  *relabeling = (struct qn_relabeling){.num_vertices = count, .old_of_new = old_of_new};
  enum qn_status status = carry_ids(ids, relabeling, error);
  relabeling->ids.ascending = ids->ascending;
  return status;
}

void qn_relabeling_destroy(struct qn_relabeling *relabeling) {
  qn_pages_free(relabeling->new_of_old, relabeling->num_vertices, sizeof(uint32_t));
  qn_pages_free(relabeling->old_of_new, relabeling->num_vertices, sizeof(uint32_t));
  qn_pages_free(relabeling->memory, relabeling->memory_bytes, 1);
  *relabeling = (struct qn_relabeling){0};
}
