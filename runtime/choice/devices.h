/* Whether several devices are done sooner than one of them: what they tell each other takes time,
 * too. */
#pragma once

#include <jansson.h>

#include "kernels/streaming.h"
#include "runtime/choice/processor.h"

/* Seconds that are expected, of the algorithm itself. */
struct qn_sharing {
  bool weighed; /* else there is nothing to choose */
  bool alone;   /* the first device takes all of it */
  bool streams; /* where it is alone */
  double one, all;
};

/* Of a run that `num_devices` may share by `kernel`, or one of them does by `alone`, each of which
 * has `usable` bytes of memory. Nothing is weighed where one has no room for what vertices need, or
 * streams what several keep, nor for kernels of their own on plain rows, where it was not measured.
 */
struct qn_sharing qn_sharing_weigh(const struct qn_workload *workload,
                                   const struct qn_kernel *kernel, const struct qn_kernel *alone,
                                   enum qn_strategy strategy, unsigned num_devices,
                                   uint64_t usable);

/* {"taken": how many, "one_seconds", "all_seconds", "streams"}; NULL if nothing was weighed. */
json_t *qn_sharing_json(const struct qn_sharing *sharing, unsigned num_devices);
