#include "converters/changes/append.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "converters/changes/generation.h"
#include "converters/changes/policy.h"
#include "converters/changes/rows.h"
#include "converters/changes/target.h"
#include "converters/import/import.h"
#include "converters/provenance.h"
#include "formats/container/figures.h"
#include "support/context.h"
#include "support/json_text.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/threads.h"
#include <quern/open.h>

/* ---- Options --------------------------------------------------------------------- */

static enum qn_status add_file(const char ***files, uint64_t *count, const char *file,
                               struct qn_error *error) {
  enum qn_status status =
      qn_realloc(files, *count + 1, sizeof **files, "the names of inputs", error);
  if (!status)
    (*files)[(*count)++] = file;
  return status;
}

static enum qn_status set_append(void *target, const char *file, struct qn_error *error) {
  struct qn_append_options *options = target;
  return add_file(&options->appended, &options->num_appended, file, error);
}

static enum qn_status set_remove(void *target, const char *file, struct qn_error *error) {
  struct qn_append_options *options = target;
  return add_file(&options->removed, &options->num_removed, file, error);
}

const struct qn_setting qn_append_settings[] = {
    {"append", QN_SETTING_OWN, .set = set_append, .argument = "EDGES", .group = QN_APPEND_GROUP,
     .help = "Add these edges, in any format of quern-import, read and built as those of the graph "
             "were (may be repeated)"},
    {"append-vertices", QN_SETTING_TEXT, offsetof(struct qn_append_options, vertices),
     .argument = "TABLE", .group = QN_APPEND_GROUP,
     .help = "With --append: add these vertices, with properties, as --vertices of quern-import "
             "reads them"},
    {"remove", QN_SETTING_OWN, .set = set_remove, .argument = "EDGES", .group = QN_APPEND_GROUP,
     .help = "Remove the edges between these ends, all parallel ones, before any are added (may be "
             "repeated). Those that are not there are counted, and refused by --strict"},
    {0}};

enum qn_status qn_append_options_settle(const struct qn_append_options *options,
                                        struct qn_error *error) {
  if (!qn_append_is_asked(options))
    return qn_fail(error, QN_USAGE, "say what changes: --append or --remove");
  return options->vertices && !options->num_appended
             ? qn_fail(error, QN_USAGE, "--append-vertices needs --append")
             : QN_OK;
}

void qn_append_options_release(struct qn_append_options *options) {
  qn_free(options->appended);
  qn_free(options->removed);
  *options = (struct qn_append_options){0};
}

/* ---- Inputs ---------------------------------------------------------------------- */

struct appending {
  const struct qn_append_job *job;
  struct qn_append_report *report;
  struct qn_change_target target;
  struct qn_changed changed;
  struct qn_change_policy policy;
  struct qn_known_vertices known;
  struct qn_container *more, *gone; /* what was read; NULL: nothing was */
  struct qn_graph more_graph, gone_graph;
  struct qn_properties more_properties;
  struct qn_delta additions, removals;
  struct qn_change_rows rows;
  struct qn_new_vertices added; /* and what they are called */
};

static enum qn_status import(const struct appending *appending,
                             const struct qn_import_options *options, const char *const *files,
                             uint64_t count, struct qn_import_report *report,
                             struct qn_container **out, struct qn_error *error) {
  const struct qn_import_job job = {.options = options,
                                    .memory = appending->job->memory,
                                    .inputs = (char *const *)files,
                                    .num_inputs = (int)count,
                                    .tool = appending->job->tool};
  return qn_import_run(&job, report, out, error);
}

/* The inputs that an import has listed, also those that took something away. */
static enum qn_status list_inputs(struct appending *appending, const json_t *provenance,
                                  const char *role, struct qn_error *error) {
  json_t *all = json_object_get(appending->report->provenance, "inputs"), *input;
  size_t i;
  json_array_foreach(json_object_get(provenance, "inputs"), i, input) {
    if ((role && json_object_set_new(input, "role", json_string(role))) ||
        json_array_append(all, input))
      return qn_fail_memory(error, "metadata", 0);
  }
  return QN_OK;
}

static enum qn_status check_weights(const struct appending *appending, struct qn_error *error) {
  const struct qn_container_info *own = qn_container_info(appending->more);
  const enum qn_weight_type wanted = qn_container_info(appending->changed.base)->weight_type;
  if (own->weight_type == wanted || own->num_edges == 0)
    return QN_OK;
  return qn_fail(error, QN_INVALID, "the edges to be added have weights %s, and those of %s %s",
                 qn_weight_type_name(own->weight_type), appending->job->base,
                 qn_weight_type_name(wanted));
}

/* The columns of the graph are among those that were read, with the same types. */
static enum qn_status check_columns(const struct appending *appending, struct qn_error *error) {
  const struct qn_property_table *wanted = &appending->changed.properties.of_edges;
  char own_type[QN_PROPERTY_TYPE_BYTES], wanted_type[QN_PROPERTY_TYPE_BYTES];
  for (uint32_t i = 0; i < wanted->count; i++) {
    const struct qn_property *column = &wanted->columns[i];
    const struct qn_property *own =
        qn_property_find(&appending->more_properties.of_edges, column->name);
    if (!own && qn_container_info(appending->more)->num_edges)
      return qn_fail(error, QN_INVALID, "the edges to be added do not have the property %s",
                     column->name);
    if (own && own->type != column->type)
      return qn_fail(error, QN_INVALID,
                     "the property %s of the edges to be added is %s, and that of %s %s",
                     column->name, qn_property_type_name(own->type, own_type), appending->job->base,
                     qn_property_type_name(column->type, wanted_type));
  }
  return QN_OK;
}

/* Its edges have properties, which no reader of containers gives: it is taken as it is. */
static bool is_taken(const struct appending *appending) {
  const struct qn_append_options *options = appending->job->options;
  char head[8] = "";
  if (options->num_appended != 1 || !appending->changed.properties.of_edges.count)
    return false;
  FILE *file = fopen(options->appended[0], "rbe");
  const bool is_whole = file && fread(head, sizeof head, 1, file) == 1;
  if (file)
    fclose(file);
  return is_whole && memcmp(head, "\x89QRN\r\n\x1a\n", sizeof head) == 0;
}

/* What an import would have left out or merged. */
static enum qn_status check_edges(const struct appending *appending, const struct qn_csr *csr,
                                  struct qn_error *error) {
  const struct qn_build *build = &appending->policy.added.build;
  uint64_t loops = 0, parallel = 0;
#pragma omp parallel for schedule(dynamic, 4096) reduction(+ : loops, parallel)
  for (uint64_t v = 0; v < csr->num_vertices; v++)
    for (uint64_t e = csr->row_offsets[v]; e < csr->row_offsets[v + 1]; e++) {
      loops += csr->column_indices[e] == v;
      parallel += e > csr->row_offsets[v] && csr->column_indices[e] == csr->column_indices[e - 1];
    }
  const bool has_loops = loops && build->self_loops != QN_SELF_LOOPS_KEEP;
  if (!has_loops && (!parallel || build->duplicates == QN_DUPLICATES_KEEP))
    return QN_OK;
  return qn_fail(error, QN_INVALID,
                 "this has %s, and the graph was made without: quern-transform --remove-%s first",
                 has_loops ? "self loops" : "parallel edges",
                 has_loops ? "self-loops" : "duplicates");
}

static enum qn_status take_container(struct appending *appending, struct qn_error *error) {
  const struct qn_append_options *options = appending->job->options;
  const char *path = options->appended[0], *slash = strrchr(path, '/');
  struct qn_ledger *ledger = &appending->report->ledger;
  if (options->vertices)
    return qn_fail(error, QN_USAGE,
                   "a container has its vertices with it: leave --append-vertices out");
  enum qn_status status = qn_container_open(path, 0, &appending->more, error);
  if (status)
    return status;
  const struct qn_container_info *info = qn_container_info(appending->more);
  if (info->layout != QN_LAYOUT_GRAPH)
    status = qn_fail(error, QN_USAGE, "the layout is %s; edges are added of graph containers",
                     qn_layout_name(info->layout));
  if (!status)
    status = qn_graph_view(appending->more, &appending->more_graph, error);
  if (!status)
    status = qn_container_confirm(
        appending->more, qn_graph_check_all(appending->more, &appending->more_graph, error),
        qn_container_verify, error);
  if (!status)
    status = check_edges(appending, &appending->more_graph.out, error);
  if (!status)
    status = qn_properties_view(appending->more, &appending->more_properties, error);
  if (!status)
    status = qn_properties_check(appending->more, &appending->more_properties, error);
  if (status)
    return qn_error_in_file(error, path), status;
  ledger->edges_read = ledger->edges_written = info->num_edges;
  if (info->directedness == QN_UNDIRECTED)
    ledger->undirected_edges = qn_undirected_edges(appending->more, info->num_edges);
  json_t *input = json_pack("{s:o, s:s, s:I, s:o}", "name", qn_json_text(slash ? slash + 1 : path),
                            "format", "quern", "bytes", (json_int_t)info->file_bytes, "identity",
                            json_sprintf("%016" PRIx64, info->header_checksum));
  return json_array_append_new(json_object_get(appending->report->provenance, "inputs"), input)
             ? qn_fail_memory(error, "metadata", 0)
             : QN_OK;
}

static enum qn_status import_more(struct appending *appending, struct qn_error *error) {
  const struct qn_append_options *options = appending->job->options;
  struct qn_import_report report = {0};
  struct qn_import_options *how = &appending->policy.added;
  how->vertex_table = options->vertices;
  how->strict = appending->job->strict;
  enum qn_status status = qn_import_options_settle(how, error);
  if (!status)
    status = import(appending, how, options->appended, options->num_appended, &report,
                    &appending->more, error);
  if (status)
    return status;
  appending->report->ledger = report.ledger;
  status = list_inputs(appending, report.provenance, NULL, error);
  qn_import_report_end(&report);
  if (!status)
    status = qn_graph_view(appending->more, &appending->more_graph, error);
  return status ? status : qn_properties_view(appending->more, &appending->more_properties, error);
}

static enum qn_status read_more(struct appending *appending, struct qn_error *error) {
  if (!appending->job->options->num_appended)
    return QN_OK;
  enum qn_status status =
      is_taken(appending) ? take_container(appending, error) : import_more(appending, error);
  if (!status && appending->more_graph.directedness != appending->changed.graph.directedness)
    status =
        qn_fail(error, QN_INVALID, "the edges to be added are %s, and those of %s are not",
                appending->more_graph.directedness == QN_UNDIRECTED ? "undirected" : "directed",
                appending->job->base);
  if (!status)
    status = check_weights(appending, error);
  return status ? status : check_columns(appending, error);
}

static enum qn_status read_gone(struct appending *appending, struct qn_error *error) {
  const struct qn_append_options *options = appending->job->options;
  struct qn_import_report report = {0};
  struct qn_import_options *how = &appending->policy.removed;
  if (!options->num_removed)
    return QN_OK;
  how->strict = appending->job->strict;
  enum qn_status status = qn_import_options_settle(how, error);
  if (!status)
    status = import(appending, how, options->removed, options->num_removed, &report,
                    &appending->gone, error);
  if (status)
    return status;
  status = list_inputs(appending, report.provenance, "remove", error);
  qn_import_report_end(&report);
  return status ? status : qn_graph_view(appending->gone, &appending->gone_graph, error);
}

/* ---- Changes --------------------------------------------------------------------- */

/* Each different edge once, an undirected one in one direction. */
static uint64_t count_once(const struct qn_graph *graph) {
  const struct qn_csr *csr = &graph->out;
  uint64_t count = csr->num_edges;
  for (uint64_t v = 0; graph->directedness == QN_UNDIRECTED && v < csr->num_vertices; v++)
    for (uint64_t e = csr->row_offsets[v]; e < csr->row_offsets[v + 1]; e++)
      count -= csr->column_indices[e] < v;
  return count;
}

static enum qn_status make_removals(struct appending *appending, struct qn_error *error) {
  const struct qn_graph *graph = &appending->gone_graph;
  uint32_t *map;
  if (!appending->gone)
    return QN_OK;
  enum qn_status status =
      qn_alloc(&map, graph->out.num_vertices, sizeof *map, "numbers of vertices", error);
  if (!status)
    qn_known_vertices_find_all(&appending->known, &graph->ids, map);
  if (!status)
    status = qn_delta_make(&graph->out, map, &appending->removals, error);
  qn_free(map);
  return status;
}

static enum qn_status make_additions(struct appending *appending, struct qn_error *error) {
  const struct qn_graph *graph = &appending->more_graph;
  struct qn_new_vertices *added = &appending->added;
  enum qn_status status = qn_new_vertices_make(&appending->known, &appending->policy,
                                               appending->more ? &graph->ids : NULL, added, error);
  return status || !appending->more
             ? status
             : qn_delta_make(&graph->out, added->map, &appending->additions, error);
}

static enum qn_status make_changes(struct appending *appending, struct qn_error *error) {
  enum qn_status status = qn_known_vertices_make(&appending->changed, &appending->known, error);
  if (!status)
    status = make_removals(appending, error);
  if (!status)
    status = make_additions(appending, error);
  const struct qn_weights weights = {.type =
                                         qn_container_info(appending->changed.base)->weight_type,
                                     .data = appending->more_graph.out.weights.data};
  return status ? status
                : qn_change_rows_make(&appending->changed, appending->policy.added.build.duplicates,
                                      &appending->removals, &appending->additions, &weights,
                                      &appending->rows, error);
}

/* What was asked to be removed, and was not there: counted, or refused. */
static enum qn_status count_missing(const struct appending *appending, uint64_t *missing,
                                    struct qn_error *error) {
  *missing = appending->gone ? count_once(&appending->gone_graph) - appending->rows.found : 0;
  return *missing && appending->job->strict
             ? qn_fail(error, QN_INVALID,
                       "%" PRIu64 " edge%s to be removed %s not there (without --strict they are "
                       "counted)",
                       *missing, *missing > 1 ? "s" : "", *missing > 1 ? "are" : "is")
             : QN_OK;
}

/* The ledger of what was added, now that it is known what was there before. */
static enum qn_status record(struct appending *appending, struct qn_error *error) {
  struct qn_ledger *ledger = &appending->report->ledger;
  const struct qn_change_rows *rows = &appending->rows;
  const struct qn_append_options *options = appending->job->options;
  json_t *provenance = appending->report->provenance;
  ledger->duplicates_removed += rows->merged;
  ledger->edges_written -= rows->merged;
  if (ledger->undirected_edges)
    ledger->undirected_edges -= rows->merged_once;
  if (appending->policy.added.build.duplicates == QN_DUPLICATES_KEEP)
    ledger->parallel_edges += rows->parallel;
  if (rows->parallel && appending->policy.added.build.duplicates == QN_DUPLICATES_KEEP)
    qn_ledger_note_parallel(ledger, "--duplicates=remove");
  enum qn_status status = QN_OK;
  if (options->num_appended)
    status = qn_provenance_option(provenance, "append", json_true(), error);
  if (!status && options->vertices)
    status = qn_provenance_option(provenance, "append_vertices", json_true(), error);
  if (!status && options->num_removed)
    status = qn_provenance_option(provenance, "remove", json_true(), error);
  return status ? status : qn_provenance_ledger(provenance, ledger, error);
}

/* ---- The whole ------------------------------------------------------------------- */

/* The graph is whole, or nothing is written. Rows that are there go into this generation only where
 * edges are compared with them: only then more is asked of these. */
static enum qn_status check_graph(const struct appending *appending, struct qn_error *error) {
  const struct qn_changed *changed = &appending->changed;
  const bool compares = appending->job->options->num_removed ||
                        appending->policy.added.build.duplicates != QN_DUPLICATES_KEEP;
  enum qn_status status = qn_changed_verify(changed, error);
  if (status || !(compares || appending->job->strict))
    return status;
  status = qn_changed_check_base(changed, appending->job->strict ? QN_CHANGED_ALL : QN_CHANGED_ROWS,
                                 error);
  return status ? status : qn_changed_check_blocks(changed, error);
}

static enum qn_status open_graph(struct appending *appending, struct qn_error *error) {
  struct qn_changed *changed = &appending->changed;
  const struct qn_set *set = appending->target.set;
  enum qn_status status =
      set ? qn_changed_open(set, QN_CHANGED_HEADERS, changed, error)
          : qn_changed_open_base(appending->job->base, QN_CHANGED_HEADERS, changed, error);
  if (!status)
    status = qn_change_policy_make(changed, &appending->policy, error);
  return status ? status : check_graph(appending, error);
}

static enum qn_status write(struct appending *appending, struct qn_error *error) {
  uint64_t missing;
  enum qn_status status = count_missing(appending, &missing, error);
  if (!status)
    status = record(appending, error);
  if (!status && appending->job->strict)
    status = qn_notes_refuse_warnings(error);
  const struct qn_new_generation made = {.changed = &appending->changed,
                                         .rows = &appending->rows,
                                         .vertices = &appending->added,
                                         .properties = &appending->more_properties,
                                         .more = appending->more,
                                         .missing = missing,
                                         .provenance = appending->report->provenance,
                                         .tool = appending->job->tool};
  if (!status)
    status = qn_context_check(error);
  return status ? status
                : qn_generation_write(&made, &appending->target, &appending->report->set,
                                      &appending->report->bytes, error);
}

static enum qn_status run(struct appending *appending, struct qn_error *error) {
  const struct qn_append_job *job = appending->job;
  enum qn_status status = qn_provenance_create(job->tool, &appending->report->provenance, error);
  if (!status)
    status = qn_change_target_open(job->base, job->output, job->replace, &appending->target, error);
  if (!status)
    status = open_graph(appending, error);
  if (!status)
    status = read_gone(appending, error);
  if (!status)
    status = read_more(appending, error);
  if (!status)
    status = make_changes(appending, error);
  return status ? status : write(appending, error);
}

enum qn_status qn_append_run(const struct qn_append_job *job, struct qn_append_report *report,
                             struct qn_error *error) {
  struct appending appending = {.job = job, .report = report};
  const double begun = qn_seconds();
  *report = (struct qn_append_report){0};
  enum qn_status status = run(&appending, error);
  report->new_vertices = appending.added.count;
  qn_change_rows_release(&appending.rows);
  qn_delta_release(&appending.additions);
  qn_delta_release(&appending.removals);
  qn_new_vertices_release(&appending.added);
  qn_properties_release(&appending.more_properties);
  qn_container_unmap(appending.more);
  qn_container_unmap(appending.gone);
  qn_known_vertices_release(&appending.known);
  qn_change_policy_release(&appending.policy);
  qn_changed_close(&appending.changed);
  qn_change_target_close(&appending.target);
  report->seconds = qn_seconds() - begun;
  return status;
}

json_t *qn_append_describe(const struct qn_append_report *report, const char *output) {
  const struct qn_set *set = report->set;
  const struct qn_set_generation *last = &set->generations[set->num_generations - 1];
  json_t *json = json_pack(
      "{s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f}", "output", qn_json_text(output),
      "identity", json_sprintf("%016" PRIx64, set->identity), "generation",
      (json_int_t)set->num_generations, "vertices", (json_int_t)set->num_vertices, "edges",
      (json_int_t)set->num_edges, "new_vertices", (json_int_t)report->new_vertices, "added",
      (json_int_t)last->added, "removed", (json_int_t)last->removed, "missing",
      (json_int_t)last->missing, "bytes", (json_int_t)report->bytes, "seconds", report->seconds);
  if (json && json_object_update(json, report->provenance)) {
    json_decref(json);
    return NULL;
  }
  return json;
}

void qn_append_report_end(struct qn_append_report *report) {
  qn_set_close(report->set);
  json_decref(report->provenance);
  *report = (struct qn_append_report){0};
}
