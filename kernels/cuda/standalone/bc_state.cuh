/* Checkpoints of betweenness centrality: the scores between two sources, each of which is an
 * iteration. */
#pragma once

#include "kernels/cuda/edges/keep.cuh"

/* Put the scores that the run goes on from in their place, if there are any. */
static inline enum qn_status bc_resume(const struct qn_run_request *request,
                                       struct qn_cuda_memory *memory, double *scores,
                                       uint64_t num_vertices, struct qn_error *error) {
  const struct qn_run_state *state = qn_state_resumed(request);
  if (!state)
    return QN_OK;
  return qn_cuda_upload(memory, scores, state->values, num_vertices, sizeof *scores, "scores",
                        error);
}

/* After a source that is not the last: a checkpoint, if one is due. */
static inline enum qn_status bc_keep(const struct qn_run_request *request,
                                     struct qn_cuda_memory *memory, uint64_t sources,
                                     const double *scores, uint64_t num_vertices,
                                     struct qn_error *error) {
  const struct qn_state_parts parts = keep_parts(num_vertices, sizeof *scores, NULL);
  if (!qn_state_is_due(request, sources))
    return QN_OK;
  enum qn_status status = qn_cuda_status(cudaDeviceSynchronize(), "a source's paths", error);
  return status ? status : keep_values_now(request, sources, 0, &parts, memory, scores, error);
}
