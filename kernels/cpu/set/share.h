/* What the ranks of a run tell each other: all that each has found of its own vertices or parts.
 * Where there is one process nothing happens. Part of engine.h. */
#pragma once

#include "kernels/cpu/set/view.h"

#include "kernels/cpu/loop/state.h"

/* Where the ranks' items begin, of `bytes` each: by qn_free. */
static inline enum qn_status share_offsets(const engine_view *view, const uint64_t *firsts,
                                           uint64_t bytes, uint64_t **offsets,
                                           struct qn_error *error) {
  const uint64_t count = view->exchange->num_ranks + (uint64_t)1;
  enum qn_status status = qn_alloc(offsets, count, sizeof **offsets, "offsets of ranks", error);
  for (uint64_t rank = 0; !status && rank < count; rank++)
    (*offsets)[rank] = firsts[rank] * bytes;
  return status;
}

/* `array` has `bytes` for each item, of which rank r has set [firsts[r], firsts[r + 1]). */
static inline enum qn_status share_array(const engine_view *view, const uint64_t *firsts,
                                         void *array, uint64_t bytes, struct qn_error *error) {
  uint64_t *offsets;
  if (!view->exchange)
    return QN_OK;
  enum qn_status status = share_offsets(view, firsts, bytes, &offsets, error);
  if (status)
    return status;
  status = view->exchange->gather(array, offsets, error);
  qn_free(offsets);
  return status;
}

static inline unsigned share_ranks(const engine_view *view) {
  return view->exchange ? view->exchange->num_ranks : 1;
}

static inline unsigned share_own(const engine_view *view) {
  return view->exchange ? view->exchange->rank : 0;
}

/* One item of each rank, in `array` [num_ranks]. */
static inline enum qn_status share_items(const engine_view *view, void *array, uint64_t bytes,
                                         struct qn_error *error) {
  uint64_t *firsts;
  if (!view->exchange)
    return QN_OK;
  enum qn_status status = qn_alloc(&firsts, view->exchange->num_ranks + (uint64_t)1, sizeof *firsts,
                                   "offsets of ranks", error);
  for (unsigned rank = 0; !status && rank <= view->exchange->num_ranks; rank++)
    firsts[rank] = rank;
  if (!status)
    status = share_array(view, firsts, array, bytes, error);
  qn_free(firsts);
  return status;
}
