/* Preloaded into a tool, this writes over the tool's input while it works (test_overwrites.py): at
 * the n-th of the moments when a parallel region, a chunk of a parallel loop or an allocation
 * begins, counted from an opening of the input.
 *
 *   QUERN_OVERWRITE=N            0: never
 *   QUERN_OVERWRITE_FILE=FILE    the input
 *   QUERN_OVERWRITE_WITH=FILE    what is written over its beginning; an empty file cuts it to half
 *   QUERN_OVERWRITE_BACK=M       M moments later it is what it was
 *   QUERN_OVERWRITE_AGAIN=1      both in turn until the tool ends
 *   QUERN_OVERWRITE_OPENING=K    the K-th opening instead: some are looked at before they are read
 *   QUERN_OVERWRITE_COUNT=FILE   of 16 bytes or more: gets two u64, how many moments and openings */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
  uint64_t nth, back, opening;
  bool again;
  struct stat input;
  int descriptor;
  char *old_bytes, *new_bytes;
  uint64_t num_old, num_new;
} plan;

static atomic_bool armed;
static _Atomic uint64_t own_counts[2], *count = own_counts, *num_openings = own_counts + 1;

static char *map(const char *path, int protection, uint64_t *bytes) {
  struct stat about;
  int descriptor = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR) : -1;
  if (descriptor < 0 || fstat(descriptor, &about) != 0 || about.st_size == 0)
    return NULL;
  *bytes = (uint64_t)about.st_size;
  return (char *)syscall(SYS_mmap, NULL, *bytes, protection, MAP_SHARED, descriptor, 0);
}

static uint64_t number(const char *name) {
  const char *text = getenv(name);
  return text ? strtoull(text, NULL, 10) : 0;
}

__attribute__((constructor)) static void read_environment(void) {
  uint64_t bytes;
  const char *input = getenv("QUERN_OVERWRITE_FILE");
  char *kept = map(input, PROT_READ, &plan.num_old);
  if (!kept)
    return;
  plan.old_bytes =
      mmap(NULL, plan.num_old, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (uint64_t i = 0; i < plan.num_old; i++)
    plan.old_bytes[i] = kept[i];
  plan.descriptor = (int)syscall(SYS_openat, AT_FDCWD, input, O_RDWR);
  plan.new_bytes = map(getenv("QUERN_OVERWRITE_WITH"), PROT_READ, &plan.num_new);
  if (plan.num_new > plan.num_old)
    plan.num_new = plan.num_old;
  plan.nth = number("QUERN_OVERWRITE");
  plan.back = number("QUERN_OVERWRITE_BACK");
  plan.again = number("QUERN_OVERWRITE_AGAIN");
  plan.opening = number("QUERN_OVERWRITE_OPENING");
  char *counted = map(getenv("QUERN_OVERWRITE_COUNT"), PROT_READ | PROT_WRITE, &bytes);
  if (counted)
    count = (_Atomic uint64_t *)(void *)counted, num_openings = count + 1;
  fstat(plan.descriptor, &plan.input);
}

static void overwrite(const char *bytes, uint64_t length) {
  if (length == 0)
    syscall(SYS_ftruncate, plan.descriptor, plan.num_old / 2);
  else
    syscall(SYS_pwrite64, plan.descriptor, bytes, length, 0);
}

static void *go_on(void *unused) {
  (void)unused;
  for (;;) {
    overwrite(plan.old_bytes, plan.num_old);
    overwrite(plan.new_bytes, plan.num_new);
  }
  return NULL;
}

static void *next_of(const char *name) {
  bool was = atomic_exchange(&armed, false); /* dlsym may allocate */
  void *next = dlsym(RTLD_NEXT, name);
  atomic_store(&armed, was);
  return next;
}
#define NEXT(name) ((__typeof__(&name))next_of(#name))

static void moment(void) {
  if (!atomic_load_explicit(&armed, memory_order_relaxed))
    return;
  uint64_t now = atomic_fetch_add(count, 1) + 1;
  if (plan.nth == 0 || now < plan.nth)
    return;
  if (now == plan.nth) {
    overwrite(plan.new_bytes, plan.num_new);
    if (plan.again) {
      pthread_t thread;
      NEXT(pthread_create)(&thread, NULL, go_on, NULL);
    }
  } else if (plan.back && now == plan.nth + plan.back) {
    overwrite(plan.old_bytes, plan.num_old);
  }
}

/* ---- Openings --------------------------------------------------------------- */

static int open_at(int folder, const char *path, int flags, mode_t mode) {
  struct stat about;
  int descriptor = (int)syscall(SYS_openat, folder, path, flags, mode);
  if (descriptor >= 0 && plan.old_bytes && fstat(descriptor, &about) == 0 &&
      about.st_ino == plan.input.st_ino && about.st_dev == plan.input.st_dev &&
      atomic_fetch_add(num_openings, 1) + 1 >= plan.opening)
    atomic_store(&armed, true);
  return descriptor;
}

#include "open.h"

/* ---- Moments ---------------------------------------------------------------- */

void GOMP_parallel(void (*run)(void *), void *data, unsigned threads, unsigned flags);
void GOMP_parallel(void (*run)(void *), void *data, unsigned threads, unsigned flags) {
  moment();
  NEXT(GOMP_parallel)(run, data, threads, flags);
}

typedef unsigned long long ull;

bool GOMP_loop_ull_nonmonotonic_dynamic_next(ull *begin, ull *end);
bool GOMP_loop_ull_nonmonotonic_dynamic_next(ull *begin, ull *end) {
  static __typeof__(&GOMP_loop_ull_nonmonotonic_dynamic_next) next;
  moment();
  if (!next)
    next = NEXT(GOMP_loop_ull_nonmonotonic_dynamic_next);
  return next(begin, end);
}

bool GOMP_loop_nonmonotonic_dynamic_next(long *begin, long *end);
bool GOMP_loop_nonmonotonic_dynamic_next(long *begin, long *end) {
  static __typeof__(&GOMP_loop_nonmonotonic_dynamic_next) next;
  moment();
  if (!next)
    next = NEXT(GOMP_loop_nonmonotonic_dynamic_next);
  return next(begin, end);
}

extern void *__libc_malloc(size_t bytes);

void *malloc(size_t bytes) {
  moment();
  return __libc_malloc(bytes);
}

void *mmap(void *address, size_t bytes, int protection, int flags, int descriptor, off_t offset) {
  moment();
  return (void *)syscall(SYS_mmap, address, bytes, protection, flags, descriptor, offset);
}
