#include "converters/changes/target.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "formats/set/generations.h"
#include "support/atomic_file.h"
#include "support/text/url.h"
#include "support/used_files.h"

/* Without the slashes behind it: freed by free(). */
static enum qn_status copy_path(const char *path, char **copy, struct qn_error *error) {
  *copy = strdup(path);
  if (!*copy)
    return qn_fail_memory(error, "a path", strlen(path)), QN_SYSTEM;
  for (size_t end = strlen(*copy); end > 1 && (*copy)[end - 1] == '/'; end--)
    (*copy)[end - 1] = '\0';
  return QN_OK;
}

/* Two names of one file or folder, both there? */
static bool are_one(const char *path, const char *other) {
  char first[PATH_MAX], second[PATH_MAX];
  return realpath(path, first) && realpath(other, second) && strcmp(first, second) == 0;
}

/* The folder that holds `path`, which has no slash behind it. */
static bool holder_of(const char *path, char folder[PATH_MAX]) {
  const char *slash = strrchr(path, '/');
  char holder[PATH_MAX] = ".";
  if (slash && (size_t)(slash - path) >= sizeof holder)
    return false;
  if (slash) {
    const size_t length = slash == path ? 1 : (size_t)(slash - path);
    memcpy(holder, path, length);
    holder[length] = '\0';
  }
  return realpath(holder, folder) != NULL;
}

static enum qn_status check_beside(const char *base, const char *folder, struct qn_error *error) {
  char first[PATH_MAX], second[PATH_MAX];
  if (holder_of(base, first) && holder_of(folder, second) && strcmp(first, second) == 0)
    return QN_OK;
  return qn_fail(error, QN_USAGE,
                 "%s must be beside its base, %s, in the same folder: then both can be moved",
                 folder, base);
}

/* Given back when the process ends in any way. */
static enum qn_status lock_folder(const char *folder, int *lock, struct qn_error *error) {
  *lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (*lock < 0)
    return qn_fail_errno(error, "cannot open the set's folder");
  if (flock(*lock, LOCK_EX | LOCK_NB) == 0)
    return QN_OK;
  return errno == EWOULDBLOCK
             ? qn_fail(error, QN_SYSTEM,
                       "another process is changing %s: try again when it is done", folder)
             : qn_fail_errno(error, "cannot lock the set's folder");
}

/* A base that is to be changed for the first time. */
static enum qn_status take_base(const char *path, struct qn_change_target *target,
                                struct qn_error *error) {
  char *whole;
  enum qn_status status = copy_path(path, &whole, error);
  if (status)
    return status;
  status = qn_set_identify_base(whole, &target->base, error);
  const char *slash = strrchr(whole, '/'), *name = slash ? slash + 1 : whole;
  if (!status && (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || !*name))
    status = qn_fail(error, QN_USAGE, "%s: say what the base is called", path);
  if (!status)
    status = check_beside(whole, target->folder, error);
  if (!status && !(target->base.name = strdup(name)))
    status = qn_fail_memory(error, "a path", strlen(name));
  free(whole);
  return status;
}

/* Generations that are to go on in another folder. */
static enum qn_status take_set(const char *path, struct qn_change_target *target,
                               struct qn_error *error) {
  char base[PATH_MAX];
  enum qn_status status = qn_set_open(path, &target->set, error);
  if (!status)
    status = qn_set_base_path(target->set, base, error);
  return status ? status : check_beside(base, target->folder, error);
}

enum qn_status qn_change_target_open(const char *base, const char *output, bool replace,
                                     struct qn_change_target *target, struct qn_error *error) {
  *target = (struct qn_change_target){.lock = -1, .replace = replace};
  if (qn_is_url(base))
    return qn_fail(error, QN_UNSUPPORTED,
                   "a base is beside the changes to it: download it first, and append to that");
  enum qn_status status = copy_path(output, &target->folder, error);
  if (status)
    return status;
  const bool changed = qn_set_has_generations(base);
  target->in_place = changed && are_one(base, output);
  if (target->in_place) {
    status = lock_folder(target->folder, &target->lock, error);
    return status ? status : qn_set_open(target->folder, &target->set, error);
  }
  status = qn_input_kept(output, base, error);
  if (status)
    return status;
  return changed ? take_set(base, target, error) : take_base(base, target, error);
}

void qn_change_target_close(struct qn_change_target *target) {
  qn_set_close(target->set);
  if (target->lock >= 0 && !qn_outputs_are_held())
    close(target->lock);
  free(target->base.name);
  free(target->folder);
  *target = (struct qn_change_target){.lock = -1};
}
