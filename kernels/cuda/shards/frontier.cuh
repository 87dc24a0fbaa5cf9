/* Frontier programs on shards: along the out-edges while active vertices have few, and over the
 * in-edges of all rows else.
 *
 * The paper notifies (on the CPU) while the active vertices have at most half of all out-edges. But
 * if they have the share f, a vertex of d in-edges is notified with probability 1 - (1 - f)^d, 0.56
 * for f = 1/20 and d = 16, and a gather in order costs less per edge than notifying, so here it is
 * one in NOTIFY_SHARE. */
#pragma once

#if PROGRAM_FIRST_SUFFICES
#include "kernels/cuda/shards/search.cuh"
#else
#include "kernels/cuda/shards/notify.cuh"
#endif

#define NOTIFY_SHARE 20

namespace {

__global__ void count_out_edges(const struct sweep_state state,
                                const struct qn_program_context context) {
  unsigned long long count = 0;
  sweep_words(context.num_vertices, [&](uint32_t v, bool valid) {
    if (valid && sweep_is_active(state, v))
      count += engine_out_degree(state.layout, v);
  });
  count = qn_block_sum(count);
  if (threadIdx.x == 0 && count > 0)
    atomicAdd(state.count, count);
}

/* ---- The host's side ---------------------------------------------------------------------- */

inline enum qn_status count_active_edges(struct sweep_run *run, uint64_t *num_edges,
                                         struct qn_error *error) {
  enum qn_status status = sweep_clear(run->state.count, 0, error);
  if (status)
    return status;
  SWEEP_LAUNCH(run, count_out_edges);
  return sweep_read_count(run, num_edges, error);
}

/* Active vertices have `num_edges` out-edges. */
inline enum qn_status collect_counted(struct sweep_run *run, uint64_t num_edges,
                                      struct qn_error *error) {
  if (num_edges == 0)
    return QN_OK;
  return num_edges > run->context.num_edges / NOTIFY_SHARE ? collect_many(run, error)
                                                           : collect_few(run, error);
}

inline enum qn_status collect_active(struct sweep_run *run, struct qn_error *error) {
  uint64_t num_edges;
  enum qn_status status = count_active_edges(run, &num_edges, error);
  return status ? status : collect_counted(run, num_edges, error);
}

/* What both ways want beside the edges, which are there. */
inline enum qn_status frontier_create(const struct qn_shards *view, struct sweep_run *run,
                                      struct qn_error *error) {
  enum qn_status status = sweep_push_create(run, error);
  return status ? status : collect_create(view, run, error);
}

} /* namespace */
