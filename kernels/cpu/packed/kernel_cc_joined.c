/* Weakly connected components on packed rows (loop/components.h): along the rows
 * of whichever direction there is. */
#include <omp.h>

#include "kernels/cpu/loop/components.h"
#include "support/memory.h"
#include "support/threads.h"
#include <quern/packed.h>

extern const struct qn_kernel qn_kernel_cc_joined_packed_cpu;

static void join_tile(const struct qn_packed_tile *tile, uint32_t *parent) {
  for (uint32_t row = 0; row < tile->num_rows; row++)
    for (uint32_t edge = tile->begins[row]; edge < tile->begins[row + 1]; edge++)
      qn_components_join_ends(parent, tile->first_row + row, tile->columns[edge]);
}

static enum qn_status join_edges(const void *view, uint32_t *parent, struct qn_error *error) {
  const struct qn_packed *packed = view;
  const struct qn_packed_rows *rows = packed->has_out ? &packed->out : &packed->in;
  struct qn_packed_tile *tiles;
  enum qn_status status = qn_alloc(&tiles, qn_threads(), sizeof *tiles, "tiles", error);
  if (status)
    return status;
#pragma omp parallel for schedule(dynamic, 16)
  for (uint64_t number = 0; number < rows->num_tiles; number++) {
    struct qn_packed_tile *tile = &tiles[omp_get_thread_num()];
    qn_packed_decode(rows, number, tile);
    join_tile(tile, parent);
  }
  qn_free(tiles);
  return QN_OK;
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_packed *view = request->view;
  return qn_components_run(request, view->num_vertices, join_edges, result, error);
}

const struct qn_kernel qn_kernel_cc_joined_packed_cpu =
    QN_CC_JOINED_KERNEL("packed, union-find", QN_LAYOUT_PACKED, QN_CPU, run);
