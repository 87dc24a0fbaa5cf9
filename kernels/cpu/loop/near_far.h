/* Vertices that wait because their priority is far from the least one. Template for engines on the
 * CPU that keep active vertices in a bitmap; needs a completed program with PROGRAM_PRIORITY.
 *
 * A vertex whose value is beyond a limit waits until no other is active; then the limit goes up
 * (Davidson, Baxter, Garland, Owens: Work-Efficient Parallel GPU Methods for Single-Source
 * Shortest Paths, IPDPS 2014, "near-far"). */
#pragma once

#include "kernels/cpu/loop/frontier.h"
#include "kernels/cpu/loop/least.h"
#include "kernels/engine.h"
#include "support/memory.h"

/* Passes over the bitmap of fewer words are not worth waking other threads. */
#define NEAR_FAR_PARALLEL_WORDS 1024

struct near_far {
  uint64_t num_words;
  uint64_t *waiting; /* [num_words] bitmap; among them vertices that do not wait any more */
  double limit, delta;
};

/* The mean weight, of a sample. */
static inline double mean_weight(const struct qn_weights *weights, uint64_t num_edges) {
  uint64_t step = num_edges / 4096 + 1, count = 0;
  double sum = 0;
  for (uint64_t e = 0; e < num_edges; e += step, count++)
    sum += (double)engine_weight(weights, e);
  return count ? sum / (double)count : 1;
}

/* The usual width of a step of the limit: 32 mean weights over the mean degree (Davidson and
 * others' choice). */
static inline double near_far_delta(double mean_weight, uint64_t num_vertices, uint64_t num_edges) {
  const double delta = 32 * mean_weight / fmax((double)num_edges / (double)(num_vertices | 1), 1);
  return delta > 0 ? delta : 1;
}

/* `delta` is the width of a step of the limit; 0: the usual one of these weights. Give back with
 * near_far_destroy. */
static inline enum qn_status near_far_create(struct near_far *far, double delta,
                                             const struct qn_weights *weights,
                                             uint64_t num_vertices, uint64_t num_edges,
                                             struct qn_error *error) {
  far->num_words = num_vertices / 64 + 1;
  far->delta =
      delta > 0 ? delta : near_far_delta(mean_weight(weights, num_edges), num_vertices, num_edges);
  far->limit = far->delta;
  return qn_pages_alloc(&far->waiting, far->num_words, sizeof *far->waiting,
                        "set of waiting vertices", error);
}

static inline void near_far_destroy(struct near_far *far) {
  qn_pages_free(far->waiting, far->num_words, sizeof *far->waiting);
}

/* True if a vertex of this new value has to wait; any thread may call. */
static inline bool near_far_waits(struct near_far *far, const struct qn_program_context *context,
                                  program_value value, uint64_t vertex) {
  if (program_priority(context, value) < far->limit)
    return false;
  uint64_t bit = (uint64_t)1 << (vertex % 64);
  if (!(__atomic_load_n(&far->waiting[vertex / 64], __ATOMIC_RELAXED) & bit))
    __atomic_fetch_or(&far->waiting[vertex / 64], bit, __ATOMIC_RELAXED);
  return true;
}

/* Forget vertices that were improved below the limit since, and so have been active; the least
 * priority of the others. */
static inline double near_far_least(struct near_far *far, const struct qn_program_context *context,
                                    const program_value *values) {
  double least = INFINITY;
#pragma omp parallel for schedule(static)                                                          \
    reduction(qn_least                                                                             \
              : least) if (far->num_words > NEAR_FAR_PARALLEL_WORDS)
  for (uint64_t word = 0; word < far->num_words; word++)
    for (uint64_t bits = far->waiting[word]; bits; bits &= bits - 1) {
      uint64_t v = word * 64 + (uint64_t)__builtin_ctzll(bits);
      double priority = program_priority(context, values[v]);
      if (priority < far->limit)
        far->waiting[word] &= ~(bits & -bits);
      else if (priority < least)
        least = priority;
    }
  return least;
}

/* When no vertex is active: raise the limit above the least priority that waits, and add the
 * vertices below it to the bitmap `active`. False if none waits. */
static inline bool near_far_refill(struct near_far *far, const struct qn_program_context *context,
                                   const program_value *values, uint64_t *active) {
  double least = near_far_least(far, context, values);
  if (isinf(least))
    return false;
  far->limit = least + far->delta;
  if (!(far->limit > least)) /* delta is lost in rounding */
    far->limit = INFINITY;
#pragma omp parallel for schedule(static) if (far->num_words > NEAR_FAR_PARALLEL_WORDS)
  for (uint64_t word = 0; word < far->num_words; word++)
    for (uint64_t bits = far->waiting[word]; bits; bits &= bits - 1) {
      uint64_t v = word * 64 + (uint64_t)__builtin_ctzll(bits);
      if (program_priority(context, values[v]) >= far->limit)
        continue;
      far->waiting[word] &= ~(bits & -bits);
      active[word] |= bits & -bits;
    }
  return true;
}
