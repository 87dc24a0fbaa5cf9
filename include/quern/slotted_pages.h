/* The slotted-pages layout (specs/slotted-pages.md): topology in pages of one size, to be streamed
 * from storage while the values of vertices stay in device memory.
 * Source: Kim et al., GTS: A Fast and Scalable Graph Processing Method based on Streaming
 * Topology to GPUs (SIGMOD 2016), sections 2 and 6.1, appendix A.
 *
 * A page holds records from its front and slots from its back. Slot i is the i-th vertex of the
 * page (VID, 6 bytes) and where its record begins (OFF, u32); a record is a number of edges
 * (ADJLIST_SZ, u32), so many physical ids, and so many weights. A physical id names a vertex by
 * page id (p bytes) and slot number (q bytes). A vertex too large for one page lies alone on
 * consecutive large pages. The RVT says of every page which vertex it begins with. */
#ifndef QUERN_SLOTTED_PAGES_H
#define QUERN_SLOTTED_PAGES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <quern/container.h>
#include <quern/graph.h>
#include <quern/ids.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QN_SLOT_BYTES 10            /* VID, OFF */
#define QN_ADJLIST_SIZE_BYTES 4     /* ADJLIST_SZ */
#define QN_SMALL_PAGE ((int32_t)-1) /* lp_ranges of a small page */

/* How physical ids are split: one of (2,2), (3,3), (2,4), (4,2). */
struct qn_page_address {
  uint8_t page_id_bytes; /* p */
  uint8_t slot_bytes;    /* q */
};

/* What the header's parameters say, with the number of bytes of an edge. */
struct qn_page_format {
  struct qn_page_address address;
  uint32_t page_bytes; /* a multiple of 4 */
  uint32_t edge_bytes; /* p + q, and those of a weight */
};

struct qn_slotted_pages {
  struct qn_container *container; /* owned; NULL for borrowed containers */
  enum qn_directedness directedness;
  enum qn_weight_type weight_type;
  uint64_t num_vertices;
  uint64_t num_edges;
  struct qn_page_format format;
  uint64_t num_pages;
  /* The RVT, by page. */
  const uint32_t *start_vids;   /* [P + 1] first vertex of a page; the last entry is V */
  const int32_t *lp_ranges;     /* [P] QN_SMALL_PAGE, or how many more pages this vertex has */
  const uint64_t *edge_offsets; /* [P + 1] edges before a page; the last entry is E */
  const uint8_t *pages;         /* [P x page_bytes] */
  struct qn_ids ids;
};

/* Structure: SP-1, sections, ids. Check: the RVT (SP-2 to SP-5), that slots and records lie where
 * they belong (SP-6 to SP-8), that physical ids name vertices (SP-9), in order (SP-10), and ids
 * (ID-1 to ID-4). Content: SP-11 to SP-14. */
QN_DECLARE_LAYOUT(slotted_pages)

/* View all but the ids. In a container in archive form, a section that is encoded is NULL. */
enum qn_status qn_slotted_pages_view_pages(const struct qn_container *container,
                                           struct qn_slotted_pages *view, struct qn_error *error);

/* Check the RVT (SP-2 to SP-5). */
enum qn_status qn_slotted_pages_check_rvt(const struct qn_container *container,
                                          const struct qn_slotted_pages *view,
                                          struct qn_error *error);

/* ---- Limits ---------------------------------------------------------------- */

bool qn_page_address_valid(struct qn_page_address address);

/* The most pages: ids of p bytes, of which all ones is the null value, and LP_RANGE is an i32. */
uint64_t qn_page_count_limit(struct qn_page_address address);

/* The most slots of a page: 2^(8q). */
uint64_t qn_page_slot_limit(struct qn_page_address address);

/* The largest page in bytes: as many slots as q bytes count, each with a record of one edge of 6
 * bytes (GTS, Table 2), but no more than the u32 offset of a record spans. */
uint64_t qn_page_bytes_limit(struct qn_page_address address);

/* The smallest page in bytes: one vertex with one edge. */
uint64_t qn_page_bytes_minimum(struct qn_page_address address, enum qn_weight_type weight_type);

struct qn_page_format qn_page_format_of(struct qn_page_address address, uint32_t page_bytes,
                                        enum qn_weight_type weight_type);

/* The most edges that a page holds of one vertex. */
static inline uint64_t qn_page_edge_limit(const struct qn_page_format *format) {
  return (format->page_bytes - QN_SLOT_BYTES - QN_ADJLIST_SIZE_BYTES) / format->edge_bytes;
}

/* ---- Reading pages --------------------------------------------------------- */

static inline const uint8_t *qn_page_at(const struct qn_slotted_pages *view, uint64_t page) {
  return view->pages + page * view->format.page_bytes;
}

static inline bool qn_page_is_large(const struct qn_slotted_pages *view, uint64_t page) {
  return view->lp_ranges[page] != QN_SMALL_PAGE;
}

/* Is this page the first of its vertices' pages? All but the later large pages of a vertex are. */
static inline bool qn_page_is_first(const struct qn_slotted_pages *view, uint64_t page) {
  return page == 0 || view->lp_ranges[page - 1] <= 0;
}

/* How many slots a page has. */
static inline uint32_t qn_page_num_slots(const struct qn_slotted_pages *view, uint64_t page) {
  return qn_page_is_large(view, page) ? 1 : view->start_vids[page + 1] - view->start_vids[page];
}

/* How many pages a thread takes at a time: 64 KiB worth of them. */
static inline int qn_pages_per_task(const struct qn_slotted_pages *view) {
  return view->format.page_bytes < 1 << 16 ? (1 << 16) / (int)view->format.page_bytes : 1;
}

static inline uint32_t qn_load_u32(const uint8_t *bytes) {
  uint32_t value;
  memcpy(&value, bytes, sizeof value);
  return value;
}

static inline uint64_t qn_load_u48(const uint8_t *bytes) {
  uint16_t high;
  memcpy(&high, bytes + 4, sizeof high);
  return qn_load_u32(bytes) | (uint64_t)high << 32;
}

/* The physical id at `bytes`, of `id_bytes` = p + q: page id in the low 8p bits, slot number above.
 */
static inline uint64_t qn_load_physical_id(const uint8_t *bytes, unsigned id_bytes) {
  return id_bytes == 4 ? qn_load_u32(bytes) : qn_load_u48(bytes);
}

static inline uint64_t qn_page_id_mask(struct qn_page_address address) {
  return ((uint64_t)1 << (8 * address.page_id_bytes)) - 1;
}

static inline unsigned qn_page_id_bytes(struct qn_page_address address) {
  return (unsigned)address.page_id_bytes + address.slot_bytes;
}

/* The vertex that a physical id names: START_VID of its page plus slot number. */
static inline uint32_t qn_physical_id_vertex(const uint32_t *start_vids,
                                             struct qn_page_address address, uint64_t id) {
  return start_vids[id & qn_page_id_mask(address)] + (uint32_t)(id >> (8 * address.page_id_bytes));
}

static inline const uint8_t *qn_slot_at(const struct qn_page_format *format, const uint8_t *page,
                                        uint64_t slot) {
  return page + format->page_bytes - (slot + 1) * QN_SLOT_BYTES;
}

static inline uint64_t qn_slot_vid(const uint8_t *slot) {
  return qn_load_u48(slot);
}

static inline uint32_t qn_slot_offset(const uint8_t *slot) {
  return qn_load_u32(slot + 6);
}

/* A vertex's edges on one page. */
struct qn_page_record {
  uint32_t num_edges;
  const uint8_t *ids;     /* [num_edges x (p + q)] */
  const uint8_t *weights; /* [num_edges], if the graph has weights; aligned to 2 bytes only */
};

static inline struct qn_page_record qn_page_record_at(const struct qn_page_format *format,
                                                      const uint8_t *page, uint32_t offset) {
  struct qn_page_record record;
  record.num_edges = qn_load_u32(page + offset);
  record.ids = page + offset + QN_ADJLIST_SIZE_BYTES;
  record.weights = record.ids + (uint64_t)record.num_edges * qn_page_id_bytes(format->address);
  return record;
}

/* The record of a slot. */
static inline struct qn_page_record qn_page_record(const struct qn_page_format *format,
                                                   const uint8_t *page, uint64_t slot) {
  return qn_page_record_at(format, page, qn_slot_offset(qn_slot_at(format, page, slot)));
}

/* The first page of a vertex; a binary search in the RVT. */
uint64_t qn_slotted_pages_find(const struct qn_slotted_pages *view, uint64_t vertex);

/* The out-degree of a vertex, by the same search. */
uint64_t qn_slotted_pages_out_degree(const struct qn_slotted_pages *view, uint64_t vertex);

/* Where rows go as plain ones, those of the vertices from first_vertex on, whose edges begin with
 * first_edge in the layout. */
struct qn_page_rows {
  uint64_t first_vertex, num_rows, first_edge, num_edges;
  uint64_t
      *offsets; /* [num_rows + 1] where each begins in `columns`; the last one is not written */
  uint32_t *columns; /* [num_edges] */
  void *weights;     /* the same, or NULL: they are not wanted */
};

/* Decode the pages [begin, end), of which the first is the first of its vertices' pages, and the
 * last the last. Whatever the bytes are, nothing else is written; false if the rows are others. */
bool qn_slotted_pages_decode(const struct qn_slotted_pages *view, uint64_t begin, uint64_t end,
                             const struct qn_page_rows *to);

/* ---- Writing --------------------------------------------------------------- */

/* The arrays of a container being written, to be filled before commit. */
struct qn_slotted_pages_arrays {
  uint32_t *start_vids;   /* [P + 1] */
  int32_t *lp_ranges;     /* [P] */
  uint64_t *edge_offsets; /* [P + 1] */
  uint8_t *pages;         /* [P x page_bytes], zero */
};

/* Set layout and parameters, and add the sections of this layout; ids and metadata follow. */
enum qn_status qn_slotted_pages_write(struct qn_writer *writer, const struct qn_page_format *format,
                                      uint64_t num_pages, struct qn_slotted_pages_arrays *arrays,
                                      struct qn_error *error);

static inline void qn_store_u32(uint8_t *bytes, uint32_t value) {
  memcpy(bytes, &value, sizeof value);
}

static inline void qn_store_u48(uint8_t *bytes, uint64_t value) {
  uint16_t high = (uint16_t)(value >> 32);
  qn_store_u32(bytes, (uint32_t)value);
  memcpy(bytes + 4, &high, sizeof high);
}

static inline void qn_store_slot(const struct qn_page_format *format, uint8_t *page, uint64_t slot,
                                 uint64_t vid, uint32_t offset) {
  uint8_t *at = page + format->page_bytes - (slot + 1) * QN_SLOT_BYTES;
  qn_store_u48(at, vid);
  qn_store_u32(at + 6, offset);
}

#ifdef __cplusplus
}
#endif
#endif
