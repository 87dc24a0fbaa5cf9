/* Pipes, terminals and other descriptors that cannot be mapped, and what comes from servers. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "support/input/source.h"
#include "support/memory.h"
#include "support/remote/remote.h"

struct qn_descriptor {
  int descriptor; /* -1: */
  struct qn_remote_stream *remote;
  const char *name;
  XXH3_state_t *hash;
  uint64_t bytes; /* hashed so far */
  uint64_t head_bytes;
  uint64_t head_taken;
  char head[QN_DESCRIPTOR_HEAD];
};

enum qn_status qn_descriptor_create(int descriptor, const char *name, struct qn_descriptor **out,
                                    struct qn_error *error) {
  struct qn_descriptor *source;
  *out = NULL;
  enum qn_status status = qn_alloc_zeroed(&source, 1, sizeof *source, "an input", error);
  if (status)
    return status;
  source->hash = XXH3_createState();
  if (!source->hash) {
    qn_free(source);
    return qn_fail_memory(error, "a hash", 576);
  }
  XXH3_128bits_reset(source->hash);
  source->descriptor = descriptor;
  source->name = name;
  *out = source;
  return QN_OK;
}

enum qn_status qn_descriptor_create_remote(struct qn_remote_stream *stream,
                                           struct qn_descriptor **out, struct qn_error *error) {
  enum qn_status status = qn_descriptor_create(-1, qn_remote_stream_name(stream), out, error);
  if (!status)
    (*out)->remote = stream;
  return status;
}

void qn_descriptor_destroy(struct qn_descriptor *source) {
  if (!source)
    return;
  if (source->descriptor >= 0)
    close(source->descriptor);
  qn_remote_stream_close(source->remote);
  XXH3_freeState(source->hash);
  qn_free(source);
}

static enum qn_status read_file(const struct qn_descriptor *source, char *buffer, uint64_t capacity,
                                uint64_t *got, struct qn_error *error) {
  ssize_t count;
  const uint64_t most = (uint64_t)1 << 30;
  do
    count = read(source->descriptor, buffer, capacity < most ? capacity : most);
  while (count < 0 && errno == EINTR);
  if (count < 0) {
    qn_fail_errno(error, "cannot read");
    qn_error_in_file(error, source->name);
    return QN_SYSTEM;
  }
  *got = (uint64_t)count;
  return QN_OK;
}

static enum qn_status read_some(struct qn_descriptor *source, char *buffer, uint64_t capacity,
                                uint64_t *got, struct qn_error *error) {
  enum qn_status status = source->remote
                              ? qn_remote_stream_read(source->remote, buffer, capacity, got, error)
                              : read_file(source, buffer, capacity, got, error);
  if (status)
    return status;
  XXH3_128bits_update(source->hash, buffer, *got);
  source->bytes += *got;
  return QN_OK;
}

enum qn_status qn_descriptor_head(struct qn_descriptor *source, const char **head, uint64_t *bytes,
                                  struct qn_error *error) {
  uint64_t got = 1;
  source->head_bytes -= source->head_taken;
  memmove(source->head, source->head + source->head_taken, source->head_bytes);
  source->head_taken = 0;
  while (got && source->head_bytes < sizeof source->head) {
    enum qn_status status = read_some(source, source->head + source->head_bytes,
                                      sizeof source->head - source->head_bytes, &got, error);
    if (status)
      return status;
    source->head_bytes += got;
  }
  *head = source->head;
  *bytes = source->head_bytes;
  return QN_OK;
}

enum qn_status qn_descriptor_read(struct qn_descriptor *source, char *buffer, uint64_t capacity,
                                  uint64_t *got, struct qn_error *error) {
  uint64_t waiting = source->head_bytes - source->head_taken;
  if (!waiting)
    return read_some(source, buffer, capacity, got, error);
  *got = waiting < capacity ? waiting : capacity;
  memcpy(buffer, source->head + source->head_taken, *got);
  source->head_taken += *got;
  return QN_OK;
}

enum qn_status qn_descriptor_drain(struct qn_descriptor *source, struct qn_error *error) {
  uint64_t got;
  do {
    enum qn_status status = read_some(source, source->head, sizeof source->head, &got, error);
    if (status)
      return status;
  } while (got);
  return QN_OK;
}

void qn_descriptor_digest(const struct qn_descriptor *source, struct qn_input_digest *digest) {
  XXH128_hash_t hash = XXH3_128bits_digest(source->hash);
  qn_digest_set(digest, source->bytes, hash.low64, hash.high64);
}

void qn_digest_set(struct qn_input_digest *digest, uint64_t bytes, uint64_t low, uint64_t high) {
  digest->bytes = bytes;
  snprintf(digest->xxh3_128, sizeof digest->xxh3_128, "%016" PRIx64 "%016" PRIx64, high, low);
}
