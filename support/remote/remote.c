#include "support/remote/remote.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "support/context.h"
#include "support/memory.h"
#include "support/remote/attempts.h"
#include "support/remote/http.h"
#include "support/remote/version.h"

/* Connections that are kept. */
#define MOST_IDLE 8
/* Whoever gives so many bytes is not away. */
#define ENOUGH ((uint64_t)1 << 20)

struct qn_remote {
  struct qn_address address;
  struct qn_version version;
  bool has_ranges;
  pthread_mutex_t lock;
  struct qn_http *idle[MOST_IDLE]; /* under the lock */
  unsigned num_idle;
  uint64_t requests, received; /* atomic */
};

enum qn_status qn_remote_open(const char *url, struct qn_remote **out, struct qn_error *error) {
  struct qn_remote *remote;
  *out = NULL;
  enum qn_status status = qn_alloc_zeroed(&remote, 1, sizeof *remote, "a remote file", error);
  if (status)
    return status;
  pthread_mutex_init(&remote->lock, NULL);
  status = qn_address_parse(url, &remote->address, error);
  if (!status)
    status = qn_http_create(&remote->idle[0], error);
  if (status) {
    qn_remote_close(remote);
    return status;
  }
  remote->num_idle = 1;
  *out = remote;
  return QN_OK;
}

void qn_remote_close(struct qn_remote *remote) {
  if (!remote)
    return;
  for (unsigned i = 0; i < remote->num_idle; i++)
    qn_http_destroy(remote->idle[i]);
  pthread_mutex_destroy(&remote->lock);
  qn_address_free(&remote->address);
  qn_free(remote);
}

const char *qn_remote_name(const struct qn_remote *remote) {
  return remote->address.name;
}

uint64_t qn_remote_bytes(const struct qn_remote *remote) {
  return remote->version.bytes;
}

bool qn_remote_has_ranges(const struct qn_remote *remote) {
  return remote->has_ranges;
}

void qn_remote_traffic(const struct qn_remote *remote, uint64_t *requests, uint64_t *bytes) {
  *requests = __atomic_load_n(&remote->requests, __ATOMIC_RELAXED);
  *bytes = __atomic_load_n(&remote->received, __ATOMIC_RELAXED);
}

/* ---- Connections ------------------------------------------------------------ */

static enum qn_status take_connection(struct qn_remote *remote, struct qn_http **http,
                                      struct qn_error *error) {
  pthread_mutex_lock(&remote->lock);
  *http = remote->num_idle ? remote->idle[--remote->num_idle] : NULL;
  pthread_mutex_unlock(&remote->lock);
  return *http ? QN_OK : qn_http_create(http, error);
}

static void give_connection(struct qn_remote *remote, struct qn_http *http) {
  pthread_mutex_lock(&remote->lock);
  if (http && remote->num_idle < MOST_IDLE) {
    remote->idle[remote->num_idle++] = http;
    http = NULL;
  }
  pthread_mutex_unlock(&remote->lock);
  qn_http_destroy(http);
}

/* ---- A range ---------------------------------------------------------------- */

struct reading {
  struct qn_remote *remote;
  char *into;
  uint64_t bytes, offset, got;
  unsigned retry_after;
  bool again;            /* what is in `error` may pass */
  enum qn_status status; /* of the answer */
  struct qn_error *error;
};

static bool refuse(struct reading *reading, enum qn_status status) {
  reading->status = status;
  return false;
}

static bool fail(struct reading *reading, const char *what) {
  qn_fail(reading->error, QN_SYSTEM, "%s", what);
  qn_error_in_file(reading->error, reading->remote->address.name);
  return refuse(reading, QN_SYSTEM);
}

static bool changed(struct reading *reading) {
  return refuse(reading, qn_version_changed(&reading->remote->address, reading->error));
}

/* A part, which has to be the one that was asked for, of the same object. */
static bool begin_part(struct reading *reading, const struct qn_http_answer *answer) {
  struct qn_version *version = &reading->remote->version;
  uint64_t first, last, total;
  if (!qn_content_range(answer->content_range, &first, &last, &total) ||
      first != reading->offset + reading->got || last >= reading->offset + reading->bytes)
    return fail(reading, "the server answers with another range than was asked for");
  if (!version->known) {
    qn_version_take(version, answer, total);
    reading->remote->has_ranges = true;
  }
  return version->bytes == total && qn_version_is(version, answer) ? true : changed(reading);
}

/* All of it, from a server that knows no ranges. */
static bool begin_whole(struct reading *reading, const struct qn_http_answer *answer) {
  struct qn_version *version = &reading->remote->version;
  if (reading->offset + reading->got > 0)
    return fail(reading, "the server does not give ranges of the object");
  if (!version->known)
    qn_version_take(version, answer, answer->length);
  return qn_version_is(version, answer) ? true : changed(reading);
}

/* Of an empty object there is no range. */
static bool begin_beyond(struct reading *reading, const struct qn_http_answer *answer) {
  struct qn_version *version = &reading->remote->version;
  if (version->known)
    return changed(reading);
  if (strcmp(answer->content_range, "bytes */0") != 0)
    return refuse(reading, qn_code_refuse(&reading->remote->address, answer, reading->error));
  qn_version_take(version, answer, 0);
  return false;
}

static bool begin(void *user, const struct qn_http_answer *answer) {
  struct reading *reading = user;
  reading->again = qn_code_is_passing(answer->code);
  reading->retry_after = answer->retry_after;
  switch (answer->code) {
  case 206:
    return begin_part(reading, answer);
  case 200:
    return begin_whole(reading, answer);
  case 412:
    return changed(reading);
  case 416:
    return begin_beyond(reading, answer);
  default:
    return refuse(reading, qn_code_refuse(&reading->remote->address, answer, reading->error));
  }
}

static bool take(void *user, const void *bytes, size_t count) {
  struct reading *reading = user;
  const uint64_t left = reading->bytes - reading->got;
  const uint64_t some = count < left ? count : left;
  memcpy(reading->into + reading->got, bytes, some);
  reading->got += some;
  __atomic_add_fetch(&reading->remote->received, some, __ATOMIC_RELAXED);
  return some == count; /* who gives more than a range is not listened to */
}

static bool goes_on(void *user) {
  (void)user;
  return !__atomic_load_n(&qn_context()->cancelled, __ATOMIC_RELAXED);
}

/* True if nothing is missing any more. */
static bool is_complete(const struct reading *reading) {
  const struct qn_version *version = &reading->remote->version;
  return version->known &&
         (reading->got == reading->bytes || reading->offset + reading->got == version->bytes);
}

static enum qn_http_end request(struct reading *reading, struct qn_http *http,
                                char message[QN_HTTP_MESSAGE]) {
  struct qn_remote *remote = reading->remote;
  const struct qn_address *address = &remote->address;
  char range[64], condition[300];
  const char *own[3] = {range};
  struct qn_request_headers headers;
  if (remote->version.known && !remote->has_ranges)
    reading->got = 0; /* its beginning can be read again */
  snprintf(range, sizeof range, "Range: bytes=%" PRIu64 "-%" PRIu64, reading->offset + reading->got,
           reading->offset + reading->bytes - 1);
  if (remote->version.known && remote->version.etag[0]) {
    snprintf(condition, sizeof condition, "If-Match: %s", remote->version.etag);
    own[1] = condition;
  }
  struct qn_http_request wish = qn_request_of(address, own, &headers);
  wish.begin = begin;
  wish.take = take;
  wish.goes_on = goes_on;
  wish.user = reading;
  reading->again = false;
  reading->status = QN_OK;
  reading->retry_after = 0;
  __atomic_add_fetch(&remote->requests, 1, __ATOMIC_RELAXED);
  const enum qn_http_end end = qn_http_get(http, &wish, message);
  explicit_bzero(headers.token, sizeof headers.token);
  return end;
}

/* One attempt; more of them are worth while if reading->again. */
static enum qn_status attempt(struct reading *reading, struct qn_http *http) {
  char message[QN_HTTP_MESSAGE] = "";
  const enum qn_http_end end = request(reading, http, message);
  struct qn_version *version = &reading->remote->version;
  if (!reading->status && end == QN_HTTP_DONE && version->known && version->bytes == UINT64_MAX)
    version->bytes = reading->got; /* that was all */
  if (reading->status || is_complete(reading))
    return reading->status;
  if (qn_context_check(reading->error))
    return QN_INTERRUPTED;
  reading->again = end != QN_HTTP_FAILED;
  fail(reading, end == QN_HTTP_DONE ? "the server gives fewer bytes than it says" : message);
  return QN_SYSTEM;
}

enum qn_status qn_remote_read(struct qn_remote *remote, void *into, uint64_t bytes, uint64_t offset,
                              uint64_t *got, struct qn_error *error) {
  struct qn_error own;
  struct reading reading = {.remote = remote,
                            .into = into,
                            .bytes = bytes,
                            .offset = offset,
                            .error = error ? error : &own};
  struct qn_attempts attempts = {0};
  struct qn_http *http;
  uint64_t before = 0;
  *got = 0;
  enum qn_status status = bytes ? take_connection(remote, &http, error) : QN_OK;
  if (status || !bytes)
    return status;
  do {
    if (reading.got >= before + ENOUGH) {
      attempts = (struct qn_attempts){0};
      before = reading.got;
    }
    status = attempt(&reading, http);
  } while (status && reading.again &&
           qn_attempts_again(&attempts, reading.retry_after, goes_on, NULL));
  give_connection(remote, http);
  *got = reading.got;
  return status;
}
