#include "support/temp_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "support/checked.h"
#include "support/context.h"
#include "support/memory.h"
#include "support/memory_plan.h"
#include "support/sizes.h"

/* ---- The limit ------------------------------------------------------------ */

void qn_memory_limit_set(uint64_t bytes, const char *folder) {
  qn_context()->memory_limit = bytes;
  qn_context()->temp_folder = folder;
}

uint64_t qn_memory_limit(void) {
  return qn_context()->memory_limit;
}

const char *qn_temp_folder(void) {
  return qn_context()->temp_folder;
}

enum qn_status qn_free_space(const char *folder, uint64_t *bytes, struct qn_error *error) {
  struct statvfs about;
  if (statvfs(folder, &about) == 0 && qn_mul_u64(about.f_bavail, about.f_frsize, bytes))
    return QN_OK;
  qn_fail_errno(error, "cannot tell how much space there is");
  return qn_error_in_file(error, folder), QN_SYSTEM;
}

/* ---- Files ---------------------------------------------------------------- */

struct qn_temp_file {
  int descriptor;
  char *folder;
  atomic_uint_least64_t bytes;
};

/* Where there are no files without a name, one whose name is taken away at once; no signal comes in
 * between. */
static int open_and_unlink(const char *folder) {
  char path[PATH_MAX];
  sigset_t all, before;
  if ((size_t)snprintf(path, sizeof path, "%s/quern-XXXXXX", folder) >= sizeof path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int descriptor = mkostemp(path, O_CLOEXEC);
  int cause = errno;
  if (descriptor >= 0)
    unlink(path);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = cause;
  return descriptor;
}

enum qn_status qn_nameless_open(const char *folder, int *descriptor, struct qn_error *error) {
  *descriptor = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (*descriptor < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL))
    *descriptor = open_and_unlink(folder);
  if (*descriptor >= 0)
    return QN_OK;
  qn_fail_errno(error, "cannot create a temporary file (see --tmpdir)");
  return qn_error_in_file(error, folder), QN_SYSTEM;
}

enum qn_status qn_temp_file_create(const char *folder, struct qn_temp_file **out,
                                   struct qn_error *error) {
  struct qn_temp_file *file;
  *out = NULL;
  enum qn_status status = qn_alloc_zeroed(&file, 1, sizeof *file, "a temporary file", error);
  if (status)
    return status;
  file->descriptor = -1;
  status = qn_alloc(&file->folder, strlen(folder) + 1, 1, "a path", error);
  if (!status) {
    strcpy(file->folder, folder);
    status = qn_nameless_open(folder, &file->descriptor, error);
  }
  if (status) {
    qn_temp_file_destroy(file);
    return status;
  }
  *out = file;
  return QN_OK;
}

void qn_temp_file_destroy(struct qn_temp_file *file) {
  if (!file)
    return;
  if (file->descriptor >= 0)
    close(file->descriptor);
  qn_free(file->folder);
  qn_free(file);
}

static enum qn_status fail_write(const char *folder, uint64_t bytes, struct qn_error *error) {
  char text[32];
  int cause = errno;
  qn_size_text(bytes, text, sizeof text);
  errno = cause;
  qn_fail_errno(error, "cannot write temporary data beyond %s; --tmpdir chooses another folder",
                text);
  return qn_error_in_file(error, folder), QN_SYSTEM;
}

enum qn_status qn_temp_file_append(struct qn_temp_file *file, const void *bytes, uint64_t length,
                                   uint64_t *offset, struct qn_error *error) {
  const char *next = bytes;
  uint64_t at = *offset = atomic_fetch_add(&file->bytes, length);
  while (length) {
    ssize_t written = pwrite(file->descriptor, next, length, (off_t)at);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return fail_write(file->folder, at, error);
    next += written;
    at += (uint64_t)written;
    length -= (uint64_t)written;
  }
  return QN_OK;
}

enum qn_status qn_temp_file_read(const struct qn_temp_file *file, void *bytes, uint64_t length,
                                 uint64_t offset, struct qn_error *error) {
  char *next = bytes;
  while (length) {
    ssize_t got = pread(file->descriptor, next, length, (off_t)offset);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0) {
      errno = got == 0 ? EIO : errno;
      qn_fail_errno(error, "cannot read temporary data");
      return qn_error_in_file(error, file->folder), QN_SYSTEM;
    }
    next += got;
    offset += (uint64_t)got;
    length -= (uint64_t)got;
  }
  return QN_OK;
}

void qn_temp_file_drop(const struct qn_temp_file *file, uint64_t length, uint64_t offset) {
  const int cause = errno;
  if (fallocate(file->descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset,
                (off_t)length) != 0)
    errno = cause; /* they stay until the file is gone */
}

void qn_temp_file_expect(const struct qn_temp_file *file, uint64_t length, uint64_t offset) {
  posix_fadvise(file->descriptor, (off_t)offset, (off_t)length, POSIX_FADV_WILLNEED);
}

uint64_t qn_temp_file_bytes(const struct qn_temp_file *file) {
  return atomic_load(&file->bytes);
}

/* ---- Files that are mapped ------------------------------------------------ */

/* Taken from a stream at a time. */
#define TAKEN_BYTES ((uint64_t)1 << 20)

const char *qn_default_temp_folder(void) {
  const char *folder = getenv("TMPDIR");
  struct stat about;
  return folder && stat(folder, &about) == 0 && S_ISDIR(about.st_mode) ? folder : "/tmp";
}

void qn_scratch_folder_set(const char *folder) {
  qn_context()->scratch_folder = folder;
}

enum qn_status qn_scratch_open(uint64_t bytes, int *descriptor, struct qn_error *error) {
  const char *folder = qn_context()->scratch_folder;
  if (!folder && qn_memory_limit())
    folder = qn_temp_folder();
  if (!folder && bytes > qn_memory_available() / 2)
    folder = qn_default_temp_folder();
  if (folder)
    return qn_nameless_open(folder, descriptor, error);
  *descriptor = memfd_create("quern", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  return *descriptor >= 0 ? QN_OK : qn_fail_errno(error, "cannot keep a container in memory");
}

/* No other files than those in memory may be sealed. */
bool qn_scratch_is_full(int descriptor, uint64_t bytes) {
  return fcntl(descriptor, F_GET_SEALS) == 0 && bytes > qn_memory_available();
}

enum qn_status qn_scratch_put(int descriptor, const void *bytes, uint64_t length,
                              struct qn_error *error) {
  const char *next = bytes;
  while (length) {
    ssize_t written = write(descriptor, next, length < (uint64_t)1 << 30 ? length : 1 << 30);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return qn_fail_errno(error, "cannot keep what comes through the pipe");
    next += written;
    length -= (uint64_t)written;
  }
  return QN_OK;
}

enum qn_status qn_stream_read(int stream, void *bytes, uint64_t length, uint64_t *got,
                              struct qn_error *error) {
  for (*got = 0; *got < length;) {
    ssize_t count = read(stream, (char *)bytes + *got, length - *got);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return qn_fail_errno(error, "cannot read");
    if (count == 0)
      break;
    *got += (uint64_t)count;
  }
  return QN_OK;
}

enum qn_status qn_scratch_take(int descriptor, int stream, uint64_t most, struct qn_error *error) {
  char *buffer;
  uint64_t got = 1;
  enum qn_status status = qn_alloc(&buffer, TAKEN_BYTES, 1, "a buffer", error);
  while (most && got && !status) {
    status = qn_stream_read(stream, buffer, most < TAKEN_BYTES ? most : TAKEN_BYTES, &got, error);
    if (!status)
      status = qn_scratch_put(descriptor, buffer, got, error);
    most -= got;
  }
  qn_free(buffer);
  return status;
}

/* ---- Arrays --------------------------------------------------------------- */

static enum qn_status reserve_space(int descriptor, uint64_t bytes, struct qn_error *error) {
  int failed;
  do
    failed = fallocate(descriptor, 0, 0, (off_t)bytes);
  while (failed && errno == EINTR);
  if (failed && (errno == EOPNOTSUPP || errno == ENOSYS))
    failed = ftruncate(descriptor, (off_t)bytes);
  if (!failed)
    return QN_OK;
  qn_fail_errno(error,
                "cannot reserve %" PRIu64 " bytes of temporary space; --tmpdir chooses "
                "another folder",
                bytes);
  return qn_error_in_file(error, qn_temp_folder()), QN_SYSTEM;
}

enum qn_status qn_bulk_alloc(void *out, uint64_t count, uint64_t size, const char *what,
                             struct qn_error *error) {
  uint64_t bytes;
  void *none = NULL;
  int descriptor;
  if (!qn_memory_limit() || !qn_mul_u64(count, size, &bytes) || bytes == 0 || bytes > INT64_MAX)
    return qn_pages_alloc(out, count, size, what, error);
  memcpy(out, &none, sizeof none);
  enum qn_status status = qn_nameless_open(qn_temp_folder(), &descriptor, error);
  if (status)
    return status;
  status = reserve_space(descriptor, bytes, error);
  if (!status)
    status = qn_pages_map(out, descriptor, 0, count, size, what, error);
  close(descriptor);
  return status;
}
