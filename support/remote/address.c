#include "support/remote/address.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "support/memory.h"
#include "support/remote/profile.h"

#define S3 "s3://"

static bool begins(const char *text, const char *with) {
  return strncasecmp(text, with, strlen(with)) == 0;
}

/* What follows the scheme. */
static const char *after_scheme(const char *url) {
  return strstr(url, "://") + strlen("://");
}

__attribute__((format(printf, 3, 4))) static enum qn_status
make_text(char **out, struct qn_error *error, const char *format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  const int length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  enum qn_status status = qn_alloc(out, (uint64_t)length + 1, 1, "a URL", error);
  if (!status)
    vsnprintf(*out, (size_t)length + 1, format, again);
  va_end(again);
  return status;
}

/* ---- S3 --------------------------------------------------------------------- */

static bool is_unreserved(unsigned char c) {
  return isalnum(c) || (c && strchr("-._~/", c) != NULL);
}

/* Percent-encoded, as it is signed. */
static enum qn_status encode_key(const char *key, char **out, struct qn_error *error) {
  enum qn_status status = qn_alloc(out, 3 * strlen(key) + 1, 1, "a URL", error);
  if (status)
    return status;
  char *to = *out;
  for (const unsigned char *c = (const unsigned char *)key; *c; c++)
    to += is_unreserved(*c) ? sprintf(to, "%c", *c) : sprintf(to, "%%%02X", *c);
  *to = '\0';
  return QN_OK;
}

/* May it stand in the name of a host? */
static bool is_plain(const char *text, size_t length, const char *also) {
  for (size_t i = 0; i < length; i++)
    if (!isalnum((unsigned char)text[i]) && !strchr(also, text[i]))
      return false;
  return length > 0;
}

/* Buckets that are no names of hosts of Amazon's own certificate stand in the path. */
static enum qn_status place_object(const struct qn_profile *profile, const char *bucket,
                                   size_t bucket_bytes, const char *key, char **url,
                                   struct qn_error *error) {
  const char *endpoint = profile->endpoint;
  const int bytes = (int)bucket_bytes;
  if (endpoint) {
    size_t length = strlen(endpoint);
    while (length && endpoint[length - 1] == '/')
      length--;
    return make_text(url, error, "%.*s/%.*s/%s", (int)length, endpoint, bytes, bucket, key);
  }
  for (size_t i = 0; i < bucket_bytes; i++)
    if (strchr("._", bucket[i]) || isupper((unsigned char)bucket[i]))
      return make_text(url, error, "https://s3.%s.amazonaws.com/%.*s/%s", profile->region, bytes,
                       bucket, key);
  return make_text(url, error, "https://%.*s.s3.%s.amazonaws.com/%s", bytes, bucket,
                   profile->region, key);
}

/* Takes what the profile has. */
static void sign_by(struct qn_profile *profile, struct qn_address *address) {
  address->region = profile->region;
  profile->region = NULL;
  if (!profile->key || !profile->secret)
    return;
  address->key = profile->key;
  address->secret = profile->secret;
  address->token = profile->token;
  profile->key = profile->secret = profile->token = NULL;
}

static enum qn_status parse_s3(const char *url, struct qn_address *out, struct qn_error *error) {
  const char *bucket = after_scheme(url), *slash = strchr(bucket, '/');
  struct qn_profile profile = {0};
  char *key = NULL;
  if (!slash || !slash[1] || !is_plain(bucket, (size_t)(slash - bucket), "-._"))
    return qn_fail(error, QN_USAGE, "'%.200s': expected s3://BUCKET/KEY", url);
  enum qn_status status = qn_profile_find(&profile, error);
  if (!status && !is_plain(profile.region, strlen(profile.region), "-"))
    status = qn_fail(error, QN_USAGE, "the region of S3 is no name: '%.60s'", profile.region);
  if (!status && profile.endpoint && !begins(profile.endpoint, "http://") &&
      !begins(profile.endpoint, "https://"))
    status = qn_fail(error, QN_USAGE, "the endpoint of S3 is no URL");
  if (!status)
    status = encode_key(slash + 1, &key, error);
  if (!status)
    status = place_object(&profile, bucket, (size_t)(slash - bucket), key, &out->url, error);
  if (!status)
    sign_by(&profile, out);
  qn_free(key);
  qn_profile_free(&profile);
  return status;
}

/* ---- URLs ------------------------------------------------------------------- */

static enum qn_status parse_http(const char *url, struct qn_address *out, struct qn_error *error) {
  const char *host = after_scheme(url);
  for (const unsigned char *c = (const unsigned char *)url; *c; c++)
    if (*c <= ' ' || *c == 127)
      return qn_fail(error, QN_USAGE, "a URL has no spaces and no control characters; write %%%02X",
                     *c);
  if (strcspn(host, "/?#") == 0)
    return qn_fail(error, QN_USAGE, "a URL without a host: expected https://HOST/PATH");
  return make_text(&out->url, error, "%.*s", (int)strcspn(url, "#"), url);
}

enum qn_status qn_address_parse(const char *url, struct qn_address *out, struct qn_error *error) {
  char *name;
  *out = (struct qn_address){0};
  enum qn_status status = begins(url, S3) ? parse_s3(url, out, error) : parse_http(url, out, error);
  if (!status)
    status = qn_alloc(&name, strlen(url) + 1, 1, "a URL", error);
  if (!status) {
    out->name = name;
    qn_path_shown(url, name, strlen(url) + 1);
  }
  if (status)
    qn_address_free(out);
  return status;
}

/* Secrets do not stay in memory that others get. */
static void forget(char *secret) {
  if (secret)
    explicit_bzero(secret, strlen(secret));
  qn_free(secret);
}

void qn_address_free(struct qn_address *address) {
  forget(address->url);
  qn_free(address->name);
  qn_free(address->region);
  forget(address->key);
  forget(address->secret);
  forget(address->token);
  *address = (struct qn_address){0};
}
