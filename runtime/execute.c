#include "runtime/execute.h"

#include <string.h>
#include <time.h>

#include "results/values.h"
#include "runtime/choose.h"
#include "runtime/placement.h"
#include "runtime/prepare.h"
#include "runtime/suits.h"
#include "support/memory.h"
#include "support/progress.h"

/* Of all threads of this process so far. */
static double processor_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Run the chosen kernel, with checkpoints if they are asked for. */
static enum qn_status run_once(const struct qn_run_input *input,
                               const struct qn_run_options *options, struct qn_run *run,
                               struct qn_error *error) {
  enum qn_status status = qn_run_fill_request(input, options, run, error);
  if (!status)
    status = qn_run_set_ready(input->set, run->kernel->traits & QN_KERNEL_LISTED_ROWS, error);
  if (status)
    return status;
  if (options->update.result)
    status = qn_update_begin(input, &options->update, run, &run->update, error);
  if (status)
    return status;
  const double begin = processor_seconds();
  if (!options->checkpoint.folder) {
    if (!options->watch)
      qn_progress_begin("running", "iterations", 0);
    status = run->kernel->run(&run->request, &run->result, error);
  } else {
    qn_keeper_close(run->keeper);
    status = qn_keeper_open(input, run->kernel, &run->request, &options->checkpoint, &run->keeper,
                            error);
    if (!status)
      status = qn_keeper_run(run->keeper, &run->result, error);
  }
  run->processor_seconds += processor_seconds() - begin;
  return status;
}

/* What one walk needs beside the graph may not fit where iterations do: then take these, if the
 * graph suits them. */
static bool leave_one_walk(const struct qn_run_input *input, struct qn_run *run) {
  if (!(run->kernel->traits & QN_KERNEL_ONE_WALK))
    return false;
  const struct qn_kernel *other = qn_kernel_find(run->kernel->algorithm->name, run->kernel->layout,
                                                 run->kernel->processor, input->info->weight_type);
  if (!other || other == run->kernel || qn_run_is_refused(input, other))
    return false;
  run->kernel = other;
  return true;
}

/* Run the chosen kernel; on the CPU after all if the device was nobody's wish and can't. */
static enum qn_status run_kernel(const struct qn_run_input *input,
                                 const struct qn_run_options *options, struct qn_run *run,
                                 struct qn_error *error) {
  enum qn_status status = run_once(input, options, run, error);
  if (status == QN_DEVICE && leave_one_walk(input, run))
    status = run_once(input, options, run, error);
  if (status != QN_DEVICE || options->device != QN_DEVICE_AUTO || run->kernel->processor == QN_CPU)
    return status;
  qn_note(QN_NOTE_ON_THE_CPU, "running on the CPU: %s", error->message);
  run->choice.weighed = false;
  status =
      qn_run_find_kernel(input, options, run->kernel->algorithm->name, QN_CPU, &run->kernel, error);
  return status ? status : run_once(input, options, run, error);
}

/* ---- Several sources of what has one: a column of each ---------------------------- */

/* One source after another. */
static enum qn_status run_each_source(const struct qn_run_input *input,
                                      const struct qn_run_options *options, struct qn_run *run,
                                      struct qn_error *error) {
  const uint32_t num_sources = run->inputs.num_sources;
  struct qn_run_options each = *options;
  each.leaves_values = false; /* on a device: they come together here */
  uint32_t *const sources = run->inputs.sources;
  struct qn_run_result all = {0};
  char *columns = NULL;
  enum qn_status status = QN_OK;
  run->inputs.num_sources = 1;
  for (uint32_t i = 0; !status && i < num_sources; i++) {
    run->inputs.sources = &sources[i];
    status = run_kernel(input, &each, run, error);
    struct qn_run_result *one = &run->result;
    const uint64_t bytes = status ? 0 : one->num_values * qn_result_bytes(one->type);
    if (!status && i == 0)
      status = qn_pages_alloc(&columns, one->num_values * num_sources, qn_result_bytes(one->type),
                              "values from every source", error);
    if (status)
      break;
    if (bytes)
      memcpy(columns + i * bytes, one->values, bytes);
    const struct qn_run_result before = all;
    all = *one;
    all.values = NULL;
    all.stats.iterations += before.stats.iterations;
    all.stats.prepare_seconds += before.stats.prepare_seconds;
    all.stats.kernel_seconds += before.stats.kernel_seconds;
    all.stats.converged = one->stats.converged && (i == 0 || before.stats.converged);
    qn_run_result_destroy(one);
  }
  run->inputs.sources = sources;
  run->inputs.num_sources = num_sources;
  qn_run_result_destroy(&run->result);
  run->result = all;
  run->result.shape = QN_SHAPE_COLUMNS;
  run->result.columns = (struct qn_result_columns){.count = num_sources, .sources = sources};
  run->result.values = columns;
  return status;
}

/* The same, of a graph that stays on the device meanwhile. */
static enum qn_status run_each_placed(const struct qn_run_input *input,
                                      const struct qn_run_options *options, struct qn_run *run,
                                      struct qn_error *error) {
  struct qn_placement placement;
  struct qn_run_options placed = *options;
  if (options->store || run->kernel->processor != QN_CUDA)
    return run_each_source(input, options, run, error);
  enum qn_status status = qn_placement_create(input, NULL, &placement, error);
  if (status)
    return status;
  placed.store = placement.store;
  status = run_each_source(&placement.input, &placed, run, error);
  qn_placement_destroy(&placement);
  run->request.view = input->view;
  run->device.store = NULL;
  return status;
}

/* All of them by one kernel, unless it is a device's that has no room for that. */
static enum qn_status run_together(const struct qn_run_input *input,
                                   const struct qn_run_options *options,
                                   const struct qn_kernel *together, struct qn_run *run,
                                   struct qn_error *error) {
  const struct qn_kernel *alone = run->kernel;
  run->kernel = together;
  enum qn_status status = run_once(input, options, run, error);
  if (status == QN_DEVICE) {
    qn_note(QN_NOTE_ONE_BY_ONE, "running from one source after another: %s", error->message);
    run->kernel = alone;
    return run_each_placed(input, options, run, error);
  }
  return status;
}

enum qn_status qn_run_execute(const struct qn_run_input *input,
                              const struct qn_run_options *options, struct qn_run *run,
                              struct qn_error *error) {
  if (run->inputs.num_sources < 2 || !(run->algorithm->inputs & QN_INPUT_SOURCE))
    return run_kernel(input, options, run, error);
  if (options->wants_parents)
    return qn_fail(error, QN_USAGE, "--parents is of one source, not %u", run->inputs.num_sources);
  if (options->checkpoint.folder)
    return qn_fail(error, QN_UNSUPPORTED, "there are no checkpoints of runs from several sources");
  if (run->algorithm->inputs & QN_INPUT_TARGET)
    return qn_fail(error, QN_USAGE, "%s has one source, not %u", run->kernel->algorithm->name,
                   run->inputs.num_sources);
  const struct qn_kernel *together = qn_multi_source_find(run->kernel);
  return together ? run_together(input, options, together, run, error)
                  : run_each_placed(input, options, run, error);
}

/* ---- Parents ----------------------------------------------------------------------------------
 */

/* The request of the run that is done, for the kernel that follows it, about which nobody is told.
 */
static struct qn_run_request follow(struct qn_run *run) {
  struct qn_run_request request = run->request;
  struct qn_stream_options *streaming = &run->parents_device.streaming;
  run->parents_device = run->device;
  run->parents_device.leaves_values = false;
  request.device = &run->parents_device;
  request.algorithm = run->parents_kernel->algorithm;
  request.arguments = qn_arguments_default(request.algorithm);
  request.inputs.initial = run->result.values;
  request.limits.max_iterations = run->parents_kernel->algorithm->iterations;
  request.delta = 0;
  request.asynchronous = false;
  request.hooks.checkpointing = NULL;
  request.hooks.on_iteration = NULL;
  streaming->measure = false;
  streaming->on_plan = NULL;
  streaming->on_event = NULL;
  return request;
}

/* The parents of a search, on its processor and the layout that it walked; the CPU's part of a
 * joint run has nothing to do in one sweep. */
static enum qn_status find_parents_on(const struct qn_run_input *input, enum qn_processor processor,
                                      struct qn_run *run, struct qn_error *error) {
  const struct qn_kernel *search = run->kernel;
  run->parents_kernel =
      qn_derived_find(search->algorithm->name, search->layout, processor, input->info->weight_type);
  if (!run->parents_kernel)
    return qn_fail(error, QN_UNSUPPORTED,
                   "this build has no kernel for the parents of %s on the layout %s on %s",
                   search->algorithm->name, qn_layout_name(search->layout),
                   qn_processor_name(processor));
  if (qn_run_input_is_cut(input) && qn_blocks_find(run->parents_kernel))
    run->parents_kernel = qn_blocks_find(run->parents_kernel);
  enum qn_status status = qn_run_check_graph(input, run->parents_kernel, error);
  if (!status)
    status =
        qn_run_set_ready(input->set, run->parents_kernel->traits & QN_KERNEL_LISTED_ROWS, error);
  if (status)
    return status;
  const struct qn_run_request request = follow(run);
  status = run->parents_kernel->run(&request, &run->parents, error);
  return status ? status : qn_result_narrow(run->parents_kernel->algorithm, &run->parents, error);
}

enum qn_status qn_run_find_parents(const struct qn_run_input *input,
                                   const struct qn_run_options *options, struct qn_run *run,
                                   struct qn_error *error) {
  enum qn_processor processor = run->kernel->processor == QN_CPU ? QN_CPU : QN_CUDA;
  if (!options->wants_parents)
    return QN_OK;
  enum qn_status status = find_parents_on(input, processor, run, error);
  if (status != QN_DEVICE || options->device != QN_DEVICE_AUTO)
    return status;
  qn_note(QN_NOTE_ON_THE_CPU, "finding parents on the CPU: %s", error->message);
  return find_parents_on(input, QN_CPU, run, error);
}
