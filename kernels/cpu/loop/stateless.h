/* work_keep of schedules whose next iteration depends on values and context alone, as that of
 * all-active programs does: their messages are made from the values. Part of the engines on the CPU
 * (state.h). */
#ifndef QN_KERNELS_CPU_LOOP_STATELESS_H
#define QN_KERNELS_CPU_LOOP_STATELESS_H

#include "kernels/cpu/loop/iterations.h"

static inline enum qn_status work_keep(const struct engine_state *state, struct engine_work *work,
                                       struct qn_run_state *kept, struct qn_error *error) {
  (void)state, (void)work, (void)kept, (void)error;
  return QN_OK;
}

#endif
