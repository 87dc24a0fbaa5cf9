/* Preloaded into a tool, this makes the n-th call of one function fail, or all calls from the n-th
 * on (test_faults.py). Calls are counted from main() on: what the loader and libraries do before is
 * not the tool's.
 *
 *   QUERN_FAULT=NAME:N[+]     the N-th call of NAME fails, with + all after it too
 *   QUERN_FAULT_COUNTS=FILE   of at least COUNTS_BYTES: how often each was called, in NAMES' order,
 * as u64 QUERN_FAULT_NO_TMPFILE=1  the file system knows no O_TMPFILE */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum function {
  OPEN,
  READ,
  PREAD,
  WRITE,
  PWRITE,
  MMAP,
  RENAME,
  LINK,
  FSYNC,
  FTRUNCATE,
  UNLINK,
  CLOSE,
  THREAD,
  MALLOC,
  CALLOC,
  REALLOC,
  FUNCTIONS
};
static const char *const names[] = {
    "open",  "read",      "pread",  "write", "pwrite",         "mmap",   "rename", "link",
    "fsync", "ftruncate", "unlink", "close", "pthread_create", "malloc", "calloc", "realloc"};
#define COUNTS_BYTES 4096

static atomic_bool armed;
static bool no_tmpfile, and_all_after;
static enum function chosen = FUNCTIONS;
static uint64_t nth;
static _Atomic uint64_t own_counts[FUNCTIONS], *counts = own_counts;

/* Count a call; whether it is to fail. */
static bool fails(enum function function, int error) {
  if (!atomic_load(&armed))
    return false;
  uint64_t count = atomic_fetch_add(&counts[function], 1) + 1;
  if (function != chosen || count < nth || (count > nth && !and_all_after))
    return false;
  errno = error;
  return true;
}

static void read_environment(void) {
  const char *fault = getenv("QUERN_FAULT"), *file = getenv("QUERN_FAULT_COUNTS");
  no_tmpfile = getenv("QUERN_FAULT_NO_TMPFILE") != NULL;
  for (int i = 0; fault && i < FUNCTIONS; i++) {
    size_t length = strlen(names[i]);
    if (strncmp(fault, names[i], length) == 0 && fault[length] == ':') {
      chosen = (enum function)i;
      nth = strtoull(fault + length + 1, NULL, 10);
      and_all_after = fault[strlen(fault) - 1] == '+';
    }
  }
  int descriptor = file ? (int)syscall(SYS_openat, AT_FDCWD, file, O_RDWR) : -1;
  if (descriptor < 0)
    return;
  void *mapping = (void *)syscall(SYS_mmap, NULL, COUNTS_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
                                  descriptor, 0);
  if (mapping != MAP_FAILED)
    counts = mapping;
  syscall(SYS_close, descriptor);
}

/* ---- From main() on --------------------------------------------------------- */

static int (*tool_main)(int, char **, char **);

static int armed_main(int argc, char **argv, char **environment) {
  read_environment();
  atomic_store(&armed, true);
  return tool_main(argc, argv, environment);
}

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end);
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end) {
  __typeof__(&__libc_start_main) next =
      (__typeof__(&__libc_start_main))dlsym(RTLD_NEXT, "__libc_start_main");
  tool_main = main;
  return next(armed_main, argc, argv, init, fini, rtld_fini, stack_end);
}

/* ---- The functions ---------------------------------------------------------- */

#define NEXT(name) ((__typeof__(&name))next_of(#name))

static void *next_of(const char *name) {
  bool was = atomic_exchange(&armed, false); /* dlsym may allocate */
  void *next = dlsym(RTLD_NEXT, name);
  atomic_store(&armed, was);
  return next;
}

static int open_at(int folder, const char *path, int flags, mode_t mode) {
  if (fails(OPEN, EMFILE))
    return -1;
  if (no_tmpfile && (flags & O_TMPFILE) == O_TMPFILE) {
    errno = EOPNOTSUPP;
    return -1;
  }
  return (int)syscall(SYS_openat, folder, path, flags, mode);
}

#include "open.h"

FILE *fopen(const char *path, const char *mode) {
  return fails(OPEN, EMFILE) ? NULL : NEXT(fopen)(path, mode);
}

ssize_t read(int descriptor, void *bytes, size_t count) {
  return fails(READ, EIO) ? -1 : syscall(SYS_read, descriptor, bytes, count);
}

ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) {
  return fails(PREAD, EIO) ? -1 : syscall(SYS_pread64, descriptor, bytes, count, offset);
}

ssize_t pread64(int descriptor, void *bytes, size_t count, off_t offset) {
  return pread(descriptor, bytes, count, offset);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  return fails(WRITE, ENOSPC) ? -1 : syscall(SYS_write, descriptor, bytes, count);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  return fails(PWRITE, ENOSPC) ? -1 : syscall(SYS_pwrite64, descriptor, bytes, count, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off_t offset) {
  return pwrite(descriptor, bytes, count, offset);
}

void *mmap(void *address, size_t bytes, int protection, int flags, int descriptor, off_t offset) {
  if (fails(MMAP, ENOMEM))
    return MAP_FAILED;
  return (void *)syscall(SYS_mmap, address, bytes, protection, flags, descriptor, offset);
}

void *mmap64(void *address, size_t bytes, int protection, int flags, int descriptor, off_t offset) {
  return mmap(address, bytes, protection, flags, descriptor, offset);
}

int rename(const char *from, const char *to) {
  return fails(RENAME, EIO) ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
  return fails(RENAME, EIO) ? -1
                            : (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}

int link(const char *from, const char *to) {
  return fails(LINK, EIO) ? -1 : (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
  return fails(LINK, EIO) ? -1 : (int)syscall(SYS_linkat, from_folder, from, to_folder, to, flags);
}

int fsync(int descriptor) {
  return fails(FSYNC, EIO) ? -1 : (int)syscall(SYS_fsync, descriptor);
}

int ftruncate(int descriptor, off_t bytes) {
  return fails(FTRUNCATE, ENOSPC) ? -1 : (int)syscall(SYS_ftruncate, descriptor, bytes);
}

int ftruncate64(int descriptor, off_t bytes) {
  return ftruncate(descriptor, bytes);
}

int fallocate(int descriptor, int mode, off_t offset, off_t bytes) {
  return fails(FTRUNCATE, ENOSPC) ? -1
                                  : (int)syscall(SYS_fallocate, descriptor, mode, offset, bytes);
}

int fallocate64(int descriptor, int mode, off_t offset, off_t bytes) {
  return fallocate(descriptor, mode, offset, bytes);
}

int unlink(const char *path) {
  return fails(UNLINK, EACCES) ? -1 : (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int unlinkat(int folder, const char *path, int flags) {
  return fails(UNLINK, EACCES) ? -1 : (int)syscall(SYS_unlinkat, folder, path, flags);
}

int close(int descriptor) {
  bool failed = fails(CLOSE, EIO);
  int result = (int)syscall(SYS_close, descriptor);
  return failed ? -1 : result;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *argument) {
  return fails(THREAD, EAGAIN) ? EAGAIN : NEXT(pthread_create)(thread, attributes, run, argument);
}

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *memory, size_t bytes);

void *malloc(size_t bytes) {
  return fails(MALLOC, ENOMEM) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes) {
  return fails(CALLOC, ENOMEM) ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes) {
  return fails(REALLOC, ENOMEM) ? NULL : __libc_realloc(memory, bytes);
}
