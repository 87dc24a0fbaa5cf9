#include "runtime/choose.h"

#include <stdio.h>
#include <string.h>

#include "kernels/cuda/device/device.h"
#include "runtime/suits.h"
#include "support/progress.h"
#include "support/threads.h"

/* The layouts on which a processor runs an algorithm with such weights, for a message. */
static void list_layouts(const char *algorithm, enum qn_processor processor,
                         enum qn_weight_type type, char *text, size_t size) {
  size_t length = 0;
  snprintf(text, size, "none");
  for (const struct qn_kernel *const *kernel = qn_kernels(); *kernel; kernel++)
    if ((*kernel)->processor == processor && (*kernel)->weight_types & 1u << type &&
        !((*kernel)->traits & QN_KERNEL_STANDS_IN) &&
        strcmp((*kernel)->algorithm->name, algorithm) == 0 && length < size)
      length += (size_t)snprintf(text + length, size - length, "%s%s", length ? ", " : "",
                                 qn_layout_name((*kernel)->layout));
}

/* Do options say how a run goes in iterations, or who shares them? */
static bool iterates(const struct qn_run_options *options) {
  return options->num_devices > 1 || options->checkpoint.folder ||
         qn_run_options_said(options, "iterations") || options->mode_given ||
         options->direction != QN_DIRECTION_AUTO || options->parallelism != QN_PARALLEL_HYBRID ||
         options->streaming.moves == QN_MOVE_PARTITIONS;
}

/* The kernel of a layout for a graph as directed as the input's; NULL if there is none. */
static const struct qn_kernel *find_on(const struct qn_run_input *input,
                                       const struct qn_run_options *options, const char *algorithm,
                                       enum qn_layout layout, enum qn_processor processor) {
  const struct qn_kernel *kernel =
      qn_kernel_find(algorithm, layout, processor, input->info->weight_type);
  const struct qn_kernel *blocks =
      kernel && qn_run_input_is_cut(input) ? qn_blocks_find(kernel) : NULL;
  const struct qn_kernel *other = kernel ? qn_stand_in_find(kernel) : NULL;
  const bool shares = kernel && options->num_devices > 1 && !(kernel->traits & QN_KERNEL_DEVICES);
  if (blocks)
    return blocks;
  if (shares && qn_sharing_find(kernel))
    return qn_sharing_find(kernel);
  const bool replaces = other && (qn_run_is_refused(input, kernel) ||
                                  (other->traits & QN_KERNEL_ONE_WALK && !iterates(options)) ||
                                  (shares && other->traits & QN_KERNEL_DEVICES));
  return replaces ? other : kernel;
}

/* The kernel for one processor, if the graph suits it: on the input's layout, or on the rows that
 * it can give back. */
enum qn_status qn_run_find_kernel(const struct qn_run_input *input,
                                  const struct qn_run_options *options, const char *algorithm,
                                  enum qn_processor processor, const struct qn_kernel **kernel,
                                  struct qn_error *error) {
  const struct qn_container_info *info = input->info;
  *kernel = find_on(input, options, algorithm, info->layout, processor);
  if ((!*kernel || qn_run_is_refused(input, *kernel)) && input->layout->restore) {
    const struct qn_kernel *other = find_on(input, options, algorithm, QN_LAYOUT_GRAPH, processor);
    *kernel = other && (!*kernel || !qn_run_is_refused(input, other)) ? other : *kernel;
  }
  if (*kernel)
    return qn_run_check_graph(input, *kernel, error);
  char layouts[256];
  list_layouts(algorithm, processor, info->weight_type, layouts, sizeof layouts);
  return qn_fail(error, QN_UNSUPPORTED,
                 "this build has no kernel for %s on the layout %s with weights %s on %s (layouts "
                 "that it has one for: %s); quern-run --list shows all%s",
                 algorithm, qn_layout_name(info->layout), qn_weight_type_name(info->weight_type),
                 qn_processor_name(processor), layouts,
                 qn_weight_bytes(info->weight_type) == 8
                     ? ", and quern-transform --narrow-weights makes weights of 4 bytes"
                     : "");
}

/* The kernel that one device takes for what several share by `kernel`: the same one, or one that
 * needs no iterations, which several do not share. */
static const struct qn_kernel *find_alone(const struct qn_run_input *input,
                                          const struct qn_run_options *options,
                                          const struct qn_kernel *kernel) {
  struct qn_run_options one = *options;
  one.num_devices = 0;
  const struct qn_kernel *alone = options->program ? NULL
                                                   : find_on(input, &one, kernel->algorithm->name,
                                                             kernel->layout, kernel->processor);
  return alone ? alone : kernel;
}

/* Where there may be a device. That may be starting still, and is asked for when it is needed; but
 * the library has its kernels only when somebody has asked. */
static enum qn_status find_on_device(const struct qn_run_input *input,
                                     const struct qn_run_options *options, const char *algorithm,
                                     const struct qn_kernel **kernel, struct qn_error *error) {
  int devices;
  if (!qn_run_find_kernel(input, options, algorithm, QN_CUDA, kernel, NULL))
    return QN_OK;
  enum qn_status status = qn_cuda_count(&devices, error);
  return status ? status : qn_run_find_kernel(input, options, algorithm, QN_CUDA, kernel, error);
}

/* The CPU and a CUDA device together. */
static enum qn_status find_joint(const struct qn_run_input *input,
                                 const struct qn_run_options *options, const char *algorithm,
                                 const struct qn_kernel **kernel, struct qn_error *error) {
  int devices;
  if (input->info->layout != QN_LAYOUT_SHARDS)
    return qn_fail(error, QN_UNSUPPORTED,
                   "--device both shares the work on the layout shards, and this container has "
                   "the layout %s; make one of shards with quern-shard",
                   qn_layout_name(input->info->layout));
  enum qn_status status = qn_cuda_count(&devices, error);
  return status ? status : qn_run_find_kernel(input, options, algorithm, QN_JOINT, kernel, error);
}

/* Has this process run something on a device? Then it is there. */
static bool device_was_used; /* by __atomic functions */

/* Ranks that fell back from a device by themselves would not tell each other the same: they are
 * told a processor. The library has the kernels of devices only when somebody has asked for one;
 * until then the CPU's stand for them. `room` is 0 until somebody may ask the device for it. */
static struct qn_choice weigh(const struct qn_run_input *input,
                              const struct qn_run_options *options, const char *algorithm,
                              uint64_t room) {
  const struct qn_kernel *cpu, *device;
  const bool started = options->shares_start || __atomic_load_n(&device_was_used, __ATOMIC_RELAXED);
  const struct qn_workload workload = {.info = input->info,
                                       .iterations = qn_run_options_iterations(options),
                                       .num_sources = qn_run_options_sources(options),
                                       .num_threads = qn_threads(),
                                       .room = room,
                                       .started = started,
                                       .placed = started && options->store};
  if (options->device != QN_DEVICE_AUTO || input->set || !algorithm ||
      qn_run_find_kernel(input, options, algorithm, QN_CPU, &cpu, NULL))
    return (struct qn_choice){0};
  if (qn_run_find_kernel(input, options, algorithm, QN_CUDA, &device, NULL))
    device = cpu;
  return qn_run_has_buckets(device, options) ? qn_choice_weigh(&workload, cpu, device)
                                             : (struct qn_choice){0};
}

/* The memory that devices have for a graph, which a store may have there already; 0: they cannot
 * say. */
static uint64_t find_room(const struct qn_run_options *options) {
  struct qn_cuda_device device;
  uint64_t room = 0;
  for (unsigned i = 0; i == 0 || i < options->num_devices; i++) {
    const int index = options->num_devices ? options->devices[i] : options->device_index;
    if (qn_cuda_open(index, &device, NULL))
      return 0;
    room += options->store ? device.total_bytes : qn_cuda_plannable_bytes(&device, 0);
  }
  return room;
}

/* Do options say how a device does it? */
static bool is_for_device(const struct qn_run_input *input, const struct qn_run_options *options,
                          const char *algorithm) {
  const struct qn_kernel *cpu, *device;
  if (options->device != QN_DEVICE_AUTO || input->set || !algorithm ||
      qn_run_find_kernel(input, options, algorithm, QN_CUDA, &device, NULL))
    return false;
  return options->device_memory > 0 ||
         qn_run_find_kernel(input, options, algorithm, QN_CPU, &cpu, NULL) ||
         (qn_run_check_manner(cpu, options, NULL) && !qn_run_check_manner(device, options, NULL));
}

void qn_run_device_is_used(void) {
  __atomic_store_n(&device_was_used, true, __ATOMIC_RELAXED);
}

struct qn_choice qn_run_weigh(const struct qn_run_input *input,
                              const struct qn_run_options *options, unsigned count) {
  struct qn_choice all = {0};
  for (unsigned i = 0; i < count; i++) {
    const struct qn_algorithm *algorithm = NULL;
    if (!options[i].program)
      qn_run_algorithm(&options[i], &algorithm, NULL);
    const struct qn_choice one = weigh(input, &options[i], algorithm ? algorithm->name : NULL, 0);
    if (!one.weighed)
      return one;
    all.weighed = true;
    all.cpu += one.cpu;
    all.kernels += one.kernels;
    all.start = one.start; /* once for all of them */
    all.copies = one.copies > all.copies ? one.copies : all.copies;
  }
  return all;
}

void qn_run_start_ahead(const struct qn_run_input *input, const struct qn_run_options *options,
                        unsigned count) {
  if (count == 0 || !options->start_device)
    return;
  const struct qn_choice choice = qn_run_weigh(input, options, count);
  if (options->device == QN_DEVICE_CUDA || options->device == QN_DEVICE_BOTH ||
      (choice.weighed && qn_choice_is_device(&choice)))
    options->start_device(options->num_devices ? options->devices[0] : options->device_index);
}

/* The one that is expected to be done sooner is taken unasked, if it is there. */
static enum qn_status choose_kernel(const struct qn_run_input *input,
                                    const struct qn_run_options *options, const char *algorithm,
                                    const struct qn_kernel **kernel, struct qn_choice *choice,
                                    struct qn_error *error) {
  int devices;
  if (options->device == QN_DEVICE_BOTH)
    return find_joint(input, options, algorithm, kernel, error);
  if (options->device == QN_DEVICE_CUDA)
    return find_on_device(input, options, algorithm, kernel, error);
  const bool for_device = is_for_device(input, options, algorithm);
  *choice = for_device ? (struct qn_choice){0} : weigh(input, options, algorithm, 0);
  if (for_device || (choice->weighed && qn_choice_is_device(choice))) {
    const bool can = !qn_cuda_count(&devices, NULL) &&
                     !qn_run_find_kernel(input, options, algorithm, QN_CUDA, kernel, NULL) &&
                     qn_run_has_buckets(*kernel, options);
    *choice = can && !for_device ? weigh(input, options, algorithm, find_room(options))
                                 : (struct qn_choice){0}; /* there was no choice */
    if (can && (for_device || !choice->weighed || qn_choice_is_device(choice)))
      return QN_OK;
  }
  return qn_run_find_kernel(input, options, algorithm, QN_CPU, kernel, error);
}

/* ---- A user's program --------------------------------------------------------- */

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
  enum qn_status status = open_device(options, &opened, &device, error);
  if (!status)
    status = qn_user_program_load(options->program, info->layout, info->weight_type, device,
                                  &run->program, error);
  if (status)
    return status;
  run->kernel = run->program.kernel;
  if (run->kernel->algorithm->follows)
    return qn_fail(error, QN_UNSUPPORTED, "%s follows %s, which a --program cannot",
                   options->program, run->kernel->algorithm->follows);
  if (!(run->kernel->weight_types & 1u << info->weight_type))
    return qn_fail(error, QN_UNSUPPORTED, "%s is not for weights %s on %s", options->program,
                   qn_weight_type_name(info->weight_type),
                   qn_processor_name(run->kernel->processor));
  return qn_run_check_graph(input, run->kernel, error);
}

/* ---- A run ----------------------------------------------------------------------------------- */

enum qn_status qn_run_choose(const struct qn_run_input *input, const struct qn_run_options *options,
                             struct qn_run *run, struct qn_error *error) {
  enum qn_status status = options->program ? load_program(input, options, run, error)
                                           : qn_run_algorithm(options, &run->algorithm, error);
  if (!status && options->program)
    run->algorithm = run->kernel->algorithm;
  if (!status)
    status = qn_arguments_bind(run->algorithm, options, &run->arguments, error);
  if (!status && !options->program)
    status = choose_kernel(input, options, run->algorithm->name, &run->kernel, &run->choice, error);
  return status ? status : qn_run_check_options(input, run, options, error);
}

enum qn_status qn_run_choose_devices(const struct qn_run_input *input,
                                     const struct qn_run_options *options, struct qn_run *run,
                                     struct qn_error *error) {
  struct qn_cuda_device device;
  run->num_devices = options->num_devices;
  if (options->num_devices < 2 || options->all_devices)
    return QN_OK;
  enum qn_status status = qn_cuda_open(options->devices[0], &device, error);
  if (status)
    return status;
  const struct qn_workload workload = {.info = input->info,
                                       .iterations = qn_run_options_iterations(options),
                                       .num_sources = run->inputs.num_sources};
  const struct qn_kernel *alone = find_alone(input, options, run->kernel);
  run->sharing =
      qn_sharing_weigh(&workload, run->kernel, alone, options->strategy, options->num_devices,
                       qn_cuda_plannable_bytes(&device, options->device_memory));
  if (run->sharing.alone)
    qn_note(QN_NOTE_ONE_DEVICE,
            "device %d runs alone: %.4f s are expected, and %.4f s of %u devices "
            "(--all-devices shares it anyway)",
            options->devices[0], run->sharing.one, run->sharing.all, options->num_devices);
  if (run->sharing.alone)
    run->kernel = alone;
  return QN_OK;
}
