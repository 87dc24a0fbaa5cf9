/* Programs that collect contributions before they are applied: in bins of WA, batch of pages by
 * batch of pages (page_bins.h). Part of state.h. */
#ifndef QN_KERNELS_CPU_SLOTTED_PAGES_COLLECT_H
#define QN_KERNELS_CPU_SLOTTED_PAGES_COLLECT_H

#include "kernels/cpu/slotted_pages/page_bins.h"
#include "kernels/cpu/slotted_pages/state.h"

#define ENGINE_NAME "slotted-pages sweep"

struct binned {
  uint32_t vertex;
  PROGRAM_PARTIAL lanes[PROGRAM_LANES];
};

struct collect_work {
  struct qn_page_bins bins;
  struct binned *buffer;     /* [bins.capacity] */
  program_accumulator *sums; /* WA: [V], identity between iterations */
  struct qn_sum changed;     /* by sweep chunk */
#if PROGRAM_SCHEDULE == QN_ALL_ACTIVE
  program_message *messages; /* RA: [V] */
  struct qn_sum sent;        /* by sweep chunk */
#else
  struct sweep_rounds rounds;
  struct page_frontier current;
  struct qn_frontier received; /* its bitmap alone */
#endif
};

/* Put what a record's edges carry into the bins. `id_bytes` is a constant where this is called. */
static inline void scatter_record(const struct engine_state *state, struct binned *buffer,
                                  const struct qn_page_record *record, unsigned id_bytes,
                                  unsigned shift, program_message message, uint32_t *places) {
  const struct qn_slotted_pages *pages = state->view.pages;
  const struct qn_page_address address = pages->format.address;
  const uint32_t *start_vids = pages->start_vids;
  const uint8_t *at = record->ids;
  for (uint32_t i = 0; i < record->num_edges; i++, at += id_bytes) {
    uint32_t vertex = qn_physical_id_vertex(start_vids, address, qn_load_physical_id(at, id_bytes));
    program_accumulator contribution = program_gather(
        &state->context, message, page_weight(pages, record->weights + 4 * (uint64_t)i));
    const program_lane *lanes = (const program_lane *)&contribution;
    struct binned *entry = &buffer[places[vertex >> shift]++];
    entry->vertex = vertex;
    for (int lane = 0; lane < PROGRAM_LANES; lane++)
      entry->lanes[lane] = (PROGRAM_PARTIAL)lanes[lane];
  }
}

static inline bool sends(const struct collect_work *work, uint32_t vertex) {
#if PROGRAM_SCHEDULE == QN_FRONTIER
  return qn_frontier_has(&work->current.vertices, vertex);
#else
  (void)work, (void)vertex;
  return true;
#endif
}

static inline void scatter_page(const struct engine_state *state, struct collect_work *work,
                                const struct qn_page_part *part, uint32_t *places) {
  const struct qn_page_format *format = &state->view.pages->format;
  for (uint32_t slot = part->slot_begin; slot < part->slot_end; slot++) {
    uint32_t vertex = part->start_vid + slot;
    if (!sends(work, vertex))
      continue;
    struct qn_page_record record = qn_page_part_record(format, part, slot);
#if PROGRAM_SCHEDULE == QN_FRONTIER
    program_message message = program_send(&state->context, state->values[vertex],
                                           sweep_out_degree(&state->view, vertex));
#else
    program_message message = work->messages[vertex];
#endif
    if (qn_page_id_bytes(format->address) == 4)
      scatter_record(state, work->buffer, &record, 4, work->bins.shift, message, places);
    else
      scatter_record(state, work->buffer, &record, 6, work->bins.shift, message, places);
  }
}

static inline void scatter_unit(const struct engine_state *state, struct collect_work *work,
                                uint64_t unit) {
  const struct qn_page_bins *bins = &work->bins;
  const struct qn_page_unit *pages = &state->units.units[unit];
  uint32_t places[QN_MAX_PAGE_BINS];
  memcpy(places, bins->starts + unit * bins->num_bins, bins->num_bins * sizeof *places);
  for (uint64_t page = pages->first_page; page < pages->end_page; page++) {
#if PROGRAM_SCHEDULE == QN_FRONTIER
    if (!page_is_wanted(&work->current, state->view.pages, page))
      continue;
#endif
    struct qn_page_part part = qn_page_part_of(state->view.pages, pages, page);
    scatter_page(state, work, &part, places);
  }
  memcpy(bins->ends + unit * bins->num_bins, places, bins->num_bins * sizeof *places);
}

/* Add up what the batch's units have put into one bin, in their order. */
static inline void gather_bin(struct collect_work *work, uint64_t batch, uint32_t bin) {
  const struct qn_page_bins *bins = &work->bins;
  for (uint64_t unit = bins->batches[batch]; unit < bins->batches[batch + 1]; unit++) {
    const struct binned *end = work->buffer + bins->ends[unit * bins->num_bins + bin];
    for (const struct binned *entry = work->buffer + bins->starts[unit * bins->num_bins + bin];
         entry < end; entry++) {
      program_lane *sum = (program_lane *)&work->sums[entry->vertex];
      for (int lane = 0; lane < PROGRAM_LANES; lane++)
        sum[lane] = program_combine_lane(sum[lane], (program_lane)entry->lanes[lane]);
#if PROGRAM_SCHEDULE == QN_FRONTIER
      work->received.bits[entry->vertex / 64] |= (uint64_t)1 << (entry->vertex % 64);
#endif
    }
  }
}

static inline void sweep_pages(const struct engine_state *state, struct collect_work *work) {
  const struct qn_page_bins *bins = &work->bins;
#pragma omp parallel
  for (uint64_t batch = 0; batch < bins->num_batches; batch++) {
#pragma omp for schedule(dynamic, 1)
    for (uint64_t unit = bins->batches[batch]; unit < bins->batches[batch + 1]; unit++)
      scatter_unit(state, work, unit);
#pragma omp for schedule(dynamic, 1)
    for (uint32_t bin = 0; bin < bins->num_bins; bin++)
      gather_bin(work, batch, bin);
  }
}

static inline enum qn_status collect_create(const struct engine_state *state,
                                            struct collect_work *work, struct qn_error *error) {
  uint64_t num_vertices = state->context.num_vertices;
  enum qn_status status = qn_page_bins_create(&work->bins, state->view.pages, &state->units, error);
  if (!status)
    status = qn_pages_alloc(&work->buffer, work->bins.capacity, sizeof *work->buffer,
                            "contributions in bins", error);
  if (!status)
    status = qn_pages_alloc(&work->sums, num_vertices, sizeof *work->sums, "accumulators", error);
  if (!status)
    status = qn_sum_create(&work->changed, qn_sweep_chunks(num_vertices), error);
#if PROGRAM_SCHEDULE == QN_ALL_ACTIVE
  if (!status)
    status =
        qn_pages_alloc(&work->messages, num_vertices, sizeof *work->messages, "messages", error);
  if (!status)
    status = qn_sum_create(&work->sent, qn_sweep_chunks(num_vertices), error);
#else
  if (!status)
    status = page_frontier_create(&work->current, state->view.pages, error);
  if (!status)
    status = sweep_rounds_create(&work->rounds, num_vertices, error);
  if (!status)
    status = qn_frontier_create(&work->received, num_vertices, error);
#endif
  if (status)
    return status;
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < num_vertices; v++)
    work->sums[v] = program_identity();
  return QN_OK;
}

static inline void collect_destroy(const struct engine_state *state, struct collect_work *work) {
  uint64_t num_vertices = state->context.num_vertices;
#if PROGRAM_SCHEDULE == QN_ALL_ACTIVE
  qn_sum_destroy(&work->sent);
  qn_pages_free(work->messages, num_vertices, sizeof *work->messages);
#else
  qn_frontier_destroy(&work->received);
  sweep_rounds_destroy(&work->rounds);
  page_frontier_destroy(&work->current, state->view.pages);
#endif
  qn_sum_destroy(&work->changed);
  qn_pages_free(work->sums, num_vertices, sizeof *work->sums);
  qn_pages_free(work->buffer, work->bins.capacity, sizeof *work->buffer);
  qn_page_bins_destroy(&work->bins);
}

#if PROGRAM_SCHEDULE == QN_ALL_ACTIVE

/* Apply all sums; returns the change. */
static inline double apply_all(struct engine_state *state, struct collect_work *work) {
  uint64_t num_vertices = state->context.num_vertices;
#pragma omp parallel for schedule(static)
  for (uint64_t chunk = 0; chunk < qn_sweep_chunks(num_vertices); chunk++) {
    uint64_t begin = chunk * QN_SWEEP_VERTICES, end = begin + QN_SWEEP_VERTICES;
    double change = 0;
    for (uint64_t v = begin; v < (end < num_vertices ? end : num_vertices); v++) {
      program_value old_value = state->values[v];
      state->values[v] = program_apply(&state->context, old_value, work->sums[v]);
      work->sums[v] = program_identity();
#if PROGRAM_CONVERGES
      change += program_change(&state->context, old_value, state->values[v]);
#endif
    }
    work->changed.parts[chunk] = change;
  }
  return qn_sum_total(&work->changed);
}

static inline enum qn_status collect_iterations(struct engine_state *state,
                                                struct collect_work *work, struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (bool finished = engine_is_finished(state->request, &state->context); !status && !finished;) {
    double begin = qn_seconds();
    sweep_send(&state->context, &state->view, state->values, work->messages, &work->sent);
    sweep_pages(state, work);
    double change = apply_all(state, work);
    finished = engine_end_iteration(state->request, &state->context, state->result, "push",
                                    state->context.num_vertices, change, begin);
    if (PROGRAM_CONVERGES && change < state->context.tolerance)
      finished = state->result->converged = true;
    if (!finished)
      status =
          sweep_keep(state->request, &state->context, state->result, state->values, NULL, error);
  }
  return status;
}

#else

/* Apply the sums of vertices that received any; those that `program_active` accepts are the next
 * frontier. */
static inline void apply_received(struct engine_state *state, struct collect_work *work) {
  uint64_t count = 0;
  struct qn_frontier *current = &work->current.vertices;
#pragma omp parallel for schedule(static) reduction(+ : count)
  for (uint64_t word = 0; word < qn_frontier_words(current); word++) {
    uint64_t active = 0;
    for (uint64_t bits = work->received.bits[word]; bits; bits &= bits - 1) {
      uint64_t v = word * 64 + (uint64_t)__builtin_ctzll(bits);
      program_value old_value = state->values[v];
      state->values[v] = program_apply(&state->context, old_value, work->sums[v]);
      work->sums[v] = program_identity();
      if (program_active(&state->context, old_value, state->values[v]))
        active |= (uint64_t)1 << (v % 64);
    }
    work->received.bits[word] = 0;
    current->bits[word] = active;
    count += (uint64_t)__builtin_popcountll(active);
  }
  current->count = count;
}

static inline enum qn_status collect_iterations(struct engine_state *state,
                                                struct collect_work *work, struct qn_error *error) {
  struct qn_frontier *current = &work->current.vertices;
  enum qn_status status = QN_OK;
  sweep_start(state->request, &state->context, current);
  for (bool finished = engine_is_finished(state->request, &state->context); !status && !finished;) {
    double begin = qn_seconds();
    if (current->count == 0 && !sweep_round(&state->context, state->values, &work->rounds, current))
      break;
    uint64_t num_active = current->count;
    page_frontier_find_pages(&work->current, state->view.pages);
    sweep_pages(state, work);
    apply_received(state, work);
    finished = engine_end_iteration(state->request, &state->context, state->result, "push",
                                    num_active, 0, begin);
    if (!finished)
      status =
          sweep_keep(state->request, &state->context, state->result, state->values, current, error);
  }
  state->result->converged = current->count == 0;
  return status;
}

#endif

static inline enum qn_status engine_iterate(struct engine_state *state, double begin,
                                            struct qn_error *error) {
  struct collect_work work = {0};
  enum qn_status status = collect_create(state, &work, error);
  state->result->prepare_seconds = qn_seconds() - begin;
  if (!status)
    status = collect_iterations(state, &work, error);
  collect_destroy(state, &work);
  return status;
}

#endif
