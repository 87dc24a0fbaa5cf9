/* The metadata section of a container: provenance and the edge ledger as one JSON object
 * (specs/container.md). */
#ifndef QUERN_METADATA_H
#define QUERN_METADATA_H

#include <jansson.h>

#include <quern/container.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The metadata section as JSON (a new reference), or NULL with QN_OK if there is none. QN_INVALID
 * (M-1) if it is not a JSON object. */
enum qn_status qn_container_metadata(const struct qn_container *container, json_t **out,
                                     struct qn_error *error);

/* Write `object` as the metadata section: the last of the container, ancillary,
 * compact JSON with sorted keys. */
enum qn_status qn_writer_metadata(struct qn_writer *writer, const json_t *object,
                                  struct qn_error *error);

#ifdef __cplusplus
}
#endif
#endif
