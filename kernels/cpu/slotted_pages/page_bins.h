/* Bins: how contributions along the edges of slotted pages are kept between the page that sends
 * them and the vertices that receive them.
 *
 * A bin is a range of vertices whose accumulators fit in a core's cache. Pages are swept in
 * batches: first every task writes its contributions to the bins' places in a buffer, then
 * every bin adds up what it got, in the order of pages. So each accumulator is written by one
 * thread, without atomics, always in the same order, and the buffer has a bounded size. This is
 * propagation blocking (Beamer, Asanovic, Patterson, IPDPS 2017) with the pages of GTS as
 * the sources and its device-resident WA as the bins. */
#pragma once

#include "kernels/work_division/page_tasks.h"

#define QN_MAX_PAGE_BINS 256

struct qn_page_bins {
  unsigned shift; /* the bin of a vertex is vertex >> shift; at least 6 */
  uint32_t num_bins;
  uint64_t num_tasks;
  uint64_t num_batches;
  uint64_t *batches; /* [num_batches + 1] tasks of a batch: [batches[b], batches[b + 1]) */
  uint32_t *starts;  /* [num_tasks x num_bins] places in the buffer of a task's contributions */
  uint32_t *ends;    /* [num_tasks x num_bins] where they ended in this sweep */
  uint64_t capacity; /* places of the buffer */
};

/* Count how many edges lead from each task to each bin: one pass over all pages. Owned until
 * qn_page_bins_destroy. */
enum qn_status qn_page_bins_create(struct qn_page_bins *bins, const struct qn_slotted_pages *view,
                                   const struct qn_page_tasks *tasks, struct qn_error *error);
/* A zeroed struct is allowed. */
void qn_page_bins_destroy(struct qn_page_bins *bins);
