/* Pulling along plain in-edges in frontier programs that combine into the value itself: every
 * vertex that is open looks for senders among its in-neighbours. Part of engine.h. */
#pragma once

#include "kernels/cpu/csr/view.h"

#include "kernels/cpu/rows/push_in_place.h"

static inline bool frontier_can_pull(const struct engine_state *state) {
  return state->walk.in != NULL;
}

static inline bool frontier_keeps_messages(void) {
  return false; /* they are made of values, as these are */
}

/* Write an accumulator that nobody else writes, but others read (lane by lane). */
static inline void program_store_atomic(program_accumulator *into, program_accumulator from) {
  for (int lane = 0; lane < PROGRAM_LANES; lane++) {
    lane_bits bits;
    memcpy(&bits, (const program_lane *)&from + lane, sizeof bits);
    __atomic_store_n((lane_bits *)into + lane, bits, __ATOMIC_RELAXED);
  }
}

/* Where the contribution that changes a value takes its place, and where values alone say what is
 * sent, those who received the same contribution send the same message. */
#define PULL_KEEPS_COMMON                                                                          \
  (PROGRAM_LANES == 1 && PROGRAM_COMBINE != QN_OR && !PROGRAM_USES_OUT_DEGREE)

/* Combine a contribution into `v`, whose value nobody else writes; whether it changed. */
static inline bool receive(struct engine_state *state, uint32_t v,
                           program_accumulator contribution) {
  program_value old_value = state->values[v], new_value = old_value;
  program_combine(&new_value, contribution);
  if (!program_active(&state->context, old_value, new_value))
    return false;
  program_store_atomic(&state->values[v], new_value);
  return true;
}

/* Combine into `v` what the senders among its in-neighbours offer; whether it changed. Nobody else
 * writes its value. */
static inline bool pull_vertex(struct engine_state *state, const struct engine_work *work,
                               uint32_t v) {
  const struct qn_csr *in = state->walk.in;
  const uint32_t *sources = in->column_indices;
  const struct qn_frontier senders = work->current; /* local: atomics make no reload necessary */
  uint64_t end = in->row_offsets[v + 1];
  program_value old_value = state->values[v], new_value = old_value;
  for (uint64_t edge = in->row_offsets[v]; edge < end; edge++) {
    if (!qn_frontier_has(&senders, sources[edge]))
      continue;
    program_message message = sweep_current_message(state, sources[edge]);
    program_combine(&new_value,
                    program_gather(&state->context, message, engine_weight(&in->weights, edge)));
    if (PROGRAM_FIRST_SUFFICES)
      break;
  }
  if (!program_active(&state->context, old_value, new_value))
    return false;
  program_store_atomic(&state->values[v], new_value);
  return true;
}

/* The vertices of a word of the bitmap that are open and have in-edges. */
static inline uint64_t find_open(const struct engine_state *state, uint64_t word) {
  const uint64_t *offsets = state->walk.in->row_offsets;
  uint64_t num_vertices = state->context.num_vertices;
  uint64_t end = word * 64 + 64 < num_vertices ? word * 64 + 64 : num_vertices;
  uint64_t open = 0;
  for (uint64_t v = word * 64; v < end; v++)
    open |= (uint64_t)(sweep_is_open(state, v) & (offsets[v] < offsets[v + 1])) << (v % 64);
  return open;
}

/* Those that may be reached: after a pull they are what it has left. */
static inline uint64_t find_receivers(const struct engine_state *state,
                                      const struct engine_work *work, uint64_t word) {
#if PROGRAM_FIRST_SUFFICES
  if (work->open_in > 0 && work->open_in == state->context.iteration)
    return work->open[word];
#else
  (void)work;
#endif
  return find_open(state, word);
}

/* Their first in-edges are asked for ahead: one after the other, each would be waited for. */
static inline void expect_receivers(const struct engine_state *state, uint64_t word,
                                    uint64_t receivers) {
  const struct qn_csr *in = state->walk.in;
  for (uint64_t left = receivers; left; left &= left - 1)
    __builtin_prefetch(
        &in->column_indices[in->row_offsets[word * 64 + (uint64_t)__builtin_ctzll(left)]]);
}

/* In-edges of a receiver that are looked at without a branch. */
#define PULL_PROBES 2

/* Which receivers of a word have a sender at the end of in-edge number `nth`? Branches would be
 * mispredicted as often as not. Those of *receivers that have no more in-edges are taken out. */
static inline uint64_t probe_receivers(const struct engine_state *state,
                                       const struct engine_work *work, uint64_t word, uint64_t nth,
                                       uint64_t *receivers) {
  const uint64_t *offsets = state->walk.in->row_offsets + word * 64;
  const uint32_t *sources = state->walk.in->column_indices;
  const uint64_t *senders = work->current.bits;
  uint64_t reached = 0, more = 0;
  for (uint64_t left = *receivers; left; left &= left - 1) {
    const unsigned bit = (unsigned)__builtin_ctzll(left);
    const uint64_t edge = offsets[bit] + nth;
    const uint32_t u = sources[edge];
    reached |= (senders[u / 64] >> u % 64 & 1) << bit;
    more |= (uint64_t)(edge + 1 < offsets[bit + 1]) << bit;
  }
  *receivers = more & ~reached;
  return reached;
}

static inline bool has_sender(const struct engine_state *state, const struct engine_work *work,
                              uint32_t v, uint64_t nth) {
  const struct qn_csr *in = state->walk.in;
  const uint64_t *senders = work->current.bits;
  for (uint64_t edge = in->row_offsets[v] + nth; edge < in->row_offsets[v + 1]; edge++) {
    const uint32_t u = in->column_indices[edge];
    if (senders[u / 64] >> u % 64 & 1)
      return true;
  }
  return false;
}

/* Which of the receivers of a word have a sender among their in-neighbours? */
static inline uint64_t find_reached(const struct engine_state *state,
                                    const struct engine_work *work, uint64_t word,
                                    uint64_t receivers) {
  uint64_t reached = 0;
  for (uint64_t nth = 0; nth < PULL_PROBES; nth++)
    reached |= probe_receivers(state, work, word, nth, &receivers);
  for (uint64_t left = receivers; left; left &= left - 1)
    if (has_sender(state, work, (uint32_t)(word * 64 + (uint64_t)__builtin_ctzll(left)),
                   PULL_PROBES))
      reached |= left & -left;
  return reached;
}

/* Which of the receivers of a word get something. */
static inline uint64_t pull_word(struct engine_state *state, const struct engine_work *work,
                                 const struct common_message *common, uint64_t word,
                                 uint64_t receivers, uint64_t *edges) {
  uint64_t reached = 0;
  if (common->is_known)
    receivers = find_reached(state, work, word, receivers);
  for (uint64_t left = receivers; left; left &= left - 1) {
    uint32_t v = (uint32_t)(word * 64 + (uint64_t)__builtin_ctzll(left));
    if (common->is_known ? !receive(state, v, common->contribution) : !pull_vertex(state, work, v))
      continue;
    reached |= left & -left;
    *edges += engine_out_degree(state->view, v);
  }
  return reached;
}

/* Words of the bitmap that a thread goes through at a time. */
#define PULL_WORDS 64

static inline uint64_t pull_words(struct engine_state *state, struct engine_work *work,
                                  const struct common_message *common, uint64_t begin, uint64_t end,
                                  uint64_t *edges) {
  uint64_t count = 0, next = find_receivers(state, work, begin);
  expect_receivers(state, begin, next);
  for (uint64_t word = begin; word < end; word++) {
    const uint64_t receivers = next;
    if (word + 1 < end) {
      next = find_receivers(state, work, word + 1);
      expect_receivers(state, word + 1, next);
    }
    const uint64_t reached = pull_word(state, work, common, word, receivers, edges);
    work->next.bits[word] = reached;
    count += (uint64_t)__builtin_popcountll(reached);
#if PROGRAM_FIRST_SUFFICES
    work->open[word] = receivers & ~reached;
#endif
  }
  return count;
}

static inline bool are_alike(const struct engine_work *work) {
#if PROGRAM_FIRST_SUFFICES
  return work->alike;
#else
  (void)work;
  return false;
#endif
}

static inline void frontier_pull(struct engine_state *state, struct engine_work *work) {
  const struct common_message common = find_common_message(state, &work->current, are_alike(work));
  const uint64_t words = qn_frontier_words(&work->next);
  uint64_t count = 0, edges = 0;
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : count, edges)
  for (uint64_t begin = 0; begin < words; begin += PULL_WORDS)
    count += pull_words(state, work, &common, begin,
                        begin + PULL_WORDS < words ? begin + PULL_WORDS : words, &edges);
#if PROGRAM_FIRST_SUFFICES
  work->open_in = state->context.iteration + 1;
  work->alike = PULL_KEEPS_COMMON && common.is_known;
#endif
  frontier_marked(work, count, edges);
}
