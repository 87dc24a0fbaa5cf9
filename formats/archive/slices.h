/* The rows that columns of a graph are in, for the filter of references. */
#pragma once

#include "formats/archive/frames.h"

/* The section of row offsets that a section of columns goes by; NULL of other sections, or if there
 * is none before it with an offset for each row. */
const struct qn_section *qn_row_offsets_of(const struct qn_container *container,
                                           const struct qn_section *columns);

/* Those rows, without a part of the columns; `row_offsets` is what the section holds. */
struct qn_row_slices qn_row_slices_of(const struct qn_container *container,
                                      const uint64_t *row_offsets);

/* Decode the row offsets of columns, and check them.
 * `slices->row_offsets` is then owned, and [num_rows + 1] long. */
enum qn_status qn_row_slices_read(struct qn_frame_decoders *decoders,
                                  const struct qn_container *archive,
                                  const struct qn_section *columns, struct qn_row_slices *slices,
                                  struct qn_error *error);
void qn_row_slices_destroy(struct qn_row_slices *slices);
