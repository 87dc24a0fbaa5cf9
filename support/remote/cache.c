#include "support/remote/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/memory.h"
#include "support/sizes.h"
#include "support/temp_file.h"

#define DEFAULT_BYTES ((uint64_t)16 << 30)
#define MOST_FILES 4096

static uint64_t most_bytes(void) {
  const char *text = getenv("QUERN_CACHE_SIZE");
  uint64_t bytes;
  return text && qn_size_parse(text, &bytes, NULL) == QN_OK ? bytes : DEFAULT_BYTES;
}

/* ---- The folder ------------------------------------------------------------- */

/* A relative XDG_CACHE_HOME is none, as its specification says. */
static bool folder_path(char path[PATH_MAX]) {
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  int length = -1;
  if (cache && cache[0] == '/')
    length = snprintf(path, PATH_MAX, "%s/quern", cache);
  else if (home && home[0] == '/')
    length = snprintf(path, PATH_MAX, "%s/.cache/quern", home);
  return length > 0 && length < PATH_MAX;
}

static void make_folders(char *path) {
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    mkdir(path, 0700);
    *slash = '/';
  }
  mkdir(path, 0700);
}

/* This user's, and nobody else may write to it. */
static bool is_own(int descriptor, mode_t kind) {
  struct stat about;
  return fstat(descriptor, &about) == 0 && (about.st_mode & S_IFMT) == kind &&
         about.st_uid == geteuid() && !(about.st_mode & (S_IWGRP | S_IWOTH));
}

static int open_folder(void) {
  char path[PATH_MAX];
  if (!folder_path(path))
    return -1;
  make_folders(path);
  const int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder >= 0 && is_own(folder, S_IFDIR))
    return folder;
  if (folder >= 0)
    close(folder);
  return -1;
}

/* ---- What is there too long ------------------------------------------------- */

struct entry {
  char name[256];
  uint64_t bytes; /* on disk */
  struct timespec used;
};

static int by_use(const void *a, const void *b) {
  const struct timespec *first = &((const struct entry *)a)->used;
  const struct timespec *second = &((const struct entry *)b)->used;
  if (first->tv_sec != second->tv_sec)
    return first->tv_sec < second->tv_sec ? -1 : 1;
  return (first->tv_nsec > second->tv_nsec) - (first->tv_nsec < second->tv_nsec);
}

static uint64_t list_files(int folder, struct entry *entries, uint64_t *total) {
  const int again = dup(folder);
  DIR *list = again >= 0 ? fdopendir(again) : NULL;
  uint64_t count = 0;
  *total = 0;
  if (!list && again >= 0)
    close(again);
  if (list)
    rewinddir(list);
  for (struct dirent *found; list && count < MOST_FILES && (found = readdir(list));) {
    struct stat about;
    if (fstatat(folder, found->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(about.st_mode))
      continue;
    struct entry *entry = &entries[count++];
    snprintf(entry->name, sizeof entry->name, "%s", found->d_name);
    entry->bytes = (uint64_t)about.st_blocks * 512;
    entry->used = about.st_mtim;
    *total += entry->bytes;
  }
  if (list)
    closedir(list);
  return count;
}

/* Files that are in use are locked, and stay. */
static bool remove_unused(int folder, const char *name) {
  const int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  const bool unused = file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0;
  const bool removed = unused && unlinkat(folder, name, 0) == 0;
  if (file >= 0)
    close(file);
  return removed;
}

static void trim(int folder, uint64_t most) {
  struct entry *entries;
  uint64_t total;
  if (qn_alloc(&entries, MOST_FILES, sizeof *entries, "a list of files", NULL))
    return;
  const uint64_t count = list_files(folder, entries, &total);
  qsort(entries, count, sizeof *entries, by_use);
  for (uint64_t i = 0; i < count && total > most; i++)
    if (remove_unused(folder, entries[i].name))
      total -= entries[i].bytes;
  qn_free(entries);
}

/* ---- Files ------------------------------------------------------------------ */

/* A file may be removed before it is locked: then there is another of its name, or none. One
 * that is created gets `*bytes`; else `*bytes` becomes its length. `create` is O_CREAT or 0. */
static int open_file(int folder, const char *name, int create, uint64_t *bytes) {
  struct stat about;
  for (unsigned attempt = 0; attempt < 8; attempt++) {
    const int file =
        openat(folder, name, O_RDWR | create | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
    if (file < 0)
      return -1;
    const bool locked =
        is_own(file, S_IFREG) && flock(file, LOCK_SH) == 0 && fstat(file, &about) == 0;
    if (locked && !create)
      *bytes = (uint64_t)about.st_size;
    if (locked && about.st_nlink == 1 &&
        ((uint64_t)about.st_size == *bytes || ftruncate(file, (off_t)*bytes) == 0)) {
      futimens(file, NULL);
      return file;
    }
    close(file);
    if (!locked || about.st_nlink != 0)
      return -1;
  }
  return -1;
}

static enum qn_status open_nameless(uint64_t bytes, int *descriptor, struct qn_error *error) {
  enum qn_status status = qn_scratch_open(bytes, descriptor, error);
  if (!status && ftruncate(*descriptor, (off_t)bytes) != 0) {
    status = qn_fail_errno(error, "no room for what comes from the server");
    close(*descriptor);
  }
  return status;
}

enum qn_status qn_cache_open(const char *name, uint64_t bytes, int *descriptor,
                             struct qn_error *error) {
  const uint64_t most = most_bytes();
  const int folder = most ? open_folder() : -1;
  *descriptor = -1;
  if (folder >= 0) {
    trim(folder, most);
    *descriptor = open_file(folder, name, O_CREAT, &bytes);
    close(folder);
  }
  return *descriptor >= 0 ? QN_OK : open_nameless(bytes, descriptor, error);
}

int qn_cache_find(const char *name, uint64_t *bytes) {
  const int folder = most_bytes() ? open_folder() : -1;
  const int file = folder >= 0 ? open_file(folder, name, 0, bytes) : -1;
  if (folder >= 0)
    close(folder);
  return file;
}

void qn_cache_rename(const char *name, const char *other) {
  const int folder = open_folder();
  if (folder < 0)
    return;
  renameat(folder, name, folder, other);
  close(folder);
}

void qn_cache_close(int descriptor) {
  if (descriptor < 0)
    return;
  close(descriptor);
  const int folder = open_folder();
  if (folder >= 0) {
    trim(folder, most_bytes());
    close(folder);
  }
}
