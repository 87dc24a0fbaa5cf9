#include "formats/checkpoints/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "support/memory.h"

/* How atomic_file.h calls a file that is not complete. */
#define TEMPORARY_PREFIX QN_CHECKPOINT_NAME ".tmp"

static enum qn_status fail_at(const char *path, const char *what, struct qn_error *error) {
  enum qn_status status = qn_fail_errno(error, "%s", what);
  qn_error_in_file(error, path);
  return status;
}

/* A run that was killed may have left ranks that hold the lock until their launcher ends them, so
 * another run's lock is given this long to go away. */
#define PATIENCE_MS 3000
#define BETWEEN_TRIES_MS 20

static bool held_by_another(int descriptor) {
  for (int waited = 0;; waited += BETWEEN_TRIES_MS) {
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0)
      return false;
    if (errno != EWOULDBLOCK) /* a file system without locks */
      return false;
    if (waited >= PATIENCE_MS)
      return true;
    nanosleep(&(struct timespec){.tv_nsec = BETWEEN_TRIES_MS * 1000000L}, NULL);
  }
}

static enum qn_status lock(const struct qn_checkpoint_folder *folder, const char *path,
                           struct qn_error *error) {
  if (!held_by_another(folder->descriptor))
    return QN_OK;
  qn_fail(error, QN_USAGE, "another run is using this folder for its checkpoints");
  return qn_error_in_file(error, path), QN_USAGE;
}

/* Remove the files whose names `is_old` says. */
static void remove_files(const struct qn_checkpoint_folder *folder,
                         bool (*is_old)(const char *name, uint64_t iterations),
                         uint64_t iterations) {
  DIR *list = opendir(folder->path);
  for (struct dirent *entry; list && (entry = readdir(list));)
    if (is_old(entry->d_name, iterations))
      unlinkat(folder->descriptor, entry->d_name, 0);
  if (list)
    closedir(list);
}

static bool is_temporary(const char *name, uint64_t iterations) {
  (void)iterations;
  return strncmp(name, TEMPORARY_PREFIX, strlen(TEMPORARY_PREFIX)) == 0;
}

/* A part, or what there is of one, that is none after so many iterations. */
static bool is_other_part(const char *name, uint64_t iterations) {
  uint64_t its, index;
  int length = 0;
  if (sscanf(name, "checkpoint-%" SCNu64 "-%" SCNu64 ".qrn%n", &its, &index, &length) != 2 ||
      length == 0)
    return false;
  return strncmp(name + length, ".tmp", 4) == 0 || (name[length] == '\0' && its != iterations);
}

static enum qn_status open_folder(const char *path, bool leads, struct qn_checkpoint_folder *folder,
                                  struct qn_error *error) {
  if (leads && mkdir(path, 0777) != 0 && errno != EEXIST)
    return fail_at(path, "cannot make the folder for checkpoints", error);
  folder->descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder->descriptor < 0)
    return fail_at(path, "cannot open the folder for checkpoints", error);
  folder->open = true;
  folder->leads = leads;
  return leads ? lock(folder, path, error) : QN_OK;
}

enum qn_status qn_checkpoint_folder_open(const char *path, bool leads,
                                         struct qn_checkpoint_folder *folder,
                                         struct qn_error *error) {
  const uint64_t length = strlen(path), bytes = length + sizeof "/" QN_CHECKPOINT_NAME;
  *folder = (struct qn_checkpoint_folder){0};
  enum qn_status status = open_folder(path, leads, folder, error);
  if (!status)
    status = qn_alloc(&folder->file, bytes, 1, "a path", error);
  if (!status)
    status = qn_alloc(&folder->path, length + 1, 1, "a path", error);
  if (status)
    return status;
  memcpy(folder->path, path, length + 1);
  snprintf(folder->file, bytes, "%s/%s", path, QN_CHECKPOINT_NAME);
  if (leads)
    remove_files(folder, is_temporary, 0);
  return QN_OK;
}

enum qn_status qn_checkpoint_folder_part(const struct qn_checkpoint_folder *folder,
                                         uint64_t iterations, uint64_t index, char **path,
                                         struct qn_error *error) {
  const uint64_t bytes = strlen(folder->path) + sizeof "/checkpoint--.qrn" + 2 * 20;
  enum qn_status status = qn_alloc(path, bytes, 1, "a path", error);
  if (!status)
    snprintf(*path, bytes, "%s/checkpoint-%" PRIu64 "-%" PRIu64 ".qrn", folder->path, iterations,
             index);
  return status;
}

void qn_checkpoint_folder_sweep(const struct qn_checkpoint_folder *folder, uint64_t iterations) {
  if (folder->leads)
    remove_files(folder, is_other_part, iterations);
}

enum qn_status qn_checkpoint_folder_look(const struct qn_checkpoint_folder *folder, bool *exists,
                                         struct qn_error *error) {
  struct stat status;
  *exists = fstatat(folder->descriptor, QN_CHECKPOINT_NAME, &status, 0) == 0;
  return *exists || errno == ENOENT ? QN_OK
                                    : fail_at(folder->file, "cannot look for a checkpoint", error);
}

enum qn_status qn_checkpoint_folder_discard(const struct qn_checkpoint_folder *folder,
                                            struct qn_error *error) {
  if (!folder->leads)
    return QN_OK;
  if (unlinkat(folder->descriptor, QN_CHECKPOINT_NAME, 0) != 0 && errno != ENOENT)
    return fail_at(folder->file, "cannot remove the checkpoint", error);
  qn_checkpoint_folder_sweep(folder, 0);
  return QN_OK;
}

void qn_checkpoint_folder_close(struct qn_checkpoint_folder *folder) {
  if (folder->open)
    close(folder->descriptor);
  qn_free(folder->file);
  qn_free(folder->path);
  *folder = (struct qn_checkpoint_folder){0};
}
