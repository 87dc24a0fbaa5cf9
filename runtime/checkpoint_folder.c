#include "runtime/checkpoint_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/memory.h"

/* How atomic_file.h calls a file that is not complete. */
#define TEMPORARY_PREFIX QN_CHECKPOINT_NAME ".tmp"

static enum qn_status fail_at(const char *path, const char *what, struct qn_error *error) {
  enum qn_status status = qn_fail_errno(error, "%s", what);
  qn_error_in_file(error, path);
  return status;
}

static enum qn_status lock(const struct qn_checkpoint_folder *folder, const char *path,
                           struct qn_error *error) {
  if (flock(folder->descriptor, LOCK_EX | LOCK_NB) == 0)
    return QN_OK;
  if (errno != EWOULDBLOCK) /* a file system without locks */
    return QN_OK;
  qn_fail(error, QN_USAGE, "another run is using this folder for its checkpoints");
  return qn_error_in_file(error, path), QN_USAGE;
}

static void remove_temporaries(const char *path, int descriptor) {
  DIR *list = opendir(path);
  for (struct dirent *entry; list && (entry = readdir(list));)
    if (strncmp(entry->d_name, TEMPORARY_PREFIX, strlen(TEMPORARY_PREFIX)) == 0)
      unlinkat(descriptor, entry->d_name, 0);
  if (list)
    closedir(list);
}

enum qn_status qn_checkpoint_folder_open(const char *path, struct qn_checkpoint_folder *folder,
                                         struct qn_error *error) {
  uint64_t bytes = strlen(path) + sizeof "/" QN_CHECKPOINT_NAME;
  *folder = (struct qn_checkpoint_folder){0};
  if (mkdir(path, 0777) != 0 && errno != EEXIST)
    return fail_at(path, "cannot make the folder for checkpoints", error);
  folder->descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder->descriptor < 0)
    return fail_at(path, "cannot open the folder for checkpoints", error);
  folder->open = true;
  enum qn_status status = qn_alloc(&folder->file, bytes, 1, "a path", error);
  if (!status)
    status = lock(folder, path, error);
  if (status)
    return status;
  snprintf(folder->file, bytes, "%s/%s", path, QN_CHECKPOINT_NAME);
  remove_temporaries(path, folder->descriptor);
  return QN_OK;
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
  if (unlinkat(folder->descriptor, QN_CHECKPOINT_NAME, 0) == 0 || errno == ENOENT)
    return QN_OK;
  return fail_at(folder->file, "cannot remove the checkpoint", error);
}

void qn_checkpoint_folder_close(struct qn_checkpoint_folder *folder) {
  if (folder->open)
    close(folder->descriptor);
  qn_free(folder->file);
  *folder = (struct qn_checkpoint_folder){0};
}
