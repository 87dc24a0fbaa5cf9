/* The table of layouts, and what is the same for all of them. */
#include <quern/layouts.h>

#include <quern/archive.h>

#include <inttypes.h>
#include <stdio.h>

#include "formats/layouts/checkpoint.h"
#include <quern/blocked_csr.h>
#include <quern/edge_partitions.h>
#include <quern/hybrid.h>
#include <quern/metadata.h>
#include <quern/shards.h>
#include <quern/slotted_pages.h>

static enum qn_status graph_check(const struct qn_container *container, struct qn_error *error) {
  struct qn_graph graph;
  enum qn_status status = qn_graph_view(container, &graph, error);
  if (!status)
    status = qn_graph_check(container, &graph, error);
  return status ? status : qn_graph_check_content(container, &graph, error);
}

static enum qn_status graph_describe(const struct qn_container *container, json_t *object,
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

static const struct qn_layout_operations layouts[] = {
    {QN_LAYOUT_GRAPH, graph_check, graph_describe, qn_graph_view},
    {QN_LAYOUT_BLOCKED_CSR, qn_blocked_csr_verify, qn_blocked_csr_describe, qn_blocked_csr_restore},
    {QN_LAYOUT_EDGE_PARTITIONS, qn_edge_partitions_verify, qn_edge_partitions_describe,
     qn_edge_partitions_restore},
    {QN_LAYOUT_SLOTTED_PAGES, qn_slotted_pages_verify, qn_slotted_pages_describe,
     qn_slotted_pages_restore},
    {QN_LAYOUT_SHARDS, qn_shards_verify, qn_shards_describe, qn_shards_restore},
    {QN_LAYOUT_HYBRID, qn_hybrid_verify, qn_hybrid_describe, qn_hybrid_restore},
    {QN_LAYOUT_CHECKPOINT, qn_checkpoint_verify, qn_checkpoint_describe, qn_checkpoint_restore},
};

enum qn_status qn_layout_operations(const struct qn_container *container,
                                    const struct qn_layout_operations **out,
                                    struct qn_error *error) {
  enum qn_layout layout = qn_container_info(container)->layout;
  for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
    *out = &layouts[i];
    if (layouts[i].layout == layout)
      return QN_OK;
  }
  *out = NULL;
  qn_fail(error, QN_UNSUPPORTED, "this build cannot work with the layout %s",
          qn_layout_name(layout));
  return qn_error_in_file(error, qn_container_path(container)), QN_UNSUPPORTED;
}

enum qn_status qn_container_check(const struct qn_container *container, struct qn_error *error) {
  const struct qn_layout_operations *operations;
  json_t *metadata = NULL;
  if (qn_container_info(container)->incompatible_features & QN_FEATURE_ARCHIVE)
    return qn_archive_check(container, error);
  enum qn_status status = qn_container_verify(container, error);
  if (!status)
    status = qn_layout_operations(container, &operations, error);
  if (!status)
    status = operations->check(container, error);
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
  return json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:b, s:s}", "layout",
                   qn_layout_name(info->layout), "version", version, "weights",
                   qn_weight_type_name(info->weight_type), "directedness",
                   info->directedness == QN_UNDIRECTED ? "undirected" : "directed", "vertices",
                   (json_int_t)info->num_vertices, "edges", (json_int_t)info->num_edges, "bytes",
                   (json_int_t)info->file_bytes, "archive",
                   (info->incompatible_features & QN_FEATURE_ARCHIVE) != 0, "identity", identity);
}

static const char *ids_kind(const struct qn_container *container) {
  if (qn_container_section(container, "original_ids"))
    return "numbers";
  return qn_container_section(container, "id_offsets") ? "strings" : "dense";
}

enum qn_status qn_container_describe(const struct qn_container *container, json_t **out,
                                     struct qn_error *error) {
  const struct qn_layout_operations *operations;
  const struct qn_container_info *info = qn_container_info(container);
  json_t *object = describe_header(container), *metadata = NULL, *figures = json_object();
  json_t *sections = json_array();
  json_object_set_new(object, "ids", json_string(ids_kind(container)));
  for (uint32_t i = 0; i < info->num_sections; i++)
    json_array_append_new(sections, describe_section(qn_container_section_at(container, i)));
  json_object_set_new(object, "sections", sections);
  json_object_set_new(object, "layout_figures", figures);
  *out = object;

  enum qn_status status = QN_OK;
  if (!(info->incompatible_features & QN_FEATURE_ARCHIVE)) {
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
