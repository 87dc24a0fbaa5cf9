#include "support/system/processors.h"

#include <ctype.h>
#include <limits.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* As OpenMP reads it: what does not begin with digits says nothing. */
static unsigned given(void) {
  const char *text = getenv("OMP_NUM_THREADS");
  while (text && isspace((unsigned char)*text))
    text++;
  if (!text || !isdigit((unsigned char)*text)) /* strtoul takes -1 for many */
    return 0;
  const unsigned long count = strtoul(text, NULL, 10);
  return count < INT_MAX ? (unsigned)count : INT_MAX;
}

bool qn_processors_are_given(void) {
  return given() != 0;
}

/* This process's group of version 2, below where groups are mounted; there if it is not told. */
static void own_group(char *group, size_t size) {
  FILE *file = fopen("/proc/self/cgroup", "re");
  group[0] = '\0';
  while (file && fgets(group, (int)size, file) && strncmp(group, "0::", 3) != 0)
    group[0] = '\0';
  if (file)
    fclose(file);
  if (group[0])
    memmove(group, group + 3, strcspn(group, "\n") - 2);
  group[strcspn(group, "\n")] = '\0';
}

unsigned qn_processors_usual(void) {
  const unsigned all = (unsigned)omp_get_num_procs();
  char group[PATH_MAX];
  if (given())
    return given();
  own_group(group, sizeof group);
  const unsigned most = qn_processors_of_group("/sys/fs/cgroup", group);
  return all < most ? all : most;
}

/* Of one group. */
static unsigned limit_of(const char *folder) {
  char path[PATH_MAX + sizeof "/cpu.max"];
  unsigned long long time, period;
  snprintf(path, sizeof path, "%s/cpu.max", folder);
  FILE *file = fopen(path, "re");
  const bool limited =
      file && fscanf(file, "%llu %llu", &time, &period) == 2 && time > 0 && period > 0;
  if (file)
    fclose(file);
  if (!limited || time / period >= INT_MAX)
    return UINT_MAX;
  return (unsigned)(time / period) + (time % period != 0);
}

unsigned qn_processors_of_group(const char *mount, const char *group) {
  char path[PATH_MAX];
  unsigned least = UINT_MAX;
  if (snprintf(path, sizeof path, "%s%s", mount, group) >= (int)sizeof path)
    return limit_of(mount);
  const char *first = path + strlen(mount);
  for (char *end = path + strlen(path); end && end >= first; end = strrchr(path, '/')) {
    *end = '\0';
    const unsigned limit = limit_of(path);
    least = limit < least ? limit : least;
  }
  return least;
}

bool qn_files_are_small(const char *const *paths, int num_paths, uint64_t few) {
  uint64_t bytes = 0;
  struct stat about;
  for (int i = 0; i < num_paths; i++) {
    if (stat(paths[i], &about) != 0 || !S_ISREG(about.st_mode) || (uint64_t)about.st_size >= few)
      return false;
    bytes += (uint64_t)about.st_size;
  }
  return num_paths > 0 && bytes < few;
}
