#include "kernels/ranks/shared.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "support/checked.h"
#include "support/memory.h"

/* The file ends with a mark, behind what is mapped: where processes are numbered apart, a number
 * is another process's. */
static bool find_end(uint64_t count, uint64_t size, uint64_t *end) {
  return qn_mul_u64(count, size, end) && *end <= INT64_MAX - sizeof(int);
}

static void *map(int descriptor, uint64_t count, uint64_t size) {
  void *memory;
  if (qn_pages_map(&memory, descriptor, 0, count, size, "memory of ranks", NULL))
    return NULL;
  madvise(memory, count * size, MADV_HUGEPAGE);
  return memory;
}

static int new_mark(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int)((uint64_t)now.tv_nsec ^ (uint64_t)now.tv_sec << 10);
}

void qn_shared_create(uint64_t count, uint64_t size, void **memory, struct qn_shared_place *place) {
  uint64_t end;
  *memory = NULL;
  *place = (struct qn_shared_place){.mark = new_mark()};
  if (!find_end(count, size, &end))
    return;
  place->descriptor = memfd_create("quern ranks", MFD_CLOEXEC);
  if (place->descriptor < 0)
    return;
  if (pwrite(place->descriptor, &place->mark, sizeof place->mark, (off_t)end) == sizeof place->mark)
    *memory = map(place->descriptor, count, size);
  place->process = (int)getpid();
  if (!*memory)
    qn_shared_close(place);
}

void qn_shared_close(struct qn_shared_place *place) {
  if (place->process)
    close(place->descriptor);
  place->process = 0;
}

static bool is_marked(int descriptor, uint64_t end, int mark) {
  struct stat about;
  int found;
  return !fstat(descriptor, &about) && S_ISREG(about.st_mode) &&
         (uint64_t)about.st_size == end + sizeof found &&
         pread(descriptor, &found, sizeof found, (off_t)end) == sizeof found && found == mark;
}

void *qn_shared_open(uint64_t count, uint64_t size, const struct qn_shared_place *place) {
  char path[64];
  uint64_t end;
  if (!place->process || !find_end(count, size, &end))
    return NULL;
  snprintf(path, sizeof path, "/proc/%d/fd/%d", place->process, place->descriptor);
  const int descriptor = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return NULL;
  void *memory = is_marked(descriptor, end, place->mark) ? map(descriptor, count, size) : NULL;
  close(descriptor);
  return memory;
}
