/* All-active programs on the parts of a set: all ranks have the messages of all vertices, and each
 * vertex of this process sums up its in-edges' contributions, part by part; or ranks form a grid
 * (grid.h). Part of engine.h.
 *
 * By whole rows, where ranks have memory for the messages of two iterations, those of the next are
 * told while edges are walked: a slice of a part sends when its rows have their sums. */
#pragma once

#include <omp.h>

#include "kernels/cpu/set/filled.h"
#include "kernels/cpu/set/view.h"

#include "kernels/cpu/loop/gather.h"
#include "kernels/cpu/loop/sending.h"
#include "kernels/cpu/set/grid.h"
#include "kernels/cpu/set/share.h"
#include "kernels/cpu/set/walk.h"

/* Edges of a hub that one thread combines at a time. */
#define HUB_SEGMENT ((uint64_t)1 << 16)

/* A rank's rows are walked in so many slices, unless those would have fewer chunks a thread. */
#define SLICES 32
#define SLICE_CHUNKS 16

/* What a part adds to sums over all vertices. */
struct part_sums {
  double sent;    /* aggregate, before the next iteration */
  double changed; /* change of this one */
};

struct engine_work {
  program_message *messages; /* [num_messages] of all vertices; in a grid, of those of the column */
  program_message *made;     /* of the next iteration; the same where there is no room for two */
  uint64_t num_messages;
  uint64_t before;   /* this process's vertices; so many of those have no messages here */
  uint64_t *offsets; /* [num_ranks + 1] in bytes of `made`; NULL if it is the same */
  bool is_telling;   /* `made` is being gathered */
  bool is_shared;    /* all ranks see the same `messages` and `made` */
  uint64_t slice_chunks;
  struct qn_sum chunks;   /* of a part, by chunk of its vertices or rows */
  struct qn_sum hubs;     /* of a part */
  struct part_sums *sums; /* [num_all_parts]: the same whoever walks them */
  struct grid_sums grid;
  program_accumulator *totals; /* [num_totals] of rows that several parts have, while these are
                                  walked; NULL: each part has whole rows */
  uint64_t num_totals;
};

/* ---- Sending ---------------------------------------------------------------- */

/* The messages of chunks [first, end) of a part's vertices, and what they add to the aggregate. */
static inline void send_chunks(const struct engine_state *state,
                               const struct qn_program_context *context, struct engine_work *work,
                               const struct qn_part_rows *part, uint64_t first_chunk,
                               uint64_t end_chunk) {
#pragma omp parallel for schedule(static)
  for (uint64_t chunk = first_chunk; chunk < end_chunk; chunk++) {
    uint64_t begin = part->begin + chunk * QN_SWEEP_VERTICES, end = begin + QN_SWEEP_VERTICES;
    double sum = 0;
    for (uint64_t v = begin; v < (end < part->end ? end : part->end); v++) {
      uint64_t out_degree = sweep_out_degree(state->view, v);
      work->made[v - work->before] = program_send(context, state->values[v], out_degree);
#if PROGRAM_AGGREGATE
      sum += program_aggregate(context, state->values[v], out_degree);
#endif
    }
    work->chunks.parts[chunk] = sum;
  }
  for (uint64_t chunk = first_chunk; chunk < end_chunk; chunk++)
    work->sums[part->index].sent += work->chunks.parts[chunk];
}

static inline void send_own(const struct engine_state *state,
                            const struct qn_program_context *context, struct engine_work *work) {
  for (uint64_t i = 0; i < state->view->num_parts; i++)
    work->sums[state->view->parts[i].index].sent = 0;
  for (uint64_t i = 0; i < state->view->num_parts; i++) {
    const struct qn_part_rows *part = &state->view->parts[i];
    if (part->begins_row)
      send_chunks(state, context, work, part, 0, qn_sweep_chunks(part->end - part->begin));
  }
}

/* All ranks learn what each part adds, if anybody asks. */
static inline enum qn_status share_sums(const struct engine_state *state, struct engine_work *work,
                                        struct part_sums *total, struct qn_error *error) {
  const engine_view *view = state->view;
  enum qn_status status = QN_OK;
  *total = (struct part_sums){0};
  if (!PROGRAM_AGGREGATE && !PROGRAM_CONVERGES)
    return QN_OK;
  status = share_array(view, view->first_parts, work->sums, sizeof *work->sums, error);
  for (uint64_t i = 0; !status && i < view->num_all_parts; i++) {
    total->sent += work->sums[i].sent;
    total->changed += work->sums[i].changed;
  }
  return status;
}

/* All ranks have made theirs in memory that all see. Who has told sums has met the others. */
static inline enum qn_status messages_meet(const engine_view *view, struct qn_error *error) {
  return PROGRAM_AGGREGATE || PROGRAM_CONVERGES ? QN_OK : view->exchange->meet(error);
}

/* All ranks have `messages`: those that were made. */
static inline enum qn_status take_messages(const struct engine_state *state,
                                           struct engine_work *work, struct qn_error *error) {
  const engine_view *view = state->view;
  program_message *made = work->made;
  enum qn_status status = work->is_telling  ? view->exchange->end_gather(error)
                          : work->is_shared ? messages_meet(view, error)
                          : state->walk.block
                              ? grid_share(state, made, error)
                              : share_array(view, view->first_vertices, made, sizeof *made, error);
  work->is_telling = false;
  work->made = work->messages;
  work->messages = made;
  return status;
}

/* ---- Walking ---------------------------------------------------------------- */

/* MPI is for the thread that began it. */
static inline void keep_telling(const struct engine_state *state, const struct engine_work *work) {
  if (work->is_telling && omp_get_thread_num() == 0)
    state->view->exchange->advance();
}

static inline double pull_vertex(struct engine_state *state, uint64_t v, program_accumulator sum) {
  program_value old_value = state->values[v];
  state->values[v] = program_apply(&state->context, old_value, sum);
#if PROGRAM_CONVERGES
  return program_change(&state->context, old_value, state->values[v]);
#else
  return 0;
#endif
}

static inline program_accumulator pull_row(const struct engine_state *state,
                                           const program_message *messages,
                                           const struct qn_csr *csr, uint64_t begin, uint64_t end) {
  return engine_gather(&state->context, messages, csr->column_indices, &csr->weights, begin, end);
}

/* Rows that are walked, cut into chunks. */
struct pulled_rows {
  const struct qn_csr *csr;
  uint64_t begin;                  /* the vertex of the first */
  const struct qn_part_rows *part; /* whose rows they are, if some of them are skipped; else NULL */
  const struct qn_row_chunks *chunks;
  const uint64_t *filled; /* filled.h */
  uint64_t columns_begin;
  program_partial *sums;       /* [rows] what each sums up, or */
  program_accumulator *totals; /* [rows] to which each is added; both NULL: for its vertex */
};

static inline uint64_t pull_end(const struct pulled_rows *rows, uint64_t row) {
  return rows->part ? qn_part_row_end(rows->part, row) : rows->csr->row_offsets[row + 1];
}

static inline double pull_finish(struct engine_state *state, const struct pulled_rows *rows,
                                 uint64_t row, program_accumulator sum) {
  if (!rows->sums && !rows->totals)
    return pull_vertex(state, rows->begin + row, sum);
  if (rows->sums)
    rows->sums[row] = partial_of(&sum);
  else
    program_combine(&rows->totals[row], sum);
  return 0;
}

/* The rows of a chunk but for hubs; returns the change. */
static inline double pull_chunk(struct engine_state *state, const program_message *all_messages,
                                const struct pulled_rows *rows, uint64_t first, uint64_t last) {
  const program_message *messages = all_messages + rows->columns_begin;
  const uint64_t *offsets = rows->csr->row_offsets;
  double change = 0;
  for (uint64_t row = filled_next(rows->filled, first, last); row < last;
       row = filled_next(rows->filled, row + 1, last))
    if (offsets[row + 1] - offsets[row] <= QN_HUB_EDGES)
      change +=
          pull_finish(state, rows, row,
                      pull_row(state, messages, rows->csr, offsets[row], pull_end(rows, row)));
  return change;
}

/* All threads share a hub's edges, in segments of which each few are combined in order. */
static inline double pull_hub(struct engine_state *state, const struct engine_work *work,
                              const struct pulled_rows *rows, uint64_t row) {
  const struct qn_csr *csr = rows->csr;
  enum { MOST = 64 };
  program_accumulator segments[MOST], sum = program_identity();
  const uint64_t end = pull_end(rows, row);
  for (uint64_t begin = csr->row_offsets[row]; begin < end; begin += MOST * HUB_SEGMENT) {
    uint64_t count = (end - begin + HUB_SEGMENT - 1) / HUB_SEGMENT;
    count = count < MOST ? count : MOST;
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < count; i++) {
      uint64_t first = begin + i * HUB_SEGMENT, last = first + HUB_SEGMENT;
      segments[i] = pull_row(state, work->messages + rows->columns_begin, csr, first,
                             last < end ? last : end);
      keep_telling(state, work);
    }
    for (uint64_t i = 0; i < count; i++)
      program_combine(&sum, segments[i]);
  }
  return pull_finish(state, rows, row, sum);
}

/* The rows of chunks [first, end), of which `num_hubs` hubs are behind it. */
static inline void pull_slice(struct engine_state *state, struct engine_work *work,
                              const struct pulled_rows *rows, uint64_t first, uint64_t end,
                              uint64_t *num_hubs, double *change) {
  const struct qn_row_chunks *chunks = rows->chunks;
#pragma omp parallel for schedule(dynamic, 1) if (rows->csr->num_edges > FILLED_ALONE)
  for (uint64_t chunk = first; chunk < end; chunk++) {
    work->chunks.parts[chunk] =
        pull_chunk(state, work->messages, rows, chunks->bounds[chunk], chunks->bounds[chunk + 1]);
    keep_telling(state, work);
  }
  for (uint64_t chunk = first; chunk < end; chunk++)
    *change += work->chunks.parts[chunk];
  for (; *num_hubs < chunks->num_hubs && chunks->hubs[*num_hubs] < chunks->bounds[end]; ++*num_hubs)
    work->hubs.parts[*num_hubs] = pull_hub(state, work, rows, chunks->hubs[*num_hubs]);
}

/* Rows before `row` of a part have their new values: the whole chunks of vertices among them send,
 * and are told. */
static inline void send_slice(const struct engine_state *state,
                              const struct qn_program_context *next, struct engine_work *work,
                              const struct qn_part_rows *part, uint64_t row, uint64_t *num_sent) {
  const uint64_t rows = part->end - part->begin;
  const uint64_t end = row == rows ? qn_sweep_chunks(rows) : row / QN_SWEEP_VERTICES;
  const uint64_t sent = row == rows ? rows : end * QN_SWEEP_VERTICES;
  send_chunks(state, next, work, part, *num_sent, end);
  *num_sent = end;
  state->view->exchange->made((part->begin + sent) * sizeof *work->made);
}

/* The vertices of a part take `totals`, one of each. */
static inline void apply_part(struct engine_state *state, struct engine_work *work,
                              const struct qn_part_rows *part, const program_accumulator *totals) {
  const uint64_t num_chunks = qn_sweep_chunks(part->end - part->begin);
#pragma omp parallel for schedule(static)
  for (uint64_t chunk = 0; chunk < num_chunks; chunk++) {
    uint64_t begin = part->begin + chunk * QN_SWEEP_VERTICES, end = begin + QN_SWEEP_VERTICES;
    double change = 0;
    for (uint64_t v = begin; v < (end < part->end ? end : part->end); v++)
      change += pull_vertex(state, v, totals[v - part->begin]);
    work->chunks.parts[chunk] = change;
  }
  for (uint64_t chunk = 0; chunk < num_chunks; chunk++)
    work->sums[part->index].changed += work->chunks.parts[chunk];
}

/* A part of whole rows: each vertex has its new value at once. */
static inline void pull_whole_rows(struct engine_state *state,
                                   const struct qn_program_context *next, struct engine_work *work,
                                   uint64_t index) {
  const struct qn_part_rows *part = &state->view->parts[index];
  const struct qn_row_chunks *chunks = &state->walk.chunks[index];
  const struct pulled_rows rows = {.csr = part->csr,
                                   .begin = part->begin,
                                   .chunks = chunks,
                                   .columns_begin = part->columns_begin};
  struct part_sums *sums = &work->sums[part->index];
  const uint64_t step = work->is_telling ? work->slice_chunks : chunks->num_chunks;
  uint64_t num_hubs = 0, num_sent = 0;
  for (uint64_t first = 0; first < chunks->num_chunks; first += step) {
    const uint64_t left = chunks->num_chunks - first, end = first + (left < step ? left : step);
    pull_slice(state, work, &rows, first, end, &num_hubs, &sums->changed);
    if (work->is_telling)
      send_slice(state, next, work, part, chunks->bounds[end], &num_sent);
  }
  for (uint64_t hub = 0; hub < num_hubs; hub++)
    sums->changed += work->hubs.parts[hub];
}

/* A part of some columns: sums wait until the last one with these rows has added to them. */
static inline void pull_cut_rows(struct engine_state *state, struct engine_work *work,
                                 uint64_t index) {
  const struct qn_part_rows *part = &state->view->parts[index];
  const struct qn_row_chunks *chunks = &state->walk.chunks[index];
  const struct pulled_rows rows = {.csr = part->csr,
                                   .begin = part->begin,
                                   .part = part->skipped ? part : NULL,
                                   .chunks = chunks,
                                   .filled = state->walk.filled[index],
                                   .columns_begin = part->columns_begin,
                                   .totals = work->totals};
  uint64_t num_hubs = 0;
  double none = 0;
  if (part->begins_row) {
#pragma omp parallel for schedule(static)
    for (uint64_t row = 0; row < part->end - part->begin; row++)
      work->totals[row] = program_identity();
  }
  pull_slice(state, work, &rows, 0, chunks->num_chunks, &num_hubs, &none);
  if (part->ends_row)
    apply_part(state, work, part, work->totals);
}

static inline void pull_part(struct engine_state *state, const struct qn_program_context *next,
                             struct engine_work *work, uint64_t index) {
  const struct qn_part_rows *part = &state->view->parts[index];
  if (part->begins_row && part->ends_row)
    pull_whole_rows(state, next, work, index);
  else
    pull_cut_rows(state, work, index);
}

/* ---- A grid ----------------------------------------------------------------- */

static inline enum qn_status pull_block(struct engine_state *state, struct engine_work *work,
                                        struct qn_error *error) {
  const struct engine_walk *walk = &state->walk;
  const struct pulled_rows rows = {
      .csr = &walk->block->csr, .chunks = &walk->block_chunks, .sums = work->grid.sums};
  uint64_t num_hubs = 0;
  double none = 0;
  pull_slice(state, work, &rows, 0, rows.chunks->num_chunks, &num_hubs, &none);
  enum qn_status status = grid_sum(state, &work->grid, error);
  for (uint64_t i = 0; !status && i < state->view->num_parts; i++)
    apply_part(state, work, &state->view->parts[i],
               work->grid.totals + (state->view->parts[i].begin - state->begin));
  return status;
}

/* ---- An iteration ----------------------------------------------------------- */

static inline enum qn_status work_step(struct engine_state *state, struct engine_work *work,
                                       struct engine_step *step, struct qn_error *error) {
  const engine_view *view = state->view;
  struct qn_program_context *context = &state->context, next = *context;
  struct part_sums total;
  enum qn_status status = take_messages(state, work, error);
  if (status)
    return status;
  next.iteration++;
  if (work->offsets && !engine_is_finished(state->request, &next)) {
    view->exchange->begin_gather(work->made, work->offsets);
    work->is_telling = true;
  }
  for (uint64_t i = 0; i < view->num_parts; i++)
    work->sums[view->parts[i].index] = (struct part_sums){0};
  if (state->walk.block)
    status = pull_block(state, work, error);
  for (uint64_t i = 0; !status && i < (state->walk.block ? 0 : view->num_parts); i++) {
    status = walk_enter(state, i, error);
    if (!status)
      pull_part(state, &next, work, i);
    qn_part_leave(view, i);
  }
  if (status)
    return status;
  if (!work->is_telling)
    send_own(state, &next, work);
  status = share_sums(state, work, &total, error);
  step->mode = "pull";
  step->num_active = context->num_vertices;
  step->change = total.changed;
  sweep_begin(&next, total.sent);
  next.iteration--; /* engine_report counts it */
  *context = next;
  return status;
}

/* ---- Its memory ------------------------------------------------------------- */

/* Of rows that are still to come there are as many as of so many edges. */
static inline uint64_t chunks_of(const struct engine_state *state, uint64_t i) {
  const struct qn_part_rows *part = &state->view->parts[i];
  const struct qn_row_chunks *chunks = state->walk.chunks ? &state->walk.chunks[i] : NULL;
  if (chunks && !chunks->bounds)
    return qn_row_chunks_of(part->end - part->begin, part->num_edges);
  return chunks ? chunks->num_chunks : 0;
}

static inline uint64_t most_chunks(const struct engine_state *state) {
  uint64_t most = state->walk.block_chunks.num_chunks;
  for (uint64_t i = 0; i < state->view->num_parts; i++) {
    const struct qn_part_rows *part = &state->view->parts[i];
    const uint64_t sweep = qn_sweep_chunks(part->end - part->begin);
    const uint64_t rows = chunks_of(state, i);
    most = sweep > most ? sweep : most;
    most = rows > most ? rows : most;
  }
  return most;
}

static inline uint64_t most_hubs(const struct engine_state *state) {
  uint64_t most = state->walk.block_chunks.num_hubs;
  for (uint64_t i = 0; state->walk.chunks && i < state->view->num_parts; i++) {
    const struct qn_row_chunks *chunks = &state->walk.chunks[i];
    const uint64_t hubs =
        chunks->bounds ? chunks->num_hubs : state->view->parts[i].num_edges / QN_HUB_EDGES;
    most = hubs > most ? hubs : most;
  }
  return most;
}

/* The most rows that several parts have. */
static inline uint64_t most_cut_rows(const struct engine_state *state) {
  uint64_t most = 0;
  for (uint64_t i = 0; i < state->view->num_parts; i++) {
    const struct qn_part_rows *part = &state->view->parts[i];
    if (!(part->begins_row && part->ends_row) && part->end - part->begin > most)
      most = part->end - part->begin;
  }
  return most;
}

/* Where all ranks are on one machine they write into two arrays that all see, by turns: in one they
 * read while the next is made. */
static inline enum qn_status share_messages(const struct engine_state *state,
                                            struct engine_work *work, struct qn_error *error) {
  const struct qn_exchange *exchange = state->view->exchange;
  const uint64_t count = work->num_messages, size = sizeof *work->messages;
  void *first = NULL, *second = NULL;
  enum qn_status status = exchange->share(count, size, &first, error);
  if (!status && first)
    status = exchange->share(count, size, &second, error);
  work->is_shared = !status && second;
  if (work->is_shared) {
    work->messages = first;
    work->made = second;
  } else {
    qn_pages_free(first, count, size);
  }
  return status;
}

/* A second array, if there is memory for it beside all that the run reads again and again. */
static inline enum qn_status prepare_telling(const struct engine_state *state,
                                             struct engine_work *work, struct qn_error *error) {
  const engine_view *view = state->view;
  const uint64_t num_vertices = state->context.num_vertices;
  uint64_t bytes = 2 * num_vertices * sizeof *work->made, num_chunks = 0;
  bool has_room = false;
  work->made = work->messages;
  if (!view->exchange || view->has_cut_rows || state->walk.block)
    return QN_OK;
  for (uint64_t i = 0; i < view->num_parts; i++) {
    const struct qn_part_rows *part = &view->parts[i];
    bytes += (part->end - part->begin) * sizeof *part->csr->row_offsets +
             part->csr->num_edges * (PROGRAM_USES_WEIGHTS ? 8 : 4);
    num_chunks += state->walk.chunks[i].num_chunks;
  }
  const uint64_t most = SLICE_CHUNKS * (uint64_t)omp_get_max_threads();
  work->slice_chunks = num_chunks / SLICES > most ? num_chunks / SLICES : most;
  enum qn_status status = view->exchange->has_room(bytes, &has_room, error);
  if (!status && has_room)
    status = qn_pages_alloc(&work->made, num_vertices, sizeof *work->made, "messages", error);
  if (!status && has_room)
    status = share_offsets(view, view->first_vertices, sizeof *work->made, &work->offsets, error);
  return status;
}

/* The messages of the first iteration; what they add up to may have been added up before. */
static inline enum qn_status send_first(struct engine_state *state, struct engine_work *work,
                                        struct qn_error *error) {
  struct part_sums total;
  send_own(state, &state->context, work);
  enum qn_status status = share_sums(state, work, &total, error);
  if (!status)
    sweep_begin_first(&state->context, total.sent);
  return status;
}

static inline enum qn_status work_create(struct engine_state *state, struct engine_work *work,
                                         struct qn_error *error) {
  const struct qn_set_block *block = state->walk.block;
  work->num_messages = block ? block->places[block->num_rows] : state->context.num_vertices;
  work->before = block ? state->begin - block->places[block->row] : 0;
  enum qn_status status =
      state->view->exchange && !block ? share_messages(state, work, error) : QN_OK;
  if (!status && !work->is_shared)
    status = engine_alloc(&work->messages, work->num_messages, sizeof *work->messages, "messages",
                          error);
  if (!status && block)
    status = grid_create(state, &work->grid, error);
  if (!status && !work->is_shared)
    status = prepare_telling(state, work, error);
  if (!status)
    status = qn_sum_create(&work->chunks, most_chunks(state), error);
  work->num_totals = most_cut_rows(state);
  if (!status && work->num_totals)
    status =
        engine_alloc(&work->totals, work->num_totals, sizeof *work->totals, "accumulators", error);
  if (!status)
    status = qn_sum_create(&work->hubs, most_hubs(state), error);
  if (!status)
    status = qn_alloc_zeroed(&work->sums, state->view->num_all_parts, sizeof *work->sums,
                             "sums of parts", error);
  return status;
}

static inline enum qn_status work_begin(struct engine_state *state, struct engine_work *work,
                                        struct qn_error *error) {
  if (engine_is_finished(state->request, &state->context))
    return QN_OK;
  return send_first(state, work, error);
}

static inline void work_destroy(const struct engine_state *state, struct engine_work *work) {
  if (work->is_telling)
    state->view->exchange->leave_gather();
  qn_pages_free(work->totals, work->num_totals, sizeof *work->totals);
  grid_destroy(state, &work->grid);
  qn_free(work->sums);
  qn_sum_destroy(&work->hubs);
  qn_sum_destroy(&work->chunks);
  qn_free(work->offsets);
  if (work->made != work->messages)
    qn_pages_free(work->made, work->num_messages, sizeof *work->made);
  qn_pages_free(work->messages, work->num_messages, sizeof *work->messages);
}
