#include "support/remote/remote.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "support/context.h"
#include "support/memory.h"
#include "support/remote/attempts.h"
#include "support/remote/http.h"
#include "support/remote/multipart.h"
#include "support/remote/version.h"

/* Connections that are kept. */
#define MOST_IDLE 8
/* Whoever gives so many bytes is not away. */
#define ENOUGH ((uint64_t)1 << 20)

struct qn_remote {
  struct qn_address address;
  struct qn_version version;
  bool has_ranges;
  bool one_at_a_time; /* the server does not give several ranges at once; atomic */
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

/* Ask for what the header `range` says, of the version that was read first. */
static enum qn_http_end ask(struct qn_remote *remote, struct qn_http *http, const char *range,
                            struct qn_http_request answering, char message[QN_HTTP_MESSAGE]) {
  char condition[300];
  const char *own[3] = {range};
  if (remote->version.known && remote->version.etag[0]) {
    snprintf(condition, sizeof condition, "If-Match: %s", remote->version.etag);
    own[1] = condition;
  }
  answering.goes_on = goes_on;
  __atomic_add_fetch(&remote->requests, 1, __ATOMIC_RELAXED);
  return qn_object_get(http, &remote->address, own, answering, message);
}

static enum qn_http_end request(struct reading *reading, struct qn_http *http,
                                char message[QN_HTTP_MESSAGE]) {
  const struct qn_http_request answering = {.begin = begin, .take = take, .user = reading};
  char range[64];
  if (reading->remote->version.known && !reading->remote->has_ranges)
    reading->got = 0; /* its beginning can be read again */
  snprintf(range, sizeof range, "Range: bytes=%" PRIu64 "-%" PRIu64, reading->offset + reading->got,
           reading->offset + reading->bytes - 1);
  reading->again = false;
  reading->status = QN_OK;
  reading->retry_after = 0;
  return ask(reading->remote, http, range, answering, message);
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

/* ---- Several ranges --------------------------------------------------------- */

/* So many in one request: the header's line has to fit in what servers take, 8 KiB or less, and
 * Apache gives 200 at most. */
#define MOST_PARTS 128

struct gathering {
  struct qn_remote *remote;
  const struct qn_part *parts;
  uint64_t count;
  struct qn_multipart multipart;
};

/* What is wrong, if anything is, is found when each range is asked for. */
static bool begin_parts(void *user, const struct qn_http_answer *answer) {
  struct gathering *gathering = user;
  const struct qn_version *version = &gathering->remote->version;
  const bool several = answer->code == 206 && qn_version_is(version, answer) &&
                       qn_multipart_begin(&gathering->multipart, answer->content_type,
                                          gathering->parts, gathering->count, version->bytes);
  if (!several && (answer->code == 200 || answer->code == 206))
    __atomic_store_n(&gathering->remote->one_at_a_time, true, __ATOMIC_RELAXED);
  return several;
}

static bool take_parts(void *user, const void *bytes, size_t count) {
  struct gathering *gathering = user;
  __atomic_add_fetch(&gathering->remote->received, count, __ATOMIC_RELAXED);
  if (qn_multipart_take(&gathering->multipart, bytes, count))
    return true;
  __atomic_store_n(&gathering->remote->one_at_a_time, true, __ATOMIC_RELAXED);
  return false;
}

/* How many parts came whole, from the first one on. */
static uint64_t gather(struct qn_remote *remote, const struct qn_part *parts, uint64_t count) {
  struct gathering gathering = {.remote = remote, .parts = parts, .count = count};
  const struct qn_http_request answering = {
      .begin = begin_parts, .take = take_parts, .user = &gathering};
  char range[32 + MOST_PARTS * 42] = "Range: bytes=", message[QN_HTTP_MESSAGE];
  size_t length = strlen(range);
  struct qn_http *http;
  for (uint64_t i = 0; i < count; i++)
    length += (size_t)snprintf(range + length, sizeof range - length, "%s%" PRIu64 "-%" PRIu64,
                               i ? "," : "", parts[i].offset, parts[i].offset + parts[i].bytes - 1);
  if (take_connection(remote, &http, NULL))
    return 0;
  ask(remote, http, range, answering, message);
  give_connection(remote, http);
  return gathering.multipart.part;
}

static enum qn_status read_one(struct qn_remote *remote, const struct qn_part *part,
                               struct qn_error *error) {
  uint64_t got;
  enum qn_status status =
      qn_remote_read(remote, part->into, part->bytes, part->offset, &got, error);
  if (status || got == part->bytes)
    return status;
  qn_fail(error, QN_SYSTEM, "the server has fewer bytes than it said");
  return qn_error_in_file(error, remote->address.name), QN_SYSTEM;
}

/* More than one part, in one request. */
static uint64_t read_some(struct qn_remote *remote, const struct qn_part *parts, uint64_t count) {
  const uint64_t some = count < MOST_PARTS ? count : MOST_PARTS;
  return some > 1 && qn_remote_gives_several(remote) ? gather(remote, parts, some) : 0;
}

enum qn_status qn_remote_read_parts(struct qn_remote *remote, const struct qn_part *parts,
                                    uint64_t count, struct qn_error *error) {
  enum qn_status status = QN_OK;
  bool together = true; /* until that brings nothing */
  for (uint64_t at = 0; at < count && !status;) {
    const uint64_t got = together ? read_some(remote, parts + at, count - at) : 0;
    together = together && got;
    if (!got)
      status = read_one(remote, &parts[at], error);
    at += got ? got : 1;
  }
  return status;
}

bool qn_remote_read_together(struct qn_remote *remote, const struct qn_part *parts,
                             uint64_t count) {
  return count <= MOST_PARTS && read_some(remote, parts, count) == count;
}

bool qn_remote_gives_several(const struct qn_remote *remote) {
  return !__atomic_load_n(&remote->one_at_a_time, __ATOMIC_RELAXED);
}
