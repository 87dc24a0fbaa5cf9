/* Packed rows, whose edges have the numbers that they have in plain ones. Of the
 * tile that an edge is in those of its row are decoded, and serve what is asked for next. */
#include "kernels/cpu/sampling/rows.h"

#include "support/memory.h"
#include "support/search.h"

uint32_t qn_packed_column(const struct qn_packed_rows *rows, const struct qn_sampling_row *row,
                          uint64_t edge, struct qn_row_reader *reader) {
  struct qn_packed_tile *tile = reader->tile;
  if (rows != reader->packed || edge - tile->first_edge >= tile->num_edges) {
    reader->packed = rows;
    qn_packed_decode_row(rows, qn_range_at_u64(rows->tile_edges, 0, rows->num_tiles, edge),
                         row->number, row->first, row->first + row->length, tile);
  }
  const uint64_t at = edge - tile->first_edge;
  return at < tile->num_edges ? tile->columns[at] : UINT32_MAX;
}

enum qn_status qn_sampling_rows_unpack_offsets(const struct qn_packed_rows *packed,
                                               struct qn_sampling_rows *rows, uint64_t **offsets,
                                               struct qn_error *error) {
  const uint64_t count = packed->num_vertices;
  uint32_t *lengths = NULL;
  *offsets = NULL;
  enum qn_status status = qn_pages_alloc(&lengths, count, sizeof *lengths, "row lengths", error);
  if (!status)
    status = qn_packed_count_rows(packed, lengths, error);
  if (!status)
    status = qn_pages_alloc(offsets, count + 1, sizeof **offsets, "row offsets", error);
  for (uint64_t row = 0; row < count && !status; row++)
    (*offsets)[row + 1] = (*offsets)[row] + lengths[row];
  qn_pages_free(lengths, count, sizeof *lengths);
  *rows = (struct qn_sampling_rows){.num_vertices = count,
                                    .num_edges = packed->num_edges,
                                    .row_offsets = *offsets,
                                    .packed = packed};
  return status;
}
