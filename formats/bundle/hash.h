/* The hashes in a bundle's manifest. */
#pragma once

#include <jansson.h>
#include <stdint.h>

#include <quern/error.h>

/* XXH3-128 in hexadecimal, as `xxhsum -H2` prints it: how a manifest knows a plain container. */
void qn_bundle_hash(const void *content, uint64_t bytes, char text[33]);
/* The length of an open file, and that of what it holds. */
enum qn_status qn_bundle_hash_file(int descriptor, uint64_t *bytes, char text[33],
                                   struct qn_error *error);

/* The manifest's own checksum: XXH3-64 of its members, printed without blanks and with sorted keys,
 * in hexadecimal. */
enum qn_status qn_bundle_hash_members(const json_t *members, char text[17], struct qn_error *error);
