#include "runtime/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "formats/checkpoints/parts.h"
#include "formats/layouts/checkpoint.h"
#include "kernels/ranks/ranks.h"
#include "runtime/arguments.h"
#include "runtime/watch/interrupt.h"
#include "support/atomic_file.h"
#include "support/context.h"
#include "support/memory.h"
#include "support/threads.h"
#include "support/tool.h"
#include "support/used_files.h"

_Static_assert(QN_CHECKPOINT_REGISTERS == QN_STATE_REGISTERS, "a checkpoint holds a state");

struct qn_keeper {
  const struct qn_run_input *input;
  const struct qn_kernel *kernel;
  struct qn_run_request request;
  uint32_t every;
  struct qn_checkpoint_folder folder;
  const struct qn_collective *ranks; /* that share the run; NULL: none */
  json_t *run;                       /* what runs, as the checkpoint says it */
  char *run_text;
  struct qn_container *resumed;           /* the checkpoint that the run goes on from, or NULL */
  struct qn_checkpoint_restored restored; /* what this process needs of its parts, if it has any */
  struct qn_run_state resume_state;       /* points into one of these */
  struct qn_checkpointing checkpointing;
  struct qn_checkpoint_figures figures;
};

/* ---- What runs ------------------------------------------------------------------ */

/* All parameters but those that say when a run is to end. */
static json_t *parameters_json(const struct qn_run_request *request) {
  const struct qn_algorithm *algorithm = request->algorithm;
  json_t *parameters = json_object();
  for (uint32_t i = 0; i < algorithm->num_parameters; i++) {
    char text[QN_PARAMETER_TEXT];
    const char *name = algorithm->parameters[i].name;
    if (strcmp(name, "iterations") != 0 && strcmp(name, "hops") != 0)
      json_object_set_new(parameters, name,
                          json_string(qn_argument_text(algorithm, &request->arguments, i, text)));
  }
  return parameters;
}

static json_t *hash_text(const void *bytes, uint64_t count) {
  return json_sprintf("%016" PRIx64, (uint64_t)XXH3_64bits(bytes, count));
}

static enum qn_status describe_run(struct qn_keeper *keeper, struct qn_error *error) {
  const struct qn_run_request *request = &keeper->request;
  const struct qn_run_set *set = keeper->input->set;
  const char *path = set ? set->set->path : qn_container_path(keeper->input->container);
  const char *slash = strrchr(path, '/');
  const char *name = slash && slash[1] ? slash + 1 : path;
  const uint64_t num_vertices = keeper->input->info->num_vertices;
  json_t *sources = json_array(), *container = json_string(name);
  for (uint32_t i = 0; sources && i < request->inputs.num_sources; i++)
    json_array_append_new(sources, json_integer(request->inputs.sources[i]));
  if (!container) /* a name that is not UTF-8 */
    container = json_string("?");
  keeper->run =
      json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o}", "algorithm", keeper->kernel->algorithm->name,
                "kernel", keeper->kernel->name, "device",
                qn_processor_name(keeper->kernel->processor), "version", QN_VERSION, "container",
                container, "sources", sources, "parameters", parameters_json(request));
  if (request->asynchronous)
    json_object_set_new(keeper->run, "mode", json_string("asynchronous"));
  if (request->inputs.initial)
    json_object_set_new(keeper->run, "given", hash_text(request->inputs.initial, num_vertices * 8));
  if (keeper->run)
    keeper->run_text = json_dumps(keeper->run, JSON_COMPACT | JSON_SORT_KEYS);
  return keeper->run_text ? QN_OK : qn_fail_memory(error, "the description of a run", 0);
}

/* ---- Writing ---------------------------------------------------------------------- */

/* Is the run to end? A tool is told by a signal, a call of the library by its job; where ranks
 * share the run, one that is told is enough, or one that has failed, which the next step notices.
 */
static bool is_to_end(const struct qn_keeper *keeper) {
  uint64_t told = qn_context_is_process() ? qn_interrupted() : qn_context_check(NULL) != QN_OK;
  if (keeper->ranks && keeper->ranks->combine(&told, 1, QN_COMBINE_MOST, NULL))
    return true;
  return told;
}

static bool is_due(void *user, uint64_t iterations) {
  struct qn_keeper *keeper = user;
  qn_checkpoint_restored_free(&keeper->restored); /* the engine has its own values by now */
  return (keeper->every && iterations % keeper->every == 0) || is_to_end(keeper);
}

/* The vertices of ranks; the view is of a set. */
static const uint64_t *first_vertices(const struct qn_keeper *keeper) {
  return ((const struct qn_set_view *)keeper->input->view)->first_vertices;
}

static enum qn_status write_checkpoint(const struct qn_keeper *keeper,
                                       const struct qn_run_state *state, struct qn_error *error) {
  const struct qn_container_info *info = keeper->input->info;
  const struct qn_checkpoint checkpoint = {.graph_identity = info->header_checksum,
                                           .graph_layout = info->layout,
                                           .num_vertices = info->num_vertices,
                                           .num_edges = info->num_edges,
                                           .weight_type = info->weight_type,
                                           .directedness = info->directedness,
                                           .run = keeper->run_text,
                                           .run_bytes = strlen(keeper->run_text),
                                           .registers = state->registers,
                                           .end = info->num_vertices,
                                           .value_bytes = state->value_bytes,
                                           .values = state->values,
                                           .active = state->active,
                                           .waiting = state->waiting};
  if (keeper->ranks)
    return qn_checkpoint_parts_write(&keeper->folder, keeper->ranks, first_vertices(keeper),
                                     &checkpoint, error);
  enum qn_status status = qn_checkpoint_write(keeper->folder.file, &checkpoint, NULL, error);
  if (!status)
    qn_checkpoint_folder_sweep(&keeper->folder, 0); /* of the ranks that it goes on from */
  return status;
}

static enum qn_status save(void *user, const struct qn_run_state *state, struct qn_error *error) {
  struct qn_keeper *keeper = user;
  double begin = qn_seconds();
  enum qn_status status = write_checkpoint(keeper, state, error);
  if (status)
    return status;
  uint64_t words = qn_state_words(state->num_vertices) * 8;
  keeper->figures.written++;
  keeper->figures.seconds += qn_seconds() - begin;
  keeper->figures.bytes = state->num_vertices * state->value_bytes +
                          words * ((state->active != NULL) + (state->waiting != NULL));
  if (!is_to_end(keeper))
    return QN_OK;
  return qn_fail(error, QN_INTERRUPTED,
                 "interrupted after iteration %" PRIu64 "; --resume continues from %s",
                 state->registers[QN_STATE_ITERATIONS], keeper->folder.file);
}

/* ---- Going on --------------------------------------------------------------------- */

static enum qn_status refuse(const struct qn_keeper *keeper, struct qn_error *error,
                             const char *what, const char *theirs, const char *ours) {
  qn_fail(error, QN_INVALID,
          "the checkpoint is of another %s: %s, not %s; repeat that run, or remove the file to "
          "start over",
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

/* NULL stands for what a run has not. */
static enum qn_status compare(const struct qn_keeper *keeper, const char *what,
                              const json_t *theirs, const json_t *ours, struct qn_error *error) {
  if (theirs == ours || json_equal(theirs, ours))
    return QN_OK;
  char *their_text = json_dumps(theirs, JSON_ENCODE_ANY | JSON_COMPACT);
  char *our_text = json_dumps(ours, JSON_ENCODE_ANY | JSON_COMPACT);
  enum qn_status status =
      refuse(keeper, error, what, their_text ? their_text : "none", our_text ? our_text : "none");
  free(their_text);
  free(our_text);
  return status;
}

static enum qn_status compare_parameters(const struct qn_keeper *keeper, const json_t *run,
                                         struct qn_error *error) {
  json_t *theirs = json_object_get(run, "parameters"), *argument;
  json_t *ours = json_object_get(keeper->run, "parameters");
  const char *name;
  enum qn_status status = QN_OK;
  json_object_foreach(ours, name, argument) {
    status = compare(keeper, name, json_object_get(theirs, name), argument, error);
    if (status)
      return status;
  }
  return compare(keeper, "set of parameters", theirs, ours, error);
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
                  {"given", "numbers of vertices"},
                  {"mode", "mode"}};
  for (size_t i = 0; i < sizeof compared / sizeof compared[0]; i++) {
    enum qn_status status = compare(keeper, compared[i].what, json_object_get(run, compared[i].key),
                                    json_object_get(keeper->run, compared[i].key), error);
    if (status)
      return status;
  }
  return compare_parameters(keeper, run, error);
}

static bool has_frontier(const struct qn_keeper *keeper) {
  return !(keeper->kernel->traits & (QN_KERNEL_ALL_ACTIVE | QN_KERNEL_NO_FRONTIER));
}

/* What the kernel relies on beyond the rules of the format. */
static enum qn_status check_state(const struct qn_keeper *keeper,
                                  const struct qn_checkpoint *checkpoint, struct qn_error *error) {
  if (checkpoint->value_bytes != keeper->kernel->value_bytes ||
      (checkpoint->active != NULL) != has_frontier(keeper)) {
    qn_fail(error, QN_INVALID, "the checkpoint's state does not fit the kernel %s",
            keeper->kernel->name);
    return qn_error_in_file(error, keeper->folder.file), QN_INVALID;
  }
  if (checkpoint->registers[0] <= keeper->request.limits.max_iterations)
    return QN_OK;
  qn_fail(error, QN_USAGE,
          "the checkpoint was made after %" PRIu64 " iterations, more than the %" PRIu32
          " asked for",
          checkpoint->registers[0], keeper->request.limits.max_iterations);
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

/* A part has the values of a range of vertices, and is found by the list that names it. */
static enum qn_status refuse_part(const struct qn_keeper *keeper,
                                  const struct qn_checkpoint *checkpoint, struct qn_error *error) {
  if (checkpoint->is_list ||
      (checkpoint->begin == 0 && checkpoint->end == checkpoint->num_vertices))
    return QN_OK;
  qn_fail(error, QN_INVALID,
          "this is a part of a checkpoint, of the vertices from %" PRIu64 " to %" PRIu64
          ", and not the file that lists the parts",
          checkpoint->begin, checkpoint->end);
  return qn_error_in_file(error, keeper->folder.file), QN_INVALID;
}

/* Those of the list's values that this process needs take the place of the list. */
static enum qn_status read_parts(struct qn_keeper *keeper, struct qn_checkpoint *checkpoint,
                                 struct qn_error *error) {
  const uint64_t *firsts = keeper->ranks ? first_vertices(keeper) : NULL;
  const unsigned rank = keeper->ranks ? keeper->ranks->rank : 0;
  struct qn_checkpoint_restored *restored = &keeper->restored;
  if (!checkpoint->is_list)
    return QN_OK;
  enum qn_status status =
      qn_checkpoint_parts_read(&keeper->folder, checkpoint, firsts ? firsts[rank] : 0,
                               firsts ? firsts[rank + 1] : checkpoint->num_vertices,
                               keeper->kernel->value_bytes, has_frontier(keeper), restored, error);
  checkpoint->value_bytes = restored->value_bytes;
  checkpoint->values = restored->values;
  checkpoint->active = restored->active;
  return status;
}

static enum qn_status resume(struct qn_keeper *keeper, struct qn_error *error) {
  struct qn_checkpoint checkpoint;
  json_t *run = NULL;
  int descriptor;
  enum qn_status status = qn_file_open_regular(keeper->folder.file, &descriptor, error);
  if (!status) {
    status =
        qn_container_map_descriptor(descriptor, keeper->folder.file, 0, &keeper->resumed, error);
    close(descriptor);
  }
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
    status = refuse_part(keeper, &checkpoint, error);
  if (!status)
    status = read_parts(keeper, &checkpoint, error);
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
  if (!status && !exists)
    qn_checkpoint_folder_sweep(&keeper->folder, 0);
  if (status || !exists)
    return status;
  if (options->resume)
    return resume(keeper, error);
  qn_fail(error, QN_USAGE,
          "there is the checkpoint of an earlier run; continue from it with --resume, or remove it "
          "to start over");
  return qn_error_in_file(error, keeper->folder.file), QN_USAGE;
}

/* The first rank before the others. */
static enum qn_status open_folder(struct qn_keeper *keeper, const char *path,
                                  struct qn_error *error) {
  const struct qn_collective *ranks = keeper->ranks;
  const bool leads = !ranks || ranks->rank == 0;
  enum qn_status status =
      leads ? qn_checkpoint_folder_open(path, true, &keeper->folder, error) : QN_OK;
  enum qn_status all = ranks ? ranks->agree(status) : status;
  if (status || leads)
    return status ? status : all;
  return all ? qn_fail(error, all, "another rank failed")
             : qn_checkpoint_folder_open(path, false, &keeper->folder, error);
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
                   kernel->algorithm->name, qn_layout_name(kernel->layout),
                   qn_processor_name(kernel->processor), kernel->name);
  enum qn_status status = qn_alloc_zeroed(&keeper, 1, sizeof *keeper, "checkpoints", error);
  if (status)
    return status;
  keeper->input = input;
  keeper->kernel = kernel;
  keeper->ranks = input->set ? qn_ranks_collective() : NULL;
  keeper->request = *request;
  keeper->every = options->every;
  keeper->checkpointing = (struct qn_checkpointing){.is_due = is_due, .save = save, .user = keeper};
  keeper->request.hooks.checkpointing = &keeper->checkpointing;
  if ((status = open_folder(keeper, options->folder, error)) ||
      (status = describe_run(keeper, error)) ||
      (status = find_checkpoint(keeper, options, error))) {
    qn_keeper_close(keeper);
    return status;
  }
  *out = keeper;
  return QN_OK;
}

/* The largest value that a run from the beginning could have: a vertex, a number of hops, or one of
 * edges at a vertex; UINT64_MAX: any. */
static uint64_t largest_value(const struct qn_keeper *keeper) {
  const struct qn_container_info *info = keeper->input->info;
  const uint32_t values = keeper->kernel->algorithm->values;
  if (keeper->kernel->result != QN_RESULT_U32)
    return UINT64_MAX;
  if (values & QN_VALUES_VERTICES)
    return info->num_vertices ? info->num_vertices - 1 : 0;
  return values & QN_VALUES_LEVELS ? info->num_vertices + info->num_edges : UINT64_MAX;
}

/* A forged checkpoint could lead to values that no run has; no value at all is UINT32_MAX. */
static enum qn_status check_values(const struct qn_keeper *keeper, struct qn_run_result *result,
                                   struct qn_error *error) {
  const uint32_t *values = result->values;
  const uint64_t num_values = result->num_values, largest = largest_value(keeper);
  const bool may_lack = !(keeper->kernel->algorithm->values & QN_VALUES_VERTICES);
  uint64_t bad = 0;
  if (!keeper->resumed || largest == UINT64_MAX)
    return QN_OK;
#pragma omp parallel for schedule(static) reduction(+ : bad)
  for (uint64_t v = 0; v < num_values; v++)
    bad += values[v] > largest && !(may_lack && values[v] == UINT32_MAX);
  if (bad == 0)
    return QN_OK;
  qn_run_result_destroy(result);
  qn_fail(error, QN_INVALID, "the checkpoint has values that no run could have");
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
  return status ? status : check_values(keeper, result, error);
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
  qn_checkpoint_restored_free(&keeper->restored);
  free(keeper->run_text);
  json_decref(keeper->run);
  qn_checkpoint_folder_close(&keeper->folder);
  qn_free(keeper);
}
