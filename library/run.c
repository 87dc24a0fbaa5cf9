/* Runs and their results. */
#include <quern/placement.h>
#include <quern/run.h>

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "formats/set/set.h"
#include "kernels/cuda/device/device.h"
#include "library/call.h"
#include "library/options.h"
#include "library/session.h"
#include "results/summary.h"
#include "results/values.h"
#include "runtime/options.h"
#include "runtime/placement.h"
#include "support/memory.h"

/* An algorithm's name, an underscore and a number. */
#define COLUMN_NAME 64

struct qn_result {
  struct qn_session *session; /* whose ids name vertices */
  struct qn_run run;
  pthread_mutex_t lock;       /* of what is brought from a device */
  char (*names)[COLUMN_NAME]; /* of several columns */
};

struct qn_placed {
  struct qn_session *session;
  struct qn_run_options where;
  struct qn_placement placement;
};

struct running {
  struct qn_session *session;
  struct qn_placed *placed; /* NULL: the session alone is there */
  const char *algorithm;
  const struct qn_option *options;
  uint64_t num_options;
  struct qn_result *result;
};

static void name_positions(const struct qn_run_input *input, uint32_t *values, uint64_t count) {
  const uint64_t num_vertices = input->info->num_vertices;
#pragma omp parallel for schedule(static)
  for (uint64_t i = 0; i < count; i++)
    values[i] = values[i] < num_vertices ? input->order[values[i]] : values[i];
}

/* Kernels number vertices by their original order where values are vertices. */
static void name_vertices(const struct qn_run_input *input, const struct qn_kernel *kernel,
                          struct qn_run_result *result) {
  if (!kernel || !input->order)
    return;
  const struct qn_algorithm *algorithm = kernel->algorithm;
  if (result->shape == QN_SHAPE_SAMPLE)
    name_positions(input, result->sample->nodes, result->sample->num_nodes);
  else if (algorithm->values & QN_VALUES_VERTICES || result->shape == QN_SHAPE_WALKS)
    name_positions(input, result->values, result->num_values * qn_result_width(result));
}

/* "bfs_0", "bfs_1", ...: in the order of the sources; or names of their own. */
static enum qn_status name_columns(struct qn_result *result, struct qn_error *error) {
  const struct qn_result_columns *columns = &result->run.result.columns;
  if (result->run.result.shape != QN_SHAPE_COLUMNS)
    return QN_OK;
  const uint32_t count = columns->count;
  enum qn_status status =
      qn_alloc(&result->names, count, sizeof *result->names, "names of columns", error);
  for (uint32_t i = 0; !status && i < count; i++)
    if (columns->names)
      snprintf(result->names[i], COLUMN_NAME, "%s", columns->names[i]);
    else
      snprintf(result->names[i], COLUMN_NAME, "%s_%" PRIu32, result->run.algorithm->name, i);
  return status;
}

static enum qn_status set_generation(void *target, const char *text, struct qn_error *error) {
  struct qn_update_options *update = &((struct qn_run_options *)target)->update;
  update->is_given = true;
  return qn_whole_parse(text, 0, UINT64_MAX, &update->generation, error);
}

static const struct qn_setting library_settings[] = {
    {"parents", QN_SETTING_SWITCH, .offset = offsetof(struct qn_run_options, wants_parents)},
    {"from", QN_SETTING_TEXT, .offset = offsetof(struct qn_run_options, update.result)},
    {"from-generation", QN_SETTING_OWN, .set = set_generation},
    {0}};

static enum qn_status check_subject(const struct running *running,
                                    const struct qn_run_options *options, struct qn_error *error) {
  if (!options->program && !running->algorithm)
    return qn_fail(error, QN_USAGE, "name an algorithm, or a program");
  if (options->program && running->algorithm)
    return qn_fail(error, QN_USAGE, "a program replaces the algorithm: give %s or %s, not both",
                   options->program, running->algorithm);
  return QN_OK;
}

/* The caller has the result: the checkpoint has served. */
static enum qn_status discard_checkpoint(struct qn_run *run, struct qn_error *error) {
  return run->keeper ? qn_keeper_discard(run->keeper, error) : QN_OK;
}

/* What no table of a run has is a parameter or an input of the algorithm. */
static enum qn_status take_option(const struct qn_option *option,
                                  const struct qn_settings *settings,
                                  struct qn_run_options *options, struct qn_error *error) {
  if (!option->name)
    return qn_fail(error, QN_USAGE, "an option has no name");
  for (const struct qn_settings *each = settings; each->table; each++)
    if (qn_setting_find(each->table, option->name))
      return qn_setting_set(qn_setting_find(each->table, option->name), each->target, option->value,
                            error);
  if (qn_setting_find(qn_place_settings, option->name))
    return qn_fail(error, QN_USAGE, "this call has no option '%s': the graph is placed",
                   option->name);
  return qn_run_options_say(options, option->name, option->value, error);
}

/* ---- Continuing ------------------------------------------------------------ */

/* A set whose rows are walked where they lie, beside the session, which has them put together. */
static enum qn_status open_changed(const struct running *running,
                                   const struct qn_run_options *options,
                                   struct qn_run_input *changed, struct qn_error *error) {
  const struct qn_session *session = running->session;
  const struct qn_container_info *info = session->input.info;
  if (running->placed || session->in_memory || !qn_set_has_generations(session->path))
    return qn_fail(error, QN_USAGE, "'from' is for a set with generations that was opened");
  enum qn_status status =
      qn_run_input_open_for(session->path, options, NULL, session->trusted, changed, error);
  if (!status && (changed->info->num_vertices != info->num_vertices ||
                  changed->info->num_edges != info->num_edges))
    status = qn_fail(error, QN_INVALID, "%s was changed since it was opened", session->path);
  return status;
}

/* The session's number of a vertex of the set: both know the original order. */
static uint64_t number_in(const struct qn_run_input *session, const struct qn_run_input *changed,
                          uint64_t v) {
  const uint64_t position = changed->positions ? changed->positions[v] : v;
  return session->order ? session->order[position] : position;
}

static enum qn_status renumber_values(const struct qn_run_input *session,
                                      const struct qn_run_input *changed,
                                      struct qn_run_result *result, struct qn_error *error) {
  const uint64_t count = result->num_values;
  const unsigned bytes = qn_result_bytes(result->type);
  char *before, *values = result->values;
  if (!values)
    return QN_OK;
  enum qn_status status = qn_pages_alloc(&before, count, bytes, "values", error);
  if (status)
    return status;
  memcpy(before, values, count * bytes);
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < count; v++)
    memcpy(values + number_in(session, changed, v) * bytes, before + v * bytes, bytes);
  qn_pages_free(before, count, bytes);
  return QN_OK;
}

static enum qn_status renumber(const struct qn_run_input *session,
                               const struct qn_run_input *changed, struct qn_run *run,
                               struct qn_error *error) {
  for (uint32_t i = 0; i < run->inputs.num_sources; i++)
    run->inputs.sources[i] = (uint32_t)number_in(session, changed, run->inputs.sources[i]);
  enum qn_status status = renumber_values(session, changed, &run->result, error);
  return status ? status : renumber_values(session, changed, &run->parents, error);
}

static enum qn_status start(const struct running *running, struct qn_run_options *options,
                            struct qn_error *error) {
  struct qn_session *session = running->session;
  struct qn_placed *placed = running->placed;
  struct qn_run *run = &running->result->run;
  struct qn_run_input changed = {0};
  if (!options->update.result)
    return qn_run_start(placed ? &placed->placement.input : &session->input, options, run, error);
  enum qn_status status = open_changed(running, options, &changed, error);
  if (!status)
    status = qn_run_start(&changed, options, run, error);
  if (!status)
    status = renumber(&session->input, &changed, run, error);
  qn_run_input_close(&changed);
  return status;
}

static enum qn_status run_with(const struct running *running, struct qn_run_options *options,
                               struct qn_error *error) {
  struct qn_session *session = running->session;
  struct qn_placed *placed = running->placed;
  struct qn_run *run = &running->result->run;
  const struct qn_settings settings[] = {{qn_run_settings, options},
                                         {library_settings, options},
                                         {placed ? NULL : qn_place_settings, options},
                                         {0}};
  enum qn_status status = QN_OK;
  for (uint64_t i = 0; i < running->num_options && !status; i++)
    status = take_option(&running->options[i], settings, options, error);
  if (!status)
    status = qn_run_options_settle(options, error);
  if (!status)
    status = check_subject(running, options, error);
  if (!status)
    status = qn_session_ensure_input(session, error);
  options->algorithm = running->algorithm;
  if (!status)
    status = start(running, options, error);
  if (!status)
    status = qn_container_unchanged(session->container, error);
  if (!status)
    name_vertices(&session->input, run->kernel, &run->result);
  if (!status)
    name_vertices(&session->input, run->parents_kernel, &run->parents);
  if (!status)
    status = name_columns(running->result, error);
  return status ? status : discard_checkpoint(run, error);
}

/* A list of devices lies in the options. */
static void copy_where(const struct qn_run_options *where, struct qn_run_options *options) {
  *options = *where;
  if (where->devices)
    options->devices = options->device_list;
}

static enum qn_status run(void *argument, struct qn_error *error) {
  const struct running *running = argument;
  struct qn_run_options options;
  qn_run_options_begin(&options);
  if (running->placed) {
    copy_where(&running->placed->where, &options);
    options.store = running->placed->placement.store;
    options.leaves_values = true;
  }
  enum qn_status status = run_with(argument, &options, error);
  qn_run_options_end(&options);
  return status;
}

static enum qn_status call_run(struct running *running, const struct qn_job *job,
                               struct qn_result **out, struct qn_error *error) {
  *out = NULL;
  enum qn_status status =
      qn_alloc_zeroed(&running->result, 1, sizeof *running->result, "a result", error);
  if (status)
    return status;
  pthread_mutex_init(&running->result->lock, NULL);
  running->result->session = qn_session_refer(running->session);
  status = qn_call(job, run, running, error);
  if (status)
    qn_result_close(running->result);
  else
    *out = running->result;
  return status;
}

enum qn_status qn_session_run(struct qn_session *session, const char *algorithm,
                              const struct qn_option *options, uint64_t num_options,
                              const struct qn_job *job, struct qn_result **out,
                              struct qn_error *error) {
  struct running running = {session, NULL, algorithm, options, num_options, NULL};
  return call_run(&running, job, out, error);
}

enum qn_status qn_placed_run(struct qn_placed *placed, const char *algorithm,
                             const struct qn_option *options, uint64_t num_options,
                             const struct qn_job *job, struct qn_result **out,
                             struct qn_error *error) {
  struct running running = {placed->session, placed, algorithm, options, num_options, NULL};
  return call_run(&running, job, out, error);
}

void qn_result_close(struct qn_result *result) {
  if (!result)
    return;
  qn_run_destroy(&result->run);
  pthread_mutex_destroy(&result->lock);
  qn_free(result->names);
  qn_session_close(result->session);
  qn_free(result);
}

/* ---- Placing --------------------------------------------------------------- */

struct placing {
  struct qn_placed *placed;
  const struct qn_option *options;
  uint64_t num_options;
};

/* Is there what was asked for? With QN_DEVICE_AUTO each run finds out. */
static enum qn_status find_device(const struct qn_run_options *where, struct qn_error *error) {
  int count = 0;
  if (where->device == QN_DEVICE_CPU)
    return QN_OK;
  enum qn_status status = qn_cuda_count(&count, where->device == QN_DEVICE_AUTO ? NULL : error);
  if (where->device == QN_DEVICE_AUTO || status || where->device_index < count)
    return where->device == QN_DEVICE_AUTO ? QN_OK : status;
  return qn_fail(error, QN_DEVICE, "there is no CUDA device %d: there are %d, counted from 0",
                 where->device_index, count);
}

static enum qn_status place(void *argument, struct qn_error *error) {
  const struct placing *placing = argument;
  struct qn_placed *placed = placing->placed;
  const struct qn_settings settings[] = {{qn_place_settings, &placed->where}, {0}};
  struct qn_run_options settled;
  const struct qn_csr *in = NULL;
  qn_run_options_begin(&placed->where);
  enum qn_status status = qn_options_apply(placing->options, placing->num_options, settings, error);
  copy_where(&placed->where, &settled);
  if (!status)
    status = qn_run_options_settle(&settled, error);
  if (!status)
    status = find_device(&settled, error);
  if (!status)
    status = qn_session_ensure_input(placed->session, error);
  if (!status && placed->session->input.info->layout == QN_LAYOUT_GRAPH)
    status = qn_session_ensure_in_edges(placed->session, &in, error);
  return status ? status
                : qn_placement_create(&placed->session->input, in, &placed->placement, error);
}

enum qn_status qn_session_place(struct qn_session *session, const struct qn_option *options,
                                uint64_t num_options, const struct qn_job *job,
                                struct qn_placed **out, struct qn_error *error) {
  struct placing placing = {NULL, options, num_options};
  *out = NULL;
  enum qn_status status =
      qn_alloc_zeroed(&placing.placed, 1, sizeof *placing.placed, "a placed graph", error);
  if (status)
    return status;
  placing.placed->session = qn_session_refer(session);
  status = qn_call(job, place, &placing, error);
  if (status)
    qn_placed_close(placing.placed);
  else
    *out = placing.placed;
  return status;
}

void qn_placed_close(struct qn_placed *placed) {
  if (!placed)
    return;
  qn_placement_destroy(&placed->placement);
  qn_session_close(placed->session);
  qn_free(placed);
}

/* ---- What was found -------------------------------------------------------- */

enum { SAMPLE_COLUMNS = 5 };

/* Walks are one column, row by row. */
static struct qn_result_column walk_column(const struct qn_run_result *found) {
  return (struct qn_result_column){.name = "walk",
                                   .type = QN_TYPE_U32,
                                   .is_vertex = true,
                                   .count = found->num_values * found->walks.length,
                                   .data = found->values};
}

static struct qn_result_column sample_column(const struct qn_sample *sample, uint64_t index) {
  const uint64_t ends = (uint64_t)sample->num_hops + 1;
  const struct qn_result_column columns[SAMPLE_COLUMNS] = {
      {.name = "node",
       .type = QN_TYPE_U32,
       .is_vertex = true,
       .count = sample->num_nodes,
       .data = sample->nodes},
      {.name = "from", .type = QN_TYPE_U32, .count = sample->num_edges, .data = sample->from},
      {.name = "to", .type = QN_TYPE_U32, .count = sample->num_edges, .data = sample->to},
      {.name = "node_ends", .type = QN_TYPE_U64, .count = ends, .data = sample->node_ends},
      {.name = "edge_ends", .type = QN_TYPE_U64, .count = ends, .data = sample->edge_ends}};
  return columns[index];
}

/* Of a path the vertices come first. */
static uint64_t num_columns(const struct qn_run *run) {
  switch (run->result.shape) {
  case QN_SHAPE_NUMBER:
    return 0;
  case QN_SHAPE_SAMPLE:
    return SAMPLE_COLUMNS;
  case QN_SHAPE_COLUMNS:
    return run->result.columns.count;
  case QN_SHAPE_PAIRS:
    return 3;
  case QN_SHAPE_PATH:
    return 2;
  case QN_SHAPE_WALKS:
    return 1;
  default:
    return 1 + (run->parents_kernel != NULL);
  }
}

void qn_result_info(const struct qn_result *result, struct qn_result_info *out) {
  const struct qn_run *run = &result->run;
  const struct qn_kernel *kernel = run->kernel;
  struct qn_result_info info = {
      .algorithm = run->algorithm->name,
      .layout = qn_layout_name(kernel->layout),
      .device = qn_processor_name(kernel->processor),
      .kernel = kernel->name,
      .num_vertices = result->session->input.info->num_vertices,
      .num_columns = num_columns(run),
      .count_of = run->algorithm->counts,
      .count = run->result.shape == QN_SHAPE_NUMBER  ? run->result.number
               : run->result.shape == QN_SHAPE_WALKS ? run->result.walks.steps
                                                     : 0,
      .iterations = run->result.stats.iterations,
      .converged = run->result.stats.converged,
      .change = run->result.stats.change,
      .prepare_seconds = run->result.stats.prepare_seconds + run->parents.stats.prepare_seconds,
      .run_seconds = run->result.stats.kernel_seconds + run->parents.stats.kernel_seconds,
      .num_sources = run->inputs.num_sources,
      .sources = run->inputs.sources,
  };
  qn_sized_copy(out, &info, sizeof info);
}

static enum qn_type type_of(enum qn_result_type type) {
  static const enum qn_type types[] = {[QN_RESULT_U32] = QN_TYPE_U32,
                                       [QN_RESULT_U64] = QN_TYPE_U64,
                                       [QN_RESULT_F32] = QN_TYPE_F32,
                                       [QN_RESULT_F64] = QN_TYPE_F64};
  return types[type];
}

static enum qn_status find_column(const struct qn_result *result, uint64_t index,
                                  struct qn_result_column *column, struct qn_error *error) {
  const struct qn_run *run = &result->run;
  if (run->algorithm->counts)
    return qn_fail(error, QN_USAGE, "%s counts %s; it has no values", run->algorithm->name,
                   run->algorithm->counts);
  const struct qn_run_result *found = &run->result;
  const uint64_t count = num_columns(run);
  if (index >= count)
    return qn_fail(error, QN_USAGE, "%s has %s of values, so none at %" PRIu64,
                   run->algorithm->name, count == 1 ? "one column" : "fewer columns", index);
  const uint32_t *vertices = qn_result_vertices(found), *others = qn_result_others(found);
  if (found->shape == QN_SHAPE_SAMPLE || found->shape == QN_SHAPE_WALKS) {
    *column =
        found->shape == QN_SHAPE_SAMPLE ? sample_column(found->sample, index) : walk_column(found);
    return QN_OK;
  }
  if (index == 1 && run->parents_kernel) {
    *column = (struct qn_result_column){.name = "parent",
                                        .type = QN_TYPE_U32,
                                        .is_vertex = true,
                                        .count = run->parents.num_values,
                                        .data = run->parents.values};
    return QN_OK;
  }
  if (vertices && index == 0) {
    *column = (struct qn_result_column){.name = "vertex",
                                        .type = QN_TYPE_U32,
                                        .is_vertex = true,
                                        .count = found->num_values,
                                        .data = vertices};
    return QN_OK;
  }
  if (others && index == 1) {
    *column = (struct qn_result_column){.name = "other",
                                        .type = QN_TYPE_U32,
                                        .is_vertex = true,
                                        .count = found->num_values,
                                        .data = others};
    return QN_OK;
  }
  const uint64_t place = vertices ? 0 : index;
  *column = (struct qn_result_column){
      .name = result->names ? result->names[place] : run->algorithm->name,
      .type = type_of(run->result.type),
      .is_vertex = run->algorithm->values & QN_VALUES_VERTICES,
      .count = run->result.num_values,
      .data =
          (const char *)found->values + place * found->num_values * qn_result_bytes(found->type),
  };
  return QN_OK;
}

/* What a device has may come to the host late, and whoever asks for it changes nothing that others
 * see. */
static enum qn_status fetch(void *argument, struct qn_error *error) {
  struct qn_result *result = argument;
  pthread_mutex_lock(&result->lock);
  enum qn_status status = qn_run_fetch(&result->run, error);
  pthread_mutex_unlock(&result->lock);
  return status;
}

static enum qn_status find_on_host(const struct qn_result *result, uint64_t index,
                                   struct qn_result_column *column, struct qn_error *error) {
  enum qn_status status = result->run.device.report.values.data
                              ? qn_call(NULL, fetch, (struct qn_result *)result, error)
                              : QN_OK;
  return status ? status : find_column(result, index, column, error);
}

enum qn_status qn_result_on_device(const struct qn_result *result, uint64_t index,
                                   struct qn_device_array *out, struct qn_error *error) {
  const struct qn_device_values *values = &result->run.device.report.values;
  struct qn_result_column column = {0};
  enum qn_status status = find_column(result, index, &column, error);
  if (status)
    return status;
  if (index > 0 || !values->data)
    return qn_fail(error, QN_UNSUPPORTED, "the values of this result do not lie on a device");
  struct qn_device_array array = {.device = "cuda",
                                  .index = (uint64_t)values->device,
                                  .type = column.type,
                                  .count = column.count,
                                  .data = values->data};
  qn_sized_copy(out, &array, sizeof array);
  return QN_OK;
}

enum qn_status qn_result_column(const struct qn_result *result, uint64_t index,
                                struct qn_result_column *out, struct qn_error *error) {
  struct qn_result_column column = {0};
  enum qn_status status = find_on_host(result, index, &column, error);
  if (!status)
    qn_sized_copy(out, &column, sizeof column);
  return status;
}

enum qn_status qn_result_copy(const struct qn_result *result, uint64_t index, void *buffer,
                              uint64_t bytes, struct qn_error *error) {
  struct qn_result_column column = {0};
  enum qn_status status = find_on_host(result, index, &column, error);
  if (status)
    return status;
  uint64_t needed = column.count * qn_type_bytes(column.type);
  if (bytes < needed)
    return qn_fail(error, QN_USAGE,
                   "the buffer has %" PRIu64 " bytes, and the values have %" PRIu64, bytes, needed);
  if (needed)
    memcpy(buffer, column.data, needed);
  return QN_OK;
}

struct summing {
  const struct qn_result *result;
  char **json;
};

static enum qn_status summarise(void *argument, struct qn_error *error) {
  const struct summing *summing = argument;
  const struct qn_result *result = summing->result;
  const struct qn_labels labels = qn_run_input_labels(&result->session->input);
  const struct qn_run *run = &result->run;
  json_t *summary;
  enum qn_status status = fetch((struct qn_result *)result, error);
  if (!status)
    status = qn_summary_create(&labels, run->algorithm, &run->result, -1, &summary, error);
  return status ? status : qn_text_of_json(summary, summing->json, error);
}

enum qn_status qn_result_summary(const struct qn_result *result, char **json,
                                 struct qn_error *error) {
  struct summing summing = {result, json};
  *json = NULL;
  return qn_call(NULL, summarise, &summing, error);
}
