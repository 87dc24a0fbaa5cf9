/* Plain CSR on a CUDA device: the baseline of all engines (view: struct qn_graph). A graph that
 * does not fit is streamed by rows (streamed_rows.cuh).
 *
 * All-active programs pull over equal pieces of the in-edges (pull.cuh, edge_tiles.cuh).
 * Frontier programs push from a queue cut into equal pieces, look for a parent from below where
 * one suffices, and go near before far where they have a priority (frontier.cuh). */
#ifndef QN_KERNELS_CUDA_CSR_ENGINE_CUH
#define QN_KERNELS_CUDA_CSR_ENGINE_CUH

#include "kernels/cuda/device/ranges.cuh"
#include "kernels/cuda/edges/combine.cuh"
#include "kernels/cuda/edges/csr_device.cuh"
#include "kernels/cuda/edges/output.cuh"
#include "kernels/cuda/edges/row_queue.cuh"
#include "kernels/cuda/rows/streamed_rows.cuh"
#include "kernels/engine.h"
#include "support/memory.h"
#include "support/threads.h"
#include <quern/graph.h>
#include <quern/transpose.h>

namespace {

/* What one run works on. Device pointers belong to `memory`. */
struct engine_run_state {
  const struct qn_run_request *request;
  const struct qn_graph *view;
  struct qn_run_result *result;
  struct qn_cuda_memory *memory;
  struct qn_program_context context;
  struct qn_csr out; /* on the device; row offsets alone where the program only pulls */
  struct qn_csr in;  /* on the device, if the run wants in-edges */
  bool has_in;
  const uint32_t *positions; /* on the device, or NULL: themselves */
  program_value *values;     /* [V] on the device */
};

} /* namespace */

#if PROGRAM_SCHEDULE == QN_ALL_ACTIVE
#include "kernels/cuda/csr/pull.cuh"
#define ENGINE_WANTS_IN 1
#define ENGINE_MUST_HAVE_IN 1
#define ENGINE_WANTS_OUT 0
#else
#include "kernels/cuda/csr/frontier.cuh"
#define ENGINE_WANTS_IN PROGRAM_FIRST_SUFFICES
#define ENGINE_MUST_HAVE_IN 0
#define ENGINE_WANTS_OUT 1
#endif

namespace {

/* The in-edges: stored, or made in `made`, which is zero before. */
inline enum qn_status engine_find_in(const struct qn_graph *view, struct qn_graph *made,
                                     const struct qn_csr **in, struct qn_error *error) {
  *in = view->has_transpose ? &view->in : &made->out;
  return view->has_transpose ? QN_OK : qn_graph_create_transpose(&view->out, made, error);
}

inline enum qn_status engine_upload_in(struct engine_run_state *run, struct qn_error *error) {
  struct qn_graph made;
  const struct qn_csr *in;
  memset(&made, 0, sizeof made);
  enum qn_status status = engine_find_in(run->view, &made, &in, error);
  if (!status)
    status = qn_cuda_csr_upload(run->memory, in, PROGRAM_USES_WEIGHTS, &run->in, error);
  qn_graph_unmap(&made);
  return status;
}

/* Bring the directions to the device that the engine walks. An undirected graph's are the same. */
inline enum qn_status engine_upload(struct engine_run_state *run, struct qn_error *error) {
  const struct qn_csr *out = &run->view->out;
  const bool same = run->view->has_transpose && run->view->in.row_offsets == out->row_offsets;
  const bool wants_in = !engine_is_finished(run->request, &run->context) &&
                        (ENGINE_MUST_HAVE_IN || (ENGINE_WANTS_IN && run->view->has_transpose));
  enum qn_status status = QN_OK;
  if (ENGINE_WANTS_OUT)
    status = qn_cuda_csr_upload(run->memory, out, PROGRAM_USES_WEIGHTS, &run->out, error);
  run->has_in = wants_in;
  if (!status && wants_in && same && ENGINE_WANTS_OUT)
    run->in = run->out;
  else if (!status && wants_in)
    status = engine_upload_in(run, error);
  if (status || ENGINE_WANTS_OUT || !PROGRAM_USES_OUT_DEGREE)
    return status;
  if (wants_in && same) {
    run->out.row_offsets = run->in.row_offsets;
    return QN_OK;
  }
  return qn_cuda_copy_of(run->memory, &run->out.row_offsets, out->row_offsets,
                         out->num_vertices + 1, 0, sizeof *out->row_offsets, "row offsets", error);
}

/* Does one direction alone, if any is wanted, not fit? Then the work of bringing it there is not
 * begun. */
inline bool engine_is_too_large(const struct engine_run_state *run) {
  const struct qn_csr *out = &run->view->out;
  const bool weighted = PROGRAM_USES_WEIGHTS && out->weights.type != QN_WEIGHT_NONE;
  if (!ENGINE_WANTS_OUT && run->request->max_iterations == 0)
    return false;
  return (weighted ? 8 : 4) * out->num_edges + 8 * out->num_vertices >
         qn_cuda_plannable_bytes(&run->memory->device, run->memory->cap);
}

/* *too_large: nothing is wrong but that there is too little memory. */
inline enum qn_status engine_run_resident(const struct qn_run_request *request,
                                          struct qn_run_result *result, bool *too_large,
                                          struct qn_error *error) {
  struct qn_cuda_memory memory;
  struct engine_run_state run;
  memset(&run, 0, sizeof run);
  run.request = request;
  run.view = (const struct qn_graph *)request->view;
  run.result = result;
  run.memory = &memory;
  run.context = engine_begin(request, run.view->out.num_vertices, run.view->out.num_edges, result);
  enum qn_status status =
      qn_cuda_memory_create(&memory, request->device, request->device_memory, error);
  if (!status && engine_is_too_large(&run)) {
    memory.exhausted = true;
    status = QN_DEVICE;
  }
  if (!status)
    status = engine_upload(&run, error);
  if (!status && request->positions)
    status = qn_cuda_copy_of(&memory, &run.positions, request->positions, run.context.num_vertices,
                             0, sizeof *request->positions, "positions", error);
  if (!status)
    status = qn_cuda_alloc(&memory, &run.values, run.context.num_vertices, sizeof *run.values,
                           "vertex values", error);
  if (!status)
    status = engine_iterate(&run, error);
  if (!status)
    status = qn_cuda_algorithm_end(&memory, error);
  if (!status)
    status = output_download(&memory, &run.context, run.values, NULL, result, error);
  qn_cuda_report(&memory, result);
  *too_large = status && memory.exhausted;
  qn_cuda_memory_destroy(&memory);
  if (status)
    memset(result, 0, sizeof *result);
  return status;
}

inline enum qn_status engine_run_streamed(const struct qn_run_request *request,
                                          struct qn_run_result *result, struct qn_error *error) {
  const struct qn_graph *view = (const struct qn_graph *)request->view;
  struct qn_graph made;
  const struct qn_csr *in = NULL;
  enum qn_status status = QN_OK;
  if (request->delta > 0)
    return qn_fail(
        error, QN_DEVICE,
        "--delta works on the device only where the whole graph fits into its memory, and "
        "this one does not; allow more with --device-memory, leave --delta out, or use "
        "--device cpu");
  memset(&made, 0, sizeof made);
  if (ENGINE_MUST_HAVE_IN)
    status = engine_find_in(view, &made, &in, error);
  if (!status)
    status = streamed_rows_run(request, &view->out, in, result, error);
  qn_graph_unmap(&made);
  return status;
}

enum qn_status engine_run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_csr *out = &((const struct qn_graph *)request->view)->out;
  const struct qn_run_state *resumed = engine_resumed(request);
  bool too_large = false;
  memset(result, 0, sizeof *result);
  enum qn_status status = engine_check_weights(&out->weights, out->num_edges, error);
  if (!status && resumed && sweep_state_is_streamed(resumed))
    return engine_run_streamed(request, result, error);
  if (!status)
    status = engine_run_resident(request, result, &too_large, error);
  if (!too_large)
    return status;
  return resumed ? sweep_refuse_resident_state(error) : engine_run_streamed(request, result, error);
}

} /* namespace */

QN_DEFINE_KERNEL(QN_LAYOUT_GRAPH, QN_CUDA, ENGINE_NAME, QN_KERNEL_DELTA);

#endif
