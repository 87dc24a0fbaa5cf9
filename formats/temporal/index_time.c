#include "formats/temporal/index_time.h"

#include <inttypes.h>

#include "formats/properties/sections.h"
#include "formats/properties/time_index.h"
#include "formats/temporal/between.h"
#include "support/context.h"
#include "support/json_text.h"
#include "support/progress.h"
#include "support/tool.h"
#include <quern/metadata.h>
#include <quern/properties.h>

const struct qn_setting qn_index_settings[] = {
    {"index-time", QN_SETTING_TEXT, offsetof(struct qn_index_options, property),
     .argument = "PROPERTY", .group = QN_BETWEEN_GROUP,
     .help = "Write the container as it is with an index of its edges by this property, a date, a "
             "time or an integer: --between then reads those of a short time alone"},
    {0}};

struct indexing {
  const struct qn_index_options *options;
  struct qn_container *container;
  struct qn_graph graph;
  struct qn_properties properties;
  uint32_t column;
};

static enum qn_status open_graph(struct indexing *indexing, struct qn_error *error) {
  const struct qn_container *container = indexing->container;
  const struct qn_container_info *info = qn_container_info(container);
  if (info->layout != QN_LAYOUT_GRAPH || qn_is_rectangular(info))
    return qn_fail(error, QN_UNSUPPORTED,
                   "the layout is %s: edges are found by time in graph containers alone",
                   qn_layout_name(info->layout));
  enum qn_status status = qn_graph_view(container, &indexing->graph, error);
  if (!status)
    status = qn_container_confirm(container, qn_graph_check_all(container, &indexing->graph, error),
                                  qn_container_verify, error);
  if (!status)
    status = qn_properties_view(container, &indexing->properties, error);
  if (!status)
    status = qn_properties_check(container, &indexing->properties, error);
  return status ? status
                : qn_time_property_find(&indexing->properties.of_edges, indexing->options->property,
                                        &indexing->column, error);
}

static enum qn_status write_indexes(const struct indexing *indexing, struct qn_writer *writer,
                                    struct qn_error *error) {
  const struct qn_property_table *table = &indexing->properties.of_edges;
  enum qn_status status = QN_OK;
  for (uint32_t i = 0; !status && i < table->count; i++) {
    struct qn_time_index own;
    status = qn_time_index_view(indexing->container, i, &table->columns[i], &own, error);
    if (!status && (own.is_there || i == indexing->column))
      status = qn_time_index_write(&indexing->graph, i, &table->columns[i], writer, error);
  }
  return status;
}

static enum qn_status make_metadata(const struct indexing *indexing, json_t **metadata,
                                    struct qn_error *error) {
  const struct qn_container *container = indexing->container;
  json_t *source = NULL;
  enum qn_status status = qn_container_metadata(container, &source, error);
  if (status)
    return status;
  *metadata = json_pack("{s:s, s:s, s:{s:o}, s:{s:o, s:O*}}", "tool", "quern-transform", "version",
                        QN_VERSION, "options", "index_time",
                        qn_json_text(indexing->options->property), "source", "identity",
                        json_sprintf("%016" PRIx64, qn_container_info(container)->header_checksum),
                        "metadata", source);
  json_decref(source);
  return *metadata ? QN_OK : qn_fail_memory(error, "metadata", 0);
}

static enum qn_status fill(const struct indexing *indexing, struct qn_writer *writer,
                           struct qn_error *error) {
  json_t *metadata = NULL;
  enum qn_status status = make_metadata(indexing, &metadata, error);
  if (!status)
    status = qn_properties_attach_sections(indexing->container, &indexing->properties, NULL, NULL,
                                           writer, error);
  if (!status)
    status = write_indexes(indexing, writer, error);
  if (!status)
    status = qn_writer_metadata(writer, metadata, error);
  json_decref(metadata);
  if (!status)
    status = qn_container_unchanged(indexing->container, error);
  return status ? status : qn_context_check(error);
}

enum qn_status qn_index_time(const struct qn_index_options *options, struct qn_container *container,
                             const char *path, bool replace, struct qn_container **out,
                             struct qn_error *error) {
  struct indexing indexing = {.options = options, .container = container};
  struct qn_writer *writer;
  enum qn_status status = open_graph(&indexing, error);
  if (!status)
    status = qn_writer_create(path, replace, &writer, error);
  if (!status)
    status = qn_writer_end(writer, fill(&indexing, writer, error), path, out, error);
  qn_properties_release(&indexing.properties);
  return status;
}

void qn_index_time_note_lost(const struct qn_container *container) {
  if (qn_time_index_is_there(container))
    qn_note(QN_NOTE_NOT_KEPT,
            "the index of edges by time is not kept: quern-transform --index-time "
            "makes it anew");
}
