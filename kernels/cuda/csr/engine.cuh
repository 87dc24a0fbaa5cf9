/* Plain CSR on a CUDA device: the baseline of all engines (view: struct qn_graph). A graph that
 * does not fit is streamed by rows (streamed_rows.cuh).
 *
 * All-active programs pull over equal pieces of the in-edges (pull.cuh, edge_tiles.cuh).
 * Frontier programs push from a queue cut into equal pieces, look for a parent from below where
 * one suffices, and go near before far where they have a priority (frontier.cuh). */
#pragma once

#include "kernels/cuda/edges/output.cuh"
#include "kernels/cuda/edges/run_device.cuh"
#include "kernels/cuda/rows/streamed_rows.cuh"
#include "kernels/in_edges.h"
#if PROGRAM_SCHEDULE == QN_ALL_ACTIVE
#include "kernels/cuda/csr/pull.cuh"
#else
#include "kernels/cuda/csr/frontier.cuh"
#endif

namespace {

inline enum qn_status engine_upload_in(struct csr_run *run, struct qn_error *error) {
  struct qn_graph made;
  const struct qn_csr *in;
  memset(&made, 0, sizeof made);
  enum qn_status status = qn_find_in_edges(run->view, &made, &in, error);
  if (!status)
    status = qn_cuda_csr_upload(run->memory, in, PROGRAM_USES_WEIGHTS, &run->in, error);
  qn_graph_unmap(&made);
  return status;
}

/* Bring the directions to the device that the engine walks. An undirected graph's are the same. */
inline enum qn_status engine_upload(struct csr_run *run, struct qn_error *error) {
  const struct qn_csr *out = &run->view->out;
  const bool same = run->view->has_transpose && run->view->in.row_offsets == out->row_offsets;
  const bool needs_in = !engine_is_finished(run->request, &run->context) &&
                        (must_have_in || (wants_in && run->view->has_transpose));
  enum qn_status status = QN_OK;
  if (wants_out)
    status = qn_cuda_csr_upload(run->memory, out, PROGRAM_USES_WEIGHTS, &run->out, error);
  run->has_in = needs_in;
  if (!status && needs_in && same && wants_out)
    run->in = run->out;
  else if (!status && needs_in)
    status = engine_upload_in(run, error);
  if (status || wants_out || !PROGRAM_USES_OUT_DEGREE)
    return status;
  if (needs_in && same) {
    run->out.row_offsets = run->in.row_offsets;
    return QN_OK;
  }
  return qn_cuda_copy_of(run->memory, &run->out.row_offsets, out->row_offsets,
                         out->num_vertices + 1, 0, sizeof *out->row_offsets, "row offsets", error);
}

/* Does one direction alone, if any is wanted, not fit? Then the work of bringing it there is not
 * begun. */
inline bool engine_is_too_large(const struct csr_run *run) {
  const struct qn_csr *out = &run->view->out;
  const uint64_t weight = PROGRAM_USES_WEIGHTS * qn_weight_bytes(out->weights.type);
  return (wants_out || run->request->limits.max_iterations > 0) &&
         (4 + weight) * out->num_edges + 8 * out->num_vertices >
             qn_cuda_plannable_bytes(&run->memory->device, run->memory->cap);
}

/* *too_large: nothing is wrong but that there is too little memory. */
inline enum qn_status engine_run_resident(const struct qn_run_request *request,
                                          struct qn_run_result *result, bool *too_large,
                                          struct qn_error *error) {
  struct qn_cuda_memory memory;
  struct csr_run run;
  struct csr_loop loop;
  memset(&run, 0, sizeof run);
  memset(&loop, 0, sizeof loop);
  loop.run = &run;
  run.request = request;
  run.view = (const struct qn_graph *)request->view;
  run.result = result;
  run.memory = &memory;
  run.context = qn_run_begin(request, run.view->out.num_vertices, run.view->out.num_edges, result);
  auto prepare = [&](struct qn_error *failure) {
    if (engine_is_too_large(&run))
      return qn_run_no_room(&memory);
    enum qn_status status = engine_upload(&run, failure);
    if (!status && request->positions)
      status =
          qn_cuda_copy_of(&memory, &run.positions, request->positions, run.context.num_vertices, 0,
                          sizeof *request->positions, "positions", failure);
    if (!status)
      status = qn_cuda_alloc(&memory, &run.values, run.context.num_vertices, sizeof *run.values,
                             "vertex values", failure);
    return status ? status : csr_loop_create(&loop, failure);
  };
  auto finish = [&](enum qn_status status, struct qn_error *failure) {
    csr_loop_destroy(&loop);
    if (!status)
      status = output_download(&memory, &run.context, run.values, NULL, result, failure);
    *too_large = status && memory.exhausted;
    return status;
  };
  return qn_run_whole(
      request, &memory, prepare,
      [&](struct qn_error *failure) { return csr_loop_run(&loop, failure); }, finish, result,
      error);
}

inline enum qn_status engine_run_streamed(const struct qn_run_request *request,
                                          struct qn_run_result *result, struct qn_error *error) {
  const struct qn_graph *view = (const struct qn_graph *)request->view;
  struct qn_graph made;
  const struct qn_csr *in = view->has_transpose ? &view->in : NULL;
  enum qn_status status = near_far_refuse(request, error);
  memset(&made, 0, sizeof made);
  if (!status && must_have_in)
    status = qn_find_in_edges(view, &made, &in, error);
  if (!status)
    status = streamed_rows_run(request, &view->out, in, result, error);
  qn_graph_unmap(&made);
  return status;
}

enum qn_status engine_run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_csr *out = &((const struct qn_graph *)request->view)->out;
  memset(result, 0, sizeof *result);
  enum qn_status status =
      engine_check_weights(&out->weights, out->num_edges, out->num_vertices, error);
  if (status)
    return status;
  return run_resident_or_streamed(
      request,
      [&](bool *too_large) { return engine_run_resident(request, result, too_large, error); },
      [&] { return engine_run_streamed(request, result, error); }, error);
}

} /* namespace */

QN_DEFINE_KERNEL(QN_LAYOUT_GRAPH, QN_CUDA, CSR_NAME, QN_KERNEL_DELTA);
