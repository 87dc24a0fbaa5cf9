/* Triangles on the hybrid layout, as HPGraph counts them (section 4.4): neighbour lists of all
 * vertices are formed of ELL and COO, oriented without cycles, and intersected.
 *
 * A kernel of its own for the reason that csr/kernel_tc.cu tells. Both parts are read as they lie:
 * row v is its K places in the ELL part, padding included, and its entries in the COO part, and so
 * begins at v x K + the COO entries before its own. Directions do not matter to a triangle, so rows
 * of in-edges do as well as rows of out-edges. */
#include "kernels/cpu/hybrid/oriented.h"
#include "kernels/cuda/edges/triangles.cuh"
#include "kernels/standalone_kernel.h"
#include <quern/hybrid.h>

extern "C" const struct qn_kernel qn_kernel_tc_hybrid_cuda;

static_assert(QN_HYBRID_PADDING == TC_NO_EDGE, "padding is not an edge");

namespace {

struct hybrid_rows {
  uint64_t num_vertices, num_edges; /* V, V x K + N */
  uint64_t width, pitch;
  const uint32_t *ell, *coo;
  uint64_t *rests; /* [V + 1] where the COO entries of every row begin */
};

QN_DEVICE_INLINE uint64_t row_begin(const struct hybrid_rows &rows, uint64_t v) {
  return v * rows.width + rows.rests[v];
}

QN_DEVICE_INLINE uint32_t row_column(const struct hybrid_rows &rows, uint64_t v, uint64_t edge) {
  const uint64_t place = edge - row_begin(rows, v);
  return place < rows.width ? rows.ell[place * rows.pitch + v]
                            : rows.coo[rows.rests[v] + place - rows.width];
}

QN_DEVICE_INLINE uint64_t row_length(const struct hybrid_rows &rows, uint64_t v) {
  uint64_t low = 0, high = rows.width; /* entries come before padding */
  while (low < high) {
    const uint64_t middle = (low + high) / 2;
    if (rows.ell[middle * rows.pitch + v] != QN_HYBRID_PADDING)
      low = middle + 1;
    else
      high = middle;
  }
  return low + rows.rests[v + 1] - rows.rests[v];
}

/* `coo_rows` [N] ascend. */
__global__ void find_rests(const struct hybrid_rows rows, const uint32_t *coo_rows,
                           uint64_t count) {
  qn_grid_steps(rows.num_vertices + 1, [&](uint64_t v) {
    uint64_t low = 0, high = count;
    while (low < high) {
      const uint64_t middle = low + (high - low) / 2;
      if (coo_rows[middle] < v)
        low = middle + 1;
      else
        high = middle;
    }
    rows.rests[v] = low;
  });
}

enum qn_status upload(const struct qn_hybrid_matrix *matrix, struct qn_cuda_memory *memory,
                      struct hybrid_rows *rows, struct qn_error *error) {
  const uint32_t *coo_rows = NULL;
  enum qn_status status =
      qn_cuda_copy_of(memory, &rows->ell, matrix->ell_columns, matrix->width * matrix->pitch, 0,
                      sizeof *matrix->ell_columns, "the ELL part", error);
  if (!status)
    status = qn_cuda_copy_of(memory, &rows->coo, matrix->coo_columns, matrix->num_coo, 0,
                             sizeof *matrix->coo_columns, "the COO part", error);
  if (!status)
    status = qn_cuda_copy_of(memory, &coo_rows, matrix->coo_rows, matrix->num_coo, 0,
                             sizeof *matrix->coo_rows, "the COO part", error);
  if (!status)
    status = qn_cuda_alloc(memory, &rows->rests, rows->num_vertices + 1, sizeof *rows->rests,
                           "rows of the COO part", error);
  if (status)
    return status;
  QN_LAUNCH(find_rests, qn_run_blocks(memory, rows->num_vertices + 1), QN_QUEUE_THREADS, 0, NULL,
            *rows, coo_rows, matrix->num_coo);
  status = qn_cuda_launched("finding rows", error);
  qn_cuda_release(memory, (void *)coo_rows);
  return status;
}

enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                   struct qn_error *error) {
  const struct qn_hybrid *hybrid = (const struct qn_hybrid *)request->view;
  const struct qn_hybrid_matrix *matrix = hybrid->has_out ? &hybrid->out : &hybrid->in;
  const uint64_t V = hybrid->num_vertices, ell = matrix->width * matrix->pitch;
  const bool is_directed = hybrid->directedness != QN_UNDIRECTED;
  const uint64_t num_places = V * matrix->width + matrix->num_coo;
  const uint64_t bytes =
      degree_edges_bytes(V, num_places, is_directed, 4 * ell + 8 * matrix->num_coo + 8 * (V + 1));
  auto prepare = [&](struct tc_work *work, struct qn_error *failure) {
    struct hybrid_rows rows = {V, num_places, matrix->width, matrix->pitch, NULL, NULL, NULL};
    work->directed = is_directed;
    enum qn_status status = qn_run_check_units(V, num_places, failure);
    if (!status)
      status = upload(matrix, work->memory, &rows, failure);
    if (!status)
      status = degree_edges_create(rows, work, failure);
    if (!status) {
      qn_cuda_release(work->memory, (void *)rows.ell);
      qn_cuda_release(work->memory, (void *)rows.coo);
    }
    return status;
  };
  auto orient = [&](struct qn_orientation *edges, struct qn_error *failure) {
    return qn_hybrid_orient(hybrid, false, edges, failure);
  };
  return run_triangles(request, V, bytes, prepare, orient, result, error);
}

} /* namespace */

const struct qn_kernel qn_kernel_tc_hybrid_cuda =
    QN_TC_KERNEL("ELL + COO lists by degree", QN_LAYOUT_HYBRID, QN_CUDA, run);
