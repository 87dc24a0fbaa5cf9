/* Steps of frontier programs that combine into the value itself. Part of frontier.h.
 *
 * A value may be read while another thread improves it: either is a value that the vertex
 * had, and the improvement puts the vertex into the next frontier. */
#ifndef QN_KERNELS_CPU_CSR_IN_PLACE_H
#define QN_KERNELS_CPU_CSR_IN_PLACE_H

#include "kernels/cpu/csr/frontier.h"

static inline void push_edges(struct engine_state *state, struct frontier_work *work,
                              struct frontier_share *share, program_message message, uint64_t begin,
                              uint64_t end) {
  const struct qn_csr *out = state->out;
  for (uint64_t edge = begin; edge < end; edge++) {
    uint32_t v = out->column_indices[edge];
    program_accumulator contribution =
        program_gather(&state->context, message, engine_weight(&out->weights, edge));
    if (!program_combine_atomic(&state->values[v], contribution))
      continue;
#if PROGRAM_PRIORITY
    if (near_far_waits(state->far, &state->context, contribution, v))
      continue;
#endif
    /* A value that changes only once enters the frontier only once. */
    if (PROGRAM_FIRST_SUFFICES || qn_frontier_insert(&work->next, v))
      share_push(state, work, share, v);
  }
}

static inline program_message current_message(const struct engine_state *state, uint32_t u) {
  return program_send(&state->context, program_load_atomic(&state->values[u]),
                      sweep_out_degree(state->view, u));
}

/* All threads share the edges of one vertex. */
static inline void push_hub(struct engine_state *state, struct frontier_work *work, uint32_t u) {
  const uint64_t *offsets = state->out->row_offsets;
  program_message message = current_message(state, u);
#pragma omp parallel
  {
    struct frontier_share share = {.block.count = 0};
#pragma omp for schedule(static)
    for (uint64_t edge = offsets[u]; edge < offsets[u + 1]; edge++)
      push_edges(state, work, &share, message, edge, edge + 1);
    share_finish(work, &share);
  }
}

static inline void frontier_push(struct engine_state *state, struct frontier_work *work) {
  const uint64_t *offsets = state->out->row_offsets;
  const struct qn_frontier *current = &work->current;
  bool has_hubs = false;
#pragma omp parallel if (work->current_edges > 1024)
  {
    struct frontier_share share = {.block.count = 0};
#pragma omp for schedule(dynamic, 64) reduction(|| : has_hubs)
    for (uint64_t i = 0; i < current->count; i++) {
      uint32_t u = current->queue[i];
      if (offsets[u + 1] - offsets[u] > QN_HUB_EDGES)
        has_hubs = true;
      else
        push_edges(state, work, &share, current_message(state, u), offsets[u], offsets[u + 1]);
    }
    share_finish(work, &share);
  }
  for (uint64_t i = 0; has_hubs && i < current->count; i++)
    if (offsets[current->queue[i] + 1] - offsets[current->queue[i]] > QN_HUB_EDGES)
      push_hub(state, work, current->queue[i]);
  work->next.queued = true;
  work->next.marked = !PROGRAM_FIRST_SUFFICES;
}

#if !ENGINE_OWN_PULL

/* Combine into `v` what the senders among its in-neighbours offer; whether it changed. */
static inline bool pull_vertex(struct engine_state *state, const struct frontier_work *work,
                               uint32_t v) {
  const struct qn_csr *in = state->in;
  const uint32_t *sources = in->column_indices;
  const struct qn_frontier senders = work->current; /* local: atomics make no reload necessary */
  uint64_t end = in->row_offsets[v + 1];
  program_value old_value = state->values[v], new_value = old_value;
  for (uint64_t edge = in->row_offsets[v]; edge < end; edge++) {
    if (!qn_frontier_has(&senders, sources[edge]))
      continue;
    program_combine(&new_value,
                    program_gather(&state->context, current_message(state, sources[edge]),
                                   engine_weight(&in->weights, edge)));
    if (PROGRAM_FIRST_SUFFICES)
      break;
  }
  if (!program_active(&state->context, old_value, new_value))
    return false;
  program_combine_atomic(&state->values[v], new_value);
  return true;
}

static inline bool may_receive(const struct engine_state *state, uint32_t v) {
#if PROGRAM_FIRST_SUFFICES
  return program_open(&state->context, state->values[v]);
#else
  (void)state, (void)v;
  return true;
#endif
}

/* The vertices of a word of the bitmap that are open and have in-edges, whose first ones are asked
 * for at once: one after the other, each would be waited for. Returns their number. */
static inline uint32_t find_receivers(const struct engine_state *state, uint64_t word,
                                      uint32_t *receivers) {
  const uint64_t *offsets = state->in->row_offsets;
  uint64_t num_vertices = state->context.num_vertices;
  uint64_t end = word * 64 + 64 < num_vertices ? word * 64 + 64 : num_vertices;
  uint32_t count = 0;
  for (uint64_t v = word * 64; v < end; v++) {
    receivers[count] = (uint32_t)v;
    count += may_receive(state, (uint32_t)v) & (offsets[v] < offsets[v + 1]);
  }
  for (uint32_t i = 0; i < count; i++)
    __builtin_prefetch(&state->in->column_indices[offsets[receivers[i]]]);
  return count;
}

static inline void frontier_pull(struct engine_state *state, struct frontier_work *work) {
  uint64_t count = 0, edges = 0;
#pragma omp parallel for schedule(dynamic, 64) reduction(+ : count, edges)
  for (uint64_t word = 0; word < qn_frontier_words(&work->next); word++) {
    uint32_t receivers[64];
    uint32_t num_receivers = find_receivers(state, word, receivers);
    uint64_t bits = 0;
    for (uint32_t i = 0; i < num_receivers; i++)
      if (pull_vertex(state, work, receivers[i])) {
        bits |= (uint64_t)1 << (receivers[i] % 64);
        edges += engine_out_degree(state->view, receivers[i]);
      }
    work->next.bits[word] = bits;
    count += (uint64_t)__builtin_popcountll(bits);
  }
  work->next.count = count;
  work->next_edges = edges;
  work->next.marked = true;
  work->next.queued = false;
}

#endif

#endif
