/* Weakly connected components on packed rows (loop/components.h): along the rows
 * of whichever direction there is. */
#include <omp.h>

#include "kernels/cpu/loop/components.h"
#include "support/memory.h"
#include "support/threads.h"
#include <quern/packed.h>

extern const struct qn_kernel qn_kernel_cc_joined_packed_cpu;

/* Lengths of rows, which are soon decoded, tell whether a tile is needed. */
static bool is_needed(const struct qn_packed_rows *rows, uint64_t number,
                      struct qn_packed_tile *tile, const struct qn_joining *joining) {
  if (joining->largest == QN_NO_LARGEST)
    return true;
  qn_packed_decode_begins(rows, number, tile);
  for (uint32_t row = 0; row < tile->num_rows; row++)
    if (tile->begins[row] < tile->begins[row + 1] && qn_joining_row(joining, tile->first_row + row))
      return true;
  return false;
}

static void join_tile(const struct qn_packed_rows *rows, uint64_t number,
                      struct qn_packed_tile *tile, const struct qn_joining *joining) {
  if (!is_needed(rows, number, tile, joining))
    return;
  qn_packed_decode(rows, number, tile);
  for (uint32_t row = 0; row < tile->num_rows; row++) {
    const struct qn_neighbors neighbors = {tile->columns + tile->begins[row],
                                           tile->columns + tile->begins[row + 1], 0};
    qn_joining_neighbors(joining, tile->first_row + row, neighbors);
  }
}

static enum qn_status join_edges(const void *view, struct qn_joining *joining,
                                 struct qn_error *error) {
  const struct qn_packed *packed = view;
  const struct qn_packed_rows *rows = packed->has_out ? &packed->out : &packed->in;
  struct qn_packed_tile *tiles;
  enum qn_status status = qn_alloc(&tiles, qn_threads(), sizeof *tiles, "tiles", error);
  while (!status && qn_joining_next(joining)) {
#pragma omp parallel for schedule(dynamic, 16)
    for (uint64_t number = 0; number < rows->num_tiles; number++)
      join_tile(rows, number, &tiles[omp_get_thread_num()], joining);
  }
  qn_free(tiles);
  return status;
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_packed *view = request->view;
  const struct qn_joined_layout layout = {.num_vertices = view->num_vertices,
                                          .directedness = view->directedness};
  return qn_components_run(request, &layout, join_edges, result, error);
}

const struct qn_kernel qn_kernel_cc_joined_packed_cpu =
    QN_CC_JOINED_KERNEL("packed, union-find", QN_LAYOUT_PACKED, QN_CPU, run);
