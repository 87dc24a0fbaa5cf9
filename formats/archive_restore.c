/* Archive form in, plain container out (or nothing, when only checking). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/archive.h"
#include "formats/archive_frames.h"
#include "formats/archive_mirror.h"
#include "formats/container_disk.h"
#include "support/memory.h"
#include "support/progress.h"

/* One archive on its way: sections one after the other. */
struct restoring {
  const struct qn_container *archive;
  struct qn_writer *writer; /* NULL: only checking */
  struct qn_frame_decoders *decoders;
  uint64_t *row_offsets; /* [V + 1] decoded, owned: for the triangles; NULL before them */
  uint32_t *columns;     /* of the triangle, decoded, owned */
  uint32_t *weights;
  uint64_t num_weights;
  struct qn_triangle triangle;
  struct qn_mirror *mirror; /* NULL before it */
};

/* ---- Decoded bytes ---------------------------------------------------------- */

/* A section's bytes are hashed, and written, a chunk at a time: while they are in the cache. */
struct outgoing {
  const struct qn_writer *writer; /* NULL: the bytes have their place already, or need none */
  uint64_t *hashes;               /* [chunks] */
};

static enum qn_status take_chunk(void *context, const void *bytes, uint64_t length, uint64_t offset,
                                 struct qn_error *error) {
  const struct outgoing *outgoing = context;
  outgoing->hashes[offset / QN_CHECKSUM_CHUNK] = qn_chunk_hash(bytes, length);
  return outgoing->writer ? qn_writer_put(outgoing->writer, bytes, length, offset, error) : QN_OK;
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

/* Decode into memory of its own. */
static enum qn_status restore_in_memory(const struct restoring *restoring,
                                        const struct qn_section *section, void *memory,
                                        struct outgoing *outgoing, struct qn_error *error) {
  enum qn_status status = QN_OK;
  if (section->codec == QN_CODEC_NONE)
    memcpy(memory, section->data, section->logical_bytes);
  else
    status = qn_frames_read(restoring->decoders, restoring->archive, section, memory, NULL, error);
  return status ? status : take_all(outgoing, memory, section->logical_bytes, error);
}

static enum qn_status restore_plain(struct restoring *restoring, const struct qn_section *section,
                                    struct outgoing *outgoing, struct qn_error *error) {
  const struct qn_frame_taker taker = {take_chunk, outgoing};
  bool needed = is_needed_later(restoring, section);
  bool frames_are_chunks = QN_FRAME_BYTES % section->element_bytes == 0;
  uint8_t *memory;
  if (!needed && section->codec == QN_CODEC_NONE)
    return take_all(outgoing, section->data, section->logical_bytes, error);
  if (!needed && frames_are_chunks)
    return qn_frames_read(restoring->decoders, restoring->archive, section, NULL, &taker, error);
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

static enum qn_status misplaced_upper(const struct restoring *restoring,
                                      const struct qn_section *section, struct qn_error *error) {
  return qn_container_violation(restoring->archive, error, "A-4",
                                "the upper triangle of section %s does not fit the row offsets",
                                section->name);
}

/* Before memory is taken: the frames that are there must account for the count that the table
 * claims; a triangle holds at least half of the edges. */
static enum qn_status check_claim(const struct restoring *restoring,
                                  const struct qn_section *section, struct qn_error *error) {
  uint64_t count;
  if (section->codec == QN_CODEC_NONE)
    return QN_OK;
  enum qn_status status = qn_frames_count(restoring->archive, section, &count, error);
  if (!status && section->upper && section->count - count > count)
    return misplaced_upper(restoring, section, error);
  return status;
}

/* Decode a section of the triangle into memory of its own. */
static enum qn_status read_triangle(const struct restoring *restoring,
                                    const struct qn_section *section, uint32_t **upper,
                                    uint64_t *count, struct qn_error *error) {
  *upper = NULL;
  if (section->element_bytes != 4 || !restoring->row_offsets ||
      section->count != qn_container_info(restoring->archive)->num_edges)
    return misplaced_upper(restoring, section, error);
  enum qn_status status = check_claim(restoring, section, error);
  if (!status)
    status = qn_frames_count(restoring->archive, section, count, error);
  if (!status)
    status = qn_pages_alloc(upper, *count, sizeof **upper, "the upper triangle", error);
  return status ? status
                : qn_frames_read(restoring->decoders, restoring->archive, section, *upper, NULL,
                                 error);
}

static bool is_columns(const struct qn_section *section) {
  return strcmp(section->name, "column_indices") == 0;
}

/* Columns come first, but their edges are mirrored together with the weights. */
static enum qn_status open_mirror(struct restoring *restoring, const struct qn_section *columns,
                                  struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(restoring->archive);
  const struct qn_section *weights = qn_container_section(restoring->archive, "weights");
  struct qn_triangle *triangle = &restoring->triangle;
  triangle->num_vertices = info->num_vertices;
  triangle->num_edges = info->num_edges;
  triangle->row_offsets = restoring->row_offsets;
  enum qn_status status =
      read_triangle(restoring, columns, &restoring->columns, &triangle->count, error);
  if (!status && weights && weights->upper)
    status = read_triangle(restoring, weights, &restoring->weights, &restoring->num_weights, error);
  if (status)
    return status;
  if (restoring->weights && restoring->num_weights != triangle->count)
    return misplaced_upper(restoring, weights, error);
  triangle->columns = restoring->columns;
  triangle->weights = restoring->weights;
  status = qn_mirror_create(triangle, &restoring->mirror, error);
  return !status && !restoring->mirror ? misplaced_upper(restoring, columns, error) : status;
}

static enum qn_status put_values(void *context, const void *bytes, uint64_t length, uint64_t offset,
                                 struct qn_error *error) {
  return qn_writer_put(context, bytes, length, offset, error);
}

static enum qn_status restore_upper(struct restoring *restoring, const struct qn_section *section,
                                    uint32_t *values, struct qn_error *error) {
  const struct qn_mirror_output output = {values, restoring->writer ? put_values : NULL,
                                          restoring->writer};
  bool columns = is_columns(section), fits;
  if (columns == (restoring->mirror != NULL) || (!columns && !restoring->weights))
    return misplaced_upper(restoring, section, error);
  if (!columns)
    return qn_mirror_weights(restoring->mirror, &output, error);
  enum qn_status status = open_mirror(restoring, section, error);
  if (!status)
    status = qn_mirror_columns(restoring->mirror, &output, &fits, error);
  return !status && !fits ? misplaced_upper(restoring, section, error) : status;
}

/* ---- All sections --------------------------------------------------------------- */

/* Room for the section in the output. Triangles are put back all over it, in a mapping: `*mapped`,
 * which is memory if nothing is written. */
static enum qn_status begin_section(const struct restoring *restoring,
                                    const struct qn_section *section, uint32_t **mapped,
                                    struct qn_error *error) {
  struct qn_section_spec spec = {.name = section->name,
                                 .element_type = section->element_type,
                                 .element_bytes = section->element_bytes,
                                 .count = section->count,
                                 .align_log2 = section->align_log2,
                                 .ancillary = !section->critical};
  *mapped = NULL;
  if (section->upper && restoring->writer)
    return qn_writer_section(restoring->writer, &spec, mapped, error);
  if (section->upper)
    return qn_pages_alloc(mapped, section->logical_bytes, 1, "a decoded section", error);
  return restoring->writer
             ? qn_writer_section_by_parts(restoring->writer, &spec, section->checksum, error)
             : QN_OK;
}

static enum qn_status fill_section(struct restoring *restoring, const struct qn_section *section,
                                   uint32_t *mapped, struct outgoing *outgoing,
                                   struct qn_error *error) {
  if (!section->upper)
    return restore_plain(restoring, section, outgoing, error);
  enum qn_status status = restore_upper(restoring, section, mapped, error);
  if (!status)
    status = take_all(outgoing, (const uint8_t *)mapped, section->logical_bytes, error);
  return status;
}

/* Decode `section` into the output and compare its checksum (C-21). */
static enum qn_status restore_section(struct restoring *restoring, const struct qn_section *section,
                                      struct qn_error *error) {
  uint64_t chunks = (section->logical_bytes + QN_CHECKSUM_CHUNK - 1) / QN_CHECKSUM_CHUNK;
  struct outgoing outgoing = {.writer = section->upper ? NULL : restoring->writer};
  uint32_t *mapped = NULL;
  enum qn_status status = check_claim(restoring, section, error);
  if (!status)
    status = qn_alloc(&outgoing.hashes, chunks, sizeof *outgoing.hashes, "checksums", error);
  if (!status)
    status = begin_section(restoring, section, &mapped, error);
  if (!status)
    status = fill_section(restoring, section, mapped, &outgoing, error);
  if (!status && qn_checksum_of_hashes(outgoing.hashes, chunks) != section->checksum)
    status =
        qn_container_violation(restoring->archive, error, "C-21",
                               "section %s does not decode to what was archived", section->name);
  if (!restoring->writer)
    qn_pages_free(mapped, section->logical_bytes, 1);
  else if (!status && section->upper)
    qn_writer_know_checksum(restoring->writer, section->checksum);
  qn_free(outgoing.hashes);
  return status;
}

static enum qn_status restore_sections(const struct qn_container *archive, struct qn_writer *writer,
                                       struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(archive);
  struct restoring restoring = {.archive = archive, .writer = writer};
  enum qn_status status = qn_frame_decoders_create(&restoring.decoders, error);
  for (uint32_t i = 0; !status && i < info->num_sections; i++)
    status = restore_section(&restoring, qn_container_section_at(archive, i), error);
  qn_frame_decoders_destroy(restoring.decoders);
  qn_pages_free(restoring.row_offsets, info->num_vertices + 1, sizeof *restoring.row_offsets);
  qn_pages_free(restoring.columns, restoring.triangle.count, sizeof *restoring.columns);
  qn_pages_free(restoring.weights, restoring.num_weights, sizeof *restoring.weights);
  qn_mirror_destroy(restoring.mirror);
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
  qn_writer_info(*writer)->incompatible_features &= ~QN_FEATURE_ARCHIVE;
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

enum qn_status qn_archive_restore_nameless(const struct qn_container *archive, const char *name,
                                           struct qn_container **out, struct qn_error *error) {
  const char *folder = getenv("TMPDIR");
  char path[4096];
  struct qn_writer *writer;
  *out = NULL;
  snprintf(path, sizeof path, "%s/quern-restored-%ld", folder && *folder ? folder : "/tmp",
           (long)getpid());
  enum qn_status status = restore(archive, path, false, &writer, error);
  return status ? status : qn_writer_commit_nameless(writer, name, out, error);
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
