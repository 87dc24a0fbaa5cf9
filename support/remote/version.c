#include "support/remote/version.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "support/remote/attempts.h"

static const char *strong(const char *etag) {
  return etag[0] == '"' ? etag : "";
}

void qn_version_take(struct qn_version *version, const struct qn_http_answer *answer,
                     uint64_t bytes) {
  *version = (struct qn_version){.known = true, .bytes = bytes};
  snprintf(version->etag, sizeof version->etag, "%s", strong(answer->etag));
  snprintf(version->modified, sizeof version->modified, "%s", answer->modified);
}

bool qn_version_can_tell(const struct qn_version *version) {
  return version->etag[0] || version->modified[0];
}

/* A server that had a validator and has none any more is another. */
bool qn_version_is(const struct qn_version *version, const struct qn_http_answer *answer) {
  return version->etag[0] ? strcmp(version->etag, answer->etag) == 0
                          : strcmp(version->modified, answer->modified) == 0;
}

bool qn_content_range(const char *text, uint64_t *first, uint64_t *last, uint64_t *total) {
  int end = -1;
  return sscanf(text, "bytes %" SCNu64 "-%" SCNu64 "/%" SCNu64 "%n", first, last, total, &end) ==
             3 &&
         end >= 0 && text[end] == '\0' && *first <= *last && *last < *total;
}

bool qn_code_is_passing(long code) {
  return code == 408 || code == 429 || code == 500 || code == 502 || code == 503 || code == 504;
}

enum qn_status qn_version_changed(const struct qn_address *address, struct qn_error *error) {
  qn_fail(error, QN_SYSTEM,
          "the object was replaced while it was read, so there is no result; start again");
  return qn_error_in_file(error, address->name), QN_SYSTEM;
}

static const char *meaning_of(const struct qn_address *address, long code) {
  switch (code) {
  case 401:
  case 407:
    return ": it asks who you are";
  case 403:
    return address->region && !address->key ? ": there are no credentials of S3 "
                                              "(AWS_ACCESS_KEY_ID, ~/.aws/credentials), and the "
                                              "object is not public"
                                            : ": it is not allowed";
  case 404:
  case 410:
    return ": there is no such object";
  case 429:
    return ": too many requests";
  default:
    return code >= 500 ? ": the server has a problem" : "";
  }
}

enum qn_status qn_code_refuse(const struct qn_address *address, const struct qn_http_answer *answer,
                              struct qn_error *error) {
  const bool elsewhere =
      address->region &&
      (answer->code == 301 || answer->code == 307 || answer->code == 400 || answer->code == 403) &&
      answer->bucket_region[0] && strcmp(answer->bucket_region, address->region) != 0;
  if (elsewhere)
    qn_fail(error, QN_SYSTEM, "the bucket is in another region: set AWS_REGION=%s",
            answer->bucket_region);
  else
    qn_fail(error, QN_SYSTEM, "the server answers with %ld%s", answer->code,
            meaning_of(address, answer->code));
  return qn_error_in_file(error, address->name), QN_SYSTEM;
}

#define MOST_HEADERS 8

enum qn_http_end qn_object_get(struct qn_http *http, const struct qn_address *address,
                               const char *const *own, struct qn_http_request request,
                               char message[QN_HTTP_MESSAGE]) {
  /* SHA-256 of no bytes, which S3 wants to be signed. */
  static const char body[] =
      "x-amz-content-sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
  const char *headers[MOST_HEADERS];
  char token[4096]; /* a secret, which is wiped */
  unsigned count = 0;
  if (address->key)
    headers[count++] = body;
  if (address->token) {
    snprintf(token, sizeof token, "x-amz-security-token: %s", address->token);
    headers[count++] = token;
  }
  while (*own && count + 1 < MOST_HEADERS)
    headers[count++] = *own++;
  headers[count] = NULL;
  request.url = address->url;
  request.headers = headers;
  request.follow = !address->region;
  request.region = address->key ? address->region : NULL;
  request.key = address->key;
  request.secret = address->secret;
  request.timeout = qn_remote_timeout();
  const enum qn_http_end end = qn_http_get(http, &request, message);
  explicit_bzero(token, sizeof token);
  return end;
}
