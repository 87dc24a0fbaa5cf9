/* The sums by which a file is known: SHA-256, which libarchive computes as it does for archives of
 * its format mtree, and XXH3-128. */
#pragma once

#include <stdint.h>

#include "support/input/input.h"

struct qn_file_sums {
  struct qn_input_digest digest;
  char sha256[65];
};

/* Of all of an open regular file. QN_UNSUPPORTED if libarchive was built without SHA-256; `name`
 * stands for the file in messages. */
enum qn_status qn_file_sums(int descriptor, const char *name, struct qn_file_sums *sums,
                            struct qn_error *error);
