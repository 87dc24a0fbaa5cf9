#include "formats/container/prefault.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <time.h>

#include "support/threads.h"

#define GET(field) __atomic_load_n(field, __ATOMIC_ACQUIRE)
#define SET(field, value) __atomic_store_n(field, value, __ATOMIC_RELEASE)

/* Bytes that are taken at a time. */
#define STEP ((uint64_t)8 << 20)

/* So few write what others would wait to write; pages that are written whole are not cleared. */
#define FEW_THREADS 2

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14; others refuse it */
#endif

bool qn_lies_in_memory(int descriptor) {
  struct statfs about;
  return fstatfs(descriptor, &about) == 0 && about.f_type == TMPFS_MAGIC;
}

bool qn_prefault_helps(int descriptor) {
  return qn_threads() > FEW_THREADS && qn_lies_in_memory(descriptor);
}

static bool take(int descriptor, uint64_t begin, uint64_t end) {
  int failed;
  do {
    failed = fallocate(descriptor, 0, (off_t)begin, (off_t)(end - begin));
  } while (failed && errno == EINTR);
  return !failed;
}

/* A little at a time: who maps anything meanwhile waits, as a device does that starts. Or faults
 * map them. */
static void map_pages(char *mapping, uint64_t begin, uint64_t end) {
  const uint64_t step = (uint64_t)128 << 10;
  for (uint64_t at = begin; at < end; at += step)
    madvise(mapping + at, end - at < step ? end - at : step, MADV_POPULATE_WRITE);
}

/* Who needs what cannot be taken tries it again, and says what is wrong. */
static void *take_all(void *argument) {
  struct qn_prefault *ahead = argument;
  while (!GET(&ahead->stops) && !GET(&ahead->failed)) {
    uint64_t begin = GET(&ahead->taken), end = GET(&ahead->end);
    end = end < begin + STEP ? end : begin + STEP;
    if (end <= begin)
      nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    else if (!take(ahead->descriptor, begin, end))
      SET(&ahead->failed, true);
    else {
      if (ahead->mapping)
        map_pages(ahead->mapping, begin, end);
      SET(&ahead->taken, end);
    }
  }
  return NULL;
}

void qn_prefault_begin(struct qn_prefault *ahead, int descriptor, uint64_t first) {
  ahead->descriptor = descriptor;
  SET(&ahead->taken, first);
  ahead->runs = qn_thread_start(&ahead->thread, take_all, ahead) == 0;
  if (!ahead->runs)
    SET(&ahead->taken, 0);
}

void qn_prefault_expect(struct qn_prefault *ahead, uint64_t end) {
  uint64_t known = GET(&ahead->end);
  while (known < end && !__atomic_compare_exchange_n(&ahead->end, &known, end, true,
                                                     __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    continue;
}

void qn_prefault_pause(void) {
  nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
}

bool qn_prefault_has(struct qn_prefault *ahead, uint64_t end) {
  while (ahead->runs && GET(&ahead->taken) < end && GET(&ahead->end) >= end && !GET(&ahead->failed))
    qn_prefault_pause();
  return GET(&ahead->taken) >= end;
}

void qn_prefault_stop(struct qn_prefault *ahead) {
  if (!ahead->runs)
    return;
  SET(&ahead->stops, true);
  pthread_join(ahead->thread, NULL);
  ahead->runs = false;
}
