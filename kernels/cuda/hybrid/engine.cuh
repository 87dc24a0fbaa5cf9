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
#pragma once

#include "kernels/cuda/hybrid/streamed.cuh"
#include "kernels/work_division/hybrid_rest.h"
#if PROGRAM_SCHEDULE == QN_ALL_ACTIVE
#include "kernels/cuda/hybrid/pull.cuh"
#else
#include "kernels/cuda/hybrid/frontier.cuh"
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

/* The matrix of in-edges, and the out-degrees. */
inline enum qn_status upload_in(const struct qn_hybrid *view, const struct qn_run_request *request,
                                struct qn_cuda_memory *memory, struct engine_device *device,
                                struct qn_error *error) {
  enum qn_status status = QN_OK;
  if (request->limits.max_iterations > 0)
    status = upload_ell(&view->in, memory, &device->ell, error);
  if (!status && request->limits.max_iterations > 0)
    status = upload_coo(&view->in, memory, device, error);
  if (!status && PROGRAM_USES_OUT_DEGREE)
    status = qn_cuda_copy_of(memory, &device->out_degrees, view->out_degrees, view->num_vertices, 0,
                             sizeof *view->out_degrees, "out-degrees", error);
  return status;
}

inline enum qn_status check_weights(const struct qn_hybrid_matrix *matrix, struct qn_error *error) {
  enum qn_status status = engine_check_weights(&matrix->ell_weights, matrix->width * matrix->pitch,
                                               matrix->num_vertices, error);
  return status ? status
                : engine_check_weights(&matrix->coo_weights, matrix->num_coo, matrix->num_vertices,
                                       error);
}

#if PROGRAM_SCHEDULE == QN_ALL_ACTIVE

/* Does the matrix alone, if it is wanted, not fit? Then the work of bringing it there is not begun.
 */
inline bool engine_is_too_large(const struct pull_run *pull, const struct qn_hybrid *view) {
  const struct qn_hybrid_matrix *in = &view->in;
  const bool weighted = PROGRAM_USES_WEIGHTS && in->ell_weights.type != QN_WEIGHT_NONE;
  return pull->request->limits.max_iterations > 0 &&
         (weighted ? 8 : 4) * (in->width * in->pitch + in->num_coo) >
             qn_cuda_plannable_bytes(&pull->memory->device, pull->memory->cap);
}

/* *too_large: nothing is wrong but that there is too little memory. */
inline enum qn_status engine_run_resident(const struct qn_run_request *request,
                                          const struct qn_hybrid *view,
                                          struct qn_run_result *result, bool *too_large,
                                          struct qn_error *error) {
  const uint64_t num_vertices = view->num_vertices;
  const struct qn_program_context context =
      qn_run_begin(request, num_vertices, view->num_edges, result);
  struct qn_cuda_memory memory;
  struct pull_run pull;
  memset(&pull, 0, sizeof pull);
  pull.request = request;
  pull.result = result;
  pull.memory = &memory;
  auto prepare = [&](struct qn_error *failure) {
    if (engine_is_too_large(&pull, view))
      return qn_run_no_room(&memory);
    enum qn_status status = upload_in(view, request, &memory, &pull.state.layout.device, failure);
    if (!status)
      status = create_values(&pull, num_vertices, failure);
    return status ? status : pull_create(&pull, &context, failure);
  };
  auto finish = [&](enum qn_status status, struct qn_error *failure) {
    pull_destroy(&pull);
    if (!status)
      status = output_download(&memory, &context, pull.state.values, NULL, result, failure);
    *too_large = status && memory.exhausted;
    return status;
  };
  return qn_run_whole(
      request, &memory, prepare,
      [&](struct qn_error *failure) { return pull_execute(&pull, num_vertices, failure); }, finish,
      result, error);
}

inline enum qn_status engine_run_program(const struct qn_run_request *request,
                                         const struct qn_hybrid *view, struct qn_run_result *result,
                                         struct qn_error *error) {
  auto never = [](struct sweep_run *, struct qn_error *) { return QN_OK; };
  return run_resident_or_streamed(
      request,
      [&](bool *too_large) { return engine_run_resident(request, view, result, too_large, error); },
      [&] { return hybrid_stream_run(request, view, never, result, error); }, error);
}

#else

/* Rows of out-edges, put together as plain CSR, so that few active vertices can push. */
inline enum qn_status upload_out(const struct qn_hybrid *view, struct sweep_run *run,
                                 struct qn_error *error) {
  struct qn_graph united;
  if (!view->has_out && run->request->delta > 0)
    return qn_fail(error, QN_UNSUPPORTED,
                   "--delta has no effect on a container without out-edges, where every step walks "
                   "all in-edges; store them too (--direction both), or leave --delta out");
  if (!view->has_out)
    return QN_OK;
  memset(&united, 0, sizeof united);
  enum qn_status status = qn_hybrid_unite(&view->out, &united, error);
  if (!status)
    status = qn_cuda_csr_upload(&run->memory, &united.out, PROGRAM_USES_WEIGHTS,
                                &run->state.layout.out, error);
  if (!status)
    status = sweep_push_create(run, error);
  if (!status)
    status = sweep_near_far_create(
        run, [&] { return mean_weight(&united.out.weights, united.out.num_edges); }, error);
  qn_graph_unmap(&united);
  return status;
}

inline enum qn_status engine_run_program(const struct qn_run_request *request,
                                         const struct qn_hybrid *view, struct qn_run_result *result,
                                         struct qn_error *error) {
  auto upload = [&](struct sweep_run *run, struct qn_error *failure) {
    enum qn_status status = upload_in(view, request, &run->memory, &run->state.layout, failure);
    return status ? status : upload_out(view, run, failure);
  };
  return hybrid_stream_run(request, view, upload, result, error);
}

#endif

enum qn_status engine_run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_hybrid *view = (const struct qn_hybrid *)request->view;
  memset(result, 0, sizeof *result);
  enum qn_status status = qn_hybrid_need_in(view, error);
  if (!status)
    status = check_weights(&view->in, error);
  return status ? status : engine_run_program(request, view, result, error);
}

} /* namespace */

QN_DEFINE_KERNEL(QN_LAYOUT_HYBRID, QN_CUDA,
                 SWEEP_FRONTIER ? "ELL + COO product, bottom-up" : "ELL + COO product",
                 QN_KERNEL_DELTA);
