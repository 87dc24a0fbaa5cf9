/* How near the senders are, a byte for each vertex. Part of engine.h.
 *
 * Where a program has priorities what is sent arrives as no less than along an edge of weight 0. So
 * a vertex needs nothing of senders that are farther than itself. Bytes are found in the cache
 * where messages are not, and most messages of a search in a graph with hubs need not be looked at:
 * their many edges lead to what is farther. Levels are an eighth of a doubling of the priority, so
 * that they need no knowledge of the weights. */
#pragma once

#include "kernels/cpu/set/senders.h"

#define NEAR_IS_KNOWN (PROGRAM_PRIORITY && PROGRAM_IN_PLACE && PROGRAM_NON_NEGATIVE)

#if NEAR_IS_KNOWN

/* The level of the farthest sender, and of what no sender has. */
#define NEAR_FARTHEST 254
#define NEAR_NO_SENDER 255
/* Edges of a row that are looked at with the same level. */
#define NEAR_EDGES 128

struct near {
  uint8_t *levels; /* [V] of senders; else NEAR_NO_SENDER */
  uint32_t base;   /* the level that becomes 0, as all below do */
  uint32_t least;  /* of all senders */
};

/* Without an end: exponent and three digits of the priority as f32, which keep the order. */
static inline uint32_t near_step(const struct qn_program_context *context, program_value value) {
  const double priority = program_priority(context, value);
  const float rounded = priority > 0 ? (float)priority : 0;
  uint32_t bits;
  memcpy(&bits, &rounded, sizeof bits);
  return bits >> 20;
}

static inline uint32_t near_level(const struct near *near, const struct qn_program_context *context,
                                  program_value value) {
  const uint32_t step = near_step(context, value);
  const uint32_t level = step > near->base ? step - near->base : 0;
  return level < NEAR_FARTHEST ? level : NEAR_FARTHEST;
}

/* May anything that is sent improve this value? */
static inline bool near_is_open(const struct near *near, const struct qn_program_context *context,
                                program_value value) {
  return near->least <= near_level(near, context, value);
}

/* What a sender contributes along an edge of this weight. */
static inline program_value near_contribution(const struct engine_state *state,
                                              const struct senders *senders, uint64_t u,
                                              program_weight weight) {
  return program_gather(&state->context,
                        senders->is_equal ? senders->message : senders->messages[u], weight);
}

/* All ranks' senders are known: find their levels. */
static inline void near_find(struct near *near, const struct engine_state *state,
                             const struct senders *senders) {
  const struct qn_program_context *context = &state->context;
  const uint64_t words = qn_frontier_words(&senders->all);
  uint32_t last = 0, least = NEAR_NO_SENDER;
#pragma omp parallel for schedule(static) reduction(max : last)
  for (uint64_t word = 0; word < words; word++)
    for (uint64_t bits = senders->all.bits[word]; bits; bits &= bits - 1) {
      const uint64_t u = word * 64 + (uint64_t)__builtin_ctzll(bits);
      const uint32_t step = near_step(context, near_contribution(state, senders, u, 0));
      last = step > last ? step : last;
    }
  near->base = last > NEAR_FARTHEST ? last - NEAR_FARTHEST : 0;
#pragma omp parallel for schedule(static) reduction(min : least)
  for (uint64_t word = 0; word < words; word++) {
    const uint64_t left = context->num_vertices - word * 64;
    memset(near->levels + word * 64, NEAR_NO_SENDER, left < 64 ? left : 64);
    for (uint64_t bits = senders->all.bits[word]; bits; bits &= bits - 1) {
      const uint64_t u = word * 64 + (uint64_t)__builtin_ctzll(bits);
      const uint32_t level = near_level(near, context, near_contribution(state, senders, u, 0));
      near->levels[u] = (uint8_t)level;
      least = level < least ? level : least;
    }
  }
  near->least = least;
}

/* Those of a row's edges [begin, end) whose sources send and are as near as `own` at least, counted
 * from `begin`; `levels` are those of the columns. Without branches: one that depends on a message
 * would wait for it. */
static inline uint32_t near_select(const uint8_t *levels, const uint32_t *sources, uint64_t begin,
                                   uint64_t end, uint32_t own, uint32_t *selected) {
  uint32_t count = 0;
  for (uint64_t edge = begin; edge < end; edge++) {
    selected[count] = (uint32_t)(edge - begin);
    count += levels[sources[edge]] <= own;
  }
  return count;
}

/* The least of what a vertex holds and its row brings. */
static inline program_value near_gather(const struct near *near, const struct engine_state *state,
                                        const struct senders *senders,
                                        const struct qn_part_rows *part, uint64_t row, uint64_t v) {
  const struct qn_csr *csr = part->csr;
  const uint64_t base = part->columns_begin;
  const uint64_t end = qn_part_row_end(part, row);
  uint32_t selected[NEAR_EDGES];
  program_value best = state->values[v];
  for (uint64_t begin = csr->row_offsets[row]; begin < end; begin += NEAR_EDGES) {
    const uint64_t last = end - begin < NEAR_EDGES ? end : begin + NEAR_EDGES;
    const uint32_t own = near_level(near, &state->context, best);
    const uint32_t count =
        near_select(near->levels + base, csr->column_indices, begin, last, own, selected);
    for (uint32_t i = 0; i < count; i++) {
      const uint64_t edge = begin + selected[i];
      program_combine(&best, near_contribution(state, senders, base + csr->column_indices[edge],
                                               engine_weight(&csr->weights, edge)));
    }
  }
  return best;
}

static inline enum qn_status near_create(struct near *near, uint64_t num_vertices,
                                         struct qn_error *error) {
  return engine_alloc(&near->levels, num_vertices, sizeof *near->levels, "levels of senders",
                      error);
}

static inline void near_destroy(struct near *near, uint64_t num_vertices) {
  qn_pages_free(near->levels, num_vertices, sizeof *near->levels);
}

#endif
