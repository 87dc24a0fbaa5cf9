#include "runtime/sets/ahead.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

#include "support/memory_plan.h"
#include "support/threads.h"

/* Bytes that are asked for at a time: of more the system reads the first ones alone. */
#define STEP ((uint64_t)128 << 10)
/* Files that are so small together are read before a thread has begun. */
#define SMALL ((uint64_t)1 << 20)

static bool stops(const struct qn_set_ahead *ahead) {
  return __atomic_load_n(&ahead->stops, __ATOMIC_RELAXED);
}

/* To ask for what is there costs the system a look at each page of it. */
static bool is_there(int descriptor, uint64_t at) {
#ifdef RWF_NOWAIT
  char byte;
  const struct iovec one = {.iov_base = &byte, .iov_len = 1};
  return preadv2(descriptor, &one, 1, (off_t)at, RWF_NOWAIT) == 1;
#else
  (void)descriptor, (void)at;
  return false;
#endif
}

/* Whoever opens the file says what is wrong with it. */
static void read_part(struct qn_set_ahead *ahead, const struct qn_set_file *file) {
  char path[PATH_MAX];
  if (snprintf(path, sizeof path, "%s/%s", ahead->set->path, file->name) >= (int)sizeof path)
    return;
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return;
  for (uint64_t at = 0; at < file->bytes && !stops(ahead); at += STEP)
    if (!is_there(descriptor, at) &&
        posix_fadvise(descriptor, (off_t)at, (off_t)STEP, POSIX_FADV_WILLNEED))
      break;
  close(descriptor);
}

static void *read_all(void *argument) {
  struct qn_set_ahead *ahead = argument;
  for (uint64_t i = ahead->first; i < ahead->end && !stops(ahead); i++) {
    const struct qn_set_file *file = &ahead->set->parts[i].file;
    if (file->bytes > ahead->budget)
      break;
    ahead->budget -= file->bytes;
    read_part(ahead, file);
  }
  return NULL;
}

void qn_set_ahead_begin(struct qn_set_ahead *ahead, const struct qn_set *set, uint64_t first,
                        uint64_t end) {
  uint64_t bytes = 0;
  for (uint64_t i = first; i < end && bytes < SMALL; i++)
    bytes += set->parts[i].file.bytes < SMALL ? set->parts[i].file.bytes : SMALL;
  if (bytes < SMALL)
    return;
  *ahead = (struct qn_set_ahead){
      .set = set, .first = first, .end = end, .budget = qn_memory_available() / 2};
  ahead->runs = qn_thread_start(&ahead->thread, read_all, ahead) == 0;
}

void qn_set_ahead_end(struct qn_set_ahead *ahead) {
  if (!ahead->runs)
    return;
  __atomic_store_n(&ahead->stops, true, __ATOMIC_RELAXED);
  pthread_join(ahead->thread, NULL);
  ahead->runs = false;
}
