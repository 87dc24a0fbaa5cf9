/* Weakly connected components on the hybrid layout: where it is resident by a sample of
 * the rows' ELL part (own/cc_sampled.cuh), else by one pass over all (own/cc_joined.cuh). */
#include "kernels/cuda/standalone/cc_program.cuh"

#include "kernels/cuda/hybrid/engine.cuh"

#include "kernels/cuda/standalone/cc_joined.cuh"
#include "kernels/cuda/standalone/cc_sampled.cuh"

namespace {

/* Pointers are device memory. */
struct cc_matrix {
  uint64_t num_vertices, width, pitch, num_coo;
  const uint32_t *ell, *coo_rows, *coo_columns;
};

/* Entry k of every row. */
__global__ void join_entries(const struct cc_matrix matrix, uint64_t k, uint32_t *parent) {
  qn_grid_steps(matrix.num_vertices, [&](uint64_t row) {
    const uint32_t column = __ldcs(&matrix.ell[k * matrix.pitch + row]);
    if (column != QN_HYBRID_PADDING)
      join_below(parent, parent[row], (uint32_t)row, column);
  });
}

__global__ void join_rest(const struct cc_matrix matrix, const struct cc_forest forest) {
  const uint32_t largest = *forest.largest;
  qn_grid_steps(matrix.num_vertices, [&](uint64_t row) {
    if (forest.parent[row] == largest)
      return;
    for (uint64_t k = 0; k < matrix.width; k++) {
      const uint32_t column = matrix.ell[k * matrix.pitch + row];
      if (column == QN_HYBRID_PADDING)
        break;
      join_below(forest.parent, forest.parent[row], (uint32_t)row, column);
    }
  });
  qn_grid_steps(matrix.num_coo, [&](uint64_t entry) {
    const uint32_t row = __ldcs(&matrix.coo_rows[entry]), root = forest.parent[row];
    if (root != largest)
      join_below(forest.parent, root, row, __ldcs(&matrix.coo_columns[entry]));
  });
}

enum qn_status upload_matrix(struct qn_cuda_memory *memory, const struct qn_hybrid_matrix *from,
                             struct cc_matrix *to, struct qn_error *error) {
  to->num_vertices = from->num_vertices;
  to->width = from->width;
  to->pitch = from->pitch;
  to->num_coo = from->num_coo;
  enum qn_status status =
      qn_cuda_copy_of(memory, &to->ell, from->ell_columns, from->width * from->pitch, 0,
                      sizeof *from->ell_columns, "the ELL part", error);
  if (!status)
    status = qn_cuda_copy_of(memory, &to->coo_rows, from->coo_rows, from->num_coo, 0,
                             sizeof *from->coo_rows, "the COO part", error);
  return status ? status
                : qn_cuda_copy_of(memory, &to->coo_columns, from->coo_columns, from->num_coo, 0,
                                  sizeof *from->coo_columns, "the COO part", error);
}

/* *too_large: nothing is wrong but that there is too little memory. */
enum qn_status run_resident(const struct qn_run_request *request, struct qn_run_result *result,
                            bool *too_large, struct qn_error *error) {
  const struct qn_hybrid *view = (const struct qn_hybrid *)request->view;
  const struct qn_hybrid_matrix *from = view->has_in ? &view->in : &view->out;
  const struct cc_resident resident = {view->num_vertices,
                                       4 * from->width * from->pitch + 8 * from->num_coo,
                                       view->directedness == QN_UNDIRECTED, NULL};
  struct cc_matrix matrix;
  auto upload = [&](struct qn_cuda_memory *memory, struct qn_error *failure) {
    return upload_matrix(memory, from, &matrix, failure);
  };
  auto first = [&](const struct cc_forest *forest, struct qn_error *failure) {
    const unsigned blocks = qn_run_blocks(forest->memory, forest->num_vertices);
    for (uint64_t k = 0; k < 2 && k < matrix.width; k++) {
      if (k > 0)
        QN_LAUNCH(compress, blocks, QN_QUEUE_THREADS, 0, NULL, forest->parent,
                  forest->num_vertices);
      QN_LAUNCH(join_entries, blocks, QN_QUEUE_THREADS, 0, NULL, matrix, k, forest->parent);
    }
    return qn_cuda_launched("joining first entries", failure);
  };
  auto rest = [&](const struct cc_forest *forest, struct qn_error *failure) {
    const uint64_t items =
        matrix.num_coo > matrix.num_vertices ? matrix.num_coo : matrix.num_vertices;
    QN_LAUNCH(join_rest, qn_run_blocks(forest->memory, items), QN_QUEUE_THREADS, 0, NULL, matrix,
              *forest);
    return qn_cuda_launched("joining entries", failure);
  };
  return cc_run_resident(request, &resident, upload, first, rest, result, too_large, error);
}

} /* namespace */

QN_DEFINE_CC_JOINED(qn_kernel_cc_joined_hybrid_cuda, "hybrid, union-find", QN_LAYOUT_HYBRID,
                    qn_hybrid);
