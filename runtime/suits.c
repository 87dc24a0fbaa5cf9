#include "runtime/suits.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Does it refuse the graph as it is? Plain rows it is given both ways (prepare.c). */
bool qn_run_is_refused(const struct qn_run_input *input, const struct qn_kernel *kernel) {
  return kernel->traits & QN_KERNEL_SYMMETRIC && input->info->directedness != QN_UNDIRECTED;
}

enum qn_status qn_run_check_graph(const struct qn_run_input *input, const struct qn_kernel *kernel,
                                  struct qn_error *error) {
  if (input->info->num_vertices > UINT32_MAX && !(kernel->traits & QN_KERNEL_WIDE))
    return qn_fail(error, QN_UNSUPPORTED,
                   "%s numbers vertices by 32 bits, and this set has %" PRIu64 " of them",
                   kernel->algorithm->name, input->info->num_vertices);
  if (!qn_run_is_refused(input, kernel) || kernel->layout == QN_LAYOUT_GRAPH)
    return QN_OK;
  return qn_fail(error, QN_UNSUPPORTED,
                 "%s on the layout %s needs an undirected graph; make one with quern-transform "
                 "--symmetrize (or quern-import --undirected), then %s",
                 kernel->algorithm->name, qn_layout_name(input->info->layout),
                 input->layout->command);
}

/* The algorithm has buckets, on other layouts or devices than the kernel's. */
static enum qn_status refuse_delta(const struct qn_kernel *kernel, struct qn_error *error) {
  char names[400] = "";
  size_t length = 0;
  for (const struct qn_kernel *const *other = qn_kernels(); *other; other++)
    if ((*other)->traits & QN_KERNEL_DELTA && (*other)->weight_types & kernel->weight_types &&
        (*other)->algorithm == kernel->algorithm && length < sizeof names)
      length += (size_t)snprintf(names + length, sizeof names - length, "%s%s on %s",
                                 length ? ", " : "", qn_layout_name((*other)->layout),
                                 qn_processor_name((*other)->processor));
  return qn_fail(error, QN_UNSUPPORTED,
                 "--delta has no effect on %s on the layout %s on %s; it works on: %s",
                 kernel->algorithm->name, qn_layout_name(kernel->layout),
                 qn_processor_name(kernel->processor), names);
}

bool qn_run_has_buckets(const struct qn_kernel *kernel, const struct qn_run_options *options) {
  return !qn_run_options_said(options, "delta") ||
         !qn_algorithm_takes(kernel->algorithm, "delta") || kernel->traits & QN_KERNEL_DELTA;
}

/* Can several devices share it, with the input's weights? `algorithm` may be NULL: any. Plain rows
 * are given both ways, other layouts only `if_undirected`. */
static bool is_shared(const struct qn_kernel *kernel, const struct qn_run_input *input,
                      bool if_undirected, const char *algorithm) {
  return kernel->traits & QN_KERNEL_DEVICES &&
         kernel->weight_types & 1u << input->info->weight_type &&
         (if_undirected || kernel->layout == QN_LAYOUT_GRAPH ||
          !qn_run_is_refused(input, kernel)) &&
         (!algorithm || strcmp(kernel->algorithm->name, algorithm) == 0);
}

static bool any_is_shared(const struct qn_run_input *input, bool if_undirected,
                          const char *algorithm) {
  for (const struct qn_kernel *const *kernel = qn_kernels(); *kernel; kernel++)
    if (is_shared(*kernel, input, if_undirected, algorithm))
      return true;
  return false;
}

/* Several devices can share this algorithm on other layouts, or of undirected graphs, or else
 * other algorithms: each name once. */
static enum qn_status refuse_devices(const struct qn_run_input *input,
                                     const struct qn_kernel *kernel, struct qn_error *error) {
  const char *name = kernel->algorithm->name, *what = "other algorithms";
  const bool as_it_is = any_is_shared(input, false, name);
  const bool if_undirected = !as_it_is && any_is_shared(input, true, name);
  const char *own = as_it_is || if_undirected ? name : NULL;
  char names[400] = "";
  size_t length = 0;
  if (own)
    what = as_it_is ? "it on other layouts"
                    : "it of an undirected graph (quern-transform --symmetrize makes one) on";
#define NAME(of) (own ? qn_layout_name((of)->layout) : (of)->algorithm->name)
  for (const struct qn_kernel *const *other = qn_kernels(); *other; other++) {
    bool known = !is_shared(*other, input, if_undirected, own);
    for (const struct qn_kernel *const *past = qn_kernels(); past < other && !known; past++)
      known = is_shared(*past, input, if_undirected, own) && strcmp(NAME(*past), NAME(*other)) == 0;
    if (!known && length < sizeof names)
      length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", length ? ", " : "",
                                 NAME(*other));
  }
#undef NAME
  return qn_fail(error, QN_UNSUPPORTED,
                 "%s on the layout %s runs on one device; several devices can share %s: %s", name,
                 qn_layout_name(kernel->layout), what, names);
}

/* Parents come from distances that are final, of algorithms that another follows. */
static enum qn_status check_parents(const struct qn_kernel *kernel,
                                    const struct qn_run_options *options, struct qn_error *error) {
  bool has_derived = false;
  for (const struct qn_kernel *const *other = qn_derived_kernels(); *other && !has_derived; other++)
    has_derived = strcmp((*other)->algorithm->follows, kernel->algorithm->name) == 0;
  if (!has_derived)
    return qn_fail(error, QN_USAGE, "%s has no --parents", kernel->algorithm->name);
  if (qn_run_options_said(options, "iterations"))
    return qn_fail(error, QN_USAGE,
                   "--parents needs distances that are final; leave --iterations out");
  return QN_OK;
}

/* Options that say how a kernel goes about it, which only some kernels can be told. */
enum qn_status qn_run_check_manner(const struct qn_kernel *kernel,
                                   const struct qn_run_options *options, struct qn_error *error) {
  if (options->direction != QN_DIRECTION_AUTO && !(kernel->traits & QN_KERNEL_DIRECTION))
    return qn_fail(error, QN_USAGE,
                   "--direction is for programs on the layout blocked-csr, and for searches on "
                   "shards on the CPU, not for %s on %s on %s",
                   kernel->algorithm->name, qn_layout_name(kernel->layout),
                   qn_processor_name(kernel->processor));
  if (options->parallelism != QN_PARALLEL_HYBRID && !(kernel->traits & QN_KERNEL_PARALLELISM))
    return qn_fail(error, QN_USAGE,
                   "--parallelism is for the layout slotted-pages on a CUDA device, not for %s on "
                   "%s",
                   kernel->algorithm->name, qn_layout_name(kernel->layout));
  if (options->grid.num_columns > 0 && !options->skips_others &&
      (kernel->layout != QN_LAYOUT_SET || kernel->processor != QN_CPU ||
       !(kernel->traits & QN_KERNEL_ALL_ACTIVE)))
    return qn_fail(error, QN_USAGE,
                   "--grid is for ranks that share a set on the CPU and an algorithm that "
                   "recomputes all vertices, "
                   "not for %s on %s on %s",
                   kernel->algorithm->name, qn_layout_name(kernel->layout),
                   qn_processor_name(kernel->processor));
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
        kernel->algorithm->name, qn_layout_name(kernel->layout));
  return QN_OK;
}

/* What goes through a directed graph in iterations on no layout goes to its end. */
static enum qn_status check_iterations(const struct qn_run_input *input,
                                       const struct qn_kernel *kernel,
                                       const struct qn_run_options *options,
                                       struct qn_error *error) {
  if (!(kernel->traits & QN_KERNEL_ONE_WALK) || input->info->directedness == QN_UNDIRECTED ||
      options->skips_others || !qn_run_options_said(options, "iterations"))
    return QN_OK;
  return qn_fail(error, QN_USAGE,
                 "%s of a directed graph always goes to its end; leave --iterations out, or make "
                 "an undirected graph with quern-transform --symmetrize",
                 kernel->algorithm->name);
}

enum qn_status qn_run_check_options(const struct qn_run_input *input, const struct qn_run *run,
                                    const struct qn_run_options *options, struct qn_error *error) {
  const struct qn_kernel *kernel = run->kernel;
  enum qn_status status = check_iterations(input, kernel, options, error);
  if (status)
    return status;
  if (options->wants_values && run->algorithm->counts)
    return qn_fail(error, QN_USAGE, "%s counts %s; it has no values to write with -o",
                   run->algorithm->name, run->algorithm->counts);
  if (options->wants_parents && (status = check_parents(kernel, options, error)))
    return status;
  if (options->num_devices > 1 && !(kernel->traits & QN_KERNEL_DEVICES))
    return refuse_devices(input, kernel, error);
  if (!qn_run_has_buckets(kernel, options))
    return refuse_delta(kernel, error);
  if ((status = qn_run_check_manner(kernel, options, error)))
    return status;
  if (options->asynchronous && !(kernel->traits & QN_KERNEL_ANY_ORDER))
    return qn_fail(error, QN_USAGE,
                   "%s cannot run asynchronously: its result depends on which values an iteration "
                   "sees; --mode synchronous is for it",
                   run->algorithm->name);
  return QN_OK;
}
