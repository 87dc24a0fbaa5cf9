#include "support/remote/remote_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support/memory.h"
#include "support/remote/cache.h"
#include "support/remote/multipart.h"
#include "support/remote/remote.h"

/* What comes at first. */
#define HEAD_BYTES ((uint64_t)64 << 10)
/* What comes then: the end, or all that is left, if it is not more. */
#define SMALL_BYTES ((uint64_t)4 << 20)
#define TAIL_BYTES ((uint64_t)256 << 10)

struct qn_remote_copy {
  struct qn_remote *remote;
  char *name;
  uint64_t base, bytes, share;
  char *head, *tail;
  uint64_t head_bytes, tail_begin; /* tail_begin: `bytes` as long as there is none */
  int cache;                       /* its file; -1: none yet */
  char *mapping;
  pthread_mutex_t lock;
};

/* ---- The server ------------------------------------------------------------- */

static enum qn_status read_head(struct qn_remote_copy *copy, struct qn_error *error) {
  uint64_t got;
  char *head;
  enum qn_status status = qn_alloc(&head, HEAD_BYTES, 1, "the beginning of a remote file", error);
  if (status)
    return status;
  status = qn_remote_read(copy->remote, head, HEAD_BYTES, 0, &got, error);
  if (!status && copy->base == 0) {
    copy->head = head;
    copy->head_bytes = got < copy->bytes ? got : copy->bytes;
  } else {
    qn_free(head);
  }
  return status;
}

enum qn_status qn_remote_copy_open(const char *url, uint64_t base, uint64_t bytes, uint64_t share,
                                   struct qn_remote_copy **out, struct qn_error *error) {
  struct qn_remote_copy *copy;
  *out = NULL;
  enum qn_status status = qn_alloc_zeroed(&copy, 1, sizeof *copy, "a remote file", error);
  if (status)
    return status;
  pthread_mutex_init(&copy->lock, NULL);
  copy->cache = -1;
  copy->base = base;
  copy->bytes = bytes;
  copy->share = share;
  status = qn_remote_open(url, &copy->remote, error);
  if (!status)
    status = read_head(copy, error);
  if (status) {
    qn_remote_copy_close(copy);
    return status;
  }
  const uint64_t all = qn_remote_bytes(copy->remote), left = base < all ? all - base : 0;
  copy->bytes = bytes < left ? bytes : left;
  copy->head_bytes = copy->head_bytes < copy->bytes ? copy->head_bytes : copy->bytes;
  copy->tail_begin = copy->bytes;
  *out = copy;
  return QN_OK;
}

void qn_remote_copy_close(struct qn_remote_copy *copy) {
  if (!copy)
    return;
  qn_remote_close(copy->remote);
  qn_cache_close(copy->cache);
  qn_free(copy->head);
  qn_free(copy->tail);
  pthread_mutex_destroy(&copy->lock);
  qn_free(copy);
}

const char *qn_remote_copy_name(const struct qn_remote_copy *copy) {
  return qn_remote_name(copy->remote);
}

uint64_t qn_remote_copy_bytes(const struct qn_remote_copy *copy) {
  return copy->bytes;
}

bool qn_remote_copy_has_ranges(const struct qn_remote_copy *copy) {
  return qn_remote_has_ranges(copy->remote);
}

void qn_remote_copy_traffic(const struct qn_remote_copy *copy, uint64_t *requests,
                            uint64_t *bytes) {
  qn_remote_traffic(copy->remote, requests, bytes);
}

void qn_remote_copy_lock(struct qn_remote_copy *copy) {
  pthread_mutex_lock(&copy->lock);
}

void qn_remote_copy_unlock(struct qn_remote_copy *copy) {
  pthread_mutex_unlock(&copy->lock);
}

static enum qn_status read_server(struct qn_remote_copy *copy, void *into, uint64_t bytes,
                                  uint64_t offset, struct qn_error *error) {
  uint64_t got;
  enum qn_status status =
      qn_remote_read(copy->remote, into, bytes, copy->base + offset, &got, error);
  if (!status && got < bytes) {
    status = qn_fail(error, QN_SYSTEM, "the server has fewer bytes than it said");
    qn_error_in_file(error, qn_remote_copy_name(copy));
  }
  return status;
}

/* The end comes when it is first asked for, by who opens it: by one thread. */
static enum qn_status read_tail(struct qn_remote_copy *copy, struct qn_error *error) {
  uint64_t wanted = TAIL_BYTES + copy->bytes / copy->share;
  if (copy->bytes - copy->head_bytes <= SMALL_BYTES)
    wanted = copy->bytes - copy->head_bytes;
  const uint64_t begin = copy->bytes - wanted;
  enum qn_status status = qn_alloc(&copy->tail, wanted, 1, "the end of a remote file", error);
  if (!status)
    status = read_server(copy, copy->tail, wanted, begin, error);
  if (!status)
    copy->tail_begin = begin;
  return status;
}

enum qn_status qn_remote_copy_read(struct qn_remote_copy *copy, void *into, uint64_t bytes,
                                   uint64_t offset, struct qn_error *error) {
  if (bytes == 0)
    return QN_OK;
  if (offset + bytes <= copy->head_bytes)
    return memcpy(into, copy->head + offset, bytes), QN_OK;
  if (!copy->tail && copy->cache < 0 && offset + bytes <= copy->bytes && offset > 0) {
    enum qn_status status = read_tail(copy, error);
    if (status)
      return status;
  }
  const uint64_t in_head = offset < copy->head_bytes ? copy->head_bytes - offset : 0;
  if (offset + in_head < copy->tail_begin)
    return read_server(copy, into, bytes, offset, error);
  if (in_head)
    memcpy(into, copy->head + offset, in_head);
  memcpy((char *)into + in_head, copy->tail + (offset + in_head - copy->tail_begin),
         bytes - in_head);
  return QN_OK;
}

enum qn_status qn_remote_copy_read_parts(struct qn_remote_copy *copy, struct qn_part *parts,
                                         uint64_t count, struct qn_error *error) {
  enum qn_status status = QN_OK;
  uint64_t far = 0;
  for (uint64_t i = 0; i < count && !status; i++) {
    struct qn_part part = parts[i];
    if (part.offset + part.bytes <= copy->head_bytes || part.offset >= copy->tail_begin) {
      status = qn_remote_copy_read(copy, part.into, part.bytes, part.offset, error);
      continue;
    }
    part.offset += copy->base;
    parts[far++] = part;
  }
  return status ? status : qn_remote_read_parts(copy->remote, parts, far, error);
}

bool qn_remote_copy_read_together(struct qn_remote_copy *copy, struct qn_part *parts,
                                  uint64_t count) {
  for (uint64_t i = 0; i < count; i++)
    parts[i].offset += copy->base;
  return qn_remote_read_together(copy->remote, parts, count);
}

/* ---- The cache -------------------------------------------------------------- */

enum qn_status qn_remote_copy_map(struct qn_remote_copy *copy, const char *name, void **out,
                                  struct qn_error *error) {
  enum qn_status status = qn_cache_open(name, copy->bytes, &copy->cache, error);
  if (status)
    return status;
  copy->mapping = mmap(NULL, copy->bytes, PROT_NONE, MAP_SHARED, copy->cache, 0);
  if (copy->mapping == MAP_FAILED) {
    copy->mapping = NULL;
    qn_fail_errno(error, "cannot map the cache");
    return qn_error_in_file(error, qn_remote_copy_name(copy)), QN_SYSTEM;
  }
  *out = copy->mapping;
  return QN_OK;
}

enum qn_status qn_remote_copy_show(struct qn_remote_copy *copy, uint64_t offset, uint64_t bytes,
                                   struct qn_error *error) {
  const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), begin = offset / page * page;
  if (mprotect(copy->mapping + begin, offset + bytes - begin, PROT_READ) == 0)
    return QN_OK;
  qn_fail_errno(error, "cannot map the cache");
  return qn_error_in_file(error, qn_remote_copy_name(copy)), QN_SYSTEM;
}

enum qn_status qn_remote_copy_put(struct qn_remote_copy *copy, const void *bytes, uint64_t length,
                                  uint64_t offset, struct qn_error *error) {
  const char *from = bytes;
  for (uint64_t done = 0; done < length;) {
    const ssize_t put = pwrite(copy->cache, from + done, length - done, (off_t)(offset + done));
    if (put < 0 && errno == EINTR)
      continue;
    if (put <= 0) {
      qn_fail_errno(error, "cannot keep what comes from the server in the cache (XDG_CACHE_HOME "
                           "names another place)");
      return qn_error_in_file(error, qn_remote_copy_name(copy)), QN_SYSTEM;
    }
    done += (uint64_t)put;
  }
  return qn_remote_copy_show(copy, offset, length, error);
}

bool qn_remote_copy_has_cached(const struct qn_remote_copy *copy, uint64_t offset, uint64_t bytes) {
#ifdef SEEK_DATA
  const off_t found = lseek(copy->cache, (off_t)offset, SEEK_DATA);
  return found >= 0 ? (uint64_t)found < offset + bytes : errno != ENXIO;
#else
  return true;
#endif
}
