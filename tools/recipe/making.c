#include "tools/recipe/making.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "converters/recipe/step_options.h"
#include "formats/set/set.h"
#include "kernels/jit/child.h"
#include "support/atomic_file.h"
#include "support/atomic_folder.h"
#include "support/json_text.h"
#include "support/memory.h"
#include "support/progress.h"

/* What a step writes: under its name, or one that no file of a recipe has (RC-7). */
static void name_output(const struct qn_recipe *recipe, uint64_t step, char name[NAME_MAX + 1]) {
  if (recipe->steps[step].name)
    snprintf(name, NAME_MAX + 1, "%s", recipe->steps[step].name);
  else
    snprintf(name, NAME_MAX + 1, ".step-%" PRIu64, step + 1);
}

/* ---- Files -------------------------------------------------------------------- */

/* Tools find a file by its name in the folder; what they read is what was verified, whatever
 * becomes of where it lies. */
static enum qn_status link_file(const struct qn_recipe_file *file, int descriptor,
                                struct qn_atomic_folder *folder, struct qn_error *error) {
  char open_file[64];
  const char *path;
  snprintf(open_file, sizeof open_file, "/proc/%ld/fd/%d", (long)getpid(), descriptor);
  enum qn_status status = qn_atomic_folder_add(folder, file->name, &path, error);
  if (!status && symlink(open_file, path) != 0) {
    qn_fail_errno(error, "cannot make a link");
    qn_error_in_file(error, path);
    status = QN_SYSTEM;
  }
  return status;
}

static enum qn_status find_files(const struct qn_recipe_job *job, struct qn_atomic_folder *folder,
                                 struct qn_recipe_made *made, struct qn_error *error) {
  const struct qn_recipe *recipe = job->recipe;
  enum qn_status status =
      qn_alloc_zeroed(&made->files, recipe->num_files + 1, sizeof *made->files, "files", error);
  for (; !status && made->num_files < recipe->num_files; made->num_files++) {
    struct qn_source_file *file = &made->files[made->num_files];
    const struct qn_recipe_file *wanted = &recipe->files[made->num_files];
    status = qn_source_file_find(recipe, made->num_files, &job->sources, file, error);
    if (!status)
      qn_notice("%s: from %s, SHA-256 %s%s", wanted->name, file->where, file->sums.sha256,
                wanted->sha256     ? " as expected"
                : wanted->xxh3_128 ? ", XXH3-128 as expected"
                                   : "");
    if (!status)
      status = link_file(wanted, file->descriptor, folder, error);
  }
  return status;
}

/* ---- Steps -------------------------------------------------------------------- */

enum { MOST_MORE_WORDS = 8 }; /* source, output, and what this program was asked */

struct step {
  char **words; /* of the recipe */
  const char **line;
  char tool[PATH_MAX], output[PATH_MAX], source[PATH_MAX], memory[40], threads[32];
};

static void add_words(const struct qn_recipe_job *job, uint64_t number, struct step *step) {
  uint64_t count = 0;
  step->line[count++] = step->tool;
  for (char **word = step->words + 1; *word; word++)
    step->line[count++] = *word;
  if (number > 0)
    step->line[count++] = step->source;
  step->line[count++] = step->output;
  if (job->memory.memory) {
    snprintf(step->memory, sizeof step->memory, "--memory=%" PRIu64, job->memory.memory);
    step->line[count++] = step->memory;
  }
  if (job->memory.tmpdir) {
    step->line[count++] = "--tmpdir";
    step->line[count++] = job->memory.tmpdir;
  }
  if (job->shared->threads) {
    snprintf(step->threads, sizeof step->threads, "--threads=%u", job->shared->threads);
    step->line[count++] = step->threads;
  }
  if (job->shared->quiet)
    step->line[count++] = "--quiet";
  step->line[count] = NULL;
}

static enum qn_status begin_step(const struct qn_recipe_job *job, uint64_t number,
                                 struct qn_atomic_folder *folder, struct step *step,
                                 struct qn_error *error) {
  const char *place = qn_atomic_folder_place(folder), *output;
  char name[NAME_MAX + 1], source[NAME_MAX + 1] = "", tools[QN_TOOL_FOLDER_BYTES];
  uint64_t count = 0;
  qn_tool_folder(tools);
  name_output(job->recipe, number, name);
  if (number > 0)
    name_output(job->recipe, number - 1, source);
  enum qn_status status = qn_atomic_folder_add(folder, name, &output, error);
  if (!status)
    status = qn_step_words(job->recipe, number, place, &step->words, error);
  while (!status && step->words[count])
    count++;
  if (!status)
    status =
        qn_alloc(&step->line, count + MOST_MORE_WORDS, sizeof *step->line, "a command line", error);
  if (status)
    return status;
  if (snprintf(step->tool, sizeof step->tool, "%s%s", tools, step->words[0]) >= PATH_MAX ||
      snprintf(step->output, sizeof step->output, "--output=%s", output) >= PATH_MAX ||
      snprintf(step->source, sizeof step->source, "%s/%s", place, source) >= PATH_MAX)
    return qn_fail(error, QN_USAGE, "the output's path is too long");
  add_words(job, number, step);
  return QN_OK;
}

static enum qn_status run(const char *tool, const char *const *line, struct qn_error *error) {
  char said[256];
  int exit_code = 0;
  enum qn_status status = qn_child_run_shown(line, said, sizeof said, &exit_code, error);
  if (status || exit_code == 0)
    return status;
  const bool is_code = exit_code >= QN_USAGE && exit_code <= QN_DEVICE;
  return qn_fail(error, is_code ? (enum qn_status)exit_code : QN_SYSTEM,
                 "the step %s failed with exit code %d, as it says above", tool, exit_code);
}

static enum qn_status run_step(const struct qn_recipe_job *job, uint64_t number,
                               struct qn_atomic_folder *folder, struct qn_error *error) {
  struct step *step;
  enum qn_status status = qn_alloc_zeroed(&step, 1, sizeof *step, "a command line", error);
  if (status)
    return status;
  status = begin_step(job, number, folder, step, error);
  if (!status)
    status = run(job->recipe->steps[number].tool, step->line, error);
  qn_step_words_free(step->words);
  qn_free(step->line);
  qn_free(step);
  return status;
}

/* ---- What comes out ------------------------------------------------------------ */

static enum qn_status put_in_place(const char *path, const char *output, bool replace,
                                   struct qn_error *error) {
  sigset_t before;
  char *target = qn_output_target(output);
  if (!target)
    return qn_fail_errno(error, "cannot look at the output"), qn_error_in_file(error, output);
  qn_names_lock(&before);
  /* A set that was there goes with the folder in which this one was made. */
  const bool done = replace ? rename(path, target) == 0 ||
                                  renameat2(AT_FDCWD, path, AT_FDCWD, target, RENAME_EXCHANGE) == 0
                            : renameat2(AT_FDCWD, path, AT_FDCWD, target, RENAME_NOREPLACE) == 0 ||
                                  (errno == EINVAL && link(path, target) == 0);
  enum qn_status status = done ? QN_OK : qn_fail_errno(error, "cannot put the container in place");
  qn_names_unlock(&before);
  if (done)
    qn_output_is_in_place();
  if (!done)
    qn_error_in_file(error, output);
  free(target);
  return status;
}

/* Where what a step makes lies. */
static const char *place_of(const struct qn_recipe_job *job, const struct qn_recipe_made *made,
                            uint64_t step, char path[PATH_MAX]) {
  char name[NAME_MAX + 1];
  name_output(job->recipe, step, name);
  snprintf(path, PATH_MAX, "%s/%s", qn_atomic_folder_place(made->folder), name);
  return path;
}

static enum qn_status compare(const struct qn_recipe_job *job, struct qn_recipe_made *made,
                              struct qn_error *error) {
  char place[PATH_MAX];
  const char *path = place_of(job, made, job->recipe->num_steps - 1, place);
  enum qn_status status = qn_recipe_result_find(path, &made->result, error);
  return status ? status : qn_recipe_compare(job->recipe, &made->result, &made->known, error);
}

/* ---- The whole ------------------------------------------------------------------ */

static void close_files(struct qn_recipe_made *made) {
  for (uint64_t i = 0; i < made->num_files; i++) {
    if (made->files[i].descriptor >= 0)
      close(made->files[i].descriptor);
    made->files[i].descriptor = -1;
  }
}

/* Beside the output, so that it gets its name by renaming. */
static enum qn_status begin_folder(const struct qn_recipe_job *job,
                                   struct qn_atomic_folder **folder, struct qn_error *error) {
  char path[PATH_MAX];
  const char *here = job->output[0] == '/' ? "" : "./"; /* no option, whatever it begins with */
  if (snprintf(path, sizeof path, "%s%s.making", here, job->output) >= (int)sizeof path)
    return qn_fail(error, QN_USAGE, "the output's path is too long");
  return qn_atomic_folder_create(path, true, folder, error);
}

/* A folder there may be a set; what is in the way of another one is found when it is made. */
static enum qn_status check_output(const struct qn_recipe_job *job, struct qn_error *error) {
  return qn_set_recognise(job->output) && job->shared->force
             ? QN_OK
             : qn_atomic_file_check(job->output, job->shared->force, error);
}

enum qn_status qn_recipe_make(const struct qn_recipe_job *job, struct qn_recipe_made *made,
                              struct qn_error *error) {
  *made = (struct qn_recipe_made){0};
  enum qn_status status = job->keep ? check_output(job, error) : QN_OK;
  if (!status)
    status = begin_folder(job, &made->folder, error);
  if (!status)
    status = find_files(job, made->folder, made, error);
  for (uint64_t i = 0; !status && i < job->recipe->num_steps; i++)
    status = run_step(job, i, made->folder, error);
  if (!status)
    status = compare(job, made, error);
  close_files(made);
  return status;
}

/* Beside the output, by the name that a set of changes has for its base. */
static enum qn_status base_place(const struct qn_recipe_job *job, const char *name,
                                 char path[PATH_MAX], struct qn_error *error) {
  const char *slash = strrchr(job->output, '/');
  const int folder = slash ? (int)(slash + 1 - job->output) : 0;
  return snprintf(path, PATH_MAX, "%.*s%s", folder, job->output, name) < PATH_MAX
             ? QN_OK
             : qn_fail(error, QN_USAGE, "the output's path is too long");
}

/* What is in the way is left there if it is the base itself. */
static enum qn_status put_base(const char *made, const char *path, struct qn_error *error) {
  struct qn_recipe_result there, base;
  if (renameat2(AT_FDCWD, made, AT_FDCWD, path, RENAME_NOREPLACE) == 0)
    return QN_OK;
  if (errno != EEXIST)
    return qn_fail_errno(error, "cannot write '%s'", path);
  enum qn_status status = qn_recipe_result_find(made, &base, error);
  if (!status && !qn_recipe_result_find(path, &there, error) &&
      strcmp(there.identity, base.identity) == 0)
    return QN_OK;
  return status ? status
                : qn_fail(error, QN_USAGE,
                          "'%s' is in the way of the base, which the set needs beside it", path);
}

static enum qn_status keep_bases(const struct qn_recipe_job *job, const struct qn_recipe_made *made,
                                 struct qn_error *error) {
  char from[PATH_MAX], to[PATH_MAX];
  enum qn_status status = QN_OK;
  for (uint64_t i = 0; !status && i + 1 < job->recipe->num_steps; i++) {
    const char *name = job->recipe->steps[i].name;
    if (name)
      status = base_place(job, name, to, error);
    if (name && !status && strcmp(to, job->output) == 0)
      status =
          qn_fail(error, QN_USAGE,
                  "the set needs its base beside it by the name '%s': name another output", name);
    if (name && !status)
      status = put_base(place_of(job, made, i, from), to, error);
  }
  return status;
}

enum qn_status qn_recipe_keep(const struct qn_recipe_job *job, const struct qn_recipe_made *made,
                              struct qn_error *error) {
  char place[PATH_MAX];
  if (fflush(stdout) != 0 || ferror(stdout))
    return qn_fail(error, QN_SYSTEM, "cannot write to standard output");
  if (!job->keep)
    return QN_OK;
  const char *last = place_of(job, made, job->recipe->num_steps - 1, place);
  enum qn_status status = keep_bases(job, made, error);
  return status ? status : put_in_place(last, job->output, job->shared->force, error);
}

void qn_recipe_made_end(struct qn_recipe_made *made) {
  for (uint64_t i = 0; i < made->num_files; i++)
    qn_source_file_close(&made->files[i]);
  qn_free(made->files);
  qn_atomic_folder_abort(made->folder);
  *made = (struct qn_recipe_made){0};
}

json_t *qn_recipe_pinned(const struct qn_recipe *recipe, const struct qn_recipe_made *made) {
  json_t *pinned = json_deep_copy(recipe->json), *files = json_object_get(pinned, "files");
  for (uint64_t i = 0; pinned && i < made->num_files; i++) {
    const struct qn_file_sums *sums = &made->files[i].sums;
    json_t *file = json_array_get(files, i);
    json_object_set_new(file, "bytes", json_integer((json_int_t)sums->digest.bytes));
    json_object_set_new(file, "sha256", json_string(sums->sha256));
  }
  if (pinned && (json_object_set_new(pinned, "tested", json_true()) ||
                 json_object_set_new(pinned, "container", qn_recipe_result_json(&made->result)))) {
    json_decref(pinned);
    return NULL;
  }
  return pinned;
}

json_t *qn_recipe_made_files_json(const struct qn_recipe *recipe,
                                  const struct qn_recipe_made *made) {
  json_t *list = json_array();
  for (uint64_t i = 0; i < made->num_files; i++)
    json_array_append_new(list, json_pack("{s:s, s:o, s:I, s:s}", "name", recipe->files[i].name,
                                          "from", qn_json_text(made->files[i].where), "bytes",
                                          (json_int_t)made->files[i].sums.digest.bytes, "sha256",
                                          made->files[i].sums.sha256));
  return list;
}
