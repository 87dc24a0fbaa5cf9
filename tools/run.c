/* quern-run: run an algorithm on a container. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "kernels/cuda/device/device.h"
#include "kernels/cuda/device/start.h"
#include "kernels/ranks/ranks.h"
#include "results/summary.h"
#include "runtime/deliver/report.h"
#include "runtime/list.h"
#include "runtime/ranks_alike.h"
#include "support/atomic_file.h"
#include "support/progress.h"
#include "support/threads.h"
#include "support/used_files.h"
#include "tools/run/graph500.h"
#include "tools/run/graphalytics.h"
#include "tools/run/options.h"
#include "tools/run/report.h"
#include "tools/run/several.h"

/* Also those of devices, if there is one: the library has them when somebody has asked for one. */
static void list_kernels(bool json) {
  int devices;
  qn_cuda_count(&devices, NULL);
  json_t *list = qn_kernel_list();
  if (json) {
    json_dumpf(list, stdout, JSON_INDENT(2));
    putchar('\n');
  } else {
    qn_kernel_list_print(list);
  }
  json_decref(list);
}

/* What is told of the input is read first: of one that was overwritten nothing is told. */
static enum qn_status show(const struct qn_run_command *options, const struct qn_run_input *input,
                           const struct qn_run *run, const struct qn_watch *watch,
                           struct qn_report_times *times, struct qn_error *error) {
  const struct qn_labels labels = qn_run_input_labels(input);
  json_t *summary = NULL;
  const double begin = qn_seconds();
  enum qn_status status =
      qn_summary_create(&labels, run->algorithm, &run->result, options->top, &summary, error);
  times->report = qn_seconds() - begin;
  times->device_start = qn_cuda_start_seconds();
  if (status)
    return status;
  json_t *report = qn_run_report_json(input, run, watch, times, summary);
  status = qn_used_files_check_all(error);
  if (!status && options->shared.json)
    qn_tool_print_json(json_incref(report));
  else if (!status && !options->shared.quiet)
    qn_run_report_print(input, run, report, options->watch.explain,
                        qn_output_options_take_stdout(&options->outputs) ? stderr : stdout);
  json_decref(report);
  json_decref(summary);
  return status;
}

/* What the ranks of a run do beside the first one, which tells. */
static void keep_quiet(struct qn_run_command *options) {
  options->watch.trace = NULL;
  options->watch.explain = false;
  options->shared.json = false;
  options->shared.quiet = true;
  qn_progress_show(true);
}

/* All ranks write these together. */
static uint64_t kinds_of_outputs(const struct qn_output_options *outputs) {
  return (uint64_t)(outputs->values != NULL) | (uint64_t)(outputs->parents != NULL) << 1 |
         (uint64_t)outputs->no_ids << 2 | (uint64_t)(outputs->parts ? *outputs->parts : 0) << 3;
}

/* Begin to share the run with other processes, if a launcher has started several. */
static enum qn_status begin_ranks(struct qn_run_command *options,
                                  const struct qn_exchange **exchange, struct qn_error *error) {
  enum qn_status status = qn_ranks_begin(exchange, error);
  if (status || !*exchange)
    return status;
  if ((*exchange)->rank != 0)
    keep_quiet(options);
  struct qn_run_options *run = &options->run;
  const bool on_device = run->device == QN_DEVICE_CUDA;
  status =
      qn_ranks_say_alike(2 * on_device + (on_device && run->device_numbered), "--device", error);
  if (!status)
    status = qn_ranks_say_alike((uint64_t)run->grid.num_rows << 32 | run->grid.num_columns,
                                "--grid", error);
  if (!status)
    status = qn_ranks_say_alike(kinds_of_outputs(&options->outputs),
                                "-o (or --parents, --parts, --no-ids)", error);
  if (!status)
    status = qn_ranks_options_alike(run, error);
  if (!status && !on_device)
    status = qn_ranks_note_machine(error);
  return !status && on_device && !run->device_numbered
             ? qn_ranks_choose_device(&run->device_index, &run->device_memory, error)
             : status;
}

/* Ranks that each did all of it would write the same files. */
static enum qn_status refuse_ranks(const char *what, struct qn_error *error) {
  const struct qn_exchange *exchange;
  enum qn_status status = qn_ranks_begin(&exchange, error);
  if (!status && exchange && exchange->num_ranks > 1)
    status =
        qn_fail(error, QN_UNSUPPORTED,
                "%s is not shared among ranks: start it without mpirun, or name its algorithms, "
                "as in bfs,cc",
                what);
  return qn_ranks_agree(status);
}

/* Before a file is opened, which may be a large one. */
static enum qn_status check_arguments(const struct qn_run_options *run, struct qn_error *error) {
  const struct qn_algorithm *algorithm;
  struct qn_arguments arguments;
  if (run->program)
    return QN_OK;
  enum qn_status status = qn_run_algorithm(run, &algorithm, error);
  return status ? status : qn_arguments_bind(algorithm, run, &arguments, error);
}

/* Not a part of main, whose frame would be a large one. */
__attribute__((noinline)) static enum qn_status run_file(struct qn_run_command *options,
                                                         struct qn_error *error) {
  struct qn_report_times times = {.begin = qn_seconds()};
  struct qn_run_input input = {0};
  struct qn_run run = {0};
  struct qn_outputs outputs = {0};
  struct qn_watch *watch = NULL;
  const struct qn_exchange *exchange = NULL;
  enum qn_status status = begin_ranks(options, &exchange, error);
  bool leads = !exchange || exchange->rank == 0;
  if (!exchange)
    options->run.start_device = qn_cuda_start;
  if (!status)
    status = qn_outputs_check_timeline(options->watch.trace, options->file, &options->run, error);
  if (!status)
    status = check_arguments(&options->run, error);
  if (!status)
    status = qn_run_input_open_for(options->file, &options->run, exchange, options->trust, &input,
                                   error);
  if (!status)
    status = qn_watch_create(&options->watch, options->shared.force, &watch, error);
  if (!status)
    status = qn_outputs_create(&options->outputs, options->shared.force, options->file,
                               &options->run, &input, &outputs, error);
  struct qn_run_options run_options = options->run;
  run_options.watch = watch;
  status = qn_ranks_agree(status);
  if (!status)
    status = qn_run_start(&input, &run_options, &run, error);
  if (!status && !run_options.program) /* whose object has a CUDA runtime of its own */
    qn_cuda_end();
  status = qn_ranks_agree(status);
  qn_progress_end();
  status = qn_outputs_commit_timeline(watch, status, error);
  status = qn_ranks_agree(status);
  if (!status) {
    double begin = qn_seconds();
    qn_outputs_hold();
    status = qn_ranks_agree(qn_outputs_commit(&outputs, &input, &run, error));
    times.write = qn_seconds() - begin;
  }
  if (!status && leads)
    status = show(options, &input, &run, watch, &times, error);
  /* Else the end of the tool says what failed, and drops the results. */
  bool shown = !status && fflush(stdout) == 0 && !ferror(stdout);
  if (shown)
    status = qn_outputs_release(true, error);
  if (shown && !status && run.keeper)
    status = qn_keeper_discard(run.keeper, error);
  qn_outputs_abort(&outputs);
  qn_watch_destroy(watch);
  qn_run_destroy(&run);
  qn_run_input_close(&input);
  return status;
}

/* As --device says. */
static void say_device(const struct qn_run_options *run, char text[32]) {
  static const char *const devices[] = {[QN_DEVICE_AUTO] = "auto",
                                        [QN_DEVICE_CPU] = "cpu",
                                        [QN_DEVICE_CUDA] = "cuda",
                                        [QN_DEVICE_BOTH] = "both"};
  if (run->device_index)
    snprintf(text, 32, "%s:%d", devices[run->device], run->device_index);
  else
    snprintf(text, 32, "%s", devices[run->device]);
}

/* The benchmark takes all parameters from its properties. */
static enum qn_status run_graphalytics(const struct qn_run_command *options,
                                       struct qn_error *error) {
  const struct qn_run_options *run = &options->run;
  const char *other = run->num_said ? run->said[0].name : options->special;
  char device[32];
  if (other)
    return qn_fail(error, QN_USAGE,
                   "graphalytics takes the parameters of algorithms from the graph's properties; "
                   "--device, --threads and -o FOLDER are for it, --%s is not",
                   other);
  say_device(run, device);
  enum qn_status status = refuse_ranks("graphalytics", error);
  if (status)
    return status;
  const struct qn_graphalytics_options benchmark = {.path = options->file,
                                                    .output = options->outputs.values,
                                                    .device = device,
                                                    .force = options->shared.force,
                                                    .json = options->shared.json};
  return qn_graphalytics(&benchmark, error);
}

/* The benchmark has no parameters but where it runs and which vertices are drawn. */
static enum qn_status run_graph500(const struct qn_run_command *options, struct qn_error *error) {
  const struct qn_run_options *run = &options->run;
  const struct qn_said_option *seed = qn_run_options_said(run, "seed");
  const char *other = options->outputs.values ? "output" : options->special;
  char device[32];
  for (uint32_t i = 0; i < run->num_said && !other; i++)
    other = strcmp(run->said[i].name, "seed") == 0 ? NULL : run->said[i].name;
  if (other)
    return qn_fail(error, QN_USAGE,
                   "graph500 has --device, --threads, --seed and --json, and no --%s", other);
  say_device(run, device);
  enum qn_status status = refuse_ranks("graph500", error);
  if (status)
    return status;
  const struct qn_graph500_options benchmark = {.path = options->file,
                                                .device = device,
                                                .seed = seed ? seed->value : NULL,
                                                .json = options->shared.json,
                                                .quiet = options->shared.quiet};
  return qn_graph500(&benchmark, error);
}

static enum qn_status run_several(struct qn_run_command *options, struct qn_error *error) {
  const struct qn_run_options *run = &options->run;
  const struct qn_output_options *outputs = &options->outputs;
  if (outputs->parents || outputs->parts || outputs->no_ids || run->checkpoint.folder ||
      options->watch.trace || options->watch.explain)
    return qn_fail(error, QN_USAGE,
                   "--parents, --parts, --checkpoint, --trace, --explain and --no-ids are for one "
                   "algorithm at a time");
  if (options->top >= 0 && !options->shared.json)
    return qn_fail(error, QN_USAGE, "--top is for one algorithm at a time, or for --json");
  if (options->shared.force && outputs->values)
    return qn_fail(error, QN_USAGE, "--force replaces no folder: remove %s first, or name another",
                   outputs->values);
  const struct qn_exchange *exchange;
  enum qn_status status = begin_ranks(options, &exchange, error);
  if (!exchange)
    options->run.start_device = qn_cuda_start;
  options->run.wants_values = false; /* those that count have none */
  const struct qn_several_options several = {.algorithms = run->algorithm,
                                             .file = options->file,
                                             .output = options->outputs.values,
                                             .exchange = exchange,
                                             .run = &options->run,
                                             .top = options->top,
                                             .trust = options->trust,
                                             .json = options->shared.json,
                                             .quiet = options->shared.quiet};
  return status ? qn_ranks_agree(status) : qn_run_several(&several, error);
}

int main(int argc, char **argv) {
  struct qn_run_command options;
  struct qn_error error;
  enum qn_status status = QN_OK;
  qn_run_command_parse(argc, argv, &options);
  if (options.list)
    list_kernels(options.shared.json);
  else if (qn_run_command_is_graphalytics(&options))
    status = run_graphalytics(&options, &error);
  else if (qn_run_command_is_graph500(&options))
    status = run_graph500(&options, &error);
  else if (qn_run_command_has_several(&options))
    status = run_several(&options, &error);
  else
    status = run_file(&options, &error);
  qn_run_options_end(&options.run);
  int code = qn_tool_exit(status, qn_ranks_is_speaker() ? &error : NULL);
  qn_ranks_end(); /* the others wait here until what failed is told: a launcher ends all with one */
  qn_cuda_leave(code);
  return code;
}
