/* What Linux and glibc have and macOS lacks, under the same names: the build for macOS includes
 * this before each file. Nothing here is tried on macOS; a test compares what it can with glibc,
 * with QN_STAND_IN(name) as another name. What only makes things faster does nothing. */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __APPLE__
#define QN_STAND_IN(name) name
#else
#define QN_STAND_IN(name) qn_stand_in_##name
#endif

/* ---- Bytes ------------------------------------------------------------------ */

static inline void *QN_STAND_IN(mempcpy)(void *to, const void *from, size_t bytes) {
  return (char *)memcpy(to, from, bytes) + bytes;
}

static inline void *QN_STAND_IN(memrchr)(const void *bytes, int value, size_t count) {
  const unsigned char *first = (const unsigned char *)bytes;
  while (count > 0)
    if (first[--count] == (unsigned char)value)
      return (void *)(uintptr_t)(first + count);
  return NULL;
}

static inline char *QN_STAND_IN(strchrnul)(const char *text, int value) {
  const char *found = strchr(text, value);
  return (char *)(uintptr_t)(found ? found : text + strlen(text));
}

/* ---- Files ------------------------------------------------------------------ */

static inline int QN_STAND_IN(pipe2)(int ends[2], int flags) {
  if (pipe(ends) != 0)
    return -1;
  for (int i = 0; i < 2 && flags & O_CLOEXEC; i++)
    fcntl(ends[i], F_SETFD, FD_CLOEXEC);
  return 0;
}

/* The name is for debuggers alone. */
static inline int QN_STAND_IN(memfd_create)(const char *name, unsigned flags) {
  char path[] = "/tmp/quern-XXXXXX";
  const int descriptor = mkstemp(path);
  (void)name;
  (void)flags;
  if (descriptor >= 0 && (unlink(path) != 0 || fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0))
    return close(descriptor), -1;
  return descriptor;
}

/* Callers take another way then. */
static inline int QN_STAND_IN(fallocate)(int descriptor, int mode, off_t offset, off_t bytes) {
  (void)descriptor, (void)mode, (void)offset, (void)bytes;
  errno = EOPNOTSUPP;
  return -1;
}

static inline int QN_STAND_IN(posix_fadvise)(int descriptor, off_t offset, off_t bytes,
                                             int advice) {
  (void)descriptor, (void)offset, (void)bytes, (void)advice;
  return 0;
}

#ifdef __APPLE__

#include <pthread.h>
#include <sched.h>

#define QN_NO_FLAG 0
#define MFD_CLOEXEC QN_NO_FLAG
#define POSIX_FADV_WILLNEED QN_NO_FLAG
#define POSIX_FADV_SEQUENTIAL QN_NO_FLAG
#define MAP_POPULATE QN_NO_FLAG
/* No file has its name later: O_TMPFILE is refused, as file systems refuse it, because /proc is not
 * there (support/atomic_file.c). */
#define O_TMPFILE QN_NO_FLAG
/* Advice that macOS does not know is refused by madvise, and nobody asks. */
#define MADV_HUGEPAGE (-1)
#define MADV_NOHUGEPAGE (-1)
#define MADV_POPULATE_WRITE (-1)

#define st_mtim st_mtimespec
#define st_ctim st_ctimespec
#define program_invocation_short_name ((char *)(uintptr_t)getprogname())

/* Both names are of one file system; folders' descriptors are not used with them. */
#define RENAME_NOREPLACE RENAME_EXCL
#define RENAME_EXCHANGE RENAME_SWAP
#define renameat2(from_folder, from, to_folder, to, flags) renamex_np(from, to, flags)

/* The clock of conditions is the calendar's: a wait may be longer where somebody sets it. */
#define pthread_condattr_setclock(attributes, clock) ((void)(attributes), (void)(clock), 0)

/* macOS's qsort_r has its arguments in another order. */
struct qn_comparison {
  int (*compare)(const void *, const void *, void *);
  void *context;
};

static inline int qn_compare(void *comparison, const void *a, const void *b) {
  const struct qn_comparison *how = (const struct qn_comparison *)comparison;
  return how->compare(a, b, how->context);
}

static inline void qn_qsort_r(void *base, size_t count, size_t bytes,
                              int (*compare)(const void *, const void *, void *), void *context) {
  struct qn_comparison how = {compare, context};
  qsort_r(base, count, bytes, &how, qn_compare);
}
#define qsort_r qn_qsort_r

/* Streams that functions of ours write: only these are asked for. */
typedef struct {
  ssize_t (*read)(void *, char *, size_t);
  ssize_t (*write)(void *, const char *, size_t);
  int (*seek)(void *, off_t *, int);
  int (*close)(void *);
} cookie_io_functions_t;

struct qn_cookie {
  void *cookie;
  ssize_t (*write)(void *, const char *, size_t);
};

static inline int qn_cookie_write(void *stream, const char *bytes, int count) {
  const struct qn_cookie *of = (const struct qn_cookie *)stream;
  return (int)of->write(of->cookie, bytes, (size_t)count);
}

/* What stands for the stream lives as long as the process: standard output and standard error. */
static inline FILE *fopencookie(void *cookie, const char *mode, cookie_io_functions_t functions) {
  struct qn_cookie *of = (struct qn_cookie *)malloc(sizeof *of);
  (void)mode;
  if (!of)
    return NULL;
  *of = (struct qn_cookie){cookie, functions.write};
  return funopen(of, NULL, qn_cookie_write, NULL, NULL);
}

#endif
