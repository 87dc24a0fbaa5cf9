#include "converters/changes/delta.h"

#include "support/memory.h"
#include "support/search.h"

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

/* The first place from `at` on whose number is `number` or more: ids that ascend are looked up one
 * after the other, each near the one before. */
static uint64_t step_to(const struct qn_ids *among, uint64_t at, uint64_t number) {
  const uint64_t count = among->num_vertices;
  uint64_t step = 1, end = at;
  while (end < count && among->numbers[end] < number) {
    at = end + 1;
    end = count - end > step ? end + step : count;
    step *= 2;
  }
  return qn_lower_bound_u64(among->numbers, at, end, number);
}

/* Ids that are looked up in one source. */
struct looking {
  const struct qn_ids *among, *ids;
  const uint32_t *order;
  uint64_t begin; /* the first vertex of the source */
  uint64_t at;    /* where the last number was looked up */
};

static bool find_in(struct looking *looking, uint64_t v, uint32_t *found) {
  const struct qn_ids *among = looking->among, *ids = looking->ids;
  char buffer[24];
  uint64_t length;
  if (ids->kind == QN_IDS_STRINGS) {
    const char *text = qn_ids_text(ids, v, buffer, &length);
    return among->kind == QN_IDS_STRINGS &&
           qn_ids_lookup(among, looking->order, text, length, found);
  }
  const uint64_t number = ids->kind == QN_IDS_NUMBERS ? ids->numbers[v] : v;
  if (among->kind == QN_IDS_DENSE) {
    *found = (uint32_t)(number - looking->begin);
    return number >= looking->begin && number - looking->begin < among->num_vertices;
  }
  if (looking->order || !ids->ascending)
    return qn_ids_lookup_number(among, looking->order, number, found);
  looking->at = step_to(among, looking->at, number);
  *found = (uint32_t)looking->at;
  return looking->at < among->num_vertices && among->numbers[looking->at] == number;
}

#define IDS_OF_TASK 8192

/* Those that no source before this one has. */
static void find_in_source(const struct qn_known_vertices *known, uint64_t source,
                           const struct qn_ids *ids, uint32_t *map) {
  const struct qn_changed *changed = known->changed;
  const struct looking begun = {.among = ids_of(changed, source),
                                .ids = ids,
                                .order = known->orders[source],
                                .begin = source ? changed->set->ranges[source - 1].begin : 0};
  if (begun.among->num_vertices == 0)
    return;
#pragma omp parallel for schedule(static)
  for (uint64_t first = 0; first < ids->num_vertices; first += IDS_OF_TASK) {
    const uint64_t left = ids->num_vertices - first,
                   end = first + (left < IDS_OF_TASK ? left : IDS_OF_TASK);
    struct looking looking = begun;
    uint32_t found;
    for (uint64_t v = first; v < end; v++)
      if (map[v] == QN_NO_VERTEX && find_in(&looking, v, &found))
        map[v] = (uint32_t)(begun.begin + found);
  }
}

void qn_known_vertices_find_all(const struct qn_known_vertices *known, const struct qn_ids *ids,
                                uint32_t *map) {
  for (uint64_t v = 0; v < ids->num_vertices; v++)
    map[v] = QN_NO_VERTEX;
  for (uint64_t source = 0; source <= known->changed->num_blocks; source++)
    find_in_source(known, source, ids, map);
}

/* ---- Edges ----------------------------------------------------------------------- */

/* So many keys are moved one by one, more by 8 bits at a time. */
#define FEW 48

static void sort_few(uint64_t *keys, uint64_t count) {
  for (uint64_t i = 1; i < count; i++) {
    const uint64_t key = keys[i];
    uint64_t at = i;
    for (; at > 0 && keys[at - 1] >> 32 > key >> 32; at--)
      keys[at] = keys[at - 1];
    keys[at] = key;
  }
}

/* Four passes end where they began. */
static void sort_many(uint64_t *keys, uint64_t count, uint64_t *room) {
  for (unsigned shift = 32; shift < 64; shift += 8) {
    uint64_t starts[257] = {0}, *other = keys;
    for (uint64_t i = 0; i < count; i++)
      starts[(keys[i] >> shift & 255) + 1]++;
    for (unsigned digit = 0; digit < 256; digit++)
      starts[digit + 1] += starts[digit];
    for (uint64_t i = 0; i < count; i++)
      room[starts[keys[i] >> shift & 255]++] = keys[i];
    keys = room;
    room = other;
  }
}

/* By the upper 32 bits; equal ones stay in their order, and what ascends already is left alone.
 * `room` has as many. */
static void sort_keys(uint64_t *keys, uint64_t count, uint64_t *room) {
  uint64_t i = 1;
  while (i < count && keys[i - 1] >> 32 <= keys[i] >> 32)
    i++;
  if (i >= count)
    return;
  if (count < FEW)
    sort_few(keys, count);
  else
    sort_many(keys, count, room);
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
                    uint64_t *room, struct qn_delta *delta) {
  const uint64_t begin = rows->row_offsets[d], end = rows->row_offsets[d + 1];
  uint64_t at = delta->offsets[delta->num_rows], count = 0;
  for (uint64_t e = begin; e < end; e++)
    if (map[rows->column_indices[e]] != QN_NO_VERTEX)
      keys[count++] = (uint64_t)map[rows->column_indices[e]] << 32 | (e - begin);
  if (count == 0)
    return;
  sort_keys(keys, count, room);
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
  return count;
}

enum qn_status qn_delta_make(const struct qn_csr *rows, const uint32_t *map, struct qn_delta *delta,
                             struct qn_error *error) {
  uint64_t *order = NULL, *keys = NULL, *room = NULL, count = 0, longest;
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
  if (!status)
    status = qn_alloc(&room, count > longest ? count : longest, sizeof *room, "rows", error);
  if (!status)
    sort_keys(order, count, room);
  for (uint64_t i = 0; !status && i < count; i++)
    add_row(rows, (uint32_t)order[i], map, keys, room, delta);
  qn_free(room);
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
