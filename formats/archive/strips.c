/* Every strip has at least one frame, so that strips without an upper edge have their place too. */
#include "formats/archive/strips.h"

#include <string.h>

#include "support/memory.h"

enum { CACHED_EDGES_LOG2 = 18 };
enum { LEAST_STRIPS_LOG2 = 6, WANTED_STRIPS_LOG2 = 11, MOST_STRIPS_LOG2 = 12 };

/* Bits of the largest vertex: strips of 2^(this - n) rows are 2^n at most. */
static unsigned log2_above(uint64_t value) {
  return value > 1 ? 64 - (unsigned)__builtin_clzll(value - 1) : 0;
}

static unsigned at_most_strips(uint64_t num_vertices, unsigned strips_log2) {
  unsigned bits = log2_above(num_vertices);
  unsigned span = bits > strips_log2 ? bits - strips_log2 : 0;
  return span < QN_MIN_SPAN_LOG2 ? QN_MIN_SPAN_LOG2 : span;
}

static unsigned smaller(unsigned a, unsigned b) {
  return a < b ? a : b;
}

unsigned qn_strips_span(uint64_t num_vertices, uint64_t num_edges) {
  unsigned span = QN_MIN_SPAN_LOG2;
  uint64_t degree = num_vertices ? num_edges / num_vertices : 0;
  while (span < QN_MAX_SPAN_LOG2 && degree << (span + 1) <= (uint64_t)1 << CACHED_EDGES_LOG2)
    span++;
  span = smaller(span, at_most_strips(num_vertices, LEAST_STRIPS_LOG2));
  unsigned narrowest = at_most_strips(num_vertices, WANTED_STRIPS_LOG2);
  return smaller(span > narrowest ? span : narrowest, QN_MAX_SPAN_LOG2);
}

void qn_strips_destroy(struct qn_strips *strips) {
  qn_pages_free(strips->frames, strips->num_frames + 1, sizeof *strips->frames);
  *strips = (struct qn_strips){0};
}

/* ---- Cutting ---------------------------------------------------------------- */

static uint64_t first_element(const struct qn_strips *strips, const uint64_t *upper_rows,
                              uint64_t strip) {
  uint64_t row = strip << strips->span_log2;
  return upper_rows[row < strips->num_vertices ? row : strips->num_vertices];
}

static uint64_t frames_of(uint64_t elements) {
  return elements ? (elements + QN_STRIP_FRAME_ELEMENTS - 1) / QN_STRIP_FRAME_ELEMENTS : 1;
}

static struct qn_strip_frame *cut_strip(uint64_t strip, uint64_t first, uint64_t end,
                                        struct qn_strip_frame *next) {
  do {
    uint64_t count = end - first;
    count = count < QN_STRIP_FRAME_ELEMENTS ? count : QN_STRIP_FRAME_ELEMENTS;
    *next++ = (struct qn_strip_frame){first, (uint32_t)strip, (uint32_t)count};
    first += count;
  } while (first < end);
  return next;
}

enum qn_status qn_strips_cut(uint64_t num_vertices, unsigned span_log2, const uint64_t *upper_rows,
                             struct qn_strips *strips, struct qn_error *error) {
  *strips = (struct qn_strips){.num_vertices = num_vertices,
                               .span_log2 = span_log2,
                               .num_strips = qn_num_strips(num_vertices, span_log2),
                               .num_elements = upper_rows[num_vertices]};
  for (uint64_t strip = 0; strip < strips->num_strips; strip++)
    strips->num_frames += frames_of(first_element(strips, upper_rows, strip + 1) -
                                    first_element(strips, upper_rows, strip));
  enum qn_status status = qn_pages_alloc(&strips->frames, strips->num_frames + 1,
                                         sizeof *strips->frames, "frames of strips", error);
  if (status)
    return status;
  struct qn_strip_frame *next = strips->frames;
  for (uint64_t strip = 0; strip < strips->num_strips; strip++)
    next = cut_strip(strip, first_element(strips, upper_rows, strip),
                     first_element(strips, upper_rows, strip + 1), next);
  *next = (struct qn_strip_frame){strips->num_elements, (uint32_t)strips->num_strips, 0};
  return QN_OK;
}

/* ---- Rows of a frame -------------------------------------------------------- */

/* The first row that has an element of the frame. */
static uint64_t first_row(const struct qn_strips *strips, uint64_t frame,
                          const uint64_t *upper_rows) {
  const struct qn_strip_frame *cut = &strips->frames[frame];
  uint64_t low = (uint64_t)cut->strip << strips->span_log2;
  uint64_t high = low + ((uint64_t)1 << strips->span_log2);
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    if (middle + 1 <= strips->num_vertices && upper_rows[middle + 1] <= cut->first)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

void qn_strips_rows(const struct qn_strips *strips, uint64_t frame, const uint64_t *upper_rows,
                    struct qn_archive_rows *rows) {
  const struct qn_strip_frame *cut = &strips->frames[frame];
  uint64_t begin = cut->first, end = begin + cut->count;
  uint64_t first = first_row(strips, frame, upper_rows), row = first;
  for (; begin < end; row++) {
    uint64_t row_end = upper_rows[row + 1] < end ? upper_rows[row + 1] : end;
    rows->degrees[row - first] = (uint32_t)(row_end - begin);
    begin = row_end;
  }
  rows->first_row = (uint32_t)(first - ((uint64_t)cut->strip << strips->span_log2));
  rows->num_rows = (uint32_t)(row - first);
  rows->after = upper_rows[row] - end;
}

void qn_strips_count_tiles(const struct qn_strips *strips, uint64_t frame,
                           struct qn_archive_rows *rows) {
  const struct qn_strip_frame *cut = &strips->frames[frame];
  memset(rows->tiles, 0, (strips->num_strips - cut->strip) * sizeof *rows->tiles);
  for (uint32_t i = 0; i < cut->count; i++)
    rows->tiles[(rows->columns[i] >> strips->span_log2) - cut->strip]++;
}

/* ---- Reading ---------------------------------------------------------------- */

static struct qn_disk_strip_frame frame_at(const struct qn_section *section, uint64_t frame) {
  struct qn_disk_strip_frame entry;
  memcpy(&entry,
         (const uint8_t *)section->stored + sizeof(struct qn_disk_strips) + frame * sizeof entry,
         sizeof entry);
  return entry;
}

uint64_t qn_strips_offset(const struct qn_section *section, uint64_t frame) {
  return frame_at(section, frame).offset;
}

/* Not more strips than can be told apart in little memory. */
static bool head_is_sound(const struct qn_section *section, uint64_t num_vertices,
                          struct qn_disk_strips *head) {
  const uint64_t entry = sizeof(struct qn_disk_strip_frame);
  if (section->stored_bytes < sizeof *head + entry ||
      (section->element_bytes != 4 && section->element_bytes != 8) || num_vertices == 0)
    return false;
  memcpy(head, section->stored, sizeof *head);
  return head->reserved == 0 && head->span_log2 >= QN_MIN_SPAN_LOG2 &&
         head->span_log2 <= QN_MAX_SPAN_LOG2 &&
         (head->span_log2 == QN_MAX_SPAN_LOG2 ||
          head->span_log2 >= at_most_strips(num_vertices, MOST_STRIPS_LOG2)) &&
         head->num_frames <= (section->stored_bytes - sizeof *head) / entry - 1 &&
         head->num_elements <= section->count &&
         section->count - head->num_elements <= head->num_elements;
}

/* A frame follows the one before it in the same strip, which must be full, or begins the next. */
static bool frame_follows(const struct qn_disk_strip_frame *before,
                          const struct qn_disk_strip_frame *entry, uint64_t stored_bytes) {
  bool begins = entry->strip == before->strip + 1;
  bool continues =
      entry->strip == before->strip && entry->count > 0 && before->count == QN_STRIP_FRAME_ELEMENTS;
  return (begins || continues) && entry->count <= QN_STRIP_FRAME_ELEMENTS &&
         entry->offset >= before->offset && entry->offset <= stored_bytes &&
         (before->count > 0 || entry->offset == before->offset);
}

/* False if the entries break a rule; `strips` has room for all. */
static bool read_frames(const struct qn_section *section, struct qn_strips *strips) {
  uint64_t begin =
      sizeof(struct qn_disk_strips) + (strips->num_frames + 1) * sizeof(struct qn_disk_strip_frame);
  struct qn_disk_strip_frame before = {.offset = begin, .strip = UINT32_MAX};
  uint64_t elements = 0;
  for (uint64_t i = 0; i <= strips->num_frames; i++) {
    struct qn_disk_strip_frame entry = frame_at(section, i);
    if (!frame_follows(&before, &entry, section->stored_bytes))
      return false;
    strips->frames[i] = (struct qn_strip_frame){elements, entry.strip, entry.count};
    elements += entry.count;
    before = entry;
  }
  return before.strip == strips->num_strips && before.count == 0 &&
         before.offset == section->stored_bytes && elements == strips->num_elements;
}

enum qn_status qn_strips_read(const struct qn_container *archive, const struct qn_section *section,
                              struct qn_strips *strips, struct qn_error *error) {
  struct qn_disk_strips head;
  uint64_t num_vertices = qn_container_info(archive)->num_vertices;
  *strips = (struct qn_strips){0};
  if (!head_is_sound(section, num_vertices, &head))
    goto unsound;
  *strips = (struct qn_strips){.num_vertices = num_vertices,
                               .span_log2 = (unsigned)head.span_log2,
                               .num_strips = qn_num_strips(num_vertices, (unsigned)head.span_log2),
                               .num_frames = head.num_frames,
                               .num_elements = head.num_elements};
  enum qn_status status = qn_pages_alloc(&strips->frames, strips->num_frames + 1,
                                         sizeof *strips->frames, "frames of strips", error);
  if (status || read_frames(section, strips))
    return status;
  qn_strips_destroy(strips);
unsound:
  return qn_container_violation(archive, error, "A-2",
                                "the frame index of section %s is inconsistent", section->name);
}

bool qn_strips_equal(const struct qn_strips *a, const struct qn_strips *b) {
  if (a->span_log2 != b->span_log2 || a->num_frames != b->num_frames)
    return false;
  for (uint64_t frame = 0; frame < a->num_frames; frame++)
    if (a->frames[frame].strip != b->frames[frame].strip ||
        a->frames[frame].count != b->frames[frame].count)
      return false;
  return true;
}
