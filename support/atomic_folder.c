#include "support/atomic_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support/atomic_file.h"
#include "support/memory.h"
#include "support/used_files.h"

struct qn_atomic_folder {
  char *path;
  char *temporary;
  bool made; /* the temporary is there */
  bool replace;
  char **files; /* paths in the temporary */
  unsigned num_files;
};

/* The one folder under way, for a tool's signal handler: its files are listed before they are made.
 * Of several that the threads of a library make it is one of them. */
static struct qn_atomic_folder *_Atomic under_way;

/* Entries of a folder, as the kernel gives them: a signal handler may ask for them. */
struct entry {
  uint64_t inode, next;
  unsigned short bytes;
  unsigned char type;
  char name[];
};

static bool delete_some(int folder) {
  _Alignas(struct entry) char entries[4096];
  bool deleted = false;
  long bytes;
  lseek(folder, 0, SEEK_SET);
  while ((bytes = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0)
    for (long at = 0; at < bytes; at += ((struct entry *)(entries + at))->bytes)
      deleted |= unlinkat(folder, ((struct entry *)(entries + at))->name, 0) == 0;
  return deleted;
}

/* Delete a folder and the files in it. */
static void delete_folder(const char *path) {
  const int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0)
    return;
  while (delete_some(folder)) {
  }
  close(folder);
  rmdir(path);
}

/* A file may be a folder of files. */
static void remove_temporary(struct qn_atomic_folder *folder) {
  for (unsigned i = 0; i < folder->num_files; i++)
    if (unlink(folder->files[i]) != 0 && errno == EISDIR)
      delete_folder(folder->files[i]);
  if (folder->made)
    rmdir(folder->temporary);
}

void qn_atomic_folders_remove(void) {
  if (under_way)
    remove_temporary(under_way);
}

static void destroy(struct qn_atomic_folder *folder) {
  for (unsigned i = 0; i < folder->num_files; i++)
    qn_free(folder->files[i]);
  qn_free(folder->files);
  free(folder->path);
  qn_free(folder->temporary);
  qn_free(folder);
}

static enum qn_status check_target(const char *path, bool replace, struct qn_error *error) {
  struct stat about;
  if (stat(path, &about) != 0) {
    if (errno != ENOENT)
      qn_fail_errno(error, "cannot look at the output");
    else if (lstat(path, &about) == 0)
      qn_fail(error, QN_USAGE, "the output is a folder, but there is a link that leads nowhere");
    else
      return QN_OK;
    return qn_error_in_file(error, path);
  }
  if (!S_ISDIR(about.st_mode))
    qn_fail(error, QN_USAGE, "the output is a folder, but there is a file of that name");
  else if (!replace)
    qn_fail(error, QN_USAGE, "the output exists; use --force to replace it");
  else
    return QN_OK;
  return qn_error_in_file(error, path);
}

static enum qn_status make_temporary(struct qn_atomic_folder *folder, struct qn_error *error) {
  size_t size = strlen(folder->path) + 32;
  sigset_t before;
  enum qn_status status = QN_OK;
  qn_names_lock(&before);
  for (unsigned attempt = 0; attempt < 1000 && !folder->made; attempt++) {
    snprintf(folder->temporary, size, "%s.tmp%ld-%u", folder->path, (long)getpid(), attempt);
    folder->made = mkdir(folder->temporary, 0777) == 0;
    if (!folder->made && errno != EEXIST)
      break;
  }
  if (!folder->made) {
    status = qn_fail_errno(error, "cannot create the output");
    qn_error_in_file(error, folder->path);
  } else {
    under_way = folder;
  }
  qn_names_unlock(&before);
  return status;
}

/* "parts/" is "parts", and may be a link to a folder. */
static char *target_of(const char *path) {
  size_t length = strlen(path);
  char *trimmed = strdup(path), *target = NULL;
  while (trimmed && length > 1 && trimmed[length - 1] == '/')
    trimmed[--length] = '\0';
  if (trimmed)
    target = qn_output_target(trimmed);
  free(trimmed);
  return target;
}

enum qn_status qn_atomic_folder_create(const char *path, bool replace,
                                       struct qn_atomic_folder **out, struct qn_error *error) {
  struct qn_atomic_folder *folder;
  *out = NULL;
  enum qn_status status = check_target(path, replace, error);
  if (status)
    return status;
  status = qn_alloc_zeroed(&folder, 1, sizeof *folder, "an output folder's record", error);
  if (status)
    return status;
  folder->replace = replace;
  folder->path = target_of(path);
  if (!folder->path) {
    status = qn_fail_errno(error, "cannot look at the output");
    qn_error_in_file(error, path);
    goto failed;
  }
  status = qn_alloc(&folder->temporary, strlen(folder->path) + 32, 1, "a path", error);
  if (!status)
    status = make_temporary(folder, error);
  if (status)
    goto failed;
  *out = folder;
  return QN_OK;
failed:
  destroy(folder);
  return status;
}

enum qn_status qn_atomic_folder_add(struct qn_atomic_folder *folder, const char *name,
                                    const char **path, struct qn_error *error) {
  size_t size = strlen(folder->temporary) + strlen(name) + 2;
  char *file;
  sigset_t before;
  enum qn_status status = qn_alloc(&file, size, 1, "a path", error);
  if (status)
    return status;
  snprintf(file, size, "%s/%s", folder->temporary, name);
  qn_names_lock(&before);
  status = qn_realloc(&folder->files, folder->num_files + 1, sizeof *folder->files,
                      "the files of a folder", error);
  if (status)
    qn_free(file);
  else
    folder->files[folder->num_files++] = file;
  qn_names_unlock(&before);
  *path = file;
  return status;
}

const char *qn_atomic_folder_place(const struct qn_atomic_folder *folder) {
  return folder->temporary;
}

enum qn_status qn_atomic_folder_join(const char *place, struct qn_atomic_folder **out,
                                     struct qn_error *error) {
  struct qn_atomic_folder *folder;
  sigset_t before;
  *out = NULL;
  enum qn_status status =
      qn_alloc_zeroed(&folder, 1, sizeof *folder, "an output folder's record", error);
  if (status)
    return status;
  status = qn_alloc(&folder->temporary, strlen(place) + 1, 1, "a path", error);
  if (status) {
    qn_free(folder);
    return status;
  }
  strcpy(folder->temporary, place);
  folder->made = true;
  qn_names_lock(&before);
  under_way = folder;
  qn_names_unlock(&before);
  *out = folder;
  return QN_OK;
}

void qn_atomic_folder_leave(struct qn_atomic_folder *folder) {
  sigset_t before;
  qn_names_lock(&before);
  under_way = NULL;
  qn_names_unlock(&before);
  destroy(folder);
}

void qn_atomic_folder_rest(struct qn_atomic_folder *folder) {
  sigset_t before;
  qn_names_lock(&before);
  if (under_way == folder)
    under_way = NULL;
  qn_names_unlock(&before);
}

/* ---- Putting it in place -------------------------------------------------- */

static bool sync_folder(const char *path) {
  const char *no_sync = getenv("QUERN_NO_SYNC");
  if (no_sync && strcmp(no_sync, "1") == 0)
    return true;
  int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0)
    return false;
  /* Some file systems cannot sync a folder and say EINVAL. */
  bool synced = fsync(descriptor) == 0 || errno == EINVAL;
  close(descriptor);
  return synced;
}

static bool sync_parent(const char *path) {
  char parent[PATH_MAX];
  const char *slash = strrchr(path, '/');
  size_t length = slash ? (size_t)(slash - path) : 0;
  if (length >= sizeof parent)
    return false;
  snprintf(parent, sizeof parent, "%.*s", (int)length, path);
  return sync_folder(!slash ? "." : length == 0 ? "/" : parent);
}

/* The old folder changes names with the new one, and is deleted under the temporary's; where the
 * file system cannot do that, it steps aside first. */
static int put_in_place(const struct qn_atomic_folder *folder) {
  char aside[PATH_MAX];
  struct stat about;
  if (stat(folder->path, &about) != 0)
    return renameat2(AT_FDCWD, folder->temporary, AT_FDCWD, folder->path, RENAME_NOREPLACE) == 0 ? 0
           : errno == EINVAL || errno == ENOSYS ? rename(folder->temporary, folder->path)
                                                : -1;
  if (!folder->replace) {
    errno = EEXIST;
    return -1;
  }
  if (renameat2(AT_FDCWD, folder->temporary, AT_FDCWD, folder->path, RENAME_EXCHANGE) == 0) {
    delete_folder(folder->temporary);
    return 0;
  }
  int length = snprintf(aside, sizeof aside, "%s.old", folder->temporary);
  if ((errno != EINVAL && errno != ENOSYS) || length >= (int)sizeof aside ||
      rename(folder->path, aside) != 0)
    return -1;
  if (rename(folder->temporary, folder->path) != 0) {
    int cause = errno;
    rename(aside, folder->path);
    errno = cause;
    return -1;
  }
  delete_folder(aside);
  return 0;
}

/* Its name. Frees `folder`. */
static enum qn_status appear(struct qn_atomic_folder *folder, struct qn_error *error) {
  enum qn_status status = QN_OK;
  sigset_t before;
  qn_names_lock(&before);
  if (put_in_place(folder) != 0)
    status = qn_fail_errno(error, "cannot put the output in place");
  if (status)
    remove_temporary(folder);
  under_way = NULL;
  qn_names_unlock(&before);
  if (!status)
    qn_output_is_in_place();
  if (!status && !sync_parent(folder->path))
    status = qn_fail_errno(error, "cannot sync the folder of the output: a crash of the machine "
                                  "may undo what was written");
  if (status)
    qn_error_in_file(error, folder->path);
  destroy(folder);
  return status;
}

/* Is it what a writer of one of the files has left, which was killed: NAME.tmpPID-N? */
static bool is_left(const struct qn_atomic_folder *folder, const char *entry) {
  const char *suffix = strstr(entry, ".tmp");
  size_t before = strlen(folder->temporary) + 1;
  for (const char *next; suffix && (next = strstr(suffix + 1, ".tmp"));)
    suffix = next;
  if (!suffix)
    return false;
  const char *end = suffix + 4 + strspn(suffix + 4, "0123456789");
  if (end == suffix + 4 || *end != '-' || end[1] == '\0' ||
      end[1 + strspn(end + 1, "0123456789")] != '\0')
    return false;
  size_t length = (size_t)(suffix - entry);
  for (unsigned i = 0; i < folder->num_files; i++)
    if (strncmp(folder->files[i] + before, entry, length) == 0 &&
        folder->files[i][before + length] == '\0')
      return true;
  return false;
}

/* Other processes may have written into the folder, and nobody does any more. */
static void remove_left(const struct qn_atomic_folder *folder) {
  DIR *there = opendir(folder->temporary);
  if (!there)
    return;
  for (struct dirent *entry; (entry = readdir(there)) != NULL;)
    if (is_left(folder, entry->d_name))
      unlinkat(dirfd(there), entry->d_name, 0);
  closedir(there);
}

void qn_atomic_folder_abort(struct qn_atomic_folder *folder) {
  sigset_t before;
  if (!folder)
    return;
  remove_left(folder);
  qn_names_lock(&before);
  remove_temporary(folder);
  under_way = NULL;
  qn_names_unlock(&before);
  destroy(folder);
}

/* ---- Held outputs ----------------------------------------------------------- */

static struct qn_atomic_folder *held;

bool qn_atomic_folder_is_under_way(void) {
  return under_way && under_way != held;
}

enum qn_status qn_atomic_folder_release(bool appears, struct qn_error *error) {
  struct qn_atomic_folder *folder = held;
  held = NULL;
  enum qn_status status = folder && appears ? qn_used_files_check_all(error) : QN_OK;
  if (folder && appears && !status)
    return appear(folder, error);
  qn_atomic_folder_abort(folder);
  return status;
}

enum qn_status qn_atomic_folder_commit(struct qn_atomic_folder *folder, struct qn_error *error) {
  enum qn_status status = qn_used_files_check(error);
  remove_left(folder);
  if (!status && !sync_folder(folder->temporary)) {
    status = qn_fail_errno(error, "cannot sync the output");
    qn_error_in_file(error, folder->path);
  }
  if (!status)
    status = qn_outputs_release(true, error);
  if (status) {
    qn_atomic_folder_abort(folder);
    return status;
  }
  if (!qn_outputs_are_held())
    return appear(folder, error);
  held = folder;
  return QN_OK;
}
