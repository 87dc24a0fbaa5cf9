/* What changed in an iteration of a frontier program, told to all ranks: of each vertex with a new
 * value its number, that value, and whether it is active next. A rank of which many changed sends
 * the values of all of its vertices instead, which is less than their numbers. Part of engine.h. */
#ifndef QN_KERNELS_CPU_SET_CHANGES_H
#define QN_KERNELS_CPU_SET_CHANGES_H

#include "kernels/cpu/set/share.h"

#include "kernels/cpu/loop/frontier.h"

struct share_changes {
  uint64_t *counts;  /* [num_ranks] vertices with new values; ALL_OF_THEM: as it says */
  uint64_t *offsets; /* [num_ranks + 1] where each rank's bytes begin in `bytes` */
  char *bytes;       /* what is told, [capacity] */
  uint64_t capacity;
};

#define ALL_OF_THEM UINT64_MAX
/* Of one vertex that changed: its number, its value, one byte more. */
#define CHANGE_BYTES (sizeof(uint32_t) + sizeof(program_value) + 1)

static inline uint64_t share_rank_vertices(const engine_view *view, unsigned rank) {
  return view->first_vertices[rank + 1] - view->first_vertices[rank];
}

/* What a rank says: numbers, then values, then bytes that are 1 where the vertex is active; of all
 * its vertices no numbers. */
static inline uint64_t share_rank_bytes(const engine_view *view, const uint64_t *counts,
                                        unsigned rank) {
  return counts[rank] == ALL_OF_THEM ? share_rank_vertices(view, rank) * (sizeof(program_value) + 1)
                                     : counts[rank] * CHANGE_BYTES;
}

static inline void share_write_all(const struct engine_state *state, char *to, uint64_t first,
                                   uint64_t count, const struct qn_frontier *next) {
  char *active = to + count * sizeof(program_value);
  memcpy(to, state->values + first, count * sizeof(program_value));
#pragma omp parallel for schedule(static)
  for (uint64_t i = 0; i < count; i++)
    active[i] = qn_frontier_has(next, first + i);
}

static inline void share_write_some(const struct engine_state *state, char *to, uint64_t first,
                                    uint64_t last, uint64_t count,
                                    const struct qn_frontier *changed,
                                    const struct qn_frontier *next) {
  char *values = to + count * sizeof(uint32_t), *active = values + count * sizeof(program_value);
  uint64_t place = 0;
  for (uint64_t word = first / 64; count > 0 && word <= (last - 1) / 64; word++)
    for (uint64_t bits = changed->bits[word]; bits && place < count; bits &= bits - 1, place++) {
      uint32_t v = (uint32_t)(word * 64 + (uint64_t)__builtin_ctzll(bits));
      memcpy(to + place * sizeof v, &v, sizeof v);
      memcpy(values + place * sizeof(program_value), &state->values[v], sizeof(program_value));
      active[place] = qn_frontier_has(next, v);
    }
}

static inline void share_read(struct engine_state *state, const char *from, uint64_t first,
                              uint64_t count, bool numbered, struct qn_frontier *next) {
  const char *values = from + (numbered ? count * sizeof(uint32_t) : 0);
  const char *active = values + count * sizeof(program_value);
#pragma omp parallel for schedule(static)
  for (uint64_t i = 0; i < count; i++) {
    uint32_t v = (uint32_t)(first + i);
    if (numbered)
      memcpy(&v, from + i * sizeof v, sizeof v);
    memcpy(&state->values[v], values + i * sizeof(program_value), sizeof(program_value));
    if (active[i])
      qn_frontier_insert(next, v);
  }
}

static inline enum qn_status share_reserve(struct share_changes *share, uint64_t bytes,
                                           struct qn_error *error) {
  if (bytes <= share->capacity)
    return QN_OK;
  qn_pages_free(share->bytes, share->capacity, 1);
  share->bytes = NULL;
  share->capacity = 0;
  enum qn_status status = qn_pages_alloc(&share->bytes, bytes, 1, "what changed", error);
  if (!status)
    share->capacity = bytes;
  return status;
}

/* How many of its vertices this rank tells of. `changed` is of those alone. */
static inline uint64_t share_count(const engine_view *view, const struct qn_frontier *changed) {
  uint64_t count = 0;
#pragma omp parallel for schedule(static) reduction(+ : count)
  for (uint64_t word = 0; word < qn_frontier_words(changed); word++)
    count += (uint64_t)__builtin_popcountll(changed->bits[word]);
  uint64_t all = share_rank_vertices(view, view->exchange->rank) * (sizeof(program_value) + 1);
  return count * CHANGE_BYTES >= all && all > 0 ? ALL_OF_THEM : count;
}

static inline void share_write(const struct engine_state *state, struct share_changes *share,
                               const struct qn_frontier *changed, const struct qn_frontier *next) {
  const engine_view *view = state->view;
  const unsigned own = view->exchange->rank;
  uint64_t first = view->first_vertices[own], last = view->first_vertices[own + 1];
  char *to = share->bytes + share->offsets[own];
  if (share->counts[own] == ALL_OF_THEM)
    share_write_all(state, to, first, last - first, next);
  else
    share_write_some(state, to, first, last, share->counts[own], changed, next);
}

static inline void share_read_others(struct engine_state *state, const struct share_changes *share,
                                     struct qn_frontier *next) {
  const engine_view *view = state->view;
  for (unsigned rank = 0; rank < view->exchange->num_ranks; rank++) {
    bool all = share->counts[rank] == ALL_OF_THEM;
    if (rank != view->exchange->rank)
      share_read(state, share->bytes + share->offsets[rank], view->first_vertices[rank],
                 all ? share_rank_vertices(view, rank) : share->counts[rank], !all, next);
  }
}

/* All ranks get the values of all vertices in `changed`, which is empty afterwards, and all bits of
 * `next`. */
static inline enum qn_status share_changes(struct engine_state *state, struct share_changes *share,
                                           struct qn_frontier *changed, struct qn_frontier *next,
                                           struct qn_error *error) {
  const engine_view *view = state->view;
  const struct qn_exchange *exchange = view->exchange;
  if (!exchange)
    return QN_OK;
  for (unsigned rank = 0; rank <= exchange->num_ranks; rank++)
    share->offsets[rank] = rank * sizeof *share->counts;
  share->counts[exchange->rank] = share_count(view, changed);
  enum qn_status status = exchange->gather(share->counts, share->offsets, error);
  share->offsets[0] = 0;
  for (unsigned rank = 0; rank < exchange->num_ranks; rank++)
    share->offsets[rank + 1] = share->offsets[rank] + share_rank_bytes(view, share->counts, rank);
  if (!status)
    status = share_reserve(share, share->offsets[exchange->num_ranks], error);
  if (!status) {
    share_write(state, share, changed, next);
    status = exchange->gather(share->bytes, share->offsets, error);
  }
  if (!status)
    share_read_others(state, share, next);
  memset(changed->bits, 0, qn_frontier_words(changed) * sizeof *changed->bits);
  return status;
}

static inline enum qn_status share_changes_create(const struct engine_state *state,
                                                  struct share_changes *share,
                                                  struct qn_error *error) {
  const struct qn_exchange *exchange = state->view->exchange;
  if (!exchange)
    return QN_OK;
  enum qn_status status = qn_alloc(&share->counts, exchange->num_ranks, sizeof *share->counts,
                                   "counts of ranks", error);
  return status ? status
                : qn_alloc(&share->offsets, exchange->num_ranks + 1, sizeof *share->offsets,
                           "offsets of ranks", error);
}

static inline void share_changes_destroy(struct share_changes *share) {
  qn_pages_free(share->bytes, share->capacity, 1);
  qn_free(share->offsets);
  qn_free(share->counts);
}

#endif
