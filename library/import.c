/* Imports from arrays and files. */
#include <quern/import.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "converters/arrays/edge_columns.h"
#include "library/importing.h"
#include "support/memory.h"

/* ---- What all imports share ------------------------------------------------ */

static const struct qn_setting output_settings[] = {
    {"force", QN_SETTING_SWITCH, .offset = offsetof(struct qn_importing, replace)}, {0}};

static enum qn_status import(struct qn_importing *importing, struct qn_import_report *report,
                             struct qn_error *error) {
  struct qn_container *container = NULL;
  const struct qn_import_job job = {.options = &importing->options,
                                    .memory = importing->memory,
                                    .inputs = importing->paths,
                                    .num_inputs = importing->num_paths,
                                    .feed = importing->feed,
                                    .tool = "libquern",
                                    .output = importing->path,
                                    .replace = importing->replace};
  bool wanted = importing->out || !importing->path;
  enum qn_status status = qn_import_run(&job, report, wanted ? &container : NULL, error);
  if (status || !wanted)
    return status;
  qn_import_report_end(report);
  return qn_session_of_output(container, importing->path, importing->out, error);
}

static enum qn_status do_import(void *argument, struct qn_error *error) {
  struct qn_importing *importing = argument;
  struct qn_import_report report = {0};
  const struct qn_settings settings[] = {{importing->more_settings, importing->more_target},
                                         {qn_import_settings, &importing->options},
                                         {qn_build_settings, &importing->options.build},
                                         {output_settings, importing},
                                         {0}};
  qn_import_options_begin(&importing->options);
  enum qn_status status =
      qn_options_apply(importing->given, importing->num_given,
                       importing->more_settings ? settings : settings + 1, error);
  if (!status && importing->prepare)
    status = importing->prepare(importing, error);
  if (!status)
    status = qn_import_options_settle(&importing->options, error);
  if (!status)
    status = import(importing, &report, error);
  qn_import_report_end(&report);
  return status;
}

enum qn_status qn_importing_call(struct qn_importing *importing, const struct qn_job *job,
                                 struct qn_error *error) {
  enum qn_status status = qn_output_begin(importing->path, importing->out, error);
  importing->memory = qn_memory_options_of(job);
  return status ? status : qn_call(job, do_import, importing, error);
}

/* ---- Files ----------------------------------------------------------------- */

struct file_list {
  char **paths; /* [count] */
  uint64_t count;
};

static void free_files(struct file_list *files) {
  for (uint64_t i = 0; files->paths && i < files->count; i++)
    qn_free(files->paths[i]);
  qn_free(files->paths);
}

/* Copies, in which "-" is a file's name. */
static enum qn_status copy_paths(const char *const *paths, uint64_t count, struct file_list *files,
                                 struct qn_error *error) {
  enum qn_status status =
      qn_alloc_zeroed(&files->paths, count, sizeof *files->paths, "paths", error);
  files->count = count;
  for (uint64_t i = 0; i < count && !status; i++) {
    const char *before = strcmp(paths[i], "-") == 0 ? "./" : "";
    size_t room = strlen(paths[i]) + 3;
    status = qn_alloc(&files->paths[i], room, 1, "a path", error);
    if (!status)
      snprintf(files->paths[i], room, "%s%s", before, paths[i]);
  }
  return status;
}

enum qn_status qn_import_files(const char *const *paths, uint64_t num_paths,
                               const struct qn_option *options, uint64_t num_options,
                               const char *path, const struct qn_job *job, struct qn_session **out,
                               struct qn_error *error) {
  struct file_list files = {0};
  if (out)
    *out = NULL;
  if (num_paths == 0 || num_paths > INT32_MAX)
    return qn_fail(error, QN_USAGE, "expected 1 to %d files, not %" PRIu64, INT32_MAX, num_paths);
  enum qn_status status = copy_paths(paths, num_paths, &files, error);
  struct qn_importing importing = {.given = options,
                                   .num_given = num_options,
                                   .path = path,
                                   .out = out,
                                   .paths = files.paths,
                                   .num_paths = (int)num_paths};
  if (!status)
    status = qn_importing_call(&importing, job, error);
  free_files(&files);
  return status;
}

/* ---- Arrays ---------------------------------------------------------------- */

/* How the elements of an array are decoded; false if it is not of numbers. */
bool qn_numbers_of(enum qn_type type, const char *name, const void *data, uint64_t count,
                   struct qn_number_array *out) {
  *out = (struct qn_number_array){.name = name, .data = data, .count = count};
  out->width = (unsigned)qn_type_bytes(type);
  if (type >= QN_TYPE_U8 && type <= QN_TYPE_U64)
    out->kind = QN_NUMBERS_UNSIGNED;
  else if (type >= QN_TYPE_I8 && type <= QN_TYPE_I64)
    out->kind = QN_NUMBERS_SIGNED;
  else if (type == QN_TYPE_F32 || type == QN_TYPE_F64)
    out->kind = QN_NUMBERS_REAL;
  else
    return false;
  return true;
}

struct array_feed {
  struct qn_edge_arrays arrays;
  struct qn_edge_columns columns;
  struct qn_ids names; /* dense: there are none */
  struct qn_edge_feed feed;
};

static enum qn_status check_arrays(const struct qn_edge_arrays *arrays, struct qn_error *error) {
  struct qn_number_array ids, weights;
  enum qn_type weight_type = arrays->weight_type;
  if (!qn_numbers_of(arrays->id_type, "", NULL, 0, &ids) || ids.kind == QN_NUMBERS_REAL)
    return qn_fail(error, QN_USAGE, "id_type: expected one of integers");
  if (weight_type != QN_TYPE_NONE && !qn_numbers_of(weight_type, "", NULL, 0, &weights))
    return qn_fail(error, QN_USAGE, "weight_type: expected one of numbers");
  if (arrays->num_edges && (!arrays->sources || !arrays->targets))
    return qn_fail(error, QN_USAGE, "sources and targets: one of them is NULL");
  if (arrays->num_edges && weight_type != QN_TYPE_NONE && !arrays->weights)
    return qn_fail(error, QN_USAGE, "weights: there is a type, but the pointer is NULL");
  if (arrays->num_edges > INT64_MAX / 8)
    return qn_fail(error, QN_USAGE, "num_edges: more than memory can hold");
  return QN_OK;
}

/* The names of vertices, which then are declared. */
static enum qn_status take_names(struct array_feed *feed, struct qn_error *error) {
  struct qn_id_arrays names;
  if (!feed->arrays.names)
    return QN_OK;
  qn_sized_read(&names, sizeof names, feed->arrays.names);
  bool numbers = names.form == QN_ID_FORM_NUMBERS && (names.numbers || !names.num_vertices);
  bool strings = names.form == QN_ID_FORM_STRINGS && names.offsets && names.bytes;
  if (!numbers && !strings)
    return qn_fail(error, QN_USAGE, "names: expected numbers, or offsets and bytes of texts");
  if (feed->arrays.has_num_vertices && feed->arrays.num_vertices != names.num_vertices)
    return qn_fail(error, QN_USAGE, "there are %" PRIu64 " names for %" PRIu64 " vertices",
                   names.num_vertices, feed->arrays.num_vertices);
  feed->arrays.has_num_vertices = true;
  feed->arrays.num_vertices = names.num_vertices;
  feed->names = (struct qn_ids){.kind = numbers ? QN_IDS_NUMBERS : QN_IDS_STRINGS,
                                .num_vertices = names.num_vertices,
                                .numbers = names.numbers,
                                .string_offsets = names.offsets,
                                .string_bytes = names.bytes};
  return QN_OK;
}

/* The rules of ids; do they ascend? */
static enum qn_status check_names(struct qn_ids *names, struct qn_error *error) {
  names->ascending = true;
  if (qn_ids_check(NULL, names, NULL) == QN_OK)
    return QN_OK;
  names->ascending = false;
  return qn_ids_check(NULL, names, error);
}

/* What weights become: what is real stays so, even where all are whole. */
static enum qn_status choose_weights(struct qn_edge_columns *columns, struct qn_edge_list *list,
                                     struct qn_error *error) {
  const struct qn_number_array *weights = &columns->weights;
  struct qn_rounding worst;
  if (weights->kind == QN_NUMBERS_UNSIGNED && weights->width <= 4) {
    columns->weight_type = QN_WEIGHT_U32;
    return QN_OK;
  }
  qn_edge_list_weights_are_binary(list, QN_WEIGHT_NONE);
  uint64_t bad = qn_numbers_weight_type(weights, &columns->weight_type, &worst);
  if (bad < columns->num_edges)
    return qn_fail(error, QN_INVALID, "weights: that of edge %" PRIu64 " is not finite", bad);
  if (worst.error > 0)
    qn_edge_list_note_rounded(list, worst.exact, (double)worst.exact);
  if (weights->kind == QN_NUMBERS_REAL)
    columns->weight_type = weights->width == 4 ? QN_WEIGHT_F32 : QN_WEIGHT_F64;
  return QN_OK;
}

static enum qn_status push_arrays(void *context, const struct qn_read_options *options,
                                  struct qn_edge_list *list, uint64_t *sequence,
                                  struct qn_read_result *result, struct qn_error *error) {
  struct array_feed *feed = context;
  struct qn_edge_columns *columns = &feed->columns;
  uint64_t bad;
  enum qn_status status = QN_OK;
  if (feed->arrays.weight_type != QN_TYPE_NONE && options->weights != QN_WEIGHTS_NONE)
    status = choose_weights(columns, list, error);
  columns->part_edges = qn_edge_view_capacity(columns->weight_type);
  qn_progress_begin("reading", "bytes", 2 * columns->sources.width * columns->num_edges);
  if (!status)
    status = qn_edge_columns_push(columns, list, sequence, &bad, error);
  qn_progress_end();
  if (!status && bad != UINT64_MAX)
    status = qn_fail(error, QN_INVALID, "edge %" PRIu64 " has a negative id", bad);
  result->ledger.records += columns->num_edges;
  result->ledger.edges_read += columns->num_edges;
  return status;
}

/* Vertices that the struct declares, as the option does. */
static enum qn_status declare_vertices(struct qn_importing *importing, struct qn_error *error) {
  const struct array_feed *feed = importing->feed->context;
  uint64_t *given = &importing->options.read.num_vertices;
  uint64_t declared = feed->arrays.num_vertices;
  if (importing->options.read.strings)
    return qn_fail(error, QN_USAGE, "--ids=strings is for texts, and these are numbers");
  if (!feed->arrays.has_num_vertices)
    return QN_OK;
  if (declared > UINT32_MAX)
    return qn_fail(error, QN_USAGE, "num_vertices: at most %" PRIu32 ", not %" PRIu64, UINT32_MAX,
                   declared);
  if (*given && *given != declared)
    return qn_fail(error, QN_USAGE,
                   "--vertices=%" PRIu64 " and num_vertices, %" PRIu64 ", contradict each other",
                   *given, declared);
  *given = declared;
  return QN_OK;
}

static enum qn_status push_declared(void *context, const struct qn_read_options *options,
                                    struct qn_edge_list *list, uint64_t *sequence,
                                    struct qn_read_result *result, struct qn_error *error) {
  struct array_feed *feed = context;
  if (feed->arrays.has_num_vertices && !options->compact)
    result->num_vertices = feed->arrays.num_vertices; /* also 0, which the option cannot say */
  enum qn_status status = check_names(&feed->names, error);
  result->names = feed->names;
  return status ? status : push_arrays(context, options, list, sequence, result, error);
}

enum qn_status qn_import_arrays(const struct qn_edge_arrays *edges, const struct qn_option *options,
                                uint64_t num_options, const char *path, const struct qn_job *job,
                                struct qn_session **out, struct qn_error *error) {
  struct array_feed feed = {0};
  if (out)
    *out = NULL;
  qn_sized_read(&feed.arrays, sizeof feed.arrays, edges);
  const struct qn_edge_arrays *arrays = &feed.arrays;
  enum qn_status status = check_arrays(arrays, error);
  if (!status)
    status = take_names(&feed, error);
  if (status)
    return status;
  uint64_t count = arrays->num_edges;
  qn_numbers_of(arrays->id_type, "sources", arrays->sources, count, &feed.columns.sources);
  qn_numbers_of(arrays->id_type, "targets", arrays->targets, count, &feed.columns.destinations);
  qn_numbers_of(arrays->weight_type, "weights", arrays->weights, count, &feed.columns.weights);
  feed.columns.sources.stays = feed.columns.destinations.stays = feed.columns.weights.stays = true;
  feed.columns.num_edges = count;
  feed.feed = (struct qn_edge_feed){
      .read = push_declared,
      .context = &feed,
      .expected = {.num_edges = count,
                   .most_edges = count,
                   .num_vertices = arrays->has_num_vertices ? arrays->num_vertices : count / 8,
                   .weight_bytes = arrays->weights ? 4 : 0,
                   .most_weight_bytes = arrays->weights ? 8 : 0}};
  struct qn_importing importing = {.given = options,
                                   .num_given = num_options,
                                   .path = path,
                                   .out = out,
                                   .feed = &feed.feed,
                                   .prepare = declare_vertices};
  return qn_importing_call(&importing, job, error);
}
