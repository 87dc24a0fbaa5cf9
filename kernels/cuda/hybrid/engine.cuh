/* Hybrid ELL and COO on a CUDA device, resident or streamed (streamed.cuh; view: struct
 * qn_hybrid). From Yang et al., HPGraph (2018), sections 3.1 and 3.2.
 *
 * An iteration is a product of the matrix of in-edges with the vector of messages. In the ELL part
 * a thread takes a row and a warp reads entry k of 32 neighbouring rows at once, with ELL_ITEMS
 * entries of each in flight. The COO part is cut into equal shares, each of which is reduced by
 * rows in a fixed order (edge_tiles.cuh), so that a hub costs what it weighs and real sums are the
 * same in every run. As its entries are sorted, its rows are known by where they begin: the row of
 * each entry, which the paper reads, stays on the host unless the program asks for it. Small
 * frontiers push along rows of out-edges where the container has them.
 *
 * A product moves, per entry, 4 bytes (8 with weights) in order, padding included, and gathers one
 * message, which moves a 32-byte sector within the L2 cache: that is the limit while the messages
 * fit there. Per row with a rest in the COO part it moves 12 bytes of offset and vertex, and the
 * rest's sum twice. All-active programs finish a row where its ELL part ends (pull_loop.cuh); in
 * frontier programs an entry of the ELL part reads a bit, and a message if it is set, one of the
 * COO part the row too; rows that need nothing more cost their value. */
#ifndef QN_KERNELS_CUDA_HYBRID_ENGINE_CUH
#define QN_KERNELS_CUDA_HYBRID_ENGINE_CUH

#include "kernels/cuts/hybrid_rest.h"
#include "kernels/engine.h"

#if PROGRAM_SCHEDULE == QN_ALL_ACTIVE
#include "kernels/cuda/hybrid/pull.cuh"
#define ENGINE_NAME "ELL + COO product"
#else
#include "kernels/cuda/hybrid/frontier.cuh"
#define ENGINE_NAME "ELL + COO product, bottom-up"
#endif

namespace {

inline enum qn_status upload_ell(const struct qn_hybrid_matrix *matrix,
                                 struct qn_cuda_memory *memory, struct hybrid_ell *ell,
                                 struct qn_error *error) {
  const uint64_t count = matrix->width * matrix->pitch;
  ell->width = matrix->width;
  ell->pitch = matrix->pitch;
  enum qn_status status = qn_cuda_copy_of(memory, &ell->columns, matrix->ell_columns, count, 0,
                                          sizeof *matrix->ell_columns, "the ELL part", error);
  if (!status && PROGRAM_USES_WEIGHTS)
    status = qn_cuda_weights_upload(memory, &matrix->ell_weights, count, &ell->weights, error);
  return status;
}

inline enum qn_status upload_coo(const struct qn_hybrid_matrix *matrix,
                                 struct qn_cuda_memory *memory, struct engine_device *device,
                                 struct qn_error *error) {
  struct edge_tiles *coo = &device->coo;
  struct qn_hybrid_rest rest;
  enum qn_status status = qn_hybrid_rest_create(&rest, matrix, error);
  if (status)
    return status;
  coo->num_rows = rest.num_rows;
  coo->num_edges = matrix->num_coo;
  status = qn_cuda_copy_of(memory, &coo->begins, rest.offsets, rest.num_rows + 1, 0,
                           sizeof *rest.offsets, "rows of the COO part", error);
  if (!status)
    status = qn_cuda_copy_of(memory, &coo->row_ids, rest.rows, rest.num_rows, 0, sizeof *rest.rows,
                             "rows of the COO part", error);
  if (!status)
    status = qn_cuda_copy_of(memory, &coo->sources, matrix->coo_columns, matrix->num_coo, 0,
                             sizeof *matrix->coo_columns, "the COO part", error);
  if (!status && HYBRID_ENTRY_ROWS)
    status = qn_cuda_copy_of(memory, &device->coo_rows, matrix->coo_rows, matrix->num_coo, 0,
                             sizeof *matrix->coo_rows, "the COO part", error);
  if (!status && PROGRAM_USES_WEIGHTS)
    status =
        qn_cuda_weights_upload(memory, &matrix->coo_weights, matrix->num_coo, &coo->weights, error);
  if (!status)
    status = edge_tiles_cut(memory, coo, error);
  qn_hybrid_rest_destroy(&rest);
  return status;
}

inline enum qn_status check_weights(const struct qn_hybrid_matrix *matrix, struct qn_error *error) {
  enum qn_status status =
      engine_check_weights(&matrix->ell_weights, matrix->width * matrix->pitch, error);
  return status ? status : engine_check_weights(&matrix->coo_weights, matrix->num_coo, error);
}

enum qn_status engine_run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_hybrid *view = (const struct qn_hybrid *)request->view;
  auto upload = [&](struct qn_cuda_memory *memory, struct engine_device *device,
                    struct qn_error *failure) {
    enum qn_status status = QN_OK;
    if (request->max_iterations > 0)
      status = upload_ell(&view->in, memory, &device->ell, failure);
    if (!status && request->max_iterations > 0)
      status = upload_coo(&view->in, memory, device, failure);
    if (!status && PROGRAM_USES_OUT_DEGREE)
      status = qn_cuda_copy_of(memory, &device->out_degrees, view->out_degrees, view->num_vertices,
                               0, sizeof *view->out_degrees, "out-degrees", failure);
    return status;
  };
  memset(result, 0, sizeof *result);
  enum qn_status status = qn_hybrid_need_in(view, error);
  if (!status)
    status = check_weights(&view->in, error);
  if (!status)
    status = engine_run_program(request, view, upload, result, error);
  return status;
}

} /* namespace */

QN_DEFINE_KERNEL(QN_LAYOUT_HYBRID, QN_CUDA, ENGINE_NAME, 0);

#endif
