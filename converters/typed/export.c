#include "converters/typed/export.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "converters/output/csv_table.h"
#include "converters/output/losses.h"
#include "converters/output/output_folder.h"
#include "formats/set/project.h"
#include "formats/set/types.h"
#include "formats/text/quoted_names.h"
#include <quern/properties.h>

#define WORD_BYTES (QN_PROPERTY_NAME_BYTES + 24)
#define QUOTED_BYTES (QN_QUOTED_NAME_ROOM(WORD_BYTES) + 1)

struct exporting {
  const struct qn_export_options *options;
  const struct qn_set *set;
  struct qn_output_folder *folder;
  struct qn_export_report *report;
};

static bool is_word(const char *name) {
  for (const char *p = name; *p; p++)
    if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') ||
          *p == '_'))
      return false;
  return true;
}

/* What stands for a type where not all characters may: itself, or its number. */
static void put_word(const char *name, const char *prefix, uint64_t number, char word[WORD_BYTES]) {
  if (is_word(name))
    snprintf(word, WORD_BYTES, "%s", name);
  else
    snprintf(word, WORD_BYTES, "%s-%" PRIu64, prefix, number);
}

static void put_space(const struct qn_set *set, uint64_t type, char word[WORD_BYTES]) {
  put_word(set->ranges[type].type, "type", type, word);
}

/* ",NAME", in quotes. */
static void put_tail(const char *name, char tail[QUOTED_BYTES]) {
  tail[0] = ',';
  *qn_put_quoted_name(tail + 1, name, strlen(name), ',') = '\0';
}

static enum qn_status check_columns(const struct qn_property_table *table, const char *kind,
                                    const char *type, const struct exporting *exporting,
                                    struct qn_error *error) {
  if (qn_property_find(table, kind))
    return qn_fail(error, QN_UNSUPPORTED,
                   "the type %s has a property '%s', which is what Neo4j's header calls types",
                   type, kind);
  return qn_neo4j_lose_types(table, &exporting->options->write, error);
}

static enum qn_status write_vertices(const struct exporting *exporting, uint64_t index,
                                     struct qn_error *error) {
  const struct qn_vertex_range *range = &exporting->set->ranges[index];
  struct qn_write_options write = exporting->options->write;
  const struct qn_graph graph = {.out.num_vertices = range->end - range->begin, .ids = range->ids};
  char space[WORD_BYTES], header[WORD_BYTES + 16], name[WORD_BYTES + 48], tail[QUOTED_BYTES];
  struct qn_text_output *output;
  put_space(exporting->set, index, space);
  put_tail(range->type, tail);
  snprintf(header, sizeof header, "id:ID(%s)", space);
  snprintf(name, sizeof name, "nodes-%05" PRIu64 "%s%s.csv", index, is_word(range->type) ? "-" : "",
           is_word(range->type) ? range->type : "");
  const struct qn_csv_form form = {name, header, ":LABEL", tail, true};
  write.properties = &range->properties;
  enum qn_status status =
      check_columns(&range->properties.of_vertices, "LABEL", range->type, exporting, error);
  if (!status)
    status = qn_properties_check(range->container, &range->properties, error);
  if (!status)
    status = qn_output_folder_begin(exporting->folder, name, &output, error);
  if (!status)
    status = qn_csv_write_vertices(&graph, &write, &form, output, error);
  return status ? status
                : qn_output_folder_end(exporting->folder, output, "vertices",
                                       graph.out.num_vertices, error);
}

static enum qn_status write_projected(const struct exporting *exporting, uint64_t index,
                                      const struct qn_container *projected,
                                      struct qn_error *error) {
  const struct qn_set *set = exporting->set;
  const struct qn_set_edge_type *type = &set->edge_types[index];
  struct qn_write_options write = exporting->options->write;
  struct qn_properties properties = {0};
  struct qn_graph graph;
  struct qn_text_output *output;
  char spaces[2][WORD_BYTES], header[2 * WORD_BYTES + 64], name[WORD_BYTES + 48],
      tail[QUOTED_BYTES];
  uint64_t written = 0;
  put_space(set, type->source, spaces[0]);
  put_space(set, type->target, spaces[1]);
  put_tail(type->name, tail);
  snprintf(header, sizeof header, ":START_ID(%s),:END_ID(%s)%s", spaces[0], spaces[1],
           qn_neo4j_weight_column(type->weight_type));
  snprintf(name, sizeof name, "relationships-%05" PRIu64 "%s%s.csv", index,
           is_word(type->name) ? "-" : "", is_word(type->name) ? type->name : "");
  const struct qn_csv_form form = {name, header, ":TYPE", tail, true};
  write.properties = &properties;
  enum qn_status status = qn_graph_view(projected, &graph, error);
  if (!status)
    status = qn_properties_view(projected, &properties, error);
  if (!status)
    status = check_columns(&properties.of_edges, "TYPE", type->name, exporting, error);
  if (!status)
    status = qn_output_folder_begin(exporting->folder, name, &output, error);
  if (!status)
    status = qn_csv_write_edges(&graph, &write, &form, output, &written, error);
  if (!status)
    status = qn_output_folder_end(exporting->folder, output, "edges", written, error);
  exporting->report->edges += written;
  qn_properties_release(&properties);
  return status;
}

static enum qn_status write_edges(const struct exporting *exporting, uint64_t index,
                                  struct qn_error *error) {
  struct qn_container *projected;
  enum qn_status status = qn_set_project_type(exporting->set, index, &projected, error);
  if (!status)
    status = write_projected(exporting, index, projected, error);
  qn_container_unmap(projected);
  return status;
}

/* The manifest says how large the graph is. */
static enum qn_status commit(const struct exporting *exporting, struct qn_error *error) {
  const struct qn_set *set = exporting->set;
  enum qn_id_kind kind = QN_IDS_NUMBERS;
  for (uint64_t r = 0; r < set->num_ranges; r++)
    kind = set->ranges[r].ids.kind == QN_IDS_STRINGS ? QN_IDS_STRINGS : kind;
  const struct qn_graph graph = {
      .directedness = QN_DIRECTED,
      .out = {.num_vertices = set->num_vertices, .num_edges = set->num_edges},
      .ids = {.kind = kind}};
  exporting->report->bytes = qn_output_folder_bytes(exporting->folder);
  return qn_output_folder_commit(exporting->folder, exporting->options->writer->name, &graph,
                                 error);
}

enum qn_status qn_typed_export_neo4j(const struct qn_export_options *options, const char *set_path,
                                     struct qn_export_report *report, struct qn_error *error) {
  struct exporting exporting = {.options = options, .report = report};
  struct qn_set *set;
  enum qn_status status = qn_set_open(set_path, &set, error);
  if (status)
    return status;
  exporting.set = set;
  for (uint64_t r = 0; !status && r < set->num_ranges; r++)
    status = qn_container_verify(set->ranges[r].container, error);
  if (!status)
    status = qn_output_folder_create(options->path, options->replace, &exporting.folder, error);
  for (uint64_t r = 0; !status && r < set->num_ranges; r++)
    status = write_vertices(&exporting, r, error);
  for (uint64_t t = 0; !status && t < set->num_edge_types; t++)
    status = write_edges(&exporting, t, error);
  if (!status)
    status = commit(&exporting, error);
  else
    qn_output_folder_abort(exporting.folder);
  qn_set_close(set);
  return status;
}
