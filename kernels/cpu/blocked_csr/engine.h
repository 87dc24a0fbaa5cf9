/* Blocked CSR on the CPU (view: struct qn_blocked_csr). From Chen, GraphCage (2019).
 *
 * All-active programs walk the blocks (section 3.1, TOCAB), pulling where there are
 * pull blocks, else pushing (walk.h). Frontier programs push along the plain out-edges
 * while the frontier is small and pull by blocks while it is large (section 3.3), with the loop
 * of csr/frontier.h; the out-edges are derived when the run begins where the container has none.
 *
 * What differs from the paper is where a CPU is not a GPU: pushing needs no atomics since the
 * destinations of a block belong to one thread, which also keeps sums in one order. */
#ifndef QN_KERNELS_CPU_BLOCKED_CSR_ENGINE_H
#define QN_KERNELS_CPU_BLOCKED_CSR_ENGINE_H

#include "kernels/cpu/blocked_csr/block_tasks.h"
#include "kernels/engine.h"
#include <quern/blocked_csr.h>

typedef struct qn_blocked_csr engine_view;

static inline uint64_t engine_out_degree(const engine_view *view, uint64_t vertex) {
  return view->out_degrees[vertex];
}

/* Partial results are stored, so they may be narrower than what is summed up. */
typedef struct {
  PROGRAM_PARTIAL lanes[PROGRAM_LANES];
} program_partial;

struct engine_walk {
  /* Pulling */
  struct qn_block_units units;
  program_partial *partials; /* [L] what a local row collected */
  uint8_t *partial_received; /* [L] frontier: whether it collected anything */
  /* Pushing */
  program_accumulator *sums; /* [V] identity between iterations */
  uint8_t *sum_received;     /* [V] frontier: whether it holds anything; zero between iterations */
};

#define ENGINE_ALL_NAME "TOCAB pull or push"
#define ENGINE_FRONTIER_NAME "push/TOCAB pull"
#include "kernels/cpu/csr/walk_frame.h"

#include "kernels/cpu/blocked_csr/walk.h"

static inline enum qn_status walk_check(const struct engine_state *state, struct qn_error *error) {
  const engine_view *view = state->view;
  const struct qn_weights *weights = view->has_pull ? &view->pull.weights : &view->push.weights;
  return engine_check_weights(weights, view->num_edges, error);
}

static inline const char *walk_mode(const struct engine_state *state) {
  return state->view->has_pull ? "pull" : "push";
}

#if WALK_FLAGS

static inline bool engine_can_pull(const struct engine_state *state) {
  return state->view->has_pull || ENGINE_MUST_WALK;
}

static inline enum qn_status walk_out_edges(struct engine_state *state, struct qn_graph *derived,
                                            struct qn_error *error) {
  state->out = &state->view->out;
  if (state->view->has_out)
    return QN_OK;
  state->out = &derived->out;
  return qn_blocked_csr_out_edges(state->view, derived, error);
}

#endif

QN_DEFINE_KERNEL(QN_LAYOUT_BLOCKED_CSR, QN_CPU, ENGINE_NAME, QN_KERNEL_DELTA);

#endif
