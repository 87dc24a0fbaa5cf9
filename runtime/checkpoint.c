#include "runtime/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "formats/layouts/checkpoint.h"
#include "runtime/checkpoint_folder.h"
#include "runtime/interrupt.h"
#include "support/atomic_file.h"
#include "support/context.h"
#include "support/memory.h"
#include "support/threads.h"
#include "support/tool.h"

_Static_assert(QN_CHECKPOINT_REGISTERS == QN_STATE_REGISTERS, "a checkpoint holds a state");

struct qn_keeper {
  const struct qn_run_input *input;
  const struct qn_kernel *kernel;
  struct qn_run_request request;
  uint32_t every;
  struct qn_checkpoint_folder folder;
  json_t *run; /* what runs, as the checkpoint says it */
  char *run_text;
  struct qn_container *resumed;     /* the checkpoint that the run goes on from, or NULL */
  struct qn_run_state resume_state; /* points into it */
  struct qn_checkpointing checkpointing;
  struct qn_checkpoint_figures figures;
};

/* ---- What runs ------------------------------------------------------------------ */

static json_t *real_text(double value) {
  return json_sprintf("%.17g", value);
}

static json_t *hash_text(const void *bytes, uint64_t count) {
  return json_sprintf("%016" PRIx64, (uint64_t)XXH3_64bits(bytes, count));
}

static enum qn_status describe_run(struct qn_keeper *keeper, struct qn_error *error) {
  const struct qn_run_request *request = &keeper->request;
  const char *path = qn_container_path(keeper->input->container), *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  const uint64_t num_vertices = keeper->input->info->num_vertices;
  json_t *sources = json_array(), *container = json_string(name);
  for (uint32_t i = 0; sources && i < request->num_sources; i++)
    json_array_append_new(sources, json_integer(request->sources[i]));
  if (!container) /* a name that is not UTF-8 */
    container = json_string("?");
  keeper->run =
      json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "algorithm",
                keeper->kernel->algorithm, "kernel", keeper->kernel->name, "device",
                qn_processor_name(keeper->kernel->processor), "version", QN_VERSION, "container",
                container, "sources", sources, "damping", real_text(request->damping), "tolerance",
                real_text(request->tolerance), "delta", real_text(request->delta));
  if (isfinite(request->cutoff))
    json_object_set_new(keeper->run, "cutoff", real_text(request->cutoff));
  if (keeper->kernel->traits & QN_KERNEL_ALPHA)
    json_object_set_new(keeper->run, "alpha", real_text(request->alpha));
  if (request->given)
    json_object_set_new(keeper->run, "given", hash_text(request->given, num_vertices * 8));
  if (keeper->run)
    keeper->run_text = json_dumps(keeper->run, JSON_COMPACT | JSON_SORT_KEYS);
  return keeper->run_text ? QN_OK : qn_fail_memory(error, "the description of a run", 0);
}

/* ---- Writing ---------------------------------------------------------------------- */

/* Is the run to end? A tool is told by a signal, a call of the library by its job. */
static bool is_to_end(void) {
  return qn_context_is_process() ? qn_interrupted() : qn_context_check(NULL) != QN_OK;
}

static bool is_due(void *user, uint64_t iterations) {
  const struct qn_keeper *keeper = user;
  return is_to_end() || (keeper->every && iterations % keeper->every == 0);
}

static enum qn_status save(void *user, const struct qn_run_state *state, struct qn_error *error) {
  struct qn_keeper *keeper = user;
  const struct qn_container_info *info = keeper->input->info;
  double begin = qn_seconds();
  struct qn_checkpoint checkpoint = {.graph_identity = info->header_checksum,
                                     .graph_layout = info->layout,
                                     .num_vertices = info->num_vertices,
                                     .num_edges = info->num_edges,
                                     .weight_type = info->weight_type,
                                     .directedness = info->directedness,
                                     .run = keeper->run_text,
                                     .run_bytes = strlen(keeper->run_text),
                                     .registers = state->registers,
                                     .value_bytes = state->value_bytes,
                                     .values = state->values,
                                     .active = state->active,
                                     .waiting = state->waiting};
  enum qn_status status = qn_checkpoint_write(keeper->folder.file, &checkpoint, error);
  if (status)
    return status;
  uint64_t words = qn_state_words(state->num_vertices) * 8;
  keeper->figures.written++;
  keeper->figures.seconds += qn_seconds() - begin;
  keeper->figures.bytes = state->num_vertices * state->value_bytes +
                          words * ((state->active != NULL) + (state->waiting != NULL));
  if (!is_to_end())
    return QN_OK;
  return qn_fail(error, QN_INTERRUPTED,
                 "interrupted after iteration %" PRIu64 "; --resume goes on from %s",
                 state->registers[QN_STATE_ITERATIONS], keeper->folder.file);
}

/* ---- Going on --------------------------------------------------------------------- */

static enum qn_status refuse(const struct qn_keeper *keeper, struct qn_error *error,
                             const char *what, const char *theirs, const char *ours) {
  qn_fail(error, QN_INVALID,
          "the checkpoint is of another %s: %s, not %s; repeat that run, or remove the file to "
          "begin anew",
          what, theirs, ours);
  return qn_error_in_file(error, keeper->folder.file), QN_INVALID;
}

static enum qn_status check_graph(const struct qn_keeper *keeper,
                                  const struct qn_checkpoint *checkpoint, const json_t *run,
                                  struct qn_error *error) {
  const struct qn_container_info *info = keeper->input->info;
  const char *name = json_string_value(json_object_get(run, "container"));
  char theirs[300], ours[300];
  if (checkpoint->graph_identity == info->header_checksum &&
      checkpoint->graph_layout == info->layout && checkpoint->num_vertices == info->num_vertices)
    return QN_OK;
  snprintf(theirs, sizeof theirs, "%.200s (%s, identity %016" PRIx64 ")", name ? name : "?",
           qn_layout_name(checkpoint->graph_layout), checkpoint->graph_identity);
  snprintf(ours, sizeof ours, "this one (%s, identity %016" PRIx64 ")",
           qn_layout_name(info->layout), info->header_checksum);
  return refuse(keeper, error, "container", theirs, ours);
}

static enum qn_status check_run(const struct qn_keeper *keeper, const json_t *run,
                                struct qn_error *error) {
  static const struct {
    const char *key, *what;
  } compared[] = {{"algorithm", "algorithm"},
                  {"version", "version of Quern"},
                  {"device", "device"},
                  {"kernel", "kernel"},
                  {"sources", "source (vertex)"},
                  {"damping", "damping"},
                  {"tolerance", "tolerance"},
                  {"delta", "delta"},
                  {"cutoff", "cutoff"},
                  {"given", "numbers of vertices"},
                  {"alpha", "alpha"}};
  for (size_t i = 0; i < sizeof compared / sizeof compared[0]; i++) {
    const json_t *theirs = json_object_get(run, compared[i].key);
    const json_t *ours = json_object_get(keeper->run, compared[i].key);
    if (theirs == ours || json_equal(theirs, ours)) /* some have no cutoff */
      continue;
    char *their_text = json_dumps(theirs, JSON_ENCODE_ANY | JSON_COMPACT);
    char *our_text = json_dumps(ours, JSON_ENCODE_ANY | JSON_COMPACT);
    enum qn_status status = refuse(keeper, error, compared[i].what,
                                   their_text ? their_text : "none", our_text ? our_text : "none");
    free(their_text);
    free(our_text);
    return status;
  }
  return QN_OK;
}

/* What the kernel relies on beyond the rules of the format. */
static enum qn_status check_state(const struct qn_keeper *keeper,
                                  const struct qn_checkpoint *checkpoint, struct qn_error *error) {
  bool no_frontier = keeper->kernel->traits & (QN_KERNEL_ALL_ACTIVE | QN_KERNEL_NO_FRONTIER);
  if (checkpoint->value_bytes != keeper->kernel->value_bytes ||
      (checkpoint->active == NULL) != no_frontier) {
    qn_fail(error, QN_INVALID, "the checkpoint's state does not fit the kernel %s",
            keeper->kernel->name);
    return qn_error_in_file(error, keeper->folder.file), QN_INVALID;
  }
  if (checkpoint->registers[0] <= keeper->request.max_iterations)
    return QN_OK;
  qn_fail(error, QN_USAGE,
          "the checkpoint was made after %" PRIu64 " iterations, more than the %" PRIu32
          " asked for",
          checkpoint->registers[0], keeper->request.max_iterations);
  return qn_error_in_file(error, keeper->folder.file), QN_USAGE;
}

static void adopt_state(struct qn_keeper *keeper, const struct qn_checkpoint *checkpoint) {
  keeper->resume_state = (struct qn_run_state){.num_vertices = checkpoint->num_vertices,
                                               .value_bytes = checkpoint->value_bytes,
                                               .values = checkpoint->values,
                                               .active = checkpoint->active,
                                               .waiting = checkpoint->waiting};
  memcpy(keeper->resume_state.registers, checkpoint->registers,
         sizeof keeper->resume_state.registers);
  keeper->checkpointing.resume = &keeper->resume_state;
  keeper->figures.resumed = checkpoint->registers[QN_STATE_ITERATIONS];
}

static enum qn_status resume(struct qn_keeper *keeper, struct qn_error *error) {
  struct qn_checkpoint checkpoint;
  json_t *run = NULL;
  enum qn_status status = qn_container_map(keeper->folder.file, 0, &keeper->resumed, error);
  if (!status)
    status = qn_container_verify(keeper->resumed, error);
  if (!status)
    status = qn_checkpoint_view(keeper->resumed, &checkpoint, error);
  if (status)
    return status;
  run = json_loadb(checkpoint.run, checkpoint.run_bytes, 0, NULL);
  status = check_graph(keeper, &checkpoint, run, error);
  if (!status)
    status = check_run(keeper, run, error);
  if (!status)
    status = check_state(keeper, &checkpoint, error);
  if (!status)
    adopt_state(keeper, &checkpoint);
  json_decref(run);
  return status;
}

/* ---- The keeper --------------------------------------------------------------------- */

static enum qn_status find_checkpoint(struct qn_keeper *keeper,
                                      const struct qn_checkpoint_options *options,
                                      struct qn_error *error) {
  bool exists;
  enum qn_status status = qn_checkpoint_folder_look(&keeper->folder, &exists, error);
  if (status || !exists)
    return status;
  if (options->resume)
    return resume(keeper, error);
  qn_fail(error, QN_USAGE,
          "there is the checkpoint of an earlier run; go on from it with --resume, or remove it to "
          "begin anew");
  return qn_error_in_file(error, keeper->folder.file), QN_USAGE;
}

enum qn_status qn_keeper_open(const struct qn_run_input *input, const struct qn_kernel *kernel,
                              const struct qn_run_request *request,
                              const struct qn_checkpoint_options *options, struct qn_keeper **out,
                              struct qn_error *error) {
  struct qn_keeper *keeper;
  *out = NULL;
  if (!kernel->value_bytes)
    return qn_fail(error, QN_UNSUPPORTED,
                   "there are no checkpoints of %s on the layout %s and %s: its kernel (%s) does "
                   "not iterate over vertex values",
                   kernel->algorithm, qn_layout_name(kernel->layout),
                   qn_processor_name(kernel->processor), kernel->name);
  enum qn_status status = qn_alloc_zeroed(&keeper, 1, sizeof *keeper, "checkpoints", error);
  if (status)
    return status;
  keeper->input = input;
  keeper->kernel = kernel;
  keeper->request = *request;
  keeper->every = options->every;
  keeper->checkpointing = (struct qn_checkpointing){.is_due = is_due, .save = save, .user = keeper};
  keeper->request.checkpointing = &keeper->checkpointing;
  if ((status = qn_checkpoint_folder_open(options->folder, &keeper->folder, error)) ||
      (status = describe_run(keeper, error)) ||
      (status = find_checkpoint(keeper, options, error))) {
    qn_keeper_close(keeper);
    return status;
  }
  *out = keeper;
  return QN_OK;
}

/* Values of a damaged checkpoint could name vertices that there are not. */
static enum qn_status check_vertices(const struct qn_keeper *keeper, struct qn_run_result *result,
                                     struct qn_error *error) {
  const uint32_t *values = result->values;
  uint64_t num_vertices = result->num_values, bad = 0;
  if (!keeper->resumed || !(keeper->kernel->traits & QN_KERNEL_VERTICES))
    return QN_OK;
#pragma omp parallel for schedule(static) reduction(+ : bad)
  for (uint64_t v = 0; v < num_vertices; v++)
    bad += values[v] >= num_vertices;
  if (bad == 0)
    return QN_OK;
  qn_run_result_destroy(result);
  qn_fail(error, QN_INVALID, "the checkpoint has values that name no vertex");
  return qn_error_in_file(error, keeper->folder.file), QN_INVALID;
}

enum qn_status qn_keeper_run(struct qn_keeper *keeper, struct qn_run_result *result,
                             struct qn_error *error) {
  struct qn_interrupts interrupts;
  const bool catches = qn_context_is_process();
  if (catches)
    qn_interrupts_catch(&interrupts);
  enum qn_status status = keeper->kernel->run(&keeper->request, result, error);
  if (catches)
    qn_interrupts_release(&interrupts);
  return status ? status : check_vertices(keeper, result, error);
}

const struct qn_checkpoint_figures *qn_keeper_figures(const struct qn_keeper *keeper) {
  return &keeper->figures;
}

enum qn_status qn_keeper_discard(struct qn_keeper *keeper, struct qn_error *error) {
  return qn_checkpoint_folder_discard(&keeper->folder, error);
}

void qn_keeper_close(struct qn_keeper *keeper) {
  if (!keeper)
    return;
  qn_container_unmap(keeper->resumed);
  free(keeper->run_text);
  json_decref(keeper->run);
  qn_checkpoint_folder_close(&keeper->folder);
  qn_free(keeper);
}
