/* Archive form in, plain container out (or nothing, when only checking). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/archive/frames.h"
#include "formats/archive/paging.h"
#include "formats/archive/slices.h"
#include "formats/archive/undirected.h"
#include "formats/container/container_disk.h"
#include "formats/container/prefault.h"
#include "support/memory.h"
#include "support/progress.h"
#include <quern/archive.h>

/* One archive on its way: sections one after the other. */
struct restoring {
  const struct qn_container *archive;
  struct qn_writer *writer; /* NULL: only checking */
  uint32_t num_begun;       /* sections that have room in the output */
  struct qn_frame_decoders *decoders;
  uint64_t *row_offsets;           /* [V + 1] decoded, owned: for the triangles; NULL before them */
  bool mirrored;                   /* the triangles are done */
  struct qn_archive_paging paging; /* zeroed before the pages */
  struct qn_row_slices slices;     /* owned, of the section at hand; zeroed without */
};

/* ---- Decoded bytes ---------------------------------------------------------- */

/* A section's bytes are hashed, and written, a chunk at a time: while they are in the cache. */
struct outgoing {
  const struct qn_writer *writer; /* NULL: only checking */
  uint32_t section;
  uint64_t *hashes; /* [chunks] */
};

static enum qn_status take_chunk(void *context, const void *bytes, uint64_t length, uint64_t offset,
                                 struct qn_error *error) {
  const struct outgoing *outgoing = context;
  outgoing->hashes[offset / QN_CHECKSUM_CHUNK] = qn_chunk_hash(bytes, length);
  return outgoing->writer
             ? qn_writer_put(outgoing->writer, outgoing->section, bytes, length, offset, error)
             : QN_OK;
}

/* So are frames, of one chunk or of several. */
static enum qn_status take_frame(void *context, const void *bytes, uint64_t length, uint64_t offset,
                                 struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint64_t at = 0; !status && at < length; at += QN_CHECKSUM_CHUNK) {
    uint64_t left = length - at;
    status = take_chunk(context, (const uint8_t *)bytes + at,
                        left < QN_CHECKSUM_CHUNK ? left : QN_CHECKSUM_CHUNK, offset + at, error);
  }
  return status;
}

static enum qn_status take_all(struct outgoing *outgoing, const uint8_t *bytes, uint64_t length,
                               struct qn_error *error) {
  enum qn_status status = QN_OK;
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t offset = 0; offset < length; offset += QN_CHECKSUM_CHUNK) {
    struct qn_error own_error;
    uint64_t left = length - offset;
    enum qn_status own =
        take_chunk(outgoing, bytes + offset, left < QN_CHECKSUM_CHUNK ? left : QN_CHECKSUM_CHUNK,
                   offset, &own_error);
    if (!own)
      continue;
#pragma omp critical(qn_chunk_failure)
    {
      status = own;
      if (error)
        *error = own_error;
    }
  }
  return status;
}

/* ---- Sections as they are ----------------------------------------------------- */

/* The triangles come back by the row offsets. */
static bool is_needed_later(const struct restoring *restoring, const struct qn_section *section) {
  const struct qn_container_info *info = qn_container_info(restoring->archive);
  bool any_triangle = false;
  for (uint32_t i = 0; i < info->num_sections; i++)
    any_triangle = any_triangle || qn_container_section_at(restoring->archive, i)->upper;
  return any_triangle && strcmp(section->name, "row_offsets") == 0 && section->element_bytes == 8 &&
         section->count == info->num_vertices + 1;
}

static struct qn_frame_rules rules_of(const struct restoring *restoring) {
  return (struct qn_frame_rules){.paging = &restoring->paging.paging, .slices = &restoring->slices};
}

/* Decode into memory of its own. */
static enum qn_status restore_in_memory(const struct restoring *restoring,
                                        const struct qn_section *section, void *memory,
                                        struct outgoing *outgoing, struct qn_error *error) {
  const struct qn_frame_rules rules = rules_of(restoring);
  enum qn_status status = QN_OK;
  if (section->codec == QN_CODEC_NONE)
    memcpy(memory, section->data, section->logical_bytes);
  else
    status = qn_frames_read(restoring->decoders, restoring->archive, section, section->count,
                            &rules, memory, NULL, error);
  return status ? status : take_all(outgoing, memory, section->logical_bytes, error);
}

static enum qn_status restore_plain(struct restoring *restoring, const struct qn_section *section,
                                    struct outgoing *outgoing, struct qn_error *error) {
  const struct qn_frame_taker taker = {take_frame, outgoing};
  const struct qn_frame_rules rules = rules_of(restoring);
  bool needed = is_needed_later(restoring, section);
  bool frames_are_chunks =
      qn_frames_frame_bytes(restoring->archive, section) % QN_CHECKSUM_CHUNK == 0;
  uint8_t *memory;
  if (!needed && section->codec == QN_CODEC_NONE)
    return take_all(outgoing, section->data, section->logical_bytes, error);
  if (!needed && frames_are_chunks)
    return qn_frames_read(restoring->decoders, restoring->archive, section, section->count, &rules,
                          NULL, &taker, error);
  enum qn_status status =
      qn_pages_alloc(&memory, section->logical_bytes, 1, "a decoded section", error);
  if (!status)
    status = restore_in_memory(restoring, section, memory, outgoing, error);
  if (!status && needed)
    restoring->row_offsets = (uint64_t *)(void *)memory;
  else
    qn_pages_free(memory, section->logical_bytes, 1);
  return status;
}

/* ---- Triangles ---------------------------------------------------------------- */

static bool is_triangle(const struct qn_section *section, const char *name) {
  return section->upper && strcmp(section->name, name) == 0;
}

/* Room in the output for all sections up to number `last`. */
static enum qn_status begin_sections(struct restoring *restoring, uint32_t last,
                                     struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (; !status && restoring->writer && restoring->num_begun <= last; restoring->num_begun++) {
    const struct qn_section *section =
        qn_container_section_at(restoring->archive, restoring->num_begun);
    const struct qn_section_spec spec = qn_section_spec_of(section);
    status = qn_undirected_check_claim(restoring->archive, section, error);
    if (!status)
      status = qn_writer_section_by_parts(restoring->writer, &spec, section->checksum, error);
  }
  return status;
}

/* Columns come first, and bring the weights with them. */
static enum qn_status restore_triangles(struct restoring *restoring, uint32_t columns,
                                        struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(restoring->archive);
  const struct qn_section *section = qn_container_section_at(restoring->archive, columns);
  struct qn_undirected undirected = {.archive = restoring->archive,
                                     .writer = restoring->writer,
                                     .decoders = restoring->decoders,
                                     .row_offsets = restoring->row_offsets,
                                     .columns = columns,
                                     .weights = columns};
  if (info->layout != QN_LAYOUT_GRAPH || info->directedness != QN_UNDIRECTED ||
      qn_is_rectangular(info))
    return qn_container_violation(restoring->archive, error, "A-4",
                                  "section %s is a triangle, but this is not an undirected graph",
                                  section->name);
  if (restoring->mirrored && is_triangle(section, "weights"))
    return QN_OK;
  if (restoring->mirrored || !restoring->row_offsets || !is_triangle(section, "column_indices"))
    return qn_undirected_misfit(restoring->archive, section, error);
  for (uint32_t i = columns + 1; i < info->num_sections; i++)
    if (is_triangle(qn_container_section_at(restoring->archive, i), "weights"))
      undirected.weights = i;
  restoring->mirrored = true;
  enum qn_status status = begin_sections(restoring, undirected.weights, error);
  return status ? status : qn_undirected_restore(&undirected, error);
}

/* ---- All sections --------------------------------------------------------------- */

/* Decode section number `number` into the output and compare its checksum (C-21). */
static enum qn_status restore_section(struct restoring *restoring, uint32_t number,
                                      struct qn_error *error) {
  const struct qn_section *section = qn_container_section_at(restoring->archive, number);
  uint64_t chunks = (section->logical_bytes + QN_CHECKSUM_CHUNK - 1) / QN_CHECKSUM_CHUNK;
  struct outgoing outgoing = {.writer = restoring->writer, .section = number};
  if (section->upper)
    return restore_triangles(restoring, number, error);
  enum qn_status status = qn_undirected_check_claim(restoring->archive, section, error);
  if (!status)
    status = qn_alloc(&outgoing.hashes, chunks, sizeof *outgoing.hashes, "checksums", error);
  if (!status)
    status = begin_sections(restoring, number, error);
  if (!status && qn_filter_is_of_pages(section->filter))
    status =
        qn_archive_paging_read(restoring->decoders, restoring->archive, &restoring->paging, error);
  if (!status && section->filter == QN_FILTER_REFERENCES)
    status = qn_row_slices_read(restoring->decoders, restoring->archive, section,
                                &restoring->slices, error);
  if (!status)
    status = restore_plain(restoring, section, &outgoing, error);
  qn_row_slices_destroy(&restoring->slices);
  if (!status && qn_checksum_of_hashes(outgoing.hashes, chunks) != section->checksum)
    status =
        qn_container_violation(restoring->archive, error, "C-21",
                               "section %s does not decode to what was archived", section->name);
  qn_free(outgoing.hashes);
  return status;
}

static enum qn_status restore_sections(const struct qn_container *archive, struct qn_writer *writer,
                                       struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(archive);
  struct restoring restoring = {.archive = archive, .writer = writer};
  enum qn_status status = qn_frame_decoders_create(archive, &restoring.decoders, error);
  for (uint32_t i = 0; !status && i < info->num_sections; i++)
    status = restore_section(&restoring, i, error);
  qn_frame_decoders_destroy(restoring.decoders);
  qn_archive_paging_destroy(&restoring.paging);
  qn_pages_free(restoring.row_offsets, info->num_vertices + 1, sizeof *restoring.row_offsets);
  return status;
}

static uint64_t decoded_bytes(const struct qn_container *archive) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < qn_container_info(archive)->num_sections; i++)
    bytes += qn_container_section_at(archive, i)->logical_bytes;
  return bytes;
}

/* Everything but the commit; `*writer` is NULL on failure. */
static enum qn_status restore(const struct qn_container *archive, const char *path, bool force,
                              struct qn_writer **writer, struct qn_error *error) {
  *writer = NULL;
  enum qn_status status = qn_container_verify(archive, error);
  if (!status)
    status = qn_writer_create(path, force, writer, error);
  if (status)
    return status;
  *qn_writer_info(*writer) = *qn_container_info(archive);
  qn_writer_set_copy(*writer);
  qn_writer_info(*writer)->incompatible_features &= ~QN_ENCODED_FEATURES;
  qn_writer_expect(*writer, decoded_bytes(archive));
  qn_progress_begin("restoring", "bytes", decoded_bytes(archive));
  status = restore_sections(archive, *writer, error);
  qn_progress_end();
  if (status) {
    qn_writer_abort(*writer);
    *writer = NULL;
  }
  return status;
}

enum qn_status qn_archive_restore_judged(const struct qn_container *archive, const char *path,
                                         bool force,
                                         enum qn_status (*judge)(void *context, int descriptor,
                                                                 struct qn_error *error),
                                         void *context, struct qn_error *error) {
  struct qn_writer *writer;
  enum qn_status status = restore(archive, path, force, &writer, error);
  return status ? status : qn_writer_commit_judged(writer, judge, context, error);
}

enum qn_status qn_archive_restore(const struct qn_container *archive, const char *path, bool force,
                                  struct qn_error *error) {
  return qn_archive_restore_judged(archive, path, force, NULL, NULL, error);
}

/* As `restore`, to a file in the folder for temporary files. */
static enum qn_status restore_aside(const struct qn_container *archive, struct qn_writer **writer,
                                    struct qn_error *error) {
  const char *folder = getenv("TMPDIR");
  char path[4096];
  snprintf(path, sizeof path, "%s/quern-restored-%ld", folder && *folder ? folder : "/tmp",
           (long)getpid());
  return restore(archive, path, false, writer, error);
}

enum qn_status qn_archive_restore_nameless(const struct qn_container *archive, const char *name,
                                           struct qn_container **out, struct qn_error *error) {
  struct qn_writer *writer;
  *out = NULL;
  enum qn_status status = restore_aside(archive, &writer, error);
  return status ? status : qn_writer_commit_nameless(writer, name, out, error);
}

enum qn_status qn_archive_judge(const struct qn_container *archive,
                                enum qn_status (*judge)(void *context, int descriptor,
                                                        struct qn_error *error),
                                void *context, struct qn_error *error) {
  struct qn_writer *writer;
  enum qn_status status = restore_aside(archive, &writer, error);
  return status ? status : qn_writer_judge(writer, judge, context, error);
}

enum qn_status qn_archive_check(const struct qn_container *archive, struct qn_error *error) {
  enum qn_status status = qn_container_verify(archive, error);
  if (status)
    return status;
  qn_progress_begin("checking", "bytes", decoded_bytes(archive));
  status = restore_sections(archive, NULL, error);
  qn_progress_end();
  return status;
}
