/* One request to a server: what libcurl does. The shared library loads the rest of it as a module
 * when the first one is made (library/modules/curl.c). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <quern/error.h>

/* What the server says before the bytes come, of the last answer if it redirects. */
struct qn_http_answer {
  long code;
  uint64_t length;      /* bytes that follow; UINT64_MAX: it does not say */
  unsigned retry_after; /* seconds that it asks to wait; 0: it does not */
  bool framed;    /* by the length, or otherwise: where bytes are missing at the end it is seen */
  char etag[256]; /* "" if it is missing, or too long; likewise the others */
  char modified[64];      /* Last-Modified */
  char content_range[96]; /* of a part */
  char content_type[160]; /* of several parts */
  char bucket_region[32]; /* where an S3 bucket is */
};

struct qn_http_request {
  const char *url;
  const char *const *headers; /* "Name: value", ended by NULL; redirects take them along */
  bool follow;                /* redirects, but not from https:// to http:// */
  const char *region;         /* of S3, by which the request is signed; NULL: it is not */
  const char *key, *secret;   /* that sign it */
  unsigned timeout;           /* seconds: to connect, and without bytes */
  /* Called once, before bytes come, and then for all that come: false ends the transfer. */
  bool (*begin)(void *user, const struct qn_http_answer *answer);
  bool (*take)(void *user, const void *bytes, size_t count);
  bool (*goes_on)(void *user); /* asked several times a second */
  void *user;
};

enum qn_http_end {
  QN_HTTP_DONE,
  QN_HTTP_ENDED, /* by one of the functions */
  QN_HTTP_CUT,   /* the way failed: another attempt may succeed */
  QN_HTTP_FAILED /* and here none will */
};

#define QN_HTTP_MESSAGE 256

/* A connection, or several, which are kept from request to request; for one thread at a time. */
struct qn_http;

/* QN_UNSUPPORTED if there is no libcurl. */
enum qn_status qn_http_create(struct qn_http **out, struct qn_error *error);
/* NULL is allowed. */
void qn_http_destroy(struct qn_http *http);

/* Where it was CUT or FAILED `message` says why. */
enum qn_http_end qn_http_get(struct qn_http *http, const struct qn_http_request *request,
                             char message[QN_HTTP_MESSAGE]);
