/* Archive form in, plain container out (or nothing, when only checking). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/archive.h"
#include "formats/archive_frames.h"
#include "formats/archive_upper.h"
#include "support/memory.h"
#include "support/progress.h"

/* What later sections of a graph kept by its upper triangle need of earlier ones. */
struct restoring {
  const struct qn_container *archive;
  const uint64_t *row_offsets; /* decoded, V + 1 */
  uint32_t *upper_columns;     /* decoded, owned */
  uint64_t upper_count;
};

static enum qn_status misplaced_upper(const struct restoring *restoring,
                                      const struct qn_section *section, struct qn_error *error) {
  return qn_container_violation(restoring->archive, error, "A-4",
                                "the upper triangle of section %s does not fit the row offsets",
                                section->name);
}

/* Decode the triangle into memory of its own. */
static enum qn_status read_triangle(const struct restoring *restoring,
                                    const struct qn_section *section, uint32_t **upper,
                                    uint64_t *count, struct qn_error *error) {
  *upper = NULL;
  if (section->element_bytes != 4 || !restoring->row_offsets ||
      section->count != qn_container_info(restoring->archive)->num_edges)
    return misplaced_upper(restoring, section, error);
  enum qn_status status = qn_frames_count(restoring->archive, section, count, error);
  if (!status)
    status = qn_pages_alloc(upper, *count, sizeof **upper, "the upper triangle", error);
  if (!status)
    status = qn_frames_read(restoring->archive, section, *upper, error);
  if (status) {
    qn_pages_free(*upper, *count, sizeof **upper);
    *upper = NULL;
  }
  return status;
}

static enum qn_status restore_upper(struct restoring *restoring, const struct qn_section *section,
                                    uint32_t *out, struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(restoring->archive);
  uint32_t *upper;
  uint64_t count;
  bool fits = false, columns = strcmp(section->name, "column_indices") == 0;
  if (columns == (restoring->upper_columns != NULL))
    return misplaced_upper(restoring, section, error);
  enum qn_status status = read_triangle(restoring, section, &upper, &count, error);
  if (status)
    return status;
  if (columns) {
    restoring->upper_columns = upper;
    restoring->upper_count = count;
  }
  if (count == restoring->upper_count)
    status = qn_upper_scatter(info->num_vertices, info->num_edges, restoring->row_offsets,
                              restoring->upper_columns, count, columns ? NULL : upper, out, &fits,
                              error);
  if (!columns)
    qn_pages_free(upper, count, sizeof *upper);
  return !status && !fits ? misplaced_upper(restoring, section, error) : status;
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

/* Decode `section` into `out`, of logical_bytes bytes, and compare its checksum (C-21). */
static enum qn_status restore_section(struct restoring *restoring, const struct qn_section *section,
                                      void *out, struct qn_error *error) {
  enum qn_status status = QN_OK;
  if (section->upper)
    status = restore_upper(restoring, section, out, error);
  else if (section->codec != QN_CODEC_NONE)
    status = qn_frames_read(restoring->archive, section, out, error);
  else if (section->logical_bytes)
    memcpy(out, section->data, section->logical_bytes);
  if (status)
    return status;
  if (qn_chunked_checksum(out, section->logical_bytes) != section->checksum)
    return qn_container_violation(restoring->archive, error, "C-21",
                                  "section %s does not decode to what was archived", section->name);
  if (strcmp(section->name, "row_offsets") == 0 && section->element_bytes == 8 &&
      section->count == qn_container_info(restoring->archive)->num_vertices + 1)
    restoring->row_offsets = out;
  return QN_OK;
}

static void end_restoring(struct restoring *restoring) {
  qn_pages_free(restoring->upper_columns, restoring->upper_count, sizeof(uint32_t));
  qn_progress_end();
}

static enum qn_status write_plain(struct restoring *restoring, struct qn_writer *writer,
                                  struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(restoring->archive);
  *qn_writer_info(writer) = *info;
  qn_writer_info(writer)->incompatible_features &= ~QN_FEATURE_ARCHIVE;
  for (uint32_t i = 0; i < info->num_sections; i++) {
    const struct qn_section *section = qn_container_section_at(restoring->archive, i);
    struct qn_section_spec spec = {.name = section->name,
                                   .element_type = section->element_type,
                                   .element_bytes = section->element_bytes,
                                   .count = section->count,
                                   .align_log2 = section->align_log2,
                                   .ancillary = !section->critical};
    void *out;
    enum qn_status status = check_claim(restoring, section, error);
    if (!status)
      status = qn_writer_section(writer, &spec, &out, error);
    if (!status)
      status = restore_section(restoring, section, out, error);
    if (status)
      return status;
  }
  return QN_OK;
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
  struct restoring restoring = {.archive = archive};
  *writer = NULL;
  enum qn_status status = qn_container_verify(archive, error);
  if (!status)
    status = qn_writer_create(path, force, writer, error);
  if (status)
    return status;
  qn_progress_begin("restoring", "bytes", decoded_bytes(archive));
  status = write_plain(&restoring, *writer, error);
  end_restoring(&restoring);
  if (status) {
    qn_writer_abort(*writer);
    *writer = NULL;
  }
  return status;
}

enum qn_status qn_archive_restore(const struct qn_container *archive, const char *path, bool force,
                                  struct qn_error *error) {
  struct qn_writer *writer;
  enum qn_status status = restore(archive, path, force, &writer, error);
  return status ? status : qn_writer_commit(writer, error);
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
  struct restoring restoring = {.archive = archive};
  uint64_t *row_offsets = NULL;
  uint64_t row_bytes = 0;
  enum qn_status status = qn_container_verify(archive, error);
  qn_progress_begin("checking", "bytes", decoded_bytes(archive));
  for (uint32_t i = 0; !status && i < qn_container_info(archive)->num_sections; i++) {
    const struct qn_section *section = qn_container_section_at(archive, i);
    void *out = NULL;
    status = check_claim(&restoring, section, error);
    if (!status)
      status = qn_pages_alloc(&out, section->logical_bytes, 1, "a decoded section", error);
    if (!status)
      status = restore_section(&restoring, section, out, error);
    if (out && restoring.row_offsets == out) { /* later sections need them */
      row_offsets = out;
      row_bytes = section->logical_bytes;
    } else {
      qn_pages_free(out, section->logical_bytes, 1);
    }
  }
  qn_pages_free(row_offsets, row_bytes, 1);
  end_restoring(&restoring);
  return status;
}
