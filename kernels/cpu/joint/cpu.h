/* The CPU's part of a run that it shares with an accelerator (Garaph, section 5): one program on
 * one layout, done whole iterations at a time or a stretch of rows at a time. The build compiles
 * every program with cpu/LAYOUT/joint.h, and the accelerator's engine finds it by its symbol.
 *
 * A side's values and its bitmap of active vertices are the state of the run wherever it says that
 * the host's are the valid ones. All functions but create and destroy are called by one thread,
 * whose parallel regions they use. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernels/registry.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What every program's side begins with. */
struct qn_joint_cpu {
  struct qn_program_context context; /* the caller's to set before a call, and to read after it */
  void *values;                      /* [V] of the program's type */
  /* Frontier programs: */
  uint64_t *active;      /* [V / 64 + 1] bits */
  uint64_t *next;        /* [V / 64 + 1] between share_begin and share_end: of the next iteration */
  uint64_t num_active;   /* set bits of `active` */
  uint64_t active_edges; /* out-edges of active vertices */
  double change;         /* of the iteration; programs that converge */
  double random_cost;    /* k of section 4.2, if edges are more than the memory for them; else 1 */
};

struct qn_joint_share; /* share.h */

/* Rows [bounds[s], bounds[s + 1]) are stretch s; bounds are multiples of 64 but for the last. */
struct qn_joint_cpu_kernel {
  /* With the first values, or those of the state that the request goes on from. The bounds must
   * outlive the side. */
  enum qn_status (*create)(const struct qn_run_request *request,
                           const struct qn_program_context *context, const uint32_t *bounds,
                           uint64_t num_stretches, struct qn_joint_cpu **out,
                           struct qn_error *error);
  void (*destroy)(struct qn_joint_cpu *side); /* NULL is allowed */

  void (*step)(struct qn_joint_cpu *side); /* an iteration, alone */
  bool (*next_round)(
      struct qn_joint_cpu *side);              /* when no vertex is active; false: there is none */
  void (*adopt)(struct qn_joint_cpu *side);    /* values and active vertices were replaced */
  void (*wake_all)(struct qn_joint_cpu *side); /* what waits for its turn is active at once */

  /* An iteration that is shared. With `notify`, active vertices tell their destinations first, and
   * only these pull. */
  void (*share_begin)(struct qn_joint_cpu *side, bool notify);
  /* Every thread takes stretches (qn_joint_share_take), until none is left. */
  void (*share_work)(struct qn_joint_cpu *side, struct qn_joint_share *share);
  /* Rows [begin, end) of `values` are somebody else's new ones: send them from now on. */
  void (*share_receive)(struct qn_joint_cpu *side, uint64_t begin, uint64_t end);
  void (*share_end)(struct qn_joint_cpu *side); /* after the others' words of `next` were set */

  /* Seconds to pull, applying nothing, as if all vertices were active: stretch `first` and every
   * `step`-th after it. What an iteration costs beside its stretches: step 0. */
  double (*probe)(struct qn_joint_cpu *side, uint64_t first, uint64_t step);
};

#ifdef __cplusplus
}
#endif
