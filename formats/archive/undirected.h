/* Restoring the columns and weights of an undirected graph from its upper triangle. For
 * restore.c only. */
#pragma once

#include "formats/archive/frames.h"

struct qn_undirected {
  const struct qn_container *archive;
  struct qn_writer
      *writer; /* NULL: only checking; else both sections have been appended by parts */
  struct qn_frame_decoders *decoders;
  const uint64_t *row_offsets; /* [V + 1], not believed */
  uint32_t columns;            /* number of the section */
  uint32_t weights;            /* its number; that of the columns if only they are a triangle */
};

/* Check what the section claims, before memory is taken: the frames that are there must account for
 * the count that the table claims, and a triangle holds at least half of the edges. */
enum qn_status qn_undirected_check_claim(const struct qn_container *archive,
                                         const struct qn_section *section, struct qn_error *error);

/* Restore both, and compare their checksums (C-21). */
enum qn_status qn_undirected_restore(const struct qn_undirected *undirected,
                                     struct qn_error *error);

/* the section does not fit the others. */
enum qn_status qn_undirected_misfit(const struct qn_container *archive,
                                    const struct qn_section *section, struct qn_error *error);
