/* Checkpoints of the runs of loop.cuh: the state (run_state.h) between the device and the
 * host. */
#pragma once

#include "kernels/cuda/edges/initial_values.cuh"
#include "kernels/cuda/edges/keep.cuh"
#include "kernels/cuda/sweep/sweeps.cuh"

/* The last of the kernel's own numbers: these sweeps stand in for an engine whose own states
 * differ. A run goes on the way it began. */
#define SWEEP_STATE_STANDS_IN 1

namespace {

inline bool sweep_state_is_streamed(const struct qn_run_state *state) {
  return state->registers[QN_STATE_REGISTERS - 1] == SWEEP_STATE_STANDS_IN;
}

/* The state of an engine that keeps all resident is nothing to the sweeps that stand in for it. */
inline enum qn_status sweep_refuse_resident_state(struct qn_error *error) {
  return qn_fail(
      error, QN_UNSUPPORTED,
      "the checkpoint is of a run of %s that had the whole graph on the device, where it no longer "
      "fits; allow more with --device-memory, or remove the checkpoint to start over, streaming",
      PROGRAM_NAME);
}

/* A run of an engine that keeps all resident, or else sweeps that stream in its place:
 * `resident(&too_large)`, and if nothing but memory is lacking `streamed()`. */
template <class Resident, class Streamed>
enum qn_status run_resident_or_streamed(const struct qn_run_request *request, Resident resident,
                                        Streamed streamed, struct qn_error *error) {
  const struct qn_run_state *resumed = qn_state_resumed(request);
  bool too_large = resumed && sweep_state_is_streamed(resumed);
  if (too_large)
    return streamed();
  enum qn_status status = resident(&too_large);
  if (!too_large)
    return status;
  return resumed ? sweep_refuse_resident_state(error) : streamed();
}

/* A state's bitmaps have words of 64 bits, those of the device of 32: the bytes are the same. */
inline uint64_t sweep_state_words(const struct sweep_run *run) {
  return (run->context.num_vertices + 31) / 32;
}

/* After sweep_init: put the state that the run goes on from in its place, if there is one: the
 * values that are held, and all bits. `*count` becomes the number of active vertices, `run->woken`
 * holds. Else what the program is given. */
inline enum qn_status sweep_resume(struct sweep_run *run, uint64_t *count, struct qn_error *error) {
  const struct qn_run_state *resumed = qn_state_resumed(run->request);
  const struct unit_vertices held = run->state.held;
  const uint64_t num_vertices = run->context.num_vertices;
  if (!resumed)
    return upload_initial_values(&run->memory, run->request, &run->context, run->order, held.begin,
                                 held.end, run->state.values + held.begin, error);
  enum qn_status status = qn_cuda_status(cudaDeviceSynchronize(), "the first values", error);
  if (!status)
    status =
        qn_cuda_upload(&run->memory, run->state.values + held.begin,
                       (const program_value *)resumed->values + held.begin, held.end - held.begin,
                       sizeof *run->state.values, "vertex values", error);
  if (status || !SWEEP_FRONTIER)
    return status;
  *count = 0;
  for (uint64_t word = 0; word < qn_state_words(num_vertices); word++)
    *count += (uint64_t)__builtin_popcountll(resumed->active[word]);
  return qn_cuda_upload(&run->memory, run->state.active, resumed->active, sweep_state_words(run),
                        sizeof *run->state.active, "bits of vertices", error);
}

/* Which vertices of a word of 64 are held. */
inline uint64_t sweep_held_bits(const struct sweep_run *run, uint64_t word) {
  const struct unit_vertices held = run->state.held;
  auto below = [word](uint64_t vertex) {
    return vertex <= word * 64        ? 0
           : vertex >= word * 64 + 64 ? ~(uint64_t)0
                                      : ((uint64_t)1 << vertex % 64) - 1;
  };
  return below(held.end) & ~below(held.begin);
}

/* The values and bits of vertices that are held; the others' are left to others. */
inline enum qn_status sweep_download_state(struct sweep_run *run, program_value *values,
                                           uint64_t *active, struct qn_error *error) {
  enum qn_status status =
      qn_cuda_download(&run->memory, values, run->state.values, run->context.num_vertices,
                       sizeof *values, "vertex values", error);
  if (!status && SWEEP_FRONTIER)
    status = qn_cuda_download(&run->memory, active, run->state.active, sweep_state_words(run),
                              sizeof *run->state.active, "bits of vertices", error);
  for (uint64_t word = 0; SWEEP_FRONTIER && word < qn_state_words(run->context.num_vertices);
       word++)
    active[word] &= sweep_held_bits(run, word);
  return status;
}

/* After an iteration that is not the last one: a checkpoint, if one is due. */
inline enum qn_status sweep_keep(struct sweep_run *run, struct qn_error *error) {
  struct qn_state_parts parts =
      keep_parts(run->context.num_vertices, sizeof(program_value), &run->context);
  uint64_t stands_in = run->stands_in ? SWEEP_STATE_STANDS_IN : 0;
  parts.numbers[QN_STATE_NUMBERS - 1] = &stands_in;
  auto download = [run](struct qn_state_parts *host, struct qn_error *failure) {
    return sweep_download_state(run, (program_value *)host->values, host->active, failure);
  };
  return keep_if_due(run->request, run->context.iteration, run->result->stats.change, &parts,
                     SWEEP_FRONTIER ? KEEP_ACTIVE : KEEP_VALUES, download, error);
}

} /* namespace */
