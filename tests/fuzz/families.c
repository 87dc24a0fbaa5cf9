/* All fuzz targets, and what they share. */
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "support/threads.h"

extern const struct fuzz_family fuzz_afar, fuzz_archive, fuzz_bundle, fuzz_container, fuzz_filters,
    fuzz_labels, fuzz_layouts, fuzz_names, fuzz_packings, fuzz_readers, fuzz_recipes, fuzz_results,
    fuzz_set, fuzz_webgraph;

const struct fuzz_family *const fuzz_families[] = {
    &fuzz_afar,    &fuzz_archive, &fuzz_bundle, &fuzz_container, &fuzz_filters,
    &fuzz_labels,  &fuzz_layouts, &fuzz_names,  &fuzz_packings,  &fuzz_readers,
    &fuzz_recipes, &fuzz_results, &fuzz_set,    &fuzz_webgraph,  NULL};

bool fuzz_searching;

/* libhdf5 loses some of what it read of a damaged file. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
  return "leak:libhdf5\n";
}

/* One thread: a team would cost more than most inputs take. And arrays without reservations around
 * them (support/memory.h), which where address space is limited there are none of: so they come
 * from the heap (memory_file.c), where their ends are watched, and cost less. */
void fuzz_begin(void) {
  struct rlimit limit;
  qn_threads_set(1);
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY) {
    limit.rlim_cur = (rlim_t)1 << 60;
    setrlimit(RLIMIT_AS, &limit);
  }
}

unsigned fuzz_choices(const uint8_t *data, size_t size) {
  unsigned hash = (unsigned)size;
  for (size_t i = 0; i < size; i++)
    hash = hash * 31 + data[i];
  return hash ^ hash >> 16;
}

bool fuzz_sometimes(const uint8_t *data, size_t size) {
  return !fuzz_searching || fuzz_choices(data, size) % 61 == 0;
}

void fuzz_broken(const char *promise, const char *file, int line) {
  fprintf(stderr, "%s:%d: broken promise: %s\n", file, line, promise);
  abort();
}
