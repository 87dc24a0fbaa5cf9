/* Decoding sections: the index is judged first, then frames are decoded in parallel. */
#include "formats/archive_frames.h"

#include <inttypes.h>
#include <omp.h>
#include <string.h>
#include <zstd.h>

#include "support/memory.h"
#include "support/progress.h"
#include "support/threads.h"

struct decoder {
  ZSTD_DCtx *context;
  uint8_t *filtered;
};

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

static bool index_is_sound(const struct qn_section *section) {
  if (section->stored_bytes < sizeof(struct qn_disk_frame_index) + 8)
    return false;
  struct qn_disk_frame_index index = read_index(section);
  uint64_t room = (section->stored_bytes - sizeof index) / 8 - 1;
  if (index.reserved || index.frame_elements != qn_frame_elements(section->element_bytes) ||
      index.num_elements > section->count || index.num_frames > room)
    return false;
  uint64_t frames =
      index.num_elements / index.frame_elements + (index.num_elements % index.frame_elements != 0);
  return index.num_frames == frames && (section->upper || index.num_elements == section->count);
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

enum qn_status qn_frames_count(const struct qn_container *archive, const struct qn_section *section,
                               uint64_t *count, struct qn_error *error) {
  if (!qn_filter_applies((enum qn_filter)section->filter, section->element_bytes))
    return qn_container_violation(archive, error, "A-1",
                                  "section %s: filter %u does not apply to elements of %" PRIu32
                                  " bytes",
                                  section->name, section->filter, section->element_bytes);
  if (!index_is_sound(section) || !offsets_are_sound(section))
    return qn_container_violation(archive, error, "A-2",
                                  "the frame index of section %s is inconsistent", section->name);
  *count = read_index(section).num_elements;
  return QN_OK;
}

static bool decode_frame(const struct decoder *decoder, const struct qn_section *section,
                         const struct qn_disk_frame_index *index, uint64_t filtered_room,
                         uint64_t frame, uint8_t *elements) {
  uint64_t begin = frame_offset(section, frame), end = frame_offset(section, frame + 1);
  uint64_t first = frame * index->frame_elements;
  uint64_t count = index->num_elements - first;
  if (count > index->frame_elements)
    count = index->frame_elements;
  size_t filtered = ZSTD_decompressDCtx(decoder->context, decoder->filtered, filtered_room,
                                        (const uint8_t *)section->stored + begin, end - begin);
  return !ZSTD_isError(filtered) &&
         qn_filter_decode((enum qn_filter)section->filter, section->element_bytes,
                          decoder->filtered, filtered, elements + first * section->element_bytes,
                          count);
}

static enum qn_status decode_frames(const struct qn_container *archive,
                                    const struct qn_section *section, struct decoder *decoders,
                                    uint64_t filtered_room, uint8_t *elements,
                                    struct qn_error *error) {
  struct qn_disk_frame_index index = read_index(section);
  uint64_t bad = UINT64_MAX;
#pragma omp parallel for schedule(dynamic, 1) reduction(min : bad)
  for (uint64_t frame = 0; frame < index.num_frames; frame++) {
    if (frame < bad && !decode_frame(&decoders[omp_get_thread_num()], section, &index,
                                     filtered_room, frame, elements))
      bad = frame;
    qn_progress_add(QN_FRAME_BYTES);
  }
  if (bad == UINT64_MAX)
    return QN_OK;
  return qn_container_violation(archive, error, "A-3", "section %s is corrupt in frame %" PRIu64,
                                section->name, bad);
}

enum qn_status qn_frames_read(const struct qn_container *archive, const struct qn_section *section,
                              void *elements, struct qn_error *error) {
  uint64_t room = qn_filter_bound((enum qn_filter)section->filter, section->element_bytes,
                                  qn_frame_elements(section->element_bytes));
  unsigned threads = qn_threads();
  struct decoder *decoders;
  enum qn_status status =
      qn_alloc_zeroed(&decoders, threads, sizeof *decoders, "decompressors", error);
  for (unsigned i = 0; !status && i < threads; i++) {
    decoders[i].context = ZSTD_createDCtx();
    status = decoders[i].context
                 ? qn_alloc(&decoders[i].filtered, room, 1, "a filter buffer", error)
                 : qn_fail_memory(error, "a decompressor", 0);
  }
  if (!status)
    status = decode_frames(archive, section, decoders, room, elements, error);
  for (unsigned i = 0; decoders && i < threads; i++) {
    ZSTD_freeDCtx(decoders[i].context);
    qn_free(decoders[i].filtered);
  }
  qn_free(decoders);
  return status;
}
