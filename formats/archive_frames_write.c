/* Encoding sections: the best filter by a sample, then frames in parallel, appended in order. */
#include "formats/archive_frames.h"

#include <inttypes.h>
#include <omp.h>
#include <string.h>
#include <zstd.h>

#include "support/memory.h"
#include "support/progress.h"
#include "support/threads.h"

/* What one thread compresses with. */
struct encoder {
  ZSTD_CCtx *context;
  uint8_t *filtered;
  uint8_t *compressed;
  uint64_t filtered_room;
  uint64_t compressed_room;
};

/* One section on its way. */
struct encoding {
  const uint8_t *elements;
  uint64_t count;
  uint32_t element_bytes;
  uint64_t frame_elements;
  uint64_t num_frames;
  enum qn_filter filter;
  int level;
};

static uint64_t widest_bound(uint32_t element_bytes, uint64_t count) {
  uint64_t widest = 0;
  for (unsigned filter = QN_FILTER_NONE; filter <= QN_FILTER_GAP_PLANES; filter++) {
    uint64_t bound = qn_filter_bound((enum qn_filter)filter, element_bytes, count);
    widest = bound > widest ? bound : widest;
  }
  return widest;
}

static void destroy_encoder(struct encoder *encoder) {
  ZSTD_freeCCtx(encoder->context);
  qn_free(encoder->filtered);
  qn_free(encoder->compressed);
}

static enum qn_status create_encoder(struct encoder *encoder, const struct encoding *encoding,
                                     struct qn_error *error) {
  memset(encoder, 0, sizeof *encoder);
  encoder->filtered_room = widest_bound(encoding->element_bytes, encoding->frame_elements);
  encoder->compressed_room = ZSTD_compressBound(encoder->filtered_room);
  encoder->context = ZSTD_createCCtx();
  enum qn_status status = encoder->context ? QN_OK : qn_fail_memory(error, "a compressor", 0);
  if (!status)
    status = qn_alloc(&encoder->filtered, encoder->filtered_room, 1, "a filter buffer", error);
  if (!status)
    status =
        qn_alloc(&encoder->compressed, encoder->compressed_room, 1, "a compressor buffer", error);
  return status;
}

static uint64_t frame_count(const struct encoding *encoding, uint64_t frame) {
  uint64_t begin = frame * encoding->frame_elements;
  uint64_t left = encoding->count - begin;
  return left < encoding->frame_elements ? left : encoding->frame_elements;
}

/* Compress one frame into encoder->compressed; 0 if zstd fails. */
static uint64_t encode_frame(struct encoder *encoder, const struct encoding *encoding,
                             enum qn_filter filter, uint64_t frame) {
  uint64_t begin = frame * encoding->frame_elements * encoding->element_bytes;
  uint64_t filtered = qn_filter_encode(filter, encoding->element_bytes, encoding->elements + begin,
                                       frame_count(encoding, frame), encoder->filtered);
  size_t size = ZSTD_compressCCtx(encoder->context, encoder->compressed, encoder->compressed_room,
                                  encoder->filtered, filtered, encoding->level);
  return ZSTD_isError(size) ? 0 : size;
}

/* The filter under which the first and the middle frame become smallest; all are tried at once. */
static enum qn_filter choose_filter(struct encoder *encoders, const struct encoding *encoding) {
  enum { FILTERS = QN_FILTER_GAP_PLANES + 1 };
  uint64_t sizes[2 * FILTERS] = {0};
#pragma omp parallel for schedule(dynamic, 1)
  for (unsigned i = 0; i < 2 * FILTERS; i++) {
    enum qn_filter filter = (enum qn_filter)(i / 2);
    if (qn_filter_applies(filter, encoding->element_bytes))
      sizes[i] = encode_frame(&encoders[omp_get_thread_num()], encoding, filter,
                              i % 2 ? encoding->num_frames / 2 : 0);
  }
  enum qn_filter best = QN_FILTER_NONE;
  for (unsigned i = QN_FILTER_NONE + 1; i < FILTERS; i++)
    if (qn_filter_applies((enum qn_filter)i, encoding->element_bytes) &&
        sizes[2 * i] + sizes[2 * i + 1] < sizes[2 * best] + sizes[2 * best + 1])
      best = (enum qn_filter)i;
  return best;
}

/* Compress frames in parallel; each is appended when those before it are. */
static enum qn_status append_frames(struct encoder *encoders, const struct encoding *encoding,
                                    uint8_t *section, uint64_t *offsets, struct qn_error *error) {
  bool failed = false;
#pragma omp parallel for ordered schedule(static, 1)
  for (uint64_t frame = 0; frame < encoding->num_frames; frame++) {
    struct encoder *encoder = &encoders[omp_get_thread_num()];
    uint64_t size = encode_frame(encoder, encoding, encoding->filter, frame);
#pragma omp ordered
    {
      failed = failed || size == 0;
      memcpy(section + offsets[frame], encoder->compressed, size);
      offsets[frame + 1] = offsets[frame] + size;
      qn_progress_add(frame_count(encoding, frame) * encoding->element_bytes);
    }
  }
  return failed ? qn_fail(error, QN_SYSTEM, "zstd could not compress a frame") : QN_OK;
}

static uint64_t section_bound(const struct encoding *encoding) {
  uint64_t filtered =
      qn_filter_bound(encoding->filter, encoding->element_bytes, encoding->frame_elements);
  return sizeof(struct qn_disk_frame_index) + 8 * (encoding->num_frames + 1) +
         encoding->num_frames * ZSTD_compressBound(filtered);
}

static enum qn_status write_section(struct qn_writer *writer, const struct qn_section *decoded,
                                    const struct encoding *encoding, bool upper,
                                    struct encoder *encoders, struct qn_error *error) {
  struct qn_disk_frame_index index = {.num_elements = encoding->count,
                                      .frame_elements = encoding->frame_elements,
                                      .num_frames = encoding->num_frames};
  uint64_t *offsets;
  uint8_t *section;
  enum qn_status status = qn_writer_encoded_section(writer, decoded, encoding->filter, upper,
                                                    section_bound(encoding), &section, error);
  if (status)
    return status;
  status = qn_alloc(&offsets, encoding->num_frames + 1, sizeof *offsets, "a frame index", error);
  if (status)
    return status;
  offsets[0] = sizeof index + 8 * (encoding->num_frames + 1);
  status = append_frames(encoders, encoding, section, offsets, error);
  memcpy(section, &index, sizeof index);
  memcpy(section + sizeof index, offsets, 8 * (encoding->num_frames + 1));
  if (!status)
    status = qn_writer_shrink_encoded(writer, offsets[encoding->num_frames], error);
  qn_free(offsets);
  return status;
}

enum qn_status qn_frames_write(struct qn_writer *writer, const struct qn_section *decoded,
                               const void *elements, uint64_t count, bool upper, int level,
                               struct qn_error *error) {
  struct encoding encoding = {.elements = elements,
                              .count = count,
                              .element_bytes = decoded->element_bytes,
                              .frame_elements = qn_frame_elements(decoded->element_bytes),
                              .level = level};
  encoding.num_frames = (count + encoding.frame_elements - 1) / encoding.frame_elements;
  unsigned threads = qn_threads();
  struct encoder *encoders;
  enum qn_status status =
      qn_alloc_zeroed(&encoders, threads, sizeof *encoders, "compressors", error);
  for (unsigned i = 0; !status && i < threads; i++)
    status = create_encoder(&encoders[i], &encoding, error);
  if (!status) {
    encoding.filter = count ? choose_filter(encoders, &encoding) : QN_FILTER_NONE;
    status = write_section(writer, decoded, &encoding, upper, encoders, error);
  }
  for (unsigned i = 0; encoders && i < threads; i++)
    destroy_encoder(&encoders[i]);
  qn_free(encoders);
  return status;
}
