/* Where records and slots lie and what slots say follows from the out-degrees; a physical id from
 * the RVT and the destination, whose numbers compress like any column indices. */
#include "formats/archive/pages.h"

#include <string.h>

#include "formats/archive/rows_reader.h"
#include "formats/container/varint.h"
#include "support/memory.h"
#include "support/multiversion.h"

bool qn_paging_applies(const struct qn_container *container, const struct qn_section *section) {
  const struct qn_container_info *info = qn_container_info(container);
  return info->layout == QN_LAYOUT_SLOTTED_PAGES && strcmp(section->name, "pages") == 0 &&
         section->element_bytes == 1 && qn_weight_bytes(info->weight_type) <= 4 &&
         info->parameters[0] > 0 && info->parameters[0] <= QN_ARCHIVE_PAGE_LIMIT;
}

uint64_t qn_paging_frame_bytes(uint64_t page_bytes) {
  const uint64_t most = 1 << 20;
  return page_bytes < most ? most / page_bytes * page_bytes : page_bytes;
}

/* ---- Groups ------------------------------------------------------------------ */

enum { MOST_BUCKETS = 1 << 15 };

static void fill_groups(const struct qn_slotted_pages *view, struct qn_page_groups *groups) {
  uint64_t count = 0;
  for (uint64_t page = 0; page < view->num_pages; page++) {
    if (!qn_page_is_first(view, page))
      continue;
    groups->starts[count] = view->start_vids[page];
    groups->pages[count++] = (uint32_t)page;
  }
  groups->starts[count] = (uint32_t)view->num_vertices;
}

static void fill_buckets(struct qn_page_groups *groups) {
  uint64_t buckets = ((groups->num_vertices - 1) >> groups->shift) + 1, group = 0;
  for (uint64_t bucket = 0; bucket < buckets; bucket++) {
    while (groups->starts[group + 1] <= bucket << groups->shift)
      group++;
    groups->buckets[bucket] = (uint32_t)group;
  }
  while (groups->starts[group + 1] < groups->num_vertices)
    group++;
  groups->buckets[buckets] = (uint32_t)group;
}

static uint64_t base_of_group(const struct qn_page_groups *groups, uint64_t group) {
  return groups->pages[group] - ((uint64_t)groups->starts[group] << groups->page_id_bits);
}

static void fill_bases(struct qn_page_groups *groups) {
  uint64_t buckets = ((groups->num_vertices - 1) >> groups->shift) + 1;
  for (uint64_t bucket = 0; bucket < buckets; bucket++) {
    uint32_t group = groups->buckets[bucket];
    groups->bases[bucket] =
        group == groups->buckets[bucket + 1] ? base_of_group(groups, group) : UINT64_MAX;
  }
}

static enum qn_status alloc_groups(struct qn_page_groups *groups, struct qn_error *error) {
  enum qn_status status = qn_pages_alloc(&groups->starts, groups->room + 1, sizeof *groups->starts,
                                         "first vertices of pages", error);
  if (!status)
    status = qn_pages_alloc(&groups->pages, groups->room, sizeof *groups->pages,
                            "first pages of vertices", error);
  if (!status)
    status =
        qn_alloc(&groups->buckets, MOST_BUCKETS + 1, sizeof *groups->buckets, "an index", error);
  if (!status)
    status = qn_alloc(&groups->bases, MOST_BUCKETS, sizeof *groups->bases, "an index", error);
  return status;
}

enum qn_status qn_paging_create(const struct qn_slotted_pages *view, struct qn_paging *paging,
                                struct qn_error *error) {
  struct qn_page_groups *groups = &paging->groups;
  *paging = (struct qn_paging){.view = *view,
                               .groups = {.num_vertices = view->num_vertices,
                                          .page_id_bits = 8u * view->format.address.page_id_bytes,
                                          .room = view->num_pages}};
  while (view->num_vertices >> groups->shift >= MOST_BUCKETS)
    groups->shift++;
  enum qn_status status = alloc_groups(groups, error);
  if (status) {
    qn_paging_destroy(paging);
  } else if (view->num_vertices > 0) {
    fill_groups(view, groups);
    fill_buckets(groups);
    fill_bases(groups);
  }
  return status;
}

void qn_paging_destroy(struct qn_paging *paging) {
  struct qn_page_groups *groups = &paging->groups;
  qn_pages_free(groups->starts, groups->room + 1, sizeof *groups->starts);
  qn_pages_free(groups->pages, groups->room, sizeof *groups->pages);
  qn_free(groups->buckets);
  qn_free(groups->bases);
  *groups = (struct qn_page_groups){0};
}

/* Of a bucket with several groups. */
static uint64_t base_by_search(const struct qn_page_groups *groups, uint32_t vertex) {
  const uint32_t *bucket = &groups->buckets[vertex >> groups->shift];
  uint64_t group = bucket[0], left = bucket[1] - bucket[0] + 1;
  while (left > 1) {
    uint64_t half = left / 2;
    group += groups->starts[group + half] <= vertex ? half : 0;
    left -= half;
  }
  return base_of_group(groups, group);
}

QN_ALWAYS_INLINE uint64_t physical_id(const struct qn_page_groups *groups, uint32_t vertex) {
  const uint64_t no_page = ((uint64_t)1 << groups->page_id_bits) - 1;
  uint64_t base = groups->bases[vertex >> groups->shift];
  if (__builtin_expect((base & no_page) == no_page, 0))
    base = base_by_search(groups, vertex);
  return ((uint64_t)vertex << groups->page_id_bits) + base;
}

/* ---- Sizes --------------------------------------------------------------------- */

/* Of a page, a slot and its ADJLIST_SZ take 14 bytes, and an edge 4 at least, 8 with a weight;
 * filtered, 5 at most, and 6, 10 with a weight. */
uint64_t qn_paging_bound(uint64_t frame_bytes) {
  return frame_bytes / 2 * 3 + 64;
}

/* Numbers of 4 bytes of all these. */
uint64_t qn_paging_scratch(uint64_t frame_bytes) {
  return frame_bytes;
}

/* What a frame is made of. In its memory, one after the other. */
struct parts {
  uint64_t num_records, num_edges;
  uint32_t *degrees; /* [num_records] */
  uint32_t *columns; /* [num_edges] */
  uint32_t *weights; /* [num_edges] if there are any */
};

static struct parts parts_of(const struct qn_paging *paging, uint64_t first, uint64_t end,
                             void *scratch) {
  const struct qn_slotted_pages *view = &paging->view;
  struct parts parts = {.num_edges = view->edge_offsets[end] - view->edge_offsets[first]};
  for (uint64_t page = first; page < end; page++)
    parts.num_records += qn_page_num_slots(view, page);
  parts.degrees = scratch;
  parts.columns = parts.degrees + parts.num_records;
  parts.weights = parts.columns + parts.num_edges;
  return parts;
}

static bool has_weights(const struct qn_paging *paging) {
  return paging->view.weight_type != QN_WEIGHT_NONE;
}

/* ---- Encoding ------------------------------------------------------------------ */

/* Take a record apart: its columns and weights become those from edge number `edge` on. */
static void take_record(const struct qn_paging *paging, const struct qn_page_record *record,
                        const struct parts *parts, uint64_t edge) {
  const struct qn_page_address address = paging->view.format.address;
  unsigned id_bytes = qn_page_id_bytes(address);
  for (uint64_t i = 0; i < record->num_edges; i++)
    parts->columns[edge + i] =
        qn_physical_id_vertex(paging->view.start_vids, address,
                              qn_load_physical_id(record->ids + i * id_bytes, id_bytes));
  if (has_weights(paging))
    memcpy(parts->weights + edge, record->weights, 4 * (uint64_t)record->num_edges);
}

static void take_pages(const struct qn_paging *paging, uint64_t first, uint64_t end,
                       const struct parts *parts) {
  const struct qn_slotted_pages *view = &paging->view;
  uint64_t number = 0, edge = 0;
  for (uint64_t page = first; page < end; page++)
    for (uint64_t slot = 0; slot < qn_page_num_slots(view, page); slot++) {
      struct qn_page_record record = qn_page_record(&view->format, qn_page_at(view, page), slot);
      parts->degrees[number++] = record.num_edges;
      take_record(paging, &record, parts, edge);
      edge += record.num_edges;
    }
}

uint64_t qn_paging_encode(const struct qn_paging *paging, enum qn_filter filter, uint64_t first,
                          uint64_t end, void *scratch, uint8_t *out, uint64_t *head_bytes) {
  const struct parts parts = parts_of(paging, first, end, scratch);
  uint8_t *next = out;
  take_pages(paging, first, end, &parts);
  for (uint64_t i = 0; i < parts.num_records; i++)
    next = qn_put_varint(next, parts.degrees[i]);
  if (has_weights(paging))
    next += qn_filter_encode(QN_FILTER_SHUFFLE, 4, parts.weights, parts.num_edges, next);
  if (filter == QN_FILTER_PAGE_GAPS) {
    next += qn_filter_encode(QN_FILTER_GAPS, 4, parts.columns, parts.num_edges, next);
    return *head_bytes = (uint64_t)(next - out);
  }
  *head_bytes = (uint64_t)(next - out) + 4; /* with the length of the first stream */
  memset(next, 0, 4 + 5 * parts.num_edges + QN_ROWS_SLACK);
  next += qn_packed_rows_put_bits(paging->view.num_vertices, parts.degrees, parts.num_records,
                                  parts.columns, next);
  return (uint64_t)(next - out);
}

/* ---- Decoding ------------------------------------------------------------------ */

/* Where destinations come from. */
struct source {
  bool rows;
  struct qn_packed_rows_reader reader; /* of rows in bits */
  const uint32_t *columns;             /* else the next one */
};

QN_ALWAYS_INLINE bool next_column(struct source *source, bool rows, uint64_t num_vertices,
                                  uint32_t *column) {
  if (rows)
    return qn_packed_rows_next_column(&source->reader, column);
  *column = *source->columns++;
  return __builtin_expect(*column < num_vertices, 1);
}

/* Write the physical ids of the next `degree` columns. The last may write up to 8 - w bytes behind
 * itself, where weights or slots will be. */
QN_ALWAYS_INLINE bool put_ids(const struct qn_page_groups *groups, struct source *source, bool rows,
                              uint32_t degree, unsigned id_bytes, uint8_t *out) {
  for (uint32_t i = 0; i < degree; i++, out += id_bytes) {
    uint32_t column;
    if (!next_column(source, rows, groups->num_vertices, &column))
      return false;
    uint64_t id = physical_id(groups, column);
    if (id_bytes == 4)
      qn_store_u32(out, (uint32_t)id);
    else
      memcpy(out, &id, sizeof id);
  }
  return true;
}

/* The records of a page; `*used` are the bytes that they take. What is read from is in variables of
 * this function, so that the compiler sees that records don't lie there. */
QN_ALWAYS_INLINE bool put_records(const struct qn_page_groups *shared_groups,
                                  struct source *shared_source, bool rows, unsigned id_bytes,
                                  const uint32_t *degrees, uint64_t num_records,
                                  const uint32_t *weights, uint8_t *out, uint64_t *used) {
  const struct qn_page_groups groups = *shared_groups;
  struct source source = *shared_source;
  uint8_t *next = out;
  for (uint64_t i = 0; i < num_records; i++) {
    uint32_t degree = degrees[i];
    qn_store_u32(next, degree);
    next += QN_ADJLIST_SIZE_BYTES;
    if (rows && degree && !qn_packed_rows_next_row(&source.reader, 0, degree))
      return false;
    if (!put_ids(&groups, &source, rows, degree, id_bytes, next))
      return false;
    next += (uint64_t)degree * id_bytes;
    if (!weights)
      continue;
    memcpy(next, weights, 4 * (uint64_t)degree);
    next += 4 * (uint64_t)degree;
    weights += degree;
  }
  *shared_source = source;
  *used = (uint64_t)(next - out);
  return true;
}

QN_VECTOR_CLONES
static bool put_records_of(const struct qn_paging *paging, struct source *source,
                           const uint32_t *degrees, uint64_t num_records, const uint32_t *weights,
                           uint8_t *out, uint64_t *used) {
  bool narrow = qn_page_id_bytes(paging->view.format.address) == 4;
  if (source->rows)
    return narrow ? put_records(&paging->groups, source, true, 4, degrees, num_records, weights,
                                out, used)
                  : put_records(&paging->groups, source, true, 6, degrees, num_records, weights,
                                out, used);
  return narrow ? put_records(&paging->groups, source, false, 4, degrees, num_records, weights, out,
                              used)
                : put_records(&paging->groups, source, false, 6, degrees, num_records, weights, out,
                              used);
}

static void put_slots(const struct qn_page_format *format, uint64_t first_vertex,
                      const uint32_t *degrees, uint64_t num_slots, uint8_t *page) {
  uint32_t offset = 0;
  for (uint64_t slot = 0; slot < num_slots; slot++) {
    qn_store_slot(format, page, slot, first_vertex + slot, offset);
    offset += QN_ADJLIST_SIZE_BYTES + degrees[slot] * format->edge_bytes;
  }
}

/* SP-8, so that a page's records end before its slots. */
static bool degrees_add_up(const uint32_t *degrees, uint64_t count, uint64_t num_edges) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < count; i++)
    sum += degrees[i];
  return sum == num_edges;
}

static bool put_page(const struct qn_paging *paging, uint64_t page, struct source *source,
                     const uint32_t *degrees, const uint32_t *weights, uint8_t *out) {
  const struct qn_slotted_pages *view = &paging->view;
  uint64_t slots = qn_page_num_slots(view, page), used;
  uint64_t edges = view->edge_offsets[page + 1] - view->edge_offsets[page];
  if (!degrees_add_up(degrees, slots, edges) ||
      !put_records_of(paging, source, degrees, slots, weights, out, &used))
    return false;
  memset(out + used, 0, view->format.page_bytes - slots * QN_SLOT_BYTES - used);
  put_slots(&view->format, view->start_vids[page], degrees, slots, out);
  return true;
}

static bool put_pages(const struct qn_paging *paging, uint64_t first, uint64_t end,
                      const struct parts *parts, struct source *source, uint8_t *out) {
  const struct qn_slotted_pages *view = &paging->view;
  const uint32_t *degrees = parts->degrees;
  for (uint64_t page = first; page < end; page++, out += view->format.page_bytes) {
    uint64_t before = view->edge_offsets[page] - view->edge_offsets[first];
    const uint32_t *weights = has_weights(paging) ? parts->weights + before : NULL;
    if (!put_page(paging, page, source, degrees, weights, out))
      return false;
    degrees += qn_page_num_slots(view, page);
  }
  return true;
}

bool qn_paging_decode(const struct qn_paging *paging, enum qn_filter filter, uint64_t first,
                      uint64_t end, const uint8_t *in, uint64_t bytes, void *scratch,
                      uint8_t *out) {
  const struct parts parts = parts_of(paging, first, end, scratch);
  const uint8_t *in_end = in + bytes;
  uint64_t weight_bytes = has_weights(paging) ? 4 * parts.num_edges : 0;
  struct source source = {.rows = filter == QN_FILTER_PAGE_ROWS, .columns = parts.columns};
  struct qn_packed_rows_bits bits;
  in = qn_get_varints_u32(in, in_end, parts.degrees, parts.num_records);
  if (!in || weight_bytes > (uint64_t)(in_end - in))
    return false;
  if (weight_bytes)
    qn_filter_decode(QN_FILTER_SHUFFLE, 4, in, weight_bytes, parts.weights, parts.num_edges);
  in += weight_bytes;
  if (!source.rows)
    return qn_filter_decode(QN_FILTER_GAPS, 4, in, (uint64_t)(in_end - in), parts.columns,
                            parts.num_edges) &&
           put_pages(paging, first, end, &parts, &source, out);
  if (!qn_packed_rows_get_bits(in, in_end, &bits))
    return false;
  source.reader = qn_packed_rows_reader(paging->view.num_vertices, &bits);
  return put_pages(paging, first, end, &parts, &source, out) &&
         qn_packed_rows_at_end(&source.reader);
}
