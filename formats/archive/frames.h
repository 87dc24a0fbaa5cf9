/* An encoded section: a frame index, then zstd frames that each hold up to 1 MiB of elements
 * (specs/archive.md, "Encoded sections"). For the other archive_*.c only. */
#pragma once

#include <assert.h>
#include <stdint.h>

#include "formats/archive/filter.h"
#include "formats/archive/pages.h"
#include "formats/archive/references.h"
#include "formats/archive/strips.h"
#include <quern/container.h>

struct qn_disk_frame_index {
  uint64_t num_elements;   /*  0 encoded: the section's count, or the upper triangle's */
  uint64_t frame_elements; /*  8 in every frame but the last: qn_frame_elements, or whole pages */
  uint64_t num_frames;     /* 16 */
  uint64_t reserved;       /* 24 zero */
  /* u64 offsets[num_frames + 1] from the section's start follow: frame f is
   * [offsets[f], offsets[f + 1]); the last is the section's length. */
};
static_assert(sizeof(struct qn_disk_frame_index) == 32, "frame index size");

#define QN_FRAME_BYTES ((uint64_t)1 << 20)

static inline uint64_t qn_frame_elements(uint32_t element_bytes) {
  return QN_FRAME_BYTES / element_bytes;
}

/* How a triangle is cut into strips. */
struct qn_cut {
  const struct qn_strips *strips;
  const uint64_t *upper_rows; /* [V + 1] where rows begin in the triangle */
  bool columns;               /* what is cut: else weights */
};

/* What sections need to be taken apart that are more than elements; each is NULL but for its own.
 */
struct qn_frame_rules {
  const struct qn_cut *cut;           /* strips; else frames are of equal length */
  const struct qn_paging *paging;     /* pages */
  const struct qn_row_slices *slices; /* columns by rows: without `first` and `count` */
};

/* Encode `count` elements and append them to `writer` as the section that `decoded` describes. */
enum qn_status qn_frames_write(struct qn_writer *writer, const struct qn_section *decoded,
                               const void *elements, uint64_t count, bool upper,
                               const struct qn_frame_rules *rules, int level,
                               struct qn_error *error);

/* Do the columns of a triangle take less when they are cut? By a sample of both. */
enum qn_status qn_frames_prefer_cut(const uint32_t *columns, uint64_t count,
                                    const struct qn_cut *cut, int level, bool *prefer,
                                    struct qn_error *error);

/* The number of elements that an encoded section holds, after checking its index. */
enum qn_status qn_frames_count(const struct qn_container *archive, const struct qn_section *section,
                               uint64_t *count, struct qn_error *error);

/* Bytes of a decoded frame of a section, after that check. */
uint64_t qn_frames_frame_bytes(const struct qn_container *archive,
                               const struct qn_section *section);

/* What is done with decoded bytes: those of a frame, from byte `offset` of the elements on. Several
 * threads call at once, in any order. */
struct qn_frame_taker {
  enum qn_status (*take)(void *context, const void *bytes, uint64_t length, uint64_t offset,
                         struct qn_error *error);
  void *context;
};

/* What threads decode with: a few MiB each, more for larger pages, used for one section after the
 * other of the archive. */
struct qn_frame_decoders;
enum qn_status qn_frame_decoders_create(const struct qn_container *archive,
                                        struct qn_frame_decoders **out, struct qn_error *error);
/* NULL is allowed. */
void qn_frame_decoders_destroy(struct qn_frame_decoders *decoders);

/* Decode all frames, of `count` elements as qn_frames_count has said, into `elements` or, if that
 * is NULL, each into memory that is used again, and hand them to `taker` (NULL: nobody).
 * `rules` are for the filters that need them; without strips. */
enum qn_status qn_frames_read(struct qn_frame_decoders *decoders,
                              const struct qn_container *archive, const struct qn_section *section,
                              uint64_t count, const struct qn_frame_rules *rules, void *elements,
                              const struct qn_frame_taker *taker, struct qn_error *error);

/* Decode one frame, by the calling thread, whose index has been checked. */
enum qn_status qn_frames_read_one(struct qn_frame_decoders *decoders,
                                  const struct qn_container *archive,
                                  const struct qn_section *section, uint64_t frame,
                                  const struct qn_frame_rules *rules,
                                  const struct qn_frame_taker *taker, struct qn_error *error);
/* Where the index of a section ends, which is not looked at. */
uint64_t qn_frames_index_bytes(const struct qn_container *archive,
                               const struct qn_section *section);
/* The bytes [*begin, *end) of a section that a frame is in. */
void qn_frames_place(const struct qn_section *section, uint64_t frame, uint64_t *begin,
                     uint64_t *end);

/* Of a section that is cut: decode frame `frame`, which is not empty, by the calling thread: rows,
 * whose bits stay valid until the thread decodes anything else, or weights [count]. */
enum qn_status qn_frames_read_rows(struct qn_frame_decoders *decoders,
                                   const struct qn_container *archive,
                                   const struct qn_section *section, const struct qn_strips *strips,
                                   uint64_t frame, struct qn_archive_rows *rows,
                                   struct qn_error *error);
enum qn_status qn_frames_read_weights(struct qn_frame_decoders *decoders,
                                      const struct qn_container *archive,
                                      const struct qn_section *section,
                                      const struct qn_strips *strips, uint64_t frame, void *weights,
                                      struct qn_error *error);
/* Say that a frame is corrupt. */
enum qn_status qn_frames_corrupt(const struct qn_container *archive,
                                 const struct qn_section *section, uint64_t frame,
                                 struct qn_error *error);
