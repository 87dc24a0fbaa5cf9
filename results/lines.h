/* Results as text, a line for each vertex in original order. Internal to results.c. */
#pragma once

#include "formats/text/text_output.h"
#include "kernels/registry.h"
#include "kernels/set_view.h"
#include "results/labels.h"

/* Write lines of an id, `separator` and a value, or the id of the vertex that is the value: where
 * none is, there is no line. Of numbers "none" is inf; reals have digits enough to be read exactly.
 * With the separator ',' names are quoted where they must be, and the first line is "id,ALGORITHM".
 */
enum qn_status qn_result_lines_write(struct qn_text_output *output, char separator,
                                     const struct qn_labels *labels,
                                     const struct qn_algorithm *algorithm,
                                     const struct qn_run_result *result,
                                     const struct qn_part_rows *rows, struct qn_error *error);
