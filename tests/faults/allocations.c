/* Preloaded into a tool, this lets one allocation fail, or counts them all.
 *
 *   QUERN_ALLOCATION=N      the N-th, from 1
 *   QUERN_ALLOCATIONS=FILE  how many there were goes to the file at the end */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *memory, size_t bytes);

static unsigned long nth;
static atomic_ulong count;

__attribute__((constructor)) static void read_environment(void) {
  const char *given = getenv("QUERN_ALLOCATION");
  nth = given ? strtoul(given, NULL, 10) : 0;
  count = 0; /* what came before is not the tool's */
}

__attribute__((destructor)) static void write_count(void) {
  const char *path = getenv("QUERN_ALLOCATIONS");
  FILE *file = path ? fopen(path, "w") : NULL;
  if (file) {
    fprintf(file, "%lu\n", (unsigned long)count);
    fclose(file);
  }
}

static int fails(void) {
  if (atomic_fetch_add(&count, 1) + 1 != nth)
    return 0;
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t bytes) {
  return fails() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t number, size_t bytes) {
  return fails() ? NULL : __libc_calloc(number, bytes);
}

void *realloc(void *memory, size_t bytes) {
  return fails() ? NULL : __libc_realloc(memory, bytes);
}
