/* What a run of a program on slotted pages works on; template, of engine.h and of
 * kernels that sweep pages in a way of their own.
 *
 * After GTS, section 3: the topology is swept page by page, vertices' values (WA) stay, and what a
 * page's vertices send (RA) is read along with it. A page is either small, with many vertices, or
 * large, with edges of one (K_SP and K_LP of appendix B): a unit of work walks slots of the one,
 * edges of the other.
 *
 * Programs that combine into the value itself do so as they go, and only on pages that nextPIDSet
 * names (in_place.h). The others collect contributions in bins of WA that fit in the
 * cache, so that sums have one order (collect.h). */
#ifndef QN_KERNELS_CPU_SLOTTED_PAGES_STATE_H
#define QN_KERNELS_CPU_SLOTTED_PAGES_STATE_H

#include "kernels/cpu/loop/iterations.h"
#include "kernels/cuts/page_tasks.h"
#include "kernels/engine.h"
#include <quern/slotted_pages.h>

struct paged_graph {
  const struct qn_slotted_pages *pages;
  uint64_t *degrees; /* [V], or NULL where nobody asks */
};
typedef struct paged_graph engine_view;

static inline uint64_t engine_out_degree(const engine_view *view, uint64_t vertex) {
  return view->degrees[vertex];
}

#include "kernels/cpu/loop/sweeps.h"

/* What one run works on. */
struct engine_state {
  const struct qn_run_request *request;
  engine_view view;
  struct qn_page_units units;
  struct qn_program_context context;
  program_value *values; /* [V] */
  struct qn_run_result *result;
};

/* The weight at `bytes` as the program wants it. */
static inline program_weight page_weight(const struct qn_slotted_pages *pages,
                                         const uint8_t *bytes) {
  (void)pages, (void)bytes;
#if PROGRAM_USES_WEIGHTS
  if (pages->weight_type == QN_WEIGHT_NONE)
    return 1;
  uint32_t bits = qn_load_u32(bytes);
#if !(PROGRAM_WEIGHTS_BY_TYPE && defined(QN_WEIGHTS_REAL))
  if (pages->weight_type == QN_WEIGHT_U32)
    return (program_weight)bits;
#endif
#if !(PROGRAM_WEIGHTS_BY_TYPE && !defined(QN_WEIGHTS_REAL))
  float real;
  memcpy(&real, &bits, sizeof real);
  return (program_weight)real;
#endif
#endif
  return 1;
}

#if PROGRAM_SCHEDULE == QN_FRONTIER
#include "kernels/cpu/slotted_pages/page_frontier.h"
#endif
#if PROGRAM_IN_PLACE
#include "kernels/cpu/slotted_pages/in_place.h"
#else
#include "kernels/cpu/slotted_pages/collect.h"
#endif

/* PROGRAM_NON_NEGATIVE: refuse a negative weight (or NaN). Whole numbers have no sign. */
static inline enum qn_status page_check_weights(const struct qn_slotted_pages *pages,
                                                struct qn_error *error) {
  uint64_t edge;
  float weight;
  if (!PROGRAM_NON_NEGATIVE || !qn_page_negative_weight(pages, &edge, &weight))
    return QN_OK;
  return qn_fail(error, QN_INVALID,
                 "%s needs weights that are not negative, but that of edge %llu is %g",
                 PROGRAM_NAME, (unsigned long long)edge, (double)weight);
}

/* Units, degrees if the program asks, and values, not yet initialised. Destroy it in any case. */
static inline enum qn_status page_state_create(struct engine_state *state,
                                               const struct qn_run_request *request,
                                               struct qn_run_result *result,
                                               struct qn_error *error) {
  const struct qn_slotted_pages *pages = request->view;
  *state = (struct engine_state){.request = request, .view.pages = pages, .result = result};
  state->context = engine_begin(request, pages->num_vertices, pages->num_edges, result);
  enum qn_status status = page_check_weights(pages, error);
  if (!status)
    status = qn_page_units_create(&state->units, pages, error);
  if (!status && PROGRAM_USES_OUT_DEGREE)
    status = qn_page_degrees_create(&state->view.degrees, pages, error);
  if (!status)
    status = qn_pages_alloc(&state->values, pages->num_vertices, sizeof *state->values,
                            "vertex values", error);
  return status;
}

static inline void page_state_destroy(struct engine_state *state) {
  uint64_t num_vertices = state->view.pages->num_vertices;
  qn_pages_free(state->values, num_vertices, sizeof *state->values);
  qn_pages_free(state->view.degrees, num_vertices, sizeof *state->view.degrees);
  qn_page_units_destroy(&state->units);
}

#endif
