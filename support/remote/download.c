#include "support/remote/download.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

#include "support/context.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/remote/cache.h"
#include "support/remote/remote.h"
#include "support/temp_file.h"

#define RANGE ((uint64_t)8 << 20)
/* The end of what came before may be a block that is half written. */
#define BACK ((uint64_t)4 << 20)

/* Files of the cache are written from the beginning: what has come is before their first hole. */
static uint64_t first_hole(int descriptor, uint64_t bytes) {
#ifdef SEEK_HOLE
  const off_t hole = lseek(descriptor, 0, SEEK_HOLE);
  return hole < 0 || (uint64_t)hole > bytes ? bytes : (uint64_t)hole;
#else
  (void)descriptor;
  return bytes;
#endif
}

int qn_download_find(const char *name, uint64_t bytes) {
  uint64_t found;
  const int descriptor = qn_cache_find(name, &found);
  if (descriptor < 0 || ((!bytes || found == bytes) && first_hole(descriptor, found) == found))
    return descriptor;
  qn_cache_close(descriptor);
  return -1;
}

static enum qn_status put(int descriptor, const char *data, uint64_t bytes, uint64_t offset,
                          struct qn_error *error) {
  for (uint64_t done = 0; done < bytes;) {
    const ssize_t some = pwrite(descriptor, data + done, bytes - done, (off_t)(offset + done));
    if (some < 0 && errno == EINTR)
      continue;
    if (some <= 0)
      return qn_fail_errno(error, "cannot keep what comes from the server in the cache "
                                  "(XDG_CACHE_HOME names another place)");
    done += (uint64_t)some;
  }
  return QN_OK;
}

static enum qn_status check_length(const struct qn_download *download, uint64_t bytes,
                                   struct qn_error *error) {
  return !download->bytes || bytes == download->bytes
             ? QN_OK
             : qn_fail(error, QN_INVALID, "it has %" PRIu64 " bytes; expected %" PRIu64, bytes,
                       download->bytes);
}

/* ---- By ranges -------------------------------------------------------------- */

static enum qn_status read_ranges(struct qn_remote *remote, int descriptor, uint64_t begin,
                                  char *buffer, struct qn_error *error) {
  const uint64_t bytes = qn_remote_bytes(remote);
  enum qn_status status = QN_OK;
  qn_progress_begin("downloading", "bytes", bytes);
  qn_progress_add(begin);
  for (uint64_t at = begin, got; !status && at < bytes; at += got) {
    const uint64_t wanted = bytes - at < RANGE ? bytes - at : RANGE;
    status = qn_remote_read(remote, buffer, wanted, at, &got, error);
    if (!status && got < wanted)
      status = qn_fail(error, QN_SYSTEM, "the server has fewer bytes than it said");
    if (!status)
      status = put(descriptor, buffer, got, at, error);
    if (!status)
      status = qn_context_check(error);
    qn_progress_add(status ? 0 : got);
  }
  qn_progress_end();
  return status;
}

static enum qn_status take_ranges(const struct qn_download *download, struct qn_remote *remote,
                                  char *buffer, int *descriptor, bool *resumed,
                                  struct qn_error *error) {
  const uint64_t bytes = qn_remote_bytes(remote);
  uint64_t begin = 0;
  enum qn_status status = qn_cache_open(download->name, bytes, descriptor, error);
  if (status)
    return status;
  if (download->resume) {
    const uint64_t hole = first_hole(*descriptor, bytes);
    begin = hole < bytes && hole > BACK ? hole - BACK : 0;
  }
  *resumed = begin > 0;
  if (!begin && (ftruncate(*descriptor, 0) != 0 || ftruncate(*descriptor, (off_t)bytes) != 0))
    return qn_fail_errno(error, "cannot make room for the file");
  return read_ranges(remote, *descriptor, begin, buffer, error);
}

/* ---- From beginning to end, of servers without ranges ------------------------ */

static enum qn_status take_stream(const struct qn_download *download, char *buffer, int *descriptor,
                                  struct qn_error *error) {
  struct qn_remote_stream *stream;
  uint64_t got = 1, at = 0;
  enum qn_status status = download->bytes
                              ? qn_cache_open(download->name, download->bytes, descriptor, error)
                              : qn_scratch_open(0, descriptor, error);
  if (!status && ftruncate(*descriptor, 0) != 0)
    status = qn_fail_errno(error, "cannot make room for the file");
  if (!status)
    status = qn_remote_stream_open(download->url, &stream, error);
  if (status)
    return status;
  qn_progress_begin("downloading", "bytes", download->bytes);
  while (!status && got) {
    status = qn_remote_stream_read(stream, buffer, RANGE, &got, error);
    if (!status && download->bytes && got > download->bytes - at)
      status = check_length(download, at + got, error);
    if (!status)
      status = put(*descriptor, buffer, got, at, error);
    at += got;
    qn_progress_add(got);
  }
  qn_progress_end();
  qn_remote_stream_close(stream);
  return status ? status : check_length(download, at, error);
}

/* ---- The whole -------------------------------------------------------------- */

static enum qn_status take(const struct qn_download *download, struct qn_remote *remote,
                           int *descriptor, bool *resumed, struct qn_error *error) {
  char *buffer;
  uint64_t got;
  enum qn_status status = qn_alloc(&buffer, RANGE, 1, "a buffer", error);
  if (status)
    return status;
  status = qn_remote_read(remote, buffer, 4096, 0, &got, error);
  if (!status && qn_remote_has_ranges(remote)) {
    status = check_length(download, qn_remote_bytes(remote), error);
    if (!status)
      status = take_ranges(download, remote, buffer, descriptor, resumed, error);
  } else if (!status) {
    status = take_stream(download, buffer, descriptor, error);
  }
  qn_free(buffer);
  return status;
}

enum qn_status qn_download(const struct qn_download *download, int *descriptor, bool *resumed,
                           struct qn_error *error) {
  struct qn_remote *remote;
  *descriptor = -1;
  *resumed = false;
  enum qn_status status = qn_remote_open(download->url, &remote, error);
  if (status)
    return status;
  status = take(download, remote, descriptor, resumed, error);
  if (status && error && !error->file[0])
    qn_error_in_file(error, qn_remote_name(remote));
  qn_remote_close(remote);
  if (status) {
    qn_cache_close(*descriptor);
    *descriptor = -1;
  }
  return status;
}
