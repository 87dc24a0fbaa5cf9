/* The edge-partitions layout: its view on a container, its figures, its sections when written. */
#include <quern/edge_partitions.h>

#include <inttypes.h>
#include <string.h>

#include "formats/container/figures.h"
#include "formats/container/view.h"
#include "support/search.h"

/* EP-1: the counts in the header, which everything after relies on. */
static enum qn_status view_parameters(const struct qn_container *container,
                                      struct qn_edge_partitions *view, struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(container);
  const uint64_t *parameters = info->parameters;
  view->directedness = info->directedness;
  view->num_vertices = info->num_vertices;
  view->num_edges = info->num_edges;
  view->num_partitions = parameters[QN_EP_NUM_PARTITIONS];
  view->range_size = parameters[QN_EP_RANGE_SIZE];
  view->num_sources = parameters[QN_EP_NUM_SOURCES];
  view->capacity = parameters[QN_EP_CAPACITY];
  if (view->range_size < 1 || view->range_size > QN_EP_MAX_IDS || view->capacity < 1)
    return qn_container_violation(container, error, "EP-1",
                                  "range_size %" PRIu64 " or capacity %" PRIu64 " is out of range",
                                  view->range_size, view->capacity);
  if (view->num_sources > view->num_vertices || view->num_sources > view->num_edges ||
      view->num_partitions > view->num_edges)
    return qn_container_violation(container, error, "EP-1",
                                  "%" PRIu64 " partitions and %" PRIu64 " sources for %" PRIu64
                                  " edges and %" PRIu64 " vertices",
                                  view->num_partitions, view->num_sources, view->num_edges,
                                  view->num_vertices);
  if ((view->num_edges == 0) != (view->num_partitions == 0) ||
      (view->num_edges == 0) != (view->num_sources == 0))
    return qn_container_violation(container, error, "EP-1",
                                  "edges, partitions and sources must be there together");
  if (view->num_partitions > QN_EP_MAX_IDS ||
      view->num_partitions * view->range_size + view->num_vertices - view->num_sources >
          QN_EP_MAX_IDS)
    return qn_container_violation(container, error, "EP-1", "vertex ids exceed 32 bits");
  return QN_OK;
}

static enum qn_status view_sections(const struct qn_container *container,
                                    struct qn_edge_partitions *view, struct qn_error *error) {
  const struct {
    const char *name;
    uint32_t bytes;
    uint64_t count;
    const void **out;
  } sections[] = {
      {"edge_offsets", 8, view->num_partitions + 1, (const void **)&view->edge_offsets},
      {"prefix_offsets", 4, view->num_partitions + 1, (const void **)&view->prefix_offsets},
      {"new_to_old", 4, view->num_vertices, (const void **)&view->new_to_old},
      {"sources", 4, view->num_edges, (const void **)&view->sources},
      {"destinations", 4, view->num_edges, (const void **)&view->destinations},
  };
  for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
    enum qn_status status = qn_view_unsigned(container, sections[i].name, sections[i].bytes,
                                             sections[i].count, sections[i].out, error);
    if (status)
      return status;
  }
  enum qn_status status = qn_weights_view(container, "weights", &view->weights, error);
  return status ? status : qn_ids_view(container, &view->ids, error);
}

enum qn_status qn_edge_partitions_view(const struct qn_container *container,
                                       struct qn_edge_partitions *view, struct qn_error *error) {
  static const char *const known[] = {"edge_offsets", "prefix_offsets", "new_to_old",    "sources",
                                      "destinations", "weights",        QN_LAST_SECTIONS};
  memset(view, 0, sizeof *view);
  enum qn_status status = qn_view_insist(container, QN_LAYOUT_EDGE_PARTITIONS, error);
  if (!status)
    status = qn_container_check_sections(container, known, error);
  if (!status)
    status = qn_container_refuse_parameters(container, QN_EP_CAPACITY + 1, error);
  if (!status)
    status = view_parameters(container, view, error);
  return status ? status : view_sections(container, view, error);
}

QN_DEFINE_MAP(edge_partitions)
QN_DEFINE_UNMAP(edge_partitions)

uint64_t qn_edge_partitions_out_degree(const struct qn_edge_partitions *view, uint64_t vertex) {
  uint64_t dense = qn_lower_bound_u32(view->new_to_old, 0, view->num_sources, vertex);
  if (dense == view->num_sources || view->new_to_old[dense] != vertex)
    return 0;
  uint64_t low = 0, high = view->num_partitions; /* the last partition that begins before */
  while (high - low > 1) {
    uint64_t middle = low + (high - low) / 2;
    if (qn_ep_first_dense(view, middle) <= dense)
      low = middle;
    else
      high = middle;
  }
  uint64_t id = dense + view->prefix_offsets[low];
  uint64_t begin = qn_lower_bound_u32(view->sources, view->edge_offsets[low], view->num_edges, id);
  return qn_lower_bound_u32(view->sources, begin, view->num_edges, id + 1) - begin;
}

/* Only the two small tables are read, and not trusted: the figures are sums and maxima. */
enum qn_status qn_edge_partitions_describe(const struct qn_container *container, json_t *object,
                                           struct qn_error *error) {
  static const char *const read[] = {"edge_offsets", "prefix_offsets", NULL};
  struct qn_edge_partitions view;
  enum qn_status status = qn_edge_partitions_view(container, &view, error);
  if (!status)
    status = qn_container_verify_sections(container, read, error);
  if (status)
    return status;
  uint64_t continuations = 0, largest = 0;
  for (uint64_t p = 0; p < view.num_partitions; p++) {
    uint64_t edges = view.edge_offsets[p + 1] - view.edge_offsets[p];
    largest = edges > largest ? edges : largest;
    continuations += qn_ep_num_sources(&view, p) == 0;
  }
  uint64_t edge_bytes = 8 + qn_weight_bytes(view.weights.type);
  uint64_t bytes =
      view.num_edges * edge_bytes + 4 * view.num_vertices + 12 * (view.num_partitions + 1);
  json_t *figures = json_pack(
      "{s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "partitions", (json_int_t)view.num_partitions,
      "continuation_partitions", (json_int_t)continuations, "range_size",
      (json_int_t)view.range_size, "sources", (json_int_t)view.num_sources, "virtual_vertices",
      (json_int_t)view.prefix_offsets[view.num_partitions], "capacity_edges",
      (json_int_t)view.capacity, "largest_partition_bytes", (json_int_t)(largest * edge_bytes));
  int failed = figures ? json_object_update(object, figures) : -1;
  json_decref(figures);
  if (!failed)
    qn_figures_size(qn_container_info(container), bytes, object);
  return failed ? qn_fail_memory(error, "the layout's figures", 0) : QN_OK;
}

enum qn_status qn_edge_partitions_write(struct qn_writer *writer,
                                        struct qn_edge_partitions_arrays *arrays,
                                        struct qn_error *error) {
  const struct qn_container_info *info = qn_writer_info(writer);
  uint64_t bounds = info->parameters[QN_EP_NUM_PARTITIONS] + 1;
  const struct {
    const char *name;
    uint32_t bytes;
    uint64_t count;
    void *out;
  } sections[] = {
      {"edge_offsets", 8, bounds, &arrays->edge_offsets},
      {"prefix_offsets", 4, bounds, &arrays->prefix_offsets},
      {"new_to_old", 4, info->num_vertices, &arrays->new_to_old},
      {"sources", 4, info->num_edges, &arrays->sources},
      {"destinations", 4, info->num_edges, &arrays->destinations},
  };
  for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
    struct qn_section_spec spec = {.name = sections[i].name,
                                   .element_type = QN_ELEMENT_UNSIGNED,
                                   .element_bytes = sections[i].bytes,
                                   .count = sections[i].count};
    enum qn_status status = qn_writer_section(writer, &spec, sections[i].out, error);
    if (status)
      return status;
  }
  return qn_graph_write_weights(writer, info->num_edges, &arrays->weights, error);
}
