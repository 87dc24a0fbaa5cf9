/* What a URL asks for: of which server, and signed by whom. */
#pragma once

#include "support/text/url.h"
#include <quern/error.h>

struct qn_address {
  char *url;  /* with all that the server needs */
  char *name; /* for people and files: without user, password, query and fragment */
  /* Of s3:// alone. */
  char *region;
  char *key, *secret; /* NULL: requests are not signed */
  char *token;        /* of a session; NULL: there is none */
};

/* QN_USAGE if it is malformed. An "s3://BUCKET/KEY" is looked up as AWS's own tools do it: by
 * AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION or AWS_DEFAULT_REGION,
 * AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL, or else by the profile AWS_PROFILE of the files
 * AWS_SHARED_CREDENTIALS_FILE (~/.aws/credentials) and AWS_CONFIG_FILE (~/.aws/config). */
enum qn_status qn_address_parse(const char *url, struct qn_address *out, struct qn_error *error);
/* Allows one that is zeroed. */
void qn_address_free(struct qn_address *address);
