/* Results as files. */
#ifndef QN_RUNTIME_VALUES_H
#define QN_RUNTIME_VALUES_H

#include <jansson.h>

#include "runtime/dispatch.h"
#include "support/atomic_file.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Write one value a vertex, in original order, in the form that the file's name asks for:
 *
 *   NAME.npy   a one-dimensional NumPy array (version 1.0, little-endian u4, u8, f4 or f8)
 *   otherwise  a line "id<TAB>value"; "none" is inf, real numbers have enough digits to
 *              be read back exactly
 *
 * Values that are vertices are written as original ids, in .npy as indices into the array.
 * The caller commits the file. */
enum qn_status qn_values_write(struct qn_atomic_file *file, const struct qn_session *session,
                               const struct qn_run *run, struct qn_error *error);

/* A vertex's original id as a JSON string (a new reference): of one that is not UTF-8 "#" and the
 * vertex's place in original order. */
json_t *qn_id_json(const struct qn_session *session, uint64_t vertex);

/* One value as a number; INFINITY for "none". */
double qn_value_number(const struct qn_run_result *result, uint64_t vertex);

#ifdef __cplusplus
}
#endif
#endif
