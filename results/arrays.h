/* Results as NumPy arrays, in original order: of one dimension, or where there are several columns
 * a row of each. Internal to results.c. */
#pragma once

#include "formats/text/text_output.h"
#include "kernels/registry.h"
#include "kernels/set_view.h"
#include "results/labels.h"

/* Write the values: little-endian u4, u8, f4 or f8; "none" is the type's largest value, or
 * infinity. Values that are vertices are indices into the array. */
enum qn_status qn_result_array_write(struct qn_text_output *output, const struct qn_labels *labels,
                                     const struct qn_run_result *result,
                                     const struct qn_part_rows *rows, struct qn_error *error);

/* QN_UNSUPPORTED if the names would take many times their bytes in an array, where each takes as
 * many as the longest. */
enum qn_status qn_id_array_check(const struct qn_ids *ids, struct qn_error *error);

/* Write the ids of the values' vertices: u8, or names as bytes (|S), as many as the longest takes.
 */
enum qn_status qn_id_array_write(struct qn_text_output *output, const struct qn_labels *labels,
                                 const struct qn_run_result *result,
                                 const struct qn_part_rows *rows, struct qn_error *error);
