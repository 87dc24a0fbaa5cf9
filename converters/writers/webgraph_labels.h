/* Weights as labels of a WebGraph's arcs: NAME-weights.labels, .labeloffsets and .properties beside
 * NAME.graph. */
#pragma once

#include "converters/output/output_folder.h"

/* Write weights that qn_weights_are_labels, one for each arc: of parallel edges that of the first.
 * They are in gamma code or of one width, whatever takes less. The bytes do not depend on threads.
 * `arcs` is how many there are.
 */
enum qn_status qn_arc_labels_write(const struct qn_csr *csr, uint64_t arcs,
                                   struct qn_output_folder *folder, struct qn_error *error);
