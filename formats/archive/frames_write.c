/* Encoding sections: the best filter by a sample, then frames in parallel, appended in order. */
#include "formats/archive/frames.h"

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
  uint32_t *degrees; /* of rows, and the tiles behind them; NULL without strips */
  void *scratch;     /* NULL where no filter needs any */
  uint64_t filtered_room;
  uint64_t compressed_room;
  uint64_t num_degrees;
  uint64_t scratch_room;
};

/* One section on its way. */
struct encoding {
  const uint8_t *elements;
  uint64_t count;
  uint32_t element_bytes;
  const struct qn_cut *cut;           /* NULL: frames of equal length */
  const struct qn_paging *paging;     /* NULL: not of pages */
  const struct qn_row_slices *slices; /* NULL: not columns by rows */
  uint64_t frame_elements;            /* at most */
  uint64_t num_frames;
  enum qn_filter filter;
  int level;
};

static uint64_t frame_first(const struct encoding *encoding, uint64_t frame) {
  return encoding->cut ? encoding->cut->strips->frames[frame].first
                       : frame * encoding->frame_elements;
}

static uint64_t frame_count(const struct encoding *encoding, uint64_t frame) {
  if (encoding->cut)
    return encoding->cut->strips->frames[frame].count;
  uint64_t left = encoding->count - frame_first(encoding, frame);
  return left < encoding->frame_elements ? left : encoding->frame_elements;
}

/* Strips need their rows told, so that their columns have no other filter; pages have frames of
 * their own. */
static bool filter_applies(const struct encoding *encoding, enum qn_filter filter) {
  if (encoding->cut && encoding->cut->columns)
    return filter == QN_FILTER_ROWS;
  if (encoding->paging)
    return qn_filter_is_of_pages(filter);
  if (filter == QN_FILTER_REFERENCES)
    return encoding->slices;
  return qn_filter_applies(filter, encoding->element_bytes);
}

/* The most bytes that `filter` makes of a frame. */
static uint64_t frame_bound(const struct encoding *encoding, enum qn_filter filter) {
  uint64_t count = encoding->frame_elements;
  if (qn_filter_is_of_pages(filter))
    return qn_paging_bound(count) + QN_ROWS_SLACK;
  if (filter == QN_FILTER_REFERENCES)
    return qn_references_bound(count);
  if (filter != QN_FILTER_ROWS)
    return qn_filter_bound(filter, encoding->element_bytes, count);
  struct qn_packed_rows_place place = qn_strips_place(encoding->cut->strips, 0);
  return qn_packed_rows_bound(&place, count) + QN_ROWS_SLACK;
}

enum { FILTERS = QN_FILTER_REFERENCES + 1, SAMPLES = 2 };

static uint64_t widest_bound(const struct encoding *encoding) {
  uint64_t widest = 0;
  for (unsigned filter = QN_FILTER_NONE; filter < FILTERS; filter++) {
    if (!filter_applies(encoding, (enum qn_filter)filter))
      continue;
    uint64_t bound = frame_bound(encoding, (enum qn_filter)filter);
    widest = bound > widest ? bound : widest;
  }
  return widest;
}

static void destroy_encoder(struct encoder *encoder) {
  ZSTD_freeCCtx(encoder->context);
  qn_pages_free(encoder->filtered, encoder->filtered_room, 1);
  qn_pages_free(encoder->compressed, encoder->compressed_room, 1);
  qn_pages_free(encoder->degrees, encoder->num_degrees, sizeof *encoder->degrees);
  qn_pages_free(encoder->scratch, encoder->scratch_room, 1);
}

static enum qn_status create_encoder(struct encoder *encoder, const struct encoding *encoding,
                                     struct qn_error *error) {
  memset(encoder, 0, sizeof *encoder);
  encoder->filtered_room = widest_bound(encoding);
  encoder->compressed_room = 2 * ZSTD_compressBound(encoder->filtered_room);
  encoder->context = ZSTD_createCCtx();
  if (encoding->cut)
    encoder->num_degrees =
        ((uint64_t)1 << encoding->cut->strips->span_log2) + encoding->cut->strips->num_strips;
  if (encoding->paging)
    encoder->scratch_room = qn_paging_scratch(encoding->frame_elements);
  if (encoding->slices)
    encoder->scratch_room = qn_references_scratch(encoding->frame_elements, true);
  enum qn_status status = encoder->context ? QN_OK : qn_fail_memory(error, "a compressor", 0);
  if (!status)
    status =
        qn_pages_alloc(&encoder->filtered, encoder->filtered_room, 1, "a filter buffer", error);
  if (!status)
    status = qn_pages_alloc(&encoder->compressed, encoder->compressed_room, 1,
                            "a compressor buffer", error);
  if (!status && encoding->cut)
    status = qn_pages_alloc(&encoder->degrees, encoder->num_degrees, sizeof *encoder->degrees,
                            "rows of a strip", error);
  if (!status && encoder->scratch_room)
    status = qn_pages_alloc(&encoder->scratch, encoder->scratch_room, 1, "edges of a frame", error);
  return status;
}

/* The rows of a frame, in the encoder's memory. */
static struct qn_archive_rows rows_of_frame(const struct encoder *encoder,
                                            const struct encoding *encoding, uint64_t frame) {
  const struct qn_strips *strips = encoding->cut->strips;
  const struct qn_strip_frame *cut = &strips->frames[frame];
  const uint32_t *columns = (const uint32_t *)(const void *)encoding->elements + cut->first;
  struct qn_archive_rows rows = {.degrees = encoder->degrees,
                                 .tiles = encoder->degrees + ((uint64_t)1 << strips->span_log2),
                                 .columns = columns};
  qn_strips_rows(strips, frame, encoding->cut->upper_rows, &rows);
  uint64_t row = ((uint64_t)cut->strip << strips->span_log2) + rows.first_row;
  bool begun = encoding->cut->upper_rows[row] < cut->first;
  rows.base = begun ? columns[-1] : (uint32_t)row;
  qn_strips_count_tiles(strips, frame, &rows);
  return rows;
}

/* Append what is made of `length` bytes to the `*size` bytes that are there; false if zstd fails.
 */
static bool compress(struct encoder *encoder, int level, const uint8_t *bytes, uint64_t length,
                     uint64_t *size) {
  size_t added = ZSTD_compressCCtx(encoder->context, encoder->compressed + *size,
                                   encoder->compressed_room - *size, bytes, length, level);
  *size += ZSTD_isError(added) ? 0 : added;
  return !ZSTD_isError(added);
}

/* How far rows look for others to copy from; 0: references, which take more time to restore than
 * other filters, are not used. */
static unsigned rows_back(int level) {
  return level < 4 ? 0 : level < 9 ? 8 : level < 16 ? 16 : QN_MOST_BACK;
}

/* Filter one frame into encoder->filtered; returns its bytes, of which all but the first `*head`
 * hardly compress. */
static uint64_t filter_frame(struct encoder *encoder, const struct encoding *encoding,
                             enum qn_filter filter, uint64_t frame, uint64_t *head) {
  uint64_t first = frame_first(encoding, frame), count = frame_count(encoding, frame);
  if (filter == QN_FILTER_ROWS) {
    struct qn_packed_rows_place place = qn_strips_place(encoding->cut->strips, frame);
    struct qn_archive_rows rows = rows_of_frame(encoder, encoding, frame);
    return qn_packed_rows_encode(&place, &rows, count, encoder->filtered, head);
  }
  if (qn_filter_is_of_pages(filter)) {
    uint64_t page_bytes = encoding->paging->view.format.page_bytes;
    return qn_paging_encode(encoding->paging, filter, first / page_bytes,
                            (first + count) / page_bytes, encoder->scratch, encoder->filtered,
                            head);
  }
  if (filter == QN_FILTER_REFERENCES) {
    struct qn_row_slices slices = *encoding->slices;
    slices.first = first;
    slices.count = count;
    return *head = qn_references_encode(
               &slices, (const uint32_t *)(const void *)encoding->elements + first,
               rows_back(encoding->level), encoder->scratch, encoder->filtered);
  }
  return *head = qn_filter_encode(filter, encoding->element_bytes,
                                  encoding->elements + first * encoding->element_bytes, count,
                                  encoder->filtered);
}

/* Compress one frame into encoder->compressed, of `*size` bytes; false if zstd fails. What hardly
 * compresses is kept apart, and lies there as it is. */
static bool encode_frame(struct encoder *encoder, const struct encoding *encoding,
                         enum qn_filter filter, uint64_t frame, uint64_t *size) {
  uint64_t head;
  *size = 0;
  if (frame_count(encoding, frame) == 0)
    return true;
  uint64_t bytes = filter_frame(encoder, encoding, filter, frame, &head);
  return compress(encoder, encoding->level, encoder->filtered, head, size) &&
         (bytes == head || compress(encoder, 1, encoder->filtered + head, bytes - head, size));
}

/* What fits its buffers is refused for want of memory alone. */
static enum qn_status fail_zstd(struct qn_error *error) {
  return qn_fail(error, QN_SYSTEM, "zstd could not compress a frame: out of memory");
}

/* References take more time than others, and must be worth it. */
static bool is_better(enum qn_filter filter, uint64_t size, uint64_t best) {
  return size + (filter == QN_FILTER_REFERENCES ? size / 12 : 0) < best;
}

/* The filter under which the first and the middle frame become smallest, which is `*size`; all are
 * tried at once. */
static enum qn_status choose_filter(struct encoder *encoders, const struct encoding *encoding,
                                    enum qn_filter *best, uint64_t *size, struct qn_error *error) {
  uint64_t sizes[SAMPLES * FILTERS] = {0};
  bool failed = false;
#pragma omp parallel for schedule(dynamic, 1) reduction(|| : failed)
  for (unsigned i = 0; i < SAMPLES * FILTERS; i++) {
    enum qn_filter filter = (enum qn_filter)(i / SAMPLES);
    if (filter_applies(encoding, filter) &&
        !encode_frame(&encoders[omp_get_thread_num()], encoding, filter,
                      i % SAMPLES ? encoding->num_frames / 2 : 0, &sizes[i]))
      failed = true;
  }
  *best = QN_FILTER_NONE;
  bool any = false;
  for (unsigned i = QN_FILTER_NONE; i < FILTERS; i++) {
    uint64_t own = sizes[SAMPLES * i] + sizes[SAMPLES * i + 1];
    if (!filter_applies(encoding, (enum qn_filter)i) ||
        (any && !is_better((enum qn_filter)i, own, *size)))
      continue;
    *best = (enum qn_filter)i;
    *size = own;
    any = true;
  }
  return failed ? fail_zstd(error) : QN_OK;
}

/* Compress frames in parallel; each is appended when those before it are. */
static enum qn_status append_frames(struct encoder *encoders, const struct encoding *encoding,
                                    uint8_t *section, uint64_t *offsets, struct qn_error *error) {
  bool failed = false;
#pragma omp parallel for ordered schedule(static, 1)
  for (uint64_t frame = 0; frame < encoding->num_frames; frame++) {
    struct encoder *encoder = &encoders[omp_get_thread_num()];
    uint64_t size;
    bool done = encode_frame(encoder, encoding, encoding->filter, frame, &size);
#pragma omp ordered
    {
      failed = failed || !done;
      memcpy(section + offsets[frame], encoder->compressed, size);
      offsets[frame + 1] = offsets[frame] + size;
      qn_progress_add(frame_count(encoding, frame) * encoding->element_bytes);
    }
  }
  return failed ? fail_zstd(error) : QN_OK;
}

static uint64_t index_bytes(const struct encoding *encoding) {
  if (encoding->cut)
    return sizeof(struct qn_disk_strips) +
           (encoding->num_frames + 1) * sizeof(struct qn_disk_strip_frame);
  return sizeof(struct qn_disk_frame_index) + 8 * (encoding->num_frames + 1);
}

static void put_index(const struct encoding *encoding, const uint64_t *offsets, uint8_t *section) {
  struct qn_disk_frame_index index = {.num_elements = encoding->count,
                                      .frame_elements = encoding->frame_elements,
                                      .num_frames = encoding->num_frames};
  memcpy(section, &index, sizeof index);
  memcpy(section + sizeof index, offsets, 8 * (encoding->num_frames + 1));
}

static void put_strips(const struct encoding *encoding, const uint64_t *offsets, uint8_t *section) {
  const struct qn_strips *strips = encoding->cut->strips;
  struct qn_disk_strips head = {.num_elements = strips->num_elements,
                                .span_log2 = strips->span_log2,
                                .num_frames = strips->num_frames};
  memcpy(section, &head, sizeof head);
  section += sizeof head;
  for (uint64_t frame = 0; frame <= strips->num_frames; frame++) {
    struct qn_disk_strip_frame entry = {.offset = offsets[frame],
                                        .strip = strips->frames[frame].strip,
                                        .count = strips->frames[frame].count};
    memcpy(section + frame * sizeof entry, &entry, sizeof entry);
  }
}

static uint64_t section_bound(const struct encoding *encoding) {
  uint64_t frame = ZSTD_compressBound(frame_bound(encoding, encoding->filter));
  if (encoding->filter >= QN_FILTER_ROWS) /* in two pieces, each of which may take 64 bytes more */
    frame += 128;
  return index_bytes(encoding) + encoding->num_frames * frame;
}

static enum qn_status write_section(struct qn_writer *writer, const struct qn_section *decoded,
                                    const struct encoding *encoding, bool upper,
                                    struct encoder *encoders, struct qn_error *error) {
  const struct qn_encoding how = {encoding->filter, upper, encoding->cut != NULL};
  uint64_t *offsets;
  uint8_t *section;
  enum qn_status status =
      qn_writer_encoded_section(writer, decoded, &how, section_bound(encoding), &section, error);
  if (status)
    return status;
  status = qn_alloc(&offsets, encoding->num_frames + 1, sizeof *offsets, "a frame index", error);
  if (status)
    return status;
  offsets[0] = index_bytes(encoding);
  status = append_frames(encoders, encoding, section, offsets, error);
  if (encoding->cut)
    put_strips(encoding, offsets, section);
  else
    put_index(encoding, offsets, section);
  if (!status)
    status = qn_writer_shrink_encoded(writer, offsets[encoding->num_frames], error);
  qn_free(offsets);
  return status;
}

static struct encoding encoding_of(const void *elements, uint64_t count, uint32_t element_bytes,
                                   const struct qn_cut *cut, int level) {
  uint64_t whole = cut ? QN_STRIP_FRAME_ELEMENTS : qn_frame_elements(element_bytes);
  return (struct encoding){.elements = elements,
                           .count = count,
                           .element_bytes = element_bytes,
                           .cut = cut,
                           .frame_elements = whole,
                           .num_frames =
                               cut ? cut->strips->num_frames : (count + whole - 1) / whole,
                           .level = level};
}

static void put_on_pages(struct encoding *encoding, const struct qn_paging *paging) {
  uint64_t whole = qn_paging_frame_bytes(paging->view.format.page_bytes);
  encoding->paging = paging;
  encoding->frame_elements = whole;
  encoding->num_frames = (encoding->count + whole - 1) / whole;
}

static void destroy_encoders(struct encoder *encoders) {
  for (unsigned i = 0; encoders && i < qn_threads(); i++)
    destroy_encoder(&encoders[i]);
  qn_free(encoders);
}

/* One for each thread. */
static enum qn_status create_encoders(const struct encoding *encoding, struct encoder **encoders,
                                      struct qn_error *error) {
  enum qn_status status =
      qn_alloc_zeroed(encoders, qn_threads(), sizeof **encoders, "compressors", error);
  for (unsigned i = 0; !status && i < qn_threads(); i++)
    status = create_encoder(&(*encoders)[i], encoding, error);
  return status;
}

/* The bytes that samples of the elements take, for each element of them. */
static enum qn_status sample(const struct encoding *encoding, double *bytes,
                             struct qn_error *error) {
  struct encoder *encoders;
  enum qn_filter filter;
  uint64_t size = 0;
  enum qn_status status = create_encoders(encoding, &encoders, error);
  if (!status)
    status = choose_filter(encoders, encoding, &filter, &size, error);
  destroy_encoders(encoders);
  uint64_t count = frame_count(encoding, 0) + frame_count(encoding, encoding->num_frames / 2);
  *bytes = (double)size / (double)count;
  return status;
}

enum qn_status qn_frames_prefer_cut(const uint32_t *columns, uint64_t count,
                                    const struct qn_cut *cut, int level, bool *prefer,
                                    struct qn_error *error) {
  struct encoding whole = encoding_of(columns, count, sizeof *columns, NULL, level);
  struct encoding strips = encoding_of(columns, count, sizeof *columns, cut, level);
  double whole_bytes, strips_bytes;
  *prefer = false;
  if (count == 0)
    return QN_OK;
  enum qn_status status = sample(&whole, &whole_bytes, error);
  if (!status)
    status = sample(&strips, &strips_bytes, error);
  *prefer = !status && strips_bytes <= whole_bytes;
  return status;
}

enum qn_status qn_frames_write(struct qn_writer *writer, const struct qn_section *decoded,
                               const void *elements, uint64_t count, bool upper,
                               const struct qn_frame_rules *rules, int level,
                               struct qn_error *error) {
  struct encoding encoding =
      encoding_of(elements, count, decoded->element_bytes, rules->cut, level);
  struct encoder *encoders;
  uint64_t size;
  encoding.slices = rows_back(level) ? rules->slices : NULL;
  if (rules->paging)
    put_on_pages(&encoding, rules->paging);
  enum qn_status status = create_encoders(&encoding, &encoders, error);
  encoding.filter = QN_FILTER_NONE;
  if (!status && count)
    status = choose_filter(encoders, &encoding, &encoding.filter, &size, error);
  if (!status)
    status = write_section(writer, decoded, &encoding, upper, encoders, error);
  destroy_encoders(encoders);
  return status;
}
