/* Frontier programs on CSR: the host's side. It learns the size of each frontier (one
 * small copy an iteration) and chooses the next step. */
#pragma once

#include <stddef.h>

#include "kernels/cuda/csr/push.cuh"
#include "kernels/cuda/csr/run.cuh"
#include "kernels/cuda/csr/state.cuh"
#include "kernels/cuda/edges/initial_values.cuh"
#include "kernels/cuda/edges/keep.cuh"
#include "kernels/cuda/edges/mean_weight.cuh"
#include "kernels/cuda/edges/run_device.cuh"
#include "kernels/cuda/sweep/iterations.cuh"
#if PROGRAM_FIRST_SUFFICES
#include "kernels/cuda/csr/bottom_up.cuh"
#endif

#define CSR_NAME                                                                                   \
  (PROGRAM_PRIORITY         ? "csr push, near-far"                                                 \
   : PROGRAM_FIRST_SUFFICES ? "csr push/bottom-up"                                                 \
                            : "csr push")

#if PROGRAM_FIRST_SUFFICES
/* Go bottom-up once the frontier has more than 1 / BOTTOM_UP_ALPHA of the edges of vertices that
 * were in none yet; push again below 1 / BOTTOM_UP_BETA of the vertices (section 4.3 there). */
#define BOTTOM_UP_ALPHA 15
#define BOTTOM_UP_BETA 18
#endif

namespace {

struct csr_loop {
  struct csr_run *run;
  struct frontier_state state;
  struct frontier_counters *seen; /* pinned: the counters after the last step */
  int turn;                       /* the current queue, or bitmap when bottom-up */
  bool bottom_up;
  uint64_t edges_left; /* out-edges of vertices that were in no frontier yet */
  int far_turn;
  double delta, threshold; /* near: below it */
};

inline unsigned frontier_blocks(const struct csr_loop *loop, uint64_t items) {
  return qn_grid(items, QN_QUEUE_THREADS, loop->run->memory->device.multiprocessors, 8);
}

/* Hand the counters to the host, in pinned memory, and clear those of an iteration. A copy and a
 * memset would each cost as much as a small iteration. */
__global__ void frontier_publish(struct frontier_counters *counters, struct frontier_counters *to) {
  *to = *counters;
  counters->queued = 0;
  counters->edges = 0;
  counters->active = 0;
  counters->num_received = 0;
  counters->least = ~0ull;
}

/* Wait for what was launched; the counters are then in loop->seen. */
inline enum qn_status frontier_read(struct csr_loop *loop, struct qn_error *error) {
  QN_LAUNCH(frontier_publish, 1, 1, 0, NULL, loop->state.counters, loop->seen);
  enum qn_status status = qn_cuda_launched("launching the traversal's kernels", error);
  if (!status)
    status = qn_cuda_status(cudaStreamSynchronize(NULL), "an iteration on the device", error);
  if (!status)
    loop->run->num_active = loop->seen->active;
  return status;
}

inline enum qn_status frontier_clear_bits(struct csr_loop *loop, uint32_t *bits,
                                          struct qn_error *error) {
  const uint64_t words = loop->run->context.num_vertices / 32 + 1;
  return qn_cuda_status(cudaMemsetAsync(bits, 0, words * sizeof *bits, NULL), "clearing a bitmap",
                        error);
}

inline enum qn_status frontier_step_push(struct csr_loop *loop, struct qn_error *error) {
  const uint32_t entries = qn_queue_entries(loop->seen->queued);
  const uint32_t units = qn_queue_units(loop->seen->queued);
  enum qn_status status =
      PROGRAM_FIRST_SUFFICES ? QN_OK : frontier_clear_bits(loop, loop->state.bits[0], error);
  if (status)
    return status;
  QN_LAUNCH(push_edges, frontier_blocks(loop, units), QN_QUEUE_THREADS, 0, NULL, loop->state,
            loop->run->context, loop->turn, entries, units, loop->threshold, loop->far_turn);
#if !PROGRAM_IN_PLACE
  QN_LAUNCH(push_apply, frontier_blocks(loop, loop->run->context.num_vertices), QN_QUEUE_THREADS, 0,
            NULL, loop->state, loop->run->context, loop->turn);
#endif
  loop->turn = 1 - loop->turn;
  return frontier_read(loop, error);
}

#if PROGRAM_FIRST_SUFFICES
/* Change the frontier's form if the direction changes. Only the forms are converted: counters of
 * the frontier stay as they are. */
inline enum qn_status frontier_turn_around(struct csr_loop *loop, struct qn_error *error) {
  const uint64_t num_vertices = loop->run->context.num_vertices;
  const bool up = loop->bottom_up
                      ? loop->seen->active >= num_vertices / BOTTOM_UP_BETA
                      : loop->run->has_in && loop->seen->edges > loop->edges_left / BOTTOM_UP_ALPHA;
  if (up == loop->bottom_up)
    return QN_OK;
  loop->bottom_up = up;
  struct qn_unit_queue queue = loop->state.queues[loop->turn];
  uint32_t *bits = loop->state.bits[loop->turn];
  enum qn_status status;
  if (up) {
    const uint32_t entries = qn_queue_entries(loop->seen->queued);
    status = frontier_clear_bits(loop, bits, error);
    if (!status)
      QN_LAUNCH(bits_from_queue, frontier_blocks(loop, entries), QN_QUEUE_THREADS, 0, NULL, queue,
                entries, bits);
    return status;
  }
  QN_LAUNCH(queue_from_bits, frontier_blocks(loop, num_vertices / 32 + 1), QN_QUEUE_THREADS, 0,
            NULL, loop->state, num_vertices, bits, queue);
  return frontier_read(loop, error);
}

inline enum qn_status frontier_step_up(struct csr_loop *loop, struct qn_error *error) {
  QN_LAUNCH(bottom_up, frontier_blocks(loop, loop->run->context.num_vertices), QN_QUEUE_THREADS, 0,
            NULL, loop->state, loop->run->context, loop->turn);
  loop->turn = 1 - loop->turn;
  return frontier_read(loop, error);
}
#endif

/* When no vertex is active: the next threshold, or the next round. Leaves the frontier empty if
 * there is none. */
inline enum qn_status frontier_refill(struct csr_loop *loop, struct qn_error *error) {
#if PROGRAM_PRIORITY || PROGRAM_ROUNDS
  enum qn_status status;
  const struct qn_unit_queue queue = loop->state.queues[loop->turn];
#if PROGRAM_PRIORITY
  const uint32_t num_far = loop->seen->num_far[loop->far_turn];
  if (num_far == 0)
    return QN_OK;
  const unsigned blocks = frontier_blocks(loop, num_far);
  QN_LAUNCH(far_least, blocks, QN_QUEUE_THREADS, 0, NULL, loop->state, loop->run->context,
            loop->far_turn, loop->threshold);
  status = frontier_read(loop, error);
  const double least = qn_from_ordered_bits(loop->seen->least);
  if (status || !isfinite(least))
    return status;
  const double raised = fmax(least + loop->delta, nextafter(least, (double)INFINITY));
  status = qn_cuda_status(cudaMemsetAsync(&loop->state.counters->num_far[1 - loop->far_turn], 0,
                                          sizeof(unsigned int), NULL),
                          "clearing counters", error);
  if (status)
    return status;
  QN_LAUNCH(far_split, blocks, QN_QUEUE_THREADS, 0, NULL, loop->state, loop->run->context,
            loop->far_turn, loop->threshold, raised, queue);
  loop->threshold = raised;
  loop->far_turn = 1 - loop->far_turn;
#else
  const unsigned blocks = frontier_blocks(loop, loop->run->context.num_vertices);
  QN_LAUNCH(round_least, blocks, QN_QUEUE_THREADS, 0, NULL, loop->state, loop->run->context);
  status = frontier_read(loop, error);
  const double least = qn_from_ordered_bits(loop->seen->least);
  if (status || !isfinite(least))
    return status;
  loop->run->context.round = least;
  QN_LAUNCH(round_wake, blocks, QN_QUEUE_THREADS, 0, NULL, loop->state, loop->run->context, queue);
#endif
  return frontier_read(loop, error);
#else
  (void)loop, (void)error;
  return QN_OK;
#endif
}

/* ---- What the loop (iterations.cuh) asks ---------------------------------------------- */

inline enum qn_status next_round(struct csr_loop *loop, struct qn_error *error) {
  return frontier_refill(loop, error);
}

/* In the direction that touches fewer edges. */
inline enum qn_status one_iteration(struct csr_loop *loop, double *, struct qn_error *error) {
#if PROGRAM_FIRST_SUFFICES
  const uint64_t edges = loop->seen->edges;
  enum qn_status status = frontier_turn_around(loop, error);
  loop->edges_left -= edges < loop->edges_left ? edges : loop->edges_left;
  if (status || loop->bottom_up)
    return status ? status : frontier_step_up(loop, error);
#endif
  return frontier_step_push(loop, error);
}

inline bool iteration_finished(struct csr_loop *loop, uint64_t num_active, double change,
                               double begin) {
  struct qn_iteration report = {};
  report.mode = loop->bottom_up ? "bottom-up" : "push";
  return tell_iteration(loop->run, report, num_active, change, begin);
}

inline bool may_wait(const struct csr_loop *loop) {
  return PROGRAM_PRIORITY && loop->seen->num_far[loop->far_turn] > 0;
}

inline enum qn_status frontier_download_state(struct csr_loop *loop, program_value *values,
                                              uint64_t *active, uint64_t *waiting,
                                              struct qn_error *error) {
  struct csr_run *run = loop->run;
  enum qn_status status =
      qn_cuda_download(run->memory, values, run->values, run->context.num_vertices, sizeof *values,
                       "vertex values", error);
  if (!status && loop->bottom_up)
    status = qn_cuda_download(run->memory, active, loop->state.bits[loop->turn],
                              frontier_half_words(run), sizeof(uint32_t), "a bitmap", error);
  else if (!status)
    status = frontier_download_list(run, loop->state.queues[loop->turn].vertices,
                                    qn_queue_entries(loop->seen->queued), active, error);
#if PROGRAM_PRIORITY
  if (!status)
    status = frontier_download_list(run, loop->state.far[loop->far_turn],
                                    loop->seen->num_far[loop->far_turn], waiting, error);
#endif
  (void)waiting;
  return status;
}

/* After an iteration that is not the last one: a checkpoint, if one is due. */
inline enum qn_status keep(struct csr_loop *loop, struct qn_error *error) {
  const struct csr_run *run = loop->run;
  struct qn_state_parts parts =
      keep_parts(run->context.num_vertices, sizeof(program_value), &run->context);
  uint64_t active = loop->seen->active;
  double limit = 0; /* the far list has `threshold` */
  parts.numbers[FRONTIER_EDGES_LEFT] = &loop->edges_left;
  parts.numbers[FRONTIER_ACTIVE] = &active;
  parts.numbers[FRONTIER_THRESHOLD] = &loop->threshold;
  parts.limit = &limit;
  auto download = [loop](struct qn_state_parts *host, struct qn_error *failure) {
    return frontier_download_state(loop, (program_value *)host->values, host->active, host->waiting,
                                   failure);
  };
  return keep_if_due(run->request, run->context.iteration, run->result->stats.change, &parts,
                     KEEP_ACTIVE | (PROGRAM_PRIORITY ? KEEP_WAITING : 0), download, error);
}

/* The first frontier, or that of the state that the run goes on from. */
inline enum qn_status frontier_begin(struct csr_loop *loop, struct qn_error *error) {
  struct csr_run *run = loop->run;
  const struct qn_run_state *resumed = qn_state_resumed(run->request);
  const uint32_t *active = NULL;
  enum qn_status status =
      resumed ? frontier_upload_state(run, &loop->state, resumed, &active, error)
              : upload_initial_values(run->memory, run->request, &run->context, NULL, 0,
                                      run->context.num_vertices, run->values, error);
  if (status)
    return status;
  QN_LAUNCH(frontier_publish, 1, 1, 0, NULL, loop->state.counters, loop->seen); /* clears them */
  QN_LAUNCH(frontier_start, frontier_blocks(loop, run->context.num_vertices), QN_QUEUE_THREADS, 0,
            NULL, loop->state, run->context, run->positions, active);
  status = frontier_read(loop, error);
  if (!status && resumed) {
    const uint64_t *registers = resumed->registers + QN_STATE_ENGINE;
    loop->edges_left = registers[FRONTIER_EDGES_LEFT];
    loop->seen->active = (unsigned int)registers[FRONTIER_ACTIVE];
    run->num_active = loop->seen->active;
    loop->threshold = qn_real_of_register(registers[FRONTIER_THRESHOLD]);
  }
  return status;
}

inline enum qn_status csr_loop_create(struct csr_loop *loop, struct qn_error *error) {
  struct csr_run *run = loop->run;
  struct frontier_state *state = &loop->state;
  struct qn_cuda_memory *memory = run->memory;
  const uint64_t num_vertices = run->context.num_vertices, words = num_vertices / 32 + 1;
  enum qn_status status = qn_run_check_units(num_vertices, run->context.num_edges, error);
  state->out = run->out;
  state->in = run->in;
  state->values = run->values;
  for (int turn = 0; turn < 2 && !status; turn++) {
    status = qn_run_queue(memory, num_vertices, &state->queues[turn], error);
    if (!status && (turn == 0 || PROGRAM_FIRST_SUFFICES))
      status = qn_cuda_alloc_zeroed(memory, &state->bits[turn], words, sizeof(uint32_t), "a bitmap",
                                    error);
#if PROGRAM_PRIORITY
    if (!status)
      status = qn_cuda_alloc(memory, &state->far[turn], num_vertices, sizeof(uint32_t),
                             "a list of vertices", error);
#endif
  }
#if PROGRAM_FIRST_SUFFICES
  if (!status)
    status = qn_cuda_alloc(memory, &state->open_bits, words, sizeof(uint32_t), "a bitmap", error);
  if (!status)
    status = qn_cuda_status(cudaMemsetAsync(state->open_bits, 0xff, words * sizeof(uint32_t), NULL),
                            "setting a bitmap", error);
#endif
#if PROGRAM_PRIORITY
  if (!status)
    status =
        qn_cuda_alloc_zeroed(memory, &state->far_bits, words, sizeof(uint32_t), "a bitmap", error);
#endif
#if !PROGRAM_IN_PLACE
  if (!status)
    status = qn_cuda_alloc(memory, &state->received_sums, num_vertices,
                           sizeof *state->received_sums, "sums", error);
  if (!status)
    status = qn_cuda_alloc(memory, &state->received, num_vertices, sizeof(uint32_t),
                           "a list of vertices", error);
#endif
  if (!status)
    status = qn_cuda_alloc_zeroed(memory, &state->counters, 1, sizeof *state->counters, "counters",
                                  error);
#if PROGRAM_PRIORITY
  const struct qn_csr *csr = &run->view->out;
  loop->delta = near_far_step(run->request, mean_weight(&csr->weights, csr->num_edges),
                              csr->num_vertices, csr->num_edges);
#endif
  if (!status)
    status = qn_cuda_status(
        cudaHostAlloc((void **)&loop->seen, sizeof *loop->seen, cudaHostAllocDefault),
        "allocating pinned memory", error);
  return status;
}

inline enum qn_status csr_loop_run(struct csr_loop *loop, struct qn_error *error) {
  loop->edges_left = loop->run->context.num_edges;
#if PROGRAM_PRIORITY
  loop->threshold = loop->delta;
#endif
  enum qn_status status = frontier_begin(loop, error);
  return status ? status : iterate(loop, loop->run, error);
}

inline void csr_loop_destroy(struct csr_loop *loop) {
  if (loop->seen)
    cudaFreeHost(loop->seen);
}

} /* namespace */
