/* Decoding sections: the index is judged first, then frames are decoded in parallel. */
#include "formats/archive/frames.h"
#include "formats/archive/slices.h"

#include <inttypes.h>
#include <omp.h>
#include <string.h>
#include <zstd.h>

#include "support/context.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/threads.h"

/* What one thread decodes with. */
struct decoder {
  ZSTD_DCtx *context;
  uint8_t *memory; /* a decoded frame, the widest that filters make of one, scratch for pages */
};

struct qn_frame_decoders {
  unsigned count;
  uint64_t frame_room;
  uint64_t filtered_room;
  uint64_t scratch_room;
  struct decoder decoders[];
};

/* One section on its way. */
struct decoding {
  const struct qn_container *archive;
  const struct qn_section *section;
  uint64_t num_elements, frame_elements;
  const struct qn_frame_rules *rules; /* for filters of pages and of references */
  uint8_t *elements;                  /* NULL: frames lie in the decoders */
  const struct qn_frame_taker *taker;
};

/* Where the scratch begins, numbers and models are aligned. */
static uint64_t scratch_offset(const struct qn_frame_decoders *decoders) {
  return (decoders->frame_room + decoders->filtered_room + QN_ROWS_SLACK + 15) / 16 * 16;
}

static uint64_t memory_bytes(const struct qn_frame_decoders *decoders) {
  return scratch_offset(decoders) + decoders->scratch_room;
}

static struct qn_disk_frame_index read_index(const struct qn_section *section) {
  struct qn_disk_frame_index index;
  memcpy(&index, section->stored, sizeof index);
  return index;
}

static uint64_t frame_offset(const struct qn_section *section, uint64_t frame) {
  uint64_t offset;
  memcpy(&offset, (const uint8_t *)section->stored + sizeof(struct qn_disk_frame_index) + 8 * frame,
         8);
  return offset;
}

static uint64_t frame_elements(const struct qn_container *archive,
                               const struct qn_section *section) {
  return qn_filter_is_of_pages(section->filter)
             ? qn_paging_frame_bytes(qn_container_info(archive)->parameters[0])
             : qn_frame_elements(section->element_bytes);
}

uint64_t qn_frames_frame_bytes(const struct qn_container *archive,
                               const struct qn_section *section) {
  return frame_elements(archive, section) * section->element_bytes;
}

static uint64_t frames_of(uint64_t num_elements, uint64_t frame_elements) {
  return num_elements / frame_elements + (num_elements % frame_elements != 0);
}

static bool index_is_sound(const struct qn_container *archive, const struct qn_section *section) {
  if (section->stored_bytes < sizeof(struct qn_disk_frame_index) + 8)
    return false;
  struct qn_disk_frame_index index = read_index(section);
  uint64_t room = (section->stored_bytes - sizeof index) / 8 - 1;
  if (index.reserved || index.frame_elements != frame_elements(archive, section) ||
      index.num_elements > section->count || index.num_frames > room)
    return false;
  return index.num_frames == frames_of(index.num_elements, index.frame_elements) &&
         (section->upper || index.num_elements == section->count);
}

static bool offsets_are_sound(const struct qn_section *section) {
  uint64_t frames = read_index(section).num_frames;
  uint64_t before = sizeof(struct qn_disk_frame_index) + 8 * (frames + 1);
  if (frame_offset(section, 0) != before || frame_offset(section, frames) != section->stored_bytes)
    return false;
  for (uint64_t frame = 1; frame <= frames; frame++) {
    uint64_t offset = frame_offset(section, frame);
    if (offset < before || offset > section->stored_bytes)
      return false;
    before = offset;
  }
  return true;
}

static bool filter_applies(const struct qn_container *archive, const struct qn_section *section) {
  if (qn_filter_is_of_pages(section->filter))
    return qn_paging_applies(archive, section);
  if (section->filter == QN_FILTER_REFERENCES)
    return qn_row_offsets_of(archive, section);
  return qn_filter_applies((enum qn_filter)section->filter, section->element_bytes);
}

enum qn_status qn_frames_count(const struct qn_container *archive, const struct qn_section *section,
                               uint64_t *count, struct qn_error *error) {
  if (!filter_applies(archive, section))
    return qn_container_violation(archive, error, "A-1",
                                  "section %s: filter %u does not apply to elements of %" PRIu32
                                  " bytes",
                                  section->name, section->filter, section->element_bytes);
  if (!index_is_sound(archive, section) || !offsets_are_sound(section))
    return qn_container_violation(archive, error, "A-2",
                                  "the frame index of section %s is inconsistent", section->name);
  *count = read_index(section).num_elements;
  return QN_OK;
}

static uint64_t frame_count(const struct decoding *decoding, uint64_t frame) {
  uint64_t left = decoding->num_elements - frame * decoding->frame_elements;
  return left < decoding->frame_elements ? left : decoding->frame_elements;
}

enum qn_status qn_frames_corrupt(const struct qn_container *archive,
                                 const struct qn_section *section, uint64_t frame,
                                 struct qn_error *error) {
  return qn_container_violation(archive, error, "A-3", "section %s is corrupt in frame %" PRIu64,
                                section->name, frame);
}

enum { WINDOW_LOG_LEAST = 10, WINDOW_BYTES_MOST = 1 << 23 };

/* A zstd frame (RFC 8878, 3.1.1) that is none to skip, needs no dictionary, and has a window of at
 * most 8 MiB or is a single segment. */
static bool frame_is_simple(const uint8_t *in, uint64_t bytes) {
  const uint8_t magic[] = {0x28, 0xb5, 0x2f, 0xfd};
  if (bytes < 6 || memcmp(in, magic, sizeof magic) != 0 || in[4] & 3)
    return false;
  const bool single_segment = in[4] & 32;
  const uint64_t base = (uint64_t)1 << (WINDOW_LOG_LEAST + (in[5] >> 3));
  return single_segment || base + base / 8 * (in[5] & 7) <= WINDOW_BYTES_MOST;
}

/* One such frame, or where there may be `several` any number. */
static bool frames_are_simple(const uint8_t *in, uint64_t bytes, bool several) {
  while (bytes) {
    const size_t size = ZSTD_findFrameCompressedSize(in, bytes);
    if (ZSTD_isError(size) || !frame_is_simple(in, size) || (!several && size != bytes))
      return false;
    in += size;
    bytes -= size;
  }
  return true;
}

/* Are frames of rows and of pages any number of zstd frames? */
static bool is_in_parts(const struct qn_section *section) {
  return section->filter >= QN_FILTER_ROWS && section->filter != QN_FILTER_REFERENCES;
}

/* Decompress the bytes [begin, end) of a section into the thread's memory, behind the frame. NULL
 * if that cannot be. */
static const uint8_t *decompress(const struct qn_frame_decoders *decoders,
                                 const struct qn_section *section, uint64_t begin, uint64_t end,
                                 size_t *bytes) {
  const struct decoder *decoder = &decoders->decoders[omp_get_thread_num()];
  const uint8_t *in = (const uint8_t *)section->stored + begin;
  uint8_t *content = decoder->memory + decoders->frame_room;
  if (!frames_are_simple(in, end - begin, is_in_parts(section)))
    return NULL;
  *bytes = ZSTD_decompressDCtx(decoder->context, content, decoders->filtered_room, in, end - begin);
  return ZSTD_isError(*bytes) ? NULL : content;
}

static bool unfilter_frame(const struct decoding *decoding,
                           const struct qn_frame_decoders *decoders, uint64_t frame,
                           const uint8_t *content, uint64_t bytes, uint8_t *out) {
  const struct qn_section *section = decoding->section;
  enum qn_filter filter = (enum qn_filter)section->filter;
  uint64_t count = frame_count(decoding, frame);
  void *scratch = decoders->decoders[omp_get_thread_num()].memory + scratch_offset(decoders);
  if (filter == QN_FILTER_REFERENCES) {
    struct qn_row_slices slices = *decoding->rules->slices;
    slices.first = frame * decoding->frame_elements;
    slices.count = count;
    return qn_references_decode(&slices, content, bytes, scratch, (uint32_t *)(void *)out);
  }
  if (!qn_filter_is_of_pages(filter))
    return qn_filter_decode(filter, section->element_bytes, content, bytes, out, count);
  uint64_t page_bytes = decoding->rules->paging->view.format.page_bytes;
  uint64_t first = frame * (decoding->frame_elements / page_bytes);
  return qn_paging_decode(decoding->rules->paging, filter, first, first + count / page_bytes,
                          content, bytes, scratch, out);
}

static enum qn_status decode_frame(const struct decoding *decoding,
                                   const struct qn_frame_decoders *decoders, uint64_t frame,
                                   struct qn_error *error) {
  const struct qn_section *section = decoding->section;
  uint64_t count = frame_count(decoding, frame);
  uint64_t offset = frame * decoding->frame_elements * section->element_bytes;
  uint8_t *out = decoding->elements ? decoding->elements + offset
                                    : decoders->decoders[omp_get_thread_num()].memory;
  size_t bytes;
  const uint8_t *content = decompress(decoders, section, frame_offset(section, frame),
                                      frame_offset(section, frame + 1), &bytes);
  if (!content || !unfilter_frame(decoding, decoders, frame, content, bytes, out))
    return qn_frames_corrupt(decoding->archive, section, frame, error);
  if (!decoding->taker)
    return QN_OK;
  return decoding->taker->take(decoding->taker->context, out, count * section->element_bytes,
                               offset, error);
}

enum qn_status qn_frames_read_rows(struct qn_frame_decoders *decoders,
                                   const struct qn_container *archive,
                                   const struct qn_section *section, const struct qn_strips *strips,
                                   uint64_t frame, struct qn_archive_rows *rows,
                                   struct qn_error *error) {
  struct qn_packed_rows_place place = qn_strips_place(strips, frame);
  size_t bytes;
  const uint8_t *content = decompress(decoders, section, qn_strips_offset(section, frame),
                                      qn_strips_offset(section, frame + 1), &bytes);
  if (!content || !qn_packed_rows_open(&place, content, bytes, strips->frames[frame].count, rows))
    return qn_frames_corrupt(archive, section, frame, error);
  return QN_OK;
}

enum qn_status qn_frames_read_weights(struct qn_frame_decoders *decoders,
                                      const struct qn_container *archive,
                                      const struct qn_section *section,
                                      const struct qn_strips *strips, uint64_t frame, void *weights,
                                      struct qn_error *error) {
  size_t bytes;
  const uint8_t *content = decompress(decoders, section, qn_strips_offset(section, frame),
                                      qn_strips_offset(section, frame + 1), &bytes);
  if (!content || !qn_filter_decode((enum qn_filter)section->filter, section->element_bytes,
                                    content, bytes, weights, strips->frames[frame].count))
    return qn_frames_corrupt(archive, section, frame, error);
  return QN_OK;
}

/* Of several failures the first frame's is told, whatever the number of threads. */
static enum qn_status decode_frames(const struct decoding *decoding,
                                    const struct qn_frame_decoders *decoders,
                                    struct qn_error *error) {
  const uint64_t num_frames = frames_of(decoding->num_elements, decoding->frame_elements);
  uint64_t bad = UINT64_MAX;
  enum qn_status status = QN_OK;
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t frame = 0; frame < num_frames; frame++) {
    uint64_t bad_now;
    struct qn_error own_error;
#pragma omp atomic read
    bad_now = bad;
    if (frame > bad_now)
      continue;
    enum qn_status own = qn_context_check(&own_error);
    if (!own)
      own = decode_frame(decoding, decoders, frame, &own_error);
    qn_progress_add(frame_count(decoding, frame) * decoding->section->element_bytes);
    if (!own)
      continue;
#pragma omp critical(qn_frame_failure)
    if (frame < bad) {
#pragma omp atomic write
      bad = frame;
      status = own;
      if (error)
        *error = own_error;
    }
  }
  return status;
}

enum qn_status qn_frames_read(struct qn_frame_decoders *decoders,
                              const struct qn_container *archive, const struct qn_section *section,
                              uint64_t count, const struct qn_frame_rules *rules, void *elements,
                              const struct qn_frame_taker *taker, struct qn_error *error) {
  const struct decoding decoding = {.archive = archive,
                                    .section = section,
                                    .num_elements = count,
                                    .frame_elements = frame_elements(archive, section),
                                    .rules = rules,
                                    .elements = elements,
                                    .taker = taker};
  return decode_frames(&decoding, decoders, error);
}

enum qn_status qn_frames_read_one(struct qn_frame_decoders *decoders,
                                  const struct qn_container *archive,
                                  const struct qn_section *section, uint64_t frame,
                                  const struct qn_frame_rules *rules,
                                  const struct qn_frame_taker *taker, struct qn_error *error) {
  const struct decoding decoding = {.archive = archive,
                                    .section = section,
                                    .num_elements = section->count,
                                    .frame_elements = frame_elements(archive, section),
                                    .rules = rules,
                                    .taker = taker};
  return decode_frame(&decoding, decoders, frame, error);
}

uint64_t qn_frames_index_bytes(const struct qn_container *archive,
                               const struct qn_section *section) {
  const uint64_t frames = frames_of(section->count, frame_elements(archive, section));
  const uint64_t bytes = sizeof(struct qn_disk_frame_index) + 8 * (frames + 1);
  return bytes < section->stored_bytes ? bytes : section->stored_bytes;
}

void qn_frames_place(const struct qn_section *section, uint64_t frame, uint64_t *begin,
                     uint64_t *end) {
  *begin = frame_offset(section, frame);
  *end = frame_offset(section, frame + 1);
}

/* ---- Decoders --------------------------------------------------------------------- */

static uint64_t widest_frame(void) {
  uint64_t widest = QN_FRAME_BYTES;
  for (unsigned filter = QN_FILTER_NONE; filter <= QN_FILTER_GAP_PLANES; filter++)
    for (uint32_t width = 4; width <= 8; width += 4)
      if (qn_filter_applies((enum qn_filter)filter, width)) {
        /* Frames of strips hold no fewer. */
        uint64_t bound = qn_filter_bound((enum qn_filter)filter, width, QN_STRIP_FRAME_ELEMENTS);
        widest = bound > widest ? bound : widest;
      }
  /* Of rows, with as many strips as there may be. */
  const struct qn_packed_rows_place place = {.num_vertices = UINT32_MAX,
                                             .span_log2 = QN_MAX_SPAN_LOG2};
  uint64_t rows = qn_packed_rows_bound(&place, QN_STRIP_FRAME_ELEMENTS);
  uint64_t references = qn_references_bound(qn_frame_elements(sizeof(uint32_t)));
  rows = references > rows ? references : rows;
  return rows > widest ? rows : widest;
}

/* Bytes of a frame of pages; 0 if there are none with such a filter. */
static uint64_t paging_room(const struct qn_container *archive) {
  for (uint32_t i = 0; i < qn_container_info(archive)->num_sections; i++) {
    const struct qn_section *section = qn_container_section_at(archive, i);
    if (qn_filter_is_of_pages(section->filter) && qn_paging_applies(archive, section))
      return qn_frames_frame_bytes(archive, section);
  }
  return 0;
}

static bool has_references(const struct qn_container *archive) {
  return qn_container_info(archive)->incompatible_features & QN_FEATURE_REFERENCES;
}

static void find_rooms(const struct qn_container *archive, struct qn_frame_decoders *decoders) {
  uint64_t pages = paging_room(archive), bound = qn_paging_bound(pages), widest = widest_frame();
  decoders->frame_room = pages > QN_FRAME_BYTES ? pages : QN_FRAME_BYTES;
  decoders->filtered_room = bound > widest ? bound : widest;
  decoders->scratch_room = qn_paging_scratch(pages);
  if (has_references(archive)) {
    uint64_t room = qn_references_scratch(qn_frame_elements(sizeof(uint32_t)), false);
    decoders->scratch_room = room > decoders->scratch_room ? room : decoders->scratch_room;
  }
}

enum qn_status qn_frame_decoders_create(const struct qn_container *archive,
                                        struct qn_frame_decoders **out, struct qn_error *error) {
  struct qn_frame_decoders *decoders;
  unsigned count = qn_threads();
  *out = NULL;
  enum qn_status status =
      qn_alloc_zeroed(&decoders, 1, sizeof *decoders + count * sizeof decoders->decoders[0],
                      "decompressors", error);
  if (status)
    return status;
  decoders->count = count;
  find_rooms(archive, decoders);
  for (unsigned i = 0; !status && i < count; i++) {
    struct decoder *decoder = &decoders->decoders[i];
    decoder->context = ZSTD_createDCtx();
    status = decoder->context
                 ? qn_pages_alloc(&decoder->memory, memory_bytes(decoders), 1, "a frame", error)
                 : qn_fail_memory(error, "a decompressor", 0);
  }
  if (status)
    qn_frame_decoders_destroy(decoders);
  else
    *out = decoders;
  return status;
}

void qn_frame_decoders_destroy(struct qn_frame_decoders *decoders) {
  if (!decoders)
    return;
  for (unsigned i = 0; i < decoders->count; i++) {
    ZSTD_freeDCtx(decoders->decoders[i].context);
    qn_pages_free(decoders->decoders[i].memory, memory_bytes(decoders), 1);
  }
  qn_free(decoders);
}
