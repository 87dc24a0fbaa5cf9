/* A prepared run, done. */
#pragma once

#include "runtime/run.h"

/* Run the kernel, with checkpoints if they are asked for, from one source after another where there
 * are several and no kernel takes them together; on the CPU after all if the device was nobody's
 * wish and cannot. */
enum qn_status qn_run_execute(const struct qn_run_input *input,
                              const struct qn_run_options *options, struct qn_run *run,
                              struct qn_error *error);
/* Find the parents of a search, if they are wanted. */
enum qn_status qn_run_find_parents(const struct qn_run_input *input,
                                   const struct qn_run_options *options, struct qn_run *run,
                                   struct qn_error *error);
