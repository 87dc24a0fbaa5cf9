/* Where a container came from, as its metadata section says: tool, version, options,
 * inputs with size and hash, and the edge ledger. No times, paths or host names: the
 * same input and options give the same bytes. */
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "converters/edges/ledger.h"
#include <quern/error.h>

struct qn_input_digest; /* support/input/input.h */

/* A JSON object {"tool", "version", "options": {}, "inputs": []}; `tool` e.g. "quern-import".
 * Free with json_decref. */
enum qn_status qn_provenance_create(const char *tool, json_t **out, struct qn_error *error);

/* Add an entry under "options". Takes over `value`, even on failure; NULL means that
 * memory ran out while making it. */
enum qn_status qn_provenance_option(json_t *provenance, const char *key, json_t *value,
                                    struct qn_error *error);

/* Add an entry to "inputs". */
enum qn_status qn_provenance_input(json_t *provenance, const char *base_name, const char *format,
                                   const struct qn_input_digest *digest, struct qn_error *error);

/* Set "ledger", with the codes of what was noted until now. */
enum qn_status qn_provenance_ledger(json_t *provenance, const struct qn_ledger *ledger,
                                    struct qn_error *error);

/* Print `report` (NULL: memory ran out while making it), which is taken over, with all that the
 * provenance says, on standard output. */
enum qn_status qn_provenance_print(json_t *report, const json_t *provenance,
                                   struct qn_error *error);
