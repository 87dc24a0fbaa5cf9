/* Which kernel a run takes: by algorithm, layout, weights, and the processor that is asked for or
 * expected to finish first. */
#pragma once

#include "runtime/run.h"

/* What processors are expected to take for the runs `options` [count] together, where nobody has
 * said which and there are kernels of both; else nothing is weighed. */
struct qn_choice qn_run_weigh(const struct qn_run_input *input,
                              const struct qn_run_options *options, unsigned count);
/* Start the device that these runs ask for, or are expected to take, if they have `start_device`.
 */
void qn_run_start_ahead(const struct qn_run_input *input, const struct qn_run_options *options,
                        unsigned count);
/* Of a run that begins: its algorithm, arguments, kernel, and what was weighed; the kernel is
 * refused if it cannot do what the options say (suits.h). */
enum qn_status qn_run_choose(const struct qn_run_input *input, const struct qn_run_options *options,
                             struct qn_run *run, struct qn_error *error);
/* Do several devices take longer than the first of them? Then that one runs alone. */
enum qn_status qn_run_choose_devices(const struct qn_run_input *input,
                                     const struct qn_run_options *options, struct qn_run *run,
                                     struct qn_error *error);
/* The kernel for a processor, if the graph suits it: on the input's layout, or on the rows that it
 * can give back. */
enum qn_status qn_run_find_kernel(const struct qn_run_input *input,
                                  const struct qn_run_options *options, const char *algorithm,
                                  enum qn_processor processor, const struct qn_kernel **kernel,
                                  struct qn_error *error);
/* From now on a device of this process is started. */
void qn_run_device_is_used(void);
