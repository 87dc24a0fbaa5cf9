#include "runtime/run_input.h"

#include <inttypes.h>
#include <unistd.h>

#include "formats/set/project.h"
#include "formats/set/set.h"
#include "formats/set/types.h"
#include "runtime/choose.h"
#include "runtime/sets/changes.h"
#include "runtime/sets/types.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/sizes.h"
#include "support/text/url.h"
#include "support/threads.h"
#include <quern/open.h>
#include <quern/remote.h>

enum qn_status qn_run_input_order(struct qn_run_input *input, struct qn_error *error) {
  uint64_t num_vertices = input->info->num_vertices;
  const struct qn_run_changes *changes = input->set ? input->set->changes : NULL;
  enum qn_status status =
      changes ? qn_changed_ids_order(&changes->changed, &input->ids, &input->order, error)
              : qn_ids_original_order(&input->ids, &input->order, error);
  if (status || !input->order)
    return status;
  status = qn_pages_alloc(&input->positions, num_vertices, sizeof *input->positions,
                          "positions in original order", error);
  if (status)
    return status;
#pragma omp parallel for schedule(static)
  for (uint64_t position = 0; position < num_vertices; position++)
    input->positions[input->order[position]] = (uint32_t)position;
  return QN_OK;
}

static enum qn_status view_container(struct qn_run_input *input, struct qn_error *error) {
  enum qn_status status = qn_layout_operations(input->container, &input->layout, error);
  if (status)
    return status;
  if (!input->layout->view)
    return qn_fail(error, QN_UNSUPPORTED, "this build has no kernels for the layout %s",
                   input->layout->name);
  status = qn_alloc_zeroed(&input->view, 1, input->layout->view_bytes, "view", error);
  if (!status)
    status = input->layout->view(input->container, input->view, error);
  if (!status)
    status = qn_ids_view(input->container, &input->ids, error);
  return status;
}

enum qn_status qn_run_input_view(struct qn_container *container, struct qn_run_input *input,
                                 struct qn_error *error) {
  *input = (struct qn_run_input){.container = container, .info = qn_container_info(container)};
  enum qn_status status = view_container(input, error);
  if (status)
    qn_run_input_forget(input);
  return status;
}

enum qn_status qn_run_input_check(struct qn_run_input *input, struct qn_error *error) {
  enum qn_status status = qn_container_need_structure(input->container, error);
  if (status)
    return status;
  return qn_container_confirm(input->container,
                              input->layout->check(input->container, input->view, error),
                              qn_container_verify_structure, error);
}

static struct qn_set_selection selection_of(const struct qn_run_options *options) {
  return (struct qn_set_selection){.edge_types = options ? options->edge_types : NULL,
                                   .vertex_types = options ? options->vertex_types : NULL};
}

/* Of a set with types those that are chosen, without their properties. */
static enum qn_status open_path(const char *path, const struct qn_run_options *options,
                                struct qn_container **container, struct qn_error *error) {
  struct qn_set *set = NULL;
  if (!qn_set_recognise(path))
    return qn_container_open(path, QN_MAP_STRUCTURE, container, error);
  enum qn_status status = qn_set_open(path, &set, error);
  const bool is_typed = !status && qn_set_is_typed(set);
  qn_set_close(set);
  const struct qn_set_selection selection = selection_of(options);
  if (status || !is_typed)
    return status ? status : qn_container_open(path, 0, container, error);
  return qn_set_project_nameless(path, &selection, path, container, error);
}

/* `options` [count] of the runs that follow; if one of them starts a device by itself, that is done
 * while the container is checked. */
static enum qn_status open_container(const char *path, const struct qn_run_options *options,
                                     unsigned count, bool trust, struct qn_run_input *input,
                                     struct qn_error *error) {
  struct qn_container *container;
  *input = (struct qn_run_input){0};
  double begin = qn_seconds();
  enum qn_status status = open_path(path, options, &container, error);
  if (status)
    return status;
  if (options)
    status = qn_between_apply(&options->between, &container, false, error);
  if (!status)
    status = qn_run_input_view(container, input, error);
  if (status) {
    qn_container_unmap(container);
    return status;
  }
  trust = trust && !qn_container_is_remote(container); /* which is verified anyway */
  input->trusted = trust;
  input->map_seconds = qn_seconds() - begin;
  begin = qn_seconds();
  qn_run_start_ahead(input, options, count);
  if (!trust)
    status = qn_run_input_check(input, error);
  if (!status)
    status = qn_run_input_order(input, error);
  input->validate_seconds = qn_seconds() - begin;
  if (status)
    qn_run_input_close(input);
  return status;
}

enum qn_status qn_run_input_open(const char *path, bool trust, struct qn_run_input *input,
                                 struct qn_error *error) {
  return open_container(path, NULL, 0, trust, input, error);
}

/* ---- Sets --------------------------------------------------------------------- */

static uint64_t set_out_degree(const void *view, uint64_t vertex) {
  return qn_degree_of(&((const struct qn_set_view *)view)->out_degrees, vertex);
}

static const struct qn_layout_operations set_operations = {.layout = QN_LAYOUT_SET,
                                                           .name = "set",
                                                           .command = "quern-transform --parts",
                                                           .view_bytes = sizeof(struct qn_set_view),
                                                           .out_degree = set_out_degree};

static enum qn_status open_set(struct qn_set *set, const struct qn_set_opening *opening,
                               struct qn_run_input *input, struct qn_error *error) {
  struct qn_set_view *view;
  double begin = qn_seconds();
  enum qn_status status = qn_run_set_open(set, opening, &input->set, &view, error);
  if (status)
    return status;
  input->container = set->ranges[0].container;
  input->info = &input->set->info;
  input->layout = &set_operations;
  input->view = view;
  input->ids = input->set->vertices.ids;
  input->trusted = opening->trust;
  status = qn_run_input_order(input, error);
  input->validate_seconds = qn_seconds() - begin;
  if (status)
    qn_run_input_close(input);
  return status;
}

/* Are the parts of a view made of the set's files when it is opened? */
static bool is_made(const struct qn_set *set) {
  return set->num_generations || qn_set_is_typed(set);
}

/* Is there a kernel for what is asked for that goes through the parts, which have these weights, by
 * several ranks if it `is_shared`? If not, `reason` says why the graph has to be put together. */
static bool suits(const struct qn_set *set, enum qn_weight_type weights,
                  const struct qn_run_options *options, bool is_shared, const char **reason) {
  const struct qn_algorithm *algorithm = NULL;
  const enum qn_processor processor = options->device == QN_DEVICE_CUDA ? QN_CUDA : QN_CPU;
  if (options->algorithm)
    qn_run_algorithm(options, &algorithm, NULL);
  const struct qn_kernel *kernel =
      algorithm ? qn_kernel_find(algorithm->name, QN_LAYOUT_SET, processor, weights) : NULL;
  const bool takes_any_rows =
      kernel && (kernel->traits & QN_KERNEL_ANY_ROWS ||
                 (kernel->traits & QN_KERNEL_SYMMETRIC && qn_stand_in_find(kernel)));
  *reason = NULL;
  if (options->checkpoint.folder && set->num_vertices > UINT32_MAX) {
    *reason = "checkpoints are of fewer vertices";
    return false;
  }
  if (qn_between_is_asked(&options->between)) {
    *reason = "edges of a time are picked from one container";
    return false;
  }
  if (is_made(set) && options->checkpoint.folder) {
    *reason = "checkpoints are of one container";
    return false;
  }
  if (qn_set_is_typed(set) && is_shared) {
    *reason = "edges of several types are walked by one process";
    return false;
  }
  if (!options->program && !algorithm)
    return true; /* of an algorithm that nobody knows another message tells */
  if (options->program || !kernel)
    *reason = processor == QN_CPU ? "this algorithm does not run on the parts of a set"
                                  : "this algorithm does not run on the parts of a set on a "
                                    "device, or not with such weights";
  else if (is_shared && kernel->traits & QN_KERNEL_ALONE)
    *reason = "one process alone walks the parts for this algorithm: leave mpirun out";
  else if (is_made(set) && kernel->traits & QN_KERNEL_ALONE)
    *reason = set->num_generations ? "this algorithm walks a graph without additions"
                                   : "this algorithm walks edges of one type";
  else if (is_made(set) && processor != QN_CPU)
    *reason = "a device walks one container";
  else if (set->features & QN_SET_COLUMN_RANGES && processor != QN_CPU)
    *reason = "a device walks whole rows, and blocks have some columns of them; "
              "quern-transform --parts makes parts of whole rows";
  else if (options->device == QN_DEVICE_BOTH || options->num_devices > 0)
    *reason = "the CPU with a device, or several devices, walk one container";
  else if (set->directedness == QN_DIRECTED && kernel->traits & QN_KERNEL_SYMMETRIC &&
           !takes_any_rows)
    *reason = "of parts the algorithm takes those of undirected graphs";
  else if (set->directedness == QN_DIRECTED && set->rows != QN_SET_ROWS_IN && !takes_any_rows &&
           !is_made(set))
    *reason = "the parts have rows of out-edges; quern-transform --rows in makes those that are "
              "walked";
  else if (qn_run_options_said(options, "delta"))
    *reason = "--delta is for one container";
  else if (algorithm->initial == QN_INITIAL_STRENGTHS)
    *reason = "sums of the weights that leave a vertex take one container";
  return !*reason;
}

/* As suits, of the first that does not; NULL: all do. */
static const struct qn_run_options *find_unsuited(const struct qn_set *set,
                                                  enum qn_weight_type weights,
                                                  const struct qn_run_options *options,
                                                  unsigned count, bool is_shared,
                                                  const char **reason) {
  for (unsigned i = 0; i < count; i++)
    if (!suits(set, weights, &options[i], is_shared, reason))
      return &options[i];
  return NULL;
}

/* May the parts be put together in the memory that a user allows? What devices may pin is another
 * matter. */
static enum qn_status allow_together(const struct qn_set *set, const struct qn_run_options *options,
                                     const char *reason, struct qn_error *error) {
  const struct qn_united_size size = qn_set_united_size(set);
  const uint64_t allowed = options->streaming.host_memory, needed = size.container + size.memory;
  char own[32], most[32];
  if (options->device == QN_DEVICE_CUDA || options->device == QN_DEVICE_BOTH ||
      options->num_devices > 0 || !allowed || needed <= allowed)
    return QN_OK;
  return qn_fail(error, QN_USAGE,
                 "%s; putting them together takes %s, and --host-memory allows %s: allow more, or "
                 "leave it out",
                 reason, qn_size_text(needed, own, sizeof own),
                 qn_size_text(allowed, most, sizeof most));
}

static enum qn_status check_types(const char *path, struct qn_error *error) {
  struct qn_set *set = NULL;
  enum qn_status status = qn_set_recognise(path) ? qn_set_open(path, &set, error) : QN_OK;
  if (!status && (!set || !qn_set_is_typed(set)))
    status = qn_fail(error, QN_USAGE, "--edge-types and --vertex-types are of a set with types");
  qn_set_close(set);
  return status;
}

/* Of several ranks. */
static enum qn_status refuse_no_set(const char *path, struct qn_error *error) {
  if (qn_is_url(path) || access(path, F_OK) == 0)
    return qn_fail(error, QN_USAGE,
                   "several ranks share the parts of a set; make one with "
                   "quern-transform --parts");
  qn_fail_errno(error, "cannot open");
  return qn_error_in_file(error, path), QN_SYSTEM;
}

enum qn_status qn_run_input_open_for_all(const char *path, const struct qn_run_options *options,
                                         unsigned count, const struct qn_exchange *exchange,
                                         bool trust, struct qn_run_input *input,
                                         struct qn_error *error) {
  struct qn_set *set;
  const char *reason = NULL;
  *input = (struct qn_run_input){0};
  if (options->edge_types || options->vertex_types) {
    enum qn_status checked = check_types(path, error);
    if (checked)
      return checked;
  }
  if (!qn_set_recognise(path))
    return exchange ? refuse_no_set(path, error)
                    : open_container(path, options, count, trust, input, error);
  enum qn_status status = qn_set_open(path, &set, error);
  if (status)
    return status;
  if (exchange && set->num_generations) {
    qn_set_close(set);
    return qn_fail(error, QN_UNSUPPORTED,
                   "several ranks share the parts of a set, and generations are none: "
                   "quern-transform --compact, then --parts, makes some");
  }
  if (exchange && set->num_vertices > UINT32_MAX) {
    qn_set_close(set);
    return qn_fail(error, QN_UNSUPPORTED,
                   "several ranks number vertices by 32 bits, and this set has more: run it by one "
                   "process");
  }
  const struct qn_set_selection selection = selection_of(options);
  enum qn_weight_type weights = set->weight_type;
  if (qn_set_is_typed(set))
    status = qn_run_types_suit(set, &selection, &weights, &reason, error);
  if (status) {
    qn_set_close(set);
    return status;
  }
  const struct qn_run_options *unsuited =
      reason ? &options[0] : find_unsuited(set, weights, options, count, exchange, &reason);
  if (!unsuited) {
    struct qn_set_opening opening = {.exchange = exchange,
                                     .selection = &selection,
                                     .trust = trust,
                                     .memory = options->streaming.host_memory,
                                     .folder = options->checkpoint.folder};
    for (unsigned i = 0; i < count && !opening.grid.num_columns; i++)
      opening.grid = options[i].grid; /* of those that have a use for it */
    return open_set(set, &opening, input, error);
  }
  const char *name = count > 1 ? unsuited->algorithm : NULL;
  const bool is_wide = set->num_vertices > UINT32_MAX;
  const bool made_here = set->num_generations > 0; /* from which a graph is made, and checked */
  status = is_wide || exchange ? QN_OK : allow_together(set, unsuited, reason, error);
  qn_set_close(set);
  if (status)
    return status;
  if (is_wide)
    return qn_fail(error, QN_UNSUPPORTED,
                   "of 2^32 vertices or more no graph can be put together: %s%s%s",
                   name ? name : "", name ? ": " : "", reason);
  if (exchange)
    return qn_fail(error, QN_UNSUPPORTED, "several ranks cannot share this: %s%s%s",
                   name ? name : "", name ? ": " : "", reason);
  qn_note(QN_NOTE_READ_WHOLE, "%s%s%s", name ? name : "", name ? ": " : "", reason);
  return open_container(path, options, count, trust || made_here, input, error);
}

enum qn_status qn_run_input_open_for(const char *path, const struct qn_run_options *options,
                                     const struct qn_exchange *exchange, bool trust,
                                     struct qn_run_input *input, struct qn_error *error) {
  return qn_run_input_open_for_all(path, options, 1, exchange, trust, input, error);
}

enum qn_status qn_run_input_verify_weights(const struct qn_run_input *input,
                                           struct qn_error *error) {
  return input->set ? qn_run_set_verify_weights(input->set, error)
                    : qn_container_verify_weights(input->container, error);
}

void qn_run_input_forget(struct qn_run_input *input) {
  uint64_t num_vertices = input->info ? input->info->num_vertices : 0;
  qn_pages_free(input->order, num_vertices, sizeof *input->order);
  qn_pages_free(input->positions, num_vertices, sizeof *input->positions);
  qn_free(input->view);
  *input = (struct qn_run_input){0};
}

void qn_run_input_close(struct qn_run_input *input) {
  struct qn_container *container = input->container;
  struct qn_run_set *set = input->set;
  qn_run_input_forget(input);
  if (set)
    qn_run_set_close(set);
  else
    qn_container_unmap(container);
}
