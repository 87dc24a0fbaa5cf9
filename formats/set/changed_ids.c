/* What the vertices of a base and of generations are called. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/set/changed.h"
#include "support/checked.h"
#include "support/memory.h"
#include "support/temp_file.h"

/* The ids of source `i`: the base's (0), or those of new vertices. */
static const struct qn_ids *ids_of(const struct qn_changed *changed, uint64_t i) {
  return i ? &changed->set->ranges[i - 1].ids : &changed->graph.ids;
}

static uint64_t begin_of(const struct qn_changed *changed, uint64_t i) {
  return i ? changed->set->ranges[i - 1].begin : 0;
}

static void copy_numbers(const struct qn_ids *ids, uint64_t begin, uint64_t *numbers) {
  if (ids->kind == QN_IDS_NUMBERS) {
    memcpy(numbers + begin, ids->numbers, ids->num_vertices * sizeof *numbers);
    return;
  }
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < ids->num_vertices; v++)
    numbers[begin + v] = begin + v;
}

static enum qn_status join_numbers(const struct qn_changed *changed, struct qn_ids *ids,
                                   struct qn_error *error) {
  uint64_t *numbers;
  enum qn_status status =
      qn_bulk_alloc(&numbers, ids->num_vertices, sizeof *numbers, "the names of vertices", error);
  if (status)
    return status;
  ids->numbers = numbers;
  for (uint64_t i = 0; i <= changed->num_blocks; i++)
    if (ids_of(changed, i)->num_vertices)
      copy_numbers(ids_of(changed, i), begin_of(changed, i), numbers);
  return QN_OK;
}

/* Behind `at` bytes; offsets are bounded, as the file may have been written over. Returns where the
 * texts end. */
static uint64_t copy_texts(const struct qn_ids *from, uint64_t at, uint64_t room, uint64_t *offsets,
                           char *bytes) {
  const uint64_t length = from->string_offsets[from->num_vertices];
  const uint64_t fits = length < room - at ? length : room - at;
  memcpy(bytes + at, from->string_bytes, fits);
  for (uint64_t v = 1; v <= from->num_vertices; v++) {
    const uint64_t offset = from->string_offsets[v];
    offsets[v] = at + (offset < fits ? offset : fits);
  }
  return at + fits;
}

static enum qn_status join_texts(const struct qn_changed *changed, struct qn_ids *ids,
                                 struct qn_error *error) {
  uint64_t *offsets, length = 0, at = 0;
  char *bytes;
  for (uint64_t i = 0; i <= changed->num_blocks; i++) {
    const struct qn_ids *from = ids_of(changed, i);
    if (from->num_vertices &&
        !qn_add_u64(length, from->string_offsets[from->num_vertices], &length))
      return qn_fail_memory(error, "the names of vertices", UINT64_MAX);
  }
  enum qn_status status = qn_bulk_alloc(&offsets, ids->num_vertices + 1, sizeof *offsets,
                                        "the names of vertices", error);
  if (status)
    return status;
  ids->string_offsets = offsets;
  offsets[ids->num_vertices] = length; /* what release asks for, whatever follows */
  status = qn_bulk_alloc(&bytes, length, 1, "the names of vertices", error);
  if (status)
    return status;
  ids->string_bytes = bytes;
  offsets[0] = 0;
  for (uint64_t i = 0; i <= changed->num_blocks; i++)
    if (ids_of(changed, i)->num_vertices)
      at = copy_texts(ids_of(changed, i), at, length, offsets + begin_of(changed, i), bytes);
  offsets[ids->num_vertices] = length;
  return QN_OK;
}

static int compare(const struct qn_ids *ids, uint64_t a, uint64_t b) {
  if (ids->kind == QN_IDS_NUMBERS)
    return (ids->numbers[a] > ids->numbers[b]) - (ids->numbers[a] < ids->numbers[b]);
  const uint64_t *offsets = ids->string_offsets;
  const uint64_t first = offsets[a + 1] - offsets[a], second = offsets[b + 1] - offsets[b];
  const int order = memcmp(ids->string_bytes + offsets[a], ids->string_bytes + offsets[b],
                           first < second ? first : second);
  return order ? order : (first > second) - (first < second);
}

static bool ascend(const struct qn_changed *changed, const struct qn_ids *ids) {
  bool ascending = changed->graph.ids.ascending || changed->graph.ids.kind == QN_IDS_DENSE;
  const uint64_t known = changed->graph.ids.num_vertices;
  for (uint64_t v = known ? known : 1; ascending && v < ids->num_vertices; v++)
    ascending = compare(ids, v - 1, v) < 0;
  return ascending;
}

enum qn_status qn_changed_ids_make(const struct qn_changed *changed, struct qn_changed_ids *made,
                                   struct qn_error *error) {
  struct qn_ids *ids = &made->ids;
  *made = (struct qn_changed_ids){.ids = changed->graph.ids};
  const uint64_t num_vertices =
      changed->num_blocks ? changed->set->num_vertices : ids->num_vertices;
  enum qn_id_kind kind = QN_IDS_DENSE;
  for (uint64_t i = 0; i <= changed->num_blocks; i++)
    if (ids_of(changed, i)->num_vertices && ids_of(changed, i)->kind != QN_IDS_DENSE)
      kind = ids_of(changed, i)->kind;
  if (num_vertices == ids->num_vertices)
    return QN_OK;
  *ids = (struct qn_ids){.kind = kind, .num_vertices = num_vertices};
  if (kind == QN_IDS_DENSE) {
    ids->ascending = true;
    return QN_OK;
  }
  made->owned = true;
  enum qn_status status =
      kind == QN_IDS_NUMBERS ? join_numbers(changed, ids, error) : join_texts(changed, ids, error);
  ids->ascending = !status && ascend(changed, ids);
  return status;
}

/* What the vertices are called that the base does not have. */
static struct qn_ids behind_base(const struct qn_ids *ids, uint64_t known) {
  struct qn_ids behind = *ids;
  behind.num_vertices -= known;
  behind.numbers = ids->kind == QN_IDS_NUMBERS ? ids->numbers + known : NULL;
  behind.string_offsets = ids->kind == QN_IDS_STRINGS ? ids->string_offsets + known : NULL;
  return behind;
}

/* Those of the base ascend: only the others are sorted, and both are merged, the last ones first.
 */
enum qn_status qn_changed_ids_order(const struct qn_changed *changed, const struct qn_ids *ids,
                                    uint32_t **order, struct qn_error *error) {
  const struct qn_ids *base = &changed->graph.ids;
  uint64_t known = base->num_vertices, left = ids->num_vertices - known;
  if (ids->ascending || ids->kind == QN_IDS_DENSE || ids->kind != base->kind || !base->ascending)
    return qn_ids_original_order(ids, order, error);
  const struct qn_ids behind = behind_base(ids, known);
  uint32_t *added;
  enum qn_status status = qn_ids_original_order(&behind, &added, error);
  if (status)
    return status;
  status = qn_pages_alloc(order, ids->num_vertices, sizeof **order, "an id order", error);
  for (uint64_t i = status ? 0 : ids->num_vertices; i > 0; i--) {
    const uint64_t last = left ? base->num_vertices + (added ? added[left - 1] : left - 1) : 0;
    if (left == 0 || (known > 0 && compare(ids, known - 1, last) > 0)) {
      (*order)[i - 1] = (uint32_t)--known;
    } else {
      (*order)[i - 1] = (uint32_t)last;
      left--;
    }
  }
  qn_pages_free(added, behind.num_vertices, sizeof *added);
  return status;
}

void qn_changed_ids_release(struct qn_changed_ids *made) {
  const struct qn_ids *ids = &made->ids;
  if (made->owned) {
    qn_pages_free((void *)ids->numbers, ids->num_vertices, sizeof *ids->numbers);
    if (ids->string_offsets)
      qn_pages_free((void *)ids->string_bytes, ids->string_offsets[ids->num_vertices], 1);
    qn_pages_free((void *)ids->string_offsets, ids->num_vertices + 1, sizeof *ids->string_offsets);
  }
  *made = (struct qn_changed_ids){0};
}
