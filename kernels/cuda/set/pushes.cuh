/* Pushing from few vertices, where rows hold out-edges, too (kernels/cpu/set/push.h): each rank
 * goes through the units of its own senders alone, and what is for vertices of other ranks is told
 * to those. A rank does not know what others' vertices have: it takes them to be as in the
 * beginning, when they take most. Part of engine.cuh. */
#pragma once

#include "kernels/cuda/set/exchange.cuh"

/* Push while fewer than one vertex in so many sends. */
#define PUSH_SHARE 64

namespace {

#if SWEEP_FRONTIER

inline bool may_push(const struct qn_set_view *view, const struct qn_run_request *request) {
#if PROGRAM_HAS_INITIAL
  const bool knows_first = false;
#else
  const bool knows_first = !PROGRAM_SEES_RECEIVER && !qn_state_resumed(request);
#endif
  return view->has_out_rows && (!view->exchange || knows_first);
}

__global__ void first_values(const struct sweep_state state,
                             const struct qn_program_context context) {
#if !PROGRAM_HAS_INITIAL
  sweep_words(context.num_vertices, [&](uint32_t v, bool valid) {
    if (!valid)
      return;
    state.values[v] = program_init(&context, sweep_position(state, v), sweep_out_degree(state, v));
    state.sums[v] = program_identity();
  });
#endif
}

inline enum qn_status pushes_begin(struct set_exchange *exchange, struct qn_error *error) {
  struct sweep_run *run = exchange->run;
  if (exchange->view->exchange && exchange->may_push)
    SWEEP_LAUNCH(run, first_values);
  return qn_cuda_launched("setting first values", error);
}

/* All ranks choose the same. */
inline void choose_direction(struct set_exchange *exchange) {
  struct sweep_run *run = exchange->run;
  run->state.layout.rows_send =
      exchange->may_push && run->num_active <= run->context.num_vertices / PUSH_SHARE;
}

/* What was collected for vertices of others is theirs, but for those that were told before. */
__global__ void pack_pushed(const struct sweep_state state, uint64_t num_vertices,
                            struct pushed *pairs, uint32_t *packed, uint32_t *told) {
  sweep_words(num_vertices, [&](uint32_t v, bool valid) {
    const bool is_other = valid && v - state.held.begin >= state.held.end - state.held.begin;
    const bool received = is_other && (state.received[v / 32] >> v % 32 & 1);
    const bool tells = received && !(told && told[v / 32] >> v % 32 & 1);
    const uint32_t place = qn_warp_reserve(packed, tells);
    __syncwarp(); /* words are read by all before bits of them change */
    if (tells) {
      pairs[place].sum = state.sums[v];
      pairs[place].vertex = v;
    }
    if (tells && told)
      atomicOr(&told[v / 32], 1u << v % 32);
    if (!received)
      return;
    state.sums[v] = program_identity();
    atomicAnd(&state.received[v / 32], ~(1u << v % 32));
  });
}

__global__ void take_pushed(const struct sweep_state state, const struct qn_program_context context,
                            uint64_t count, const struct pushed *pairs) {
  qn_grid_steps(count, [&](uint64_t i) {
    const uint32_t v = pairs[i].vertex;
    if (PROGRAM_CLOSES && !PROGRAM_IN_PLACE && !sweep_may_receive(state, context, v))
      return;
    program_combine_atomic(&state.sums[v], pairs[i].sum);
    sweep_mark_received(state, v);
  });
}

inline enum qn_status download_pushed(struct set_exchange *exchange, uint32_t *count,
                                      struct qn_error *error) {
  struct sweep_run *run = exchange->run;
  struct pushed *pairs = reinterpret_cast<struct pushed *>(exchange->device);
  enum qn_status status = qn_cuda_status(
      cudaMemsetAsync(exchange->packed, 0, sizeof *exchange->packed, NULL), "a counter", error);
  if (status)
    return status;
  QN_LAUNCH(pack_pushed, run->blocks, SWEEP_THREADS, 0, NULL, run->state, run->context.num_vertices,
            pairs, exchange->packed, exchange->told);
  status = sweep_read(run, count, exchange->packed, 1, sizeof *count, error);
  return status ? status : sweep_read(run, exchange->host, pairs, *count, sizeof *pairs, error);
}

inline unsigned rank_of(const struct qn_set_view *view, uint32_t vertex) {
  unsigned low = 0, high = num_ranks(view);
  while (high - low > 1) {
    const unsigned middle = (low + high) / 2;
    if (view->first_vertices[middle] <= vertex)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* In the order of ranks, whose bytes begin at exchange->offsets. */
inline void sort_by_rank(const struct set_exchange *exchange, uint32_t count, struct pushed *out) {
  const struct pushed *pairs = reinterpret_cast<const struct pushed *>(exchange->host);
  const unsigned ranks = num_ranks(exchange->view);
  uint64_t *offsets = exchange->offsets;
  memset(offsets, 0, (ranks + 1) * sizeof *offsets);
  for (uint32_t i = 0; i < count; i++)
    offsets[rank_of(exchange->view, pairs[i].vertex) + 1] += 1;
  for (unsigned rank = 0; rank < ranks; rank++)
    offsets[rank + 1] += offsets[rank];
  for (uint32_t i = 0; i < count; i++)
    out[offsets[rank_of(exchange->view, pairs[i].vertex)]++] = pairs[i];
  for (unsigned rank = ranks; rank > 0; rank--)
    offsets[rank] = offsets[rank - 1] * sizeof *out;
  offsets[0] = 0;
}

/* After a push each rank has what others found for its vertices. */
inline enum qn_status tell_pushed(struct set_exchange *exchange, struct qn_error *error) {
  const struct qn_set_view *view = exchange->view;
  struct sweep_run *run = exchange->run;
  struct pushed *out;
  uint32_t count;
  if (!view->exchange || !run->state.layout.rows_send)
    return QN_OK;
  enum qn_status status = download_pushed(exchange, &count, error);
  if (!status)
    status = qn_alloc(&out, count, sizeof *out, "what is pushed", error);
  if (status)
    return status;
  sort_by_rank(exchange, count, out);
  status = view->exchange->trade(out, exchange->offsets, &exchange->in, error);
  qn_free(out);
  const uint64_t bytes = status ? 0 : exchange->in.offsets[num_ranks(view)];
  /* Several ranks may tell of the same vertices: more than there is room for at a time. */
  const uint64_t most = told_most(exchange) / sizeof(struct pushed) * sizeof(struct pushed);
  for (uint64_t at = 0; !status && at < bytes; at += most) {
    const uint64_t step = bytes - at < most ? bytes - at : most;
    status = qn_cuda_upload(&run->memory, exchange->device, exchange->in.bytes + at, step, 1,
                            "what is pushed", error);
    if (!status)
      SWEEP_LAUNCH(run, take_pushed, step / sizeof(struct pushed),
                   reinterpret_cast<const struct pushed *>(exchange->device));
    if (!status)
      status = qn_cuda_status(cudaStreamSynchronize(NULL), "taking what is pushed", error);
  }
  return status;
}

#else

inline bool may_push(const struct qn_set_view *, const struct qn_run_request *) {
  return false;
}

inline enum qn_status pushes_begin(struct set_exchange *, struct qn_error *) {
  return QN_OK;
}

inline void choose_direction(struct set_exchange *) {}

inline enum qn_status tell_pushed(struct set_exchange *, struct qn_error *) {
  return QN_OK;
}

#endif

} /* namespace */
