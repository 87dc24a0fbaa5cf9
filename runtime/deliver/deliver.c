#include "runtime/deliver/deliver.h"

#include <string.h>

#include "kernels/ranks/ranks.h"
#include "support/output_stream.h"
#include "support/used_files.h"

static bool is_array(const char *path) {
  return path && qn_results_are_array(path);
}

static bool is_on_stdout(const char *path) {
  return path && qn_is_standard_output(path);
}

bool qn_output_options_take_stdout(const struct qn_output_options *options) {
  return is_on_stdout(options->values) || is_on_stdout(options->parents);
}

static enum qn_status check_parts(const struct qn_output_options *options, bool force,
                                  struct qn_error *error) {
  const char *parts = options->parts;
  if (strcmp(parts, "tsv") != 0 && strcmp(parts, "csv") != 0 && strcmp(parts, "npy") != 0)
    return qn_fail(error, QN_USAGE, "--parts is tsv, csv or npy");
  if (!options->values || options->parents || is_on_stdout(options->values))
    return qn_fail(error, QN_USAGE, "--parts is for -o FOLDER, without --parents");
  return force ? qn_fail(error, QN_USAGE,
                         "--force replaces no folder: remove %s first, or name another",
                         options->values)
               : QN_OK;
}

enum qn_status qn_output_options_check(const struct qn_output_options *options, bool force,
                                       const char *timeline, bool several, struct qn_error *error) {
  const char *values = options->values, *parents = options->parents, *parts = options->parts;
  const char *twice = qn_results_both_write(values, parents);
  enum qn_status status = parts ? check_parts(options, force, error) : QN_OK;
  if (status)
    return status;
  if (is_on_stdout(values) && several)
    return qn_fail(error, QN_USAGE,
                   "-o is a folder here, which cannot be written to standard output");
  if (options->no_ids && !is_array(values) && !is_array(parents) &&
      !(parts && strcmp(parts, "npy") == 0))
    return qn_fail(error, QN_USAGE, "--no-ids is for -o NAME.npy");
  if (twice)
    return qn_fail(error, QN_USAGE, "-o and --parents would both write to %s", twice);
  return qn_results_both_write(values, timeline) || qn_results_both_write(parents, timeline)
             ? qn_fail(error, QN_USAGE, "--trace and another option would both write to %s",
                       timeline)
             : QN_OK;
}

enum qn_status qn_outputs_check_timeline(const char *timeline, const char *file,
                                         const struct qn_run_options *run, struct qn_error *error) {
  const char *inputs[QN_RESULTS_INPUTS] = {file};
  const uint32_t count = 1 + qn_run_options_files(run, inputs + 1, QN_RESULTS_INPUTS - 1);
  enum qn_status status = QN_OK;
  for (uint32_t i = 0; !status && i < count; i++)
    status = qn_input_kept(timeline, inputs[i], error);
  return status;
}

enum qn_status qn_outputs_commit_timeline(struct qn_watch *watch, enum qn_status status,
                                          struct qn_error *error) {
  struct qn_error unwritten;
  if (status && status != QN_INTERRUPTED)
    return status;
  enum qn_status written = qn_watch_commit(watch, status ? &unwritten : error);
  return status ? status : written;
}

enum qn_status qn_outputs_create(const struct qn_output_options *options, bool force,
                                 const char *file, const struct qn_run_options *run,
                                 const struct qn_run_input *input, struct qn_outputs *outputs,
                                 struct qn_error *error) {
  const struct qn_algorithm *algorithm = run->algorithm ? qn_algorithm_find(run->algorithm) : NULL;
  struct qn_results_options results = {.path = options->values,
                                       .ranks = qn_ranks_writers(),
                                       .parts = options->parts,
                                       .force = force,
                                       .no_ids = options->no_ids,
                                       .shape = algorithm ? algorithm->shape : QN_SHAPE_VALUES,
                                       .ahead = true,
                                       .inputs = {file}};
  qn_run_options_files(run, results.inputs + 1, QN_RESULTS_INPUTS - 1);
  enum qn_status status =
      results.path ? qn_results_create(&results, input, &outputs->values, error) : QN_OK;
  results.path = options->parents;
  results.ahead = is_array(options->parents); /* lines leave out what was not reached */
  return status || !results.path ? status
                                 : qn_results_create(&results, input, &outputs->parents, error);
}

enum qn_status qn_outputs_commit(struct qn_outputs *outputs, const struct qn_run_input *input,
                                 const struct qn_run *run, struct qn_error *error) {
  struct qn_results *values = outputs->values, *parents = outputs->parents;
  enum qn_status status = values || parents ? QN_OK : qn_used_files_check(error);
  outputs->values = NULL;
  if (values)
    status = qn_results_commit(values, input, run->kernel->algorithm, &run->result, error);
  if (status || !parents)
    return status;
  outputs->parents = NULL;
  return qn_results_commit(parents, input, run->parents_kernel->algorithm, &run->parents, error);
}

void qn_outputs_abort(struct qn_outputs *outputs) {
  qn_results_abort(outputs->parents);
  qn_results_abort(outputs->values);
}
