/* Bundles: several containers and a manifest in one tar (specs/bundle.md). Members are in archive
 * form, the tar itself is plain, so that each is found and mapped where it lies, and
 * ordinary tar can list and unpack it. */
#ifndef QUERN_BUNDLE_H
#define QUERN_BUNDLE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include <quern/container.h>
#include <quern/error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct qn_bundle;

struct qn_bundle_member {
  const char *name;
  uint64_t offset; /* in the bundle */
  uint64_t bytes;
  const json_t *entry; /* of the manifest, borrowed */
};

/* Is the file a tar, by its content? On a server its name tells. False on errors. */
bool qn_bundle_recognise(const char *path);

/* Open and index a bundle; its manifest must name exactly its members. QN_INVALID for
 * anything else, and for names with folders. Of one on a server the headers and manifests come
 * alone. Owned until close (NULL is allowed). */
enum qn_status qn_bundle_open(const char *path, struct qn_bundle **out, struct qn_error *error);
void qn_bundle_close(struct qn_bundle *bundle);

const char *qn_bundle_path(const struct qn_bundle *bundle);
/* Of containers. */
uint32_t qn_bundle_count(const struct qn_bundle *bundle);
const struct qn_bundle_member *qn_bundle_member(const struct qn_bundle *bundle, uint32_t index);
/* QN_USAGE with the list of members if no such name exists. */
enum qn_status qn_bundle_find(const struct qn_bundle *bundle, const char *name,
                              const struct qn_bundle_member **out, struct qn_error *error);

/* The member set.json of a bundle that is a set; NULL: it is none. */
const struct qn_bundle_member *qn_bundle_set(const struct qn_bundle *bundle);
/* Its text, of qn_bundle_set(bundle)->bytes bytes, in the mapping. */
const char *qn_bundle_set_text(const struct qn_bundle *bundle);

/* Map a member's container (archive form) where it lies. `flags` may have QN_MAP_RECTANGULAR, for
 * those of a set. */
enum qn_status qn_bundle_map(const struct qn_bundle *bundle, const struct qn_bundle_member *member,
                             unsigned flags, struct qn_container **out, struct qn_error *error);

/* Restore a member to `path` and compare the result with the manifest's hash; if it differs, no
 * file is left. With `path` NULL the same with a file without a name in the folder TMPDIR (or
 * /tmp), which is then dropped. */
enum qn_status qn_bundle_extract(const struct qn_bundle *bundle,
                                 const struct qn_bundle_member *member, const char *path,
                                 bool force, struct qn_error *error);

/* Put a set back, byte for byte, as the folder `path`, which appears whole or not at all. With
 * `force` it replaces a set. */
enum qn_status qn_bundle_extract_set(const struct qn_bundle *bundle, const char *path, bool force,
                                     struct qn_error *error);

#ifdef __cplusplus
}
#endif
#endif
