/* Plain container in, archive form out. */
#include <string.h>

#include "formats/archive/frames.h"
#include "formats/archive/slices.h"
#include "formats/archive/upper.h"
#include "formats/container/verifier.h"
#include "support/memory.h"
#include "support/progress.h"
#include <quern/archive.h>
#include <quern/graph.h>

/* Sections smaller than this stay plain: a page is the least that a file grows by. */
static const uint64_t WORTH_ENCODING = 4096;

static enum qn_status copy_section(struct qn_writer *writer, const struct qn_section *section,
                                   struct qn_error *error) {
  const struct qn_section_spec spec = qn_section_spec_of(section);
  return qn_writer_section_from(writer, &spec, section->data, error);
}

/* A graph whose triangle is kept. */
struct kept_triangle {
  struct qn_graph graph;
  bool kept;
  uint64_t *upper_rows; /* [V + 1] where its rows begin; NULL where none is kept */
  struct qn_strips strips;
  bool cut; /* into these; known when the columns are there */
};

/* The graph whose triangle is kept, if `container` has one. Weights are a triangle only beside
 * columns that are one, too, and these may stay plain where weights, which are wider, need not. */
static enum qn_status find_triangle(const struct qn_container *container,
                                    struct kept_triangle *triangle, struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(container);
  const struct qn_section *columns = qn_container_section(container, "column_indices");
  if (info->layout != QN_LAYOUT_GRAPH || info->directedness != QN_UNDIRECTED ||
      qn_is_rectangular(info) || !columns || columns->logical_bytes < WORTH_ENCODING)
    return QN_OK;
  const struct qn_csr *csr = &triangle->graph.out;
  enum qn_status status = qn_graph_view(container, &triangle->graph, error);
  if (!status)
    status = qn_upper_applies(csr, &triangle->kept, error);
  if (status || !triangle->kept)
    return status;
  status = qn_pages_alloc(&triangle->upper_rows, csr->num_vertices + 1, sizeof(uint64_t),
                          "rows of the upper triangle", error);
  if (status)
    return status;
  qn_upper_rows(csr, triangle->upper_rows);
  return qn_strips_cut(csr->num_vertices, qn_strips_span(csr->num_vertices, csr->num_edges),
                       triangle->upper_rows, &triangle->strips, error);
}

static void drop_triangle(struct kept_triangle *triangle) {
  qn_pages_free(triangle->upper_rows, triangle->graph.out.num_vertices + 1, sizeof(uint64_t));
  qn_strips_destroy(&triangle->strips);
}

/* Encode an E-long section of the out-edges by its upper triangle. Columns decide on strips. */
static enum qn_status encode_upper(struct qn_writer *writer, const struct qn_section *section,
                                   struct kept_triangle *triangle, int level,
                                   struct qn_error *error) {
  const struct qn_csr *csr = &triangle->graph.out;
  uint64_t count = triangle->upper_rows[csr->num_vertices];
  struct qn_cut cut = {.strips = &triangle->strips,
                       .upper_rows = triangle->upper_rows,
                       .columns = section->data == csr->column_indices};
  struct qn_frame_rules rules = {0};
  void *upper;
  enum qn_status status =
      qn_pages_alloc(&upper, count, section->element_bytes, "the upper triangle", error);
  if (status)
    return status;
  qn_upper_gather(csr, triangle->upper_rows, section->data, section->element_bytes, upper);
  if (cut.columns)
    status = qn_frames_prefer_cut(upper, count, &cut, level, &triangle->cut, error);
  rules.cut = triangle->cut ? &cut : NULL;
  if (!status)
    status = qn_frames_write(writer, section, upper, count, true, &rules, level, error);
  qn_pages_free(upper, count, section->element_bytes);
  return status;
}

/* Encode pages by what is on them. */
static enum qn_status encode_pages(struct qn_writer *writer, const struct qn_container *container,
                                   const struct qn_section *section, int level,
                                   struct qn_error *error) {
  struct qn_slotted_pages view;
  struct qn_paging paging = {0};
  const struct qn_frame_rules rules = {.paging = &paging};
  enum qn_status status = qn_slotted_pages_view(container, &view, error);
  if (!status)
    status = qn_paging_create(&view, &paging, error);
  if (!status)
    status = qn_frames_write(writer, section, section->data, section->count, false, &rules, level,
                             error);
  qn_paging_destroy(&paging);
  return status;
}

/* Encode elements; columns perhaps by their rows. */
static enum qn_status encode_elements(struct qn_writer *writer,
                                      const struct qn_container *container,
                                      const struct qn_section *section, int level,
                                      struct qn_error *error) {
  const struct qn_section *offsets = qn_row_offsets_of(container, section);
  const struct qn_row_slices slices = qn_row_slices_of(container, offsets ? offsets->data : NULL);
  const struct qn_frame_rules rules = {.slices = offsets ? &slices : NULL};
  return qn_frames_write(writer, section, section->data, section->count, false, &rules, level,
                         error);
}

static bool can_be_triangle(const struct qn_section *section) {
  return strcmp(section->name, "column_indices") == 0 || strcmp(section->name, "weights") == 0;
}

static enum qn_status write_sections(const struct qn_container *container, struct qn_writer *writer,
                                     int level, struct qn_error *error) {
  struct kept_triangle triangle = {.kept = false};
  enum qn_status status = find_triangle(container, &triangle, error);
  for (uint32_t i = 0; !status && i < qn_container_info(container)->num_sections; i++) {
    const struct qn_section *section = qn_container_section_at(container, i);
    if (section->logical_bytes < WORTH_ENCODING || strcmp(section->name, QN_CHUNK_HASHES) == 0 ||
        strcmp(section->name, "properties") == 0) /* which quern-info reads */
      status = copy_section(writer, section, error);
    else if (triangle.kept && can_be_triangle(section))
      status = encode_upper(writer, section, &triangle, level, error);
    else if (qn_paging_applies(container, section))
      status = encode_pages(writer, container, section, level, error);
    else
      status = encode_elements(writer, container, section, level, error);
  }
  drop_triangle(&triangle);
  return status;
}

/* Everything but the commit; `*out` is NULL on failure. */
static enum qn_status encode(const struct qn_container *container, const char *path, bool force,
                             int level, struct qn_writer **out, struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(container);
  struct qn_writer *writer;
  *out = NULL;
  if (info->incompatible_features & QN_FEATURE_ARCHIVE) {
    qn_fail(error, QN_USAGE, "this container is in archive form already");
    return qn_error_in_file(error, qn_container_path(container)), QN_USAGE;
  }
  enum qn_status status = qn_writer_create(path, force, &writer, error);
  if (status)
    return status;
  *qn_writer_info(writer) = *info;
  qn_writer_set_copy(writer);
  /* The archive form even where every section was too small to be encoded. */
  qn_writer_info(writer)->incompatible_features |= QN_FEATURE_ARCHIVE;
  qn_progress_begin("archiving", "bytes", info->file_bytes);
  status = write_sections(container, writer, level, error);
  qn_progress_end();
  if (status)
    qn_writer_abort(writer);
  else
    *out = writer;
  return status;
}

enum qn_status qn_archive_write(const struct qn_container *container, const char *path, bool force,
                                int level, struct qn_error *error) {
  struct qn_writer *writer;
  if (qn_is_rectangular(qn_container_info(container))) {
    qn_fail(error, QN_UNSUPPORTED, "a part of a set is archived with it, in a bundle of the set");
    return qn_error_in_file(error, qn_container_path(container)), QN_UNSUPPORTED;
  }
  enum qn_status status = encode(container, path, force, level, &writer, error);
  return status ? status : qn_writer_commit(writer, error);
}

enum qn_status qn_archive_write_aside(const struct qn_container *container, const char *path,
                                      int level,
                                      enum qn_status (*judge)(void *context, int descriptor,
                                                              struct qn_error *error),
                                      void *context, struct qn_error *error) {
  struct qn_writer *writer;
  enum qn_status status = encode(container, path, false, level, &writer, error);
  return status ? status : qn_writer_judge(writer, judge, context, error);
}
