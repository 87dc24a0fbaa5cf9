/* Frontier programs on packed rows: tiles of out-edges with active vertices push; where there are
 * no out-edges, or sums must have one order, all rows of in-edges look for active ones. Where the
 * first contribution suffices, they do so in steps in which much would be pushed. Part of
 * engine.h. */
#pragma once

#include "kernels/cpu/packed/view.h"

#if PACKED_IN_PLACE
#include "kernels/cpu/loop/in_place.h"
#else
#include "kernels/cpu/loop/collect.h"
#endif

/* Would the receiver change? Else no other thread need be kept waiting. */
static inline bool changes(const struct engine_state *state, uint32_t receiver,
                           program_accumulator contribution) {
#if PACKED_IN_PLACE
  (void)state, (void)receiver, (void)contribution;
  return true; /* work_receive looks */
#elif PROGRAM_IN_PLACE
  const program_value value = state->values[receiver];
  program_accumulator combined = value;
  program_combine(&combined, contribution);
  return program_active(&state->context, value, combined);
#else
  (void)receiver;
  return sweep_is_open(state, receiver) && !program_refuses(contribution);
#endif
}

/* Pull once more than 1 / PULL_TILES of all tiles have senders: hubs fill theirs, and others' must
 * be decoded whole for a few edges. */
#define PULL_TILES 12

/* ---- Pushing ------------------------------------------------------------------------ */

/* Is a vertex of the tile's rows active? */
static inline bool has_sender(const struct qn_frontier *current, const struct qn_packed_rows *rows,
                              uint64_t number) {
  const uint64_t begin = rows->tile_rows[number];
  const uint64_t end = begin + qn_packed_num_rows(rows->tile_rows, number, rows->num_vertices);
  uint64_t bits = 0;
  if (end > rows->num_vertices || begin == end)
    return false;
  for (uint64_t word = begin / 64; word <= (end - 1) / 64; word++)
    bits |= current->bits[word] & qn_bits_between(word, begin, end);
  return bits != 0;
}

/* Receivers are queued in `queue`, too, unless it is NULL. */
static inline void push_row(struct engine_state *state, struct engine_work *work,
                            const struct qn_packed_tile *tile, const struct qn_weights *weights,
                            uint32_t row, struct qn_queue_block *queue) {
  const program_message message = sweep_current_message(state, tile->first_row + row);
  for (uint32_t edge = tile->begins[row]; edge < tile->begins[row + 1]; edge++) {
    const uint32_t receiver = tile->columns[edge];
    if (edge + PUSH_AHEAD < tile->num_edges)
      __builtin_prefetch(&state->values[tile->columns[edge + PUSH_AHEAD]]);
    const program_accumulator contribution = program_contribution(
        &state->context, message, engine_weight(weights, edge), state->values, receiver);
    if (changes(state, receiver, contribution) &&
        work_receive(state, work, receiver, contribution) && queue)
      qn_frontier_push(&work->received, queue, receiver);
  }
}

static inline void push_tile(struct engine_state *state, struct engine_work *work, uint64_t number,
                             struct qn_queue_block *queue) {
  const struct qn_packed_tile *tile = walk_decode(&state->walk, number);
  const struct qn_weights weights = walk_weights(&state->walk, tile);
  for (uint32_t row = 0; row < tile->num_rows; row++)
    if (tile->begins[row] < tile->begins[row + 1] &&
        qn_frontier_has(&work->current, tile->first_row + row))
      push_row(state, work, tile, &weights, row, queue);
}

/* ---- Pushing from few --------------------------------------------------------------- */

/* So many senders are found one by one: more, and all tiles are asked whether they have some. */
#define FEW_SENDERS 64
/* Fewer tiles are not worth waking other threads. */
#define LIST_PARALLEL 16

static inline void list_tile(struct engine_walk *walk, uint64_t tile) {
  if (qn_bit_set(walk->are_listed, tile))
    walk->listed[walk->num_listed++] = tile;
}

/* The tiles with edges of a row: those that begin with it, and the one before. */
static inline void list_row(struct engine_walk *walk, const struct qn_packed_rows *rows,
                            uint32_t row) {
  uint64_t tile = qn_packed_find(rows, row);
  if (tile > 0 && row - rows->tile_rows[tile - 1] <
                      qn_packed_num_rows(rows->tile_rows, tile - 1, rows->num_vertices))
    list_tile(walk, tile - 1);
  for (; tile < rows->num_tiles && rows->tile_rows[tile] == row; tile++)
    list_tile(walk, tile);
}

static inline void forget_list(struct engine_walk *walk) {
  for (uint64_t i = 0; i < walk->num_listed; i++)
    walk->are_listed[walk->listed[i] / 64] = 0;
  walk->num_listed = 0;
}

/* The senders' tiles, if there are few senders and their edges are to be pushed along; else none
 * and false. */
static inline bool list_senders(struct engine_walk *walk, struct engine_work *work) {
  const struct qn_packed_rows *rows = walk_pushed_rows(walk);
  if (!rows || work->current.count > FEW_SENDERS + rows->num_tiles / 64)
    return false;
  qn_frontier_enqueue(&work->current);
  for (uint64_t i = 0; i < work->current.count; i++)
    list_row(walk, rows, work->current.queue[i]);
  if (!walk->in || walk->num_listed <= rows->num_tiles / PULL_TILES)
    return true;
  forget_list(walk);
  return false;
}

static inline void push_listed(struct engine_state *state, struct engine_work *work) {
  struct engine_walk *walk = &state->walk;
  walk->rows = walk_pushed_rows(walk);
  walk->pulls = false;
  work->received.queued = true;
#pragma omp parallel if (walk->num_listed > LIST_PARALLEL)
  {
    struct qn_queue_block receivers;
    receivers.count = 0;
#pragma omp for schedule(dynamic, 1) nowait
    for (uint64_t i = 0; i < walk->num_listed; i++)
      push_tile(state, work, walk->listed[i], &receivers);
    qn_frontier_flush(&work->received, &receivers);
  }
  forget_list(walk);
}

/* ---- Pulling ------------------------------------------------------------------------ */

#if PROGRAM_FIRST_SUFFICES && !PROGRAM_USES_WEIGHTS

/* What the first of the row's active neighbours that is found sends; false if there is none. Rows
 * are decoded as far as that. */
static inline bool search_row(const struct engine_state *state, const struct engine_work *work,
                              const struct common_message *common,
                              const struct qn_packed_tile *tile, struct qn_packed_search *search,
                              uint32_t row, program_accumulator *sum) {
  struct qn_packed_place place = {
      .row = row, .edge = tile->begins[row], .end = tile->begins[row + 1]};
  *sum = program_identity();
  if (!sweep_is_open(state, tile->first_row + row))
    return false;
  while (place.edge < place.end) {
    uint32_t columns[QN_PACKED_GROUP];
    const uint32_t count = qn_packed_search_next(search, &place, columns);
    for (uint32_t i = 0; i < count; i++)
      if (qn_frontier_has(&work->current, columns[i])) {
        *sum = common->is_known
                   ? common->contribution
                   : program_gather(&state->context, sweep_current_message(state, columns[i]), 1);
        return true;
      }
  }
  return false;
}

#else

/* Combine what the row's active neighbours send; false if there is none. */
static inline bool pull_row(const struct engine_state *state, const struct engine_work *work,
                            const struct qn_packed_tile *tile, const struct qn_weights *weights,
                            uint32_t row, program_accumulator *sum) {
  const uint32_t vertex = tile->first_row + row;
  bool received = false;
  *sum = program_identity();
  if (!sweep_is_open(state, vertex))
    return false;
  for (uint32_t edge = tile->begins[row]; edge < tile->begins[row + 1]; edge++) {
    const uint32_t sender = tile->columns[edge];
    if (!qn_frontier_has(&work->current, sender))
      continue;
    program_combine(sum, program_contribution(&state->context, sweep_current_message(state, sender),
                                              engine_weight(weights, edge), state->values, vertex));
    received = true;
    if (PROGRAM_FIRST_SUFFICES)
      break;
  }
  return received;
}

#endif

#if PACKED_IN_PLACE

static inline void end_row(struct engine_state *state, struct engine_work *work, uint64_t number,
                           uint64_t vertex, program_accumulator sum, bool received) {
  (void)number;
  if (received)
    work_receive(state, work, vertex, sum);
}

static inline void pull_heads(const struct engine_walk *walk, struct engine_work *work) {
  (void)walk, (void)work;
}

#else

/* What the first row of a tile received may be a part of its sum, for which pull_heads adds it. */
static inline void end_row(struct engine_state *state, struct engine_work *work, uint64_t number,
                           uint64_t vertex, program_accumulator sum, bool received) {
  const struct engine_walk *walk = &state->walk;
  const uint32_t *tile_rows = walk->rows->tile_rows;
  if (vertex == tile_rows[number] && !qn_packed_begins_range(tile_rows, number)) {
    walk->heads[number] = sum;
    walk->head_received[number] = received;
  } else if (received) {
    work->sums[vertex] = sum;
    qn_frontier_insert(&work->received, vertex);
  }
}

/* What rows received in other tiles than their first. */
static inline void pull_heads(const struct engine_walk *walk, struct engine_work *work) {
  const uint32_t *tile_rows = walk->rows->tile_rows;
  for (uint64_t tile = 0; tile < walk->rows->num_tiles; tile++)
    if (!qn_packed_begins_range(tile_rows, tile) && walk->head_received[tile]) {
      program_combine(&work->sums[tile_rows[tile]], walk->heads[tile]);
      qn_frontier_insert(&work->received, tile_rows[tile]);
    }
}

#endif

static inline void pull_tile(struct engine_state *state, struct engine_work *work,
                             const struct common_message *common, uint64_t number) {
  const struct engine_walk *walk = &state->walk;
  program_accumulator sum;
#if PROGRAM_FIRST_SUFFICES && !PROGRAM_USES_WEIGHTS
  struct qn_packed_tile *tile = &walk->tiles[omp_get_thread_num()];
  struct qn_packed_search search;
  qn_packed_search_begin(walk->rows, number, tile, &search);
  for (uint32_t row = 0; row < tile->num_rows; row++) {
    const bool received = search_row(state, work, common, tile, &search, row, &sum);
    end_row(state, work, number, (uint64_t)tile->first_row + row, sum, received);
  }
#else
  (void)common;
  const struct qn_packed_tile *tile = walk_decode(walk, number);
  const struct qn_weights weights = walk_weights(walk, tile);
  for (uint32_t row = 0; row < tile->num_rows; row++) {
    const bool received = pull_row(state, work, tile, &weights, row, &sum);
    end_row(state, work, number, (uint64_t)tile->first_row + row, sum, received);
  }
#endif
}

/* ---- Steps ------------------------------------------------------------------------- */

#if PACKED_IN_PLACE

/* The mean weight, of a sample. */
static inline double mean_packed_weight(const struct qn_packed_rows *rows) {
  uint64_t loaded[64], counted = 0;
  const struct qn_weights weights = {.type = rows->weights.type, .data = loaded};
  double sum = 0;
  for (uint64_t first = 0; first < rows->num_edges; first += rows->num_edges / 64 + 64) {
    const uint64_t rest = rows->num_edges - first, count = rest < 64 ? rest : 64;
    qn_packed_load_weights(rows, first, count, loaded);
    for (uint64_t i = 0; i < count; i++)
      sum += (double)engine_weight(&weights, i);
    counted += count;
  }
  return counted ? sum / (double)counted : 1;
}

static inline double walk_delta(const struct engine_state *state) {
#if PROGRAM_PRIORITY
  const struct qn_packed_rows *rows = walk_pushed_rows(&state->walk);
  if (!rows)
    return INFINITY; /* each step walks all in-edges */
  return state->request->delta > 0
             ? state->request->delta
             : near_far_delta(mean_packed_weight(rows), rows->num_vertices, rows->num_edges);
#else
  (void)state;
  return 0;
#endif
}

#endif

static inline void choose_rows(struct engine_state *state, const struct engine_work *work) {
  struct engine_walk *walk = &state->walk;
  uint64_t senders = 0;
  if (!walk->in)
    return;
#pragma omp parallel for schedule(static) reduction(+ : senders)
  for (uint64_t tile = 0; tile < walk->out->num_tiles; tile++)
    senders += has_sender(&work->current, walk->out, tile);
  walk->pulls = senders > walk->out->num_tiles / PULL_TILES;
  walk->rows = walk->pulls ? walk->in : walk->out;
}

/* Go through all tiles. */
static inline const char *walk_tiles(struct engine_state *state, struct engine_work *work) {
  work->received.queued = false;
  const struct qn_packed_rows *rows = state->walk.rows;
  struct common_message common = {.is_known = false};
  if (state->walk.pulls)
    common = find_common_message(state, &work->current, false);
#pragma omp parallel for schedule(dynamic, 16)
  for (uint64_t tile = 0; tile < rows->num_tiles; tile++) {
    if (state->walk.pulls)
      pull_tile(state, work, &common, tile);
    else if (has_sender(&work->current, rows, tile))
      push_tile(state, work, tile, NULL);
  }
  if (state->walk.pulls)
    pull_heads(&state->walk, work);
  return state->walk.pulls ? "pull" : "push";
}

static inline const char *walk_senders(struct engine_state *state, struct engine_work *work) {
  if (list_senders(&state->walk, work)) {
    push_listed(state, work);
    return "push";
  }
  choose_rows(state, work);
  return walk_tiles(state, work);
}
