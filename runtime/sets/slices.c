#include "runtime/sets/slices.h"

#include "kernels/work_division/chunks.h"
#include "support/memory.h"
#include "support/threads.h"
#include "support/used_files.h"

/* Rows of a slice: so few that what is summed up for them stays in a cache, and so many that
 * threads need not wait for one another. They are multiples of QN_PACKED_RANGE and of the chunks
 * that sums over vertices are made of, so that these do not change. */
#define MOST_ROWS ((uint64_t)1 << 20)
#define LEAST_ROWS ((uint64_t)QN_SWEEP_VERTICES)
_Static_assert(LEAST_ROWS % QN_PACKED_RANGE == 0, "slices are whole ranges");
/* Of a row of few edges: its offset, edges, and what is summed up for it. */
#define ROW_BYTES 64

static uint64_t rows_of_slices(uint64_t memory) {
  const uint64_t rows = memory / ROW_BYTES / LEAST_ROWS * LEAST_ROWS;
  return rows < LEAST_ROWS ? LEAST_ROWS : rows > MOST_ROWS ? MOST_ROWS : rows;
}

static uint64_t num_slices(const struct qn_set_slices *slices, const struct qn_part_rows *rows) {
  const uint64_t num_rows = rows->end - rows->begin;
  return num_rows ? (num_rows - 1) / slices->step + 1 : 1;
}

static void add_slice(struct qn_set_slices *slices, const struct qn_part_rows *rows, uint64_t part,
                      uint64_t first) {
  const uint64_t num_rows = rows->end - rows->begin, left = num_rows - first;
  const uint64_t end = left < slices->step ? num_rows : first + slices->step;
  struct qn_part_rows slice = *rows;
  slice.csr = &slices->csr;
  slice.begin = rows->begin + first;
  slice.end = rows->begin + end;
  slice.num_edges = qn_packed_count_between(&slices->packed[part].out, first, end);
  slices->most_rows = end - first > slices->most_rows ? end - first : slices->most_rows;
  slices->most_edges = slice.num_edges > slices->most_edges ? slice.num_edges : slices->most_edges;
  slices->places[slices->count] = (struct qn_set_slice){part, first};
  slices->rows[slices->count++] = slice;
}

/* Those of the parts [first, end), which have the same rows. */
static void cut_row(struct qn_set_slices *slices, const struct qn_part_rows *rows, uint64_t first,
                    uint64_t end) {
  for (uint64_t i = 0; i < num_slices(slices, &rows[first]); i++)
    for (uint64_t part = first; part < end; part++)
      add_slice(slices, &rows[part], part, i * slices->step);
}

static enum qn_status take_room(struct qn_set_slices *slices, struct qn_error *error) {
  const unsigned weight_bytes = qn_weight_bytes(slices->weight_type);
  enum qn_status status = qn_pages_alloc(&slices->offsets, slices->most_rows + 1,
                                         sizeof *slices->offsets, "rows of a block", error);
  if (!status)
    status = qn_pages_alloc(&slices->columns, slices->most_edges, sizeof *slices->columns,
                            "edges of a block", error);
  if (!status && weight_bytes)
    status =
        qn_pages_alloc(&slices->weights, slices->most_edges, weight_bytes, "edge weights", error);
  return status ? status
                : qn_alloc(&slices->tiles, qn_threads(), sizeof *slices->tiles, "tiles", error);
}

enum qn_status qn_set_slices_create(const struct qn_set_open_part *parts,
                                    const struct qn_part_rows *rows, uint64_t num_parts,
                                    uint64_t memory, struct qn_set_slices *slices,
                                    struct qn_error *error) {
  uint64_t count = 0;
  *slices = (struct qn_set_slices){.num_parts = num_parts, .step = rows_of_slices(memory)};
  enum qn_status status =
      qn_alloc_zeroed(&slices->packed, num_parts, sizeof *slices->packed, "packed blocks", error);
  for (uint64_t i = 0; !status && i < num_parts; i++) {
    status = qn_packed_view(parts[i].container, &slices->packed[i], error);
    count += num_slices(slices, &rows[i]);
  }
  if (!status)
    status = qn_alloc(&slices->rows, count, sizeof *slices->rows, "slices of a set", error);
  if (!status)
    status = qn_alloc(&slices->places, count, sizeof *slices->places, "slices of a set", error);
  for (uint64_t i = 0, end; !status && i < num_parts; i = end) {
    for (end = i + 1; end < num_parts && !rows[end].begins_row;)
      end++;
    cut_row(slices, rows, i, end);
  }
  if (!status && num_parts)
    slices->weight_type = slices->packed[0].out.weights.type;
  if (!status)
    status = take_room(slices, error);
  if (status)
    qn_set_slices_free(slices);
  return status;
}

void qn_set_slices_free(struct qn_set_slices *slices) {
  const unsigned weight_bytes = qn_weight_bytes(slices->weight_type);
  qn_free(slices->tiles);
  if (slices->weights)
    qn_pages_free(slices->weights, slices->most_edges, weight_bytes);
  qn_pages_free(slices->columns, slices->most_edges, sizeof *slices->columns);
  qn_pages_free(slices->offsets, slices->most_rows + 1, sizeof *slices->offsets);
  qn_free(slices->places);
  qn_free(slices->rows);
  qn_free(slices->packed);
  *slices = (struct qn_set_slices){.count = 0};
}

enum qn_status qn_set_slice_make(struct qn_set_slices *slices, uint64_t index,
                                 struct qn_error *error) {
  const struct qn_part_rows *slice = &slices->rows[index];
  const struct qn_set_slice *place = &slices->places[index];
  const struct qn_packed_rows *packed = &slices->packed[place->part].out;
  const uint64_t num_rows = slice->end - slice->begin;
  /* What the file has become since it was opened may be more. */
  if (qn_packed_count_between(packed, place->first, place->first + num_rows) != slice->num_edges ||
      !qn_packed_unpack_between(packed, place->first, place->first + num_rows, slices->offsets,
                                slices->columns, slices->weights, slices->tiles))
    return qn_input_changed(error);
  slices->csr = (struct qn_csr){.num_vertices = num_rows,
                                .num_edges = slice->num_edges,
                                .row_offsets = slices->offsets,
                                .column_indices = slices->columns,
                                .weights = {.type = slices->weight_type, .data = slices->weights}};
  return QN_OK;
}

void qn_set_slice_drop(struct qn_set_slices *slices) {
  slices->csr = (struct qn_csr){0};
}
