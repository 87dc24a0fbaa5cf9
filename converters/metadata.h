/* The metadata section: JSON with the provenance of a container. No times,
 * paths or host names: the same input and options give the same bytes. */
#ifndef QN_CONVERTERS_METADATA_H
#define QN_CONVERTERS_METADATA_H

#include <jansson.h>
#include <stdint.h>

#include "converters/ledger.h"
#include "formats/container.h"
#include "support/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct qn_metadata;
struct qn_input_digest; /* converters/input.h */

/* `tool` e.g. "quern-import". Owned until destroy (NULL is allowed). */
enum qn_status qn_metadata_create(const char *tool, struct qn_metadata **out,
                                  struct qn_error *error);
void qn_metadata_destroy(struct qn_metadata *metadata);

/* Any entry under "options", e.g. ("undirected", json_true()). Takes over `value`. */
enum qn_status qn_metadata_option(struct qn_metadata *metadata, const char *key, json_t *value,
                                  struct qn_error *error);

/* An entry in "inputs": base name, format (NULL: none), bytes and hash. */
enum qn_status qn_metadata_input(struct qn_metadata *metadata, const char *base_name,
                                 const char *format, const struct qn_input_digest *digest,
                                 struct qn_error *error);

enum qn_status qn_metadata_ledger(struct qn_metadata *metadata, const struct qn_ledger *ledger,
                                  struct qn_error *error);

/* The whole as a JSON object, borrowed: for --json. */
const json_t *qn_metadata_json(const struct qn_metadata *metadata);

/* Write the section "metadata" (ancillary; call it last before commit). */
enum qn_status qn_metadata_write(const struct qn_metadata *metadata, struct qn_writer *writer,
                                 struct qn_error *error);

#ifdef __cplusplus
}
#endif
#endif
