/* How a run begins or goes on, and how its state is kept for a run that goes on (run_state.h).
 *
 * A kernel says once what its state consists of. The loop around it puts the state that a run goes
 * on from in its place, and saves it after every iteration but the last where that is wanted. */
#pragma once

#include "kernels/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

#define QN_STATE_NUMBERS 8

/* Where a kernel has its state; what it does not have is NULL. */
struct qn_state_parts {
  uint64_t num_vertices;
  void *values; /* [num_vertices] of value_bytes */
  uint32_t value_bytes;
  struct qn_program_context *context; /* of a program */
  uint64_t *active;                   /* bitmaps of vertices, as in a state */
  uint64_t *waiting;
  double *limit;                   /* with `waiting`: up to where they wait */
  void *numbers[QN_STATE_NUMBERS]; /* the kernel's own, of 8 bytes each */
};

/* The state that the run goes on from; NULL: it begins. */
const struct qn_run_state *qn_state_resumed(const struct qn_run_request *request);
/* How many iterations it has behind it; 0: it begins. */
uint64_t qn_state_iterations(const struct qn_run_request *request);
/* Put the values that the run goes on from in their place: the vertices [begin, end); false if it
 * begins. */
bool qn_state_restore_values(const struct qn_run_request *request,
                             const struct qn_state_parts *parts, uint64_t begin, uint64_t end);
/* The same for bitmaps and numbers. */
bool qn_state_restore(const struct qn_run_request *request, const struct qn_state_parts *parts);

/* After so many iterations, which are not the last: is the state wanted? */
bool qn_state_is_due(const struct qn_run_request *request, uint64_t iterations);
/* Save it; `change` is that of the last iteration. */
enum qn_status qn_state_save(const struct qn_run_request *request, uint64_t iterations,
                             double change, const struct qn_state_parts *parts,
                             struct qn_error *error);

/* The same, if it is wanted. */
enum qn_status qn_state_keep(const struct qn_run_request *request, uint64_t iterations,
                             double change, const struct qn_state_parts *parts,
                             struct qn_error *error);

/* What a program is told as its run begins or goes on; `result` becomes that of a run of as many
 * iterations. */
struct qn_program_context qn_run_begin(const struct qn_run_request *request, uint64_t num_vertices,
                                       uint64_t num_edges, struct qn_run_result *result);

#ifdef __cplusplus
}
#endif
