#include "runtime/prepare.h"

#include "formats/container/stripes.h"
#include "formats/graph/both_ways.h"
#include "kernels/cuda/device/device.h"
#include "runtime/choose.h"
#include "runtime/suits.h"
#include "support/context.h"
#include "support/progress.h"
#include "support/threads.h"

/* A device may have started meanwhile. */
enum qn_status qn_run_prepare(const struct qn_run_input *input,
                              const struct qn_run_options *options, struct qn_run *run,
                              struct qn_error *error) {
  int devices;
  double begin = qn_seconds();
  enum qn_status status =
      qn_run_set_ready(input->set, run->kernel->traits & QN_KERNEL_LISTED_ROWS, error);
  if (!status)
    status =
        qn_run_inputs_find(input, options, run->algorithm, &run->arguments, &run->inputs, error);
  run->find_seconds = qn_seconds() - begin;
  begin = qn_seconds();
  if (!status && run->kernel->processor != QN_CPU)
    status = qn_cuda_count(&devices, error);
  if (!status)
    status = qn_run_choose_devices(input, options, run, error);
  run->device_seconds = qn_seconds() - begin;
  return status;
}

/* Ranks sum to 1: rounded to 24 bits, the nearest ones to a fixed point may never change by less.
 */
static void note_tolerance(const struct qn_run *run) {
  const double reached = 0x1p-24;
  const double tolerance = run->request.limits.tolerance;
  if (qn_argument_is_said(run->algorithm, &run->arguments, "tolerance") && tolerance > 0 &&
      tolerance < reached && run->algorithm->values & QN_VALUES_RANKED &&
      run->kernel->result == QN_RESULT_F32)
    qn_note(QN_NOTE_ROUNDING,
            "ranks are 32-bit floats, whose rounding alone may change them by %.1e in sum; "
            "a tolerance of %g may never be reached",
            reached, tolerance);
}

/* A run that nobody watches tells its context how far it is. */
static void tell_iteration(void *user, const struct qn_iteration *iteration) {
  (void)user;
  (void)iteration;
  qn_progress_add(1);
}

/* Iterations end where a checkpoint would be written, if the work was cancelled. */
static bool is_cancelled(void *user, uint64_t iterations) {
  (void)user;
  (void)iterations;
  return qn_context_check(NULL) != QN_OK;
}

static enum qn_status end_cancelled(void *user, const struct qn_run_state *state,
                                    struct qn_error *error) {
  (void)user;
  (void)state;
  return qn_context_check(error);
}

static const struct qn_checkpointing ends_cancelled = {.is_due = is_cancelled,
                                                       .save = end_cancelled};

/* May the values stay on the device? What comes after the run looks at some on the host. */
static bool may_leave_values(const struct qn_run_input *input, const struct qn_run_options *options,
                             const struct qn_run *run) {
  bool as_vertices = run->algorithm->values & QN_VALUES_VERTICES && input->order;
  return options->leaves_values && !input->set && !options->wants_parents &&
         !options->checkpoint.folder && !as_vertices && !(run->algorithm->values & QN_VALUES_UNIT);
}

/* A set's files are its parts, which are opened one by one. */
static struct qn_watched_files files_of(const struct qn_run_input *input) {
  struct qn_watched_files files = {.count =
                                       qn_stripes_count(qn_container_stripes(input->container))};
  for (uint32_t i = 0; i < input->info->num_sections && !input->set; i++) {
    const struct qn_section *section = qn_container_section_at(input->container, i);
    const uint64_t bytes = section->data ? section->count * section->element_bytes : 0;
    if (bytes > files.bytes)
      files = (struct qn_watched_files){files.count, section->data, bytes};
  }
  return files;
}

/* Does the kernel walk other rows than the input's? */
static bool needs_rows(const struct qn_run_input *input, const struct qn_run *run) {
  return run->kernel->layout != input->layout->layout || qn_run_is_refused(input, run->kernel);
}

static void fill_request(const struct qn_run_input *input, const struct qn_run_options *options,
                         struct qn_run *run) {
  struct qn_run_request *request = &run->request;
  *request = qn_run_request_for(run->kernel, needs_rows(input, run) ? &run->rows : input->view);
  request->positions = input->positions;
  request->inputs = qn_run_inputs_told(&run->inputs);
  qn_request_take(request, &run->arguments);
  request->asynchronous = options->asynchronous;
  request->direction = options->direction;
  request->device = &run->device;
  run->device = (struct qn_device_run){
      .index = options->device_index,
      .memory = options->device_memory,
      .indices = options->devices,
      .num_devices = run->sharing.alone ? 0 : options->num_devices,
      .strategy = options->strategy,
      .streaming = options->streaming,
      .parallelism = options->parallelism,
      .store = options->store,
      .leaves_values = may_leave_values(input, options, run),
  };
  request->hooks.on_iteration = tell_iteration;
  if (!qn_context_is_process() && run->kernel->value_bytes)
    request->hooks.checkpointing = &ends_cancelled;
  const struct qn_watched_files files = files_of(input);
  if (options->watch)
    qn_watch_attach(options->watch, request, &files, input->info->num_vertices,
                    run->kernel->traits & QN_KERNEL_ALL_ACTIVE ? input->info->num_edges : 0,
                    options->checkpoint.folder != NULL);
}

/* Rows of the input, plain and with the edges of both directions if the kernel asks for that. */
static enum qn_status make_rows(const struct qn_run_input *input, struct qn_run *run,
                                struct qn_error *error) {
  const bool is_plain = input->layout->layout == QN_LAYOUT_GRAPH;
  struct qn_graph restored = {0};
  if (!qn_run_is_refused(input, run->kernel))
    return input->layout->restore(input->container, &run->rows, error);
  enum qn_status status =
      is_plain ? QN_OK : input->layout->restore(input->container, &restored, error);
  if (!status)
    status = qn_graph_create_both_ways(is_plain ? input->view : &restored, &run->rows, error);
  qn_graph_unmap(&restored);
  return status;
}

/* A kernel that has no layout but plain CSR walks the rows that the input's layout gives back. */
static enum qn_status restore_rows(const struct qn_run_input *input, struct qn_run *run,
                                   struct qn_error *error) {
  if (!needs_rows(input, run) || run->has_rows)
    return QN_OK;
  const double begin = qn_seconds();
  if (input->layout->layout != QN_LAYOUT_GRAPH)
    qn_note(QN_NOTE_RESTORED,
            "%s walks plain rows, which are restored from the layout %s first; quern-transform "
            "writes a container that has them",
            run->kernel->algorithm->name, input->layout->name);
  if (qn_run_is_refused(input, run->kernel))
    qn_note(QN_NOTE_BOTH_WAYS,
            "%s ignores directions: rows of both are put together first, as quern-transform "
            "--symmetrize does; an edge that is there both ways counts twice",
            run->kernel->algorithm->name);
  enum qn_status status = make_rows(input, run, error);
  run->has_rows = !status;
  run->restore_seconds = qn_seconds() - begin;
  return status;
}

enum qn_status qn_run_fill_request(const struct qn_run_input *input,
                                   const struct qn_run_options *options, struct qn_run *run,
                                   struct qn_error *error) {
  enum qn_status status = restore_rows(input, run, error);
  if (status)
    return status;
  fill_request(input, options, run);
  note_tolerance(run);
  return QN_OK;
}
