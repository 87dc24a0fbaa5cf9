/* What a chosen kernel is told, and what it walks. */
#pragma once

#include "runtime/run.h"

/* Find the inputs, wait for the device, and choose how many share the run. */
enum qn_status qn_run_prepare(const struct qn_run_input *input,
                              const struct qn_run_options *options, struct qn_run *run,
                              struct qn_error *error);
/* The request for the run's kernel, and the rows that it walks where it has not the input's layout.
 */
enum qn_status qn_run_fill_request(const struct qn_run_input *input,
                                   const struct qn_run_options *options, struct qn_run *run,
                                   struct qn_error *error);
