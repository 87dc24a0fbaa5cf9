/* Plain container in, archive form out. */
#include <string.h>

#include "formats/archive.h"
#include "formats/archive_frames.h"
#include "formats/archive_upper.h"
#include "formats/graph.h"
#include "support/memory.h"
#include "support/progress.h"

/* Sections smaller than this stay plain: a page is the least that a file grows by. */
static const uint64_t WORTH_ENCODING = 4096;

static enum qn_status copy_section(struct qn_writer *writer, const struct qn_section *section,
                                   struct qn_error *error) {
  struct qn_section_spec spec = {.name = section->name,
                                 .element_type = section->element_type,
                                 .element_bytes = section->element_bytes,
                                 .count = section->count,
                                 .align_log2 = section->align_log2,
                                 .ancillary = !section->critical};
  return qn_writer_section_from(writer, &spec, section->data, error);
}

/* Encode an E-long section of the out-edges by its upper triangle. */
static enum qn_status encode_upper(struct qn_writer *writer, const struct qn_section *section,
                                   const struct qn_csr *csr, int level, struct qn_error *error) {
  uint64_t count = qn_upper_count(csr);
  uint32_t *upper;
  enum qn_status status = qn_pages_alloc(&upper, count, sizeof *upper, "the upper triangle", error);
  if (status)
    return status;
  qn_upper_gather(csr, section->data, upper);
  status = qn_frames_write(writer, section, upper, count, true, level, error);
  qn_pages_free(upper, count, sizeof *upper);
  return status;
}

/* The graph whose triangle is kept, if `container` has one. */
static enum qn_status find_symmetry(const struct qn_container *container, struct qn_graph *graph,
                                    bool *symmetric, struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(container);
  *symmetric = false;
  if (info->layout != QN_LAYOUT_GRAPH || info->directedness != QN_UNDIRECTED)
    return QN_OK;
  enum qn_status status = qn_graph_view(container, graph, error);
  return status ? status : qn_upper_applies(&graph->out, symmetric, error);
}

static bool runs_along_edges(const struct qn_section *section) {
  return strcmp(section->name, "column_indices") == 0 || strcmp(section->name, "weights") == 0;
}

static enum qn_status write_sections(const struct qn_container *container, struct qn_writer *writer,
                                     int level, struct qn_error *error) {
  struct qn_graph graph;
  bool symmetric;
  enum qn_status status = find_symmetry(container, &graph, &symmetric, error);
  for (uint32_t i = 0; !status && i < qn_container_info(container)->num_sections; i++) {
    const struct qn_section *section = qn_container_section_at(container, i);
    if (section->logical_bytes < WORTH_ENCODING)
      status = copy_section(writer, section, error);
    else if (symmetric && runs_along_edges(section))
      status = encode_upper(writer, section, &graph.out, level, error);
    else
      status = qn_frames_write(writer, section, section->data, section->count, false, level, error);
  }
  return status;
}

enum qn_status qn_archive_write(const struct qn_container *container, const char *path, bool force,
                                int level, struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(container);
  struct qn_writer *writer;
  if (info->incompatible_features & QN_FEATURE_ARCHIVE) {
    qn_fail(error, QN_USAGE, "this container is in archive form already");
    return qn_error_in_file(error, qn_container_path(container)), QN_USAGE;
  }
  enum qn_status status = qn_writer_create(path, force, &writer, error);
  if (status)
    return status;
  *qn_writer_info(writer) = *info;
  /* The archive form even where every section was too small to be encoded. */
  qn_writer_info(writer)->incompatible_features |= QN_FEATURE_ARCHIVE;
  qn_progress_begin("archiving", "bytes", info->file_bytes);
  status = write_sections(container, writer, level, error);
  qn_progress_end();
  if (!status)
    return qn_writer_commit(writer, error);
  qn_writer_abort(writer);
  return status;
}
