/* Where S3 is, and as whom one asks it: from the environment and the files that Amazon's own tools
 * read ("Configuration and credential file settings" of the AWS CLI). */
#pragma once

#include <quern/error.h>

struct qn_profile {
  char *key, *secret, *token; /* NULL: not said */
  char *region;               /* "us-east-1" if it is not said */
  char *endpoint;             /* NULL: Amazon's */
};

/* QN_USAGE if AWS_PROFILE names a profile that is in neither file. */
enum qn_status qn_profile_find(struct qn_profile *profile, struct qn_error *error);
void qn_profile_free(struct qn_profile *profile);
