/* Splitting rows into ELL and COO (HPGraph, section 3.2): the first K entries of each row go to
 * the dense part, the others to the sparse one. Ranges of 1024 rows are counted and then filled
 * in parallel. */
#include "partitioner/hybrid.h"

#include <inttypes.h>
#include <string.h>

#include "formats/layouts/hybrid_sections.h"
#include "partitioner/row_visitor.h"
#include "support/checked.h"
#include <quern/inline.h>

struct splitting {
  const struct qn_rows *rows;
  uint64_t width;
  uint64_t pitch;
  uint64_t num_ranges;
  uint32_t *ell_columns;
  void *ell_weights;
  uint64_t *coo_starts;
  uint32_t *coo_rows;
  uint32_t *coo_columns;
  void *coo_weights;
};

static uint64_t length_of(const uint64_t *row_offsets, uint64_t row) {
  return row_offsets[row + 1] - row_offsets[row];
}

static uint64_t rows_of_length(const uint64_t *row_offsets, uint64_t num_vertices,
                               uint64_t length) {
  uint64_t count = 0;
#pragma omp parallel for schedule(static) reduction(+ : count)
  for (uint64_t row = 0; row < num_vertices; row++)
    count += length_of(row_offsets, row) >= length;
  return count;
}

static uint64_t longest_row(const uint64_t *row_offsets, uint64_t num_vertices) {
  uint64_t longest = 0;
#pragma omp parallel for schedule(static) reduction(max : longest)
  for (uint64_t row = 0; row < num_vertices; row++)
    longest = length_of(row_offsets, row) > longest ? length_of(row_offsets, row) : longest;
  return longest;
}

uint64_t qn_hybrid_width(const uint64_t *row_offsets, uint64_t num_vertices) {
  if (num_vertices == 0)
    return 0;
  /* A third of the rows cannot have more than three times the average. */
  uint64_t low = 0, high = longest_row(row_offsets, num_vertices);
  uint64_t most = row_offsets[num_vertices] / num_vertices * 3 + 3;
  high = most < high ? most : high;
  while (low < high) {
    uint64_t middle = low + (high - low + 1) / 2;
    if (3 * rows_of_length(row_offsets, num_vertices, middle) >= num_vertices)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

/* coo_starts from the lengths of rows. */
static void count_coo(const struct splitting *work) {
#pragma omp parallel for schedule(static)
  for (uint64_t range = 0; range < work->num_ranges; range++) {
    uint64_t count = 0, first = range * QN_HYBRID_RANGE, last = first + QN_HYBRID_RANGE;
    for (uint64_t row = first; row < last && row < work->rows->num_vertices; row++) {
      uint64_t length = length_of(work->rows->row_offsets, row);
      count += length > work->width ? length - work->width : 0;
    }
    work->coo_starts[range + 1] = count;
  }
  for (uint64_t range = 0; range < work->num_ranges; range++)
    work->coo_starts[range + 1] += work->coo_starts[range];
}

/* Of the rows [first, last) alone, few enough for what is known of them to stay in the L1 cache. */
QN_ALWAYS_INLINE void fill_ell(const struct splitting *work, const struct qn_csr_rows *rows,
                               unsigned weight_bytes, uint64_t first, uint64_t last) {
  const uint64_t *offsets = rows->row_offsets + (first - rows->first);
  const uint64_t base = rows->row_offsets[0], count = last - first;
  for (uint64_t k = 0; k < work->width; k++) {
    uint32_t *columns = work->ell_columns + k * work->pitch + first;
    for (uint64_t i = 0; i < count; i++) {
      uint64_t edge = offsets[i] + k;
      bool there = edge < offsets[i + 1];
      columns[i] = there ? rows->columns[edge - base] : QN_HYBRID_PADDING;
      if (weight_bytes)
        qn_weight_store(work->ell_weights, weight_bytes, k * work->pitch + first + i,
                        there ? qn_weight_load(rows->weights, weight_bytes, edge - base) : 0);
    }
  }
}

/* Rows may have become longer since they were counted (used_files.h): what does not fit is left
 * out. */
static void fill_coo(const struct splitting *work, const struct qn_csr_rows *rows) {
  const uint64_t *offsets = rows->row_offsets, num_rows = rows->last - rows->first;
  const uint64_t num_coo = work->coo_starts[work->num_ranges];
  uint64_t place = work->coo_starts[rows->first / QN_HYBRID_RANGE];
  for (uint64_t row = 0; row < num_rows; row++) {
    uint64_t length = length_of(offsets, row), edge = offsets[row] - offsets[0] + work->width;
    if (length <= work->width)
      continue;
    uint64_t rest = length - work->width;
    if (rest > num_coo - place)
      return;
    for (uint64_t i = 0; i < rest; i++)
      work->coo_rows[place + i] = (uint32_t)(rows->first + row);
    memcpy(work->coo_columns + place, rows->columns + edge, 4 * rest);
    if (rows->weights)
      memcpy((char *)work->coo_weights + place * rows->weight_bytes,
             (const char *)rows->weights + edge * rows->weight_bytes, rest * rows->weight_bytes);
    place += rest;
  }
}

static void split_rows(const struct qn_csr_rows *rows, void *context) {
  for (uint64_t first = rows->first; first < rows->last; first += QN_HYBRID_RANGE) {
    uint64_t last = first + QN_HYBRID_RANGE < rows->last ? first + QN_HYBRID_RANGE : rows->last;
    if (rows->weight_bytes == 8)
      fill_ell(context, rows, 8, first, last);
    else if (rows->weight_bytes == 4)
      fill_ell(context, rows, 4, first, last);
    else
      fill_ell(context, rows, 0, first, last);
  }
  fill_coo(context, rows);
}

static enum qn_status fill(struct splitting *work, struct qn_error *error) {
  for (uint64_t k = 0; k < work->width; k++)
    for (uint64_t row = work->rows->num_vertices; row < work->pitch; row++)
      work->ell_columns[k * work->pitch + row] = QN_HYBRID_PADDING;
  return qn_rows_visit(work->rows, true, split_rows, work, error);
}

static enum qn_status add_sections(struct splitting *work, const struct qn_hybrid_sections *names,
                                   struct qn_writer *writer, struct qn_error *error) {
  uint64_t entries;
  if (!qn_mul_u64(work->width, work->pitch, &entries))
    return qn_fail(error, QN_USAGE, "a width of %" PRIu64 " is too large for %" PRIu64 " vertices",
                   work->width, work->rows->num_vertices);
  enum qn_status status = qn_builder_section(writer, names->ell_columns, QN_ELEMENT_UNSIGNED, 4,
                                             entries, &work->ell_columns, error);
  if (!status)
    status = qn_builder_weights(writer, names->ell_weights, entries, &work->ell_weights, error);
  if (!status)
    status = qn_builder_section(writer, names->coo_starts, QN_ELEMENT_UNSIGNED, 8,
                                work->num_ranges + 1, &work->coo_starts, error);
  if (status)
    return status;
  count_coo(work);
  uint64_t num_coo = work->coo_starts[work->num_ranges];
  status = qn_builder_section(writer, names->coo_rows, QN_ELEMENT_UNSIGNED, 4, num_coo,
                              &work->coo_rows, error);
  if (!status)
    status = qn_builder_section(writer, names->coo_columns, QN_ELEMENT_UNSIGNED, 4, num_coo,
                                &work->coo_columns, error);
  if (!status)
    status = qn_builder_weights(writer, names->coo_weights, num_coo, &work->coo_weights, error);
  return status;
}

/* `*width` becomes the width used. */
static enum qn_status split_direction(const struct qn_rows *rows,
                                      const struct qn_hybrid_sections *names, uint64_t *width,
                                      struct qn_writer *writer, struct qn_error *error) {
  uint64_t num_vertices = rows->num_vertices;
  uint64_t longest = longest_row(rows->row_offsets, num_vertices);
  if (*width == QN_HYBRID_AUTO_WIDTH)
    *width = qn_hybrid_width(rows->row_offsets, num_vertices);
  if (*width > longest)
    return qn_fail(error, QN_USAGE,
                   "a width of %" PRIu64 " is %" PRIu64 " more than the longest row of %s has, the "
                   "rest would be padding alone; --width %" PRIu64 " would hold every edge",
                   *width, *width - longest, names->name, longest);
  struct splitting work = {
      .rows = rows,
      .width = *width,
      .pitch = (num_vertices + QN_HYBRID_PITCH - 1) / QN_HYBRID_PITCH * QN_HYBRID_PITCH,
      .num_ranges = (num_vertices + QN_HYBRID_RANGE - 1) / QN_HYBRID_RANGE,
  };
  enum qn_status status = add_sections(&work, names, writer, error);
  return status ? status : fill(&work, error);
}

static enum qn_status split_in(const struct qn_graph *graph, uint64_t *width,
                               struct qn_writer *writer, struct qn_error *error) {
  struct qn_rows rows;
  enum qn_status status = qn_rows_open_in(graph, &rows, error);
  if (!status)
    status = split_direction(&rows, &qn_in_sections, width, writer, error);
  qn_rows_close(&rows);
  return status;
}

static enum qn_status split_out(const struct qn_graph *graph, uint64_t *width,
                                struct qn_writer *writer, struct qn_error *error) {
  struct qn_rows rows;
  qn_rows_open_out(graph, &rows);
  return split_direction(&rows, &qn_out_sections, width, writer, error);
}

enum qn_status qn_hybrid_build(struct qn_source *source, const void *options,
                               struct qn_writer *writer, json_t **used, struct qn_error *error) {
  const struct qn_hybrid_options *wanted = options;
  struct qn_container_info *info = qn_writer_info(writer);
  uint32_t directions = wanted->directions ? wanted->directions : QN_HYBRID_IN;
  uint64_t in_width = wanted->width, out_width = wanted->width;
  /* An undirected graph's rows are the same in both directions: they are stored once. */
  if (source->graph.directedness == QN_UNDIRECTED)
    directions = directions & QN_HYBRID_IN ? QN_HYBRID_IN : QN_HYBRID_OUT;
  enum qn_status status = qn_builder_degrees(source, writer, error);
  if (!status && (directions & QN_HYBRID_IN))
    status = split_in(&source->graph, &in_width, writer, error);
  if (!status && (directions & QN_HYBRID_OUT))
    status = split_out(&source->graph, &out_width, writer, error);
  if (status)
    return status;
  info->parameters[QN_HYBRID_DIRECTIONS] = directions;
  *used = json_pack("{s:s}", "direction",
                    directions == QN_HYBRID_IN    ? "in"
                    : directions == QN_HYBRID_OUT ? "out"
                                                  : "both");
  if (directions & QN_HYBRID_IN) {
    info->parameters[QN_HYBRID_IN_WIDTH] = in_width;
    json_object_set_new(*used, "in_width", json_integer((json_int_t)in_width));
  }
  if (directions & QN_HYBRID_OUT) {
    info->parameters[QN_HYBRID_OUT_WIDTH] = out_width;
    json_object_set_new(*used, "out_width", json_integer((json_int_t)out_width));
  }
  return QN_OK;
}
