/* A scratch folder for one test program, and whole files in and out of memory. */
#pragma once

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char scratch_folder[256];

/* cmocka group setup and teardown. */
static inline int scratch_create(void **state) {
  (void)state;
  const char *parent = getenv("TMPDIR");
  snprintf(scratch_folder, sizeof scratch_folder, "%s/quern-test-XXXXXX", parent ? parent : "/tmp");
  return mkdtemp(scratch_folder) ? 0 : -1;
}

static inline int scratch_remove(void **state) {
  (void)state;
  char command[300];
  snprintf(command, sizeof command, "rm -rf '%s'", scratch_folder);
  return system(command);
}

/* The path of `name` in the scratch folder, which is made if the group has none (then TMPDIR keeps
 * it); valid until the fourth call after. */
static inline const char *scratch_path(const char *name) {
  static char paths[4][512];
  static unsigned next;
  char *path = paths[next++ % 4];
  if (!scratch_folder[0] && scratch_create(NULL) != 0)
    abort();
  snprintf(path, sizeof paths[0], "%s/%s", scratch_folder, name);
  return path;
}

/* The whole file, to be freed with free(). Aborts if it cannot be read. */
static inline uint8_t *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file)
    abort();
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  uint8_t *bytes = malloc(*size + 1);
  if (!bytes || fread(bytes, 1, *size, file) != *size)
    abort();
  fclose(file);
  return bytes;
}

/* How many names there are in a folder. Aborts if it cannot be read. */
static inline unsigned names_in(const char *folder) {
  unsigned count = 0;
  DIR *entries = opendir(folder);
  if (!entries)
    abort();
  for (struct dirent *entry; (entry = readdir(entries));)
    count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
  closedir(entries);
  return count;
}

static inline void write_file(const char *path, const void *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
    abort();
}
