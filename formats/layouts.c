/* The table of layouts, and what is the same for all of them. */
#include <quern/layouts.h>

#include <quern/archive.h>

#include <inttypes.h>
#include <stdio.h>

#include "formats/container/stripes.h"
#include "formats/layouts/checkpoint.h"
#include "formats/properties/time_index.h"
#include <quern/blocked_csr.h>
#include <quern/edge_partitions.h>
#include <quern/hybrid.h>
#include <quern/metadata.h>
#include <quern/packed.h>
#include <quern/properties.h>
#include <quern/shards.h>
#include <quern/slotted_pages.h>

static enum qn_status qn_graph_describe(const struct qn_container *container, json_t *object,
                                        struct qn_error *error) {
  (void)error;
  bool undirected = qn_container_info(container)->directedness == QN_UNDIRECTED;
  bool stored = qn_container_section(container, "in_row_offsets") != NULL;
  json_object_set_new(object, "transpose",
                      json_string(undirected ? "same"
                                  : stored   ? "stored"
                                             : "none"));
  return QN_OK;
}

static enum qn_status qn_graph_restore(const struct qn_container *container, struct qn_graph *graph,
                                       struct qn_error *error) {
  return qn_graph_view(container, graph, error);
}

/* The functions of a layout behind those of the table, which know no type of its view. */
#define FUNCTIONS(CONSTANT, code, layout, name, command)                                           \
  static enum qn_status layout##_view(const struct qn_container *container, void *view,            \
                                      struct qn_error *error) {                                    \
    return qn_##layout##_view(container, view, error);                                             \
  }                                                                                                \
                                                                                                   \
  static enum qn_status layout##_check(const struct qn_container *container, const void *view,     \
                                       struct qn_error *error) {                                   \
    return qn_##layout##_check(container, view, error);                                            \
  }                                                                                                \
                                                                                                   \
  static uint64_t layout##_out_degree(const void *view, uint64_t vertex) {                         \
    return qn_##layout##_out_degree(view, vertex);                                                 \
  }                                                                                                \
                                                                                                   \
  static enum qn_status layout##_verify(const struct qn_container *container,                      \
                                        struct qn_error *error) {                                  \
    struct qn_##layout view;                                                                       \
    enum qn_status status = qn_##layout##_view(container, &view, error);                           \
    if (!status)                                                                                   \
      status = qn_##layout##_check(container, &view, error);                                       \
    return status ? status : qn_##layout##_check_content(container, &view, error);                 \
  }

QN_GRAPH_LAYOUTS(FUNCTIONS)

#define ROW(CONSTANT, code, layout, name, command)                                                 \
  {code,                                                                                           \
   name,                                                                                           \
   command,                                                                                        \
   sizeof(struct qn_##layout),                                                                     \
   layout##_view,                                                                                  \
   layout##_check,                                                                                 \
   layout##_out_degree,                                                                            \
   layout##_verify,                                                                                \
   qn_##layout##_describe,                                                                         \
   qn_##layout##_restore},

static const struct qn_layout_operations layouts[] = {
    QN_GRAPH_LAYOUTS(ROW){.layout = QN_LAYOUT_CHECKPOINT,
                          .name = "checkpoint",
                          .verify = qn_checkpoint_verify,
                          .describe = qn_checkpoint_describe,
                          .restore = qn_checkpoint_restore},
    {0}};

const struct qn_layout_operations *qn_layouts(void) {
  return layouts;
}

enum qn_status qn_layout_operations(const struct qn_container *container,
                                    const struct qn_layout_operations **out,
                                    struct qn_error *error) {
  enum qn_layout layout = qn_container_info(container)->layout;
  for (*out = layouts; (*out)->name; ++*out)
    if ((*out)->layout == layout)
      return QN_OK;
  *out = NULL;
  qn_fail(error, QN_UNSUPPORTED, "this build cannot work with the layout %s",
          qn_layout_name(layout));
  return qn_error_in_file(error, qn_container_path(container)), QN_UNSUPPORTED;
}

/* P-10: the rows in graph order are the graph's, or restored. */
static enum qn_status check_directions(const struct qn_container *container,
                                       const struct qn_layout_operations *operations,
                                       const struct qn_properties *properties,
                                       struct qn_error *error) {
  struct qn_graph graph = {0};
  const bool stored = operations->layout == QN_LAYOUT_GRAPH;
  if (qn_container_info(container)->directedness != QN_UNDIRECTED || !properties->of_edges.count)
    return QN_OK;
  enum qn_status status = stored ? qn_graph_view(container, &graph, error)
                                 : operations->restore(container, &graph, error);
  if (!status)
    status = qn_properties_check_directions(container, properties, &graph.out, error);
  if (!stored)
    qn_graph_unmap(&graph);
  return status;
}

/* P-12 and P-13: there are rows, or the first of these says that there must be. */
static enum qn_status check_indexes(const struct qn_container *container,
                                    const struct qn_properties *properties,
                                    struct qn_error *error) {
  struct qn_graph graph = {0};
  enum qn_status status = qn_container_info(container)->layout == QN_LAYOUT_GRAPH
                              ? qn_graph_view(container, &graph, error)
                              : QN_OK;
  return status ? status : qn_time_indexes_check(container, properties, &graph, error);
}

static enum qn_status check_properties(const struct qn_container *container,
                                       const struct qn_layout_operations *operations,
                                       struct qn_error *error) {
  struct qn_properties properties;
  enum qn_status status = qn_properties_view(container, &properties, error);
  if (!status)
    status = qn_properties_check(container, &properties, error);
  if (!status)
    status = check_directions(container, operations, &properties, error);
  if (!status)
    status = check_indexes(container, &properties, error);
  qn_properties_release(&properties);
  return status;
}

/* The rules of the layout hold for what an archive decodes to. */
static enum qn_status check_archive(const struct qn_container *archive, struct qn_error *error) {
  struct qn_container *plain;
  enum qn_status status =
      qn_archive_restore_nameless(archive, qn_container_path(archive), &plain, error);
  if (!status)
    status = qn_container_check(plain, error);
  qn_container_unmap(plain);
  return status;
}

enum qn_status qn_container_check(const struct qn_container *container, struct qn_error *error) {
  const struct qn_layout_operations *operations;
  json_t *metadata = NULL;
  if (qn_container_info(container)->incompatible_features & QN_FEATURE_ARCHIVE)
    return check_archive(container, error);
  enum qn_status status = qn_container_verify(container, error);
  if (!status)
    status = qn_layout_operations(container, &operations, error);
  if (!status)
    status = operations->verify(container, error);
  if (!status)
    status = check_properties(container, operations, error);
  if (!status)
    status = qn_container_metadata(container, &metadata, error);
  json_decref(metadata);
  return status;
}

static json_t *describe_section(const struct qn_section *section) {
  char checksum[20];
  snprintf(checksum, sizeof checksum, "%016" PRIx64, section->checksum);
  return json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:b, s:s}", "name", section->name, "type",
                   qn_element_type_name(section->element_type), "element_bytes",
                   (json_int_t)section->element_bytes, "count", (json_int_t)section->count,
                   "offset", (json_int_t)section->offset, "stored_bytes",
                   (json_int_t)section->stored_bytes, "bytes", (json_int_t)section->logical_bytes,
                   "critical", section->critical, "xxh3_64", checksum);
}

static json_t *describe_header(const struct qn_container *container) {
  const struct qn_container_info *info = qn_container_info(container);
  char version[16], identity[20];
  snprintf(version, sizeof version, "%u.%u", info->version_major, info->version_minor);
  snprintf(identity, sizeof identity, "%016" PRIx64, info->header_checksum);
  json_t *header = json_pack(
      "{s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:b, s:s}", "layout", qn_layout_name(info->layout),
      "version", version, "weights", qn_weight_type_name(info->weight_type), "directedness",
      info->directedness == QN_UNDIRECTED ? "undirected" : "directed", "vertices",
      (json_int_t)info->num_vertices, "edges", (json_int_t)info->num_edges, "bytes",
      (json_int_t)info->file_bytes, "archive",
      (info->incompatible_features & QN_FEATURE_ARCHIVE) != 0, "identity", identity);
  if (qn_is_rectangular(info)) {
    json_object_set_new(header, "rows", json_integer((json_int_t)info->num_rows));
    json_object_set_new(header, "first_row", json_integer((json_int_t)info->first_row));
  }
  return header;
}

static const char *ids_kind(const struct qn_container *container) {
  if (qn_container_section(container, "original_ids"))
    return "numbers";
  return qn_container_section(container, "id_offsets") ? "strings" : "dense";
}

static enum qn_status describe_properties(const struct qn_container *container, json_t *object,
                                          struct qn_error *error) {
  struct qn_properties properties;
  enum qn_status status = qn_properties_view(container, &properties, error);
  if (!status && qn_properties_are_any(&properties))
    json_object_set_new(object, "properties", qn_properties_describe(&properties));
  qn_properties_release(&properties);
  return status;
}

enum qn_status qn_container_describe(const struct qn_container *container, json_t **out,
                                     struct qn_error *error) {
  const struct qn_layout_operations *operations;
  const struct qn_container_info *info = qn_container_info(container);
  json_t *object = describe_header(container), *metadata = NULL, *figures = json_object();
  json_t *sections = json_array();
  json_object_set_new(object, "ids", json_string(ids_kind(container)));
  if (qn_container_stripes(container))
    json_object_set_new(object, "stripes", qn_stripes_describe(qn_container_stripes(container)));
  for (uint32_t i = 0; i < info->num_sections; i++)
    json_array_append_new(sections, describe_section(qn_container_section_at(container, i)));
  json_object_set_new(object, "sections", sections);
  json_object_set_new(object, "layout_figures", figures);
  *out = object;

  enum qn_status status = describe_properties(container, object, error);
  if (!status && !(info->incompatible_features & QN_FEATURE_ARCHIVE)) {
    status = qn_layout_operations(container, &operations, error);
    if (!status)
      status = operations->describe(container, figures, error);
    if (!status)
      status = qn_container_metadata(container, &metadata, error);
  }
  if (metadata)
    json_object_set_new(object, "metadata", metadata);
  if (status) {
    json_decref(object);
    *out = NULL;
  }
  return status;
}
