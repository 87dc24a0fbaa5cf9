#include "converters/changes/delta.h"

#include <stdlib.h>

#include "support/memory.h"

/* ---- Vertices -------------------------------------------------------------------- */

static const struct qn_ids *ids_of(const struct qn_changed *changed, uint64_t i) {
  return i ? &changed->set->ranges[i - 1].ids : &changed->graph.ids;
}

enum qn_status qn_known_vertices_make(const struct qn_changed *changed,
                                      struct qn_known_vertices *known, struct qn_error *error) {
  *known = (struct qn_known_vertices){.changed = changed};
  enum qn_status status = qn_alloc_zeroed(&known->orders, changed->num_blocks + 1,
                                          sizeof *known->orders, "orders of ids", error);
  for (uint64_t i = 0; !status && i <= changed->num_blocks; i++)
    status = qn_ids_original_order(ids_of(changed, i), &known->orders[i], error);
  return status;
}

void qn_known_vertices_release(struct qn_known_vertices *known) {
  for (uint64_t i = 0; known->orders && i <= known->changed->num_blocks; i++)
    qn_pages_free(known->orders[i], ids_of(known->changed, i)->num_vertices, sizeof(uint32_t));
  qn_free(known->orders);
  *known = (struct qn_known_vertices){0};
}

uint64_t qn_known_vertices_count(const struct qn_known_vertices *known) {
  const struct qn_changed *changed = known->changed;
  return changed->num_blocks ? changed->set->ranges[changed->num_blocks - 1].end
                             : changed->graph.ids.num_vertices;
}

static bool find_in(const struct qn_ids *among, const uint32_t *order, uint64_t begin,
                    const struct qn_ids *ids, uint64_t v, uint32_t *found) {
  char buffer[24];
  uint64_t length;
  if (ids->kind == QN_IDS_STRINGS) {
    const char *text = qn_ids_text(ids, v, buffer, &length);
    return among->kind == QN_IDS_STRINGS && qn_ids_lookup(among, order, text, length, found);
  }
  uint64_t number = ids->kind == QN_IDS_NUMBERS ? ids->numbers[v] : v;
  if (among->kind == QN_IDS_DENSE) {
    *found = (uint32_t)(number - begin);
    return number >= begin && number - begin < among->num_vertices;
  }
  return qn_ids_lookup_number(among, order, number, found);
}

uint32_t qn_known_vertices_find(const struct qn_known_vertices *known, const struct qn_ids *ids,
                                uint64_t v) {
  const struct qn_changed *changed = known->changed;
  for (uint64_t i = 0; i <= changed->num_blocks; i++) {
    const uint64_t begin = i ? changed->set->ranges[i - 1].begin : 0;
    uint32_t found;
    if (ids_of(changed, i)->num_vertices &&
        find_in(ids_of(changed, i), known->orders[i], begin, ids, v, &found))
      return (uint32_t)(begin + found);
  }
  return QN_NO_VERTEX;
}

/* ---- Edges ----------------------------------------------------------------------- */

static int compare_keys(const void *a, const void *b) {
  const uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
  return (first > second) - (first < second);
}

static enum qn_status make_room(const struct qn_csr *rows, struct qn_delta *delta,
                                struct qn_error *error) {
  enum qn_status status =
      qn_alloc(&delta->vertices, rows->num_vertices, sizeof *delta->vertices, "rows", error);
  if (!status)
    status =
        qn_alloc(&delta->offsets, rows->num_vertices + 1, sizeof *delta->offsets, "rows", error);
  if (!status)
    status = qn_alloc(&delta->columns, rows->num_edges, sizeof *delta->columns, "edges", error);
  return status ? status
                : qn_alloc(&delta->edges, rows->num_edges, sizeof *delta->edges, "edges", error);
}

/* Row d behind those that are there: `keys` are columns, and places in the row. */
static void add_row(const struct qn_csr *rows, uint64_t d, const uint32_t *map, uint64_t *keys,
                    struct qn_delta *delta) {
  const uint64_t begin = rows->row_offsets[d], end = rows->row_offsets[d + 1];
  uint64_t at = delta->offsets[delta->num_rows], count = 0;
  for (uint64_t e = begin; e < end; e++)
    if (map[rows->column_indices[e]] != QN_NO_VERTEX)
      keys[count++] = (uint64_t)map[rows->column_indices[e]] << 32 | (e - begin);
  if (count == 0)
    return;
  qsort(keys, count, sizeof *keys, compare_keys);
  for (uint64_t i = 0; i < count; i++, at++) {
    delta->columns[at] = (uint32_t)(keys[i] >> 32);
    delta->edges[at] = begin + (uint32_t)keys[i];
  }
  delta->vertices[delta->num_rows++] = map[d];
  delta->offsets[delta->num_rows] = at;
}

/* The vertices that have edges, as `order` [returned] of vertices and rows. */
static uint64_t list_rows(const struct qn_csr *rows, const uint32_t *map, uint64_t *order,
                          uint64_t *longest) {
  uint64_t count = 0;
  *longest = 0;
  for (uint64_t d = 0; d < rows->num_vertices; d++) {
    const uint64_t length = rows->row_offsets[d + 1] - rows->row_offsets[d];
    if (length && map[d] != QN_NO_VERTEX)
      order[count++] = (uint64_t)map[d] << 32 | d;
    *longest = length > *longest ? length : *longest;
  }
  qsort(order, count, sizeof *order, compare_keys);
  return count;
}

enum qn_status qn_delta_make(const struct qn_csr *rows, const uint32_t *map, struct qn_delta *delta,
                             struct qn_error *error) {
  uint64_t *order = NULL, *keys = NULL, count = 0, longest;
  *delta = (struct qn_delta){0};
  enum qn_status status = make_room(rows, delta, error);
  if (!status)
    status = qn_alloc(&order, rows->num_vertices, sizeof *order, "rows", error);
  if (!status) {
    count = list_rows(rows, map, order, &longest);
    delta->offsets[0] = 0;
    status = longest > UINT32_MAX
                 ? qn_fail(error, QN_UNSUPPORTED, "a vertex has more than 2^32 - 1 new edges")
                 : qn_alloc(&keys, longest, sizeof *keys, "a row", error);
  }
  for (uint64_t i = 0; !status && i < count; i++)
    add_row(rows, (uint32_t)order[i], map, keys, delta);
  qn_free(keys);
  qn_free(order);
  return status;
}

void qn_delta_release(struct qn_delta *delta) {
  qn_free(delta->vertices);
  qn_free(delta->offsets);
  qn_free(delta->columns);
  qn_free(delta->edges);
  *delta = (struct qn_delta){0};
}
