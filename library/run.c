/* Runs and their results. */
#include <quern/run.h>

#include <inttypes.h>
#include <string.h>

#include "library/call.h"
#include "library/options.h"
#include "library/session.h"
#include "runtime/run_settings.h"
#include "runtime/summary.h"
#include "support/memory.h"

struct qn_result {
  struct qn_session *session; /* whose ids name vertices */
  struct qn_run run;
};

struct running {
  struct qn_session *session;
  const char *algorithm;
  const struct qn_option *options;
  uint64_t num_options;
  struct qn_result *result;
};

/* Kernels number vertices by their original order where values are vertices. */
static void name_vertices(const struct qn_run_input *input, struct qn_run *run) {
  uint32_t *values = run->result.values;
  uint64_t num_vertices = run->result.num_values;
  if (!(run->kernel->traits & QN_KERNEL_VERTICES) || !input->order)
    return;
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < num_vertices; v++)
    values[v] = values[v] < num_vertices ? input->order[values[v]] : values[v];
}

static enum qn_status run_with(const struct running *running, struct qn_run_options *options,
                               struct qn_error *error) {
  struct qn_session *session = running->session;
  struct qn_run *run = &running->result->run;
  const struct qn_settings settings[] = {{qn_run_settings, options}, {0}};
  enum qn_status status = qn_options_apply(running->options, running->num_options, settings, error);
  if (!status)
    status = qn_run_options_settle(options, error);
  if (!status)
    status = qn_session_ensure_input(session, error);
  options->algorithm = running->algorithm;
  if (!status)
    status = qn_run_start(&session->input, options, run, error);
  if (!status)
    status = qn_container_unchanged(session->container, error);
  if (!status)
    name_vertices(&session->input, run);
  return status;
}

static enum qn_status run(void *argument, struct qn_error *error) {
  struct qn_run_options options;
  qn_run_options_begin(&options);
  enum qn_status status = run_with(argument, &options, error);
  qn_run_options_end(&options);
  return status;
}

enum qn_status qn_session_run(struct qn_session *session, const char *algorithm,
                              const struct qn_option *options, uint64_t num_options,
                              const struct qn_job *job, struct qn_result **out,
                              struct qn_error *error) {
  struct running running = {session, algorithm, options, num_options, NULL};
  *out = NULL;
  enum qn_status status =
      qn_alloc_zeroed(&running.result, 1, sizeof *running.result, "a result", error);
  if (status)
    return status;
  running.result->session = qn_session_refer(session);
  status = qn_call(job, run, &running, error);
  if (status)
    qn_result_close(running.result);
  else
    *out = running.result;
  return status;
}

void qn_result_close(struct qn_result *result) {
  if (!result)
    return;
  qn_run_destroy(&result->run);
  qn_session_close(result->session);
  qn_free(result);
}

/* ---- What was found -------------------------------------------------------- */

void qn_result_info(const struct qn_result *result, struct qn_result_info *out) {
  const struct qn_run *run = &result->run;
  const struct qn_kernel *kernel = run->kernel;
  struct qn_result_info info = {
      .algorithm = kernel->algorithm,
      .layout = qn_layout_name(kernel->layout),
      .device = qn_processor_name(kernel->processor),
      .kernel = kernel->name,
      .num_vertices = result->session->input.info->num_vertices,
      .num_columns = kernel->count_key ? 0 : 1,
      .count_of = kernel->count_key,
      .count = run->result.count,
      .iterations = run->result.iterations,
      .converged = run->result.converged,
      .change = run->result.change,
      .prepare_seconds = run->result.prepare_seconds,
      .run_seconds = run->result.kernel_seconds,
      .num_sources = run->num_sources,
      .sources = run->sources,
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
  if (run->kernel->count_key)
    return qn_fail(error, QN_USAGE, "%s counts %s; it has no values", run->kernel->algorithm,
                   run->kernel->count_key);
  if (index > 0)
    return qn_fail(error, QN_USAGE, "%s has one column of values, so none at %" PRIu64,
                   run->kernel->algorithm, index);
  *column = (struct qn_result_column){
      .name = run->kernel->algorithm,
      .type = type_of(run->result.type),
      .is_vertex = run->kernel->traits & QN_KERNEL_VERTICES,
      .count = run->result.num_values,
      .data = run->result.values,
  };
  return QN_OK;
}

enum qn_status qn_result_column(const struct qn_result *result, uint64_t index,
                                struct qn_result_column *out, struct qn_error *error) {
  struct qn_result_column column = {0};
  enum qn_status status = find_column(result, index, &column, error);
  if (!status)
    qn_sized_copy(out, &column, sizeof column);
  return status;
}

enum qn_status qn_result_copy(const struct qn_result *result, uint64_t index, void *buffer,
                              uint64_t bytes, struct qn_error *error) {
  struct qn_result_column column = {0};
  enum qn_status status = find_column(result, index, &column, error);
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
  json_t *summary;
  enum qn_status status =
      qn_summary_create(&result->session->input, &result->run, -1, &summary, error);
  return status ? status : qn_text_of_json(summary, summing->json, error);
}

enum qn_status qn_result_summary(const struct qn_result *result, char **json,
                                 struct qn_error *error) {
  struct summing summing = {result, json};
  *json = NULL;
  return qn_call(NULL, summarise, &summing, error);
}
