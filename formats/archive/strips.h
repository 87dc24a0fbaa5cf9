/* An upper triangle cut into frames by strips of rows (specs/archive.md, "Strips"). For the other
 * archive_*.c only. */
#pragma once

#include <assert.h>
#include <stdint.h>

#include "formats/archive/rows.h"
#include <quern/container.h>

/* At the beginning of a section; a qn_disk_strip_frame for each frame and one more follow, whose
 * offset is the section's length. */
struct qn_disk_strips {
  uint64_t num_elements; /*  0 */
  uint64_t span_log2;    /*  8 a strip is 2^span_log2 rows */
  uint64_t num_frames;   /* 16 */
  uint64_t reserved;     /* 24 zero */
};
static_assert(sizeof(struct qn_disk_strips) == 32, "strips size");

struct qn_disk_strip_frame {
  uint64_t offset; /*  0 from the section's start */
  uint32_t strip;  /*  8 */
  uint32_t count;  /* 12 elements; none only in the one frame of an empty strip */
};
static_assert(sizeof(struct qn_disk_strip_frame) == 16, "strip frame size");

/* Elements of a frame at most. */
#define QN_STRIP_FRAME_ELEMENTS ((uint32_t)1 << 18)

/* In memory: every strip has its frames, one after the other. */
struct qn_strip_frame {
  uint64_t first; /* elements of the triangle before it */
  uint32_t strip;
  uint32_t count;
};

struct qn_strips {
  uint64_t num_vertices;
  unsigned span_log2;
  uint64_t num_strips;
  uint64_t num_frames;
  uint64_t num_elements;
  struct qn_strip_frame *frames; /* [num_frames + 1], the last behind all */
};

/* Strips so wide that the graph's edges of one, mirrored ones too, stay in a core's cache. */
unsigned qn_strips_span(uint64_t num_vertices, uint64_t num_edges);

/* Cut the triangle whose rows begin at `upper_rows` [V + 1]. */
enum qn_status qn_strips_cut(uint64_t num_vertices, unsigned span_log2, const uint64_t *upper_rows,
                             struct qn_strips *strips, struct qn_error *error);

/* What a section says, checked. */
enum qn_status qn_strips_read(const struct qn_container *archive, const struct qn_section *section,
                              struct qn_strips *strips, struct qn_error *error);
/* Where a frame begins in the section. */
uint64_t qn_strips_offset(const struct qn_section *section, uint64_t frame);
/* A zeroed struct is allowed. */
void qn_strips_destroy(struct qn_strips *strips);

/* The rows of a frame, which is not empty, of the triangle whose rows begin at `upper_rows`: all
 * but base, columns and tiles. `rows->degrees` has room for those of a strip. */
void qn_strips_rows(const struct qn_strips *strips, uint64_t frame, const uint64_t *upper_rows,
                    struct qn_archive_rows *rows);

/* Count the tiles of the frame whose columns are `rows->columns`, into `rows->tiles`. */
void qn_strips_count_tiles(const struct qn_strips *strips, uint64_t frame,
                           struct qn_archive_rows *rows);

/* Are the frames the same? */
bool qn_strips_equal(const struct qn_strips *a, const struct qn_strips *b);

static inline struct qn_packed_rows_place qn_strips_place(const struct qn_strips *strips,
                                                          uint64_t frame) {
  return (struct qn_packed_rows_place){.num_vertices = strips->num_vertices,
                                       .span_log2 = strips->span_log2,
                                       .strip = strips->frames[frame].strip};
}
