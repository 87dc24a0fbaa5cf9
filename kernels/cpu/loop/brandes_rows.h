/* How rows of a layout collect for brandes.h: those of the level that takes sum up, where there are
 * rows in that direction; else rows of the level that gives add to their columns, of which each
 * thread has its own. A kernel defines, before it includes this, what rows are in one direction:
 *
 *   struct brandes_rows
 *   double brandes_sum(const struct brandes_rows *rows, const double *offer, uint32_t v)
 *
 * and, where a graph may have rows in one direction alone, BRANDES_GIVES and what adds offer[v] to
 * v's columns in [begin, end) that are of level `to`:
 *
 *   void brandes_give(const struct brandes_rows *rows, const struct brandes_step *step, uint32_t v,
 *                     uint64_t begin, uint64_t end) */
#pragma once

#include <omp.h>

#include "kernels/cpu/loop/brandes_step.h"
#include "support/threads.h"
#include <quern/error.h>

struct brandes_edges {
  struct brandes_rows out, in;
#ifdef BRANDES_GIVES
  bool has_out, has_in; /* one at least */
#endif
};

static void take_level(const struct brandes_rows *rows, const struct brandes_step *step) {
  uint64_t count;
  const uint32_t *vertices = brandes_level(step->levels, step->to, &count);
#pragma omp parallel for schedule(dynamic, 64) if (count > FEW_VERTICES)
  for (uint64_t i = 0; i < count; i++)
    step->into[vertices[i]] = brandes_sum(rows, step->offer, vertices[i]);
}

#ifdef BRANDES_GIVES
static void give_level(const struct brandes_rows *rows, const struct brandes_step *step) {
  uint64_t num_takers, num_givers;
  const uint32_t *takers = brandes_level(step->levels, step->to, &num_takers);
  const uint32_t *givers = brandes_level(step->levels, step->from, &num_givers);
#pragma omp parallel if (num_takers + num_givers > FEW_VERTICES)
  {
    uint64_t begin, end;
    qn_part_of(step->levels->num_vertices, (unsigned)omp_get_num_threads(),
               (unsigned)omp_get_thread_num(), &begin, &end);
#pragma omp for schedule(static)
    for (uint64_t i = 0; i < num_takers; i++)
      step->into[takers[i]] = 0;
    for (uint64_t i = 0; i < num_givers; i++)
      brandes_give(rows, step, givers[i], begin, end);
  }
}
#endif

static enum qn_status brandes_collect(const struct brandes_edges *edges,
                                      const struct brandes_step *step, struct qn_error *error) {
  (void)error;
#ifdef BRANDES_GIVES
  if (!(step->is_forwards ? edges->has_in : edges->has_out)) {
    give_level(step->is_forwards ? &edges->out : &edges->in, step);
    return QN_OK;
  }
#endif
  take_level(step->is_forwards ? &edges->in : &edges->out, step);
  return QN_OK;
}
