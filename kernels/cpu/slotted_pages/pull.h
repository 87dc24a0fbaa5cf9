/* All-active programs on the pages of undirected graphs, where a vertex's record has its in-edges,
 * too: each vertex gathers what its neighbours send, in the order of the record, and nothing lies
 * in bins between. Part of engine.h. */
#pragma once

#include "kernels/cpu/slotted_pages/view.h"

#include "kernels/cpu/loop/all_active.h"

/* `id_bytes` is a constant where this is called. */
static inline program_accumulator gather_ids(const struct engine_state *state,
                                             const program_message *messages,
                                             const struct qn_page_record *record, unsigned id_bytes,
                                             uint32_t vertex) {
  const struct qn_slotted_pages *pages = state->view->pages;
  const struct qn_page_address address = pages->format.address;
  const uint32_t *start_vids = pages->start_vids;
  const uint8_t *at = record->ids;
  program_accumulator sum = program_identity();
  for (uint32_t i = 0; i < record->num_edges; i++, at += id_bytes) {
    const uint32_t other =
        qn_physical_id_vertex(start_vids, address, qn_load_physical_id(at, id_bytes));
    program_combine(&sum,
                    program_contribution(&state->context, messages[other],
                                         page_weight(pages, record, i), state->values, vertex));
  }
  return sum;
}

static inline program_accumulator gather_record(const struct engine_state *state,
                                                const program_message *messages,
                                                const struct qn_page_record *record,
                                                uint32_t vertex) {
  return qn_page_id_bytes(state->view->pages->format.address) == 4
             ? gather_ids(state, messages, record, 4, vertex)
             : gather_ids(state, messages, record, 6, vertex);
}

/* Does the task begin with what is left of a vertex's edges? */
static inline bool continues(const struct qn_slotted_pages *pages,
                             const struct qn_page_task *task) {
  const struct qn_page_part part = qn_page_part_of(pages, task, task->first_page);
  return (part.split && part.edge_begin > 0) ||
         (qn_page_is_large(pages, task->first_page) && !qn_page_is_first(pages, task->first_page));
}

static inline void gather_task(const struct engine_state *state, const program_message *messages,
                               uint64_t number) {
  const struct engine_walk *walk = &state->walk;
  const struct qn_slotted_pages *pages = state->view->pages;
  const struct qn_page_task *task = &walk->tasks.tasks[number];
  struct page_head *head = &walk->heads[number];
  *head = (struct page_head){program_identity(), pages->start_vids[task->first_page],
                             continues(pages, task)};
  for (uint64_t page = task->first_page; page < task->end_page; page++) {
    const struct qn_page_part part = qn_page_part_of(pages, task, page);
    for (uint32_t slot = part.slot_begin; slot < part.slot_end; slot++) {
      const struct qn_page_record record = qn_page_part_record(&pages->format, &part, slot);
      const uint32_t vertex = part.start_vid + slot;
      program_combine(head->is_there && vertex == head->vertex ? &head->sum : &walk->sums[vertex],
                      gather_record(state, messages, &record, vertex));
    }
  }
}

static inline const char *pull_all(struct engine_state *state, struct engine_work *work) {
  const struct engine_walk *walk = &state->walk;
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t task = 0; task < walk->tasks.count; task++)
    gather_task(state, work->messages, task);
  for (uint64_t task = 0; task < walk->tasks.count; task++)
    if (walk->heads[task].is_there)
      program_combine(&walk->sums[walk->heads[task].vertex], walk->heads[task].sum);
  apply_sums(state, walk->sums, &work->changed);
  return "pull";
}
