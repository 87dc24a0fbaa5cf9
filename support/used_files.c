#include "support/used_files.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct qn_used_file *first;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool was_written; /* one that is listed no more */

bool qn_file_state_of(int descriptor, struct qn_file_state *state) {
  struct stat about;
  if (fstat(descriptor, &about) != 0)
    return false;
  *state = (struct qn_file_state){(uint64_t)about.st_size, about.st_mtim, about.st_ctim};
  return true;
}

static bool same_time(struct timespec a, struct timespec b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/* Written to since then, as far as its times tell. */
static bool is_written(const struct qn_used_file *file, struct qn_file_state *now) {
  return !qn_file_state_of(file->descriptor, now) || now->bytes != file->state.bytes ||
         !same_time(now->modified, file->state.modified);
}

/* What was written may have been taken back by now, so it does not help that the bytes are the same
 * again. A new name or another owner changes the other time alone, and so does who sets the time of
 * writing back. */
static bool is_unchanged(struct qn_used_file *file) {
  struct qn_file_state now;
  if (is_written(file, &now))
    return false;
  if (same_time(now.changed, file->state.changed))
    return true;
  if (!file->is_intact(file->user))
    return false;
  file->state = now;
  return true;
}

void qn_used_file_list(struct qn_used_file *file) {
  pthread_mutex_lock(&lock);
  file->before = NULL;
  file->after = first;
  if (first)
    first->before = file;
  first = file;
  pthread_mutex_unlock(&lock);
}

void qn_used_file_forget(struct qn_used_file *file) {
  struct qn_file_state now;
  if (file->user && is_written(file, &now))
    atomic_store(&was_written, true);
  pthread_mutex_lock(&lock);
  if (file->after)
    file->after->before = file->before;
  if (file->before)
    file->before->after = file->after;
  else if (first == file)
    first = file->after;
  pthread_mutex_unlock(&lock);
}

bool qn_used_file_holds(const void *begin, uint64_t bytes, int *descriptor, uint64_t *offset) {
  bool found = false;
  pthread_mutex_lock(&lock);
  for (const struct qn_used_file *file = first; file && !found; file = file->after) {
    const uint64_t at = (uintptr_t)begin - (uintptr_t)file->mapped;
    if (!file->mapped || at > file->mapped_bytes || bytes > file->mapped_bytes - at)
      continue;
    *descriptor = file->descriptor;
    *offset = file->mapped_from + at;
    found = true;
  }
  pthread_mutex_unlock(&lock);
  return found;
}

bool qn_used_files_written(void) {
  struct qn_file_state now;
  if (atomic_load(&was_written))
    return true;
  for (const struct qn_used_file *file = first; file; file = file->after)
    if (is_written(file, &now))
      return true;
  return false;
}

static enum qn_status check(struct qn_used_file *file, struct qn_error *error) {
  if (is_unchanged(file))
    return QN_OK;
  qn_fail(error, QN_SYSTEM,
          "the file was overwritten while it was in use, so there is no result; write a new file "
          "and rename it instead");
  return qn_error_in_file(error, file->path), QN_SYSTEM;
}

enum qn_status qn_used_files_check(struct qn_error *error) {
  enum qn_status status = QN_OK;
  pthread_mutex_lock(&lock);
  for (struct qn_used_file *file = first; file && !status; file = file->after)
    status = check(file, error);
  pthread_mutex_unlock(&lock);
  return status;
}

enum qn_status qn_used_files_check_all(struct qn_error *error) {
  enum qn_status status = qn_used_files_check(error);
  return status || !atomic_load(&was_written)
             ? status
             : qn_fail(error, QN_SYSTEM,
                       "an input file was overwritten while it was in use, so there is no result; "
                       "write a new file and rename it instead");
}

enum qn_status qn_used_file_check(struct qn_used_file *file, struct qn_error *error) {
  pthread_mutex_lock(&lock);
  enum qn_status status = check(file, error);
  pthread_mutex_unlock(&lock);
  return status;
}

static bool is_file(const struct stat *file, const char *path) {
  struct stat other;
  return stat(path, &other) == 0 && other.st_dev == file->st_dev && other.st_ino == file->st_ino;
}

/* Is it the folder that `path` lies in? */
static bool is_folder_of(const struct stat *file, const char *path) {
  char folder[PATH_MAX];
  const char *slash = strrchr(path, '/');
  if (!slash)
    return is_file(file, ".");
  size_t length = slash == path ? 1 : (size_t)(slash - path);
  return (size_t)snprintf(folder, sizeof folder, "%.*s", (int)length, path) < sizeof folder &&
         is_file(file, folder);
}

/* The file at `path`, or the folder that it lies in. */
static bool is_at(const struct stat *file, const char *path) {
  return is_file(file, path) || (S_ISDIR(file->st_mode) && is_folder_of(file, path));
}

/* Sets are folders: none of their files is to be lost. */
static bool is_in(const char *output, const char *input) {
  struct stat folder;
  return strcmp(input, "-") != 0 && stat(input, &folder) == 0 && S_ISDIR(folder.st_mode) &&
         is_folder_of(&folder, output);
}

/* The input, or what is before any of its colons. */
static bool is_input(const struct stat *file, const char *input) {
  char archive[PATH_MAX];
  if (strcmp(input, "-") == 0)
    return false;
  if (is_at(file, input))
    return true;
  for (const char *colon = strchr(input, ':'); colon; colon = strchr(colon + 1, ':')) {
    size_t length = (size_t)(colon - input);
    if (length >= sizeof archive)
      return false;
    memcpy(archive, input, length);
    archive[length] = '\0';
    if (is_at(file, archive))
      return true;
  }
  return false;
}

enum qn_status qn_inputs_kept(const char *output, const char *const *inputs, uint64_t num_inputs,
                              struct qn_error *error) {
  struct stat file;
  if (!output || strcmp(output, "-") == 0 || stat(output, &file) != 0)
    return QN_OK;
  const bool folder = S_ISDIR(file.st_mode);
  for (uint64_t i = 0; i < num_inputs; i++) {
    if (is_input(&file, inputs[i])) {
      qn_fail(error, QN_USAGE, "the output is the %s '%.200s'%s; give it another name",
              folder ? "folder of the input" : "input", inputs[i], folder ? "" : " itself");
      return qn_error_in_file(error, output), QN_USAGE;
    }
    if (!folder && is_in(output, inputs[i])) {
      qn_fail(error, QN_USAGE, "the output is a file of the input '%.200s'; give it another name",
              inputs[i]);
      return qn_error_in_file(error, output), QN_USAGE;
    }
  }
  return QN_OK;
}

enum qn_status qn_used_files_kept(const char *output, struct qn_error *error) {
  struct stat file, listed;
  const char *of = NULL;
  if (stat(output, &file) != 0)
    return QN_OK;
  pthread_mutex_lock(&lock);
  for (const struct qn_used_file *used = first; used && !of; used = used->after)
    if (used->kept && fstat(used->descriptor, &listed) == 0 && listed.st_dev == file.st_dev &&
        listed.st_ino == file.st_ino)
      of = used->path;
  if (of)
    qn_fail(error, QN_USAGE, "the output is '%.200s', a file of the input; give it another name",
            of);
  pthread_mutex_unlock(&lock);
  return of ? (qn_error_in_file(error, output), QN_USAGE) : QN_OK;
}

enum qn_status qn_input_kept(const char *output, const char *input, struct qn_error *error) {
  return input ? qn_inputs_kept(output, &input, 1, error) : QN_OK;
}

enum qn_status qn_input_changed(struct qn_error *error) {
  enum qn_status status = qn_used_files_check(error);
  return status ? status
                : qn_fail(error, QN_SYSTEM,
                          "an input is no longer what was counted before, so there is no result");
}

static bool has_all_threads;

void qn_pages_leave_by_all_threads(void) {
  has_all_threads = true;
}

void qn_pages_leave(void *mapping, uint64_t bytes) {
  const uint64_t step = (uint64_t)4 << 20;
  if (!has_all_threads || bytes < 4 * step)
    return;
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t begin = 0; begin < bytes; begin += step)
    madvise((char *)mapping + begin, bytes - begin < step ? bytes - begin : step, MADV_DONTNEED);
}

/* ---- Files that are found ----------------------------------------------------- */

enum qn_status qn_file_open_regular(const char *path, int *descriptor, struct qn_error *error) {
  struct stat about;
  enum qn_status status = QN_OK;
  *descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (*descriptor < 0 || fstat(*descriptor, &about) != 0)
    status = qn_fail_errno(error, "cannot open");
  else if (!S_ISREG(about.st_mode))
    status = qn_fail(error, QN_INVALID, "is not a regular file");
  if (!status)
    return QN_OK;
  if (*descriptor >= 0)
    close(*descriptor);
  *descriptor = -1;
  return qn_error_in_file(error, path);
}
