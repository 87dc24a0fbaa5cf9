/* The hash by which a bundle's manifest knows a plain container. */
#ifndef QN_FORMATS_BUNDLE_HASH_H
#define QN_FORMATS_BUNDLE_HASH_H

#include <stdint.h>

#include "support/error.h"

/* The XXH3-128 of a whole file of `bytes` bytes (not 0) in hexadecimal, as `xxhsum -H2` prints it.
 */
enum qn_status qn_bundle_hash_file(const char *path, uint64_t bytes, char text[33],
                                   struct qn_error *error);

#endif
