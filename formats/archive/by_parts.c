/* A frame holds what a chunk of 1 MiB holds, so that each chunk of the plain form is one frame
 * away. What comes of the archive lies in memory of its own, where nobody else looks, until it is
 * decoded: it is judged by what it decodes to. */
#include "formats/archive/by_parts.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "formats/archive/frames.h"
#include "formats/archive/slices.h"
#include "formats/container/container_disk.h"
#include "formats/container/opened.h"
#include "formats/container/verifier.h"
#include "support/context.h"
#include "support/memory.h"
#include "support/remote/multipart.h"
#include "support/temp_file.h"

/* A section of the archive, of whose stored bytes those that came are there. */
struct source {
  struct qn_section section; /* with `stored` in memory of its own, if it is not empty */
  bool has_index;
  uint64_t hint; /* of row offsets: the chunk that was made last */
};

struct by_parts {
  struct qn_container *archive;
  struct source *sources; /* [sections] */
  uint32_t num_sections;
  struct qn_frame_decoders *decoders;
  int descriptor; /* of the plain form */
};

static bool is_plain(const struct qn_section *section) {
  return section->codec == QN_CODEC_NONE && section->filter == QN_FILTER_NONE;
}

/* Does each of its frames hold a chunk, and nothing but other chunks of row offsets tell how? */
static bool is_by_parts(const struct qn_section *section) {
  return is_plain(section) ||
         (!section->upper && !section->strips && QN_CHECKSUM_CHUNK % section->element_bytes == 0 &&
          (section->filter < QN_FILTER_ROWS || section->filter == QN_FILTER_REFERENCES));
}

static bool applies(const struct qn_container *archive) {
  bool fits = archive->afar && qn_container_section(archive, QN_CHUNK_HASHES);
  for (uint32_t i = 0; i < archive->info.num_sections; i++)
    fits = fits && is_by_parts(&archive->sections[i]);
  return fits;
}

static void destroy(void *user) {
  struct by_parts *parts = user;
  for (uint32_t i = 0; parts->sources && i < parts->num_sections; i++)
    if (parts->sources[i].section.stored)
      munmap((void *)parts->sources[i].section.stored, parts->sources[i].section.stored_bytes);
  qn_frame_decoders_destroy(parts->decoders);
  qn_container_unmap(parts->archive);
  qn_free(parts->sources);
  if (parts->descriptor >= 0)
    close(parts->descriptor);
  qn_free(parts);
}

/* ---- What comes ------------------------------------------------------------- */

/* Some megabytes at a time, as those are. */
enum { BATCH = 64 };

static enum qn_status bring(const struct by_parts *parts, struct qn_part *wanted, uint64_t count,
                            struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint64_t i = 0; i < count && !status; i += BATCH)
    status = qn_remote_copy_read_parts(parts->archive->afar, wanted + i,
                                       count - i < BATCH ? count - i : BATCH, error);
  return status;
}

static struct qn_part part_of(const struct source *source, uint64_t begin, uint64_t end) {
  return (struct qn_part){(uint8_t *)(uintptr_t)source->section.stored + begin,
                          source->section.offset + begin, end - begin};
}

/* Of a chunk the bytes that it is made of; `false`: none, or nobody knows. */
static bool find_bytes(const struct source *source, uint64_t chunk, struct qn_part *part) {
  const struct qn_section *section = &source->section;
  if (!is_plain(section) && !source->has_index)
    return false;
  uint64_t begin = chunk * QN_CHECKSUM_CHUNK, end = begin + QN_CHECKSUM_CHUNK;
  if (is_plain(section))
    end = end < section->stored_bytes ? end : section->stored_bytes;
  else
    qn_frames_place(section, chunk, &begin, &end);
  *part = part_of(source, begin, end);
  return begin < end;
}

static enum qn_status bring_index(const struct by_parts *parts, struct source *source,
                                  struct qn_error *error) {
  uint64_t count;
  if (source->has_index || is_plain(&source->section))
    return QN_OK;
  struct qn_part part = part_of(source, 0, qn_frames_index_bytes(parts->archive, &source->section));
  enum qn_status status = bring(parts, &part, 1, error);
  if (!status)
    status = qn_frames_count(parts->archive, &source->section, &count, error);
  source->has_index = !status;
  return status;
}

/* ---- What is made of it ----------------------------------------------------- */

struct taking {
  const struct by_parts *parts;
  struct qn_container *plain;
  struct qn_chunk chunk;
};

static enum qn_status take(void *user, const void *bytes, uint64_t length, uint64_t offset,
                           struct qn_error *error) {
  const struct taking *taking = user;
  const struct qn_section *section = taking->chunk.section;
  if (!qn_verifier_offer(taking->plain->verifier, section, taking->chunk.number, bytes))
    return qn_container_violation(taking->parts->archive, error, "C-21",
                                  "section %s is corrupt: what the server gives does not match its "
                                  "checksum",
                                  section->name);
  if (pwrite(taking->parts->descriptor, bytes, length, (off_t)(section->offset + offset)) ==
      (ssize_t)length)
    return QN_OK;
  qn_verifier_forget_section(taking->plain->verifier, section);
  return qn_fail_errno(error, "no room for what comes from the server");
}

static enum qn_status decode(struct by_parts *parts, struct qn_container *plain,
                             struct qn_chunk chunk, const struct qn_row_slices *slices,
                             struct qn_error *error) {
  const struct source *source = &parts->sources[chunk.section - plain->sections];
  struct taking taking = {parts, plain, chunk};
  const struct qn_frame_taker taker = {take, &taking};
  const struct qn_frame_rules rules = {.slices = slices};
  const uint64_t begin = chunk.number * QN_CHECKSUM_CHUNK;
  const uint64_t left = chunk.section->stored_bytes - begin;
  if (is_plain(&source->section))
    return take(&taking, (const uint8_t *)source->section.stored + begin,
                left < QN_CHECKSUM_CHUNK ? left : QN_CHECKSUM_CHUNK, begin, error);
  return qn_frames_read_one(parts->decoders, parts->archive, &source->section, chunk.number, &rules,
                            &taker, error);
}

static enum qn_status make_chunks(struct by_parts *parts, struct qn_container *plain,
                                  const struct qn_chunk *chunks, uint64_t count,
                                  struct qn_error *error);

/* ---- Rows that columns are in ----------------------------------------------- */

static enum qn_status need_offsets(struct by_parts *parts, struct qn_container *plain,
                                   const struct qn_section *offsets, uint64_t row,
                                   struct qn_error *error) {
  const struct qn_chunk chunk = {offsets, row * sizeof(uint64_t) / QN_CHECKSUM_CHUNK};
  parts->sources[offsets - plain->sections].hint = chunk.number;
  return qn_verifier_is_right(plain->verifier, offsets, chunk.number)
             ? QN_OK
             : make_chunks(parts, plain, &chunk, 1, error);
}

/* The number of row offsets that are at most `column`, between `low` and `high`: first near where
 * somebody has looked before. */
static enum qn_status search(struct by_parts *parts, struct qn_container *plain,
                             const struct qn_section *offsets, uint64_t column, uint64_t *found,
                             struct qn_error *error) {
  const uint64_t rows_of_chunk = QN_CHECKSUM_CHUNK / sizeof(uint64_t);
  const uint64_t *values = offsets->data;
  uint64_t low = 0, high = offsets->count, step = rows_of_chunk;
  uint64_t at = parts->sources[offsets - plain->sections].hint * rows_of_chunk;
  enum qn_status status = QN_OK;
  while (low < high && !status) {
    at = at < low ? low : at < high ? at : high - 1;
    status = need_offsets(parts, plain, offsets, at, error);
    if (status)
      break;
    if (values[at] <= column) {
      low = at + 1;
      at = high - low > 2 * step ? low + step - 1 : low + (high - low) / 2;
    } else {
      high = at;
      at = high - low > 2 * step ? high - step : low + (high - low) / 2;
    }
    step = high - low > 2 * step ? 2 * step : step;
  }
  *found = low;
  return status;
}

/* The rows that a chunk of columns is in, and their offsets. */
static enum qn_status find_rows(struct by_parts *parts, struct qn_container *plain,
                                struct qn_chunk chunk, struct qn_row_slices *slices,
                                struct qn_error *error) {
  const struct qn_section *offsets = qn_row_offsets_of(plain, chunk.section);
  const uint64_t first = chunk.number * (QN_CHECKSUM_CHUNK / sizeof(uint32_t));
  const uint64_t left = chunk.section->count - first;
  const uint64_t count =
      left < QN_CHECKSUM_CHUNK / sizeof(uint32_t) ? left : QN_CHECKSUM_CHUNK / sizeof(uint32_t);
  const uint64_t *values = offsets ? offsets->data : NULL;
  uint64_t begin = 0, end = 0;
  if (!offsets)
    return qn_container_violation(parts->archive, error, "A-1",
                                  "section %s has no row offsets before it", chunk.section->name);
  enum qn_status status = search(parts, plain, offsets, first, &begin, error);
  if (!status)
    status = search(parts, plain, offsets, first + count - 1, &end, error);
  bool ascends = begin > 0 && end >= begin && end < offsets->count;
  for (uint64_t row = begin - 1; row <= end && ascends && !status; row++) {
    status = need_offsets(parts, plain, offsets, row, error);
    ascends = status || row < begin || values[row - 1] <= values[row];
  }
  if (status)
    return status;
  if (!ascends || values[begin - 1] > first || values[end] < first + count)
    return qn_container_violation(parts->archive, error, "A-7",
                                  "%s do not ascend to the length of section %s", offsets->name,
                                  chunk.section->name);
  *slices = qn_row_slices_of(plain, values + begin - 1);
  slices->num_rows = end - begin + 1;
  slices->first_row += (uint32_t)(begin - 1);
  return QN_OK;
}

/* ---- Chunks ----------------------------------------------------------------- */

/* Of columns that go by rows those have to be there first. */
static enum qn_status find_slices(struct by_parts *parts, struct qn_container *plain,
                                  const struct qn_chunk *chunks, uint64_t count,
                                  struct qn_row_slices *slices, struct qn_error *error) {
  enum qn_status status = qn_context_check(error);
  for (uint64_t i = 0; i < count && !status; i++)
    if (parts->sources[chunks[i].section - plain->sections].section.filter == QN_FILTER_REFERENCES)
      status = find_rows(parts, plain, chunks[i], &slices[i], error);
  return status;
}

static enum qn_status decode_all(struct by_parts *parts, struct qn_container *plain,
                                 const struct qn_chunk *chunks, uint64_t count,
                                 const struct qn_row_slices *slices, struct qn_error *error) {
  enum qn_status status = QN_OK;
#pragma omp parallel for schedule(dynamic, 1) if (count > 1)
  for (uint64_t i = 0; i < count; i++) {
    struct qn_error own_error;
    const enum qn_status own = decode(parts, plain, chunks[i], &slices[i], &own_error);
    if (!own)
      continue;
#pragma omp critical(qn_by_parts_failure)
    {
      status = own;
      if (error)
        *error = own_error;
    }
  }
  return status;
}

/* All that they are made of, at once as far as that goes. */
static enum qn_status bring_chunks(struct by_parts *parts, const struct qn_container *plain,
                                   const struct qn_chunk *chunks, uint64_t count,
                                   struct qn_error *error) {
  struct qn_part wanted[BATCH];
  uint64_t num_wanted = 0;
  enum qn_status status = QN_OK;
  for (uint64_t i = 0; i < count && !status; i++) {
    struct source *source = &parts->sources[chunks[i].section - plain->sections];
    struct qn_part part;
    status = bring_index(parts, source, error);
    if (status || !find_bytes(source, chunks[i].number, &part))
      continue;
    struct qn_part *last = num_wanted ? &wanted[num_wanted - 1] : NULL;
    if (last && (uint8_t *)last->into + last->bytes == part.into &&
        last->offset + last->bytes == part.offset)
      last->bytes += part.bytes;
    else
      wanted[num_wanted++] = part;
  }
  return status ? status : bring(parts, wanted, num_wanted, error);
}

/* What came is given back when it has been decoded. */
static void drop_chunks(const struct by_parts *parts, const struct qn_container *plain,
                        const struct qn_chunk *chunks, uint64_t count) {
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  struct qn_part part;
  for (uint64_t i = 0; i < count; i++) {
    if (!find_bytes(&parts->sources[chunks[i].section - plain->sections], chunks[i].number, &part))
      continue;
    const uintptr_t begin = ((uintptr_t)part.into + page - 1) / page * page;
    const uintptr_t end = ((uintptr_t)part.into + part.bytes) / page * page;
    if (begin < end) /* not the pages that it shares, with an index perhaps */
      madvise((void *)begin, end - begin, MADV_DONTNEED);
  }
}

/* Damage on the way is no damage at the server: it is asked once more. */
static enum qn_status make_batch(struct by_parts *parts, struct qn_container *plain,
                                 const struct qn_chunk *chunks, uint64_t count,
                                 struct qn_error *error) {
  struct qn_row_slices slices[BATCH] = {{0}};
  enum qn_status status = QN_INVALID;
  for (unsigned attempt = 0; attempt < 2 && status == QN_INVALID; attempt++) {
    status = find_slices(parts, plain, chunks, count, slices, error);
    if (!status)
      status = bring_chunks(parts, plain, chunks, count, error);
    if (!status)
      status = decode_all(parts, plain, chunks, count, slices, error);
  }
  drop_chunks(parts, plain, chunks, count);
  return status;
}

static enum qn_status make_chunks(struct by_parts *parts, struct qn_container *plain,
                                  const struct qn_chunk *chunks, uint64_t count,
                                  struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint64_t i = 0; i < count && !status; i += BATCH)
    status = make_batch(parts, plain, chunks + i, count - i < BATCH ? count - i : BATCH, error);
  return status;
}

static enum qn_status make(void *user, struct qn_container *plain, const struct qn_chunk *chunks,
                           uint64_t count, struct qn_error *error) {
  return make_chunks(user, plain, chunks, count, error);
}

/* ---- Opening ---------------------------------------------------------------- */

static enum qn_status reserve(struct by_parts *parts, struct qn_error *error) {
  const struct qn_container *archive = parts->archive;
  parts->num_sections = archive->info.num_sections;
  enum qn_status status = qn_alloc_zeroed(&parts->sources, parts->num_sections,
                                          sizeof *parts->sources, "sections of an archive", error);
  for (uint32_t i = 0; i < parts->num_sections && !status; i++) {
    struct qn_section *section = &parts->sources[i].section;
    *section = archive->sections[i];
    section->stored = section->data = NULL;
    if (!section->stored_bytes)
      continue;
    void *memory = mmap(NULL, section->stored_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
      status = qn_fail_memory(error, "an archive on a server", section->stored_bytes);
    else
      section->stored = memory;
  }
  return status ? status : qn_frame_decoders_create(archive, &parts->decoders, error);
}

static uint64_t plain_bytes(const struct qn_container *archive) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < archive->info.num_sections; i++)
    bytes += archive->sections[i].logical_bytes;
  return bytes;
}

enum qn_status qn_archive_open_by_parts(struct qn_container **archive, struct qn_container **out,
                                        struct qn_error *error) {
  struct by_parts *parts;
  *out = NULL;
  if (!applies(*archive))
    return QN_OK;
  enum qn_status status = qn_alloc_zeroed(&parts, 1, sizeof *parts, "an archive", error);
  if (status)
    return status;
  parts->descriptor = -1;
  parts->archive = *archive;
  *archive = NULL;
  status = reserve(parts, error);
  if (!status)
    status = qn_scratch_open(plain_bytes(parts->archive), &parts->descriptor, error);
  if (!status)
    status = qn_container_put_plain_frame(parts->archive, parts->descriptor, error);
  if (!status)
    status = qn_container_map_descriptor(parts->descriptor, parts->archive->path,
                                         QN_MAP_RECTANGULAR, out, error);
  if (status) {
    destroy(parts);
    return status;
  }
  const struct qn_maker maker = {
      .make = make, .destroy = destroy, .afar = parts->archive->afar, .user = parts};
  qn_container_set_maker(*out, &maker);
  return QN_OK;
}
