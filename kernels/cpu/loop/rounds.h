/* Rounds of programs that have them (PROGRAM_ROUNDS). Template: needs a completed program.
 *
 * Rounds may be a thousand (k-cores of a skewed graph), and most vertices wait for none after the
 * first few: those that still do are kept in a list, so that a round costs what it concerns. */
#pragma once

#include "kernels/cpu/loop/frontier.h"
#include "kernels/cpu/loop/least.h"
#include "kernels/engine.h"
#include "support/memory.h"
#include "support/threads.h"

/* Passes over fewer vertices are not worth waking other threads. */
#define ROUNDS_PARALLEL ((uint64_t)1 << 16)

struct sweep_rounds {
  uint32_t *waiting; /* [V] the first `count` wait for a round, ascending; NULL: no rounds */
  uint64_t count, capacity;
};

/* Of the vertices [begin, end). */
static inline enum qn_status sweep_rounds_create_of(struct sweep_rounds *rounds, uint64_t begin,
                                                    uint64_t end, struct qn_error *error) {
  if (!PROGRAM_ROUNDS)
    return QN_OK;
  rounds->count = rounds->capacity = end - begin;
  enum qn_status status = qn_pages_alloc(&rounds->waiting, end - begin, sizeof *rounds->waiting,
                                         "vertices that wait", error);
  if (status)
    return status;
#pragma omp parallel for schedule(static)
  for (uint64_t v = begin; v < end; v++)
    rounds->waiting[v - begin] = (uint32_t)v;
  return QN_OK;
}

static inline enum qn_status sweep_rounds_create(struct sweep_rounds *rounds, uint64_t num_vertices,
                                                 struct qn_error *error) {
  return sweep_rounds_create_of(rounds, 0, num_vertices, error);
}

/* A zeroed struct is allowed. */
static inline void sweep_rounds_destroy(struct sweep_rounds *rounds) {
  qn_pages_free(rounds->waiting, rounds->capacity, sizeof *rounds->waiting);
}

#if PROGRAM_ROUNDS

/* The least round that vertices of the list [begin, end) wait for; those that wait for none leave
 * the list, which is then [begin, *kept). */
static inline double rounds_least(const struct qn_program_context *context,
                                  const program_value *values, uint32_t *waiting, uint64_t begin,
                                  uint64_t end, uint64_t *kept) {
  double least = INFINITY;
  uint64_t place = begin;
  for (uint64_t i = begin; i < end; i++) {
    double round = program_round(context, values[waiting[i]]);
    waiting[place] = waiting[i];
    place += round < INFINITY;
    least = round < least ? round : least; /* fmin heeds NaN, and is a call */
  }
  *kept = place;
  return least;
}

/* Drop the vertices that wait no more; the least round of the others. */
static inline double rounds_next(const struct qn_program_context *context,
                                 const program_value *values, struct sweep_rounds *rounds) {
  unsigned parts = rounds->count > ROUNDS_PARALLEL ? qn_threads() : 1;
  uint64_t kept[QN_MAX_THREADS], count = 0;
  double least = INFINITY;
#pragma omp parallel for schedule(static, 1) reduction(qn_least : least) if (parts > 1)
  for (unsigned part = 0; part < parts; part++) {
    uint64_t begin, end;
    qn_part_of(rounds->count, parts, part, &begin, &end);
    double round = rounds_least(context, values, rounds->waiting, begin, end, &kept[part]);
    least = round < least ? round : least;
  }
  for (unsigned part = 0; part < parts; part++) {
    uint64_t begin, end;
    qn_part_of(rounds->count, parts, part, &begin, &end);
    memmove(rounds->waiting + count, rounds->waiting + begin,
            (kept[part] - begin) * sizeof *rounds->waiting);
    count += kept[part] - begin;
  }
  rounds->count = count;
  return least;
}

/* This round begins: insert those that it wakes in `frontier`, which is empty. */
static inline void rounds_begin(struct qn_program_context *context, program_value *values,
                                const struct sweep_rounds *rounds, double round,
                                struct qn_frontier *frontier) {
  context->round = round;
#pragma omp parallel for schedule(static) if (rounds->count > ROUNDS_PARALLEL)
  for (uint64_t i = 0; i < rounds->count; i++) {
    uint32_t v = rounds->waiting[i];
    if (program_wake(context, &values[v]))
      qn_frontier_insert(frontier, v);
  }
}

#endif

/* When no vertex is active: begin the next round. False if there is none. `frontier` is empty. */
static inline bool sweep_round(struct qn_program_context *context, program_value *values,
                               struct sweep_rounds *rounds, struct qn_frontier *frontier) {
#if PROGRAM_ROUNDS
  double next = rounds_next(context, values, rounds);
  if (isinf(next))
    return false;
  rounds_begin(context, values, rounds, next, frontier);
  qn_frontier_adopt(frontier);
  return frontier->count > 0;
#else
  (void)context, (void)values, (void)rounds, (void)frontier;
  return false;
#endif
}
