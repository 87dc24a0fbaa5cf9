/* What the pages of an archive are decoded by: its RVT, decoded before them. For the other
 * archive_*.c only. */
#pragma once

#include "formats/archive/frames.h"

/* Decode a whole section that others are decoded by. */
enum qn_status qn_archive_section_read(struct qn_frame_decoders *decoders,
                                       const struct qn_container *archive,
                                       const struct qn_section *section, void *out,
                                       struct qn_error *error);

struct qn_archive_paging {
  struct qn_paging paging;
  uint32_t *start_vids;
  int32_t *lp_ranges;
  uint64_t *edge_offsets;
};

/* Decode and check the RVT (SP-1 to SP-5). Undone by qn_archive_paging_destroy, which takes a
 * zeroed struct too. */
enum qn_status qn_archive_paging_read(struct qn_frame_decoders *decoders,
                                      const struct qn_container *archive,
                                      struct qn_archive_paging *paging, struct qn_error *error);
void qn_archive_paging_destroy(struct qn_archive_paging *paging);
