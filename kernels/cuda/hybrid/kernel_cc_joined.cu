/* Weakly connected components on the hybrid layout: where it is resident by a sample of
 * the rows' ELL part (own/cc_sampled.cuh), the COO part by its rows (own/cc_rows.cuh); else by one
 * pass over all (own/cc_joined.cuh). */
#include "kernels/cuda/standalone/cc_program.cuh"

#include "kernels/cuda/hybrid/engine.cuh"

#include "kernels/cuda/standalone/cc_joined.cuh"
#include "kernels/cuda/standalone/cc_rows.cuh"

namespace {

/* Pointers are device memory. */
struct cc_ell {
  uint64_t num_vertices, width, pitch;
  const uint32_t *columns;
};

/* Every vertex below its first neighbour, if that is smaller; padding is not. */
__global__ void hang_below_first_entry(const struct cc_ell ell, uint32_t *parent) {
  qn_grid_steps(ell.num_vertices, [&](uint64_t row) {
    const uint32_t first = __ldcs(&ell.columns[row]);
    if (first < row)
      parent[row] = first;
  });
}

/* Entry k of every row. */
__global__ void join_entries(const struct cc_ell ell, uint64_t k, uint32_t *parent) {
  qn_grid_steps(ell.num_vertices, [&](uint64_t row) {
    const uint32_t column = __ldcs(&ell.columns[k * ell.pitch + row]);
    if (column != QN_HYBRID_PADDING)
      join_below(parent, parent[row], (uint32_t)row, column);
  });
}

__global__ void join_rest_of_ell(const struct cc_ell ell, const struct cc_forest forest) {
  const uint32_t largest = *forest.largest;
  qn_grid_steps(ell.num_vertices, [&](uint64_t row) {
    if (forest.parent[row] == largest)
      return;
    for (uint64_t k = 0; k < ell.width; k++) {
      const uint32_t column = ell.columns[k * ell.pitch + row];
      if (column == QN_HYBRID_PADDING)
        break;
      join_below(forest.parent, forest.parent[row], (uint32_t)row, column);
    }
  });
}

enum qn_status upload_columns(struct qn_cuda_memory *memory, const struct qn_hybrid_matrix *from,
                              struct cc_ell *to, struct qn_error *error) {
  to->num_vertices = from->num_vertices;
  to->width = from->width;
  to->pitch = from->pitch;
  return qn_cuda_copy_of(memory, &to->columns, from->ell_columns, from->width * from->pitch, 0,
                         sizeof *from->ell_columns, "the ELL part", error);
}

/* The rows of the COO part. */
enum qn_status upload_rests(struct qn_cuda_memory *memory, const struct qn_hybrid_matrix *from,
                            struct cc_rows *to, struct qn_error *error) {
  struct qn_hybrid_rest rest;
  enum qn_status status = qn_hybrid_rest_create(&rest, from, error);
  if (status)
    return status;
  to->csr.num_vertices = rest.num_rows;
  to->csr.num_edges = from->num_coo;
  status = qn_cuda_copy_of(memory, &to->csr.row_offsets, rest.offsets, rest.num_rows + 1, 0,
                           sizeof *rest.offsets, "rows of the COO part", error);
  if (!status)
    status = qn_cuda_copy_of(memory, &to->ids, rest.rows, rest.num_rows, 0, sizeof *rest.rows,
                             "rows of the COO part", error);
  if (!status)
    status = qn_cuda_copy_of(memory, &to->csr.column_indices, from->coo_columns, from->num_coo, 0,
                             sizeof *from->coo_columns, "the COO part", error);
  qn_hybrid_rest_destroy(&rest);
  return status ? status : cc_rows_create(memory, to, error);
}

inline enum qn_status join_first(const struct cc_ell *ell, const struct cc_forest *forest,
                                 struct qn_error *error) {
  const unsigned blocks = qn_run_blocks(forest->memory, forest->num_vertices);
  if (ell->width > 0)
    QN_LAUNCH(hang_below_first_entry, blocks, QN_QUEUE_THREADS, 0, NULL, *ell, forest->parent);
  for (uint64_t k = 1; k < NEIGHBOR_ROUNDS && k < ell->width; k++) {
    QN_LAUNCH(compress, blocks, QN_QUEUE_THREADS, 0, NULL, forest->parent, forest->num_vertices);
    QN_LAUNCH(join_entries, blocks, QN_QUEUE_THREADS, 0, NULL, *ell, k, forest->parent);
  }
  return qn_cuda_launched("joining first entries", error);
}

/* *too_large: nothing is wrong but that there is too little memory. */
enum qn_status run_resident(const struct qn_run_request *request, struct qn_run_result *result,
                            bool *too_large, struct qn_error *error) {
  const struct qn_hybrid *view = (const struct qn_hybrid *)request->view;
  const struct qn_hybrid_matrix *from = view->has_in ? &view->in : &view->out;
  const struct cc_resident resident = {view->num_vertices,
                                       4 * (from->width * from->pitch + from->num_coo),
                                       view->directedness == QN_UNDIRECTED, NULL};
  struct cc_ell ell;
  struct cc_rows coo;
  memset(&coo, 0, sizeof coo);
  auto upload = [&](struct qn_cuda_memory *memory, struct qn_error *failure) {
    enum qn_status status = upload_columns(memory, from, &ell, failure);
    return status ? status : upload_rests(memory, from, &coo, failure);
  };
  auto first = [&](const struct cc_forest *forest, struct qn_error *failure) {
    return join_first(&ell, forest, failure);
  };
  auto rest = [&](const struct cc_forest *forest, struct qn_error *failure) {
    QN_LAUNCH(join_rest_of_ell, qn_run_blocks(forest->memory, ell.num_vertices), QN_QUEUE_THREADS,
              0, NULL, ell, *forest);
    return cc_rows_rest(&coo, forest, failure);
  };
  return cc_run_resident(request, &resident, upload, first, rest, result, too_large, error);
}

} /* namespace */

QN_DEFINE_CC_JOINED(qn_kernel_cc_joined_hybrid_cuda, "hybrid, union-find", QN_LAYOUT_HYBRID,
                    qn_hybrid);
