#include "converters/typed/import.h"

#include <stdio.h>
#include <string.h>

#include "converters/format.h"
#include "converters/provenance.h"
#include "converters/typed/assemble.h"
#include "converters/typed/joined.h"
#include "support/context.h"
#include "support/memory.h"
#include "support/output_stream.h"
#include "support/progress.h"
#include "support/threads.h"
#include <quern/graph.h>
#include <quern/layouts.h>
#include <quern/open.h>

struct importing {
  const struct qn_import_job *job;
  const struct qn_typed_options *typed;
  struct qn_import_report *report;
  struct qn_typed_tables tables;
  struct qn_container **containers; /* [num_containers] */
  uint32_t num_containers;
  struct qn_typed_vertex_source *vertices;
  struct qn_typed_edge_source *edges;
  struct qn_typed_sources sources;
};

/* ---- Options ------------------------------------------------------------------ */

static enum qn_status check_options(const struct qn_import_job *job,
                                    const struct qn_typed_options *typed, struct qn_error *error) {
  const struct qn_import_options *options = job->options;
  const bool tables = typed->types || typed->num_vertex_tables || typed->num_edge_tables;
  if (options->build.undirected)
    return qn_fail(error, QN_USAGE,
                   "edges of types are directed: --undirected does not go with types; "
                   "quern-transform --project TYPE and then --symmetrize make one undirected");
  if (options->build.transpose)
    return qn_fail(error, QN_USAGE, "--transpose=also does not go with types");
  if (job->ranks)
    return qn_fail(error, QN_USAGE, "--parts and mpirun do not go with types");
  if (options->properties && strncmp(options->properties, "all", 3) != 0)
    return qn_fail(error, QN_USAGE,
                   "with types all properties are kept: --properties all,NAME:TYPE says the type "
                   "of one");
  if (tables && (options->vertex_table || options->read.num_vertices))
    return qn_fail(error, QN_USAGE,
                   "--vertices does not go with tables of types; write "
                   "--vertex-table TYPE=FILE");
  if (tables && (options->read.numbers || options->read.compact))
    return qn_fail(error, QN_USAGE, "--ids=keep and compact do not go with tables of types");
  return strcmp(job->output, "-") == 0
             ? qn_fail(error, QN_USAGE, "a set is a folder of files, not a stream")
             : QN_OK;
}

/* ---- One table ---------------------------------------------------------------- */

static void add_ledger(struct qn_ledger *sum, const struct qn_ledger *part) {
  sum->records += part->records;
  sum->comments += part->comments;
  sum->rejected += part->rejected;
  sum->edges_read += part->edges_read;
  sum->self_loops_removed += part->self_loops_removed;
  sum->duplicates_removed += part->duplicates_removed;
  sum->edges_added += part->edges_added;
  sum->edges_written += part->edges_written;
}

/* "TYPE=FILE,...", as the option has it, of files without their folders. */
static json_t *table_text(const struct qn_typed_table *table, const char *const *files) {
  json_t *text = table->ends[0]
                     ? json_sprintf("%s:%s:%s", table->type, table->ends[0], table->ends[1])
                     : json_string(table->type);
  for (uint32_t i = 0; text && i < table->num_files; i++) {
    json_t *longer =
        json_sprintf("%s%c%s", json_string_value(text), i ? ',' : '=', files[i] ? files[i] : "");
    json_decref(text);
    text = longer;
  }
  return text;
}

/* A table that an option says is one of the options. */
static enum qn_status record_table(struct importing *importing, const struct qn_typed_table *table,
                                   const struct qn_joined_file *joined, const json_t *inputs,
                                   struct qn_error *error) {
  json_t *options = json_object_get(importing->report->provenance, "options");
  const char *key = table->of_edges ? "edge_table" : "vertex_table";
  const char **files;
  struct qn_input_digest digest;
  if (!table->by_option)
    return QN_OK;
  enum qn_status status = qn_alloc_zeroed(&files, table->num_files, sizeof *files, "files", error);
  if (status)
    return status;
  for (uint32_t i = 0; i < table->num_files; i++)
    files[i] = joined ? qn_joined_file(joined, i, &digest)
                      : json_string_value(json_object_get(json_array_get(inputs, i), "name"));
  if (!json_object_get(options, key))
    json_object_set_new(options, key, json_array());
  if (json_array_append_new(json_object_get(options, key), table_text(table, files)))
    status = qn_fail_memory(error, "the metadata", 0);
  qn_free(files);
  return status;
}

/* What was read of each file in place of what was read of all of them. */
static enum qn_status list_files(json_t *provenance, const struct qn_typed_table *table,
                                 const struct qn_joined_file *joined, struct qn_error *error) {
  json_t *inputs = json_object_get(provenance, "inputs");
  const json_t *first = json_array_get(inputs, 0);
  char format[32];
  enum qn_status status = QN_OK;
  const char *said = json_string_value(json_object_get(first, "format"));
  snprintf(format, sizeof format, "%s", said ? said : "");
  json_array_remove(inputs, 0);
  for (uint32_t i = 0; !status && i < table->num_files; i++) {
    struct qn_input_digest digest;
    const char *name = qn_joined_file(joined, i, &digest);
    status = qn_provenance_input(provenance, name, format, &digest, error);
  }
  return status;
}

/* What was asked for, once for all tables. */
static enum qn_status begin_report(struct importing *importing, struct qn_error *error) {
  const struct qn_typed_options *typed = importing->typed;
  const struct qn_import_options *options = importing->job->options;
  json_t **provenance = &importing->report->provenance;
  enum qn_status status = qn_provenance_create(importing->job->tool, provenance, error);
  if (!status)
    status = qn_provenance_import(*provenance, options, &options->build, error);
  if (!status && typed->types)
    status = qn_provenance_option(*provenance, "types", json_true(), error);
  if (!status && importing->tables.count && importing->tables.tables[0].ldbc)
    status = qn_provenance_option(*provenance, "ldbc", json_true(), error);
  if (!status && typed->vertex_type_column)
    status = qn_provenance_option(*provenance, "vertex_type_column",
                                  json_string(typed->vertex_type_column), error);
  if (!status && typed->edge_type_column)
    status = qn_provenance_option(*provenance, "edge_type_column",
                                  json_string(typed->edge_type_column), error);
  return status;
}

/* What the table's provenance says of its inputs goes into that of the whole. */
static enum qn_status take_report(struct importing *importing, struct qn_import_report *part,
                                  const struct qn_typed_table *table,
                                  const struct qn_joined_file *joined, struct qn_error *error) {
  struct qn_import_report *whole = importing->report;
  enum qn_status status = whole->provenance ? QN_OK : begin_report(importing, error);
  if (!status && joined)
    status = list_files(part->provenance, table, joined, error);
  const json_t *inputs = json_object_get(part->provenance, "inputs");
  if (!status && table)
    status = record_table(importing, table, joined, inputs, error);
  if (!status && json_array_extend(json_object_get(whole->provenance, "inputs"), (json_t *)inputs))
    status = qn_fail_memory(error, "the metadata", 0);
  add_ledger(&whole->ledger, &part->ledger);
  whole->plan = part->plan;
  whole->read_seconds += part->read_seconds;
  whole->build_seconds += part->build_seconds;
  qn_import_report_end(part);
  return status;
}

/* A container in memory of these inputs. */
static enum qn_status import(struct importing *importing, const struct qn_import_options *options,
                             char *const *inputs, int num_inputs,
                             const struct qn_typed_table *table,
                             const struct qn_joined_file *joined, struct qn_error *error) {
  struct qn_import_job job = *importing->job;
  struct qn_import_report report;
  struct qn_container **out = &importing->containers[importing->num_containers];
  job.options = options;
  job.inputs = inputs;
  job.num_inputs = num_inputs;
  job.output = NULL;
  enum qn_status status = qn_import_run(&job, &report, out, error);
  if (status)
    return status;
  importing->num_containers++;
  return take_report(importing, &report, table, joined, error);
}

/* One file, or several as one. */
static enum qn_status import_table(struct importing *importing, struct qn_import_options *options,
                                   const struct qn_typed_table *table, struct qn_error *error) {
  struct qn_joined_file *joined = NULL;
  char *path = table->files[0];
  enum qn_status status = QN_OK;
  if (table->num_files > 1)
    status = qn_joined_open(table->files, table->num_files, &options->input, &joined, error);
  if (!status && joined)
    path = (char *)qn_joined_path(joined);
  if (!table->of_edges)
    options->vertex_table = path;
  if (!status)
    status = import(importing, options, &path, table->of_edges ? 1 : 0, table, joined, error);
  if (status && joined)
    qn_joined_locate(joined, error);
  qn_joined_close(joined);
  return status;
}

static struct qn_import_options options_of(const struct importing *importing,
                                           const struct qn_typed_table *table) {
  struct qn_import_options options = *importing->job->options;
  options.vertex_table = NULL;
  options.read.strings = true;
  options.read.others_wanted = true;
  if (!table->ldbc)
    return options;
  options.read.text =
      (struct qn_text_choice){.delimiter = '|',
                              .header = QN_SAID_YES,
                              .quotes = table->quotes ? QN_SAID_NOTHING : QN_SAID_NO,
                              .comments = "",
                              .escape = table->quotes ? QN_ESCAPE_BACKSLASH : QN_ESCAPE_QUOTE,
                              .of_vertices = true};
  options.read.source_column = table->columns[0];
  options.read.destination_column = table->columns[1];
  return options;
}

static enum qn_status import_vertices(struct importing *importing,
                                      const struct qn_typed_table *table, struct qn_error *error) {
  struct qn_import_options options = options_of(importing, table);
  const char *column = importing->typed->vertex_type_column;
  options.properties = NULL;
  enum qn_status status = import_table(importing, &options, table, error);
  if (status)
    return status;
  importing->vertices[importing->sources.num_vertices++] = (struct qn_typed_vertex_source){
      .container = importing->containers[importing->num_containers - 1],
      .file = table->files[0],
      .space = table->space                   ? table->space
               : table->neo4j || !table->type ? ""
                                              : table->type,
      .type = table->type,
      .type_column = column             ? column
                     : table->says_type ? "LABEL"
                                        : NULL};
  return QN_OK;
}

/* The space that an end is in; NULL: its type says it. */
static const char *end_space(const struct qn_typed_table *table, unsigned end) {
  if (table->spaces[end])
    return table->spaces[end];
  return table->neo4j && !table->ends[end] ? "" : NULL;
}

/* Ends of one space and type are vertices among which ids mean the same. */
static bool is_bipartite(const struct qn_typed_table *table) {
  const char *spaces[] = {end_space(table, 0), end_space(table, 1)};
  const bool same_space =
      !spaces[0] == !spaces[1] && (!spaces[0] || strcmp(spaces[0], spaces[1]) == 0);
  const bool same_type = !table->ends[0] == !table->ends[1] &&
                         (!table->ends[0] || strcmp(table->ends[0], table->ends[1]) == 0);
  return !same_space || !same_type;
}

static enum qn_status import_edges(struct importing *importing, const struct qn_typed_table *table,
                                   struct qn_error *error) {
  struct qn_import_options options = options_of(importing, table);
  const char *column = importing->typed->edge_type_column;
  const bool bipartite = is_bipartite(table);
  options.read.bipartite = bipartite ? QN_BIPARTITE_YES : QN_BIPARTITE_NO;
  options.properties = options.properties ? options.properties : "all";
  enum qn_status status = import_table(importing, &options, table, error);
  if (status)
    return status;
  importing->edges[importing->sources.num_edges++] = (struct qn_typed_edge_source){
      .container = importing->containers[importing->num_containers - 1],
      .file = table->files[0],
      .bipartite = bipartite,
      .ends = {{end_space(table, 0), table->ends[0]}, {end_space(table, 1), table->ends[1]}},
      .type = table->type,
      .type_column = column                             ? column
                     : table->says_type && !table->type ? "TYPE"
                                                        : NULL};
  return QN_OK;
}

/* ---- What has no header of types ---------------------------------------------- */

/* The format of a file; "" if nobody knows it yet. */
static enum qn_status find_format(const struct qn_import_options *options, const char *path,
                                  const char **format, struct qn_error *error) {
  const struct qn_reader *reader;
  struct qn_input *input;
  *format = strcmp(options->format, "auto") != 0 ? options->format : "";
  if (strcmp(options->format, "auto") != 0 || strcmp(path, "-") == 0)
    return QN_OK;
  enum qn_status status = qn_input_open(path, &options->input, &input, error);
  if (status)
    return status;
  *format = qn_reader_detect(input, &options->read, &reader, NULL) ? "" : reader->name;
  qn_input_close(input);
  return QN_OK;
}

/* The properties that say types. */
struct type_columns {
  const char *of_vertices, *of_edges; /* NULL: none does */
};

/* Of RDF predicates are types. */
static enum qn_status choose_columns(const struct importing *importing, const char *format,
                                     struct qn_import_options *options,
                                     struct type_columns *columns, struct qn_error *error) {
  static const char rdf_type[] = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
  const struct qn_typed_options *typed = importing->typed;
  const char *path = importing->tables.others[0];
  const bool is_rdf = strcmp(format, "n-triples") == 0;
  *columns = (struct type_columns){typed->vertex_type_column, typed->edge_type_column};
  if (is_rdf && columns->of_vertices && strcmp(columns->of_vertices, "rdf:type") == 0)
    columns->of_vertices = rdf_type;
  if (is_rdf && !columns->of_edges)
    columns->of_edges = "predicate";
  options->read.label_predicate = columns->of_vertices;
  if (columns->of_vertices || columns->of_edges)
    return QN_OK;
  qn_fail(error, QN_INVALID,
          "nothing says what types this file has: --edge-type-column and --vertex-type-column "
          "name the properties that do, and --edge-table NAME:SOURCE:TARGET=FILE says it of all "
          "of a file");
  return qn_error_in_file(error, path);
}

/* A container is taken as it is. */
static enum qn_status take_container(struct importing *importing,
                                     const struct qn_import_options *options, const char *path,
                                     struct qn_error *error) {
  const struct qn_build *build = &options->build;
  struct qn_container **container = &importing->containers[importing->num_containers];
  struct qn_import_report *report = importing->report;
  struct qn_graph graph;
  if (options->properties || options->vertex_table || options->read.num_vertices ||
      build->self_loops != QN_SELF_LOOPS_KEEP || build->duplicates != QN_DUPLICATES_KEEP ||
      build->weights != QN_WEIGHTS_AUTO || options->read.weights != QN_WEIGHTS_AUTO)
    return qn_fail(
        error, QN_USAGE,
        "types of a container are made of it as it is; quern-transform changes it first");
  enum qn_status status = qn_container_open(path, 0, container, error);
  if (status)
    return status;
  importing->num_containers++;
  const struct qn_container_info *info = qn_container_info(*container);
  if (info->layout != QN_LAYOUT_GRAPH) {
    qn_fail(error, QN_USAGE,
            "the layout is %s; types are made of graph containers: quern-transform "
            "--layout graph makes one of it",
            qn_layout_name(info->layout));
    return qn_error_in_file(error, path);
  }
  status = qn_graph_view(*container, &graph, error);
  if (!status)
    status = qn_graph_check_all(*container, &graph, error);
  status = qn_container_confirm(*container, status, qn_container_verify, error);
  report->ledger.edges_read = report->ledger.edges_written = info->num_edges;
  return status ? status : qn_provenance_create(importing->job->tool, &report->provenance, error);
}

static enum qn_status import_others(struct importing *importing, struct qn_error *error) {
  const struct qn_typed_tables *tables = &importing->tables;
  struct qn_import_options options = *importing->job->options;
  struct type_columns columns;
  const char *format;
  enum qn_status status = find_format(&options, tables->others[0], &format, error);
  if (!status)
    status = choose_columns(importing, format, &options, &columns, error);
  if (status)
    return status;
  const bool is_container = tables->num_others == 1 && importing->report->provenance == NULL &&
                            strcmp(format, "quern") == 0;
  if (is_container) {
    status = take_container(importing, &options, tables->others[0], error);
  } else {
    options.properties = options.properties ? options.properties : "all";
    options.read.others_wanted = true;
    status =
        import(importing, &options, tables->others, (int)tables->num_others, NULL, NULL, error);
  }
  if (status)
    return status;
  const struct qn_container *container = importing->containers[importing->num_containers - 1];
  if (qn_container_info(container)->directedness == QN_UNDIRECTED)
    qn_note(QN_NOTE_NOT_KEPT, "edges of types are directed: each of these undirected edges becomes "
                              "one in either direction");
  importing->vertices[importing->sources.num_vertices++] =
      (struct qn_typed_vertex_source){.container = container,
                                      .file = tables->others[0],
                                      .space = "",
                                      .type_column = columns.of_vertices};
  importing->edges[importing->sources.num_edges++] =
      (struct qn_typed_edge_source){.container = container,
                                    .file = tables->others[0],
                                    .ends = {{"", NULL}, {"", NULL}},
                                    .type_column = columns.of_edges};
  return QN_OK;
}

/* ---- The whole ------------------------------------------------------------------ */

static enum qn_status import_tables(struct importing *importing, struct qn_error *error) {
  const struct qn_typed_tables *tables = &importing->tables;
  const uint64_t room = (uint64_t)tables->count + 1;
  enum qn_status status = qn_alloc_zeroed(&importing->containers, room,
                                          sizeof *importing->containers, "containers", error);
  if (!status)
    status =
        qn_alloc_zeroed(&importing->vertices, room, sizeof *importing->vertices, "tables", error);
  if (!status)
    status = qn_alloc_zeroed(&importing->edges, room, sizeof *importing->edges, "tables", error);
  for (uint32_t i = 0; !status && i < tables->count; i++)
    status = tables->tables[i].of_edges ? import_edges(importing, &tables->tables[i], error)
                                        : import_vertices(importing, &tables->tables[i], error);
  if (!status && tables->num_others)
    status = import_others(importing, error);
  importing->sources.vertices = importing->vertices;
  importing->sources.edges = importing->edges;
  return status;
}

static enum qn_status run(struct importing *importing, struct qn_error *error) {
  const struct qn_import_job *job = importing->job;
  struct qn_import_report *report = importing->report;
  enum qn_status status = check_options(job, importing->typed, error);
  if (!status)
    status = qn_typed_tables_find(importing->typed, job->inputs, job->num_inputs,
                                  &job->options->input, &importing->tables, error);
  if (!status)
    status = import_tables(importing, error);
  if (!status)
    status = qn_provenance_ledger(report->provenance, &report->ledger, error);
  if (!status)
    status = qn_context_check(error);
  const double begun = qn_seconds();
  if (!status)
    status = qn_typed_assemble(&importing->sources, report->provenance, job->tool, job->output,
                               job->replace, &report->set, error);
  report->write_seconds = qn_seconds() - begun;
  if (!status)
    report->info = qn_set_info(report->set);
  return status;
}

enum qn_status qn_typed_import_run(const struct qn_import_job *job,
                                   const struct qn_typed_options *typed,
                                   struct qn_import_report *report, struct qn_error *error) {
  struct importing importing = {.job = job, .typed = typed, .report = report};
  const double begun = qn_seconds();
  *report = (struct qn_import_report){0};
  qn_memory_keep_to(&job->memory); /* tables wait for each other: in files, then */
  enum qn_status status = run(&importing, error);
  for (uint32_t i = 0; i < importing.num_containers; i++)
    qn_container_unmap(importing.containers[i]);
  qn_free(importing.containers);
  qn_free(importing.vertices);
  qn_free(importing.edges);
  qn_typed_tables_release(&importing.tables);
  report->total_seconds = qn_seconds() - begun;
  if (status)
    qn_import_report_end(report);
  return status;
}
