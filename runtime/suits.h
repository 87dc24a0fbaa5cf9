/* Whether a kernel can do what a run asks of it, and what to say if it cannot. */
#pragma once

#include "runtime/run.h"

/* Does it refuse the graph? The same with a message. */
bool qn_run_is_refused(const struct qn_run_input *input, const struct qn_kernel *kernel);
enum qn_status qn_run_check_graph(const struct qn_run_input *input, const struct qn_kernel *kernel,
                                  struct qn_error *error);
/* Does the kernel do as --direction, --parallelism, --move and --mode say? QN_USAGE if not. */
enum qn_status qn_run_check_manner(const struct qn_kernel *kernel,
                                   const struct qn_run_options *options, struct qn_error *error);
/* Is --delta of use to the kernel, if it is said? */
bool qn_run_has_buckets(const struct qn_kernel *kernel, const struct qn_run_options *options);
/* All of these but the graph; parents, devices and --iterations, too. */
enum qn_status qn_run_check_options(const struct qn_run_input *input, const struct qn_run *run,
                                    const struct qn_run_options *options, struct qn_error *error);
