/* The invariants of the slotted-pages layout (specs/slotted-pages.md), checked at memory speed.
 *
 * Pages are checked independently, in parallel; of all that are at fault the first one is
 * reported. What one page says of others (physical ids) is compared with a table of targets that
 * has been checked before. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "formats/container/verifier.h"
#include "support/memory.h"
#include <quern/fingerprint.h>
#include <quern/slotted_pages.h>

/* What is wrong with a page, and where. */
struct fault {
  uint64_t page; /* UINT64_MAX: nothing */
  unsigned rule; /* SP-rule */
  char what[192];
};

__attribute__((format(printf, 3, 4))) static bool fail_rule(struct fault *fault, unsigned rule,
                                                            const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(fault->what, sizeof fault->what, format, arguments);
  va_end(arguments);
  fault->rule = rule;
  return false;
}

/* A check of one page: false, with rule and text in `fault`, if it is at fault. */
typedef bool page_check(const struct qn_slotted_pages *view, const void *context, uint64_t page,
                        struct fault *fault);

/* Check every page and name the first one at fault. */
static enum qn_status check_pages(const struct qn_container *container,
                                  const struct qn_slotted_pages *view, page_check *check,
                                  const void *context, struct qn_error *error) {
  struct fault first = {.page = UINT64_MAX};
#pragma omp parallel for schedule(dynamic, qn_pages_per_task(view))
  for (uint64_t page = 0; page < view->num_pages; page++) {
    struct fault fault = {.page = page};
    if (check(view, context, page, &fault))
      continue;
#pragma omp critical(slotted_pages_fault)
    if (page < first.page)
      first = fault;
  }
  if (first.page == UINT64_MAX)
    return QN_OK;
  char rule[16];
  snprintf(rule, sizeof rule, "SP-%u", first.rule);
  return qn_container_violation(container, error, rule, "page %" PRIu64 ": %s", first.page,
                                first.what);
}

/* ---- The RVT (SP-2 to SP-5) ------------------------------------------------ */

static enum qn_status check_ends(const struct qn_container *container,
                                 const struct qn_slotted_pages *view, struct qn_error *error) {
  uint64_t last = view->num_pages;
  if (view->start_vids[0] != 0 || view->start_vids[last] != view->num_vertices)
    return qn_container_violation(container, error, "SP-2",
                                  "start_vids runs from %" PRIu32 " to %" PRIu32
                                  ", not from 0 to %" PRIu64 " vertices",
                                  view->start_vids[0], view->start_vids[last], view->num_vertices);
  if (view->edge_offsets[0] != 0 || view->edge_offsets[last] != view->num_edges)
    return qn_container_violation(container, error, "SP-5",
                                  "edge_offsets runs from %" PRIu64 " to %" PRIu64
                                  ", not from 0 to %" PRIu64 " edges",
                                  view->edge_offsets[0], view->edge_offsets[last], view->num_edges);
  return QN_OK;
}

/* Large pages of a vertex count down to 0, from 1 at least. */
static bool check_large_pages(const struct qn_slotted_pages *view, uint64_t page,
                              struct fault *fault) {
  int32_t range = view->lp_ranges[page];
  int32_t before = page > 0 ? view->lp_ranges[page - 1] : QN_SMALL_PAGE;
  if (range < QN_SMALL_PAGE)
    return fail_rule(fault, 3, "the LP_RANGE %" PRId32 " is less than -1", range);
  if (before > 0 && range != before - 1)
    return fail_rule(fault, 3, "the LP_RANGE is %" PRId32 " after one of %" PRId32, range, before);
  if (before <= 0 && range == 0)
    return fail_rule(fault, 3, "a vertex has a single large page");
  if (range > 0 && page + 1 == view->num_pages)
    return fail_rule(fault, 3, "%" PRId32 " more large pages should follow the last page", range);
  return true;
}

static bool check_rvt(const struct qn_slotted_pages *view, const void *context, uint64_t page,
                      struct fault *fault) {
  (void)context;
  if (!check_large_pages(view, page, fault))
    return false;
  uint64_t start = view->start_vids[page], next = view->start_vids[page + 1];
  bool large = qn_page_is_large(view, page);
  if (next < start)
    return fail_rule(fault, 4,
                     "the next page begins with vertex %" PRIu64 ", this one with %" PRIu64, next,
                     start);
  if (large && next - start != (view->lp_ranges[page] == 0))
    return fail_rule(fault, 4,
                     "a large page holds one vertex, but the next page begins with "
                     "vertex %" PRIu64 " after %" PRIu64,
                     next, start);
  if (!large && (next == start || next - start > qn_page_slot_limit(view->format.address)))
    return fail_rule(fault, 4, "%" PRIu64 " vertices on a small page; 1 to %" PRIu64 " can be",
                     next - start, qn_page_slot_limit(view->format.address));
  uint64_t slots = large ? 1 : next - start;
  uint64_t begin = view->edge_offsets[page], end = view->edge_offsets[page + 1];
  uint64_t head = slots * (QN_SLOT_BYTES + QN_ADJLIST_SIZE_BYTES);
  if (end < begin)
    return fail_rule(fault, 5, "edge_offsets descends from %" PRIu64 " to %" PRIu64, begin, end);
  if (head > view->format.page_bytes ||
      end - begin > (view->format.page_bytes - head) / view->format.edge_bytes)
    return fail_rule(fault, 5,
                     "%" PRIu64 " vertices and %" PRIu64 " edges do not fit in %" PRIu32 " bytes",
                     slots, end - begin, view->format.page_bytes);
  return true;
}

enum qn_status qn_slotted_pages_check_rvt(const struct qn_container *container,
                                          const struct qn_slotted_pages *view,
                                          struct qn_error *error) {
  enum qn_status status = check_ends(container, view, error);
  return status ? status : check_pages(container, view, check_rvt, NULL, error);
}

/* ---- Slots, records, physical ids (SP-6 to SP-10) -------------------------- */

/* What a physical id may lead to: the first vertex of a page, and how many have a slot there (none
 * on the later large pages of a vertex). */
struct target {
  uint32_t start_vid;
  uint32_t num_slots;
};

static bool check_slot(const struct qn_slotted_pages *view, uint64_t page, uint64_t slot,
                       uint64_t record_offset, struct fault *fault) {
  const uint8_t *at = qn_slot_at(&view->format, qn_page_at(view, page), slot);
  uint64_t vid = view->start_vids[page] + slot;
  if (qn_slot_vid(at) != vid)
    return fail_rule(fault, 6, "slot %" PRIu64 " is of vertex %" PRIu64 ", not of %" PRIu64, slot,
                     qn_slot_vid(at), vid);
  if (qn_slot_offset(at) != record_offset)
    return fail_rule(fault, 7,
                     "the record of slot %" PRIu64 " is at byte %" PRIu32 ", not at %" PRIu64, slot,
                     qn_slot_offset(at), record_offset);
  return true;
}

/* Slow and exact: names the first edge of a record that is at fault. */
static bool explain_record(const struct qn_slotted_pages *view, const struct target *targets,
                           const struct qn_page_record *record, uint64_t vertex, uint32_t previous,
                           struct fault *fault) {
  struct qn_page_address address = view->format.address;
  for (uint64_t i = 0; i < record->num_edges; i++) {
    uint64_t id =
        qn_load_physical_id(record->ids + i * qn_page_id_bytes(address), qn_page_id_bytes(address));
    uint64_t page = id & qn_page_id_mask(address), slot = id >> (8 * address.page_id_bytes);
    if (page >= view->num_pages || slot >= targets[page].num_slots)
      return fail_rule(fault, 9,
                       "edge %" PRIu64 " of vertex %" PRIu64 " leads to page %" PRIu64
                       ", slot %" PRIu64 ", where no vertex is",
                       i, vertex, page, slot);
    uint32_t destination = targets[page].start_vid + (uint32_t)slot;
    if (destination < previous)
      return fail_rule(fault, 10,
                       "edge %" PRIu64 " of vertex %" PRIu64 " leads to vertex %" PRIu32
                       " after %" PRIu32,
                       i, vertex, destination, previous);
    previous = destination;
  }
  return true;
}

/* Do all ids of a record name vertices, in ascending order from `*previous`? `id_bytes` is a
 * constant where this is called, so that the load of an id is one instruction. */
static inline bool record_is_sound(const struct qn_slotted_pages *view,
                                   const struct target *targets,
                                   const struct qn_page_record *record, unsigned id_bytes,
                                   uint32_t *previous) {
  uint64_t mask = qn_page_id_mask(view->format.address), num_pages = view->num_pages;
  unsigned shift = 8u * view->format.address.page_id_bytes;
  uint32_t before = *previous;
  bool bad = false;
  const uint8_t *at = record->ids;
  for (uint32_t i = 0; i < record->num_edges; i++, at += id_bytes) {
    uint64_t id = qn_load_physical_id(at, id_bytes);
    uint64_t page = id & mask, slot = id >> shift;
    bool outside = page >= num_pages;
    const struct target *target = &targets[outside ? 0 : page];
    uint32_t vertex = target->start_vid + (uint32_t)slot;
    bad |= outside | (slot >= target->num_slots) | (vertex < before);
    before = vertex;
  }
  *previous = before;
  return !bad;
}

/* The last destination on the page before, which is of the same vertex; its slot and record may
 * not have been checked yet, so what does not fit is passed over: that page is at fault. */
static uint32_t last_destination(const struct qn_slotted_pages *view, uint64_t page,
                                 const struct target *targets) {
  struct qn_page_address address = view->format.address;
  uint64_t edges = view->edge_offsets[page + 1] - view->edge_offsets[page];
  if (edges == 0)
    return 0;
  const uint8_t *ids = qn_page_at(view, page) + QN_ADJLIST_SIZE_BYTES;
  uint64_t id =
      qn_load_physical_id(ids + (edges - 1) * qn_page_id_bytes(address), qn_page_id_bytes(address));
  uint64_t target = id & qn_page_id_mask(address);
  if (target >= view->num_pages)
    return 0;
  return targets[target].start_vid + (uint32_t)(id >> (8 * address.page_id_bytes));
}

/* What pages are checked against, and whose they are. */
struct surroundings {
  const struct qn_container *container;
  struct target *targets;
};

/* Most pages are small, and have no chunk that begins on them. */
static void read_page(const struct qn_container *container, const struct qn_slotted_pages *view,
                      uint64_t page) {
  const uint64_t begin = page * view->format.page_bytes, end = begin + view->format.page_bytes;
  if (qn_num_chunks(begin) != qn_num_chunks(end))
    qn_container_reading(container, view->pages + begin, view->pages + end);
}

static bool check_page(const struct qn_slotted_pages *view, const void *context, uint64_t page,
                       struct fault *fault) {
  const struct surroundings *surroundings = context;
  const struct target *targets = surroundings->targets;
  const uint8_t *bytes = qn_page_at(view, page);
  read_page(surroundings->container, view, page);
  unsigned id_bytes = qn_page_id_bytes(view->format.address);
  uint64_t edges_left = view->edge_offsets[page + 1] - view->edge_offsets[page];
  uint32_t num_slots = qn_page_num_slots(view, page);
  uint32_t inherited = qn_page_is_first(view, page) ? 0 : last_destination(view, page - 1, targets);
  uint64_t offset = 0;
  for (uint64_t slot = 0; slot < num_slots; slot++) {
    if (!check_slot(view, page, slot, offset, fault))
      return false;
    struct qn_page_record record = qn_page_record_at(&view->format, bytes, (uint32_t)offset);
    uint64_t vertex = view->start_vids[page] + slot;
    if (record.num_edges > edges_left || (slot + 1 == num_slots && record.num_edges < edges_left))
      return fail_rule(fault, 8,
                       "vertex %" PRIu64 " has an ADJLIST_SZ of %" PRIu32 ", but %" PRIu64
                       " edges of the page are left",
                       vertex, record.num_edges, edges_left);
    uint32_t previous = inherited;
    bool sound = id_bytes == 4 ? record_is_sound(view, targets, &record, 4, &previous)
                               : record_is_sound(view, targets, &record, 6, &previous);
    if (!sound)
      return explain_record(view, targets, &record, vertex, inherited, fault);
    edges_left -= record.num_edges;
    offset += QN_ADJLIST_SIZE_BYTES + (uint64_t)record.num_edges * view->format.edge_bytes;
  }
  return true;
}

static enum qn_status create_targets(const struct qn_slotted_pages *view, struct target **out,
                                     struct qn_error *error) {
  enum qn_status status =
      qn_pages_alloc(out, view->num_pages, sizeof **out, "targets of physical ids", error);
  if (status)
    return status;
  struct target *targets = *out;
#pragma omp parallel for schedule(static)
  for (uint64_t page = 0; page < view->num_pages; page++) {
    targets[page].start_vid = view->start_vids[page];
    targets[page].num_slots = qn_page_is_first(view, page) ? qn_page_num_slots(view, page) : 0;
  }
  return QN_OK;
}

enum qn_status qn_slotted_pages_check(const struct qn_container *container,
                                      const struct qn_slotted_pages *view, struct qn_error *error) {
  struct surroundings surroundings = {.container = container};
  enum qn_status status = qn_slotted_pages_check_rvt(container, view, error);
  if (!status)
    status = create_targets(view, &surroundings.targets, error);
  if (!status)
    status = check_pages(container, view, check_page, &surroundings, error);
  if (!status)
    status = qn_ids_check(container, &view->ids, error);
  qn_pages_free(surroundings.targets, view->num_pages, sizeof *surroundings.targets);
  return status;
}

/* ---- Content (SP-11 to SP-14) ---------------------------------------------- */

/* Large pages are full, but for a vertex's last, which is not empty. */
static bool check_large_fill(const struct qn_slotted_pages *view, uint64_t page,
                             struct fault *fault) {
  uint64_t edges = view->edge_offsets[page + 1] - view->edge_offsets[page];
  uint64_t most = qn_page_edge_limit(&view->format);
  if (view->lp_ranges[page] > 0 && edges != most)
    return fail_rule(fault, 11,
                     "a large page before a vertex's last holds %" PRIu64 " edges, not %" PRIu64,
                     edges, most);
  if (view->lp_ranges[page] == 0 && edges == 0)
    return fail_rule(fault, 11, "a large page is empty");
  return true;
}

static bool check_unused(const struct qn_slotted_pages *view, uint64_t page, struct fault *fault) {
  const uint8_t *bytes = qn_page_at(view, page);
  uint64_t slots = qn_page_num_slots(view, page);
  uint64_t edges = view->edge_offsets[page + 1] - view->edge_offsets[page];
  uint64_t begin = slots * QN_ADJLIST_SIZE_BYTES + edges * view->format.edge_bytes;
  uint64_t end = view->format.page_bytes - slots * QN_SLOT_BYTES;
  for (uint64_t i = begin; i < end; i++)
    if (bytes[i] != 0)
      return fail_rule(fault, 12, "byte %" PRIu64 " is unused, but not zero", i);
  return true;
}

/* Is weight `i` of a record a finite number? */
static bool is_finite(enum qn_weight_type type, const uint8_t *weights, uint64_t i) {
  float narrow;
  double wide;
  if (type == QN_WEIGHT_F32) {
    memcpy(&narrow, weights + 4 * i, sizeof narrow);
    return isfinite(narrow);
  }
  memcpy(&wide, weights + 8 * i, sizeof wide);
  return isfinite(wide);
}

static bool check_weights(const struct qn_slotted_pages *view, uint64_t page, struct fault *fault) {
  const uint8_t *bytes = qn_page_at(view, page);
  uint32_t num_slots = qn_page_num_slots(view, page);
  for (uint64_t slot = 0; slot < num_slots; slot++) {
    struct qn_page_record record = qn_page_record(&view->format, bytes, slot);
    for (uint64_t i = 0; i < record.num_edges; i++)
      if (!is_finite(view->weight_type, record.weights, i))
        return fail_rule(fault, 13,
                         "the weight of edge %" PRIu64 " of vertex %" PRIu64 " is not finite", i,
                         view->start_vids[page] + slot);
  }
  return true;
}

static bool check_page_content(const struct qn_slotted_pages *view, const void *context,
                               uint64_t page, struct fault *fault) {
  (void)context;
  bool real = view->weight_type == QN_WEIGHT_F32 || view->weight_type == QN_WEIGHT_F64;
  return (!qn_page_is_large(view, page) || check_large_fill(view, page, fault)) &&
         check_unused(view, page, fault) && (!real || check_weights(view, page, fault));
}

/* Add a record's edges to their fingerprint and to that of their reversals. */
static void mix_record(const struct qn_slotted_pages *view, const struct qn_page_record *record,
                       uint32_t vertex, uint64_t *forward, uint64_t *backward) {
  struct qn_page_address address = view->format.address;
  unsigned id_bytes = qn_page_id_bytes(address), weight_bytes = qn_weight_bytes(view->weight_type);
  uint64_t destinations = 0, sources = 0;
  for (uint64_t i = 0; i < record->num_edges; i++) {
    uint64_t id = qn_load_physical_id(record->ids + i * id_bytes, id_bytes);
    uint32_t other = qn_physical_id_vertex(view->start_vids, address, id);
    uint64_t bits = weight_bytes ? qn_weight_load(record->weights, weight_bytes, i) : 0;
    uint64_t weight = qn_mix_weight_of(bits, weight_bytes);
    destinations += qn_mix_destination(other) * weight;
    sources += qn_mix_source(other) * weight;
  }
  *forward += qn_mix_source(vertex) * destinations;
  *backward += qn_mix_destination(vertex) * sources;
}

static bool is_symmetric(const struct qn_slotted_pages *view) {
  uint64_t forward = 0, backward = 0;
#pragma omp parallel for schedule(dynamic, qn_pages_per_task(view)) reduction(+ : forward, backward)
  for (uint64_t page = 0; page < view->num_pages; page++) {
    uint32_t num_slots = qn_page_num_slots(view, page);
    for (uint64_t slot = 0; slot < num_slots; slot++) {
      struct qn_page_record record = qn_page_record(&view->format, qn_page_at(view, page), slot);
      mix_record(view, &record, view->start_vids[page] + (uint32_t)slot, &forward, &backward);
    }
  }
  return forward == backward;
}

enum qn_status qn_slotted_pages_check_content(const struct qn_container *container,
                                              const struct qn_slotted_pages *view,
                                              struct qn_error *error) {
  enum qn_status status = check_pages(container, view, check_page_content, NULL, error);
  if (!status && view->directedness == QN_UNDIRECTED && !is_symmetric(view))
    status = qn_container_violation(container, error, "SP-14",
                                    "the header says undirected, but some edge lacks its reverse");
  return status;
}
