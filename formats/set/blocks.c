#include "formats/set/blocks.h"

#include <inttypes.h>
#include <string.h>

#include "formats/set/vertices.h"
#include "support/memory.h"
#include "support/search.h"
#include "support/temp_file.h"
#include "support/threads.h"
#include <quern/fingerprint.h>

uint64_t qn_set_row_end(const struct qn_set *set, uint64_t first) {
  uint64_t end = first;
  while (end < set->num_parts && set->parts[end].columns_end < set->num_vertices)
    end++;
  return end < set->num_parts ? end + 1 : end;
}

static uint64_t wide_fingerprint(const struct qn_set_part *block, const struct qn_csr *rows,
                                 bool reverse) {
  const unsigned width = qn_weight_bytes(rows->weights.type);
  uint64_t sum = 0;
#pragma omp parallel for schedule(dynamic, 1024) reduction(+ : sum) if (rows->num_vertices + rows->num_edges > QN_TEAM_LEAST)
  for (uint64_t row = 0; row < rows->num_vertices; row++) {
    const uint64_t mixed = qn_mix_vertex(block->begin + row);
    const uint64_t own = reverse ? qn_mix_destination_of(mixed) : mixed;
    uint64_t others = 0;
    for (uint64_t e = rows->row_offsets[row]; e < rows->row_offsets[row + 1]; e++) {
      const uint64_t other = qn_mix_vertex(block->columns_begin + rows->column_indices[e]);
      others += (reverse ? other : qn_mix_destination_of(other)) *
                qn_mix_weight_at(rows->weights.data, width, e);
    }
    sum += own * others;
  }
  return sum;
}

uint64_t qn_set_block_fingerprint(const struct qn_set_part *block, const struct qn_csr *rows,
                                  bool reverse) {
  return block->columns_begin || block->end > UINT32_MAX
             ? wide_fingerprint(block, rows, reverse)
             : qn_rows_fingerprint(rows, block->begin, reverse);
}

/* ---- Cutting the vertices -------------------------------------------------------- */

uint64_t qn_set_num_cuts(uint64_t num_vertices, uint64_t width) {
  return num_vertices == 0 ? 1 : (num_vertices - 1) / width + 1;
}

static void cut_range(const struct qn_set *set, uint64_t width, uint64_t i, uint64_t *begin,
                      uint64_t *end) {
  *begin = i * width;
  *end = set->num_vertices - *begin < width ? set->num_vertices : *begin + width;
}

enum qn_status qn_set_cut(struct qn_set *set, uint64_t width, struct qn_error *error) {
  enum { MOST = 256 }; /* squared: QN_SET_MAX_PARTS */
  const uint64_t cuts = qn_set_num_cuts(set->num_vertices, width);
  if (cuts > MOST)
    return qn_fail(error, QN_USAGE,
                   "blocks of %" PRIu64 " vertices would be more than %d of %" PRIu64
                   " vertices: take %" PRIu64 " or more",
                   width, QN_SET_MAX_PARTS, set->num_vertices, (set->num_vertices - 1) / MOST + 1);
  enum qn_status status = qn_set_ranges_create(set, cuts, error);
  if (!status)
    status = qn_alloc_zeroed(&set->parts, cuts * cuts, sizeof *set->parts, "parts of a set", error);
  if (status)
    return status;
  set->num_parts = cuts * cuts;
  set->features = cuts > 1 ? QN_SET_VERTEX_RANGES | QN_SET_COLUMN_RANGES : 0;
  for (uint64_t i = 0; i < cuts; i++)
    cut_range(set, width, i, &set->ranges[i].begin, &set->ranges[i].end);
  for (uint64_t i = 0; i < set->num_parts; i++) {
    struct qn_set_part *block = &set->parts[i];
    cut_range(set, width, i / cuts, &block->begin, &block->end);
    cut_range(set, width, i % cuts, &block->columns_begin, &block->columns_end);
  }
  return QN_OK;
}

/* ---- Cutting rows ------------------------------------------------------------------ */

void qn_set_count_edges(const struct qn_set *set, uint64_t first, uint64_t end,
                        const struct qn_set_piece *rows, uint64_t *num_edges) {
  const uint64_t *offsets = rows->row_offsets, base = offsets[0];
  for (uint64_t b = first; b < end; b++) {
    const struct qn_set_part *block = &set->parts[b];
    uint64_t edges = 0;
#pragma omp parallel for schedule(static) reduction(+ : edges)
    for (uint64_t row = 0; row < rows->end - rows->begin; row++) {
      const uint64_t from = offsets[row] - base, to = offsets[row + 1] - base;
      edges += qn_lower_bound_u32(rows->columns, from, to, block->columns_end) -
               qn_lower_bound_u32(rows->columns, from, to, block->columns_begin);
    }
    num_edges[b] += edges;
  }
}

static enum qn_status make_room(struct qn_set_cut_rows *cut, bool records, uint64_t **row_offsets,
                                uint32_t **columns, void **weights, struct qn_error *error) {
  enum qn_status status =
      qn_bulk_alloc(row_offsets, cut->num_rows + 1, sizeof **row_offsets, "rows of a block", error);
  cut->piece.row_offsets = *row_offsets;
  if (!status)
    status = qn_bulk_alloc(columns, cut->num_edges, sizeof **columns, "columns of a block", error);
  cut->piece.columns = *columns;
  if (!status && cut->weight_bytes)
    status = qn_bulk_alloc(weights, cut->num_edges, cut->weight_bytes, "weights of a block", error);
  cut->piece.weights = *weights;
  if (!status && records)
    status = qn_bulk_alloc(&cut->records, cut->num_edges, sizeof *cut->records, "numbers of edges",
                           error);
  return status;
}

/* The rows of a piece; `records` are of its edges, or NULL. */
static void cut_piece(const struct qn_set_part *block, const struct qn_set_piece *piece,
                      const uint64_t *records, const struct qn_set_cut_rows *cut,
                      uint64_t *row_offsets, uint32_t *columns, char *weights) {
  const uint64_t *offsets = piece->row_offsets, base = offsets[0];
  uint64_t *ends = row_offsets + (piece->begin - block->begin) + 1;
  const unsigned width = cut->weight_bytes;
#pragma omp parallel for schedule(static)
  for (uint64_t row = 0; row < piece->end - piece->begin; row++) {
    const uint64_t from = offsets[row] - base, to = offsets[row + 1] - base;
    ends[row] = qn_lower_bound_u32(piece->columns, from, to, block->columns_end) -
                qn_lower_bound_u32(piece->columns, from, to, block->columns_begin);
  }
  for (uint64_t row = 0; row < piece->end - piece->begin; row++)
    ends[row] += ends[row - 1];
#pragma omp parallel for schedule(static)
  for (uint64_t row = 0; row < piece->end - piece->begin; row++) {
    const uint64_t at = ends[row - 1], count = ends[row] - at;
    const uint64_t from = qn_lower_bound_u32(piece->columns, offsets[row] - base,
                                             offsets[row + 1] - base, block->columns_begin);
    if (count == 0)
      continue;
    memcpy(columns + at, piece->columns + from, count * sizeof *columns);
    if (width)
      memcpy(weights + at * width, (const char *)piece->weights + from * width, count * width);
    if (records)
      memcpy(cut->records + at, records + from, count * sizeof *records);
  }
}

enum qn_status qn_set_cut_rows(const struct qn_set *set, uint64_t index,
                               const struct qn_set_piece *pieces, uint64_t num_pieces,
                               const uint64_t *records, struct qn_set_cut_rows *cut,
                               struct qn_error *error) {
  const struct qn_set_part *block = &set->parts[index];
  uint64_t *row_offsets = NULL;
  uint32_t *columns = NULL;
  void *weights = NULL;
  *cut = (struct qn_set_cut_rows){.piece = {.begin = block->begin, .end = block->end},
                                  .num_rows = block->end - block->begin,
                                  .num_edges = block->num_edges,
                                  .weight_bytes = qn_weight_bytes(set->weight_type)};
  enum qn_status status = make_room(cut, records != NULL, &row_offsets, &columns, &weights, error);
  for (uint64_t i = 0; !status && i < num_pieces; i++) {
    const struct qn_set_piece *piece = &pieces[i];
    cut_piece(block, piece, records, cut, row_offsets, columns, weights);
    if (records)
      records += piece->row_offsets[piece->end - piece->begin] - piece->row_offsets[0];
  }
  if (status)
    qn_set_cut_rows_release(cut);
  return status;
}

void qn_set_cut_rows_release(struct qn_set_cut_rows *cut) {
  qn_pages_free((void *)cut->piece.row_offsets, cut->num_rows + 1, sizeof(uint64_t));
  qn_pages_free((void *)cut->piece.columns, cut->num_edges, sizeof(uint32_t));
  qn_pages_free((void *)cut->piece.weights, cut->num_edges, cut->weight_bytes);
  qn_pages_free(cut->records, cut->num_edges, sizeof *cut->records);
  *cut = (struct qn_set_cut_rows){0};
}
