#include "support/system/processors.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "support/system/control_groups.h"

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

/* Of version 1 the period has a file of its own, of version 2 it stands behind the time. */
static uint64_t period_of(const char *folder, uint64_t time) {
  char first[32];
  snprintf(first, sizeof first, "%" PRIu64, time);
  const uint64_t period = qn_control_group_number(folder, "cpu.max", first);
  return period == UINT64_MAX ? qn_control_group_number(folder, "cpu.cfs_period_us", NULL) : period;
}

/* What a group's share of the processors' time is worth. */
static uint64_t processors_of(const char *folder) {
  uint64_t time = qn_control_group_number(folder, "cpu.max", NULL);
  if (time == UINT64_MAX)
    time = qn_control_group_number(folder, "cpu.cfs_quota_us", NULL);
  const uint64_t period = period_of(folder, time);
  if (time == 0 || time == UINT64_MAX || period == 0 || period == UINT64_MAX)
    return UINT64_MAX;
  return time / period + (time % period != 0);
}

unsigned qn_processors_of_groups(const char *mounted, const char *own) {
  const uint64_t least = qn_control_groups_least(mounted, own, "cpu", processors_of);
  return least < UINT_MAX ? (unsigned)least : UINT_MAX;
}

unsigned qn_processors_usual(void) {
  const unsigned all = (unsigned)omp_get_num_procs();
  if (given())
    return given();
  const unsigned most = qn_processors_of_groups(QN_GROUPS_MOUNTED, QN_GROUPS_OWN);
  return all < most ? all : most;
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
