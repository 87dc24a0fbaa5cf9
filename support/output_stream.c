#include "support/output_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/context.h"
#include "support/memory.h"

#define SENT_BYTES ((uint64_t)1 << 20)

bool qn_is_stream(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 && (S_ISFIFO(about.st_mode) || S_ISCHR(about.st_mode));
}

/* The descriptor of this process that the path names, or a link leads to; -1: none. */
static int descriptor_of(const char *path) {
  char name[PATH_MAX];
  static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
  if (strlen(path) >= sizeof name)
    return -1;
  strcpy(name, path);
  for (int links = 0; links < 40; links++) {
    if (strcmp(name, "/dev/stdout") == 0)
      return STDOUT_FILENO;
    if (strcmp(name, "/dev/stderr") == 0)
      return STDERR_FILENO;
    for (unsigned i = 0; i < sizeof folders / sizeof *folders; i++) {
      int number, length = 0;
      const size_t before = strlen(folders[i]);
      if (strncmp(name, folders[i], before) == 0 &&
          sscanf(name + before, "%9d%n", &number, &length) == 1 && !name[before + (size_t)length])
        return number;
    }
    char target[PATH_MAX];
    const ssize_t bytes = readlink(name, target, sizeof target - 1);
    if (bytes < 0 || *target != '/')
      return -1;
    target[bytes] = '\0';
    strcpy(name, target);
  }
  return -1;
}

bool qn_is_output_stream(const char *path) {
  return strcmp(path, "-") == 0 || descriptor_of(path) >= 0 || qn_is_stream(path);
}

bool qn_is_standard_output(const char *path) {
  struct stat about, standard;
  return strcmp(path, "-") == 0 ||
         (qn_is_output_stream(path) && stat(path, &about) == 0 &&
          fstat(STDOUT_FILENO, &standard) == 0 && about.st_dev == standard.st_dev &&
          about.st_ino == standard.st_ino);
}

FILE *qn_beside_output(const char *path) {
  return qn_is_standard_output(path) ? stderr : stdout;
}

enum qn_status qn_output_stream_open(const char *path, int *descriptor, struct qn_error *error) {
  const int named = descriptor_of(path);
  /* Opened anew, a file would be written from its begin. */
  *descriptor = strcmp(path, "-") == 0 ? STDOUT_FILENO
                : named >= 0           ? fcntl(named, F_DUPFD_CLOEXEC, 0)
                                       : open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (*descriptor >= 0)
    return QN_OK;
  qn_fail_errno(error, "cannot write");
  return qn_error_in_file(error, path), QN_SYSTEM;
}

void qn_output_stream_close(int descriptor) {
  if (descriptor >= 0 && descriptor != STDOUT_FILENO)
    close(descriptor);
}

enum qn_status qn_output_stream_write(int descriptor, const void *bytes, uint64_t length,
                                      struct qn_error *error) {
  const char *next = bytes;
  while (length) {
    ssize_t written = write(descriptor, next, length < (uint64_t)1 << 30 ? length : 1 << 30);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0) {
      __atomic_store_n(&qn_context()->reader_gone, errno == EPIPE, __ATOMIC_RELAXED);
      return qn_fail_errno(error, descriptor == STDOUT_FILENO ? "cannot write to standard output"
                                                              : "cannot write to the stream");
    }
    next += written;
    length -= (uint64_t)written;
  }
  return QN_OK;
}

enum qn_status qn_output_stream_send(int descriptor, int file, struct qn_error *error) {
  char *buffer;
  ssize_t got = 1;
  enum qn_status status = qn_alloc(&buffer, SENT_BYTES, 1, "a buffer", error);
  for (off_t offset = 0; got > 0 && !status; offset += got) {
    do
      got = pread(file, buffer, SENT_BYTES, offset);
    while (got < 0 && errno == EINTR);
    if (got < 0)
      status = qn_fail_errno(error, "cannot read back what was written");
    else
      status = qn_output_stream_write(descriptor, buffer, (uint64_t)got, error);
  }
  qn_free(buffer);
  return status;
}

bool qn_reader_has_gone(void) {
  return __atomic_load_n(&qn_context()->reader_gone, __ATOMIC_RELAXED);
}

bool qn_standard_output_is_deaf(void) {
  struct pollfd standard = {.fd = STDOUT_FILENO, .events = POLLOUT};
  return poll(&standard, 1, 0) == 1 && standard.revents & (POLLERR | POLLHUP);
}
