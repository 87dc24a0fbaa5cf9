/* Hybrid ELL and COO on the CPU (view: struct qn_hybrid). From Yang et al., HPGraph (2018).
 *
 * An iteration is a generalised product of the matrix of in-edges with the vector of messages
 * (section 3.1, Algorithm 1): a kernel for the ELL part, one for the COO part, and an apply
 * step, with bitmaps of active vertices; a search goes bottom-up and stops at the first active
 * neighbour (section 3.2). Where the container has rows of out-edges too, small frontiers push
 * along them, for which they are put together as plain CSR when the run begins: the paper
 * reads every row in every iteration, and so loses most on graphs of large diameter. */
#ifndef QN_KERNELS_CPU_HYBRID_ENGINE_H
#define QN_KERNELS_CPU_HYBRID_ENGINE_H

#include "kernels/cuts/hybrid_rest.h"
#include "kernels/engine.h"
#include <quern/hybrid.h>

typedef struct qn_hybrid engine_view;

static inline uint64_t engine_out_degree(const engine_view *view, uint64_t vertex) {
  return view->out_degrees[vertex];
}

struct engine_walk {
  program_accumulator *sums; /* [V] y of the product */
  uint8_t *received;         /* [V] frontier: whether the row had an active neighbour */
  uint64_t num_shares;       /* of the COO part */
  /* [num_shares] what a share collected for the row that it shares with the one before it. */
  program_accumulator *carries;
  uint8_t *carried; /* [num_shares] whether there is any */
};

#define ENGINE_ALL_NAME "ELL + COO product"
#define ENGINE_FRONTIER_NAME "ELL + COO product, bottom-up"
#include "kernels/cpu/csr/walk_frame.h"

#include "kernels/cpu/hybrid/walk.h"

static inline enum qn_status walk_check(const struct engine_state *state, struct qn_error *error) {
  const struct qn_hybrid_matrix *in = &state->view->in;
  enum qn_status status = qn_hybrid_need_in(state->view, error);
  if (!status)
    status = engine_check_weights(&in->ell_weights, in->width * in->pitch, error);
  return status ? status : engine_check_weights(&in->coo_weights, in->num_coo, error);
}

static inline const char *walk_mode(const struct engine_state *state) {
  (void)state;
  return "pull";
}

#if WALK_FLAGS

static inline bool engine_can_pull(const struct engine_state *state) {
  (void)state;
  return true;
}

static inline enum qn_status walk_out_edges(struct engine_state *state, struct qn_graph *derived,
                                            struct qn_error *error) {
  if (!state->view->has_out)
    return QN_OK;
  state->out = &derived->out;
  return qn_hybrid_unite(&state->view->out, derived, error);
}

#endif

QN_DEFINE_KERNEL(QN_LAYOUT_HYBRID, QN_CPU, ENGINE_NAME, QN_KERNEL_DELTA);

#endif
