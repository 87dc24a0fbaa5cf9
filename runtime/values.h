/* Results as files. */
#ifndef QN_RUNTIME_VALUES_H
#define QN_RUNTIME_VALUES_H

#include <jansson.h>

#include "converters/text/text_output.h"
#include "runtime/dispatch.h"

#ifdef __cplusplus
extern "C" {
#endif

enum qn_values_form {
  QN_VALUES_LINES, /* "id<TAB>value"; "none" is inf, reals have digits enough to be read exactly */
  QN_VALUES_NPY,   /* a one-dimensional NumPy array (little-endian u4, u8, f4 or f8) */
};

/* As a file's name asks for: NAME.npy, or lines. */
enum qn_values_form qn_values_form_of(const char *path);

/* Write one value a vertex, in original order. Values that are vertices are written as original
 * ids, in an array as indices into it. The caller commits the output. */
enum qn_status qn_values_write(struct qn_text_output *output, enum qn_values_form form,
                               const struct qn_run_input *input, const struct qn_run *run,
                               struct qn_error *error);

/* A vertex's original id as a JSON string (a new reference): of one that is not UTF-8 "#" and the
 * vertex's place in original order. */
json_t *qn_id_json(const struct qn_run_input *input, uint64_t vertex);

/* One value as a number; INFINITY for "none". */
double qn_value_number(const struct qn_run_result *result, uint64_t vertex);

#ifdef __cplusplus
}
#endif
#endif
