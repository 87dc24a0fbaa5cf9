/* From packed rows back to plain ones: tiles know their first edge, and are decoded independently.
 */
#include <omp.h>
#include <string.h>

#include "formats/graph/restored.h"
#include "support/memory.h"
#include "support/threads.h"
#include <quern/packed.h>
#include <quern/transpose.h>

/* The first row of a tile begins there only if its range does: else an earlier tile has it. */
static void unpack_tile(const struct qn_packed_rows *rows, uint64_t number,
                        struct qn_packed_tile *tile, const struct qn_graph_arrays *arrays) {
  const unsigned weight_bytes = qn_weight_bytes(rows->weights.type);
  qn_packed_decode(rows, number, tile);
  for (uint32_t row = qn_packed_begins_range(rows->tile_rows, number) ? 0 : 1; row < tile->num_rows;
       row++)
    arrays->row_offsets[tile->first_row + row] = tile->first_edge + tile->begins[row];
  memcpy(arrays->column_indices + tile->first_edge, tile->columns,
         tile->num_edges * sizeof *tile->columns);
  if (weight_bytes)
    qn_packed_load_weights(rows, tile->first_edge, tile->num_edges,
                           (char *)arrays->weights + tile->first_edge * weight_bytes);
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
#pragma omp parallel for schedule(dynamic, 64)
    for (uint64_t tile = 0; tile < rows->num_tiles; tile++)
      unpack_tile(rows, tile, &tiles[omp_get_thread_num()], &arrays);
    arrays.row_offsets[rows->num_vertices] = rows->num_edges;
  }
  qn_free(tiles);
  return status;
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
