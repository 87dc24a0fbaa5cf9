/* Weakly connected components on packed rows: of undirected graphs that are resident by a sample of
 * the rows (own/cc_sampled.cuh), whose few edges a warp decodes alone (rows.cuh); of others by one
 * pass over all edges (own/cc_joined.cuh), which blocks decode. */
#include "kernels/cuda/standalone/cc_program.cuh"

#include "kernels/cuda/packed/engine.cuh"

#include "kernels/cuda/standalone/cc_joined.cuh"
#include "kernels/cuda/standalone/cc_sampled.cuh"

namespace {

#define FIRST_EDGES 2 /* of each row */

/* The rows of vertices whose root is not `left_out`: at most so many edges of each. */
QN_DEVICE_INLINE void join_rows(const struct packed_tiles &tiles, uint32_t *parent, uint32_t most,
                                uint32_t left_out) {
  packed_each_tile(
      tiles, [&](uint64_t, const struct packed_place &place, struct packed_share *share) {
        packed_walk_rows<false>(
            place, tiles.num_vertices, share, most,
            [&](uint32_t row, uint32_t, bool) { return parent[place.first_row + row] != left_out; },
            [](uint32_t) { return true; },
            [&](uint32_t row, uint32_t, uint32_t column) {
              const uint32_t vertex = place.first_row + row;
              join_below(parent, parent[vertex], vertex, column);
            });
      });
}

__global__ void __launch_bounds__(32 * PACKED_ROW_WARPS, PACKED_ROW_BLOCKS)
    join_first_edges(const struct packed_tiles tiles, uint32_t *parent) {
  join_rows(tiles, parent, FIRST_EDGES, UINT32_MAX);
}

__global__ void __launch_bounds__(32 * PACKED_ROW_WARPS, PACKED_ROW_BLOCKS)
    join_rest(const struct packed_tiles tiles, const struct cc_forest forest) {
  join_rows(tiles, forest.parent, QN_PACKED_TILE, *forest.largest);
}

/* *too_large: nothing is wrong but that there is too little memory, or the graph is directed. */
enum qn_status run_resident(const struct qn_run_request *request, struct qn_run_result *result,
                            bool *too_large, struct qn_error *error) {
  const struct qn_packed *view = (const struct qn_packed *)request->view;
  const struct qn_packed_rows *rows;
  struct packed_tiles tiles;
  memset(&tiles, 0, sizeof tiles);
  *too_large = view->directedness != QN_UNDIRECTED;
  enum qn_status status = qn_packed_need(view, QN_PACKED_OUT, &rows, error);
  if (status || *too_large)
    return status;
  const struct cc_resident resident = {view->num_vertices, place_bytes(rows) + word_bytes(rows),
                                       true, NULL};
  auto upload = [&](struct qn_cuda_memory *memory, struct qn_error *failure) {
    enum qn_status brought = upload_places(rows, memory, &tiles, failure);
    return brought ? brought : upload_words(rows, memory, &tiles, failure);
  };
  auto first = [&](const struct cc_forest *forest, struct qn_error *failure) {
    PACKED_LAUNCH_ROWS(join_first_edges, tiles, tiles, forest->parent);
    return qn_cuda_launched("joining first edges", failure);
  };
  auto rest = [&](const struct cc_forest *forest, struct qn_error *failure) {
    PACKED_LAUNCH_ROWS(join_rest, tiles, tiles, *forest);
    return qn_cuda_launched("joining edges", failure);
  };
  return cc_run_resident(request, &resident, upload, first, rest, result, too_large, error);
}

} /* namespace */

QN_DEFINE_CC_JOINED(qn_kernel_cc_joined_packed_cuda, "packed, union-find", QN_LAYOUT_PACKED,
                    qn_packed);
