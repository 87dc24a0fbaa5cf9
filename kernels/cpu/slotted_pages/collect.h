/* Walks that collect contributions: in bins of WA, batch of pages by batch of pages (page_bins.h),
 * or, if they may, where they are received (pull.h). Part of engine.h. */
#pragma once

#include "kernels/cpu/slotted_pages/view.h"

#include "kernels/cpu/slotted_pages/page_frontier.h"
#if PROGRAM_SCHEDULE == QN_ALL_ACTIVE
#include "kernels/cpu/slotted_pages/pull.h"
#else
#include "kernels/cpu/loop/collect.h"
#endif

/* Put what a record's edges carry into the bins. `id_bytes` is a constant where this is called. */
static inline void scatter_record(const struct engine_state *state, struct bin_entry *buffer,
                                  const struct qn_page_record *record, unsigned id_bytes,
                                  unsigned shift, program_message message, uint32_t *places) {
  const struct qn_slotted_pages *pages = state->view->pages;
  const struct qn_page_address address = pages->format.address;
  const uint32_t *start_vids = pages->start_vids;
  const uint8_t *at = record->ids;
  for (uint32_t i = 0; i < record->num_edges; i++, at += id_bytes) {
    uint32_t vertex = qn_physical_id_vertex(start_vids, address, qn_load_physical_id(at, id_bytes));
    program_accumulator contribution = program_contribution(
        &state->context, message, page_weight(pages, record, i), state->values, vertex);
    bin_put(&buffer[places[(uint8_t)(vertex >> shift)]++], vertex, contribution);
  }
}

static inline bool sends(const struct engine_work *work, uint32_t vertex) {
#if PROGRAM_SCHEDULE == QN_FRONTIER
  return qn_frontier_has(&work->current, vertex);
#else
  (void)work, (void)vertex;
  return true;
#endif
}

static inline void scatter_page(const struct engine_state *state, struct engine_work *work,
                                const struct qn_page_part *part, uint32_t *places) {
  const struct qn_page_format *format = &state->view->pages->format;
  for (uint32_t slot = part->slot_begin; slot < part->slot_end; slot++) {
    uint32_t vertex = part->start_vid + slot;
    if (!sends(work, vertex))
      continue;
    struct qn_page_record record = qn_page_part_record(format, part, slot);
#if PROGRAM_SCHEDULE == QN_FRONTIER
    program_message message = sweep_message(state, vertex);
#else
    program_message message = work->messages[vertex];
#endif
    if (qn_page_id_bytes(format->address) == 4)
      scatter_record(state, state->walk.buffer, &record, 4, state->walk.bins.shift, message,
                     places);
    else
      scatter_record(state, state->walk.buffer, &record, 6, state->walk.bins.shift, message,
                     places);
  }
}

static inline void scatter_task(const struct engine_state *state, struct engine_work *work,
                                uint64_t task) {
  const struct qn_page_bins *bins = &state->walk.bins;
  const struct qn_page_task *pages = &state->walk.tasks.tasks[task];
  uint32_t places[QN_MAX_PAGE_BINS]; /* no vertex leads out of it, whatever the file has become */
  static_assert(QN_MAX_PAGE_BINS == UINT8_MAX + 1, "bins have numbers of 8 bits");
  memcpy(places, bins->starts + task * bins->num_bins, bins->num_bins * sizeof *places);
  for (uint64_t page = pages->first_page; page < pages->end_page; page++) {
#if PROGRAM_SCHEDULE == QN_FRONTIER
    if (!page_is_wanted(&work->current, state->walk.senders, state->view->pages, page))
      continue;
#endif
    struct qn_page_part part = qn_page_part_of(state->view->pages, pages, page);
    scatter_page(state, work, &part, places);
  }
  memcpy(bins->ends + task * bins->num_bins, places, bins->num_bins * sizeof *places);
}

/* Add up what the batch's tasks have put into one bin, in their order. */
static inline void gather_bin(const struct engine_state *state, program_accumulator *sums,
                              uint64_t *received, uint64_t batch, uint32_t bin) {
  const struct qn_page_bins *bins = &state->walk.bins;
  const struct bin_entry *buffer = state->walk.buffer;
  for (uint64_t task = bins->batches[batch]; task < bins->batches[batch + 1]; task++)
    bin_add(buffer + bins->starts[task * bins->num_bins + bin],
            buffer + bins->ends[task * bins->num_bins + bin], sums, received);
}

static inline void sweep_pages(const struct engine_state *state, struct engine_work *work,
                               program_accumulator *sums, uint64_t *received) {
  const struct qn_page_bins *bins = &state->walk.bins;
#pragma omp parallel
  for (uint64_t batch = 0; batch < bins->num_batches; batch++) {
#pragma omp for schedule(dynamic, 1)
    for (uint64_t task = bins->batches[batch]; task < bins->batches[batch + 1]; task++)
      scatter_task(state, work, task);
#pragma omp for schedule(dynamic, 1)
    for (uint32_t bin = 0; bin < bins->num_bins; bin++)
      gather_bin(state, sums, received, batch, bin);
  }
}

#if PROGRAM_SCHEDULE == QN_ALL_ACTIVE

static inline uint64_t walk_parts(const struct engine_state *state) {
  return qn_sweep_chunks(state->context.num_vertices);
}

static inline const char *walk_all(struct engine_state *state, struct engine_work *work) {
  if (state->walk.pulls)
    return pull_all(state, work);
  sweep_pages(state, work, state->walk.sums, NULL);
  apply_sums(state, state->walk.sums, &work->changed);
  return "push";
}

#else

static inline const char *walk_senders(struct engine_state *state, struct engine_work *work) {
  page_find_senders(&work->current, state->view->pages, state->walk.senders);
  sweep_pages(state, work, work->sums, work->received.bits);
  return "push";
}

#endif
