#include "converters/output/csv_table.h"

#include <stdio.h>
#include <string.h>

#include "converters/output/edge_table.h"
#include "converters/output/losses.h"
#include "converters/output/property_text.h"
#include "formats/text/quoted_names.h"

const char *qn_neo4j_weight_column(enum qn_weight_type type) {
  static const char *const columns[] = {[QN_WEIGHT_NONE] = "",
                                        [QN_WEIGHT_U32] = ",weight:long",
                                        [QN_WEIGHT_F32] = ",weight:float",
                                        [QN_WEIGHT_I64] = ",weight:long",
                                        [QN_WEIGHT_F64] = ",weight:double"};
  return columns[type];
}

/* ---- Headers -------------------------------------------------------------- */

/* What Neo4j calls the type. */
static void name_type(const struct qn_property *column, char name[16]) {
  const enum qn_property_class kind = qn_property_class_of(column->type);
  const char *common = qn_property_common_type(column);
  const bool vector = qn_property_dimension(column->type) && strcmp(common, "string") != 0;
  if (kind == QN_PROPERTY_DAYS)
    common = "date";
  else if (kind == QN_PROPERTY_TIME)
    common = qn_property_is_utc(column->type) ? "datetime" : "localdatetime";
  snprintf(name, 16, "%s%s", common, vector ? "[]" : "");
}

enum qn_status qn_neo4j_lose_types(const struct qn_property_table *table,
                                   const struct qn_write_options *options, struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint32_t i = 0; i < table->count && !status; i++)
    if (!qn_property_fits_long(&table->columns[i]))
      status = qn_loses(options, error,
                        "the property '%s' is beyond Neo4j's integers and text in the output",
                        table->columns[i].name);
  return status;
}

static enum qn_status write_text(struct qn_text_output *output, const char *text,
                                 struct qn_error *error) {
  return qn_text_output_write(output, text, strlen(text), error);
}

/* The kinds of vertices (":LABEL") or edges (":TYPE"), as a property of theirs that is called so
 * says: what an import of such a table keeps. */
static bool is_kind(const struct qn_property *column, const char *kind) {
  return kind && column->type == QN_PROPERTY_STRING && strcmp(column->name, kind + 1) == 0;
}

static bool has_kinds(const struct qn_property_table *properties, const struct qn_csv_form *form) {
  for (uint32_t i = 0; properties && !form->of_one_kind && i < properties->count; i++)
    if (is_kind(&properties->columns[i], form->kind))
      return true;
  return false;
}

/* A name of a property, in quotes if it needs them. */
static enum qn_status write_name(struct qn_text_output *output, const struct qn_property *column,
                                 bool typed, struct qn_error *error) {
  char name[QN_PROPERTY_NAME_BYTES + 16], text[QN_QUOTED_NAME_ROOM(sizeof name) + 1] = ",";
  char type[16];
  name_type(column, type);
  int length = snprintf(name, sizeof name, typed ? "%s:%s" : "%s", column->name, type);
  char *end = qn_put_quoted_name(text + 1, name, (uint64_t)length, ',');
  return qn_text_output_write(output, text, (uint64_t)(end - text), error);
}

static enum qn_status write_header(struct qn_text_output *output, const struct qn_csv_form *form,
                                   const struct qn_property_table *properties,
                                   struct qn_error *error) {
  enum qn_status status = write_text(output, form->header, error);
  for (uint32_t i = 0; properties && i < properties->count && !status; i++)
    if (form->of_one_kind || !is_kind(&properties->columns[i], form->kind))
      status = write_name(output, &properties->columns[i], form->kind != NULL, error);
    else if (!(status = write_text(output, ",", error)))
      status = write_text(output, form->kind, error);
  if (!status && form->kind && !has_kinds(properties, form) &&
      !(status = write_text(output, ",", error)))
    status = write_text(output, form->kind, error);
  return status ? status : write_text(output, "\n", error);
}

/* ---- Files ---------------------------------------------------------------- */

static const char *tail_of(const struct qn_csv_form *form,
                           const struct qn_property_table *properties) {
  return form->kind && !has_kinds(properties, form) ? form->all : "";
}

enum qn_status qn_csv_write_edges(const struct qn_graph *graph,
                                  const struct qn_write_options *options,
                                  const struct qn_csv_form *form, struct qn_text_output *output,
                                  uint64_t *written, struct qn_error *error) {
  const struct qn_property_table *properties =
      options->properties ? &options->properties->of_edges : NULL;
  const struct qn_table_style style = {',', tail_of(form, properties), properties};
  struct qn_listed_edges listed = qn_listed_edges_of(graph, options);
  enum qn_status status = write_header(output, form, properties, error);
  return status ? status : qn_edge_table_write(graph, &listed, &style, output, written, error);
}

enum qn_status qn_csv_write_vertices(const struct qn_graph *graph,
                                     const struct qn_write_options *options,
                                     const struct qn_csv_form *form, struct qn_text_output *output,
                                     struct qn_error *error) {
  const struct qn_property_table *properties =
      options->properties ? &options->properties->of_vertices : NULL;
  const struct qn_table_style style = {',', tail_of(form, properties), properties};
  enum qn_status status = write_header(output, form, properties, error);
  return status ? status : qn_vertex_table_write(graph, &style, output, error);
}
