/* Bundles on servers. */
#pragma once

#include <stdint.h>

#include "support/remote/multipart.h"
#include <quern/error.h>

/* Let come of a bundle at `url` what lies between its members' contents, its manifest and that of a
 * set, and lay it where it belongs in memory as long as the bundle, in which the rest is zero.
 * Nothing of it is checked. `content` is the caller's to unmap. QN_UNSUPPORTED if the server gives
 * no ranges. */
enum qn_status qn_bundle_bring(const char *url, const uint8_t **content, uint64_t *bytes,
                               struct qn_error *error);

/* The same of bytes that anybody has, of which the first `head_bytes` are there. */
struct qn_bundle_source {
  const char *name; /* for messages */
  uint64_t bytes;   /* of the bundle */
  const void *head;
  uint64_t head_bytes;
  enum qn_status (*read)(void *user, const struct qn_part *parts, uint64_t count,
                         struct qn_error *error);
  void *user;
};
enum qn_status qn_bundle_bring_from(const struct qn_bundle_source *source, const uint8_t **content,
                                    struct qn_error *error);
