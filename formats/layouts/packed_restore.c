/* From packed rows back to plain ones: tiles know their first edge, and are decoded independently.
 */
#include <omp.h>
#include <string.h>

#include "formats/graph/restored.h"
#include "support/memory.h"
#include "support/threads.h"
#include "support/used_files.h"
#include <quern/packed.h>
#include <quern/transpose.h>

/* Where rows from `first_row` on are unpacked, whose edges begin with `first_edge`. */
struct unpacked {
  uint64_t first_row, num_rows, first_edge, num_edges;
  uint64_t *offsets; /* [num_rows + 1] */
  uint32_t *columns;
  void *weights; /* NULL: they are not wanted */
};

/* A tile without edges, as most are of a block with few edges: nothing is decoded. False if it is
 * not of these rows. */
static bool unpack_empty(const struct qn_packed_rows *rows, uint64_t number,
                         const struct unpacked *to) {
  const uint64_t row_at = rows->tile_rows[number] - to->first_row,
                 edge_at = rows->tile_edges[number] - to->first_edge,
                 num_rows = qn_packed_num_rows(rows->tile_rows, number, rows->num_vertices);
  if (row_at > to->num_rows || num_rows > to->num_rows - row_at || edge_at > to->num_edges)
    return false;
  for (uint64_t row = qn_packed_begins_range(rows->tile_rows, number) ? 0 : 1; row < num_rows;
       row++)
    to->offsets[row_at + row] = edge_at;
  return true;
}

/* The first row of a tile begins there only if its range does: else an earlier tile has it. False
 * if the tile is not of these rows. */
static bool unpack_tile(const struct qn_packed_rows *rows, uint64_t number,
                        struct qn_packed_tile *tile, const struct unpacked *to) {
  const unsigned weight_bytes = to->weights ? qn_weight_bytes(rows->weights.type) : 0;
  if (rows->tile_edges[number] == rows->tile_edges[number + 1])
    return unpack_empty(rows, number, to);
  qn_packed_decode(rows, number, tile);
  const uint64_t row_at = tile->first_row - to->first_row,
                 edge_at = tile->first_edge - to->first_edge;
  if (row_at > to->num_rows || tile->num_rows > to->num_rows - row_at || edge_at > to->num_edges ||
      tile->num_edges > to->num_edges - edge_at)
    return false;
  for (uint32_t row = qn_packed_begins_range(rows->tile_rows, number) ? 0 : 1; row < tile->num_rows;
       row++)
    to->offsets[row_at + row] = edge_at + tile->begins[row];
  memcpy(to->columns + edge_at, tile->columns, tile->num_edges * sizeof *tile->columns);
  if (weight_bytes)
    qn_packed_load_weights(rows, tile->first_edge, tile->num_edges,
                           (char *)to->weights + edge_at * weight_bytes);
  return true;
}

/* The tiles [first, end), with a place for a tile of each thread. */
static bool unpack_tiles(const struct qn_packed_rows *rows, uint64_t first, uint64_t end,
                         struct qn_packed_tile *tiles, const struct unpacked *to) {
  bool fits = true;
#pragma omp parallel for schedule(dynamic, 64) reduction(&& : fits) if (end - first > 16)
  for (uint64_t tile = first; tile < end; tile++)
    fits = unpack_tile(rows, tile, &tiles[omp_get_thread_num()], to) && fits;
  to->offsets[to->num_rows] = to->num_edges;
  return fits;
}

enum qn_status qn_packed_unpack(const struct qn_packed_rows *rows, struct qn_graph *graph,
                                struct qn_error *error) {
  struct qn_graph_arrays arrays;
  struct qn_packed_tile *tiles;
  enum qn_status status = qn_alloc(&tiles, qn_threads(), sizeof *tiles, "tiles", error);
  if (status)
    return status;
  status = qn_graph_create(rows->num_vertices, rows->num_edges, rows->weights.type, graph, &arrays,
                           error);
  if (!status) {
    const struct unpacked all = {.num_rows = rows->num_vertices,
                                 .num_edges = rows->num_edges,
                                 .offsets = arrays.row_offsets,
                                 .columns = arrays.column_indices,
                                 .weights = arrays.weights};
    status = unpack_tiles(rows, 0, rows->num_tiles, tiles, &all) ? QN_OK : qn_input_changed(error);
  }
  if (status)
    qn_graph_unmap(graph);
  qn_free(tiles);
  return status;
}

uint64_t qn_packed_count_between(const struct qn_packed_rows *rows, uint64_t begin, uint64_t end) {
  const uint64_t first = rows->tile_edges[qn_packed_find(rows, begin)],
                 last = rows->tile_edges[qn_packed_find(rows, end)];
  return last > first ? last - first : 0;
}

bool qn_packed_unpack_between(const struct qn_packed_rows *rows, uint64_t begin, uint64_t end,
                              uint64_t *offsets, uint32_t *columns, void *weights,
                              struct qn_packed_tile *tiles) {
  const uint64_t first = qn_packed_find(rows, begin), last = qn_packed_find(rows, end);
  const struct unpacked some = {.first_row = begin,
                                .num_rows = end - begin,
                                .first_edge = rows->tile_edges[first],
                                .num_edges = qn_packed_count_between(rows, begin, end),
                                .offsets = offsets,
                                .columns = columns,
                                .weights = weights};
  return unpack_tiles(rows, first, last, tiles, &some);
}

enum qn_status qn_packed_restore(const struct qn_container *container, struct qn_graph *graph,
                                 struct qn_error *error) {
  struct qn_packed packed;
  struct qn_graph in;
  memset(graph, 0, sizeof *graph);
  enum qn_status status = qn_packed_view(container, &packed, error);
  if (!status && packed.has_out) {
    status = qn_packed_unpack(&packed.out, graph, error);
  } else if (!status) {
    status = qn_packed_unpack(&packed.in, &in, error);
    if (!status) {
      status = qn_graph_create_transpose(&in.out, graph, error);
      qn_graph_unmap(&in);
    }
  }
  if (!status)
    qn_graph_restored(graph, packed.directedness, &packed.ids);
  return status;
}
