/* Slotted pages as the CPU's engine sees them (loop/state.h). Template: needs a completed program.
 */
#pragma once

#include "kernels/cpu/loop/bins.h"
#include "kernels/cpu/slotted_pages/page_bins.h"
#include "kernels/engine.h"
#include "kernels/work_division/page_tasks.h"
#include <quern/slotted_pages.h>

struct paged_graph {
  const struct qn_slotted_pages *pages;
  uint64_t *degrees; /* [V], or NULL where nobody asks */
};
typedef struct paged_graph engine_view;

static inline uint64_t engine_out_degree(const engine_view *view, uint64_t vertex) {
  return view->degrees[vertex];
}

/* What a task has found for the vertex with whose edges it goes on, if it does. */
struct page_head {
  program_accumulator sum;
  uint32_t vertex;
  bool is_there;
};

struct engine_walk {
  struct paged_graph graph;
  struct qn_page_tasks tasks;
  bool pulls;              /* all-active programs of undirected graphs, and then: */
  struct page_head *heads; /* [tasks.count] */
  /* Other programs that collect contributions: */
  struct qn_page_bins bins;
  struct bin_entry *buffer;  /* [bins.capacity] */
  program_accumulator *sums; /* WA of all-active programs: [V], identity between iterations */
  uint8_t *senders;          /* of frontier programs: [P] nextPIDSet */
};

/* The weight of a record's edge as the program wants it. */
static inline program_weight page_weight(const struct qn_slotted_pages *pages,
                                         const struct qn_page_record *record, uint32_t edge) {
  uint64_t bits;
  if (!PROGRAM_USES_WEIGHTS || pages->weight_type == QN_WEIGHT_NONE)
    return 1;
  bits = qn_weight_load(record->weights, qn_weight_bytes(pages->weight_type), edge);
  const struct qn_weights one = {.type = pages->weight_type, .data = &bits};
  return engine_weight(&one, 0);
}
