/* The slotted-pages layout: its limits, its view on a container, its sections when written. */
#include <quern/slotted_pages.h>

#include <inttypes.h>

#include "formats/container/figures.h"
#include "formats/container/view.h"
#include "support/search.h"

/* ---- Limits ---------------------------------------------------------------- */

bool qn_page_address_valid(struct qn_page_address address) {
  unsigned p = address.page_id_bytes, q = address.slot_bytes;
  return (p == 2 && (q == 2 || q == 4)) || (p == 3 && q == 3) || (p == 4 && q == 2);
}

uint64_t qn_page_count_limit(struct qn_page_address address) {
  uint64_t by_id = qn_page_id_mask(address);
  return by_id < INT32_MAX ? by_id : INT32_MAX;
}

uint64_t qn_page_slot_limit(struct qn_page_address address) {
  return (uint64_t)1 << (8 * address.slot_bytes);
}

uint64_t qn_page_bytes_limit(struct qn_page_address address) {
  const uint64_t smallest_record = QN_SLOT_BYTES + QN_ADJLIST_SIZE_BYTES + 6;
  const uint64_t by_offset = UINT32_MAX - 3;
  uint64_t by_slots = qn_page_slot_limit(address) * smallest_record;
  return by_slots < by_offset ? by_slots : by_offset;
}

uint64_t qn_page_bytes_minimum(struct qn_page_address address, enum qn_weight_type weight_type) {
  uint64_t bytes = QN_SLOT_BYTES + QN_ADJLIST_SIZE_BYTES + qn_page_id_bytes(address);
  return (bytes + qn_weight_bytes(weight_type) + 3) / 4 * 4;
}

struct qn_page_format qn_page_format_of(struct qn_page_address address, uint32_t page_bytes,
                                        enum qn_weight_type weight_type) {
  return (struct qn_page_format){
      .address = address,
      .page_bytes = page_bytes,
      .edge_bytes = qn_page_id_bytes(address) + qn_weight_bytes(weight_type),
  };
}

/* ---- View ------------------------------------------------------------------ */

static enum qn_status view_parameters(const struct qn_container *container,
                                      struct qn_slotted_pages *view, struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(container);
  const uint64_t *parameters = info->parameters;
  if (parameters[1] > 4 || parameters[2] > 4 ||
      !qn_page_address_valid(
          (struct qn_page_address){(uint8_t)parameters[1], (uint8_t)parameters[2]}))
    return qn_container_violation(container, error, "SP-1",
                                  "physical ids of %" PRIu64 " and %" PRIu64
                                  " bytes; expected 2,2, 3,3, 2,4 or 4,2",
                                  parameters[1], parameters[2]);
  struct qn_page_address address = {(uint8_t)parameters[1], (uint8_t)parameters[2]};
  uint64_t least = qn_page_bytes_minimum(address, info->weight_type);
  uint64_t most = qn_page_bytes_limit(address);
  if (parameters[0] < least || parameters[0] > most || parameters[0] % 4 != 0)
    return qn_container_violation(container, error, "SP-1",
                                  "pages of %" PRIu64 " bytes; expected a multiple of 4 from "
                                  "%" PRIu64 " to %" PRIu64,
                                  parameters[0], least, most);
  if (parameters[3] > qn_page_count_limit(address))
    return qn_container_violation(
        container, error, "SP-1", "%" PRIu64 " pages; ids of %u bytes reach %" PRIu64,
        parameters[3], address.page_id_bytes, qn_page_count_limit(address));
  view->format = qn_page_format_of(address, (uint32_t)parameters[0], info->weight_type);
  view->num_pages = parameters[3];
  return QN_OK;
}

static enum qn_status view_sections(const struct qn_container *container,
                                    struct qn_slotted_pages *view, struct qn_error *error) {
  const struct qn_section *section;
  enum qn_status status =
      qn_view_unsigned(container, "start_vids", 4, view->num_pages + 1, &view->start_vids, error);
  if (!status)
    status = qn_container_require(container, "lp_ranges", QN_ELEMENT_SIGNED, 4, view->num_pages,
                                  &section, error);
  if (status)
    return status;
  view->lp_ranges = section->data;
  status = qn_view_unsigned(container, "edge_offsets", 8, view->num_pages + 1, &view->edge_offsets,
                            error);
  if (status)
    return status;
  /* No overflow: fewer than 2^32 pages of less than 2^32 bytes. */
  status = qn_container_require(container, "pages", QN_ELEMENT_OPAQUE, 1,
                                view->num_pages * view->format.page_bytes, &section, error);
  if (!status)
    view->pages = section->data;
  return status;
}

enum qn_status qn_slotted_pages_view_pages(const struct qn_container *container,
                                           struct qn_slotted_pages *view, struct qn_error *error) {
  static const char *const known[] = {"start_vids", "lp_ranges", "edge_offsets", "pages",
                                      QN_LAST_SECTIONS};
  const struct qn_container_info *info = qn_container_info(container);
  memset(view, 0, sizeof *view);
  view->directedness = info->directedness;
  view->weight_type = info->weight_type;
  view->num_vertices = info->num_vertices;
  view->num_edges = info->num_edges;
  enum qn_status status = qn_view_insist(container, QN_LAYOUT_SLOTTED_PAGES, error);
  if (!status)
    status = qn_container_check_sections(container, known, error);
  if (!status)
    status = qn_container_refuse_parameters(container, 4, error);
  if (!status)
    status = view_parameters(container, view, error);
  return status ? status : view_sections(container, view, error);
}

enum qn_status qn_slotted_pages_view(const struct qn_container *container,
                                     struct qn_slotted_pages *view, struct qn_error *error) {
  enum qn_status status = qn_slotted_pages_view_pages(container, view, error);
  return status ? status : qn_ids_view(container, &view->ids, error);
}

QN_DEFINE_MAP(slotted_pages)
QN_DEFINE_UNMAP(slotted_pages)

uint64_t qn_slotted_pages_find(const struct qn_slotted_pages *view, uint64_t vertex) {
  /* The first page with a later vertex after it. */
  uint64_t low = qn_lower_bound_u32(view->start_vids + 1, 0, view->num_pages - 1, vertex + 1);
  /* Of a large vertex that is the last page, all of whose START_VIDs are the same. */
  while (!qn_page_is_first(view, low))
    low--;
  return low;
}

uint64_t qn_slotted_pages_out_degree(const struct qn_slotted_pages *view, uint64_t vertex) {
  uint64_t page = qn_slotted_pages_find(view, vertex);
  if (qn_page_is_large(view, page))
    return view->edge_offsets[page + 1 + (uint64_t)view->lp_ranges[page]] -
           view->edge_offsets[page];
  return qn_page_record(&view->format, qn_page_at(view, page), vertex - view->start_vids[page])
      .num_edges;
}

/* ---- Figures --------------------------------------------------------------- */

struct page_figures {
  uint64_t pages;
  uint64_t used_bytes;
};

/* What share of its pages' bytes is in use. */
static json_t *fill_of(const struct page_figures *figures, uint32_t page_bytes) {
  double bytes = (double)figures->pages * page_bytes;
  return json_real(figures->pages ? (double)figures->used_bytes / bytes : 0.0);
}

static void count_pages(const struct qn_slotted_pages *view, struct page_figures *small,
                        struct page_figures *large, uint64_t *large_vertices) {
  for (uint64_t page = 0; page < view->num_pages; page++) {
    bool is_large = qn_page_is_large(view, page);
    struct page_figures *figures = is_large ? large : small;
    uint64_t edges = view->edge_offsets[page + 1] - view->edge_offsets[page];
    figures->pages++;
    figures->used_bytes +=
        (uint64_t)qn_page_num_slots(view, page) * (QN_SLOT_BYTES + QN_ADJLIST_SIZE_BYTES) +
        edges * view->format.edge_bytes;
    *large_vertices += is_large && qn_page_is_first(view, page);
  }
}

enum qn_status qn_slotted_pages_describe(const struct qn_container *container, json_t *object,
                                         struct qn_error *error) {
  static const char *const read[] = {"start_vids", "lp_ranges", "edge_offsets", NULL};
  struct qn_slotted_pages view;
  struct page_figures small = {0}, large = {0};
  uint64_t large_vertices = 0;
  char address[8];
  enum qn_status status = qn_slotted_pages_view(container, &view, error);
  if (!status)
    status = qn_container_verify_sections(container, read, error);
  if (status)
    return status;
  count_pages(&view, &small, &large, &large_vertices);
  snprintf(address, sizeof address, "%u,%u", view.format.address.page_id_bytes,
           view.format.address.slot_bytes);
  json_object_set_new(object, "address", json_string(address));
  json_object_set_new(object, "page_bytes", json_integer(view.format.page_bytes));
  json_object_set_new(object, "pages", json_integer((json_int_t)view.num_pages));
  json_object_set_new(object, "small_pages", json_integer((json_int_t)small.pages));
  json_object_set_new(object, "large_pages", json_integer((json_int_t)large.pages));
  json_object_set_new(object, "large_vertices", json_integer((json_int_t)large_vertices));
  json_object_set_new(object, "small_page_fill", fill_of(&small, view.format.page_bytes));
  json_object_set_new(object, "large_page_fill", fill_of(&large, view.format.page_bytes));
  qn_figures_size(qn_container_info(container), view.num_pages * (view.format.page_bytes + 16) + 12,
                  object);
  return QN_OK;
}

/* ---- Writing --------------------------------------------------------------- */

enum qn_status qn_slotted_pages_write(struct qn_writer *writer, const struct qn_page_format *format,
                                      uint64_t num_pages, struct qn_slotted_pages_arrays *arrays,
                                      struct qn_error *error) {
  struct qn_container_info *info = qn_writer_info(writer);
  info->layout = QN_LAYOUT_SLOTTED_PAGES;
  info->parameters[0] = format->page_bytes;
  info->parameters[1] = format->address.page_id_bytes;
  info->parameters[2] = format->address.slot_bytes;
  info->parameters[3] = num_pages;
  const struct {
    struct qn_section_spec spec;
    void *out;
  } sections[] = {
      {{"start_vids", QN_ELEMENT_UNSIGNED, 4, num_pages + 1, 0, false}, &arrays->start_vids},
      {{"lp_ranges", QN_ELEMENT_SIGNED, 4, num_pages, 0, false}, &arrays->lp_ranges},
      {{"edge_offsets", QN_ELEMENT_UNSIGNED, 8, num_pages + 1, 0, false}, &arrays->edge_offsets},
      {{"pages", QN_ELEMENT_OPAQUE, 1, num_pages * format->page_bytes, 0, false}, &arrays->pages},
  };
  enum qn_status status = QN_OK;
  for (unsigned i = 0; !status && i < sizeof sections / sizeof sections[0]; i++)
    status = qn_writer_section(writer, &sections[i].spec, sections[i].out, error);
  return status;
}
