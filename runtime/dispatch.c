#include "runtime/dispatch.h"

#include <stdio.h>
#include <string.h>

#include "converters/text/text_format.h"
#include "formats/container/stripes.h"
#include "kernels/cuda/device/device.h"
#include "runtime/placement.h"
#include "runtime/values.h"
#include "support/context.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/threads.h"

/* The traits of an algorithm's kernels, all together: what suits it on one layout is no mistake on
 * another, where a kernel of its own ends by itself. */
uint64_t qn_algorithm_traits(const char *algorithm) {
  uint64_t traits = 0;
  for (const struct qn_kernel *const *kernel = qn_kernels(); *kernel; kernel++)
    if (strcmp((*kernel)->algorithm, algorithm) == 0)
      traits |= (*kernel)->traits;
  return traits;
}

/* Those, or a user's program's. */
static uint64_t traits_of(const struct qn_kernel *kernel) {
  return kernel->traits | qn_algorithm_traits(kernel->algorithm);
}

/* The algorithm has buckets, on other layouts or devices than the kernel's. */
static enum qn_status refuse_delta(const struct qn_kernel *kernel, struct qn_error *error) {
  char names[400] = "";
  size_t length = 0;
  for (const struct qn_kernel *const *other = qn_kernels(); *other; other++)
    if ((*other)->traits & QN_KERNEL_DELTA && (*other)->weight_types & kernel->weight_types &&
        strcmp((*other)->algorithm, kernel->algorithm) == 0 && length < sizeof names)
      length += (size_t)snprintf(names + length, sizeof names - length, "%s%s on %s",
                                 length ? ", " : "", qn_layout_name((*other)->layout),
                                 qn_processor_name((*other)->processor));
  return qn_fail(error, QN_UNSUPPORTED,
                 "--delta has no effect on %s on the layout %s on %s; it works on: %s",
                 kernel->algorithm, qn_layout_name(kernel->layout),
                 qn_processor_name(kernel->processor), names);
}

/* Steps of a walk, and neighbours that are sampled hop by hop, unless somebody says otherwise. */
#define DEFAULT_LENGTH 80
enum { NUM_DEFAULT_FANOUTS = 2 };
static const uint32_t default_fanouts[NUM_DEFAULT_FANOUTS] = {15, 10};

/* The device that a program is compiled for. *device stays NULL for the CPU. */
static enum qn_status open_device(const struct qn_run_options *options,
                                  struct qn_cuda_device *opened,
                                  const struct qn_cuda_device **device, struct qn_error *error) {
  *device = NULL;
  if (options->device == QN_DEVICE_BOTH)
    return qn_fail(error, QN_UNSUPPORTED,
                   "--program runs on the CPU, or with --device cuda on CUDA devices, not on both");
  if (options->device != QN_DEVICE_CUDA)
    return QN_OK;
  *device = opened;
  return qn_cuda_open(options->num_devices ? options->devices[0] : options->device_index, opened,
                      error);
}

/* A user's program runs on the CPU unless a CUDA device is asked for: nvcc takes its time. */
static enum qn_status load_program(const struct qn_run_input *input,
                                   const struct qn_run_options *options, struct qn_run *run,
                                   struct qn_error *error) {
  const struct qn_container_info *info = input->info;
  struct qn_cuda_device opened;
  const struct qn_cuda_device *device;
  if (options->checkpoint.folder)
    return qn_fail(error, QN_UNSUPPORTED,
                   "no checkpoints of --program: its text may change between two runs");
  if (options->wants_parents)
    return qn_fail(error, QN_USAGE, "a --program has no --parents");
  if (options->weighted)
    return qn_fail(error, QN_USAGE, "a --program has no --weighted");
  enum qn_status status = open_device(options, &opened, &device, error);
  if (!status)
    status = qn_user_program_load(options->program, info->layout, info->weight_type, device,
                                  &run->program, error);
  if (status)
    return status;
  run->kernel = run->program.kernel;
  if (run->kernel->follows)
    return qn_fail(error, QN_UNSUPPORTED, "%s follows %s, which a --program cannot",
                   options->program, run->kernel->follows);
  if (!(run->kernel->weight_types & 1u << info->weight_type))
    return qn_fail(error, QN_UNSUPPORTED, "%s is not for weights %s on %s", options->program,
                   qn_weight_type_name(info->weight_type),
                   qn_processor_name(run->kernel->processor));
  return qn_run_check_graph(input, run->kernel, error);
}

/* Can several devices share it? `algorithm` may be NULL: any. */
static bool is_shared(const struct qn_kernel *kernel, const char *algorithm) {
  return kernel->traits & QN_KERNEL_DEVICES &&
         (!algorithm || strcmp(kernel->algorithm, algorithm) == 0);
}

/* Several devices can share this algorithm on other layouts, or else other algorithms: each name
 * once. */
static enum qn_status refuse_devices(const struct qn_kernel *kernel, struct qn_error *error) {
  const char *algorithm = NULL;
  char names[400] = "";
  size_t length = 0;
  for (const struct qn_kernel *const *other = qn_kernels(); *other && !algorithm; other++)
    algorithm = is_shared(*other, kernel->algorithm) ? kernel->algorithm : NULL;
#define NAME(of) (algorithm ? qn_layout_name((of)->layout) : (of)->algorithm)
  for (const struct qn_kernel *const *other = qn_kernels(); *other; other++) {
    bool known = !is_shared(*other, algorithm);
    for (const struct qn_kernel *const *past = qn_kernels(); past < other && !known; past++)
      known = is_shared(*past, algorithm) && strcmp(NAME(*past), NAME(*other)) == 0;
    if (!known && length < sizeof names)
      length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", length ? ", " : "",
                                 NAME(*other));
  }
#undef NAME
  return qn_fail(error, QN_UNSUPPORTED,
                 "%s on the layout %s runs on one device; several devices can share %s: %s",
                 kernel->algorithm, qn_layout_name(kernel->layout),
                 algorithm ? "it on other layouts" : "other algorithms", names);
}

/* Options that some algorithms have a use for, and the traits of those. */
enum { NUM_USES = 21 };
static const struct {
  const char *option;
  uint64_t traits;
} uses[NUM_USES] = {{"source", QN_KERNEL_SOURCE | QN_KERNEL_SOURCES | QN_KERNEL_SEEDS |
                                   QN_KERNEL_WALKS | QN_KERNEL_FANOUTS},
                    {"damping", QN_KERNEL_DAMPING},
                    {"tolerance", QN_KERNEL_TOLERANCE},
                    {"iterations", QN_KERNEL_ITERATIONS},
                    {"hops", QN_KERNEL_HOPS},
                    {"groups", QN_KERNEL_GROUPS},
                    {"delta", QN_KERNEL_DELTA},
                    {"resolution", QN_KERNEL_RESOLUTION},
                    {"seed", QN_KERNEL_SEED},
                    {"target", QN_KERNEL_TARGET},
                    {"vector", QN_KERNEL_VECTOR},
                    {"cutoff", QN_KERNEL_CUTOFF},
                    {"unweighted", QN_KERNEL_UNWEIGHTED},
                    {"alpha", QN_KERNEL_ALPHA},
                    {"samples", QN_KERNEL_SAMPLES},
                    {"measure", QN_KERNEL_PAIRS},
                    {"pairs", QN_KERNEL_PAIRS},
                    {"length", QN_KERNEL_WALKS},
                    {"walks", QN_KERNEL_WALKS},
                    {"fanouts", QN_KERNEL_FANOUTS},
                    {"grid", QN_KERNEL_ALL_ACTIVE}};

json_t *qn_algorithm_options(const struct qn_kernel *kernel) {
  const uint64_t traits = traits_of(kernel);
  json_t *options = json_array();
  for (int i = 0; i < NUM_USES; i++)
    if (traits & uses[i].traits)
      json_array_append_new(options, json_string(uses[i].option));
  return options;
}

/* Which of them were said. */
static void find_given(const struct qn_run_options *options, bool given[NUM_USES]) {
  const bool all[NUM_USES] = {options->num_sources > 0 || options->sources_file,
                              options->damping >= 0,
                              options->tolerance >= 0,
                              options->iterations >= 0,
                              options->hops >= 0,
                              options->groups != NULL,
                              options->delta >= 0,
                              options->resolution >= 0,
                              options->seed >= 0,
                              options->target != NULL,
                              options->vector != NULL,
                              options->cutoff >= 0,
                              options->unweighted,
                              options->alpha >= 0,
                              options->samples >= 0,
                              options->measure >= 0,
                              options->pairs != NULL,
                              options->length >= 0,
                              options->walks >= 0,
                              options->num_fanouts > 0,
                              options->grid.num_columns > 0};
  memcpy(given, all, sizeof all);
}

static void forget_option(int which, struct qn_run_options *options) {
  double *const reals[NUM_USES] = {
      [1] = &options->damping,    [2] = &options->tolerance, [6] = &options->delta,
      [7] = &options->resolution, [11] = &options->cutoff,   [13] = &options->alpha};
  const char **const texts[NUM_USES] = {[5] = &options->groups,
                                        [9] = &options->target,
                                        [10] = &options->vector,
                                        [16] = &options->pairs};
  int64_t *const numbers[NUM_USES] = {
      [3] = &options->iterations, [4] = &options->hops,     [8] = &options->seed,
      [14] = &options->samples,   [15] = &options->measure, [17] = &options->length,
      [18] = &options->walks};
  if (reals[which])
    *reals[which] = -1;
  else if (numbers[which])
    *numbers[which] = -1;
  else if (texts[which])
    *texts[which] = NULL;
  else if (which == 12)
    options->unweighted = false;
  else if (which == 19)
    options->num_fanouts = 0;
  else if (which == 20)
    options->grid = (struct qn_grid){0};
  else
    options->num_sources = 0, options->sources_file = NULL;
}

uint32_t qn_run_options_narrow(const char *algorithm, struct qn_run_options *options) {
  bool given[NUM_USES];
  const uint64_t traits = qn_algorithm_traits(algorithm);
  uint32_t left_out = 0;
  find_given(options, given);
  for (int i = 0; i < NUM_USES; i++) {
    if (!given[i] || traits & uses[i].traits)
      continue;
    left_out |= 1u << i;
    forget_option(i, options);
  }
  return left_out;
}

const char *qn_run_option_name(uint32_t set) {
  return uses[__builtin_ctz(set)].option;
}

/* What was said must be of use. */
static enum qn_status check_uses(const struct qn_kernel *kernel,
                                 const struct qn_run_options *options, struct qn_error *error) {
  bool given[NUM_USES];
  const uint64_t traits = traits_of(kernel);
  find_given(options, given);
  if (options->iterations >= 0 && traits & QN_KERNEL_HOPS)
    return qn_fail(error, QN_USAGE, "say with --hops how far %s goes", kernel->algorithm);
  for (int i = 0; i < NUM_USES; i++)
    if (given[i] && !(traits & uses[i].traits))
      return qn_fail(error, QN_USAGE, "%s has no --%s", kernel->algorithm, uses[i].option);
  return QN_OK;
}

/* Parents come from distances that are final, of algorithms that another follows. */
static enum qn_status check_parents(const struct qn_kernel *kernel,
                                    const struct qn_run_options *options, struct qn_error *error) {
  bool is_followed = false;
  for (const struct qn_kernel *const *other = qn_followers(); *other && !is_followed; other++)
    is_followed = strcmp((*other)->follows, kernel->algorithm) == 0;
  if (!is_followed)
    return qn_fail(error, QN_USAGE, "%s has no --parents", kernel->algorithm);
  if (options->iterations >= 0)
    return qn_fail(error, QN_USAGE,
                   "--parents needs distances that are final; leave --iterations out");
  return QN_OK;
}

/* Options that say how a kernel goes about it, which only some kernels can be told. */
enum qn_status qn_run_check_manner(const struct qn_kernel *kernel,
                                   const struct qn_run_options *options, struct qn_error *error) {
  if (options->direction != QN_DIRECTION_AUTO && !(kernel->traits & QN_KERNEL_DIRECTION))
    return qn_fail(error, QN_USAGE,
                   "--direction is for the layout blocked-csr on a CUDA device, and for searches "
                   "on shards on the CPU, not for %s on %s",
                   kernel->algorithm, qn_layout_name(kernel->layout));
  if (options->parallelism != QN_PARALLEL_HYBRID && !(kernel->traits & QN_KERNEL_PARALLELISM))
    return qn_fail(error, QN_USAGE,
                   "--parallelism is for the layout slotted-pages on a CUDA device, not for %s on "
                   "%s",
                   kernel->algorithm, qn_layout_name(kernel->layout));
  if (options->grid.num_columns > 0 &&
      (kernel->layout != QN_LAYOUT_SET || kernel->processor != QN_CPU))
    return qn_fail(
        error, QN_USAGE, "--grid is for ranks that share a set on the CPU, not for %s on %s on %s",
        kernel->algorithm, qn_layout_name(kernel->layout), qn_processor_name(kernel->processor));
  if (options->streaming.moves == QN_MOVE_PARTITIONS && kernel->layout != QN_LAYOUT_EDGE_PARTITIONS)
    return qn_fail(error, QN_USAGE,
                   "--move partitions is for the layout edge-partitions, not for %s",
                   qn_layout_name(kernel->layout));
  if (!options->mode_given || kernel->processor == QN_JOINT)
    return QN_OK;
  if (!(kernel->traits & QN_KERNEL_SEES) || options->num_devices > 1)
    return qn_fail(
        error, QN_USAGE,
        "--mode is for --device both, for cc and sssp on slotted-pages or "
        "edge-partitions on one CUDA device, and for pagerank, rwr and katz on shards on "
        "the CPU, not for %s on %s",
        kernel->algorithm, qn_layout_name(kernel->layout));
  return QN_OK;
}

static enum qn_status check_options(const struct qn_kernel *kernel,
                                    const struct qn_run_options *options, struct qn_error *error) {
  enum qn_status status = check_uses(kernel, options, error);
  if (status)
    return status;
  if (options->wants_values && kernel->count_key)
    return qn_fail(error, QN_USAGE, "%s counts %s; it has no values to write with -o",
                   kernel->algorithm, kernel->count_key);
  if (kernel->traits & QN_KERNEL_TARGET && (!options->target || !options->num_sources))
    return qn_fail(error, QN_USAGE, "%s needs --source and --target", kernel->algorithm);
  if (kernel->traits & QN_KERNEL_FANOUTS && !options->num_sources && !options->sources_file)
    return qn_fail(error, QN_USAGE, "%s needs --sources FILE, or some", kernel->algorithm);
  if (kernel->traits & QN_KERNEL_VECTOR && !options->vector)
    return qn_fail(error, QN_USAGE, "%s needs --vector FILE, a number for each vertex",
                   kernel->algorithm);
  if (options->wants_parents && (status = check_parents(kernel, options, error)))
    return status;
  if (options->num_devices > 1 && !(kernel->traits & QN_KERNEL_DEVICES))
    return refuse_devices(kernel, error);
  if (options->damping >= 1)
    return qn_fail(error, QN_USAGE, "--damping must be at least 0 and below 1, not %g",
                   options->damping);
  if (options->alpha == 0)
    return qn_fail(error, QN_USAGE, "--alpha must be more than 0");
  if (options->delta == 0)
    return qn_fail(error, QN_USAGE, "--delta must be more than 0");
  if (options->resolution == 0)
    return qn_fail(error, QN_USAGE, "--resolution must be more than 0");
  if (!qn_run_has_buckets(kernel, options))
    return refuse_delta(kernel, error);
  if ((status = qn_run_check_manner(kernel, options, error)))
    return status;
  if (options->cutoff > 0x1p53)
    return qn_fail(error, QN_USAGE, "--cutoff is 2^53 at most, not %g", options->cutoff);
  if (options->asynchronous && !(kernel->traits & QN_KERNEL_ANY_ORDER))
    return qn_fail(error, QN_USAGE,
                   "%s cannot run asynchronously: its result depends on which values an iteration "
                   "sees; --mode synchronous is for it",
                   kernel->algorithm);
  if (options->iterations > (int64_t)UINT32_MAX)
    return qn_fail(error, QN_USAGE, "--iterations must be below 2^32");
  return QN_OK;
}

static enum qn_status find_groups(const struct qn_run_input *input,
                                  const struct qn_run_options *options, struct qn_run *run,
                                  struct qn_error *error) {
  if (!options->groups)
    return QN_OK;
  return qn_vertex_file_read(options->groups, &input->ids, true, &run->groups, NULL, NULL, error);
}

/* Ranks sum to 1: rounded to 24 bits, the nearest ones to a fixed point may never change by less.
 */
static void note_tolerance(const struct qn_kernel *kernel, double tolerance) {
  const double reached = 0x1p-24;
  if (tolerance > 0 && tolerance < reached && (kernel->traits & QN_KERNEL_RANKS) &&
      kernel->result == QN_RESULT_F32)
    qn_notice("note: ranks are 32-bit floats, whose rounding alone may change them by %.1e in sum; "
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
  bool as_vertices = run->kernel->traits & QN_KERNEL_VERTICES && input->order;
  return options->leaves_values && !input->set && !options->wants_parents &&
         !options->checkpoint.folder && !as_vertices && !(run->kernel->traits & QN_KERNEL_UNIT);
}

static void fill_request(const struct qn_run_input *input, const struct qn_run_options *options,
                         struct qn_run *run) {
  struct qn_run_request *request = &run->request;
  const bool walks_rows = run->kernel->layout != input->layout->layout;
  *request = qn_run_request_for(run->kernel, walks_rows ? &run->rows : input->view);
  request->positions = input->positions;
  request->sources = run->sources;
  request->num_sources = run->num_sources;
  request->groups = run->groups.of;
  request->given = run->given;
  request->target = run->target;
  request->unweighted = options->unweighted;
  request->num_samples = run->num_samples;
  request->weighted = options->weighted;
  request->length = options->length < 0 ? DEFAULT_LENGTH : (uint32_t)options->length;
  request->num_walks = options->walks < 0 ? 1 : (uint32_t)options->walks;
  request->fanouts = options->num_fanouts ? options->fanouts : default_fanouts;
  request->num_fanouts = options->num_fanouts ? options->num_fanouts : NUM_DEFAULT_FANOUTS;
  request->measure = options->measure < 0 ? QN_MEASURE_JACCARD : (enum qn_measure)options->measure;
  request->pairs = run->pairs.count ? run->pairs.vertices[0] : NULL;
  request->num_pairs = run->pairs.count;
  if (options->alpha > 0)
    request->alpha = options->alpha;
  if (options->cutoff >= 0)
    request->cutoff = options->cutoff;
  if (options->damping >= 0)
    request->damping = options->damping;
  if (options->tolerance >= 0)
    request->tolerance = options->tolerance;
  note_tolerance(run->kernel, options->tolerance);
  if (options->iterations >= 0)
    request->max_iterations = (uint32_t)options->iterations;
  if (options->hops >= 0)
    request->max_iterations = (uint32_t)options->hops;
  if (options->delta > 0)
    request->delta = options->delta;
  if (options->resolution > 0)
    request->resolution = options->resolution;
  if (options->seed >= 0)
    request->seed = (uint64_t)options->seed;
  request->device = options->device_index;
  request->asynchronous = options->asynchronous;
  request->direction = options->direction;
  request->parallelism = options->parallelism;
  request->device_memory = options->device_memory;
  request->devices = options->devices;
  request->num_devices = run->sharing.alone ? 0 : options->num_devices;
  request->strategy = options->strategy;
  request->streaming = options->streaming;
  request->store = options->store;
  request->leaves_values = may_leave_values(input, options, run);
  request->on_iteration = tell_iteration;
  if (!qn_context_is_process() && run->kernel->value_bytes)
    request->checkpointing = &ends_cancelled;
  if (options->watch)
    qn_watch_attach(options->watch, request,
                    qn_stripes_count(qn_container_stripes(input->container)),
                    input->info->num_vertices,
                    run->kernel->traits & QN_KERNEL_ALL_ACTIVE ? input->info->num_edges : 0,
                    options->checkpoint.folder != NULL);
}

/* A kernel that has no layout but plain CSR walks the rows that the input's layout gives back. */
static enum qn_status restore_rows(const struct qn_run_input *input, struct qn_run *run,
                                   struct qn_error *error) {
  if (run->kernel->layout == input->layout->layout || run->has_rows)
    return QN_OK;
  const double begin = qn_seconds();
  qn_notice("note: %s walks plain rows, which are put together from the layout %s first; "
            "quern-transform writes a container of them",
            run->kernel->algorithm, input->layout->name);
  enum qn_status status = input->layout->restore(input->container, &run->rows, error);
  run->has_rows = !status;
  run->restore_seconds = qn_seconds() - begin;
  return status;
}

/* Run the chosen kernel, with checkpoints if they are asked for. */
static enum qn_status run_once(const struct qn_run_input *input,
                               const struct qn_run_options *options, struct qn_run *run,
                               struct qn_error *error) {
  enum qn_status status = restore_rows(input, run, error);
  if (status)
    return status;
  fill_request(input, options, run);
  if (!options->checkpoint.folder) {
    if (!options->watch)
      qn_progress_begin("running", "iterations", 0);
    return run->kernel->run(&run->request, &run->result, error);
  }
  qn_keeper_close(run->keeper);
  status =
      qn_keeper_open(input, run->kernel, &run->request, &options->checkpoint, &run->keeper, error);
  return status ? status : qn_keeper_run(run->keeper, &run->result, error);
}

/* What one walk needs beside the graph may not fit where iterations do: then take these, if the
 * graph suits them. */
static bool leave_one_walk(const struct qn_run_input *input, struct qn_run *run) {
  if (!(run->kernel->traits & QN_KERNEL_ONE_WALK))
    return false;
  const struct qn_kernel *other = qn_kernel_find(run->kernel->algorithm, run->kernel->layout,
                                                 run->kernel->processor, input->info->weight_type);
  if (!other || qn_run_is_refused(input, other))
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
  qn_notice("running on the CPU: %s", error->message);
  run->choice.weighed = false;
  status = qn_run_find_kernel(input, options, run->kernel->algorithm, QN_CPU, &run->kernel, error);
  return status ? status : run_once(input, options, run, error);
}

/* ---- Several sources of what has one: a column of each ---------------------------- */

/* One source after another. */
static enum qn_status run_each_source(const struct qn_run_input *input,
                                      const struct qn_run_options *options, struct qn_run *run,
                                      struct qn_error *error) {
  const uint32_t num_sources = run->num_sources;
  struct qn_run_options each = *options;
  each.leaves_values = false; /* on a device: they come together here */
  uint32_t *const sources = run->sources;
  struct qn_run_result all = {0};
  char *columns = NULL;
  enum qn_status status = QN_OK;
  run->num_sources = 1;
  for (uint32_t i = 0; !status && i < num_sources; i++) {
    run->sources = &sources[i];
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
    all.iterations += before.iterations;
    all.prepare_seconds += before.prepare_seconds;
    all.kernel_seconds += before.kernel_seconds;
    all.converged = one->converged && (i == 0 || before.converged);
    qn_run_result_destroy(one);
  }
  run->sources = sources;
  run->num_sources = num_sources;
  qn_run_result_destroy(&run->result);
  run->result = all;
  run->result.num_columns = num_sources;
  run->result.column_sources = sources;
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
  run->request.store = NULL;
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
    qn_notice("running from one source after another: %s", error->message);
    run->kernel = alone;
    return run_each_placed(input, options, run, error);
  }
  run->result.column_sources = run->sources;
  return status;
}

static enum qn_status run_columns(const struct qn_run_input *input,
                                  const struct qn_run_options *options, struct qn_run *run,
                                  struct qn_error *error) {
  if (run->num_sources < 2 || !(run->kernel->traits & QN_KERNEL_SOURCE))
    return run_kernel(input, options, run, error);
  if (options->wants_parents)
    return qn_fail(error, QN_USAGE, "--parents is of one source, not %u", run->num_sources);
  if (options->checkpoint.folder)
    return qn_fail(error, QN_UNSUPPORTED, "there are no checkpoints of runs from several sources");
  if (run->kernel->traits & QN_KERNEL_TARGET)
    return qn_fail(error, QN_USAGE, "%s has one source, not %u", run->kernel->algorithm,
                   run->num_sources);
  const struct qn_kernel *together = qn_columns_find(run->kernel);
  return together ? run_together(input, options, together, run, error)
                  : run_each_placed(input, options, run, error);
}

/* Is there a path? */
static enum qn_status check_target(const struct qn_run_input *input, const struct qn_run *run,
                                   struct qn_error *error) {
  if (!(run->kernel->traits & QN_KERNEL_TARGET) || run->result.num_values > 0)
    return QN_OK;
  char from[QN_MAX_NUMBER_TEXT], to[QN_MAX_NUMBER_TEXT];
  uint64_t from_length, to_length;
  const char *source = qn_ids_text(&input->ids, run->sources[0], from, &from_length);
  const char *target = qn_ids_text(&input->ids, run->target, to, &to_length);
  return qn_fail(error, QN_NEGATIVE, "no path leads from %.*s to %.*s", (int)from_length, source,
                 (int)to_length, target);
}

/* The request of the run that is done, for the kernel that follows it, about which nobody is told.
 */
static struct qn_run_request follow(const struct qn_run *run) {
  struct qn_run_request request = run->request;
  request.given = run->result.values;
  request.max_iterations = run->parents_kernel->max_iterations;
  request.delta = 0;
  request.asynchronous = false;
  request.checkpointing = NULL;
  request.on_iteration = NULL;
  request.streaming.measure = false;
  request.streaming.on_plan = NULL;
  request.streaming.on_event = NULL;
  return request;
}

/* The parents of a search, on its processor and the layout that it walked; the CPU's part of a
 * joint run has nothing to do in one sweep. */
static enum qn_status find_parents_on(const struct qn_run_input *input, enum qn_processor processor,
                                      struct qn_run *run, struct qn_error *error) {
  const struct qn_kernel *search = run->kernel;
  run->parents_kernel =
      qn_follower_find(search->algorithm, search->layout, processor, input->info->weight_type);
  if (!run->parents_kernel)
    return qn_fail(error, QN_UNSUPPORTED,
                   "this build has no kernel for the parents of %s on the layout %s on %s",
                   search->algorithm, qn_layout_name(search->layout), qn_processor_name(processor));
  const struct qn_run_request request = follow(run);
  return run->parents_kernel->run(&request, &run->parents, error);
}

static enum qn_status find_parents(const struct qn_run_input *input,
                                   const struct qn_run_options *options, struct qn_run *run,
                                   struct qn_error *error) {
  enum qn_processor processor = run->kernel->processor == QN_CPU ? QN_CPU : QN_CUDA;
  if (!options->wants_parents)
    return QN_OK;
  enum qn_status status = find_parents_on(input, processor, run, error);
  if (status != QN_DEVICE || options->device != QN_DEVICE_AUTO)
    return status;
  qn_notice("finding parents on the CPU: %s", error->message);
  return find_parents_on(input, QN_CPU, run, error);
}

/* Do several devices take longer than the first of them? */
static enum qn_status weigh_devices(const struct qn_run_input *input,
                                    const struct qn_run_options *options, struct qn_run *run,
                                    struct qn_error *error) {
  struct qn_cuda_device device;
  run->num_devices = options->num_devices;
  if (options->num_devices < 2 || options->all_devices)
    return QN_OK;
  enum qn_status status = qn_cuda_open(options->devices[0], &device, error);
  if (status)
    return status;
  const struct qn_workload workload = {
      .info = input->info, .iterations = options->iterations, .num_sources = run->num_sources};
  const struct qn_kernel *alone = qn_run_kernel_alone(input, options, run->kernel);
  run->sharing =
      qn_sharing_weigh(&workload, run->kernel, alone, options->strategy, options->num_devices,
                       qn_cuda_plannable_bytes(&device, options->device_memory));
  if (run->sharing.alone)
    qn_notice("note: device %d runs alone: %.4f s are expected, and %.4f s of %u devices "
              "(--all-devices shares it anyway)",
              options->devices[0], run->sharing.one, run->sharing.all, options->num_devices);
  if (run->sharing.alone)
    run->kernel = alone;
  return QN_OK;
}

/* What the options name, and the device, which may have started meanwhile. */
static enum qn_status find_needed(const struct qn_run_input *input,
                                  const struct qn_run_options *options, struct qn_run *run,
                                  struct qn_error *error) {
  int devices;
  double begin = qn_seconds();
  enum qn_status status = qn_run_find_given(input, options, run, error);
  if (!status)
    status = find_groups(input, options, run, error);
  run->find_seconds = qn_seconds() - begin;
  begin = qn_seconds();
  if (!status && run->kernel->processor != QN_CPU)
    status = qn_cuda_count(&devices, error);
  if (!status)
    status = weigh_devices(input, options, run, error);
  run->device_seconds = qn_seconds() - begin;
  return status;
}

enum qn_status qn_run_start(const struct qn_run_input *input, const struct qn_run_options *options,
                            struct qn_run *run, struct qn_error *error) {
  *run = (struct qn_run){0};
  enum qn_status status =
      options->program ? load_program(input, options, run, error)
                       : qn_run_choose_kernel(input, options, &run->kernel, &run->choice, error);
  if (!status)
    status = check_options(run->kernel, options, error);
  if (!status && run->kernel->traits & QN_KERNEL_WEIGHTS && !input->trusted)
    status = qn_run_input_verify_weights(input, error);
  if (!status)
    status = find_needed(input, options, run, error);
  if (!status)
    status = run_columns(input, options, run, error);
  run->result.prepare_seconds += run->restore_seconds;
  if (!status && run->kernel->processor != QN_CPU)
    qn_run_device_is_used();
  if (!status)
    status = qn_run_scale(run, error);
  if (!status)
    status = check_target(input, run, error);
  if (!status)
    status = find_parents(input, options, run, error);
  if (status)
    qn_run_destroy(run);
  return status;
}

enum qn_status qn_run_fetch(struct qn_run *run, struct qn_error *error) {
  struct qn_run_result *result = &run->result;
  const uint32_t size = qn_result_bytes(result->type);
  void *values;
  if (result->values || !result->on_device.data)
    return QN_OK;
  enum qn_status status = qn_pages_alloc(&values, result->num_values, size, "result values", error);
  if (status)
    return status;
  status = qn_device_values_download(&result->on_device, values, error);
  if (status)
    qn_pages_free(values, result->num_values, size);
  else
    result->values = values;
  return status;
}

void qn_run_destroy(struct qn_run *run) {
  qn_keeper_close(run->keeper);
  qn_run_result_destroy(&run->parents);
  qn_run_result_destroy(&run->result);
  qn_vertex_groups_destroy(&run->groups);
  qn_pair_list_destroy(&run->pairs);
  qn_pages_free(run->given, run->num_given, 8);
  qn_free(run->source_weights);
  qn_free(run->sources);
  if (run->has_rows)
    qn_graph_unmap(&run->rows);
  qn_user_program_unload(&run->program);
  *run = (struct qn_run){0};
}
