#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "support/context.h"
#include "support/memory.h"
#include "support/remote/attempts.h"
#include "support/remote/http.h"
#include "support/remote/remote.h"
#include "support/remote/version.h"
#include "support/threads.h"

#define BUFFER_BYTES ((uint64_t)8 << 20)
#define ENOUGH ((uint64_t)1 << 20)

struct qn_remote_stream {
  struct qn_address address;
  struct qn_version version;
  struct qn_http *http;
  struct qn_context *context; /* of whoever opened it */
  pthread_t thread;
  bool started;
  uint64_t at;   /* bytes of the object that came */
  uint64_t pass; /* of those to come so many came before, from a server that knows no ranges */
  unsigned retry_after;
  bool again;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  char *buffer;          /* a ring; this and what follows is under the lock */
  uint64_t put, taken;   /* bytes, of all times */
  bool over, stop;       /* nothing comes any more; nobody wants more */
  enum qn_status status; /* once it is over */
  struct qn_error error;
};

/* ---- What comes ------------------------------------------------------------- */

static bool refuse(struct qn_remote_stream *stream, enum qn_status status) {
  stream->status = status;
  return false;
}

static bool fail(struct qn_remote_stream *stream, const char *what) {
  qn_fail(&stream->error, QN_SYSTEM, "%s", what);
  qn_error_in_file(&stream->error, stream->address.name);
  return refuse(stream, QN_SYSTEM);
}

static bool changed(struct qn_remote_stream *stream) {
  return refuse(stream, qn_version_changed(&stream->address, &stream->error));
}

/* From the beginning: the first time, or because there are no ranges, or none of this version. */
static bool begin_whole(struct qn_remote_stream *stream, const struct qn_http_answer *answer) {
  if (!answer->framed)
    return fail(stream, "the server does not say where the object ends, so that a part of it could "
                        "be taken for all; download it first");
  if (!stream->version.known)
    qn_version_take(&stream->version, answer, answer->length);
  if (stream->at && !qn_version_can_tell(&stream->version))
    return fail(stream, "the connection was cut, and the server does not tell versions of the "
                        "object from each other, so that it cannot go on");
  stream->pass = stream->at;
  return qn_version_is(&stream->version, answer) && stream->version.bytes == answer->length
             ? true
             : changed(stream);
}

static bool begin_rest(struct qn_remote_stream *stream, const struct qn_http_answer *answer) {
  uint64_t first, last, total;
  if (!qn_content_range(answer->content_range, &first, &last, &total) || first != stream->at ||
      last + 1 != total)
    return fail(stream, "the server answers with another range than was asked for");
  const bool same = qn_version_is(&stream->version, answer) &&
                    (stream->version.bytes == UINT64_MAX || stream->version.bytes == total);
  return same ? true : changed(stream);
}

static bool begin(void *user, const struct qn_http_answer *answer) {
  struct qn_remote_stream *stream = user;
  stream->again = qn_code_is_passing(answer->code);
  stream->retry_after = answer->retry_after;
  stream->pass = 0;
  if (answer->code == 200)
    return begin_whole(stream, answer);
  if (answer->code == 206 && stream->at)
    return begin_rest(stream, answer);
  if (answer->code == 412 || (answer->code == 416 && stream->at))
    return changed(stream);
  return refuse(stream, qn_code_refuse(&stream->address, answer, &stream->error));
}

/* Into the ring, of which there is some room. */
static uint64_t put_some(struct qn_remote_stream *stream, const char *bytes, uint64_t count) {
  const uint64_t at = stream->put % BUFFER_BYTES;
  uint64_t some = BUFFER_BYTES - (stream->put - stream->taken);
  some = some < count ? some : count;
  some = some < BUFFER_BYTES - at ? some : BUFFER_BYTES - at;
  memcpy(stream->buffer + at, bytes, some);
  stream->put += some;
  return some;
}

static bool take(void *user, const void *bytes, size_t count) {
  struct qn_remote_stream *stream = user;
  const uint64_t passed = count < stream->pass ? count : stream->pass;
  uint64_t done = passed;
  stream->pass -= passed;
  pthread_mutex_lock(&stream->lock);
  while (done < count && !stream->stop) {
    while (stream->put - stream->taken == BUFFER_BYTES && !stream->stop)
      pthread_cond_wait(&stream->changed, &stream->lock);
    if (stream->stop)
      break;
    const uint64_t some = put_some(stream, (const char *)bytes + done, count - done);
    done += some;
    stream->at += some;
    pthread_cond_broadcast(&stream->changed);
  }
  pthread_mutex_unlock(&stream->lock);
  return done == count;
}

static bool goes_on(void *user) {
  struct qn_remote_stream *stream = user;
  pthread_mutex_lock(&stream->lock);
  const bool stop = stream->stop;
  pthread_mutex_unlock(&stream->lock);
  return !stop && !__atomic_load_n(&stream->context->cancelled, __ATOMIC_RELAXED);
}

/* ---- The thread ------------------------------------------------------------- */

static enum qn_http_end request(struct qn_remote_stream *stream, char message[QN_HTTP_MESSAGE]) {
  const struct qn_http_request answering = {
      .begin = begin, .take = take, .goes_on = goes_on, .user = stream};
  const struct qn_version *version = &stream->version;
  char range[64], condition[300];
  const char *own[3] = {NULL};
  if (stream->at && qn_version_can_tell(version)) {
    snprintf(range, sizeof range, "Range: bytes=%" PRIu64 "-", stream->at);
    snprintf(condition, sizeof condition, "If-Range: %s",
             version->etag[0] ? version->etag : version->modified);
    own[0] = range;
    own[1] = condition;
  }
  stream->again = false;
  stream->status = QN_OK;
  stream->retry_after = 0;
  return qn_object_get(stream->http, &stream->address, own, answering, message);
}

static void attempt(struct qn_remote_stream *stream) {
  char message[QN_HTTP_MESSAGE] = "";
  const enum qn_http_end end = request(stream, message);
  if (stream->status || !goes_on(stream))
    return;
  const uint64_t bytes = stream->version.bytes;
  const bool all = bytes == UINT64_MAX ? end == QN_HTTP_DONE : stream->at == bytes;
  if (stream->version.known && all) /* whatever became of the connection after it */
    return;
  stream->again = end != QN_HTTP_FAILED;
  fail(stream,
       end == QN_HTTP_DONE ? "the server gives another number of bytes than it says" : message);
}

static void *transfer(void *user) {
  struct qn_remote_stream *stream = user;
  struct qn_attempts attempts = {0};
  uint64_t before = 0;
  qn_context_set(stream->context);
  do {
    if (stream->at >= before + ENOUGH) {
      attempts = (struct qn_attempts){0};
      before = stream->at;
    }
    attempt(stream);
  } while (stream->status && stream->again &&
           qn_attempts_again(&attempts, stream->retry_after, goes_on, stream));
  pthread_mutex_lock(&stream->lock);
  if (__atomic_load_n(&stream->context->cancelled, __ATOMIC_RELAXED))
    stream->status = qn_fail(&stream->error, QN_INTERRUPTED, "the call was cancelled");
  stream->over = true;
  pthread_cond_broadcast(&stream->changed);
  pthread_mutex_unlock(&stream->lock);
  return NULL;
}

/* ---- Opening, taking -------------------------------------------------------- */

enum qn_status qn_remote_stream_open(const char *url, struct qn_remote_stream **out,
                                     struct qn_error *error) {
  struct qn_remote_stream *stream;
  *out = NULL;
  enum qn_status status = qn_alloc_zeroed(&stream, 1, sizeof *stream, "a remote file", error);
  if (status)
    return status;
  pthread_mutex_init(&stream->lock, NULL);
  pthread_cond_init(&stream->changed, NULL);
  stream->context = qn_context();
  status = qn_address_parse(url, &stream->address, error);
  if (!status)
    status = qn_http_create(&stream->http, error);
  if (!status)
    status = qn_alloc(&stream->buffer, BUFFER_BYTES, 1, "a buffer", error);
  if (!status) {
    errno = qn_thread_start(&stream->thread, transfer, stream);
    stream->started = errno == 0;
    if (!stream->started)
      status = qn_fail_errno(error, "cannot start a thread");
  }
  if (status)
    qn_remote_stream_close(stream);
  else
    *out = stream;
  return status;
}

void qn_remote_stream_close(struct qn_remote_stream *stream) {
  if (!stream)
    return;
  pthread_mutex_lock(&stream->lock);
  stream->stop = true;
  pthread_cond_broadcast(&stream->changed);
  pthread_mutex_unlock(&stream->lock);
  if (stream->started)
    pthread_join(stream->thread, NULL);
  qn_http_destroy(stream->http);
  pthread_mutex_destroy(&stream->lock);
  pthread_cond_destroy(&stream->changed);
  qn_free(stream->buffer);
  qn_address_free(&stream->address);
  qn_free(stream);
}

const char *qn_remote_stream_name(const struct qn_remote_stream *stream) {
  return stream->address.name;
}

enum qn_status qn_remote_stream_read(struct qn_remote_stream *stream, void *buffer,
                                     uint64_t capacity, uint64_t *got, struct qn_error *error) {
  pthread_mutex_lock(&stream->lock);
  while (stream->put == stream->taken && !stream->over)
    pthread_cond_wait(&stream->changed, &stream->lock);
  const uint64_t at = stream->taken % BUFFER_BYTES;
  uint64_t some = stream->put - stream->taken;
  some = some < capacity ? some : capacity;
  some = some < BUFFER_BYTES - at ? some : BUFFER_BYTES - at;
  memcpy(buffer, stream->buffer + at, some);
  stream->taken += some;
  pthread_cond_broadcast(&stream->changed);
  const enum qn_status status = some ? QN_OK : stream->status;
  if (status && error)
    *error = stream->error;
  pthread_mutex_unlock(&stream->lock);
  *got = some;
  return status;
}
