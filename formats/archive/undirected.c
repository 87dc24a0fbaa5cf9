/* The triangle comes cut into strips, frame by frame; or whole, as older archives have it: then it
 * is cut in memory. Either way mirror.c makes the graph of it. */
#include "formats/archive/undirected.h"

#include <omp.h>
#include <string.h>

#include "formats/archive/mirror.h"
#include "formats/archive/triangle_whole.h"
#include "formats/container/chunk_hashes.h"
#include "support/memory.h"
#include "support/threads.h"

/* A frame in a thread's memory. */
struct desk {
  uint32_t *degrees; /* of rows, and the tiles behind them */
  void *weights;     /* [QN_STRIP_FRAME_ELEMENTS] */
};

/* A graph on its way. */
struct restoring {
  const struct qn_undirected *job;
  const struct qn_section *columns, *weights; /* weights: NULL without */
  struct qn_strips strips;
  struct qn_chunk_hashes *hashes[2]; /* of columns, of weights */
  struct desk *desks;
  unsigned num_desks;
  /* A triangle that is not cut in the archive, decoded. */
  void *upper[2]; /* columns, weights */
  uint64_t count[2];
  uint64_t *upper_rows;
};

/* Bytes of a weight; 0 without. */
static unsigned weight_bytes(const struct restoring *restoring) {
  return restoring->weights ? restoring->weights->element_bytes : 0;
}

enum qn_status qn_undirected_misfit(const struct qn_container *archive,
                                    const struct qn_section *section, struct qn_error *error) {
  return qn_container_violation(archive, error, "A-4",
                                "the upper triangle of section %s does not fit the row offsets",
                                section->name);
}

static enum qn_status misfit(void *context, struct qn_error *error) {
  const struct restoring *restoring = context;
  return qn_undirected_misfit(restoring->job->archive, restoring->columns, error);
}

static enum qn_status corrupt(void *context, uint64_t frame, struct qn_error *error) {
  const struct restoring *restoring = context;
  return qn_frames_corrupt(restoring->job->archive, restoring->columns, frame, error);
}

enum qn_status qn_undirected_check_claim(const struct qn_container *archive,
                                         const struct qn_section *section, struct qn_error *error) {
  struct qn_strips strips;
  uint64_t count;
  if (section->codec == QN_CODEC_NONE)
    return QN_OK;
  if (section->strips) {
    enum qn_status status = qn_strips_read(archive, section, &strips, error);
    qn_strips_destroy(&strips);
    return status;
  }
  enum qn_status status = qn_frames_count(archive, section, &count, error);
  if (!status && section->upper && section->count - count > count)
    return qn_undirected_misfit(archive, section, error);
  return status;
}

/* ---- Triangles that are cut ------------------------------------------------- */

static enum qn_status read_strips(struct restoring *restoring, struct qn_error *error) {
  const struct qn_container *archive = restoring->job->archive;
  const struct qn_section *columns = restoring->columns, *weights = restoring->weights;
  struct qn_strips other = {0};
  if (columns->filter != QN_FILTER_ROWS ||
      (weights && !qn_filter_applies((enum qn_filter)weights->filter, weights->element_bytes)))
    return qn_container_violation(archive, error, "A-1", "strips of section %s have filter %u",
                                  columns->filter != QN_FILTER_ROWS ? columns->name : weights->name,
                                  columns->filter != QN_FILTER_ROWS ? columns->filter
                                                                    : weights->filter);
  enum qn_status status = qn_strips_read(archive, columns, &restoring->strips, error);
  if (status || !weights)
    return status;
  status = qn_strips_read(archive, weights, &other, error);
  if (!status && !qn_strips_equal(&restoring->strips, &other))
    status = qn_undirected_misfit(archive, weights, error);
  qn_strips_destroy(&other);
  return status;
}

static enum qn_status read_frame(void *context, uint64_t frame, struct qn_archive_rows *rows,
                                 const void **weights, struct qn_error *error) {
  const struct restoring *restoring = context;
  const struct qn_undirected *job = restoring->job;
  const struct desk *desk = &restoring->desks[omp_get_thread_num()];
  rows->degrees = desk->degrees;
  rows->tiles = desk->degrees + ((uint64_t)1 << restoring->strips.span_log2);
  enum qn_status status = QN_OK;
  if (restoring->weights) {
    *weights = desk->weights;
    status = qn_frames_read_weights(job->decoders, job->archive, restoring->weights,
                                    &restoring->strips, frame, desk->weights, error);
  }
  /* The rows last: their bits stay in the decoder. */
  return status ? status
                : qn_frames_read_rows(job->decoders, job->archive, restoring->columns,
                                      &restoring->strips, frame, rows, error);
}

/* ---- Triangles that are whole ----------------------------------------------- */

static enum qn_status read_upper(struct restoring *restoring, unsigned which,
                                 struct qn_error *error) {
  const struct qn_undirected *job = restoring->job;
  const struct qn_section *section = which ? restoring->weights : restoring->columns;
  uint64_t *count = &restoring->count[which];
  enum qn_status status = qn_undirected_check_claim(job->archive, section, error);
  if (!status)
    status = qn_frames_count(job->archive, section, count, error);
  if (!status)
    status = qn_pages_alloc(&restoring->upper[which], *count, section->element_bytes,
                            "the upper triangle", error);
  return status ? status
                : qn_frames_read(job->decoders, job->archive, section, *count, NULL,
                                 restoring->upper[which], NULL, error);
}

static enum qn_status read_triangle(struct restoring *restoring, struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(restoring->job->archive);
  bool fits = false;
  enum qn_status status = read_upper(restoring, 0, error);
  if (!status && restoring->weights)
    status = read_upper(restoring, 1, error);
  if (!status && restoring->weights && restoring->count[1] != restoring->count[0])
    return qn_undirected_misfit(restoring->job->archive, restoring->weights, error);
  if (!status)
    status = qn_pages_alloc(&restoring->upper_rows, info->num_vertices + 1, sizeof(uint64_t),
                            "rows of the upper triangle", error);
  if (status)
    return status;
  const struct qn_whole_triangle triangle = {.num_vertices = info->num_vertices,
                                             .num_edges = info->num_edges,
                                             .row_offsets = restoring->job->row_offsets,
                                             .count = restoring->count[0],
                                             .columns = restoring->upper[0]};
  status = qn_whole_triangle_rows(&triangle, restoring->upper_rows, &fits, error);
  if (!status && !fits)
    return misfit(restoring, error);
  return status ? status
                : qn_strips_cut(info->num_vertices,
                                qn_strips_span(info->num_vertices, info->num_edges),
                                restoring->upper_rows, &restoring->strips, error);
}

static enum qn_status frame_of_triangle(void *context, uint64_t frame, struct qn_archive_rows *rows,
                                        const void **weights, struct qn_error *error) {
  const struct restoring *restoring = context;
  const struct desk *desk = &restoring->desks[omp_get_thread_num()];
  const struct qn_strip_frame *cut = &restoring->strips.frames[frame];
  const uint32_t *columns = (const uint32_t *)restoring->upper[0] + cut->first;
  const unsigned span_log2 = restoring->strips.span_log2;
  (void)error;
  rows->degrees = desk->degrees;
  rows->tiles = desk->degrees + ((uint64_t)1 << span_log2);
  rows->columns = columns;
  qn_strips_rows(&restoring->strips, frame, restoring->upper_rows, rows);
  qn_strips_count_tiles(&restoring->strips, frame, rows);
  if (restoring->weights)
    *weights = (const char *)restoring->upper[1] + cut->first * restoring->weights->element_bytes;
  return QN_OK;
}

/* ---- Both ------------------------------------------------------------------- */

static enum qn_status put(void *context, bool weights, const void *values, uint64_t count,
                          uint64_t first, const bool *stop, struct qn_error *error) {
  const struct restoring *restoring = context;
  const struct qn_undirected *job = restoring->job;
  uint64_t bytes = weights ? weight_bytes(restoring) : sizeof(uint32_t);
  enum qn_status status = QN_OK;
  if (job->writer)
    status = qn_writer_put(job->writer, weights ? job->weights : job->columns, values,
                           count * bytes, first * bytes, error);
  if (!status)
    qn_chunk_hashes_add(restoring->hashes[weights], values, count * bytes, first * bytes, stop);
  return status;
}

static enum qn_status create_desks(struct restoring *restoring, struct qn_error *error) {
  const struct qn_strips *strips = &restoring->strips;
  unsigned threads = qn_threads();
  enum qn_status status =
      qn_alloc_zeroed(&restoring->desks, threads, sizeof *restoring->desks, "threads", error);
  while (!status && restoring->num_desks < threads) {
    struct desk *desk = &restoring->desks[restoring->num_desks++];
    status = qn_pages_alloc(&desk->degrees, ((uint64_t)1 << strips->span_log2) + strips->num_strips,
                            sizeof *desk->degrees, "rows of a strip", error);
    if (!status && restoring->weights && restoring->columns->strips)
      status = qn_pages_alloc(&desk->weights, QN_STRIP_FRAME_ELEMENTS,
                              restoring->weights->element_bytes, "weights of a frame", error);
  }
  return status;
}

static enum qn_status create_hashes(struct restoring *restoring, struct qn_error *error) {
  enum qn_status status =
      qn_chunk_hashes_create(restoring->columns->logical_bytes, &restoring->hashes[0], error);
  if (!status && restoring->weights)
    status =
        qn_chunk_hashes_create(restoring->weights->logical_bytes, &restoring->hashes[1], error);
  return status;
}

static void destroy(struct restoring *restoring) {
  const struct qn_strips *strips = &restoring->strips;
  for (unsigned i = 0; i < restoring->num_desks; i++) {
    qn_pages_free(restoring->desks[i].degrees,
                  ((uint64_t)1 << strips->span_log2) + strips->num_strips, sizeof(uint32_t));
    qn_pages_free(restoring->desks[i].weights, QN_STRIP_FRAME_ELEMENTS, weight_bytes(restoring));
  }
  qn_free(restoring->desks);
  for (unsigned which = 0; which < 2; which++) {
    qn_chunk_hashes_destroy(restoring->hashes[which]);
    qn_pages_free(restoring->upper[which], restoring->count[which],
                  which ? weight_bytes(restoring) : sizeof(uint32_t));
  }
  qn_pages_free(restoring->upper_rows, qn_container_info(restoring->job->archive)->num_vertices + 1,
                sizeof(uint64_t));
  qn_strips_destroy(&restoring->strips);
}

static enum qn_status mirror(struct restoring *restoring, struct qn_error *error) {
  const struct qn_undirected *job = restoring->job;
  const struct qn_mirror mirror = {.num_edges = qn_container_info(job->archive)->num_edges,
                                   .row_offsets = job->row_offsets,
                                   .strips = &restoring->strips,
                                   .weight_bytes = weight_bytes(restoring),
                                   .context = restoring,
                                   .read =
                                       restoring->columns->strips ? read_frame : frame_of_triangle,
                                   .put = put,
                                   .misfit = misfit,
                                   .corrupt = corrupt};
  return qn_mirror_restore(&mirror, error);
}

static enum qn_status compare(const struct restoring *restoring, const struct qn_section *section,
                              const struct qn_chunk_hashes *hashes, struct qn_error *error) {
  if (!section || qn_chunk_hashes_checksum(hashes) == section->checksum)
    return QN_OK;
  return qn_container_violation(restoring->job->archive, error, "C-21",
                                "section %s does not decode to what was archived", section->name);
}

/* Is it E values, encoded as the columns are? */
static bool is_along_edges(const struct restoring *restoring, const struct qn_section *section) {
  return section->upper &&
         (section->element_bytes == 4 ||
          (section->element_bytes == 8 && section != restoring->columns)) &&
         section->strips == restoring->columns->strips &&
         section->count == qn_container_info(restoring->job->archive)->num_edges;
}

enum qn_status qn_undirected_restore(const struct qn_undirected *undirected,
                                     struct qn_error *error) {
  struct restoring restoring = {
      .job = undirected,
      .columns = qn_container_section_at(undirected->archive, undirected->columns)};
  if (undirected->weights != undirected->columns)
    restoring.weights = qn_container_section_at(undirected->archive, undirected->weights);
  if (!is_along_edges(&restoring, restoring.columns))
    return qn_undirected_misfit(undirected->archive, restoring.columns, error);
  if (restoring.weights && !is_along_edges(&restoring, restoring.weights))
    return qn_undirected_misfit(undirected->archive, restoring.weights, error);
  enum qn_status status =
      restoring.columns->strips ? read_strips(&restoring, error) : read_triangle(&restoring, error);
  if (!status)
    status = create_hashes(&restoring, error);
  if (!status)
    status = create_desks(&restoring, error);
  if (!status)
    status = mirror(&restoring, error);
  if (!status)
    status = compare(&restoring, restoring.columns, restoring.hashes[0], error);
  if (!status)
    status = compare(&restoring, restoring.weights, restoring.hashes[1], error);
  destroy(&restoring);
  return status;
}
