/* What answers of a server have in common: which version of an object they are of, and what refuses
 * them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "support/remote/address.h"
#include "support/remote/http.h"

/* The version that was read first. */
struct qn_version {
  bool known;
  uint64_t bytes; /* the object's length; UINT64_MAX: nobody said */
  char etag[256]; /* "" if there is none, or a weak one, which is no promise of the same bytes */
  char modified[64];
};

void qn_version_take(struct qn_version *version, const struct qn_http_answer *answer,
                     uint64_t bytes);
/* Is the answer, for all that it says, of this version? */
bool qn_version_is(const struct qn_version *version, const struct qn_http_answer *answer);
/* Can an answer say that it is? */
bool qn_version_can_tell(const struct qn_version *version);

/* "bytes FIRST-LAST/TOTAL"; false if it is none of these. */
bool qn_content_range(const char *text, uint64_t *first, uint64_t *last, uint64_t *total);

/* Will another attempt do that an answer of this code has refused? */
bool qn_code_is_passing(long code);
/* What a code that refuses means, in `error`; returns its status. */
enum qn_status qn_code_refuse(const struct qn_address *address, const struct qn_http_answer *answer,
                              struct qn_error *error);
/* The object is not what it was. */
enum qn_status qn_version_changed(const struct qn_address *address, struct qn_error *error);

/* Ask for the object (qn_http_get), answering by the functions of `request`. Its headers are those
 * that every request has, and those of `own`, which NULL ends. */
enum qn_http_end qn_object_get(struct qn_http *http, const struct qn_address *address,
                               const char *const *own, struct qn_http_request request,
                               char message[QN_HTTP_MESSAGE]);
